// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/scene_file.h"

#include "bench/cache.h"
#include "cli/progress.h"
#include "cook/cook.h"
#include "core/hash.h"
#include "core/message.h"
#include "play/words.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

shStatus openSceneText(SceneText* scene, shContext* context, const char* word, shMessage* message)
{
    const BuiltIn* builtIn = builtInFind(word);
    *scene = (SceneText){.text = NULL};
    if (builtIn != NULL) {
        snprintf(scene->path, sizeof scene->path, "scenes/%s.json", word);
        scene->text = (const char*)builtIn->text;
        scene->size = builtIn->size;
        return shOk;
    }
    if (access(word, F_OK) == 0) {
        snprintf(scene->path, sizeof scene->path, "%s", word);
        shStatus status = scriptOpen(&scene->file, context, word, message);
        scene->text = scene->file.bytes;
        scene->size = scene->file.size;
        return status;
    }
    const char* names[256] = {NULL};
    for (int i = 0; i < 255 && builtInScenes[i].name != NULL; ++i)
        names[i] = builtInScenes[i].name;
    const char* nearest = nearestWord(word, names);
    if (nearest != NULL)
        return fail(message, shNoFile, "there is no scene and no file '%.200s'; did you mean %s?", word, nearest);
    return fail(message, shNoFile,
                "there is no scene and no file '%.200s'; sherd list scenes shows what there is, sherd new writes one",
                word);
}

void closeSceneText(SceneText* scene, shContext* context)
{
    fileClose(&scene->file, &context->memory);
    *scene = (SceneText){.text = NULL};
}

shStatus openScene(Script* script, shContext* context, const char* word, const ScriptChanges* changes,
                   shMessage* message)
{
    SceneText scene;
    *script = (Script){0};
    shStatus status = openSceneText(&scene, context, word, message);
    if (status == shOk)
        status = scriptRead(script, context, scene.path, scene.text, scene.size, changes, message);
    closeSceneText(&scene, context);
    return status;
}

typedef struct Wanted {
    const Script* script;
    const ScriptAsset* asset;
} Wanted;

static shStatus makeFresh(shContext* context, const void* user, shAsset** asset, shMessage* message)
{
    const Wanted* wanted = user;
    return playMakeAsset(context, wanted->script, wanted->asset, asset, message);
}

static bool endsWith(const char* text, const char* ending)
{
    size_t length = strlen(text), part = strlen(ending);
    return length >= part && strcmp(text + length - part, ending) == 0;
}

static shStatus makeFromFile(shContext* context, const void* user, shAsset** asset, shMessage* message)
{
    const Wanted* wanted = user;
    const char* file = wanted->asset->file;
    char path[1024];
    if (strcmp(file, "bunny") == 0) {
        shStatus status = cacheBunnyFile(path, sizeof path, message);
        if (status != shOk)
            return status;
    } else {
        snprintf(path, sizeof path, "%s%s", file[0] == '/' ? "" : wanted->script->folder, file);
    }
    CookFileDef def = cookDefaultFileDef();
    def.path = path;
    def.triangles = wanted->asset->triangles;
    def.scale = (double)wanted->asset->scale;
    def.shift = wanted->asset->shift;
    def.cook.name = wanted->asset->name;
    if (wanted->asset->material != NULL)
        def.cook.material = shMaterialPreset(wanted->asset->material);
    return cookFile(context, &def, asset, NULL, message);
}

// Models, boxes and the bunny are cooked once; files of the user's may change, and are cooked every time.
static shStatus makeAsset(shContext* context, const Script* script, const ScriptAsset* asset, shAsset** made,
                          void* user, shMessage* message)
{
    (void)user;
    Wanted wanted = {script, asset};
    bool bunny = asset->file != NULL && strcmp(asset->file, "bunny") == 0;
    if (asset->file != NULL && endsWith(asset->file, ".sherd"))
        return playMakeAsset(context, script, asset, made, message);
    if (asset->file != NULL && !bunny)
        return makeFromFile(context, &wanted, made, message);
    char text[512], key[96];
    snprintf(text, sizeof text, "%s %s %g %g %g %g %g %g %g %g %g %d %s", asset->name,
             asset->model != NULL ? asset->model
             : bunny              ? "bunny"
                                  : "box",
             (double)asset->detail, (double)asset->scale, (double)asset->shift.x, (double)asset->shift.y,
             (double)asset->shift.z, (double)asset->box.x, (double)asset->box.y, (double)asset->box.z,
             (double)asset->cell, asset->triangles, asset->material != NULL ? asset->material : "");
    snprintf(key, sizeof key, "scene-%016llx", (unsigned long long)hashOf(text, strlen(text), 0));
    return cacheAsset(context, key, bunny ? makeFromFile : makeFresh, &wanted, made, message);
}

static void showMaking(const char* what, int done, int count, void* user)
{
    (void)user;
    progressShow("[%d/%d] cooking %s", done + 1, count, what);
}

PlayHooks sceneHooks(void) { return (PlayHooks){.makeAsset = makeAsset, .progress = showMaking}; }

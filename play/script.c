// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "play/script.h"

#include "core/context.h"
#include "core/message.h"
#include "io/file.h"
#include "play/limits.h"

#include <stdio.h>
#include <string.h>

static void readWorld(Script* script, const JsonValue* root)
{
    static const char* const keys[] = {"gravity",   "substeps", "hitSpeed",   "bounceSpeed", "pushSpeed", "sleepSpeed",
                                       "sleepTime", "sleeping", "continuous", "breakBudget", "debris",    NULL};
    static const char* const debrisKeys[] = {"volume", "age", "limit", NULL};
    Reader* reader = &script->reader;
    const JsonValue* world = readMember(reader, root, "world", jsonObject);
    shWorldDef* def = &script->world;
    if (world == NULL)
        return;
    readKeys(reader, world, keys);
    readVec(reader, world, "gravity", SCENE_FAST, &def->gravity);
    readInt(reader, world, "substeps", 0, SH_MAX_SUBSTEPS, &def->substeps);
    readFloat(reader, world, "hitSpeed", 0.0, SCENE_FAST, &def->hitSpeed);
    readFloat(reader, world, "bounceSpeed", 0.0, SCENE_FAST, &def->bounceSpeed);
    readFloat(reader, world, "pushSpeed", 0.0, SCENE_FAST, &def->pushSpeed);
    readFloat(reader, world, "sleepSpeed", 0.0, SCENE_FAST, &def->sleepSpeed);
    readFloat(reader, world, "sleepTime", 0.0, 1e6, &def->sleepTime);
    readBool(reader, world, "sleeping", &def->sleeping);
    readBool(reader, world, "continuous", &def->continuous);
    double budget = (double)def->breakBudget;
    readWhole(reader, world, "breakBudget", 0.0, 1e15, &budget);
    def->breakBudget = (int64_t)budget;
    const JsonValue* debris = readMember(reader, world, "debris", jsonObject);
    if (debris == NULL)
        return;
    readKeys(reader, debris, debrisKeys);
    readReal(reader, debris, "volume", 0.0, 1e9, &def->debrisVolume);
    readFloat(reader, debris, "age", 0.0, 1e6, &def->debrisAge);
    readInt(reader, debris, "limit", 0, 1000000, &def->debrisLimit);
}

static void readMaterial(Reader* reader, const JsonValue* object, ScriptAsset* asset)
{
    const char* names[32] = {NULL};
    for (int i = 0; i < shMaterialPresetCount() && i < 31; ++i)
        names[i] = shMaterialPresetAt(i)->name;
    int choice = -1;
    readChoice(reader, object, "material", "material", names, &choice);
    if (choice >= 0)
        asset->material = names[choice];
}

static void readModel(Reader* reader, const JsonValue* object, const char* key, const char** target)
{
    const char* names[64] = {NULL};
    for (int i = 0; i < shGetModelCount() && i < 63; ++i)
        names[i] = shGetModel(i).name;
    int choice = -1;
    readChoice(reader, object, key, "model", names, &choice);
    if (choice >= 0)
        *target = names[choice];
}

// Some keys mean something to one kind of asset only, and elsewhere show that somebody expects what does not happen.
static void goesWith(Reader* reader, const JsonValue* object, const char* key, bool fits, const char* with)
{
    const JsonValue* value = jsonGet(object, key);
    if (value != NULL && !fits)
        readFail(reader, value, "it goes with %s only", with);
}

static void readScale(Reader* reader, const JsonValue* object, ScriptAsset* asset)
{
    readFloat(reader, object, "detail", 0.25, 8.0, &asset->detail);
    readFloat(reader, object, "scale", 1e-3, 1e3, &asset->scale);
    readVec(reader, object, "shift", SCENE_FAR, &asset->shift);
}

// "else": "rabbit", or {"model": "rabbit", "scale": 4.85, …}: sizes of its own, for it need not be as large as the
// file.
static void readStandIn(Reader* reader, const JsonValue* object, ScriptAsset* asset)
{
    static const char* const keys[] = {"model", "detail", "scale", "shift", "material", NULL};
    const JsonValue* value = jsonGet(object, "else");
    ScriptAsset* standIn = value != NULL ? readAlloc(reader, 1, sizeof(ScriptAsset)) : NULL;
    if (standIn == NULL)
        return;
    *standIn =
        (ScriptAsset){.place = value, .name = asset->name, .detail = 1.0f, .scale = 1.0f, .material = asset->material};
    asset->standIn = standIn;
    if (value->type != jsonObject) {
        readModel(reader, object, "else", &standIn->model);
        return;
    }
    readKeys(reader, value, keys);
    readModel(reader, value, "model", &standIn->model);
    readMaterial(reader, value, standIn);
    readScale(reader, value, standIn);
    if (standIn->model == NULL)
        readFail(reader, value, "give a model, such as {\"model\": \"rabbit\", \"scale\": 4}");
}

static void readCell(Reader* reader, const JsonValue* object, ScriptAsset* asset)
{
    shVec3 b = asset->box;
    float least = minF(b.x, minF(b.y, b.z));
    readFloat(reader, object, "cell", 1e-4, SCENE_FAR, &asset->cell);
    if (!(least > 0.0f))
        readFail(reader, object, "the sides of a box must be above 0");
    asset->cell = asset->cell > 0.0f ? asset->cell : minF(least, maxF(b.x, maxF(b.y, b.z)) / 8.0f);
    double cells =
        ceil((double)(b.x / asset->cell)) * ceil((double)(b.y / asset->cell)) * ceil((double)(b.z / asset->cell));
    if (cells > SCENE_CELLS)
        readFail(reader, object, "%.0f cells of %g m; %d is the most", cells, (double)asset->cell, SCENE_CELLS);
}

static bool isCooked(const char* file)
{
    size_t length = file != NULL ? strlen(file) : 0;
    return length >= 6 && strcmp(file + length - 6, ".sherd") == 0;
}

static void readAsset(Reader* reader, const JsonValue* object, ScriptAsset* asset)
{
    static const char* const keys[] = {"model", "file",      "box",  "detail",   "scale", "shift",
                                       "cell",  "triangles", "else", "material", NULL};
    *asset = (ScriptAsset){.place = object, .name = object->key, .detail = 1.0f, .scale = 1.0f};
    if (object->type != jsonObject) {
        readFail(reader, object, "an asset must be an object, such as {\"model\": \"plate\"}");
        return;
    }
    readKeys(reader, object, keys);
    readModel(reader, object, "model", &asset->model);
    readText(reader, object, "file", &asset->file);
    readMaterial(reader, object, asset);
    bool model = asset->model != NULL, file = asset->file != NULL, cooked = isCooked(asset->file);
    bool box = readVec(reader, object, "box", SCENE_FAR, &asset->box);
    if (model + file + box != 1)
        readFail(reader, object, "give one of model, file and box");
    goesWith(reader, object, "detail", model, "\"model\"");
    goesWith(reader, object, "cell", box, "\"box\"");
    goesWith(reader, object, "else", file, "\"file\"");
    goesWith(reader, object, "triangles", file && !cooked, "an .obj or .off file");
    goesWith(reader, object, "scale", model || (file && !cooked), "a model, or an .obj or .off file");
    goesWith(reader, object, "shift", model || (file && !cooked), "a model, or an .obj or .off file");
    goesWith(reader, object, "material", !cooked, "what is not cooked yet");
    readScale(reader, object, asset);
    readInt(reader, object, "triangles", 0, 10000000, &asset->triangles);
    readStandIn(reader, object, asset);
    if (box)
        readCell(reader, object, asset);
}

static void readAssets(Script* script, const JsonValue* root)
{
    Reader* reader = &script->reader;
    const JsonValue* assets = readMember(reader, root, "assets", jsonObject);
    if (assets == NULL)
        return;
    script->assets = readAlloc(reader, (size_t)assets->count, sizeof(ScriptAsset));
    for (const JsonValue* value = assets->first; value != NULL && reader->status == shOk; value = value->next)
        readAsset(reader, value, &script->assets[script->assetCount++]);
}

static void readCamera(Script* script, const JsonValue* root)
{
    static const char* const keys[] = {"azimuth", "elevation", "look", NULL};
    const JsonValue* camera = readMember(&script->reader, root, "camera", jsonObject);
    if (camera == NULL)
        return;
    readKeys(&script->reader, camera, keys);
    readFloat(&script->reader, camera, "azimuth", -360.0, 360.0, &script->azimuth);
    readFloat(&script->reader, camera, "elevation", -90.0, 90.0, &script->elevation);
    const JsonValue* look = readMember(&script->reader, camera, "look", jsonList);
    script->hasLook = look != NULL && readBox(&script->reader, look, SCENE_FAR, &script->look);
}

static void readTop(Script* script, const ScriptChanges* changes)
{
    static const char* const keys[] = {"title", "about",  "paper",  "dt",     "steps",   "seed", "fps",
                                       "world", "camera", "assets", "bodies", "actions", NULL};
    Reader* reader = &script->reader;
    const JsonValue* root = reader->json.root;
    double seed = 1.0;
    readKeys(reader, root, keys);
    readText(reader, root, "title", &script->title);
    readText(reader, root, "about", &script->about);
    readText(reader, root, "paper", &script->paper);
    readReal(reader, root, "dt", 1e-5, 1.0, &script->dt);
    readInt(reader, root, "steps", 1, SCENE_STEPS, &script->steps);
    readWhole(reader, root, "seed", 0.0, 9e15, &seed);
    readReal(reader, root, "fps", 0.01, 1000.0, &script->framesPerSecond);
    script->seed = (uint64_t)seed;
    if (changes != NULL) {
        script->dt = changes->dt > 0.0 ? changes->dt : script->dt;
        script->steps = changes->steps > 0 ? changes->steps : script->steps;
        script->seed = changes->hasSeed ? changes->seed : script->seed;
    }
    readWorld(script, root);
    readCamera(script, root);
    readAssets(script, root);
    scriptReadBodies(script);
    scriptReadActions(script);
}

static void nameAndFolder(Script* script, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* base = slash != NULL ? slash + 1 : path;
    const char* dot = strrchr(base, '.');
    size_t length = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    char* name = readAlloc(&script->reader, length + 1, 1);
    if (name == NULL)
        return;
    memcpy(name, base, length);
    script->name = name;
    script->title = name;
    snprintf(script->folder, sizeof script->folder, "%.*s", (int)(base - path), path);
}

shStatus scriptRead(Script* script, shContext* context, const char* path, const char* text, size_t size,
                    const ScriptChanges* changes, shMessage* message)
{
    *script = (Script){.context = context,
                       .dt = 1.0 / 60.0,
                       .steps = 300,
                       .framesPerSecond = 30.0,
                       .azimuth = 30.0f,
                       .elevation = 22.0f,
                       .world = shDefaultWorldDef(),
                       .about = "",
                       .paper = ""};
    arenaInit(&script->arena, &context->memory);
    Reader* reader = &script->reader;
    reader->status = shOk;
    reader->json = (Json){.arena = &script->arena, .message = message};
    char* name = readAlloc(reader, strlen(path) + 1, 1); // messages need it as long as the script lives
    if (name != NULL)
        memcpy(name, path, strlen(path));
    if (reader->status == shOk)
        reader->status = jsonParse(&reader->json, &script->arena, name, text, size, message);
    for (int i = 0; changes != NULL && i < changes->setCount && reader->status == shOk; ++i)
        reader->status = jsonSet(&reader->json, changes->sets[i]);
    nameAndFolder(script, path);
    if (reader->status == shOk)
        readTop(script, changes);
    shStatus status = reader->status;
    if (status != shOk)
        scriptFree(script);
    return status;
}

shStatus scriptOpen(FileBlock* file, shContext* context, const char* path, shMessage* message)
{
    *file = (FileBlock){0};
    shStatus status = fileOpen(file, &context->memory, path, message);
    if (status == shOk && file->size > SCENE_BYTES) {
        status = fail(message, shLimit, "%.300s: %zu bytes are too many for a scene", path, file->size);
        fileClose(file, &context->memory);
    }
    return status;
}

shStatus scriptLoad(Script* script, shContext* context, const char* path, const ScriptChanges* changes,
                    shMessage* message)
{
    FileBlock file;
    *script = (Script){0};
    shStatus status = scriptOpen(&file, context, path, message);
    if (status == shOk)
        status = scriptRead(script, context, path, file.bytes, file.size, changes, message);
    fileClose(&file, &context->memory);
    return status;
}

void scriptFree(Script* script)
{
    if (script->context != NULL)
        arenaFree(&script->arena);
    *script = (Script){0};
}

const BuiltIn* builtInFind(const char* name)
{
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene)
        if (strcmp(scene->name, name) == 0)
            return scene;
    return NULL;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every built-in scene, its first steps: the same hash in every build and on one thread and two, compared with
// test/golden/scenes.txt. `make golden` writes the file anew. Models are coarser than on show, and balls stand
// in for what takes long to cook or is foreign.
#include "play/play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// As many steps as it takes until something has happened; the others: usualSteps.
static const struct {
    const char* name;
    int steps;
} lengths[] = {{"piggy", 20},     {"plates", 36}, {"bowl", 20},           {"pillar", 24},  {"wall", 12},
               {"wall-real", 12}, {"glass", 18},  {"cylinder", 8},        {"rebreak", 12}, {"wall-ball", 12},
               {"incline", 120},  {"stack", 90},  {"rolling-plate", 120}, {"blocks", 100}, {"bunny", 8},
               {"starter", 50},   {"table", 5},   {"bricks", 12}};
enum { usualSteps = 12 };

static int stepsOf(const char* name)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
        if (strcmp(lengths[i].name, name) == 0)
            return lengths[i].steps;
    return usualSteps;
}

static void coarsen(Script* script)
{
    for (int i = 0; i < script->assetCount; ++i) {
        ScriptAsset* asset = &script->assets[i];
        bool implicit =
            asset->model != NULL && (strcmp(asset->model, "piggy-bank") == 0 || strcmp(asset->model, "apple") == 0);
        asset->detail = 0.3f;
        if (asset->file == NULL && !implicit)
            continue;
        asset->model = "sphere";
        asset->file = asset->fallback = NULL;
    }
}

static uint64_t hashOfScene(const BuiltIn* scene, int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shContext* context;
    shMessage message = {""};
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    Script script;
    Play* play = NULL;
    ScriptChanges changes = {.steps = stepsOf(scene->name)};
    shStatus status =
        scriptRead(&script, context, scene->name, (const char*)scene->text, scene->size, &changes, &message);
    if (status == shOk) {
        coarsen(&script);
        status = playCreate(&play, &script, NULL, &message);
    }
    while (status == shOk && !playIsOver(play))
        status = playStep(play, &message);
    if (status != shOk)
        fail_msg("%s", message.text);
    uint64_t hash = shWorld_GetHash(playWorld(play));
    playDestroy(play);
    scriptFree(&script);
    assert_int_equal(shDestroyContext(context), 0);
    return hash;
}

static const char* goldenPath(void) { return TEST_FOLDER "/golden/scenes.txt"; }

static void everySceneGivesTheSameBitsOnOneThreadAndTwo(void** state)
{
    (void)state;
    const char* mode = getenv("SHERD_GOLDEN");
    bool write = mode != NULL && strcmp(mode, "write") == 0;
    FILE* file = fopen(goldenPath(), write ? "w" : "r");
    assert_non_null(file);
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene) {
        uint64_t one = hashOfScene(scene, 1), two = hashOfScene(scene, 2);
        if (one != two)
            fail_msg("%s: %016llx on one thread, %016llx on two", scene->name, (unsigned long long)one,
                     (unsigned long long)two);
        char name[64];
        unsigned long long golden = 0;
        if (write)
            fprintf(file, "%s %016llx\n", scene->name, (unsigned long long)one);
        else if (fscanf(file, "%63s %llx", name, &golden) != 2 || strcmp(name, scene->name) != 0 || golden != one)
            fail_msg("%s: %016llx, golden is %016llx (make golden)", scene->name, (unsigned long long)one, golden);
    }
    assert_int_equal(fclose(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everySceneGivesTheSameBitsOnOneThreadAndTwo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

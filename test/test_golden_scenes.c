// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every built-in scene, its first steps: the same hash in every build and on one thread and two, compared with
// test/golden/scenes.txt. `make golden` writes the file anew. Models are coarser than on show, and balls stand
// in for what takes long to cook or is foreign.
#include "play/play.h"
#include "test/coarse_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t hashOfScene(const BuiltIn* scene, int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shContext* context;
    shMessage message = {""};
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    Script script;
    Play* play = NULL;
    ScriptChanges changes = {.steps = 0};
    changes.steps = stepsOf(scene->name, &changes);
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

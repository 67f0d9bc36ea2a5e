// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Snapshots of a world in which things fall and break: restored at any step, also while breaks wait, in another context
// or process, it does what the original does. With --long as much as one wants to see once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/falling_things.h"

static Stage cooked; // once for all
static const char* program;
static int moreSteps = 20, rollbacks = 5;

// Runs a world and takes snapshots at random steps and while breaks wait; each, in another context on other threads,
// must go through the same states.
static void a_world_restored_at_any_step_goes_on_alike(void** unused)
{
    (void)unused;
    enum { most = 6, during = 50 };
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked), other = stageCreate(2, (shAllocator){0}, &cooked);
    shWorld* world = worldOf(&stage);
    int steps = during + moreSteps, count = 0, waiting = 0, at[most];
    uint64_t* hashes = malloc(sizeof(uint64_t) * (size_t)steps);
    Bytes taken[most];
    Random random = randomSeed(1);
    for (int i = 0; i < steps; ++i) {
        run(world, 1);
        hashes[i] = i < during || (i + 1) % 50 == 0 ? shWorld_GetHash(world) : 0;
        bool waits = shWorld_GetCounters(world).deferred > 0;
        int chance = randomBelow(&random, 20);
        if (i >= during || count == most || !(waits ? waiting < 3 : chance < 2))
            continue;
        at[count] = i;
        taken[count++] = save(world, false);
        waiting += waits;
    }
    shCounters counters = shWorld_GetCounters(world);
    printf("  %d bodies, %lld breaks, %d of %d snapshots while breaks wait, the last of %zu bytes\n", counters.bodies,
           (long long)counters.breaks, waiting, count, taken[count - 1].size);
    assert_true(counters.breaks > 8 && waiting > 1 && waiting < count);
    for (int i = 0; i < count; ++i) {
        shWorld* copy = load(&other, taken[i]);
        assert_true(shWorld_GetHash(copy) == hashes[at[i]]);
        Bytes again = save(copy, false);
        assert_int_equal(again.size, taken[i].size);
        assert_memory_equal(again.data, taken[i].data, again.size);
        shFreeBytes(other.context, again.data, again.size);
        // One goes on to the end, the others far enough.
        int until = i == 1 ? steps : at[i] + 12 < steps ? at[i] + 12 : steps;
        for (int k = at[i] + 1; k < until; ++k) {
            run(copy, 1);
            assert_true(hashes[k] == 0 || shWorld_GetHash(copy) == hashes[k]);
        }
        shDestroyWorld(copy);
        shFreeBytes(stage.context, taken[i].data, taken[i].size);
    }
    free(hashes);
    shDestroyWorld(world);
    stageDestroy(&stage);
    stageDestroy(&other);
}

static void a_world_rolled_back_comes_the_same_way_again(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(2, (shAllocator){0}, &cooked);
    shWorld* world = worldOf(&stage);
    Random random = randomSeed(2);
    run(world, 5);
    for (int i = 0; i < rollbacks; ++i) {
        Bytes bytes = save(world, false);
        run(world, 10);
        uint64_t hash = shWorld_GetHash(world);
        shWorld* again = load(&stage, bytes);
        run(again, 10);
        assert_true(shWorld_GetHash(again) == hash);
        shFreeBytes(stage.context, bytes.data, bytes.size);
        shDestroyWorld(world);
        world = again;
        run(world, randomBelow(&random, 3));
        if (i % 10 == 9) // something new to break
            addThing(world, &stage, i, vec3(0.3f, 1.5f, 0.0f), NULL);
    }
    printf("  %d rollbacks, %lld breaks\n", rollbacks, (long long)shWorld_GetCounters(world).breaks);
    shDestroyWorld(world);
    stageDestroy(&stage);
}

// The other half of the next test, in a process of its own: prints the hash after some steps.
static int resume(const char* path, int steps)
{
    static char bytes[1 << 25];
    FILE* file = fopen(path, "rb");
    size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL)
        fclose(file);
    shContext* context;
    shContextDef contextDef = shDefaultContextDef();
    if (shCreateContext(&contextDef, &context, NULL) != shOk)
        return 1;
    shScenery* ground = groundOf(context);
    shLoadDef def = shDefaultLoadDef();
    def.sceneries = (const shScenery* const*)&ground;
    def.sceneryCount = 1;
    shWorld* world;
    shMessage message = {""};
    if (shWorld_Load(context, bytes, size, &def, &world, &message) != shOk) {
        printf("%s\n", message.text);
        return 1;
    }
    run(world, steps);
    printf("%016llx\n", (unsigned long long)shWorld_GetHash(world));
    shDestroyWorld(world);
    shDestroyScenery(ground);
    return shDestroyContext(context) != 0;
}

static void another_process_goes_on_with_what_is_embedded(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked);
    shWorld* world = worldOf(&stage);
    for (int i = 0; i < 60 && shWorld_GetCounters(world).deferred == 0; ++i)
        run(world, 1);
    assert_true(shWorld_GetCounters(world).deferred > 0);
    char path[] = "snapshot-XXXXXX", command[1024], line[600] = "", wanted[32];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE* file = fdopen(descriptor, "wb");
    Bytes bytes = save(world, true);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    run(world, moreSteps);
    snprintf(wanted, sizeof wanted, "%016llx\n", (unsigned long long)shWorld_GetHash(world));
    snprintf(command, sizeof command, "'%s' --resume %s %d", program, path, moreSteps);
    FILE* child = popen(command, "r");
    assert_non_null(child);
    assert_non_null(fgets(line, sizeof line, child));
    assert_int_equal(pclose(child), 0);
    remove(path);
    assert_string_equal(line, wanted);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    shDestroyWorld(world);
    stageDestroy(&stage);
}

static void what_is_missing_is_named(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked);
    shWorld *world = worldOf(&stage), *copy;
    Bytes bytes = save(world, false);
    shLoadDef defs[3] = {loadDefOf(&stage), loadDefOf(&stage), loadDefOf(&stage)};
    defs[0].assetCount = 1;
    defs[1].sceneryCount = 0;
    defs[2].regionsCount = 0;
    const char* const names[3] = {"asset", "scenery", "regions"};
    for (int i = 0; i < 3; ++i) {
        shMessage message = {""};
        assert_int_equal(shWorld_Load(stage.context, bytes.data, bytes.size, &defs[i], &copy, &message), shInvalid);
        assert_null(copy);
        assert_non_null(strstr(message.text, names[i]));
    }
    shFreeBytes(stage.context, bytes.data, bytes.size);
    shDestroyWorld(world);
    stageDestroy(&stage);
}

// Handles, user data, events that were not told yet, drags and forces go along.
static void what_was_done_since_the_last_step_is_kept(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked);
    shWorld* world = worldOf(&stage);
    run(world, 12);
    shMessage message = {""};
    shBodyId thing = shWorld_GetBodyAt(world, 3), gone = shWorld_GetBodyAt(world, 4);
    shPattern pattern = shDefaultPattern(shUniformPattern);
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
    shDrag drag = {.target = {0, 1, 0}, .hertz = 2, .damping = 1, .maxForce = 50};
    check(shBody_Break(world, thing, &pattern, &impact, NULL, &message), &message);
    check(shBody_SetDrag(world, thing, &drag, &message), &message);
    check(shBody_ApplyForce(world, thing, vec3(1, 2, 3), vec3(0, 0, 0), &message), &message);
    check(shBody_SetUserData(world, thing, 77, &message), &message);
    check(shDestroyBody(world, gone, &message), &message);
    Bytes bytes = save(world, false);
    shWorld* copy = load(&stage, bytes);
    assert_true(shBody_GetUserData(copy, thing) == 77);
    assert_false(shBody_IsValid(copy, gone));
    run(world, 1);
    run(copy, 1);
    shWorldEvents a = shWorld_GetEvents(world), b = shWorld_GetEvents(copy);
    assert_true(a.breakCount > 0 && a.breakCount == b.breakCount && a.pieceCount == b.pieceCount);
    assert_true(a.dustCount == b.dustCount && a.endCount == b.endCount && a.beginCount == b.beginCount);
    assert_memory_equal(a.pieces, b.pieces, sizeof(shBodyId) * (size_t)a.pieceCount);
    for (int i = 0; i < a.breakCount; ++i) {
        assert_ptr_equal(a.breaks[i].material, b.breaks[i].material);
        assert_int_equal(a.breaks[i].first, b.breaks[i].first);
    }
    assert_true(shWorld_GetHash(world) == shWorld_GetHash(copy));
    assert_int_equal(addThing(world, &stage, 1, vec3(0, 2, 0), NULL).index,
                     addThing(copy, &stage, 1, vec3(0, 2, 0), NULL).index);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    shDestroyWorld(world);
    shDestroyWorld(copy);
    stageDestroy(&stage);
}

static int setUp(void** unused)
{
    (void)unused;
    cooked = stageCreate(1, (shAllocator){0}, NULL);
    return 0;
}

static int tearDown(void** unused)
{
    (void)unused;
    stageDestroy(&cooked);
    return 0;
}

int main(int argc, char** argv)
{
    program = argv[0];
    if (argc == 4 && strcmp(argv[1], "--resume") == 0)
        return resume(argv[2], atoi(argv[3]));
    if (argc == 2 && strcmp(argv[1], "--long") == 0) {
        moreSteps = 1000;
        rollbacks = 100;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_restored_at_any_step_goes_on_alike),
        cmocka_unit_test(a_world_rolled_back_comes_the_same_way_again),
        cmocka_unit_test(another_process_goes_on_with_what_is_embedded),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_was_done_since_the_last_step_is_kept),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

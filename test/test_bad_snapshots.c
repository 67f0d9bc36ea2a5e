// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Snapshots and recordings that are cut off, damaged or made to deceive: refused with a place and a reason, or, where
// they make sense, believed without harm. And what happens when memory runs out: nothing.
#include "core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/failing_allocator.h"
#include "test/falling_things.h"

static Stage cooked;

// Small, but with everything in it: a brick that is broken twice, one that waits to be, something that sleeps, a drag.
static shWorld* smallWorld(const Stage* stage)
{
    shMessage message = {""};
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.breakBudget = 1;
    shWorld* world;
    check(shCreateWorld(stage->context, &worldDef, &world, &message), &message);
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.scenery = stage->scenery;
    addTo(world, &ground);
    shAnchor anchor = {.type = shBallAnchor, .radius = 0.1f};
    shBodyId held = addThing(world, stage, 0, vec3(-1.0f, 0.3f, 0.0f), &anchor);
    addThing(world, stage, 4, vec3(0.0f, 0.2f, 0.0f), NULL);
    addThing(world, stage, 2, vec3(0.5f, 0.2f, 0.0f), NULL);
    shShape ball = {.type = shSphereShape, .radius = 0.05f};
    shBodyDef def = shDefaultBodyDef();
    def.shape = &ball;
    def.transform.p = vec3(2.0f, 0.05f, 0.0f);
    shBodyId asleep = addTo(world, &def);
    def.transform.p = vec3(3.0f, 1.0f, 0.0f);
    shBodyId dragged = addTo(world, &def);
    shDrag drag = {.target = {3, 2, 0}, .hertz = 2, .damping = 1, .maxForce = 50};
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = 4;
    shImpact impact = shDefaultImpact(vec3(0.05f, 0.0f, 0.0f));
    check(shBody_Break(world, held, &pattern, &impact, NULL, &message), &message);
    for (int i = 0; i < 60 && shWorld_GetCounters(world).deferred == 0; ++i)
        run(world, 1);
    assert_true(shWorld_GetCounters(world).deferred > 0);
    check(shBody_SetDrag(world, dragged, &drag, &message), &message);
    check(shBody_SetAwake(world, asleep, false, &message), &message);
    check(shBody_Break(world, held, &pattern, &impact, NULL, &message), &message);
    check(shDestroyBody(world, held, &message), &message);
    return world;
}

static shStatus tryLoad(const Stage* stage, const void* bytes, size_t size, shWorld** world, shMessage* message)
{
    shLoadDef def = loadDefOf(stage);
    message->text[0] = 0;
    shStatus status = shWorld_Load(stage->context, bytes, size, &def, world, message);
    assert_true((status == shOk) == (*world != NULL));
    assert_true(status == shOk || message->text[0] != 0);
    return status;
}

// As whoever means harm would do.
static void sign(uint8_t* bytes, size_t size)
{
    uint64_t whole = size, sum = hashOf(bytes + 32, size - 32, 0);
    memcpy(bytes + 16, &whole, 8);
    memcpy(bytes + 24, &sum, 8);
}

static void cut_off_bytes_are_refused_with_their_place(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked);
    shWorld *world = smallWorld(&stage), *copy;
    Bytes bytes = save(world, false);
    shDestroyWorld(world);
    uint8_t* part = malloc(bytes.size + 8);
    Random random = randomSeed(3);
    shMessage message;
    for (int i = 0; i < 400; ++i) {
        size_t size = i < 40 ? (size_t)i : (size_t)randomBelow(&random, (int)bytes.size);
        memcpy(part, bytes.data, size);
        assert_int_equal(tryLoad(&stage, part, size, &copy, &message), shBadFile);
        assert_non_null(strstr(message.text, "byte "));
        if (size < 40)
            continue;
        sign(part, size);
        assert_int_equal(tryLoad(&stage, part, size, &copy, &message), shBadFile);
        assert_non_null(strstr(message.text, "byte "));
    }
    memcpy(part, bytes.data, bytes.size);
    memset(part + bytes.size, 0, 8);
    sign(part, bytes.size + 8);
    assert_int_equal(tryLoad(&stage, part, bytes.size + 8, &copy, &message), shBadFile);
    free(part);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    stageDestroy(&stage);
}

static int flips = 100;

// Changes a few bytes, signs it, and if it is believed lets it run, break and be saved.
static void damaged_bytes_do_no_harm(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked);
    shWorld *world = smallWorld(&stage), *copy;
    Bytes bytes = save(world, false);
    shDestroyWorld(world);
    uint8_t* bad = malloc(bytes.size);
    Random random = randomSeed(4);
    int believed = 0;
    shMessage message;
    for (int i = 0; i < flips; ++i) {
        memcpy(bad, bytes.data, bytes.size);
        // Half of them among the bodies and pairs, which come last and are few.
        int late = (int)bytes.size < 16000 ? (int)bytes.size - 32 : 16000;
        for (int k = 1 + randomBelow(&random, 3); k > 0; --k) {
            bool atEnd = randomBelow(&random, 2) == 0;
            size_t at = atEnd ? bytes.size - 1 - (size_t)randomBelow(&random, late)
                              : 32 + (size_t)randomBelow(&random, (int)bytes.size - 32);
            if (randomBelow(&random, 2) == 0)
                bad[at] ^= (uint8_t)(1u << randomBelow(&random, 8));
            else
                bad[at] = (uint8_t)randomBelow(&random, 256);
        }
        assert_true(memcmp(bad, bytes.data, bytes.size) == 0 ||
                    tryLoad(&stage, bad, bytes.size, &copy, &message) != shOk); // not signed
        sign(bad, bytes.size);
        if (tryLoad(&stage, bad, bytes.size, &copy, &message) != shOk) {
            assert_non_null(strstr(message.text, "byte "));
            continue;
        }
        ++believed;
        for (int step = 0; step < 2; ++step)
            shWorld_Step(copy, 1.0f / 60.0f, &message); // which may not want to: a body at 1e15 m/s
        shBodyId body = shWorld_GetBodyAt(copy, randomBelow(&random, shWorld_GetBodyLimit(copy)));
        shPattern pattern = shDefaultPattern(shUniformPattern);
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
        shBody_Break(copy, body, &pattern, &impact, NULL, &message);
        shWorld_Step(copy, 1.0f / 60.0f, &message);
        Bytes again = save(copy, false);
        shFreeBytes(stage.context, again.data, again.size);
        shDestroyWorld(copy);
    }
    printf("  %d of %d believed, of %zu bytes\n", believed, flips, bytes.size);
    assert_true(believed > flips / 50 && believed < flips);
    free(bad);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    stageDestroy(&stage);
}

static void running_out_of_memory_leaves_nothing(void** unused)
{
    (void)unused;
    TestAllocator allocator = {.failAt = 0};
    Stage stage = stageCreate(1, testAllocatorHooks(&allocator), &cooked);
    shWorld *world = smallWorld(&stage), *copy = NULL;
    uint64_t hash = shWorld_GetHash(world);
    long long before = atomic_load(&allocator.bytes);
    shMessage message = {""};
    Bytes bytes = {0};
    shSaveDef embed = shDefaultSaveDef();
    embed.embed = true;
    shStatus status = shOutOfMemory;
    int tries = 0;
    for (int n = 1; status == shOutOfMemory; ++n, ++tries) {
        atomic_store(&allocator.calls, 0);
        allocator.failAt = n;
        status = shWorld_Save(world, &embed, &bytes.data, &bytes.size, &message);
        if (status != shOk)
            assert_true(atomic_load(&allocator.bytes) == before);
    }
    allocator.failAt = 0;
    check(status, &message);
    assert_true(shWorld_GetHash(world) == hash);
    before = atomic_load(&allocator.bytes);
    status = shOutOfMemory;
    shLoadDef def = loadDefOf(&stage);
    def.assetCount = def.regionsCount = 0; // they are embedded
    for (int n = 1; status == shOutOfMemory; n += 1 + n / 40, ++tries) {
        atomic_store(&allocator.calls, 0);
        allocator.failAt = n;
        status = shWorld_Load(stage.context, bytes.data, bytes.size, &def, &copy, &message);
        if (status != shOk)
            assert_true(atomic_load(&allocator.bytes) == before && copy == NULL);
    }
    allocator.failAt = 0;
    check(status, &message);
    printf("  %d ways to run out of memory\n", tries);
    assert_true(shWorld_GetHash(copy) == hash);
    shDestroyWorld(copy);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    shDestroyWorld(world);
    stageDestroy(&stage);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
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
    if (argc == 3 && strcmp(argv[1], "--flips") == 0)
        flips = atoi(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_off_bytes_are_refused_with_their_place),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

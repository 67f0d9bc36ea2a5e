// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Recordings: everything that can be done to a world, done again elsewhere with the same hashes; a world that goes
// astray is noticed at once; damaged recordings do no harm. With --long 3000 steps.
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
static int steps = 60;

static float cutOf(int edge, void* user)
{
    (void)user;
    return 0.3f + 0.1f * (float)(edge % 5);
}

static void breakInHalves(shWorld* world, shBodyId body)
{
    static int labels[1 << 14];
    for (int i = 0; i < 1 << 14; ++i)
        labels[i] = i % 200 < 100;
    shMessage message = {""};
    check(shBody_BreakAlong(world, body, labels, cutOf, NULL, NULL, &message), &message);
}

// One of each call now and then, on some body that can bear it.
static void meddle(shWorld* world, const Stage* stage, int step, Random* random)
{
    shMessage message = {""};
    int index = 2 + randomBelow(random, shWorld_GetBodyLimit(world) - 2);
    shBodyId id = shWorld_GetBodyAt(world, index);
    Vec3 v = vFromD(randomInBall(random));
    shPattern pattern = shDefaultPattern(shUniformPattern);
    shImpact impact = shDefaultImpact(vScale(0.1f, v));
    shDrag drag = {.target = {0, 1, 0}, .hertz = 2, .damping = 1, .maxForce = 50};
    shExplosion blast = {.point = {0.3f, 0, 0}, .radius = 1.0f, .impulse = 20.0f};
    // A crumb that got an impulse of 1 N·s is soon too far away to be broken: that is refused.
    Vec3 place = shBody_GetCentre(world, id);
    assert_true(vFinite(place));
    bool solid = shBody_GetSolid(world, id, NULL) != NULL && vLength(place) < 1e3f;
    bool moves = shBody_GetType(world, id) == shDynamicBody;
    if (step % 40 == 30)
        check(shWorld_Explode(world, &blast, &message), &message);
    if (step % 50 == 3)
        addThing(world, stage, step, vec3(0.5f, 1.0f, 0.2f), NULL);
    if (!shBody_IsValid(world, id) || !moves)
        return;
    switch (step % 12) {
    case 0:
        check(shBody_SetTransform(world, id, (shTransform){vec3(v.x, 1.0f, v.z), randomRotation(random)}, &message),
              &message);
        break;
    case 1:
        check(shBody_SetVelocity(world, id, v, v, &message), &message);
        break;
    case 2:
        check(shBody_SetUserData(world, id, 7, &message), &message);
        break;
    case 3:
        check(shBody_SetFilter(world, id, (shFilter){2, UINT32_MAX, 0}, &message), &message);
        break;
    case 4:
        check(shBody_SetAwake(world, id, step % 24 == 4, &message), &message);
        break;
    case 5:
        check(shBody_ApplyForce(world, id, v, v, &message), &message);
        break;
    case 6:
        check(shBody_ApplyImpulse(world, id, v, v, &message), &message);
        break;
    case 7:
        if (solid)
            check(shBody_Break(world, id, &pattern, &impact, NULL, &message), &message);
        break;
    case 8:
        check(shBody_SetDrag(world, id, step % 24 == 8 ? &drag : NULL, &message), &message);
        break;
    case 9:
        shWorld_SetGravity(world, vec3(0.1f * v.x, -9.0f, 0.0f));
        break;
    case 10:
        shWorld_SetSleeping(world, step % 24 == 10);
        break;
    default:
        if (step % 36 == 11)
            check(shDestroyBody(world, id, &message), &message);
        else if (solid)
            breakInHalves(world, id);
        break;
    }
}

static Bytes record(const Stage* stage, int hashEvery, uint64_t* hash)
{
    shMessage message = {""};
    shWorld* world = worldOf(stage);
    run(world, 3);
    shRecordDef def = shDefaultRecordDef();
    def.hashEvery = hashEvery;
    check(shWorld_StartRecording(world, &def, &message), &message);
    assert_true(shWorld_IsRecording(world));
    assert_int_equal(shWorld_StartRecording(world, &def, &message), shInvalid);
    Random random = randomSeed(8);
    for (int i = 0; i < steps; ++i) {
        meddle(world, stage, i, &random);
        run(world, 1);
    }
    *hash = shWorld_GetHash(world);
    Bytes bytes;
    check(shWorld_StopRecording(world, &bytes.data, &bytes.size, &message), &message);
    assert_false(shWorld_IsRecording(world));
    assert_int_equal(shWorld_StopRecording(world, &(void*){NULL}, &(size_t){0}, &message), shInvalid);
    printf("  %d bodies, %lld breaks, %zu bytes\n", shWorld_GetCounters(world).bodies,
           (long long)shWorld_GetCounters(world).breaks, bytes.size);
    shDestroyWorld(world);
    return bytes;
}

static shReplay* replayOf(const Stage* stage, Bytes bytes)
{
    shMessage message = {""};
    shLoadDef def = loadDefOf(stage);
    shReplay* replay;
    check(shCreateReplay(stage->context, bytes.data, bytes.size, &def, &replay, &message), &message);
    return replay;
}

static void a_replay_does_the_same_and_notices_when_it_does_not(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked), other = stageCreate(2, (shAllocator){0}, &cooked);
    uint64_t hash;
    Bytes bytes = record(&stage, 5, &hash);
    shMessage message = {""};
    shReplay* replay = replayOf(&other, bytes);
    bool more = true;
    int count = 0;
    for (; more; ++count)
        check(shReplay_Step(replay, &more, &message), &message);
    shReplayInfo info = shReplay_GetInfo(replay);
    assert_int_equal(info.steps, steps);
    assert_int_equal(info.hashes, steps / 5);
    assert_int_equal(info.firstBad, 0);
    assert_true(count == steps || count == steps + 1);
    assert_true(shWorld_GetHash(shReplay_GetWorld(replay)) == hash);
    shDestroyReplay(replay);

    // The least thing that differs is seen at the next hash.
    replay = replayOf(&other, bytes);
    for (int i = 0; i < 12; ++i)
        check(shReplay_Step(replay, &more, &message), &message);
    shWorld* world = shReplay_GetWorld(replay);
    check(shBody_SetUserData(world, shWorld_GetBodyAt(world, 0), 1, &message), &message);
    for (int i = 12; i < 17; ++i)
        check(shReplay_Step(replay, &more, &message), &message);
    assert_int_equal(shReplay_GetInfo(replay).firstBad, 15);
    shDestroyReplay(replay);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    stageDestroy(&stage);
    stageDestroy(&other);
}

static void sign(uint8_t* bytes, size_t size)
{
    uint64_t whole = size, sum = hashOf(bytes + 32, size - 32, 0);
    memcpy(bytes + 16, &whole, 8);
    memcpy(bytes + 24, &sum, 8);
}

static void damaged_recordings_do_no_harm(void** unused)
{
    (void)unused;
    Stage stage = stageCreate(1, (shAllocator){0}, &cooked);
    // Nothing but calls: two bricks, then whatever.
    shMessage message = {""};
    shWorldDef worldDef = shDefaultWorldDef();
    shWorld* world;
    check(shCreateWorld(stage.context, &worldDef, &world, &message), &message);
    check(shWorld_StartRecording(world, NULL, &message), &message);
    Random random = randomSeed(9);
    addThing(world, &stage, 0, vec3(0, 0, 0), NULL);
    addThing(world, &stage, 4, vec3(0, 1, 0), NULL);
    addThing(world, &stage, 2, vec3(0, 2, 0), &(shAnchor){.type = shBallAnchor, .radius = 0.1f});
    for (int i = 0; i < 20; ++i) {
        if (i % 12 != 11 && i % 12 != 3)
            meddle(world, &stage, i, &random);
        run(world, 1);
    }
    Bytes bytes;
    check(shWorld_StopRecording(world, &bytes.data, &bytes.size, &message), &message);
    shDestroyWorld(world);
    uint8_t* bad = malloc(bytes.size);
    int refused = 0, total = 200;
    for (int i = 0; i < total; ++i) {
        memcpy(bad, bytes.data, bytes.size);
        size_t size = i % 4 == 0 ? 40 + (size_t)randomBelow(&random, (int)bytes.size - 40) : bytes.size;
        if (i % 4 != 0)
            bad[40 + (size_t)randomBelow(&random, (int)bytes.size - 40)] ^= (uint8_t)(1u << randomBelow(&random, 8));
        shLoadDef def = loadDefOf(&stage);
        shReplay* replay;
        assert_int_equal(shCreateReplay(stage.context, bad, size, &def, &replay, &message), shBadFile);
        sign(bad, size);
        shStatus status = shCreateReplay(stage.context, bad, size, &def, &replay, &message);
        for (bool more = status == shOk; more && status == shOk;)
            status = shReplay_Step(replay, &more, &message);
        refused += status != shOk;
        assert_true(status == shOk || message.text[0] != 0);
        shDestroyReplay(replay);
    }
    printf("  %d of %d refused, of %zu bytes\n", refused, total, bytes.size);
    assert_true(refused >= total / 4);
    free(bad);
    shFreeBytes(stage.context, bytes.data, bytes.size);
    stageDestroy(&stage);
}

static void running_out_of_memory_spoils_the_recording_and_nothing_else(void** unused)
{
    (void)unused;
    TestAllocator allocator = {.failAt = 0};
    Stage stage = stageCreate(1, testAllocatorHooks(&allocator), &cooked);
    shMessage message = {""};
    shWorldDef worldDef = shDefaultWorldDef();
    shWorld* world;
    check(shCreateWorld(stage.context, &worldDef, &world, &message), &message);
    shBodyId id = addThing(world, &stage, 0, vec3(0, 0, 0), NULL);
    shStatus status = shOutOfMemory;
    for (int n = 1; status != shOk; ++n) {
        long long before = atomic_load(&allocator.bytes);
        Bytes bytes = {0};
        atomic_store(&allocator.calls, 0);
        allocator.failAt = n;
        status = shWorld_StartRecording(world, NULL, &message);
        for (int i = 0; i < 300 && status == shOk; ++i)
            check(shBody_ApplyForce(world, id, vec3(0, 1, 0), vec3(0, 0, 0), &message), &message);
        if (status == shOk)
            status = shWorld_StopRecording(world, &bytes.data, &bytes.size, &message);
        shFreeBytes(stage.context, bytes.data, bytes.size);
        assert_false(shWorld_IsRecording(world));
        assert_true(atomic_load(&allocator.bytes) == before);
    }
    allocator.failAt = 0;
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
    if (argc == 2 && strcmp(argv[1], "--long") == 0)
        steps = 3000;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_does_the_same_and_notices_when_it_does_not),
        cmocka_unit_test(damaged_recordings_do_no_harm),
        cmocka_unit_test(running_out_of_memory_spoils_the_recording_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Many pairs at once: what single queries say, in the same order, with the same bits for any number of workers.
#include "core/context.h"
#include "core/hash.h"
#include "core/random.h"
#include "sherd/collide.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { solidCount = 3, pairCount = 150 };

typedef struct Scene {
    shContext* context;
    shAsset* asset;
    shSolid* solids[solidCount];
    shBatch* batch;
    shShape shapes[4];
    shPairQuery queries[pairCount];
    shPair pairs[pairCount];
} Scene;

static Scene scene; // too large for a stack

// A torus that is whole, one in four pieces, one in more; pairs of them and shapes, most of them touching.
static void setUp(int workers, shAllocator allocator)
{
    memset(&scene, 0, sizeof scene);
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    def.allocator = allocator;
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene.context, NULL), shOk);
    assert_int_equal(shCookModel(scene.context, "torus", 0.5f, &cook, &scene.asset, NULL), shOk);
    Random random = randomSeed(7);
    for (int s = 0; s < solidCount; ++s) {
        assert_int_equal(shCreateSolid(scene.asset, &scene.solids[s], NULL), shOk);
        Vec3 sites[8];
        for (int i = 0; i < 8; ++i)
            sites[i] = vScale(0.13f, vFromD(randomInBall(&random)));
        if (s > 0)
            assert_int_equal(shSolid_BreakVoronoi(scene.solids[s], 0, sites, 4 * s, NULL, NULL), shOk);
    }
    scene.shapes[0] = (shShape){.type = shPlaneShape};
    scene.shapes[1] = (shShape){.type = shSphereShape, .radius = 0.06f};
    scene.shapes[2] = (shShape){.type = shCapsuleShape, .radius = 0.03f, .halfHeight = 0.1f};
    scene.shapes[3] = (shShape){.type = shBoxShape, .halfExtent = {0.05f, 0.1f, 0.02f}};
    for (int i = 0; i < pairCount; ++i) {
        shPairQuery* query = &scene.queries[i];
        for (int side = 0; side < 2; ++side) {
            shCollider* collider = side == 0 ? &query->a : &query->b;
            collider->solid = scene.solids[randomBelow(&random, solidCount)];
            collider->piece = randomBelow(&random, shSolid_GetPieceCount(collider->solid));
            collider->transform.q = randomRotation(&random);
            collider->transform.p = vScale(0.07f, vFromD(randomInBall(&random)));
        }
        if (i % 3 == 0) {
            query->b.solid = NULL;
            query->shape = &scene.shapes[randomBelow(&random, 4)];
        }
        query->pair = i % 10 == 9 ? NULL : &scene.pairs[i];
    }
}

static void tearDown(void)
{
    shDestroyBatch(scene.batch);
    for (int s = 0; s < solidCount; ++s)
        shDestroySolid(scene.solids[s]);
    shDestroyAsset(scene.asset);
    assert_int_equal(shDestroyContext(scene.context), 0);
}

// All bodies move a little.
static void step(Random* random)
{
    for (int i = 0; i < pairCount; ++i) {
        Vec3* p = &scene.queries[i].a.transform.p;
        *p = vMad(*p, 0.003f, vFromD(randomInBall(random)));
    }
}

static uint64_t hashOfSteps(int workers)
{
    setUp(workers, (shAllocator){0});
    assert_int_equal(shCreateBatch(scene.context, &scene.batch, NULL), shOk);
    Random random = randomSeed(11);
    Hash hash = hashStart(0);
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.001f;
    for (int s = 0; s < 5; ++s) {
        const shContact* contacts;
        const shPairContacts* ranges;
        assert_int_equal(shCollidePairs(scene.batch, &def, scene.queries, pairCount, &contacts, &ranges, NULL), shOk);
        int total = ranges[pairCount - 1].first + ranges[pairCount - 1].count;
        assert_true(total > pairCount);
        hashBytes(&hash, ranges, sizeof(shPairContacts) * pairCount);
        hashBytes(&hash, contacts, sizeof(shContact) * (size_t)total);
        hashBytes(&hash, scene.pairs, sizeof scene.pairs);
        step(&random);
    }
    tearDown();
    return hashValue(&hash);
}

static void any_number_of_workers_gives_the_same_bits(void** unused)
{
    (void)unused;
    uint64_t one = hashOfSteps(1);
    assert_true(hashOfSteps(2) == one);
    assert_true(hashOfSteps(3) == one);
    assert_true(hashOfSteps(8) == one);
}

static void a_batch_says_what_single_queries_say(void** unused)
{
    (void)unused;
    setUp(3, (shAllocator){0});
    assert_int_equal(shCreateBatch(scene.context, &scene.batch, NULL), shOk);
    shQuery* query;
    assert_int_equal(shCreateQuery(scene.context, &query, NULL), shOk);
    shPair pairs[pairCount] = {{0}};
    Random random = randomSeed(5);
    shCollideDef def = shDefaultCollideDef();
    for (int s = 0; s < 3; ++s) {
        const shContact *all, *contacts;
        const shPairContacts* ranges;
        assert_int_equal(shCollidePairs(scene.batch, &def, scene.queries, pairCount, &all, &ranges, NULL), shOk);
        for (int i = 0, first = 0; i < pairCount; ++i) {
            const shPairQuery* q = &scene.queries[i];
            shPair* pair = q->pair != NULL ? &pairs[i] : NULL;
            int count;
            if (q->shape != NULL)
                assert_int_equal(
                    shCollideShape(query, &def, &q->a, q->shape, q->b.transform, pair, &contacts, &count, NULL), shOk);
            else
                assert_int_equal(shCollide(query, &def, &q->a, &q->b, pair, &contacts, &count, NULL), shOk);
            assert_int_equal(ranges[i].first, first);
            assert_int_equal(ranges[i].count, count);
            assert_int_equal(ranges[i].stats.visited, shQuery_GetStats(query).visited);
            if (count > 0)
                assert_memory_equal(all + first, contacts, sizeof(shContact) * (size_t)count);
            first += count;
        }
        assert_memory_equal(pairs, scene.pairs, sizeof pairs);
        step(&random);
    }
    shDestroyQuery(query);
    tearDown();
}

static void a_refused_pair_is_named_and_nothing_changes(void** unused)
{
    (void)unused;
    setUp(2, (shAllocator){0});
    assert_int_equal(shCreateBatch(scene.context, &scene.batch, NULL), shOk);
    shCollideDef def = shDefaultCollideDef();
    const shContact* contacts;
    const shPairContacts* ranges;
    shMessage message;
    scene.queries[101].a.piece = 77;
    scene.queries[42].b.transform.p.x = NAN;
    shPair before[pairCount] = {{0}};
    assert_int_equal(shCollidePairs(scene.batch, &def, scene.queries, pairCount, &contacts, &ranges, &message),
                     shInvalid);
    assert_non_null(strstr(message.text, "pair 42: "));
    assert_memory_equal(before, scene.pairs, sizeof before);
    scene.queries[42].b.transform.p.x = 0.0f;
    scene.queries[101].a.piece = 0;
    scene.queries[1].b.solid = NULL; // neither a solid nor a shape
    assert_int_equal(shCollidePairs(scene.batch, &def, scene.queries, pairCount, &contacts, &ranges, &message),
                     shInvalid);
    assert_non_null(strstr(message.text, "pair 1: "));
    assert_int_equal(shCollidePairs(scene.batch, &def, scene.queries, -1, &contacts, &ranges, &message), shInvalid);
    assert_int_equal(shCollidePairs(scene.batch, &def, NULL, 0, &contacts, &ranges, &message), shOk);
    tearDown();
}

static void a_lack_of_memory_is_reported_and_leaves_the_pairs_alone(void** unused)
{
    (void)unused;
    TestAllocator allocator = {0};
    setUp(2, testAllocatorHooks(&allocator));
    shPair before[pairCount] = {{0}};
    shCollideDef def = shDefaultCollideDef();
    int failures = 0;
    for (bool done = false; !done; ++failures) {
        const shContact* contacts;
        const shPairContacts* ranges;
        allocator.failAt = atomic_load(&allocator.calls) + failures + 1;
        shStatus status = shCreateBatch(scene.context, &scene.batch, NULL);
        if (status == shOk)
            status = shCollidePairs(scene.batch, &def, scene.queries, pairCount, &contacts, &ranges, NULL);
        done = status == shOk;
        if (!done) {
            assert_int_equal(status, shOutOfMemory);
            assert_memory_equal(before, scene.pairs, sizeof before);
        }
        shDestroyBatch(scene.batch);
        scene.batch = NULL;
    }
    assert_true(failures > 10);
    tearDown();
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
    assert_true(atomic_load(&allocator.bytes) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(a_batch_says_what_single_queries_say),
        cmocka_unit_test(a_refused_pair_is_named_and_nothing_changes),
        cmocka_unit_test(a_lack_of_memory_is_reported_and_leaves_the_pairs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The broad phase against its promise: whoever keeps the pairs it gives and drops those that no longer overlap has
// exactly the pairs that overlap; the same for any number of workers, and from stored proxies. Queries against all
// boxes one by one.
#include "core/context.h"
#include "core/hash.h"
#include "core/random.h"
#include "dynamics/broad_phase.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { most = 400 };

// What a caller keeps: its bodies' boxes, and a pair's bit for a < b.
typedef struct Twin {
    shContext* context;
    BroadPhase* broad;
    Random random;
    int count;
    float extent, size;
    float grid; // coordinates and margins are multiples of it, so that boxes touch without overlapping; 0: any
    shBox bodies[most];
    bool used[most];
    bool pairs[most][most];
} Twin;

static Twin twin; // too large for a stack

static shContext* makeContext(int workers, shAllocator allocator)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    def.allocator = allocator;
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    return context;
}

static void setUp(int workers, uint64_t seed, int count)
{
    memset(&twin, 0, sizeof twin);
    twin.context = makeContext(workers, (shAllocator){0});
    twin.random = randomSeed(seed);
    twin.count = count;
    twin.size = randomRange(&twin.random, 0.05f, 0.5f);
    twin.extent = randomRange(&twin.random, 0.5f, 4.0f);
    assert_int_equal(broadCreate(twin.context, &twin.broad), shOk);
    assert_int_equal(broadReserve(twin.broad, count), shOk);
}

static void tearDown(void)
{
    broadDestroy(twin.broad);
    assert_int_equal(shDestroyContext(twin.context), 0);
}

static float sometimes(Random* random, int oneIn, float then, float otherwise)
{
    return randomBelow(random, oneIn) == 0 ? then : otherwise;
}

static Vec3 toGrid(Vec3 p)
{
    float g = twin.grid;
    return g > 0.0f ? vec3(g * floorf(p.x / g), g * floorf(p.y / g), g * floorf(p.z / g)) : p;
}

// Mostly small; some flat, some large, some without end.
static shBox randomBox(void)
{
    Random* random = &twin.random;
    float e = twin.extent;
    Vec3 p = randomInBox(random, (shBox){{-e, -e, -e}, {e, e, e}});
    Vec3 half = randomInBox(random, (shBox){{0.0f, 0.0f, 0.0f}, {twin.size, twin.size, twin.size}});
    half = vScale(sometimes(random, 20, 8.0f, 0.5f), half);
    half.y *= sometimes(random, 8, 0.0f, 1.0f);
    shBox box = {toGrid(vSub(p, half)), toGrid(vAdd(p, half))};
    if (randomBelow(random, 60) == 0) {
        box.lower = vec3(-INFINITY, -INFINITY, -INFINITY);
        box.upper.x = box.upper.z = INFINITY;
        box.upper.y = sometimes(random, 2, box.upper.y, INFINITY);
    }
    return box;
}

static BroadFilter randomFilter(void)
{
    Random* random = &twin.random;
    BroadFilter filter = {.category = (uint64_t)1 << randomBelow(random, 4)};
    filter.mask = randomBelow(random, 2) ? ~(uint64_t)0 : randomBits(random);
    filter.passive = randomBelow(random, 4) == 0;
    return filter;
}

static void dropPairs(int i)
{
    for (int k = 0; k < most; ++k)
        twin.pairs[i][k] = twin.pairs[k][i] = false;
}

static void changeOne(int i)
{
    Random* random = &twin.random;
    if (!twin.used[i]) {
        if (randomBelow(random, 3) == 0)
            return;
        twin.bodies[i] = randomBox();
        float margin = twin.grid > 0.0f ? twin.grid : randomRange(random, 0.0f, 0.2f * twin.size);
        broadAdd(twin.broad, i, twin.bodies[i], margin, randomFilter());
        twin.used[i] = true;
        return;
    }
    int what = randomBelow(random, 40);
    if (what == 0) {
        broadRemove(twin.broad, i);
        twin.used[i] = false;
        dropPairs(i);
    } else if (what == 1) {
        broadSetFilter(twin.broad, i, randomFilter());
        dropPairs(i);
    } else {
        Vec3 shift = vScale(0.05f * twin.size, vFromD(randomInBall(random)));
        shBox* body = &twin.bodies[i];
        *body =
            what == 2 || twin.grid > 0.0f ? randomBox() : (shBox){vAdd(body->lower, shift), vAdd(body->upper, shift)};
        broadMove(twin.broad, i, *body);
    }
}

static bool shouldPair(const BroadProxy* a, const BroadProxy* b)
{
    return a->used && b->used && !(a->passive && b->passive) && (a->category & b->mask) && (b->category & a->mask) &&
           boxOverlaps(a->box, b->box);
}

static void takePairs(const BroadPair* pairs, int count)
{
    for (int i = 0; i < count; ++i) {
        BroadPair pair = pairs[i];
        assert_true(0 <= pair.a && pair.a < pair.b && pair.b < twin.count);
        if (i > 0)
            assert_true(pairs[i - 1].a < pair.a || (pairs[i - 1].a == pair.a && pairs[i - 1].b < pair.b));
        assert_false(twin.pairs[pair.a][pair.b]); // it is new
        twin.pairs[pair.a][pair.b] = true;
    }
}

static void comparePairs(void)
{
    int count;
    const BroadProxy* proxies = broadProxies(twin.broad, &count);
    for (int a = 0; a < twin.count; ++a) {
        assert_int_equal(proxies[a].used, twin.used[a]);
        if (twin.used[a]) // the body is in its fat box
            assert_true(boxDistance2(proxies[a].box, twin.bodies[a].lower) == 0.0f &&
                        boxDistance2(proxies[a].box, twin.bodies[a].upper) == 0.0f);
        for (int b = a + 1; b < twin.count; ++b) {
            if (twin.pairs[a][b] && !broadOverlap(twin.broad, a, b))
                twin.pairs[a][b] = false;
            assert_int_equal(twin.pairs[a][b], shouldPair(&proxies[a], &proxies[b]));
        }
    }
}

static void new_pairs_and_kept_ones_are_those_that_overlap(void** unused)
{
    (void)unused;
    int total = 0;
    for (int trial = 0; trial < 300; ++trial) {
        setUp(1 + trial % 3, (uint64_t)trial, trial % 30 == 0 ? most : 2 + trial % 60);
        twin.grid = trial % 4 == 0 ? 0.125f : 0.0f;
        for (int step = 0; step < 12; ++step) {
            for (int i = 0; i < twin.count; ++i) {
                if (step == 0 || step % 4 == 1 || randomBelow(&twin.random, 6) == 0)
                    changeOne(i);
            }
            const BroadPair* pairs;
            int count;
            assert_int_equal(broadUpdate(twin.broad, &pairs, &count), shOk);
            takePairs(pairs, count);
            comparePairs();
            total += count;
        }
        tearDown();
    }
    assert_true(total > 20000);
}

static void rest_costs_no_pairs_and_no_memory(void** unused)
{
    (void)unused;
    setUp(2, 5, most);
    const BroadPair* pairs;
    int count;
    for (int i = 0; i < most; ++i)
        broadAdd(twin.broad, i, randomBox(), 0.1f, (BroadFilter){1, 1, false});
    assert_int_equal(broadUpdate(twin.broad, &pairs, &count), shOk);
    assert_true(count > 100);
    int64_t calls = shContext_GetMemory(twin.context).calls;
    assert_int_equal(broadUpdate(twin.broad, &pairs, &count), shOk);
    assert_int_equal(count, 0);
    for (int step = 0; step < 10; ++step) {
        for (int i = step; i < most; i += 10) {
            shBox box = boxGrow(broadProxies(twin.broad, &count)[i].box, step % 2 ? -0.1f : 0.1f);
            if (isfinite(box.lower.x))
                assert_true(broadMove(twin.broad, i, box) == (step % 2 == 0));
        }
        assert_int_equal(broadUpdate(twin.broad, &pairs, &count), shOk);
    }
    assert_int_equal(shContext_GetMemory(twin.context).calls, calls);
    tearDown();
}

// Lines of boxes that meet their neighbours: added, grown, removed, added in other places, with much room or none left.
static void proxies_come_and_go_in_great_numbers(void** unused)
{
    (void)unused;
    shContext* context = makeContext(2, (shAllocator){0});
    BroadPhase* broad;
    const BroadPair* pairs;
    int count, made = 0;
    assert_int_equal(broadCreate(context, &broad), shOk);
    assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
    assert_int_equal(count, 0);
    assert_int_equal(broadReserve(broad, 600), shOk);
    for (int i = 0; i < 600; ++i) { // one by one
        float x = (float)i;
        broadAdd(broad, i, (shBox){{x, 0.0f, 0.0f}, {x + 0.9f, 1.0f, 1.0f}}, 0.1f, (BroadFilter){1, 1, false});
        assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
        assert_int_equal(count, i > 0);
    }
    for (int i = 0; i < 600; ++i)
        broadRemove(broad, i);
    for (int round = 1; round <= 6; ++round) {
        int next = 3 * made + 7;
        assert_int_equal(broadReserve(broad, next), shOk);
        for (; made < next; ++made) {
            float x = (float)(made * 389 % 4096); // neighbours have far indices
            broadAdd(broad, made, (shBox){{x, 0.0f, 0.0f}, {x + 0.9f, 1.0f, 1.0f}}, 0.1f, (BroadFilter){1, 1, false});
        }
        assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
    }
    for (int i = 0; i < made; ++i)
        broadRemove(broad, i);
    broadRefresh(broad);
    BroadList list = {0};
    assert_int_equal(broadFind(broad, (shBox){{-1e6f, -1.0f, -1.0f}, {1e6f, 1.0f, 1.0f}}, 1, &context->memory, &list),
                     shOk);
    assert_int_equal(list.count, 0);
    assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
    assert_int_equal(count, 0);
    for (int i = 0; i < made; ++i) {
        float y = (float)i;
        broadAdd(broad, i, (shBox){{0.0f, y, 0.0f}, {1.0f, y + 1.5f, 1.0f}}, 0.1f, (BroadFilter){1, 1, false});
    }
    assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
    assert_int_equal(count, made - 1);
    for (int i = 0; i < count; ++i)
        assert_true(pairs[i].a == i && pairs[i].b == i + 1);
    // As at breaks: many are replaced at once, again and again.
    for (int step = 0; step < 40; ++step) {
        for (int i = step; i < made; i += 8) {
            broadRemove(broad, i);
            float y = (float)i;
            broadAdd(broad, i, (shBox){{0.0f, y, 0.0f}, {1.0f, y + 1.5f, 1.0f}}, 0.1f, (BroadFilter){1, 1, false});
        }
        assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
        int expected = 0;
        for (int a = 0; a + 1 < made; ++a)
            expected += (a >= step && (a - step) % 8 == 0) || (a + 1 >= step && (a + 1 - step) % 8 == 0);
        assert_int_equal(count, expected);
    }
    arrayFree(&context->memory, &list);
    broadDestroy(broad);
    assert_int_equal(shDestroyContext(context), 0);
}

typedef struct MoveJob {
    BroadPhase* broad;
    const shBox* boxes;
} MoveJob;

static void moveBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const MoveJob* job = arg;
    for (int i = begin; i < end; ++i)
        broadMove(job->broad, i, job->boxes[i]);
}

// A falling, drifting cloud, with removals; moved by all workers.
static uint64_t hashOfCloud(int workers, bool restore)
{
    enum { bodies = 3000 };
    static shBox boxes[bodies];
    shContext* context = makeContext(workers, (shAllocator){0});
    BroadPhase* broad;
    assert_int_equal(broadCreate(context, &broad), shOk);
    assert_int_equal(broadReserve(broad, bodies), shOk);
    Random random = randomSeed(3);
    for (int i = 0; i < bodies; ++i) {
        Vec3 p = randomInBox(&random, (shBox){{0.0f, 0.0f, 0.0f}, {6.0f, 6.0f, 6.0f}});
        boxes[i] = boxGrow((shBox){p, p}, randomRange(&random, 0.05f, 0.3f));
        broadAdd(broad, i, boxes[i], 0.03f, (BroadFilter){1, 1, i % 7 == 0});
    }
    Hash hash = hashStart(0);
    for (int step = 0; step < 20; ++step) {
        const BroadPair* pairs;
        int count;
        if (restore && step % 3 == 1) {
            const BroadProxy* proxies = broadProxies(broad, &count);
            BroadPhase* again;
            assert_int_equal(broadCreate(context, &again), shOk);
            assert_int_equal(broadRestore(again, proxies, count), shOk);
            broadDestroy(broad);
            broad = again;
        }
        assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
        assert_true(count > 0);
        hashBytes(&hash, pairs, sizeof *pairs * (size_t)count);
        for (int i = 0; i < bodies; ++i) {
            Vec3 shift = vScale(i < bodies / 2 ? 0.02f : 0.2f, vFromD(randomInBall(&random)));
            boxes[i] = (shBox){vAdd(boxes[i].lower, shift), vAdd(boxes[i].upper, shift)};
            if ((i + step) % 50 == 0) {
                broadRemove(broad, i);
                broadAdd(broad, i, boxes[i], 0.05f, (BroadFilter){1, 1, false});
            }
        }
        MoveJob job = {broad, boxes};
        parallelFor(context, bodies, 64, moveBlock, &job);
    }
    broadDestroy(broad);
    assert_int_equal(shDestroyContext(context), 0);
    return hashValue(&hash);
}

static void any_number_of_workers_gives_the_same_pairs(void** unused)
{
    (void)unused;
    uint64_t one = hashOfCloud(1, false);
    assert_true(hashOfCloud(2, false) == one);
    assert_true(hashOfCloud(3, false) == one);
    assert_true(hashOfCloud(8, false) == one);
}

static void stored_proxies_go_on_as_if_nothing_had_happened(void** unused)
{
    (void)unused;
    assert_true(hashOfCloud(1, true) == hashOfCloud(1, false));
}

static void running_out_of_memory_changes_nothing(void** unused)
{
    (void)unused;
    for (int failAt = 1, failed = 1; failed; ++failAt) {
        TestAllocator allocator = {.failAt = 0};
        shContext* context = makeContext(2, testAllocatorHooks(&allocator));
        atomic_store(&allocator.calls, 0);
        allocator.failAt = failAt;
        BroadPhase* broad = NULL;
        failed = 0;
        if (broadCreate(context, &broad) != shOk) {
            failed = 1;
            assert_null(broad);
            assert_int_equal(broadCreate(context, &broad), shOk);
        }
        int expected = 0;
        for (int round = 0; round < 2; ++round) {
            int begin = 100 * round, end = begin + 100, count;
            const BroadPair* pairs;
            if (broadReserve(broad, end) != shOk) {
                failed = 1;
                assert_int_equal(broadReserve(broad, end), shOk);
            }
            for (int i = begin; i < end; ++i) // each meets the two before it
                broadAdd(broad, i, (shBox){{(float)i, 0.0f, 0.0f}, {(float)i + 2.0f, 1.0f, 1.0f}}, 0.1f,
                         (BroadFilter){1, 1, false});
            if (broadUpdate(broad, &pairs, &count) != shOk) {
                failed = 1;
                assert_int_equal(broadUpdate(broad, &pairs, &count), shOk);
            }
            expected += count;
        }
        assert_int_equal(expected, 199 + 198);
        broadDestroy(broad);
        assert_int_equal(shDestroyContext(context), 0);
        assert_int_equal(allocator.wrongSizes, 0);
        assert_int_equal(allocator.bytes, 0);
    }
}

// A hit of a ray is where it enters the box; equal ones go to the lower index.
typedef struct Hit {
    int index, visits;
    float at;
} Hit;

typedef struct Ray {
    Vec3 origin, shift;
    Hit hit;
    const BroadProxy* proxies;
} Ray;

// Where the segment enters the box; less than zero: never.
static float entry(shBox box, Vec3 origin, Vec3 shift, float limit)
{
    float enter = 0.0f, leave = limit;
    for (int axis = 0; axis < 3; ++axis) {
        float o = vGet(origin, axis), s = vGet(shift, axis), l = vGet(box.lower, axis), u = vGet(box.upper, axis);
        if (s == 0.0f && (o < l || o > u))
            return -1.0f;
        if (s == 0.0f)
            continue;
        enter = fmaxf(enter, s > 0.0f ? (l - o) / s : (u - o) / s);
        leave = fminf(leave, s > 0.0f ? (u - o) / s : (l - o) / s);
    }
    return enter <= leave ? enter : -1.0f;
}

static float hitBox(int index, float limit, void* user)
{
    Ray* ray = user;
    ++ray->hit.visits;
    float at = entry(ray->proxies[index].box, ray->origin, ray->shift, limit);
    assert_true(at >= 0.0f);
    if (at > ray->hit.at || (at == ray->hit.at && index > ray->hit.index))
        return limit;
    ray->hit.at = at;
    ray->hit.index = index;
    return at;
}

static float countAll(int index, float limit, void* user)
{
    bool* seen = user;
    assert_false(seen[index]);
    seen[index] = true;
    return limit;
}

static float endAtOnce(int index, float limit, void* user)
{
    (void)index, (void)limit;
    ++*(int*)user;
    return -1.0f;
}

static void fillQueries(int trial)
{
    setUp(1, (uint64_t)trial, trial % 4 == 0 ? most : 1 + trial);
    for (int i = 0; i < 3 * twin.count; ++i)
        changeOne(i % twin.count);
    broadRefresh(twin.broad);
}

static void rays_hit_what_all_boxes_say(void** unused)
{
    (void)unused;
    int hits = 0, visits = 0, boxes = 0;
    for (int trial = 0; trial < 60; ++trial) {
        fillQueries(trial);
        int count;
        const BroadProxy* proxies = broadProxies(twin.broad, &count);
        for (int r = 0; r < 60; ++r) {
            Ray ray = {.proxies = proxies, .hit = {-1, 0, INFINITY}};
            float e = twin.extent;
            ray.origin = randomInBox(&twin.random, (shBox){{-e, -e, -e}, {e, e, e}});
            ray.shift = vScale(e, vFromD(randomInBall(&twin.random)));
            ray.shift.x *= sometimes(&twin.random, 3, 0.0f, 1.0f);
            ray.shift.z *= sometimes(&twin.random, 3, 0.0f, 1.0f);
            float limit = sometimes(&twin.random, 2, 1.0f, randomBelow(&twin.random, 2) ? 3.0f : INFINITY);
            uint64_t mask = randomBelow(&twin.random, 2) ? ~(uint64_t)0 : 5;
            Hit best = {-1, 0, INFINITY};
            bool seen[most] = {false};
            for (int i = 0; i < twin.count; ++i) {
                if (!proxies[i].used || (proxies[i].category & mask) == 0)
                    continue;
                ++boxes;
                float at = entry(proxies[i].box, ray.origin, ray.shift, limit);
                seen[i] = at >= 0.0f;
                if (at >= 0.0f && at < best.at) // the first of equals
                    best = (Hit){i, 0, at};
            }
            broadRay(twin.broad, ray.origin, ray.shift, limit, mask, hitBox, &ray);
            assert_int_equal(ray.hit.index, best.index);
            assert_true(ray.hit.at == best.at);
            bool all[most] = {false};
            broadRay(twin.broad, ray.origin, ray.shift, limit, mask, countAll, all);
            assert_memory_equal(all, seen, sizeof all);
            int once = 0;
            broadRay(twin.broad, ray.origin, ray.shift, limit, mask, endAtOnce, &once);
            assert_int_equal(once, best.index >= 0);
            hits += best.index >= 0;
            visits += ray.hit.visits;
        }
        tearDown();
    }
    assert_true(hits > 500 && visits < boxes / 4);
}

typedef struct Nearest {
    Vec3 point;
    const BroadProxy* proxies;
    int index;
    float distance;
} Nearest;

static float nearBox(int index, float limit, void* user)
{
    Nearest* nearest = user;
    float distance = sqrtf(boxDistance2(nearest->proxies[index].box, nearest->point));
    if (distance > nearest->distance || (distance == nearest->distance && index > nearest->index))
        return limit;
    nearest->index = index;
    nearest->distance = distance;
    return minF(limit, distance);
}

static void nearest_and_overlapping_boxes_are_what_all_boxes_say(void** unused)
{
    (void)unused;
    int found = 0;
    BroadList list = {0};
    for (int trial = 0; trial < 60; ++trial) {
        fillQueries(trial);
        int count;
        const BroadProxy* proxies = broadProxies(twin.broad, &count);
        for (int q = 0; q < 60; ++q) {
            float e = 1.5f * twin.extent, limit = randomRange(&twin.random, 0.0f, e);
            Vec3 point = randomInBox(&twin.random, (shBox){{-e, -e, -e}, {e, e, e}});
            uint64_t mask = randomBelow(&twin.random, 2) ? ~(uint64_t)0 : 5;
            shBox box = randomBox();
            Nearest best = {point, proxies, -1, INFINITY}, nearest = best;
            assert_int_equal(broadFind(twin.broad, box, mask, &twin.context->memory, &list), shOk);
            int overlaps = 0;
            bool within[most] = {false}, seen[most] = {false};
            for (int i = 0; i < twin.count; ++i) {
                if (!proxies[i].used || (proxies[i].category & mask) == 0)
                    continue;
                float distance2 = boxDistance2(proxies[i].box, point);
                within[i] = distance2 <= limit * limit;
                if (within[i] && sqrtf(distance2) < best.distance) {
                    best.index = i;
                    best.distance = sqrtf(distance2);
                }
                if (!boxOverlaps(proxies[i].box, box))
                    continue;
                assert_true(overlaps < list.count && list.data[overlaps] == i);
                ++overlaps;
            }
            assert_int_equal(list.count, overlaps);
            broadNear(twin.broad, point, limit, mask, nearBox, &nearest);
            assert_int_equal(nearest.index, best.index);
            broadNear(twin.broad, point, limit, mask, countAll, seen);
            assert_memory_equal(seen, within, sizeof seen);
            found += overlaps + (best.index >= 0);
        }
        arrayFree(&twin.context->memory, &list);
        tearDown();
    }
    assert_true(found > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_pairs_and_kept_ones_are_those_that_overlap),
        cmocka_unit_test(rest_costs_no_pairs_and_no_memory),
        cmocka_unit_test(proxies_come_and_go_in_great_numbers),
        cmocka_unit_test(any_number_of_workers_gives_the_same_pairs),
        cmocka_unit_test(stored_proxies_go_on_as_if_nothing_had_happened),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(rays_hit_what_all_boxes_say),
        cmocka_unit_test(nearest_and_overlapping_boxes_are_what_all_boxes_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

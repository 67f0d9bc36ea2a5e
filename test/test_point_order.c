// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"
#include "core/trig.h"
#include "test/failing_allocator.h"
#include "tree/point_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#define MAX_SMALL 400
#define CASES_PER_KIND 60
#define LARGE 100000

// Ways to spread points; the awkward ones are full of ties and duplicates.
typedef enum Kind {
    kindVolume,
    kindSphere,        // all points almost the same distance from their opposite
    kindConstantWidth, // a Reuleaux triangle turned about its axis: the same without a centre
    kindGrid,
    kindClusters,
    kindLine,
    kindTiltedLine,
    kindFewPlaces, // many points on each of a handful of places
    kindTwoPlaces,
    kindOnePlace,
    kindFarAway, // a small thing far from the origin, a few float steps across
    kindTinyAndHuge,
    kindCount,
} Kind;

static const char* const kindNames[kindCount] = {"volume",     "sphere",    "constant width", "grid",
                                                 "clusters",   "line",      "tilted line",    "few places",
                                                 "two places", "one place", "far away",       "tiny and huge"};

static Vec3 onConstantWidth(Random* random)
{
    const double third = 2.0943951023931953;
    int arc = randomBelow(random, 3); // about corner `arc`, opposite to it
    double toSide = 1.5707963267948966 + third * arc + 3.141592653589793;
    double angle = toSide + randomRangeD(random, -0.25, 0.25) * third, around = randomRangeD(random, 0.0, 3.0 * third);
    double corner = 1.5707963267948966 + third * arc, radius = 0.5773502691896258;
    double x = radius * trigCos(corner) + trigCos(angle), y = radius * trigSin(corner) + trigSin(angle);
    return vFromD((DVec3){x * trigCos(around), y, x * trigSin(around)});
}

static void shuffle(Vec3* points, int count, Random* random)
{
    for (int i = count - 1; i > 0; --i) {
        int j = randomBelow(random, i + 1);
        Vec3 swap = points[i];
        points[i] = points[j];
        points[j] = swap;
    }
}

static void makePoints(Kind kind, Vec3* points, int count, Random* random)
{
    Vec3 places[8];
    for (int i = 0; i < 8; ++i)
        places[i] = vFromD(randomInBall(random));
    int side = 1;
    while (side * side * side < count)
        ++side;
    for (int i = 0; i < count; ++i) {
        Vec3 ball = vFromD(randomInBall(random));
        float t = randomFloat(random);
        switch (kind) {
        case kindVolume:
            points[i] = randomInBox(random, (shBox){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}});
            break;
        case kindSphere:
            points[i] = vFromD(randomDirection(random));
            break;
        case kindConstantWidth:
            points[i] = onConstantWidth(random);
            break;
        case kindGrid:
            points[i] = vec3((float)(i % side), (float)(i / side % side), (float)(i / side / side));
            break;
        case kindClusters:
            points[i] = vMad(places[randomBelow(random, 8)], 1e-4f, ball);
            break;
        case kindLine:
            points[i] = vec3(0.0f, (float)i, 0.0f);
            break;
        case kindTiltedLine:
            points[i] = vLerp(places[0], places[1], t);
            break;
        case kindFewPlaces:
            points[i] = places[randomBelow(random, 8)];
            break;
        case kindTwoPlaces:
            points[i] = places[randomBelow(random, 2)];
            break;
        case kindOnePlace:
            points[i] = places[0];
            break;
        case kindFarAway:
            points[i] = vMad(vec3(1e4f, -1e4f, 3e4f), 0.01f, ball);
            break;
        default:
            points[i] = vScale(i % 2 ? 1e-30f : 1e30f, ball);
            break;
        }
    }
    if (randomBelow(random, 2))
        shuffle(points, count, random);
}

// The definition, word for word.
static void bruteOrder(const Vec3* points, int count, int* order, double* spacing2)
{
    static double gaps[MAX_SMALL];
    double widest = -1.0;
    for (int i = 0; i < count; ++i) {
        gaps[i] = INFINITY;
        for (int j = i + 1; j < count; ++j) {
            double length2 = dLength2(dSub(dFromV(points[i]), dFromV(points[j])));
            if (length2 > widest)
                widest = length2, order[0] = i, order[1] = j;
        }
    }
    for (int k = 0; k < count; ++k) {
        if (k >= 2) {
            order[k] = 0;
            for (int i = 1; i < count; ++i)
                if (gaps[i] > gaps[order[k]])
                    order[k] = i;
        }
        spacing2[k] = k < 2 ? widest : gaps[order[k]];
        for (int i = 0; i < count; ++i)
            gaps[i] = minD(gaps[i], dLength2(dSub(dFromV(points[i]), dFromV(points[order[k]]))));
        gaps[order[k]] = -1.0;
    }
}

static void orderIsThatOfBruteForce(void** state)
{
    (void)state;
    static Vec3 points[MAX_SMALL];
    static int order[MAX_SMALL], expected[MAX_SMALL];
    static float spacing[MAX_SMALL];
    static double expected2[MAX_SMALL];
    TestAllocator allocator = {0};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    Random random = randomSeed(1);
    for (Kind kind = 0; kind < kindCount; ++kind) {
        for (int run = 0; run < CASES_PER_KIND; ++run) {
            int count = run < 40 ? 2 + run : 2 + randomBelow(&random, MAX_SMALL - 1);
            makePoints(kind, points, count, &random);
            assert_int_equal(pointOrder(points, count, &memory, order, spacing, NULL), shOk);
            bruteOrder(points, count, expected, expected2);
            for (int k = 0; k < count; ++k) {
                if (order[k] != expected[k])
                    fail_msg("%s, %d points: place %d is %d, not %d", kindNames[kind], count, k, order[k], expected[k]);
                assert_true(spacing[k] == (float)sqrt(expected2[k]));
            }
        }
    }
    assert_int_equal(atomic_load(&allocator.bytes), 0);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
}

static void noneAndOnePointAreInOrder(void** state)
{
    (void)state;
    TestAllocator allocator = {0};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    Vec3 point = {1.0f, 2.0f, 3.0f};
    int order = -1;
    float spacing = -1.0f;
    assert_int_equal(pointOrder(NULL, 0, &memory, NULL, NULL, NULL), shOk);
    assert_int_equal(pointOrder(&point, 1, &memory, &order, &spacing, NULL), shOk);
    assert_int_equal(order, 0);
    assert_true(spacing == 0.0f);
    assert_int_equal(pointOrder(&point, 1, &memory, &order, NULL, NULL), shOk);
}

static void everyFailedAllocationIsReported(void** state)
{
    (void)state;
    Vec3 points[20];
    int order[20];
    Random random = randomSeed(2);
    makePoints(kindVolume, points, 20, &random);
    for (int n = 1;; ++n) {
        TestAllocator allocator = {.failAt = n};
        Memory memory;
        memInit(&memory, testAllocatorHooks(&allocator));
        shMessage message = {""};
        shStatus status = pointOrder(points, 20, &memory, order, NULL, &message);
        assert_int_equal(atomic_load(&allocator.bytes), 0);
        if (status == shOk) {
            assert_true(n > 1);
            break;
        }
        assert_int_equal(status, shOutOfMemory);
        assert_true(message.text[0] != '\0');
    }
}

// Too many for brute force: each point comes once, spacings never grow and a sample of them is checked in full. Times
// are only printed.
static void manyPointsAreOrderedInSeconds(void** state)
{
    (void)state;
    Vec3* points = malloc(LARGE * sizeof *points);
    int* order = malloc(LARGE * sizeof *order);
    float* spacing = malloc(LARGE * sizeof *spacing);
    char* seen = malloc(LARGE);
    TestAllocator allocator = {0};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    Random random = randomSeed(3);
    const struct {
        Kind kind;
        int count;
    } runs[] = {{kindVolume, LARGE},
                {kindSphere, LARGE},
                {kindConstantWidth, LARGE / 5}, // the hardest for the first pair
                {kindGrid, LARGE},
                {kindTwoPlaces, LARGE}};
    for (size_t n = 0; n < sizeof runs / sizeof runs[0]; ++n) {
        int count = runs[n].count;
        makePoints(runs[n].kind, points, count, &random);
        clock_t start = clock();
        assert_int_equal(pointOrder(points, count, &memory, order, spacing, NULL), shOk);
        print_message("    %d points, %s: %.3f s\n", count, kindNames[runs[n].kind],
                      (double)(clock() - start) / CLOCKS_PER_SEC);
        memset(seen, 0, LARGE);
        for (int k = 0; k < count; ++k) {
            assert_in_range(order[k], 0, count - 1);
            assert_false(seen[order[k]]++);
            assert_true(k == 0 || spacing[k] <= spacing[k - 1]);
        }
        for (int k = 2; k < count; k += count / 100) {
            double gap = INFINITY;
            for (int i = 0; i < k; ++i)
                gap = minD(gap, dLength2(dSub(dFromV(points[order[i]]), dFromV(points[order[k]]))));
            assert_true(spacing[k] == (float)sqrt(gap));
        }
    }
    free(points), free(order), free(spacing), free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orderIsThatOfBruteForce),
        cmocka_unit_test(noneAndOnePointAreInOrder),
        cmocka_unit_test(everyFailedAllocationIsReported),
        cmocka_unit_test(manyPointsAreOrderedInSeconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The closest of eight triangles against one after the other.
#include "core/closest.h"
#include "core/random.h"
#include "field/triangle_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static Vec3 randomPoint(Random* random) { return vFromD(randomInBall(random)); }

// Some are slivers, lines and points, some share edges with the one before.
static void randomTriangle(Random* random, const Vec3 last[3], Vec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = randomPoint(random);
    switch (randomBelow(random, 8)) {
    case 0:
        corners[2] = vMad(corners[0], randomFloat(random), vSub(corners[1], corners[0]));
        break;
    case 1:
        corners[1] = corners[0];
        break;
    case 2:
        corners[1] = corners[2] = corners[0];
        break;
    case 3:
    case 4:
        corners[0] = last[1];
        corners[1] = last[0];
        break;
    default:
        break;
    }
}

static void eight_at_once_are_eight_one_by_one(void** unused)
{
    (void)unused;
    Random random = randomSeed(5);
    for (int round = 0; round < 40000; ++round) {
        TriangleBatch batch = {.count = 1 + randomBelow(&random, triangleBatch)};
        Vec3 corners[3] = {{0}}, p = randomPoint(&random), point = {0};
        float distance = INFINITY;
        int lane = 0;
        for (int i = 0; i < batch.count; ++i) {
            Vec3 last[3] = {corners[0], corners[1], corners[2]};
            randomTriangle(&random, last, corners);
            if (i == 0 && round % 5 == 0)
                p = corners[round % 3]; // distance zero
            batch.a[0][i] = corners[0].x, batch.a[1][i] = corners[0].y, batch.a[2][i] = corners[0].z;
            batch.b[0][i] = corners[1].x, batch.b[1][i] = corners[1].y, batch.b[2][i] = corners[1].z;
            batch.c[0][i] = corners[2].x, batch.c[1][i] = corners[2].y, batch.c[2][i] = corners[2].z;
            Vec3 q = closestOnTriangle(p, corners[0], corners[1], corners[2]);
            if (vDistance(p, q) < distance) {
                distance = vDistance(p, q);
                point = q;
                lane = i;
            }
        }
        TriangleNearest nearest[2] = {SIMD_NAME(triangleNearest)(&batch, p), SIMD_CHOOSE(triangleNearest)(&batch, p)};
        for (int k = 0; k < 2; ++k) {
            assert_true(nearest[k].distance == distance);
            if (isinf(distance))
                continue; // needles only
            assert_int_equal(nearest[k].lane, lane);
            assert_true(nearest[k].point.x == point.x && nearest[k].point.y == point.y &&
                        nearest[k].point.z == point.z);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_at_once_are_eight_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

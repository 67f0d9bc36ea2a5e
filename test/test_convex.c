// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The gap between convex hulls against all vertices: what is said along an axis no vertex may belie, and of rocks that
// are apart nearly all of the gap is found.
#include "bench/convex_rock.h"
#include "collide/convex.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { bodies = 8, cases = 4000 };

static void gaps_hold_for_every_vertex(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    shContext* context;
    static Rock rocks[bodies];
    shAsset* assets[bodies];
    shSolid* solids[bodies];
    def.workerCount = 1;
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    Random random = randomSeed(3);
    for (int i = 0; i < bodies; ++i) {
        rockMake(randomBits(&random), &rocks[i]);
        assert_int_equal(rockCook(context, &rocks[i], &assets[i], &message), shOk);
        assert_int_equal(shCreateSolid(assets[i], &solids[i], &message), shOk);
    }
    int apart = 0, tight = 0;
    for (int c = 0; c < cases; ++c) {
        int i = randomBelow(&random, bodies), k = randomBelow(&random, bodies);
        const shTransform origin = {{0, 0, 0}, {{0, 0, 0}, 1}};
        float far = randomRange(&random, 0.2f, 1.8f);
        Vec3 way = vFromD(randomDirection(&random));
        shTransform at = {vScale(far, way), randomRotation(&random)};
        Convex a = convexPiece(solids[i], 0), b = convexPiece(solids[k], 0);
        Vec3 axis = {0.0f, 0.0f, 0.0f};
        float gap = convexGap(&a, &b, at, INFINITY, &axis); // A at `at`, seen from B
        PlacedRock placedA, placedB;
        rockPlace(&rocks[i], at, &placedA);
        rockPlace(&rocks[k], origin, &placedB);
        double least = INFINITY, most = -INFINITY;
        for (int v = 0; v < rocks[i].vertexCount; ++v)
            least = minD(least, dDot(placedA.vertices[v], dFromV(axis)));
        for (int v = 0; v < rocks[k].vertexCount; ++v)
            most = maxD(most, dDot(placedB.vertices[v], dFromV(axis)));
        if (gap > 0.0f) {
            assert_true(fabs((double)vLength(axis) - 1.0) < 1e-5);
            assert_true(least - most >= (double)gap);
            assert_true(rockDepth(&placedA, &placedB) < 0.0);
        }
        double open = -rockDepth(&placedA, &placedB); // no more than the distance
        if (open > 0.01) {
            ++apart;
            tight += (double)gap >= 0.9 * open;
        }
        // Along any axis what is said is no more than what the vertices say.
        Vec3 any = vFromD(randomDirection(&random));
        least = INFINITY, most = -INFINITY;
        for (int v = 0; v < rocks[i].vertexCount; ++v)
            least = minD(least, dDot(placedA.vertices[v], dFromV(any)));
        for (int v = 0; v < rocks[k].vertexCount; ++v)
            most = maxD(most, dDot(placedB.vertices[v], dFromV(any)));
        double along = (double)convexGapAlong(&a, &b, at, any);
        assert_true(along <= least - most && along > least - most - 1e-4);
    }
    printf("  %d of %d pairs apart, of %d nearly all of the gap is found\n", apart, (int)cases, tight);
    assert_true(apart > cases / 4 && tight > apart - apart / 50);
    for (int i = 0; i < bodies; ++i) {
        shDestroySolid(solids[i]);
        shDestroyAsset(assets[i]);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_hold_for_every_vertex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

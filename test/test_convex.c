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

// ---- pieces of many corners: heights along a lattice of directions
// ------------------------------------------------------

typedef struct Cloud {
    Vec3* points;
    int count, room;
} Cloud;

static void addCorners(const Vec3 p[3], int source, void* user)
{
    (void)source;
    Cloud* cloud = user;
    for (int k = 0; k < 3 && cloud->count < cloud->room; ++k)
        cloud->points[cloud->count++] = p[k];
}

static double reachOf(const Cloud* cloud, Vec3 direction)
{
    double most = -INFINITY;
    for (int i = 0; i < cloud->count; ++i)
        most = maxD(most, dDot(dFromV(cloud->points[i]), dFromV(direction)));
    return most;
}

static void heights_bound_fragments_in_every_direction(void** state)
{
    (void)state;
    static const char* const models[] = {"sphere", "plate", "piggy-bank", "brick"};
    static Vec3 room[100000];
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    shContext* context;
    def.workerCount = 1;
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    Random random = randomSeed(8);
    int exact = 0, bounded = 0;
    double worst = 0.0, sum = 0.0;
    for (int m = 0; m < 4; ++m) {
        shCookDef cook = shDefaultCookDef();
        shAsset* asset;
        shSolid* solid;
        assert_int_equal(shCookModel(context, models[m], 0.6f, &cook, &asset, &message), shOk);
        assert_int_equal(shCreateSolid(asset, &solid, &message), shOk);
        for (int round = 0; round < 3; ++round) { // whole, broken, and broken again
            if (round > 0) {
                Vec3 sites[9];
                shBox box = fieldBox(&solid->field, 0);
                for (int i = 0; i < 9; ++i)
                    sites[i] = randomInBox(&random, box);
                assert_int_equal(shSolid_BreakVoronoi(solid, 0, sites, 9, NULL, &message), shOk);
            }
            for (int piece = 0; piece < shSolid_GetPieceCount(solid); ++piece) {
                Cloud cloud = {room, 0, 100000};
                fieldSurface(&solid->field, piece, addCorners, &cloud);
                Convex convex = convexPiece(solid, piece);
                SupportMap map = fieldSupport(&solid->field, piece);
                exact += map.heights == NULL;
                bounded += map.heights != NULL;
                for (int k = 0; k < 200; ++k) {
                    Vec3 direction =
                        k < 6 ? vScale(k & 1 ? -1.0f : 1.0f, vFromD(dAxis(k / 2))) : vFromD(randomDirection(&random));
                    double far = reachOf(&cloud, direction), height = (double)convexReach(&convex, direction);
                    double size = (double)vLength(boxSize(fieldBox(&solid->field, piece)));
                    assert_true(height > far - 1e-6 * size);
                    assert_true(height < far + (map.heights != NULL ? 0.1 : 1e-6) * size);
                    sum += map.heights != NULL ? (height - far) / size : 0.0;
                    worst = maxD(worst, (height - far) / size);
                    // A corner that searches know is one of its own.
                    Vec3 corner = SIMD_CHOOSE(supportVertex)(&map, direction);
                    assert_true(dDot(dFromV(corner), dFromV(direction)) <= far + 1e-6 * size);
                }
            }
        }
        shDestroySolid(solid);
        shDestroyAsset(asset);
    }
    double mean = sum / (200.0 * (double)bounded);
    printf("  %d pieces keep all corners, %d heights, which are %.2f %% of the size too high, at most %.2f\n", exact,
           bounded, 100.0 * mean, 100.0 * worst);
    assert_true(bounded > 20 && mean < 0.01);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_hold_for_every_vertex),
                                       cmocka_unit_test(heights_bound_fragments_in_every_direction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

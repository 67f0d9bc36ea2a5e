// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Assets of few triangles: they take memory in proportion, their coarse distance grids are true bounds, and what a grid
// is too coarse to say the exact surface does.
#include "bench/convex_rock.h"
#include "collide/target.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/random.h"
#include "mesh/tri_query.h"
#include "sherd/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 12, POINTS = 2000 };
static const double FLAT = 1.0 / 40.0; // of a rock's height: a sliver

static shContext* context;

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    def.workerCount = 1;
    return shCreateContext(&def, &context, NULL) == shOk ? 0 : 1;
}

static int tearDown(void** state)
{
    (void)state;
    return shDestroyContext(context) == 0 ? 0 : 1;
}

// A rock of 32 vertices, or the same pressed flat.
static shAsset* cookRock(uint64_t seed, double height)
{
    Rock rock;
    shAsset* asset = NULL;
    shMessage message = {""};
    rockMake(seed, &rock);
    for (int i = 0; i < rock.vertexCount; ++i)
        rock.vertices[i].z = (double)(float)(height * rock.vertices[i].z);
    if (rockCook(context, &rock, &asset, &message) != shOk)
        fail_msg("%s", message.text);
    return asset;
}

// A box of 12 triangles around the origin.
static shAsset* cookBox(Vec3 half)
{
    static const int tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    shVec3 vertices[8];
    for (int i = 0; i < 8; ++i)
        vertices[i] = vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    shMeshDef mesh = {.vertexCount = 8, .vertices = vertices, .tetCount = 5, .tets = tets};
    shCookDef def = shDefaultCookDef();
    shAsset* asset = NULL;
    shMessage message = {""};
    if (shCookAsset(context, &mesh, &def, &asset, &message) != shOk)
        fail_msg("%s", message.text);
    assert_int_equal(asset->mesh.triangleCount, 12);
    return asset;
}

static void rocks_of_33_nodes_take_less_than_32_kB(void** state)
{
    (void)state;
    for (int i = 0; i < 2 * SEEDS; ++i) {
        const int64_t before = shContext_GetMemory(context).bytes;
        shAsset* asset = cookRock((uint64_t)i, i % 2 == 0 ? 1.0 : FLAT);
        shAssetInfo info = shAsset_GetInfo(asset);
        assert_true(info.imageBytes <= 32768);
        assert_true(shContext_GetMemory(context).bytes - before <= 2 * 32768);
        assert_true(asset->record->thickness > 0.0f);
        assert_false(asset->gridIsFine);
        shDestroyAsset(asset);
    }
}

// About 200 cells to a triangle at most, in bricks that hold some samples twice.
static void grids_are_in_proportion_to_triangles(void** state)
{
    (void)state;
    static const float details[] = {0.25f, 0.5f, 1.0f, 2.0f};
    static const char* const models[] = {"box", "brick", "plate", "shelf", "sphere", "table"};
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        for (int k = 0; k < 4; ++k) {
            shCookDef def = shDefaultCookDef();
            shAsset* asset = NULL;
            assert_int_equal(shCookModel(context, models[i], details[k], &def, &asset, NULL), shOk);
            shAssetInfo info = shAsset_GetInfo(asset);
            double each = (double)info.gridBytes / info.triangleCount;
            assert_true(each <= 2400.0);
            // On show, all of them are as fine as their thickness asks for.
            if (details[k] >= 1.0f)
                assert_true(asset->gridIsFine);
            Vec3 size = boxSize(info.box);
            float longest = maxF(size.x, maxF(size.y, size.z));
            assert_true(info.gridCell <= longest / 6.0f * 1.001f || info.gridCell <= 0.25f * asset->record->thickness);
            shDestroyAsset(asset);
        }
    }
}

typedef struct Exact {
    DVec3* vertices;
    TriQuery query;
} Exact;

static Exact exactOf(const shAsset* asset)
{
    const TetMesh* mesh = &asset->mesh;
    Exact exact = {.vertices = malloc(sizeof(DVec3) * (size_t)mesh->nodeCount)};
    for (int i = 0; i < mesh->nodeCount; ++i)
        exact.vertices[i] = dFromV(mesh->nodes[i]);
    assert_true(triQueryBuild(&exact.query, &context->memory, exact.vertices, (const int(*)[3])mesh->triangles,
                              mesh->triangleCount));
    assert_int_equal(triQueryAddNormals(&exact.query, &context->memory, NULL), shOk);
    return exact;
}

static void exactFree(Exact* exact)
{
    triQueryFree(&exact->query, &context->memory);
    free(exact->vertices);
}

// Signed distance; the closest point of the surface.
static double exactAt(const Exact* exact, Vec3 p, DVec3* closest)
{
    TriHit hit = triQueryClosest(&exact->query, dFromV(p), (double)INFINITY);
    *closest = hit.point;
    return triQueryBehind(&exact->query, dFromV(p), &hit) ? -hit.distance : hit.distance;
}

static void checkTarget(const shAsset* asset, Random* random)
{
    shSolid* solid = NULL;
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    assert_false(asset->gridIsFine);
    Exact exact = exactOf(asset);
    Target target = targetPiece(solid, 0);
    Vec3 middle = boxCenter(asset->box), half = vScale(0.5f, boxSize(asset->box));
    double slack = 4.0 * (double)ROUNDING * (double)vLength(half);
    int deep = 0;
    for (int i = 0; i < POINTS; ++i) {
        float reach = i % 2 == 0 ? 1.0f : 2.0f; // in the box, or anywhere around
        Vec3 p = vAdd(middle, vec3(reach * half.x * randomRange(random, -1.0f, 1.0f),
                                   reach * half.y * randomRange(random, -1.0f, 1.0f),
                                   reach * half.z * randomRange(random, -1.0f, 1.0f)));
        DVec3 closest;
        double distance = exactAt(&exact, p, &closest);
        TargetSample sample = targetSample(&target, p);
        assert_true((double)sample.distance <= distance + slack);
        assert_true(-distance <= (double)sample.depth + slack);
        assert_true((double)distanceGridLower(&asset->grid, p) <= fabs(distance) + slack);
        bool found;
        FieldHit hit;
        float bound = targetProbe(&target, p, &sample, INFINITY, INFINITY, NULL, &found, &hit);
        if (distance > 0.0) {
            assert_true((double)bound <= distance + slack);
            continue;
        }
        // However deep, the answer is the surface's own.
        assert_true(found && fabs((double)hit.distance - distance) <= slack);
        assert_true(dDistance(dFromV(hit.point), dFromV(vMad(p, -hit.distance, hit.normal))) <= 16.0 * slack);
        double twin = dDistance(dFromV(p), dFromV(hit.point));
        assert_true(fabs(twin + distance) <= slack);
        ++deep;
    }
    assert_true(deep > POINTS / 8);
    exactFree(&exact);
    shDestroySolid(solid);
}

static void coarse_grids_bound_and_deep_hits_are_exact(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    for (int i = 0; i < SEEDS; ++i) {
        shAsset* asset = cookRock((uint64_t)i, i % 3 == 2 ? FLAT : 1.0);
        checkTarget(asset, &random);
        shDestroyAsset(asset);
    }
    static const Vec3 halves[] = {{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.01f}, {2.0f, 0.05f, 0.05f}};
    for (int i = 0; i < 3; ++i) {
        shAsset* asset = cookBox(halves[i]);
        checkTarget(asset, &random);
        shDestroyAsset(asset);
    }
}

// A slab of 2 cm, whose grid has cells many times as thick, in the way of a rock that moves metres in one sweep.
static void coarse_grids_let_nothing_through(void** state)
{
    (void)state;
    Random random = randomSeed(7);
    shAsset *slabAsset = cookBox(vec3(1.0f, 0.01f, 1.0f)), *rockAsset = cookRock(3, 1.0);
    shSolid *slab = NULL, *rock = NULL;
    shQuery* query = NULL;
    assert_true(slabAsset->grid.shape.cellSize > 0.1f);
    assert_int_equal(shCreateSolid(slabAsset, &slab, NULL), shOk);
    assert_int_equal(shCreateSolid(rockAsset, &rock, NULL), shOk);
    assert_int_equal(shCreateQuery(context, &query, NULL), shOk);
    for (int i = 0; i < 200; ++i) {
        shTransform start = {vec3(0.0f, 2.0f, 0.0f), randomRotation(&random)};
        shSweepDef def = shDefaultSweepDef();
        def.tolerance = 1e-4f;
        // Its lowest vertex comes first.
        float lowest = INFINITY;
        for (int n = 0; n < rockAsset->mesh.nodeCount; ++n)
            lowest = minF(lowest, xformPoint(start, rockAsset->mesh.nodes[n]).y);
        shCollider a = {rock, 0, start}, b = {slab, 0, {.q = qIdentity()}};
        shMotion down = {.shift = vec3(0.0f, -5.0f, 0.0f)}, none = {.shift = vec3(0.0f, 0.0f, 0.0f)};
        shSweepHit hit;
        shMessage message = {""};
        if (shSweep(query, &def, &a, &down, &b, &none, &hit, &message) != shOk)
            fail_msg("%s", message.text);
        assert_true(hit.touches && !hit.cut);
        assert_true(fabsf(hit.fraction * 5.0f - (lowest - 0.01f)) <= 2.0f * def.tolerance);
        assert_true(hit.normal.y > 0.99f);
    }
    shDestroyQuery(query);
    shDestroySolid(rock);
    shDestroySolid(slab);
    shDestroyAsset(rockAsset);
    shDestroyAsset(slabAsset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rocks_of_33_nodes_take_less_than_32_kB, setUp, tearDown),
        cmocka_unit_test_setup_teardown(grids_are_in_proportion_to_triangles, setUp, tearDown),
        cmocka_unit_test_setup_teardown(coarse_grids_bound_and_deep_hits_are_exact, setUp, tearDown),
        cmocka_unit_test_setup_teardown(coarse_grids_let_nothing_through, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

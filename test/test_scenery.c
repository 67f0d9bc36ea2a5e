// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Scenery: distances and sides against brute force, flat ground as flat as a plane, ridges that poke, sweeps that stop,
// batches, and meshes of all kinds at the door.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "test/failing_allocator.h"
#include "test/terrain.h"

static const shTransform origin = {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};

typedef struct Scene {
    shContext* context;
    shAsset* assets[2];
    shSolid *brick, *torus, *shards; // a broken torus
    shQuery* query;
} Scene;
static Scene scene; // of all tests

static int setUp(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene.context, NULL), shOk);
    assert_int_equal(shCookModel(scene.context, "brick", 1.0f, &cook, &scene.assets[0], NULL), shOk);
    assert_int_equal(shCookModel(scene.context, "torus", 0.5f, &cook, &scene.assets[1], NULL), shOk);
    assert_int_equal(shCreateSolid(scene.assets[0], &scene.brick, NULL), shOk);
    assert_int_equal(shCreateSolid(scene.assets[1], &scene.torus, NULL), shOk);
    assert_int_equal(shCreateSolid(scene.assets[1], &scene.shards, NULL), shOk);
    assert_int_equal(shCreateQuery(scene.context, &scene.query, NULL), shOk);
    Random random = randomSeed(1);
    for (int generation = 0; generation < 3; ++generation) {
        Vec3 sites[4];
        for (int i = 0; i < 4; ++i)
            sites[i] = randomInBox(&random, shSolid_GetPiece(scene.shards, generation).box);
        assert_int_equal(shSolid_BreakVoronoi(scene.shards, generation, sites, 4, NULL, NULL), shOk);
    }
    return 0;
}

static int tearDown(void** unused)
{
    (void)unused;
    shDestroyQuery(scene.query);
    shDestroySolid(scene.brick);
    shDestroySolid(scene.torus);
    shDestroySolid(scene.shards);
    shDestroyAsset(scene.assets[0]);
    shDestroyAsset(scene.assets[1]);
    assert_int_equal(shDestroyContext(scene.context), 0);
    return 0;
}

// ---- at the door ----------------------------------------------------------------------------------------------------

static shStatus tryMesh(const Vec3* points, int pointCount, const int (*triangles)[3], int triangleCount, char* text)
{
    shSceneryDef def = shDefaultSceneryDef();
    def.points = points, def.pointCount = pointCount;
    def.triangles = triangles, def.triangleCount = triangleCount;
    shMessage message = {""};
    shScenery* scenery = (shScenery*)&def;
    shStatus status = shCreateScenery(scene.context, &def, &scenery, &message);
    strcpy(text, message.text);
    assert_true(status == shOk || scenery == NULL);
    if (status == shOk)
        shDestroyScenery(scenery);
    return status;
}

static void meshes_that_make_no_sense_are_refused_with_their_place(void** unused)
{
    (void)unused;
    char text[512];
    Vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    int triangles[2][3] = {{0, 2, 1}, {1, 2, 3}};
    const int(*t)[3] = (const int(*)[3])triangles;
    assert_int_equal(tryMesh(points, 4, t, 2, text), shOk);
    assert_int_equal(tryMesh(points, 4, t, 0, text), shBadMesh);
    assert_int_equal(tryMesh(points, 0, t, 2, text), shBadMesh);
    assert_int_equal(tryMesh(NULL, 4, t, 2, text), shBadMesh);
    assert_int_equal(tryMesh(points, 4, NULL, 2, text), shBadMesh);
    assert_int_equal(tryMesh(points, 4, t, -5, text), shBadMesh);
    triangles[1][2] = 4;
    assert_int_equal(tryMesh(points, 4, t, 2, text), shBadMesh);
    assert_non_null(strstr(text, "triangle 1: point 4"));
    triangles[1][2] = -1;
    assert_int_equal(tryMesh(points, 4, t, 2, text), shBadMesh);
    triangles[1][2] = 3;
    points[2].y = NAN;
    assert_int_equal(tryMesh(points, 4, t, 2, text), shBadMesh);
    assert_non_null(strstr(text, "point 2"));
    points[2].y = INFINITY;
    assert_int_equal(tryMesh(points, 4, t, 2, text), shBadMesh);
    points[2] = points[1];
    assert_int_equal(tryMesh(points, 4, t, 2, text), shBadMesh);
    assert_non_null(strstr(text, "none of the 2"));
    shScenery* scenery;
    shSceneryDef blank = {.points = points, .pointCount = 4, .triangles = t, .triangleCount = 2};
    assert_int_equal(shCreateScenery(scene.context, &blank, &scenery, NULL), shInvalid);
    blank.cookie = shDefaultSceneryDef().cookie;
    blank.thickness = NAN;
    assert_int_equal(shCreateScenery(scene.context, &blank, &scenery, NULL), shInvalid);
    assert_int_equal(shCreateScenery(NULL, &blank, &scenery, NULL), shInvalid);
    shDestroyScenery(NULL);
}

static void duplicates_and_slivers_are_counted_and_left_out(void** unused)
{
    (void)unused;
    // A tetrahedron with each corner given several times, then some of its triangles again, a needle and a point.
    Vec3 points[16];
    for (int i = 0; i < 16; ++i)
        points[i] = vec3(i % 4 == 1 ? 1.0f : 0.0f, i % 4 == 2 ? 1.0f : -0.0f, i % 4 == 3 ? 1.0f : 0.0f);
    int triangles[9][3] = {{0, 2, 1}, {4, 5, 3},  {8, 7, 6}, {1, 10, 11}, {2, 1, 4},
                           {1, 0, 2}, {9, 10, 3}, {5, 5, 6}, {3, 7, 1}};
    Mesh mesh = {16, 9, points, triangles};
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
    shSceneryInfo info = shScenery_GetInfo(scenery);
    assert_int_equal(info.triangleCount, 4);
    assert_int_equal(info.duplicateCount, 3);
    assert_int_equal(info.degenerateCount, 2);
    assert_int_equal(info.openEdgeCount, 0);
    assert_int_equal(info.crowdedEdgeCount, 0);
    assert_int_equal(info.ridgeCount, 6 + 4);
    assert_true(info.closed);
    assert_true(info.bytes > 1000);
    shDestroyScenery(scenery);
    mesh.triangleCount = 3;
    scenery = sceneryOf(scene.context, &mesh, 0.0f);
    info = shScenery_GetInfo(scenery);
    assert_int_equal(info.openEdgeCount, 3);
    assert_false(info.closed);
    shDestroyScenery(scenery);
}

static void a_lack_of_memory_leaves_nothing(void** unused)
{
    (void)unused;
    Random random = randomSeed(5);
    Mesh mesh = terrainOf(&random, 6, 1.0f, 0.2f, 0.1f);
    for (int failAt = 1;; ++failAt) {
        TestAllocator allocator = {.failAt = failAt};
        shContextDef def = shDefaultContextDef();
        def.allocator = testAllocatorHooks(&allocator);
        shContext* context;
        if (shCreateContext(&def, &context, NULL) != shOk)
            continue;
        shSceneryDef scenery = shDefaultSceneryDef();
        scenery.points = mesh.points, scenery.pointCount = mesh.pointCount;
        scenery.triangles = (const int(*)[3])mesh.triangles, scenery.triangleCount = mesh.triangleCount;
        shScenery* made;
        shStatus status = shCreateScenery(context, &scenery, &made, NULL);
        shDestroyScenery(made);
        assert_int_equal(shDestroyContext(context), 0);
        assert_int_equal(allocator.wrongSizes, 0);
        if (status == shOk)
            break;
        assert_int_equal(status, shOutOfMemory);
        assert_true(failAt < 1000);
    }
    meshFree(&mesh);
}

// ---- distances and sides --------------------------------------------------------------------------------------------

static void the_closest_triangle_of_a_soup_is_the_closest_of_all(void** unused)
{
    (void)unused;
    Random random = randomSeed(2);
    for (int trial = 0; trial < 40; ++trial) {
        // Large and small, needles among them, some far from the origin.
        int count = 1 + randomBelow(&random, trial < 30 ? 60 : 600);
        float offset = trial % 4 == 3 ? 50.0f : 0.0f;
        Mesh mesh = meshAlloc(3 * count, count);
        for (int t = 0; t < count; ++t) {
            Vec3 at = vFromD(randomInBall(&random));
            float size = powf(10.0f, randomRange(&random, -3.0f, 0.5f));
            for (int k = 0; k < 3; ++k) {
                mesh.points[3 * t + k] = vAdd(vec3(offset, 0.0f, 0.0f), vMad(at, size, vFromD(randomInBall(&random))));
                mesh.triangles[t][k] = 3 * t + k;
            }
        }
        shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
        assert_int_equal(shScenery_GetInfo(scenery).triangleCount + shScenery_GetInfo(scenery).degenerateCount, count);
        for (int i = 0; i < 100; ++i) {
            Vec3 p = vAdd(vec3(offset, 0.0f, 0.0f), vScale(1.5f, vFromD(randomInBall(&random))));
            double exact = meshDistance(&mesh, p);
            FieldHit hit;
            float reach = i % 2 ? INFINITY : randomRange(&random, 0.0f, 0.5f);
            bool found = sceneryClosest(scenery, p, reach, &hit);
            double rounding = 2e-6 * (1.0 + (double)offset);
            if (fabs(exact - (double)reach) > rounding)
                assert_int_equal(found, exact < (double)reach);
            if (!found)
                continue;
            assert_true(fabs(fabs((double)hit.distance) - exact) < rounding);
            assert_true(fabs((double)vDistance(p, hit.point) - exact) < 4.0 * rounding);
            assert_true(fabsf(vLength(hit.normal) - 1.0f) < 1e-4f);
        }
        shDestroyScenery(scenery);
        meshFree(&mesh);
    }
}

static void every_kernel_gives_the_same_bits(void** unused)
{
    (void)unused;
#ifdef SIMD_HAS_AVX2_KERNELS
    if (!cpuHasAvx2())
        return;
    Random random = randomSeed(12);
    Mesh mesh = terrainOf(&random, 30, 3.0f, 0.3f, 0.2f);
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
    for (int i = 0; i < 2000; ++i) {
        Vec3 p = vMad(vec3(0.0f, 0.0f, 0.0f), 1.7f, vFromD(randomInBall(&random)));
        float half = randomRange(&random, 0.0f, 0.4f), a2 = half * half, b2 = a2;
        SceneryPatch patch;
        sceneryPatch(scenery, boxGrow((shBox){p, p}, half), half, 0.0f, &patch);
        NormalCone cone = {.count = 1 + i % coneNormals};
        for (int k = 0; k < cone.count; ++k)
            cone.normals[k] = vFromD(randomDirection(&random));
        const NormalCone* asked = i % 2 ? &cone : NULL;
        assert_int_equal(SIMD_NAME(sceneryNearest)(&patch, p, asked, &a2), sceneryNearest_avx2(&patch, p, asked, &b2));
        assert_memory_equal(&a2, &b2, sizeof a2);
    }
    shDestroyScenery(scenery);
    meshFree(&mesh);
#endif
}

static void behind_a_closed_mesh_all_is_solid(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    int inside = 0;
    for (int trial = 0; trial < 6; ++trial) {
        const shSolid* solid = trial == 0 ? scene.brick : trial == 1 ? scene.torus : scene.shards;
        Mesh mesh = meshOfPiece(solid, trial < 2 ? 0 : trial);
        bool room = trial % 2 == 1; // turned inside out: the world around is solid
        for (int t = 0; room && t < mesh.triangleCount; ++t)
            mesh.triangles[t][1] = 3 * t + 2, mesh.triangles[t][2] = 3 * t + 1;
        shScenery* scenery = sceneryOf(scene.context, &mesh, 1e-4f);
        shSceneryInfo info = shScenery_GetInfo(scenery);
        assert_true(info.closed);
        shBox box = boxGrow(info.box, 0.1f * vLength(boxSize(info.box)));
        for (int i = 0; i < 300; ++i) {
            Vec3 p = randomInBox(&random, box);
            bool isIn = meshWinding(&mesh, p) > (room ? -0.5 : 0.5);
            FieldHit hit;
            assert_true(sceneryClosest(scenery, p, INFINITY, &hit));
            if (fabsf(hit.distance) < 1e-6f)
                continue;
            assert_int_equal(hit.distance < 0.0f, isIn);
            // The same through a small patch, which may hold nothing of it.
            SceneryPatch patch;
            bool found;
            float half = randomRange(&random, 0.0f, 0.05f);
            sceneryPatch(scenery, boxGrow((shBox){p, p}, half), half, 0.0f, &patch);
            FieldHit seen;
            float distance = sceneryProbe(&patch, p, sceneryBound(&patch, p), 0.01f, 0.01f, NULL, &found, &seen);
            assert_int_equal(found, hit.distance < 0.01f);
            if (found)
                assert_true(seen.distance == hit.distance);
            else
                assert_true(distance >= 0.01f);
            inside += isIn;
        }
        shDestroyScenery(scenery);
        meshFree(&mesh);
    }
    assert_true(inside > 600 && inside < 1200);
}

static void behind_an_open_mesh_a_layer_is_solid(void** unused)
{
    (void)unused;
    Random random = randomSeed(4);
    float layer = 0.05f;
    int beyond = 0;
    for (int trial = 0; trial < 4; ++trial) {
        Mesh mesh = terrainOf(&random, 12, 1.0f, trial % 2 ? 0.3f : 0.0f, trial < 2 ? 0.03f : 0.0f);
        shScenery* scenery = sceneryOf(scene.context, &mesh, layer);
        assert_int_equal(shScenery_GetInfo(scenery).openEdgeCount, 4 * 12);
        for (int i = 0; i < 500; ++i) {
            Vec3 p = vec3(randomRange(&random, -0.6f, 0.6f), 0.0f, randomRange(&random, -0.6f, 0.6f));
            p.y = randomRange(&random, -0.2f, 0.1f);
            double height = terrainHeight(&mesh, p), exact = meshDistance(&mesh, p);
            FieldHit hit;
            SceneryPatch patch;
            bool found;
            sceneryPatch(scenery, (shBox){p, p}, 1.0f, 0.02f, &patch);
            float distance = sceneryProbe(&patch, p, sceneryBound(&patch, p), 0.02f, 0.02f, NULL, &found, &hit);
            if (fabs(exact) < 1e-6)
                continue;
            if (isnan(height)) { // beyond the rim: outside, or almost straight below it
                double below = exact > (double)layer ? exact - (double)layer : -exact;
                bool straight = found && fabs((double)hit.distance - below) < 1e-6;
                if (straight)
                    assert_true(p.y < 0.03f && fabsf(hit.normal.y) > 0.6f);
                else
                    assert_int_equal(found, exact < 0.02);
                if (found && !straight)
                    assert_true(fabs((double)hit.distance - exact) < 1e-6);
                beyond += !straight;
                continue;
            }
            bool behind = (double)p.y < height;
            // Below the layer there may be a piece's own rim again: what is asked is the closest triangle.
            double expected = !behind ? exact : exact <= (double)layer ? -exact : exact - (double)layer;
            if (fabs(expected - 0.02) < 1e-6 || fabs(exact - (double)layer) < 1e-6)
                continue;
            Vec3 rim = vec3(0.5f - fabsf(p.x), 0.0f, 0.5f - fabsf(p.z));
            if (behind && (double)minF(rim.x, rim.z) < exact)
                continue; // the rim may be as close
            assert_int_equal(found, expected < 0.02);
            if (found)
                assert_true(fabs((double)hit.distance - expected) < 1e-6);
            else
                assert_true(distance >= 0.02f);
            // A patch knows only what is within reach.
            float bound = sceneryBound(&patch, p);
            assert_true((double)bound <= expected + 1e-6 || (expected > 0.02 && bound > 0.02f));
        }
        shDestroyScenery(scenery);
        meshFree(&mesh);
    }
    assert_true(beyond > 400);
}

static void a_sheet_pushes_to_the_side_one_is_on(void** unused)
{
    (void)unused;
    Vec3 points[3] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 2}};
    int triangles[2][3] = {{0, 2, 1}, {0, 1, 2}};
    Mesh mesh = {3, 2, points, triangles};
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.1f);
    assert_int_equal(shScenery_GetInfo(scenery).triangleCount, 2);
    assert_false(shScenery_GetInfo(scenery).closed);
    for (int side = -1; side <= 1; side += 2) {
        FieldHit hit;
        assert_true(sceneryClosest(scenery, vec3(0.1f, 0.01f * (float)side, 0.2f), 1.0f, &hit));
        assert_true(fabsf(hit.distance - 0.01f) < 1e-7f);
        assert_true(hit.normal.y == (float)side);
    }
    shDestroyScenery(scenery);
}

// ---- contacts -------------------------------------------------------------------------------------------------------

static shCollider restingAt(const shSolid* solid, int piece, Random* random, float lowest)
{
    shCollider a = {solid, piece, {.q = randomRotation(random)}};
    const TreePoint* points = treesPoints(&solid->trees);
    float bottom = INFINITY;
    for (int p = 0; p < solid->asset->mesh.nodeCount + 2 * solid->field.cuts.count; ++p)
        if (treePointLabel(&solid->field, p) == piece)
            bottom = minF(bottom, qRotate(a.transform.q, points[p].p).y);
    a.transform.p.x = randomRange(random, -0.5f, 0.5f);
    a.transform.p.y = lowest - bottom;
    a.transform.p.z = randomRange(random, -0.5f, 0.5f);
    return a;
}

static int byId(const void* a, const void* b)
{
    uint32_t x = ((const shContact*)a)->id, y = ((const shContact*)b)->id;
    return x < y ? -1 : x > y;
}

// A flat ground of any tessellation and a plane are the same.
static void flat_ground_is_a_plane(void** unused)
{
    (void)unused;
    Random random = randomSeed(6);
    Mesh mesh = terrainOf(&random, 60, 4.0f, 0.4f, 0.0f);
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
    assert_int_equal(shScenery_GetInfo(scenery).ridgeCount, 2 * 4 * 60);
    shShape plane = {.type = shPlaneShape};
    int total = 0;
    for (int i = 0; i < 60; ++i) {
        const shSolid* solid = i % 3 == 0 ? scene.brick : i % 3 == 1 ? scene.torus : scene.shards;
        int piece = randomBelow(&random, shSolid_GetPieceCount(solid));
        shCollider a = restingAt(solid, piece, &random, randomRange(&random, -0.02f, 0.005f));
        shCollideDef def = shDefaultCollideDef();
        def.all = true;
        def.margin = 0.004f;
        const shContact* contacts;
        int count, expectedCount;
        assert_int_equal(shCollideShape(scene.query, &def, &a, &plane, origin, NULL, &contacts, &expectedCount, NULL),
                         shOk);
        shContact* expected = malloc(sizeof(shContact) * (size_t)(expectedCount + 1));
        memcpy(expected, contacts, sizeof(shContact) * (size_t)expectedCount);
        assert_int_equal(shCollideScenery(scene.query, &def, &a, scenery, origin, NULL, &contacts, &count, NULL), shOk);
        shContact* found = malloc(sizeof(shContact) * (size_t)(count + 1));
        memcpy(found, contacts, sizeof(shContact) * (size_t)count);
        qsort(expected, (size_t)expectedCount, sizeof(shContact), byId);
        qsort(found, (size_t)count, sizeof(shContact), byId);
        assert_int_equal(count, expectedCount);
        for (int k = 0; k < count; ++k) {
            assert_int_equal(found[k].id, expected[k].id);
            assert_true(fabsf(found[k].distance - expected[k].distance) < 1e-6f);
            assert_true(found[k].normal.y == 1.0f && vDistance(found[k].point, expected[k].point) == 0.0f);
        }
        total += count;
        free(expected);
        free(found);
    }
    assert_true(total > 500);
    shDestroyScenery(scenery);
    meshFree(&mesh);
}

// Step by step over a ground of triangles smaller than the brick, tilted so that nothing is aligned.
static void a_brick_slides_over_flat_ground_without_a_bump(void** unused)
{
    (void)unused;
    Random random = randomSeed(7);
    Mesh mesh = terrainOf(&random, 40, 2.0f, 0.4f, 0.0f);
    shQuat tilt = qFromAxisAngle(vec3(1.0f, 0.3f, -0.6f), 0.4f);
    for (int i = 0; i < mesh.pointCount; ++i)
        mesh.points[i] = qRotate(tilt, mesh.points[i]);
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
    Vec3 up = qRotate(tilt, vec3(0.0f, 1.0f, 0.0f)), along = qRotate(tilt, vec3(0.6f, 0.0f, 0.8f));
    float half = 0.5f * boxSize(scene.assets[0]->box).y;
    Vec3 middle = boxCenter(scene.assets[0]->box);
    shPair pair = {0};
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.002f;
    for (int step = 0; step < 500; ++step) {
        shCollider a = {scene.brick, 0, {.q = tilt}};
        a.transform.p = vMad(vScale(-0.6f + 0.0024f * (float)step, along), half - 0.0005f, up);
        a.transform.p = vSub(a.transform.p, qRotate(tilt, middle));
        uint32_t last[SH_MAX_CONTACTS];
        int lastCount = pair.contactCount;
        memcpy(last, pair.contacts, sizeof last);
        const shContact* contacts;
        int count;
        assert_int_equal(shCollideScenery(scene.query, &def, &a, scenery, origin, &pair, &contacts, &count, NULL),
                         shOk);
        assert_true(count >= 8);
        for (int i = 0; i < count; ++i) {
            assert_true(vDistance(contacts[i].normal, up) < 1e-5f);
            assert_true(fabsf(contacts[i].distance + 0.0005f) < 1e-6f);
        }
        // The brick's own samples touch all the time, so contacts stay what they are.
        for (int i = 0; step > 0 && i < lastCount; ++i)
            assert_int_equal(pair.contacts[i], last[i]);
    }
    shDestroyScenery(scenery);
    meshFree(&mesh);
}

static void all_samples_near_a_terrain_are_found(void** unused)
{
    (void)unused;
    Random random = randomSeed(8);
    float margin = 0.003f;
    int total = 0;
    for (int trial = 0; trial < 24; ++trial) {
        Mesh mesh = terrainOf(&random, 20, 1.5f, 0.3f, 0.02f);
        shScenery* scenery = sceneryOf(scene.context, &mesh, 0.2f);
        const shSolid* solid = trial % 3 == 0 ? scene.brick : trial % 3 == 1 ? scene.torus : scene.shards;
        int piece = randomBelow(&random, shSolid_GetPieceCount(solid));
        shCollider a = restingAt(solid, piece, &random, randomRange(&random, -0.05f, 0.0f));
        shTransform frame = {vFromD(randomInBall(&random)), randomRotation(&random)};
        shCollider moved = {solid, piece, xformMul(frame, a.transform)};
        shCollideDef def = shDefaultCollideDef();
        def.all = true;
        def.margin = margin;
        const shContact* contacts;
        int count;
        assert_int_equal(shCollideScenery(scene.query, &def, &moved, scenery, frame, NULL, &contacts, &count, NULL),
                         shOk);
        const TreePoint* points = treesPoints(&solid->trees);
        int expected = 0;
        float size = vLength(boxSize(shSolid_GetPiece(solid, piece).box));
        for (int p = 0; p < solid->asset->mesh.nodeCount + 2 * solid->field.cuts.count; ++p) {
            if (treePointLabel(&solid->field, p) != piece)
                continue;
            Vec3 at = xformPoint(a.transform, points[p].p);
            double distance = meshDistance(&mesh, at);
            if ((double)at.y < terrainHeight(&mesh, at))
                distance = -distance;
            if (-distance > (double)minF(0.2f, size))
                continue;
            const shContact* contact = NULL;
            for (int i = 0; i < count; ++i)
                if (contacts[i].id == (uint32_t)p)
                    contact = &contacts[i];
            if (fabs(distance - (double)margin) < 5e-6)
                continue;
            assert_int_equal(contact != NULL, distance < (double)margin);
            // Inside, a face that faces the sample may be taken instead of the closest.
            if (contact != NULL && distance > 0.0)
                assert_true(fabs((double)contact->distance - distance) < 5e-6);
            else if (contact != NULL)
                assert_true((double)contact->distance < distance + 5e-6 &&
                            (double)contact->distance > 4.0 * distance - 5e-6);
            expected += contact != NULL;
        }
        total += expected;
        shDestroyScenery(scenery);
        meshFree(&mesh);
    }
    assert_true(total > 300);
}

// A pyramid whose tip is between the samples of a brick's face, and a roof whose ridge is.
static void spikes_and_ridges_poke_large_faces(void** unused)
{
    (void)unused;
    Vec3 points[6] = {{-0.05f, -0.1f, -0.05f}, {0.05f, -0.1f, -0.05f}, {-0.05f, -0.1f, 0.05f},
                      {0.05f, -0.1f, 0.05f},   {0.0f, 0.0f, 0.0f},     {0.0f, 0.0f, 0.0f}};
    int spike[4][3] = {{0, 2, 4}, {2, 3, 4}, {3, 1, 4}, {1, 0, 4}};
    int roof[6][3] = {{0, 2, 5}, {0, 5, 4}, {1, 4, 5}, {1, 5, 3}, {0, 4, 1}, {2, 3, 5}};
    float bottom = scene.assets[0]->box.lower.y;
    for (int kind = 0; kind < 2; ++kind) {
        Mesh mesh = {6, kind == 0 ? 4 : 6, points, kind == 0 ? spike : roof};
        if (kind == 1)
            points[4].z = -0.5f, points[5].z = 0.5f; // longer than the brick: its ends are out of reach
        shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
        Random random = randomSeed(9);
        for (int i = 0; i < 50; ++i) {
            shCollider a = {scene.brick, 0, origin};
            a.transform.p =
                vec3(randomRange(&random, -0.03f, 0.03f), -bottom - 0.001f, randomRange(&random, -0.02f, 0.02f));
            shCollideDef def = shDefaultCollideDef();
            shPair pair = {0};
            uint32_t id = 0;
            for (int step = 0; step < 3; ++step) {
                const shContact* contacts;
                int count, ridges = 0;
                assert_int_equal(
                    shCollideScenery(scene.query, &def, &a, scenery, origin, &pair, &contacts, &count, NULL), shOk);
                for (int k = 0; k < count; ++k) {
                    if (!(contacts[k].id >> 31))
                        continue;
                    assert_true(contacts[k].normal.y > 0.999f);
                    assert_true(fabsf(contacts[k].distance + 0.001f) < 1e-5f);
                    assert_true(fabsf(contacts[k].point.y) < 1e-6f);
                    if (ridges++ == 0) {
                        assert_true(step == 0 || contacts[k].id == id);
                        id = contacts[k].id;
                    }
                }
                assert_true(kind == 0 ? ridges == 1 : ridges >= 2 && ridges <= 4);
                a.transform.p.x += 1e-4f;
            }
        }
        shDestroyScenery(scenery);
    }
}

static void a_corner_near_a_ledge_goes_up_and_not_sideways(void** unused)
{
    (void)unused;
    // A step: ground at 0 left of x = 0, wall down to −0.2, ground there.
    Vec3 points[8] = {{-1, 0, -1},    {-1, 0, 1},    {0, 0, -1},     {0, 0, 1},
                      {0, -0.2f, -1}, {0, -0.2f, 1}, {1, -0.2f, -1}, {1, -0.2f, 1}};
    int triangles[6][3] = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}, {4, 5, 6}, {6, 5, 7}};
    Mesh mesh = {8, 6, points, triangles};
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.05f);
    shBox box = scene.assets[0]->box;
    // The brick's side overhangs the ledge by less than it has sunk in.
    shCollider a = {scene.brick, 0, origin};
    a.transform.p = vec3(-box.upper.x - 0.001f, -box.lower.y - 0.003f, 0.0f);
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    const shContact* contacts;
    int count;
    assert_int_equal(shCollideScenery(scene.query, &def, &a, scenery, origin, NULL, &contacts, &count, NULL), shOk);
    int own = 0;
    for (int i = 0; i < count; ++i) {
        own += !(contacts[i].id >> 31);
        assert_true(contacts[i].normal.y > 0.99f);
    }
    assert_true(own > 4);
    shDestroyScenery(scenery);
}

// ---- sweeps ---------------------------------------------------------------------------------------------------------

static void nothing_falls_through_however_fast(void** unused)
{
    (void)unused;
    Random random = randomSeed(10);
    Mesh mesh = terrainOf(&random, 30, 3.0f, 0.3f, 0.05f);
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.01f);
    float tolerance = 1e-4f;
    int cut = 0;
    for (int i = 0; i < 60; ++i) {
        const shSolid* solid = i % 3 == 0 ? scene.brick : i % 3 == 1 ? scene.torus : scene.shards;
        int piece = randomBelow(&random, shSolid_GetPieceCount(solid));
        shCollider a = restingAt(solid, piece, &random, randomRange(&random, 0.1f, 1.0f));
        shPieceInfo info = shSolid_GetPiece(solid, piece);
        shMotion motion = {vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]),
                           {randomRange(&random, -0.3f, 0.3f), -3.3f, randomRange(&random, -0.3f, 0.3f)},
                           vScale(i % 2 ? 2.0f : 0.0f, vFromD(randomInBall(&random)))};
        shSweepDef def = shDefaultSweepDef();
        def.tolerance = tolerance;
        shSweepHit hit;
        assert_int_equal(shSweepScenery(scene.query, &def, &a, &motion, scenery, origin, &hit, NULL), shOk);
        assert_true(hit.touches && hit.fraction > 0.0f && hit.fraction < 0.5f);
        cut += hit.cut;
        // Nothing touches before, something does then.
        shCollideDef all = shDefaultCollideDef();
        all.all = true;
        for (int k = 0; k <= 40; ++k) {
            shCollider at = a;
            float t = k == 40 ? hit.fraction : hit.fraction * (1.0f - powf(0.8f, (float)k));
            at.transform = shMotion_GetTransform(&motion, a.transform, t);
            const shContact* contacts;
            int count;
            all.margin = k == 40 ? tolerance + 1e-6f : 0.0f;
            assert_int_equal(shCollideScenery(scene.query, &all, &at, scenery, origin, NULL, &contacts, &count, NULL),
                             shOk);
            for (int c = 0; c < count; ++c) // a sweep sees samples
                assert_true(contacts[c].distance > -1e-6f || (contacts[c].id & CONTACT_OF_EDGES) != 0);
            if (k == 40 && !hit.cut)
                assert_true(count > 0);
        }
    }
    assert_true(cut <= 2);
    shDestroyScenery(scenery);
    meshFree(&mesh);
}

static void a_face_stops_on_a_spike_and_what_passes_by_is_free(void** unused)
{
    (void)unused;
    Vec3 points[5] = {{-0.05f, -0.1f, -0.05f},
                      {0.05f, -0.1f, -0.05f},
                      {-0.05f, -0.1f, 0.05f},
                      {0.05f, -0.1f, 0.05f},
                      {0.0f, 0.0f, 0.0f}};
    int spike[4][3] = {{0, 2, 4}, {2, 3, 4}, {3, 1, 4}, {1, 0, 4}};
    Mesh mesh = {5, 4, points, spike};
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
    shSweepDef def = shDefaultSweepDef();
    def.tolerance = 1e-4f;
    float bottom = scene.assets[0]->box.lower.y;
    shCollider a = {scene.brick, 0, origin};
    a.transform.p = vec3(0.013f, 0.5f - bottom, 0.007f);
    shMotion down = {.shift = {0.0f, -1.0f, 0.0f}};
    shSweepHit hit;
    assert_int_equal(shSweepScenery(scene.query, &def, &a, &down, scenery, origin, &hit, NULL), shOk);
    assert_true(hit.touches && !hit.cut && hit.id >> 31);
    assert_true(hit.fraction <= 0.5f && hit.fraction > 0.5f - 1.1e-4f);
    assert_true(hit.normal.y > 0.999f);
    a.transform.p.x = 1.0f;
    assert_int_equal(shSweepScenery(scene.query, &def, &a, &down, scenery, origin, &hit, NULL), shOk);
    assert_false(hit.touches);
    assert_true(hit.fraction == 1.0f && hit.probes < 10);
    assert_int_equal(shSweepScenery(scene.query, &def, &a, &down, NULL, origin, &hit, NULL), shInvalid);
    assert_int_equal(shSweepScenery(NULL, &def, &a, &down, scenery, origin, &hit, NULL), shInvalid);
    down.shift.x = NAN;
    assert_int_equal(shSweepScenery(scene.query, &def, &a, &down, scenery, origin, &hit, NULL), shInvalid);
    shDestroyScenery(scenery);
}

// ---- batches --------------------------------------------------------------------------------------------------------

static void batches_take_scenery(void** unused)
{
    (void)unused;
    enum { count = 40 };
    Random random = randomSeed(11);
    Mesh mesh = terrainOf(&random, 20, 1.5f, 0.3f, 0.02f);
    shScenery* scenery = sceneryOf(scene.context, &mesh, 0.0f);
    shBatch* batch;
    assert_int_equal(shCreateBatch(scene.context, &batch, NULL), shOk);
    shPairQuery queries[count];
    shPair pairs[count] = {0}, own[count] = {0};
    for (int i = 0; i < count; ++i)
        queries[i] =
            (shPairQuery){.a = restingAt(scene.shards, i % shSolid_GetPieceCount(scene.shards), &random, -0.02f),
                          .b = {.transform = origin},
                          .scenery = scenery,
                          .pair = &pairs[i]};
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.002f;
    for (int step = 0; step < 3; ++step) {
        const shContact *contacts, *single;
        const shPairContacts* ranges;
        assert_int_equal(shCollidePairs(batch, &def, queries, count, &contacts, &ranges, NULL), shOk);
        for (int i = 0; i < count; ++i) {
            int singleCount;
            assert_int_equal(shCollideScenery(scene.query, &def, &queries[i].a, scenery, origin, &own[i], &single,
                                              &singleCount, NULL),
                             shOk);
            assert_int_equal(ranges[i].count, singleCount);
            assert_true(singleCount > 0 && singleCount <= SH_MAX_CONTACTS);
            assert_memory_equal(contacts + ranges[i].first, single, sizeof(shContact) * (size_t)singleCount);
            queries[i].a.transform.p.x += 0.001f;
        }
        assert_memory_equal(pairs, own, sizeof pairs);
    }
    shShape plane = {.type = shPlaneShape};
    queries[7].shape = &plane; // one too many
    const shContact* contacts;
    const shPairContacts* ranges;
    shMessage message;
    assert_int_equal(shCollidePairs(batch, &def, queries, count, &contacts, &ranges, &message), shInvalid);
    assert_non_null(strstr(message.text, "pair 7"));
    int n;
    assert_int_equal(shCollideScenery(scene.query, &def, &queries[0].a, NULL, origin, NULL, &contacts, &n, NULL),
                     shInvalid);
    queries[0].a.piece = 1000;
    assert_int_equal(shCollideScenery(scene.query, &def, &queries[0].a, scenery, origin, NULL, &contacts, &n, NULL),
                     shInvalid);
    shDestroyBatch(batch);
    shDestroyScenery(scenery);
    meshFree(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_that_make_no_sense_are_refused_with_their_place),
        cmocka_unit_test(duplicates_and_slivers_are_counted_and_left_out),
        cmocka_unit_test(a_lack_of_memory_leaves_nothing),
        cmocka_unit_test(the_closest_triangle_of_a_soup_is_the_closest_of_all),
        cmocka_unit_test(every_kernel_gives_the_same_bits),
        cmocka_unit_test(behind_a_closed_mesh_all_is_solid),
        cmocka_unit_test(behind_an_open_mesh_a_layer_is_solid),
        cmocka_unit_test(a_sheet_pushes_to_the_side_one_is_on),
        cmocka_unit_test(flat_ground_is_a_plane),
        cmocka_unit_test(a_brick_slides_over_flat_ground_without_a_bump),
        cmocka_unit_test(all_samples_near_a_terrain_are_found),
        cmocka_unit_test(spikes_and_ridges_poke_large_faces),
        cmocka_unit_test(a_corner_near_a_ledge_goes_up_and_not_sideways),
        cmocka_unit_test(nothing_falls_through_however_fast),
        cmocka_unit_test(a_face_stops_on_a_spike_and_what_passes_by_is_free),
        cmocka_unit_test(batches_take_scenery),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

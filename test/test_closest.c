// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Closest points and overlaps against brute force over all triangles, on whole models and after breaks.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sherd/closest.h"
#include "test/broken_models.h"

static const shTransform origin = {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};

typedef struct Trial {
    const shSolid* solid;
    int piece;
    Mesh mesh;
    shBox box;
    float size;
} Trial;

// Calls `check` for pieces of all models in all generations.
static void forPieces(uint64_t seed, int (*check)(const Trial* trial, Random* random), int* total)
{
    Models m;
    modelsSetUp(&m);
    Random random = randomSeed(seed);
    for (int generation = 0; generation < generationCount; ++generation) {
        for (int i = 0; i < modelCount; ++i) {
            Trial trial = {.solid = m.solids[i], .piece = randomBelow(&random, shSolid_GetPieceCount(m.solids[i]))};
            trial.mesh = meshOfPiece(trial.solid, trial.piece);
            trial.box = shSolid_GetPiece(trial.solid, trial.piece).box;
            trial.size = vLength(boxSize(trial.box));
            *total += check(&trial, &random);
            meshFree(&trial.mesh);
        }
        modelsBreak(&m, &random);
    }
    modelsTearDown(&m);
}

static int checkClosest(const Trial* trial, Random* random)
{
    shCollider collider = {trial->solid, trial->piece, {vFromD(randomInBall(random)), randomRotation(random)}};
    int insides = 0;
    for (int k = 0; k < 150; ++k) {
        float around = k % 3 == 0 ? 0.0f : k % 3 == 1 ? 0.3f : 4.0f;
        Vec3 rest = randomInBox(random, boxGrow(trial->box, around * trial->size));
        Vec3 p = xformPoint(collider.transform, rest);
        double exact = meshDistance(&trial->mesh, rest), rounding = 3e-6 * (1.0 + (double)trial->size);
        float radius = k % 2 ? INFINITY : randomRange(random, 0.0f, 0.5f * trial->size);
        shClosestPoint closest;
        assert_int_equal(shClosest(&collider, p, radius, &closest, NULL), shOk);
        if (fabs(exact - (double)radius) < rounding || exact < rounding)
            continue;
        assert_int_equal(closest.found, exact < (double)radius);
        if (!closest.found)
            continue;
        bool inside = meshWinding(&trial->mesh, rest) > 0.5;
        assert_int_equal(closest.distance < 0.0f, inside);
        assert_true(fabs(fabs((double)closest.distance) - exact) < rounding);
        assert_true(fabs((double)vDistance(closest.point, p) - exact) < rounding);
        Vec3 away = vScale((inside ? -1.0f : 1.0f) / (float)exact, vSub(p, closest.point));
        assert_true(vDistance(away, closest.normal) < 1e-3f + 4.0f * (float)(rounding / exact));
        insides += inside;
    }
    return insides;
}

static void the_closest_point_is_the_closest_of_all(void** unused)
{
    (void)unused;
    int insides = 0;
    forPieces(1, checkClosest, &insides);
    assert_true(insides > 100);
}

static int checkSpheres(const Trial* trial, Random* random)
{
    shCollider collider = {trial->solid, trial->piece, origin};
    int overlapping = 0;
    for (int k = 0; k < 200; ++k) {
        Vec3 p = randomInBox(random, boxGrow(trial->box, 0.3f * trial->size));
        float radius = randomRange(random, 0.0f, 0.3f * trial->size);
        double exact = meshDistance(&trial->mesh, p);
        bool overlaps, expected = exact < (double)radius || meshWinding(&trial->mesh, p) > 0.5;
        assert_int_equal(shOverlapSphere(&collider, p, radius, &overlaps, NULL), shOk);
        if (exact < 1e-6 || fabs(exact - (double)radius) < 1e-6)
            continue;
        assert_int_equal(overlaps, expected);
        overlapping += overlaps;
    }
    return overlapping;
}

static void spheres_overlap_what_comes_into_them(void** unused)
{
    (void)unused;
    int overlapping = 0;
    forPieces(2, checkSpheres, &overlapping);
    assert_true(overlapping > 300 && overlapping < 2200);
}

// What is left of a triangle within a box around the origin, by cutting it with the box's planes.
static bool boxHoldsSome(const DVec3 corners[3], DVec3 half)
{
    DVec3 polygon[12], next[12];
    int count = 3;
    for (int k = 0; k < 3; ++k)
        polygon[k] = corners[k];
    for (int plane = 0; plane < 6; ++plane) {
        DVec3 n = dScale(plane % 2 ? 1.0 : -1.0, dAxis(plane / 2));
        double limit = dGet(half, plane / 2);
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            DVec3 a = polygon[i], b = polygon[(i + 1) % count];
            double da = dDot(n, a) - limit, db = dDot(n, b) - limit;
            if (da <= 0.0)
                next[kept++] = a;
            if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0))
                next[kept++] = dLerp(a, b, da / (da - db));
        }
        count = kept;
        for (int i = 0; i < count; ++i)
            polygon[i] = next[i];
    }
    return count > 0;
}

static bool bruteBox(const Mesh* mesh, shTransform box, Vec3 half, double grow)
{
    DVec3 h = dAdd(dFromV(half), dvec3(grow, grow, grow));
    if (h.x <= 0.0 || h.y <= 0.0 || h.z <= 0.0)
        return false;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 c[3];
        meshCorners(mesh, t, c);
        for (int k = 0; k < 3; ++k)
            c[k] = dqUnrotate(dqNormalize(dqFromQ(box.q)), dSub(c[k], dFromV(box.p)));
        if (boxHoldsSome((const DVec3*)c, h))
            return true;
    }
    return false;
}

static int checkBoxes(const Trial* trial, Random* random)
{
    shCollider collider = {trial->solid, trial->piece, origin};
    int overlapping = 0;
    for (int k = 0; k < 200; ++k) {
        shTransform at = {randomInBox(random, boxGrow(trial->box, 0.3f * trial->size)), randomRotation(random)};
        if (k % 4 == 0)
            at.q = origin.q;
        Vec3 half = randomInBox(random, (shBox){{0.0f, 0.0f, 0.0f}, vScale(0.3f, boxSize(trial->box))});
        bool overlaps, inside = meshWinding(&trial->mesh, at.p) > 0.5;
        assert_int_equal(shOverlapBox(&collider, half, at, &overlaps, NULL), shOk);
        bool expected = bruteBox(&trial->mesh, at, half, 0.0);
        if (bruteBox(&trial->mesh, at, half, 1e-6) != bruteBox(&trial->mesh, at, half, -1e-6) ||
            meshDistance(&trial->mesh, at.p) < 1e-6)
            continue;
        assert_int_equal(overlaps, expected || inside);
        overlapping += overlaps;
    }
    return overlapping;
}

static void boxes_overlap_what_comes_into_them(void** unused)
{
    (void)unused;
    int overlapping = 0;
    forPieces(3, checkBoxes, &overlapping);
    assert_true(overlapping > 300 && overlapping < 2200);
}

static void boxes_overlap_scenery(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    Random random = randomSeed(4);
    int overlapping = 0;
    for (int trial = 0; trial < 5; ++trial) {
        Mesh mesh = terrainOf(&random, 15, 1.0f, 0.3f, 0.05f);
        shScenery* scenery = sceneryOf(context, &mesh, 0.02f);
        shTransform frame = {vFromD(randomInBall(&random)), randomRotation(&random)};
        for (int k = 0; k < 100; ++k) {
            shTransform at = {vScale(0.3f, vFromD(randomInBall(&random))), randomRotation(&random)};
            Vec3 half = randomInBox(&random, (shBox){{0.0f, 0.0f, 0.0f}, {0.1f, 0.1f, 0.1f}});
            if (bruteBox(&mesh, at, half, 3e-6) != bruteBox(&mesh, at, half, -3e-6))
                continue;
            double distance = meshDistance(&mesh, at.p);
            bool behind = (double)at.p.y < terrainHeight(&mesh, at.p) && distance < 0.02;
            bool overlaps;
            assert_int_equal(shOverlapBoxScenery(scenery, frame, half, xformMul(frame, at), &overlaps, NULL), shOk);
            if (distance < 3e-6 || fabs(distance - 0.02) < 3e-6)
                continue;
            assert_int_equal(overlaps, bruteBox(&mesh, at, half, 0.0) || behind);
            overlapping += overlaps;
        }
        shDestroyScenery(scenery);
        meshFree(&mesh);
    }
    assert_true(overlapping > 100 && overlapping < 450);
    assert_int_equal(shDestroyContext(context), 0);
}

static void closest_points_of_shapes_and_scenery_lie_on_them(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    Random random = randomSeed(5);
    Mesh mesh = terrainOf(&random, 15, 2.0f, 0.3f, 0.05f);
    shScenery* scenery = sceneryOf(context, &mesh, 0.02f);
    shShape box = {.type = shBoxShape, .halfExtent = {0.3f, 0.4f, 0.2f}};
    for (int k = 0; k < 1000; ++k) {
        shTransform frame = {vFromD(randomInBall(&random)), randomRotation(&random)};
        Vec3 rest = vFromD(randomInBall(&random)), p = xformPoint(frame, rest);
        float radius = randomRange(&random, 0.0f, 1.0f);
        shClosestPoint closest;
        assert_int_equal(shClosestOnScenery(scenery, frame, p, radius, &closest, NULL), shOk);
        double exact = meshDistance(&mesh, rest);
        if (fabs(exact - (double)radius) > 1e-5)
            assert_int_equal(closest.found, exact < (double)radius);
        if (closest.found) {
            assert_true(fabs(fabs((double)closest.distance) - exact) < 1e-5);
            DVec3 c[3];
            meshCorners(&mesh, closest.feature, c);
            assert_true(triClosest(c[0], c[1], c[2], dFromV(xformUnpoint(frame, closest.point))).distance < 1e-5);
            if (exact > 0.001)
                assert_int_equal(closest.distance < 0.0f, exact <= 0.02 && (double)rest.y < terrainHeight(&mesh, rest));
        }
        assert_int_equal(shClosestOnShape(&box, frame, p, radius, &closest, NULL), shOk);
        Vec3 q = vMin(vMax(rest, vNeg(box.halfExtent)), box.halfExtent);
        float outside = vDistance(rest, q);
        if (outside > 1e-5f && fabsf(outside - radius) > 1e-5f) {
            assert_int_equal(closest.found, outside < radius);
            if (closest.found)
                assert_true(vDistance(closest.point, xformPoint(frame, q)) < 1e-5f &&
                            fabsf(closest.distance - outside) < 1e-5f);
        }
    }
    shDestroyScenery(scenery);
    meshFree(&mesh);
    assert_int_equal(shDestroyContext(context), 0);
}

static void questions_that_make_no_sense_are_refused(void** unused)
{
    (void)unused;
    Models m;
    modelsSetUp(&m);
    shCollider good = {m.solids[0], 0, origin}, bad = {m.solids[0], 7, origin};
    shShape shape = {.type = shBoxShape, .halfExtent = {-1.0f, 0.0f, 0.0f}};
    Vec3 p = {0.0f, 0.0f, 0.0f}, half = {0.1f, 0.1f, 0.1f}, nan = {0.0f, NAN, 0.0f};
    shClosestPoint closest;
    bool overlaps;
    assert_int_equal(shClosest(&good, p, -1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shClosest(&good, p, NAN, &closest, NULL), shInvalid);
    assert_int_equal(shClosest(&good, nan, 1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shClosest(&bad, p, 1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shClosest(NULL, p, 1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shClosest(&good, p, 1.0f, NULL, NULL), shInvalid);
    assert_int_equal(shClosestOnShape(&shape, origin, p, 1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shClosestOnShape(NULL, origin, p, 1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shClosestOnScenery(NULL, origin, p, 1.0f, &closest, NULL), shInvalid);
    assert_int_equal(shOverlapSphere(&bad, p, 1.0f, &overlaps, NULL), shInvalid);
    assert_int_equal(shOverlapSphere(&good, p, -1.0f, &overlaps, NULL), shInvalid);
    assert_int_equal(shOverlapBox(&bad, half, origin, &overlaps, NULL), shInvalid);
    assert_int_equal(shOverlapBox(&good, nan, origin, &overlaps, NULL), shInvalid);
    assert_int_equal(shOverlapBox(&good, half, (shTransform){nan, origin.q}, &overlaps, NULL), shInvalid);
    assert_int_equal(shOverlapBoxScenery(NULL, origin, half, origin, &overlaps, NULL), shInvalid);
    modelsTearDown(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closest_point_is_the_closest_of_all),
        cmocka_unit_test(spheres_overlap_what_comes_into_them),
        cmocka_unit_test(boxes_overlap_what_comes_into_them),
        cmocka_unit_test(boxes_overlap_scenery),
        cmocka_unit_test(closest_points_of_shapes_and_scenery_lie_on_them),
        cmocka_unit_test(questions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

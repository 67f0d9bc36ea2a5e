// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rays against pieces, shapes and scenery: what brute force over all triangles hits, nothing between them, inside told
// from outside.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sherd/ray.h"
#include "test/broken_models.h"

static const shTransform origin = {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};

// The first hit of all triangles, in double; 2: none.
static double bruteRay(const Mesh* mesh, const shRay* ray, DVec3* normal)
{
    double best = 2.0;
    TriRay view = triRay(dFromV(ray->origin), dFromV(ray->translation));
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 c[3];
        TriHit hit;
        meshCorners(mesh, t, c);
        if (triRayHit(&view, (const DVec3*)c, &hit) && hit.distance >= 0.0 && hit.distance <= 1.0 &&
            hit.distance < best) {
            best = hit.distance;
            *normal = dNormalize(dCross(dSub(c[1], c[0]), dSub(c[2], c[0])));
        }
    }
    return best;
}

// From somewhere around or within; every third through a corner or the middle of an edge.
static shRay randomRay(Random* random, const Mesh* mesh, shBox box, int kind)
{
    float size = vLength(boxSize(box));
    Vec3 from = randomInBox(random, boxGrow(box, kind % 5 == 0 ? 0.0f : 0.3f * size));
    Vec3 to = randomInBox(random, boxGrow(box, 0.05f * size));
    if (kind % 3 == 1) {
        const int* t = mesh->triangles[randomBelow(random, mesh->triangleCount)];
        Vec3 a = mesh->points[t[0]], b = mesh->points[t[1]];
        to = kind % 2 ? a : vLerp(a, b, 0.5f);
    }
    if (kind % 3 == 2) { // along an axis
        int axis = randomBelow(random, 3);
        Vec3 along = vScale((kind % 2 ? 1.0f : -1.0f) * size, vFromD(dAxis(axis)));
        return (shRay){from, along};
    }
    return (shRay){from, vScale(randomRange(random, 0.5f, 3.0f), vSub(to, from))};
}

static void pieces_are_hit_where_brute_force_hits_them(void** unused)
{
    (void)unused;
    Models m;
    modelsSetUp(&m);
    Random random = randomSeed(1);
    int hits = 0, insides = 0, cracks = 0;
    for (int generation = 0; generation < generationCount; ++generation) {
        for (int i = 0; i < modelCount; ++i) {
            for (int trial = 0; trial < 3; ++trial) {
                const shSolid* solid = m.solids[i];
                int piece = randomBelow(&random, shSolid_GetPieceCount(solid));
                Mesh mesh = meshOfPiece(solid, piece);
                shBox box = shSolid_GetPiece(solid, piece).box;
                shCollider collider = {solid, piece, origin};
                for (int k = 0; k < 250; ++k) {
                    shRay ray = randomRay(&random, &mesh, box, k);
                    shRayHit hit;
                    DVec3 normal = {0.0, 0.0, 0.0};
                    double exact = bruteRay(&mesh, &ray, &normal);
                    assert_int_equal(shRayCast(&collider, &ray, &hit, NULL), shOk);
                    assert_int_equal(hit.hits, exact <= 1.0);
                    if (!hit.hits) {
                        assert_true(hit.fraction == 1.0f && hit.feature == -1);
                        continue;
                    }
                    ++hits;
                    assert_true(hit.fraction == (float)exact);
                    Vec3 at = vMad(ray.origin, hit.fraction, ray.translation);
                    assert_true(vDistance(hit.point, at) < 1e-6f);
                    double away = dDot(normal, dFromV(ray.translation)) / (double)vLength(ray.translation);
                    if (vDistance(hit.normal, vFromD(normal)) > 1e-5f) // two triangles at once
                        assert_true(away > 0.0 || k % 3 == 1);
                    if (exact * (double)vLength(ray.translation) < 1e-5 || k % 3 == 1)
                        continue;
                    assert_int_equal(hit.inside, vDot(hit.normal, ray.translation) > 0.0f);
                    insides += hit.inside;
                    cracks += hit.slot < 0;
                    if (generation == 0)
                        assert_int_equal(hit.slot, solid->asset->mesh.groups[hit.feature]);
                }
                meshFree(&mesh);
            }
        }
        modelsBreak(&m, &random);
    }
    assert_true(hits > 2500 && insides > 200 && cracks > 300);
    modelsTearDown(&m);
}

static void no_ray_leaves_a_piece_unseen(void** unused)
{
    (void)unused;
    Models m;
    modelsSetUp(&m);
    Random random = randomSeed(2);
    int cast = 0;
    for (int generation = 0; generation < generationCount; ++generation) {
        for (int i = 0; i < modelCount; ++i) {
            const shSolid* solid = m.solids[i];
            int piece = shSolid_GetPieceCount(solid) - 1;
            Mesh mesh = meshOfPiece(solid, piece);
            shBox box = shSolid_GetPiece(solid, piece).box;
            float size = vLength(boxSize(box));
            shCollider collider = {solid, piece, origin};
            for (int k = 0; k < 400; ++k) {
                shRay ray = {.origin = randomInBox(&random, box)};
                if (shSolid_FindOwner(solid, ray.origin) != piece)
                    continue;
                // At corners and edges on purpose.
                const int* t = mesh.triangles[randomBelow(&random, mesh.triangleCount)];
                Vec3 at = k % 2 ? mesh.points[t[0]] : vLerp(mesh.points[t[0]], mesh.points[t[1]], 0.25f);
                ray.translation = vScale(3.0f * size, vNormalize(vSub(at, ray.origin)));
                shRayHit hit;
                assert_int_equal(shRayCast(&collider, &ray, &hit, NULL), shOk);
                assert_true(hit.hits && hit.inside);
                ++cast;
            }
            meshFree(&mesh);
        }
        modelsBreak(&m, &random);
    }
    assert_true(cast > 1000);
    modelsTearDown(&m);
}

static void hits_move_with_what_is_hit(void** unused)
{
    (void)unused;
    Models m;
    modelsSetUp(&m);
    Random random = randomSeed(3);
    modelsBreak(&m, &random);
    shShape shape = {.type = shBoxShape, .halfExtent = {0.1f, 0.2f, 0.15f}};
    Mesh mesh = terrainOf(&random, 10, 1.0f, 0.3f, 0.05f);
    shScenery* scenery = sceneryOf(m.context, &mesh, 0.0f);
    for (int i = 0; i < 300; ++i) {
        shCollider still = {m.solids[1], i % shSolid_GetPieceCount(m.solids[1]), origin}, moved = still;
        moved.transform = (shTransform){vFromD(randomInBall(&random)), randomRotation(&random)};
        shRay ray = {vFromD(randomInBall(&random)), vScale(2.0f, vFromD(randomInBall(&random)))};
        shRay turned = {xformPoint(moved.transform, ray.origin), qRotate(moved.transform.q, ray.translation)};
        for (int kind = 0; kind < 3; ++kind) {
            shRayHit a, b;
            if (kind == 0) {
                assert_int_equal(shRayCast(&still, &ray, &a, NULL), shOk);
                assert_int_equal(shRayCast(&moved, &turned, &b, NULL), shOk);
            } else if (kind == 1) {
                assert_int_equal(shRayCastShape(&shape, origin, &ray, &a, NULL), shOk);
                assert_int_equal(shRayCastShape(&shape, moved.transform, &turned, &b, NULL), shOk);
            } else {
                assert_int_equal(shRayCastScenery(scenery, origin, &ray, &a, NULL), shOk);
                assert_int_equal(shRayCastScenery(scenery, moved.transform, &turned, &b, NULL), shOk);
            }
            if (a.hits != b.hits || fabsf(a.fraction - b.fraction) > 1e-4f)
                continue; // grazed
            if (!a.hits || a.feature != b.feature)
                continue;
            assert_true(vDistance(xformPoint(moved.transform, a.point), b.point) < 1e-4f);
            assert_true(vDistance(qRotate(moved.transform.q, a.normal), b.normal) < 1e-4f);
        }
    }
    shDestroyScenery(scenery);
    meshFree(&mesh);
    modelsTearDown(&m);
}

static double shapeDistance(const shShape* shape, DVec3 p)
{
    double r = (double)shape->radius, h = (double)shape->halfHeight;
    DVec3 half = dFromV(shape->halfExtent), q = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
    switch (shape->type) {
    case shPlaneShape:
        return p.y;
    case shSphereShape:
        return dLength(p) - r;
    case shCapsuleShape:
        return dLength(dvec3(p.x, p.y - clampD(p.y, -h, h), p.z)) - r;
    default:
        return dLength(dvec3(maxD(q.x, 0.0), maxD(q.y, 0.0), maxD(q.z, 0.0))) + minD(maxD(q.x, maxD(q.y, q.z)), 0.0);
    }
}

static void shapes_are_hit_on_their_surface_and_not_before(void** unused)
{
    (void)unused;
    const shShape shapes[4] = {{.type = shPlaneShape},
                               {.type = shSphereShape, .radius = 0.3f},
                               {.type = shCapsuleShape, .radius = 0.2f, .halfHeight = 0.3f},
                               {.type = shBoxShape, .halfExtent = {0.1f, 0.4f, 0.3f}}};
    Random random = randomSeed(4);
    int hits = 0, insides = 0;
    for (int i = 0; i < 6000; ++i) {
        const shShape* shape = &shapes[i % 4];
        float far = i % 7 == 0 ? 100.0f : 1.0f;
        shRay ray = {vFromD(randomInBall(&random)), vScale(3.0f, vFromD(randomInBall(&random)))};
        if (i % 5 == 0)
            ray.translation = vScale(2.0f, vFromD(dAxis(i / 5 % 3))); // along an axis
        if (far > 1.0f) {                                             // at it from afar
            ray.origin = vScale(far, vFromD(randomDirection(&random)));
            ray.translation = vSub(vScale(0.2f, vFromD(randomInBall(&random))), ray.origin);
        }
        shRayHit hit;
        assert_int_equal(shRayCastShape(shape, origin, &ray, &hit, NULL), shOk);
        DVec3 o = dFromV(ray.origin), d = dFromV(ray.translation);
        double start = shapeDistance(shape, o), rounding = 1e-6 * (double)far;
        if (fabs(start) < rounding)
            continue;
        assert_int_equal(hit.inside, start < 0.0);
        double end = hit.hits ? (double)hit.fraction : 1.0;
        for (int k = 0; k < 60; ++k) {
            double distance = shapeDistance(shape, dMad(o, end * k / 60.0, d));
            assert_true(hit.inside ? distance < rounding : distance > -rounding);
        }
        assert_true(hit.feature == -1 && hit.slot == -1);
        if (!hit.hits)
            continue;
        ++hits;
        insides += hit.inside;
        DVec3 at = dMad(o, end, d), n = dFromV(hit.normal);
        assert_true(fabs(shapeDistance(shape, at)) < 10.0 * rounding);
        assert_true(vDistance(hit.point, vFromD(at)) < 1e-5f * far);
        // The normal is the gradient.
        double step = 1e-4;
        double slope = (shapeDistance(shape, dMad(at, step, n)) - shapeDistance(shape, at)) / step;
        assert_true(fabs(slope - 1.0) < 0.05 && fabs(dLength(n) - 1.0) < 1e-5);
        assert_true((dDot(n, d) > 0.0) == hit.inside);
    }
    assert_true(hits > 1200 && insides > 300);
}

static void scenery_is_hit_where_brute_force_hits_it(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    Random random = randomSeed(5);
    int hits = 0;
    for (int trial = 0; trial < 6; ++trial) {
        Mesh mesh = terrainOf(&random, 8 + 6 * trial, 2.0f, 0.3f, trial == 0 ? 0.0f : 0.1f);
        shScenery* scenery = sceneryOf(context, &mesh, 0.0f);
        shBox box = boxGrow(shScenery_GetInfo(scenery).box, 0.1f);
        for (int k = 0; k < 400; ++k) {
            shRay ray = randomRay(&random, &mesh, box, k);
            shRayHit hit;
            DVec3 normal = {0.0, 0.0, 0.0};
            double exact = bruteRay(&mesh, &ray, &normal);
            assert_int_equal(shRayCastScenery(scenery, origin, &ray, &hit, NULL), shOk);
            assert_int_equal(hit.hits, exact <= 1.0);
            assert_false(hit.inside);
            if (!hit.hits)
                continue;
            assert_true(hit.fraction == (float)exact);
            DVec3 corners[3];
            meshCorners(&mesh, hit.feature, corners);
            assert_true(triClosest(corners[0], corners[1], corners[2], dFromV(hit.point)).distance < 1e-6);
            assert_true(hit.normal.y > 0.0f);
            ++hits;
        }
        shDestroyScenery(scenery);
        meshFree(&mesh);
    }
    assert_true(hits > 600);
    assert_int_equal(shDestroyContext(context), 0);
}

static void closed_scenery_has_an_inside(void** unused)
{
    (void)unused;
    Models m;
    modelsSetUp(&m);
    Mesh mesh = meshOfPiece(m.solids[1], 0);
    shScenery* scenery = sceneryOf(m.context, &mesh, 0.0f);
    shCollider collider = {m.solids[1], 0, origin};
    shBox box = boxGrow(shScenery_GetInfo(scenery).box, 0.02f);
    Random random = randomSeed(6);
    for (int k = 0; k < 1000; ++k) {
        shRay ray = randomRay(&random, &mesh, box, k);
        shRayHit a, b;
        assert_int_equal(shRayCast(&collider, &ray, &a, NULL), shOk);
        assert_int_equal(shRayCastScenery(scenery, origin, &ray, &b, NULL), shOk);
        assert_int_equal(a.hits, b.hits);
        assert_true(a.fraction == b.fraction);
        if (a.inside != b.inside)
            assert_true(fabs(meshDistance(&mesh, ray.origin)) < 1e-6);
    }
    shDestroyScenery(scenery);
    meshFree(&mesh);
    modelsTearDown(&m);
}

static void rays_that_make_no_sense_are_refused(void** unused)
{
    (void)unused;
    Models m;
    modelsSetUp(&m);
    Random random = randomSeed(7);
    Mesh mesh = terrainOf(&random, 2, 1.0f, 0.0f, 0.0f);
    shScenery* scenery = sceneryOf(m.context, &mesh, 0.0f);
    shCollider good = {m.solids[0], 0, origin}, bad = good;
    shShape shape = {.type = shSphereShape, .radius = -1.0f};
    shRay ray = {0};
    shRayHit hit;
    // A ray of no length hits nothing, but knows where it is.
    assert_int_equal(shRayCast(&good, &ray, &hit, NULL), shOk);
    assert_true(!hit.hits && hit.fraction == 1.0f);
    assert_int_equal(shRayCastScenery(scenery, origin, &ray, &hit, NULL), shOk);
    assert_false(hit.hits);
    assert_int_equal(shRayCastShape(&shape, origin, &ray, &hit, NULL), shInvalid);
    shape.radius = 1.0f;
    assert_int_equal(shRayCastShape(&shape, origin, &ray, &hit, NULL), shOk);
    assert_true(!hit.hits && hit.inside);
    bad.piece = 3;
    assert_int_equal(shRayCast(&bad, &ray, &hit, NULL), shInvalid);
    bad = good;
    bad.transform.q.s = 2.0f;
    assert_int_equal(shRayCast(&bad, &ray, &hit, NULL), shInvalid);
    bad.solid = NULL;
    assert_int_equal(shRayCast(&bad, &ray, &hit, NULL), shInvalid);
    assert_int_equal(shRayCast(&good, NULL, &hit, NULL), shInvalid);
    assert_int_equal(shRayCast(&good, &ray, NULL, NULL), shInvalid);
    assert_int_equal(shRayCastShape(NULL, origin, &ray, &hit, NULL), shInvalid);
    assert_int_equal(shRayCastScenery(NULL, origin, &ray, &hit, NULL), shInvalid);
    ray.translation.y = INFINITY;
    assert_int_equal(shRayCast(&good, &ray, &hit, NULL), shInvalid);
    assert_int_equal(shRayCastShape(&shape, origin, &ray, &hit, NULL), shInvalid);
    assert_int_equal(shRayCastScenery(scenery, origin, &ray, &hit, NULL), shInvalid);
    shDestroyScenery(scenery);
    meshFree(&mesh);
    modelsTearDown(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_hit_where_brute_force_hits_them),
        cmocka_unit_test(no_ray_leaves_a_piece_unseen),
        cmocka_unit_test(hits_move_with_what_is_hit),
        cmocka_unit_test(shapes_are_hit_on_their_surface_and_not_before),
        cmocka_unit_test(scenery_is_hit_where_brute_force_hits_it),
        cmocka_unit_test(closed_scenery_has_an_inside),
        cmocka_unit_test(rays_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

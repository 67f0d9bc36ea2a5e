// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What is stacked stands: at 30 steps a second, sixty seconds, without sleep. (S4)
#include "test/world_scene.h"

enum { minute = 1800 };

static const shShape tenCentimetres = {.type = shBoxShape, .halfExtent = {0.05f, 0.05f, 0.05f}};

// Stands where it was put, in its last second nothing shivers, and nothing is deeper in another than the tolerance.
static void stands(Scene* scene, int steps, float drift)
{
    sceneRun(scene, steps - 30);
    float speed = sceneShiver(scene, 30), moved = sceneDrift(scene), depth = sceneDepth(scene);
    if (!(moved <= drift) || !(speed <= 1e-4f) || !(depth <= 0.5f * CONTACT_TOLERANCE))
        fail_msg("moved %.3f mm, %.3f mm/s, %.4f %% deep", 1e3 * (double)moved, 1e3 * (double)speed,
                 1e2 * (double)depth);
}

static void tenBoxes(float offset, uint64_t seed)
{
    Scene scene = sceneMake(NULL);
    sceneGround(&scene, qIdentity(), 0.5f);
    Random random = randomSeed(seed);
    for (int i = 0; i < 10; ++i) {
        float x = randomRange(&random, -offset, offset);
        float z = randomRange(&random, -offset, offset);
        sceneAdd(&scene, sceneBox(&tenCentimetres, vec3(x, 0.05f + 0.1f * (float)i, z)));
    }
    stands(&scene, minute, 1e-3f);
    sceneFree(&scene);
}

static void tenBoxesStandForAMinute(void** state)
{
    (void)state;
    tenBoxes(0.0f, 1);
}

static void tenBoxesOutOfLineStandForAMinute(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed)
        tenBoxes(2e-3f, seed);
}

static void tenBricks(float offset)
{
    Scene scene = sceneMake("brick");
    sceneGround(&scene, qIdentity(), 0.5f);
    shBox box = shAsset_GetInfo(scene.asset).box;
    Random random = randomSeed(5);
    for (int i = 0; i < 10; ++i) {
        float x = randomRange(&random, -offset, offset);
        float z = randomRange(&random, -offset, offset);
        sceneAdd(&scene, scenePiece(&scene, vec3(x, (float)i * (box.upper.y - box.lower.y) - box.lower.y, z)));
    }
    stands(&scene, minute, 1e-3f);
    sceneFree(&scene);
}

static void tenBricksStandForAMinute(void** state)
{
    (void)state;
    tenBricks(0.0f);
    tenBricks(2e-3f);
}

static void aPyramidOf55Stands(void** state)
{
    (void)state;
    Scene scene = sceneMake(NULL);
    sceneGround(&scene, qIdentity(), 0.5f);
    for (int row = 0; row < 10; ++row) {
        for (int i = 0; i < 10 - row; ++i)
            sceneAdd(&scene, sceneBox(&tenCentimetres, vec3(0.11f * ((float)i - 0.5f * (float)(9 - row)),
                                                            0.05f + 0.1f * (float)row, 0.0f)));
    }
    assert_int_equal(scene.count, 55);
    stands(&scene, 600, 1e-3f);
    sceneFree(&scene);
}

// Three storeys: cards lean on each other at 70°, others lie on top.
static void aCardHouseStands(void** state)
{
    (void)state;
    Scene scene = sceneMake(NULL);
    sceneGround(&scene, qIdentity(), 0.6f);
    const float length = 0.06f, thick = 0.002f, lean = 1.2217f;
    float high = length * sinf(lean) + thick * cosf(lean), wide = length * cosf(lean) + thick * sinf(lean);
    shShape card = {.type = shBoxShape, .halfExtent = {0.5f * length, 0.5f * thick, 0.045f}};
    shShape lid = {.type = shBoxShape, .halfExtent = {wide, 0.5f * thick, 0.045f}};
    for (int storey = 0; storey < 3; ++storey) {
        float floor = (float)storey * (high + thick);
        int tents = 3 - storey;
        for (int i = 0; i < 2 * tents; ++i) {
            float side = i % 2 == 0 ? -1.0f : 1.0f, x = ((float)(i / 2) - 0.5f * (float)(tents - 1)) * 2.0f * wide;
            shBodyDef def = sceneBox(&card, vec3(x + 0.5f * side * wide, floor + 0.5f * high, 0.0f));
            def.transform.q = qFromAxisAngle(vec3(0.0f, 0.0f, 1.0f), -side * lean);
            def.density = 700.0f;
            def.friction = 0.6f;
            sceneAdd(&scene, def);
        }
        for (int i = 0; i < tents - 1; ++i) {
            float x = ((float)i - 0.5f * (float)(tents - 2)) * 2.0f * wide;
            shBodyDef def = sceneBox(&lid, vec3(x, floor + high + 0.5f * thick, 0.0f));
            def.density = 700.0f;
            def.friction = 0.6f;
            sceneAdd(&scene, def);
        }
    }
    stands(&scene, 600, 1e-3f);
    sceneFree(&scene);
}

static void ringsStandOnEachOther(void** state)
{
    (void)state;
    Scene scene = sceneMake("torus");
    sceneGround(&scene, qIdentity(), 0.5f);
    shBox box = shAsset_GetInfo(scene.asset).box;
    for (int i = 0; i < 5; ++i)
        sceneAdd(&scene, scenePiece(&scene, vec3(0.0f, (float)i * (box.upper.y - box.lower.y) - box.lower.y, 0.0f)));
    stands(&scene, 300, 1e-3f);
    sceneFree(&scene);
}

// Bowls put into each other slide to where they fit, and rest there.
static void bowlsRestInEachOther(void** state)
{
    (void)state;
    Scene scene = sceneMake("bowl");
    sceneGround(&scene, qIdentity(), 0.5f);
    float lower = shAsset_GetInfo(scene.asset).box.lower.y;
    for (int i = 0; i < 3; ++i)
        sceneAdd(&scene, scenePiece(&scene, vec3(0.0f, 0.02f * (float)i - lower, 0.0f)));
    sceneRun(&scene, 150);
    for (int i = 0; i < scene.count; ++i)
        scene.start[i] = shBody_GetTransform(scene.world, scene.bodies[i]);
    stands(&scene, 100, 1e-4f);
    shVec3 top = shBody_GetTransform(scene.world, scene.bodies[2]).p;
    assert_true(hypotf(top.x, top.z) < 0.02f);
    sceneFree(&scene);
}

// The corner of the upper box is nearer to the side of the lower one than to its top once it has sunk in a little: it
// must be lifted and not pushed off.
static void aCornerNearTheRimIsNotPushedSideways(void** state)
{
    (void)state;
    const float inset[] = {1e-5f, 1e-4f, 1e-3f}, depth = 5e-5f;
    for (int i = 0; i < 3; ++i) {
        Scene scene = sceneMake("brick");
        sceneGround(&scene, qIdentity(), 0.5f);
        shBox box = shAsset_GetInfo(scene.asset).box;
        float high = box.upper.y - box.lower.y;
        sceneAdd(&scene, scenePiece(&scene, vec3(0.0f, -box.lower.y, 0.0f)));
        sceneAdd(&scene, scenePiece(&scene, vec3(-inset[i], high - box.lower.y - depth, -inset[i])));
        stands(&scene, 60, 1e-4f);
        sceneFree(&scene);
    }
}

static void anElevatorLifts(void** state)
{
    (void)state;
    Scene scene = sceneMake(NULL);
    shShape floor = {.type = shBoxShape, .halfExtent = {0.5f, 0.1f, 0.5f}};
    shBodyDef def = sceneBox(&floor, vec3(0.0f, -0.1f, 0.0f));
    def.type = shKinematicBody;
    def.velocity = vec3(0.0f, 2.0f, 0.0f);
    shBodyId elevator = sceneAdd(&scene, def);
    double mass = 0.0;
    for (int i = 0; i < 3; ++i) {
        sceneAdd(&scene, sceneBox(&tenCentimetres, vec3(0.0f, 0.05f + 0.1f * (float)i, 0.0f)));
        mass += shBody_GetMass(scene.world, scene.bodies[i]);
    }
    // It works: on their weight, and to begin with on their speed, twice what they get of it.
    double lifting = mass * 9.81 * 2.0 * (double)sceneStep;
    scene.books.work = lifting + mass * 2.0 * 2.0;
    sceneRun(&scene, 1);
    scene.books.work = lifting;
    scene.books.sum = scene.books.total = 0.0;
    sceneRun(&scene, 89);
    assert_true(scene.books.sum > -0.01 * lifting * 89.0); // and lifts all of it
    float lifted = shBody_GetTransform(scene.world, elevator).p.y + 0.1f;
    assert_float_equal(lifted, 6.0f, 1e-4f);
    for (int i = 0; i < 3; ++i) {
        shVec3 at = shBody_GetTransform(scene.world, scene.bodies[i]).p;
        assert_float_equal(at.y - lifted, scene.start[i].p.y, 1e-3f);
        assert_float_equal(shBody_GetVelocity(scene.world, scene.bodies[i]).y, 2.0f, 1e-3f);
    }
    sceneFree(&scene);
}

// Bricks, whole and broken, thrown on a heap: at rest they are hardly in each other, and nothing shivers.
static void aHeapComesToRest(void** state)
{
    (void)state;
    Scene scene = sceneMake("brick");
    shMessage message = {""};
    sceneGround(&scene, qIdentity(), 0.6f);
    Random random = randomSeed(11);
    for (int i = 0; i < 12; ++i) {
        shBodyDef def =
            scenePiece(&scene, vec3(0.12f * (float)(i % 2), 0.15f + 0.16f * (float)(i / 2), 0.05f * (float)(i % 3)));
        def.transform.q = randomRotation(&random);
        shBodyId id = sceneAdd(&scene, def);
        if (i % 3 > 0)
            continue;
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = 8;
        pattern.seed = randomBits(&random);
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
        shBodyBreak broken;
        sceneCheck(shBody_Break(scene.world, id, &pattern, &impact, &broken, &message), &message);
        for (int k = 1; k < broken.bodyCount; ++k)
            scene.bodies[scene.count++] = broken.bodies[k];
    }
    assert_true(scene.count > 30);
    sceneRun(&scene, 270);
    float speed = sceneShiver(&scene, 30), depth = sceneDepth(&scene);
    if (!(speed <= 1e-3f) || !(depth <= 5e-3f))
        fail_msg("%d bodies: %.3f mm/s, %.4f %% deep", scene.count, 1e3 * (double)speed, 1e2 * (double)depth);
    sceneFree(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenBoxesStandForAMinute),  cmocka_unit_test(tenBoxesOutOfLineStandForAMinute),
        cmocka_unit_test(tenBricksStandForAMinute), cmocka_unit_test(aPyramidOf55Stands),
        cmocka_unit_test(aCardHouseStands),         cmocka_unit_test(ringsStandOnEachOther),
        cmocka_unit_test(bowlsRestInEachOther),     cmocka_unit_test(aCornerNearTheRimIsNotPushedSideways),
        cmocka_unit_test(anElevatorLifts),          cmocka_unit_test(aHeapComesToRest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Nothing gains energy (S1-S3), however wild: per step at most 1e-4 and in all 1e-3 of the largest, measured from the
// lowest place of rest. What pushing out lifts is booked by itself. The books are those of test/world_scene.h, which
// audits stacks and inclines as well.
#include "test/world_scene.h"

// Boxes, bricks and balls thrown into each other.
static void throwHeap(Scene* scene, float restitution, uint64_t seed)
{
    static const shShape shapes[] = {{.type = shBoxShape, .halfExtent = {0.05f, 0.03f, 0.08f}},
                                     {.type = shSphereShape, .radius = 0.05f},
                                     {.type = shCapsuleShape, .radius = 0.03f, .halfHeight = 0.05f}};
    Random random = randomSeed(seed);
    for (int i = 0; i < 24; ++i) {
        shVec3 at = vec3(0.25f * (float)(i % 3 - 1), 0.3f + 0.25f * (float)(i / 6), 0.25f * (float)(i / 3 % 2));
        shBodyDef def = i % 4 < 3 ? sceneBox(&shapes[i % 4], at) : scenePiece(scene, at);
        def.restitution = restitution;
        def.transform.q = randomRotation(&random);
        def.velocity = vFromD(randomVector(&random, 3.0));
        def.angularVelocity = vFromD(randomVector(&random, 20.0));
        sceneAdd(scene, def);
    }
}

static void aThrownHeapGainsNothing(void** state)
{
    (void)state;
    const float restitutions[] = {0.0f, 0.3f, 0.8f, 1.0f};
    for (int i = 0; i < 4; ++i) {
        Scene scene = sceneMake("brick");
        sceneGround(&scene, qIdentity(), 0.5f);
        throwHeap(&scene, restitutions[i], 7 + (uint64_t)i);
        sceneRun(&scene, 90);
        sceneFree(&scene);
    }
}

static void aSpinningBoxGainsNothing(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    for (int i = 0; i < 20; ++i) {
        Scene scene = sceneMake(NULL);
        sceneGround(&scene, qIdentity(), randomRange(&random, 0.0f, 1.0f));
        shShape plank = {.type = shBoxShape, .halfExtent = {0.2f, 0.02f, 0.05f}};
        shBodyDef def = sceneBox(&plank, vec3(0.0f, 0.5f, 0.0f));
        def.restitution = randomRange(&random, 0.0f, 1.0f);
        def.transform.q = randomRotation(&random);
        def.angularVelocity = vFromD(randomVector(&random, 60.0));
        sceneAdd(&scene, def);
        sceneRun(&scene, 120);
        sceneFree(&scene);
    }
}

static void aStackHitByABoxGainsNothing(void** state)
{
    (void)state;
    Scene scene = sceneMake(NULL);
    sceneGround(&scene, qIdentity(), 0.5f);
    shShape box = {.type = shBoxShape, .halfExtent = {0.05f, 0.05f, 0.05f}};
    for (int i = 0; i < 10; ++i)
        sceneAdd(&scene, sceneBox(&box, vec3(0.0f, 0.05f + 0.1f * (float)i, 0.0f)));
    shBodyDef def = sceneBox(&box, vec3(-1.0f, 0.5f, 0.01f));
    def.velocity = vec3(8.0f, 1.0f, 0.0f);
    def.density = 4000.0f;
    sceneAdd(&scene, def);
    sceneRun(&scene, 150);
    sceneFree(&scene);
}

// Pieces that come of a break lie in each other's cracks; they fall apart and nothing flies off.
static void aBrokenBrickGainsNothing(void** state)
{
    (void)state;
    Scene scene = sceneMake("brick");
    sceneGround(&scene, qIdentity(), 0.5f);
    shBodyId brick = sceneAdd(&scene, scenePiece(&scene, vec3(0.0f, 0.2f, 0.0f)));
    shPattern pattern = shDefaultPattern(shUniformPattern);
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
    shMessage message = {""};
    sceneCheck(shBody_Break(scene.world, brick, &pattern, &impact, NULL, &message), &message);
    sceneRun(&scene, 90);
    sceneFree(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aThrownHeapGainsNothing),
        cmocka_unit_test(aSpinningBoxGainsNothing),
        cmocka_unit_test(aStackHitByABoxGainsNothing),
        cmocka_unit_test(aBrokenBrickGainsNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

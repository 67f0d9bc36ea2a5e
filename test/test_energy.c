// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Nothing gains energy (S1-S3): per step at most 1e-4 and in all 1e-3 of the largest so far, measured from the lowest
// place of rest. What pushing out lifts is booked by itself.
#include "test/world_scene.h"

typedef struct Audit {
    double most;           // J, largest energy so far
    double gained;         // J, sum of what steps gained and lost
    double step, total;    // largest relative gains
    double pushed;         // J
    double last, unbooked; // J: energy after the last step; largest difference between it and the books
} Audit;

static void auditStep(Scene* scene, Audit* audit)
{
    sceneRun(scene, 1);
    shEnergy energy = shWorld_GetEnergy(scene->world);
    double now = energy.kinetic + energy.potential;
    audit->step = maxD(audit->step, -energy.lost / audit->most);
    audit->gained -= energy.lost;
    audit->total = maxD(audit->total, audit->gained / audit->most);
    audit->pushed += energy.pushed;
    audit->unbooked = maxD(audit->unbooked, fabs(now - audit->last - energy.pushed + energy.lost));
    audit->last = now;
    audit->most = maxD(audit->most, now);
}

static void checkRun(Scene* scene, int steps, const char* name)
{
    shEnergy start = shWorld_GetEnergy(scene->world);
    Audit audit = {.most = start.kinetic + start.potential};
    audit.last = audit.most;
    for (int i = 0; i < steps; ++i)
        auditStep(scene, &audit);
    if (audit.step > 1e-4 || audit.total > 1e-3 || audit.unbooked > 1e-6 * audit.most)
        fail_msg("%s: gained %.2g in a step, %.2g in all; %.2g J of %.2g J in no book", name, audit.step, audit.total,
                 audit.unbooked, audit.most);
    assert_true(audit.pushed < 0.05 * audit.most);
}

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
        def.velocity = vScale(randomRange(&random, 0.0f, 3.0f), vFromD(randomDirection(&random)));
        def.angularVelocity = vScale(randomRange(&random, 0.0f, 20.0f), vFromD(randomDirection(&random)));
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
        checkRun(&scene, 90, i == 0 ? "dull" : i == 1 ? "hard" : i == 2 ? "bouncing" : "elastic");
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
        def.angularVelocity = vScale(randomRange(&random, 0.0f, 60.0f), vFromD(randomDirection(&random)));
        sceneAdd(&scene, def);
        checkRun(&scene, 120, "plank");
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
    checkRun(&scene, 150, "stack");
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
    checkRun(&scene, 90, "pieces");
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

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Same calls, same bits: 300 steps of a world with some of everything, hashed every 50 and compared with what is
// written in test/golden/scene.txt. Every build, any number of threads and WebAssembly must agree. `make golden` writes
// the file anew.
#include "sherd/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 300, EVERY = 50, HASHES = STEPS / EVERY, MODELS = 4 };
static const char* const models[MODELS] = {"brick", "bowl", "plate", "sphere"};

typedef struct Scene {
    shContext* context;
    shWorld* world;
    shAsset* assets[MODELS];
    shScenery* scenery;
} Scene;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shBodyId add(Scene* scene, const shBodyDef* def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(scene->world, def, &id, &message), &message);
    return id;
}

static shBodyId addModel(Scene* scene, int model, shVec3 at, const shFractureDef* fracture)
{
    shBodyDef def = shDefaultBodyDef();
    def.asset = scene->assets[model];
    def.fracture = fracture;
    def.transform.p = at;
    return add(scene, &def);
}

static shBodyId addShape(Scene* scene, shBodyType type, shShape shape, shVec3 at, shVec3 velocity)
{
    shBodyDef def = shDefaultBodyDef();
    def.type = type;
    def.shape = &shape;
    def.transform.p = at;
    def.velocity = velocity;
    return add(scene, &def);
}

// A wedge lying on the ground: two triangles up its slope, open below.
static void addRamp(Scene* scene)
{
    const shVec3 points[] = {{-0.6f, 0.0f, -0.5f}, {0.0f, 0.3f, -0.5f}, {0.0f, 0.3f, 0.5f}, {-0.6f, 0.0f, 0.5f}};
    const int triangles[][3] = {{0, 2, 1}, {0, 3, 2}};
    shSceneryDef def = shDefaultSceneryDef();
    def.points = points;
    def.pointCount = 4;
    def.triangles = triangles;
    def.triangleCount = 2;
    shMessage message = {""};
    check(shCreateScenery(scene->context, &def, &scene->scenery, &message), &message);
    shBodyDef body = shDefaultBodyDef();
    body.type = shStaticBody;
    body.scenery = scene->scenery;
    body.transform.p.x = 1.5f;
    add(scene, &body);
}

// Falls as the pieces that a pattern made of it.
static void addBroken(Scene* scene, int model, shPatternType type, shVec3 at)
{
    shBodyId body = addModel(scene, model, at, NULL);
    shMessage message = {""};
    check(shBody_SetVelocity(scene->world, body, (shVec3){0.3f, 0.0f, 0.1f}, (shVec3){1.0f, 5.0f, -2.0f}, &message),
          &message);
    shPattern pattern = shDefaultPattern(type);
    pattern.pieces = 10;
    shImpact impact = shDefaultImpact((shVec3){0.0f, 0.0f, 0.0f});
    shBodyBreak broken;
    check(shBody_Break(scene->world, body, &pattern, &impact, &broken, &message), &message);
    assert_true(broken.bodyCount > 3);
}

static Scene sceneCreate(int workers)
{
    Scene scene = {0};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = workers;
    check(shCreateContext(&contextDef, &scene.context, &message), &message);
    shWorldDef worldDef = shDefaultWorldDef();
    check(shCreateWorld(scene.context, &worldDef, &scene.world, &message), &message);
    shCookDef cook = shDefaultCookDef();
    for (int m = 0; m < MODELS; ++m)
        check(shCookModel(scene.context, models[m], m == 0 ? 1.0f : 0.5f, &cook, &scene.assets[m], &message), &message);

    addShape(&scene, shStaticBody, (shShape){.type = shPlaneShape}, (shVec3){0.0f, 0.0f, 0.0f},
             (shVec3){0.0f, 0.0f, 0.0f});
    addRamp(&scene);
    // A wall of bricks in running bond, in the way of a fast ball.
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    for (int row = 0; row < 4; ++row)
        for (int i = 0; i < 4; ++i)
            addModel(&scene, 0, (shVec3){0.22f * (float)i + 0.11f * (float)(row % 2), 0.0651f * (float)row, 0.0f},
                     &fracture);
    addShape(&scene, shDynamicBody, (shShape){.type = shSphereShape, .radius = 0.06f}, (shVec3){0.35f, 0.2f, -6.0f},
             (shVec3){0.0f, 1.0f, 15.0f});
    addShape(&scene, shDynamicBody, (shShape){.type = shBoxShape, .halfExtent = {0.1f, 0.05f, 0.08f}},
             (shVec3){1.2f, 0.6f, 0.1f}, (shVec3){0.0f, 0.0f, 0.0f});
    addShape(&scene, shDynamicBody, (shShape){.type = shCapsuleShape, .radius = 0.04f, .halfHeight = 0.1f},
             (shVec3){-0.8f, 0.5f, 0.0f}, (shVec3){0.5f, 0.0f, 0.0f});
    addBroken(&scene, 1, shUniformPattern, (shVec3){1.2f, 0.9f, 0.0f});
    addBroken(&scene, 2, shRadialPattern, (shVec3){-0.5f, 0.7f, 0.1f});
    addBroken(&scene, 3, shClusteredPattern, (shVec3){0.3f, 0.8f, 0.0f});
    return scene;
}

static void sceneDestroy(Scene* scene)
{
    shDestroyWorld(scene->world);
    shDestroyScenery(scene->scenery);
    for (int m = 0; m < MODELS; ++m)
        shDestroyAsset(scene->assets[m]);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

static void runScene(int workers, uint64_t hashes[HASHES])
{
    Scene scene = sceneCreate(workers);
    shMessage message = {""};
    int64_t breaks = 0;
    for (int step = 1; step <= STEPS; ++step) {
        check(shWorld_Step(scene.world, 1.0f / 60.0f, &message), &message);
        breaks += shWorld_GetCounters(scene.world).broken;
        if (step % EVERY == 0)
            hashes[step / EVERY - 1] = shWorld_GetHash(scene.world);
    }
    shCounters counters = shWorld_GetCounters(scene.world);
    print_message("%d bodies, %d awake, %d touching pairs, %d broke\n", counters.bodies, counters.awake,
                  counters.touching, (int)breaks);
    assert_true(breaks > 0 && counters.bodies > 40 && counters.touching > 40);
    sceneDestroy(&scene);
}

static void three_hundred_steps_have_the_golden_bits(void** unused)
{
    (void)unused;
    char path[512];
    snprintf(path, sizeof(path), "%s/golden/scene.txt", TEST_FOLDER);
    const char* mode = getenv("SHERD_GOLDEN");
    bool write = mode != NULL && strcmp(mode, "write") == 0;
    uint64_t one[HASHES], three[HASHES];
    runScene(1, one);
    runScene(3, three);
    assert_memory_equal(one, three, sizeof(one));
    FILE* file = fopen(path, write ? "w" : "r");
    assert_non_null(file);
    for (int i = 0; i < HASHES; ++i) {
        int step = 0;
        unsigned long long golden = 0;
        if (write)
            fprintf(file, "%d %016llx\n", (i + 1) * EVERY, (unsigned long long)one[i]);
        else if (fscanf(file, "%d %llx", &step, &golden) != 2 || step != (i + 1) * EVERY || golden != one[i])
            fail_msg("step %d: %016llx, golden is %016llx; if the change is meant, run make golden", (i + 1) * EVERY,
                     (unsigned long long)one[i], golden);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_hundred_steps_have_the_golden_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Islands do not know of each other (X16): a tower, a card house and a rolling plate have the same poses and
// velocities, bit for bit, in every step, whether they are alone or beside a heap that falls, jostles and comes to
// rest; whoever was made first; asleep or not; while shots go through the heap.
//
// `make soak` has a heap of a thousand:
//   test_islands --bodies 1000
#include "core/hash.h"
#include "test/world_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 300 };

static int heapBodies = 50;

// A few bodies to watch, added to a world that has a ground.
typedef void Build(Scene* scene);

static void buildTower(Scene* scene)
{
    static const shShape box = {.type = shBoxShape, .halfExtent = {0.05f, 0.05f, 0.05f}};
    for (int i = 0; i < 10; ++i) // out of line, so that it sways
        sceneAdd(scene, sceneBox(&box, vec3(i % 2 == 0 ? 0.0f : 2e-3f, 0.05f + 0.1f * (float)i, 0.0f)));
}

static void addCard(Scene* scene, const shShape* shape, shVec3 at, float turn)
{
    shBodyDef def = sceneBox(shape, at);
    def.transform.q = qFromAxisAngle(vec3(0.0f, 0.0f, 1.0f), turn);
    def.density = 700.0f;
    def.friction = 0.6f;
    sceneAdd(scene, def);
}

// Two storeys.
static void buildCardHouse(Scene* scene)
{
    const float length = 0.06f, thick = 0.002f, lean = 1.2217f;
    float high = length * sinf(lean) + thick * cosf(lean), wide = length * cosf(lean) + thick * sinf(lean);
    shShape card = {.type = shBoxShape, .halfExtent = {0.5f * length, 0.5f * thick, 0.045f}};
    shShape lid = {.type = shBoxShape, .halfExtent = {wide, 0.5f * thick, 0.045f}};
    for (int i = 0; i < 4; ++i) {
        float side = i % 2 == 0 ? -1.0f : 1.0f, x = ((float)(i / 2) - 0.5f) * 2.0f * wide;
        addCard(scene, &card, vec3(x + 0.5f * side * wide, 0.5f * high, 0.0f), -side * lean);
    }
    addCard(scene, &lid, vec3(0.0f, high + 0.5f * thick, 0.0f), 0.0f);
    for (int i = 0; i < 2; ++i) {
        float side = i % 2 == 0 ? -1.0f : 1.0f;
        addCard(scene, &card, vec3(0.5f * side * wide, 1.5f * high + thick, 0.0f), -side * lean);
    }
}

static void buildRollingPlate(Scene* scene)
{
    shBodyDef def = scenePiece(scene, vec3(-0.2f, 0.127f, 0.0f));
    def.transform.q = qFromAxisAngle(vec3(1.0f, 0.0f, 0.0f), 1.309f);
    def.velocity = vec3(0.9f, 0.0f, 0.0f);
    def.angularVelocity = vec3(0.0f, 1.5f, -7.2f);
    sceneAdd(scene, def);
}

// Boxes, balls and plates of several masses above each other, and shots that come in low and fast.
static void buildHeap(Scene* scene, int count)
{
    static const shShape shapes[3] = {{.type = shBoxShape, .halfExtent = {0.06f, 0.04f, 0.03f}},
                                      {.type = shSphereShape, .radius = 0.05f},
                                      {.type = shBoxShape, .halfExtent = {0.02f, 0.015f, 0.02f}}};
    Random random = randomSeed(5);
    for (int i = 0; i < count; ++i) {
        bool shot = i % 25 == 24;
        int layer = i / 25, place = i % 25;
        Vec3 at = {30.0f + 0.14f * (float)(place % 5), 0.1f + 0.16f * (float)layer, 0.14f * (float)(place / 5)};
        shBodyDef def = i % 10 == 9 ? scenePiece(scene, at) : sceneBox(&shapes[i % 3], at);
        def.transform.q = randomRotation(&random);
        def.density = i % 7 == 0 ? 20000.0f : 1000.0f; // some are much heavier
        def.restitution = i % 4 == 0 ? 0.4f : 0.0f;
        if (shot) {
            def = sceneBox(&shapes[2], vec3(36.0f + (float)layer, 0.2f, 0.14f * (float)(layer % 5)));
            def.velocity = vec3(-25.0f, 0.0f, 0.0f);
        }
        shBodyId id;
        shMessage message = {""};
        sceneCheck(shCreateBody(scene->world, &def, &id, &message), &message);
    }
}

typedef enum Heap { noHeap, heapBefore, heapAfter } Heap;

// The watched bodies' hash in every step.
static void run(Build* build, Heap heap, bool sleeping, int workers, uint64_t hashes[STEPS])
{
    Scene scene = {0};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = workers;
    sceneCheck(shCreateContext(&contextDef, &scene.context, &message), &message);
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.sleeping = sleeping;
    sceneCheck(shCreateWorld(scene.context, &worldDef, &scene.world, &message), &message);
    shCookDef cook = shDefaultCookDef();
    sceneCheck(shCookModel(scene.context, "plate", 1.0f, &cook, &scene.asset, &message), &message);
    sceneGround(&scene, qIdentity(), 0.5f);
    if (heap == heapBefore)
        buildHeap(&scene, heapBodies);
    build(&scene);
    if (heap == heapAfter)
        buildHeap(&scene, heapBodies);
    for (int step = 0; step < STEPS; ++step) {
        sceneCheck(shWorld_Step(scene.world, sceneStep, &message), &message);
        Hash hash = hashStart(1);
        for (int i = 0; i < scene.count; ++i) {
            const Body* body = worldBody(scene.world, scene.bodies[i]);
            hashBytes(&hash, &body->centre, sizeof body->centre);
            hashBytes(&hash, &body->transform, sizeof body->transform);
            hashBytes(&hash, &body->spin, sizeof body->spin);
            hashBytes(&hash, &body->velocity, sizeof body->velocity);
            hashBytes(&hash, &body->angular, sizeof body->angular);
            hashBytes(&hash, &body->awake, sizeof body->awake);
        }
        hashes[step] = hashValue(&hash);
    }
    shDestroyWorld(scene.world);
    shDestroyAsset(scene.asset);
    assert_int_equal(shDestroyContext(scene.context), 0);
}

static void compare(Build* build, bool sleeping)
{
    static uint64_t alone[STEPS], beside[STEPS];
    run(build, noHeap, sleeping, 1, alone);
    for (Heap heap = heapBefore; heap <= heapAfter; ++heap) {
        run(build, heap, sleeping, heap == heapAfter ? 2 : 1, beside);
        for (int step = 0; step < STEPS; ++step) {
            if (alone[step] != beside[step])
                fail_msg("a heap made %s makes a difference in step %d", heap == heapBefore ? "before" : "after", step);
        }
    }
}

static void a_tower_does_not_know_of_a_heap(void** state)
{
    (void)state;
    compare(buildTower, false);
    compare(buildTower, true);
}

static void a_card_house_does_not_know_of_a_heap(void** state)
{
    (void)state;
    compare(buildCardHouse, false);
}

static void a_rolling_plate_does_not_know_of_a_heap(void** state)
{
    (void)state;
    compare(buildRollingPlate, false);
}

int main(int count, char** arguments)
{
    if (count == 3 && strcmp(arguments[1], "--bodies") == 0)
        heapBodies = atoi(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tower_does_not_know_of_a_heap),
        cmocka_unit_test(a_card_house_does_not_know_of_a_heap),
        cmocka_unit_test(a_rolling_plate_does_not_know_of_a_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

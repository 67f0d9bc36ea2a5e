// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Sharp pieces that have got into each other come out again, whichever way their contacts point; heaps of them come to
// rest, with nothing deep and nothing that shivers. More of both, with a report, by
//   test_jam --heaps 20
#include "test/world_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 60, OUT_STEPS = 60, HEAP_PIECES = 480, FALL_STEPS = 90, REST_STEPS = 120 };
enum { CALM_STEPS = 30, CALM_MEAN = 180, CALM_MOST = 360 };
static int heaps = 2;
static bool verbose;

// Pieces of broken boxes, `count` of them.
static void addPieces(Scene* scene, int count, int seed, shBodyId* pieces)
{
    shMessage message = {""};
    shBodyDef def = shDefaultBodyDef();
    def.asset = scene->asset;
    def.friction = 0.5f;
    def.restitution = 0.0f;
    for (int made = 0; made < count; ++seed) {
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = PIECES;
        pattern.seed = (uint64_t)seed;
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
        shBodyId block;
        shBodyBreak broken;
        sceneCheck(shCreateBody(scene->world, &def, &block, &message), &message);
        sceneCheck(shBody_Break(scene->world, block, &pattern, &impact, &broken, &message), &message);
        for (int i = 0; i < broken.bodyCount; ++i) {
            if (made < count)
                pieces[made++] = broken.bodies[i];
            else
                sceneCheck(shDestroyBody(scene->world, broken.bodies[i], &message), &message);
        }
    }
}

static void put(shWorld* world, shBodyId id, shVec3 at, shQuat q)
{
    shMessage message = {""};
    shTransform place = {vSub(at, qRotate(q, worldBody(world, id)->restCentre)), q};
    sceneCheck(shBody_SetTransform(world, id, place, &message), &message);
    sceneCheck(shBody_SetVelocity(world, id, vec3(0, 0, 0), vec3(0, 0, 0), &message), &message);
}

// How deep two pieces are in each other, asked afresh, of the smaller one's diameter.
static double depthOf(shWorld* world, const Body* bodyA, const Body* bodyB)
{
    shCollider colliderA = bodyCollider(world, bodyA), colliderB = bodyCollider(world, bodyB);
    shCollideDef def = shDefaultCollideDef();
    const shContact* contacts;
    int count;
    shMessage message = {""};
    sceneCheck(shCollide(world->workers[0].query, &def, &colliderA, &colliderB, NULL, &contacts, &count, &message),
               &message);
    float deepest = 0.0f;
    for (int i = 0; i < count; ++i)
        deepest = maxF(deepest, -contacts[i].distance);
    return (double)deepest / (2.0 * (double)minF(bodyA->radius, bodyB->radius));
}

// The deepest of all pieces that touch, whatever their contacts know.
static double depthOfAll(shWorld* world)
{
    double depth = 0.0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        if (pair->count > 0 && a->solid >= 0 && b->solid >= 0)
            depth = maxD(depth, depthOf(world, a, b));
    }
    return depth;
}

static void pieces_in_each_other_come_out(void** state)
{
    (void)state;
    int jammed = 0, pairs = 0;
    double worst = 0.0, speed = 0.0;
    for (int trial = 0; trial < 4 * heaps; ++trial) {
        Scene scene = sceneMake("box");
        shWorld_SetGravity(scene.world, vec3(0.0f, 0.0f, 0.0f));
        shBodyId pieces[PIECES];
        addPieces(&scene, PIECES, 100 + trial, pieces);
        Random random = randomSeed((uint64_t)trial);
        double before[PIECES / 2];
        for (int i = 0; i < PIECES / 2; ++i) {
            shBodyId a = pieces[2 * i], b = pieces[2 * i + 1];
            Vec3 at = {4.0f * (float)(i % 6), 0.0f, 4.0f * (float)(i / 6)};
            put(scene.world, b, at, randomRotation(&random));
            shQuat q = randomRotation(&random);
            float reach = worldBody(scene.world, a)->radius + worldBody(scene.world, b)->radius;
            float size = minF(worldBody(scene.world, a)->radius, worldBody(scene.world, b)->radius);
            double depth = randomRangeD(&random, 0.01, 0.04);
            before[i] = 0.0;
            for (float x = reach; x > 0.0f && before[i] < depth; x -= 0.01f * size) {
                put(scene.world, a, vAdd(at, vec3(x, 0.0f, 0.0f)), q);
                before[i] = depthOf(scene.world, worldBody(scene.world, a), worldBody(scene.world, b));
            }
        }
        sceneRun(&scene, OUT_STEPS);
        for (int i = 0; i < PIECES / 2; ++i) {
            double depth =
                depthOf(scene.world, worldBody(scene.world, pieces[2 * i]), worldBody(scene.world, pieces[2 * i + 1]));
            worst = maxD(worst, depth);
            jammed += depth > 0.005;
            ++pairs;
            if (verbose && depth > 0.005)
                printf("  trial %d pair %d: %.2f %% deep, %.2f at first\n", trial, i, 100.0 * depth, 100.0 * before[i]);
        }
        for (int i = 0; i < PIECES; ++i)
            speed = maxD(speed, (double)vLength(worldBody(scene.world, pieces[i])->velocity));
        shDestroyWorld(scene.world);
        shDestroyAsset(scene.asset);
        assert_int_equal(shDestroyContext(scene.context), 0);
    }
    printf("  %d of %d pairs are still in each other, %.2f %% deep at most; fastest %.2g m/s\n", jammed, pairs,
           100.0 * worst, speed);
    assert_int_equal(jammed, 0);
    assert_true(speed < 1e-3);
}

// They fall gently into a bin, all at once, turned at random; then their weight is five times as much.
typedef struct Heap {
    Scene scene;
    shBodyId pieces[HEAP_PIECES];
    shVec3 gravity;
    int step;
} Heap;

static void heapMake(Heap* heap, int number)
{
    *heap = (Heap){.scene = sceneMake("box")};
    shWorld* world = heap->scene.world;
    addPieces(&heap->scene, HEAP_PIECES, 1 + 10 * number, heap->pieces);
    float cell = 0.0f;
    for (int i = 0; i < HEAP_PIECES; ++i)
        cell += 1.9f * worldBody(world, heap->pieces[i])->radius / (float)HEAP_PIECES;
    enum { side = 6 };
    shShape plane = {.type = shPlaneShape};
    shBodyDef bin = shDefaultBodyDef();
    bin.type = shStaticBody;
    bin.shape = &plane;
    static const shVec3 inward[5] = {{0, 1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}};
    for (int i = 0; i < 5; ++i) {
        bin.transform.q = qBetween(vec3(0.0f, 1.0f, 0.0f), inward[i]);
        bin.transform.p = i == 0 ? vec3(0, 0, 0) : vScale(-0.5f * cell * ((float)side + 0.3f), inward[i]);
        shMessage message = {""};
        shBodyId id;
        sceneCheck(shCreateBody(world, &bin, &id, &message), &message);
    }
    Random random = randomSeed((uint64_t)(17 + number));
    for (int i = 0; i < HEAP_PIECES; ++i)
        put(world, heap->pieces[i],
            vScale(cell, vec3((float)(i % side) - 0.5f * (float)(side - 1), 0.8f + (float)(i / (side * side)),
                              (float)(i / side % side) - 0.5f * (float)(side - 1))),
            randomRotation(&random));
    heap->gravity = shWorld_GetGravity(world);
    shWorld_SetGravity(world, vScale(0.2f, heap->gravity));
}

static void heapStep(Heap* heap)
{
    shMessage message = {""};
    if (heap->step++ == FALL_STEPS)
        shWorld_SetGravity(heap->scene.world, heap->gravity);
    sceneCheck(shWorld_Step(heap->scene.world, sceneStep, &message), &message);
}

// m/s, on average.
static double heapSpeed(const Heap* heap)
{
    double speed = 0.0;
    for (int i = 0; i < HEAP_PIECES; ++i)
        speed += (double)vLength(worldBody(heap->scene.world, heap->pieces[i])->velocity) / HEAP_PIECES;
    return speed;
}

static void heapFree(Heap* heap)
{
    shDestroyWorld(heap->scene.world);
    shDestroyAsset(heap->scene.asset);
    assert_int_equal(shDestroyContext(heap->scene.context), 0);
}

static void heaps_come_to_rest(void** state)
{
    (void)state;
    double deepest = 0.0, fastest = 0.0;
    for (int number = 0; number < heaps; ++number) {
        static Heap heap;
        heapMake(&heap, number);
        while (heap.step < FALL_STEPS + REST_STEPS)
            heapStep(&heap);
        double depth = (double)sceneDepth(&heap.scene), speed = heapSpeed(&heap);
        if (verbose)
            printf("  heap %d: %.3f %% deep, %.3f mm/s on average\n", number, 100.0 * depth, 1e3 * speed);
        deepest = maxD(deepest, depth);
        fastest = maxD(fastest, speed);
        heapFree(&heap);
    }
    printf("  %d heaps: %.3f %% deep, %.3f mm/s on average\n", heaps, 100.0 * deepest, 1e3 * fastest);
    assert_true(deepest <= 0.005);
    assert_true(fastest <= 3e-4);
}

// That is one moment, and what contacts know; at any given one a heap in ten has a piece that has just found a better
// place. So: six seconds later, as a mean over heaps, and twelve in every one, they have been at rest for a second, and
// nothing is deep then, asked afresh.
static void heaps_stay_at_rest(void** state)
{
    (void)state;
    int steps = 0, count = 2 * heaps;
    double deepest = 0.0;
    for (int number = 0; number < count; ++number) {
        static Heap heap;
        heapMake(&heap, number);
        for (int calm = 0; calm < CALM_STEPS;) {
            heapStep(&heap);
            bool rests = heap.step > FALL_STEPS && sceneDepth(&heap.scene) <= 0.005f && heapSpeed(&heap) <= 3e-4;
            calm = rests ? calm + 1 : 0;
            assert_true(heap.step <= FALL_STEPS + CALM_MOST);
        }
        double depth = depthOfAll(heap.scene.world);
        if (verbose)
            printf("  heap %d: %.3f %% deep, at rest after %d steps\n", number, 100.0 * depth, heap.step - FALL_STEPS);
        deepest = maxD(deepest, depth);
        steps += heap.step - FALL_STEPS;
        heapFree(&heap);
    }
    printf("  %d heaps: %.3f %% deep, at rest after %d steps\n", count, 100.0 * deepest, steps / count);
    assert_true(steps <= CALM_MEAN * count);
    assert_true(deepest <= 0.005);
}

// Where something breaks the step is solved again: what is jammed elsewhere, or lies there, has come a step further and
// not two.
static void a_step_solved_again_counts_once(void** state)
{
    (void)state;
    Scene scene = sceneMake("brick");
    sceneGround(&scene, qIdentity(), 0.5f);
    shMessage message = {""};
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    fracture.pattern.pieces = 4;
    fracture.impulse = 0.2;
    shBox rest = shAsset_GetInfo(scene.asset).box;
    shBodyDef def = scenePiece(&scene, vec3(0.0f, -rest.lower.y, 0.0f));
    shBodyId jam[2], target;
    sceneCheck(shCreateBody(scene.world, &def, &jam[0], &message), &message);
    def.transform.p.y -= 0.6f * rest.lower.y; // deep in the first
    sceneCheck(shCreateBody(scene.world, &def, &jam[1], &message), &message);
    def.transform.p = vec3(50.0f, -rest.lower.y, 0.0f);
    def.fracture = &fracture;
    sceneCheck(shCreateBody(scene.world, &def, &target, &message), &message);
    const shShape ball = {.type = shSphereShape, .radius = 0.1f};
    int broken = 0, counted = 0;
    for (int step = 0; step < 12; ++step) {
        if (step == 4 || step == 8) { // what is broken is hit again
            shBodyDef hit = sceneBox(&ball, vec3(50.0f, 0.5f, 0.0f));
            hit.density = 7800.0f;
            hit.velocity = vec3(0.0f, -30.0f, 0.0f);
            shBodyId id;
            sceneCheck(shCreateBody(scene.world, &hit, &id, &message), &message);
        }
        int index[2] = {bodyIndex(scene.world, worldBody(scene.world, jam[0])),
                        bodyIndex(scene.world, worldBody(scene.world, jam[1]))};
        int before = pairFind(scene.world, index[0], index[1]);
        int uses = before >= 0 ? scene.world->pairs.data[before].uses : 0;
        sceneCheck(shWorld_Step(scene.world, sceneStep, &message), &message);
        int breaks = shWorld_GetEvents(scene.world).breakCount;
        const Pair* pair = &scene.world->pairs.data[pairFind(scene.world, index[0], index[1])];
        broken += breaks > 0;
        if (breaks > 0 && uses < 0) {
            assert_true(pair->uses == uses - 1 || pair->uses == 0); // unless it has just come out
            ++counted;
        }
    }
    assert_true(broken > 0 && counted > 0);
    shDestroyWorld(scene.world);
    shDestroyAsset(scene.asset);
    assert_int_equal(shDestroyContext(scene.context), 0);
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--heaps") == 0) {
        heaps = atoi(argv[2]);
        verbose = true;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_each_other_come_out),
        cmocka_unit_test(heaps_come_to_rest),
        cmocka_unit_test(heaps_stay_at_rest),
        cmocka_unit_test(a_step_solved_again_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

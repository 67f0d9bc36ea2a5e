// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A crowd of fragments falls and comes to rest with continuous collision as it does without: no body hangs in mid-air.
// A body hangs when it is faster than 1 m/s, contacts change its velocity by less than a tenth, and it moves less than
// a tenth of its speed times the step, three steps running.
#include "core/context.h"
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { kinds = 3, objects = 12, mostBodies = 256, seconds = 2 };
static const char* const models[kinds] = {"brick", "plate", "sphere"};
static shContext* context;
static shAsset* assets[kinds];

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static void addWalls(shWorld* world)
{
    shMessage message = {""};
    shBodyId id;
    shShape plane = {.type = shPlaneShape};
    shBodyDef def = shDefaultBodyDef();
    def.type = shStaticBody;
    def.shape = &plane;
    check(shCreateBody(world, &def, &id, &message), &message);
    for (int k = 0; k < 4; ++k) {
        bool alongX = k < 2;
        float side = k % 2 ? 0.45f : -0.45f;
        shShape wall = {.type = shBoxShape, .halfExtent = alongX ? vec3(0.05f, 1.0f, 0.45f) : vec3(0.45f, 1.0f, 0.05f)};
        def.shape = &wall;
        def.transform.p = vec3(alongX ? side : 0.0f, 1.0f, alongX ? 0.0f : side);
        check(shCreateBody(world, &def, &id, &message), &message);
    }
}

// Objects above one another, each broken by hand.
static void addCrowd(shWorld* world, uint64_t seed)
{
    shMessage message = {""};
    Random random = randomSeed(seed);
    for (int i = 0; i < objects; ++i) {
        shBodyDef def = shDefaultBodyDef();
        def.asset = assets[i % kinds];
        def.transform.p = vec3(i % 2 ? 0.17f : -0.17f, 0.25f + 0.16f * (float)i, randomRange(&random, -0.1f, 0.1f));
        def.transform.q = randomRotation(&random);
        shBodyId id;
        check(shCreateBody(world, &def, &id, &message), &message);
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = 10;
        pattern.seed = randomBits(&random);
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
        check(shBody_Break(world, id, &pattern, &impact, NULL, &message), &message);
    }
}

typedef struct Fall {
    int hanging;   // bodies times steps
    double height; // m, mean of the centres' heights over the fall
    double atRest; // m, at its end
    double speed;  // m/s, mean at the end
} Fall;

typedef struct Seen {
    Vec3 centre, velocity;
    int steps;
} Seen;

static Fall fall(int rate, bool continuous, uint64_t seed)
{
    shMessage message = {""};
    shWorldDef def = shDefaultWorldDef();
    def.sleeping = false;
    def.continuous = continuous;
    shWorld* world;
    check(shCreateWorld(context, &def, &world, &message), &message);
    addWalls(world);
    addCrowd(world, seed);
    static Seen seen[mostBodies];
    float dt = 1.0f / (float)rate;
    Fall result = {0};
    for (int step = 0; step < seconds * rate; ++step) {
        check(shWorld_Step(world, dt, &message), &message);
        assert_true(world->bodies.count <= mostBodies);
        int count = 0;
        result.atRest = result.speed = 0.0;
        for (int i = 0; i < world->bodies.count; ++i) {
            const Body* body = &world->bodies.data[i];
            if (body->type != shDynamicBody)
                continue;
            Vec3 centre = vFromD(body->centre);
            float speed = vLength(body->velocity);
            Vec3 push = vSub(vSub(body->velocity, seen[i].velocity), vScale(dt, def.gravity));
            bool hangs =
                speed > 1.0f && vLength(push) < 0.1f * speed && vDistance(centre, seen[i].centre) < 0.1f * speed * dt;
            int steps = step > 0 && hangs ? seen[i].steps + 1 : 0;
            result.hanging += steps >= 3;
            seen[i] = (Seen){centre, body->velocity, steps};
            result.atRest += (double)centre.y;
            result.speed += (double)speed;
            ++count;
        }
        result.atRest /= count;
        result.speed /= count;
        result.height += result.atRest / (seconds * rate);
    }
    shDestroyWorld(world);
    return result;
}

static void a_crowd_falls_as_it_does_without_continuous_collision(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        Fall reference = fall(240, false, seed);
        const int rates[2] = {30, 60};
        for (int k = 0; k < 2; ++k) {
            Fall own = fall(rates[k], true, seed);
            printf("  seed %d, %d Hz: mean height %.3f m (%.3f at 240 Hz without), at rest %.4f (%.4f), %.4f m/s\n",
                   (int)seed, rates[k], own.height, reference.height, own.atRest, reference.atRest, own.speed);
            assert_int_equal(own.hanging, 0);
            assert_true(fabs(own.height - reference.height) <= 0.03 * 1.1);
            assert_true(own.speed < 0.05);
        }
    }
}

static int setUp(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    def.workerCount = 1;
    check(shCreateContext(&def, &context, &message), &message);
    shCookDef cook = shDefaultCookDef();
    for (int i = 0; i < kinds; ++i)
        check(shCookModel(context, models[i], 0.6f, &cook, &assets[i], &message), &message);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    for (int i = 0; i < kinds; ++i)
        shDestroyAsset(assets[i]);
    return shDestroyContext(context) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_crowd_falls_as_it_does_without_continuous_collision)};
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Who joins those that are slowed down (ejecta.c): found through lists, against a look at all that have pushed.
#include "core/context.h"
#include "core/random.h"
#include "dynamics/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

// Balls of a few masses fall on a plane and on each other.
static void fill(shWorld* world, Random* random, int count)
{
    static const float radii[] = {0.05f, 0.07f, 0.1f};
    shMessage message = {""};
    shBodyId id;
    shShape plane = {.type = shPlaneShape};
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &plane;
    check(shCreateBody(world, &ground, &id, &message), &message);
    for (int i = 0; i < count; ++i) {
        shShape ball = {.type = shSphereShape, .radius = radii[randomBelow(random, 3)]};
        shBodyDef def = shDefaultBodyDef();
        def.shape = &ball;
        float height = 0.1f + 0.05f * (float)i;
        def.transform.p = randomInBox(random, (shBox){{-0.3f, height, -0.3f}, {0.3f, height, 0.3f}});
        def.velocity = vec3(0.0f, -8.0f, 0.0f);
        check(shCreateBody(world, &def, &id, &message), &message);
    }
}

static bool isIn(const Crowd* crowd, int body)
{
    for (int i = 0; i < crowd->count; ++i) {
        if (crowd->bodies[i] == body)
            return true;
    }
    return false;
}

static void tryOne(const shWorld* world, const Crowd* crowd, int a, int b, int* heaviest)
{
    bool hasA = isIn(crowd, a), hasB = isIn(crowd, b);
    int other = hasA ? b : a;
    const Body* body = &world->bodies.data[other];
    if (hasA != hasB && body->mass > 0.0 && body->state >= 0 && !body->waiting &&
        (*heaviest < 0 || body->mass > world->bodies.data[*heaviest].mass))
        *heaviest = other;
}

static int lookAtAll(const shWorld* world, const Crowd* crowd)
{
    int heaviest = -1;
    for (int i = 0; i < world->order.count; ++i) {
        const Pair* pair = &world->pairs.data[world->order.data[i]];
        if (pair->load > 0.0f)
            tryOne(world, crowd, pair->a, pair->b, &heaviest);
    }
    for (int i = 0; i < world->crossings.count; ++i) {
        const Crossing* crossing = &world->crossings.data[i];
        if (crossing->met)
            tryOne(world, crowd, crossing->a, crossing->b, &heaviest);
    }
    return heaviest;
}

static void theHeaviestThatPushedJoins(void** state)
{
    (void)state;
    enum { BALLS = 80, STEPS = 40, CROWDS = 30 };
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 1;
    shContext* context;
    check(shCreateContext(&contextDef, &context, &message), &message);
    shWorldDef def = shDefaultWorldDef();
    shWorld* world;
    check(shCreateWorld(context, &def, &world, &message), &message);
    Random random = randomSeed(11);
    fill(world, &random, BALLS);
    int joined = 0, alone = 0;
    for (int step = 0; step < STEPS; ++step) {
        check(shWorld_Step(world, 1.0f / 30.0f, &message), &message);
        assert_true(pushesReserve(world, world->order.count + world->crossings.count));
        pushesList(world);
        for (int i = 0; i < CROWDS; ++i) {
            Crowd crowd = {.bodies = {1 + (int)randomBelow(&random, BALLS)}, .count = 1};
            int next = 0;
            while (next >= 0 && crowd.count < EJECTA_CROWD) {
                next = crowdNext(world, &crowd);
                assert_int_equal(next, lookAtAll(world, &crowd));
                if (next >= 0)
                    crowd.bodies[crowd.count++] = next;
            }
            joined += crowd.count - 1;
            alone += crowd.count == 1;
        }
    }
    assert_true(joined > STEPS * CROWDS && alone > 0);
    shDestroyWorld(world);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(theHeaviestThatPushedJoins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

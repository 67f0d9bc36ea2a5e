// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Breaks that a step's budget has no room for (X4): the body stays whole, passes on at most what it takes to break it,
// and breaks first in the next step. And many breaks at once, with any budget, on any number of threads.
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static shContext* shared;
static shAsset* brick;
static int brickCount = 24; // that break in one step
static bool table;          // over budgets, with times

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shBodyId add(shWorld* world, const shBodyDef* def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(world, def, &id, &message), &message);
    return id;
}

static shBodyId addBall(shWorld* world, Vec3 at, Vec3 velocity, float radius)
{
    shShape ball = {.type = shSphereShape, .radius = radius};
    shBodyDef def = shDefaultBodyDef();
    def.shape = &ball;
    def.density = 7800.0f;
    def.friction = 0.0f;
    def.transform.p = at;
    def.velocity = velocity;
    return add(world, &def);
}

static void step(shWorld* world)
{
    shMessage message = {""};
    check(shWorld_Step(world, 1.0f / 30.0f, &message), &message);
}

// ---- one that waits -------------------------------------------------------------------------------------------------

// Two bricks far apart, each hit by a ball in the same step; the budget is for one. The second ball, heavier or
// lighter, head-on or aside, comes from above, from the side or free of gravity.
static void what_waits_passes_on_no_more_than_breaks_it_and_breaks_first(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    double most = 0.0, least = 1.0, deepest = 0.0;
    int waited = 0;
    for (int trial = 0; trial < 24; ++trial) {
        shWorldDef def = shDefaultWorldDef();
        def.breakBudget = 1; // one break is always done
        if (trial % 3 == 0)
            def.gravity = vec3(0.0f, 0.0f, 0.0f);
        shMessage message = {""};
        shWorld* world;
        check(shCreateWorld(shared, &def, &world, &message), &message);
        shShape plane = {.type = shPlaneShape};
        shBodyDef ground = shDefaultBodyDef();
        ground.type = shStaticBody;
        ground.shape = &plane;
        add(world, &ground);
        shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
        fracture.pattern.pieces = 4;
        fracture.impulse = trial % 2 == 0 ? (double)randomRange(&random, 0.2f, 2.0f) : 0.0;
        shBox rest = shAsset_GetInfo(brick).box;
        shBodyDef body = shDefaultBodyDef();
        body.asset = brick;
        body.fracture = &fracture;
        shBodyId bricks[2], balls[2];
        float speed = randomRange(&random, 8.0f, 25.0f);
        for (int i = 0; i < 2; ++i) {
            body.transform.p = vec3(5.0f * (float)i, 0.0005f - rest.lower.y, 0.0f);
            bricks[i] = add(world, &body);
            bool aside = i == 1 && trial % 4 == 1;
            float radius = i == 0 ? 0.1f : randomRange(&random, 0.02f, aside ? 0.03f : 0.06f);
            Vec3 from = aside ? vec3(0.0f, 0.0f, -1.0f) : vec3(0.0f, 1.0f, 0.0f);
            float reach = (aside ? rest.upper.z : rest.upper.y) + radius + randomRange(&random, 0.001f, 0.01f);
            Vec3 at = vMad(vec3(body.transform.p.x + (i == 1 ? randomRange(&random, -0.05f, 0.05f) : 0.0f),
                                body.transform.p.y, 0.0f),
                           reach, from);
            balls[i] = addBall(world, at, vScale(i == 0 ? -40.0f : -speed, from), radius);
        }
        Vec3 before = shBody_GetVelocity(world, balls[1]);
        double mass = shBody_GetMass(world, balls[1]);
        step(world);
        shCounters counters = shWorld_GetCounters(world);
        if (counters.deferred == 0) {
            shDestroyWorld(world);
            continue; // the second was not hit hard enough
        }
        ++waited;
        assert_int_equal(counters.deferred, 1);
        assert_int_equal(counters.broken, 1);
        assert_int_equal(shWorld_GetEvents(world).breaks[0].body.index, bricks[0].index);
        assert_true(world->deferred.data[0].body.index == bricks[1].index);
        const Body* waiting = worldBody(world, bricks[1]);
        assert_true(waiting->waiting && waiting->most > 0.0f);
        assert_int_equal(waiting->piece, 0);
        // Without gravity nothing else slows the ball. With it, a ball that is held has not fallen either.
        double limit = (double)waiting->most;
        double slowed = mass * (double)vDistance(shBody_GetVelocity(world, balls[1]), before) / limit;
        if (def.gravity.y == 0.0f) {
            most = maxD(most, slowed);
            least = minD(least, slowed);
        }
        // To the ground as well, which bore the brick's weight before and may bear that and the blow.
        for (int i = 0; i < world->pairs.count; ++i) {
            const Pair* pair = &world->pairs.data[i];
            double sum = 0.0;
            for (int k = 0; k < pair->count; ++k)
                sum += (double)world->contacts.data[pair->first + k].total;
            if (pair->a == bricks[1].index || pair->b == bricks[1].index)
                most = maxD(most, sum / (limit + (double)pair->load));
        }
        // The ball has not gone through, nor far in.
        const Body* ball = worldBody(world, balls[1]);
        shQuery* query;
        check(shCreateQuery(shared, &query, &message), &message);
        shCollideDef collide = shDefaultCollideDef();
        shCollider collider = bodyCollider(world, waiting);
        const shContact* contacts;
        int count;
        check(shCollideShape(query, &collide, &collider, &ball->shape, ball->transform, NULL, &contacts, &count,
                             &message),
              &message);
        for (int i = 0; i < count; ++i)
            deepest = maxD(deepest, -(double)contacts[i].distance / (double)waiting->halfThickness);
        shDestroyQuery(query);
        bool aside = trial % 4 == 1;
        double ahead = aside ? waiting->centre.z - ball->centre.z : ball->centre.y - waiting->centre.y;
        assert_true(ahead > 0.0);
        // First in the next step.
        step(world);
        shWorldEvents events = shWorld_GetEvents(world);
        assert_true(events.breakCount >= 1);
        assert_int_equal(events.breaks[0].body.index, bricks[1].index);
        assert_true(events.breaks[0].impulse >= (float)limit && events.breaks[0].count > 1);
        shDestroyWorld(world);
    }
    printf("  %d waited; passed on %.6f of what breaks them at most, %.3f at least; balls %.2f of half a wall deep\n",
           waited, most, least, deepest);
    assert_true(waited >= 12);
    assert_true(most <= 1.001);
    assert_true(least > 0.5); // they do stop what they can
    assert_true(deepest < 1.0);
}

// A load does not break what waits, and what waits goes on bearing it: bricks on bricks do not sink into each other
// while the one that was hit waits for its turn.
static void what_waits_bears_what_it_bore(void** state)
{
    (void)state;
    shWorldDef def = shDefaultWorldDef();
    shMessage message = {""};
    shWorld* world;
    check(shCreateWorld(shared, &def, &world, &message), &message);
    shShape plane = {.type = shPlaneShape};
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &plane;
    add(world, &ground);
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    fracture.impulse = 1.0;
    shBox rest = shAsset_GetInfo(brick).box;
    float height = rest.upper.y - rest.lower.y;
    shBodyDef body = shDefaultBodyDef();
    body.asset = brick;
    body.fracture = &fracture;
    shBodyId stack[4];
    for (int i = 0; i < 4; ++i) {
        body.transform.p = vec3(0.0f, height * (float)i - rest.lower.y, 0.0f);
        stack[i] = add(world, &body);
    }
    for (int i = 0; i < 30; ++i)
        step(world);
    double before = (double)shBody_GetCentre(world, stack[3]).y;
    // As if it had been hit, and had to wait for ever.
    Body* waiting = worldBody(world, stack[1]);
    waiting->waiting = true;
    waiting->most = 1e-6f;
    for (int i = 0; i < 4; ++i)
        bodyWake(world, stack[i].index);
    for (int i = 0; i < 60; ++i)
        step(world);
    double sunk = before - (double)shBody_GetCentre(world, stack[3]).y;
    printf("  sunk by %.3f mm in two seconds\n", 1e3 * sunk);
    assert_true(fabs(sunk) < 2e-4);
    shDestroyWorld(world);
}

// ---- many at once ---------------------------------------------------------------------------------------------------

typedef struct Outcome {
    uint64_t hash;
    int most, total, steps;  // breaks in a step, in all; steps until none waits
    double slowest, settled; // ms of a step; of those at the end
} Outcome;

static double massOf(const shWorld* world)
{
    double mass = 0.0;
    for (int i = 0; i < world->bodies.count; ++i) {
        const Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0)
            continue;
        assert_true(dFinite(body->centre) && vFinite(body->velocity) && vFinite(body->angular));
        assert_true(body->solid < 0 || world->solids.data[body->solid].solid->field.labels == NULL ||
                    fieldHasPiece(&world->solids.data[body->solid].solid->field, body->piece));
        mass += body->mass;
    }
    return mass;
}

// Bricks that all hit the ground in the first step.
static Outcome drop(int workers, int64_t budget, int steps)
{
    Outcome outcome = {0};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = workers;
    shContext* context;
    check(shCreateContext(&contextDef, &context, &message), &message);
    size_t size;
    const void* image = shAsset_GetImage(brick, &size);
    shAsset* asset;
    check(shLoadAssetFromMemory(context, image, size, "brick", &asset, &message), &message);
    shWorldDef def = shDefaultWorldDef();
    def.breakBudget = budget;
    shWorld* world;
    check(shCreateWorld(context, &def, &world, &message), &message);
    shShape plane = {.type = shPlaneShape};
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &plane;
    add(world, &ground);
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    fracture.pattern.pieces = 4;
    fracture.impulse = 0.1;
    fracture.smallest = 0.5 * shAsset_GetInfo(asset).volume; // once each
    shBodyDef body = shDefaultBodyDef();
    body.asset = asset;
    body.fracture = &fracture;
    body.velocity = vec3(0.0f, -6.0f, 0.0f);
    for (int i = 0; i < brickCount; ++i) {
        body.transform.p = vec3(0.4f * (float)(i % 16), 0.15f, 0.4f * (float)(i / 16));
        add(world, &body);
    }
    double mass = massOf(world);
    for (int i = 0; i < steps; ++i) {
        step(world);
        shCounters counters = shWorld_GetCounters(world);
        double ms = (double)shWorld_GetProfile(world).total;
        outcome.most = maxI(outcome.most, counters.broken);
        outcome.total += counters.broken;
        outcome.slowest = maxD(outcome.slowest, ms);
        outcome.settled = ms;
        if (counters.deferred > 0)
            outcome.steps = i + 1;
        assert_true(fabs(massOf(world) + counters.dustMass - mass) <= 1e-6 * mass);
        if (budget > 0) {
            int nodes = shAsset_GetInfo(asset).pointCount;
            assert_true(counters.broken <= maxI(1, (int)(budget / nodes)));
        }
    }
    assert_int_equal(shWorld_GetCounters(world).deferred, 0);
    outcome.hash = shWorld_GetHash(world);
    shDestroyWorld(world);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
    return outcome;
}

static void any_budget_breaks_all_in_the_end_and_threads_change_nothing(void** state)
{
    (void)state;
    int nodes = shAsset_GetInfo(brick).pointCount;
    const int shares[] = {0, 8, 4, 2, 1}; // bricks per step, of a scale; 0: all
    const int threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 5; ++i) {
        int64_t budget = (int64_t)shares[i] * maxI(1, brickCount / 32) * nodes;
        int steps = shares[i] == 0 ? 8 : brickCount / (shares[i] * maxI(1, brickCount / 32)) + 8;
        Outcome one = drop(1, budget, steps);
        if (table || i == 0)
            printf("  %d bricks, budget %lld nodes: %d at once, %d in all, waiting for %d steps; slowest step %.2f ms, "
                   "last %.2f ms\n",
                   brickCount, (long long)budget, one.most, one.total, one.steps, one.slowest, one.settled);
        assert_int_equal(one.total, brickCount);
        if (shares[i] == 0)
            assert_int_equal(one.most, brickCount);
        for (int k = 1; k < 4 && (table || i == 2); ++k)
            assert_true(drop(threads[k], budget, steps).hash == one.hash);
    }
}

// It may be gone by then, and there may be many more bodies.
static void what_waits_may_be_destroyed(void** state)
{
    (void)state;
    shWorldDef def = shDefaultWorldDef();
    def.breakBudget = 1;
    shMessage message = {""};
    shWorld* world;
    check(shCreateWorld(shared, &def, &world, &message), &message);
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    fracture.pattern.pieces = 4;
    fracture.impulse = 0.2;
    shBox rest = shAsset_GetInfo(brick).box;
    shBodyDef body = shDefaultBodyDef();
    body.asset = brick;
    body.fracture = &fracture;
    shBodyId bricks[2];
    for (int i = 0; i < 2; ++i) {
        body.transform.p = vec3(5.0f * (float)i, 0.0f, 0.0f);
        bricks[i] = add(world, &body);
        addBall(world, vec3(body.transform.p.x, rest.upper.y + 0.11f, 0.0f), vec3(0.0f, -40.0f, 0.0f), 0.1f);
    }
    step(world);
    assert_int_equal(shWorld_GetCounters(world).deferred, 1);
    assert_true(world->deferred.data[0].body.index == bricks[1].index);
    check(shDestroyBody(world, bricks[1], &message), &message);
    for (int i = 0; i < 400; ++i)
        addBall(world, vec3((float)(i % 20), 50.0f, (float)(i / 20)), vec3(0.0f, 0.0f, 0.0f), 0.1f);
    step(world);
    assert_int_equal(shWorld_GetCounters(world).deferred, 0);
    assert_int_equal(shWorld_GetCounters(world).broken, 0);
    shDestroyWorld(world);
}

static int setUp(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    check(shCreateContext(&def, &shared, &message), &message);
    shCookDef cook = shDefaultCookDef();
    check(shCookModel(shared, "brick", 0.5f, &cook, &brick, &message), &message);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    shDestroyAsset(brick);
    return shDestroyContext(shared) == 0 ? 0 : -1;
}

// --bricks n: so many at once, for every budget on 1, 2, 3 and 8 threads.
int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--bricks") == 0) {
        brickCount = maxI(1, atoi(argv[2]));
        table = true;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_passes_on_no_more_than_breaks_it_and_breaks_first),
        cmocka_unit_test(what_waits_bears_what_it_bore),
        cmocka_unit_test(what_waits_may_be_destroyed),
        cmocka_unit_test(any_budget_breaks_all_in_the_end_and_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

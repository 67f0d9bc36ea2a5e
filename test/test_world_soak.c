// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A world in which bodies come, break and go for a long time takes no more memory in the end than after a while. Twelve
// hundred steps as a test; more, with a report, by
//   test_world_soak --steps 100000
//
// Arrays only grow, to what the busiest step has needed. So the first cycles are the busiest, and bytes are compared
// where the same few bodies are left.
#include "core/quat.h"
#include "core/random.h"
#include "sherd/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CYCLE = 100,      // steps
    BUSY_CYCLES = 4,  // the first ones, with twelve times as many guests
    SETTLED = 1000,   // steps after which memory must not grow
    GUESTS = 3,       // of an ordinary cycle
    MOST_PIECES = 64, // debris at once
};

static int steps = 1200;
static bool verbose;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

enum { assetCount = 3 };

typedef struct Soak {
    shContext* context;
    shWorld* world;
    shAsset* assets[assetCount];
    Random random;
    int created, destroyed, broken;
    int mostBodies;
} Soak;

static shBodyId add(Soak* soak, const shBodyDef* def)
{
    shMessage message = {""};
    shBodyId id;
    check(shCreateBody(soak->world, def, &id, &message), &message);
    ++soak->created;
    return id;
}

static Soak soakMake(void)
{
    static const char* names[assetCount] = {"brick", "sphere", "cylinder"};
    Soak soak = {.random = randomSeed(1)};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 2;
    check(shCreateContext(&contextDef, &soak.context, &message), &message);
    shCookDef cook = shDefaultCookDef();
    for (int i = 0; i < assetCount; ++i)
        check(shCookModel(soak.context, names[i], 0.25f, &cook, &soak.assets[i], &message), &message);
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.debrisLimit = MOST_PIECES;
    check(shCreateWorld(soak.context, &worldDef, &soak.world, &message), &message);

    // What stays: a ground, a block that nothing moves, a stack.
    shShape plane = {.type = shPlaneShape}, block = {.type = shBoxShape, .halfExtent = {0.2f, 0.2f, 0.2f}};
    shShape box = {.type = shBoxShape, .halfExtent = {0.05f, 0.05f, 0.05f}};
    shBodyDef def = shDefaultBodyDef();
    def.type = shStaticBody;
    def.shape = &plane;
    add(&soak, &def);
    def.shape = &block;
    add(&soak, &def);
    def.type = shDynamicBody;
    def.shape = &box;
    for (int i = 0; i < 4; ++i) {
        def.transform.p = vec3(5.0f, 0.05f + 0.1f * (float)i, 0.0f);
        add(&soak, &def);
    }
    return soak;
}

// Something that is thrown at the block, and may break there.
static void addGuest(Soak* soak)
{
    Random* random = &soak->random;
    shShape sphere = {.type = shSphereShape, .radius = randomRange(random, 0.03f, 0.08f)};
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    fracture.pattern.pieces = 5;
    fracture.pattern.seed = randomBits(random);
    shBodyDef def = shDefaultBodyDef();
    if (randomBelow(random, 4) == 0) {
        def.shape = &sphere;
    } else {
        def.asset = soak->assets[randomBelow(random, assetCount)];
        def.fracture = &fracture;
    }
    Vec3 from = vFromD(randomDirection(random));
    from.y = fabsf(from.y) + 0.3f;
    def.userData = 1;
    def.transform = (shTransform){vScale(randomRange(random, 1.0f, 2.0f), from), randomRotation(random)};
    def.velocity = vScale(-randomRange(random, 1.0f, 8.0f), from);
    def.angularVelocity = vFromD(randomVector(random, 10.0));
    add(soak, &def);
}

// A guest, or a piece of one, by chance; the null id if there is none.
static shBodyId someGuest(Soak* soak)
{
    int limit = shWorld_GetBodyLimit(soak->world), start = randomBelow(&soak->random, limit);
    for (int i = 0; i < limit; ++i) {
        shBodyId id = shWorld_GetBodyAt(soak->world, (start + i) % limit);
        if (shBody_IsValid(soak->world, id) && shBody_GetUserData(soak->world, id) == 1)
            return id;
    }
    return (shBodyId){0};
}

static void breakSome(Soak* soak)
{
    shMessage message = {""};
    shBodyId id = someGuest(soak);
    if (!shBody_IsValid(soak->world, id) || shBody_GetSolid(soak->world, id, NULL) == NULL)
        return;
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = 4;
    pattern.seed = randomBits(&soak->random);
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
    check(shBody_Break(soak->world, id, &pattern, &impact, NULL, &message), &message);
}

static void dropSome(Soak* soak)
{
    shMessage message = {""};
    shBodyId id = someGuest(soak);
    if (!shBody_IsValid(soak->world, id))
        return;
    check(shDestroyBody(soak->world, id, &message), &message);
    ++soak->destroyed;
}

static void explode(Soak* soak)
{
    shMessage message = {""};
    shExplosion explosion = {.point = vec3(0.0f, 0.4f, 0.0f), .radius = 1.5f, .impulse = 100.0f};
    check(shWorld_Explode(soak->world, &explosion, &message), &message);
}

static void soakStep(Soak* soak, int step)
{
    shMessage message = {""};
    bool busy = step / CYCLE < BUSY_CYCLES;
    int at = step % CYCLE, every = busy ? 2 : 8, guests = busy ? 12 * GUESTS : GUESTS;
    if (at % every == 0 && at / every < guests)
        addGuest(soak);
    if (at % 16 == 8)
        breakSome(soak);
    if (at % 8 == 6)
        dropSome(soak);
    if (at == CYCLE / 2)
        explode(soak);
    check(shWorld_Step(soak->world, 1.0f / 30.0f, &message), &message);
    soak->broken += shWorld_GetEvents(soak->world).breakCount;
    shCounters counters = shWorld_GetCounters(soak->world);
    if (counters.bodies > soak->mostBodies)
        soak->mostBodies = counters.bodies;
    if (at != CYCLE - 1)
        return;
    for (shBodyId id; shBody_IsValid(soak->world, id = someGuest(soak)); ++soak->destroyed)
        check(shDestroyBody(soak->world, id, &message), &message);
}

static void memoryDoesNotGrow(void** state)
{
    (void)state;
    Soak soak = soakMake();
    int64_t settled = 0;
    for (int step = 0; step < steps; ++step) {
        soakStep(&soak, step);
        int64_t bytes = shContext_GetMemory(soak.context).bytes;
        if (step == SETTLED - 1)
            settled = bytes;
        bool report = verbose && (step == SETTLED - 1 || (step + 1) % 10000 == 0);
        if (report) {
            printf("step %6d: %lld bytes; %d bodies made, %d destroyed, %d breaks, at most %d at once\n", step + 1,
                   (long long)bytes, soak.created, soak.destroyed, soak.broken, soak.mostBodies);
            fflush(stdout);
        }
        if (step >= SETTLED && step % CYCLE == CYCLE - 1 && bytes != settled)
            fail_msg("%lld bytes after %d steps, %lld after %d", (long long)bytes, step + 1, (long long)settled,
                     SETTLED);
    }
    assert_true(soak.broken > steps / 100);
    shDestroyWorld(soak.world);
    for (int i = 0; i < assetCount; ++i)
        shDestroyAsset(soak.assets[i]);
    assert_int_equal(shDestroyContext(soak.context), 0);
}

int main(int count, char** arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memoryDoesNotGrow)};
    if (count == 3 && strcmp(arguments[1], "--steps") == 0) {
        steps = atoi(arguments[2]);
        verbose = true;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

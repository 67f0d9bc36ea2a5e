// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The world: handles, forces, events, sleep, and that nothing is lost.
#include "core/vec.h"
#include "sherd/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct Scene {
    shContext* context;
    shWorld* world;
    shAsset* brick;
} Scene;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static Scene sceneCreate(int workers, bool sleeping)
{
    Scene scene;
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = workers;
    check(shCreateContext(&contextDef, &scene.context, &message), &message);
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.sleeping = sleeping;
    check(shCreateWorld(scene.context, &worldDef, &scene.world, &message), &message);
    shCookDef cook = shDefaultCookDef();
    check(shCookModel(scene.context, "brick", 1.0f, &cook, &scene.brick, &message), &message);
    return scene;
}

static void sceneDestroy(Scene* scene)
{
    shDestroyWorld(scene->world);
    shDestroyAsset(scene->brick);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

static shBodyId add(Scene* scene, shBodyDef def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(scene->world, &def, &id, &message), &message);
    return id;
}

static shBodyId addGround(Scene* scene)
{
    shShape plane = {.type = shPlaneShape};
    shBodyDef def = shDefaultBodyDef();
    def.type = shStaticBody;
    def.shape = &plane;
    return add(scene, def);
}

static shBodyId addSlab(Scene* scene)
{
    shShape slab = {.type = shBoxShape, .halfExtent = vec3(1.0f, 0.1f, 1.0f)};
    shBodyDef def = shDefaultBodyDef();
    def.type = shStaticBody;
    def.shape = &slab;
    def.transform.p.y = -0.1f;
    return add(scene, def);
}

static shBodyId addBall(Scene* scene, shVec3 at, float radius)
{
    shShape ball = {.type = shSphereShape, .radius = radius};
    shBodyDef def = shDefaultBodyDef();
    def.shape = &ball;
    def.transform.p = at;
    return add(scene, def);
}

static shBodyId addBrick(Scene* scene, shVec3 at)
{
    shBodyDef def = shDefaultBodyDef();
    def.asset = scene->brick;
    def.transform.p = at;
    def.restitution = 0.0f;
    return add(scene, def);
}

static void run(Scene* scene, int steps, float dt)
{
    shMessage message = {""};
    for (int i = 0; i < steps; ++i)
        check(shWorld_Step(scene->world, dt, &message), &message);
}

static void handlesOfGoneBodiesAreRefused(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, true);
    shMessage message = {""};
    shBodyId ball = addBall(&scene, vec3(0.0f, 1.0f, 0.0f), 0.1f), none = {0};
    assert_true(shBody_IsValid(scene.world, ball));
    assert_false(shBody_IsValid(scene.world, none));
    assert_int_equal(shDestroyBody(scene.world, ball, &message), shOk);
    assert_false(shBody_IsValid(scene.world, ball));
    assert_int_equal(shDestroyBody(scene.world, ball, &message), shInvalid);
    assert_int_equal(shBody_ApplyImpulse(scene.world, ball, vec3(1, 0, 0), vec3(0, 0, 0), &message), shInvalid);
    assert_true(shBody_GetMass(scene.world, ball) == 0.0);
    shBodyId other = addBall(&scene, vec3(0.0f, 1.0f, 0.0f), 0.1f);
    assert_int_equal(other.index, ball.index);
    assert_false(shBody_IsValid(scene.world, ball));
    sceneDestroy(&scene);
}

static void nonsenseIsRefusedAndNamed(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, true);
    shShape ball = {.type = shSphereShape, .radius = 0.1f}, plane = {.type = shPlaneShape},
            point = {.type = shBoxShape};
    shBodyDef good = shDefaultBodyDef();
    good.shape = &ball;
    shBodyDef bad[8];
    for (int i = 0; i < 8; ++i)
        bad[i] = good;
    bad[0].cookie = 0;
    bad[1].shape = NULL;
    bad[2].asset = scene.brick;
    bad[3].transform.p.x = NAN;
    bad[4].velocity.y = INFINITY;
    bad[5].friction = NAN;
    bad[6].shape = &plane;
    bad[7].shape = &point;
    for (int i = 0; i < 8; ++i) {
        shBodyId id;
        shMessage message = {""};
        assert_int_equal(shCreateBody(scene.world, &bad[i], &id, &message), shInvalid);
        assert_true(strncmp(message.text, "body: ", 6) == 0);
        assert_false(shBody_IsValid(scene.world, id));
    }
    shMessage message = {""};
    const float steps[] = {0.0f, -1.0f, NAN, INFINITY, 2.0f};
    for (int i = 0; i < 5; ++i)
        assert_int_equal(shWorld_Step(scene.world, steps[i], &message), shInvalid);
    shBodyId id = add(&scene, good);
    assert_int_equal(shBody_SetVelocity(scene.world, id, vec3(NAN, 0, 0), vec3(0, 0, 0), &message), shInvalid);
    assert_int_equal(shWorld_GetCounters(scene.world).bodies, 0); // counted by the step, and none was done
    run(&scene, 1, 0.01f);
    assert_int_equal(shWorld_GetCounters(scene.world).bodies, 1);
    sceneDestroy(&scene);
}

static void freeFallIsAParabola(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, true);
    shBodyId ball = addBall(&scene, vec3(0.0f, 100.0f, 0.0f), 0.1f);
    shMessage message;
    shBody_SetVelocity(scene.world, ball, vec3(1.0f, 2.0f, 0.0f), vec3(0.0f, 3.0f, 0.0f), &message);
    run(&scene, 60, 1.0f / 30.0f);
    shVec3 at = shBody_GetCentre(scene.world, ball);
    assert_float_equal(at.x, 2.0f, 1e-4f);
    assert_float_equal(at.y, 100.0f + 2.0f * 2.0f - 0.5f * 9.81f * 4.0f, 1e-4f);
    assert_float_equal(shBody_GetAngularVelocity(scene.world, ball).y, 3.0f, 1e-6f);
    sceneDestroy(&scene);
}

static void aDroppedBrickComesToRestOnTheGround(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, false);
    addGround(&scene);
    shBodyId brick = addBrick(&scene, vec3(0.0f, 0.3f, 0.0f));
    int begun = 0, ended = 0, hits = 0;
    float impulse = 0.0f;
    shMessage message = {""};
    for (int i = 0; i < 60; ++i) {
        check(shWorld_Step(scene.world, 1.0f / 30.0f, &message), &message);
        shWorldEvents events = shWorld_GetEvents(scene.world);
        begun += events.beginCount;
        ended += events.endCount;
        hits += events.hitCount;
        for (int k = 0; k < events.hitCount; ++k)
            impulse += events.hits[k].impulse;
    }
    assert_int_equal(begun - ended, 1);
    assert_true(hits >= 1);
    // The hit takes what 30 cm of fall gave it, and some of gravity's in that step.
    float fall = (float)shBody_GetMass(scene.world, brick) * sqrtf(2.0f * 9.81f * 0.3f);
    assert_float_equal(impulse, fall, 0.25f * fall);
    assert_float_equal(shBody_GetTransform(scene.world, brick).p.y, 0.0f, 5e-4f);
    assert_float_equal(vLength(shBody_GetVelocity(scene.world, brick)), 0.0f, 1e-3f);
    sceneDestroy(&scene);
}

// How often contacts are looked for while a brick slides for a quarter of a second, on a plane or on a slab.
static int looksWhileSliding(float dt, bool plane)
{
    Scene scene = sceneCreate(1, false);
    if (plane)
        addGround(&scene);
    else
        addSlab(&scene);
    shBodyId brick = addBrick(&scene, vec3(0.0f, 0.0f, 0.0f));
    run(&scene, 60, 1.0f / 30.0f);
    shMessage message = {""};
    float speed = plane ? 2.0f : 1.5f;
    check(shBody_SetVelocity(scene.world, brick, vec3(speed, 0.0f, 0.0f), vec3(0.0f, 0.0f, 0.0f), &message), &message);
    int looks = 0, steps = (int)lroundf(0.25f / dt);
    for (int i = 0; i < steps; ++i) {
        run(&scene, 1, dt);
        looks += shWorld_GetCounters(scene.world).queried;
        assert_true(fabsf(shBody_GetTransform(scene.world, brick).p.y) < 1e-5f);
    }
    assert_true(vLength(shBody_GetVelocity(scene.world, brick)) > (plane ? 0.3f : 0.2f));
    sceneDestroy(&scene);
    return looks;
}

static void shortStepsShareWhatOneLookHasFound(void** state)
{
    (void)state;
    // Of a plane one in a sixtieth of a second, of all else in a thirtieth; no more where steps are shorter.
    assert_in_range(looksWhileSliding(1.0f / 60.0f, true), 14, 15);
    assert_in_range(looksWhileSliding(1.0f / 240.0f, true), 13, 17);
    assert_in_range(looksWhileSliding(1.0f / 960.0f, true), 13, 17);
    assert_in_range(looksWhileSliding(1.0f / 60.0f, false), 7, 8);
    assert_in_range(looksWhileSliding(1.0f / 240.0f, false), 7, 8);
    assert_in_range(looksWhileSliding(1.0f / 960.0f, false), 7, 8);
}

static void whatRestsFallsAsleepAndWakesWhenHit(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, true);
    addGround(&scene);
    shBodyId below = addBrick(&scene, vec3(0.0f, 0.0f, 0.0f)), above = addBrick(&scene, vec3(0.0f, 0.066f, 0.0f));
    run(&scene, 90, 1.0f / 30.0f);
    assert_false(shBody_IsAwake(scene.world, below));
    assert_false(shBody_IsAwake(scene.world, above));
    uint64_t before = shWorld_GetHash(scene.world);
    run(&scene, 10, 1.0f / 30.0f);
    assert_true(before == shWorld_GetHash(scene.world));
    addBall(&scene, vec3(0.0f, 0.5f, 0.0f), 0.03f);
    run(&scene, 12, 1.0f / 30.0f);
    assert_true(shBody_IsAwake(scene.world, below));
    assert_true(shBody_IsAwake(scene.world, above));
    // Without its support the upper one falls, though nothing hits it.
    run(&scene, 90, 1.0f / 30.0f);
    shMessage message;
    check(shDestroyBody(scene.world, below, &message), &message);
    run(&scene, 30, 1.0f / 30.0f);
    assert_true(shBody_GetTransform(scene.world, above).p.y < 0.05f);
    sceneDestroy(&scene);
}

static void filtersDecideWhoMeets(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, true);
    addGround(&scene);
    shBodyId falls = addBrick(&scene, vec3(0.0f, 0.1f, 0.0f)), rests = addBrick(&scene, vec3(1.0f, 0.1f, 0.0f));
    shMessage message;
    check(shBody_SetFilter(scene.world, falls, (shFilter){1, 0, 0}, &message), &message);
    run(&scene, 30, 1.0f / 30.0f);
    assert_true(shBody_GetTransform(scene.world, falls).p.y < -1.0f);
    assert_true(shBody_GetTransform(scene.world, rests).p.y > -0.01f);
    sceneDestroy(&scene);
}

static void aBrokenBrickKeepsItsMotionAndMass(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, true);
    shBodyId brick = addBrick(&scene, vec3(0.0f, 10.0f, 0.0f));
    shMessage message = {""};
    check(shBody_SetVelocity(scene.world, brick, vec3(1, 2, 3), vec3(4, -5, 6), &message), &message);
    double mass = shBody_GetMass(scene.world, brick);
    DVec3 momentum = dScale(mass, dFromV(shBody_GetVelocity(scene.world, brick)));
    shPattern pattern = shDefaultPattern(shUniformPattern);
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
    shBodyBreak broken;
    check(shBody_Break(scene.world, brick, &pattern, &impact, &broken, &message), &message);
    assert_true(broken.bodyCount > 5);
    assert_int_equal(broken.bodies[0].index, brick.index);
    double sum = 0.0;
    DVec3 after = {0.0, 0.0, 0.0};
    for (int i = 0; i < broken.bodyCount; ++i) {
        double m = shBody_GetMass(scene.world, broken.bodies[i]);
        sum += m;
        after = dMad(after, m, dFromV(shBody_GetVelocity(scene.world, broken.bodies[i])));
    }
    assert_true(fabs(sum - mass) < 1e-6 * mass);
    assert_true(dDistance(after, momentum) < 1e-6 * dLength(momentum));
    run(&scene, 5, 1.0f / 30.0f);
    sceneDestroy(&scene);
}

// A heap of bricks, some broken: enough of everything.
static uint64_t heapHash(int workers)
{
    Scene scene = sceneCreate(workers, true);
    addGround(&scene);
    shMessage message = {""};
    for (int i = 0; i < 14; ++i) {
        shBodyId brick =
            addBrick(&scene, vec3(0.05f * (float)(i % 3), 0.1f + 0.09f * (float)i, 0.04f * (float)(i % 2)));
        if (i % 5 == 0) {
            shPattern pattern = shDefaultPattern(shUniformPattern);
            pattern.pieces = 8;
            shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
            check(shBody_Break(scene.world, brick, &pattern, &impact, NULL, &message), &message);
        }
    }
    run(&scene, 24, 1.0f / 30.0f);
    uint64_t hash = shWorld_GetHash(scene.world);
    sceneDestroy(&scene);
    return hash;
}

static void anyNumberOfThreadsGivesTheSameBits(void** state)
{
    (void)state;
    uint64_t one = heapHash(1);
    assert_true(one == heapHash(2));
    assert_true(one == heapHash(3));
    assert_true(one == heapHash(8));
}

// At any distance: continuous collision may see the two meet before any contact has woken what sleeps.
static void whatIsPushedByHandMayBeAsleep(void** state)
{
    (void)state;
    shShape crate = {.type = shBoxShape, .halfExtent = {0.1f, 0.1f, 0.1f}};
    for (int phase = 0; phase < 40; ++phase) {
        Scene scene = sceneCreate(1, true);
        addGround(&scene);
        shMessage message = {""};
        shBodyDef pusher = shDefaultBodyDef(), sleeper = pusher;
        shBodyId by, id;
        pusher.type = shKinematicBody;
        pusher.shape = sleeper.shape = &crate;
        pusher.transform.p = vec3(-0.3f - 0.003f * (float)phase, 0.1f, 0.0f);
        pusher.velocity = vec3(5.0f, 0.0f, 0.0f);
        sleeper.transform.p = vec3(0.0f, 0.1f, 0.0f);
        check(shCreateBody(scene.world, &pusher, &by, &message), &message);
        check(shCreateBody(scene.world, &sleeper, &id, &message), &message);
        check(shBody_SetAwake(scene.world, id, false, &message), &message);
        run(&scene, 12, 1.0f / 60.0f);
        assert_true(shBody_GetCentre(scene.world, id).x > 0.1f);
        sceneDestroy(&scene);
    }
}

// A slot that nobody has taken again still says what the body was made of: that may be gone.
static void sceneryMayGoWhenItsBodyHas(void** state)
{
    (void)state;
    const shVec3 points[3] = {{-1.0f, 0.0f, -1.0f}, {0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, -1.0f}};
    const int triangle[1][3] = {{0, 1, 2}};
    shSceneryDef def = shDefaultSceneryDef();
    def.pointCount = 3;
    def.triangleCount = 1;
    def.points = points;
    def.triangles = triangle;
    Scene scene = sceneCreate(1, false);
    shScenery* scenery;
    shMessage message = {""};
    shBodyDef ground = shDefaultBodyDef();
    shBodyId id, brick = addBrick(&scene, vec3(0.0f, 0.1f, 0.0f));
    check(shCreateScenery(scene.context, &def, &scenery, &message), &message);
    ground.type = shStaticBody;
    ground.scenery = scenery;
    check(shCreateBody(scene.world, &ground, &id, &message), &message);
    run(&scene, 10, 1.0f / 30.0f);
    assert_true(shBody_GetCentre(scene.world, brick).y > 0.0f);
    check(shDestroyBody(scene.world, id, &message), &message);
    shDestroyScenery(scenery);
    run(&scene, 10, 1.0f / 30.0f);
    assert_true(shBody_GetCentre(scene.world, brick).y < 0.0f);
    sceneDestroy(&scene);
}

static void aSettledStepAllocatesNothing(void** state)
{
    (void)state;
    Scene scene = sceneCreate(1, false);
    addGround(&scene);
    for (int i = 0; i < 10; ++i)
        addBrick(&scene, vec3(0.01f * (float)i, 0.07f * (float)i, 0.0f));
    run(&scene, 300, 1.0f / 30.0f); // ten that have fallen so far may sway, and fall over
    int64_t calls = shContext_GetMemory(scene.context).calls;
    run(&scene, 60, 1.0f / 30.0f);
    assert_int_equal(shContext_GetMemory(scene.context).calls, calls);
    sceneDestroy(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlesOfGoneBodiesAreRefused),
        cmocka_unit_test(nonsenseIsRefusedAndNamed),
        cmocka_unit_test(freeFallIsAParabola),
        cmocka_unit_test(aDroppedBrickComesToRestOnTheGround),
        cmocka_unit_test(shortStepsShareWhatOneLookHasFound),
        cmocka_unit_test(whatRestsFallsAsleepAndWakesWhenHit),
        cmocka_unit_test(filtersDecideWhoMeets),
        cmocka_unit_test(aBrokenBrickKeepsItsMotionAndMass),
        cmocka_unit_test(anyNumberOfThreadsGivesTheSameBits),
        cmocka_unit_test(whatIsPushedByHandMayBeAsleep),
        cmocka_unit_test(sceneryMayGoWhenItsBodyHas),
        cmocka_unit_test(aSettledStepAllocatesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

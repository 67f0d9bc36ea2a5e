// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rays, overlaps and closest surfaces in a world against asking every body in turn; debug draw against what is there.
#include "core/quat.h"
#include "core/random.h"
#include "sherd/world_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 60, QUERIES = 200 };

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

typedef struct Scene {
    shContext* context;
    shWorld* world;
    shAsset* brick;
    shScenery* tent;
    Random random;
} Scene;

static shBodyId add(Scene* scene, shBodyDef def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(scene->world, &def, &id, &message), &message);
    return id;
}

static shTransform somewhere(Scene* scene)
{
    shTransform frame;
    frame.p = randomInBox(&scene->random, (shBox){{-1.0f, 0.2f, -1.0f}, {1.0f, 2.0f, 1.0f}});
    frame.q = randomRotation(&scene->random);
    return frame;
}

static shBodyId addRandom(Scene* scene)
{
    shShape shape = {.type = (shShapeType)(1 + randomBelow(&scene->random, 3))};
    shape.radius = randomRange(&scene->random, 0.02f, 0.15f);
    shape.halfHeight = randomRange(&scene->random, 0.02f, 0.2f);
    shape.halfExtent = randomInBox(&scene->random, (shBox){{0.02f, 0.02f, 0.02f}, {0.2f, 0.2f, 0.2f}});
    shBodyDef def = shDefaultBodyDef();
    def.transform = somewhere(scene);
    def.filter.category = 1u << randomBelow(&scene->random, 3);
    def.velocity = vFromD(dScale(3.0, randomDirection(&scene->random)));
    if (randomBelow(&scene->random, 2))
        def.asset = scene->brick;
    else
        def.shape = &shape;
    return add(scene, def);
}

static Scene sceneCreate(void)
{
    Scene scene = {.random = randomSeed(11)};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 2;
    check(shCreateContext(&contextDef, &scene.context, &message), &message);
    shWorldDef worldDef = shDefaultWorldDef();
    check(shCreateWorld(scene.context, &worldDef, &scene.world, &message), &message);
    shCookDef cook = shDefaultCookDef();
    check(shCookModel(scene.context, "brick", 1.0f, &cook, &scene.brick, &message), &message);
    const shVec3 points[4] = {{-1.5f, 0.0f, -1.5f}, {1.5f, 0.0f, -1.5f}, {0.0f, 0.1f, 1.5f}, {0.0f, 0.3f, 0.0f}};
    const int triangles[3][3] = {{1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    shSceneryDef sceneryDef = shDefaultSceneryDef();
    sceneryDef.pointCount = 4;
    sceneryDef.points = points;
    sceneryDef.triangleCount = 3;
    sceneryDef.triangles = triangles;
    check(shCreateScenery(scene.context, &sceneryDef, &scene.tent, &message), &message);

    shShape plane = {.type = shPlaneShape};
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &plane;
    ground.transform.p.y = -0.5f;
    add(&scene, ground);
    ground.shape = NULL;
    ground.scenery = scene.tent;
    ground.transform.p.y = 0.0f;
    add(&scene, ground);
    for (int i = 0; i < BODIES; ++i) {
        shBodyId id = addRandom(&scene);
        if (i % 7 == 0 && shBody_GetSolid(scene.world, id, NULL) != NULL) {
            shPattern pattern = shDefaultPattern(shUniformPattern);
            pattern.pieces = 6;
            shImpact impact = shDefaultImpact(vec3(0.0f, 0.03f, 0.0f));
            check(shBody_Break(scene.world, id, &pattern, &impact, NULL, &message), &message);
        }
    }
    return scene;
}

static void sceneDestroy(Scene* scene)
{
    shDestroyWorld(scene->world);
    shDestroyAsset(scene->brick);
    shDestroyScenery(scene->tent);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

// Bodies come, go and jump after some steps: queries must see them where they are.
static void stir(Scene* scene)
{
    shMessage message = {""};
    for (int i = 0; i < 4; ++i)
        check(shWorld_Step(scene->world, 1.0f / 30.0f, &message), &message);
    for (int i = 0; i < 6; ++i) {
        int index = 2 + randomBelow(&scene->random, shWorld_GetBodyLimit(scene->world) - 2);
        shBodyId id = shWorld_GetBodyAt(scene->world, index);
        if (!shBody_IsValid(scene->world, id))
            continue;
        if (i % 2 == 0)
            check(shBody_SetTransform(scene->world, id, somewhere(scene), &message), &message);
        else
            check(shDestroyBody(scene->world, id, &message), &message);
        addRandom(scene);
    }
}

// ---- one body at a time ---------------------------------------------------------------------------------------------

typedef struct Known {
    shBodyId id;
    shCollider collider;
    const shShape* shape; // null: see the others
    bool isScenery;
} Known;

// The body at an index if it is alive and of a category.
static bool known(const Scene* scene, int index, uint32_t mask, Known* k)
{
    k->id = shWorld_GetBodyAt(scene->world, index);
    if (!shBody_IsValid(scene->world, k->id))
        return false;
    k->collider.solid = shBody_GetSolid(scene->world, k->id, &k->collider.piece);
    k->collider.transform = shBody_GetTransform(scene->world, k->id);
    k->shape = shBody_GetShape(scene->world, k->id);
    k->isScenery = k->collider.solid == NULL && k->shape == NULL;
    return (shBody_GetFilter(scene->world, k->id).category & mask) != 0;
}

static shRayHit castAt(const Scene* scene, const Known* k, const shRay* ray)
{
    shRayHit hit;
    shMessage message = {""};
    shTransform frame = k->collider.transform;
    check(k->isScenery ? shRayCastScenery(scene->tent, frame, ray, &hit, &message)
          : k->shape   ? shRayCastShape(k->shape, frame, ray, &hit, &message)
                       : shRayCast(&k->collider, ray, &hit, &message),
          &message);
    return hit;
}

static shClosestPoint closestAt(const Scene* scene, const Known* k, Vec3 p)
{
    shClosestPoint closest;
    shMessage message = {""};
    shTransform frame = k->collider.transform;
    check(k->isScenery ? shClosestOnScenery(scene->tent, frame, p, INFINITY, &closest, &message)
          : k->shape   ? shClosestOnShape(k->shape, frame, p, INFINITY, &closest, &message)
                       : shClosest(&k->collider, p, INFINITY, &closest, &message),
          &message);
    return closest;
}

static bool overlapsAt(const Scene* scene, const Known* k, Vec3 half, shTransform box)
{
    bool overlaps;
    shMessage message = {""};
    shTransform frame = k->collider.transform;
    check(k->isScenery ? shOverlapBoxScenery(scene->tent, frame, half, box, &overlaps, &message)
          : k->shape   ? shOverlapBoxShape(k->shape, frame, half, box, &overlaps, &message)
                       : shOverlapBox(&k->collider, half, box, &overlaps, &message),
          &message);
    return overlaps;
}

static bool same(shBodyId a, shBodyId b) { return a.index == b.index && a.generation == b.generation; }

// ---- rays -----------------------------------------------------------------------------------------------------------

typedef struct Seen {
    int count;
    float last; // fraction
    shBodyId bodies[512];
} Seen;

static bool seeHit(const shBodyRayHit* hit, void* user)
{
    Seen* seen = user;
    assert_true(hit->at.hits && hit->at.fraction >= seen->last);
    seen->last = hit->at.fraction;
    seen->bodies[seen->count++] = hit->body;
    return true;
}

static bool seeBody(shBodyId body, void* user)
{
    Seen* seen = user;
    assert_true(seen->count == 0 || seen->bodies[seen->count - 1].index < body.index);
    seen->bodies[seen->count++] = body;
    return true;
}

static bool seeOne(shBodyId body, void* user)
{
    seeBody(body, user);
    return false;
}

static bool hasSeen(const Seen* seen, shBodyId body)
{
    for (int i = 0; i < seen->count; ++i) {
        if (same(seen->bodies[i], body))
            return true;
    }
    return false;
}

static shQueryFilter someFilter(Scene* scene)
{
    shQueryFilter filter = shDefaultQueryFilter();
    if (randomBelow(&scene->random, 2))
        filter.mask = 1u << randomBelow(&scene->random, 3);
    return filter;
}

static void raysHitWhatTheyMeetFirst(void** state)
{
    (void)state;
    Scene scene = sceneCreate();
    int hits = 0;
    for (int i = 0; i < QUERIES; ++i) {
        if (i % 50 == 0)
            stir(&scene);
        Vec3 from = somewhere(&scene).p, to = somewhere(&scene).p;
        shRay ray = {from, vScale(2.0f, vSub(to, from))};
        shQueryFilter filter = someFilter(&scene);
        shBodyRayHit hit;
        Seen seen = {0};
        shMessage message = {""};
        check(shWorld_CastRay(scene.world, &ray, filter, &hit, &message), &message);
        check(shWorld_CastRayAll(scene.world, &ray, filter, seeHit, &seen, &message), &message);
        shBodyId first = {0};
        float fraction = 1.0f;
        int count = 0;
        for (int k = 0; k < shWorld_GetBodyLimit(scene.world); ++k) {
            Known body;
            if (!known(&scene, k, filter.mask, &body))
                continue;
            shRayHit at = castAt(&scene, &body, &ray);
            assert_true(at.hits == hasSeen(&seen, body.id));
            count += at.hits;
            if (!at.hits || (first.generation != 0 && at.fraction >= fraction))
                continue;
            first = body.id;
            fraction = at.fraction;
        }
        assert_int_equal(count, seen.count);
        assert_true(same(first, hit.body));
        assert_true(hit.at.fraction == fraction && hit.at.hits == (count > 0));
        hits += count > 0;
    }
    assert_true(hits > QUERIES / 4);
    sceneDestroy(&scene);
}

static void overlapsFindEverythingWithin(void** state)
{
    (void)state;
    Scene scene = sceneCreate();
    int found = 0;
    for (int i = 0; i < QUERIES; ++i) {
        if (i % 50 == 0)
            stir(&scene);
        shTransform at = somewhere(&scene);
        Vec3 half = randomInBox(&scene.random, (shBox){{0.0f, 0.0f, 0.0f}, {0.4f, 0.4f, 0.4f}});
        float radius = randomRange(&scene.random, 0.0f, 0.4f);
        shQueryFilter filter = someFilter(&scene);
        Seen ball = {0}, box = {0}, one = {0};
        shMessage message = {""};
        check(shWorld_OverlapSphere(scene.world, at.p, radius, filter, seeBody, &ball, &message), &message);
        check(shWorld_OverlapBox(scene.world, half, at, filter, seeBody, &box, &message), &message);
        check(shWorld_OverlapBox(scene.world, half, at, filter, seeOne, &one, &message), &message);
        assert_int_equal(one.count, box.count > 0);
        int balls = 0, boxes = 0;
        for (int k = 0; k < shWorld_GetBodyLimit(scene.world); ++k) {
            Known body;
            if (!known(&scene, k, filter.mask, &body))
                continue;
            shClosestPoint closest = closestAt(&scene, &body, at.p);
            bool inBall = closest.found && closest.distance <= radius, inBox = overlapsAt(&scene, &body, half, at);
            assert_true(inBall == hasSeen(&ball, body.id));
            assert_true(inBox == hasSeen(&box, body.id));
            balls += inBall;
            boxes += inBox;
        }
        assert_int_equal(balls, ball.count);
        assert_int_equal(boxes, box.count);
        found += balls + boxes;
    }
    assert_true(found > QUERIES);
    sceneDestroy(&scene);
}

static void theClosestSurfaceIsFound(void** state)
{
    (void)state;
    Scene scene = sceneCreate();
    for (int i = 0; i < QUERIES; ++i) {
        if (i % 50 == 0)
            stir(&scene);
        Vec3 p = somewhere(&scene).p;
        float radius = i % 3 == 0 ? INFINITY : randomRange(&scene.random, 0.0f, 0.3f);
        shQueryFilter filter = someFilter(&scene);
        shBodyClosest closest;
        shMessage message = {""};
        check(shWorld_FindClosest(scene.world, p, radius, filter, &closest, &message), &message);
        shBodyId best = {0};
        float least = radius;
        for (int k = 0; k < shWorld_GetBodyLimit(scene.world); ++k) {
            Known body;
            if (!known(&scene, k, filter.mask, &body))
                continue;
            float distance = fabsf(closestAt(&scene, &body, p).distance);
            if (distance > least || (best.generation != 0 && distance == least))
                continue;
            best = body.id;
            least = distance;
        }
        assert_true(same(best, closest.body));
        if (best.generation != 0)
            assert_float_equal(fabsf(closest.at.distance), least, 1e-6f);
    }
    sceneDestroy(&scene);
}

// Going to and fro between the closest points of two convex things comes to where they are closest.
static void aBoxMeetsAShapeWhenItReachesIt(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    int met = 0, apart = 0;
    for (int i = 0; i < 3000; ++i) {
        const shBox sizes = {{0.05f, 0.05f, 0.05f}, {1.0f, 1.0f, 1.0f}};
        shShape shape = {.type = (shShapeType)(i % 4)}, box = {.type = shBoxShape};
        box.halfExtent = randomInBox(&random, sizes);
        shape.halfExtent = randomInBox(&random, sizes);
        shape.radius = shape.halfExtent.x;
        shape.halfHeight = shape.halfExtent.y;
        shTransform frame = {randomInBox(&random, (shBox){{-2.0f, -2.0f, -2.0f}, {2.0f, 2.0f, 2.0f}}), qIdentity()}, at;
        frame.q = randomRotation(&random);
        at.p = vec3(0.0f, 0.0f, 0.0f);
        at.q = randomRotation(&random);
        Vec3 p = frame.p;
        shMessage message = {""};
        float distance = 0.0f;
        for (int round = 0; round < 400 && shape.type != shPlaneShape; ++round) {
            shClosestPoint closest;
            check(shClosestOnShape(round % 2 ? &shape : &box, round % 2 ? frame : at, p, INFINITY, &closest, &message),
                  &message);
            distance = maxF(closest.distance, 0.0f);
            if (closest.distance > 0.0f)
                p = closest.point;
        }
        if (shape.type == shPlaneShape) { // the lowest corner
            distance = INFINITY;
            for (int k = 0; k < 8; ++k) {
                Vec3 half = box.halfExtent;
                Vec3 corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
                distance = minF(distance, xformUnpoint(frame, xformPoint(at, corner)).y);
            }
        }
        bool overlaps;
        check(shOverlapBoxShape(&shape, frame, box.halfExtent, at, &overlaps, &message), &message);
        if (distance > 5e-3f) {
            assert_false(overlaps);
            ++apart;
        } else if (distance < (shape.type == shPlaneShape ? -1e-6f : 1e-6f)) {
            assert_true(overlaps);
            ++met;
        }
    }
    assert_true(met > 500 && apart > 500);
}

static void nonsenseIsRefused(void** state)
{
    (void)state;
    Scene scene = sceneCreate();
    shMessage message = {""};
    shQueryFilter all = shDefaultQueryFilter();
    shRay good = {{0, 0, 0}, {0, 1, 0}}, bad = {{0, NAN, 0}, {0, 1, 0}};
    shBodyRayHit hit;
    shBodyClosest closest;
    Seen seen = {0};
    shTransform at = {{0, 0, 0}, {{0, 0, 0}, 0}};
    assert_int_equal(shWorld_CastRay(NULL, &good, all, &hit, &message), shInvalid);
    assert_int_equal(shWorld_CastRay(scene.world, &bad, all, &hit, &message), shInvalid);
    assert_int_equal(shWorld_CastRayAll(scene.world, &good, all, NULL, NULL, &message), shInvalid);
    assert_int_equal(shWorld_OverlapSphere(scene.world, vec3(0, 0, 0), -1, all, seeBody, &seen, &message), shInvalid);
    assert_int_equal(shWorld_OverlapBox(scene.world, vec3(1, 1, 1), at, all, seeBody, &seen, &message), shInvalid);
    assert_int_equal(shWorld_FindClosest(scene.world, vec3(0, 0, NAN), 1, all, &closest, &message), shInvalid);
    sceneDestroy(&scene);
}

// ---- debug draw -----------------------------------------------------------------------------------------------------

typedef struct Drawn {
    int lines, points, triangles;
    double volume; // within the triangles, m³
} Drawn;

static void drawLine(shVec3 from, shVec3 to, uint32_t colour, void* user)
{
    assert_true(vFinite(from) && vFinite(to) && colour <= 0xffffff);
    ++((Drawn*)user)->lines;
}

static void drawPoint(shVec3 at, uint32_t colour, void* user)
{
    assert_true(vFinite(at) && colour <= 0xffffff);
    ++((Drawn*)user)->points;
}

static void drawTriangle(const shVec3 p[3], uint32_t colour, void* user)
{
    Drawn* drawn = user;
    assert_true(colour <= 0xffffff);
    drawn->volume += dDot(dFromV(p[0]), dCross(dFromV(p[1]), dFromV(p[2]))) / 6.0;
    ++drawn->triangles;
}

static Drawn drawn(const shWorld* world, int what)
{
    Drawn result = {0};
    shDebugDraw draw = {drawLine, drawPoint, drawTriangle, &result, what, 1.0f, 0.1f};
    shWorld_Draw(world, &draw);
    draw.line = NULL;
    draw.point = NULL;
    draw.triangle = NULL;
    shWorld_Draw(world, &draw);
    return result;
}

static void whatIsAskedForIsDrawn(void** state)
{
    (void)state;
    Scene scene = sceneCreate();
    for (int i = 0; i < 10; ++i)
        stir(&scene);
    shMessage message = {""};
    check(shWorld_Step(scene.world, 1.0f / 30.0f, &message), &message);
    shCounters counters = shWorld_GetCounters(scene.world);
    int bodies = counters.bodies;
    assert_true(counters.contacts > 0);
    Drawn none = drawn(scene.world, 0), boxes = drawn(scene.world, shDrawBoxes);
    assert_int_equal(none.lines + none.points + none.triangles, 0);
    assert_int_equal(boxes.lines, 12 * (bodies - 1)); // the plane has none
    assert_int_equal(boxes.points + boxes.triangles, 0);
    Drawn centres = drawn(scene.world, shDrawCentres);
    assert_int_equal(centres.points, bodies - 1); // scenery has none
    assert_int_equal(centres.lines, 3 * (bodies - 2));
    Drawn contacts = drawn(scene.world, shDrawContacts);
    assert_int_equal(contacts.points, counters.contacts);
    assert_int_equal(contacts.lines, counters.contacts);
    Drawn impulses = drawn(scene.world, shDrawImpulses);
    assert_true(impulses.lines > 0 && impulses.lines <= counters.contacts && impulses.points == 0);
    assert_int_equal(drawn(scene.world, shDrawDrags).lines, 0);
    sceneDestroy(&scene);
}

static void surfacesHoldTheirVolume(void** state)
{
    (void)state;
    Scene scene = {0};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    check(shCreateContext(&contextDef, &scene.context, &message), &message);
    shCookDef cook = shDefaultCookDef();
    check(shCookModel(scene.context, "brick", 1.0f, &cook, &scene.brick, &message), &message);
    const shShape shapes[3] = {{.type = shSphereShape, .radius = 0.5f},
                               {.type = shCapsuleShape, .radius = 0.2f, .halfHeight = 0.4f},
                               {.type = shBoxShape, .halfExtent = {0.1f, 0.2f, 0.3f}}};
    for (int i = 0; i < 4; ++i) {
        shWorldDef worldDef = shDefaultWorldDef();
        check(shCreateWorld(scene.context, &worldDef, &scene.world, &message), &message);
        shBodyDef def = shDefaultBodyDef();
        def.density = 1.0f;
        if (i < 3)
            def.shape = &shapes[i];
        else
            def.asset = scene.brick;
        def.transform.q = qFromAxisAngle(vec3(0.6f, 0.8f, 0.0f), 1.0f);
        shBodyId id = add(&scene, def);
        double volume = i < 3 ? shBody_GetMass(scene.world, id) : 0.215 * 0.1025 * 0.065;
        // Round ones are drawn with flat sides.
        double found = drawn(scene.world, shDrawSurfaces).volume;
        assert_true(fabs(found - volume) < (i < 2 ? 0.1 : 1e-5) * volume);
        shDrag drag = {.hertz = 1.0f, .maxForce = 1.0f};
        check(shBody_SetDrag(scene.world, id, &drag, &message), &message);
        assert_int_equal(drawn(scene.world, shDrawDrags).lines, 1);
        shDestroyWorld(scene.world);
    }
    shDestroyAsset(scene.brick);
    assert_int_equal(shDestroyContext(scene.context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raysHitWhatTheyMeetFirst), cmocka_unit_test(overlapsFindEverythingWithin),
        cmocka_unit_test(theClosestSurfaceIsFound), cmocka_unit_test(aBoxMeetsAShapeWhenItReachesIt),
        cmocka_unit_test(nonsenseIsRefused),        cmocka_unit_test(whatIsAskedForIsDrawn),
        cmocka_unit_test(surfacesHoldTheirVolume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

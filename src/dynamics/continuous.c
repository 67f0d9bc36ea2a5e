// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Nothing passes through anything, however fast (X1). Before the solve the first touch of two fast bodies has become a
// contact (contacts.c), which stops nearly all of them. Here, after it, the ways that bodies have really gone are
// swept: who would have got deeper into another than half its wall goes no farther into it (company.c).
#include "collide/apart.h"
#include "collide/query.h"
#include "collide/scenery.h"
#include "core/constants.h"
#include "dynamics/world.h"

// ---- two bodies -----------------------------------------------------------------------------------------------------

bool bodyIsPlane(const Body* body)
{
    return body->solid < 0 && body->scenery == NULL && body->shape.type == shPlaneShape;
}

float bodyWall(const Body* body) { return body->scenery != NULL ? body->scenery->thickness : body->thin; }

bool bodiesSweep(const shWorld* world, shQuery* query, const shSweepDef* def, const SweptBody* a, const SweptBody* b,
                 shSweepHit* hit)
{
    shCollider colliderA = bodyCollider(world, a->body), colliderB = bodyCollider(world, b->body);
    const shShape *shapeA = &a->body->shape, *shapeB = &b->body->shape;
    colliderA.transform = a->start;
    colliderB.transform = b->start;
    shStatus status;
    if (b->body->scenery != NULL && colliderA.solid != NULL)
        status = shSweepScenery(query, def, &colliderA, &a->motion, b->body->scenery, b->start, hit, NULL);
    else if (b->body->scenery != NULL)
        status = shSweepShapeScenery(query, def, shapeA, a->start, &a->motion, b->body->scenery, b->start, hit, NULL);
    else if (colliderA.solid == NULL)
        status = shSweepShapes(query, def, shapeA, a->start, &a->motion, shapeB, b->start, &b->motion, hit, NULL);
    else if (colliderB.solid == NULL)
        status = shSweepShape(query, def, &colliderA, &a->motion, shapeB, b->start, &b->motion, hit, NULL);
    else
        status = shSweep(query, def, &colliderA, &a->motion, &colliderB, &b->motion, hit, NULL);
    return status == shOk;
}

static shSweepDef crossDef(float depth, float wallA, float wallB)
{
    shSweepDef def = shDefaultSweepDef();
    def.depth[0] = depth < wallB ? depth : INFINITY;
    def.depth[1] = depth < wallA ? depth : INFINITY;
    return def;
}

bool bodiesCrossOn(const shWorld* world, shQuery* query, const SweptBody* a, const SweptBody* b, float* depth,
                   shSweepHit* hit)
{
    float wallA = bodyWall(a->body), wallB = bodyWall(b->body);
    if (*depth > 0.0f) {
        shSweepDef def = crossDef(*depth, wallA, wallB);
        return bodiesSweep(world, query, &def, a, b, hit);
    }
    // What is deep already may stay so, and move, but must not get much deeper. Beyond the middle of the other's wall
    // nobody knows any more which way is out.
    SweepRise rise = {SWEEP_DEPTH * minF(wallA, wallB), SWEEP_DEEPER, {wallA, wallB}};
    *hit = (shSweepHit){.fraction = 1.0f};
    bool done = true;
    if (rise.depth < maxF(wallA, wallB)) {
        shSweepDef def = crossDef(rise.depth, wallA, wallB);
        query->rise = &rise;
        done = bodiesSweep(world, query, &def, a, b, hit);
        query->rise = NULL;
    }
    *depth = rise.depth < maxF(wallA, wallB) ? rise.depth : INFINITY;
    return done;
}

bool bodiesCross(const shWorld* world, shQuery* query, const SweptBody* a, const SweptBody* b, shSweepHit* hit)
{
    float depth = 0.0f;
    return bodiesCrossOn(world, query, a, b, &depth, hit);
}

// ---- ways -----------------------------------------------------------------------------------------------------------

static void notePlaces(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        world->ways.data[i] = (BodyWay){.centre = body->centre, .start = body->transform};
    }
}

shStatus guardBegin(shWorld* world)
{
    int count = world->moving.count;
    if (!world->def.continuous)
        return shOk;
    if (!arrayReserve(world->memory, &world->ways, count) || !arrayReserve(world->memory, &world->metWays, count) ||
        !arrayReserve(world->memory, &world->wayParts, WAY_PARTS * (int64_t)count + WAY_PARTS_LEAST))
        return shOutOfMemory;
    world->ways.count = count;
    parallelFor(world->context, count, BODY_BLOCK, notePlaces, world);
    return shOk;
}

// The same turn, with as many full ones more as bring it closest to another.
static Vec3 windingAs(Vec3 turn, const float like[3])
{
    const float circle = 2.0f * 3.14159265f;
    Vec3 axis = vNormalize(turn);
    float more = vDot(axis, vec3(like[0], like[1], like[2])) - vLength(turn);
    return vMad(turn, circle * floorf(more / circle + 0.5f), axis);
}

// Around all places on a way. A point that turns strays from the straight line between its ends by less than this arc.
static shBox boxOfWay(const Body* body, const BodyWay* way)
{
    float arc = minF(0.125f * way->turned * vLength(way->motion.turn), 2.0f * body->radius);
    return boxGrow(boxUnion(bodyBoxAt(body, way->start), bodyBox(body)), arc);
}

static void measureWays(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        BodyWay* way = &world->ways.data[i];
        way->motion = shMotionBetween(way->start, body->transform, body->restCentre);
        way->motion.shift = vFromD(dSub(body->centre, way->centre));
        way->motion.turn = windingAs(way->motion.turn, world->states.data[i].turn);
        float turn = vLength(way->motion.turn);
        way->turned = turn > 0.0f ? turn * body->radius : 0.0f; // a plane's radius is infinite
        way->turn = way->motion.turn;
        way->part = -1;
        way->at = way->pivot = way->centre;
        way->stop = 1.0f;
        way->crossing = -1;
        way->with = way->next = i;
        way->changed = false;
        way->carried = dqIdentity();
        way->anchor = -1;
        way->strays = false;
        world->paces.data[world->moving.data[i]].way = vLength(way->motion.shift) + way->turned;
        Vec3 old = vFromD(way->centre), new = vFromD(body->centre);
        way->box = boxGrow((shBox){vMin(old, new), vMax(old, new)}, body->radius);
        if (!body->awake || vLength(way->motion.shift) + way->turned <= SWEEP_DEPTH * body->thin)
            continue;
        // Kicked out of the box that the pairs were made of.
        int count;
        const BroadProxy* proxy = &broadProxies(world->broad, &count)[world->moving.data[i]];
        if (!boxHolds(proxy->box, boxOfWay(body, way))) {
            way->strays = true;
            broadMove(world->broad, world->moving.data[i], boxUnion(proxy->box, way->box));
        }
    }
}

static bool givesWay(const Body* body) { return body->type == shDynamicBody && body->state >= 0; }

// ---- who may have gone through whom ---------------------------------------------------------------------------------

static StepWay stepOf(const Body* body, const BodyWay* way)
{
    if (way == NULL)
        return (StepWay){.radius = 0.0f};
    return (StepWay){way->motion.shift, way->motion.turn, way->turned > 0.0f ? body->radius : 0.0f};
}

static void halt(BodyWay* way)
{
    way->stop = 0.0f;
    way->anchor = -2;
    way->motion.shift = way->motion.turn = vec3(0.0f, 0.0f, 0.0f);
}

// What the pair's last query tells of two bodies in some places: nothing came nearer than its margin, and since then
// they have moved against each other. Places, not paths: a world that was restored knows those too.
float pairClear(const Pair* pair, const Body* a, shTransform startA, const Body* b, shTransform startB)
{
    if (pair->stale || pair->count > 0 || b->scenery != NULL)
        return 0.0f; // that contacts are no deeper than what was found, nobody knows
    shQuat inverse = qConjugate(startB.q);
    shTransform then = pair->relative;
    shTransform now = {qRotate(inverse, vSub(startA.p, startB.p)), qMul(inverse, startA.q)};
    Vec3 centre = a->restCentre;
    float moved = vDistance(xformPoint(now, centre), xformPoint(then, centre)) +
                  2.0f * a->radius * vLength(qMul(now.q, qConjugate(then.q)).v);
    float rounding =
        PATH_ROUNDING * (vLength(startA.p) + vLength(startB.p) + vLength(now.p) + vLength(centre) + a->radius);
    // Surfaces that are only beside are no contacts, but near.
    return maxF(pair->margin - CONTACT_MARGIN * pair->tolerance - moved - rounding, 0.0f);
}

// Could two have gone through each other by how far they moved?
static bool areFast(const shWorld* world, int a, int b)
{
    const BodyPace *paceA = &world->paces.data[a], *paceB = &world->paces.data[b];
    return !(paceA->way + paceB->way <= SWEEP_DEPTH * minF(paceA->wall, paceB->wall));
}

static void markFast(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const shWorld* world = arg;
    for (int i = begin; i < end; ++i)
        world->marks.data[i] = areFast(world, world->pairs.data[i].a, world->pairs.data[i].b);
}

// `pair` is null if there is none.
static void consider(shWorld* world, int a, int b, const Pair* pair)
{
    if (!areFast(world, a, b))
        return;
    const Body *bodyA = &world->bodies.data[a], *bodyB = &world->bodies.data[b];
    const BodyWay *wayA = bodyWay(world, bodyA), *wayB = bodyWay(world, bodyB);
    if (!givesWay(bodyA) && !givesWay(bodyB))
        return; // what sleeps wakes when it is touched
    StepWay stepA = stepOf(bodyA, wayA), stepB = stepOf(bodyB, wayB);
    DVec3 oldA = wayA != NULL ? wayA->centre : bodyA->centre, oldB = wayB != NULL ? wayB->centre : bodyB->centre;
    float travel = relativeTravel(&stepA, &stepB, vFromD(dSub(oldA, oldB)));
    float depth = SWEEP_DEPTH * minF(bodyWall(bodyA), bodyWall(bodyB));
    if (travel <= depth)
        return;
    if (pair != NULL && travel <= depth + pairClear(pair, bodyA, wayA != NULL ? wayA->start : bodyA->transform, bodyB,
                                                    wayB != NULL ? wayB->start : bodyB->transform))
        return;
    if (!boxOverlaps(wayA != NULL ? wayA->box : bodyBox(bodyA), wayB != NULL ? wayB->box : bodyBox(bodyB)) ||
        waysMeet(world, a, b, 0.0f) == INFINITY)
        return;
    // Without memory nothing can be told of the two: they stay.
    if (crossingAdd(world, a, b))
        return;
    if (bodyA->state >= 0)
        halt(&world->ways.data[bodyA->state]);
    if (bodyB->state >= 0)
        halt(&world->ways.data[bodyB->state]);
}

// Those that pairs do not know of.
static void considerStrays(shWorld* world)
{
    bool strays = false;
    for (int i = 0; i < world->ways.count; ++i)
        strays |= world->ways.data[i].strays;
    if (!strays)
        return;
    broadRefresh(world->broad);
    for (int i = 0; i < world->ways.count; ++i) {
        BodyWay* way = &world->ways.data[i];
        int index = world->moving.data[i];
        if (!way->strays)
            continue;
        if (broadFind(world->broad, way->box, UINT64_MAX, world->memory, &world->list) != shOk) {
            halt(way);
            continue;
        }
        for (int k = 0; k < world->list.count; ++k) {
            int other = world->list.data[k];
            const Body* body = &world->bodies.data[other];
            const BodyWay* way2 = bodyWay(world, body);
            bool twice = way2 != NULL && way2->strays && other < index;
            if (other == index || twice || !bodiesMeet(&world->bodies.data[index], body) ||
                pairFind(world, index, other) >= 0)
                continue;
            bool swap = pairSwaps(&world->bodies.data[minI(index, other)], &world->bodies.data[maxI(index, other)]);
            consider(world, swap ? maxI(index, other) : minI(index, other),
                     swap ? minI(index, other) : maxI(index, other), NULL);
        }
    }
}

// ---- what comes of it -----------------------------------------------------------------------------------------------

// Boxes hold bodies at any time: queries rely on it.
static void followBodies(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        int index = world->moving.data[i], count;
        shBox box = bodyBox(&world->bodies.data[index]);
        if (!boxHolds(broadProxies(world->broad, &count)[index].box, box))
            broadMove(world->broad, index, box);
    }
}

// Has nothing moved so far that two together could be through anything? Then no two of them have to be looked at.
static bool allSlow(const shWorld* world)
{
    float fastest = 0.0f, thinnest = INFINITY;
    for (int i = 0; i < world->bodies.count; ++i) {
        fastest = maxF(fastest, world->paces.data[i].way);
        thinnest = minF(thinnest, world->paces.data[i].wall);
    }
    bool slow = fastest + fastest <= SWEEP_DEPTH * thinnest;
    for (int i = 0; i < world->ways.count && slow; ++i)
        slow = !world->ways.data[i].strays;
    return slow;
}

static void guard(shWorld* world)
{
    parallelFor(world->context, world->ways.count, BODY_BLOCK, measureWays, world);
    world->crossings.count = world->openCrossings.count = world->comingCrossings.count = world->wayParts.count = 0;
    world->slow = allSlow(world);
    if (world->slow)
        return;
    parallelFor(world->context, world->pairs.count, MARK_BLOCK, markFast, world);
    for (int i = 0; i < world->pairs.count; ++i) {
        if (world->marks.data[i] != 0)
            consider(world, world->pairs.data[i].a, world->pairs.data[i].b, &world->pairs.data[i]);
    }
    considerStrays(world);
    world->counters.swept += world->crossings.count;
    settleWays(world);
    for (int i = 0; i < world->ways.count; ++i)
        world->counters.stopped += world->ways.data[i].stop < 1.0f;
    companiesStay(world);
}

void guardRun(shWorld* world)
{
    world->counters.stopped = 0;
    world->slow = true;
    if (world->def.continuous)
        guard(world);
    parallelFor(world->context, world->moving.count, BODY_BLOCK, followBodies, world);
    recentClear(world);
}

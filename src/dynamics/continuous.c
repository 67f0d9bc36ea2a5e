// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Nothing passes through anything, however fast (X1). Before the solve the first touch of two fast bodies has become a
// contact (contacts.c), which stops nearly all of them. Here, after it, the ways that bodies have really gone are
// swept: who would have got deeper into another than half its wall stays where it first touched.
//
// Stops are taken in order of time. Whoever stops stands from then on, and the ways of others that would have followed
// or made room are looked at again. So a body stops once at most, and the outcome does not hang on any order.
#include "collide/scenery.h"
#include "core/constants.h"
#include "collide/apart.h"
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

bool bodiesCross(const shWorld* world, shQuery* query, const SweptBody* a, const SweptBody* b, shSweepHit* hit)
{
    shSweepDef def = shDefaultSweepDef();
    float wallA = bodyWall(a->body), wallB = bodyWall(b->body);
    // What is deep already may stay so, and move, but must not get much deeper. Beyond the middle of the other's wall
    // nobody knows any more which way is out.
    for (float depth = SWEEP_DEPTH * minF(wallA, wallB); depth < maxF(wallA, wallB); depth *= SWEEP_DEEPER) {
        def.depth[0] = depth < wallB ? depth : INFINITY;
        def.depth[1] = depth < wallA ? depth : INFINITY;
        if (!bodiesSweep(world, query, &def, a, b, hit))
            return false;
        if (!hit->touches || hit->fraction > 0.0f)
            return true;
    }
    *hit = (shSweepHit){.fraction = 1.0f};
    return true;
}

// ---- ways -----------------------------------------------------------------------------------------------------------

shStatus guardBegin(shWorld* world)
{
    int count = world->moving.count;
    if (!world->def.continuous)
        return shOk;
    if (!arrayReserve(world->memory, &world->ways, count))
        return shOutOfMemory;
    world->ways.count = count;
    for (int i = 0; i < count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        world->ways.data[i] = (BodyWay){.centre = body->centre, .start = body->transform};
    }
    return shOk;
}

static const BodyWay* wayOf(const shWorld* world, const Body* body)
{
    return body->state >= 0 ? &world->ways.data[body->state] : NULL;
}

// Where a body is at a time, a fraction of the step, and how it goes on.
static SweptBody from(const shWorld* world, const Body* body, float time)
{
    const BodyWay* way = wayOf(world, body);
    SweptBody swept = {.body = body, .start = body->transform, .motion.centre = body->restCentre};
    if (way == NULL)
        return swept;
    swept.start = shMotion_GetTransform(&way->motion, way->start, minF(time, way->stop));
    if (time < way->stop) {
        swept.motion.shift = vScale(1.0f - time, way->motion.shift);
        swept.motion.turn = vScale(1.0f - time, way->motion.turn);
    }
    return swept;
}

// The same turn, with as many full ones more as bring it closest to another.
static Vec3 windingAs(Vec3 turn, const float like[3])
{
    const float circle = 2.0f * 3.14159265f;
    Vec3 axis = vNormalize(turn);
    float more = vDot(axis, vec3(like[0], like[1], like[2])) - vLength(turn);
    return vMad(turn, circle * floorf(more / circle + 0.5f), axis);
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
        way->turned = vLength(way->motion.turn) * body->radius;
        way->stop = 1.0f;
        way->carrier = way->crossing = -1;
        way->strays = false;
        world->paces.data[world->moving.data[i]].way = vLength(way->motion.shift) + way->turned;
        Vec3 old = vFromD(way->centre), new = vFromD(body->centre);
        way->box = boxGrow((shBox){vMin(old, new), vMax(old, new)}, body->radius);
        if (!body->awake || vLength(way->motion.shift) + way->turned <= SWEEP_DEPTH * body->thin)
            continue;
        // Kicked out of the box that the pairs were made of.
        int count;
        const BroadProxy* proxy = &broadProxies(world->broad, &count)[world->moving.data[i]];
        if (!boxHolds(proxy->box, bodyBox(body))) {
            way->strays = true;
            broadMove(world->broad, world->moving.data[i], boxUnion(proxy->box, way->box));
        }
    }
}

// ---- who may have gone through whom ---------------------------------------------------------------------------------

static StepWay stepOf(const Body* body, const BodyWay* way)
{
    if (way == NULL)
        return (StepWay){.radius = 0.0f};
    return (StepWay){way->motion.shift, way->motion.turn, way->turned > 0.0f ? body->radius : 0.0f};
}

static void link(shWorld* world, int crossing, int side, const Body* body)
{
    if (body->state < 0)
        return;
    BodyWay* way = &world->ways.data[body->state];
    world->crossings.data[crossing].next[side] = way->crossing;
    way->crossing = crossing;
}

static void consider(shWorld* world, int a, int b)
{
    const BodyPace *paceA = &world->paces.data[a], *paceB = &world->paces.data[b];
    if (paceA->way + paceB->way <= SWEEP_DEPTH * minF(paceA->wall, paceB->wall))
        return;
    const Body *bodyA = &world->bodies.data[a], *bodyB = &world->bodies.data[b];
    const BodyWay *wayA = wayOf(world, bodyA), *wayB = wayOf(world, bodyB);
    StepWay stepA = stepOf(bodyA, wayA), stepB = stepOf(bodyB, wayB);
    DVec3 oldA = wayA != NULL ? wayA->centre : bodyA->centre, oldB = wayB != NULL ? wayB->centre : bodyB->centre;
    float travel = relativeTravel(&stepA, &stepB, vFromD(dSub(oldA, oldB)));
    if (travel <= SWEEP_DEPTH * minF(bodyWall(bodyA), bodyWall(bodyB)))
        return;
    if (!boxOverlaps(wayA != NULL ? wayA->box : bodyBox(bodyA), wayB != NULL ? wayB->box : bodyBox(bodyB)))
        return;
    if (arrayReserve(world->memory, &world->crossings, world->crossings.count + 1) &&
        arrayReserve(world->memory, &world->crossingQueue, world->crossings.count + 1)) {
        int index = world->crossings.count++;
        world->crossings.data[index] = (Crossing){.a = a, .b = b, .time = INFINITY, .place = -1, .next = {-1, -1}};
        link(world, index, 0, bodyA);
        link(world, index, 1, bodyB);
        return;
    }
    // Without memory nothing can be told of the two: they stay.
    if (bodyA->state >= 0)
        world->ways.data[bodyA->state].stop = 0.0f;
    if (bodyB->state >= 0)
        world->ways.data[bodyB->state].stop = 0.0f;
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
            way->stop = 0.0f;
            continue;
        }
        for (int k = 0; k < world->list.count; ++k) {
            int other = world->list.data[k];
            const Body* body = &world->bodies.data[other];
            const BodyWay* way2 = wayOf(world, body);
            bool twice = way2 != NULL && way2->strays && other < index;
            if (other == index || twice || !bodiesMeet(&world->bodies.data[index], body) ||
                pairFind(world, index, other) >= 0)
                continue;
            bool swap = pairSwaps(&world->bodies.data[minI(index, other)], &world->bodies.data[maxI(index, other)]);
            consider(world, swap ? maxI(index, other) : minI(index, other),
                     swap ? minI(index, other) : maxI(index, other));
        }
    }
}

// ---- when -----------------------------------------------------------------------------------------------------------

// When the two cross, if they have not by `time`; infinity: not at all. Without memory: now.
static float crossTime(const shWorld* world, shQuery* query, const Crossing* crossing, float time)
{
    SweptBody a = from(world, &world->bodies.data[crossing->a], time);
    SweptBody b = from(world, &world->bodies.data[crossing->b], time);
    shSweepHit hit;
    if (!bodiesCross(world, query, &a, &b, &hit))
        return time;
    return hit.touches ? time + (1.0f - time) * hit.fraction : INFINITY;
}

static void findTimes(int begin, int end, int worker, void* arg)
{
    shWorld* world = arg;
    for (int i = begin; i < end; ++i)
        world->crossings.data[i].time = crossTime(world, world->workers[worker].query, &world->crossings.data[i], 0.0f);
}

static bool isEarlier(const Crossing* x, const Crossing* y)
{
    if (x->time != y->time)
        return x->time < y->time;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static bool stopBody(shWorld* world, int index, int other, float time)
{
    const Body* body = &world->bodies.data[index];
    if (body->type != shDynamicBody || body->state < 0)
        return false;
    BodyWay* way = &world->ways.data[body->state];
    if (way->stop <= time)
        return false;
    way->stop = time;
    way->carrier = world->bodies.data[other].type == shKinematicBody ? other : -1;
    return true;
}

// The queue of crossings to come. One that changes its time moves in it.
static void queuePut(shWorld* world, int place, int crossing)
{
    world->crossingQueue.data[place] = crossing;
    world->crossings.data[crossing].place = place;
}

static void queueMove(shWorld* world, int place)
{
    const Crossing* crossings = world->crossings.data;
    const int* queue = world->crossingQueue.data;
    int moved = queue[place], count = world->crossingQueue.count;
    for (int up; place > 0 && isEarlier(&crossings[moved], &crossings[queue[up = (place - 1) / 2]]); place = up)
        queuePut(world, place, queue[up]);
    for (int down; (down = 2 * place + 1) < count; place = down) {
        down += down + 1 < count && isEarlier(&crossings[queue[down + 1]], &crossings[queue[down]]);
        if (!isEarlier(&crossings[queue[down]], &crossings[moved]))
            break;
        queuePut(world, place, queue[down]);
    }
    queuePut(world, place, moved);
}

static void queueSet(shWorld* world, int crossing, float time)
{
    Crossing* c = &world->crossings.data[crossing];
    c->time = time;
    if (c->place < 0 && time < 1.0f) {
        int place = world->crossingQueue.count++;
        queuePut(world, place, crossing);
    }
    if (c->place >= 0)
        queueMove(world, c->place);
}

// The crossings of a body that has stopped, but one.
static void lookAgain(shWorld* world, int body, int except, float time)
{
    const Crossing* crossings = world->crossings.data;
    int next;
    for (int c = world->ways.data[world->bodies.data[body].state].crossing; c >= 0; c = next) {
        next = crossings[c].next[crossings[c].a == body ? 0 : 1];
        if (c != except)
            queueSet(world, c, crossTime(world, world->workers[0].query, &crossings[c], time));
    }
}

static void settle(shWorld* world)
{
    world->crossingQueue.count = 0;
    for (int i = 0; i < world->crossings.count; ++i)
        queueSet(world, i, world->crossings.data[i].time);
    while (world->crossingQueue.count > 0) {
        int first = world->crossingQueue.data[0];
        const Crossing crossing = world->crossings.data[first];
        if (!(crossing.time < 1.0f))
            return;
        queueSet(world, first, INFINITY);
        bool stopsA = stopBody(world, crossing.a, crossing.b, crossing.time);
        bool stopsB = stopBody(world, crossing.b, crossing.a, crossing.time);
        if (stopsA)
            lookAgain(world, crossing.a, first, crossing.time);
        if (stopsB)
            lookAgain(world, crossing.b, first, crossing.time);
    }
}

// ---- what comes of it -----------------------------------------------------------------------------------------------

// A body that did not get as far as it should has not fallen so far either: its speed must not have.
static void stay(shWorld* world, Body* body, const BodyWay* way)
{
    double left = 1.0 - (double)way->stop;
    DVec3 shift = dSub(body->centre, way->centre), turn = dFromV(way->motion.turn);
    body->centre = dMad(way->centre, (double)way->stop, shift);
    spinReposition(&body->spin, dScale(-left, turn));
    if (way->carrier >= 0) {
        const Body* carrier = &world->bodies.data[way->carrier];
        const BodyWay* carry = wayOf(world, carrier);
        DVec3 then = dMad(carry->centre, (double)way->stop, dFromV(carry->motion.shift));
        DVec3 along = dScale(left, dFromV(carry->motion.turn));
        DVec3 arm = dqRotate(dqFromAxisAngle(along, dLength(along)), dSub(body->centre, then));
        body->centre = dAdd(dMad(then, left, dFromV(carry->motion.shift)), arm);
        spinReposition(&body->spin, along);
    }
    DVec3 gravity = dScale((double)body->gravityScale, dFromV(world->def.gravity));
    double missing = left * dDot(gravity, shift), speed2 = (double)vLength2(body->velocity);
    if (missing > 0.0)
        body->velocity =
            speed2 > 2.0 * missing ? vScale((float)sqrt(1.0 - 2.0 * missing / speed2), body->velocity) : vec3(0, 0, 0);
    bodyPlace(body);
}

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

static void guard(shWorld* world)
{
    parallelFor(world->context, world->ways.count, BODY_BLOCK, measureWays, world);
    world->crossings.count = 0;
    for (int i = 0; i < world->pairs.count; ++i)
        consider(world, world->pairs.data[i].a, world->pairs.data[i].b);
    considerStrays(world);
    world->counters.swept += world->crossings.count;
    parallelFor(world->context, world->crossings.count, PAIR_BLOCK, findTimes, world);
    settle(world);
    for (int i = 0; i < world->ways.count; ++i) {
        if (world->ways.data[i].stop == 1.0f)
            continue;
        ++world->counters.stopped;
        Body* body = &world->bodies.data[world->moving.data[i]];
        double before = bodyEnergy(world, body);
        stay(world, body, &world->ways.data[i]);
        world->energy.lost += before - bodyEnergy(world, body);
    }
}

void guardRun(shWorld* world)
{
    world->counters.stopped = 0;
    if (world->def.continuous)
        guard(world);
    parallelFor(world->context, world->moving.count, BODY_BLOCK, followBodies, world);
    recentClear(world);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What becomes of bodies that would have gone through each other (X1): from where they meet they go on together for the
// rest of the step, as one, with the mean of their motion and without turning. So their centre of mass gets where it
// should, and a cloud of fragments does not hang in the air because two of them are in each other's way. With something
// that does not give way they stay, or are carried by it. Their velocities are the next step's affair.
//
// Meetings are taken in order of time, those of a moment at once. Whoever goes another way than before is looked at
// again, together with all that is near that way. Every meeting leaves fewer that go by themselves, so this ends.
#include "core/constants.h"
#include "dynamics/world.h"

enum { nobody = -1, fixed = -2 };

// Where a body is at a time, a fraction of the step, and how it goes on.
static SweptBody from(const shWorld* world, const Body* body, float time)
{
    const BodyWay* way = bodyWay(world, body);
    SweptBody swept = {.body = body, .start = body->transform, .motion.centre = body->restCentre};
    if (way == NULL)
        return swept;
    float part = time > way->since ? (time - way->since) / (1.0f - way->since) : 0.0f;
    swept.start = shMotion_GetTransform(&way->motion, way->start, part);
    swept.motion.shift = vScale(1.0f - part, way->motion.shift);
    swept.motion.turn = vScale(1.0f - part, way->motion.turn);
    return swept;
}

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

// ---- who goes with whom ---------------------------------------------------------------------------------------------

static int rootOf(const shWorld* world, int way)
{
    while (world->ways.data[way].with != way)
        way = world->ways.data[way].with;
    return way;
}

// The root of a body's company; −1: it does not give way.
static int companyOf(const shWorld* world, int index)
{
    const Body* body = &world->bodies.data[index];
    return body->type == shDynamicBody && body->state >= 0 ? rootOf(world, body->state) : -1;
}

static void anchorAt(BodyWay* root, int anchor)
{
    if (root->anchor == nobody)
        root->anchor = anchor;
    else if (anchor != nobody && anchor != root->anchor)
        root->anchor = fixed;
}

static void join(shWorld* world, const Crossing* crossing)
{
    BodyWay* ways = world->ways.data;
    int a = companyOf(world, crossing->a), b = companyOf(world, crossing->b);
    if (a < 0 && b < 0)
        return;
    if (a >= 0 && b >= 0) {
        int root = minI(a, b), other = maxI(a, b);
        ways[other].with = root;
        if (root != other)
            anchorAt(&ways[root], ways[other].anchor);
        ways[root].changed = true;
        return;
    }
    int root = maxI(a, b), other = a < 0 ? crossing->a : crossing->b;
    anchorAt(&ways[root], world->bodies.data[other].type == shKinematicBody ? other : fixed);
    ways[root].changed = true;
}

// ---- new ways -------------------------------------------------------------------------------------------------------

// A way from a time on, as it is.
static void cutWay(BodyWay* way, float time)
{
    if (time <= way->since)
        return;
    float part = (time - way->since) / (1.0f - way->since);
    way->start = shMotion_GetTransform(&way->motion, way->start, part);
    way->at = dMad(way->at, (double)part, dFromV(way->motion.shift));
    way->motion.shift = vScale(1.0f - part, way->motion.shift);
    way->motion.turn = vScale(1.0f - part, way->motion.turn);
    way->since = time;
}

// As a point of something kinematic.
static void carry(const shWorld* world, BodyWay* way, int carrier)
{
    BodyWay by = world->ways.data[world->bodies.data[carrier].state];
    cutWay(&by, way->since);
    DVec3 turn = dFromV(by.motion.turn), arm = dSub(way->at, by.at);
    DVec3 turned = dSub(dqRotate(dqFromAxisAngle(turn, dLength(turn)), arm), arm);
    way->motion.shift = vAdd(by.motion.shift, vFromD(turned));
    way->motion.turn = way->carried = by.motion.turn;
}

static void goOn(shWorld* world, float time)
{
    BodyWay* ways = world->ways.data;
    for (int i = 0; i < world->ways.count; ++i)
        ways[i].mass = 0.0;
    for (int i = 0; i < world->ways.count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        BodyWay* root = &ways[rootOf(world, i)];
        if (!root->changed || body->type != shDynamicBody)
            continue;
        cutWay(&ways[i], time);
        ways[i].stop = minF(ways[i].stop, time);
        root->sum = dMad(root->mass > 0.0 ? root->sum : dvec3(0.0, 0.0, 0.0), body->mass, dFromV(ways[i].motion.shift));
        root->mass += body->mass;
    }
    for (int i = 0; i < world->ways.count; ++i) {
        const BodyWay* root = &ways[rootOf(world, i)];
        BodyWay* way = &ways[i];
        if (!root->changed || world->bodies.data[world->moving.data[i]].type != shDynamicBody)
            continue;
        way->motion.turn = way->carried = vec3(0.0f, 0.0f, 0.0f);
        way->motion.shift = vec3(0.0f, 0.0f, 0.0f);
        if (root->anchor == nobody)
            way->motion.shift = vFromD(dScale(1.0 / root->mass, root->sum));
        else if (root->anchor >= 0)
            carry(world, way, root->anchor);
    }
}

// ---- whom they meet there -------------------------------------------------------------------------------------------

static bool isKnown(const shWorld* world, int a, int b)
{
    for (int i = 0; i < world->crossings.count; ++i) {
        const Crossing* c = &world->crossings.data[i];
        if ((c->a == a && c->b == b) || (c->a == b && c->b == a))
            return true;
    }
    return false;
}

// Without memory it stays.
static void halt(shWorld* world, int way, float time)
{
    BodyWay* root = &world->ways.data[rootOf(world, way)];
    root->anchor = fixed;
    root->changed = true;
    goOn(world, time);
}

static void meetOthers(shWorld* world, int i, float time)
{
    int index = world->moving.data[i];
    if (broadFind(world->broad, world->ways.data[i].box, UINT64_MAX, world->memory, &world->list) != shOk) {
        halt(world, i, time);
        return;
    }
    for (int k = 0; k < world->list.count; ++k) {
        int other = world->list.data[k];
        const Body* body = &world->bodies.data[other];
        if (other == index || !bodiesMeet(&world->bodies.data[index], body) ||
            companyOf(world, other) == rootOf(world, i) || isKnown(world, index, other))
            continue;
        if (!arrayReserve(world->memory, &world->crossings, world->crossings.count + 1)) {
            halt(world, i, time);
            return;
        }
        bool swap = pairSwaps(&world->bodies.data[minI(index, other)], &world->bodies.data[maxI(index, other)]);
        int a = swap ? maxI(index, other) : minI(index, other);
        world->crossings.data[world->crossings.count++] = (Crossing){a, a == index ? other : index, INFINITY, false};
    }
}

static void lookAround(shWorld* world, float time)
{
    int known = world->crossings.count;
    for (int i = 0; i < world->ways.count; ++i) {
        BodyWay* way = &world->ways.data[i];
        int index = world->moving.data[i], count;
        const Body* body = &world->bodies.data[index];
        if (!world->ways.data[rootOf(world, i)].changed || body->type != shDynamicBody)
            continue;
        Vec3 begin = vFromD(way->at), end = vAdd(begin, way->motion.shift);
        way->box = boxUnion(way->box, boxGrow((shBox){vMin(begin, end), vMax(begin, end)}, body->radius));
        const BroadProxy* proxy = &broadProxies(world->broad, &count)[index];
        if (!boxHolds(proxy->box, way->box))
            broadMove(world->broad, index, boxUnion(proxy->box, way->box));
    }
    broadRefresh(world->broad);
    for (int i = 0; i < world->ways.count; ++i) {
        if (world->ways.data[rootOf(world, i)].changed &&
            world->bodies.data[world->moving.data[i]].type == shDynamicBody)
            meetOthers(world, i, time);
    }
    world->counters.swept += world->crossings.count - known;
}

// ---- all of it ------------------------------------------------------------------------------------------------------

typedef struct TimesJob {
    shWorld* world;
    float time;
} TimesJob;

static bool changed(const shWorld* world, int index)
{
    int root = companyOf(world, index);
    return root >= 0 && world->ways.data[root].changed;
}

static void findTimes(int begin, int end, int worker, void* arg)
{
    const TimesJob* job = arg;
    shWorld* world = job->world;
    for (int i = begin; i < end; ++i) {
        Crossing* c = &world->crossings.data[i];
        int a = companyOf(world, c->a);
        if (c->met || (a >= 0 && a == companyOf(world, c->b)))
            c->time = INFINITY;
        else if (changed(world, c->a) || changed(world, c->b))
            c->time = crossTime(world, world->workers[worker].query, c, job->time);
    }
}

static void findFirstTimes(int begin, int end, int worker, void* arg)
{
    shWorld* world = arg;
    for (int i = begin; i < end; ++i)
        world->crossings.data[i].time = crossTime(world, world->workers[worker].query, &world->crossings.data[i], 0.0f);
}

void settleWays(shWorld* world)
{
    parallelFor(world->context, world->crossings.count, PAIR_BLOCK, findFirstTimes, world);
    for (;;) {
        float first = INFINITY;
        for (int i = 0; i < world->crossings.count; ++i)
            first = minF(first, world->crossings.data[i].time);
        if (!(first < 1.0f))
            return;
        for (int i = 0; i < world->ways.count; ++i)
            world->ways.data[i].changed = false;
        for (int i = 0; i < world->crossings.count; ++i) {
            Crossing* crossing = &world->crossings.data[i];
            if (crossing->time > first + SWEEP_MOMENT || !(crossing->time < 1.0f))
                continue;
            join(world, crossing);
            crossing->met = true;
        }
        goOn(world, first);
        lookAround(world, first);
        TimesJob job = {world, first};
        parallelFor(world->context, world->crossings.count, PAIR_BLOCK, findTimes, &job);
    }
}

// A body that did not get as far as it should has not fallen so far either: its speed must not have. Those that went on
// together have fallen as far in all.
void bodyStay(shWorld* world, Body* body)
{
    const BodyWay* way = bodyWay(world, body);
    const BodyWay* root = &world->ways.data[rootOf(world, body->state)];
    DVec3 was = body->centre;
    body->centre = dAdd(way->at, dFromV(way->motion.shift));
    spinReposition(&body->spin, dScale((double)way->stop - 1.0, dFromV(way->turn)));
    if (root->anchor >= 0)
        spinReposition(&body->spin, dFromV(way->carried));
    DVec3 gravity = dScale((double)body->gravityScale, dFromV(world->def.gravity));
    double missing = root->anchor != nobody ? dDot(gravity, dSub(was, body->centre)) : 0.0;
    double speed2 = (double)vLength2(body->velocity);
    if (missing > 0.0)
        body->velocity =
            speed2 > 2.0 * missing ? vScale((float)sqrt(1.0 - 2.0 * missing / speed2), body->velocity) : vec3(0, 0, 0);
    bodyPlace(body);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What becomes of bodies that would have gone through each other (X1): from where they meet they go on together for the
// rest of the step as one body, with the momentum they have. So their centre of mass gets where it should, and a cloud
// of fragments does not hang in the air because two of them are in each other's way. With something that does not give
// way they stay, or are carried by it.
//
// If the solver did not know of the two, their velocities are the next step's affair: there they touch. If it did, they
// have turned too far for what it knew, and would again: they meet where they do, without a bounce.
//
// Meetings are taken in order of time, those of a moment at once. Nobody is looked at much farther than to the first
// one that is known. Whoever goes another way than before is looked at again, together with all that is near that way.
// Every meeting leaves fewer that go by themselves, so this ends.
#include "collide/apart.h"
#include "core/constants.h"
#include "dynamics/world.h"

enum { nobody = -1, fixed = -2 };

// Where a body is at a time, a fraction of the step, and how it goes on until another.
static SweptBody between(const shWorld* world, const Body* body, float time, float end)
{
    const BodyWay* way = bodyWay(world, body);
    SweptBody swept = {.body = body, .start = body->transform, .motion.centre = body->restCentre};
    if (way == NULL)
        return swept;
    float left = 1.0f - way->since, part = time > way->since ? (time - way->since) / left : 0.0f;
    float more = (end - way->since) / left - part;
    swept.start = part > 0.0f ? shMotion_GetTransform(&way->motion, way->start, part) : way->start;
    swept.motion.centre = way->motion.centre;
    swept.motion.shift = vScale(more, way->motion.shift);
    swept.motion.turn = vScale(more, way->motion.turn);
    return swept;
}

// The ball around a body from a time on, as far as that goes straight on.
typedef struct Ball {
    DVec3 centre;
    Vec3 shift;   // until the end of the step
    float radius; // infinite where nothing can be told
    bool turns;
} Ball;

static Ball ballAt(const shWorld* world, int index, float time)
{
    const Body* body = &world->bodies.data[index];
    const BodyWay* way = bodyWay(world, body);
    if (way == NULL)
        return (Ball){.centre = body->centre, .radius = body->radius};
    float part = time > way->since ? (time - way->since) / (1.0f - way->since) : 0.0f;
    return (Ball){.centre = dMad(way->at, (double)part, dFromV(way->motion.shift)),
                  .shift = vScale(1.0f - part, way->motion.shift),
                  .radius = wayIsStraight(way) ? body->radius : INFINITY,
                  .turns = vLength2(way->motion.turn) > 0.0f};
}

float waysMeet(const shWorld* world, int a, int b, float time)
{
    Ball ballA = ballAt(world, a, time), ballB = ballAt(world, b, time);
    Vec3 between = vFromD(dSub(ballA.centre, ballB.centre)), shift = vSub(ballA.shift, ballB.shift);
    if (vLength2(shift) == 0.0f && !ballA.turns && !ballB.turns)
        return INFINITY;
    return time + (1.0f - time) * ballsMeet(between, shift, ballA.radius + ballB.radius);
}

// Looks when the two cross, from where that is known to the end of a piece of their ways. Without memory: now.
static void lookOn(const shWorld* world, shQuery* query, Crossing* crossing, float end)
{
    float wall = minF(bodyWall(&world->bodies.data[crossing->a]), bodyWall(&world->bodies.data[crossing->b]));
    float time = waysMeet(world, crossing->a, crossing->b, crossing->since);
    float apart = waysApart(world, crossing->a, crossing->b, crossing->since) + SWEEP_DEPTH * wall;
    crossing->clear = minF(crossing->clear, SWEEP_STRAY * wall + maxF(apart, 0.0f));
    if (apart >= 0.0f || !(time < end)) {
        crossing->since = apart >= 0.0f ? 1.0f : minF(time, 1.0f);
        return;
    }
    SweptBody a = between(world, &world->bodies.data[crossing->a], time, end);
    SweptBody b = between(world, &world->bodies.data[crossing->b], time, end);
    shSweepHit hit;
    crossing->time = time;
    if (!bodiesCrossOn(world, query, &a, &b, &crossing->depth, &hit))
        return;
    crossing->point = hit.point;
    crossing->normal = hit.normal;
    crossing->time = hit.touches ? time + (end - time) * hit.fraction : INFINITY;
    crossing->since = hit.touches ? crossing->time : crossing->depth < INFINITY ? end : 1.0f;
}

shTransform wayAt(const shWorld* world, int index, float time)
{
    const BodyWay* way = &world->ways.data[index];
    shTransform start = way->start;
    shMotion motion = way->motion;
    float since = way->since;
    for (int i = way->part; i >= 0 && time < since; i = world->wayParts.data[i].before) {
        const WayPart* part = &world->wayParts.data[i];
        start = part->start;
        motion = part->motion;
        since = part->since;
    }
    return shMotion_GetTransform(&motion, start, since < 1.0f ? (time - since) / (1.0f - since) : 0.0f);
}

// What has been of a way so far is remembered, for whoever wants to look at it, while there is room.
static void remember(shWorld* world, BodyWay* way)
{
    if (world->wayParts.count == world->wayParts.capacity)
        return;
    world->wayParts.data[world->wayParts.count] = (WayPart){way->since, way->start, way->motion, way->part};
    way->part = world->wayParts.count++;
}

// ---- who goes with whom ---------------------------------------------------------------------------------------------

static int rootOf(const shWorld* world, int way)
{
    BodyWay* ways = world->ways.data;
    while (ways[way].with != way) // which is a shorter way the next time
        way = ways[way].with = ways[ways[way].with].with;
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

// Those that have met something are listed once; who has joined another is passed over.
static void setChanged(shWorld* world, int root)
{
    if (!world->ways.data[root].changed)
        world->metWays.data[world->metWays.count++] = root;
    world->ways.data[root].changed = true;
}

static void join(shWorld* world, const Crossing* crossing)
{
    BodyWay* ways = world->ways.data;
    int a = companyOf(world, crossing->a), b = companyOf(world, crossing->b);
    if (a < 0 && b < 0)
        return;
    if (a >= 0 && b >= 0) {
        int root = minI(a, b), other = maxI(a, b);
        setChanged(world, root);
        if (root == other)
            return;
        ways[other].with = root;
        anchorAt(&ways[root], ways[other].anchor);
        int next = ways[root].next;
        ways[root].next = ways[other].next;
        ways[other].next = next;
        return;
    }
    int root = maxI(a, b), other = a < 0 ? crossing->a : crossing->b;
    anchorAt(&ways[root], world->bodies.data[other].type == shKinematicBody ? other : fixed);
    setChanged(world, root);
}

// ---- new ways -------------------------------------------------------------------------------------------------------

static DQuat turnBy(Vec3 turn)
{
    DVec3 axis = dFromV(turn);
    return dqFromAxisAngle(axis, dLength(axis));
}

// A way from a time on, as it is.
static void cutWay(BodyWay* way, float time)
{
    if (time <= way->since)
        return;
    float part = (time - way->since) / (1.0f - way->since);
    DQuat turn = turnBy(vScale(part, way->motion.turn));
    DVec3 shift = dScale((double)part, dFromV(way->motion.shift));
    way->start = shMotion_GetTransform(&way->motion, way->start, part);
    way->at = dAdd(dAdd(way->pivot, shift), dqRotate(turn, dSub(way->at, way->pivot)));
    way->pivot = dAdd(way->pivot, shift);
    if (way->stop < 1.0f) // turned with others
        way->carried = dqMul(turn, way->carried);
    way->motion.shift = vScale(1.0f - part, way->motion.shift);
    way->motion.turn = vScale(1.0f - part, way->motion.turn);
    way->since = time;
}

// What its centre of mass begins to go with.
static DVec3 shiftOf(const BodyWay* way)
{
    return dAdd(dFromV(way->motion.shift), dCross(dFromV(way->motion.turn), dSub(way->at, way->pivot)));
}

// As a part of something that moves and turns.
static void follow(BodyWay* way, const Company* company)
{
    way->pivot = company->centre;
    way->motion.centre = xformUnpoint(way->start, vFromD(company->centre));
    way->motion.shift = vFromD(company->shift);
    way->motion.turn = vFromD(company->turn);
}

static void carry(const shWorld* world, BodyWay* way, int carrier)
{
    BodyWay by = world->ways.data[world->bodies.data[carrier].state];
    cutWay(&by, way->since);
    follow(way, &(Company){.centre = by.at, .shift = dFromV(by.motion.shift), .turn = dFromV(by.motion.turn)});
}

static const Body* bodyOf(const shWorld* world, int way) { return &world->bodies.data[world->moving.data[way]]; }

// Centre and drift of a company. It does not turn: what its bodies have of angular momentum is in where they are and
// how fast, and as long as none of them moves against the others all of that stays.
static Company sumUp(const shWorld* world, int root)
{
    const BodyWay* ways = world->ways.data;
    Company company = {0};
    int i = root;
    do {
        double mass = bodyOf(world, i)->mass;
        company.mass += mass;
        company.centre = dMad(company.centre, mass, ways[i].at);
        company.shift = dMad(company.shift, mass, shiftOf(&ways[i]));
    } while ((i = ways[i].next) != root);
    company.centre = dScale(1.0 / company.mass, company.centre);
    company.shift = dScale(1.0 / company.mass, company.shift);
    return company;
}

// Those that have come to stay do, whoever joins them. In a heap most have.
static bool stays(const BodyWay* way, int anchor)
{
    return anchor == fixed && way->stop < 1.0f && vLength2(way->motion.shift) == 0.0f &&
           vLength2(way->motion.turn) == 0.0f;
}

static void goOn(shWorld* world, int root, float time)
{
    BodyWay* ways = world->ways.data;
    int i = root, anchor = ways[root].anchor;
    do {
        if (stays(&ways[i], anchor))
            continue;
        if (time > ways[i].since)
            remember(world, &ways[i]);
        cutWay(&ways[i], time);
        ways[i].stop = minF(ways[i].stop, time);
    } while ((i = ways[i].next) != root);
    Company company = anchor == nobody ? sumUp(world, root) : (Company){0};
    do {
        BodyWay before = ways[i];
        if (anchor == nobody)
            follow(&ways[i], &company);
        else if (anchor >= 0)
            carry(world, &ways[i], anchor);
        else
            ways[i].motion.turn = ways[i].motion.shift = vec3(0.0f, 0.0f, 0.0f);
        ways[i].strayed += wayDeviation(bodyOf(world, i), &before, &ways[i]);
    } while ((i = ways[i].next) != root);
}

// Has a way changed in the round of meetings at a time?
static bool isNew(const BodyWay* way, float time) { return way->since >= time; }

// ---- whom they meet there -------------------------------------------------------------------------------------------

// To be looked at.
static void list(shWorld* world, int crossing)
{
    if (!world->crossings.data[crossing].listed)
        world->openCrossings.data[world->openCrossings.count++] = crossing;
    world->crossings.data[crossing].listed = true;
}

bool crossingAdd(shWorld* world, int a, int b)
{
    int count = world->crossings.count + 1;
    if (!arrayReserve(world->memory, &world->crossings, count) ||
        !arrayReserve(world->memory, &world->crossingList, count) ||
        !arrayReserve(world->memory, &world->openCrossings, count) ||
        !arrayReserve(world->memory, &world->comingCrossings, count) ||
        !pushesReserve(world, world->order.count + count))
        return false;
    int index = world->crossings.count++;
    Crossing* crossing = &world->crossings.data[index];
    *crossing = (Crossing){a, b, INFINITY, .clear = INFINITY, .next = {-1, -1}};
    list(world, index);
    const int bodies[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        BodyWay* way = bodyWay(world, &world->bodies.data[bodies[k]]);
        if (way == NULL)
            continue;
        crossing->next[k] = way->crossing;
        way->crossing = index;
    }
    return true;
}

// Notes with all bodies that a way has crossings with which way that is.
static void noteKnown(shWorld* world, int way)
{
    int index = world->moving.data[way];
    for (int i = world->ways.data[way].crossing; i >= 0;) {
        const Crossing* c = &world->crossings.data[i];
        int side = c->a == index ? 0 : 1;
        world->slotNotes.data[side == 0 ? c->b : c->a] = way;
        i = c->next[side];
    }
}

// Without memory it stays.
static void halt(shWorld* world, int way, float time)
{
    int root = rootOf(world, way);
    world->ways.data[root].anchor = fixed;
    goOn(world, root, time);
}

static void meetOthers(shWorld* world, int i, float time)
{
    int index = world->moving.data[i];
    if (broadFind(world->broad, world->ways.data[i].box, UINT64_MAX, world->memory, &world->list) != shOk) {
        halt(world, i, time);
        return;
    }
    noteKnown(world, i);
    for (int k = 0; k < world->list.count; ++k) {
        int other = world->list.data[k];
        const Body* body = &world->bodies.data[other];
        if (other == index || world->slotNotes.data[other] == i || companyOf(world, other) == rootOf(world, i) ||
            !bodiesMeet(&world->bodies.data[index], body) || waysMeet(world, index, other, time) == INFINITY)
            continue;
        bool swap = pairSwaps(&world->bodies.data[minI(index, other)], &world->bodies.data[maxI(index, other)]);
        int a = swap ? maxI(index, other) : minI(index, other);
        if (!crossingAdd(world, a, a == index ? other : index)) {
            halt(world, i, time);
            return;
        }
    }
}

// The boxes of all ways of a company, for the broad phase.
static void widen(shWorld* world, int root, float time)
{
    int i = root;
    do {
        BodyWay* way = &world->ways.data[i];
        if (!isNew(way, time))
            continue;
        int index = world->moving.data[i], count;
        BodyWay last = *way;
        cutWay(&last, 1.0f);
        Vec3 begin = vFromD(way->at), end = vFromD(last.at);
        // An arc strays from the line between its ends by less than this.
        float turn = vLength(way->motion.turn), arc = minF(0.125f * turn * turn, 2.0f);
        float more = world->bodies.data[index].radius + arc * (float)dDistance(way->at, way->pivot);
        shBox box = boxGrow((shBox){vMin(begin, end), vMax(begin, end)}, more);
        way->box = boxUnion(way->box, box);
        const BroadProxy* proxy = &broadProxies(world->broad, &count)[index];
        if (!boxHolds(proxy->box, way->box))
            broadMove(world->broad, index, boxUnion(proxy->box, way->box));
    } while ((i = world->ways.data[i].next) != root);
}

static bool isRoot(const shWorld* world, int way) { return world->ways.data[way].with == way; }

static void lookAround(shWorld* world, float time)
{
    int known = world->crossings.count;
    for (int k = 0; k < world->metWays.count; ++k) {
        if (isRoot(world, world->metWays.data[k]))
            widen(world, world->metWays.data[k], time);
    }
    broadRefresh(world->broad);
    for (int k = 0; k < world->metWays.count; ++k) {
        int root = world->metWays.data[k], i = root;
        if (!isRoot(world, root))
            continue;
        do {
            if (isNew(&world->ways.data[i], time))
                meetOthers(world, i, time);
        } while ((i = world->ways.data[i].next) != root);
    }
    world->counters.swept += world->crossings.count - known;
}

// ---- what they do to each other -------------------------------------------------------------------------------------

// Where two meet, from both centres and as they are turned then: from now on they go together.
static Vec3 armOf(const shWorld* world, const Body* body, Vec3 point)
{
    const BodyWay* way = body->type == shDynamicBody ? bodyWay(world, body) : NULL;
    return way != NULL ? qUnrotate(way->start.q, vFromD(dSub(dFromV(point), way->at)))
                       : qUnrotate(body->transform.q, vFromD(dSub(dFromV(point), body->centre)));
}

static void takeArms(const shWorld* world, Crossing* crossing)
{
    const Body *a = &world->bodies.data[crossing->a], *b = &world->bodies.data[crossing->b];
    const Body* turns = a->type == shDynamicBody && a->state >= 0 ? a : b;
    crossing->armA = armOf(world, a, crossing->point);
    crossing->armB = armOf(world, b, crossing->point);
    crossing->normal = qUnrotate(bodyWay(world, turns)->start.q, crossing->normal);
}

static DVec3 velocityAt(const Body* body, DVec3 arm)
{
    DVec3 angular = body->type == shDynamicBody ? spinVelocity(&body->spin) : dFromV(body->angular);
    return dAdd(dFromV(body->velocity), dCross(angular, arm));
}

static double giveOf(const Body* body, DVec3 arm, DVec3 direction)
{
    return body->state >= 0 ? bodyGive(body, arm, direction) : 0.0;
}

static void strike(shWorld* world, Body* body, DVec3 arm, DVec3 impulse)
{
    if (body->mass <= 0.0 || body->state < 0)
        return;
    double before = bodyEnergy(world, body);
    body->velocity = vAdd(body->velocity, vFromD(dScale(1.0 / body->mass, impulse)));
    spinAddImpulse(&body->spin, dCross(arm, impulse));
    bodyPlace(body);
    world->energy.lost += before - bodyEnergy(world, body);
}

// A pair that has been deep for some steps, and turns, meets at once in every step, at a place that goes away just
// then: no blow there helps, and nothing that pushes the two apart gets far. They go on as one: that keeps their
// momentum.
static void cling(shWorld* world, Body* a, Body* b)
{
    Body* both[2] = {a, b};
    CommonMotion common = {0};
    double before = 0.0;
    bool alone = false;
    if (a->type == shKinematicBody || b->type == shKinematicBody)
        return; // to go on with it would be its work
    for (int k = 0; k < 2; ++k) {
        bool gives = both[k]->type == shDynamicBody && both[k]->state >= 0;
        alone |= !gives;
        if (gives)
            commonAddMass(&common, both[k]);
    }
    commonDivide(&common);
    for (int k = 0; k < 2; ++k) {
        const Body* other = both[1 - k];
        if (both[k]->type != shDynamicBody || both[k]->state < 0)
            continue;
        commonAddTurn(&common, both[k]);
        before += bodyEnergy(world, both[k]);
        if (alone) { // with what does not give way
            common.drift = velocityAt(other, dSub(both[k]->centre, other->centre));
            common.turn = dFromV(other->angular);
        }
    }
    if (!alone)
        commonSolve(&common);
    for (int k = 0; k < 2; ++k) {
        if (both[k]->type == shDynamicBody && both[k]->state >= 0) {
            commonBlend(both[k], &common, &common, 0.0);
            before -= bodyEnergy(world, both[k]);
        }
    }
    world->energy.lost += before;
}

static void solveMeetings(shWorld* world)
{
    for (int i = 0; i < SWEEP_BLOWS * world->crossings.count; ++i) {
        const Crossing* crossing = &world->crossings.data[i % world->crossings.count];
        Body *a = &world->bodies.data[crossing->a], *b = &world->bodies.data[crossing->b];
        int pair = crossing->met ? pairFind(world, crossing->a, crossing->b) : -1;
        if (pair < 0 || world->pairs.data[pair].count == 0 || a->waiting || b->waiting)
            continue;
        const Body* turns = a->type == shDynamicBody && a->state >= 0 ? a : b;
        DVec3 normal = dFromV(qRotate(turns->transform.q, crossing->normal));
        DVec3 armA = dFromV(qRotate(a->transform.q, crossing->armA));
        DVec3 armB = dFromV(qRotate(b->transform.q, crossing->armB));
        double closing = dDot(normal, dSub(velocityAt(a, armA), velocityAt(b, armB)));
        double give = giveOf(a, armA, normal) + giveOf(b, armB, normal);
        if (!(closing < 0.0) && world->pairs.data[pair].uses < -JAM_PATIENCE && i < world->crossings.count)
            cling(world, a, b);
        if (!(closing < 0.0) || !(give > 0.0))
            continue;
        DVec3 impulse = dScale(-closing / give, normal);
        strike(world, a, armA, impulse);
        strike(world, b, armB, dNeg(impulse));
    }
}

// ---- all of it ------------------------------------------------------------------------------------------------------

// How far all crossings have to be looked at: to the first one that is known, and what counts as the same moment.
typedef struct TimesJob {
    shWorld* world;
    float until;
} TimesJob;

static void findTimes(int begin, int end, int worker, void* arg)
{
    const TimesJob* job = arg;
    shWorld* world = job->world;
    for (int i = begin; i < end; ++i) {
        Crossing* c = &world->crossings.data[world->crossingList.data[i]];
        lookOn(world, world->workers[worker].query, c,
               minF(maxF(job->until, c->since + maxF(SWEEP_PIECE, c->since)), 1.0f));
    }
}

// Does nobody know yet whether the two meet?
static bool isOpen(const shWorld* world, const Crossing* crossing)
{
    if (crossing->met || crossing->since >= 1.0f || crossing->time < INFINITY)
        return false;
    int a = companyOf(world, crossing->a);
    return a < 0 || a != companyOf(world, crossing->b);
}

// Takes all that need not be looked at from the list, until one of them goes another way.
static void keepOpen(shWorld* world)
{
    int* open = world->openCrossings.data;
    int kept = 0;
    for (int i = 0; i < world->openCrossings.count; ++i) {
        Crossing* crossing = &world->crossings.data[open[i]];
        crossing->listed = isOpen(world, crossing);
        if (crossing->listed)
            open[kept++] = open[i];
    }
    world->openCrossings.count = kept;
}

// Looks at some of the crossings, of those that are near or of the others. What comes later than those known already
// need not be known: ways will have changed by then. Blocks of a fixed size, so that the answer is the same for any
// number of workers.
static float findFirstOf(shWorld* world, bool near, int atOnce, float first)
{
    for (int next = 0; next < world->openCrossings.count;) {
        TimesJob job = {world, minF(first + SWEEP_MOMENT, 1.0f)};
        world->crossingList.count = 0;
        for (; next < world->openCrossings.count && world->crossingList.count < atOnce; ++next) {
            const Crossing* crossing = &world->crossings.data[world->openCrossings.data[next]];
            if (crossing->near == near && crossing->since < job.until)
                world->crossingList.data[world->crossingList.count++] = world->openCrossings.data[next];
        }
        parallelFor(world->context, world->crossingList.count, PAIR_BLOCK, findTimes, &job);
        for (int i = 0; i < world->crossingList.count; ++i) {
            int index = world->crossingList.data[i];
            float time = world->crossings.data[index].time;
            first = minF(first, time);
            if (time < INFINITY)
                world->comingCrossings.data[world->comingCrossings.count++] = index;
        }
    }
    return first;
}

// When the first two cross; infinity: nobody does. Those that were about to are asked first: what they say limits how
// far all others have to be looked at.
static float findFirst(shWorld* world)
{
    float first = INFINITY;
    int kept = 0;
    for (int i = 0; i < world->comingCrossings.count; ++i) {
        int index = world->comingCrossings.data[i];
        first = minF(first, world->crossings.data[index].time);
        if (world->crossings.data[index].time < INFINITY)
            world->comingCrossings.data[kept++] = index;
    }
    world->comingCrossings.count = kept;
    keepOpen(world);
    first = findFirstOf(world, true, PAIR_BLOCK, first);
    return findFirstOf(world, false, SWEEP_AT_ONCE, first);
}

// One of the two goes another way from now on. What was seen still holds if it does not stray far from there: less, as
// far as it was seen, than by the end.
static void forget(shWorld* world, int index, float strayed, float time)
{
    Crossing* crossing = &world->crossings.data[index];
    if (crossing->met)
        return;
    bool known = crossing->time < INFINITY;
    float by = known ? INFINITY : strayed * (crossing->since - time) / (1.0f - time);
    if (crossing->since >= time && by <= crossing->clear) {
        crossing->clear -= by;
        return;
    }
    crossing->near |= known;
    crossing->time = INFINITY;
    crossing->since = time;
    crossing->clear = INFINITY;
    crossing->depth = 0.0f;
    list(world, index);
}

// All that have met something go another way from now on.
static void forgetChanged(shWorld* world, float time)
{
    for (int k = 0; k < world->metWays.count; ++k) {
        int root = world->metWays.data[k], i = root;
        world->ways.data[root].changed = false;
        if (!isRoot(world, root))
            continue;
        do {
            BodyWay* way = &world->ways.data[i];
            for (int index = isNew(way, time) ? way->crossing : -1; index >= 0;) {
                forget(world, index, way->strayed, time);
                const Crossing* crossing = &world->crossings.data[index];
                index = crossing->next[crossing->a == world->moving.data[i] ? 0 : 1];
            }
            way->strayed = 0.0f;
        } while ((i = world->ways.data[i].next) != root);
    }
}

void settleWays(shWorld* world)
{
    world->wayParts.count = 0;
    for (int i = 0; i < world->bodies.count; ++i)
        world->slotNotes.data[i] = -1;
    for (;;) {
        float first = findFirst(world);
        if (!(first < 1.0f))
            return;
        world->metWays.count = world->crossingList.count = 0;
        for (int k = 0; k < world->comingCrossings.count; ++k) {
            int i = world->comingCrossings.data[k];
            Crossing* crossing = &world->crossings.data[i];
            if (crossing->time > first + SWEEP_MOMENT || !(crossing->time < 1.0f))
                continue;
            join(world, crossing);
            crossing->met = true;
            crossing->time = INFINITY;
            world->crossingList.data[world->crossingList.count++] = i;
        }
        for (int k = 0; k < world->metWays.count; ++k) {
            if (isRoot(world, world->metWays.data[k]))
                goOn(world, world->metWays.data[k], first);
        }
        for (int i = 0; i < world->crossingList.count; ++i)
            takeArms(world, &world->crossings.data[world->crossingList.data[i]]);
        lookAround(world, first);
        forgetChanged(world, first);
    }
}

// Takes energy from a velocity, J/kg: what it falls with first.
static Vec3 slower(Vec3 velocity, DVec3 gravity, double energy)
{
    DVec3 v = dFromV(velocity), down = dNormalize(gravity);
    double speed = dDot(v, down), left = speed * speed - 2.0 * energy;
    if (left >= 0.0)
        return vFromD(dMad(v, (speed < 0.0 ? -sqrt(left) : sqrt(left)) - speed, down));
    v = dMad(v, -speed, down);
    double across = dLength2(v);
    return across + left > 0.0 ? vFromD(dScale(sqrt(1.0 + left / across), v)) : vec3(0.0f, 0.0f, 0.0f);
}

// Where its own way has brought it until it met others, and they from then on. A body that did not get as far as it
// should has not fallen so far either: its speed must not have. Those that went on together have fallen as far in all.
// Nor is it turned on until momentum and energy fit, as in free rotation: others are in the way.
static void stay(const shWorld* world, Body* body, bool anchored)
{
    const BodyWay* way = bodyWay(world, body);
    DVec3 was = body->centre;
    DQuat last = turnBy(way->motion.turn), turn = dqMul(last, way->carried);
    body->centre = dAdd(dAdd(way->pivot, dFromV(way->motion.shift)), dqRotate(last, dSub(way->at, way->pivot)));
    DQuat met = dqMul(turnBy(vScale(way->stop - 1.0f, way->turn)), body->spin.frame);
    body->spin.frame = dqNormalize(dqMul(turn, met));
    spinSettle(&body->spin);
    DVec3 gravity = dScale((double)body->gravityScale, dFromV(world->def.gravity));
    double missing = anchored ? dDot(gravity, dSub(was, body->centre)) : 0.0;
    if (missing > 0.0)
        body->velocity = slower(body->velocity, gravity, missing);
    bodyPlace(body);
}

static double energyOf(const shWorld* world, int root)
{
    double energy = 0.0;
    int i = root;
    do {
        energy += bodyEnergy(world, bodyOf(world, i));
    } while ((i = world->ways.data[i].next) != root);
    return energy;
}

void companiesStay(shWorld* world)
{
    for (int root = 0; root < world->ways.count; ++root) {
        const BodyWay* way = &world->ways.data[root];
        if (!isRoot(world, root) || way->stop == 1.0f || bodyOf(world, root)->type != shDynamicBody)
            continue;
        double before = energyOf(world, root);
        int i = root;
        do {
            stay(world, &world->bodies.data[world->moving.data[i]], way->anchor != nobody);
        } while ((i = world->ways.data[i].next) != root);
        world->energy.lost += before - energyOf(world, root);
    }
    solveMeetings(world);
}

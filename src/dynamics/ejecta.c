// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// No piece leaves a break faster than what came (X3).
//
// Rigid pieces could: a wedge between two others is squeezed out like a wet stone, and the tip of one that spins may
// meet another. What is that brittle crumbles there instead. So everything that takes part in a break gets a lid: the
// speed of the fastest point of any of them before, and what forces add. It holds for a while, for all who meet in that
// time together. Who would be faster goes on with the heaviest that have pushed it, as far as it takes: that keeps
// their momentum and takes energy. The same holds of how fast a rim turns about its body.
#include "core/constants.h"
#include "dynamics/world.h"

static bool hasLid(const Body* body) { return body->lidTime > 0.0f && body->drag < 0; }

// What is pushed about by somebody's hand explains the speed of those it meets.
static void raiseByHand(shWorld* world, const Body* by, const Body* body)
{
    if (by->type != shKinematicBody || body->state < 0 || by->state < 0)
        return;
    Grouping* grouping = &world->groupings.data[world->islandOf.data[body->state]];
    const BodyBefore* before = &world->befores.data[by->state];
    grouping->lid = minF(maxF(grouping->lid, before->speed + before->rim), STATE_MOST); // planes have no end
}

// A rim turns faster and slower as its body tumbles; twice as fast only if somebody has turned it.
static float spunUp(const Body* body, const BodyBefore* before)
{
    return before->rim > 2.0f * body->lid ? before->rim : 0.0f;
}

// The fastest that anything in a grouping may be, and how long that holds.
static void raiseLids(shWorld* world, float dt)
{
    const int* group = world->islandOf.data;
    Grouping* groupings = world->groupings.data;
    for (int i = 0; i < world->moving.count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        const BodyBefore* before = &world->befores.data[i];
        Grouping* grouping = &groupings[group[i]];
        float most = before->speed + before->rim;
        if (hasLid(body)) // if it is faster somebody has pushed it since
            most = body->struck ? body->lid : maxF(body->lid, maxF(before->speed, spunUp(body, before)));
        if (body->mass > 0.0)
            most += (float)(dLength(before->push) / body->mass);
        grouping->lid = maxF(grouping->lid, most);
        grouping->lidTime = maxF(grouping->lidTime, body->struck ? world->def.calmTime : body->lidTime - dt);
    }
    for (int i = 0; i < world->order.count; ++i) {
        const Pair* pair = &world->pairs.data[world->order.data[i]];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        raiseByHand(world, a, b);
        raiseByHand(world, b, a);
    }
    for (int i = 0; i < world->moving.count; ++i) {
        Body* body = &world->bodies.data[world->moving.data[i]];
        body->lidTime = maxF(groupings[group[i]].lidTime, 0.0f);
        body->lid = body->lidTime > 0.0f ? groupings[group[i]].lid : 0.0f;
    }
}

// ---- who has pushed whom --------------------------------------------------------------------------------------------

bool pushesReserve(shWorld* world, int count)
{
    return arrayReserve(world->memory, &world->pushes, 2 * (int64_t)count) &&
           arrayReserve(world->memory, &world->slotNotes, world->bodies.count);
}

static void addPush(shWorld* world, int body, int other)
{
    world->pushes.data[world->pushes.count] = (Push){other, world->slotNotes.data[body]};
    world->slotNotes.data[body] = world->pushes.count++;
}

// By contacts, or within the step (company.c).
void pushesList(shWorld* world)
{
    world->pushes.count = 0;
    for (int i = 0; i < world->bodies.count; ++i)
        world->slotNotes.data[i] = -1;
    for (int i = 0; i < world->order.count; ++i) {
        const Pair* pair = &world->pairs.data[world->order.data[i]];
        if (pair->load > 0.0f) {
            addPush(world, pair->a, pair->b);
            addPush(world, pair->b, pair->a);
        }
    }
    for (int i = 0; i < world->crossings.count; ++i) {
        const Crossing* crossing = &world->crossings.data[i];
        if (crossing->met) {
            addPush(world, crossing->a, crossing->b);
            addPush(world, crossing->b, crossing->a);
        }
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

int crowdNext(const shWorld* world, const Crowd* crowd)
{
    int heaviest = -1, found = -1;
    for (int i = 0; i < crowd->count; ++i) {
        for (int k = world->slotNotes.data[crowd->bodies[i]]; k >= 0; k = world->pushes.data[k].next) {
            int index = world->pushes.data[k].other;
            const Body* other = &world->bodies.data[index];
            if (other->mass <= 0.0 || other->state < 0 || other->waiting || isIn(crowd, index))
                continue;
            double most = heaviest >= 0 ? world->bodies.data[heaviest].mass : 0.0;
            if (other->mass > most || (other->mass == most && k / 2 < found / 2)) { // of equals the one listed first
                heaviest = index;
                found = k;
            }
        }
    }
    return heaviest;
}

// Of all that have pushed one of the crowd the heaviest that moves joins it. False: there is none.
static bool growCrowd(const shWorld* world, Crowd* crowd)
{
    int next = crowd->count < EJECTA_CROWD ? crowdNext(world, crowd) : -1;
    if (next < 0)
        return false;
    crowd->bodies[crowd->count++] = next;
    return true;
}

// ---- who is slowed down ---------------------------------------------------------------------------------------------

static CommonMotion commonOf(const shWorld* world, const Crowd* crowd)
{
    CommonMotion common = {0};
    for (int i = 0; i < crowd->count; ++i)
        commonAddMass(&common, &world->bodies.data[crowd->bodies[i]]);
    commonDivide(&common);
    for (int i = 0; i < crowd->count; ++i)
        commonAddTurn(&common, &world->bodies.data[crowd->bodies[i]]);
    commonSolve(&common);
    return common;
}

// The largest part s ≤ 1 of `against` for which |along + s · against| stays below a speed; 0 if none does.
static double mostOf(DVec3 along, DVec3 against, double speed)
{
    double a = dLength2(against), b = dDot(along, against), c = dLength2(along) - speed * speed;
    if (c >= 0.0 || a == 0.0)
        return 0.0;
    double root = sqrt(b * b - a * c);
    double s = b > 0.0 ? -c / (b + root) : (root - b) / a;
    return s < 1.0 ? s : 1.0;
}

// Of what a body moves against the common motion: what it may keep to stay below its lid.
static double keepOf(const Body* body, const CommonMotion* common)
{
    double lid = EJECTA_BELOW * (double)body->lid;
    DVec3 along = dAdd(common->drift, dCross(common->turn, dSub(body->centre, common->centre)));
    double keep = mostOf(along, dSub(dFromV(body->velocity), along), lid);
    DVec3 against = dSub(spinVelocity(&body->spin), common->turn);
    return minD(keep, mostOf(common->turn, against, lid / (double)body->radius));
}

// As many as it takes are slowed down with it. Where even all of them turn too fast as one, for what is far out, their
// drift alone counts, at the cost of angular momentum: that is never faster than they came. False: nobody has pushed
// it.
static bool slowDown(shWorld* world, int index)
{
    Crowd crowd = {.bodies = {index}, .count = 1};
    CommonMotion common = {0};
    double keep = 0.0;
    while (keep == 0.0 && growCrowd(world, &crowd)) {
        common = commonOf(world, &crowd);
        keep = keepOf(&world->bodies.data[index], &common);
    }
    if (keep == 0.0) {
        common.turn = dvec3(0.0, 0.0, 0.0);
        keep = keepOf(&world->bodies.data[index], &common);
    }
    for (int i = 0; i < crowd.count && crowd.count > 1; ++i) {
        Body* body = &world->bodies.data[crowd.bodies[i]];
        double energy = bodyEnergy(world, body);
        commonBlend(body, &common, &common, keep);
        world->energy.lost += energy - bodyEnergy(world, body);
    }
    return crowd.count > 1;
}

static bool tooFast(const Body* body)
{
    return vLength(body->velocity) > body->lid || vLength(body->angular) * body->radius > body->lid;
}

void ejectaRun(shWorld* world, float dt)
{
    bool any = false;
    for (int i = 0; i < world->moving.count && !any; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        any = body->struck || body->lidTime > 0.0f;
    }
    if (!any)
        return;
    raiseLids(world, dt);
    bool listed = false;
    for (int round = 0; round < EJECTA_ROUNDS && any; ++round) {
        any = false;
        for (int i = 0; i < world->moving.count; ++i) {
            int index = world->moving.data[i];
            const Body* body = &world->bodies.data[index];
            if (body->mass <= 0.0 || !hasLid(body) || !tooFast(body))
                continue;
            if (!listed)
                pushesList(world);
            listed = true;
            any |= slowDown(world, index);
        }
    }
}

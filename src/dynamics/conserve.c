// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bodies that only each other have touched keep their momentum and angular momentum, to rounding.
//
// Contacts see to that as long as velocities are all that changes: impulses act on two bodies at one point. But
// position correction carries the momentum of bodies to another place, whether it separates contacts that penetrate
// (solver.c) or motions that cross (continuous.c). What has come of that is taken out again: all of the island gets the
// common motion that it should have. If that adds energy, what its bodies move against each other loses as much.
#include "core/constants.h"
#include "core/forest.h"
#include "dynamics/world.h"

bool conserveReserve(shWorld* world)
{
    int count = world->states.count;
    return arrayReserve(world->memory, &world->befores, count) && arrayReserve(world->memory, &world->groupings, count);
}

// Whatever acts on a body besides contacts.
static DVec3 forceOn(const shWorld* world, const Body* body)
{
    DVec3 weight = dScale(body->mass * (double)body->gravityScale, dFromV(world->def.gravity));
    return dAdd(weight, dFromV(body->force));
}

BodyBefore bodyBefore(const shWorld* world, const Body* body, float dt)
{
    return (BodyBefore){.centre = body->centre,
                        .momentum = dScale(body->mass, dFromV(body->velocity)),
                        .spin = dMad(body->spin.momentum, (double)dt, dFromV(body->torque)),
                        .push = dScale((double)dt, forceOn(world, body))};
}

static bool dynamic(const Body* body) { return body->type == shDynamicBody && body->state >= 0; }

// Who belongs together in this step, and whom something else has touched. False: nobody is left alone with others.
static bool groupBodies(shWorld* world)
{
    int* parents = world->islands.of.data;
    const Continuous* c = &world->continuous;
    for (int i = 0; i < c->candidates.count; ++i) {
        const Pair* pair = &world->pairs.data[c->candidates.data[i].pair];
        if (c->candidates.data[i].parted && world->givers.data[pair->a] >= 0 && world->givers.data[pair->b] >= 0)
            forestJoin(parents, world->bodies.data[pair->a].state, world->bodies.data[pair->b].state);
    }
    for (int i = 0; i < world->moving.count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        Grouping* grouping = &world->groupings.data[parents[i] = forestRoot(parents, i)];
        if (parents[i] == i) // the first of them
            *grouping = (Grouping){.free = true};
        bool anchored = world->def.continuous && c->sweeps.data[world->moving.data[i]].stopped;
        bool damped = body->linearDamping > 0.0f || body->angularDamping > 0.0f;
        bool limited = body->waiting || body->drag >= 0; // gets or gives no more than it may
        grouping->free &= dynamic(body) && !anchored && !damped && !limited;
        ++grouping->count;
    }
    for (int i = 0; i < c->candidates.count; ++i) {
        const Pair* pair = &world->pairs.data[c->candidates.data[i].pair];
        int a = world->givers.data[pair->a], b = world->givers.data[pair->b];
        if (c->candidates.data[i].parted && (a >= 0) != (b >= 0))
            world->groupings.data[parents[maxI(a, b)]].free = false;
    }
    for (int i = 0; i < world->islands.pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[world->islands.pairs.data[i]];
        int a = world->givers.data[pair->a], b = world->givers.data[pair->b];
        if ((a >= 0) != (b >= 0) && pair->load > 0.0f)
            world->groupings.data[parents[maxI(a, b)]].free = false;
    }
    bool any = false;
    for (int i = 0; i < world->moving.count; ++i)
        any |= parents[i] == i && world->groupings.data[i].free && world->groupings.data[i].count > 1;
    return any;
}

// The momenta that a grouping should have: those of before, and what forces have added.
static void addBefore(Grouping* grouping, const BodyBefore* before, const Body* body)
{
    DVec3 arm = dSub(before->centre, grouping->centre);
    DVec3 shift = dSub(dSub(body->centre, before->centre), dSub(grouping->now.centre, grouping->centre));
    grouping->spin = dAdd(grouping->spin, dAdd(before->spin, dCross(arm, before->momentum)));
    grouping->spin = dAdd(grouping->spin, dCross(dMad(arm, 0.5, shift), before->push));
    grouping->size += dLength(before->momentum);
    grouping->lever += dLength(dCross(arm, before->momentum)) + dLength(before->spin);
}

// The part of a change of angular momentum that a grouping can pay for: at least CONSERVE_KEEP of what its bodies move
// against each other stays.
static double affordable(const CommonMotion* now, const CommonMotion* next)
{
    double most = now->energy - CONSERVE_KEEP * CONSERVE_KEEP * (now->energy - now->together);
    if (next->together <= most)
        return 1.0;
    DVec3 change = dSub(next->momentum, now->momentum), turn = solveSymmetric(now->inertia, change);
    double drift = 0.5 * now->mass * dLength2(next->drift);
    double a = 0.5 * dDot(turn, change), b = dDot(turn, now->momentum);
    double c = drift + 0.5 * dDot(now->turn, now->momentum) - most; // a λ² + b λ + c ≤ 0
    double root = sqrt(maxD(b * b - 4.0 * a * c, 0.0));
    return c < 0.0 && a > 0.0 ? clampD(b > 0.0 ? -2.0 * c / (b + root) : (root - b) / (2.0 * a), 0.0, 1.0) : 0.0;
}

// The motion it gets instead of the one it has, and how much of the rest is left. False: as it is.
static bool settle(Grouping* grouping)
{
    const CommonMotion* now = &grouping->now;
    CommonMotion* next = &grouping->next;
    *next = *now;
    next->drift = dScale(1.0 / now->mass, grouping->momentum);
    next->momentum = grouping->spin;
    double off = now->mass * dDistance(now->drift, next->drift), turned = dDistance(now->momentum, next->momentum);
    if (!(off > CONSERVE_EXACT * grouping->size || turned > CONSERVE_EXACT * grouping->lever))
        return false;
    commonSolve(next);
    double part = affordable(now, next);
    if (part < 1.0) {
        next->momentum = dMad(now->momentum, part, dSub(grouping->spin, now->momentum));
        commonSolve(next);
    }
    double inner = now->energy - now->together, left = now->energy - next->together;
    grouping->keep = inner > 0.0 && left < inner ? sqrt(maxD(left, 0.0) / inner) : 1.0;
    return true;
}

void conserveRun(shWorld* world)
{
    if (!groupBodies(world))
        return;
    const int* group = world->islands.of.data;
    Grouping* groupings = world->groupings.data;
    const BodyBefore* befores = world->befores.data;
    for (int i = 0; i < world->moving.count; ++i) {
        Grouping* grouping = &groupings[group[i]];
        if (!grouping->free || grouping->count < 2)
            continue;
        const Body* body = &world->bodies.data[world->moving.data[i]];
        commonAddMass(&grouping->now, body);
        grouping->centre = dMad(grouping->centre, body->mass, befores[i].centre);
        grouping->momentum = dAdd(grouping->momentum, dAdd(befores[i].momentum, befores[i].push));
    }
    for (int i = 0; i < world->moving.count; ++i) {
        Grouping* grouping = &groupings[group[i]];
        if (!grouping->free || grouping->count < 2)
            continue;
        if (group[i] == i) { // the first of them
            grouping->centre = dScale(1.0 / grouping->now.mass, grouping->centre);
            commonDivide(&grouping->now);
        }
        const Body* body = &world->bodies.data[world->moving.data[i]];
        commonAddTurn(&grouping->now, body);
        addBefore(grouping, &befores[i], body);
    }
    for (int i = 0; i < world->moving.count; ++i) {
        Grouping* grouping = &groupings[group[i]];
        if (!grouping->free || grouping->count < 2)
            continue;
        if (group[i] == i) {
            commonSolve(&grouping->now);
            grouping->free = settle(grouping);
            if (!grouping->free)
                continue;
        }
        Body* body = &world->bodies.data[world->moving.data[i]];
        double energy = bodyEnergy(world, body);
        commonBlend(body, &grouping->now, &grouping->next, grouping->keep);
        world->energy.lost += energy - bodyEnergy(world, body);
    }
}

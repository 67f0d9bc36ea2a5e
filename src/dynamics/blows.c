// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What pairs of bodies have done to each other in a step, each as one impulse (breaking.c judges it).
//
// Motion breaks things, and not load: an impulse counts for no more than the speed at which two met. But what lies
// between two others hands a blow on without having moved, as a chisel does from the hammer to the stone. It counts as
// one with what strikes it from behind, with the momentum of both. It does so even if it breaks: its pieces, which
// nobody judges in the same step, are as much between. Only the hardest of all that strike it is behind it, and nothing
// that came with it: between those two nothing was struck.
#include "core/constants.h"
#include "dynamics/world.h"

// ---- pairs ----------------------------------------------------------------------------------------------------------

// What there is beyond the step before; nothing: its size is 0.
static Blow blowOf(const shWorld* world, const Pair* pair)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    Blow blow = {.pair = pair};
    DVec3 impulse = {0};
    double sum = 0.0;
    for (int i = 0; i < pair->count; ++i) {
        const Contact* contact = &world->contacts.data[pair->first + i];
        if (contact->total <= 0.0f)
            continue;
        Vec3 normal = qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal);
        DVec3 at = dAdd(b->centre, dFromV(qRotate(b->transform.q, contact->anchorB)));
        impulse = dMad(impulse, (double)contact->total, dFromV(normal));
        blow.point = dMad(blow.point, (double)contact->total, at);
        sum += (double)contact->total;
        blow.speed = maxD(blow.speed, -(double)contact->approach);
    }
    double length = dLength(impulse);
    if (!(length > (double)pair->load) || sum <= 0.0)
        return blow;
    blow.size = length - (double)pair->load;
    blow.point = dScale(1.0 / sum, blow.point);
    blow.normal = dScale(1.0 / length, impulse);
    blow.give[0] = bodyGive(a, dSub(blow.point, a->centre), blow.normal);
    blow.give[1] = bodyGive(b, dSub(blow.point, b->centre), blow.normal);
    return blow;
}

static void findBlows(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const shWorld* world = arg;
    for (int i = begin; i < end; ++i)
        world->blows.data[i] = blowOf(world, &world->pairs.data[world->order.data[i]]);
}

// ---- what is behind -------------------------------------------------------------------------------------------------

Striker blowStriker(const shWorld* world, const Blow* blow, int side)
{
    const Striker* behind = &world->strikers.data[side == 0 ? blow->pair->b : blow->pair->a];
    Striker striker = {
        .direction = side == 0 ? blow->normal : dNeg(blow->normal), .speed = blow->speed, .give = blow->give[1 - side]};
    double faster = behind->speed * dDot(behind->direction, striker.direction); // than what is between
    // Neither the one nor the other may be without end: an impulse feels some mass.
    if (striker.give > 0.0 && faster > 0.0 && behind->give + blow->give[side] > 0.0) {
        double both = striker.give + behind->give;
        striker.speed += faster * striker.give / both;
        striker.give *= behind->give / both;
    }
    striker.most = minD(blow->size, 2.0 * striker.speed / (striker.give + blow->give[side]));
    return striker;
}

// Notes with every body what strikes it hardest: each time at least one body farther from where things met.
static bool handOn(shWorld* world)
{
    bool changed = false;
    for (int i = 0; i < world->blows.count; ++i) {
        const Blow* blow = &world->blows.data[i];
        for (int side = 0; side < 2 && blow->size > 0.0; ++side) {
            Striker striker = blowStriker(world, blow, side);
            Striker* hardest = &world->strikers.data[side == 0 ? blow->pair->a : blow->pair->b];
            bool harder =
                striker.most > hardest->most || (striker.most == hardest->most && striker.speed > hardest->speed);
            if (striker.speed > BLOW_SPEED && harder) {
                *hardest = striker;
                changed = true;
            }
        }
    }
    return changed;
}

shStatus blowsFind(shWorld* world)
{
    if (!arrayReserve(world->memory, &world->blows, world->order.count) ||
        !arrayReserve(world->memory, &world->strikers, world->bodies.count))
        return shOutOfMemory;
    world->blows.count = world->order.count;
    parallelFor(world->context, world->blows.count, HIT_BLOCK, findBlows, world);
    for (int i = 0; i < world->bodies.count; ++i)
        world->strikers.data[i] = (Striker){.speed = 0.0};
    bool more = true;
    for (int pass = 0; pass < BLOW_PASSES && more; ++pass)
        more = handOn(world);
    return shOk;
}

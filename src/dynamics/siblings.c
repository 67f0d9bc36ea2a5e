// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Siblings at birth: pieces that a break has just parted touch along the crack. Their pairs are made with these
// contacts, which are all there can be until they move: no query, and no table that a query would fill, in the step of
// the break.
#include "dynamics/world.h"

// The body of a piece; −1: it is dust. Labels of new pieces ascend.
static int bodyOfPiece(const BreakJob* job, int piece)
{
    const shFragment* fragments = job->fragments.data;
    if (fragments[0].piece == piece)
        return job->slots.data[0];
    int low = 1, high = job->fragments.count;
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (fragments[middle].piece <= piece)
            low = middle;
        else
            high = middle;
    }
    return low < job->fragments.count && fragments[low].piece == piece ? job->slots.data[low] : -1;
}

bool siblingsReserve(shWorld* world, const BreakJob* job)
{
    const SiblingContacts* all = &job->siblings.contacts;
    int pairs = 0;
    for (int i = 0; i < all->count; ++i)
        pairs += i == 0 || all->data[i].a != all->data[i - 1].a || all->data[i].b != all->data[i - 1].b;
    return pairsReserve(world, world->pairs.count + pairs) &&
           arrayReserve(world->memory, &world->contacts, world->contacts.count + all->count);
}

static Contact contactOf(const Body* a, const Body* b, const SiblingContact* at, bool swapped)
{
    return (Contact){.anchorA = vSub(at->point, a->restCentre),
                     .anchorB = vSub(at->point, b->restCentre),
                     .normal = swapped ? vNeg(at->normal) : at->normal,
                     .id = (uint32_t)(swapped ? at->sampleB : at->sampleA)};
}

void siblingsTouch(shWorld* world, const BreakJob* job)
{
    const SiblingContacts* all = &job->siblings.contacts;
    for (int begin = 0, end; begin < all->count; begin = end) {
        const SiblingContact* first = &all->data[begin];
        for (end = begin + 1; end < all->count && all->data[end].a == first->a && all->data[end].b == first->b;)
            ++end;
        int a = bodyOfPiece(job, first->a), b = bodyOfPiece(job, first->b);
        if (a < 0 || b < 0)
            continue;
        Body *bodyA = &world->bodies.data[a], *bodyB = &world->bodies.data[b];
        if ((bodyA->type != shDynamicBody && bodyB->type != shDynamicBody) || !bodiesMeet(bodyA, bodyB) ||
            pairFind(world, a, b) >= 0)
            continue;
        bool swapped = a > b;
        pairAdd(world, minI(a, b), maxI(a, b));
        Pair* pair = &world->pairs.data[world->pairs.count - 1];
        bodyA = &world->bodies.data[pair->a];
        bodyB = &world->bodies.data[pair->b];
        pair->stale = false;
        pair->relative = (shTransform){{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};
        pair->margin = CONTACT_MARGIN * pair->tolerance;
        pair->first = world->contacts.count;
        for (int i = begin; i < end && pair->count < SH_MAX_CONTACTS; ++i, ++pair->count)
            world->contacts.data[world->contacts.count++] = contactOf(bodyA, bodyB, &all->data[i], swapped);
    }
}

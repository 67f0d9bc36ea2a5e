// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Who is awake. Bodies that touch make a sleeping island; when all of one have hardly moved for a while they fall
// asleep together, linked in a ring, and wake together. Asleep, they keep contacts and pair states. (Islands of the
// solver are those of a step: islands.c.)
#include "core/constants.h"
#include "core/forest.h"
#include "dynamics/world.h"

static bool stirs(const Body* body)
{
    if (body->type == shKinematicBody)
        return vLength2(body->velocity) > 0.0f || vLength2(body->angular) > 0.0f;
    return body->type == shDynamicBody && body->awake;
}

// Does one of a pair wake the other?
static bool wakeOther(shWorld* world, const Pair* pair)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    if (b->type == shDynamicBody && !b->awake && stirs(a))
        bodyWake(world, pair->b);
    else if (a->type == shDynamicBody && !a->awake && stirs(b))
        bodyWake(world, pair->a);
    else
        return false;
    return true;
}

void sleepWake(shWorld* world)
{
    Islands* islands = &world->islands;
    bool woken = false;
    islands->keys.count = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        if (pair->count == 0)
            continue; // most pairs are only near: later loops need not see them
        islands->keys.data[islands->keys.count++] = (PairKey){minI(pair->a, pair->b), maxI(pair->a, pair->b), i};
        woken |= pair->touching && wakeOther(world, pair);
    }
    // And whom those touch, until there are no more: who is awake must not hang on the order of pairs.
    while (woken) {
        woken = false;
        for (int i = 0; i < islands->keys.count; ++i) {
            const Pair* pair = &world->pairs.data[islands->keys.data[i].pair];
            woken |= pair->touching && wakeOther(world, pair);
        }
    }
}

void sleepUpdate(shWorld* world, float dt)
{
    world->counters.islands = 0;
    if (!world->def.sleeping)
        return;
    int* parents = world->parents.data;
    for (int i = 0; i < world->moving.count; ++i) {
        int index = world->moving.data[i];
        Body* body = &world->bodies.data[index];
        parents[index] = index;
        float speed = vLength(body->velocity) + vLength(body->angular) * body->radius;
        body->still = speed < world->def.sleepSpeed && body->drag < 0 ? body->still + dt : 0.0f;
    }
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        if (!pair->touching || a->state < 0 || b->state < 0)
            continue;
        if (a->type == shDynamicBody && b->type == shDynamicBody) {
            forestJoin(parents, pair->a, pair->b);
        } else if (stirs(a) && stirs(b)) { // carried by something that moves
            Body* carried = a->type == shDynamicBody ? a : b;
            carried->still = 0.0f;
        }
    }
    // The least of an island's times is kept at its root.
    for (int i = 0; i < world->moving.count; ++i) {
        int index = world->moving.data[i], top = forestRoot(parents, index);
        if (world->bodies.data[index].type != shDynamicBody)
            continue;
        world->counters.islands += top == index;
        Body* first = &world->bodies.data[top];
        first->still = minF(first->still, world->bodies.data[index].still);
    }
    for (int i = 0; i < world->moving.count; ++i) {
        int index = world->moving.data[i];
        Body *body = &world->bodies.data[index], *first = &world->bodies.data[forestRoot(parents, index)];
        if (body->type != shDynamicBody || first->still < world->def.sleepTime)
            continue;
        body->awake = false;
        body->velocity = vec3(0.0f, 0.0f, 0.0f);
        spinSetVelocity(&body->spin, dvec3(0.0, 0.0, 0.0));
        bodyPlace(body);
        if (body != first) { // into the ring, after the first
            body->sleepNext = first->sleepNext;
            first->sleepNext = index;
        }
    }
}

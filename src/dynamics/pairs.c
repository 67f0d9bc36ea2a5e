// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The pairs of bodies whose boxes overlap, found by their bodies through a hash table with open addressing.
#include "core/constants.h"
#include "core/hash.h"
#include "core/message.h"
#include "dynamics/world.h"

static int home(const shWorld* world, int a, int b)
{
    uint64_t low = (uint64_t)minI(a, b), high = (uint64_t)maxI(a, b);
    return (int)(hashMix(high << 32 | low) & (uint64_t)(world->table.capacity - 1));
}

static bool isPair(const Pair* pair, int a, int b)
{
    return (pair->a == a && pair->b == b) || (pair->a == b && pair->b == a);
}

// The slot of a pair, or the empty one where it would be.
static int slotOf(const shWorld* world, int a, int b)
{
    int slot = home(world, a, b);
    while (world->table.data[slot].pair >= 0 && !isPair(&world->pairs.data[world->table.data[slot].pair], a, b))
        slot = (slot + 1) & (world->table.capacity - 1);
    return slot;
}

int pairFind(const shWorld* world, int a, int b)
{
    return world->table.capacity > 0 ? world->table.data[slotOf(world, a, b)].pair : -1;
}

bool pairsReserve(shWorld* world, int count)
{
    if (!arrayReserve(world->memory, &world->pairs, count) || !arrayReserve(world->memory, &world->outcomes, count) ||
        !islandsReservePairs(world, count) || !arrayReserve(world->memory, &world->marks, count))
        return false;
    if (world->table.capacity >= 2 * count)
        return true;
    int capacity = 64;
    while (capacity < 2 * count)
        capacity *= 2;
    PairSlot* slots = NEW_ARRAY(world->memory, PairSlot, capacity);
    if (slots == NULL)
        return false;
    FREE_ARRAY(world->memory, world->table.data, world->table.capacity);
    world->table.data = slots;
    world->table.count = world->table.capacity = capacity;
    for (int i = 0; i < capacity; ++i)
        slots[i].pair = -1;
    for (int i = 0; i < world->pairs.count; ++i)
        slots[slotOf(world, world->pairs.data[i].a, world->pairs.data[i].b)].pair = i;
    return true;
}

bool pairSwaps(const Body* a, const Body* b)
{
    return !bodyIsSolid(a) && (bodyIsSolid(b) || a->scenery != NULL || bodyIsPlane(a));
}

static float mix(float a, float b) { return sqrtf(a * b); }

void pairAdd(shWorld* world, int a, int b)
{
    const Body *bodyA = &world->bodies.data[a], *bodyB = &world->bodies.data[b];
    bool swap = pairSwaps(bodyA, bodyB);
    int index = world->pairs.count++;
    float radius = minF(bodyA->radius, bodyB->radius);
    world->pairs.data[index] = (Pair){.a = swap ? b : a,
                                      .b = swap ? a : b,
                                      .stale = true,
                                      .pathA = {NAN, NAN},
                                      .friction = mix(bodyA->friction, bodyB->friction),
                                      .restitution = maxF(bodyA->restitution, bodyB->restitution),
                                      .tolerance = CONTACT_TOLERANCE * radius};
    world->table.data[slotOf(world, a, b)].pair = index;
}

// Takes a slot out of the table and moves up what had been pushed past it.
static void clearSlot(shWorld* world, int slot)
{
    int mask = world->table.capacity - 1;
    PairSlot* slots = world->table.data;
    slots[slot].pair = -1;
    for (int next = (slot + 1) & mask; slots[next].pair >= 0; next = (next + 1) & mask) {
        const Pair* pair = &world->pairs.data[slots[next].pair];
        int wanted = home(world, pair->a, pair->b);
        // May it stand at `slot`? Only if its own home is not between the two.
        if (((next - wanted) & mask) < ((next - slot) & mask))
            continue;
        slots[slot] = slots[next];
        slots[next].pair = -1;
        slot = next;
    }
}

static bool movable(const Body* body) { return body->type == shDynamicBody; }

void pairRemove(shWorld* world, int index)
{
    Pair* pair = &world->pairs.data[index];
    clearSlot(world, slotOf(world, pair->a, pair->b));
    int last = --world->pairs.count;
    if (index == last)
        return;
    world->table.data[slotOf(world, world->pairs.data[last].a, world->pairs.data[last].b)].pair = index;
    *pair = world->pairs.data[last];
}

// What a touch leaves behind when its pair ends: an event, and neighbours that may have lost their support.
static void endTouch(shWorld* world, const Pair* pair)
{
    if (!pair->touching)
        return;
    if (arrayReserve(world->memory, &world->ended, world->ended.count + 1))
        world->ended.data[world->ended.count++] = (shTouchEvent){bodyId(world, pair->a), bodyId(world, pair->b)};
    for (int side = 0; side < 2; ++side) {
        int body = side == 0 ? pair->a : pair->b;
        if (movable(&world->bodies.data[body]))
            bodyWake(world, body);
    }
}

void pairsRemoveBody(shWorld* world, int body)
{
    for (int i = world->pairs.count - 1; i >= 0; --i) {
        const Pair* pair = &world->pairs.data[i];
        if (pair->a != body && pair->b != body)
            continue;
        endTouch(world, pair);
        pairRemove(world, i);
    }
}

void pairsStale(shWorld* world, int body)
{
    for (int i = 0; i < world->pairs.count; ++i) {
        Pair* pair = &world->pairs.data[i];
        if (pair->a == body || pair->b == body)
            pair->stale = true;
    }
}

typedef struct BoxJob {
    shWorld* world;
    float dt;
} BoxJob;

// The box that holds a body during the step.
static void moveBoxes(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const BoxJob* job = arg;
    for (int i = begin; i < end; ++i) {
        const Body* body = &job->world->bodies.data[i];
        if (idPoolAt(&job->world->ids, i).generation == 0 || body->type == shStaticBody ||
            (body->type == shDynamicBody && !body->awake))
            continue;
        shBox box = bodyBox(body);
        Vec3 travel = vScale(job->dt, vMad(body->velocity, body->mass > 0.0 ? job->dt * body->gravityScale : 0.0f,
                                           job->world->def.gravity));
        float turn = job->dt * vLength(body->angular) * body->radius;
        shBox ahead = {vAdd(box.lower, travel), vAdd(box.upper, travel)};
        box = boxGrow(boxUnion(box, ahead), minF(turn, body->radius) + 2.0f * CONTACT_TOLERANCE * body->radius);
        broadMove(job->world->broad, i, box);
    }
}

bool bodiesMeet(const Body* a, const Body* b)
{
    if (a->filter.group == b->filter.group && a->filter.group != 0)
        return a->filter.group > 0;
    return (a->filter.category & b->filter.mask) != 0 && (b->filter.category & a->filter.mask) != 0;
}

static void markParted(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const shWorld* world = arg;
    for (int i = begin; i < end; ++i)
        world->marks.data[i] = !broadOverlap(world->broad, world->pairs.data[i].a, world->pairs.data[i].b);
}

shStatus pairsUpdate(shWorld* world, float dt)
{
    BoxJob job = {world, dt};
    parallelFor(world->context, world->bodies.count, BODY_BLOCK, moveBoxes, &job);
    const BroadPair* found;
    int count;
    shStatus status = broadUpdate(world->broad, &found, &count);
    if (status != shOk)
        return status;
    if (!pairsReserve(world, world->pairs.count + count) ||
        !arrayReserve(world->memory, &world->ended, world->ended.count + world->pairs.count)) {
        for (int i = 0; i < count; ++i) // the next update shall give them again
            broadSetFilter(world->broad, found[i].a, bodyBroadFilter(&world->bodies.data[found[i].a]));
        return shOutOfMemory;
    }
    parallelFor(world->context, world->pairs.count, MARK_BLOCK, markParted, world);
    for (int i = world->pairs.count - 1; i >= 0; --i) {
        if (world->marks.data[i] == 0)
            continue;
        endTouch(world, &world->pairs.data[i]);
        pairRemove(world, i); // what comes here instead has not parted
    }
    for (int i = 0; i < count; ++i) {
        const Body *a = &world->bodies.data[found[i].a], *b = &world->bodies.data[found[i].b];
        if (bodiesMeet(a, b) && pairFind(world, found[i].a, found[i].b) < 0)
            pairAdd(world, found[i].a, found[i].b);
    }
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/islands.h"

#include "core/constants.h"
#include "core/forest.h"
#include "dynamics/world.h"

bool islandsReservePairs(shWorld* world, int count)
{
    Islands* islands = &world->islands;
    return arrayReserve(world->memory, &islands->keys, count) && arrayReserve(world->memory, &islands->sorted, count) &&
           arrayReserve(world->memory, &islands->pairs, count);
}

bool islandsReserve(shWorld* world)
{
    Islands* islands = &world->islands;
    int states = world->states.count;
    return arrayReserve(world->memory, &islands->starts, maxI(world->bodies.count, ISLAND_KEYS) + 1) &&
           arrayReserve(world->memory, &islands->of, states) && arrayReserve(world->memory, &islands->all, states) &&
           arrayReserve(world->memory, &islands->list, states) && arrayReserve(world->memory, &islands->active, states);
}

void islandsFree(shWorld* world)
{
    Islands* islands = &world->islands;
    arrayFree(world->memory, &islands->keys);
    arrayFree(world->memory, &islands->sorted);
    arrayFree(world->memory, &islands->starts);
    arrayFree(world->memory, &islands->pairs);
    arrayFree(world->memory, &islands->of);
    arrayFree(world->memory, &islands->all);
    arrayFree(world->memory, &islands->list);
    arrayFree(world->memory, &islands->active);
}

// ---- the order of pairs ---------------------------------------------------------------------------------------------

void keysSort(shWorld* world, const PairKey* from, PairKey* to, int count, int limit, PairKeyOf* keyOf)
{
    int* starts = world->islands.starts.data;
    for (int i = 0; i <= limit; ++i)
        starts[i] = 0;
    for (int i = 0; i < count; ++i)
        ++starts[keyOf(world, &from[i]) + 1];
    for (int i = 0; i < limit; ++i)
        starts[i + 1] += starts[i];
    for (int i = 0; i < count; ++i)
        to[starts[keyOf(world, &from[i])]++] = from[i];
}

static int lowBody(const shWorld* world, const PairKey* key)
{
    (void)world;
    return key->low;
}

static int highBody(const shWorld* world, const PairKey* key)
{
    (void)world;
    return key->high;
}

// What rests stays as it is: the pairs between bodies that nothing moves are left out.
static void orderPairs(shWorld* world)
{
    Islands* islands = &world->islands;
    PairKey* keys = islands->keys.data;
    int count = 0;
    for (int i = 0; i < islands->keys.count; ++i) {
        if (world->givers.data[keys[i].low] >= 0 || world->givers.data[keys[i].high] >= 0)
            keys[count++] = keys[i];
    }
    keysSort(world, keys, islands->sorted.data, count, world->bodies.count, highBody);
    keysSort(world, islands->sorted.data, keys, count, world->bodies.count, lowBody);
    islands->keys.count = islands->pairs.count = count;
    for (int i = 0; i < count; ++i)
        islands->pairs.data[i] = keys[i].pair;
}

// ---- components -----------------------------------------------------------------------------------------------------

static void findComponents(shWorld* world)
{
    int* of = world->islands.of.data;
    world->islands.of.count = world->states.count;
    for (int i = 0; i < world->states.count; ++i)
        of[i] = i;
    for (int i = 0; i < world->islands.keys.count; ++i) {
        const PairKey* key = &world->islands.keys.data[i];
        int a = world->givers.data[key->low], b = world->givers.data[key->high];
        if (a >= 0 && b >= 0)
            forestJoin(of, a, b);
    }
    for (int i = 0; i < world->states.count; ++i)
        of[i] = forestRoot(of, i);
}

// How an island is iterated. An error in a stack grows with the square of its height, and rounds of a small island cost
// little; heaps are no stacks. To leave out what nothing has changed saves time only where that is whole groups of
// eight: hardly ever where the pairs of a colour fit into one.
static void steer(shWorld* world, Island* island, float substep)
{
    int more = SOLVER_WORK / island->pairs;
    float calm = island->pairs < SOLVER_MANY ? SOLVER_CALM : SOLVER_CALM_MANY;
    island->most = SOLVER_ROUNDS + minI(more, SOLVER_STACK * island->pairs);
    island->batch = island->pairs <= lanes * lanes ? 0 : ++world->islands.batches;
    island->tolerance =
        calm * substep * vLength(world->def.gravity) + SOLVER_CALM_SPEED + SOLVER_CALM_MOVING * island->speed;
}

void islandsFind(shWorld* world, float substep)
{
    Islands* islands = &world->islands;
    orderPairs(world);
    findComponents(world);
    for (int i = 0; i < world->states.count; ++i) {
        islands->all.data[i].pairs = 0;
        islands->all.data[i].speed = 0.0f;
        islands->all.data[i].scaled = islands->all.data[i].active = false;
    }
    for (int i = 0; i < islands->keys.count; ++i) {
        const PairKey* key = &islands->keys.data[i];
        int state = maxI(world->givers.data[key->low], world->givers.data[key->high]);
        Island* island = &islands->all.data[islands->of.data[state]];
        const Pair* pair = &world->pairs.data[key->pair];
        Vec3 between = vSub(world->bodies.data[pair->a].velocity, world->bodies.data[pair->b].velocity);
        island->speed = maxF(island->speed, vLength(between));
        ++island->pairs;
    }
    islands->list.count = islands->batches = 0;
    for (int i = 0; i < world->states.count; ++i) {
        if (islands->all.data[i].pairs == 0)
            continue;
        islands->list.data[islands->list.count++] = i;
        steer(world, &islands->all.data[i], substep);
    }
}

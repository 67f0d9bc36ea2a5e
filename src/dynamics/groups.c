// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From pairs to groups of eight that can be solved side by side: a large island has groups of its own, all small ones
// share theirs. Colours are given greedily in the order of the bodies' ids: the lowest that is free at both; those that
// lean on something immovable come last, so that the ground has the last word. Within a colour pairs with many contacts
// come first: lanes of a group then have about as many.
#include "core/constants.h"
#include "dynamics/group_fill.h"

enum {
    groundColour = 40, // colours from here on are for pairs with something that does not move
    lastColour = 63,   // for pairs that found no colour: a group each, one after the other
};

static int lowestFree(uint64_t taken, int from, int to)
{
    uint64_t free = ~taken & ~((1ull << from) - 1);
    int colour = free != 0 ? __builtin_ctzll(free) : lastColour;
    return colour < to ? colour : lastColour;
}

static int byColour(const shWorld* world, const PairKey* key)
{
    (void)world;
    return key->low;
}

static int byBatch(const shWorld* world, const PairKey* key)
{
    (void)world;
    return key->high;
}

static int byContacts(const shWorld* world, const PairKey* key) // those with most first
{
    return SH_MAX_CONTACTS + 1 - world->pairs.data[key->pair].count;
}

// The colour of each pair to solve, and its island's batch: in place of its bodies.
static void colourPairs(shWorld* world)
{
    const Islands* islands = &world->islands;
    for (int i = 0; i < world->states.count; ++i)
        world->colours.data[i] = 0;
    for (int i = 0; i < islands->keys.count; ++i) {
        PairKey* key = &islands->keys.data[i];
        int a = world->givers.data[key->low], b = world->givers.data[key->high];
        uint64_t taken = (a >= 0 ? world->colours.data[a] : 0) | (b >= 0 ? world->colours.data[b] : 0);
        int colour =
            a >= 0 && b >= 0 ? lowestFree(taken, 0, groundColour) : lowestFree(taken, groundColour, lastColour);
        if (a >= 0)
            world->colours.data[a] |= 1ull << colour;
        if (b >= 0)
            world->colours.data[b] |= 1ull << colour;
        key->low = colour;
        key->high = islands->all.data[islands->of.data[maxI(a, b)]].batch;
    }
}

// By colour, then batch, then number of contacts, then bodies.
static void orderPairs(shWorld* world)
{
    PairKey *keys = world->islands.keys.data, *sorted = world->islands.sorted.data;
    int count = world->islands.keys.count;
    keysSort(world, keys, sorted, count, ISLAND_KEYS, byContacts);
    keysSort(world, sorted, keys, count, world->islands.batches + 1, byBatch);
    keysSort(world, keys, sorted, count, ISLAND_KEYS, byColour);
    world->order.count = count;
    for (int i = 0; i < count; ++i)
        world->order.data[i] = sorted[i].pair;
}

// How many groups there are, by colour; returns the contact lanes needed. With groups: which pairs each has, and where
// its contacts are.
static int64_t shareOut(shWorld* world, bool count)
{
    const PairKey* keys = world->islands.sorted.data;
    int64_t row = 0;
    int next = 0, groups = 0;
    for (int colour = 0; colour < 64; ++colour) {
        world->groupStart[colour] = groups;
        for (; next < world->order.count && keys[next].low == colour; ++groups) {
            int batch = keys[next].high, most = colour == lastColour ? 1 : lanes, first = next;
            while (next < world->order.count && next < first + most && keys[next].low == colour &&
                   keys[next].high == batch)
                ++next;
            int contacts = world->pairs.data[keys[first].pair].count;
            if (!count) {
                PairGroup* group = &world->groups.data[groups];
                group->first = (int)row;
                group->count = contacts;
                group->whole = batch == 0;
                for (int lane = 0; lane < lanes; ++lane)
                    group->pairs[lane] = first + lane < next ? keys[first + lane].pair : -1;
            }
            row += contacts;
        }
    }
    world->groupStart[64] = groups;
    return row;
}

// Who takes part: moving bodies in ascending order, and a last state for all that stand still.
static bool gatherStates(shWorld* world)
{
    int limit = world->bodies.count;
    if (!arrayReserve(world->memory, &world->moving, limit) ||
        !arrayReserve(world->memory, &world->states, limit + 1) ||
        !arrayReserve(world->memory, &world->colours, limit + 1) ||
        !arrayReserve(world->memory, &world->solved, limit) || !arrayReserve(world->memory, &world->givers, limit) ||
        !arrayReserve(world->memory, &world->parents, limit) ||
        !arrayReserve(world->memory, &world->sums, limit / BODY_BLOCK + 1))
        return false;
    world->moving.count = world->states.count = 0;
    for (int i = 0; i < limit; ++i) {
        Body* body = &world->bodies.data[i];
        bool moves = idPoolAt(&world->ids, i).generation != 0 && body->type != shStaticBody && body->awake;
        body->state = moves ? world->states.count++ : -1;
        world->givers.data[i] = moves && body->mass > 0.0 ? body->state : -1;
        if (moves)
            world->moving.data[world->moving.count++] = i;
    }
    world->states.data[world->states.count++] = (BodyState){0};
    world->colours.count = world->states.count;
    return true;
}

shStatus groupsBuild(shWorld* world, float dt)
{
    float substep = dt / (float)worldSubsteps(world, dt);
    if (!gatherStates(world) || !islandsReserve(world) || !balanceReserve(world) || !conserveReserve(world) ||
        !arrayReserve(world->memory, &world->order, world->islands.keys.count))
        return shOutOfMemory;
    islandsFind(world, substep);
    colourPairs(world);
    orderPairs(world);
    int64_t rows = shareOut(world, true);
    if (!arrayReserve(world->memory, &world->groups, world->groupStart[64]) ||
        !arrayReserve(world->memory, &world->groupList, 2 * (int64_t)world->groupStart[64]) ||
        !arrayReserve(world->memory, &world->lanes, rows) ||
        !arrayReserve(world->memory, &world->aims, rows <= SOLVER_AIMS ? rows : 0) ||
        !arrayReserve(world->memory, &world->hits, world->order.count))
        return shOutOfMemory;
    world->groups.count = world->groupStart[64];
    world->lanes.count = (int)rows;
    world->aims.count = rows <= SOLVER_AIMS ? (int)rows : 0;
    shareOut(world, false);
    groupsFill(world, substep);
    deferralShade(world);
    return shOk;
}

typedef struct StoreJob {
    shWorld* world;
    float substep;
    bool impulses; // and not the sums alone
} StoreJob;

static void storeBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const StoreJob* job = arg;
    shWorld* world = job->world;
    float inverse = 1.0f / job->substep;
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            const Pair* pair = group->pairs[lane] >= 0 ? &world->pairs.data[group->pairs[lane]] : NULL;
            for (int i = 0; pair != NULL && i < pair->count; ++i) {
                const ContactLanes* row = &world->lanes.data[group->first + i];
                Contact* contact = &world->contacts.data[pair->first + i];
                Vec3 n = {row->normal[0][lane], row->normal[1][lane], row->normal[2][lane]};
                Vec3 t = {row->tangent[0][lane], row->tangent[1][lane], row->tangent[2][lane]};
                contact->total = row->total[lane] + row->impulse[lane];
                contact->approach = row->approach[lane];
                if (!job->impulses)
                    continue;
                contact->force = inverse * row->impulse[lane];
                contact->friction = vScale(
                    inverse, vAdd(vScale(row->friction[0][lane], t), vScale(row->friction[1][lane], vCross(n, t))));
            }
        }
    }
}

void groupsStoreSums(shWorld* world, float dt)
{
    StoreJob job = {world, dt / (float)worldSubsteps(world, dt), false};
    parallelFor(world->context, world->groups.count, GROUP_BLOCK, storeBlock, &job);
}

void groupsStore(shWorld* world, float dt)
{
    StoreJob job = {world, dt / (float)worldSubsteps(world, dt), true};
    parallelFor(world->context, world->groups.count, GROUP_BLOCK, storeBlock, &job);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From pairs to groups of eight that can be solved side by side. Colours are given greedily in the order of the pairs;
// those that lean on something immovable come last, so that the ground has the last word. Within a colour pairs with
// many contacts come first: lanes of a group then have about as many.
#include "core/constants.h"
#include "dynamics/group_fill.h"

enum {
    groundColour = 40, // colours from here on are for pairs with something that does not move
    lastColour = 63,   // for pairs that found no colour: a group each, one after the other
    noColour = 255,
};

static int lowestFree(uint64_t taken, int from, int to)
{
    uint64_t free = ~taken & ~((1ull << from) - 1);
    int colour = free != 0 ? __builtin_ctzll(free) : lastColour;
    return colour < to ? colour : lastColour;
}

// Pairs of each colour by their number of contacts.
typedef int ColourCounts[64][SH_MAX_CONTACTS + 2];

// The colour of each pair that has contacts and something to move.
static void colourPairs(shWorld* world, ColourCounts counts)
{
    for (int i = 0; i < world->states.count; ++i)
        world->colours.data[i] = 0;
    for (int i = 0; i < world->meeting.count; ++i) {
        const Pair* pair = &world->pairs.data[world->meeting.data[i]];
        int a = world->givers.data[pair->a], b = world->givers.data[pair->b];
        world->colourOf.data[i] = noColour;
        if (a < 0 && b < 0)
            continue;
        uint64_t taken = (a >= 0 ? world->colours.data[a] : 0) | (b >= 0 ? world->colours.data[b] : 0);
        int colour =
            a >= 0 && b >= 0 ? lowestFree(taken, 0, groundColour) : lowestFree(taken, groundColour, lastColour);
        if (a >= 0)
            world->colours.data[a] |= 1ull << colour;
        if (b >= 0)
            world->colours.data[b] |= 1ull << colour;
        world->colourOf.data[i] = (uint8_t)colour;
        ++counts[colour][pair->count];
    }
}

// Pairs by colour, `starts` says where, and number of contacts; and how many groups they make. Returns the contact
// lanes needed.
static int64_t orderPairs(shWorld* world, ColourCounts counts, int starts[65])
{
    int total = 0;
    for (int colour = 0; colour < 64; ++colour) {
        starts[colour] = total;
        for (int n = SH_MAX_CONTACTS + 1; n >= 0; --n) {
            int count = counts[colour][n];
            counts[colour][n] = total;
            total += count;
        }
    }
    world->order.count = starts[64] = total;
    for (int i = 0; i < world->meeting.count; ++i) {
        int colour = world->colourOf.data[i], pair = world->meeting.data[i];
        if (colour != noColour)
            world->order.data[counts[colour][world->pairs.data[pair].count]++] = pair;
    }
    int64_t rows = 0;
    int groups = 0;
    for (int colour = 0; colour < 64; ++colour) {
        int most = colour == lastColour ? 1 : lanes;
        world->groupStart[colour] = groups;
        for (int i = starts[colour]; i < starts[colour + 1]; i += most, ++groups)
            rows += world->pairs.data[world->order.data[i]].count;
    }
    world->groupStart[64] = groups;
    return rows;
}

// Which pairs each group has, and where its contacts are.
static void shareOut(shWorld* world, const int starts[65])
{
    int row = 0;
    for (int colour = 0; colour < 64; ++colour) {
        int most = colour == lastColour ? 1 : lanes, next = starts[colour];
        for (int g = world->groupStart[colour]; g < world->groupStart[colour + 1]; ++g) {
            PairGroup* group = &world->groups.data[g];
            group->first = row;
            group->count = world->pairs.data[world->order.data[next]].count;
            row += group->count;
            for (int lane = 0; lane < lanes; ++lane)
                group->pairs[lane] = lane < most && next < starts[colour + 1] ? world->order.data[next++] : -1;
        }
    }
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
    ColourCounts counts = {{0}};
    int starts[65];
    if (!gatherStates(world) || !balanceReserve(world) || !conserveReserve(world) ||
        !arrayReserve(world->memory, &world->colourOf, world->meeting.count) ||
        !arrayReserve(world->memory, &world->order, world->meeting.count))
        return shOutOfMemory;
    colourPairs(world, counts);
    int64_t rows = orderPairs(world, counts, starts);
    if (!arrayReserve(world->memory, &world->groups, world->groupStart[64]) ||
        !arrayReserve(world->memory, &world->lanes, rows) ||
        !arrayReserve(world->memory, &world->aims, rows <= SOLVER_AIMS ? rows : 0) ||
        !arrayReserve(world->memory, &world->hits, world->order.count))
        return shOutOfMemory;
    world->groups.count = world->groupStart[64];
    world->lanes.count = (int)rows;
    world->aims.count = rows <= SOLVER_AIMS ? (int)rows : 0;
    shareOut(world, starts);
    groupsFill(world, dt / (float)worldSubsteps(world, dt));
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

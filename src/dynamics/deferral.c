// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bodies that wait to break (X4): hit too hard, but the step's budget was spent. They stay whole and pass on no more
// than what breaks them: the impulses of each of their pairs have a limit (groups.c, solver_kernel.c). What strikes
// them keeps the rest of its motion for the next step, in which they break first; until then continuous collision holds
// it where they touch (continuous.c).
#include "dynamics/world.h"

// Seconds until a contact closes, as bodies move before the step.
static float timeOf(const ContactLanes* row, int lane)
{
    float gap = row->gap[lane], approach = row->approach[lane];
    if (gap <= 0.0f)
        return 0.0f;
    return approach < 0.0f ? gap / -approach : INFINITY;
}

static bool waits(const shWorld* world, const Pair* pair)
{
    return world->bodies.data[pair->a].waiting || world->bodies.data[pair->b].waiting;
}

// When each body comes up against one that waits.
static void findTimes(shWorld* world)
{
    for (int i = 0; i < world->states.count; ++i)
        world->states.data[i].until = INFINITY;
    for (int g = 0; g < world->groups.count; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes && group->limited; ++lane) {
            const Pair* pair = group->pairs[lane] >= 0 ? &world->pairs.data[group->pairs[lane]] : NULL;
            if (pair == NULL || !waits(world, pair))
                continue;
            int other = world->bodies.data[pair->a].waiting ? pair->b : pair->a;
            if (world->bodies.data[other].waiting || world->bodies.data[other].state < 0)
                continue;
            float* until = &world->states.data[world->bodies.data[other].state].until;
            for (int i = 0; i < pair->count; ++i)
                *until = minF(*until, timeOf(&world->lanes.data[group->first + i], lane));
        }
    }
}

static void dropLater(shWorld* world, const PairGroup* group, int lane)
{
    const Pair* pair = &world->pairs.data[group->pairs[lane]];
    float until = minF(world->states.data[group->bodyA[lane]].until, world->states.data[group->bodyB[lane]].until);
    for (int i = 0; i < pair->count && until < INFINITY; ++i) {
        ContactLanes* row = &world->lanes.data[group->first + i];
        if (row->gap[lane] <= pair->tolerance || timeOf(row, lane) <= until)
            continue;
        row->normalMass[lane] = row->tangentMass[0][lane] = row->tangentMass[1][lane] = 0.0f;
        row->impulse[lane] = row->friction[0][lane] = row->friction[1][lane] = 0.0f;
    }
}

void deferralShade(shWorld* world)
{
    if (world->deferred.count == 0)
        return;
    findTimes(world);
    for (int g = 0; g < world->groups.count; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            if (group->pairs[lane] >= 0 && !waits(world, &world->pairs.data[group->pairs[lane]]))
                dropLater(world, group, lane);
        }
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// No island gains energy by its contacts (S3).
//
// Forces f change velocities v to v*, impulses p along the contacts' directions J change them to v'. Over a substep
//   E' − E = −½ (v' − v)ᵀ M (v' − v) + p · J v'
// Where all contacts agree the last term is nil or less: a contact pushes only what does not part, friction only slows.
// But rounds end before that, and in a jam small differences meet large impulses. So all impulses of an island are
// scaled as one, never those of a single contact (others carry what it seems to push): with s · p the term is
// s (p · J v* + s q), q = (v' − v*)ᵀ M (v' − v*), nil for s = 1 − p · J v' / q.
#include "core/constants.h"
#include "dynamics/world.h"

bool balanceReserve(shWorld* world)
{
    int count = world->states.count;
    return arrayReserve(world->memory, &world->starts, count) && arrayReserve(world->memory, &world->balances, count) &&
           arrayReserve(world->memory, &world->standing, count);
}

void balanceBegin(shWorld* world, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        const BodyState* state = &world->states.data[i];
        BodyStart* start = &world->starts.data[i];
        for (int k = 0; k < 3; ++k) {
            start->velocity[k] = state->velocity[k];
            start->angular[k] = state->angular[k];
        }
    }
}

void balanceAgain(shWorld* world, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        BodyState* state = &world->states.data[i];
        const BodyStart* start = &world->starts.data[i];
        if (!world->islands.all.data[world->islands.of.data[i]].active)
            continue;
        for (int k = 0; k < 3; ++k) {
            state->velocity[k] = start->velocity[k];
            state->angular[k] = start->angular[k];
        }
    }
}

// Twice the energy of what a body has got by impulses.
static double receivedBy(const Body* body, const BodyState* state, const BodyStart* start)
{
    DVec3 v, w;
    v.x = (double)(state->velocity[0] - start->velocity[0]);
    v.y = (double)(state->velocity[1] - start->velocity[1]);
    v.z = (double)(state->velocity[2] - start->velocity[2]);
    w.x = (double)(state->angular[0] - start->angular[0]);
    w.y = (double)(state->angular[1] - start->angular[1]);
    w.z = (double)(state->angular[2] - start->angular[2]);
    DVec3 t = dqUnrotate(body->spin.frame, w), inertia = body->spin.inertia;
    return body->mass * dLength2(v) + inertia.x * t.x * t.x + inertia.y * t.y * t.y + inertia.z * t.z * t.z;
}

static void scaleGroups(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            const Pair* pair = group->pairs[lane] >= 0 ? &world->pairs.data[group->pairs[lane]] : NULL;
            float scale = pair != NULL ? world->balances.data[group->island[lane]].scale : 1.0f;
            for (int i = 0; scale < 1.0f && i < pair->count; ++i) {
                ContactLanes* row = &world->lanes.data[group->first + i];
                row->impulse[lane] *= scale;
                row->friction[0][lane] *= scale;
                row->friction[1][lane] *= scale;
            }
        }
    }
}

// What bodies have got since the start, by their island's scale.
static void scaleBodies(shWorld* world)
{
    const int* islandOf = world->islands.of.data;
    const IslandWork* islands = world->balances.data;
    for (int i = 0; i < world->moving.count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        float scale = islands[islandOf[i]].scale;
        if (body->mass <= 0.0 || scale == 1.0f)
            continue;
        BodyState* state = &world->states.data[i];
        const BodyStart* start = &world->starts.data[i];
        for (int k = 0; k < 3; ++k) {
            state->velocity[k] = start->velocity[k] + scale * (state->velocity[k] - start->velocity[k]);
            state->angular[k] = start->angular[k] + scale * (state->angular[k] - start->angular[k]);
        }
    }
}

void balanceEnd(shWorld* world)
{
    const int* islandOf = world->islands.of.data;
    IslandWork* islands = world->balances.data;
    for (int i = 0; i < world->states.count; ++i)
        islands[i] = (IslandWork){.scale = 1.0f};
    for (int g = 0; g < world->groups.count; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            if (group->pairs[lane] >= 0 && world->islands.all.data[group->island[lane]].active)
                islands[group->island[lane]].work += (double)group->work[lane];
        }
    }
    bool any = false;
    for (int i = 0; i < world->moving.count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        IslandWork* island = &islands[islandOf[i]];
        if (body->mass <= 0.0 || !(island->work > 0.0))
            continue;
        any = true;
        island->received += receivedBy(body, &world->states.data[i], &world->starts.data[i]);
    }
    if (!any)
        return;
    for (int i = 0; i < world->states.count; ++i) {
        IslandWork* island = &islands[i];
        if (island->work > 0.0 && island->received > 0.0)
            island->scale = (float)maxD(1.0 - island->work / island->received, 0.0);
    }
    scaleBodies(world);
    parallelFor(world->context, world->groups.count, GROUP_BLOCK, scaleGroups, world);
}

// ---- bounces --------------------------------------------------------------------------------------------------------
//
// A bounce gives two bodies back no more than the step has taken from them; but what one of them lost may be what a
// third has got. So an island as a whole gets no more by its bounces than it has lost.

bool bouncesBegin(shWorld* world)
{
    if (!world->bouncing)
        return false;
    const int* islandOf = world->islands.of.data;
    IslandWork* islands = world->balances.data;
    for (int i = 0; i < world->states.count; ++i)
        islands[i] = (IslandWork){.scale = 1.0f};
    for (int i = 0; i < world->moving.count; ++i)
        islands[islandOf[i]].spare += (double)world->states.data[i].spare;
    balanceBegin(world, 0, world->moving.count);
    return true;
}

static double dotStart(const Body* body, const BodyState* state, const BodyStart* start)
{
    DVec3 v = {(double)start->velocity[0], (double)start->velocity[1], (double)start->velocity[2]};
    DVec3 w = {(double)start->angular[0], (double)start->angular[1], (double)start->angular[2]};
    DVec3 moreV = {(double)(state->velocity[0] - start->velocity[0]), (double)(state->velocity[1] - start->velocity[1]),
                   (double)(state->velocity[2] - start->velocity[2])};
    DVec3 moreW = {(double)(state->angular[0] - start->angular[0]), (double)(state->angular[1] - start->angular[1]),
                   (double)(state->angular[2] - start->angular[2])};
    DVec3 a = dqUnrotate(body->spin.frame, w), b = dqUnrotate(body->spin.frame, moreW), i = body->spin.inertia;
    return body->mass * dDot(v, moreV) + i.x * a.x * b.x + i.y * a.y * b.y + i.z * a.z * b.z;
}

// s · bounces add s · work + s² · received / 2.
static bool limitBounces(IslandWork* island)
{
    double a = 0.5 * island->received, b = island->work, spare = maxD(island->spare, 0.0);
    if (a + b <= spare || !(a > 0.0))
        return false;
    double root = sqrt(b * b + 4.0 * a * spare);
    island->scale = (float)clampD(b > 0.0 ? 2.0 * spare / (b + root) : (root - b) / (2.0 * a), 0.0, 1.0);
    return true;
}

void bouncesEnd(shWorld* world)
{
    const int* islandOf = world->islands.of.data;
    IslandWork* islands = world->balances.data;
    for (int i = 0; i < world->moving.count; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        if (body->mass <= 0.0)
            continue;
        islands[islandOf[i]].work += dotStart(body, &world->states.data[i], &world->starts.data[i]);
        islands[islandOf[i]].received += receivedBy(body, &world->states.data[i], &world->starts.data[i]);
    }
    bool any = false;
    for (int i = 0; i < world->states.count; ++i)
        any |= limitBounces(&islands[i]);
    if (!any)
        return;
    scaleBodies(world);
    for (int g = 0; g < world->groups.count; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes && group->bounces; ++lane) {
            const Pair* pair = group->pairs[lane] >= 0 ? &world->pairs.data[group->pairs[lane]] : NULL;
            float scale = pair != NULL ? islands[group->island[lane]].scale : 1.0f;
            for (int i = 0; scale < 1.0f && i < pair->count; ++i) {
                ContactLanes* row = &world->lanes.data[group->first + i];
                row->impulse[lane] = row->before[0][lane] + scale * (row->impulse[lane] - row->before[0][lane]);
            }
        }
    }
}

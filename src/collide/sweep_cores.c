// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/sweep_cores.h"

#include "collide/sweep_run.h"
#include "core/constants.h"

// From a side's own frame into the other's, at a time. A function of time alone: parts of a sweep continue each other.
static TargetFrame frameAt(const Sweep* sweep, int side, double time)
{
    const Mover *mine = &sweep->sides[side].mover, *other = &sweep->sides[1 - side].mover;
    DQuat frame = rotationAt(other, time), q = dqMul(dqConjugate(frame), rotationAt(mine, time));
    DVec3 between = dScale(side == 0 ? 1.0 : -1.0, dMad(sweep->between, time, sweep->shift));
    DVec3 centre = dAdd(dqUnrotate(frame, between), other->rest);
    return (TargetFrame){mFromD(dqToMat(q)), vFromD(dSub(centre, dqRotate(q, mine->rest)))};
}

static CoreSlice sliceOf(const Sweep* sweep, int side)
{
    const Side *mine = &sweep->sides[side], *other = &sweep->sides[1 - side];
    CoreSlice slice = {.from = frameAt(sweep, side, sweep->begin),
                       .to = frameAt(sweep, side, sweep->until),
                       .depth = mine->depth,
                       .target = &other->target};
    slice.slack = ROUNDING * (vLength(slice.from.offset) + vLength(slice.to.offset) + 2.0f * (float)mine->radius);
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 normal = vFromD(dAxis(axis));
        slice.planes[slice.planeCount++] = (HullPlane){normal, vGet(other->box.upper, axis)};
        slice.planes[slice.planeCount++] = (HullPlane){vNeg(normal), -vGet(other->box.lower, axis)};
    }
    Vec3 axis = sweep->query->axis;
    if (vLength2(axis) > 0.0f) {
        if (side == 1)
            axis = vNeg(vFromD(dqUnrotate(other->mover.q, dqRotate(mine->mover.q, dFromV(axis)))));
        SupportMap map = fieldSupport(&other->target.solid->field, other->target.piece);
        slice.planes[slice.planeCount++] = (HullPlane){axis, supportHeight(&map, axis)};
    }
    for (int k = 0; k < other->target.hull->count; ++k)
        slice.planes[slice.planeCount++] = other->target.hull->planes[k];
    return slice;
}

// The part of its way that a core goes before it crosses the target's surface; above 1: it does not.
static float wayToCrossing(const CoreSlice* slice, const SampleBlock* block, const CoreWays* ways, int lane)
{
    const FragmentField* field = &slice->target->solid->field;
    Vec3 outward = vec3((float)block->outward[0][lane], (float)block->outward[1][lane], (float)block->outward[2][lane]);
    SkinCrossing crossing = {.from = vec3(ways->from[0][lane], ways->from[1][lane], ways->from[2][lane]),
                             .to = vec3(ways->to[0][lane], ways->to[1][lane], ways->to[2][lane]),
                             .outward = mMul(slice->from.rotation, outward),
                             .fraction = 1.0f};
    for (SkinWalk walk = fieldSkins(field, slice->target->piece); fieldNextSkin(field, &walk);)
        SIMD_CHOOSE(skinCross)(&walk.view, &crossing);
    return crossing.crosses ? crossing.fraction : 2.0f;
}

static bool startsInside(const CoreSlice* slice, const CoreWays* ways, int lane)
{
    Vec3 from = vec3(ways->from[0][lane], ways->from[1][lane], ways->from[2][lane]);
    return fieldOwner(&slice->target->solid->field, from) == slice->target->piece;
}

void sweepCores(Sweep* sweep, int side, shSweepHit* hit)
{
    const Side* mine = &sweep->sides[side];
    const shSolid* solid = mine->target.solid;
    const SampleGroups* all = &solid->samples.groups;
    SampleRun run = {0, 0, 0};
    if (solid->field.labels != NULL) {
        run = solid->samples.runs.data[mine->target.piece];
    } else {
        all = &solid->asset->rest.samples;
        run.count = all->count;
    }
    CoreSlice slice = sliceOf(sweep, side);
    for (int g = run.first; g < run.first + run.count; ++g) {
        const SampleGroup* group = &all->data[g];
        for (unsigned blocks = SIMD_CHOOSE(coreBlocks)(&slice, group); blocks != 0; blocks &= blocks - 1u) {
            const SampleBlock* block = &group->blocks[__builtin_ctz(blocks)];
            CoreWays ways;
            for (unsigned lanes = SIMD_CHOOSE(coreWays)(&slice, block, &ways); lanes != 0; lanes &= lanes - 1u) {
                int lane = __builtin_ctz(lanes);
                if (block->point[lane] < 0)
                    break; // past the last
                ++hit->probes;
                // A core that starts inside crosses nothing, however deep it gets.
                if (!(ways.outside >> lane & 1u) && startsInside(&slice, &ways, lane)) {
                    sweepPush(sweep, (SweepEntry){sweep->begin, side, block->point[lane], 0.0f});
                    continue;
                }
                float part = wayToCrossing(&slice, block, &ways, lane);
                if (part > 1.0f)
                    continue;
                // No sample is too deep before its core is inside: a ball around it of that size is, then.
                double time = sweep->begin + (double)part * (sweep->until - sweep->begin);
                sweepPush(sweep, (SweepEntry){time, side, block->point[lane], 0.0f});
            }
        }
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Eight cores on their ways at once (sweep_cores.h).
#include "collide/sweep_cores.h"
#include "core/vec8.h"
#include "field/near_grid_lanes.h"

static inline F8 along(Vec3 a, V8 p)
{
    return f8Add(f8Add(f8Mul(f8Set(a.x), p.x), f8Mul(f8Set(a.y), p.y)), f8Mul(f8Set(a.z), p.z));
}

static inline V8 moved(const TargetFrame* frame, V8 p)
{
    return (V8){f8Add(along(frame->rotation.r0, p), f8Set(frame->offset.x)),
                f8Add(along(frame->rotation.r1, p), f8Set(frame->offset.y)),
                f8Add(along(frame->rotation.r2, p), f8Set(frame->offset.z))};
}

// Straight ways that are not beyond one of the planes from begin to end, but for `radius`; and how far they begin
// beyond one.
static inline M8 meetHull(const CoreSlice* slice, V8 from, V8 to, F8 radius, F8* beyond)
{
    F8 highest = f8Set(-INFINITY);
    *beyond = highest;
    for (int k = 0; k < slice->planeCount; ++k) {
        F8 offset = f8Set(slice->planes[k].offset);
        F8 begin = f8Sub(along(slice->planes[k].normal, from), offset);
        F8 end = f8Sub(along(slice->planes[k].normal, to), offset);
        highest = f8Max(f8Min(begin, end), highest);
        *beyond = f8Max(begin, *beyond);
    }
    return f8LessEqual(highest, radius);
}

unsigned SIMD_NAME(coreBlocks)(const CoreSlice* slice, const SampleGroup* group)
{
    V8 centre = v8LoadAny(group->centre);
    F8 radius = f8Add(f8Load(group->radius), f8Set(slice->depth + slice->slack));
    F8 beyond;
    return (unsigned)m8Bits(meetHull(slice, moved(&slice->from, centre), moved(&slice->to, centre), radius, &beyond));
}

unsigned SIMD_NAME(coreWays)(const CoreSlice* slice, const SampleBlock* block, CoreWays* ways)
{
    float outward[3][sampleLanes];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < sampleLanes; ++i)
            outward[k][i] = (float)block->outward[k][i];
    }
    V8 core = v8Sub(v8LoadAny(block->p), v8Scale(f8Set(slice->depth * (1.0f / 127.0f)), v8LoadAny(outward)));
    V8 from = moved(&slice->from, core), to = moved(&slice->to, core);
    F8 beyond;
    unsigned lanes = (unsigned)m8Bits(meetHull(slice, from, to, f8Set(slice->slack), &beyond));
    const FragmentField* field = &slice->target->solid->field;
    if (lanes != 0 && slice->target->near) {
        V8 way = v8Sub(to, from);
        F8 half = f8Mul(f8Set(0.5f), f8Sqrt(v8Dot(way, way)));
        V8 middle = v8Add(from, v8Scale(f8Set(0.5f), way));
        Point8 at = {middle.x, middle.y, middle.z}, start = {from.x, from.y, from.z};
        F8 clear = nearGridBound8(field, slice->target->piece, at, lanes, false);
        lanes &= (unsigned)m8Bits(f8LessEqual(clear, f8Add(half, f8Set(slice->slack))));
        if (lanes != 0)
            beyond = f8Max(nearGridBound8(field, slice->target->piece, start, lanes, false), beyond);
    }
    ways->outside = (unsigned)m8Bits(f8Greater(beyond, f8Set(slice->slack)));
    f8Store(ways->from[0], from.x);
    f8Store(ways->from[1], from.y);
    f8Store(ways->from[2], from.z);
    f8Store(ways->to[0], to.x);
    f8Store(ways->to[1], to.y);
    f8Store(ways->to[2], to.z);
    return lanes;
}

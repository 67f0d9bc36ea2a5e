// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What a piece's grid and hull say of eight samples at once.
#include "collide/target.h"
#include "core/constants.h"
#include "field/near_grid_lanes.h"

// Along one row of a rotation.
static inline F8 alongRow(Vec3 row, Point8 p)
{
    return f8Add(f8Add(f8Mul(f8Set(row.x), p.x), f8Mul(f8Set(row.y), p.y)), f8Mul(f8Set(row.z), p.z));
}

// Signed distance to a box, or less: outside it is true, inside the nearest side's.
static inline F8 boxBound(shBox box, Point8 p)
{
    F8 x = f8Max(f8Sub(f8Set(box.lower.x), p.x), f8Sub(p.x, f8Set(box.upper.x)));
    F8 y = f8Max(f8Sub(f8Set(box.lower.y), p.y), f8Sub(p.y, f8Set(box.upper.y)));
    F8 z = f8Max(f8Sub(f8Set(box.lower.z), p.z), f8Sub(p.z, f8Set(box.upper.z)));
    F8 side = f8Max(f8Max(x, y), z);
    Point8 away = {f8Max(x, f8Zero()), f8Max(y, f8Zero()), f8Max(z, f8Zero())};
    return f8Select(f8Greater(side, f8Zero()), f8Sqrt(dot8(away, away)), side);
}

static inline F8 hullBound(const PieceHull* hull, Point8 p, F8 bound)
{
    for (int k = 0; k < hull->count; ++k) {
        HullPlane plane = hull->planes[k];
        bound = f8Max(f8Sub(alongRow(plane.normal, p), f8Set(plane.offset)), bound);
    }
    return bound;
}

// What the rest grid says of points, and by how much it may be off.
typedef struct RestBound {
    F8 rest, error, distance;
} RestBound;

static inline RestBound restBound(const Target* target, Point8 p)
{
    const DistanceGrid* grid = &target->solid->asset->grid;
    Cell8 cell = cellOf(grid, p);
    F8 rest = sampleCell(grid, &cell).distance;
    // Between samples `spacing` apart, at fractions t, a distance is off by spacing · √(Σ t (1 − t)) at most.
    const F8 one = f8Set(1.0f);
    F8 spread2 = f8Add(f8Add(f8Mul(cell.x, f8Sub(one, cell.x)), f8Mul(cell.y, f8Sub(one, cell.y))),
                       f8Mul(cell.z, f8Sub(one, cell.z)));
    F8 spacing = f8Mul(f8Set(grid->shape.cellSize), f8Div(f8Set((float)brickCells), cell.cellsPerBrick));
    F8 error = f8Add(f8Mul(spacing, f8Sqrt(f8Max(spread2, f8Zero()))), f8Set(grid->shape.slack));
    F8 distance = f8Sub(rest, error);
    if (target->gridError < INFINITY) // inside, its own value is good enough
        distance = f8Select(f8Greater(rest, f8Zero()), distance, rest);
    // Beyond the grid: the surface lies in its box, so it is no nearer than at a right angle to the way there.
    Point8 beyond = minus8(p, intoBox(&grid->shape, p));
    F8 beyond2 = dot8(beyond, beyond);
    M8 outside = f8Greater(beyond2, f8Zero());
    if (m8Any(outside)) {
        F8 lower = f8Max(distance, f8Zero());
        F8 far = f8Mul(f8Sqrt(f8Add(f8Mul(lower, lower), beyond2)), f8Set(DISTANCE_OUTSIDE_ROUNDING));
        distance = f8Select(outside, far, distance);
    }
    return (RestBound){rest, error, distance};
}

static inline unsigned withinReach(F8 distance, const TargetBatch* batch, float threshold)
{
    return (unsigned)m8Bits(f8LessEqual(f8Sub(distance, f8Load(batch->radius)), f8Set(threshold)));
}

// The same, and how far the others are at least.
static inline unsigned keepReach(F8 distance, TargetBatch* batch, unsigned lanes, float threshold)
{
    unsigned open = withinReach(distance, batch, threshold) & lanes;
    F8 gap = f8Select(m8OfBits(lanes & ~open), f8Sub(distance, f8Load(batch->radius)), f8Set(INFINITY));
    f8Store(batch->clear, f8Min(gap, f8Load(batch->clear)));
    return open;
}

unsigned SIMD_NAME(targetBounds)(const Target* target, const TargetFrame* frame, TargetBatch* batch, unsigned lanes,
                                 float threshold)
{
    Point8 sample = {f8Load(batch->x), f8Load(batch->y), f8Load(batch->z)};
    Point8 p = {f8Add(alongRow(frame->rotation.r0, sample), f8Set(frame->offset.x)),
                f8Add(alongRow(frame->rotation.r1, sample), f8Set(frame->offset.y)),
                f8Add(alongRow(frame->rotation.r2, sample), f8Set(frame->offset.z))};
    f8Store(batch->x, p.x);
    f8Store(batch->y, p.y);
    f8Store(batch->z, p.z);
    if (!target->broken) {
        RestBound rest = restBound(target, p);
        f8Store(batch->rest, rest.rest);
        f8Store(batch->depth, f8Sub(rest.error, rest.rest));
        f8Store(batch->distance, rest.distance);
        return keepReach(rest.distance, batch, lanes, threshold);
    }
    // A piece lies in its own box and in its hull; and its grid, or where it is small the whole's, says more.
    F8 distance = hullBound(target->hull, p, boxBound(target->box, p)), depth = f8Neg(distance);
    unsigned open = withinReach(distance, batch, threshold) & lanes;
    if (open != 0 && target->near) {
        F8 near = nearGridBound8(&target->solid->field, target->piece, p, open, true);
        distance = f8Max(near, distance);
        depth = f8Min(f8Neg(near), depth);
    } else if (open != 0) {
        RestBound rest = restBound(target, p);
        distance = f8Max(distance, rest.distance);
        depth = f8Min(depth, f8Sub(rest.error, rest.rest));
    }
    f8Store(batch->depth, depth);
    f8Store(batch->distance, distance);
    return keepReach(distance, batch, lanes, threshold);
}

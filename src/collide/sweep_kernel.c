// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How near eight samples come to a target (sweep_bounds.h).
#include "collide/sweep_bounds.h"
#include "core/constants.h"
#include "field/near_grid_lanes.h"

static inline F8 along(Vec3 a, Point8 p)
{
    return f8Add(f8Add(f8Mul(f8Set(a.x), p.x), f8Mul(f8Set(a.y), p.y)), f8Mul(f8Set(a.z), p.z));
}

static inline Point8 move8(const TargetFrame* frame, Point8 p)
{
    return (Point8){f8Add(along(frame->rotation.r0, p), f8Set(frame->offset.x)),
                    f8Add(along(frame->rotation.r1, p), f8Set(frame->offset.y)),
                    f8Add(along(frame->rotation.r2, p), f8Set(frame->offset.z))};
}

// What the grid says of signed distances, or less: inside, too, no piece's surface is farther than that of the whole.
static inline F8 gridBound(const DistanceGrid* grid, Point8 p)
{
    Cell8 cell = cellOf(grid, p);
    F8 rest = sampleCell(grid, &cell).distance;
    // Between samples `spacing` apart, at fractions t, a distance is off by spacing · √(Σ t (1 − t)) at most.
    const F8 one = f8Set(1.0f);
    F8 spread2 = f8Add(f8Add(f8Mul(cell.x, f8Sub(one, cell.x)), f8Mul(cell.y, f8Sub(one, cell.y))),
                       f8Mul(cell.z, f8Sub(one, cell.z)));
    F8 spacing = f8Mul(f8Set(grid->shape.cellSize), f8Div(f8Set((float)brickCells), cell.cellsPerBrick));
    F8 error = f8Add(f8Mul(spacing, f8Sqrt(f8Max(spread2, f8Zero()))), f8Set(grid->shape.slack));
    F8 distance = f8Sub(rest, error);
    // Beyond the grid: the surface lies in its box, so it is no nearer than at a right angle to the way there.
    Point8 beyond = minus8(p, intoBox(&grid->shape, p));
    F8 beyond2 = dot8(beyond, beyond);
    M8 outside = f8Greater(beyond2, f8Zero());
    if (m8Any(outside)) {
        F8 lower = f8Max(distance, f8Zero());
        F8 far = f8Mul(f8Sqrt(f8Add(f8Mul(lower, lower), beyond2)), f8Set(DISTANCE_OUTSIDE_ROUNDING));
        distance = f8Select(outside, far, distance);
    }
    return distance;
}

unsigned SIMD_NAME(sweepBounds)(const Target* target, const SweepSlice* slice, SweepBatch* batch, unsigned lanes,
                                float near)
{
    Point8 own8 = {f8Load(batch->x), f8Load(batch->y), f8Load(batch->z)}, p = move8(&slice->frame, own8);
    Vec3 c = slice->centre, v = slice->velocity, w = slice->spin;
    Point8 arm = {f8Sub(p.x, f8Set(c.x)), f8Sub(p.y, f8Set(c.y)), f8Sub(p.z, f8Set(c.z))};
    F8 x = f8Add(f8Set(v.x), f8Sub(f8Mul(f8Set(w.y), arm.z), f8Mul(f8Set(w.z), arm.y)));
    F8 y = f8Add(f8Set(v.y), f8Sub(f8Mul(f8Set(w.z), arm.x), f8Mul(f8Set(w.x), arm.z)));
    F8 z = f8Add(f8Set(v.z), f8Sub(f8Mul(f8Set(w.x), arm.y), f8Mul(f8Set(w.y), arm.x)));
    Point8 velocity = {x, y, z};
    const F8 half = f8Set(slice->half), halfSquare = f8Set(0.5f * slice->half * slice->half);
    F8 speed = f8Sqrt(dot8(velocity, velocity));
    F8 growth = f8Add(f8Set(slice->growth), f8Mul(f8Set(slice->more), f8Sqrt(dot8(arm, arm))));
    // Ways are straight but for what v changes, which also turns as the target does.
    F8 bend = f8Add(growth, f8Mul(f8Set(slice->turn), f8Add(speed, f8Mul(half, growth))));
    F8 strays = f8Add(f8Mul(halfSquare, bend), f8Set(slice->slack)), radius = f8Load(batch->radius);
    const F8 most = f8Set(near), first = f8Set(-1.0f), last = f8Set(1.0f);
    F8 highest = f8Set(-INFINITY), gaps[sweepMaxPlanes], drifts[sweepMaxPlanes];
    for (int k = 0; k < slice->planeCount; ++k) {
        const SweepPlane* plane = &slice->planes[k];
        gaps[k] = f8Sub(along(plane->normal, p), f8Set(plane->offset));
        drifts[k] = f8Add(along(plane->drift, p), f8Set(plane->driftOffset));
        highest = f8Max(f8Sub(gaps[k], f8Abs(drifts[k])), highest);
    }
    F8 convex = f8Sub(highest, strays);
    M8 open = f8LessEqual(f8Sub(convex, radius), most);
    if (!m8Any(open))
        return 0;
    f8Store(batch->convex, convex);
    F8 own = f8Add(most, strays), all = f8Add(own, radius);
    F8 enter = first, leave = last, enterAll = first, leaveAll = last;
    for (int k = 0; k < slice->planeCount; ++k) {
        // Most planes are far above all samples, all the time.
        if (!m8Any(f8Greater(f8Add(gaps[k], f8Abs(drifts[k])), own)))
            continue;
        // Near the plane while gap + drift · time is at most so much. Where it hardly drifts, `highest` says enough.
        M8 comes = f8Less(drifts[k], f8Set(-SWEEP_DRIFT)), goes = f8Greater(drifts[k], f8Set(SWEEP_DRIFT));
        F8 pace = f8Div(last, f8Select(m8Or(comes, goes), drifts[k], last));
        F8 when = f8Mul(f8Sub(own, gaps[k]), pace), whenAll = f8Mul(f8Sub(all, gaps[k]), pace);
        enter = f8Select(comes, f8Max(when, enter), enter);
        leave = f8Select(goes, f8Min(when, leave), leave);
        enterAll = f8Select(comes, f8Max(whenAll, enterAll), enterAll);
        leaveAll = f8Select(goes, f8Min(whenAll, leaveAll), leaveAll);
    }
    const F8 wider = f8Set(SWEEP_WIDER);
    f8Store(batch->enter, f8Max(f8Sub(enter, wider), first));
    f8Store(batch->leave, f8Min(f8Add(leave, wider), last));
    enterAll = f8Max(f8Sub(enterAll, wider), first);
    leaveAll = f8Min(f8Add(leaveAll, wider), last);
    open = m8And(open, f8LessEqual(enterAll, leaveAll));
    // The field is looked at in the middle of the time that is left, unless that is about all of it.
    F8 middle = f8Mul(f8Set(0.5f), f8Add(enterAll, leaveAll)), part = f8Mul(f8Set(0.5f), f8Sub(leaveAll, enterAll));
    M8 brief = f8Less(part, f8Set(SWEEP_BRIEF));
    middle = f8Select(brief, middle, f8Zero());
    F8 way = f8Select(brief, f8Add(f8Mul(f8Mul(half, part), speed), strays),
                      f8Add(f8Add(f8Mul(half, speed), f8Mul(halfSquare, growth)), f8Set(slice->slack)));
    F8 later = f8Mul(half, middle);
    Point8 at = {f8Add(p.x, f8Mul(later, x)), f8Add(p.y, f8Mul(later, y)), f8Add(p.z, f8Mul(later, z))};
    f8Store(batch->x, at.x);
    f8Store(batch->y, at.y);
    f8Store(batch->z, at.z);
    f8Store(batch->moved, f8Set(-INFINITY));
    f8Store(batch->way, way);
    if (slice->siblings) {
        Point8 from = minus8(at, own8);
        F8 moved = f8Sub(f8Neg(f8Sqrt(dot8(from, from))), way);
        f8Store(batch->moved, moved);
        open = m8And(open, f8LessEqual(f8Sub(moved, f8Mul(f8Set(slice->turned), radius)), most));
    }
    lanes &= (unsigned)m8Bits(open);
    if (target->solid == NULL || lanes == 0) {
        f8Store(batch->field, f8Neg(way));
        return lanes;
    }
    // A piece's own grid knows of its cracks, and is at hand; where it is coarse the whole's says more of thin walls.
    const FragmentField* pieces = &target->solid->field;
    const DistanceGrid* grid = &target->solid->asset->grid;
    F8 field = f8Set(-INFINITY);
    if (!target->near || pieces->pieces.data[target->piece].near.spacing > SWEEP_COARSE * grid->shape.cellSize) {
        field = f8Sub(gridBound(grid, at), way);
        lanes &= (unsigned)m8Bits(f8LessEqual(f8Sub(field, radius), most));
    }
    if (target->near && lanes != 0)
        field = f8Max(f8Sub(nearGridBound8(pieces, target->piece, at, lanes, true), way), field);
    f8Store(batch->field, field);
    return lanes & (unsigned)m8Bits(f8LessEqual(f8Sub(field, radius), most));
}

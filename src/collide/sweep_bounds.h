// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How near samples of something that moves come to a target during a slice of a sweep (sweep.c), eight at a time.
//
// Two bounds, of which the better one counts. The target lies below planes: those of its box and its hull. How near a
// sample comes to one of them follows from its velocity across the plane, so what flies away or alongside never comes,
// however fast it is. And in the middle of the slice it has some distance from the target's surface, of which it loses
// no more than its way from there. Pieces of one solid do not overlap where they came from, so none is deeper in
// another than it has moved against it since.
#pragma once

#include "collide/target.h"

enum { sweepMaxPlanes = 6 + hullMaxPlanes };

// The target is below it: normal · p ≤ offset. In half a slice, a sample at p moves along the normal by
// drift · p + driftOffset.
typedef struct SweepPlane {
    Vec3 normal, drift;
    float offset, driftOffset;
} SweepPlane;

// How all of one side moves, seen from the target. In the slice's middle a sample at p, which is in the target's frame
// as everything here, has the velocity v = velocity + spin × (p − centre).
typedef struct SweepSlice {
    TargetFrame frame; // in the middle
    float half;        // time before and after it
    Vec3 centre, velocity, spin;
    float growth, more; // how fast |v| may change, and for every metre from the centre
    float turn;         // of the target per unit of time, rad: v turns with it
    float slack;        // more than all rounding, m
    bool siblings;      // both are pieces of one solid
    int planeCount;
    SweepPlane planes[sweepMaxPlanes];
    float perMetre[2]; // what the bounds of a sphere lose for its radius: convex, field
} SweepSlice;

// Planes of boxes with infinite sides and of hulls (may be null) are laid; `perMetre` is worked out. All else is given.
void sweepSliceFinish(SweepSlice* slice, shBox box, const PieceHull* hull);

typedef struct SweepBatch {
    float x[targetBatch], y[targetBatch], z[targetBatch]; // in the samples' frame; become the target's
    float radius[targetBatch];                            // of the spheres that hold all below the samples, m
    float convex[targetBatch], field[targetBatch];        // no nearer does the sample itself come, m; negative: inside
} SweepBatch;

// Fills in the bounds. Returns a bit for each of the first `count` spheres that may come nearer than `near`.
unsigned sweepLookUp(const Target* target, const SweepSlice* slice, SweepBatch* batch, int count, float near);

// May anything within `radius` of a sample of the batch come nearer?
static inline bool sweepIsOpen(const SweepSlice* slice, const SweepBatch* batch, int i, float radius, float near)
{
    return batch->convex[i] - slice->perMetre[0] * radius <= near &&
           batch->field[i] - slice->perMetre[1] * radius <= near;
}

// The kernel: with a grid all of it, without one `field` is left less the sample's way.
SIMD_DECLARE(unsigned, sweepBounds, (const DistanceGrid* grid, const SweepSlice* slice, SweepBatch* batch, float near));

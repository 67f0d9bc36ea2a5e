// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How near samples of something that moves come to a target during a slice of a sweep (sweep_run.c), eight at a
// time.
//
// The target lies below planes: those of its box and its hull. When a sample is near all of them follows from its
// velocity across each, so what flies away or alongside never is, however fast it is, and others are for a part of the
// slice. In the middle of that part it has some distance from the target's surface, of which it loses no more than its
// way from there. Pieces of one solid do not overlap where they came from, so none is deeper in another than it has
// moved against it since.
//
// All that hangs below a sample stays as far from it as it is: a sphere around it is as near as the sample, less its
// radius. What has moved against a sibling is known better: all of a sphere has moved as its middle, but for turning.
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
    float turned;       // of siblings: the most that two points a metre apart have turned about each other, m
    int planeCount;
    SweepPlane planes[sweepMaxPlanes];
} SweepSlice;

// Planes of boxes with infinite sides and of hulls (may be null) are laid. All else is given.
void sweepSliceFinish(SweepSlice* slice, shBox box, const PieceHull* hull);

typedef struct SweepBatch {
    float x[targetBatch], y[targetBatch], z[targetBatch]; // in the samples' frame; become places in the target's
    float radius[targetBatch];                            // of the spheres that hold all below the samples, m
    // No nearer does the sample itself come, m; negative: inside. By planes, by the field while the sphere is near all
    // planes, and by what it has moved against a sibling.
    float convex[targetBatch], field[targetBatch], moved[targetBatch];
    float way[targetBatch]; // m, how far the sample comes from the place that is looked at
    // When the sample itself is near all planes: −1 begins the slice, 1 ends it; enter > leave: never.
    float enter[targetBatch], leave[targetBatch];
} SweepBatch;

// Returns a bit for each of the spheres that may come nearer than `near`, and fills in the bounds if any
// does.
unsigned sweepLookUp(const Target* target, const SweepSlice* slice, SweepBatch* batch, unsigned lanes, float near);

// May anything within `radius` of a sample of the batch come nearer?
static inline bool sweepIsOpen(const SweepSlice* slice, const SweepBatch* batch, int i, float radius, float near)
{
    return batch->convex[i] - radius <= near && batch->field[i] - radius <= near &&
           batch->moved[i] - slice->turned * radius <= near;
}

// The kernel: all of it where the target has a grid; `field` is minus the sample's way without one, and where no lane
// is left.
SIMD_DECLARE(unsigned, sweepBounds,
             (const Target* target, const SweepSlice* slice, SweepBatch* batch, unsigned lanes, float near));

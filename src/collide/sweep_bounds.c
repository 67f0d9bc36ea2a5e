// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/sweep_bounds.h"

static void addPlane(SweepSlice* slice, Vec3 normal, float offset)
{
    // n · (spin × x) = (n × spin) · x
    Vec3 drift = vScale(slice->half, vCross(normal, slice->spin));
    slice->planes[slice->planeCount++] =
        (SweepPlane){normal, drift, offset, slice->half * vDot(normal, slice->velocity) - vDot(drift, slice->centre)};
}

void sweepSliceFinish(SweepSlice* slice, shBox box, const PieceHull* hull)
{
    slice->planeCount = 0;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 normal = vFromD(dAxis(axis));
        if (isfinite(vGet(box.upper, axis)))
            addPlane(slice, normal, vGet(box.upper, axis));
        if (isfinite(vGet(box.lower, axis)))
            addPlane(slice, vNeg(normal), -vGet(box.lower, axis));
    }
    for (int k = 0; hull != NULL && k < hull->count; ++k)
        addPlane(slice, hull->planes[k].normal, hull->planes[k].offset);
}

unsigned sweepLookUp(const Target* target, const SweepSlice* slice, SweepBatch* batch, unsigned lanes, float near)
{
    unsigned open = SIMD_CHOOSE(sweepBounds)(target, slice, batch, lanes, near);
    if (target->solid != NULL)
        return open;
    for (unsigned left = open; left != 0; left &= left - 1u) {
        int i = __builtin_ctz(left);
        batch->field[i] += targetSample(target, vec3(batch->x[i], batch->y[i], batch->z[i])).distance;
        if (!sweepIsOpen(slice, batch, i, batch->radius[i], near))
            open &= ~(1u << i);
    }
    return open;
}

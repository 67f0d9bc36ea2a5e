// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/hausdorff.h"

#include "mesh/tri_query.h"

#define BLOCK 256

typedef struct Side {
    SurfaceView from;
    TriQuery to;
    double* farthest; // [triangles of from]
} Side;

static void measureBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Side* side = arg;
    for (int i = begin; i < end; ++i) {
        const int* t = side->from.triangles[i];
        DVec3 p[3] = {side->from.vertices[t[0]], side->from.vertices[t[1]], side->from.vertices[t[2]]};
        DVec3 samples[7];
        for (int k = 0; k < 3; ++k) {
            samples[k] = p[k];
            samples[3 + k] = dLerp(p[k], p[(k + 1) % 3], 0.5);
        }
        samples[6] = dScale(1.0 / 3.0, dAdd(dAdd(p[0], p[1]), p[2]));
        double farthest = 0.0;
        for (int k = 0; k < 7; ++k)
            farthest = maxD(farthest, triQueryClosest(&side->to, samples[k], (double)INFINITY).distance);
        side->farthest[i] = farthest;
    }
}

static double oneSided(shContext* context, SurfaceView from, SurfaceView to)
{
    Memory* memory = &context->memory;
    Side side = {.from = from, .farthest = NEW_ARRAY(memory, double, from.triangleCount)};
    double farthest = 0.0;
    if (side.farthest != NULL && triQueryBuild(&side.to, memory, to.vertices, to.triangles, to.triangleCount)) {
        parallelFor(context, from.triangleCount, BLOCK, measureBlock, &side);
        for (int i = 0; i < from.triangleCount; ++i)
            farthest = maxD(farthest, side.farthest[i]);
        triQueryFree(&side.to, memory);
    } else {
        farthest = (double)NAN;
    }
    FREE_ARRAY(memory, side.farthest, from.triangleCount);
    return farthest;
}

double hausdorffDistance(shContext* context, SurfaceView a, SurfaceView b)
{
    double forth = oneSided(context, a, b), back = oneSided(context, b, a);
    return isnan(forth) || isnan(back) ? (double)NAN : maxD(forth, back);
}

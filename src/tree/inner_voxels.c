// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Voxels with exact signed distances. Signs spread from voxel to voxel where the two distances leave no room for a
// surface in between; only the others are asked for their winding number.
#include "core/constants.h"
#include "core/message.h"
#include "tree/inner_pack.h"

typedef struct Filling {
    InnerVoxels* voxels;
    const TriQuery* query;
    int* insideOf; // [rows] voxels inside
} Filling;

static void fillRows(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Filling* filling = arg;
    InnerVoxels* voxels = filling->voxels;
    const double h = voxels->size;
    int across = voxels->counts[0];
    for (int row = begin; row < end; ++row) {
        float* space = voxels->space + (size_t)row * (size_t)across;
        DVec3 near = filling->query->corners[0][0];
        DVec3 p = innerVoxelCentre(voxels, 0);
        p.y += h * (row % voxels->counts[1]);
        p.z += h * (row / voxels->counts[1]);
        const double startX = p.x;
        double last = 0.0;
        bool inside = false;
        int count = 0;
        for (int x = 0; x < across; ++x) {
            p.x = startX + h * x;
            double reach = dDistance(p, near) * (1.0 + DISTANCE_ROUNDING);
            TriHit hit = triQueryClosest(filling->query, p, reach);
            near = hit.point;
            bool linked = x > 0 && last + hit.distance > h * (1.0 + DISTANCE_ROUNDING);
            inside = linked ? inside : triQueryInside(filling->query, p);
            last = hit.distance;
            space[x] = inside ? (float)hit.distance : -(float)hit.distance;
            count += space[x] > 0.0f;
            if (inside)
                continue;
            // Outside nobody asks how far: up to the surface all are.
            int skip = (int)minD(hit.distance * (1.0 - DISTANCE_ROUNDING) / h, across - 1 - x);
            for (int k = 0; k < skip; ++k)
                space[++x] = -(float)h;
            last -= skip * h;
        }
        filling->insideOf[row] = count;
    }
}

static shStatus planVoxels(InnerVoxels* voxels, const TriQuery* query, double size, shMessage* message)
{
    DVec3 lower = dFromV(query->nodes[0].lower), upper = dFromV(query->nodes[0].upper);
    if (!dFinite(lower) || !dFinite(upper))
        return fail(message, shBadMesh, "inner spheres: the surface is not finite");
    double counts[3], total = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        counts[axis] = floor((dGet(upper, axis) - dGet(lower, axis)) / size) + 1.0;
        total *= counts[axis];
    }
    if (!(total <= INNER_MOST_VOXELS))
        return fail(message, shLimit,
                    "inner spheres: %.3g voxels of %g m around the object are more than the limit of %.3g: ask for "
                    "fewer spheres or larger voxels",
                    total, size, INNER_MOST_VOXELS);
    *voxels = (InnerVoxels){.size = size, .counts = {(int)counts[0], (int)counts[1], (int)counts[2]}};
    // The grid and the box have one middle.
    DVec3 half = dScale(0.5 * size, dvec3(counts[0], counts[1], counts[2]));
    voxels->lower = dSub(dScale(0.5, dAdd(lower, upper)), half);
    return shOk;
}

shStatus innerVoxelsMake(InnerVoxels* voxels, shContext* context, const TriQuery* query, double size,
                         shMessage* message)
{
    *voxels = (InnerVoxels){0};
    InnerVoxels planned;
    shStatus status = planVoxels(&planned, query, size, message);
    if (status != shOk)
        return status;
    int rows = planned.counts[1] * planned.counts[2];
    planned.space = NEW_ARRAY(&context->memory, float, innerVoxelTotal(&planned));
    Filling filling = {&planned, query, NEW_ARRAY(&context->memory, int, rows)};
    if (planned.space == NULL || filling.insideOf == NULL) {
        FREE_ARRAY(&context->memory, filling.insideOf, rows);
        innerVoxelsFree(&planned, &context->memory);
        return failMemory(message);
    }
    parallelFor(context, rows, INNER_ROW_BLOCK, fillRows, &filling);
    for (int row = 0; row < rows; ++row)
        planned.insideCount += filling.insideOf[row];
    FREE_ARRAY(&context->memory, filling.insideOf, rows);
    *voxels = planned;
    return shOk;
}

void innerVoxelsFree(InnerVoxels* voxels, Memory* memory)
{
    FREE_ARRAY(memory, voxels->space, innerVoxelTotal(voxels));
    *voxels = (InnerVoxels){0};
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/transfer.h"

#include "mesh/tri_query.h"

// Corners on a seam belong to several source triangles with different UVs. Looking from a little inside the target
// triangle finds the one on its side.
#define PULL 1e-3
#define BLOCK 256

typedef struct Transfer {
    const TriMesh* source;
    const TransferTarget* target;
    TriQuery query;
} Transfer;

static Corner blend(const Corner corners[3], const double weights[3])
{
    double u = 0.0, v = 0.0;
    DVec3 normal = dvec3(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) {
        u += weights[k] * (double)corners[k].uv[0];
        v += weights[k] * (double)corners[k].uv[1];
        normal = dMad(normal, weights[k], dFromV(corners[k].normal));
    }
    // Opposite normals cancel out: then the nearest corner's must do.
    int nearest = weights[0] >= weights[1] ? 0 : 1;
    nearest = weights[nearest] >= weights[2] ? nearest : 2;
    bool usable = dLength(normal) > 0.0;
    return (Corner){{(float)u, (float)v}, usable ? vFromD(dNormalize(normal)) : corners[nearest].normal};
}

static void transferBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Transfer* transfer = arg;
    const TriMesh* source = transfer->source;
    const TransferTarget* target = transfer->target;
    for (int i = begin; i < end; ++i) {
        const DVec3* p = target->points[i];
        DVec3 center = dScale(1.0 / 3.0, dAdd(dAdd(p[0], p[1]), p[2]));
        if (source->groups != NULL && target->groups != NULL)
            target->groups[i] = source->groups[triQueryClosest(&transfer->query, center, (double)INFINITY).triangle];
        if (source->corners == NULL || target->corners == NULL)
            continue;
        for (int k = 0; k < 3; ++k) {
            TriHit near = triQueryClosest(&transfer->query, dLerp(p[k], center, PULL), (double)INFINITY);
            const int* v = source->triangles[near.triangle];
            TriHit at = triClosest(source->vertices[v[0]], source->vertices[v[1]], source->vertices[v[2]], p[k]);
            target->corners[i][k] = blend(source->corners[near.triangle], at.weights);
        }
    }
}

bool transferSurface(shContext* context, const TriMesh* source, const TransferTarget* target)
{
    if (source->corners == NULL && source->groups == NULL)
        return true;
    Transfer transfer = {source, target, {0}};
    if (!triQueryBuild(&transfer.query, &context->memory, source->vertices, (const int(*)[3])source->triangles,
                       source->triangleCount))
        return false;
    parallelFor(context, target->triangleCount, BLOCK, transferBlock, &transfer);
    triQueryFree(&transfer.query, &context->memory);
    return true;
}

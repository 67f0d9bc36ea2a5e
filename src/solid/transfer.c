// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/transfer.h"

#include "core/message.h"
#include "mesh/tri_query.h"

typedef struct Transfer {
    TetMesh* mesh;
    const TriMesh* source;
    TriQuery query;
} Transfer;

enum { TRANSFER_BLOCK = 64 }; // triangles per task

// Barycentric coordinates of p's projection on the plane of a b c; they may lie outside [0, 1]. False for a sliver.
static bool planeWeights(DVec3 a, DVec3 b, DVec3 c, DVec3 p, double weights[3])
{
    DVec3 ab = dSub(b, a), ac = dSub(c, a), ap = dSub(p, a), normal = dCross(ab, ac);
    double square = dLength2(normal);
    if (!(square > 0.0))
        return false;
    weights[1] = dDot(dCross(ap, ac), normal) / square;
    weights[2] = dDot(dCross(ab, ap), normal) / square;
    weights[0] = 1.0 - weights[1] - weights[2];
    return isfinite(weights[1]) && isfinite(weights[2]);
}

static Corner blend(const Corner corners[3], const double weights[3], Vec3 fallback)
{
    double uv[2] = {0.0, 0.0};
    DVec3 normal = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        uv[0] += weights[k] * (double)corners[k].uv[0];
        uv[1] += weights[k] * (double)corners[k].uv[1];
        normal = dMad(normal, weights[k], dFromV(corners[k].normal));
    }
    Corner corner = {{(float)uv[0], (float)uv[1]}, vFromD(dNormalize(normal))};
    if (!(dLength2(normal) > 0.0))
        corner.normal = fallback;
    return corner;
}

static void transferBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Transfer* transfer = arg;
    TetMesh* mesh = transfer->mesh;
    for (int i = begin; i < end; ++i) {
        DVec3 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = dFromV(mesh->nodes[mesh->triangles[i][k]]);
        DVec3 centre = dScale(1.0 / 3.0, dAdd(dAdd(p[0], p[1]), p[2]));
        int from = triQueryClosest(&transfer->query, centre, INFINITY).triangle;
        const int* t = transfer->source->triangles[from];
        const DVec3* v = transfer->source->vertices;
        const Corner* corners = transfer->source->corners[from];
        mesh->groups[i] = transfer->source->groups[from];
        for (int k = 0; k < 3; ++k) {
            double weights[3];
            if (planeWeights(v[t[0]], v[t[1]], v[t[2]], p[k], weights))
                mesh->corners[i][k] = blend(corners, weights, mesh->corners[i][k].normal);
        }
    }
}

shStatus transferCorners(const shContext* context, TetMesh* mesh, const TriMesh* source, shMessage* message)
{
    Memory* memory = (Memory*)(uintptr_t)&context->memory; // counters change, the context does not
    Transfer transfer = {.mesh = mesh, .source = source};
    if (!triQueryBuild(&transfer.query, memory, source->vertices, (const int(*)[3])source->triangles,
                       source->triangleCount))
        return failMemory(message);
    parallelFor(context, mesh->triangleCount, TRANSFER_BLOCK, transferBlock, &transfer);
    triQueryFree(&transfer.query, memory);
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "fracture/voronoi_crack.h"

#include "core/message.h"
#include "solid/solid.h"

bool voronoiCrackInit(VoronoiCrack* crack, Memory* memory, const RestField* rest, const Vec3* sites, int siteCount)
{
    const TetMesh* mesh = rest->mesh;
    *crack = (VoronoiCrack){rest, memory, NEW_ARRAY(memory, int, mesh->nodeCount), sites};
    if (crack->labels == NULL)
        return false;
    for (int n = 0; n < mesh->nodeCount; ++n) {
        float best = INFINITY;
        crack->labels[n] = 0;
        for (int s = 0; s < siteCount; ++s) {
            float d2 = vDistance2(mesh->nodes[n], sites[s]);
            if (d2 < best) {
                best = d2;
                crack->labels[n] = s;
            }
        }
    }
    return true;
}

void voronoiCrackFree(VoronoiCrack* crack)
{
    FREE_ARRAY(crack->memory, crack->labels, crack->rest->mesh->nodeCount);
    crack->labels = NULL;
}

float voronoiCrackCut(int edge, void* user)
{
    const VoronoiCrack* crack = user;
    const int* ends = crack->rest->topology->edges[edge];
    const Vec3* nodes = crack->rest->mesh->nodes;
    return bisectorCut(nodes[ends[0]], nodes[ends[1]], crack->sites[crack->labels[ends[0]]],
                       crack->sites[crack->labels[ends[1]]]);
}

shStatus shSolid_BreakVoronoi(shSolid* solid, int piece, const shVec3* sites, int siteCount, shBreak* result,
                              shMessage* message)
{
    if (siteCount < 1 || sites == NULL)
        return fail(message, shInvalid, "break: %d sites; give at least one", siteCount);
    for (int i = 0; i < siteCount; ++i) {
        if (!vFinite(sites[i]))
            return fail(message, shInvalid, "break: site %d is not finite", i);
    }
    VoronoiCrack crack;
    if (!voronoiCrackInit(&crack, &solid->asset->context->memory, &solid->asset->rest.field.view, sites, siteCount))
        return failMemory(message);
    shStatus status = shSolid_Break(solid, &(shCrack){piece, crack.labels, voronoiCrackCut, &crack}, result, message);
    voronoiCrackFree(&crack);
    return status;
}

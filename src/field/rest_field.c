// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/rest_field.h"

#include "core/constants.h"
#include "core/message.h"
#include "mesh/tri_query.h"

typedef struct NodeJob {
    const TetMesh* mesh;
    const TriQuery* query;
    RestFieldData* data;
} NodeJob;

static void measureNodes(int begin, int end, int worker, void* arg)
{
    (void)worker;
    NodeJob* job = arg;
    for (int n = begin; n < end; ++n) {
        TriHit hit = triQueryClosest(job->query, dFromV(job->mesh->nodes[n]), INFINITY);
        job->data->nodeFeatures[n] = hit.triangle;
        job->data->nodeDistances[n] = (float)hit.distance;
    }
}

static shStatus measureDistances(RestFieldData* data, const shContext* context, Memory* memory, const TetMesh* mesh,
                                 shMessage* message)
{
    data->nodeFeatures = NEW_ARRAY(memory, int, mesh->nodeCount);
    data->nodeDistances = NEW_ARRAY(memory, float, mesh->nodeCount);
    DVec3* positions = NEW_ARRAY(memory, DVec3, mesh->nodeCount);
    TriQuery query = {0};
    bool enough = data->nodeFeatures && data->nodeDistances && positions;
    if (enough) {
        for (int n = 0; n < mesh->nodeCount; ++n)
            positions[n] = dFromV(mesh->nodes[n]);
        enough = triQueryBuild(&query, memory, positions, (const int(*)[3])mesh->triangles, mesh->triangleCount);
    }
    if (enough) {
        NodeJob job = {mesh, &query, data};
        parallelFor(context, mesh->nodeCount, 256, measureNodes, &job);
        // The surface's own nodes have distance zero, not a rounding of it.
        for (int t = 0; t < mesh->triangleCount; ++t) {
            const int* triangle = mesh->triangles[t];
            for (int k = 0; k < 3; ++k)
                data->nodeDistances[triangle[k]] = 0.0f;
        }
        triQueryFree(&query, memory);
    }
    FREE_ARRAY(memory, positions, mesh->nodeCount);
    return enough ? shOk : failMemory(message);
}

static bool measureVolumes(RestFieldData* data, Memory* memory, const TetMesh* mesh)
{
    const TetTopology* topology = &data->topology;
    data->nodeVolumes = NEW_ARRAY(memory, double, mesh->nodeCount);
    for (int n = 0; n < mesh->nodeCount && data->nodeVolumes != NULL; ++n) {
        double sum = 0.0;
        for (int k = topology->nodeTetStart[n]; k < topology->nodeTetStart[n + 1]; ++k) {
            const int* tet = mesh->tets[topology->nodeTets[k]];
            const Vec3* nodes = mesh->nodes;
            sum += dOrient(dFromV(nodes[tet[0]]), dFromV(nodes[tet[1]]), dFromV(nodes[tet[2]]), dFromV(nodes[tet[3]]));
        }
        data->nodeVolumes[n] = sum / 24.0; // orient is six volumes
    }
    return data->nodeVolumes != NULL;
}

static bool findShape(RestFieldData* data, Memory* memory, const TetMesh* mesh, EdgeSet* edges, SupportMap* map)
{
    PieceSurface surface = {0};
    EdgeScratch scratch = {0};
    data->edgeRows = NEW_ARRAY(memory, float, edgeFloatsMost);
    data->support = NEW_ARRAY(memory, float, supportFloats);
    bool enough = data->edgeRows != NULL && data->support != NULL &&
                  pieceSurfaceMake(&surface, memory, mesh->triangleCount) &&
                  edgeScratchMake(&scratch, memory, mesh->triangleCount);
    if (enough) {
        shBox box = boxEmpty();
        for (int t = 0; t < mesh->triangleCount; ++t) {
            for (int k = 0; k < 3; ++k) {
                surface.corners[t][k] = mesh->nodes[mesh->triangles[t][k]];
                box = boxAdd(box, surface.corners[t][k]);
            }
        }
        surface.count = mesh->triangleCount;
        pieceSurfaceNumber(&surface);
        int count = edgesFind(&scratch, &surface, 0.5f * vLength(boxSize(box)), data->edgeRows), vertices;
        bool hasHeights;
        for (int n = 0; n < mesh->nodeCount; ++n)
            edgesTellSample(&scratch, data->edgeRows, count, mesh->nodes[n]);
        *edges = (EdgeSet){data->edgeRows, count, edgeRoom(count)};
        supportWrite(surface.places, surface.vertexCount, box, data->support, &vertices, &hasHeights);
        *map = supportAt(data->support, vertices, hasHeights);
    }
    pieceSurfaceFree(&surface, memory);
    edgeScratchFree(&scratch, memory);
    return enough;
}

// Of the surface, where the cells' lists are longest.
static float meanEdge(const TetMesh* mesh)
{
    double sum = 0.0;
    for (int k = 0; k < 3 * mesh->triangleCount; ++k) {
        const int* triangle = mesh->triangles[k / 3];
        sum += dDistance(dFromV(mesh->nodes[triangle[k % 3]]), dFromV(mesh->nodes[triangle[(k + 1) % 3]]));
    }
    return (float)(sum / (double)maxI(3 * mesh->triangleCount, 1));
}

shStatus restFieldBuild(RestFieldData* data, const shContext* context, Memory* memory, const TetMesh* mesh,
                        shMessage* message)
{
    *data = (RestFieldData){0};
    shStatus status = topologyBuild(&data->topology, memory, mesh, message);
    if (status == shOk)
        status = cellGridBuild(&data->cells, memory, mesh, CELL_EDGES * meanEdge(mesh), message);
    if (status == shOk)
        status = maskGridBuild(&data->maskGrid, memory, mesh, &data->cells, message);
    if (status == shOk)
        status = measureDistances(data, context, memory, mesh, message);
    EdgeSet edges = {.count = 0};
    SupportMap support = {.count = 0};
    if (status == shOk && (!measureVolumes(data, memory, mesh) || !skinOfMesh(&data->skin, memory, mesh) ||
                           !findShape(data, memory, mesh, &edges, &support)))
        status = failMemory(message);
    if (status != shOk) {
        restFieldFree(data, memory);
        return status;
    }
    data->view = (RestField){mesh,
                             &data->topology,
                             &data->cells,
                             &data->maskGrid,
                             data->nodeFeatures,
                             data->nodeDistances,
                             data->nodeVolumes,
                             &data->skin,
                             edges,
                             support};
    return shOk;
}

void restFieldFree(RestFieldData* data, Memory* memory)
{
    FREE_ARRAY(memory, data->nodeFeatures, data->topology.nodeCount);
    FREE_ARRAY(memory, data->nodeDistances, data->topology.nodeCount);
    FREE_ARRAY(memory, data->nodeVolumes, data->topology.nodeCount);
    skinFree(&data->skin, memory);
    FREE_ARRAY(memory, data->edgeRows, edgeFloatsMost);
    FREE_ARRAY(memory, data->support, supportFloats);
    topologyFree(&data->topology, memory);
    maskGridFree(&data->maskGrid, memory);
    cellGridFree(&data->cells, memory);
    *data = (RestFieldData){0};
}

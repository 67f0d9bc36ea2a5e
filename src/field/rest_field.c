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

// A crack farther from a surface node than its reach is farther from its inner neighbours than their own surface. What
// has no corner at an inner node is farther from it than its reach.
static void measureReaches(RestFieldData* data, const TetMesh* mesh)
{
    for (int n = 0; n < mesh->nodeCount; ++n)
        data->nodeReaches[n] = data->nodeDistances[n] == 0.0f ? 0.0f : INFINITY;
    for (int k = 0; k < 4 * mesh->tetCount; ++k) {
        const int* tet = mesh->tets[k / 4];
        float* reach = &data->nodeReaches[tet[k % 4]];
        const uint8_t* face = tetFaceCorners[k % 4];
        Vec3 a = mesh->nodes[tet[face[0]]];
        Vec3 normal = vCross(vSub(mesh->nodes[tet[face[1]]], a), vSub(mesh->nodes[tet[face[2]]], a));
        float height = fabsf(vDot(normal, vSub(mesh->nodes[tet[k % 4]], a))) / vLength(normal);
        *reach = minF(*reach, height);
    }
    for (int e = 0; e < data->topology.edgeCount; ++e) {
        const int* ends = data->topology.edges[e];
        float length = vDistance(mesh->nodes[ends[0]], mesh->nodes[ends[1]]);
        for (int k = 0; k < 2; ++k) {
            float inner = data->nodeDistances[ends[1 - k]];
            if (data->nodeDistances[ends[k]] == 0.0f && inner > 0.0f)
                data->nodeReaches[ends[k]] = maxF(data->nodeReaches[ends[k]], inner + length);
        }
    }
}

static shStatus measureDistances(RestFieldData* data, const shContext* context, Memory* memory, const TetMesh* mesh,
                                 shMessage* message)
{
    data->nodeFeatures = NEW_ARRAY(memory, int, mesh->nodeCount);
    data->nodeDistances = NEW_ARRAY(memory, float, mesh->nodeCount);
    data->nodeReaches = NEW_ZEROED(memory, float, mesh->nodeCount);
    data->triangleBalls = NEW_ARRAY(memory, Ball, mesh->triangleCount);
    DVec3* positions = NEW_ARRAY(memory, DVec3, mesh->nodeCount);
    TriQuery query = {0};
    bool enough = data->nodeFeatures && data->nodeDistances && data->nodeReaches && data->triangleBalls && positions;
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
            data->triangleBalls[t] =
                ballOfTriangle(mesh->nodes[triangle[0]], mesh->nodes[triangle[1]], mesh->nodes[triangle[2]]);
        }
        measureReaches(data, mesh);
        triQueryFree(&query, memory);
    }
    FREE_ARRAY(memory, positions, mesh->nodeCount);
    return enough ? shOk : failMemory(message);
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
    if (status == shOk && !skinOfMesh(&data->skin, memory, mesh))
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
                             data->nodeReaches,
                             data->triangleBalls,
                             &data->skin};
    return shOk;
}

void restFieldFree(RestFieldData* data, Memory* memory)
{
    FREE_ARRAY(memory, data->nodeFeatures, data->topology.nodeCount);
    FREE_ARRAY(memory, data->nodeDistances, data->topology.nodeCount);
    FREE_ARRAY(memory, data->nodeReaches, data->topology.nodeCount);
    FREE_ARRAY(memory, data->triangleBalls, data->topology.triangleCount);
    skinFree(&data->skin, memory);
    topologyFree(&data->topology, memory);
    maskGridFree(&data->maskGrid, memory);
    cellGridFree(&data->cells, memory);
    *data = (RestFieldData){0};
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/topology.h"

#include "core/message.h"

#include <stdlib.h>
#include <string.h>

const uint8_t tetEdgeEnds[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const uint8_t tetEdgeBetween[4][4] = {{255, 0, 1, 2}, {0, 255, 3, 4}, {1, 3, 255, 5}, {2, 4, 5, 255}};
const uint8_t tetFaceCorners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// A simplex by its sorted nodes, and where it was seen: 4 · tet + face, 6 · tet + edge, or ~triangle.
typedef struct Seen {
    int node[3];
    int where;
} Seen;

static int compareSeen(const void* left, const void* right)
{
    const Seen *a = left, *b = right;
    for (int i = 0; i < 3; ++i) {
        if (a->node[i] != b->node[i])
            return a->node[i] < b->node[i] ? -1 : 1;
    }
    return (a->where > b->where) - (a->where < b->where);
}

static bool sameSimplex(const Seen* a, const Seen* b) { return memcmp(a->node, b->node, sizeof(a->node)) == 0; }

static Seen seenFace(int a, int b, int c, int where)
{
    int lower = minI(a, minI(b, c)), upper = maxI(a, maxI(b, c));
    return (Seen){{lower, a ^ b ^ c ^ lower ^ upper, upper}, where};
}

static void matchFaces(TetTopology* topology, const TetMesh* mesh, Seen* seen)
{
    int count = 0;
    for (int t = 0; t < mesh->tetCount; ++t) {
        for (int f = 0; f < 4; ++f) {
            const uint8_t* corner = tetFaceCorners[f];
            const int* tet = mesh->tets[t];
            seen[count++] = seenFace(tet[corner[0]], tet[corner[1]], tet[corner[2]], 4 * t + f);
        }
    }
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int* triangle = mesh->triangles[i];
        seen[count++] = seenFace(triangle[0], triangle[1], triangle[2], ~i);
    }
    qsort(seen, (size_t)count, sizeof(Seen), compareSeen);
    // Faces come in pairs: tet and tet, or (sorted first, being negative) triangle and tet.
    for (int k = 0; k + 1 < count; k += 2) {
        int first = seen[k].where, second = seen[k + 1].where;
        topology->neighbors[second / 4][second % 4] = first < 0 ? first : first / 4;
        if (first < 0)
            topology->triangleTets[~first] = second / 4;
        else
            topology->neighbors[first / 4][first % 4] = second / 4;
    }
}

// Leaves the sorted edge sightings in `seen`.
static void numberEdges(TetTopology* topology, const TetMesh* mesh, Seen* seen)
{
    int seenCount = 6 * mesh->tetCount;
    for (int k = 0; k < seenCount; ++k) {
        const int* tet = mesh->tets[k / 6];
        int a = tet[tetEdgeEnds[k % 6][0]], b = tet[tetEdgeEnds[k % 6][1]];
        seen[k] = (Seen){{minI(a, b), maxI(a, b), 0}, k};
    }
    qsort(seen, (size_t)seenCount, sizeof(Seen), compareSeen);
    int count = 0;
    for (int k = 0; k < seenCount; ++k) {
        count += k == 0 || !sameSimplex(&seen[k - 1], &seen[k]);
        topology->tetEdges[seen[k].where / 6][seen[k].where % 6] = count - 1;
    }
    topology->edgeCount = count;
}

static void listEdges(TetTopology* topology, const TetMesh* mesh, const Seen* seen)
{
    for (int k = 0, next = 0; k < 6 * mesh->tetCount; ++k) {
        int edge = topology->tetEdges[seen[k].where / 6][seen[k].where % 6];
        topology->edgeTets[k] = seen[k].where / 6;
        if (edge < next)
            continue;
        topology->edges[edge][0] = seen[k].node[0];
        topology->edges[edge][1] = seen[k].node[1];
        topology->edgeTetStart[next++] = k;
    }
    topology->edgeTetStart[topology->edgeCount] = 6 * mesh->tetCount;
}

static void listAroundNodes(TetTopology* topology, const TetMesh* mesh)
{
    int* edgeStart = topology->nodeEdgeStart;
    int* tetStart = topology->nodeTetStart;
    for (int k = 0; k < 2 * topology->edgeCount; ++k)
        ++edgeStart[topology->edges[k / 2][k % 2] + 1];
    for (int k = 0; k < 4 * mesh->tetCount; ++k)
        ++tetStart[mesh->tets[k / 4][k % 4] + 1];
    for (int n = 0; n < mesh->nodeCount; ++n) {
        edgeStart[n + 1] += edgeStart[n];
        tetStart[n + 1] += tetStart[n];
    }
    // Fill each node's list from its end; that end then stands at the list's begin, one slot too far right.
    for (int k = 2 * topology->edgeCount - 1; k >= 0; --k) {
        int place = --edgeStart[topology->edges[k / 2][k % 2] + 1];
        topology->nodeEdges[place] = k / 2;
        topology->nodeOthers[place] = topology->edges[k / 2][1 - k % 2];
    }
    for (int k = 4 * mesh->tetCount - 1; k >= 0; --k)
        topology->nodeTets[--tetStart[mesh->tets[k / 4][k % 4] + 1]] = k / 4;
    memmove(edgeStart, edgeStart + 1, sizeof(int) * (size_t)mesh->nodeCount);
    memmove(tetStart, tetStart + 1, sizeof(int) * (size_t)mesh->nodeCount);
    edgeStart[mesh->nodeCount] = 2 * topology->edgeCount;
    tetStart[mesh->nodeCount] = 4 * mesh->tetCount;
}

// Of each node the triangles whose first corner it is, in the order in which its tetrahedra come.
static void listTriangles(TetTopology* topology, const TetMesh* mesh)
{
    int count = 0;
    for (int n = 0; n < mesh->nodeCount; ++n) {
        topology->nodeTriangleStart[n] = count;
        for (int k = topology->nodeTetStart[n]; k < topology->nodeTetStart[n + 1]; ++k) {
            for (int face = 0; face < 4; ++face) {
                int t = topology->nodeTets[k], triangle = ~topology->neighbors[t][face];
                if (triangle >= 0 && mesh->triangles[triangle][0] == n)
                    topology->nodeTriangles[count++] = triangle;
            }
        }
    }
    topology->nodeTriangleStart[mesh->nodeCount] = count;
}

shStatus topologyBuild(TetTopology* topology, Memory* memory, const TetMesh* mesh, shMessage* message)
{
    *topology =
        (TetTopology){.nodeCount = mesh->nodeCount, .tetCount = mesh->tetCount, .triangleCount = mesh->triangleCount};
    int seenCount = 6 * mesh->tetCount + mesh->triangleCount;
    Seen* seen = NEW_ARRAY(memory, Seen, seenCount);
    topology->tetEdges = memAlloc(memory, memBytes((uint64_t)mesh->tetCount, sizeof(int[6])));
    topology->neighbors = memAlloc(memory, memBytes((uint64_t)mesh->tetCount, sizeof(int[4])));
    topology->triangleTets = NEW_ARRAY(memory, int, mesh->triangleCount);
    topology->nodeEdgeStart = NEW_ZEROED(memory, int, mesh->nodeCount + 1);
    topology->nodeTetStart = NEW_ZEROED(memory, int, mesh->nodeCount + 1);
    topology->nodeTets = NEW_ARRAY(memory, int, 4 * mesh->tetCount);
    topology->edgeTets = NEW_ARRAY(memory, int, 6 * mesh->tetCount);
    topology->nodeTriangleStart = NEW_ARRAY(memory, int, mesh->nodeCount + 1);
    topology->nodeTriangles = NEW_ARRAY(memory, int, mesh->triangleCount);
    bool enough = seen && topology->tetEdges && topology->neighbors && topology->triangleTets &&
                  topology->nodeEdgeStart && topology->nodeTetStart && topology->nodeTets && topology->edgeTets &&
                  topology->nodeTriangleStart && topology->nodeTriangles;
    if (enough) {
        matchFaces(topology, mesh, seen);
        numberEdges(topology, mesh, seen);
        topology->edges = memAlloc(memory, memBytes((uint64_t)topology->edgeCount, sizeof(int[2])));
        topology->nodeEdges = NEW_ARRAY(memory, int, 2 * topology->edgeCount);
        topology->nodeOthers = NEW_ARRAY(memory, int, 2 * topology->edgeCount);
        topology->edgeTetStart = NEW_ARRAY(memory, int, topology->edgeCount + 1);
        enough = topology->edges && topology->nodeEdges && topology->nodeOthers && topology->edgeTetStart;
    }
    if (enough) {
        listEdges(topology, mesh, seen);
        listAroundNodes(topology, mesh);
        listTriangles(topology, mesh);
    }
    FREE_ARRAY(memory, seen, seenCount);
    if (!enough) {
        topologyFree(topology, memory);
        return failMemory(message);
    }
    return shOk;
}

void topologyFree(TetTopology* topology, Memory* memory)
{
    FREE_ARRAY(memory, topology->edges, topology->edgeCount);
    FREE_ARRAY(memory, topology->tetEdges, topology->tetCount);
    FREE_ARRAY(memory, topology->neighbors, topology->tetCount);
    FREE_ARRAY(memory, topology->triangleTets, topology->triangleCount);
    FREE_ARRAY(memory, topology->nodeEdgeStart, topology->nodeCount + 1);
    FREE_ARRAY(memory, topology->nodeEdges, 2 * topology->edgeCount);
    FREE_ARRAY(memory, topology->nodeOthers, 2 * topology->edgeCount);
    FREE_ARRAY(memory, topology->edgeTetStart, topology->edgeCount + 1);
    FREE_ARRAY(memory, topology->edgeTets, 6 * topology->tetCount);
    FREE_ARRAY(memory, topology->nodeTetStart, topology->nodeCount + 1);
    FREE_ARRAY(memory, topology->nodeTets, 4 * topology->tetCount);
    FREE_ARRAY(memory, topology->nodeTriangleStart, topology->nodeCount + 1);
    FREE_ARRAY(memory, topology->nodeTriangles, topology->triangleCount);
    *topology = (TetTopology){0};
}

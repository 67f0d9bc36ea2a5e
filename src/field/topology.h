// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Who touches whom in a tet mesh: edges, neighbours across faces, edges and tets around a node.
// Made once when an asset is cooked, shared by all its solids, never changed.
//
// Local numbering. Edges of a tet: 01 02 03 12 13 23. Face k lies opposite corner k.
#pragma once

#include "mesh/tet_mesh.h"

extern const uint8_t tetEdgeEnds[6][2];    // local corners of a local edge, lower first
extern const uint8_t tetEdgeBetween[4][4]; // local edge between two local corners; 255 on the diagonal
extern const uint8_t tetFaceCorners[4][3]; // corners of face k, counter-clockwise seen from outside

typedef struct TetTopology {
    int nodeCount, tetCount, edgeCount, triangleCount;
    int (*edges)[2];        // [edgeCount] node ids, lower first, sorted
    int (*tetEdges)[6];     // [tetCount]
    int (*neighbors)[4];    // [tetCount] tet across face k, or ~triangle (negative) on the boundary
    int* triangleTets;      // [triangleCount] the tet behind a boundary triangle
    int* nodeEdgeStart;     // [nodeCount + 1]
    int* nodeEdges;         // [2 · edgeCount] edges around a node, ascending
    int* nodeOthers;        // [2 · edgeCount] the nodes at their other ends
    int* edgeTetStart;      // [edgeCount + 1]
    int* edgeTets;          // [6 · tetCount] tets around an edge, ascending
    int* nodeTetStart;      // [nodeCount + 1]
    int* nodeTets;          // [4 · tetCount] tets around a node, ascending
    int* nodeTriangleStart; // [nodeCount + 1]
    int* nodeTriangles;     // [triangleCount] triangles whose first corner a node is, by their tets
} TetTopology;

// The mesh must have passed tetMeshCheck.
shStatus topologyBuild(TetTopology* topology, Memory* memory, const TetMesh* mesh, shMessage* message);
void topologyFree(TetTopology* topology, Memory* memory);

static inline int edgeOther(const TetTopology* topology, int edge, int node)
{
    const int* ends = topology->edges[edge];
    return ends[0] ^ ends[1] ^ node;
}

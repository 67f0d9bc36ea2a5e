// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The tet mesh IS the solid: its boundary is the object's surface and every piece is cut out of its tetrahedra.
// Positions are float from the start, so that everything derived from them is derived from the same numbers.
// Nodes on the surface come first.
#pragma once

#include "mesh/tri_mesh.h"

typedef struct TetMesh {
    int nodeCount, surfaceNodeCount, tetCount, triangleCount;
    Vec3* nodes;          // [nodeCount], surface nodes first
    int (*tets)[4];       // [tetCount], positive volume: (b−a)×(c−a)·(d−a) > 0
    int (*triangles)[3];  // [triangleCount] the boundary, counter-clockwise from outside
    Corner (*corners)[3]; // [triangleCount] UVs and normals of the boundary
    uint16_t* groups;     // [triangleCount] surface material slot
} TetMesh;

typedef struct TetQuality {
    double minDihedral, maxDihedral; // degrees
    double volume;                   // m³
    double minVolume;                // smallest tetrahedron, m³
    double meanEdge;                 // m
    int parts;                       // connected components (over faces)
} TetQuality;

bool tetMeshAlloc(TetMesh* mesh, Memory* memory, int nodeCount, int tetCount, int triangleCount);
void tetMeshFree(TetMesh* mesh, Memory* memory);

// Makes a tet mesh from bare nodes and tets (copied): drops unused nodes, orders surface nodes first, extracts the
// boundary, orients it. Corners get flat normals and box-projected UVs, groups 0; a generator or the cook replaces
// them. Tets of negative orientation are an error unless fixOrientation.
shStatus tetMeshBuild(TetMesh* mesh, Memory* memory, int nodeCount, const DVec3* nodes, int tetCount,
                      const int (*tets)[4], bool fixOrientation, shMessage* message);

// The same, and says where nodes came from: source[new node] = input node. `source` has room for nodeCount.
shStatus tetMeshBuildTraced(TetMesh* mesh, Memory* memory, int nodeCount, const DVec3* nodes, int tetCount,
                            const int (*tets)[4], bool fixOrientation, int* source, shMessage* message);

// Positive volumes, indices in range, every face shared by at most two tets, manifold boundary (edges and vertices),
// boundary equals `triangles`, one part. Names the first offender.
shStatus tetMeshCheck(const TetMesh* mesh, Memory* memory, shMessage* message);
// Of a checked mesh; when memory runs out, parts and meanEdge are 0.
TetQuality tetMeshQuality(const TetMesh* mesh, Memory* memory);

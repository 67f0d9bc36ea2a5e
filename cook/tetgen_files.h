// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// TetGen's files: the surface it reads (.smesh) and the nodes and tetrahedra it writes (.node, .ele).
#pragma once

#include "mesh/tri_mesh.h"

typedef struct TetgenMesh {
    int nodeCount, tetCount;
    int usedTetCount; // the first of them that are part of the solid
    DVec3* nodes;     // [nodeCount]
    int (*tets)[4];   // [tetCount]
    int* regions;     // [tetCount] number of the space between facets that the tet lies in, from 0
    int regionCount;
} TetgenMesh;

// Positions are rounded to float: TetGen must see what the tet mesh will hold.
shStatus tetgenWriteSurface(const char* path, const TriMesh* surface, shMessage* message);
shStatus tetgenReadMesh(shContext* context, const char* nodePath, const char* elePath, TetgenMesh* mesh,
                        shMessage* message);
void tetgenFreeMesh(TetgenMesh* mesh, Memory* memory);

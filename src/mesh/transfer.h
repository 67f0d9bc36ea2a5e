// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// UVs, normals and groups from one surface to another that lies on it, or close to it.
#pragma once

#include "mesh/tri_mesh.h"

typedef struct TransferTarget {
    int triangleCount;
    const DVec3 (*points)[3]; // corners of the triangles
    Corner (*corners)[3];     // written when the source has corners; null: not wanted
    uint16_t* groups;         // written when the source has groups; null: not wanted
} TransferTarget;

// False when memory runs out.
bool transferSurface(shContext* context, const TriMesh* source, const TransferTarget* target);

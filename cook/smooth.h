// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Corner normals for surfaces that come without: round where the surface bends gently, split at its creases.
#pragma once

#include "mesh/tri_mesh.h"

// Each corner gets the area-weighted mean normal of those triangles around its vertex that face less than
// COOK_CREASE away from its own. False when memory runs out.
bool smoothNormals(Memory* memory, int vertexCount, const DVec3* vertices, int triangleCount, const int (*triangles)[3],
                   Corner (*corners)[3]);

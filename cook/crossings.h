// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Whether the surface of tetrahedra runs through itself: each of them may be sound and still two parts overlap.
#pragma once

#include "mesh/tet_mesh.h"
#include "sherd/base.h"

// Pairs of surface triangles that have more in common than the corners and sides they share by index.
shStatus countCrossings(shContext* context, const TetMesh* mesh, int* count, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Tetrahedra of almost no volume, which TetGen leaves now and then, and which rounding to float can turn over.
#pragma once

#include "core/memory.h"
#include "core/vec.h"

// Rounds the nodes to float, makes all tets positive (they must agree in orientation) and moves inner nodes (surface
// nodes by no more than COOK_SURFACE_SHIFT) until every tet is COOK_MIN_TET_HEIGHT high. shBadMesh when that does not
// succeed. `mended` counts the bad ones.
shStatus mendSlivers(Memory* memory, int nodeCount, DVec3* nodes, int tetCount, int (*tets)[4], int* mended,
                     shMessage* message);

// The smallest height of the tetrahedron; negative when it is turned over.
double tetHeight(DVec3 a, DVec3 b, DVec3 c, DVec3 d);

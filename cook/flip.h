// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Swaps edges of a closed surface for the other diagonal where that makes triangles rounder or undoes a fold.
// Decimation leaves needles and folds, and what is sharp on the surface stays sharp in every tetrahedron on it.
#pragma once

#include "mesh/tri_mesh.h"

// Vertices stay; corners and groups are not touched, so this comes before them. The surface must be closed, two
// triangles to an edge; others are left alone. Returns the number of swaps, −1 when memory runs out.
int flipEdges(TriMesh* mesh, Memory* memory);

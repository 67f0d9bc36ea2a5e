// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which way triangles face, for files that got it wrong.
#pragma once

#include "mesh/tri_mesh.h"

// Turns triangles of a closed surface (two to every edge) until neighbours agree and every shell that had to be mended
// faces outwards. A surface that agrees with itself but is inside out as a whole is turned too. Leaves others alone:
// open ones, and those that have only one side. False when memory runs out.
bool orientSurface(TriMesh* mesh, Memory* memory);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Brings UVs, normals and surface slots from the surface a solid was made from to the boundary of its tetrahedra (X7).
#pragma once

#include "core/context.h"
#include "mesh/tet_mesh.h"

// Each boundary triangle takes after the closest triangle of `source`, which has corners and groups: its slot as it is,
// its UVs and normals continued linearly. Where both surfaces are the same the values are the same, up to rounding.
shStatus transferCorners(const shContext* context, TetMesh* mesh, const TriMesh* source, shMessage* message);

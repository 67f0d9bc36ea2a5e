// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What collision and breaking need of an asset beyond its arrays: topology, point location, node distances, the sphere
// tree and the cones of the surface's normals. Worked out when the asset is opened, shared by all its solids.
#pragma once

#include "field/rest_field.h"
#include "solid/samples.h"
#include "tree/sphere_tree.h"

typedef struct Rest {
    RestFieldData field;
    TreePoint* tree; // [nodeCount]
    int treeRoot;
    NormalCone* cones;    // [nodeCount] of mesh nodes; inside nodes face everywhere
    SampleGroups samples; // of the whole surface
} Rest;

// `mesh` must outlive it.
shStatus restBuild(Rest* rest, const shContext* context, Memory* memory, const TetMesh* mesh, shMessage* message);
void restFree(Rest* rest, Memory* memory);

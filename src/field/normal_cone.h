// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A sample's outward directions: all that lie between a few normals, those of the faces that meet in it. A surface that
// touches it must look against one of them.
#pragma once

#include "core/vec.h"

enum { coneNormals = 4 };

typedef struct NormalCone {
    Vec3 normals[coneNormals]; // unit
    int count;                 // 0: faces everywhere
} NormalCone;

// Around a node, from zero: add the unit normals of its faces, then seal. Those of about one direction become one; with
// too many left the cone faces everywhere.
void coneAdd(NormalCone* cone, Vec3 normal);
void coneSeal(NormalCone* cone);

// Of a cut point on the side of `node`: along its edge, away from the node, about across the crack; and the normals of
// the faces that both ends of the edge lie on, as then the point does.
NormalCone coneOfCut(const NormalCone* own, const NormalCone* other, Vec3 node, Vec3 otherNode);

// The same in another frame.
NormalCone coneTurn(const NormalCone* cone, Mat3 rotation);

// Does a surface with this normal (of any length) look against the cone?
bool coneFaces(const NormalCone* cone, Vec3 normal);

// The directions that decide it, of any length: one of the normals, between two, or in the middle of all.
enum { coneDirections = coneNormals + coneNormals * (coneNormals - 1) / 2 + 1 };
int coneGetDirections(const NormalCone* cone, Vec3 directions[coneDirections]);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What stands behind shInnerSpheres: a tree and the surface it was made from. Both may live elsewhere, in an asset.
#pragma once

#include "sherd/proximity.h"
#include "tree/inner_surface.h"

// Another way to a surface, where there are no arrays of triangles: its closest point. False: there is none.
typedef bool InnerClosest(const void* user, int piece, Vec3 p, Vec3* point);

// Packs a surface and builds the tree; `def` as in the public interface.
shStatus innerTreeOfSurface(InnerTree* tree, shContext* context, const shTriangles* surface, const shInnerDef* def,
                            shMessage* message);

// Takes the tree over, also when it fails, and copies the surface.
shStatus innerObjectMake(shContext* context, InnerTree* tree, const shTriangles* surface, shInnerSpheres** spheres,
                         shMessage* message);

struct shInnerSpheres {
    shContext* context;
    InnerTree tree;
    InnerSurface surface;  // no triangles: not known
    InnerClosest* closest; // or null
    const void* closestUser;
    int closestPiece;          // of the solid that `closestUser` is
    bool ownsTree, ownsArrays; // tree; points and triangles of the surface
};

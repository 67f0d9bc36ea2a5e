// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Exact questions to meshes whose triangles are the items of a box tree: which triangles meet, in one mesh or in two,
// and what a ray hits (Otaduy et al. 2007, section 5). Answers do not depend on the shape of the tree, and are those of
// asking every triangle: whether two triangles meet is decided without rounding, for slivers, segments and points too.
#pragma once

#include "sherd/box_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

// Item i of the tree is triangles[i]. Numbers that are not in the tree are not looked at.
typedef struct shTriangles {
    int pointCount, triangleCount;
    const shVec3* points;
    const int (*triangles)[3];
} shTriangles;

// Boxes of triangles[begin] … before triangles[end], boxes[0] first. An error where an index is out of range or a point
// is not finite: what has passed may be asked below.
SH_API shStatus shTriangleBoxes(const shTriangles* mesh, int begin, int end, shBox* boxes, shMessage* message);

// Pairs of triangles with a point in common, each once: all, or until the visitor returns false. `frame` places b in
// the frame of a; its points are rounded there. An error when a mesh has fewer triangles than the tree has items.
SH_API shStatus shTriangles_Collide(const shBoxTree* treeA, const shTriangles* a, const shBoxTree* treeB,
                                    const shTriangles* b, const shTransform* frame, shBoxPairFn* visit, void* user,
                                    shMessage* message);
// Pairs of one mesh with more in common than the corners and sides that they share by index. Pairs of the same three
// corners count.
SH_API shStatus shTriangles_CollideSelf(const shBoxTree* tree, const shTriangles* mesh, shBoxPairFn* visit, void* user,
                                        shMessage* message);

typedef struct shTriangleHit {
    int item;         // -1: nothing is hit
    float fraction;   // of the translation; 1 if nothing is hit
    float weights[3]; // of the corners
    shVec3 point;
} shTriangleHit;

// The first triangle on the way from `origin` to `origin` + `translation`, from either side; of equally near ones that
// with the smallest number. No ray slips through between triangles that share a side. A triangle seen along its plane
// is not hit.
SH_API shStatus shTriangles_CastRay(const shBoxTree* tree, const shTriangles* mesh, shVec3 origin, shVec3 translation,
                                    shTriangleHit* hit, shMessage* message);
// Whether there is any.
SH_API shStatus shTriangles_CastRayAny(const shBoxTree* tree, const shTriangles* mesh, shVec3 origin,
                                       shVec3 translation, bool* hits, shMessage* message);

#ifdef __cplusplus
}
#endif

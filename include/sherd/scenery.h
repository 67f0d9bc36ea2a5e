// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Static scenery from any triangle mesh: a terrain, a room, a heap of loose triangles. It never changes and may be read
// from any number of threads at once.
//
// Which side is solid. Triangles face the side from which they turn counter-clockwise. Of a closed mesh (two triangles
// to every edge, turning alike) everything behind the surface is solid: a rock, or the world around a room. Of any
// other mesh it is a layer of the given thickness (no more than the piece's size) behind each triangle: a sample within
// it is pushed out to the front, one below meets its underside. Beyond the rim of an open mesh nothing is solid. A
// triangle given twice with opposite turns is a sheet without thickness, which pushes to the side a sample is on. Faces
// hidden inside other parts of the mesh weaken it there: what is near them looks outside.
//
// Points that coincide are one, wherever they stand in the list. Duplicate triangles and those without area are left
// out and counted.
#pragma once

#include "sherd/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shSceneryDef {
    int pointCount, triangleCount;
    const shVec3* points;      // m
    const int (*triangles)[3]; // counter-clockwise seen from the open side
    float thickness;           // of the solid layer behind an open mesh, m; 0: 0.1
    uint32_t cookie;
} shSceneryDef;
SH_API shSceneryDef shDefaultSceneryDef(void);

// The arrays of the definition are copied.
SH_API shStatus shCreateScenery(shContext* context, const shSceneryDef* def, shScenery** scenery, shMessage* message);
SH_API void shDestroyScenery(shScenery* scenery); // null is fine

typedef struct shSceneryInfo {
    shBox box;
    int triangleCount;    // kept
    int degenerateCount;  // left out: no area
    int duplicateCount;   // left out: there already, turning alike
    int openEdgeCount;    // edges of one triangle
    int crowdedEdgeCount; // edges of more than two, of two that turn against each other, of sheets
    int ridgeCount;       // edges and corners that can poke into a piece
    bool closed;
    int64_t bytes;
    uint64_t contentHash; // of what it was made of: equal for equal definitions
} shSceneryInfo;
SH_API shSceneryInfo shScenery_GetInfo(const shScenery* scenery);

// Contacts of a piece with scenery, which takes the part of B: as shCollide. Besides the piece's samples, points on the
// scenery's convex edges and corners are tested against the piece, the deepest few at most half of the contacts.
SH_API shStatus shCollideScenery(shQuery* query, const shCollideDef* def, const shCollider* a, const shScenery* scenery,
                                 shTransform transform, shPair* pair, const shContact** contacts, int* contactCount,
                                 shMessage* message);
// Of an analytic shape: its samples against the scenery, at most maxContacts, SH_FIRST_CONTACTS if that is 0.
SH_API shStatus shCollideShapeScenery(shQuery* query, const shCollideDef* def, const shShape* a, shTransform aTransform,
                                      const shScenery* scenery, shTransform bTransform, const shContact** contacts,
                                      int* contactCount, shMessage* message);
// The first touch of a moving piece with scenery at rest: as shSweep.
SH_API shStatus shSweepScenery(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                               const shScenery* scenery, shTransform transform, shSweepHit* hit, shMessage* message);
// Of an analytic shape, its samples alone.
SH_API shStatus shSweepShapeScenery(shQuery* query, const shSweepDef* def, const shShape* a, shTransform aTransform,
                                    const shMotion* aMotion, const shScenery* scenery, shTransform transform,
                                    shSweepHit* hit, shMessage* message);

#ifdef __cplusplus
}
#endif

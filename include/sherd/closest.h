// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The closest point of something to a given one, and what lies in a ball or a box. Nothing is written but the answer:
// any number of threads may ask at once, of a solid as long as it does not break.
#pragma once

#include "sherd/scenery.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shClosestPoint {
    bool found;     // there is a surface nearer than the radius; else all is zero
    float distance; // m; negative: the given point lies in the material
    shVec3 point;   // world, on the surface
    shVec3 normal;  // world, unit: from the surface to the given point, or the other way when that is inside
    int slot;       // pieces: of the asset's surface, -1 where a crack has opened it
    int feature;    // as in shRayHit
} shClosestPoint;

// Exact for any radius, infinity included. It costs what the distance costs: a look at the cells within it.
SH_API shStatus shClosest(const shCollider* collider, shVec3 point, float radius, shClosestPoint* closest,
                          shMessage* message);
SH_API shStatus shClosestOnShape(const shShape* shape, shTransform transform, shVec3 point, float radius,
                                 shClosestPoint* closest, shMessage* message);
SH_API shStatus shClosestOnScenery(const shScenery* scenery, shTransform transform, shVec3 point, float radius,
                                   shClosestPoint* closest, shMessage* message);

// Does the material come into the ball or the box? Exact.
SH_API shStatus shOverlapSphere(const shCollider* collider, shVec3 centre, float radius, bool* overlaps,
                                shMessage* message);
SH_API shStatus shOverlapBox(const shCollider* collider, shVec3 halfExtent, shTransform transform, bool* overlaps,
                             shMessage* message);
SH_API shStatus shOverlapBoxShape(const shShape* shape, shTransform shapeTransform, shVec3 halfExtent,
                                  shTransform transform, bool* overlaps, shMessage* message);
// The same for scenery: its triangles, and what is solid behind them.
SH_API shStatus shOverlapBoxScenery(const shScenery* scenery, shTransform sceneryTransform, shVec3 halfExtent,
                                    shTransform transform, bool* overlaps, shMessage* message);

#ifdef __cplusplus
}
#endif

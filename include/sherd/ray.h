// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rays: what a straight line meets first. Nothing is written but the hit: any number of threads may cast rays at once,
// at a solid as long as it does not break.
#pragma once

#include "sherd/scenery.h"

#ifdef __cplusplus
extern "C" {
#endif

// From `origin` to `origin` + `translation`, world, m.
typedef struct shRay {
    shVec3 origin, translation;
} shRay;

typedef struct shRayHit {
    bool hits;      // the surface, from outside or from inside
    bool inside;    // the origin lies in the material; then the ray leaves it where it hits
    float fraction; // of the translation; 1 if nothing is hit
    shVec3 point;   // world
    shVec3 normal;  // world, unit, out of the material
    int slot;       // pieces: of the asset's surface, -1 where a crack has opened it
    int feature;    // scenery: triangle of its definition; pieces: what of the surface, until the solid breaks again
} shRayHit;

// A piece's closed surface is hit exactly: nothing slips through between its triangles, inside or out.
SH_API shStatus shRayCast(const shCollider* collider, const shRay* ray, shRayHit* hit, shMessage* message);
SH_API shStatus shRayCastShape(const shShape* shape, shTransform transform, const shRay* ray, shRayHit* hit,
                               shMessage* message);
// Triangles are hit from both sides. The normal is that of their front. Only closed scenery has an inside.
SH_API shStatus shRayCastScenery(const shScenery* scenery, shTransform transform, const shRay* ray, shRayHit* hit,
                                 shMessage* message);

#ifdef __cplusplus
}
#endif

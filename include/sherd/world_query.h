// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What is where in a world: rays, overlaps, closest surfaces; and its insides, drawn.
//
// Nothing is changed: any number of threads may ask at once between steps. What has been created, moved or broken since
// the last step is seen where it is now. Answers do not hang on the number of workers or the order of calls.
#pragma once

#include "sherd/closest.h"
#include "sherd/proximity.h"
#include "sherd/ray.h"
#include "sherd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bodies count whose category is in the mask, and whose mask has one of the categories. Groups do not matter.
typedef struct shQueryFilter {
    uint32_t category, mask;
} shQueryFilter;
SH_API shQueryFilter shDefaultQueryFilter(void); // everything

typedef struct shBodyRayHit {
    shBodyId body; // zero: nothing is hit
    shRayHit at;
} shBodyRayHit;

// The first surface along a ray; of several at once, the body with the lowest index.
SH_API shStatus shWorld_CastRay(const shWorld* world, const shRay* ray, shQueryFilter filter, shBodyRayHit* hit,
                                shMessage* message);
// The first surface of every body along a ray, in the order they are met. Return false to end.
typedef bool shRayVisitor(const shBodyRayHit* hit, void* user);
SH_API shStatus shWorld_CastRayAll(const shWorld* world, const shRay* ray, shQueryFilter filter, shRayVisitor* visit,
                                   void* user, shMessage* message);

// Bodies with material in a ball or a box, by index. Return false to end.
typedef bool shBodyVisitor(shBodyId body, void* user);
SH_API shStatus shWorld_OverlapSphere(const shWorld* world, shVec3 centre, float radius, shQueryFilter filter,
                                      shBodyVisitor* visit, void* user, shMessage* message);
SH_API shStatus shWorld_OverlapBox(const shWorld* world, shVec3 halfExtent, shTransform transform, shQueryFilter filter,
                                   shBodyVisitor* visit, void* user, shMessage* message);

typedef struct shBodyClosest {
    shBodyId body; // zero: there is no surface within the radius
    shClosestPoint at;
} shBodyClosest;
// The surface closest to a point, from outside or inside.
SH_API shStatus shWorld_FindClosest(const shWorld* world, shVec3 point, float radius, shQueryFilter filter,
                                    shBodyClosest* closest, shMessage* message);

// ---- debug draw -----------------------------------------------------------------------------------------------------

// What to draw.
enum {
    shDrawBoxes = 1,     // around bodies, rest axes
    shDrawSurfaces = 2,  // of bodies, as triangles
    shDrawCentres = 4,   // of mass, with the axes of inertia of what is dynamic
    shDrawContacts = 8,  // points and normals
    shDrawImpulses = 16, // along the normals, `impulseScale` long per N·s of the last step
    shDrawDrags = 32,    // from the body's point to the target
};

// Colours: 0xRRGGBB. Bodies: static grey, kinematic blue, awake orange, asleep violet. Callbacks that are null are left
// out.
typedef struct shDebugDraw {
    void (*line)(shVec3 from, shVec3 to, uint32_t colour, void* user);
    void (*point)(shVec3 at, uint32_t colour, void* user);
    void (*triangle)(const shVec3 corners[3], uint32_t colour, void* user);
    void* user;
    int what;           // any of the above, added
    float impulseScale; // m per N·s
    float axisScale;    // m
} shDebugDraw;
SH_API void shWorld_Draw(const shWorld* world, const shDebugDraw* draw);

// A body's inner spheres where the body is, for the queries of sherd/proximity.h: those of its asset while its solid is
// whole, else pieces[piece] of the `pieces` that shCreatePieceSpheres has made of the solid since it last broke (null
// and 0 are fine while it is whole). shInvalid: no such body, not of a solid, or without spheres.
SH_API shStatus shBody_GetInnerBody(const shWorld* world, shBodyId body, shInnerSpheres* const* pieces, int pieceCount,
                                    shInnerBody* inner, shMessage* message);

#ifdef __cplusplus
}
#endif

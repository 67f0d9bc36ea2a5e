// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The first touch of two moving things (X1): for bodies so fast that contacts at the end of a step would come too late.
//
// A touch is what shCollide would call one: a sample of one within the tolerance of the other, a sphere's or capsule's
// core within its radius. Edges that cross between samples are not looked for. A sweep never passes the first touch:
// what it says is early by at most the tolerance, never late. Where it cannot be sure within the number of probes
// allowed it says "here" (`cut`), not "nowhere".
//
// What it costs: a probe is a look at one sample at one time, a fraction of a microsecond. In the open, and near an
// unbroken solid, steps are as long as the distance to it; within the box of a piece of a broken solid, where nothing
// farther than the field's band is known, they are no longer than that band (some three eighths of a mesh edge).
#pragma once

#include "sherd/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a body moves from the transform it has: its centre along a line, itself about the centre, both at constant speed.
// Zero: it stays.
typedef struct shMotion {
    shVec3 centre; // what it turns about, rest frame, m
    shVec3 shift;  // of the centre, world, m
    shVec3 turn;   // axis · angle, world, rad; may be more than half a turn
} shMotion;
// By the shorter way from one transform to another.
SH_API shMotion shMotionBetween(shTransform start, shTransform end, shVec3 centre);
// Where a body is after a fraction of its motion.
SH_API shTransform shMotion_GetTransform(const shMotion* motion, shTransform start, float fraction);

typedef struct shSweepDef {
    float tolerance; // distance that counts as a touch, m; 0: 0.2 % of the smaller one's radius. At most half the band
    float depth[2];  // m; samples of A, of B are let in so deep before they count as touching; infinity: not at all
    int maxProbes;   // 0: 4096
    uint32_t cookie;
} shSweepDef;
SH_API shSweepDef shDefaultSweepDef(void);

typedef struct shSweepHit {
    bool touches; // if not, fraction is 1 and the rest zero
    bool cut;     // too many probes: they may touch from here on, but nobody has seen it; distance is zero, the normal
                  // against the motion
    float fraction; // of the motion, 0 … 1; 0 if they overlap to begin with
    shVec3 point;   // world, then: the sample, on its own body
    shVec3 normal;  // world, unit: from B to A
    float distance; // m, at most the tolerance; negative only at fraction 0
    uint32_t id;    // as in shContact
    int probes;     // looked at
} shSweepHit;

// Both start at their colliders' transforms.
SH_API shStatus shSweep(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                        const shCollider* b, const shMotion* bMotion, shSweepHit* hit, shMessage* message);
// The same against an analytic shape, which takes the part of B.
SH_API shStatus shSweepShape(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                             const shShape* shape, shTransform transform, const shMotion* shapeMotion, shSweepHit* hit,
                             shMessage* message);
// The same of two analytic shapes.
SH_API shStatus shSweepShapes(shQuery* query, const shSweepDef* def, const shShape* a, shTransform aTransform,
                              const shMotion* aMotion, const shShape* b, shTransform bTransform,
                              const shMotion* bMotion, shSweepHit* hit, shMessage* message);

#ifdef __cplusplus
}
#endif

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Queries to a pair of inner sphere trees (Weller, Zachmann 2009, section 4). Work is done in the frame of a; trees
// are only read, and everything that changes is in the caller's structs.
#pragma once

#include "tree/inner_tree.h"

// Takes points of b to a's frame: rows of a rotation, and a translation.
typedef struct InnerFrame {
    float rows[3][3];
    float offset[3];
    float slack; // m; more than rounding can change any distance between a and b
} InnerFrame;

InnerFrame innerFrame(const InnerTree* a, shTransform poseA, const InnerTree* b, shTransform poseB);

// Exactly what the kernels do, for one sphere.
static inline Vec3 innerMove(const InnerFrame* frame, Vec3 p)
{
    const float(*r)[3] = frame->rows;
    return vec3(r[0][0] * p.x + r[0][1] * p.y + r[0][2] * p.z + frame->offset[0],
                r[1][0] * p.x + r[1][1] * p.y + r[1][2] * p.z + frame->offset[1],
                r[2][0] * p.x + r[2][1] * p.y + r[2][2] * p.z + frame->offset[2]);
}
static inline float innerApart(const InnerFrame* frame, const InnerSphere* a, const InnerSphere* b)
{
    Vec3 offset = vSub(innerCentre(a), innerMove(frame, innerCentre(b)));
    return sqrtf(vLength2(offset)) - (a->radius + b->radius);
}

// ---- distance (W3) --------------------------------------------------------------------------------------------------

typedef struct InnerClose { // a pair of spheres
    float distance;
    int a, b;
} InnerClose;

enum { innerCloseMost = 32 };

// Nearer, or as near and first in the order of the trees.
static inline bool innerIsCloser(const InnerClose* p, const InnerClose* q)
{
    return p->distance < q->distance || (p->distance == q->distance && (p->a < q->a || (p->a == q->a && p->b < q->b)));
}

typedef struct InnerNearest {
    const InnerTree *a, *b;
    InnerFrame frame;
    // In and out: the least distance so far, and its pair of spheres (-1: none yet, only a limit).
    float distance;
    int sphereA, sphereB;
    float enough;  // m; ends as soon as the distance is below that
    int64_t tests; // pairs of spheres looked at, added to
    // With a margin: the pairs that are no farther than the nearest and the margin, itself included, in any order; the
    // nearest of them if there are more.
    float margin; // m
    int closeCount;
    InnerClose close[innerCloseMost];
} InnerNearest;

// The nearest pair of spheres that is nearer than `distance`.
SIMD_DECLARE(void, innerFindNearest, (InnerNearest * nearest));

// ---- penetration volume (W4) ----------------------------------------------------------------------------------------

// Sums over pairs of volume spheres. The force is −∂V/∂(position of b) per unit of pressure, the torque on b is about
// the origin of a's frame, all in a's frame.
typedef struct InnerOverlap {
    const InnerTree *a, *b;
    InnerFrame frame;
    bool wantForce;
    double volume;        // m³
    double force[3];      // m²
    double torque[3];     // m³
    double centre[3];     // m³: Σ area · place of where the spheres' surfaces cross
    double area;          // m²: Σ of those circles
    int64_t tests, pairs; // pairs of spheres looked at, and pairs of volume spheres that overlap
    // The first pairs, with the triangles that these spheres are nearest to: a partial list of what intersects.
    int (*list)[2]; // [listRoom] numbers of spheres, or null
    int listRoom, listCount;
} InnerOverlap;

SIMD_DECLARE(void, innerSumOverlap, (InnerOverlap * overlap));

// Eight intersections of spheres of radii r and s whose centres are d apart: 0 where they do not meet, the smaller
// sphere where it is inside the other.
static inline F8 innerLens(F8 r, F8 s, F8 d)
{
    const F8 pi = f8Set(3.14159265f);
    F8 sum = f8Add(r, s), difference = f8Sub(r, s), least = f8Min(r, s), gap = f8Sub(sum, d);
    // π (r + s − d)² (d² + 2 d (r + s) − 3 (r − s)²) / 12 d
    F8 form = f8Sub(f8Mul(d, f8Add(d, f8Add(sum, sum))), f8Mul(f8Set(3.0f), f8Mul(difference, difference)));
    F8 lens = f8Div(f8Mul(f8Mul(pi, f8Mul(gap, gap)), form), f8Mul(f8Set(12.0f), d));
    F8 whole = f8Mul(f8Mul(f8Set(4.18879020f), least), f8Mul(least, least));
    F8 volume = f8Select(f8LessEqual(d, f8Abs(difference)), whole, lens);
    return f8Select(f8Less(d, sum), volume, f8Zero());
}

// ---- penetration volume in limited time (W5) ------------------------------------------------------------------------

typedef enum InnerPriority {
    innerByGain,     // Vol(R ∩ S) − expected overlap one level down
    innerByVolume,   // Vol(R ∩ S)
    innerByChildren, // as byVolume; the estimate is the plain sum over child pairs (equation 5)
} InnerPriority;

typedef struct InnerWaiting {
    float priority;
    int order; // of arrival: of equals, the first comes first
    int a, b;
    double estimate, most; // m³
} InnerWaiting;

typedef struct InnerTimed {
    const InnerTree *a, *b;
    InnerFrame frame;
    InnerPriority rule;
    int64_t budget; // pairs of spheres to look at
    // Asked now and then whether time is up; null: never.
    bool (*late)(void* user);
    void* lateUser;
    InnerWaiting* heap; // [heapRoom] scratch; when it is full the estimate stands
    int heapRoom, heapCount, arrived;
    double estimate, lower, upper; // m³
    bool whole;                    // nothing was left out: the estimate is the volume
    int64_t tests;
} InnerTimed;

SIMD_DECLARE(void, innerEstimateOverlap, (InnerTimed * timed));

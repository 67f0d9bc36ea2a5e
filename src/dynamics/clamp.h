// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Impulses that add no energy (S3; Su §3). Scaling a set of impulses by ε changes the kinetic energy by
//   ε · work + ε² · cost,   work = Σ impulse · velocity of one side relative to the other, where it acts, before it
//   acts
//                           cost = Σ over bodies: the energy of what they receive, if they were at rest
// so that energy is kept at ε = −work / cost. From 1 on nothing need be done; below, the impulses are scaled; at 0 or
// less they do nothing but push and are dropped.
//
// Relative velocity is all that counts. That is why a kinematic partner needs no case of its own: with no inverse mass
// but its velocity, the same formula says what happens seen from it, and an elevator lifts.
//
// Which state: velocities AFTER external forces and BEFORE the impulses; inertia and orientation of the same time, from
// before positions move. Impulse and lever may be of a later one. What is clamped is an increment of the solver against
// the velocities it is added to (clampImpulse), or all impulses of an island against the velocities before all of them
// (Clamp). Never the total of one contact among several: the other contacts carry part of what it appears to push. In a
// stack of ten boxes the lowest one's would be cut to a fifth, and against velocities from before gravity to nothing;
// the stack would sink. Passes that only move positions are not clamped.
#pragma once

#include "core/vec.h"

typedef struct ClampSide {
    float inverseMass;   // 1/kg; 0 when static or kinematic
    Mat3 inverseInertia; // 1/(kg·m²), world frame; likewise
    Vec3 velocity;       // m/s, of the centre; 0 when static
    Vec3 spin;           // rad/s
    Vec3 lever;          // m, from the centre to where the impulse acts
} ClampSide;

// The scale, 0 to 1, for an impulse (N·s, at the lever) and a twist (N·m·s), which `a` gets and `b` gets reversed.
float clampImpulse(const ClampSide* a, const ClampSide* b, Vec3 impulse, Vec3 twist);

// For many impulses at once: start from zero, add every impulse with the relative velocity it meets, then every body
// that can move with the sum of what it receives, in a fixed order.
typedef struct Clamp {
    double work, cost; // J
} Clamp;

static inline void clampAddImpulse(Clamp* clamp, Vec3 impulse, Vec3 relativeVelocity)
{
    clamp->work += (double)vDot(impulse, relativeVelocity);
}
static inline void clampAddBody(Clamp* clamp, float inverseMass, const Mat3* inverseInertia, Vec3 momentum,
                                Vec3 angularMomentum)
{
    float turning = vDot(angularMomentum, mMul(*inverseInertia, angularMomentum));
    clamp->cost += 0.5 * (double)(inverseMass * vLength2(momentum) + turning);
}
// The scale for all of them.
double clampScale(const Clamp* clamp);

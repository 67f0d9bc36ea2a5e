// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The contact solver: soft constraints in substeps (METHODS: soft step), eight pairs of bodies at a time.
//
// Pairs are coloured so that no two of one colour share a moving body; eight pairs of a colour make a group, one per
// lane, whatever the SIMD width. A group walks through its pairs' contacts with the bodies' velocities in registers.
// Groups of a colour run on all workers, colours one after the other: the result hangs on nothing but the order of the
// pairs.
//
// Per substep: velocities (gravity, damping) → warm start → solve with soft bias → positions → relax without bias; at
// the end bounces.
#pragma once

#include "core/simd.h"
#include "core/vec.h"

enum { lanes = 8 };

// What the solver changes of a body, one cache line. Displacements since the start of the step.
typedef struct BodyState {
    float velocity[3], unused0;
    float angular[3], unused1; // rad/s
    float shift[3], unused2;   // of the centre, m
    float turn[3], unused3;    // axis · angle, rad
} BodyState;

// The next contact of each of eight pairs. Levers and normals are those at the start of the step.
typedef struct ContactLanes {
    float normal[3][lanes];  // from B to A
    float tangent[3][lanes]; // any unit vector across it; the other one is normal × tangent
    float leverA[3][lanes], leverB[3][lanes];
    float gap[lanes]; // m, at the start
    float normalMass[lanes], tangentMass[2][lanes];
    float impulse[lanes], friction[2][lanes]; // N·s, of one substep
    float total[lanes];                       // N·s along the normal, over the step
    float approach[lanes];                    // m/s along the normal, before the step; negative: closing
} ContactLanes;

typedef struct PairGroup {
    int bodyA[lanes], bodyB[lanes];  // states; the last state stands for all that does not move
    int pairs[lanes];                // −1: no pair in this lane
    int first, count;                // contacts: as many as the pair with most has; the others' are empty
    _Alignas(64) float massA[lanes]; // inverse, 1/kg
    float massB[lanes];
    float inertiaA[6][lanes], inertiaB[6][lanes]; // inverse, world: xx yy zz xy xz yz
    float coulomb[lanes], restitution[lanes];
    float slop[lanes];                                            // m
    float biasRate[lanes], massScale[lanes], impulseScale[lanes]; // softness
} PairGroup;

typedef struct SolverStep {
    BodyState* states;
    PairGroup* groups;
    ContactLanes* contacts;
    float substep, inverse; // s, 1/s
    float pushSpeed, bounceSpeed;
    int sweeps; // over the contacts of a pair, at most, while an impulse changes a speed by more than
    float calm; // m/s
} SolverStep;

// Over groups [begin, end): apply the impulses of the last substep; one round of impulses, with or without bias; the
// bounces of the whole step.
SIMD_DECLARE(void, solverWarmStart, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverSolve, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverRelax, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverBounce, (const SolverStep* step, int begin, int end));

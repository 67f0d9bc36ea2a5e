// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The contact solver: velocities in substeps, then positions, eight pairs of bodies at a time.
//
// Pairs are coloured so that no two of one colour share a moving body; eight pairs of a colour make a group, one per
// lane, whatever the SIMD width and whatever their islands. A group walks through its pairs' contacts with the bodies'
// velocities in registers. Groups of a colour run on all workers, colours one after the other: the result hangs on
// nothing but the order of the pairs.
//
// Nor does a lane's result hang on lanes of other islands beside it (X16): those whose islands have converged are
// masked.
//
// Per substep: velocities (gravity, damping) → warm start → rounds of impulses → positions. After all of them what
// penetrates is pushed out: places alone, never velocities, so that pushing makes no motion. At the end bounces.
//
// A bounce gives back at most what the step has taken from its two bodies (S3): velocities without it make no energy,
// so velocities with it make none.
//
// Rounds go on where impulses still change. A body that a group has changed gets the time of that as its version; a
// group of a large island none of whose bodies has a later version than itself has nothing to do. A heap at rest is
// through after one round, a stack that has just been built takes as many as it needs. Where the first rounds do not
// suffice the impulses get momentum, more and more (Nesterov 1983), until a round goes against it (O'Donoghue and
// Candès 2015): a tenth of the rounds for a stack of ten. Conjugate gradients (Silcowitz et al. 2010) began anew in
// every other round. How many rounds, how exact, and how much momentum is up to each island (islands.h).
#pragma once

#include "core/simd.h"
#include "core/vec.h"
#include "dynamics/islands.h"

enum { lanes = 8 };

// Velocities of a body before a substep's impulses.
typedef struct BodyStart {
    float velocity[3], angular[3];
    float ease; // its mass over the one it has in eased rounds: 1 or less
} BodyStart;

// What the solver changes of a body, one cache line, read and written by halves. Displacements since the start of the
// step.
typedef struct BodyState {
    float velocity[3];
    float version;    // when contacts last changed it: a whole number
    float angular[3]; // rad/s
    float until;      // s: when it comes up against a body that waits to break; what is behind that is out of reach
    float shift[3];   // of the centre, m
    float pushed;     // how far of it down, before contacts were pushed apart, m
    float turn[3];    // axis · angle, rad
    float spare;      // J that the step has taken from it
} BodyState;

// The next contact of each of eight pairs. Normals are those at the start of the step, levers those
// at the start of the substep.
typedef struct ContactLanes {
    float normal[3][lanes];  // from B to A
    float tangent[3][lanes]; // any unit vector across it; the other one is normal × tangent
    float leverA[3][lanes], leverB[3][lanes];
    float gap[lanes];  // m, at the start
    float open[lanes]; // m/s that close the gap in this substep; 0 where there is none
    float normalMass[lanes], tangentMass[2][lanes];
    float impulse[lanes], friction[2][lanes]; // N·s, of one substep
    float total[lanes];                       // N·s along the normal, over the step
    float approach[lanes];                    // m/s along the normal, before the step; negative: closing
    float before[3][lanes];                   // impulse and friction before the round
    float momentum[3][lanes];                 // and how far rounds have changed them
} ContactLanes;

// What rounds need to know of a contact's directions: normal, tangent, and across both. It is the same in all rounds of
// a solve, and kept where it does not crowd the caches.
typedef struct AimLanes {
    _Alignas(64) float along[3][3][lanes];        // from B to A
    float armA[3][3][lanes], armB[3][3][lanes];   // lever × direction
    float spinA[3][3][lanes], spinB[3][3][lanes]; // angular velocities that a unit impulse gives
    float mass[3][lanes];                         // kg
} AimLanes;

typedef struct PairGroup {
    int bodyA[lanes], bodyB[lanes];  // states; the last state stands for all that does not move
    int pairs[lanes];                // −1: no pair in this lane
    int first, count;                // contacts: as many as the pair with most has; the others' are empty
    bool aimed;                      // its contacts' aims are known
    bool whole;                      // every round solves it, whether something has changed its bodies or not
    bool solved;                     // the last round has; else it had nothing to do
    bool fresh;                      // its impulses have no momentum yet
    bool uniform;                    // all pairs are of one island
    float version;                   // when its impulses last changed no more
    int island[lanes];               // the last state: no pair
    bool bounces;                    // some of its contacts meet fast enough
    bool limited;                    // some of its pairs have a limit
    bool special;                    // some of its contacts are of things to come, or lead out of a jam
    _Alignas(64) float massA[lanes]; // inverse, 1/kg
    float massB[lanes];
    float inertiaA[6][lanes], inertiaB[6][lanes]; // inverse, world: xx yy zz xy xz yz
    float tolerance[lanes];                       // m/s, as its island's
    float along[lanes];  // J: what the last round has changed of impulses, along their momentum
    float scaled[lanes]; // 1: its island has bodies that count as heavier at first; else 0
    float coulomb[lanes], restitution[lanes];
    float slop[lanes];    // m
    float place[lanes];   // where impulses act: 1 at A's place, −1 at B's, 0 at each one's own
    float slid[3][lanes]; // how far A had moved against B when levers were last made to meet there, m
    float limit[lanes]; // N·s along the normals that is left of what a pair may pass on in this step; mostly infinite
    float work[lanes];  // J: impulses · relative velocities after them
    float even[lanes];  // 1: both give way, and stand on something that does not; else 0
    float easeA[lanes], easeB[lanes]; // as the bodies' starts have it; known where rounds are eased
} PairGroup;

typedef struct SolverStep {
    BodyState* states;
    Island* islands;
    PairGroup* groups;
    const int* list; // the groups to run
    ContactLanes* contacts;
    AimLanes* aims;            // by contact; null: worked out in every round
    float inverse;             // of the substep, 1/s
    float calmApproach;        // of the speed of approach: changes of speed that do not matter
    float rounding;            // of an impulse: changes that do not matter, where masses are scaled
    float pushShare, mostPush; // of a penetration that a round takes away, and at most, m
    bool even;                 // pushes move both of a pair as if they were as heavy as the heavier, where that is said
    float bounceSpeed;         // m/s
    bool first;                // substep
    bool eased;                // light bodies count as heavier than they are
    bool accelerating;         // impulses get momentum
    bool accelerated;          //  and have got some
    int iteration;
    bool shared;        // the groups of this colour share bodies
    float clock;        // rises by one from colour to colour and round to round
    atomic_bool* moved; // a round of pushing out has moved something
} SolverStep;

// Over the groups of [begin, end) in the list. Of all islands: start with the impulses of the last substep; one round
// of pushing out; the bounces of the whole step. Of active islands: one round of impulses; what they get by their
// momentum; all of them at once on velocities without; their work.
SIMD_DECLARE(void, solverWarmStart, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverSolve, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverAccelerate, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverApply, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverWork, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverPush, (const SolverStep* step, int begin, int end));
SIMD_DECLARE(void, solverBounce, (const SolverStep* step, int begin, int end));

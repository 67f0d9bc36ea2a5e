// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Continuous collision (X1): nothing passes through anything, and nothing freezes.
//
// Pairs that move farther against each other in a step than their last query covered are time-of-impact candidates.
// 1. After a solve the motions it leads to are swept (continuousPredict). A hit is two bodies deeper in each other than
//    half the half thickness of the thinner one, and deeper than they were; touching is none. The manifold of the pose
//    at the hit goes to the solver with its time of activation, and the step is solved once more.
// 2. After integration the real motions are swept where they differ from those (continuousFinish). Two dynamic bodies
//    that still cross lose the relative displacement along the normal since the hit, each by its inverse mass; their
//    velocities stay, for in the next step they touch.
// 3. A body that crosses something static or kinematic is put where it was at the hit. That stops nobody but itself.
//
// In:  poses before the step, the solver's displacements; then poses after it.
// Out: contacts with a time of activation; then poses of bodies that were stopped, and the speed of those that have not
//      fallen as far as the solver thought.
// Invariant: static bodies are not crossed; dynamic pairs end on the side they came from.
#pragma once

#include "core/array.h"
#include "core/quat.h"
#include "sherd/sweep.h"

struct Body;
struct shWorld;

// How a body moves in the step, from its pose at the start. By slot; valid for bodies with a state.
typedef struct BodySweep {
    DVec3 centre; // of mass, at the start
    DQuat frame;  // of its spin, at the start
    shTransform start;
    shMotion motion; // predicted, then real
    float turned;    // m, the most that turning moves any point
    float change;    // m, the most that any point ends away from where it ended in the motion that was swept last
    shBox box;       // around the motion
    bool strays;     // it leaves the box that its pairs come from
    float hit;       // earliest hit of the round with something that impulses do not move, a fraction of the step
    bool stopped;    // by one
    bool corrected;  // not where the solver put it
} BodySweep;

// A pair whose motion may lead through each other. Lives for a step.
typedef struct ToiCandidate {
    int pair;
    float clear;        // m, how far the two motions may change before they are swept again; below 0: not swept yet
    float time;         // of the hit, a fraction of the step; infinity: none
    Vec3 point, normal; // world, at the hit; from B to A
    int worker, first, count; // its manifold at the hit, in the worker's list
    // Of corrections after integration:
    bool parts;    // it crosses in this round, without turning much
    float parting; // m, along the normal after the hit; negative: closing
    float push;    // kg m, taken from the relative displacement so far
    bool parted;   // in some round of the step
    bool joins;    // it crosses by turning: there is nothing to part along the normal
} ToiCandidate;

// The state of the stage; persistent arrays, contents of one step.
typedef struct Continuous {
    ARRAY(BodySweep) sweeps; // by slot
    ARRAY(ToiCandidate) candidates;
    ARRAY(int) candidateOf; // by pair; −1: none
    ARRAY(int) open;        // candidates to sweep
    ARRAY(int) crossings;   // candidates that cross, ascending
    bool anew;              // motions have not been looked at yet
    ARRAY(Vec3) offsets;    // by slot: m, displacements of dynamic pairs being resolved
} Continuous;

void continuousFree(struct shWorld* world);
// Before the first solve, and again when bodies have broken: no candidates.
shStatus continuousBegin(struct shWorld* world);
// After a solve. *late: contacts were added, solve once more. Out of memory changes nothing but caches.
shStatus continuousPredict(struct shWorld* world, float dt, bool* late);
// After integration. Cannot fail.
void continuousFinish(struct shWorld* world);

// Where a body was at a fraction of the last step.
shTransform continuousPoseAt(const struct shWorld* world, const struct Body* body, float time);

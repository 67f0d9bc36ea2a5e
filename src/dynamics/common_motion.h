// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The motion that some bodies have in common: that of one rigid body with their mass, momentum and angular momentum.
// What they move against it is theirs alone; taking some of that away costs energy, and neither momentum.
#pragma once

#include "core/quat.h"

struct Body;

typedef struct CommonMotion {
    double mass;     // kg
    DVec3 centre;    // of mass
    DVec3 drift;     // of the centre, m/s
    DVec3 turn;      // rad/s
    DVec3 momentum;  // angular, about the centre
    DMat3 inertia;   // about the centre, world
    double energy;   // J, of all motion
    double together; // J, of the common motion alone
} CommonMotion;

// Bodies that met in a step, directly or through others, and what they share.
typedef struct Grouping {
    bool free; // nothing but each other has touched them
    int count;
    CommonMotion now, next;       // what they have, and should have
    DVec3 centre, momentum, spin; // before: where, and what they should have; spin about the centre
    double size, lever;           // Σ |m v|, Σ |r × m v| + |spin|: what errors are measured against
    double keep;                  // of what they move against each other
} Grouping;

// Bodies are added twice: first for mass, centre and drift, then for what depends on them.
void commonAddMass(CommonMotion* common, const struct Body* body);
void commonAddTurn(CommonMotion* common, const struct Body* body);
void commonDivide(CommonMotion* common); // after the first time round: sums become means
void commonSolve(CommonMotion* common);  // after the second

// Gives a body the motion of `to` and `keep` of what it moves against `from`.
void commonBlend(struct Body* body, const CommonMotion* from, const CommonMotion* to, double keep);

// m⁻¹ · b of a symmetric, positive matrix; 0 if it is none.
DVec3 solveSymmetric(DMat3 m, DVec3 b);
// Moments of inertia of a body about its own centre, and its mass somewhere else, are added to a sum.
void addInertia(DMat3* sum, DMat3 inertia, double mass, DVec3 arm);
DMat3 inertiaTurned(DVec3 principal, DQuat frame); // world

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Free rotation that keeps energy and angular momentum at any step size (S1, S2; Su §2).
//
// A body's state is its angular momentum in the world and its rotational energy; both change only when an impulse acts,
// or when the body is put somewhere else.
// The angular velocity is derived from momentum and orientation whenever it is wanted: stored instead, its rounding
// would be multiplied by the ratio of the moments of inertia in every step. All in double; moments are positive
// (bodies that cannot turn are the caller's).
#pragma once

#include "core/quat.h"
#include "core/simd.h"

typedef struct Spin {
    DVec3 momentum; // kg·m²/s, world frame
    double energy;  // J: what rotation has, and keeps until the next impulse
    DQuat frame;    // unit length, from the principal frame to the world
    DVec3 inertia;  // kg·m², principal moments, ascending as massPrincipal gives them
} Spin;

// rad/s, world frame.
DVec3 spinVelocity(const Spin* spin);

// The energy at this momentum and orientation, as against the stored one: they agree to rounding unless one of the
// three has been set from outside.
double spinEnergy(const Spin* spin);
// Stores it: after momentum or frame have been set by hand.
void spinRenew(Spin* spin);
// The same after the frame has been turned by what is no motion, which must make no energy: inertia is another there.
// If the momentum needs less energy in this place, the rest is lost; if it needs more, it gets smaller.
void spinSettle(Spin* spin);

// Each of these renews the energy. An impulse is in kg·m²/s; a change of velocity is what an impulse has done to it.
void spinSetVelocity(Spin* spin, DVec3 velocity);
void spinAddVelocity(Spin* spin, DVec3 change);
void spinAddImpulse(Spin* spin, DVec3 impulse);

// Turns the frame by a step of dt seconds; momentum and stored energy stay, bit for bit. Second order in dt; without
// any error of its own for bodies with two or three equal moments.
void spinAdvance(Spin* spin, double dt);
// Many, faster, with the same bits.
void spinAdvanceMany(Spin* spins, int count, double dt);
void spinAdvanceEach(Spin* spins, int count, const double* times);        // by a time of its own
SIMD_DECLARE(void, spinAdvanceAll, (Spin * spins, int count, double dt)); // their kernels
SIMD_DECLARE(void, spinAdvanceTimes, (Spin * spins, int count, const double* times));

// The second half of spinAdvance: turns the frame, perpendicular to the momentum, until the energy is the stored one.
// That must be within what the momentum allows, between alignment with the largest moment and with the smallest.
void spinRestore(Spin* spin);

// The closed form itself, in the principal frame: the smallest turn about an axis perpendicular to the momentum (of any
// length) that leads to the wanted energy, as a quaternion of any length. False: there is none, and the turn goes about
// as near as it can. For tests; spinRestore picks the axis.
bool spinTurn(DVec3 axis, DVec3 momentum, DVec3 inverseInertia, double want, DQuat* turn);

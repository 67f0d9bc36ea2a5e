// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What S1 is measured against: the update of orientation that engines ordinarily do. The body turns for a whole step
// with the angular velocity it has at the beginning; the momentum stays, the energy is left to itself.
#pragma once

#include "dynamics/rotation.h"

static inline void plainAdvance(Spin* spin, double dt)
{
    DVec3 velocity = spinVelocity(spin);
    spin->frame = dqNormalize(dqMul(dqFromAxisAngle(velocity, dt * dLength(velocity)), spin->frame));
}

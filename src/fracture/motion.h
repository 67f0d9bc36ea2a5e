// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The public arithmetic of sherd/fragments.h, in vectors.
#pragma once

#include "core/eigen.h"
#include "core/quat.h"
#include "sherd/fragments.h"

static inline DVec3 dOf(const double a[3]) { return (DVec3){a[0], a[1], a[2]}; }
static inline void dPut(DVec3 a, double to[3])
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

DVec3 pieceCentre(const shPieceInfo* piece, shTransform transform); // world
DVec3 velocityAt(const shPieceInfo* piece, shTransform transform, const shVelocity* velocity, DVec3 point);

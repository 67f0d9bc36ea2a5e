// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The smallest ball around balls (Fischer, Gärtner 2003), exact up to rounding: at most four of them determine it.
#pragma once

#include "core/vec.h"

typedef struct Ball {
    DVec3 centre;
    double radius;
} Ball;

// Ball i of a set that the caller keeps in a form of its own.
typedef Ball BallAt(const void* balls, int i);

// `count` ≥ 1; radii must not be negative. Deterministic: depends on the balls and their order alone.
Ball enclosingBall(BallAt* at, const void* balls, int count);

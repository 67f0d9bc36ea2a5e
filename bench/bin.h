// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The static surroundings of the scenes that suites drop things into.
#pragma once

#include "sherd/world.h"

// Static boxes whose inner faces are y = 0 and, with `wallHeight` above 0, x = ±half and z = ±half up to that height.
// The floor reaches BIN_FLOOR_HALF in every direction.
typedef struct BinDef {
    float half;       // m
    float wallHeight; // m; 0: an open floor
    float friction;
} BinDef;

enum { BIN_BOXES = 5 };
#define BIN_THICKNESS 1.0f   // of floor and walls, m: nothing that falls in a benchmark passes it in a step
#define BIN_FLOOR_HALF 50.0f // of the floor, m: farther than fragments roll in some seconds

// How many boxes there are, and the half extents and centre of each.
int binBoxes(const BinDef* def, shVec3 halfExtents[BIN_BOXES], shVec3 centres[BIN_BOXES]);
shStatus binAdd(shWorld* world, const BinDef* def, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Sweeps of cores: may two pieces get deeper in each other than a given depth?
//
// Every sample is drawn into its own body by the depth, against its outward directions. What is left is the body's
// core: two bodies that touch, or overlap by less, have cores that do not. So a core that is outside at the start need
// only be seen to cross no surface on its way, which is a segment against a tree of triangles, and says it for the
// whole way, however long: no distance is asked for, and no time is cut into pieces but for turning. What starts
// inside, because it was deeper already, may go back out the way it came, but not out of the far side.
#pragma once

#include "collide/target.h"

// A slice of a sweep as the cores of one side see it, from and to being in the target's frame.
typedef struct CoreSlice {
    TargetFrame from, to; // at its begin and its end
    float depth;          // m
    float slack;          // m, more than all rounding
    const Target* target;
    int planeCount; // of the target's box and hull, and one across the axis along which the two are farthest apart
    HullPlane planes[7 + hullMaxPlanes];
} CoreSlice;

// The blocks of a group that may hold a core whose way meets the target's hull: a bit each.
SIMD_DECLARE(unsigned, coreBlocks, (const CoreSlice* slice, const SampleGroup* group));

// Ways of the eight cores of a block.
typedef struct CoreWays {
    float from[3][sampleLanes], to[3][sampleLanes];
    unsigned outside; // those that begin outside the target for certain: a bit each
} CoreWays;
// Those that may meet the target: a bit each.
SIMD_DECLARE(unsigned, coreWays, (const CoreSlice* slice, const SampleBlock* block, CoreWays* ways));

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the solver has to know of a group's bodies and contacts, put into lanes.
#pragma once

#include "dynamics/world.h"

typedef struct FillJob {
    const Pair* pairs;
    const Contact* contacts;
    const SolverBody* bodies; // by slot
    PairGroup* groups;        // whose pairs, first and count are known
    ContactLanes* rows;
    const int* islandOf;   // by state
    const Island* islands; // by first state
    int still;             // the state of all that does not move
    float substep;         // s
    float bounceSpeed;     // m/s
    atomic_bool* bouncing;
} FillJob;

// The groups [begin, end). Contacts of things to come and ways out of jams are taken for others; their groups are
// marked as special.
SIMD_DECLARE(void, groupFill, (const FillJob* job, int begin, int end));

// One contact, of whatever kind, into one lane.
void contactFill(const FillJob* job, const Pair* pair, const Contact* contact, ContactLanes* row, int lane);

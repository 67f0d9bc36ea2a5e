// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The work space of queries: what collide.c and sweep.c keep from one use to the next so as not to allocate.
#pragma once

#include "collide/search.h"

// A sample of one side from some time on (sweep.c).
typedef struct SweepEntry {
    double time; // it does not touch before
    int side;    // 0: samples of A
    int point;
    float clear; // m, how far it was from touching when it was last looked at; 0: it was not
} SweepEntry;

// What is deep where a sweep starts may stay so: how deep samples may be then rises until none is deeper (sweep.c).
typedef struct SweepRise {
    float depth;    // m, so far
    float factor;   // by which it rises
    float walls[2]; // m, of A, of B: who may be as deep in one does not count
} SweepRise;

struct shQuery {
    Memory* memory;
    Search searches[2];
    ARRAY(shContact) contacts;
    shCollideStats stats;
    ARRAY(SweepEntry) sweep; // a heap, the earliest on top
    ARRAY(int) sweepNodes;   // of trees, still to be looked at
    ARRAY(int) ridges;       // of scenery on the way
    SceneryPatch patch;
    SweepRise* rise; // of the sweep to come; null: what is too deep touches at once
};

// As much room as another has had to take: which worker meets the hardest pair is chance, and memory should not be. Out
// of memory changes nothing.
void queryRoomAs(shQuery* query, const shQuery* other);

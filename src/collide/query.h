// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The work space of queries: what collide.c and sweep_run.c keep from one use to the next so as not to allocate.
#pragma once

#include "collide/edge_pairs.h"
#include "collide/search.h"
#include "collide/sweep_bounds.h"

// A sample of one side from some time on (sweep_run.c).
typedef struct SweepEntry {
    double time; // it does not touch before
    int side;    // 0: samples of A
    int point;
    float clear; // m, how far it was from touching when it was last looked at; 0: it was not
} SweepEntry;

// A slice of a sweep and its halves, quarters and so on as one side has them, made when they are first looked at.
enum { sweepHalvings = 4, sweepParts = (2 << sweepHalvings) - 1 };
typedef struct SweepParts {
    unsigned made; // a bit each
    SweepSlice slices[sweepParts];
} SweepParts;

// What is deep where a sweep starts may stay so: how deep samples may be then rises until none is deeper (sweep_run.c).
typedef struct SweepRise {
    float depth;    // m, so far
    float factor;   // by which it rises
    float walls[2]; // m, of A, of B: who may be as deep in one does not count
} SweepRise;

struct shQuery {
    Memory* memory;
    Search searches[2];
    EdgeList edges[2]; // of A, of B
    ARRAY(shContact) contacts;
    shCollideStats stats;
    bool plain;               // the first contacts will do: who asks for them chooses
    float clear;              // m, no sample of a pair of pieces is nearer; 0: not known
    ARRAY(SweepEntry) sweep;  // heaps, one after another
    ARRAY(int) sweepNodes;    // of trees, still to be looked at
    SweepParts sweepParts[2]; // as A has them, as B
    ARRAY(int) ridges;        // of scenery on the way
    SceneryPatch patch;
    bool cores;      // of two pieces, cores are swept first (sweep_cores.h)
    Vec3 axis;       // along which the two are farthest apart where they start, from B to A, B's frame; zero: unknown
    SweepRise* rise; // of the sweep to come; null: what is too deep touches at once
};

// As much room as another has had to take: which worker meets the hardest pair is chance, and memory should not be. Out
// of memory changes nothing.
void queryRoomAs(shQuery* query, const shQuery* other);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Solving islands: the exact components of this step, dynamic bodies that contacts connect. (Sleeping islands persist
// and are another matter, sleep.c.)
//
// In:  pairs with contacts, and which bodies are awake.
// Out: the pairs to solve, ordered by body ids; the island of every state; how each island is to be iterated.
// Invariant: islands do not know of each other (X16). Whatever steers the solver (iterations, tolerance, acceleration,
// mass scaling, energy balance) follows from an island's own bodies, pairs and contacts; where anything has an order
// (colours, lanes, sums), that of an island's pairs among each other hangs on nothing but the order of their bodies'
// ids. A tower stands the same, bit for bit, whether or not a heap lies elsewhere.
#pragma once

#include "core/array.h"

#include <stdatomic.h>
#include <stdbool.h>

struct shWorld;

typedef struct Island {
    int pairs;       // to solve
    int batch;       // whose groups its pairs are in; 0: those of all small islands, mixed
    int most;        // iterations of a substep
    float speed;     // m/s: the fastest that any of its pairs move against each other, before the step
    float tolerance; // m/s: changes of speed that do not matter to a contact
    bool scaled;     // some of its bodies are so light that a first solve counts them as heavier

    // Of a solve.
    bool active;        // not converged yet
    int iterations;     // so far
    float momentum;     // of its impulses: the share of their last change that the next iteration starts with
    int accelerated;    // iterations since that was last restarted
    double along;       // J: how far the last iteration has gone on along the momentum; below 0: against it
    atomic_int changed; // the last iteration that changed something that matters
} Island;

// A pair with contacts, by what it is sorted by: its bodies; then its colour and batch.
typedef struct PairKey {
    int low, high; // slots of its bodies; colour, batch
    int pair;
} PairKey;

// Scratch of a step.
typedef struct Islands {
    ARRAY(PairKey) keys, sorted; // pairs with contacts
    ARRAY(int) starts;           // of the counting sort
    ARRAY(int) pairs;            // to solve, by body ids
    ARRAY(int) of;               // by state: its island, which is the first state in it
    ARRAY(Island) all;           // by first state
    ARRAY(int) list;             // islands with pairs
    ARRAY(int) active;           //  of those, the ones that are being iterated
    int batches;                 // besides 0
} Islands;

// A stable counting sort by keys below a limit: the number of bodies, or ISLAND_KEYS.
#define ISLAND_KEYS 64
typedef int PairKeyOf(const struct shWorld* world, const PairKey* key);
void keysSort(struct shWorld* world, const PairKey* from, PairKey* to, int count, int limit, PairKeyOf* keyOf);

// Room for so many pairs. False: no memory.
bool islandsReservePairs(struct shWorld* world, int count);
bool islandsReserve(struct shWorld* world); // once there are states
void islandsFree(struct shWorld* world);
void islandsFind(struct shWorld* world, float substep);

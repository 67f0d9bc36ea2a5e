// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What suites of pair queries share: solids broken at seeded places, pieces that meet a stated depth, and the time
// that queries of them take.
#pragma once

#include "bench/suite.h"
#include "sherd/collide.h"

// Breaks a whole solid along Voronoi cells of `sites` random nodes.
shStatus breakSeeded(shSolid* solid, int sites, uint64_t seed, shMessage* message);
// The same as labels, to be given to shSolid_Break: what a crack model hands over.
typedef struct SeededCrack SeededCrack;
shStatus seededCrackCreate(const shAsset* asset, int sites, uint64_t seed, SeededCrack** crack, shMessage* message);
shCrack seededCrackOf(SeededCrack* crack);
void seededCrackDestroy(SeededCrack* crack);

// The `wanted` pieces with the most nodes, largest first; fewer if there are not that many. Returns how many.
int largestPieces(const shSolid* solid, int wanted, int* pieces);

// Two pieces in the world.
typedef struct Pose {
    shCollider colliders[2];
    float depth; // deepest sample of the full query, m; ≤ 0: apart by about that much
} Pose;

// Both turned at random; then the second comes from a random side until they are `depth` deep (first time), or, with a
// negative depth, until they touch and back by so much. False: from that side they never get so deep.
bool poseFind(shQuery* query, const shCollider pieces[2], float depth, uint64_t seed, Pose* pose);

// Diagonal of a piece's box, m.
float pieceDiameter(const shSolid* solid, int piece);

// One-shot queries of every pose; the CPU time of each, µs, goes into `best` if it is smaller than what is there.
shStatus posesTime(shQuery* query, const shCollideDef* def, const Pose* poses, int count, double* best,
                   shMessage* message);
// The same without a clock; counts samples tested.
double posesVisited(shQuery* query, const shCollideDef* def, const Pose* poses, int count);

// Deepest contact of one query, m; −1 when there is none. `contactCount` may be null.
float poseDeepest(shQuery* query, const shCollideDef* def, const Pose* pose, int* contactCount);

// The deepest contact of the full query: what it reports over the sample's true distance to the other surface, found by
// looking at every triangle. NaN when there is none.
double poseDepthError(shQuery* query, const Pose* pose);

// Of numbers, without their order.
double meanOf(const double* values, int count);
double percentileOf(const double* values, int count, double share);

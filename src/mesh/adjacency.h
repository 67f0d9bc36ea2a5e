// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Who shares which face, who shares which edge. Expected linear time, results in input order: nothing here
// depends on hash order.
#pragma once

#include "core/memory.h"

// Faces of a positive tetrahedron, counter-clockwise from outside; face k is opposite node k.
static const int tetFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const int tetEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// A set of unordered pairs or triples of ints, numbered in order of first appearance.
typedef struct KeySet {
    int count, capacity, slotCount;
    int (*keys)[3]; // ascending; an edge is (−1, a, b)
    int* slots;     // −1: free
} KeySet;

bool keySetInit(KeySet* set, Memory* memory, int64_t capacity); // false: no memory, or more than 2^29 keys
void keySetFree(KeySet* set, Memory* memory);
int keySetAdd(KeySet* set, int a, int b, int c);        // its number, new or old; at most `capacity` different keys
int keySetFind(const KeySet* set, int a, int b, int c); // −1: not there
static inline int keySetAddEdge(KeySet* set, int a, int b) { return keySetAdd(set, -1, a, b); }
static inline int keySetFindEdge(const KeySet* set, int a, int b) { return keySetFind(set, -1, a, b); }

// neighbors[t][k]: the tetrahedron behind face k of t, −1 outside. An error when a face has more than two owners or
// two on the same side (all tets positive). Indices must be in range.
shStatus matchFaces(Memory* memory, int tetCount, const int (*tets)[4], int (*neighbors)[4], shMessage* message);

// twins[3t + k]: the half edge that runs the other way along the edge from corner k to k + 1 of triangle t. An error
// unless the surface is closed, two triangles to an edge, in opposite directions. Indices must be in range.
shStatus matchEdges(Memory* memory, int triangleCount, const int (*triangles)[3], int* twins, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Edge against edge: contacts that no sample sees. The edges of both sides that may be near the other are gathered, in
// the frame of B; two touch where they cross, along the direction perpendicular to both, if that is a normal of both
// there. One contact speaks for both directions. If it is a normal of only one of them, the edge of that one has come
// through a face of the other near its edge: a point of the edge against the face.
#pragma once

#include "collide/target.h"
#include "field/sharp_edges.h"

// Edges of one side that may come near the other, by rows of floats as in EdgeSet, in B's frame.
typedef struct EdgeList {
    int count;
    float clear; // m, no edge that was left out is nearer
    int ids[edgesMost];
    float rows[edgeRows][edgesMost];
} EdgeList;

// Those of a set whose spheres may come closer to the target than the margin. `frame` leads to the target, `toB` into
// B's frame.
void edgesNear(const EdgeSet* set, const Target* target, const TargetFrame* frame, const TargetFrame* toB, float margin,
               EdgeList* list);

// Where two edges cross: each line is closest to the other one within its edge.
typedef struct EdgeCrossing {
    int a, b;              // of the lists
    bool inA, inB;         // the direction from the one to the other is a normal of A there, of B
    float gap;             // m, along the normal; negative: so deep, if both know it
    Vec3 onA, onB, normal; // B's frame; from B to A
} EdgeCrossing;

enum { crossingsMost = 96 };

// The crossings of edge `a` with all edges of B: less than the margin apart, no more than `deep` in each other. Adds
// them and returns the count.
SIMD_DECLARE(int, edgesCross,
             (const EdgeList* listA, int a, const EdgeList* listB, float margin, float deep, EdgeCrossing* crossings,
              int count));

// The twelve edges of a box, and room for their rows.
enum { boxEdgeRoom = 16, boxEdgeFloats = edgeRows * boxEdgeRoom + 4 * 8 };
EdgeSet edgesOfBox(Vec3 half, float rows[boxEdgeFloats]);

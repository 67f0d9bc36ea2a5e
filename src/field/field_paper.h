// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Glondu's own rule for the distances of a broken solid (§4.2, §4.4), to be measured against ours (G4, G6).
//
// A node keeps a distance and a direction instead of the nearest feature, and fronts pass on averages of both. As
// printed the rule also makes negative distances, so here a distance below zero is never taken, a node of the original
// surface keeps its zero, and a smaller distance is never overwritten. What remains is neither an upper nor a lower
// bound of the true distance.
#pragma once

#include "core/vec.h"

struct FragmentField;
struct FieldHit;

typedef struct PaperNode {
    float distance; // m
    Vec3 direction; // unit, from the node to the surface
} PaperNode;

typedef struct PaperField {
    PaperNode* nodes; // [nodeCount] null until the first break
    PaperNode* fresh; // [nodeCount] what the step at work has found
    int rounds;       // steps of the last update
} PaperField;

// Exact distances and directions of the unbroken solid. False when memory runs out; paperFree tidies up.
bool paperInit(struct FragmentField* field);
void paperFree(struct FragmentField* field);

// Follows a break. `marks` are ≥ 0 at nodes of the broken piece and come back so; both fronts have room for all of
// them.
void paperSpread(struct FragmentField* field, int* marks, int* front, int* nextFront);

// Depth of p, which lies in the piece: by the crack inside a cut tetrahedron, else by the averages over
// the four nodes; the original surface counts where it is nearer.
void paperProbe(const struct FragmentField* field, int piece, Vec3 p, struct FieldHit* hit);

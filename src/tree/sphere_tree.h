// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The fracturable adaptive sphere tree (G8, G11-G13).
//
// Points are ordered so that any first part of them samples the object evenly; level l holds the first 2^l of them. In
// the paper a point stands on every level from its own down, each time with a smaller radius. Here it stands once and
// its children follow in the order of their levels: a child's `reach` is the radius around the PARENT that holds this
// child, all later ones and everything below them. Walking along the children is walking down the paper's levels.
//
// All pieces of a solid share one array of points, indexed like the field's: mesh nodes first, then two per cut edge
// (nodeCount + 2 · cut for the lower node's side, + 1 for the higher's). A piece is known by its root; splitting a tree
// relinks, copies nothing and leaves other pieces alone. Until the first break the asset's own array serves.
#pragma once

#include "field/fragment_field.h"

typedef struct TreePoint {
    Vec3 p;
    float reach;  // m, around the parent's p
    float radius; // m, around p: holds all descendants; the first child's reach
    int child;    // first, or -1
    int sibling;  // next child of the same parent, or -1
    int parent;   // -1 at a root
} TreePoint;

// Links `points` (p filled in) into one tree by the given maximum-distance order. Returns the root.
shStatus sphereTreeBuild(TreePoint* points, const int* order, int count, Memory* memory, int* root, shMessage* message);

typedef enum TreeRestructure {
    restructureNearest, // a split node's place is taken by the point closest to it
    restructureFirst,   // … by the first one there: the naive way, for comparison
} TreeRestructure;

// A point that lost its parent and looks for a new one.
typedef struct TreeHead {
    int depth; // of `at`
    int at;    // old ancestor reached so far
    int label;
    int point;
} TreeHead;
typedef ARRAY(TreeHead) TreeHeads;

typedef struct PieceTrees {
    Memory* memory;
    const TreePoint* rest; // the asset's tree
    int restCount, restRoot;
    ARRAY(TreePoint) own;       // empty until the first break
    ARRAY(int) roots;           // by piece
    TreeHeads heads, nextHeads; // work space of a split
    TreeRestructure restructure;
} PieceTrees;

void treesInit(PieceTrees* trees, Memory* memory, const TreePoint* rest, int restCount, int restRoot);
void treesFree(PieceTrees* trees);
int64_t treesBytes(const PieceTrees* trees);

// Room for a break that makes `newCuts` cuts and leaves `pieceCount` pieces, `pointCount` points in the broken one.
bool treesReserve(PieceTrees* trees, int newCuts, int pieceCount, int pointCount);

// Follows the field's last break: splits, restructures, inserts the new surface points. Cannot fail after treesReserve.
void treesBreak(PieceTrees* trees, const FragmentField* field);

static inline const TreePoint* treesPoints(const PieceTrees* trees)
{
    return trees->own.count > 0 ? trees->own.data : trees->rest;
}
static inline int treesRoot(const PieceTrees* trees, int piece)
{
    return trees->own.count > 0 ? trees->roots.data[piece] : trees->restRoot;
}

// The piece of a point.
static inline int treePointLabel(const FragmentField* field, int point)
{
    int nodeCount = field->rest->mesh->nodeCount;
    if (point < nodeCount)
        return fieldLabel(field, point);
    int cut = (point - nodeCount) / 2, side = (point - nodeCount) % 2;
    return field->labels[field->rest->topology->edges[field->cuts.data[cut].edge][side]];
}

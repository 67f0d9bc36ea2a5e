// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A tree of boxes, eight to a node, over triangles that never move: all children of a node are asked at once. Leaves
// are packets of up to eight items, so what belongs to them can be laid out by lane.
#pragma once

#include "core/array.h"
#include "core/simd.h"
#include "core/vec.h"

enum {
    wideLanes = 8,
    wideStack = 64 * (wideLanes - 1) + wideLanes, // what waits during a descent, at most
};

// Lanes without a child have an inverted, infinite box: nothing ever meets it.
typedef struct WideNode {
    float lower[3][wideLanes], upper[3][wideLanes];
    int child[wideLanes]; // a node, or ~packet
} WideNode;

typedef struct WideTree {
    ARRAY(WideNode) nodes; // the root first
    ARRAY(int) items;      // [packets][wideLanes] number of the triangle in the input; -1: nothing in this lane
} WideTree;

static inline WideNode wideNodeEmpty(void)
{
    WideNode node = {0};
    for (int k = 0; k < 3 * wideLanes; ++k) {
        node.lower[k / wideLanes][k % wideLanes] = INFINITY;
        node.upper[k / wideLanes][k % wideLanes] = -INFINITY;
    }
    return node;
}
static inline void wideNodeSet(WideNode* node, int lane, shBox box, int child)
{
    for (int axis = 0; axis < 3; ++axis) {
        node->lower[axis][lane] = vGet(box.lower, axis);
        node->upper[axis][lane] = vGet(box.upper, axis);
    }
    node->child[lane] = child;
}
static inline shBox wideNodeBox(const WideNode* node, int lane)
{
    return (shBox){{node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]},
                   {node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]}};
}

// Triangles may be degenerate: points and segments have boxes too. Boxes are a little wider than what they hold. No
// triangles: one empty node. False when memory runs out; the tree is then empty.
bool wideTreeBuild(WideTree* tree, Memory* memory, const DVec3* vertices, const int (*triangles)[3], int triangleCount);
void wideTreeFree(WideTree* tree, Memory* memory);
int64_t wideTreeBytes(const WideTree* tree);

// Every slot (packet · wideLanes + lane) with an item in a packet that meets the box; false when `visit` was, and it
// stopped there.
bool wideTreeOverlaps(const WideTree* tree, shBox box, bool (*visit)(int slot, void* user), void* user);

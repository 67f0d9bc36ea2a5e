// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A tree over boxes that move: eight to a node, tested at once. Items stand in slots, neighbours in space side by side
// when the tree has just been built. Node i of a level is about the nodes (at the lowest level the slots) 8 i … 8 i + 7
// of the level below, so there are no links. An item that moves stays in its slot and the boxes above follow; new ones
// take the next slots at the end. That is cheap and wears the tree out, which shows in the size of its leaves: when the
// walks through larger ones have cost as much as building does, it is built anew. The order of what is found hangs on
// all this, what is found does not.
//
// Boxes may be infinite, not NaN.
#pragma once

#include "core/memory.h"
#include "core/simd.h"
#include "core/vec.h"

enum {
    boxTreeWidth = 8,
    boxTreeLevels = 10,                                    // 8^10 slots are more than are ever asked for
    boxTreeStack = boxTreeLevels * (boxTreeWidth - 1) + 1, // nodes that can wait at a time
    boxRefShift = 27,                                      // of the level in a reference to a node
};

typedef struct BoxNode {
    float lower[3][boxTreeWidth], upper[3][boxTreeWidth];
} BoxNode;

// What the building sorts: an item's slot, and where and how large its box is.
typedef struct BoxPlace {
    float at[4]; // centre, and the longest side
    int slot;
} BoxPlace;

// Zeroed = empty.
typedef struct BoxTree {
    int capacity;     // items
    int slotCapacity; // more: removed items leave holes
    int slotCount, itemCount, levelCount;
    double builtSize, sizeLimit;     // mean size of the leaves when they were built, and most that counts of one, m
    double wear;                     // since then: by how much leaves were larger, summed over items that moved, m
    int moves;                       // since the last refresh
    BoxNode* nodes[boxTreeLevels];   // by level, leaves first
    uint8_t* changed[boxTreeLevels]; // by level: nodes with a box that has changed
    BoxNode* spareLeaves;            // for the next building
    BoxPlace* places;                // the same
    int *items, *spareItems;         // by slot, −1 = hole
    int* slots;                      // by item, −1 = not in the tree
    void* block;                     // holds all of these
    size_t blockBytes;
} BoxTree;

// Room for items 0 … capacity − 1; nothing else takes memory. False: out of memory, all as before.
bool boxTreeReserve(BoxTree* tree, Memory* memory, int capacity);
void boxTreeFree(BoxTree* tree, Memory* memory);
// Changes are seen after boxTreeRefresh.
void boxTreeSet(BoxTree* tree, int item, shBox box); // adds it, or moves it
void boxTreeRemove(BoxTree* tree, int item);         // if it is there
void boxTreeRefresh(BoxTree* tree);
void boxTreeBuild(BoxTree* tree); // by itself when it is time

// The items whose boxes overlap one, some at a time: returns how many were written to `found`, which has room for
// `room` ≥ 8; 0 = that was all.
typedef struct BoxWalk {
    shBox box;
    int first; // only slots from here on
    int depth;
    uint32_t stack[boxTreeStack];
} BoxWalk;
void boxWalkStart(BoxWalk* walk, const BoxTree* tree, shBox box, int first);
SIMD_DECLARE(int, boxWalkNext, (const BoxTree* tree, BoxWalk* walk, int* found, int room));

// The near ones first, roughly. The visitor returns the new `most`, negative to end.
typedef float BoxVisitor(int item, float most, void* user);
// Items whose box the segment from `origin` to `origin` + most · `shift` meets.
SIMD_DECLARE(void, boxTreeRay,
             (const BoxTree* tree, Vec3 origin, Vec3 shift, float most, BoxVisitor* visit, void* user));
// Items whose box is within `most` of a point.
SIMD_DECLARE(void, boxTreeNear, (const BoxTree* tree, Vec3 point, float most, BoxVisitor* visit, void* user));

static inline int boxTreeNodeCount(const BoxTree* tree, int level)
{
    return (tree->slotCount + (boxTreeWidth << 3 * level) - 1) >> 3 * (level + 1);
}
// Boxes of nodes whose boxes have changed, level by level up to the root.
SIMD_DECLARE(void, boxTreeRefit, (BoxTree * tree));

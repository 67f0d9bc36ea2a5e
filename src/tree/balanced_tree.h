// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The balanced tree of sherd/box_tree.h (O1-O5, O8): layout, and the operations on its structure.
//
// A node is one cache line and holds the boxes, heights and numbers of its two children, so a descent reads one line
// per node and a leaf needs no node of its own: it is a slot, one side of a node. Node 0 is the anchor: its slot 0
// holds the root, whatever that is, and spares every operation the special case.
//
//     slot = 2 · node + side        child ≥ 0: a node        child < 0: item ~child
//
// Operations change structure and heights at once, boxes later: a changed box marks the slots on its way up as dirty,
// and balancedRefitDirty brings all of them up to date from the leaves up, each once. Invariant: above a dirty slot
// all slots are dirty. Rotations and permutations are one operation, the exchange of two slots.
#pragma once

#include "core/array.h"
#include "core/context.h"
#include "core/vec.h"
#include "sherd/box_tree.h"

#include <float.h>

enum {
    balancedAbsent = -1,     // place of an item that is not in the tree
    balancedDetached = -1,   // parent of a root that hangs in no tree yet
    balancedMostHeight = 40, // the sparsest tree of this height has Fibonacci(42) leaves, more than there may be
};

typedef struct BalancedNode {
    shBox box[2];      // of the children
    int child[2];      // a node, or ~item
    int parent;        // slot
    uint8_t height[2]; // of the children
    uint8_t dirty;     // bit per side: the box has to be refitted from the child
    uint8_t unused;
} BalancedNode;
_Static_assert(sizeof(BalancedNode) == 64, "a node is a cache line");

struct shBoxTree {
    shContext* context;
    BalancedNode* nodes;
    int nodeCapacity;
    int nodeEnd;  // nodes from here on were never in use
    int freeNode; // first of a list through `parent`; 0: none
    int* places;  // [placeCapacity] slot of an item
    int placeCapacity;
    int itemEnd; // all items are below
    int itemCount;
    bool optimise;
    float rebuildQuality;
    double pad, padSize; // added to the sides of boxes that are measured; the root's longest side when it was chosen
    double sum, peakSum; // of measures of all slots in use; most that it has been since it was recomputed
    bool sumKnown;
    double builtQuality; // after the last build; 0: never built
    int rebuilds;
    shBoxTreeProfile profile;
    int* scratch; // [scratchCapacity] of an update
    int scratchCapacity;
};

static inline Memory* balancedMemory(const shBoxTree* tree) { return &tree->context->memory; }

// ---- slots ----------------------------------------------------------------------------------------------------------

static inline shBox balancedBox(const shBoxTree* tree, int slot) { return tree->nodes[slot >> 1].box[slot & 1]; }
static inline int balancedChild(const shBoxTree* tree, int slot) { return tree->nodes[slot >> 1].child[slot & 1]; }
static inline int balancedHeight(const shBoxTree* tree, int slot) { return tree->nodes[slot >> 1].height[slot & 1]; }
static inline shBox balancedUnion(const BalancedNode* node) { return boxUnion(node->box[0], node->box[1]); }
static inline int balancedHigher(const BalancedNode* node)
{
    return 1 + maxI((int)node->height[0], (int)node->height[1]);
}

// Squared volume of a box made `pad` wider: what O5 measures. Finite for all finite boxes.
static inline double balancedMeasure(double pad, const shBox* box)
{
    double x = ((double)box->upper.x - (double)box->lower.x) + pad;
    double y = ((double)box->upper.y - (double)box->lower.y) + pad;
    double z = ((double)box->upper.z - (double)box->lower.z) + pad;
    double volume = x * y * z;
    return volume * volume;
}

// Fills a slot, and tells the child where it is. It does not touch the node's dirty bits, which belong to both slots:
// builds fill the two from different workers.
static inline void balancedFill(shBoxTree* tree, int slot, int child, shBox box, int height)
{
    BalancedNode* node = &tree->nodes[slot >> 1];
    int side = slot & 1;
    node->box[side] = box;
    node->child[side] = child;
    node->height[side] = (uint8_t)height;
    if (child < 0)
        tree->places[~child] = slot;
    else
        tree->nodes[child].parent = slot;
}
static inline void balancedPut(shBoxTree* tree, int slot, int child, shBox box, int height, bool dirty)
{
    BalancedNode* node = &tree->nodes[slot >> 1];
    balancedFill(tree, slot, child, box, height);
    node->dirty = (uint8_t)((node->dirty & ~(1 << (slot & 1))) | dirty << (slot & 1));
}
static inline bool balancedDirty(const shBoxTree* tree, int slot)
{
    return tree->nodes[slot >> 1].dirty >> (slot & 1) & 1;
}

// ---- memory: reserve first, then nothing can fail -------------------------------------------------------------------

bool balancedReserve(shBoxTree* tree, int items, int itemEnd); // room for so many leaves, and for items below itemEnd
void balancedClear(shBoxTree* tree);                           // no items; memory stays
int balancedTakeNode(shBoxTree* tree);

// ---- structure (balanced_shape.c) -----------------------------------------------------------------------------------

// The boxes above a node have to follow.
void balancedMark(shBoxTree* tree, int node);
// Heights from a node upwards after one of its subtrees has become higher or lower by one, with rotations (§3.3.1).
void balancedRebalance(shBoxTree* tree, int node);
// A new leaf as sibling of what is in the slot; the tree is not empty.
void balancedInsertAt(shBoxTree* tree, int slot, int item, shBox box);
void balancedInsertFirst(shBoxTree* tree, int item, shBox box); // into an empty tree
void balancedRemoveItem(shBoxTree* tree, int item);
// Another item or box in the place of a leaf.
void balancedSetLeaf(shBoxTree* tree, int slot, int item, shBox box);
// The leaf that a box is best put beside: where boxes on the way grow least.
int balancedNearest(const shBoxTree* tree, shBox box);
// That of §3.3.2 which lowers q of a node most, if there is one.
bool balancedPermute(shBoxTree* tree, int node);

// A branch that is in no tree: for putting trees together.
typedef struct BalancedBranch {
    int child, height; // child as in a slot
    shBox box;
} BalancedBranch;
BalancedBranch balancedJoin(shBoxTree* tree, BalancedBranch a, BalancedBranch b);
void balancedPlant(shBoxTree* tree, BalancedBranch root); // makes it the tree

// ---- boxes and quality (balanced_refit.c) ---------------------------------------------------------------------------

void balancedRefitDirty(shBoxTree* tree, bool optimise);
// The pad that fits the root's size; a new one makes the sum unknown.
void balancedTune(shBoxTree* tree);
double balancedQuality(shBoxTree* tree);
double balancedSum(const shBoxTree* tree);

// ---- building, updating ---------------------------------------------------------------------------------------------

// `count` items with their boxes; memory for them is reserved. False: no scratch memory, and the tree is as before.
bool balancedBuild(shBoxTree* tree, int count, const int* items, const shBox* boxes);
bool balancedValidBox(shBox box);
// Than to insert `added` items beside those that are `kept`, which costs `keeping`.
bool balancedBuildIsCheaper(double keeping, int kept, int added);

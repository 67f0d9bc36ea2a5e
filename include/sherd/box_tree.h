// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A balanced tree of boxes that follows change (Otaduy et al. 2007): an AVL tree whose leaves are the boxes of numbered
// items, for meshes whose triangles come and go. An update costs what has changed, not what is there. Needs nothing
// else of Sherd; sherd/triangle_tree.h has collisions and rays for items that are triangles.
//
// Items have numbers from 0 that the user chooses, usually indices of triangles; the tree takes four bytes for every
// number up to the largest, and some 64 for every item. Boxes are finite, lower ≤ upper; they may be flat. What depth
// the tree has is at most 1.4405 · log2(items), whatever happens to it.
//
// A function that fails changes nothing and says why. Any number of threads may read a tree that nobody changes.
#pragma once

#include "sherd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SH_BOX_TREE_ITEMS (1 << 26) // numbers of items are below this

typedef struct shBoxTree shBoxTree;

typedef struct shBoxTreeDef {
    bool optimise;        // local permutations where boxes change: tighter trees for some more time per update
    float rebuildQuality; // shBoxTree_Update rebuilds when the quality Q exceeds this; 0: never
    uint32_t cookie;
} shBoxTreeDef;
SH_API shBoxTreeDef shDefaultBoxTreeDef(void); // optimise, 2.3

SH_API shStatus shCreateBoxTree(shContext* context, const shBoxTreeDef* def, shBoxTree** tree, shMessage* message);
SH_API shStatus shCloneBoxTree(const shBoxTree* tree, shBoxTree** clone, shMessage* message);
SH_API void shDestroyBoxTree(shBoxTree* tree); // null is fine

// Replaces all that is in the tree. Divides at the median of the centres along the longest axis, on all workers.
// `items`: null: 0 … count − 1.
SH_API shStatus shBoxTree_Build(shBoxTree* tree, int count, const int* items, const shBox* boxes, shMessage* message);
// The same with the items that are there.
SH_API shStatus shBoxTree_Rebuild(shBoxTree* tree, shMessage* message);

// One item at a time. `neighbour`: an item that lies beside the new one, whose sibling it becomes; -1: one is searched
// for.
SH_API shStatus shBoxTree_Insert(shBoxTree* tree, int item, shBox box, int neighbour, shMessage* message);
SH_API shStatus shBoxTree_Remove(shBoxTree* tree, int item, shMessage* message);
// `item` takes the leaf of `old`; the shape of the tree stays. The same item: its box moves.
SH_API shStatus shBoxTree_Replace(shBoxTree* tree, int old, int item, shBox box, shMessage* message);

// A step of a growing crack: what goes, what comes, what only moves. A number that goes may come again in the same
// update.
typedef struct shBoxTreeUpdate {
    int removedCount;
    const int* removed;
    int addedCount;
    const int* added;
    const shBox* addedBoxes;
    const int* addedFrom; // which of `removed` (by index) an added item is a part of, -1: none; null: all -1. The
                          // largest part takes the leaf of the old item
    // Neighbours of added item k: neighbours[neighbourStarts[k]] … before neighbourStarts[k + 1]: numbers of items that
    // stay or are added. New items are inserted next to a neighbour, breadth first from those that stay. Null: beside
    // other parts of the same old item, else where boxes grow least.
    const int* neighbourStarts; // [addedCount + 1]
    const int* neighbours;
    int movedCount;
    const int* moved; // neither removed nor added
    const shBox* movedBoxes;
} shBoxTreeUpdate;

// If the definition lets trees be rebuilt, rebuilds where that is cheaper than to insert, or if Q is too large
// afterwards and more than a tenth above that of the last build.
SH_API shStatus shBoxTree_Update(shBoxTree* tree, const shBoxTreeUpdate* update, shMessage* message);

// Something that falls apart, at once or at the end of a growing crack.
typedef struct shBoxTreeSplit {
    int partCount;
    int itemCount;     // of partOf; larger than the number of any item in the tree
    const int* partOf; // by item: the part it belongs to, -1: it goes. Entries of numbers not in the tree do not count
    int addedCount;
    const int* added;
    const shBox* addedBoxes;
    const int* addedParts;
    const int* neighbourStarts; // as in shBoxTreeUpdate; neighbours in other parts do not count
    const int* neighbours;
} shBoxTreeSplit;

// Makes one tree per part, with the definition of the old one, which stays as it is. Branches that belong to one part
// are copied whole, the rest is joined by height: one pass over the tree and not one clone per part; parts are made on
// all workers. A part is built instead where that is cheaper, if the definition lets trees be rebuilt at all; Q is not
// looked at.
SH_API shStatus shBoxTree_Split(const shBoxTree* tree, const shBoxTreeSplit* split, shBoxTree** parts,
                                shMessage* message);

// New boxes for all items of a mesh that deforms, by item; `count` is larger than the number of any item. The shape of
// the tree stays. On all workers.
SH_API shStatus shBoxTree_Refit(shBoxTree* tree, const shBox* boxes, int count, shMessage* message);
// Permutations at every node, from the leaves up. Returns how many were made; none raises Q.
SH_API int shBoxTree_Optimise(shBoxTree* tree);

typedef struct shBoxTreeInfo {
    int itemCount;
    int itemLimit;  // larger than the number of any item
    int height;     // 0: one item or none
    shBox box;      // of everything; inverted and infinite if there is nothing
    double quality; // Q: sum over all boxes of volume² / that of the root, each side a thousandth of the root's longest
                    // wider, since flat boxes have no volume; 2 − 1/n if every box is halved; 0 if there is nothing
    int rebuilds; // by shBoxTree_Update, so far
    int64_t bytes;
} shBoxTreeInfo;
SH_API shBoxTreeInfo shBoxTree_GetInfo(const shBoxTree* tree);
SH_API bool shBoxTree_Has(const shBoxTree* tree, int item);
SH_API shBox shBoxTree_GetBox(const shBoxTree* tree, int item); // inverted and infinite if it is not there

// What the last update did, and how long it took by the context's clock.
typedef struct shBoxTreeProfile {
    int replaced, inserted, removed, moved, rotations, permutations, refitted; // leaves; nodes
    bool rebuilt;
    // Insert: or building with what is new; refit: permutations included; rebuild: for the sake of Q.
    double checkSeconds, replaceSeconds, insertSeconds, refitSeconds, rebuildSeconds;
} shBoxTreeProfile;
SH_API shBoxTreeProfile shBoxTree_GetProfile(const shBoxTree* tree);

// Checks every promise this page makes, in linear time: balance, heights, tight boxes, every item once.
SH_API shStatus shBoxTree_Validate(const shBoxTree* tree, shMessage* message);

// Visitors return false to end the query. The order of what is found is the tree's own, the same on every machine.
typedef bool shBoxFn(int item, void* user);
typedef bool shBoxPairFn(int a, int b, void* user);
// Returns the fraction beyond which nothing is of interest any more, usually `most` or that of a nearer hit; negative:
// the query ends.
typedef float shBoxRayFn(int item, float most, void* user);

// Items whose boxes have a point in common with `box`.
SH_API void shBoxTree_Overlap(const shBoxTree* tree, shBox box, shBoxFn* visit, void* user);
// Items whose boxes the segment from `origin` to `origin` + `translation` may meet, nearer branches first.
SH_API void shBoxTree_CastRay(const shBoxTree* tree, shVec3 origin, shVec3 translation, shBoxRayFn* visit, void* user);
// Pairs of items, of two trees or of one, whose boxes have a point in common: each pair once. `frame` places b in the
// frame of a; null: they share it. If b is turned, pairs may come that only the boxes around turned boxes have in
// common.
SH_API void shBoxTree_Pairs(const shBoxTree* a, const shBoxTree* b, const shTransform* frame, shBoxPairFn* visit,
                            void* user);
SH_API void shBoxTree_SelfPairs(const shBoxTree* tree, shBoxPairFn* visit, void* user);

#ifdef __cplusplus
}
#endif

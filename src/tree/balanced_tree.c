// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The balanced tree as users see it: making one, single items, what can be asked of it.
#include "tree/balanced_tree.h"

#include "core/constants.h"
#include "core/message.h"

#include <string.h>

#define BOX_TREE_COOKIE 0x7b0c7e3eu

shBoxTreeDef shDefaultBoxTreeDef(void)
{
    return (shBoxTreeDef){.optimise = true, .rebuildQuality = 2.3f, .cookie = BOX_TREE_COOKIE};
}

bool balancedValidBox(shBox box) // no comparison holds for a NaN
{
    return box.lower.x >= -FLT_MAX && box.lower.y >= -FLT_MAX && box.lower.z >= -FLT_MAX && box.upper.x <= FLT_MAX &&
           box.upper.y <= FLT_MAX && box.upper.z <= FLT_MAX && box.lower.x <= box.upper.x &&
           box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

bool balancedReserve(shBoxTree* tree, int items, int itemEnd)
{
    Memory* memory = balancedMemory(tree);
    int before = tree->placeCapacity;
    if (!arrayReserveBytes(memory, &tree->nodes, &tree->nodeCapacity, sizeof *tree->nodes, maxI(1, items)) ||
        !arrayReserveBytes(memory, &tree->places, &tree->placeCapacity, sizeof *tree->places, itemEnd))
        return false;
    for (int i = before; i < tree->placeCapacity; ++i)
        tree->places[i] = balancedAbsent;
    return true;
}

shStatus shCreateBoxTree(shContext* context, const shBoxTreeDef* def, shBoxTree** out, shMessage* message)
{
    if (out != NULL)
        *out = NULL;
    if (context == NULL || out == NULL || def == NULL || def->cookie != BOX_TREE_COOKIE)
        return fail(message, shInvalid, "box tree: pass a context and a definition from shDefaultBoxTreeDef()");
    if (!(def->rebuildQuality >= 0.0f))
        return fail(message, shInvalid, "box tree: rebuildQuality is %g: it must be 0 or more",
                    (double)def->rebuildQuality);
    shBoxTree* tree = NEW_ZEROED(&context->memory, shBoxTree, 1);
    if (tree == NULL)
        return failMemory(message);
    tree->context = context;
    tree->optimise = def->optimise;
    tree->rebuildQuality = def->rebuildQuality;
    if (!balancedReserve(tree, 1, 0)) {
        shDestroyBoxTree(tree);
        return failMemory(message);
    }
    balancedClear(tree);
    *out = tree;
    return shOk;
}

void shDestroyBoxTree(shBoxTree* tree)
{
    if (tree == NULL)
        return;
    Memory* memory = balancedMemory(tree);
    FREE_ARRAY(memory, tree->nodes, tree->nodeCapacity);
    FREE_ARRAY(memory, tree->places, tree->placeCapacity);
    FREE_ARRAY(memory, tree->scratch, tree->scratchCapacity);
    FREE_ARRAY(memory, tree, 1);
}

shStatus shCloneBoxTree(const shBoxTree* tree, shBoxTree** out, shMessage* message)
{
    *out = NULL;
    shBoxTree* clone = NEW_ARRAY(balancedMemory(tree), shBoxTree, 1);
    if (clone == NULL)
        return failMemory(message);
    *clone = *tree;
    clone->nodes = NULL, clone->nodeCapacity = 0;
    clone->places = NULL, clone->placeCapacity = 0;
    clone->scratch = NULL, clone->scratchCapacity = 0;
    if (!balancedReserve(clone, tree->nodeEnd, tree->itemEnd)) {
        shDestroyBoxTree(clone);
        return failMemory(message);
    }
    memcpy(clone->nodes, tree->nodes, sizeof *tree->nodes * (size_t)tree->nodeEnd);
    if (tree->itemEnd > 0)
        memcpy(clone->places, tree->places, sizeof *tree->places * (size_t)tree->itemEnd);
    *out = clone;
    return shOk;
}

// ---- one item -------------------------------------------------------------------------------------------------------

static shStatus checkNumber(const char* what, int item, shMessage* message)
{
    if (item < 0 || item >= SH_BOX_TREE_ITEMS)
        return fail(message, shInvalid, "%s: item %d is not in 0 … %d", what, item, SH_BOX_TREE_ITEMS - 1);
    return shOk;
}

static shStatus checkNew(const shBoxTree* tree, const char* what, int item, shBox box, shMessage* message)
{
    shStatus status = checkNumber(what, item, message);
    if (status != shOk)
        return status;
    if (!balancedValidBox(box))
        return fail(message, shInvalid, "%s: the box of item %d is not finite or inside out", what, item);
    if (shBoxTree_Has(tree, item))
        return fail(message, shInvalid, "%s: item %d is in the tree already", what, item);
    return shOk;
}

shStatus shBoxTree_Insert(shBoxTree* tree, int item, shBox box, int neighbour, shMessage* message)
{
    shStatus status = checkNew(tree, "insert", item, box, message);
    if (status != shOk)
        return status;
    if (neighbour != -1 && !shBoxTree_Has(tree, neighbour))
        return fail(message, shInvalid, "insert: item %d is to go near item %d, which is not in the tree", item,
                    neighbour);
    if (!balancedReserve(tree, tree->itemCount + 1, item + 1))
        return failMemory(message);
    if (tree->itemCount == 0)
        balancedInsertFirst(tree, item, box);
    else
        balancedInsertAt(tree, neighbour >= 0 ? tree->places[neighbour] : balancedNearest(tree, box), item, box);
    balancedRefitDirty(tree, tree->optimise);
    return shOk;
}

shStatus shBoxTree_Remove(shBoxTree* tree, int item, shMessage* message)
{
    if (!shBoxTree_Has(tree, item))
        return fail(message, shInvalid, "remove: item %d is not in the tree", item);
    balancedRemoveItem(tree, item);
    balancedRefitDirty(tree, tree->optimise);
    return shOk;
}

shStatus shBoxTree_Replace(shBoxTree* tree, int old, int item, shBox box, shMessage* message)
{
    if (!shBoxTree_Has(tree, old))
        return fail(message, shInvalid, "replace: item %d is not in the tree", old);
    shStatus status = old == item && balancedValidBox(box) ? shOk : checkNew(tree, "replace", item, box, message);
    if (status != shOk)
        return status;
    if (!balancedReserve(tree, tree->itemCount, item + 1))
        return failMemory(message);
    int slot = tree->places[old];
    tree->places[old] = balancedAbsent;
    balancedSetLeaf(tree, slot, item, box);
    balancedRefitDirty(tree, tree->optimise);
    return shOk;
}

// ---- all items ------------------------------------------------------------------------------------------------------

shStatus shBoxTree_Build(shBoxTree* tree, int count, const int* items, const shBox* boxes, shMessage* message)
{
    if (count < 0 || count > SH_BOX_TREE_ITEMS || (count > 0 && boxes == NULL))
        return fail(message, shInvalid, "build: %d items%s: up to %d are possible", count,
                    boxes == NULL ? " without boxes" : "", SH_BOX_TREE_ITEMS);
    int end = 0;
    for (int i = 0; i < count; ++i) {
        int item = items != NULL ? items[i] : i;
        shStatus status = checkNumber("build", item, message);
        if (status != shOk)
            return status;
        if (!balancedValidBox(boxes[i]))
            return fail(message, shInvalid, "build: the box of item %d is not finite or inside out", item);
        end = maxI(end, item + 1);
    }
    Memory* memory = balancedMemory(tree);
    if (items != NULL) {
        size_t bytes = ((size_t)end + 7) / 8;
        uint8_t* seen = memAllocZero(memory, bytes);
        int twice = -1;
        if (end > 0 && seen == NULL)
            return failMemory(message);
        for (int i = 0; i < count && twice < 0; ++i) {
            uint8_t bit = (uint8_t)(1 << (items[i] & 7));
            if (seen[items[i] >> 3] & bit)
                twice = items[i];
            seen[items[i] >> 3] |= bit;
        }
        memFree(memory, seen, bytes);
        if (twice >= 0)
            return fail(message, shInvalid, "build: item %d comes twice", twice);
    }
    // What is built is about to grow, or it would not be in such a tree.
    if (!balancedReserve(tree, count + count / 8, end + end / 8) || !balancedBuild(tree, count, items, boxes))
        return failMemory(message);
    return shOk;
}

shStatus shBoxTree_Rebuild(shBoxTree* tree, shMessage* message)
{
    Memory* memory = balancedMemory(tree);
    int count = tree->itemCount, n = 0;
    if (count == 0)
        return shOk;
    int* items = NEW_ARRAY(memory, int, count);
    shBox* boxes = NEW_ARRAY(memory, shBox, count);
    bool fits = items != NULL && boxes != NULL;
    for (int i = 0; fits && i < tree->itemEnd; ++i)
        if (tree->places[i] >= 0) {
            items[n] = i;
            boxes[n++] = balancedBox(tree, tree->places[i]);
        }
    fits = fits && balancedBuild(tree, count, items, boxes);
    FREE_ARRAY(memory, boxes, count);
    FREE_ARRAY(memory, items, count);
    return fits ? shOk : failMemory(message);
}

// ---- what is there --------------------------------------------------------------------------------------------------

bool shBoxTree_Has(const shBoxTree* tree, int item)
{
    return item >= 0 && item < tree->itemEnd && tree->places[item] >= 0;
}

shBox shBoxTree_GetBox(const shBoxTree* tree, int item)
{
    return shBoxTree_Has(tree, item) ? balancedBox(tree, tree->places[item]) : boxEmpty();
}

shBoxTreeProfile shBoxTree_GetProfile(const shBoxTree* tree) { return tree->profile; }

shBoxTreeInfo shBoxTree_GetInfo(const shBoxTree* tree)
{
    shBoxTreeInfo info = {.itemCount = tree->itemCount, .itemLimit = tree->itemEnd, .rebuilds = tree->rebuilds};
    info.box = boxEmpty();
    if (tree->itemCount > 0) {
        shBoxTree copy = *tree; // its numbers may change, the tree does not
        info.height = balancedHeight(tree, 0);
        info.box = balancedBox(tree, 0);
        info.quality = balancedQuality(&copy);
    }
    info.bytes = (int64_t)sizeof *tree + (int64_t)sizeof *tree->nodes * tree->nodeCapacity +
                 (int64_t)sizeof *tree->places * tree->placeCapacity + (int64_t)sizeof(int) * tree->scratchCapacity;
    return info;
}

// ---- checking -------------------------------------------------------------------------------------------------------

static bool sameBox(shBox a, shBox b)
{
    return a.lower.x == b.lower.x && a.lower.y == b.lower.y && a.lower.z == b.lower.z && a.upper.x == b.upper.x &&
           a.upper.y == b.upper.y && a.upper.z == b.upper.z;
}

// Counts the leaves below a slot; negative after a failure.
static int checkBelow(const shBoxTree* tree, int slot, shMessage* message)
{
    int child = balancedChild(tree, slot), height = balancedHeight(tree, slot);
    if (balancedDirty(tree, slot))
        return fail(message, shFailed, "slot %d is marked as out of date", slot), -1;
    if (child < 0) {
        int item = ~child;
        if (item >= tree->itemEnd || tree->places[item] != slot || height != 0)
            return fail(message, shFailed, "item %d is at slot %d of height %d, its place is another", item, slot,
                        height),
                   -1;
        return 1;
    }
    if (child == 0 || child >= tree->nodeEnd || tree->nodes[child].parent != slot)
        return fail(message, shFailed, "slot %d: node %d is not its child", slot, child), -1;
    const BalancedNode* node = &tree->nodes[child];
    int difference = (int)node->height[0] - (int)node->height[1];
    if (difference < -1 || difference > 1 || height != balancedHigher(node) || height > balancedMostHeight)
        return fail(message, shFailed, "node %d: heights %d and %d below %d", child, node->height[0], node->height[1],
                    height),
               -1;
    if (!sameBox(balancedBox(tree, slot), balancedUnion(node)))
        return fail(message, shFailed, "node %d: its box is not that of its children", child), -1;
    int left = checkBelow(tree, 2 * child, message), right = left < 0 ? -1 : checkBelow(tree, 2 * child + 1, message);
    return right < 0 ? -1 : left + right;
}

shStatus shBoxTree_Validate(const shBoxTree* tree, shMessage* message)
{
    int count = 0;
    for (int i = 0; i < tree->placeCapacity; ++i)
        if (tree->places[i] != balancedAbsent && (i >= tree->itemEnd || ++count > tree->itemCount))
            return fail(message, shFailed, "item %d is not counted", i);
    int leaves = tree->itemCount > 0 ? checkBelow(tree, 0, message) : 0;
    if (leaves < 0)
        return shFailed;
    if (count != tree->itemCount || leaves != tree->itemCount)
        return fail(message, shFailed, "%d items, %d places, %d leaves", tree->itemCount, count, leaves);
    if (tree->sumKnown && tree->itemCount > 0) {
        double sum = balancedSum(tree);
        if (!(fabs(sum - tree->sum) <= BALANCED_SUM_ERROR * maxD(sum, tree->peakSum)))
            return fail(message, shFailed, "the running sum for Q is %.17g, not %.17g", tree->sum, sum);
    }
    return shOk;
}

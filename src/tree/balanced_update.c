// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A step of a growing crack (Otaduy §4.1): checked first, then leaves are replaced, removed and inserted, then boxes
// follow along the paths that have changed, with permutations (§4.3).
#include "core/constants.h"
#include "core/message.h"
#include "tree/balanced_tree.h"

#include <string.h>

// ---- checking -------------------------------------------------------------------------------------------------------

static void clearMarks(shBoxTree* tree, const shBoxTreeUpdate* update, int removed, int added, int moved)
{
    for (int i = 0; i < removed; ++i)
        tree->scratch.removedMarks[update->removed[i]] = 0;
    for (int i = 0; i < added; ++i)
        tree->scratch.addedMarks[update->added[i]] = 0;
    for (int i = 0; i < moved; ++i)
        tree->scratch.addedMarks[update->moved[i]] = 0;
}

static shStatus checkLists(const shBoxTreeUpdate* update, shMessage* message)
{
    if (update == NULL || update->removedCount < 0 || update->addedCount < 0 || update->movedCount < 0 ||
        (update->removedCount > 0 && update->removed == NULL) ||
        (update->addedCount > 0 && (update->added == NULL || update->addedBoxes == NULL)) ||
        (update->movedCount > 0 && (update->moved == NULL || update->movedBoxes == NULL)))
        return fail(message, shInvalid, "update: a list has items and no array, or less than none");
    if ((update->neighbourStarts == NULL) != (update->neighbours == NULL))
        return fail(message, shInvalid, "update: neighbours need both arrays, neighbourStarts and neighbours");
    return shOk;
}

static shStatus checkRemoved(shBoxTree* tree, const shBoxTreeUpdate* update, int* done, shMessage* message)
{
    for (; *done < update->removedCount; ++*done) {
        int item = update->removed[*done];
        if (!shBoxTree_Has(tree, item))
            return fail(message, shInvalid, "update: removed item %d is not in the tree", item);
        if (tree->scratch.removedMarks[item] != 0)
            return fail(message, shInvalid, "update: item %d is removed twice", item);
        tree->scratch.removedMarks[item] = *done + 1;
    }
    return shOk;
}

static shStatus checkAdded(shBoxTree* tree, const shBoxTreeUpdate* update, int* done, shMessage* message)
{
    for (; *done < update->addedCount; ++*done) {
        int item = update->added[*done];
        if (!balancedValidBox(update->addedBoxes[*done]))
            return fail(message, shInvalid, "update: the box of added item %d is not finite or inside out", item);
        if (tree->scratch.addedMarks[item] != 0)
            return fail(message, shInvalid, "update: item %d is added twice", item);
        if (shBoxTree_Has(tree, item) && tree->scratch.removedMarks[item] == 0)
            return fail(message, shInvalid, "update: added item %d is in the tree already and not removed", item);
        int from = update->addedFrom != NULL ? update->addedFrom[*done] : -1;
        if (from < -1 || from >= update->removedCount)
            return fail(message, shInvalid, "update: added item %d is a part of removed[%d], of which there are %d",
                        item, from, update->removedCount);
        tree->scratch.addedMarks[item] = *done + 1;
    }
    return shOk;
}

static shStatus checkMoved(shBoxTree* tree, const shBoxTreeUpdate* update, int* done, shMessage* message)
{
    for (; *done < update->movedCount; ++*done) {
        int item = update->moved[*done];
        if (!shBoxTree_Has(tree, item))
            return fail(message, shInvalid, "update: moved item %d is not in the tree", item);
        if (tree->scratch.removedMarks[item] != 0 || tree->scratch.addedMarks[item] != 0)
            return fail(message, shInvalid, "update: moved item %d is removed, added or moved as well", item);
        if (!balancedValidBox(update->movedBoxes[*done]))
            return fail(message, shInvalid, "update: the box of moved item %d is not finite or inside out", item);
        tree->scratch.addedMarks[item] = -1;
    }
    return shOk;
}

static shStatus checkNeighbours(const shBoxTree* tree, const shBoxTreeUpdate* update, shMessage* message)
{
    const int* starts = update->neighbourStarts;
    if (starts == NULL)
        return shOk;
    if (starts[0] < 0)
        return fail(message, shInvalid, "update: neighbourStarts begins with %d", starts[0]);
    for (int k = 0; k < update->addedCount; ++k) {
        if (starts[k + 1] < starts[k])
            return fail(message, shInvalid, "update: neighbourStarts goes down after %d", k);
        for (int i = starts[k]; i < starts[k + 1]; ++i) {
            int item = update->neighbours[i];
            bool known = item >= 0 && item < tree->scratch.markCapacity &&
                         (tree->scratch.addedMarks[item] > 0 ||
                          (shBoxTree_Has(tree, item) && tree->scratch.removedMarks[item] == 0));
            if (!known)
                return fail(message, shInvalid, "update: neighbour %d of added item %d neither stays nor is added",
                            item, update->added[k]);
        }
    }
    return shOk;
}

// Memory for everything that follows, and the marks.
static shStatus prepare(shBoxTree* tree, const shBoxTreeUpdate* update, shMessage* message)
{
    Memory* memory = balancedMemory(tree);
    BalancedScratch* scratch = &tree->scratch;
    int end = tree->itemEnd, before = scratch->markCapacity;
    for (int i = 0; i < update->addedCount; ++i) {
        int item = update->added[i];
        if (item < 0 || item >= SH_BOX_TREE_ITEMS)
            return fail(message, shInvalid, "update: added item %d is not in 0 … %d", item, SH_BOX_TREE_ITEMS - 1);
        end = maxI(end, item + 1);
    }
    int64_t items = (int64_t)tree->itemCount + update->addedCount;
    if (items > (int64_t)SH_BOX_TREE_ITEMS + update->removedCount)
        return fail(message, shLimit, "update: more than %d items", SH_BOX_TREE_ITEMS);
    if (!arrayReserveBytes(memory, &scratch->removedMarks, &scratch->removedCapacity, sizeof(int), end) ||
        !arrayReserveBytes(memory, &scratch->addedMarks, &scratch->addedCapacity, sizeof(int), end))
        return failMemory(message);
    scratch->markCapacity = minI(scratch->removedCapacity, scratch->addedCapacity);
    for (int i = before; i < scratch->markCapacity; ++i)
        scratch->removedMarks[i] = scratch->addedMarks[i] = 0;
    int64_t numbers = 2 * (int64_t)update->removedCount + 2 * (int64_t)update->addedCount;
    if (!balancedReserve(tree, (int)items, end) ||
        !arrayReserveBytes(memory, &scratch->numbers, &scratch->numberCapacity, sizeof(int), numbers))
        return failMemory(message);
    return shOk;
}

static shStatus check(shBoxTree* tree, const shBoxTreeUpdate* update, shMessage* message)
{
    shStatus status = checkLists(update, message);
    if (status == shOk)
        status = prepare(tree, update, message);
    if (status != shOk)
        return status;
    int removed = 0, added = 0, moved = 0;
    status = checkRemoved(tree, update, &removed, message);
    if (status == shOk)
        status = checkAdded(tree, update, &added, message);
    if (status == shOk)
        status = checkMoved(tree, update, &moved, message);
    if (status == shOk)
        status = checkNeighbours(tree, update, message);
    if (status != shOk)
        clearMarks(tree, update, removed, added, moved);
    return status;
}

// ---- replacing ------------------------------------------------------------------------------------------------------

// chosen[r]: which added item takes the leaf of removed item r, -1: none. The largest part does.
static void chooseParts(const shBoxTree* tree, const shBoxTreeUpdate* update, int* chosen)
{
    for (int r = 0; r < update->removedCount; ++r)
        chosen[r] = -1;
    for (int k = 0; k < update->addedCount && update->addedFrom != NULL; ++k) {
        int r = update->addedFrom[k];
        if (r >= 0 && (chosen[r] < 0 || balancedMeasure(tree->pad, &update->addedBoxes[k]) >
                                            balancedMeasure(tree->pad, &update->addedBoxes[chosen[r]])))
            chosen[r] = k;
    }
}

static void replaceAndRemove(shBoxTree* tree, const shBoxTreeUpdate* update, int* chosen, int* slots, int* done)
{
    for (int r = 0; r < update->removedCount; ++r)
        if (chosen[r] < 0) {
            balancedRemoveItem(tree, update->removed[r]);
            ++tree->profile.removed;
        }
    for (int r = 0; r < update->removedCount; ++r) // a number that goes here may come there
        if (chosen[r] >= 0) {
            slots[r] = tree->places[update->removed[r]];
            tree->places[update->removed[r]] = balancedAbsent;
        }
    for (int r = 0; r < update->removedCount; ++r)
        if (chosen[r] >= 0) {
            balancedSetLeaf(tree, slots[r], update->added[chosen[r]], update->addedBoxes[chosen[r]]);
            done[chosen[r]] = 1;
            ++tree->profile.replaced;
        }
}

// ---- inserting ------------------------------------------------------------------------------------------------------

static void insertNear(shBoxTree* tree, const shBoxTreeUpdate* update, int k, int near)
{
    shBox box = update->addedBoxes[k];
    if (tree->itemCount == 0)
        balancedInsertFirst(tree, update->added[k], box);
    else
        balancedInsertAt(tree, near >= 0 ? tree->places[near] : balancedNearest(tree, box), update->added[k], box);
    ++tree->profile.inserted;
}

// A neighbour of added item k that is in the tree; `old`: only those that were there before. -1: none.
static int neighbourInTree(const shBoxTree* tree, const shBoxTreeUpdate* update, int k, bool old)
{
    for (int i = update->neighbourStarts[k]; i < update->neighbourStarts[k + 1]; ++i) {
        int item = update->neighbours[i];
        if (tree->places[item] >= 0 && (!old || tree->scratch.addedMarks[item] <= 0))
            return item;
    }
    return -1;
}

// Everything that can be reached from what waits in the queue, nearest first.
static int flood(shBoxTree* tree, const shBoxTreeUpdate* update, int* done, int* queue, int first, int last)
{
    for (; first < last; ++first) {
        int parent = queue[first];
        for (int i = update->neighbourStarts[parent]; i < update->neighbourStarts[parent + 1]; ++i) {
            int k = tree->scratch.addedMarks[update->neighbours[i]] - 1;
            if (k < 0 || done[k])
                continue;
            insertNear(tree, update, k, update->added[parent]);
            done[k] = 1;
            queue[last++] = k;
        }
    }
    return last;
}

static void insertByNeighbours(shBoxTree* tree, const shBoxTreeUpdate* update, int* done, int* queue)
{
    int last = 0;
    for (int k = 0; k < update->addedCount; ++k) {
        if (done[k])
            continue;
        int near = neighbourInTree(tree, update, k, true);
        if (near < 0)
            continue;
        insertNear(tree, update, k, near);
        done[k] = 2;
        queue[last++] = k;
    }
    for (int k = 0; k < update->addedCount; ++k) // those that took a leaf
        if (done[k] == 1)
            queue[last++] = k;
    last = flood(tree, update, done, queue, 0, last);
    for (int k = 0; k < update->addedCount; ++k) { // neighbours may name others that do not name them; and soup
        if (done[k])
            continue;
        insertNear(tree, update, k, neighbourInTree(tree, update, k, false));
        done[k] = 1;
        queue[last] = k;
        last = flood(tree, update, done, queue, last, last + 1);
    }
}

static void insertByParts(shBoxTree* tree, const shBoxTreeUpdate* update, const int* chosen, const int* done)
{
    for (int k = 0; k < update->addedCount; ++k) {
        if (done[k])
            continue;
        int from = update->addedFrom != NULL ? update->addedFrom[k] : -1;
        insertNear(tree, update, k, from >= 0 ? update->added[chosen[from]] : -1);
    }
}

// ---- the update -----------------------------------------------------------------------------------------------------

shStatus shBoxTree_Update(shBoxTree* tree, const shBoxTreeUpdate* update, shMessage* message)
{
    double start = contextSeconds(tree->context);
    shStatus status = check(tree, update, message);
    if (status != shOk)
        return status;
    tree->profile = (shBoxTreeProfile){0};
    int *chosen = tree->scratch.numbers, *slots = chosen + update->removedCount, *done = slots + update->removedCount,
        *queue = done + update->addedCount;
    if (update->addedCount > 0)
        memset(done, 0, sizeof *done * (size_t)update->addedCount);
    double checked = contextSeconds(tree->context);
    for (int i = 0; i < update->movedCount; ++i)
        balancedSetLeaf(tree, tree->places[update->moved[i]], update->moved[i], update->movedBoxes[i]);
    tree->profile.moved = update->movedCount;
    chooseParts(tree, update, chosen);
    replaceAndRemove(tree, update, chosen, slots, done);
    double replaced = contextSeconds(tree->context);
    if (update->neighbourStarts != NULL)
        insertByNeighbours(tree, update, done, queue);
    else
        insertByParts(tree, update, chosen, done);
    clearMarks(tree, update, update->removedCount, update->addedCount, update->movedCount);
    double inserted = contextSeconds(tree->context);
    balancedRefitDirty(tree, tree->optimise);
    double refitted = contextSeconds(tree->context), rebuilt = refitted;
    if (tree->rebuildQuality > 0.0f &&
        balancedQuality(tree) > maxD((double)tree->rebuildQuality, BALANCED_WORTH * tree->builtQuality)) {
        // Out of memory, the tree is right and only not as tight: the next update tries again.
        tree->profile.rebuilt = shBoxTree_Rebuild(tree, NULL) == shOk;
        tree->rebuilds += tree->profile.rebuilt;
        rebuilt = contextSeconds(tree->context);
    }
    tree->profile.checkSeconds = checked - start;
    tree->profile.replaceSeconds = replaced - checked;
    tree->profile.insertSeconds = inserted - replaced;
    tree->profile.refitSeconds = refitted - inserted;
    tree->profile.rebuildSeconds = rebuilt - refitted;
    return shOk;
}

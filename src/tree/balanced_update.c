// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A step of a growing crack (Otaduy §4.1): checked first, then leaves are replaced, removed and inserted, then boxes
// follow along the paths that have changed, with permutations (§4.3).
#include "core/constants.h"
#include "core/message.h"
#include "tree/balanced_tree.h"

// ---- checking -------------------------------------------------------------------------------------------------------

// While an update is checked, places of items that it names say what it does with them, and slots are kept aside. So it
// needs no memory by item, and a neighbour is looked up once.
enum { markRemoved, markAdded, markMoved, markBits = 2 };

static int marked(int kind, int index) { return -2 - (index << markBits | kind); }
static bool isMarked(int place, int kind) { return place < -1 && ((-2 - place) & 3) == kind; }
static int indexOf(int place) { return (-2 - place) >> markBits; }

typedef struct Updating {
    shBoxTree* tree;
    const shBoxTreeUpdate* update;
    int *removedSlots, *movedSlots;
    int* chosen;               // by removed item: which added one takes its leaf, -1: none
    int* near;                 // by added item: a neighbour that stays, -1: none
    int* queue;                // of added items
    int removed, added, moved; // that are marked
} Updating;

static void unmark(const Updating* u)
{
    int* places = u->tree->places;
    for (int k = 0; k < u->added; ++k)
        places[u->update->added[k]] = balancedAbsent;
    for (int r = 0; r < u->removed; ++r)
        places[u->update->removed[r]] = u->removedSlots[r];
    for (int m = 0; m < u->moved; ++m)
        places[u->update->moved[m]] = u->movedSlots[m];
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

static bool inRange(const shBoxTree* tree, int item) { return item >= 0 && item < tree->placeCapacity; }

static shStatus checkRemoved(Updating* u, shMessage* message)
{
    shBoxTree* tree = u->tree;
    for (; u->removed < u->update->removedCount; ++u->removed) {
        int item = u->update->removed[u->removed], place = inRange(tree, item) ? tree->places[item] : balancedAbsent;
        if (place < -1)
            return fail(message, shInvalid, "update: item %d is removed twice", item);
        if (place < 0)
            return fail(message, shInvalid, "update: removed item %d is not in the tree", item);
        u->removedSlots[u->removed] = place;
        tree->places[item] = marked(markRemoved, u->removed);
    }
    return shOk;
}

static shStatus checkMoved(Updating* u, shMessage* message)
{
    shBoxTree* tree = u->tree;
    for (; u->moved < u->update->movedCount; ++u->moved) {
        int item = u->update->moved[u->moved], place = inRange(tree, item) ? tree->places[item] : balancedAbsent;
        if (place < -1)
            return fail(message, shInvalid, "update: moved item %d is removed or moved as well", item);
        if (place < 0)
            return fail(message, shInvalid, "update: moved item %d is not in the tree", item);
        if (!balancedValidBox(u->update->movedBoxes[u->moved]))
            return fail(message, shInvalid, "update: the box of moved item %d is not finite or inside out", item);
        u->movedSlots[u->moved] = place;
        tree->places[item] = marked(markMoved, u->moved);
    }
    return shOk;
}

static shStatus checkAdded(Updating* u, shMessage* message)
{
    const shBoxTreeUpdate* update = u->update;
    for (; u->added < update->addedCount; ++u->added) {
        int item = update->added[u->added], place = u->tree->places[item];
        if (!balancedValidBox(update->addedBoxes[u->added]))
            return fail(message, shInvalid, "update: the box of added item %d is not finite or inside out", item);
        if (isMarked(place, markAdded))
            return fail(message, shInvalid, "update: item %d is added twice", item);
        if (place != balancedAbsent && !isMarked(place, markRemoved))
            return fail(message, shInvalid, "update: added item %d is in the tree already and not removed", item);
        int from = update->addedFrom != NULL ? update->addedFrom[u->added] : -1;
        if (from < -1 || from >= update->removedCount)
            return fail(message, shInvalid, "update: added item %d is a part of removed[%d], of which there are %d",
                        item, from, update->removedCount);
        u->tree->places[item] = marked(markAdded, u->added);
    }
    return shOk;
}

// Finds a neighbour that stays for each, too.
static shStatus checkNeighbours(const Updating* u, shMessage* message)
{
    const int* starts = u->update->neighbourStarts;
    if (starts == NULL)
        return shOk;
    if (starts[0] < 0)
        return fail(message, shInvalid, "update: neighbourStarts begins with %d", starts[0]);
    for (int k = 0; k < u->update->addedCount; ++k) {
        if (starts[k + 1] < starts[k])
            return fail(message, shInvalid, "update: neighbourStarts goes down after %d", k);
        u->near[k] = -1;
        for (int i = starts[k]; i < starts[k + 1]; ++i) {
            int item = u->update->neighbours[i],
                place = inRange(u->tree, item) ? u->tree->places[item] : balancedAbsent;
            bool stays = place >= 0 || isMarked(place, markMoved);
            if (!stays && !isMarked(place, markAdded))
                return fail(message, shInvalid, "update: neighbour %d of added item %d neither stays nor is added",
                            item, u->update->added[k]);
            if (stays && u->near[k] < 0)
                u->near[k] = item;
        }
    }
    return shOk;
}

// Memory for everything that follows.
static shStatus prepare(Updating* u, shMessage* message)
{
    shBoxTree* tree = u->tree;
    const shBoxTreeUpdate* update = u->update;
    int end = tree->itemEnd;
    for (int i = 0; i < update->addedCount; ++i) {
        int item = update->added[i];
        if (item < 0 || item >= SH_BOX_TREE_ITEMS)
            return fail(message, shInvalid, "update: added item %d is not in 0 … %d", item, SH_BOX_TREE_ITEMS - 1);
        end = maxI(end, item + 1);
    }
    int64_t items = (int64_t)tree->itemCount + update->addedCount;
    int64_t numbers = 2 * ((int64_t)update->removedCount + update->addedCount) + update->movedCount;
    if (items > 2 * (int64_t)SH_BOX_TREE_ITEMS || numbers > INT32_MAX)
        return fail(message, shLimit, "update: more items than the %d there may be", SH_BOX_TREE_ITEMS);
    if (!balancedReserve(tree, (int)items, end) ||
        !arrayReserveBytes(balancedMemory(tree), &tree->scratch, &tree->scratchCapacity, sizeof(int), numbers))
        return failMemory(message);
    u->removedSlots = tree->scratch;
    u->chosen = u->removedSlots + update->removedCount;
    u->movedSlots = u->chosen + update->removedCount;
    u->near = u->movedSlots + update->movedCount;
    u->queue = u->near + update->addedCount;
    return shOk;
}

static shStatus check(Updating* u, shMessage* message)
{
    shStatus status = checkLists(u->update, message);
    if (status == shOk)
        status = prepare(u, message);
    if (status != shOk)
        return status;
    status = checkRemoved(u, message);
    if (status == shOk)
        status = checkMoved(u, message);
    if (status == shOk)
        status = checkAdded(u, message);
    if (status == shOk)
        status = checkNeighbours(u, message);
    unmark(u);
    return status;
}

// ---- replacing ------------------------------------------------------------------------------------------------------

static float sizeOf(const shBox* box)
{
    Vec3 size = boxSize(*box);
    return size.x + size.y + size.z;
}

// The largest part of each removed item takes its leaf.
static void chooseParts(const Updating* u)
{
    const shBoxTreeUpdate* update = u->update;
    for (int r = 0; r < update->removedCount; ++r)
        u->chosen[r] = -1;
    for (int k = 0; k < update->addedCount && update->addedFrom != NULL; ++k) {
        int r = update->addedFrom[k];
        if (r >= 0 && (u->chosen[r] < 0 || sizeOf(&update->addedBoxes[k]) > sizeOf(&update->addedBoxes[u->chosen[r]])))
            u->chosen[r] = k;
    }
}

static void replaceAndRemove(const Updating* u)
{
    shBoxTree* tree = u->tree;
    const shBoxTreeUpdate* update = u->update;
    for (int r = 0; r < update->removedCount; ++r)
        if (u->chosen[r] < 0) {
            balancedRemoveItem(tree, update->removed[r]);
            ++tree->profile.removed;
        }
    for (int r = 0; r < update->removedCount; ++r) // a number that goes here may come there
        if (u->chosen[r] >= 0) {
            u->removedSlots[r] = tree->places[update->removed[r]];
            tree->places[update->removed[r]] = balancedAbsent;
        }
    for (int r = 0; r < update->removedCount; ++r)
        if (u->chosen[r] >= 0) {
            balancedSetLeaf(tree, u->removedSlots[r], update->added[u->chosen[r]], update->addedBoxes[u->chosen[r]]);
            ++tree->profile.replaced;
        }
}

// ---- inserting ------------------------------------------------------------------------------------------------------

// `near`: an item in the tree, -1: where boxes grow least.
static void insertNear(const Updating* u, int k, int near)
{
    shBoxTree* tree = u->tree;
    shBox box = u->update->addedBoxes[k];
    if (tree->itemCount == 0)
        balancedInsertFirst(tree, u->update->added[k], box);
    else
        balancedInsertAt(tree, near >= 0 ? tree->places[near] : balancedNearest(tree, box), u->update->added[k], box);
    ++tree->profile.inserted;
}

static bool isInserted(const Updating* u, int k) { return u->tree->places[u->update->added[k]] >= 0; }

// Everything that can be reached from what waits in the queue, nearest first. Returns where the queue ends.
static int flood(const Updating* u, int first, int last)
{
    const int *starts = u->update->neighbourStarts, *neighbours = u->update->neighbours;
    for (; first < last; ++first) {
        int parent = u->queue[first];
        for (int i = starts[parent]; i < starts[parent + 1]; ++i) {
            int place = u->tree->places[neighbours[i]];
            if (place >= 0)
                continue;
            int k = indexOf(place);
            insertNear(u, k, u->update->added[parent]);
            u->queue[last++] = k;
        }
    }
    return last;
}

// Beside what stays first, then beside what took a leaf, then beside those (§4.1).
static void insertByNeighbours(const Updating* u)
{
    int count = u->update->addedCount, last = 0, taken = 0;
    for (int k = 0; k < count; ++k)
        if (isInserted(u, k))
            u->queue[count - ++taken] = k;
        else
            u->tree->places[u->update->added[k]] = marked(markAdded, k);
    for (int k = 0; k < count; ++k)
        if (!isInserted(u, k) && u->near[k] >= 0) {
            insertNear(u, k, u->near[k]);
            u->queue[last++] = k;
        }
    for (int i = 0; i < taken; ++i) // from the end of the array, which is not reached before
        u->queue[last + i] = u->queue[count - taken + i];
    last = flood(u, 0, last + taken);
    for (int k = 0; k < count; ++k) { // neighbours may name others that do not name them; and soup
        if (isInserted(u, k))
            continue;
        int near = -1;
        for (int i = u->update->neighbourStarts[k]; i < u->update->neighbourStarts[k + 1] && near < 0; ++i)
            if (u->tree->places[u->update->neighbours[i]] >= 0)
                near = u->update->neighbours[i];
        insertNear(u, k, near);
        u->queue[last] = k;
        last = flood(u, last, last + 1);
    }
}

static void insertByParts(const Updating* u)
{
    const shBoxTreeUpdate* update = u->update;
    for (int k = 0; k < update->addedCount; ++k) {
        int from = update->addedFrom != NULL ? update->addedFrom[k] : -1;
        if (!isInserted(u, k))
            insertNear(u, k, from >= 0 ? update->added[u->chosen[from]] : -1);
    }
}

// Instead of inserting. False: there is no memory, and nothing has changed.
static bool buildWithAdded(const Updating* u)
{
    shBoxTree* tree = u->tree;
    Memory* memory = balancedMemory(tree);
    int room = tree->itemCount + u->update->addedCount, count = 0;
    int* items = NEW_ARRAY(memory, int, room);
    shBox* boxes = NEW_ARRAY(memory, shBox, room);
    bool fits = items != NULL && boxes != NULL;
    for (int i = 0; fits && i < tree->itemEnd; ++i)
        if (tree->places[i] >= 0) {
            items[count] = i;
            boxes[count++] = balancedBox(tree, tree->places[i]);
        }
    int inserted = 0;
    for (int k = 0; fits && k < u->update->addedCount; ++k)
        if (!isInserted(u, k)) {
            items[count] = u->update->added[k];
            boxes[count++] = u->update->addedBoxes[k];
            ++inserted;
        }
    fits = fits && balancedBuild(tree, count, items, boxes);
    FREE_ARRAY(memory, boxes, room);
    FREE_ARRAY(memory, items, room);
    tree->profile.inserted += fits ? inserted : 0;
    return fits;
}

// ---- the update -----------------------------------------------------------------------------------------------------

shStatus shBoxTree_Update(shBoxTree* tree, const shBoxTreeUpdate* update, shMessage* message)
{
    double start = contextSeconds(tree->context);
    Updating u = {.tree = tree, .update = update};
    shStatus status = check(&u, message);
    if (status != shOk)
        return status;
    tree->profile = (shBoxTreeProfile){.moved = update->movedCount};
    double checked = contextSeconds(tree->context);
    for (int i = 0; i < update->movedCount; ++i)
        balancedSetLeaf(tree, u.movedSlots[i], update->moved[i], update->movedBoxes[i]);
    chooseParts(&u);
    replaceAndRemove(&u);
    double replaced = contextSeconds(tree->context);
    tree->profile.rebuilt = tree->rebuildQuality > 0.0f &&
                            balancedBuildIsCheaper(0.0, tree->itemCount, update->addedCount - tree->profile.replaced) &&
                            buildWithAdded(&u);
    if (!tree->profile.rebuilt && update->neighbourStarts != NULL)
        insertByNeighbours(&u);
    else if (!tree->profile.rebuilt)
        insertByParts(&u);
    double inserted = contextSeconds(tree->context);
    balancedRefitDirty(tree, tree->optimise);
    double refitted = contextSeconds(tree->context), rebuilt = refitted;
    if (tree->rebuildQuality > 0.0f && !tree->profile.rebuilt &&
        balancedQuality(tree) > maxD((double)tree->rebuildQuality, BALANCED_WORTH * tree->builtQuality)) {
        // Out of memory, the tree is right and only not as tight: the next update tries again.
        tree->profile.rebuilt = shBoxTree_Rebuild(tree, NULL) == shOk;
        rebuilt = contextSeconds(tree->context);
    }
    tree->rebuilds += tree->profile.rebuilt;
    tree->profile.checkSeconds = checked - start;
    tree->profile.replaceSeconds = replaced - checked;
    tree->profile.insertSeconds = inserted - replaced;
    tree->profile.refitSeconds = refitted - inserted;
    tree->profile.rebuildSeconds = rebuilt - refitted;
    return shOk;
}

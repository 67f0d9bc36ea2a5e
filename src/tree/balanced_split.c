// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A tree that falls apart (Otaduy §4.2). The paper clones the tree for every part and deletes what belongs to others,
// leaf by leaf. Here each node is labelled with the part of its leaves, branches of one part are copied whole, and what
// is left of mixed nodes is joined by height: a branch of height h joins one of height H in H - h steps. So all parts
// together cost one pass over the tree, and mixed nodes, those along the crack, once per part.
#include "core/constants.h"
#include "core/message.h"
#include "tree/balanced_tree.h"

#include <string.h>

enum { labelMixed = -1, labelNone = -2 };

typedef struct Splitting {
    const shBoxTree* tree;
    const shBoxTreeSplit* split;
    int* labels;     // [nodeEnd] the part of all leaves below a node, or one of the above
    int* itemCounts; // [partCount] that stay
    int* kept;       // [itemCount] their numbers, part by part
    int* keptStarts; // [partCount + 1]
    int* itemEnds;   // [partCount]
    // By part, the parts one after the other: what is added.
    int* starts;          // [partCount + 1]
    int* added;           // [addedCount] items
    shBox* boxes;         // [addedCount]
    int* neighbourStarts; // [addedCount + partCount]
    int* neighbours;
    int* partOfAdded; // [addedEnd] by item: part + 1, 0: not added
    int addedEnd, neighbourCount;
    shBoxTree** parts;
    bool* failed; // [partCount]
} Splitting;

// ---- checking and sorting -------------------------------------------------------------------------------------------

static shStatus checkSplit(const shBoxTree* tree, const shBoxTreeSplit* split, shMessage* message)
{
    if (split == NULL || split->partCount < 1 || split->addedCount < 0 || split->itemCount < tree->itemEnd ||
        (tree->itemCount > 0 && split->partOf == NULL))
        return fail(message, shInvalid, "split: needs at least one part and a part for every item up to %d",
                    tree->itemEnd - 1);
    if (split->addedCount > 0 && (split->added == NULL || split->addedBoxes == NULL || split->addedParts == NULL))
        return fail(message, shInvalid, "split: items are added without numbers, boxes or parts");
    if ((split->neighbourStarts == NULL) != (split->neighbours == NULL))
        return fail(message, shInvalid, "split: neighbours need both arrays, neighbourStarts and neighbours");
    for (int i = 0; i < tree->itemEnd; ++i)
        if (tree->places[i] >= 0 && (split->partOf[i] < -1 || split->partOf[i] >= split->partCount))
            return fail(message, shInvalid, "split: item %d is of part %d, there are %d", i, split->partOf[i],
                        split->partCount);
    for (int k = 0; k < split->addedCount; ++k)
        if (split->addedParts[k] < 0 || split->addedParts[k] >= split->partCount || split->added[k] < 0 ||
            split->added[k] >= SH_BOX_TREE_ITEMS)
            return fail(message, shInvalid, "split: added item %d of part %d: parts are below %d, items below %d",
                        split->added[k], split->addedParts[k], split->partCount, SH_BOX_TREE_ITEMS);
    return shOk;
}

static int partOfItem(const Splitting* s, int item)
{
    if (item >= 0 && item < s->addedEnd && s->partOfAdded[item] > 0)
        return s->partOfAdded[item] - 1;
    return shBoxTree_Has(s->tree, item) ? s->split->partOf[item] : -1;
}

// What is added, by part; boxes and numbers are checked when it is inserted.
static shStatus sortAdded(Splitting* s, shMessage* message)
{
    const shBoxTreeSplit* split = s->split;
    for (int k = 0; k < split->addedCount; ++k) {
        int item = split->added[k];
        bool stays = shBoxTree_Has(s->tree, item) && split->partOf[item] >= 0;
        if (s->partOfAdded[item] != 0 || stays)
            return fail(message, shInvalid, "split: added item %d %s", item,
                        stays ? "is in the tree already and stays" : "comes twice");
        if (!balancedValidBox(split->addedBoxes[k]))
            return fail(message, shInvalid, "split: the box of added item %d is not finite or inside out", item);
        s->partOfAdded[item] = split->addedParts[k] + 1;
        ++s->starts[split->addedParts[k] + 1];
    }
    for (int p = 0; p < split->partCount; ++p)
        s->starts[p + 1] += s->starts[p];
    int count = 0;
    for (int p = 0; p < split->partCount; ++p) {
        s->neighbourStarts[s->starts[p] + p] = count;
        int next = s->starts[p];
        for (int k = 0; k < split->addedCount; ++k) {
            if (split->addedParts[k] != p)
                continue;
            s->added[next] = split->added[k];
            s->boxes[next] = split->addedBoxes[k];
            for (int i = split->neighbourStarts != NULL ? split->neighbourStarts[k] : 0;
                 split->neighbourStarts != NULL && i < split->neighbourStarts[k + 1]; ++i) {
                if (i < 0 || i >= s->neighbourCount)
                    return fail(message, shInvalid, "split: neighbourStarts goes down");
                if (partOfItem(s, split->neighbours[i]) == p)
                    s->neighbours[count++] = split->neighbours[i];
            }
            s->neighbourStarts[++next + p] = count;
        }
    }
    return shOk;
}

// ---- labels ---------------------------------------------------------------------------------------------------------

static int labelOf(Splitting* s, int child)
{
    if (child < 0) {
        int part = s->split->partOf[~child];
        if (part < 0)
            return labelNone;
        ++s->itemCounts[part];
        s->itemEnds[part] = maxI(s->itemEnds[part], ~child + 1);
        return part;
    }
    const BalancedNode* node = &s->tree->nodes[child];
    int left = labelOf(s, node->child[0]), right = labelOf(s, node->child[1]);
    return s->labels[child] = left == right ? left : labelMixed;
}

// Numbers of what stays, part by part, in ascending order.
static void sortKept(Splitting* s)
{
    int partCount = s->split->partCount;
    for (int p = 0; p < partCount; ++p)
        s->keptStarts[p + 1] = s->keptStarts[p] + s->itemCounts[p];
    for (int i = s->tree->itemEnd - 1; i >= 0; --i) {
        int part = s->tree->places[i] >= 0 ? s->split->partOf[i] : -1;
        if (part >= 0)
            s->kept[--s->keptStarts[part + 1]] = i;
    }
    for (int p = 0; p < partCount; ++p) // each has come down to where its part begins
        s->keptStarts[p] = s->keptStarts[p + 1];
}

// ---- one part -------------------------------------------------------------------------------------------------------

static void copyBelow(const Splitting* s, shBoxTree* part, int slot, int from)
{
    int child = balancedChild(s->tree, from);
    if (child < 0) {
        balancedPut(part, slot, child, balancedBox(s->tree, from), 0, false);
        return;
    }
    int x = balancedTakeNode(part);
    balancedPut(part, slot, x, balancedBox(s->tree, from), balancedHeight(s->tree, from), false);
    copyBelow(s, part, 2 * x, 2 * child);
    copyBelow(s, part, 2 * x + 1, 2 * child + 1);
}

static BalancedBranch copyBranch(const Splitting* s, shBoxTree* part, int from)
{
    BalancedBranch branch = {balancedChild(s->tree, from), balancedHeight(s->tree, from), balancedBox(s->tree, from)};
    if (branch.child < 0)
        return branch; // its place is told where it is put
    int child = branch.child;
    branch.child = balancedTakeNode(part);
    copyBelow(s, part, 2 * branch.child, 2 * child);
    copyBelow(s, part, 2 * branch.child + 1, 2 * child + 1);
    return branch;
}

// What is below a slot and belongs to a part; false: nothing.
static bool restrictTo(const Splitting* s, shBoxTree* tree, int part, int from, BalancedBranch* branch)
{
    int child = balancedChild(s->tree, from);
    int label = child < 0 ? s->split->partOf[~child] : s->labels[child];
    if (label == part) {
        *branch = copyBranch(s, tree, from);
        return true;
    }
    if (child < 0 || label != labelMixed)
        return false;
    BalancedBranch left, right;
    bool hasLeft = restrictTo(s, tree, part, 2 * child, &left);
    bool hasRight = restrictTo(s, tree, part, 2 * child + 1, &right);
    if (hasLeft && hasRight)
        *branch = balancedJoin(tree, left, right);
    else if (hasLeft || hasRight)
        *branch = hasLeft ? left : right;
    return hasLeft || hasRight;
}

static shStatus buildPart(const Splitting* s, shBoxTree* part, int number, shMessage* message)
{
    Memory* memory = balancedMemory(part);
    int kept = s->itemCounts[number], addedCount = s->starts[number + 1] - s->starts[number], n = 0;
    int count = kept + addedCount, end = s->itemEnds[number];
    int* items = NEW_ARRAY(memory, int, count);
    shBox* boxes = NEW_ARRAY(memory, shBox, count);
    bool fits = items != NULL && boxes != NULL;
    for (int i = 0; fits && i < kept; ++i) {
        items[n] = s->kept[s->keptStarts[number] + i];
        boxes[n] = balancedBox(s->tree, s->tree->places[items[n]]);
        ++n;
    }
    for (int k = s->starts[number]; fits && k < s->starts[number + 1]; ++k) {
        items[n] = s->added[k];
        boxes[n++] = s->boxes[k];
        end = maxI(end, s->added[k] + 1);
    }
    fits = fits && balancedReserve(part, count, end) && balancedBuild(part, count, items, boxes);
    FREE_ARRAY(memory, boxes, count);
    FREE_ARRAY(memory, items, count);
    part->profile.rebuilt = true;
    part->rebuilds = 1;
    return fits ? shOk : failMemory(message);
}

static shStatus makePart(const Splitting* s, shBoxTree* part, int number, shMessage* message)
{
    int count = s->itemCounts[number], addedCount = s->starts[number + 1] - s->starts[number];
    if (s->tree->rebuildQuality > 0.0f && balancedBuildIsCheaper(BALANCED_COPY * count, count, addedCount))
        return buildPart(s, part, number, message);
    if (!balancedReserve(part, count + addedCount, s->itemEnds[number]))
        return failMemory(message);
    part->itemCount = count;
    part->itemEnd = s->itemEnds[number];
    BalancedBranch root;
    if (s->tree->itemCount > 0 && restrictTo(s, part, number, 0, &root))
        balancedPlant(part, root);
    balancedRefitDirty(part, part->optimise);
    if (addedCount == 0)
        return shOk;
    int first = s->starts[number];
    shBoxTreeUpdate update = {.addedCount = addedCount, .added = s->added + first, .addedBoxes = s->boxes + first};
    if (s->split->neighbourStarts != NULL) {
        update.neighbourStarts = s->neighbourStarts + first + number;
        update.neighbours = s->neighbours;
    }
    part->rebuildQuality = 0.0f; // what a break costs is not doubled for the sake of Q
    shStatus status = shBoxTree_Update(part, &update, message);
    part->rebuildQuality = s->tree->rebuildQuality;
    return status;
}

static void partTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Splitting* s = arg;
    for (int p = begin; p < end; ++p) // what could be wrong has been checked: only memory may be missing
        s->failed[p] = makePart(s, s->parts[p], p, NULL) != shOk;
}

// ---- all ------------------------------------------------------------------------------------------------------------

static shStatus takeMemory(Splitting* s, shMessage* message)
{
    Memory* memory = balancedMemory(s->tree);
    const shBoxTreeSplit* split = s->split;
    for (int k = 0; k < split->addedCount; ++k)
        s->addedEnd = maxI(s->addedEnd, split->added[k] + 1);
    if (split->neighbourStarts != NULL)
        s->neighbourCount = split->neighbourStarts[split->addedCount];
    if (s->neighbourCount < 0)
        return fail(message, shInvalid, "split: neighbourStarts ends with %d", s->neighbourCount);
    // One more than needed: nothing is of length 0.
    s->labels = NEW_ARRAY(memory, int, s->tree->nodeEnd);
    s->itemCounts = NEW_ZEROED(memory, int, split->partCount);
    s->itemEnds = NEW_ZEROED(memory, int, split->partCount);
    s->failed = NEW_ZEROED(memory, bool, split->partCount);
    s->kept = NEW_ARRAY(memory, int, (int64_t)s->tree->itemCount + 1);
    s->keptStarts = NEW_ZEROED(memory, int, split->partCount + 1);
    s->starts = NEW_ZEROED(memory, int, split->partCount + 1);
    s->added = NEW_ARRAY(memory, int, split->addedCount + 1);
    s->boxes = NEW_ARRAY(memory, shBox, split->addedCount + 1);
    s->neighbourStarts = NEW_ARRAY(memory, int, (int64_t)split->addedCount + split->partCount);
    s->neighbours = NEW_ARRAY(memory, int, (int64_t)s->neighbourCount + 1);
    s->partOfAdded = NEW_ZEROED(memory, int, s->addedEnd + 1);
    bool fits = s->labels != NULL && s->itemCounts != NULL && s->itemEnds != NULL && s->failed != NULL &&
                s->kept != NULL && s->keptStarts != NULL && s->starts != NULL && s->added != NULL && s->boxes != NULL &&
                s->neighbourStarts != NULL && s->neighbours != NULL && s->partOfAdded != NULL;
    return fits ? shOk : failMemory(message);
}

static void giveMemory(Splitting* s)
{
    Memory* memory = balancedMemory(s->tree);
    FREE_ARRAY(memory, s->partOfAdded, s->addedEnd + 1);
    FREE_ARRAY(memory, s->neighbours, (int64_t)s->neighbourCount + 1);
    FREE_ARRAY(memory, s->neighbourStarts, (int64_t)s->split->addedCount + s->split->partCount);
    FREE_ARRAY(memory, s->boxes, s->split->addedCount + 1);
    FREE_ARRAY(memory, s->added, s->split->addedCount + 1);
    FREE_ARRAY(memory, s->starts, s->split->partCount + 1);
    FREE_ARRAY(memory, s->failed, s->split->partCount);
    FREE_ARRAY(memory, s->keptStarts, s->split->partCount + 1);
    FREE_ARRAY(memory, s->kept, (int64_t)s->tree->itemCount + 1);
    FREE_ARRAY(memory, s->itemEnds, s->split->partCount);
    FREE_ARRAY(memory, s->itemCounts, s->split->partCount);
    FREE_ARRAY(memory, s->labels, s->tree->nodeEnd);
}

shStatus shBoxTree_Split(const shBoxTree* tree, const shBoxTreeSplit* split, shBoxTree** parts, shMessage* message)
{
    shStatus status = checkSplit(tree, split, message);
    if (status != shOk)
        return status;
    for (int p = 0; p < split->partCount; ++p)
        parts[p] = NULL;
    Splitting s = {.tree = tree, .split = split};
    status = takeMemory(&s, message);
    if (status == shOk)
        status = sortAdded(&s, message);
    if (status == shOk && tree->itemCount > 0)
        labelOf(&s, balancedChild(tree, 0));
    if (status == shOk)
        sortKept(&s);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    def.optimise = tree->optimise;
    def.rebuildQuality = tree->rebuildQuality;
    for (int p = 0; p < split->partCount && status == shOk; ++p)
        status = shCreateBoxTree(tree->context, &def, &parts[p], message);
    if (status == shOk) {
        s.parts = parts;
        parallelFor(tree->context, split->partCount, 1, partTask, &s);
    }
    for (int p = 0; p < split->partCount && status == shOk; ++p)
        if (s.failed[p])
            status = failMemory(message);
    giveMemory(&s);
    for (int p = 0; p < split->partCount && status != shOk; ++p) {
        shDestroyBoxTree(parts[p]);
        parts[p] = NULL;
    }
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/box_tree.h"

#include "core/constants.h"

#include <float.h>

static void setLane(BoxNode* node, int lane, shBox box)
{
    node->lower[0][lane] = box.lower.x;
    node->lower[1][lane] = box.lower.y;
    node->lower[2][lane] = box.lower.z;
    node->upper[0][lane] = box.upper.x;
    node->upper[1][lane] = box.upper.y;
    node->upper[2][lane] = box.upper.z;
}

static shBox getLane(const BoxNode* node, int lane)
{
    return (shBox){{node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]},
                   {node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]}};
}

static void clearNodes(BoxNode* nodes, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int lane = 0; lane < boxTreeWidth; ++lane)
            setLane(&nodes[i], lane, boxEmpty());
    }
}

static int nodesFor(int slots) { return (slots + boxTreeWidth - 1) / boxTreeWidth; }

// Hands out the next part of the block, on a cache line of its own.
static void* take(BoxTree* tree, size_t count, size_t size)
{
    char* part = tree->block == NULL ? NULL : (char*)tree->block + tree->blockBytes;
    tree->blockBytes += (count * size + 63) & ~(size_t)63;
    return part;
}

// Once without a block to learn its size, once with it.
static void layOut(BoxTree* tree)
{
    size_t items = (size_t)tree->capacity, slots = (size_t)tree->slotCapacity;
    int count = tree->slotCapacity;
    tree->blockBytes = 0;
    for (int level = 0; level < boxTreeLevels; ++level) {
        count = nodesFor(count);
        tree->nodes[level] = take(tree, (size_t)count, sizeof(BoxNode));
        tree->changed[level] = take(tree, (size_t)count, 1);
    }
    tree->spareLeaves = take(tree, (size_t)nodesFor(tree->slotCapacity), sizeof(BoxNode));
    tree->places = take(tree, items, sizeof(BoxPlace));
    tree->items = take(tree, slots, sizeof(int));
    tree->spareItems = take(tree, slots, sizeof(int));
    tree->slots = take(tree, items, sizeof(int));
}

bool boxTreeReserve(BoxTree* tree, Memory* memory, int capacity)
{
    if (capacity <= tree->capacity)
        return true;
    if (capacity > BOX_TREE_MOST)
        return false;
    BoxTree grown = {.capacity = maxI(capacity, tree->capacity + tree->capacity / 2)};
    grown.slotCapacity = grown.capacity + grown.capacity / 4 + boxTreeWidth;
    layOut(&grown);
    grown.block = memAlloc(memory, grown.blockBytes);
    if (grown.block == NULL)
        return false;
    layOut(&grown);
    for (int level = 0, count = nodesFor(grown.slotCapacity); level < boxTreeLevels; ++level, count = nodesFor(count)) {
        clearNodes(grown.nodes[level], count);
        memset(grown.changed[level], 0, (size_t)count);
    }
    for (int i = 0; i < grown.capacity; ++i)
        grown.slots[i] = -1;
    for (int slot = 0; slot < tree->slotCount; ++slot) {
        if (tree->items[slot] >= 0)
            boxTreeSet(&grown, tree->items[slot], getLane(&tree->nodes[0][slot / boxTreeWidth], slot % boxTreeWidth));
    }
    grown.builtSize = tree->builtSize;
    grown.sizeLimit = tree->sizeLimit;
    grown.wear = tree->wear;
    grown.moves = tree->moves;
    SIMD_CHOOSE(boxTreeRefit)(&grown); // what could be seen can be seen
    boxTreeFree(tree, memory);
    *tree = grown;
    return true;
}

void boxTreeFree(BoxTree* tree, Memory* memory)
{
    memFree(memory, tree->block, tree->blockBytes);
    *tree = (BoxTree){0};
}

static void putInSlot(BoxTree* tree, int slot, shBox box)
{
    setLane(&tree->nodes[0][slot / boxTreeWidth], slot % boxTreeWidth, box);
    tree->changed[0][slot / boxTreeWidth] = 1;
}

static void countLevels(BoxTree* tree)
{
    int levels = tree->slotCount > 0 ? 1 : 0;
    for (int nodes = nodesFor(tree->slotCount); nodes > 1; nodes = nodesFor(nodes))
        ++levels;
    if (levels > tree->levelCount && tree->levelCount > 0) // the old root gets a parent
        tree->changed[tree->levelCount - 1][0] = 1;
    tree->levelCount = levels;
}

void boxTreeSet(BoxTree* tree, int item, shBox box)
{
    if (tree->slots[item] < 0) {
        if (tree->slotCount == tree->slotCapacity)
            boxTreeBuild(tree);
        if (tree->slotCount % boxTreeWidth == 0) // a leaf that may have been used before
            clearNodes(&tree->nodes[0][tree->slotCount / boxTreeWidth], 1);
        tree->slots[item] = tree->slotCount;
        tree->items[tree->slotCount++] = item;
        ++tree->itemCount;
        countLevels(tree);
    }
    putInSlot(tree, tree->slots[item], box);
    ++tree->moves;
}

void boxTreeRemove(BoxTree* tree, int item)
{
    int slot = tree->slots[item];
    if (slot < 0)
        return;
    tree->slots[item] = -1;
    tree->items[slot] = -1;
    --tree->itemCount;
    putInSlot(tree, slot, boxEmpty());
}

// Mean of what the sides of a leaf add up to, at most `limit`; holes and infinite ones do not count.
static double leafSize(const BoxTree* tree, double limit)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; tree->levelCount > 1 && i < boxTreeNodeCount(tree, 0); ++i) {
        Vec3 size = boxSize(getLane(&tree->nodes[1][i / boxTreeWidth], i % boxTreeWidth));
        float sides = size.x + size.y + size.z;
        if (!(sides >= 0.0f && sides < INFINITY))
            continue;
        sum += minD((double)sides, limit);
        ++count;
    }
    return count > 0 ? sum / count : 0.0;
}

void boxTreeRefresh(BoxTree* tree)
{
    SIMD_CHOOSE(boxTreeRefit)(tree);
    double growth = leafSize(tree, tree->sizeLimit) - tree->builtSize;
    tree->wear += maxD(growth, 0.0) * tree->moves;
    tree->moves = 0;
    if (!(tree->wear < BOX_TREE_WORN * tree->builtSize * tree->itemCount) ||
        tree->slotCount > 2 * tree->itemCount + boxTreeWidth)
        boxTreeBuild(tree);
}

// Reorders so that none of the first `left` is above any of the others along an axis.
static void divide(BoxPlace* places, int count, int left, int axis)
{
    int low = 0, high = count - 1;
    while (low < high) {
        float a = places[low].at[axis], b = places[low + (high - low) / 2].at[axis];
        float c = places[high].at[axis];
        float pivot = maxF(minF(a, b), minF(maxF(a, b), c));
        int i = low, j = high;
        while (i <= j) {
            while (places[i].at[axis] < pivot)
                ++i;
            while (places[j].at[axis] > pivot)
                --j;
            if (i > j)
                break;
            BoxPlace swap = places[i];
            places[i++] = places[j];
            places[j--] = swap;
        }
        if (left <= j)
            high = j;
        else if (left >= i)
            low = i;
        else
            return;
    }
}

static int widestAxis(const BoxPlace* places, int count, float* width)
{
    float lower[4], upper[4]; // the fourth does not count, but four are one register
    memcpy(lower, places->at, sizeof lower);
    memcpy(upper, places->at, sizeof upper);
    for (int i = 1; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            lower[k] = minF(places[i].at[k], lower[k]);
            upper[k] = maxF(places[i].at[k], upper[k]);
        }
    }
    float x = upper[0] - lower[0], y = upper[1] - lower[1], z = upper[2] - lower[2];
    *width = maxF(x, maxF(y, z));
    return *width == x ? 0 : *width == y ? 1 : 2;
}

// Moves those that are larger than `size` to the front; returns how many they are.
static int largeFirst(BoxPlace* places, int count, float size)
{
    int large = 0;
    for (int i = 0; i < count; ++i) {
        if (places[i].at[3] > size) {
            BoxPlace swap = places[i];
            places[i] = places[large];
            places[large++] = swap;
        }
    }
    return large;
}

// Divides the slots from begin to end where the largest nodes meet, until what is left is in one leaf. Boxes as wide as
// all the places together would spoil every node they are in: they get the first ones for themselves.
static void arrange(BoxPlace* places, int begin, int end)
{
    while (begin / boxTreeWidth < (end - 1) / boxTreeWidth) {
        float width;
        int axis = widestAxis(places + begin, end - begin, &width);
        int large = largeFirst(places + begin, end - begin, width);
        int step = boxTreeWidth, middle = begin + large;
        if (large == 0 || 2 * large > end - begin) {
            while (begin / (2 * step) < (end - 1) / (2 * step))
                step *= 2;
            middle = (end - 1) / step * step;
            divide(places + begin, end - begin, middle - begin, axis);
        }
        arrange(places, begin, middle);
        begin = middle;
    }
}

void boxTreeBuild(BoxTree* tree)
{
    int count = 0;
    for (int slot = 0; slot < tree->slotCount; ++slot) {
        if (tree->items[slot] < 0)
            continue;
        shBox box = getLane(&tree->nodes[0][slot / boxTreeWidth], slot % boxTreeWidth);
        Vec3 centre = boxCenter(box), size = boxSize(box);
        if (!vFinite(centre))
            centre = vec3(0.0f, 0.0f, 0.0f);
        tree->places[count++] = (BoxPlace){{centre.x, centre.y, centre.z, maxF(size.x, maxF(size.y, size.z))}, slot};
    }
    arrange(tree->places, 0, count);

    BoxNode* leaves = tree->spareLeaves;
    int* items = tree->spareItems;
    clearNodes(leaves, nodesFor(count));
    for (int slot = 0; slot < count; ++slot) {
        int old = tree->places[slot].slot;
        setLane(&leaves[slot / boxTreeWidth], slot % boxTreeWidth,
                getLane(&tree->nodes[0][old / boxTreeWidth], old % boxTreeWidth));
        items[slot] = tree->items[old];
        tree->slots[items[slot]] = slot;
    }
    for (int level = 1, old = nodesFor(tree->slotCount); level < boxTreeLevels; ++level) {
        old = nodesFor(old);
        clearNodes(tree->nodes[level], old);
        memset(tree->changed[level], 0, (size_t)old);
    }
    memset(tree->changed[0], 0, (size_t)nodesFor(tree->slotCount));
    memset(tree->changed[0], 1, (size_t)nodesFor(count));
    tree->spareLeaves = tree->nodes[0];
    tree->nodes[0] = leaves;
    tree->spareItems = tree->items;
    tree->items = items;
    tree->slotCount = count;
    tree->levelCount = 0;
    countLevels(tree);
    SIMD_CHOOSE(boxTreeRefit)(tree);
    tree->wear = 0.0;
    tree->sizeLimit = DBL_MAX;
    for (int i = 0; i < 3; ++i) { // a few huge ones must not hide the others
        tree->builtSize = leafSize(tree, tree->sizeLimit);
        tree->sizeLimit = BOX_TREE_LARGEST * tree->builtSize;
    }
}

void boxWalkStart(BoxWalk* walk, const BoxTree* tree, shBox box, int first)
{
    const Vec3 far = {FLT_MAX, FLT_MAX, FLT_MAX}; // not infinite: holes, which are, must not be hit
    walk->box = (shBox){vMax(box.lower, vNeg(far)), vMin(box.upper, far)};
    walk->first = first;
    walk->depth = tree->levelCount > 0 ? 1 : 0;
    walk->stack[0] = (uint32_t)(tree->levelCount - 1) << boxRefShift;
}

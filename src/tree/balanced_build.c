// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Building the balanced tree from the top: half of the items on each side of the median of their centres, along the
// axis in which these are spread most. Branches lie in memory as a descent visits them: n leaves take n - 1 nodes in a
// row, so where each branch goes is known before it is built, and branches are built side by side.
#include "core/constants.h"
#include "tree/balanced_tree.h"

#include <string.h>

typedef struct Record {
    float centre[3];
    uint32_t index; // of the input
} Record;

typedef struct Part {
    int begin, end; // of records
    int node;       // first of its nodes
    int slot;       // that it hangs in
} Part;

typedef struct Builder {
    shBoxTree* tree;
    const int* items; // null: the index
    const shBox* boxes;
    Record* records;
    Part parts[BALANCED_BRANCHES]; // built in parallel
    int tops[BALANCED_BRANCHES];   // slots of nodes above them, parents first
    int partCount, topCount, partSize;
} Builder;

// Orders records along an axis, no two alike.
static inline uint64_t keyOf(const Record* record, int axis)
{
    uint32_t bits;
    memcpy(&bits, &record->centre[axis], sizeof bits);
    bits ^= (bits >> 31) ? 0xffffffffu : 0x80000000u;
    return (uint64_t)bits << 32 | record->index;
}

static void sortFew(Record* records, int count, int axis)
{
    for (int i = 1; i < count; ++i) {
        Record record = records[i];
        uint64_t key = keyOf(&record, axis);
        int at = i;
        for (; at > 0 && keyOf(&records[at - 1], axis) > key; --at)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

enum { FEW = 12, MOST_SAMPLES = 33 };

// A key that about `rank` of the records are below, from a sample at scattered places.
static uint64_t pivotKey(const Record* records, int count, int rank, int axis, uint32_t* state)
{
    uint64_t sample[MOST_SAMPLES];
    int samples = count < 512 ? 5 : MOST_SAMPLES;
    for (int i = 0; i < samples; ++i) {
        *state = *state * 1664525u + 1013904223u;
        uint64_t key = keyOf(&records[(uint64_t)*state * (uint32_t)count >> 32], axis);
        int at = i;
        for (; at > 0 && sample[at - 1] > key; --at)
            sample[at] = sample[at - 1];
        sample[at] = key;
    }
    return sample[(int64_t)rank * samples / count];
}

// Puts the `rank` smallest of the records first. Expected linear time, also for equal centres.
static void divide(Record* records, int count, int rank, int axis)
{
    uint32_t state = 1;
    while (count > FEW) {
        uint64_t pivot = pivotKey(records, count, rank, axis, &state);
        int below = 0;
        for (int i = 0; i < count; ++i) { // without a branch that could be guessed wrong
            Record record = records[i];
            bool less = keyOf(&record, axis) < pivot;
            records[i] = records[below];
            records[below] = record;
            below += less;
        }
        if (rank == below)
            return;
        if (rank < below) {
            count = below;
        } else if (below > 0) {
            records += below, count -= below, rank -= below;
        } else { // the pivot is the least of all: it is brought to the front, so that the rest is smaller
            int least = 0;
            while (keyOf(&records[least], axis) != pivot)
                ++least;
            Record record = records[least];
            records[least] = records[0];
            records[0] = record;
            ++records, --count, --rank;
            if (rank == 0)
                return;
        }
    }
    sortFew(records, count, axis);
}

static int widestAxis(const Record* records, int count)
{
    float lower[3], upper[3];
    for (int k = 0; k < 3; ++k)
        lower[k] = upper[k] = records[0].centre[k];
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            lower[k] = minF(records[i].centre[k], lower[k]);
            upper[k] = maxF(records[i].centre[k], upper[k]);
        }
    int widest = 0;
    for (int k = 1; k < 3; ++k)
        if (upper[k] - lower[k] > upper[widest] - lower[widest])
            widest = k;
    return widest;
}

static int heightOf(int count) // of a tree built by halves
{
    int height = 0;
    while ((int64_t)1 << height < count)
        ++height;
    return height;
}

static shBox putLeaf(const Builder* builder, const Record* record, int slot)
{
    int item = builder->items != NULL ? builder->items[record->index] : (int)record->index;
    shBox box = builder->boxes[record->index];
    balancedFill(builder->tree, slot, ~item, box, 0);
    return box;
}

static shBox buildPart(const Builder* builder, Part part)
{
    Record* records = builder->records + part.begin;
    int count = part.end - part.begin, half = count / 2;
    if (count == 1)
        return putLeaf(builder, records, part.slot);
    if (count > 2)
        divide(records, count, half, widestAxis(records, count));
    BalancedNode* node = &builder->tree->nodes[part.node];
    node->dirty = node->unused = 0;
    shBox left = buildPart(builder, (Part){part.begin, part.begin + half, part.node + 1, 2 * part.node});
    shBox right = buildPart(builder, (Part){part.begin + half, part.end, part.node + half, 2 * part.node + 1});
    shBox box = boxUnion(left, right);
    balancedFill(builder->tree, part.slot, part.node, box, heightOf(count));
    return box;
}

// Divides until parts are small enough.
static void divideTop(Builder* builder, Part part)
{
    int count = part.end - part.begin, half = count / 2;
    if (count <= builder->partSize) {
        builder->parts[builder->partCount++] = part;
        return;
    }
    Record* records = builder->records + part.begin;
    divide(records, count, half, widestAxis(records, count));
    BalancedNode* node = &builder->tree->nodes[part.node];
    node->dirty = node->unused = 0;
    balancedFill(builder->tree, part.slot, part.node, boxEmpty(), heightOf(count));
    builder->tops[builder->topCount++] = part.slot;
    divideTop(builder, (Part){part.begin, part.begin + half, part.node + 1, 2 * part.node});
    divideTop(builder, (Part){part.begin + half, part.end, part.node + half, 2 * part.node + 1});
}

static void partTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Builder* builder = arg;
    for (int i = begin; i < end; ++i)
        buildPart(builder, builder->parts[i]);
}

typedef struct Centring {
    Record* records;
    const shBox* boxes;
} Centring;

static void centreTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Centring* centring = arg;
    for (int i = begin; i < end; ++i) {
        const shBox* box = &centring->boxes[i]; // halves first: the sum may be too large for a float
        centring->records[i] =
            (Record){{0.5f * box->lower.x + 0.5f * box->upper.x, 0.5f * box->lower.y + 0.5f * box->upper.y,
                      0.5f * box->lower.z + 0.5f * box->upper.z},
                     (uint32_t)i};
    }
}

bool balancedBuildIsCheaper(double keeping, int kept, int added)
{
    double count = (double)kept + added;
    return keeping + BALANCED_INSERT * added > (1.0 + heightOf(kept + added)) * count;
}

bool balancedBuild(shBoxTree* tree, int count, const int* items, const shBox* boxes)
{
    Memory* memory = balancedMemory(tree);
    Record* records = count > 0 ? NEW_ARRAY(memory, Record, count) : NULL;
    if (count > 0 && records == NULL)
        return false;
    balancedClear(tree);
    Centring centring = {records, boxes};
    parallelFor(tree->context, count, BALANCED_GRAIN, centreTask, &centring);
    for (int i = 0; i < count; ++i)
        tree->itemEnd = maxI(tree->itemEnd, (items != NULL ? items[i] : i) + 1);
    tree->itemCount = count;
    tree->nodeEnd = maxI(1, count);
    if (count > 0) {
        Builder builder = {.tree = tree, .items = items, .boxes = boxes, .records = records};
        builder.partSize = maxI(BALANCED_GRAIN, (count >> BALANCED_BRANCH_LEVELS) + 1);
        divideTop(&builder, (Part){0, count, 1, 0});
        parallelFor(tree->context, builder.partCount, 1, partTask, &builder);
        for (int i = builder.topCount - 1; i >= 0; --i) {
            int slot = builder.tops[i];
            tree->nodes[slot >> 1].box[slot & 1] = balancedUnion(&tree->nodes[balancedChild(tree, slot)]);
        }
    }
    FREE_ARRAY(memory, records, count);
    tree->builtQuality = balancedQuality(tree);
    return true;
}

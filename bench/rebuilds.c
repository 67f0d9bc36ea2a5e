// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/rebuilds.h"

#include "core/vec.h"

#include <float.h>
#include <string.h>

typedef struct Node { // a leaf if right is 0; the left child is the next node
    shBox box;
    int right, item;
} Node;

typedef struct Record {
    shBox box;
    float centre[3];
    int item;
} Record;

enum { BINS = 16 };

bool rebuildReserve(Rebuild* rebuild, Memory* memory, int count)
{
    if (count <= rebuild->capacity)
        return true;
    rebuildFree(rebuild);
    rebuild->memory = memory;
    rebuild->capacity = count;
    rebuild->nodes = NEW_ARRAY(memory, Node, 2 * (int64_t)count);
    rebuild->records = NEW_ARRAY(memory, Record, count);
    return rebuild->nodes != NULL && rebuild->records != NULL;
}

void rebuildFree(Rebuild* rebuild)
{
    if (rebuild->memory == NULL)
        return;
    FREE_ARRAY(rebuild->memory, (Node*)rebuild->nodes, 2 * (int64_t)rebuild->capacity);
    FREE_ARRAY(rebuild->memory, (Record*)rebuild->records, rebuild->capacity);
    *rebuild = (Rebuild){0};
}

static void swap(Record* a, Record* b)
{
    Record old = *a;
    *a = *b;
    *b = old;
}

// Those with a centre below the plane come first; returns how many.
static int partition(Record* records, int count, int axis, float plane)
{
    int below = 0;
    for (int i = 0; i < count; ++i)
        if (records[i].centre[axis] < plane)
            swap(&records[i], &records[below++]);
    return below;
}

static void bounds(const Record* records, int count, float lower[3], float upper[3])
{
    for (int k = 0; k < 3; ++k)
        lower[k] = INFINITY, upper[k] = -INFINITY;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            lower[k] = minF(records[i].centre[k], lower[k]);
            upper[k] = maxF(records[i].centre[k], upper[k]);
        }
}

static int splitMidpoint(Record* records, int count)
{
    float lower[3], upper[3];
    bounds(records, count, lower, upper);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (upper[k] - lower[k] > upper[axis] - lower[axis])
            axis = k;
    return partition(records, count, axis, 0.5f * (lower[axis] + upper[axis]));
}

static float halfArea(shBox box)
{
    Vec3 s = boxSize(box);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

static int splitSah(Record* records, int count)
{
    float lower[3], upper[3], best = INFINITY, bestPlane = 0.0f;
    int bestAxis = -1;
    bounds(records, count, lower, upper);
    if (count == 2)
        return 1;
    for (int axis = 0; axis < 3; ++axis) {
        float size = upper[axis] - lower[axis];
        if (!(size > 0.0f))
            continue;
        shBox boxes[BINS];
        int counts[BINS] = {0};
        float scale = BINS * 0.9999f / size;
        for (int b = 0; b < BINS; ++b)
            boxes[b] = boxEmpty();
        for (int i = 0; i < count; ++i) {
            int b = (int)((records[i].centre[axis] - lower[axis]) * scale);
            boxes[b] = boxUnion(boxes[b], records[i].box);
            ++counts[b];
        }
        float rights[BINS];
        shBox sum = boxEmpty();
        int some = 0;
        for (int b = BINS - 1; b > 0; --b) {
            sum = boxUnion(sum, boxes[b]);
            some += counts[b];
            rights[b] = some > 0 ? halfArea(sum) * (float)some : INFINITY;
        }
        sum = boxEmpty();
        some = 0;
        for (int b = 1; b < BINS; ++b) {
            sum = boxUnion(sum, boxes[b - 1]);
            some += counts[b - 1];
            float cost = some > 0 ? halfArea(sum) * (float)some + rights[b] : INFINITY;
            if (cost < best)
                best = cost, bestAxis = axis, bestPlane = (float)b / scale + lower[axis];
        }
    }
    return bestAxis >= 0 ? partition(records, count, bestAxis, bestPlane) : 0;
}

static shBox build(Node* nodes, int node, Record* records, int count, RebuildKind kind)
{
    Node* made = &nodes[node];
    if (count == 1) {
        *made = (Node){records->box, 0, records->item};
        return records->box;
    }
    int left = kind == rebuildMidpoint ? splitMidpoint(records, count) : splitSah(records, count);
    if (left <= 0 || left >= count)
        left = count / 2;
    shBox a = build(nodes, node + 1, records, left, kind);
    shBox b = build(nodes, node + 2 * left, records + left, count - left, kind);
    *made = (Node){boxUnion(a, b), node + 2 * left, -1};
    return made->box;
}

void rebuildRun(Rebuild* rebuild, RebuildKind kind, const shBox* boxes, int count)
{
    Record* records = rebuild->records;
    for (int i = 0; i < count; ++i) {
        Vec3 centre = boxCenter(boxes[i]);
        records[i] = (Record){boxes[i], {centre.x, centre.y, centre.z}, i};
    }
    if (count > 0)
        build(rebuild->nodes, 0, records, count, kind);
}

static int depthBelow(const Node* nodes, int node)
{
    if (nodes[node].right == 0)
        return 0;
    return 1 + maxI(depthBelow(nodes, node + 1), depthBelow(nodes, nodes[node].right));
}

RebuildResult rebuildMeasure(const Rebuild* rebuild, int count)
{
    const Node* nodes = rebuild->nodes;
    if (count == 0)
        return (RebuildResult){0, 0.0};
    Vec3 size = boxSize(nodes[0].box);
    double pad = 0x1p-10 * (double)maxF(size.x, maxF(size.y, size.z)), sum = 0.0, root = 0.0;
    for (int i = 0; i < 2 * count - 1; ++i) {
        Vec3 s = boxSize(nodes[i].box);
        double volume = ((double)s.x + pad) * ((double)s.y + pad) * ((double)s.z + pad);
        sum += volume * volume;
        if (i == 0)
            root = sum;
    }
    return (RebuildResult){depthBelow(nodes, 0), sum / root};
}

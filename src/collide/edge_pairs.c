// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/edge_pairs.h"

#include "core/constants.h"

static void setRow(EdgeList* list, int row, Vec3 v)
{
    list->rows[3 * row][list->count] = v.x;
    list->rows[3 * row + 1][list->count] = v.y;
    list->rows[3 * row + 2][list->count] = v.z;
}

// Spheres that may come closer to the target than the margin: a bit each. What is left out is no nearer than `clear`.
static unsigned lookUp(const Target* target, const TargetFrame* frame, TargetBatch* batch, int count, float margin,
                       float* clear)
{
    for (int i = 0; i < targetBatch; ++i)
        batch->clear[i] = INFINITY;
    unsigned near = targetLookUp(target, frame, batch, count, margin);
    for (int i = 0; i < count; ++i)
        *clear = minF(*clear, batch->clear[i]);
    return near;
}

static void addEdge(const EdgeSet* set, int edge, const TargetFrame* toB, EdgeList* list)
{
    setRow(list, 0, vAdd(mMul(toB->rotation, edgeStart(set, edge)), toB->offset));
    setRow(list, 1, vAdd(mMul(toB->rotation, edgeEnd(set, edge)), toB->offset));
    setRow(list, 2, mMul(toB->rotation, edgeRow(set, 2, edge)));
    setRow(list, 3, mMul(toB->rotation, edgeRow(set, 3, edge)));
    list->rows[12][list->count] = (float)edgeCorners(set, edge);
    list->ids[list->count++] = edge;
}

static void edgesOfBlock(const EdgeSet* set, int first, const Target* target, const TargetFrame* frame,
                         const TargetFrame* toB, float margin, EdgeList* list)
{
    int many = minI(set->count - first, targetBatch), room = set->room;
    const float *a = set->rows + first, *b = a + 3 * room;
    TargetBatch batch;
    for (int i = 0; i < targetBatch; ++i) { // lanes past the last hold no numbers
        float x = i < many ? b[i] - a[i] : 0.0f, y = i < many ? b[room + i] - a[room + i] : 0.0f,
              z = i < many ? b[2 * room + i] - a[2 * room + i] : 0.0f;
        batch.x[i] = i < many ? a[i] + 0.5f * x : 0.0f;
        batch.y[i] = i < many ? a[room + i] + 0.5f * y : 0.0f;
        batch.z[i] = i < many ? a[2 * room + i] + 0.5f * z : 0.0f;
        batch.radius[i] = 0.5f * sqrtf(x * x + y * y + z * z);
    }
    for (unsigned near = lookUp(target, frame, &batch, many, margin, &list->clear); near != 0; near &= near - 1u)
        addEdge(set, first + __builtin_ctz(near), toB, list);
}

void edgesNear(const EdgeSet* set, const Target* target, const TargetFrame* frame, const TargetFrame* toB, float margin,
               EdgeList* list)
{
    list->count = 0;
    list->clear = INFINITY;
    int blocks = (set->count + 7) / 8, row = edgeBlockRoom(set->room);
    const float* spheres = edgeBlocks(set);
    for (int first = 0; first < blocks; first += targetBatch) {
        int many = minI(blocks - first, targetBatch);
        TargetBatch batch;
        for (int i = 0; i < targetBatch; ++i) {
            batch.x[i] = spheres[first + i], batch.y[i] = spheres[row + first + i];
            batch.z[i] = spheres[2 * row + first + i], batch.radius[i] = spheres[3 * row + first + i];
        }
        for (unsigned near = lookUp(target, frame, &batch, many, margin, &list->clear); near != 0; near &= near - 1u)
            edgesOfBlock(set, 8 * (first + __builtin_ctz(near)), target, frame, toB, margin, list);
    }
    for (int i = list->count; i % targetBatch != 0; ++i) {
        for (int k = 0; k < edgeRows; ++k)
            list->rows[k][i] = NAN;
    }
}

EdgeSet edgesOfBox(Vec3 half, float rows[boxEdgeFloats])
{
    const float size[3] = {half.x, half.y, half.z};
    for (int edge = 0; edge < 12; ++edge) {
        int axis = edge / 4, next = (axis + 1) % 3, last = (axis + 2) % 3;
        float side0 = edge & 1 ? 1.0f : -1.0f, side1 = edge & 2 ? 1.0f : -1.0f;
        for (int row = 0; row < 2; ++row) {
            rows[(3 * row + axis) * boxEdgeRoom + edge] = row == 0 ? -size[axis] : size[axis];
            rows[(3 * row + next) * boxEdgeRoom + edge] = side0 * size[next];
            rows[(3 * row + last) * boxEdgeRoom + edge] = side1 * size[last];
        }
        for (int k = 0; k < 3; ++k) { // the normals of its two faces are perpendicular: each is across the other
            rows[(6 + k) * boxEdgeRoom + edge] = k == next ? side0 : 0.0f;
            rows[(9 + k) * boxEdgeRoom + edge] = k == last ? side1 : 0.0f;
        }
        rows[12 * boxEdgeRoom + edge] = 0.0f; // its corners are samples
    }
    edgesBound(rows, 12);
    return (EdgeSet){rows, 12, boxEdgeRoom};
}

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

void edgesNear(const EdgeSet* set, const Target* target, const TargetFrame* frame, const TargetFrame* toB, float margin,
               EdgeList* list)
{
    list->count = 0;
    list->clear = INFINITY;
    for (int first = 0; first < set->count; first += targetBatch) {
        int many = minI(set->count - first, targetBatch);
        TargetBatch batch = {.x = {0.0f}};
        for (int i = 0; i < targetBatch; ++i)
            batch.clear[i] = INFINITY;
        for (int i = 0; i < many; ++i) {
            Vec3 a = edgeStart(set, first + i), b = edgeEnd(set, first + i);
            batch.x[i] = 0.5f * (a.x + b.x), batch.y[i] = 0.5f * (a.y + b.y), batch.z[i] = 0.5f * (a.z + b.z);
            batch.radius[i] = 0.5f * vDistance(a, b);
        }
        unsigned near = targetLookUp(target, frame, &batch, many, margin);
        for (int i = 0; i < many; ++i)
            list->clear = minF(list->clear, batch.clear[i]);
        for (; near != 0; near &= near - 1u) {
            int edge = first + __builtin_ctz(near);
            setRow(list, 0, vAdd(mMul(toB->rotation, edgeStart(set, edge)), toB->offset));
            setRow(list, 1, vAdd(mMul(toB->rotation, edgeEnd(set, edge)), toB->offset));
            setRow(list, 2, mMul(toB->rotation, edgeRow(set, 2, edge)));
            setRow(list, 3, mMul(toB->rotation, edgeRow(set, 3, edge)));
            list->rows[12][list->count] = (float)edgeCorners(set, edge);
            list->ids[list->count++] = edge;
        }
    }
    for (int i = list->count; i % targetBatch != 0; ++i) {
        for (int row = 0; row < edgeRows; ++row)
            list->rows[row][i] = NAN;
    }
}

EdgeSet edgesOfBox(Vec3 half, float rows[edgeRows * boxEdgeRoom])
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
    return (EdgeSet){rows, 12, boxEdgeRoom};
}

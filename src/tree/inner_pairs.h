// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the kernels of the inner sphere trees share: four children of a against four of b, sixteen pairs in two rows of
// eight lanes. Lane k of row i is child 2 i + k / 4 of a and child k % 4 of b.
#pragma once

#include "tree/inner_query.h"

// Children of b in a's frame, twice over.
typedef struct InnerFour {
    F8 x, y, z;
} InnerFour;

static inline InnerFour innerMoveFour(const InnerFrame* frame, F8 x, F8 y, F8 z)
{
    const float(*r)[3] = frame->rows;
    InnerFour moved;
    moved.x = f8Add(f8Add(f8Add(f8Mul(f8Set(r[0][0]), x), f8Mul(f8Set(r[0][1]), y)), f8Mul(f8Set(r[0][2]), z)),
                    f8Set(frame->offset[0]));
    moved.y = f8Add(f8Add(f8Add(f8Mul(f8Set(r[1][0]), x), f8Mul(f8Set(r[1][1]), y)), f8Mul(f8Set(r[1][2]), z)),
                    f8Set(frame->offset[1]));
    moved.z = f8Add(f8Add(f8Add(f8Mul(f8Set(r[2][0]), x), f8Mul(f8Set(r[2][1]), y)), f8Mul(f8Set(r[2][2]), z)),
                    f8Set(frame->offset[2]));
    return moved;
}

// Distance of centres, lane by lane, in the order of innerApart.
static inline F8 innerCentres(F8 ax, F8 ay, F8 az, InnerFour b)
{
    F8 x = f8Sub(ax, b.x), y = f8Sub(ay, b.y), z = f8Sub(az, b.z);
    return f8Sqrt(f8Add(f8Add(f8Mul(x, x), f8Mul(y, y)), f8Mul(z, z)));
}

// A node's children as arrays of four; a sphere of the tree as a node with one child, itself.
typedef struct InnerChildren {
    const float *x, *y, *z, *radius, *volumeRadius, *volume;
    const int32_t* child;
    int count; // 4, or 1 for a sphere
    float own[6][4];
    int32_t ownChild[4];
} InnerChildren;

static inline void innerChildrenOf(const InnerTree* tree, int ref, InnerChildren* children)
{
    if (ref >= 0) {
        const InnerNode* node = &tree->nodes[ref];
        children->x = node->x, children->y = node->y, children->z = node->z;
        children->radius = node->radius, children->volumeRadius = node->volumeRadius;
        children->volume = node->volume;
        children->child = node->child;
        children->count = innerArity;
        return;
    }
    const InnerSphere* sphere = &tree->spheres[~ref];
    float r = sphere->volumeRadius;
    const float values[6] = {sphere->x, sphere->y, sphere->z, sphere->radius, r, 4.18879020f * r * (r * r)};
    for (int i = 0; i < 6; ++i) {
        for (int k = 1; k < 4; ++k)
            children->own[i][k] = i < 3 ? INNER_FAR : 0.0f;
        children->own[i][0] = values[i];
    }
    for (int k = 0; k < 4; ++k)
        children->ownChild[k] = k == 0 ? ref : innerNoChild;
    children->x = children->own[0], children->y = children->own[1], children->z = children->own[2];
    children->radius = children->own[3], children->volumeRadius = children->own[4];
    children->volume = children->own[5];
    children->child = children->ownChild;
    children->count = 1;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What belongs together: everything has a parent, a root is its own.
#pragma once

#include "core/vec.h"

// Shortens the ways it goes.
static inline int forestRoot(int* parents, int i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// The smaller number becomes the root, so that the outcome does not hang on the order.
static inline void forestJoin(int* parents, int a, int b)
{
    int rootA = forestRoot(parents, a), rootB = forestRoot(parents, b);
    parents[maxI(rootA, rootB)] = minI(rootA, rootB);
}

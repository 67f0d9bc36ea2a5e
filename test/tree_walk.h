// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// All points of a piece's sphere tree, each once, without a stack:
//   for (int at = root; at >= 0; at = treeNext(points, root, at))
#pragma once

#include "tree/sphere_tree.h"

// Down first, then beside, then up; −1 after the last.
static inline int treeNext(const TreePoint* points, int root, int at)
{
    if (points[at].child >= 0)
        return points[at].child;
    while (at != root && points[at].sibling < 0)
        at = points[at].parent;
    return at == root ? -1 : points[at].sibling;
}

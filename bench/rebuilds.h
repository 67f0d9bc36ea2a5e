// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Other ways to build a tree of boxes, for comparison: one box per leaf, nodes in the order of a descent,
// 32 bytes each, on one thread.
#pragma once

#include "core/memory.h"
#include "sherd/base.h"

typedef enum RebuildKind {
    rebuildMidpoint, // halves of the longest side of the box of centres; where all are on one side, halves of the items
    rebuildSah,      // 16 bins along each axis, by surface area
} RebuildKind;

typedef struct RebuildResult {
    int depth;
    double quality; // Q as shBoxTreeInfo has it
} RebuildResult;

// Memory that a rebuild works in, kept from one to the next.
typedef struct Rebuild {
    Memory* memory;
    int capacity;
    void *nodes, *records;
} Rebuild;

bool rebuildReserve(Rebuild* rebuild, Memory* memory, int count);
void rebuildFree(Rebuild* rebuild);
// The work that is timed; nothing of it depends on what was there before.
void rebuildRun(Rebuild* rebuild, RebuildKind kind, const shBox* boxes, int count);
RebuildResult rebuildMeasure(const Rebuild* rebuild, int count); // not timed

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Ready tetrahedra: TetGen's .node and .ele (either names both), Gmsh's .msh 2.2 and 4.1, text and binary.
#pragma once

#include "core/array.h"
#include "core/context.h"
#include "core/vec.h"

typedef struct TetIndices {
    int n[4];
} TetIndices;

typedef struct RawTets {
    ARRAY(DVec3) nodes;
    ARRAY(TetIndices) tets; // node numbers in range, all four different
    int otherElements;      // elements that are no tetrahedra, left out
    bool quadratic;         // curved tetrahedra were taken as straight ones
} RawTets;

bool tetsAreRead(const char* path); // by the extension
// Every error names the file, the byte or line, and the reason. Nothing is left allocated on failure.
shStatus readTets(shContext* context, const char* path, RawTets* raw, shMessage* message);
void rawTetsFree(RawTets* raw, Memory* memory);

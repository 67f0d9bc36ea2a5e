// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which pieces have something near a point (G7): a sphere in the territory of other pieces need not be tested against
// a piece, although that piece's box holds it.
//
// The rest shape is divided into blocks of some location cells; a block's mask has the bits of all pieces with a
// tetrahedron in it, a cut tetrahedron counting for each of its pieces. Labels share 64 bits, so the answer "none" is
// always true and "some" may be wrong. Each level joins eight masks of the one below. A sphere looks at the cells that
// its box touches, a few each way, on a level that suits its radius. (The paper's eight cells around the nearest grid
// point, as wide as the sphere each, reach up to six radii far and cull half as much.)
//
// Where blocks lie and which nodes their tetrahedra have is the asset's; masks belong to a broken solid.
#pragma once

#include "field/cell_grid.h"

enum { maskMaxLevels = 8 };

typedef struct MaskLevel {
    float inverse; // of a cell's edge, 1/m
    float reach;   // radius up to which spheres look here, m
    int size[3];   // cells along x, y, z
    int first;     // of its masks
} MaskLevel;

typedef struct MaskGrid {
    Vec3 origin;
    float slack;       // what rounding may move a point, m
    float longestEdge; // m
    int* nodeStart;    // [blockCount + 1]
    int* nodes;        // of the tetrahedra in each block
    int blockCount;    // cells of level 0
    int levelCount;
    MaskLevel levels[maskMaxLevels];
    int maskCount; // of all levels
} MaskGrid;

shStatus maskGridBuild(MaskGrid* grid, Memory* memory, const TetMesh* mesh, const CellGrid* cells, shMessage* message);
void maskGridFree(MaskGrid* grid, Memory* memory);

// All of a solid is piece 0.
void maskGridFill(const MaskGrid* grid, uint64_t* masks);
// Nodes in `changed` that had the label `parent` have others now.
void maskGridUpdate(const MaskGrid* grid, uint64_t* masks, const int* labels, int parent, shBox changed);

// Share of a box in which there are other pieces but nothing of this one: where it is small, asking costs more than it
// saves.
float maskGridForeign(const MaskGrid* grid, const uint64_t* masks, int label, shBox box);

// A distance, more than `radius`, within which of p there is nothing of a piece; 0 when there may be something, or the
// sphere is too large to tell.
float maskGridClear(const MaskGrid* grid, const uint64_t* masks, int label, Vec3 p, float radius);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A uniform grid over the rest shape: which tetrahedra touch a cell. Answers "which tetrahedron holds this point" (G5)
// for every solid of an asset.
#pragma once

#include "field/topology.h"

// Barycentric coordinates of a tetrahedron at once: those of corners 1, 2, 3 are rows · (p − origin).
typedef struct TetFrame {
    Vec3 origin; // corner 0
    Vec3 rows[3];
} TetFrame;

typedef struct CellGrid {
    Vec3 origin;
    float cell;    // edge of a cell, m
    float inverse; // 1 / cell
    float band;    // how far the grid goes beyond the solid, m
    int size[3];   // cells along x, y, z
    int cellCount;
    int* tetStart; // [cellCount + 1]
    int* tets;     // ascending in each cell
    int tetCount;
    TetFrame* frames; // [tetCount]
} CellGrid;

// `cell` is a wish: it grows where the grid would have more than MAX_CELLS cells.
shStatus cellGridBuild(CellGrid* grid, Memory* memory, const TetMesh* mesh, float cell, shMessage* message);
void cellGridFree(CellGrid* grid, Memory* memory);

// The cell that holds p, or -1 outside the grid.
static inline int cellGridFind(const CellGrid* grid, Vec3 p)
{
    float x = (p.x - grid->origin.x) * grid->inverse, y = (p.y - grid->origin.y) * grid->inverse,
          z = (p.z - grid->origin.z) * grid->inverse;
    if (!(x >= 0.0f && y >= 0.0f && z >= 0.0f && x < (float)grid->size[0] && y < (float)grid->size[1] &&
          z < (float)grid->size[2]))
        return -1;
    return ((int)z * grid->size[1] + (int)y) * grid->size[0] + (int)x;
}

// Ranges of cells that a box touches, clamped to the grid: inclusive.
typedef struct CellRange {
    int lower[3], upper[3];
} CellRange;
CellRange cellGridRange(const CellGrid* grid, shBox box);

// The tetrahedron that holds p and p's barycentric coordinates in it; -1 outside the solid. Every point of the solid
// has exactly one: where rounding leaves p a hair outside all of them, the nearest takes it.
int cellGridLocate(const CellGrid* grid, int cell, Vec3 p, float coordinates[4]);

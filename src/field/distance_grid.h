// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Signed distance to a surface on a regular grid, negative inside. The box around the surface is divided into bricks
// of 3³ cells. Bricks within a band around the surface hold their 4³ samples (they share the outer ones with their
// neighbours), one cache line per layer; all others are one coarse cell between the samples at their corners. Every
// sample, near or far, is the exact distance rounded to float, so between samples of spacing s at fractions t
//
//     |interpolated − true distance| ≤ s · √(Σ t (1 − t)) ≤ 0.87 s,
//
// because a distance changes by at most 1 per unit of length. Solids at least four cells thick are met within half a
// cell in a band of two cells. The arrays are flat and hold no pointers: an asset file stores them as they are.
#pragma once

#include "core/context.h"
#include "core/simd.h"
#include "core/vec.h"
#include "mesh/tri_query.h"

enum {
    brickCells = 3,
    brickSide = brickCells + 1, // samples
    brickSamples = brickSide * brickSide * brickSide,
};

// Plain numbers only: written to files as it is.
typedef struct DistanceGridShape {
    Vec3 lower, upper; // the box of the grid, m: around the surface and its band
    float cellSize;    // m
    float bricksPerMetre;
    float band;         // m; every point this close to the surface is in a brick with samples
    float slack;        // m; more than all rounding in a lookup
    int32_t bricks[3];  // bricks along each axis
    int32_t coarseSize; // values before the first brick's: coarse samples, x fastest, filled up to whole cache lines
    int32_t brickCount; // bricks with samples
} DistanceGridShape;

typedef struct DistanceGrid {
    DistanceGridShape shape;
    int32_t* index; // [bricks x · y · z], x fastest: where in `values` the first sample of the brick is
    float* values;  // [coarseSize + brickSamples · brickCount]
} DistanceGrid;

typedef enum DistanceSigns {
    distanceSignsAuto,    // by normals where the surface is clean, else by winding numbers
    distanceSignsWinding, // by winding numbers
} DistanceSigns;

typedef struct DistanceGridDef {
    int cells;       // along the longest side of the surface's box; 0: use cellSize
    double cellSize; // m
    double band;     // m; 0: two cells
    size_t maxBytes; // for index and values
    DistanceSigns signs;
} DistanceGridDef;

DistanceGridDef distanceGridDefaultDef(void);

// The grid of the surface in `query`, which gets normals or clusters added as needed. Same bits for any worker count.
// shInvalid, shBadMesh (no triangles, not finite), shLimit (more than maxBytes) or shOutOfMemory leave an empty grid.
shStatus distanceGridBuild(DistanceGrid* grid, shContext* context, TriQuery* query, const DistanceGridDef* def,
                           shMessage* message);
void distanceGridFree(DistanceGrid* grid, Memory* memory);

static inline int64_t distanceGridIndexCount(const DistanceGridShape* shape)
{
    return (int64_t)shape->bricks[0] * shape->bricks[1] * shape->bricks[2];
}
static inline int64_t distanceGridValueCount(const DistanceGridShape* shape)
{
    return (int64_t)shape->coarseSize + (int64_t)brickSamples * shape->brickCount;
}
// Bytes of both arrays.
size_t distanceGridMemory(const DistanceGrid* grid);

// For grids that come from a file: the shape makes sense (check this before sizing arrays by it)…
shStatus distanceGridCheckShape(const DistanceGridShape* shape, shMessage* message);
// … and no lookup can leave the arrays or meet a value that is not finite.
shStatus distanceGridCheck(const DistanceGrid* grid, shMessage* message);

// ---- lookups --------------------------------------------------------------------------------------------------

typedef struct DistanceSample {
    float distance; // m, negative inside
    Vec3 gradient;  // of the interpolated distance; about unit length except where directions meet
} DistanceSample;

// The cell around a point of the grid's box: eight samples and where between them the point is.
typedef struct DistanceCell {
    const float* corner;
    int strideY, strideZ;
    float x, y, z;       // 0 … 1
    float cellsPerBrick; // 3, or 1 for a coarse cell
} DistanceCell;

// Points outside (and NaN) are taken to the border.
static inline DistanceCell distanceGridCell(const DistanceGrid* grid, Vec3 p)
{
    const DistanceGridShape* shape = &grid->shape;
    const int nx = shape->bricks[0], ny = shape->bricks[1], nz = shape->bricks[2];
    float x = maxF(minF((p.x - shape->lower.x) * shape->bricksPerMetre, (float)nx), 0.0f);
    float y = maxF(minF((p.y - shape->lower.y) * shape->bricksPerMetre, (float)ny), 0.0f);
    float z = maxF(minF((p.z - shape->lower.z) * shape->bricksPerMetre, (float)nz), 0.0f);
    int bx = minI((int)x, nx - 1), by = minI((int)y, ny - 1), bz = minI((int)z, nz - 1);
    int start = grid->index[((size_t)bz * (size_t)ny + (size_t)by) * (size_t)nx + (size_t)bx];
    bool coarse = start < shape->coarseSize;
    DistanceCell cell = {.strideY = coarse ? nx + 1 : brickSide,
                         .strideZ = coarse ? (nx + 1) * (ny + 1) : brickSide * brickSide,
                         .cellsPerBrick = coarse ? 1.0f : (float)brickCells};
    int last = coarse ? 0 : brickCells - 1;
    x = (x - (float)bx) * cell.cellsPerBrick;
    y = (y - (float)by) * cell.cellsPerBrick;
    z = (z - (float)bz) * cell.cellsPerBrick;
    int ix = minI((int)x, last), iy = minI((int)y, last), iz = minI((int)z, last);
    cell.x = x - (float)ix, cell.y = y - (float)iy, cell.z = z - (float)iz;
    cell.corner = grid->values + start + (ix + brickSide * (iy + brickSide * iz)); // a coarse cell: + 0
    return cell;
}

// Trilinear: along x on the four edges, then y, then z; differences on the way give the gradient.
static inline DistanceSample distanceCellSample(DistanceCell cell, float bricksPerMetre)
{
    const float* a = cell.corner;
    const float* b = a + cell.strideZ;
    const int up = cell.strideY;
    float dx00 = a[1] - a[0], dx10 = a[up + 1] - a[up], dx01 = b[1] - b[0], dx11 = b[up + 1] - b[up];
    float v00 = a[0] + cell.x * dx00, v10 = a[up] + cell.x * dx10;
    float v01 = b[0] + cell.x * dx01, v11 = b[up] + cell.x * dx11;
    float dy0 = v10 - v00, dy1 = v11 - v01;
    float v0 = v00 + cell.y * dy0, v1 = v01 + cell.y * dy1, dz = v1 - v0;
    float dx0 = dx00 + cell.y * (dx10 - dx00), dx1 = dx01 + cell.y * (dx11 - dx01);
    float perMetre = cell.cellsPerBrick * bricksPerMetre;
    return (DistanceSample){
        v0 + cell.z * dz,
        {(dx0 + cell.z * (dx1 - dx0)) * perMetre, (dy0 + cell.z * (dy1 - dy0)) * perMetre, dz * perMetre}};
}

// Distance and gradient anywhere. Outside the box it is the distance to where the gradient at the border points; as
// the surface lies in the box, it cannot be closer than at a right angle to the border.
static inline DistanceSample distanceGridSample(const DistanceGrid* grid, Vec3 p)
{
    DistanceSample sample = distanceCellSample(distanceGridCell(grid, p), grid->shape.bricksPerMetre);
    Vec3 offset = vSub(p, vMin(vMax(p, grid->shape.lower), grid->shape.upper));
    float offset2 = vLength2(offset);
    if (offset2 > 0.0f) {
        Vec3 away = vScale(sample.distance, vNormalize(sample.gradient));
        float turn = maxF(2.0f * vDot(offset, away), 0.0f);
        sample.distance = sqrtf(sample.distance * sample.distance + offset2 + turn);
        sample.gradient = vScale(1.0f / sample.distance, vAdd(offset, away));
    }
    return sample;
}

// Never more than the true unsigned distance, at most 1.74 sample spacings less: what culling may rely on.
float distanceGridLower(const DistanceGrid* grid, Vec3 p);

// The same for many points, eight at a time, to the same bits. Choose by SIMD_CHOOSE(distanceGridSamples)(…). The
// arrays have `count` elements; results may overwrite the points.
SIMD_DECLARE(void, distanceGridSamples,
             (const DistanceGrid* grid, int count, const float* x, const float* y, const float* z, float* distance,
              float* gradientX, float* gradientY, float* gradientZ));
SIMD_DECLARE(void, distanceGridLowers,
             (const DistanceGrid* grid, int count, const float* x, const float* y, const float* z, float* lower));

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Eight look-ups of a distance grid at once, for kernels. Every line repeats one of distance_grid.h, operation by
// operation in the same order, so that the bits agree; the two places must change together (a test compares them).
#pragma once

#include "field/distance_grid.h"

typedef struct Point8 {
    F8 x, y, z;
} Point8;

typedef struct Cell8 {
    I8 corner, strideY, strideZ;
    F8 x, y, z, cellsPerBrick;
} Cell8;

typedef struct Sample8 {
    F8 distance, gradientX, gradientY, gradientZ;
} Sample8;

static inline F8 dot8(Point8 a, Point8 b) { return f8Add(f8Add(f8Mul(a.x, b.x), f8Mul(a.y, b.y)), f8Mul(a.z, b.z)); }

static inline F8 lerp8(F8 a, F8 t, F8 difference) { return f8Add(a, f8Mul(t, difference)); }

static inline F8 toBricks(F8 p, float lower, F8 perMetre, int bricks)
{
    return f8Max(f8Min(f8Mul(f8Sub(p, f8Set(lower)), perMetre), f8Set((float)bricks)), f8Zero());
}

static inline Cell8 cellOf(const DistanceGrid* grid, Point8 p)
{
    const DistanceGridShape* shape = &grid->shape;
    const int nx = shape->bricks[0], ny = shape->bricks[1], nz = shape->bricks[2];
    const F8 perMetre = f8Set(shape->bricksPerMetre);
    F8 x = toBricks(p.x, shape->lower.x, perMetre, nx);
    F8 y = toBricks(p.y, shape->lower.y, perMetre, ny);
    F8 z = toBricks(p.z, shape->lower.z, perMetre, nz);
    I8 bx = i8Min(f8Truncate(x), i8Set(nx - 1));
    I8 by = i8Min(f8Truncate(y), i8Set(ny - 1));
    I8 bz = i8Min(f8Truncate(z), i8Set(nz - 1));
    I8 brick = i8Add(i8Mul(i8Add(i8Mul(bz, i8Set(ny)), by), i8Set(nx)), bx);
    I8 start = i8Gather(grid->index, brick);
    M8 coarse = i8Greater(i8Set(shape->coarseSize), start);
    Cell8 cell = {.strideY = i8Select(coarse, i8Set(nx + 1), i8Set(brickSide)),
                  .strideZ = i8Select(coarse, i8Set((nx + 1) * (ny + 1)), i8Set(brickSide * brickSide)),
                  .cellsPerBrick = f8Select(coarse, f8Set(1.0f), f8Set((float)brickCells))};
    I8 last = i8Select(coarse, i8Set(0), i8Set(brickCells - 1));
    x = f8Mul(f8Sub(x, f8FromI8(bx)), cell.cellsPerBrick);
    y = f8Mul(f8Sub(y, f8FromI8(by)), cell.cellsPerBrick);
    z = f8Mul(f8Sub(z, f8FromI8(bz)), cell.cellsPerBrick);
    I8 ix = i8Min(f8Truncate(x), last), iy = i8Min(f8Truncate(y), last), iz = i8Min(f8Truncate(z), last);
    cell.x = f8Sub(x, f8FromI8(ix));
    cell.y = f8Sub(y, f8FromI8(iy));
    cell.z = f8Sub(z, f8FromI8(iz));
    const I8 side = i8Set(brickSide);
    cell.corner = i8Add(start, i8Add(ix, i8Mul(side, i8Add(iy, i8Mul(side, iz)))));
    return cell;
}

static inline Sample8 sampleCell(const DistanceGrid* grid, const Cell8* cell)
{
    const float* values = grid->values;
    const I8 one = i8Set(1);
    I8 c00 = cell->corner, c10 = i8Add(c00, cell->strideY);
    I8 c01 = i8Add(c00, cell->strideZ), c11 = i8Add(c10, cell->strideZ);
    F8 a00 = f8Gather(values, c00), a10 = f8Gather(values, c10);
    F8 a01 = f8Gather(values, c01), a11 = f8Gather(values, c11);
    F8 dx00 = f8Sub(f8Gather(values, i8Add(c00, one)), a00), dx10 = f8Sub(f8Gather(values, i8Add(c10, one)), a10);
    F8 dx01 = f8Sub(f8Gather(values, i8Add(c01, one)), a01), dx11 = f8Sub(f8Gather(values, i8Add(c11, one)), a11);
    F8 v00 = lerp8(a00, cell->x, dx00), v10 = lerp8(a10, cell->x, dx10);
    F8 v01 = lerp8(a01, cell->x, dx01), v11 = lerp8(a11, cell->x, dx11);
    F8 dy0 = f8Sub(v10, v00), dy1 = f8Sub(v11, v01);
    F8 v0 = lerp8(v00, cell->y, dy0), v1 = lerp8(v01, cell->y, dy1), dz = f8Sub(v1, v0);
    F8 dx0 = lerp8(dx00, cell->y, f8Sub(dx10, dx00)), dx1 = lerp8(dx01, cell->y, f8Sub(dx11, dx01));
    F8 perMetre = f8Mul(cell->cellsPerBrick, f8Set(grid->shape.bricksPerMetre));
    return (Sample8){lerp8(v0, cell->z, dz), f8Mul(lerp8(dx0, cell->z, f8Sub(dx1, dx0)), perMetre),
                     f8Mul(lerp8(dy0, cell->z, f8Sub(dy1, dy0)), perMetre), f8Mul(dz, perMetre)};
}

static inline Point8 intoBox(const DistanceGridShape* shape, Point8 p)
{
    return (Point8){f8Min(f8Max(p.x, f8Set(shape->lower.x)), f8Set(shape->upper.x)),
                    f8Min(f8Max(p.y, f8Set(shape->lower.y)), f8Set(shape->upper.y)),
                    f8Min(f8Max(p.z, f8Set(shape->lower.z)), f8Set(shape->upper.z))};
}

static inline Point8 minus8(Point8 a, Point8 b) { return (Point8){f8Sub(a.x, b.x), f8Sub(a.y, b.y), f8Sub(a.z, b.z)}; }

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// distanceGridSample and distanceGridLower, eight points at a time, to the same bits.
#include "core/constants.h"
#include "field/distance_grid_lanes.h"

static inline Sample8 sampleAt(const DistanceGrid* grid, Point8 p)
{
    Cell8 cell = cellOf(grid, p);
    Sample8 sample = sampleCell(grid, &cell);
    Point8 offset = minus8(p, intoBox(&grid->shape, p));
    F8 offset2 = dot8(offset, offset);
    M8 outside = f8Greater(offset2, f8Zero());
    if (!m8Any(outside))
        return sample;
    Point8 g = {sample.gradientX, sample.gradientY, sample.gradientZ};
    F8 length = f8Sqrt(dot8(g, g));
    M8 long0 = f8Greater(length, f8Zero());
    F8 scale = f8Div(f8Set(1.0f), length);
    g.x = f8Select(long0, f8Mul(scale, g.x), g.x);
    g.y = f8Select(long0, f8Mul(scale, g.y), g.y);
    g.z = f8Select(long0, f8Mul(scale, g.z), g.z);
    Point8 away = {f8Mul(sample.distance, g.x), f8Mul(sample.distance, g.y), f8Mul(sample.distance, g.z)};
    F8 turn = f8Max(f8Mul(f8Set(2.0f), dot8(offset, away)), f8Zero());
    F8 distance = f8Sqrt(f8Add(f8Add(f8Mul(sample.distance, sample.distance), offset2), turn));
    scale = f8Div(f8Set(1.0f), distance);
    return (Sample8){f8Select(outside, distance, sample.distance),
                     f8Select(outside, f8Mul(scale, f8Add(offset.x, away.x)), sample.gradientX),
                     f8Select(outside, f8Mul(scale, f8Add(offset.y, away.y)), sample.gradientY),
                     f8Select(outside, f8Mul(scale, f8Add(offset.z, away.z)), sample.gradientZ)};
}

static inline F8 lowerAt(const DistanceGrid* grid, Point8 p)
{
    const DistanceGridShape* shape = &grid->shape;
    const F8 one = f8Set(1.0f);
    Point8 inside = intoBox(shape, p);
    Cell8 cell = cellOf(grid, inside);
    F8 spread2 = f8Add(f8Add(f8Mul(cell.x, f8Sub(one, cell.x)), f8Mul(cell.y, f8Sub(one, cell.y))),
                       f8Mul(cell.z, f8Sub(one, cell.z)));
    F8 spacing = f8Mul(f8Set(shape->cellSize), f8Div(f8Set((float)brickCells), cell.cellsPerBrick));
    F8 value = f8Abs(sampleCell(grid, &cell).distance);
    F8 reach = f8Mul(spacing, f8Sqrt(f8Max(spread2, f8Zero())));
    F8 lower = f8Max(f8Sub(f8Sub(value, reach), f8Set(shape->slack)), f8Zero());
    Point8 offset = minus8(p, inside);
    F8 offset2 = dot8(offset, offset);
    F8 joined = f8Mul(f8Sqrt(f8Add(f8Mul(lower, lower), offset2)), f8Set(DISTANCE_OUTSIDE_ROUNDING));
    return f8Select(f8Greater(offset2, f8Zero()), joined, lower);
}

// Eight points from the arrays. The last few are filled up with the first of them, so that every lane is a lookup.
static inline Point8 loadPoints(const float* x, const float* y, const float* z, int count)
{
    if (count >= 8)
        return (Point8){f8Load(x), f8Load(y), f8Load(z)};
    I8 at = i8Select(m8First(count), i8Lanes(), i8Set(0));
    return (Point8){f8Gather(x, at), f8Gather(y, at), f8Gather(z, at)};
}

static inline void storeSome(float* to, F8 a, int count)
{
    if (count >= 8) {
        f8Store(to, a);
        return;
    }
    float lanes[8];
    f8Store(lanes, a);
    memcpy(to, lanes, (size_t)count * sizeof(float));
}

void SIMD_NAME(distanceGridSamples)(const DistanceGrid* grid, int count, const float* x, const float* y, const float* z,
                                    float* distance, float* gradientX, float* gradientY, float* gradientZ)
{
    for (int i = 0; i < count; i += 8) {
        Sample8 sample = sampleAt(grid, loadPoints(x + i, y + i, z + i, count - i));
        storeSome(distance + i, sample.distance, count - i);
        storeSome(gradientX + i, sample.gradientX, count - i);
        storeSome(gradientY + i, sample.gradientY, count - i);
        storeSome(gradientZ + i, sample.gradientZ, count - i);
    }
}

void SIMD_NAME(distanceGridLowers)(const DistanceGrid* grid, int count, const float* x, const float* y, const float* z,
                                   float* lower)
{
    for (int i = 0; i < count; i += 8)
        storeSome(lower + i, lowerAt(grid, loadPoints(x + i, y + i, z + i, count - i)), count - i);
}

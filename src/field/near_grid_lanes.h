// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// nearGridBound for up to eight points at once, for kernels: operation by operation in the same order, so that the bits
// agree (a test compares them).
#pragma once

#include "field/distance_grid_lanes.h"
#include "field/fragment_field.h"

// Corner before a coordinate that is given in spacings; 0 where it is no number.
static inline I8 nearCell8(F8 x, int size)
{
    return f8Truncate(f8Select(f8Greater(x, f8Zero()), f8Min(x, f8Set((float)(size - 2))), f8Zero()));
}

static inline int32_t nearLoad(const NearCorner* corner) { return atomic_load_explicit(corner, memory_order_relaxed); }

// Of the lanes that are asked for, a bit each; −INFINITY elsewhere. The piece must have a grid. Without `learn` corners
// that nobody has asked for say nothing.
static inline F8 nearGridBound8(const FragmentField* field, int piece, Point8 p, unsigned lanes, bool learn)
{
    const NearGrid* grid = &field->pieces.data[piece].near;
    const F8 inverse = f8Set(grid->inverse), one = f8Set(1.0f);
    F8 x = f8Mul(inverse, f8Sub(p.x, f8Set(grid->origin.x)));
    F8 y = f8Mul(inverse, f8Sub(p.y, f8Set(grid->origin.y)));
    F8 z = f8Mul(inverse, f8Sub(p.z, f8Set(grid->origin.z)));
    I8 firstX = nearCell8(x, grid->size[0]), firstY = nearCell8(y, grid->size[1]), firstZ = nearCell8(z, grid->size[2]);
    F8 low[3] = {f8Sub(x, f8FromI8(firstX)), f8Sub(y, f8FromI8(firstY)), f8Sub(z, f8FromI8(firstZ))};
    F8 away2[3][2];
    for (int k = 0; k < 3; ++k) {
        F8 high = f8Sub(low[k], one);
        away2[k][0] = f8Mul(low[k], low[k]);
        away2[k][1] = f8Mul(high, high);
    }
    int32_t at[3][8];
    i8Store(at[0], firstX);
    i8Store(at[1], firstY);
    i8Store(at[2], firstZ);
    int row = grid->size[0], layer = row * grid->size[1];
    int32_t values[8][8]; // by corner and lane
    for (int i = 0; i < 8; ++i)
        i8Store(values[i], i8Set(0));
    for (unsigned left = lanes; left != 0; left &= left - 1u) {
        int lane = __builtin_ctz(left);
        const NearCorner* corners =
            field->nears.data + grid->first + (at[2][lane] * layer + at[1][lane] * row + at[0][lane]);
        values[0][lane] = nearLoad(corners), values[1][lane] = nearLoad(corners + 1);
        values[2][lane] = nearLoad(corners + row), values[3][lane] = nearLoad(corners + row + 1);
        corners += layer;
        values[4][lane] = nearLoad(corners), values[5][lane] = nearLoad(corners + 1);
        values[6][lane] = nearLoad(corners + row), values[7][lane] = nearLoad(corners + row + 1);
    }
    F8 bound = f8Set(-INFINITY);
    for (int i = 0; i < 8; ++i) {
        F8 way2 = f8Add(f8Add(away2[0][i & 1], away2[1][i >> 1 & 1]), away2[2][i >> 2]);
        I8 value = i8Load(values[i]);
        unsigned unknown = (unsigned)m8Bits(i8Equal(value, i8Set(nearUnknown))) & lanes;
        if (unknown != 0 && learn) {
            for (; unknown != 0; unknown &= unknown - 1u) {
                int lane = __builtin_ctz(unknown);
                values[i][lane] = nearGridLearn(field, piece, at[0][lane] + (i & 1), at[1][lane] + (i >> 1 & 1),
                                                at[2][lane] + (i >> 2));
            }
            value = i8Load(values[i]);
        }
        bound = f8Max(f8Sub(f8Mul(f8FromI8(value), f8Set(1.0f / (float)nearParts)), f8Sqrt(way2)), bound);
    }
    bound = f8Sub(f8Mul(bound, f8Set(grid->spacing)), f8Set(grid->slack));
    return f8Select(m8OfBits(lanes), bound, f8Set(-INFINITY));
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The corners of a surface's convex hull, and few others: so that the farthest point of a piece in any direction takes
// a dozen dot products, eight points each.
//
// No hull is made. Directions are divided into squares on the sides of a cube; a point is kept if it is farther than
// the farthest point of a square's middle in one of the square's corners. In every direction of a square, which is a
// sum of its corners with weights above zero, any other point is no farther than that one.
#pragma once

#include "core/simd.h"
#include "core/vec.h"
#include "field/skin.h"

enum {
    hullCells = 4,                             // squares along a side of the cube
    hullCellCount = 6 * hullCells * hullCells, //
    hullVerticesMost = 1024,                   // of a piece; the trees answer for those with more
    hullVerticesWhole = 4096,                  // of a whole solid
};

// In rows of `room` floats, x, y, z; past the last, the first one again.
typedef struct HullVertices {
    const float* rows;
    int count, room; // no count: ask the trees
} HullVertices;

static inline int hullVertexRoom(int count) { return (count + 7) / 8 * 8; }

// The farthest point in a direction; of equally far ones the one with the lowest coordinates. There must be some.
SIMD_DECLARE(Vec3, hullFarthest, (const HullVertices* vertices, Vec3 direction));

// Of a whole surface; `rows` has room for 3 · hullVerticesWhole numbers, which it needs as long as they are in use.
HullVertices hullVerticesOfSkin(const Skin* skin, shBox box, float* rows);

// The farthest points in the middles of all squares, then what is farther in a corner of one. A surface may be handed
// over in several views, all of them for each of the two.
typedef struct HullExtremes {
    float farthest[hullCellCount];
    float at[3][hullCellCount];
} HullExtremes;
void hullExtremesStart(HullExtremes* extremes);
SIMD_DECLARE(void, hullExtremesAdd, (HullExtremes * extremes, const SkinView* view));
// Writes points to rows of `room` floats, from `count` on. Returns how many there are then, −1: more than `room`.
SIMD_DECLARE(int, hullVerticesAdd,
             (const HullExtremes* extremes, const SkinView* view, float slack, float* rows, int room, int count));

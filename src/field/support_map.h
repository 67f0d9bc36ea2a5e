// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The support mapping of a piece: how far it reaches in any direction, without its convex hull being made.
//
// A piece of few corners keeps them all. Of others the heights in the directions of a lattice on the sides of a cube
// are kept: any direction is a sum of the four around it with weights above zero, and no point reaches farther in the
// sum than the same sum of heights says. That is more than the true reach by about R θ²/8, θ the angle between
// directions: a percent of the radius where a lone corner stands between them, nothing where directions are met.
// Beside the heights stand the corners that reach farthest in some of the directions: a hull inside of the true one,
// for searches that need points.
#pragma once

#include "core/simd.h"
#include "core/vec.h"

enum {
    supportCells = 6,                // along a side of the cube
    supportLines = supportCells + 1, //
    supportSide = supportLines * supportLines,
    supportHeights = 6 * supportSide, // by side (x, −x, y, …), then along the two axes that follow
    supportStride = 2,                // every second line along both axes has its farthest corner kept
    supportFew = 64,                  // corners that are all kept
    supportMost = 56,                 // corners kept otherwise, at most: so many directions have one
};

typedef struct SupportMap {
    const float* vertices; // in rows of `room` floats, x, y, z; past the last, the first one again
    int count, room;
    const float* heights; // [supportHeights]; null: the vertices are all there are
} SupportMap;

// What is known while points are looked at.
typedef struct SupportBuild {
    float highest[supportHeights][8]; // by lane
    float heights[supportHeights];    // of all lanes, once they are known
    Vec3 farthest[supportHeights];    // of those that have theirs kept
} SupportBuild;

SIMD_DECLARE(void, supportMeasure, (SupportBuild * build, const Vec3* points, int count));
SIMD_DECLARE(void, supportPick, (SupportBuild * build, const Vec3* points, int count));
// Floats that a map takes at most. A closed surface has no more corners than triangles.
enum { supportFloats = 3 * 64 + supportHeights };
static inline int supportFloatsFor(int triangles) { return triangles <= supportFew ? 3 * supportFew : supportFloats; }
// Writes the map of points, no two of them at one place, within a box. Returns its floats; *count: its vertices,
// *hasHeights: whether it has any.
int supportWrite(const Vec3* points, int pointCount, shBox box, float* rows, int* count, bool* hasHeights);
static inline int supportRoom(int count) { return (count + 7) / 8 * 8; }
static inline SupportMap supportAt(const float* rows, int count, bool hasHeights)
{
    int room = supportRoom(count);
    return (SupportMap){rows, count, room, hasHeights ? rows + 3 * room : NULL};
}

// Of the vertices the farthest in a direction; of equally far ones the one with the lowest coordinates.
SIMD_DECLARE(Vec3, supportVertex, (const SupportMap* map, Vec3 direction));
// No point of the piece is farther in a direction than this times its length; beside it only rounding.
float supportHeight(const SupportMap* map, Vec3 direction);

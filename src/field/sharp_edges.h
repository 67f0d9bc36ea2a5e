// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The convex edges of a surface that points do not speak for (METHODS: edges). Samples against a field see a vertex on
// a face; two edges that cross are seen by nobody until a sample is inside. How deep that is follows from the edge:
// half its length times the tangent of half the angle between its faces. Edges for which that matters are kept, largest
// first, after chains of collinear ones have been merged.
//
// An edge knows its ends and, for each of its two faces, the direction across the edge that lies on the other face's
// side: a direction perpendicular to the edge is an outward normal there if it has no negative part along either.
#pragma once

#include "core/array.h"
#include "field/piece_surface.h"

enum {
    edgesMost = 128, // of a piece
    edgeRows = 13    // of numbers: start, end, two directions, by coordinate; then which ends are corners
};

// Ends of an edge that are no samples of the tree: corners where cracks meet.
enum { edgeStartCorner = 1, edgeEndCorner = 2 };

// Edges in rows of `room` floats, a multiple of 8; lanes past the last hold no numbers. Neighbours stand side by side,
// and after the rows come the spheres around each eight of them: x, y, z and radius, in rows of edgeBlockRoom(room).
typedef struct EdgeSet {
    const float* rows;
    int count, room;
} EdgeSet;

static inline Vec3 edgeRow(const EdgeSet* set, int row, int edge)
{
    const float* at = set->rows + 3 * row * set->room + edge;
    return vec3(at[0], at[set->room], at[2 * set->room]);
}
static inline Vec3 edgeStart(const EdgeSet* set, int edge) { return edgeRow(set, 0, edge); }
static inline Vec3 edgeEnd(const EdgeSet* set, int edge) { return edgeRow(set, 1, edge); }

static inline unsigned edgeCorners(const EdgeSet* set, int edge) { return (unsigned)set->rows[12 * set->room + edge]; }

static inline int edgeRoom(int count) { return (count + 7) / 8 * 8; }
static inline int edgeBlockRoom(int room) { return (room / 8 + 7) / 8 * 8; }
static inline int edgeFloats(int room) { return edgeRows * room + 4 * edgeBlockRoom(room); }
static inline const float* edgeBlocks(const EdgeSet* set) { return set->rows + edgeRows * set->room; }
enum { edgeFloatsMost = edgeRows * edgesMost + 4 * (edgesMost / 8) };

// Scratch for surfaces of so many triangles.
typedef struct EdgeScratch {
    int most;           // triangles
    Vec3* normals;      // of triangles that have one
    int* first;         // side, then fold, at a vertex
    const Vec3* places; // of the surface at hand
    struct EdgeSide* sides;
    struct EdgeFold* folds;
    float* weights;
    int* cornerTable; // of ends that may be corners
} EdgeScratch;
bool edgeScratchMake(EdgeScratch* scratch, Memory* memory, int most);
void edgeScratchFree(EdgeScratch* scratch, Memory* memory);

// Finds the edges of a surface whose vertices are numbered. `radius` is the piece's. Writes edgeFloats(edgeRoom(count))
// floats, room for edgeFloatsMost of them is enough, and returns the count.
int edgesFind(EdgeScratch* scratch, const PieceSurface* surface, float radius, float* rows);
// All ends that were found are corners, but for those at the samples that are told.
// Writes the spheres of a set whose rows are written.
void edgesBound(float* rows, int count);
void edgesTellSample(const EdgeScratch* scratch, float* rows, int count, Vec3 sample);

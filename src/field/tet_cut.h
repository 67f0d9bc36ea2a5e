// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How cracks divide one tetrahedron (G3).
//
// Each corner carries a label. An edge whose ends differ is cut once, for ever. Corners that no cut separates form a
// group, and each group owns a share of the tetrahedron. The shares come from three kinds of points: one on every cut
// edge, one on every cut face, one inside. The shares' walls are cones from the inner point over the traces that the
// cracks leave on the faces; neighbours see the same traces, so pieces close and volumes add up.
//
// A later crack never moves an earlier one. When a tetrahedron is cut for the first time its face points and its inner
// point are laid ON that first crack; later cracks end there. Owners are found in order of birth: first the side of the
// oldest crack, then the side of the next within it. What an untouched neighbour owns is therefore decided by the same
// arithmetic, bit for bit, before and after.
//
// All of this lives in barycentric coordinates and needs only the cut positions.
#pragma once

#include "core/vec.h"

#include <stdint.h>

typedef struct TetCut {
    float t[6];        // cut position on a local edge, from its lower local corner to its higher; where birth ≠ 0
    uint8_t birth[6];  // 0: edge is whole; else 1, 2, 3: order of birth in this tetrahedron
    uint8_t planeSide; // corners on the positive side of the planes, if the first crack made two groups; else 0
    uint8_t flat;      // one plane is enough (one corner against three)
    uint8_t convex;    // the positive side is the intersection of both half-spaces, else their union
    float plane[2][4]; // the first crack's planes: their values at the corners
    float face[4][4];  // face point of face k; component k is 0
    float inner[4];    // inner point
} TetCut;

// A triangle of one piece's surface: crack face or part of an original triangle. Outward orientation.
typedef struct Facet {
    Vec3 p[3];
    int node;   // a mesh node of the owning group: the facet belongs to that node's piece
    int source; // original boundary triangle, or -1 on a crack
    int tet;    // where it lies
} Facet;

enum { maxGroupFacets = 16 };

// The points that shape the shares, in space. Neighbours must pass the same bits for shared points.
typedef struct TetCutPoints {
    Vec3 corner[4], edge[6], face[4], inner;
} TetCutPoints;

extern const uint8_t cornerLowest[16]; // of a mask of corners; 4 of none

// Edges between the corners of `side` and the others, as a mask.
unsigned tetCutAcross(unsigned side);
// The first crack of a whole tetrahedron, if it leaves two groups: those of `side`, which holds corner 0, and the
// others. The same as setting birth and calling tetCutShape, with less thought.
void tetCutFirst(TetCut* cut, unsigned side);
// Fills everything derived from t and birth. Call after adding cuts; earlier points stay.
void tetCutShape(TetCut* cut);

// The corner whose share holds the point with the given barycentric coordinates (which need not sum to 1).
int tetCutOwner(const TetCut* cut, const float point[4]);

// The corners that no cut separates from `corner`, as a mask.
unsigned tetCutGroup(const TetCut* cut, int corner);

// The surface of a group's share without its inner (uncut) walls: crack facets and, on the faces of the mask
// `boundary`, its part of the original triangles. `node` and `source` are left to the caller, except that source is
// set to the local face (0 … 3) or -1. Whole boundary triangles are not reported. Returns the count.
int tetCutFacets(const TetCut* cut, unsigned group, const TetCutPoints* points, unsigned boundary,
                 Facet facets[maxGroupFacets]);
// The same count, from birth and planeSide alone.
int tetCutFacetCount(const TetCut* cut, unsigned group, unsigned boundary);
// The same for the first crack of a whole tetrahedron that leaves three or four groups; `lone` holds the other lone
// corner if there are three and the group is one, too, else nothing.
int tetCutManyCount(unsigned group, unsigned lone, unsigned boundary);
// Both at once after tetCutFirst: the facets of planeSide's group and of the other. Whole cracks look alike from both
// sides, so they are worked out once.
int tetCutHalfCount(unsigned group, unsigned boundary);
void tetCutHalves(const TetCut* cut, const TetCutPoints* points, unsigned boundary, Facet* first, Facet* second);

// Points in space from the edge points. `rank` orders the corners the same way in every tetrahedron (node ids).
void tetCutPlace(const TetCut* cut, const int rank[4], TetCutPoints* points);

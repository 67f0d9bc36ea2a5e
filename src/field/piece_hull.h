// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A convex shape around a piece: half-spaces across its largest crack faces, so that a piece between flat cracks is
// met almost exactly. Outside, the distance to any of the planes bounds the piece's distance; inside, no point is
// deeper in the piece than below the nearest plane. Together with the rest grid that spares most looks at the surface.
#pragma once

#include "core/simd.h"
#include "core/vec.h"

enum { hullMaxPlanes = 8 };

typedef struct HullPlane {
    Vec3 normal;  // unit, out of the piece
    float offset; // all of the piece has normal · p ≤ offset, m
} HullPlane;

// Zero planes: anything.
typedef struct PieceHull {
    HullPlane planes[hullMaxPlanes];
    int count;
    int nodes; // of the piece when the planes were laid
    // Its support map (support_map.h) among those of all pieces. A count of 0: that of the whole will do.
    int supportRow, supportCount;
    bool hasHeights;
} PieceHull;

typedef struct TetMesh TetMesh;
typedef struct FragmentField FragmentField;
typedef struct SkinView SkinView;
typedef struct Facet Facet;

// Directions are sorted into squares on the sides of a cube; facets of one flat crack share a square.
enum { squaresAlong = 4, squaresPerSide = squaresAlong * squaresAlong, squareCount = 6 * squaresPerSide };

// Twice the area of the crack facets that face each square, times their normal. In whole steps, which add up to the
// same in any order: trees hold facets as history has put them there.
typedef struct HullSteps {
    int64_t of[squareCount][3];
    double perArea; // steps
} HullSteps;
SIMD_DECLARE(void, hullAddAreas, (HullSteps * steps, const SkinView* view, const Facet* facets));

// How far a set of points reaches in each of eight directions.
typedef struct HullReach {
    float x[hullMaxPlanes], y[hullMaxPlanes], z[hullMaxPlanes];
    float farthest[hullMaxPlanes];
} HullReach;
SIMD_DECLARE(void, hullReachSkin, (HullReach * reach, const SkinView* view));
SIMD_DECLARE(void, hullReachPoint, (HullReach * reach, Vec3 p));

// Lays planes across the cracks of a piece.
PieceHull hullOfPiece(const FragmentField* field, int piece);
// Lays planes across the corners of the box around a mesh.
PieceHull hullOfMesh(const TetMesh* mesh);

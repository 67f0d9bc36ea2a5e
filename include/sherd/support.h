// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What holds what (X5): bonds between pieces that lie side by side, anchors in the rest frame, and the parts that are
// cut off. A body may be several pieces: those that bonds keep together. Where pieces are in the world by now is the
// caller's business; here all are where they were made.
#pragma once

#include "sherd/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

// The crack between two pieces.
typedef struct shBond {
    int a, b;           // pieces, a < b
    bool broken;        // holds nothing any more; false to begin with
    double area;        // m²
    double centroid[3]; // rest frame, m
    double normal[3];   // mean over the area, from a to b, unit; zero if the crack closes around one of them
} shBond;

typedef struct shBonds {
    int count;
    shBond* data; // sorted by a, then b
} shBonds;

// All cracks between the given pieces (null: all pieces of the solid). Exact from the geometry: what borders on a piece
// adds up to its crack surface.
SH_API shStatus shSolid_CreateBonds(const shSolid* solid, const int* pieces, int pieceCount, shBonds* bonds,
                                    shMessage* message);
SH_API void shSolid_DestroyBonds(const shSolid* solid, shBonds* bonds);

// Breaks bonds around a point (rest frame), the one with the closest centroid first, while `energy` (J) pays for them
// at `toughness` (J/m²) each. Returns what was spent, never more than there is.
SH_API double shBreakBonds(shBonds* bonds, shVec3 point, double toughness, double energy);

typedef enum shAnchorType {
    shBallAnchor,      // around `point`; radius 0: the piece that owns the point
    shBoxAnchor,       // `box`
    shHalfSpaceAnchor, // behind the plane through `point`, which faces along `normal`
    shNodeAnchor,      // nodes of the asset's tet mesh, as `holds` says
} shAnchorType;

// A place in the rest frame that does not move. Pieces that reach into it or touch it are held.
typedef struct shAnchor {
    shAnchorType type;
    shVec3 point;
    float radius;  // ball, m
    shVec3 normal; // half-space, any length
    shBox box;
    bool (*holds)(int node, shVec3 place, void* user);
    void* user;
} shAnchor;

// held[i]: does some anchor hold pieces[i]?
SH_API shStatus shSolid_FindHeld(const shSolid* solid, const shAnchor* anchors, int anchorCount, const int* pieces,
                                 int pieceCount, bool* held, shMessage* message);

// What unbroken bonds keep together. A group that an anchor holds stays where it is; each of the others falls as one.
// Returns the number of groups, which are numbered in the order of their lowest piece.
//
// `present` and `held` are by piece number below `pieceCount`: which pieces take part (null: all), and which are held
// (null: none). Writes the group of each piece, -1 for absent ones, and for each group whether it is held (null: not
// asked; room for pieceCount). Bonds to absent pieces hold nothing. Allocates nothing.
SH_API int shFindGroups(const shBonds* bonds, const bool* present, const bool* held, int pieceCount, int* groups,
                        bool* groupHeld);

#ifdef __cplusplus
}
#endif

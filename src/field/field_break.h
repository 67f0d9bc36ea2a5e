// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A break in the making: what field_break.c (parts, labels), field_tets.c (cuts, facets) and field_skin.c (trees over
// surfaces) share while it lasts.
#pragma once

#include "field/fragment_field.h"

typedef struct Part {
    int label;    // in `children`
    int count;    // nodes
    int next;     // where its next node goes in nodeOrder
    int facets;   // that it gets
    int features; // of its new tree; then where the next one goes among the plan's
} Part;

// A tetrahedron that the crack cuts.
typedef struct TetPlan {
    int tet;
    uint8_t broken;   // corners of the breaking piece
    uint8_t side;     // the corners that stay with corner 0, if it was whole and falls in two; else 0
    uint8_t boundary; // faces on the original surface
} TetPlan;

// A triangle of the old surface that does not stay with the largest part.
typedef struct Leaving {
    int tree;
    int slot; // packet · skinLanes + lane
    int part; // -1: it is cut
} Leaving;

typedef ARRAY(int) IntList;

// What the shape of a child takes at most.
typedef struct ShapePlan {
    int triangles;
    int64_t edges, supports; // where they lie for now, from the ends of those that are there
} ShapePlan;

typedef struct ShapeScratch {
    PieceSurface surface;
    EdgeScratch edges;
} ShapeScratch;

// Children that one worker takes.
typedef struct ShapeShare {
    int end; // from where the one before has its end
    ShapeScratch scratch;
} ShapeShare;

typedef struct Plan {
    FragmentField* field;
    const Crack* crack;
    int piece;
    int* partOf; // [nodeCount] part of a node of the piece, -1 elsewhere
    ARRAY(Part) parts;
    int largest;
    ARRAY(TetPlan) tets;
    int firstNewTet; // in cutTets
    int facetCount;
    shBox around; // the smaller parts' nodes and all next to them
    ARRAY(Leaving) leaving;
    IntList features;         // of new trees, part by part
    ARRAY(uint64_t) keys;     // twice the most that one of them has
    IntList stack;            // of a flood; then the nodes in their old order
    IntList fronts;           // two of them, under fieldPaper
    ARRAY(ShapePlan) shapes;  // of children
    ARRAY(ShapeShare) shares; // of workers
} Plan;

// ---- field_tets.c

// Lists what the crack cuts and makes room for it. False: no memory; then call forgetTets.
bool planTets(Plan* plan);
void forgetTets(Plan* plan);
// A run of facets that nobody needs any more.
void giveFacets(FragmentField* field, int first, int count);
// Gives back the facets of the groups that break and marks boundary triangles that are now cut.
void dropOldFacets(Plan* plan);
// Cuts, and writes facets where they belong.
void cutTets(Plan* plan);

// The facets that a cut tetrahedron keeps with the group of one of its corners, added to a box.
shBox boundFacets(const FragmentField* field, const CutTet* cut, int corner, shBox box);

// ---- field_skin.c

// Lists what leaves the largest part's trees and makes room for new ones. False: no memory.
bool planSkins(Plan* plan);
// Before cutting: makes an end of the old ones. Facets are taken as they are written; then the trees are made, once
// boxes are known.
void openSkins(Plan* plan);
void takeFacets(Plan* plan, int part, int first, int count);
void buildSkins(Plan* plan);
// A piece's trees are nobody's any more.
void dropSkins(FragmentField* field, int piece);

// ---- field_shapes.c

// Makes room for what findShapes finds. False: no memory. Either way forgetShapes ends it.
bool planShapes(Plan* plan);
// Mass, hull, support map and edges of all children.
void findShapes(Plan* plan);
void forgetShapes(Plan* plan);

// ---- support_map.c

// Floats of a piece's map.
int supportFloatsOf(const PieceHull* hull);
// Room for so many more. False: no memory.
bool reserveSupports(FragmentField* field, int64_t more);

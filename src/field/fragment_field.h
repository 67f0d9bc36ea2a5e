// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The fragment distance field (G3-G6): who owns each point of a broken solid, and how far its surface is.
//
// One field serves all pieces of a solid, however often they break: a node of the ORIGINAL mesh carries the label of
// its piece. Cut tetrahedra hold the exact crack. Until the first break a field owns nothing and answers from the rest
// shape.
//
// Distances of points are exact, inside and outside: every piece has its surface in trees (skin.h, field_skin.c). Those
// of nodes are asked there, too, and kept nowhere: hardly anybody wants them, and no break has to pay for them.
#pragma once

#include "core/array.h"
#include "field/field_paper.h"
#include "field/mask_grid.h"
#include "field/near_grid.h"
#include "field/normal_cone.h"
#include "field/piece_hull.h"
#include "field/sharp_edges.h"
#include "field/skin.h"
#include "field/support_map.h"
#include "mesh/mass.h"

// What all solids of an asset share.
typedef struct RestField {
    const TetMesh* mesh;
    const TetTopology* topology;
    const CellGrid* cells;
    const MaskGrid* maskGrid;
    const int* nodeFeatures;    // [nodeCount] the closest boundary triangle
    const float* nodeDistances; // [nodeCount] and its distance, m; 0 on the surface
    const double* nodeVolumes;  // [nodeCount] a quarter of the tetrahedra around it, m³
    const Skin* skin;
    EdgeSet edges;      // of the whole surface
    SupportMap support; // of it
} RestField;

typedef struct Piece {
    int first, count; // its nodes: nodeOrder[first … first + count)
    int parent;       // the piece it broke off; -1 for the original
    shBox box;        // in the rest frame
    bool masked;      // the mask grid is worth asking: much of the box is others'
    bool removed;     // gone: owns nothing any more, its nodes keep a label nobody asks for
    PieceHull hull;   // in the rest frame
    int skin;         // its first tree; -1: none
    NearGrid near;    // in the rest frame
    int edgeRow;      // its edges among those of all pieces
    int edgeCount, edgeRoom;
    int triangles;       // of its surface
    MassProperties mass; // per unit of density
} Piece;

typedef struct CutPoint {
    Vec3 p;
    float t; // from the edge's lower node to its higher
    int edge;
} CutPoint;

// A cut tetrahedron and the facets of its groups, by each group's lowest corner.
typedef struct CutTet {
    int nodes[4];
    int facets[4]; // first facet of the group
    uint8_t facetCount[4];
    int tet;
    TetCut cut;
} CutTet;

// The surfaces of all pieces. A piece that has broken off has one tree; the part that stays keeps the trees of the
// whole, in which what has gone does not count any more, until little is left of them, and gets another for what is
// new.
typedef struct Skins {
    ARRAY(SkinTree) trees; // in the order of their packets
    ARRAY(SkinPacket) packets;
    ARRAY(uint8_t) alive; // of packets: a bit for each lane that counts
    ARRAY(SkinNode) nodes;
    uint8_t* restAlive; // of the asset's own packets
    int waste;          // packets of trees that are nobody's
} Skins;

typedef ARRAY(float) FloatList;

// How distances of nodes follow a break. Set before the first one.
typedef enum FieldRule {
    fieldNearest, // they are what the surface says when it is asked
    fieldPaper,   // fronts average distances and directions, as printed: for comparison
} FieldRule;

struct FragmentField {
    const RestField* rest;
    Memory* memory;
    const shContext* context; // whose workers share out a break; null: nobody helps
    FieldRule rule;
    // All null until the first break.
    int* labels;            // [nodeCount] piece of a node
    PaperField paper;       // of no use under fieldNearest
    int* nodeOrder;         // [nodeCount] nodes sorted by piece
    int* edgeCuts;          // [edgeCount] index into cuts, or -1
    int* tetCuts;           // [tetCount] index into cutTets, or -1
    uint64_t* masks;        // [maskCount] of the mask grid
    uint8_t* triangleIsCut; // [triangleCount]
    int* scratch;           // [nodeCount] -1 between breaks
    ARRAY(Piece) pieces;    // by label
    ARRAY(CutPoint) cuts;
    ARRAY(CutTet) cutTets;
    ARRAY(Facet) facets;
    Skins skins;
    FloatList edges;                    // rows of the pieces' edges
    FloatList supports;                 // and their support maps
    ARRAY(NearCorner) nears;            // corners of the pieces' grids
    int freeFacets[maxGroupFacets + 1]; // heads of free runs by length, linked through Facet.source; -1 ends
    // Of the last break.
    ARRAY(int) children; // labels: the piece itself (its largest part keeps the label), then new ones
    ARRAY(int) newTets;  // tetrahedra that it cut
    int firstNewCut;     // cuts from here on are new
};

// Last word before a break is applied: what else must grow with the field does so here, or returns false.
typedef bool FieldPrepare(const FragmentField* field, int newCuts, int newPieces, void* user);

// What divides a piece: labels at its nodes, positions on the edges whose ends differ.
typedef struct Crack {
    int piece;
    const int* labels;                  // [nodeCount] any numbers; read at the piece's nodes only
    float (*cut)(int edge, void* user); // from the edge's lower node; null: the middle. Kept within
    void* user;                         // CUT_LOWEST … CUT_HIGHEST.
} Crack;

void fieldInit(FragmentField* field, Memory* memory, const RestField* rest);
void fieldFree(FragmentField* field);
// The arrays of a broken solid, if there are none yet: all is one piece still. False: no memory, and all as before.
bool fieldEnsureState(FragmentField* field);

// Divides a piece into the connected parts of equal label. `children` then holds the labels, the largest part's (which
// is the piece's own) first; a single entry means nothing broke. On failure, or when `prepare` (may be null) refuses,
// the field is as before.
shStatus fieldBreak(FragmentField* field, const Crack* crack, FieldPrepare* prepare, void* user, shMessage* message);

// Takes a piece of a broken solid out for good and gives its facets back. Other pieces keep every bit.
void fieldRemovePiece(FragmentField* field, int piece);

static inline int fieldLabel(const FragmentField* field, int node)
{
    return field->labels != NULL ? field->labels[node] : 0;
}

// The feature of its piece's surface that is closest to a node: boundary triangle f ≥ 0, or facet ~f. noFeature, and
// infinitely far, if the piece is gone.
typedef struct NodeField {
    float distance; // m
    int feature;
} NodeField;
NodeField fieldNode(const FragmentField* field, int node);
// A node's distance to its piece's surface, by the rule of the field.
float fieldNodeDistance(const FragmentField* field, int node);

int fieldPieceCount(const FragmentField* field); // with removed ones
static inline bool fieldHasPiece(const FragmentField* field, int piece)
{
    return piece >= 0 && piece < fieldPieceCount(field) &&
           (field->labels == NULL || !field->pieces.data[piece].removed);
}
shBox fieldBox(const FragmentField* field, int piece);

// The piece that owns p (rest frame), or -1 outside the solid.
int fieldOwner(const FragmentField* field, Vec3 p);

typedef struct FieldHit {
    float distance; // signed, negative inside the piece, m
    Vec3 normal;    // unit, out of the piece
    Vec3 point;     // of the piece's surface, closest to p as far as the field knows
    int feature;    // which feature that is
} FieldHit;

// Distance to one piece's surface where it is of interest: if p lies inside the piece, or outside within `reach` of it.
// With a cone (may be null) surfaces that do not face it are passed over while there are others about as near.
// `outside`: p is known to be outside the piece. `bound`: if p lies inside, the surface is known to be no farther than
// this; 0: nothing is known. False: p is outside and farther than `reach`, or inside but less deep than `depth`.
typedef struct FieldProbe {
    Vec3 p;
    float reach, depth, bound;
    const NormalCone* cone;
    bool outside;
} FieldProbe;
bool fieldProbe(const FragmentField* field, int piece, const FieldProbe* probe, FieldHit* hit);

// The same when nothing but p and the reach is known.
bool fieldProbeFar(const FragmentField* field, int piece, Vec3 p, float reach, FieldHit* hit);

// The closest point of a piece's surface to any point, inside or outside, however far; false: not nearer than `reach`.
bool fieldClosest(const FragmentField* field, int piece, Vec3 p, float reach, FieldHit* hit);

// The trees over a piece's surface, one after the other (field_skin.c):
//
//     for (SkinWalk walk = fieldSkins(field, piece); fieldNextSkin(field, &walk);)
//         … walk.view …
typedef struct SkinWalk {
    int next; // -1: no more
    SkinView view;
} SkinWalk;
SkinWalk fieldSkins(const FragmentField* field, int piece);
bool fieldNextSkin(const FragmentField* field, SkinWalk* walk);
// The convex edges of a piece's surface that matter (field_shapes.c).
EdgeSet fieldEdges(const FragmentField* field, int piece);
// All pieces' masses, edges and support maps from their surfaces. False: no memory.
bool fieldBuildShapes(FragmentField* field);
// How far a piece reaches in any direction.
SupportMap fieldSupport(const FragmentField* field, int piece);
// All pieces' trees from their surfaces. False: no memory.
bool fieldBuildSkins(FragmentField* field);

// The three corners of a feature.
void fieldFeature(const FragmentField* field, int feature, Vec3 corners[3]);

// Calls `visit` for every triangle of the piece's closed surface; source is the boundary triangle or -1 on a crack.
void fieldSurface(const FragmentField* field, int piece, void (*visit)(const Vec3 p[3], int source, void* user),
                  void* user);

// The same by features, in the same order, a block at a time.
enum { surfaceBlockSize = 256 };
typedef void SurfaceVisit(const int* features, int count, void* user);
void fieldSurfaceFeatures(const FragmentField* field, int piece, SurfaceVisit* visit, void* user);

int64_t fieldBytes(const FragmentField* field);

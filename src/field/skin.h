// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The surface of one piece in a tree of boxes: which of its triangles is closest to a point.
//
// Triangles stand in packets of eight, by lane, in the order of a Hilbert curve; a node holds the boxes of eight
// packets, or of eight nodes below it, and has no links: children stand eight by eight, and only the last of a level
// may have fewer. So a question is a few comparisons of eight boxes and one or two of eight triangles, and a tree is
// made in one pass over sorted triangles.
//
// Of equally near triangles the one with the lowest feature counts, and no box is passed over that may hold one as near
// as the best: answers follow from the triangles alone, however the tree came to be.
#pragma once

#include "core/simd.h"
#include "field/normal_cone.h"
#include "field/tet_cut.h"
#include "mesh/tet_mesh.h"

enum {
    noFeature = INT32_MAX,
    skinLanes = 8,
    skinLevels = 10,                                   // 2^30 triangles
    skinStack = (skinLevels + 1) * (skinLanes - 1) + 1 // what waits during a descent, at most
};

// By coordinate. Every lane is numbers, of a triangle or of the last one once more.
typedef struct SkinPacket {
    float a[3][skinLanes], b[3][skinLanes], c[3][skinLanes];
    int features[skinLanes];
} SkinPacket;

// Lanes without a child have an inverted, infinite box: nothing ever meets it.
typedef struct SkinNode {
    float lower[3][skinLanes], upper[3][skinLanes];
} SkinNode;

// Its place among packets and nodes that it may share with others.
typedef struct SkinTree {
    int packet, packetCount;
    int node, nodeCount;
    int levels;             // of nodes; the lowest is above the packets
    int starts[skinLevels]; // where a level begins, from `node`; the root is the last
    int count;              // triangles that are still there
    // Of use to a broken solid alone.
    int piece; // -1: nobody's any more
    int next;  // another one of the piece; -1: no more
    bool rest; // the asset's own, whose packets and nodes nobody changes
    bool dissolves;
    int leaving; // both during a break
} SkinTree;

// A tree and what it stands in.
typedef struct SkinView {
    const SkinTree* tree;
    const SkinPacket* packets; // the tree's first
    const uint8_t* alive;      // a bit for each lane that counts
    const SkinNode* nodes;     // the tree's first
} SkinView;

// The whole surface of a mesh.
typedef struct Skin {
    SkinTree tree;
    SkinPacket* packets;
    uint8_t* alive;
    SkinNode* nodes;
} Skin;

// Where features have their corners: boundary triangle f ≥ 0, or facet ~f.
typedef struct SkinSource {
    const TetMesh* mesh;
    const Facet* facets;
} SkinSource;
void skinCorners(const SkinSource* source, int feature, Vec3 corners[3]);

// How much room a tree of so many triangles takes.
int skinPacketCount(int triangles);
int skinNodeCount(int packets);
// Makes a tree of triangles within a box. `keys` has room for twice as many.
void skinBuild(SkinTree* tree, SkinPacket* packets, uint8_t* alive, SkinNode* nodes, const SkinSource* source,
               const int* features, int count, shBox box, uint64_t* keys);

// Keys of triangles along a Hilbert curve through a cube around the box, of so many levels, above their features; and
// packets of triangles in the order of their keys, with their boxes (skin_build_kernel.c).
SIMD_DECLARE(void, skinKeys,
             (uint64_t * keys, const SkinSource* source, const int* features, int count, shBox box, int levels));
SIMD_DECLARE(void, skinPack,
             (SkinPacket * packets, SkinNode* nodes, const SkinSource* source, const uint64_t* keys, int count));

bool skinOfMesh(Skin* skin, Memory* memory, const TetMesh* mesh);
void skinFree(Skin* skin, Memory* memory);
static inline SkinView skinView(const Skin* skin)
{
    return (SkinView){&skin->tree, skin->packets, skin->alive, skin->nodes};
}

// What has been found so far around a point.
typedef struct SkinSearch {
    Vec3 p;
    float distance;         // only what is nearer counts; then the distance of the closest, m
    float enough;           // how near exactly does not matter below this
    const NormalCone* cone; // only surfaces that face it count; null: all
    int feature;            // noFeature: none yet
    Vec3 point;             // the closest one
    Vec3 corners[3];        // of the feature
    bool onFace;            // the point is within the triangle, not on an edge or a corner
} SkinSearch;

static inline SkinSearch skinSearch(Vec3 p, float reach, const NormalCone* cone)
{
    return (SkinSearch){.p = p, .distance = reach, .enough = -1.0f, .cone = cone, .feature = noFeature};
}
SIMD_DECLARE(void, skinNearest, (const SkinView* view, SkinSearch* search));

// Where a segment crosses the surface first: into the piece, or out of it through a triangle that faces the same way as
// `outward`. Segments that continue each other at equal points miss nothing between them.
typedef struct SkinCrossing {
    Vec3 from, to;
    Vec3 outward;
    float fraction; // only earlier crossings count; then that of the first one
    bool crosses;
    int feature; // of equally early ones the lowest
    Vec3 across; // of its triangle, outward, of any length
} SkinCrossing;
SIMD_DECLARE(void, skinCross, (const SkinView* view, SkinCrossing* crossing));

// Every packet whose box meets the box; false when `visit` was.
typedef bool SkinVisit(const SkinView* view, int packet, void* user);
bool skinVisitBox(const SkinView* view, shBox box, SkinVisit* visit, void* user);

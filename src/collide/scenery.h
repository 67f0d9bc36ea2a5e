// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Scenery as a target of samples, and its own samples: the convex edges and corners, here called ridges.
//
// Distances come from the closest triangle. What its closest point lies on decides side and normal: within a face the
// face, so that flat ground gives its normal to the bit whatever the tessellation; on an edge or at a corner the
// normals around it together (angle-weighted, Bærentzen and Aanæs 2005).
#pragma once

#include "core/context.h"
#include "field/field_walk.h"
#include "sherd/scenery.h"
#include "tree/wide_tree.h"

// Corners of the triangles of a packet, by axis and lane. Free lanes repeat the first.
typedef struct SceneryPacket {
    float corners[3][3][wideLanes];
} SceneryPacket;

typedef enum CreaseKind {
    creaseFlat,   // no crease: the faces around lie in a plane
    creaseFolded, // between faces that turn alike
    creaseLoose,  // at the rim, or where faces do not agree which side is solid
} CreaseKind;

// An edge or a corner of the mesh.
typedef struct SceneryCrease {
    Vec3 normal; // of the faces around, unit; zero where they cancel
    CreaseKind kind;
} SceneryCrease;

// By slot: packet · wideLanes + lane.
typedef struct SceneryTriangle {
    Vec3 normal; // unit
    int id;      // in the input; -1: nothing in this lane
    int vertices[3];
    int edges[3]; // from corner k to k + 1
    bool sheet;   // given with both turns
} SceneryTriangle;

// Sample k of ridge r is at k / 2^stepBits from a to b and has the number r · 2^stepBits + k. Corners are ridges
// without length.
typedef struct SceneryRidge {
    Vec3 a, b;
    NormalCone cone; // of the outward directions
} SceneryRidge;

struct shScenery {
    shContext* context;
    shSceneryInfo info;
    float thickness;
    int slotCount, edgeCount, vertexCount;
    WideTree tree;
    SceneryPacket* packets;     // [slotCount / wideLanes]
    SceneryTriangle* triangles; // [slotCount]
    SceneryCrease* edges;       // [edgeCount]
    SceneryCrease* vertices;    // [vertexCount]
    WideTree ridgeTree;
    SceneryRidge* ridges; // [info.ridgeCount]
    int stepBits;
};

// What a piece can meet of the scenery: the nodes that overlap its surroundings, as many as fit one node. Queries start
// there and not at the root.
typedef struct SceneryPatch {
    const shScenery* scenery;
    WideNode root;
    shBox bounds; // of all triangles in it
    // Where all of them look more or less up (unit), none comes above `top` and the steepest leans by `cosine`. Else up
    // is zero and top infinite.
    Vec3 up;
    float top, cosine;
    float reach; // m. All triangles that are so near to the piece's box are in it
    float depth; // m. Samples no farther behind are inside; infinite for closed scenery
} SceneryPatch;

// `box` in the scenery's frame: where something of a given size is, or will be on its way. Its size limits the depth.
void sceneryPatch(const shScenery* scenery, shBox box, float size, float margin, SceneryPatch* patch);

// A lower bound of the signed distance that costs next to nothing, and targetProbe with it (-INFINITY: nothing known).
float sceneryBound(const SceneryPatch* patch, Vec3 p);
float sceneryProbe(const SceneryPatch* patch, Vec3 p, float bound, float margin, float interest, const NormalCone* cone,
                   bool* found, FieldHit* hit);

// The closest point within reach, whichever side it is seen from; distance is negative in what is solid.
bool sceneryClosest(const shScenery* scenery, Vec3 p, float reach, FieldHit* hit);

// The triangles in packets that meet the box; false when `visit` was.
bool sceneryVisitBox(const shScenery* scenery, shBox box, FieldVisit* visit, void* user);

// The slot of the first triangle hit from either side at no more than *fraction of the way, which becomes its own; -1:
// none.
int sceneryRay(const shScenery* scenery, DVec3 origin, DVec3 translation, double* fraction);

// The slot of the closest triangle nearer than √*distance2, which becomes its distance; -1: none. Only triangles that
// face the cone (may be null) count.
SIMD_DECLARE(int, sceneryNearest, (const SceneryPatch* patch, Vec3 p, const NormalCone* cone, float* distance2));

// Finds `up`, `top` and `cosine` for a patch from the packets given.
SIMD_DECLARE(void, sceneryLevel, (SceneryPatch * patch, const int* packets, int packetCount));

// Samples of a ridge that are at most `spacing` apart: every `stride`-th, from `stride` on. 0: a corner, with its one
// sample 0.
int sceneryStride(const shScenery* scenery, int ridge, float spacing);
static inline int scenerySampleRidge(const shScenery* scenery, int sample) { return sample >> scenery->stepBits; }
static inline Vec3 scenerySample(const shScenery* scenery, int sample)
{
    const SceneryRidge* ridge = &scenery->ridges[sample >> scenery->stepBits];
    int steps = 1 << scenery->stepBits;
    return vLerp(ridge->a, ridge->b, (float)(sample & (steps - 1)) / (float)steps);
}

// Calls `visit` with the number of every sample of the ridges that meet the box and with its place, until it returns
// false. `box` is in a frame of its own, given by `frame` from the scenery's.
typedef bool SceneryVisit(int sample, Vec3 p, void* user);
void sceneryRidgeSamples(const shScenery* scenery, shTransform frame, shBox box, float spacing, SceneryVisit* visit,
                         void* user);

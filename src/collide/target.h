// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What samples are tested against: a piece of a solid, an analytic shape (G5-G7), or scenery.
#pragma once

#include "collide/scenery.h"
#include "solid/solid.h"

typedef struct Target {
    const shSolid* solid; // null: scenery or the shape
    int piece;
    bool broken;
    bool masked;                 // the mask grid is worth asking
    bool near;                   // it has a grid of its own
    shBox box;                   // of the piece
    const PieceHull* hull;       // of the piece
    float gridError;             // what a look-up in the rest grid may be off by, m; infinite: it is for bounds alone
    const SceneryPatch* scenery; // null: the shape
    shShape shape;
} Target;

Target targetPiece(const shSolid* solid, int piece);
Target targetShape(const shShape* shape);
Target targetScenery(const SceneryPatch* patch);
// Of a known type, with finite sizes that are not negative.
bool targetShapeValid(const shShape* shape);

// From the samples' frame to the target's.
typedef struct TargetFrame {
    Mat3 rotation;
    Vec3 offset;
} TargetFrame;

// What is known of a point of the target's frame before its surface is looked at: of solids from the rest grid, of
// pieces from their box, hull and grid, of shapes everything.
typedef struct TargetSample {
    float distance; // signed; a lower bound of the true one, inside a fine rest grid its own value
    float rest;     // what the rest grid says of a solid that is whole
    float depth;    // inside, the surface is no farther
} TargetSample;

TargetSample targetSample(const Target* target, Vec3 p);

// Eight samples at once, by coordinate. All of x, y, z must be numbers; they come in the samples' frame and leave in
// the target's.
enum { targetBatch = 8 };
typedef struct TargetBatch {
    float x[targetBatch], y[targetBatch], z[targetBatch];
    float radius[targetBatch]; // of the sphere that holds all below the sample, m
    float distance[targetBatch], rest[targetBatch], depth[targetBatch];
    float clear[targetBatch]; // m, no sphere so far that could not come closer than the threshold was nearer
} TargetBatch;
// `count` of them are asked for. Returns a bit for each sample whose sphere may come closer than the threshold.
unsigned targetLookUp(const Target* target, const TargetFrame* frame, TargetBatch* batch, int count, float threshold);
// The same against pieces only.
SIMD_DECLARE(unsigned, targetBounds,
             (const Target* target, const TargetFrame* frame, TargetBatch* batch, unsigned lanes, float threshold));

// Signed distance of p, or a lower bound of it; as good as needed to tell whether it is below `margin`: then `hit` is
// filled, *found set, and the distance is exact near the surface. How far p is beyond `interest` (≥ margin) matters to
// nobody.
float targetProbe(const Target* target, Vec3 p, const TargetSample* sample, float margin, float interest,
                  const NormalCone* cone, bool* found, FieldHit* hit);

// The signed distance of p from a piece is no less than this; -INFINITY: nothing is known without a look at it.
float targetNear(const Target* target, Vec3 p);

// A sphere's centre against a piece: like targetProbe with margin = reach, exact for any reach.
bool targetProbeFar(const Target* target, Vec3 p, float reach, FieldHit* hit);

// A shape's own samples: spheres are thick points, capsules a row of them, boxes corners, edges and faces, planes have
// none.
int targetShapeSampleCount(const shShape* shape);
Vec3 targetShapeSample(const shShape* shape, int index, float* thickness);

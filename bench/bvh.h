// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Parts of suite `bvh` (Otaduy 2007, §5): a mesh split in eleven steps, a peeled apple, a pumpkin in pieces; and their
// models.
#pragma once

#include "bench/crack_mesh.h"
#include "bench/rebuilds.h"
#include "bench/suite.h"

enum { BVH_STEPS = 11 };

// Vertices and triangles of its own.
typedef struct BvhModel {
    Memory* memory;
    int pointCapacity, triangleCapacity;
    shVec3* points;
    int (*triangles)[3];
    shTriangles mesh;
} BvhModel;

void bvhModelFree(BvhModel* model);
// The triceratops of libcgal-demo, each triangle divided into four `levels` times: 5,660, 22,640, 90,560 triangles. Not
// there: shNoFile.
shStatus bvhTriceratops(Memory* memory, int levels, BvhModel* model, shMessage* message);
// A round thing, `rows` of quads from pole to pole, a ring of points between two rows, the poles last: what is measured
// where the other is not to be had, and by tests.
shStatus bvhRound(Memory* memory, int around, int rows, BvhModel* model, shMessage* message);

// A context whose clock, for the stages of an update, is one that costs nothing to read.
shStatus bvhContext(shContext** context, shMessage* message);

// What peers are asked to build and refit: the states of a mesh, and rays at the last.
typedef struct BvhPeerTimes {
    bool there;
    double build, fast, refit; // ms, mean over the states of the best of the blocks; NaN: it has no such thing
    double raysPerSecond;
    int hits;
    char info[256];
} BvhPeerTimes;

typedef struct BvhStates { // meshes after each step, and rays from points[2 i] to points[2 i + 1]
    BvhModel states[BVH_STEPS];
    int stateCount;
    BvhModel rays;
} BvhStates;
void bvhStatesFree(BvhStates* states);
BvhPeerTimes bvhAskPeer(const char* name, const BvhStates* states, int blocks);

shStatus bvhSplitRows(Bench* bench, shMessage* message);
shStatus bvhPeelRows(Bench* bench, shMessage* message);
shStatus bvhPumpkinRows(Bench* bench, shMessage* message);

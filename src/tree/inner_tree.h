// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inner sphere trees (Weller, Zachmann 2009): four children to a node, each node enclosing its leaves and not its
// children (a wrapped hierarchy). Flat arrays without pointers: an asset file stores them as they are.
#pragma once

#include "core/context.h"
#include "core/simd.h"
#include "tree/inner_pack.h"

enum {
    innerArity = 4,
    innerNoChild = INT32_MIN,
    innerDepthMost = 48, // levels of a tree, which a stack must have room for
};

// Four children. A child is another node (≥ 0), a sphere (~its number) or innerNoChild, which is far away and small.
typedef struct InnerNode {
    float x[4], y[4], z[4];
    float radius[4]; // around the spheres below
    int32_t child[4];
    float volumeRadius[4]; // from the same centre, around the volume spheres below and the spheres
    float volume[4];       // of the volume spheres below, together
    int32_t first[4];      // number of the first sphere below; those of a child are consecutive
} InnerNode;

// What is one of a kind. Plain numbers, written to files as it is.
typedef struct InnerRecord {
    float x, y, z, radius, volumeRadius; // around all
    float slack;                         // m; more than rounding can move a sphere of the tree in its own frame
    double voxel;                        // m, of the packing
    double volume;                       // m³, of the object
    double covered;                      // m³, of the spheres
    int32_t voxelCount;                  // inside
    int32_t multiplicity;                // volume spheres that can have a point in common, at most
} InnerRecord;

typedef struct InnerTree {
    int sphereCount, nodeCount;
    InnerSphere* spheres; // [sphereCount] in the order of the tree
    InnerNode* nodes;     // [nodeCount] the root first, children after their parent
    InnerRecord record;
} InnerTree;

typedef struct InnerBuildDef {
    uint64_t seed;
    bool unweighted; // all spheres count alike when they are clustered
    bool quick;      // ranges are halved twice by their longest side, not clustered: a tenth of the time
} InnerBuildDef;

// Over a packing, which is copied. Same bits for any number of workers. False: no memory.
bool innerTreeBuild(InnerTree* tree, shContext* context, const InnerPacking* packing, const InnerBuildDef* def);
void innerTreeFree(InnerTree* tree, Memory* memory);
size_t innerTreeBytes(const InnerTree* tree);
// Whether queries may trust arrays from a file: links, finite numbers, enclosure. The message says where not.
shStatus innerTreeCheck(const InnerTree* tree, int triangleCount, shMessage* message);

// Groups of spheres order[0] … before order[count], at most four, by batch neural gas: group of each, 0 … 3. Groups may
// be empty. `prototypes` is scratch for the caller to look at.
typedef struct InnerGas {
    const InnerSphere* spheres;
    const int* order;
    int count;
    uint64_t seed;
    bool unweighted;
    shContext* context; // null: on this thread alone
} InnerGas;
void innerCluster(const InnerGas* gas, DVec3 prototypes[4], uint8_t* groups);

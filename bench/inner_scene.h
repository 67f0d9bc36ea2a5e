// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the suites of inner spheres share: models packed in three sizes, and two of each on smooth paths around each
// other.
#pragma once

#include "bench/peer_pairs.h"
#include "bench/suite.h"
#include "sherd/proximity.h"

enum { INNER_MODELS = 3, INNER_SIZES = 3, INNER_POSES = 400 };

typedef struct InnerModel {
    char name[32];
    int pointCount, triangleCount;
    shVec3* points;
    int (*triangles)[3];
    shTriangles mesh;
    float size; // diagonal of its box, m
    shInnerSpheres* spheres[INNER_SIZES];
} InnerModel;

// The bunny of 7,940, 75,408 and 301,632 triangles (each of the latter's divided into four); packings are kept in the
// cache. In tests a small model that is always there. shNoFile when the bunny is not to be had.
shStatus innerModelLoad(Bench* bench, int which, InnerModel* model, shMessage* message);
void innerModelFree(Bench* bench, InnerModel* model);

typedef enum InnerPath {
    innerApartPath, // spheres 0.2 to 10 % of the size apart
    innerLightPath, // 0 to 10 % of the volume shared
    innerHeavyPath, // up to 50 %
} InnerPath;

typedef struct InnerPoses {
    int count;
    shTransform a[INNER_POSES], b[INNER_POSES];
} InnerPoses;

// The second moves around the first, turns, and comes and goes: a tool in a hand, some 40 degrees in a hundred poses.
void innerPathMake(const InnerModel* model, InnerPath path, int count, uint64_t seed, InnerPoses* poses);
// The same in another order.
void innerPosesShuffle(const InnerPoses* poses, uint64_t seed, InnerPoses* shuffled);

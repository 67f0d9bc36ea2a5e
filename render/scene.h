// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What there is to see: meshes with materials, placed by a tree of nodes that may be animated. Read from a
// binary glTF 2.0 file (.glb); y is up, metres, counter-clockwise seen from outside.
#pragma once

#include "core/array.h"
#include "core/context.h"
#include "core/vec.h"

// x ↦ m·x + p
typedef struct Affine {
    Mat3 m;
    Vec3 p;
} Affine;

typedef struct Material {
    Vec3 color;    // linear, 0…1
    Vec3 emission; // linear
    float opacity; // 1 unless the file asks for blending or transmission
    float metallic, roughness;
    bool doubleSided; // else faces seen from behind are not drawn
} Material;

// One run of triangles with one material. Its vertices follow one another; indices count from the first.
typedef struct Part {
    int firstVertex, vertexCount;
    int firstTriangle, triangleCount;
    int material;
} Part;

typedef struct PartRange {
    int first, count;
} PartRange;

typedef struct Node {
    char name[32]; // cut where it is longer
    int parent;    // smaller than the node's own index, −1 at the top
    int mesh;      // −1: none
    Vec3 translation, scale;
    shQuat rotation;
    Affine matrix; // used instead of the three above when `fixed`
    bool fixed;
    bool isGround; // named "ground": stands for the endless floor, is neither drawn nor framed
} Node;

typedef enum ChannelPath { pathTranslation, pathRotation, pathScale } ChannelPath;
typedef enum Interpolation { interpolateStep, interpolateLinear, interpolateCubic } Interpolation;

// One animated property of one node: `keyCount` times in rising order and their values in `Scene.keys`. A cubic key
// has three values: tangent in, value, tangent out.
typedef struct Channel {
    int node;
    ChannelPath path;
    Interpolation interpolation;
    int keyCount, firstTime, firstValue;
} Channel;

typedef struct Scene {
    shContext* context;
    ARRAY(Material) materials; // the last one is the default
    ARRAY(Part) parts;
    ARRAY(PartRange) meshes;
    ARRAY(Node) nodes; // those of the scene that is shown, parents first
    ARRAY(Channel) channels;
    ARRAY(float) keys;
    ARRAY(Vec3) positions; // per vertex, as are the next three
    ARRAY(Vec3) normals;   // unit
    ARRAY(Vec3) colors;    // linear, multiplied with the material's
    ARRAY(shVec3) uvs;     // z unused
    struct {
        int (*data)[3];
        int count, capacity;
    } triangles;
    float duration; // seconds, 0 without animation
} Scene;

// `name` is what messages call the file.
shStatus sceneRead(Scene* scene, shContext* context, const void* bytes, size_t size, const char* name,
                   shMessage* message);
shStatus sceneLoad(Scene* scene, shContext* context, const char* path, shMessage* message);
void sceneFree(Scene* scene);

// Where the nodes are at `time` (held at the first and last key); worlds[nodes.count].
void scenePose(const Scene* scene, float time, Affine* worlds);
static inline Vec3 affinePoint(Affine a, Vec3 p) { return vAdd(mMul(a.m, p), a.p); }
// A node scaled to nothing is hidden: that is how recordings show pieces only after they are born.
bool affineIsFlat(Affine a);
// The top of the nodes named "ground" at the start, NAN without any.
shStatus sceneGround(const Scene* scene, float* height, shMessage* message);

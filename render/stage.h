// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The scene at one moment, flattened to triangles in "stage space": world space moved and scaled so that all that
// ever is drawn lies in the unit sphere. Camera and lights work there, so that no constant depends on a model's size.
#pragma once

#include "render/scene.h"

// One part of a mesh at one node.
typedef struct Instance {
    int node, part, firstVertex;
} Instance;

typedef struct Stage {
    const Scene* scene;
    Vec3 center; // of the world, in the middle of the unit sphere
    float scale; // stage = scale · (world − center)
    int instanceCount, vertexCount, triangleCapacity;
    int triangleCount; // of the moment: hidden nodes have none
    Instance* instances;
    Affine* worlds;
    Vec3 *positions, *normals; // of the moment
    Vec3 *colors, *uvs;
    int (*triangles)[3]; // of the moment
    int* materials;      // per triangle
    int* nodes;          // per triangle
} Stage;

shStatus stageCreate(Stage* stage, const Scene* scene, Vec3 center, float scale, shMessage* message);
void stageSet(Stage* stage, float time);
void stageFree(Stage* stage);

typedef struct Camera {
    Vec3 eye, right, up, forward; // unit directions
    float tanX, tanY;             // half the field of view
} Camera;

// Finds the camera that looks from a given direction and just sees all points, up to a margin. Degrees; azimuth 0
// looks along −z, positive comes from the right; elevation 90 looks down.
typedef struct CameraFit {
    Camera camera;
    float left, right, low, high, near; // extremes over the points, see cameraFitEnd
} CameraFit;

CameraFit cameraFitBegin(float azimuth, float elevation, float aspect);
void cameraFitAdd(CameraFit* fit, Vec3 worldPoint);
Camera cameraFitEnd(const CameraFit* fit, Vec3 center, float scale);

// Bounds, lowest point and camera from what is drawn at `times` moments spread over [begin, end]. The stage must be in
// world space. Fails when a coordinate is not finite or leaves no digits for the picture.
shStatus stageSurvey(Stage* stage, float begin, float end, int times, shBox* box, CameraFit* fit, shMessage* message);

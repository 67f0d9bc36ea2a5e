// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The surface around inner spheres, to make a distance of spheres sharper (Weller, Zachmann 2009, section 4.1.2): from
// the triangles nearest to the two spheres one walks to neighbours as long as that leads closer.
#pragma once

#include "tree/inner_query.h"

typedef struct InnerSurface {
    int pointCount, triangleCount;
    const Vec3* points;
    const int (*triangles)[3];
    int* starts; // [pointCount + 1] where in `around` the triangles of a point begin
    int* around; // [3 · triangleCount]
} InnerSurface;

// Neighbours of arrays that stay where they are. False: no memory.
bool innerSurfaceInit(InnerSurface* surface, Memory* memory, int pointCount, const Vec3* points, int triangleCount,
                      const int (*triangles)[3]);
void innerSurfaceFree(InnerSurface* surface, Memory* memory);

typedef struct InnerSharp {
    float distance;           // in: what to beat
    Vec3 a, b;                // points in a's frame
    int triangleA, triangleB; // in: where to begin; out: where the points are, if anything was better
    bool better;
} InnerSharp;

// At most `steps` of each point after the other.
void innerFollow(const InnerSurface* a, const InnerSurface* b, const InnerFrame* frame, int steps, InnerSharp* sharp);
// After that: triangles around both points are tried.
void innerPolish(const InnerSurface* a, const InnerSurface* b, const InnerFrame* frame, int steps, InnerSharp* sharp);

// How far the centre of a sphere is from the triangle nearest to it.
float innerClearance(const InnerSurface* surface, const InnerSphere* sphere);

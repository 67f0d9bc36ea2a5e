// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A triangle surface: what generators, readers and the caller hand to the cook. Double precision;
// counter-clockwise seen from outside.
#pragma once

#include "core/context.h"
#include "core/vec.h"

// So that 3 · triangles and 4 · tetrahedra stay well inside an int.
enum { MAX_TRIANGLES = 1 << 26, MAX_TETS = 1 << 26 };

typedef struct Corner {
    float uv[2];
    Vec3 normal; // unit, outward
} Corner;

// Of the triangle p: flat normal and, in metres, the projection along the axis it faces most.
void cornersFlat(const DVec3 p[3], Corner corners[3]);

typedef struct TriMesh {
    int vertexCount, triangleCount;
    DVec3* vertices;      // [vertexCount]
    int (*triangles)[3];  // [triangleCount] vertex indices
    Corner (*corners)[3]; // [triangleCount] or null: no UVs and normals
    uint16_t* groups;     // [triangleCount] or null: surface material slot per triangle
} TriMesh;

// Arrays of the given sizes, uninitialised; corners and groups only when asked for.
bool triMeshAlloc(TriMesh* mesh, Memory* memory, int vertexCount, int triangleCount, bool corners, bool groups);
void triMeshFree(TriMesh* mesh, Memory* memory);

// Finite, indices in range, no repeated corner, no zero-area triangle, closed, every edge shared by exactly two
// triangles in opposite directions, positive volume. Names the first offender ("triangle 12: vertex index 99 …").
shStatus triMeshCheck(const TriMesh* mesh, Memory* memory, shMessage* message);

shBox triMeshBox(const TriMesh* mesh);
double triMeshVolume(const TriMesh* mesh); // signed; divergence theorem, exact up to rounding

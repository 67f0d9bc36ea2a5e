// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The closest of up to eight triangles at once, to the same bits as closestOnTriangle one by one.
#pragma once

#include "core/simd.h"
#include "core/vec.h"

enum { triangleBatch = 8 };

// By coordinate. Lanes past the count must be numbers.
typedef struct TriangleBatch {
    float a[3][triangleBatch], b[3][triangleBatch], c[3][triangleBatch];
    int count;
} TriangleBatch;

typedef struct TriangleNearest {
    Vec3 point;
    float distance;
    int lane; // the first one that is as near
} TriangleNearest;

SIMD_DECLARE(TriangleNearest, triangleNearest, (const TriangleBatch* batch, Vec3 p));

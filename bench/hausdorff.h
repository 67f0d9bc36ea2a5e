// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How far two surfaces are apart at most.
#pragma once

#include "core/context.h"
#include "core/vec.h"

typedef struct SurfaceView {
    int vertexCount, triangleCount;
    const DVec3* vertices;
    const int (*triangles)[3];
} SurfaceView;

// The larger of both one-sided distances, over vertices, edge middles and triangle middles, in m; NaN when memory runs
// out. A lower bound of the true one that is close when triangles are small against the shape.
double hausdorffDistance(shContext* context, SurfaceView a, SurfaceView b);

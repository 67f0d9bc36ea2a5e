// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Smooth patches of a triangle surface, and the feature lines and corners where they meet.
#pragma once

#include "core/array.h"
#include "mesh/lattice.h"

typedef struct SurfaceCreases {
    int triangleCount;
    int* patch; // [triangle] the lowest triangle of its patch; all of the rounded triangles are one
    ARRAY(LatticeCrease) lines;
    ARRAY(DVec3) corners;
} SurfaceCreases;

// Over a solid's oriented triangles. Edges that turn by more than the angle of `cosine` separate patches; patches too
// small for `cell` merge with a neighbour. Triangles with `rounded` set (those that get a thickness; may be null) have
// no creases. False when memory runs out.
bool surfaceCreasesFind(SurfaceCreases* creases, const SurfaceSolid* solid, const bool* rounded, double cosine,
                        double cell);
void surfaceCreasesFree(SurfaceCreases* creases, Memory* memory);

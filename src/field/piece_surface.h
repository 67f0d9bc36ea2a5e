// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The triangles of one closed surface with the vertices that they share, while its edges and its support map are made.
#pragma once

#include "core/memory.h"
#include "core/vec.h"

#include <string.h>

typedef struct PieceSurface {
    int most, count;    // triangles: room for, held
    Vec3 (*corners)[3]; // oriented outward
    int (*vertices)[3]; // of corners
    int vertexCount;
    Vec3* places; // of vertices
    int* table;   // hash table over them
} PieceSurface;

bool pieceSurfaceMake(PieceSurface* surface, Memory* memory, int most);
void pieceSurfaceFree(PieceSurface* surface, Memory* memory);
// Numbers the vertices once the corners of `count` triangles are there: corners at one place, to the bit, are one
// vertex. Neighbours share the bits of what they share.
void pieceSurfaceNumber(PieceSurface* surface);

static inline uint32_t pieceSurfaceHash(Vec3 p)
{
    uint32_t bits[3];
    p = vAdd(p, vec3(0.0f, 0.0f, 0.0f)); // −0 is 0
    memcpy(bits, &p, sizeof bits);
    uint32_t h = (bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca6bu ^ bits[2] * 0xc2b2ae35u) * 0x9e3779b1u;
    return h ^ h >> 15;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Triangles as a file lists them, on the way to a TriMesh. Readers add vertices and polygons; finishing drops
// triangles that repeat a vertex, joins vertices of equal position where the surface would otherwise have open edges
// (writers split them at seams of UVs and normals), drops unused vertices, and completes UVs and normals if there
// are any.
#pragma once

#include "cook/text.h"
#include "core/array.h"
#include "mesh/tri_mesh.h"

// Corner of a polygon. uv[0] and normal.x are NaN where the file gives none.
typedef struct SoupCorner {
    int vertex;
    Corner attributes;
} SoupCorner;

typedef struct SoupTriangle {
    SoupCorner corners[3];
    uint16_t group;
} SoupTriangle;

typedef struct Soup {
    ARRAY(DVec3) vertices;
    ARRAY(SoupTriangle) triangles;
    ARRAY(SoupCorner) polygon; // the one being read
    bool attributes;           // some corner has a UV or a normal
    bool normals;              // some corner has a normal
} Soup;

void soupFree(Soup* soup, Memory* memory);

// Reads three coordinates at the cursor; checks their size and the count of vertices.
bool soupReadVertex(Soup* soup, Text* text);
void soupClearPolygon(Soup* soup);
// Adds a corner to the polygon; `vertex` must be in range, `uv` and `normal` may be null.
bool soupAddCorner(Soup* soup, Text* text, int vertex, const float* uv, const Vec3* normal);
// Cuts the polygon into triangles and adds them.
bool soupAddPolygon(Soup* soup, Text* text, int group);
bool soupFinish(Soup* soup, Text* text, TriMesh* mesh, bool groups);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Meshes for scenery: a grid of bumps over x and z that looks up, and the surface of a built-in model. Include after
// cmocka.h.
#pragma once

#include "collide/scenery.h"
#include "core/quat.h"
#include "core/random.h"
#include "mesh/tri_query.h"
#include "solid/solid.h"

#include <stdlib.h>
#include <string.h>

typedef struct Mesh {
    int pointCount, triangleCount;
    Vec3* points;
    int (*triangles)[3];
} Mesh;

static inline Mesh meshAlloc(int pointCount, int triangleCount)
{
    return (Mesh){pointCount, triangleCount, malloc(sizeof(Vec3) * (size_t)pointCount),
                  malloc(sizeof(int[3]) * (size_t)triangleCount)};
}
static inline void meshFree(Mesh* mesh)
{
    free(mesh->points);
    free(mesh->triangles);
}

// cells × cells squares of two triangles each over −size/2 … size/2, points moved by up to `jitter` of a cell sideways
// and `height` up or down.
static inline Mesh terrainOf(Random* random, int cells, float size, float jitter, float height)
{
    Mesh mesh = meshAlloc((cells + 1) * (cells + 1), 2 * cells * cells);
    float cell = size / (float)cells;
    for (int z = 0; z <= cells; ++z) {
        for (int x = 0; x <= cells; ++x) {
            bool inner = x > 0 && z > 0 && x < cells && z < cells;
            float dx = inner ? randomRange(random, -jitter, jitter) : 0.0f;
            float dz = inner ? randomRange(random, -jitter, jitter) : 0.0f;
            float y = randomRange(random, -height, height);
            mesh.points[z * (cells + 1) + x] =
                vec3(((float)x + dx) * cell - 0.5f * size, y, ((float)z + dz) * cell - 0.5f * size);
        }
    }
    for (int i = 0; i < cells * cells; ++i) {
        int a = i / cells * (cells + 1) + i % cells, b = a + 1, c = a + cells + 1, d = c + 1;
        int(*t)[3] = &mesh.triangles[2 * i];
        t[0][0] = a, t[0][1] = c, t[0][2] = b;
        t[1][0] = b, t[1][1] = c, t[1][2] = d;
    }
    return mesh;
}

// The surface of a piece as loose triangles: every corner is a point of its own.
static inline Mesh meshOfPiece(const shSolid* solid, int piece)
{
    int count = shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
    Mesh mesh = meshAlloc(3 * count, count);
    shSolid_GetTriangles(solid, piece, (Vec3(*)[3])mesh.points, NULL, count);
    for (int i = 0; i < 3 * count; ++i)
        mesh.triangles[i / 3][i % 3] = i;
    return mesh;
}

static inline shScenery* sceneryOf(shContext* context, const Mesh* mesh, float thickness)
{
    shSceneryDef def = shDefaultSceneryDef();
    def.pointCount = mesh->pointCount;
    def.points = mesh->points;
    def.triangleCount = mesh->triangleCount;
    def.triangles = (const int(*)[3])mesh->triangles;
    def.thickness = thickness;
    shScenery* scenery = NULL;
    shMessage message = {""};
    assert_int_equal(shCreateScenery(context, &def, &scenery, &message), shOk);
    return scenery;
}

static inline void meshCorners(const Mesh* mesh, int t, DVec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = dFromV(mesh->points[mesh->triangles[t][k]]);
}

// Distance to the closest triangle, by looking at all.
static inline double meshDistance(const Mesh* mesh, Vec3 p)
{
    double best = (double)INFINITY;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 c[3];
        meshCorners(mesh, t, c);
        best = minD(best, triClosest(c[0], c[1], c[2], dFromV(p)).distance);
    }
    return best;
}

// How often the surface winds around p.
static inline double meshWinding(const Mesh* mesh, Vec3 p)
{
    double turns = 0.0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 c[3];
        meshCorners(mesh, t, c);
        DVec3 a = dSub(c[0], dFromV(p)), b = dSub(c[1], dFromV(p)), d = dSub(c[2], dFromV(p));
        double la = dLength(a), lb = dLength(b), ld = dLength(d);
        turns += atan2(dDot(a, dCross(b, d)), la * lb * ld + dDot(a, b) * ld + dDot(b, d) * la + dDot(d, a) * lb);
    }
    return turns / 6.283185307179586;
}

// Height of a terrain under or over p; NaN beyond its rim.
static inline double terrainHeight(const Mesh* mesh, Vec3 p)
{
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 c[3];
        TriHit hit;
        meshCorners(mesh, t, c);
        TriRay ray = triRay(dvec3((double)p.x, 0.0, (double)p.z), dvec3(0.0, 1.0, 0.0));
        if (triRayHit(&ray, (const DVec3*)c, &hit))
            return hit.point.y;
    }
    return (double)NAN;
}

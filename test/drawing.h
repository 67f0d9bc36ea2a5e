// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Drawings of regions: tiles that fill a cube, a ball in a cube, layers.
#pragma once

#include "core/random.h"
#include "core/trig.h"
#include "core/vec.h"
#include "sherd/regions.h"

#include <stdlib.h>

enum { MOST_TRIANGLES = 4096, MOST_REGIONS = 64 };

// Separate triangles with a region each.
typedef struct Drawing {
    int triangleCount, regionCount;
    Vec3 corners[MOST_TRIANGLES][3];
    int triangles[MOST_TRIANGLES][3], regions[MOST_TRIANGLES];
    shBox boxes[MOST_REGIONS]; // of box regions
} Drawing;

static inline void addTriangle(Drawing* drawing, Vec3 a, Vec3 b, Vec3 c, int region)
{
    int t = drawing->triangleCount++;
    if (t == MOST_TRIANGLES)
        abort();
    drawing->corners[t][0] = a, drawing->corners[t][1] = b, drawing->corners[t][2] = c;
    drawing->regions[t] = region;
    for (int k = 0; k < 3; ++k)
        drawing->triangles[t][k] = 3 * t + k;
}

static inline void addBox(Drawing* drawing, shBox box, int region)
{
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    Vec3 p[8];
    for (int c = 0; c < 8; ++c)
        p[c] = vec3(c & 1 ? box.upper.x : box.lower.x, c & 2 ? box.upper.y : box.lower.y,
                    c & 4 ? box.upper.z : box.lower.z);
    for (int f = 0; f < 6; ++f) {
        const int* q = quads[f];
        addTriangle(drawing, p[q[0]], p[q[1]], p[q[2]], region);
        addTriangle(drawing, p[q[0]], p[q[2]], p[q[3]], region);
    }
}

// A box cut in two again and again, the halves being regions.
static inline void addTiles(Drawing* drawing, shBox box, int count, Random* random)
{
    if (count == 1) {
        drawing->boxes[drawing->regionCount] = box;
        addBox(drawing, box, drawing->regionCount++);
        return;
    }
    int axis = dLargestAxis(dFromV(boxSize(box)));
    float share = randomRange(random, 0.35f, 0.65f);
    float at = vGet(box.lower, axis) + share * vGet(boxSize(box), axis);
    shBox low = box, high = box;
    *(axis == 0 ? &low.upper.x : axis == 1 ? &low.upper.y : &low.upper.z) = at;
    *(axis == 0 ? &high.lower.x : axis == 1 ? &high.lower.y : &high.lower.z) = at;
    addTiles(drawing, low, count / 2, random);
    addTiles(drawing, high, count - count / 2, random);
}

static const shBox unitCube = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};

static inline Drawing* drawTiles(int count, uint64_t seed)
{
    Random random = randomSeed(seed);
    Drawing* drawing = calloc(1, sizeof(Drawing));
    addTiles(drawing, unitCube, count, &random);
    return drawing;
}

static inline void rotate(Drawing* drawing, shQuat q)
{
    for (int t = 0; t < drawing->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            drawing->corners[t][k] = qRotate(q, drawing->corners[t][k]);
}

// A ball in a cube: the second region has a cavity.
static inline Drawing* drawBall(float radius)
{
    Drawing* drawing = calloc(1, sizeof(Drawing));
    enum { ROUND = 24, DOWN = 12 };
    Vec3 p[DOWN + 1][ROUND];
    for (int i = 0; i <= DOWN; ++i)
        for (int j = 0; j < ROUND; ++j) {
            double s, c, sj, cj;
            trigSinCos(TRIG_PI * i / DOWN, &s, &c);
            trigSinCos(2.0 * TRIG_PI * j / ROUND, &sj, &cj);
            bool pole = i == 0 || i == DOWN;
            p[i][j] =
                pole ? vec3(0.0f, i == 0 ? radius : -radius, 0.0f) : vScale(radius, vFromD(dvec3(s * cj, c, s * sj)));
        }
    for (int i = 0; i < DOWN; ++i)
        for (int j = 0; j < ROUND; ++j) {
            int n = (j + 1) % ROUND;
            Vec3 a = p[i][j], b = p[i][n], c = p[i + 1][n], d = p[i + 1][j];
            for (int region = 0; region < 2; ++region) { // triangles without area at the poles do not matter
                addTriangle(drawing, a, region ? c : b, region ? b : c, region);
                addTriangle(drawing, a, region ? d : c, region ? c : d, region);
            }
        }
    addBox(drawing, unitCube, 1);
    drawing->regionCount = 2;
    return drawing;
}

static inline shRegionMesh meshOf(const Drawing* drawing)
{
    return (shRegionMesh){.regionCount = drawing->regionCount,
                          .vertexCount = 3 * drawing->triangleCount,
                          .triangleCount = drawing->triangleCount,
                          .vertices = drawing->corners[0],
                          .triangles = drawing->triangles,
                          .regions = drawing->regions};
}

static inline Drawing* drawLayers(int count)
{
    Drawing* drawing = calloc(1, sizeof(Drawing));
    for (int i = 0; i < count; ++i) {
        shBox box = unitCube;
        box.upper.y = 1.0f - 2.0f * (float)i / (float)count;
        box.lower.y = 1.0f - 2.0f * (float)(i + 1) / (float)count;
        addBox(drawing, box, i);
    }
    drawing->regionCount = count;
    return drawing;
}

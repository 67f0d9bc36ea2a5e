// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Small surfaces for tests, built into one static shape, with their own random numbers and allocators.
#pragma once

#include "core/memory.h"
#include "core/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t state;

static inline double random01(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}
static inline double randomIn(double a, double b) { return a + (b - a) * random01(); }
static inline DVec3 randomPoint(double size)
{
    double x = randomIn(-size, size), y = randomIn(-size, size), z = randomIn(-size, size);
    return (DVec3){x, y, z};
}

static inline void* allocate(size_t bytes, void* user)
{
    (void)user;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
// Grants as many requests as the counter says.
static inline void* allocateFew(size_t bytes, void* user)
{
    int* left = user;
    return (*left)-- > 0 ? allocate(bytes, NULL) : NULL;
}
static inline void release(void* block, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(block);
}
static inline Memory newMemory(void)
{
    Memory memory;
    memInit(&memory, (shAllocator){allocate, release, NULL});
    return memory;
}

enum { maxVertices = 4096, maxTriangles = 8192 };
typedef struct Shape {
    int vertexCount, triangleCount;
    DVec3 vertices[maxVertices];
    int triangles[maxTriangles][3];
} Shape;
static Shape shape;

static inline int addVertex(DVec3 p)
{
    assert_true(shape.vertexCount < maxVertices);
    shape.vertices[shape.vertexCount] = p;
    return shape.vertexCount++;
}
static inline void addTriangle(int a, int b, int c)
{
    assert_true(shape.triangleCount < maxTriangles);
    int* t = shape.triangles[shape.triangleCount++];
    t[0] = a, t[1] = b, t[2] = c;
}

// A torus as a grid of quads; exact enough for any question about triangles. Offsets need no trigonometry: the
// circle is walked by normalising the corners of a polygon.
static inline DVec3 onCircle(int i, int n)
{
    double u = 4.0 * (double)i / (double)n, f = u - floor(u);
    const double xs[5] = {1.0, 0.0, -1.0, 0.0, 1.0}, ys[5] = {0.0, 1.0, 0.0, -1.0, 0.0};
    int q = (int)floor(u) % 4;
    return dNormalize((DVec3){xs[q] + f * (xs[q + 1] - xs[q]), ys[q] + f * (ys[q + 1] - ys[q]), 0.0});
}
static inline void makeTorus(int around, int across, double radius, double tube)
{
    shape.vertexCount = shape.triangleCount = 0;
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < across; ++j) {
            DVec3 u = onCircle(i, around), v = onCircle(j, across);
            double r = radius + tube * v.x;
            addVertex((DVec3){r * u.x, r * u.y, tube * v.y});
        }
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < across; ++j) {
            int i1 = (i + 1) % around, j1 = (j + 1) % across;
            addTriangle(i * across + j, i1 * across + j, i1 * across + j1);
            addTriangle(i * across + j, i1 * across + j1, i * across + j1);
        }
}
static inline void makeSoup(int count)
{
    shape.vertexCount = shape.triangleCount = 0;
    for (int i = 0; i < count; ++i) {
        DVec3 center = randomPoint(1.0);
        double size = randomIn(0.0, 0.3);
        int a = addVertex(dAdd(center, randomPoint(size)));
        int b = i % 7 == 0 ? a : addVertex(dAdd(center, randomPoint(size)));
        int c = i % 5 == 0 ? b : addVertex(dAdd(center, randomPoint(size)));
        addTriangle(a, b, c);
    }
}

// A box of n³ cells' faces, welded, outward; corner at `lower`.
static inline void addBox(DVec3 lower, DVec3 size, int n)
{
    int start = shape.vertexCount;
    for (int k = 0; k <= n; ++k)
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i)
                addVertex((DVec3){lower.x + size.x * i / n, lower.y + size.y * j / n, lower.z + size.z * k / n});
    const int strides[3] = {1, n + 1, (n + 1) * (n + 1)};
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side)
            for (int u = 0; u < n; ++u)
                for (int v = 0; v < n; ++v) {
                    int du = strides[(axis + 1) % 3], dv = strides[(axis + 2) % 3];
                    int a = start + u * du + v * dv + side * n * strides[axis];
                    int b = a + du, c = a + du + dv, d = a + dv;
                    if (side == 0)
                        addTriangle(a, c, b), addTriangle(a, d, c);
                    else
                        addTriangle(a, b, c), addTriangle(a, c, d);
                }
}

static inline double boxSigned(DVec3 p, DVec3 lower, DVec3 upper)
{
    double x = maxD(lower.x - p.x, p.x - upper.x), y = maxD(lower.y - p.y, p.y - upper.y),
           z = maxD(lower.z - p.z, p.z - upper.z);
    double inner = maxD(x, maxD(y, z));
    return inner <= 0.0 ? inner : dLength((DVec3){maxD(x, 0.0), maxD(y, 0.0), maxD(z, 0.0)});
}

static inline void flipTriangles(int begin, int end)
{
    for (int t = begin; t < end; ++t) {
        int v = shape.triangles[t][0];
        shape.triangles[t][0] = shape.triangles[t][1];
        shape.triangles[t][1] = v;
    }
}

static inline void clear(void) { shape.vertexCount = shape.triangleCount = 0; }

// A box's faces pushed out to a ball.
static inline void addBall(double radius, int n)
{
    int start = shape.vertexCount;
    addBox((DVec3){-1.0, -1.0, -1.0}, (DVec3){2.0, 2.0, 2.0}, n);
    for (int v = start; v < shape.vertexCount; ++v)
        shape.vertices[v] = dScale(radius, dNormalize(shape.vertices[v]));
}

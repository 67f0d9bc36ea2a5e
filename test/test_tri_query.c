// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/tri_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// ---- random numbers and shapes --------------------------------------------------------------------------------

static uint64_t state;

static double random01(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}
static double randomIn(double a, double b) { return a + (b - a) * random01(); }
static DVec3 randomPoint(double size)
{
    double x = randomIn(-size, size), y = randomIn(-size, size), z = randomIn(-size, size);
    return (DVec3){x, y, z};
}

static void* allocate(size_t bytes, void* user)
{
    (void)user;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void release(void* block, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(block);
}
static Memory newMemory(void)
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

static int addVertex(DVec3 p)
{
    assert_true(shape.vertexCount < maxVertices);
    shape.vertices[shape.vertexCount] = p;
    return shape.vertexCount++;
}
static void addTriangle(int a, int b, int c)
{
    assert_true(shape.triangleCount < maxTriangles);
    int* t = shape.triangles[shape.triangleCount++];
    t[0] = a, t[1] = b, t[2] = c;
}

// A torus as a grid of quads; exact enough for any question about triangles. Offsets need no trigonometry: the
// circle is walked by normalising the corners of a polygon.
static DVec3 onCircle(int i, int n)
{
    double u = 4.0 * (double)i / (double)n, f = u - floor(u);
    const double xs[5] = {1.0, 0.0, -1.0, 0.0, 1.0}, ys[5] = {0.0, 1.0, 0.0, -1.0, 0.0};
    int q = (int)floor(u) % 4;
    return dNormalize((DVec3){xs[q] + f * (xs[q + 1] - xs[q]), ys[q] + f * (ys[q + 1] - ys[q]), 0.0});
}
static void makeTorus(int around, int across, double radius, double tube)
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
static void makeSoup(int count)
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

// ---- tests ----------------------------------------------------------------------------------------------------

// q is the closest point of a convex set to p exactly when no corner lies beyond the plane through q that faces p.
static void checkClosest(DVec3 a, DVec3 b, DVec3 c, DVec3 p, double scale)
{
    TriHit hit = triClosest(a, b, c, p);
    const double* w = hit.weights;
    assert_true(w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0);
    assert_true(fabs(w[0] + w[1] + w[2] - 1.0) < 1e-14);
    DVec3 q = dAdd(dAdd(dScale(w[0], a), dScale(w[1], b)), dScale(w[2], c));
    assert_true(dDistance(q, hit.point) < 1e-14 * scale);
    assert_true(fabs(dDistance(p, hit.point) - hit.distance) < 1e-14 * scale);
    DVec3 toP = dSub(p, hit.point);
    double beyond = maxD(dDot(toP, dSub(a, q)), maxD(dDot(toP, dSub(b, q)), dDot(toP, dSub(c, q))));
    // The squared distance is too large by at most twice this.
    assert_true(beyond <= 1e-13 * scale * scale);
    int zeros = (w[0] == 0.0) + (w[1] == 0.0) + (w[2] == 0.0);
    assert_int_equal(zeros, hit.feature == triFace ? 0 : hit.feature <= triEdge2 ? 1 : 2);
    if (hit.feature >= triCorner0)
        assert_true(w[hit.feature - triCorner0] == 1.0);
    else if (hit.feature >= triEdge0)
        assert_true(w[(hit.feature - triEdge0 + 2) % 3] == 0.0);
}

static void closestPointOfATriangleIsOptimal(void** unused)
{
    (void)unused;
    state = 1;
    for (int i = 0; i < 100000; ++i) {
        DVec3 a = randomPoint(1.0), b = randomPoint(1.0), c = randomPoint(1.0), p = randomPoint(2.0);
        switch (i % 10) {
        case 0:
            b = a;
            break;
        case 1:
            c = a, b = a;
            break;
        case 2:
            c = dLerp(a, b, randomIn(-1.0, 2.0));
            break; // collinear up to rounding
        case 3:
            c = dAdd(dLerp(a, b, random01()), randomPoint(1e-9));
            break; // needle
        case 4:
            p = dLerp(dLerp(a, b, random01()), c, random01());
            break; // on the triangle
        case 5:
            p = i % 20 == 5 ? a : dLerp(b, c, random01());
            break; // on a corner, on an edge
        case 6:
            a.z = b.z = c.z = 0.25, p.x = a.x, p.y = a.y;
            break; // straight over a corner
        case 7:
            a = (DVec3){0, 0, 0}, b = (DVec3){3, 0, 0}, c = (DVec3){1, 0, 0};
            break; // exactly collinear
        default:
            break;
        }
        checkClosest(a, b, c, p, 4.0);
    }
}

static TriHit bruteClosest(DVec3 p)
{
    TriHit best = {.triangle = -1, .distance = INFINITY};
    for (int t = 0; t < shape.triangleCount; ++t) {
        const int* v = shape.triangles[t];
        TriHit hit = triClosest(shape.vertices[v[0]], shape.vertices[v[1]], shape.vertices[v[2]], p);
        if (hit.distance < best.distance)
            best = hit, best.triangle = t;
    }
    return best;
}

static void compareClosest(int questions)
{
    Memory memory = newMemory();
    TriQuery query;
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount));
    for (int i = 0; i < questions; ++i) {
        DVec3 p = randomPoint(i % 2 == 0 ? 1.2 : 4.0);
        TriHit expected = bruteClosest(p), hit = triQueryClosest(&query, p, INFINITY);
        assert_true(fabs(hit.distance - expected.distance) <= 1e-15 * expected.distance);
        assert_int_equal(query.ids[hit.slot], hit.triangle);
        double reach = expected.distance * randomIn(0.5, 1.5);
        TriHit limited = triQueryClosest(&query, p, reach);
        assert_true((limited.triangle >= 0) == (hit.distance <= reach));
        if (limited.triangle >= 0)
            assert_true(limited.distance == hit.distance);
    }
    triQueryFree(&query, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void closestPointOfAMeshIsThatOfAllTriangles(void** unused)
{
    (void)unused;
    state = 2;
    makeTorus(64, 24, 1.0, 0.4);
    compareClosest(2000);
    makeSoup(1000);
    compareClosest(2000);
    makeSoup(3);
    compareClosest(100);
}

static void aPileOfEqualTrianglesIsStillATree(void** unused)
{
    (void)unused;
    state = 3;
    shape.vertexCount = shape.triangleCount = 0;
    int a = addVertex((DVec3){0, 0, 0}), b = addVertex((DVec3){1, 0, 0}), c = addVertex((DVec3){0, 1, 0});
    for (int i = 0; i < 5000; ++i)
        addTriangle(a, b, c);
    compareClosest(20);
}

static void aRayHitsTheFirstTriangleItMeets(void** unused)
{
    (void)unused;
    state = 4;
    makeTorus(48, 24, 1.0, 0.4);
    Memory memory = newMemory();
    TriQuery query;
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount));
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
        DVec3 origin = randomPoint(2.0), direction = randomPoint(1.0);
        if (i % 4 == 0)
            direction.x = 0.0;
        if (i % 8 == 0)
            direction.y = 0.0;
        TriHit hit = triQueryRay(&query, origin, direction, INFINITY);
        double first = INFINITY;
        for (int t = 0; t < shape.triangleCount; ++t) { // where the plane is crossed, inside the three sides
            const int* v = shape.triangles[t];
            DVec3 p = shape.vertices[v[0]], e = dSub(shape.vertices[v[1]], p), f = dSub(shape.vertices[v[2]], p);
            DVec3 h = dCross(direction, f), s = dSub(origin, p), q = dCross(s, e);
            double det = dDot(e, h), u = dDot(s, h) / det, w = dDot(direction, q) / det, at = dDot(f, q) / det;
            if (u >= 0.0 && w >= 0.0 && u + w <= 1.0 && at >= 0.0)
                first = minD(first, at);
        }
        assert_true((hit.triangle >= 0) == isfinite(first));
        if (hit.triangle < 0)
            continue;
        ++hits;
        assert_true(fabs(hit.distance - first) < 1e-11 * (1.0 + first));
        assert_true(dDistance(hit.point, dMad(origin, hit.distance, direction)) < 1e-12 * (1.0 + first));
        assert_int_equal(triQueryRay(&query, origin, direction, 0.99 * hit.distance).triangle, -1);
    }
    assert_true(hits > 300);
    triQueryFree(&query, &memory);
    // Through vertices and edges: the surface has no cracks, not even where vertices are sides of boxes exactly.
    for (int v = 0; v < shape.vertexCount; ++v)
        shape.vertices[v] = dFromV(vFromD(shape.vertices[v]));
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount));
    for (int v = 0; v < shape.vertexCount; ++v) {
        DVec3 tube = dNormalize((DVec3){shape.vertices[v].x, shape.vertices[v].y, 0.0});
        DVec3 next = shape.vertices[(v + 1) % 24 == 0 ? v - 23 : v + 1];
        assert_true(triQueryRay(&query, tube, dSub(shape.vertices[v], tube), 2.0).triangle >= 0);
        assert_true(triQueryRay(&query, tube, dSub(dLerp(shape.vertices[v], next, 0.37), tube), 2.0).triangle >= 0);
    }
    triQueryFree(&query, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void nothingIsHitWhereNothingIs(void** unused)
{
    (void)unused;
    Memory memory = newMemory();
    TriQuery query;
    assert_true(triQueryBuild(&query, &memory, NULL, NULL, 0));
    assert_int_equal(triQueryClosest(&query, (DVec3){0, 0, 0}, INFINITY).triangle, -1);
    assert_int_equal(triQueryRay(&query, (DVec3){0, 0, 0}, (DVec3){1, 0, 0}, INFINITY).triangle, -1);
    triQueryFree(&query, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closestPointOfATriangleIsOptimal),  cmocka_unit_test(closestPointOfAMeshIsThatOfAllTriangles),
        cmocka_unit_test(aPileOfEqualTrianglesIsStillATree), cmocka_unit_test(aRayHitsTheFirstTriangleItMeets),
        cmocka_unit_test(nothingIsHitWhereNothingIs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

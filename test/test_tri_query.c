// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/tri_query.h"

#include "test/shapes.h"

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

static void normalsGiveTheExactSign(void** unused)
{
    (void)unused;
    state = 5;
    Memory memory = newMemory();
    TriQuery query;
    // A hollow box: its edges and corners, convex and concave, are where a wrong normal would show.
    DVec3 lower = {-1.0, -0.8, -0.6}, upper = {1.0, 0.8, 0.6};
    DVec3 innerLower = {-0.5, -0.4, -0.3}, innerUpper = {0.5, 0.4, 0.3};
    clear();
    addBox(lower, dSub(upper, lower), 3);
    int outer = shape.triangleCount;
    addBox(innerLower, dSub(innerUpper, innerLower), 2);
    flipTriangles(outer, shape.triangleCount);
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount));
    assert_int_equal(triQueryAddNormals(&query, &memory, NULL), shOk);
    for (int i = 0; i < 100000; ++i) {
        DVec3 p = randomPoint(1.5);
        if (i % 4 == 0) { // very close to an outer corner
            DVec3 near = randomPoint(1e-7);
            p = dAdd((DVec3){i % 8 == 0 ? lower.x : upper.x, i % 3 == 0 ? lower.y : upper.y, upper.z}, near);
        }
        double expected = maxD(boxSigned(p, lower, upper), -boxSigned(p, innerLower, innerUpper));
        assert_true(fabs(triQuerySignedDistance(&query, p, 10.0) - expected) < 1e-14);
    }
    assert_true(isnan(triQuerySignedDistance(&query, (DVec3){5.0, 0.0, 0.0}, 1.0)));
    triQueryFree(&query, &memory);

    makeTorus(40, 16, 1.0, 0.4);
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount - 1));
    assert_int_equal(triQueryAddNormals(&query, &memory, NULL), shBadMesh);
    triQueryFree(&query, &memory);
    assert_int_equal(memory.bytes, 0);
}

static double exactWinding(DVec3 p)
{
    double turns = 0.0;
    for (int t = 0; t < shape.triangleCount; ++t) {
        const int* v = shape.triangles[t];
        DVec3 a = dSub(shape.vertices[v[0]], p), b = dSub(shape.vertices[v[1]], p), c = dSub(shape.vertices[v[2]], p);
        double la = dLength(a), lb = dLength(b), lc = dLength(c);
        turns += atan2(dDot(a, dCross(b, c)), la * lb * lc + dDot(a, b) * lc + dDot(b, c) * la + dDot(c, a) * lb);
    }
    return turns / (2.0 * acos(-1.0));
}

static void compareWinding(int questions, bool sameOrientation)
{
    Memory memory = newMemory();
    TriQuery query;
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount));
    assert_true(triQueryAddWinding(&query, &memory));
    double worst = 0.0;
    for (int i = 0; i < questions; ++i) {
        DVec3 p = randomPoint(1.5);
        worst = maxD(worst, fabs(triQueryWinding(&query, p) - exactWinding(p)));
    }
    for (int s = 0; s < query.triangleCount; ++s)
        assert_true(!sameOrientation || !query.flipped[s]);
    assert_true(worst < 0.05);
    triQueryFree(&query, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void windingNumbersAreThoseOfAllTriangles(void** unused)
{
    (void)unused;
    state = 6;
    makeTorus(64, 32, 1.0, 0.4);
    compareWinding(1500, true);
    shape.triangleCount -= 200; // a hole
    compareWinding(1500, true);
    clear();
    for (int i = 0; i < 6; ++i) // a pile of overlapping boxes
        addBox(randomPoint(0.5), (DVec3){0.6, 0.5, 0.4}, 5);
    compareWinding(1500, true);
}

// Signs of a mesh made of boxes a (with a cavity) and b, oriented as told.
static void checkShells(bool flipOuter, bool flipCavity, bool flipOther)
{
    clear();
    addBox((DVec3){-1.0, -1.0, -1.0}, (DVec3){1.2, 2.0, 2.0}, 4);
    int outer = shape.triangleCount;
    addBox((DVec3){-0.7, -0.7, -0.7}, (DVec3){0.6, 1.4, 1.4}, 4);
    int cavity = shape.triangleCount;
    addBox((DVec3){0.5, -0.5, -0.5}, (DVec3){0.5, 1.0, 1.0}, 3);
    if (flipOuter)
        flipTriangles(0, outer);
    if (flipCavity)
        flipTriangles(outer, cavity);
    if (flipOther)
        flipTriangles(cavity, shape.triangleCount);
    Memory memory = newMemory();
    TriQuery query;
    assert_true(triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount));
    assert_true(triQueryAddWinding(&query, &memory));
    for (int i = 0; i < 5000; ++i) {
        DVec3 p = randomPoint(1.2);
        double a = boxSigned(p, (DVec3){-1.0, -1.0, -1.0}, (DVec3){0.2, 1.0, 1.0});
        double hole = boxSigned(p, (DVec3){-0.7, -0.7, -0.7}, (DVec3){-0.1, 0.7, 0.7});
        double b = boxSigned(p, (DVec3){0.5, -0.5, -0.5}, (DVec3){1.0, 0.5, 0.5});
        double expected = minD(maxD(a, -hole), b);
        assert_true(fabs(expected) < 1e-6 || triQueryInside(&query, p) == (expected < 0.0));
    }
    triQueryFree(&query, &memory);
}

static void shellsInsideOutAreTurnedAndCavitiesKept(void** unused)
{
    (void)unused;
    state = 7;
    checkShells(false, true, false); // as it should be
    checkShells(false, true, true);  // one solid inside out
    checkShells(true, false, true);  // the whole mesh inside out
}

static void runningOutOfMemoryLeavesNothingBehind(void** unused)
{
    (void)unused;
    makeTorus(16, 8, 1.0, 0.4);
    for (int budget = 0;; ++budget) {
        Memory memory;
        int left = budget;
        memInit(&memory, (shAllocator){allocateFew, release, &left});
        TriQuery query;
        bool fits = triQueryBuild(&query, &memory, shape.vertices, shape.triangles, shape.triangleCount);
        if (fits) {
            shStatus status = triQueryAddNormals(&query, &memory, NULL);
            fits = triQueryAddWinding(&query, &memory) && status == shOk;
            assert_true(status == shOk || status == shOutOfMemory);
            triQueryFree(&query, &memory);
        }
        assert_int_equal(memory.bytes, 0);
        if (fits)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closestPointOfATriangleIsOptimal),
        cmocka_unit_test(closestPointOfAMeshIsThatOfAllTriangles),
        cmocka_unit_test(aPileOfEqualTrianglesIsStillATree),
        cmocka_unit_test(aRayHitsTheFirstTriangleItMeets),
        cmocka_unit_test(normalsGiveTheExactSign),
        cmocka_unit_test(windingNumbersAreThoseOfAllTriangles),
        cmocka_unit_test(shellsInsideOutAreTurnedAndCavitiesKept),
        cmocka_unit_test(runningOutOfMemoryLeavesNothingBehind),
        cmocka_unit_test(nothingIsHitWhereNothingIs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

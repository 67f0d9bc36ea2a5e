// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/polygon.h"

typedef struct Plane {
    const DVec3* points;
    DVec3 normal;
} Plane;

// Twice the area of a b c seen along the polygon's normal.
static double area(const Plane* plane, int a, int b, int c)
{
    const DVec3* p = plane->points;
    return dDot(dCross(dSub(p[b], p[a]), dSub(p[c], p[a])), plane->normal);
}

// Newell: twice the polygon's area vector; sound for any simple polygon, flat or not.
static DVec3 areaVector(int count, const DVec3* p)
{
    DVec3 sum = dvec3(0.0, 0.0, 0.0);
    for (int i = 1; i + 1 < count; ++i)
        sum = dAdd(sum, dCross(dSub(p[i], p[0]), dSub(p[i + 1], p[0])));
    return sum;
}

// No corner that bends inwards lies in the ear: only those can.
static bool isEar(const Plane* plane, const int* next, const int* previous, int b)
{
    int a = previous[b], c = next[b];
    if (area(plane, a, b, c) <= 0.0)
        return false;
    for (int i = next[c]; i != a; i = next[i]) {
        if (area(plane, previous[i], i, next[i]) > 0.0)
            continue;
        if (area(plane, a, b, i) >= 0.0 && area(plane, b, c, i) >= 0.0 && area(plane, c, a, i) >= 0.0)
            return false;
    }
    return true;
}

static int bestEar(const Plane* plane, const int* next, const int* previous, int start)
{
    int best = -1;
    double bestCut = INFINITY;
    int i = start;
    do {
        double cut = dLength2(dSub(plane->points[previous[i]], plane->points[next[i]]));
        if (cut < bestCut && isEar(plane, next, previous, i)) {
            best = i;
            bestCut = cut;
        }
        i = next[i];
    } while (i != start);
    return best >= 0 ? best : start; // a polygon that crosses itself has no ear left: any corner will do
}

void polygonTriangulate(int count, const DVec3* points, int* next, int* previous, int (*triangles)[3])
{
    for (int i = 0; i < count; ++i) {
        next[i] = i + 1 < count ? i + 1 : 0;
        previous[i] = i > 0 ? i - 1 : count - 1;
    }
    Plane plane = {points, dNormalize(areaVector(count, points))};
    int at = 0;
    for (int made = 0; made < count - 2; ++made) {
        int b = made < count - 3 ? bestEar(&plane, next, previous, at) : at;
        triangles[made][0] = previous[b];
        triangles[made][1] = b;
        triangles[made][2] = next[b];
        next[previous[b]] = next[b];
        previous[next[b]] = previous[b];
        at = next[b];
    }
}

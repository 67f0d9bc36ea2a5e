// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Closest point of a triangle, in float, for the queries of the running simulation. (The cook uses double:
// mesh/tri_query.h.)
#pragma once

#include "core/vec.h"

// By Voronoi regions: vertex, edge or face. Slivers fall into the edge cases; a point triangle gives that point.
static inline Vec3 closestOnTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c)
{
    Vec3 ab = vSub(b, a), ac = vSub(c, a), ap = vSub(p, a);
    float d1 = vDot(ab, ap), d2 = vDot(ac, ap);
    if (d1 <= 0.0f && d2 <= 0.0f)
        return a;
    Vec3 bp = vSub(p, b);
    float d3 = vDot(ab, bp), d4 = vDot(ac, bp);
    if (d3 >= 0.0f && d4 <= d3)
        return b;
    Vec3 cp = vSub(p, c);
    float d5 = vDot(ab, cp), d6 = vDot(ac, cp);
    if (d6 >= 0.0f && d5 <= d6)
        return c;
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
        return vMad(a, d1 / (d1 - d3), ab);
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
        return vMad(a, d2 / (d2 - d6), ac);
    float va = d3 * d6 - d5 * d4;
    if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f)
        return vMad(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), vSub(c, b));
    // Of a needle, rounding may have made one of them negative: the point stays within the triangle.
    float ofB = maxF(vb, 0.0f), ofC = maxF(vc, 0.0f), sum = maxF(va, 0.0f) + ofB + ofC;
    if (!(sum > 0.0f))
        return a;
    return vAdd(a, vAdd(vScale(ofB / sum, ab), vScale(ofC / sum, ac)));
}

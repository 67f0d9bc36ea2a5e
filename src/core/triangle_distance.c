// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The closest points of two triangles are on two sides, or one is a corner and the other anywhere; else the triangles
// cross, and a side of one goes through the other.
#include "core/triangle_distance.h"

#include "core/closest.h"

typedef struct Closest {
    float distance2;
    Vec3 p, q;
} Closest;

static void keep(Closest* best, Vec3 p, Vec3 q)
{
    float distance2 = vDistance2(p, q);
    if (distance2 < best->distance2)
        *best = (Closest){distance2, p, q};
}

// Sides from a along u, and from b along v.
static void trySides(Closest* best, Vec3 a, Vec3 u, Vec3 b, Vec3 v)
{
    Vec3 r = vSub(a, b);
    float uu = vDot(u, u), vv = vDot(v, v), uv = vDot(u, v), ur = vDot(u, r), vr = vDot(v, r);
    float denominator = uu * vv - uv * uv, s = 0.0f, t = 0.0f;
    if (denominator > 0.0f)
        s = clampF((uv * vr - ur * vv) / denominator, 0.0f, 1.0f);
    if (vv > 0.0f)
        t = (uv * s + vr) / vv;
    if (t < 0.0f || t > 1.0f) {
        t = clampF(t, 0.0f, 1.0f);
        s = uu > 0.0f ? clampF((uv * t - ur) / uu, 0.0f, 1.0f) : 0.0f;
    }
    keep(best, vMad(a, s, u), vMad(b, t, v));
}

// Where the sides of t go through the plane of u.
static void tryCrossings(Closest* best, const Vec3 t[3], const Vec3 u[3], bool swapped)
{
    Vec3 normal = vCross(vSub(u[1], u[0]), vSub(u[2], u[0]));
    float height[3];
    for (int i = 0; i < 3; ++i)
        height[i] = vDot(normal, vSub(t[i], u[0]));
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3;
        if ((height[i] < 0.0f) == (height[k] < 0.0f) || height[i] == height[k])
            continue;
        Vec3 through = vLerp(t[i], t[k], height[i] / (height[i] - height[k]));
        Vec3 on = closestOnTriangle(through, u[0], u[1], u[2]);
        keep(best, swapped ? on : through, swapped ? through : on);
    }
}

float triangleDistance(const Vec3 t[3], const Vec3 u[3], Vec3* p, Vec3* q)
{
    Closest best = {.distance2 = INFINITY};
    for (int i = 0; i < 3; ++i) {
        keep(&best, t[i], closestOnTriangle(t[i], u[0], u[1], u[2]));
        keep(&best, closestOnTriangle(u[i], t[0], t[1], t[2]), u[i]);
        for (int k = 0; k < 3; ++k)
            trySides(&best, t[i], vSub(t[(i + 1) % 3], t[i]), u[k], vSub(u[(k + 1) % 3], u[k]));
    }
    tryCrossings(&best, t, u, false);
    tryCrossings(&best, u, t, true);
    *p = best.p;
    *q = best.q;
    return sqrtf(best.distance2);
}

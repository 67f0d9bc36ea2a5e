// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "tree/triangle_pair.h"

#include "core/orient.h"

// ---- segments and triangles -----------------------------------------------------------------------------------------

static bool between(float x, float a, float b) { return (a <= x && x <= b) || (b <= x && x <= a); }

// Is p, on the line through a and b, within the segment?
static bool within(Vec3 p, Vec3 a, Vec3 b)
{
    return between(p.x, a.x, b.x) && between(p.y, a.y, b.y) && between(p.z, a.z, b.z);
}

// Segments in one plane, which is seen as a plane along the axis.
static bool segmentsMeetAlong(Vec3 p, Vec3 q, Vec3 a, Vec3 b, int axis)
{
    int pSide = orient2(a, b, p, axis), qSide = orient2(a, b, q, axis);
    int aSide = orient2(p, q, a, axis), bSide = orient2(p, q, b, axis);
    if (pSide * qSide < 0 && aSide * bSide < 0)
        return true;
    return (pSide == 0 && within(p, a, b)) || (qSide == 0 && within(q, a, b)) || (aSide == 0 && within(a, p, q)) ||
           (bSide == 0 && within(b, p, q));
}

// An axis along which some three of the points are seen as a triangle; -1: all are on a line.
static int axisOf(const Vec3* points, int count)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 2; i < count; ++i)
            for (int j = 1; j < i; ++j)
                for (int k = 0; k < j; ++k)
                    if (orient2(points[i], points[j], points[k], axis) != 0)
                        return axis;
    return -1;
}

static bool segmentsMeet(Vec3 p, Vec3 q, Vec3 a, Vec3 b)
{
    if (orient3(p, q, a, b) != 0)
        return false;
    const Vec3 points[4] = {p, q, a, b};
    int axis = axisOf(points, 4);
    if (axis >= 0)
        return segmentsMeetAlong(p, q, a, b, axis);
    return within(p, a, b) || within(q, a, b) || within(a, p, q) || within(b, p, q);
}

// A segment in the plane of a triangle.
static bool segmentMeetsInPlane(Vec3 p, Vec3 q, const Vec3 t[3], int axis)
{
    bool left = false, right = false;
    for (int k = 0; k < 3; ++k) {
        Vec3 a = t[k], b = t[k == 2 ? 0 : k + 1];
        if (segmentsMeetAlong(p, q, a, b, axis))
            return true;
        int side = orient2(a, b, p, axis);
        left |= side > 0;
        right |= side < 0;
    }
    return !(left && right); // none of it crosses a side: all is inside or all is outside
}

// The ends of the segment are on these sides of the triangle's plane; the triangle has an area.
static bool segmentMeetsTriangle(Vec3 p, Vec3 q, const Vec3 t[3], int pSide, int qSide)
{
    if (pSide * qSide > 0)
        return false;
    if (pSide == 0 && qSide == 0)
        return segmentMeetsInPlane(p, q, t, axisOf(t, 3));
    int first = orient3(p, q, t[0], t[1]), second = orient3(p, q, t[1], t[2]);
    if (first * second < 0)
        return false;
    int third = orient3(p, q, t[2], t[0]);
    return first * third >= 0 && second * third >= 0;
}

// Of three points on a line the two between which the third one is.
static void endsOf(const Vec3 t[3], Vec3* p, Vec3* q)
{
    int middle = within(t[0], t[1], t[2]) ? 0 : within(t[1], t[0], t[2]) ? 1 : 2;
    *p = t[middle == 0 ? 1 : 0];
    *q = t[middle == 2 ? 1 : 2];
}

// One of them has no area, or both are in one plane.
static bool flatMeet(const Vec3 t[3], const Vec3 u[3])
{
    int axisT = axisOf(t, 3), axisU = axisOf(u, 3);
    Vec3 p, q, a, b;
    if (axisT < 0 && axisU < 0) {
        endsOf(t, &p, &q);
        endsOf(u, &a, &b);
        return segmentsMeet(p, q, a, b);
    }
    if (axisT < 0 || axisU < 0) {
        const Vec3* face = axisT < 0 ? u : t;
        endsOf(axisT < 0 ? t : u, &p, &q);
        return segmentMeetsTriangle(p, q, face, orient3(face[0], face[1], face[2], p),
                                    orient3(face[0], face[1], face[2], q));
    }
    for (int k = 0; k < 3; ++k) {
        int next = k == 2 ? 0 : k + 1;
        if (segmentMeetsInPlane(t[k], t[next], u, axisU) || segmentMeetsInPlane(u[k], u[next], t, axisT))
            return true;
    }
    return false;
}

bool trianglesMeet(const Vec3 t[3], const Vec3 u[3])
{
    int sidesU[3], sidesT[3];
    orientSides(t, u, 3, sidesU);
    if (sidesU[0] != 0 && sidesU[0] == sidesU[1] && sidesU[0] == sidesU[2])
        return false;
    orientSides(u, t, 3, sidesT);
    if (sidesT[0] != 0 && sidesT[0] == sidesT[1] && sidesT[0] == sidesT[2])
        return false;
    if ((sidesU[0] == 0 && sidesU[1] == 0 && sidesU[2] == 0) || (sidesT[0] == 0 && sidesT[1] == 0 && sidesT[2] == 0))
        return flatMeet(t, u);
    for (int k = 0; k < 3; ++k) {
        int next = k == 2 ? 0 : k + 1;
        if (segmentMeetsTriangle(u[k], u[next], t, sidesU[k], sidesU[next]) ||
            segmentMeetsTriangle(t[k], t[next], u, sidesT[k], sidesT[next]))
            return true;
    }
    return false;
}

// ---- triangles of one mesh ------------------------------------------------------------------------------------------

// Two triangles with a common corner: what else they share begins there and ends at the side opposite to it, in one of
// them. Most pairs of a mesh are such, and most of these are settled by two signs.
static bool crossBeside(const Vec3 a[3], int i, const Vec3 b[3], int j)
{
    const Vec3 ofA[2] = {a[(i + 1) % 3], a[(i + 2) % 3]}, ofB[2] = {b[(j + 1) % 3], b[(j + 2) % 3]};
    int sidesA[2], sidesB[2];
    orientSides(b, ofA, 2, sidesA);
    if (sidesA[0] * sidesA[1] > 0)
        return false;
    orientSides(a, ofB, 2, sidesB);
    if (sidesB[0] * sidesB[1] > 0 || axisOf(a, 3) < 0 || axisOf(b, 3) < 0)
        return false;
    return segmentMeetsTriangle(ofA[0], ofA[1], b, sidesA[0], sidesA[1]) ||
           segmentMeetsTriangle(ofB[0], ofB[1], a, sidesB[0], sidesB[1]);
}

// A common side: one is folded onto the other.
static bool folded(const Vec3 a[3], int i, const Vec3 b[3], int j)
{
    if (orient3(a[0], a[1], a[2], b[j]) != 0)
        return false;
    int axis = axisOf(a, 3);
    if (axis < 0 || axisOf(b, 3) < 0)
        return false;
    Vec3 p = a[(i + 1) % 3], q = a[(i + 2) % 3];
    return orient2(p, q, a[i], axis) == orient2(p, q, b[j], axis);
}

bool trianglesCross(const Vec3* points, const int t[3], const int u[3])
{
    int ofT[3] = {0}, ofU[3] = {0}, shared = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (t[i] == u[j]) {
                ofT[i] = ofU[j] = 1;
                ++shared;
            }
    const Vec3 a[3] = {points[t[0]], points[t[1]], points[t[2]]}, b[3] = {points[u[0]], points[u[1]], points[u[2]]};
    if (shared == 0)
        return trianglesMeet(a, b);
    if (shared == 1)
        return crossBeside(a, ofT[0] ? 0 : ofT[1] ? 1 : 2, b, ofU[0] ? 0 : ofU[1] ? 1 : 2);
    if (shared == 2)
        return folded(a, !ofT[0] ? 0 : !ofT[1] ? 1 : 2, b, !ofU[0] ? 0 : !ofU[1] ? 1 : 2);
    return axisOf(a, 3) >= 0 && axisOf(b, 3) >= 0;
}

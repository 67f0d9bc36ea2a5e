// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Small vectors. `v…` is float (state and queries), `d…` is double (cooking, sums, rotation).
// Every expression is written in the order it is evaluated: results are the same on every build.
#pragma once

#include "sherd/base.h"

#include <math.h>

typedef shVec3 Vec3;

typedef struct DVec3 {
    double x, y, z;
} DVec3;

static inline Vec3 vec3(float x, float y, float z) { return (Vec3){x, y, z}; }
static inline Vec3 vAdd(Vec3 a, Vec3 b) { return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vec3 vSub(Vec3 a, Vec3 b) { return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec3 vNeg(Vec3 a) { return (Vec3){-a.x, -a.y, -a.z}; }
static inline Vec3 vScale(float s, Vec3 a) { return (Vec3){s * a.x, s * a.y, s * a.z}; }
static inline Vec3 vMad(Vec3 a, float s, Vec3 b) { return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline Vec3 vLerp(Vec3 a, Vec3 b, float t) { return vMad(a, t, vSub(b, a)); }
static inline float vDot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3 vCross(Vec3 a, Vec3 b)
{
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float vLength2(Vec3 a) { return vDot(a, a); }
static inline float vLength(Vec3 a) { return sqrtf(vDot(a, a)); }
static inline float vDistance2(Vec3 a, Vec3 b) { return vLength2(vSub(a, b)); }
static inline float vDistance(Vec3 a, Vec3 b) { return vLength(vSub(a, b)); }
// Zero stays zero.
static inline Vec3 vNormalize(Vec3 a)
{
    float length = vLength(a);
    return length > 0.0f ? vScale(1.0f / length, a) : a;
}
// The second operand wins ties and NaNs, as in SSE.
static inline float minF(float a, float b) { return a < b ? a : b; }
static inline float maxF(float a, float b) { return a > b ? a : b; }
static inline float clampF(float x, float lower, float upper) { return maxF(lower, minF(upper, x)); }
static inline int minI(int a, int b) { return a < b ? a : b; }
static inline int maxI(int a, int b) { return a > b ? a : b; }
static inline Vec3 vMin(Vec3 a, Vec3 b) { return (Vec3){minF(a.x, b.x), minF(a.y, b.y), minF(a.z, b.z)}; }
static inline Vec3 vMax(Vec3 a, Vec3 b) { return (Vec3){maxF(a.x, b.x), maxF(a.y, b.y), maxF(a.z, b.z)}; }
static inline bool vFinite(Vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline float vGet(Vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

static inline DVec3 dvec3(double x, double y, double z) { return (DVec3){x, y, z}; }
static inline DVec3 dFromV(Vec3 a) { return (DVec3){(double)a.x, (double)a.y, (double)a.z}; }
static inline Vec3 vFromD(DVec3 a) { return (Vec3){(float)a.x, (float)a.y, (float)a.z}; }
static inline DVec3 dAdd(DVec3 a, DVec3 b) { return (DVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline DVec3 dSub(DVec3 a, DVec3 b) { return (DVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline DVec3 dNeg(DVec3 a) { return (DVec3){-a.x, -a.y, -a.z}; }
static inline DVec3 dScale(double s, DVec3 a) { return (DVec3){s * a.x, s * a.y, s * a.z}; }
static inline DVec3 dMad(DVec3 a, double s, DVec3 b) { return (DVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline DVec3 dLerp(DVec3 a, DVec3 b, double t) { return dMad(a, t, dSub(b, a)); }
static inline double dDot(DVec3 a, DVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline DVec3 dCross(DVec3 a, DVec3 b)
{
    return (DVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double dLength2(DVec3 a) { return dDot(a, a); }
static inline double dLength(DVec3 a) { return sqrt(dDot(a, a)); }
static inline double dDistance(DVec3 a, DVec3 b) { return dLength(dSub(a, b)); }
static inline DVec3 dNormalize(DVec3 a)
{
    double length = dLength(a);
    return length > 0.0 ? dScale(1.0 / length, a) : a;
}
static inline double minD(double a, double b) { return a < b ? a : b; }
static inline double maxD(double a, double b) { return a > b ? a : b; }
static inline double clampD(double x, double lower, double upper) { return maxD(lower, minD(upper, x)); }
static inline bool dFinite(DVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
// Six times the signed volume of the tetrahedron a b c d; positive when b c d turn left seen from a's far side.
static inline double dOrient(DVec3 a, DVec3 b, DVec3 c, DVec3 d)
{
    return dDot(dCross(dSub(b, a), dSub(c, a)), dSub(d, a));
}

static inline double dGet(DVec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
// The coordinate axis that a leans on most or least; the first of equals.
static inline int dLargestAxis(DVec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}
static inline int dSmallestAxis(DVec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    return x <= y && x <= z ? 0 : y <= z ? 1 : 2;
}
static inline DVec3 dAxis(int axis)
{
    return (DVec3){axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
}
// A fixed unit vector perpendicular to a ≠ 0: the least aligned coordinate axis, straightened.
static inline DVec3 dPerpendicular(DVec3 a)
{
    DVec3 n = dNormalize(a), e = dAxis(dSmallestAxis(n));
    return dNormalize(dMad(e, -dDot(n, e), n));
}

// Boxes. The empty box is inverted; growing it by a point gives that point.
static inline shBox boxEmpty(void)
{
    return (shBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
static inline shBox boxAdd(shBox box, Vec3 p) { return (shBox){vMin(p, box.lower), vMax(p, box.upper)}; }
static inline shBox boxUnion(shBox a, shBox b) { return (shBox){vMin(a.lower, b.lower), vMax(a.upper, b.upper)}; }
static inline shBox boxGrow(shBox box, float margin)
{
    Vec3 m = {margin, margin, margin};
    return (shBox){vSub(box.lower, m), vAdd(box.upper, m)};
}
static inline Vec3 boxCenter(shBox box) { return vScale(0.5f, vAdd(box.lower, box.upper)); }
static inline Vec3 boxSize(shBox box) { return vSub(box.upper, box.lower); }
static inline bool boxOverlaps(shBox a, shBox b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
static inline bool boxHolds(shBox box, shBox part)
{
    return box.lower.x <= part.lower.x && box.lower.y <= part.lower.y && box.lower.z <= part.lower.z &&
           part.upper.x <= box.upper.x && part.upper.y <= box.upper.y && part.upper.z <= box.upper.z;
}
// Squared distance from p to the box; zero inside.
static inline float boxDistance2(shBox box, Vec3 p)
{
    Vec3 zero = {0.0f, 0.0f, 0.0f};
    return vLength2(vMax(vMax(vSub(box.lower, p), vSub(p, box.upper)), zero));
}

// Rotations and transforms.
static inline Vec3 qRotate(shQuat q, Vec3 a)
{
    Vec3 t = vScale(2.0f, vCross(q.v, a));
    return vAdd(vMad(a, q.s, t), vCross(q.v, t));
}
static inline Vec3 qUnrotate(shQuat q, Vec3 a) { return qRotate((shQuat){vNeg(q.v), q.s}, a); }
static inline shQuat qMul(shQuat a, shQuat b)
{
    return (shQuat){vAdd(vAdd(vScale(a.s, b.v), vScale(b.s, a.v)), vCross(a.v, b.v)), a.s * b.s - vDot(a.v, b.v)};
}
static inline Vec3 xformPoint(shTransform x, Vec3 p) { return vAdd(qRotate(x.q, p), x.p); }
static inline Vec3 xformUnpoint(shTransform x, Vec3 p) { return qUnrotate(x.q, vSub(p, x.p)); }

// Rows of a 3×3 matrix.
typedef struct Mat3 {
    Vec3 r0, r1, r2;
} Mat3;
typedef struct DMat3 {
    DVec3 r0, r1, r2;
} DMat3;
static inline Vec3 mMul(Mat3 m, Vec3 a) { return (Vec3){vDot(m.r0, a), vDot(m.r1, a), vDot(m.r2, a)}; }
static inline DVec3 dmMul(DMat3 m, DVec3 a) { return (DVec3){dDot(m.r0, a), dDot(m.r1, a), dDot(m.r2, a)}; }
static inline DMat3 dmIdentity(void) { return (DMat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}; }
static inline DMat3 dmTranspose(DMat3 m)
{
    return (DMat3){{m.r0.x, m.r1.x, m.r2.x}, {m.r0.y, m.r1.y, m.r2.y}, {m.r0.z, m.r1.z, m.r2.z}};
}
static inline DMat3 dmMulM(DMat3 a, DMat3 b)
{
    DMat3 t = dmTranspose(b);
    return (DMat3){dmMul(t, a.r0), dmMul(t, a.r1), dmMul(t, a.r2)};
}
static inline double dmDeterminant(DMat3 m) { return dDot(m.r0, dCross(m.r1, m.r2)); }
static inline Mat3 mFromD(DMat3 m) { return (Mat3){vFromD(m.r0), vFromD(m.r1), vFromD(m.r2)}; }

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Making rotations and taking them apart; vec.h applies them. `q…` is float, `dq…` double. Quaternions made here
// are of unit length.
#pragma once

#include "core/constants.h"
#include "core/trig.h"
#include "core/vec.h"

// As shQuat: v = axis · sin(angle/2), s = cos(angle/2).
typedef struct DQuat {
    DVec3 v;
    double s;
} DQuat;

static inline DQuat dqFromQ(shQuat q) { return (DQuat){dFromV(q.v), (double)q.s}; }
static inline shQuat qFromDq(DQuat q) { return (shQuat){vFromD(q.v), (float)q.s}; }
static inline shQuat qIdentity(void) { return (shQuat){{0.0f, 0.0f, 0.0f}, 1.0f}; }
static inline DQuat dqIdentity(void) { return (DQuat){{0.0, 0.0, 0.0}, 1.0}; }
static inline shQuat qConjugate(shQuat q) { return (shQuat){vNeg(q.v), q.s}; }
static inline DQuat dqConjugate(DQuat q) { return (DQuat){dNeg(q.v), q.s}; }

// Zero becomes the identity.
static inline DQuat dqNormalize(DQuat q)
{
    double length = sqrt(dDot(q.v, q.v) + q.s * q.s);
    return length > 0.0 ? (DQuat){dScale(1.0 / length, q.v), q.s / length} : dqIdentity();
}
static inline shQuat qNormalize(shQuat q) { return qFromDq(dqNormalize(dqFromQ(q))); }

// First b, then a.
static inline DQuat dqMul(DQuat a, DQuat b)
{
    return (DQuat){dAdd(dAdd(dScale(a.s, b.v), dScale(b.s, a.v)), dCross(a.v, b.v)), a.s * b.s - dDot(a.v, b.v)};
}
static inline DVec3 dqRotate(DQuat q, DVec3 a)
{
    DVec3 t = dScale(2.0, dCross(q.v, a));
    return dAdd(dMad(a, q.s, t), dCross(q.v, t));
}
static inline DVec3 dqUnrotate(DQuat q, DVec3 a) { return dqRotate(dqConjugate(q), a); }

// The axis need not be of unit length; zero gives the identity.
static inline DQuat dqFromAxisAngle(DVec3 axis, double angle)
{
    double s, c;
    trigSinCos(0.5 * angle, &s, &c);
    DVec3 n = dNormalize(axis);
    return dLength2(n) > 0.0 ? (DQuat){dScale(s, n), c} : dqIdentity();
}
static inline shQuat qFromAxisAngle(Vec3 axis, float angle)
{
    return qFromDq(dqFromAxisAngle(dFromV(axis), (double)angle));
}

// The shortest rotation that takes the direction of a to that of b (neither zero). Sine and cosine of half the angle
// are half the difference's and half the sum's length: exact at both ends, where the axis is not, and does not matter.
static inline DQuat dqBetween(DVec3 a, DVec3 b)
{
    DVec3 from = dNormalize(a), to = dNormalize(b), sum = dAdd(from, to);
    if (dLength(sum) < QUAT_OPPOSITE)
        return (DQuat){dPerpendicular(from), 0.0};
    DVec3 axis = dNormalize(dCross(from, dNormalize(sum)));
    return dqNormalize((DQuat){dScale(0.5 * dDistance(from, to), axis), 0.5 * dLength(sum)});
}
static inline shQuat qBetween(Vec3 a, Vec3 b) { return qFromDq(dqBetween(dFromV(a), dFromV(b))); }

static inline DMat3 dqToMat(DQuat q)
{
    double x = q.v.x, y = q.v.y, z = q.v.z, s = q.s;
    return (DMat3){{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - s * z), 2.0 * (x * z + s * y)},
                   {2.0 * (x * y + s * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - s * x)},
                   {2.0 * (x * z - s * y), 2.0 * (y * z + s * x), 1.0 - 2.0 * (x * x + y * y)}};
}
static inline Mat3 qToMat(shQuat q) { return mFromD(dqToMat(dqFromQ(q))); }

// Of a rotation matrix; s ≥ 0. Four times the square of each component is a sum of diagonal entries: the largest
// is taken by its root, the others by products with it, so nothing is divided by something small.
static inline DQuat dqFromMat(DMat3 m)
{
    double xx = m.r0.x, yy = m.r1.y, zz = m.r2.z;
    double s4 = 1.0 + xx + yy + zz, x4 = 1.0 + xx - yy - zz, y4 = 1.0 - xx + yy - zz, z4 = 1.0 - xx - yy + zz;
    double sx = m.r2.y - m.r1.z, sy = m.r0.z - m.r2.x, sz = m.r1.x - m.r0.y;
    double xy = m.r0.y + m.r1.x, xz = m.r0.z + m.r2.x, yz = m.r1.z + m.r2.y;
    DQuat q;
    if (s4 >= x4 && s4 >= y4 && s4 >= z4)
        q = (DQuat){{sx, sy, sz}, s4};
    else if (x4 >= y4 && x4 >= z4)
        q = (DQuat){{x4, xy, xz}, sx};
    else if (y4 >= z4)
        q = (DQuat){{xy, y4, yz}, sy};
    else
        q = (DQuat){{xz, yz, z4}, sz};
    q = dqNormalize(q);
    return q.s < 0.0 ? (DQuat){dNeg(q.v), -q.s} : q;
}

// Finite, with a rotation of unit length: what callers hand in.
static inline bool xformValid(shTransform x)
{
    float length2 = vLength2(x.q.v) + x.q.s * x.q.s;
    return vFinite(x.p) && fabsf(length2 - 1.0f) <= UNIT_TOLERANCE;
}

// Transforms: first b, then a; and back.
static inline shTransform xformMul(shTransform a, shTransform b)
{
    return (shTransform){xformPoint(a, b.p), qMul(a.q, b.q)};
}
static inline shTransform xformInverse(shTransform x)
{
    return (shTransform){vNeg(qUnrotate(x.q, x.p)), qConjugate(x.q)};
}

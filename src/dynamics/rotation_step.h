// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// One step of free rotation, shared by rotation.c and its kernel, which so agree to the bit.
//
// Everything happens in the principal frame, where the inertia is diagonal and the momentum l moves while the body
// stands still. Turning the body by a quaternion r on the right of its frame turns l by the inverse of r.
//
// Su's base step follows the angular velocity and its derivative. Here it is a splitting of the energy instead,
//   Σ u l²/2 = u.y |l|²/2 + (u.x − u.y) l.x²/2 + (u.z − u.y) l.z²/2,   u = 1/inertia,
// whose three terms alone are plain rotations: about the momentum, about the axis x, about the axis z, each at a
// constant rate. Done one after the other, symmetrically, they are a second-order step that is exact where two moments
// are equal and where the body spins about a principal axis, and that does not go wild where the step is long.
#pragma once

#include "dynamics/rotation.h"

typedef struct Turned {
    DQuat q; // any length
    DVec3 l; // the momentum seen from it
} Turned;

// sin(h)/h and cos h.
typedef struct HalfTurn {
    double ratio, cosine;
} HalfTurn;

static inline DVec3 times(DVec3 a, DVec3 b) { return (DVec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline DVec3 inverse(DVec3 a) { return (DVec3){1.0 / a.x, 1.0 / a.y, 1.0 / a.z}; }

static inline DQuat unit(DQuat q)
{
    double scale = 1.0 / sqrt(dDot(q.v, q.v) + q.s * q.s);
    return (DQuat){dScale(scale, q.v), scale * q.s};
}

// By h² < ROTATION_SMALL²: most bodies turn by little in a step.
static inline HalfTurn halfTurnSmall(double h)
{
    double z = h * h;
    double ratio = 1.0 / 362880.0 - z * (1.0 / 39916800.0);
    ratio = 1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z * ratio)));
    double cosine = 1.0 / 40320.0 - z * (1.0 / 3628800.0 - z * (1.0 / 479001600.0));
    cosine = 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * cosine)));
    return (HalfTurn){ratio, cosine};
}

// About the axis x by 2h.
static inline Turned turnX(Turned a, double h, HalfTurn half)
{
    double s = half.ratio * h, c = half.cosine, sine = 2.0 * s * c, cosine = c * c - s * s;
    DVec3 v = a.q.v, l = a.l;
    return (Turned){{{c * v.x + s * a.q.s, c * v.y + s * v.z, c * v.z - s * v.y}, c * a.q.s - s * v.x},
                    {l.x, cosine * l.y + sine * l.z, cosine * l.z - sine * l.y}};
}

static inline Turned turnZ(Turned a, double h, HalfTurn half)
{
    double s = half.ratio * h, c = half.cosine, sine = 2.0 * s * c, cosine = c * c - s * s;
    DVec3 v = a.q.v, l = a.l;
    return (Turned){{{c * v.x + s * v.y, c * v.y - s * v.x, c * v.z + s * a.q.s}, c * a.q.s - s * v.z},
                    {cosine * l.x + sine * l.y, cosine * l.y - sine * l.x, l.z}};
}

// About the momentum itself, which therefore stays; at `rate` half radians per unit of it.
static inline DQuat turnAbout(Turned a, double rate, HalfTurn half)
{
    return dqMul(a.q, (DQuat){dScale(half.ratio * rate, a.l), half.cosine});
}

// Turning by ε about s takes the momentum from l to l cos ε − s×l sin ε, and the energy from `have` to
//   have cos²ε − slope sin ε cos ε + across sin²ε,   slope = s·(l×w), across = the energy of s×l.
// With t = tan ε this is to be `want`: (want − across) t² + slope t − k = 0, k = have − want. Of the two solutions the
// smaller one is t = 2k / (slope ± √g), g = slope² + 4k (want − across), with the sign of slope, so that no digits are
// lost and 0 counts as positive: Su's formulas, put right. An axis n = |n| s only scales them: t = 2k|n| / h, and
// tan(ε/2) = t / (1 + √(1 + t²)) is the quotient of the vector and the scalar of the turn. Returns g: there is a
// solution if it is not negative.
static inline double energyTurn(DVec3 n, DVec3 l, DVec3 u, double want, DQuat* turn)
{
    DVec3 w = times(u, l), across = dCross(n, l);
    double k = 0.5 * dDot(l, w) - want, nn = dDot(n, n), slope = dDot(n, dCross(l, w));
    double g = slope * slope + 4.0 * k * (nn * want - 0.5 * dDot(across, times(u, across)));
    double h = fabs(slope) + sqrt(maxD(g, 0.0)), y = 2.0 * k;
    y = slope < 0.0 ? -y : y;
    *turn = (DQuat){dScale(y, n), h + sqrt(h * h + y * y * nn)};
    return g;
}

// Any step of a body that spins (rotation.c).
void spinAdvanceWide(Spin* spin, double dt);

// The step of a body that turns by little and has an orientation of the right energy nearby in the steepest direction,
// without a branch. 1: done; 0: it is not such a body, and `result` means nothing.
static inline double ordinaryStep(DQuat frame, DVec3 momentum, double energy, DVec3 inertia, double dt, DQuat* result)
{
    DVec3 u = inverse(inertia);
    Turned a = {frame, dqUnrotate(frame, momentum)};
    double x = 0.5 * dt * (u.x - u.y), z = 0.5 * dt * (u.z - u.y), y = 0.5 * dt * u.y;
    double first = 0.5 * z * a.l.z;
    a = turnZ(a, first, halfTurnSmall(first));
    double second = x * a.l.x;
    a = turnX(a, second, halfTurnSmall(second));
    double third = 0.5 * z * a.l.z;
    a = turnZ(a, third, halfTurnSmall(third));
    double whole = y * dLength(a.l);
    DQuat q = turnAbout(a, y, halfTurnSmall(whole));
    double widest = maxD(maxD(first * first, second * second), maxD(third * third, whole * whole));

    DVec3 w = times(u, a.l), steepest = dCross(a.l, w);
    double have = 0.5 * dDot(a.l, w), slope2 = dDot(steepest, steepest);
    DQuat turn;
    double g = energyTurn(steepest, a.l, u, energy, &turn);
    // Three times no: all moments alike, an error that is rounding, an energy that is nothing.
    double gap = inertia.x < inertia.z ? fabs(have - energy) : 0.0;
    gap = energy > ROTATION_LEAST_ENERGY ? gap : 0.0;
    bool needed = gap > ROTATION_EXACT * energy;
    turn.v = (DVec3){needed ? turn.v.x : 0.0, needed ? turn.v.y : 0.0, needed ? turn.v.z : 0.0};
    turn.s = needed ? turn.s : 1.0;
    *result = unit(dqMul(q, turn));
    double found = slope2 > ROTATION_PARALLEL * ROTATION_PARALLEL * have * have ? 1.0 : 0.0;
    found = g >= 0.0 ? found : 0.0;
    found = needed ? found : 1.0;
    return widest < ROTATION_SMALL * ROTATION_SMALL ? found : 0.0;
}

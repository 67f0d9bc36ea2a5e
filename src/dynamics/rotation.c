// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Everything happens in the principal frame, where the inertia is diagonal and the momentum l moves while the body
// stands still. Turning the body by a quaternion r on the right of its frame turns l by the inverse of r.
//
// Su's base step follows the angular velocity and its derivative. Here it is a splitting of the energy instead,
//   Σ u l²/2 = u.y |l|²/2 + (u.x − u.y) l.x²/2 + (u.z − u.y) l.z²/2,   u = 1/inertia,
// whose three terms alone are plain rotations: about the momentum, about the axis x, about the axis z, each at a
// constant rate. Done one after the other, symmetrically, they are a second-order step that is exact where two moments
// are equal and where the body spins about a principal axis, and that does not go wild where the step is long.
#include "dynamics/rotation.h"

#include "core/check.h"

static DVec3 times(DVec3 a, DVec3 b) { return (DVec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static DVec3 inverse(DVec3 a) { return (DVec3){1.0 / a.x, 1.0 / a.y, 1.0 / a.z}; }

// I · velocity, in the world.
static DVec3 momentumOf(const Spin* spin, DVec3 velocity)
{
    return dqRotate(spin->frame, times(spin->inertia, dqUnrotate(spin->frame, velocity)));
}

DVec3 spinVelocity(const Spin* spin)
{
    DVec3 l = dqUnrotate(spin->frame, spin->momentum);
    return dqRotate(spin->frame, (DVec3){l.x / spin->inertia.x, l.y / spin->inertia.y, l.z / spin->inertia.z});
}

double spinEnergy(const Spin* spin)
{
    DVec3 l = dqUnrotate(spin->frame, spin->momentum);
    return 0.5 * dDot(l, times(inverse(spin->inertia), l));
}

void spinRenew(Spin* spin) { spin->energy = spinEnergy(spin); }

void spinSetVelocity(Spin* spin, DVec3 velocity)
{
    spin->momentum = momentumOf(spin, velocity);
    spinRenew(spin);
}

void spinAddVelocity(Spin* spin, DVec3 change) { spinAddImpulse(spin, momentumOf(spin, change)); }

void spinAddImpulse(Spin* spin, DVec3 impulse)
{
    spin->momentum = dAdd(spin->momentum, impulse);
    spinRenew(spin);
}

// The base step -----------------------------------------------------------------------------------

// sin(h)/h and cos h. Most bodies turn by little in a step: there a short series gives the same to a bit or two.
static void halfTurn(double h, double* ratio, double* cosine)
{
    double z = h * h;
    if (z < ROTATION_SMALL * ROTATION_SMALL) {
        *ratio = 1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0)));
        *cosine = 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0))));
    } else {
        trigSinCos(h, ratio, cosine);
        *ratio /= h;
    }
}

typedef struct Turned {
    DQuat q; // any length
    DVec3 l; // the momentum seen from it
} Turned;

static Turned turnX(Turned a, double half)
{
    if (half == 0.0)
        return a;
    double s, c;
    halfTurn(half, &s, &c);
    s *= half;
    double sine = 2.0 * s * c, cosine = c * c - s * s;
    DVec3 v = a.q.v, l = a.l;
    return (Turned){{{c * v.x + s * a.q.s, c * v.y + s * v.z, c * v.z - s * v.y}, c * a.q.s - s * v.x},
                    {l.x, cosine * l.y + sine * l.z, cosine * l.z - sine * l.y}};
}

static Turned turnZ(Turned a, double half)
{
    if (half == 0.0)
        return a;
    double s, c;
    halfTurn(half, &s, &c);
    s *= half;
    double sine = 2.0 * s * c, cosine = c * c - s * s;
    DVec3 v = a.q.v, l = a.l;
    return (Turned){{{c * v.x + s * v.y, c * v.y - s * v.x, c * v.z + s * a.q.s}, c * a.q.s - s * v.z},
                    {cosine * l.x + sine * l.y, cosine * l.y - sine * l.x, l.z}};
}

// About the momentum itself, which therefore stays; at `rate` rad per unit of it.
static Turned turnAbout(Turned a, double rate)
{
    double s, c;
    halfTurn(rate * dLength(a.l), &s, &c);
    a.q = dqMul(a.q, (DQuat){dScale(s * rate, a.l), c});
    return a;
}

static Turned step(Turned a, DVec3 u, double dt)
{
    double x = 0.5 * dt * (u.x - u.y), z = 0.5 * dt * (u.z - u.y);
    a = turnZ(a, 0.5 * z * a.l.z);
    a = turnX(a, x * a.l.x);
    a = turnZ(a, 0.5 * z * a.l.z);
    return turnAbout(a, 0.5 * dt * u.y);
}

// The energy -------------------------------------------------------------------------------------

// Turning by ε about s takes the momentum from l to l cos ε − s×l sin ε, and the energy from `have` to
//   have cos²ε − slope sin ε cos ε + across sin²ε,   slope = s·(l×w), across = the energy of s×l.
// With t = tan ε this is to be `want`: (want − across) t² + slope t − k = 0, k = have − want. Of the two solutions the
// smaller one is t = 2k / (slope ± √g), g = slope² + 4k (want − across), with the sign of slope, so that no digits are
// lost and 0 counts as positive: Su's formulas, put right. An axis n = |n| s only scales them: t = 2k|n| / h, and
// tan(ε/2) = t / (1 + √(1 + t²)) is the quotient of the vector and the scalar below.
bool spinTurn(DVec3 n, DVec3 l, DVec3 u, double want, DQuat* turn)
{
    DVec3 w = times(u, l), across = dCross(n, l);
    double k = 0.5 * dDot(l, w) - want, nn = dDot(n, n), slope = dDot(n, dCross(l, w));
    double g = slope * slope + 4.0 * k * (nn * want - 0.5 * dDot(across, times(u, across)));
    double h = fabs(slope) + sqrt(maxD(g, 0.0)), y = slope < 0.0 ? -2.0 * k : 2.0 * k;
    *turn = (DQuat){dScale(y, n), h + sqrt(h * h + y * y * nn)};
    return g >= 0.0;
}

static DQuat restore(DQuat q, DVec3 l, DVec3 u, double want)
{
    DVec3 w = times(u, l);
    double have = 0.5 * dDot(l, w), k = have - want;
    if (!(fabs(k) > ROTATION_EXACT * want) || !(want > ROTATION_LEAST_ENERGY))
        return q;
    // In the direction in which the energy changes most, unless that is noise or does not lead far enough: then towards
    // the axis with the least energy, or with the most. On the way lies every energy there is.
    DQuat turn;
    DVec3 steepest = dCross(l, w);
    if (!(dDot(steepest, steepest) > ROTATION_PARALLEL * ROTATION_PARALLEL * have * have) ||
        !spinTurn(steepest, l, u, want, &turn))
        spinTurn(k > 0.0 ? (DVec3){l.y, -l.x, 0.0} : (DVec3){0.0, l.z, -l.y}, l, u, want, &turn);
    return dqMul(q, turn);
}

static DQuat unit(DQuat q)
{
    double scale = 1.0 / sqrt(dDot(q.v, q.v) + q.s * q.s);
    return (DQuat){dScale(scale, q.v), scale * q.s};
}

void spinRestore(Spin* spin)
{
    DVec3 l = dqUnrotate(spin->frame, spin->momentum);
    spin->frame = unit(restore(spin->frame, l, inverse(spin->inertia), spin->energy));
}

void spinAdvance(Spin* spin, double dt)
{
    DVec3 inertia = spin->inertia;
    CHECK(inertia.x > 0.0 && inertia.x <= inertia.y && inertia.y <= inertia.z);
    Turned a = {spin->frame, dqUnrotate(spin->frame, spin->momentum)};
    if (!(dDot(a.l, a.l) > 0.0)) // at rest nothing changes, not even by rounding
        return;
    DVec3 u = inverse(inertia);
    a = step(a, u, dt);
    if (inertia.x < inertia.z) // else every orientation has the same energy
        a.q = restore(a.q, a.l, u, spin->energy);
    spin->frame = unit(a.q);
}

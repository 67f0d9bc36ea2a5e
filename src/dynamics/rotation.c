// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/rotation.h"

#include "core/check.h"
#include "dynamics/rotation_step.h"

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

void spinSettle(Spin* spin)
{
    double have = spinEnergy(spin);
    if (have > spin->energy)
        spin->momentum = dScale(sqrt(spin->energy / have), spin->momentum);
    spinRenew(spin);
}

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

bool spinTurn(DVec3 axis, DVec3 momentum, DVec3 inverseInertia, double want, DQuat* turn)
{
    return energyTurn(axis, momentum, inverseInertia, want, turn) >= 0.0;
}

static HalfTurn halfTurn(double h)
{
    if (h * h < ROTATION_SMALL * ROTATION_SMALL)
        return halfTurnSmall(h);
    HalfTurn half;
    trigSinCos(h, &half.ratio, &half.cosine);
    half.ratio /= h;
    return half;
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
        !(energyTurn(steepest, l, u, want, &turn) >= 0.0))
        energyTurn(k > 0.0 ? (DVec3){l.y, -l.x, 0.0} : (DVec3){0.0, l.z, -l.y}, l, u, want, &turn);
    return dqMul(q, turn);
}

void spinRestore(Spin* spin)
{
    DVec3 l = dqUnrotate(spin->frame, spin->momentum);
    spin->frame = unit(restore(spin->frame, l, inverse(spin->inertia), spin->energy));
}

void spinAdvanceWide(Spin* spin, double dt)
{
    DVec3 inertia = spin->inertia, u = inverse(inertia);
    Turned a = {spin->frame, dqUnrotate(spin->frame, spin->momentum)};
    double x = 0.5 * dt * (u.x - u.y), z = 0.5 * dt * (u.z - u.y), y = 0.5 * dt * u.y;
    double h = 0.5 * z * a.l.z;
    a = turnZ(a, h, halfTurn(h));
    h = x * a.l.x;
    a = turnX(a, h, halfTurn(h));
    h = 0.5 * z * a.l.z;
    a = turnZ(a, h, halfTurn(h));
    DQuat q = turnAbout(a, y, halfTurn(y * dLength(a.l)));
    if (inertia.x < inertia.z) // else every orientation has the same energy
        q = restore(q, a.l, u, spin->energy);
    spin->frame = unit(q);
}

void spinAdvance(Spin* spin, double dt)
{
    CHECK(spin->inertia.x > 0.0 && spin->inertia.x <= spin->inertia.y && spin->inertia.y <= spin->inertia.z);
    if (!(dDot(spin->momentum, spin->momentum) > 0.0))
        return; // at rest nothing changes, not even by rounding
    DQuat turned;
    if (ordinaryStep(spin->frame, spin->momentum, spin->energy, spin->inertia, dt, &turned) != 0.0)
        spin->frame = turned;
    else
        spinAdvanceWide(spin, dt);
}

void spinAdvanceMany(Spin* spins, int count, double dt) { SIMD_CHOOSE(spinAdvanceAll)(spins, count, dt); }

void spinAdvanceEach(Spin* spins, int count, const double* times)
{
    SIMD_CHOOSE(spinAdvanceTimes)(spins, count, times);
}

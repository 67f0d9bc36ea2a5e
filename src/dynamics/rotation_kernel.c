// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Several bodies abreast: one after the other, each waits for its own square roots. The loop in the middle has no
// branch, and compilers turn it into vector instructions.
#include "dynamics/rotation_step.h"

enum { LANES = 8 };

typedef struct Lanes {
    double vx[LANES], vy[LANES], vz[LANES], s[LANES];
    double lx[LANES], ly[LANES], lz[LANES], energy[LANES];
    double ix[LANES], iy[LANES], iz[LANES], done[LANES];
} Lanes;

static void stepLanes(Lanes* restrict a, const double* restrict times)
{
    for (int k = 0; k < LANES; ++k) {
        DQuat frame = {{a->vx[k], a->vy[k], a->vz[k]}, a->s[k]}, turned;
        a->done[k] = ordinaryStep(frame, dvec3(a->lx[k], a->ly[k], a->lz[k]), a->energy[k],
                                  dvec3(a->ix[k], a->iy[k], a->iz[k]), times[k], &turned);
        a->vx[k] = turned.v.x;
        a->vy[k] = turned.v.y;
        a->vz[k] = turned.v.z;
        a->s[k] = turned.s;
    }
}

static void advanceLanes(Spin* spins, const double* times)
{
    Lanes a;
    for (int k = 0; k < LANES; ++k) {
        const Spin* spin = &spins[k];
        a.vx[k] = spin->frame.v.x, a.vy[k] = spin->frame.v.y, a.vz[k] = spin->frame.v.z, a.s[k] = spin->frame.s;
        a.lx[k] = spin->momentum.x, a.ly[k] = spin->momentum.y, a.lz[k] = spin->momentum.z;
        a.ix[k] = spin->inertia.x, a.iy[k] = spin->inertia.y, a.iz[k] = spin->inertia.z;
        a.energy[k] = spin->energy;
    }
    stepLanes(&a, times);
    for (int k = 0; k < LANES; ++k) {
        Spin* spin = &spins[k];
        if (!(dDot(spin->momentum, spin->momentum) > 0.0))
            continue;
        if (a.done[k] != 0.0)
            spin->frame = (DQuat){{a.vx[k], a.vy[k], a.vz[k]}, a.s[k]};
        else
            spinAdvanceWide(spin, times[k]);
    }
}

void SIMD_NAME(spinAdvanceAll)(Spin* spins, int count, double dt)
{
    double times[LANES];
    for (int k = 0; k < LANES; ++k)
        times[k] = dt;
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        advanceLanes(&spins[i], times);
    for (; i < count; ++i)
        spinAdvance(&spins[i], dt);
}

void SIMD_NAME(spinAdvanceTimes)(Spin* spins, int count, const double* times)
{
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        advanceLanes(&spins[i], &times[i]);
    for (; i < count; ++i)
        spinAdvance(&spins[i], times[i]);
}

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

static void stepLanes(Lanes* restrict a, double dt)
{
    for (int k = 0; k < LANES; ++k) {
        DQuat frame = {{a->vx[k], a->vy[k], a->vz[k]}, a->s[k]}, turned;
        a->done[k] = ordinaryStep(frame, dvec3(a->lx[k], a->ly[k], a->lz[k]), a->energy[k],
                                  dvec3(a->ix[k], a->iy[k], a->iz[k]), dt, &turned);
        a->vx[k] = turned.v.x;
        a->vy[k] = turned.v.y;
        a->vz[k] = turned.v.z;
        a->s[k] = turned.s;
    }
}

void SIMD_NAME(spinAdvanceAll)(Spin* spins, int count, double dt)
{
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
        Lanes a;
        for (int k = 0; k < LANES; ++k) {
            const Spin* spin = &spins[i + k];
            a.vx[k] = spin->frame.v.x, a.vy[k] = spin->frame.v.y, a.vz[k] = spin->frame.v.z, a.s[k] = spin->frame.s;
            a.lx[k] = spin->momentum.x, a.ly[k] = spin->momentum.y, a.lz[k] = spin->momentum.z;
            a.ix[k] = spin->inertia.x, a.iy[k] = spin->inertia.y, a.iz[k] = spin->inertia.z;
            a.energy[k] = spin->energy;
        }
        stepLanes(&a, dt);
        for (int k = 0; k < LANES; ++k) {
            Spin* spin = &spins[i + k];
            if (!(dDot(spin->momentum, spin->momentum) > 0.0))
                continue;
            if (a.done[k] != 0.0)
                spin->frame = (DQuat){{a.vx[k], a.vy[k], a.vz[k]}, a.s[k]};
            else
                spinAdvanceWide(spin, dt);
        }
    }
    for (; i < count; ++i)
        spinAdvance(&spins[i], dt);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inertias in lanes, for the solver's kernels.
#pragma once

#include "core/vec8.h"
#include "dynamics/solver.h"

typedef struct Inertia8 {
    F8 xx, yy, zz, xy, xz, yz;
} Inertia8;

static inline Inertia8 inertiaLoad(const float p[6][lanes])
{
    return (Inertia8){f8LoadAligned(p[0]), f8LoadAligned(p[1]), f8LoadAligned(p[2]),
                      f8LoadAligned(p[3]), f8LoadAligned(p[4]), f8LoadAligned(p[5])};
}
static inline V8 inertiaMul(const Inertia8* m, V8 a)
{
    return (V8){f8Add(f8Add(f8Mul(m->xx, a.x), f8Mul(m->xy, a.y)), f8Mul(m->xz, a.z)),
                f8Add(f8Add(f8Mul(m->xy, a.x), f8Mul(m->yy, a.y)), f8Mul(m->yz, a.z)),
                f8Add(f8Add(f8Mul(m->xz, a.x), f8Mul(m->yz, a.y)), f8Mul(m->zz, a.z))};
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Vectors and inertias in lanes, for the solver's kernels.
#pragma once

#include "dynamics/solver.h"

typedef struct V8 {
    F8 x, y, z;
} V8;

static inline V8 v8Load(const float p[3][lanes])
{
    return (V8){f8LoadAligned(p[0]), f8LoadAligned(p[1]), f8LoadAligned(p[2])};
}
static inline void v8Store(float p[3][lanes], V8 a)
{
    f8StoreAligned(p[0], a.x);
    f8StoreAligned(p[1], a.y);
    f8StoreAligned(p[2], a.z);
}
static inline V8 v8Add(V8 a, V8 b) { return (V8){f8Add(a.x, b.x), f8Add(a.y, b.y), f8Add(a.z, b.z)}; }
static inline V8 v8Sub(V8 a, V8 b) { return (V8){f8Sub(a.x, b.x), f8Sub(a.y, b.y), f8Sub(a.z, b.z)}; }
static inline V8 v8Scale(F8 s, V8 a) { return (V8){f8Mul(s, a.x), f8Mul(s, a.y), f8Mul(s, a.z)}; }
static inline F8 v8Dot(V8 a, V8 b) { return f8Add(f8Add(f8Mul(a.x, b.x), f8Mul(a.y, b.y)), f8Mul(a.z, b.z)); }
static inline V8 v8Cross(V8 a, V8 b)
{
    return (V8){f8Sub(f8Mul(a.y, b.z), f8Mul(a.z, b.y)), f8Sub(f8Mul(a.z, b.x), f8Mul(a.x, b.z)),
                f8Sub(f8Mul(a.x, b.y), f8Mul(a.y, b.x))};
}

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

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Eight vectors at once, for kernels: as core/vec.h, lane by lane.
#pragma once

#include "core/simd.h"
#include "core/vec.h"

typedef struct V8 {
    F8 x, y, z;
} V8;

static inline V8 v8Set(Vec3 a) { return (V8){f8Set(a.x), f8Set(a.y), f8Set(a.z)}; }
// Rows on 32-byte boundaries, or anywhere.
static inline V8 v8Load(const float p[3][8])
{
    return (V8){f8LoadAligned(p[0]), f8LoadAligned(p[1]), f8LoadAligned(p[2])};
}
static inline V8 v8LoadAny(const float p[3][8]) { return (V8){f8Load(p[0]), f8Load(p[1]), f8Load(p[2])}; }
static inline void v8Store(float p[3][8], V8 a)
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
static inline V8 v8Select(M8 m, V8 a, V8 b)
{
    return (V8){f8Select(m, a.x, b.x), f8Select(m, a.y, b.y), f8Select(m, a.z, b.z)};
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Eight logical lanes of float (F8), int32 (I8) and truth (M8), whatever the machine: one AVX2 register, two of SSE2
// or WebAssembly, or plain arrays. Every operation is IEEE and lane by lane, sums have one fixed order, and nothing
// here fuses or approximates (no FMA, no reciprocals), so all builds give the same bits. Only a NaN's payload may
// differ.
//
// Kernels. A file src/…/x_kernel.c is compiled once for the baseline and once with AVX2. It defines its functions as
// SIMD_NAME(f); the header declares them with SIMD_DECLARE, and callers take SIMD_CHOOSE(f):
//
//     SIMD_DECLARE(void, scaleAll, (float* x, int count, float by));     // scale.h
//     void SIMD_NAME(scaleAll)(float* x, int count, float by) { … }      // scale_kernel.c
//     SIMD_CHOOSE(scaleAll)(x, count, 2.0f);                             // anywhere
//
// Operations, for lanes a, b of F8 unless said otherwise:
//
//     f8Set f8Zero f8Load f8Store f8LoadAligned f8StoreAligned     aligned: to 32 bytes
//     f8Twice(p) f8Halves(x, y)                                    p[0 … 3] in both halves; x in the lower half, y
//     above f8Add f8Sub f8Mul f8Div f8Sqrt f8Abs f8Neg f8Min f8Max             a < b ? a : b and a > b ? a : b: the
//     second on NaN and between equals, as in SSE f8Less f8LessEqual f8Greater f8GreaterEqual f8Equal          false on
//     NaN f8Select(m, a, b) i8Select                                   m ? a : b f8Gather(base, i) i8Gather base[i], i
//     ≥ 0; the way to collect scalars: an array
//                                                                  filled one by one is not (see simd_pair.h)
//     f8Transpose(rows)                                            F8[8] in place: lane k of row i ↔ lane i of row k
//     f8Truncate(a) f8Floor(a)                                     to I8; precondition |a| < 2^31, not NaN
//     f8FromI8
//     i8Set i8Load i8Store i8Add i8Sub i8Mul i8And i8Or i8Min i8Max i8Equal i8Greater i8Lanes (0 … 7)
//     m8And m8Or m8AndNot (a and not b) m8Not m8Bits (lane k → bit k) m8OfBits m8First(n) (lanes below n) m8Any m8All
//     f8Sum f8Least f8Most     ((0 4)(2 6)) ((1 5)(3 7)), by +, f8Min, f8Max
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(SIMD_SCALAR)
#include "core/simd_scalar.h"
#define SIMD_SUFFIX scalar
#elif defined(SIMD_AVX2)
#include "core/simd_avx2.h"
#define SIMD_SUFFIX avx2
#elif defined(__SSE2__)
#include "core/simd_pair.h"
#define SIMD_SUFFIX sse2
#elif defined(__wasm_simd128__)
#include "core/simd_pair.h"
#define SIMD_SUFFIX wasm
#else
#include "core/simd_scalar.h"
#define SIMD_SUFFIX scalar
#endif

#define SIMD_JOIN2(name, suffix) name##_##suffix
#define SIMD_JOIN(name, suffix) SIMD_JOIN2(name, suffix)
#define SIMD_NAME(name) SIMD_JOIN(name, SIMD_SUFFIX)

// The same condition as in cmake/library.cmake.
#if defined(__x86_64__) && !defined(SIMD_SCALAR)
#define SIMD_HAS_AVX2_KERNELS
#define SIMD_DECLARE(Result, name, parameters)                                                                         \
    Result name##_avx2 parameters;                                                                                     \
    Result SIMD_NAME(name) parameters
#define SIMD_CHOOSE(name) (cpuHasAvx2() ? name##_avx2 : SIMD_NAME(name))
#else
#define SIMD_DECLARE(Result, name, parameters) Result SIMD_NAME(name) parameters
#define SIMD_CHOOSE(name) SIMD_NAME(name)
#endif

#include "core/cpu.h"

static inline F8 f8Zero(void) { return f8Set(0.0f); }

// The largest integer not above: truncation is one too high for negative fractions.
static inline I8 f8Floor(F8 a)
{
    I8 t = f8Truncate(a);
    return i8Select(f8Greater(f8FromI8(t), a), i8Sub(t, i8Set(1)), t);
}

static inline M8 m8First(int n) { return i8Greater(i8Set(n), i8Lanes()); }
static inline M8 m8OfBits(unsigned bits)
{
    static const int32_t lanes[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    I8 lane = i8Load(lanes);
    return i8Equal(i8And(i8Set((int32_t)bits), lane), lane);
}
static inline bool m8Any(M8 m) { return m8Bits(m) != 0; }
static inline bool m8All(M8 m) { return m8Bits(m) == 255; }

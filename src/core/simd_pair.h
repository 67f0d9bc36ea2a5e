// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// simd.h in two registers of four lanes: SSE2 or WebAssembly. First the four-lane operations of each, then the pairs.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>

#define SETTLE(scalar) ((void)0)

typedef __m128 V4;  // floats
typedef __m128i W4; // ints
static inline W4 w4OfV4(V4 a) { return _mm_castps_si128(a); }
static inline V4 v4OfW4(W4 a) { return _mm_castsi128_ps(a); }

static inline V4 v4Set(float x) { return _mm_set1_ps(x); }
static inline V4 v4Load(const float* p) { return _mm_loadu_ps(p); }
static inline V4 v4LoadAligned(const float* p) { return _mm_load_ps(p); }
static inline void v4Store(float* p, V4 a) { _mm_storeu_ps(p, a); }
static inline void v4StoreAligned(float* p, V4 a) { _mm_store_ps(p, a); }
static inline V4 v4Add(V4 a, V4 b) { return _mm_add_ps(a, b); }
static inline V4 v4Sub(V4 a, V4 b) { return _mm_sub_ps(a, b); }
static inline V4 v4Mul(V4 a, V4 b) { return _mm_mul_ps(a, b); }
static inline V4 v4Div(V4 a, V4 b) { return _mm_div_ps(a, b); }
static inline V4 v4Min(V4 a, V4 b) { return _mm_min_ps(a, b); }
static inline V4 v4Max(V4 a, V4 b) { return _mm_max_ps(a, b); }
static inline V4 v4Sqrt(V4 a) { return _mm_sqrt_ps(a); }
static inline V4 v4Abs(V4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline V4 v4Neg(V4 a) { return _mm_xor_ps(_mm_set1_ps(-0.0f), a); }
static inline W4 v4Less(V4 a, V4 b) { return w4OfV4(_mm_cmplt_ps(a, b)); }
static inline W4 v4LessEqual(V4 a, V4 b) { return w4OfV4(_mm_cmple_ps(a, b)); }
static inline W4 v4Equal(V4 a, V4 b) { return w4OfV4(_mm_cmpeq_ps(a, b)); }
static inline W4 v4Truncate(V4 a) { return _mm_cvttps_epi32(a); }
static inline V4 v4OfInts(W4 a) { return _mm_cvtepi32_ps(a); }
static inline float v4Lane0(V4 a) { return _mm_cvtss_f32(a); }
static inline V4 v4Upper(V4 a) { return _mm_movehl_ps(a, a); }            // lanes 2 3 …
static inline V4 v4Second(V4 a) { return _mm_shuffle_ps(a, a, 1); }       // lane 1 …
static inline V4 v4ZipLower(V4 a, V4 b) { return _mm_unpacklo_ps(a, b); } // a0 b0 a1 b1
static inline V4 v4ZipUpper(V4 a, V4 b) { return _mm_unpackhi_ps(a, b); }
static inline V4 v4Lowers(V4 a, V4 b) { return _mm_movelh_ps(a, b); } // a0 a1 b0 b1
static inline V4 v4Uppers(V4 a, V4 b) { return _mm_movehl_ps(b, a); } // a2 a3 b2 b3

static inline W4 w4Set(int32_t x) { return _mm_set1_epi32(x); }
static inline W4 w4Of(int32_t a, int32_t b, int32_t c, int32_t d) { return _mm_setr_epi32(a, b, c, d); }
static inline W4 w4Load(const int32_t* p) { return _mm_loadu_si128((const __m128i*)p); }
static inline void w4Store(int32_t* p, W4 a) { _mm_storeu_si128((__m128i*)p, a); }
static inline W4 w4Add(W4 a, W4 b) { return _mm_add_epi32(a, b); }
static inline W4 w4Sub(W4 a, W4 b) { return _mm_sub_epi32(a, b); }
// SSE2 multiplies even lanes only, to 64 bits: shift the odd ones down, and keep the lower words.
static inline W4 w4Mul(W4 a, W4 b)
{
    W4 even = _mm_mul_epu32(a, b), odd = _mm_mul_epu32(_mm_srli_si128(a, 4), _mm_srli_si128(b, 4));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                              _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0)));
}
static inline W4 w4And(W4 a, W4 b) { return _mm_and_si128(a, b); }
static inline W4 w4Or(W4 a, W4 b) { return _mm_or_si128(a, b); }
static inline W4 w4AndNot(W4 a, W4 b) { return _mm_andnot_si128(b, a); } // a and not b
static inline W4 w4Equal(W4 a, W4 b) { return _mm_cmpeq_epi32(a, b); }
static inline W4 w4Greater(W4 a, W4 b) { return _mm_cmpgt_epi32(a, b); }
static inline int w4Bits(W4 m) { return _mm_movemask_ps(v4OfW4(m)); }

#else // WebAssembly
#include <wasm_simd128.h>

// clang (14, at least) makes one instruction of loading a scalar and spreading it over a vector, and then lets it slip
// behind a later store to the same place. A scalar on its way into a vector must stop in a register before. For the
// same reason cmake/wasm.cmake switches the vectorisers off.
#define SETTLE(scalar)                                                                                                 \
    do {                                                                                                               \
        if (!__builtin_constant_p(scalar))                                                                             \
            __asm__("" : "+r"(scalar));                                                                                \
    } while (0)

typedef v128_t V4, W4;
static inline W4 w4OfV4(V4 a) { return a; }
static inline V4 v4OfW4(W4 a) { return a; }

static inline V4 v4Set(float x)
{
    SETTLE(x);
    return wasm_f32x4_splat(x);
}
static inline V4 v4Load(const float* p) { return wasm_v128_load(p); }
static inline V4 v4LoadAligned(const float* p) { return wasm_v128_load(p); }
static inline void v4Store(float* p, V4 a) { wasm_v128_store(p, a); }
static inline void v4StoreAligned(float* p, V4 a) { wasm_v128_store(p, a); }
static inline V4 v4Add(V4 a, V4 b) { return wasm_f32x4_add(a, b); }
static inline V4 v4Sub(V4 a, V4 b) { return wasm_f32x4_sub(a, b); }
static inline V4 v4Mul(V4 a, V4 b) { return wasm_f32x4_mul(a, b); }
static inline V4 v4Div(V4 a, V4 b) { return wasm_f32x4_div(a, b); }
static inline V4 v4Min(V4 a, V4 b) { return wasm_f32x4_pmin(b, a); } // pmin(b, a) = a < b ? a : b
static inline V4 v4Max(V4 a, V4 b) { return wasm_f32x4_pmax(b, a); }
static inline V4 v4Sqrt(V4 a) { return wasm_f32x4_sqrt(a); }
static inline V4 v4Abs(V4 a) { return wasm_f32x4_abs(a); }
static inline V4 v4Neg(V4 a) { return wasm_f32x4_neg(a); }
static inline W4 v4Less(V4 a, V4 b) { return wasm_f32x4_lt(a, b); }
static inline W4 v4LessEqual(V4 a, V4 b) { return wasm_f32x4_le(a, b); }
static inline W4 v4Equal(V4 a, V4 b) { return wasm_f32x4_eq(a, b); }
static inline W4 v4Truncate(V4 a) { return wasm_i32x4_trunc_sat_f32x4(a); }
static inline V4 v4OfInts(W4 a) { return wasm_f32x4_convert_i32x4(a); }
static inline float v4Lane0(V4 a) { return wasm_f32x4_extract_lane(a, 0); }
static inline V4 v4Upper(V4 a) { return wasm_i32x4_shuffle(a, a, 2, 3, 2, 3); }
static inline V4 v4Second(V4 a) { return wasm_i32x4_shuffle(a, a, 1, 1, 1, 1); }
static inline V4 v4ZipLower(V4 a, V4 b) { return wasm_i32x4_shuffle(a, b, 0, 4, 1, 5); }
static inline V4 v4ZipUpper(V4 a, V4 b) { return wasm_i32x4_shuffle(a, b, 2, 6, 3, 7); }
static inline V4 v4Lowers(V4 a, V4 b) { return wasm_i32x4_shuffle(a, b, 0, 1, 4, 5); }
static inline V4 v4Uppers(V4 a, V4 b) { return wasm_i32x4_shuffle(a, b, 2, 3, 6, 7); }

static inline W4 w4Set(int32_t x)
{
    SETTLE(x);
    return wasm_i32x4_splat(x);
}
static inline W4 w4Of(int32_t a, int32_t b, int32_t c, int32_t d) { return wasm_i32x4_make(a, b, c, d); }
static inline W4 w4Load(const int32_t* p) { return wasm_v128_load(p); }
static inline void w4Store(int32_t* p, W4 a) { wasm_v128_store(p, a); }
static inline W4 w4Add(W4 a, W4 b) { return wasm_i32x4_add(a, b); }
static inline W4 w4Sub(W4 a, W4 b) { return wasm_i32x4_sub(a, b); }
static inline W4 w4Mul(W4 a, W4 b) { return wasm_i32x4_mul(a, b); }
static inline W4 w4And(W4 a, W4 b) { return wasm_v128_and(a, b); }
static inline W4 w4Or(W4 a, W4 b) { return wasm_v128_or(a, b); }
static inline W4 w4AndNot(W4 a, W4 b) { return wasm_v128_andnot(a, b); }
static inline W4 w4Equal(W4 a, W4 b) { return wasm_i32x4_eq(a, b); }
static inline W4 w4Greater(W4 a, W4 b) { return wasm_i32x4_gt(a, b); }
static inline int w4Bits(W4 m) { return (int)wasm_i32x4_bitmask(m); }
#endif

static inline W4 w4Select(W4 m, W4 a, W4 b) { return w4Or(w4And(m, a), w4AndNot(b, m)); }

typedef struct F8 {
    V4 lo, hi;
} F8;
typedef struct I8 {
    W4 lo, hi;
} I8;
typedef struct M8 {
    W4 lo, hi; // all bits of a lane or none
} M8;

#define PAIR1(Result, name, A, four)                                                                                   \
    static inline Result name(A a) { return (Result){four(a.lo), four(a.hi)}; }
#define PAIR2(Result, name, A, four)                                                                                   \
    static inline Result name(A a, A b) { return (Result){four(a.lo, b.lo), four(a.hi, b.hi)}; }

PAIR2(F8, f8Add, F8, v4Add)
PAIR2(F8, f8Sub, F8, v4Sub)
PAIR2(F8, f8Mul, F8, v4Mul)
PAIR2(F8, f8Div, F8, v4Div)
PAIR2(F8, f8Min, F8, v4Min)
PAIR2(F8, f8Max, F8, v4Max)
PAIR1(F8, f8Sqrt, F8, v4Sqrt)
PAIR1(F8, f8Abs, F8, v4Abs)
PAIR1(F8, f8Neg, F8, v4Neg)
PAIR2(M8, f8Less, F8, v4Less)
PAIR2(M8, f8LessEqual, F8, v4LessEqual)
PAIR2(M8, f8Equal, F8, v4Equal)
PAIR1(I8, f8Truncate, F8, v4Truncate)
PAIR1(F8, f8FromI8, I8, v4OfInts)
PAIR2(I8, i8Add, I8, w4Add)
PAIR2(I8, i8Sub, I8, w4Sub)
PAIR2(I8, i8Mul, I8, w4Mul)
PAIR2(I8, i8And, I8, w4And)
PAIR2(I8, i8Or, I8, w4Or)
PAIR2(M8, i8Equal, I8, w4Equal)
PAIR2(M8, i8Greater, I8, w4Greater)
PAIR2(M8, m8And, M8, w4And)
PAIR2(M8, m8Or, M8, w4Or)
PAIR2(M8, m8AndNot, M8, w4AndNot)

#undef PAIR1
#undef PAIR2

static inline M8 f8Greater(F8 a, F8 b) { return f8Less(b, a); }
static inline M8 f8GreaterEqual(F8 a, F8 b) { return f8LessEqual(b, a); }
static inline F8 f8Set(float x) { return (F8){v4Set(x), v4Set(x)}; }
static inline F8 f8Load(const float* p) { return (F8){v4Load(p), v4Load(p + 4)}; }
static inline F8 f8Twice(const float* p) { return (F8){v4Load(p), v4Load(p)}; }
static inline F8 f8Halves(float lower, float upper) { return (F8){v4Set(lower), v4Set(upper)}; }
static inline F8 f8LoadAligned(const float* p) { return (F8){v4LoadAligned(p), v4LoadAligned(p + 4)}; }
static inline void f8Store(float* p, F8 a)
{
    v4Store(p, a.lo);
    v4Store(p + 4, a.hi);
}
static inline void f8StoreAligned(float* p, F8 a)
{
    v4StoreAligned(p, a.lo);
    v4StoreAligned(p + 4, a.hi);
}
static inline F8 f8Select(M8 m, F8 a, F8 b)
{
    return (F8){v4OfW4(w4Select(m.lo, w4OfV4(a.lo), w4OfV4(b.lo))), v4OfW4(w4Select(m.hi, w4OfV4(a.hi), w4OfV4(b.hi)))};
}

static inline I8 i8Set(int32_t x) { return (I8){w4Set(x), w4Set(x)}; }
static inline I8 i8Lanes(void) { return (I8){w4Of(0, 1, 2, 3), w4Of(4, 5, 6, 7)}; }
static inline I8 i8Load(const int32_t* p) { return (I8){w4Load(p), w4Load(p + 4)}; }
static inline void i8Store(int32_t* p, I8 a)
{
    w4Store(p, a.lo);
    w4Store(p + 4, a.hi);
}
static inline I8 i8Select(M8 m, I8 a, I8 b) { return (I8){w4Select(m.lo, a.lo, b.lo), w4Select(m.hi, a.hi, b.hi)}; }
static inline I8 i8Min(I8 a, I8 b) { return i8Select(i8Greater(b, a), a, b); }
static inline I8 i8Max(I8 a, I8 b) { return i8Select(i8Greater(a, b), a, b); }

static inline F8 f8Gather(const float* base, I8 i)
{
    int32_t at[8];
    float lanes[8];
    i8Store(at, i);
    for (int k = 0; k < 8; ++k) {
        float x = base[at[k]];
        SETTLE(x);
        lanes[k] = x;
    }
    return f8Load(lanes);
}
static inline I8 i8Gather(const int32_t* base, I8 i)
{
    int32_t at[8], lanes[8];
    i8Store(at, i);
    for (int k = 0; k < 8; ++k) {
        int32_t x = base[at[k]];
        SETTLE(x);
        lanes[k] = x;
    }
    return i8Load(lanes);
}

static inline void v4Transpose(V4 r[4])
{
    V4 a = v4ZipLower(r[0], r[1]), b = v4ZipUpper(r[0], r[1]), c = v4ZipLower(r[2], r[3]), d = v4ZipUpper(r[2], r[3]);
    r[0] = v4Lowers(a, c);
    r[1] = v4Uppers(a, c);
    r[2] = v4Lowers(b, d);
    r[3] = v4Uppers(b, d);
}
static inline void f8Transpose(F8 r[8])
{
    V4 corners[4][4]; // upper left, upper right, lower left, lower right
    for (int k = 0; k < 4; ++k) {
        corners[0][k] = r[k].lo, corners[1][k] = r[k].hi;
        corners[2][k] = r[k + 4].lo, corners[3][k] = r[k + 4].hi;
    }
    for (int c = 0; c < 4; ++c)
        v4Transpose(corners[c]);
    for (int k = 0; k < 4; ++k) {
        r[k] = (F8){corners[0][k], corners[2][k]};
        r[k + 4] = (F8){corners[1][k], corners[3][k]};
    }
}

static inline M8 m8Not(M8 a) { return (M8){w4AndNot(w4Set(-1), a.lo), w4AndNot(w4Set(-1), a.hi)}; }
static inline int m8Bits(M8 m) { return w4Bits(m.lo) | w4Bits(m.hi) << 4; }

#define TREE(name, join)                                                                                               \
    static inline float name(F8 a)                                                                                     \
    {                                                                                                                  \
        V4 four = join(a.lo, a.hi), two = join(four, v4Upper(four));                                                   \
        return v4Lane0(join(two, v4Second(two)));                                                                      \
    }
TREE(f8Sum, v4Add)
TREE(f8Least, v4Min)
TREE(f8Most, v4Max)
#undef TREE
#undef SETTLE

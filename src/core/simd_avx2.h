// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// simd.h in one register of AVX2.
#pragma once

#include <immintrin.h>

typedef struct F8 {
    __m256 v;
} F8;
typedef struct I8 {
    __m256i v;
} I8;
typedef struct M8 {
    __m256 v; // all bits of a lane or none
} M8;

static inline F8 f8Set(float x) { return (F8){_mm256_set1_ps(x)}; }
static inline F8 f8Load(const float* p) { return (F8){_mm256_loadu_ps(p)}; }
static inline F8 f8LoadAligned(const float* p) { return (F8){_mm256_load_ps(p)}; }
static inline F8 f8Twice(const float* p) { return (F8){_mm256_broadcast_ps((const __m128*)p)}; }
static inline F8 f8Halves(float lower, float upper)
{
    return (F8){_mm256_set_m128(_mm_set1_ps(upper), _mm_set1_ps(lower))};
}
static inline void f8Store(float* p, F8 a) { _mm256_storeu_ps(p, a.v); }
static inline void f8StoreAligned(float* p, F8 a) { _mm256_store_ps(p, a.v); }
static inline F8 f8Add(F8 a, F8 b) { return (F8){_mm256_add_ps(a.v, b.v)}; }
static inline F8 f8Sub(F8 a, F8 b) { return (F8){_mm256_sub_ps(a.v, b.v)}; }
static inline F8 f8Mul(F8 a, F8 b) { return (F8){_mm256_mul_ps(a.v, b.v)}; }
static inline F8 f8Div(F8 a, F8 b) { return (F8){_mm256_div_ps(a.v, b.v)}; }
static inline F8 f8Min(F8 a, F8 b) { return (F8){_mm256_min_ps(a.v, b.v)}; }
static inline F8 f8Max(F8 a, F8 b) { return (F8){_mm256_max_ps(a.v, b.v)}; }
static inline F8 f8Sqrt(F8 a) { return (F8){_mm256_sqrt_ps(a.v)}; }
static inline F8 f8Abs(F8 a) { return (F8){_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
static inline F8 f8Neg(F8 a) { return (F8){_mm256_xor_ps(_mm256_set1_ps(-0.0f), a.v)}; }
static inline M8 f8Less(F8 a, F8 b) { return (M8){_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
static inline M8 f8LessEqual(F8 a, F8 b) { return (M8){_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)}; }
static inline M8 f8Greater(F8 a, F8 b) { return (M8){_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)}; }
static inline M8 f8GreaterEqual(F8 a, F8 b) { return (M8){_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)}; }
static inline M8 f8Equal(F8 a, F8 b) { return (M8){_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)}; }
static inline F8 f8Select(M8 m, F8 a, F8 b) { return (F8){_mm256_blendv_ps(b.v, a.v, m.v)}; }
static inline F8 f8Gather(const float* base, I8 i) { return (F8){_mm256_i32gather_ps(base, i.v, 4)}; }
static inline I8 f8Truncate(F8 a) { return (I8){_mm256_cvttps_epi32(a.v)}; }
static inline F8 f8FromI8(I8 a) { return (F8){_mm256_cvtepi32_ps(a.v)}; }

static inline I8 i8Set(int32_t x) { return (I8){_mm256_set1_epi32(x)}; }
static inline I8 i8Lanes(void) { return (I8){_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }
static inline I8 i8Load(const int32_t* p) { return (I8){_mm256_loadu_si256((const __m256i*)p)}; }
static inline void i8Store(int32_t* p, I8 a) { _mm256_storeu_si256((__m256i*)p, a.v); }
static inline I8 i8Add(I8 a, I8 b) { return (I8){_mm256_add_epi32(a.v, b.v)}; }
static inline I8 i8Sub(I8 a, I8 b) { return (I8){_mm256_sub_epi32(a.v, b.v)}; }
static inline I8 i8Mul(I8 a, I8 b) { return (I8){_mm256_mullo_epi32(a.v, b.v)}; }
static inline I8 i8And(I8 a, I8 b) { return (I8){_mm256_and_si256(a.v, b.v)}; }
static inline I8 i8Or(I8 a, I8 b) { return (I8){_mm256_or_si256(a.v, b.v)}; }
static inline I8 i8Min(I8 a, I8 b) { return (I8){_mm256_min_epi32(a.v, b.v)}; }
static inline I8 i8Max(I8 a, I8 b) { return (I8){_mm256_max_epi32(a.v, b.v)}; }
static inline M8 i8Equal(I8 a, I8 b) { return (M8){_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))}; }
static inline M8 i8Greater(I8 a, I8 b) { return (M8){_mm256_castsi256_ps(_mm256_cmpgt_epi32(a.v, b.v))}; }
static inline I8 i8Select(M8 m, I8 a, I8 b) { return (I8){_mm256_blendv_epi8(b.v, a.v, _mm256_castps_si256(m.v))}; }
static inline I8 i8Gather(const int32_t* base, I8 i) { return (I8){_mm256_i32gather_epi32(base, i.v, 4)}; }

static inline void f8Transpose(F8 r[8])
{
    __m256 a[8], b[8];
    for (int k = 0; k < 4; ++k) {
        a[2 * k] = _mm256_unpacklo_ps(r[2 * k].v, r[2 * k + 1].v);
        a[2 * k + 1] = _mm256_unpackhi_ps(r[2 * k].v, r[2 * k + 1].v);
    }
    for (int k = 0; k < 8; k += 4) {
        b[k] = _mm256_shuffle_ps(a[k], a[k + 2], _MM_SHUFFLE(1, 0, 1, 0));
        b[k + 1] = _mm256_shuffle_ps(a[k], a[k + 2], _MM_SHUFFLE(3, 2, 3, 2));
        b[k + 2] = _mm256_shuffle_ps(a[k + 1], a[k + 3], _MM_SHUFFLE(1, 0, 1, 0));
        b[k + 3] = _mm256_shuffle_ps(a[k + 1], a[k + 3], _MM_SHUFFLE(3, 2, 3, 2));
    }
    for (int k = 0; k < 4; ++k) {
        r[k].v = _mm256_permute2f128_ps(b[k], b[k + 4], 0x20);
        r[k + 4].v = _mm256_permute2f128_ps(b[k], b[k + 4], 0x31);
    }
}

static inline M8 m8And(M8 a, M8 b) { return (M8){_mm256_and_ps(a.v, b.v)}; }
static inline M8 m8Or(M8 a, M8 b) { return (M8){_mm256_or_ps(a.v, b.v)}; }
static inline M8 m8AndNot(M8 a, M8 b) { return (M8){_mm256_andnot_ps(b.v, a.v)}; }
static inline M8 m8Not(M8 a) { return (M8){_mm256_andnot_ps(a.v, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))}; }
static inline int m8Bits(M8 m) { return _mm256_movemask_ps(m.v); }

#define TREE(name, join)                                                                                               \
    static inline float name(F8 a)                                                                                     \
    {                                                                                                                  \
        __m128 four = join##_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));                           \
        __m128 two = join##_ps(four, _mm_movehl_ps(four, four));                                                       \
        return _mm_cvtss_f32(join##_ss(two, _mm_shuffle_ps(two, two, 1)));                                             \
    }
TREE(f8Sum, _mm_add)
TREE(f8Least, _mm_min)
TREE(f8Most, _mm_max)
#undef TREE

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// simd.h in plain C: the reference the registers must agree with.
#pragma once

typedef struct F8 {
    float v[8];
} F8;
typedef struct I8 {
    int32_t v[8];
} I8;
typedef struct M8 {
    int32_t v[8]; // 0 or −1
} M8;

// Defines a function whose lane k of the result is `expression`, written in terms of the arguments' lanes x, y.
#define LANES1(Result, name, A, expression)                                                                            \
    static inline Result name(A a)                                                                                     \
    {                                                                                                                  \
        Result r;                                                                                                      \
        for (int k = 0; k < 8; ++k) {                                                                                  \
            __typeof__(a.v[0]) x = a.v[k];                                                                             \
            r.v[k] = (expression);                                                                                     \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define LANES2(Result, name, A, expression)                                                                            \
    static inline Result name(A a, A b)                                                                                \
    {                                                                                                                  \
        Result r;                                                                                                      \
        for (int k = 0; k < 8; ++k) {                                                                                  \
            __typeof__(a.v[0]) x = a.v[k], y = b.v[k];                                                                 \
            r.v[k] = (expression);                                                                                     \
        }                                                                                                              \
        return r;                                                                                                      \
    }

LANES2(F8, f8Add, F8, x + y)
LANES2(F8, f8Sub, F8, x - y)
LANES2(F8, f8Mul, F8, x* y)
LANES2(F8, f8Div, F8, x / y)
LANES2(F8, f8Min, F8, x < y ? x : y)
LANES2(F8, f8Max, F8, x > y ? x : y)
LANES1(F8, f8Sqrt, F8, sqrtf(x))
LANES1(F8, f8Abs, F8, fabsf(x))
LANES1(F8, f8Neg, F8, -x)
LANES2(M8, f8Less, F8, -(x < y))
LANES2(M8, f8LessEqual, F8, -(x <= y))
LANES2(M8, f8Greater, F8, -(x > y))
LANES2(M8, f8GreaterEqual, F8, -(x >= y))
LANES2(M8, f8Equal, F8, -(x == y))
LANES1(I8, f8Truncate, F8, (int32_t)x)
LANES1(F8, f8FromI8, I8, (float)x)
// Through unsigned: int lanes wrap.
LANES2(I8, i8Add, I8, (int32_t)((uint32_t)x + (uint32_t)y))
LANES2(I8, i8Sub, I8, (int32_t)((uint32_t)x - (uint32_t)y))
LANES2(I8, i8Mul, I8, (int32_t)((uint32_t)x*(uint32_t)y))
LANES2(I8, i8And, I8, x& y)
LANES2(I8, i8Or, I8, x | y)
LANES2(I8, i8Min, I8, x < y ? x : y)
LANES2(I8, i8Max, I8, x > y ? x : y)
LANES2(M8, i8Equal, I8, -(x == y))
LANES2(M8, i8Greater, I8, -(x > y))
LANES2(M8, m8And, M8, x& y)
LANES2(M8, m8Or, M8, x | y)
LANES2(M8, m8AndNot, M8, x & ~y)
LANES1(M8, m8Not, M8, ~x)

#undef LANES1
#undef LANES2

static inline F8 f8Set(float x) { return (F8){{x, x, x, x, x, x, x, x}}; }
static inline I8 i8Set(int32_t x) { return (I8){{x, x, x, x, x, x, x, x}}; }
static inline I8 i8Lanes(void) { return (I8){{0, 1, 2, 3, 4, 5, 6, 7}}; }

static inline F8 f8Load(const float* p)
{
    F8 r;
    memcpy(r.v, p, sizeof r.v);
    return r;
}
static inline void f8Store(float* p, F8 a) { memcpy(p, a.v, sizeof a.v); }
static inline F8 f8Twice(const float* p) { return (F8){{p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]}}; }
static inline F8 f8Halves(float lower, float upper)
{
    return (F8){{lower, lower, lower, lower, upper, upper, upper, upper}};
}
static inline F8 f8LoadAligned(const float* p) { return f8Load(p); }
static inline void f8StoreAligned(float* p, F8 a) { f8Store(p, a); }
static inline I8 i8Load(const int32_t* p)
{
    I8 r;
    memcpy(r.v, p, sizeof r.v);
    return r;
}
static inline void i8Store(int32_t* p, I8 a) { memcpy(p, a.v, sizeof a.v); }

static inline F8 f8Gather(const float* base, I8 i)
{
    F8 r;
    for (int k = 0; k < 8; ++k)
        r.v[k] = base[i.v[k]];
    return r;
}
static inline I8 i8Gather(const int32_t* base, I8 i)
{
    I8 r;
    for (int k = 0; k < 8; ++k)
        r.v[k] = base[i.v[k]];
    return r;
}
static inline F8 f8Select(M8 m, F8 a, F8 b)
{
    F8 r;
    for (int k = 0; k < 8; ++k)
        r.v[k] = m.v[k] ? a.v[k] : b.v[k];
    return r;
}
static inline I8 i8Select(M8 m, I8 a, I8 b)
{
    I8 r;
    for (int k = 0; k < 8; ++k)
        r.v[k] = m.v[k] ? a.v[k] : b.v[k];
    return r;
}
static inline void f8Transpose(F8 r[8])
{
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < i; ++k) {
            float x = r[i].v[k];
            r[i].v[k] = r[k].v[i];
            r[k].v[i] = x;
        }
    }
}
static inline int m8Bits(M8 m)
{
    int bits = 0;
    for (int k = 0; k < 8; ++k)
        bits |= (m.v[k] & 1) << k;
    return bits;
}

#define TREE(name, JOIN)                                                                                               \
    static inline float name(F8 a)                                                                                     \
    {                                                                                                                  \
        float four[4], two[2];                                                                                         \
        for (int k = 0; k < 4; ++k)                                                                                    \
            four[k] = JOIN(a.v[k], a.v[k + 4]);                                                                        \
        for (int k = 0; k < 2; ++k)                                                                                    \
            two[k] = JOIN(four[k], four[k + 2]);                                                                       \
        return JOIN(two[0], two[1]);                                                                                   \
    }
#define PLUS(x, y) ((x) + (y))
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y) ((x) > (y) ? (x) : (y))
TREE(f8Sum, PLUS)
TREE(f8Least, LEAST)
TREE(f8Most, MOST)
#undef TREE
#undef PLUS
#undef LEAST
#undef MOST

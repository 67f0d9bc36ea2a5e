// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "test/simd_kernel.h"

#include "core/simd.h"

// NaNs are equal whatever their payload: that alone is not promised.
static uint32_t* putFloat(uint32_t* at, float x)
{
    uint32_t bits = 0x7fc00000;
    if (!isnan(x))
        memcpy(&bits, &x, sizeof bits);
    *at = bits;
    return at + 1;
}

static uint32_t* putF8(uint32_t* at, F8 a)
{
    float lanes[8];
    f8Store(lanes, a);
    for (int k = 0; k < 8; ++k)
        at = putFloat(at, lanes[k]);
    return at;
}

static uint32_t* putI8(uint32_t* at, I8 a)
{
    int32_t lanes[8];
    i8Store(lanes, a);
    memcpy(at, lanes, sizeof lanes);
    return at + 8;
}

static uint32_t* putM8(uint32_t* at, M8 m)
{
    *at = (uint32_t)m8Bits(m);
    return at + 1;
}

int SIMD_NAME(simdBattery)(const float* pa, const float* pb, const float* pc, const float* table, uint32_t* words)
{
    _Alignas(32) float aligned[8];
    F8 a = f8Load(pa), b = f8Load(pb), c = f8Load(pc);
    uint32_t* at = words;
    at = putF8(at, f8Add(a, b));
    at = putF8(at, f8Sub(a, b));
    at = putF8(at, f8Mul(a, b));
    at = putF8(at, f8Div(a, b));
    at = putF8(at, f8Add(f8Mul(a, b), c)); // must not fuse
    at = putF8(at, f8Sub(c, f8Mul(a, b)));
    at = putF8(at, f8Sqrt(a));
    at = putF8(at, f8Min(a, b));
    at = putF8(at, f8Max(a, b));
    at = putF8(at, f8Abs(a));
    at = putF8(at, f8Neg(a));
    f8StoreAligned(aligned, f8Mul(a, f8Set(3.0f)));
    at = putF8(at, f8LoadAligned(aligned));
    at = putF8(at, f8Zero());
    at = putF8(at, f8Twice(pa + 3));
    at = putF8(at, f8Halves(pa[2], pb[5]));

    M8 less = f8Less(a, b), greater = f8Greater(b, c);
    at = putM8(at, less);
    at = putM8(at, greater);
    at = putM8(at, f8LessEqual(a, b));
    at = putM8(at, f8GreaterEqual(a, b));
    at = putM8(at, f8Equal(a, b));
    at = putM8(at, m8And(less, greater));
    at = putM8(at, m8Or(less, greater));
    at = putM8(at, m8AndNot(less, greater));
    at = putM8(at, m8Not(less));
    for (int n = 0; n <= 8; ++n)
        at = putM8(at, m8First(n));
    *at++ = m8Any(less);
    *at++ = m8All(less);
    at = putF8(at, f8Select(less, a, c));

    at = putFloat(at, f8Sum(a));
    at = putFloat(at, f8Least(a));
    at = putFloat(at, f8Most(a));

    F8 inRange = f8Select(f8Less(f8Abs(a), f8Set(0x1p31f)), a, f8Set(-7.75f));
    I8 i = f8Truncate(inRange), j = f8Floor(f8Select(f8Less(f8Abs(b), f8Set(0x1p31f)), b, f8Set(-0.0f)));
    at = putI8(at, i);
    at = putI8(at, j);
    at = putF8(at, f8FromI8(i));
    at = putI8(at, i8Add(i, j));
    at = putI8(at, i8Sub(i, j));
    at = putI8(at, i8Mul(i, j));
    at = putI8(at, i8And(i, j));
    at = putI8(at, i8Or(i, j));
    at = putI8(at, i8Min(i, j));
    at = putI8(at, i8Max(i, j));
    at = putM8(at, i8Equal(i, j));
    at = putM8(at, i8Greater(i, j));
    at = putI8(at, i8Select(less, i, j));
    I8 index = i8And(i, i8Set(63));
    int32_t ints[64];
    memcpy(ints, table, sizeof ints);
    at = putF8(at, f8Gather(table, index));
    at = putI8(at, i8Gather(ints, i8And(i8Mul(index, i8Load(ints + 8)), i8Set(63))));
    at = putI8(at, i8Lanes());
    F8 rows[8];
    for (int k = 0; k < 8; ++k)
        rows[k] = f8Load(table + 8 * k);
    f8Transpose(rows);
    for (int k = 0; k < 8; ++k)
        at = putF8(at, rows[k]);
    return (int)(at - words);
}

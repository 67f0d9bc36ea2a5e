// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"
#include "core/simd.h"
#include "core/vec.h"
#include "test/simd_kernel.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GROUPS 40000

static const float specials[] = {
    0.0f,          -0.0f,          1.0f,     -1.0f,     0.5f,       -0.5f,       1.5f,       -2.5f,      FLT_MAX,
    -FLT_MAX,      FLT_MIN,        -FLT_MIN, 0x1p-149f, -0x1p-140f, 16777216.0f, 8388607.5f, 0x1p30f,    -0x1p30f,
    2147483520.0f, -2147483648.0f, 0x1p31f,  INFINITY,  -INFINITY,  NAN,         1.0000001f, 0.99999994f};

static float anyFloat(Random* random)
{
    if (randomBelow(random, 3) == 0)
        return specials[randomBelow(random, sizeof(specials) / sizeof(specials[0]))];
    float m = 1.0f + randomFloat(random);
    return ldexpf(randomBelow(random, 2) ? m : -m,
                  randomBelow(random, 2) ? randomBelow(random, 280) - 150 : randomBelow(random, 20));
}

static void everyInstructionSetGivesTheSameBits(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    int variants = 0;
    for (int group = 0; group < GROUPS; ++group) {
        float in[24], table[64];
        for (int k = 0; k < 24; ++k)
            in[k] = anyFloat(&random);
        for (int k = 0; k < 64; ++k)
            table[k] = anyFloat(&random);
        if (group % 4 == 0)
            for (int k = 0; k < 4; ++k)
                in[8 + k] = in[k]; // equal lanes
        uint32_t expected[SIMD_BATTERY_WORDS];
        int count = simdBattery_scalar(in, in + 8, in + 16, table, expected);
        assert_in_range(count, 200, SIMD_BATTERY_WORDS);
        variants = 1;
#ifdef SIMD_HAS_AVX2_KERNELS
        uint32_t words[SIMD_BATTERY_WORDS];
        assert_int_equal(simdBattery_sse2(in, in + 8, in + 16, table, words), count);
        assert_memory_equal(words, expected, (size_t)count * sizeof(uint32_t));
        variants = 2;
        if (cpuHasAvx2()) {
            assert_int_equal(simdBattery_avx2(in, in + 8, in + 16, table, words), count);
            assert_memory_equal(words, expected, (size_t)count * sizeof(uint32_t));
            variants = 3;
        }
#elif defined(__wasm_simd128__)
        uint32_t words[SIMD_BATTERY_WORDS];
        assert_int_equal(simdBattery_wasm(in, in + 8, in + 16, table, words), count);
        assert_memory_equal(words, expected, (size_t)count * sizeof(uint32_t));
        variants = 2;
#endif
    }
    print_message("%d variants agree\n", variants);
}

static void minimumAndMaximumGiveTheSecondOfEqualsAndOnNan(void** state)
{
    (void)state;
    const float a[8] = {0.0f, -0.0f, NAN, 1.0f, 2.0f, NAN, -INFINITY, 3.0f};
    const float b[8] = {-0.0f, 0.0f, 1.0f, NAN, 3.0f, NAN, 1.0f, -3.0f};
    float least[8], most[8];
    f8Store(least, f8Min(f8Load(a), f8Load(b)));
    f8Store(most, f8Max(f8Load(a), f8Load(b)));
    for (int k = 0; k < 8; ++k) {
        float min = minF(a[k], b[k]), max = maxF(a[k], b[k]);
        assert_true((isnan(min) && isnan(least[k])) || memcmp(&min, &least[k], 4) == 0);
        assert_true((isnan(max) && isnan(most[k])) || memcmp(&max, &most[k], 4) == 0);
    }
}

static void sumsRunInTheStatedOrder(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    for (int i = 0; i < GROUPS; ++i) {
        float x[8];
        for (int k = 0; k < 8; ++k)
            x[k] = randomRange(&random, -1.0f, 1.0f) * (float)(1 << randomBelow(&random, 20));
        float sum = ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
        assert_true(f8Sum(f8Load(x)) == sum);
    }
}

static void floorAndTruncationMatchTheMathematicalOnes(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    for (int i = 0; i < GROUPS; ++i) {
        float x[8];
        int32_t down[8], toZero[8];
        for (int k = 0; k < 8; ++k)
            x[k] = randomRange(&random, -1.0f, 1.0f) * (float)(1 << randomBelow(&random, 30));
        x[0] = rintf(x[0]);
        i8Store(down, f8Floor(f8Load(x)));
        i8Store(toZero, f8Truncate(f8Load(x)));
        for (int k = 0; k < 8; ++k) {
            assert_int_equal(down[k], (int32_t)floorf(x[k]));
            assert_int_equal(toZero[k], (int32_t)truncf(x[k]));
        }
    }
}

static void transposingExchangesRowsAndLanes(void** state)
{
    (void)state;
    float table[64], column[8];
    for (int k = 0; k < 64; ++k)
        table[k] = (float)k;
    F8 rows[8];
    for (int k = 0; k < 8; ++k)
        rows[k] = f8Load(table + 8 * k);
    f8Transpose(rows);
    for (int k = 0; k < 8; ++k) {
        f8Store(column, rows[k]);
        for (int i = 0; i < 8; ++i)
            assert_true(column[i] == table[8 * i + k]);
    }
}

// A compiler once let the load slip behind the store.
__attribute__((noinline)) static void spreadAndOverwrite(float* at, int32_t* number, float* spread, float* gathered,
                                                         int32_t* numbers)
{
    F8 all = f8Set(*at), some = f8Gather(at, i8Lanes());
    I8 ints = i8Gather(number, i8Lanes()), same = i8Set(*number);
    for (int k = 0; k < 8; ++k) {
        at[k] = -1.0f;
        number[k] = -1;
    }
    f8Store(spread, f8Add(all, all));
    f8Store(gathered, f8Add(some, some));
    i8Store(numbers, i8Add(ints, same));
}

static void whatWasReadBeforeAStoreIsTheOldValue(void** state)
{
    (void)state;
    float at[8], spread[8], gathered[8];
    int32_t number[8], numbers[8];
    for (int k = 0; k < 8; ++k) {
        at[k] = (float)(k + 1);
        number[k] = k + 1;
    }
    spreadAndOverwrite(at, number, spread, gathered, numbers);
    for (int k = 0; k < 8; ++k) {
        assert_true(spread[k] == 2.0f && gathered[k] == 2.0f * (float)(k + 1));
        assert_int_equal(numbers[k], k + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyInstructionSetGivesTheSameBits),
        cmocka_unit_test(minimumAndMaximumGiveTheSecondOfEqualsAndOnNan),
        cmocka_unit_test(whatWasReadBeforeAStoreIsTheOldValue),
        cmocka_unit_test(transposingExchangesRowsAndLanes),
        cmocka_unit_test(sumsRunInTheStatedOrder),
        cmocka_unit_test(floorAndTruncationMatchTheMathematicalOnes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

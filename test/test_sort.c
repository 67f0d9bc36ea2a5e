// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"
#include "core/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 600

static int compareKeys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static int compareInts(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static void keys_are_sorted_as_qsort_does(void** unused)
{
    (void)unused;
    uint64_t keys[MOST], scratch[MOST], expected[MOST];
    Random random = randomSeed(1);
    for (int trial = 0; trial < 2000; ++trial) {
        int count = randomBelow(&random, trial % 2 ? MOST : 60);
        uint64_t mask = randomBits(&random) & randomBits(&random); // some bytes hardly differ
        if (trial % 5 == 0)
            mask &= 0x00ff00000000ff00u;
        for (int i = 0; i < count; ++i)
            keys[i] = expected[i] = randomBits(&random) & mask;
        qsort(expected, (size_t)count, sizeof *expected, compareKeys);
        sortKeys(keys, scratch, count);
        assert_memory_equal(keys, expected, sizeof *keys * (size_t)count);
    }
}

static void ints_are_sorted_as_qsort_does(void** unused)
{
    (void)unused;
    int values[MOST], expected[MOST];
    Random random = randomSeed(2);
    for (int trial = 0; trial < 2000; ++trial) {
        int count = randomBelow(&random, trial % 2 ? MOST : 8), range = 1 + randomBelow(&random, 1000);
        for (int i = 0; i < count; ++i)
            values[i] = expected[i] = randomBelow(&random, range) - range / 2;
        qsort(expected, (size_t)count, sizeof *expected, compareInts);
        sortInts(values, count);
        assert_memory_equal(values, expected, sizeof *values * (size_t)count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_sorted_as_qsort_does),
        cmocka_unit_test(ints_are_sorted_as_qsort_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

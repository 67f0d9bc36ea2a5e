// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/hash.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fill(uint8_t* bytes, int count, uint64_t seed)
{
    Random random = randomSeed(seed);
    for (int i = 0; i < count; ++i)
        bytes[i] = (uint8_t)randomBits(&random);
}

static void theValueDoesNotDependOnHowTheStreamIsCut(void** state)
{
    (void)state;
    uint8_t bytes[300];
    Random random = randomSeed(7);
    for (int trial = 0; trial < 5000; ++trial) {
        int count = randomBelow(&random, 300);
        fill(bytes, count, randomBits(&random));
        Hash hash = hashStart(trial);
        for (int at = 0; at < count;) {
            int piece = 1 + randomBelow(&random, 80);
            piece = minI(piece, count - at);
            hashBytes(&hash, bytes + at, (size_t)piece);
            at += piece;
            if (randomBelow(&random, 4) == 0)
                (void)hashValue(&hash); // asking changes nothing
        }
        assert_true(hashValue(&hash) == hashOf(bytes, (size_t)count, (uint64_t)trial));
    }
}

static void everyBitOfTheInputMovesAboutHalfOfTheOutput(void** state)
{
    (void)state;
    uint8_t bytes[129];
    fill(bytes, sizeof bytes, 9);
    int moved[64] = {0}, flips = 0;
    for (size_t count = 1; count < sizeof bytes; count += 8) {
        uint64_t whole = hashOf(bytes, count, 0);
        for (size_t bit = 0; bit < 8 * count; ++bit) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            uint64_t difference = whole ^ hashOf(bytes, count, 0);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            int ones = 0;
            for (int i = 0; i < 64; ++i) {
                moved[i] += (int)(difference >> i & 1);
                ones += (int)(difference >> i & 1);
            }
            assert_in_range(ones, 10, 54);
            ++flips;
        }
    }
    for (int i = 0; i < 64; ++i)
        assert_in_range(moved[i], flips * 47 / 100, flips * 53 / 100);
}

static int byValue(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

static void structuredInputsDoNotCollide(void** state)
{
    (void)state;
    static uint64_t values[200000];
    static const uint8_t zeros[1000];
    int count = 0;
    for (size_t n = 0; n < 1000; ++n)
        values[count++] = hashOf(zeros, n, 0); // runs of zeros of all lengths
    for (uint64_t seed = 1; seed <= 1000; ++seed)
        values[count++] = hashOf(NULL, 0, seed);
    while (count < 200000) { // small floats on a grid, as in meshes
        Hash hash = hashStart(0);
        hashF32(&hash, (float)(count % 64));
        hashF32(&hash, (float)(count / 64 % 64));
        hashF32(&hash, (float)(count / 4096));
        values[count++] = hashValue(&hash);
    }
    qsort(values, (size_t)count, sizeof values[0], byValue);
    for (int i = 1; i < count; ++i)
        assert_true(values[i - 1] != values[i]);
}

static void valuesAreTheGoldenOnes(void** state)
{
    (void)state;
    uint8_t bytes[1000];
    for (int i = 0; i < 1000; ++i)
        bytes[i] = (uint8_t)(i * 7);
    assert_true(hashOf(NULL, 0, 0) == 0xbef0cb28c82d90aeu);
    assert_true(hashOf("sherd", 5, 0) == 0xcb2c39369125b4edu);
    assert_true(hashOf(bytes, 1000, 0) == 0xd8922d14da083b2cu);
    assert_true(hashOf(bytes, 1000, 1) == 0x9174a27ab8096dedu);
}

static void numbersAreHashedLeastSignificantByteFirst(void** state)
{
    (void)state;
    const uint8_t bytes[] = {0x04, 0x03, 0x02, 0x01, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0, 0, 0x80, 0x3f};
    Hash hash = hashStart(3);
    hashU32(&hash, 0x01020304);
    hashU64(&hash, 0x1112131415161718);
    hashF32(&hash, 1.0f);
    assert_true(hashValue(&hash) == hashOf(bytes, sizeof bytes, 3));
    hashF64(&hash, -2.0);
    assert_true(hash.length == 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theValueDoesNotDependOnHowTheStreamIsCut),
        cmocka_unit_test(everyBitOfTheInputMovesAboutHalfOfTheOutput),
        cmocka_unit_test(structuredInputsDoNotCollide),
        cmocka_unit_test(valuesAreTheGoldenOnes),
        cmocka_unit_test(numbersAreHashedLeastSignificantByteFirst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

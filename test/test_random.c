// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define DRAWS 200000

static void equalSeedsGiveTheGoldenSequence(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    assert_true(randomBits(&random) == 0x910a2dec89025cc1u);
    assert_true(randomBits(&random) == 0xbeeb8da1658eec67u);
    assert_int_equal(randomBelow(&random, 1000), 971);
    Random copy = random;
    assert_true(randomNormal(&random) == randomNormal(&copy));
    assert_true(random.state == copy.state);
}

static void itemsOfASeedAreUnrelated(void** state)
{
    (void)state;
    double sum = 0.0, product = 0.0;
    for (uint64_t i = 0; i < DRAWS; ++i) {
        Random a = randomSeedItem(5, i), b = randomSeedItem(5, i + 1), c = randomSeedItem(6, i);
        double x = randomDouble(&a) - 0.5, y = randomDouble(&b) - 0.5, z = randomDouble(&c) - 0.5;
        sum += x;
        product += x * y + x * z;
    }
    assert_true(fabs(sum / DRAWS) < 0.005);
    assert_true(fabs(product / DRAWS) < 0.002);
}

static void numbersBelowNAreUniform(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    for (int n = 1; n < 20; n += 3) {
        int seen[20] = {0};
        for (int i = 0; i < DRAWS; ++i) {
            int k = randomBelow(&random, n);
            assert_in_range(k, 0, n - 1);
            ++seen[k];
        }
        double expected = (double)DRAWS / n;
        for (int k = 0; k < n; ++k)
            assert_true(fabs(seen[k] - expected) <= 5.0 * sqrt(expected));
    }
    // 3 · 2^29 goes 8/3 times into 2^32: without refusal every third number comes up 2 times for 3 of the others.
    int rest[3] = {0};
    for (int i = 0; i < DRAWS; ++i)
        ++rest[randomBelow(&random, 0x60000000) % 3];
    for (int k = 0; k < 3; ++k)
        assert_true(fabs(rest[k] - DRAWS / 3.0) < 5.0 * sqrt(DRAWS / 3.0));
    assert_in_range(randomBelow(&random, INT32_MAX), 0, INT32_MAX - 1);
}

static void fractionsAreUniformInTheHalfOpenUnitInterval(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < DRAWS; ++i) {
        float f = randomFloat(&random);
        double d = randomDouble(&random);
        assert_true(f >= 0.0f && f < 1.0f && d >= 0.0 && d < 1.0);
        sum += (double)f + d;
        squares += (double)f * (double)f + d * d;
        float r = randomRange(&random, -2.0f, 3.0f);
        double rd = randomRangeD(&random, 1.0, 1.5);
        assert_true(r >= -2.0f && r <= 3.0f && rd >= 1.0 && rd <= 1.5);
    }
    assert_true(fabs(sum / (2.0 * DRAWS) - 0.5) < 0.003);
    assert_true(fabs(squares / (2.0 * DRAWS) - 1.0 / 3.0) < 0.003);
}

static void normalDeviatesHaveTheMomentsOfTheNormalLaw(void** state)
{
    (void)state;
    Random random = randomSeed(4);
    double m1 = 0.0, m2 = 0.0, m4 = 0.0;
    for (int i = 0; i < DRAWS; ++i) {
        double x = randomNormal(&random), x2 = x * x;
        m1 += x, m2 += x2, m4 += x2 * x2;
    }
    assert_true(fabs(m1 / DRAWS) < 0.012);
    assert_true(fabs(m2 / DRAWS - 1.0) < 0.016);
    assert_true(fabs(m4 / DRAWS - 3.0) < 0.12);
}

static void directionsAndRotationsAreUnitAndIsotropic(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    DVec3 sum = {0.0, 0.0, 0.0}, squares = sum, turned = sum;
    for (int i = 0; i < DRAWS; ++i) {
        DVec3 d = randomDirection(&random);
        assert_true(fabs(dLength(d) - 1.0) < 1e-15);
        sum = dAdd(sum, d);
        squares = dAdd(squares, dvec3(d.x * d.x, d.y * d.y, d.z * d.z));
        shQuat q = randomRotation(&random);
        assert_true(fabsf(vLength2(q.v) + q.s * q.s - 1.0f) < 3e-7f);
        turned = dAdd(turned, dFromV(qRotate(q, vec3(0.6f, 0.0f, 0.8f))));
        assert_true(dLength(randomInBall(&random)) < 1.0);
    }
    assert_true(dLength(sum) / DRAWS < 0.01);
    assert_true(dLength(turned) / DRAWS < 0.01);
    assert_true(fabs(squares.x / DRAWS - 1.0 / 3.0) < 0.004);
    assert_true(fabs(squares.z / DRAWS - 1.0 / 3.0) < 0.004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equalSeedsGiveTheGoldenSequence),
        cmocka_unit_test(itemsOfASeedAreUnrelated),
        cmocka_unit_test(numbersBelowNAreUniform),
        cmocka_unit_test(fractionsAreUniformInTheHalfOpenUnitInterval),
        cmocka_unit_test(normalDeviatesHaveTheMomentsOfTheNormalLaw),
        cmocka_unit_test(directionsAndRotationsAreUnitAndIsotropic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

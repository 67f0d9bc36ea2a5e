// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"
#include "core/trig.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CASES 60000

// |value − exact| in units of the last place of a double of exact's size. The C library's long double
// functions have 11 bits more than we need.
static double ulps(double value, long double exact)
{
    if (isnan(value) || isinf(value))
        return isnan(value) == isnan((double)exact) && (isnan(value) || value == (double)exact) ? 0.0 : 1e30;
    int e;
    frexpl(exact, &e);
    long double unit = ldexpl(1.0L, e - 53 < -1074 ? -1074 : e - 53);
    return (double)(fabsl((long double)value - exact) / unit);
}

static bool sameBits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static double max2(double a, double b) { return a > b ? a : b; }

// A number of any size, either sign.
static double anySize(Random* random, double minExponent, double maxExponent)
{
    double e = minExponent + (maxExponent - minExponent) * randomDouble(random);
    double m = 1.0 + randomDouble(random);
    return ldexp(randomBelow(random, 2) ? m : -m, (int)e);
}

static void sineAndCosineAreWithinOneUlpUpToAMillion(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    double worstSin = 0.0, worstCos = 0.0, worstTan = 0.0;
    for (int i = 0; i < 3 * CASES; ++i) {
        double x = i % 3 == 0   ? randomDouble(&random) * 20.0 - 10.0
                   : i % 3 == 1 ? anySize(&random, -40.0, 20.0)
                                : nearbyint(randomDouble(&random) * 600000.0) * TRIG_HALF_PI; // where they vanish
        if (fabs(x) > 1e6)
            continue;
        worstSin = max2(worstSin, ulps(trigSin(x), sinl((long double)x)));
        worstCos = max2(worstCos, ulps(trigCos(x), cosl((long double)x)));
        worstTan = max2(worstTan, ulps(trigTan(x), tanl((long double)x)));
    }
    print_message("sin %.3f cos %.3f tan %.3f ulp\n", worstSin, worstCos, worstTan);
    assert_true(worstSin <= 1.0);
    assert_true(worstCos <= 1.0);
    assert_true(worstTan <= 2.5);
}

static void sineStaysBoundedForAnyFiniteArgument(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    for (int i = 0; i < CASES; ++i) {
        double x = anySize(&random, 20.0, 1023.9), s, c;
        trigSinCos(x, &s, &c);
        assert_true(fabs(s) <= 1.0 && fabs(c) <= 1.0);
        if (fabs(x) < 1e9)
            assert_true(fabs(s - sin(x)) < 1e-6);
    }
    assert_true(isnan(trigSin((double)INFINITY)) && isnan(trigCos(-(double)INFINITY)) && isnan(trigTan((double)NAN)));
    assert_true(sameBits(trigSin(-0.0), -0.0));
    assert_true(trigCos(0.0) == 1.0);
}

static void arcFunctionsAreWithinTwoUlp(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    double worst2 = 0.0, worst1 = 0.0, worstSin = 0.0, worstCos = 0.0;
    for (int i = 0; i < 2 * CASES; ++i) {
        double limit = i % 2 == 0 ? 3.0 : 1000.0;
        double y = anySize(&random, -limit, limit), x = anySize(&random, -limit, limit);
        worst2 = max2(worst2, ulps(trigAtan2(y, x), atan2l((long double)y, (long double)x)));
        worst1 = max2(worst1, ulps(trigAtan(y), atanl((long double)y)));
        double unit = 2.0 * randomDouble(&random) - 1.0;
        if (i % 3 == 0)
            unit = 1.0 - fabs(anySize(&random, -53.0, -1.1));
        worstSin = max2(worstSin, ulps(trigAsin(unit), asinl((long double)unit)));
        worstCos = max2(worstCos, ulps(trigAcos(unit), acosl((long double)unit)));
    }
    print_message("atan2 %.3f atan %.3f asin %.3f acos %.3f ulp\n", worst2, worst1, worstSin, worstCos);
    assert_true(worst2 <= 2.0);
    assert_true(worst1 <= 2.0);
    assert_true(worstSin <= 2.0);
    assert_true(worstCos <= 2.0);
}

static void arcFunctionsFollowTheStandardAtSpecialValues(void** state)
{
    (void)state;
    const double inf = (double)INFINITY;
    const double values[] = {0.0, -0.0, 1.0, -1.0, inf, -inf, DBL_MAX, -DBL_MAX, DBL_MIN, -0x1p-1074, 0x1p-1074};
    const int count = sizeof(values) / sizeof(values[0]);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            double ours = trigAtan2(values[i], values[j]);
            assert_true(ulps(ours, atan2l((long double)values[i], (long double)values[j])) <= 1.0);
            assert_true(signbit(ours) == signbit(values[i]));
        }
    assert_true(isnan(trigAtan2((double)NAN, 1.0)) && isnan(trigAtan2(1.0, (double)NAN)));
    assert_true(isnan(trigAsin(1.0000001)) && isnan(trigAcos(-1.0000001)));
    assert_true(trigAcos(1.0) == 0.0 && trigAcos(-1.0) == TRIG_PI && trigAsin(1.0) == TRIG_HALF_PI);
}

static void exponentialAndLogarithmAreWithinOneUlp(void** state)
{
    (void)state;
    Random random = randomSeed(4);
    double worstExp = 0.0, worstLog = 0.0, worstCbrt = 0.0;
    for (int i = 0; i < 2 * CASES; ++i) {
        double x = i % 2 == 0 ? randomDouble(&random) * 1460.0 - 748.0 : anySize(&random, -60.0, 3.0);
        worstExp = max2(worstExp, ulps(trigExp(x), expl((long double)x)));
        double p = i % 2 == 0 ? fabs(anySize(&random, -1074.0, 1023.9)) : 0.5 + 1.5 * randomDouble(&random);
        if (i % 8 == 1)
            p = 1.0 + anySize(&random, -53.0, -4.0);
        worstLog = max2(worstLog, ulps(trigLog(p), logl((long double)p)));
        double any = anySize(&random, -1074.0, 1023.9);
        worstCbrt = max2(worstCbrt, ulps(trigCbrt(any), cbrtl((long double)any)));
    }
    print_message("exp %.3f log %.3f cbrt %.3f ulp\n", worstExp, worstLog, worstCbrt);
    assert_true(worstExp <= 1.0);
    assert_true(worstLog <= 1.0);
    assert_true(worstCbrt <= 1.0);
    assert_true(trigExp(-(double)INFINITY) == 0.0 && isinf(trigExp((double)INFINITY)) && isnan(trigExp((double)NAN)));
    assert_true(isinf(trigExp(709.79)) && trigExp(-746.0) == 0.0 && trigExp(0.0) == 1.0);
    assert_true(trigLog(0.0) == -(double)INFINITY && isnan(trigLog(-1.0)) && trigLog(1.0) == 0.0);
    assert_true(isinf(trigLog((double)INFINITY)) && isnan(trigLog((double)NAN)));
    assert_true(trigCbrt(27.0) == 3.0 && trigCbrt(-8.0) == -2.0 && sameBits(trigCbrt(-0.0), -0.0));
}

static void powersAreWithinOneUlp(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    double worst = 0.0;
    for (int i = 0; i < 2 * CASES; ++i) {
        double x = i % 2 == 0 ? fabs(anySize(&random, -1074.0, 1023.9)) : 0.5 + randomDouble(&random);
        double limit = 745.0 / (fabs(log(x)) + 1e-3), y = limit * (2.0 * randomDouble(&random) - 1.0);
        worst = max2(worst, ulps(trigPow(x, y), powl((long double)x, (long double)y)));
    }
    print_message("pow %.3f ulp\n", worst);
    assert_true(worst <= 1.0);
}

static void powersFollowTheStandardAtSpecialValues(void** state)
{
    (void)state;
    const double inf = (double)INFINITY;
    const double values[] = {0.0,     -0.0,  1.0,    -1.0,         0.5,         -0.5,    2.0,     -2.0,
                             3.0,     -3.0,  2.5,    inf,          -inf,        DBL_MAX, DBL_MIN, 1e9,
                             -1e-300, 1e-20, 0x1p60, 0x1p53 - 1.0, (double)NAN, 1e300};
    const int count = sizeof(values) / sizeof(values[0]);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            double ours = trigPow(values[i], values[j]), theirs = pow(values[i], values[j]);
            assert_true(isnan(ours) == isnan(theirs));
            if (!isnan(ours)) {
                assert_true(signbit(ours) == signbit(theirs));
                assert_true(ulps(ours, (long double)theirs) <= 2.0);
            }
        }
}

static void resultsAreTheGoldenBits(void** state)
{
    (void)state;
    Random random = randomSeed(6);
    uint64_t sum = 0;
    for (int i = 0; i < 1000; ++i) {
        double x = anySize(&random, -30.0, 9.0), y = anySize(&random, -30.0, 9.0);
        const double results[] = {trigSin(x),           trigCos(x),          trigTan(x),          trigAtan2(y, x),
                                  trigExp(x),           trigLog(fabs(x)),    trigPow(fabs(x), y), trigCbrt(x),
                                  trigAsin(x / 1024.0), trigAcos(y / 1024.0)};
        for (int k = 0; k < 10; ++k) {
            uint64_t bits;
            memcpy(&bits, &results[k], sizeof bits);
            sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
            sum ^= sum >> 29;
        }
    }
    assert_true(sum == 0x7bf4aecf509375bau);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sineAndCosineAreWithinOneUlpUpToAMillion),
        cmocka_unit_test(sineStaysBoundedForAnyFiniteArgument),
        cmocka_unit_test(arcFunctionsAreWithinTwoUlp),
        cmocka_unit_test(arcFunctionsFollowTheStandardAtSpecialValues),
        cmocka_unit_test(exponentialAndLogarithmAreWithinOneUlp),
        cmocka_unit_test(powersAreWithinOneUlp),
        cmocka_unit_test(powersFollowTheStandardAtSpecialValues),
        cmocka_unit_test(resultsAreTheGoldenBits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

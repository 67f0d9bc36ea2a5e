// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/eigen.h"
#include "core/quat.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CASES 20000

// Rᵀ diag(l) R, the rows of R being the axes.
static DMat3 compose(DMat3 axes, DVec3 l)
{
    DMat3 scaled = {dScale(l.x, axes.r0), dScale(l.y, axes.r1), dScale(l.z, axes.r2)};
    DMat3 m = dmMulM(dmTranspose(axes), scaled);
    m.r1.x = m.r0.y, m.r2.x = m.r0.z, m.r2.y = m.r1.z; // rounding aside, it is symmetric
    return m;
}

static double residual(DMat3 m, double value, DVec3 axis) { return dLength(dSub(dmMul(m, axis), dScale(value, axis))); }

static void checkFrame(DMat3 axes)
{
    DMat3 gram = dmMulM(axes, dmTranspose(axes));
    assert_true(dLength(dSub(gram.r0, dAxis(0))) < 2e-15);
    assert_true(dLength(dSub(gram.r1, dAxis(1))) < 2e-15);
    assert_true(dLength(dSub(gram.r2, dAxis(2))) < 2e-15);
    assert_true(dmDeterminant(axes) > 0.9999999);
    assert_true(dGet(axes.r0, dLargestAxis(axes.r0)) > 0.0);
    assert_true(dGet(axes.r1, dLargestAxis(axes.r1)) > 0.0);
}

static void knownEigenvaluesAndAxesComeBack(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    for (int i = 0; i < CASES; ++i) {
        double scale = trigPow(10.0, randomRangeD(&random, -12.0, 12.0)); // from pebbles to walls
        double a = randomRangeD(&random, -1.0, 1.0), b = a + randomRangeD(&random, 1e-3, 1.0);
        double c = b + randomRangeD(&random, 1e-3, 1.0);
        DVec3 l = {a * scale, b * scale, c * scale};
        DMat3 axes = dqToMat(dqNormalize(dqFromQ(randomRotation(&random))));
        DMat3 m = compose(axes, l);
        Eigen3 e = eigenSymmetric(m);
        double size = maxD(fabs(l.x), fabs(l.z));
        assert_true(fabs(e.values.x - l.x) < 4e-15 * size);
        assert_true(fabs(e.values.y - l.y) < 4e-15 * size);
        assert_true(fabs(e.values.z - l.z) < 4e-15 * size);
        checkFrame(e.axes);
        assert_true(fabs(dDot(e.axes.r0, axes.r0)) > 1.0 - 1e-12);
        assert_true(fabs(dDot(e.axes.r1, axes.r1)) > 1.0 - 1e-12);
        assert_true(residual(m, e.values.x, e.axes.r0) < 4e-15 * size);
        assert_true(residual(m, e.values.y, e.axes.r1) < 4e-15 * size);
        assert_true(residual(m, e.values.z, e.axes.r2) < 4e-15 * size);
    }
}

static void thinRodsKeepTheirSmallMoment(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    for (int i = 0; i < CASES; ++i) {
        DVec3 l = {1e-6, 1.0, 1.0 + randomDouble(&random)};
        DMat3 m = compose(dqToMat(dqNormalize(dqFromQ(randomRotation(&random)))), l);
        assert_true(fabs(eigenSymmetric(m).values.x - l.x) < 2e-15);
    }
}

static void repeatedEigenvaluesGiveTheAxesNearestToTheCoordinates(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    for (int i = 0; i < CASES; ++i) {
        DMat3 axes = dqToMat(dqNormalize(dqFromQ(randomRotation(&random))));
        bool low = randomBelow(&random, 2) != 0;
        DVec3 l = low ? (DVec3){1.0, 1.0, 3.0} : (DVec3){1.0, 3.0, 3.0};
        DMat3 m = compose(axes, l);
        Eigen3 e = eigenSymmetric(m);
        checkFrame(e.axes);
        assert_true(residual(m, e.values.x, e.axes.r0) < 1e-11);
        assert_true(residual(m, e.values.y, e.axes.r1) < 1e-11);
        assert_true(residual(m, e.values.z, e.axes.r2) < 1e-11);
        // Noise on the level of rounding must not turn the frame.
        m.r0.x += 1e-15, m.r1.z -= 1e-15;
        Eigen3 other = eigenSymmetric(m);
        assert_true(dDistance(e.axes.r0, other.axes.r0) < 1e-12 || dDistance(e.axes.r0, dNeg(other.axes.r0)) < 1e-12);
    }
    Eigen3 cube = eigenSymmetric((DMat3){{2.0, 1e-16, 0.0}, {1e-16, 2.0, -1e-16}, {0.0, -1e-16, 2.0 + 4e-16}});
    DMat3 identity = dmIdentity();
    assert_memory_equal(&cube.axes, &identity, sizeof identity);
}

static void diagonalAndZeroMatricesAreExact(void** state)
{
    (void)state;
    Eigen3 e = eigenSymmetric((DMat3){{3.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 2.0}});
    assert_true(e.values.x == 1.0 && e.values.y == 2.0 && e.values.z == 3.0);
    assert_true(e.axes.r0.y == 1.0 && e.axes.r1.z == 1.0 && e.axes.r2.x == 1.0);
    Eigen3 zero = eigenSymmetric((DMat3){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    assert_true(zero.values.z == 0.0 && zero.axes.r2.z == 1.0);
    Eigen3 huge = eigenSymmetric((DMat3){{1e300, 1e300, 0.0}, {1e300, 1e300, 0.0}, {0.0, 0.0, 1e-300}});
    assert_true(fabs(huge.values.z / 2e300 - 1.0) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knownEigenvaluesAndAxesComeBack),
        cmocka_unit_test(thinRodsKeepTheirSmallMoment),
        cmocka_unit_test(repeatedEigenvaluesGiveTheAxesNearestToTheCoordinates),
        cmocka_unit_test(diagonalAndZeroMatricesAreExact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

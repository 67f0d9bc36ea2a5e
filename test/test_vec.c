// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/quat.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CASES 20000

static DVec3 anyVector(Random* random)
{
    return dScale(trigExp(randomRangeD(random, -9.0, 9.0)), randomDirection(random));
}
static DQuat anyRotation(Random* random) { return dqNormalize(dqFromQ(randomRotation(random))); }

static double quatDistance(DQuat a, DQuat b) // of rotations: q and −q are one
{
    double plus = dLength2(dSub(a.v, b.v)) + (a.s - b.s) * (a.s - b.s);
    double minus = dLength2(dAdd(a.v, b.v)) + (a.s + b.s) * (a.s + b.s);
    return sqrt(minD(plus, minus));
}

static void crossAndDotObeyTheirIdentities(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    for (int i = 0; i < CASES; ++i) {
        DVec3 a = anyVector(&random), b = anyVector(&random), c = dCross(a, b);
        double la = dLength(a), lb = dLength(b);
        assert_true(fabs(dDot(a, c)) <= 1e-15 * la * la * lb);
        assert_true(fabs(dLength2(c) + dDot(a, b) * dDot(a, b) - la * la * lb * lb) <= 2e-15 * la * la * lb * lb);
        assert_true(fabs(dDot(dPerpendicular(a), a)) <= 1e-15 * la);
        assert_true(fabs(dLength(dPerpendicular(a)) - 1.0) < 1e-15);
        assert_true(fabs(dLength(dNormalize(a)) - 1.0) < 1e-15);
    }
    assert_true(dLength(dNormalize(dvec3(0.0, 0.0, 0.0))) == 0.0);
    assert_true(dOrient(dvec3(0, 0, 0), dvec3(1, 0, 0), dvec3(0, 1, 0), dvec3(0, 0, 1)) == 1.0);
}

static void minimumAndMaximumGiveTheSecondOperandOnNan(void** state)
{
    (void)state;
    assert_true(minF(NAN, 1.0f) == 1.0f && maxF(NAN, 1.0f) == 1.0f);
    assert_true(isnan(minF(1.0f, NAN)) && isnan(maxF(1.0f, NAN)));
    assert_true(signbit(minF(0.0f, -0.0f)) && !signbit(minF(-0.0f, 0.0f)));
    assert_true(clampF(2.0f, 0.0f, 1.0f) == 1.0f && clampF(-2.0f, 0.0f, 1.0f) == 0.0f);
}

static void rotatingByAQuaternionAndByItsMatrixAgree(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    for (int i = 0; i < CASES; ++i) {
        DQuat q = anyRotation(&random);
        DMat3 m = dqToMat(q);
        DVec3 a = randomDirection(&random), turned = dqRotate(q, a);
        assert_true(dDistance(turned, dmMul(m, a)) < 3e-15);
        assert_true(dDistance(dqUnrotate(q, turned), a) < 3e-15);
        assert_true(fabs(dmDeterminant(m) - 1.0) < 3e-15);
        DQuat back = dqFromMat(m);
        assert_true(back.s >= 0.0 && quatDistance(q, back) < 2e-15);
        Vec3 single = qRotate(qFromDq(q), vFromD(a));
        assert_true(dDistance(dFromV(single), turned) < 1e-6);
    }
}

static void quaternionsOfExactHalfTurnsComeBackFromMatrices(void** state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        DQuat q = {dAxis(axis), 0.0};
        assert_true(quatDistance(dqFromMat(dqToMat(q)), q) == 0.0);
    }
    assert_true(quatDistance(dqFromMat(dmIdentity()), dqIdentity()) == 0.0);
}

static void axisAndAngleTurnByThatAngle(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    for (int i = 0; i < CASES; ++i) {
        DVec3 axis = anyVector(&random), n = dNormalize(axis), p = dPerpendicular(n);
        double angle = randomRangeD(&random, -3.14, 3.14);
        DVec3 turned = dqRotate(dqFromAxisAngle(axis, angle), p);
        assert_true(fabs(trigAtan2(dDot(dCross(p, turned), n), dDot(p, turned)) - angle) < 2e-15);
        assert_true(dDistance(dqRotate(dqFromAxisAngle(axis, angle), n), n) < 1e-15);
    }
    assert_true(qFromAxisAngle(vec3(0.0f, 0.0f, 0.0f), 1.0f).s == 1.0f);
}

static void productsOfRotationsApplyTheSecondFirst(void** state)
{
    (void)state;
    Random random = randomSeed(4);
    for (int i = 0; i < CASES; ++i) {
        DQuat a = anyRotation(&random), b = anyRotation(&random);
        DVec3 p = randomDirection(&random);
        assert_true(dDistance(dqRotate(dqMul(a, b), p), dqRotate(a, dqRotate(b, p))) < 3e-15);
        shTransform x = {vFromD(randomDirection(&random)), qFromDq(a)};
        shTransform y = {vFromD(randomDirection(&random)), qFromDq(b)};
        Vec3 v = vFromD(p);
        assert_true(vDistance(xformPoint(xformMul(x, y), v), xformPoint(x, xformPoint(y, v))) < 2e-6f);
        assert_true(vDistance(xformPoint(xformInverse(x), xformPoint(x, v)), v) < 2e-6f);
        assert_true(vDistance(xformUnpoint(x, xformPoint(x, v)), v) < 2e-6f);
    }
}

static void theRotationBetweenTwoDirectionsTakesOneToTheOther(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    for (int i = 0; i < CASES; ++i) {
        DVec3 a = randomDirection(&random), b = randomDirection(&random);
        if (i % 2 == 1) // nearly opposite or nearly equal, down to nothing
            b = dNormalize(dMad(i % 4 == 1 ? a : dNeg(a), trigExp(randomRangeD(&random, -40.0, 0.0)), b));
        DQuat q = dqBetween(dScale(3.0, a), b);
        assert_true(dDistance(dqRotate(q, a), b) < 3e-12);
        assert_true(fabs(dLength2(q.v) + q.s * q.s - 1.0) < 2e-15);
        assert_true(q.s >= 0.0); // the short way
    }
    DQuat half = dqBetween(dAxis(0), dNeg(dAxis(0)));
    assert_true(dDistance(dqRotate(half, dAxis(0)), dNeg(dAxis(0))) == 0.0);
}

static void boxesGrowAndMeasureDistance(void** state)
{
    (void)state;
    Random random = randomSeed(6);
    for (int i = 0; i < CASES; ++i) {
        shBox box = boxEmpty();
        for (int k = 0; k < 4; ++k)
            box = boxAdd(box, vFromD(randomDirection(&random)));
        Vec3 p = vScale(2.0f, vFromD(randomDirection(&random)));
        Vec3 nearest = {clampF(p.x, box.lower.x, box.upper.x), clampF(p.y, box.lower.y, box.upper.y),
                        clampF(p.z, box.lower.z, box.upper.z)};
        assert_true(boxDistance2(box, p) == vDistance2(p, nearest));
        assert_true(boxOverlaps(box, boxAdd(boxEmpty(), nearest)));
        assert_true((boxDistance2(box, p) == 0.0f) == boxOverlaps(box, boxAdd(boxEmpty(), p)));
        assert_true(boxDistance2(box, boxCenter(box)) == 0.0f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossAndDotObeyTheirIdentities),
        cmocka_unit_test(minimumAndMaximumGiveTheSecondOperandOnNan),
        cmocka_unit_test(rotatingByAQuaternionAndByItsMatrixAgree),
        cmocka_unit_test(quaternionsOfExactHalfTurnsComeBackFromMatrices),
        cmocka_unit_test(axisAndAngleTurnByThatAngle),
        cmocka_unit_test(productsOfRotationsApplyTheSecondFirst),
        cmocka_unit_test(theRotationBetweenTwoDirectionsTakesOneToTheOther),
        cmocka_unit_test(boxesGrowAndMeasureDistance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/plain_spin.h"
#include "core/hash.h"
#include "core/random.h"
#include "dynamics/rotation.h"
#include "mesh/mass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CASES 3000
#define STEPS 100000

static DQuat randomFrame(Random* random) { return dqNormalize(dqFromQ(randomRotation(random))); }

// Moments from 1 to `ratio`; the middle one at an end or between.
static DVec3 randomInertia(Random* random, double ratio)
{
    int kind = randomBelow(random, 4);
    double share = randomDouble(random);
    return dvec3(1.0, kind == 0 ? 1.0 : kind == 1 ? ratio : 1.0 + share * (ratio - 1.0), ratio);
}

// Spinning about any axis of the body; or, for `axis` 0 to 2, about that principal axis, but for `off`.
static Spin makeSpin(Random* random, DVec3 inertia, double speed, int axis, double off)
{
    Spin spin = {.inertia = inertia, .frame = randomFrame(random)};
    DVec3 any = randomDirection(random);
    DVec3 direction = axis < 0 ? any : dNormalize(dMad(dAxis(axis), off, any));
    spinSetVelocity(&spin, dqRotate(spin.frame, dScale(speed, direction)));
    return spin;
}

static DVec3 bodyMomentum(const Spin* spin) { return dqUnrotate(spin->frame, spin->momentum); }
static double energyAt(DVec3 l, DVec3 u) { return 0.5 * (l.x * l.x * u.x + l.y * l.y * u.y + l.z * l.z * u.z); }

// By matrices, another way than the code's.
static DVec3 momentumFromVelocity(const Spin* spin)
{
    DMat3 r = dqToMat(spin->frame);
    DVec3 w = dmMul(dmTranspose(r), spinVelocity(spin));
    return dmMul(r, dvec3(w.x * spin->inertia.x, w.y * spin->inertia.y, w.z * spin->inertia.z));
}

static double angleBetween(DQuat a, DQuat b)
{
    DQuat d = dqMul(dqConjugate(a), b);
    return 2.0 * trigAtan2(dLength(d.v), fabs(d.s));
}

static void energyAndMomentumStayForAHundredThousandSteps(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 30.0, 1000.0}, speeds[] = {0.02, 1.0, 100.0}; // rad per step
    double energy = 0.0, momentum = 0.0, plainEnergy = 0.0;
    Random random = randomSeed(1);
    for (int i = 0; i < 12; ++i) {
        double ratio = ratios[i % 4];
        int axis = randomBelow(&random, 4) - 1;
        DVec3 inertia = randomInertia(&random, ratio);
        Spin spin = makeSpin(&random, inertia, speeds[i / 4], axis, 0.01), plain = spin, start = spin;
        double worst = 0.0;
        for (int step = 0; step < STEPS; ++step) {
            spinAdvance(&spin, 1.0);
            if (step % 3 == 0) {
                worst = maxD(worst, fabs(spinEnergy(&spin) / start.energy - 1.0));
                double moved = dDistance(momentumFromVelocity(&spin), start.momentum);
                momentum = maxD(momentum, moved / dLength(start.momentum));
            }
            if (step < STEPS / 100) {
                plainAdvance(&plain, 1.0);
                plainEnergy = maxD(plainEnergy, fabs(spinEnergy(&plain) / start.energy - 1.0));
            }
        }
        assert_true(worst <= 1e-11);
        assert_memory_equal(&spin.momentum, &start.momentum, sizeof spin.momentum);
        assert_true(spin.energy == start.energy);
        energy = maxD(energy, worst);
    }
    assert_true(energy <= 1e-11 && momentum <= 1e-11);
    assert_true(plainEnergy > 1.0); // or the cases are too easy
    print_message("  drift of energy %.1e, momentum %.1e; plain update, 1,000 steps: energy %.1e\n", energy, momentum,
                  plainEnergy);
}

// The smallest turn about s by which the energy becomes `want`, by looking everywhere; 9 if there is none.
static double searchTurn(DVec3 s, DVec3 l, DVec3 u, double want)
{
    enum { LOOKS = 2000 };
    DVec3 t = dCross(s, l);
    double found = 9.0, last = 0.0, lastAngle = 0.0;
    for (int i = 0; i <= LOOKS; ++i) {
        double angle = TRIG_PI * (i / (double)LOOKS - 0.5);
        double here = energyAt(dMad(dScale(trigCos(angle), l), -trigSin(angle), t), u) - want;
        if (i > 0 && (here > 0.0) != (last > 0.0)) {
            double a = lastAngle, b = angle;
            for (int k = 0; k < 50; ++k) {
                double m = 0.5 * (a + b), e = energyAt(dMad(dScale(trigCos(m), l), -trigSin(m), t), u) - want;
                *((e > 0.0) == (last > 0.0) ? &a : &b) = m;
            }
            if (fabs(a) < fabs(found))
                found = a;
        }
        last = here, lastAngle = angle;
    }
    return found;
}

// Perpendicular to l: any, or Su's: steepest, towards the largest moment, towards the smallest.
static DVec3 chooseAxis(Random* random, int kind, DVec3 l, DVec3 u)
{
    DVec3 w = {u.x * l.x, u.y * l.y, u.z * l.z};
    DVec3 any = randomDirection(random);
    return kind == 0 ? dCross(l, any) : kind == 1 ? dCross(l, w) : dCross(l, dAxis(kind == 2 ? 2 : 0));
}

static void theClosedFormIsTheSmallestTurnOnAllAxes(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    int none = 0, falling = 0;
    for (int i = 0; i < CASES; ++i) {
        double ratio = trigPow(10.0, randomRangeD(&random, 0.1, 3.0));
        DVec3 inertia = randomInertia(&random, ratio), u = {1.0, 1.0 / inertia.y, 1.0 / inertia.z};
        // Any momentum, or one along the middle axis, nearly or exactly.
        DVec3 l = randomDirection(&random);
        int kind = i % 4, place = i / 4 % 4;
        if (place > 1)
            l = dNormalize(dMad(dAxis(1), place == 2 ? 0.0 : 1e-4, l));
        DVec3 n = chooseAxis(&random, kind, l, u), s = dNormalize(n);
        if (dLength(n) < 1e-9)
            continue; // there is no such axis
        double lowest = 0.5 * u.z, highest = 0.5 * u.x, have = energyAt(l, u);
        double want = i % 3 == 0 ? have * (1.0 + 1e-6 * randomNormal(&random)) : randomRangeD(&random, lowest, highest);
        DQuat turn;
        bool possible = spinTurn(n, l, u, want, &turn);
        double angle = 2.0 * trigAtan2(dDot(turn.v, s), turn.s), brute = searchTurn(s, l, u, want);
        falling += dDot(s, dCross(l, dvec3(u.x * l.x, u.y * l.y, u.z * l.z))) < 0.0;
        none += !possible;
        if (!possible) {
            assert_true(brute == 9.0 || fabs(want - have) < 1e-12 * have);
            continue;
        }
        assert_true(dLength(dCross(turn.v, s)) <= 1e-12 * dLength(turn.v));
        double reached = energyAt(dqUnrotate(dqNormalize(turn), l), u);
        assert_true(fabs(reached - want) <= 1e-11 * want);
        if (brute < 9.0) // two solutions less than a look apart are found only by the closed form
            assert_true(fabs(angle) <= fabs(brute) + 1e-7);
    }
    assert_true(none > CASES / 50 && falling > CASES / 20);
}

static void everyEnergyTheMomentumAllowsIsReached(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    for (int i = 0; i < 20 * CASES; ++i) {
        double ratio = trigPow(10.0, randomRangeD(&random, 0.01, 3.0));
        DVec3 inertia = dScale(trigPow(10.0, randomRangeD(&random, -12.0, 6.0)), randomInertia(&random, ratio));
        double off = i % 2 == 0 ? 0.0 : trigPow(10.0, randomRangeD(&random, -12.0, -1.0));
        Spin spin = makeSpin(&random, inertia, 3.0, i % 4 - 1, off);
        DVec3 momentum = spin.momentum;
        double square = 0.5 * dDot(momentum, momentum), lowest = square / inertia.z, highest = square / inertia.x;
        double share = randomDouble(&random);
        spin.energy = i % 5 == 0 ? lowest : i % 5 == 1 ? highest : lowest + share * (highest - lowest);
        spinRestore(&spin);
        assert_true(fabs(spinEnergy(&spin) / spin.energy - 1.0) <= 1e-11);
        assert_true(fabs(dDot(spin.frame.v, spin.frame.v) + spin.frame.s * spin.frame.s - 1.0) < 1e-14);
        assert_memory_equal(&spin.momentum, &momentum, sizeof momentum);
    }
}

// A top with two equal moments A and a third C turns about its own axis at the rate l_C (1/C − 1/A), and all of it
// about the momentum at the rate |L|/A.
static void symmetricTopsFollowTheAnalyticSolution(void** state)
{
    (void)state;
    Random random = randomSeed(4);
    for (int i = 0; i < CASES; ++i) {
        double ratio = trigPow(10.0, randomRangeD(&random, 0.0, 3.0)), speed = trigPow(10.0, i % 5 - 2.0);
        bool rod = i % 2 == 0;
        Spin spin = makeSpin(&random, rod ? dvec3(1.0, ratio, ratio) : dvec3(1.0, 1.0, ratio), speed, -1, 0.0);
        Spin start = spin;
        DVec3 l = bodyMomentum(&spin);
        double own = rod ? l.x * (1.0 - 1.0 / ratio) : l.z * (1.0 / ratio - 1.0), whole = dLength(l) / spin.inertia.y;
        for (int step = 1; step <= 20; ++step) {
            spinAdvance(&spin, 0.5);
            DQuat about = dqFromAxisAngle(start.momentum, 0.5 * step * whole);
            DQuat body = dqFromAxisAngle(dAxis(rod ? 0 : 2), 0.5 * step * own);
            DQuat expected = dqMul(about, dqMul(start.frame, body));
            // The own rate is a component of a momentum that is rounded as a whole, a dozen times per step.
            assert_true(angleBetween(spin.frame, expected) < 1e-13 + 4e-15 * step * dLength(l));
        }
    }
}

static void spinsAboutPrincipalAxesAreSteady(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    for (int i = 0; i < CASES; ++i) {
        int axis = i % 3;
        Spin spin = makeSpin(&random, dvec3(1.0, 1.0 + 8.0 * randomDouble(&random), 10.0), 2.5, axis, 0.0),
             start = spin;
        for (int step = 1; step <= 4; ++step) // the middle axis is unstable: rounding grows
            spinAdvance(&spin, 0.5);
        DQuat expected = dqMul(dqFromAxisAngle(start.momentum, 5.0), start.frame);
        assert_true(angleBetween(spin.frame, expected) < 1e-9);
    }
}

// dq/dt = ω q / 2 by the classical Runge-Kutta method.
static DQuat slopeAt(const Spin* spin, DQuat q)
{
    Spin here = *spin;
    here.frame = dqNormalize(q);
    DQuat d = dqMul((DQuat){dScale(0.5, spinVelocity(&here)), 0.0}, q);
    return d;
}
static DQuat madQ(DQuat a, double s, DQuat b) { return (DQuat){dMad(a.v, s, b.v), a.s + s * b.s}; }

static DQuat reference(const Spin* spin, double time, int steps)
{
    DQuat q = spin->frame;
    double h = time / steps;
    for (int i = 0; i < steps; ++i) {
        DQuat a = slopeAt(spin, q), b = slopeAt(spin, madQ(q, 0.5 * h, a)), c = slopeAt(spin, madQ(q, 0.5 * h, b));
        DQuat d = slopeAt(spin, madQ(q, h, c));
        q = madQ(madQ(madQ(madQ(q, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
    }
    return dqNormalize(q);
}

static double errorWith(Spin spin, double time, int steps, DQuat expected)
{
    for (int i = 0; i < steps; ++i)
        spinAdvance(&spin, time / steps);
    return angleBetween(spin.frame, expected);
}

static void ordinarySpinsConvergeWithTheSquareOfTheStep(void** state)
{
    (void)state;
    Random random = randomSeed(6);
    double errors[3] = {0.0, 0.0, 0.0}, plain = 0.0;
    for (int i = 0; i < 60; ++i) {
        // Moments of real bodies: none is larger than the sum of the others.
        double x = randomRangeD(&random, 1.0, 3.0), y = x + randomRangeD(&random, 0.2, 3.0);
        Spin spin = makeSpin(&random, dvec3(x, y, y + 0.7 * x), 1.0, -1, 0.0);
        DQuat expected = reference(&spin, 6.0, 3000);
        for (int k = 0; k < 3; ++k)
            errors[k] += errorWith(spin, 6.0, 60 << k, expected) / 60.0;
        for (int step = 0; step < 60; ++step)
            plainAdvance(&spin, 0.1);
        plain += angleBetween(spin.frame, expected) / 60.0;
    }
    print_message("  mean error after 6 rad in steps of 0.1 rad: %.1e rad, plain update %.1e\n", errors[0], plain);
    assert_true(errors[0] < 2e-4 && plain > 1e-2);
    assert_true(errors[0] / errors[1] > 3.8 && errors[0] / errors[1] < 4.2);
    assert_true(errors[1] / errors[2] > 3.8 && errors[1] / errors[2] < 4.2);
}

static void impulsesChangeVelocityByInverseInertia(void** state)
{
    (void)state;
    Random random = randomSeed(7);
    for (int i = 0; i < CASES; ++i) {
        DVec3 inertia = randomInertia(&random, 50.0), impulse = randomDirection(&random);
        Spin spin = makeSpin(&random, inertia, 2.0, -1, 0.0), same = spin;
        DVec3 before = spinVelocity(&spin), momentum = spin.momentum;
        spinAddImpulse(&spin, impulse);
        DVec3 change = dSub(spinVelocity(&spin), before), b = dqUnrotate(spin.frame, change);
        DVec3 back = dqRotate(spin.frame, dvec3(inertia.x * b.x, inertia.y * b.y, inertia.z * b.z));
        assert_true(dDistance(back, impulse) < 1e-12);
        assert_true(dDistance(spin.momentum, dAdd(momentum, impulse)) < 1e-13);
        DVec3 velocity = spinVelocity(&spin);
        assert_true(fabs(spin.energy - 0.5 * dDot(velocity, spin.momentum)) < 1e-12 * spin.energy);
        spinAddVelocity(&same, change);
        assert_true(dDistance(same.momentum, spin.momentum) < 1e-12);
        spinSetVelocity(&same, velocity);
        assert_true(dDistance(same.momentum, spin.momentum) < 1e-12);
        assert_true(fabs(same.energy / spin.energy - 1.0) < 1e-12);
    }
}

static void restAndTinySpinsHurtNothing(void** state)
{
    (void)state;
    Random random = randomSeed(8);
    for (int i = 0; i < CASES; ++i) {
        Spin spin = {.inertia = randomInertia(&random, 1000.0), .frame = randomFrame(&random)}, start = spin;
        spinAdvance(&spin, 1.0 / 30.0);
        assert_memory_equal(&spin, &start, sizeof spin);
        double length = trigPow(10.0, randomRangeD(&random, -320.0, -1.0));
        spinAddImpulse(&spin, dScale(length, randomDirection(&random)));
        for (int step = 0; step < 10; ++step)
            spinAdvance(&spin, 1.0 / 30.0);
        assert_true(fabs(dDot(spin.frame.v, spin.frame.v) + spin.frame.s * spin.frame.s - 1.0) < 1e-14);
        assert_true(angleBetween(spin.frame, start.frame) <= 2.0 * length + 1e-14);
    }
}

// From a body's own inertia tensor, as the world makes it: frame = orientation · principal axes.
static void anInertiaTensorBecomesAFrame(void** state)
{
    (void)state;
    Random random = randomSeed(9);
    for (int i = 0; i < CASES; ++i) {
        DMat3 r = dqToMat(randomFrame(&random));
        DVec3 l = {1.0, 1.0 + randomDouble(&random), 3.0};
        DMat3 scaled = {dScale(l.x, r.r0), dScale(l.y, r.r1), dScale(l.z, r.r2)};
        MassProperties mass = {.inertia = dmMulM(dmTranspose(r), scaled)};
        Eigen3 e = massPrincipal(mass);
        DQuat orientation = randomFrame(&random);
        Spin spin = {.inertia = e.values, .frame = dqMul(orientation, dqFromMat(dmTranspose(e.axes)))};
        DVec3 velocity = randomDirection(&random);
        spinSetVelocity(&spin, velocity);
        DVec3 expected = dqRotate(orientation, dmMul(mass.inertia, dqUnrotate(orientation, velocity)));
        assert_true(dDistance(spin.momentum, expected) < 1e-13);
    }
}

static void manyAtOnceGiveTheBitsOfOneByOne(void** state)
{
    (void)state;
    enum { MANY = 1003 };
    static Spin spins[MANY], one[MANY];
    Random random = randomSeed(11);
    for (int i = 0; i < MANY; ++i) {
        double ratio = i % 7 == 0 ? 1.0 : trigPow(10.0, randomRangeD(&random, 0.0, 3.0));
        double speed = i % 50 == 0 ? 0.0 : trigPow(10.0, randomRangeD(&random, -6.0, i < 500 ? -2.0 : 2.0));
        DVec3 inertia = randomInertia(&random, ratio);
        spins[i] = one[i] = makeSpin(&random, inertia, speed, i % 4 - 1, i % 3 == 0 ? 0.0 : 1e-3);
    }
    for (int step = 0; step < 50; ++step) {
        spinAdvanceMany(spins, step % 2 == 0 ? MANY : MANY - 3, 1.0);
        for (int i = 0; i < (step % 2 == 0 ? MANY : MANY - 3); ++i)
            spinAdvance(&one[i], 1.0);
        assert_memory_equal(spins, one, sizeof spins);
    }
    static double times[MANY];
    for (int step = 0; step < 50; ++step) { // each by a time of its own
        for (int i = 0; i < MANY; ++i) {
            times[i] = i % 5 == 0 ? (double)(i % 2) : randomDouble(&random);
            spinAdvance(&one[i], times[i]);
        }
        spinAdvanceEach(spins, MANY, times);
        assert_memory_equal(spins, one, sizeof spins);
    }
#ifdef SIMD_HAS_AVX2_KERNELS
    SIMD_NAME(spinAdvanceTimes)(one, MANY, times);
    spinAdvanceEach(spins, MANY, times);
    assert_memory_equal(spins, one, sizeof spins);
    SIMD_NAME(spinAdvanceAll)(one, MANY, 1.0); // the other kernel
    spinAdvanceMany(spins, MANY, 1.0);
    assert_memory_equal(spins, one, sizeof spins);
#endif
}

static void equalBitsOnEveryBuild(void** state)
{
    (void)state;
    Random random = randomSeed(10);
    Hash hash = hashStart(0);
    for (int i = 0; i < 200; ++i) {
        double ratio = trigPow(10.0, randomRangeD(&random, 0.0, 3.0)), speed = trigPow(10.0, i % 6 - 3.0);
        DVec3 inertia = randomInertia(&random, ratio);
        Spin spin = makeSpin(&random, inertia, speed, i % 4 - 1, 1e-3);
        for (int step = 0; step < 100; ++step)
            spinAdvance(&spin, 1.0);
        DVec3 velocity = spinVelocity(&spin);
        const double values[] = {spin.frame.v.x, spin.frame.v.y, spin.frame.v.z, spin.frame.s,
                                 velocity.x,     velocity.y,     velocity.z,     spin.energy};
        for (int k = 0; k < 8; ++k)
            hashF64(&hash, values[k]);
    }
    assert_int_equal(hashValue(&hash), 0x3284e34e9b0d5f19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energyAndMomentumStayForAHundredThousandSteps),
        cmocka_unit_test(theClosedFormIsTheSmallestTurnOnAllAxes),
        cmocka_unit_test(everyEnergyTheMomentumAllowsIsReached),
        cmocka_unit_test(symmetricTopsFollowTheAnalyticSolution),
        cmocka_unit_test(spinsAboutPrincipalAxesAreSteady),
        cmocka_unit_test(ordinarySpinsConvergeWithTheSquareOfTheStep),
        cmocka_unit_test(impulsesChangeVelocityByInverseInertia),
        cmocka_unit_test(restAndTinySpinsHurtNothing),
        cmocka_unit_test(anInertiaTensorBecomesAFrame),
        cmocka_unit_test(manyAtOnceGiveTheBitsOfOneByOne),
        cmocka_unit_test(equalBitsOnEveryBuild),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

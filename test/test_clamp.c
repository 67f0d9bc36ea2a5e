// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/quat.h"
#include "core/random.h"
#include "dynamics/clamp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CASES 20000

typedef struct Body {
    ClampSide side;
    double mass;
    DVec3 inertia; // principal
    DQuat frame;
} Body;

static Vec3 randomVec(Random* random, double length)
{
    DVec3 v = randomInBall(random);
    return vFromD(dScale(length, v));
}

static Body randomBody(Random* random)
{
    Body body = {.mass = trigPow(10.0, randomRangeD(random, -3.0, 3.0))};
    double size = trigPow(10.0, randomRangeD(random, -2.0, 0.0)), x = randomRangeD(random, 0.01, 1.0);
    double y = randomRangeD(random, 0.01, 1.0), z = randomRangeD(random, 0.01, 1.0);
    body.inertia = dScale(body.mass * size * size, dvec3(x, y, z));
    body.frame = dqNormalize(dqFromQ(randomRotation(random)));
    DMat3 r = dqToMat(body.frame), t = dmTranspose(r);
    DMat3 scaled = {dScale(1.0 / body.inertia.x, t.r0), dScale(1.0 / body.inertia.y, t.r1),
                    dScale(1.0 / body.inertia.z, t.r2)};
    body.side = (ClampSide){.inverseMass = (float)(1.0 / body.mass), .inverseInertia = mFromD(dmMulM(r, scaled))};
    body.side.velocity = randomVec(random, 5.0);
    body.side.spin = randomVec(random, 20.0);
    body.side.lever = randomVec(random, size);
    return body;
}

// As one that does not answer to impulses.
static Body immovable(Body body)
{
    body.side.inverseMass = 0.0f;
    body.side.inverseInertia = (Mat3){0};
    return body;
}

static DVec3 tensorMul(const Body* body, DVec3 w, bool inverse)
{
    DVec3 b = dqUnrotate(body->frame, w), i = body->inertia;
    if (inverse)
        i = dvec3(1.0 / i.x, 1.0 / i.y, 1.0 / i.z);
    return dqRotate(body->frame, dvec3(i.x * b.x, i.y * b.y, i.z * b.z));
}

// Energy after `share` of an impulse, in the frame that moves with velocity `frame`. In double and by the velocities
// themselves.
static double energyAfter(const Body* body, DVec3 impulse, DVec3 twist, double share, DVec3 frame)
{
    if (body->side.inverseMass == 0.0f)
        return 0.0;
    DVec3 torque = dAdd(dCross(dFromV(body->side.lever), impulse), twist);
    DVec3 v = dMad(dSub(dFromV(body->side.velocity), frame), share / body->mass, impulse);
    DVec3 w = dMad(dFromV(body->side.spin), share, tensorMul(body, torque, true));
    return 0.5 * (body->mass * dDot(v, v) + dDot(w, tensorMul(body, w, false)));
}

static double pairEnergy(const Body* a, const Body* b, Vec3 impulse, Vec3 twist, double share, DVec3 frame)
{
    DVec3 j = dFromV(impulse), t = dFromV(twist);
    return energyAfter(a, j, t, share, frame) + energyAfter(b, dNeg(j), dNeg(t), share, frame);
}

static DVec3 velocityAt(const Body* body)
{
    return dAdd(dFromV(body->side.velocity), dCross(dFromV(body->side.spin), dFromV(body->side.lever)));
}

// Impulses of a size that matters, mostly against the relative motion.
static void randomImpulse(Random* random, const Body* a, const Body* b, Vec3* impulse, Vec3* twist)
{
    double mass = a->side.inverseMass == 0.0f ? b->mass : a->mass, size = randomRangeD(random, -0.2, 1.8);
    DVec3 against = dScale(-mass * size, dSub(velocityAt(a), velocityAt(b)));
    *impulse = vAdd(vFromD(against), randomVec(random, 0.5 * dLength(against)));
    *twist = randomBelow(random, 2) == 0 ? vec3(0.0f, 0.0f, 0.0f)
                                         : randomVec(random, 0.1 * dLength(against) * (double)vLength(a->side.lever));
}

// The whole claim for one pair, seen from `frame`.
static void checkPair(const Body* a, const Body* b, Vec3 impulse, Vec3 twist, DVec3 frame, int counts[3])
{
    float scale = clampImpulse(&a->side, &b->side, impulse, twist);
    double before = pairEnergy(a, b, impulse, twist, 0.0, frame), whole = pairEnergy(a, b, impulse, twist, 1.0, frame);
    double after = pairEnergy(a, b, impulse, twist, (double)scale, frame), rounding = 1e-5 * maxD(before, after);
    assert_true(scale >= 0.0f && scale <= 1.0f);
    assert_true(after <= before + rounding);
    if (scale == 1.0f) {
        ++counts[0];
    } else if (scale == 0.0f) { // nothing of it would be allowed
        ++counts[1];
        assert_true(pairEnergy(a, b, impulse, twist, 1e-3, frame) >= before - 1e-8 * maxD(before, whole));
    } else { // no more than needed is taken away
        ++counts[2];
        assert_true(whole >= before - 1e-5 * maxD(before, whole));
        assert_true(fabs(after - before) <= rounding);
    }
}

static void noPairGainsEnergyAndNoneIsClampedWithoutNeed(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    int counts[3] = {0, 0, 0};
    for (int i = 0; i < CASES; ++i) {
        Body a = randomBody(&random), b = randomBody(&random);
        Vec3 impulse, twist;
        if (i % 3 == 0) { // static ground
            b = immovable(b);
            b.side.velocity = b.side.spin = vec3(0.0f, 0.0f, 0.0f);
        }
        randomImpulse(&random, &a, &b, &impulse, &twist);
        bool reversed = i % 2 == 0;
        checkPair(reversed ? &b : &a, reversed ? &a : &b, reversed ? vNeg(impulse) : impulse,
                  reversed ? vNeg(twist) : twist, dvec3(0.0, 0.0, 0.0), counts);
    }
    assert_true(counts[0] > CASES / 20 && counts[1] > CASES / 200 && counts[2] > CASES / 20);
}

static void kinematicPartnersAreJudgedInTheirFrame(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    int counts[3] = {0, 0, 0};
    for (int i = 0; i < CASES; ++i) {
        Body a = randomBody(&random), b = immovable(randomBody(&random));
        Vec3 impulse, twist;
        randomImpulse(&random, &a, &b, &impulse, &twist);
        b.side.spin = i % 2 == 0 ? b.side.spin : vec3(0.0f, 0.0f, 0.0f);
        // A twist meets the difference of spins, which no moving frame takes away.
        if (i % 2 == 0)
            twist = vec3(0.0f, 0.0f, 0.0f);
        checkPair(&a, &b, impulse, twist, velocityAt(&b), counts);
    }
    assert_true(counts[0] > CASES / 20 && counts[1] > CASES / 200 && counts[2] > CASES / 20);
}

// A box of 3 kg, hit from below through its centre.
static ClampSide box(float speed)
{
    Mat3 inverse = {{20.0f, 0.0f, 0.0f}, {0.0f, 20.0f, 0.0f}, {0.0f, 0.0f, 20.0f}};
    return (ClampSide){1.0f / 3.0f, inverse, {0.0f, speed, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, -0.1f, 0.0f}};
}

static void anElevatorLifts(void** state)
{
    (void)state;
    ClampSide floor = {.velocity = {0.0f, 2.0f, 0.0f}}, at = box(0.0f), none = {0};
    Vec3 zero = {0.0f, 0.0f, 0.0f};
    assert_true(clampImpulse(&at, &floor, vec3(0.0f, 6.0f, 0.0f), zero) == 1.0f);     // taken along
    assert_true(clampImpulse(&at, &floor, vec3(0.0f, 9.0f, 0.0f), zero) == 1.0f);     // thrown up a little
    assert_true(clampImpulse(&at, &floor, vec3(0.0f, 12.0f, 0.0f), zero) > 0.99999f); // as much as it came with
    assert_true(fabsf(clampImpulse(&at, &floor, vec3(0.0f, 15.0f, 0.0f), zero) - 0.8f) < 1e-6f); // more is cut to that
    assert_true(clampImpulse(&at, &floor, vec3(0.0f, -1.0f, 0.0f), zero) == 0.0f); // a floor does not pull
    assert_true(clampImpulse(&at, &none, vec3(0.0f, 6.0f, 0.0f), zero) == 0.0f);   // nor does one at rest lift
    ClampSide falling = box(-0.25f); // and it carries what gravity has pulled at
    assert_true(clampImpulse(&falling, &none, vec3(0.0f, 0.75f, 0.0f), zero) == 1.0f);
    assert_true(clampImpulse(&none, &floor, vec3(0.0f, 1.0f, 0.0f), zero) == 1.0f); // nothing can move
}

// Ten boxes after gravity and before the contacts: all fall at the same small speed.
static void stacksKeepTheirSupport(void** state)
{
    (void)state;
    enum { BOXES = 10 };
    float fall = 9.81f / 30.0f;
    ClampSide falling = box(-fall), ground = {0};
    Vec3 zero = {0.0f, 0.0f, 0.0f};
    Clamp stack = {0.0, 0.0};
    for (int i = 0; i < BOXES; ++i) {
        Vec3 below = vec3(0.0f, 3.0f * fall * (float)(BOXES - i), 0.0f);
        clampAddImpulse(&stack, below, i == 0 ? falling.velocity : zero);
        clampAddBody(&stack, falling.inverseMass, &falling.inverseInertia, vec3(0.0f, 3.0f * fall, 0.0f), zero);
    }
    assert_true(clampScale(&stack) == 1.0);
    assert_true(fabs(-stack.work / stack.cost - 2.0) < 1e-5); // far from the edge
    // What the header warns of: the lowest contact's total on its own.
    float lowest = clampImpulse(&falling, &ground, vec3(0.0f, 3.0f * fall * BOXES, 0.0f), zero);
    assert_true(fabsf(lowest - 0.2f) < 1e-6f);
}

// A chain of bodies, some of them kinematic, with an impulse at every joint. Energy may grow by the work of the
// kinematic ones and by nothing else.
static void islandsGainNoMoreThanKinematicBodiesGive(void** state)
{
    (void)state;
    enum { BODIES = 6 };
    Random random = randomSeed(3);
    int scaled = 0;
    for (int i = 0; i < CASES / 4; ++i) {
        Body bodies[BODIES];
        DVec3 momentum[BODIES] = {{0}}, turning[BODIES] = {{0}};
        for (int k = 0; k < BODIES; ++k) {
            bodies[k] = randomBody(&random);
            if (randomBelow(&random, 4) == 0)
                bodies[k] = immovable(bodies[k]);
        }
        Clamp clamp = {0.0, 0.0};
        double given = 0.0, before = 0.0, after = 0.0;
        for (int k = 0; k + 1 < BODIES; ++k) {
            Body *a = &bodies[k], *b = &bodies[k + 1];
            Vec3 impulse, twist;
            randomImpulse(&random, a, b, &impulse, &twist);
            DVec3 j = dFromV(impulse);
            clampAddImpulse(&clamp, impulse, vFromD(dSub(velocityAt(a), velocityAt(b))));
            momentum[k] = dAdd(momentum[k], j);
            momentum[k + 1] = dSub(momentum[k + 1], j);
            turning[k] = dAdd(turning[k], dCross(dFromV(a->side.lever), j));
            turning[k + 1] = dSub(turning[k + 1], dCross(dFromV(b->side.lever), j));
            // What a kinematic body spends is what it would receive, reversed.
            given -= a->side.inverseMass == 0.0f ? dDot(j, velocityAt(a)) : 0.0;
            given += b->side.inverseMass == 0.0f ? dDot(j, velocityAt(b)) : 0.0;
        }
        for (int k = 0; k < BODIES; ++k)
            clampAddBody(&clamp, bodies[k].side.inverseMass, &bodies[k].side.inverseInertia, vFromD(momentum[k]),
                         vFromD(turning[k]));
        double scale = clampScale(&clamp), size = 0.0;
        for (int k = 0; k < BODIES; ++k) {
            Body* body = &bodies[k];
            body->side.lever = vec3(0.0f, 0.0f, 0.0f); // all torques are in `turning`
            DVec3 rest = {0.0, 0.0, 0.0};
            before += energyAfter(body, momentum[k], turning[k], 0.0, rest);
            after += energyAfter(body, momentum[k], turning[k], scale, rest);
            size += energyAfter(body, momentum[k], turning[k], 1.0, rest);
        }
        scaled += scale > 0.0 && scale < 1.0;
        assert_true(after <= before + scale * given + 1e-5 * (before + scale * (size + fabs(given))));
    }
    assert_true(scaled > CASES / 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noPairGainsEnergyAndNoneIsClampedWithoutNeed),
        cmocka_unit_test(kinematicPartnersAreJudgedInTheirFrame),
        cmocka_unit_test(anElevatorLifts),
        cmocka_unit_test(stacksKeepTheirSupport),
        cmocka_unit_test(islandsGainNoMoreThanKinematicBodiesGive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

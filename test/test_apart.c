// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How far bodies may come closer in a step, and the hull of a whole mesh: bounds, against points that are followed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/apart.h"
#include "core/context.h"
#include "core/quat.h"
#include "core/random.h"
#include "field/piece_hull.h"
#include "mesh/models.h"

static DVec3 turnedBy(Vec3 turn, double time, DVec3 arm)
{
    DVec3 axis = dScale(time, dFromV(turn));
    return dqRotate(dqFromAxisAngle(axis, dLength(axis)), arm);
}

// Where a point of A is in B's frame.
static DVec3 seenFrom(const StepWay* a, const StepWay* b, DVec3 between, DVec3 arm, double time)
{
    DVec3 from = dAdd(dMad(between, time, dFromV(vSub(a->shift, b->shift))), turnedBy(a->turn, time, arm));
    return turnedBy(vNeg(b->turn), time, from);
}

static StepWay randomWay(Random* random)
{
    return (StepWay){vScale(randomRange(random, 0.0f, 0.3f), vFromD(randomInBall(random))),
                     vScale(randomRange(random, 0.0f, 3.0f), vFromD(randomInBall(random))),
                     randomRange(random, 0.01f, 0.5f)};
}

// Nearly as a part of the same body.
static StepWay nearlyWith(const StepWay* a, Vec3 between, Random* random)
{
    StepWay own = randomWay(random);
    return (StepWay){vMad(vSub(a->shift, vCross(a->turn, between)), 0.01f, own.shift), vMad(a->turn, 0.01f, own.turn),
                     own.radius};
}

static void noPointMovesFartherThanTheBound(void** state)
{
    (void)state;
    enum { CASES = 3000, POINTS = 8, TIMES = 64 };
    Random random = randomSeed(5);
    int tight = 0;
    for (int i = 0; i < CASES; ++i) {
        StepWay a = randomWay(&random), b = randomWay(&random);
        Vec3 between = vScale(a.radius + b.radius, vFromD(randomInBall(&random)));
        if (i % 2) {
            a.turn = vScale(0.1f, a.turn);
            b = nearlyWith(&a, between, &random);
        }
        double most = (double)relativeTravel(&a, &b, between) * (1.0 + 1e-5), farthest = 0.0;
        for (int k = 0; k < POINTS; ++k) {
            DVec3 arm = dScale((double)a.radius, dNormalize(randomInBall(&random)));
            DVec3 start = seenFrom(&a, &b, dFromV(between), arm, 0.0);
            for (int t = 1; t <= TIMES; ++t) {
                DVec3 now = seenFrom(&a, &b, dFromV(between), arm, (double)t / TIMES);
                farthest = maxD(farthest, dLength(dSub(now, start)));
            }
        }
        // Where nothing better is known it is the sum of all, which bounds how much closer they come.
        double apart = (double)(vDistance(a.shift, b.shift) + vLength(a.turn) * a.radius + vLength(b.turn) * b.radius);
        if (most < 0.999 * apart)
            assert_true(farthest <= most);
        tight += most < 0.5 * apart;
    }
    assert_true(tight > CASES / 20); // what flies together is told from what does not
}

static void ballsMeetWhenTheyDo(void** state)
{
    (void)state;
    enum { CASES = 3000, TIMES = 256 };
    Random random = randomSeed(6);
    int met = 0, never = 0;
    for (int i = 0; i < CASES; ++i) {
        DVec3 between = randomInBall(&random), shift = dScale(i % 10 ? 2.0 : 0.0, randomInBall(&random));
        if (i % 2) // at each other, more or less
            shift = dMad(shift, -2.0, between);
        double reach = (double)randomRange(&random, 0.01f, 0.5f);
        double meet = (double)ballsMeet(vFromD(between), vFromD(shift), (float)reach);
        for (int t = 0; t <= TIMES; ++t) {
            double time = (double)t / TIMES, apart = dLength(dMad(between, time, shift)) - reach;
            if (time < meet) // infinity: at any time
                assert_true(apart > -1e-5);
        }
        if (isfinite(meet) && meet > 0.0)
            assert_true(fabs(dLength(dMad(between, meet, shift)) - reach) < 1e-5);
        if (dLength(between) <= 0.999 * reach)
            assert_true(meet == 0.0);
        met += isfinite(meet) && meet > 0.0;
        never += !isfinite(meet);
    }
    assert_true(met > CASES / 20 && never > CASES / 20);
    assert_true(ballsMeet(vec3(1.0f, 0.0f, 0.0f), vec3(1.0f, 0.0f, 0.0f), INFINITY) == 0.0f); // planes have no end
}

static shBox randomBox(Random* random)
{
    Vec3 middle = vFromD(randomInBall(random));
    Vec3 half = {randomRange(random, 0.05f, 0.5f), randomRange(random, 0.05f, 0.5f), randomRange(random, 0.05f, 0.5f)};
    return (shBox){vSub(middle, half), vAdd(middle, half)};
}

static void boxesAreNowhereNearerThanOnTheirWay(void** state)
{
    (void)state;
    enum { CASES = 3000, TIMES = 32 };
    Random random = randomSeed(7);
    int clear = 0, tight = 0;
    for (int i = 0; i < CASES; ++i) {
        shBox a = randomBox(&random), b = randomBox(&random);
        shTransform relative = {vFromD(dScale(2.0, randomInBall(&random))), randomRotation(&random)};
        Vec3 shift = vFromD(dScale(i % 10 ? 2.0 : 0.0, randomInBall(&random)));
        float all = boxesApartOnWay(a, b, relative, shift), least = INFINITY;
        for (int t = 0; t <= TIMES; ++t) {
            shTransform now = {vMad(relative.p, (float)t / TIMES, shift), relative.q};
            least = minF(least, boxesApart(a, b, now, INFINITY));
        }
        assert_true(all <= least + 1e-5f);
        if (i % 10 == 0)
            assert_true(fabsf(all - least) < 1e-5f);
        clear += all > 0.0f;
        tight += all > 0.0f && all > least - 0.05f;
    }
    assert_true(clear > CASES / 10 && tight > clear / 2);
}

// From a kilometre away, small balls that pass each other closer than they are large: squares of such ways have no
// digits left for them in float.
static void ballsMeetFromFarAway(void** state)
{
    (void)state;
    enum { CASES = 2000 };
    Random random = randomSeed(7);
    for (int i = 0; i < CASES; ++i) {
        DVec3 way = randomDirection(&random), across = dPerpendicular(way);
        double far = randomRangeD(&random, 100.0, 1000.0), reach = randomRangeD(&random, 0.05, 0.2);
        Vec3 between = vFromD(dMad(dScale(far, way), 0.5 * reach, across));
        Vec3 shift = vFromD(dScale(-2.0 * far, way));
        double meet = (double)ballsMeet(between, shift, (float)reach);
        assert_true(isfinite(meet));
        // As exact as the places are, and the time.
        double apart = dLength(dMad(dFromV(between), meet, dFromV(shift)));
        assert_true(fabs(apart - reach) < 1e-6 * far);
    }
}

static void theHullOfAMeshHoldsItAndTouchesIt(void** state)
{
    (void)state;
    static const char* names[] = {"sphere", "brick", "bowl"};
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    for (size_t m = 0; m < sizeof names / sizeof *names; ++m) {
        TetMesh mesh;
        assert_int_equal(modelGenerate(modelFind(names[m]), 0.4f, &context->memory, &mesh, &message), shOk);
        PieceHull hull = hullOfMesh(&mesh);
        assert_int_equal(hull.count, hullMaxPlanes);
        for (int k = 0; k < hull.count; ++k) {
            float nearest = INFINITY;
            assert_true(fabsf(vLength(hull.planes[k].normal) - 1.0f) < 1e-6f);
            for (int n = 0; n < mesh.nodeCount; ++n)
                nearest = minF(nearest, hull.planes[k].offset - vDot(hull.planes[k].normal, mesh.nodes[n]));
            assert_true(nearest >= 0.0f && nearest < 1e-4f);
        }
        tetMeshFree(&mesh, &context->memory);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noPointMovesFartherThanTheBound),     cmocka_unit_test(ballsMeetWhenTheyDo),
        cmocka_unit_test(boxesAreNowhereNearerThanOnTheirWay), cmocka_unit_test(ballsMeetFromFarAway),
        cmocka_unit_test(theHullOfAMeshHoldsItAndTouchesIt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Hits that break and hits that do not: known cases, limits, and growth with the impulse.
#include "core/random.h"
#include "sherd/fracture.h"
#include "sherd/fragments.h"
#include "sherd/strength.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static shPieceInfo block(const shMaterial* material, double a, double b, double c)
{
    shPieceInfo info = {.volume = a * b * c, .mass = (double)material->density * a * b * c, .parent = -1};
    info.inertia[0][0] = info.mass * (b * b + c * c) / 12.0;
    info.inertia[1][1] = info.mass * (a * a + c * c) / 12.0;
    info.inertia[2][2] = info.mass * (a * a + b * b) / 12.0;
    return info;
}

// A body that falls flat on something rigid.
static shHit drop(const shPieceInfo* body, const shMaterial* material, double height, int pieces)
{
    double e = (double)material->restitution, speed = sqrt(2.0 * 9.81 * height);
    return (shHit){(1.0 + e) * body->mass * speed, 1.0 / body->mass, e, 0.0, pieces};
}

static bool survives(const char* material, double a, double b, double c, double height)
{
    const shMaterial* m = shMaterialPreset(material);
    shPieceInfo body = block(m, a, b, c);
    shStrength strength = shGetStrength(m, &body);
    shHit hit = drop(&body, m, height, 20);
    return !shJudgeHit(&strength, &hit).breaks;
}

static void everyday_drops_end_as_expected(void** unused)
{
    (void)unused;
    assert_true(survives("ceramic", 0.25, 0.25, 0.006, 0.2)); // plate
    assert_true(!survives("ceramic", 0.25, 0.25, 0.006, 1.0));
    assert_true(survives("glass", 0.6, 0.4, 0.006, 0.2)); // pane
    assert_true(!survives("glass", 0.6, 0.4, 0.006, 1.0));
    assert_true(survives("concrete", 0.215, 0.1025, 0.065, 0.5)); // brick
    assert_true(!survives("concrete", 0.215, 0.1025, 0.065, 2.0));
    assert_true(survives("chocolate", 0.15, 0.07, 0.01, 0.1)); // bar
    assert_true(!survives("chocolate", 0.15, 0.07, 0.01, 1.0));
    assert_true(!survives("ice", 0.3, 0.3, 0.02, 1.0));
}

static void a_box_is_known_by_its_inertia(void** unused)
{
    (void)unused;
    const shMaterial* stone = shMaterialPreset("stone");
    shPieceInfo body = block(stone, 0.1, 0.4, 0.2);
    shStrength strength = shGetStrength(stone, &body);
    const double sides[3] = {0.4, 0.2, 0.1};
    for (int k = 0; k < 3; ++k)
        assert_true(fabs(strength.extents[k] - sides[k]) < 1e-12);
    assert_true(fabs(strength.fill - 1.0) < 1e-12);
    assert_true(fabs(shStrength_GetSmallestCrack(&strength) - 0.02) < 1e-12);
    // In four along its length; then in 2 × 4 of 0.1 m; then in 64 cubes of 0.05 m.
    assert_true(fabs(shStrength_GetCrackArea(&strength, 2) - 0.02) < 1e-12);
    assert_true(fabs(shStrength_GetCrackArea(&strength, 8) - (3 * 0.02 + 0.04)) < 1e-12);
    assert_true(fabs(shStrength_GetCrackArea(&strength, 64) - (7 * 0.02 + 3 * 0.04 + 0.08)) < 1e-12);
}

static void a_hit_just_at_the_limit_breaks_and_one_below_does_not(void** unused)
{
    (void)unused;
    Random random = randomSeed(4);
    for (int i = 0; i < 5000; ++i) {
        const shMaterial* m = shMaterialPresetAt(randomBelow(&random, shMaterialPresetCount()));
        double a = randomRangeD(&random, 0.005, 2.0), b = randomRangeD(&random, 0.005, 2.0);
        shPieceInfo body = block(m, a, b, randomRangeD(&random, 0.005, 2.0));
        shStrength strength = shGetStrength(m, &body);
        strength.factor = randomRangeD(&random, 0.2, 5.0);
        if (i % 3 == 0)
            strength.impulse = randomRangeD(&random, 0.1, 100.0);
        shHit hit = {1.0, randomRangeD(&random, 0.01, 100.0), randomDouble(&random), 0.0, 2 + randomBelow(&random, 99)};
        if (i % 2 == 0)
            hit.otherSoftness = randomRangeD(&random, 0.0, 1e-9);
        double limit = shJudgeHit(&strength, &hit).breakingImpulse;
        shVerdict last = {0};
        for (double ratio = 0.0; ratio < 20.0; ratio = 1.25 * ratio + 0.05) {
            hit.impulse = ratio * limit;
            shVerdict verdict = shJudgeHit(&strength, &hit);
            if (fabs(ratio - 1.0) > 1e-9)
                assert_int_equal(verdict.breaks, ratio > 1.0);
            assert_true(fabs(verdict.breakingImpulse - limit) <= 1e-12 * limit);
            assert_true(verdict.pieces >= (verdict.breaks ? 2 : 1) && verdict.pieces <= hit.pieces);
            assert_true(verdict.crackEnergy <= verdict.energy);
            // More never does less.
            assert_true(verdict.energy >= last.energy && verdict.crackEnergy >= last.crackEnergy);
            assert_true(verdict.crackArea >= last.crackArea && verdict.pieces >= last.pieces);
            assert_true(!last.breaks || verdict.radius == 0.0f ||
                        (last.radius > 0.0f && verdict.radius >= last.radius));
            // No crack costs what is not there.
            double area = randomRangeD(&random, 0.0, 100.0);
            double cost = shGetCrackCost(&strength, &verdict, area);
            assert_true(cost <= verdict.crackEnergy && cost <= strength.toughness * area);
            last = verdict;
        }
        hit.impulse = limit * (1.0 - 1e-9);
        assert_true(!shJudgeHit(&strength, &hit).breaks);
        hit.impulse = limit * (1.0 + 1e-9);
        assert_true(shJudgeHit(&strength, &hit).breaks);
    }
}

static void each_of_two_is_judged_by_its_own_strength(void** unused)
{
    (void)unused;
    // A glass ball on a block of stone: one impulse, one effective mass, two verdicts.
    const shMaterial *glass = shMaterialPreset("glass"), *stone = shMaterialPreset("stone");
    shPieceInfo small = block(glass, 0.05, 0.05, 0.05), large = block(stone, 1.0, 1.0, 1.0);
    shStrength ball = shGetStrength(glass, &small), rock = shGetStrength(stone, &large);
    double inverse = 1.0 / small.mass + 1.0 / large.mass;
    shHit onBall = {5.0, inverse, 0.3, rock.softness, 20}, onRock = {5.0, inverse, 0.3, ball.softness, 20};
    shVerdict first = shJudgeHit(&ball, &onBall), second = shJudgeHit(&rock, &onRock);
    assert_true(first.breaks && !second.breaks);
    // Together they hold what the approach had: ½ m* v² with v = J / (m* (1 + e)).
    double speed = 5.0 * inverse / 1.3;
    assert_true(fabs(first.energy + second.energy - 0.5 / inverse * speed * speed) < 1e-9);
    assert_true(second.energy > first.energy); // stone is softer
}

static void nonsense_breaks_nothing(void** unused)
{
    (void)unused;
    const shMaterial* m = shMaterialPreset("glass");
    shPieceInfo body = block(m, 0.1, 0.1, 0.1), none = {0};
    shStrength strength = shGetStrength(m, &body), empty = shGetStrength(m, &none);
    shHit hit = {1e9, 1.0, 0.0, 0.0, 20};
    assert_true(shJudgeHit(&strength, &hit).breaks);
    assert_true(!shJudgeHit(&empty, &hit).breaks);
    for (int i = 0; i < 6; ++i) {
        shHit bad = hit;
        (i == 0 ? &bad.impulse : i == 1 ? &bad.inverseMass : &bad.restitution)[0] = -1.0;
        if (i == 3)
            bad = hit, bad.impulse = NAN;
        if (i == 4)
            bad = hit, bad.inverseMass = INFINITY;
        if (i == 5)
            bad = hit, bad.inverseMass = 0.0;
        shVerdict verdict = shJudgeHit(&strength, &bad);
        assert_true(!verdict.breaks && verdict.pieces == 1 && isinf(verdict.breakingImpulse));
    }
}

// The estimate that decides how much breaks, against cracks that were made.
static void the_area_of_cracks_is_about_what_was_promised(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "plate", "pillar", "wall", "sphere"};
    shContextDef contextDef = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&contextDef, &context, NULL), shOk);
    for (int m = 0; m < 5; ++m) {
        shCookDef cook = shDefaultCookDef();
        shAsset* asset;
        assert_int_equal(shCookModel(context, models[m], 1.0f, &cook, &asset, NULL), shOk);
        for (int pieces = 5; pieces <= 40; pieces *= 2) {
            static shFragment fragments[512];
            shSolid* solid;
            shBreak broken;
            shFragments result;
            assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
            shPieceInfo body = shSolid_GetPiece(solid, 0);
            shStrength strength = shGetStrength(shAsset_GetInfo(asset).material, &body);
            shPattern pattern = shDefaultPattern(shUniformPattern);
            pattern.pieces = pieces;
            pattern.rough = 0.0f;
            shImpact impact = shDefaultImpact((shVec3){0.0f, 0.0f, 0.0f});
            assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, &broken, NULL), shOk);
            shFragmentDef def =
                shDefaultFragmentDef((shTransform){{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}}, NULL);
            assert_int_equal(shSolid_MakeFragments(solid, &body, &broken, &def, fragments, &result, NULL), shOk);
            double ratio = result.crackArea / shStrength_GetCrackArea(&strength, broken.pieceCount);
            printf("  %-6s into %2d: %.4f m², %.2f times the estimate\n", models[m], broken.pieceCount,
                   result.crackArea, ratio);
            assert_true(ratio > 0.8 && ratio < 1.4);
            shDestroySolid(solid);
        }
        shDestroyAsset(asset);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyday_drops_end_as_expected),
        cmocka_unit_test(a_box_is_known_by_its_inertia),
        cmocka_unit_test(a_hit_just_at_the_limit_breaks_and_one_below_does_not),
        cmocka_unit_test(each_of_two_is_judged_by_its_own_strength),
        cmocka_unit_test(nonsense_breaks_nothing),
        cmocka_unit_test(the_area_of_cracks_is_about_what_was_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

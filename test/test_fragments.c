// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What pieces do after a break: momentum kept, no energy made, dust booked.
#include "core/quat.h"
#include "core/random.h"
#include "sherd/fracture.h"
#include "sherd/fragments.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 256 };

#define TINY 1e-6 // kg·m/s, kg·m²/s: rounding of what stands still

static DVec3 of(const double a[3]) { return dvec3(a[0], a[1], a[2]); }
static void put(DVec3 a, double to[3])
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

static shContext* makeContext(void)
{
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    return context;
}

static shAsset* cookModel(shContext* context, const char* model, float detail)
{
    shCookDef cook = shDefaultCookDef();
    shAsset* asset;
    assert_int_equal(shCookModel(context, model, detail, &cook, &asset, NULL), shOk);
    return asset;
}

static shVelocity randomVelocity(Random* random)
{
    shVelocity velocity = {0};
    int kind = randomBelow(random, 3); // 0: only moves, 1: only turns
    if (kind != 1)
        put(dScale(randomRangeD(random, 0.0, 20.0), randomInBall(random)), velocity.linear);
    if (kind != 0)
        put(dScale(randomRangeD(random, 0.0, 50.0), randomInBall(random)), velocity.angular);
    return velocity;
}

static shTransform randomTransform(Random* random)
{
    Vec3 p = vFromD(dScale(100.0, randomInBall(random)));
    return (shTransform){p, randomRotation(random)};
}

// ---- sums, written out ----------------------------------------------------------------------------------------------

typedef struct Sums {
    DVec3 linear, angular;
    double linearSize, angularSize; // Σ m|v|, Σ |r × mv| + |Iω|
    double energy, volume, mass;
} Sums;

static void addTo(Sums* sums, const shPieceInfo* info, shTransform x, const shVelocity* velocity, DVec3 about)
{
    DMat3 turn = dqToMat(dqNormalize(dqFromQ(x.q)));
    DMat3 rest = {of(info->inertia[0]), of(info->inertia[1]), of(info->inertia[2])};
    DMat3 inertia = dmMulM(dmMulM(turn, rest), dmTranspose(turn));
    DVec3 r = dSub(dAdd(dmMul(turn, of(info->centre)), dFromV(x.p)), about);
    DVec3 v = of(velocity->linear), w = of(velocity->angular), orbit = dScale(info->mass, dCross(r, v));
    sums->linear = dMad(sums->linear, info->mass, v);
    sums->angular = dAdd(sums->angular, dAdd(orbit, dmMul(inertia, w)));
    sums->linearSize += info->mass * dLength(v);
    sums->angularSize += dLength(orbit) + dLength(dmMul(inertia, w));
    sums->energy += 0.5 * info->mass * dLength2(v) + 0.5 * dDot(w, dmMul(inertia, w));
    sums->volume += info->volume;
    sums->mass += info->mass;
}

// ---- one random break -----------------------------------------------------------------------------------------------

typedef struct Worst {
    double linear, angular, energy, volume;
    int breaks, pieces, dust, limited;
} Worst;

static void checkBreak(shSolid* solid, int piece, Random* random, Worst* worst)
{
    static shFragment fragments[MOST];
    shPieceInfo body = shSolid_GetPiece(solid, piece);
    shPattern pattern = shDefaultPattern((shPatternType)randomBelow(random, shSplinterPattern + 1));
    pattern.seed = randomBits(random);
    pattern.pieces = 2 + randomBelow(random, 30);
    pattern.smallest = 1e-12f; // keep every crumb
    shImpact impact = shDefaultImpact(randomInBox(random, body.box));
    shBreak broken;
    assert_int_equal(shSolid_BreakPattern(solid, piece, &pattern, &impact, &broken, NULL), shOk);
    assert_true(broken.pieceCount <= MOST);

    shVelocity velocity = randomVelocity(random);
    shFragmentDef def = shDefaultFragmentDef(randomTransform(random), &velocity);
    def.dustVolume = randomBelow(random, 2) == 0 ? 0.0 : body.volume * randomRangeD(random, 0.0, 0.05);
    bool blown = randomBelow(random, 3) > 0;
    double strikerMass = randomRangeD(random, 0.1, 10.0);
    if (blown) {
        put(dFromV(xformPoint(def.transform, impact.point)), def.blow.point);
        put(dScale(body.mass * randomRangeD(random, 0.1, 10.0), randomInBall(random)), def.blow.impulse);
        def.blow.reach = randomBelow(random, 2) == 0 ? 0.0f : 0.2f * vLength(boxSize(body.box));
        def.blow.limited = randomBelow(random, 2) == 0;
        def.blow.inverseMass = 1.0 / strikerMass;
        def.blow.restitution = randomDouble(random);
        put(dAdd(velocity.linear[0] > 0.0 ? of(velocity.linear) : dvec3(0.0, 0.0, 0.0),
                 dScale(2.0 / body.mass, of(def.blow.impulse))),
            def.blow.velocity);
    }
    shFragments result;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &broken, &def, fragments, &result, NULL), shOk);

    DVec3 origin = of(result.origin), impulse = dScale(result.share, of(def.blow.impulse));
    Sums before = {0}, after = {0}, dust = {0};
    addTo(&before, &body, def.transform, &velocity, origin);
    int struck = 0, dustCount = 0;
    for (int i = 0; i < broken.pieceCount; ++i) {
        const shFragment* fragment = &fragments[i];
        assert_int_equal(fragment->piece, broken.pieces[i]);
        assert_true(fragment->info.volume > 0.0);
        assert_int_equal(fragment->dust, broken.pieceCount > 1 && fragment->info.volume < def.dustVolume);
        assert_int_equal(fragment->dust, !shSolid_HasPiece(solid, fragment->piece));
        addTo(&after, &fragment->info, def.transform, &fragment->velocity, origin);
        if (fragment->dust)
            addTo(&dust, &fragment->info, def.transform, &fragment->velocity, origin);
        dustCount += fragment->dust;
        struck += fragment->struck;
        if (fragment->struck)
            continue;
        double centre[3];
        shGetCentre(&fragment->info, def.transform, centre);
        DVec3 field = dAdd(of(velocity.linear), dCross(of(velocity.angular), dSub(of(centre), origin)));
        assert_true(dDistance(of(fragment->velocity.linear), field) < 1e-6 * (1.0 + dLength(field)));
        DVec3 spin = of(velocity.angular);
        shVelocity off = {0};
        put(dSub(of(fragment->velocity.angular), spin), off.angular);
        double trace = fragment->info.inertia[0][0] + fragment->info.inertia[1][1] + fragment->info.inertia[2][2];
        double extra = dLength(of(shGetMomentum(&fragment->info, def.transform, &off, centre).angular));
        assert_true(extra <= 1e-6 * trace * dLength(spin));
    }
    assert_true(blown ? struck > 0 : struck == 0);
    DVec3 arm = dSub(of(def.blow.point), origin);
    double linear = dDistance(after.linear, dAdd(before.linear, impulse)) / maxD(after.linearSize, TINY);
    double angular =
        dDistance(after.angular, dAdd(before.angular, dCross(arm, impulse))) / maxD(after.angularSize, TINY);
    double energy = (after.energy - before.energy - result.work) / (before.energy + fabs(result.work));
    double volume = fabs(after.volume - body.volume) / body.volume;
    assert_true(linear < 1e-6);
    assert_true(angular < 1e-6);
    assert_true(energy < 1e-12);
    assert_true(volume < 1e-6);
    assert_true(fabs(result.after.energy - after.energy) < 1e-9 * after.energy);
    if (blown && def.blow.limited) {
        // Striker and pieces together have no more than they brought.
        DVec3 at = of(def.blow.velocity);
        double lost = dDot(impulse, at) - 0.5 * dLength2(impulse) * def.blow.inverseMass;
        assert_true(result.work <= lost + 1e-9 * (fabs(lost) + before.energy));
        ++worst->limited;
    } else {
        assert_true(result.share == 1.0);
    }
    assert_int_equal(result.dustCount, dustCount);
    assert_true(fabs(result.dustVolume - dust.volume) <= 1e-12 * body.volume);
    assert_true(fabs(result.dustMass - dust.mass) <= 1e-12 * body.mass);
    assert_true(dDistance(of(result.dust.linear), dust.linear) <= 1e-9 * after.linearSize);
    assert_true(fabs(result.dust.energy - dust.energy) <= 1e-9 * after.energy);
    worst->linear = maxD(worst->linear, linear);
    worst->energy = maxD(worst->energy, energy);
    worst->volume = maxD(worst->volume, volume);
    worst->angular = maxD(worst->angular, angular);
    worst->breaks += broken.pieceCount > 1;
    worst->pieces += broken.pieceCount;
    worst->dust += dustCount;
}

static int largestPiece(const shSolid* solid)
{
    int largest = -1;
    double volume = 0.0;
    for (int p = 0; p < shSolid_GetPieceCount(solid); ++p) {
        double one = shSolid_GetPiece(solid, p).volume;
        if (one > volume) {
            volume = one;
            largest = p;
        }
    }
    return largest;
}

static void momentum_is_kept_and_no_energy_made(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "brick", "plate", "torus", "pillar", "bowl"};
    shContext* context = makeContext();
    Worst worst = {.energy = -1.0};
    for (int m = 0; m < 6; ++m) {
        shAsset* asset = cookModel(context, models[m], 0.4f);
        for (int i = 0; i < 90; ++i) {
            Random random = randomSeedItem((uint64_t)m, (uint64_t)i);
            shSolid* solid;
            assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
            for (int generation = 0; generation < 3; ++generation) {
                int piece = largestPiece(solid);
                if (piece >= 0)
                    checkBreak(solid, piece, &random, &worst);
            }
            shDestroySolid(solid);
        }
        shDestroyAsset(asset);
    }
    printf("  %d breaks, %d pieces, %d dust, %d limited: worst linear %.1e, angular %.1e, volume %.1e, energy %.1e\n",
           worst.breaks, worst.pieces, worst.dust, worst.limited, worst.linear, worst.angular, worst.volume,
           worst.energy);
    assert_true(worst.breaks > 1500 && worst.dust > 500 && worst.limited > 200);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- known answers --------------------------------------------------------------------------------------------------

// A box of 1 × 1 × 1 m and 1000 kg, whose centre is at x.
static shPieceInfo cube(double x)
{
    shPieceInfo info = {.volume = 1.0, .mass = 1000.0, .centre = {x, 0.0, 0.0}, .parent = -1};
    for (int k = 0; k < 3; ++k)
        info.inertia[k][k] = 1000.0 / 6.0;
    return info;
}

static const shTransform atHome = {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};

static void two_cubes_are_a_bar(void** unused)
{
    (void)unused;
    shPieceInfo bar = shCombinePieces((shPieceInfo[2]){cube(-0.5), cube(0.5)}, 2);
    assert_true(bar.mass == 2000.0 && bar.volume == 2.0 && bar.centre[0] == 0.0);
    assert_true(fabs(bar.inertia[0][0] - 2000.0 / 6.0) < 1e-9);
    assert_true(fabs(bar.inertia[1][1] - 2000.0 * 5.0 / 12.0) < 1e-9);
    double moments[3], axes[3][3];
    shGetPrincipalAxes(&bar, moments, axes);
    assert_true(fabs(moments[0] - bar.inertia[0][0]) < 1e-9 && fabs(moments[2] - bar.inertia[1][1]) < 1e-9);
    assert_true(axes[0][0] == 1.0 && axes[1][1] == 1.0 && axes[2][2] == 1.0);
    assert_true(shCombinePieces(NULL, 0).mass == 0.0);
}

static void velocity_and_momentum_are_two_views_of_one_motion(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    shPieceInfo bar = shCombinePieces((shPieceInfo[3]){cube(-0.5), cube(0.5), cube(2.0)}, 3);
    for (int i = 0; i < 1000; ++i) {
        shVelocity velocity = randomVelocity(&random);
        shTransform x = randomTransform(&random);
        double about[3], point[3], impulse[3], at[3];
        put(dScale(10.0, randomInBall(&random)), about);
        shMomentum momentum = shGetMomentum(&bar, x, &velocity, about);
        shVelocity back = shGetVelocity(&bar, x, &momentum, about);
        assert_true(dDistance(of(back.linear), of(velocity.linear)) < 1e-10);
        assert_true(dDistance(of(back.angular), of(velocity.angular)) < 1e-9);
        // An impulse adds itself, its moment, and its work; along it the point yields by J / m*.
        double centre[3];
        shGetCentre(&bar, x, centre);
        put(dMad(of(centre), 2.0, randomInBall(&random)), point);
        put(dScale(500.0, randomInBall(&random)), impulse);
        DVec3 j = of(impulse);
        shGetVelocityAt(&bar, x, &velocity, point, at);
        double along = dDot(j, of(at));
        double work = shApplyImpulse(&bar, x, point, impulse, &velocity);
        shMomentum after = shGetMomentum(&bar, x, &velocity, about);
        assert_true(dDistance(of(after.linear), dAdd(of(momentum.linear), j)) < 1e-7);
        DVec3 moment = dCross(dSub(of(point), of(about)), j);
        assert_true(dDistance(of(after.angular), dAdd(of(momentum.angular), moment)) < 1e-5);
        assert_true(fabs(after.energy - momentum.energy - work) < 1e-9 * (after.energy + fabs(work)));
        shGetVelocityAt(&bar, x, &velocity, point, at);
        double yield = (dDot(j, of(at)) - along) / dLength2(j);
        assert_true(fabs(yield - shGetInverseMass(&bar, x, point, impulse)) < 1e-9);
    }
}

static void a_light_piece_does_not_outrun_what_struck_it(void** unused)
{
    (void)unused;
    shContext* context = makeContext();
    shAsset* asset = cookModel(context, "plate", 1.0f);
    Random random = randomSeed(8);
    for (int i = 0; i < 50; ++i) {
        static shFragment fragments[MOST];
        shSolid* solid;
        shBreak broken;
        shFragments result;
        assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
        shPieceInfo body = shSolid_GetPiece(solid, 0);
        shPattern pattern = shDefaultPattern(shClusteredPattern);
        pattern.pieces = 40;
        pattern.seed = randomBits(&random);
        shImpact impact = shDefaultImpact(randomInBox(&random, body.box));
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, &broken, NULL), shOk);
        // A ball of 10 kg comes down at 5 m/s; the plate lies still. Its impulse on the whole, without a bounce:
        shFragmentDef def = shDefaultFragmentDef(atHome, NULL);
        put(dFromV(impact.point), def.blow.point);
        def.blow.limited = true;
        def.blow.velocity[1] = -5.0;
        def.blow.inverseMass = 0.1;
        double down[3] = {0.0, -1.0, 0.0};
        def.blow.impulse[1] = -5.0 / (0.1 + shGetInverseMass(&body, atHome, def.blow.point, down));
        assert_int_equal(shSolid_MakeFragments(solid, &body, &broken, &def, fragments, &result, NULL), shOk);
        assert_true(result.share > 0.0 && result.share < 1.0);
        for (int f = 0; f < broken.pieceCount; ++f) {
            double at[3];
            shGetVelocityAt(&fragments[f].info, atHome, &fragments[f].velocity, def.blow.point, at);
            double ball = -5.0 - result.share * def.blow.impulse[1] * 0.1;
            if (fragments[f].struck)
                assert_true(fabs(at[1] - ball) < 1e-9); // they go on together
            else
                assert_true(dLength(of(fragments[f].velocity.linear)) == 0.0);
        }
        // Without that limit the piece would be shot away.
        assert_true(result.work < 0.5 * 10.0 * 25.0);
        shDestroySolid(solid);
    }
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
}

static void what_makes_no_sense_is_refused(void** unused)
{
    (void)unused;
    shContext* context = makeContext();
    shAsset* asset = cookModel(context, "box", 0.5f);
    shSolid* solid;
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    shPieceInfo body = shSolid_GetPiece(solid, 0);
    shFragment fragment;
    shFragments result;
    shMessage message;
    int piece = 0;
    shBreak whole = {1, &piece};
    shFragmentDef good = shDefaultFragmentDef(atHome, NULL), def = good;
    // Nothing broke: the body goes on, and never as dust.
    def.dustVolume = 1e9;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &def, &fragment, &result, &message), shOk);
    assert_true(!fragment.dust && result.dustCount == 0 && shSolid_HasPiece(solid, 0));
    def = good, def.cookie = 0;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &def, &fragment, &result, &message), shInvalid);
    def = good, def.dustVolume = -1.0;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &def, &fragment, &result, &message), shInvalid);
    def = good, def.velocity.angular[1] = NAN;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &def, &fragment, &result, &message), shInvalid);
    def = good, def.blow.point[2] = 1e30;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &def, &fragment, &result, &message), shInvalid);
    def = good, def.blow.limited = true, def.blow.restitution = 2.0;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &def, &fragment, &result, &message), shInvalid);
    shPieceInfo nothing = {0};
    assert_int_equal(shSolid_MakeFragments(solid, &nothing, &whole, &good, &fragment, &result, &message), shInvalid);
    piece = 7;
    assert_int_equal(shSolid_MakeFragments(solid, &body, &whole, &good, &fragment, &result, &message), shInvalid);
    shDestroySolid(solid);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept_and_no_energy_made),
        cmocka_unit_test(two_cubes_are_a_bar),
        cmocka_unit_test(velocity_and_momentum_are_two_views_of_one_motion),
        cmocka_unit_test(a_light_piece_does_not_outrun_what_struck_it),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Sweeps that let bodies into each other up to a depth, as continuous collision asks for them, against a twin that
// follows every sample of both through many moments: nothing gets deeper unseen, what is reported is there, and most
// pairs that pass each other are told so without a look at any surface.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/query.h"
#include "collide/target.h"
#include "core/constants.h"
#include "core/quat.h"
#include "test/moving.h"
#include "test/tree_walk.h"

static Moving scene; // of all tests

// How deep the deepest of a piece's samples is in the other, −distance; negative: all are outside. `in` takes the
// samples' frame to the other's.
static float deepestOf(const shCollider* samples, const shCollider* other, const shShape* shape, shTransform in)
{
    const PieceTrees* trees = &samples->solid->trees;
    const TreePoint* points = treesPoints(trees);
    Target target = other != NULL ? targetPiece(other->solid, other->piece) : targetShape(shape);
    float deepest = -INFINITY;
    int root = treesRoot(trees, samples->piece);
    for (int at = root; at >= 0; at = treeNext(points, root, at)) {
        Vec3 p = xformPoint(in, points[at].p);
        if (other == NULL) {
            deepest = maxF(deepest, -targetSample(&target, p).distance);
        } else if (boxDistance2(target.box, p) == 0.0f) {
            FieldHit hit;
            if (fieldProbe(&other->solid->field, other->piece, &(FieldProbe){.p = p}, &hit))
                deepest = maxF(deepest, -hit.distance);
        }
    }
    return deepest;
}

static float deepestAt(const Course* c, float fraction)
{
    shTransform a = shMotion_GetTransform(&c->motions[0], c->a.transform, fraction);
    shTransform b = shMotion_GetTransform(&c->motions[1], c->b.transform, fraction);
    shTransform toB = xformMul(xformInverse(b), a), toA = xformInverse(toB);
    if (c->b.solid != NULL)
        return maxF(deepestOf(&c->a, &c->b, NULL, toB), deepestOf(&c->b, &c->a, NULL, toA));
    float deepest = deepestOf(&c->a, NULL, &c->shape, toB);
    for (int i = 0; i < targetShapeSampleCount(&c->shape); ++i) {
        float thickness;
        Vec3 p = xformPoint(toA, targetShapeSample(&c->shape, i, &thickness));
        FieldHit hit;
        if (fieldProbeFar(&c->a.solid->field, c->a.piece, p, thickness, &hit))
            deepest = maxF(deepest, thickness - hit.distance);
    }
    return deepest;
}

typedef struct Tally {
    int touching, passing, free; // free: passing without a probe
} Tally;

// float transforms in the twin; the sweep's are double
static const float rounding = 2e-6f, touch = 2e-5f;

static void checkCourse(const Course* c, float depth, Tally* tally)
{
    enum { TIMES = 48 };
    shSweepDef def = shDefaultSweepDef();
    def.tolerance = touch;
    def.depth[0] = def.depth[1] = depth;
    shSweepHit hit = sweepOf(&scene, c, &def);
    for (int i = 0; i < TIMES && hit.fraction > 0.0f; ++i)
        assert_true(deepestAt(c, hit.fraction * (float)i / TIMES) < depth + rounding);
    if (hit.touches && !hit.cut) {
        for (float before = 1e-4f; before < hit.fraction; before *= 4.0f)
            assert_true(deepestAt(c, hit.fraction - before) < depth + rounding);
        assert_true(deepestAt(c, hit.fraction) > depth - touch - rounding);
        assert_true(hit.distance <= touch - depth + rounding);
    }
    tally->touching += hit.touches;
    if (hit.touches)
        return;
    assert_true(deepestAt(c, 1.0f) < depth + rounding);
    ++tally->passing;
    tally->free += hit.probes == 0;
}

// Two pieces of one solid as they come out of a break: side by side, hardly apart, with motions of their own.
static Course siblings(Random* random, const shSolid* solid, float moved, float length, float turn)
{
    int count = shSolid_GetPieceCount(solid), a = randomBelow(random, count);
    shTransform place = {vFromD(randomInBall(random)), randomRotation(random)};
    Course c = {.a = {solid, a, place}, .b = {solid, (a + 1 + randomBelow(random, count - 1)) % count, place}};
    c.b.transform.p = vMad(place.p, moved, vFromD(randomInBall(random)));
    Vec3 together = vScale(0.1f, vFromD(randomInBall(random))), spin = vScale(turn, vFromD(randomInBall(random)));
    shCollider* colliders[2] = {&c.a, &c.b};
    for (int k = 0; k < 2; ++k)
        c.motions[k] = (shMotion){centreOf(colliders[k]), vMad(together, length, vFromD(randomInBall(random))),
                                  vMad(spin, 0.3f * turn, vFromD(randomInBall(random)))};
    return c;
}

static void siblings_get_no_deeper_than_allowed(void** unused)
{
    (void)unused;
    Random random = randomSeed(31);
    Tally tally = {0};
    for (int i = 0; i < 2000; ++i) {
        const shSolid* solid = i % 2 ? scene.shards : scene.bits;
        float moved = i % 3 == 0 ? 0.0f : 5e-4f;
        Course c = siblings(&random, solid, moved, randomRange(&random, 0.0f, 0.01f), i % 4 == 0 ? 0.0f : 0.2f);
        checkCourse(&c, randomRange(&random, 6e-4f, 2e-3f), &tally);
    }
    printf("siblings: %d touch, %d pass, %d of them for free\n", tally.touching, tally.passing, tally.free);
    assert_true(tally.touching > 200 && tally.passing > 600);
    assert_true(2 * tally.free > tally.passing);
}

static void strangers_get_no_deeper_than_allowed(void** unused)
{
    (void)unused;
    Random random = randomSeed(32);
    Tally tally = {0};
    for (int i = 0; i < 2000; ++i) {
        const shSolid* a = i % 2 ? scene.shards : scene.pane;
        const shSolid* b = i % 4 < 2 ? scene.bits : scene.shards;
        Course c = randomCourse(&random, a, b, NULL, randomRange(&random, 0.0f, 0.3f), i % 3 == 0 ? 0.0f : 2.0f);
        // Half of them aside, so that they pass close by.
        if (i % 8 < 4)
            c.b.transform.p = vMad(c.b.transform.p, 0.05f, vFromD(randomDirection(&random)));
        checkCourse(&c, randomRange(&random, 3e-4f, 2e-3f), &tally);
    }
    printf("strangers: %d touch, %d pass, %d of them for free\n", tally.touching, tally.passing, tally.free);
    assert_true(tally.touching > 600 && tally.passing > 200);
    assert_true(2 * tally.free > tally.passing);
}

static void shapes_get_no_deeper_than_allowed(void** unused)
{
    (void)unused;
    static const shShape shapes[] = {{.type = shSphereShape, .radius = 0.02f},
                                     {.type = shCapsuleShape, .radius = 0.006f, .halfHeight = 0.01f},
                                     {.type = shBoxShape, .halfExtent = {0.01f, 0.015f, 0.01f}},
                                     {.type = shPlaneShape}};
    Random random = randomSeed(33);
    Tally tally = {0};
    for (int i = 0; i < 1200; ++i) {
        const shSolid* a = i % 3 == 0 ? scene.pane : i % 3 == 1 ? scene.shards : scene.bits;
        Course c = randomCourse(&random, a, NULL, &shapes[i / 3 % 4], randomRange(&random, 0.0f, 0.1f), 0.5f);
        if (i % 8 < 4)
            c.b.transform.p = vMad(c.b.transform.p, 0.03f, vFromD(randomDirection(&random)));
        checkCourse(&c, randomRange(&random, 3e-4f, 2e-3f), &tally);
    }
    printf("shapes: %d touch, %d pass, %d of them for free\n", tally.touching, tally.passing, tally.free);
    assert_true(tally.touching > 300 && tally.passing > 100);
}

// What is deep at the start: one sweep that lets it in says what many do, each of which lets in a little more.
static void a_rise_is_as_many_sweeps(void** unused)
{
    (void)unused;
    const float walls[2] = {4e-3f, 3e-3f};
    Random random = randomSeed(34);
    int risen = 0, touching = 0;
    for (int i = 0; i < 2000; ++i) {
        const shSolid* solid = i % 2 ? scene.shards : scene.bits;
        Course c = siblings(&random, solid, 3e-3f, randomRange(&random, 0.0f, 0.01f), i % 4 == 0 ? 0.0f : 0.2f);
        shSweepDef def = shDefaultSweepDef();
        def.tolerance = touch;
        shSweepHit twin = {.fraction = 1.0f};
        float first = 4e-4f, depth = first;
        for (; depth < walls[0]; depth *= TOI_DEEPER) {
            def.depth[0] = depth < walls[1] ? depth : INFINITY;
            def.depth[1] = depth < walls[0] ? depth : INFINITY;
            twin = sweepOf(&scene, &c, &def);
            if (!twin.touches || twin.fraction > 0.0f)
                break;
            twin = (shSweepHit){.fraction = 1.0f};
        }
        SweepRise rise = {first, TOI_DEEPER, {walls[0], walls[1]}};
        def.depth[0] = def.depth[1] = first;
        scene.query->rise = &rise;
        shSweepHit hit = sweepOf(&scene, &c, &def);
        scene.query->rise = NULL;
        assert_true(fabsf(rise.depth - depth) < 1e-6f || (rise.depth >= walls[0] && depth >= walls[0]));
        assert_int_equal(hit.touches, twin.touches);
        // Which of two samples that touch within the tolerance is seen is chance.
        if (hit.touches)
            assert_true(deepestAt(&c, hit.fraction) > rise.depth - touch - rounding || rise.depth >= walls[1]);
        risen += rise.depth > first;
        touching += hit.touches;
    }
    printf("rises: %d of 2000, %d touch later\n", risen, touching);
    assert_true(risen > 200 && touching > 100);
}

// Two pieces that start apart, or touching: no sample gets deeper unseen, but for what an arc strays from its chords,
// and what is reported is there. A course turns by up to two radians.
static void checkCores(const Course* c, float depth, Tally* tally)
{
    enum { TIMES = 48 };
    shSweepDef def = shDefaultSweepDef();
    def.tolerance = touch;
    def.depth[0] = def.depth[1] = depth;
    SweepRise rise = {.depth = depth, .factor = TOI_DEEPER, .walls = {INFINITY, INFINITY}};
    scene.query->rise = &rise;
    scene.query->cores = true;
    shSweepHit hit = sweepOf(&scene, c, &def);
    scene.query->rise = NULL;
    scene.query->cores = false;
    float strays = 0.25f * depth + rounding;
    for (int i = 0; i < TIMES && hit.fraction > 0.0f; ++i)
        assert_true(deepestAt(c, hit.fraction * (float)i / TIMES) < depth + strays);
    tally->touching += hit.touches;
    if (hit.touches) {
        assert_true(deepestAt(c, hit.fraction) > depth - touch - strays);
        return;
    }
    assert_true(deepestAt(c, 1.0f) < depth + strays);
    ++tally->passing;
    tally->free += hit.probes == 0;
}

static void cores_let_nothing_deeper_unseen(void** unused)
{
    (void)unused;
    Random random = randomSeed(35);
    Tally tally = {0};
    for (int i = 0; i < 3000; ++i) {
        const shSolid* solid = i % 2 ? scene.shards : scene.bits;
        float depth = randomRange(&random, 6e-4f, 2e-3f), turn = i % 4 == 0 ? 0.0f : i % 4 == 1 ? 2.0f : 0.2f;
        Course c = siblings(&random, solid, i % 3 == 0 ? 0.0f : 5e-4f, randomRange(&random, 0.0f, 0.03f), turn);
        if (deepestAt(&c, 0.0f) < 0.2f * depth)
            checkCores(&c, depth, &tally);
    }
    printf("cores: %d touch, %d pass, %d of them for free\n", tally.touching, tally.passing, tally.free);
    assert_true(tally.touching > 300 && tally.passing > 300);
}

static int setUpAll(void** unused)
{
    (void)unused;
    setUp(&scene, (shAllocator){0});
    return 0;
}

static int tearDownAll(void** unused)
{
    (void)unused;
    tearDown(&scene);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_get_no_deeper_than_allowed), cmocka_unit_test(strangers_get_no_deeper_than_allowed),
        cmocka_unit_test(shapes_get_no_deeper_than_allowed),   cmocka_unit_test(a_rise_is_as_many_sweeps),
        cmocka_unit_test(cores_let_nothing_deeper_unseen),
    };
    return cmocka_run_group_tests(tests, setUpAll, tearDownAll);
}

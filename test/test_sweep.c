// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// First touches: never later than what the full query finds at many times, never without a touch to show for it,
// exact where the answer is known, careful when cut short.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/failing_allocator.h"
#include "test/moving.h"

static Moving scene; // of all tests
static const float smallRadius = 0.01f, tolerance = 2e-5f;

// Full queries at many times before the answer: uniform, and dense just before it.
static void checkAgainstFullQueries(const Course* c, const shSweepHit* hit, int steps)
{
    // Rounding of transforms in float; the sweep's are double.
    const float rounding = 1e-6f;
    for (int i = 0; i < steps && hit->fraction > 0.0f; ++i) {
        float t = hit->fraction * (float)i / (float)steps;
        assert_true(closestAt(&scene, c, t, 0.0f, NULL) > -rounding);
    }
    if (!hit->touches || hit->cut)
        return;
    for (float before = 1e-5f; before < hit->fraction; before *= 4.0f)
        assert_true(closestAt(&scene, c, hit->fraction - before, 0.0f, NULL) > -rounding);
    shContact closest = {0};
    float distance = closestAt(&scene, c, hit->fraction, 2.0f * tolerance, &closest);
    assert_true(distance > (hit->fraction > 0.0f ? -rounding : -INFINITY));
    assert_true(distance < tolerance + rounding);
    assert_true(fabsf(vLength(hit->normal) - 1.0f) < 1e-4f);
    assert_true(hit->distance <= tolerance);
    if (closest.id == hit->id && hit->fraction > 0.0f)
        assert_true(vDistance(closest.point, hit->point) < 5e-6f);
}

static int sweepMany(const shSolid* a, const shSolid* b, const shShape* shape, int count, uint64_t seed)
{
    Random random = randomSeed(seed);
    shSweepDef def = shDefaultSweepDef();
    def.tolerance = tolerance;
    int touching = 0, cut = 0;
    for (int i = 0; i < count; ++i) {
        // From 1 to 100 m/s at 30 Hz; a third of them do not turn.
        float length = 0.033f * (float)(1 + 99 * (i % 5) / 4);
        Course c = randomCourse(&random, a, b, shape, length, i % 3 == 0 ? 0.0f : 3.0f);
        shSweepHit hit = sweepOf(&scene, &c, &def);
        checkAgainstFullQueries(&c, &hit, 40);
        touching += hit.touches;
        cut += hit.cut;
    }
    assert_true(cut <= count / 25);
    return touching;
}

static void no_ball_passes_a_pane(void** unused)
{
    (void)unused;
    shShape ball = {.type = shSphereShape, .radius = smallRadius};
    // Aimed at a point of the pane's inside: all must hit.
    assert_int_equal(sweepMany(scene.pane, NULL, &ball, 200, 1), 200);
    assert_int_equal(sweepMany(scene.pane, scene.ball, NULL, 150, 2), 150);
}

static void no_piece_passes_another(void** unused)
{
    (void)unused;
    shShape ball = {.type = shSphereShape, .radius = smallRadius};
    assert_true(sweepMany(scene.shards, NULL, &ball, 150, 3) > 100);
    assert_true(sweepMany(scene.shards, scene.ball, NULL, 150, 4) > 100);
    assert_true(sweepMany(scene.pane, scene.bits, NULL, 150, 5) > 130);
    assert_true(sweepMany(scene.pane, scene.shards, NULL, 100, 6) > 90);
    assert_true(sweepMany(scene.shards, scene.shards, NULL, 100, 7) > 60);
}

static void other_shapes_stop_too(void** unused)
{
    (void)unused;
    shShape capsule = {.type = shCapsuleShape, .radius = 0.004f, .halfHeight = 0.01f};
    shShape box = {.type = shBoxShape, .halfExtent = {0.01f, 0.01f, 0.01f}};
    shShape plane = {.type = shPlaneShape};
    assert_true(sweepMany(scene.pane, NULL, &capsule, 50, 8) > 40);
    assert_true(sweepMany(scene.shards, NULL, &box, 50, 9) > 30);
    assert_true(sweepMany(scene.shards, NULL, &plane, 50, 10) > 40);
}

static void a_ball_stops_on_the_face_it_flies_at(void** unused)
{
    (void)unused;
    shSweepDef def = shDefaultSweepDef();
    def.tolerance = tolerance;
    for (int solid = 0; solid < 2; ++solid) {
        for (float speed = 1.0f; speed <= 100.0f; speed *= 10.0f) {
            float length = speed / 30.0f, start = 0.5f * length + 0.02f;
            Course c = {.a = {solid == 0 ? scene.pane : scene.shards, 0, {{0}, {{0}, 1.0f}}},
                        .b = {NULL, 0, {{0}, {{0}, 1.0f}}},
                        .shape = {.type = shSphereShape, .radius = smallRadius}};
            Vec3 at = solid == 0 ? vec3(0.0137f, 0.0f, -0.0411f) : centreOf(&c.a);
            c.b.transform.p = vec3(at.x, start, at.z);
            c.motions[1].shift = vec3(0.0f, -length, 0.0f);
            shSweepHit hit = sweepOf(&scene, &c, &def);
            float exact = (start - smallRadius - 0.0025f) / length;
            if (exact >= 1.0f) {
                assert_false(hit.touches);
                continue;
            }
            assert_true(hit.touches && !hit.cut);
            assert_true(hit.fraction <= exact && hit.fraction > exact - 1.01f * tolerance / length);
            assert_true(hit.normal.y < -0.9999f);
            assert_true(fabsf(hit.point.y - 0.0025f) < 2.0f * tolerance);
        }
    }
}

static void what_overlaps_touches_at_once_and_what_rests_apart_never(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    shSweepDef def = shDefaultSweepDef();
    for (int i = 0; i < 100; ++i) {
        Course c = randomCourse(&random, i % 2 ? scene.pane : scene.shards, scene.ball, NULL, 1.0f, 1.0f);
        shTransform later = shMotion_GetTransform(&c.motions[0], c.a.transform, 0.3f);
        // Centre in centre: overlapping.
        c.a.transform = later;
        c.b.transform.p = vSub(xformPoint(later, centreOf(&c.a)), qRotate(c.b.transform.q, c.motions[1].centre));
        if (closestAt(&scene, &c, 0.0f, 0.0f, NULL) < 0.0f) {
            shSweepHit hit = sweepOf(&scene, &c, &def);
            assert_true(hit.touches && hit.fraction == 0.0f);
        }
        c.motions[0] = c.motions[1] = (shMotion){0};
        c.b.transform.p = vAdd(c.b.transform.p, vec3(0.2f, 0.2f, 0.2f));
        assert_false(sweepOf(&scene, &c, &def).touches);
    }
}

static void a_sweep_cut_short_is_early_not_blind(void** unused)
{
    (void)unused;
    Random random = randomSeed(21);
    shSweepDef def = shDefaultSweepDef();
    def.tolerance = tolerance;
    int cuts = 0;
    for (int i = 0; i < 300; ++i) {
        Course c = randomCourse(&random, scene.shards, i % 2 ? scene.ball : scene.bits, NULL, 1.0f, 2.0f);
        shSweepHit whole = sweepOf(&scene, &c, &def);
        def.maxProbes = 1 + randomBelow(&random, 200);
        shSweepHit hit = sweepOf(&scene, &c, &def);
        def.maxProbes = 0;
        assert_true(hit.fraction <= whole.fraction);
        assert_true(hit.touches || !whole.touches);
        if (hit.cut)
            assert_true(fabsf(vLength(hit.normal) - 1.0f) < 1e-4f && vFinite(hit.point));
        else
            assert_true(hit.fraction == whole.fraction && hit.id == whole.id);
        cuts += hit.cut;
    }
    assert_true(cuts > 30);
}

static void motions_lead_from_one_transform_to_the_other(void** unused)
{
    (void)unused;
    Random random = randomSeed(13);
    for (int i = 0; i < 1000; ++i) {
        shTransform from = {vFromD(randomInBall(&random)), randomRotation(&random)};
        shTransform to = {vFromD(randomInBall(&random)), randomRotation(&random)};
        shMotion motion = shMotionBetween(from, to, vFromD(randomInBall(&random)));
        assert_true(vLength(motion.turn) < 3.1416f);
        Vec3 p = vFromD(randomInBall(&random));
        shTransform start = shMotion_GetTransform(&motion, from, 0.0f),
                    end = shMotion_GetTransform(&motion, from, 1.0f);
        assert_true(vDistance(xformPoint(start, p), xformPoint(from, p)) < 1e-6f);
        assert_true(vDistance(xformPoint(end, p), xformPoint(to, p)) < 2e-6f);
        // Half way the centre is half way.
        shTransform half = shMotion_GetTransform(&motion, from, 0.5f);
        Vec3 middle = vLerp(xformPoint(from, motion.centre), xformPoint(to, motion.centre), 0.5f);
        assert_true(vDistance(xformPoint(half, motion.centre), middle) < 1e-6f);
    }
}

static void bad_arguments_and_a_lack_of_memory_are_reported(void** unused)
{
    (void)unused;
    TestAllocator allocator = {0};
    Moving m;
    setUp(&m, testAllocatorHooks(&allocator));
    Random random = randomSeed(2);
    Course c = randomCourse(&random, m.shards, m.bits, NULL, 1.0f, 1.0f);
    shSweepDef def = shDefaultSweepDef();
    shSweepHit hit;
    shMessage message;
    for (int n = 1;; ++n) {
        shQuery* query;
        assert_int_equal(shCreateQuery(m.context, &query, NULL), shOk);
        allocator.failAt = atomic_load(&allocator.calls) + n;
        shStatus status = shSweep(query, &def, &c.a, &c.motions[0], &c.b, &c.motions[1], &hit, NULL);
        allocator.failAt = 0;
        shDestroyQuery(query);
        if (status == shOk) {
            assert_true(n > 1);
            break;
        }
        assert_int_equal(status, shOutOfMemory);
    }
    shMotion bad = {.turn = {NAN, 0.0f, 0.0f}};
    assert_int_equal(shSweep(m.query, &def, &c.a, &bad, &c.b, &c.motions[1], &hit, &message), shInvalid);
    c.b.piece = 99;
    assert_int_equal(shSweep(m.query, &def, &c.a, &c.motions[0], &c.b, &c.motions[1], &hit, &message), shInvalid);
    assert_non_null(strstr(message.text, "piece 99"));
    shShape shape = {.type = shSphereShape, .radius = -1.0f};
    assert_int_equal(
        shSweepShape(m.query, &def, &c.a, &c.motions[0], &shape, c.b.transform, &c.motions[1], &hit, &message),
        shInvalid);
    def.cookie = 0;
    shape.radius = 1.0f;
    assert_int_equal(
        shSweepShape(m.query, &def, &c.a, &c.motions[0], &shape, c.b.transform, &c.motions[1], &hit, &message),
        shInvalid);
    tearDown(&m);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
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
        cmocka_unit_test(no_ball_passes_a_pane),
        cmocka_unit_test(no_piece_passes_another),
        cmocka_unit_test(other_shapes_stop_too),
        cmocka_unit_test(a_ball_stops_on_the_face_it_flies_at),
        cmocka_unit_test(what_overlaps_touches_at_once_and_what_rests_apart_never),
        cmocka_unit_test(a_sweep_cut_short_is_early_not_blind),
        cmocka_unit_test(motions_lead_from_one_transform_to_the_other),
        cmocka_unit_test(bad_arguments_and_a_lack_of_memory_are_reported),
    };
    return cmocka_run_group_tests(tests, setUpAll, tearDownAll);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts between pieces: the full query finds what brute force finds, selection keeps few but deep ones, contacts
// persist, shapes answer exactly.
#include "core/closest.h"
#include "core/random.h"
#include "sherd/collide.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Scene {
    shContext* context;
    shAsset* asset;
    shSolid* solid;
    shQuery* query;
    float size;
} Scene;

static void setUp(Scene* scene, const char* model, float detail)
{
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene->context, NULL), shOk);
    assert_int_equal(shCookModel(scene->context, model, detail, &cook, &scene->asset, NULL), shOk);
    assert_int_equal(shCreateSolid(scene->asset, &scene->solid, NULL), shOk);
    assert_int_equal(shCreateQuery(scene->context, &scene->query, NULL), shOk);
    scene->size = vLength(boxSize(scene->asset->box));
}

static void tearDown(Scene* scene)
{
    shDestroyQuery(scene->query);
    shDestroySolid(scene->solid);
    shDestroyAsset(scene->asset);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

static void breakInto(Scene* scene, shSolid* solid, int piece, int sites, Random* random)
{
    Vec3 at[32];
    shBox box = shSolid_GetPiece(solid, piece).box;
    for (int i = 0; i < sites; ++i)
        at[i] = randomInBox(random, box);
    assert_int_equal(shSolid_BreakVoronoi(solid, piece, at, sites, NULL, NULL), shOk);
    (void)scene;
}

typedef struct Surface {
    Vec3 (*triangles)[3];
    int count;
} Surface;

static Surface surfaceOf(const shSolid* solid, int piece)
{
    Surface s = {NULL, shSolid_GetTriangles(solid, piece, NULL, NULL, 0)};
    s.triangles = malloc(sizeof(Vec3[3]) * (size_t)s.count);
    shSolid_GetTriangles(solid, piece, s.triangles, NULL, s.count);
    return s;
}

static float signedDistance(const Surface* s, Vec3 point)
{
    DVec3 p = dFromV(point);
    double winding = 0.0;
    float best = INFINITY;
    for (int i = 0; i < s->count; ++i) {
        const Vec3* t = s->triangles[i];
        best = minF(best, vDistance2(point, closestOnTriangle(point, t[0], t[1], t[2])));
        DVec3 a = dSub(dFromV(t[0]), p), b = dSub(dFromV(t[1]), p), c = dSub(dFromV(t[2]), p);
        double la = dLength(a), lb = dLength(b), lc = dLength(c);
        double down = la * lb * lc + dDot(a, b) * lc + dDot(b, c) * la + dDot(c, a) * lb;
        winding += atan2(dDot(a, dCross(b, c)), down);
    }
    return winding > 3.14159265 ? -sqrtf(best) : sqrtf(best);
}

static bool reported(const shContact* contacts, int count, uint32_t id, float* distance)
{
    for (int i = 0; i < count; ++i) {
        if (contacts[i].id == id) {
            *distance = contacts[i].distance;
            return true;
        }
    }
    return false;
}

static int compareAll(Scene* scene, const shCollider colliders[2], float margin)
{
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    def.margin = margin;
    const shContact* contacts;
    int count, expected = 0;
    assert_int_equal(shCollide(scene->query, &def, &colliders[0], &colliders[1], NULL, &contacts, &count, NULL), shOk);
    for (int side = 0; side < 2; ++side) {
        const shCollider *mine = &colliders[side], *other = &colliders[1 - side];
        Surface s = surfaceOf(other->solid, other->piece);
        const TreePoint* points = treesPoints(&mine->solid->trees);
        int all = mine->solid->asset->mesh.nodeCount + 2 * mine->solid->field.cuts.count;
        for (int p = 0; p < all; ++p) {
            float distance = 0.0f;
            bool is = reported(contacts, count, (uint32_t)side << 31 | (uint32_t)p, &distance);
            if (treePointLabel(&mine->solid->field, p) != mine->piece) {
                assert_false(is);
                continue;
            }
            Vec3 at = xformUnpoint(other->transform, xformPoint(mine->transform, points[p].p));
            if (boxDistance2(shSolid_GetPiece(other->solid, other->piece).box, at) > 4.0f * margin * margin) {
                assert_false(is);
                continue;
            }
            float exact = signedDistance(&s, at);
            if (fabsf(exact - margin) < 2e-5f * scene->size)
                continue;
            if (is != (exact < margin))
                printf("side %d point %d exact %g margin %g\n", side, p, (double)exact, (double)margin);
            assert_int_equal(is, exact < margin);
            expected += is;
        }
        free(s.triangles);
    }
    return expected;
}

static shTransform nearby(const Scene* scene, Random* random, float apart)
{
    shTransform x = {.q = randomRotation(random)};
    x.p = vScale(apart * scene->size, vFromD(randomDirection(random)));
    return x;
}

static void the_full_query_finds_what_brute_force_finds(void** unused)
{
    (void)unused;
    static const char* const models[] = {"brick", "torus", "bowl"};
    Random random = randomSeed(4);
    int found = 0;
    for (int m = 0; m < 3; ++m) {
        Scene scene;
        setUp(&scene, models[m], 0.5f);
        shSolid* other;
        assert_int_equal(shCreateSolid(scene.asset, &other, NULL), shOk);
        for (int generation = 0; generation < 3; ++generation) {
            for (int trial = 0; trial < 4; ++trial) {
                shCollider pair[2] = {
                    {scene.solid, randomBelow(&random, shSolid_GetPieceCount(scene.solid)),
                     nearby(&scene, &random, 0.0f)},
                    {other, randomBelow(&random, shSolid_GetPieceCount(other)), nearby(&scene, &random, 0.25f)}};
                found += compareAll(&scene, pair, 0.003f * scene.size);
            }
            breakInto(&scene, scene.solid, randomBelow(&random, shSolid_GetPieceCount(scene.solid)), 4, &random);
            breakInto(&scene, other, randomBelow(&random, shSolid_GetPieceCount(other)), 3, &random);
        }
        shDestroySolid(other);
        tearDown(&scene);
    }
    assert_true(found > 200);
}

static void selection_is_small_and_as_deep_as_the_full_query(void** unused)
{
    (void)unused;
    Random random = randomSeed(8);
    Scene scene;
    setUp(&scene, "torus", 1.0f);
    int touching = 0;
    for (int trial = 0; trial < 200; ++trial) {
        shCollider a = {scene.solid, 0, nearby(&scene, &random, 0.0f)};
        shCollider b = {scene.solid, 0, nearby(&scene, &random, 0.45f)};
        shCollideDef def = shDefaultCollideDef();
        const shContact* contacts;
        int count;
        def.all = true;
        assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, NULL), shOk);
        float deepest = 0.0f;
        for (int i = 0; i < count; ++i)
            deepest = minF(deepest, contacts[i].distance);
        def.all = false;
        assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, NULL), shOk);
        assert_true(count <= SH_MAX_CONTACTS);
        float selected = 0.0f;
        for (int i = 0; i < count; ++i) {
            selected = minF(selected, contacts[i].distance);
            assert_true(fabsf(vLength(contacts[i].normal) - 1.0f) < 1e-4f);
        }
        if (deepest < -0.002f * scene.size) {
            ++touching;
            assert_true(selected <= 0.75f * deepest);
        }
    }
    assert_true(touching > 50);
    tearDown(&scene);
}

// Speculative contacts: of all samples within a wide margin the one that will touch first is among the few selected.
static void what_will_touch_first_is_selected(void** unused)
{
    (void)unused;
    Random random = randomSeed(9);
    Scene scene;
    setUp(&scene, "plate", 1.0f);
    breakInto(&scene, scene.solid, 0, 6, &random);
    shShape ground = {.type = shPlaneShape};
    const shTransform level = {{0, 0, 0}, {{0, 0, 0}, 1}};
    for (int trial = 0; trial < 300; ++trial) {
        shCollider piece = {scene.solid, trial % shSolid_GetPieceCount(scene.solid), {.q = randomRotation(&random)}};
        shCollideDef def = shDefaultCollideDef();
        const shContact* contacts;
        int count;
        float lowest[3] = {0.0f};
        // All the way up to the lowest point, then that point at a given height.
        for (int pass = 0; pass < 3; ++pass) {
            def.margin = pass == 0 ? 1.0f : 0.02f;
            def.tolerance = 0.0001f;
            def.all = pass < 2;
            assert_int_equal(shCollideShape(scene.query, &def, &piece, &ground, level, NULL, &contacts, &count, NULL),
                             shOk);
            lowest[pass] = INFINITY;
            for (int i = 0; i < count; ++i)
                lowest[pass] = minF(lowest[pass], contacts[i].distance);
            if (pass == 0)
                piece.transform.p.y = randomRange(&random, 0.0f, 0.015f) - lowest[0];
        }
        assert_true(count <= SH_FIRST_CONTACTS);
        assert_true(lowest[2] <= lowest[1] + def.tolerance);
    }
    tearDown(&scene);
}

static void a_resting_box_keeps_its_contacts(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "brick", 1.0f);
    shPair pair = {0};
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.001f;
    shShape ground = {.type = shPlaneShape};
    uint32_t first[SH_MAX_CONTACTS];
    for (int step = 0; step < 20; ++step) {
        shCollider brick = {scene.solid, 0, {{0.0f, -0.0002f + 0.00001f * (float)step, 0.0f}, {{0, 0, 0}, 1}}};
        const shContact* contacts;
        int count;
        assert_int_equal(shCollideShape(scene.query, &def, &brick, &ground, (shTransform){{0, 0, 0}, {{0, 0, 0}, 1}},
                                        &pair, &contacts, &count, NULL),
                         shOk);
        assert_int_equal(count, SH_FIRST_CONTACTS);
        for (int i = 0; i < count; ++i) {
            assert_true(fabsf(contacts[i].normal.y - 1.0f) < 1e-6f);
            assert_true(fabsf(contacts[i].point.y - contacts[i].distance) < 1e-6f);
            if (step == 0)
                first[i] = contacts[i].id;
            assert_true(contacts[i].id == first[i]);
        }
    }
    assert_int_equal(pair.limit, SH_FIRST_CONTACTS);
    tearDown(&scene);
}

static void siblings_touch_without_overlap_right_after_the_break(void** unused)
{
    (void)unused;
    Random random = randomSeed(12);
    Scene scene;
    setUp(&scene, "plate", 1.0f);
    breakInto(&scene, scene.solid, 0, 10, &random);
    int pairs = 0;
    for (int a = 0; a < shSolid_GetPieceCount(scene.solid); ++a) {
        for (int b = a + 1; b < shSolid_GetPieceCount(scene.solid); ++b) {
            shTransform same = {{0.1f, 0.2f, -0.3f}, {{0, 0, 0}, 1}};
            shCollider first = {scene.solid, a, same}, second = {scene.solid, b, same};
            shCollideDef def = shDefaultCollideDef();
            def.margin = 1e-4f;
            def.all = true;
            const shContact* contacts;
            int count;
            assert_int_equal(shCollide(scene.query, &def, &first, &second, NULL, &contacts, &count, NULL), shOk);
            pairs += count > 0;
            for (int i = 0; i < count; ++i)
                assert_true(contacts[i].distance > -1e-6f * scene.size);
        }
    }
    assert_true(pairs >= 9);
    tearDown(&scene);
}

static void siblings_are_no_deeper_than_they_have_moved(void** unused)
{
    (void)unused;
    Random random = randomSeed(31);
    Scene scene;
    setUp(&scene, "torus", 0.5f);
    breakInto(&scene, scene.solid, 0, 8, &random);
    int overlapping = 0;
    for (int trial = 0; trial < 300; ++trial) {
        int count = shSolid_GetPieceCount(scene.solid), a = randomBelow(&random, count),
            b = randomBelow(&random, count);
        if (a == b)
            continue;
        float moved = 0.01f * scene.size * randomFloat(&random);
        shCollider first = {scene.solid, a, {{0, 0, 0}, {{0, 0, 0}, 1}}}, second = first;
        second.piece = b;
        second.transform.p = vScale(moved, vFromD(randomDirection(&random)));
        shCollideDef def = shDefaultCollideDef();
        const shContact* contacts;
        int contactCount;
        float deepest[2];
        for (int all = 0; all < 2; ++all) {
            def.all = all == 1;
            assert_int_equal(shCollide(scene.query, &def, &first, &second, NULL, &contacts, &contactCount, NULL), shOk);
            deepest[all] = 0.0f;
            for (int i = 0; i < contactCount; ++i)
                deepest[all] = minF(deepest[all], contacts[i].distance);
        }
        assert_true(-deepest[1] <= moved + 1e-5f * scene.size);
        // What selection leaves out is within its promise.
        float tolerance = 0.002f * scene.size;
        if (-deepest[1] > tolerance) {
            ++overlapping;
            assert_true(-deepest[0] >= 0.75f * -deepest[1]);
        }
    }
    assert_true(overlapping > 10);
    tearDown(&scene);
}

static void one_solid_in_two_places_is_like_two_solids(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "box", 2.0f);
    shSolid* twin;
    assert_int_equal(shCreateSolid(scene.asset, &twin, NULL), shOk);
    shCollideDef def = shDefaultCollideDef();
    for (int trial = 0; trial < 20; ++trial) {
        shCollider a = {scene.solid, 0, {{0, 0, 0}, {{0, 0, 0}, 1}}}, b = a;
        b.transform.p = vec3(0.02f * (float)trial, 0.013f, 0.007f);
        const shContact* contacts;
        int count, twinCount;
        assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, NULL), shOk);
        shContact* first = malloc(sizeof(shContact) * (size_t)(count + 1));
        memcpy(first, contacts, sizeof(shContact) * (size_t)count);
        b.solid = twin;
        assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &twinCount, NULL), shOk);
        assert_int_equal(count, twinCount);
        assert_memory_equal(first, contacts, sizeof(shContact) * (size_t)count);
        free(first);
    }
    shDestroySolid(twin);
    tearDown(&scene);
}

static void contacts_never_exceed_what_is_asked_for(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "brick", 1.0f);
    shPair pair = {0};
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.001f;
    shShape ground = {.type = shPlaneShape};
    const shTransform still = {{0, 0, 0}, {{0, 0, 0}, 1}};
    shCollider brick = {scene.solid, 0, still};
    const shContact* contacts;
    int count;
    for (int most = SH_FIRST_CONTACTS; most >= 1; --most) {
        def.maxContacts = most;
        assert_int_equal(shCollideShape(scene.query, &def, &brick, &ground, still, &pair, &contacts, &count, NULL),
                         shOk);
        assert_int_equal(count, most);
    }
    pair.contactCount = 1000; // from a damaged file, say
    def.maxContacts = 0;
    assert_int_equal(shCollideShape(scene.query, &def, &brick, &ground, still, &pair, &contacts, &count, NULL), shOk);
    assert_true(count <= SH_MAX_CONTACTS);
    tearDown(&scene);
}

static void a_break_that_divides_nothing_costs_nothing(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "brick", 1.0f);
    int64_t before = shSolid_GetBytes(scene.solid);
    shBreak result;
    assert_int_equal(shSolid_BreakVoronoi(scene.solid, 0, &(Vec3){0, 0, 0}, 1, &result, NULL), shOk);
    assert_int_equal(result.pieceCount, 1);
    assert_int_equal(result.pieces[0], 0);
    assert_true(shSolid_GetBytes(scene.solid) - before < 100);
    assert_null(scene.solid->field.labels);
    tearDown(&scene);
}

static void shapes_answer_exactly(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "box", 1.0f);
    float top = scene.asset->box.upper.y;
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.01f;
    const shTransform still = {{0, 0, 0}, {{0, 0, 0}, 1}};
    shCollider box = {scene.solid, 0, still};
    const shContact* contacts;
    int count;
    // A ball of 5 cm whose lowest point is 2 mm above the top face, between samples.
    shShape ball = {.type = shSphereShape, .radius = 0.05f};
    shTransform over = {{0.013f, top + 0.052f, 0.017f}, {{0, 0, 0}, 1}};
    assert_int_equal(shCollideShape(scene.query, &def, &box, &ball, over, NULL, &contacts, &count, NULL), shOk);
    assert_true(count >= 1);
    float closest = 1.0f;
    for (int i = 0; i < count; ++i) {
        closest = minF(closest, contacts[i].distance);
        assert_true(contacts[i].normal.y < 0.0f); // from the ball to the box
    }
    assert_true(fabsf(closest - 0.002f) < 1e-5f);
    // A small box that stands on the top face, between samples of the mesh, by its face and edges.
    shShape cube = {.type = shBoxShape, .halfExtent = {0.01f, 0.01f, 0.01f}};
    shTransform on = {{0.013f, top + 0.0099f, 0.017f}, {{0, 0, 0}, 1}};
    assert_int_equal(shCollideShape(scene.query, &def, &box, &cube, on, NULL, &contacts, &count, NULL), shOk);
    assert_true(count >= 4);
    for (int i = 0; i < count; ++i) {
        assert_true(fabsf(contacts[i].distance + 0.0001f) < 1e-5f);
        assert_true(contacts[i].normal.y < -0.999f);
    }
    // Broken, the same.
    Random random = randomSeed(3);
    breakInto(&scene, scene.solid, 0, 3, &random);
    closest = 1.0f;
    for (int piece = 0; piece < shSolid_GetPieceCount(scene.solid); ++piece) {
        box.piece = piece;
        assert_int_equal(shCollideShape(scene.query, &def, &box, &ball, over, NULL, &contacts, &count, NULL), shOk);
        for (int i = 0; i < count; ++i)
            closest = minF(closest, contacts[i].distance);
    }
    assert_true(fabsf(closest - 0.002f) < 1e-5f);
    tearDown(&scene);
}

static void bad_arguments_are_refused(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "box", 0.5f);
    shCollideDef def = shDefaultCollideDef();
    const shContact* contacts;
    int count;
    shMessage message;
    shCollider a = {scene.solid, 0, {{0, 0, 0}, {{0, 0, 0}, 1}}}, b = a;
    b.piece = 3;
    assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, &message), shInvalid);
    assert_non_null(strstr(message.text, "piece 3"));
    b = a;
    b.transform.p.x = NAN;
    assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, &message), shInvalid);
    b = a;
    b.transform.q = (shQuat){{0, 0, 2}, 0};
    assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, &message), shInvalid);
    b.solid = NULL;
    assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, &message), shInvalid);
    assert_int_equal(shCollide(scene.query, &def, NULL, &a, NULL, &contacts, &count, &message), shInvalid);
    const shShape bad[] = {{.type = shSphereShape, .radius = NAN},
                           {.type = shCapsuleShape, .radius = 1.0f, .halfHeight = -1.0f},
                           {.type = shBoxShape, .halfExtent = {1.0f, -1.0f, 1.0f}},
                           {.type = (shShapeType)9}};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(shCollideShape(scene.query, &def, &a, &bad[i], a.transform, NULL, &contacts, &count, &message),
                         shInvalid);
    def.cookie = 0;
    assert_int_equal(shCollide(scene.query, &def, &a, &a, NULL, &contacts, &count, &message), shInvalid);
    Vec3 site = {NAN, 0, 0};
    assert_int_equal(shSolid_BreakVoronoi(scene.solid, 0, &site, 1, NULL, &message), shInvalid);
    assert_int_equal(shSolid_BreakVoronoi(scene.solid, 5, &(Vec3){0, 0, 0}, 1, NULL, &message), shInvalid);
    assert_int_equal(shSolid_Break(scene.solid, &(shCrack){0, NULL, NULL, NULL}, NULL, &message), shInvalid);
    tearDown(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_full_query_finds_what_brute_force_finds),
        cmocka_unit_test(selection_is_small_and_as_deep_as_the_full_query),
        cmocka_unit_test(what_will_touch_first_is_selected),
        cmocka_unit_test(a_resting_box_keeps_its_contacts),
        cmocka_unit_test(siblings_touch_without_overlap_right_after_the_break),
        cmocka_unit_test(siblings_are_no_deeper_than_they_have_moved),
        cmocka_unit_test(one_solid_in_two_places_is_like_two_solids),
        cmocka_unit_test(contacts_never_exceed_what_is_asked_for),
        cmocka_unit_test(a_break_that_divides_nothing_costs_nothing),
        cmocka_unit_test(shapes_answer_exactly),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

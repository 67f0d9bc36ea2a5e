// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which contacts a query keeps, and what it knows of pairs that do not touch: bounds, against all samples.
#include "collide/apart.h"
#include "collide/query.h"
#include "collide/spread.h"
#include "core/quat.h"
#include "core/random.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static shContact randomContact(Random* random, uint32_t id)
{
    return (shContact){.point = vFromD(randomInBall(random)),
                       .normal = vFromD(dNormalize(randomInBall(random))),
                       .distance = randomRange(random, -1.0f, 1.0f),
                       .id = id};
}

static float apart(const shContact* a, const shContact* b, float size)
{
    return vDistance(a->point, b->point) + 0.5f * size * (1.0f - vDot(a->normal, b->normal));
}

// From the nearest of the first few.
static float awayFrom(const shContact* contacts, int few, const shContact* from, float size)
{
    float away = INFINITY;
    for (int i = 0; i < few; ++i)
        away = minF(away, apart(&contacts[i], from, size));
    return away;
}

static void kept_contacts_are_the_nearest_and_far_from_each_other(void** state)
{
    (void)state;
    enum { CASES = 2000 };
    Random random = randomSeed(1);
    for (int i = 0; i < CASES; ++i) {
        shContact before[spreadMost], after[spreadMost];
        int count = 1 + randomBelow(&random, spreadMost), kept = randomBelow(&random, count);
        int wanted = kept + 1 + randomBelow(&random, count - kept), nearest = kept;
        shBox box = boxEmpty();
        for (int k = 0; k < count; ++k) {
            before[k] = randomContact(&random, (uint32_t)k);
            box = boxAdd(box, before[k].point);
            nearest = k >= kept && before[k].distance < before[nearest].distance ? k : nearest;
        }
        float size = vLength(boxSize(box));
        memcpy(after, before, sizeof *after * (size_t)count);
        spreadContacts(after, count, kept, wanted);
        unsigned seen = 0;
        for (int k = 0; k < count; ++k)
            seen |= 1u << after[k].id;
        assert_int_equal(seen, (1u << count) - 1u); // none lost, none twice
        for (int k = 0; k < kept; ++k)
            assert_int_equal(after[k].id, k);
        assert_int_equal(after[kept].id, nearest);
        for (int k = kept + 1; k < wanted; ++k) {
            float away = awayFrom(after, k, &after[k], size);
            for (int other = k + 1; other < count; ++other)
                assert_true(awayFrom(after, k, &after[other], size) <= away);
        }
    }
}

typedef struct Scene {
    shContext* context;
    shAsset* asset;
    shSolid* solids[2]; // one is whole
    shQuery* query;
} Scene;

static void setUp(Scene* scene, const char* model, float detail, int sites)
{
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene->context, NULL), shOk);
    assert_int_equal(shCookModel(scene->context, model, detail, &cook, &scene->asset, NULL), shOk);
    assert_int_equal(shCreateQuery(scene->context, &scene->query, NULL), shOk);
    Random random = randomSeed(2);
    for (int s = 0; s < 2; ++s)
        assert_int_equal(shCreateSolid(scene->asset, &scene->solids[s], NULL), shOk);
    Vec3 at[32];
    for (int i = 0; i < sites; ++i)
        at[i] = randomInBox(&random, scene->asset->box);
    assert_int_equal(shSolid_BreakVoronoi(scene->solids[1], 0, at, sites, NULL, NULL), shOk);
}

static void tearDown(Scene* scene)
{
    shDestroyQuery(scene->query);
    for (int s = 0; s < 2; ++s)
        shDestroySolid(scene->solids[s]);
    shDestroyAsset(scene->asset);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

// The nearest of a piece's samples to another piece; negative inside.
static float nearestSample(const shCollider* samples, const shCollider* other)
{
    const FragmentField* field = &samples->solid->field;
    const TreePoint* points = treesPoints(&samples->solid->trees);
    int count = samples->solid->asset->mesh.nodeCount + 2 * field->cuts.count;
    float nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
        FieldHit hit;
        if (treePointLabel(field, i) != samples->piece)
            continue;
        Vec3 p = xformUnpoint(other->transform, xformPoint(samples->transform, points[i].p));
        if (fieldProbeFar(&other->solid->field, other->piece, p, 1.0f, &hit))
            nearest = minF(nearest, hit.distance);
    }
    return nearest;
}

static shCollider randomPiece(const Scene* scene, float spread, Random* random)
{
    const shSolid* solid = scene->solids[randomBelow(random, 4) > 0];
    return (shCollider){solid,
                        randomBelow(random, shSolid_GetPieceCount(solid)),
                        {vScale(spread, vFromD(randomInBall(random))), randomRotation(random)}};
}

static const PieceHull* hullOf(const shCollider* collider)
{
    return targetPiece(collider->solid, collider->piece).hull;
}

static shBox boxOf(const shCollider* collider) { return targetPiece(collider->solid, collider->piece).box; }

// What was clear of pieces is not said of shapes that are asked about next.
static void checkShapes(shQuery* query, const shCollideDef* def)
{
    shShape ball = {.type = shSphereShape, .radius = 1.0f};
    shTransform here = {.q = qIdentity()}, there = {{2.0f + 2.0f * def->margin + 0.01f, 0.0f, 0.0f}, qIdentity()};
    const shContact* contacts;
    int count;
    assert_int_equal(shCollideShapes(query, def, &ball, here, &ball, there, &contacts, &count, NULL), shOk);
    assert_true(count == 0 && query->clear == 0.0f);
}

static void checkClear(const char* model, float detail, int sites)
{
    enum { CASES = 1500 };
    Scene scene;
    setUp(&scene, model, detail, sites);
    Random random = randomSeed(3);
    float size = vLength(boxSize(scene.asset->box));
    int clear = 0, farther = 0, hulls = 0;
    for (int i = 0; i < CASES; ++i) {
        shCollider a = randomPiece(&scene, 0.4f * size, &random), b = randomPiece(&scene, 0.4f * size, &random);
        if (i % 3 == 0) // side by side, as they broke
            b.transform =
                (shTransform){vMad(a.transform.p, 0.03f * size, vFromD(randomInBall(&random))),
                              qNormalize(qMul(qFromAxisAngle(vFromD(randomInBall(&random)), 0.1f), a.transform.q))};
        shCollideDef def = shDefaultCollideDef();
        def.margin = randomRange(&random, 0.0f, 0.05f) * size;
        const shContact* contacts;
        int count;
        assert_int_equal(shCollide(scene.query, &def, &a, &b, NULL, &contacts, &count, NULL), shOk);
        float nearest = minF(nearestSample(&a, &b), nearestSample(&b, &a));
        if (count > 0 || shQuery_GetStats(scene.query).colliding > 0) {
            assert_true(scene.query->clear == 0.0f);
        } else {
            assert_true(scene.query->clear >= def.margin && scene.query->clear <= nearest + 1e-6f * size);
            ++clear;
            farther += scene.query->clear > 1.05f * def.margin;
            checkShapes(scene.query, &def);
        }
        shTransform relative = xformMul(xformInverse(b.transform), a.transform);
        float gap = hullsApart(boxOf(&a), hullOf(&a), boxOf(&b), hullOf(&b), relative);
        assert_true(gap <= maxF(nearest, 0.0f));
        hulls += gap > 0.0f && boxesApart(boxOf(&a), boxOf(&b), relative, INFINITY) <= 0.0f;
    }
    assert_true(clear > CASES / 4 && farther > clear / 4 && hulls > CASES / 50);
    tearDown(&scene);
}

static void what_is_said_to_be_clear_is(void** state)
{
    (void)state;
    checkClear("torus", 0.7f, 6);
    checkClear("box", 0.3f, 24); // pieces of a few samples, where whole batches are left out last
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_contacts_are_the_nearest_and_far_from_each_other),
        cmocka_unit_test(what_is_said_to_be_clear_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts of pieces that a crack has just parted. A box cut by a plane has them at the ends of the cut, with the
// plane's normal; of random breaks every pair that shares a wall has some, and they are where both pieces have a
// sample, with the pieces on their two sides; and a world needs no query for them. Left alone siblings neither lock nor
// part; pulled apart they part.
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"
#include "fracture/siblings.h"
#include "fracture/walls.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static shContext* context;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shAsset* cook(const char* model, float detail)
{
    shMessage message = {""};
    shCookDef def = shDefaultCookDef();
    shAsset* asset = NULL;
    check(shCookModel(context, model, detail, &def, &asset, &message), &message);
    return asset;
}

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    def.workerCount = 1;
    return shCreateContext(&def, &context, NULL) == shOk ? 0 : -1;
}

static int tearDown(void** state)
{
    (void)state;
    return shDestroyContext(context) == 0 ? 0 : -1;
}

static void a_plane_through_a_box_has_its_normal_and_its_ends(void** state)
{
    (void)state;
    shAsset* asset = cook("box", 1.0f);
    shSolid* solid;
    shMessage message = {""};
    Random random = randomSeed(4);
    float stray = 0.0f; // cuts keep off the ends of their edges by a twentieth
    for (int t = 0; t < asset->mesh.tetCount; ++t) {
        const int* tet = asset->mesh.tets[t];
        for (int k = 1; k < 4; ++k)
            stray = maxF(stray, 0.051f * vDistance(asset->mesh.nodes[tet[0]], asset->mesh.nodes[tet[k]]));
    }
    for (int trial = 0; trial < 40; ++trial) {
        check(shCreateSolid(asset, &solid, &message), &message);
        Vec3 normal = vFromD(randomDirection(&random)), middle = boxCenter(asset->box);
        Vec3 sites[2] = {vMad(middle, 0.1f, normal), vMad(middle, -0.1f, normal)};
        check(shSolid_BreakVoronoi(solid, 0, sites, 2, NULL, &message), &message);
        Siblings siblings = {0};
        assert_true(siblingsFind(&siblings, &solid->field, &context->memory));
        assert_in_range(siblings.contacts.count, 3, 8);
        float reach = 0.0f;
        for (int i = 0; i < siblings.contacts.count; ++i) {
            const SiblingContact* at = &siblings.contacts.data[i];
            float side = fieldLabel(&solid->field, 0) == at->a ? 1.0f : -1.0f; // node 0 is on A's side
            if (vDot(vSub(asset->mesh.nodes[0], middle), normal) < 0.0f)
                side = -side;
            assert_true(vDot(at->normal, normal) * side > 0.9999f);
            assert_true(fabsf(vDot(vSub(at->point, middle), normal)) < stray);
            for (int k = 0; k < i; ++k)
                reach = maxF(reach, vDistance(at->point, siblings.contacts.data[k].point));
        }
        // The farthest two are about as far apart as any two of all cut edges.
        float most = 0.0f;
        for (int i = 0; i < solid->field.cuts.count; ++i)
            for (int k = 0; k < i; ++k)
                most = maxF(most, vDistance(solid->field.cuts.data[i].p, solid->field.cuts.data[k].p));
        assert_true(reach > 0.85f * most);
        siblingsFree(&siblings, &context->memory);
        shDestroySolid(solid);
    }
    shDestroyAsset(asset);
}

typedef struct WallSum {
    const FragmentField* field;
    double* area; // [pieces · pieces]
    int pieces;
} WallSum;

static void addWall(int a, int b, const Vec3 corners[3], void* user)
{
    WallSum* sum = user;
    int x = sum->field->labels[a], y = sum->field->labels[b];
    sum->area[minI(x, y) * sum->pieces + maxI(x, y)] += dLength(triangleArea(corners));
}

static void all_that_share_a_wall_touch_where_both_have_a_sample(void** state)
{
    (void)state;
    static const char* const models[] = {"plate", "brick", "sphere", "bowl", "piggy-bank"};
    int contacts = 0, pairs = 0, twisted = 0;
    for (int m = 0; m < 5; ++m) {
        shAsset* asset = cook(models[m], m == 4 ? 0.5f : 0.7f);
        for (uint64_t seed = 1; seed <= 4; ++seed) {
            shSolid* solid;
            shMessage message = {""};
            check(shCreateSolid(asset, &solid, &message), &message);
            shPattern pattern = shDefaultPattern(shUniformPattern);
            pattern.pieces = 12;
            pattern.seed = seed;
            shImpact impact = shDefaultImpact(boxCenter(asset->box));
            shBreak broken;
            check(shSolid_BreakPattern(solid, 0, &pattern, &impact, &broken, &message), &message);
            const FragmentField* field = &solid->field;
            int pieces = fieldPieceCount(field);
            WallSum sum = {field, calloc((size_t)(pieces * pieces), sizeof(double)), pieces};
            for (int i = 0; i < field->newTets.count; ++i)
                wallsOfTet(field, field->newTets.data[i], field->firstNewCut, addWall, &sum);
            bool* touches = calloc((size_t)(pieces * pieces), sizeof *touches);
            Siblings siblings = {0};
            assert_true(siblingsFind(&siblings, field, &context->memory));
            const TreePoint* points = treesPoints(&solid->trees);
            for (int i = 0; i < siblings.contacts.count; ++i) {
                const SiblingContact* at = &siblings.contacts.data[i];
                assert_true(at->a < at->b);
                assert_int_equal(treePointLabel(field, at->sampleA), at->a);
                assert_int_equal(treePointLabel(field, at->sampleB), at->b);
                assert_memory_equal(&points[at->sampleA].p, &at->point, sizeof(Vec3));
                assert_memory_equal(&points[at->sampleB].p, &at->point, sizeof(Vec3));
                assert_true(fabsf(vLength(at->normal) - 1.0f) < 1e-5f);
                touches[at->a * pieces + at->b] = true;
                // The ends of its edge lie on the sides that the normal says.
                const int* ends = field->rest->topology
                                      ->edges[field->cuts.data[(at->sampleA - field->rest->mesh->nodeCount) / 2].edge];
                Vec3 way = vSub(field->rest->mesh->nodes[ends[0]], field->rest->mesh->nodes[ends[1]]);
                if (field->labels[ends[0]] != at->a)
                    way = vNeg(way);
                twisted += vDot(way, at->normal) <= 0.0f;
                ++contacts;
            }
            for (int a = 0; a < pieces; ++a) {
                for (int b = a + 1; b < pieces; ++b) {
                    pairs += touches[a * pieces + b];
                    assert_int_equal(touches[a * pieces + b], sum.area[a * pieces + b] > 0.0);
                }
            }
            siblingsFree(&siblings, &context->memory);
            free(sum.area);
            free(touches);
            shDestroySolid(solid);
        }
        shDestroyAsset(asset);
    }
    printf("  %d contacts of %d pairs, %d at edges that run along their wall\n", contacts, pairs, twisted);
    assert_true(twisted < contacts / 50);
    assert_true(contacts > 3 * pairs);
}

static shWorld* brokenInFreeFall(shAsset* asset, uint64_t seed, shBodyId* bodies, int* count)
{
    shMessage message = {""};
    shWorld* world;
    shWorldDef def = shDefaultWorldDef();
    def.sleeping = false;
    check(shCreateWorld(context, &def, &world, &message), &message);
    shBodyDef body = shDefaultBodyDef();
    shBodyId id;
    body.asset = asset;
    check(shCreateBody(world, &body, &id, &message), &message);
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = 8;
    pattern.seed = seed;
    shImpact impact = shDefaultImpact(boxCenter(asset->box));
    shBodyBreak broken;
    check(shBody_Break(world, id, &pattern, &impact, &broken, &message), &message);
    *count = broken.bodyCount;
    memcpy(bodies, broken.bodies, sizeof *bodies * (size_t)broken.bodyCount);
    return world;
}

static void siblings_left_alone_stay_and_pulled_apart_part(void** state)
{
    (void)state;
    static const char* const models[] = {"plate", "brick", "sphere"};
    const float dt = 1.0f / 60.0f;
    for (int m = 0; m < 3; ++m) {
        shAsset* asset = cook(models[m], 0.7f);
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            shBodyId bodies[64];
            int count;
            shWorld* world = brokenInFreeFall(asset, seed, bodies, &count);
            assert_in_range(count, 2, 64);
            shMessage message = {""};
            check(shWorld_Step(world, dt, &message), &message);
            assert_true(shWorld_GetCounters(world).touching >= count - 1);
            assert_true(shWorld_GetCounters(world).queried <= count / 4); // those beside each other without a wall
            for (int i = 0; i < 60; ++i)
                check(shWorld_Step(world, dt, &message), &message);
            // They have fallen as one: their rest frames are still one.
            shTransform first = shBody_GetTransform(world, bodies[0]);
            for (int i = 1; i < count; ++i) {
                shTransform other = shBody_GetTransform(world, bodies[i]);
                assert_true(vDistance(first.p, other.p) < 2e-3f);
            }
            // The outermost is drawn away from the middle of all.
            Vec3 middle = {0.0f, 0.0f, 0.0f};
            for (int i = 0; i < count; ++i)
                middle = vMad(middle, 1.0f / (float)count, shBody_GetCentre(world, bodies[i]));
            int outermost = 0;
            for (int i = 1; i < count; ++i) {
                if (vDistance(shBody_GetCentre(world, bodies[i]), middle) >
                    vDistance(shBody_GetCentre(world, bodies[outermost]), middle))
                    outermost = i;
            }
            shBodyId pulled = bodies[outermost], other = bodies[outermost == 0 ? 1 : 0];
            Vec3 way = vNormalize(vSub(shBody_GetCentre(world, pulled), middle)), still = {0.0f, 0.0f, 0.0f};
            Vec3 before = vSub(shBody_GetCentre(world, pulled), shBody_GetCentre(world, other));
            for (int i = 0; i < 60; ++i) {
                Vec3 drift = shBody_GetVelocity(world, other);
                check(shBody_SetVelocity(world, pulled, vMad(drift, 0.01f, way), still, &message), &message);
                check(shWorld_Step(world, dt, &message), &message);
            }
            Vec3 after = vSub(shBody_GetCentre(world, pulled), shBody_GetCentre(world, other));
            assert_true(vDot(vSub(after, before), way) > 0.008f); // of 10 mm
            shDestroyWorld(world);
        }
        shDestroyAsset(asset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_through_a_box_has_its_normal_and_its_ends),
        cmocka_unit_test(all_that_share_a_wall_touch_where_both_have_a_sample),
        cmocka_unit_test(siblings_left_alone_stay_and_pulled_apart_part),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inner spheres of the pieces of a broken solid: disjoint, within their piece, with its volume.
#include "core/quat.h"
#include "core/random.h"
#include "core/triangle_distance.h"
#include "sherd/closest.h"
#include "sherd/proximity.h"
#include "sherd/world_query.h"
#include "solid/solid.h"
#include "tree/inner_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SITES = 10, MOST_PIECES = 64 };

static shContext* context;
static shAsset* asset;
static shSolid* solid;
static shInnerSpheres* pieces[MOST_PIECES];
static int pieceCount;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static int breakRabbit(void** unused)
{
    (void)unused;
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 2;
    shCookDef def = shDefaultCookDef();
    def.innerSpheres = 4000;
    shMessage message = {""};
    check(shCreateContext(&contextDef, &context, &message), &message);
    check(shCookModel(context, "rabbit", 1.0f, &def, &asset, &message), &message);
    check(shCreateSolid(asset, &solid, &message), &message);
    shVec3 sites[SITES];
    Random random = randomSeed(3);
    for (int i = 0; i < SITES; ++i)
        sites[i] = asset->mesh.nodes[randomBelow(&random, asset->mesh.nodeCount)];
    check(shSolid_BreakVoronoi(solid, 0, sites, SITES, NULL, &message), &message);
    pieceCount = shSolid_GetPieceCount(solid);
    assert_true(pieceCount >= 8 && pieceCount <= MOST_PIECES);
    check(shCreatePieceSpheres(solid, pieces, pieceCount, &message), &message);
    return 0;
}

static int giveBack(void** unused)
{
    (void)unused;
    for (int i = 0; i < pieceCount; ++i)
        shDestroyInnerSpheres(pieces[i]);
    shDestroySolid(solid);
    shDestroyAsset(asset);
    return shDestroyContext(context) != 0;
}

static void spheres_of_pieces_are_disjoint_and_inside(void** unused)
{
    (void)unused;
    for (int piece = 0; piece < pieceCount; ++piece) {
        assert_non_null(pieces[piece]);
        const InnerTree* tree = &pieces[piece]->tree;
        shCollider collider = {.solid = solid, .piece = piece, .transform = {.q = {.s = 1.0f}}};
        assert_int_equal(innerTreeCheck(tree, 0, NULL), shOk);
        for (int i = 0; i < tree->sphereCount; ++i) {
            const InnerSphere* s = &tree->spheres[i];
            shClosestPoint closest;
            assert_int_equal(shSolid_FindOwner(solid, innerCentre(s)), piece);
            assert_int_equal(shClosest(&collider, innerCentre(s), INFINITY, &closest, NULL), shOk);
            assert_true(fabsf(closest.distance) >= s->radius * (1.0f - 2e-4f));
            for (int k = 0; k < i; ++k) {
                const InnerSphere* o = &tree->spheres[k];
                assert_true(dDistance(dFromV(innerCentre(s)), dFromV(innerCentre(o))) >=
                            ((double)s->radius + (double)o->radius) * (1.0 - 1e-6));
            }
        }
    }
}

static void uncut_spheres_go_along_as_they_are(void** unused)
{
    (void)unused;
    const InnerTree* whole = &shAsset_GetInnerSpheres(asset)->tree;
    int kept = 0;
    for (int i = 0; i < whole->sphereCount; ++i) {
        const InnerSphere* s = &whole->spheres[i];
        int owner = shSolid_FindOwner(solid, innerCentre(s)), found = 0;
        shCollider collider = {.solid = solid, .piece = owner, .transform = {.q = {.s = 1.0f}}};
        shClosestPoint closest;
        assert_int_equal(shClosest(&collider, innerCentre(s), INFINITY, &closest, NULL), shOk);
        if (fabsf(closest.distance) < s->radius * 1.001f && closest.slot < 0)
            continue; // a crack is near
        for (int k = 0; k < pieces[owner]->tree.sphereCount && !found; ++k) {
            const InnerSphere* o = &pieces[owner]->tree.spheres[k];
            found = o->x == s->x && o->y == s->y && o->z == s->z && o->radius == s->radius &&
                    fabsf(o->volumeRadius - s->volumeRadius) <= 0.1f * s->volumeRadius; // scaled to the piece
        }
        assert_true(found);
        ++kept;
    }
    assert_true(kept > whole->sphereCount / 2);
}

static void volumes_of_pieces_add_up(void** unused)
{
    (void)unused;
    double sum = 0.0, whole = shAsset_GetInfo(asset).volume;
    for (int piece = 0; piece < pieceCount; ++piece) {
        double volume = shInnerSpheres_GetInfo(pieces[piece]).volume, exact = shSolid_GetPiece(solid, piece).volume;
        sum += volume;
        double blown = 0.0;
        for (int i = 0; i < pieces[piece]->tree.sphereCount; ++i)
            blown += 4.18879020478639 * pow((double)pieces[piece]->tree.spheres[i].volumeRadius, 3.0);
        assert_true(fabs(blown / exact - 1.0) < 1e-3 && fabs(volume / exact - 1.0) < 1e-6);
    }
    assert_true(fabs(sum / whole - 1.0) < 0.005);
}

// Two pieces apart from each other: between the distance of their surfaces and that of their spheres.
static void distances_of_pieces_lie_between_surfaces_and_spheres(void** unused)
{
    (void)unused;
    Random random = randomSeed(4);
    static Vec3 t[2][20000][3];
    double plain = 0.0, sharp = 0.0;
    for (int n = 0; n < 12; ++n) {
        int p = randomBelow(&random, pieceCount), q = (p + 1 + randomBelow(&random, pieceCount - 1)) % pieceCount;
        shInnerBody a = {pieces[p], {{0.0f, 0.0f, 0.0f}, randomRotation(&random)}};
        shInnerBody b = {pieces[q], {vScale(0.3f, vFromD(randomDirection(&random))), randomRotation(&random)}};
        shInnerDistance loose, tight;
        assert_int_equal(shInner_GetDistance(&a, &b, INFINITY, 0, NULL, &loose, NULL), shOk);
        assert_int_equal(shInner_GetDistance(&a, &b, INFINITY, 64, NULL, &tight, NULL), shOk);
        int counts[2];
        for (int side = 0; side < 2; ++side) {
            counts[side] = shSolid_GetTriangles(solid, side ? q : p, t[side], NULL, 20000);
            assert_true(counts[side] <= 20000);
            for (int i = 0; i < 3 * counts[side]; ++i)
                t[side][i / 3][i % 3] = xformPoint(side ? b.transform : a.transform, t[side][i / 3][i % 3]);
        }
        float exact = loose.distance;
        for (int i = 0; i < counts[0]; ++i)
            for (int k = 0; k < counts[1]; ++k) {
                float side = vDistance(t[0][i][0], t[0][i][1]) + vDistance(t[0][i][0], t[0][i][2]) +
                             vDistance(t[1][k][0], t[1][k][1]) + vDistance(t[1][k][0], t[1][k][2]);
                Vec3 x, y;
                if (vDistance(t[0][i][0], t[1][k][0]) - side < exact)
                    exact = minF(exact, triangleDistance(t[0][i], t[1][k], &x, &y));
            }
        assert_true(tight.distance <= loose.distance && tight.distance >= exact - 1e-5f);
        plain += (double)(loose.distance - exact);
        sharp += (double)(tight.distance - exact);
    }
    assert_true(plain > 0.0 && sharp < 0.1 * plain);
}

static void pieces_in_place_share_next_to_nothing(void** unused)
{
    (void)unused;
    double whole = shAsset_GetInfo(asset).volume, shared = 0.0;
    shTransform place = {.q = {.s = 1.0f}};
    for (int p = 0; p < pieceCount; ++p)
        for (int q = 0; q < p; ++q) {
            shInnerBody a = {pieces[p], place}, b = {pieces[q], place};
            shInnerVolume volume;
            bool overlaps;
            assert_int_equal(shInner_Overlap(&a, &b, NULL, &overlaps, NULL), shOk);
            assert_int_equal(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, NULL), shOk);
            shared += volume.volume; // blown-up spheres on both sides of the cracks
        }
    assert_true(shared < 0.08 * whole);
}

static void what_cannot_be_is_refused(void** unused)
{
    (void)unused;
    shMessage message = {""};
    shInnerSpheres* some[MOST_PIECES];
    assert_int_equal(shCreatePieceSpheres(solid, some, pieceCount - 1, &message), shInvalid);
    assert_non_null(strstr(message.text, "pieces"));
    shSolid* other;
    assert_int_equal(shCreateSolid(asset, &other, NULL), shOk);
    assert_int_equal(shCreatePieceSpheres(other, some, 1, &message), shInvalid);
    assert_non_null(strstr(message.text, "whole"));
    shDestroySolid(other);
    shCookDef def = shDefaultCookDef();
    shAsset* plain;
    assert_int_equal(shCookModel(context, "brick", 0.5f, &def, &plain, NULL), shOk);
    assert_int_equal(shCreateSolid(plain, &other, NULL), shOk);
    assert_int_equal(shCreatePieceSpheres(other, some, 1, &message), shInvalid);
    assert_non_null(strstr(message.text, "without inner spheres"));
    shDestroySolid(other);
    shDestroyAsset(plain);
}

// Bodies of a world by their handle, before and after one of them breaks: the nearest piece is as far as the whole was.
static void bodies_are_asked_by_id_before_and_after_a_break(void** unused)
{
    (void)unused;
    shMessage message = {""};
    shWorldDef worldDef = shDefaultWorldDef();
    shWorld* world;
    check(shCreateWorld(context, &worldDef, &world, &message), &message);
    shBodyId ids[2];
    shInnerBody bodies[2];
    for (int i = 0; i < 2; ++i) {
        shBodyDef def = shDefaultBodyDef();
        def.asset = asset;
        def.transform = (shTransform){{0.31f * (float)i, 0.02f * (float)i, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};
        check(shCreateBody(world, &def, &ids[i], &message), &message);
        check(shBody_GetInnerBody(world, ids[i], NULL, 0, &bodies[i], &message), &message);
    }
    shInnerDistance before, now;
    check(shInner_GetDistance(&bodies[0], &bodies[1], INFINITY, 64, NULL, &before, &message), &message);
    assert_true(before.distance > 0.0f);
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = 8;
    shImpact impact = shDefaultImpact((shVec3){0.0f, 0.1f, 0.0f});
    shBodyBreak broken;
    check(shBody_Break(world, ids[1], &pattern, &impact, &broken, &message), &message);
    assert_true(broken.bodyCount > 3);
    assert_int_equal(shBody_GetInnerBody(world, ids[1], NULL, 0, &bodies[1], &message), shInvalid);
    assert_non_null(strstr(message.text, "shCreatePieceSpheres"));
    const shSolid* parted = shBody_GetSolid(world, ids[1], NULL);
    shInnerSpheres* parts[MOST_PIECES];
    int count = shSolid_GetPieceCount(parted);
    assert_true(count <= MOST_PIECES);
    check(shCreatePieceSpheres(parted, parts, count, &message), &message);
    float nearest = INFINITY;
    for (int i = 0; i < broken.bodyCount; ++i) {
        check(shBody_GetInnerBody(world, broken.bodies[i], parts, count, &bodies[1], &message), &message);
        check(shInner_GetDistance(&bodies[0], &bodies[1], INFINITY, 64, NULL, &now, &message), &message);
        nearest = now.distance < nearest ? now.distance : nearest;
    }
    assert_true(fabsf(nearest - before.sphereDistance) < 0.004f && nearest >= before.distance - 0.001f);
    assert_int_equal(shBody_GetInnerBody(world, (shBodyId){0}, NULL, 0, &bodies[0], &message), shInvalid);
    for (int i = 0; i < count; ++i)
        shDestroyInnerSpheres(parts[i]);
    shDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_of_pieces_are_disjoint_and_inside),
        cmocka_unit_test(uncut_spheres_go_along_as_they_are),
        cmocka_unit_test(volumes_of_pieces_add_up),
        cmocka_unit_test(distances_of_pieces_lie_between_surfaces_and_spheres),
        cmocka_unit_test(pieces_in_place_share_next_to_nothing),
        cmocka_unit_test(bodies_are_asked_by_id_before_and_after_a_break),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, breakRabbit, giveBack);
}

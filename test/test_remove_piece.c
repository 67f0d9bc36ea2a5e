// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Pieces taken out of a solid: nobody owns their points, nobody else notices.
#include "core/random.h"
#include "sherd/collide.h"
#include "sherd/fracture.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/piece_surface.h"

// Two solids of one asset that break alike; pieces are removed from the first only.
typedef struct Twins {
    shContext* context;
    shAsset* asset;
    shSolid *thinned, *full;
} Twins;

static Twins makeTwins(const char* model)
{
    Twins twins;
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &twins.context, NULL), shOk);
    assert_int_equal(shCookModel(twins.context, model, 0.7f, &cook, &twins.asset, NULL), shOk);
    assert_int_equal(shCreateSolid(twins.asset, &twins.thinned, NULL), shOk);
    assert_int_equal(shCreateSolid(twins.asset, &twins.full, NULL), shOk);
    return twins;
}

static void freeTwins(Twins* twins)
{
    shDestroySolid(twins->thinned);
    shDestroySolid(twins->full);
    shDestroyAsset(twins->asset);
    assert_int_equal(shDestroyContext(twins->context), 0);
}

static void breakBoth(Twins* twins, int piece, int siteCount, Random* random)
{
    Vec3 sites[16];
    for (int i = 0; i < siteCount; ++i)
        sites[i] = randomInBox(random, fieldBox(&twins->full->field, piece));
    assert_int_equal(shSolid_BreakVoronoi(twins->thinned, piece, sites, siteCount, NULL, NULL), shOk);
    assert_int_equal(shSolid_BreakVoronoi(twins->full, piece, sites, siteCount, NULL, NULL), shOk);
}

static void compareTwins(const Twins* twins, Random* random)
{
    const FragmentField *thinned = &twins->thinned->field, *full = &twins->full->field;
    assert_int_equal(fieldPieceCount(thinned), fieldPieceCount(full));
    for (int p = 0; p < fieldPieceCount(full); ++p) {
        if (!shSolid_HasPiece(twins->thinned, p)) {
            assert_int_equal(shSolid_GetTriangles(twins->thinned, p, NULL, NULL, 0), 0);
            continue;
        }
        Surface a = surfaceOf(thinned, p), b = surfaceOf(full, p);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.triangles, b.triangles, sizeof(Vec3[3]) * (size_t)a.count);
        free(a.triangles);
        free(b.triangles);
        assert_int_equal(treesRoot(&twins->thinned->trees, p), treesRoot(&twins->full->trees, p));
    }
    for (int i = 0; i < 500; ++i) {
        Vec3 at = randomInBox(random, twins->asset->box);
        int owner = shSolid_FindOwner(twins->full, at);
        bool there = owner >= 0 && shSolid_HasPiece(twins->thinned, owner);
        assert_int_equal(shSolid_FindOwner(twins->thinned, at), there ? owner : -1);
        if (!there)
            continue;
        FieldHit a, b;
        assert_true(fieldProbe(thinned, owner, &(FieldProbe){.p = at}, &a));
        assert_true(fieldProbe(full, owner, &(FieldProbe){.p = at}, &b));
        assert_memory_equal(&a.normal, &b.normal, sizeof a.normal);
        assert_true(a.distance == b.distance);
    }
}

static void the_others_keep_every_bit_and_go_on_breaking(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "plate", "torus"};
    for (int m = 0; m < 3; ++m) {
        Twins twins = makeTwins(models[m]);
        Random random = randomSeed((uint64_t)m + 1);
        breakBoth(&twins, 0, 12, &random);
        for (int round = 0; round < 12; ++round) {
            int piece = randomBelow(&random, fieldPieceCount(&twins.full->field));
            if (!shSolid_HasPiece(twins.thinned, piece))
                continue;
            if (round % 2 == 0)
                assert_int_equal(shSolid_RemovePiece(twins.thinned, piece, NULL), shOk);
            else
                breakBoth(&twins, piece, 4, &random);
            compareTwins(&twins, &random);
        }
        assert_true(twins.thinned->field.facets.count < twins.full->field.facets.count);
        freeTwins(&twins);
    }
}

static void a_removed_piece_is_refused_everywhere(void** unused)
{
    (void)unused;
    Twins twins = makeTwins("box");
    shSolid* solid = twins.thinned;
    shMessage message;
    assert_int_equal(shSolid_RemovePiece(solid, 0, &message), shInvalid); // whole
    assert_true(shSolid_HasPiece(solid, 0) && !shSolid_HasPiece(solid, 1) && !shSolid_HasPiece(solid, -1));
    Random random = randomSeed(5);
    breakBoth(&twins, 0, 8, &random);
    assert_int_equal(shSolid_GetPiece(solid, 0).parent, -1);
    assert_int_equal(shSolid_GetPiece(solid, 3).parent, 0);
    assert_int_equal(shSolid_RemovePiece(solid, 3, &message), shOk);
    assert_int_equal(shSolid_RemovePiece(solid, 3, &message), shInvalid);
    assert_int_equal(shSolid_RemovePiece(solid, 99, &message), shInvalid);
    assert_true(!shSolid_HasPiece(solid, 3));
    assert_true(shSolid_GetPiece(solid, 3).volume == 0.0);

    shPieceMesh mesh;
    assert_int_equal(shSolid_CreatePieceMesh(solid, 3, &mesh, &message), shInvalid);
    assert_int_equal(shSolid_BreakVoronoi(solid, 3, (Vec3[1]){{0.0f, 0.0f, 0.0f}}, 1, NULL, &message), shInvalid);
    shPattern pattern = shDefaultPattern(shUniformPattern);
    shImpact impact = shDefaultImpact((shVec3){0.0f, 0.0f, 0.0f});
    assert_int_equal(shSolid_BreakPattern(solid, 3, &pattern, &impact, NULL, &message), shInvalid);
    shQuery* query;
    const shContact* contacts;
    int contactCount;
    shCollideDef def = shDefaultCollideDef();
    assert_int_equal(shCreateQuery(twins.context, &query, NULL), shOk);
    shCollider colliders[2] = {{solid, 0, {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}}}};
    colliders[1] = colliders[0];
    colliders[1].piece = 3;
    assert_int_equal(shCollide(query, &def, &colliders[0], &colliders[1], NULL, &contacts, &contactCount, &message),
                     shInvalid);
    shDestroyQuery(query);

    // A hit where it was lands on another one; when all are gone, on none.
    Vec3 inside = vFromD((DVec3){shSolid_GetPiece(twins.full, 3).centre[0], shSolid_GetPiece(twins.full, 3).centre[1],
                                 shSolid_GetPiece(twins.full, 3).centre[2]});
    int next = shSolid_FindPiece(solid, inside);
    assert_true(next != 3 && shSolid_HasPiece(solid, next));
    for (int p = 0; p < shSolid_GetPieceCount(solid); ++p)
        assert_int_equal(shSolid_RemovePiece(solid, p, &message), p == 3 ? shInvalid : shOk);
    assert_int_equal(shSolid_FindPiece(solid, inside), -1);
    freeTwins(&twins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_keep_every_bit_and_go_on_breaking),
        cmocka_unit_test(a_removed_piece_is_refused_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Same input, same bits: assets, chains of breaks and contacts of built-in models, hashed and compared with what is
// written in test/golden/break.txt. Every build and thread count must agree. `make golden` writes the file anew.
#include "core/hash.h"
#include "core/random.h"
#include "sherd/collide.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char* const models[] = {"brick", "plate", "shelf", "sphere", "torus", "bowl"};
enum { modelTotal = sizeof(models) / sizeof(models[0]), pairTotal = 40 };

static void hashPieces(Hash* hash, const shSolid* solid)
{
    for (int piece = 0; piece < shSolid_GetPieceCount(solid); ++piece) {
        int count = shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
        Vec3(*corners)[3] = malloc(sizeof(Vec3[3]) * (size_t)count);
        shSolid_GetTriangles(solid, piece, corners, NULL, count);
        hashBytes(hash, corners, sizeof(Vec3[3]) * (size_t)count);
        free(corners);
        shPieceInfo info = shSolid_GetPiece(solid, piece);
        hashF64(hash, info.mass);
        hashBytes(hash, info.inertia, sizeof(info.inertia));
    }
    const TreePoint* points = treesPoints(&solid->trees);
    int count = solid->asset->mesh.nodeCount + 2 * solid->field.cuts.count;
    hashBytes(hash, points, sizeof(TreePoint) * (size_t)count);
    for (int n = 0; n < solid->asset->mesh.nodeCount; ++n) {
        NodeField node = fieldNode(&solid->field, n);
        hashBytes(hash, &node, sizeof(node));
    }
}

static shTransform poseOf(Random* random, float apart)
{
    shTransform pose = {.p = vScale(apart, vFromD(randomInBall(random)))};
    pose.q = randomRotation(random);
    return pose;
}

// Contacts of random pieces in random poses, all pairs at once.
static void hashContacts(Hash* hash, shContext* context, const shSolid* solid, float size, Random* random)
{
    shBatch* batch;
    assert_int_equal(shCreateBatch(context, &batch, NULL), shOk);
    shPairQuery queries[pairTotal];
    shPair pairs[pairTotal];
    memset(pairs, 0, sizeof(pairs));
    for (int i = 0; i < pairTotal; ++i) {
        int count = shSolid_GetPieceCount(solid);
        queries[i] = (shPairQuery){.a = {.solid = solid}, .b = {.solid = solid}, .pair = &pairs[i]};
        queries[i].a.piece = randomBelow(random, count);
        queries[i].a.transform = poseOf(random, 0.0f);
        queries[i].b.piece = randomBelow(random, count);
        queries[i].b.transform = poseOf(random, 0.5f * size);
    }
    shCollideDef def = shDefaultCollideDef();
    def.margin = 0.002f * size;
    for (int step = 0; step < 3; ++step) {
        const shContact* contacts;
        const shPairContacts* ranges;
        assert_int_equal(shCollidePairs(batch, &def, queries, pairTotal, &contacts, &ranges, NULL), shOk);
        for (int i = 0; i < pairTotal; ++i) {
            for (int k = 0; k < ranges[i].count; ++k) {
                const shContact* contact = &contacts[ranges[i].first + k];
                hashBytes(hash, &contact->point, sizeof(Vec3));
                hashBytes(hash, &contact->normal, sizeof(Vec3));
                hashF32(hash, contact->distance);
                hashU32(hash, contact->id);
            }
            queries[i].b.transform.p.x += 0.01f * size;
        }
    }
    shDestroyBatch(batch);
}

static uint64_t hashModel(const char* model, int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shCookDef cook = shDefaultCookDef();
    shContext* context;
    shAsset* asset;
    shSolid* solid;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(shCookModel(context, model, 0.5f, &cook, &asset, NULL), shOk);
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    Hash hash = hashStart(0);
    hashU64(&hash, shAsset_GetInfo(asset).contentHash);
    Random random = randomSeed(2026);
    float size = vLength(boxSize(asset->box));
    hashContacts(&hash, context, solid, size, &random);
    for (int generation = 0; generation < 4; ++generation) {
        int piece = randomBelow(&random, shSolid_GetPieceCount(solid));
        shBox box = shSolid_GetPiece(solid, piece).box;
        Vec3 sites[6];
        for (int i = 0; i < 6; ++i)
            sites[i] = randomInBox(&random, box);
        assert_int_equal(shSolid_BreakVoronoi(solid, piece, sites, 6, NULL, NULL), shOk);
        hashPieces(&hash, solid);
        hashContacts(&hash, context, solid, size, &random);
    }
    shDestroySolid(solid);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
    return hashValue(&hash);
}

static void breaks_and_contacts_have_the_golden_bits(void** unused)
{
    (void)unused;
    char path[512];
    snprintf(path, sizeof(path), "%s/golden/break.txt", TEST_FOLDER);
    const char* mode = getenv("SHERD_GOLDEN");
    bool write = mode != NULL && strcmp(mode, "write") == 0;
    FILE* file = fopen(path, write ? "w" : "r");
    assert_non_null(file);
    for (int m = 0; m < modelTotal; ++m) {
        uint64_t one = hashModel(models[m], 1);
        assert_true(one == hashModel(models[m], 2));
        if (write) {
            fprintf(file, "%s %016llx\n", models[m], (unsigned long long)one);
            continue;
        }
        char name[32];
        unsigned long long golden;
        assert_int_equal(fscanf(file, "%31s %llx", name, &golden), 2);
        assert_string_equal(name, models[m]);
        if (golden != one)
            fail_msg("%s: %016llx, golden is %016llx; if the change is meant, run make golden", name,
                     (unsigned long long)one, golden);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_and_contacts_have_the_golden_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Broken solids as bytes: what comes back is the same to the last bit, breaks on the same way, and damaged bytes are
// refused or harmless.
#include "core/hash.h"
#include "core/random.h"
#include "field/field_walk.h"
#include "sherd/collide.h"
#include "sherd/fracture.h"
#include "solid/solid_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Scene {
    shContext* context;
    shAsset* asset;
} Scene;

static Scene sceneOf(const char* model)
{
    Scene scene;
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene.context, NULL), shOk);
    assert_int_equal(shCookModel(scene.context, model, 1.0f, &cook, &scene.asset, NULL), shOk);
    return scene;
}

static void sceneEnd(Scene* scene)
{
    shDestroyAsset(scene->asset);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

// One random break or removal. The same draws on the same solid do the same.
static void harm(shSolid* solid, Random* random)
{
    int piece = randomBelow(random, shSolid_GetPieceCount(solid)), what = randomBelow(random, 8);
    shPattern pattern = shDefaultPattern((shPatternType)randomBelow(random, shPatternTypeCount));
    pattern.pieces = 2 + randomBelow(random, 12);
    pattern.seed = randomBits(random);
    shImpact impact = shDefaultImpact(randomInBox(random, shAsset_GetInfo(shSolid_GetAsset(solid)).box));
    if (!shSolid_HasPiece(solid, piece))
        return;
    if (what == 0 && shSolid_GetPieceCount(solid) > 1)
        assert_int_equal(shSolid_RemovePiece(solid, piece, NULL), shOk);
    else
        assert_int_equal(shSolid_BreakPattern(solid, piece, &pattern, &impact, NULL, NULL), shOk);
}

static Stream saved(shSolid* solid)
{
    Stream stream = streamWriter(&solid->asset->context->memory);
    streamSolid(&stream, solid);
    assert_true(streamOk(&stream));
    return stream;
}

static uint64_t hashOfSolid(shSolid* solid)
{
    Stream stream = streamHasher();
    streamSolid(&stream, solid);
    return hashValue(&stream.hash);
}

static shStatus load(const shAsset* asset, const uint8_t* bytes, size_t size, shSolid** solid, shMessage* message)
{
    shStatus status = shCreateSolid(asset, solid, message);
    if (status != shOk)
        return status;
    Stream stream = streamReader("solid", bytes, size, message);
    streamSolid(&stream, *solid);
    streamCheck(&stream, stream.at == size, "something was added");
    if (!streamOk(&stream)) {
        assert_null((*solid)->field.labels);
        assert_null((*solid)->trees.own.data);
        shDestroySolid(*solid);
        *solid = NULL;
    }
    return stream.status;
}

// ---- every field ----------------------------------------------------------------------------------------------------

#define SAME_ARRAY(a, b, count) assert_memory_equal((a), (b), sizeof(*(a)) * (size_t)(count))

static void assertSameCut(const FragmentField* a, const FragmentField* b, int i)
{
    const CutTet *x = &a->cutTets.data[i], *y = &b->cutTets.data[i];
    assert_int_equal(x->tet, y->tet);
    SAME_ARRAY(x->nodes, y->nodes, 4);
    SAME_ARRAY(x->facetCount, y->facetCount, 4);
    SAME_ARRAY(x->cut.birth, y->cut.birth, 6);
    for (int e = 0; e < 6; ++e)
        assert_true(x->cut.birth[e] == 0 || memcmp(&x->cut.t[e], &y->cut.t[e], sizeof(float)) == 0);
    for (int k = 0; k < 4; ++k)
        assert_true(x->facetCount[k] == 0 || x->facets[k] == y->facets[k]);
    assert_int_equal(x->cut.planeSide, y->cut.planeSide);
    if (x->cut.planeSide != 0) {
        assert_int_equal(x->cut.flat, y->cut.flat);
        SAME_ARRAY(x->cut.plane[0], y->cut.plane[0], 4);
        if (!x->cut.flat) {
            assert_int_equal(x->cut.convex, y->cut.convex);
            SAME_ARRAY(x->cut.plane[1], y->cut.plane[1], 4);
        }
    }
    // Who owns what: by points and planes alike.
    Random random = randomSeed((uint64_t)i);
    for (int n = 0; n < 4; ++n) {
        float p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = randomFloat(&random);
        assert_int_equal(tetCutOwner(&x->cut, p), tetCutOwner(&y->cut, p));
    }
}

static void assertSamePiece(const Piece* x, const Piece* y)
{
    assert_int_equal(x->first, y->first);
    assert_int_equal(x->count, y->count);
    assert_int_equal(x->parent, y->parent);
    assert_int_equal(x->masked, y->masked);
    assert_int_equal(x->removed, y->removed);
    assert_memory_equal(&x->box, &y->box, sizeof(shBox));
    assert_memory_equal(x->near.size, y->near.size, sizeof x->near.size);
    assert_true(x->near.spacing == y->near.spacing && vDistance2(x->near.origin, y->near.origin) == 0.0f);
    assert_int_equal(x->hull.count, y->hull.count);
    assert_int_equal(x->hull.nodes, y->hull.nodes);
    SAME_ARRAY(x->hull.planes, y->hull.planes, x->hull.count);
}

static void assertSameFacets(const FragmentField* a, const FragmentField* b)
{
    assert_int_equal(a->facets.count, b->facets.count);
    for (int f = 0; f < a->facets.count; ++f) {
        assert_int_equal(a->facets.data[f].node, b->facets.data[f].node);
        if (a->facets.data[f].node >= 0)
            assert_memory_equal(&a->facets.data[f], &b->facets.data[f], sizeof(Facet));
    }
    for (int length = 0; length <= maxGroupFacets; ++length) {
        int x = a->freeFacets[length], y = b->freeFacets[length];
        for (; x >= 0 && y == x; x = a->facets.data[x].source, y = b->facets.data[y].source)
            assert_int_equal(a->facets.data[x].node, -1);
        assert_int_equal(x, y);
    }
}

typedef struct Sum {
    uint64_t count, features;
} Sum;

static bool addFeature(int feature, const Vec3 corners[3], void* user)
{
    Sum* sum = user;
    Hash hash = hashStart((uint64_t)feature);
    hashBytes(&hash, corners, sizeof(Vec3[3]));
    ++sum->count;
    sum->features += hashValue(&hash); // in any order
    return true;
}

// Trees may have come to be in different ways; they hold the same triangles.
static void assertSameSkins(const FragmentField* a, const FragmentField* b)
{
    shBox everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    for (int piece = 0; piece < a->pieces.count; ++piece) {
        Sum x = {0}, y = {0};
        if (a->pieces.data[piece].removed)
            continue;
        assert_true(fieldVisitBox(a, piece, everywhere, addFeature, &x));
        assert_true(fieldVisitBox(b, piece, everywhere, addFeature, &y));
        assert_true(x.count > 0 && x.count == y.count && x.features == y.features);
    }
}

static void assertSame(const shSolid* one, const shSolid* other)
{
    const FragmentField *a = &one->field, *b = &other->field;
    const RestField* rest = a->rest;
    assert_int_equal(a->labels == NULL, b->labels == NULL);
    if (a->labels == NULL)
        return;
    int nodeCount = rest->mesh->nodeCount;
    SAME_ARRAY(a->labels, b->labels, nodeCount);
    SAME_ARRAY(a->nodeOrder, b->nodeOrder, nodeCount);
    SAME_ARRAY(a->edgeCuts, b->edgeCuts, rest->topology->edgeCount);
    SAME_ARRAY(a->tetCuts, b->tetCuts, rest->mesh->tetCount);
    SAME_ARRAY(a->masks, b->masks, rest->maskGrid->maskCount);
    SAME_ARRAY(a->triangleIsCut, b->triangleIsCut, rest->mesh->triangleCount);
    for (int n = 0; n < nodeCount; ++n) {
        NodeField ofA = fieldNode(a, n), ofB = fieldNode(b, n);
        assert_memory_equal(&ofA, &ofB, sizeof(NodeField));
        assert_int_equal(a->scratch[n], b->scratch[n]);
    }
    assert_int_equal(a->pieces.count, b->pieces.count);
    for (int i = 0; i < a->pieces.count; ++i)
        assertSamePiece(&a->pieces.data[i], &b->pieces.data[i]);
    assert_int_equal(a->cuts.count, b->cuts.count);
    SAME_ARRAY(a->cuts.data, b->cuts.data, a->cuts.count);
    assert_int_equal(a->cutTets.count, b->cutTets.count);
    for (int i = 0; i < a->cutTets.count; ++i)
        assertSameCut(a, b, i);
    assertSameFacets(a, b);
    assertSameSkins(a, b);
    assert_int_equal(one->trees.own.count, other->trees.own.count);
    SAME_ARRAY(one->trees.own.data, other->trees.own.data, one->trees.own.count);
    assert_int_equal(one->trees.roots.count, other->trees.roots.count);
    SAME_ARRAY(one->trees.roots.data, other->trees.roots.data, one->trees.roots.count);
}

static void a_solid_comes_back_bit_by_bit_and_breaks_on_alike(void** unused)
{
    (void)unused;
    const char* models[] = {"brick", "plate", "torus"};
    for (int m = 0; m < 3; ++m) {
        Scene scene = sceneOf(models[m]);
        Random random = randomSeed((uint64_t)m);
        shSolid *solid, *copy;
        assert_int_equal(shCreateSolid(scene.asset, &solid, NULL), shOk);
        size_t bytes = 0;
        for (int round = 0; round < 12; ++round) {
            Stream stream = saved(solid);
            shMessage message = {""};
            if (load(scene.asset, stream.data, stream.at, &copy, &message) != shOk)
                fail_msg("%s", message.text);
            assertSame(solid, copy);
            assert_true(hashOfSolid(solid) == hashOfSolid(copy));
            Random again = random;
            harm(solid, &random);
            harm(copy, &again);
            assertSame(solid, copy);
            shDestroySolid(copy);
            bytes = stream.at;
            streamFree(&stream);
        }
        printf("  %s: %d nodes, %d pieces, %d cut tetrahedra: %zu bytes, %lld in memory\n", models[m],
               scene.asset->mesh.nodeCount, shSolid_GetPieceCount(solid), solid->field.cutTets.count, bytes,
               (long long)shSolid_GetBytes(solid));
        shDestroySolid(solid);
        sceneEnd(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solid_comes_back_bit_by_bit_and_breaks_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

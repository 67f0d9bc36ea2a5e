// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Inner spheres in assets: what is cooked comes back from a file's bytes, and damaged trees are refused.
#include "core/random.h"
#include "sherd/proximity.h"
#include "solid/asset.h"
#include "test/failing_allocator.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static shContext* context;

static shAsset* cook(const char* model, int spheres)
{
    shCookDef def = shDefaultCookDef();
    def.innerSpheres = spheres;
    shAsset* asset;
    shMessage message = {""};
    if (shCookModel(context, model, 0.25f, &def, &asset, &message) != shOk)
        fail_msg("%s", message.text);
    return asset;
}

static void cooked_spheres_come_back_from_the_image(void** unused)
{
    (void)unused;
    shAsset *asset = cook("rabbit", 2000), *plain = cook("rabbit", 0), *loaded;
    assert_null(shAsset_GetInnerSpheres(plain));
    assert_true(shAsset_GetInfo(plain).contentHash != shAsset_GetInfo(asset).contentHash);
    size_t size;
    const void* image = shAsset_GetImage(asset, &size);
    assert_int_equal(shLoadAssetFromMemory(context, image, size, NULL, &loaded, NULL), shOk);
    const shInnerSpheres *a = shAsset_GetInnerSpheres(asset), *b = shAsset_GetInnerSpheres(loaded);
    assert_non_null(a);
    assert_non_null(b);
    shInnerInfo info = shInnerSpheres_GetInfo(a);
    assert_true(info.sphereCount == 2000 && info.covered > 0.6 && info.radius > 0.1f);
    assert_int_equal(a->tree.nodeCount, b->tree.nodeCount);
    assert_memory_equal(a->tree.nodes, b->tree.nodes, sizeof(InnerNode) * (size_t)a->tree.nodeCount);
    // The same as from the surface alone.
    const TetMesh* mesh = &asset->mesh;
    shTriangles surface = {mesh->surfaceNodeCount, mesh->triangleCount, mesh->nodes, (const int(*)[3])mesh->triangles};
    shInnerDef def = shDefaultInnerDef();
    def.spheres = 2000;
    shInnerSpheres* own;
    assert_int_equal(shCreateInnerSpheres(context, &surface, &def, &own, NULL), shOk);
    assert_memory_equal(a->tree.nodes, own->tree.nodes, sizeof(InnerNode) * (size_t)a->tree.nodeCount);
    shInnerBody p = {a, {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}}}, q = p;
    q.transform.p.x = 0.3f;
    shInnerDistance first, second;
    assert_int_equal(shInner_GetDistance(&p, &q, INFINITY, 32, NULL, &first, NULL), shOk);
    p.spheres = own;
    q.spheres = b;
    assert_int_equal(shInner_GetDistance(&p, &q, INFINITY, 32, NULL, &second, NULL), shOk);
    assert_true(first.found && first.triangleA >= 0);
    assert_true(first.distance == second.distance && first.sphereA == second.sphereA &&
                first.sphereB == second.sphereB && first.triangleA == second.triangleA &&
                first.triangleB == second.triangleB && first.tests == second.tests);
    assert_memory_equal(&first.pointA, &second.pointA, sizeof first.pointA);
    // Levels hold all spheres.
    shInnerSphere nodes[64];
    int firsts[64];
    assert_int_equal(shInnerSpheres_GetLevel(a, 0, nodes, firsts, 64), 1);
    assert_true(nodes[0].radius == info.radius);
    int count = shInnerSpheres_GetLevel(a, 2, nodes, firsts, 64);
    assert_true(count > 4 && count <= 16 && firsts[0] == 0 && firsts[count - 1] < 2000);
    shDestroyInnerSpheres(own);
    shDestroyAsset(loaded);
    shDestroyAsset(plain);
    shDestroyAsset(asset);
}

static void wishes_that_make_no_sense_are_refused(void** unused)
{
    (void)unused;
    shCookDef def = shDefaultCookDef();
    shAsset* asset;
    shMessage message = {""};
    def.innerSpheres = -1;
    assert_int_equal(shCookModel(context, "box", 0.5f, &def, &asset, &message), shInvalid);
    assert_non_null(strstr(message.text, "-1 inner spheres"));
    def.innerSpheres = 1 << 30;
    assert_int_equal(shCookModel(context, "box", 0.5f, &def, &asset, &message), shInvalid);
    assert_non_null(strstr(message.text, "ask for 1 to"));
}

// One number of the three chunks changed at a time, under a right checksum. What is accepted must be harmless: its
// queries end, and say nothing absurd.
static void damaged_trees_are_refused_or_harmless(void** unused)
{
    (void)unused;
    shAsset* asset = cook("brick", 200);
    size_t size;
    const uint8_t* image = shAsset_GetImage(asset, &size);
    uint8_t* bytes = aligned_alloc(64, size);
    Random random = randomSeed(2);
    int refused = 0, rounds = 1200;
    for (int n = 0; n < rounds; ++n) {
        memcpy(bytes, image, size);
        Image view = {bytes, size, "test"};
        static const char* const tags[3] = {"INNN", "INNS", "INNR"};
        const ImageChunk* chunk = imageFind(&view, tags[n % 3]);
        size_t words = (size_t)(chunk->count * chunk->elementSize / 4);
        uint8_t* at = bytes + chunk->offset + 4 * (size_t)randomBelow(&random, (int)words);
        uint32_t word;
        memcpy(&word, at, 4);
        switch (randomBelow(&random, 4)) {
        case 0:
            word ^= 1u << randomBelow(&random, 32);
            break;
        case 1:
            word = (uint32_t)randomBits(&random);
            break;
        case 2:
            word += (uint32_t)randomBelow(&random, 5) - 2u;
            break;
        default:
            word = 0x7fc00000u; // NaN
        }
        memcpy(at, &word, 4);
        ((ImageHeader*)bytes)->checksum = imageChecksum(bytes, size);
        shAsset* loaded;
        shMessage message = {""};
        shStatus status = shLoadAssetFromMemory(context, bytes, size, "test", &loaded, &message);
        if (status != shOk) {
            assert_int_equal(status, shBadFile);
            assert_non_null(strstr(message.text, "byte"));
            ++refused;
            continue;
        }
        const shInnerSpheres* spheres = shAsset_GetInnerSpheres(loaded);
        shInnerBody a = {spheres, {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}}}, b = a;
        b.transform.p.x = 0.1f;
        shInnerDistance distance;
        shInnerVolume volume;
        assert_int_equal(shInner_GetDistance(&a, &b, INFINITY, 32, NULL, &distance, NULL), shOk);
        assert_int_equal(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, NULL), shOk);
        assert_true(isfinite(volume.volume) && isfinite(distance.distance));
        shDestroyAsset(loaded);
    }
    assert_true(refused > rounds / 2);
    // A node that does not enclose its spheres.
    memcpy(bytes, image, size);
    Image view = {bytes, size, "test"};
    InnerNode* nodes = (InnerNode*)(uintptr_t)(bytes + imageFind(&view, "INNN")->offset);
    nodes[0].radius[0] *= 0.99f;
    ((ImageHeader*)bytes)->checksum = imageChecksum(bytes, size);
    shAsset* loaded;
    shMessage message = {""};
    assert_int_equal(shLoadAssetFromMemory(context, bytes, size, "test", &loaded, &message), shBadFile);
    assert_non_null(strstr(message.text, "does not enclose"));
    free(bytes);
    shDestroyAsset(asset);
}

static void lack_of_memory_leaves_nothing_behind(void** unused)
{
    (void)unused;
    int failed = 0;
    for (int failAt = 1;; ++failAt) {
        TestAllocator memory = {0};
        shContextDef def = shDefaultContextDef();
        def.allocator = testAllocatorHooks(&memory);
        shContext* small;
        assert_int_equal(shCreateContext(&def, &small, NULL), shOk);
        atomic_store(&memory.calls, 0);
        memory.failAt = failAt;
        shCookDef wish = shDefaultCookDef();
        wish.innerSpheres = 100;
        shAsset* asset;
        shStatus status = shCookModel(small, "brick", 0.25f, &wish, &asset, NULL);
        if (status == shOk)
            shDestroyAsset(asset);
        assert_int_equal(shDestroyContext(small), 0);
        assert_int_equal(memory.wrongSizes, 0);
        if (status == shOk)
            break;
        assert_int_equal(status, shOutOfMemory);
        ++failed;
    }
    assert_true(failed > 20);
}

int main(void)
{
    shContextDef def = shDefaultContextDef();
    if (shCreateContext(&def, &context, NULL) != shOk)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooked_spheres_come_back_from_the_image),
        cmocka_unit_test(wishes_that_make_no_sense_are_refused),
        cmocka_unit_test(damaged_trees_are_refused_or_harmless),
        cmocka_unit_test(lack_of_memory_leaves_nothing_behind),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed != 0 || shDestroyContext(context) != 0;
}

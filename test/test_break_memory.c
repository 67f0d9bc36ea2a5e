// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What solids cost, intact and broken, and what a break leaves behind when memory runs out in the middle of it:
// nothing.
#include "core/hash.h"
#include "core/random.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/failing_allocator.h"
#include "test/piece_surface.h"

static void fillWithPoints(shBox box, Random* random, Vec3* points, int count)
{
    for (int i = 0; i < count; ++i)
        points[i] = randomInBox(random, box);
}

// ---- what it costs --------------------------------------------------------------------------------------------------

static void a_thousand_intact_solids_cost_less_than_a_megabyte(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    shContext* context;
    shAsset* asset;
    static shSolid* solids[1000];
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(shCookModel(context, "sphere", 1.0f, &cook, &asset, NULL), shOk);
    int64_t before = shContext_GetMemory(context).bytes, reported = 0;
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(shCreateSolid(asset, &solids[i], NULL), shOk);
        reported += shSolid_GetBytes(solids[i]);
    }
    int64_t cost = shContext_GetMemory(context).bytes - before;
    printf("  1000 intact solids: %lld bytes over the asset's %lld\n", (long long)cost, (long long)before);
    assert_true(cost < 1000000);
    assert_true(cost == reported);
    for (int i = 0; i < 1000; ++i)
        shDestroySolid(solids[i]);
    assert_true(shContext_GetMemory(context).bytes == before);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
}

typedef struct Cost {
    int nodes, pieces, cutTets;
    int64_t bytes;
} Cost;

// Breaks a model once, checks every piece and says what it took.
static Cost shatter(const char* model, float detail, int siteCount)
{
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    shContext* context;
    shAsset* asset;
    shSolid* solid;
    Random random = randomSeed(6);
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(shCookModel(context, model, detail, &cook, &asset, NULL), shOk);
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    Surface whole = surfaceOf(&solid->field, 0);
    double volume = volumeOf(&whole), sum = 0.0;
    free(whole.triangles);

    int64_t before = shContext_GetMemory(context).bytes - shSolid_GetBytes(solid);
    Vec3* sites = malloc(sizeof(Vec3) * (size_t)siteCount);
    fillWithPoints(asset->box, &random, sites, siteCount);
    assert_int_equal(shSolid_BreakVoronoi(solid, 0, sites, siteCount, NULL, NULL), shOk);
    free(sites);
    Cost cost = {asset->mesh.nodeCount, shSolid_GetPieceCount(solid), solid->field.cutTets.count,
                 shSolid_GetBytes(solid)};
    assert_true(cost.bytes == shContext_GetMemory(context).bytes - before);
    for (int p = 0; p < cost.pieces; ++p) {
        Surface s = surfaceOf(&solid->field, p);
        double v = volumeOf(&s);
        assert_true(isClosed(&s));
        assert_true(v > 0.0);
        sum += v;
        free(s.triangles);
    }
    assert_true(fabs(sum - volume) < 1e-6 * volume);
    printf("  %-6s %6d nodes, %6d tets, %6d cut, %4d pieces: %9lld bytes, %4.0f per node, %6.0f per piece\n", model,
           cost.nodes, asset->mesh.tetCount, cost.cutTets, cost.pieces, (long long)cost.bytes,
           (double)cost.bytes / cost.nodes, (double)cost.bytes / cost.pieces);
    // Of each piece its sharp edges, and a group of samples that is not full.
    int64_t perPiece = edgesMost * edgeRows * (int64_t)sizeof(float) + (int64_t)sizeof(SampleGroup);
    assert_true(cost.bytes < 300 * (int64_t)cost.nodes + 1400 * (int64_t)cost.cutTets + perPiece * cost.pieces);
    shDestroySolid(solid);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
    return cost;
}

static void broken_solids_pay_for_nodes_and_cuts(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "brick", "plate", "torus"};
    for (int m = 0; m < 4; ++m) {
        shatter(models[m], 1.0f, 2);
        shatter(models[m], 1.0f, 20);
    }
}

static void a_wall_breaks_into_a_thousand_valid_pieces(void** unused)
{
    (void)unused;
    Cost wall = shatter("wall", 3.0f, 1000);
    assert_true(wall.nodes >= 20000);
    assert_true(wall.pieces >= 900);
}

// ---- when there is none ---------------------------------------------------------------------------------------------

// Everything that queries see of a solid.
static uint64_t hashSolid(const shSolid* solid)
{
    const FragmentField* field = &solid->field;
    Hash hash = hashStart(1);
    int pieces = shSolid_GetPieceCount(solid), nodes = solid->asset->mesh.nodeCount;
    hashBytes(&hash, &pieces, sizeof pieces);
    for (int p = 0; p < pieces; ++p) {
        Surface s = surfaceOf(field, p);
        hashBytes(&hash, s.triangles, sizeof(Vec3[3]) * (size_t)s.count);
        free(s.triangles);
        shBox box = fieldBox(field, p);
        int root = treesRoot(&solid->trees, p);
        hashBytes(&hash, &box, sizeof box);
        hashBytes(&hash, &root, sizeof root);
    }
    for (int n = 0; n < nodes; ++n) {
        int label = fieldLabel(field, n);
        float distance = fieldNodeDistance(field, n);
        hashBytes(&hash, &label, sizeof label);
        hashBytes(&hash, &distance, sizeof distance);
    }
    int points = nodes + 2 * (field->labels != NULL ? field->cuts.count : 0);
    hashBytes(&hash, treesPoints(&solid->trees), sizeof(TreePoint) * (size_t)points);
    Random random = randomSeed(3);
    for (int i = 0; i < 200; ++i) {
        Vec3 at;
        fillWithPoints(solid->asset->box, &random, &at, 1);
        int owner = shSolid_FindOwner(solid, at);
        FieldHit hit = {0};
        if (owner >= 0)
            fieldProbe(field, owner, &(FieldProbe){.p = at}, &hit);
        hashBytes(&hash, &owner, sizeof owner);
        hashBytes(&hash, &hit.distance, sizeof hit.distance);
    }
    return hashValue(&hash);
}

// The breaks of a chain: by cells, by bare labels, by cells again.
static shStatus breakOnce(shSolid* solid, int generation)
{
    Random random = randomSeed((uint64_t)generation);
    int piece = generation == 2 ? 1 : 0;
    if (generation != 1) {
        Vec3 sites[12]; // enough to divide even a piece of a few nodes
        fillWithPoints(fieldBox(&solid->field, piece), &random, sites, 12);
        return shSolid_BreakVoronoi(solid, piece, sites, 12, NULL, NULL);
    }
    int* labels = malloc(sizeof(int) * (size_t)solid->asset->mesh.nodeCount);
    Vec3 center = boxCenter(fieldBox(&solid->field, piece));
    for (int n = 0; n < solid->asset->mesh.nodeCount; ++n)
        labels[n] = solid->asset->mesh.nodes[n].x > center.x;
    shStatus status = shSolid_Break(solid, &(shCrack){piece, labels, NULL, NULL}, NULL, NULL);
    free(labels);
    return status;
}

static shSolid* breakTimes(const shAsset* asset, FieldRule rule, int generations)
{
    shSolid* solid;
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    solid->field.rule = rule;
    for (int g = 0; g < generations; ++g)
        assert_int_equal(breakOnce(solid, g), shOk);
    return solid;
}

static void a_break_that_runs_out_of_memory_changes_nothing(void** unused)
{
    (void)unused;
    TestAllocator allocator = {0};
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    shContext* context;
    shAsset* asset;
    def.allocator = testAllocatorHooks(&allocator);
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(shCookModel(context, "box", 0.5f, &cook, &asset, NULL), shOk);
    long long base = atomic_load(&allocator.bytes);
    int failures = 0;
    for (int variant = 0; variant < 6; ++variant) {
        FieldRule rule = variant < 3 ? fieldNearest : fieldPaper;
        int generation = variant % 3;
        shSolid* reference = breakTimes(asset, rule, generation);
        uint64_t before = hashSolid(reference);
        assert_int_equal(breakOnce(reference, generation), shOk);
        uint64_t after = hashSolid(reference);
        assert_true(before != after);
        shDestroySolid(reference);
        bool failed = true;
        for (int n = 1; failed; ++n) {
            shSolid* solid = breakTimes(asset, rule, generation);
            atomic_store(&allocator.calls, 0);
            allocator.failAt = n;
            shStatus status = breakOnce(solid, generation);
            failed = atomic_load(&allocator.calls) >= n;
            allocator.failAt = 0;
            assert_int_equal(status, failed ? shOutOfMemory : shOk);
            if (failed) {
                ++failures;
                assert_true(hashSolid(solid) == before);
                // Room that it made is in the solid's books; nothing else is out.
                assert_true(atomic_load(&allocator.bytes) == base + shSolid_GetBytes(solid));
                assert_int_equal(breakOnce(solid, generation), shOk);
            }
            assert_true(hashSolid(solid) == after);
            assert_true(atomic_load(&allocator.bytes) == base + shSolid_GetBytes(solid));
            shDestroySolid(solid);
            assert_true(atomic_load(&allocator.bytes) == base);
        }
    }
    printf("  %d allocations refused, one at a time\n", failures);
    assert_true(failures > 60);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
    assert_int_equal(atomic_load(&allocator.bytes), 0);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_intact_solids_cost_less_than_a_megabyte),
        cmocka_unit_test(broken_solids_pay_for_nodes_and_cuts),
        cmocka_unit_test(a_wall_breaks_into_a_thousand_valid_pieces),
        cmocka_unit_test(a_break_that_runs_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

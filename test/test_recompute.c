// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the benchmarks compare updates with: it must be right to be worth a comparison.
#include "bench/poses.h"
#include "bench/recompute.h"
#include "core/closest.h"
#include "solid/solid.h"
#include "test/tree_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct Scene {
    shContext* context;
    shAsset* asset;
    shSolid* solid;
} Scene;

static void setUp(Scene* scene, const char* model, float detail)
{
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene->context, NULL), shOk);
    assert_int_equal(shCookModel(scene->context, model, detail, &cook, &scene->asset, NULL), shOk);
    assert_int_equal(shCreateSolid(scene->asset, &scene->solid, NULL), shOk);
    assert_int_equal(breakSeeded(scene->solid, 6, 3, NULL), shOk);
    assert_true(shSolid_GetPieceCount(scene->solid) >= 6);
}

static void tearDown(Scene* scene)
{
    shDestroySolid(scene->solid);
    shDestroyAsset(scene->asset);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

typedef struct NodeClosest {
    Vec3 p;
    float distance;
} NodeClosest;

static void nearer(const Vec3 p[3], int source, void* user)
{
    (void)source;
    NodeClosest* closest = user;
    closest->distance = minF(closest->distance, vDistance(closest->p, closestOnTriangle(closest->p, p[0], p[1], p[2])));
}

static void a_recomputed_field_and_the_update_are_exact(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "torus", 0.5f);
    FragmentField* field = &scene.solid->field;
    const TetMesh* mesh = &scene.asset->mesh;
    float size = vLength(boxSize(scene.asset->box));
    int checked = 0;
    NodeField* nodes = NEW_ARRAY(field->memory, NodeField, mesh->nodeCount);
    assert_int_equal(recomputeField(scene.solid, nodes, NULL), shOk);
    for (int n = 0; n < mesh->nodeCount; ++n) {
        if (field->rest->nodeDistances[n] == 0.0f)
            continue;
        NodeClosest closest = {mesh->nodes[n], INFINITY};
        fieldSurface(field, field->labels[n], nearer, &closest);
        assert_true(fabsf(nodes[n].distance - closest.distance) < 1e-6f * size);
        Vec3 corners[3];
        fieldFeature(field, nodes[n].feature, corners);
        float own = vDistance(closest.p, closestOnTriangle(closest.p, corners[0], corners[1], corners[2]));
        assert_true(fabsf(own - closest.distance) < 1e-6f * size);
        assert_true(fabsf(fieldNodeDistance(field, n) - closest.distance) < 1e-6f * size);
        ++checked;
    }
    assert_true(checked > 100);
    FREE_ARRAY(field->memory, nodes, mesh->nodeCount);
    tearDown(&scene);
}

// Counts a tree's points and checks that every radius holds what is below.
static int checkTree(const shSolid* solid, int piece)
{
    const TreePoint* points = treesPoints(&solid->trees);
    int root = treesRoot(&solid->trees, piece), count = 0;
    for (int at = root; at >= 0; at = treeNext(points, root, at)) {
        ++count;
        assert_int_equal(treePointLabel(&solid->field, at), piece);
        for (int below = at, above = points[at].parent; above >= 0; below = above, above = points[above].parent)
            assert_true(vDistance(points[above].p, points[at].p) <= points[below].reach);
    }
    return count;
}

static void recomputed_trees_hold_all_points_of_their_pieces(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "brick", 1.0f);
    const FragmentField* field = &scene.solid->field;
    int all = scene.asset->mesh.nodeCount + 2 * field->cuts.count, inner = 0;
    for (int n = 0; n < scene.asset->mesh.nodeCount; ++n)
        inner += field->rest->nodeDistances[n] > 0.0f;
    assert_true(inner > 0);
    for (int with = 0; with < 2; ++with) {
        assert_int_equal(recomputeTrees(scene.solid, with, NULL), shOk);
        int count = 0;
        for (int piece = 0; piece < shSolid_GetPieceCount(scene.solid); ++piece)
            count += checkTree(scene.solid, piece);
        assert_int_equal(count, with ? all : all - inner);
    }
    tearDown(&scene);
}

static void a_pose_is_as_deep_as_it_was_asked_to_be(void** unused)
{
    (void)unused;
    Scene scene;
    setUp(&scene, "brick", 1.0f);
    shQuery* query;
    assert_int_equal(shCreateQuery(scene.context, &query, NULL), shOk);
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    int found = 0, pieces[6];
    assert_int_equal(largestPieces(scene.solid, 6, pieces), 6);
    for (int i = 1; i < 6; ++i)
        assert_true(scene.solid->field.pieces.data[pieces[i]].count <=
                    scene.solid->field.pieces.data[pieces[i - 1]].count);
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const shCollider pair[2] = {{.solid = scene.solid, .piece = pieces[0]},
                                    {.solid = scene.solid, .piece = pieces[seed % 5 + 1]}};
        float size = pieceDiameter(scene.solid, pair[1].piece), wanted = size * (0.0025f * (float)seed - 0.02f);
        Pose pose;
        if (!poseFind(query, pair, wanted, seed, &pose))
            continue;
        ++found;
        float deepest = poseDeepest(query, &def, &pose, NULL);
        if (wanted < 0.0f)
            assert_true(deepest < 0.0f);
        else
            assert_true(deepest >= wanted);
    }
    assert_true(found > 20);
    shDestroyQuery(query);
    tearDown(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recomputed_field_and_the_update_are_exact),
        cmocka_unit_test(recomputed_trees_hold_all_points_of_their_pieces),
        cmocka_unit_test(a_pose_is_as_deep_as_it_was_asked_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The sphere tree: parents are the closest points one level up, radii enclose, and after any chain of breaks every
// piece's tree holds exactly its points while untouched pieces keep theirs bit for bit.
#include "core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/breaking.h"

static int levelOf(int rank)
{
    int level = 0;
    while (1 << level <= rank)
        ++level;
    return level;
}

static void parents_are_the_closest_points_of_the_level_above(void** unused)
{
    (void)unused;
    Random random = randomSeed(1);
    shContextDef def = shDefaultContextDef();
    shContext* context;
    shCreateContext(&def, &context, NULL);
    for (int trial = 0; trial < 60; ++trial) {
        int count = 1 + randomBelow(&random, 700), root;
        Vec3* at = malloc(sizeof(Vec3) * (size_t)count);
        int* order = malloc(sizeof(int) * (size_t)count);
        TreePoint* points = malloc(sizeof(TreePoint) * (size_t)count);
        for (int i = 0; i < count; ++i) {
            Vec3 p = vFromD(randomInBall(&random));
            if (trial % 3 == 1)
                p = vec3(p.x, 0.001f * p.y, 0.0f); // flat
            if (trial % 3 == 2)
                p = vec3(floorf(5.0f * p.x), floorf(5.0f * p.y), floorf(5.0f * p.z)); // ties and duplicates
            points[i].p = at[i] = p;
        }
        assert_int_equal(pointOrder(at, count, &context->memory, order, NULL, NULL), shOk);
        assert_int_equal(sphereTreeBuild(points, order, count, &context->memory, &root, NULL), shOk);
        assert_int_equal(root, order[0]);
        for (int rank = 1; rank < count; ++rank) {
            int above = 1 << (levelOf(rank) - 1), best = 0;
            for (int r = 1; r < above; ++r) {
                if (vDistance2(at[order[r]], at[order[rank]]) < vDistance2(at[order[best]], at[order[rank]]))
                    best = r;
            }
            assert_int_equal(points[order[rank]].parent, order[best]);
        }
        free(at);
        free(order);
        free(points);
    }
    shDestroyContext(context);
}

// Counts a piece's points, checks links and that every reach holds what it must.
static int checkTree(const Fixture* fx, int piece, uint64_t* digest)
{
    const TreePoint* points = treesPoints(&fx->trees);
    int root = treesRoot(&fx->trees, piece), count = 0, stack[4096], depth = 0;
    Hash hash = hashStart(0);
    assert_int_equal(points[root].parent, -1);
    stack[depth++] = root;
    while (depth > 0) {
        int at = stack[--depth];
        ++count;
        hashBytes(&hash, &points[at], sizeof(TreePoint));
        assert_int_equal(treePointLabel(&fx->field, at), piece);
        float last = INFINITY;
        assert_true(points[at].radius == (points[at].child >= 0 ? points[points[at].child].reach : 0.0f));
        for (int child = points[at].child; child >= 0; child = points[child].sibling) {
            assert_int_equal(points[child].parent, at);
            assert_true(points[child].reach <= last);
            last = points[child].reach;
            assert_true(depth < 4096);
            stack[depth++] = child;
        }
        // All ancestors hold this point within the reach of the branch it is in.
        for (int below = at, above = points[at].parent; above >= 0; below = above, above = points[above].parent)
            assert_true(vDistance(points[above].p, points[at].p) <= points[below].reach);
    }
    *digest = hashValue(&hash);
    return count;
}

static int pointsOf(const Fixture* fx, int piece)
{
    int count = 0, all = fx->mesh.nodeCount + 2 * fx->field.cuts.count;
    for (int p = 0; p < all; ++p)
        count += treePointLabel(&fx->field, p) == piece;
    return count;
}

static void breaks_split_trees_without_losing_a_point(void** unused)
{
    (void)unused;
    static const char* const models[] = {"brick", "plate", "shelf", "sphere"};
    Random random = randomSeed(2);
    int chains = 0;
    for (int m = 0; m < 4; ++m) {
        for (int trial = 0; trial < 6; ++trial) {
            Fixture fx;
            setUp(&fx, models[m], m == 1 ? 0.5f : 1.0f);
            fx.trees.restructure = trial % 3 == 2 ? restructureFirst : restructureNearest;
            uint64_t digest;
            assert_int_equal(checkTree(&fx, 0, &digest), fx.mesh.nodeCount);
            for (int generation = 0; generation < 5; ++generation) {
                int count = fieldPieceCount(&fx.field), target = randomBelow(&random, count);
                uint64_t* before = malloc(sizeof(uint64_t) * (size_t)count);
                for (int p = 0; p < count; ++p)
                    checkTree(&fx, p, &before[p]);
                breakAtRandom(&fx, target, 2 + randomBelow(&random, 12), &random);
                for (int p = 0; p < fieldPieceCount(&fx.field); ++p) {
                    assert_int_equal(checkTree(&fx, p, &digest), pointsOf(&fx, p));
                    if (p < count && p != target)
                        assert_true(digest == before[p]);
                }
                free(before);
                ++chains;
            }
            tearDown(&fx);
        }
    }
    assert_int_equal(chains, 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_are_the_closest_points_of_the_level_above),
        cmocka_unit_test(breaks_split_trees_without_losing_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

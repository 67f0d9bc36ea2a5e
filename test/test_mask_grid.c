// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Masks of pieces over chains of breaks: what they call clear is clear by brute force, what they keep up to date is
// what a fresh look would give, pieces that did not break keep their bits.
#include "core/closest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/breaking.h"

static const char* const models[] = {"box", "plate", "shelf", "wall"};

typedef struct Nearest {
    Vec3 p;
    float distance;
} Nearest;

static void measure(const Vec3 t[3], int source, void* user)
{
    (void)source;
    Nearest* nearest = user;
    nearest->distance = minF(nearest->distance, vDistance(nearest->p, closestOnTriangle(nearest->p, t[0], t[1], t[2])));
}

// Random spheres of all sizes around random pieces; returns how many were called clear.
static int compareSpheres(const Fixture* fx, int count, Random* random)
{
    const FragmentField* field = &fx->field;
    int culled = 0;
    for (int i = 0; i < count; ++i) {
        int piece = randomBelow(random, fieldPieceCount(field));
        float radius = 0.3f * fx->diameter * randomFloat(random) * randomFloat(random) * randomFloat(random);
        Nearest nearest = {randomInBox(random, boxGrow(fieldBox(field, piece), radius)), INFINITY};
        float clear = maskGridClear(field->rest->maskGrid, field->masks, piece, nearest.p, radius);
        if (clear == 0.0f)
            continue;
        ++culled;
        assert_true(clear > radius);
        assert_int_not_equal(fieldOwner(field, nearest.p), piece);
        fieldSurface(field, piece, measure, &nearest);
        assert_true(nearest.distance >= clear - 1e-6f * fx->diameter);
    }
    return culled;
}

// Masks as they would be had they never been updated: from labels alone.
static void assertFresh(const Fixture* fx)
{
    const MaskGrid* grid = fx->field.rest->maskGrid;
    uint64_t* fresh = malloc(sizeof(uint64_t) * (size_t)grid->maskCount);
    memset(fresh, 0xff, sizeof(uint64_t) * (size_t)grid->maskCount);
    maskGridUpdate(grid, fresh, fx->field.labels, 0, boxGrow(fieldBox(&fx->field, 0), 10.0f * fx->diameter));
    assert_memory_equal(fresh, fx->field.masks, sizeof(uint64_t) * (size_t)grid->maskCount);
    free(fresh);
}

static void what_is_called_clear_is_clear(void** unused)
{
    (void)unused;
    Random random = randomSeed(11);
    int culled = 0, spheres = 0;
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], 1.0f);
        for (int generation = 0; generation < 5; ++generation) {
            int target = generation == 0 ? 0 : randomBelow(&random, fieldPieceCount(&fx.field));
            breakAtRandom(&fx, target, 2 + 3 * generation, &random);
            culled += compareSpheres(&fx, 1000, &random);
            spheres += 1000;
        }
        tearDown(&fx);
    }
    printf("  %d of %d spheres in the boxes of pieces are clear of them\n", culled, spheres);
    assert_true(culled > spheres / 20);
}

static void more_pieces_than_bits_stay_correct(void** unused)
{
    (void)unused;
    Random random = randomSeed(12);
    Fixture fx;
    setUp(&fx, "wall", 3.0f);
    while (fieldPieceCount(&fx.field) <= 100) {
        breakAtRandom(&fx, randomBelow(&random, fieldPieceCount(&fx.field)), 12, &random);
        assertFresh(&fx);
    }
    assert_true(compareSpheres(&fx, 10000, &random) > 100);
    tearDown(&fx);
}

static void updates_equal_a_fresh_look_and_leave_other_pieces_alone(void** unused)
{
    (void)unused;
    Random random = randomSeed(13);
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], 0.75f);
        const MaskGrid* grid = &fx.rest.maskGrid;
        breakAtRandom(&fx, 0, 5, &random);
        assertFresh(&fx);
        uint64_t* before = malloc(sizeof(uint64_t) * (size_t)grid->maskCount);
        for (int generation = 0; generation < 5; ++generation) {
            int count = fieldPieceCount(&fx.field), target = randomBelow(&random, count);
            memcpy(before, fx.field.masks, sizeof(uint64_t) * (size_t)grid->maskCount);
            breakAtRandom(&fx, target, 3, &random);
            assertFresh(&fx);
            if (fieldPieceCount(&fx.field) > 64)
                break;
            uint64_t others = (((uint64_t)1 << count) - 1) & ~((uint64_t)1 << target);
            for (int i = 0; i < grid->maskCount; ++i) {
                assert_true((before[i] & others) == (fx.field.masks[i] & others));
                // The rest of the broken piece is nowhere but where it was.
                assert_true((fx.field.masks[i] >> target & 1u) <= (before[i] >> target & 1u));
            }
        }
        free(before);
        tearDown(&fx);
    }
}

static void a_chip_is_seen_by_others_no_more(void** unused)
{
    (void)unused;
    Fixture fx;
    setUp(&fx, "wall", 2.0f);
    // The middle of a wall is taken out: spheres there are inside the box of the rest, but clear of it.
    shBox box = fieldBox(&fx.field, 0);
    Vec3 middle = vLerp(box.lower, box.upper, 0.5f);
    float radius = 0.3f * (box.upper.y - box.lower.y);
    int* labels = malloc(sizeof(int) * (size_t)fx.mesh.nodeCount);
    for (int n = 0; n < fx.mesh.nodeCount; ++n)
        labels[n] = vDistance(fx.mesh.nodes[n], middle) < radius;
    assert_int_equal(fieldBreak(&fx.field, &(Crack){.piece = 0, .labels = labels}, NULL, NULL, NULL), shOk);
    assert_int_equal(fieldPieceCount(&fx.field), 2);
    assert_true(maskGridClear(&fx.rest.maskGrid, fx.field.masks, 0, middle, 0.25f * radius) > 0.0f);
    assert_true(maskGridClear(&fx.rest.maskGrid, fx.field.masks, 1, middle, 0.25f * radius) == 0.0f);
    assert_true(maskGridClear(&fx.rest.maskGrid, fx.field.masks, 0, middle, 2.0f * radius) == 0.0f);
    // Nothing is said of spheres beyond the coarsest level, nor wrongly of places far away.
    assert_true(maskGridClear(&fx.rest.maskGrid, fx.field.masks, 0, middle, 1000.0f * radius) == 0.0f);
    assert_true(maskGridClear(&fx.rest.maskGrid, fx.field.masks, 0, vec3(1e9f, -1e9f, 1e9f), 0.1f * radius) > 0.0f);
    assert_true(maskGridClear(&fx.rest.maskGrid, fx.field.masks, 0, box.lower, 0.0f) == 0.0f);
    free(labels);
    tearDown(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_called_clear_is_clear),
        cmocka_unit_test(more_pieces_than_bits_stay_correct),
        cmocka_unit_test(updates_equal_a_fresh_look_and_leave_other_pieces_alone),
        cmocka_unit_test(a_chip_is_seen_by_others_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

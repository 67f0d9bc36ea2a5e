// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Chains of random breaks of built-in models: partition, closed surfaces, ownership against brute force, untouched
// siblings bit for bit, distances against the exact surface.
#include "core/closest.h"
#include "core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/breaking.h"
#include "test/piece_surface.h"

// ---- surfaces -------------------------------------------------------------------------------------------------------

static float distanceTo(const Surface* s, Vec3 p)
{
    float best = INFINITY;
    for (int i = 0; i < s->count; ++i)
        best =
            minF(best, vDistance2(p, closestOnTriangle(p, s->triangles[i][0], s->triangles[i][1], s->triangles[i][2])));
    return sqrtf(best);
}

static bool insideOf(const Surface* s, Vec3 point)
{
    DVec3 p = dFromV(point);
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        DVec3 a = dSub(dFromV(s->triangles[i][0]), p), b = dSub(dFromV(s->triangles[i][1]), p),
              c = dSub(dFromV(s->triangles[i][2]), p);
        double la = dLength(a), lb = dLength(b), lc = dLength(c);
        double down = la * lb * lc + dDot(a, b) * lc + dDot(b, c) * la + dDot(c, a) * lb;
        sum += atan2(dDot(a, dCross(b, c)), down) / (2.0 * 3.14159265358979323846);
    }
    return sum > 0.5;
}

static uint64_t hashPiece(const FragmentField* field, int piece)
{
    Surface s = surfaceOf(field, piece);
    Hash hash = hashStart(1);
    hashBytes(&hash, s.triangles, sizeof(Vec3[3]) * (size_t)s.count);
    const Piece* p = &field->pieces.data[piece];
    for (int i = p->first; i < p->first + p->count; ++i) {
        hashBytes(&hash, &field->nodeOrder[i], sizeof(int));
        NodeField at = fieldNode(field, field->nodeOrder[i]);
        hashBytes(&hash, &at.distance, sizeof(float));
    }
    // Ownership at fixed places of its box.
    Random random = randomSeed(77);
    for (int i = 0; i < 200; ++i) {
        Vec3 at = randomInBox(&random, p->box);
        uint8_t inside = fieldOwner(field, at) == piece;
        hashBytes(&hash, &inside, 1);
    }
    free(s.triangles);
    return hashValue(&hash);
}

static const char* const models[] = {"box", "brick", "shelf", "wall"};

static void chains_of_breaks_keep_pieces_closed_and_siblings_untouched(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], 1.0f);
        Surface whole = surfaceOf(&fx.field, 0);
        double volume = volumeOf(&whole);
        free(whole.triangles);
        for (int generation = 0; generation < 5; ++generation) {
            int count = fieldPieceCount(&fx.field);
            int target = randomBelow(&random, count);
            uint64_t* before = malloc(sizeof(uint64_t) * (size_t)count);
            for (int p = 0; p < count && generation > 0; ++p)
                before[p] = p == target ? 0 : hashPiece(&fx.field, p);
            breakAtRandom(&fx, target, 2 + generation * 3, &random);
            for (int p = 0; p < count && generation > 0; ++p) {
                if (p != target)
                    assert_true(before[p] == hashPiece(&fx.field, p));
            }
            free(before);
            double sum = 0.0;
            for (int p = 0; p < fieldPieceCount(&fx.field); ++p) {
                Surface s = surfaceOf(&fx.field, p);
                assert_true(isClosed(&s));
                double v = volumeOf(&s);
                assert_true(v > 0.0);
                sum += v;
                free(s.triangles);
            }
            assert_true(fabs(sum - volume) < 1e-6 * volume);
        }
        tearDown(&fx);
    }
}

static void owner_equals_brute_force(void** unused)
{
    (void)unused;
    Random random = randomSeed(5);
    int tested = 0;
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], 0.75f);
        breakAtRandom(&fx, 0, 6, &random);
        breakAtRandom(&fx, 1, 4, &random);
        breakAtRandom(&fx, 0, 4, &random);
        int count = fieldPieceCount(&fx.field);
        Surface* s = malloc(sizeof(Surface) * (size_t)count);
        for (int p = 0; p < count; ++p)
            s[p] = surfaceOf(&fx.field, p);
        shBox box = boxGrow(fieldBox(&fx.field, 0), 0.02f * fx.diameter);
        for (int p = 0; p < count; ++p)
            box = boxUnion(box, fieldBox(&fx.field, p));
        for (int i = 0; i < 600; ++i) {
            Vec3 at = randomInBox(&random, box);
            int owner = fieldOwner(&fx.field, at), expected = -1;
            float nearest = INFINITY;
            for (int p = 0; p < count; ++p) {
                if (insideOf(&s[p], at))
                    expected = p;
                nearest = minF(nearest, distanceTo(&s[p], at));
            }
            if (nearest > 1e-5f * fx.diameter) {
                assert_int_equal(owner, expected);
                ++tested;
            }
        }
        for (int p = 0; p < count; ++p)
            free(s[p].triangles);
        free(s);
        tearDown(&fx);
    }
    assert_true(tested > 2000);
}

static void distances_near_the_surface_are_exact(void** unused)
{
    (void)unused;
    Random random = randomSeed(9);
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], 0.75f);
        breakAtRandom(&fx, 0, 5, &random);
        breakAtRandom(&fx, 1, 3, &random);
        float band = fx.rest.cells.band;
        for (int p = 0; p < fieldPieceCount(&fx.field); ++p) {
            Surface s = surfaceOf(&fx.field, p);
            int nearCount = 0;
            for (int i = 0; i < 400; ++i) {
                // Around random points of the surface.
                Vec3* t = s.triangles[randomBelow(&random, s.count)];
                Vec3 at = vMad(vLerp(vLerp(t[0], t[1], randomFloat(&random)), t[2], randomFloat(&random)),
                               1.5f * band * randomFloat(&random), vFromD(randomDirection(&random)));
                float exact = distanceTo(&s, at);
                FieldHit hit;
                bool found = fieldProbe(&fx.field, p, &(FieldProbe){.p = at, .reach = band}, &hit);
                bool near = exact < band || fieldOwner(&fx.field, at) == p;
                if (cellGridFind(&fx.rest.cells, at) >= 0)
                    assert_true(found == near || fabsf(exact - band) < 1e-5f * fx.diameter);
                if (!found || exact > band)
                    continue;
                ++nearCount;
                assert_true(fabsf(fabsf(hit.distance) - exact) < 1e-5f * fx.diameter);
                if (exact > 1e-5f * fx.diameter)
                    assert_true((hit.distance < 0.0f) == insideOf(&s, at));
            }
            assert_true(nearCount > 100);
            free(s.triangles);
        }
        tearDown(&fx);
    }
}

// A sample of a flat face that has slipped past a crack's wall, square to it, is as deep as the wall is near.
static void surfaces_that_face_nothing_are_found_when_there_is_no_other(void** unused)
{
    (void)unused;
    Random random = randomSeed(10);
    Fixture fx;
    setUp(&fx, "plate", 1.0f);
    breakAtRandom(&fx, 0, 12, &random);
    int alone = 0;
    for (int i = 0; i < 20000; ++i) {
        const CutPoint* cut = &fx.field.cuts.data[randomBelow(&random, fx.field.cuts.count)];
        float band = fx.rest.cells.band;
        FieldProbe probe = {.p = vMad(cut->p, 0.5f * band * randomFloat(&random), vFromD(randomDirection(&random))),
                            .reach = band};
        int piece = fieldOwner(&fx.field, probe.p);
        if (piece < 0)
            continue;
        FieldHit plain, hit;
        NormalCone cone = {.normals = {vFromD(randomDirection(&random))}, .count = 1};
        assert_true(fieldProbe(&fx.field, piece, &probe, &plain));
        probe.cone = &cone;
        assert_true(fieldProbe(&fx.field, piece, &probe, &hit));
        if (-hit.distance > band)
            fail_msg("%g mm deep, %g mm from the surface", -1e3 * (double)hit.distance, -1e3 * (double)plain.distance);
        alone += hit.distance == plain.distance;
    }
    assert_true(alone > 1000);
    tearDown(&fx);
}

static void node_distances_follow_the_exact_field(void** unused)
{
    (void)unused;
    Random random = randomSeed(21);
    int nodes = 0, near = 0, nearGood = 0, allGood = 0;
    float worst = 1.0f;
    for (int m = 0; m < 4; ++m) {
        Fixture fx;
        setUp(&fx, models[m], m == 0 ? 2.0f : 1.0f);
        breakAtRandom(&fx, 0, 6, &random);
        breakAtRandom(&fx, 1, 3, &random);
        breakAtRandom(&fx, 0, 3, &random);
        float edge = fx.rest.cells.cell / 0.75f;
        for (int p = 0; p < fieldPieceCount(&fx.field); ++p) {
            Surface s = surfaceOf(&fx.field, p);
            const Piece* piece = &fx.field.pieces.data[p];
            for (int i = piece->first; i < piece->first + piece->count; ++i) {
                int node = fx.field.nodeOrder[i];
                float exact = distanceTo(&s, fx.mesh.nodes[node]), d = fieldNodeDistance(&fx.field, node);
                assert_true(d >= exact - 1e-5f * fx.diameter);
                float slack = 1e-5f * fx.diameter;
                float ratio = d <= exact + slack ? 1.0f : d / exact;
                ++nodes;
                allGood += ratio <= 1.3f;
                if (exact < 2.0f * edge) {
                    ++near;
                    nearGood += ratio <= 1.15f;
                }
                worst = maxF(worst, ratio);
            }
            free(s.triangles);
        }
        tearDown(&fx);
    }
    printf("  %d nodes: within 15 %% near the surface %.2f %%, worst ratio %.3f\n", nodes,
           100.0 * (double)nearGood / (double)near, (double)worst);
    assert_true(nodes > 1000 && near > 500);
    assert_true(nearGood >= 0.99 * near);
    assert_int_equal(allGood, nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_breaks_keep_pieces_closed_and_siblings_untouched),
        cmocka_unit_test(owner_equals_brute_force),
        cmocka_unit_test(distances_near_the_surface_are_exact),
        cmocka_unit_test(surfaces_that_face_nothing_are_found_when_there_is_no_other),
        cmocka_unit_test(node_distances_follow_the_exact_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How good the distances of a broken solid are (G4, G6, G7): nodes, directions, the band outside and the bounds used
// for culling, against the exact surface of every piece after chains of breaks. The paper's averages run beside.
#include "collide/target.h"
#include "core/closest.h"
#include "core/random.h"
#include "mesh/tri_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COS_15 0.96592583 // cosine of 15°
#define COS_3 0.99862953  // cosine of 3°

typedef struct Sample {
    const char* model;
    float detail;
} Sample;
static const Sample samples[] = {{"box", 2.0f},   {"brick", 2.0f},  {"shelf", 1.5f},
                                 {"plate", 2.0f}, {"sphere", 1.5f}, {"torus", 1.5f}};
enum { sampleCount = sizeof samples / sizeof *samples };

// ---- the exact surface ----------------------------------------------------------------------------------------------

typedef struct Surface {
    DVec3* corners; // three each
    DVec3* normals;
    int count, capacity;
    double widest; // longest edge
    TriQuery query;
    Memory* memory;
} Surface;

static void collect(const Vec3 p[3], int source, void* user)
{
    (void)source;
    Surface* s = user;
    if (s->count == s->capacity) {
        s->capacity = 2 * s->capacity + 1024;
        s->corners = realloc(s->corners, sizeof(DVec3) * 3 * (size_t)s->capacity);
    }
    for (int k = 0; k < 3; ++k)
        s->corners[3 * s->count + k] = dFromV(p[k]);
    ++s->count;
}

static Surface surfaceOf(const shSolid* solid, int piece)
{
    Surface s = {.memory = &solid->asset->context->memory};
    fieldSurface(&solid->field, piece, collect, &s);
    int(*triangles)[3] = malloc(sizeof(int[3]) * (size_t)s.count);
    for (int i = 0; i < 3 * s.count; ++i)
        triangles[i / 3][i % 3] = i;
    assert_true(triQueryBuild(&s.query, s.memory, s.corners, (const int(*)[3])triangles, s.count));
    free(triangles);
    s.normals = malloc(sizeof(DVec3) * (size_t)s.count);
    for (int t = 0; t < s.count; ++t) {
        const DVec3* c = &s.corners[3 * t];
        for (int k = 0; k < 3; ++k)
            s.widest = maxD(s.widest, dDistance(c[k], c[(k + 1) % 3]));
        s.normals[t] = dNormalize(dCross(dSub(c[1], c[0]), dSub(c[2], c[0])));
    }
    return s;
}

static void surfaceFree(Surface* s)
{
    triQueryFree(&s->query, s->memory);
    free(s->corners);
    free(s->normals);
}

// Distance of the second-closest face: the closest triangle that lies in another direction than the closest one and
// also faces another way, by more than the given angle. (On one flat face triangles lie in all directions.)
static double secondFace(const Surface* s, DVec3 p, const TriHit* first, double cosine, double limit)
{
    DVec3 way = dNormalize(dSub(first->point, p)), normal = s->normals[first->triangle];
    double best = limit;
    for (int t = 0; t < s->count; ++t) {
        const DVec3* c = &s->corners[3 * t];
        if (dDot(normal, s->normals[t]) > cosine || dDistance(c[0], p) > best + s->widest)
            continue;
        TriHit hit = triClosest(c[0], c[1], c[2], p);
        if (hit.distance < best && dDot(way, dNormalize(dSub(hit.point, p))) < cosine)
            best = hit.distance;
    }
    return best;
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

// The same breaks under both rules.
typedef struct Scene {
    shContext* context;
    shAsset* asset;
    shSolid *ours, *paper;
    int pieceCount;
    Surface* surfaces; // [pieceCount]
    float edge, size;  // mean edge of the tetrahedra, diameter
} Scene;

static void buildScene(Scene* scene, Sample sample, Random* random)
{
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene->context, NULL), shOk);
    assert_int_equal(shCookModel(scene->context, sample.model, sample.detail, &cook, &scene->asset, NULL), shOk);
    assert_int_equal(shCreateSolid(scene->asset, &scene->ours, NULL), shOk);
    assert_int_equal(shCreateSolid(scene->asset, &scene->paper, NULL), shOk);
    scene->paper->field.rule = fieldPaper;
    scene->size = vLength(boxSize(scene->asset->box));
    const TetMesh* mesh = &scene->asset->mesh;
    const TetTopology* topology = scene->ours->field.rest->topology;
    double sum = 0.0;
    for (int e = 0; e < topology->edgeCount; ++e)
        sum += (double)vDistance(mesh->nodes[topology->edges[e][0]], mesh->nodes[topology->edges[e][1]]);
    scene->edge = (float)(sum / topology->edgeCount);

    static const int sites[5] = {6, 3, 4, 3, 3};
    for (int i = 0; i < 5; ++i) {
        int piece = i == 0 ? 0 : randomBelow(random, shSolid_GetPieceCount(scene->ours));
        shBox box = shSolid_GetPiece(scene->ours, piece).box;
        Vec3 at[8];
        for (int s = 0; s < sites[i]; ++s)
            at[s] = randomInBox(random, box);
        assert_int_equal(shSolid_BreakVoronoi(scene->ours, piece, at, sites[i], NULL, NULL), shOk);
        assert_int_equal(shSolid_BreakVoronoi(scene->paper, piece, at, sites[i], NULL, NULL), shOk);
    }
    scene->pieceCount = shSolid_GetPieceCount(scene->ours);
    assert_true(scene->pieceCount >= 6);
    assert_int_equal(shSolid_GetPieceCount(scene->paper), scene->pieceCount);
    scene->surfaces = malloc(sizeof(Surface) * (size_t)scene->pieceCount);
    for (int piece = 0; piece < scene->pieceCount; ++piece)
        scene->surfaces[piece] = surfaceOf(scene->ours, piece);
}

static int setUp(void** state)
{
    Random random = randomSeed(31);
    Scene* scenes = calloc(sampleCount, sizeof(Scene));
    for (int m = 0; m < sampleCount; ++m)
        buildScene(&scenes[m], samples[m], &random);
    *state = scenes;
    return 0;
}

static int tearDown(void** state)
{
    Scene* scenes = *state;
    for (int m = 0; m < sampleCount; ++m) {
        for (int piece = 0; piece < scenes[m].pieceCount; ++piece)
            surfaceFree(&scenes[m].surfaces[piece]);
        free(scenes[m].surfaces);
        shDestroySolid(scenes[m].ours);
        shDestroySolid(scenes[m].paper);
        shDestroyAsset(scenes[m].asset);
        assert_int_equal(shDestroyContext(scenes[m].context), 0);
    }
    free(scenes);
    return 0;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

typedef struct Score {
    int near, nearGood;   // nodes within two edges of the surface; of them within 15 %
    int clear, clearGood; // nodes with one clearly closest face; of them directed within 15°
    int all, low, high;   // nodes; of them below, above the exact distance by more than a hundredth
    double least, most;   // ratios to the exact distance
} Score;

static void count(Score* score, double distance, DVec3 way, double exact, DVec3 exactWay, bool isNear, bool isClear)
{
    double ratio = distance / exact;
    ++score->all;
    score->low += ratio < 0.99;
    score->high += ratio > 1.01;
    score->least = minD(score->least, ratio);
    score->most = maxD(score->most, ratio);
    score->near += isNear;
    score->nearGood += isNear && ratio >= 0.85 && ratio <= 1.15;
    score->clear += isClear;
    score->clearGood += isClear && dDot(way, exactWay) >= COS_15;
}

static double percent(int part, int whole) { return 100.0 * (double)part / (double)(whole > 0 ? whole : 1); }

static void printScore(const char* name, const char* rule, const Score* s)
{
    printf("  %-7s %-6s %6d %7.2f %9.3f %6.3f %7.2f %7.2f %7d %7.2f\n", name, rule, s->all,
           percent(s->nearGood, s->near), s->least, s->most, percent(s->low, s->all), percent(s->high, s->all),
           s->clear, percent(s->clearGood, s->clear));
}

static void scoreNodes(const Scene* scene, int piece, const Surface* s, Score* ours, Score* paper)
{
    const FragmentField *field = &scene->ours->field, *other = &scene->paper->field;
    Piece nodes = field->pieces.data[piece];
    for (int i = nodes.first; i < nodes.first + nodes.count; ++i) {
        int node = field->nodeOrder[i];
        Vec3 at = scene->asset->mesh.nodes[node];
        float distance = fieldNodeDistance(field, node), theirs = fieldNodeDistance(other, node);
        assert_true(distance >= 0.0f && theirs >= 0.0f);
        if (field->rest->nodeDistances[node] == 0.0f) {
            assert_true(distance == 0.0f && theirs == 0.0f);
            continue;
        }
        DVec3 p = dFromV(at);
        TriHit exact = triQueryClosest(&s->query, p, INFINITY);
        double second = secondFace(s, p, &exact, COS_15, 1.25 * exact.distance);
        bool isNear = exact.distance < 2.0 * (double)scene->edge, isClear = second >= 1.25 * exact.distance;
        DVec3 exactWay = dNormalize(dSub(exact.point, p));
        Vec3 c[3];
        fieldFeature(field, fieldNode(field, node).feature, c);
        DVec3 way = dNormalize(dSub(dFromV(closestOnTriangle(at, c[0], c[1], c[2])), p));
        count(ours, (double)distance, way, exact.distance, exactWay, isNear, isClear);
        count(paper, (double)theirs, dFromV(other->paper.nodes[node].direction), exact.distance, exactWay, isNear,
              isClear);
    }
}

static void distance_and_direction_of_nodes(void** state)
{
    const Scene* scenes = *state;
    printf("  inner nodes after five breaks, distance / exact:\n");
    printf("  model   rule    nodes  ±15%%near    least   most    %%low   %%high   clear  %%dir15\n");
    for (int m = 0; m < sampleCount; ++m) {
        const Scene* scene = &scenes[m];
        Score ours = {.least = INFINITY}, paper = {.least = INFINITY};
        for (int piece = 0; piece < scene->pieceCount; ++piece) {
            const Surface* s = &scene->surfaces[piece];
            scoreNodes(scene, piece, s, &ours, &paper);
        }
        printScore(samples[m].model, "ours", &ours);
        printScore("", "paper", &paper);
        assert_true(ours.all > 100 && ours.clear > 20);
        assert_true(ours.nearGood >= 0.99 * ours.near);
        assert_true(ours.least >= 0.999 && ours.most <= 1.3);
        assert_true(ours.clearGood >= 0.99 * ours.clear);
    }
}

// ---- points ---------------------------------------------------------------------------------------------------------

static Vec3 onSurface(const Surface* s, Random* random)
{
    const DVec3* c = &s->corners[3 * randomBelow(random, s->count)];
    double u = (double)randomFloat(random), v = (double)randomFloat(random);
    return vFromD(dLerp(dLerp(c[0], c[1], u), c[2], v));
}

static void distance_and_normal_outside_are_exact_in_the_band(void** state)
{
    const Scene* scenes = *state;
    Random random = randomSeed(32);
    double worst = 0.0, worstCosine = 1.0;
    int tested = 0, clear = 0;
    for (int m = 0; m < sampleCount; ++m) {
        const Scene* scene = &scenes[m];
        const FragmentField* field = &scene->ours->field;
        float band = field->rest->cells->band;
        for (int piece = 0; piece < scene->pieceCount; ++piece) {
            const Surface* s = &scene->surfaces[piece];
            for (int i = 0; i < 100; ++i) {
                Vec3 at = vMad(onSurface(s, &random), band * randomFloat(&random), vFromD(randomDirection(&random)));
                DVec3 p = dFromV(at);
                TriHit exact = triQueryClosest(&s->query, p, INFINITY);
                if (fieldOwner(field, at) == piece || exact.distance > 0.999 * (double)band ||
                    exact.distance < 1e-4 * (double)scene->size)
                    continue;
                FieldHit hit;
                assert_true(fieldProbe(field, piece, &(FieldProbe){.p = at, .reach = band}, &hit));
                worst = maxD(worst, fabs((double)hit.distance - exact.distance) / (double)scene->edge);
                ++tested;
                // Where a second closest point lies elsewhere, either normal is right.
                double reach = exact.distance + 1e-3 * (double)scene->edge;
                if (secondFace(s, p, &exact, COS_3, reach) < reach)
                    continue;
                ++clear;
                double cosine = dDot(dFromV(hit.normal), dNormalize(dSub(p, exact.point)));
                worstCosine = minD(worstCosine, cosine);
            }
        }
    }
    printf("  %d points outside: off by %.4f %% of an edge at most; %d normals, cosine %.6f at least\n", tested,
           100.0 * worst, clear, worstCosine);
    assert_true(tested > 2000 && clear > 1000);
    assert_true(worst < 0.02);
    assert_true(worstCosine > COS_3);
}

// What lies on a face is pushed the way the face looks, however little it is off it: a direction over next to no
// distance would be noise.
static void normals_on_the_surface_itself_are_those_of_its_faces(void** state)
{
    const Scene* scenes = *state;
    Random random = randomSeed(35);
    double worst = 1.0;
    int tested = 0;
    for (int m = 0; m < sampleCount; ++m) {
        const Scene* scene = &scenes[m];
        for (int i = 0; i < 4000; ++i) {
            int piece = randomBelow(&random, scene->pieceCount);
            const Surface* s = &scene->surfaces[piece];
            const DVec3* c = &s->corners[3 * randomBelow(&random, s->count)];
            DVec3 across = dCross(dSub(c[1], c[0]), dSub(c[2], c[0])), normal = dNormalize(across);
            double longest = maxD(dDistance(c[0], c[1]), maxD(dDistance(c[1], c[2]), dDistance(c[2], c[0])));
            if (dLength(across) < 0.1 * longest * longest)
                continue;
            DVec3 middle = dScale(1.0 / 3.0, dAdd(c[0], dAdd(c[1], c[2])));
            DVec3 on = dLerp(middle, c[randomBelow(&random, 3)], 0.7 * (double)randomFloat(&random));
            double off = (double)scene->size * 1e-5 * (double)(randomFloat(&random) - 0.5f);
            if (randomBelow(&random, 2) == 0)
                off *= 1e-3;
            Vec3 p = vFromD(dMad(on, off, normal));
            TriHit exact = triQueryClosest(&s->query, dFromV(p), INFINITY);
            double reach = 2e-5 * (double)scene->size;
            FieldHit hit;
            if (exact.distance > reach || secondFace(s, dFromV(p), &exact, COS_3, reach) < reach)
                continue;
            assert_true(fieldProbe(&scene->ours->field, piece,
                                   &(FieldProbe){.p = p, .reach = scene->ours->field.rest->cells->band}, &hit));
            worst = minD(worst, dDot(dFromV(hit.normal), normal));
            ++tested;
        }
    }
    printf("  %d points on faces, but for little: cosine %.7f at least\n", tested, worst);
    assert_true(tested > 4000);
    assert_true(worst > 0.9999); // 0.8°
}

static void bounds_used_for_culling_are_never_too_large(void** state)
{
    const Scene* scenes = *state;
    Random random = randomSeed(33);
    int outside = 0, inside = 0;
    double tightness = 0.0, depths = 0.0;
    for (int m = 0; m < sampleCount; ++m) {
        const Scene* scene = &scenes[m];
        double slack = 2e-6 * (double)scene->size;
        float band = scene->ours->field.rest->cells->band;
        for (int piece = 0; piece < scene->pieceCount; ++piece) {
            const Surface* s = &scene->surfaces[piece];
            Target target = targetPiece(scene->ours, piece);
            for (int i = 0; i < 200; ++i) {
                float far = i % 2 == 0 ? scene->size : 2.0f * band;
                Vec3 p = vMad(onSurface(s, &random), far * randomFloat(&random), vFromD(randomDirection(&random)));
                double exact = triQueryClosest(&s->query, dFromV(p), INFINITY).distance;
                TargetSample sample = targetSample(&target, p);
                if (fieldOwner(&scene->ours->field, p) == piece) {
                    // Inside, nothing is deeper than the grid, the box and the hull allow.
                    ++inside;
                    assert_true(exact <= (double)sample.depth + slack);
                    assert_true((double)sample.depth <= (double)(target.gridError * 3.0f - sample.distance) + slack);
                    depths += exact / (double)sample.depth;
                    continue;
                }
                ++outside;
                assert_true((double)sample.distance <= exact + slack);
                assert_true(sqrt((double)boxDistance2(target.box, p)) <= exact + slack);
                // Whatever is asked for, the answer is a bound; and below the margin the contact is found.
                float margin = randomFloat(&random) * band, interest = margin + randomFloat(&random) * scene->size;
                bool found;
                FieldHit hit;
                float bound = targetProbe(&target, p, &sample, margin, interest, NULL, &found, &hit);
                assert_true((double)bound <= exact + slack);
                assert_true(found || exact >= (double)margin - slack);
                if (found)
                    assert_true(fabs((double)hit.distance - exact) <= slack);
                tightness += maxD(0.0, (double)bound) / exact;
            }
        }
    }
    printf("  %d points outside: bound / exact %.3f on average; %d inside: exact / bound %.3f\n", outside,
           tightness / outside, inside, depths / inside);
    assert_true(outside > 5000 && inside > 1000);
}

static void depths_by_the_paper_are_never_negative(void** state)
{
    const Scene* scenes = *state;
    Random random = randomSeed(34);
    for (int m = 0; m < sampleCount; ++m) {
        const Scene* scene = &scenes[m];
        int inside = 0;
        double sum[2] = {0.0, 0.0};
        for (int i = 0; i < 4000; ++i) {
            shBox box = scene->asset->box;
            Vec3 p = randomInBox(&random, box);
            int owner = fieldOwner(&scene->ours->field, p);
            if (owner < 0)
                continue;
            FieldHit hits[2];
            assert_int_equal(fieldOwner(&scene->paper->field, p), owner);
            assert_true(fieldProbe(&scene->ours->field, owner, &(FieldProbe){.p = p}, &hits[0]));
            assert_true(fieldProbe(&scene->paper->field, owner, &(FieldProbe){.p = p}, &hits[1]));
            for (int k = 0; k < 2; ++k) {
                assert_true(hits[k].distance <= 0.0f);
                assert_true(fabsf(vLength(hits[k].normal) - 1.0f) < 1e-3f);
                sum[k] -= (double)hits[k].distance;
            }
            ++inside;
        }
        assert_true(inside > 100);
        // Two rules for one thing: they agree roughly.
        assert_true(sum[1] > 0.7 * sum[0] && sum[1] < 1.5 * sum[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_and_direction_of_nodes),
        cmocka_unit_test(distance_and_normal_outside_are_exact_in_the_band),
        cmocka_unit_test(normals_on_the_surface_itself_are_those_of_its_faces),
        cmocka_unit_test(bounds_used_for_culling_are_never_too_large),
        cmocka_unit_test(depths_by_the_paper_are_never_negative),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

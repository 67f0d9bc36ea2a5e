// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Overlaps, pairs and rays through balanced trees against asking every item; whether two triangles meet, against exact
// arithmetic of another kind (test/exact.h).
#include "core/orient.h"
#include "core/random.h"
#include "mesh/tri_query.h"
#include "sherd/triangle_tree.h"
#include "test/exact.h"
#include "tree/triangle_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_POINTS = 3000, MOST_TRIANGLES = 5000 };

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

// ---- meshes and trees -----------------------------------------------------------------------------------------------

typedef struct Model {
    int pointCount, triangleCount;
    shVec3 points[MOST_POINTS];
    int triangles[MOST_TRIANGLES][3];
    shBox boxes[MOST_TRIANGLES];
    bool there[MOST_TRIANGLES]; // in the tree
    shBoxTree* tree;
} Model;

static shContext* context;
static Model models[2];

static shTriangles meshOf(const Model* model)
{
    return (shTriangles){model->pointCount, model->triangleCount, model->points, (const int(*)[3])model->triangles};
}

static void makeSoup(Random* random, Model* model, int count, float size)
{
    model->pointCount = model->triangleCount = 0;
    for (int t = 0; t < count; ++t) {
        Vec3 at = randomInBox(random, (shBox){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}});
        shBox near = {{-size, -size, -size}, {size, size, size}};
        int first = model->pointCount;
        for (int k = 0; k < 3; ++k)
            model->points[model->pointCount++] = vAdd(at, randomInBox(random, near));
        int* triangle = model->triangles[model->triangleCount++];
        triangle[0] = first, triangle[1] = first + 1, triangle[2] = t % 11 == 0 ? first : first + 2;
        if (t % 3 == 0 && t > 3) // shares a corner, or two
            triangle[0] = model->triangles[t - 1][0], triangle[1] = t % 6 == 0 ? model->triangles[t - 1][1] : first;
    }
}

// A grid of quads bent to a ball.
static void makeBall(Model* model, int around, Vec3 centre, float radius)
{
    int rows = around / 2;
    model->pointCount = model->triangleCount = 0;
    for (int i = 0; i <= rows; ++i)
        for (int j = 0; j < around; ++j) {
            float z = (float)i / (float)rows * 2.0f - 1.0f, ring = 1.0f - fabsf(z),
                  turn = 4.0f * (float)j / (float)around;
            int side = (int)turn;
            float f = turn - (float)side;
            const float xs[5] = {1.0f, 0.0f, -1.0f, 0.0f, 1.0f}, ys[5] = {0.0f, 1.0f, 0.0f, -1.0f, 0.0f};
            Vec3 p = {ring * (xs[side] + f * (xs[side + 1] - xs[side])),
                      ring * (ys[side] + f * (ys[side + 1] - ys[side])), z};
            model->points[model->pointCount++] = vMad(centre, radius, vNormalize(p));
        }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < around; ++j) {
            int a = i * around + j, b = i * around + (j + 1) % around;
            const int quad[2][3] = {{a, b, b + around}, {a, b + around, a + around}};
            memcpy(model->triangles[model->triangleCount], quad, sizeof quad);
            model->triangleCount += 2;
        }
}

// A tree that has seen some change: built of some, the rest inserted, some gone.
static void plant(Random* random, Model* model)
{
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shTriangles mesh = meshOf(model);
    shMessage message = {""};
    check(shTriangleBoxes(&mesh, 0, mesh.triangleCount, model->boxes, &message), &message);
    check(shCreateBoxTree(context, &def, &model->tree, &message), &message);
    int built = model->triangleCount / 2;
    check(shBoxTree_Build(model->tree, built, NULL, model->boxes, &message), &message);
    memset(model->there, 1, sizeof model->there);
    for (int t = built; t < model->triangleCount; ++t)
        check(shBoxTree_Insert(model->tree, t, model->boxes[t], -1, &message), &message);
    for (int t = 0; t < model->triangleCount; ++t)
        if (randomBelow(random, 16) == 0) {
            check(shBoxTree_Remove(model->tree, t, &message), &message);
            model->there[t] = false;
        }
    check(shBoxTree_Validate(model->tree, &message), &message);
}

// ---- orientations and pairs -----------------------------------------------------------------------------------------

static Vec3 somePoint(Random* random, int kind)
{
    if (kind == 0) // many coincidences
        return vec3((float)randomBelow(random, 3), (float)randomBelow(random, 3), (float)randomBelow(random, 3));
    if (kind == 1) // in one plane
        return vec3((float)randomBelow(random, 5), (float)randomBelow(random, 5), 1.0f);
    Vec3 p = randomInBox(random, (shBox){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}});
    if (kind == 2) // nearly in one plane, far from the origin
        p = vec3(1000.0f + p.x, 1000.0f + p.y, 2000.0f + p.x + p.y);
    if (kind == 3) // of unlike sizes
        p = vScale(randomBelow(random, 2) ? 1e-12f : 1e9f, p);
    return p;
}

static void orientations_are_exact(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    int zeros = 0;
    for (int i = 0; i < 200000; ++i) {
        Vec3 p[4];
        int kind = randomBelow(&random, 5);
        for (int k = 0; k < 4; ++k)
            p[k] = somePoint(&random, kind);
        int volume = orient3(p[0], p[1], p[2], p[3]), axis = randomBelow(&random, 3);
        assert_int_equal(volume, exactOrient3(p[0], p[1], p[2], p[3]));
        assert_int_equal(volume, -orient3(p[1], p[0], p[2], p[3]));
        assert_int_equal(orient2(p[0], p[1], p[2], axis), exactOrient2(p[0], p[1], p[2], axis));
        int sides[2];
        orientSides(p, &p[3], 1, &sides[0]);
        orientSides((const Vec3[3]){p[1], p[2], p[3]}, &p[0], 1, &sides[1]);
        assert_true(sides[0] == volume && sides[1] == -volume);
        zeros += volume == 0;
    }
    assert_true(zeros > 10000);
}

static void triangles_meet_as_exact_arithmetic_says(void** state)
{
    (void)state;
    Random random = randomSeed(2);
    int met = 0, compared = 0, apart = 0;
    for (int i = 0; i < 200000; ++i) {
        Vec3 points[6];
        int kind = randomBelow(&random, 5);
        for (int k = 0; k < 6; ++k)
            points[k] = somePoint(&random, kind);
        const Vec3 *t = points, *u = points + 3;
        bool meets = trianglesMeet(t, u);
        assert_int_equal(meets, trianglesMeet(u, t));
        assert_int_equal(meets, trianglesMeet((const Vec3[3]){t[2], t[0], t[1]}, (const Vec3[3]){u[1], u[0], u[2]}));
        if (exactAxis(t) < 0 || exactAxis(u) < 0)
            continue;
        int t0[3] = {0, 1, 2}, u0[3] = {3, 4, 5}, alike = 0;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                if (t[a].x == u[b].x && t[a].y == u[b].y && t[a].z == u[b].z) {
                    u0[b] = a;
                    ++alike;
                }
        bool crosses = exactTrianglesMeet(t, u);
        assert_int_equal(meets, crosses || alike > 0);
        assert_int_equal(trianglesCross(points, t0, u0), crosses);
        ++compared;
        met += meets;
        apart += !meets;
    }
    assert_true(compared > 100000 && met > 10000 && apart > 10000);
}

static void segments_and_points_meet(void** state)
{
    (void)state;
    const Vec3 face[3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}}, in = {0.5f, 0.5f, 0}, off = {0.5f, 0.5f, 1e-30f};
    const Vec3 corner = {0, 0, 0}, side = {1, 1, 0}, beyond = {1, 1.001f, 0}, above = {0.5f, 0.5f, 1},
               under = {0.5f, 0.5f, -1};
    typedef struct Case {
        Vec3 t[3];
        bool meets;
    } Case;
    const Case cases[] = {
        {{in, in, in}, true},
        {{off, off, off}, false},
        {{corner, corner, corner}, true},
        {{side, side, side}, true},
        {{beyond, beyond, beyond}, false},
        {{above, under, above}, true},
        {{above, above, off}, false},
        {{above, in, in}, true},
        {{in, beyond, in}, true},
        {{{-1, 0, 0}, {3, 0, 0}, {1, 0, 0}}, true},
        {{{-1, -1, 0}, {3, -1, 0}, {1, -1, 0}}, false},
        {{{-1, 3, 0}, {3, -1, 0}, {1, 1, 0}}, true},
        {{{3, 0, 0}, {4, 0, 0}, {5, 0, 0}}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int turn = 0; turn < 3; ++turn) {
            const Vec3 t[3] = {cases[i].t[turn], cases[i].t[(turn + 1) % 3], cases[i].t[(turn + 2) % 3]};
            assert_int_equal(trianglesMeet(face, t), cases[i].meets);
            assert_int_equal(trianglesMeet(t, face), cases[i].meets);
        }
    const Vec3 line[3] = {{0, 0, 0}, {2, 2, 2}, {1, 1, 1}}, across[3] = {{0, 2, 1}, {2, 0, 1}, {0, 2, 1}};
    const Vec3 along[3] = {{2, 2, 2}, {3, 3, 3}, {3, 3, 3}}, apart[3] = {{0, 2, 1}, {2, 0.1f, 1}, {0, 2, 1}};
    assert_true(trianglesMeet(line, across) && trianglesMeet(across, line) && trianglesMeet(line, along));
    assert_true(!trianglesMeet(line, apart) && !trianglesMeet(apart, line));
}

// ---- queries --------------------------------------------------------------------------------------------------------

typedef struct Found {
    int count, capacity, most;
    uint64_t* keys;
} Found;

static bool notePair(int a, int b, void* user)
{
    Found* found = user;
    if (found->count == found->capacity) {
        found->capacity = 2 * found->capacity + 64;
        found->keys = realloc(found->keys, sizeof *found->keys * (size_t)found->capacity);
        assert_non_null(found->keys);
    }
    found->keys[found->count++] = (uint64_t)a << 32 | (uint32_t)b;
    return found->most == 0 || found->count < found->most;
}

static bool noteOwnPair(int a, int b, void* user) { return notePair(minI(a, b), maxI(a, b), user); }
static bool noteItem(int item, void* user) { return notePair(item, 0, user); }

static int compareKeys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void expectEqual(Found* found, Found* wanted)
{
    qsort(found->keys, (size_t)found->count, sizeof *found->keys, compareKeys);
    qsort(wanted->keys, (size_t)wanted->count, sizeof *wanted->keys, compareKeys);
    assert_int_equal(found->count, wanted->count);
    for (int i = 0; i < found->count; ++i)
        assert_true(found->keys[i] == wanted->keys[i]);
    found->count = wanted->count = 0;
}

static void overlaps_and_pairs_equal_brute_force(void** state)
{
    (void)state;
    Random random = randomSeed(4);
    Found found = {.count = 0}, wanted = {.count = 0};
    int pairs = 0, own = 0;
    for (int round = 0; round < 12; ++round) {
        shMessage message = {""};
        for (int m = 0; m < 2; ++m) {
            makeSoup(&random, &models[m], 1 + randomBelow(&random, 400), round % 2 ? 0.1f : 0.4f);
            plant(&random, &models[m]);
        }
        const Model *a = &models[0], *b = &models[1];
        shTriangles meshA = meshOf(a), meshB = meshOf(b);
        for (int i = 0; i < 20; ++i) {
            Vec3 p = randomInBox(&random, (shBox){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}});
            shBox box = boxGrow((shBox){p, p}, i % 4 ? 0.2f : 0.0f);
            shBoxTree_Overlap(a->tree, box, noteItem, &found);
            for (int t = 0; t < a->triangleCount; ++t)
                if (a->there[t] && boxOverlaps(a->boxes[t], box))
                    notePair(t, 0, &wanted);
            expectEqual(&found, &wanted);
        }
        for (int i = 0; i < 3; ++i) {
            shTransform frame = {randomInBox(&random, boxGrow(boxAdd(boxEmpty(), vec3(0, 0, 0)), 0.3f)),
                                 randomRotation(&random)};
            const shTransform* turned = i == 0 ? NULL : &frame;
            check(shTriangles_Collide(a->tree, &meshA, b->tree, &meshB, turned, notePair, &found, &message), &message);
            for (int t = 0; t < a->triangleCount; ++t)
                for (int u = 0; u < b->triangleCount; ++u) {
                    Vec3 x[3], y[3];
                    for (int k = 0; k < 3; ++k) {
                        x[k] = a->points[a->triangles[t][k]];
                        y[k] = b->points[b->triangles[u][k]];
                        y[k] = turned != NULL ? xformPoint(frame, y[k]) : y[k];
                    }
                    if (a->there[t] && b->there[u] && trianglesMeet(x, y))
                        notePair(t, u, &wanted);
                }
            pairs += wanted.count;
            bool any = wanted.count > 0;
            expectEqual(&found, &wanted);
            found.most = 1;
            check(shTriangles_Collide(a->tree, &meshA, b->tree, &meshB, turned, notePair, &found, &message), &message);
            assert_int_equal(found.count, any);
            found.most = found.count = 0;
        }
        check(shTriangles_CollideSelf(a->tree, &meshA, noteOwnPair, &found, &message), &message);
        for (int t = 0; t < a->triangleCount; ++t)
            for (int u = t + 1; u < a->triangleCount; ++u)
                if (a->there[t] && a->there[u] && trianglesCross(a->points, a->triangles[t], a->triangles[u]))
                    notePair(t, u, &wanted);
        own += wanted.count;
        expectEqual(&found, &wanted);
        shBoxTree_SelfPairs(a->tree, noteOwnPair, &found);
        for (int t = 0; t < a->triangleCount; ++t)
            for (int u = t + 1; u < a->triangleCount; ++u)
                if (a->there[t] && a->there[u] && boxOverlaps(a->boxes[t], a->boxes[u]))
                    notePair(t, u, &wanted);
        expectEqual(&found, &wanted);
        for (int m = 0; m < 2; ++m)
            shDestroyBoxTree(models[m].tree);
    }
    assert_true(pairs > 1000 && own > 1000);
    free(found.keys);
    free(wanted.keys);
}

static TriHit bruteRay(const Model* model, Vec3 origin, Vec3 translation)
{
    TriRay ray = triRay(dFromV(origin), dFromV(translation));
    TriHit best = {.triangle = -1, .distance = 1.0};
    for (int t = 0; t < model->triangleCount; ++t) {
        DVec3 corners[3];
        for (int k = 0; k < 3; ++k)
            corners[k] = dFromV(model->points[model->triangles[t][k]]);
        TriHit hit = {.triangle = t};
        if (model->there[t] && triRayHit(&ray, corners, &hit) && hit.distance >= 0.0 &&
            (hit.distance < best.distance || (best.triangle < 0 && hit.distance <= 1.0)))
            best = hit;
    }
    return best;
}

static void rays_hit_what_brute_force_hits(void** state)
{
    (void)state;
    Random random = randomSeed(6);
    int hits = 0;
    for (int round = 0; round < 8; ++round) {
        Model* model = &models[0];
        if (round % 2)
            makeSoup(&random, model, 500, 0.2f);
        else
            makeBall(model, 24, vec3(0.1f, 0.0f, 0.2f), 0.7f);
        plant(&random, model);
        shTriangles mesh = meshOf(model);
        for (int i = 0; i < 2000; ++i) {
            shBox around = {{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}};
            Vec3 origin = randomInBox(&random, around), translation = vSub(randomInBox(&random, around), origin);
            if (i % 5 == 0) // along an axis
                translation = i % 2 ? vec3(0.0f, translation.y, -0.0f) : vec3(translation.x, 0.0f, 0.0f);
            if (i % 7 == 0) // to a corner, exactly
                translation = vSub(model->points[randomBelow(&random, model->pointCount)], origin);
            shTriangleHit hit;
            bool any;
            shMessage message = {""};
            check(shTriangles_CastRay(model->tree, &mesh, origin, translation, &hit, &message), &message);
            check(shTriangles_CastRayAny(model->tree, &mesh, origin, translation, &any, &message), &message);
            TriHit wanted = bruteRay(model, origin, translation);
            assert_int_equal(hit.item, wanted.triangle);
            assert_int_equal(any, wanted.triangle >= 0);
            assert_true(hit.fraction == (wanted.triangle < 0 ? 1.0f : (float)wanted.distance));
            hits += any;
        }
        shDestroyBoxTree(model->tree);
    }
    assert_true(hits > 4000);
}

static void no_ray_leaves_a_closed_ball(void** state)
{
    (void)state;
    Random random = randomSeed(7);
    Model* model = &models[0];
    makeBall(model, 40, vec3(0.0f, 0.0f, 0.0f), 1.0f);
    shTriangles mesh = meshOf(model);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shMessage message = {""};
    check(shTriangleBoxes(&mesh, 0, mesh.triangleCount, model->boxes, &message), &message);
    check(shCreateBoxTree(context, &def, &model->tree, &message), &message);
    check(shBoxTree_Build(model->tree, mesh.triangleCount, NULL, model->boxes, &message), &message);
    for (int i = 0; i < 20000; ++i) {
        Vec3 out = vFromD(dScale(2.0, randomDirection(&random)));
        if (i % 2) // at a side's end or middle
            out = vScale(1.0f + randomFloat(&random), vAdd(model->points[randomBelow(&random, model->pointCount)],
                                                           model->points[randomBelow(&random, model->pointCount)]));
        if (vLength(out) < 1.1f)
            continue;
        bool hits;
        check(shTriangles_CastRayAny(model->tree, &mesh, vec3(0.0f, 0.0f, 0.0f), out, &hits, &message), &message);
        assert_true(hits);
    }
    shDestroyBoxTree(model->tree);
}

static void bad_meshes_are_refused(void** state)
{
    (void)state;
    shVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, NAN, 0}};
    const int triangles[3][3] = {{0, 1, 2}, {0, 1, 4}, {0, 1, 3}};
    shTriangles mesh = {4, 3, points, triangles};
    shBox boxes[3];
    shMessage m = {""};
    assert_int_equal(shTriangleBoxes(&mesh, 0, 2, boxes, &m), shBadMesh);
    assert_non_null(strstr(m.text, "triangle 1: point 4 is not in 0"));
    assert_int_equal(shTriangleBoxes(&mesh, 2, 3, boxes, &m), shBadMesh);
    assert_non_null(strstr(m.text, "not finite"));
    assert_int_equal(shTriangleBoxes(&mesh, 0, 4, boxes, &m), shInvalid);
    assert_int_equal(shTriangleBoxes(&mesh, 0, 1, boxes, &m), shOk);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    shBoxTree* tree;
    shTriangleHit hit;
    bool any;
    check(shCreateBoxTree(context, &def, &tree, &m), &m);
    Found found = {.count = 0};
    check(shTriangles_CollideSelf(tree, &mesh, notePair, &found, &m), &m); // nothing in an empty tree
    check(shTriangles_CastRay(tree, &mesh, points[0], points[1], &hit, &m), &m);
    assert_int_equal(hit.item, -1);
    check(shBoxTree_Insert(tree, 0, boxes[0], -1, &m), &m);
    check(shTriangles_CollideSelf(tree, &mesh, notePair, &found, &m), &m);
    assert_int_equal(found.count, 0);
    assert_int_equal(shTriangles_CastRay(tree, &mesh, points[3], points[1], &hit, &m), shInvalid);
    assert_int_equal(shTriangles_CastRayAny(tree, &mesh, points[0], points[3], &any, &m), shInvalid);
    assert_true(!any);
    check(shTriangles_CastRayAny(tree, &mesh, points[0], vec3(0, 0, 0), &any, &m), &m);
    assert_true(!any);
    check(shBoxTree_Insert(tree, 7, boxes[0], -1, &m), &m);
    assert_int_equal(shTriangles_CollideSelf(tree, &mesh, notePair, &found, &m), shInvalid);
    assert_int_equal(shTriangles_Collide(tree, &mesh, tree, &mesh, NULL, notePair, &found, &m), shInvalid);
    assert_non_null(strstr(m.text, "items up to 7, the mesh 3 triangles"));
    shDestroyBoxTree(tree);
}

int main(void)
{
    shContextDef def = shDefaultContextDef();
    check(shCreateContext(&def, &context, NULL), &(shMessage){""});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_are_exact),         cmocka_unit_test(triangles_meet_as_exact_arithmetic_says),
        cmocka_unit_test(segments_and_points_meet),       cmocka_unit_test(overlaps_and_pairs_equal_brute_force),
        cmocka_unit_test(rays_hit_what_brute_force_hits), cmocka_unit_test(no_ray_leaves_a_closed_ball),
        cmocka_unit_test(bad_meshes_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return shDestroyContext(context) == 0 ? failed : 1;
}

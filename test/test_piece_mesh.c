// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Meshes of pieces: the original surface keeps its look, cracks have their own, nothing is lost.
#include "core/random.h"
#include "mesh/tri_query.h"
#include "sherd/fracture.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static double areaOf(const shPieceMesh* mesh, int t)
{
    const Vec3* p = &mesh->positions[3 * t];
    return 0.5 * dLength(dCross(dSub(dFromV(p[1]), dFromV(p[0])), dSub(dFromV(p[2]), dFromV(p[0]))));
}

static void pieces_keep_uvs_normals_and_slots_of_the_original_surface(void** unused)
{
    (void)unused;
    static const char* const models[] = {"plate", "table", "torus"};
    for (int m = 0; m < 3; ++m) {
        shContextDef def = shDefaultContextDef();
        shCookDef cook = shDefaultCookDef();
        shContext* context;
        shAsset* asset;
        shSolid* solid;
        assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
        assert_int_equal(shCookModel(context, models[m], 0.5f, &cook, &asset, NULL), shOk);
        assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
        Random random = randomSeed(5);
        for (int round = 0; round < 2; ++round) {
            Vec3 sites[8];
            for (int i = 0; i < 8; ++i)
                sites[i] = randomInBox(&random, asset->box);
            assert_int_equal(shSolid_BreakVoronoi(solid, round, sites, 8, NULL, NULL), shOk);
        }
        const TetMesh* mesh = &asset->mesh;
        DVec3* nodes = malloc(sizeof(DVec3) * (size_t)mesh->nodeCount);
        for (int n = 0; n < mesh->nodeCount; ++n)
            nodes[n] = dFromV(mesh->nodes[n]);
        TriQuery query;
        assert_true(
            triQueryBuild(&query, &context->memory, nodes, (const int(*)[3])mesh->triangles, mesh->triangleCount));
        double original = 0.0, kept = 0.0;
        for (int t = 0; t < mesh->triangleCount; ++t) {
            const int* v = mesh->triangles[t];
            original += 0.5 * dLength(dCross(dSub(nodes[v[1]], nodes[v[0]]), dSub(nodes[v[2]], nodes[v[0]])));
        }
        int cracks = 0;
        for (int piece = 0; piece < shSolid_GetPieceCount(solid); ++piece) {
            shPieceMesh made;
            assert_int_equal(shSolid_CreatePieceMesh(solid, piece, &made, NULL), shOk);
            assert_int_equal(made.vertexCount, 3 * made.triangleCount);
            for (int t = 0; t < made.triangleCount; ++t) {
                for (int k = 0; k < 3; ++k)
                    assert_true(fabsf(vLength(made.normals[3 * t + k]) - 1.0f) < 1e-3f);
                if (made.slots[t] < 0) {
                    ++cracks;
                    continue;
                }
                kept += areaOf(&made, t);
                // Seen from the middle of the triangle, which no seam crosses, the original says the same.
                Vec3 middle = vScale(1.0f / 3.0f, vAdd(made.positions[3 * t],
                                                       vAdd(made.positions[3 * t + 1], made.positions[3 * t + 2])));
                TriHit hit = triQueryClosest(&query, dFromV(middle), INFINITY);
                assert_true(hit.distance < 1e-6);
                assert_int_equal(made.slots[t], mesh->groups[hit.triangle]);
                for (int c = 0; c < 2; ++c) {
                    double wanted = 0.0, uv = 0.0;
                    for (int i = 0; i < 3; ++i) {
                        wanted += hit.weights[i] * (double)mesh->corners[hit.triangle][i].uv[c];
                        uv += (double)made.uvs[3 * t + i][c] / 3.0;
                    }
                    assert_true(fabs(uv - wanted) < 1e-4);
                }
            }
            shSolid_DestroyPieceMesh(solid, &made);
        }
        assert_true(cracks > 20);
        assert_true(fabs(kept - original) < 1e-5 * original);
        triQueryFree(&query, &context->memory);
        free(nodes);
        shPieceMesh none;
        assert_int_equal(shSolid_CreatePieceMesh(solid, 999, &none, NULL), shInvalid);
        shDestroySolid(solid);
        shDestroyAsset(asset);
        assert_int_equal(shDestroyContext(context), 0);
    }
}

// One vertex of the original surface as one piece shows it.
typedef struct Shown {
    Vec3 p;
    int triangle; // of the parent
    float uv[2];
} Shown;

static int compareShown(const void* left, const void* right)
{
    const Shown *a = left, *b = right;
    if (a->triangle != b->triangle)
        return a->triangle < b->triangle ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (vGet(a->p, k) != vGet(b->p, k))
            return vGet(a->p, k) < vGet(b->p, k) ? -1 : 1;
    return 0;
}

typedef struct ShownList {
    const shSolid* solid;
    const shPieceMesh* mesh;
    Shown* shown;
    int count, triangle;
} ShownList;

// Pieces list their triangles in one order, here and in their meshes.
static void listShown(const Vec3 p[3], int source, void* user)
{
    ShownList* list = user;
    int t = list->triangle++;
    for (int k = 0; k < 3 && source >= 0; ++k) {
        int v = list->mesh->triangles[t][k];
        assert_true(vDistance(list->mesh->positions[v], p[k]) == 0.0f);
        Shown shown = {p[k], source, {list->mesh->uvs[v][0], list->mesh->uvs[v][1]}};
        // By areas in the parent's triangle, in double.
        const TetMesh* mesh = &list->solid->asset->mesh;
        const int* nodes = mesh->triangles[source];
        DVec3 at = dFromV(p[k]), corner[3];
        for (int i = 0; i < 3; ++i)
            corner[i] = dFromV(mesh->nodes[nodes[i]]);
        DVec3 normal = dCross(dSub(corner[1], corner[0]), dSub(corner[2], corner[0]));
        double uv[2] = {0.0, 0.0}, sum = 0.0;
        for (int i = 0; i < 3; ++i) {
            DVec3 a = dSub(corner[(i + 1) % 3], at), b = dSub(corner[(i + 2) % 3], at);
            double weight = dDot(dCross(a, b), normal) / dLength2(normal);
            sum += weight;
            for (int c = 0; c < 2; ++c)
                uv[c] += weight * (double)mesh->corners[source][i].uv[c];
        }
        assert_true(fabs(sum - 1.0) < 1e-4);
        for (int c = 0; c < 2; ++c)
            if (fabs(uv[c] - (double)shown.uv[c]) > 1e-5)
                fail_msg("triangle %d: %g instead of %g", source, (double)shown.uv[c], uv[c]);
        list->shown[list->count++] = shown;
    }
}

// A checkerboard goes on across every crack: UVs are those of the parent, and where pieces share a point they agree to
// the bit.
static void every_original_vertex_of_every_fragment_has_the_parents_uv(void** unused)
{
    (void)unused;
    static const char* const models[] = {"plate", "pane", "table", "torus"};
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    for (int m = 0; m < 4; ++m) {
        shCookDef cook = shDefaultCookDef();
        shAsset* asset;
        shSolid* solid;
        assert_int_equal(shCookModel(context, models[m], 0.5f, &cook, &asset, NULL), shOk);
        assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
        shPattern pattern = shDefaultPattern(m < 2 ? shRadialPattern : shClusteredPattern);
        pattern.pieces = 30;
        for (int round = 0; round < 3; ++round) { // fragments of fragments, too
            shImpact impact = shDefaultImpact(boxCenter(shSolid_GetPiece(solid, round).box));
            pattern.seed = (uint64_t)round;
            assert_int_equal(shSolid_BreakPattern(solid, round, &pattern, &impact, NULL, NULL), shOk);
        }
        int pieces = shSolid_GetPieceCount(solid), room = 0, shared = 0;
        assert_true(pieces > 8);
        for (int piece = 0; piece < pieces; ++piece)
            room += 3 * shSolid_GetPiece(solid, piece).triangleCount;
        ShownList list = {.solid = solid, .shown = malloc(sizeof(Shown) * (size_t)room)};
        for (int piece = 0; piece < pieces; ++piece) {
            shPieceMesh mesh;
            assert_int_equal(shSolid_CreatePieceMesh(solid, piece, &mesh, NULL), shOk);
            list.mesh = &mesh;
            list.triangle = 0;
            fieldSurface(&solid->field, piece, listShown, &list);
            assert_int_equal(list.triangle, mesh.triangleCount);
            shSolid_DestroyPieceMesh(solid, &mesh);
        }
        qsort(list.shown, (size_t)list.count, sizeof(Shown), compareShown);
        for (int i = 1; i < list.count; ++i)
            if (compareShown(&list.shown[i - 1], &list.shown[i]) == 0) {
                assert_true(list.shown[i - 1].uv[0] == list.shown[i].uv[0] &&
                            list.shown[i - 1].uv[1] == list.shown[i].uv[1]);
                ++shared;
            }
        assert_true(shared > 100);
        free(list.shown);
        shDestroySolid(solid);
        shDestroyAsset(asset);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_original_vertex_of_every_fragment_has_the_parents_uv),
        cmocka_unit_test(pieces_keep_uvs_normals_and_slots_of_the_original_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/adjacency.h"
#include "mesh/mass.h"
#include "mesh/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Memory memory;

static TetMesh make(const char* name, float detail)
{
    TetMesh mesh;
    shMessage message = {0};
    if (modelGenerate(modelFind(name), detail, &memory, &mesh, &message) != shOk)
        fail_msg("%s: %s", name, message.text);
    return mesh;
}

static bool isExact(const ModelInfo* model) { return model->volume != NULL; }

static DVec3 node(const TetMesh* mesh, int n) { return dFromV(mesh->nodes[n]); }

static double diagonal(const TetMesh* mesh)
{
    shBox box = boxEmpty();
    for (int n = 0; n < mesh->nodeCount; ++n)
        box = boxAdd(box, mesh->nodes[n]);
    return (double)vLength(boxSize(box));
}

static int edgeCount(const TetMesh* mesh)
{
    KeySet edges;
    assert_true(keySetInit(&edges, &memory, 3 * mesh->triangleCount));
    for (int half = 0; half < 3 * mesh->triangleCount; ++half)
        keySetAddEdge(&edges, mesh->triangles[half / 3][half % 3], mesh->triangles[half / 3][(half % 3 + 1) % 3]);
    int count = edges.count;
    keySetFree(&edges, &memory);
    return count;
}

static void everyModelIsAWholeSolidAtThreeDetails(void** state)
{
    (void)state;
    const float details[] = {0.5f, 1.0f, 2.0f};
    for (int m = 0; m < modelCount(); ++m)
        for (int d = 0; d < 3 && isExact(modelAt(m)); ++d) {
            const ModelInfo* model = modelAt(m);
            TetMesh mesh = make(model->name, details[d]);
            shMessage message = {0};
            if (tetMeshCheck(&mesh, &memory, &message) != shOk)
                fail_msg("%s: %s", model->name, message.text);
            int euler = mesh.surfaceNodeCount - edgeCount(&mesh) + mesh.triangleCount;
            if (euler != 2 - 2 * model->genus)
                fail_msg("%s: V - E + F = %d", model->name, euler);
            TetQuality quality = tetMeshQuality(&mesh, &memory);
            // At its own detail no worse than 20°; the sphere's octahedra, well split, leave 40.
            double least = details[d] != 1.0f ? 15.0 : strcmp(model->name, "sphere") == 0 ? 40.0 : 20.0;
            if (quality.minDihedral < least || quality.maxDihedral > 155.0)
                fail_msg("%s: dihedral angles %g to %g", model->name, quality.minDihedral, quality.maxDihedral);
            tetMeshFree(&mesh, &memory);
        }
    assert_int_equal(memory.bytes, 0);
}

static void surfaceNodesLieOnTheExactSurface(void** state)
{
    (void)state;
    for (int m = 0; m < modelCount(); ++m) {
        const ModelInfo* model = modelAt(m);
        if (!isExact(model))
            continue;
        TetMesh mesh = make(model->name, 1.0f);
        double size = diagonal(&mesh), bottom = 1.0;
        for (int n = 0; n < mesh.surfaceNodeCount; ++n)
            bottom = minD(bottom, node(&mesh, n).y);
        assert_true(bottom >= -1e-6 * size && bottom <= 0.01 * size); // it stands on y = 0
        ModelError error = modelError(model, &mesh);
        assert_true(error.vertex <= 1e-6 * size); // 1e-4 %
        assert_true(error.chord <= 3e-3 * size);
        TetMesh fine = make(model->name, 2.0f);
        // Flat solids have none; in round ones chords cut off four times less at twice the detail, more or less.
        double chord = modelError(model, &fine).chord;
        assert_true(chord <= 1e-6 * size || chord < 0.5 * error.chord);
        tetMeshFree(&fine, &memory);
        Vec3* moved = &mesh.nodes[mesh.triangles[0][0]]; // a node off its place is seen
        *moved = vMad(*moved, (float)(0.001 * size), mesh.corners[0][0].normal);
        assert_true(modelError(model, &mesh).vertex > 1e-4 * size);
        tetMeshFree(&mesh, &memory);
    }
}

static void volumesAreExactOrTendToTheExactOne(void** state)
{
    (void)state;
    for (int m = 0; m < modelCount(); ++m) {
        const ModelInfo* model = modelAt(m);
        if (!isExact(model))
            continue;
        double errors[2];
        for (int d = 0; d < 2; ++d) {
            TetMesh mesh = make(model->name, (float)(1 << d));
            errors[d] = 1.0 - massOfTetMesh(&mesh).volume / model->volume();
            tetMeshFree(&mesh, &memory);
        }
        // Flat sides: only the rounding to single precision is left. Round ones: chords cut off a few per cent, four
        // times less at twice the detail.
        bool exact = fabs(errors[0]) < 1e-6 && fabs(errors[1]) < 1e-6;
        bool close = errors[0] > 0.0 && errors[0] < 0.03 && fabs(errors[1] / errors[0] - 0.25) < 0.02;
        if (!exact && !close)
            fail_msg("%s: volume errors %g and %g", model->name, errors[0], errors[1]);
    }
    double pi = 3.14159265358979;
    assert_true(fabs(modelFind("cylinder")->volume() - pi * 0.05 * 0.05 * 0.2) < 1e-15);
    assert_true(fabs(modelFind("brick")->volume() - 0.215 * 0.1025 * 0.065) < 1e-15);
}

static void cornersFollowTheSurface(void** state)
{
    (void)state;
    for (int m = 0; m < modelCount(); ++m) {
        const ModelInfo* model = modelAt(m);
        if (!isExact(model))
            continue;
        TetMesh mesh = make(model->name, 1.0f);
        // Where two faces meet at a hollow edge, leaving one along its normal approaches the other.
        bool hollow = strcmp(model->name, "pillar") == 0 || strcmp(model->name, "shelf") == 0 ||
                      strcmp(model->name, "table") == 0;
        double step = 1e-3 * diagonal(&mesh), least = hollow ? 0.0 : 0.9995 * step;
        for (int t = 0; t < mesh.triangleCount; ++t) {
            const int* v = mesh.triangles[t];
            const Corner* c = mesh.corners[t];
            DVec3 cross =
                dCross(dSub(node(&mesh, v[1]), node(&mesh, v[0])), dSub(node(&mesh, v[2]), node(&mesh, v[0])));
            DVec3 facet = dNormalize(cross);
            for (int k = 0; k < 3; ++k) {
                DVec3 normal = dFromV(c[k].normal);
                assert_true(fabs(dLength(normal) - 1.0) < 1e-6);
                if (dDot(normal, facet) < 0.95) // smoothed over curves, never over creases
                    fail_msg("%s: triangle %d: normal and facet differ, cosine %g", model->name, t,
                             dDot(normal, facet));
                double away = model->distance(dMad(node(&mesh, v[k]), step, normal));
                if (away < least)
                    fail_msg("%s: triangle %d: normal is %g off", model->name, t, 1.0 - away / step);
            }
            double u1 = (double)c[1].uv[0] - (double)c[0].uv[0], v1 = (double)c[1].uv[1] - (double)c[0].uv[1];
            double u2 = (double)c[2].uv[0] - (double)c[0].uv[0], v2 = (double)c[2].uv[1] - (double)c[0].uv[1];
            // Metres, never mirrored; only near the sphere's poles is the scale far from true.
            double scale = (u1 * v2 - u2 * v1) / dLength(cross);
            bool sphere = strcmp(model->name, "sphere") == 0;
            if (!(scale > (sphere ? 0.0 : 0.6) && (sphere || scale < 1.6)))
                fail_msg("%s: triangle %d: UVs are mirrored or out of scale: %g", model->name, t, scale);
        }
        tetMeshFree(&mesh, &memory);
    }
}

static void brickKeepsEightCornersAndTwelveStraightEdges(void** state)
{
    (void)state;
    for (float detail = 0.5f; detail <= 2.0f; detail *= 2.0f) {
        TetMesh mesh = make("brick", detail);
        const float side[3][2] = {{-0.1075f, 0.1075f}, {0.0f, 0.065f}, {-0.05125f, 0.05125f}};
        int corners = 0;
        for (int n = 0; n < mesh.surfaceNodeCount; ++n) {
            int planes = 0;
            for (int axis = 0; axis < 3; ++axis) {
                float x = vGet(mesh.nodes[n], axis);
                planes += x == side[axis][0] || x == side[axis][1];
            }
            assert_true(planes >= 1); // every surface node in a side, bit for bit
            corners += planes == 3;
        }
        assert_int_equal(corners, 8);
        int* twins = NEW_ARRAY(&memory, int, 3 * mesh.triangleCount);
        assert_int_equal(matchEdges(&memory, mesh.triangleCount, (const int(*)[3])mesh.triangles, twins, NULL), shOk);
        double length[3][4] = {0}; // by direction and line
        for (int half = 0; half < 3 * mesh.triangleCount; ++half) {
            if (vDot(mesh.corners[half / 3][0].normal, mesh.corners[twins[half] / 3][0].normal) > 0.5f ||
                half < twins[half])
                continue;
            Vec3 a = mesh.nodes[mesh.triangles[half / 3][half % 3]];
            Vec3 b = mesh.nodes[mesh.triangles[half / 3][(half % 3 + 1) % 3]];
            int direction = a.x != b.x ? 0 : a.y != b.y ? 1 : 2, line = 0;
            for (int i = 1; i < 3; ++i) {
                int axis = (direction + i) % 3;
                float x = vGet(a, axis);
                assert_true(x == vGet(b, axis) && (x == side[axis][0] || x == side[axis][1]));
                line = 2 * line + (x == side[axis][1]);
            }
            length[direction][line] += (double)vDistance(a, b);
        }
        for (int k = 0; k < 12; ++k)
            assert_true(fabs(length[k / 4][k % 4] - (double)(side[k / 4][1] - side[k / 4][0])) < 1e-7);
        FREE_ARRAY(&memory, twins, 3 * mesh.triangleCount);
        tetMeshFree(&mesh, &memory);
    }
}

static void assertWithin(const char* name, const char* what, int count, int paper)
{
    if (abs(count - paper) > 0.15 * paper)
        fail_msg("%s: %d %s, the paper has %d", name, count, what, paper);
}

static void sizesMatchGlonduTable1(void** state)
{
    (void)state;
    const struct {
        const char* name;
        int triangles, tets, points;
    } rows[] = {{"plate", 5392, 8617, 2711}, {"shelf", 4652, 10200, 2989}, {"brick", 468, 594, 0}};
    for (int r = 0; r < 3; ++r) {
        TetMesh mesh = make(rows[r].name, 1.0f);
        assertWithin(rows[r].name, "triangles", mesh.triangleCount, rows[r].triangles);
        assertWithin(rows[r].name, "tetrahedra", mesh.tetCount, rows[r].tets);
        if (rows[r].points > 0)
            assertWithin(rows[r].name, "points", mesh.nodeCount, rows[r].points);
        tetMeshFree(&mesh, &memory);
    }
}

static void modelsAreFoundByName(void** state)
{
    (void)state;
    const char* names[] = {"box",   "brick",    "wall",   "pane",  "plate",  "bowl",
                           "shelf", "cylinder", "pillar", "table", "sphere", "torus"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        assert_non_null(modelFind(names[k]));
    for (int m = 0; m < modelCount(); ++m)
        assert_ptr_equal(modelFind(modelAt(m)->name), modelAt(m));
    assert_null(modelFind("teapot"));
    assert_null(modelAt(-1));
    assert_null(modelAt(modelCount()));
}

static void detailOutOfRangeIsRefused(void** state)
{
    (void)state;
    const float details[] = {0.0f, -1.0f, 0.1f, 9.0f, INFINITY, NAN};
    for (int d = 0; d < 6; ++d) {
        TetMesh mesh;
        shMessage message = {0};
        assert_int_equal(modelGenerate(modelFind("bowl"), details[d], &memory, &mesh, &message), shInvalid);
        assert_non_null(strstr(message.text, "model bowl: detail"));
        assert_null(mesh.nodes);
    }
}

static void* failingAlloc(size_t bytes, void* user)
{
    int* left = user;
    return (*left)-- > 0 ? aligned_alloc(64, (bytes + 63) & ~(size_t)63) : NULL;
}

static void failingRelease(void* block, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(block);
}

static void everyFailedAllocationIsReportedAndLeaksNothing(void** state)
{
    (void)state;
    for (int m = 0; m < modelCount(); ++m) {
        if (!isExact(modelAt(m)))
            continue;
        shStatus status = shOutOfMemory;
        for (int allowed = 0; status != shOk; ++allowed) {
            int left = allowed;
            Memory scarce;
            memInit(&scarce, (shAllocator){failingAlloc, failingRelease, &left});
            TetMesh mesh;
            status = modelGenerate(modelAt(m), 0.5f, &scarce, &mesh, NULL);
            assert_true(status == shOk || status == shOutOfMemory);
            tetMeshFree(&mesh, &scarce);
            assert_int_equal(scarce.bytes, 0);
        }
    }
}

int main(void)
{
    memInit(&memory, (shAllocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyModelIsAWholeSolidAtThreeDetails),
        cmocka_unit_test(surfaceNodesLieOnTheExactSurface),
        cmocka_unit_test(volumesAreExactOrTendToTheExactOne),
        cmocka_unit_test(cornersFollowTheSurface),
        cmocka_unit_test(brickKeepsEightCornersAndTwelveStraightEdges),
        cmocka_unit_test(sizesMatchGlonduTable1),
        cmocka_unit_test(modelsAreFoundByName),
        cmocka_unit_test(detailOutOfRangeIsRefused),
        cmocka_unit_test(everyFailedAllocationIsReportedAndLeaksNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/quat.h"
#include "core/random.h"
#include "mesh/mass.h"
#include "mesh/models.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static Memory memory;

static const int boxTriangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                        {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static double largest(DMat3 m)
{
    double entries[9] = {m.r0.x, m.r0.y, m.r0.z, m.r1.x, m.r1.y, m.r1.z, m.r2.x, m.r2.y, m.r2.z}, most = 0.0;
    for (int k = 0; k < 9; ++k)
        most = maxD(most, fabs(entries[k]));
    return most;
}

static DMat3 difference(DMat3 a, DMat3 b) { return (DMat3){dSub(a.r0, b.r0), dSub(a.r1, b.r1), dSub(a.r2, b.r2)}; }

// Relative to the solid's own volume, size and inertia.
static void assertSame(MassProperties a, MassProperties b, double tolerance)
{
    double size = cbrt(fabs(a.volume));
    assert_true(fabs(a.volume - b.volume) <= tolerance * fabs(a.volume));
    assert_true(dDistance(a.centre, b.centre) <= tolerance * size);
    assert_true(largest(difference(a.inertia, b.inertia)) <= tolerance * largest(a.inertia));
}

static void boxesOfAnySizeTurnAndPlace(void** state)
{
    (void)state;
    Random random = randomSeed(7);
    for (int round = 0; round < 5000; ++round) {
        double half[3];
        for (int k = 0; k < 3; ++k)
            half[k] = randomRangeD(&random, 0.05, 2.0);
        DQuat turn = dqNormalize(dqFromQ(randomRotation(&random)));
        DVec3 place = dScale(10.0, randomInBall(&random)), vertices[8];
        for (int k = 0; k < 8; ++k) {
            DVec3 p = dvec3(k & 1 ? half[0] : -half[0], k >> 1 & 1 ? half[1] : -half[1], k >> 2 ? half[2] : -half[2]);
            vertices[k] = dAdd(place, dqRotate(turn, p));
        }
        MassProperties mass = massOfSurface(vertices, 12, boxTriangles);
        double volume = 8.0 * half[0] * half[1] * half[2];
        double x2 = half[0] * half[0], y2 = half[1] * half[1], z2 = half[2] * half[2];
        assert_true(fabs(mass.volume - volume) <= 1e-12 * volume);
        assert_true(dDistance(mass.centre, place) <= 1e-12);
        double expected[3] = {y2 + z2, x2 + z2, x2 + y2}, found[3];
        Eigen3 principal = massPrincipal(mass);
        found[0] = principal.values.x, found[1] = principal.values.y, found[2] = principal.values.z;
        for (int a = 0; a < 3; ++a) { // each in its place of the sorted list
            double moment = volume / 3.0 * expected[a];
            int rank = 0;
            for (int b = 0; b < 3; ++b)
                rank += expected[b] < expected[a];
            assert_true(fabs(found[rank] - moment) <= 1e-12 * found[2]);
        }
        // The inertia turns with the box: the moment about its own x axis is that of x.
        DVec3 axis = dqRotate(turn, dvec3(1.0, 0.0, 0.0));
        assert_true(fabs(dDot(axis, dmMul(mass.inertia, axis)) - volume / 3.0 * expected[0]) <= 1e-12 * found[2]);
    }
}

static void cornerTetrahedron(void** state)
{
    (void)state;
    const Vec3 nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int tet[1][4] = {{0, 1, 2, 3}};
    MassProperties mass = massOfTets(nodes, 1, tet);
    MassProperties expected = {
        1.0 / 6.0,
        {0.25, 0.25, 0.25},
        {{1.0 / 80, 1.0 / 480, 1.0 / 480}, {1.0 / 480, 1.0 / 80, 1.0 / 480}, {1.0 / 480, 1.0 / 480, 1.0 / 80}}};
    assertSame(mass, expected, 1e-15);
    assert_true(massOfTets(nodes, 0, tet).volume == 0.0);
}

static MassProperties massOfBoundary(const TetMesh* mesh)
{
    TriMesh surface;
    assert_true(triMeshAlloc(&surface, &memory, mesh->nodeCount, mesh->triangleCount, false, false));
    for (int n = 0; n < mesh->nodeCount; ++n)
        surface.vertices[n] = dFromV(mesh->nodes[n]);
    for (int t = 0; t < mesh->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            surface.triangles[t][k] = mesh->triangles[t][k];
    MassProperties mass = massOfTriMesh(&surface);
    triMeshFree(&surface, &memory);
    return mass;
}

static void tetrahedraAndSurfaceAgreeOnEveryModel(void** state)
{
    (void)state;
    for (int m = 0; m < modelCount(); ++m) {
        if (modelAt(m)->volume == NULL)
            continue; // implicit shapes take long to mesh
        TetMesh mesh;
        assert_int_equal(modelGenerate(modelAt(m), 1.0f, &memory, &mesh, NULL), shOk);
        MassProperties whole = massOfTetMesh(&mesh);
        assertSame(whole, massOfBoundary(&mesh), 1e-12);
        // In two parts, wherever the cut is.
        for (int cut = 0; cut <= mesh.tetCount; cut += mesh.tetCount / 5) {
            MassProperties a = massOfTets(mesh.nodes, cut, (const int(*)[4])mesh.tets);
            MassProperties b = massOfTets(mesh.nodes, mesh.tetCount - cut, (const int(*)[4])mesh.tets + cut);
            assertSame(whole, massCombine(a, b), 1e-12);
        }
        tetMeshFree(&mesh, &memory);
    }
    assert_int_equal(memory.bytes, 0);
}

static void sphereTendsToItsLimit(void** state)
{
    (void)state;
    const ModelInfo* sphere = modelFind("sphere");
    double last = 1.0;
    for (float detail = 1.0f; detail <= 4.0f; detail *= 2.0f) {
        TetMesh mesh;
        assert_int_equal(modelGenerate(sphere, detail, &memory, &mesh, NULL), shOk);
        MassProperties mass = massOfTetMesh(&mesh);
        double volume = sphere->volume(), radius2 = pow(volume / (4.0 / 3.0 * 3.14159265358979), 2.0 / 3.0);
        Eigen3 principal = massPrincipal(mass);
        double error = fabs(principal.values.x / (0.4 * volume * radius2) - 1.0);
        assert_true(principal.values.z - principal.values.x < 1e-6 * principal.values.z);
        assert_true(error < 0.3 * last);
        last = error;
        tetMeshFree(&mesh, &memory);
    }
    assert_true(last < 3e-3);
}

int main(void)
{
    memInit(&memory, (shAllocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesOfAnySizeTurnAndPlace),
        cmocka_unit_test(cornerTetrahedron),
        cmocka_unit_test(tetrahedraAndSurfaceAgreeOnEveryModel),
        cmocka_unit_test(sphereTendsToItsLimit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

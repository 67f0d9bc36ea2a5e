// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/adjacency.h"
#include "mesh/tri_mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static Memory memory;

static const DVec3 cubeVertices[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int cubeTriangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static TriMesh makeCube(void)
{
    TriMesh mesh;
    assert_true(triMeshAlloc(&mesh, &memory, 8, 12, true, true));
    memcpy(mesh.vertices, cubeVertices, sizeof cubeVertices);
    memcpy(mesh.triangles, cubeTriangles, sizeof cubeTriangles);
    memset(mesh.corners, 0, 12 * sizeof *mesh.corners);
    memset(mesh.groups, 0, 12 * sizeof *mesh.groups);
    return mesh;
}

static void expectFailure(TriMesh* mesh, const char* words)
{
    shMessage message = {0};
    assert_int_equal(triMeshCheck(mesh, &memory, &message), shBadMesh);
    if (strstr(message.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message.text, words);
    triMeshFree(mesh, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void cubeIsAccepted(void** state)
{
    (void)state;
    TriMesh mesh = makeCube();
    assert_int_equal(triMeshCheck(&mesh, &memory, NULL), shOk);
    assert_true(fabs(triMeshVolume(&mesh) - 1.0) < 1e-15);
    shBox box = triMeshBox(&mesh);
    assert_true(box.lower.x == 0.0f && box.upper.z == 1.0f);
    for (int v = 0; v < 8; ++v)
        mesh.vertices[v] = dAdd(mesh.vertices[v], dvec3(1e6, -1e6, 1e6));
    assert_true(fabs(triMeshVolume(&mesh) - 1.0) < 1e-12);
    triMeshFree(&mesh, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void eachDefectIsNamed(void** state)
{
    (void)state;
    TriMesh mesh = makeCube();
    mesh.vertices[5].y = NAN;
    expectFailure(&mesh, "vertex 5 is not finite");

    mesh = makeCube();
    mesh.triangles[7][1] = 99;
    expectFailure(&mesh, "triangle 7: vertex index 99 is out of range");

    mesh = makeCube();
    mesh.triangles[7][1] = -1;
    expectFailure(&mesh, "triangle 7: vertex index -1");

    mesh = makeCube();
    mesh.triangles[3][1] = mesh.triangles[3][0];
    expectFailure(&mesh, "triangle 3: vertex 4 is used twice");

    mesh = makeCube();
    mesh.vertices[1] = mesh.vertices[0];
    expectFailure(&mesh, "has no area");

    mesh = makeCube();
    mesh.corners[4][2].uv[1] = INFINITY;
    expectFailure(&mesh, "triangle 4: corner 2");

    mesh = makeCube();
    mesh.triangles[11][0] = 5, mesh.triangles[11][1] = 7, mesh.triangles[11][2] = 4; // beside an existing (4, 5, 7)
    expectFailure(&mesh, "triangles 2 and 11 run the same way along edge (5, 7)");

    mesh = makeCube();
    int turned[3] = {1, 5, 7};
    memcpy(mesh.triangles[11], turned, sizeof turned);
    expectFailure(&mesh, "run the same way along edge");

    mesh = makeCube();
    mesh.triangleCount = 11;
    shMessage message;
    assert_int_equal(triMeshCheck(&mesh, &memory, &message), shBadMesh);
    assert_non_null(strstr(message.text, "the surface is open"));
    mesh.triangleCount = 3;
    assert_int_equal(triMeshCheck(&mesh, &memory, &message), shBadMesh);
    mesh.triangleCount = 12;
    triMeshFree(&mesh, &memory);

    mesh = makeCube();
    for (int t = 0; t < 12; ++t) {
        int k = mesh.triangles[t][1];
        mesh.triangles[t][1] = mesh.triangles[t][2];
        mesh.triangles[t][2] = k;
    }
    expectFailure(&mesh, "face inwards");
}

static void edgeOfThreeTrianglesIsNamed(void** state)
{
    (void)state;
    // A tetrahedron with a fin.
    int triangles[5][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 1, 4}};
    int twins[15];
    shMessage message;
    assert_int_equal(matchEdges(&memory, 5, (const int(*)[3])triangles, twins, &message), shBadMesh);
    assert_string_equal(message.text, "triangle 4: edge (1, 0) is shared by 3 triangles");
    assert_int_equal(matchEdges(&memory, 4, (const int(*)[3])triangles, twins, &message), shOk);
    for (int half = 0; half < 12; ++half) {
        assert_int_equal(twins[twins[half]], half);
        int twin = twins[half];
        assert_int_equal(triangles[half / 3][half % 3], triangles[twin / 3][(twin % 3 + 1) % 3]);
    }
}

static void* refuse(size_t bytes, void* user)
{
    (void)bytes, (void)user;
    return NULL;
}

static void release(void* block, size_t bytes, void* user) { (void)block, (void)bytes, (void)user; }

static void missingMemoryIsAnOrdinaryResult(void** state)
{
    (void)state;
    TriMesh mesh = makeCube(), other;
    Memory none;
    memInit(&none, (shAllocator){refuse, release, NULL});
    assert_int_equal(triMeshCheck(&mesh, &none, NULL), shOutOfMemory);
    assert_false(triMeshAlloc(&other, &none, 8, 12, true, true));
    triMeshFree(&mesh, &memory);
}

int main(void)
{
    memInit(&memory, (shAllocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubeIsAccepted),
        cmocka_unit_test(eachDefectIsNamed),
        cmocka_unit_test(edgeOfThreeTrianglesIsNamed),
        cmocka_unit_test(missingMemoryIsAnOrdinaryResult),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/adjacency.h"
#include "mesh/tet_mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Memory memory;

enum { GRID = 4, GRID_NODES = (GRID + 1) * (GRID + 1) * (GRID + 1), GRID_TETS = 6 * GRID * GRID * GRID };

// A cube of GRID³ cells, six tetrahedra each along the main diagonal.
static void makeGrid(DVec3* nodes, int (*tets)[4])
{
    static const int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int step[3] = {1, GRID + 1, (GRID + 1) * (GRID + 1)};
    for (int n = 0; n < GRID_NODES; ++n)
        nodes[n] = dvec3(n % (GRID + 1), n / step[1] % (GRID + 1), n / step[2]);
    for (int c = 0, t = 0; c < GRID * GRID * GRID; ++c)
        for (int p = 0; p < 6; ++p, ++t) {
            tets[t][0] = c % GRID + c / GRID % GRID * step[1] + c / GRID / GRID * step[2];
            for (int k = 0; k < 3; ++k)
                tets[t][k + 1] = tets[t][k] + step[paths[p][k]];
        }
}

static TetMesh makeCube(void)
{
    DVec3 nodes[GRID_NODES];
    int tets[GRID_TETS][4];
    makeGrid(nodes, tets);
    TetMesh mesh;
    assert_int_equal(tetMeshBuild(&mesh, &memory, GRID_NODES, nodes, GRID_TETS, (const int(*)[4])tets, true, NULL),
                     shOk);
    return mesh;
}

static void builtCubeIsWhole(void** state)
{
    (void)state;
    TetMesh mesh = makeCube();
    shMessage message = {0};
    assert_int_equal(tetMeshCheck(&mesh, &memory, &message), shOk);
    assert_int_equal(mesh.nodeCount, GRID_NODES);
    assert_int_equal(mesh.surfaceNodeCount, GRID_NODES - (GRID - 1) * (GRID - 1) * (GRID - 1));
    assert_int_equal(mesh.triangleCount, 12 * GRID * GRID);
    TetQuality quality = tetMeshQuality(&mesh, &memory);
    assert_true(fabs(quality.volume - GRID * GRID * GRID) < 1e-12);
    assert_true(fabs(quality.minDihedral - 45.0) < 1e-9 && fabs(quality.maxDihedral - 90.0) < 1e-9);
    assert_true(fabs(quality.minVolume - 1.0 / 6.0) < 1e-15);
    assert_int_equal(quality.parts, 1);
    for (int t = 0; t < mesh.triangleCount; ++t) {
        Vec3 a = mesh.nodes[mesh.triangles[t][0]], b = mesh.nodes[mesh.triangles[t][1]],
             c = mesh.nodes[mesh.triangles[t][2]], n = mesh.corners[t][0].normal;
        assert_true(vDistance(vNormalize(vCross(vSub(b, a), vSub(c, a))), n) < 1e-6f);
        float u1 = mesh.corners[t][1].uv[0] - mesh.corners[t][0].uv[0];
        float v1 = mesh.corners[t][1].uv[1] - mesh.corners[t][0].uv[1];
        float u2 = mesh.corners[t][2].uv[0] - mesh.corners[t][0].uv[0];
        float v2 = mesh.corners[t][2].uv[1] - mesh.corners[t][0].uv[1];
        assert_true(fabsf(u1 * v2 - u2 * v1 - 1.0f) < 1e-6f); // true to scale and never mirrored
    }
    tetMeshFree(&mesh, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void nodesComeSurfaceFirstInInputOrder(void** state)
{
    (void)state;
    DVec3 nodes[GRID_NODES + 2];
    int tets[GRID_TETS][4];
    makeGrid(nodes + 1, tets);
    nodes[0] = nodes[GRID_NODES + 1] = dvec3(50, 50, 50); // used by nobody
    for (int t = 0; t < GRID_TETS; ++t)
        for (int k = 0; k < 4; ++k)
            ++tets[t][k];
    TetMesh mesh;
    assert_int_equal(tetMeshBuild(&mesh, &memory, GRID_NODES + 2, nodes, GRID_TETS, (const int(*)[4])tets, true, NULL),
                     shOk);
    assert_int_equal(mesh.nodeCount, GRID_NODES);
    for (int n = 0; n + 1 < mesh.nodeCount; ++n) {
        Vec3 a = mesh.nodes[n], b = mesh.nodes[n + 1];
        float rankA = a.x + 10 * a.y + 100 * a.z, rankB = b.x + 10 * b.y + 100 * b.z;
        assert_true(n + 1 == mesh.surfaceNodeCount || rankA < rankB);
    }
    tetMeshFree(&mesh, &memory);
}

static void shuffledTetsStillMatch(void** state)
{
    (void)state;
    DVec3 nodes[GRID_NODES];
    int tets[GRID_TETS][4];
    makeGrid(nodes, tets);
    uint32_t random = 1;
    for (int round = 0; round < 20; ++round) {
        for (int t = GRID_TETS - 1; t > 0; --t) {
            random = random * 1664525u + 1013904223u;
            int other = (int)((random >> 8) % (uint32_t)(t + 1)), hold[4];
            memcpy(hold, tets[t], sizeof hold);
            memcpy(tets[t], tets[other], sizeof hold);
            memcpy(tets[other], hold, sizeof hold);
        }
        TetMesh mesh;
        assert_int_equal(tetMeshBuild(&mesh, &memory, GRID_NODES, nodes, GRID_TETS, (const int(*)[4])tets, true, NULL),
                         shOk);
        assert_int_equal(mesh.triangleCount, 12 * GRID * GRID);
        assert_int_equal(tetMeshCheck(&mesh, &memory, NULL), shOk);
        tetMeshFree(&mesh, &memory);
    }
}

static void neighboursAgreeWithBruteForce(void** state)
{
    (void)state;
    DVec3 nodes[GRID_NODES];
    int tets[GRID_TETS][4], neighbors[GRID_TETS][4];
    makeGrid(nodes, tets);
    for (int t = 0; t < GRID_TETS; ++t)
        if (dOrient(nodes[tets[t][0]], nodes[tets[t][1]], nodes[tets[t][2]], nodes[tets[t][3]]) < 0.0) {
            int hold = tets[t][2];
            tets[t][2] = tets[t][3];
            tets[t][3] = hold;
        }
    assert_int_equal(matchFaces(&memory, GRID_TETS, (const int(*)[4])tets, neighbors, NULL), shOk);
    for (int t = 0; t < GRID_TETS; ++t)
        for (int k = 0; k < 4; ++k) {
            int expected = -1;
            for (int o = 0; o < GRID_TETS; ++o) {
                int shared = 0;
                for (int i = 0; i < 4; ++i)
                    for (int j = 0; j < 4; ++j)
                        shared += i != k && tets[t][i] == tets[o][j];
                if (o != t && shared == 3)
                    expected = o;
            }
            assert_int_equal(neighbors[t][k], expected);
        }
}

static void expectCheck(TetMesh* mesh, const char* words)
{
    shMessage message = {0};
    assert_int_equal(tetMeshCheck(mesh, &memory, &message), shBadMesh);
    if (strstr(message.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message.text, words);
}

static void eachCorruptionIsNamed(void** state)
{
    (void)state;
    TetMesh mesh = makeCube(), clean = makeCube();

    mesh.nodes[17].z = NAN;
    expectCheck(&mesh, "node 17 is not finite");
    mesh.nodes[17] = clean.nodes[17];

    mesh.tets[12][2] = mesh.nodeCount;
    expectCheck(&mesh, "tetrahedron 12: node index 125 is out of range");
    mesh.tets[12][2] = mesh.tets[12][0];
    expectCheck(&mesh, "tetrahedron 12: node");
    mesh.tets[12][2] = clean.tets[12][2];

    int hold = mesh.tets[5][0];
    mesh.tets[5][0] = mesh.tets[5][1];
    mesh.tets[5][1] = hold;
    expectCheck(&mesh, "tetrahedron 5: volume");
    memcpy(mesh.tets[5], clean.tets[5], sizeof mesh.tets[5]);

    memcpy(mesh.tets[9], mesh.tets[8], sizeof mesh.tets[9]);
    expectCheck(&mesh, "tetrahedr");
    memcpy(mesh.tets[9], clean.tets[9], sizeof mesh.tets[9]);

    mesh.triangles[3][0] = mesh.nodeCount + 4;
    expectCheck(&mesh, "triangle 3: node index 129 is out of range");
    mesh.triangles[3][0] = mesh.nodeCount - 1;
    expectCheck(&mesh, "triangle 3: node 124 is not among the 98 surface nodes");
    mesh.triangles[3][0] = clean.triangles[3][1];
    mesh.triangles[3][1] = clean.triangles[3][0];
    expectCheck(&mesh, "triangle 3");
    memcpy(mesh.triangles[3], clean.triangles[7], sizeof mesh.triangles[3]);
    expectCheck(&mesh, "triangle 7");
    memcpy(mesh.triangles[3], clean.triangles[3], sizeof mesh.triangles[3]);

    mesh.triangleCount -= 1;
    expectCheck(&mesh, "is not among the triangles");
    mesh.triangleCount += 1;

    mesh.corners[6][1].normal.x = NAN;
    expectCheck(&mesh, "triangle 6: corner 1");
    mesh.corners[6][1] = clean.corners[6][1];

    mesh.surfaceNodeCount += 1;
    expectCheck(&mesh, "node 98 is listed as a surface node");
    mesh.surfaceNodeCount -= 1;

    assert_int_equal(tetMeshCheck(&mesh, &memory, NULL), shOk);
    tetMeshFree(&mesh, &memory);
    tetMeshFree(&clean, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void expectBuild(int nodeCount, const DVec3* nodes, int tetCount, const int (*tets)[4], bool fix,
                        const char* words)
{
    TetMesh mesh;
    shMessage message = {0};
    shStatus status = tetMeshBuild(&mesh, &memory, nodeCount, nodes, tetCount, tets, fix, &message);
    if (status == shOk) {
        status = tetMeshCheck(&mesh, &memory, &message);
        tetMeshFree(&mesh, &memory);
    }
    assert_int_equal(status, shBadMesh);
    if (strstr(message.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message.text, words);
    assert_int_equal(memory.bytes, 0);
}

static void badSolidsAreNamed(void** state)
{
    (void)state;
    DVec3 nodes[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 5}, {-1, -1, -1}, {2, 2, 2}};

    int upsideDown[1][4] = {{0, 2, 1, 3}};
    expectBuild(4, nodes, 1, (const int(*)[4])upsideDown, false, "tetrahedron 0: inside out");
    DVec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    int one[1][4] = {{0, 1, 2, 3}};
    expectBuild(4, flat, 1, (const int(*)[4])one, true, "tetrahedron 0: flat");
    flat[3].z = 1e300;
    expectBuild(4, flat, 1, (const int(*)[4])one, true, "node 3 is not finite");
    expectBuild(3, nodes, 1, (const int(*)[4])one, true, "make no solid");
    int out[1][4] = {{0, 1, 2, 8}};
    expectBuild(8, nodes, 1, (const int(*)[4])out, true, "tetrahedron 0: node index 8");

    int three[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}};
    expectBuild(8, nodes, 3, (const int(*)[4])three, true, "is shared by 3 tetrahedra");
    int overlapping[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 5}};
    expectBuild(8, nodes, 2, (const int(*)[4])overlapping, true, "tetrahedra 0 and 1 overlap");

    int edgeOnly[2][4] = {{0, 1, 2, 3}, {0, 3, 6, 4}};
    nodes[4] = dvec3(-1, 0, 0);
    expectBuild(8, nodes, 2, (const int(*)[4])edgeOnly, true, "is shared by 4 triangles");
    DVec3 pair[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {5, 5, 5}};
    int vertexOnly[2][4] = {{0, 1, 2, 3}, {0, 4, 5, 6}};
    expectBuild(7, pair, 2, (const int(*)[4])vertexOnly, true, "node 0: the surface touches itself");
    int apart[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    expectBuild(8, pair, 2, (const int(*)[4])apart, true, "the solid has 2 parts: tetrahedron 1");
}

typedef struct Failing {
    int left;
} Failing;

static void* failingAlloc(size_t bytes, void* user)
{
    Failing* failing = user;
    return failing->left-- > 0 ? aligned_alloc(64, (bytes + 63) & ~(size_t)63) : NULL;
}

static void failingRelease(void* block, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(block);
}

static void everyFailedAllocationIsReportedAndLeaksNothing(void** state)
{
    (void)state;
    DVec3 nodes[GRID_NODES];
    int tets[GRID_TETS][4];
    makeGrid(nodes, tets);
    int failures = 0;
    for (int allowed = 0;; ++allowed) {
        Failing failing = {allowed};
        Memory scarce;
        memInit(&scarce, (shAllocator){failingAlloc, failingRelease, &failing});
        TetMesh mesh;
        shStatus status = tetMeshBuild(&mesh, &scarce, GRID_NODES, nodes, GRID_TETS, (const int(*)[4])tets, true, NULL);
        if (status == shOk) {
            status = tetMeshCheck(&mesh, &scarce, NULL);
            tetMeshFree(&mesh, &scarce);
        }
        assert_int_equal(scarce.bytes, 0);
        if (status == shOk)
            break;
        assert_int_equal(status, shOutOfMemory);
        ++failures;
    }
    assert_true(failures > 20);
}

int main(void)
{
    memInit(&memory, (shAllocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtCubeIsWhole),
        cmocka_unit_test(nodesComeSurfaceFirstInInputOrder),
        cmocka_unit_test(shuffledTetsStillMatch),
        cmocka_unit_test(neighboursAgreeWithBruteForce),
        cmocka_unit_test(eachCorruptionIsNamed),
        cmocka_unit_test(badSolidsAreNamed),
        cmocka_unit_test(everyFailedAllocationIsReportedAndLeaksNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

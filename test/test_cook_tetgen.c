// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// TetGen as a child process, with true and with false programs in its place; decimation; slivers.

#include "cook/cook.h"
#include "cook/flip.h"
#include "cook/limits.h"
#include "cook/process.h"
#include "cook/slivers.h"
#include "core/random.h"
#include "mesh/adjacency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static shContext* context;
static char folder[256];

static bool tetgenIsThere(void)
{
    const char* arguments[] = {"sh", "-c", "command -v tetgen", NULL};
    ProcessDef def = {.arguments = arguments, .seconds = 10.0};
    ProcessResult result;
    processRun(&def, &result);
    return result.end == processExited && result.code == 0;
}

// Appends a box; inside out for cavities.
static void addBox(TriMesh* mesh, double lower, double upper, bool insideOut)
{
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    int first = mesh->vertexCount;
    for (int i = 0; i < 8; ++i)
        mesh->vertices[mesh->vertexCount++] =
            dvec3(i & 1 ? upper : lower, i & 2 ? upper : lower, i & 4 ? upper : lower);
    for (int i = 0; i < 12; ++i) {
        int* t = mesh->triangles[mesh->triangleCount++];
        t[0] = first + faces[i][0];
        t[1] = first + faces[i][insideOut ? 2 : 1];
        t[2] = first + faces[i][insideOut ? 1 : 2];
    }
}

// Boxes into one mesh of exactly their size.
static TriMesh makeBoxes(int count, const double (*bounds)[2])
{
    TriMesh mesh;
    assert_true(triMeshAlloc(&mesh, &context->memory, 8 * count, 12 * count, true, true));
    mesh.vertexCount = mesh.triangleCount = 0;
    for (int i = 0; i < count; ++i)
        addBox(&mesh, bounds[i][0], bounds[i][1], i > 0);
    for (int i = 0; i < mesh.triangleCount; ++i) {
        mesh.groups[i] = (uint16_t)(i / 2);
        DVec3 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = mesh.vertices[mesh.triangles[i][k]];
        cornersFlat(p, mesh.corners[i]);
    }
    return mesh;
}

// A sphere of 20 · 4^depth triangles; UVs are x and y.
static TriMesh makeSphere(int depth)
{
    static const int octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    static const DVec3 tips[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int count = 8 << (2 * depth);
    TriMesh mesh;
    assert_true(triMeshAlloc(&mesh, &context->memory, count / 2 + 2, count, true, true));
    memcpy(mesh.vertices, tips, sizeof(tips));
    memcpy(mesh.triangles, octahedron, sizeof(octahedron));
    int vertices = 6, triangles = 8;
    for (int level = 0; level < depth; ++level) {
        KeySet edges;
        assert_true(keySetInit(&edges, &context->memory, 3 * triangles));
        int old = vertices, before = triangles;
        for (int i = 0; i < before; ++i) {
            int corner[3], middle[3];
            memcpy(corner, mesh.triangles[i], sizeof(corner));
            for (int k = 0; k < 3; ++k) {
                int a = corner[k], b = corner[(k + 1) % 3];
                middle[k] = old + keySetAddEdge(&edges, a, b);
                mesh.vertices[middle[k]] = dNormalize(dAdd(mesh.vertices[a], mesh.vertices[b]));
                vertices = maxI(vertices, middle[k] + 1);
            }
            const int parts[4][3] = {{middle[0], middle[1], middle[2]},
                                     {corner[0], middle[0], middle[2]},
                                     {corner[1], middle[1], middle[0]},
                                     {corner[2], middle[2], middle[1]}};
            memcpy(mesh.triangles[i], parts[0], sizeof(parts[0]));
            memcpy(mesh.triangles[triangles], parts[1], 3 * sizeof(parts[0]));
            triangles += 3;
        }
        keySetFree(&edges, &context->memory);
    }
    assert_int_equal(vertices, mesh.vertexCount);
    for (int i = 0; i < count; ++i) {
        mesh.groups[i] = mesh.vertices[mesh.triangles[i][0]].z + mesh.vertices[mesh.triangles[i][1]].z > 0.0 ? 3 : 1;
        for (int k = 0; k < 3; ++k) {
            Vec3 p = vFromD(mesh.vertices[mesh.triangles[i][k]]);
            mesh.corners[i][k] = (Corner){{p.x, p.y}, p};
        }
    }
    return mesh;
}

static void checkSphereAttributes(const TriMesh* mesh)
{
    assert_non_null(mesh->corners);
    assert_non_null(mesh->groups);
    for (int i = 0; i < mesh->triangleCount; ++i) {
        double z = 0.0;
        for (int k = 0; k < 3; ++k) {
            DVec3 p = mesh->vertices[mesh->triangles[i][k]];
            Corner corner = mesh->corners[i][k];
            assert_true(fabs((double)corner.uv[0] - p.x) < 1e-4 && fabs((double)corner.uv[1] - p.y) < 1e-4);
            assert_true(dDot(dFromV(corner.normal), p) > 0.999);
            z += p.z / 3.0;
        }
        if (fabs(z) > 0.2)
            assert_int_equal(mesh->groups[i], z > 0.0 ? 3 : 1);
    }
}

static void decimationMeetsItsTargetAndStaysClosed(void** state)
{
    (void)state;
    TriMesh sphere = makeSphere(5), small;
    assert_int_equal(sphere.triangleCount, 8192);
    assert_int_equal(triMeshCheck(&sphere, &context->memory, NULL), shOk);
    static const int targets[] = {4000, 2000, 1001, 300, 8192, 100000};
    for (int i = 0; i < 6; ++i) {
        shMessage message = {0};
        DecimateReport report;
        int target = minI(targets[i], 8192);
        if (cookDecimate(context, &sphere, targets[i], &small, &report, &message) != shOk)
            fail_msg("%s", message.text);
        assert_true(abs(small.triangleCount - target) <= maxI(2, target / 100));
        assert_int_equal(triMeshCheck(&small, &context->memory, NULL), shOk);
        assert_true(fabs(triMeshVolume(&small) / triMeshVolume(&sphere) - 1.0) < 24.0 / target);
        checkSphereAttributes(&small);
        triMeshFree(&small, &context->memory);
    }
    shMessage message = {0};
    assert_int_equal(cookDecimate(context, &sphere, 3, &small, NULL, &message), shInvalid);
    assert_non_null(strstr(message.text, "at least 4"));
    triMeshFree(&sphere, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

// A sphere whose edges are swapped at random, folds included, comes back round.
static void badDiagonalsAreSwapped(void** state)
{
    (void)state;
    TriMesh sphere = makeSphere(4), input;
    assert_int_equal(cookDecimate(context, &sphere, 600, &input, NULL, NULL), shOk);
    int before = input.triangleCount;
    double volume = triMeshVolume(&input);
    // Push vertices along the surface until triangles fold over.
    Random random = randomSeed(9);
    for (int i = 0; i < input.vertexCount; i += 3)
        input.vertices[i] = dNormalize(dMad(input.vertices[i], 0.12, randomDirection(&random)));
    double worst = 1.0, mended = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
        int* twins = NEW_ARRAY(&context->memory, int, 3 * input.triangleCount);
        assert_int_equal(
            matchEdges(&context->memory, input.triangleCount, (const int(*)[3])input.triangles, twins, NULL), shOk);
        double* turn = pass == 0 ? &worst : &mended;
        for (int h = 0; h < 3 * input.triangleCount; ++h) {
            DVec3 normals[2];
            for (int side = 0; side < 2; ++side) {
                const int* t = input.triangles[(side == 0 ? h : twins[h]) / 3];
                DVec3 a = input.vertices[t[0]];
                normals[side] = dNormalize(dCross(dSub(input.vertices[t[1]], a), dSub(input.vertices[t[2]], a)));
            }
            *turn = minD(*turn, dDot(normals[0], normals[1]));
        }
        FREE_ARRAY(&context->memory, twins, 3 * input.triangleCount);
        if (pass == 0)
            assert_true(flipEdges(&input, &context->memory) > 10);
    }
    assert_true(worst < 0.0 && mended > worst);
    assert_int_equal(input.triangleCount, before);
    assert_int_equal(triMeshCheck(&input, &context->memory, NULL), shOk);
    assert_true(fabs(triMeshVolume(&input) / volume - 1.0) < 0.05);
    triMeshFree(&input, &context->memory);
    triMeshFree(&sphere, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static void decimationSaysWhereItMustEnd(void** state)
{
    (void)state;
    TriMesh boxes = makeBoxes(2, (const double[2][2]){{0.0, 3.0}, {1.0, 2.0}}), small;
    shMessage message = {0};
    assert_int_equal(cookDecimate(context, &boxes, 4, &small, NULL, &message), shFailed);
    assert_true(strstr(message.text, "decimation") != NULL && strstr(message.text, "ask for") != NULL);
    triMeshFree(&boxes, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static void tetgenKeepsTheSurfaceAndItsAttributes(void** state)
{
    (void)state;
    if (!tetgenIsThere())
        skip();
    TriMesh sphere = makeSphere(3);
    TetgenDef def = cookDefaultTetgenDef();
    TetgenReport report;
    TetMesh mesh;
    shMessage message = {0};
    if (cookTetgen(context, &sphere, &def, &mesh, &report, &message) != shOk)
        fail_msg("%s", message.text);
    assert_int_equal(report.attempts, 1);
    assert_int_equal(mesh.triangleCount, sphere.triangleCount);
    assert_int_equal(mesh.surfaceNodeCount, sphere.vertexCount);
    assert_true(fabs(tetMeshQuality(&mesh, &context->memory).volume - triMeshVolume(&sphere)) < 1e-6);
    DVec3* nodes = NEW_ARRAY(&context->memory, DVec3, mesh.nodeCount);
    for (int i = 0; i < mesh.nodeCount; ++i)
        nodes[i] = dFromV(mesh.nodes[i]);
    TriMesh boundary = {mesh.nodeCount, mesh.triangleCount, nodes, mesh.triangles, mesh.corners, mesh.groups};
    checkSphereAttributes(&boundary);
    FREE_ARRAY(&context->memory, nodes, mesh.nodeCount);
    tetMeshFree(&mesh, &context->memory);
    triMeshFree(&sphere, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static void shellsWithinShellsAreCavities(void** state)
{
    (void)state;
    if (!tetgenIsThere())
        skip();
    TriMesh boxes = makeBoxes(2, (const double[2][2]){{0.0, 3.0}, {1.0, 2.0}});
    TetgenDef def = cookDefaultTetgenDef();
    TetMesh mesh;
    shMessage message = {0};
    if (cookTetgen(context, &boxes, &def, &mesh, NULL, &message) != shOk)
        fail_msg("%s", message.text);
    assert_true(fabs(tetMeshQuality(&mesh, &context->memory).volume - 26.0) < 1e-5);
    for (int i = 0; i < mesh.triangleCount; ++i) { // each side of each box has its own group
        Vec3 a = mesh.nodes[mesh.triangles[i][0]], b = mesh.nodes[mesh.triangles[i][1]];
        Vec3 c = mesh.nodes[mesh.triangles[i][2]];
        Vec3 middle = vScale(1.0f / 3.0f, vAdd(vAdd(a, b), c));
        bool inner = middle.x > 0.5f && middle.x < 2.5f && middle.y > 0.5f && middle.y < 2.5f && middle.z > 0.5f &&
                     middle.z < 2.5f;
        assert_int_equal(mesh.groups[i] >= 6, inner);
    }
    tetMeshFree(&mesh, &context->memory);
    triMeshFree(&boxes, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static const char* writeScript(const char* name, const char* body)
{
    static char path[320];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static double expectTetgenFailure(const char* program, double seconds, const char* words)
{
    TriMesh box = makeBoxes(1, (const double[1][2]){{0.0, 1.0}});
    TetgenDef def = {.program = program, .seconds = seconds};
    TetMesh mesh;
    shMessage message = {0};
    double start = contextSeconds(context);
    assert_int_equal(cookTetgen(context, &box, &def, &mesh, NULL, &message), shFailed);
    double end = contextSeconds(context);
    if (strstr(message.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message.text, words);
    assert_null(mesh.nodes);
    triMeshFree(&box, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
    return end - start;
}

static void aBadTetgenIsReportedAndEndsInTime(void** state)
{
    (void)state;
    expectTetgenFailure("/nowhere/tetgen", 5.0, "cannot be started: No such file");
    expectTetgenFailure("no-such-program-here", 5.0, "cannot be started");
    expectTetgenFailure(folder, 5.0, "cannot be started: Permission denied");
    expectTetgenFailure(writeScript("three", "echo too close >&2; exit 3"), 5.0, "exit code 3: too close");
    expectTetgenFailure(writeScript("crash", "kill -SEGV $$"), 5.0, "signal 11");
    expectTetgenFailure(writeScript("abort", "kill -ABRT $$"), 5.0, "intersect");
    expectTetgenFailure(writeScript("silent", "exit 0"), 5.0, "mesh.1.node: cannot open");
    expectTetgenFailure(writeScript("loud", "yes | head -c 3000000; echo last; exit 1"), 5.0, "last");
    expectTetgenFailure(writeScript("garbage", "d=$(dirname $2); head -c 999 /dev/urandom > $d/mesh.1.node"), 5.0,
                        "mesh.1.node");
    expectTetgenFailure(writeScript("nan", "d=$(dirname $2); printf '4 3 0 0\\n0 0 0 nan\\n' > $d/mesh.1.node"), 5.0,
                        "mesh.1.node:2: z is nan");
    expectTetgenFailure(writeScript("index",
                                    "d=$(dirname $2); printf '4 3\\n0 0 0 0\\n1 1 0 0\\n2 0 1 0\\n3 0 0 1\\n' > "
                                    "$d/mesh.1.node; printf '1 4 0\\n0 0 1 2 4\\n' > $d/mesh.1.ele"),
                        5.0, "mesh.1.ele:2: node 4 of 4");
    expectTetgenFailure(writeScript("flat",
                                    "d=$(dirname $2); printf '4 3\\n0 0 0 0\\n1 1 0 0\\n2 0 1 0\\n3 1 1 0\\n' > "
                                    "$d/mesh.1.node; printf '1 4 0\\n0 0 1 2 3\\n' > $d/mesh.1.ele"),
                        5.0, "the surface encloses 1 m³");
    double took = expectTetgenFailure(writeScript("sleeper", "sleep 60 & sleep 60"), 0.2, "no end after");
    assert_true(took < 5.0);
}

static void onlySolidsAreMeshed(void** state)
{
    (void)state;
    TriMesh box = makeBoxes(1, (const double[1][2]){{0.0, 1.0}});
    box.triangles[3][0] = box.triangles[3][1];
    TetgenDef def = cookDefaultTetgenDef();
    TetMesh mesh;
    shMessage message = {0};
    assert_int_equal(cookTetgen(context, &box, &def, &mesh, NULL, &message), shBadMesh);
    assert_non_null(strstr(message.text, "triangle 3"));
    triMeshFree(&box, &context->memory);
}

// A cube of tets around one inner node, which is then pushed almost onto a face, or through it.
static void sliversAreMended(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int trial = 0; trial < 500; ++trial) {
        DVec3 nodes[9];
        int tets[12][4], mended = 0;
        for (int i = 0; i < 8; ++i)
            nodes[i] = dvec3(i & 1, (i >> 1) & 1, (i >> 2) & 1);
        double depth = trial < 250 ? 1e-9 * randomDouble(&random) : -1e-8 * randomDouble(&random);
        nodes[8] = dvec3(0.1 + 0.8 * randomDouble(&random), 0.1 + 0.8 * randomDouble(&random), depth);
        for (int i = 0; i < 12; ++i) {
            tets[i][0] = faces[i][0], tets[i][1] = faces[i][2], tets[i][2] = faces[i][1], tets[i][3] = 8;
            if (trial % 2 == 0)
                tets[i][1] = faces[i][1], tets[i][2] = faces[i][2];
        }
        shMessage message = {0};
        if (mendSlivers(&context->memory, 9, nodes, 12, tets, &mended, &message) != shOk)
            fail_msg("%s", message.text);
        assert_true(mended > 0);
        double sum = 0.0;
        for (int i = 0; i < 12; ++i) {
            const int* t = tets[i];
            assert_true(tetHeight(nodes[t[0]], nodes[t[1]], nodes[t[2]], nodes[t[3]]) >= COOK_MIN_TET_HEIGHT);
            sum += dOrient(nodes[t[0]], nodes[t[1]], nodes[t[2]], nodes[t[3]]) / 6.0;
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    return shCreateContext(&def, &context, NULL) != shOk || !makeFolder(folder, sizeof(folder));
}

static int tearDown(void** state)
{
    (void)state;
    removeFolder(folder);
    return shDestroyContext(context) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimationMeetsItsTargetAndStaysClosed),
        cmocka_unit_test(badDiagonalsAreSwapped),
        cmocka_unit_test(decimationSaysWhereItMustEnd),
        cmocka_unit_test(tetgenKeepsTheSurfaceAndItsAttributes),
        cmocka_unit_test(shellsWithinShellsAreCavities),
        cmocka_unit_test(aBadTetgenIsReportedAndEndsInTime),
        cmocka_unit_test(onlySolidsAreMeshed),
        cmocka_unit_test(sliversAreMended),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

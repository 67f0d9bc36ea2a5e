// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/polygon.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static shContext* context;
static char folder[64];

#define CUBE_VERTICES                                                                                                  \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"                                                                             \
    "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
#define CUBE_FACES "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
#define OFF_VERTICES "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
#define OFF_FACES "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n"

static const char* writeBytes(const char* name, const void* bytes, size_t size)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static shStatus readText(const char* name, const char* text, TriMesh* mesh, SlotNames* names, shMessage* message)
{
    return cookReadMesh(context, writeBytes(name, text, strlen(text)), mesh, names, message);
}

static void expectCube(const char* name, const char* text)
{
    TriMesh mesh;
    shMessage message = {0};
    if (readText(name, text, &mesh, NULL, &message) != shOk)
        fail_msg("%s", message.text);
    if (triMeshCheck(&mesh, &context->memory, &message) != shOk)
        fail_msg("%s: %s", name, message.text);
    assert_int_equal(mesh.vertexCount, 8);
    assert_int_equal(mesh.triangleCount, 12);
    assert_true(fabs(triMeshVolume(&mesh) - 1.0) < 1e-15);
    triMeshFree(&mesh, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static void theSameCubeComesFromManySpellings(void** state)
{
    (void)state;
    expectCube("a.obj", CUBE_VERTICES CUBE_FACES);
    expectCube("no_newline.OBJ",
               "# top\n" CUBE_VERTICES "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8");
    expectCube("negative.obj",
               CUBE_VERTICES "f -8 -5 -6 -7\nf -4 -3 -2 -1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    expectCube("words.obj", "mtllib x.mtl\no cube\ns off\n" CUBE_VERTICES "g\nl 1 2\np 3\n" CUBE_FACES "# end");
    expectCube("comment.obj", CUBE_VERTICES "  # note\n" CUBE_FACES "v 7 7 7 # unused vertex\n");
    expectCube("colour.obj",
               "v 0 0 0 .1 .2 .3\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1 1.0\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" CUBE_FACES);
    expectCube("continued.obj",
               CUBE_VERTICES "f 1 4 \\\n 3 2\nf 5 6 7\\\r\n 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    expectCube("turned.obj", CUBE_VERTICES "f 2 3 4 1\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n");
    expectCube("half_turned.obj", CUBE_VERTICES "f 2 3 4 1\nf 5 6 7 8\nf 1 2 6 5\nf 6 7 3 2\nf 3 4 8 7\nf 8 5 1 4\n");
    expectCube("bom.obj", "\xef\xbb\xbf" CUBE_VERTICES CUBE_FACES);
    expectCube("repeated.obj", CUBE_VERTICES "f 1 1 2\n" CUBE_FACES);
    expectCube("a.off", "OFF\n8 6 0\n" OFF_VERTICES OFF_FACES);
    expectCube("same_line.off", "OFF 8 6 12\n" OFF_VERTICES OFF_FACES);
    expectCube("no_edges.off", "# made by hand\nOFF\n\n8 6\n" OFF_VERTICES "\n# faces\n" OFF_FACES "trailing words\n");
    expectCube("colours.off",
               "COFF\n8 6 0\n0 0 0 255 0 0 255\n1 0 0 1 1 1\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n" OFF_FACES);
    expectCube("face_colours.off",
               "OFF\n8 6 0\n" OFF_VERTICES
               "4 0 3 2 1 255 0 0\n4 4 5 6 7 0.5 0.5 0.5\n4 0 1 5 4 3\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n");
}

static void lineEndsMayBeOfAnyKind(void** state)
{
    (void)state;
    const char* text = CUBE_VERTICES CUBE_FACES;
    char crlf[1024] = "", cr[1024] = "";
    for (const char* c = text; *c != '\0'; ++c) {
        char one[2] = {*c, '\0'};
        strcat(crlf, *c == '\n' ? "\r\n" : one);
        strcat(cr, *c == '\n' ? "\r" : one);
    }
    expectCube("crlf.obj", crlf);
    expectCube("cr.obj", cr);
}

static void verticesSplitAtSeamsAreJoined(void** state)
{
    (void)state;
    char text[4096] = "";
    static const char* const corners[8] = {"0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 -0 1", "1 0 1", "1 1 1", "-0.0 1 1"};
    static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    for (int f = 0; f < 6; ++f) {
        for (int k = 0; k < 4; ++k)
            sprintf(text + strlen(text), "v %s\n", corners[faces[f][k]]);
        strcat(text, "f -4 -3 -2 -1\n");
    }
    expectCube("split.obj", text);
}

static void twoClosedShellsThatTouchStayApart(void** state)
{
    (void)state;
    char text[4096] = CUBE_VERTICES CUBE_FACES;
    for (int i = 0; i < 8; ++i) // a second cube on top of corner 7, which both have
        sprintf(text + strlen(text), "v %d %d %d\n", 1 + (i == 1 || i == 2 || i == 5 || i == 6), 1 + (i % 4 >= 2),
                1 + (i >= 4));
    strcat(text, "f 9 12 11 10\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n");
    TriMesh mesh;
    assert_int_equal(readText("touch.obj", text, &mesh, NULL, NULL), shOk);
    assert_int_equal(mesh.vertexCount, 16);
    assert_int_equal(triMeshCheck(&mesh, &context->memory, NULL), shOk);
    triMeshFree(&mesh, &context->memory);
}

static void uvsNormalsAndMaterialsComeThrough(void** state)
{
    (void)state;
    const char* text = CUBE_VERTICES "vt 0 0\nvt 1 0\nvt 1 1\nvt 0.25 0.75 0\nvn 0 0 -2\nvn 0 0 0\n"
                                     "usemtl red paint\nf 1/1/1 4/4/1 3/3/1 2/2/1\nusemtl blue\nf 5/1/2 6//1 7/3 8\n"
                                     "usemtl red paint\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    TriMesh mesh;
    SlotNames names;
    shMessage message = {0};
    if (readText("full.obj", text, &mesh, &names, &message) != shOk)
        fail_msg("%s", message.text);
    assert_int_equal(triMeshCheck(&mesh, &context->memory, NULL), shOk);
    assert_non_null(mesh.corners);
    assert_non_null(mesh.groups);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], "red paint");
    assert_string_equal(names.names[1], "blue");
    int quarter = 0;
    for (int i = 0; i < 12; ++i) {
        assert_int_equal(mesh.groups[i], i == 2 || i == 3);
        for (int k = 0; k < 3; ++k) {
            Corner corner = mesh.corners[i][k];
            assert_true(fabsf(vLength(corner.normal) - 1.0f) < 1e-6f);
            assert_true(isfinite(corner.uv[0]) && isfinite(corner.uv[1]));
            if (i < 2 && mesh.triangles[i][k] == 3)
                quarter += corner.uv[0] == 0.25f && corner.uv[1] == 0.75f && corner.normal.z == -1.0f;
            if (mesh.triangles[i][k] == 4 && (i == 2 || i == 3))
                assert_true(corner.normal.z == 1.0f); // zero in the file: the triangle's own
        }
    }
    assert_true(quarter > 0);
    triMeshFree(&mesh, &context->memory);
    slotNamesFree(&names, &context->memory);

    assert_int_equal(readText("groups.obj",
                              CUBE_VERTICES "g a\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\ng b\nf 2 3 7 6\n"
                                            "f 3 4 8 7\nf 4 1 5 8\n",
                              &mesh, &names, NULL),
                     shOk);
    assert_int_equal(names.count, 2);
    assert_int_equal(mesh.groups[5], 0);
    assert_int_equal(mesh.groups[6], 1);
    triMeshFree(&mesh, &context->memory);
    slotNamesFree(&names, &context->memory);

    assert_int_equal(readText("st.off",
                              "STNOFF\n4 4 0\n0 0 0 -1 -1 -1 .5 .25\n1 0 0 1 0 0 1 0\n0 1 0 0 1 0 0 1\n"
                              "0 0 1 0 0 1 0 0\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n",
                              &mesh, NULL, NULL),
                     shOk);
    assert_true(mesh.corners[0][0].uv[0] == 0.5f && mesh.corners[0][0].uv[1] == 0.25f);
    assert_true(mesh.corners[0][0].normal.x < 0.0f);
    triMeshFree(&mesh, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

// Random star-shaped polygons, most of them not convex: areas must add up and no triangle may turn over.
static void polygonsAreCutWithoutOverlap(void** state)
{
    (void)state;
    Random random = randomSeed(7);
    for (int trial = 0; trial < 2000; ++trial) {
        enum { most = 24 };
        int count = 3 + trial % (most - 2), next[most], previous[most], triangles[most][3];
        DVec3 points[most];
        double whole = 0.0;
        for (int i = 0; i < count; ++i) {
            double angle = 6.283185307179586 * (double)i / (double)count, radius = 0.2 + (double)randomFloat(&random);
            points[i] = dvec3(radius * cos(angle), radius * sin(angle), 0.3 * radius * cos(angle));
        }
        for (int i = 0; i < count; ++i) {
            DVec3 a = points[i], b = points[(i + 1) % count];
            whole += 0.5 * (a.x * b.y - a.y * b.x);
        }
        polygonTriangulate(count, points, next, previous, triangles);
        double sum = 0.0;
        for (int i = 0; i < count - 2; ++i) {
            DVec3 a = points[triangles[i][0]], b = points[triangles[i][1]], c = points[triangles[i][2]];
            double area = 0.5 * dCross(dSub(b, a), dSub(c, a)).z;
            assert_true(area > -1e-12);
            sum += area;
        }
        assert_true(fabs(sum - whole) < 1e-12);
    }
}

typedef struct BadFile {
    const char* name;
    const char* text;
    const char* words; // that the message must hold
} BadFile;

static const BadFile badFiles[] = {
    {"empty.obj", "", "empty"},
    {"empty.off", "", "empty"},
    {"blank.obj", " \n\t\n", "0 triangles"},
    {"blank.off", "\n \n", "no OFF header"},
    {"comments.obj", "# a\n# b\n", "0 triangles"},
    {"comments.off", "# a\n# b\n", "no OFF header"},
    {"points.obj", CUBE_VERTICES, "0 triangles"},
    {"same.obj", CUBE_VERTICES "f 1 1 1\nf 2 2 2\nf 3 3 3\nf 4 4 4\n", "0 triangles"},
    {"equal.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\nf 1 2 3\n", "0 triangles"},
    {"nan.obj", "v 0 0 0\nv nan 0 0\n" CUBE_FACES, ":2: x is nan"},
    {"NAN.obj", "v 0 NaN(1) 0\n", ":1: y is NaN"},
    {"inf.obj", "v 0 0 inf\n", ":1: z is inf"},
    {"minus_inf.obj", "v 0 0 -Infinity\n", ":1: z is -Inf"},
    {"overflow.obj", "v 0 1e999 0\n", ":1: y is 1e999"},
    {"far.obj", "v 0 1e10 0\n", "beyond"},
    {"short.obj", "v 0 0\n", ":1: the line ends where z should be"},
    {"none.obj", "v\n", "where x should be"},
    {"word.obj", "v 0 zero 0\n", "y is 'zero', not a number"},
    {"comma.obj", "v 0,0 0 0\n", "'0,0'"},
    {"glued.obj", "v 0 0 0f\n", "'0f'"},
    {"index0.obj", CUBE_VERTICES "f 0 1 2\n", ":9: vertex index 0"},
    {"index9.obj", CUBE_VERTICES "f 1 2 9\n", "vertex index 9: 8 are defined"},
    {"index_minus9.obj", CUBE_VERTICES "f 1 2 -9\n", "vertex index -9"},
    {"huge.obj", CUBE_VERTICES "f 1 2 2147483648\n", "vertex index 2147483648"},
    {"huge2.obj", CUBE_VERTICES "f 1 2 4294967297\n", "4294967297"},
    {"huge3.obj", CUBE_VERTICES "f 1 2 99999999999999999999\n", "not a whole number"},
    {"forward.obj", "f 1 2 3\n" CUBE_VERTICES, ":1: vertex index 1: 0 are defined"},
    {"float_index.obj", CUBE_VERTICES "f 1.0 2 3\n", "'1.0' is not a whole number"},
    {"two.obj", CUBE_VERTICES "f 1 2\n", "2 corners"},
    {"no_corner.obj", CUBE_VERTICES "f\n", "0 corners"},
    {"slashes.obj", CUBE_VERTICES "f 1/1/1/1 2 3\n", "more than three indices"},
    {"slash.obj", CUBE_VERTICES "f / 2 3\n", "vertex index ''"},
    {"no_uv.obj", CUBE_VERTICES "f 1/1 2/1 3/1\n", "texture coordinate index 1: 0"},
    {"no_normal.obj", CUBE_VERTICES "f 1//7 2//1 3//1\n", "normal index 7: 0"},
    {"bad_uv.obj", "vt x\n", "u is 'x'"},
    {"bad_v.obj", "vt 0 nan\n", "v is not"},
    {"far_uv.obj", "vt 0 1e30\n", "texture coordinate beyond"},
    {"bad_normal.obj", "vn 0 0\n", "where z should be"},
    {"inf_normal.obj", "vn 0 inf 0\n", "y is inf"},
    {"html.obj", "<!DOCTYPE html>\n<html></html>\n", ":1: unknown statement '<!DOCTYPE'"},
    {"off_inside.obj", "OFF\n8 6 0\n" OFF_VERTICES OFF_FACES, "unknown statement 'OFF'"},
    {"flipped.obj", CUBE_VERTICES "F 1 2 3\n", "unknown statement 'F'"},
    {"json.obj", "{\"v\": [1, 2]}\n", "unknown statement"},
    {"obj_inside.off", CUBE_VERTICES CUBE_FACES, "starts with 'v'"},
    {"magic.off", "OFFF\n8 6 0\n", "starts with 'OFFF'"},
    {"four.off", "4OFF\n8 6 0\n", "starts with '4OFF'"},
    {"n.off", "nOFF\n3\n8 6 0\n", "starts with 'nOFF'"},
    {"lower.off", "off\n8 6 0\n" OFF_VERTICES OFF_FACES, "starts with 'off'"},
    {"binary.off", "OFF BINARY\nxxxx", "binary OFF"},
    {"header.off", "OFF\n", "ends after its header"},
    {"counts.off", "OFF\n8\n", "where the number of faces should be"},
    {"word_count.off", "OFF\neight 6 0\n", "'eight'"},
    {"float_count.off", "OFF\n8.0 6 0\n", "'8.0'"},
    {"negative.off", "OFF\n-8 6 0\n", "number of vertices is -8"},
    {"negative_faces.off", "OFF\n8 -6 0\n", "number of faces is -6"},
    {"many.off", "OFF\n2000000000 6 0\n", "limit"},
    {"many_faces.off", "OFF\n8 99999999999 0\n", "limit"},
    {"endless.off", "OFF\n99999999999999999999999 1 0\n", "not a whole number"},
    {"no_faces.off", "OFF\n8 0 0\n" OFF_VERTICES, "0 triangles"},
    {"few_vertices.off", "OFF\n9 6 0\n0 0 0\n1 0 0\n", "ends after 2 of 9 vertices"},
    {"few_faces.off", "OFF\n8 7 0\n" OFF_VERTICES OFF_FACES, "ends after 6 of 7 faces"},
    {"index.off", "OFF\n8 1 0\n" OFF_VERTICES "3 0 1 8\n", ":11: vertex index 8; there are 8"},
    {"minus.off", "OFF\n8 1 0\n" OFF_VERTICES "3 0 1 -1\n", "vertex index -1"},
    {"huge.off", "OFF\n8 1 0\n" OFF_VERTICES "3 0 1 4294967296\n", "4294967296"},
    {"corners.off", "OFF\n8 1 0\n" OFF_VERTICES "2 0 1\n", "2 corners"},
    {"zero.off", "OFF\n8 1 0\n" OFF_VERTICES "0\n", "0 corners"},
    {"wide.off", "OFF\n8 1 0\n" OFF_VERTICES "100000 0 1 2\n", "100000 corners"},
    {"cut.off", "OFF\n8 1 0\n" OFF_VERTICES "4 0 1 2", "line ends where a vertex index should be"},
    {"nan.off", "OFF\n8 1 0\n0 nan 0\n", ":3: y is nan"},
    {"inf.off", "OFF\n8 1 0\ninf 0 0\n", "x is inf"},
    {"word.off", "OFF\n8 1 0\n0 a 0\n", "y is 'a'"},
    {"short.off", "OFF\n8 1 0\n0 0\n", "where z should be"},
    {"normals.off", "NOFF\n8 1 0\n0 0 0 1 0\n", "5 numbers; 6"},
    {"normal_word.off", "NOFF\n8 1 0\n0 0 0 1 x 0\n", "'x'"},
    {"vertices_short.off", "OFF\n10 6 0\n" OFF_VERTICES OFF_FACES "\n", "ends after 4 of 6 faces"},
};
enum { badCount = sizeof(badFiles) / sizeof(badFiles[0]) };

static void expectRefusal(const char* name, shStatus status, const TriMesh* mesh, const char* text, const char* words)
{
    if (status == shOk)
        fail_msg("%s was accepted", name);
    assert_null(mesh->vertices);
    if (strstr(text, name) == NULL || strstr(text, words) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", name, text, words);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
}

static void damagedFilesAreRefusedWithPlaceAndReason(void** state)
{
    (void)state;
    assert_true(badCount >= 60);
    for (int i = 0; i < badCount; ++i) {
        TriMesh mesh;
        shMessage message = {0};
        shStatus status = readText(badFiles[i].name, badFiles[i].text, &mesh, NULL, &message);
        expectRefusal(badFiles[i].name, status, &mesh, message.text, badFiles[i].words);
    }
}

static void binaryAndMissingFilesAreRefused(void** state)
{
    (void)state;
    TriMesh mesh;
    shMessage message = {0};
    shStatus status = cookReadMesh(context,
                                   writeBytes("elf.obj",
                                              "v 0 0 0\n\x7f"
                                              "ELF\x02\x01\x01\0\0\0",
                                              19),
                                   &mesh, NULL, &message);
    expectRefusal("elf.obj", status, &mesh, message.text, ":2: byte 12 is 0x02: this is not a text file");
    status = cookReadMesh(context, writeBytes("zero.off", "OFF\0008 6 0\n", 11), &mesh, NULL, &message);
    expectRefusal("zero.off", status, &mesh, message.text, "0x00");
    status = cookReadMesh(context, writeBytes("a.pdf", "solid\n", 6), &mesh, NULL, &message);
    expectRefusal("a.pdf", status, &mesh, message.text, "extension");
    status = cookReadMesh(context, "/nowhere/at/all.obj", &mesh, NULL, &message);
    expectRefusal("/nowhere/at/all.obj", status, &mesh, message.text, "No such file");
    assert_int_equal(status, shNoFile);
    status = cookReadMesh(context, "/.obj", &mesh, NULL, &message);
    assert_int_equal(status, shNoFile);
}

// Every cut and thousands of changed bytes: accepted or refused, but always sound and without a leak.
static void randomDamageNeverCrashes(void** state)
{
    (void)state;
    static const char* const good[2] = {CUBE_VERTICES "vt 0 1\nvn 0 0 1\nusemtl a\nf 1/1/1 4 3 2\n" CUBE_FACES,
                                        "OFF\n8 6 0\n" OFF_VERTICES OFF_FACES};
    static const char* const names[2] = {"damaged.obj", "damaged.off"};
    Random random = randomSeed(11);
    int refused = 0, trials = 0;
    for (int kind = 0; kind < 2; ++kind) {
        size_t size = strlen(good[kind]);
        for (int trial = 0; trial < 400; ++trial) {
            char bytes[512];
            memcpy(bytes, good[kind], size);
            size_t kept = trial < (int)size ? (size_t)trial + 1 : size;
            for (int i = 0; trial >= (int)size && i < 3; ++i)
                bytes[randomBelow(&random, (int)size)] = (char)randomBelow(&random, 256);
            TriMesh mesh;
            shMessage message = {0};
            shStatus status = cookReadMesh(context, writeBytes(names[kind], bytes, kept), &mesh, NULL, &message);
            refused += status != shOk;
            ++trials;
            assert_true((status == shOk) == (message.text[0] == '\0'));
            triMeshFree(&mesh, &context->memory);
            assert_int_equal(shContext_GetMemory(context).bytes, 0);
        }
    }
    assert_true(refused > trials / 4);
}

typedef struct Budget {
    int left;
} Budget;

static void* budgetAlloc(size_t bytes, void* user)
{
    Budget* budget = user;
    return budget->left-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void budgetRelease(void* block, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(block);
}

static void everyFailedAllocationIsReported(void** state)
{
    (void)state;
    const char* path =
        writeBytes("m.obj", CUBE_VERTICES "vt 0 1\nvn 0 0 1\nusemtl a\n" CUBE_FACES "usemtl b\nf 1/1/1 2 3\n",
                   strlen(CUBE_VERTICES "vt 0 1\nvn 0 0 1\nusemtl a\n" CUBE_FACES "usemtl b\nf 1/1/1 2 3\n"));
    int failures = 0;
    for (int allowed = 1; allowed < 200; ++allowed) {
        Budget budget = {allowed};
        shContextDef def = shDefaultContextDef();
        def.allocator = (shAllocator){budgetAlloc, budgetRelease, &budget};
        shContext* poor;
        if (shCreateContext(&def, &poor, NULL) != shOk)
            continue;
        TriMesh mesh;
        SlotNames names = {0};
        shStatus status = cookReadMesh(poor, path, &mesh, &names, NULL);
        assert_true(status == shOk || status == shOutOfMemory);
        failures += status == shOutOfMemory;
        triMeshFree(&mesh, &poor->memory);
        slotNamesFree(&names, &poor->memory);
        assert_int_equal(shDestroyContext(poor), 0);
    }
    assert_true(failures > 5 && failures < 150);
}

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    strcpy(folder, "/tmp/sherd-readers-XXXXXX");
    return shCreateContext(&def, &context, NULL) != shOk || mkdtemp(folder) == NULL;
}

static int tearDown(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command) != 0 || shDestroyContext(context) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theSameCubeComesFromManySpellings),
        cmocka_unit_test(lineEndsMayBeOfAnyKind),
        cmocka_unit_test(verticesSplitAtSeamsAreJoined),
        cmocka_unit_test(twoClosedShellsThatTouchStayApart),
        cmocka_unit_test(uvsNormalsAndMaterialsComeThrough),
        cmocka_unit_test(polygonsAreCutWithoutOverlap),
        cmocka_unit_test(damagedFilesAreRefusedWithPlaceAndReason),
        cmocka_unit_test(binaryAndMissingFilesAreRefused),
        cmocka_unit_test(randomDamageNeverCrashes),
        cmocka_unit_test(everyFailedAllocationIsReported),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

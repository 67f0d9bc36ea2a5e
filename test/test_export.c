// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "sherd/export.h"

#include "core/random.h"
#include "core/vec.h"
#include "core/weld.h"
#include "io/buffer.h"
#include "io/gltf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static shContext* context;
static Memory memory;
static char folder[64];

static int setUp(void** state)
{
    (void)state;
    memInit(&memory, (shAllocator){0});
    shContextDef def = shDefaultContextDef();
    snprintf(folder, sizeof(folder), "/tmp/sherd_test_XXXXXX");
    return mkdtemp(folder) != NULL && shCreateContext(&def, &context, NULL) == shOk ? 0 : 1;
}

static int tearDown(void** state)
{
    (void)state;
    bool clean = rmdir(folder) == 0 && atomic_load(&memory.bytes) == 0;
    return shDestroyContext(context) == 0 && clean ? 0 : 1;
}

static const char* inFolder(const char* name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

// The file as text, ended by a zero; gone from disk afterwards.
static char* takeFile(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(*size + 1);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = 0;
    fclose(file);
    unlink(path);
    return text;
}

// Just enough JSON: values are places in the text, and anything out of grammar fails the test ------------------------

static const char* skipValue(const char* at);

static const char* skipString(const char* at)
{
    assert_true(*at++ == '"');
    for (; *at != '"'; ++at) {
        assert_true((unsigned char)*at >= 0x20);
        if (*at == '\\') {
            ++at;
            assert_non_null(strchr("\"\\/bfnrtu", *at));
            for (int i = 0; *at == 'u' && i < 4; ++i)
                assert_non_null(strchr("0123456789abcdef", at[1 + i]));
        }
    }
    return at + 1;
}

static const char* skipList(const char* at, char close, bool keys)
{
    ++at;
    assert_true(*at != close); // glTF has no empty lists, and we write no empty objects
    for (;; ++at) {
        if (keys) {
            at = skipString(at);
            assert_true(*at++ == ':');
        }
        at = skipValue(at);
        if (*at == close)
            return at + 1;
        assert_true(*at == ',');
    }
}

static const char* skipValue(const char* at)
{
    if (*at == '{')
        return skipList(at, '}', true);
    if (*at == '[')
        return skipList(at, ']', false);
    if (*at == '"')
        return skipString(at);
    char* end;
    assert_true(*at == '-' || (*at >= '0' && *at <= '9'));
    assert_true(isfinite(strtod(at, &end)));
    return end;
}

static const char* member(const char* object, const char* key)
{
    assert_true(*object == '{');
    for (const char* at = object + 1; *at != '}'; at += *at == ',') {
        const char* value = skipString(at) + 1;
        if (strncmp(at + 1, key, strlen(key)) == 0 && at[1 + strlen(key)] == '"')
            return value;
        at = skipValue(value);
    }
    return NULL;
}

static const char* element(const char* list, int index)
{
    const char* at = list + 1;
    for (; index > 0; --index) {
        at = skipValue(at);
        if (*at++ == ']')
            return NULL;
    }
    return at;
}

static int count(const char* list)
{
    int n = 0;
    while (list != NULL && element(list, n) != NULL)
        ++n;
    return n;
}

static int integer(const char* object, const char* key, int missing)
{
    const char* value = member(object, key);
    return value != NULL ? (int)strtol(value, NULL, 10) : missing;
}

// Checking a .glb -----------------------------------------------------------------------------------------------------

typedef struct Glb {
    const char* json;
    const uint8_t* binary;
    int binarySize;
} Glb;

static uint32_t word(const char* bytes, size_t offset)
{
    uint32_t value;
    memcpy(&value, bytes + offset, 4);
    return value;
}

static Glb openGlb(char* file, size_t size)
{
    assert_int_equal(word(file, 0), 0x46546c67);
    assert_int_equal(word(file, 4), 2);
    assert_int_equal(word(file, 8), size);
    uint32_t jsonSize = word(file, 12);
    assert_int_equal(word(file, 16), 0x4e4f534a);
    assert_true(jsonSize % 4 == 0 && 20 + jsonSize <= size);
    Glb glb = {.json = file + 20};
    if (20 + jsonSize < size) {
        glb.binarySize = (int)word(file, 20 + jsonSize);
        assert_int_equal(word(file, 24 + jsonSize), 0x004e4942);
        glb.binary = (const uint8_t*)file + 28 + jsonSize;
        assert_int_equal(28 + jsonSize + (size_t)glb.binarySize, size);
    }
    const char* end = skipValue(glb.json);
    for (; end < file + 20 + jsonSize; ++end)
        assert_true(*end == ' ');
    return glb;
}

// Number k of element i; the accessor's place in the buffer is checked on the way.
static double component(const Glb* glb, int index, int i, int k, int* elementCount, int* width)
{
    const char* accessor = element(member(glb->json, "accessors"), index);
    const char* view = element(member(glb->json, "bufferViews"), integer(accessor, "bufferView", -1));
    bool isFloat = integer(accessor, "componentType", 0) == 5126;
    assert_true(isFloat || integer(accessor, "componentType", 0) == 5125);
    const char* type = member(accessor, "type");
    *width = type[1] == 'S' ? 1 : type[4] - '0';
    *elementCount = integer(accessor, "count", 0);
    int stride = integer(view, "byteStride", 4 * *width), offset = integer(accessor, "byteOffset", 0);
    assert_int_equal(stride, 4 * *width);
    assert_true(offset % 4 == 0 && *elementCount > 0);
    assert_true(offset + stride * *elementCount <= integer(view, "byteLength", 0));
    int start = integer(view, "byteOffset", 0);
    assert_true(start % 4 == 0 && start + integer(view, "byteLength", 0) <= glb->binarySize);
    const uint8_t* bytes = glb->binary + start + offset + stride * i + 4 * k;
    float real;
    uint32_t whole;
    memcpy(&real, bytes, 4);
    memcpy(&whole, bytes, 4);
    return isFloat ? (double)real : (double)whole;
}

// Walks all numbers of an accessor; returns their bounds in one interval, after comparing with min and max per
// component.
static void checkAccessor(const Glb* glb, int index, double* lowest, double* highest)
{
    int n, width;
    component(glb, index, 0, 0, &n, &width);
    const char* accessor = element(member(glb->json, "accessors"), index);
    const char *min = member(accessor, "min"), *max = member(accessor, "max");
    *lowest = INFINITY, *highest = -INFINITY;
    for (int k = 0; k < width; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < n; ++i) {
            double x = component(glb, index, i, k, &n, &width);
            assert_true(isfinite(x));
            lower = minD(lower, x), upper = maxD(upper, x);
        }
        if (min != NULL) { // exactly, as floats
            assert_true((float)strtod(element(min, k), NULL) == (float)lower);
            assert_true((float)strtod(element(max, k), NULL) == (float)upper);
        }
        *lowest = minD(*lowest, lower), *highest = maxD(*highest, upper);
    }
}

static int elementsOf(const Glb* glb, int accessor)
{
    int n, width;
    component(glb, accessor, 0, 0, &n, &width);
    return n;
}

static void checkGlb(char* file, size_t size)
{
    Glb glb = openGlb(file, size);
    double lower, upper;
    assert_int_equal(strncmp(member(member(glb.json, "asset"), "version"), "\"2.0\"", 5), 0);
    const char *nodes = member(glb.json, "nodes"), *meshes = member(glb.json, "meshes");
    int nodeCount = count(nodes), meshCount = count(meshes), materialCount = count(member(glb.json, "materials"));
    int accessorCount = count(member(glb.json, "accessors"));
    const char* roots = member(element(member(glb.json, "scenes"), 0), "nodes");
    assert_int_equal(count(roots), nodeCount);
    assert_int_equal(integer(element(member(glb.json, "buffers"), 0), "byteLength", 0), glb.binarySize);
    for (int i = 0; i < accessorCount; ++i)
        checkAccessor(&glb, i, &lower, &upper);
    for (int i = 0; i < nodeCount; ++i)
        assert_true(integer(element(nodes, i), "mesh", -1) < meshCount);
    for (int i = 0; i < meshCount; ++i) {
        const char* primitives = member(element(meshes, i), "primitives");
        assert_true(count(primitives) > 0);
        for (int k = 0; k < count(primitives); ++k) {
            const char *primitive = element(primitives, k), *attributes = member(primitive, "attributes");
            int position = integer(attributes, "POSITION", -1), normal = integer(attributes, "NORMAL", position);
            int uv = integer(attributes, "TEXCOORD_0", position), vertexCount = elementsOf(&glb, position);
            assert_non_null(member(element(member(glb.json, "accessors"), position), "min"));
            assert_int_equal(elementsOf(&glb, normal), vertexCount);
            assert_int_equal(elementsOf(&glb, uv), vertexCount);
            assert_int_equal(elementsOf(&glb, integer(primitive, "indices", -1)) % 3, 0);
            checkAccessor(&glb, integer(primitive, "indices", -1), &lower, &upper);
            assert_true(upper < vertexCount);
            assert_true(integer(primitive, "material", -1) < materialCount);
        }
    }
    const char* animation = member(glb.json, "animations");
    if (animation == NULL)
        return;
    const char *channels = member(element(animation, 0), "channels"),
               *samplers = member(element(animation, 0), "samplers");
    assert_int_equal(count(channels), count(samplers));
    for (int i = 0; i < count(channels); ++i) {
        assert_true(integer(member(element(channels, i), "target"), "node", nodeCount) < nodeCount);
        const char* sampler = element(samplers, integer(element(channels, i), "sampler", -1));
        int input = integer(sampler, "input", -1), n, width;
        assert_int_equal(elementsOf(&glb, input), elementsOf(&glb, integer(sampler, "output", -1)));
        assert_non_null(member(element(member(glb.json, "accessors"), input), "max"));
        for (int k = 1; k < elementsOf(&glb, input); ++k)
            assert_true(component(&glb, input, k, 0, &n, &width) > component(&glb, input, k - 1, 0, &n, &width));
    }
}

// Scenes --------------------------------------------------------------------------------------------------------------

static const shVec3 points[4] = {{0, 0, 0}, {1.5f, 0, 0}, {0, 0.1f, 0}, {0, 0, -1e-7f}};
static const shVec3 normals[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}};
static const float uvs[4][2] = {{0, 0}, {1, 0}, {0, 1}, {0.25f, 0.75f}};
static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const uint16_t slots[4] = {1, 0, 1, 1};
static const shExportMaterial materials[2] = {
    {.name = "red \"glaze\"", .color = {1, 0, 0, 1}, .metallic = 0, .roughness = 0.25f},
    {.name = "inside\t", .color = {0.5f, 0.5f, 0.5f, 0.5f}, .metallic = 0, .roughness = 1}};
static const float times[3] = {0, 0.5f, 2};
static const shTransform poses[3] = {
    {{0, 0, 0}, {{0, 0, 0}, 1}}, {{0, 1, 0}, {{1, 0, 0}, 0}}, {{3, 0, 0}, {{0, 0.6f, 0}, 0.8f}}};
static const shExportTrack early = {3, times, poses, 0, 1.25f}, late = {3, times, poses, 0.5f, 0};

static const shExportMesh meshes[3] = {{"full", 4, 4, points, normals, uvs, faces, slots},
                                       {"bare", 4, 4, points, NULL, NULL, faces, NULL},
                                       {"lit", 4, 2, points, normals, NULL, faces, slots}};
static const shExportNode nodes[4] = {{"löwe", 0, {{1, 2, 3}, {{0, 0, 0}, 1}}, &early},
                                      {"b", 1, {{0, 0, 0}, {{0, 0.6f, 0}, 0.8f}}, NULL},
                                      {"empty", -1, {{0, 0, 0}, {{0, 0, 0}, 1}}, NULL},
                                      {"c", 2, {{0, 0, 0}, {{0, 0, 0}, 1}}, &late}};

static void glbOfAScene(const shExportScene* scene)
{
    const char* path = inFolder("scene.glb");
    shMessage message = {0};
    size_t size, sizeAgain;
    assert_int_equal(shWriteScene(context, scene, path, &message), shOk);
    char* file = takeFile(path, &size);
    checkGlb(file, size);
    assert_int_equal(shWriteScene(context, scene, path, &message), shOk);
    char* again = takeFile(path, &sizeAgain);
    assert_int_equal(size, sizeAgain);
    assert_memory_equal(file, again, size);
    free(file);
    free(again);
}

static void glbHoldsWhatTheSpecificationAsksFor(void** state)
{
    (void)state;
    glbOfAScene(&(shExportScene){.materialCount = 2,
                                 .meshCount = 3,
                                 .nodeCount = 4,
                                 .materials = materials,
                                 .meshes = meshes,
                                 .nodes = nodes}); // everything
    glbOfAScene(&(shExportScene){.materialCount = 2,
                                 .meshCount = 3,
                                 .nodeCount = 1,
                                 .materials = materials,
                                 .meshes = meshes,
                                 .nodes = &nodes[1]}); // no animation
    shExportNode plain = {"x", 0, poses[0], &late};
    glbOfAScene(&(shExportScene){.materialCount = 0,
                                 .meshCount = 1,
                                 .nodeCount = 1,
                                 .materials = NULL,
                                 .meshes = &meshes[1],
                                 .nodes = &plain}); // neither materials nor UVs
}

static void glbKeepsNamesColoursAndVisibility(void** state)
{
    (void)state;
    Buffer glb = {.memory = &memory};
    shExportScene scene = {
        .materialCount = 2, .meshCount = 3, .nodeCount = 4, .materials = materials, .meshes = meshes, .nodes = nodes};
    assert_int_equal(gltfWrite(&glb, &scene, NULL), shOk);
    Glb parsed = openGlb(glb.bytes.data, (size_t)glb.bytes.count);
    const char* json = parsed.json;
    assert_int_equal(strncmp(member(element(member(json, "nodes"), 0), "name"), "\"löwe\"", 7), 0);
    const char* red = element(member(json, "materials"), 0);
    assert_int_equal(strncmp(member(red, "name"), "\"red \\\"glaze\\\"\"", 15), 0);
    assert_int_equal(strncmp(member(element(member(json, "materials"), 1), "name"), "\"inside\\u0009\"", 14), 0);
    assert_non_null(member(element(member(json, "materials"), 1), "alphaMode"));
    assert_null(member(red, "alphaMode"));
    // full: 4 triangles in two primitives, 1 + 3
    const char* primitives = member(element(member(json, "meshes"), 0), "primitives");
    assert_int_equal(count(primitives), 2);
    assert_int_equal(elementsOf(&parsed, integer(element(primitives, 0), "indices", -1)), 3);
    assert_int_equal(elementsOf(&parsed, integer(element(primitives, 1), "indices", -1)), 9);
    // v turns over
    int n, width, uv = integer(member(element(primitives, 0), "attributes"), "TEXCOORD_0", -1);
    assert_true(component(&parsed, uv, 3, 1, &n, &width) == 0.25);
    // six channels; `early` goes out at 1.25 s, `late` comes in at 0.5 s; the times of the poses are stored once
    const char *animation = element(member(json, "animations"), 0), *samplers = member(animation, "samplers");
    assert_int_equal(count(samplers), 6);
    assert_int_equal(integer(element(samplers, 0), "input", -1), integer(element(samplers, 3), "input", -2));
    for (int i = 0; i < 2; ++i) {
        const char* scale = element(samplers, 2 + 3 * i);
        assert_int_equal(strncmp(member(scale, "interpolation"), "\"STEP\"", 6), 0);
        int input = integer(scale, "input", -1), output = integer(scale, "output", -1);
        assert_int_equal(elementsOf(&parsed, input), 2);
        assert_true(component(&parsed, input, 1, 0, &n, &width) == (i == 0 ? 1.25 : 0.5));
        assert_true(component(&parsed, output, 0, 2, &n, &width) == (i == 0 ? 1.0 : 0.0));
        assert_true(component(&parsed, output, 1, 0, &n, &width) == (i == 0 ? 0.0 : 1.0));
    }
    int turns = integer(element(samplers, 1), "output", -1);
    assert_true(component(&parsed, turns, 2, 3, &n, &width) == (double)0.8f);
    bufferFree(&glb);
}

static void everyModelExportsClosed(void** state)
{
    (void)state;
    for (int m = 0; m < shGetModelCount(); ++m) {
        shCookDef def = shDefaultCookDef();
        def.gridCell = 0.04f; // quick
        shAsset* asset = NULL;
        assert_int_equal(shCookModel(context, shGetModel(m).name, 0.5f, &def, &asset, NULL), shOk);
        shAssetInfo info = shAsset_GetInfo(asset);
        shMessage message = {0};
        size_t size;
        assert_int_equal(shExportAsset(asset, inFolder("m.glb"), &message), shOk);
        char* file = takeFile(inFolder("m.glb"), &size);
        checkGlb(file, size);
        free(file);

        assert_int_equal(shExportAsset(asset, inFolder("m.obj"), &message), shOk);
        file = takeFile(inFolder("m.obj"), &size);
        int vertexCount = 0, faceCount = 0, largest = 0;
        int64_t edges = 0; // each once in each direction: the differences cancel in any sum over directed edges
        for (char* line = strtok(file, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            int v[3], t[3], n[3];
            vertexCount += strncmp(line, "v ", 2) == 0;
            if (sscanf(line, "f %d/%d/%d %d/%d/%d %d/%d/%d", v, t, n, v + 1, t + 1, n + 1, v + 2, t + 2, n + 2) == 9) {
                ++faceCount;
                for (int k = 0; k < 3; ++k) {
                    int64_t a = v[k], b = v[(k + 1) % 3];
                    edges += (a < b ? 1 : -1) * (maxI((int)a, (int)b) * (int64_t)1000003 + minI((int)a, (int)b));
                    largest = maxI(largest, v[k]);
                }
            }
        }
        assert_int_equal(vertexCount, info.surfacePointCount);
        assert_int_equal(largest, vertexCount);
        assert_int_equal(faceCount, info.triangleCount);
        assert_int_equal(edges, 0);
        free(file);
        file = takeFile(inFolder("m.mtl"), &size);
        assert_non_null(strstr(file, "newmtl outside\nKd 0."));
        free(file);
        shDestroyAsset(asset);
    }
}

static void objIsPlacedInTheWorld(void** state)
{
    (void)state;
    shExportScene scene = {
        .materialCount = 2, .meshCount = 3, .nodeCount = 2, .materials = materials, .meshes = meshes, .nodes = nodes};
    size_t size;
    assert_int_equal(shWriteScene(context, &scene, inFolder("s.obj"), NULL), shOk);
    char* obj = takeFile(inFolder("s.obj"), &size);
    assert_non_null(strstr(obj, "mtllib s.mtl\no löwe\nv 1 2 3\nv 2.5 2 3\nv 1 2.1 3\n"));
    assert_non_null(strstr(obj, "vt 0.25 0.75\n"));
    assert_non_null(strstr(obj, "usemtl inside_\nf 1/1/1 3/3/3 2/2/2\nusemtl red_\"glaze\"\nf 1/1/1 2/2/2 4/4/4\n"));
    assert_non_null(strstr(obj, "o b\nv 0 0 0\n"));
    assert_non_null(strstr(obj, "f 5 7 6\n"));
    free(obj);
    free(takeFile(inFolder("s.mtl"), &size));
}

static void refusedScene(const shExportScene* scene, const char* path, const char* reason)
{
    shMessage message = {0};
    shStatus status = shWriteScene(context, scene, inFolder(path), &message);
    assert_int_equal(status, strchr(path, '/') != NULL ? shNoFile : shInvalid);
    if (strstr(message.text, reason) == NULL)
        fail_msg("expected \"%s\", got \"%s\"", reason, message.text);
}

static void senselessScenesAreRefused(void** state)
{
    (void)state;
    shExportScene good = {.materialCount = 2,
                          .meshCount = 3,
                          .nodeCount = 4,
                          .materials = materials,
                          .meshes = meshes,
                          .nodes = nodes},
                  scene = good;
    refusedScene(&good, "a.fbx", "a.fbx: unknown ending");
    refusedScene(&good, "none/a.glb", "none/a.glb: cannot be written");
    scene.nodeCount = 0;
    refusedScene(&scene, "a.glb", "nodes");
    shExportNode node = nodes[1];
    scene = (shExportScene){
        .materialCount = 2, .meshCount = 3, .nodeCount = 1, .materials = materials, .meshes = meshes, .nodes = &node};
    node.mesh = 3;
    refusedScene(&scene, "a.glb", "node 0");
    node = nodes[1], node.pose.q.s = 0.0f;
    refusedScene(&scene, "a.glb", "rotation of length 1");
    node = nodes[1], node.pose.p.x = NAN;
    refusedScene(&scene, "a.glb", "node 0");
    shExportTrack track = early;
    node = nodes[1], node.track = &track;
    track.keyCount = 0;
    refusedScene(&scene, "a.glb", "no keys");
    track = early, track.times = (const float[]){0, 0, 1};
    refusedScene(&scene, "a.glb", "key 1: times must ascend");
    track = early, track.death = INFINITY;
    refusedScene(&scene, "a.glb", "death");
    shExportMesh mesh = meshes[0];
    scene = (shExportScene){
        .materialCount = 2, .meshCount = 1, .nodeCount = 1, .materials = materials, .meshes = &mesh, .nodes = nodes};
    mesh.triangles = (const int[][3]){{0, 1, 2}, {0, 1, 4}, {0, 1, 2}, {0, 1, 2}};
    refusedScene(&scene, "a.glb", "triangle 1: vertex index 4 is out of range");
    mesh = meshes[0], mesh.materials = (const uint16_t[]){0, 1, 2, 0};
    refusedScene(&scene, "a.glb", "triangle 2: material 2 of 2");
    mesh = meshes[0], mesh.positions = (const shVec3[]){{0, 0, 0}, {0, NAN, 0}, {0, 0, 0}, {0, 0, 0}};
    refusedScene(&scene, "a.glb", "vertex 1 is not finite");
    mesh = meshes[0], mesh.triangleCount = 0;
    refusedScene(&scene, "a.glb", "triangles");
}

// Small parts ---------------------------------------------------------------------------------------------------------

static void floatsReadBackAsThemselves(void** state)
{
    (void)state;
    static const struct {
        float x;
        const char* text;
    } known[] = {{0.0f, "0"},
                 {-0.0f, "0"},
                 {1.0f, "1"},
                 {-0.25f, "-0.25"},
                 {1200.0f, "1200"},
                 {0.1f, "0.1"},
                 {1e-4f, "0.0001"},
                 {1.5e-7f, "1.5e-7"},
                 {1e9f, "1e9"},
                 {1e8f, "100000000"},
                 {16777216.0f, "16777216"},
                 {-0.0125f, "-0.0125"},
                 {123456.0f, "123456"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        Buffer text = {.memory = &memory};
        bufferFloat(&text, known[i].x);
        bufferAdd(&text, "", 1);
        assert_string_equal(text.bytes.data, known[i].text);
        bufferFree(&text);
    }
    Random random = randomSeed(3);
    Buffer text = {.memory = &memory};
    for (int i = 0; i < 200000; ++i) {
        uint32_t bits = (uint32_t)randomBits(&random);
        float x;
        memcpy(&x, &bits, 4);
        if (i % 2 == 0)
            x = randomRange(&random, -2.0f, 2.0f);
        if (!isfinite(x))
            continue;
        text.bytes.count = 0;
        bufferFloat(&text, x);
        bufferAdd(&text, "", 1);
        assert_true(strtof(text.bytes.data, NULL) == x);
    }
    bufferFree(&text);
}

static void weldingFindsEqualRows(void** state)
{
    (void)state;
    enum { N = 3000 };
    static uint16_t rows[N][3];
    static int firsts[N], distinct[N];
    Random random = randomSeed(11);
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < 3; ++k)
            rows[i][k] = (uint16_t)randomBelow(&random, 12);
    int found = weldRows(&memory, rows, sizeof(rows[0]), N, firsts, distinct);
    assert_true(found > 0);
    int seen = 0;
    for (int i = 0; i < N; ++i) {
        int twin = 0;
        while (memcmp(rows[twin], rows[i], sizeof(rows[i])) != 0)
            ++twin;
        assert_int_equal(distinct[firsts[i]], twin);
        if (twin == i)
            assert_int_equal(firsts[i], seen++);
    }
    assert_int_equal(found, seen);
}

static void* noMemory(size_t bytes, void* user)
{
    (void)bytes;
    int* left = user;
    return (*left)-- > 0 ? aligned_alloc(64, (bytes + 63) & ~(size_t)63) : NULL;
}

static void giveBack(void* block, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(block);
}

static void writingWithoutMemoryLeavesNothingBehind(void** state)
{
    (void)state;
    shExportScene scene = {
        .materialCount = 2, .meshCount = 3, .nodeCount = 4, .materials = materials, .meshes = meshes, .nodes = nodes};
    for (int kind = 0; kind < 2; ++kind)
        for (int allowed = 1, done = 0; !done; ++allowed) {
            int left = allowed;
            shContextDef def = shDefaultContextDef();
            def.allocator = (shAllocator){noMemory, giveBack, &left};
            shContext* poor;
            assert_int_equal(shCreateContext(&def, &poor, NULL), shOk);
            shStatus status = shWriteScene(poor, &scene, inFolder(kind == 0 ? "a.glb" : "a.obj"), NULL);
            done = status == shOk;
            assert_true(done || status == shOutOfMemory);
            assert_int_equal(shDestroyContext(poor), 0);
            unlink(inFolder("a.mtl"));
        }
    unlink(inFolder("a.glb"));
    unlink(inFolder("a.obj"));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setUp, tearDown)
    const struct CMUnitTest tests[] = {
        TEST(glbHoldsWhatTheSpecificationAsksFor),
        TEST(glbKeepsNamesColoursAndVisibility),
        TEST(everyModelExportsClosed),
        TEST(objIsPlacedInTheWorld),
        TEST(senselessScenesAreRefused),
        TEST(floatsReadBackAsThemselves),
        TEST(weldingFindsEqualRows),
        TEST(writingWithoutMemoryLeavesNothingBehind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Reading .glb: what our own writer makes, what others make, and what nobody should.
#include "io/gltf.h"
#include "render/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static shContext* openContext(void)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = 1;
    shContext* context = NULL;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    return context;
}

static void closeContext(shContext* context) { assert_int_equal(shDestroyContext(context), 0); }

// A .glb around a JSON text (with ' for ") and some floats.
typedef struct Glb {
    uint8_t bytes[8192];
    size_t size;
} Glb;

static void put32(Glb* glb, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        glb->bytes[glb->size++] = (uint8_t)(value >> (8 * i));
}

static Glb makeGlb(const char* json, const float* numbers, int count)
{
    Glb glb = {.size = 0};
    size_t length = strlen(json), padded = (length + 3) / 4 * 4, binary = (size_t)count * sizeof(float);
    put32(&glb, 0x46546c67u);
    put32(&glb, 2);
    put32(&glb, (uint32_t)(28 + padded + binary));
    put32(&glb, (uint32_t)padded);
    put32(&glb, 0x4e4f534au);
    for (size_t i = 0; i < padded; ++i)
        glb.bytes[glb.size++] = i >= length ? ' ' : json[i] == '\'' ? '"' : (uint8_t)json[i];
    put32(&glb, (uint32_t)binary);
    put32(&glb, 0x004e4942u);
    if (count > 0)
        memcpy(glb.bytes + glb.size, numbers, binary);
    glb.size += binary;
    return glb;
}

// Two triangles of different materials on a moving node, born late, beside one that stands still.
static Buffer writeOwn(shContext* context)
{
    static const shVec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const shVec3 normals[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const float uvs[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const uint16_t slots[2] = {0, 1};
    static const float times[2] = {0.0f, 2.0f};
    static const shTransform poses[2] = {{{0, 0, 0}, {{0, 0, 0}, 1}}, {{4, 0, 0}, {{0, 0, 1}, 0}}};
    static const shExportTrack track = {2, times, poses, 0.5f, 1.5f};
    static const shExportMaterial materials[2] = {
        {.name = "glaze", .color = {0.5f, 0.25f, 0.125f, 1.0f}, .metallic = 0.0f, .roughness = 0.4f},
        {.name = "glass", .color = {0.9f, 0.9f, 0.9f, 0.25f}, .metallic = 0.0f, .roughness = 0.1f}};
    static const shExportMesh mesh = {"pair", 4, 2, positions, normals, uvs, triangles, slots};
    static const shExportNode nodes[2] = {{"still", 0, {{0, 3, 0}, {{0, 0, 0}, 1}}, NULL},
                                          {"moving", 0, {{0, 0, 0}, {{0, 0, 0}, 1}}, &track}};
    shExportScene scene = {
        .materialCount = 2, .meshCount = 1, .nodeCount = 2, .materials = materials, .meshes = &mesh, .nodes = nodes};
    Buffer glb = {.memory = &context->memory};
    assert_int_equal(gltfWrite(&glb, &scene, NULL), shOk);
    return glb;
}

static void ownFilesComeBack(void** state)
{
    (void)state;
    shContext* context = openContext();
    Buffer glb = writeOwn(context);
    Scene scene;
    shMessage message = {{0}};
    assert_int_equal(sceneRead(&scene, context, glb.bytes.data, (size_t)glb.bytes.count, "own", &message), shOk);
    assert_int_equal(scene.nodes.count, 2);
    assert_int_equal(scene.parts.count, 2);
    assert_int_equal(scene.triangles.count, 2);
    assert_int_equal(scene.materials.count, 3);
    assert_float_equal(scene.materials.data[0].color.y, 0.25f, 0.0f);
    assert_float_equal(scene.materials.data[0].opacity, 1.0f, 0.0f);
    assert_float_equal(scene.materials.data[1].opacity, 0.25f, 0.0f);
    assert_float_equal(scene.duration, 2.0f, 0.0f);
    Affine worlds[2];
    scenePose(&scene, 1.0f, worlds);
    assert_false(affineIsFlat(worlds[1]));
    Vec3 p = affinePoint(worlds[1], vec3(1.0f, 0.0f, 0.0f)); // half way: two along x, a quarter turn about z
    assert_float_equal(p.x, 2.0f, 1.0e-5f);
    assert_float_equal(p.y, 1.0f, 1.0e-5f);
    p = affinePoint(worlds[0], vec3(1.0f, 0.0f, 0.0f));
    assert_float_equal(p.y, 3.0f, 0.0f);
    scenePose(&scene, 0.25f, worlds);
    assert_true(affineIsFlat(worlds[1])); // not born
    scenePose(&scene, 1.75f, worlds);
    assert_true(affineIsFlat(worlds[1])); // gone
    sceneFree(&scene);
    bufferFree(&glb);
    closeContext(context);
}

#define TRIANGLE                                                                                                       \
    "'buffers':[{'byteLength':36}],'bufferViews':[{'buffer':0,'byteLength':36}],"                                      \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void treesMatricesAndFlatFaces(void** state)
{
    (void)state;
    shContext* context = openContext();
    Glb glb = makeGlb("{" TRIANGLE "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'scene':0,"
                      "'scenes':[{'nodes':[1]}],'nodes':[{'mesh':0,'translation':[1,0,0],'name':'ground'},"
                      "{'children':[0,2],'matrix':[2,0,0,0,0,2,0,0,0,0,2,0,0,5,0,1]},{'mesh':0},{'mesh':0}]}",
                      corners, 9);
    Scene scene;
    shMessage message = {{0}};
    assert_int_equal(sceneRead(&scene, context, glb.bytes, glb.size, "tree", &message), shOk);
    assert_int_equal(scene.nodes.count, 3); // node 3 is not in the scene
    assert_int_equal(scene.nodes.data[0].parent, -1);
    assert_true(scene.nodes.data[1].isGround);
    Affine worlds[3];
    scenePose(&scene, 0.0f, worlds);
    Vec3 p = affinePoint(worlds[1], vec3(0.0f, 1.0f, 0.0f));
    assert_float_equal(p.x, 2.0f, 0.0f);
    assert_float_equal(p.y, 7.0f, 0.0f);
    float ground;
    assert_int_equal(sceneGround(&scene, &ground, NULL), shOk);
    assert_float_equal(ground, 7.0f, 0.0f);
    const Part* part = &scene.parts.data[0];
    int corner = part->firstVertex + scene.triangles.data[part->firstTriangle][1];
    assert_float_equal(scene.normals.data[corner].z, 1.0f, 0.0f); // made up: the face's own
    assert_float_equal(scene.positions.data[corner].x, 1.0f, 0.0f);
    sceneFree(&scene);
    closeContext(context);
}

static void stripsFansAndShortIndices(void** state)
{
    (void)state;
    static const char* const modes[2] = {"5", "6"};
    static const int expected[2][2][3] = {{{0, 1, 2}, {1, 3, 2}}, {{1, 2, 0}, {2, 3, 0}}};
    shContext* context = openContext();
    for (int mode = 0; mode < 2; ++mode) {
        float numbers[26] = {0};
        for (int i = 0; i < 4; ++i) {
            numbers[3 * i] = (float)(i & 1);
            numbers[3 * i + 1] = (float)(i >> 1);
            numbers[12 + 3 * i + 2] = 1.0f;
        }
        const uint16_t indices[4] = {0, 1, 2, 3};
        memcpy(numbers + 24, indices, sizeof(indices));
        char json[1024];
        snprintf(json, sizeof(json),
                 "{'bufferViews':[{'buffer':0,'byteLength':104}],'accessors':["
                 "{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"
                 "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':4,'type':'VEC3'},"
                 "{'bufferView':0,'byteOffset':96,'componentType':5123,'count':4,'type':'SCALAR'}],"
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1},'indices':2,'mode':%s}]}],"
                 "'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}]}",
                 modes[mode]);
        Glb glb = makeGlb(json, numbers, 26);
        Scene scene;
        shMessage message = {{0}};
        assert_int_equal(sceneRead(&scene, context, glb.bytes, glb.size, "strip", &message), shOk);
        assert_int_equal(scene.triangles.count, 2);
        assert_memory_equal(scene.triangles.data, expected[mode], sizeof(expected[mode]));
        sceneFree(&scene);
    }
    closeContext(context);
}

static void cubicKeysFollowHermite(void** state)
{
    (void)state;
    // Times 0 and 2; x(0) = 1 leaving with slope 3, x(2) = 5 arriving with slope −1.
    const float numbers[20] = {0, 2, 0, 0, 0, 1, 0, 0, 3, 0, 0, -1, 0, 0, 5, 0, 0, 0, 0, 0};
    shContext* context = openContext();
    Glb glb = makeGlb("{'bufferViews':[{'buffer':0,'byteLength':80}],'accessors':["
                      "{'bufferView':0,'componentType':5126,'count':2,'type':'SCALAR'},"
                      "{'bufferView':0,'byteOffset':8,'componentType':5126,'count':6,'type':'VEC3'}],"
                      "'scenes':[{'nodes':[0]}],'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':1,"
                      "'interpolation':'CUBICSPLINE'}],'channels':[{'sampler':0,'target':{'node':0,"
                      "'path':'translation'}}]}]}",
                      numbers, 20);
    Scene scene;
    shMessage message = {{0}};
    assert_int_equal(sceneRead(&scene, context, glb.bytes, glb.size, "cubic", &message), shOk);
    for (int i = 0; i <= 16; ++i) {
        float time = 0.125f * (float)i, t = time / 2.0f;
        // The cubic with those ends, by its power basis.
        float d = 5.0f - 1.0f, m0 = 6.0f, m1 = -2.0f;
        float x = 1.0f + t * (m0 + t * ((3.0f * d - 2.0f * m0 - m1) + t * (m0 + m1 - 2.0f * d)));
        Affine world;
        scenePose(&scene, time, &world);
        assert_float_equal(world.p.x, x, 1.0e-5f);
    }
    sceneFree(&scene);
    closeContext(context);
}

static void turnsGoTheShortWay(void** state)
{
    (void)state;
    // From no turn to a quarter turn about z, the latter written with the opposite sign.
    const float half = 0.70710678f, numbers[10] = {0, 1, 0, 0, 0, 1, 0, 0, -half, -half};
    shContext* context = openContext();
    Glb glb = makeGlb("{'bufferViews':[{'buffer':0,'byteLength':40}],'accessors':["
                      "{'bufferView':0,'componentType':5126,'count':2,'type':'SCALAR'},"
                      "{'bufferView':0,'byteOffset':8,'componentType':5126,'count':2,'type':'VEC4'}],"
                      "'scenes':[{'nodes':[0]}],'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':1}],"
                      "'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}]}]}",
                      numbers, 10);
    Scene scene;
    shMessage message = {{0}};
    assert_int_equal(sceneRead(&scene, context, glb.bytes, glb.size, "turn", &message), shOk);
    Affine world;
    scenePose(&scene, 0.5f, &world);
    Vec3 p = affinePoint(world, vec3(1.0f, 0.0f, 0.0f));
    assert_float_equal(p.x, half, 1.0e-5f);
    assert_float_equal(p.y, half, 1.0e-5f);
    sceneFree(&scene);
    closeContext(context);
}

static void badFilesAreRefusedWithTheirPlace(void** state)
{
    (void)state;
    static const struct {
        const char *json, *expected;
    } cases[] = {
        {"{", "bad JSON"},
        {"[]", "no scene"},
        {"{'scenes':[{'nodes':[0]}]}", "nodes lists node 0"},
        {"{'scenes':[{'nodes':[0]}],'nodes':[{'children':[0]}]}", "node 0 is reached twice"},
        {"{'scenes':[{'nodes':[0]}],'nodes':[{'children':[1]},{'children':[0]}]}", "node 0 is reached twice"},
        {"{'scenes':[{'nodes':[0]}],'nodes':[{'mesh':7}]}", "node 0: there is no mesh 7"},
        {"{'scenes':[{'nodes':[0]}],'nodes':[{'rotation':[0,0,0,0]}]}", "node 0: its rotation"},
        {"{'extensionsRequired':['KHR_draco_mesh_compression'],'scenes':[{}]}", "KHR_draco_mesh_compression"},
        {"{'meshes':[{'primitives':[{'attributes':{'POSITION':4}}]}]}", "no accessor 4"},
        {"{'meshes':[{'primitives':[{'attributes':{'POSITION':-4}}]}]}", "no accessor -2"},
        {"{" TRIANGLE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'material':3}]}]}", "no material 3"},
        {"{" TRIANGLE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':0}]}]}", "indices must be"},
        {"{'accessors':[{'componentType':5126,'count':1e9,'type':'VEC3'}],"
         "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
         "accessor 0: count"},
        {"{'accessors':[{'componentType':5126,'count':9999,'type':'VEC3'}],"
         "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
         "without a bufferView"},
        {"{'bufferViews':[{'buffer':0,'byteLength':36}],'accessors':[{'bufferView':0,'componentType':5126,"
         "'count':4,'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
         "accessor 0: ends at byte 48 of bufferView 0, which has 36"},
        {"{'bufferViews':[{'buffer':0,'byteOffset':8,'byteLength':36}],'accessors':[{'bufferView':0,"
         "'componentType':5126,'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
         "bufferView 0: ends at byte 44 of the binary chunk, which has 36"},
        {"{'buffers':[{'uri':'x.bin'}],'bufferViews':[{'buffer':0,'byteLength':36}],'accessors':[{'bufferView':0,"
         "'componentType':5126,'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
         "own binary chunk"},
        {"{" TRIANGLE "'scenes':[{'nodes':[0]}],'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':0}],"
         "'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}]}",
         "does not fit the animation"},
        {"{'scenes':[{'nodes':[0]}],'nodes':[{}],'animations':[{'samplers':[],"
         "'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}]}",
         "channel 0: its node or sampler"},
    };
    shContext* context = openContext();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        Glb glb = makeGlb(cases[i].json, corners, 9);
        Scene scene;
        shMessage message = {{0}};
        if (sceneRead(&scene, context, glb.bytes, glb.size, "x.glb", &message) == shOk ||
            strstr(message.text, cases[i].expected) == NULL || strstr(message.text, "x.glb") == NULL)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, message.text, cases[i].expected);
    }
    Scene scene;
    shMessage message = {{0}};
    assert_int_equal(sceneRead(&scene, context, "glTF", 4, "x.glb", &message), shBadFile);
    assert_int_equal(sceneLoad(&scene, context, "/nowhere/x.glb", &message), shNoFile);
    closeContext(context);
}

static void damagedFilesNeverCrash(void** state)
{
    (void)state;
    shContext* context = openContext();
    Buffer glb = writeOwn(context);
    size_t size = (size_t)glb.bytes.count;
    uint8_t* copy = malloc(size);
    assert_non_null(copy);
    uint64_t seed = 7;
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        memcpy(copy, glb.bytes.data, size);
        size_t shown = size;
        for (int k = 0; k < 1 + round % 3; ++k) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(seed >> 33) % size;
            if (round % 5 == 4)
                shown = at;
            else // mostly digits for digits: numbers that are wrong rather than texts that do not parse
                copy[at] =
                    copy[at] >= '0' && copy[at] <= '9' ? (uint8_t)('0' + (seed >> 20) % 10) : (uint8_t)(seed >> 24);
        }
        Scene scene;
        shMessage message = {{0}};
        if (sceneRead(&scene, context, copy, shown, "damaged", &message) == shOk) {
            Affine* worlds = malloc(sizeof(Affine) * (size_t)(scene.nodes.count + 1));
            assert_non_null(worlds);
            scenePose(&scene, 1.0f, worlds);
            free(worlds);
        } else {
            assert_true(strlen(message.text) > 10);
            ++refused;
        }
        sceneFree(&scene);
    }
    assert_true(refused > 1000);
    free(copy);
    bufferFree(&glb);
    closeContext(context);
}

typedef struct Purse {
    int left;
} Purse;

static void* spend(size_t bytes, void* user)
{
    Purse* purse = user;
    return purse->left-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void giveBack(void* memory, size_t bytes, void* user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

static void runningOutOfMemoryLeavesNothing(void** state)
{
    (void)state;
    shContext* writer = openContext();
    Buffer glb = writeOwn(writer);
    int failures = 0;
    for (int allowed = 0;; ++allowed) {
        Purse purse = {1 << 20};
        shContextDef def = shDefaultContextDef();
        def.workerCount = 1;
        def.allocator = (shAllocator){spend, giveBack, &purse};
        shContext* context = NULL;
        assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
        purse.left = allowed;
        Scene scene;
        shStatus status = sceneRead(&scene, context, glb.bytes.data, (size_t)glb.bytes.count, "own", NULL);
        sceneFree(&scene);
        closeContext(context);
        if (status == shOk)
            break;
        assert_int_equal(status, shOutOfMemory);
        ++failures;
    }
    assert_true(failures > 5);
    bufferFree(&glb);
    closeContext(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ownFilesComeBack),          cmocka_unit_test(treesMatricesAndFlatFaces),
        cmocka_unit_test(stripsFansAndShortIndices), cmocka_unit_test(cubicKeysFollowHermite),
        cmocka_unit_test(turnsGoTheShortWay),        cmocka_unit_test(badFilesAreRefusedWithTheirPlace),
        cmocka_unit_test(damagedFilesNeverCrash),    cmocka_unit_test(runningOutOfMemoryLeavesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Films, read back from their .glb: at every moment what is shown is what there is. The volume of all that is seen
// stays, whatever breaks, and in the end everything is where the world has it, to the bit.
#include "cook/process.h"
#include "sherd/film.h"
#include "test/world_scene.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Glb {
    char* bytes;
    const char* binary;
    json_t* json;
} Glb;

static Glb glbOpen(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    Glb glb = {.bytes = malloc((size_t)size)};
    assert_non_null(glb.bytes);
    assert_int_equal(fread(glb.bytes, 1, (size_t)size, file), size);
    fclose(file);
    uint32_t length;
    memcpy(&length, glb.bytes + 12, 4);
    glb.json = json_loadb(glb.bytes + 20, length, 0, NULL);
    assert_non_null(glb.json);
    glb.binary = glb.bytes + 20 + length + 8;
    return glb;
}

static void glbClose(Glb* glb)
{
    json_decref(glb->json);
    free(glb->bytes);
}

static int numberIn(const json_t* object, const char* key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static const void* accessor(const Glb* glb, int index, int* count)
{
    const json_t* a = json_array_get(json_object_get(glb->json, "accessors"), (size_t)index);
    const json_t* view = json_array_get(json_object_get(glb->json, "bufferViews"), (size_t)numberIn(a, "bufferView"));
    *count = numberIn(a, "count");
    return glb->binary + numberIn(view, "byteOffset") + numberIn(a, "byteOffset");
}

// The channel of a node; false: it has none.
static bool channelOf(const Glb* glb, int node, const char* path, const float** times, const float** values, int* count)
{
    const json_t* animation = json_array_get(json_object_get(glb->json, "animations"), 0);
    size_t i;
    const json_t* channel;
    json_array_foreach(json_object_get(animation, "channels"), i, channel)
    {
        const json_t* target = json_object_get(channel, "target");
        if (numberIn(target, "node") != node || strcmp(json_string_value(json_object_get(target, "path")), path) != 0)
            continue;
        const json_t* sampler =
            json_array_get(json_object_get(animation, "samplers"), (size_t)numberIn(channel, "sampler"));
        *times = accessor(glb, numberIn(sampler, "input"), count);
        *values = accessor(glb, numberIn(sampler, "output"), count);
        return true;
    }
    return false;
}

static bool isShown(const Glb* glb, int node, double time)
{
    const float *times, *values;
    int count;
    if (!channelOf(glb, node, "scale", &times, &values, &count))
        return true;
    bool shown = true;
    for (int i = 0; i < count && (double)times[i] <= time + 1e-6; ++i)
        shown = values[3 * i] > 0.5f;
    return shown;
}

// The volume a mesh encloses.
static double volumeOf(const Glb* glb, int mesh)
{
    double sum = 0.0;
    size_t k;
    const json_t *part, *made = json_array_get(json_object_get(glb->json, "meshes"), (size_t)mesh);
    json_array_foreach(json_object_get(made, "primitives"), k, part)
    {
        int count, indexCount;
        const json_t* index =
            json_array_get(json_object_get(glb->json, "accessors"), (size_t)numberIn(part, "indices"));
        bool wide = numberIn(index, "componentType") == 5125;
        const float* p = accessor(glb, numberIn(json_object_get(part, "attributes"), "POSITION"), &count);
        const void* indices = accessor(glb, numberIn(part, "indices"), &indexCount);
        for (int t = 0; t + 2 < indexCount; t += 3) {
            DVec3 v[3];
            for (int c = 0; c < 3; ++c) {
                const float* at =
                    p + 3 * (size_t)(wide ? ((const uint32_t*)indices)[t + c] : ((const uint16_t*)indices)[t + c]);
                v[c] = dvec3((double)at[0], (double)at[1], (double)at[2]);
            }
            sum += dDot(v[0], dCross(v[1], v[2])) / 6.0;
        }
    }
    return sum;
}

static double shownVolume(const Glb* glb, double time, int* shown)
{
    double sum = 0.0;
    size_t i;
    const json_t* node;
    *shown = 0;
    json_array_foreach(json_object_get(glb->json, "nodes"), i, node)
    {
        if (!isShown(glb, (int)i, time))
            continue;
        ++*shown;
        if (strcmp(json_string_value(json_object_get(node, "name")), "ground") != 0)
            sum += volumeOf(glb, numberIn(node, "mesh"));
    }
    return sum;
}

static void poseAtEnd(const Glb* glb, int node, shTransform* pose)
{
    const json_t* object = json_array_get(json_object_get(glb->json, "nodes"), (size_t)node);
    float* parts[2] = {&pose->p.x, &pose->q.v.x};
    static const char* const names[] = {"translation", "rotation"};
    for (int k = 0; k < 2; ++k) {
        const float *times, *values;
        int count, size = 3 + k;
        if (channelOf(glb, node, names[k], &times, &values, &count))
            memcpy(parts[k], values + size * (count - 1), sizeof(float) * (size_t)size);
        else
            for (int c = 0; c < size; ++c)
                parts[k][c] = (float)json_number_value(json_array_get(json_object_get(object, names[k]), (size_t)c));
    }
}

// A wall held at its foot and a brick above it. Both are broken, the wall twice; films take 30 frames a second of
// steps that do not fit.
static void whatIsShownIsWhatThereIs(void** state)
{
    (void)state;
    Scene scene = sceneMake("brick");
    shMessage message = {""};
    sceneGround(&scene, qIdentity(), 0.5f);
    shFractureDef fracture = shDefaultFractureDef(shUniformPattern);
    shAnchor anchor = {.type = shHalfSpaceAnchor, .point = {0.0f, 0.01f, 0.0f}, .normal = {0.0f, 1.0f, 0.0f}};
    fracture.anchors = &anchor;
    fracture.anchorCount = 1;
    shBodyDef held = scenePiece(&scene, vec3(0.0f, 0.0f, 0.0f));
    held.type = shStaticBody;
    held.fracture = &fracture;
    shBodyId wall = sceneAdd(&scene, held), brick = sceneAdd(&scene, scenePiece(&scene, vec3(0.02f, 0.2f, 0.0f)));

    shFilm* film;
    sceneCheck(shCreateFilm(scene.context, 30.0, &film, &message), &message);
    sceneCheck(shFilm_Record(film, scene.world, 0.0, &message), &message);
    const double dt = 0.014;
    enum { steps = 50 };
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = 6;
    for (int i = 0; i < steps; ++i) {
        shImpact impact = shDefaultImpact(vec3(0.03f, 0.03f, 0.0f));
        if (i == 10 || i == 30)
            sceneCheck(shBody_Break(scene.world, wall, &pattern, &impact, NULL, &message), &message);
        if (i == 17)
            sceneCheck(shBody_Break(scene.world, brick, &pattern, &impact, NULL, &message), &message);
        sceneCheck(shWorld_Step(scene.world, (float)dt, &message), &message);
        sceneCheck(shFilm_Record(film, scene.world, (i + 1) * dt, &message), &message);
    }
    char folder[256], path[300];
    assert_true(makeFolder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/film.glb", folder);
    sceneCheck(shFilm_Write(film, path, &message), &message);
    Glb glb = glbOpen(path);

    double whole = 0.0;
    int shown, last = 0;
    for (int i = 0; i <= steps; ++i) {
        double seen = shownVolume(&glb, i * dt, &shown);
        whole = i == 0 ? seen : whole;
        if (fabs(seen - whole) > 1e-5 * whole)
            fail_msg("%.3f s: %.9g m³ are shown, at the start %.9g", i * dt, seen, whole);
        if (shown < last)
            fail_msg("%.3f s: %d bodies are shown, %d before", i * dt, shown, last);
        last = shown;
    }
    int bodies = 0, found = 0;
    for (int i = 0; i < shWorld_GetBodyLimit(scene.world); ++i)
        bodies += shWorld_GetBodyAt(scene.world, i).generation != 0;
    assert_int_equal(shown, bodies);
    assert_true(bodies > 10);

    // Each body has its node, to the bit.
    int nodes = (int)json_array_size(json_object_get(glb.json, "nodes"));
    for (int i = 0; i < shWorld_GetBodyLimit(scene.world); ++i) {
        shBodyId id = shWorld_GetBodyAt(scene.world, i);
        if (id.generation == 0)
            continue;
        shTransform pose = shBody_GetTransform(scene.world, id), there;
        for (int n = 0; n < nodes; ++n) {
            if (!isShown(&glb, n, steps * dt))
                continue;
            poseAtEnd(&glb, n, &there);
            if (memcmp(&there, &pose, sizeof pose) == 0) {
                ++found;
                break;
            }
        }
    }
    assert_int_equal(found, bodies);
    glbClose(&glb);
    removeFolder(folder);
    shDestroyFilm(film);
    sceneFree(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatIsShownIsWhatThereIs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

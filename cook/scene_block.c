// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/scene_block.h"

#include "cook/limits.h"
#include "cook/soup.h"
#include "core/constants.h"
#include "core/message.h"

#include <string.h>

typedef struct Block {
    const uint8_t* at;
    size_t left;
} Block;

// The next `count` elements; null when there are fewer.
static const void* take(Block* block, size_t count, size_t size)
{
    if (size > 0 && count > block->left / size)
        return NULL;
    const void* data = block->at;
    block->at += count * size;
    block->left -= count * size;
    return data;
}

static bool cutShort(Text* text) { return textFail(text, shBadFile, "the importer's result is cut short"); }

static bool readHead(Block* block, Text* text, SceneBlockHead* head)
{
    const void* data = take(block, 1, sizeof *head);
    if (data == NULL)
        return cutShort(text);
    memcpy(head, data, sizeof *head);
    if (head->magic != SCENE_BLOCK_MAGIC || head->vertexCount < 0 || head->triangleCount < 0 ||
        head->materialCount < 0 || head->textureCount < 0 || head->hasCorners > 3)
        return textFail(text, shBadFile, "the importer's result makes no sense");
    if (head->vertexCount > COOK_MAX_VERTICES || head->triangleCount > COOK_MAX_TRIANGLES ||
        head->materialCount > COOK_MAX_SLOTS || head->textureCount > MAX_TEXTURES)
        return textFail(text, shLimit,
                        "%d vertices, %d triangles, %d materials, %d textures; up to %d, %d, %d, %d are read",
                        head->vertexCount, head->triangleCount, head->materialCount, head->textureCount,
                        COOK_MAX_VERTICES, COOK_MAX_TRIANGLES, COOK_MAX_SLOTS, MAX_TEXTURES);
    return true;
}

static bool readVertices(Block* block, Text* text, int count, Soup* soup)
{
    const void* data = take(block, (size_t)count, 3 * sizeof(double));
    if (data == NULL)
        return cutShort(text);
    if (!arrayReserve(text->memory, &soup->vertices, count)) {
        text->status = failMemory(text->message);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        double x[3];
        memcpy(x, (const uint8_t*)data + (size_t)i * sizeof x, sizeof x);
        for (int axis = 0; axis < 3; ++axis)
            if (!(fabs(x[axis]) <= COOK_MAX_COORDINATE))
                return textFail(text, shBadFile, "vertex %d lies at (%g, %g, %g); coordinates go up to %g m", i, x[0],
                                x[1], x[2], COOK_MAX_COORDINATE);
        soup->vertices.data[soup->vertices.count++] = dvec3(x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
    }
    return true;
}

static bool addTriangle(Text* text, const SceneBlockHead* head, const int32_t v[3], const SceneBlockCorner* corners,
                        int group, Soup* soup)
{
    soupClearPolygon(soup);
    for (int k = 0; k < 3; ++k) {
        if (v[k] < 0 || v[k] >= head->vertexCount)
            return textFail(text, shBadFile, "vertex index %d is out of range (there are %d vertices)", v[k],
                            head->vertexCount);
        const float *uv = NULL, *n = NULL;
        Vec3 normal = {0.0f, 0.0f, 0.0f};
        if (corners != NULL && fabsf(corners[k].uv[0]) < 1e6f && fabsf(corners[k].uv[1]) < 1e6f)
            uv = corners[k].uv;
        if (corners != NULL) {
            DVec3 wide =
                dvec3((double)corners[k].normal[0], (double)corners[k].normal[1], (double)corners[k].normal[2]);
            double length = dLength(wide);
            if (length > 1e-6 && length < 1e6) {
                normal = vFromD(dScale(1.0 / length, wide));
                n = corners[k].normal;
            }
        }
        if (!soupAddCorner(soup, text, v[k], uv, n != NULL ? &normal : NULL))
            return false;
    }
    return soupAddPolygon(soup, text, group);
}

static bool readTriangles(Block* block, Text* text, const SceneBlockHead* head, Soup* soup)
{
    size_t count = (size_t)head->triangleCount;
    const uint8_t* triangles = take(block, count, 3 * sizeof(int32_t));
    const uint8_t* corners = head->hasCorners ? take(block, count, 3 * sizeof(SceneBlockCorner)) : NULL;
    const uint8_t* groups = take(block, count, sizeof(uint16_t));
    if (triangles == NULL || (head->hasCorners && corners == NULL) || groups == NULL)
        return cutShort(text);
    for (size_t t = 0; t < count; ++t) {
        int32_t v[3];
        SceneBlockCorner c[3];
        uint16_t group;
        memcpy(v, triangles + t * sizeof v, sizeof v);
        memcpy(&group, groups + t * sizeof group, sizeof group);
        if (corners != NULL)
            memcpy(c, corners + t * sizeof c, sizeof c);
        if (head->materialCount > 0 && group >= head->materialCount)
            return textFail(text, shBadFile, "triangle %zu: material %d of %d", t, group, head->materialCount);
        if (!addTriangle(text, head, v, corners != NULL ? c : NULL, head->materialCount > 0 ? group : 0, soup))
            return false;
    }
    return true;
}

static float share(float x) { return x >= 0.0f && x <= 1.0f ? x : x > 1.0f ? 1.0f : 0.0f; }

static bool readLooks(Block* block, Text* text, const SceneBlockHead* head, Looks* looks)
{
    const uint8_t* materials = take(block, (size_t)head->materialCount, sizeof(SceneBlockMaterial));
    if (materials == NULL)
        return cutShort(text);
    int* numbers = NEW_ZEROED(text->memory, int, (int64_t)head->textureCount + 1); // 0: none
    bool ok = numbers != NULL && looksAlloc(looks, text->memory, head->materialCount);
    if (!ok)
        text->status = failMemory(text->message);
    for (int i = 0; ok && i < head->textureCount; ++i) {
        uint64_t size = 0;
        const void* data = take(block, 1, sizeof size);
        if (data != NULL)
            memcpy(&size, data, sizeof size);
        const void* bytes = data != NULL && size <= block->left ? take(block, (size_t)size, 1) : NULL;
        ok = bytes != NULL || cutShort(text);
        if (ok)
            numbers[i + 1] = looksAddTexture(looks, text->memory, bytes, (size_t)size);
        if (ok && numbers[i + 1] < 0) {
            text->status = failMemory(text->message);
            ok = false;
        }
    }
    for (int i = 0; ok && i < head->materialCount; ++i) {
        SceneBlockMaterial m;
        memcpy(&m, materials + (size_t)i * sizeof m, sizeof m);
        m.name[sizeof m.name - 1] = '\0';
        looks->surfaces[i] = lookPlain(m.name);
        for (int k = 0; k < 4; ++k)
            looks->surfaces[i].color[k] = share(m.color[k]);
        looks->surfaces[i].metallic = share(m.metallic);
        looks->surfaces[i].roughness = share(m.roughness);
        int maps[4];
        for (int k = 0; k < 4; ++k)
            maps[k] = m.maps[k] > 0 && m.maps[k] <= head->textureCount ? numbers[m.maps[k]] : 0;
        looks->maps[i] = (shSurfaceMaps){maps[0], maps[1], maps[2], maps[3]};
    }
    FREE_ARRAY(text->memory, numbers, (int64_t)head->textureCount + 1);
    return ok;
}

void sceneBlockRead(const void* bytes, size_t size, Text* text, TriMesh* mesh, Looks* looks)
{
    Block block = {bytes, size};
    SceneBlockHead head;
    Soup soup = {0};
    *mesh = (TriMesh){0};
    *looks = (Looks){0};
    bool ok = readHead(&block, text, &head) && readVertices(&block, text, head.vertexCount, &soup) &&
              readTriangles(&block, text, &head, &soup) && readLooks(&block, text, &head, looks) &&
              soupFinish(&soup, text, mesh, head.materialCount > 0);
    soupFree(&soup, text->memory);
    if (!ok) {
        triMeshFree(mesh, text->memory);
        looksFree(looks, text->memory);
    }
}

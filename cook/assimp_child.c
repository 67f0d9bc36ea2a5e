// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/assimp_child.h"

#include "cook/limits.h"
#include "cook/scene_block.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Matrix {
    double m[3][4];
} Matrix;

typedef struct Output {
    int file;
    bool failed;
    uint8_t buffer[1 << 16];
    size_t count;
} Output;

// One pass over the node tree for each array of the block.
typedef enum Pass { passCount, passPositions, passTriangles, passCorners, passGroups } Pass;

typedef struct Walk {
    const struct aiScene* scene;
    Output* output;
    Pass pass;
    SceneBlockHead head;
    int64_t vertexCount, triangleCount; // so far
    int depth;
} Walk;

static void flush(Output* out)
{
    for (size_t at = 0; at < out->count && !out->failed;) {
        ssize_t written = write(out->file, out->buffer + at, out->count - at);
        out->failed = written <= 0;
        at += written > 0 ? (size_t)written : 0;
    }
    out->count = 0;
}

static void put(Output* out, const void* data, size_t size)
{
    const uint8_t* from = data;
    while (size > 0 && !out->failed) {
        size_t part = sizeof out->buffer - out->count;
        part = size < part ? size : part;
        memcpy(out->buffer + out->count, from, part);
        out->count += part;
        from += part;
        size -= part;
        if (out->count == sizeof out->buffer)
            flush(out);
    }
}

static Matrix multiply(const Matrix* a, const struct aiMatrix4x4* b)
{
    const double n[4][4] = {{(double)b->a1, (double)b->a2, (double)b->a3, (double)b->a4},
                            {(double)b->b1, (double)b->b2, (double)b->b3, (double)b->b4},
                            {(double)b->c1, (double)b->c2, (double)b->c3, (double)b->c4},
                            {0.0, 0.0, 0.0, 1.0}};
    Matrix product;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            product.m[i][j] = 0.0;
            for (int k = 0; k < 4; ++k)
                product.m[i][j] += k < 3 ? a->m[i][k] * n[k][j] : a->m[i][3] * n[k][j];
        }
    return product;
}

// Mirrored nodes turn triangles over.
static bool mirrors(const Matrix* x)
{
    const double(*m)[4] = x->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0.0;
}

static void putCorner(Walk* w, const struct aiMesh* mesh, unsigned vertex, const Matrix* x)
{
    SceneBlockCorner corner = {{NAN, NAN}, {NAN, NAN, NAN}};
    if (mesh->mTextureCoords[0] != NULL) {
        corner.uv[0] = mesh->mTextureCoords[0][vertex].x;
        corner.uv[1] = mesh->mTextureCoords[0][vertex].y;
    }
    if (mesh->mNormals != NULL) {
        // Normals go by the inverse transpose; up to its size that is the matrix of cofactors.
        struct aiVector3D n = mesh->mNormals[vertex];
        double sign = mirrors(x) ? -1.0 : 1.0;
        for (int i = 0; i < 3; ++i) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            double sum = 0.0;
            const double from[3] = {(double)n.x, (double)n.y, (double)n.z};
            for (int j = 0; j < 3; ++j) {
                int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                sum += (x->m[i1][j1] * x->m[i2][j2] - x->m[i1][j2] * x->m[i2][j1]) * from[j];
            }
            corner.normal[i] = (float)(sign * sum);
        }
        double length2 = 0.0;
        for (int i = 0; i < 3; ++i)
            length2 += (double)corner.normal[i] * (double)corner.normal[i];
        for (int i = 0; i < 3; ++i)
            corner.normal[i] = length2 > 0.0 ? (float)((double)corner.normal[i] / sqrt(length2)) : NAN;
    }
    put(w->output, &corner, sizeof corner);
}

static void walkMesh(Walk* w, const struct aiMesh* mesh, const Matrix* x)
{
    int64_t base = w->vertexCount;
    bool turn = mirrors(x);
    if (w->pass == passCount && mesh->mTextureCoords[0] != NULL)
        w->head.hasCorners |= 1;
    if (w->pass == passCount && mesh->mNormals != NULL)
        w->head.hasCorners |= 2;
    for (unsigned v = 0; w->pass == passPositions && v < mesh->mNumVertices; ++v) {
        double from[3] = {(double)mesh->mVertices[v].x, (double)mesh->mVertices[v].y, (double)mesh->mVertices[v].z};
        double to[3];
        for (int i = 0; i < 3; ++i)
            to[i] = x->m[i][0] * from[0] + x->m[i][1] * from[1] + x->m[i][2] * from[2] + x->m[i][3];
        put(w->output, to, sizeof to);
    }
    for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace* face = &mesh->mFaces[f];
        if (face->mNumIndices != 3)
            continue; // points and lines
        const unsigned v[3] = {face->mIndices[0], face->mIndices[turn ? 2 : 1], face->mIndices[turn ? 1 : 2]};
        if (v[0] >= mesh->mNumVertices || v[1] >= mesh->mNumVertices || v[2] >= mesh->mNumVertices)
            continue;
        ++w->triangleCount;
        int32_t global[3] = {(int32_t)(base + v[0]), (int32_t)(base + v[1]), (int32_t)(base + v[2])};
        uint16_t group = (uint16_t)mesh->mMaterialIndex;
        if (w->pass == passTriangles)
            put(w->output, global, sizeof global);
        else if (w->pass == passGroups)
            put(w->output, &group, sizeof group);
        for (int k = 0; w->pass == passCorners && k < 3; ++k)
            putCorner(w, mesh, v[k], x);
    }
    w->vertexCount += mesh->mNumVertices;
}

static void walkNode(Walk* w, const struct aiNode* node, const Matrix* parent)
{
    if (++w->depth < COOK_MAX_DEPTH && w->triangleCount <= COOK_MAX_TRIANGLES && w->vertexCount <= COOK_MAX_VERTICES) {
        Matrix x = multiply(parent, &node->mTransformation);
        for (unsigned i = 0; i < node->mNumMeshes; ++i)
            if (node->mMeshes[i] < w->scene->mNumMeshes)
                walkMesh(w, w->scene->mMeshes[node->mMeshes[i]], &x);
        for (unsigned i = 0; i < node->mNumChildren; ++i)
            walkNode(w, node->mChildren[i], &x);
    }
    --w->depth;
}

static void walk(Walk* w, Pass pass)
{
    static const Matrix identity = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
    w->pass = pass;
    w->vertexCount = w->triangleCount = 0;
    walkNode(w, w->scene->mRootNode, &identity);
}

// Textures ------------------------------------------------------------------------------------------------------------

typedef struct Textures {
    Looks looks;
    Memory memory;
    const char* path;
} Textures;

// The number plus one of a material's texture, 0: none.
static int textureOf(Textures* t, const struct aiScene* scene, const struct aiMaterial* material,
                     enum aiTextureType type)
{
    struct aiString name;
    if (aiGetMaterialTexture(material, type, 0, &name, NULL, NULL, NULL, NULL, NULL, NULL) != aiReturn_SUCCESS)
        return 0;
    const struct aiTexture* embedded = NULL;
    if (name.data[0] == '*') {
        long index = strtol(name.data + 1, NULL, 10);
        embedded = index >= 0 && index < (long)scene->mNumTextures ? scene->mTextures[index] : NULL;
    }
    for (unsigned i = 0; embedded == NULL && i < scene->mNumTextures; ++i)
        if (scene->mTextures[i]->mFilename.length > 0 && strcmp(scene->mTextures[i]->mFilename.data, name.data) == 0)
            embedded = scene->mTextures[i];
    int number = 0;
    if (embedded != NULL && embedded->mHeight == 0) // a file as it is; width is its size
        number = looksAddTexture(&t->looks, &t->memory, embedded->pcData, embedded->mWidth);
    else if (embedded == NULL && name.data[0] != '*')
        number = looksAddTextureFile(&t->looks, &t->memory, t->path, name.data);
    return number > 0 ? number : 0;
}

static void putMaterial(Output* out, const struct aiScene* scene, const struct aiMaterial* material, Textures* t)
{
    SceneBlockMaterial m = {.color = {0.8f, 0.8f, 0.8f, 1.0f}, .metallic = 0.0f, .roughness = 0.6f};
    struct aiString name;
    if (aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        snprintf(m.name, sizeof m.name, "%s", lookPlain(name.data).name);
    struct aiColor4D color;
    if (aiGetMaterialColor(material, AI_MATKEY_BASE_COLOR, &color) == aiReturn_SUCCESS ||
        aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS) {
        const float rgba[4] = {color.r, color.g, color.b, color.a};
        memcpy(m.color, rgba, sizeof rgba);
    }
    float value;
    if (aiGetMaterialFloatArray(material, AI_MATKEY_METALLIC_FACTOR, &value, NULL) == aiReturn_SUCCESS)
        m.metallic = value;
    if (aiGetMaterialFloatArray(material, AI_MATKEY_ROUGHNESS_FACTOR, &value, NULL) == aiReturn_SUCCESS)
        m.roughness = value;
    m.maps[0] = textureOf(t, scene, material, aiTextureType_BASE_COLOR);
    if (m.maps[0] == 0)
        m.maps[0] = textureOf(t, scene, material, aiTextureType_DIFFUSE);
    m.maps[1] = textureOf(t, scene, material, aiTextureType_NORMALS);
    m.maps[2] = textureOf(t, scene, material, aiTextureType_METALNESS);
    if (m.maps[2] == 0) // where glTF's importer puts it as well
        m.maps[2] = textureOf(t, scene, material, aiTextureType_UNKNOWN);
    m.maps[3] = textureOf(t, scene, material, aiTextureType_EMISSIVE);
    put(out, &m, sizeof m);
}

static int refuse(Output* out, const char* reason)
{
    out->count = 0;
    put(out, reason, strnlen(reason, 400));
    flush(out);
    return 1;
}

int assimpKnows(const char* extension) { return aiIsExtensionSupported(extension) == AI_TRUE; }

int assimpChild(const char* path, int output)
{
    static Output out; // 64 kB
    out = (Output){.file = output};
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene* scene =
        aiImportFileExWithProperties(path, aiProcess_Triangulate | aiProcess_SortByPType, NULL, properties);
    if (scene == NULL || scene->mRootNode == NULL)
        return refuse(&out, scene == NULL ? aiGetErrorString() : "a scene without nodes");
    Walk w = {.scene = scene, .output = &out, .head = {.magic = SCENE_BLOCK_MAGIC}};
    walk(&w, passCount);
    if (w.triangleCount > COOK_MAX_TRIANGLES || w.vertexCount > COOK_MAX_VERTICES ||
        scene->mNumMaterials > COOK_MAX_SLOTS)
        return refuse(&out, "too large: more vertices, triangles or materials than are read");
    w.head.vertexCount = (int32_t)w.vertexCount;
    w.head.triangleCount = (int32_t)w.triangleCount;
    w.head.materialCount = (int32_t)scene->mNumMaterials;
    // Textures are numbered as materials ask for them, so materials are put together first.
    Textures textures = {.path = path};
    memInit(&textures.memory, (shAllocator){0});
    static Output materials;
    materials = (Output){.file = -1};
    uint8_t* held = malloc((size_t)scene->mNumMaterials * sizeof(SceneBlockMaterial) + 1);
    if (held == NULL)
        return refuse(&out, "out of memory");
    for (unsigned i = 0; i < scene->mNumMaterials; ++i) {
        putMaterial(&materials, scene, scene->mMaterials[i], &textures);
        memcpy(held + i * sizeof(SceneBlockMaterial), materials.buffer, sizeof(SceneBlockMaterial));
        materials.count = 0;
    }
    w.head.textureCount = textures.looks.textureCount;
    put(&out, &w.head, sizeof w.head);
    walk(&w, passPositions);
    walk(&w, passTriangles);
    if (w.head.hasCorners)
        walk(&w, passCorners);
    walk(&w, passGroups);
    put(&out, held, (size_t)scene->mNumMaterials * sizeof(SceneBlockMaterial));
    for (int i = 0; i < textures.looks.textureCount; ++i) {
        uint64_t size = textures.looks.textures[i].size;
        put(&out, &size, sizeof size);
        put(&out, textures.looks.textures[i].bytes, (size_t)size);
    }
    flush(&out);
    return out.failed; // memory goes with the process
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Assets of a scene that need nothing but the library.
#include "core/array.h"
#include "core/context.h"
#include "core/message.h"
#include "core/vec.h"
#include "mesh/models.h"
#include "play/play.h"

#include <stdio.h>
#include <string.h>

// A box of cells on the ground, its middle above the origin; five tetrahedra to a cell, turned like a chess board.
static shStatus makeBox(shContext* context, const ScriptAsset* asset, const shCookDef* cook, shAsset** made,
                        shMessage* message)
{
    static const int even[5][4] = {{0, 1, 2, 4}, {1, 3, 2, 7}, {1, 4, 5, 7}, {2, 4, 7, 6}, {1, 2, 4, 7}};
    const float size[3] = {asset->box.x, asset->box.y, asset->box.z};
    int n[3], at = 0, tetCount = 0;
    for (int k = 0; k < 3; ++k)
        n[k] = maxI(1, (int)ceilf(size[k] / asset->cell - 0.01f));
    int nodeCount = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), tetTotal = 5 * n[0] * n[1] * n[2];
    Memory* memory = &context->memory;
    Vec3* nodes = NEW_ARRAY(memory, Vec3, nodeCount);
    int(*tets)[4] = (int(*)[4])memAlloc(memory, sizeof(int[4]) * (size_t)tetTotal);
    for (int z = 0; nodes != NULL && z <= n[2]; ++z)
        for (int y = 0; y <= n[1]; ++y)
            for (int x = 0; x <= n[0]; ++x)
                nodes[at++] = vec3(((float)x / (float)n[0] - 0.5f) * size[0], (float)y / (float)n[1] * size[1],
                                   ((float)z / (float)n[2] - 0.5f) * size[2]);
    for (int c = 0; tets != NULL && c < n[0] * n[1] * n[2]; ++c) {
        int x = c % n[0], y = c / n[0] % n[1], z = c / (n[0] * n[1]);
        int mirror = (x + y + z) % 2; // of the corners along x
        for (int t = 0; t < 5; ++t, ++tetCount)
            for (int k = 0; k < 4; ++k) {
                int corner = even[t][k] ^ mirror;
                tets[tetCount][k] =
                    (x + (corner & 1)) + (n[0] + 1) * ((y + (corner >> 1 & 1)) + (n[1] + 1) * (z + (corner >> 2)));
            }
    }
    shMeshDef mesh = {.vertexCount = nodeCount, .vertices = nodes, .tetCount = tetTotal, .tets = (const int(*)[4])tets};
    shStatus status =
        nodes != NULL && tets != NULL ? shCookAsset(context, &mesh, cook, made, message) : failMemory(message);
    FREE_ARRAY(memory, nodes, nodeCount);
    FREE_ARRAY(memory, tets, tetTotal);
    return status;
}

// What is not moved stays as it is to the bit; adding zero would turn −0 into 0.
static bool isMoved(const ScriptAsset* asset)
{
    return asset->shift.x != 0.0f || asset->shift.y != 0.0f || asset->shift.z != 0.0f;
}

// A model in another size or place: its tetrahedra, with the normals and UVs of its surface.
static shStatus makeScaled(shContext* context, const ScriptAsset* asset, shCookDef* cook, shAsset** made,
                           shMessage* message)
{
    const ModelInfo* model = modelFind(asset->model);
    Memory* memory = &context->memory;
    TetMesh mesh;
    if (model == NULL)
        return fail(message, shInvalid, "there is no model %s", asset->model);
    shStatus status = modelGenerate(model, asset->detail, memory, &mesh, message);
    if (status != shOk)
        return status;
    float(*uvs)[3][2] = (float(*)[3][2])memAlloc(memory, sizeof(float[3][2]) * (size_t)mesh.triangleCount);
    Vec3(*normals)[3] = (Vec3(*)[3])memAlloc(memory, sizeof(Vec3[3]) * (size_t)mesh.triangleCount);
    for (int i = 0; i < mesh.nodeCount; ++i)
        mesh.nodes[i] = vScale(asset->scale, mesh.nodes[i]);
    for (int i = 0; isMoved(asset) && i < mesh.nodeCount; ++i)
        mesh.nodes[i] = vAdd(asset->shift, mesh.nodes[i]);
    for (int i = 0; uvs != NULL && normals != NULL && i < 3 * mesh.triangleCount; ++i) {
        memcpy(uvs[i / 3][i % 3], mesh.corners[i / 3][i % 3].uv, sizeof uvs[0][0]);
        normals[i / 3][i % 3] = mesh.corners[i / 3][i % 3].normal;
    }
    if (cook->material == NULL)
        cook->material = shMaterialPreset(model->material);
    shMeshDef def = {.vertexCount = mesh.nodeCount,
                     .vertices = mesh.nodes,
                     .triangleCount = mesh.triangleCount,
                     .triangles = (const int(*)[3])mesh.triangles,
                     .uvs = (const float(*)[3][2])uvs,
                     .normals = (const shVec3(*)[3])normals,
                     .tetCount = mesh.tetCount,
                     .tets = (const int(*)[4])mesh.tets};
    status = uvs != NULL && normals != NULL ? shCookAsset(context, &def, cook, made, message) : failMemory(message);
    FREE_ARRAY(memory, uvs, mesh.triangleCount);
    FREE_ARRAY(memory, normals, mesh.triangleCount);
    tetMeshFree(&mesh, memory);
    return status;
}

shStatus playMakeAsset(shContext* context, const Script* script, const ScriptAsset* asset, shAsset** made,
                       shMessage* message)
{
    shCookDef cook = shDefaultCookDef();
    cook.name = asset->name;
    cook.material = asset->material != NULL ? shMaterialPreset(asset->material) : NULL;
    if (asset->model != NULL && (asset->scale != 1.0f || isMoved(asset)))
        return makeScaled(context, asset, &cook, made, message);
    if (asset->model != NULL)
        return shCookModel(context, asset->model, asset->detail, &cook, made, message);
    if (asset->file == NULL)
        return makeBox(context, asset, &cook, made, message);
    char path[1024];
    size_t length = strlen(asset->file);
    if (length < 6 || strcmp(asset->file + length - 6, ".sherd") != 0)
        return fail(message, shNoFile, "%.200s: only .sherd files can be loaded here", asset->file);
    snprintf(path, sizeof path, "%s%s", asset->file[0] == '/' ? "" : script->folder, asset->file);
    return shLoadAsset(context, path, made, message);
}

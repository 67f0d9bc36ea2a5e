// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A broken solid as a scene: one node per piece, the inside of the material in its own look.
#include "core/message.h"
#include "io/file.h"
#include "io/obj.h"
#include "sherd/export.h"
#include "solid/solid.h"
#include "solid/textures.h"

#include <stdio.h>
#include <string.h>

#define PIECE_MATERIALS "materials.mtl"
#define PIECE_TEXTURES "texture"

typedef struct PieceExport {
    shPieceMesh mesh;
    uint16_t* materials; // [triangleCount]
    char name[32];
} PieceExport;

static shStatus makePiece(const shSolid* solid, int piece, PieceExport* made, shMessage* message)
{
    shStatus status = shSolid_CreatePieceMesh(solid, piece, &made->mesh, message);
    if (status != shOk)
        return status;
    made->materials = NEW_ARRAY(&solid->asset->context->memory, uint16_t, made->mesh.triangleCount);
    if (made->materials == NULL)
        return failMemory(message);
    for (int t = 0; t < made->mesh.triangleCount; ++t)
        made->materials[t] = (uint16_t)(made->mesh.slots[t] + 1); // the inside is surface 0
    snprintf(made->name, sizeof(made->name), "piece %d", piece);
    return shOk;
}

static void freePiece(const shSolid* solid, PieceExport* made)
{
    FREE_ARRAY(&solid->asset->context->memory, made->materials, made->mesh.triangleCount);
    shSolid_DestroyPieceMesh(solid, &made->mesh);
}

static shExportMesh meshOf(const PieceExport* made)
{
    const shPieceMesh* mesh = &made->mesh;
    return (shExportMesh){made->name,
                          mesh->vertexCount,
                          mesh->triangleCount,
                          mesh->positions,
                          mesh->normals,
                          (const float(*)[2])mesh->uvs,
                          (const int(*)[3])mesh->triangles,
                          made->materials};
}

// The inside first; null when memory runs out.
static shExportMaterial* makeMaterials(const shAsset* asset)
{
    shExportMaterial* materials = NEW_ZEROED(&asset->context->memory, shExportMaterial, asset->surfaceCount + 1);
    for (int i = 0; materials != NULL && i < asset->surfaceCount + 1; ++i) {
        const shSurface* surface = &asset->surfaces[i];
        materials[i] =
            (shExportMaterial){.name = surface->name, .metallic = surface->metallic, .roughness = surface->roughness};
        memcpy(materials[i].color, surface->color, sizeof(surface->color));
        materials[i].maps = shAsset_GetSurfaceMaps(asset, i - 1);
    }
    return materials;
}

shStatus shExportSolid(const shSolid* solid, float explode, const char* path, shMessage* message)
{
    if (solid == NULL || path == NULL || !isfinite(explode))
        return fail(message, shInvalid, "export: give a solid, a path and a finite distance");
    const shAsset* asset = solid->asset;
    Memory* memory = &asset->context->memory;
    int count = fieldPieceCount(&solid->field), surfaceCount = asset->surfaceCount + 1, made = 0;
    PieceExport* pieces = NEW_ZEROED(memory, PieceExport, count);
    shExportMaterial* materials = makeMaterials(asset);
    shExportMesh* meshes = NEW_ZEROED(memory, shExportMesh, count);
    shExportNode* nodes = NEW_ZEROED(memory, shExportNode, count);
    shStatus status = pieces && materials && meshes && nodes ? shOk : failMemory(message);
    Vec3 middle = boxCenter(asset->box);
    for (int i = 0; status == shOk && i < count; ++i) {
        if (!fieldHasPiece(&solid->field, i))
            continue;
        status = makePiece(solid, i, &pieces[made], message);
        meshes[made] = meshOf(&pieces[made]);
        Vec3 away = vScale(explode, vSub(boxCenter(fieldBox(&solid->field, i)), middle));
        nodes[made] =
            (shExportNode){.name = pieces[made].name, .mesh = made, .pose = {away, {{0.0f, 0.0f, 0.0f}, 1.0f}}};
        ++made;
    }
    if (status == shOk) {
        shTexture* textures = assetTextures(asset);
        shExportScene scene = {surfaceCount, made, made, materials, meshes, nodes, asset->textureCount, textures};
        status = asset->textureCount > 0 && textures == NULL ? failMemory(message)
                                                             : shWriteScene(asset->context, &scene, path, message);
        FREE_ARRAY(memory, textures, asset->textureCount);
    }
    for (int i = 0; pieces != NULL && i < count; ++i)
        freePiece(solid, &pieces[i]);
    FREE_ARRAY(memory, pieces, count);
    FREE_ARRAY(memory, materials, surfaceCount);
    FREE_ARRAY(memory, meshes, count);
    FREE_ARRAY(memory, nodes, count);
    return status;
}

static shStatus writeBuffer(Buffer* buffer, const char* path, shStatus status, shMessage* message)
{
    if (status == shOk && buffer->failed)
        status = failMemory(message);
    if (status == shOk)
        status = fileWrite(buffer->memory, path, buffer->bytes.data, (size_t)buffer->bytes.count, message);
    bufferFree(buffer);
    return status;
}

static shStatus writePiece(const shSolid* solid, int piece, const shExportMaterial* materials, const char* path,
                           shMessage* message)
{
    PieceExport made = {0};
    Buffer obj = {.memory = &solid->asset->context->memory};
    shStatus status = makePiece(solid, piece, &made, message);
    if (status == shOk) {
        shExportMesh mesh = meshOf(&made);
        shExportNode node = {.name = made.name, .mesh = 0, .pose = {.q.s = 1.0f}};
        shExportScene scene = {.materialCount = solid->asset->surfaceCount + 1,
                               .meshCount = 1,
                               .nodeCount = 1,
                               .materials = materials,
                               .meshes = &mesh,
                               .nodes = &node};
        status = objWrite(&obj, &scene, PIECE_MATERIALS, message);
    }
    freePiece(solid, &made);
    return writeBuffer(&obj, path, status, message);
}

shStatus shExportPieces(const shSolid* solid, const char* folder, shMessage* message)
{
    if (solid == NULL || folder == NULL)
        return fail(message, shInvalid, "export: give a solid and a folder");
    Memory* memory = &solid->asset->context->memory;
    size_t room = strlen(folder) + 32;
    char* path = memAlloc(memory, room);
    shExportMaterial* materials = makeMaterials(solid->asset);
    shStatus status = path != NULL && materials != NULL ? shOk : failMemory(message);
    if (status == shOk) {
        Buffer mtl = {.memory = memory};
        shTexture* textures = assetTextures(solid->asset);
        shExportScene scene = {.materialCount = solid->asset->surfaceCount + 1,
                               .materials = materials,
                               .textureCount = solid->asset->textureCount,
                               .textures = textures};
        if (scene.textureCount > 0 && textures == NULL)
            status = failMemory(message);
        else
            objWriteMaterials(&mtl, &scene, PIECE_TEXTURES, (int)strlen(PIECE_TEXTURES));
        snprintf(path, room, "%s/" PIECE_MATERIALS, folder);
        status = writeBuffer(&mtl, path, status, message);
        for (int i = 0; i < scene.textureCount && status == shOk; ++i) {
            snprintf(path, room, "%s/" PIECE_TEXTURES "-%d.%s", folder, i,
                     textureExtension(textures[i].bytes, textures[i].size));
            status = fileWrite(memory, path, textures[i].bytes, textures[i].size, message);
        }
        FREE_ARRAY(memory, textures, scene.textureCount);
    }
    for (int i = 0; i < fieldPieceCount(&solid->field) && status == shOk; ++i) {
        if (!fieldHasPiece(&solid->field, i))
            continue;
        snprintf(path, room, "%s/piece-%04d.obj", folder, i);
        status = writePiece(solid, i, materials, path, message);
    }
    FREE_ARRAY(memory, materials, solid->asset->surfaceCount + 1);
    memFree(memory, path, room);
    return status;
}

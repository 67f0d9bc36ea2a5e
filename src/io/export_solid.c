// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A broken solid as a scene: one node per piece, the inside of the material in its own look.
#include "core/message.h"
#include "sherd/export.h"
#include "solid/solid.h"

#include <stdio.h>
#include <string.h>

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

shStatus shExportSolid(const shSolid* solid, float explode, const char* path, shMessage* message)
{
    if (solid == NULL || path == NULL || !isfinite(explode))
        return fail(message, shInvalid, "export: give a solid, a path and a finite distance");
    const shAsset* asset = solid->asset;
    Memory* memory = &asset->context->memory;
    int count = fieldPieceCount(&solid->field), surfaceCount = asset->surfaceCount + 1, made = 0;
    PieceExport* pieces = NEW_ZEROED(memory, PieceExport, count);
    shExportMaterial* materials = NEW_ZEROED(memory, shExportMaterial, surfaceCount);
    shExportMesh* meshes = NEW_ZEROED(memory, shExportMesh, count);
    shExportNode* nodes = NEW_ZEROED(memory, shExportNode, count);
    shStatus status = pieces && materials && meshes && nodes ? shOk : failMemory(message);
    for (int i = 0; status == shOk && i < surfaceCount; ++i) {
        const shSurface* surface = &asset->surfaces[i];
        materials[i] = (shExportMaterial){surface->name, {0}, surface->metallic, surface->roughness};
        memcpy(materials[i].color, surface->color, sizeof(surface->color));
    }
    Vec3 middle = boxCenter(asset->box);
    for (int i = 0; status == shOk && i < count; ++i) {
        if (!fieldHasPiece(&solid->field, i))
            continue;
        status = makePiece(solid, i, &pieces[made], message);
        const shPieceMesh* mesh = &pieces[made].mesh;
        meshes[made] = (shExportMesh){pieces[made].name,
                                      mesh->vertexCount,
                                      mesh->triangleCount,
                                      mesh->positions,
                                      mesh->normals,
                                      (const float(*)[2])mesh->uvs,
                                      (const int(*)[3])mesh->triangles,
                                      pieces[made].materials};
        Vec3 away = vScale(explode, vSub(boxCenter(fieldBox(&solid->field, i)), middle));
        nodes[made] =
            (shExportNode){.name = pieces[made].name, .mesh = made, .pose = {away, {{0.0f, 0.0f, 0.0f}, 1.0f}}};
        ++made;
    }
    if (status == shOk) {
        shExportScene scene = {surfaceCount, made, made, materials, meshes, nodes};
        status = shWriteScene(asset->context, &scene, path, message);
    }
    for (int i = 0; pieces != NULL && i < count; ++i) {
        FREE_ARRAY(memory, pieces[i].materials, pieces[i].mesh.triangleCount);
        shSolid_DestroyPieceMesh(solid, &pieces[i].mesh);
    }
    FREE_ARRAY(memory, pieces, count);
    FREE_ARRAY(memory, materials, surfaceCount);
    FREE_ARRAY(memory, meshes, count);
    FREE_ARRAY(memory, nodes, count);
    return status;
}

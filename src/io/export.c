// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Checks a scene, picks the writer, puts the result on disk; and makes a scene of an asset.
#include "sherd/export.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/vec.h"
#include "core/weld.h"
#include "io/file.h"
#include "io/gltf.h"
#include "io/obj.h"
#include "solid/textures.h"

#include <stdio.h>
#include <string.h>

static bool isPose(shTransform pose)
{
    float length2 = vLength2(pose.q.v) + pose.q.s * pose.q.s;
    return vFinite(pose.p) && fabsf(length2 - 1.0f) <= UNIT_TOLERANCE;
}

static shStatus checkMesh(const shExportScene* scene, int index, shMessage* message)
{
    const shExportMesh* mesh = &scene->meshes[index];
    if (mesh->name == NULL || mesh->vertexCount < 3 || mesh->triangleCount < 1 || mesh->positions == NULL ||
        mesh->triangles == NULL)
        return fail(message, shInvalid, "export: mesh %d needs a name, vertices and triangles", index);
    for (int i = 0; i < mesh->vertexCount; ++i) {
        bool good = vFinite(mesh->positions[i]) && (mesh->normals == NULL || vFinite(mesh->normals[i])) &&
                    (mesh->uvs == NULL || (isfinite(mesh->uvs[i][0]) && isfinite(mesh->uvs[i][1])));
        if (!good)
            return fail(message, shInvalid, "export: mesh %d ('%s'): vertex %d is not finite", index, mesh->name, i);
    }
    for (int i = 0; i < mesh->triangleCount; ++i) {
        for (int k = 0; k < 3; ++k)
            if (mesh->triangles[i][k] < 0 || mesh->triangles[i][k] >= mesh->vertexCount)
                return fail(message, shInvalid, "export: mesh %d ('%s'): triangle %d: vertex index %d is out of range",
                            index, mesh->name, i, mesh->triangles[i][k]);
        if (mesh->materials != NULL && mesh->materials[i] >= maxI(scene->materialCount, 1))
            return fail(message, shInvalid, "export: mesh %d ('%s'): triangle %d: material %d of %d", index, mesh->name,
                        i, mesh->materials[i], scene->materialCount);
    }
    return shOk;
}

static shStatus checkTrack(const shExportNode* node, int index, shMessage* message)
{
    const shExportTrack* track = node->track;
    if (track->keyCount < 1 || track->times == NULL || track->poses == NULL)
        return fail(message, shInvalid, "export: the track of node %d ('%s') has no keys", index, node->name);
    for (int i = 0; i < track->keyCount; ++i)
        if (!isPose(track->poses[i]) || !isfinite(track->times[i]) || (i > 0 && track->times[i] <= track->times[i - 1]))
            return fail(message, shInvalid,
                        "export: the track of node %d ('%s'): key %d: times must ascend, rotations must have length 1",
                        index, node->name, i);
    if (!isfinite(track->birth) || !isfinite(track->death))
        return fail(message, shInvalid, "export: the track of node %d ('%s') has no finite birth and death", index,
                    node->name);
    return shOk;
}

static shStatus checkScene(const shExportScene* scene, shMessage* message)
{
    if (scene->nodeCount < 1 || scene->nodes == NULL || scene->meshCount < 0 || scene->materialCount < 0 ||
        (scene->meshCount > 0 && scene->meshes == NULL) || (scene->materialCount > 0 && scene->materials == NULL))
        return fail(message, shInvalid, "export: the scene needs nodes, and arrays for what it counts");
    for (int i = 0; i < scene->materialCount; ++i) {
        const shExportMaterial* material = &scene->materials[i];
        bool good = material->name != NULL && isfinite(material->metallic) && isfinite(material->roughness);
        for (int k = 0; k < 4; ++k)
            good = good && isfinite(material->color[k]);
        if (!good)
            return fail(message, shInvalid, "export: material %d needs a name and finite numbers", i);
    }
    shSurfaceMaps none = {0};
    shStatus status = texturesCheck(scene->textureCount, scene->textures, 1, &none, message);
    for (int i = 0; i < scene->materialCount && status == shOk; ++i)
        status = texturesCheck(scene->textureCount, scene->textures, 1, &scene->materials[i].maps, message);
    for (int i = 0; i < scene->meshCount && status == shOk; ++i)
        status = checkMesh(scene, i, message);
    for (int i = 0; i < scene->nodeCount && status == shOk; ++i) {
        const shExportNode* node = &scene->nodes[i];
        if (node->name == NULL || node->mesh < -1 || node->mesh >= scene->meshCount || !isPose(node->pose))
            return fail(message, shInvalid,
                        "export: node %d needs a name, a mesh that exists, and a rotation of length 1", i);
        if (node->track != NULL)
            status = checkTrack(node, i, message);
    }
    return status;
}

// The textures of x.obj: x-0.png and so on.
static shStatus writeTextures(Memory* memory, const shExportScene* scene, const char* path, shMessage* message)
{
    size_t room = strlen(path) + 16;
    char* name = memAlloc(memory, room);
    shStatus status = name != NULL ? shOk : failMemory(message);
    for (int i = 0; i < scene->textureCount && status == shOk; ++i) {
        const shTexture* texture = &scene->textures[i];
        snprintf(name, room, "%.*s-%d.%s", (int)strlen(path) - 4, path, i,
                 textureExtension(texture->bytes, texture->size));
        status = fileWrite(memory, name, texture->bytes, texture->size, message);
    }
    memFree(memory, name, room);
    return status;
}

// Text and its neighbours: writes x.obj, x.mtl and textures.
static shStatus writeObj(Memory* memory, const shExportScene* scene, const char* path, shMessage* message)
{
    size_t room = strlen(path) + 1;
    char* library = memAlloc(memory, room);
    if (library == NULL)
        return failMemory(message);
    memcpy(library, path, room);
    memcpy(library + room - 5, ".mtl", 4);
    const char* slash = strrchr(library, '/');
    Buffer obj = {.memory = memory}, mtl = {.memory = memory};
    shStatus status = objWrite(&obj, scene, slash != NULL ? slash + 1 : library, message);
    const char* stem = slash != NULL ? slash + 1 : library;
    objWriteMaterials(&mtl, scene, stem, (int)strlen(stem) - 4);
    if (status == shOk)
        status = writeTextures(memory, scene, path, message);
    if (status == shOk && (obj.failed || mtl.failed))
        status = failMemory(message);
    if (status == shOk && scene->materialCount > 0)
        status = fileWrite(memory, library, mtl.bytes.data, (size_t)mtl.bytes.count, message);
    if (status == shOk)
        status = fileWrite(memory, path, obj.bytes.data, (size_t)obj.bytes.count, message);
    bufferFree(&obj);
    bufferFree(&mtl);
    memFree(memory, library, room);
    return status;
}

static shStatus writeGlb(Memory* memory, const shExportScene* scene, const char* path, shMessage* message)
{
    Buffer glb = {.memory = memory};
    shStatus status = gltfWrite(&glb, scene, message);
    if (status == shOk)
        status = fileWrite(memory, path, glb.bytes.data, (size_t)glb.bytes.count, message);
    bufferFree(&glb);
    return status;
}

static bool endsWith(const char* path, const char* ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcmp(path + length - wanted, ending) == 0;
}

shStatus shWriteScene(shContext* context, const shExportScene* scene, const char* path, shMessage* message)
{
    if (context == NULL || scene == NULL || path == NULL)
        return fail(message, shInvalid, "export: context, scene and path must not be null");
    shStatus status = checkScene(scene, message);
    if (status != shOk)
        return status;
    if (endsWith(path, ".glb"))
        return writeGlb(&context->memory, scene, path, message);
    if (endsWith(path, ".obj"))
        return writeObj(&context->memory, scene, path, message);
    return fail(message, shInvalid, "%s: unknown ending; .glb and .obj can be written", path);
}

// An asset as a scene -------------------------------------------------------------------------------------------------

typedef struct Vertex {
    Vec3 position, normal;
    float uv[2];
} Vertex;

// The boundary with vertices split where UVs or normals differ; arrays of the mesh's own sizes.
typedef struct Split {
    int cornerCount; // 3 per triangle; bounds the number of vertices
    Vertex* corners; // [cornerCount]
    int* indices;    // [cornerCount]
    int* distinct;   // [cornerCount]
    Vec3 *positions, *normals;
    float (*uvs)[2];
} Split;

static void splitFree(Split* split, Memory* memory)
{
    FREE_ARRAY(memory, split->corners, split->cornerCount);
    FREE_ARRAY(memory, split->indices, split->cornerCount);
    FREE_ARRAY(memory, split->distinct, split->cornerCount);
    FREE_ARRAY(memory, split->positions, split->cornerCount);
    FREE_ARRAY(memory, split->normals, split->cornerCount);
    FREE_ARRAY(memory, split->uvs, split->cornerCount);
}

// Returns the number of vertices, −1 when there is no memory.
static int splitVertices(Split* split, Memory* memory, const TetMesh* mesh)
{
    int count = split->cornerCount = 3 * mesh->triangleCount;
    split->corners = NEW_ARRAY(memory, Vertex, count);
    split->indices = NEW_ARRAY(memory, int, count);
    split->distinct = NEW_ARRAY(memory, int, count);
    split->positions = NEW_ARRAY(memory, Vec3, count);
    split->normals = NEW_ARRAY(memory, Vec3, count);
    split->uvs = memAlloc(memory, memBytes((size_t)count, sizeof(*split->uvs)));
    if (split->corners == NULL || split->indices == NULL || split->distinct == NULL || split->positions == NULL ||
        split->normals == NULL || split->uvs == NULL)
        return -1;
    for (int i = 0; i < count; ++i) {
        const Corner* corner = &mesh->corners[i / 3][i % 3];
        split->corners[i] =
            (Vertex){mesh->nodes[mesh->triangles[i / 3][i % 3]], corner->normal, {corner->uv[0], corner->uv[1]}};
    }
    int vertexCount = weldRows(memory, split->corners, sizeof(Vertex), count, split->indices, split->distinct);
    for (int i = 0; i < vertexCount; ++i) {
        const Vertex* vertex = &split->corners[split->distinct[i]];
        split->positions[i] = vertex->position;
        split->normals[i] = vertex->normal;
        memcpy(split->uvs[i], vertex->uv, sizeof(vertex->uv));
    }
    return vertexCount;
}

shStatus shExportAsset(const shAsset* asset, const char* path, shMessage* message)
{
    if (asset == NULL || path == NULL)
        return fail(message, shInvalid, "export: asset and path must not be null");
    Memory* memory = &asset->context->memory;
    shExportMaterial* materials = NEW_ZEROED(memory, shExportMaterial, asset->surfaceCount);
    Split split = {0};
    int vertexCount = splitVertices(&split, memory, &asset->mesh);
    shStatus status = shOk;
    if (materials == NULL || vertexCount < 0) {
        status = failMemory(message);
    } else {
        for (int i = 0; i < asset->surfaceCount; ++i) {
            const shSurface* surface = &asset->surfaces[1 + i];
            materials[i] = (shExportMaterial){
                .name = surface->name, .metallic = surface->metallic, .roughness = surface->roughness};
            memcpy(materials[i].color, surface->color, sizeof(surface->color));
            materials[i].maps = shAsset_GetSurfaceMaps(asset, i);
        }
        const char* name = asset->record->name;
        shExportMesh mesh = {
            .name = name,
            .vertexCount = vertexCount,
            .triangleCount = asset->mesh.triangleCount,
            .positions = split.positions,
            .normals = split.normals,
            .uvs = (const float(*)[2])split.uvs,
            .triangles = (const int(*)[3])split.indices,
            .materials = asset->mesh.groups,
        };
        shExportNode node = {.name = name, .pose = {.q = {.s = 1.0f}}};
        shTexture* textures = assetTextures(asset);
        shExportScene scene = {asset->surfaceCount, 1, 1, materials, &mesh, &node, asset->textureCount, textures};
        status = asset->textureCount > 0 && textures == NULL ? failMemory(message)
                                                             : shWriteScene(asset->context, &scene, path, message);
        FREE_ARRAY(memory, textures, asset->textureCount);
    }
    splitFree(&split, memory);
    FREE_ARRAY(memory, materials, asset->surfaceCount);
    return status;
}

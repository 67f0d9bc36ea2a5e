// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "io/obj.h"

#include "core/message.h"
#include "core/vec.h"
#include "core/weld.h"
#include "solid/textures.h"

#include <string.h>

// Names end at a blank in these files.
static void addName(Buffer* text, const char* name)
{
    for (const char* c = name; *c != 0; ++c)
        bufferAdd(text, (unsigned char)*c <= ' ' ? "_" : c, 1);
}

static void addLine(Buffer* text, const char* keyword, const float* numbers, int count)
{
    bufferAdd(text, keyword, strlen(keyword));
    bufferAdd(text, " ", 1);
    bufferFloats(text, numbers, count, " ");
    bufferAdd(text, "\n", 1);
}

// Where the numbering of the current object starts; .obj counts from 1 and through the whole file.
typedef struct Numbering {
    int position, uv, normal;
} Numbering;

static void addCorner(Buffer* obj, const shExportMesh* mesh, Numbering start, const int* positionOf, int vertex)
{
    bufferPrint(obj, " %d", start.position + positionOf[vertex]);
    if (mesh->uvs != NULL && mesh->normals != NULL)
        bufferPrint(obj, "/%d/%d", start.uv + vertex, start.normal + vertex);
    else if (mesh->uvs != NULL)
        bufferPrint(obj, "/%d", start.uv + vertex);
    else if (mesh->normals != NULL)
        bufferPrint(obj, "//%d", start.normal + vertex);
}

static void addFaces(Buffer* obj, const shExportScene* scene, const shExportMesh* mesh, Numbering start,
                     const int* positionOf)
{
    int current = -1;
    for (int i = 0; i < mesh->triangleCount; ++i) {
        int material = mesh->materials != NULL ? mesh->materials[i] : 0;
        if (material != current && scene->materialCount > 0) {
            bufferPrint(obj, "usemtl ");
            addName(obj, scene->materials[material].name);
            bufferAdd(obj, "\n", 1);
            current = material;
        }
        bufferAdd(obj, "f", 1);
        for (int k = 0; k < 3; ++k)
            addCorner(obj, mesh, start, positionOf, mesh->triangles[i][k]);
        bufferAdd(obj, "\n", 1);
    }
}

// Writes one object and moves the numbering on. False when there is no memory.
static bool addObject(Buffer* obj, const shExportScene* scene, const shExportNode* node, Numbering* start)
{
    const shExportMesh* mesh = &scene->meshes[node->mesh];
    int* positionOf = NEW_ARRAY(obj->memory, int, 2 * (size_t)mesh->vertexCount);
    if (positionOf == NULL)
        return false;
    int* distinct = positionOf + mesh->vertexCount;
    int count = weldRows(obj->memory, mesh->positions, sizeof(shVec3), mesh->vertexCount, positionOf, distinct);
    bufferPrint(obj, "o ");
    addName(obj, node->name);
    bufferAdd(obj, "\n", 1);
    for (int i = 0; i < count; ++i) {
        shVec3 p = xformPoint(node->pose, mesh->positions[distinct[i]]);
        addLine(obj, "v", &p.x, 3);
    }
    for (int i = 0; mesh->uvs != NULL && i < mesh->vertexCount; ++i)
        addLine(obj, "vt", mesh->uvs[i], 2);
    for (int i = 0; mesh->normals != NULL && i < mesh->vertexCount; ++i) {
        shVec3 n = qRotate(node->pose.q, mesh->normals[i]);
        addLine(obj, "vn", &n.x, 3);
    }
    addFaces(obj, scene, mesh, *start, positionOf);
    start->position += count;
    start->uv += mesh->uvs != NULL ? mesh->vertexCount : 0;
    start->normal += mesh->normals != NULL ? mesh->vertexCount : 0;
    FREE_ARRAY(obj->memory, positionOf, 2 * (size_t)mesh->vertexCount);
    return count >= 0 && !obj->failed;
}

shStatus objWrite(Buffer* obj, const shExportScene* scene, const char* library, shMessage* message)
{
    bufferPrint(obj, "# Sherd %s\n", shVersionText());
    if (scene->materialCount > 0) {
        bufferPrint(obj, "mtllib ");
        bufferAdd(obj, library, strlen(library)); // to the end of the line, blanks and all
        bufferAdd(obj, "\n", 1);
    }
    Numbering start = {1, 1, 1};
    for (int i = 0; i < scene->nodeCount; ++i)
        if (scene->nodes[i].mesh >= 0 && !addObject(obj, scene, &scene->nodes[i], &start))
            return failMemory(message);
    return shOk;
}

static void addMap(Buffer* mtl, const shExportScene* scene, const char* what, int texture, const char* stem, int length)
{
    if (texture == 0)
        return;
    const shTexture* image = &scene->textures[texture - 1];
    bufferPrint(mtl, "%s %.*s-%d.%s\n", what, length, stem, texture - 1, textureExtension(image->bytes, image->size));
}

void objWriteMaterials(Buffer* mtl, const shExportScene* scene, const char* stem, int length)
{
    bufferPrint(mtl, "# Sherd %s\n", shVersionText());
    for (int i = 0; i < scene->materialCount; ++i) {
        const shExportMaterial* material = &scene->materials[i];
        bufferPrint(mtl, "newmtl ");
        addName(mtl, material->name);
        bufferAdd(mtl, "\n", 1);
        addLine(mtl, "Kd", material->color, 3);
        addLine(mtl, "d", &material->color[3], 1);
        addLine(mtl, "Pr", &material->roughness, 1); // as most programs extend the format
        addLine(mtl, "Pm", &material->metallic, 1);
        addMap(mtl, scene, "map_Kd", material->maps.color, stem, length);
        addMap(mtl, scene, "norm", material->maps.normal, stem, length);
        addMap(mtl, scene, "map_Ke", material->maps.emissive, stem, length);
    }
}

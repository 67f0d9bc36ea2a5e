// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/pattern_file.h"

#include "cook/cook.h"
#include "core/message.h"
#include "render/scene.h"

#include <string.h>

static bool endsWith(const char* path, const char* extension)
{
    const char* dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, extension) == 0;
}

bool isPatternFile(const char* word)
{
    return endsWith(word, ".obj") || endsWith(word, ".glb") || endsWith(word, ".shp");
}

// What shCreateRegions wants, in memory of the context.
typedef struct Drawing {
    Memory* memory;
    ARRAY(Vec3) vertices;
    ARRAY(int) regions;
    ARRAY(const char*) names;
    struct {
        int (*data)[3];
        int count, capacity;
    } triangles;
} Drawing;

static void drawingFree(Drawing* drawing)
{
    arrayFree(drawing->memory, &drawing->vertices);
    arrayFree(drawing->memory, &drawing->regions);
    arrayFree(drawing->memory, &drawing->names);
    arrayFree(drawing->memory, &drawing->triangles);
}

static bool addRegion(Drawing* drawing, const char* name)
{
    if (!arrayReserve(drawing->memory, &drawing->names, (int64_t)drawing->names.count + 1))
        return false;
    drawing->names.data[drawing->names.count++] = name;
    return true;
}

static bool reserve(Drawing* drawing, int64_t vertices, int64_t triangles)
{
    return arrayReserve(drawing->memory, &drawing->vertices, drawing->vertices.count + vertices) &&
           arrayReserve(drawing->memory, &drawing->triangles, drawing->triangles.count + triangles) &&
           arrayReserve(drawing->memory, &drawing->regions, drawing->regions.count + triangles);
}

static void addTriangle(Drawing* drawing, const int corners[3], int base, int region)
{
    for (int k = 0; k < 3; ++k)
        drawing->triangles.data[drawing->triangles.count][k] = base + corners[k];
    ++drawing->triangles.count;
    drawing->regions.data[drawing->regions.count++] = region;
}

static shStatus create(const Drawing* drawing, shContext* context, const char* path, int cells, shRegions** regions,
                       shMessage* message)
{
    shRegionsDef def = shDefaultRegionsDef();
    def.cells = cells != 0 ? cells : def.cells;
    shRegionMesh mesh = {.regionCount = drawing->names.count,
                         .names = drawing->names.data,
                         .vertexCount = drawing->vertices.count,
                         .triangleCount = drawing->triangles.count,
                         .vertices = drawing->vertices.data,
                         .triangles = (const int(*)[3])drawing->triangles.data,
                         .regions = drawing->regions.data};
    shMessage reason = {""};
    shStatus status = shCreateRegions(context, &mesh, &def, regions, &reason);
    return status == shOk ? shOk : fail(message, status, "%.160s: %.340s", path, reason.text);
}

static shStatus loadObj(shContext* context, const char* path, int cells, shRegions** regions, shMessage* message)
{
    TriMesh mesh;
    SlotNames names;
    shStatus status = cookReadRegions(context, path, &mesh, &names, message);
    if (status != shOk)
        return status;
    Drawing drawing = {.memory = &context->memory};
    bool enough = reserve(&drawing, mesh.vertexCount, mesh.triangleCount);
    for (int r = 0; r < maxI(names.count, 1) && enough; ++r)
        enough = addRegion(&drawing, r < names.count ? names.names[r] : NULL);
    for (int v = 0; v < mesh.vertexCount && enough; ++v)
        drawing.vertices.data[drawing.vertices.count++] = vFromD(mesh.vertices[v]);
    for (int t = 0; t < mesh.triangleCount && enough; ++t)
        addTriangle(&drawing, mesh.triangles[t], 0, mesh.groups != NULL ? mesh.groups[t] : 0);
    status = enough ? create(&drawing, context, path, cells, regions, message) : failMemory(message);
    drawingFree(&drawing);
    triMeshFree(&mesh, &context->memory);
    slotNamesFree(&names, &context->memory);
    return status;
}

// A node's triangles where it stands. Those of mirrored nodes face inwards, which regions may.
static bool addNode(Drawing* drawing, const Scene* scene, const Node* node, Affine world)
{
    PartRange range = node->mesh >= 0 ? scene->meshes.data[node->mesh] : (PartRange){0, 0};
    if (range.count == 0)
        return true;
    if (!addRegion(drawing, node->name))
        return false;
    for (int p = range.first; p < range.first + range.count; ++p) {
        const Part* part = &scene->parts.data[p];
        if (!reserve(drawing, part->vertexCount, part->triangleCount))
            return false;
        int base = drawing->vertices.count;
        for (int v = 0; v < part->vertexCount; ++v)
            drawing->vertices.data[drawing->vertices.count++] =
                affinePoint(world, scene->positions.data[part->firstVertex + v]);
        for (int t = 0; t < part->triangleCount; ++t)
            addTriangle(drawing, scene->triangles.data[part->firstTriangle + t], base, drawing->names.count - 1);
    }
    return true;
}

static shStatus loadGlb(shContext* context, const char* path, int cells, shRegions** regions, shMessage* message)
{
    Scene scene;
    shStatus status = sceneLoad(&scene, context, path, message);
    if (status != shOk)
        return status;
    Drawing drawing = {.memory = &context->memory};
    Affine* worlds = NEW_ARRAY(&context->memory, Affine, scene.nodes.count);
    bool enough = worlds != NULL || scene.nodes.count == 0;
    if (enough)
        scenePose(&scene, 0.0f, worlds);
    for (int n = 0; n < scene.nodes.count && enough; ++n)
        enough = addNode(&drawing, &scene, &scene.nodes.data[n], worlds[n]);
    status = enough ? create(&drawing, context, path, cells, regions, message) : failMemory(message);
    FREE_ARRAY(&context->memory, worlds, scene.nodes.count);
    drawingFree(&drawing);
    sceneFree(&scene);
    return status;
}

shStatus loadPattern(shContext* context, const char* path, int cells, shRegions** regions, shMessage* message)
{
    if (endsWith(path, ".obj"))
        return loadObj(context, path, cells, regions, message);
    if (endsWith(path, ".glb"))
        return loadGlb(context, path, cells, regions, message);
    return shLoadRegions(context, path, regions, message);
}

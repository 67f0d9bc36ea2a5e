// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"

#include "cook/limits.h"
#include "core/message.h"

#include <stdio.h>
#include <string.h>

CookFileDef cookDefaultFileDef(void)
{
    return (CookFileDef){.scale = 1.0, .tetgen = cookDefaultTetgenDef(), .cook = shDefaultCookDef()};
}

// The corners of a surface as the library's interface wants them: UVs and normals apart.
typedef struct SplitCorners {
    int count;
    float (*uvs)[3][2];
    shVec3 (*normals)[3];
} SplitCorners;

static bool splitCorners(Memory* memory, int count, const Corner (*corners)[3], SplitCorners* split)
{
    *split = (SplitCorners){.count = count};
    if (corners == NULL)
        return true;
    split->uvs = memAlloc(memory, memBytes((size_t)count, sizeof(*split->uvs)));
    split->normals = memAlloc(memory, memBytes((size_t)count, sizeof(*split->normals)));
    if (split->uvs == NULL || split->normals == NULL)
        return false;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            memcpy(split->uvs[i][k], corners[i][k].uv, sizeof(corners[i][k].uv));
            split->normals[i][k] = corners[i][k].normal;
        }
    return true;
}

static void splitFree(SplitCorners* split, Memory* memory)
{
    FREE_ARRAY(memory, split->uvs, split->count);
    FREE_ARRAY(memory, split->normals, split->count);
}

typedef struct FileCook {
    shContext* context;
    Memory* memory;
    const CookFileDef* def;
    shCookDef options;
    char name[64];
    TriMesh surface;
    SlotNames names;
    shSurface* surfaces; // [names.count]
    CookFileReport* report;
    shMessage* message;
} FileCook;

static void takeName(FileCook* cook)
{
    const char* slash = strrchr(cook->def->path, '/');
    const char* start = slash != NULL ? slash + 1 : cook->def->path;
    const char* dot = strrchr(start, '.');
    int length = dot != NULL && dot > start ? (int)(dot - start) : (int)strlen(start);
    snprintf(cook->name, sizeof(cook->name), "%.*s", length, start);
    if (cook->options.name == NULL)
        cook->options.name = cook->name;
}

// Names from the file; looks are the reader's business no longer, so all are plain.
static bool takeSurfaces(FileCook* cook)
{
    if (cook->names.count == 0)
        return true;
    cook->surfaces = NEW_ZEROED(cook->memory, shSurface, cook->names.count);
    if (cook->surfaces == NULL)
        return false;
    for (int i = 0; i < cook->names.count; ++i) {
        cook->surfaces[i] = (shSurface){.color = {0.8f, 0.8f, 0.8f, 1.0f}, .roughness = 0.6f};
        memcpy(cook->surfaces[i].name, cook->names.names[i], sizeof(cook->surfaces[i].name));
    }
    return true;
}

static void place(TriMesh* mesh, double scale, shVec3 shift)
{
    if (scale == 1.0 && shift.x == 0.0f && shift.y == 0.0f && shift.z == 0.0f)
        return; // as it is, to the bit: adding zero would turn −0 into 0
    for (int i = 0; i < mesh->vertexCount; ++i)
        mesh->vertices[i] = dAdd(dFromV(shift), dScale(scale, mesh->vertices[i]));
}

static shStatus readAndDecimate(FileCook* cook)
{
    double start = contextSeconds(cook->context);
    shStatus status = cookReadMesh(cook->context, cook->def->path, &cook->surface, &cook->names, cook->message);
    cook->report->readSeconds = contextSeconds(cook->context) - start;
    if (status != shOk)
        return status;
    place(&cook->surface, cook->def->scale, cook->def->shift);
    cook->report->readTriangles = cook->surface.triangleCount;
    if (cook->def->triangles > 0 && cook->def->triangles < cook->surface.triangleCount) {
        start = contextSeconds(cook->context);
        TriMesh smaller;
        status = cookDecimate(cook->context, &cook->surface, cook->def->triangles, &smaller, NULL, cook->message);
        cook->report->decimateSeconds = contextSeconds(cook->context) - start;
        if (status != shOk)
            return status;
        triMeshFree(&cook->surface, cook->memory);
        cook->surface = smaller;
    }
    cook->report->triangles = cook->surface.triangleCount;
    return takeSurfaces(cook) ? shOk : failMemory(cook->message);
}

static shStatus cookMesh(FileCook* cook, shMeshDef* mesh, const Corner (*corners)[3], shAsset** asset)
{
    double start = contextSeconds(cook->context);
    SplitCorners split;
    shStatus status = shOutOfMemory;
    if (splitCorners(cook->memory, mesh->triangleCount, corners, &split)) {
        mesh->uvs = (const float(*)[3][2])split.uvs;
        mesh->normals = (const shVec3(*)[3])split.normals;
        mesh->surfaceCount = cook->names.count;
        mesh->surfaces = cook->surfaces;
        status = shCookAsset(cook->context, mesh, &cook->options, asset, cook->message);
    } else {
        failMemory(cook->message);
    }
    splitFree(&split, cook->memory);
    cook->report->cookSeconds = contextSeconds(cook->context) - start;
    return status;
}

static shStatus cookByTets(FileCook* cook, const TetMesh* tets, shAsset** asset)
{
    shMeshDef mesh = {.vertexCount = tets->nodeCount,
                      .vertices = tets->nodes,
                      .triangleCount = tets->triangleCount,
                      .triangles = (const int(*)[3])tets->triangles,
                      .slots = tets->groups,
                      .tetCount = tets->tetCount,
                      .tets = (const int(*)[4])tets->tets};
    return cookMesh(cook, &mesh, (const Corner(*)[3])tets->corners, asset);
}

static shStatus cookBySurface(FileCook* cook, shAsset** asset)
{
    const TriMesh* surface = &cook->surface;
    shMeshDef mesh = {.vertexCount = surface->vertexCount,
                      .preciseVertices = (const double(*)[3])surface->vertices,
                      .triangleCount = surface->triangleCount,
                      .triangles = (const int(*)[3])surface->triangles,
                      .slots = surface->groups};
    cook->report->mesher = "lattice";
    return cookMesh(cook, &mesh, (const Corner(*)[3])surface->corners, asset);
}

static shStatus meshAndCook(FileCook* cook, shAsset** asset)
{
    if (cook->def->mesher == cookByLattice)
        return cookBySurface(cook, asset);
    double start = contextSeconds(cook->context);
    TetMesh tets;
    TetgenReport report;
    shMessage reason;
    shStatus status = cookTetgen(cook->context, &cook->surface, &cook->def->tetgen, &tets, &report, &reason);
    cook->report->meshSeconds = contextSeconds(cook->context) - start;
    if (status == shOk) {
        cook->report->mesher = report.split ? "tetgen, surface split" : "tetgen";
        status = cookByTets(cook, &tets, asset);
        tetMeshFree(&tets, cook->memory);
        return status;
    }
    if (status == shOutOfMemory)
        return failMemory(cook->message);
    if (cook->def->mesher == cookByTetgen)
        return fail(cook->message, status, "%.150s: %.340s", cook->def->path, reason.text);
    cook->report->fallback = reason;
    return cookBySurface(cook, asset);
}

shStatus cookFile(shContext* context, const CookFileDef* def, shAsset** asset, CookFileReport* report,
                  shMessage* message)
{
    *asset = NULL;
    CookFileReport unused = {0};
    report = report != NULL ? report : &unused;
    *report = (CookFileReport){.mesher = ""};
    FileCook cook = {.context = context,
                     .memory = &context->memory,
                     .def = def,
                     .options = def->cook,
                     .report = report,
                     .message = message};
    takeName(&cook);
    shStatus status = readAndDecimate(&cook);
    if (status == shOk)
        status = meshAndCook(&cook, asset);
    FREE_ARRAY(cook.memory, cook.surfaces, cook.names.count);
    slotNamesFree(&cook.names, cook.memory);
    triMeshFree(&cook.surface, cook.memory);
    return status;
}

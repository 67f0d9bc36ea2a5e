// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From a mesh to an asset, stage by stage. Each stage adds what it makes to `Cook`, and its arrays to the image.
#include "core/constants.h"
#include "core/message.h"
#include "field/distance_grid.h"
#include "mesh/lattice.h"
#include "mesh/models.h"
#include "mesh/transfer.h"
#include "solid/asset.h"
#include "solid/textures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COOK_COOKIE 0x53484b31u // "SHK1"
#define DEFAULT_MATERIAL "ceramic"

typedef struct Cook {
    shContext* context;
    Memory* memory;
    const shMeshDef* def; // one of these two
    const ModelInfo* model;
    float detail; // of the model
    const shCookDef* options;
    TriMesh surface; // the input's triangles; empty when there are none
    TetMesh mesh;
    DistanceGrid grid;
    InnerTree inner;     // empty: not asked for
    shSurface* surfaces; // [1 + surfaceCount]
    int surfaceCount;
    AssetTexture* textures; // [textureCount]
    uint8_t* textureBytes;  // one after the other
    size_t textureSize;
    int textureCount;
    AssetRecord record;
    ImageBuilder image;
    shMessage* message;
} Cook;

shCookDef shDefaultCookDef(void) { return (shCookDef){.cookie = COOK_COOKIE}; }

// Stage: take the arrays over -----------------------------------------------------------------------------------------

static DVec3 vertexOf(const shMeshDef* def, int i)
{
    if (def->preciseVertices != NULL)
        return dvec3(def->preciseVertices[i][0], def->preciseVertices[i][1], def->preciseVertices[i][2]);
    return dFromV(def->vertices[i]);
}

static shStatus checkDef(const shMeshDef* def, shMessage* message)
{
    if (def->vertexCount < (def->tetCount > 0 ? 4 : 3) || (def->vertices == NULL) == (def->preciseVertices == NULL))
        return fail(message, shInvalid,
                    "mesh: give at least three vertices, or four of tetrahedra, either single or double");
    if (def->triangleCount < 0 || def->tetCount < 0 || (def->triangleCount > 0 && def->triangles == NULL) ||
        (def->tetCount > 0 && def->tets == NULL) || def->triangleCount + (int64_t)def->tetCount == 0)
        return fail(message, shInvalid, "mesh: %d triangles and %d tetrahedra; give one or the other, and their arrays",
                    def->triangleCount, def->tetCount);
    if (def->triangleCount > MAX_TRIANGLES || def->tetCount > MAX_TETS)
        return fail(message, shLimit, "mesh: more than %d triangles or %d tetrahedra", MAX_TRIANGLES, MAX_TETS);
    for (int i = 0; i < def->vertexCount; ++i) {
        DVec3 p = vertexOf(def, i);
        if (!(fabs(p.x) <= (double)MAX_COORDINATE && fabs(p.y) <= (double)MAX_COORDINATE &&
              fabs(p.z) <= (double)MAX_COORDINATE))
            return fail(message, shBadMesh, "mesh: vertex %d lies at (%g, %g, %g); coordinates go up to %g m", i, p.x,
                        p.y, p.z, (double)MAX_COORDINATE);
    }
    for (int i = 0; i < def->triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            if (def->triangles[i][k] < 0 || def->triangles[i][k] >= def->vertexCount)
                return fail(message, shBadMesh,
                            "mesh: triangle %d: vertex index %d is out of range (there are %d vertices)", i,
                            def->triangles[i][k], def->vertexCount);
    return shOk;
}

// A triangle without area has no normal; it gets some unit vector, so that all are.
static Vec3 unitOr(DVec3 v, Vec3 fallback)
{
    Vec3 unit = vFromD(dNormalize(v));
    return dLength2(v) > 0.0 ? unit : fallback;
}

static shStatus takeCorners(Cook* cook)
{
    const shMeshDef* def = cook->def;
    TriMesh* surface = &cook->surface;
    for (int i = 0; i < def->triangleCount; ++i) {
        const int* t = def->triangles[i];
        DVec3 a = surface->vertices[t[0]], b = surface->vertices[t[1]], c = surface->vertices[t[2]];
        Vec3 flat = unitOr(dCross(dSub(b, a), dSub(c, a)), vec3(0.0f, 0.0f, 1.0f));
        for (int k = 0; k < 3; ++k) {
            Corner corner = {.normal = flat};
            if (def->uvs != NULL)
                memcpy(corner.uv, def->uvs[i][k], sizeof(corner.uv));
            if (def->normals != NULL)
                corner.normal = unitOr(dFromV(def->normals[i][k]), flat);
            if (!isfinite(corner.uv[0]) || !isfinite(corner.uv[1]) || !vFinite(corner.normal))
                return fail(cook->message, shBadMesh, "mesh: triangle %d: UV or normal of corner %d is not finite", i,
                            k);
            surface->corners[i][k] = corner;
        }
        surface->groups[i] = def->slots != NULL ? def->slots[i] : 0;
    }
    return shOk;
}

static shStatus takeArrays(Cook* cook)
{
    const shMeshDef* def = cook->def;
    if (def == NULL)
        return shOk; // a built-in model
    shStatus status = checkDef(def, cook->message);
    if (status != shOk)
        return status;
    if (!triMeshAlloc(&cook->surface, cook->memory, def->vertexCount, def->triangleCount, true, true))
        return failMemory(cook->message);
    for (int i = 0; i < def->vertexCount; ++i)
        cook->surface.vertices[i] = vertexOf(def, i);
    if (def->triangleCount > 0)
        memcpy(cook->surface.triangles, def->triangles, (size_t)def->triangleCount * sizeof(*def->triangles));
    return takeCorners(cook);
}

// Stage: tetrahedra ---------------------------------------------------------------------------------------------------

// The boundary has UVs and flat normals of its own; what the input gives takes their place (X7).
static shStatus transferAttributes(Cook* cook)
{
    const shMeshDef* def = cook->def;
    TetMesh* mesh = &cook->mesh;
    size_t count = (size_t)mesh->triangleCount;
    DVec3(*points)[3] = memAlloc(cook->memory, memBytes(count, sizeof(*points)));
    Corner(*corners)[3] = memAlloc(cook->memory, memBytes(count, sizeof(*corners)));
    bool done = points != NULL && corners != NULL;
    for (int i = 0; done && i < mesh->triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = dFromV(mesh->nodes[mesh->triangles[i][k]]);
    TransferTarget target = {mesh->triangleCount, (const DVec3(*)[3])points, corners, mesh->groups};
    done = done && transferSurface(cook->context, &cook->surface, &target);
    for (int i = 0; done && i < 3 * mesh->triangleCount; ++i) {
        Corner *to = &mesh->corners[i / 3][i % 3], *from = &corners[i / 3][i % 3];
        if (def->uvs != NULL)
            memcpy(to->uv, from->uv, sizeof(to->uv));
        if (def->normals != NULL)
            to->normal = from->normal;
    }
    FREE_ARRAY(cook->memory, points, count);
    FREE_ARRAY(cook->memory, corners, count);
    return done ? shOk : failMemory(cook->message);
}

// Our own mesher, which takes any surface that more or less encloses something.
static shStatus fillSurface(Cook* cook)
{
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    if (cook->options->cell > 0.0f)
        def.cell = (double)cook->options->cell;
    if (cook->options->creaseAngle > 0.0f)
        def.creaseAngle = (double)cook->options->creaseAngle;
    def.thickness = (double)cook->options->thickness;
    def.maxTets = cook->options->maxTets;
    def.pieces = latticeKeepLargest;
    TriMesh bare = cook->surface; // smooth normals and projected UVs first, then what the input gives
    bare.corners = NULL;
    bare.groups = NULL;
    return latticeMeshSurface(&cook->mesh, cook->context, &bare, &def, NULL, cook->message);
}

static shStatus makeTets(Cook* cook)
{
    if (cook->model != NULL)
        return modelGenerate(cook->model, cook->detail, cook->memory, &cook->mesh, cook->message);
    const shMeshDef* def = cook->def;
    shStatus status = def->tetCount == 0
                          ? fillSurface(cook)
                          : tetMeshBuild(&cook->mesh, cook->memory, def->vertexCount, cook->surface.vertices,
                                         def->tetCount, def->tets, true, cook->message);
    if (status == shOk && def->triangleCount > 0)
        status = transferAttributes(cook);
    return status;
}

static void addMesh(Cook* cook)
{
    const TetMesh* mesh = &cook->mesh;
    size_t triangles = (size_t)mesh->triangleCount;
    cook->record.surfaceNodeCount = mesh->surfaceNodeCount;
    imageAdd(&cook->image, "NODE", sizeof(*mesh->nodes), (size_t)mesh->nodeCount, mesh->nodes);
    imageAdd(&cook->image, "TETS", sizeof(*mesh->tets), (size_t)mesh->tetCount, mesh->tets);
    imageAdd(&cook->image, "TRIS", sizeof(*mesh->triangles), triangles, mesh->triangles);
    imageAdd(&cook->image, "CORN", sizeof(*mesh->corners), triangles, mesh->corners);
    imageAdd(&cook->image, "SLOT", sizeof(*mesh->groups), triangles, mesh->groups);
}

// Stage: distance grid ------------------------------------------------------------------------------------------------

static int byValue(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// How thick the solid is where it is thin, m: straight through from the middle of each boundary triangle, and of these
// the length that a tenth stays below (a few short ways across an edge say nothing). 0 when no ray comes out.
static double thinness(const TriQuery* query, const TetMesh* mesh, double* lengths)
{
    int count = 0;
    for (int i = 0; i < mesh->triangleCount; ++i) {
        DVec3 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = dFromV(mesh->nodes[mesh->triangles[i][k]]);
        DVec3 across = dCross(dSub(p[1], p[0]), dSub(p[2], p[0])), inward = dNeg(dNormalize(across));
        double start = THINNESS_START * sqrt(dLength(across)); // leaves its own triangle behind
        DVec3 centre = dScale(1.0 / 3.0, dAdd(dAdd(p[0], p[1]), p[2]));
        TriHit hit = triQueryRay(query, dMad(centre, start, inward), inward, INFINITY);
        if (hit.triangle >= 0)
            lengths[count++] = start + hit.distance;
    }
    qsort(lengths, (size_t)count, sizeof(double), byValue); // equal values are equal: order cannot matter
    return count > 0 ? lengths[count / 10] : 0.0;
}

static double surfaceArea(const TetMesh* mesh)
{
    double twice = 0.0;
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int* t = mesh->triangles[i];
        DVec3 a = dFromV(mesh->nodes[t[0]]), b = dFromV(mesh->nodes[t[1]]), c = dFromV(mesh->nodes[t[2]]);
        twice += dLength(dCross(dSub(b, a), dSub(c, a)));
    }
    return 0.5 * twice;
}

// As fine as the thickness asks for, but in proportion to the surface: where it has few triangles, its exact faces are
// the cheaper answer.
static DistanceGridDef gridDef(Cook* cook, const TriQuery* query, double* lengths)
{
    const TetMesh* mesh = &cook->mesh;
    DistanceGridDef def = distanceGridDefaultDef();
    def.cells = 0;
    cook->record.thickness = (float)thinness(query, mesh, lengths);
    if (cook->options->gridCell > 0.0f) {
        def.cellSize = (double)cook->options->gridCell;
        return def;
    }
    shBox box = boxEmpty();
    for (int i = 0; i < mesh->surfaceNodeCount; ++i)
        box = boxAdd(box, mesh->nodes[i]);
    Vec3 extent = boxSize(box);
    double longest = (double)maxF(extent.x, maxF(extent.y, extent.z)), count = (double)mesh->triangleCount;
    double widths = maxD(GRID_LEAST_WIDTHS, GRID_FEW_TRIANGLES / count);
    double wide = minD(widths * sqrt(surfaceArea(mesh) / count), longest / GRID_LEAST_CELLS);
    def.cellSize = assetGridCell(box, cook->record.thickness);
    if (def.cellSize < wide) {
        def.cellSize = wide;
        def.band = GRID_COARSE_BAND * wide;
    }
    return def;
}

static shStatus makeGrid(Cook* cook)
{
    const TetMesh* mesh = &cook->mesh;
    DVec3* vertices = NEW_ARRAY(cook->memory, DVec3, mesh->surfaceNodeCount);
    double* lengths = NEW_ARRAY(cook->memory, double, mesh->triangleCount);
    TriQuery query = {0};
    bool enough = vertices != NULL && lengths != NULL;
    for (int i = 0; enough && i < mesh->surfaceNodeCount; ++i)
        vertices[i] = dFromV(mesh->nodes[i]);
    enough =
        enough && triQueryBuild(&query, cook->memory, vertices, (const int(*)[3])mesh->triangles, mesh->triangleCount);
    shStatus status = shOutOfMemory;
    if (enough) {
        DistanceGridDef def = gridDef(cook, &query, lengths);
        status = distanceGridBuild(&cook->grid, cook->context, &query, &def, cook->message);
    } else {
        failMemory(cook->message);
    }
    triQueryFree(&query, cook->memory);
    FREE_ARRAY(cook->memory, lengths, mesh->triangleCount);
    FREE_ARRAY(cook->memory, vertices, mesh->surfaceNodeCount);
    return status;
}

static void addGrid(Cook* cook)
{
    const DistanceGrid* grid = &cook->grid;
    imageAdd(&cook->image, "GRID", sizeof(grid->shape), 1, &grid->shape);
    imageAdd(&cook->image, "GIDX", sizeof(*grid->index), (size_t)distanceGridIndexCount(&grid->shape), grid->index);
    imageAdd(&cook->image, "GVAL", sizeof(*grid->values), (size_t)distanceGridValueCount(&grid->shape), grid->values);
}

// Stage: inner spheres ------------------------------------------------------------------------------------------------

static shStatus makeInner(Cook* cook)
{
    const TetMesh* mesh = &cook->mesh;
    if (cook->options->innerSpheres == 0)
        return shOk;
    shTriangles surface = {mesh->surfaceNodeCount, mesh->triangleCount, mesh->nodes, (const int(*)[3])mesh->triangles};
    shInnerDef def = shDefaultInnerDef();
    def.spheres = cook->options->innerSpheres;
    return innerTreeOfSurface(&cook->inner, cook->context, &surface, &def, cook->message);
}

static void addInner(Cook* cook)
{
    const InnerTree* inner = &cook->inner;
    if (inner->sphereCount == 0)
        return;
    imageAdd(&cook->image, "INNR", sizeof(inner->record), 1, &inner->record);
    imageAdd(&cook->image, "INNS", sizeof(*inner->spheres), (size_t)inner->sphereCount, inner->spheres);
    imageAdd(&cook->image, "INNN", sizeof(*inner->nodes), (size_t)inner->nodeCount, inner->nodes);
}

// Stage: what the surfaces look like ----------------------------------------------------------------------------------

// The given surfaces after the inside; without any, plain ones for all slots in use.
static shStatus makeSurfaces(Cook* cook)
{
    const shMeshDef* def = cook->def;
    bool given = def != NULL && def->surfaces != NULL;
    int count = 1;
    for (int i = 0; i < cook->mesh.triangleCount; ++i)
        count = maxI(count, cook->mesh.groups[i] + 1);
    if (given && def->surfaceCount < count)
        return fail(cook->message, shInvalid, "mesh: slot %d is used, but there are %d surfaces", count - 1,
                    def->surfaceCount);
    if (given)
        count = def->surfaceCount;
    if (count > ASSET_MAX_SURFACES)
        return fail(cook->message, shLimit, "mesh: %d surfaces are more than the limit of %d", count,
                    ASSET_MAX_SURFACES);
    cook->surfaces = NEW_ZEROED(cook->memory, shSurface, 1 + count);
    if (cook->surfaces == NULL)
        return failMemory(cook->message);
    cook->surfaceCount = count;
    const char* material = cook->record.material.name;
    const shSurface* inside = cook->options->inside;
    for (int i = 0; i <= count; ++i) {
        shSurface* surface = &cook->surfaces[i];
        if (i == 0)
            *surface = inside != NULL ? *inside : surfaceInside(material);
        else
            *surface = given ? def->surfaces[i - 1] : surfaceOutside(material);
        if (!given && i > 1)
            snprintf(surface->name, sizeof(surface->name), "outside %d", i);
        textCopy(surface->name, surface->name, sizeof(surface->name));
        shStatus status = surfaceCheck(surface, i == 0 ? "inside surface" : "mesh: surface", cook->message);
        if (status != shOk)
            return status;
    }
    return shOk;
}

static void addSurfaces(Cook* cook)
{
    imageAdd(&cook->image, "SURF", sizeof(shSurface), 1 + (size_t)cook->surfaceCount, cook->surfaces);
}

// Stage: textures -----------------------------------------------------------------------------------------------------

static shStatus makeTextures(Cook* cook)
{
    const shMeshDef* def = cook->def;
    if (def == NULL || def->textureCount == 0)
        return shOk;
    if (def->surfaces == NULL)
        return fail(cook->message, shInvalid, "mesh: textures need surfaces");
    shStatus status = texturesCheck(def->textureCount, def->textures, def->surfaceCount, def->maps, cook->message);
    if (status != shOk)
        return status;
    cook->textureCount = def->textureCount;
    for (int i = 0; i < def->textureCount; ++i)
        cook->textureSize += def->textures[i].size;
    cook->textures = NEW_ARRAY(cook->memory, AssetTexture, cook->textureCount);
    cook->textureBytes = memAlloc(cook->memory, cook->textureSize);
    if (cook->textures == NULL || cook->textureBytes == NULL)
        return failMemory(cook->message);
    size_t at = 0;
    for (int i = 0; i < def->textureCount; ++i) {
        cook->textures[i] = (AssetTexture){(uint32_t)at, (uint32_t)def->textures[i].size};
        memcpy(cook->textureBytes + at, def->textures[i].bytes, def->textures[i].size);
        at += def->textures[i].size;
    }
    return shOk;
}

static void addTextures(Cook* cook)
{
    if (cook->textureCount == 0)
        return;
    imageAdd(&cook->image, "TEXI", sizeof(AssetTexture), (size_t)cook->textureCount, cook->textures);
    imageAdd(&cook->image, "TEXD", 1, cook->textureSize, cook->textureBytes);
    imageAdd(&cook->image, "TEXM", sizeof(shSurfaceMaps), (size_t)cook->surfaceCount, cook->def->maps);
}

// The list ------------------------------------------------------------------------------------------------------------

typedef struct Stage {
    const char* what;
    shStatus (*make)(Cook* cook);
    void (*add)(Cook* cook); // the arrays it made
} Stage;

static const Stage stages[] = {
    {"reading the mesh", takeArrays, NULL},  {"tetrahedra", makeTets, addMesh},
    {"surfaces", makeSurfaces, addSurfaces}, {"textures", makeTextures, addTextures},
    {"distance grid", makeGrid, addGrid},    {"inner spheres", makeInner, addInner},
};
enum { stageCount = sizeof(stages) / sizeof(stages[0]) };

static void cookFree(Cook* cook)
{
    triMeshFree(&cook->surface, cook->memory);
    tetMeshFree(&cook->mesh, cook->memory);
    distanceGridFree(&cook->grid, cook->memory);
    innerTreeFree(&cook->inner, cook->memory);
    FREE_ARRAY(cook->memory, cook->surfaces, 1 + cook->surfaceCount);
    FREE_ARRAY(cook->memory, cook->textures, cook->textureCount);
    memFree(cook->memory, cook->textureBytes, cook->textureSize);
}

static shStatus takeOptions(Cook* cook)
{
    const shCookDef* options = cook->options;
    const char* name = options->name != NULL ? options->name : cook->model != NULL ? cook->model->name : "asset";
    textCopy(cook->record.name, name, ASSET_NAME_BYTES);
    if (strlen(name) >= ASSET_NAME_BYTES || !textIsPlain(cook->record.name, ASSET_NAME_BYTES))
        return fail(cook->message, shInvalid, "cook: the name is not plain text of up to %d bytes",
                    ASSET_NAME_BYTES - 1);
    if (!(options->cell >= 0.0f && options->cell < INFINITY && options->creaseAngle >= 0.0f &&
          options->creaseAngle < INFINITY))
        return fail(cook->message, shInvalid, "cook: a cell of %g m and a crease angle of %g degrees",
                    (double)options->cell, (double)options->creaseAngle);
    if (!(options->thickness >= 0.0f && options->thickness < INFINITY) || options->maxTets < 0)
        return fail(cook->message, shInvalid, "cook: a thickness of %g m and at most %d tetrahedra",
                    (double)options->thickness, options->maxTets);
    if (!(options->gridCell >= 0.0f && options->gridCell < INFINITY))
        return fail(cook->message, shInvalid, "cook: a grid cell of %g m", (double)options->gridCell);
    if (options->innerSpheres < 0)
        return fail(cook->message, shInvalid, "cook: %d inner spheres", options->innerSpheres);
    const shMaterial* usual = shMaterialPreset(cook->model != NULL ? cook->model->material : DEFAULT_MATERIAL);
    shMaterial* material = &cook->record.material;
    *material = options->material != NULL ? *options->material : *usual;
    textCopy(material->name, material->name, sizeof(material->name));
    return materialCheck(material, cook->message);
}

// Lays out the image and opens it like any other: a cook's result passes the checks of a file.
static shStatus seal(Cook* cook, shAsset** asset)
{
    size_t size;
    uint8_t* bytes = imageBuild(&cook->image, ASSET_VERSION, cook->memory, &size);
    if (bytes == NULL)
        return failMemory(cook->message);
    shStatus status =
        assetOpen(cook->context, cook->record.name, bytes, size, assetReleaseMemory, asset, cook->message);
    if (status != shOk)
        memFree(cook->memory, bytes, size);
    return status == shBadFile ? shBadMesh : status; // there is no file to blame
}

static void report(const Cook* cook, int stage)
{
    if (cook->options->progress != NULL)
        cook->options->progress(stage, stageCount, stage < stageCount ? stages[stage].what : "done",
                                cook->options->progressUser);
}

static shStatus cookAll(Cook* cook, shAsset** asset)
{
    shStatus status = takeOptions(cook);
    imageAdd(&cook->image, "INFO", sizeof(AssetRecord), 1, &cook->record);
    for (int i = 0; i < stageCount && status == shOk; ++i) {
        report(cook, i);
        status = stages[i].make(cook);
        if (status == shOk && stages[i].add != NULL)
            stages[i].add(cook);
    }
    if (status == shOk)
        status = seal(cook, asset);
    if (status == shOk)
        report(cook, stageCount);
    cookFree(cook);
    return status;
}

static shStatus checkCall(const shCookDef* def, shMessage* message)
{
    bool filled = def != NULL && def->cookie == COOK_COOKIE;
    return filled ? shOk : fail(message, shInvalid, "cook: fill the definition with shDefaultCookDef() first");
}

shStatus shCookAsset(shContext* context, const shMeshDef* mesh, const shCookDef* def, shAsset** asset,
                     shMessage* message)
{
    if (context == NULL || mesh == NULL || asset == NULL)
        return fail(message, shInvalid, "cook: context, mesh and asset must not be null");
    *asset = NULL;
    shStatus status = checkCall(def, message);
    Cook cook = {.context = context, .memory = &context->memory, .def = mesh, .options = def, .message = message};
    return status == shOk ? cookAll(&cook, asset) : status;
}

shStatus shCookModel(shContext* context, const char* model, float detail, const shCookDef* def, shAsset** asset,
                     shMessage* message)
{
    if (context == NULL || model == NULL || asset == NULL)
        return fail(message, shInvalid, "cook: context, model and asset must not be null");
    *asset = NULL;
    shStatus status = checkCall(def, message);
    if (status != shOk)
        return status;
    const ModelInfo* found = modelFind(model);
    if (found == NULL)
        return fail(message, shInvalid, "cook: there is no model '%s'; `sherd list` names those there are", model);
    Cook cook = {.context = context,
                 .memory = &context->memory,
                 .model = found,
                 .detail = detail,
                 .options = def,
                 .message = message};
    return cookAll(&cook, asset);
}

int shGetModelCount(void) { return modelCount(); }

shModelInfo shGetModel(int index)
{
    const ModelInfo* model = modelAt(index);
    return model != NULL ? (shModelInfo){model->name, model->description, model->material} : (shModelInfo){0};
}

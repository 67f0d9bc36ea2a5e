// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/asset.h"

#include "core/constants.h"
#include "core/hash.h"
#include "core/message.h"
#include "mesh/adjacency.h"
#include "solid/textures.h"

#include <string.h>

_Static_assert(sizeof(AssetRecord) == 132, "the record has no padding");
_Static_assert(sizeof(shSurface) == 56, "a surface has no padding");
_Static_assert(sizeof(DistanceGridShape) == 60, "the grid's shape has no padding");
_Static_assert(sizeof(InnerSphere) == 24 && sizeof(InnerNode) == 128 && sizeof(InnerRecord) == 56, "no padding");
_Static_assert(sizeof(Corner) == 20 && sizeof(Vec3) == 12, "vectors have no padding");

shStatus materialCheck(const shMaterial* material, shMessage* message)
{
    if (!textIsPlain(material->name, sizeof(material->name)))
        return fail(message, shInvalid, "the material's name is not plain text of up to %zu bytes",
                    sizeof(material->name) - 1);
    if (material->density > MAX_DENSITY)
        return fail(message, shInvalid, "material \"%s\": density %g kg/m³ is above %g", material->name,
                    (double)material->density, (double)MAX_DENSITY);
    return shCheckMaterial(material, message);
}

// Readers: each takes its chunks out of the image and checks them -----------------------------------------------------

static shStatus readArray(shAsset* asset, const char* tag, size_t elementSize, const void** data, int* count,
                          shMessage* message)
{
    ++asset->chunksRead;
    return imageArray(&asset->image, tag, elementSize, data, count, message);
}

// What another room says about an array, with the array's place in the file. Lack of memory is not the file's fault.
static shStatus refuse(const shAsset* asset, const void* place, shStatus status, const shMessage* reason,
                       shMessage* message)
{
    if (status == shOk || status == shOutOfMemory)
        return status == shOk ? shOk : failMemory(message);
    return imageFail(&asset->image, message, place, "%s", reason->text);
}

static shStatus readRecord(shAsset* asset, shMessage* message)
{
    const void* data;
    int count;
    shStatus status = readArray(asset, "INFO", sizeof(AssetRecord), &data, &count, message);
    if (status != shOk)
        return status;
    if (count != 1)
        return imageFail(&asset->image, message, data, "%d records instead of one", count);
    asset->record = data;
    if (!textIsPlain(asset->record->name, ASSET_NAME_BYTES))
        return imageFail(&asset->image, message, data, "the name is not plain text of up to %d bytes",
                         ASSET_NAME_BYTES - 1);
    shMessage reason;
    if (!(asset->record->thickness >= 0.0f) || !(asset->record->thickness <= MAX_COORDINATE))
        return imageFail(&asset->image, message, &asset->record->thickness, "a thickness of %g m",
                         (double)asset->record->thickness);
    status = materialCheck(&asset->record->material, &reason);
    return refuse(asset, &asset->record->material, status, &reason, message);
}

static shStatus readSurfaces(shAsset* asset, shMessage* message)
{
    const void* data;
    int count;
    shStatus status = readArray(asset, "SURF", sizeof(shSurface), &data, &count, message);
    if (status != shOk)
        return status;
    if (count < 2 || count > 1 + ASSET_MAX_SURFACES)
        return imageFail(&asset->image, message, data, "%d surfaces; there must be 2 to %d", count,
                         1 + ASSET_MAX_SURFACES);
    asset->surfaces = data;
    asset->surfaceCount = count - 1;
    for (int i = 0; i < count; ++i) {
        shMessage reason;
        status = surfaceCheck(&asset->surfaces[i], "surface", &reason);
        if (status != shOk)
            return refuse(asset, &asset->surfaces[i], status, &reason, message);
    }
    return shOk;
}

static shStatus readMeshArrays(shAsset* asset, shMessage* message)
{
    TetMesh* mesh = &asset->mesh;
    const void *nodes, *tets, *triangles, *corners, *groups;
    int cornerCount = 0, groupCount = 0;
    shStatus status = readArray(asset, "NODE", sizeof(*mesh->nodes), &nodes, &mesh->nodeCount, message);
    if (status == shOk)
        status = readArray(asset, "TETS", sizeof(*mesh->tets), &tets, &mesh->tetCount, message);
    if (status == shOk)
        status = readArray(asset, "TRIS", sizeof(*mesh->triangles), &triangles, &mesh->triangleCount, message);
    if (status == shOk)
        status = readArray(asset, "CORN", sizeof(*mesh->corners), &corners, &cornerCount, message);
    if (status == shOk)
        status = readArray(asset, "SLOT", sizeof(*mesh->groups), &groups, &groupCount, message);
    if (status != shOk)
        return status;
    if (cornerCount != mesh->triangleCount || groupCount != mesh->triangleCount)
        return imageFail(&asset->image, message, triangles, "%d triangles with the corners of %d and the slots of %d",
                         mesh->triangleCount, cornerCount, groupCount);
    // TetMesh knows no const; the asset as a whole is.
    mesh->nodes = (Vec3*)(uintptr_t)nodes;
    mesh->tets = (int(*)[4])(uintptr_t)tets;
    mesh->triangles = (int(*)[3])(uintptr_t)triangles;
    mesh->corners = (Corner(*)[3])(uintptr_t)corners;
    mesh->groups = (uint16_t*)(uintptr_t)groups;
    mesh->surfaceNodeCount = asset->record->surfaceNodeCount;
    return shOk;
}

static bool isUnit(Vec3 v) { return vFinite(v) && fabsf(vLength2(v) - 1.0f) <= UNIT_TOLERANCE; }

// Element by element, so that the message can name the byte.
static shStatus checkMeshElements(const shAsset* asset, shMessage* message)
{
    const TetMesh* mesh = &asset->mesh;
    const Image* image = &asset->image;
    for (int i = 0; i < mesh->nodeCount; ++i)
        if (!(fabsf(mesh->nodes[i].x) <= MAX_COORDINATE && fabsf(mesh->nodes[i].y) <= MAX_COORDINATE &&
              fabsf(mesh->nodes[i].z) <= MAX_COORDINATE))
            return imageFail(image, message, &mesh->nodes[i], "node %d lies at (%g, %g, %g)", i,
                             (double)mesh->nodes[i].x, (double)mesh->nodes[i].y, (double)mesh->nodes[i].z);
    for (int i = 0; i < mesh->tetCount; ++i)
        for (int k = 0; k < 4; ++k)
            if (mesh->tets[i][k] < 0 || mesh->tets[i][k] >= mesh->nodeCount)
                return imageFail(image, message, &mesh->tets[i][k],
                                 "tetrahedron %d: node index %d is out of range (there are %d nodes)", i,
                                 mesh->tets[i][k], mesh->nodeCount);
    for (int i = 0; i < mesh->triangleCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Corner* corner = &mesh->corners[i][k];
            if (mesh->triangles[i][k] < 0 || mesh->triangles[i][k] >= mesh->nodeCount)
                return imageFail(image, message, &mesh->triangles[i][k],
                                 "triangle %d: node index %d is out of range (there are %d nodes)", i,
                                 mesh->triangles[i][k], mesh->nodeCount);
            if (!isfinite(corner->uv[0]) || !isfinite(corner->uv[1]))
                return imageFail(image, message, corner, "triangle %d: the UV of corner %d is not finite", i, k);
            if (!isUnit(corner->normal))
                return imageFail(image, message, &corner->normal,
                                 "triangle %d: the normal of corner %d is no unit vector", i, k);
        }
        if (mesh->groups[i] >= asset->surfaceCount)
            return imageFail(image, message, &mesh->groups[i], "triangle %d: surface %d of %d", i, mesh->groups[i],
                             asset->surfaceCount);
    }
    return shOk;
}

static shStatus checkShapes(const shAsset* asset, shMessage* message)
{
    const TetMesh* mesh = &asset->mesh;
    for (int i = 0; i < mesh->tetCount; ++i) {
        DVec3 p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = dFromV(mesh->nodes[mesh->tets[i][k]]);
        double longest = 0.0, orient = dOrient(p[0], p[1], p[2], p[3]);
        for (int e = 0; e < 6; ++e)
            longest = maxD(longest, dDistance(p[tetEdges[e][0]], p[tetEdges[e][1]]));
        if (!(orient >= MIN_TET_SHAPE * longest * longest * longest))
            return imageFail(&asset->image, message, &mesh->tets[i], "tetrahedron %d is all but flat", i);
    }
    return shOk;
}

static shStatus readMesh(shAsset* asset, shMessage* message)
{
    shStatus status = readMeshArrays(asset, message);
    if (status == shOk)
        status = checkMeshElements(asset, message);
    if (status != shOk)
        return status;
    shMessage reason;
    status = tetMeshCheck(&asset->mesh, &asset->context->memory, &reason);
    if (status != shOk)
        return refuse(asset, asset->mesh.tets, status, &reason, message);
    status = checkShapes(asset, message);
    if (status != shOk)
        return status;
    asset->box = boxEmpty();
    for (int i = 0; i < asset->mesh.surfaceNodeCount; ++i)
        asset->box = boxAdd(asset->box, asset->mesh.nodes[i]);
    asset->hull = hullOfMesh(&asset->mesh);
    asset->mass = massOfTetMesh(&asset->mesh);
    return shOk;
}

double assetGridCell(shBox box, float thickness)
{
    Vec3 extent = boxSize(box);
    double longest = (double)maxF(extent.x, maxF(extent.y, extent.z));
    return clampD((double)thickness / GRID_CELLS_PER_THICKNESS, longest / GRID_MAX_CELLS, longest / GRID_MIN_CELLS);
}

// The grid must be one of this very surface: near each node of it, it must say so.
static shStatus checkGridFits(const shAsset* asset, shMessage* message)
{
    const TetMesh* mesh = &asset->mesh;
    for (int i = 0; i < mesh->surfaceNodeCount; ++i) {
        float distance = distanceGridSample(&asset->grid, mesh->nodes[i]).distance;
        if (!(fabsf(distance) <= asset->grid.shape.cellSize))
            return imageFail(&asset->image, message, asset->grid.values,
                             "the distance grid says %g m at node %d, which is on the surface", (double)distance, i);
    }
    return shOk;
}

static shStatus readGrid(shAsset* asset, shMessage* message)
{
    DistanceGrid* grid = &asset->grid;
    const void *shape, *index, *values;
    int shapeCount = 0, indexCount = 0, valueCount = 0;
    shStatus status = readArray(asset, "GRID", sizeof(grid->shape), &shape, &shapeCount, message);
    if (status == shOk)
        status = readArray(asset, "GIDX", sizeof(*grid->index), &index, &indexCount, message);
    if (status == shOk)
        status = readArray(asset, "GVAL", sizeof(*grid->values), &values, &valueCount, message);
    if (status != shOk)
        return status;
    if (shapeCount != 1)
        return imageFail(&asset->image, message, shape, "%d distance grids instead of one", shapeCount);
    memcpy(&grid->shape, shape, sizeof(grid->shape));
    shMessage reason;
    status = distanceGridCheckShape(&grid->shape, &reason);
    if (status != shOk)
        return refuse(asset, shape, status, &reason, message);
    if (indexCount != distanceGridIndexCount(&grid->shape) || valueCount != distanceGridValueCount(&grid->shape))
        return imageFail(&asset->image, message, shape,
                         "a distance grid of %lld bricks and %lld values, but there are %d and %d",
                         (long long)distanceGridIndexCount(&grid->shape),
                         (long long)distanceGridValueCount(&grid->shape), indexCount, valueCount);
    grid->index = (int32_t*)(uintptr_t)index;
    grid->values = (float*)(uintptr_t)values;
    double fine = assetGridCell(asset->box, asset->record->thickness);
    asset->gridIsFine = grid->shape.cellSize <= (float)fine;
    status = distanceGridCheck(grid, &reason);
    return status == shOk ? checkGridFits(asset, message) : refuse(asset, index, status, &reason, message);
}

// Those that were not asked for are not there: assets without them are as they were before there were any.
static shStatus readInner(shAsset* asset, shMessage* message)
{
    InnerTree* tree = &asset->inner.tree;
    const void *record, *spheres, *nodes;
    int recordCount = 0;
    if (imageFind(&asset->image, "INNR") == NULL)
        return shOk;
    shStatus status = readArray(asset, "INNR", sizeof(tree->record), &record, &recordCount, message);
    if (status == shOk)
        status = readArray(asset, "INNS", sizeof(*tree->spheres), &spheres, &tree->sphereCount, message);
    if (status == shOk)
        status = readArray(asset, "INNN", sizeof(*tree->nodes), &nodes, &tree->nodeCount, message);
    if (status != shOk)
        return status;
    if (recordCount != 1)
        return imageFail(&asset->image, message, record, "%d records of inner spheres instead of one", recordCount);
    memcpy(&tree->record, record, sizeof(tree->record));
    tree->spheres = (InnerSphere*)(uintptr_t)spheres;
    tree->nodes = (InnerNode*)(uintptr_t)nodes;
    shMessage reason = {""};
    const TetMesh* mesh = &asset->mesh;
    status = innerTreeCheck(tree, mesh->triangleCount, &reason);
    if (status != shOk)
        return refuse(asset, spheres, status, &reason, message);
    asset->inner.context = asset->context;
    asset->hasInner = innerSurfaceInit(&asset->inner.surface, &asset->context->memory, mesh->surfaceNodeCount,
                                       mesh->nodes, mesh->triangleCount, (const int(*)[3])mesh->triangles);
    return asset->hasInner ? shOk : failMemory(message);
}

const shInnerSpheres* shAsset_GetInnerSpheres(const shAsset* asset) { return asset->hasInner ? &asset->inner : NULL; }

// A new stage of the cook adds its reader here, and its arrays to shAsset.
typedef shStatus Reader(shAsset* asset, shMessage* message);
static Reader* const readers[] = {readRecord, readSurfaces, readMesh, readGrid, texturesRead, readInner};

static shStatus readAll(shAsset* asset, shMessage* message)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); ++i) {
        shStatus status = readers[i](asset, message);
        if (status != shOk)
            return status;
    }
    const ImageHeader* header = (const ImageHeader*)asset->image.bytes;
    if (header->chunkCount != (uint32_t)asset->chunksRead)
        return imageFail(&asset->image, message, &header->chunkCount, "%u chunks, of which this program knows %d",
                         header->chunkCount, asset->chunksRead);
    return shOk;
}

// Life ----------------------------------------------------------------------------------------------------------------

shStatus assetOpen(shContext* context, const char* name, const void* bytes, size_t size, AssetRelease* release,
                   shAsset** asset, shMessage* message)
{
    shAsset* made = NEW_ZEROED(&context->memory, shAsset, 1);
    if (made == NULL)
        return failMemory(message);
    made->context = context;
    shStatus status = imageOpen(&made->image, name, bytes, size, ASSET_VERSION, message);
    if (status == shOk)
        status = readAll(made, message);
    if (status == shOk)
        status = restBuild(&made->rest, context, &context->memory, &made->mesh, message);
    if (status == shOk) {
        made->image.name = made->record->name; // the file's name was the caller's
        made->release = release;
        *asset = made;
    } else {
        innerSurfaceFree(&made->inner.surface, &context->memory);
        FREE_ARRAY(&context->memory, made, 1);
    }
    return status;
}

void assetReleaseMemory(Memory* memory, const void* bytes, size_t size)
{
    memFree(memory, (void*)(uintptr_t)bytes, size);
}

shStatus shLoadAssetFromMemory(shContext* context, const void* bytes, size_t size, const char* name, shAsset** asset,
                               shMessage* message)
{
    if (context == NULL || asset == NULL || (bytes == NULL && size > 0))
        return fail(message, shInvalid, "load: context, bytes and asset must not be null");
    *asset = NULL;
    name = name != NULL ? name : "memory";
    void* copy = memAlloc(&context->memory, size);
    if (copy != NULL)
        memcpy(copy, bytes, size);
    else if (size > 0)
        return failMemory(message);
    shStatus status = assetOpen(context, name, copy, size, assetReleaseMemory, asset, message);
    if (status != shOk)
        memFree(&context->memory, copy, size);
    return status;
}

void shDestroyAsset(shAsset* asset)
{
    if (asset == NULL)
        return;
    Memory* memory = &asset->context->memory;
    restFree(&asset->rest, memory);
    innerSurfaceFree(&asset->inner.surface, memory);
    asset->release(memory, asset->image.bytes, asset->image.size);
    FREE_ARRAY(memory, asset, 1);
}

// Questions -----------------------------------------------------------------------------------------------------------

shAssetInfo shAsset_GetInfo(const shAsset* asset)
{
    const TetMesh* mesh = &asset->mesh;
    TetQuality quality = tetMeshQuality(mesh, &asset->context->memory);
    double density = (double)asset->record->material.density;
    MassProperties mass = asset->mass;
    DMat3 inertia = mass.inertia;
    return (shAssetInfo){
        .name = asset->record->name,
        .material = &asset->record->material,
        .contentHash = ((const ImageHeader*)asset->image.bytes)->checksum,
        .imageBytes = (int64_t)asset->image.size,
        .pointCount = mesh->nodeCount,
        .surfacePointCount = mesh->surfaceNodeCount,
        .tetCount = mesh->tetCount,
        .triangleCount = mesh->triangleCount,
        .surfaceCount = asset->surfaceCount,
        .box = asset->box,
        .gridCell = asset->grid.shape.cellSize,
        .gridBytes = (int64_t)distanceGridMemory(&asset->grid),
        .volume = mass.volume,
        .mass = density * mass.volume,
        .centre = {mass.centre.x, mass.centre.y, mass.centre.z},
        .inertia = {{density * inertia.r0.x, density * inertia.r0.y, density * inertia.r0.z},
                    {density * inertia.r1.x, density * inertia.r1.y, density * inertia.r1.z},
                    {density * inertia.r2.x, density * inertia.r2.y, density * inertia.r2.z}},
        .minDihedral = quality.minDihedral,
        .maxDihedral = quality.maxDihedral,
        .meanEdge = quality.meanEdge,
    };
}

shSurface shAsset_GetSurface(const shAsset* asset, int slot)
{
    bool known = slot >= 0 && slot < asset->surfaceCount;
    return asset->surfaces[known ? 1 + slot : 0];
}

const void* shAsset_GetImage(const shAsset* asset, size_t* size)
{
    if (size != NULL)
        *size = asset->image.size;
    return asset->image.bytes;
}

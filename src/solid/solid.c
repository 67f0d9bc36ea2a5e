// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/solid.h"

#include "core/message.h"
#include "field/surface_mass.h"

shStatus shCreateSolid(const shAsset* asset, shSolid** solid, shMessage* message)
{
    if (asset == NULL || solid == NULL)
        return fail(message, shInvalid, "solid: asset and solid must not be null");
    *solid = NULL;
    Memory* memory = &asset->context->memory;
    shSolid* made = NEW_ZEROED(memory, shSolid, 1);
    if (made == NULL)
        return failMemory(message);
    made->asset = asset;
    fieldInit(&made->field, memory, &asset->rest.field.view);
    made->field.context = asset->context;
    treesInit(&made->trees, memory, asset->rest.tree, asset->mesh.nodeCount, asset->rest.treeRoot);
    *solid = made;
    return shOk;
}

void shDestroySolid(shSolid* solid)
{
    if (solid == NULL)
        return;
    Memory* memory = &solid->asset->context->memory;
    fieldFree(&solid->field);
    treesFree(&solid->trees);
    samplesFree(&solid->samples, memory);
    FREE_ARRAY(memory, solid, 1);
}

const shAsset* shSolid_GetAsset(const shSolid* solid) { return solid->asset; }

int shSolid_GetPieceCount(const shSolid* solid) { return fieldPieceCount(&solid->field); }

int64_t shSolid_GetBytes(const shSolid* solid)
{
    return (int64_t)sizeof(shSolid) + fieldBytes(&solid->field) + treesBytes(&solid->trees) +
           samplesBytes(&solid->samples);
}

typedef struct BreakGrowth {
    shSolid* solid;
    int piece;
} BreakGrowth;

static bool growSolid(const FragmentField* field, int newCuts, int newPieces, void* user)
{
    const BreakGrowth* growth = user;
    return treesReserve(&growth->solid->trees, newCuts, field->pieces.count + newPieces,
                        field->rest->mesh->nodeCount + 2 * field->cuts.count) &&
           samplesReserve(&growth->solid->samples, field, growth->piece, newCuts, newPieces);
}

shStatus shSolid_Break(shSolid* solid, const shCrack* crack, shBreak* result, shMessage* message)
{
    if (solid == NULL || crack == NULL || crack->labels == NULL)
        return fail(message, shInvalid, "break: the crack has no labels; give one per node of the asset");
    Crack inner = {crack->piece, crack->labels, crack->cut, crack->user};
    double start = contextSeconds(solid->asset->context);
    shStatus status = fieldBreak(&solid->field, &inner, growSolid, &(BreakGrowth){solid, crack->piece}, message);
    if (status != shOk && solid->field.labels == NULL) { // still unbroken: what was reserved goes back
        treesFree(&solid->trees);
        samplesFree(&solid->samples, &solid->asset->context->memory);
    }
    if (status != shOk)
        return status;
    treesBreak(&solid->trees, &solid->field);
    samplesBreak(&solid->samples, &solid->field, &solid->asset->rest);
    solid->updateSeconds += contextSeconds(solid->asset->context) - start;
    if (result != NULL)
        *result = (shBreak){solid->field.children.count, solid->field.children.data};
    return shOk;
}

shStatus shSolid_RemovePiece(shSolid* solid, int piece, shMessage* message)
{
    if (solid == NULL || !fieldHasPiece(&solid->field, piece))
        return fail(message, shInvalid, "remove: the solid has no piece %d", piece);
    if (solid->field.labels == NULL)
        return fail(message, shInvalid, "remove: the solid is whole; destroy it instead");
    fieldRemovePiece(&solid->field, piece);
    return shOk;
}

// ---- questions ------------------------------------------------------------------------------------------------------

typedef struct Triangles {
    const shSolid* solid;
    Vec3 (*corners)[3];
    int* slots;
    int count, capacity;
} Triangles;

static void addTriangle(const Vec3 p[3], int source, void* user)
{
    Triangles* triangles = user;
    if (triangles->count < triangles->capacity) {
        for (int k = 0; k < 3; ++k)
            triangles->corners[triangles->count][k] = p[k];
        if (triangles->slots != NULL)
            triangles->slots[triangles->count] = source < 0 ? -1 : triangles->solid->asset->mesh.groups[source];
    }
    ++triangles->count;
}

int shSolid_GetTriangles(const shSolid* solid, int piece, shVec3 (*corners)[3], int* slots, int capacity)
{
    if (!fieldHasPiece(&solid->field, piece))
        return 0;
    Triangles triangles = {solid, corners, slots, 0, capacity};
    fieldSurface(&solid->field, piece, addTriangle, &triangles);
    return triangles.count;
}

typedef struct MassSum {
    const FragmentField* field;
    MassMoments moments;
    DVec3 origin; // the first corner
    int count;
} MassSum;

static void addMass(const int* features, int count, void* user)
{
    MassSum* sum = user;
    if (sum->count == 0) {
        Vec3 corners[3];
        fieldFeature(sum->field, features[0], corners);
        sum->origin = dFromV(corners[0]);
    }
    sum->count += count;
    SkinSource source = {sum->field->rest->mesh, sum->field->facets.data};
    SIMD_CHOOSE(surfaceAddMass)(&sum->moments, &source, sum->origin, features, count);
}

// Of the whole.
static MassProperties massOf(const FragmentField* field, int* triangles)
{
    MassSum sum = {.field = field};
    fieldSurfaceFeatures(field, 0, addMass, &sum);
    *triangles = sum.count;
    return massFromMoments(&sum.moments, sum.origin);
}

shPieceInfo shSolid_GetPiece(const shSolid* solid, int piece)
{
    const FragmentField* field = &solid->field;
    if (!fieldHasPiece(field, piece))
        return (shPieceInfo){0};
    int triangles;
    MassProperties mass;
    if (field->labels != NULL) {
        mass = field->pieces.data[piece].mass;
        triangles = field->pieces.data[piece].triangles;
    } else {
        mass = massOf(field, &triangles);
    }
    double density = (double)solid->asset->record->material.density;
    shPieceInfo info = {.volume = mass.volume,
                        .mass = density * mass.volume,
                        .centre = {mass.centre.x, mass.centre.y, mass.centre.z},
                        .box = fieldBox(&solid->field, piece),
                        .parent = solid->field.labels != NULL ? solid->field.pieces.data[piece].parent : -1,
                        .triangleCount = triangles};
    const DVec3 rows[3] = {mass.inertia.r0, mass.inertia.r1, mass.inertia.r2};
    for (int i = 0; i < 3; ++i) {
        info.inertia[i][0] = density * rows[i].x;
        info.inertia[i][1] = density * rows[i].y;
        info.inertia[i][2] = density * rows[i].z;
    }
    return info;
}

bool shSolid_HasPiece(const shSolid* solid, int piece) { return fieldHasPiece(&solid->field, piece); }

int shSolid_FindOwner(const shSolid* solid, shVec3 point) { return fieldOwner(&solid->field, point); }

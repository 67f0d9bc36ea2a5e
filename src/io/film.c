// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "sherd/film.h"

#include "collide/scenery.h"
#include "core/array.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/message.h"
#include "core/quat.h"
#include "solid/solid.h"

#include <stdio.h>
#include <string.h>

// A body in one shape: when it breaks, the actor goes and another comes.
typedef struct Actor {
    shBodyId body;
    double mass, volume; // one of them changes when it breaks; that of static bodies is always 0 kg
    bool gone;
    char name[48];
    shExportMesh mesh; // arrays are ours
    ARRAY(float) times;
    ARRAY(shTransform) poses;
    float birth, death;
} Actor;

// The actor that plays a body slot now; −1: none.
typedef struct Role {
    int actor;
} Role;

typedef struct FilmMaterial {
    char name[48];
    shExportMaterial look;
} FilmMaterial;

struct shFilm {
    shContext* context;
    Memory* memory;
    double framesPerSecond;
    int frameCount;
    bool between; // the last keys are not of a frame: the next ones take their place, unless they are the last of all
    double last;
    float shapeColor[3];
    ARRAY(Actor) actors;
    ARRAY(Role) roles; // by body slot
    ARRAY(FilmMaterial) materials;
    ARRAY(shTexture) textures; // copies: an asset may be gone when the film is written
};

shStatus shCreateFilm(shContext* context, double framesPerSecond, shFilm** film, shMessage* message)
{
    if (context == NULL || film == NULL || !(framesPerSecond > 0.0) || !isfinite(framesPerSecond))
        return fail(message, shInvalid, "film: give a context and more than 0 frames per second");
    shFilm* made = NEW_ZEROED(&context->memory, shFilm, 1);
    *film = made;
    if (made == NULL)
        return failMemory(message);
    made->context = context;
    made->memory = &context->memory;
    made->framesPerSecond = framesPerSecond;
    shFilm_SetShapeColor(made, 0.55f, 0.53f, 0.5f);
    return shOk;
}

static void freeMesh(Memory* memory, shExportMesh* mesh)
{
    FREE_ARRAY(memory, (shVec3*)mesh->positions, mesh->vertexCount);
    FREE_ARRAY(memory, (shVec3*)mesh->normals, mesh->vertexCount);
    FREE_ARRAY(memory, (float(*)[2])mesh->uvs, mesh->uvs != NULL ? mesh->vertexCount : 0);
    FREE_ARRAY(memory, (int(*)[3])mesh->triangles, mesh->triangleCount);
    FREE_ARRAY(memory, (uint16_t*)mesh->materials, mesh->triangleCount);
    *mesh = (shExportMesh){0};
}

void shDestroyFilm(shFilm* film)
{
    if (film == NULL)
        return;
    Memory* memory = film->memory;
    for (int i = 0; i < film->actors.count; ++i) {
        freeMesh(memory, &film->actors.data[i].mesh);
        arrayFree(memory, &film->actors.data[i].times);
        arrayFree(memory, &film->actors.data[i].poses);
    }
    arrayFree(memory, &film->actors);
    arrayFree(memory, &film->roles);
    arrayFree(memory, &film->materials);
    for (int i = 0; i < film->textures.count; ++i)
        memFree(memory, (void*)(uintptr_t)film->textures.data[i].bytes, film->textures.data[i].size);
    arrayFree(memory, &film->textures);
    FREE_ARRAY(memory, film, 1);
}

void shFilm_SetShapeColor(shFilm* film, float red, float green, float blue)
{
    film->shapeColor[0] = red;
    film->shapeColor[1] = green;
    film->shapeColor[2] = blue;
}

shFilmInfo shFilm_GetInfo(const shFilm* film) { return (shFilmInfo){film->frameCount, film->actors.count, film->last}; }

// ---- looks ----------------------------------------------------------------------------------------------------------

static bool sameLook(const shExportMaterial* a, const shExportMaterial* b)
{
    for (int k = 0; k < 4; ++k) {
        if (a->color[k] != b->color[k])
            return false;
    }
    return a->metallic == b->metallic && a->roughness == b->roughness &&
           memcmp(&a->maps, &b->maps, sizeof a->maps) == 0;
}

// The number of a material; −1: no memory.
static int materialOf(shFilm* film, const char* name, const shExportMaterial* look)
{
    for (int i = 0; i < film->materials.count; ++i) {
        const FilmMaterial* known = &film->materials.data[i]; // assets call unlike looks "outside"
        if (strcmp(known->name, name) == 0 && sameLook(&known->look, look))
            return i;
    }
    if (!arrayReserve(film->memory, &film->materials, film->materials.count + 1))
        return -1;
    FilmMaterial* material = &film->materials.data[film->materials.count];
    snprintf(material->name, sizeof material->name, "%s", name);
    material->look = *look;
    return film->materials.count++;
}

// The number of a texture plus one, 0 for none; −1: no memory. Equal ones are kept once.
static int textureOf(shFilm* film, const shAsset* asset, int map)
{
    if (map == 0)
        return 0;
    shTexture texture = shAsset_GetTexture(asset, map - 1);
    for (int i = 0; i < film->textures.count; ++i)
        if (film->textures.data[i].size == texture.size &&
            memcmp(film->textures.data[i].bytes, texture.bytes, texture.size) == 0)
            return i + 1;
    void* copy = memAlloc(film->memory, texture.size);
    if (copy == NULL || !arrayReserve(film->memory, &film->textures, (int64_t)film->textures.count + 1)) {
        memFree(film->memory, copy, texture.size);
        return -1;
    }
    memcpy(copy, texture.bytes, texture.size);
    film->textures.data[film->textures.count++] = (shTexture){copy, texture.size};
    return film->textures.count;
}

static int surfaceMaterial(shFilm* film, const shAsset* asset, int slot)
{
    shSurface surface = shAsset_GetSurface(asset, slot);
    shExportMaterial look = {.metallic = surface.metallic, .roughness = surface.roughness};
    memcpy(look.color, surface.color, sizeof look.color);
    shSurfaceMaps maps = shAsset_GetSurfaceMaps(asset, slot);
    look.maps = (shSurfaceMaps){textureOf(film, asset, maps.color), textureOf(film, asset, maps.normal),
                                textureOf(film, asset, maps.metallicRoughness), textureOf(film, asset, maps.emissive)};
    if (look.maps.color < 0 || look.maps.normal < 0 || look.maps.metallicRoughness < 0 || look.maps.emissive < 0)
        return -1;
    return materialOf(film, surface.name, &look);
}

static shStatus pieceMesh(shFilm* film, const shSolid* solid, int piece, shExportMesh* mesh, shMessage* message)
{
    shPieceMesh made;
    shStatus status = shSolid_CreatePieceMesh(solid, piece, &made, message);
    if (status != shOk)
        return status;
    uint16_t* materials = NEW_ARRAY(film->memory, uint16_t, made.triangleCount);
    for (int t = 0; materials != NULL && status == shOk && t < made.triangleCount; ++t) {
        int material = surfaceMaterial(film, shSolid_GetAsset(solid), made.slots[t]);
        materials[t] = (uint16_t)maxI(material, 0);
        status = material >= 0 ? shOk : failMemory(message);
    }
    if (materials == NULL)
        status = failMemory(message);
    if (status != shOk) {
        FREE_ARRAY(film->memory, materials, made.triangleCount);
        shSolid_DestroyPieceMesh(solid, &made);
        return status;
    }
    // All but the slots becomes ours.
    *mesh = (shExportMesh){.vertexCount = made.vertexCount,
                           .triangleCount = made.triangleCount,
                           .positions = made.positions,
                           .normals = made.normals,
                           .uvs = (const float(*)[2])made.uvs,
                           .triangles = (const int(*)[3])made.triangles,
                           .materials = materials};
    FREE_ARRAY(&shSolid_GetAsset(solid)->context->memory, made.slots, made.triangleCount);
    return shOk;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

// Round shapes are grids of quads over longitude and latitude, boxes six faces, planes a square around the origin.
enum { meridians = 32, parallels = 16, gridQuads = meridians * parallels };

static void roundVertex(const shShape* shape, int u, int v, Vec3* position, Vec3* normal)
{
    double sinU, cosU, sinV, cosV;
    trigSinCos(6.28318530717958647692 * (double)(u % meridians) / meridians, &sinU, &cosU);
    trigSinCos(3.14159265358979323846 * (double)v / parallels, &sinV, &cosV);
    if (v == 0 || v == parallels)
        sinV = 0.0;
    *normal = vec3((float)(sinV * sinU), (float)-cosV, (float)(sinV * cosU));
    float lift = shape->type == shCapsuleShape ? (2 * v < parallels ? -shape->halfHeight : shape->halfHeight) : 0.0f;
    *position = vMad(vec3(0.0f, lift, 0.0f), shape->radius, *normal);
}

static void boxVertex(Vec3 half, int face, int corner, Vec3* position, Vec3* normal)
{
    int axis = face / 2;
    float sign = face & 1 ? 1.0f : -1.0f;
    float u = corner == 1 || corner == 2 ? 1.0f : -1.0f, v = corner >= 2 ? 1.0f : -1.0f;
    float at[3], out[3] = {0.0f, 0.0f, 0.0f};
    at[axis] = sign;
    at[(axis + 1) % 3] = sign * u;
    at[(axis + 2) % 3] = v;
    out[axis] = sign;
    *position = vec3(at[0] * half.x, at[1] * half.y, at[2] * half.z);
    *normal = vec3(out[0], out[1], out[2]);
}

// Room for triangles that share no vertices, or quads of two.
static shStatus openMesh(shFilm* film, int vertices, int triangleCount, int material, shExportMesh* mesh,
                         shMessage* message)
{
    *mesh = (shExportMesh){.vertexCount = vertices,
                           .triangleCount = triangleCount,
                           .positions = NEW_ARRAY(film->memory, Vec3, vertices),
                           .normals = NEW_ARRAY(film->memory, Vec3, vertices),
                           .triangles = memAlloc(film->memory, sizeof(int[3]) * (size_t)triangleCount),
                           .materials = NEW_ARRAY(film->memory, uint16_t, triangleCount)};
    if (mesh->positions == NULL || mesh->normals == NULL || mesh->triangles == NULL || mesh->materials == NULL ||
        material < 0) {
        freeMesh(film->memory, mesh);
        return failMemory(message);
    }
    for (int i = 0; i < triangleCount; ++i)
        ((uint16_t*)mesh->materials)[i] = (uint16_t)material;
    return shOk;
}

static shStatus shapeMesh(shFilm* film, const shShape* shape, shExportMesh* mesh, shMessage* message)
{
    bool round = shape->type == shSphereShape || shape->type == shCapsuleShape;
    int quads = round ? gridQuads : shape->type == shBoxShape ? 6 : 1;
    shExportMaterial look = {.color = {film->shapeColor[0], film->shapeColor[1], film->shapeColor[2], 1.0f},
                             .roughness = 0.6f};
    if (round)
        look = (shExportMaterial){.color = {0.5f, 0.5f, 0.52f, 1.0f}, .metallic = 1.0f, .roughness = 0.35f};
    int material = materialOf(film, round ? "ball" : "ground", &look);
    shStatus status = openMesh(film, 4 * quads, 2 * quads, material, mesh, message);
    if (status != shOk)
        return status;
    Vec3 *positions = (Vec3*)mesh->positions, *normals = (Vec3*)mesh->normals;
    int(*triangles)[3] = (int(*)[3])mesh->triangles;
    for (int q = 0; q < quads; ++q) {
        for (int k = 0; k < 4; ++k) {
            Vec3 *position = &positions[4 * q + k], *normal = &normals[4 * q + k];
            if (round) {
                roundVertex(shape, q % meridians + (k == 1 || k == 2), q / meridians + (k >= 2), position, normal);
            } else if (shape->type == shBoxShape) {
                boxVertex(shape->halfExtent, q, k, position, normal);
            } else {
                boxVertex(vec3(FILM_GROUND, 0.0f, FILM_GROUND), 3, k, position, normal);
            }
        }
        for (int half = 0; half < 2; ++half) {
            int* triangle = triangles[2 * q + half];
            triangle[0] = 4 * q;
            triangle[1] = 4 * q + 1 + half;
            triangle[2] = 4 * q + 2 + half;
        }
    }
    return shOk;
}

static shStatus sceneryMesh(shFilm* film, const shScenery* scenery, shExportMesh* mesh, shMessage* message)
{
    shExportMaterial look = {.color = {film->shapeColor[0], film->shapeColor[1], film->shapeColor[2], 1.0f},
                             .roughness = 0.9f};
    int count = shScenery_GetInfo(scenery).triangleCount, material = materialOf(film, "ground", &look);
    shStatus status = openMesh(film, 3 * count, count, material, mesh, message);
    for (int slot = 0, t = 0; status == shOk && slot < scenery->slotCount && t < count; ++slot) {
        const SceneryPacket* packet = &scenery->packets[slot / wideLanes];
        if (scenery->triangles[slot].id < 0)
            continue;
        for (int k = 0; k < 3; ++k) {
            const float(*axes)[wideLanes] = packet->corners[k];
            int lane = slot % wideLanes;
            ((Vec3*)mesh->positions)[3 * t + k] = vec3(axes[0][lane], axes[1][lane], axes[2][lane]);
            ((Vec3*)mesh->normals)[3 * t + k] = scenery->triangles[slot].normal;
            ((int(*)[3])mesh->triangles)[t][k] = 3 * t + k;
        }
        ++t;
    }
    return status;
}

// ---- time -----------------------------------------------------------------------------------------------------------

// m³ of what is made of an asset; else 0.
static double volumeOf(const shWorld* world, shBodyId id)
{
    int piece;
    const shSolid* solid = shBody_GetSolid(world, id, &piece);
    return solid != NULL ? shSolid_GetPiece(solid, piece).volume : 0.0;
}

static bool addKey(shFilm* film, Actor* actor, double time, shTransform pose)
{
    int count = actor->times.count;
    if (count > 0 && (float)time <= actor->times.data[count - 1])
        return true;
    if (count > 1 && film->between)
        actor->times.count = actor->poses.count = --count;
    if (!arrayReserve(film->memory, &actor->times, count + 1) || !arrayReserve(film->memory, &actor->poses, count + 1))
        return false;
    actor->times.data[actor->times.count++] = (float)time;
    actor->poses.data[actor->poses.count++] = pose;
    return true;
}

static shStatus addActor(shFilm* film, const shWorld* world, shBodyId id, double time, shMessage* message)
{
    if (!arrayReserve(film->memory, &film->actors, film->actors.count + 1))
        return failMemory(message);
    Actor* actor = &film->actors.data[film->actors.count];
    *actor =
        (Actor){.body = id, .mass = shBody_GetMass(world, id), .volume = volumeOf(world, id), .birth = (float)time};
    int piece;
    const shSolid* solid = shBody_GetSolid(world, id, &piece);
    const shShape* shape = shBody_GetShape(world, id);
    const char* kind = solid != NULL ? solid->asset->record->name : shape != NULL ? "shape" : "scenery";
    if (shape != NULL && shape->type == shPlaneShape)
        snprintf(actor->name, sizeof actor->name, "ground"); // sherd render shows it endless
    else
        snprintf(actor->name, sizeof actor->name, "%.24s %d", kind, film->actors.count);
    shStatus status = solid != NULL   ? pieceMesh(film, solid, piece, &actor->mesh, message)
                      : shape != NULL ? shapeMesh(film, shape, &actor->mesh, message)
                                      : sceneryMesh(film, shBody_GetScenery(world, id), &actor->mesh, message);
    if (status != shOk)
        return status;
    film->roles.data[id.index].actor = film->actors.count++;
    return addKey(film, actor, time, shBody_GetTransform(world, id)) ? shOk : failMemory(message);
}

static shStatus followBody(shFilm* film, const shWorld* world, int slot, double time, shMessage* message)
{
    shBodyId id = shWorld_GetBodyAt(world, slot);
    Role* role = &film->roles.data[slot];
    Actor* actor = role->actor >= 0 ? &film->actors.data[role->actor] : NULL;
    bool same = actor != NULL && actor->body.generation == id.generation && actor->mass == shBody_GetMass(world, id) &&
                actor->volume == volumeOf(world, id);
    if (actor != NULL && !same) {
        actor->death = (float)time;
        actor->gone = true;
        role->actor = -1;
    }
    if (id.generation == 0)
        return shOk;
    if (!same)
        return addActor(film, world, id, time, message);
    if (shBody_GetType(world, id) != shStaticBody && !addKey(film, actor, time, shBody_GetTransform(world, id)))
        return failMemory(message);
    return shOk;
}

shStatus shFilm_Record(shFilm* film, const shWorld* world, double time, shMessage* message)
{
    if (film == NULL || world == NULL || !isfinite(time) || time < film->last)
        return fail(message, shInvalid, "film: times must be finite and ascend");
    int limit = shWorld_GetBodyLimit(world), known = film->roles.count;
    if (!arrayReserve(film->memory, &film->roles, limit))
        return failMemory(message);
    for (int i = known; i < limit; ++i)
        film->roles.data[i].actor = -1;
    film->roles.count = maxI(known, limit);
    bool frame = time * film->framesPerSecond > (double)film->frameCount - FILM_EARLY;
    for (int i = 0; i < limit; ++i) {
        shStatus status = followBody(film, world, i, time, message);
        if (status != shOk)
            return status;
    }
    film->frameCount += frame;
    film->between = !frame;
    film->last = time;
    return shOk;
}

shStatus shFilm_Write(const shFilm* film, const char* path, shMessage* message)
{
    if (film == NULL || path == NULL)
        return fail(message, shInvalid, "film: give a film and a path");
    int count = film->actors.count, materialCount = film->materials.count;
    shExportMesh* meshes = NEW_ZEROED(film->memory, shExportMesh, count);
    shExportNode* nodes = NEW_ZEROED(film->memory, shExportNode, count);
    shExportTrack* tracks = NEW_ZEROED(film->memory, shExportTrack, count);
    shExportMaterial* materials = NEW_ZEROED(film->memory, shExportMaterial, materialCount);
    shStatus status = count == 0 || (meshes && nodes && tracks && materials) ? shOk : failMemory(message);
    for (int i = 0; status == shOk && i < materialCount; ++i) {
        materials[i] = film->materials.data[i].look;
        materials[i].name = film->materials.data[i].name;
    }
    for (int i = 0; status == shOk && i < count; ++i) {
        const Actor* actor = &film->actors.data[i];
        meshes[i] = actor->mesh;
        meshes[i].name = actor->name;
        tracks[i] = (shExportTrack){actor->times.count, actor->times.data, actor->poses.data, actor->birth,
                                    actor->gone ? actor->death : 0.0f};
        bool still = actor->times.count < 2 && actor->birth == 0.0f && !actor->gone;
        nodes[i] = (shExportNode){actor->name, actor->mesh.triangleCount > 0 ? i : -1, actor->poses.data[0],
                                  still ? NULL : &tracks[i]};
    }
    if (status == shOk) {
        shExportScene scene = {materialCount,      count, count, materials, meshes, nodes, film->textures.count,
                               film->textures.data};
        status = shWriteScene(film->context, &scene, path, message);
    }
    FREE_ARRAY(film->memory, meshes, count);
    FREE_ARRAY(film->memory, nodes, count);
    FREE_ARRAY(film->memory, tracks, count);
    FREE_ARRAY(film->memory, materials, materialCount);
    return status;
}

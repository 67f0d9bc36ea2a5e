// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "examples/ode/film.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { maxActors = 64, maxMaterials = 16 };

typedef struct Actor {
    char name[32];
    shExportMesh mesh; // its arrays are ours
    shTransform pose;
    int keyCount, keyCapacity;
    float* times;
    shTransform* poses;
    float birth, death;
} Actor;

struct Film {
    double framesPerSecond;
    int frame;
    int actorCount, materialCount;
    Actor actors[maxActors];
    char materialNames[maxMaterials][32];
    shExportMaterial materials[maxMaterials];
};

static void* need(void* memory)
{
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

Film* filmCreate(double framesPerSecond)
{
    Film* film = need(calloc(1, sizeof *film));
    film->framesPerSecond = framesPerSecond;
    return film;
}

void filmDestroy(Film* film)
{
    for (int i = 0; i < film->actorCount; ++i) {
        Actor* actor = &film->actors[i];
        free((void*)actor->mesh.positions);
        free((void*)actor->mesh.normals);
        free((void*)actor->mesh.triangles);
        free((void*)actor->mesh.materials);
        free(actor->times);
        free(actor->poses);
    }
    free(film);
}

static uint16_t material(Film* film, const char* name, const float color[3], float metallic, float roughness)
{
    for (int i = 0; i < film->materialCount; ++i) {
        if (strcmp(film->materialNames[i], name) == 0)
            return (uint16_t)i;
    }
    if (film->materialCount == maxMaterials)
        return 0;
    int i = film->materialCount++;
    snprintf(film->materialNames[i], sizeof film->materialNames[i], "%s", name);
    film->materials[i] = (shExportMaterial){.name = film->materialNames[i],
                                            .color = {color[0], color[1], color[2], 1.0f},
                                            .metallic = metallic,
                                            .roughness = roughness};
    return (uint16_t)i;
}

// ---- meshes of separate triangles ---------------------------------------------------------------------------------

typedef struct Corner {
    shVec3 p;
    int index;
} Corner;

static int compareCorners(const void* a, const void* b)
{
    const Corner *c = a, *d = b;
    float left[3] = {c->p.x, c->p.y, c->p.z}, right[3] = {d->p.x, d->p.y, d->p.z};
    for (int i = 0; i < 3; ++i) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return (c->index > d->index) - (c->index < d->index);
}

static shVec3 areaVector(const shVec3 p[3])
{
    shVec3 a = {p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
    shVec3 b = {p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
    return (shVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float dot(shVec3 a, shVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static shVec3 unit(shVec3 v)
{
    float length = sqrtf(dot(v, v));
    float scale = length > 0.0f ? 1.0f / length : 0.0f;
    return (shVec3){v.x * scale, v.y * scale, v.z * scale};
}

// Smooth where triangles of one material meet at less than 30°.
static void makeNormals(int triangleCount, const shVec3 (*p)[3], const uint16_t* materials, shVec3* normals)
{
    int count = 3 * triangleCount;
    Corner* corners = need(malloc((size_t)count * sizeof *corners));
    shVec3* areas = need(malloc((size_t)triangleCount * sizeof *areas));
    for (int i = 0; i < triangleCount; ++i)
        areas[i] = areaVector(p[i]);
    for (int i = 0; i < count; ++i)
        corners[i] = (Corner){p[i / 3][i % 3], i};
    qsort(corners, (size_t)count, sizeof *corners, compareCorners);
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && memcmp(&corners[end].p, &corners[begin].p, sizeof(shVec3)) == 0; ++end) {
        }
        for (int i = begin; i < end; ++i) {
            int own = corners[i].index / 3;
            shVec3 flat = unit(areas[own]), sum = {0.0f, 0.0f, 0.0f};
            for (int k = begin; k < end; ++k) {
                int other = corners[k].index / 3;
                shVec3 area = areas[other];
                if (materials[other] != materials[own] || dot(flat, unit(area)) < 0.866f)
                    continue;
                sum = (shVec3){sum.x + area.x, sum.y + area.y, sum.z + area.z};
            }
            shVec3 normal = unit(sum);
            normals[corners[i].index] = dot(normal, normal) > 0.5f ? normal : (shVec3){0.0f, 1.0f, 0.0f};
        }
    }
    free(corners);
    free(areas);
}

// Takes over both arrays.
static int addActor(Film* film, const char* name, int triangleCount, shVec3 (*corners)[3], uint16_t* materials,
                    double birth)
{
    if (film->actorCount == maxActors) {
        fprintf(stderr, "a film has room for %d actors\n", maxActors);
        exit(1);
    }
    Actor* actor = &film->actors[film->actorCount];
    snprintf(actor->name, sizeof actor->name, "%s", name);
    actor->birth = (float)birth;
    shVec3* normals = need(malloc(3 * (size_t)triangleCount * sizeof *normals));
    int(*triangles)[3] = need(malloc((size_t)triangleCount * sizeof *triangles));
    for (int i = 0; i < 3 * triangleCount; ++i)
        triangles[i / 3][i % 3] = i;
    makeNormals(triangleCount, (const shVec3(*)[3])corners, materials, normals);
    actor->mesh = (shExportMesh){.name = actor->name,
                                 .vertexCount = 3 * triangleCount,
                                 .triangleCount = triangleCount,
                                 .positions = corners[0],
                                 .normals = normals,
                                 .triangles = (const int(*)[3])triangles,
                                 .materials = materials};
    return film->actorCount++;
}

int filmAddPiece(Film* film, const char* name, const shSolid* solid, int piece, double birth)
{
    const shAsset* asset = shSolid_GetAsset(solid);
    int count = shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
    shVec3(*corners)[3] = need(malloc((size_t)count * sizeof *corners));
    int* slots = need(malloc((size_t)count * sizeof *slots));
    uint16_t* materials = need(malloc((size_t)count * sizeof *materials));
    shSolid_GetTriangles(solid, piece, corners, slots, count);
    for (int i = 0; i < count; ++i) {
        shSurface surface = shAsset_GetSurface(asset, slots[i]);
        materials[i] = material(film, surface.name, surface.color, surface.metallic, surface.roughness);
    }
    free(slots);
    return addActor(film, name, count, corners, materials, birth);
}

// A grid of quads over (u, v), two triangles each.
static int addGrid(Film* film, const char* name, int nu, int nv, const shShape* shape, uint16_t slot,
                   shVec3 (*at)(const shShape* shape, int u, int v))
{
    int count = 2 * nu * nv;
    shVec3(*corners)[3] = need(malloc((size_t)count * sizeof *corners));
    uint16_t* materials = need(malloc((size_t)count * sizeof *materials));
    int used = 0;
    for (int u = 0; u < nu; ++u) {
        for (int v = 0; v < nv; ++v) {
            shVec3 quad[4] = {at(shape, u, v), at(shape, u + 1, v), at(shape, u + 1, v + 1), at(shape, u, v + 1)};
            for (int half = 0; half < 2; ++half) {
                shVec3 triangle[3] = {quad[0], quad[1 + half], quad[2 + half]};
                shVec3 area = areaVector(triangle);
                if (dot(area, area) == 0.0f)
                    continue; // at a pole
                memcpy(corners[used], triangle, sizeof triangle);
                materials[used++] = slot;
            }
        }
    }
    return addActor(film, name, used, corners, materials, 0.0);
}

enum { ballMeridians = 48, ballParallels = 24 };

static shVec3 ballAt(const shShape* shape, int u, int v)
{
    float turn = 6.2831853f * (float)(u % ballMeridians) / ballMeridians;
    float tilt = 3.1415927f * (float)v / ballParallels;
    float ring = v == 0 || v == ballParallels ? 0.0f : shape->radius * sinf(tilt);
    return (shVec3){ring * sinf(turn), -shape->radius * cosf(tilt), ring * cosf(turn)};
}

// A box is a belt of four faces with a lid and a bottom: columns 0 to 3 around, the outer rows shrink to the axis.
static shVec3 boxAt(const shShape* shape, int u, int v)
{
    static const float around[4][2] = {{-1.0f, 1.0f}, {1.0f, 1.0f}, {1.0f, -1.0f}, {-1.0f, -1.0f}};
    float ring = v == 0 || v == 3 ? 0.0f : 1.0f;
    return (shVec3){ring * around[u % 4][0] * shape->halfExtent.x, v < 2 ? -shape->halfExtent.y : shape->halfExtent.y,
                    ring * around[u % 4][1] * shape->halfExtent.z};
}

static shVec3 planeAt(const shShape* shape, int u, int v)
{
    (void)shape;
    return (shVec3){u == 0 ? -1.0f : 1.0f, 0.0f, v == 0 ? 1.0f : -1.0f};
}

int filmAddShape(Film* film, const char* name, const shShape* shape, shTransform pose, const float color[3])
{
    uint16_t slot = material(film, name, color, 0.0f, 0.5f);
    int actor = shape->type == shSphereShape ? addGrid(film, name, ballMeridians, ballParallels, shape, slot, ballAt)
                : shape->type == shBoxShape  ? addGrid(film, name, 4, 3, shape, slot, boxAt)
                                             : addGrid(film, name, 1, 1, shape, slot, planeAt);
    film->actors[actor].pose = pose;
    return actor;
}

// ---- time ---------------------------------------------------------------------------------------------------------

bool filmIsDue(const Film* film, double time) { return time * film->framesPerSecond > film->frame - 1e-6; }

void filmNext(Film* film) { ++film->frame; }

void filmPose(Film* film, int actor, double time, shTransform pose)
{
    Actor* a = &film->actors[actor];
    if (a->keyCount == a->keyCapacity) {
        a->keyCapacity = a->keyCapacity > 0 ? 2 * a->keyCapacity : 64;
        a->times = need(realloc(a->times, (size_t)a->keyCapacity * sizeof *a->times));
        a->poses = need(realloc(a->poses, (size_t)a->keyCapacity * sizeof *a->poses));
    }
    if (a->keyCount > 0 && (float)time <= a->times[a->keyCount - 1])
        return;
    a->times[a->keyCount] = (float)time;
    a->poses[a->keyCount++] = pose;
}

void filmEnd(Film* film, int actor, double time) { film->actors[actor].death = (float)time; }

shStatus filmWrite(const Film* film, shContext* context, const char* path, shMessage* message)
{
    shExportMesh meshes[maxActors];
    shExportNode nodes[maxActors];
    shExportTrack tracks[maxActors];
    for (int i = 0; i < film->actorCount; ++i) {
        const Actor* actor = &film->actors[i];
        meshes[i] = actor->mesh;
        tracks[i] = (shExportTrack){actor->keyCount, actor->times, actor->poses, actor->birth, actor->death};
        nodes[i] = (shExportNode){actor->name, i, actor->keyCount > 0 ? actor->poses[0] : actor->pose,
                                  actor->keyCount > 0 ? &tracks[i] : NULL};
    }
    shExportScene scene = {.materialCount = film->materialCount,
                           .meshCount = film->actorCount,
                           .nodeCount = film->actorCount,
                           .materials = film->materials,
                           .meshes = meshes,
                           .nodes = nodes};
    return shWriteScene(context, &scene, path, message);
}

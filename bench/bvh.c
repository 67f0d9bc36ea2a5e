// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `bvh`: balanced trees that follow a crack (Otaduy 2007, §5), beside rebuilt trees.
#include "bench/bvh.h"

#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/peer_pairs.h"
#include "bench/suites.h"
#include "cook/cook.h"
#include "cook/process.h"
#include "core/message.h"
#include "core/vec.h"

#include <stdio.h>
#include <string.h>

// ---- models ---------------------------------------------------------------------------------------------------------

static bool modelAlloc(BvhModel* model, Memory* memory, int points, int triangles)
{
    *model = (BvhModel){.memory = memory, .pointCapacity = points, .triangleCapacity = triangles};
    model->points = NEW_ARRAY(memory, shVec3, points);
    model->triangles = memAlloc(memory, memBytes((uint64_t)triangles, sizeof model->triangles[0]));
    model->mesh = (shTriangles){points, triangles, model->points, (const int(*)[3])model->triangles};
    return (points == 0 || model->points != NULL) && (triangles == 0 || model->triangles != NULL);
}

void bvhModelFree(BvhModel* model)
{
    if (model->memory == NULL)
        return;
    FREE_ARRAY(model->memory, model->points, model->pointCapacity);
    FREE_ARRAY(model->memory, model->triangles, model->triangleCapacity);
    *model = (BvhModel){0};
}

// Every triangle into four, by the middles of its sides.
static bool divideModel(BvhModel* model)
{
    Memory* memory = model->memory;
    int count = model->mesh.triangleCount, base = model->mesh.pointCount;
    KeySet edges;
    if (!keySetInit(&edges, memory, 3 * (int64_t)count))
        return false;
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k)
            keySetAddEdge(&edges, model->triangles[t][k], model->triangles[t][(k + 1) % 3]);
    BvhModel fine;
    bool fits = modelAlloc(&fine, memory, base + edges.count, 4 * count);
    if (fits) {
        memcpy(fine.points, model->points, sizeof *fine.points * (size_t)base);
        for (int e = 0; e < edges.count; ++e)
            fine.points[base + e] = vLerp(model->points[edges.keys[e][1]], model->points[edges.keys[e][2]], 0.5f);
        for (int t = 0; t < count; ++t) {
            const int* c = model->triangles[t];
            int m[3];
            for (int k = 0; k < 3; ++k)
                m[k] = base + keySetFindEdge(&edges, c[k], c[(k + 1) % 3]);
            const int parts[4][3] = {{c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
            memcpy(fine.triangles[4 * t], parts, sizeof parts);
        }
    }
    keySetFree(&edges, memory);
    bvhModelFree(model);
    *model = fine;
    return fits;
}

static shStatus refine(BvhModel* model, int levels, shMessage* message)
{
    for (int level = 0; level < levels; ++level)
        if (!divideModel(model)) {
            bvhModelFree(model);
            return failMemory(message);
        }
    return shOk;
}

shStatus bvhTriceratops(Memory* memory, int levels, BvhModel* model, shMessage* message)
{
    char path[1024];
    shContext* context;
    TriMesh mesh;
    *model = (BvhModel){0};
    shStatus status = cacheMeshFile("triceratops.off", path, sizeof path, message);
    if (status == shOk)
        status = bvhContext(&context, message);
    if (status != shOk)
        return status;
    status = cookReadMesh(context, path, &mesh, NULL, message);
    if (status == shOk) {
        if (modelAlloc(model, memory, mesh.vertexCount, mesh.triangleCount)) {
            for (int i = 0; i < mesh.vertexCount; ++i)
                model->points[i] = vFromD(mesh.vertices[i]);
            memcpy(model->triangles, mesh.triangles, sizeof mesh.triangles[0] * (size_t)mesh.triangleCount);
        } else {
            bvhModelFree(model);
            status = failMemory(message);
        }
        triMeshFree(&mesh, &context->memory);
    }
    shDestroyContext(context);
    return status == shOk ? refine(model, levels, message) : status;
}

shStatus bvhRound(Memory* memory, int around, int rows, BvhModel* model, shMessage* message)
{
    int count = 0;
    if (!modelAlloc(model, memory, (rows - 1) * around + 2, 2 * around * (rows - 1))) {
        bvhModelFree(model);
        return failMemory(message);
    }
    const double pi = 3.14159265358979323846;
    for (int i = 1; i < rows; ++i)
        for (int j = 0; j < around; ++j) {
            double polar = pi * i / rows, turn = 2.0 * pi * j / around,
                   radius = 1.0 + 0.1 * cos(8.0 * turn) * sin(polar);
            model->points[(i - 1) * around + j] =
                vec3((float)(1.3 * radius * sin(polar) * cos(turn)), (float)(0.9 * cos(polar)),
                     (float)(radius * sin(polar) * sin(turn)));
        }
    int top = (rows - 1) * around, bottom = top + 1;
    model->points[top] = vec3(0.0f, 0.9f, 0.0f);
    model->points[bottom] = vec3(0.0f, -0.9f, 0.0f);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < around; ++j) {
            int next = (j + 1) % around, a = (i - 1) * around + j, b = (i - 1) * around + next;
            const int upper[3] = {i == 0 ? top : a, i == 0 ? next : b, i == 0 ? j : b + around};
            const int lower[3] = {a, b + around, a + around}, last[3] = {a, b, bottom};
            memcpy(model->triangles[count++], i == rows - 1 ? last : upper, sizeof upper);
            if (i > 0 && i < rows - 1)
                memcpy(model->triangles[count++], lower, sizeof lower);
        }
    return shOk;
}

// ---- what parts share -----------------------------------------------------------------------------------------------

static double wallClock(void* user)
{
    (void)user;
    return clockSeconds(clockWall);
}

shStatus bvhContext(shContext** context, shMessage* message)
{
    shContextDef def = shDefaultContextDef();
    def.clock = wallClock;
    return shCreateContext(&def, context, message);
}

// ---- peers ----------------------------------------------------------------------------------------------------------

void bvhStatesFree(BvhStates* states)
{
    for (int i = 0; i < states->stateCount; ++i)
        bvhModelFree(&states->states[i]);
    bvhModelFree(&states->rays);
    states->stateCount = 0;
}

// The mean over states of the best over blocks, in `best`.
static double meanBest(const json_t* answer, const char* name, double* best, int count, bool first)
{
    const json_t* list = json_object_get(answer, name);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const json_t* value = json_array_get(list, (size_t)i);
        double ms = json_is_number(value) ? json_number_value(value) : NO_VALUE;
        best[i] = first || ms < best[i] ? ms : best[i];
        sum += best[i];
    }
    return sum / count;
}

BvhPeerTimes bvhAskPeer(const char* name, const BvhStates* states, int blocks)
{
    BvhPeerTimes times = {
        .build = NO_VALUE, .fast = NO_VALUE, .refit = NO_VALUE, .raysPerSecond = NO_VALUE, .hits = -1};
    PeerMesh meshes[BVH_STEPS + 1];
    int count = states->stateCount;
    for (int i = 0; i <= count; ++i) {
        const shTriangles* mesh = i < count ? &states->states[i].mesh : &states->rays.mesh;
        meshes[i] = (PeerMesh){mesh->pointCount, mesh->triangleCount, mesh->points, mesh->triangles};
    }
    char folder[512], path[600];
    Peer* peer = NULL;
    shMessage message = {""};
    if (!makeFolder(folder, sizeof folder))
        return times;
    snprintf(path, sizeof path, "%s/meshes", folder);
    shStatus status = peerWriteFile(path, meshes, count + 1, NULL, 0, &message);
    if (status == shOk)
        status = peerStart(name, path, 120.0, &peer, &message);
    double build[BVH_STEPS], fast[BVH_STEPS], refit[BVH_STEPS];
    for (int b = 0; b < blocks && status == shOk; ++b) {
        json_t* answer;
        status = peerAsk(peer, "block", &answer, &message);
        if (status != shOk)
            break;
        times.build = meanBest(answer, "build", build, count, b == 0);
        times.fast = meanBest(answer, "fast", fast, count, b == 0);
        times.refit = meanBest(answer, "refit", refit, count, b == 0);
        const json_t *rays = json_object_get(answer, "rays_per_s"), *hits = json_object_get(answer, "hits");
        if (json_is_number(rays) && !(json_number_value(rays) < times.raysPerSecond))
            times.raysPerSecond = json_number_value(rays);
        if (json_is_integer(hits))
            times.hits = (int)json_integer_value(hits);
        times.there = true;
        json_decref(answer);
    }
    snprintf(times.info, sizeof times.info, "%.250s", peer != NULL && status == shOk ? peerInfo(peer) : message.text);
    peerStop(peer);
    removeFolder(folder);
    return times;
}

// ---- the suite ------------------------------------------------------------------------------------------------------

shStatus benchBvh(Bench* bench, shMessage* message)
{
    shStatus status = bvhSplitRows(bench, message);
    if (status == shOk)
        status = bvhPeelRows(bench, message);
    if (status == shOk)
        status = bvhPumpkinRows(bench, message);
    return status;
}

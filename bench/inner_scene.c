// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/inner_scene.h"

#include "bench/cache.h"
#include "cook/cook.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "mesh/adjacency.h"
#include "mesh/models.h"
#include "tree/inner_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int sizes[INNER_SIZES] = {5000, 30000, 100000}, tinySizes[INNER_SIZES] = {100, 300, 900};

// ---- meshes ---------------------------------------------------------------------------------------------------------

static bool modelAlloc(InnerModel* model, int points, int triangles)
{
    model->pointCount = points;
    model->triangleCount = triangles;
    model->points = malloc((size_t)points * sizeof(shVec3));
    model->triangles = malloc((size_t)triangles * sizeof(int[3]));
    return model->points != NULL && model->triangles != NULL;
}

static bool takeMesh(InnerModel* model, const TriMesh* mesh)
{
    if (!modelAlloc(model, mesh->vertexCount, mesh->triangleCount))
        return false;
    for (int i = 0; i < mesh->vertexCount; ++i)
        model->points[i] = vFromD(mesh->vertices[i]);
    memcpy(model->triangles, mesh->triangles, (size_t)mesh->triangleCount * sizeof(int[3]));
    return true;
}

// Every triangle into four, by the middles of its sides.
static bool divideModel(InnerModel* model, Memory* memory)
{
    InnerModel coarse = *model;
    KeySet edges;
    if (!keySetInit(&edges, memory, 3 * (int64_t)coarse.triangleCount))
        return false;
    for (int t = 0; t < coarse.triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            keySetAddEdge(&edges, coarse.triangles[t][k], coarse.triangles[t][(k + 1) % 3]);
    bool fits = modelAlloc(model, coarse.pointCount + edges.count, 4 * coarse.triangleCount);
    if (fits) {
        memcpy(model->points, coarse.points, (size_t)coarse.pointCount * sizeof(shVec3));
        for (int e = 0; e < edges.count; ++e)
            model->points[coarse.pointCount + e] =
                vLerp(coarse.points[edges.keys[e][1]], coarse.points[edges.keys[e][2]], 0.5f);
        for (int t = 0; t < coarse.triangleCount; ++t) {
            const int* c = coarse.triangles[t];
            int m[3];
            for (int k = 0; k < 3; ++k)
                m[k] = coarse.pointCount + keySetFindEdge(&edges, c[k], c[(k + 1) % 3]);
            const int parts[4][3] = {{c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
            memcpy(model->triangles[4 * t], parts, sizeof parts);
        }
    }
    keySetFree(&edges, memory);
    free(coarse.points);
    free(coarse.triangles);
    return fits;
}

static shStatus loadBunny(shContext* context, int which, InnerModel* model, shMessage* message)
{
    char path[1024];
    TriMesh mesh, fewer;
    shStatus status = cacheBunnyFile(path, sizeof path, message);
    if (status == shOk)
        status = cookReadMesh(context, path, &mesh, NULL, message);
    if (status != shOk)
        return status;
    if (which == 0) {
        status = cookDecimate(context, &mesh, 7940, &fewer, NULL, message);
        triMeshFree(&mesh, &context->memory);
        mesh = fewer;
    }
    if (status != shOk)
        return status;
    bool fits = takeMesh(model, &mesh) && (which < 2 || divideModel(model, &context->memory));
    triMeshFree(&mesh, &context->memory);
    return fits ? shOk : failMemory(message);
}

static shStatus loadTiny(shContext* context, InnerModel* model, shMessage* message)
{
    TetMesh mesh;
    shStatus status = modelGenerate(modelFind("rabbit"), 0.5f, &context->memory, &mesh, message);
    if (status != shOk)
        return status;
    bool fits = modelAlloc(model, mesh.surfaceNodeCount, mesh.triangleCount);
    if (fits) {
        memcpy(model->points, mesh.nodes, (size_t)mesh.surfaceNodeCount * sizeof(shVec3));
        memcpy(model->triangles, mesh.triangles, (size_t)mesh.triangleCount * sizeof(int[3]));
    }
    tetMeshFree(&mesh, &context->memory);
    return fits ? shOk : failMemory(message);
}

// ---- packings -------------------------------------------------------------------------------------------------------

static bool readTree(const char* path, Memory* memory, InnerTree* tree)
{
    FILE* file = fopen(path, "rb");
    int counts[2] = {0, 0};
    *tree = (InnerTree){0};
    if (file == NULL)
        return false;
    bool good = fread(counts, sizeof counts, 1, file) == 1 && fread(&tree->record, sizeof tree->record, 1, file) == 1 &&
                counts[0] > 0 && counts[0] <= INNER_MOST_SPHERES && counts[1] > 0 && counts[1] <= counts[0];
    if (good) {
        tree->spheres = NEW_ARRAY(memory, InnerSphere, counts[0]);
        tree->nodes = NEW_ARRAY(memory, InnerNode, counts[1]);
        tree->sphereCount = counts[0];
        tree->nodeCount = counts[1];
        good = tree->spheres != NULL && tree->nodes != NULL &&
               fread(tree->spheres, sizeof(InnerSphere), (size_t)counts[0], file) == (size_t)counts[0] &&
               fread(tree->nodes, sizeof(InnerNode), (size_t)counts[1], file) == (size_t)counts[1];
    }
    fclose(file);
    if (!good)
        innerTreeFree(tree, memory);
    return good;
}

static void writeTree(const char* path, const InnerTree* tree)
{
    FILE* file = fopen(path, "wb"); // a cache that cannot be written only costs time
    if (file == NULL)
        return;
    const int counts[2] = {tree->sphereCount, tree->nodeCount};
    fwrite(counts, sizeof counts, 1, file);
    fwrite(&tree->record, sizeof tree->record, 1, file);
    fwrite(tree->spheres, sizeof(InnerSphere), (size_t)tree->sphereCount, file);
    fwrite(tree->nodes, sizeof(InnerNode), (size_t)tree->nodeCount, file);
    fclose(file);
}

static shStatus packModel(Bench* bench, InnerModel* model, int size, shMessage* message)
{
    char name[128], path[1024];
    shInnerDef def = shDefaultInnerDef();
    InnerTree tree;
    def.spheres = bench->tiny ? tinySizes[size] : sizes[size];
    snprintf(name, sizeof name, "inner-%.30s-%d-%016llx", model->name, def.spheres,
             (unsigned long long)cacheProgramHash());
    bool cached = cachePath(name, path, sizeof path, NULL) == shOk;
    shContext* context = bench->context;
    if (cached && readTree(path, &context->memory, &tree) && innerTreeCheck(&tree, model->triangleCount, NULL) == shOk)
        return innerObjectMake(context, &tree, &model->mesh, &model->spheres[size], message);
    shStatus status = shCreateInnerSpheres(context, &model->mesh, &def, &model->spheres[size], message);
    if (status == shOk && cached)
        writeTree(path, &model->spheres[size]->tree);
    return status;
}

shStatus innerModelLoad(Bench* bench, int which, InnerModel* model, shMessage* message)
{
    static const char* const names[INNER_MODELS] = {"bunny-8k", "bunny-75k", "bunny-302k"};
    *model = (InnerModel){.points = NULL};
    snprintf(model->name, sizeof model->name, "%s", bench->tiny ? "rabbit" : names[which]);
    shStatus status =
        bench->tiny ? loadTiny(bench->context, model, message) : loadBunny(bench->context, which, model, message);
    if (status == shOk) {
        model->mesh =
            (shTriangles){model->pointCount, model->triangleCount, model->points, (const int(*)[3])model->triangles};
        shBox box = boxEmpty();
        for (int i = 0; i < model->pointCount; ++i)
            box = boxAdd(box, model->points[i]);
        model->size = vLength(boxSize(box));
    }
    for (int size = 0; size < INNER_SIZES && status == shOk; ++size)
        status = packModel(bench, model, size, message);
    if (status != shOk)
        innerModelFree(bench, model);
    return status;
}

void innerModelFree(Bench* bench, InnerModel* model)
{
    (void)bench;
    for (int size = 0; size < INNER_SIZES; ++size)
        shDestroyInnerSpheres(model->spheres[size]);
    free(model->points);
    free(model->triangles);
    *model = (InnerModel){.points = NULL};
}

// ---- paths ----------------------------------------------------------------------------------------------------------

// How far out along a direction: what is measured falls from there on.
static double measure(const shInnerBody* a, const shInnerBody* b, InnerPath path)
{
    shInnerDistance distance;
    shInnerVolume volume;
    if (path == innerApartPath)
        return shInner_GetDistance(a, b, INFINITY, 0, NULL, &distance, NULL) == shOk ? (double)distance.sphereDistance
                                                                                     : 0.0;
    if (shInner_GetVolume(a, b, &volume, NULL, 0, NULL, NULL) != shOk)
        return 0.0;
    return -volume.volume / shInnerSpheres_GetInfo(a->spheres).volume;
}

void innerPathMake(const InnerModel* model, InnerPath path, int count, uint64_t seed, InnerPoses* poses)
{
    Random random = randomSeed(seed);
    const shInnerSpheres* spheres = model->spheres[0];
    shInnerInfo info = shInnerSpheres_GetInfo(spheres);
    shQuat startA = randomRotation(&random), startB = randomRotation(&random);
    DVec3 around = randomDirection(&random), spin = randomDirection(&random), way = randomDirection(&random);
    const double perPose = 0.007, most = path == innerHeavyPath ? 0.5 : 0.1; // rad; of size or volume
    poses->count = count < INNER_POSES ? count : INNER_POSES;
    for (int i = 0; i < poses->count; ++i) {
        double share = 0.5 - 0.49 * trigCos(0.05 * i);
        double wanted = path == innerApartPath ? (double)model->size * maxD(0.002, most * share) : -most * share;
        Vec3 direction = vFromD(dqRotate(dqFromAxisAngle(around, perPose * i), way));
        shInnerBody a = {spheres, {{0.0f, 0.0f, 0.0f}, startA}};
        shInnerBody b = {spheres,
                         {{0.0f, 0.0f, 0.0f},
                          qFromDq(dqNormalize(dqMul(dqFromAxisAngle(spin, 1.3 * perPose * i), dqFromQ(startB))))}};
        float near = 0.0f, far = 2.5f * info.radius + model->size;
        for (int k = 0; k < 20; ++k) {
            float middle = 0.5f * (near + far);
            b.transform.p = vSub(vAdd(vScale(middle, direction), qRotate(startA, info.centre)),
                                 qRotate(b.transform.q, info.centre));
            *(measure(&a, &b, path) < wanted ? &near : &far) = middle;
        }
        poses->a[i] = a.transform;
        poses->b[i] = b.transform;
    }
}

void innerPosesShuffle(const InnerPoses* poses, uint64_t seed, InnerPoses* shuffled)
{
    Random random = randomSeed(seed);
    *shuffled = *poses;
    for (int i = shuffled->count - 1; i > 0; --i) {
        int k = randomBelow(&random, i + 1);
        shTransform a = shuffled->a[i], b = shuffled->b[i];
        shuffled->a[i] = shuffled->a[k], shuffled->b[i] = shuffled->b[k];
        shuffled->a[k] = a, shuffled->b[k] = b;
    }
}

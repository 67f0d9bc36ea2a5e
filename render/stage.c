// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/stage.h"

#include "core/message.h"

#include <string.h>

#define MARGIN 0.88f            // part of the picture that may be filled
#define NEAREST 0.05f           // least distance of the camera, in stage space
#define FARTHEST 1.0e9f         // metres; coordinates beyond this leave no digits for the picture
#define MOST_TRIANGLES 50000000 // after instancing; about 5 GB

shStatus stageCreate(Stage* stage, const Scene* scene, Vec3 center, float scale, shMessage* message)
{
    *stage = (Stage){.scene = scene, .center = center, .scale = scale};
    Memory* memory = &scene->context->memory;
    int64_t instances = 0, vertices = 0, triangles = 0;
    for (int i = 0; i < scene->nodes.count; ++i) {
        const Node* node = &scene->nodes.data[i];
        if (node->mesh < 0 || node->isGround)
            continue;
        PartRange range = scene->meshes.data[node->mesh];
        instances += range.count;
        for (int p = range.first; p < range.first + range.count; ++p) {
            vertices += scene->parts.data[p].vertexCount;
            triangles += scene->parts.data[p].triangleCount;
        }
        if (triangles > MOST_TRIANGLES || vertices > 3 * (int64_t)MOST_TRIANGLES)
            return fail(message, shLimit, "node %d: more than %d triangles to draw", i, MOST_TRIANGLES);
    }
    stage->vertexCount = (int)vertices;
    stage->triangleCapacity = (int)triangles;
    stage->instances = NEW_ARRAY(memory, Instance, instances);
    stage->worlds = NEW_ARRAY(memory, Affine, scene->nodes.count);
    stage->positions = NEW_ZEROED(memory, Vec3, vertices); // hidden ones are never set
    stage->normals = NEW_ARRAY(memory, Vec3, vertices);
    stage->colors = NEW_ARRAY(memory, Vec3, vertices);
    stage->uvs = NEW_ARRAY(memory, Vec3, vertices);
    stage->triangles = memAlloc(memory, memBytes((size_t)triangles, sizeof(int[3])));
    stage->materials = NEW_ARRAY(memory, int, triangles);
    stage->nodes = NEW_ARRAY(memory, int, triangles);
    stage->instanceCount = (int)instances;
    if (triangles > 0 && (stage->instances == NULL || stage->worlds == NULL || stage->positions == NULL ||
                          stage->normals == NULL || stage->colors == NULL || stage->uvs == NULL ||
                          stage->triangles == NULL || stage->materials == NULL || stage->nodes == NULL)) {
        stageFree(stage);
        return failMemory(message);
    }
    int instance = 0, vertex = 0;
    for (int i = 0; i < scene->nodes.count; ++i) {
        const Node* node = &scene->nodes.data[i];
        if (node->mesh < 0 || node->isGround)
            continue;
        PartRange range = scene->meshes.data[node->mesh];
        for (int p = range.first; p < range.first + range.count; ++p) {
            const Part* part = &scene->parts.data[p];
            stage->instances[instance++] = (Instance){i, p, vertex};
            size_t bytes = (size_t)part->vertexCount * sizeof(Vec3);
            memcpy(stage->colors + vertex, scene->colors.data + part->firstVertex, bytes);
            memcpy(stage->uvs + vertex, scene->uvs.data + part->firstVertex, bytes);
            vertex += part->vertexCount;
        }
    }
    return shOk;
}

void stageFree(Stage* stage)
{
    if (stage->scene == NULL)
        return;
    Memory* memory = &stage->scene->context->memory;
    FREE_ARRAY(memory, stage->instances, stage->instanceCount);
    FREE_ARRAY(memory, stage->worlds, stage->scene->nodes.count);
    FREE_ARRAY(memory, stage->positions, stage->vertexCount);
    FREE_ARRAY(memory, stage->normals, stage->vertexCount);
    FREE_ARRAY(memory, stage->colors, stage->vertexCount);
    FREE_ARRAY(memory, stage->uvs, stage->vertexCount);
    FREE_ARRAY(memory, stage->triangles, stage->triangleCapacity);
    FREE_ARRAY(memory, stage->materials, stage->triangleCapacity);
    FREE_ARRAY(memory, stage->nodes, stage->triangleCapacity);
    memset(stage, 0, sizeof(*stage));
}

void stageSet(Stage* stage, float time)
{
    const Scene* scene = stage->scene;
    if (stage->instanceCount == 0)
        return;
    scenePose(scene, time, stage->worlds);
    stage->triangleCount = 0;
    for (int i = 0; i < stage->instanceCount; ++i) {
        Instance instance = stage->instances[i];
        const Part* part = &scene->parts.data[instance.part];
        Affine world = stage->worlds[instance.node];
        if (affineIsFlat(world))
            continue;
        // Normals go by the cofactors, so that they stay perpendicular under any scale; a mirroring turns triangles
        // inside out, which swapping two corners undoes.
        bool mirrored = vDot(world.m.r0, vCross(world.m.r1, world.m.r2)) < 0.0f;
        float sign = mirrored ? -1.0f : 1.0f;
        Mat3 turn = {vCross(world.m.r1, world.m.r2), vCross(world.m.r2, world.m.r0), vCross(world.m.r0, world.m.r1)};
        for (int k = 0; k < part->vertexCount; ++k) {
            Vec3 p = affinePoint(world, scene->positions.data[part->firstVertex + k]);
            stage->positions[instance.firstVertex + k] = vScale(stage->scale, vSub(p, stage->center));
            stage->normals[instance.firstVertex + k] =
                vNormalize(vScale(sign, mMul(turn, scene->normals.data[part->firstVertex + k])));
        }
        for (int k = 0; k < part->triangleCount; ++k) {
            const int* from = scene->triangles.data[part->firstTriangle + k];
            int* to = stage->triangles[stage->triangleCount];
            to[0] = instance.firstVertex + from[0];
            to[1] = instance.firstVertex + from[mirrored ? 2 : 1];
            to[2] = instance.firstVertex + from[mirrored ? 1 : 2];
            stage->nodes[stage->triangleCount] = instance.node;
            stage->materials[stage->triangleCount++] = part->material;
        }
    }
}

CameraFit cameraFitBegin(float azimuth, float elevation, float aspect)
{
    const float degree = 0.01745329252f, halfHeight = 0.27f; // tangent of half the view: a short telephoto lens
    float ca = cosf(azimuth * degree), sa = sinf(azimuth * degree);
    float ce = cosf(elevation * degree), se = sinf(elevation * degree);
    return (CameraFit){.camera = {.right = {ca, 0.0f, -sa},
                                  .up = {-sa * se, ce, -ca * se},
                                  .forward = {-sa * ce, -se, -ca * ce},
                                  .tanX = aspect > 1.0f ? halfHeight * aspect : halfHeight,
                                  .tanY = aspect > 1.0f ? halfHeight : halfHeight / aspect},
                       .left = INFINITY,
                       .right = -INFINITY,
                       .low = INFINITY,
                       .high = -INFINITY,
                       .near = INFINITY};
}

// In camera directions a point (x, y, z) is inside the wedge of half-tangent t with apex c when x − t·z ≤ cx − t·cz
// and x + t·z ≥ cx + t·cz. The extremes of x ∓ t·z over all points give the furthest-forward apex exactly.
void cameraFitAdd(CameraFit* fit, Vec3 p)
{
    const Camera* camera = &fit->camera;
    float x = vDot(p, camera->right), y = vDot(p, camera->up), z = vDot(p, camera->forward);
    float tx = MARGIN * camera->tanX, ty = MARGIN * camera->tanY;
    fit->right = maxF(x - tx * z, fit->right);
    fit->left = minF(x + tx * z, fit->left);
    fit->high = maxF(y - ty * z, fit->high);
    fit->low = minF(y + ty * z, fit->low);
    fit->near = minF(z, fit->near);
}

Camera cameraFitEnd(const CameraFit* fit, Vec3 center, float scale)
{
    Camera camera = fit->camera;
    float tx = MARGIN * camera.tanX, ty = MARGIN * camera.tanY;
    float cz = minF((fit->left - fit->right) / (2.0f * tx), (fit->low - fit->high) / (2.0f * ty));
    cz = minF(cz, fit->near - NEAREST / scale);
    float cx = 0.5f * (fit->left + fit->right), cy = 0.5f * (fit->low + fit->high);
    Vec3 eye = vAdd(vAdd(vScale(cx, camera.right), vScale(cy, camera.up)), vScale(cz, camera.forward));
    camera.eye = fit->near < INFINITY ? vScale(scale, vSub(eye, center)) : vScale(-5.0f, camera.forward);
    return camera;
}

shStatus stageSurvey(Stage* stage, float begin, float end, int times, shBox* box, CameraFit* fit, shMessage* message)
{
    *box = boxEmpty();
    for (int k = 0; k < times; ++k) {
        float time = times > 1 ? begin + (end - begin) * (float)k / (float)(times - 1) : begin;
        stageSet(stage, time);
        for (int i = 0; i < stage->instanceCount; ++i) {
            Instance instance = stage->instances[i];
            if (affineIsFlat(stage->worlds[instance.node]))
                continue;
            int count = stage->scene->parts.data[instance.part].vertexCount;
            for (int j = instance.firstVertex; j < instance.firstVertex + count; ++j) {
                Vec3 p = stage->positions[j];
                if (!(fabsf(p.x) < FARTHEST && fabsf(p.y) < FARTHEST && fabsf(p.z) < FARTHEST))
                    return fail(message, shBadFile, "node %d at %g s: reaches (%g, %g, %g); the limit is %g",
                                instance.node, (double)time, (double)p.x, (double)p.y, (double)p.z, (double)FARTHEST);
                *box = boxAdd(*box, p);
                cameraFitAdd(fit, p);
            }
        }
    }
    return shOk;
}

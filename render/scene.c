// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/scene.h"

#include "core/message.h"

#include <string.h>

void sceneFree(Scene* scene)
{
    if (scene->context == NULL)
        return;
    Memory* memory = &scene->context->memory;
    arrayFree(memory, &scene->materials);
    arrayFree(memory, &scene->parts);
    arrayFree(memory, &scene->meshes);
    arrayFree(memory, &scene->nodes);
    arrayFree(memory, &scene->channels);
    arrayFree(memory, &scene->keys);
    arrayFree(memory, &scene->positions);
    arrayFree(memory, &scene->normals);
    arrayFree(memory, &scene->colors);
    arrayFree(memory, &scene->uvs);
    arrayFree(memory, &scene->triangles);
    memset(scene, 0, sizeof(*scene));
}

static Mat3 matrixProduct(Mat3 a, Mat3 b)
{
    Mat3 c;
    const Vec3* rows[3] = {&a.r0, &a.r1, &a.r2};
    Vec3* out[3] = {&c.r0, &c.r1, &c.r2};
    for (int i = 0; i < 3; ++i)
        *out[i] = vAdd(vAdd(vScale(rows[i]->x, b.r0), vScale(rows[i]->y, b.r1)), vScale(rows[i]->z, b.r2));
    return c;
}

static Affine affineFromParts(Vec3 translation, shQuat rotation, Vec3 scale)
{
    Vec3 x = qRotate(rotation, vec3(scale.x, 0.0f, 0.0f));
    Vec3 y = qRotate(rotation, vec3(0.0f, scale.y, 0.0f));
    Vec3 z = qRotate(rotation, vec3(0.0f, 0.0f, scale.z));
    return (Affine){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}, translation};
}

bool affineIsFlat(Affine a)
{
    float size = maxF(vLength2(a.m.r0), maxF(vLength2(a.m.r1), vLength2(a.m.r2)));
    return !(fabsf(vDot(a.m.r0, vCross(a.m.r1, a.m.r2))) > 1.0e-9f * size * sqrtf(size));
}

// The channel's value at `time`, up to four numbers.
static void sample(const Scene* scene, const Channel* channel, float time, float value[4])
{
    int width = channel->path == pathRotation ? 4 : 3;
    bool cubic = channel->interpolation == interpolateCubic;
    int stride = cubic ? 3 * width : width;
    const float* times = scene->keys.data + channel->firstTime;
    const float* values = scene->keys.data + channel->firstValue + (cubic ? width : 0);
    int lower = 0, upper = channel->keyCount; // the last key at or before `time`, by halving
    while (upper - lower > 1) {
        int middle = lower + (upper - lower) / 2;
        *(times[middle] <= time ? &lower : &upper) = middle;
    }
    const float* a = values + (size_t)lower * stride;
    bool last = lower + 1 == channel->keyCount;
    if (last || time <= times[lower] || channel->interpolation == interpolateStep) {
        memcpy(value, a, (size_t)width * sizeof(float));
    } else {
        const float* b = a + stride;
        float span = times[lower + 1] - times[lower], t = (time - times[lower]) / span;
        float sign = 1.0f;
        if (channel->path == pathRotation && !cubic && a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0f)
            sign = -1.0f; // the short way round
        for (int i = 0; i < width; ++i) {
            if (cubic) {
                float out = span * a[i + width], in = span * b[i - width], t2 = t * t, t3 = t2 * t;
                value[i] = (2.0f * t3 - 3.0f * t2 + 1.0f) * a[i] + (t3 - 2.0f * t2 + t) * out +
                           (3.0f * t2 - 2.0f * t3) * b[i] + (t3 - t2) * in;
            } else {
                value[i] = a[i] + t * (sign * b[i] - a[i]);
            }
        }
    }
    if (channel->path == pathRotation) {
        float length = sqrtf(value[0] * value[0] + value[1] * value[1] + value[2] * value[2] + value[3] * value[3]);
        for (int i = 0; i < 4; ++i)
            value[i] = length > 0.0f ? value[i] / length : (float)(i == 3);
    }
}

void scenePose(const Scene* scene, float time, Affine* worlds)
{
    // Channels are sorted by node, so one walk over both lists does.
    int next = 0;
    for (int i = 0; i < scene->nodes.count; ++i) {
        Node node = scene->nodes.data[i];
        for (; next < scene->channels.count && scene->channels.data[next].node == i; ++next) {
            const Channel* channel = &scene->channels.data[next];
            float v[4];
            sample(scene, channel, time, v);
            if (channel->path == pathTranslation)
                node.translation = vec3(v[0], v[1], v[2]);
            else if (channel->path == pathScale)
                node.scale = vec3(v[0], v[1], v[2]);
            else
                node.rotation = (shQuat){{v[0], v[1], v[2]}, v[3]};
        }
        Affine local = node.fixed ? node.matrix : affineFromParts(node.translation, node.rotation, node.scale);
        if (node.parent >= 0) {
            Affine parent = worlds[node.parent];
            local = (Affine){matrixProduct(parent.m, local.m), affinePoint(parent, local.p)};
        }
        worlds[i] = local;
    }
}

shStatus sceneGround(const Scene* scene, float* height, shMessage* message)
{
    Memory* memory = &scene->context->memory;
    Affine* worlds = NEW_ARRAY(memory, Affine, scene->nodes.count);
    if (worlds == NULL && scene->nodes.count > 0)
        return failMemory(message);
    *height = NAN;
    scenePose(scene, 0.0f, worlds);
    for (int i = 0; i < scene->nodes.count; ++i) {
        const Node* node = &scene->nodes.data[i];
        PartRange range = node->isGround && node->mesh >= 0 ? scene->meshes.data[node->mesh] : (PartRange){0, 0};
        for (int p = range.first; p < range.first + range.count; ++p) {
            const Part* part = &scene->parts.data[p];
            for (int k = part->firstVertex; k < part->firstVertex + part->vertexCount; ++k) {
                float y = affinePoint(worlds[i], scene->positions.data[k]).y;
                if (!(y <= *height))
                    *height = y;
            }
        }
    }
    FREE_ARRAY(memory, worlds, scene->nodes.count);
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/lights.h"

#include "core/message.h"

#include <string.h>

#define GOLDEN_ANGLE 2.399963230f
#define PI 3.141592654f
#define KEY_RADIUS 0.06f // radians: half the key light's angle as seen from the scene
#define MOST_TEXELS 4096 // of a map's side: a texel's number fits a float exactly
#define NOTHING (-1.0e30f)

// The look, in one place. Radiance is relative to a white card in full light = 1.
static const Vec3 keyColor = {0.92f, 0.86f, 0.78f};
static const Vec3 zenithColor = {0.34f, 0.37f, 0.42f};
static const Vec3 horizonColor = {0.26f, 0.265f, 0.275f};
static const Vec3 bounceColor = {0.19f, 0.185f, 0.18f};
static const Vec3 fillColor = {0.42f, 0.44f, 0.48f};

shStatus lightsCreate(Lights* lights, shContext* context, LightSizes sizes, shMessage* message)
{
    *lights = (Lights){.context = context, .sizes = sizes, .axisCount = sizes.keyCount + sizes.skyCount};
    if (lights->axisCount > MOST_AXES || sizes.keyCount < 1 || sizes.skyCount < 1 || sizes.keyTexels < 16 ||
        sizes.skyTexels < 16 || sizes.keyTexels > MOST_TEXELS || sizes.skyTexels > MOST_TEXELS ||
        sizes.keyCount % LANES != 0 || sizes.skyCount % LANES != 0)
        return fail(message, shInvalid, "lights: sizes out of range");
    for (int axis = 0; axis < lights->axisCount; ++axis) {
        lights->starts[axis] = (int)lights->mapFloats;
        size_t side = (size_t)lightsTexels(lights, axis);
        lights->mapFloats += axis < sizes.keyCount ? side * side : 2 * side * side;
    }
    lights->maps = NEW_ARRAY(&context->memory, float, lights->mapFloats);
    return lights->maps != NULL ? shOk : failMemory(message);
}

void lightsFree(Lights* lights)
{
    if (lights->context != NULL)
        FREE_ARRAY(&lights->context->memory, lights->maps, lights->mapFloats);
    memset(lights, 0, sizeof(*lights));
}

static float power(float x, int n)
{
    float result = 1.0f;
    for (int i = 0; i < n; ++i)
        result *= x;
    return result;
}

Vec3 lightsSky(const Lights* lights, Vec3 direction, float roughness)
{
    float up = direction.y, soft = 0.08f + 0.9f * roughness;
    Vec3 above = vLerp(horizonColor, zenithColor, clampF(up, 0.0f, 1.0f));
    Vec3 below = lights->hasGround ? bounceColor : vScale(0.7f, horizonColor);
    Vec3 sky = vLerp(below, above, clampF(0.5f + 0.5f * up / soft, 0.0f, 1.0f));
    float lobe = maxF(vDot(direction, lights->fill), 0.0f);
    return vMad(sky, power(lobe, roughness > 0.5f ? 4 : 12), fillColor);
}

static void setAxis(Lights* lights, int axis, Vec3 w, Vec3 toward, Vec3 against)
{
    Vec3 side = fabsf(w.y) < 0.9f ? vec3(0.0f, 1.0f, 0.0f) : vec3(1.0f, 0.0f, 0.0f);
    Vec3 u = vNormalize(vCross(side, w)), v = vCross(w, u);
    lights->ux[axis] = u.x, lights->uy[axis] = u.y, lights->uz[axis] = u.z;
    lights->vx[axis] = v.x, lights->vy[axis] = v.y, lights->vz[axis] = v.z;
    lights->wx[axis] = w.x, lights->wy[axis] = w.y, lights->wz[axis] = w.z;
    lights->tr[axis] = toward.x, lights->tg[axis] = toward.y, lights->tb[axis] = toward.z;
    lights->ar[axis] = against.x, lights->ag[axis] = against.y, lights->ab[axis] = against.z;
    lights->open = vMad(lights->open, w.y, toward);
}

// A direction given relative to the camera's azimuth.
static Vec3 turned(const Lights* lights, float x, float y, float z)
{
    float c = lights->turn[0], s = lights->turn[1];
    return vNormalize(vec3(c * x + s * z, y, c * z - s * x));
}

static void aim(Lights* lights)
{
    int keys = lights->sizes.keyCount, skies = lights->sizes.skyCount;
    lights->key = turned(lights, -0.62f, 1.05f, 0.55f);
    lights->fill = turned(lights, 0.85f, 0.45f, 0.75f);
    lights->keyEnergy = keyColor;
    lights->open = vec3(0.0f, 0.0f, 0.0f);
    Vec3 u = vNormalize(vCross(vec3(0.0f, 1.0f, 0.0f), lights->key)), v = vCross(lights->key, u);
    for (int i = 0; i < keys; ++i) { // sunflower seeds on a disc
        float radius = KEY_RADIUS * sqrtf(((float)i + 0.5f) / (float)keys), angle = (float)i * GOLDEN_ANGLE;
        Vec3 w = vNormalize(vMad(vMad(lights->key, radius * cosf(angle), u), radius * sinf(angle), v));
        setAxis(lights, i, w, vScale(1.0f / (float)keys, keyColor), vec3(0.0f, 0.0f, 0.0f));
    }
    for (int i = 0; i < skies; ++i) { // the same seeds on the upper half of a sphere
        float y = ((float)i + 0.5f) / (float)skies, radius = sqrtf(1.0f - y * y), angle = (float)i * GOLDEN_ANGLE;
        Vec3 w = turned(lights, radius * cosf(angle), y, radius * sinf(angle));
        float share = 2.0f / (float)skies; // 2π / count, over π
        setAxis(lights, keys + i, w, vScale(share, lightsSky(lights, w, 1.0f)),
                vScale(share, lightsSky(lights, vNeg(w), 1.0f)));
    }
}

// Keeps the largest z (and the largest −z) in every texel whose middle the triangle covers.
static void drawDepth(Vec3 a, Vec3 b, Vec3 c, int texels, float* nearest, float* farthest)
{
    float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(fabsf(area) > 1.0e-9f))
        return;
    float lowest = (float)MAP_BORDER, highest = (float)(texels - 1 - MAP_BORDER);
    int x0 = (int)ceilf(maxF(minF(a.x, minF(b.x, c.x)) - 0.5f, lowest));
    int x1 = (int)floorf(minF(maxF(a.x, maxF(b.x, c.x)) - 0.5f, highest));
    int y0 = (int)ceilf(maxF(minF(a.y, minF(b.y, c.y)) - 0.5f, lowest));
    int y1 = (int)floorf(minF(maxF(a.y, maxF(b.y, c.y)) - 0.5f, highest));
    if (x0 > x1 || y0 > y1)
        return;
    float inverse = 1.0f / area;
    float bx = (c.y - a.y) * inverse, by = (a.x - c.x) * inverse; // gradients of the weights of b and c
    float cx = (a.y - b.y) * inverse, cy = (b.x - a.x) * inverse;
    float dz1 = b.z - a.z, dz2 = c.z - a.z;
    for (int y = y0; y <= y1; ++y) {
        float py = (float)y + 0.5f - a.y;
        float* up = nearest + (size_t)y * (size_t)texels;
        float* down = farthest != NULL ? farthest + (size_t)y * (size_t)texels : NULL;
        for (int x = x0; x <= x1; ++x) {
            float px = (float)x + 0.5f - a.x;
            float wb = bx * px + by * py, wc = cx * px + cy * py;
            if (wb < 0.0f || wc < 0.0f || wb + wc > 1.0f)
                continue;
            float z = a.z + wb * dz1 + wc * dz2;
            up[x] = maxF(z, up[x]);
            if (down != NULL)
                down[x] = maxF(-z, down[x]);
        }
    }
}

typedef struct MapJob {
    Lights* lights;
    const Stage* stage;
    Vec3* projected; // [workers][vertexCount]
} MapJob;

static Vec3 project(const Lights* lights, int axis, Vec3 p)
{
    float half = 0.5f * (float)lightsTexels(lights, axis), scale = half - (float)(MAP_BORDER + 1);
    float u = p.x * lights->ux[axis] + p.y * lights->uy[axis] + p.z * lights->uz[axis];
    float v = p.x * lights->vx[axis] + p.y * lights->vy[axis] + p.z * lights->vz[axis];
    float w = p.x * lights->wx[axis] + p.y * lights->wy[axis] + p.z * lights->wz[axis];
    return vec3(half + scale * u, half + scale * v, w);
}

static void drawMaps(int begin, int end, int worker, void* arg)
{
    MapJob* job = arg;
    Lights* lights = job->lights;
    const Stage* stage = job->stage;
    Vec3* projected = job->projected + (size_t)worker * (size_t)stage->vertexCount;
    for (int axis = begin; axis < end; ++axis) {
        int texels = lightsTexels(lights, axis);
        bool sky = axis >= lights->sizes.keyCount;
        float* nearest = lights->maps + lights->starts[axis];
        float* farthest = sky ? nearest + (size_t)texels * (size_t)texels : NULL;
        for (size_t i = 0; i < (sky ? 2u : 1u) * (size_t)texels * (size_t)texels; ++i)
            nearest[i] = NOTHING;
        for (int i = 0; i < stage->vertexCount; ++i)
            projected[i] = project(lights, axis, stage->positions[i]);
        // A pane that lets three quarters of the light through stands in every fourth lamp's way.
        int seed = sky ? axis - lights->sizes.keyCount : axis;
        float chance = (float)seed * 0.61803399f;
        chance -= floorf(chance);
        for (int t = 0; t < stage->triangleCount; ++t) {
            float opacity = stage->scene->materials.data[stage->materials[t]].opacity;
            if (opacity < 1.0f && chance >= opacity)
                continue;
            const int* v = stage->triangles[t];
            drawDepth(projected[v[0]], projected[v[1]], projected[v[2]], texels, nearest, farthest);
        }
    }
}

shStatus lightsSet(Lights* lights, const Stage* stage, const Camera* camera, float groundHeight, shMessage* message)
{
    Vec3 level = vNormalize(vec3(camera->right.x, 0.0f, camera->right.z));
    lights->turn[0] = level.x;
    lights->turn[1] = -level.z;
    lights->hasGround = !isnan(groundHeight);
    lights->groundHeight = groundHeight;
    aim(lights);
    Memory* memory = &lights->context->memory;
    size_t count = (size_t)shContext_GetWorkerCount(lights->context) * (size_t)maxI(stage->vertexCount, 1);
    MapJob job = {.lights = lights, .stage = stage, .projected = NEW_ARRAY(memory, Vec3, count)};
    if (job.projected == NULL)
        return failMemory(message);
    parallelFor(lights->context, lights->axisCount, 1, drawMaps, &job);
    FREE_ARRAY(memory, job.projected, count);
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/lights.h"

#include "core/message.h"

#include <string.h>

#define GOLDEN_ANGLE 2.399963230f
#define PI 3.141592654f
#define KEY_RADIUS 0.075f // radians: half the key light's angle as seen from the scene
#define BORDER 2          // texels around a map that stay empty, so that lookups need no clamping
#define NOTHING (-1.0e30f)

// The look, in one place. Radiance is relative to a white card in full light = 1.
static const Vec3 keyColor = {0.92f, 0.86f, 0.78f};
static const Vec3 zenithColor = {0.34f, 0.37f, 0.42f};
static const Vec3 horizonColor = {0.26f, 0.265f, 0.275f};
static const Vec3 bounceColor = {0.19f, 0.185f, 0.18f};
static const Vec3 fillColor = {0.42f, 0.44f, 0.48f};

static int texelsOf(const Lights* lights, int axis)
{
    return axis < lights->sizes.keyCount ? lights->sizes.keyTexels : lights->sizes.skyTexels;
}

static float* mapOf(const Lights* lights, int axis, bool farthest)
{
    size_t key = (size_t)lights->sizes.keyTexels * (size_t)lights->sizes.keyTexels;
    size_t sky = (size_t)lights->sizes.skyTexels * (size_t)lights->sizes.skyTexels;
    int keys = lights->sizes.keyCount;
    if (axis < keys)
        return lights->maps + (size_t)axis * key;
    return lights->maps + (size_t)keys * key + (size_t)(2 * (axis - keys) + (farthest ? 1 : 0)) * sky;
}

shStatus lightsCreate(Lights* lights, shContext* context, LightSizes sizes, shMessage* message)
{
    *lights = (Lights){.context = context, .sizes = sizes, .axisCount = sizes.keyCount + sizes.skyCount};
    if (lights->axisCount > MOST_AXES || sizes.keyCount < 1 || sizes.skyCount < 1 || sizes.keyTexels < 16 ||
        sizes.skyTexels < 16 || sizes.keyTexels > 8192 || sizes.skyTexels > 8192)
        return fail(message, shInvalid, "lights: sizes out of range");
    lights->mapFloats = (size_t)sizes.keyCount * (size_t)sizes.keyTexels * (size_t)sizes.keyTexels +
                        2 * (size_t)sizes.skyCount * (size_t)sizes.skyTexels * (size_t)sizes.skyTexels;
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

static void setAxis(Lights* lights, int axis, Vec3 w)
{
    Vec3 side = fabsf(w.y) < 0.9f ? vec3(0.0f, 1.0f, 0.0f) : vec3(1.0f, 0.0f, 0.0f);
    Vec3 u = vNormalize(vCross(side, w)), v = vCross(w, u);
    lights->ux[axis] = u.x, lights->uy[axis] = u.y, lights->uz[axis] = u.z;
    lights->vx[axis] = v.x, lights->vy[axis] = v.y, lights->vz[axis] = v.z;
    lights->wx[axis] = w.x, lights->wy[axis] = w.y, lights->wz[axis] = w.z;
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
    Vec3 u = vNormalize(vCross(vec3(0.0f, 1.0f, 0.0f), lights->key)), v = vCross(lights->key, u);
    for (int i = 0; i < keys; ++i) { // sunflower seeds on a disc
        float radius = KEY_RADIUS * sqrtf(((float)i + 0.5f) / (float)keys), angle = (float)i * GOLDEN_ANGLE;
        Vec3 w = vMad(vMad(lights->key, radius * cosf(angle), u), radius * sinf(angle), v);
        setAxis(lights, i, vNormalize(w));
        lights->toward[i] = vScale(1.0f / (float)keys, keyColor);
        lights->against[i] = vec3(0.0f, 0.0f, 0.0f);
    }
    for (int i = 0; i < skies; ++i) { // the same seeds on the upper half of a sphere
        float y = ((float)i + 0.5f) / (float)skies, radius = sqrtf(1.0f - y * y), angle = (float)i * GOLDEN_ANGLE;
        Vec3 w = turned(lights, radius * cosf(angle), y, radius * sinf(angle));
        setAxis(lights, keys + i, w);
        float share = 2.0f / (float)skies; // 2π / count, over π
        lights->toward[keys + i] = vScale(share, lightsSky(lights, w, 1.0f));
        lights->against[keys + i] = vScale(share, lightsSky(lights, vNeg(w), 1.0f));
    }
    lights->open = vec3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < keys + skies; ++i)
        lights->open = vMad(lights->open, lights->wy[i], lights->toward[i]);
}

// Keeps the largest z (and the largest −z) in every texel whose middle the triangle covers.
static void drawDepth(Vec3 a, Vec3 b, Vec3 c, int texels, float* nearest, float* farthest)
{
    float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(fabsf(area) > 1.0e-9f))
        return;
    float lowest = (float)BORDER, highest = (float)(texels - 1 - BORDER);
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
    float half = 0.5f * (float)texelsOf(lights, axis), scale = half - (float)(BORDER + 1);
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
        int texels = texelsOf(lights, axis);
        bool sky = axis >= lights->sizes.keyCount;
        float* nearest = mapOf(lights, axis, false);
        float* farthest = sky ? mapOf(lights, axis, true) : NULL;
        for (size_t i = 0; i < (sky ? 2u : 1u) * (size_t)texels * (size_t)texels; ++i)
            nearest[i] = NOTHING; // the farthest map follows the nearest
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

// Share of the four texels around (x, y), weighted by nearness, that hold nothing higher than z.
static inline float visible(const float* map, int texels, float x, float y, float z)
{
    float fx = x - 0.5f, fy = y - 0.5f;
    if (!(fx >= 0.0f && fy >= 0.0f && fx < (float)(texels - 1) && fy < (float)(texels - 1)))
        return 1.0f;
    int ix = (int)fx, iy = (int)fy;
    const float* row = map + (size_t)iy * (size_t)texels + (size_t)ix;
    const float* next = row + texels;
    int a = row[0] <= z, b = row[1] <= z, c = next[0] <= z, d = next[1] <= z, sum = a + b + c + d;
    if (sum == 0 || sum == 4) // nearly always
        return (float)(sum >> 2);
    fx -= (float)ix;
    fy -= (float)iy;
    float low = (float)a + fx * (float)(b - a), high = (float)c + fx * (float)(d - c);
    return low + fy * (high - low);
}

Irradiance lightsAt(const Lights* lights, Vec3 point, Vec3 normal, Vec3 face)
{
    int keys = lights->sizes.keyCount, count = lights->axisCount;
    float x[MOST_AXES], y[MOST_AXES], z[MOST_AXES], facing[MOST_AXES];
    // A step off the surface of 1.6 texels keeps a plane of any slope out of its own shadow: it raises the point by
    // 1.6/cos θ along the ray, the depth varies by at most √2 tan θ over the texels that are looked at.
    for (int group = 0; group < 2; ++group) {
        int begin = group == 0 ? 0 : keys, end = group == 0 ? keys : count;
        float half = 0.5f * (float)texelsOf(lights, begin), scale = half - (float)(BORDER + 1);
        Vec3 p = vMad(point, 1.6f / scale, face);
        for (int i = begin; i < end; ++i) {
            x[i] = half + scale * (p.x * lights->ux[i] + p.y * lights->uy[i] + p.z * lights->uz[i]);
            y[i] = half + scale * (p.x * lights->vx[i] + p.y * lights->vy[i] + p.z * lights->vz[i]);
            z[i] = p.x * lights->wx[i] + p.y * lights->wy[i] + p.z * lights->wz[i];
            facing[i] = normal.x * lights->wx[i] + normal.y * lights->wy[i] + normal.z * lights->wz[i];
        }
    }
    // Ground close below lies in the object's own shade and gives little light back.
    float height = lights->hasGround ? maxF(point.y - lights->groundHeight, 0.0f) : 1.0e6f;
    float bounce = 0.25f + 0.75f * height / (height + 0.2f);
    Irradiance light = {0};
    float keySeen = 0.0f, keyAll = 0.0f, skySeen = 0.0f, skyAll = 0.0f;
    for (int i = 0; i < keys; ++i) {
        if (facing[i] <= 0.0f)
            continue;
        float seen = facing[i] * visible(mapOf(lights, i, false), lights->sizes.keyTexels, x[i], y[i], z[i]);
        keyAll += facing[i];
        keySeen += seen;
        light.sum = vMad(light.sum, seen, lights->toward[i]);
    }
    const float* map = mapOf(lights, keys, false);
    size_t area = (size_t)lights->sizes.skyTexels * (size_t)lights->sizes.skyTexels;
    for (int i = keys; i < count; ++i, map += 2 * area) {
        bool away = facing[i] < 0.0f;
        float cosine = fabsf(facing[i]);
        float seen =
            cosine * visible(map + (away ? area : 0), lights->sizes.skyTexels, x[i], y[i], away ? -z[i] : z[i]);
        skyAll += cosine;
        skySeen += seen;
        light.sum = vMad(light.sum, away ? bounce * seen : seen, away ? lights->against[i] : lights->toward[i]);
    }
    light.key = keyAll > 0.0f ? keySeen / keyAll : 0.0f;
    light.sky = skyAll > 0.0f ? skySeen / skyAll : 1.0f;
    return light;
}

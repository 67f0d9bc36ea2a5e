// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "render/lights.h"

#include "core/message.h"
#include "core/simd.h"

#include <string.h>

#define GOLDEN_ANGLE 2.399963230f
#define PI 3.141592654f
#define KEY_RADIUS 0.075f // radians: half the key light's angle as seen from the scene
#define BORDER 2          // texels around a map that stay empty, so that lookups need no clamping
#define MOST_TEXELS 4096  // of a map's side: a texel's number fits a float exactly
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

shStatus lightsCreate(Lights* lights, shContext* context, LightSizes sizes, shMessage* message)
{
    *lights = (Lights){.context = context, .sizes = sizes, .axisCount = sizes.keyCount + sizes.skyCount};
    if (lights->axisCount > MOST_AXES || sizes.keyCount < 1 || sizes.skyCount < 1 || sizes.keyTexels < 16 ||
        sizes.skyTexels < 16 || sizes.keyTexels > MOST_TEXELS || sizes.skyTexels > MOST_TEXELS ||
        sizes.keyCount % LANES != 0 || sizes.skyCount % LANES != 0)
        return fail(message, shInvalid, "lights: sizes out of range");
    for (int axis = 0; axis < lights->axisCount; ++axis) {
        lights->starts[axis] = (int)lights->mapFloats;
        size_t side = (size_t)texelsOf(lights, axis);
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

static inline F8 dot8(const float* x, const float* y, const float* z, Vec3 p)
{
    F8 xy = f8Add(f8Mul(f8Load(x), f8Set(p.x)), f8Mul(f8Load(y), f8Set(p.y)));
    return f8Add(xy, f8Mul(f8Load(z), f8Set(p.z)));
}

static inline F8 onlyIf(M8 m, F8 a) { return f8Select(m, a, f8Zero()); }

// The light of all axes, eight at a time.
Irradiance lightsAt(const Lights* lights, Vec3 point, Vec3 normal, Vec3 face)
{
    // Ground close below lies in the object's own shade and gives little light back.
    float above = lights->hasGround ? maxF(point.y - lights->groundHeight, 0.0f) : 1.0e6f;
    F8 bounce = f8Set(0.25f + 0.75f * above / (above + 0.2f)), one = f8Set(1.0f), zero = f8Zero();
    F8 red = zero, green = zero, blue = zero;
    F8 seen[2] = {zero, zero}, all[2] = {zero, zero}; // of key and sky
    for (int i = 0; i < lights->axisCount; i += LANES) {
        bool sky = i >= lights->sizes.keyCount;
        int texels = texelsOf(lights, i);
        float side = (float)texels, scale = 0.5f * side - (float)(BORDER + 1);
        // A step off the surface of 1.6 texels keeps a plane of any slope out of its own shadow: it raises the point
        // by 1.6/cos θ along the ray, the depth varies by at most √2 tan θ over the texels that are looked at.
        Vec3 p = vMad(point, 1.6f / scale, face);
        F8 middle = f8Set(0.5f * side - 0.5f), spread = f8Set(scale), last = f8Set(side - 2.0f);
        F8 x = f8Add(middle, f8Mul(spread, dot8(lights->ux + i, lights->uy + i, lights->uz + i, p)));
        F8 y = f8Add(middle, f8Mul(spread, dot8(lights->vx + i, lights->vy + i, lights->vz + i, p)));
        x = f8Max(f8Min(x, last), zero); // beyond the map is as good as in its empty border
        y = f8Max(f8Min(y, last), zero);
        I8 ix = f8Truncate(x), iy = f8Truncate(y);
        F8 fx = f8Sub(x, f8FromI8(ix)), fy = f8Sub(y, f8FromI8(iy)), gx = f8Sub(one, fx);
        F8 height = dot8(lights->wx + i, lights->wy + i, lights->wz + i, p);
        F8 facing = dot8(lights->wx + i, lights->wy + i, lights->wz + i, normal);
        M8 back = f8Less(facing, zero);
        I8 at = i8Add(i8Load(lights->starts + i), i8Add(i8Mul(iy, i8Set(texels)), ix));
        if (sky) // from behind: the farthest, kept as negatives
            at = i8Add(at, i8Select(back, i8Set(texels * texels), i8Set(0)));
        F8 z = f8Select(back, f8Neg(height), height);
        const float* maps = lights->maps;
        F8 low =
            f8Add(onlyIf(f8LessEqual(f8Gather(maps, at), z), gx), onlyIf(f8LessEqual(f8Gather(maps + 1, at), z), fx));
        F8 high = f8Add(onlyIf(f8LessEqual(f8Gather(maps + texels, at), z), gx),
                        onlyIf(f8LessEqual(f8Gather(maps + texels + 1, at), z), fx));
        F8 open = f8Add(low, f8Mul(fy, f8Sub(high, low))); // share of the light that gets here
        F8 cosine = sky ? f8Abs(facing) : f8Max(facing, zero), light = f8Mul(cosine, open);
        seen[sky] = f8Add(seen[sky], light);
        all[sky] = f8Add(all[sky], cosine);
        light = f8Select(back, f8Mul(bounce, light), light);
        red = f8Add(red, f8Mul(light, f8Select(back, f8Load(lights->ar + i), f8Load(lights->tr + i))));
        green = f8Add(green, f8Mul(light, f8Select(back, f8Load(lights->ag + i), f8Load(lights->tg + i))));
        blue = f8Add(blue, f8Mul(light, f8Select(back, f8Load(lights->ab + i), f8Load(lights->tb + i))));
    }
    float keys = f8Sum(all[0]), skies = f8Sum(all[1]);
    return (Irradiance){.sum = vec3(f8Sum(red), f8Sum(green), f8Sum(blue)),
                        .key = keys > 0.0f ? f8Sum(seen[0]) / keys : 0.0f,
                        .sky = skies > 0.0f ? f8Sum(seen[1]) / skies : 1.0f};
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The rasteriser. A triangle's edges become planes through the eye, so "inside" is three signs, barycentric weights
// come out perspective-correct, and nothing needs clipping. 1/depth is a linear function of the pixel for every
// plane, the ground included. Four samples per pixel decide what is seen; light is computed once per pixel and surface.
#include "render/render.h"

#include "core/message.h"
#include "render/shade.h"

#include <string.h>

#define TILE 32
#define SAMPLES 4
#define TILE_SAMPLES (TILE * TILE * SAMPLES)
#define CODES 16384       // entries of the table from linear light to sRGB
#define SURVEY_TIMES 32   // moments of an animation the camera is fitted to
#define GROUND_REACH 8.0f // beyond, in stage space, shadows have faded
#define SAME_DEPTH 0.01f  // relative difference below which two surfaces lie side by side
#define CRACK_DARKNESS 0.7f
#define SAME_FACE 0.97f // cosine above which neighbouring triangles in a pixel share their light

enum { seesSky = -1, seesGround = -2 };

static const float sampleX[SAMPLES] = {-0.375f, -0.125f, 0.125f, 0.375f};
static const float sampleY[SAMPLES] = {0.125f, -0.375f, 0.375f, -0.125f};

// A function a·x + b·y + c of the pixel.
typedef struct Linear {
    float a, b, c;
} Linear;

typedef struct Setup {
    Linear edges[3]; // positive inside
    Linear depth;    // 1 / distance along the view
    Vec3 face;       // unit normal on the viewer's side
    int x0, y0, x1, y1;
} Setup;

typedef struct Fragment { // of a see-through surface
    float depth;
    int triangle, next;
    unsigned mask;
} Fragment;

typedef struct Scratch { // per worker
    float depth[TILE_SAMPLES];
    int seen[TILE_SAMPLES]; // triangle or one of the above
    Vec3 color[TILE_SAMPLES];
    int heads[TILE * TILE];
    ARRAY(Fragment) fragments;
    bool failed;
} Scratch;

// What is in a pixel, for the lines between pieces.
typedef struct Seen {
    int node; // −1: none, or several
    float depth;
} Seen;

struct Renderer {
    shContext* context;
    RenderDef def;
    Stage stage;
    Lights lights;
    Camera camera, home;
    float groundHeight; // stage space, NAN: none
    int tilesX, tilesY;
    Setup* setups; // [stage.triangleCapacity]
    int* binStart; // [tiles + 1]
    ARRAY(int) bins;
    Scratch* scratch;           // [workers]
    uint8_t* codes;             // [CODES]
    Vec3 rayOrigin, rayX, rayY; // ray through (x, y) = origin + x·rayX + y·rayY
    Linear groundDepth;
    bool drawsGround;
    Picture* target;
    Seen* seen; // [width · height] if cracks are wanted
};

RenderDef renderDefault(void)
{
    return (RenderDef){.width = 1280,
                       .height = 720,
                       .azimuth = 30.0f,
                       .elevation = 22.0f,
                       .hasGround = true,
                       .ground = NAN,
                       .background = {0.80f, 0.82f, 0.84f},
                       .vignette = 0.25f,
                       .frameEnd = INFINITY};
}

static Vec3 times(Vec3 a, Vec3 b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }
static float at(Linear f, float x, float y) { return f.a * x + f.b * y + f.c; }

static Linear overPixels(const Renderer* r, Vec3 plane)
{
    return (Linear){vDot(plane, r->rayX), vDot(plane, r->rayY), vDot(plane, r->rayOrigin)};
}

static bool anyNull(const Renderer* r)
{
    return (r->setups == NULL && r->stage.triangleCapacity > 0) || r->binStart == NULL || r->scratch == NULL ||
           r->codes == NULL || (r->def.cracks && r->seen == NULL);
}

static shStatus prepare(Renderer* r, const Scene* scene, shMessage* message)
{
    RenderDef* def = &r->def;
    float ground = NAN;
    shBox box;
    CameraFit fit = cameraFitBegin(def->azimuth, def->elevation, (float)def->width / (float)def->height);
    shStatus status = stageCreate(&r->stage, scene, vec3(0.0f, 0.0f, 0.0f), 1.0f, message);
    if (status != shOk)
        return status;
    def->frameEnd = minF(def->frameEnd, scene->duration);
    def->frameBegin = minF(def->frameBegin, def->frameEnd);
    int moments = def->frameEnd > def->frameBegin ? SURVEY_TIMES : 1;
    status = stageSurvey(&r->stage, def->frameBegin, def->frameEnd, moments, &box, &fit, message);
    if (def->hasLook) {
        box = def->look;
        fit = cameraFitBegin(def->azimuth, def->elevation, (float)def->width / (float)def->height);
        for (int i = 0; i < 8; ++i)
            cameraFitAdd(&fit, vec3(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                                    i & 4 ? box.upper.z : box.lower.z));
    }
    if (status == shOk)
        status = sceneGround(scene, &ground, message);
    if (status != shOk)
        return status;
    Vec3 size = boxSize(box);
    bool empty = !(size.x >= 0.0f);
    float radius = empty ? 1.0f : maxF(0.5f * vLength(size), 1.0e-12f);
    r->stage.center = empty ? vec3(0.0f, 0.0f, 0.0f) : boxCenter(box);
    r->stage.scale = 1.0f / radius;
    r->home = r->camera = cameraFitEnd(&fit, r->stage.center, r->stage.scale);
    if (!isnan(def->ground))
        ground = def->ground;
    else if (isnan(ground))
        ground = box.lower.y;
    r->groundHeight =
        def->hasGround && !empty && isfinite(ground) ? r->stage.scale * (ground - r->stage.center.y) : NAN;
    int key = def->isClip ? 24 : 48, sky = def->isClip ? 32 : 64;
    int texels = maxI(320, minI(1024, (minI(def->width, def->height) * 4 / 5 + 31) / 32 * 32));
    return lightsCreate(&r->lights, r->context, (LightSizes){key, texels, sky, maxI(128, texels / 2)}, message);
}

shStatus renderCreate(Renderer** out, const Scene* scene, const RenderDef* def, shMessage* message)
{
    shContext* context = scene->context;
    Memory* memory = &context->memory;
    if (def->width < 1 || def->height < 1 || def->width > LARGEST_SIDE || def->height > LARGEST_SIDE)
        return fail(message, shInvalid, "a picture of %d × %d pixels: sides must be 1 to %d", def->width, def->height,
                    LARGEST_SIDE);
    Renderer* r = NEW_ZEROED(memory, Renderer, 1);
    if (r == NULL)
        return failMemory(message);
    r->context = context;
    r->def = *def;
    r->tilesX = (def->width + TILE - 1) / TILE;
    r->tilesY = (def->height + TILE - 1) / TILE;
    shStatus status = prepare(r, scene, message);
    if (status == shOk) {
        r->setups = NEW_ARRAY(memory, Setup, r->stage.triangleCapacity);
        r->binStart = NEW_ARRAY(memory, int, r->tilesX * r->tilesY + 1);
        r->scratch = NEW_ZEROED(memory, Scratch, shContext_GetWorkerCount(context));
        r->codes = NEW_ARRAY(memory, uint8_t, CODES);
        if (def->cracks)
            r->seen = NEW_ARRAY(memory, Seen, def->width * def->height);
        if (anyNull(r))
            status = failMemory(message);
    }
    if (status != shOk) {
        renderDestroy(r);
        return status;
    }
    for (int i = 0; i < CODES; ++i) {
        double linear = (double)i / (CODES - 1);
        double s = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
        r->codes[i] = (uint8_t)(255.0 * s + 0.5);
    }
    *out = r;
    return shOk;
}

void renderDestroy(Renderer* r)
{
    if (r == NULL)
        return;
    Memory* memory = &r->context->memory;
    int workers = shContext_GetWorkerCount(r->context);
    for (int i = 0; r->scratch != NULL && i < workers; ++i)
        arrayFree(memory, &r->scratch[i].fragments);
    FREE_ARRAY(memory, r->scratch, workers);
    FREE_ARRAY(memory, r->setups, r->stage.triangleCapacity);
    FREE_ARRAY(memory, r->binStart, r->tilesX * r->tilesY + 1);
    FREE_ARRAY(memory, r->codes, CODES);
    FREE_ARRAY(memory, r->seen, r->def.width * r->def.height);
    arrayFree(memory, &r->bins);
    lightsFree(&r->lights);
    stageFree(&r->stage);
    FREE_ARRAY(memory, r, 1);
}

static Vec3 turnedY(Vec3 v, float c, float s) { return vec3(c * v.x + s * v.z, v.y, c * v.z - s * v.x); }

void renderTurn(Renderer* r, float degrees)
{
    float angle = degrees * 0.01745329252f, c = cosf(angle), s = sinf(angle);
    r->camera = r->home;
    r->camera.eye = turnedY(r->home.eye, c, s);
    r->camera.right = turnedY(r->home.right, c, s);
    r->camera.up = turnedY(r->home.up, c, s);
    r->camera.forward = turnedY(r->home.forward, c, s);
}

// Twice a × b; swapping a and b gives exactly the negative, so that neighbours leave no gap along a shared edge.
static Vec3 edgePlane(Vec3 a, Vec3 b) { return vCross(vAdd(a, b), vSub(b, a)); }

static void setBounds(const Renderer* r, Setup* setup, const Vec3 corners[3])
{
    float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    float width = (float)r->def.width, height = (float)r->def.height;
    int behind = 0;
    for (int k = 0; k < 3; ++k) {
        float z = vDot(corners[k], r->camera.forward);
        behind += z < 1.0e-4f ? 1 : 0;
        float x = vDot(corners[k], r->camera.right) / (z * r->camera.tanX);
        float y = vDot(corners[k], r->camera.up) / (z * r->camera.tanY);
        x = 0.5f * width * (1.0f + x);
        y = 0.5f * height * (1.0f - y);
        x0 = minF(x, x0), x1 = maxF(x, x1), y0 = minF(y, y0), y1 = maxF(y, y1);
    }
    if (behind == 3)
        return;
    if (behind > 0) // its outline goes through infinity: look everywhere
        x0 = y0 = 0.0f, x1 = width, y1 = height;
    setup->x0 = (int)clampF(x0 - 0.5f, 0.0f, width);
    setup->y0 = (int)clampF(y0 - 0.5f, 0.0f, height);
    setup->x1 = (int)clampF(x1 + 0.5f, -1.0f, width - 1.0f);
    setup->y1 = (int)clampF(y1 + 0.5f, -1.0f, height - 1.0f);
}

static void setUp(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Renderer* r = arg;
    for (int t = begin; t < end; ++t) {
        Setup* setup = &r->setups[t];
        *setup = (Setup){.x1 = -1, .y1 = -1};
        const int* v = r->stage.triangles[t];
        Vec3 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = vSub(r->stage.positions[v[k]], r->camera.eye);
        Vec3 normal = vCross(vSub(p[1], p[0]), vSub(p[2], p[0]));
        float volume = vDot(normal, p[0]); // negative: we see the front
        const Material* material = &r->stage.scene->materials.data[r->stage.materials[t]];
        if (!(fabsf(volume) > 1.0e-20f) || (volume > 0.0f && !material->doubleSided))
            continue;
        float sign = volume < 0.0f ? -1.0f : 1.0f;
        for (int k = 0; k < 3; ++k)
            setup->edges[k] = overPixels(r, vScale(sign, edgePlane(p[(k + 1) % 3], p[(k + 2) % 3])));
        setup->depth = overPixels(r, vScale(1.0f / volume, normal));
        setup->face = vNormalize(vScale(-sign, normal));
        setBounds(r, setup, p);
    }
}

// Lists the triangles of each tile, in order of their index.
static shStatus fillBins(Renderer* r, shMessage* message)
{
    int tiles = r->tilesX * r->tilesY;
    memset(r->binStart, 0, (size_t)(tiles + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        int64_t total = 0;
        for (int t = 0; t < r->stage.triangleCount; ++t) {
            const Setup* s = &r->setups[t];
            if (s->x0 > s->x1 || s->y0 > s->y1)
                continue;
            for (int y = s->y0 / TILE; y <= s->y1 / TILE; ++y)
                for (int x = s->x0 / TILE; x <= s->x1 / TILE; ++x) {
                    int* slot = &r->binStart[y * r->tilesX + x];
                    if (pass == 0)
                        ++slot[0];
                    else
                        r->bins.data[slot[0]++] = t;
                    ++total;
                }
        }
        if (pass == 0) {
            if (!arrayReserve(&r->context->memory, &r->bins, total))
                return failMemory(message);
            for (int i = 0, sum = 0; i <= tiles; ++i) {
                int count = r->binStart[i];
                r->binStart[i] = sum;
                sum += count;
            }
        }
    }
    // Filling moved every start to its end.
    memmove(r->binStart + 1, r->binStart, (size_t)tiles * sizeof(int));
    r->binStart[0] = 0;
    return shOk;
}

// Which samples of the pixel the triangle covers in front of what is there; their depths in z.
static inline unsigned cover(const Setup* s, float x, float y, const float* depth, float z[SAMPLES])
{
    float e0 = at(s->edges[0], x, y), e1 = at(s->edges[1], x, y), e2 = at(s->edges[2], x, y);
    if (e0 < -0.5f * (fabsf(s->edges[0].a) + fabsf(s->edges[0].b)) ||
        e1 < -0.5f * (fabsf(s->edges[1].a) + fabsf(s->edges[1].b)) ||
        e2 < -0.5f * (fabsf(s->edges[2].a) + fabsf(s->edges[2].b)))
        return 0;
    float d = at(s->depth, x, y);
    unsigned mask = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        float f0 = e0 + (s->edges[0].a * sampleX[k] + s->edges[0].b * sampleY[k]);
        float f1 = e1 + (s->edges[1].a * sampleX[k] + s->edges[1].b * sampleY[k]);
        float f2 = e2 + (s->edges[2].a * sampleX[k] + s->edges[2].b * sampleY[k]);
        z[k] = d + (s->depth.a * sampleX[k] + s->depth.b * sampleY[k]);
        if (f0 >= 0.0f && f1 >= 0.0f && f2 >= 0.0f && z[k] > depth[k])
            mask |= 1u << k;
    }
    return mask;
}

typedef struct Weights {
    float w[3];
} Weights;

static Weights weightsAt(const Setup* s, float x, float y)
{
    Weights r;
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k)
        sum += r.w[k] = maxF(at(s->edges[k], x, y), 0.0f);
    for (int k = 0; k < 3; ++k)
        r.w[k] = sum > 0.0f ? r.w[k] / sum : 1.0f / 3.0f;
    return r;
}

static Vec3 mix(const Vec3* values, const int v[3], Weights w)
{
    return vAdd(vAdd(vScale(w.w[0], values[v[0]]), vScale(w.w[1], values[v[1]])), vScale(w.w[2], values[v[2]]));
}

static float checkerAt(const Renderer* r, int triangle, float x, float y)
{
    Vec3 uv = mix(r->stage.uvs, r->stage.triangles[triangle], weightsAt(&r->setups[triangle], x, y));
    float parity = floorf(uv.x * r->def.checker) + floorf(uv.y * r->def.checker);
    return parity - 2.0f * floorf(0.5f * parity) > 0.5f ? 0.35f : 1.0f;
}

// The triangle's colour towards the eye at pixel position (x, y). The checker is averaged over the samples of `mask`
// around the pixel's middle (px, py).
static Shade shadeTriangle(const Renderer* r, int t, float x, float y, float px, float py, unsigned mask)
{
    const Stage* stage = &r->stage;
    const Setup* setup = &r->setups[t];
    const int* v = stage->triangles[t];
    Weights w = weightsAt(setup, x, y);
    Surface surface = {.point = mix(stage->positions, v, w),
                       .normal = vNormalize(mix(stage->normals, v, w)),
                       .face = setup->face,
                       .material = &stage->scene->materials.data[stage->materials[t]]};
    // The eye may see the back of a two-sided surface; a file may hold no usable normal.
    float side = vDot(surface.normal, setup->face);
    surface.normal = side < -0.2f ? vNeg(surface.normal) : surface.normal;
    if (!(fabsf(side) > 0.2f))
        surface.normal = setup->face;
    surface.view = vNormalize(vSub(r->camera.eye, surface.point));
    surface.albedo = times(surface.material->color, mix(stage->colors, v, w));
    if (r->def.checker > 0.0f) {
        float sum = 0.0f, count = 0.0f;
        for (int k = 0; k < SAMPLES; ++k)
            if ((mask >> k & 1) != 0) {
                sum += checkerAt(r, t, px + sampleX[k], py + sampleY[k]);
                count += 1.0f;
            }
        surface.albedo = vScale(sum / count, surface.albedo);
    }
    return shade(&r->lights, &surface);
}

static Vec3 backgroundAt(const Renderer* r, float x, float y)
{
    float dx = 2.0f * x / (float)r->def.width - 1.0f, dy = 2.0f * y / (float)r->def.height - 1.0f;
    return vScale(1.0f - 0.5f * r->def.vignette * (dx * dx + dy * dy), r->def.background);
}

// The ground shows the background as far as light reaches it.
static Vec3 groundAt(const Renderer* r, float x, float y)
{
    Vec3 color = backgroundAt(r, x, y);
    float depth = at(r->groundDepth, x, y);
    Vec3 ray = vAdd(vAdd(r->rayOrigin, vScale(x, r->rayX)), vScale(y, r->rayY));
    Vec3 point = vMad(r->camera.eye, 1.0f / maxF(depth, 1.0e-6f), ray);
    if (!(point.x * point.x + point.z * point.z < GROUND_REACH * GROUND_REACH))
        return color;
    Vec3 up = {0.0f, 1.0f, 0.0f};
    Vec3 light = SIMD_CHOOSE(lightsAt)(&r->lights, point, up, up).sum, open = r->lights.open;
    return times(color, vec3(light.x / open.x, light.y / open.y, light.z / open.z));
}

// One colour for all samples in `mask`, which see the same surface.
static Vec3 colorOf(const Renderer* r, int seen, unsigned mask, float x, float y)
{
    float sx = 0.0f, sy = 0.0f, count = 0.0f;
    for (int k = 0; k < SAMPLES; ++k)
        if ((mask >> k & 1) != 0) {
            sx += sampleX[k];
            sy += sampleY[k];
            count += 1.0f;
        }
    if (seen == seesSky)
        return backgroundAt(r, x, y);
    if (seen == seesGround)
        return groundAt(r, x + sx / count, y + sy / count);
    Shade s = shadeTriangle(r, seen, x + sx / count, y + sy / count, x, y, mask);
    return toneMap(vAdd(s.body, s.gloss));
}

static bool sharesLight(const Renderer* r, int a, int b)
{
    if (a == b)
        return true;
    return a >= 0 && b >= 0 && r->stage.materials[a] == r->stage.materials[b] &&
           vDot(r->setups[a].face, r->setups[b].face) > SAME_FACE;
}

static void resolvePixel(const Renderer* r, const float* depth, const int* seen, float x, float y, Vec3* color)
{
    unsigned left = (1u << SAMPLES) - 1;
    while (left != 0) {
        int first = __builtin_ctz(left);
        unsigned group = 0;
        for (int k = first; k < SAMPLES; ++k)
            if ((left >> k & 1) != 0 && sharesLight(r, seen[first], seen[k]) &&
                (seen[first] < 0 || fabsf(depth[k] - depth[first]) < SAME_DEPTH * depth[first]))
                group |= 1u << k;
        Vec3 c = colorOf(r, seen[first], group, x, y);
        for (int k = first; k < SAMPLES; ++k)
            if ((group >> k & 1) != 0)
                color[k] = c;
        left &= ~group;
    }
}

// Adds a see-through surface to the pixel's list, nearest last.
static bool addFragment(const Renderer* r, Scratch* s, int pixel, Fragment fragment)
{
    if (!arrayReserve(&r->context->memory, &s->fragments, (int64_t)s->fragments.count + 1))
        return false;
    int* link = &s->heads[pixel];
    while (*link >= 0 && s->fragments.data[*link].depth <= fragment.depth)
        link = &s->fragments.data[*link].next;
    fragment.next = *link;
    *link = s->fragments.count;
    s->fragments.data[s->fragments.count++] = fragment;
    return true;
}

static void blendPixel(const Renderer* r, const Scratch* s, int pixel, float x, float y, Vec3* color)
{
    for (int i = s->heads[pixel]; i >= 0; i = s->fragments.data[i].next) {
        const Fragment* fragment = &s->fragments.data[i];
        Shade shaded = shadeTriangle(r, fragment->triangle, x, y, x, y, fragment->mask);
        Vec3 own = toneMap(vAdd(shaded.body, shaded.gloss));
        for (int k = 0; k < SAMPLES; ++k)
            if ((fragment->mask >> k & 1) != 0)
                color[k] = vAdd(own, times(shaded.through, color[k]));
    }
}

static void rasterize(Renderer* r, Scratch* s, int tile, bool seeThrough)
{
    int left = tile % r->tilesX * TILE, top = tile / r->tilesX * TILE;
    for (int i = r->binStart[tile]; i < r->binStart[tile + 1]; ++i) {
        int t = r->bins.data[i];
        if ((r->stage.scene->materials.data[r->stage.materials[t]].opacity < 1.0f) != seeThrough)
            continue;
        const Setup* setup = &r->setups[t];
        int x0 = maxI(setup->x0, left), x1 = minI(setup->x1, left + TILE - 1);
        int y0 = maxI(setup->y0, top), y1 = minI(setup->y1, top + TILE - 1);
        for (int y = y0; y <= y1; ++y)
            for (int x = x0; x <= x1; ++x) {
                int pixel = (y - top) * TILE + x - left;
                float z[SAMPLES];
                unsigned mask = cover(setup, (float)x + 0.5f, (float)y + 0.5f, s->depth + pixel * SAMPLES, z);
                if (mask == 0)
                    continue;
                if (seeThrough) {
                    Fragment fragment = {z[__builtin_ctz(mask)], t, -1, mask};
                    s->failed = !addFragment(r, s, pixel, fragment) || s->failed;
                    continue;
                }
                for (int k = 0; k < SAMPLES; ++k)
                    if ((mask >> k & 1) != 0) {
                        s->depth[pixel * SAMPLES + k] = z[k];
                        s->seen[pixel * SAMPLES + k] = t;
                    }
            }
    }
}

static void clearTile(const Renderer* r, Scratch* s, int left, int top)
{
    for (int i = 0; i < TILE_SAMPLES; ++i) {
        int column = left + i / SAMPLES % TILE, row = top + i / SAMPLES / TILE, k = i % SAMPLES;
        float x = (float)column + 0.5f + sampleX[k], y = (float)row + 0.5f + sampleY[k];
        float ground = r->drawsGround ? at(r->groundDepth, x, y) : 0.0f;
        s->depth[i] = maxF(ground, 0.0f);
        s->seen[i] = ground > 0.0f ? seesGround : seesSky;
    }
    for (int i = 0; i < TILE * TILE; ++i)
        s->heads[i] = -1;
    s->fragments.count = 0;
}

static uint8_t encode(const Renderer* r, float linear)
{
    return r->codes[(int)(clampF(linear, 0.0f, 1.0f) * (float)(CODES - 1) + 0.5f)];
}

static Seen seenAt(const Renderer* r, const Scratch* s, int pixel)
{
    int triangle = s->seen[pixel * SAMPLES];
    return (Seen){triangle >= 0 ? r->stage.nodes[triangle] : -1, s->depth[pixel * SAMPLES]};
}

// How much of the pixel's neighbourhood belongs to another piece that touches the one seen here, 0 … 1.
static float crackAt(const Renderer* r, int x, int y)
{
    const Seen* here = &r->seen[y * r->def.width + x];
    int other = 0, count = 0;
    for (int v = maxI(y - 1, 0); v <= minI(y + 1, r->def.height - 1); ++v)
        for (int u = maxI(x - 1, 0); u <= minI(x + 1, r->def.width - 1); ++u, ++count) {
            const Seen* there = &r->seen[v * r->def.width + u];
            other += here->node >= 0 && there->node >= 0 && there->node != here->node &&
                     fabsf(there->depth - here->depth) < SAME_DEPTH * here->depth;
        }
    return (float)other / (float)count;
}

static void drawCracks(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Renderer* r = arg;
    for (int i = begin; i < end; ++i) {
        float crack = minF(1.0f, 2.0f * crackAt(r, i % r->def.width, i / r->def.width));
        for (int k = 0; k < 3; ++k) {
            uint8_t* out = &r->target->pixels[3 * (size_t)i + (size_t)k];
            *out = (uint8_t)((float)*out * (1.0f - CRACK_DARKNESS * crack) + 0.5f);
        }
    }
}

static void drawTiles(int begin, int end, int worker, void* arg)
{
    Renderer* r = arg;
    Scratch* s = &r->scratch[worker];
    for (int tile = begin; tile < end; ++tile) {
        int left = tile % r->tilesX * TILE, top = tile / r->tilesX * TILE;
        clearTile(r, s, left, top);
        rasterize(r, s, tile, false);
        rasterize(r, s, tile, true);
        for (int y = top; y < minI(top + TILE, r->def.height); ++y)
            for (int x = left; x < minI(left + TILE, r->def.width); ++x) {
                int pixel = (y - top) * TILE + x - left;
                Vec3* color = s->color + pixel * SAMPLES;
                float px = (float)x + 0.5f, py = (float)y + 0.5f;
                resolvePixel(r, s->depth + pixel * SAMPLES, s->seen + pixel * SAMPLES, px, py, color);
                blendPixel(r, s, pixel, px, py, color);
                if (r->seen != NULL)
                    r->seen[y * r->def.width + x] = seenAt(r, s, pixel);
                Vec3 sum = {0.0f, 0.0f, 0.0f};
                for (int k = 0; k < SAMPLES; ++k)
                    sum = vMad(sum, 1.0f / SAMPLES, color[k]);
                uint8_t* out = r->target->pixels + 3 * ((size_t)y * (size_t)r->def.width + (size_t)x);
                out[0] = encode(r, sum.x);
                out[1] = encode(r, sum.y);
                out[2] = encode(r, sum.z);
            }
    }
}

shStatus renderDraw(Renderer* r, float time, Picture* picture, shMessage* message)
{
    const Camera* camera = &r->camera;
    if (picture->width != r->def.width || picture->height != r->def.height)
        return fail(message, shInvalid, "the picture is not of the size the renderer was made for");
    stageSet(&r->stage, time);
    shStatus status = lightsSet(&r->lights, &r->stage, camera, r->groundHeight, message);
    if (status != shOk)
        return status;
    r->target = picture;
    r->rayX = vScale(2.0f * camera->tanX / (float)r->def.width, camera->right);
    r->rayY = vScale(-2.0f * camera->tanY / (float)r->def.height, camera->up);
    r->rayOrigin = vAdd(vMad(camera->forward, -camera->tanX, camera->right), vScale(camera->tanY, camera->up));
    float above = camera->eye.y - r->groundHeight;
    r->drawsGround = above > 0.0f;
    r->groundDepth = overPixels(r, vec3(0.0f, r->drawsGround ? -1.0f / above : 0.0f, 0.0f));
    parallelFor(r->context, r->stage.triangleCount, 1024, setUp, r);
    status = fillBins(r, message);
    if (status != shOk)
        return status;
    parallelFor(r->context, r->tilesX * r->tilesY, 1, drawTiles, r);
    for (int i = 0; i < shContext_GetWorkerCount(r->context); ++i)
        if (r->scratch[i].failed)
            return failMemory(message);
    if (r->seen != NULL)
        parallelFor(r->context, r->def.width * r->def.height, 4096, drawCracks, r);
    return shOk;
}

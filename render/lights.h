// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Light with true soft shadows: a key lamp cut into many small ones and a sky cut into many directions, each with an
// orthographic depth map of the scene. Seen along one axis the map keeps the nearest AND the farthest surface, so it
// answers for the direction and its opposite. What other renderers fake as "ambient occlusion" is here the plain sum
// over the sky. Nothing is random: the same scene gives the same picture.
#pragma once

#include "core/simd.h"
#include "render/stage.h"

#define MOST_AXES 160
#define MAP_BORDER 2 // texels around a map that stay empty, so that lookups need no clamping
#define LANES 8

typedef struct LightSizes {
    int keyCount, keyTexels; // lamps of the key light, a multiple of LANES, and the side of their maps
    int skyCount, skyTexels; // axes of the sky (two directions each), likewise
} LightSizes;

typedef struct Lights {
    shContext* context;
    LightSizes sizes;
    int axisCount; // keys first, then sky
    // Per axis, arrays by component for SIMD: w points to the light, u and v span its map.
    float ux[MOST_AXES], uy[MOST_AXES], uz[MOST_AXES];
    float vx[MOST_AXES], vy[MOST_AXES], vz[MOST_AXES];
    float wx[MOST_AXES], wy[MOST_AXES], wz[MOST_AXES];
    float tr[MOST_AXES], tg[MOST_AXES], tb[MOST_AXES]; // irradiance from w,
    float ar[MOST_AXES], ag[MOST_AXES], ab[MOST_AXES]; // and from −w
    int starts[MOST_AXES];                             // of its map in `maps`
    float* maps; // of the keys (nearest), then of the sky (nearest, farthest, nearest, …)
    size_t mapFloats;
    Vec3 key, keyEnergy; // middle of the key light
    Vec3 fill;           // direction of the big soft lamp within the sky
    float turn[2];       // cosine and sine of the camera's azimuth: the lights go with it
    bool hasGround;
    float groundHeight;
    Vec3 open; // irradiance of an open, level ground
} Lights;

typedef struct Irradiance {
    Vec3 sum;       // divided by π: multiply by albedo
    float key, sky; // visible share of each, 0…1
} Irradiance;

// Side of an axis' map.
static inline int lightsTexels(const Lights* lights, int axis)
{
    return axis < lights->sizes.keyCount ? lights->sizes.keyTexels : lights->sizes.skyTexels;
}

shStatus lightsCreate(Lights* lights, shContext* context, LightSizes sizes, shMessage* message);
void lightsFree(Lights* lights);
// Aims the lights for a camera and draws their maps. `groundHeight` NAN: no ground.
shStatus lightsSet(Lights* lights, const Stage* stage, const Camera* camera, float groundHeight, shMessage* message);
// Light that reaches a point with this shading normal; `face` is the geometric normal of its side.
SIMD_DECLARE(Irradiance, lightsAt, (const Lights* lights, Vec3 point, Vec3 normal, Vec3 face));
// What a mirror would see in this direction, blurred by roughness.
Vec3 lightsSky(const Lights* lights, Vec3 direction, float roughness);

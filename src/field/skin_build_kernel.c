// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Making trees over surfaces, eight triangles at once: their places along a Hilbert curve, and their packets.
#include "core/constants.h"
#include "field/skin_lanes.h"

// ---- order ----------------------------------------------------------------------------------------------------------

// A Hilbert curve, from large cubes to small: in each of its 24 positions, for each octant, 8 times the position that
// the curve has there, and as the how-manieth it gets there.
static const int32_t hilbertSteps[24 * 8] = {
    8,   17,  27,  2,   39,  46,  52,  5,   //
    56,  71,  73,  86,  91,  20,  10,  13,  //
    48,  1,   103, 110, 115, 18,  12,  21,  //
    126, 129, 29,  26,  79,  80,  140, 3,   //
    148, 43,  37,  34,  127, 128, 78,  81,  //
    156, 45,  35,  42,  31,  6,   160, 105, //
    72,  87,  139, 4,   57,  70,  50,  53,  //
    0,   171, 111, 76,  49,  58,  102, 61,  //
    180, 143, 83,  184, 69,  54,  66,  97,  //
    16,  123, 9,   74,  47,  60,  38,  77,  //
    132, 95,  85,  14,  67,  144, 82,  33,  //
    142, 55,  185, 96,  93,  116, 90,  11,  //
    188, 107, 175, 176, 101, 98,  62,  65,  //
    164, 109, 119, 22,  99,  106, 152, 41,  //
    174, 177, 63,  64,  117, 114, 92,  19,  //
    30,  125, 161, 122, 7,   172, 104, 75,  //
    130, 25,  133, 166, 179, 136, 84,  191, //
    94,  15,  141, 28,  145, 32,  138, 51,  //
    146, 155, 149, 36,  137, 24,  190, 167, //
    154, 157, 147, 44,  169, 182, 120, 135, //
    162, 165, 121, 134, 187, 108, 168, 183, //
    118, 173, 23,  124, 153, 170, 40,  59,  //
    178, 113, 131, 88,  181, 158, 68,  151, //
    186, 163, 89,  112, 189, 100, 150, 159, //
};

static inline I8 bitOr(I8 value, I8 of, int bit, int octant)
{
    M8 set = i8Greater(i8And(of, i8Set(1 << bit)), i8Set(0));
    return i8Or(value, i8Select(set, i8Set(octant), i8Set(0)));
}

static inline I8 hilbert(I8 x, I8 y, I8 z, int levels)
{
    I8 key = i8Set(0), step = i8Set(0);
    for (int bit = levels - 1; bit >= 0; --bit) {
        I8 at = bitOr(bitOr(bitOr(i8And(step, i8Set(~7)), x, bit, 4), y, bit, 2), z, bit, 1);
        step = i8Gather(hilbertSteps, at);
        key = i8Or(i8Mul(key, i8Set(8)), i8And(step, i8Set(7)));
    }
    return key;
}

static inline I8 stepsAlong(F8 sum, float lower, float scale, float most)
{
    F8 at = f8Mul(f8Set(scale), f8Sub(sum, f8Set(3.0f * lower)));
    return f8Truncate(f8Min(f8Max(at, f8Zero()), f8Set(most)));
}

void SIMD_NAME(skinKeys)(uint64_t* keys, const SkinSource* source, const int* features, int count, shBox box,
                         int levels)
{
    Vec3 size = boxSize(box);
    float longest = maxF(size.x, maxF(size.y, size.z)), most = (float)((1 << levels) - 1);
    float scale = longest > 0.0f ? most / (3.0f * longest) : 0.0f;
    for (int i = 0; i < count; i += skinLanes) {
        int lanes = minI(count - i, skinLanes), own[skinLanes], along[skinLanes];
        for (int lane = 0; lane < skinLanes; ++lane)
            own[lane] = features[i + minI(lane, lanes - 1)];
        for (int lane = 0; lane < skinLanes && i + SKIN_AHEAD + lane < count; ++lane)
            skinPrefetch(source, features[i + SKIN_AHEAD + lane]);
        F8 p[9];
        skinLoad(source, own, p);
        I8 x = stepsAlong(f8Add(p[0], f8Add(p[3], p[6])), box.lower.x, scale, most);
        I8 y = stepsAlong(f8Add(p[1], f8Add(p[4], p[7])), box.lower.y, scale, most);
        I8 z = stepsAlong(f8Add(p[2], f8Add(p[5], p[8])), box.lower.z, scale, most);
        i8Store(along, hilbert(x, y, z, levels));
        for (int lane = 0; lane < lanes; ++lane)
            keys[i + lane] = (uint64_t)(uint32_t)along[lane] << 32 | (uint32_t)own[lane];
    }
}

// ---- packets --------------------------------------------------------------------------------------------------------

// Closest points may leave their triangle by rounding, but not its packet's box.
static inline void setWidened(SkinNode* node, int lane, const float lower[3], const float upper[3])
{
    float extent = 0.0f;
    for (int k = 0; k < 3; ++k)
        extent = maxF(extent, maxF(fabsf(lower[k]), fabsf(upper[k])));
    for (int k = 0; k < 3; ++k) {
        node->lower[k][lane] = lower[k] - ROUNDING * extent;
        node->upper[k][lane] = upper[k] + ROUNDING * extent;
    }
}

// Lanes that are left over hold the last triangle once more, of nobody.
void SIMD_NAME(skinPack)(SkinPacket* packets, SkinNode* nodes, const SkinSource* source, const uint64_t* keys,
                         int count)
{
    for (int i = 0; skinLanes * i < count; ++i) {
        SkinPacket* packet = &packets[i];
        int first = skinLanes * i, lanes = minI(count - first, skinLanes), own[skinLanes];
        for (int lane = 0; lane < skinLanes; ++lane) {
            own[lane] = (int)(uint32_t)keys[first + minI(lane, lanes - 1)];
            packet->features[lane] = lane < lanes ? own[lane] : noFeature;
        }
        for (int lane = 0; lane < skinLanes && first + SKIN_AHEAD + lane < count; ++lane)
            skinPrefetch(source, (int)(uint32_t)keys[first + SKIN_AHEAD + lane]);
        F8 p[9];
        skinLoad(source, own, p);
        float lower[3], upper[3];
        for (int k = 0; k < 3; ++k) {
            f8Store(packet->a[k], p[k]);
            f8Store(packet->b[k], p[3 + k]);
            f8Store(packet->c[k], p[6 + k]);
            lower[k] = f8Least(f8Min(f8Min(p[k], p[3 + k]), p[6 + k]));
            upper[k] = f8Most(f8Max(f8Max(p[k], p[3 + k]), p[6 + k]));
        }
        setWidened(&nodes[i / skinLanes], i % skinLanes, lower, upper);
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Points in eight directions at once.
#include "core/constants.h"
#include "field/piece_hull.h"
#include "field/skin_lanes.h"

static inline F8 along(F8 x, F8 y, F8 z, const float corner[3][skinLanes])
{
    return f8Add(f8Add(f8Mul(x, f8Load(corner[0])), f8Mul(y, f8Load(corner[1]))), f8Mul(z, f8Load(corner[2])));
}

static inline F8 farther(const HullReach* reach, Vec3 p, F8 farthest)
{
    F8 far = f8Add(f8Add(f8Mul(f8Load(reach->x), f8Set(p.x)), f8Mul(f8Load(reach->y), f8Set(p.y))),
                   f8Mul(f8Load(reach->z), f8Set(p.z)));
    return f8Max(far, farthest);
}

// Eight triangles at once, direction by direction.
void SIMD_NAME(hullReachSkin)(HullReach* reach, const SkinView* view)
{
    static const int32_t lanes[skinLanes] = {1, 2, 4, 8, 16, 32, 64, 128};
    I8 lane = i8Load(lanes);
    F8 farthest[hullMaxPlanes];
    for (int k = 0; k < hullMaxPlanes; ++k)
        farthest[k] = f8Set(reach->farthest[k]);
    for (int i = 0; i < view->tree->packetCount; ++i) {
        const SkinPacket* packet = &view->packets[i];
        M8 counts = i8Equal(i8And(i8Set(view->alive[i]), lane), lane);
        for (int k = 0; k < hullMaxPlanes; ++k) {
            F8 x = f8Set(reach->x[k]), y = f8Set(reach->y[k]), z = f8Set(reach->z[k]);
            F8 a = along(x, y, z, packet->a), b = along(x, y, z, packet->b), c = along(x, y, z, packet->c);
            farthest[k] = f8Select(counts, f8Max(f8Max(f8Max(a, b), c), farthest[k]), farthest[k]);
        }
    }
    for (int k = 0; k < hullMaxPlanes; ++k)
        reach->farthest[k] = f8Most(farthest[k]);
}

void SIMD_NAME(hullReachPoint)(HullReach* reach, Vec3 p)
{
    f8Store(reach->farthest, farther(reach, p, f8Load(reach->farthest)));
}

// ---- areas ----------------------------------------------------------------------------------------------------------

static inline I8 squareAlong(F8 x)
{
    F8 at = f8Mul(f8Add(f8Mul(f8Set(0.5f), x), f8Set(0.5f)), f8Set((float)squaresAlong));
    return i8Min(f8Truncate(at), i8Set(squaresAlong - 1));
}

// The square that each of eight vectors points to, of those that count.
static inline I8 squareOf(F8 x, F8 y, F8 z, M8 counts)
{
    F8 ax = f8Abs(x), ay = f8Abs(y), az = f8Abs(z);
    M8 alongX = m8And(f8GreaterEqual(ax, ay), f8GreaterEqual(ax, az)),
       alongY = m8AndNot(f8GreaterEqual(ay, az), alongX);
    F8 length = f8Select(alongX, x, f8Select(alongY, y, z)), inverse = f8Div(f8Set(1.0f), f8Abs(length));
    F8 next = f8Select(alongX, y, f8Select(alongY, z, x)), last = f8Select(alongX, z, f8Select(alongY, x, y));
    // Without length there may be no numbers here, which nobody can truncate.
    I8 u = squareAlong(f8Select(counts, f8Mul(next, inverse), f8Zero()));
    I8 v = squareAlong(f8Select(counts, f8Mul(last, inverse), f8Zero()));
    I8 side = i8Select(alongX, i8Set(0), i8Select(alongY, i8Set(2 * squaresPerSide), i8Set(4 * squaresPerSide)));
    side = i8Add(side, i8Select(f8Less(length, f8Zero()), i8Set(squaresPerSide), i8Set(0)));
    return i8Add(side, i8Add(i8Mul(i8Set(squaresAlong), v), u));
}

static inline F8 edge(const float from[skinLanes], const float to[skinLanes])
{
    return f8Sub(f8Load(to), f8Load(from));
}

static inline F8 crossOf(F8 ay, F8 az, F8 by, F8 bz) { return f8Sub(f8Mul(ay, bz), f8Mul(az, by)); }

// The nearest whole number of steps.
static inline int64_t stepsOf(float area, double perArea)
{
    double at = (double)area * perArea + 0.5;
    int64_t whole = (int64_t)at;
    return whole - ((double)whole > at);
}

void SIMD_NAME(hullAddAreas)(HullSteps* steps, const SkinView* view, const Facet* facets)
{
    for (int i = 0; i < view->tree->packetCount; ++i) {
        const SkinPacket* packet = &view->packets[i];
        unsigned lanes = view->alive[i];
        int ahead = i + SKIN_AHEAD / skinLanes;
        for (int lane = 0; lane < skinLanes && ahead < view->tree->packetCount; ++lane)
            skinPrefetch(&(SkinSource){NULL, facets}, view->packets[ahead].features[lane]);
        for (int lane = 0; lane < skinLanes; ++lane) {
            int feature = packet->features[lane];
            if (feature >= 0 || facets[~feature].source >= 0)
                lanes &= ~(1u << lane);
        }
        if (lanes == 0)
            continue;
        F8 ux = edge(packet->a[0], packet->b[0]), uy = edge(packet->a[1], packet->b[1]),
           uz = edge(packet->a[2], packet->b[2]);
        F8 vx = edge(packet->a[0], packet->c[0]), vy = edge(packet->a[1], packet->c[1]),
           vz = edge(packet->a[2], packet->c[2]);
        F8 x = crossOf(uy, uz, vy, vz), y = crossOf(uz, ux, vz, vx), z = crossOf(ux, uy, vx, vy);
        F8 length2 = f8Add(f8Add(f8Mul(x, x), f8Mul(y, y)), f8Mul(z, z));
        M8 counts = f8Greater(length2, f8Zero());
        lanes &= (unsigned)m8Bits(counts);
        float area[3][skinLanes];
        int square[skinLanes];
        f8Store(area[0], x), f8Store(area[1], y), f8Store(area[2], z);
        i8Store(square, squareOf(x, y, z, counts));
        for (; lanes != 0; lanes &= lanes - 1u) {
            int lane = __builtin_ctz(lanes);
            int64_t* sum = steps->of[square[lane]];
            for (int k = 0; k < 3; ++k)
                sum[k] += stepsOf(area[k][lane], steps->perArea);
        }
    }
}

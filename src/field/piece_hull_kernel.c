// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Points in eight directions at once.
#include "core/simd.h"
#include "field/piece_hull.h"
#include "field/skin.h"

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

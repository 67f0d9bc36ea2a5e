// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Points in eight directions at once.
#include "core/simd.h"
#include "field/piece_hull.h"
#include "field/tet_cut.h"

static inline F8 farther(const HullReach* reach, Vec3 p, F8 farthest)
{
    F8 along = f8Add(f8Add(f8Mul(f8Load(reach->x), f8Set(p.x)), f8Mul(f8Load(reach->y), f8Set(p.y))),
                     f8Mul(f8Load(reach->z), f8Set(p.z)));
    return f8Max(along, farthest);
}

void SIMD_NAME(hullReachFacets)(HullReach* reach, const Facet* facets, int count)
{
    F8 farthest = f8Load(reach->farthest);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3 && facets[i].source < 0; ++k)
            farthest = farther(reach, facets[i].p[k], farthest);
    }
    f8Store(reach->farthest, farthest);
}

void SIMD_NAME(hullReachPoint)(HullReach* reach, Vec3 p)
{
    f8Store(reach->farthest, farther(reach, p, f8Load(reach->farthest)));
}

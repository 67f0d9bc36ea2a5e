// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The farthest of some points, eight at a time.
#include "collide/convex.h"
#include "core/simd.h"

int SIMD_NAME(convexFarthest)(const float points[3][hullPoints], Vec3 direction)
{
    F8 x = f8Set(direction.x), y = f8Set(direction.y), z = f8Set(direction.z);
    F8 along[hullPoints / 8], most = f8Set(-INFINITY);
    for (int i = 0; i < hullPoints / 8; ++i) {
        along[i] = f8Add(f8Add(f8Mul(x, f8Load(points[0] + 8 * i)), f8Mul(y, f8Load(points[1] + 8 * i))),
                         f8Mul(z, f8Load(points[2] + 8 * i)));
        most = f8Max(along[i], most);
    }
    F8 best = f8Set(-f8Least(f8Neg(most)));
    for (int i = 0; i < hullPoints / 8; ++i) {
        unsigned bits = (unsigned)m8Bits(f8Equal(along[i], best));
        if (bits != 0)
            return 8 * i + __builtin_ctz(bits);
    }
    return 0;
}

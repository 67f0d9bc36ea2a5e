// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/hash.h"
#include "fracture/pattern.h"

// Three numbers within −1 … 1 at a corner of the lattice.
static DVec3 cornerNoise(uint64_t seed, int64_t x, int64_t y, int64_t z)
{
    uint64_t bits = hashMix(hashMix(hashMix(seed ^ (uint64_t)x) ^ (uint64_t)y) ^ (uint64_t)z);
    const uint64_t mask = (1u << 21) - 1;
    const double unit = 0x1p-20;
    return dvec3((double)(bits & mask) * unit - 1.0, (double)(bits >> 21 & mask) * unit - 1.0,
                 (double)(bits >> 42 & mask) * unit - 1.0);
}

Vec3 smoothNoise(uint64_t seed, Vec3 p)
{
    const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
    int64_t cell[3];
    double weight[3];
    for (int k = 0; k < 3; ++k) {
        double floored = floor(at[k]), t = at[k] - floored;
        cell[k] = (int64_t)floored;
        weight[k] = t * t * (3.0 - 2.0 * t);
    }
    DVec3 sum = {0.0, 0.0, 0.0};
    for (int c = 0; c < 8; ++c) {
        int x = c & 1, y = c >> 1 & 1, z = c >> 2;
        double w =
            (x ? weight[0] : 1.0 - weight[0]) * (y ? weight[1] : 1.0 - weight[1]) * (z ? weight[2] : 1.0 - weight[2]);
        sum = dMad(sum, w, cornerNoise(seed, cell[0] + x, cell[1] + y, cell[2] + z));
    }
    return vFromD(sum);
}

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

bool noiseTable(Noise* noise, Memory* memory, shBox box, int most)
{
    double corners = 1.0, size[3];
    for (int k = 0; k < 3; ++k) {
        double lower = floor((double)vGet(box.lower, k));
        size[k] = floor((double)vGet(box.upper, k)) + 2.0 - lower;
        corners *= size[k];
        noise->lower[k] = fabs(lower) < 0x1p62 ? (int64_t)lower : 0;
    }
    if (!(corners <= (double)most)) // not if one is no number either
        return true;
    noise->corners = NEW_ARRAY(memory, DVec3, (int)corners);
    if (noise->corners == NULL)
        return false;
    for (int k = 0; k < 3; ++k)
        noise->size[k] = (int)size[k];
    DVec3* next = noise->corners;
    for (int z = 0; z < noise->size[2]; ++z)
        for (int y = 0; y < noise->size[1]; ++y)
            for (int x = 0; x < noise->size[0]; ++x)
                *next++ = cornerNoise(noise->seed, noise->lower[0] + x, noise->lower[1] + y, noise->lower[2] + z);
    return true;
}

void noiseFree(Noise* noise, Memory* memory)
{
    FREE_ARRAY(memory, noise->corners, noise->size[0] * noise->size[1] * noise->size[2]);
    noise->corners = NULL;
}

// The same as floor for what fits, without a call.
static double floorOf(double x)
{
    if (!(fabs(x) < 0x1p52))
        return floor(x);
    double whole = (double)(int64_t)x;
    return whole - (double)(whole > x);
}

Vec3 smoothNoise(const Noise* noise, Vec3 p)
{
    const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
    int64_t cell[3];
    double weight[3][2];
    for (int k = 0; k < 3; ++k) {
        double floored = floorOf(at[k]), t = at[k] - floored;
        cell[k] = (int64_t)floored;
        weight[k][1] = t * t * (3.0 - 2.0 * t);
        weight[k][0] = 1.0 - weight[k][1];
    }
    DVec3 found[8];
    const DVec3* corners[4] = {&found[0], &found[2], &found[4], &found[6]}; // pairs along x
    if (noise->corners != NULL) {
        int row = noise->size[0], layer = row * noise->size[1];
        corners[0] = &noise->corners[(cell[2] - noise->lower[2]) * layer + (cell[1] - noise->lower[1]) * row + cell[0] -
                                     noise->lower[0]];
        corners[1] = corners[0] + row;
        corners[2] = corners[0] + layer;
        corners[3] = corners[2] + row;
    } else {
        for (int c = 0; c < 8; ++c)
            found[c] = cornerNoise(noise->seed, cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2));
    }
    DVec3 sum = {0.0, 0.0, 0.0};
    for (int c = 0; c < 8; ++c)
        sum = dMad(sum, weight[0][c & 1] * weight[1][c >> 1 & 1] * weight[2][c >> 2], corners[c >> 1][c & 1]);
    return vFromD(sum);
}

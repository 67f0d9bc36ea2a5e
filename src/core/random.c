// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"

#include "core/trig.h"

#define WEYL 0x9e3779b97f4a7c15u // 2^64 / golden ratio, odd

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// The index is mixed before it meets the seed, so that neighbouring pairs do not share stretches of one
// counter.
Random randomSeedItem(uint64_t seed, uint64_t index) { return (Random){mix(seed + mix(index + WEYL))}; }

uint64_t randomBits(Random* random) { return mix(random->state += WEYL); }

// The upper word of bits · n is uniform once the first 2^32 mod n values of the lower word are refused.
int randomBelow(Random* random, int n)
{
    uint32_t range = (uint32_t)n, refuse = (0u - range) % range;
    for (;;) {
        uint64_t product = (randomBits(random) >> 32) * range;
        if ((uint32_t)product >= refuse)
            return (int)(product >> 32);
    }
}

float randomFloat(Random* random) { return (float)(randomBits(random) >> 40) * 0x1p-24f; }

double randomDouble(Random* random) { return (double)(randomBits(random) >> 11) * 0x1p-53; }

float randomRange(Random* random, float lower, float upper) { return lower + (upper - lower) * randomFloat(random); }

double randomRangeD(Random* random, double lower, double upper)
{
    return lower + (upper - lower) * randomDouble(random);
}

static double signedUnit(Random* random) { return 2.0 * randomDouble(random) - 1.0; }

// Marsaglia's polar method. The second deviate is dropped: the state stays one word.
double randomNormal(Random* random)
{
    for (;;) {
        double x = signedUnit(random), y = signedUnit(random), r2 = x * x + y * y;
        if (r2 > 0.0 && r2 < 1.0)
            return x * sqrt(-2.0 * trigLog(r2) / r2);
    }
}

DVec3 randomInBall(Random* random)
{
    for (;;) {
        double x = signedUnit(random), y = signedUnit(random), z = signedUnit(random);
        DVec3 p = {x, y, z};
        double r2 = dLength2(p);
        if (r2 > 0.0 && r2 < 1.0)
            return p;
    }
}

DVec3 randomDirection(Random* random) { return dNormalize(randomInBall(random)); }

DVec3 randomVector(Random* random, double longest)
{
    DVec3 direction = randomDirection(random);
    return dScale(randomRangeD(random, 0.0, longest), direction);
}

// Two points of the unit disc make a uniform point of the 3-sphere (Marsaglia 1972).
shQuat randomRotation(Random* random)
{
    double x, y, z, w, inner, outer;
    do {
        x = signedUnit(random), y = signedUnit(random);
        inner = x * x + y * y;
    } while (inner >= 1.0);
    do {
        z = signedUnit(random), w = signedUnit(random);
        outer = z * z + w * w;
    } while (outer >= 1.0 || outer == 0.0);
    double scale = sqrt((1.0 - inner) / outer);
    return (shQuat){{(float)x, (float)y, (float)(z * scale)}, (float)(w * scale)};
}

Vec3 randomInBox(Random* random, shBox box)
{
    // Arguments of one call are evaluated in any order: a statement each.
    Vec3 p;
    p.x = randomRange(random, box.lower.x, box.upper.x);
    p.y = randomRange(random, box.lower.y, box.upper.y);
    p.z = randomRange(random, box.lower.z, box.upper.z);
    return p;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A small seeded generator: a Weyl counter put through a 64-bit finaliser (Steele, Lea, Flood 2014). Any
// seed is good, equal seeds give equal sequences on every build, the state is one word that can be stored.
#pragma once

#include "core/vec.h"

typedef struct Random {
    uint64_t state;
} Random;

static inline Random randomSeed(uint64_t seed) { return (Random){seed}; }
// An independent sequence for item `index` of something seeded: same whatever the order of use.
Random randomSeedItem(uint64_t seed, uint64_t index);

uint64_t randomBits(Random* random);
int randomBelow(Random* random, int n);                      // 0 … n − 1, unbiased; n ≥ 1
float randomFloat(Random* random);                           // [0, 1), steps of 2^-24
double randomDouble(Random* random);                         // [0, 1), steps of 2^-53
float randomRange(Random* random, float lower, float upper); // [lower, upper], uniform
double randomRangeD(Random* random, double lower, double upper);
double randomNormal(Random* random);         // mean 0, deviation 1
Vec3 randomInBox(Random* random, shBox box); // uniform; x, y, z are drawn in this order
DVec3 randomInBall(Random* random);          // uniform in the open unit ball, never 0
DVec3 randomDirection(Random* random);       // uniform on the unit sphere
// A direction, and then a length from [0, longest]. (Two draws in one call come in the order the compiler likes.)
DVec3 randomVector(Random* random, double longest);
shQuat randomRotation(Random* random); // uniform over all rotations, unit length

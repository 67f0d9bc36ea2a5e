// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Batch neural gas with magnification control (Weller, Zachmann 2009, section 3.2). Every sphere ranks the prototypes
// by their distance; prototype i moves to the mean of all centres, weighted by h(rank of i) and the sphere's volume;
// h(k) = exp(−k / λ) narrows with the iterations, until each prototype is the mean of the spheres nearest to it.
#include "core/constants.h"
#include "core/random.h"
#include "core/trig.h"
#include "tree/inner_tree.h"

#include <string.h>

typedef struct Sums {
    DVec3 moments[4];
    double weights[4];
} Sums;

typedef struct Round {
    const InnerGas* gas;
    DVec3 prototypes[4];
    double share[4]; // h of each rank
    Sums* blocks;    // one per block of spheres, added up in their order: the same for any number of workers
} Round;

static double weightOf(const InnerGas* gas, const InnerSphere* sphere)
{
    double radius = (double)sphere->radius;
    return gas->unweighted ? 1.0 : radius * radius * radius;
}

static void distancesTo(const DVec3 prototypes[4], DVec3 p, double distances[4])
{
    for (int i = 0; i < 4; ++i)
        distances[i] = dLength2(dSub(prototypes[i], p));
}

static void sumBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Round* round = arg;
    const InnerGas* gas = round->gas;
    Sums sums = {0};
    for (int s = begin; s < end; ++s) {
        const InnerSphere* sphere = &gas->spheres[gas->order[s]];
        DVec3 p = dFromV(innerCentre(sphere));
        double d[4], weight = weightOf(gas, sphere);
        distancesTo(round->prototypes, p, d);
        // Of equally near prototypes the first has the lower rank.
        int ranks[4] = {0};
        for (int i = 0; i < 4; ++i)
            for (int k = i + 1; k < 4; ++k) {
                bool closer = d[i] <= d[k];
                ranks[k] += closer;
                ranks[i] += !closer;
            }
        for (int i = 0; i < 4; ++i) {
            double w = weight * round->share[ranks[i]];
            sums.weights[i] += w;
            sums.moments[i] = dMad(sums.moments[i], w, p);
        }
    }
    round->blocks[begin / INNER_GAS_BLOCK] = sums;
}

// Four different spheres, if there are that many places.
static void startPrototypes(const InnerGas* gas, DVec3 prototypes[4])
{
    Random random = randomSeed(gas->seed);
    for (int i = 0; i < 4; ++i)
        prototypes[i] = dFromV(innerCentre(&gas->spheres[gas->order[randomBelow(&random, gas->count)]]));
}

static shBox boxOf(const InnerGas* gas)
{
    shBox box = boxEmpty();
    for (int s = 0; s < gas->count; ++s)
        box = boxAdd(box, innerCentre(&gas->spheres[gas->order[s]]));
    return box;
}

static double moveAll(Round* round, int blockCount)
{
    const InnerGas* gas = round->gas;
    if (gas->context != NULL)
        parallelFor(gas->context, gas->count, INNER_GAS_BLOCK, sumBlock, round);
    else
        for (int b = 0; b < blockCount; ++b)
            sumBlock(b * INNER_GAS_BLOCK, minI(gas->count, (b + 1) * INNER_GAS_BLOCK), 0, round);
    double moved2 = 0.0;
    for (int i = 0; i < 4; ++i) {
        DVec3 moment = {0.0, 0.0, 0.0};
        double weight = 0.0;
        for (int b = 0; b < blockCount; ++b) {
            moment = dAdd(moment, round->blocks[b].moments[i]);
            weight += round->blocks[b].weights[i];
        }
        if (!(weight > 0.0))
            continue; // nobody's nearest any more: it stays
        DVec3 to = dScale(1.0 / weight, moment);
        moved2 = maxD(moved2, dLength2(dSub(to, round->prototypes[i])));
        round->prototypes[i] = to;
    }
    return sqrt(moved2);
}

void innerCluster(const InnerGas* gas, DVec3 prototypes[4], uint8_t* groups)
{
    Sums few[INNER_GAS_FEW];
    int blockCount = (gas->count + INNER_GAS_BLOCK - 1) / INNER_GAS_BLOCK;
    Memory* memory = gas->context != NULL ? &gas->context->memory : NULL;
    Round round = {.gas = gas, .blocks = blockCount <= INNER_GAS_FEW ? few : NULL};
    if (round.blocks == NULL && memory != NULL)
        round.blocks = NEW_ARRAY(memory, Sums, blockCount);
    startPrototypes(gas, round.prototypes);
    double settled = INNER_GAS_SETTLED * (double)vLength(boxSize(boxOf(gas)));
    // Without memory for the sums the first prototypes have to do.
    for (int t = 0; t < INNER_GAS_ROUNDS && round.blocks != NULL; ++t) {
        const double widest = 0.5 * innerArity;
        double lambda = widest * trigPow(INNER_GAS_NARROWEST / widest, (double)t / INNER_GAS_ROUNDS);
        for (int k = 0; k < 4; ++k)
            round.share[k] = trigExp(-k / lambda);
        if (moveAll(&round, blockCount) <= settled && lambda <= INNER_GAS_NARROW)
            break;
    }
    if (round.blocks != few && memory != NULL)
        FREE_ARRAY(memory, round.blocks, blockCount);
    for (int s = 0; s < gas->count; ++s) {
        double d[4];
        int best = 0;
        distancesTo(round.prototypes, dFromV(innerCentre(&gas->spheres[gas->order[s]])), d);
        for (int i = 1; i < 4; ++i)
            if (d[i] < d[best])
                best = i;
        groups[s] = (uint8_t)best;
    }
    memcpy(prototypes, round.prototypes, sizeof round.prototypes);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "sherd/strength.h"

#include "core/constants.h"
#include "core/trig.h"
#include "fracture/motion.h"

// A box has I₁ = m(b² + c²)/12 and so on; sums and differences of the moments give its sides.
static void boxLike(const shPieceInfo* piece, double extents[3])
{
    double moments[3], axes[3][3];
    shGetPrincipalAxes(piece, moments, axes);
    for (int k = 0; k < 3; ++k) {
        double side2 = 6.0 * (moments[0] + moments[1] + moments[2] - 2.0 * moments[k]) / piece->mass;
        extents[k] = sqrt(maxD(side2, 0.0));
    }
}

shStrength shGetStrength(const shMaterial* material, const shPieceInfo* piece)
{
    shStrength strength = {.factor = 1.0};
    if (material == NULL || piece == NULL || !(piece->mass > 0.0))
        return strength;
    boxLike(piece, strength.extents);
    const double* extents = strength.extents;
    double young = (double)material->young, limit = (double)material->strength;
    strength.fill = minD(piece->volume / (extents[0] * extents[1] * extents[2]), BOX_MAX_FILL);
    strength.toughness = (double)material->toughness;
    strength.softness = (1.0 - (double)material->poisson * (double)material->poisson) / young;
    double strain = STRESSED_SHARE * limit * limit / (2.0 * young) * piece->volume;
    double crack = strength.toughness * shStrength_GetSmallestCrack(&strength) / CRACK_EFFICIENCY;
    strength.energy = maxD(strain, crack);
    return strength;
}

double shStrength_GetSmallestCrack(const shStrength* strength)
{
    return strength->fill * strength->extents[1] * strength->extents[2];
}

// Walls of a grid of cells. As long as cells are longer than a side is wide that side is not divided.
double shStrength_GetCrackArea(const shStrength* strength, int pieces)
{
    double a = strength->extents[0], b = strength->extents[1], c = strength->extents[2];
    double n = pieces, cell = a / n;
    if (cell < b)
        cell = sqrt(a * b / n);
    if (cell < c)
        cell = trigCbrt(a * b * c / n);
    if (!(cell > 0.0))
        return 0.0;
    return strength->fill *
           (maxD(a / cell - 1.0, 0.0) * b * c + maxD(b / cell - 1.0, 0.0) * a * c + maxD(c / cell - 1.0, 0.0) * a * b);
}

// How far a given share of the body reaches around a point of its surface: half a ball, a disc of a plate or a length
// of a rod, whichever goes farthest.
static double reachOf(const shStrength* strength, double share)
{
    double a = strength->extents[0], b = strength->extents[1], c = strength->extents[2];
    double ball = trigCbrt(1.5 / TRIG_PI * share * a * b * c);
    return maxD(ball, maxD(sqrt(share * a * b / TRIG_PI), 0.5 * share * a));
}

static bool makesSense(const shHit* hit)
{
    return hit->impulse >= 0.0 && isfinite(hit->impulse) && hit->inverseMass >= 0.0 && isfinite(hit->inverseMass) &&
           hit->restitution >= 0.0 && hit->restitution <= 1.0 && hit->otherSoftness >= 0.0;
}

shVerdict shJudgeHit(const shStrength* strength, const shHit* hit)
{
    shVerdict verdict = {.pieces = 1, .breakingImpulse = INFINITY};
    double smallest = shStrength_GetSmallestCrack(strength);
    if (!makesSense(hit) || !(strength->factor > 0.0) || !(strength->energy > 0.0) || !(smallest > 0.0))
        return verdict;
    double part = strength->softness / (strength->softness + hit->otherSoftness);
    double stopping = hit->impulse / (1.0 + hit->restitution); // the bounce adds no strain
    verdict.energy = 0.5 * part * hit->inverseMass * stopping * stopping;

    double usable; // as if the factor were 1
    if (strength->impulse > 0.0) {
        double ratio = hit->impulse / strength->impulse;
        verdict.breakingImpulse = strength->impulse;
        usable = smallest * strength->toughness * ratio * ratio; // that impulse just pays for the smallest crack
    } else {
        double least = sqrt(2.0 * strength->energy / (part * hit->inverseMass));
        verdict.breakingImpulse = strength->factor * (1.0 + hit->restitution) * least;
        usable = CRACK_EFFICIENCY * verdict.energy / (strength->factor * strength->factor);
    }
    verdict.crackEnergy = minD(usable, verdict.energy);
    verdict.breaks = hit->impulse >= verdict.breakingImpulse;
    verdict.crackArea = verdict.crackEnergy / strength->toughness;
    if (!verdict.breaks)
        return verdict;
    int most = maxI(hit->pieces, 2);
    double share = minD(1.0, usable / strength->toughness / maxD(shStrength_GetCrackArea(strength, most), smallest));
    verdict.pieces = maxI(2, 1 + (int)(share * (most - 1)));
    verdict.radius = share < 1.0 ? (float)reachOf(strength, share) : 0.0f;
    return verdict;
}

double shGetCrackCost(const shStrength* strength, const shVerdict* verdict, double area)
{
    return minD(strength->toughness * area, verdict->crackEnergy);
}

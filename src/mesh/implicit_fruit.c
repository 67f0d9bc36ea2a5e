// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/implicit.h"

#include "mesh/implicit_blend.h"

// cos(5θ) of a direction with cosine c: a polynomial, no trigonometry needed.
static double cosFive(double c) { return c * (5.0 + c * c * (16.0 * c * c - 20.0)); }

// The distance from the y axis, rounded off within `round` of it so that dimples have no needle at the bottom.
static double softRadius(double rho, double round) { return sqrt(rho * rho + round * round); }

// The pumpkin ---------------------------------------------------------------------------------------------------------

static double pumpkinDistance(DVec3 p, void* user)
{
    (void)user;
    double rho = sqrt(p.x * p.x + p.z * p.z);
    // Ten ribs: squeezing the space around the axis makes furrows that fade towards it.
    double five = cosFive(rho > 0.0 ? p.x / rho : 1.0), ten = 2.0 * five * five - 1.0;
    double furrow = 0.5 - 0.5 * ten;
    double ring = softRadius(rho * (1.0 + 0.13 * furrow * furrow), 0.022) - 0.060;
    double y = (p.y - 0.088) / 1.08;
    double d = sqrt(ring * ring + y * y) - 0.0815;

    double stem = limb(p, dvec3(0.0, 0.130, 0.0), dvec3(0.004, 0.176, 0.002), 0.0200, 0.0150);
    stem = blend(stem, limb(p, dvec3(0.004, 0.176, 0.002), dvec3(0.024, 0.212, 0.008), 0.0150, 0.0165), 0.012);
    DVec3 top = dSub(p, dvec3(0.024, 0.212, 0.008));
    stem = blendBoth(stem, dDot(top, dNormalize(dvec3(0.45, 0.88, 0.10))) - 0.002, 0.010);
    d = blend(d, stem, 0.018);
    return d / IMPLICIT_SLOPE;
}

const ImplicitShape implicitPumpkin = {
    .name = "pumpkin",
    .distance = pumpkinDistance,
    .lower = {-0.150, -0.002, -0.150},
    .upper = {0.150, 0.226, 0.150},
    .cell = 0.0098,
    .coarsest = 0.6,
    .tolerance = 0.0015,
    .genus = 0,
};

// The apple -----------------------------------------------------------------------------------------------------------

static double appleDistance(DVec3 p, void* user)
{
    (void)user;
    double rho = sqrt(p.x * p.x + p.z * p.z), up = p.y - 0.032;
    // Broad shoulders, a narrow foot with five soft bumps.
    double low = clampD(-up / 0.036, 0.0, 1.0), five = cosFive(rho > 0.0 ? p.x / rho : 1.0);
    double squeeze = 1.0 - 3.4 * up - 0.05 * low * low * five;
    double ring = softRadius(rho * squeeze, 0.006) - 0.0175;
    double y = up < 0.0 ? up / 1.30 : up / 1.12;
    double d = sqrt(ring * ring + y * y) - 0.0245;

    double stem = limb(p, dvec3(0.0, 0.040, 0.0), dvec3(0.001, 0.064, 0.001), 0.0030, 0.0030);
    stem = blend(stem, limb(p, dvec3(0.001, 0.064, 0.001), dvec3(0.008, 0.080, 0.003), 0.0030, 0.0042), 0.003);
    d = blend(d, stem, 0.004);

    // A leaf: where two discs meet, thickened.
    DVec3 leaf = intoFrame(p, dvec3(-0.0135, 0.0765, -0.003), dNormalize(dvec3(-0.93, 0.36, 0.0)),
                           dNormalize(dvec3(0.36, 0.93, 0.0)));
    leaf.y += 9.0 * leaf.x * leaf.x; // bent down at the tip
    double side = fabs(leaf.z) + 0.0155, outline = sqrt(leaf.x * leaf.x + side * side) - 0.0240;
    double rim = maxD(outline, 0.0);
    double blade = outline > 0.0 ? sqrt(rim * rim + leaf.y * leaf.y) - 0.0025 : fabs(leaf.y) - 0.0025;
    d = blend(d, blade, 0.005);
    return d / IMPLICIT_SLOPE;
}

const ImplicitShape implicitApple = {
    .name = "apple",
    .distance = appleDistance,
    .lower = {-0.050, -0.002, -0.050},
    .upper = {0.050, 0.092, 0.050},
    .cell = 0.0030,
    .coarsest = 0.8,
    .tolerance = 0.0005,
    .genus = 0,
};

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Animals look along +x and are symmetric about z = 0, but for the pig's tail.
#include "mesh/implicit.h"

#include "mesh/implicit_blend.h"

// The piggy bank ------------------------------------------------------------------------------------------------------

static const double pigWall = 0.0095;

// Trunk and head: what is hollow.
static double pigBody(DVec3 p)
{
    double trunk = ellipsoid(dSub(p, dvec3(-0.008, 0.081, 0.0)), dvec3(0.089, 0.069, 0.073));
    double head = ellipsoid(dSub(p, dvec3(0.068, 0.098, 0.0)), dvec3(0.046, 0.046, 0.048));
    return blend(trunk, head, 0.035);
}

static double pigTail(DVec3 p)
{
    // A turn of a screw around an axis along −x, as a chain of short limbs (cos and sin of 36°).
    const double c = 0.80901699437494745, s = 0.58778525229247314;
    double x = -0.092, y = -0.0165, z = 0.0;
    double d = limb(p, dvec3(-0.078, 0.091, 0.0), dvec3(x, 0.104 + y, z), 0.0088, 0.0088);
    for (int k = 0; k < 11; ++k) {
        double nextX = x - (0.0075 - 0.0006 * k), nextY = c * y - s * z, nextZ = s * y + c * z;
        d = minD(d, limb(p, dvec3(x, 0.104 + y, z), dvec3(nextX, 0.104 + nextY, nextZ), 0.0088, 0.0088));
        x = nextX;
        y = nextY;
        z = nextZ;
    }
    return d;
}

static double pigDistance(DVec3 p, void* user)
{
    (void)user;
    DVec3 m = mirrorZ(p);
    double body = pigBody(p), d = body;

    DVec3 snout = intoFrame(m, dvec3(0.116, 0.094, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(1.0, 0.0, 0.0));
    d = blend(d, roundDisc(snout, 0.0165, 0.008, 0.009), 0.014);
    d = carve(d, ellipsoid(dSub(m, dvec3(0.1335, 0.0945, 0.0105)), dvec3(0.0065, 0.0090, 0.0065)), 0.005);

    d = blend(d, limb(m, dvec3(0.042, 0.050, 0.036), dvec3(0.046, -0.010, 0.038), 0.024, 0.0185), 0.016);
    d = blend(d, limb(m, dvec3(-0.052, 0.050, 0.036), dvec3(-0.056, -0.010, 0.038), 0.024, 0.0185), 0.016);
    d = blendBoth(d, -p.y, 0.008);

    // Ears stand up and out, leaning forward at the tip.
    DVec3 ear = intoFrame(m, dvec3(0.064, 0.145, 0.032), dNormalize(dvec3(0.35, 0.80, 0.49)),
                          dNormalize(dvec3(0.80, -0.35, 0.0)));
    d = blend(d, ellipsoid(ear, dvec3(0.024, 0.0098, 0.0180)), 0.010);
    d = blend(d, ball(m, dvec3(0.099, 0.114, 0.027), 0.0090), 0.004);

    d = blend(d, pigTail(p), 0.010);

    // The wall is half as thick again around the slot, so that its lips are round.
    DVec3 slot = dSub(p, dvec3(-0.012, 0.150, 0.0));
    DVec3 scaled = {slot.x / 0.055, slot.y / 0.060, slot.z / 0.040};
    double near = maxD(1.0 - dLength2(scaled), 0.0), wall = pigWall + 0.006 * near * near;
    d = carve(d, body + wall, 0.004);
    d = carve(d, roundBox(slot, dvec3(0.0150, 0.040, 0.0005), 0.0060), 0.010);
    return d / IMPLICIT_SLOPE;
}

const ImplicitShape implicitPiggyBank = {
    .name = "piggy bank",
    .distance = pigDistance,
    .lower = {-0.1607, -0.00705, -0.075}, // where the lattice falls best on slot, snout and tail
    .upper = {0.140, 0.178, 0.075},
    .cell = 0.0094,
    .coarsest = 1.0,
    .tolerance = 0.0011,
    .genus = 0,
};

// The rabbit ----------------------------------------------------------------------------------------------------------

static double rabbitDistance(DVec3 p, void* user)
{
    (void)user;
    DVec3 m = mirrorZ(p);
    double d = ellipsoid(dSub(p, dvec3(-0.030, 0.066, 0.0)), dvec3(0.068, 0.062, 0.052));
    d = blend(d, ellipsoid(dSub(p, dvec3(0.024, 0.082, 0.0)), dvec3(0.038, 0.056, 0.038)), 0.030);
    DVec3 head = intoFrame(m, dvec3(0.058, 0.146, 0.0), dvec3(0.96, -0.28, 0.0), dvec3(0.28, 0.96, 0.0));
    d = blend(d, ellipsoid(head, dvec3(0.043, 0.034, 0.032)), 0.020);
    d = blend(d, ball(m, dvec3(0.088, 0.134, 0.0085), 0.0125), 0.012); // cheeks
    d = blend(d, ball(m, dvec3(0.101, 0.141, 0.0), 0.0055), 0.006);    // nose
    d = blend(d, ball(m, dvec3(0.071, 0.157, 0.0225), 0.0090), 0.004); // eyes

    DVec3 ear = intoFrame(m, dvec3(0.020, 0.212, 0.024), dNormalize(dvec3(-0.42, 0.88, 0.20)),
                          dNormalize(dvec3(0.88, 0.42, 0.0)));
    double earShape = ellipsoid(ear, dvec3(0.058, 0.0085, 0.0160));
    earShape = carve(earShape, ellipsoid(dSub(ear, dvec3(0.004, 0.0085, 0.0)), dvec3(0.042, 0.0040, 0.0085)), 0.004);
    d = blend(d, earShape, 0.012);

    DVec3 haunch = dSub(m, dvec3(-0.030, 0.050, 0.042));
    d = blend(d, ellipsoid(haunch, dvec3(0.044, 0.044, 0.022)), 0.010);
    d = blend(d, limb(m, dvec3(-0.050, 0.010, 0.046), dvec3(0.018, 0.009, 0.048), 0.014, 0.013), 0.008); // hind feet
    d = blend(d, limb(m, dvec3(0.036, 0.070, 0.022), dvec3(0.052, 0.012, 0.020), 0.017, 0.0115), 0.012);
    d = blend(d, limb(m, dvec3(0.052, 0.009, 0.020), dvec3(0.068, 0.008, 0.020), 0.0115, 0.0105), 0.008);
    d = blend(d, ball(p, dvec3(-0.100, 0.054, 0.0), 0.021), 0.008);
    d = blendBoth(d, -p.y, 0.006);
    return d / IMPLICIT_SLOPE;
}

const ImplicitShape implicitRabbit = {
    .name = "rabbit",
    .distance = rabbitDistance,
    .lower = {-0.125, 0.0, -0.070},
    .upper = {0.112, 0.275, 0.070},
    .cell = 0.0060,
    .coarsest = 0.8,
    .tolerance = 0.0013,
    .genus = 0,
};

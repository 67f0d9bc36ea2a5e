// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Primitives and blends of implicit shapes. Each is negative inside, zero on the surface and the distance or close to
// it. Tapered limbs and squeezed space let it grow up to IMPLICIT_SLOPE times too fast; a shape divides by that at the
// end, so that its value never promises more room than there is.
#pragma once

#include "core/constants.h"
#include "core/vec.h"

// The union, rounded where the two are less than k apart.
static inline double blend(double a, double b, double k)
{
    double h = maxD(k - fabs(a - b), 0.0) / k;
    return minD(a, b) - 0.25 * k * h * h;
}

// What is in both.
static inline double blendBoth(double a, double b, double k) { return -blend(-a, -b, k); }

// What is in a and not in b.
static inline double carve(double a, double b, double k) { return blendBoth(a, -b, k); }

// A mirror image on the other side of the plane z = 0 costs nothing.
static inline DVec3 mirrorZ(DVec3 p) { return dvec3(p.x, p.y, fabs(p.z)); }

static inline double ball(DVec3 p, DVec3 center, double radius) { return dDistance(p, center) - radius; }

// Distance to an ellipsoid along the axes, p relative to its centre. The closest point is r²·p / (t + r²) by
// coordinates, where t makes the sum S of its squared ratios to the radii 1. Newton on 1/√S, which is almost straight
// and bends such that steps from the left never pass the root.
static inline double ellipsoid(DVec3 p, DVec3 radii)
{
    const double r[3] = {radii.x, radii.y, radii.z};
    double q[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
    int shortest = r[0] <= r[1] && r[0] <= r[2] ? 0 : r[1] <= r[2] ? 1 : 2;
    q[shortest] =
        maxD(q[shortest], ELLIPSOID_OFF_PLANE * r[shortest]); // in the plane between two closest points: one of them
    double t = r[shortest] * (q[shortest] - r[shortest]), inside = 0.0, distance2 = 0.0;
    for (int step = 0; step < ELLIPSOID_STEPS; ++step) {
        double sum = 0.0, slope = 0.0;
        for (int k = 0; k < 3; ++k) {
            double below = t + r[k] * r[k], ratio = r[k] * q[k] / below;
            sum += ratio * ratio;
            slope += ratio * ratio / below;
        }
        double excess = sqrt(sum) - 1.0;
        if (excess <= ELLIPSOID_TOLERANCE)
            break;
        t += sum * excess / slope;
    }
    for (int k = 0; k < 3; ++k) {
        double off = q[k] - r[k] * r[k] * q[k] / (t + r[k] * r[k]);
        distance2 += off * off;
        inside += q[k] * q[k] / (r[k] * r[k]);
    }
    return inside < 1.0 ? -sqrt(distance2) : sqrt(distance2);
}

// A limb from a to b whose radius changes evenly.
static inline double limb(DVec3 p, DVec3 a, DVec3 b, double radiusA, double radiusB)
{
    DVec3 along = dSub(b, a);
    double t = clampD(dDot(dSub(p, a), along) / dLength2(along), 0.0, 1.0);
    return dDistance(p, dMad(a, t, along)) - (radiusA + t * (radiusB - radiusA));
}

// p in a frame with the given origin whose x and y axes are unit vectors at right angles.
static inline DVec3 intoFrame(DVec3 p, DVec3 origin, DVec3 x, DVec3 y)
{
    DVec3 q = dSub(p, origin);
    return dvec3(dDot(q, x), dDot(q, y), dDot(q, dCross(x, y)));
}

// A box with half sizes `half`, grown by `round` with round edges; p relative to its centre.
static inline double roundBox(DVec3 p, DVec3 half, double round)
{
    DVec3 q = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
    DVec3 outside = {maxD(q.x, 0.0), maxD(q.y, 0.0), maxD(q.z, 0.0)};
    return dLength(outside) + minD(maxD(q.x, maxD(q.y, q.z)), 0.0) - round;
}

// A disc about the y axis, half as high as `halfHeight` twice, with rounded rim; p relative to its centre.
static inline double roundDisc(DVec3 p, double radius, double halfHeight, double round)
{
    double out = sqrt(p.x * p.x + p.z * p.z) - radius, up = fabs(p.y) - halfHeight;
    double x = maxD(out, 0.0), y = maxD(up, 0.0);
    return sqrt(x * x + y * y) + minD(maxD(out, up), 0.0) - round;
}

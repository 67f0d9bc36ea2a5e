// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/apart.h"

#include "core/constants.h"
#include "core/quat.h"

static Vec3 absolute(Vec3 a) { return vec3(fabsf(a.x), fabsf(a.y), fabsf(a.z)); }

static float largest(Vec3 a) { return maxF(a.x, maxF(a.y, a.z)); }

float boxesApart(shBox a, shBox b, shTransform relative, float enough)
{
    Vec3 halfA = vScale(0.5f, boxSize(a)), halfB = vScale(0.5f, boxSize(b));
    Vec3 between = vSub(xformPoint(relative, boxCenter(a)), boxCenter(b)); // in B's frame
    Mat3 r = qToMat(relative.q);                                           // rows: B's axes in A's frame
    Mat3 size = {absolute(r.r0), absolute(r.r1), absolute(r.r2)};
    Vec3 columns[3] = {{r.r0.x, r.r1.x, r.r2.x}, {r.r0.y, r.r1.y, r.r2.y}, {r.r0.z, r.r1.z, r.r2.z}};
    Vec3 far = absolute(between);
    float apart = largest(vSub(vSub(far, halfB), mMul(size, halfA)));
    if (apart >= enough)
        return apart;
    for (int i = 0; i < 3; ++i)
        apart = maxF(apart, fabsf(vDot(between, columns[i])) - vGet(halfA, i) - vDot(absolute(columns[i]), halfB));
    if (apart >= enough)
        return apart;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            Vec3 axis = vCross(columns[i], vFromD(dAxis(k)));
            float length = vLength(axis);
            if (length < APART_PARALLEL)
                continue;
            Vec3 inA = vec3(vDot(axis, columns[0]), vDot(axis, columns[1]), vDot(axis, columns[2]));
            float gap = fabsf(vDot(between, axis)) - vDot(absolute(inA), halfA) - vDot(absolute(axis), halfB);
            apart = maxF(apart, gap / length);
        }
    }
    return apart;
}

float reachFromMiddle(shBox box, const PieceHull* hull, Vec3 direction)
{
    Vec3 middle = boxCenter(box), half = vScale(0.5f, boxSize(box));
    float reach = vDot(absolute(direction), half);
    for (int k = 0; hull != NULL && k < hull->count; ++k) {
        Vec3 normal = hull->planes[k].normal;
        float aside = vDistance(normal, direction);
        if (aside < CLEAR_ASIDE)
            reach = minF(reach, hull->planes[k].offset - vDot(normal, middle) + aside * vLength(half));
    }
    return reach;
}

// How far B is beyond the planes of A's hull.
static float beyondHull(shBox boxA, const PieceHull* hullA, shBox boxB, const PieceHull* hullB, shTransform relative)
{
    Vec3 between = vSub(boxCenter(boxB), xformPoint(relative, boxCenter(boxA))); // in B's frame
    float apart = -INFINITY;
    for (int k = 0; k < hullA->count; ++k) {
        Vec3 normal = hullA->planes[k].normal, seen = qRotate(relative.q, normal);
        float gap = vDot(seen, between) - (hullA->planes[k].offset - vDot(normal, boxCenter(boxA)));
        if (gap > apart)
            apart = maxF(apart, gap - reachFromMiddle(boxB, hullB, vNeg(seen)));
    }
    return apart;
}

float hullsApart(shBox boxA, const PieceHull* hullA, shBox boxB, const PieceHull* hullB, shTransform relative)
{
    float apart = maxF(beyondHull(boxA, hullA, boxB, hullB, relative),
                       beyondHull(boxB, hullB, boxA, hullA, xformInverse(relative)));
    return apart - ROUNDING * (vLength(relative.p) + vLength(boxCenter(boxA)) + vLength(boxSize(boxA)) +
                               vLength(boxCenter(boxB)) + vLength(boxSize(boxB)));
}

// The gap between two intervals, one of which moves: `from` and `to` are where its middle is from the other's.
static float apartOnWay(float from, float to, float reach) { return maxF(minF(from, to), -maxF(from, to)) - reach; }

float boxesApartOnWay(shBox a, shBox b, shTransform relative, Vec3 shift)
{
    Vec3 halfA = vScale(0.5f, boxSize(a)), halfB = vScale(0.5f, boxSize(b));
    Vec3 from = vSub(xformPoint(relative, boxCenter(a)), boxCenter(b)), to = vAdd(from, shift); // in B's frame
    Mat3 r = qToMat(relative.q);                                                                // rows: as above
    Mat3 size = {absolute(r.r0), absolute(r.r1), absolute(r.r2)};
    Vec3 columns[3] = {{r.r0.x, r.r1.x, r.r2.x}, {r.r0.y, r.r1.y, r.r2.y}, {r.r0.z, r.r1.z, r.r2.z}};
    Vec3 reach = vAdd(halfB, mMul(size, halfA));
    float apart = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        apart = maxF(apart, apartOnWay(vGet(from, i), vGet(to, i), vGet(reach, i)));
        apart = maxF(apart, apartOnWay(vDot(from, columns[i]), vDot(to, columns[i]),
                                       vGet(halfA, i) + vDot(absolute(columns[i]), halfB)));
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            Vec3 axis = vCross(columns[i], vFromD(dAxis(k)));
            float length = vLength(axis);
            if (length < APART_PARALLEL)
                continue;
            Vec3 inA = vec3(vDot(axis, columns[0]), vDot(axis, columns[1]), vDot(axis, columns[2]));
            float both = vDot(absolute(inA), halfA) + vDot(absolute(axis), halfB);
            apart = maxF(apart, apartOnWay(vDot(from, axis), vDot(to, axis), both) / length);
        }
    }
    return apart;
}

// Let y be where a point of A is from B's centre. Seen from B it moves as fast as g = y' − turnB × y is long, and
// g' = y" − turnB × y': y' is no longer than the ways' difference and what turning adds, y" than turnA² · radius.
static float travelSeenFrom(const StepWay* a, const StepWay* b, Vec3 between)
{
    float turnA = vLength(a->turn), turnB = vLength(b->turn);
    Vec3 centre = vSub(vSub(a->shift, b->shift), vCross(b->turn, between));
    float start = vLength(centre) + vDistance(a->turn, b->turn) * a->radius;
    float fastest = vDistance(a->shift, b->shift) + turnA * a->radius;
    return start + 0.5f * (turnA * turnA * a->radius + turnB * fastest);
}

float relativeTravel(const StepWay* a, const StepWay* b, Vec3 between)
{
    float apart = vDistance(a->shift, b->shift) + vLength(a->turn) * a->radius + vLength(b->turn) * b->radius;
    float fromA = travelSeenFrom(b, a, vNeg(between)), fromB = travelSeenFrom(a, b, between);
    return minF(apart, maxF(fromA, fromB));
}

float ballsMeet(Vec3 between, Vec3 shift, float reach)
{
    // In double: from far away the balls are small against the squares.
    DVec3 from = dFromV(between), way = dFromV(shift);
    double a = dDot(way, way), b = -dDot(from, way), c = dDot(from, from) - (double)reach * (double)reach;
    if (!(c > 0.0))
        return 0.0f;
    double root = b * b - a * c; // of a t² − 2 b t + c
    if (!(b > 0.0 && root >= 0.0))
        return INFINITY;
    double time = c / (b + sqrt(root));
    return time <= 1.0 ? (float)time : INFINITY;
}

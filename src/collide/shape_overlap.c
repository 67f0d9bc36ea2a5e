// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Does an analytic shape come into a box? Everything is seen from the box.
#include "collide/target.h"
#include "core/message.h"
#include "core/quat.h"
#include "sherd/closest.h"

// Squared distance of a segment from a box: between the places where it passes a side's plane the distance is a
// parabola, so the least is found at one of these places or at a vertex.
static float segmentDistance2(Vec3 from, Vec3 to, shBox box)
{
    Vec3 way = vSub(to, from);
    float places[8] = {0.0f, 1.0f};
    int count = 2;
    for (int axis = 0; axis < 3; ++axis) {
        const float sides[2] = {vGet(box.lower, axis), vGet(box.upper, axis)};
        for (int k = 0; k < 2 && vGet(way, axis) != 0.0f; ++k) {
            float t = (sides[k] - vGet(from, axis)) / vGet(way, axis);
            if (!(t > 0.0f && t < 1.0f))
                continue;
            int at = count++;
            for (; places[at - 1] > t; --at)
                places[at] = places[at - 1];
            places[at] = t;
        }
    }
    float least = boxDistance2(box, to);
    for (int i = 0; i + 1 < count; ++i) {
        Vec3 middle = vMad(from, 0.5f * (places[i] + places[i + 1]), way);
        float slope = 0.0f, curve = 0.0f; // of the axes that the segment is outside of, here
        for (int axis = 0; axis < 3; ++axis) {
            float x = vGet(middle, axis), w = vGet(way, axis);
            float side = x < vGet(box.lower, axis) ? vGet(box.lower, axis) : vGet(box.upper, axis);
            if (x >= vGet(box.lower, axis) && x <= vGet(box.upper, axis))
                continue;
            slope += w * (vGet(from, axis) - side);
            curve += w * w;
        }
        float t = curve > 0.0f ? clampF(-slope / curve, places[i], places[i + 1]) : places[i];
        least = minF(least, boxDistance2(box, vMad(from, t, way)));
    }
    return least;
}

// Two boxes are apart if they are so along a side's normal of one, or across an edge of each.
static bool boxesMeet(Vec3 a, Vec3 b, shTransform frame)
{
    Mat3 m = qToMat(frame.q);
    const Vec3 axesA[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    const Vec3 axesB[3] = {{m.r0.x, m.r1.x, m.r2.x}, {m.r0.y, m.r1.y, m.r2.y}, {m.r0.z, m.r1.z, m.r2.z}};
    for (int i = 0; i < 15; ++i) {
        Vec3 way = i < 3 ? axesA[i] : i < 6 ? axesB[i - 3] : vCross(axesA[(i - 6) / 3], axesB[(i - 6) % 3]);
        float reach = 0.0f;
        for (int k = 0; k < 3; ++k)
            reach += vGet(a, k) * fabsf(vDot(way, axesA[k])) + vGet(b, k) * fabsf(vDot(way, axesB[k]));
        if (fabsf(vDot(way, frame.p)) > reach)
            return false;
    }
    return true;
}

shStatus shOverlapBoxShape(const shShape* shape, shTransform shapeTransform, shVec3 halfExtent, shTransform transform,
                           bool* overlaps, shMessage* message)
{
    if (shape == NULL || overlaps == NULL)
        return fail(message, shInvalid, "overlap: shape and result must not be null");
    *overlaps = false;
    if (!targetShapeValid(shape))
        return fail(message, shInvalid, "overlap: the sizes of a shape must be finite and not negative");
    if (!vFinite(halfExtent) || !(minF(halfExtent.x, minF(halfExtent.y, halfExtent.z)) >= 0.0f))
        return fail(message, shInvalid, "overlap: the box's sizes must be finite and not negative");
    if (!xformValid(transform) || !xformValid(shapeTransform))
        return fail(message, shInvalid, "overlap: a transform is not finite, or its rotation is no unit quaternion");
    shTransform frame = xformMul(xformInverse(transform), shapeTransform); // of the shape, in the box's
    shBox box = {vNeg(halfExtent), halfExtent};
    Vec3 up = qRotate(frame.q, vec3(0.0f, 1.0f, 0.0f));
    switch (shape->type) {
    case shSphereShape:
        *overlaps = boxDistance2(box, frame.p) <= shape->radius * shape->radius;
        break;
    case shCapsuleShape: {
        Vec3 half = vScale(shape->halfHeight, up);
        *overlaps = segmentDistance2(vSub(frame.p, half), vAdd(frame.p, half), box) <= shape->radius * shape->radius;
        break;
    }
    case shBoxShape:
        *overlaps = boxesMeet(halfExtent, shape->halfExtent, frame);
        break;
    case shPlaneShape: { // the lowest corner
        float lowest = halfExtent.x * fabsf(up.x) + halfExtent.y * fabsf(up.y) + halfExtent.z * fabsf(up.z);
        *overlaps = -vDot(up, frame.p) <= lowest;
        break;
    }
    }
    return shOk;
}

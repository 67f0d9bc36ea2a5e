// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A bound on how close two moving bodies come, without a look at their surfaces: a fixed axis along which their convex
// hulls stay apart, or overlap by little, from the start of their motions to the end.
//
// Along an axis the gap between two hulls at a fraction t of their motions is at least (1 − t) g₀ + t g₁, with the gaps
// at the start and at the end, less the bend of their arcs: a point that turns strays from the chord of its motion by
// no more than radius · turn² / 8. Who is deep in another by d overlaps it by d along any axis.
#include "collide/convex.h"
#include "core/constants.h"
#include "dynamics/world.h"

static Convex convexOf(const shWorld* world, const Body* body)
{
    return body->solid >= 0 ? convexPiece(world->solids.data[body->solid].solid, body->piece)
                            : convexShape(&body->shape);
}

static shTransform seenFrom(shTransform b, shTransform a)
{
    shQuat inverse = qConjugate(b.q);
    return (shTransform){qRotate(inverse, vSub(a.p, b.p)), qMul(inverse, a.q)};
}

static float bendOf(const SweptBody* swept)
{
    float turn = vLength(swept->motion.turn);
    return turn > 0.0f ? minF(0.125f * turn * turn, 2.0f) * swept->body->radius : 0.0f;
}

// Of a body above a plane.
static float abovePlane(const Convex* convex, shTransform body, shTransform plane)
{
    Vec3 up = qRotate(plane.q, vec3(0.0f, 1.0f, 0.0f));
    float rounding = ROUNDING * (convex->radius + vDistance(body.p, plane.p));
    return vDot(up, vSub(body.p, plane.p)) - convexReach(convex, vNeg(qUnrotate(body.q, up))) - rounding;
}

float bodiesGap(const shWorld* world, const Body* a, const Body* b, float enough, Vec3* axis)
{
    if (b->scenery != NULL || bodyIsPlane(a))
        return -INFINITY;
    Convex convexA = convexOf(world, a);
    if (bodyIsPlane(b))
        return abovePlane(&convexA, a->transform, b->transform);
    Convex convexB = convexOf(world, b);
    return convexGap(&convexA, &convexB, seenFrom(b->transform, a->transform), enough, axis);
}

float sweptGap(const shWorld* world, const SweptBody* a, const SweptBody* b, float enough, Vec3* axis)
{
    if (b->body->scenery != NULL || bodyIsPlane(a->body))
        return -INFINITY;
    Convex convexA = convexOf(world, a->body);
    shTransform endA = shMotion_GetTransform(&a->motion, a->start, 1.0f);
    shTransform endB = shMotion_GetTransform(&b->motion, b->start, 1.0f);
    float bend = bendOf(a);
    if (bodyIsPlane(b->body))
        return vLength2(b->motion.turn) > 0.0f
                   ? -INFINITY
                   : minF(abovePlane(&convexA, a->start, b->start), abovePlane(&convexA, endA, endB)) - bend;
    bend += bendOf(b);
    Convex convexB = convexOf(world, b->body);
    shTransform start = seenFrom(b->start, a->start), end = seenFrom(endB, endA);
    // The axis at the start first, then the one at the end; each has to serve for both.
    Vec3 first = *axis;
    float before = convexGap(&convexA, &convexB, start, enough + bend, &first);
    Vec3 world0 = qRotate(b->start.q, first), last = qUnrotate(endB.q, world0);
    float after = convexGapAlong(&convexA, &convexB, end, last), best = minF(before, after) - bend;
    *axis = first;
    if (best >= enough)
        return best;
    after = convexGap(&convexA, &convexB, end, enough + bend, &last);
    if (after - bend > best) {
        Vec3 there = qUnrotate(b->start.q, qRotate(endB.q, last));
        before = convexGapAlong(&convexA, &convexB, start, there);
        if (minF(before, after) - bend > best) {
            best = minF(before, after) - bend;
            *axis = there;
        }
    }
    return best;
}

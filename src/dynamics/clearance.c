// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What is known of two ways without a look at samples (company.c): along one axis the boxes or hulls of the two overlap
// so little, all the way, that none can be deep in the other; and a way that changes a little leaves most of what was
// seen along it as it was.
//
// Who is deep in another by d has a point there with a ball of that radius around it in the other: their convex shapes
// overlap by d along any axis.
#include "collide/apart.h"
#include "collide/target.h"
#include "core/constants.h"
#include "dynamics/world.h"
#include "solid/solid.h"

// A body from a time until the end of the step: it goes straight, as it is turned half way.
typedef struct Glide {
    const Body* body;
    DVec3 centre;
    Vec3 shift;
    shQuat q;
    float strays; // m, how far turning brings any of it from there
    bool known;
} Glide;

static Glide glideOf(const shWorld* world, int index, float time)
{
    const Body* body = &world->bodies.data[index];
    const BodyWay* way = bodyWay(world, body);
    if (way == NULL)
        return (Glide){.body = body, .centre = body->centre, .q = body->transform.q, .known = true};
    float part = time > way->since ? (time - way->since) / (1.0f - way->since) : 0.0f;
    Glide glide = {.body = body,
                   .centre = dMad(way->at, (double)part, dFromV(way->motion.shift)),
                   .shift = vScale(1.0f - part, way->motion.shift),
                   .q = way->start.q,
                   .known = wayIsStraight(way)};
    float turn = vLength(way->motion.turn);
    if (turn > 0.0f && glide.known) {
        shMotion motion = {.centre = way->motion.centre, .turn = way->motion.turn};
        glide.q = shMotion_GetTransform(&motion, way->start, 0.5f + 0.5f * part).q;
        glide.strays = 0.5f * (1.0f - part) * turn * body->radius;
    }
    return glide;
}

const PieceHull* bodyHull(const shWorld* world, const Body* body)
{
    return body->solid >= 0 ? targetPiece(world->solids.data[body->solid].solid, body->piece).hull : NULL;
}

// How far a body reaches from its centre, in a direction of its rest frame.
static float reachOf(const Body* body, const PieceHull* hull, Vec3 direction)
{
    Vec3 middle = vSub(boxCenter(body->restBox), body->restCentre);
    return vDot(direction, middle) + reachFromMiddle(body->restBox, hull, direction);
}

// How far B stays beyond the planes of A's hull. `from` and `to`: B's centre from A's, in A's frame.
static float beyondHull(const Glide* a, const PieceHull* hullA, const Glide* b, const PieceHull* hullB, Vec3 from,
                        Vec3 to)
{
    float beyond = -INFINITY;
    shQuat toB = qMul(qConjugate(b->q), a->q);
    for (int k = 0; hullA != NULL && k < hullA->count; ++k) {
        Vec3 normal = hullA->planes[k].normal;
        float gap =
            minF(vDot(normal, from), vDot(normal, to)) - (hullA->planes[k].offset - vDot(normal, a->body->restCentre));
        if (gap > beyond)
            beyond = maxF(beyond, gap - reachOf(b->body, hullB, vNeg(qRotate(toB, normal))));
    }
    return beyond;
}

// Of a body and a plane.
static float abovePlane(const shWorld* world, const Glide* glide, const Glide* plane)
{
    Vec3 up = qRotate(plane->q, vec3(0.0f, 1.0f, 0.0f));
    float from = vDot(up, vFromD(dSub(glide->centre, plane->centre)));
    return from + minF(vDot(up, vSub(glide->shift, plane->shift)), 0.0f) -
           reachOf(glide->body, bodyHull(world, glide->body), vNeg(qUnrotate(glide->q, up)));
}

float waysApart(const shWorld* world, int a, int b, float time)
{
    Glide glideA = glideOf(world, a, time), glideB = glideOf(world, b, time);
    const Body *bodyA = glideA.body, *bodyB = glideB.body;
    if (!glideA.known || !glideB.known || bodyA->scenery != NULL || bodyB->scenery != NULL || bodyIsPlane(bodyA))
        return -INFINITY;
    float strays = glideA.strays + glideB.strays;
    Vec3 between = vFromD(dSub(glideA.centre, glideB.centre)), shift = vSub(glideA.shift, glideB.shift);
    if (bodyIsPlane(bodyB))
        return glideB.strays > 0.0f
                   ? -INFINITY
                   : abovePlane(world, &glideA, &glideB) - strays -
                         ROUNDING * (bodyA->radius + vLength(bodyA->restCentre) + vLength(between) + vLength(shift));
    strays += ROUNDING * (bodyA->radius + bodyB->radius + vLength(bodyA->restCentre) + vLength(bodyB->restCentre) +
                          vLength(between) + vLength(shift));
    shTransform relative = {.q = qMul(qConjugate(glideB.q), glideA.q)};
    Vec3 fromB = qUnrotate(glideB.q, between), shiftB = qUnrotate(glideB.q, shift);
    relative.p = vSub(vAdd(fromB, bodyB->restCentre), qRotate(relative.q, bodyA->restCentre));
    float apart = boxesApartOnWay(bodyA->restBox, bodyB->restBox, relative, shiftB) - strays;
    if (apart > -SWEEP_DEPTH * minF(bodyWall(bodyA), bodyWall(bodyB)))
        return apart; // which is enough
    const PieceHull *hullA = bodyHull(world, bodyA), *hullB = bodyHull(world, bodyB);
    Vec3 fromA = qUnrotate(glideA.q, vNeg(between)), shiftA = qUnrotate(glideA.q, vNeg(shift));
    float beyond = maxF(beyondHull(&glideA, hullA, &glideB, hullB, fromA, vAdd(fromA, shiftA)),
                        beyondHull(&glideB, hullB, &glideA, hullA, fromB, vAdd(fromB, shiftB)));
    return maxF(apart, beyond - strays);
}

float wayDeviation(const Body* body, const BodyWay* before, const BodyWay* after)
{
    if (!wayIsStraight(before) || !wayIsStraight(after))
        return INFINITY;
    float turn = vDistance(before->motion.turn, after->motion.turn);
    return vDistance(before->motion.shift, after->motion.shift) + (turn > 0.0f ? turn * body->radius : 0.0f);
}

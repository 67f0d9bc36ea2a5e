// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rays against pieces, shapes and scenery, in the frame of what they meet and in double.
#include "sherd/ray.h"
#include "collide/target.h"
#include "core/message.h"
#include "core/quat.h"
#include "field/field_walk.h"
#include "mesh/tri_query.h"

// A ray in the frame of what it is cast at.
typedef struct LocalRay {
    DVec3 origin, translation;
    DQuat q; // back to the world
} LocalRay;

static shStatus localRay(const shRay* ray, shTransform frame, LocalRay* local, shMessage* message)
{
    if (!vFinite(ray->origin) || !vFinite(ray->translation))
        return fail(message, shInvalid, "ray: origin and translation must be finite");
    if (!xformValid(frame))
        return fail(message, shInvalid, "ray: a transform is not finite, or its rotation is no unit quaternion");
    DQuat q = dqNormalize(dqFromQ(frame.q));
    *local = (LocalRay){dqUnrotate(q, dSub(dFromV(ray->origin), dFromV(frame.p))),
                        dqUnrotate(q, dFromV(ray->translation)), q};
    return shOk;
}

static void report(const shRay* ray, const LocalRay* local, double fraction, DVec3 normal, shRayHit* hit)
{
    hit->hits = true;
    hit->fraction = (float)fraction;
    hit->point = vFromD(dMad(dFromV(ray->origin), fraction, dFromV(ray->translation)));
    hit->normal = vFromD(dqRotate(local->q, normal));
}

static const shRayHit noHit = {.fraction = 1.0f, .slot = -1, .feature = -1};

// ---- pieces ---------------------------------------------------------------------------------------------------------

shStatus shRayCast(const shCollider* collider, const shRay* ray, shRayHit* hit, shMessage* message)
{
    if (collider == NULL || collider->solid == NULL || ray == NULL || hit == NULL)
        return fail(message, shInvalid, "ray: collider, its solid, ray and hit must not be null");
    *hit = noHit;
    const shSolid* solid = collider->solid;
    const FragmentField* field = &solid->field;
    LocalRay local;
    shStatus status = localRay(ray, collider->transform, &local, message);
    if (status == shOk && !fieldHasPiece(field, collider->piece))
        status = fail(message, shInvalid, "ray: piece %d does not exist; the solid has %d", collider->piece,
                      fieldPieceCount(field));
    if (status != shOk)
        return status;
    hit->inside = fieldOwner(field, vFromD(local.origin)) == collider->piece;
    FieldRayHit found;
    if (!fieldRay(field, collider->piece, local.origin, local.translation, &found))
        return shOk;
    report(ray, &local, found.fraction, found.normal, hit);
    hit->feature = found.feature;
    int source = found.feature >= 0 ? found.feature : field->facets.data[~found.feature].source;
    hit->slot = source >= 0 ? solid->asset->mesh.groups[source] : -1;
    return shOk;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

// The part of a line within a convex shape, in units of its direction, and the shape's normals at both ends. Empty
// where enter > leave.
typedef struct Span {
    double enter, leave;
    DVec3 in, out;
} Span;

static const Span noSpan = {1.0, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

// Between two parallel planes.
static void cutSlab(Span* span, double origin, double along, double half, DVec3 axis)
{
    if (along == 0.0) {
        if (fabs(origin) > half)
            *span = noSpan;
        return;
    }
    double sign = along > 0.0 ? 1.0 : -1.0;
    double enter = (-sign * half - origin) / along, leave = (sign * half - origin) / along;
    if (enter > span->enter)
        span->enter = enter, span->in = dScale(-sign, axis);
    if (leave < span->leave)
        span->leave = leave, span->out = dScale(sign, axis);
}

// In a ball (or, with y left out of both, in a cylinder) around the origin.
static Span roundSpan(DVec3 origin, DVec3 along, double radius)
{
    double a = dLength2(along), b = dDot(origin, along), c = dLength2(origin) - radius * radius;
    Span span = {-(double)INFINITY, (double)INFINITY, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    if (a == 0.0)
        return c <= 0.0 ? span : noSpan;
    // Height over the line's closest point instead of b² − a·c: from afar that would be all rounding.
    DVec3 nearest = dMad(origin, -b / a, along);
    double height = radius * radius - dLength2(nearest);
    if (height < 0.0)
        return noSpan;
    double half = sqrt(height / a);
    span.enter = -b / a - half, span.leave = -b / a + half;
    span.in = dNormalize(dMad(origin, span.enter, along));
    span.out = dNormalize(dMad(origin, span.leave, along));
    return span;
}

static Span joinSpans(Span a, Span b)
{
    if (a.enter > a.leave || b.enter > b.leave)
        return a.enter > a.leave ? b : a;
    if (b.enter < a.enter)
        a.enter = b.enter, a.in = b.in;
    if (b.leave > a.leave)
        a.leave = b.leave, a.out = b.out;
    return a;
}

static Span shapeSpan(const shShape* shape, DVec3 o, DVec3 d)
{
    Span span = {-(double)INFINITY, (double)INFINITY, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    double radius = (double)shape->radius, halfHeight = (double)shape->halfHeight;
    switch (shape->type) {
    case shSphereShape:
        return roundSpan(o, d, radius);
    case shCapsuleShape:
        span = roundSpan(dvec3(o.x, 0.0, o.z), dvec3(d.x, 0.0, d.z), radius);
        if (span.enter <= span.leave)
            cutSlab(&span, o.y, d.y, halfHeight, dAxis(1));
        for (int end = -1; end <= 1; end += 2)
            span = joinSpans(span, roundSpan(dvec3(o.x, o.y - (double)end * halfHeight, o.z), d, radius));
        return span;
    case shBoxShape:
        for (int axis = 0; axis < 3 && span.enter <= span.leave; ++axis)
            cutSlab(&span, dGet(o, axis), dGet(d, axis), (double)vGet(shape->halfExtent, axis), dAxis(axis));
        return span;
    case shPlaneShape:
    default:
        if (d.y < 0.0)
            span.enter = -o.y / d.y;
        else if (d.y > 0.0)
            span.leave = -o.y / d.y;
        else if (o.y > 0.0)
            return noSpan;
        return span;
    }
}

shStatus shRayCastShape(const shShape* shape, shTransform transform, const shRay* ray, shRayHit* hit,
                        shMessage* message)
{
    if (shape == NULL || ray == NULL || hit == NULL)
        return fail(message, shInvalid, "ray: shape, ray and hit must not be null");
    *hit = noHit;
    LocalRay local;
    shStatus status = localRay(ray, transform, &local, message);
    if (status == shOk && !targetShapeValid(shape))
        status = fail(message, shInvalid, "ray: the sizes of a shape must be finite and not negative");
    if (status != shOk)
        return status;
    Span span = shapeSpan(shape, local.origin, local.translation);
    if (span.enter > span.leave || span.leave < 0.0)
        return shOk;
    hit->inside = span.enter < 0.0;
    double fraction = hit->inside ? span.leave : span.enter;
    if (fraction <= 1.0)
        report(ray, &local, fraction, hit->inside ? span.out : span.in, hit);
    return shOk;
}

// ---- scenery --------------------------------------------------------------------------------------------------------

shStatus shRayCastScenery(const shScenery* scenery, shTransform transform, const shRay* ray, shRayHit* hit,
                          shMessage* message)
{
    if (scenery == NULL || ray == NULL || hit == NULL)
        return fail(message, shInvalid, "ray: scenery, ray and hit must not be null");
    *hit = noHit;
    LocalRay local;
    shStatus status = localRay(ray, transform, &local, message);
    if (status != shOk)
        return status;
    FieldHit closest;
    hit->inside = scenery->info.closed && sceneryClosest(scenery, vFromD(local.origin), INFINITY, &closest) &&
                  closest.distance < 0.0f;
    double fraction = 1.0;
    int slot = sceneryRay(scenery, local.origin, local.translation, &fraction);
    if (slot < 0)
        return shOk;
    report(ray, &local, fraction, dFromV(scenery->triangles[slot].normal), hit);
    hit->feature = scenery->triangles[slot].id;
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Closest points and overlaps of pieces, shapes and scenery.
#include "sherd/closest.h"
#include "collide/target.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/quat.h"
#include "field/field_walk.h"

// ---- closest points -------------------------------------------------------------------------------------------------

static shStatus checkPoint(shTransform frame, shVec3 point, float radius, shMessage* message)
{
    if (!vFinite(point) || !(radius >= 0.0f))
        return fail(message, shInvalid, "closest: the point must be finite and the radius not negative");
    if (!xformValid(frame))
        return fail(message, shInvalid, "closest: a transform is not finite, or its rotation is no unit quaternion");
    return shOk;
}

static shStatus checkPiece(const shCollider* collider, shMessage* message)
{
    const FragmentField* field = &collider->solid->field;
    if (!fieldHasPiece(field, collider->piece))
        return fail(message, shInvalid, "closest: piece %d does not exist; the solid has %d", collider->piece,
                    fieldPieceCount(field));
    return shOk;
}

static void report(shTransform frame, const FieldHit* hit, shClosestPoint* closest)
{
    *closest = (shClosestPoint){true, hit->distance, xformPoint(frame, hit->point), qRotate(frame.q, hit->normal),
                                -1,   hit->feature};
}

shStatus shClosest(const shCollider* collider, shVec3 point, float radius, shClosestPoint* closest, shMessage* message)
{
    if (collider == NULL || collider->solid == NULL || closest == NULL)
        return fail(message, shInvalid, "closest: collider, its solid and the result must not be null");
    *closest = (shClosestPoint){.found = false};
    shStatus status = checkPoint(collider->transform, point, radius, message);
    if (status == shOk)
        status = checkPiece(collider, message);
    if (status != shOk)
        return status;
    const FragmentField* field = &collider->solid->field;
    FieldHit hit;
    if (!fieldClosest(field, collider->piece, xformUnpoint(collider->transform, point), radius, &hit))
        return shOk;
    report(collider->transform, &hit, closest);
    int source = hit.feature >= 0 ? hit.feature : field->facets.data[~hit.feature].source;
    closest->slot = source >= 0 ? collider->solid->asset->mesh.groups[source] : -1;
    return shOk;
}

shStatus shClosestOnShape(const shShape* shape, shTransform transform, shVec3 point, float radius,
                          shClosestPoint* closest, shMessage* message)
{
    if (shape == NULL || closest == NULL)
        return fail(message, shInvalid, "closest: shape and result must not be null");
    *closest = (shClosestPoint){.found = false};
    shStatus status = checkPoint(transform, point, radius, message);
    if (status == shOk && !targetShapeValid(shape))
        status = fail(message, shInvalid, "closest: the sizes of a shape must be finite and not negative");
    if (status != shOk)
        return status;
    Target target = targetShape(shape);
    TargetSample none = {0};
    FieldHit hit;
    bool found;
    targetProbe(&target, xformUnpoint(transform, point), &none, INFINITY, INFINITY, NULL, &found, &hit);
    if (fabsf(hit.distance) < radius)
        report(transform, &hit, closest);
    return shOk;
}

shStatus shClosestOnScenery(const shScenery* scenery, shTransform transform, shVec3 point, float radius,
                            shClosestPoint* closest, shMessage* message)
{
    if (scenery == NULL || closest == NULL)
        return fail(message, shInvalid, "closest: scenery and result must not be null");
    *closest = (shClosestPoint){.found = false};
    shStatus status = checkPoint(transform, point, radius, message);
    if (status != shOk)
        return status;
    FieldHit hit;
    if (sceneryClosest(scenery, xformUnpoint(transform, point), radius, &hit))
        report(transform, &hit, closest);
    return shOk;
}

// ---- overlaps -------------------------------------------------------------------------------------------------------

shStatus shOverlapSphere(const shCollider* collider, shVec3 centre, float radius, bool* overlaps, shMessage* message)
{
    if (collider == NULL || collider->solid == NULL || overlaps == NULL)
        return fail(message, shInvalid, "overlap: collider, its solid and the result must not be null");
    *overlaps = false;
    shStatus status = checkPoint(collider->transform, centre, radius, message);
    if (status == shOk)
        status = checkPiece(collider, message);
    if (status != shOk)
        return status;
    const FragmentField* field = &collider->solid->field;
    Vec3 p = xformUnpoint(collider->transform, centre);
    FieldHit hit;
    *overlaps = fieldOwner(field, p) == collider->piece || fieldClosest(field, collider->piece, p, radius, &hit);
    return shOk;
}

// A box as seen from what it is tested against.
typedef struct LocalBox {
    DVec3 centre, half;
    DQuat q;
    bool met;
} LocalBox;

// Does an axis keep the triangle (seen from the box) off the box?
static bool separates(const LocalBox* box, const DVec3 corners[3], DVec3 axis)
{
    double a = dDot(axis, corners[0]), b = dDot(axis, corners[1]), c = dDot(axis, corners[2]);
    double reach = box->half.x * fabs(axis.x) + box->half.y * fabs(axis.y) + box->half.z * fabs(axis.z);
    return minD(a, minD(b, c)) > reach || maxD(a, maxD(b, c)) < -reach;
}

// By separating axes: the box's, the triangle's normal, and the products of their edges.
static bool meetsTriangle(const LocalBox* box, const Vec3 p[3])
{
    DVec3 corners[3], sides[3];
    for (int k = 0; k < 3; ++k)
        corners[k] = dqUnrotate(box->q, dSub(dFromV(p[k]), box->centre));
    for (int k = 0; k < 3; ++k) {
        sides[k] = dSub(corners[(k + 1) % 3], corners[k]);
        if (separates(box, corners, dAxis(k)))
            return false;
    }
    if (separates(box, corners, dCross(sides[0], sides[1])))
        return false;
    for (int k = 0; k < 9; ++k)
        if (separates(box, corners, dCross(dAxis(k / 3), sides[k % 3])))
            return false;
    return true;
}

static bool meetFeature(int feature, const Vec3 corners[3], void* user)
{
    (void)feature;
    LocalBox* box = user;
    box->met = meetsTriangle(box, corners);
    return !box->met;
}

static shBox boundsOf(const LocalBox* box)
{
    DMat3 m = dqToMat(box->q);
    DVec3 reach = {dDot(dvec3(fabs(m.r0.x), fabs(m.r0.y), fabs(m.r0.z)), box->half),
                   dDot(dvec3(fabs(m.r1.x), fabs(m.r1.y), fabs(m.r1.z)), box->half),
                   dDot(dvec3(fabs(m.r2.x), fabs(m.r2.y), fabs(m.r2.z)), box->half)};
    Vec3 centre = vFromD(box->centre), half = vFromD(reach);
    shBox bounds = {vSub(centre, half), vAdd(centre, half)};
    float extent = maxF(vLength(bounds.lower), vLength(bounds.upper));
    return boxGrow(bounds, ROUNDING * extent);
}

static shStatus localBox(shTransform frame, shVec3 halfExtent, shTransform transform, LocalBox* box, shMessage* message)
{
    if (!(halfExtent.x >= 0.0f && halfExtent.y >= 0.0f && halfExtent.z >= 0.0f) || !vFinite(halfExtent))
        return fail(message, shInvalid, "overlap: the sizes of a box must be finite and not negative");
    if (!xformValid(frame) || !xformValid(transform))
        return fail(message, shInvalid, "overlap: a transform is not finite, or its rotation is no unit quaternion");
    DQuat q = dqNormalize(dqFromQ(frame.q));
    *box = (LocalBox){dqUnrotate(q, dSub(dFromV(transform.p), dFromV(frame.p))), dFromV(halfExtent),
                      dqMul(dqConjugate(q), dqNormalize(dqFromQ(transform.q))), false};
    return shOk;
}

shStatus shOverlapBox(const shCollider* collider, shVec3 halfExtent, shTransform transform, bool* overlaps,
                      shMessage* message)
{
    if (collider == NULL || collider->solid == NULL || overlaps == NULL)
        return fail(message, shInvalid, "overlap: collider, its solid and the result must not be null");
    *overlaps = false;
    LocalBox box;
    shStatus status = localBox(collider->transform, halfExtent, transform, &box, message);
    if (status == shOk)
        status = checkPiece(collider, message);
    if (status != shOk)
        return status;
    // Where no surface comes into the box, all of it is inside, or nothing.
    const FragmentField* field = &collider->solid->field;
    *overlaps = fieldOwner(field, vFromD(box.centre)) == collider->piece ||
                !fieldVisitBox(field, collider->piece, boundsOf(&box), meetFeature, &box);
    return shOk;
}

shStatus shOverlapBoxScenery(const shScenery* scenery, shTransform sceneryTransform, shVec3 halfExtent,
                             shTransform transform, bool* overlaps, shMessage* message)
{
    if (scenery == NULL || overlaps == NULL)
        return fail(message, shInvalid, "overlap: scenery and result must not be null");
    *overlaps = false;
    LocalBox box;
    shStatus status = localBox(sceneryTransform, halfExtent, transform, &box, message);
    if (status != shOk)
        return status;
    FieldHit hit;
    float reach = scenery->info.closed ? INFINITY : scenery->thickness;
    *overlaps = (sceneryClosest(scenery, vFromD(box.centre), reach, &hit) && hit.distance < 0.0f) ||
                !sceneryVisitBox(scenery, boundsOf(&box), meetFeature, &box);
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts of two analytic shapes: the samples of each against the other's distance, corners before edges before faces.
#include "collide/query.h"
#include "collide/target.h"
#include "core/constants.h"
#include "core/message.h"

typedef struct ShapeMeeting {
    shQuery* query;
    const shShape* shapes[2];
    Target targets[2];
    shTransform frames[2];
    float margin, tolerance;
    int limit;
} ShapeMeeting;

// Once there are enough, only a sample that is clearly deeper than all of them is worth a place: the farthest one's.
// Corners come before edges and edges before faces, so that what a box stands on stays the same from step to step.
static int replaced(const shQuery* query, float distance, float tolerance)
{
    int farthest = 0;
    float nearest = INFINITY;
    for (int i = 0; i < query->contacts.count; ++i) {
        nearest = minF(nearest, query->contacts.data[i].distance);
        if (query->contacts.data[i].distance > query->contacts.data[farthest].distance)
            farthest = i;
    }
    return distance < nearest - tolerance ? farthest : -1;
}

// The cone of a box's sample: the faces it lies on, in the other shape's frame. Round shapes face everywhere.
static NormalCone coneOf(const ShapeMeeting* meeting, int side, Vec3 p)
{
    NormalCone cone = {.count = 0};
    const shShape* shape = meeting->shapes[side];
    for (int axis = 0; shape->type == shBoxShape && axis < 3; ++axis) {
        float sign = vGet(p, axis) > 0.0f ? 1.0f : -1.0f;
        if (fabsf(vGet(p, axis)) < vGet(shape->halfExtent, axis))
            continue;
        Vec3 way = {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
        cone.normals[cone.count++] = qUnrotate(meeting->frames[1 - side].q, qRotate(meeting->frames[side].q, way));
    }
    return cone;
}

// A sample inside a box leaves it by the nearest face that looks against it: the corner of a box that stands near the
// rim of another goes back up, not out sideways.
static void leaveByFace(const ShapeMeeting* meeting, int side, const NormalCone* cone, Vec3 p, FieldHit* hit)
{
    Vec3 half = meeting->shapes[1 - side]->halfExtent;
    float least = FACING_REACH * -hit->distance + meeting->tolerance;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2;
        float sign = face & 1 ? 1.0f : -1.0f, depth = vGet(half, axis) - sign * vGet(p, axis);
        Vec3 normal = {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
        if (depth >= least || !coneFaces(cone, normal))
            continue;
        least = depth;
        *hit = (FieldHit){-depth, normal, vMad(p, depth, normal), 0};
    }
}

// A sample of one shape against the other.
static bool meetSample(ShapeMeeting* meeting, int side, int index)
{
    shQuery* query = meeting->query;
    float thickness;
    Vec3 p = targetShapeSample(meeting->shapes[side], index, &thickness);
    Vec3 world = xformPoint(meeting->frames[side], p), inOther = xformUnpoint(meeting->frames[1 - side], world);
    FieldHit hit;
    bool found;
    ++query->stats.visited;
    targetProbe(&meeting->targets[1 - side], inOther, NULL, meeting->margin + thickness, INFINITY, NULL, &found, &hit);
    if (!found)
        return true;
    NormalCone cone = coneOf(meeting, side, p);
    if (cone.count > 0 && hit.distance <= 0.0f && meeting->shapes[1 - side]->type == shBoxShape)
        leaveByFace(meeting, side, &cone, inOther, &hit);
    if (!coneFaces(&cone, hit.normal))
        return true;
    ++query->stats.colliding;
    float distance = hit.distance - thickness;
    Vec3 outward = qRotate(meeting->frames[1 - side].q, hit.normal);
    shContact contact = {vMad(world, -thickness, outward), side == 0 ? outward : vNeg(outward), distance,
                         (uint32_t)side << 31 | (uint32_t)index};
    if (query->contacts.count < meeting->limit) {
        if (!arrayReserve(query->memory, &query->contacts, query->contacts.count + 1))
            return false;
        query->contacts.data[query->contacts.count++] = contact;
        return true;
    }
    int place = replaced(query, distance, meeting->tolerance);
    if (place >= 0)
        query->contacts.data[place] = contact;
    return true;
}

shStatus shCollideShapes(shQuery* query, const shCollideDef* def, const shShape* a, shTransform aTransform,
                         const shShape* b, shTransform bTransform, const shContact** contacts, int* contactCount,
                         shMessage* message)
{
    if (query == NULL || def == NULL || a == NULL || b == NULL || contacts == NULL || contactCount == NULL)
        return fail(message, shInvalid, "collide: query, definition, shapes and results must not be null");
    *contacts = NULL;
    *contactCount = 0;
    if (!targetShapeValid(a) || !targetShapeValid(b))
        return fail(message, shInvalid, "collide: the sizes of a shape must be finite and not negative");
    if (!(def->margin >= 0.0f) || !isfinite(def->margin))
        return fail(message, shInvalid, "collide: the margin must be finite and not negative");
    ShapeMeeting meeting = {.query = query,
                            .shapes = {a, b},
                            .targets = {targetShape(a), targetShape(b)},
                            .frames = {aTransform, bTransform},
                            .margin = def->margin,
                            .tolerance = def->tolerance,
                            .limit = def->maxContacts > 0 ? def->maxContacts : SH_FIRST_CONTACTS};
    query->contacts.count = 0;
    query->stats = (shCollideStats){0};
    // Of two round shapes one sees all: both would give the same contact twice.
    int first = a->type == shSphereShape || b->type == shBoxShape || b->type == shPlaneShape ? 0 : 1;
    bool boxes = a->type == shBoxShape || b->type == shBoxShape;
    for (int turn = 0; turn < 2; ++turn) {
        int side = turn == 0 ? first : 1 - first;
        if (turn == 1 && !boxes)
            break;
        int count = targetShapeSampleCount(meeting.shapes[side]);
        for (int i = 0; i < count; ++i) {
            if (!meetSample(&meeting, side, i))
                return failMemory(message);
        }
    }
    *contacts = query->contacts.data;
    *contactCount = query->contacts.count;
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts of an analytic shape with another, or with scenery: samples against the other's distance, corners before
// edges before faces. Two shapes take turns; of scenery only the surface is seen, not its samples.
#include "collide/query.h"
#include "collide/scenery.h"
#include "collide/target.h"
#include "core/constants.h"
#include "core/message.h"

typedef struct ShapeMeeting {
    shQuery* query;
    const shShape* shapes[2];
    Target targets[2];
    const shScenery* scenery; // takes the part of B, if there is one
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
    if (meeting->scenery != NULL)
        found = sceneryClosest(meeting->scenery, inOther, meeting->margin + thickness, &hit);
    else
        targetProbe(&meeting->targets[1 - side], inOther, NULL, meeting->margin + thickness, INFINITY, NULL, &found,
                    &hit);
    if (!found)
        return true;
    NormalCone cone = coneOf(meeting, side, p);
    if (cone.count > 0 && hit.distance <= 0.0f && meeting->scenery == NULL &&
        meeting->shapes[1 - side]->type == shBoxShape)
        leaveByFace(meeting, side, &cone, inOther, &hit);
    ++query->stats.colliding; // whether it faces or not
    if (!coneFaces(&cone, hit.normal))
        return true;
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

static bool meetSamples(ShapeMeeting* meeting, int side)
{
    int count = targetShapeSampleCount(meeting->shapes[side]);
    for (int i = 0; i < count; ++i) {
        if (!meetSample(meeting, side, i))
            return false;
    }
    return true;
}

static shStatus checkQuery(const shQuery* query, const shCollideDef* def, const shContact** contacts,
                           const int* contactCount, shMessage* message)
{
    if (query == NULL || def == NULL || contacts == NULL || contactCount == NULL)
        return fail(message, shInvalid, "collide: query, definition and results must not be null");
    if (!(def->margin >= 0.0f) || !isfinite(def->margin))
        return fail(message, shInvalid, "collide: the margin must be finite and not negative");
    return shOk;
}

static void start(ShapeMeeting* meeting, const shCollideDef* def)
{
    meeting->margin = def->margin;
    meeting->tolerance = def->tolerance;
    meeting->limit = def->maxContacts > 0 ? def->maxContacts : SH_FIRST_CONTACTS;
    meeting->query->contacts.count = 0;
    meeting->query->stats = (shCollideStats){0};
    meeting->query->clear = 0.0f;
}

shStatus shCollideShapes(shQuery* query, const shCollideDef* def, const shShape* a, shTransform aTransform,
                         const shShape* b, shTransform bTransform, const shContact** contacts, int* contactCount,
                         shMessage* message)
{
    shStatus status = checkQuery(query, def, contacts, contactCount, message);
    if (status != shOk)
        return status;
    *contactCount = 0;
    if (a == NULL || b == NULL || !targetShapeValid(a) || !targetShapeValid(b))
        return fail(message, shInvalid, "collide: the sizes of a shape must be finite and not negative");
    ShapeMeeting meeting = {.query = query,
                            .shapes = {a, b},
                            .targets = {targetShape(a), targetShape(b)},
                            .frames = {aTransform, bTransform}};
    start(&meeting, def);
    // Of two round shapes one sees all: both would give the same contact twice.
    int first = a->type == shSphereShape || b->type == shBoxShape || b->type == shPlaneShape ? 0 : 1;
    bool boxes = a->type == shBoxShape || b->type == shBoxShape;
    if (!meetSamples(&meeting, first) || (boxes && !meetSamples(&meeting, 1 - first)))
        return failMemory(message);
    *contacts = query->contacts.data;
    *contactCount = query->contacts.count;
    return shOk;
}

shStatus shCollideShapeScenery(shQuery* query, const shCollideDef* def, const shShape* a, shTransform aTransform,
                               const shScenery* scenery, shTransform bTransform, const shContact** contacts,
                               int* contactCount, shMessage* message)
{
    shStatus status = checkQuery(query, def, contacts, contactCount, message);
    if (status != shOk)
        return status;
    *contactCount = 0;
    if (a == NULL || scenery == NULL || !targetShapeValid(a))
        return fail(message, shInvalid, "collide: the sizes of a shape must be finite and not negative");
    ShapeMeeting meeting = {
        .query = query, .shapes = {a, NULL}, .scenery = scenery, .frames = {aTransform, bTransform}};
    start(&meeting, def);
    if (!meetSamples(&meeting, 0))
        return failMemory(message);
    *contacts = query->contacts.data;
    *contactCount = query->contacts.count;
    return shOk;
}

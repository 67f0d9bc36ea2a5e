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
    float margin;
    int limit;
} ShapeMeeting;

static bool holdsDeeper(const shQuery* query, float distance, int* farthest)
{
    *farthest = 0;
    for (int i = 1; i < query->contacts.count; ++i) {
        if (query->contacts.data[i].distance > query->contacts.data[*farthest].distance)
            *farthest = i;
    }
    return query->contacts.data[*farthest].distance <= distance;
}

// A sample of one shape against the other; one that is nearer than all others takes the farthest one's place.
static bool meetSample(ShapeMeeting* meeting, int side, int index)
{
    shQuery* query = meeting->query;
    float thickness;
    Vec3 p = targetShapeSample(meeting->shapes[side], index, &thickness);
    Vec3 world = xformPoint(meeting->frames[side], p);
    FieldHit hit;
    bool found;
    ++query->stats.visited;
    targetProbe(&meeting->targets[1 - side], xformUnpoint(meeting->frames[1 - side], world), NULL,
                meeting->margin + thickness, INFINITY, NULL, &found, &hit);
    if (!found)
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
    int farthest;
    if (!holdsDeeper(query, distance, &farthest))
        query->contacts.data[farthest] = contact;
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
                            .limit = def->maxContacts > 0 ? minI(def->maxContacts, SH_FIRST_CONTACTS)
                                                          : SH_FIRST_CONTACTS};
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

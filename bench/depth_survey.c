// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/depth_survey.h"

#include "core/message.h"
#include "core/quat.h"
#include "sherd/closest.h"

#include <stdlib.h>
#include <string.h>

typedef struct Points {
    Vec3* at; // world
    int64_t count, capacity;
} Points;

// A body as the survey sees it.
typedef struct Surveyed {
    shBodyId id;
    bool dynamic;
    shCollider collider; // its solid is null for shapes and scenery
    const shShape* shape;
    const shScenery* scenery;
    shTransform transform;
    shBox box;            // world; of a plane: everything
    shBox rest;           // of pieces, rest frame
    double diameter;      // m
    int64_t first, count; // of its samples
} Surveyed;

typedef struct Job {
    Surveyed* bodies; // [bodyCount] by the lower end of their boxes along x
    int bodyCount;
    double spacing;
    Points points;
    DepthSurvey* survey;
    double worst; // percent
} Job;

static bool addPoint(Points* points, Vec3 at)
{
    if (points->count == points->capacity) {
        int64_t capacity = 2 * points->capacity + 4096;
        Vec3* grown = realloc(points->at, (size_t)capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        points->at = grown;
        points->capacity = capacity;
    }
    points->at[points->count++] = at;
    return true;
}

static int lexicographic(const void* a, const void* b)
{
    const Vec3 *u = a, *v = b;
    if (u->x != v->x)
        return u->x < v->x ? -1 : 1;
    if (u->y != v->y)
        return u->y < v->y ? -1 : 1;
    return (u->z > v->z) - (u->z < v->z);
}

// Points strictly between the ends of an edge, no farther apart than `step`.
static bool sampleEdge(Points* points, Vec3 from, Vec3 to, double step)
{
    double parts = ceil((double)vDistance(from, to) / step);
    for (double k = 1.0; k < parts; k += 1.0)
        if (!addPoint(points, vLerp(from, to, (float)(k / parts))))
            return false;
    return true;
}

// Vertices once; edges once, too, for each of an edge's two triangles has it in another direction.
static bool sampleTriangles(Job* job, const Surveyed* body, double step, shVec3 (*corners)[3], int count)
{
    Vec3* vertices = malloc((size_t)count * sizeof corners[0]);
    bool ok = vertices != NULL;
    if (ok) {
        memcpy(vertices, corners, (size_t)count * sizeof corners[0]);
        qsort(vertices, 3 * (size_t)count, sizeof *vertices, lexicographic);
    }
    for (int64_t i = 0; ok && i < 3 * (int64_t)count; ++i)
        if (i == 0 || lexicographic(&vertices[i - 1], &vertices[i]) != 0)
            ok = addPoint(&job->points, xformPoint(body->transform, vertices[i]));
    for (int i = 0; i < count; ++i) {
        for (int c = 0; ok && c < 3; ++c) {
            Vec3 from = corners[i][c], to = corners[i][(c + 1) % 3];
            if (lexicographic(&from, &to) < 0)
                ok = sampleEdge(&job->points, xformPoint(body->transform, from), xformPoint(body->transform, to), step);
        }
    }
    free(vertices);
    return ok;
}

static bool samplePiece(Job* job, Surveyed* body)
{
    int count = shSolid_GetTriangles(body->collider.solid, body->collider.piece, NULL, NULL, 0);
    shVec3(*corners)[3] = malloc((size_t)count * sizeof *corners + 1);
    bool ok = corners != NULL;
    if (ok) {
        shPieceInfo info = shSolid_GetPiece(body->collider.solid, body->collider.piece);
        Vec3 centre = vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]);
        shSolid_GetTriangles(body->collider.solid, body->collider.piece, corners, NULL, count);
        double farthest = 0.0;
        body->rest = info.box;
        body->box = boxEmpty();
        for (int i = 0; i < 3 * count; ++i) {
            farthest = maxD(farthest, (double)vDistance(centre, corners[i / 3][i % 3]));
            body->box = boxAdd(body->box, xformPoint(body->transform, corners[i / 3][i % 3]));
        }
        ok = sampleTriangles(job, body, job->spacing * 2.0 * farthest, corners, count);
        if (body->dynamic)
            body->diameter = 2.0 * farthest;
    }
    free(corners);
    return ok;
}

static Vec3 boxCorner(const shShape* shape, int i)
{
    Vec3 h = shape->halfExtent;
    return vec3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
}

static void boundShape(Surveyed* body)
{
    const shShape* shape = body->shape;
    double size = 0.0;
    if (shape->type == shPlaneShape) {
        body->box = (shBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        return;
    }
    body->box = boxEmpty();
    if (shape->type == shBoxShape) {
        for (int i = 0; i < 8; ++i)
            body->box = boxAdd(body->box, xformPoint(body->transform, boxCorner(shape, i)));
        size = (double)vLength(shape->halfExtent);
    } else {
        float half = shape->type == shCapsuleShape ? shape->halfHeight : 0.0f;
        body->box = boxAdd(body->box, xformPoint(body->transform, vec3(0.0f, half, 0.0f)));
        body->box = boxAdd(body->box, xformPoint(body->transform, vec3(0.0f, -half, 0.0f)));
        body->box = boxGrow(body->box, shape->radius);
        size = (double)(half + shape->radius);
    }
    if (body->dynamic)
        body->diameter = 2.0 * size;
}

static bool addBody(Job* job, const shWorld* world, shBodyId id)
{
    Surveyed* body = &job->bodies[job->bodyCount++];
    *body = (Surveyed){.id = id,
                       .dynamic = shBody_GetType(world, id) == shDynamicBody,
                       .shape = shBody_GetShape(world, id),
                       .scenery = shBody_GetScenery(world, id),
                       .transform = shBody_GetTransform(world, id),
                       .diameter = (double)INFINITY,
                       .first = job->points.count};
    body->collider.solid = shBody_GetSolid(world, id, &body->collider.piece);
    body->collider.transform = body->transform;
    body->box = (shBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}; // of scenery
    bool ok = true;
    if (body->collider.solid != NULL)
        ok = samplePiece(job, body);
    else if (body->shape != NULL)
        boundShape(body);
    body->count = job->points.count - body->first;
    job->survey->bodies += body->dynamic;
    return ok;
}

// Below 0: within the material.
static shStatus distanceTo(const Surveyed* body, Vec3 point, double* distance, shMessage* message)
{
    shClosestPoint closest;
    shStatus status;
    if (body->collider.solid != NULL)
        status = shClosest(&body->collider, point, INFINITY, &closest, message);
    else if (body->shape != NULL)
        status = shClosestOnShape(body->shape, body->transform, point, INFINITY, &closest, message);
    else
        status = shClosestOnScenery(body->scenery, body->transform, point, INFINITY, &closest, message);
    *distance = status == shOk && closest.found ? (double)closest.distance : (double)INFINITY;
    return status;
}

static bool boxHoldsPoint(shBox box, Vec3 p) { return boxHolds(box, (shBox){p, p}); }

static shStatus askOne(Job* job, const Surveyed* other, Vec3 point, double* depth, shMessage* message)
{
    double distance;
    if (!boxHoldsPoint(other->box, point))
        return shOk;
    if (other->collider.solid != NULL && !boxHoldsPoint(other->rest, xformUnpoint(other->transform, point)))
        return shOk;
    ++job->survey->asked;
    shStatus status = distanceTo(other, point, &distance, message);
    if (status == shOk)
        *depth = maxD(*depth, -distance);
    return status;
}

// Edges of a box shape, as densely as the other body's own, where they are within its box.
static shStatus askBoxEdges(Job* job, const Surveyed* shape, const Surveyed* other, double* depth, shMessage* message)
{
    double step = job->spacing * minD(other->diameter, shape->diameter);
    if (shape->shape == NULL || shape->shape->type != shBoxShape || !isfinite(step))
        return shOk;
    shStatus status = shOk;
    for (int corner = 0; corner < 8; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            if (corner >> axis & 1)
                continue;
            Vec3 from = xformPoint(shape->transform, boxCorner(shape->shape, corner));
            Vec3 along = vSub(xformPoint(shape->transform, boxCorner(shape->shape, corner | 1 << axis)), from);
            float enter = 0.0f, leave = 1.0f; // the part of the edge within the other's box
            for (int k = 0; k < 3; ++k) {
                float p = vGet(from, k), d = vGet(along, k), low = vGet(other->box.lower, k),
                      high = vGet(other->box.upper, k);
                if (d == 0.0f) {
                    leave = p < low || p > high ? -1.0f : leave;
                    continue;
                }
                float t0 = (low - p) / d, t1 = (high - p) / d;
                enter = maxF(enter, minF(t0, t1));
                leave = minF(leave, maxF(t0, t1));
            }
            if (enter > leave)
                continue;
            double parts = ceil((double)((leave - enter) * vLength(along)) / step) + 1.0;
            for (double k = 0.0; k <= parts && status == shOk; k += 1.0)
                status =
                    askOne(job, other, vMad(from, enter + (leave - enter) * (float)(k / parts), along), depth, message);
        }
    }
    return status;
}

static shStatus askPair(Job* job, const Surveyed* a, const Surveyed* b, shMessage* message)
{
    double depth = 0.0;
    shStatus status = shOk;
    for (int side = 0; side < 2; ++side) {
        const Surveyed *from = side == 0 ? a : b, *to = side == 0 ? b : a;
        for (int64_t i = from->first; i < from->first + from->count && status == shOk; ++i)
            status = askOne(job, to, job->points.at[i], &depth, message);
        if (status == shOk)
            status = askBoxEdges(job, from, to, &depth, message);
    }
    if (status != shOk || depth <= 0.0)
        return status;
    double percent = 100.0 * depth / minD(a->diameter, b->diameter);
    job->survey->deepest = maxD(job->survey->deepest, depth);
    if (percent > job->worst) {
        job->worst = percent;
        job->survey->a = a->id;
        job->survey->b = b->id;
    }
    return depthListAdd(&job->survey->percent, percent) ? shOk : failMemory(message);
}

static int byLowerX(const void* a, const void* b)
{
    const Surveyed *u = a, *v = b;
    float x = u->box.lower.x, y = v->box.lower.x;
    if (x != y)
        return x < y ? -1 : 1;
    return (u->id.index > v->id.index) - (u->id.index < v->id.index);
}

static shStatus askAll(Job* job, shMessage* message)
{
    shStatus status = shOk;
    qsort(job->bodies, (size_t)job->bodyCount, sizeof *job->bodies, byLowerX);
    for (int i = 0; i < job->bodyCount; ++i) {
        const Surveyed* a = &job->bodies[i];
        for (int k = i + 1; k < job->bodyCount && status == shOk; ++k) {
            const Surveyed* b = &job->bodies[k];
            if (b->box.lower.x > a->box.upper.x)
                break;
            if ((a->dynamic || b->dynamic) && boxOverlaps(a->box, b->box))
                status = askPair(job, a, b, message);
        }
    }
    return status;
}

shStatus depthSurvey(const shWorld* world, double spacing, DepthSurvey* survey, shMessage* message)
{
    *survey = (DepthSurvey){0};
    int limit = shWorld_GetBodyLimit(world);
    Job job = {.spacing = spacing, .survey = survey};
    job.bodies = calloc((size_t)limit + 1, sizeof *job.bodies);
    shStatus status = job.bodies != NULL ? shOk : failMemory(message);
    for (int i = 0; i < limit && status == shOk; ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        if (id.generation == 0)
            continue;
        if (!xformValid(shBody_GetTransform(world, id)))
            status = fail(message, shFailed, "body %d is nowhere: its transform is not one", i);
        else if (!addBody(&job, world, id))
            status = failMemory(message);
    }
    survey->samples = job.points.count;
    if (status == shOk)
        status = askAll(&job, message);
    free(job.bodies);
    free(job.points.at);
    if (status != shOk)
        depthSurveyFree(survey);
    return status;
}

void depthSurveyFree(DepthSurvey* survey) { depthListFree(&survey->percent); }

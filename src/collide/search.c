// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/search.h"

static Vec3 toTarget(const Search* search, Vec3 p) { return vAdd(mMul(search->rotation, p), search->offset); }

// Columns of the rotation that turns the samples' frame into the target's.
static void setFrames(Search* search, shTransform samples, shTransform frame)
{
    Vec3 x = qUnrotate(frame.q, qRotate(samples.q, vec3(1.0f, 0.0f, 0.0f)));
    Vec3 y = qUnrotate(frame.q, qRotate(samples.q, vec3(0.0f, 1.0f, 0.0f)));
    Vec3 z = qUnrotate(frame.q, qRotate(samples.q, vec3(0.0f, 0.0f, 1.0f)));
    search->rotation = (Mat3){{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    search->offset = qUnrotate(frame.q, vSub(samples.p, frame.p));
}

// Room for what one batch can add to a queue.
static bool reserveBatch(Search* search, SearchQueue* queue)
{
    return queue->count + targetBatch <= queue->capacity ||
           arrayReserve(search->memory, queue, queue->count + targetBatch);
}

// The cone of a sample's normals, turned into the target's frame; null where it faces everywhere.
static const NormalCone* coneOf(const Search* search, int point, NormalCone* cone)
{
    if (point >= search->solid->asset->mesh.nodeCount || search->cones[point].count == 0)
        return NULL;
    *cone = coneTurn(&search->cones[point], search->rotation);
    return cone;
}

bool searchFaces(const Search* search, const Sample* sample)
{
    NormalCone turned;
    const NormalCone* cone = coneOf(search, sample->point, &turned);
    return cone == NULL || coneFaces(cone, sample->hit.normal);
}

static void lookUp(Search* search)
{
    float x[targetBatch] = {0}, y[targetBatch] = {0}, z[targetBatch] = {0};
    for (int i = 0; i < search->batchCount; ++i) {
        Vec3 p = search->points[search->batchPoints[i]].p;
        x[i] = p.x, y[i] = p.y, z[i] = p.z;
    }
    Mat3 m = search->rotation;
    Vec3 offset = search->offset;
    TargetBatch* batch = &search->batch;
    for (int i = 0; i < targetBatch; ++i) {
        batch->x[i] = (m.r0.x * x[i] + m.r0.y * y[i] + m.r0.z * z[i]) + offset.x;
        batch->y[i] = (m.r1.x * x[i] + m.r1.y * y[i] + m.r1.z * z[i]) + offset.y;
        batch->z[i] = (m.r2.x * x[i] + m.r2.y * y[i] + m.r2.z * z[i]) + offset.z;
    }
    targetLookUp(search->target, batch, search->batchCount);
    search->batchNext = 0;
    search->visited += search->batchCount;
}

void searchStart(Search* search, const shSolid* solid, int piece, const Target* target, shTransform samples,
                 shTransform frame)
{
    search->solid = solid;
    search->target = target;
    search->points = treesPoints(&solid->trees);
    search->cones = solid->asset->rest.cones;
    setFrames(search, samples, frame);
    search->now.count = search->next.count = search->head = search->visited = 0;
    search->batchPoints[0] = treesRoot(&solid->trees, piece);
    search->batchCount = 1;
    search->failed = !reserveBatch(search, &search->next);
    lookUp(search);
}

// The next children of this round whose parents do not rule them out; false when the walk is over.
static bool fetchBatch(Search* search, float threshold)
{
    const TreePoint* points = search->points;
    search->batchCount = 0;
    while (search->batchCount == 0) {
        if (search->head == search->now.count) {
            if (search->next.count == 0)
                return false;
            SearchQueue swap = search->now;
            search->now = search->next;
            search->next = swap;
            search->next.count = search->head = 0;
        }
        if (!reserveBatch(search, &search->now) || !reserveBatch(search, &search->next)) {
            search->failed = true;
            return false;
        }
        while (search->batchCount < targetBatch && search->head < search->now.count) {
            SearchEntry entry = search->now.data[search->head++];
            const TreePoint* child = &points[entry.child];
            if (entry.distance - child->reach > threshold)
                continue; // neither this child nor a later one can matter
            search->batchPoints[search->batchCount++] = entry.child;
            entry.child = child->sibling;
            if (entry.child < 0)
                continue;
            if (search->plainOrder)
                search->now.data[--search->head] = entry;
            else
                search->next.data[search->next.count++] = entry;
        }
    }
    // What the batch itself may queue.
    if (!reserveBatch(search, &search->next)) {
        search->failed = true;
        return false;
    }
    lookUp(search);
    return true;
}

// Tests a sample and queues it if something below it may matter.
static bool visit(Search* search, int i, float threshold, Sample* sample)
{
    int point = search->batchPoints[i], child = search->points[point].child;
    float radius = search->points[point].radius;
    float distance = search->batch.distance[i];
    if (distance > threshold + radius)
        return false;
    const Target* target = search->target;
    bool found = false;
    // An unbroken solid's grid says all there is to say of samples that are no contacts.
    if (target->broken || target->solid == NULL || distance <= threshold) {
        const TargetBatch* batch = &search->batch;
        TargetSample known = {
            distance, batch->rest[i], {batch->gradientX[i], batch->gradientY[i], batch->gradientZ[i]}};
        NormalCone cone;
        distance = targetProbe(target, vec3(batch->x[i], batch->y[i], batch->z[i]), &known, threshold,
                               threshold + radius, coneOf(search, point, &cone), &found, &sample->hit);
    }
    if (child >= 0 && distance - radius <= threshold)
        search->next.data[search->next.count++] = (SearchEntry){point, child, distance};
    sample->point = point;
    return found;
}

bool searchNext(Search* search, float threshold, Sample* sample)
{
    while (!search->failed) {
        if (search->batchNext == search->batchCount && !fetchBatch(search, threshold))
            return false;
        if (visit(search, search->batchNext++, threshold, sample))
            return true;
    }
    return false;
}

bool searchTest(const Search* search, int point, float threshold, Sample* sample)
{
    Vec3 p = toTarget(search, search->points[point].p);
    TargetSample known = targetSample(search->target, p);
    NormalCone cone;
    bool found;
    targetProbe(search->target, p, &known, threshold, threshold, coneOf(search, point, &cone), &found, &sample->hit);
    sample->point = point;
    return found;
}

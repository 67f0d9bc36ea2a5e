// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/search.h"

// Columns of the rotation that turns the samples' frame into the target's.
static TargetFrame frameOf(shTransform samples, shTransform frame)
{
    Vec3 x = qUnrotate(frame.q, qRotate(samples.q, vec3(1.0f, 0.0f, 0.0f)));
    Vec3 y = qUnrotate(frame.q, qRotate(samples.q, vec3(0.0f, 1.0f, 0.0f)));
    Vec3 z = qUnrotate(frame.q, qRotate(samples.q, vec3(0.0f, 0.0f, 1.0f)));
    return (TargetFrame){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}},
                         qUnrotate(frame.q, vSub(samples.p, frame.p))};
}

// Room for what one batch can add to the queue: each sample's next sibling and first child. What has been fetched makes
// room first.
static bool reserveBatch(Search* search)
{
    int more = 2 * targetBatch;
    if (search->queue.count + more <= search->queue.capacity)
        return true;
    if (search->head > search->queue.count / 2) {
        search->queue.count -= search->head;
        memmove(search->queue.data, search->queue.data + search->head,
                sizeof(SearchEntry) * (size_t)search->queue.count);
        search->head = 0;
    }
    return arrayReserve(search->memory, &search->queue, search->queue.count + more);
}

// The cone of a sample's normals, turned into the target's frame; null where it faces everywhere.
static const NormalCone* coneOf(const Search* search, int point, NormalCone* cone)
{
    if (point >= search->solid->asset->mesh.nodeCount || search->cones[point].count == 0)
        return NULL;
    *cone = coneTurn(&search->cones[point], search->frame.rotation);
    return cone;
}

bool searchFaces(const Search* search, const Sample* sample)
{
    NormalCone turned;
    const NormalCone* cone = coneOf(search, sample->point, &turned);
    return cone == NULL || coneFaces(cone, sample->hit.normal);
}

static void putSample(Search* search, int point)
{
    int i = search->batchCount++;
    const TreePoint* at = &search->points[point];
    search->batchPoints[i] = point;
    search->batch.x[i] = at->p.x, search->batch.y[i] = at->p.y, search->batch.z[i] = at->p.z;
}

static void lookUp(Search* search)
{
    targetLookUp(search->target, &search->frame, &search->batch);
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
    search->frame = frameOf(samples, frame);
    search->batch = (TargetBatch){0};
    search->queue.count = search->head = search->visited = search->batchCount = 0;
    search->failed = !reserveBatch(search);
    putSample(search, treesRoot(&solid->trees, piece));
    lookUp(search);
}

// The next children whose parents do not rule them out; false when the walk is over.
static bool fetchBatch(Search* search, float threshold)
{
    search->batchCount = 0;
    if (!reserveBatch(search)) {
        search->failed = true;
        return false;
    }
    while (search->batchCount < targetBatch && search->head < search->queue.count) {
        SearchEntry entry = search->queue.data[search->head++];
        const TreePoint* child = &search->points[entry.child];
        if (entry.distance - child->reach > threshold)
            continue; // neither this child nor a later one can matter
        putSample(search, entry.child);
        entry.child = child->sibling;
        if (entry.child < 0)
            continue;
        if (search->plainOrder)
            search->queue.data[--search->head] = entry;
        else
            search->queue.data[search->queue.count++] = entry;
    }
    if (search->batchCount == 0)
        return false;
    lookUp(search);
    return true;
}

// Tests a sample and queues it if something below it may matter.
static bool visit(Search* search, int i, float threshold, Sample* sample)
{
    float distance = search->batch.distance[i];
    int point = search->batchPoints[i];
    const TreePoint* at = &search->points[point];
    if (distance - at->radius > threshold)
        return false;
    bool found = false;
    // What is known from outside says all there is to say of samples that are no contacts.
    if (distance <= threshold) {
        const TargetBatch* batch = &search->batch;
        TargetSample known = {distance, batch->rest[i]};
        NormalCone cone;
        distance = targetProbe(search->target, vec3(batch->x[i], batch->y[i], batch->z[i]), &known, threshold,
                               threshold + at->radius, coneOf(search, point, &cone), &found, &sample->hit);
    }
    if (at->child >= 0 && distance - at->radius <= threshold)
        search->queue.data[search->queue.count++] = (SearchEntry){at->child, distance};
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
    Vec3 p = vAdd(mMul(search->frame.rotation, search->points[point].p), search->frame.offset);
    TargetSample known = targetSample(search->target, p);
    NormalCone cone;
    bool found;
    targetProbe(search->target, p, &known, threshold, threshold, coneOf(search, point, &cone), &found, &sample->hit);
    sample->point = point;
    return found;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "collide/search.h"

#include "core/constants.h"

// Columns of the rotation that turns the samples' frame into the target's.
TargetFrame searchFrame(shTransform samples, shTransform frame)
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
    return arrayReserve(search->memory, &search->queue, maxI(search->queue.count + more, SEARCH_QUEUE));
}

// A sample's outward directions, in its own frame.
static NormalCone sampleCone(const shSolid* solid, int point)
{
    const NormalCone* cones = solid->asset->rest.cones;
    const Vec3* nodes = solid->asset->mesh.nodes;
    int cut = point - solid->asset->mesh.nodeCount;
    if (cut < 0)
        return cones[point];
    const int* ends = solid->field.rest->topology->edges[solid->field.cuts.data[cut / 2].edge];
    int own = ends[cut % 2], other = ends[1 - cut % 2];
    return coneOfCut(&cones[own], &cones[other], nodes[own], nodes[other]);
}

// The cone of a mesh node's normals, turned into the target's frame; null where it faces everywhere. Cut points have
// none here: at birth they touch their siblings at distance zero, and must not prefer a surface that is farther.
static const NormalCone* coneOf(const Search* search, int point, NormalCone* cone)
{
    if (point >= search->solid->asset->mesh.nodeCount || search->cones[point].count == 0)
        return NULL;
    *cone = coneTurn(&search->cones[point], search->frame.rotation);
    return cone;
}

bool searchFaces(const Search* search, const Sample* sample)
{
    NormalCone own = sampleCone(search->solid, sample->point);
    NormalCone turned = coneTurn(&own, search->frame.rotation);
    return coneFaces(&turned, sample->hit.normal);
}

static void lookUp(Search* search, float threshold)
{
    search->open = targetLookUp(search->target, &search->frame, &search->batch, search->batchCount, threshold);
    search->visited += search->batchCount;
}

void searchStart(Search* search, const shSolid* solid, int piece, const Target* target, shTransform samples,
                 shTransform frame)
{
    search->solid = solid;
    search->target = target;
    search->points = treesPoints(&solid->trees);
    search->cones = solid->asset->rest.cones;
    search->frame = searchFrame(samples, frame);
    int root = treesRoot(&solid->trees, piece);
    const TreePoint* at = &search->points[root];
    search->batch = (TargetBatch){.x = {at->p.x}, .y = {at->p.y}, .z = {at->p.z}, .radius = {at->radius}};
    for (int i = 0; i < targetBatch; ++i)
        search->batch.clear[i] = INFINITY;
    search->clear = INFINITY;
    search->batchPoints[0] = root;
    search->batchCount = 1;
    search->queue.count = search->head = search->visited = 0;
    search->failed = !reserveBatch(search);
    lookUp(search, INFINITY);
}

// The next children whose parents do not rule them out; false when the walk is over.
static bool fetchBatch(Search* search, float threshold)
{
    if (!reserveBatch(search)) {
        search->failed = true;
        return false;
    }
    const TreePoint* points = search->points;
    TargetBatch* batch = &search->batch;
    SearchEntry* queue = search->queue.data;
    int count = 0, head = search->head, end = search->queue.count;
    while (count < targetBatch && head < end) {
        SearchEntry entry = queue[head++];
        const TreePoint* child = &points[entry.child];
        if (entry.distance - child->reach > threshold) { // neither this child nor a later one can matter
            search->clear = minF(search->clear, entry.distance - child->reach);
            continue;
        }
        search->batchPoints[count] = entry.child;
        batch->x[count] = child->p.x, batch->y[count] = child->p.y, batch->z[count] = child->p.z;
        batch->radius[count] = child->radius;
        ++count;
        if (child->sibling < 0)
            continue;
        __builtin_prefetch(&points[child->sibling]); // its turn comes later
        if (search->plainOrder)
            queue[--head].child = child->sibling;
        else
            queue[end++] = (SearchEntry){child->sibling, entry.distance};
    }
    search->batchCount = count;
    search->head = head;
    search->queue.count = end;
    if (count == 0)
        return false;
    for (int i = head; i < minI(head + targetBatch, end); ++i) // the next batch
        __builtin_prefetch(&points[queue[i].child]);
    lookUp(search, threshold);
    return true;
}

// Tests a sample and queues it if something below it may matter.
static bool visit(Search* search, int i, float threshold, Sample* sample)
{
    const TargetBatch* batch = &search->batch;
    float distance = batch->distance[i], radius = batch->radius[i];
    int point = search->batchPoints[i], child = search->points[point].child;
    bool found = false;
    // What is known from outside says all there is to say of samples that are no contacts; of scenery it is little.
    if (distance <= threshold || search->target->scenery != NULL) {
        TargetSample known = {distance, batch->rest[i], batch->depth[i]};
        NormalCone cone;
        distance = targetProbe(search->target, vec3(batch->x[i], batch->y[i], batch->z[i]), &known, threshold,
                               threshold + radius, coneOf(search, point, &cone), &found, &sample->hit);
    }
    search->clear = minF(search->clear, maxF(distance, threshold));
    if (child >= 0 && distance - radius <= threshold) {
        __builtin_prefetch(&search->points[child]);
        search->queue.data[search->queue.count++] = (SearchEntry){child, distance};
    } else if (child >= 0) {
        search->clear = minF(search->clear, distance - radius);
    }
    sample->point = point;
    return found;
}

bool searchNext(Search* search, float threshold, Sample* sample)
{
    while (!search->failed) {
        while (search->open != 0) {
            int i = __builtin_ctz(search->open);
            search->open &= search->open - 1u;
            if (visit(search, i, threshold, sample))
                return true;
        }
        if (!fetchBatch(search, threshold))
            return false;
    }
    return false;
}

float searchClear(const Search* search)
{
    float clear = search->clear;
    for (int i = 0; i < targetBatch; ++i)
        clear = minF(clear, search->batch.clear[i]);
    return clear;
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

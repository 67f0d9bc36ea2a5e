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

static void push(Search* search, SearchQueue* queue, SearchEntry entry)
{
    if (!arrayReserve(search->memory, queue, queue->count + 1)) {
        search->failed = true;
        return;
    }
    queue->data[queue->count++] = entry;
}

static float probe(const Search* search, int point, float margin, float interest, bool* found, FieldHit* hit)
{
    NormalCone cone;
    const NormalCone* facing = NULL;
    if (point < search->solid->asset->mesh.nodeCount && search->cones[point].cosine > 0.0f) {
        cone = search->cones[point];
        cone.axis = mMul(search->rotation, cone.axis);
        facing = &cone;
    }
    return targetProbe(search->target, toTarget(search, search->points[point].p), margin, interest, facing, found, hit);
}

// Tests a sample and queues it if something below it may matter.
static bool visit(Search* search, int point, float threshold, Sample* sample)
{
    float radius = treeRadius(search->points, point);
    bool found;
    float distance = probe(search, point, threshold, threshold + radius, &found, &sample->hit);
    ++search->visited;
    int child = search->points[point].child;
    if (child >= 0 && distance - radius <= threshold)
        push(search, &search->next, (SearchEntry){point, child, distance});
    sample->point = point;
    return found && sample->hit.distance < threshold;
}

bool searchStart(Search* search, const shSolid* solid, int piece, const Target* target, shTransform samples,
                 shTransform frame, float threshold, Sample* sample)
{
    search->solid = solid;
    search->target = target;
    search->points = treesPoints(&solid->trees);
    search->cones = solid->asset->rest.cones;
    setFrames(search, samples, frame);
    search->now.count = search->next.count = search->head = search->level = search->visited = 0;
    search->failed = false;
    return visit(search, treesRoot(&solid->trees, piece), threshold, sample);
}

bool searchNext(Search* search, float threshold, Sample* sample)
{
    const TreePoint* points = search->points;
    while (!search->failed) {
        if (search->head == search->now.count) {
            if (search->next.count == 0)
                return false;
            SearchQueue swap = search->now;
            search->now = search->next;
            search->next = swap;
            search->next.count = search->head = 0;
            ++search->level;
        }
        SearchEntry entry = search->now.data[search->head++];
        if (entry.distance - points[entry.child].reach > threshold)
            continue; // neither this child nor a later one can matter
        int child = entry.child;
        entry.child = points[child].sibling;
        if (entry.child >= 0) {
            if (search->plainOrder)
                search->now.data[--search->head] = entry;
            else
                push(search, points[entry.child].level <= search->level ? &search->now : &search->next, entry);
        }
        if (visit(search, child, threshold, sample))
            return true;
    }
    return false;
}

bool searchTest(const Search* search, int point, float threshold, Sample* sample)
{
    bool found;
    probe(search, point, threshold, threshold, &found, &sample->hit);
    sample->point = point;
    return found && sample->hit.distance < threshold;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/samples.h"

#include "core/constants.h"
#include "solid/rest.h"

enum { groupSamples = sampleLanes * sampleLanes };

void samplesFree(PieceSamples* samples, Memory* memory)
{
    arrayFree(memory, &samples->groups);
    arrayFree(memory, &samples->runs);
    samples->waste = 0;
}

int64_t samplesBytes(const PieceSamples* samples)
{
    return (int64_t)sizeof(SampleGroup) * samples->groups.capacity +
           (int64_t)sizeof(SampleRun) * samples->runs.capacity;
}

// ---- one run --------------------------------------------------------------------------------------------------------

static Vec3 blockPoint(const SampleBlock* block, int lane)
{
    return vec3(block->p[0][lane], block->p[1][lane], block->p[2][lane]);
}

static void addSample(SampleGroup* groups, int* count, int point, Vec3 p, Vec3 outward)
{
    SampleBlock* block = &groups[*count / groupSamples].blocks[*count / sampleLanes % sampleLanes];
    int lane = *count % sampleLanes;
    for (int k = 0; k < 3; ++k) {
        block->p[k][lane] = vGet(p, k);
        block->outward[k][lane] = (int8_t)(127.0f * vGet(outward, k) + (vGet(outward, k) < 0.0f ? -0.5f : 0.5f));
    }
    block->point[lane] = point;
    ++*count;
}

// Fills the lanes past the last sample, and the spheres. Returns how many groups there are.
static int closeRun(SampleGroup* groups, int count)
{
    int groupCount = (count + groupSamples - 1) / groupSamples, blockCount = (count + sampleLanes - 1) / sampleLanes;
    for (int i = count; i < blockCount * sampleLanes; ++i) {
        SampleBlock* block = &groups[i / groupSamples].blocks[i / sampleLanes % sampleLanes];
        int lane = i % sampleLanes, last = (count - 1) % sampleLanes;
        for (int k = 0; k < 3; ++k) {
            block->p[k][lane] = block->p[k][last];
            block->outward[k][lane] = block->outward[k][last];
        }
        block->point[lane] = -1;
    }
    for (int i = 0; i < groupCount * sampleLanes; ++i) {
        SampleGroup* group = &groups[i / sampleLanes];
        int lane = i % sampleLanes;
        shBox box = boxEmpty();
        for (int k = 0; k < sampleLanes && i < blockCount; ++k)
            box = boxAdd(box, blockPoint(&group->blocks[lane], k));
        Vec3 centre = i < blockCount ? boxCenter(box) : vec3(0.0f, 0.0f, 0.0f);
        float radius = i < blockCount ? 0.0f : -INFINITY;
        for (int k = 0; k < sampleLanes && i < blockCount; ++k)
            radius = maxF(radius, vDistance(centre, blockPoint(&group->blocks[lane], k)));
        for (int k = 0; k < 3; ++k)
            group->centre[k][lane] = vGet(centre, k);
        group->radius[lane] = i < blockCount ? radius + ROUNDING * (vLength(centre) + radius) : radius;
    }
    return groupCount;
}

static Vec3 meanOf(const NormalCone* cone)
{
    Vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < cone->count; ++i)
        sum = vAdd(sum, cone->normals[i]);
    return vNormalize(sum);
}

bool samplesOfMesh(SampleGroups* groups, Memory* memory, const Rest* rest, const TetMesh* mesh)
{
    int count = 0;
    if (!arrayReserve(memory, groups, (mesh->surfaceNodeCount + groupSamples - 1) / groupSamples))
        return false;
    for (int n = 0; n < mesh->nodeCount; ++n) {
        if (rest->field.view.nodeDistances[n] == 0.0f)
            addSample(groups->data, &count, n, mesh->nodes[n], meanOf(&rest->cones[n]));
    }
    groups->count = closeRun(groups->data, count);
    return true;
}

static int countSamples(const FragmentField* field, const Piece* piece)
{
    const TetTopology* topology = field->rest->topology;
    int count = 0;
    for (int i = piece->first; i < piece->first + piece->count; ++i) {
        int node = field->nodeOrder[i];
        count += field->rest->nodeDistances[node] == 0.0f;
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k)
            count += field->edgeCuts[topology->nodeEdges[k]] >= 0;
    }
    return count;
}

static int groupsFor(int samples) { return (samples + groupSamples - 1) / groupSamples; }

static int writeSamples(SampleGroup* groups, const FragmentField* field, const Rest* rest, const Piece* piece)
{
    const TetTopology* topology = field->rest->topology;
    const TetMesh* mesh = field->rest->mesh;
    int count = 0;
    for (int i = piece->first; i < piece->first + piece->count; ++i) {
        int node = field->nodeOrder[i];
        const NormalCone* own = &rest->cones[node];
        if (field->rest->nodeDistances[node] == 0.0f)
            addSample(groups, &count, node, mesh->nodes[node], meanOf(own));
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int edge = topology->nodeEdges[k], cut = field->edgeCuts[edge];
            if (cut < 0)
                continue;
            int side = topology->edges[edge][0] == node ? 0 : 1, other = topology->edges[edge][1 - side];
            NormalCone cone = coneOfCut(own, &rest->cones[other], mesh->nodes[node], mesh->nodes[other]);
            addSample(groups, &count, mesh->nodeCount + 2 * cut + side, field->cuts.data[cut].p, meanOf(&cone));
        }
    }
    return count;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static void layRun(PieceSamples* samples, const FragmentField* field, const Rest* rest, int piece)
{
    const Piece* of = &field->pieces.data[piece];
    SampleRun* run = &samples->runs.data[piece];
    int needed = groupsFor(countSamples(field, of));
    if (needed > run->room) {
        samples->waste += run->room;
        run->first = samples->groups.count;
        run->room = needed;
        samples->groups.count += needed;
    }
    run->count =
        closeRun(samples->groups.data + run->first, writeSamples(samples->groups.data + run->first, field, rest, of));
}

// Closes the gaps that runs have left which grew elsewhere.
static bool tidy(PieceSamples* samples, Memory* memory, int64_t more)
{
    SampleGroups kept = {0};
    if (!arrayReserve(memory, &kept, samples->groups.count - samples->waste + more))
        return false;
    for (int i = 0; i < samples->runs.count; ++i) {
        SampleRun* run = &samples->runs.data[i];
        if (run->count > 0)
            memcpy(kept.data + kept.count, samples->groups.data + run->first, sizeof(SampleGroup) * (size_t)run->count);
        run->first = kept.count;
        run->room = run->count;
        kept.count += run->count;
    }
    arrayFree(memory, &samples->groups);
    samples->groups = kept;
    samples->waste = 0;
    return true;
}

bool samplesReserve(PieceSamples* samples, const FragmentField* field, int piece, int newCuts, int newPieces)
{
    // Before its first break a solid has no runs, and all of its surface is the piece's.
    int had =
        samples->runs.count == 0 ? groupsFor(field->rest->mesh->surfaceNodeCount) : samples->runs.data[piece].count;
    int64_t more = (int64_t)had + groupsFor(2 * newCuts) + newPieces + 1;
    if (!arrayReserve(field->memory, &samples->runs, field->pieces.count + newPieces))
        return false;
    if (samples->groups.count + more > samples->groups.capacity && samples->waste > 0)
        return tidy(samples, field->memory, more);
    return arrayReserve(field->memory, &samples->groups, samples->groups.count + more);
}

void samplesBreak(PieceSamples* samples, const FragmentField* field, const Rest* rest)
{
    if (field->children.count < 2)
        return; // nothing was divided
    while (samples->runs.count < field->pieces.count)
        samples->runs.data[samples->runs.count++] = (SampleRun){0, 0, 0};
    for (int c = 0; c < field->children.count; ++c)
        layRun(samples, field, rest, field->children.data[c]);
}

bool samplesBuild(PieceSamples* samples, const FragmentField* field, const Rest* rest)
{
    samples->groups.count = samples->runs.count = samples->waste = 0;
    if (field->labels == NULL)
        return true;
    int64_t groups = 0;
    for (int i = 0; i < field->pieces.count; ++i)
        groups += fieldHasPiece(field, i) ? groupsFor(countSamples(field, &field->pieces.data[i])) : 0;
    if (!arrayReserve(field->memory, &samples->runs, field->pieces.count) ||
        !arrayReserve(field->memory, &samples->groups, groups))
        return false;
    for (int i = 0; i < field->pieces.count; ++i) {
        samples->runs.data[samples->runs.count++] = (SampleRun){0, 0, 0};
        if (fieldHasPiece(field, i))
            layRun(samples, field, rest, i);
    }
    return true;
}

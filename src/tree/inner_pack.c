// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The greedy packing. Every voxel knows its free radius: the distance of its centre to the surface and to all spheres
// so far. The voxel with the largest one is the next place for a sphere; from its centre the sphere moves to where the
// free radius is largest nearby, which covers more with fewer spheres. Candidates that cannot touch each other move at
// the same time, in batches of a fixed size; they are accepted in order.
#include "tree/inner_pack.h"

#include "core/constants.h"
#include "core/message.h"
#include "core/rounding.h"
#include "core/trig.h"
#include "mesh/adjacency.h"
#include "tree/inner_grid.h"

#include <float.h>

enum { obstacleRoom = 256 };

typedef struct Entry {
    float free;
    int voxel;
} Entry;

typedef struct Candidate {
    int voxel;
    float free;
    InnerSphere sphere;
} Candidate;

typedef struct Pack {
    shContext* context;
    Memory* memory;
    const TriQuery* query;
    InnerPackDef def;
    InnerVoxels voxels;
    InnerPacking* packing;
    InnerGrid grid;
    int* owners; // [voxels] sphere that stands for the voxel; −1: none
    Entry* heap;
    int heapCount;
    Entry aside[INNER_BATCH_ASIDE];
    Candidate batch[INNER_BATCH];
    int batchCount;
    int *loose, *looseOwners, looseCount; // voxels inside without an owner
} Pack;

// ---- the heap -------------------------------------------------------------------------------------------------------

static bool before(Entry a, Entry b) { return a.free != b.free ? a.free > b.free : a.voxel < b.voxel; }

static void siftDown(Pack* pack, int at)
{
    Entry entry = pack->heap[at];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= pack->heapCount)
            break;
        if (child + 1 < pack->heapCount && before(pack->heap[child + 1], pack->heap[child]))
            ++child;
        if (!before(pack->heap[child], entry))
            break;
        pack->heap[at] = pack->heap[child];
        at = child;
    }
    pack->heap[at] = entry;
}

static void push(Pack* pack, Entry entry)
{
    int at = pack->heapCount++;
    while (at > 0 && before(entry, pack->heap[(at - 1) / 2])) {
        pack->heap[at] = pack->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pack->heap[at] = entry;
}

static void pop(Pack* pack)
{
    pack->heap[0] = pack->heap[--pack->heapCount];
    if (pack->heapCount > 0)
        siftDown(pack, 0);
}

// Brings a voxel to the top whose entry is up to date; false when there is none.
static bool settleTop(Pack* pack)
{
    const float least = (float)(INNER_LEAST_RADIUS * pack->voxels.size);
    while (pack->heapCount > 0) {
        Entry top = pack->heap[0];
        float free = pack->voxels.space[top.voxel];
        if (pack->owners[top.voxel] >= 0 || free < least) {
            pop(pack);
        } else if (free < top.free) {
            pack->heap[0].free = free;
            siftDown(pack, 0);
        } else {
            return true;
        }
    }
    return false;
}

// ---- one sphere -----------------------------------------------------------------------------------------------------

// What is around a candidate: enough to know the free radius anywhere that it may move to.
typedef struct Around {
    const Pack* pack;
    int obstacles[obstacleRoom];
    int count;
} Around;

typedef struct Free {
    double radius;
    DVec3 away; // from the nearest obstacle, unit
    int triangle;
} Free;

static Free freeAt(const Around* around, DVec3 p, double reach)
{
    const InnerSphere* spheres = around->pack->packing->spheres;
    Free free = {.radius = reach, .triangle = -1};
    for (int i = 0; i < around->count; ++i) {
        const InnerSphere* sphere = &spheres[around->obstacles[i]];
        DVec3 offset = dSub(p, dFromV(innerCentre(sphere)));
        // Less than that by more than the rounding of a distance that may be many times the difference.
        double distance = dLength(offset), radius = distance * (1.0 - INNER_ROUNDING) - (double)sphere->radius;
        if (radius < free.radius) {
            free.radius = radius;
            free.away = dScale(1.0 / distance, offset);
        }
    }
    TriHit hit = triQueryClosest(around->pack->query, p, maxD(free.radius, 0.0));
    if (hit.triangle >= 0) {
        free.radius = hit.distance;
        free.away = dNormalize(dSub(p, hit.point));
        free.triangle = hit.triangle;
    }
    return free;
}

// Uphill in the free radius, away from the nearest obstacle, in steps that shrink.
static DVec3 climb(const Around* around, DVec3 start, double most)
{
    double h = around->pack->voxels.size, step = INNER_CLIMB_FIRST * h;
    DVec3 p = start, best = start;
    Free free = freeAt(around, p, most);
    double bestRadius = free.radius;
    for (int i = 0; i < INNER_CLIMB_STEPS; ++i) {
        DVec3 next = dMad(p, minD(step, 0.5 * free.radius), free.away);
        if (dDistance(next, start) > INNER_CLIMB_REACH * h)
            break;
        Free there = freeAt(around, next, most);
        p = next;
        free = there;
        if (free.radius > bestRadius) {
            bestRadius = free.radius;
            best = p;
        } else {
            p = best;
            free = freeAt(around, p, most);
            step *= INNER_CLIMB_SHRINK;
        }
    }
    return best;
}

static void moveCandidates(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Pack* pack = arg;
    for (int i = begin; i < end; ++i) {
        Candidate* candidate = &pack->batch[i];
        Around around = {.pack = pack};
        DVec3 p = innerVoxelCentre(&pack->voxels, candidate->voxel);
        double move = pack->def.atCentres ? 0.0 : INNER_CLIMB_REACH * pack->voxels.size;
        double slack = (double)FLT_EPSILON * (dLength(p) + pack->voxels.size); // rounding of the voxel's radius
        // Free radii change by no more than the way gone.
        double most = (double)candidate->free + move + slack;
        int there =
            innerGridNear(&pack->grid, pack->packing->spheres, p, most + move, 0.0f, around.obstacles, obstacleRoom);
        around.count = minI(there, obstacleRoom);
        if (!pack->def.atCentres && there <= obstacleRoom)
            p = climb(&around, p, most);
        Vec3 centre = vRounded(p);
        Free free = freeAt(&around, dFromV(centre), most + slack);
        // More obstacles than room (not seen so far): not placed.
        float radius = there <= obstacleRoom ? roundedDown(free.radius * (1.0 - INNER_ROUNDING)) : 0.0f;
        TriHit hit = {.triangle = free.triangle};
        if (hit.triangle < 0)
            hit = triQueryClosest(pack->query, dFromV(centre), (double)INFINITY);
        candidate->sphere = (InnerSphere){centre.x, centre.y, centre.z, radius, 0.0f, hit.triangle};
    }
}

// ---- batches --------------------------------------------------------------------------------------------------------

// Candidates whose spheres, moved as far as they may, are apart from each other, or are told later: the largest first.
static void collectBatch(Pack* pack)
{
    int asideCount = 0, batchMost = pack->def.atCentres ? 1 : INNER_BATCH;
    float least = 0.0f;
    pack->batchCount = 0;
    while (pack->batchCount < batchMost && asideCount < INNER_BATCH_ASIDE && settleTop(pack)) {
        Entry top = pack->heap[0];
        if (pack->batchCount == 0)
            least = INNER_BATCH_RANGE * top.free;
        if (top.free < least)
            break;
        pop(pack);
        DVec3 p = innerVoxelCentre(&pack->voxels, top.voxel);
        bool near = false;
        for (int i = 0; i < pack->batchCount && !near; ++i) {
            double apart = (double)(top.free + pack->batch[i].free);
            near = dLength2(dSub(p, innerVoxelCentre(&pack->voxels, pack->batch[i].voxel))) < apart * apart;
        }
        if (near)
            pack->aside[asideCount++] = top;
        else
            pack->batch[pack->batchCount++] = (Candidate){.voxel = top.voxel, .free = top.free};
    }
    for (int i = 0; i < asideCount; ++i)
        push(pack, pack->aside[i]);
}

// Voxels within the sphere are its own; free radii of those around it shrink. `most` is the largest free radius.
static void coverVoxels(Pack* pack, int index, float most)
{
    InnerVoxels* voxels = &pack->voxels;
    const InnerSphere* sphere = &pack->packing->spheres[index];
    DVec3 centre = dFromV(innerCentre(sphere));
    double radius = (double)sphere->radius, reach = radius + (double)most;
    int first[3], last[3];
    for (int axis = 0; axis < 3; ++axis) {
        double at = (dGet(centre, axis) - dGet(voxels->lower, axis)) / voxels->size - 0.5, by = reach / voxels->size;
        first[axis] = maxI(0, (int)floor(at - by));
        last[axis] = minI(voxels->counts[axis] - 1, (int)ceil(at + by));
    }
    for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y) {
            int row = (z * voxels->counts[1] + y) * voxels->counts[0];
            for (int x = first[0]; x <= last[0]; ++x) {
                int v = row + x;
                if (!(voxels->space[v] > 0.0f) || pack->owners[v] >= 0)
                    continue;
                double left = dDistance(innerVoxelCentre(voxels, v), centre) - radius;
                if (left < 0.0)
                    pack->owners[v] = index;
                else if (left < (double)voxels->space[v])
                    voxels->space[v] = maxF((float)left, FLT_MIN); // stays inside
            }
        }
}

static shStatus acceptBatch(Pack* pack)
{
    InnerPacking* packing = pack->packing;
    float most = 0.0f;
    for (int i = 0; i < pack->batchCount; ++i)
        most = maxF(most, pack->batch[i].free);
    int first = packing->count;
    for (int i = 0; i < pack->batchCount && packing->count < packing->capacity; ++i) {
        const Candidate* candidate = &pack->batch[i];
        const InnerSphere* sphere = &candidate->sphere;
        bool fits = sphere->radius > 0.0f;
        for (int k = first; k < packing->count && fits; ++k) {
            const InnerSphere* other = &packing->spheres[k];
            double apart = dDistance(dFromV(innerCentre(sphere)), dFromV(innerCentre(other)));
            fits = apart * (1.0 - INNER_ROUNDING) >= (double)sphere->radius + (double)other->radius;
        }
        if (!fits) {
            if (sphere->radius > 0.0f && pack->owners[candidate->voxel] < 0)
                push(pack, (Entry){candidate->free, candidate->voxel});
            continue;
        }
        int index = packing->count++;
        packing->spheres[index] = *sphere;
        if (!innerGridAdd(&pack->grid, pack->memory, packing->spheres, index))
            return shOutOfMemory;
        coverVoxels(pack, index, most);
        if (pack->owners[candidate->voxel] < 0)
            pack->owners[candidate->voxel] = index; // it moved off its voxel's centre, and stands for it
    }
    return shOk;
}

// ---- volumes --------------------------------------------------------------------------------------------------------

// The owner beside a voxel whose sphere is nearest, −1: none has one.
static void spreadOwners(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Pack* pack = arg;
    const int* counts = pack->voxels.counts;
    for (int i = begin; i < end; ++i) {
        int v = pack->loose[i], x = v % counts[0], y = v / counts[0] % counts[1], z = v / counts[0] / counts[1];
        DVec3 p = innerVoxelCentre(&pack->voxels, v);
        double nearest = (double)INFINITY;
        int best = -1;
        for (int k = 0; k < 27; ++k) {
            int nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
            if (nx < 0 || ny < 0 || nz < 0 || nx >= counts[0] || ny >= counts[1] || nz >= counts[2])
                continue;
            int owner = pack->owners[(nz * counts[1] + ny) * counts[0] + nx];
            if (owner < 0)
                continue;
            const InnerSphere* sphere = &pack->packing->spheres[owner];
            double distance = dDistance(p, dFromV(innerCentre(sphere))) - (double)sphere->radius;
            if (distance < nearest || (distance == nearest && owner < best)) {
                nearest = distance;
                best = owner;
            }
        }
        pack->looseOwners[i] = best;
    }
}

// Voxels that no sphere contains belong to one nearby, found from voxel to voxel.
static shStatus ownLooseVoxels(Pack* pack)
{
    int total = (int)innerVoxelTotal(&pack->voxels), count = 0;
    for (int v = 0; v < total; ++v)
        count += pack->voxels.space[v] > 0.0f && pack->owners[v] < 0;
    if (count == 0)
        return shOk;
    pack->looseCount = count;
    pack->loose = NEW_ARRAY(pack->memory, int, count);
    pack->looseOwners = NEW_ARRAY(pack->memory, int, count);
    if (pack->loose == NULL || pack->looseOwners == NULL)
        return shOutOfMemory;
    int left = 0;
    for (int v = 0; v < total; ++v)
        if (pack->voxels.space[v] > 0.0f && pack->owners[v] < 0)
            pack->loose[left++] = v;
    bool spreads = true;
    while (left > 0 && spreads) {
        parallelFor(pack->context, left, INNER_LOOSE_BLOCK, spreadOwners, pack);
        int kept = 0;
        for (int i = 0; i < left; ++i) {
            if (pack->looseOwners[i] >= 0)
                pack->owners[pack->loose[i]] = pack->looseOwners[i];
            else
                pack->loose[kept++] = pack->loose[i];
        }
        spreads = kept < left;
        left = kept;
    }
    return shOk;
}

// Every voxel stands for the same share of the object; a sphere for that of its voxels.
static shStatus shareVolume(Pack* pack)
{
    InnerPacking* packing = pack->packing;
    shStatus status = ownLooseVoxels(pack);
    int* shares = NEW_ZEROED(pack->memory, int, packing->count);
    if (status != shOk || shares == NULL) {
        FREE_ARRAY(pack->memory, shares, packing->count);
        return shOutOfMemory;
    }
    int total = (int)innerVoxelTotal(&pack->voxels);
    int64_t owned = 0;
    for (int v = 0; v < total; ++v)
        if (pack->owners[v] >= 0) {
            ++shares[pack->owners[v]];
            ++owned;
        }
    const double unit = 4.0 / 3.0 * TRIG_PI, perVoxel = packing->volume / (double)owned;
    for (int i = 0; i < packing->count; ++i) {
        InnerSphere* sphere = &packing->spheres[i];
        double radius = (double)sphere->radius;
        sphere->volumeRadius = (float)trigCbrt(perVoxel * shares[i] / unit);
        packing->covered += unit * radius * radius * radius;
    }
    FREE_ARRAY(pack->memory, shares, packing->count);
    return shOk;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

// Every edge must be run through as often in one direction as in the other; more than two triangles may share it.
static shStatus checkClosed(const TriQuery* query, Memory* memory, shMessage* message)
{
    KeySet edges;
    int64_t corners = 3 * (int64_t)query->triangleCount;
    if (!keySetInit(&edges, memory, corners))
        return failMemory(message);
    int* balance = NEW_ZEROED(memory, int, corners);
    shStatus status = balance != NULL ? shOk : failMemory(message);
    for (int64_t i = 0; i < corners && status == shOk; ++i) {
        int from = query->vertices[i / 3][i % 3], to = query->vertices[i / 3][(i + 1) % 3];
        if (from != to)
            balance[keySetAddEdge(&edges, from, to)] += from < to ? 1 : -1;
    }
    int open = 0, first = -1;
    for (int e = 0; e < edges.count && status == shOk; ++e)
        if (balance[e] != 0) {
            first = first < 0 ? e : first;
            ++open;
        }
    if (open > 0)
        status = fail(message, shBadMesh,
                      "inner spheres: the surface is open or its triangles are turned both ways: %d edges, among them "
                      "that from vertex %d to %d; close it first (sherd cook repairs meshes)",
                      open, edges.keys[first][1], edges.keys[first][2]);
    FREE_ARRAY(memory, balance, corners);
    keySetFree(&edges, memory);
    return status;
}

static double surfaceVolume(const TriQuery* query)
{
    double six = 0.0;
    DVec3 origin = query->corners[0][0];
    for (int s = 0; s < query->triangleCount; ++s) {
        const DVec3* t = query->corners[s];
        double part = dDot(dSub(t[0], origin), dCross(dSub(t[1], origin), dSub(t[2], origin)));
        six += query->flipped[s] ? -part : part;
    }
    return six / 6.0;
}

static shStatus prepare(Pack* pack, double volume, shMessage* message)
{
    InnerPacking* packing = pack->packing;
    double size = pack->def.voxel;
    if (!(size > 0.0))
        size = trigCbrt(volume / (INNER_VOXELS_PER_SPHERE * maxI(pack->def.spheres, INNER_FEW_SPHERES)));
    shStatus status = innerVoxelsMake(&pack->voxels, pack->context, pack->query, size, message);
    if (status != shOk)
        return status;
    int inside = pack->voxels.insideCount, total = (int)innerVoxelTotal(&pack->voxels);
    if (inside == 0)
        return fail(message, shInvalid,
                    "inner spheres: no centre of a voxel of %g m lies inside the object, which is thinner than that: "
                    "ask for more spheres or smaller voxels",
                    size);
    packing->voxel = size;
    packing->voxelCount = inside;
    double voxelVolume = inside * size * size * size;
    // A surface that runs through itself counts what it encloses twice; then the voxels know better.
    packing->volume = fabs(voxelVolume - volume) <= INNER_VOLUME_TRUST * volume ? volume : voxelVolume;
    packing->capacity = minI(pack->def.spheres, inside);
    packing->spheres = NEW_ARRAY(pack->memory, InnerSphere, packing->capacity);
    pack->owners = NEW_ARRAY(pack->memory, int, total);
    pack->heap = NEW_ARRAY(pack->memory, Entry, inside);
    DVec3 upper =
        dMad(pack->voxels.lower, size, dvec3(pack->voxels.counts[0], pack->voxels.counts[1], pack->voxels.counts[2]));
    if (packing->spheres == NULL || pack->owners == NULL || pack->heap == NULL ||
        !innerGridInit(&pack->grid, pack->memory, pack->voxels.lower, upper, size, packing->capacity))
        return failMemory(message);
    for (int v = 0; v < total; ++v) {
        pack->owners[v] = -1;
        if (pack->voxels.space[v] > 0.0f)
            pack->heap[pack->heapCount++] = (Entry){pack->voxels.space[v], v};
    }
    for (int i = pack->heapCount / 2 - 1; i >= 0; --i)
        siftDown(pack, i);
    return shOk;
}

static shStatus packAll(Pack* pack, double volume, shMessage* message)
{
    shStatus status = prepare(pack, volume, message);
    while (status == shOk && pack->packing->count < pack->packing->capacity) {
        collectBatch(pack);
        if (pack->batchCount == 0)
            break;
        parallelFor(pack->context, pack->batchCount, 1, moveCandidates, pack);
        status = acceptBatch(pack);
        if (status != shOk)
            failMemory(message);
    }
    if (status == shOk && pack->packing->count == 0)
        status =
            fail(message, shInvalid,
                 "inner spheres: in voxels of %g m no sphere fits into the object, which is thinner than that: ask "
                 "for more spheres or smaller voxels",
                 pack->voxels.size);
    if (status == shOk && shareVolume(pack) != shOk)
        status = failMemory(message);
    return status;
}

shStatus innerPack(InnerPacking* packing, shContext* context, TriQuery* query, const InnerPackDef* def,
                   shMessage* message)
{
    *packing = (InnerPacking){0};
    if (def->spheres < 1 || def->spheres > INNER_MOST_SPHERES)
        return fail(message, shInvalid, "inner spheres: %d spheres; ask for 1 to %d", def->spheres, INNER_MOST_SPHERES);
    if (!(def->voxel >= 0.0) || isinf(def->voxel))
        return fail(message, shInvalid, "inner spheres: a voxel of %g m", def->voxel);
    if (query->triangleCount == 0)
        return fail(message, shBadMesh, "inner spheres: a surface without triangles has no inside");
    Memory* memory = &context->memory;
    shStatus status = checkClosed(query, memory, message);
    if (status != shOk)
        return status;
    if (query->clusters == NULL && !triQueryAddWinding(query, memory))
        return failMemory(message);
    double volume = surfaceVolume(query);
    if (!(volume > 0.0) || isinf(volume))
        return fail(message, shBadMesh, "inner spheres: the surface encloses a volume of %g m³", volume);
    Pack* pack = NEW_ZEROED(memory, Pack, 1);
    if (pack == NULL)
        return failMemory(message);
    pack->context = context;
    pack->memory = memory;
    pack->query = query;
    pack->def = *def;
    pack->packing = packing;
    status = packAll(pack, volume, message);
    FREE_ARRAY(memory, pack->looseOwners, pack->looseCount);
    FREE_ARRAY(memory, pack->loose, pack->looseCount);
    FREE_ARRAY(memory, pack->heap, pack->voxels.insideCount);
    FREE_ARRAY(memory, pack->owners, innerVoxelTotal(&pack->voxels));
    innerGridFree(&pack->grid, memory);
    innerVoxelsFree(&pack->voxels, memory);
    FREE_ARRAY(memory, pack, 1);
    if (status != shOk)
        innerPackingFree(packing, memory);
    return status;
}

void innerPackingFree(InnerPacking* packing, Memory* memory)
{
    FREE_ARRAY(memory, packing->spheres, packing->capacity);
    *packing = (InnerPacking){0};
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The public face of inner sphere trees: arguments checked, frames changed, results in the world's frame.
#include "sherd/proximity.h"

#include "core/constants.h"
#include "core/message.h"
#include "core/quat.h"
#include "mesh/tri_mesh.h"
#include "tree/inner_object.h"

#include <string.h>

#define INNER_COOKIE 0x53484931u // "SHI1"

shInnerDef shDefaultInnerDef(void) { return (shInnerDef){.spheres = 20000, .cookie = INNER_COOKIE}; }

// ---- making ---------------------------------------------------------------------------------------------------------

static shStatus checkSurface(const shTriangles* surface, shMessage* message)
{
    if (surface->triangleCount < 1 || surface->pointCount < 1 || surface->points == NULL || surface->triangles == NULL)
        return fail(message, shBadMesh, "inner spheres: a surface without triangles has no inside");
    if (surface->triangleCount > MAX_TRIANGLES)
        return fail(message, shLimit, "inner spheres: more than %d triangles", MAX_TRIANGLES);
    for (int p = 0; p < surface->pointCount; ++p)
        if (!(fabsf(surface->points[p].x) <= MAX_COORDINATE && fabsf(surface->points[p].y) <= MAX_COORDINATE &&
              fabsf(surface->points[p].z) <= MAX_COORDINATE))
            return fail(message, shBadMesh, "inner spheres: point %d is not finite, or farther than %g m away", p,
                        (double)MAX_COORDINATE);
    for (int t = 0; t < surface->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            if (surface->triangles[t][k] < 0 || surface->triangles[t][k] >= surface->pointCount)
                return fail(message, shBadMesh, "inner spheres: triangle %d: point %d is not in 0 … %d", t,
                            surface->triangles[t][k], surface->pointCount - 1);
    return shOk;
}

static shStatus copySurface(shInnerSpheres* made, const shTriangles* surface, shMessage* message)
{
    Memory* memory = &made->context->memory;
    Vec3* points = NEW_ARRAY(memory, Vec3, surface->pointCount);
    int(*triangles)[3] = memAlloc(memory, memBytes((uint64_t)surface->triangleCount, sizeof *triangles));
    bool fits = points != NULL && triangles != NULL;
    if (fits) {
        memcpy(points, surface->points, sizeof *points * (size_t)surface->pointCount);
        memcpy(triangles, surface->triangles, sizeof *triangles * (size_t)surface->triangleCount);
        fits = innerSurfaceInit(&made->surface, memory, surface->pointCount, points, surface->triangleCount,
                                (const int(*)[3])triangles);
        made->ownsArrays = fits;
    }
    if (fits)
        return shOk;
    FREE_ARRAY(memory, triangles, surface->triangleCount);
    FREE_ARRAY(memory, points, surface->pointCount);
    return failMemory(message);
}

shStatus innerTreeOfSurface(InnerTree* tree, shContext* context, const shTriangles* surface, const shInnerDef* def,
                            shMessage* message)
{
    Memory* memory = &context->memory;
    shStatus status = checkSurface(surface, message);
    if (status != shOk)
        return status;
    if (!(def->voxel >= 0.0f) || isinf(def->voxel))
        return fail(message, shInvalid, "inner spheres: a voxel of %g m", (double)def->voxel);
    DVec3* vertices = NEW_ARRAY(memory, DVec3, surface->pointCount);
    TriQuery query = {0};
    InnerPacking packing = {0};
    if (vertices == NULL)
        return failMemory(message);
    for (int p = 0; p < surface->pointCount; ++p)
        vertices[p] = dFromV(surface->points[p]);
    bool built = triQueryBuild(&query, memory, vertices, surface->triangles, surface->triangleCount);
    FREE_ARRAY(memory, vertices, surface->pointCount);
    if (!built)
        return failMemory(message);
    InnerPackDef pack = {.spheres = def->spheres, .voxel = (double)def->voxel, .atCentres = def->atVoxels};
    status = innerPack(&packing, context, &query, &pack, message);
    InnerBuildDef build = {.seed = def->seed, .unweighted = def->unweighted};
    if (status == shOk && !innerTreeBuild(tree, context, &packing, &build))
        status = failMemory(message);
    innerPackingFree(&packing, memory);
    triQueryFree(&query, memory);
    return status;
}

shStatus shCreateInnerSpheres(shContext* context, const shTriangles* surface, const shInnerDef* def,
                              shInnerSpheres** spheres, shMessage* message)
{
    if (context == NULL || surface == NULL || spheres == NULL)
        return fail(message, shInvalid, "inner spheres: context, surface and result must not be null");
    *spheres = NULL;
    if (def == NULL || def->cookie != INNER_COOKIE)
        return fail(message, shInvalid, "inner spheres: fill the definition with shDefaultInnerDef() first");
    InnerTree tree = {0};
    shStatus status = innerTreeOfSurface(&tree, context, surface, def, message);
    return status == shOk ? innerObjectMake(context, &tree, surface, spheres, message) : status;
}

shStatus innerObjectMake(shContext* context, InnerTree* tree, const shTriangles* surface, shInnerSpheres** spheres,
                         shMessage* message)
{
    *spheres = NULL;
    shInnerSpheres* made = NEW_ZEROED(&context->memory, shInnerSpheres, 1);
    if (made == NULL) {
        innerTreeFree(tree, &context->memory);
        return failMemory(message);
    }
    made->context = context;
    made->tree = *tree;
    made->ownsTree = true;
    shStatus status = copySurface(made, surface, message);
    if (status == shOk)
        *spheres = made;
    else
        shDestroyInnerSpheres(made);
    return status;
}

void shDestroyInnerSpheres(shInnerSpheres* spheres)
{
    if (spheres == NULL)
        return;
    Memory* memory = &spheres->context->memory;
    InnerSurface* surface = &spheres->surface;
    if (spheres->ownsTree)
        innerTreeFree(&spheres->tree, memory);
    if (spheres->ownsArrays) {
        memFree(memory, (void*)(uintptr_t)surface->points, (size_t)surface->pointCount * sizeof(Vec3));
        memFree(memory, (void*)(uintptr_t)surface->triangles, (size_t)surface->triangleCount * sizeof(int[3]));
    }
    innerSurfaceFree(surface, memory);
    FREE_ARRAY(memory, spheres, 1);
}

// ---- looking --------------------------------------------------------------------------------------------------------

shInnerInfo shInnerSpheres_GetInfo(const shInnerSpheres* spheres)
{
    const InnerRecord* record = &spheres->tree.record;
    const InnerSurface* surface = &spheres->surface;
    int64_t perPoint = (int64_t)(sizeof(int) + sizeof(Vec3)), perTriangle = 6 * (int64_t)sizeof(int);
    return (shInnerInfo){.sphereCount = spheres->tree.sphereCount,
                         .nodeCount = spheres->tree.nodeCount,
                         .voxelCount = record->voxelCount,
                         .voxel = record->voxel,
                         .volume = record->volume,
                         .covered = record->covered / record->volume,
                         .bytes = (int64_t)innerTreeBytes(&spheres->tree),
                         .surfaceBytes = surface->pointCount * perPoint + surface->triangleCount * perTriangle,
                         .multiplicity = record->multiplicity,
                         .centre = {record->x, record->y, record->z},
                         .radius = record->radius};
}

shInnerSphere shInnerSpheres_GetSphere(const shInnerSpheres* spheres, int index)
{
    if (index < 0 || index >= spheres->tree.sphereCount)
        return (shInnerSphere){.triangle = -1};
    const InnerSphere* s = &spheres->tree.spheres[index];
    return (shInnerSphere){innerCentre(s), s->radius, s->volumeRadius, s->triangle};
}

typedef struct Listing {
    const InnerTree* tree;
    shInnerSphere* nodes;
    int *firsts, capacity, count;
} Listing;

static void listLevel(Listing* listing, int index, int depth)
{
    const InnerNode* node = &listing->tree->nodes[index];
    for (int k = 0; k < innerArity; ++k) {
        int child = node->child[k];
        if (child == innerNoChild)
            continue;
        if (child >= 0 && depth > 1) {
            listLevel(listing, child, depth - 1);
            continue;
        }
        if (listing->count < listing->capacity) {
            listing->nodes[listing->count] =
                (shInnerSphere){{node->x[k], node->y[k], node->z[k]}, node->radius[k], node->volumeRadius[k], -1};
            if (listing->firsts != NULL)
                listing->firsts[listing->count] = node->first[k];
        }
        ++listing->count;
    }
}

int shInnerSpheres_GetLevel(const shInnerSpheres* spheres, int depth, shInnerSphere* nodes, int* firsts, int capacity)
{
    Listing listing = {&spheres->tree, nodes, firsts, capacity, 0};
    const InnerRecord* all = &spheres->tree.record;
    if (depth > 0) {
        listLevel(&listing, 0, depth);
    } else if (capacity > 0) {
        nodes[0] = (shInnerSphere){{all->x, all->y, all->z}, all->radius, all->volumeRadius, -1};
        if (firsts != NULL)
            firsts[0] = 0;
    }
    return depth > 0 ? listing.count : 1;
}

// ---- distance -------------------------------------------------------------------------------------------------------

static shStatus checkBodies(const shInnerBody* a, const shInnerBody* b, shMessage* message)
{
    if (a == NULL || b == NULL || a->spheres == NULL || b->spheres == NULL)
        return fail(message, shInvalid, "proximity: bodies and their spheres must not be null");
    for (int i = 0; i < 2; ++i)
        if (!xformValid((i == 0 ? a : b)->transform))
            return fail(message, shInvalid,
                        "proximity: the transform of %s is not finite, or its rotation no unit quaternion",
                        i == 0 ? "a" : "b");
    return shOk;
}

static InnerFrame frameOf(const shInnerBody* a, const shInnerBody* b)
{
    return innerFrame(&a->spheres->tree, a->transform, &b->spheres->tree, b->transform);
}

static InnerNearest startNearest(const shInnerBody* a, const shInnerBody* b, float most, const shInnerPair* pair)
{
    InnerNearest nearest = {.a = &a->spheres->tree,
                            .b = &b->spheres->tree,
                            .frame = frameOf(a, b),
                            .distance = most < INFINITY ? nextafterf(most, INFINITY) : most,
                            .sphereA = -1,
                            .sphereB = -1};
    if (pair != NULL && pair->a > 0 && pair->a <= nearest.a->sphereCount && pair->b > 0 &&
        pair->b <= nearest.b->sphereCount) {
        float last = innerApart(&nearest.frame, &nearest.a->spheres[pair->a - 1], &nearest.b->spheres[pair->b - 1]);
        if (last < nearest.distance) {
            nearest.distance = last;
            nearest.sphereA = pair->a - 1;
            nearest.sphereB = pair->b - 1;
        }
    }
    return nearest;
}

// Spheres overlap already: nothing is left to look for.
static void findNearest(InnerNearest* nearest)
{
    if (!(nearest->distance < nearest->enough))
        SIMD_CHOOSE(innerFindNearest)(nearest);
}

static void remember(shInnerPair* pair, const InnerNearest* nearest)
{
    if (pair != NULL && nearest->sphereA >= 0)
        *pair = (shInnerPair){nearest->sphereA + 1, nearest->sphereB + 1};
}

// Whether both have triangles to walk on; spheres of pieces do not know theirs.
static bool canFollow(const shInnerBody* a, const shInnerBody* b)
{
    return a->spheres->surface.triangleCount > 0 && b->spheres->surface.triangleCount > 0;
}

// By the closest points of surfaces that answer for themselves, in turn; a's frame.
static void followSurfaces(const shInnerBody* a, const shInnerBody* b, const InnerFrame* frame, int rounds,
                           InnerSharp* sharp)
{
    // The frame's inverse, for points of a.
    InnerFrame back = innerFrame(&b->spheres->tree, b->transform, &a->spheres->tree, a->transform);
    Vec3 p = sharp->a;
    for (int i = 0; i < rounds; ++i) {
        Vec3 onA, onB;
        if (!b->spheres->closest(b->spheres->closestUser, b->spheres->closestPiece, innerMove(&back, p), &onB))
            break;
        onB = innerMove(frame, onB);
        if (!a->spheres->closest(a->spheres->closestUser, a->spheres->closestPiece, onB, &onA))
            break;
        float distance = vDistance(onA, onB);
        if (distance < sharp->distance)
            *sharp = (InnerSharp){distance, onA, onB, -1, -1, true};
        p = onA;
    }
}

// Between the surfaces of two spheres, where the sharpening begins.
static InnerSharp startSharp(const InnerFrame* frame, const InnerSphere* p, const InnerSphere* q)
{
    Vec3 from = innerCentre(p), to = innerMove(frame, innerCentre(q)), way = vNormalize(vSub(to, from));
    float distance = vDistance(from, to) - (p->radius + q->radius);
    return (InnerSharp){.distance = maxF(distance, 0.0f),
                        .a = vMad(from, p->radius, way),
                        .b = vMad(to, -q->radius, way),
                        .triangleA = p->triangle,
                        .triangleB = q->triangle};
}

// Of the pairs of spheres that are about as near as the nearest, those where the surfaces seem to be nearest: spheres
// as large as the surface around their centres allows are nearer to each other than the packed ones, and never nearer
// than the surfaces. Equal ones keep the order of their spheres. Returns how many.
static int choosePlaces(const shInnerBody* a, const shInnerBody* b, const InnerNearest* nearest,
                        InnerClose places[INNER_PLACES])
{
    const InnerSphere *ofA = nearest->a->spheres, *ofB = nearest->b->spheres;
    float limit = nearest->distance + nearest->margin;
    int count = 0;
    for (int i = 0; i < nearest->closeCount; ++i) {
        InnerClose pair = nearest->close[i];
        const InnerSphere *p = &ofA[pair.a], *q = &ofB[pair.b];
        if (pair.distance > limit || p->triangle < 0 || q->triangle < 0)
            continue;
        pair.distance += p->radius - innerClearance(&a->spheres->surface, p);
        pair.distance += q->radius - innerClearance(&b->spheres->surface, q);
        int at = count;
        for (; at > 0 && innerIsCloser(&pair, &places[at - 1]); --at)
            if (at < INNER_PLACES)
                places[at] = places[at - 1];
        if (at < INNER_PLACES)
            places[at] = pair;
        count = minI(count + 1, INNER_PLACES);
    }
    return count;
}

static void sharpen(const shInnerBody* a, const shInnerBody* b, const InnerNearest* nearest, int rounds,
                    InnerSharp* sharp, shInnerDistance* result)
{
    const shInnerSpheres *s = a->spheres, *t = b->spheres;
    if (canFollow(a, b)) {
        InnerClose places[INNER_PLACES];
        int count = choosePlaces(a, b, nearest, places);
        int ends[INNER_PLACES][2];
        for (int i = 0; i < count; ++i) {
            InnerSharp own = startSharp(&nearest->frame, &s->tree.spheres[places[i].a], &t->tree.spheres[places[i].b]);
            innerFollow(&s->surface, &t->surface, &nearest->frame, rounds, &own);
            ends[i][0] = own.triangleA, ends[i][1] = own.triangleB;
            bool known = false; // neighbours often lead to the same place
            for (int k = 0; k < i; ++k)
                known = known || (ends[k][0] == own.triangleA && ends[k][1] == own.triangleB);
            if (!known)
                innerPolish(&s->surface, &t->surface, &nearest->frame, rounds, &own);
            if (own.better && own.distance < sharp->distance)
                *sharp = own;
        }
    } else if (s->closest != NULL && t->closest != NULL) {
        followSurfaces(a, b, &nearest->frame, rounds, sharp);
    }
    if (!sharp->better)
        return;
    result->distance = sharp->distance;
    result->triangleA = sharp->triangleA;
    result->triangleB = sharp->triangleB;
}

static void fillDistance(const shInnerBody* a, const shInnerBody* b, const InnerNearest* nearest, int rounds,
                         shInnerDistance* result)
{
    *result = (shInnerDistance){.distance = INFINITY,
                                .sphereDistance = INFINITY,
                                .sphereA = nearest->sphereA,
                                .sphereB = nearest->sphereB,
                                .triangleA = -1,
                                .triangleB = -1,
                                .tests = nearest->tests};
    if (nearest->sphereA < 0)
        return;
    const InnerSphere *p = &nearest->a->spheres[nearest->sphereA], *q = &nearest->b->spheres[nearest->sphereB];
    InnerSharp sharp = startSharp(&nearest->frame, p, q);
    Vec3 way = vNormalize(vSub(innerMove(&nearest->frame, innerCentre(q)), innerCentre(p)));
    result->found = true;
    result->sphereDistance = nearest->distance;
    result->distance = sharp.distance;
    if (rounds > 0 && nearest->distance > 0.0f)
        sharpen(a, b, nearest, rounds, &sharp, result);
    Vec3 gap = vSub(sharp.b, sharp.a);
    if (result->distance > 0.0f && vLength2(gap) > 0.0f)
        way = vNormalize(gap);
    result->pointA = xformPoint(a->transform, sharp.a);
    result->pointB = xformPoint(a->transform, sharp.b);
    result->normal = qRotate(a->transform.q, way);
}

static shStatus checkDistance(const shInnerBody* a, const shInnerBody* b, float most, int rounds, shMessage* message)
{
    shStatus status = checkBodies(a, b, message);
    if (status == shOk && !(most >= 0.0f))
        status = fail(message, shInvalid, "proximity: a distance of at most %g m", (double)most);
    if (status == shOk && (rounds < 0 || rounds > INNER_MOST_ROUNDS))
        status = fail(message, shInvalid, "proximity: sharpen %d times; 0 to %d", rounds, INNER_MOST_ROUNDS);
    return status;
}

shStatus shInner_GetDistance(const shInnerBody* a, const shInnerBody* b, float most, int sharpenRounds,
                             shInnerPair* pair, shInnerDistance* result, shMessage* message)
{
    if (result == NULL)
        return fail(message, shInvalid, "proximity: the result must not be null");
    shStatus status = checkDistance(a, b, most, sharpenRounds, message);
    if (status != shOk)
        return status;
    InnerNearest nearest = startNearest(a, b, most, pair);
    if (sharpenRounds > 0 && canFollow(a, b))
        nearest.margin = (float)(INNER_PLACE_MARGIN * (nearest.a->record.voxel + nearest.b->record.voxel));
    findNearest(&nearest);
    remember(pair, &nearest);
    fillDistance(a, b, &nearest, sharpenRounds, result);
    return shOk;
}

shStatus shInner_Overlap(const shInnerBody* a, const shInnerBody* b, shInnerPair* pair, bool* overlaps,
                         shMessage* message)
{
    if (overlaps == NULL)
        return fail(message, shInvalid, "proximity: the result must not be null");
    shStatus status = checkBodies(a, b, message);
    if (status != shOk)
        return status;
    InnerNearest nearest = startNearest(a, b, 0.0f, pair);
    findNearest(&nearest);
    remember(pair, &nearest);
    *overlaps = nearest.sphereA >= 0 && nearest.distance < 0.0f;
    return shOk;
}

// ---- volume ---------------------------------------------------------------------------------------------------------

static void fillVolume(const shInnerBody* a, const shInnerBody* b, const InnerOverlap* overlap, shInnerVolume* result)
{
    DQuat q = dqNormalize(dqFromQ(a->transform.q));
    DVec3 origin = dFromV(a->transform.p), force = {overlap->force[0], overlap->force[1], overlap->force[2]};
    DVec3 torque = {overlap->torque[0], overlap->torque[1], overlap->torque[2]};
    DVec3 centre = {overlap->centre[0], overlap->centre[1], overlap->centre[2]};
    force = dqRotate(q, force);
    torque = dAdd(dqRotate(q, torque), dCross(origin, force));
    const InnerRecord* ofB = &b->spheres->tree.record;
    Vec3 middle = xformPoint(b->transform, vec3(ofB->x, ofB->y, ofB->z));
    if (overlap->area > 0.0)
        middle = vFromD(dAdd(origin, dqRotate(q, dScale(1.0 / overlap->area, centre))));
    *result = (shInnerVolume){.volume = overlap->volume,
                              .force = {force.x, force.y, force.z},
                              .torque = {torque.x, torque.y, torque.z},
                              .normal = vFromD(dNormalize(force)),
                              .centre = middle,
                              .area = overlap->area,
                              .pairs = overlap->pairs,
                              .tests = overlap->tests};
}

static void listTriangles(const shInnerBody* a, const shInnerBody* b, int (*listed)[2], int count)
{
    for (int i = 0; i < count; ++i) {
        listed[i][0] = a->spheres->tree.spheres[listed[i][0]].triangle;
        listed[i][1] = b->spheres->tree.spheres[listed[i][1]].triangle;
    }
}

shStatus shInner_GetVolume(const shInnerBody* a, const shInnerBody* b, shInnerVolume* result, int (*listed)[2],
                           int room, int* count, shMessage* message)
{
    if (result == NULL || room < 0 || (room > 0 && listed == NULL))
        return fail(message, shInvalid, "proximity: the result, and a list with room, must not be null");
    shStatus status = checkBodies(a, b, message);
    if (status != shOk)
        return status;
    InnerOverlap overlap = {.a = &a->spheres->tree,
                            .b = &b->spheres->tree,
                            .frame = frameOf(a, b),
                            .wantForce = true,
                            .list = listed,
                            .listRoom = room};
    SIMD_CHOOSE(innerSumOverlap)(&overlap);
    listTriangles(a, b, listed, overlap.listCount);
    if (count != NULL)
        *count = overlap.listCount;
    fillVolume(a, b, &overlap, result);
    return shOk;
}

shStatus shInner_GetProximity(const shInnerBody* a, const shInnerBody* b, int sharpenRounds, shInnerPair* pair,
                              shInnerDistance* distance, shInnerVolume* volume, shMessage* message)
{
    if (distance == NULL || volume == NULL)
        return fail(message, shInvalid, "proximity: the results must not be null");
    *volume = (shInnerVolume){.volume = 0.0};
    shStatus status = shInner_GetDistance(a, b, INFINITY, sharpenRounds, pair, distance, message);
    // Pairs passed so far may overlap blown up: the volume starts from the top, with the radii that hold it.
    if (status == shOk && distance->sphereDistance < 0.0f)
        status = shInner_GetVolume(a, b, volume, NULL, 0, NULL, message);
    return status;
}

// ---- in limited time ------------------------------------------------------------------------------------------------

struct shVolumeQuery {
    shContext* context;
    double deadline; // s
    InnerWaiting heap[INNER_HEAP];
};

shStatus shCreateVolumeQuery(shContext* context, shVolumeQuery** query, shMessage* message)
{
    if (context == NULL || query == NULL)
        return fail(message, shInvalid, "proximity: context and query must not be null");
    *query = memAlloc(&context->memory, sizeof(shVolumeQuery));
    if (*query == NULL)
        return failMemory(message);
    (*query)->context = context;
    return shOk;
}

void shDestroyVolumeQuery(shVolumeQuery* query)
{
    if (query != NULL)
        memFree(&query->context->memory, query, sizeof(shVolumeQuery));
}

static bool isLate(void* user)
{
    const shVolumeQuery* query = user;
    return contextSeconds(query->context) >= query->deadline;
}

static shStatus checkLimit(const shVolumeLimit* limit, shMessage* message)
{
    if (limit->tests < 0 || !(limit->microseconds >= 0.0f))
        return fail(message, shInvalid, "proximity: a limit of %lld tests and %g us", (long long)limit->tests,
                    (double)limit->microseconds);
    if (limit->tests == 0 && limit->microseconds == 0.0f)
        return fail(message, shInvalid,
                    "proximity: a volume in limited time needs a limit, of tests or of microseconds; without one ask "
                    "shInner_GetVolume");
    if (limit->priority != shVolumeByGain && limit->priority != shVolumeBySize && limit->priority != shVolumePlain)
        return fail(message, shInvalid, "proximity: priority %d is none", (int)limit->priority);
    return shOk;
}

shStatus shVolumeQuery_Estimate(shVolumeQuery* query, const shInnerBody* a, const shInnerBody* b,
                                const shVolumeLimit* limit, shVolumeEstimate* estimate, shMessage* message)
{
    if (query == NULL || limit == NULL || estimate == NULL)
        return fail(message, shInvalid, "proximity: query, limit and result must not be null");
    shStatus status = checkBodies(a, b, message);
    if (status == shOk)
        status = checkLimit(limit, message);
    double now = contextSeconds(query->context);
    if (status == shOk && limit->microseconds > 0.0f && now == 0.0 && contextSeconds(query->context) == 0.0)
        status = fail(message, shInvalid, "proximity: there is no clock here: limit the number of tests");
    if (status != shOk)
        return status;
    query->deadline = now + 1e-6 * (double)limit->microseconds;
    InnerTimed timed = {.a = &a->spheres->tree,
                        .b = &b->spheres->tree,
                        .frame = frameOf(a, b),
                        .rule = limit->priority == shVolumeByGain   ? innerByGain
                                : limit->priority == shVolumeBySize ? innerByVolume
                                                                    : innerByChildren,
                        .budget = limit->tests > 0 ? limit->tests : INT64_MAX,
                        .late = limit->microseconds > 0.0f ? isLate : NULL,
                        .lateUser = query,
                        .heap = query->heap,
                        .heapRoom = INNER_HEAP};
    SIMD_CHOOSE(innerEstimateOverlap)(&timed);
    *estimate = (shVolumeEstimate){timed.estimate, timed.lower, timed.upper, timed.whole, timed.tests};
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rays, overlaps and closest surfaces among all bodies: the broad phase's boxes first, then the bodies themselves.
//
// The broad phase's tree is as of the last step. Bodies that were made or moved since are kept in a short list, and are
// asked one by one; when the list is full the tree is brought up to date. So queries change nothing.
#include "sherd/world_query.h"

#include "core/constants.h"
#include "core/message.h"
#include "dynamics/world.h"

#include <stdlib.h>

void recentAdd(shWorld* world, int index)
{
    for (int i = 0; i < world->recentCount; ++i) {
        if (world->recent[i] == index)
            return;
    }
    if (world->recentCount == MOST_RECENT)
        recentClear(world);
    else
        world->recent[world->recentCount++] = index;
}

void recentClear(shWorld* world)
{
    broadRefresh(world->broad);
    world->recentCount = 0;
}

static bool isRecent(const shWorld* world, int index)
{
    for (int i = 0; i < world->recentCount; ++i) {
        if (world->recent[i] == index)
            return true;
    }
    return false;
}

shQueryFilter shDefaultQueryFilter(void) { return (shQueryFilter){UINT32_MAX, UINT32_MAX}; }

// The body at an index, if it is alive and counts.
static const Body* wanted(const shWorld* world, int index, shQueryFilter filter)
{
    const Body* body = &world->bodies.data[index];
    if (idPoolAt(&world->ids, index).generation == 0)
        return NULL;
    return (body->filter.category & filter.mask) != 0 && (filter.category & body->filter.mask) != 0 ? body : NULL;
}

// ---- rays -----------------------------------------------------------------------------------------------------------

typedef ARRAY(shBodyRayHit) HitList;

typedef struct RayCast {
    const shWorld* world;
    const shRay* ray;
    shQueryFilter filter;
    int index; // of the body hit first; −1: none
    shRayHit first;
    HitList* all; // every body's, if wanted
    bool recent;  // the list's turn
    shStatus status;
} RayCast;

static shStatus castAt(const shWorld* world, const Body* body, const shRay* ray, shRayHit* hit)
{
    if (body->scenery != NULL)
        return shRayCastScenery(body->scenery, body->transform, ray, hit, NULL);
    shCollider collider = bodyCollider(world, body);
    return collider.solid != NULL ? shRayCast(&collider, ray, hit, NULL)
                                  : shRayCastShape(&body->shape, body->transform, ray, hit, NULL);
}

static float visitRay(int index, float most, void* user)
{
    RayCast* cast = user;
    const Body* body = wanted(cast->world, index, cast->filter);
    if (body == NULL || (!cast->recent && isRecent(cast->world, index)))
        return most;
    shRayHit hit;
    cast->status = castAt(cast->world, body, cast->ray, &hit);
    if (cast->status != shOk)
        return -1.0f;
    if (!hit.hits)
        return most;
    if (cast->all != NULL) {
        Memory* memory = cast->world->memory;
        if (!arrayReserve(memory, cast->all, cast->all->count + 1)) {
            cast->status = shOutOfMemory;
            return -1.0f;
        }
        cast->all->data[cast->all->count++] = (shBodyRayHit){bodyId(cast->world, index), hit};
        return most;
    }
    if (cast->index >= 0 &&
        (hit.fraction > cast->first.fraction || (hit.fraction == cast->first.fraction && index > cast->index)))
        return most;
    cast->index = index;
    cast->first = hit;
    return hit.fraction;
}

static shStatus castAll(RayCast* cast)
{
    const shWorld* world = cast->world;
    const shRay* ray = cast->ray;
    broadRay(world->broad, ray->origin, ray->translation, 1.0f, UINT64_MAX, visitRay, cast);
    cast->recent = true;
    for (int i = 0; i < world->recentCount && cast->status == shOk; ++i)
        visitRay(world->recent[i], 1.0f, cast);
    return cast->status;
}

static shStatus checkRay(const shWorld* world, const shRay* ray, shMessage* message)
{
    if (world == NULL || ray == NULL)
        return fail(message, shInvalid, "ray: world and ray must not be null");
    if (!vFinite(ray->origin) || !vFinite(ray->translation))
        return fail(message, shInvalid, "ray: its origin and translation must be finite");
    return shOk;
}

shStatus shWorld_CastRay(const shWorld* world, const shRay* ray, shQueryFilter filter, shBodyRayHit* hit,
                         shMessage* message)
{
    shStatus status = checkRay(world, ray, message);
    if (status != shOk)
        return status;
    if (hit == NULL)
        return fail(message, shInvalid, "ray: the result must not be null");
    RayCast cast = {.world = world, .ray = ray, .filter = filter, .index = -1, .first.fraction = 1.0f};
    status = castAll(&cast);
    *hit = (shBodyRayHit){cast.index >= 0 ? bodyId(world, cast.index) : (shBodyId){0}, cast.first};
    return status == shOk ? shOk : failMemory(message);
}

static int alongRay(const void* a, const void* b)
{
    const shBodyRayHit *x = a, *y = b;
    if (x->at.fraction != y->at.fraction)
        return x->at.fraction < y->at.fraction ? -1 : 1;
    return (x->body.index > y->body.index) - (x->body.index < y->body.index);
}

shStatus shWorld_CastRayAll(const shWorld* world, const shRay* ray, shQueryFilter filter, shRayVisitor* visit,
                            void* user, shMessage* message)
{
    shStatus status = checkRay(world, ray, message);
    if (status != shOk)
        return status;
    if (visit == NULL)
        return fail(message, shInvalid, "ray: the visitor must not be null");
    HitList hits = {0};
    RayCast cast = {.world = world, .ray = ray, .filter = filter, .index = -1, .all = &hits};
    status = castAll(&cast);
    if (status == shOk && hits.count > 0) {
        qsort(hits.data, (size_t)hits.count, sizeof *hits.data, alongRay);
        for (int i = 0; i < hits.count && visit(&hits.data[i], user); ++i)
            ;
    }
    arrayFree(world->memory, &hits);
    return status == shOk ? shOk : failMemory(message);
}

// ---- overlaps -------------------------------------------------------------------------------------------------------

typedef struct Overlap {
    Vec3 centre, halfExtent;
    float radius; // below 0: the box
    shTransform frame;
} Overlap;

static shStatus overlapsAt(const shWorld* world, const Body* body, const Overlap* with, bool* overlaps)
{
    shCollider collider = bodyCollider(world, body);
    shClosestPoint closest;
    shStatus status = shOk;
    if (with->radius < 0.0f) {
        if (body->scenery != NULL)
            return shOverlapBoxScenery(body->scenery, body->transform, with->halfExtent, with->frame, overlaps, NULL);
        return collider.solid != NULL
                   ? shOverlapBox(&collider, with->halfExtent, with->frame, overlaps, NULL)
                   : shOverlapBoxShape(&body->shape, body->transform, with->halfExtent, with->frame, overlaps, NULL);
    }
    if (collider.solid != NULL)
        return shOverlapSphere(&collider, with->centre, with->radius, overlaps, NULL);
    // However deep inside, the closest surface knows.
    if (body->scenery != NULL)
        status = shClosestOnScenery(body->scenery, body->transform, with->centre, INFINITY, &closest, NULL);
    else
        status = shClosestOnShape(&body->shape, body->transform, with->centre, INFINITY, &closest, NULL);
    *overlaps = status == shOk && closest.found && closest.distance <= with->radius;
    return status;
}

static int ascending(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static shStatus overlapAll(const shWorld* world, const Overlap* with, shBox box, shQueryFilter filter,
                           shBodyVisitor* visit, void* user, shMessage* message)
{
    BroadList list = {0};
    shStatus status = broadFind(world->broad, box, UINT64_MAX, world->memory, &list);
    if (status == shOk && world->recentCount > 0) {
        if (!arrayReserve(world->memory, &list, (int64_t)list.count + world->recentCount))
            status = shOutOfMemory;
        for (int i = 0; i < world->recentCount && status == shOk; ++i)
            list.data[list.count++] = world->recent[i];
        if (status == shOk)
            qsort(list.data, (size_t)list.count, sizeof *list.data, ascending);
    }
    bool more = true;
    for (int i = 0; i < list.count && status == shOk && more; ++i) {
        const Body* body = wanted(world, list.data[i], filter);
        bool overlaps = false;
        if (body == NULL || (i > 0 && list.data[i] == list.data[i - 1]))
            continue;
        status = overlapsAt(world, body, with, &overlaps);
        if (status == shOk && overlaps)
            more = visit(bodyId(world, list.data[i]), user);
    }
    arrayFree(world->memory, &list);
    return status == shOk ? shOk : failMemory(message);
}

shStatus shWorld_OverlapSphere(const shWorld* world, shVec3 centre, float radius, shQueryFilter filter,
                               shBodyVisitor* visit, void* user, shMessage* message)
{
    if (world == NULL || visit == NULL)
        return fail(message, shInvalid, "overlap: world and visitor must not be null");
    if (!vFinite(centre) || !(radius >= 0.0f) || !isfinite(radius))
        return fail(message, shInvalid, "overlap: centre and radius must be finite, the radius not negative");
    Overlap with = {.centre = centre, .radius = radius};
    return overlapAll(world, &with, boxGrow((shBox){centre, centre}, radius), filter, visit, user, message);
}

shStatus shWorld_OverlapBox(const shWorld* world, shVec3 halfExtent, shTransform transform, shQueryFilter filter,
                            shBodyVisitor* visit, void* user, shMessage* message)
{
    if (world == NULL || visit == NULL)
        return fail(message, shInvalid, "overlap: world and visitor must not be null");
    if (!vFinite(halfExtent) || !(minF(halfExtent.x, minF(halfExtent.y, halfExtent.z)) >= 0.0f))
        return fail(message, shInvalid, "overlap: the box's sizes must be finite and not negative");
    if (!xformValid(transform))
        return fail(message, shInvalid, "overlap: the transform is not finite, or its rotation no unit quaternion");
    Overlap with = {.halfExtent = halfExtent, .radius = -1.0f, .frame = transform};
    shBox box = boxGrow((shBox){transform.p, transform.p}, vLength(halfExtent));
    return overlapAll(world, &with, box, filter, visit, user, message);
}

// ---- the closest surface --------------------------------------------------------------------------------------------

typedef struct Nearest {
    const shWorld* world;
    Vec3 point;
    shQueryFilter filter;
    int index; // −1: none yet
    shClosestPoint at;
    bool recent;
    shStatus status;
} Nearest;

static float visitNear(int index, float most, void* user)
{
    Nearest* nearest = user;
    const shWorld* world = nearest->world;
    const Body* body = wanted(world, index, nearest->filter);
    if (body == NULL || (!nearest->recent && isRecent(world, index)))
        return most;
    shCollider collider = bodyCollider(world, body);
    shClosestPoint at;
    // A hair more than that: equals are told apart by their index.
    float reach = most + NEAR_SLACK * most;
    if (body->scenery != NULL)
        nearest->status = shClosestOnScenery(body->scenery, body->transform, nearest->point, reach, &at, NULL);
    else if (collider.solid != NULL)
        nearest->status = shClosest(&collider, nearest->point, reach, &at, NULL);
    else
        nearest->status = shClosestOnShape(&body->shape, body->transform, nearest->point, reach, &at, NULL);
    if (nearest->status != shOk)
        return -1.0f;
    float distance = fabsf(at.distance);
    if (!at.found || distance > most)
        return most;
    float best = nearest->index >= 0 ? fabsf(nearest->at.distance) : INFINITY;
    if (distance < best || (distance == best && index < nearest->index)) {
        nearest->index = index;
        nearest->at = at;
    }
    return distance;
}

shStatus shWorld_FindClosest(const shWorld* world, shVec3 point, float radius, shQueryFilter filter,
                             shBodyClosest* closest, shMessage* message)
{
    if (world == NULL || closest == NULL)
        return fail(message, shInvalid, "closest: world and result must not be null");
    *closest = (shBodyClosest){.at.found = false};
    if (!vFinite(point) || !(radius >= 0.0f))
        return fail(message, shInvalid, "closest: the point must be finite and the radius not negative");
    Nearest nearest = {.world = world, .point = point, .filter = filter, .index = -1};
    broadNear(world->broad, point, radius, UINT64_MAX, visitNear, &nearest);
    nearest.recent = true;
    for (int i = 0; i < world->recentCount && nearest.status == shOk; ++i) {
        float most = nearest.index >= 0 ? fabsf(nearest.at.distance) : radius;
        visitNear(world->recent[i], most, &nearest);
    }
    if (nearest.status != shOk)
        return failMemory(message);
    if (nearest.index >= 0)
        *closest = (shBodyClosest){bodyId(world, nearest.index), nearest.at};
    return shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/broad_phase.h"

#include "core/check.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/sort.h"

#include <string.h>

struct BroadPhase {
    shContext* context;
    ARRAY(BroadProxy) proxies; // by index
    ARRAY(uint64_t) keys;      // of pairs: a in the high half, b in the low one
    ARRAY(uint64_t) scratch;
    ARRAY(BroadPair) pairs;
};

shStatus broadCreate(shContext* context, BroadPhase** broad)
{
    *broad = NEW_ZEROED(&context->memory, BroadPhase, 1);
    if (*broad == NULL)
        return shOutOfMemory;
    (*broad)->context = context;
    return shOk;
}

void broadDestroy(BroadPhase* broad)
{
    if (broad == NULL)
        return;
    Memory* memory = &broad->context->memory;
    arrayFree(memory, &broad->proxies);
    arrayFree(memory, &broad->keys);
    arrayFree(memory, &broad->scratch);
    arrayFree(memory, &broad->pairs);
    FREE_ARRAY(memory, broad, 1);
}

shStatus broadReserve(BroadPhase* broad, int count)
{
    if (count <= broad->proxies.count)
        return shOk;
    if (!arrayReserve(&broad->context->memory, &broad->proxies, count))
        return shOutOfMemory;
    memset(broad->proxies.data + broad->proxies.count, 0, sizeof(BroadProxy) * (size_t)(count - broad->proxies.count));
    broad->proxies.count = count;
    return shOk;
}

static bool isBox(shBox box)
{
    return box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
}

static bool contains(shBox outer, shBox inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}

void broadAdd(BroadPhase* broad, int index, shBox box, float margin, BroadFilter filter)
{
    BroadProxy* proxy = &broad->proxies.data[index];
    CHECK(index < broad->proxies.count && !proxy->used && isBox(box) && margin >= 0.0f);
    *proxy = (BroadProxy){.box = boxGrow(box, margin), .margin = margin, .used = 1};
    proxy->category = filter.category;
    proxy->mask = filter.mask;
    proxy->passive = filter.passive;
}

void broadRemove(BroadPhase* broad, int index)
{
    CHECK(broad->proxies.data[index].used);
    memset(&broad->proxies.data[index], 0, sizeof(BroadProxy));
}

void broadSetFilter(BroadPhase* broad, int index, BroadFilter filter)
{
    BroadProxy* proxy = &broad->proxies.data[index];
    CHECK(proxy->used);
    proxy->known = 0;
    proxy->category = filter.category;
    proxy->mask = filter.mask;
    proxy->passive = filter.passive;
}

bool broadMove(BroadPhase* broad, int index, shBox box)
{
    BroadProxy* proxy = &broad->proxies.data[index];
    CHECK(proxy->used && isBox(box));
    if (contains(proxy->box, box) && contains(boxGrow(box, BROAD_LOOSE * proxy->margin), proxy->box))
        return false;
    proxy->box = boxGrow(box, proxy->margin);
    return true;
}

bool broadOverlap(const BroadPhase* broad, int a, int b)
{
    return boxOverlaps(broad->proxies.data[a].box, broad->proxies.data[b].box);
}

static bool mayMeet(const BroadProxy* a, const BroadProxy* b)
{
    return a->used && b->used && !(a->passive && b->passive) && (a->category & b->mask) != 0 &&
           (b->category & a->mask) != 0;
}

shStatus broadUpdate(BroadPhase* broad, const BroadPair** pairs, int* count)
{
    Memory* memory = &broad->context->memory;
    BroadProxy* proxies = broad->proxies.data;
    broad->pairs.count = 0;
    for (int a = 0; a < broad->proxies.count; ++a) {
        for (int b = a + 1; b < broad->proxies.count; ++b) {
            const BroadProxy *p = &proxies[a], *q = &proxies[b];
            if (!mayMeet(p, q) || !boxOverlaps(p->box, q->box) ||
                (p->known && q->known && boxOverlaps(p->before, q->before)))
                continue;
            if (!arrayReserve(memory, &broad->pairs, broad->pairs.count + 1))
                return shOutOfMemory;
            broad->pairs.data[broad->pairs.count++] = (BroadPair){a, b};
        }
    }
    for (int i = 0; i < broad->proxies.count; ++i)
        proxies[i].before = proxies[i].box, proxies[i].known = proxies[i].used;
    *pairs = broad->pairs.data;
    *count = broad->pairs.count;
    return shOk;
}

void broadRefresh(BroadPhase* broad) { (void)broad; }

static bool wanted(const BroadProxy* proxy, uint64_t mask) { return proxy->used && (proxy->category & mask) != 0; }

shStatus broadFind(const BroadPhase* broad, shBox box, uint64_t mask, Memory* memory, BroadList* found)
{
    found->count = 0;
    for (int i = 0; i < broad->proxies.count; ++i) {
        if (!wanted(&broad->proxies.data[i], mask) || !boxOverlaps(broad->proxies.data[i].box, box))
            continue;
        if (!arrayReserve(memory, found, found->count + 1))
            return shOutOfMemory;
        found->data[found->count++] = i;
    }
    return shOk;
}

// The part of [0, most] in which the segment is between two planes, clipped further.
static void clip(float lower, float upper, float origin, float shift, float* enter, float* leave)
{
    if (shift == 0.0f) {
        if (origin < lower || origin > upper)
            *leave = -1.0f;
        return;
    }
    float first = (lower - origin) / shift, second = (upper - origin) / shift;
    *enter = maxF(*enter, minF(first, second));
    *leave = minF(*leave, maxF(first, second));
}

void broadRay(const BroadPhase* broad, Vec3 origin, Vec3 shift, float most, uint64_t mask, BroadRayVisitor* visit,
              void* user)
{
    for (int i = 0; i < broad->proxies.count && most >= 0.0f; ++i) {
        const BroadProxy* proxy = &broad->proxies.data[i];
        float enter = 0.0f, leave = most;
        clip(proxy->box.lower.x, proxy->box.upper.x, origin.x, shift.x, &enter, &leave);
        clip(proxy->box.lower.y, proxy->box.upper.y, origin.y, shift.y, &enter, &leave);
        clip(proxy->box.lower.z, proxy->box.upper.z, origin.z, shift.z, &enter, &leave);
        if (wanted(proxy, mask) && enter <= leave)
            most = visit(i, most, user);
    }
}

void broadNear(const BroadPhase* broad, Vec3 point, float most, uint64_t mask, BroadNearVisitor* visit, void* user)
{
    for (int i = 0; i < broad->proxies.count && most >= 0.0f; ++i) {
        const BroadProxy* proxy = &broad->proxies.data[i];
        if (wanted(proxy, mask) && boxDistance2(proxy->box, point) <= most * most)
            most = visit(i, most, user);
    }
}

const BroadProxy* broadProxies(const BroadPhase* broad, int* count)
{
    *count = broad->proxies.count;
    return broad->proxies.data;
}

shStatus broadRestore(BroadPhase* broad, const BroadProxy* proxies, int count)
{
    shStatus status = broadReserve(broad, count);
    if (status != shOk)
        return status;
    memset(broad->proxies.data, 0, sizeof(BroadProxy) * (size_t)broad->proxies.count);
    memcpy(broad->proxies.data, proxies, sizeof(BroadProxy) * (size_t)count);
    return shOk;
}

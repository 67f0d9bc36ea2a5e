// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pair is new when its boxes overlap now and did not at the last update. Both are known for every proxy, so there is
// no table of pairs: only those that have moved walk the tree, and their hits are compared with the boxes of then.
#include "dynamics/broad_phase.h"

#include "core/check.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/sort.h"
#include "dynamics/box_tree.h"

#include <string.h>

// What has happened to a proxy, one byte each: workers that move different ones do not meet.
enum {
    strayed = 1, // from its box in the tree, or gone
    due = 2,     // and its pairs are to be looked for
};

struct BroadPhase {
    shContext* context;
    BoxTree tree;
    ARRAY(BroadProxy) proxies; // by index
    ARRAY(uint8_t) changes;    // by index
    ARRAY(BroadPair) pairs;
    // This update
    ARRAY(int) due;                // indices
    bool all;                      // so many are due that every two proxies are looked at, once
    ARRAY(uint64_t) keys, scratch; // of pairs: a in the high half, b in the low one
    atomic_llong found;            // pairs, whether they fit into the array or not
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
    boxTreeFree(&broad->tree, memory);
    arrayFree(memory, &broad->proxies);
    arrayFree(memory, &broad->changes);
    arrayFree(memory, &broad->due);
    arrayFree(memory, &broad->keys);
    arrayFree(memory, &broad->scratch);
    arrayFree(memory, &broad->pairs);
    FREE_ARRAY(memory, broad, 1);
}

shStatus broadReserve(BroadPhase* broad, int count)
{
    int old = broad->proxies.count;
    if (count <= old)
        return shOk;
    Memory* memory = &broad->context->memory;
    if (!arrayReserve(memory, &broad->proxies, count) || !arrayReserve(memory, &broad->changes, count) ||
        !arrayReserve(memory, &broad->due, count) || !boxTreeReserve(&broad->tree, memory, count))
        return shOutOfMemory;
    memset(broad->proxies.data + old, 0, sizeof(BroadProxy) * (size_t)(count - old));
    memset(broad->changes.data + old, 0, (size_t)(count - old));
    broad->proxies.count = broad->changes.count = count;
    return shOk;
}

static bool contains(shBox outer, shBox inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}

void broadAdd(BroadPhase* broad, int index, shBox box, float margin, BroadFilter filter)
{
    BroadProxy* proxy = &broad->proxies.data[index];
    // Inverted boxes and NaN do not even overlap themselves.
    CHECK(0 <= index && index < broad->proxies.count && !proxy->used && boxOverlaps(box, box) && margin >= 0.0f);
    *proxy = (BroadProxy){.box = boxGrow(box, margin), .margin = margin, .used = 1};
    broadSetFilter(broad, index, filter);
}

void broadRemove(BroadPhase* broad, int index)
{
    CHECK(broad->proxies.data[index].used);
    memset(&broad->proxies.data[index], 0, sizeof(BroadProxy));
    broad->changes.data[index] = strayed;
}

void broadSetFilter(BroadPhase* broad, int index, BroadFilter filter)
{
    BroadProxy* proxy = &broad->proxies.data[index];
    CHECK(proxy->used);
    proxy->category = filter.category;
    proxy->mask = filter.mask;
    proxy->passive = filter.passive;
    proxy->known = 0;
    broad->changes.data[index] = strayed | due;
}

bool broadMove(BroadPhase* broad, int index, shBox box)
{
    BroadProxy* proxy = &broad->proxies.data[index];
    CHECK(proxy->used && boxOverlaps(box, box));
    if (contains(proxy->box, box) && contains(boxGrow(box, BROAD_LOOSE * proxy->margin), proxy->box))
        return false;
    proxy->box = boxGrow(box, proxy->margin);
    broad->changes.data[index] = strayed | due;
    return true;
}

bool broadOverlap(const BroadPhase* broad, int a, int b)
{
    return boxOverlaps(broad->proxies.data[a].box, broad->proxies.data[b].box);
}

// The next proxy from `index` on that has changed at all; behind the last if there is none.
static int nextChanged(const BroadPhase* broad, int index)
{
    int count = broad->changes.count;
    for (; index < count; ++index) {
        uint64_t eight = 1;
        if (index % 8 == 0 && index + 8 <= count)
            memcpy(&eight, &broad->changes.data[index], sizeof eight);
        if (eight == 0)
            index += 7;
        else if (broad->changes.data[index] != 0)
            break;
    }
    return minI(index, count);
}

void broadRefresh(BroadPhase* broad)
{
    bool any = false;
    for (int i = 0; (i = nextChanged(broad, i)) < broad->changes.count; ++i) {
        if ((broad->changes.data[i] & strayed) == 0)
            continue;
        broad->changes.data[i] &= (uint8_t)~strayed;
        any = true;
        if (broad->proxies.data[i].used)
            boxTreeSet(&broad->tree, i, broad->proxies.data[i].box);
        else
            boxTreeRemove(&broad->tree, i);
    }
    if (any)
        boxTreeRefresh(&broad->tree);
}

static bool isNewPair(const BroadProxy* a, const BroadProxy* b)
{
    return !(a->known && b->known && boxOverlaps(a->before, b->before)) && !(a->passive && b->passive) &&
           (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// Pairs that a task has found and not handed in yet.
typedef struct Finder {
    BroadPhase* broad;
    int count;
    uint64_t keys[BROAD_FOUND];
} Finder;

static void handIn(Finder* finder)
{
    BroadPhase* broad = finder->broad;
    int64_t at = atomic_fetch_add_explicit(&broad->found, finder->count, memory_order_relaxed);
    if (at + finder->count <= broad->keys.capacity)
        memcpy(broad->keys.data + at, finder->keys, sizeof(uint64_t) * (size_t)finder->count);
    finder->count = 0;
}

// Each pair is found once: by both its proxies, if both are due, but then it is the lower one's; or all proxies look,
// and only at slots behind their own.
static void findPairs(Finder* finder, int index, int slot)
{
    const BroadPhase* broad = finder->broad;
    const BroadProxy* proxies = broad->proxies.data;
    BoxWalk walk;
    boxWalkStart(&walk, &broad->tree, proxies[index].box, broad->all ? slot + 1 : 0);
    int some[BROAD_FOUND], count;
    while ((count = SIMD_CHOOSE(boxWalkNext)(&broad->tree, &walk, some, BROAD_FOUND)) > 0) {
        for (int k = 0; k < count; ++k) {
            int other = some[k];
            if (other == index || (!broad->all && other < index && (broad->changes.data[other] & due) != 0) ||
                !isNewPair(&proxies[index], &proxies[other]))
                continue;
            if (finder->count == BROAD_FOUND)
                handIn(finder);
            uint64_t a = (uint64_t)minI(index, other), b = (uint64_t)maxI(index, other);
            finder->keys[finder->count++] = a << 32 | b;
        }
    }
}

static void findBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Finder finder = {.broad = arg, .count = 0};
    const BroadPhase* broad = arg;
    for (int i = begin; i < end; ++i) {
        int index = broad->all ? broad->tree.items[i] : broad->due.data[i];
        if (index >= 0)
            findPairs(&finder, index, i);
    }
    if (finder.count > 0)
        handIn(&finder);
}

// The keys of all new pairs, sorted. If they are more than ever before they are counted first.
static bool findKeys(BroadPhase* broad)
{
    Memory* memory = &broad->context->memory;
    broad->all = 2 * broad->due.count > broad->tree.itemCount;
    for (bool fits = false; !fits;) {
        atomic_store(&broad->found, 0);
        parallelFor(broad->context, broad->all ? broad->tree.slotCount : broad->due.count, BROAD_BLOCK, findBlock,
                    broad);
        int64_t found = atomic_load(&broad->found);
        fits = found <= broad->keys.capacity;
        if (!arrayReserve(memory, &broad->keys, found) || !arrayReserve(memory, &broad->scratch, found) ||
            !arrayReserve(memory, &broad->pairs, found))
            return false;
    }
    broad->keys.count = (int)atomic_load(&broad->found);
    sortKeys(broad->keys.data, broad->scratch.data, broad->keys.count);
    return true;
}

shStatus broadUpdate(BroadPhase* broad, const BroadPair** pairs, int* count)
{
    broadRefresh(broad);
    broad->due.count = 0;
    for (int i = 0; (i = nextChanged(broad, i)) < broad->changes.count; ++i)
        broad->due.data[broad->due.count++] = i;
    if (!findKeys(broad))
        return shOutOfMemory;
    for (int i = 0; i < broad->keys.count; ++i)
        broad->pairs.data[i] = (BroadPair){(int)(broad->keys.data[i] >> 32), (int)(uint32_t)broad->keys.data[i]};
    for (int i = 0; i < broad->due.count; ++i) {
        BroadProxy* proxy = &broad->proxies.data[broad->due.data[i]];
        proxy->before = proxy->box;
        proxy->known = 1;
        broad->changes.data[broad->due.data[i]] = 0;
    }
    *pairs = broad->pairs.data;
    *count = broad->keys.count;
    return shOk;
}

static bool wanted(const BroadProxy* proxy, uint64_t mask) { return (proxy->category & mask) != 0; }

shStatus broadFind(const BroadPhase* broad, shBox box, uint64_t mask, Memory* memory, BroadList* found)
{
    found->count = 0;
    BoxWalk walk;
    boxWalkStart(&walk, &broad->tree, box, 0);
    int some[BROAD_FOUND], count;
    while ((count = SIMD_CHOOSE(boxWalkNext)(&broad->tree, &walk, some, BROAD_FOUND)) > 0) {
        if (!arrayReserve(memory, found, (int64_t)found->count + count))
            return shOutOfMemory;
        for (int k = 0; k < count; ++k) {
            if (wanted(&broad->proxies.data[some[k]], mask))
                found->data[found->count++] = some[k];
        }
    }
    sortInts(found->data, found->count);
    return shOk;
}

typedef struct Visit {
    const BroadPhase* broad;
    uint64_t mask;
    BoxVisitor* visit;
    void* user;
} Visit;

static float visitWanted(int index, float most, void* arg)
{
    const Visit* visit = arg;
    return wanted(&visit->broad->proxies.data[index], visit->mask) ? visit->visit(index, most, visit->user) : most;
}

void broadRay(const BroadPhase* broad, Vec3 origin, Vec3 shift, float most, uint64_t mask, BroadVisitor* visit,
              void* user)
{
    Visit arg = {broad, mask, visit, user};
    SIMD_CHOOSE(boxTreeRay)(&broad->tree, origin, shift, most, visitWanted, &arg);
}

void broadNear(const BroadPhase* broad, Vec3 point, float most, uint64_t mask, BroadVisitor* visit, void* user)
{
    Visit arg = {broad, mask, visit, user};
    SIMD_CHOOSE(boxTreeNear)(&broad->tree, point, most, visitWanted, &arg);
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
    if (broad->proxies.count > 0)
        memset(broad->proxies.data, 0, sizeof(BroadProxy) * (size_t)broad->proxies.count);
    if (count > 0)
        memcpy(broad->proxies.data, proxies, sizeof(BroadProxy) * (size_t)count);
    for (int i = 0; i < broad->proxies.count; ++i) {
        const BroadProxy* proxy = &broad->proxies.data[i];
        bool still = proxy->known && contains(proxy->box, proxy->before) && contains(proxy->before, proxy->box);
        broad->changes.data[i] = proxy->used && !still ? strayed | due : strayed;
    }
    return shOk;
}

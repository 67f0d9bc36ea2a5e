// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which bodies may touch, of tens of thousands. Every body has a proxy: a box around it, fattened so that one that
// hardly moves need not be looked at again. Proxies have the caller's indices (the slots of its body pool).
//
//     broadMove(broad, i, box);                        // every body, on any worker
//     status = broadUpdate(broad, &pairs, &count);     // make contacts of these,
//     if (!broadOverlap(broad, c->a, c->b)) …          // and drop those that no longer overlap
//
// Answers depend on the proxies alone: their boxes now and at the last update, filters, indices. How they came there,
// what the search tree looks like and how many workers there are makes no difference. To store the state, store the
// proxies (broadProxies); broadRestore takes them back.
//
// Boxes may be infinite (a half-space). The caller refuses NaN and inverted ones.
#pragma once

#include "core/array.h"
#include "core/vec.h"

typedef struct BroadFilter {
    uint64_t category; // what the proxy is, one bit usually
    uint64_t mask;     // what it can meet: both categories must be in the other's mask
    bool passive;      // static or kinematic: two of them never pair
} BroadFilter;

// Plain data without padding, zero where unused: can be hashed and stored as it is.
typedef struct BroadProxy {
    shBox box;    // fat
    shBox before; // the same at the last update, if it was known then
    uint64_t category, mask;
    float margin; // m, by which the box is wider than the body
    uint8_t used, passive, known, zero;
} BroadProxy;

// Ascending: a < b.
typedef struct BroadPair {
    int a, b;
} BroadPair;

typedef ARRAY(int) BroadList;
typedef struct BroadPhase BroadPhase;

shStatus broadCreate(shContext* context, BroadPhase** broad);
void broadDestroy(BroadPhase* broad); // null is fine

// Room for the indices 0 … count − 1: adding them cannot fail. Out of memory: all as before.
shStatus broadReserve(BroadPhase* broad, int count);
// The box of a body now, with a margin of some per cent of its size. The index must be free.
void broadAdd(BroadPhase* broad, int index, shBox box, float margin, BroadFilter filter);
void broadRemove(BroadPhase* broad, int index);
// Changes how a proxy pairs. It counts as removed and added: the caller drops its pairs, the next update gives them
// anew.
void broadSetFilter(BroadPhase* broad, int index, BroadFilter filter);
// The box that the body will not leave until the next move, with whatever it travels. Nothing happens while it stays
// within the fat box and that is not much too large. Workers may move different proxies at the same time. True: moved.
bool broadMove(BroadPhase* broad, int index, shBox box);

// Pairs whose fat boxes overlap now and did not at the last update, in ascending order of (a, b). They live until the
// next update. A caller that keeps these, drops pairs that no longer overlap after each update, and drops those of
// proxies it removes, has exactly the pairs that overlap. Takes memory only for more pairs than ever before; out of
// memory: as if it had not been called.
shStatus broadUpdate(BroadPhase* broad, const BroadPair** pairs, int* count);
// The boxes alone, not the filters.
bool broadOverlap(const BroadPhase* broad, int a, int b);

// Queries. They see boxes as of the last update or refresh: refresh first when proxies have changed since. Several may
// run at a time. Only proxies with a category in the mask count.
void broadRefresh(BroadPhase* broad);
// Proxies that overlap a box, in ascending order, instead of what the list held.
shStatus broadFind(const BroadPhase* broad, shBox box, uint64_t mask, Memory* memory, BroadList* found);
// Proxies whose box the segment from `origin` to `origin` + most · `shift` meets, the near ones first, roughly. The
// visitor returns the new `most`: the fraction of the shift at which it hit the body, `most` itself if it did not, a
// negative number to end. What comes of it does not hang on the order, if of equal fractions the lower index wins.
typedef float BroadVisitor(int index, float most, void* user);
void broadRay(const BroadPhase* broad, Vec3 origin, Vec3 shift, float most, uint64_t mask, BroadVisitor* visit,
              void* user);
// Proxies whose box is within `most` of a point, the near ones first, roughly. The visitor returns the new `most`, as
// above: the distance of the body if it is less.
void broadNear(const BroadPhase* broad, Vec3 point, float most, uint64_t mask, BroadVisitor* visit, void* user);

// All indices that have room, used or not.
const BroadProxy* broadProxies(const BroadPhase* broad, int* count);
shStatus broadRestore(BroadPhase* broad, const BroadProxy* proxies, int count);

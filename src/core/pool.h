// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Ids for things that come and go: an index into the caller's arrays and a generation, so that the id of something
// gone is never taken for its successor. Indices are handed out from 0 upwards; returned ones are reused first, the
// last returned first of all: the same calls give the same ids, on every run.
#pragma once

#include "core/array.h"
#include "core/stream.h"

typedef struct Id {
    int32_t index;
    uint32_t generation; // 0: the null id
} Id;

typedef struct IdSlot {
    uint32_t generation; // of the living id, or of the next to live here
    int32_t next;        // free slots: the next one, −1 = last; living ones: −2
} IdSlot;

// Zeroed = empty.
typedef struct IdPool {
    ARRAY(IdSlot) slots; // every index ever given out
    int live;
    int32_t freePlusOne; // head of the free list, 0 = none
} IdPool;

// Room for `count` living ids; afterwards idPoolTake cannot fail until then. False: out of memory.
bool idPoolReserve(IdPool* pool, Memory* memory, int count);
void idPoolFree(IdPool* pool, Memory* memory);
Id idPoolTake(IdPool* pool);                // a new id; null when nothing is reserved
bool idPoolGive(IdPool* pool, Id id);       // false: the id is null, stale or foreign, and nothing happens
int idPoolFind(const IdPool* pool, Id id);  // its index, −1 = null, stale or foreign
Id idPoolAt(const IdPool* pool, int index); // the living id at an index, null = none
// As bytes and back: the same ids are given out afterwards.
void streamIdPool(Stream* stream, IdPool* pool, Memory* memory);

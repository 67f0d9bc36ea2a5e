// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every byte the library owns comes through here, is counted, and goes back with its size.
// A null from memAlloc is an ordinary result: callers return shOutOfMemory.
#pragma once

#include "sherd/base.h"

#include <stdatomic.h>

typedef struct Memory {
    shAllocator hooks;
    atomic_llong bytes, peakBytes, calls;
} Memory;

void memInit(Memory* memory, shAllocator hooks);
void memMove(Memory* to, const Memory* from);     // hooks and counters; nobody may be using `from`
void* memAlloc(Memory* memory, size_t bytes);     // null for 0 bytes and when the hook has none
void* memAllocZero(Memory* memory, size_t bytes); // the same, cleared
void* memGrow(Memory* memory, void* old, size_t oldBytes,
              size_t newBytes);                          // old stays valid on null; newBytes ≥ oldBytes
void memFree(Memory* memory, void* block, size_t bytes); // null is fine

// count · size, or SIZE_MAX when that overflows (which no allocator grants). Counts are wider than size_t may be, and
// negative ones are too large.
static inline size_t memBytes(uint64_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? SIZE_MAX : (size_t)count * size;
}

#define NEW_ARRAY(memory, Type, count) ((Type*)memAlloc((memory), memBytes((uint64_t)(count), sizeof(Type))))
#define NEW_ZEROED(memory, Type, count) ((Type*)memAllocZero((memory), memBytes((uint64_t)(count), sizeof(Type))))
#define FREE_ARRAY(memory, block, count) memFree((memory), (block), memBytes((uint64_t)(count), sizeof(*(block))))

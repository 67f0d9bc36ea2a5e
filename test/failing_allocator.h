// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// An allocator for tests: checks that every block comes back with its size, counts what is out, and fails the n-th
// request on demand. Sweep n over an operation until it succeeds: each failure must be reported and leave nothing.
//
//     TestAllocator allocator = { .failAt = n }; // n = 1: the first; 0: none
//     def.allocator = testAllocatorHooks(&allocator);
#pragma once

#include "sherd/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct TestAllocator {
    int failAt;
    atomic_int calls;
    atomic_int wrongSizes;
    atomic_llong bytes, peakBytes;
} TestAllocator;

static inline void* testAlloc(size_t bytes, void* user)
{
    TestAllocator* self = user;
    if (atomic_fetch_add(&self->calls, 1) + 1 == self->failAt)
        return NULL;
    size_t rounded = (bytes + 127) & ~(size_t)63; // 64 bytes in front keep the size
    char* block = aligned_alloc(64, rounded);
    if (block == NULL)
        return NULL;
    memset(block, 0xa5, rounded); // nobody may count on zeros
    memcpy(block, &bytes, sizeof bytes);
    long long live = atomic_fetch_add(&self->bytes, (long long)bytes) + (long long)bytes;
    if (live > atomic_load(&self->peakBytes))
        atomic_store(&self->peakBytes, live);
    return block + 64;
}

static inline void testRelease(void* memory, size_t bytes, void* user)
{
    TestAllocator* self = user;
    char* block = (char*)memory - 64;
    size_t stored;
    memcpy(&stored, block, sizeof stored);
    if (stored != bytes)
        atomic_fetch_add(&self->wrongSizes, 1);
    atomic_fetch_sub(&self->bytes, (long long)stored);
    free(block);
}

static inline shAllocator testAllocatorHooks(TestAllocator* allocator)
{
    return (shAllocator){testAlloc, testRelease, allocator};
}

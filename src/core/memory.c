// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/memory.h"

#include "core/check.h"

#include <stdlib.h>
#include <string.h>

static void* systemAlloc(size_t bytes, void* user)
{
    (void)user;
    size_t rounded = (bytes + 63) & ~(size_t)63;
    return rounded < bytes ? NULL : aligned_alloc(64, rounded);
}

static void systemRelease(void* memory, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(memory);
}

void memInit(Memory* memory, shAllocator hooks)
{
    bool given = hooks.alloc != NULL && hooks.release != NULL;
    memory->hooks = given ? hooks : (shAllocator){systemAlloc, systemRelease, NULL};
    atomic_init(&memory->bytes, 0);
    atomic_init(&memory->peakBytes, 0);
    atomic_init(&memory->calls, 0);
}

void memMove(Memory* to, const Memory* from)
{
    to->hooks = from->hooks;
    atomic_init(&to->bytes, atomic_load(&from->bytes));
    atomic_init(&to->peakBytes, atomic_load(&from->peakBytes));
    atomic_init(&to->calls, atomic_load(&from->calls));
}

void* memAlloc(Memory* memory, size_t bytes)
{
    // Half the address space is more than any hook grants; the sum below cannot overflow then.
    if (bytes == 0 || bytes > SIZE_MAX / 2)
        return NULL;
    void* block = memory->hooks.alloc(bytes, memory->hooks.user);
    if (block == NULL)
        return NULL;
    long long live = atomic_fetch_add(&memory->bytes, (long long)bytes) + (long long)bytes;
    long long peak = atomic_load(&memory->peakBytes);
    while (live > peak && !atomic_compare_exchange_weak(&memory->peakBytes, &peak, live)) {
    }
    atomic_fetch_add(&memory->calls, 1);
    return block;
}

void* memAllocZero(Memory* memory, size_t bytes)
{
    void* block = memAlloc(memory, bytes);
    return block != NULL ? memset(block, 0, bytes) : NULL;
}

void* memGrow(Memory* memory, void* old, size_t oldBytes, size_t newBytes)
{
    void* block = memAlloc(memory, newBytes);
    if (block == NULL)
        return NULL;
    CHECK(newBytes >= oldBytes);
    if (old != NULL)
        memcpy(block, old, oldBytes);
    memFree(memory, old, oldBytes);
    return block;
}

void memFree(Memory* memory, void* block, size_t bytes)
{
    if (block == NULL)
        return;
    atomic_fetch_sub(&memory->bytes, (long long)bytes);
    memory->hooks.release(block, bytes, memory->hooks.user);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/keep.h"

#include "core/constants.h"

#include <stdlib.h>

// A sanitizer could not tell that a kept block is nobody's.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { isKeeping = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
enum { isKeeping = 0 };
#else
enum { isKeeping = 1 };
#endif
#else
enum { isKeeping = 1 };
#endif

// Sizes come in steps of an eighth, so that blocks suit requests that differ a little.
static size_t roundUp(size_t bytes)
{
    size_t step = 64;
    if (bytes >= KEEP_LEAST) {
        while (step < bytes / 16)
            step *= 2;
    }
    return bytes > SIZE_MAX - step ? 0 : (bytes + step - 1) / step * step;
}

static void lock(Keep* keep)
{
    while (atomic_flag_test_and_set_explicit(&keep->busy, memory_order_acquire)) {
    }
}

static void unlock(Keep* keep) { atomic_flag_clear_explicit(&keep->busy, memory_order_release); }

static void* keepAlloc(size_t bytes, void* user)
{
    Keep* keep = user;
    size_t rounded = roundUp(bytes);
    void* block = NULL;
    if (rounded >= KEEP_LEAST) {
        lock(keep);
        // The smallest that will do, so that each is there for who asked for it the last time; of equals the last one
        // in, which is the warmest.
        int best = -1;
        for (int i = keep->count - 1; i >= 0; --i) {
            size_t size = keep->slots[i].bytes;
            if (size >= rounded && size <= rounded + rounded / 4 && (best < 0 || size < keep->slots[best].bytes))
                best = i;
        }
        if (best >= 0) {
            block = keep->slots[best].block;
            keep->bytes -= keep->slots[best].bytes;
            keep->slots[best] = keep->slots[--keep->count];
        }
        unlock(keep);
    }
    if (block == NULL && rounded > 0)
        block = aligned_alloc(64, rounded);
    return block;
}

static void keepRelease(void* block, size_t bytes, void* user)
{
    Keep* keep = user;
    size_t rounded = roundUp(bytes);
    if (isKeeping && rounded >= KEEP_LEAST) {
        lock(keep);
        if (keep->count < keepSlots && rounded <= KEEP_MOST - keep->bytes) {
            keep->slots[keep->count].block = block;
            keep->slots[keep->count++].bytes = rounded;
            keep->bytes += rounded;
            block = NULL;
        }
        unlock(keep);
    }
    free(block);
}

shAllocator keepHooks(Keep* keep) { return (shAllocator){keepAlloc, keepRelease, keep}; }

void keepClear(Keep* keep)
{
    while (keep->count > 0)
        free(keep->slots[--keep->count].block);
    keep->bytes = 0;
}

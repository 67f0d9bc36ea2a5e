// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/array.h"

#include <limits.h>
#include <string.h>

bool arrayReserveBytes(Memory* memory, void* data, int* capacity, size_t elementSize, int64_t wanted)
{
    if (wanted <= *capacity)
        return true;
    if (wanted > INT_MAX)
        return false;
    int64_t grown = (int64_t)*capacity + *capacity / 2 + 8;
    int64_t target = wanted > grown ? wanted : grown;
    if (target > INT_MAX)
        target = INT_MAX;
    // The slot is a pointer of another type: copied as bytes, so that optimisers see the change.
    void* old;
    memcpy(&old, data, sizeof old);
    void* block = memGrow(memory, old, memBytes((size_t)*capacity, elementSize), memBytes((size_t)target, elementSize));
    if (block == NULL)
        return false;
    memcpy(data, &block, sizeof block);
    *capacity = (int)target;
    return true;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The allocator of contexts that were given none: the C library's, but large blocks that come back are kept for the
// next one who asks. The first touch of a fresh page costs more than what a break writes to it.
#pragma once

#include "sherd/base.h"

#include <stdatomic.h>

enum { keepSlots = 128 };

typedef struct Keep {
    struct {
        void* block;
        size_t bytes;
    } slots[keepSlots];
    int count;
    size_t bytes; // in all slots
    atomic_flag busy;
} Keep;

// Zeroed memory is a good Keep. It must stay where it is while its hooks are in use.
shAllocator keepHooks(Keep* keep);
void keepClear(Keep* keep); // to the C library

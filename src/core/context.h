// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The context: hooks in, counters out. Passed down by pointer, never global.
#pragma once

#include "core/keep.h"
#include "core/memory.h"
#include "core/tasks.h"

struct shContext {
    Memory memory;  // for everything made with this context; what the counters show
    Memory own;     // for the context itself and its threads
    Keep keep;      // behind `memory` when the host brings no allocator
    TaskPool* pool; // null when the host brings its own tasks or there is one worker
    shTasks tasks;  // what `parallelFor` calls
    double (*clock)(void* user);
    void* clockUser;
};

double contextSeconds(const shContext* context);

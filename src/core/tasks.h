// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Parallel loops over blocks of fixed size. Results must not depend on which worker runs a block or
// when: write to slots indexed by item or block, reduce afterwards in index order.
#pragma once

#include "core/memory.h"

typedef struct TaskPool TaskPool;

// Threads: workerCount − 1 (the caller is worker 0). Null when memory or threads run out.
TaskPool* taskPoolCreate(Memory* memory, int workerCount);
void taskPoolDestroy(TaskPool* pool, Memory* memory);
void taskPoolRun(shTask* task, int count, int block, void* arg, void* pool);

// Runs `task` over [0, count) on the context's workers; inline when there is one worker or one block.
void parallelFor(const shContext* context, int count, int block, shTask* task, void* arg);

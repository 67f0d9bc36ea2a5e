// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Parallel loops over blocks of fixed size. Results must not depend on which worker runs a block or
// when: write to slots indexed by item or block, reduce afterwards in index order.
#pragma once

#include "core/memory.h"

typedef struct TaskPool TaskPool;

// Up to workerCount − 1 threads (the caller is worker 0). *pool is null, and the status shOk, where there are no
// threads to be had; the work is then done by the caller.
shStatus taskPoolCreate(Memory* memory, int workerCount, TaskPool** pool);
void taskPoolDestroy(TaskPool* pool, Memory* memory);
int taskPoolWorkerCount(const TaskPool* pool); // 1 for null
// A shTasks hook. Calls from several threads take turns; a call from within a task runs at once, in
// the calling thread and with its worker index.
void taskPoolRun(shTask* task, int count, int block, void* arg, void* pool);

// Runs `task` over [0, count) on the context's workers, block > 0. What `worker` indexes must belong to the caller
// of this loop: a nested loop reuses the index of the task it is called from.
void parallelFor(const shContext* context, int count, int block, shTask* task, void* arg);

// A region: many short loops one after the other, with the same threads, which stay and wait for the next loop instead
// of coming anew for each. `body` runs in the calling thread, as worker 0.
typedef struct TaskRegion TaskRegion;
typedef void TaskBody(TaskRegion* region, void* arg);
void parallelRegion(const shContext* context, TaskBody* body, void* arg);
// Within a region: `task` over [0, count), each worker a part of its own, the same in loops of the same length, so that
// what it has written stays near. Parts are of `least` items at least: so many take as long as it takes to meet.
void regionFor(TaskRegion* region, int count, int least, shTask* task, void* arg);

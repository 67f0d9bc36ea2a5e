// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pool of threads that claim blocks from one atomic counter. The caller works too.
#include "core/tasks.h"

#include "core/context.h"
#include "core/vec.h"

#ifndef __wasm__
#include <pthread.h>

typedef struct Worker {
    TaskPool* pool;
    pthread_t thread;
    int index;
} Worker;

struct TaskPool {
    pthread_mutex_t mutex;
    pthread_cond_t start, done;
    int workerCount;
    int running;         // workers still inside the current job
    uint32_t generation; // counts jobs; a change wakes the workers
    bool quit;
    shTask* task;
    void* arg;
    int count, block;
    atomic_int next; // first item nobody has claimed
    Worker* workers; // [workerCount − 1]
};

static void work(TaskPool* pool, int worker)
{
    for (;;) {
        int begin = atomic_fetch_add(&pool->next, pool->block);
        if (begin >= pool->count)
            return;
        pool->task(begin, minI(begin + pool->block, pool->count), worker, pool->arg);
    }
}

static void* threadMain(void* argument)
{
    Worker* self = argument;
    TaskPool* pool = self->pool;
    uint32_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->quit && pool->generation == seen)
            pthread_cond_wait(&pool->start, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->mutex);
        work(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->running == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void stopThreads(TaskPool* pool, int count)
{
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < count; ++i)
        pthread_join(pool->workers[i].thread, NULL);
}

TaskPool* taskPoolCreate(Memory* memory, int workerCount)
{
    TaskPool* pool = NEW_ZEROED(memory, TaskPool, 1);
    Worker* workers = NEW_ZEROED(memory, Worker, workerCount - 1);
    if (pool == NULL || workers == NULL) {
        FREE_ARRAY(memory, workers, workerCount - 1);
        FREE_ARRAY(memory, pool, 1);
        return NULL;
    }
    pool->workers = workers;
    pool->workerCount = workerCount;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int i = 0; i < workerCount - 1; ++i) {
        workers[i] = (Worker){.pool = pool, .index = i + 1};
        if (pthread_create(&workers[i].thread, NULL, threadMain, &workers[i]) != 0) {
            stopThreads(pool, i);
            pool->workerCount = 1; // nothing left to join
            taskPoolDestroy(pool, memory);
            return NULL;
        }
    }
    return pool;
}

void taskPoolDestroy(TaskPool* pool, Memory* memory)
{
    if (pool == NULL)
        return;
    int allocated = pool->workerCount;
    if (allocated > 1)
        stopThreads(pool, allocated - 1);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->mutex);
    FREE_ARRAY(memory, pool->workers, allocated - 1);
    FREE_ARRAY(memory, pool, 1);
}

void taskPoolRun(shTask* task, int count, int block, void* arg, void* user)
{
    TaskPool* pool = user;
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->arg = arg;
    pool->count = count;
    pool->block = block;
    atomic_store(&pool->next, 0);
    pool->running = pool->workerCount - 1;
    ++pool->generation;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    work(pool, 0);
    pthread_mutex_lock(&pool->mutex);
    while (pool->running > 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

#else // WebAssembly without threads: one worker, always.

TaskPool* taskPoolCreate(Memory* memory, int workerCount)
{
    (void)memory, (void)workerCount;
    return NULL;
}

void taskPoolDestroy(TaskPool* pool, Memory* memory) { (void)pool, (void)memory; }

void taskPoolRun(shTask* task, int count, int block, void* arg, void* pool)
{
    (void)block, (void)pool;
    task(0, count, 0, arg);
}

#endif

void parallelFor(const shContext* context, int count, int block, shTask* task, void* arg)
{
    if (count <= 0)
        return;
    if (context->tasks.workerCount > 1 && count > block) {
        context->tasks.run(task, count, block, arg, context->tasks.user);
        return;
    }
    for (int begin = 0; begin < count; begin += block)
        task(begin, minI(begin + block, count), 0, arg);
}

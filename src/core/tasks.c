// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pool of threads that claim blocks from one atomic counter; the caller works too. Steps are short and follow
// each other closely, so an idle thread spins a little before it sleeps, nobody waits for a thread that has not
// woken up yet, and locks are taken only around sleeping.
//
// In a region the threads that have come follow one word: the number of the loop and, bit by bit, which parts of it are
// taken. Who sets a bit that was clear has that part, of whatever loop the word then spoke of: so nobody has to be
// there in time, or at all.
#include "core/tasks.h"

#include "core/check.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/vec.h"

static void runInline(shTask* task, int begin, int end, int block, int worker, void* arg)
{
    for (; begin < end; begin += minI(block, end - begin))
        task(begin, begin + minI(block, end - begin), worker, arg);
}

#ifndef __wasm__
#include <pthread.h>
#include <sched.h>

#define CACHE_LINE 64

typedef struct Worker {
    TaskPool* pool;
    pthread_t thread;
    int index;
} Worker;

struct TaskPool {
    Worker* workers; // [capacity], of which workerCount − 1 run
    int capacity, workerCount;

    pthread_mutex_t turn;    // held by the thread whose loop is running
    atomic_uintptr_t caller; // that thread, 0 = none

    // The job. Written while `generation` is even and nobody inside; a thread that joins then looks no further.
    shTask* task;
    void* arg;
    int count, block;

    _Alignas(CACHE_LINE) atomic_llong next;      // first item nobody has claimed
    _Alignas(CACHE_LINE) atomic_uint generation; // odd: a job is open
    _Alignas(CACHE_LINE) atomic_int active;      // threads that have joined the job

    pthread_mutex_t mutex; // around sleeping and waking
    pthread_cond_t start, done;
    atomic_int sleepers;
    atomic_bool callerSleeps, quit;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Many blocks at a time while many are left, so that short ones do not cost more to claim than to do.
static void claimBlocks(TaskPool* pool, int worker)
{
    for (;;) {
        long long left = pool->count - atomic_load_explicit(&pool->next, memory_order_relaxed);
        if (left <= 0)
            return;
        long long blocks = left / pool->block / (TASK_SHARES * pool->workerCount);
        long long size = (blocks > 1 ? blocks : 1) * pool->block;
        long long begin = atomic_fetch_add(&pool->next, size);
        if (begin >= pool->count)
            return;
        runInline(pool->task, (int)begin, (int)(begin + size < pool->count ? begin + size : pool->count), pool->block,
                  worker, pool->arg);
    }
}

// A job the thread has not seen yet, or the end.
static bool called(TaskPool* pool, unsigned seen)
{
    unsigned now = atomic_load(&pool->generation);
    return ((now & 1u) != 0 && now != seen) || atomic_load(&pool->quit);
}

static void awaitCall(TaskPool* pool, unsigned seen)
{
    for (int i = 0; i < TASK_SPIN_ROUNDS; ++i) {
        if (called(pool, seen))
            return;
        relax();
    }
    // Announced before the last look, as the caller opens the job before it looks for sleepers: one sees the other.
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!called(pool, seen))
        pthread_cond_wait(&pool->start, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void* threadMain(void* argument)
{
    Worker* self = argument;
    TaskPool* pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        awaitCall(pool, seen);
        if (atomic_load(&pool->quit))
            return NULL;
        // Join, then look whether the job is still open: the caller closes it, then looks whether someone has joined.
        atomic_fetch_add(&pool->active, 1);
        unsigned now = atomic_load(&pool->generation);
        if ((now & 1u) != 0 && now != seen) {
            seen = now;
            claimBlocks(pool, self->index);
        }
        if (atomic_fetch_sub(&pool->active, 1) == 1 && atomic_load(&pool->callerSleeps)) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void wakeSleepers(TaskPool* pool)
{
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
}

static void awaitActive(TaskPool* pool)
{
    for (int i = 0; i < TASK_SPIN_ROUNDS; ++i) {
        if (atomic_load(&pool->active) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->callerSleeps, true);
    while (atomic_load(&pool->active) != 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    atomic_store(&pool->callerSleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

shStatus taskPoolCreate(Memory* memory, int workerCount, TaskPool** made)
{
    *made = NULL;
    int capacity = workerCount - 1;
    if (capacity < 1)
        return shOk;
    TaskPool* pool = NEW_ZEROED(memory, TaskPool, 1);
    Worker* workers = NEW_ZEROED(memory, Worker, capacity);
    if (pool == NULL || workers == NULL) {
        FREE_ARRAY(memory, workers, capacity);
        FREE_ARRAY(memory, pool, 1);
        return shOutOfMemory;
    }
    pool->workers = workers;
    pool->capacity = capacity;
    pool->workerCount = 1;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int i = 0; i < capacity; ++i) {
        workers[i] = (Worker){.pool = pool, .index = i + 1};
        if (pthread_create(&workers[i].thread, NULL, threadMain, &workers[i]) != 0)
            break; // the system grants no more: fewer will do
        ++pool->workerCount;
    }
    if (pool->workerCount > 1)
        *made = pool;
    else
        taskPoolDestroy(pool, memory);
    return shOk;
}

void taskPoolDestroy(TaskPool* pool, Memory* memory)
{
    if (pool == NULL)
        return;
    atomic_store(&pool->quit, true);
    wakeSleepers(pool);
    for (int i = 0; i < pool->workerCount - 1; ++i)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->mutex);
    pthread_mutex_destroy(&pool->turn);
    FREE_ARRAY(memory, pool->workers, pool->capacity);
    FREE_ARRAY(memory, pool, 1);
}

int taskPoolWorkerCount(const TaskPool* pool) { return pool != NULL ? pool->workerCount : 1; }

// The worker that the calling thread is at this moment, −1 = none. Nobody but a thread itself writes its own name to
// `caller`, so what it finds there about itself is true.
static int workerOfThisThread(TaskPool* pool)
{
    pthread_t self = pthread_self();
    if (atomic_load(&pool->caller) == (uintptr_t)self)
        return 0;
    for (int i = 0; i < pool->workerCount - 1; ++i)
        if (pthread_equal(pool->workers[i].thread, self))
            return i + 1;
    return -1;
}

void taskPoolRun(shTask* task, int count, int block, void* arg, void* user)
{
    TaskPool* pool = user;
    if (pool == NULL) {
        runInline(task, 0, count, block, 0, arg);
        return;
    }
    int worker = workerOfThisThread(pool);
    if (worker >= 0) {
        runInline(task, 0, count, block, worker, arg);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    atomic_store(&pool->caller, (uintptr_t)pthread_self());
    if (count <= block) {
        task(0, count, 0, arg);
    } else {
        pool->task = task;
        pool->arg = arg;
        pool->count = count;
        pool->block = block;
        atomic_store(&pool->next, 0);
        atomic_fetch_add(&pool->generation, 1); // open
        wakeSleepers(pool);
        claimBlocks(pool, 0);
        atomic_fetch_add(&pool->generation, 1); // closed
        awaitActive(pool);
    }
    atomic_store(&pool->caller, 0);
    pthread_mutex_unlock(&pool->turn);
}

// ---- regions --------------------------------------------------------------------------------------------------------

enum { maxParts = 32 };

struct TaskRegion {
    const shContext* context;
    TaskPool* pool; // null: loops are run as any other
    TaskBody* body;
    void* bodyArg;
    bool begun;

    // The loop. Written when all of the one before is done; what everybody asks for together.
    _Alignas(CACHE_LINE) atomic_ullong word; // its number, and a bit for each part that is taken
    shTask* task;
    void* arg;
    int count, parts;

    _Alignas(CACHE_LINE) atomic_int left; // parts that are not done
};

static const unsigned long long regionOver = UINT64_MAX;

// Where a part begins.
static int partStart(const TaskRegion* region, int part)
{
    return (int)((int64_t)region->count * part / region->parts);
}

// Takes a part of the loop that is open, the worker's own if it can be had. False: there is none.
static bool takePart(TaskRegion* region, int worker, int* part)
{
    unsigned wanted = 1u << (worker % maxParts);
    while ((uint32_t)atomic_load_explicit(&region->word, memory_order_relaxed) != UINT32_MAX) {
        unsigned taken = (uint32_t)atomic_fetch_or(&region->word, wanted);
        if ((taken & wanted) == 0) {
            *part = __builtin_ctz(wanted);
            return true;
        }
        wanted = ~taken & (taken + 1); // the lowest that is free
        if (wanted == 0)
            return false;
    }
    return false;
}

static void runPart(TaskRegion* region, int part, int worker)
{
    region->task(partStart(region, part), partStart(region, part + 1), worker, region->arg);
    atomic_fetch_sub(&region->left, 1);
}

static void runParts(TaskRegion* region, int worker)
{
    int part;
    while (takePart(region, worker, &part))
        runPart(region, part, worker);
}

static void spinOrYield(int* rounds)
{
    if (++*rounds < TASK_YIELD_ROUNDS)
        relax();
    else
        sched_yield(); // whoever is being waited for may need this core
}

static void regionMember(int begin, int end, int worker, void* arg)
{
    (void)begin, (void)end;
    TaskRegion* region = arg;
    if (worker == 0) {
        if (region->begun)
            return;
        region->begun = true;
        region->body(region, region->bodyArg);
        atomic_store(&region->word, regionOver);
        return;
    }
    for (int rounds = 0;;) {
        unsigned long long now = atomic_load(&region->word);
        if (now == regionOver)
            return;
        if ((uint32_t)now == UINT32_MAX) {
            spinOrYield(&rounds);
        } else {
            runParts(region, worker);
            rounds = 0;
        }
    }
}

void parallelRegion(const shContext* context, TaskBody* body, void* arg)
{
    TaskPool* pool = context->pool;
    TaskRegion region = {.context = context, .body = body, .bodyArg = arg};
    if (pool == NULL || workerOfThisThread(pool) >= 0) {
        body(&region, arg);
        return;
    }
    region.pool = pool;
    atomic_init(&region.word, UINT32_MAX); // no loop yet
    taskPoolRun(regionMember, pool->workerCount, 1, &region, pool);
}

void regionFor(TaskRegion* region, int count, int least, shTask* task, void* arg)
{
    CHECK(least > 0);
    if (region->pool == NULL) {
        parallelFor(region->context, count, least, task, arg);
        return;
    }
    int parts = minI(minI(region->pool->workerCount, maxParts), count / least);
    if (parts < 2) {
        if (count > 0)
            task(0, count, 0, arg);
        return;
    }
    region->task = task;
    region->arg = arg;
    region->count = count;
    region->parts = parts;
    atomic_store(&region->left, parts);
    unsigned long long number = (atomic_load_explicit(&region->word, memory_order_relaxed) >> 32) + 1;
    uint32_t none = parts < maxParts ? UINT32_MAX << parts : 0; // parts that there are not
    atomic_store(&region->word, number % UINT32_MAX << 32 | none | 1u);
    runPart(region, 0, 0);
    runParts(region, 0);
    for (int rounds = 0; atomic_load(&region->left) > 0;)
        spinOrYield(&rounds);
}

#else // WebAssembly without threads: one worker, always.

struct TaskRegion {
    const shContext* context;
};

void parallelRegion(const shContext* context, TaskBody* body, void* arg) { body(&(TaskRegion){context}, arg); }

void regionFor(TaskRegion* region, int count, int least, shTask* task, void* arg)
{
    parallelFor(region->context, count, least, task, arg);
}

shStatus taskPoolCreate(Memory* memory, int workerCount, TaskPool** pool)
{
    (void)memory, (void)workerCount;
    *pool = NULL;
    return shOk;
}

void taskPoolDestroy(TaskPool* pool, Memory* memory) { (void)pool, (void)memory; }

int taskPoolWorkerCount(const TaskPool* pool)
{
    (void)pool;
    return 1;
}

void taskPoolRun(shTask* task, int count, int block, void* arg, void* pool)
{
    (void)pool;
    runInline(task, 0, count, block, 0, arg);
}

#endif

void parallelFor(const shContext* context, int count, int block, shTask* task, void* arg)
{
    CHECK(block > 0);
    if (count > 0)
        context->tasks.run(task, count, block, arg, context->tasks.user);
}

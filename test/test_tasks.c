// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/array.h"
#include "core/context.h"
#include "core/hash.h"
#include "core/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static shContext* makeContext(int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shContext* context = NULL;
    shMessage message;
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    assert_int_equal(shContext_GetWorkerCount(context), workers);
    return context;
}

#define MOST_ITEMS 5000
#define MOST_WORKERS 8

typedef struct Loop {
    const shContext* context;
    int count, block, workers;
    int outerWorker; // of a nested loop: who calls it
    int visits[MOST_ITEMS];
    atomic_int inside[MOST_WORKERS];
    atomic_int wrong; // cmocka must not fail inside another thread
} Loop;

static void visit(int begin, int end, int worker, void* arg)
{
    Loop* loop = arg;
    if (worker < 0 || worker >= loop->workers || atomic_fetch_add(&loop->inside[worker], 1) != 0)
        atomic_fetch_add(&loop->wrong, 1);
    if (begin % loop->block != 0 || end != minI(begin + loop->block, loop->count))
        atomic_fetch_add(&loop->wrong, 1);
    for (int i = begin; i < end; ++i)
        ++loop->visits[i]; // a data race, if two blocks overlapped
    atomic_fetch_sub(&loop->inside[worker], 1);
}

static void everyItemIsVisitedOnceInBlocksOfTheGivenSize(void** state)
{
    (void)state;
    Random random = randomSeed(1);
    static Loop loop;
    for (int workers = 1; workers <= MOST_WORKERS; workers += workers < 4 ? 1 : 4) {
        shContext* context = makeContext(workers);
        for (int trial = 0; trial < 400; ++trial) {
            int count = randomBelow(&random, trial % 4 == 0 ? MOST_ITEMS : 40);
            loop =
                (Loop){.context = context, .count = count, .block = 1 + randomBelow(&random, 50), .workers = workers};
            parallelFor(context, count, loop.block, visit, &loop);
            assert_int_equal(atomic_load(&loop.wrong), 0);
            for (int i = 0; i < MOST_ITEMS; ++i)
                assert_int_equal(loop.visits[i], i < count);
        }
        assert_int_equal(shDestroyContext(context), 0);
    }
}

static void sumBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    double* sums = arg;
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
        sum += sqrt((double)i);
    sums[begin / 64] = sum;
}

static void reducedInIndexOrderResultsDoNotDependOnTheWorkers(void** state)
{
    (void)state;
    uint64_t first = 0;
    for (int workers = 1; workers <= 5; ++workers) {
        shContext* context = makeContext(workers);
        for (int repeat = 0; repeat < 20; ++repeat) {
            static double sums[200];
            parallelFor(context, 64 * 200, 64, sumBlock, sums);
            double total = 0.0;
            for (int i = 0; i < 200; ++i)
                total += sums[i];
            uint64_t value = hashOf(&total, sizeof total, 0);
            first = first != 0 ? first : value;
            assert_true(value == first);
        }
        shDestroyContext(context);
    }
}

static void visitInner(int begin, int end, int worker, void* arg)
{
    Loop* loop = arg;
    if (worker != loop->outerWorker)
        atomic_fetch_add(&loop->wrong, 1);
    visit(begin, end, worker, arg);
}

static void visitNested(int begin, int end, int worker, void* arg)
{
    Loop* loop = arg;
    static Loop inner[64]; // one per item of the outer loop
    for (int i = begin; i < end; ++i) {
        inner[i] = (Loop){.count = 1 + i * 3, .block = 4, .workers = loop->workers, .outerWorker = worker};
        parallelFor(loop->context, inner[i].count, 4, visitInner, &inner[i]);
        int visits = 0;
        for (int k = 0; k < inner[i].count; ++k)
            visits += inner[i].visits[k];
        if (visits != inner[i].count || atomic_load(&inner[i].wrong) != 0)
            atomic_fetch_add(&loop->wrong, 1);
    }
    visit(begin, end, worker, arg);
}

static void nestedLoopsRunAsTheWorkerThatCallsThem(void** state)
{
    (void)state;
    static Loop loop;
    for (int workers = 1; workers <= 4; ++workers) {
        shContext* context = makeContext(workers);
        for (int trial = 0; trial < 100; ++trial) {
            loop = (Loop){.context = context, .count = 64, .block = 1 + trial % 3, .workers = workers};
            parallelFor(context, 64, loop.block, visitNested, &loop);
            assert_int_equal(atomic_load(&loop.wrong), 0);
        }
        shDestroyContext(context);
    }
}

static void* loopsOfOneThread(void* arg)
{
    Loop* loop = arg;
    for (int trial = 0; trial < 300; ++trial)
        parallelFor(loop->context, loop->count, loop->block, visit, loop);
    return NULL;
}

static void loopsFromSeveralThreadsTakeTurns(void** state)
{
    (void)state;
    static Loop loops[3];
    pthread_t threads[3];
    shContext* context = makeContext(3);
    for (int i = 0; i < 3; ++i) {
        loops[i] = (Loop){.context = context, .count = 50 * i + 5, .block = 7, .workers = 3};
        assert_int_equal(pthread_create(&threads[i], NULL, loopsOfOneThread, &loops[i]), 0);
    }
    for (int i = 0; i < 3; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&loops[i].wrong), 0);
        for (int k = 0; k < MOST_ITEMS; ++k)
            assert_int_equal(loops[i].visits[k], k < loops[i].count ? 300 : 0);
    }
    shDestroyContext(context);
}

static void pauseNow(void)
{
    struct timespec pause = {0, 300000};
    nanosleep(&pause, NULL);
}

static void sleepingThreadsWakeForTheNextLoop(void** state)
{
    (void)state;
    static Loop loop;
    shContext* context = makeContext(4);
    for (int trial = 0; trial < 100; ++trial) {
        pauseNow(); // longer than the busy wait
        loop = (Loop){.context = context, .count = 8, .block = 1, .workers = 4};
        parallelFor(context, 8, 1, visit, &loop);
        for (int i = 0; i < 8; ++i)
            assert_int_equal(loop.visits[i], 1);
    }
    shDestroyContext(context);
}

static void slowVisit(int begin, int end, int worker, void* arg)
{
    if (worker != 0)
        pauseNow(); // the caller runs out of blocks first and has to sleep
    visit(begin, end, worker, arg);
}

static void theCallerSleepsUntilTheLastBlockIsDone(void** state)
{
    (void)state;
    static Loop loop;
    shContext* context = makeContext(4);
    for (int trial = 0; trial < 100; ++trial) {
        loop = (Loop){.context = context, .count = 1000, .block = 1, .workers = 4};
        parallelFor(context, 1000, 1, slowVisit, &loop);
        for (int i = 0; i < 1000; ++i)
            assert_int_equal(loop.visits[i], 1);
    }
    shDestroyContext(context);
}

typedef struct HookCalls {
    int runs, blocks;
} HookCalls;

static void backwards(shTask* task, int count, int block, void* arg, void* user)
{
    HookCalls* calls = user;
    ++calls->runs;
    for (int i = (count - 1) / block; i >= 0; --i, ++calls->blocks)
        task(i * block, minI((i + 1) * block, count), i % 2, arg);
}

static void theHostsTasksAreUsedWhenGiven(void** state)
{
    (void)state;
    HookCalls calls = {0, 0};
    shContextDef def = shDefaultContextDef();
    def.tasks = (shTasks){backwards, 2, &calls};
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(shContext_GetWorkerCount(context), 2);
    static Loop loop;
    loop = (Loop){.context = context, .count = 103, .block = 10, .workers = 2};
    parallelFor(context, 103, 10, visit, &loop);
    parallelFor(context, 0, 10, visit, &loop);
    assert_int_equal(calls.runs, 1);
    assert_int_equal(calls.blocks, 11);
    for (int i = 0; i < 103; ++i)
        assert_int_equal(loop.visits[i], 1);
    assert_int_equal(shDestroyContext(context), 0);
}

#define CHAIN 97

// Loops that need what the loop before has written, by whichever worker.
typedef struct Chain {
    const shContext* context;
    int loops, workers, least;
    uint64_t values[2][CHAIN];
    int from; // the row that the loop reads
    atomic_int wrong;
} Chain;

static void chainLink(int begin, int end, int worker, void* arg)
{
    Chain* chain = arg;
    if (worker < 0 || worker >= chain->workers || begin >= end)
        atomic_fetch_add(&chain->wrong, 1);
    const uint64_t* from = chain->values[chain->from];
    for (int i = begin; i < end; ++i)
        chain->values[1 - chain->from][i] = hashMix(from[i] + 3 * from[(i * 31 + 7) % CHAIN]);
}

static void runChain(TaskRegion* region, void* arg)
{
    Chain* chain = arg;
    for (int k = 0; k < chain->loops; ++k) {
        int count = k % 3 == 0 ? CHAIN : CHAIN / (1 + k % 5); // the rest stays as it is
        for (int i = count; i < CHAIN; ++i)
            chain->values[1 - chain->from][i] = chain->values[chain->from][i];
        regionFor(region, count, chain->least, chainLink, chain);
        regionFor(region, 0, chain->least, chainLink, chain);
        chain->from = 1 - chain->from;
    }
}

static uint64_t chainHash(const shContext* context, int workers, int loops, int least)
{
    Chain chain = {.context = context, .loops = loops, .workers = workers, .least = least};
    for (int i = 0; i < CHAIN; ++i)
        chain.values[0][i] = (uint64_t)i;
    parallelRegion(context, runChain, &chain);
    assert_int_equal(atomic_load(&chain.wrong), 0);
    return hashOf(chain.values[chain.from], sizeof chain.values[0], 0);
}

static void loopsOfARegionSeeWhatThoseBeforeHaveWritten(void** state)
{
    (void)state;
    shContext* one = makeContext(1);
    for (int workers = 2; workers <= MOST_WORKERS; workers += workers < 4 ? 1 : 4) {
        shContext* context = makeContext(workers);
        for (int trial = 0; trial < 200; ++trial) {
            int loops = trial % 40, least = 1 + trial % 7;
            assert_true(chainHash(context, workers, loops, least) == chainHash(one, 1, loops, least));
        }
        assert_int_equal(shDestroyContext(context), 0);
    }
    shDestroyContext(one);
}

static void chainInTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Chain* chains = arg;
    for (int i = begin; i < end; ++i)
        parallelRegion(chains[i].context, runChain, &chains[i]);
}

static void regionsMayBeOpenedWithinTasksAndOnTheHostsWorkers(void** state)
{
    (void)state;
    enum { count = 20 };
    shContext* one = makeContext(1);
    uint64_t wanted = chainHash(one, 1, 11, 2);
    static Chain chains[count];
    for (int workers = 1; workers <= 4; ++workers) {
        shContext* context = makeContext(workers);
        for (int k = 0; k < count; ++k) {
            chains[k] = (Chain){.context = context, .loops = 11, .workers = workers, .least = 2};
            for (int i = 0; i < CHAIN; ++i)
                chains[k].values[0][i] = (uint64_t)i;
        }
        parallelFor(context, count, 1, chainInTask, chains);
        for (int k = 0; k < count; ++k)
            assert_true(hashOf(chains[k].values[chains[k].from], sizeof chains[k].values[0], 0) == wanted);
        assert_int_equal(shDestroyContext(context), 0);
    }
    HookCalls calls = {0, 0};
    shContextDef def = shDefaultContextDef();
    def.tasks = (shTasks){backwards, 2, &calls};
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_true(chainHash(context, 2, 11, 2) == wanted);
    assert_int_equal(calls.runs, 11);
    assert_int_equal(shDestroyContext(context), 0);
    shDestroyContext(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyItemIsVisitedOnceInBlocksOfTheGivenSize),
        cmocka_unit_test(reducedInIndexOrderResultsDoNotDependOnTheWorkers),
        cmocka_unit_test(nestedLoopsRunAsTheWorkerThatCallsThem),
        cmocka_unit_test(loopsFromSeveralThreadsTakeTurns),
        cmocka_unit_test(sleepingThreadsWakeForTheNextLoop),
        cmocka_unit_test(theCallerSleepsUntilTheLastBlockIsDone),
        cmocka_unit_test(theHostsTasksAreUsedWhenGiven),
        cmocka_unit_test(loopsOfARegionSeeWhatThoseBeforeHaveWritten),
        cmocka_unit_test(regionsMayBeOpenedWithinTasksAndOnTheHostsWorkers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Many pairs at once. A worker has its own query and gathers its pairs' contacts; each pair remembers whose list they
// are in and where, and at the end they are put together in the order of the pairs. Pair states change only then, so a
// batch that fails has changed nothing.
#include "core/array.h"
#include "core/constants.h"
#include "core/context.h"
#include "core/message.h"
#include "sherd/collide.h"
#include "sherd/scenery.h"

#include <string.h>

typedef struct Worker {
    shQuery* query;
    ARRAY(shContact) found;
    // The first pair that went wrong here.
    int failedPair;
    shStatus status;
    shMessage message;
} Worker;

// One pair's outcome, before the lists are joined.
typedef struct Outcome {
    shPair pair;
    int worker, first; // where its contacts are
} Outcome;

struct shBatch {
    shContext* context;
    Worker* workers;
    int workerCount;
    ARRAY(Outcome) outcomes;
    ARRAY(shPairContacts) ranges;
    ARRAY(shContact) contacts;
};

typedef struct Job {
    shBatch* batch;
    const shCollideDef* def;
    const shPairQuery* pairs;
} Job;

shStatus shCreateBatch(shContext* context, shBatch** batch, shMessage* message)
{
    Memory* memory = &context->memory;
    shBatch* made = NEW_ZEROED(memory, shBatch, 1);
    *batch = NULL;
    if (made == NULL)
        return failMemory(message);
    made->context = context;
    made->workers = NEW_ZEROED(memory, Worker, context->tasks.workerCount);
    shStatus status = made->workers != NULL ? shOk : failMemory(message);
    made->workerCount = status == shOk ? context->tasks.workerCount : 0;
    for (int w = 0; w < made->workerCount && status == shOk; ++w)
        status = shCreateQuery(context, &made->workers[w].query, message);
    if (status == shOk)
        *batch = made;
    else
        shDestroyBatch(made);
    return status;
}

void shDestroyBatch(shBatch* batch)
{
    if (batch == NULL)
        return;
    Memory* memory = &batch->context->memory;
    for (int w = 0; w < batch->workerCount; ++w) {
        shDestroyQuery(batch->workers[w].query);
        arrayFree(memory, &batch->workers[w].found);
    }
    FREE_ARRAY(memory, batch->workers, batch->workerCount);
    arrayFree(memory, &batch->outcomes);
    arrayFree(memory, &batch->ranges);
    arrayFree(memory, &batch->contacts);
    FREE_ARRAY(memory, batch, 1);
}

static shStatus collideOne(const Job* job, int index, Worker* worker, shMessage* message)
{
    shBatch* batch = job->batch;
    const shPairQuery* query = &job->pairs[index];
    if ((query->b.solid != NULL) + (query->shape != NULL) + (query->scenery != NULL) != 1)
        return fail(message, shInvalid, "collide: give either a second solid, a shape or scenery");
    Outcome* outcome = &batch->outcomes.data[index];
    shPair* pair = NULL;
    if (query->pair != NULL) {
        outcome->pair = *query->pair;
        pair = &outcome->pair;
    }
    const shContact* contacts;
    int count;
    shStatus status;
    if (query->shape != NULL)
        status = shCollideShape(worker->query, job->def, &query->a, query->shape, query->b.transform, pair, &contacts,
                                &count, message);
    else if (query->scenery != NULL)
        status = shCollideScenery(worker->query, job->def, &query->a, query->scenery, query->b.transform, pair,
                                  &contacts, &count, message);
    else
        status = shCollide(worker->query, job->def, &query->a, &query->b, pair, &contacts, &count, message);
    if (status != shOk)
        return status;
    if (!arrayReserve(&batch->context->memory, &worker->found, (int64_t)worker->found.count + count))
        return failMemory(message);
    outcome->worker = (int)(worker - batch->workers);
    outcome->first = worker->found.count;
    batch->ranges.data[index] = (shPairContacts){0, count, shQuery_GetStats(worker->query)};
    if (count > 0)
        memcpy(worker->found.data + worker->found.count, contacts, sizeof(shContact) * (size_t)count);
    worker->found.count += count;
    return shOk;
}

static void collideBlock(int begin, int end, int index, void* arg)
{
    const Job* job = arg;
    Worker* worker = &job->batch->workers[index];
    for (int i = begin; i < end; ++i) {
        shMessage message = {""};
        shStatus status = collideOne(job, i, worker, &message);
        if (status != shOk && (worker->status == shOk || i < worker->failedPair)) {
            worker->status = status;
            worker->failedPair = i;
            worker->message = message;
        }
    }
}

static shStatus firstFailure(const shBatch* batch, shMessage* message)
{
    const Worker* first = NULL;
    for (int w = 0; w < batch->workerCount; ++w) {
        const Worker* worker = &batch->workers[w];
        if (worker->status != shOk && (first == NULL || worker->failedPair < first->failedPair))
            first = worker;
    }
    if (first == NULL)
        return shOk;
    if (first->status == shOutOfMemory)
        return failMemory(message);
    return fail(message, first->status, "pair %d: %s", first->failedPair, first->message.text);
}

shStatus shCollidePairs(shBatch* batch, const shCollideDef* def, const shPairQuery* pairs, int pairCount,
                        const shContact** contacts, const shPairContacts** ranges, shMessage* message)
{
    Memory* memory = &batch->context->memory;
    if (pairCount < 0)
        return fail(message, shInvalid, "collide: %d pairs", pairCount);
    if (!arrayReserve(memory, &batch->outcomes, pairCount) || !arrayReserve(memory, &batch->ranges, pairCount))
        return failMemory(message);
    for (int w = 0; w < batch->workerCount; ++w) {
        batch->workers[w].found.count = 0;
        batch->workers[w].status = shOk;
    }
    Job job = {batch, def, pairs};
    parallelFor(batch->context, pairCount, PAIR_BLOCK, collideBlock, &job);
    shStatus status = firstFailure(batch, message);
    if (status != shOk)
        return status;

    int64_t total = 0;
    for (int w = 0; w < batch->workerCount; ++w)
        total += batch->workers[w].found.count;
    if (!arrayReserve(memory, &batch->contacts, total))
        return failMemory(message);
    batch->contacts.count = 0;
    for (int i = 0; i < pairCount; ++i) {
        const Outcome* outcome = &batch->outcomes.data[i];
        shPairContacts* range = &batch->ranges.data[i];
        range->first = batch->contacts.count;
        if (range->count > 0)
            memcpy(batch->contacts.data + range->first, batch->workers[outcome->worker].found.data + outcome->first,
                   sizeof(shContact) * (size_t)range->count);
        batch->contacts.count += range->count;
        if (pairs[i].pair != NULL)
            *pairs[i].pair = outcome->pair;
    }
    *contacts = batch->contacts.data;
    *ranges = batch->ranges.data;
    return shOk;
}

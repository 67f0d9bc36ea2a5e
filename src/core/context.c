// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/context.h"

#include "core/message.h"

#ifndef __wasm__
#include <time.h>
#endif

#define CONTEXT_COOKIE 0x53484331u // "SHC1"
#define MAX_WORKERS 64

static double systemClock(void* user)
{
    (void)user;
#ifndef __wasm__
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
    return 0.0;
#endif
}

shContextDef shDefaultContextDef(void) { return (shContextDef){.workerCount = 1, .cookie = CONTEXT_COOKIE}; }

shStatus shCreateContext(const shContextDef* def, shContext** context, shMessage* message)
{
    if (context != NULL)
        *context = NULL;
    if (def == NULL || context == NULL || def->cookie != CONTEXT_COOKIE)
        return fail(message, shInvalid, "context: fill the definition with shDefaultContextDef() first");
    int workers = def->tasks.run != NULL ? def->tasks.workerCount : def->workerCount;
    if (workers < 1 || workers > MAX_WORKERS)
        return fail(message, shInvalid, "context: workerCount is %d; it must be 1 to %d", workers, MAX_WORKERS);

    if ((def->allocator.alloc == NULL) != (def->allocator.release == NULL))
        return fail(message, shInvalid, "context: the allocator needs both alloc and release, or neither");

    Memory own; // moves into the block it allocates
    memInit(&own, def->allocator);
    shContext* made = NEW_ZEROED(&own, shContext, 1);
    if (made == NULL)
        return failMemory(message);
    memMove(&made->own, &own);
    memInit(&made->memory, def->allocator.alloc != NULL ? def->allocator : keepHooks(&made->keep));
    made->clock = def->clock != NULL ? def->clock : systemClock;
    made->clockUser = def->clockUser;
    made->tasks = def->tasks;
    if (def->tasks.run == NULL) {
        if (taskPoolCreate(&made->own, workers, &made->pool) != shOk) {
            shDestroyContext(made);
            return failMemory(message);
        }
        made->tasks = (shTasks){taskPoolRun, taskPoolWorkerCount(made->pool), made->pool};
    }
    *context = made;
    return shOk;
}

int64_t shDestroyContext(shContext* context)
{
    if (context == NULL)
        return 0;
    int64_t lost = atomic_load(&context->memory.bytes);
    taskPoolDestroy(context->pool, &context->own);
    keepClear(&context->keep);
    Memory own;
    memMove(&own, &context->own);
    FREE_ARRAY(&own, context, 1);
    return lost;
}

shMemoryCounters shContext_GetMemory(const shContext* context)
{
    const Memory* memory = &context->memory;
    return (shMemoryCounters){atomic_load(&memory->bytes), atomic_load(&memory->peakBytes),
                              atomic_load(&memory->calls)};
}

int shContext_GetWorkerCount(const shContext* context) { return context->tasks.workerCount; }

double contextSeconds(const shContext* context) { return context->clock(context->clockUser); }

const char* shStatusText(shStatus status)
{
    static const char* const texts[] = {"ok",       "invalid argument",   "out of memory",  "file error",
                                        "bad file", "not a usable solid", "limit exceeded", "external program failed"};
    return (unsigned)status < sizeof(texts) / sizeof(texts[0]) ? texts[status] : "unknown status";
}

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
const char* shVersionText(void) { return TEXT(SH_VERSION_MAJOR) "." TEXT(SH_VERSION_MINOR) "." TEXT(SH_VERSION_PATCH); }

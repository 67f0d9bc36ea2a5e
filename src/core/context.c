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
    if (def == NULL || context == NULL || def->cookie != CONTEXT_COOKIE)
        return fail(message, shInvalid, "context: fill the definition with shDefaultContextDef() first");
    int workers = def->tasks.run != NULL ? def->tasks.workerCount : def->workerCount;
    if (workers < 1 || workers > MAX_WORKERS)
        return fail(message, shInvalid, "context: workerCount is %d; it must be 1 to %d", workers, MAX_WORKERS);

    Memory memory;
    memInit(&memory, def->allocator);
    shContext* made = NEW_ZEROED(&memory, shContext, 1);
    if (made == NULL)
        return failMemory(message);
    memInit(&made->memory, def->allocator);
    made->clock = def->clock != NULL ? def->clock : systemClock;
    made->clockUser = def->clockUser;
    if (def->tasks.run != NULL) {
        made->tasks = def->tasks;
    } else {
        if (workers > 1)
            made->pool = taskPoolCreate(&made->memory, workers);
        // No threads to be had (WebAssembly, limits of the system): the same work on one.
        made->tasks = (shTasks){taskPoolRun, made->pool != NULL ? workers : 1, made->pool};
    }
    *context = made;
    return shOk;
}

int64_t shDestroyContext(shContext* context)
{
    if (context == NULL)
        return 0;
    taskPoolDestroy(context->pool, &context->memory);
    int64_t left = atomic_load(&context->memory.bytes);
    shAllocator hooks = context->memory.hooks;
    hooks.release(context, sizeof(shContext), hooks.user);
    return left;
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

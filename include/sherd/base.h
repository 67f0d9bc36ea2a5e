// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What every other header stands on: numbers, status codes, messages, and the context that carries
// the host's hooks (memory, clock, tasks). The library keeps no globals, prints nothing, never exits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SH_VERSION_MAJOR 0
#define SH_VERSION_MINOR 1
#define SH_VERSION_PATCH 0

#if defined(__GNUC__)
#define SH_API __attribute__((visibility("default")))
#else
#define SH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// A point or a direction, metres unless said otherwise.
typedef struct shVec3 {
    float x, y, z;
} shVec3;

// A rotation: v = axis · sin(angle/2), s = cos(angle/2).
typedef struct shQuat {
    shVec3 v;
    float s;
} shQuat;

// From a body's rest frame to the world: x ↦ q·x + p.
typedef struct shTransform {
    shVec3 p;
    shQuat q;
} shTransform;

typedef struct shBox {
    shVec3 lower, upper;
} shBox;

typedef enum shStatus {
    shOk = 0,
    shInvalid,     // an argument or a definition makes no sense
    shOutOfMemory, // the allocator hook returned null
    shNoFile,      // a file cannot be opened, read or written
    shBadFile,     // a file is damaged, hostile or of another kind
    shBadMesh,     // a mesh is not a closed, oriented, solid thing
    shLimit,       // a capacity stated in the documentation is exceeded
    shFailed,      // an external program failed
} shStatus;

// Where functions that can fail say what went wrong and what to do about it. May always be null.
typedef struct shMessage {
    char text[512];
} shMessage;

// Memory hook. `alloc` returns memory aligned to 64 bytes or null; `release` gets the size back.
typedef struct shAllocator {
    void* (*alloc)(size_t bytes, void* user);
    void (*release)(void* memory, size_t bytes, void* user);
    void* user;
} shAllocator;

// Work on the items [begin, end). `worker` is below the context's worker count and no two calls
// that run at the same time share it.
typedef void shTask(int begin, int end, int worker, void* arg);

// Task hook: run `task` over [0, count) in blocks of `block` items, on up to workerCount workers,
// and return when all are done. Blocks may run in any order.
typedef struct shTasks {
    void (*run)(shTask* task, int count, int block, void* arg, void* user);
    int workerCount;
    void* user;
} shTasks;

typedef struct shContextDef {
    shAllocator allocator;       // zero: the C library's
    shTasks tasks;               // zero: a built-in pool of workerCount threads
    int workerCount;             // threads of the built-in pool, the caller's included; 1 = no threads
    double (*clock)(void* user); // seconds from any start; zero: the system's (none in WebAssembly)
    void* clockUser;
    uint32_t cookie; // set by shDefaultContextDef
} shContextDef;

// The host's hooks and the memory counters. Everything the library makes belongs to a context and
// must be destroyed before it. Functions may use one context from several threads at once, except
// that parallel work inside one context is not nested.
typedef struct shContext shContext;

// Of what was made with the context; its own few hundred bytes are left out: 0 when all is destroyed.
typedef struct shMemoryCounters {
    int64_t bytes;     // live now
    int64_t peakBytes; // most ever live
    int64_t calls;     // allocations so far
} shMemoryCounters;

SH_API shContextDef shDefaultContextDef(void);
SH_API shStatus shCreateContext(const shContextDef* def, shContext** context, shMessage* message);
// Destroys the context; returns the number of bytes that were never given back (0 if all is well).
SH_API int64_t shDestroyContext(shContext* context);
SH_API shMemoryCounters shContext_GetMemory(const shContext* context);
SH_API int shContext_GetWorkerCount(const shContext* context);

// "ok", "invalid argument", … for tables and logs.
SH_API const char* shStatusText(shStatus status);
// "0.1.0"
SH_API const char* shVersionText(void);

#ifdef __cplusplus
}
#endif

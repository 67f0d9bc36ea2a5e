// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Memory that lives until the end of a step: a pointer moves up, nothing is freed singly. When a block is full
// another is chained to it; at the next reset all of them become one, so a step no larger than the largest before it
// makes no heap call. Not shared between threads: give each worker its own.
//
//     ArenaMark mark = arenaMark(arena);
//     int* stack = ARENA_ARRAY(arena, int, n); // null: out of memory
//     …
//     arenaRelease(arena, mark);
#pragma once

#include "core/memory.h"

#define ARENA_ALIGNMENT 64 // of what arenaAlloc returns: any SIMD register, and workers never share a cache line

typedef struct ArenaBlock ArenaBlock;

// Aligned, so that the arenas of several workers can stand in one array.
typedef struct Arena {
    _Alignas(ARENA_ALIGNMENT) Memory* memory;
    ArenaBlock* first;
    ArenaBlock* current; // blocks before it are full, those after it are empty
    size_t used;         // bytes of the current block
    size_t capacity;     // bytes of all blocks
} Arena;

typedef struct ArenaMark {
    ArenaBlock* block;
    size_t used;
} ArenaMark;

void arenaInit(Arena* arena, Memory* memory); // takes no memory yet
void arenaFree(Arena* arena);
// Uninitialised; null for 0 bytes and when the hook has none, as memAlloc.
void* arenaAlloc(Arena* arena, size_t bytes);
ArenaMark arenaMark(const Arena* arena);
void arenaRelease(Arena* arena, ArenaMark mark); // gives back all that came after the mark
void arenaReset(Arena* arena);                   // gives back everything and joins the blocks

#define ARENA_ARRAY(arena, Type, count) ((Type*)arenaAlloc((arena), memBytes((uint64_t)(count), sizeof(Type))))

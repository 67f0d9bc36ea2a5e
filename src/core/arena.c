// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/arena.h"

#include "core/check.h"
#include "core/constants.h"

// Stands at the start of its memory; the bytes to give out follow.
struct ArenaBlock {
    _Alignas(ARENA_ALIGNMENT) ArenaBlock* next;
    size_t size; // without this head
};

static ArenaBlock* newBlock(Arena* arena, size_t size)
{
    ArenaBlock* block = memAlloc(arena->memory, sizeof(ArenaBlock) + size);
    if (block != NULL) {
        *block = (ArenaBlock){.next = NULL, .size = size};
        arena->capacity += size;
    }
    return block;
}

void arenaInit(Arena* arena, Memory* memory) { *arena = (Arena){.memory = memory}; }

void arenaFree(Arena* arena)
{
    for (ArenaBlock* block = arena->first; block != NULL;) {
        ArenaBlock* next = block->next;
        memFree(arena->memory, block, sizeof(ArenaBlock) + block->size);
        block = next;
    }
    arenaInit(arena, arena->memory);
}

// The next empty block, or a new one before it if it is too small.
static bool advance(Arena* arena, size_t bytes)
{
    ArenaBlock** link = arena->current != NULL ? &arena->current->next : &arena->first;
    if (*link == NULL || (*link)->size < bytes) {
        size_t size = arena->capacity > ARENA_MIN_BLOCK ? arena->capacity : ARENA_MIN_BLOCK; // doubles
        ArenaBlock* block = newBlock(arena, size > bytes ? size : bytes);
        if (block == NULL)
            return false;
        block->next = *link;
        *link = block;
    }
    arena->current = *link;
    arena->used = 0;
    return true;
}

void* arenaAlloc(Arena* arena, size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX / 4)
        return NULL;
    size_t rounded = (bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    if (arena->current == NULL || arena->current->size - arena->used < rounded)
        if (!advance(arena, rounded))
            return NULL;
    char* start = (char*)(arena->current + 1) + arena->used;
    arena->used += rounded;
    return start;
}

ArenaMark arenaMark(const Arena* arena) { return (ArenaMark){arena->current, arena->used}; }

void arenaRelease(Arena* arena, ArenaMark mark)
{
    CHECK(mark.block != arena->current || mark.used <= arena->used);
    arena->current = mark.block;
    arena->used = mark.used;
}

void arenaReset(Arena* arena)
{
    if (arena->first != NULL && arena->first->next != NULL) {
        // Freed first: the sum is never held twice. If the hook refuses it now, the next arenaAlloc will say so.
        size_t whole = arena->capacity;
        arenaFree(arena);
        arena->first = newBlock(arena, whole);
    }
    arena->current = NULL;
    arena->used = 0;
}

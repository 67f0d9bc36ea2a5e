// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/pool.h"

#define ID_LIVE (-2)

bool idPoolReserve(IdPool* pool, Memory* memory, int count) { return arrayReserve(memory, &pool->slots, count); }

void idPoolFree(IdPool* pool, Memory* memory)
{
    arrayFree(memory, &pool->slots);
    *pool = (IdPool){.live = 0};
}

Id idPoolTake(IdPool* pool)
{
    int index = pool->freePlusOne - 1;
    if (index >= 0) {
        pool->freePlusOne = pool->slots.data[index].next + 1;
    } else {
        if (pool->slots.count == pool->slots.capacity)
            return (Id){0, 0};
        index = pool->slots.count++;
        pool->slots.data[index].generation = 1;
    }
    IdSlot* slot = &pool->slots.data[index];
    slot->next = ID_LIVE;
    ++pool->live;
    return (Id){index, slot->generation};
}

bool idPoolGive(IdPool* pool, Id id)
{
    int index = idPoolFind(pool, id);
    if (index < 0)
        return false;
    IdSlot* slot = &pool->slots.data[index];
    if (++slot->generation == 0) // 0 is the null id's
        slot->generation = 1;
    slot->next = pool->freePlusOne - 1;
    pool->freePlusOne = index + 1;
    --pool->live;
    return true;
}

int idPoolFind(const IdPool* pool, Id id)
{
    if (id.index < 0 || id.index >= pool->slots.count)
        return -1;
    IdSlot slot = pool->slots.data[id.index];
    return slot.next == ID_LIVE && slot.generation == id.generation ? id.index : -1;
}

Id idPoolAt(const IdPool* pool, int index)
{
    if (index < 0 || index >= pool->slots.count || pool->slots.data[index].next != ID_LIVE)
        return (Id){0, 0};
    return (Id){index, pool->slots.data[index].generation};
}

void streamIdPool(Stream* stream, IdPool* pool, Memory* memory)
{
    if (!streamArray(stream, memory, &pool->slots, sizeof(uint32_t) + sizeof(int32_t)))
        return;
    streamI32(stream, &pool->freePlusOne);
    int count = pool->slots.count, live = 0;
    for (int i = 0; i < count; ++i) {
        IdSlot* slot = &pool->slots.data[i];
        streamU32(stream, &slot->generation);
        streamI32(stream, &slot->next);
        streamCheck(stream, slot->generation != 0 && slot->next >= ID_LIVE && slot->next < count,
                    "an id cannot be one");
        live += slot->next == ID_LIVE;
    }
    if (!streamReads(stream) || !streamOk(stream))
        return;
    pool->live = live;
    // The list of free ones holds them all, each once: so it ends.
    int free = 0;
    streamCheck(stream, pool->freePlusOne >= 0 && pool->freePlusOne <= count, "the free ids are not there");
    for (int i = pool->freePlusOne - 1; i >= 0 && streamOk(stream); i = pool->slots.data[i].next) {
        streamCheck(stream, pool->slots.data[i].next != ID_LIVE && ++free <= count - live,
                    "the free ids make a circle");
    }
    streamCheck(stream, free == count - live, "a free id is lost");
}

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

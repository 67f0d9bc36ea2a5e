// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/hash.h"
#include "core/pool.h"
#include "core/random.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MOST 300

static void idsOfTheLivingAreFoundAndStaleOnesAreNot(void** state)
{
    (void)state;
    Memory memory;
    memInit(&memory, (shAllocator){NULL, NULL, NULL});
    Random random = randomSeed(1);
    IdPool pool = {.live = 0};
    Id live[MOST], dead[1000];
    int liveCount = 0, deadCount = 0;
    for (int trial = 0; trial < 30000; ++trial) {
        if (liveCount < MOST && randomBelow(&random, 2)) {
            assert_true(idPoolReserve(&pool, &memory, pool.live + 1));
            Id id = idPoolTake(&pool);
            assert_true(id.generation != 0);
            for (int i = 0; i < liveCount; ++i)
                assert_int_not_equal(live[i].index, id.index);
            live[liveCount++] = id;
        } else if (liveCount > 0) {
            int i = randomBelow(&random, liveCount);
            assert_true(idPoolGive(&pool, live[i]));
            dead[deadCount < 1000 ? deadCount++ : randomBelow(&random, 1000)] = live[i];
            live[i] = live[--liveCount];
        }
        assert_int_equal(pool.live, liveCount);
        if (liveCount > 0) {
            Id id = live[randomBelow(&random, liveCount)];
            assert_int_equal(idPoolFind(&pool, id), id.index);
            assert_int_equal(idPoolAt(&pool, id.index).generation, id.generation);
        }
        if (deadCount > 0) {
            Id id = dead[randomBelow(&random, deadCount)];
            assert_int_equal(idPoolFind(&pool, id), -1);
            assert_false(idPoolGive(&pool, id));
        }
    }
    assert_true(pool.slots.count <= MOST); // indices stay dense
    idPoolFree(&pool, &memory);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void theLastReturnedIndexIsReusedFirst(void** state)
{
    (void)state;
    Memory memory;
    memInit(&memory, (shAllocator){NULL, NULL, NULL});
    IdPool pool = {.live = 0};
    assert_true(idPoolReserve(&pool, &memory, 5));
    Id ids[5];
    for (int i = 0; i < 5; ++i) {
        ids[i] = idPoolTake(&pool);
        assert_int_equal(ids[i].index, i);
    }
    assert_true(idPoolGive(&pool, ids[3]) && idPoolGive(&pool, ids[1]));
    assert_int_equal(idPoolAt(&pool, 3).generation, 0);
    assert_int_equal(idPoolTake(&pool).index, 1);
    assert_int_equal(idPoolTake(&pool).index, 3);
    assert_int_equal(idPoolTake(&pool).index, 5);
    idPoolFree(&pool, &memory);
}

static void nullForeignAndDamagedIdsAreRefused(void** state)
{
    (void)state;
    Memory memory;
    memInit(&memory, (shAllocator){NULL, NULL, NULL});
    IdPool pool = {.live = 0};
    assert_int_equal(idPoolTake(&pool).generation, 0); // nothing reserved
    assert_int_equal(idPoolFind(&pool, (Id){0, 0}), -1);
    assert_true(idPoolReserve(&pool, &memory, 1));
    Id id = idPoolTake(&pool);
    assert_int_equal(idPoolFind(&pool, (Id){0, 0}), -1);
    assert_int_equal(idPoolFind(&pool, (Id){-1, id.generation}), -1);
    assert_int_equal(idPoolFind(&pool, (Id){INT32_MAX, id.generation}), -1);
    assert_int_equal(idPoolFind(&pool, (Id){0, id.generation + 1}), -1);
    assert_true(idPoolGive(&pool, id));
    assert_int_equal(idPoolFind(&pool, (Id){0, id.generation + 1}), -1); // the next to live here, but not yet
    pool.slots.data[0].generation = UINT32_MAX;
    Id last = idPoolTake(&pool);
    assert_true(idPoolGive(&pool, last));
    assert_int_equal(idPoolTake(&pool).generation, 1); // 0 stays the null id's
    idPoolFree(&pool, &memory);
}

static void reservingReportsOutOfMemory(void** state)
{
    (void)state;
    TestAllocator allocator = {.failAt = 2};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    IdPool pool = {.live = 0};
    assert_true(idPoolReserve(&pool, &memory, 1));
    Id id = idPoolTake(&pool);
    assert_false(idPoolReserve(&pool, &memory, 1000));
    assert_int_equal(idPoolFind(&pool, id), 0);
    idPoolFree(&pool, &memory);
    assert_int_equal(atomic_load(&allocator.bytes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idsOfTheLivingAreFoundAndStaleOnesAreNot),
        cmocka_unit_test(theLastReturnedIndexIsReusedFirst),
        cmocka_unit_test(nullForeignAndDamagedIdsAreRefused),
        cmocka_unit_test(reservingReportsOutOfMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

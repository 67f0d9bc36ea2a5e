// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/arena.h"
#include "core/constants.h"
#include "core/random.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct Piece {
    uint8_t* bytes;
    int count;
    uint8_t fill;
} Piece;

static void checkPieces(const Piece* pieces, int count)
{
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < pieces[i].count; k += 1 + pieces[i].count / 50)
            assert_int_equal(pieces[i].bytes[k], pieces[i].fill);
}

static void piecesNeverOverlapUntilReleased(void** state)
{
    (void)state;
    TestAllocator allocator = {.failAt = 0};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    Arena arena;
    arenaInit(&arena, &memory);
    Random random = randomSeed(1);
    Piece pieces[200];
    ArenaMark marks[200]; // before piece i
    int count = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        int what = randomBelow(&random, 100);
        if (what == 0) {
            arenaReset(&arena);
            count = 0;
        } else if ((what < 25 && count > 0) || count == 200) {
            checkPieces(pieces, count);
            count = randomBelow(&random, count);
            arenaRelease(&arena, marks[count]);
        } else {
            int bytes = 1 + randomBelow(&random, what < 90 ? 300 : 200000);
            marks[count] = arenaMark(&arena);
            uint8_t* block = ARENA_ARRAY(&arena, uint8_t, bytes);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % ARENA_ALIGNMENT, 0);
            pieces[count] = (Piece){block, bytes, (uint8_t)trial};
            memset(block, (uint8_t)trial, (size_t)bytes);
            ++count;
        }
    }
    checkPieces(pieces, count);
    arenaFree(&arena);
    assert_int_equal(atomic_load(&allocator.bytes), 0);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
}

static void oneStep(Arena* arena, Random random)
{
    arenaReset(arena);
    for (int i = 0; i < 500; ++i) {
        ArenaMark mark = arenaMark(arena);
        assert_non_null(arenaAlloc(arena, (size_t)(1 + randomBelow(&random, 5000))));
        if (i % 3 == 0)
            arenaRelease(arena, mark);
    }
}

static void aSettledStepMakesNoHeapCall(void** state)
{
    (void)state;
    TestAllocator allocator = {.failAt = 0};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    Arena arena;
    arenaInit(&arena, &memory);
    oneStep(&arena, randomSeed(1)); // chains blocks
    int calls = atomic_load(&allocator.calls);
    assert_true(calls > 1);
    oneStep(&arena, randomSeed(1)); // joins them: one call
    assert_int_equal(atomic_load(&allocator.calls), calls + 1);
    for (int step = 0; step < 20; ++step)
        oneStep(&arena, randomSeed(1));
    assert_int_equal(atomic_load(&allocator.calls), calls + 1);
    arenaFree(&arena);
    assert_int_equal(atomic_load(&allocator.bytes), 0);
}

static void failuresGiveNullAndLeaveTheRestUsable(void** state)
{
    (void)state;
    for (int n = 1; n < 8; ++n) {
        TestAllocator allocator = {.failAt = n};
        Memory memory;
        memInit(&memory, testAllocatorHooks(&allocator));
        Arena arena;
        arenaInit(&arena, &memory);
        int failures = 0;
        for (int step = 0; step < 3; ++step) {
            arenaReset(&arena);
            for (int i = 0; i < 40; ++i) {
                uint8_t* block = ARENA_ARRAY(&arena, uint8_t, ARENA_MIN_BLOCK / 4);
                if (block == NULL)
                    ++failures;
                else
                    memset(block, i, ARENA_MIN_BLOCK / 4);
            }
        }
        assert_true(failures <= 1);
        arenaFree(&arena);
        assert_int_equal(atomic_load(&allocator.bytes), 0);
    }
}

static void emptyAndImpossibleRequestsGiveNull(void** state)
{
    (void)state;
    Memory memory;
    memInit(&memory, (shAllocator){NULL, NULL, NULL});
    Arena arena;
    arenaInit(&arena, &memory);
    assert_null(arenaAlloc(&arena, 0));
    assert_null(arenaAlloc(&arena, SIZE_MAX));
    assert_null(ARENA_ARRAY(&arena, double, SIZE_MAX / 2));
    arenaReset(&arena);
    arenaFree(&arena);
    assert_int_equal(atomic_load(&memory.calls), 0);
    assert_int_equal(sizeof(Arena) % 64, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piecesNeverOverlapUntilReleased),
        cmocka_unit_test(aSettledStepMakesNoHeapCall),
        cmocka_unit_test(failuresGiveNullAndLeaveTheRestUsable),
        cmocka_unit_test(emptyAndImpossibleRequestsGiveNull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

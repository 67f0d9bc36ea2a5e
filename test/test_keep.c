// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Blocks that a context keeps: never given to two at once, never smaller than asked for, all gone in the end (the
// sanitizers say).
#include "core/constants.h"
#include "core/context.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { blockTotal = 100, rounds = 4000 };

typedef struct Block {
    unsigned char* bytes;
    size_t size;
    unsigned char mark;
} Block;

static void check(const Block* block)
{
    assert_int_equal(block->bytes[0], block->mark);
    assert_int_equal(block->bytes[block->size / 2], block->mark);
    assert_int_equal(block->bytes[block->size - 1], block->mark);
}

static void kept_blocks_belong_to_one_at_a_time(void** unused)
{
    (void)unused;
    Keep keep = {.count = 0};
    shAllocator hooks = keepHooks(&keep);
    Block blocks[blockTotal] = {{0}};
    Random random = randomSeed(3);
    for (int i = 0; i < rounds; ++i) {
        Block* block = &blocks[randomBelow(&random, blockTotal)];
        if (block->bytes != NULL) {
            check(block);
            hooks.release(block->bytes, block->size, hooks.user);
            block->bytes = NULL;
            continue;
        }
        block->size = (size_t)randomBelow(&random, i % 2 ? 1000 : 8 * (int)KEEP_LEAST) + 1;
        block->mark = (unsigned char)i;
        block->bytes = hooks.alloc(block->size, hooks.user);
        assert_non_null(block->bytes);
        assert_int_equal((size_t)block->bytes % 64, 0);
        memset(block->bytes, block->mark, block->size);
    }
    size_t sum = 0;
    for (int i = 0; i < keep.count; ++i)
        sum += keep.slots[i].bytes;
    assert_true(sum == keep.bytes);
    for (int i = 0; i < blockTotal; ++i) {
        if (blocks[i].bytes == NULL)
            continue;
        check(&blocks[i]);
        hooks.release(blocks[i].bytes, blocks[i].size, hooks.user);
    }
    keepClear(&keep);
    assert_int_equal(keep.count, 0);
}

static void no_more_is_kept_than_allowed(void** unused)
{
    (void)unused;
    Keep keep = {.count = 0};
    shAllocator hooks = keepHooks(&keep);
    void* blocks[keepSlots + 8];
    for (int i = 0; i < keepSlots + 8; ++i)
        blocks[i] = hooks.alloc(KEEP_LEAST, hooks.user);
    for (int i = 0; i < keepSlots + 8; ++i)
        hooks.release(blocks[i], KEEP_LEAST, hooks.user);
    assert_true(keep.count <= keepSlots);
    keepClear(&keep);
    for (int i = 0; i < 3; ++i)
        blocks[i] = hooks.alloc(KEEP_MOST / 2, hooks.user);
    for (int i = 0; i < 3; ++i)
        hooks.release(blocks[i], KEEP_MOST / 2, hooks.user);
    assert_true(keep.bytes <= KEEP_MOST);
    assert_null(hooks.alloc(SIZE_MAX - 3, hooks.user));
    keepClear(&keep);
}

static void takeAndGive(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Memory* memory = arg;
    for (int i = begin; i < end; ++i) {
        size_t size = KEEP_LEAST + (size_t)(i % 7) * 1000;
        unsigned char* bytes = memAlloc(memory, size);
        bytes[0] = bytes[size - 1] = (unsigned char)i;
        if (bytes[0] == bytes[size - 1])
            memFree(memory, bytes, size);
    }
}

static void threads_share_what_is_kept(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    def.workerCount = 4;
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    parallelFor(context, 2000, 10, takeAndGive, &context->memory);
    assert_int_equal(shContext_GetMemory(context).bytes, 0);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_blocks_belong_to_one_at_a_time),
        cmocka_unit_test(no_more_is_kept_than_allowed),
        cmocka_unit_test(threads_share_what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

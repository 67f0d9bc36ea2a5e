// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/array.h"
#include "core/context.h"
#include "core/random.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void contextsCountTheBytesTheHookSees(void** state)
{
    (void)state;
    for (int workers = 1; workers <= 4; ++workers) {
        TestAllocator allocator = {.failAt = 0};
        shContextDef def = shDefaultContextDef();
        def.workerCount = workers;
        def.allocator = testAllocatorHooks(&allocator);
        shContext* context;
        assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
        long long own = atomic_load(&allocator.bytes); // the context and its threads
        int ownCalls = atomic_load(&allocator.calls);
        assert_int_equal(shContext_GetMemory(context).bytes, 0);
        int* numbers = NEW_ARRAY(&context->memory, int, 1000);
        shMemoryCounters counters = shContext_GetMemory(context);
        assert_true(counters.bytes == atomic_load(&allocator.bytes) - own);
        assert_true(counters.peakBytes == atomic_load(&allocator.peakBytes) - own);
        assert_int_equal(counters.calls, atomic_load(&allocator.calls) - ownCalls);
        FREE_ARRAY(&context->memory, numbers, 1000);
        assert_int_equal(shDestroyContext(context), 0);
        assert_int_equal(atomic_load(&allocator.bytes), 0);
        assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
    }
}

static void destroyingAContextReportsWhatIsLost(void** state)
{
    (void)state;
    TestAllocator allocator = {.failAt = 0};
    shContextDef def = shDefaultContextDef();
    def.allocator = testAllocatorHooks(&allocator);
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    char* lost = NEW_ARRAY(&context->memory, char, 77);
    assert_int_equal(shDestroyContext(context), 77);
    testRelease(lost, 77, &allocator);
    assert_int_equal(shDestroyContext(NULL), 0);
}

static void contextCreationSurvivesTheFailureOfAnyAllocation(void** state)
{
    (void)state;
    shStatus status = shOutOfMemory;
    int n = 0;
    while (status != shOk) {
        TestAllocator allocator = {.failAt = ++n};
        shContextDef def = shDefaultContextDef();
        def.workerCount = 3;
        def.allocator = testAllocatorHooks(&allocator);
        shContext* context = (shContext*)&allocator;
        shMessage message = {""};
        status = shCreateContext(&def, &context, &message);
        if (status == shOk) {
            assert_int_equal(shDestroyContext(context), 0);
        } else {
            assert_int_equal(status, shOutOfMemory);
            assert_null(context);
            assert_true(strlen(message.text) > 0);
        }
        assert_int_equal(atomic_load(&allocator.bytes), 0);
        assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
    }
#ifndef __wasm__
    assert_int_equal(n, 4); // context, pool, workers
#else
    assert_int_equal(n, 2); // the context alone
#endif
}

static void sizesThatDoNotFitAreTooLargeForAnyAllocator(void** state)
{
    (void)state;
    assert_int_equal(memBytes(3, 8), 24);
    assert_int_equal(memBytes(5, 0), 0);
    assert_true(memBytes(SIZE_MAX / 8, 8) == SIZE_MAX / 8 * 8);
    assert_true(memBytes((uint64_t)(SIZE_MAX / 8) + 1, 8) == SIZE_MAX);
    assert_true(memBytes(UINT64_MAX, 1) == SIZE_MAX);
    assert_true(memBytes(UINT32_MAX + 2ull, 1) >= UINT32_MAX); // where size_t has 32 bits, too
    shContextDef def = shDefaultContextDef();
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    int negative = -1;
    assert_null(NEW_ARRAY(&context->memory, int, negative));
    assert_null(NEW_ARRAY(&context->memory, double, INT64_MAX));
    assert_int_equal(shDestroyContext(context), 0);
}

static void definitionsThatMakeNoSenseAreRefusedWithAReason(void** state)
{
    (void)state;
    TestAllocator allocator = {.failAt = 0};
    shContext* context;
    shMessage message;
    shContextDef zero = {.workerCount = 1};
    assert_int_equal(shCreateContext(&zero, &context, &message), shInvalid);
    assert_non_null(strstr(message.text, "shDefaultContextDef"));
    shContextDef def = shDefaultContextDef();
    def.workerCount = 0;
    assert_int_equal(shCreateContext(&def, &context, &message), shInvalid);
    assert_non_null(strstr(message.text, "workerCount is 0"));
    def.workerCount = 65;
    assert_int_equal(shCreateContext(&def, &context, NULL), shInvalid);
    def.workerCount = 1;
    def.allocator = testAllocatorHooks(&allocator);
    def.allocator.release = NULL;
    assert_int_equal(shCreateContext(&def, &context, &message), shInvalid);
    assert_non_null(strstr(message.text, "release"));
    assert_int_equal(shCreateContext(NULL, &context, NULL), shInvalid);
}

static void blocksAreAlignedAndRequestsThatCannotBeMetGiveNull(void** state)
{
    (void)state;
    Memory memory;
    memInit(&memory, (shAllocator){NULL, NULL, NULL});
    for (size_t bytes = 1; bytes < 400; bytes += 13) {
        char* block = memAllocZero(&memory, bytes);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < bytes; ++i)
            assert_int_equal(block[i], 0);
        memFree(&memory, block, bytes);
    }
    assert_null(memAlloc(&memory, 0));
    assert_null(memAlloc(&memory, SIZE_MAX));
    assert_null(NEW_ARRAY(&memory, double, SIZE_MAX / 4));
    assert_null(NEW_ARRAY(&memory, int, -1));
    memFree(&memory, NULL, 5);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void arraysGrowAndKeepTheirElements(void** state)
{
    (void)state;
    TestAllocator allocator = {.failAt = 0};
    Memory memory;
    memInit(&memory, testAllocatorHooks(&allocator));
    ARRAY(int) list = {0};
    for (int i = 0; i < 10000; ++i) {
        assert_true(arrayReserve(&memory, &list, list.count + 1));
        list.data[list.count++] = i * i;
    }
    for (int i = 0; i < 10000; ++i)
        assert_int_equal(list.data[i], i * i);
    assert_true(atomic_load(&allocator.calls) < 25);
    assert_false(arrayReserve(&memory, &list, (int64_t)INT32_MAX + 1));
    assert_int_equal(list.data[9999], 9999 * 9999);
    arrayFree(&memory, &list);
    assert_null(list.data);
    arrayFree(&memory, &list);
    assert_int_equal(atomic_load(&allocator.bytes), 0);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
}

static void arraysKeepTheirElementsWhenGrowingFails(void** state)
{
    (void)state;
    for (int n = 1; n < 10; ++n) {
        TestAllocator allocator = {.failAt = n};
        Memory memory;
        memInit(&memory, testAllocatorHooks(&allocator));
        ARRAY(int) list = {0};
        while (arrayReserve(&memory, &list, list.count + 1)) {
            list.data[list.count] = list.count;
            ++list.count;
        }
        assert_int_equal(atomic_load(&allocator.calls), n);
        for (int i = 0; i < list.count; ++i)
            assert_int_equal(list.data[i], i);
        arrayFree(&memory, &list);
        assert_int_equal(atomic_load(&allocator.bytes), 0);
    }
}

static void takeAndGive(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Memory* memory = arg;
    for (int i = begin; i < end; ++i) {
        void* block = memAlloc(memory, 100);
        memFree(memory, block, 100);
    }
}

static void countersStayRightWhenThreadsAllocateAtOnce(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    def.workerCount = 4;
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    shMemoryCounters before = shContext_GetMemory(context);
    parallelFor(context, 4000, 10, takeAndGive, &context->memory);
    shMemoryCounters after = shContext_GetMemory(context);
    assert_int_equal(after.bytes, before.bytes);
    assert_int_equal(after.calls, before.calls + 4000);
    assert_in_range(after.peakBytes, before.bytes + 100, before.bytes + 400);
    assert_int_equal(shDestroyContext(context), 0);
}

static void statusesAndVersionHaveTexts(void** state)
{
    (void)state;
    for (int status = shOk; status <= shFailed; ++status)
        assert_string_not_equal(shStatusText((shStatus)status), "unknown status");
    assert_string_equal(shStatusText((shStatus)99), "unknown status");
    assert_string_equal(shStatusText(shOk), "ok");
    assert_string_equal(shStatusText(shFailed), "external program failed");
    assert_true(strlen(shVersionText()) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contextsCountTheBytesTheHookSees),
        cmocka_unit_test(destroyingAContextReportsWhatIsLost),
        cmocka_unit_test(sizesThatDoNotFitAreTooLargeForAnyAllocator),
        cmocka_unit_test(contextCreationSurvivesTheFailureOfAnyAllocation),
        cmocka_unit_test(definitionsThatMakeNoSenseAreRefusedWithAReason),
        cmocka_unit_test(blocksAreAlignedAndRequestsThatCannotBeMetGiveNull),
        cmocka_unit_test(arraysGrowAndKeepTheirElements),
        cmocka_unit_test(arraysKeepTheirElementsWhenGrowingFails),
        cmocka_unit_test(countersStayRightWhenThreadsAllocateAtOnce),
        cmocka_unit_test(statusesAndVersionHaveTexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

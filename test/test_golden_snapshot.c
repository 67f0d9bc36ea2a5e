// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The same bytes on every build and any number of threads: a snapshot of things that have come down and broken,
// compared with what is written in test/golden/snapshot.txt. `make golden` writes the file anew.
#include "core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/falling_things.h"

static uint64_t hashOfSnapshot(const Stage* stage)
{
    shWorld* world = worldOf(stage);
    run(world, 40);
    assert_true(shWorld_GetCounters(world).breaks > 4);
    Bytes bytes = save(world, true);
    uint64_t hash = hashOf(bytes.data, bytes.size, 0);
    shFreeBytes(stage->context, bytes.data, bytes.size);
    shDestroyWorld(world);
    return hash;
}

static void a_snapshot_has_the_golden_bytes(void** unused)
{
    (void)unused;
    Stage one = stageCreate(1, (shAllocator){0}, NULL), two = stageCreate(2, (shAllocator){0}, &one);
    uint64_t hash = hashOfSnapshot(&one);
    assert_true(hash == hashOfSnapshot(&two));
    stageDestroy(&one);
    stageDestroy(&two);
    const char* mode = getenv("SHERD_GOLDEN");
    bool write = mode != NULL && strcmp(mode, "write") == 0;
    FILE* file = fopen(TEST_FOLDER "/golden/snapshot.txt", write ? "w" : "r");
    assert_non_null(file);
    unsigned long long golden = hash;
    if (write)
        fprintf(file, "%016llx\n", golden);
    else
        assert_int_equal(fscanf(file, "%llx", &golden), 1);
    fclose(file);
    if (golden != hash)
        fail_msg("%016llx, golden is %016llx; if the change is meant, run make golden", (unsigned long long)hash,
                 golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_has_the_golden_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the tests use of cmocka, for WebAssembly, where it is not packaged and nothing can jump out of a failed test:
// the first failure ends the program.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CMFixture(void** state);
struct CMUnitTest {
    const char* name;
    void (*test)(void** state);
    CMFixture *setUp, *tearDown;
};

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define fail_msg(...) (print_error("%s:%d: ", __FILE__, __LINE__), print_error(__VA_ARGS__), print_error("\n"), exit(1))

#define CM_MUST(holds, text) ((holds) ? (void)0 : fail_msg("%s", text))
#define CM_INT(x) ((unsigned long long)(x))
#define CM_COMPARE(a, relation, b)                                                                                     \
    do {                                                                                                               \
        unsigned long long cmA = CM_INT(a), cmB = CM_INT(b);                                                           \
        if (!(cmA relation cmB))                                                                                       \
            fail_msg("%s " #relation " %s: %lld, %lld", #a, #b, (long long)cmA, (long long)cmB);                       \
    } while (0)

#define assert_true(x) CM_MUST((x), #x)
#define assert_false(x) CM_MUST(!(x), "not " #x)
#define assert_null(x) CM_MUST((x) == NULL, #x " is null")
#define assert_non_null(x) CM_MUST((x) != NULL, #x " is not null")
#define assert_ptr_equal(a, b) CM_MUST((const void*)(a) == (const void*)(b), #a " = " #b)
#define assert_int_equal(a, b) CM_COMPARE(a, ==, b)
#define assert_int_not_equal(a, b) CM_COMPARE(a, !=, b)
#define assert_in_range(x, low, high) CM_MUST(CM_INT(x) >= CM_INT(low) && CM_INT(x) <= CM_INT(high), #x " in range")
#define assert_float_equal(a, b, within) CM_MUST(fabs((double)((a) - (b))) <= (double)(within), #a " about " #b)
#define assert_memory_equal(a, b, size) CM_MUST(memcmp((a), (b), (size)) == 0, "bytes of " #a " and " #b)
#define assert_string_equal(a, b) CM_MUST(strcmp((a), (b)) == 0, #a " = " #b)
#define assert_string_not_equal(a, b) CM_MUST(strcmp((a), (b)) != 0, #a " differs from " #b)

#define cmocka_unit_test(f)                                                                                            \
    {                                                                                                                  \
        .name = #f, .test = (f)                                                                                        \
    }
#define cmocka_unit_test_setup_teardown(f, up, down)                                                                   \
    {                                                                                                                  \
        .name = #f, .test = (f), .setUp = (up), .tearDown = (down)                                                     \
    }
#define cmocka_run_group_tests(tests, up, down)                                                                        \
    cmRunTests((tests), (int)(sizeof(tests) / sizeof((tests)[0])), (up), (down))
#define cmocka_run_group_tests_name(name, tests, up, down) cmocka_run_group_tests(tests, up, down)

static inline int cmRunTests(const struct CMUnitTest* tests, int count, CMFixture* up, CMFixture* down)
{
    void* shared = NULL;
    CM_MUST(up == NULL || up(&shared) == 0, "set-up of the group");
    for (int i = 0; i < count; ++i) {
        void* state = shared;
        printf("%s\n", tests[i].name);
        fflush(stdout);
        CM_MUST(tests[i].setUp == NULL || tests[i].setUp(&state) == 0, "set-up");
        tests[i].test(&state);
        CM_MUST(tests[i].tearDown == NULL || tests[i].tearDown(&state) == 0, "tear-down");
    }
    CM_MUST(down == NULL || down(&shared) == 0, "tear-down of the group");
    return 0;
}

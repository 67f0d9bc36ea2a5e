// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#undef NDEBUG
#define CHECK_FAILED(text, file, line) note(text, file, line)
static void note(const char* text, const char* file, int line);
#include "core/check.h"

static struct {
    int calls, line;
    const char *text, *file;
} noted;

static void note(const char* text, const char* file, int line)
{
    ++noted.calls;
    noted.text = text;
    noted.file = file;
    noted.line = line;
}

static void brokenPromisesReachTheHandler(void** state)
{
    (void)state;
    int two = 2;
    CHECK(two == 2);
    assert_int_equal(noted.calls, 0);
    CHECK(two == 3);
    assert_int_equal(noted.calls, 1);
    assert_string_equal(noted.text, "two == 3");
    assert_non_null(strstr(noted.file, "test_check.c"));
    assert_true(noted.line > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(brokenPromisesReachTheHandler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

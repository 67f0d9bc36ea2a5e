// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progressShow(const char* format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    va_list args;
    va_start(args, format);
    fputs("\r\x1b[K", stderr); // back to the line's start, and clear it
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}

void progressClear(void) { progressShow("%s", ""); }

void progressOfCook(int stage, int stageCount, const char* what, void* user)
{
    progressShow("%s: %s (%d of %d)", (const char*)user, what, stage < stageCount ? stage + 1 : stageCount, stageCount);
}

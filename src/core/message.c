// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/message.h"

#include <stdarg.h>
#include <stdio.h>

shStatus fail(shMessage* message, shStatus status, const char* format, ...)
{
    if (message != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(message->text, sizeof(message->text), format, args);
        va_end(args);
    }
    return status;
}

shStatus failMemory(shMessage* message)
{
    return fail(message, shOutOfMemory, "out of memory: the allocator returned null; free some or use a smaller model");
}

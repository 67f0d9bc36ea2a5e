// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bytes and text on their way to a file. Errors stick: write on, look at `failed` once at the end.
#pragma once

#include "core/array.h"

typedef struct Buffer {
    Memory* memory;
    ARRAY(char) bytes;
    bool failed; // no memory, or past 2 GiB
} Buffer;

void bufferFree(Buffer* buffer);
void bufferAdd(Buffer* buffer, const void* data, size_t size);
void bufferJoin(Buffer* buffer, const Buffer* other); // takes over the other's failure too
void bufferPad(Buffer* buffer, int alignment, char filler);
// For texts and whole numbers only: what printf makes of a float depends on the host's locale.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
bufferPrint(Buffer* buffer, const char* format, ...);
// The shortest of up to nine digits that reads back as the same float; "0.25", "1e-7".
void bufferFloat(Buffer* buffer, float x);
void bufferFloats(Buffer* buffer, const float* x, int count, const char* separator);
// In double quotes, escaped as JSON wants it.
void bufferQuoted(Buffer* buffer, const char* text);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A file in memory and a cursor that reads numbers from it, as text or as little-endian or big-endian binary. The first
// error sticks and names file, byte and reason; after it every function answers false.
#pragma once

#include "core/context.h"

typedef struct Bytes {
    Memory* memory;
    const char* path;
    uint8_t* data; // [size + 1], zero-terminated
    size_t size, at;
    bool binary, swapped; // numbers are binary; of the other byte order
    shStatus status;
    shMessage* message;
} Bytes;

// Reads the whole file; refuses empty ones and those larger than COOK_MAX_FILE_BYTES.
bool bytesOpen(Bytes* bytes, Memory* memory, const char* path, shMessage* message);
void bytesClose(Bytes* bytes);

bool bytesLine(Bytes* bytes, char* line, size_t size); // the rest of the line, without blanks at its ends
bool bytesInt(Bytes* bytes, int64_t* value, int width, const char* what); // width: bytes in binary, 4 or 8
bool bytesReal(Bytes* bytes, double* value, const char* what);            // double; finite
// Are there at least count · size bytes left? In text, at least as many characters as that many numbers take.
bool bytesHold(Bytes* bytes, int64_t count, int64_t numbers, size_t size);
// Moves behind the next occurrence of `mark` at the start of a line; false, without an error, when there is none.
bool bytesFind(Bytes* bytes, const char* mark);

// "path: byte 12: reason"; returns false.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool bytesFail(Bytes* bytes, shStatus status, const char* format, ...);

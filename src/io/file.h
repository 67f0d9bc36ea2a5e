// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Whole files in and out. WebAssembly builds have none: hosts there pass memory.
#pragma once

#include "core/memory.h"

typedef struct FileBlock {
    const void* bytes; // 64-byte aligned; null for an empty file
    size_t size;
    bool mapped; // else allocated
} FileBlock;

// Maps the file read-only, or reads it where it cannot be mapped.
shStatus fileOpen(FileBlock* file, Memory* memory, const char* path, shMessage* message);
void fileClose(FileBlock* file, Memory* memory);

// Writes under a temporary name beside the target and renames: readers see the old file or the new, never half of it.
shStatus fileWrite(Memory* memory, const char* path, const void* bytes, size_t size, shMessage* message);

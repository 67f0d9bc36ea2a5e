// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Many mesh files cooked into a folder, on all cores, each in a process of its own: a crash or a lack of memory ends
// that file alone. Files whose assets are there and newer are skipped, so what was stopped goes on where it was.
#pragma once

#include <stdbool.h>

enum { cookFolderMost = 4096 }; // files

// Cooks one file and prints its JSON to stdout, what went wrong to stderr; returns an exit code.
typedef int CookJob(const void* user, const char* input, const char* output);

typedef struct CookFolder {
    const char* const* inputs;
    int count;
    const char* folder;
    bool again; // those too that are up to date
    bool json;
    CookJob* cook;
    const void* user;
} CookFolder;

// Prints a table, or the list of all JSON. 1 when a file failed.
int cookFolder(const CookFolder* def);

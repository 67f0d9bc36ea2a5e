// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Runs another program and waits, at most so long. No shell: arguments go through as they are.
#pragma once

#include "core/context.h"

typedef enum ProcessEnd {
    processExited,   // `code` is its exit code
    processSignaled, // `code` is the signal that ended it
    processTimedOut, // killed with everything it started
    processMissing,  // could not be started: see `output`
} ProcessEnd;

typedef struct ProcessResult {
    ProcessEnd end;
    int code;
    double seconds;
    char output[2048]; // the end of what it wrote to stdout and stderr
} ProcessResult;

typedef struct ProcessDef {
    const char* const* arguments; // null-terminated; the first is the program, looked up along PATH
    double seconds;               // limit
    uint64_t bytes;               // limit of its address space; 0: none
    const char* outputPath;       // where its stdout goes; null: to `output` with stderr
} ProcessDef;

void processRun(const ProcessDef* def, ProcessResult* result);
// The same for a function of ours, in a forked copy of this process. `call` writes its result to the file it is given
// and returns an exit code; it may crash. What it wrote comes back in `bytes` [*size of *room], up to `limit`.
typedef int ProcessCall(void* user, int output);
typedef struct ProcessBytes {
    uint8_t* data;
    int count, capacity; // as an ARRAY
} ProcessBytes;
// False when memory runs out or the result is longer than `limit`; see result->end first.
bool processFork(ProcessCall* call, void* user, double seconds, uint64_t addressSpace, Memory* memory, int limit,
                 ProcessBytes* bytes, ProcessResult* result);

// "exit code 3", "killed by signal 11 (Segmentation fault)", "no end after 60 s", "cannot be started: …"
void processDescribe(const ProcessResult* result, char* text, size_t size);

// Makes an empty folder of our own below $TMPDIR or /tmp; false: see errno. `removeFolder` deletes it and its files.
bool makeFolder(char* path, size_t size);
void removeFolder(const char* path);

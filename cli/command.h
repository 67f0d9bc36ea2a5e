// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the subcommands share. Each is one file with one function here; it gets the arguments after its name and returns
// the exit code: 0 done, 1 failed, 2 wrong usage.
#pragma once

#include "cli/options.h"
#include "sherd/base.h"

#include <jansson.h>

int commandBench(int count, char* const* arguments);
int commandBreak(int count, char* const* arguments);
int commandCook(int count, char* const* arguments);
int commandExport(int count, char* const* arguments);
int commandHaptic(int count, char* const* arguments);
int commandInfo(int count, char* const* arguments);
int commandList(int count, char* const* arguments);
int commandNew(int count, char* const* arguments);
int commandRender(int count, char* const* arguments);
int commandRun(int count, char* const* arguments);
int commandValidate(int count, char* const* arguments);

// The option every command that works hard has; 0 in `threads` means all cores.
#define THREADS_OPTION(target)                                                                                         \
    {                                                                                                                  \
        "threads", 0, "N", "threads to use (all cores)", optionInt, (target), 1.0, 64.0, NULL                          \
    }
#define JSON_OPTION(target)                                                                                            \
    {                                                                                                                  \
        "json", 0, NULL, "print JSON", optionFlag, (target), 0.0, 0.0, NULL                                            \
    }

// A context with so many threads; null after a message on stderr.
shContext* openContext(const char* command, int threads);
int coreCount(void);
// "sherd cook: message" on stderr; returns 1.
int commandFailed(const char* command, const shMessage* message);
// Prints and frees; returns 0, or 1 when standard output cannot be written.
int printJson(json_t* json);

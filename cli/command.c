// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/command.h"

#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

int coreCount(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 64 ? 64 : (int)count;
}

shContext* openContext(const char* command, int threads)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = threads > 0 ? threads : coreCount();
    shContext* context = NULL;
    shMessage message;
    if (shCreateContext(&def, &context, &message) != shOk)
        commandFailed(command, &message);
    return context;
}

int commandFailed(const char* command, const shMessage* message)
{
    progressClear();
    fprintf(stderr, "sherd %s: %s\n", command, message->text);
    return 1;
}

int printJson(json_t* json)
{
    int wrong = json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(json);
    putchar('\n');
    return wrong != 0 || fflush(stdout) != 0 ? 1 : 0;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd new: a scene to start from, which explains itself.
#include "cli/command.h"
#include "core/context.h"
#include "io/file.h"
#include "play/script.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int stemLength(const char* path)
{
    size_t length = strlen(path);
    bool json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    return (int)(json ? length - 5 : length);
}

int commandNew(int count, char* const* arguments)
{
    bool force = false;
    const Option options[] = {
        {"force", 'f', NULL, "overwrite a file that is there", optionFlag, &force, 0.0, 0.0, NULL}};
    const Usage usage = {.command = "new",
                         .form = "FILE.json [options]",
                         .summary = "Writes a small scene with comments, to be changed and run.",
                         .options = options,
                         .optionCount = 1,
                         .wordsMost = 1};
    const char* path;
    int wordCount;
    ParseResult parsed = optionsParse(&usage, count, arguments, &path, &wordCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (wordCount < 1)
        return usageError("new", "name the file to write");
    if (!force && access(path, F_OK) == 0)
        return usageError("new", "%s is there already; --force overwrites it", path);
    const BuiltIn* starter = builtInFind("starter");
    shContext* context = openContext("new", 1);
    if (context == NULL)
        return 1;
    shMessage message;
    int code = 0;
    if (starter == NULL || fileWrite(&context->memory, path, starter->text, starter->size, &message) != shOk)
        code = commandFailed("new", &message);
    else
        printf("%s\nrun it: sherd run %s -o %.*s.html\n", path, path, stemLength(path), path);
    shDestroyContext(context);
    return code;
}

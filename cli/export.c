// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "sherd/export.h"
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

static bool endsWith(const char* path, const char* ending)
{
    size_t length = strlen(path), part = strlen(ending);
    return length > part && strcmp(path + length - part, ending) == 0;
}

int commandExport(int count, char* const* arguments)
{
    const Usage usage = {.command = "export",
                         .form = "FILE.sherd OUTPUT.glb|OUTPUT.obj",
                         .summary = "Writes the surface of an asset, with normals, UVs and materials.",
                         .wordsMost = 2};
    const char* words[2];
    int wordCount;
    ParseResult parsed = optionsParse(&usage, count, arguments, words, &wordCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (wordCount < 2)
        return usageError("export", "name an asset file and the file to write");
    if (!endsWith(words[1], ".glb") && !endsWith(words[1], ".obj"))
        return usageError("export", "%s: the output must end in .glb or .obj", words[1]);

    shContext* context = openContext("export", 1);
    if (context == NULL)
        return 1;
    shAsset* asset;
    shMessage message;
    int code = 0;
    if (shLoadAsset(context, words[0], &asset, &message) != shOk || shExportAsset(asset, words[1], &message) != shOk)
        code = commandFailed("export", &message);
    else
        printf("%s\n", words[1]);
    shDestroyAsset(asset);
    shDestroyContext(context);
    return code;
}

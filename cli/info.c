// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/command.h"
#include "cli/describe.h"

int commandInfo(int count, char* const* arguments)
{
    bool json = false;
    const Option options[] = {JSON_OPTION(&json)};
    const Usage usage = {.command = "info",
                         .form = "FILE.sherd [options]",
                         .summary = "Checks an asset file and shows what it holds.",
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = 1};
    const char* path;
    int words;
    ParseResult parsed = optionsParse(&usage, count, arguments, &path, &words);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (words < 1)
        return usageError("info", "name an asset file");

    shContext* context = openContext("info", 1);
    if (context == NULL)
        return 1;
    shAsset* asset;
    shMessage message;
    int code = 0;
    if (shLoadAsset(context, path, &asset, &message) != shOk)
        code = commandFailed("info", &message);
    else if (json)
        code = printJson(assetJson(asset));
    else
        assetPrint(asset);
    shDestroyAsset(asset);
    shDestroyContext(context);
    return code;
}

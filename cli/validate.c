// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd validate: reads scenes, makes what they speak of, and says what is wrong.
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scene_file.h"

#include <stdio.h>

enum { MOST_SCENES = 256 };

static int validate(shContext* context, const char* word, bool quick, json_t* list)
{
    Script script;
    Play* play = NULL;
    shMessage message = {""};
    PlayHooks hooks = sceneHooks();
    shStatus status = openScene(&script, context, word, NULL, &message);
    if (status == shOk && !quick)
        status = playCreate(&play, &script, &hooks, &message);
    progressClear();
    json_t* entry = json_pack("{s:s, s:b}", "scene", word, "valid", status == shOk);
    if (status != shOk)
        json_object_set_new(entry, "message", json_string(message.text));
    json_array_append_new(list, entry);
    if (status != shOk)
        fprintf(stderr, "%s\n", message.text);
    playDestroy(play);
    scriptFree(&script);
    return status == shOk ? 0 : 1;
}

int commandValidate(int count, char* const* arguments)
{
    bool json = false, quick = false;
    const Option options[] = {
        {"quick", 0, NULL, "read only; make no assets and no world", optionFlag, &quick, 0.0, 0.0, NULL},
        JSON_OPTION(&json),
    };
    const Usage usage = {.command = "validate",
                         .form = "SCENE… [options]",
                         .summary = "Checks scene files: every error with line and path.",
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = MOST_SCENES};
    const char* words[MOST_SCENES];
    int wordCount, code = 0;
    ParseResult parsed = optionsParse(&usage, count, arguments, words, &wordCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (wordCount < 1)
        return usageError("validate", "name a scene or a scene file");
    shContext* context = openContext("validate", 0);
    if (context == NULL)
        return 1;
    json_t* list = json_array();
    for (int i = 0; i < wordCount; ++i) {
        int wrong = validate(context, words[i], quick, list);
        code = wrong != 0 ? wrong : code;
        if (!json && wrong == 0)
            printf("%s: valid\n", words[i]);
    }
    if (json && printJson(json_incref(list)) != 0)
        code = 1;
    json_decref(list);
    shDestroyContext(context);
    return code;
}

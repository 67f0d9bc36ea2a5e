// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/command.h"
#include "cli/describe.h"
#include "cli/table.h"

#include "play/script.h"

#include <string.h>

static int listScenes(bool json)
{
    shContext* context = openContext("list", 1);
    if (context == NULL)
        return 1;
    Table table;
    tableInit(&table, "scene >steps >dt_ms what paper");
    json_t* list = json_array();
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene) {
        Script script;
        shMessage message;
        if (scriptRead(&script, context, scene->name, (const char*)scene->text, scene->size, NULL, &message) != shOk) {
            commandFailed("list", &message);
            continue;
        }
        tableRow(&table, "%s\t%d\t%g\t%s\t%s", scene->name, script.steps, 1e3 * script.dt, script.about, script.paper);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:i, s:f, s:i}", "name", scene->name, "title",
                                              script.title, "about", script.about, "paper", script.paper, "steps",
                                              script.steps, "dt", script.dt, "bodies", script.copyCount));
        scriptFree(&script);
    }
    int code = 0;
    if (json)
        code = printJson(json_incref(list));
    else
        tablePrint(&table);
    json_decref(list);
    tableFree(&table);
    shDestroyContext(context);
    return code;
}

static int listModels(bool json)
{
    Table table;
    tableInit(&table, "model usual_material description");
    json_t* list = json_array();
    for (int i = 0; i < shGetModelCount(); ++i) {
        shModelInfo model = shGetModel(i);
        tableRow(&table, "%s\t%s\t%s", model.name, model.material, model.description);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", model.name, "material", model.material,
                                              "description", model.description));
    }
    int code = 0;
    if (json)
        code = printJson(json_incref(list));
    else
        tablePrint(&table);
    json_decref(list);
    tableFree(&table);
    return code;
}

static int listMaterials(bool json)
{
    Table table;
    tableInit(&table, "material >kg/m³ >E_[GPa] >Poisson >strength_[MPa] >Gc_[J/m²] >friction >restitution");
    json_t* list = json_array();
    for (int i = 0; i < shMaterialPresetCount(); ++i) {
        const shMaterial* m = shMaterialPresetAt(i);
        tableRow(&table, "%s\t%g\t%g\t%g\t%g\t%g\t%g\t%g", m->name, (double)m->density, 1e-9 * (double)m->young,
                 (double)m->poisson, 1e-6 * (double)m->strength, (double)m->toughness, (double)m->friction,
                 (double)m->restitution);
        json_array_append_new(list, materialJson(m));
    }
    int code = 0;
    if (json)
        code = printJson(json_incref(list));
    else
        tablePrint(&table);
    json_decref(list);
    tableFree(&table);
    return code;
}

int commandList(int count, char* const* arguments)
{
    bool json = false;
    const Option options[] = {JSON_OPTION(&json)};
    const Usage usage = {.command = "list",
                         .form = "scenes|models|materials [options]",
                         .summary = "Lists the built-in scenes, the built-in models or the material presets.",
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = 1};
    const char* what;
    int words;
    ParseResult parsed = optionsParse(&usage, count, arguments, &what, &words);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (words < 1)
        return usageError("list", "say which: scenes, models or materials");
    if (strcmp(what, "scenes") == 0)
        return listScenes(json);
    if (strcmp(what, "models") == 0)
        return listModels(json);
    if (strcmp(what, "materials") == 0)
        return listMaterials(json);
    return usageError("list", "'%s' cannot be listed: scenes, models and materials can", what);
}

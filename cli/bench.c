// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/machine.h"
#include "bench/suite.h"
#include "cli/command.h"
#include "cli/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SUITES = 32 };

static int listSuites(bool json)
{
    if (json) {
        json_t* list = json_array();
        for (int i = 0; i < suiteCount; ++i)
            json_array_append_new(list, json_pack("{s:s,s:s}", "suite", suites[i].name, "summary", suites[i].summary));
        return printJson(list);
    }
    Table table;
    tableInit(&table, "suite what_it_measures");
    for (int i = 0; i < suiteCount; ++i)
        tableRow(&table, "%s\t%s", suites[i].name, suites[i].summary);
    tablePrint(&table);
    tableFree(&table);
    return 0;
}

static int unknownSuite(const char* name)
{
    const char* names[MOST_SUITES + 1];
    int count = 0;
    for (; count < suiteCount && count < MOST_SUITES; ++count)
        names[count] = suites[count].name;
    names[count] = NULL;
    const char* nearest = nearestWord(name, names);
    if (nearest != NULL)
        return usageError("bench", "there is no suite '%s'; did you mean %s?", name, nearest);
    return usageError("bench", "there is no suite '%s'; sherd bench --list names those there are", name);
}

// What the tables were made on, beside them.
static bool writeMachine(const Bench* bench)
{
    char path[1024], machine[512];
    if (bench->csvFolder == NULL)
        return true;
    snprintf(path, sizeof(path), "%s/machine.txt", bench->csvFolder);
    machineText(machine, sizeof(machine));
    FILE* file = fopen(path, "w");
    bool ok = file != NULL && fprintf(file, "%s\n", machine) > 0;
    return file != NULL && fclose(file) == 0 && ok;
}

static int runSuite(Bench* bench, const Suite* suite, json_t* results)
{
    bench->suite = suite->name;
    bench->rowCount = 0;
    shMessage message = {0};
    if (suite->run(bench, &message) != shOk)
        return commandFailed("bench", &message);
    if (!benchWriteCsv(bench) || !writeMachine(bench)) {
        snprintf(message.text, sizeof(message.text), "%.300s: %s", bench->csvFolder, strerror(errno));
        return commandFailed("bench", &message);
    }
    if (results != NULL)
        json_array_append_new(results, benchJson(bench));
    else
        benchPrint(bench);
    return 0;
}

static int runSuites(Bench* bench, int count, const char* const* names, bool json)
{
    json_t* results = json ? json_array() : NULL;
    int code = 0, total = count > 0 ? count : suiteCount;
    for (int i = 0; i < total && code == 0; ++i)
        code = runSuite(bench, count > 0 ? suiteFind(names[i]) : &suites[i], results);
    if (code == 0 && json) // one suite is an object, several are a list of them
        code = printJson(json_incref(total == 1 ? json_array_get(results, 0) : results));
    json_decref(results);
    free(bench->rows);
    return code;
}

int commandBench(int count, char* const* arguments)
{
    bool list = false, json = false;
    int threads = 0;
    Bench bench = {0};
    const Option options[] = {
        {"list", 0, NULL, "list the suites", optionFlag, &list, 0, 0, NULL},
        {"quick", 0, NULL, "fewer runs: each suite ends within 50 s on two cores", optionFlag, &bench.quick, 0, 0,
         NULL},
        {"repeat", 0, "N", "runs of each measurement (the suite's choice)", optionInt, &bench.repeat, 1, 1000, NULL},
        {"csv", 0, "FOLDER", "also write FOLDER/SUITE.csv, and machine.txt", optionText, &bench.csvFolder, 0, 0, NULL},
        {"plot", 0, "FOLDER", "also draw what a suite has curves for, by gnuplot", optionText, &bench.plotFolder, 0, 0,
         NULL},
        THREADS_OPTION(&threads),
        JSON_OPTION(&json),
    };
    const Usage usage = {
        .command = "bench",
        .form = "[SUITE...] [options]",
        .summary = "Measures, and shows each figure beside the paper's and its goal. All suites without a name.",
        .more = "Work on one thread is measured in CPU time, work on several in wall time. Peers are programs in\n"
                "peers/ beside this one; without them their rows have no value.",
        .options = options,
        .optionCount = sizeof(options) / sizeof(options[0]),
        .wordsMost = MOST_SUITES};
    const char* names[MOST_SUITES];
    int nameCount;
    ParseResult parsed = optionsParse(&usage, count, arguments, names, &nameCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    for (int i = 0; i < nameCount; ++i)
        if (suiteFind(names[i]) == NULL)
            return unknownSuite(names[i]);
    if (list)
        return listSuites(json);
    bench.context = openContext("bench", threads);
    bench.single = bench.context != NULL ? openContext("bench", 1) : NULL;
    int code = 1;
    if (bench.single != NULL) {
        char machine[512];
        machineText(machine, sizeof(machine));
        if (!json)
            printf("%s\n\n", machine);
        code = runSuites(&bench, nameCount, names, json);
    }
    shDestroyContext(bench.single);
    shDestroyContext(bench.context);
    return code;
}

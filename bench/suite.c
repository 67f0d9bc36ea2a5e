// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/suite.h"

#include "bench/machine.h"
#include "cli/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const Suite* suiteFind(const char* name)
{
    for (int i = 0; i < suiteCount; ++i)
        if (strcmp(suites[i].name, name) == 0)
            return &suites[i];
    return NULL;
}

BenchRow* benchRow(Bench* bench, const char* row, double value, const char* unit, double paper, const char* goal)
{
    if (bench->rowCount == bench->rowCapacity) {
        bench->rowCapacity = 2 * bench->rowCapacity + 32;
        bench->rows = realloc(bench->rows, (size_t)bench->rowCapacity * sizeof(bench->rows[0]));
        if (bench->rows == NULL) {
            fputs("sherd bench: out of memory\n", stderr);
            exit(1);
        }
    }
    BenchRow* made = &bench->rows[bench->rowCount++];
    *made = (BenchRow){.value = value, .paper = paper};
    snprintf(made->row, sizeof(made->row), "%s", row);
    snprintf(made->unit, sizeof(made->unit), "%s", unit);
    snprintf(made->goal, sizeof(made->goal), "%s", goal != NULL ? goal : "");
    return made;
}

void benchNote(BenchRow* row, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(row->note, sizeof(row->note), format, args);
    va_end(args);
}

int benchAmount(const Bench* bench, int tiny, int quick, int usual)
{
    return bench->tiny ? tiny : bench->quick ? quick : usual;
}

int benchRepeats(const Bench* bench, int quick, int usual)
{
    return bench->repeat > 0 ? bench->repeat : benchAmount(bench, 1, quick, usual);
}

int benchMet(const BenchRow* row)
{
    if (row->goal[0] == '\0' || !isfinite(row->value))
        return -1;
    double limit = strtod(row->goal + 2, NULL);
    return row->goal[0] == '<' ? row->value <= limit : row->value >= limit;
}

static json_t* numberJson(double value) { return isfinite(value) ? json_real(value) : json_null(); }
static json_t* textJson(const char* text) { return text[0] != '\0' ? json_string(text) : json_null(); }

json_t* benchJson(const Bench* bench)
{
    json_t* rows = json_array();
    for (int i = 0; i < bench->rowCount; ++i) {
        const BenchRow* row = &bench->rows[i];
        int met = benchMet(row);
        json_array_append_new(rows, json_pack("{s:s,s:o,s:s,s:o,s:o,s:o,s:o}", "row", row->row, "value",
                                              numberJson(row->value), "unit", row->unit, "paper",
                                              numberJson(row->paper), "goal", textJson(row->goal), "met",
                                              met < 0 ? json_null() : json_boolean(met), "note", textJson(row->note)));
    }
    return json_pack("{s:s,s:o,s:o}", "suite", bench->suite, "machine", machineJson(), "rows", rows);
}

static void numberText(double value, char text[32])
{
    if (!isfinite(value))
        snprintf(text, 32, "–");
    else if (fabs(value) >= 1000.0 || value == floor(value))
        snprintf(text, 32, "%.0f", value);
    else
        snprintf(text, 32, "%.3g", value);
}

void benchPrint(const Bench* bench)
{
    Table table;
    tableInit(&table, "row >value unit >paper goal met note");
    for (int i = 0; i < bench->rowCount; ++i) {
        const BenchRow* row = &bench->rows[i];
        char value[32], paper[32];
        int met = benchMet(row);
        numberText(row->value, value);
        numberText(row->paper, paper);
        tableRow(&table, "%s\t%s\t%s\t%s\t%s\t%s\t%s", row->row, value, row->unit, paper, row->goal,
                 met < 0    ? ""
                 : met == 1 ? "yes"
                            : "NO",
                 row->note);
    }
    printf("%s\n", bench->suite);
    tablePrint(&table);
    tableFree(&table);
}

// A cell of a CSV file, in quotes when it needs them.
static void writeCell(FILE* file, const char* text, char end)
{
    bool quotes = strpbrk(text, ",\"\n") != NULL;
    if (quotes)
        fputc('"', file);
    for (; *text != '\0'; ++text)
        fprintf(file, *text == '"' ? "\"%c" : "%c", *text);
    if (quotes)
        fputc('"', file);
    fputc(end, file);
}

bool benchWriteCsv(const Bench* bench)
{
    if (bench->csvFolder == NULL)
        return true;
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.csv", bench->csvFolder, bench->suite);
    if (mkdir(bench->csvFolder, 0777) != 0 && errno != EEXIST)
        return false;
    FILE* file = fopen(path, "w");
    if (file == NULL)
        return false;
    fputs("row,value,unit,paper,goal,met,note\n", file);
    for (int i = 0; i < bench->rowCount; ++i) {
        const BenchRow* row = &bench->rows[i];
        int met = benchMet(row);
        char value[32] = "", paper[32] = "";
        if (isfinite(row->value))
            snprintf(value, sizeof(value), "%.9g", row->value);
        if (isfinite(row->paper))
            snprintf(paper, sizeof(paper), "%.9g", row->paper);
        writeCell(file, row->row, ',');
        fprintf(file, "%s,", value);
        writeCell(file, row->unit, ',');
        fprintf(file, "%s,%s,%s,", paper, row->goal, met < 0 ? "" : met == 1 ? "true" : "false");
        writeCell(file, row->note, '\n');
    }
    bool ok = ferror(file) == 0;
    return fclose(file) == 0 && ok;
}

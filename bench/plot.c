// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/plot.h"

#include "cli/progress.h"
#include "cook/process.h"
#include "core/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct Plot {
    Bench* bench;
    FILE* data;
    bool failed;
    int error; // errno of the first failure
    char name[64];
    const char* script;
};

static void fileName(const Plot* plot, const char* ending, char* path, size_t size)
{
    snprintf(path, size, "%s/%s%s", plot->bench->plotFolder, plot->name, ending);
}

Plot* plotOpen(Bench* bench, const char* name, const char* columns, const char* script)
{
    if (bench->plotFolder == NULL)
        return NULL;
    Plot* plot = calloc(1, sizeof *plot);
    if (plot == NULL)
        return NULL;
    *plot = (Plot){.bench = bench, .script = script};
    snprintf(plot->name, sizeof plot->name, "%s", name);
    char path[1024];
    fileName(plot, ".csv", path, sizeof path);
    mkdir(bench->plotFolder, 0777);
    plot->data = fopen(path, "w");
    plot->failed = plot->data == NULL;
    plot->error = errno;
    if (!plot->failed)
        fprintf(plot->data, "%s\n", columns);
    return plot;
}

static void putValues(const Plot* plot, int count, const double* values, bool more)
{
    for (int i = 0; i < count; ++i) {
        if (i > 0 || more)
            fputc(',', plot->data);
        if (isfinite(values[i]))
            fprintf(plot->data, "%.6g", values[i]);
    }
    fputc('\n', plot->data);
}

void plotRow(Plot* plot, int count, const double* values)
{
    if (plot != NULL && !plot->failed)
        putValues(plot, count, values, false);
}

void plotBar(Plot* plot, const char* label, int count, const double* values)
{
    if (plot == NULL || plot->failed)
        return;
    fputs(label, plot->data);
    putValues(plot, count, values, true);
}

void plotGap(Plot* plot)
{
    if (plot != NULL && !plot->failed)
        fputc('\n', plot->data);
}

static bool writeScript(const Plot* plot)
{
    char path[1024];
    fileName(plot, ".gp", path, sizeof path);
    FILE* file = fopen(path, "w");
    if (file == NULL)
        return false;
    fprintf(file,
            "# gnuplot %s.gp, in this folder\n"
            "data = '%s.csv'\n"
            "set datafile separator comma\n"
            "set datafile missing ''\n"
            "set terminal pngcairo size 860,420 font 'Sans,10' rounded\n"
            "set output '%s.png'\n"
            "set border 3 lc '#888888'\n"
            "set tics nomirror\n"
            "set grid lc '#dddddd' lt 1\n"
            "set key outside right top noenhanced\n"
            "%s",
            plot->name, plot->name, plot->name, plot->script);
    bool ok = ferror(file) == 0;
    return fclose(file) == 0 && ok;
}

// A string of gnuplot's.
static void quote(const char* text, char* quoted, size_t size)
{
    size_t length = 0;
    for (; *text != '\0' && length + 3 < size; ++text) {
        quoted[length++] = *text;
        if (*text == '\'')
            quoted[length++] = '\'';
    }
    quoted[length] = '\0';
}

static void draw(const Plot* plot)
{
    char script[128], folder[1024], enter[1100];
    snprintf(script, sizeof script, "%s.gp", plot->name);
    quote(plot->bench->plotFolder, folder, sizeof folder);
    snprintf(enter, sizeof enter, "cd '%s'", folder);
    const char* arguments[] = {"gnuplot", "-e", enter, script, NULL};
    ProcessDef def = {.arguments = arguments, .seconds = 60.0};
    ProcessResult result;
    static bool told;
    processRun(&def, &result);
    if ((result.end == processExited && result.code == 0) || told)
        return;
    told = true;
    progressClear();
    if (result.end == processMissing)
        fprintf(stderr,
                "sherd bench: gnuplot is not installed (Debian: gnuplot-nox): %s has the tables and scripts, "
                "but no pictures\n",
                plot->bench->plotFolder);
    else
        fprintf(stderr, "sherd bench: gnuplot does not draw %s: %s\n", script, result.output);
}

shStatus plotClose(Plot* plot, shMessage* message)
{
    if (plot == NULL)
        return shOk;
    if (!plot->failed) {
        plot->failed = ferror(plot->data) != 0;
        plot->failed = fclose(plot->data) != 0 || plot->failed || !writeScript(plot);
        plot->error = errno;
    }
    shStatus status =
        plot->failed ? fail(message, shNoFile, "%.300s: %s", plot->bench->plotFolder, strerror(plot->error)) : shOk;
    if (status == shOk)
        draw(plot);
    free(plot);
    return status;
}

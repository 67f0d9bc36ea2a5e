// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/haptic_loop.h"
#include "bench/plot.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct HapticOptions {
    double seconds;
    int spheres, threads;
    const char* plot;
    bool json;
} HapticOptions;

static void printStats(const Haptic* haptic, const HapticStats* stats)
{
    printf("%s: %s; %d and %d spheres\n", haptic->scene->name, haptic->scene->summary,
           shInnerSpheres_GetInfo(haptic->object).sphereCount, shInnerSpheres_GetInfo(haptic->tool).sphereCount);
    printf("ticks       %d at 1 kHz, %.1f %% in contact\n", stats->ticks, 100.0 * stats->contacts / stats->ticks);
    printf("response    mean %.1f us, median %.1f, 99 %% within %.1f, worst %.1f\n", stats->meanUs, stats->medianUs,
           stats->p99Us, stats->worstUs);
    printf("deadline    missed by %d of %d (%.3f %%), latest answer %.1f us after its tick\n",
           stats->ticks - stats->met, stats->ticks, 100.0 * (stats->ticks - stats->met) / stats->ticks,
           stats->worstLateUs);
    printf("work        at most %.1f us of the thread's own time\n", stats->worstCpuUs);
    printf("force       up to %.4g N per Pa, changes by %.2f %% of that in a tick at most\n\n", stats->largestForce,
           stats->jumpPct);
    int most = 1;
    for (int i = 0; i < HAPTIC_BINS; ++i)
        most = maxI(most, stats->bins[i]);
    for (int i = 0; i < HAPTIC_BINS; ++i) {
        if (stats->bins[i] == 0)
            continue;
        int length = (int)ceil(60.0 * stats->bins[i] / most);
        printf("%s%7.1f us %8d ", i == HAPTIC_BINS - 1 ? "> " : "<=", exp2(0.5 * (i == HAPTIC_BINS - 1 ? i - 1 : i)),
               stats->bins[i]);
        for (int k = 0; k < length; ++k)
            putchar('#');
        putchar('\n');
    }
}

static int statsJson(const Haptic* haptic, const HapticStats* stats)
{
    json_t* bins = json_array();
    for (int i = 0; i < HAPTIC_BINS; ++i)
        json_array_append_new(bins, json_pack("{s:f,s:i}", "to_us", exp2(0.5 * i), "ticks", stats->bins[i]));
    return printJson(json_pack("{s:s,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:o}", "scene", haptic->scene->name,
                               "ticks", stats->ticks, "met", stats->met, "contacts", stats->contacts, "mean_us",
                               stats->meanUs, "median_us", stats->medianUs, "p99_us", stats->p99Us, "worst_us",
                               stats->worstUs, "worst_late_us", stats->worstLateUs, "largest_force",
                               stats->largestForce, "force_jump_pct", stats->jumpPct, "histogram", bins));
}

static shStatus plotHistogram(const char* folder, const Haptic* haptic, const HapticStats* stats,
                              const HapticTick* ticks, shMessage* message)
{
    Bench bench = {.plotFolder = folder, .suite = "haptic"};
    char name[64];
    snprintf(name, sizeof name, "haptic-%.40s", haptic->scene->name);
    Plot* plot = plotOpen(&bench, name, "up to us,ticks",
                          "set xlabel 'response, us'\nset ylabel 'ticks'\nset logscale xy\n"
                          "set style fill solid 0.6\nset boxwidth 0.3 relative\n"
                          "plot data using 1:2 with boxes notitle\n");
    for (int i = 0; i < HAPTIC_BINS; ++i)
        if (stats->bins[i] > 0)
            PLOT_ROW(plot, exp2(0.5 * i), stats->bins[i]);
    shStatus status = plotClose(plot, message);
    snprintf(name, sizeof name, "haptic-%.40s-force", haptic->scene->name);
    plot = plotOpen(&bench, name, "s,force",
                    "set xlabel 's'\nset ylabel 'force per pressure, m^2'\n"
                    "plot data using 1:2 with lines notitle\n");
    for (int i = 0; i < stats->ticks; i += maxI(1, stats->ticks / 5000))
        PLOT_ROW(plot, 1e-3 * i, (double)ticks[i].force);
    shStatus second = plotClose(plot, message);
    return status == shOk ? second : status;
}

static int runScene(const HapticOptions* options, const HapticScene* scene)
{
    shContext* context = openContext("haptic", options->threads);
    if (context == NULL)
        return 1;
    int count = (int)(1000.0 * options->seconds), code = 0;
    HapticTick* ticks = malloc((size_t)count * sizeof(HapticTick));
    Haptic haptic = {.scene = NULL};
    shMessage message = {""};
    progressShow("%s: packing", scene->name);
    shStatus status = ticks != NULL ? shOk : failMemory(&message);
    if (status == shOk)
        status = hapticCreate(context, scene, options->spheres, &haptic, &message);
    progressClear();
    if (status == shOk)
        status = hapticRun(&haptic, count, ticks, &message);
    HapticStats stats = {0};
    if (status == shOk) {
        stats = hapticStats(ticks, count);
        if (options->plot != NULL)
            status = plotHistogram(options->plot, &haptic, &stats, ticks, &message);
    }
    if (status != shOk)
        code = commandFailed("haptic", &message);
    else if (options->json)
        code = statsJson(&haptic, &stats);
    else
        printStats(&haptic, &stats);
    hapticDestroy(&haptic);
    free(ticks);
    shDestroyContext(context);
    return code;
}

int commandHaptic(int count, char* const* arguments)
{
    HapticOptions o = {.seconds = 10.0, .spheres = 10000};
    const Option options[] = {
        {"seconds", 0, "S", "how long (10)", optionReal, &o.seconds, 0.01, 3600, NULL},
        {"spheres", 0, "N", "inner spheres of object and tool, each (10k)", optionInt, &o.spheres, 1, 16777216, NULL},
        {"plot", 0, "FOLDER", "write histogram and forces there, as tables and pictures", optionText, &o.plot, 0, 0,
         NULL},
        THREADS_OPTION(&o.threads),
        JSON_OPTION(&o.json),
    };
    static char more[1024];
    int length = snprintf(more, sizeof more, "Scenes:\n");
    for (int i = 0; i < hapticSceneCount; ++i)
        length += snprintf(more + length, sizeof more - (size_t)length, "  %-8s %s\n", hapticScenes[i].name,
                           hapticScenes[i].summary);
    const Usage usage = {.command = "haptic",
                         .form = "SCENE [options]",
                         .summary =
                             "Moves a tool against an object and asks for its force a thousand times a second, in "
                             "real time.",
                         .more = more,
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = 1};
    const char* name;
    int words;
    ParseResult parsed = optionsParse(&usage, count, arguments, &name, &words);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (words < 1)
        return usageError("haptic", "name a scene: stroke, press or scrape");
    for (int i = 0; i < hapticSceneCount; ++i)
        if (strcmp(hapticScenes[i].name, name) == 0)
            return runScene(&o, &hapticScenes[i]);
    return usageError("haptic", "there is no scene '%s'; there are stroke, press and scrape", name);
}

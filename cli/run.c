// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd run: performs a scene, says what it cost, leaves a film of it.
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/run_output.h"
#include "cli/run_stats.h"
#include "cli/scene_file.h"
#include "core/context.h"
#include "core/message.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct RunRequest {
    const char *scene, *csv;
    TextList sets, outputs;
    int steps, threads;
    double dt, seed;
    bool json, quiet;
} RunRequest;

static volatile sig_atomic_t interrupted;

static void onInterrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// The first Ctrl-C ends the run, and what there is so far is written; the second ends the program.
static void catchInterrupt(void)
{
    struct sigaction action = {.sa_handler = onInterrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

// One thread is measured by its own clock: whatever else runs on the machine does not count.
static double cpuSeconds(void* user)
{
    (void)user;
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wallSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void showProgress(const Script* script, const Play* play, double start, double* last)
{
    enum { width = 24 };
    double now = wallSeconds();
    if (now - *last < 0.1)
        return;
    *last = now;
    char bar[width + 1];
    int done = playStepCount(play), filled = (int)((double)width * done / script->steps);
    for (int i = 0; i < width; ++i)
        bar[i] = (char)(i < filled ? '#' : '.');
    bar[width] = '\0';
    progressShow("%s [%s] %d of %d, %.0f steps/s, %d bodies", script->name, bar, done, script->steps,
                 now > start ? done / (now - start) : 0.0, shWorld_GetCounters(playWorld(play)).bodies);
}

static shStatus perform(Play* play, const Script* script, shFilm* film, RunStats* stats, shMessage* message)
{
    double start = wallSeconds(), last = start;
    statsStart(stats, play);
    shStatus status = film != NULL ? shFilm_Record(film, playWorld(play), 0.0, message) : shOk;
    while (status == shOk && !interrupted && !playIsOver(play)) {
        status = playStep(play, message);
        if (status != shOk)
            break;
        statsStep(stats, play);
        if (film != NULL)
            status = shFilm_Record(film, playWorld(play), playTime(play), message);
        showProgress(script, play, start, &last);
    }
    stats->seconds = wallSeconds() - start;
    statsEnd(stats, play);
    return status;
}

static shStatus writeAll(const RunRequest* request, shContext* context, const Script* script, const shFilm* film,
                         shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < request->outputs.count && status == shOk; ++i) {
        progressShow("writing %s", request->outputs.items[i]);
        status = writeRunOutput(context, script, film, request->outputs.items[i], message);
    }
    return status;
}

static int report(const RunRequest* request, const Script* script, const RunStats* stats, int threads)
{
    const char* clock = threads == 1 ? "CPU" : "wall";
    if (request->json) {
        json_t* json = statsJson(stats, script, threads, clock);
        json_t* files = json_array();
        for (int i = 0; i < request->outputs.count; ++i)
            json_array_append_new(files, json_string(request->outputs.items[i]));
        json_object_set_new(json, "outputs", files);
        json_object_set_new(json, "interrupted", json_boolean(interrupted != 0));
        return printJson(json);
    }
    statsPrint(stats, script, threads, clock);
    for (int i = 0; i < request->outputs.count; ++i)
        printf("%s\n", request->outputs.items[i]);
    return 0;
}

static int runScene(const RunRequest* request, shContext* context, int threads)
{
    ScriptChanges changes = {.sets = request->sets.items,
                             .setCount = request->sets.count,
                             .dt = request->dt,
                             .steps = request->steps,
                             .hasSeed = request->seed >= 0.0,
                             .seed = request->seed >= 0.0 ? (uint64_t)request->seed : 0};
    shMessage message = {""};
    Script script;
    Play* play = NULL;
    shFilm* film = NULL;
    RunStats stats = {0};
    PlayHooks hooks = sceneHooks();
    shStatus status = openScene(&script, context, request->scene, &changes, &message);
    if (status == shOk)
        status = playCreate(&play, &script, &hooks, &message);
    if (status == shOk && request->outputs.count > 0)
        status = shCreateFilm(context, script.framesPerSecond, &film, &message);
    if (status == shOk && request->csv != NULL && (stats.csv = fopen(request->csv, "w")) == NULL)
        status = fail(&message, shNoFile, "%.300s: %s", request->csv, strerror(errno));
    if (status == shOk) {
        catchInterrupt();
        status = perform(play, &script, film, &stats, &message);
        // What was filmed before something went wrong is written all the same.
        shMessage second = {""};
        shStatus written = film != NULL ? writeAll(request, context, &script, film, &second) : shOk;
        message = status != shOk ? message : second;
        status = status != shOk ? status : written;
    }
    if (stats.csv != NULL && fclose(stats.csv) != 0 && status == shOk)
        status = fail(&message, shNoFile, "%.300s: %s", request->csv, strerror(errno));
    progressClear();
    int code = status == shOk ? report(request, &script, &stats, threads) : commandFailed("run", &message);
    shDestroyFilm(film);
    playDestroy(play);
    scriptFree(&script);
    return code;
}

int commandRun(int count, char* const* arguments)
{
    RunRequest request = {.seed = -1.0};
    const Option options[] = {
        {"out", 'o', "FILE", "film (.glb), page that plays (.html), clip (.mp4), sheet of moments (.png); repeatable",
         optionTexts, &request.outputs, 0.0, 0.0, NULL},
        {"steps", 0, "N", "steps (what the scene says)", optionInt, &request.steps, 1.0, 1e7, NULL},
        {"dt", 0, "S", "seconds of a step (what the scene says)", optionReal, &request.dt, 1e-5, 1.0, NULL},
        {"seed", 0, "S", "another seed, other breaks (what the scene says)", optionReal, &request.seed, 0.0, 9e15,
         NULL},
        {"set", 0, "PATH=VALUE", "change something in the scene: bodies.ball.at=[0,2,0]; repeatable", optionTexts,
         &request.sets, 0.0, 0.0, NULL},
        {"csv", 0, "FILE", "times and counters of every step", optionText, &request.csv, 0.0, 0.0, NULL},
        THREADS_OPTION(&request.threads),
        JSON_OPTION(&request.json),
    };
    const Usage usage = {.command = "run",
                         .form = "SCENE [-o FILE.html] [options]",
                         .summary = "Performs a scene: a built-in one (sherd list scenes) or a file (docs/scenes.md).",
                         .more = "With --threads 1 times are CPU times. Ctrl-C ends the run; what was asked for is "
                                 "written as far as it\ngot.",
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = 1};
    int wordCount;
    ParseResult parsed = optionsParse(&usage, count, arguments, &request.scene, &wordCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    if (wordCount < 1)
        return usageError("run", "name a scene (sherd list scenes) or a scene file");
    for (int i = 0; i < request.outputs.count; ++i)
        if (!isRunOutput(request.outputs.items[i]))
            return usageError("run", "--out %s: only .glb, .html, .mp4 and .png can be written",
                              request.outputs.items[i]);
    shContextDef def = shDefaultContextDef();
    def.workerCount = request.threads > 0 ? request.threads : coreCount();
    def.clock = def.workerCount == 1 ? cpuSeconds : NULL;
    shContext* context = NULL;
    shMessage message;
    if (shCreateContext(&def, &context, &message) != shOk)
        return commandFailed("run", &message);
    int code = runScene(&request, context, def.workerCount);
    shDestroyContext(context);
    return code;
}

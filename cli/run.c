// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd run: performs a scene, says what it cost, leaves a film of it.
#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/progress.h"
#include "cli/run_output.h"
#include "cli/run_stats.h"
#include "cli/run_tape.h"
#include "core/context.h"
#include "core/message.h"
#include "core/vec.h"
#include "sherd/record.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct RunRequest {
    const char *scene, *csv, *record, *replay, *poses, *size;
    RunPicture picture;
    TextList sets, outputs;
    int steps, threads;
    double dt, seed;
    bool json;
} RunRequest;

// What a run consists of; it is made in order, and freed whatever is there.
typedef struct Run {
    const RunRequest* request;
    shContext* context;
    SceneText scene;
    RunTape tape;
    Script script;
    Play* play;
    shReplay* replay; // of a recording: the play only lends its assets
    shFilm* film;
    RunStats stats;
} Run;

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

static shWorld* worldOf(const Run* run)
{
    return run->replay != NULL ? shReplay_GetWorld(run->replay) : playWorld(run->play);
}

static void showProgress(const Run* run, double start, double* last)
{
    enum { width = 24 };
    double now = wallSeconds();
    if (now - *last < 0.1)
        return;
    *last = now;
    char bar[width + 1];
    int done = run->stats.steps, all = run->script.steps, filled = (int)((double)width * minI(done, all) / all);
    for (int i = 0; i < width; ++i)
        bar[i] = (char)(i < filled ? '#' : '.');
    bar[width] = '\0';
    progressShow("%s [%s] %d of %d, %.0f steps/s, %d bodies", run->script.name, bar, done, all,
                 now > start ? done / (now - start) : 0.0, shWorld_GetCounters(worldOf(run)).bodies);
}

// ---- making ---------------------------------------------------------------------------------------------------------

static ScriptChanges changesOf(const RunRequest* request)
{
    return (ScriptChanges){.sets = request->sets.items,
                           .setCount = request->sets.count,
                           .dt = request->dt,
                           .steps = request->steps,
                           .hasSeed = request->seed >= 0.0,
                           .seed = request->seed >= 0.0 ? (uint64_t)request->seed : 0};
}

// The scene with its bodies.
static shStatus makePlay(Run* run, shMessage* message)
{
    ScriptChanges changes = changesOf(run->request);
    PlayHooks hooks = sceneHooks();
    shStatus status = openSceneText(&run->scene, run->context, run->request->scene, message);
    if (status == shOk)
        status = scriptRead(&run->script, run->context, run->scene.path, run->scene.text, run->scene.size, &changes,
                            message);
    if (status == shOk)
        status = playCreate(&run->play, &run->script, &hooks, message);
    if (status == shOk && run->request->record != NULL) {
        shRecordDef def = shDefaultRecordDef();
        def.hashEvery = 1;
        def.embed = true;
        status = shWorld_StartRecording(playWorld(run->play), &def, message);
    }
    return status;
}

// The world of a recording, with assets and terrains of the scene it comes from.
static shStatus makeReplay(Run* run, shMessage* message)
{
    PlayHooks hooks = sceneHooks();
    RunTape* tape = &run->tape;
    shStatus status = tapeOpen(tape, run->context, run->request->replay, message);
    if (status == shOk)
        status =
            scriptRead(&run->script, run->context, tape->path, tape->text, tape->textSize, &tape->changes, message);
    if (status == shOk)
        status = playCreate(&run->play, &run->script, &hooks, message);
    if (status != shOk)
        return status;
    if (run->request->steps > 0)
        run->script.steps = minI(run->script.steps, run->request->steps);
    int assetCount = run->script.assetCount, bodyCount = run->script.bodyCount, terrains = 0;
    const shAsset** assets = ARENA_ARRAY(&run->script.arena, const shAsset*, assetCount + 1);
    const shScenery** sceneries = ARENA_ARRAY(&run->script.arena, const shScenery*, bodyCount + 1);
    if (assets == NULL || sceneries == NULL)
        return failMemory(message);
    for (int i = 0; i < assetCount; ++i)
        assets[i] = playAsset(run->play, i);
    for (int i = 0; i < bodyCount; ++i)
        if (playTerrain(run->play, i) != NULL)
            sceneries[terrains++] = playTerrain(run->play, i);
    shLoadDef def = shDefaultLoadDef();
    def.assets = assets;
    def.assetCount = assetCount;
    def.sceneries = sceneries;
    def.sceneryCount = terrains;
    shMessage inner = {""};
    status = shCreateReplay(run->context, tape->recording, tape->size, &def, &run->replay, &inner);
    return status == shOk ? shOk : fail(message, status, "%.200s: %.250s", run->request->replay, inner.text);
}

static shStatus openText(FILE** file, const char* path, shMessage* message)
{
    if (path != NULL && (*file = fopen(path, "w")) == NULL)
        return fail(message, shNoFile, "%.300s: %s", path, strerror(errno));
    return shOk;
}

static shStatus closeText(FILE* file, const char* path, shStatus status, shMessage* message)
{
    if (file != NULL && fclose(file) != 0 && status == shOk)
        return fail(message, shNoFile, "%.300s: %s", path, strerror(errno));
    return status;
}

static shStatus make(Run* run, shMessage* message)
{
    const RunRequest* request = run->request;
    shStatus status = request->record != NULL ? checkRunOutput(request->record, message) : shOk;
    for (int i = 0; i < request->outputs.count && status == shOk; ++i)
        status = checkRunOutput(request->outputs.items[i], message);
    if (status == shOk)
        status = request->replay != NULL ? makeReplay(run, message) : makePlay(run, message);
    if (status == shOk && request->outputs.count > 0)
        status = shCreateFilm(run->context, run->script.framesPerSecond, &run->film, message);
    if (status == shOk)
        status = openText(&run->stats.csv, request->csv, message);
    if (status == shOk)
        status = openText(&run->stats.poses, request->poses, message);
    return status;
}

static void freeRun(Run* run)
{
    shDestroyFilm(run->film);
    shDestroyReplay(run->replay);
    playDestroy(run->play);
    scriptFree(&run->script);
    tapeClose(&run->tape, run->context);
    closeSceneText(&run->scene, run->context);
}

// ---- performing -----------------------------------------------------------------------------------------------------

static shStatus stepOnce(Run* run, bool* more, shMessage* message)
{
    if (run->replay != NULL)
        return shReplay_Step(run->replay, more, message);
    *more = true;
    return playStep(run->play, message);
}

static shStatus perform(Run* run, shMessage* message)
{
    shWorld* world = worldOf(run);
    RunStats* stats = &run->stats;
    double start = wallSeconds(), last = start;
    statsStart(stats, world);
    shStatus status = run->film != NULL ? shFilm_Record(run->film, world, 0.0, message) : shOk;
    bool more = true;
    while (status == shOk && !interrupted && stats->steps < run->script.steps) {
        status = stepOnce(run, &more, message);
        if (status != shOk || !more)
            break;
        double time = (stats->steps + 1) * run->script.dt;
        statsStep(stats, world, time);
        if (run->film != NULL)
            status = shFilm_Record(run->film, world, time, message);
        showProgress(run, start, &last);
    }
    stats->seconds = wallSeconds() - start;
    statsEnd(stats, world);
    return status;
}

// All that was asked for, also when one of them fails; the first failure is told.
static shStatus writeAll(Run* run, shMessage* message)
{
    const RunRequest* request = run->request;
    ScriptChanges changes = changesOf(request);
    shStatus first = shOk;
    if (request->record != NULL)
        first = tapeWrite(request->record, run->context, &run->scene, &changes, playWorld(run->play), message);
    for (int i = 0; i < request->outputs.count; ++i) {
        progressShow("writing %s", request->outputs.items[i]);
        shStatus status = writeRunOutput(run->context, &run->script, run->film, &request->picture,
                                         request->outputs.items[i], first == shOk ? message : NULL);
        first = first == shOk ? status : first;
    }
    return first;
}

// ---- telling --------------------------------------------------------------------------------------------------------

static int reportJson(const Run* run, int threads, const char* clock)
{
    const RunRequest* request = run->request;
    json_t* json = statsJson(&run->stats, &run->script, threads, clock);
    json_t* files = json_array();
    if (request->record != NULL)
        json_array_append_new(files, json_string(request->record));
    for (int i = 0; i < request->outputs.count; ++i)
        json_array_append_new(files, json_string(request->outputs.items[i]));
    json_object_set_new(json, "outputs", files);
    json_object_set_new(json, "interrupted", json_boolean(interrupted != 0));
    if (run->replay != NULL) {
        shReplayInfo info = shReplay_GetInfo(run->replay);
        json_object_set_new(json, "replay",
                            json_pack("{s:s, s:I, s:I}", "file", request->replay, "hashes", (json_int_t)info.hashes,
                                      "first_difference", (json_int_t)info.firstBad));
    }
    return printJson(json);
}

static int report(const Run* run, int threads)
{
    const RunRequest* request = run->request;
    const char* clock = threads == 1 ? "CPU" : "wall";
    shReplayInfo info = run->replay != NULL ? shReplay_GetInfo(run->replay) : (shReplayInfo){0};
    int code = 0;
    if (request->json) {
        code = reportJson(run, threads, clock);
    } else {
        statsPrint(&run->stats, &run->script, threads, clock);
        for (int i = 0; run->play != NULL && i < run->script.assetCount; ++i)
            if (playIsReplaced(run->play, i))
                printf("%s is not there: %s stands in%s\n", run->script.assets[i].file,
                       run->script.assets[i].standIn->model,
                       strcmp(run->script.assets[i].file, "bunny") == 0 ? " (apt-get install libcgal-demo)" : "");
        if (run->replay != NULL && info.firstBad == 0)
            printf("the same as recorded: %lld hashes compared\n", (long long)info.hashes);
        if (interrupted)
            printf("interrupted after %d of %d steps\n", run->stats.steps, run->script.steps);
        if (request->record != NULL)
            printf("%s\n", request->record);
        for (int i = 0; i < request->outputs.count; ++i)
            printf("%s\n", request->outputs.items[i]);
    }
    if (info.firstBad == 0)
        return interrupted && code == 0 ? 128 + SIGINT : code;
    fprintf(stderr, "sherd run: %s: differs from what was recorded, for the first time after step %lld\n",
            request->replay, (long long)info.firstBad);
    return 1;
}

static int runScene(const RunRequest* request, shContext* context, int threads)
{
    shMessage message = {""};
    Run run = {.request = request, .context = context};
    shStatus status = make(&run, &message);
    if (status == shOk) {
        catchInterrupt();
        status = perform(&run, &message);
        // What was filmed before something went wrong is written all the same.
        shMessage second = {""};
        shStatus written = writeAll(&run, &second);
        message = status != shOk ? message : second;
        status = status != shOk ? status : written;
    }
    status = closeText(run.stats.csv, request->csv, status, &message);
    status = closeText(run.stats.poses, request->poses, status, &message);
    progressClear();
    int code = status == shOk ? report(&run, threads) : commandFailed("run", &message);
    freeRun(&run);
    return code;
}

static int checkRequest(RunRequest* request, int wordCount)
{
    if (request->replay != NULL && wordCount > 0)
        return usageError("run", "--replay %s: a recording holds its scene; leave '%s' away", request->replay,
                          request->scene);
    if (request->replay != NULL &&
        (request->record != NULL || request->sets.count > 0 || request->dt > 0.0 || request->seed >= 0.0))
        return usageError("run",
                          "--replay %s: what was recorded cannot be changed; leave --record, --set, --dt and "
                          "--seed away",
                          request->replay);
    if (request->replay == NULL && wordCount < 1)
        return usageError("run", "name a scene (sherd list scenes) or a scene file (sherd new writes one)");
    RunPicture* picture = &request->picture;
    if (picture->moments != NULL && !parseMoments(picture->moments, &(Drawing){.count = 0}))
        return usageError("run", "--moments %s: seconds separated by commas, as in 0,1.5,3", picture->moments);
    char rest;
    if (request->size != NULL &&
        (sscanf(request->size, "%5dx%5d%c", &picture->width, &picture->height, &rest) != 2 || picture->width < 16 ||
         picture->height < 16 || picture->width > LARGEST_SIDE || picture->height > LARGEST_SIDE))
        return usageError("run", "--size %s: two whole numbers from 16 to %d, as in 640x480", request->size,
                          LARGEST_SIDE);
    for (int i = 0; i < request->outputs.count; ++i)
        if (!isRunOutput(request->outputs.items[i]))
            return usageError("run", "--out %s: only .glb, .html, .mp4 and .png can be written",
                              request->outputs.items[i]);
    return 0;
}

int commandRun(int count, char* const* arguments)
{
    RunRequest request = {.seed = -1.0};
    const Option options[] = {
        {"out", 'o', "FILE", "film (.glb), page that plays (.html), clip (.mp4), sheet of moments (.png); repeatable",
         optionTexts, &request.outputs, 0.0, 0.0, NULL},
        {"moments", 0, "T,T,…", "moments of a sheet in seconds (nine, evenly)", optionText, &request.picture.moments,
         0.0, 0.0, NULL},
        {"size", 0, "WxH", "pixels of a clip, or of each moment of a sheet (960x540, 480x360)", optionText,
         &request.size, 0.0, 0.0, NULL},
        {"steps", 0, "N", "steps (what the scene says)", optionInt, &request.steps, 1.0, 1e7, NULL},
        {"dt", 0, "S", "seconds of a step (what the scene says)", optionReal, &request.dt, 1e-5, 1.0, NULL},
        {"seed", 0, "S", "another seed, other breaks (what the scene says)", optionReal, &request.seed, 0.0, 9e15,
         NULL},
        {"set", 0, "PATH=VALUE", "change something in the scene: bodies.ball.at=[0,2,0]; repeatable", optionTexts,
         &request.sets, 0.0, 0.0, NULL},
        {"record", 0, "FILE", "record the run, to be replayed to the bit", optionText, &request.record, 0.0, 0.0, NULL},
        {"replay", 0, "FILE", "instead of a scene: what was recorded, again; says where it first differs", optionText,
         &request.replay, 0.0, 0.0, NULL},
        {"csv", 0, "FILE", "times and counters of every step", optionText, &request.csv, 0.0, 0.0, NULL},
        {"poses", 0, "FILE", "where every body is after every step (.csv)", optionText, &request.poses, 0.0, 0.0, NULL},
        THREADS_OPTION(&request.threads),
        JSON_OPTION(&request.json),
    };
    const Usage usage = {.command = "run",
                         .form = "SCENE|--replay FILE [-o FILE.html] [options]",
                         .summary = "Performs a scene: a built-in one (sherd list scenes) or a file (docs/scenes.md).",
                         .more = "With --threads 1 times are CPU times. Ctrl-C ends the run; what was asked for is "
                                 "written as far as it\ngot, and the exit code is 130.",
                         .options = options,
                         .optionCount = sizeof(options) / sizeof(options[0]),
                         .wordsMost = 1};
    int wordCount;
    ParseResult parsed = optionsParse(&usage, count, arguments, &request.scene, &wordCount);
    if (parsed != parseRun)
        return parsed == parseHelp ? 0 : 2;
    int wrong = checkRequest(&request, wordCount);
    if (wrong != 0)
        return wrong;
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

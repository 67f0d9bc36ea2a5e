// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd break --count: a folder of pieces for every seed. A folder is filled under a temporary name and renamed when it
// is complete, so that what was interrupted can be started again and does only what is missing.
#include "cli/breaking.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/context.h"
#include "core/message.h"
#include "core/random.h"
#include "core/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTINGS "settings.json" // beside the folders: what they were made with
#define FIGURES "break.json"     // in each of them: the figures of its pieces

enum { LONGEST_PATH = 4096 };

typedef enum Outcome { notDone, written, foundDone, failed } Outcome;

typedef struct Result {
    Outcome outcome;
    int pieces;
    shMessage message;
} Result;

typedef struct Run {
    const ManyBreaks* many;
    Result* results; // [count]
    atomic_int done;
    atomic_bool stop; // something failed: begin nothing new
} Run;

static uint64_t seedOf(const ManyBreaks* many, int index) { return many->pattern.seed + (uint64_t)index; }

// False when it does not fit.
static bool pathOf(const ManyBreaks* many, int index, const char* before, const char* after, char path[LONGEST_PATH])
{
    return snprintf(path, LONGEST_PATH, "%s/%sseed-%06llu%s", many->folder, before,
                    (unsigned long long)seedOf(many, index), after) < LONGEST_PATH;
}

static shStatus fileProblem(const char* path, shMessage* message)
{
    return fail(message, shNoFile, "%.400s: %s", path, strerror(errno));
}

// ---- one break ------------------------------------------------------------------------------------------------------

// The number of pieces in a folder that is complete, else -1.
static int piecesOf(const char* folder)
{
    char path[LONGEST_PATH + 32];
    snprintf(path, sizeof(path), "%s/" FIGURES, folder);
    json_t* figures = json_load_file(path, 0, NULL);
    json_t* pieces = json_object_get(figures, "pieces");
    int count = json_is_array(pieces) ? (int)json_array_size(pieces) : -1;
    json_decref(figures);
    return count;
}

// What an interrupted run left, or nothing.
static void removeFolder(const char* folder)
{
    DIR* list = opendir(folder);
    if (list == NULL)
        return;
    for (struct dirent* entry = readdir(list); entry != NULL; entry = readdir(list)) {
        char path[LONGEST_PATH + 300];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(list);
    rmdir(folder);
}

static shStatus writeFolder(const ManyBreaks* many, int index, const shSolid* solid, Result* result)
{
    char temporary[LONGEST_PATH], final[LONGEST_PATH], path[LONGEST_PATH + 32];
    if (!pathOf(many, index, ".", ".tmp", temporary) || !pathOf(many, index, "", "", final))
        return fail(&result->message, shInvalid, "%.300s: the path is too long", many->folder);
    removeFolder(temporary);
    if (mkdir(temporary, 0777) != 0)
        return fileProblem(temporary, &result->message);
    shStatus status = shExportPieces(solid, temporary, &result->message);
    if (status == shOk) {
        json_t* pieces = piecesJson(solid);
        result->pieces = (int)json_array_size(pieces);
        json_t* figures = json_pack("{s:I, s:o}", "seed", (json_int_t)seedOf(many, index), "pieces", pieces);
        snprintf(path, sizeof(path), "%s/" FIGURES, temporary);
        if (json_dump_file(figures, path, JSON_INDENT(1)) != 0)
            status = fileProblem(path, &result->message);
        json_decref(figures);
    }
    if (status == shOk && rename(temporary, final) != 0)
        status = fileProblem(final, &result->message);
    if (status != shOk)
        removeFolder(temporary);
    return status;
}

static shStatus breakOne(const ManyBreaks* many, int index, Result* result)
{
    shPattern pattern = many->pattern;
    Blows blows = many->blows;
    pattern.seed = seedOf(many, index);
    if (many->anywhere) {
        Random random = randomSeedItem(pattern.seed, 1);
        blows.places[0] = randomInBox(&random, shAsset_GetInfo(many->asset).box);
    }
    shSolid* solid;
    shStatus status = shCreateSolid(many->asset, &solid, &result->message);
    if (status == shOk)
        status = applyBlows(solid, pattern, &blows, NULL, &result->message);
    if (status == shOk)
        status = writeFolder(many, index, solid, result);
    shDestroySolid(solid);
    return status;
}

static void breakSome(int begin, int end, int worker, void* user)
{
    Run* run = user;
    for (int i = begin; i < end && !atomic_load(&run->stop); ++i) {
        Result* result = &run->results[i];
        char folder[LONGEST_PATH];
        int pieces = pathOf(run->many, i, "", "", folder) ? piecesOf(folder) : -1;
        if (pieces >= 0) {
            result->pieces = pieces;
            result->outcome = foundDone;
        } else {
            result->outcome = breakOne(run->many, i, result) == shOk ? written : failed;
        }
        if (result->outcome == failed)
            atomic_store(&run->stop, true);
        int done = atomic_fetch_add(&run->done, 1) + 1;
        if (worker == 0) // the others' breaks are counted, too
            progressShow("%s: %d of %d breaks", run->many->folder, done, run->many->count);
    }
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// Folders made with other settings must not be mixed with these.
static json_t* settingsOf(const ManyBreaks* many)
{
    const shPattern* p = &many->pattern;
    const shImpact* impact = &many->blows.impact;
    shAssetInfo info = shAsset_GetInfo(many->asset);
    char hash[24];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)info.contentHash);
    json_t* places = json_array();
    for (int i = 0; i < many->blows.count && !many->anywhere; ++i)
        json_array_append_new(places, json_pack("[f,f,f]", (double)many->blows.places[i].x,
                                                (double)many->blows.places[i].y, (double)many->blows.places[i].z));
    json_t* pattern =
        json_pack("{s:s, s:i, s:b, s:f, s:[f,f,f], s:f, s:[f,f,f], s:f}", "name",
                  many->patternFile != NULL ? many->patternFile : shPatternName(p->type), "into", p->pieces, "aligned",
                  (int)p->aligned, "rough", (double)p->rough, "grain", (double)p->grain.x, (double)p->grain.y,
                  (double)p->grain.z, "aspect", (double)p->aspect, "brick", (double)p->brick.x, (double)p->brick.y,
                  (double)p->brick.z, "smallest", (double)p->smallest);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:[f,f,f], s:f, s:f, s:f, s:i}", "version", shVersionText(), "asset",
                     info.name, "hash", hash, "pattern", pattern, "at", places, "dir", (double)impact->direction.x,
                     (double)impact->direction.y, (double)impact->direction.z, "scale", (double)impact->scale, "radius",
                     (double)impact->radius, "impulse", many->blows.impulse, "again", many->blows.again);
}

static shStatus claimFolder(const ManyBreaks* many, shMessage* message)
{
    char path[LONGEST_PATH], fresh[LONGEST_PATH + 8];
    if (snprintf(path, sizeof(path), "%s/" SETTINGS, many->folder) >= (int)sizeof(path) - 64)
        return fail(message, shInvalid, "%.300s: the path is too long", many->folder);
    if (mkdir(many->folder, 0777) != 0 && errno != EEXIST)
        return fileProblem(many->folder, message);
    json_t *wanted = settingsOf(many), *present = json_load_file(path, 0, NULL);
    shStatus status = shOk;
    if (present == NULL) {
        snprintf(fresh, sizeof(fresh), "%s.tmp", path);
        if (json_dump_file(wanted, fresh, JSON_INDENT(1)) != 0 || rename(fresh, path) != 0)
            status = fileProblem(path, message);
    } else if (!json_equal(wanted, present)) {
        status = fail(message, shInvalid,
                      "%.300s holds breaks made with other settings (%s); give another folder, or remove it",
                      many->folder, SETTINGS);
    }
    json_decref(wanted);
    json_decref(present);
    return status;
}

static void printResults(const Run* run, double seconds, bool json, int* code)
{
    int writtenCount = 0, found = 0, least = INT32_MAX, most = 0;
    long total = 0;
    json_t* list = json_array();
    for (int i = 0; i < run->many->count; ++i) {
        const Result* result = &run->results[i];
        writtenCount += result->outcome == written;
        found += result->outcome == foundDone;
        least = minI(least, result->pieces);
        most = maxI(most, result->pieces);
        total += result->pieces;
        json_array_append_new(list, json_pack("{s:I, s:i, s:b}", "seed", (json_int_t)seedOf(run->many, i), "pieces",
                                              result->pieces, "new", (int)(result->outcome == written)));
    }
    double mean = (double)total / run->many->count;
    if (json) {
        *code =
            printJson(json_pack("{s:s, s:i, s:i, s:i, s:i, s:f, s:i, s:f, s:o}", "folder", run->many->folder, "breaks",
                                run->many->count, "written", writtenCount, "found", found, "fewest_pieces", least,
                                "mean_pieces", mean, "most_pieces", most, "seconds", seconds, "list", list));
        return;
    }
    json_decref(list);
    Table table;
    tableInit(&table, "folder >breaks >written >there_before >pieces,_fewest >mean >most >seconds");
    tableRow(&table, "%.100s\t%d\t%d\t%d\t%d\t%.1f\t%d\t%.2f", run->many->folder, run->many->count, writtenCount, found,
             least, mean, most, seconds);
    tablePrint(&table);
    tableFree(&table);
}

int breakMany(const ManyBreaks* many, bool json)
{
    shMessage message = {""};
    if (claimFolder(many, &message) != shOk)
        return commandFailed("break", &message);
    Run run = {.many = many, .results = calloc((size_t)many->count, sizeof(Result))};
    if (run.results == NULL) {
        failMemory(&message);
        return commandFailed("break", &message);
    }
    double start = contextSeconds(many->context);
    parallelFor(many->context, many->count, 1, breakSome, &run);
    progressClear();
    int code = 0;
    for (int i = 0; i < many->count && code == 0; ++i)
        if (run.results[i].outcome == failed)
            code = commandFailed("break", &run.results[i].message);
    if (code == 0)
        printResults(&run, contextSeconds(many->context) - start, json, &code);
    free(run.results);
    return code;
}

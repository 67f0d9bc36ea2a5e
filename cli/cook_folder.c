// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/cook_folder.h"

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct BatchJob {
    const char* input;
    char output[1024], report[1100];
    pid_t child; // 0: not running
    bool done, skipped;
    int code;
} BatchJob;

// Is the result there, and newer than the mesh? Results are renamed into place when complete, so a batch that was
// stopped goes on where it was.
static bool isUpToDate(const BatchJob* job)
{
    struct stat input, output;
    return stat(job->input, &input) == 0 && stat(job->output, &output) == 0 &&
           (output.st_mtim.tv_sec > input.st_mtim.tv_sec ||
            (output.st_mtim.tv_sec == input.st_mtim.tv_sec && output.st_mtim.tv_nsec >= input.st_mtim.tv_nsec));
}

static int runJob(const CookFolder* def, const BatchJob* job)
{
    if (freopen(job->report, "w", stdout) == NULL)
        return 1;
    char errors[1200];
    snprintf(errors, sizeof(errors), "%s.err", job->output);
    if (freopen(errors, "w", stderr) == NULL)
        return 1;
    int code = def->cook(def->user, job->input, job->output);
    fflush(NULL);
    return code;
}

static bool startJob(const CookFolder* def, BatchJob* job)
{
    fflush(NULL);
    job->child = fork();
    if (job->child == 0)
        _exit(runJob(def, job));
    return job->child > 0;
}

static void firstLine(const char* path, char* line, size_t size)
{
    line[0] = '\0';
    FILE* file = fopen(path, "r");
    while (file != NULL && fgets(line, (int)size, file) != NULL)
        if (strstr(line, "because:") == NULL && line[0] != '\n')
            break; // why it was not TetGen is no error
    if (file != NULL)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

static void endJob(BatchJob* job, int status, Table* table, json_t* list)
{
    char errors[1200], line[600] = "";
    snprintf(errors, sizeof(errors), "%s.err", job->output);
    job->done = true;
    job->child = 0;
    job->code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    json_t* json = job->code == 0 ? json_load_file(job->report, 0, NULL) : NULL;
    firstLine(errors, line, sizeof(line));
    if (!WIFEXITED(status))
        snprintf(line, sizeof(line), "%s: ended by signal %d", job->input, WTERMSIG(status));
    unlink(job->report);
    unlink(errors);
    if (json != NULL) {
        tableRow(table, "%s\t%s\t%lld\t%lld\t%.1f\t%.1f\t%.5g\t%.1f", json_string_value(json_object_get(json, "name")),
                 json_string_value(json_object_get(json, "mesher")),
                 (long long)json_integer_value(json_object_get(json, "read_triangles")),
                 (long long)json_integer_value(json_object_get(json, "tetrahedra")),
                 json_number_value(json_object_get(json, "min_dihedral")),
                 json_number_value(json_object_get(json, "max_dihedral")),
                 json_number_value(json_object_get(json, "volume")),
                 json_number_value(json_object_get(json, "seconds")));
    } else {
        job->code = job->code != 0 ? job->code : 1;
        fprintf(stderr, "%s\n", line);
        json = json_pack("{s:s,s:s?}", "input", job->input, "error", line[0] != '\0' ? line : NULL);
    }
    json_array_append_new(list, json);
}

static int waitForJob(BatchJob* jobs, int count, Table* table, json_t* list)
{
    int status;
    pid_t child = wait(&status);
    for (int i = 0; i < count; ++i)
        if (child > 0 && jobs[i].child == child)
            endJob(&jobs[i], status, table, list);
    return child > 0 ? 1 : 0;
}

int cookFolder(const CookFolder* def)
{
    int count = def->count;
    if (mkdir(def->folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "sherd cook: %s: %s\n", def->folder, strerror(errno));
        return 1;
    }
    BatchJob* jobs = calloc((size_t)count, sizeof(*jobs));
    if (jobs == NULL)
        return 1;
    Table table;
    tableInit(&table, "model mesher >triangles >tetrahedra >min_° >max_° >volume_[m³] >time_[s]");
    json_t* list = json_array();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int running = 0, ended = 0, skipped = 0, code = 0;
    for (int i = 0; i < count; ++i) {
        const char* slash = strrchr(def->inputs[i], '/');
        const char* stem = slash != NULL ? slash + 1 : def->inputs[i];
        const char* dot = strrchr(stem, '.');
        jobs[i].input = def->inputs[i];
        snprintf(jobs[i].output, sizeof(jobs[i].output), "%.800s/%.*s.sherd", def->folder,
                 dot != NULL ? (int)minI((int)(dot - stem), 200) : 200, stem);
        for (int j = 0; j < i; ++j)
            if (strcmp(jobs[j].output, jobs[i].output) == 0) { // pig.off and pig.stl: the second keeps its extension
                snprintf(jobs[i].output, sizeof(jobs[i].output), "%.700s/%.200s.sherd", def->folder, stem);
                break;
            }
        snprintf(jobs[i].report, sizeof(jobs[i].report), "%s.json", jobs[i].output);
        if (!def->again && isUpToDate(&jobs[i])) {
            ++skipped;
            continue;
        }
        while (running >= maxI((int)cores, 1)) {
            int done = waitForJob(jobs, i, &table, list);
            running -= done;
            ended += done;
        }
        progressShow("%d of %d: %s", ended + skipped, count, stem);
        if (startJob(def, &jobs[i]))
            ++running;
        else
            jobs[i].code = 1;
    }
    while (running > 0 && waitForJob(jobs, count, &table, list) > 0) {
        --running;
        progressShow("%d of %d", ++ended + skipped, count);
    }
    progressClear();
    for (int i = 0; i < count; ++i)
        code = jobs[i].code != 0 ? 1 : code;
    if (def->json) {
        code = printJson(list) != 0 ? 1 : code;
    } else {
        json_decref(list);
        tablePrint(&table);
        printf("\nwritten: %s/*.sherd", def->folder);
        if (skipped > 0)
            printf("; %d were up to date (--again cooks them anew)", skipped);
        printf("\n");
    }
    tableFree(&table);
    free(jobs);
    return code;
}

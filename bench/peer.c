// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/peer.h"

#include "bench/cache.h"
#include "cook/process.h"
#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void peerPath(const char* name, char* path, size_t size)
{
    const char* folder = getenv("SHERD_PEERS");
    char own[512];
    if (folder == NULL) {
        programFolder(own, sizeof(own));
        snprintf(path, size, "%s/peers/%s", own, name);
    } else {
        snprintf(path, size, "%s/%s", folder, name);
    }
}

bool peerExists(const char* name)
{
    char path[1024];
    peerPath(name, path, sizeof(path));
    return access(path, X_OK) == 0;
}

// Each line of the file is an object.
static json_t* readLines(const char* path)
{
    FILE* file = fopen(path, "r");
    json_t* lines = file != NULL ? json_array() : NULL;
    json_error_t error;
    while (lines != NULL) {
        int next = fgetc(file);
        if (next == EOF)
            break;
        if (next == '\n' || next == ' ' || next == '\r')
            continue;
        ungetc(next, file);
        json_t* line = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);
        if (!json_is_object(line)) {
            json_decref(line);
            json_decref(lines);
            lines = NULL;
        } else {
            json_array_append_new(lines, line);
        }
    }
    if (file != NULL)
        fclose(file);
    return lines;
}

shStatus peerRun(const char* name, const char* file, double seconds, json_t** lines, shMessage* message)
{
    *lines = NULL;
    char path[1024], folder[512], output[600];
    peerPath(name, path, sizeof(path));
    if (access(path, X_OK) != 0)
        return fail(message, shNoFile, "peer %s is not built", name);
    if (!makeFolder(folder, sizeof(folder)))
        return fail(message, shNoFile, "no temporary folder can be made");
    snprintf(output, sizeof(output), "%s/lines", folder);
    const char* arguments[] = {path, file, NULL};
    ProcessDef process = {.arguments = arguments, .seconds = seconds, .outputPath = output};
    ProcessResult result;
    processRun(&process, &result);
    shStatus status = shOk;
    if (result.end != processExited || result.code != 0) {
        char end[160];
        processDescribe(&result, end, sizeof(end));
        status = fail(message, shFailed, "peer %s: %s", name, end);
    } else {
        *lines = readLines(output);
        if (*lines == NULL)
            status = fail(message, shFailed, "peer %s did not print one JSON object per line", name);
    }
    removeFolder(folder);
    return status;
}

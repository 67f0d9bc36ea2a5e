// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/assimp_child.h"
#include "cook/limits.h"
#include "cook/process.h"
#include "cook/readers.h"
#include "cook/scene_block.h"
#include "core/array.h"
#include "core/message.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool assimpReads(const char* path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot != NULL && (slash == NULL || dot > slash) && assimpKnows(dot);
}

static int callChild(void* user, int output) { return assimpChild(user, output); }

static bool checkFile(Text* text, double* seconds)
{
    struct stat info;
    if (stat(text->path, &info) != 0)
        return textFail(text, shNoFile, "cannot open: %s", strerror(errno));
    if (!S_ISREG(info.st_mode))
        return textFail(text, shNoFile, "not a file");
    if (info.st_size == 0)
        return textFail(text, shBadFile, "the file is empty");
    if ((uint64_t)info.st_size > COOK_MAX_FILE_BYTES)
        return textFail(text, shLimit, "%lld bytes; the limit is %zu", (long long)info.st_size, COOK_MAX_FILE_BYTES);
    *seconds = COOK_IMPORT_SECONDS + (double)info.st_size / COOK_IMPORT_RATE;
    return true;
}

void readByAssimp(Text* text, TriMesh* mesh, Looks* looks)
{
    ProcessBytes bytes = {0};
    ProcessResult result;
    double seconds = COOK_IMPORT_SECONDS;
    if (!checkFile(text, &seconds))
        return;
    bool fits = processFork(callChild, (void*)(uintptr_t)text->path, seconds, COOK_IMPORT_BYTES, text->memory,
                            COOK_MAX_BLOCK_BYTES, &bytes, &result);
    if (!fits) {
        text->status = failMemory(text->message);
    } else if (result.end == processExited && result.code == 1 && bytes.count > 0) {
        for (int i = 0; i < bytes.count; ++i) // one printable line
            bytes.data[i] = bytes.data[i] < ' ' ? ' ' : bytes.data[i];
        textFail(text, shBadFile, "%.*s", minI(bytes.count, 300), (const char*)bytes.data);
    } else if (result.end != processExited || result.code != 0) {
        char end[160];
        processDescribe(&result, end, sizeof end);
        textFail(text, shBadFile, "the importer came to no result (%s): the file is broken or too large", end);
    } else {
        sceneBlockRead(bytes.data, (size_t)bytes.count, text, mesh, looks);
    }
    arrayFree(text->memory, &bytes);
}

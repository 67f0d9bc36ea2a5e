// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/cache.h"

#include "cook/cook.h"
#include "cook/process.h"
#include "core/hash.h"
#include "core/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void programFolder(char* path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
    else
        snprintf(path, size, ".");
}

uint64_t cacheProgramHash(void)
{
    FILE* file = fopen("/proc/self/exe", "rb");
    if (file == NULL)
        return 0;
    Hash hash = hashStart(0);
    uint8_t bytes[4096];
    for (size_t got = fread(bytes, 1, sizeof(bytes), file); got > 0; got = fread(bytes, 1, sizeof(bytes), file))
        hashBytes(&hash, bytes, got);
    fclose(file);
    return hashValue(&hash);
}

// Where SHERD_CACHE says; else beside a program that was built here, for an installed one in the user's cache.
static shStatus cacheFolder(char* path, size_t size, shMessage* message)
{
    char own[512], mark[600];
    programFolder(own, sizeof(own));
    snprintf(mark, sizeof(mark), "%s/CMakeCache.txt", own);
    const char *given = getenv("SHERD_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given != NULL)
        snprintf(path, size, "%s", given);
    else if (access(mark, F_OK) == 0)
        snprintf(path, size, "%s/cache", own);
    else if (cache != NULL && cache[0] == '/')
        snprintf(path, size, "%s/sherd", cache);
    else
        snprintf(path, size, "%s/.cache/sherd", home != NULL ? home : "/tmp");
    char* slash = strrchr(path, '/');
    if (mkdir(path, 0777) != 0 && errno == ENOENT && slash != NULL) { // a new user has no ~/.cache
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail(message, shNoFile, "%.300s: %s", path, strerror(errno));
    return shOk;
}

shStatus cachePath(const char* name, char* path, size_t size, shMessage* message)
{
    shStatus status = cacheFolder(path, size, message);
    size_t length = strlen(path);
    snprintf(path + length, size - length, "/%s", name);
    return status;
}

shStatus cacheMeshFile(const char* name, char* path, size_t size, shMessage* message)
{
    static const char* const archives[] = {"/usr/share/doc/libcgal-demo/data.tar.gz",
                                           "/usr/share/doc/libcgal-dev/data.tar.gz"};
    shStatus status = cachePath(name, path, size, message);
    if (status != shOk || access(path, R_OK) == 0)
        return status;
    char fresh[1024], member[128];
    snprintf(fresh, sizeof(fresh), "%s.new", path);
    snprintf(member, sizeof(member), "data/meshes/%.100s", name);
    for (int i = 0; i < 2; ++i) {
        const char* arguments[] = {"tar", "-xzOf", archives[i], member, NULL};
        ProcessDef unpack = {.arguments = arguments, .seconds = 60.0, .outputPath = fresh};
        ProcessResult result;
        if (access(archives[i], R_OK) != 0)
            continue;
        processRun(&unpack, &result);
        if (result.end == processExited && result.code == 0 && rename(fresh, path) == 0)
            return shOk;
        remove(fresh);
    }
    return fail(message, shNoFile, "no %.100s: install Debian's libcgal-demo", name);
}

shStatus cacheBunnyFile(char* path, size_t size, shMessage* message)
{
    shStatus status = cacheMeshFile("bunny00.off", path, size, message);
    return status == shNoFile ? fail(message, shNoFile, "no bunny: install Debian's libcgal-demo") : status;
}

shStatus cacheAsset(shContext* context, const char* name, CacheMake* make, const void* user, shAsset** asset,
                    shMessage* message)
{
    char keyed[128], path[1024];
    snprintf(keyed, sizeof(keyed), "%.90s-%016llx.sherd", name, (unsigned long long)cacheProgramHash());
    bool havePath = cachePath(keyed, path, sizeof(path), NULL) == shOk;
    if (havePath && access(path, R_OK) == 0 && shLoadAsset(context, path, asset, NULL) == shOk)
        return shOk;
    shStatus status = make(context, user, asset, message);
    if (status == shOk && havePath)
        shSaveAsset(*asset, path, NULL); // a cache that cannot be written only costs time
    return status;
}

typedef struct ModelDetail {
    const char* model;
    float detail;
} ModelDetail;

static shStatus makeModel(shContext* context, const void* user, shAsset** asset, shMessage* message)
{
    const ModelDetail* wanted = user;
    shCookDef def = shDefaultCookDef();
    return shCookModel(context, wanted->model, wanted->detail, &def, asset, message);
}

shStatus cacheModel(shContext* context, const char* model, float detail, shAsset** asset, shMessage* message)
{
    char name[96];
    snprintf(name, sizeof(name), "%.60s-%g", model, (double)detail);
    return cacheAsset(context, name, makeModel, &(ModelDetail){model, detail}, asset, message);
}

static shStatus makeBunny(shContext* context, const void* user, shAsset** asset, shMessage* message)
{
    char file[1024];
    shStatus status = cacheBunnyFile(file, sizeof(file), message);
    if (status != shOk)
        return status;
    CookFileDef def = cookDefaultFileDef();
    def.path = file;
    def.triangles = *(const int*)user;
    return cookFile(context, &def, asset, NULL, message);
}

shStatus cacheBunny(shContext* context, int triangles, shAsset** asset, shMessage* message)
{
    char name[96];
    snprintf(name, sizeof(name), "bunny-%d", triangles);
    return cacheAsset(context, name, makeBunny, &triangles, asset, message);
}

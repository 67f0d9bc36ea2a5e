// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "io/file.h"

#include "core/message.h"

#ifndef __wasm__

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static shStatus failFile(shMessage* message, const char* verb, const char* path)
{
    char reason[128] = "unknown reason";
    int error = errno;
    if (strerror_r(error, reason, sizeof(reason)) != 0)
        snprintf(reason, sizeof(reason), "error %d", error);
    return fail(message, shNoFile, "%s: cannot be %s: %s", path, verb, reason);
}

static bool readAll(int descriptor, char* bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = read(descriptor, bytes, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? EIO : errno; // it shrank while we were reading
            return false;
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

static bool writeAll(int descriptor, const char* bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(descriptor, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

shStatus fileOpen(FileBlock* file, Memory* memory, const char* path, shMessage* message)
{
    *file = (FileBlock){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return failFile(message, "opened", path);
    shStatus status = shOk;
    struct stat about;
    if (fstat(descriptor, &about) != 0) {
        status = failFile(message, "read", path);
    } else if (!S_ISREG(about.st_mode)) {
        status = fail(message, shNoFile, "%s: cannot be read: it is not a regular file", path);
    } else if (about.st_size > 0) {
        file->size = (size_t)about.st_size;
        void* mapped = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        file->mapped = mapped != MAP_FAILED;
        void* bytes = file->mapped ? mapped : memAlloc(memory, file->size);
        file->bytes = bytes;
        if (bytes == NULL)
            status = failMemory(message);
        else if (!file->mapped && !readAll(descriptor, bytes, file->size))
            status = failFile(message, "read", path);
    }
    close(descriptor);
    if (status != shOk)
        fileClose(file, memory);
    return status;
}

void fileClose(FileBlock* file, Memory* memory)
{
    if (file->mapped)
        munmap((void*)(uintptr_t)file->bytes, file->size);
    else
        memFree(memory, (void*)(uintptr_t)file->bytes, file->size);
    *file = (FileBlock){0};
}

static shStatus writeAndRename(int descriptor, const char* temporary, const char* path, const void* bytes, size_t size,
                               shMessage* message)
{
    bool written = writeAll(descriptor, bytes, size);
    int error = errno;
    if (close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && rename(temporary, path) == 0)
        return shOk;
    errno = written ? errno : error;
    shStatus status = failFile(message, "written", path);
    unlink(temporary);
    return status;
}

shStatus fileWrite(Memory* memory, const char* path, const void* bytes, size_t size, shMessage* message)
{
    size_t room = strlen(path) + 40;
    char* temporary = memAlloc(memory, room);
    if (temporary == NULL)
        return failMemory(message);
    int descriptor = -1;
    for (int i = 0; i < 100 && descriptor < 0; ++i) { // names of writers that died, or of other threads, are taken
        snprintf(temporary, room, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    shStatus status = descriptor < 0 ? failFile(message, "written", path)
                                     : writeAndRename(descriptor, temporary, path, bytes, size, message);
    memFree(memory, temporary, room);
    return status;
}

#else

static shStatus noFiles(const char* path, shMessage* message)
{
    return fail(message, shNoFile, "%s: there are no files in WebAssembly; pass memory instead", path);
}

shStatus fileOpen(FileBlock* file, Memory* memory, const char* path, shMessage* message)
{
    (void)memory;
    *file = (FileBlock){0};
    return noFiles(path, message);
}

void fileClose(FileBlock* file, Memory* memory) { (void)file, (void)memory; }

shStatus fileWrite(Memory* memory, const char* path, const void* bytes, size_t size, shMessage* message)
{
    (void)memory, (void)bytes, (void)size;
    return noFiles(path, message);
}

#endif

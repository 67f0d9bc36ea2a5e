// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/process.h"

#include "core/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Only calls that are safe between fork and exec in a program with threads.
static void runChild(const ProcessDef* def, int output, int failure)
{
    setpgid(0, 0); // its own group, so that a time-out ends what it starts as well
    int input = open("/dev/null", O_RDONLY);
    dup2(input, STDIN_FILENO);
    int file = def->outputPath != NULL ? open(def->outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0666) : output;
    dup2(file, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (def->bytes > 0) {
        struct rlimit limit = {(rlim_t)def->bytes, (rlim_t)def->bytes};
        setrlimit(RLIMIT_AS, &limit);
    }
    if (file >= 0) // else errno says why the output cannot be written
        execvp(def->arguments[0], (char* const*)def->arguments);
    int reason = errno;
    ssize_t written = write(failure, &reason, sizeof(reason));
    _exit(written == (ssize_t)sizeof(reason) ? 127 : 126);
}

// Keeps the last bytes: programs say what went wrong at the end.
static void keepTail(ProcessResult* result, const char* bytes, size_t count)
{
    size_t room = sizeof(result->output) - 1, length = strlen(result->output);
    if (count > room) {
        bytes += count - room;
        count = room;
    }
    if (length + count > room) {
        size_t drop = length + count - room;
        memmove(result->output, result->output + drop, length - drop);
        length -= drop;
    }
    memcpy(result->output + length, bytes, count);
    result->output[length + count] = '\0';
    for (size_t i = length; i < length + count; ++i)
        if (result->output[i] == '\0')
            result->output[i] = ' ';
}

// Reads until the child closes its output; false when time is up first.
static bool drain(int output, double deadline, ProcessResult* result)
{
    for (;;) {
        double left = deadline - now();
        if (left <= 0.0)
            return false;
        struct pollfd wait = {.fd = output, .events = POLLIN};
        int ready = poll(&wait, 1, left < 1.0 ? (int)(left * 1000.0) + 1 : 1000);
        if (ready <= 0)
            continue; // a signal, or a look at the clock
        char bytes[4096];
        ssize_t got = read(output, bytes, sizeof(bytes));
        if (got <= 0)
            return true;
        keepTail(result, bytes, (size_t)got);
    }
}

// A child may close its output and stay: wait for its end too, within the limit.
static bool awaitEnd(pid_t child, double deadline, int* status)
{
    while (waitpid(child, status, WNOHANG) == 0) {
        if (now() >= deadline)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return true;
}

static void missing(ProcessResult* result, int reason)
{
    result->end = processMissing;
    snprintf(result->output, sizeof(result->output), "%s", strerror(reason));
}

static void setCloseOnExec(const int pipe[2])
{
    fcntl(pipe[0], F_SETFD, FD_CLOEXEC);
    fcntl(pipe[1], F_SETFD, FD_CLOEXEC);
}

static void runWithPipes(const ProcessDef* def, const int output[2], const int failure[2], ProcessResult* result)
{
    setCloseOnExec(output);
    setCloseOnExec(failure);
    pid_t child = fork();
    if (child == 0)
        runChild(def, output[1], failure[1]);
    int reason = errno;
    close(output[1]);
    close(failure[1]);
    if (child < 0) {
        missing(result, reason);
        return;
    }
    setpgid(child, child); // the child does the same; whoever comes first
    double start = now(), deadline = start + def->seconds;
    int status = 0;
    if (read(failure[0], &reason, sizeof(reason)) == (ssize_t)sizeof(reason)) {
        waitpid(child, &status, 0);
        missing(result, reason);
        return;
    }
    if (!drain(output[0], deadline, result) || !awaitEnd(child, deadline, &status)) {
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        result->end = processTimedOut;
    } else {
        result->end = WIFSIGNALED(status) ? processSignaled : processExited;
        result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    result->seconds = now() - start;
}

void processRun(const ProcessDef* def, ProcessResult* result)
{
    *result = (ProcessResult){0};
    int output[2], failure[2];
    if (pipe(output) != 0) {
        missing(result, errno);
        return;
    }
    if (pipe(failure) != 0) {
        missing(result, errno);
        close(output[1]);
    } else {
        runWithPipes(def, output, failure, result);
        close(failure[0]);
    }
    close(output[0]);
}

// Sanitizers reserve terabytes of addresses, so there is no limit then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_ADDRESSES false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMIT_ADDRESSES false
#endif
#endif
#ifndef LIMIT_ADDRESSES
#define LIMIT_ADDRESSES true
#endif

static void runCall(ProcessCall* call, void* user, double seconds, uint64_t addressSpace, int output)
{
    setpgid(0, 0);
    struct rlimit none = {0, 0}, limit = {(rlim_t)addressSpace, (rlim_t)addressSpace};
    struct rlimit time = {(rlim_t)seconds + 1, (rlim_t)seconds + 1};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time); // should the parent die first
    if (LIMIT_ADDRESSES && addressSpace > 0)
        setrlimit(RLIMIT_AS, &limit);
    int silent = open("/dev/null", O_WRONLY); // libraries print warnings
    dup2(silent, STDOUT_FILENO);
    dup2(silent, STDERR_FILENO);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    _exit(call(user, output));
}

// Reads until the child closes its end. False: time is up (*late), no memory, or too long.
static bool collect(int output, double deadline, Memory* memory, int limit, ProcessBytes* bytes, bool* late)
{
    for (;;) {
        double left = deadline - now();
        *late = left <= 0.0;
        if (*late)
            return false;
        struct pollfd wait = {.fd = output, .events = POLLIN};
        if (poll(&wait, 1, left < 1.0 ? (int)(left * 1000.0) + 1 : 1000) <= 0)
            continue;
        uint8_t part[1 << 16];
        ssize_t got = read(output, part, sizeof(part));
        if (got <= 0)
            return true;
        if (bytes->count > limit - (int)got || !arrayReserve(memory, bytes, (int64_t)bytes->count + got))
            return false;
        memcpy(bytes->data + bytes->count, part, (size_t)got);
        bytes->count += (int)got;
    }
}

bool processFork(ProcessCall* call, void* user, double seconds, uint64_t addressSpace, Memory* memory, int limit,
                 ProcessBytes* bytes, ProcessResult* result)
{
    *result = (ProcessResult){0};
    int output[2];
    if (pipe(output) != 0) {
        missing(result, errno);
        return true;
    }
    setCloseOnExec(output);
    double start = now(), deadline = start + seconds;
    pid_t child = fork();
    if (child == 0) {
        close(output[0]);
        runCall(call, user, seconds, addressSpace, output[1]);
    }
    int reason = errno, status = 0;
    close(output[1]);
    if (child < 0) {
        missing(result, reason);
        close(output[0]);
        return true;
    }
    setpgid(child, child);
    bool late, ok = collect(output[0], deadline, memory, limit, bytes, &late);
    if (!ok || !awaitEnd(child, deadline, &status)) {
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        result->end = processTimedOut;
    } else {
        result->end = WIFSIGNALED(status) ? processSignaled : processExited;
        result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    result->seconds = now() - start;
    close(output[0]);
    return ok || late;
}

void processDescribe(const ProcessResult* result, char* text, size_t size)
{
    switch (result->end) {
    case processExited:
        snprintf(text, size, "exit code %d", result->code);
        break;
    case processSignaled:
        snprintf(text, size, "killed by signal %d (%s)", result->code, strsignal(result->code));
        break;
    case processTimedOut:
        snprintf(text, size, "no end after %.3g s", result->seconds);
        break;
    case processMissing:
        snprintf(text, size, "cannot be started: %.100s", result->output);
        break;
    }
}

bool makeFolder(char* path, size_t size)
{
    const char* base = getenv("TMPDIR");
    int length = snprintf(path, size, "%s/sherd-XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp");
    if (length < 0 || (size_t)length >= size) {
        errno = ENAMETOOLONG;
        return false;
    }
    return mkdtemp(path) != NULL;
}

void removeFolder(const char* path)
{
    DIR* folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder))
        unlinkat(dirfd(folder), entry->d_name, 0); // fails for "." and "..", as it should
    closedir(folder);
    rmdir(path);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/peer.h"

#include "bench/cache.h"
#include "bench/clock.h"
#include "cook/process.h"
#include "core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ANSWER = 1 << 28 }; // bytes: a peer gone wild shall not eat the memory

struct Peer {
    char name[32];
    char info[384];
    pid_t child;    // 0: gone
    int connection; // a socket rather than pipes: writing to a dead peer is an error and no signal
    double seconds;
    char* bytes; // of the answer so far
    size_t length, capacity;
};

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

// Only calls that are safe between fork and exec in a program with threads. Engines chat on stderr: that goes nowhere.
static _Noreturn void runChild(const char* path, const char* file, int connection)
{
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(connection, STDIN_FILENO);
    dup2(connection, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    char* const arguments[] = {(char*)path, (char*)file, NULL};
    execv(path, arguments);
    _exit(127);
}

// True when the child is gone by then.
static bool awaitEnd(const Peer* peer, double seconds, int* status)
{
    double deadline = clockSeconds(clockWall) + seconds;
    while (waitpid(peer->child, status, WNOHANG) == 0) {
        if (clockSeconds(clockWall) >= deadline)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

static void kill9(const Peer* peer, int* status)
{
    kill(peer->child, SIGKILL);
    waitpid(peer->child, status, 0);
}

// Ends the peer whatever it does, and says why there is no answer.
static shStatus gone(Peer* peer, const char* reason, shMessage* message)
{
    int status = 0;
    bool ended = awaitEnd(peer, reason == NULL ? 1.0 : 0.0, &status); // it closed its output, so it is about to end
    if (!ended)
        kill9(peer, &status);
    peer->child = 0;
    if (reason != NULL)
        return fail(message, shFailed, "peer %s: %.300s", peer->name, reason);
    if (ended && WIFSIGNALED(status))
        return fail(message, shFailed, "peer %s: killed by signal %d (%s)", peer->name, WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    return fail(message, shFailed, "peer %s: ended without an answer, exit code %d", peer->name,
                ended ? WEXITSTATUS(status) : -1);
}

static bool grow(Peer* peer)
{
    if (peer->length + 1 < peer->capacity)
        return true;
    size_t capacity = 2 * peer->capacity + 4096;
    char* bytes = capacity <= MOST_ANSWER ? realloc(peer->bytes, capacity) : NULL;
    if (bytes == NULL)
        return false;
    peer->bytes = bytes;
    peer->capacity = capacity;
    return true;
}

// One line, without its end, zero-terminated in peer->bytes.
static shStatus readLine(Peer* peer, shMessage* message)
{
    double deadline = clockSeconds(clockWall) + peer->seconds;
    peer->length = 0;
    for (;;) {
        double left = deadline - clockSeconds(clockWall);
        struct pollfd wait = {.fd = peer->connection, .events = POLLIN};
        if (left <= 0.0) {
            char text[64];
            snprintf(text, sizeof(text), "no answer after %.3g s", peer->seconds);
            return gone(peer, text, message);
        }
        if (poll(&wait, 1, left < 1.0 ? (int)(left * 1000.0) + 1 : 1000) <= 0)
            continue; // a signal, or a look at the clock
        if (!grow(peer))
            return gone(peer, "its answer is too long", message);
        ssize_t got = recv(peer->connection, peer->bytes + peer->length, peer->capacity - peer->length - 1, 0);
        if (got <= 0)
            return gone(peer, NULL, message);
        peer->length += (size_t)got;
        if (peer->bytes[peer->length - 1] == '\n') { // it says no more than one line at a time
            peer->bytes[peer->length - 1] = '\0';
            return shOk;
        }
    }
}

shStatus peerAsk(Peer* peer, const char* question, json_t** answer, shMessage* message)
{
    *answer = NULL;
    if (peer->child == 0)
        return fail(message, shFailed, "peer %s: ended before", peer->name);
    char line[64];
    int length = snprintf(line, sizeof(line), "%.60s\n", question);
    // A peer that went has said why, or not: what can be read tells. The line is far shorter than the socket's buffer.
    ssize_t sent = send(peer->connection, line, (size_t)length, MSG_NOSIGNAL);
    (void)sent;
    shStatus status = readLine(peer, message);
    if (status != shOk)
        return status;
    json_error_t error;
    json_t* object = json_loads(peer->bytes, 0, &error);
    const char* complaint = json_string_value(json_object_get(object, "error"));
    if (!json_is_object(object))
        status = gone(peer, "its answer is not one JSON object on a line", message);
    else if (complaint != NULL)
        status = gone(peer, complaint, message);
    if (status == shOk)
        *answer = object;
    else
        json_decref(object);
    return status;
}

static void describe(Peer* peer, const json_t* info)
{
    const char* version = json_string_value(json_object_get(info, "version"));
    const char* settings = json_string_value(json_object_get(info, "settings"));
    snprintf(peer->info, sizeof(peer->info), "%s %.40s (%.300s)", peer->name, version != NULL ? version : "?",
             settings != NULL ? settings : "?");
}

shStatus peerStart(const char* name, const char* file, double seconds, Peer** out, shMessage* message)
{
    *out = NULL;
    char path[1024];
    peerPath(name, path, sizeof(path));
    if (access(path, X_OK) != 0)
        return fail(message, shNoFile, "peer %s is not built", name);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return fail(message, shFailed, "peer %s: %s", name, strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    Peer* peer = calloc(1, sizeof(*peer));
    pid_t child = peer != NULL ? fork() : -1;
    if (child == 0)
        runChild(path, file, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        free(peer);
        return fail(message, shFailed, "peer %s cannot be started: %s", name, strerror(errno));
    }
    *peer = (Peer){.child = child, .connection = ends[0], .seconds = seconds};
    snprintf(peer->name, sizeof(peer->name), "%s", name);
    json_t* info;
    shStatus status = peerAsk(peer, "info", &info, message);
    if (status != shOk) {
        peerStop(peer);
        return status;
    }
    describe(peer, info);
    json_decref(info);
    *out = peer;
    return shOk;
}

void peerStop(Peer* peer)
{
    if (peer == NULL)
        return;
    int status;
    shutdown(peer->connection, SHUT_RDWR); // the end of its input: it ends, too
    if (peer->child != 0 && !awaitEnd(peer, 1.0, &status))
        kill9(peer, &status);
    close(peer->connection);
    free(peer->bytes);
    free(peer);
}

const char* peerInfo(const Peer* peer) { return peer->info; }

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

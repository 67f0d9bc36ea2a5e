// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Raw frames go to ffmpeg's standard input. A socket pair instead of a pipe, because sending to a socket whose reader
// is gone can fail quietly (MSG_NOSIGNAL), where writing to a pipe would kill the program.
#include "render/picture.h"

#include "core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct Video {
    shContext* context;
    int width, height;
    int input; // our end of ffmpeg's standard input
    pid_t child;
    char path[1024], temporary[1040];
};

static int spawn(Video* video, int standardInput, int framesPerSecond)
{
    char size[32], rate[16];
    snprintf(size, sizeof(size), "%dx%d", video->width, video->height);
    snprintf(rate, sizeof(rate), "%d", framesPerSecond);
    char* arguments[] = {"ffmpeg",   "-loglevel", "error",     "-y",         "-f",       "rawvideo", "-pix_fmt",
                         "rgb24",    "-s",        size,        "-r",         rate,       "-i",       "pipe:0",
                         "-an",      "-c:v",      "libx264",   "-preset",    "veryfast", "-crf",     "17",
                         "-pix_fmt", "yuv420p",   "-movflags", "+faststart", "-f",       "mp4",      video->temporary,
                         NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETPGROUP); // Ctrl-C is ours to answer: a clip that was begun is finished
    posix_spawnattr_setpgroup(&how, 0);
    int error = posix_spawn_file_actions_adddup2(&actions, standardInput, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawnp(&video->child, "ffmpeg", &actions, &how, arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

shStatus videoOpen(Video** out, shContext* context, const char* path, int width, int height, int framesPerSecond,
                   shMessage* message)
{
    if (width % 2 != 0 || height % 2 != 0)
        return fail(message, shInvalid, "a clip of %d × %d pixels: H.264 needs even sides", width, height);
    Video* video = NEW_ZEROED(&context->memory, Video, 1);
    if (video == NULL)
        return failMemory(message);
    *video = (Video){.context = context, .width = width, .height = height, .child = -1};
    int ends[2] = {-1, -1};
    int length = snprintf(video->path, sizeof(video->path), "%s", path);
    // "./" keeps a name such as "pipe:1" or "-x" from meaning something to ffmpeg.
    snprintf(video->temporary, sizeof(video->temporary), "%s%s.part", path[0] == '/' ? "" : "./", video->path);
    if (length >= (int)sizeof(video->path) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        FREE_ARRAY(&context->memory, video, 1);
        return fail(message, shNoFile, "%s: cannot start a video", path);
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    video->input = ends[0];
    int error = spawn(video, ends[1], framesPerSecond);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        FREE_ARRAY(&context->memory, video, 1);
        return fail(message, shFailed, "%s: the program ffmpeg cannot be started (%s); install it to make clips", path,
                    strerror(error));
    }
    *out = video;
    return shOk;
}

shStatus videoAdd(Video* video, const Picture* picture, shMessage* message)
{
    if (picture->width != video->width || picture->height != video->height)
        return fail(message, shInvalid, "%s: a frame of another size", video->path);
    size_t left = 3 * (size_t)picture->width * (size_t)picture->height;
    const uint8_t* at = picture->pixels;
    while (left > 0) {
        ssize_t sent = send(video->input, at, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return fail(message, shFailed, "%s: ffmpeg stopped taking frames (%s)", video->path, strerror(errno));
        at += sent;
        left -= (size_t)sent;
    }
    return shOk;
}

shStatus videoClose(Video* video, bool keep, shMessage* message)
{
    int result = 0;
    close(video->input);
    if (!keep)
        kill(video->child, SIGTERM);
    while (waitpid(video->child, &result, 0) < 0 && errno == EINTR) {
    }
    shStatus status = shOk;
    if (keep && !(WIFEXITED(result) && WEXITSTATUS(result) == 0))
        status =
            fail(message, shFailed, "%s: ffmpeg failed; it needs H.264 (libx264) and room for the file", video->path);
    if (keep && status == shOk && rename(video->temporary, video->path) != 0)
        status = fail(message, shNoFile, "%s: cannot be written", video->path);
    if (!keep || status != shOk)
        remove(video->temporary);
    FREE_ARRAY(&video->context->memory, video, 1);
    return status;
}

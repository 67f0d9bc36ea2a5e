// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/run_output.h"

#include "cli/drawing.h"
#include "cli/page.h"
#include "core/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool endsWith(const char* path, const char* ending)
{
    size_t length = strlen(path), part = strlen(ending);
    return length > part && strcmp(path + length - part, ending) == 0;
}

bool isRunOutput(const char* path)
{
    return endsWith(path, ".glb") || endsWith(path, ".html") || endsWith(path, ".mp4") || endsWith(path, ".png");
}

// Whether a program stands in one of the folders of PATH.
static bool hasProgram(const char* name)
{
    const char* paths = getenv("PATH");
    char path[1024];
    for (const char* at = paths != NULL ? paths : ""; *at != '\0'; at += strspn(at, ":")) {
        int length = (int)strcspn(at, ":");
        if (snprintf(path, sizeof path, "%.*s/%s", length, at, name) < (int)sizeof path && access(path, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

shStatus checkRunOutput(const char* path, shMessage* message)
{
    char folder[1024];
    const char* slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1, slash != NULL ? path : ".");
    if (access(folder, W_OK) != 0)
        return fail(message, shNoFile, "%.300s: %s", path, strerror(errno));
    if (endsWith(path, ".mp4") && !hasProgram("ffmpeg"))
        return fail(message, shNoFile,
                    "%.300s: clips need ffmpeg (apt-get install ffmpeg); .html, .glb and .png do not", path);
    return shOk;
}

static shStatus draw(shContext* context, const Script* script, const char* film, const RunPicture* how,
                     const char* path, shMessage* message)
{
    RenderDef def = renderDefault();
    Drawing drawing = {.files = {film},
                       .fileCount = 1,
                       .output = path,
                       .speed = 1.0,
                       .frame = -1.0,
                       .count = 9,
                       .framesPerSecond = 30,
                       .isClip = endsWith(path, ".mp4")};
    drawing.sheet = !drawing.isClip;
    if (drawing.sheet && how->moments != NULL && parseMoments(how->moments, &drawing))
        drawing.columns = drawing.count < 4 ? drawing.count : 0;
    def.isClip = drawing.isClip;
    def.azimuth = script->azimuth;
    def.elevation = script->elevation;
    def.hasLook = script->hasLook;
    def.look = script->look;
    def.width = how->width > 0 ? how->width : drawing.sheet ? 480 : 960;
    def.height = how->height > 0 ? how->height : drawing.sheet ? 360 : 540;
    Picture picture = {0};
    int frames, triangles;
    shStatus status = drawFiles(&drawing, context, &def, &picture, &frames, &triangles, message);
    pictureFree(&picture);
    return status;
}

shStatus writeRunOutput(shContext* context, const Script* script, const shFilm* film, const RunPicture* how,
                        const char* path, shMessage* message)
{
    if (endsWith(path, ".glb"))
        return shFilm_Write(film, path, message);
    char temporary[1100];
    if (snprintf(temporary, sizeof temporary, "%s.%ld.glb", path, (long)getpid()) >= (int)sizeof temporary)
        return fail(message, shInvalid, "%.200s…: the path is too long", path);
    shStatus status = shFilm_Write(film, temporary, message);
    if (status == shOk)
        status = endsWith(path, ".html") ? writePage(context, script, temporary, path, message)
                                         : draw(context, script, temporary, how, path, message);
    remove(temporary);
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd render: pictures, contact sheets and clips of .glb files, without a
// display.
#include "cli/drawing.h"

#include "cli/command.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool hasEnding(const char* path, const char* ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

// Two numbers with a separator between them and nothing after.
static bool parsePair(const char* text, char separator, double* first, double* second)
{
    char* end;
    *first = strtod(text, &end);
    if (end == text || *end != separator)
        return false;
    text = end + 1;
    *second = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*first) && isfinite(*second);
}

static float linearOf(unsigned code)
{
    double s = (double)code / 255.0;
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

static bool parseColor(const char* text, Vec3* color)
{
    char* end;
    if (*text == '#')
        ++text;
    unsigned long value = strtoul(text, &end, 16);
    if (strlen(text) != 6 || *end != '\0')
        return false;
    *color = vec3(linearOf(value >> 16 & 255), linearOf(value >> 8 & 255), linearOf(value & 255));
    return true;
}

// Fills the definition from the texts; returns 0, or 2 after a message.
static int fillDef(const Drawing* request, RenderDef* def)
{
    double a, b;
    char* end;
    def->isClip = request->isClip;
    def->checker = (float)request->checker;
    def->cracks = request->cracks;
    if (request->sheet) {
        def->width = 480;
        def->height = 360;
    }
    if (request->size != NULL) {
        if (!parsePair(request->size, 'x', &a, &b) || a < 1.0 || b < 1.0 || a > LARGEST_SIDE || b > LARGEST_SIDE ||
            a != floor(a) || b != floor(b))
            return usageError("render", "--size %s: two whole numbers up to %d, as in 1280x720", request->size,
                              LARGEST_SIDE);
        def->width = (int)a;
        def->height = (int)b;
    }
    if (request->view != NULL) {
        if (!parsePair(request->view, ',', &a, &b) || b < -90.0 || b > 90.0)
            return usageError("render", "--view %s: azimuth and elevation in degrees, as in 30,22", request->view);
        def->azimuth = (float)fmod(a, 360.0);
        def->elevation = (float)b;
    }
    if (request->background != NULL && !parseColor(request->background, &def->background))
        return usageError("render", "--background %s: six hexadecimal digits, as in e8eaec", request->background);
    if (request->ground != NULL && strcmp(request->ground, "none") == 0) {
        def->hasGround = false;
    } else if (request->ground != NULL && strcmp(request->ground, "auto") != 0) {
        def->ground = (float)strtod(request->ground, &end);
        if (end == request->ground || *end != '\0' || !isfinite(def->ground))
            return usageError("render", "--ground %s: auto, none or a height in metres", request->ground);
    }
    if (request->frame >= 0.0)
        def->frameBegin = def->frameEnd = (float)request->frame;
    return 0;
}

static int report(const Drawing* request, const Picture* picture, int frames, int triangles, double seconds)
{
    if (request->json)
        return printJson(json_pack("{s:s, s:i, s:i, s:i, s:i, s:f}", "output", request->output, "width", picture->width,
                                   "height", picture->height, "frames", frames, "triangles", triangles, "seconds",
                                   seconds));
    printf("%s: %d × %d, ", request->output, picture->width, picture->height);
    if (frames > 1)
        printf("%d frames of ", frames);
    printf("%d triangles, %.2f s\n", triangles, seconds);
    return 0;
}

static int run(const Drawing* request, const RenderDef* def)
{
    shContext* context = openContext("render", request->threads);
    if (context == NULL)
        return 1;
    shMessage message = {{0}};
    Picture picture = {0};
    int frames = 1, triangles = 0;
    double start = contextSeconds(context);
    shStatus status = drawFiles(request, context, def, &picture, &frames, &triangles, &message);
    progressClear();
    int code = status == shOk ? report(request, &picture, frames, triangles, contextSeconds(context) - start)
                              : commandFailed("render", &message);
    pictureFree(&picture);
    shDestroyContext(context);
    return code;
}

int commandRender(int count, char* const* arguments)
{
    const char* moments = NULL;
    Drawing request = {.speed = 1.0, .frame = -1.0, .count = 9, .framesPerSecond = 30};
    const Option options[] = {
        {"output", 'o', "FILE", "picture (.png) or clip (.mp4, needs ffmpeg) to write", optionText, &request.output, 0,
         0, NULL},
        {"size", 0, "WxH", "pixels; of one cell for a sheet (1280x720, sheet 480x360)", optionText, &request.size, 0, 0,
         NULL},
        {"view", 0, "AZ,EL", "azimuth and elevation of the camera in degrees (30,22)", optionText, &request.view, 0, 0,
         NULL},
        {"time", 0, "T", "moment of the animation in seconds; of a clip, its start (0)", optionReal, &request.time, 0,
         1e6, NULL},
        {"frame", 0, "T",
         "fit the camera to what is seen at this moment only, not to the whole "
         "motion",
         optionReal, &request.frame, 0, 1e6, NULL},
        {"sheet", 0, NULL, "many small pictures: of all files, or of one file over time", optionFlag, &request.sheet, 0,
         0, NULL},
        {"columns", 0, "N", "columns of a sheet", optionInt, &request.columns, 1, DRAWING_FILES, NULL},
        {"count", 0, "N", "moments on the sheet of one file (9)", optionInt, &request.count, 1, DRAWING_FILES, NULL},
        {"moments", 0, "T,T,…", "moments on the sheet of one file in seconds, instead", optionText, &moments, 0, 0,
         NULL},
        {"fps", 0, "N", "frames per second of a clip (30)", optionInt, &request.framesPerSecond, 1, 240, NULL},
        {"speed", 0, "X", "speed of a clip; 0.25 is slow motion (1)", optionReal, &request.speed, 0.001, 1000, NULL},
        {"seconds", 0, "S", "length of a clip (that of the animation, or 6)", optionReal, &request.seconds, 0.01, 3600,
         NULL},
        {"turn", 0, "DEG", "degrees the camera goes round during a clip (360 without animation)", optionReal,
         &request.turn, -36000, 36000, NULL},
        {"ground", 0, "H", "auto (under the lowest point), none, or its height in metres", optionText, &request.ground,
         0, 0, NULL},
        {"background", 0, "RRGGBB", "colour of background and ground", optionText, &request.background, 0, 0, NULL},
        {"checker", 0, "N", "paint N squares per unit of the texture coordinates", optionReal, &request.checker, 0, 1e4,
         NULL},
        {"cracks", 0, NULL, "draw a thin dark line where pieces meet", optionFlag, &request.cracks, 0, 0, NULL},
        {"threads", 0, "N", "threads to use (all)", optionInt, &request.threads, 1, 256, NULL},
        {"json", 0, NULL, "result as JSON", optionFlag, &request.json, 0, 0, NULL},
    };
    const Usage usage = {
        .command = "render",
        .form = "FILE.glb… -o OUT.png|OUT.mp4 [options]",
        .summary = "Draws pictures, contact sheets and clips without a display.",
        .more = "Several files make a sheet. The camera is placed so that all "
                "that is drawn fits, over the whole\n"
                "animation. A node named \"ground\" is replaced by the endless "
                "ground at its height.",
        .options = options,
        .optionCount = (int)(sizeof(options) / sizeof(options[0])),
        .wordsMost = DRAWING_FILES,
    };
    ParseResult result = optionsParse(&usage, count, arguments, request.files, &request.fileCount);
    if (result != parseRun)
        return result == parseHelp ? 0 : 2;
    if (request.fileCount == 0)
        return usageError("render", "no file to draw");
    if (request.output == NULL)
        return usageError("render", "-o says where the picture goes");
    request.isClip = hasEnding(request.output, ".mp4");
    if (!request.isClip && !hasEnding(request.output, ".png"))
        return usageError("render", "-o %s: only .png and .mp4 can be written", request.output);
    if (moments != NULL && (request.fileCount > 1 || request.isClip || !parseMoments(moments, &request)))
        return usageError("render", "--moments %s: seconds separated by commas, as in 0,1.5,3; of one file", moments);
    request.sheet = request.sheet || request.fileCount > 1 || moments != NULL;
    if (request.isClip && request.sheet)
        return usageError("render", "a clip shows one file");
    RenderDef def = renderDefault();
    int wrong = fillDef(&request, &def);
    return wrong != 0 ? wrong : run(&request, &def);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/drawing.h"

#include "cli/progress.h"
#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP 4      // pixels between the columns of a sheet
#define CAPTION 16 // dots of the font below each cell

bool parseMoments(const char* text, Drawing* drawing)
{
    drawing->hasMoments = true;
    for (drawing->count = 0; drawing->count < DRAWING_MOMENTS;) {
        char* end;
        double moment = strtod(text, &end);
        if (end == text || !(moment >= 0.0) || moment > 1e6 || (*end != ',' && *end != '\0'))
            return false;
        drawing->moments[drawing->count++] = moment;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
    return false;
}

// "models/plate.glb" → "plate"
static void captionOf(const char* path, char* caption, size_t size)
{
    const char* slash = strrchr(path, '/');
    snprintf(caption, size, "%s", slash != NULL ? slash + 1 : path);
    char* dot = strrchr(caption, '.');
    if (dot != NULL && dot != caption)
        *dot = '\0';
}

static int captionScale(int cellHeight) { return maxI(1, cellHeight / 180); }

static void putCell(Picture* sheet, const Picture* cell, const char* caption, int place, int columns)
{
    static const uint8_t ink[3] = {70, 74, 80};
    int scale = captionScale(cell->height);
    int x = place % columns * (cell->width + GAP);
    int y = place / columns * (cell->height + CAPTION * scale);
    picturePaste(sheet, cell, x, y);
    pictureText(sheet, caption, x + (cell->width - pictureTextWidth(caption, scale)) / 2, y + cell->height + 4 * scale,
                scale, ink);
}

// Cells of a sheet: one per file at one time, or one file at many times.
static shStatus drawSheet(const Drawing* drawing, shContext* context, const RenderDef* def, Picture* sheet,
                          int* triangles, shMessage* message)
{
    bool overTime = drawing->fileCount == 1;
    int cells = overTime ? drawing->count : drawing->fileCount, columns = drawing->columns;
    if (columns == 0)
        while (columns * columns < cells)
            ++columns;
    columns = minI(columns, cells);
    int rows = (cells + columns - 1) / columns;
    Picture cell;
    shStatus status = pictureCreate(sheet, context, columns * (def->width + GAP) - GAP,
                                    rows * (def->height + CAPTION * captionScale(def->height)), message);
    if (status != shOk)
        return status;
    pictureFill(sheet, (const uint8_t[3]){255, 255, 255});
    status = pictureCreate(&cell, context, def->width, def->height, message);
    for (int f = 0, place = 0; f < drawing->fileCount && status == shOk; ++f) {
        Scene scene;
        Renderer* renderer = NULL;
        status = sceneLoad(&scene, context, drawing->files[f], message);
        if (status == shOk)
            status = renderCreate(&renderer, &scene, def, message);
        for (int k = 0; k < (overTime ? cells : 1) && status == shOk; ++k, ++place) {
            char caption[64];
            double time = drawing->time;
            if (overTime)
                time = drawing->hasMoments ? minD(drawing->moments[k], (double)scene.duration)
                                           : (double)scene.duration * k / maxI(cells - 1, 1);
            progressShow("[%d/%d] %s", place + 1, cells, drawing->files[f]);
            status = renderDraw(renderer, (float)time, &cell, message);
            if (overTime)
                snprintf(caption, sizeof(caption), "%.2f s", time);
            else
                captionOf(drawing->files[f], caption, sizeof(caption));
            putCell(sheet, &cell, caption, place, columns);
        }
        *triangles += scene.triangles.count;
        renderDestroy(renderer);
        sceneFree(&scene);
    }
    pictureFree(&cell);
    return status;
}

// Frames one after another into the video. Without animation the camera goes
// round instead.
static shStatus drawClip(const Drawing* drawing, shContext* context, const Scene* scene, Renderer* renderer,
                         Picture* frame, int* frames, shMessage* message)
{
    bool still = !(scene->duration > 0.0f);
    double turn = drawing->turn != 0.0 || !still ? drawing->turn : 360.0;
    double seconds = drawing->seconds > 0.0 ? drawing->seconds : still ? 6.0 : (double)scene->duration / drawing->speed;
    double count = floor(seconds * drawing->framesPerSecond) + (still ? 0.0 : 1.0);
    if (count > 100000.0)
        return fail(message, shLimit, "%s: %.0f frames; 100,000 is the most", drawing->output, count);
    *frames = maxI((int)count, 1);
    Video* video = NULL;
    shStatus status =
        videoOpen(&video, context, drawing->output, frame->width, frame->height, drawing->framesPerSecond, message);
    if (status != shOk)
        return status;
    for (int i = 0; i < *frames && status == shOk; ++i) {
        progressShow("%s: frame %d of %d", drawing->output, i + 1, *frames);
        renderTurn(renderer, (float)(turn * i / *frames));
        double time = drawing->time + i * drawing->speed / drawing->framesPerSecond;
        status = renderDraw(renderer, (float)time, frame, message);
        if (status == shOk)
            status = videoAdd(video, frame, message);
    }
    shStatus closed = videoClose(video, status == shOk, message);
    return status != shOk ? status : closed;
}

static shStatus drawOne(const Drawing* drawing, shContext* context, const RenderDef* def, Picture* picture, int* frames,
                        int* triangles, shMessage* message)
{
    Scene scene;
    Renderer* renderer = NULL;
    shStatus status = sceneLoad(&scene, context, drawing->files[0], message);
    if (status == shOk)
        status = renderCreate(&renderer, &scene, def, message);
    if (status == shOk)
        status = pictureCreate(picture, context, def->width, def->height, message);
    if (status == shOk && drawing->isClip)
        status = drawClip(drawing, context, &scene, renderer, picture, frames, message);
    else if (status == shOk)
        status = renderDraw(renderer, (float)drawing->time, picture, message);
    *triangles = scene.triangles.count;
    renderDestroy(renderer);
    sceneFree(&scene);
    return status;
}

shStatus drawFiles(const Drawing* drawing, shContext* context, const RenderDef* def, Picture* picture, int* frames,
                   int* triangles, shMessage* message)
{
    *frames = 1;
    *triangles = 0;
    shStatus status = drawing->sheet ? drawSheet(drawing, context, def, picture, triangles, message)
                                     : drawOne(drawing, context, def, picture, frames, triangles, message);
    return status == shOk && !drawing->isClip ? pictureWritePng(picture, drawing->output, message) : status;
}

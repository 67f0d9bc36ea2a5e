// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Pictures, sheets and clips of .glb files, as `sherd render` and `sherd run` make them.
#pragma once

#include "render/render.h"

#define DRAWING_FILES 256
#define DRAWING_MOMENTS 64

typedef struct Drawing {
    const char* files[DRAWING_FILES];
    int fileCount;
    const char* output;
    const char *size, *view, *ground, *background; // as given to `sherd render`
    double time, speed, seconds, turn, checker, frame;
    bool sheet, json, cracks;
    int columns, count, framesPerSecond, threads;
    double moments[DRAWING_MOMENTS]; // s, of a sheet over time, `count` of them; else evenly over the whole
    bool hasMoments;
    bool isClip;
} Drawing;

// Moments as in "0,1.5,3"; false: that is not what it is.
bool parseMoments(const char* text, Drawing* drawing);

// Draws and writes it. `picture` (freed by the caller) is the last that was drawn.
shStatus drawFiles(const Drawing* drawing, shContext* context, const RenderDef* def, Picture* picture, int* frames,
                   int* triangles, shMessage* message);

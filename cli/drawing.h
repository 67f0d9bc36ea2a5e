// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Pictures, sheets and clips of .glb files, as `sherd render` and `sherd run` make them.
#pragma once

#include "render/render.h"

#define DRAWING_FILES 256

typedef struct Drawing {
    const char* files[DRAWING_FILES];
    int fileCount;
    const char* output;
    const char *size, *view, *ground, *background; // as given to `sherd render`
    double time, speed, seconds, turn, checker, frame;
    bool sheet, json, cracks;
    int columns, count, framesPerSecond, threads;
    bool isClip;
} Drawing;

// Draws and writes it. `picture` (freed by the caller) is the last that was drawn.
shStatus drawFiles(const Drawing* drawing, shContext* context, const RenderDef* def, Picture* picture, int* frames,
                   int* triangles, shMessage* message);

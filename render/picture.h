// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Pictures of 8-bit sRGB, rows from the top, and where they go: a PNG file or a video through ffmpeg.
#pragma once

#include "core/context.h"

typedef struct Picture {
    shContext* context;
    int width, height;
    uint8_t* pixels; // [height][width][3]
} Picture;

#define LARGEST_SIDE 16384

shStatus pictureCreate(Picture* picture, shContext* context, int width, int height, shMessage* message);
void pictureFree(Picture* picture);
void pictureFill(Picture* picture, const uint8_t color[3]);
// Copies `from` to (x, y) of `to`; what does not fit is left out.
void picturePaste(Picture* to, const Picture* from, int x, int y);
// Text in a built-in font of 5 × 9 dots, `scale` pixels per dot, top left at (x, y). Characters beyond ASCII show as a
// box.
void pictureText(Picture* picture, const char* text, int x, int y, int scale, const uint8_t color[3]);
int pictureTextWidth(const char* text, int scale);

// Written under a temporary name, then renamed.
shStatus pictureWritePng(const Picture* picture, const char* path, shMessage* message);

// Frames of equal size into an MP4 file (H.264), by the program `ffmpeg` as a child process.
typedef struct Video Video;
shStatus videoOpen(Video** video, shContext* context, const char* path, int width, int height, int framesPerSecond,
                   shMessage* message);
shStatus videoAdd(Video* video, const Picture* picture, shMessage* message);
// Finishes the file, or removes it when `keep` is false. The video is gone either way.
shStatus videoClose(Video* video, bool keep, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What a run leaves: a film as .glb, a page that plays it (.html), a clip (.mp4), a sheet of moments (.png).
#pragma once

#include "play/play.h"
#include "sherd/film.h"

bool isRunOutput(const char* path);
// Whether it can be written, as far as that can be said before the run: its folder is there, a clip has its program.
shStatus checkRunOutput(const char* path, shMessage* message);
typedef struct RunPicture {
    const char* moments; // of a sheet, as parseMoments takes them; null: nine, evenly over the whole
    int width, height;   // of a clip, of each moment; 0: 960 × 540, 480 × 360
} RunPicture;
shStatus writeRunOutput(shContext* context, const Script* script, const shFilm* film, const RunPicture* how,
                        const char* path, shMessage* message);

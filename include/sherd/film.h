// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A film of a world: every body as it moves, and every piece from the moment it is born, as one animated .glb.
//
//     shCreateFilm(context, 30.0, &film, &message);
//     for (…) { shWorld_Step(world, dt, &message); shFilm_Record(film, world, time, &message); }
//     shFilm_Write(film, "plates.glb", &message);
#pragma once

#include "sherd/export.h"
#include "sherd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shFilm shFilm;

SH_API shStatus shCreateFilm(shContext* context, double framesPerSecond, shFilm** film, shMessage* message);
SH_API void shDestroyFilm(shFilm* film); // null is fine

// How the ground and other shapes without a look of their own are shown: linear RGB. Before the first frame.
SH_API void shFilm_SetShapeColor(shFilm* film, float red, float green, float blue);

// After a step: takes a frame when one is due, and follows what was born, broke or went in any case. Times ascend.
SH_API shStatus shFilm_Record(shFilm* film, const shWorld* world, double time, shMessage* message);

typedef struct shFilmInfo {
    int frameCount;
    int actorCount; // bodies, each as often as it changed its shape
    double length;  // s
} shFilmInfo;
SH_API shFilmInfo shFilm_GetInfo(const shFilm* film);

SH_API shStatus shFilm_Write(const shFilm* film, const char* path, shMessage* message);

#ifdef __cplusplus
}
#endif

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Records what bodies do and writes it as one animated .glb.
#pragma once

#include "sherd/collide.h"
#include "sherd/export.h"

typedef struct Film Film;

// Nothing here returns null: a program that is an example gives up when memory runs out.
Film* filmCreate(double framesPerSecond);
void filmDestroy(Film* film);
// An actor with the surface that the piece has now; seen from `birth` on. Returns its number.
int filmAddPiece(Film* film, const char* name, const shSolid* solid, int piece, double birth);
int filmAddShape(Film* film, const char* name, const shShape* shape, shTransform pose, const float color[3]);
// Is it time for the next frame?
bool filmIsDue(const Film* film, double time);
void filmPose(Film* film, int actor, double time, shTransform pose);
void filmNext(Film* film); // all poses of the frame are given
void filmEnd(Film* film, int actor, double time);
shStatus filmWrite(const Film* film, shContext* context, const char* path, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Pictures without a display: a scene (scene.h) at a moment, seen by a camera (stage.h) in the light of lights.h,
// drawn into an picture (picture.h) by a rasteriser of our own. Why not OpenGL in software: it would be a hundred
// megabytes to install, differ from machine to machine, and give hard shadows only; the triangles here are few, the
// wish is for soft light and the same picture everywhere. Threads take tiles; the result does not depend on their
// number.
#pragma once

#include "render/lights.h"
#include "render/picture.h"

typedef struct RenderDef {
    int width, height;
    float azimuth, elevation; // degrees, see cameraFit
    bool hasGround;
    float ground;     // height in the scene's metres; NAN: under the lowest point
    Vec3 background;  // linear; the ground shows it, darkened by shadow
    float vignette;   // how much darker the background is in the corners, 0…1
    float checker;    // squares per UV unit painted over all surfaces; 0: none
    bool cracks;      // a thin dark line where two nodes meet, as if they had come apart by a hair
    float frameBegin; // the camera sees all that is drawn in this span of time
    float frameEnd;
    bool hasLook; // it sees this box instead, whatever is drawn
    shBox look;
    bool isClip; // one of many frames: fewer lamps
} RenderDef;

RenderDef renderDefault(void);

// A scene made ready to be drawn at any time.
typedef struct Renderer Renderer;
shStatus renderCreate(Renderer** renderer, const Scene* scene, const RenderDef* def, shMessage* message);
void renderDestroy(Renderer* renderer);
// Turns the camera by so many degrees of azimuth from where it stands, keeping its distance (for turntables).
void renderTurn(Renderer* renderer, float degrees);
// `picture` has the size given at creation.
shStatus renderDraw(Renderer* renderer, float time, Picture* picture, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A script performed: makes the assets and the world it speaks of, brings bodies in and does what it says at the times
// it says. The same script gives the same bits on any number of threads.
//
//     playCreate(&play, &script, NULL, &message);
//     while (!playIsOver(play)) playStep(play, &message);
#pragma once

#include "play/script.h"

// How assets come about that the library cannot make alone; shNoFile: not here, take what stands in for it.
typedef struct PlayHooks {
    shStatus (*makeAsset)(shContext* context, const Script* script, const ScriptAsset* asset, shAsset** made,
                          void* user, shMessage* message);
    void (*progress)(const char* what, int done, int count, void* user); // or null
    void* user;
} PlayHooks;

typedef struct Play Play;

// Makes what there is at the start. The script must outlive the play. `hooks` may be null: models, boxes and .sherd
// files only.
shStatus playCreate(Play** play, const Script* script, const PlayHooks* hooks, shMessage* message);
void playDestroy(Play* play); // null is fine

// What is due, then one step of the world.
shStatus playStep(Play* play, shMessage* message);
bool playIsOver(const Play* play); // as many steps as the script says

shWorld* playWorld(const Play* play);
int playStepCount(const Play* play); // so far
double playTime(const Play* play);   // s
int playCopyCount(const Play* play); // bodies that came so far, broken or not
shBodyId playCopy(const Play* play, int copy);
const shAsset* playAsset(const Play* play, int asset);    // of the script's assets
bool playIsReplaced(const Play* play, int asset);         // its file is not there, and its stand-in was taken
const shScenery* playTerrain(const Play* play, int body); // of the script's bodies; null: it is none

// Makes an asset of a model or a box, or loads a .sherd file.
shStatus playMakeAsset(shContext* context, const Script* script, const ScriptAsset* asset, shAsset** made,
                       shMessage* message);

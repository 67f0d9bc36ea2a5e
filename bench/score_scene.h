// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Random scenes for suite `score`: what falls or flies, how large, how many, how fast, how brittle, onto what. A scene
// follows from its number alone.
#pragma once

#include "bench/suite.h"
#include "sherd/world.h"

typedef enum ScoreGround {
    scoreBin,
    scoreFloor,
    scoreShelf, // a board on the floor's middle, of which half is dropped beside
    scoreSpace, // nothing, and no gravity: bodies thrown at each other, so that momentum is kept
    SCORE_GROUNDS,
} ScoreGround;

enum { SCORE_MOST_KINDS = 3, SCORE_MOST_OBJECTS = 40 };

typedef struct ScoreScene {
    int number;
    ScoreGround ground;
    shAsset* assets[SCORE_MOST_KINDS]; // of the scene alone
    int kinds;
    int objects;
    bool continuous;
    float dt; // s
    int steps;
    shContext* context; // one worker, CPU time
    shWorld* world;
} ScoreScene;

const char* scoreGroundName(ScoreGround ground);
// `seconds` of simulated time.
shStatus scoreSceneCreate(Bench* bench, int number, double seconds, ScoreScene* scene, shMessage* message);
void scoreSceneDestroy(ScoreScene* scene); // zero is fine

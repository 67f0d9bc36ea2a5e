// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The scene of suite `crowd`: objects of six kinds above one another, each broken by hand into about sixteen pieces
// that stay together until they meet something. They fall into a bin, or onto an open floor.
#pragma once

#include "bench/suite.h"
#include "sherd/world.h"

enum { CROWD_KINDS = 6, CROWD_OBJECTS = 36, CROWD_PIECES = 16 };

// Hollow ones (the piggy bank), thin ones (plate, bowl), round ones (sphere, cylinder), and a brick.
shStatus crowdCook(Bench* bench, shAsset* assets[CROWD_KINDS], shMessage* message);
void crowdCookFree(shAsset* assets[CROWD_KINDS]);

typedef struct CrowdDef {
    int objects;
    bool open;       // on an open floor
    bool continuous; // shWorldDef
    int workers;
} CrowdDef;

typedef struct Crowd {
    shContext* context;
    shWorld* world;
    shBodyId* bodies; // [count] the fragments
    int count;
    double height; // of the centres at the beginning, mean, m
} Crowd;

// With one worker its clock is CPU time.
shStatus crowdCreate(Crowd* crowd, const CrowdDef* def, shAsset* const assets[CROWD_KINDS], shMessage* message);
void crowdDestroy(Crowd* crowd); // zero is fine

double crowdHeight(const Crowd* crowd); // of the centres, mean, m
double crowdSpeed(const Crowd* crowd);  // mean, m/s

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How the crowd falls: the mean height of its fragments over time, and when they have come to rest.
#pragma once

#include "bench/crowd_scene.h"

#define CROWD_FALL_SECONDS 6.0
#define CROWD_REST_SPEED 0.05 // m/s, mean: fragments that rock, not fragments that fall or roll
enum {
    CROWD_FALL_HERTZ = 30, // heights are kept so often
    CROWD_FALL_SAMPLES = 6 * CROWD_FALL_HERTZ,
    CROWD_REFERENCE_HERTZ = 960,
};

typedef struct CrowdFallDef {
    int objects;
    bool open;
    int hertz; // a multiple of CROWD_FALL_HERTZ
    double seconds;
} CrowdFallDef;

typedef struct CrowdFall {
    int count;
    double start;                       // mean height at the beginning, m
    double heights[CROWD_FALL_SAMPLES]; // [count] m
    double rest;                        // s from when on the mean speed stays below CROWD_REST_SPEED
    bool rested;                        // false: not at rest at the end, which is then `rest`
    int hung;                           // bodies that ever hung in the air: see world_watch.h
} CrowdFall;

shStatus crowdFallRun(Bench* bench, shAsset* const assets[CROWD_KINDS], const CrowdFallDef* def, CrowdFall* fall,
                      shMessage* message);
// The same at CROWD_REFERENCE_HERTZ with `continuous` off; kept in the cache until the program changes.
shStatus crowdFallReference(Bench* bench, shAsset* const assets[CROWD_KINDS], const CrowdFallDef* def, CrowdFall* fall,
                            shMessage* message);
// The largest distance of two falls, % of the reference's drop.
double crowdFallError(const CrowdFall* fall, const CrowdFall* reference);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What a run cost and what there was: the break-down of Glondu's Table 3 and the counters of Table 2.
#pragma once

#include "play/play.h"

#include <jansson.h>
#include <stdio.h>

typedef enum RunStage { stageTotal, stageDetect, stagePhysics, stageFracture, stageCount } RunStage;

typedef struct RunCount {
    double sum;
    int most;
} RunCount;

typedef struct RunStats {
    int steps;
    double sum[stageCount], most[stageCount]; // ms
    RunCount contacts, touching, pairs;
    int bodiesStart, trianglesStart;
    int bodies, fragments, triangles;
    int64_t breaks, bytes;
    double dustMass, removedMass;
    double seconds; // that the whole run took, by the wall clock
    uint64_t hash;
    FILE* csv;   // one line per step, or null
    FILE* poses; // one line per body and step, or null
} RunStats;

void statsStart(RunStats* stats, const shWorld* world);
void statsStep(RunStats* stats, const shWorld* world, double time); // `time`: of the scene, after the step
void statsEnd(RunStats* stats, const shWorld* world);

// `clock`: how times were taken.
void statsPrint(const RunStats* stats, const Script* script, int threads, const char* clock);
json_t* statsJson(const RunStats* stats, const Script* script, int threads, const char* clock);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A built-in scene performed for measuring: its own context, with CPU time as the clock if there is one thread.
#pragma once

#include "bench/suite.h"
#include "play/play.h"

typedef struct TrialDef {
    const char* scene;
    int threads;             // 0: one, by CPU time
    const char* const* sets; // changes, as ScriptChanges
    int setCount;
    int steps;  // 0: as many as the scene has
    bool awake; // nothing sleeps, whatever the scene says
    bool tiny;  // coarse models, for tests
} TrialDef;

typedef struct Trial {
    shContext* context;
    Script script;
    Play* play;
    shWorld* world;
} Trial;

// One step in the stages of Glondu's Table 3, ms, and what there was.
typedef struct TrialStep {
    double total, detect, physics, update, fracture;
    int bodies, pairs, touching, broken;
    int contacts;         // of pairs that touch
    int allContacts;      // those a step ahead of touching as well
    int colliding;        // samples as near as contacts may be; −1: not counted in this step
    double deepest;       // penetration of bodies at rest, of the smaller one's diameter; of counted steps
    int restPairs, moved; // pairs at rest; bodies faster than REST_SPEED
} TrialStep;

shStatus trialOpen(Trial* trial, const TrialDef* def, shMessage* message);
void trialClose(Trial* trial); // a trial that is all zero is fine
// One step, and what the public profile and counters say of it.
shStatus trialStep(Trial* trial, TrialStep* step, shMessage* message);
// Fills in what only a full query of every pair tells. Takes long.
shStatus trialSurvey(const Trial* trial, shQuery* query, TrialStep* step, shMessage* message);

// The contacts of a pair of the world's bodies, whatever they are made of, without what the pair remembers.
struct Pair;
shStatus trialPairQuery(const shWorld* world, shQuery* query, const struct Pair* pair, const shCollideDef* def,
                        const shContact** contacts, int* count, shMessage* message);

// Pieces of broken solids, and triangles of all that is made of an asset.
void trialCount(const Trial* trial, int* fragments, int* triangles);

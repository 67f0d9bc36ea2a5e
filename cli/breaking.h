// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What `sherd break` does once, and what it does a thousand times.
#pragma once

#include "cli/command.h"
#include "sherd/fracture.h"
#include "sherd/strength.h"

enum { MAX_HITS = 64 };

// Blows: each hits the piece at its place; then the largest piece breaks again and again, near the last place.
typedef struct Blows {
    shVec3 places[MAX_HITS];
    int count, again;
    shImpact impact; // but for the place
    double impulse;  // N·s of each, against something hard: the material decides what breaks; 0: all does
} Blows;

// `verdict` (may be null) is that on the first blow, if an impulse is given.
shStatus applyBlows(shSolid* solid, shPattern pattern, const Blows* blows, shVerdict* verdict, shMessage* message);
// Figures of every piece.
json_t* piecesJson(const shSolid* solid);

// Many breaks of one asset, by their seeds: pattern.seed, and the numbers after it.
typedef struct ManyBreaks {
    shContext* context;
    const shAsset* asset;
    shPattern pattern;
    Blows blows;
    bool anywhere;           // every break at a random place of its own
    const char* patternFile; // or null
    int count;
    const char* folder; // gets one folder each, named by the seed
} ManyBreaks;

// Writes the folders that are not there yet, on all workers; prints what came of it. Returns the exit code.
int breakMany(const ManyBreaks* many, bool json);

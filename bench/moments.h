// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Worlds of a built-in scene as they are after certain steps. The first time the scene is performed up to the last of
// them; from then on they come from the cache, until program or scene change.
#pragma once

#include "bench/trial.h"

typedef struct MomentsDef {
    TrialDef trial;
    const int* steps; // ascending
    int count;
} MomentsDef;

// The world after steps[which], all it needs with it. `dt` (s) may be null.
shStatus momentOpen(shContext* context, const MomentsDef* def, int which, shWorld** world, double* dt,
                    shMessage* message);

// A world with all it needs as a file. `asset` may be null: the file has its own.
shStatus worldFileSave(const shWorld* world, shContext* context, const char* path, shMessage* message);
shStatus worldFileLoad(shContext* context, const char* path, const shAsset* asset, shWorld** world, shMessage* message);

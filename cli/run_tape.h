// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What `sherd run --record` writes and `--replay` reads: the scene as it was performed, for its assets and its camera,
// then the recording of its world (sherd/record.h).
#pragma once

#include "cli/scene_file.h"

enum { MOST_SETS = 64 };

typedef struct RunTape {
    FileBlock file;
    const void* recording; // in the file
    size_t size;
    char path[1024]; // the scene's
    char* text;      // the scene
    size_t textSize;
    ScriptChanges changes;
    const char* sets[MOST_SETS];
    void* json; // holds the texts
} RunTape;

// Ends the world's recording and writes it.
shStatus tapeWrite(const char* file, shContext* context, const SceneText* scene, const ScriptChanges* changes,
                   shWorld* world, shMessage* message);

shStatus tapeOpen(RunTape* tape, shContext* context, const char* file, shMessage* message);
void tapeClose(RunTape* tape, shContext* context);

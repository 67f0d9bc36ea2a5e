// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Scenes by name or file, and what their assets are made of: all that cooking can do, and a cache.
#pragma once

#include "io/file.h"
#include "play/play.h"

// The text of a scene: a built-in name ("plates") or a file. The message suggests what may be meant.
typedef struct SceneText {
    char path[512]; // what messages call it
    const char* text;
    size_t size;
    FileBlock file; // of the file, if it is one
} SceneText;
shStatus openSceneText(SceneText* scene, shContext* context, const char* word, shMessage* message);
void closeSceneText(SceneText* scene, shContext* context);

// Both at once: opened, read, closed.
shStatus openScene(Script* script, shContext* context, const char* word, const ScriptChanges* changes,
                   shMessage* message);
PlayHooks sceneHooks(void);

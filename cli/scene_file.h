// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Scenes by name or file, and what their assets are made of: all that cooking can do, and a cache.
#pragma once

#include "play/play.h"

// A built-in name ("plates") or a file. The message suggests what may be meant.
shStatus openScene(Script* script, shContext* context, const char* word, const ScriptChanges* changes,
                   shMessage* message);
PlayHooks sceneHooks(void);

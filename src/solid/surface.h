// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How surfaces look when nobody says: by material, outside and where cracks open it.
#pragma once

#include "sherd/asset.h"

shSurface surfaceOutside(const char* material);
shSurface surfaceInside(const char* material);

// The checks that a definition shares with a file. `what` starts the message.
shStatus surfaceCheck(const shSurface* surface, const char* what, shMessage* message);
// Ends within `room` bytes, only zeros after the end, no control characters.
bool textIsPlain(const char* text, size_t room);
// Copies up to room − 1 bytes and fills with zeros: what follows the end of a caller's text may be anything.
// `to` may be `from`.
void textCopy(char* to, const char* from, size_t room);

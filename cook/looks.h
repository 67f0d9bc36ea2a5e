// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What a mesh file says about the look of its surfaces, per material slot, and the image files it names or embeds.
#pragma once

#include "core/context.h"
#include "sherd/asset.h"

typedef struct Looks {
    int surfaceCount, textureCount;
    shSurface* surfaces; // [surfaceCount] empty: the file names none
    shSurfaceMaps* maps; // [surfaceCount]
    shTexture* textures; // [textureCount] bytes belong to the looks
} Looks;

bool looksAlloc(Looks* looks, Memory* memory, int surfaceCount); // plain grey, nameless
void looksFree(Looks* looks, Memory* memory);

// A plain grey surface of that name, cut to what fits at a whole UTF-8 character, without control characters.
shSurface lookPlain(const char* name);

// Adds a copy of an image file; equal ones are kept once. Returns its number plus one, 0 when it is none that can be
// passed on, −1 when memory runs out.
int looksAddTexture(Looks* looks, Memory* memory, const void* bytes, size_t size);
// The same from a file beside `model`, named there as `name`, which may use backslashes. 0 when it cannot be read.
int looksAddTextureFile(Looks* looks, Memory* memory, const char* model, const char* name);

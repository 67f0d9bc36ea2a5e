// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Materials of Wavefront files (.mtl): colour, transparency, roughness, metal, textures.
#pragma once

#include "cook/cook.h"
#include "cook/looks.h"

// The looks of an .obj's material slots, from the libraries that it names (mtllib), as far as they can be read: a
// library that is missing or broken leaves its surfaces grey. False when memory runs out.
bool readMaterialLibraries(shContext* context, const char* objPath, const SlotNames* names, Looks* looks);

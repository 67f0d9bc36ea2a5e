// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The formats we read ourselves. Each gets an opened text and leaves its verdict in text->status.
#pragma once

#include "cook/cook.h"
#include "cook/looks.h"
#include "cook/text.h"

// Wavefront OBJ: v, vt, vn, f (polygons, negative indices, any of v, v/vt, v//vn, v/vt/vn). Slots come from usemtl,
// in a file without it from g, numbered by first use. Curves and free-form surfaces are skipped.
void readObj(Text* text, TriMesh* mesh, SlotNames* names);
// The same with a slot for every object or group (o, g), whichever was named last; those of equal name are one.
void readObjRegions(Text* text, TriMesh* mesh, SlotNames* names);

// Object File Format: OFF with the prefixes ST, C, N; polygons; colours are skipped. Text only.
void readOff(Text* text, TriMesh* mesh, SlotNames* names);

// What assimp reads (STL, PLY, glTF, FBX and more), in a process of its own.
bool assimpReads(const char* path);
void readByAssimp(Text* text, TriMesh* mesh, Looks* looks);

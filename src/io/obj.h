// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Wavefront .obj: one object per node, in world coordinates. Vertices that differ only in normal or texture coordinate
// share one `v` line, so a closed surface stays closed for whoever reads it.
#pragma once

#include "io/buffer.h"
#include "sherd/export.h"

// The scene must have passed sceneCheck. `library` is the name of the .mtl file as seen from the .obj.
shStatus objWrite(Buffer* obj, const shExportScene* scene, const char* library, shMessage* message);
// Textures are files beside it: the first `length` bytes of `stem`, a hyphen, the texture's number.
void objWriteMaterials(Buffer* mtl, const shExportScene* scene, const char* stem, int length);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Binary glTF 2.0. Four buffer views hold everything: vectors, indices, texture coordinates, animation.
#pragma once

#include "io/buffer.h"
#include "sherd/export.h"

// The scene must have passed sceneCheck. Appends the whole file to `glb`.
shStatus gltfWrite(Buffer* glb, const shExportScene* scene, shMessage* message);

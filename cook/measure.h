// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How far a tet mesh is from the surface it was made of.
#pragma once

#include "cook/cook.h"

// Fills the report's distances and volume error. False when memory runs out.
bool measureResult(shContext* context, const TriMesh* surface, const TetMesh* tets, OpenPolicy open,
                   CookFileReport* report);

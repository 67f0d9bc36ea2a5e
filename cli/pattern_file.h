// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Patterns from files: regions as objects or groups of an .obj, as nodes of a .glb, or as Sherd saved them (.shp).
#pragma once

#include "sherd/regions.h"

bool isPatternFile(const char* word);
// `cells` as in shRegionsDef, 0: the usual.
shStatus loadPattern(shContext* context, const char* path, int cells, shRegions** regions, shMessage* message);

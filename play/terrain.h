// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Rolling ground as scenery, centred at the origin.
#pragma once

#include "play/script.h"

shStatus terrainCreate(shContext* context, const ScriptTerrain* terrain, shScenery** scenery, shMessage* message);

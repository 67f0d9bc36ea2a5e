// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#pragma once

#include "field/skin.h"
#include "mesh/mass.h"

// Adds triangles, given by their features, to the moments of a surface as seen from the origin: the same bits as
// massAddTriangle one after the other.
SIMD_DECLARE(void, surfaceAddMass,
             (MassMoments * moments, const SkinSource* source, DVec3 origin, const int* features, int count));

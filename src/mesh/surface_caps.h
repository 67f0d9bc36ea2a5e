// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Closes the holes of a solid's surface: the rim is taken apart into loops, and each becomes a fan around its middle.
#pragma once

#include "mesh/surface_solid.h"

// Over boundary and inner triangles. A rim is balanced: as many edges come to a vertex as leave it, so it always falls
// into loops, and with all of them capped the winding number is a whole number everywhere. Components whose openings
// are large (a soup's triangles) stay as they are. False when memory runs out.
bool surfaceSolidCap(SurfaceSolid* solid);

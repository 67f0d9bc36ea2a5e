// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From surface and light to colour.
#pragma once

#include "render/lights.h"

typedef struct Surface {
    Vec3 point, normal, face; // stage space; both normals on the viewer's side
    Vec3 view;                // unit, to the eye
    Vec3 albedo;
    const Material* material;
} Surface;

// Light from the surface to the eye in three shares: what its own colour scatters, what its gloss mirrors, and the
// part of the light behind that passes (0 for an opaque surface).
typedef struct Shade {
    Vec3 body, gloss, through;
} Shade;

Shade shade(const Lights* lights, const Surface* surface);
// Bright values bend smoothly towards white instead of being cut off.
Vec3 toneMap(Vec3 color);

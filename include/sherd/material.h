// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What things are made of (X6). SI units.
#pragma once

#include "sherd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shMaterial {
    char name[32];
    float density;     // kg/m³
    float young;       // Young's modulus, Pa
    float poisson;     // Poisson's ratio, below 0.5
    float strength;    // largest principal tension it bears, Pa
    float toughness;   // energy per area of new crack (Gc), J/m²; both faces of a crack count once
    float friction;    // Coulomb's coefficient against its like
    float restitution; // 0 … 1, of a drop from a hand's height on its like
} shMaterial;

// Presets: glass, ceramic, concrete, stone, ice, chocolate. Strengths and toughnesses of real pieces scatter by a
// factor of two; those of ice and chocolate are rough.
SH_API int shMaterialPresetCount(void);
SH_API const shMaterial* shMaterialPresetAt(int index);      // null when out of range
SH_API const shMaterial* shMaterialPreset(const char* name); // null when there is none
// Every value finite and physical; the message names the field.
SH_API shStatus shCheckMaterial(const shMaterial* material, shMessage* message);

#ifdef __cplusplus
}
#endif

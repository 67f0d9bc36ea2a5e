// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The built-in models, by name. All stand on y = 0, y is up, the middle of the base is the origin; metres.
#pragma once

#include "mesh/tet_mesh.h"

typedef struct GenerateDef {
    float detail; // 1: the model's own size of tetrahedra; 2: edges half as long; MODEL_MIN_DETAIL … MODEL_MAX_DETAIL
} GenerateDef;

typedef shStatus GenerateFn(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message);

typedef struct ModelInfo {
    const char* name;
    const char* description;
    const char* material; // the preset it is usually made of
    GenerateFn* generate; // call through modelGenerate
    int genus;            // handles of its one closed surface: V − E + F = 2 − 2·genus

    // Of models with a surface in closed form, else null. The mesh's vertices lie on that surface, its creases are
    // mesh edges; between vertices curved parts keep a chordal error that falls with the square of the detail.
    double (*distance)(DVec3 p); // m, to the surface; never too large, exact outside
    double (*volume)(void);      // m³
} ModelInfo;

int modelCount(void);
const ModelInfo* modelAt(int index);          // null when out of range
const ModelInfo* modelFind(const char* name); // null when there is none
shStatus modelGenerate(const ModelInfo* model, float detail, Memory* memory, TetMesh* out, shMessage* message);

// Distance of a mesh's surface from the model's exact one, m; zero for models without.
typedef struct ModelError {
    double vertex; // largest of its nodes
    double chord;  // largest of its edges' and triangles' middles: what flat triangles cut off round parts
} ModelError;
ModelError modelError(const ModelInfo* model, const TetMesh* mesh);

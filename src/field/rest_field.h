// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Making the parts of a rest field: topology, cells, and the closest boundary triangle of every node.
#pragma once

#include "field/fragment_field.h"

typedef struct RestFieldData {
    TetTopology topology;
    CellGrid cells;
    MaskGrid maskGrid;
    int* nodeFeatures;
    float* nodeDistances;
    double* nodeVolumes;
    Skin skin;
    float* edgeRows; // [edgeFloatsMost]
    float* support;  // [supportFloats]
    RestField view;  // points at the above and at the mesh
} RestFieldData;

shStatus restFieldBuild(RestFieldData* data, const shContext* context, Memory* memory, const TetMesh* mesh,
                        shMessage* message);
void restFieldFree(RestFieldData* data, Memory* memory);

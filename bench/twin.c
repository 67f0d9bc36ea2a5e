// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/twin.h"

#include "core/message.h"

#include <stdlib.h>

static float cutOf(int edge, void* user)
{
    const FragmentField* field = user;
    return field->cuts.data[field->edgeCuts[edge]].t;
}

shStatus twinCreate(shSolid* original, TreeRestructure restructure, shSolid** twin, shMessage* message)
{
    shStatus status = shCreateSolid(original->asset, twin, message);
    if (status != shOk)
        return status;
    shCrack crack = {.labels = original->field.labels, .cut = cutOf, .user = &original->field};
    (*twin)->trees.restructure = restructure;
    return shSolid_Break(*twin, &crack, NULL, message);
}

shStatus twinPieces(const shSolid* original, const shSolid* twin, int** pieces, shMessage* message)
{
    int count = fieldPieceCount(&original->field);
    *pieces = malloc(sizeof(int) * (size_t)count);
    if (*pieces == NULL)
        return failMemory(message);
    for (int i = 0; i < count; ++i)
        (*pieces)[i] = -1;
    for (int node = 0; node < original->asset->mesh.nodeCount; ++node)
        (*pieces)[original->field.labels[node]] = twin->field.labels[node];
    return shOk;
}

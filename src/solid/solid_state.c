// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "solid/solid_state.h"

#include "field/field_state.h"
#include "tree/tree_state.h"

void streamSolid(Stream* stream, shSolid* solid)
{
    streamField(stream, &solid->field);
    streamTrees(stream, &solid->trees, &solid->field);
    if (streamReads(stream) && streamOk(stream) && !samplesBuild(&solid->samples, &solid->field, &solid->asset->rest))
        streamFailMemory(stream);
    if (streamReads(stream) && !streamOk(stream))
        fieldFree(&solid->field);
}

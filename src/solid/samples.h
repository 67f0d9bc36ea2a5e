// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The surface samples of every piece in blocks of eight neighbours, eight blocks to a group: what a sweep walks, eight
// spheres and then eight points at a time. The sphere tree holds the same samples in maximum-distance order, of which
// any first part is spread over the whole piece; here the samples of one place are side by side.
//
// Made from field and trees whenever a break changes a piece. Nodes stand in the order of the mesh, each followed by
// the cut points on its edges: that is spatial order enough, and costs one pass.
#pragma once

#include "field/fragment_field.h"

enum { sampleLanes = 8 };

// Lanes past the last sample repeat it.
typedef struct SampleBlock {
    float p[3][sampleLanes];        // rest frame, m
    int8_t outward[3][sampleLanes]; // mean direction of the faces around it, in 127ths; zero: unknown
    int32_t point[sampleLanes];     // index among the tree's points; −1: past the last
} SampleBlock;

typedef struct SampleGroup {
    float centre[3][sampleLanes], radius[sampleLanes]; // spheres around the blocks; −infinity: there is none
    SampleBlock blocks[sampleLanes];
} SampleGroup;

// The groups of a piece, a run among those of all.
typedef struct SampleRun {
    int first, count, room;
} SampleRun;

typedef ARRAY(SampleGroup) SampleGroups;

typedef struct PieceSamples {
    SampleGroups groups;
    ARRAY(SampleRun) runs; // by piece; none before the first break
    int waste;             // groups of nobody
} PieceSamples;

typedef struct Rest Rest;

void samplesFree(PieceSamples* samples, Memory* memory);
int64_t samplesBytes(const PieceSamples* samples);

// All surface nodes of a mesh.
bool samplesOfMesh(SampleGroups* groups, Memory* memory, const Rest* rest, const TetMesh* mesh);
// Room for a break of a piece that makes so many cuts and new pieces. False: no memory; nothing has changed.
bool samplesReserve(PieceSamples* samples, const FragmentField* field, int piece, int newCuts, int newPieces);
// Follows the field's last break. Cannot fail after samplesReserve.
void samplesBreak(PieceSamples* samples, const FragmentField* field, const Rest* rest);
// All of a restored solid. False: no memory.
bool samplesBuild(PieceSamples* samples, const FragmentField* field, const Rest* rest);

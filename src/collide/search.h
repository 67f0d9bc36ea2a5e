// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The walk through one piece's samples against a target (G2, G10): one child of each sample in turn, so that samples
// met one after the other lie far apart. It can be stopped at any sample and taken up again with a stricter threshold.
#pragma once

#include "collide/target.h"

// Samples left to visit: a child and the later ones of its parent. The cursor lives here: the tree is shared.
typedef struct SearchEntry {
    int child;      // next to visit
    float distance; // of the parent, a lower bound
} SearchEntry;

typedef struct Search {
    const shSolid* solid; // whose samples
    const Target* target;
    const TreePoint* points;
    const NormalCone* cones; // of mesh nodes
    TargetFrame frame;
    bool plainOrder;
    // Samples are fetched and looked up in batches, then handed out one by one.
    unsigned open; // samples of the batch left to hand out, a bit each
    int batchCount;
    int batchPoints[targetBatch];
    TargetBatch batch;
    ARRAY(SearchEntry) queue; // first in, first out
    int head;
    int visited;
    float clear; // m, what was looked at one by one and passed over is not nearer
    bool failed; // out of memory
    Memory* memory;
} Search;

typedef struct Sample {
    int point;
    FieldHit hit; // in the target's frame
} Sample;

// Leads from the samples' frame into another.
TargetFrame searchFrame(shTransform samples, shTransform frame);
// Sets out at the root.
void searchStart(Search* search, const shSolid* solid, int piece, const Target* target, shTransform samples,
                 shTransform frame);
// The next sample closer than the threshold; false when there is none left (or memory ran out: `failed`).
bool searchNext(Search* search, float threshold, Sample* sample);
// Of a walk to its end that met no sample: none is nearer than this, m. The target must be a piece.
float searchClear(const Search* search);
// One sample by itself.
bool searchTest(const Search* search, int point, float threshold, Sample* sample);
// Does the surface that a sample met look against it? If not they are side by side, like two boxes at the rim of which
// a corner stands: no contact.
bool searchFaces(const Search* search, const Sample* sample);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How deep the bodies of a world are in each other, found afresh: all vertices and edges of every piece's surface are
// sampled densely, and every sample that may be in another body is asked for its distance to that body's surface.
// Contacts of the solver are never read.
//
// The depth of a pair is that of the deepest sample: the distance from it to the nearest point of the other's surface.
// Where two edges cross, that is less than the way the bodies must move to be apart: of two right-angled edges that
// cross at right angles, 1/√2 of it.
#pragma once

#include "bench/depth_list.h"
#include "sherd/world.h"

// Distance of samples along edges, as a share of the piece's diameter.
#define DEPTH_SPACING 0.02

typedef struct DepthSurvey {
    DepthList percent; // of each pair that overlaps: depth as a percentage of the smaller diameter
    double deepest;    // m
    shBodyId a, b;     // the pair whose percentage is largest
    int bodies;        // dynamic ones
    int64_t samples;   // on all surfaces
    int64_t asked;     // distances
} DepthSurvey;

// The diameter of a body is twice the distance from its centre of mass to the farthest point of its surface; that of
// anything static is larger than any other. Pairs without a dynamic body are left out.
shStatus depthSurvey(const shWorld* world, double spacing, DepthSurvey* survey, shMessage* message);
void depthSurveyFree(DepthSurvey* survey);

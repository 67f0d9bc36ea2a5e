// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A crack along the walls of Voronoi cells: each node goes to its nearest site, an edge is cut where it crosses the
// bisector of its ends' sites.
#pragma once

#include "field/fragment_field.h"

typedef struct VoronoiCrack {
    const RestField* rest;
    Memory* memory;
    int* labels; // [nodeCount] site of a node
    const Vec3* sites;
} VoronoiCrack;

// `sites` must outlive the crack. False when memory runs out.
bool voronoiCrackInit(VoronoiCrack* crack, Memory* memory, const RestField* rest, const Vec3* sites, int siteCount);
void voronoiCrackFree(VoronoiCrack* crack);

// For fieldBreak: `user` is the crack.
float voronoiCrackCut(int edge, void* user);

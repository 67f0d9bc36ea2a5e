// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A crack along the walls of Voronoi cells: each node goes to its nearest site, an edge is cut where it crosses the
// bisector of its ends' sites.
#pragma once

#include "field/fragment_field.h"

// Where between a and b it is as far to the site of a as to that of b.
static inline float bisectorCut(Vec3 a, Vec3 b, Vec3 siteA, Vec3 siteB)
{
    Vec3 across = vSub(siteB, siteA);
    float down = vDot(vSub(b, a), across);
    float up = vDot(vSub(vScale(0.5f, vAdd(siteA, siteB)), a), across);
    return down > 0.0f ? up / down : 0.5f;
}

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

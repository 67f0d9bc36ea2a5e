// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// How fine the tetrahedra of a surface's solid must be, and where: a size for every triangle, from the thickness of the
// wall behind it and the gap before it, raised until the tetrahedra fit a budget. Walls too thin for that get thicker.
#pragma once

#include "mesh/surface_solid.h"

typedef struct LatticePlan {
    Memory* memory;
    int triangleCount;
    double cell;        // m, wanted away from thin parts
    double finest;      // m, smallest size of a triangle
    double thickness;   // of sheets, m
    double thickenedTo; // m, least thickness of walls; 0: none were thickened
    int thickenedWalls; // triangles
    int gluedTriangles;
    bool uniform;      // the uniform lattice with `cell` resolves everything
    double* sizes;     // [triangle] m
    bool* rounded;     // [triangle] sheets and thickened walls
    TriQuery query;    // of all triangles but flat ones
    double* slotSizes; // [slot of query]
    double* nodeSizes; // [node of query] smallest below
} LatticePlan;

// Decides and thickens the solid's sheets and walls. `cell`: wanted size, m. `glue`: components closer to each other
// are joined, m. False when memory runs out.
bool latticePlan(LatticePlan* plan, SurfaceSolid* solid, double cell, double maxTets, double glue);
void latticePlanFree(LatticePlan* plan);
// The smallest size wanted within `reach` of p; sizes grow with the distance from their triangle.
double latticePlanSize(DVec3 p, double reach, void* plan);

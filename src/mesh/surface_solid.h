// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The solid that a triangle surface of any quality stands for: open, self-intersecting, overlapping, wrongly oriented,
// without thickness. Patches are oriented by flood fill and by which side sees the outside; inside is where the
// generalised winding number exceeds one half. Triangles that bound no volume that way (open sheets, double sheets)
// are given a thickness: the solid is the union of the enclosed volume and of balls around their points.
#pragma once

#include "mesh/tri_mesh.h"
#include "mesh/tri_query.h"

// What becomes of surfaces that are open.
typedef enum OpenPolicy {
    openByShape, // a sheet when the winding number is ambiguous along most of it, else the holes are closed
    openFill,    // holes are closed wherever the winding number closes them
    openShell,   // every open component is a sheet
} OpenPolicy;

typedef enum TriangleRole {
    roleBoundary, // between inside and outside
    roleInner,    // inside on both sides: where shells overlap
    roleSheet,    // given a thickness
    roleFlat,     // no area, left out
} TriangleRole;

// What was wrong with the surface.
typedef struct SurfaceDefects {
    int flatTriangles;   // without area, or with a repeated corner
    int openEdges;       // more triangles one way than the other
    int crowdedEdges;    // more than two triangles
    int turnedTriangles; // taken the other way around
    int innerTriangles;  // inside the solid: overlapping shells
    int sheetTriangles;  // given a thickness
    int components;      // connected over shared positions
    int sheetComponents;
    int cappedHoles; // closed by a fan of triangles around their middle
} SurfaceDefects;

typedef struct SurfaceSolidDef {
    double thickness; // of sheets, m; 0: SHEET_THICKNESS of the diagonal
    OpenPolicy open;
} SurfaceSolidDef;

// A part of the solid made of balls around triangles.
typedef struct ThickPart {
    TriQuery query;
    double* radius;     // [slot]
    double* nodeRadius; // [node] the largest below it
} ThickPart;

typedef struct SurfaceSolid {
    const shContext* context;
    Memory* memory;
    // The mesh's vertices and triangles come first, then the middles of capped holes and their fans.
    int vertexCount, triangleCount, meshVertexCount, meshTriangleCount;
    int vertexRoom, triangleRoom;
    DVec3* vertices;     // [vertexRoom]
    int (*triangles)[3]; // [triangleRoom] over welded vertices, oriented
    uint8_t* roles;      // [triangleRoom] TriangleRole
    bool* turned;        // [triangleRoom] oriented the other way than the mesh has it
    int* components;     // [triangleRoom] a number per connected component
    int* welded;         // [vertexRoom] the first vertex at the same position
    DVec3 lower, upper;  // box of the surface
    double diagonal, thickness;
    TriQuery boundary, winding;  // `boundary`: closest points; `winding`: inside (boundary and inner triangles)
    int *boundaryIds, *thickIds; // triangle of the mesh for each of the query's
    int boundaryCount, thickCount;
    ThickPart thick;
    SurfaceDefects defects;
} SurfaceSolid;

// False when memory runs out. Indices must be in range and positions finite.
bool surfaceSolidBuild(SurfaceSolid* solid, const shContext* context, Memory* memory, const TriMesh* mesh,
                       const SurfaceSolidDef* def);
void surfaceSolidFree(SurfaceSolid* solid);

// Radii that join components which come closer to each other than `reach`, for surfaceSolidThicken. Returns the number
// of triangles with one, −1 when memory runs out.
int surfaceSolidGlue(const SurfaceSolid* solid, double reach, double* radius);

// Adds balls of `radius[i]` around each triangle of the mesh where it is positive (walls too thin to be meshed), to
// those of the sheets. False when memory runs out.
bool surfaceSolidThicken(SurfaceSolid* solid, const double* radius);

// Signed distance, negative inside. Its size is the distance to the nearest boundary triangle or ball; where holes are
// closed it does not go to zero at the closing surface.
double surfaceSolidDistance(const SurfaceSolid* solid, DVec3 p);
// Where the way from p (inside) to q (outside) leaves the solid, as a fraction, by a ray; false when it is not that
// simple: at thick parts, or when rounding lets the ray miss.
bool surfaceSolidCrossing(const SurfaceSolid* solid, DVec3 p, DVec3 q, double* t);
bool surfaceSolidInside(const SurfaceSolid* solid, DVec3 p);
// The closest point of the solid's surface, or p when nothing is within reach. `triangle` (may be null): of the mesh.
DVec3 surfaceSolidClosest(const SurfaceSolid* solid, DVec3 p, double reach, int* triangle);

// Smallest distance to a ball around a thick triangle, that distance less the radius; INFINITY when there are none.
double thickDistance(const ThickPart* part, DVec3 p, TriHit* hit);

// Thickness of the wall behind each boundary triangle and width of the gap before it, INFINITY where there is none:
// straight through from its middle to a triangle that faces the other way.
bool surfaceSolidWalls(const SurfaceSolid* solid, double* walls, double* gaps);

// Volume where the winding number exceeds one half, by the divergence theorem over boundary triangles: exact for a
// surface without holes whose boundary triangles are wholly on the boundary.
double surfaceSolidVolume(const SurfaceSolid* solid);
double surfaceSolidArea(const SurfaceSolid* solid); // of boundary triangles and sheets

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Tetrahedra for any solid that can be asked for its distance: implicit shapes and triangle surfaces too dirty to be
// meshed as they are. A body-centred cubic lattice is laid over the space, points that the surface passes closely
// move onto it, and what the surface still cuts is filled by fixed stencils: isosurface stuffing (Labelle, Shewchuk
// 2007). Without creases all dihedral angles lie between 10.7° and 164.8°, whatever the shape.
#pragma once

#include "mesh/surface_solid.h"
#include "mesh/tet_mesh.h"

// Negative inside. Its size must not exceed the distance to the surface (it may be smaller), because regions are
// skipped on its word. Called from several threads at once.
typedef double LatticeDistance(DVec3 p, void* user);

// The closest point of the surface, for solids that know it; else steps along the gradient find one.
typedef DVec3 LatticeClosest(DVec3 p, void* user);

// Which smooth part of the surface is p (a point on it) on? Called from several threads at once.
typedef int LatticePatch(DVec3 p, void* user);

// A straight piece of a feature line, with the two patches that meet there.
typedef struct LatticeCrease {
    DVec3 a, b;
    int patches[2];
} LatticeCrease;

// Sharp edges and corners to keep. `user` of the definition goes to `patch` as well.
typedef struct LatticeCreases {
    LatticePatch* patch;
    const LatticeCrease* lines;
    int lineCount;
    const DVec3* corners; // where feature lines meet or turn
    int cornerCount;
} LatticeCreases;

typedef enum LatticePieces {
    latticeOnePiece,    // more than one is an error
    latticeKeepLargest, // by volume; the report says how many were left out
} LatticePieces;

typedef struct LatticeDef {
    const shContext* context; // whose workers help; null: none. The result is the same
    LatticeDistance* distance;
    LatticeClosest* closest; // may be null
    void* user;
    DVec3 lower, upper;            // box around the surface
    double cell;                   // edge of a lattice cube, m; surface triangles have edges of about 0.7 of it
    double tolerance;              // m; surface edges that leave the surface by more are split. 0: none are
    const LatticeCreases* creases; // null: none
    LatticePieces pieces;
    bool unpinch;   // where the solid touches itself, take the lesser tetrahedra out; else that is an error
    bool allowThin; // do not look for parts of the surface that fell between the lattice points
    bool asStuffed; // no node moves after stuffing: no creases, no closer fit, but nothing can run through itself
} LatticeDef;

typedef struct LatticeReport {
    int64_t pointCount;      // lattice points in the box
    int64_t evaluationCount; // distances asked for while filling the lattice
    int piecesLeftOut;
    double volumeLeftOut; // their share of the volume
    // Of surfaces:
    SurfaceDefects defects;
    bool adaptive;       // graded tetrahedra instead of the uniform lattice
    double cell, finest; // m; wanted sizes of tetrahedra: away from thin parts, at the thinnest
    double thickness;    // of sheets, m; 0: there are none
    int thickenedWalls;  // triangles of walls too thin for the budget, which were made thicker
    double thickenedTo;  // m
    int gluedTriangles;  // where parts that nearly touch were joined
    double gluedWithin;  // m
    int creasesMissed;   // surface triangles still off a crease or the surface: moving a node would have spoilt a tet
} LatticeReport;

// The mesh is whole and checked, or nothing is left allocated. Corner normals follow the distance's gradient (the
// faces around, if `closest` is given) and are split at creases; UVs are box projections. `report` may be null.
shStatus latticeMesh(TetMesh* mesh, Memory* memory, const LatticeDef* def, LatticeReport* report, shMessage* message);

typedef struct LatticeSurfaceDef {
    double cell;        // m; 0: the mean edge, LATTICE_COARSEST … LATTICE_FINEST per diagonal
    double creaseAngle; // degrees between the normals of two triangles; above it their edge is kept. 0: none
    LatticePieces pieces;
    bool allowThin;   // on the uniform lattice, whatever falls between its points
    bool asStuffed;   // see LatticeDef
    double thickness; // of open sheets, m; 0: in proportion to the size
    OpenPolicy open;
    int maxTets; // aim for no more than about that many; 0: LATTICE_MAX_TETS
} LatticeSurfaceDef;

LatticeSurfaceDef latticeDefaultSurfaceDef(void);

// The same for a triangle surface, which may be open, self-intersecting, inconsistently oriented: see surface_solid.h.
// Where walls are too thin for the uniform lattice or sheets have no thickness, graded tetrahedra are used, as fine as
// `maxTets` allows; walls thinner than that are made thicker. UVs, normals and groups come from the nearest triangle.
shStatus latticeMeshSurface(TetMesh* mesh, shContext* context, const TriMesh* surface, const LatticeSurfaceDef* def,
                            LatticeReport* report, shMessage* message);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A lattice of graded tetrahedra for the lattice mesher: cubes divided into six tetrahedra each, which are bisected
// at their longest edge until they are as small as wanted where they are. Bisection of such tetrahedra gives three
// shapes only, over and over, with dihedral angles from 45° to 135°, and neighbours always match. What the surface
// cuts is filled as in isosurface stuffing.
#pragma once

#include "mesh/lattice_stuff.h"

// The wanted size of tetrahedra within `reach` of p, m: that of the smallest. Called from several threads at once.
typedef double AdaptSize(DVec3 p, double reach, void* user);

// Where the way from p (inside) to q (outside) leaves the solid, as a fraction; false when it cannot say. May be null.
typedef bool AdaptCrossing(DVec3 p, DVec3 q, double* t, void* user);

typedef struct AdaptDef {
    const LatticeDef* lattice; // distance, box
    AdaptSize* size;
    void* sizeUser;
    AdaptCrossing* crossing; // `user` of the lattice
    double coarsest;         // m, no tetrahedron is larger
} AdaptDef;

// Fills `soup`; shBadMesh when nothing is inside, shLimit when the lattice becomes too large.
shStatus latticeAdapt(TetSoup* soup, Memory* memory, const AdaptDef* def, LatticeReport* report, shMessage* message);

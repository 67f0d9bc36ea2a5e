// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Between the stages of the lattice mesher: bare tetrahedra in double precision that grow and change.
#pragma once

#include "core/array.h"
#include "mesh/lattice.h"

typedef struct TetNodes {
    int n[4];
} TetNodes;

// An edge of the lattice with both ends on the same side, near the surface; `middle` is where it could pass through
// something thin.
typedef struct ThinSpan {
    DVec3 a, middle, b;
} ThinSpan;

typedef struct TetSoup {
    ARRAY(DVec3) nodes;
    ARRAY(TetNodes) tets; // positive
    ARRAY(int) offNodes;  // surface nodes that had to be put a little off the surface
    ARRAY(ThinSpan) spans;
    ARRAY(DVec3) witnesses; // lattice points less than a cell from the surface
} TetSoup;

// parallelFor on the definition's workers, if it has any.
void latticeFor(const LatticeDef* def, int count, int block, shTask* task, void* arg);

DVec3 latticeGradient(const LatticeDef* def, DVec3 p);
// One step from p to the surface.
DVec3 latticeTowardsSurface(const LatticeDef* def, DVec3 p);

void tetSoupFree(TetSoup* soup, Memory* memory);

// Lattice, cuts, warp, stencils. `keepOpen` is for walls and gaps of hardly a cell: no point moves that the surface
// passes on two sides, and tetrahedra with all nodes on the surface stay where they are inside. It costs angles, and
// such tetrahedra become flat at creases, where they are kept only with it.
shStatus latticeStuff(TetSoup* soup, Memory* memory, const LatticeDef* def, bool keepOpen, LatticeReport* report,
                      shMessage* message);

// Leaves the largest piece (or refuses) and splits nodes where the solid touches itself in a point.
shStatus latticeTidy(TetSoup* soup, Memory* memory, const LatticeDef* def, LatticeReport* report, shMessage* message);

// Takes out the lesser tetrahedra around edges that more than two surface triangles share; to be followed by
// latticeTidy. With `hollows`, where there are none of these, all tetrahedra around nodes at which two hollows touch.
// `removed` counts tetrahedra.
shStatus latticeUnpinch(TetSoup* soup, Memory* memory, bool hollows, int* removed, shMessage* message);

// Keeps creases, follows the surface to the tolerance, mends badly shaped tetrahedra.
shStatus latticeRefine(TetSoup* soup, Memory* memory, const LatticeDef* def, LatticeReport* report, shMessage* message);

// From the soup to a checked mesh: the two above, the build and its checks.
shStatus latticeFinish(TetMesh* mesh, Memory* memory, const LatticeDef* def, TetSoup* soup, LatticeReport* report,
                       shMessage* message);

// Corner normals of a finished mesh.
shStatus latticeShade(TetMesh* mesh, Memory* memory, const LatticeDef* def, shMessage* message);

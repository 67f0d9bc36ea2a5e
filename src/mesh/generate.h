// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Generators with exact surfaces. They cut structured cells into tetrahedra by rules on node numbers, so that
// neighbouring cells agree on the diagonals of the faces they share.
#pragma once

#include "core/array.h"
#include "mesh/models.h"

typedef int Tet[4];

// Nodes and tets in the making. After a failed allocation nothing more is added and draftFinish says so.
typedef struct Draft {
    Memory* memory;
    bool failed;
    ARRAY(DVec3) nodes;
    ARRAY(Tet) tets;
} Draft;

int draftNode(Draft* draft, DVec3 p); // its number
void draftTet(Draft* draft, int a, int b, int c, int d);
// Columns of a prism: base (counter-clockwise from above) and top. The diagonal of each side runs from the base of
// the column with the smaller base number to the top of the other. Neighbours must agree on which end is the base.
void draftPrism(Draft* draft, const int base[3], const int top[3]);
// Corner k of a brick-shaped cell is at (k & 1, k >> 1 & 1, k >> 2). Five tets; `odd` must alternate like a chess
// board.
void draftCell5(Draft* draft, const int corner[8], bool odd);
// Twelve tets around a node in the middle; `odd` as above.
void draftCell12(Draft* draft, const int corner[8], int middle, bool odd);
// Builds the mesh and frees the draft. `source`, if not null, receives the draft's node of each mesh node and is the
// caller's to free (sourceCount entries).
shStatus draftFinish(Draft* draft, TetMesh* out, int** source, int* sourceCount, shMessage* message);

// count · detail, rounded, at least 1: how many cells a model that has `count` at detail 1 gets.
int detailCount(double count, float detail);

// A disc of `rings` rings, 6·i nodes on ring i, nearly equilateral triangles. Nodes are numbered from the centre.
static inline int discNodes(int rings) { return 1 + 3 * rings * (rings + 1); }
// Stacks `layers` discs of prisms: node = layer · discNodes(rings) + number in the disc. A closed stack has as many
// layers of nodes as of cells, an open one has one more. The nodes exist already, upper layers on the side that the
// disc's counter-clockwise normal points to.
void draftDiscStack(Draft* draft, int rings, int layers, bool closed);

GenerateFn generateBox, generateBrick, generateWall, generateShelf, generateTable, generatePane;
double distanceBox(DVec3 p), distanceBrick(DVec3 p), distanceWall(DVec3 p), distanceShelf(DVec3 p),
    distanceTable(DVec3 p), distancePane(DVec3 p);
double volumeBox(void), volumeBrick(void), volumeWall(void), volumeShelf(void), volumeTable(void), volumePane(void);

GenerateFn generatePlate, generateBowl, generateCylinder, generatePillar;
double distancePlate(DVec3 p), distanceBowl(DVec3 p), distanceCylinder(DVec3 p), distancePillar(DVec3 p);
double volumePlate(void), volumeBowl(void), volumeCylinder(void), volumePillar(void);

GenerateFn generateSphere, generateTorus;
double distanceSphere(DVec3 p), distanceTorus(DVec3 p);
double volumeSphere(void), volumeTorus(void);

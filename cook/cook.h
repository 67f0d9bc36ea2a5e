// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From foreign files to solids: readers, decimation, TetGen. What only cooking needs and WebAssembly does not have.
#pragma once

#include "mesh/tet_mesh.h"
#include "sherd/asset.h"

enum { SLOT_NAME_BYTES = 32 };

// What the file calls the material slots of a mesh's groups; empty when it names none.
typedef struct SlotNames {
    int count;
    char (*names)[SLOT_NAME_BYTES]; // [count] zero-terminated, cut where they are longer
} SlotNames;

void slotNamesFree(SlotNames* names, Memory* memory);

// Reads a mesh by its extension (.obj, .off). Every error names the file, the line where there is one, and the reason.
// Vertices of equal position are joined when the surface is open otherwise; triangles of a closed surface are turned
// until they agree and face outwards. What comes back need not be closed: see triMeshCheck. `names` may be null.
shStatus cookReadMesh(shContext* context, const char* path, TriMesh* mesh, SlotNames* names, shMessage* message);

// Reads the closed regions of a pattern from an .obj: one for each object or group, `groups` of the mesh (null: one).
// Triangles stay as the file turns them.
shStatus cookReadRegions(shContext* context, const char* path, TriMesh* mesh, SlotNames* names, shMessage* message);

typedef struct DecimateReport {
    double error; // largest estimated deviation, as a share of the largest extent
    int attempts;
} DecimateReport;

// Reduces a closed mesh to `triangles` within 1 %, closed and two triangles to an edge like the input, vertices a
// subset of the input's. UVs, normals and groups are taken over from the nearest place of the input. A mesh that
// small already is copied. `report` may be null.
shStatus cookDecimate(shContext* context, const TriMesh* input, int triangles, TriMesh* output, DecimateReport* report,
                      shMessage* message);

typedef struct TetgenDef {
    const char* program; // looked up along PATH unless it holds a slash
    double seconds;      // limit of one attempt
    double maxVolume;    // of a tetrahedron, m³; 0: any, as few inner points as good shapes allow
} TetgenDef;

typedef struct TetgenReport {
    int attempts;
    bool split;  // the surface was split
    int slivers; // near-zero-volume tetrahedra that were mended by moving inner nodes
} TetgenReport;

TetgenDef cookDefaultTetgenDef(void);

// Fills a closed mesh with tetrahedra by running TetGen as a child process: first keeping the surface as it is, then
// letting it be split. The result is validated. shFailed: TetGen is missing, took too long or gave nothing usable;
// the message says what each attempt came to. Shells inside shells become cavities. `report` may be null.
shStatus cookTetgen(shContext* context, const TriMesh* surface, const TetgenDef* def, TetMesh* mesh,
                    TetgenReport* report, shMessage* message);

typedef enum CookMesher {
    cookByAny,    // TetGen for clean solids; our lattice mesher when it is missing, fails, or the surface is not clean
    cookByTetgen, // or an error
    cookByLattice,
} CookMesher;

typedef struct CookFileDef {
    const char* path;
    double scale;  // of the file's unit, m: 0.001 for millimetres; then
    shVec3 shift;  // m, moved so far
    int triangles; // decimate to about that many; 0: as it is
    CookMesher mesher;
    TetgenDef tetgen;
    shCookDef cook; // name null: the file's, without folder and extension
} CookFileDef;

typedef struct CookFileReport {
    int readTriangles, triangles; // in the file; after decimation
    const char* mesher;           // "tetgen", "tetgen, surface split", "lattice"
    shMessage fallback;           // why not TetGen; empty when it was used or not wanted
    double readSeconds, decimateSeconds, meshSeconds, cookSeconds;
} CookFileReport;

CookFileDef cookDefaultFileDef(void);
// Reads, decimates, fills with tetrahedra and cooks. `report` may be null.
shStatus cookFile(shContext* context, const CookFileDef* def, shAsset** asset, CookFileReport* report,
                  shMessage* message);

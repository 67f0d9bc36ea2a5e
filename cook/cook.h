// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From foreign files to solids: readers, decimation, TetGen. What only cooking needs and WebAssembly does not have.
#pragma once

#include "cook/looks.h"
#include "mesh/lattice.h"
#include "mesh/tet_mesh.h"
#include "sherd/asset.h"

enum { SLOT_NAME_BYTES = 32 };

// What the file calls the material slots of a mesh's groups; empty when it names none.
typedef struct SlotNames {
    int count;
    char (*names)[SLOT_NAME_BYTES]; // [count] zero-terminated, cut where they are longer
} SlotNames;

void slotNamesFree(SlotNames* names, Memory* memory);

// Reads a mesh by its extension. Every error names the file, the line where there is one, and the reason.
// Vertices of equal position are joined when the surface is open otherwise; triangles of a closed surface are turned
// until they agree and face outwards. What comes back need not be closed: see triMeshCheck. `names` may be null.
shStatus cookReadMesh(shContext* context, const char* path, TriMesh* mesh, SlotNames* names, shMessage* message);

// The same with what the file says about looks: colours, roughness, textures; what assimp reads as well (.stl, .ply,
// .gltf, .glb and more: node transforms applied, all meshes joined).
shStatus cookReadModel(shContext* context, const char* path, TriMesh* mesh, Looks* looks, shMessage* message);

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
    bool refine;         // split the surface's triangles at once: its shape stays, and there are nodes for cracks
} TetgenDef;

typedef struct TetgenReport {
    int attempts;
    bool split;         // the surface was split
    int slivers;        // near-zero-volume tetrahedra that were mended by moving inner nodes
    char switches[96];  // of the attempt that gave the result
    double minDihedral; // of the result, degrees
} TetgenReport;

TetgenDef cookDefaultTetgenDef(void);

// Fills a closed mesh with tetrahedra by running TetGen as a child process: first keeping the surface as it is, then
// with other quality settings if that fails or leaves slivers, then letting the surface be split. The best is taken.
// The result is validated; its address space and time are limited. shFailed: TetGen is missing, took too long or gave
// nothing usable; the message says what each attempt came to. Shells inside shells become cavities. `report` may be
// null.
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
    int up;        // which axis of the file points up: 0 x, 1 y, 2 z; it becomes y
    shVec3 shift;  // m, moved so far
    int triangles; // decimate to about that many; 0: as it is
    CookMesher mesher;
    TetgenDef tetgen;
    OpenPolicy open; // what becomes of open surfaces
    bool strict;     // refuse what had to be mended, closed, thickened or left out
    bool measure;    // compare the result with the input: takes about as long as a small mesh
    shCookDef cook;  // name null: the file's, without folder and extension
} CookFileDef;

typedef struct CookFileReport {
    int readTriangles, triangles; // in the file; after decimation
    int partsLeftOut;             // pieces that were not the largest
    double volumeLeftOut;         // their share
    shVec3 moved;                 // m; not zero when the model lay too far from the origin for its size
    const char* mesher; // "tetgen", "tetgen, surface split", "tetgen, refined", "lattice", "adaptive lattice", "ready
                        // tetrahedra"
    TetgenReport tetgen;
    LatticeReport lattice;
    int rounded;        // places where the surface ran through itself, so that edges were not kept sharp; 0: they were
    int crossings;      // places where it does still
    shMessage fallback; // why not TetGen; empty when it was used or not wanted
    // With `measure`: how far input and result are apart, of the diagonal; farther than the sheets' half thickness
    // where they have one. Volume against the winding number's, relative; NaN when sheets were thickened.
    double inputToMesh, meshToInput, volumeError;
    // Share of the result's surface, by area, with the UVs that the file has at the nearest place; NaN: it has none.
    double uvsKept;
    double readSeconds, decimateSeconds, meshSeconds, cookSeconds;
} CookFileReport;

CookFileDef cookDefaultFileDef(void);
// Reads, decimates, fills with tetrahedra and cooks. What it reads: see cookReadModel, and ready tetrahedra (.node with
// .ele, .msh). `report` may be null.
shStatus cookFile(shContext* context, const CookFileDef* def, shAsset** asset, CookFileReport* report,
                  shMessage* message);

// What was wrong with the file and what was done about it, a line each; empty when there was nothing. Returns its
// length, as snprintf does.
int cookReportText(const CookFileReport* report, char* text, size_t size);

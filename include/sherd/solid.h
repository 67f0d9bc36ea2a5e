// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Solids: instances of an asset that can break. Until it breaks a solid owns nothing but a reference; a thousand intact
// ones share one asset. All pieces of a solid live in the asset's rest frame; where they are in the world is the
// caller's (or the world's) business.
//
// A piece is known by its number in the solid. When it breaks, its largest part keeps the number and the others get new
// ones; pieces that do not break keep surface, volume and every answer bit for bit.
//
// A solid may be read from several threads at once, but not while it breaks.
#pragma once

#include "sherd/asset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shSolid shSolid;

SH_API shStatus shCreateSolid(const shAsset* asset, shSolid** solid, shMessage* message);
SH_API void shDestroySolid(shSolid* solid); // null is fine
SH_API const shAsset* shSolid_GetAsset(const shSolid* solid);
SH_API int shSolid_GetPieceCount(const shSolid* solid); // numbers given so far: removed pieces count, see below
SH_API int64_t shSolid_GetBytes(const shSolid* solid);  // of its own, beyond the asset

// What divides a piece. Labels sit at the nodes of the asset's tet mesh; parts are connected nodes of one label.
typedef struct shCrack {
    int piece;
    const int* labels;                  // [pointCount of the asset] any numbers; read at the piece's nodes only
    float (*cut)(int edge, void* user); // where between its lower and its higher node an edge is cut, 0 … 1; null: half
    void* user;
} shCrack;

// What came of a break. Lives until the next break of the solid, tried or done.
typedef struct shBreak {
    int pieceCount;    // 1: nothing broke
    const int* pieces; // the piece itself first, then the new ones
} shBreak;

SH_API shStatus shSolid_Break(shSolid* solid, const shCrack* crack, shBreak* result, shMessage* message);
// Along the walls of the Voronoi cells of `sites` (rest frame).
SH_API shStatus shSolid_BreakVoronoi(shSolid* solid, int piece, const shVec3* sites, int siteCount, shBreak* result,
                                     shMessage* message);

// Takes a piece out for good: debris that has served, dust. Its number is not used again, its points belong to nobody;
// other pieces keep every bit. A whole solid is destroyed instead.
SH_API shStatus shSolid_RemovePiece(shSolid* solid, int piece, shMessage* message);
SH_API bool shSolid_HasPiece(const shSolid* solid, int piece); // false: removed, or never there

// Exact from the piece's geometry; of a solid of the asset's material.
typedef struct shPieceInfo {
    double volume;        // m³
    double mass;          // kg
    double centre[3];     // of mass, rest frame, m
    double inertia[3][3]; // about the centre, kg·m²
    shBox box;            // rest frame
    int triangleCount;    // of its surface
    int parent;           // number of the piece it broke off; -1: the original
} shPieceInfo;
SH_API shPieceInfo shSolid_GetPiece(const shSolid* solid, int piece); // all zero where there is none

// The piece's closed surface as separate triangles: three corners each, the slot of the asset's surface or -1 inside.
// Writes at most `capacity` triangles; returns how many there are.
SH_API int shSolid_GetTriangles(const shSolid* solid, int piece, shVec3 (*corners)[3], int* slots, int capacity);

// The same as a mesh to draw: three vertices per triangle, which nobody shares. On the original surface normals, UVs
// and slots are the asset's; cracks are flat, have slot -1 and UVs projected along the axes (1 per metre).
typedef struct shPieceMesh {
    int vertexCount, triangleCount;
    shVec3* positions; // rest frame, m
    shVec3* normals;
    float (*uvs)[2];
    int (*triangles)[3];
    int* slots; // [triangleCount]
} shPieceMesh;
SH_API shStatus shSolid_CreatePieceMesh(const shSolid* solid, int piece, shPieceMesh* mesh, shMessage* message);
SH_API void shSolid_DestroyPieceMesh(const shSolid* solid, shPieceMesh* mesh);

// All pieces as one scene, moved away from the middle by `explode` times their distance (0: in place); .glb or .obj.
SH_API shStatus shExportSolid(const shSolid* solid, float explode, const char* path, shMessage* message);
// One piece-0000.obj for each piece, in place, and their materials.mtl, into a folder that exists.
SH_API shStatus shExportPieces(const shSolid* solid, const char* folder, shMessage* message);

// The piece that owns a point of the rest frame, or -1 outside.
SH_API int shSolid_FindOwner(const shSolid* solid, shVec3 point);

#ifdef __cplusplus
}
#endif

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Regions: patterns of one's own (Su §4.3). Closed surfaces that divide a cube, drawn by hand or made by another
// program; grids of signed distances; or the pieces of something that Sherd has broken before. However they come, they
// are kept as level sets on a regular grid, and never change again. Use them through shPattern.
//
// They have a frame of their own: `center` is put where a blow lands and `direction` turned to where it goes, and all
// is scaled until what is farthest from the centre is as far as what is farthest from the impact. Space that no region
// has, in the cube or beyond it, belongs to a region close by. Walls are where they were to within half a cell of the
// grid.
#pragma once

#include "sherd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SH_MAX_REGIONS 4096
#define SH_MAX_REGION_CELLS 256

typedef struct shRegions shRegions;

// Fill it with shDefaultRegionsDef: a blow at the origin, straight down (−y), 64 cells.
typedef struct shRegionsDef {
    shVec3 center;    // where the blow lands, in the frame of the regions
    shVec3 direction; // of the blow, any length but zero
    int cells;        // of the grid along its longest side, 4 … SH_MAX_REGION_CELLS; given grids have their own
    uint32_t cookie;
} shRegionsDef;

// Each region a closed surface, whose triangles agree on where outside is. Vertices of equal position count as one;
// regions share no triangles: a wall between two is there twice.
typedef struct shRegionMesh {
    int regionCount;
    const char* const* names; // [regionCount] for messages, or null
    int vertexCount, triangleCount;
    const shVec3* vertices;
    const int (*triangles)[3];
    const int* regions; // [triangleCount] the region of each triangle
} shRegionMesh;

// Each region a signed distance at every sample, negative inside, of any unit.
typedef struct shRegionGrid {
    int regionCount;
    int samples[3];      // along x, y, z, 2 … SH_MAX_REGION_CELLS + 1
    shVec3 lower;        // place of the first sample
    float cell;          // distance between samples
    const float* levels; // [regionCount][samples z][y][x]
} shRegionGrid;

SH_API shRegionsDef shDefaultRegionsDef(void);
// Refused: open or empty regions, those that own no sample of the grid (give more cells), two that overlap by more than
// half a cell at a sample; where they overlap by less, the one whose surface is farther away has it.
SH_API shStatus shCreateRegions(shContext* context, const shRegionMesh* mesh, const shRegionsDef* def,
                                shRegions** regions, shMessage* message);
SH_API shStatus shCreateRegionsFromGrid(shContext* context, const shRegionGrid* grid, const shRegionsDef* def,
                                        shRegions** regions, shMessage* message);
SH_API void shDestroyRegions(shRegions* regions); // null is fine

// Files are checked throughout, as assets are; saving writes under a temporary name and renames.
SH_API shStatus shLoadRegions(shContext* context, const char* path, shRegions** regions, shMessage* message);
SH_API shStatus shLoadRegionsFromMemory(shContext* context, const void* bytes, size_t size, const char* name,
                                        shRegions** regions, shMessage* message);
SH_API shStatus shSaveRegions(const shRegions* regions, const char* path, shMessage* message);

typedef struct shRegionsInfo {
    int regionCount;
    int samples[3];
    shVec3 lower;             // place of the first sample, in the frame of the regions
    float cell;               // distance between samples
    float band;               // levels are known up to this distance from a region's surface
    shVec3 center, direction; // of the blow; unit
    float reach;              // from the centre to what is farthest
    int64_t bytes;
    uint64_t contentHash; // equal for equal regions
} shRegionsInfo;
SH_API shRegionsInfo shRegions_GetInfo(const shRegions* regions);

// The region that has a point of their frame.
SH_API int shRegions_Find(const shRegions* regions, shVec3 point);
// Signed distance of a point to a region's surface, negative inside, within ±band; between samples interpolated. The
// level set of a piece is the larger of its region's and the body's (Su §4.2).
SH_API float shRegions_GetLevel(const shRegions* regions, int region, shVec3 point);

#ifdef __cplusplus
}
#endif

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Patterns: prescored space, placed at an impact (Su §4). A pattern divides all of space into cells; a piece that is
// hit breaks along their walls, as far as its tetrahedra are fine enough to show them. The same pattern, impact and
// piece give the same break on every machine.
#pragma once

#include "sherd/regions.h"
#include "sherd/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SH_MAX_PATTERN_PIECES 4096

typedef enum shPatternType {
    shRadialPattern,    // glass: spokes from the impact and rings around it, closer together near it
    shUniformPattern,   // Voronoi cells of about one size, wherever the impact is
    shClusteredPattern, // Voronoi cells, smaller near the impact
    shSlabPattern,      // layers across the grain, as in slate
    shSplinterPattern,  // long cells along the grain, as in wood; thinner near the impact
    shBrickPattern,     // bricks in running bond: cracks follow the joints; farther away bricks stay together
    shPatternTypeCount, // of those above, which need nothing more
    shRegionPattern,    // regions of one's own
} shPatternType;

// Fill it with shDefaultPattern.
typedef struct shPattern {
    shPatternType type;
    uint64_t seed; // another seed, another break. Regions: turned about the blow by it; 0: not turned
    int pieces;    // about so many, 1 … SH_MAX_PATTERN_PIECES; regions are as many as they are
    float rough;   // how far walls stray, in sizes of a piece, 0 … 1
    shVec3 grain;  // slabs: across the layers; splinters: along them; bricks: up. Zero: y, for splinters the long side.
                   // Regions: where their x goes, as far as the blow leaves a choice. Zero: wherever
    float aspect;  // slabs and splinters: length over thickness, 1 … 100
    shVec3 brick;  // length, height and depth with the joint, m, fitted to the asset; zero: 225 × 75 × 112.5 mm,
                   // on coarse meshes the same shape larger
    float smallest; // m³; smaller parts (by the volume around their nodes) stay with the neighbour they touch most.
                    // 0: parts of less than about four nodes, which would show the mesh and not the pattern
    const shRegions* regions; // for shRegionPattern; must outlive the break, not the pieces
    bool aligned; // regions: every point takes the nearest sample of the grid, as if the impact were moved by up to
                  // half a cell, instead of interpolating between eight: quicker, and walls show the grid
    uint32_t cookie;
} shPattern;

// Fill it with shDefaultImpact.
typedef struct shImpact {
    shVec3 point;     // rest frame, m. Off the piece, the nearest point of the piece's surface is meant
    shVec3 direction; // of the blow, any length; zero: straight into the surface nearest to the point
    float scale;      // of what is centred: 1 spreads rings, clusters, regions over the piece, less draws them together
    float radius;     // m; only cells with their middle within it break off, the rest stays whole. 0: everywhere
    uint32_t cookie;
} shImpact;

SH_API shPattern shDefaultPattern(shPatternType type); // 20 pieces, seed 1; regions: seed 0
SH_API shImpact shDefaultImpact(shVec3 point);
SH_API const char* shPatternName(shPatternType type); // "radial", "uniform", …; null if there is no such type

// Breaks a piece. `result` (may be null) is that of shSolid_Break. On failure the solid is as before.
SH_API shStatus shSolid_BreakPattern(shSolid* solid, int piece, const shPattern* pattern, const shImpact* impact,
                                     shBreak* result, shMessage* message);

// Makes a pattern of all pieces of a solid, so that others can break as it did (Su §4.3). `impact` says where it was
// hit: used there again, on such a solid, the pattern gives such pieces. `cells` as in shRegionsDef, 0: 64. Pieces that
// are thinner than a cell may go to their neighbours.
SH_API shStatus shCreateRegionsFromSolid(const shSolid* solid, const shImpact* impact, int cells, shRegions** regions,
                                         shMessage* message);

// The piece that an impact at a point of the rest frame hits: the one that owns it, or the nearest; -1 when all are
// gone.
SH_API int shSolid_FindPiece(const shSolid* solid, shVec3 point);

#ifdef __cplusplus
}
#endif

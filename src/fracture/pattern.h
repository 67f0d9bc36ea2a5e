// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A pattern placed at an impact: cells that fill space. All of them answer the same two questions, which cell holds a
// point and what label that cell has; cells of equal label stay together. Label 0 is what the impact does not reach.
//
// Points are given in the pattern's own space: turned so that its third axis is the blow or the grain, stretched along
// that axis, and bent a little where walls are to be rough. Straight edges of the mesh are taken as straight there too.
#pragma once

#include "core/random.h"
#include "core/simd.h"
#include "field/fragment_field.h"
#include "fracture/regions.h"
#include "sherd/fracture.h"

// What is hit, and where: all that generators of cells need to know.
typedef struct Struck {
    const FragmentField* field;
    Memory* memory;
    int piece;
    int nodeCount;         // of the piece
    const int* nodes;      // [nodeCount], or null: node i is i
    const double* volumes; // [nodeCount] around the nodes, m³
    double volume;         // of all
    float spacing;         // of nodes, m
    Vec3 point, direction; // of the impact, unit
    float scale;
    float radius;  // 0: everywhere
    shBox restBox; // of the whole asset
} Struck;

static inline int struckNode(const Struck* struck, int i) { return struck->nodes != NULL ? struck->nodes[i] : i; }
static inline Vec3 struckPlace(const Struck* struck, int i)
{
    return struck->field->rest->mesh->nodes[struckNode(struck, i)];
}

// Into the pattern's space and back.
typedef struct PatternFrame {
    DVec3 origin, axes[3]; // axes are unit, but for regions
    double stretch;        // along the third
} PatternFrame;

static inline Vec3 frameApply(const PatternFrame* frame, Vec3 p)
{
    DVec3 d = dSub(dFromV(p), frame->origin);
    return vFromD(dvec3(dDot(frame->axes[0], d), dDot(frame->axes[1], d), frame->stretch * dDot(frame->axes[2], d)));
}
// The third axis given (unit), the others wherever.
PatternFrame frameAlong(Vec3 origin, Vec3 axis, double stretch);

// ---- cells around sites ---------------------------------------------------------------------------------------------

// Eight sites by lane; beyond the last one infinitely far.
typedef struct SiteBlock {
    float at[3][8];
} SiteBlock;

typedef struct SiteCells {
    int count;
    Vec3* sites;       // [count] in pattern space, sorted by the coordinate `axis`
    bool* reached;     // [count] within the radius
    SiteBlock* blocks; // [siteBlocks(count)] the same sites
    int axis;
} SiteCells;

static inline int siteBlocks(int count) { return (count + 7) / 8; }

// Sites in the piece, `crowding` of 3 making cells as wide as they are far from the impact, 0 all alike. False when
// memory runs out.
bool sitesMake(SiteCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern,
               double crowding);
// The same of given points, in pattern space; `reached` may be null.
bool sitesOf(SiteCells* cells, Memory* memory, const Vec3* points, const bool* reached, int count);
void sitesFree(SiteCells* cells, Memory* memory);
int sitesNearest(const SiteCells* cells, Vec3 p);
// The same, eight at once; -1 if several are equally near.
SIMD_DECLARE(int, sitesNearestOne, (const SiteCells* cells, Vec3 p));

// ---- cells between spokes and rings ---------------------------------------------------------------------------------

typedef struct Spoke {
    float turn;          // pseudo-angle of its direction, ascending
    float inverse[2][2]; // coordinates along this spoke and the next, of points between them
    float branch[2];     // direction of a branch between them…
    int branchRing;      // … beyond this ring
} Spoke;

typedef struct RadialCells {
    int spokeCount, ringCount;
    int innerSectors; // within the first ring, or everywhere if there is none
    Spoke* spokes;    // [spokeCount]
    // [spokeCount · 2 · ringCount] one over the distances at which a ring meets both spokes; the second half of a
    // sector, beyond its branch, has rings of its own. INFINITY: no ring here.
    float (*rings)[2];
    bool partial;       // what is beyond the last ring is not reached
    float above, below; // what sticks out of a plate, farther along the axis, is a cell of its own: legs of a table
} RadialCells;

bool radialMake(RadialCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern);
void radialFree(RadialCells* cells, Memory* memory);
int radialCell(const RadialCells* cells, Vec3 p);
static inline int radialLabel(const RadialCells* cells, int cell)
{
    bool outside =
        cell % (cells->ringCount + 1) == cells->ringCount || cell == 2 * cells->spokeCount * (cells->ringCount + 1);
    return cells->partial && outside ? 0 : 1 + cell;
}

// ---- bricks ---------------------------------------------------------------------------------------------------------

typedef struct BrickCells {
    DVec3 size;   // length, height, depth, m
    int count[3]; // along them; one more half brick fits along the length
    int* labels;  // [2 · bricks] of the two halves of each brick
    Vec3* breaks; // [bricks] where broken bricks break: a point's x beyond dot(…) is the second half
} BrickCells;

// Sets the frame, too: bricks lie in the asset, not around the impact.
shStatus bricksMake(BrickCells* cells, const Struck* struck, PatternFrame* frame, const shPattern* pattern,
                    shMessage* message);
void bricksFree(BrickCells* cells, Memory* memory);
int bricksCell(const BrickCells* cells, Vec3 p);

// ---- regions --------------------------------------------------------------------------------------------------------

typedef struct RegionCells {
    const shRegions* regions;
    bool aligned;
    bool* reached; // [regionCount] within the radius; null: all are
    int64_t reads; // samples looked at so far
} RegionCells;

// Into cells of the grid, which is turned to the blow and scaled to the piece.
PatternFrame regionFrame(const RegionRecord* record, const Struck* struck, const shPattern* pattern);
int regionCell(RegionCells* cells, Vec3 p);
// Where between a, in a region, and b, in another, the region ends.
float regionCut(RegionCells* cells, Vec3 a, Vec3 b, int region);
// Of each node its cell given (by node of the mesh), marks the regions whose middle is within the radius. False: no
// memory.
bool regionReach(RegionCells* cells, const Struck* struck, const int* nodeCells);
void regionCellsFree(RegionCells* cells, Memory* memory);

// ---- impacts --------------------------------------------------------------------------------------------------------

shStatus impactCheck(const shImpact* impact, shMessage* message);
// Where on a piece an impact lands, and its direction, unit.
void impactPlace(const FragmentField* field, int piece, const shImpact* impact, Vec3* point, Vec3* direction);

// ---- roughness ------------------------------------------------------------------------------------------------------

// Smooth noise, each component within −1 … 1, changing over distances of about 1: interpolated between the corners of a
// lattice. A table of corners changes no bit of it.
typedef struct Noise {
    uint64_t seed;
    int64_t lower[3];
    int size[3];    // corners of the table
    DVec3* corners; // null: none
} Noise;

// Makes a table for all points of a box if it has no more than `most` corners. False: no memory.
bool noiseTable(Noise* noise, Memory* memory, shBox box, int most);
void noiseFree(Noise* noise, Memory* memory);
Vec3 smoothNoise(const Noise* noise, Vec3 p);

// ---- crumbs ---------------------------------------------------------------------------------------------------------

// Makes labels unique to connected parts, and joins parts of less than `smallest` (m³) to the neighbour with which they
// share most edges, the smallest first. `labels` is by node of the mesh. False when memory runs out.
bool joinCrumbs(const Struck* struck, double smallest, int* labels);

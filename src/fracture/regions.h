// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Level sets of all regions of a pattern on one grid. A sample lists the regions whose surface is within the band, or
// around it: one inside a region, a few at walls. What is not listed is at least the band away.
#pragma once

#include "core/context.h"
#include "core/vec.h"
#include "sherd/regions.h"
#include "solid/image.h"

enum {
    REGIONS_VERSION = 2,    // of the chunks below; raise it whenever one of them changes, with that of assets
    REGIONS_PER_SAMPLE = 8, // the nearest are listed: so many can meet at a corner of a cell's size and matter
};

// Chunk RGIN.
typedef struct RegionRecord {
    int32_t regionCount;
    int32_t samples[3];
    Vec3 lower;
    float cell, band, reach;
    Vec3 center, direction; // direction is unit
} RegionRecord;

// Chunk RGEN.
typedef struct RegionEntry {
    int32_t region;
    float level; // signed distance within ±band
} RegionEntry;

// Gives the block of an image back.
typedef void RegionsRelease(Memory* memory, const void* bytes, size_t size);

struct shRegions {
    shContext* context;
    Image image;
    RegionsRelease* release;
    const RegionRecord* record;
    const int* starts;          // [samples + 1] chunk RGST: a sample's entries, 1 … REGIONS_PER_SAMPLE
    const RegionEntry* entries; // of a sample from the lowest level up: the first is its owner
    int axis;                   // of the grid, nearest to the blow
    Vec3 heart;                 // in cells: the centre, or what is near it and well inside the grid
};

// Makes regions of a block, which they take over only if all is well. Checks everything, as for assets.
shStatus regionsOpen(shContext* context, const char* name, const void* bytes, size_t size, RegionsRelease* release,
                     shRegions** regions, shMessage* message);
void regionsReleaseMemory(Memory* memory, const void* bytes, size_t size);
shStatus regionsCheckDef(const shRegionsDef* def, shMessage* message);
// The same as shCreateRegions of a checked mesh and definition; regions that own no sample may be left to others.
shStatus regionsOfMesh(shContext* context, const shRegionMesh* mesh, const shRegionsDef* def, bool mayVanish,
                       shRegions** regions, shMessage* message);

static inline int regionsSample(const RegionRecord* record, int x, int y, int z)
{
    return (z * record->samples[1] + y) * record->samples[0] + x;
}

// Points below are in cells of the grid from its first sample. Beyond the grid regions go on: straight along the axis
// of the blow, across it away from the heart, so that what is narrow at the border grows and does not become a strip.

// The owner of the nearest sample: one look.
int regionsNearest(const shRegions* regions, Vec3 p);
// The region of lowest level, interpolated between eight samples.
int regionsLowest(const shRegions* regions, Vec3 p);
// By how much the region's level is below all others'; negative where another has the point.
float regionsLead(const shRegions* regions, Vec3 p, int region);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The nearest of many sites, eight at once.
#include "fracture/pattern.h"

typedef struct SiteSearch {
    F8 x, y, z;
    F8 best;   // squared distance, by lane
    I8 block;  // where it was found
    M8 again;  // lanes that met the best more than once
    float all; // the least of all lanes
} SiteSearch;

static inline void lookAt(SiteSearch* search, const SiteCells* cells, int block)
{
    const SiteBlock* sites = &cells->blocks[block];
    F8 x = f8Sub(search->x, f8Load(sites->at[0])), y = f8Sub(search->y, f8Load(sites->at[1])),
       z = f8Sub(search->z, f8Load(sites->at[2]));
    F8 distance2 = f8Add(f8Add(f8Mul(x, x), f8Mul(y, y)), f8Mul(z, z));
    M8 nearer = f8Less(distance2, search->best);
    search->again = m8Or(m8AndNot(search->again, nearer), f8Equal(distance2, search->best));
    search->best = f8Select(nearer, distance2, search->best);
    search->block = i8Select(nearer, i8Set(block), search->block);
    search->all = f8Least(search->best);
}

// The first block that is not wholly below the key.
static inline int blockOf(const SiteCells* cells, float key)
{
    int lower = 0, upper = siteBlocks(cells->count) - 1;
    while (lower < upper) {
        int middle = (lower + upper) / 2;
        if (cells->blocks[middle].at[cells->axis][7] < key)
            lower = middle + 1;
        else
            upper = middle;
    }
    return lower;
}

int SIMD_NAME(sitesNearestOne)(const SiteCells* cells, Vec3 p)
{
    int blocks = siteBlocks(cells->count), axis = cells->axis;
    if (blocks == 0)
        return -1;
    SiteSearch search = {.x = f8Set(p.x),
                         .y = f8Set(p.y),
                         .z = f8Set(p.z),
                         .best = f8Set(INFINITY),
                         .block = i8Set(0),
                         .again = m8First(0)};
    float key = vGet(p, axis);
    int first = blockOf(cells, key);
    lookAt(&search, cells, first);
    for (int b = first - 1; b >= 0; --b) {
        float below = key - cells->blocks[b].at[axis][7];
        if (below * below > search.all)
            break;
        lookAt(&search, cells, b);
    }
    for (int b = first + 1; b < blocks; ++b) {
        float above = cells->blocks[b].at[axis][0] - key;
        if (above * above > search.all)
            break;
        lookAt(&search, cells, b);
    }
    M8 nearest = f8Equal(search.best, f8Set(search.all));
    unsigned lanes = (unsigned)m8Bits(nearest);
    bool one = lanes != 0 && (lanes & (lanes - 1)) == 0 && (lanes & (unsigned)m8Bits(search.again)) == 0;
    if (!one || !(search.all < INFINITY))
        return -1;
    int block[8], lane = __builtin_ctz(lanes);
    i8Store(block, search.block);
    return 8 * block[lane] + lane;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Voronoi cells in the pattern's space. Sites are drawn from the piece itself, by volume and nearness to the impact;
// of several candidates the one farthest from the others stays, so that cells have even sizes.
#include "core/constants.h"
#include "core/trig.h"
#include "fracture/pattern.h"

#include <stdlib.h>

typedef struct Sampler {
    const Struck* struck;
    Random random;
    double* sums; // [nodeCount] running sums of weights
    double core;  // m, added to distances from the impact: cells do not get smaller further in
    double crowding;
} Sampler;

// The width of cells at a place, of any unit. Beyond the radius it does not grow any more.
static double widthAt(const Sampler* sampler, Vec3 p)
{
    const Struck* struck = sampler->struck;
    if (sampler->crowding == 0.0)
        return 1.0;
    double far = dDistance(dFromV(p), dFromV(struck->point));
    if (struck->radius > 0.0f)
        far = minD(far, (double)struck->radius);
    return trigPow(far + sampler->core, sampler->crowding / 3.0);
}

// A point near a node drawn by weight, in one of its tetrahedra.
static Vec3 drawPoint(Sampler* sampler)
{
    const Struck* struck = sampler->struck;
    double wanted = randomDouble(&sampler->random) * sampler->sums[struck->nodeCount - 1];
    int lower = 0, upper = struck->nodeCount - 1;
    while (lower < upper) {
        int middle = (lower + upper) / 2;
        if (sampler->sums[middle] > wanted)
            upper = middle;
        else
            lower = middle + 1;
    }
    int node = struckNode(struck, lower);
    const TetTopology* topology = struck->field->rest->topology;
    const TetMesh* mesh = struck->field->rest->mesh;
    int first = topology->nodeTetStart[node], count = topology->nodeTetStart[node + 1] - first;
    const int* tet = mesh->tets[topology->nodeTets[first + randomBelow(&sampler->random, count)]];
    Vec3 origin = mesh->nodes[node], p = origin;
    for (int k = 0; k < 4; ++k)
        p = vMad(p, randomFloat(&sampler->random) / 3.0f, vSub(mesh->nodes[tet[k]], origin));
    return p;
}

typedef struct Site {
    Vec3 p; // in pattern space
    float key;
    bool reached;
} Site;

// Equal keys are told apart by all the rest; sites that are equal in everything may stand in any order.
static int compareSites(const void* a, const void* b)
{
    const Site *s = a, *t = b;
    const float left[4] = {s->key, s->p.x, s->p.y, s->p.z}, right[4] = {t->key, t->p.x, t->p.y, t->p.z};
    for (int k = 0; k < 4; ++k)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return (int)s->reached - (int)t->reached;
}

// Draws sites until `wanted` of them are within the radius; those beyond it bound the outer cells.
static int drawSites(Sampler* sampler, const PatternFrame* frame, int wanted, Vec3* sites, bool* within, int capacity)
{
    const Struck* struck = sampler->struck;
    int candidates = minI(SITE_CANDIDATES, 1 + SITE_COMPARISONS / wanted);
    int count = 0, reached = 0;
    while (reached < wanted && count < capacity) {
        double best = -1.0;
        for (int c = 0; c < candidates; ++c) {
            Vec3 place = drawPoint(sampler), p = frameApply(frame, place);
            float nearest2 = INFINITY;
            for (int s = 0; s < count; ++s)
                nearest2 = minF(nearest2, vDistance2(p, sites[s]));
            double width = widthAt(sampler, place);
            double score = (double)nearest2 / (width * width);
            if (score > best) {
                best = score;
                sites[count] = p;
                within[count] = struck->radius == 0.0f || vDistance(place, struck->point) < struck->radius;
            }
        }
        reached += within[count++];
    }
    return count;
}

bool sitesOf(SiteCells* cells, Memory* memory, const Vec3* points, const bool* reached, int count)
{
    *cells = (SiteCells){.count = count,
                         .sites = NEW_ARRAY(memory, Vec3, count),
                         .reached = NEW_ARRAY(memory, bool, count),
                         .blocks = NEW_ARRAY(memory, SiteBlock, siteBlocks(count))};
    Site* sites = NEW_ARRAY(memory, Site, count);
    bool enough =
        count == 0 || (cells->sites != NULL && cells->reached != NULL && cells->blocks != NULL && sites != NULL);
    if (enough) {
        shBox box = boxEmpty();
        for (int s = 0; s < count; ++s)
            box = boxAdd(box, points[s]);
        cells->axis = count > 0 ? dLargestAxis(dFromV(boxSize(box))) : 0;
        for (int s = 0; s < count; ++s)
            sites[s] = (Site){points[s], vGet(points[s], cells->axis), reached == NULL || reached[s]};
        if (count > 0)
            qsort(sites, (size_t)count, sizeof(Site), compareSites);
        for (int s = 0; s < count; ++s) {
            cells->sites[s] = sites[s].p;
            cells->reached[s] = sites[s].reached;
        }
        for (int s = 0; s < 8 * siteBlocks(count); ++s)
            for (int k = 0; k < 3; ++k)
                cells->blocks[s / 8].at[k][s % 8] = s < count ? vGet(sites[s].p, k) : INFINITY;
    }
    FREE_ARRAY(memory, sites, count);
    if (!enough)
        sitesFree(cells, memory);
    return enough;
}

bool sitesMake(SiteCells* cells, const Struck* struck, const PatternFrame* frame, const shPattern* pattern,
               double crowding)
{
    Memory* memory = struck->memory;
    Sampler sampler = {struck, randomSeed(pattern->seed), NEW_ARRAY(memory, double, struck->nodeCount), 0.0, crowding};
    double outside = SITE_OUTSIDE * (double)(pattern->aspect * pattern->aspect);
    int capacity = pattern->pieces;
    if (struck->radius > 0.0f)
        capacity = maxI(capacity, (int)minD(outside * pattern->pieces, MAX_SITES));
    Vec3* sites = NEW_ARRAY(memory, Vec3, capacity);
    bool* within = NEW_ARRAY(memory, bool, capacity);
    *cells = (SiteCells){0};
    bool enough = sampler.sums != NULL && sites != NULL && within != NULL;
    if (enough) {
        double reach = 0.0, sum = 0.0;
        for (int i = 0; i < struck->nodeCount; ++i)
            reach = maxD(reach, (double)vDistance(struckPlace(struck, i), struck->point));
        if (struck->radius > 0.0f)
            reach = minD(reach, (double)struck->radius);
        sampler.core = maxD(CLUSTER_CORE * reach * (double)struck->scale, 0.5 * (double)struck->spacing);
        // Outer cells end at sites beyond the radius: farther away the longer cells are.
        double margin = SITE_MARGIN * (double)struck->radius + (double)struck->spacing;
        double longer = 1.0 / maxD(1.0, frame->stretch);
        for (int i = 0; i < struck->nodeCount; ++i) {
            Vec3 p = struckPlace(struck, i);
            double width = widthAt(&sampler, p), away = longer * (double)vLength(frameApply(frame, p));
            bool near = struck->radius == 0.0f || away < margin;
            sampler.sums[i] = sum += near ? struck->volumes[i] / (width * width * width) : 0.0;
        }
        int count = drawSites(&sampler, frame, pattern->pieces, sites, within, capacity);
        enough = sitesOf(cells, memory, sites, within, count);
    }
    FREE_ARRAY(memory, sampler.sums, struck->nodeCount);
    FREE_ARRAY(memory, sites, capacity);
    FREE_ARRAY(memory, within, capacity);
    return enough;
}

void sitesFree(SiteCells* cells, Memory* memory)
{
    FREE_ARRAY(memory, cells->sites, cells->count);
    FREE_ARRAY(memory, cells->reached, cells->count);
    FREE_ARRAY(memory, cells->blocks, siteBlocks(cells->count));
    *cells = (SiteCells){0};
}

// From the place of p in the sorted order outwards, until the coordinate alone is too far. Of equals the first on that
// way counts.
int sitesNearest(const SiteCells* cells, Vec3 p)
{
    int one = SIMD_CHOOSE(sitesNearestOne)(cells, p);
    if (one >= 0)
        return one;
    float key = vGet(p, cells->axis), best = INFINITY;
    int lower = 0, upper = cells->count, nearest = 0;
    while (lower < upper) {
        int middle = (lower + upper) / 2;
        if (vGet(cells->sites[middle], cells->axis) < key)
            lower = middle + 1;
        else
            upper = middle;
    }
    int down = lower - 1, up = lower;
    while (down >= 0 || up < cells->count) {
        float below = down >= 0 ? key - vGet(cells->sites[down], cells->axis) : INFINITY;
        float above = up < cells->count ? vGet(cells->sites[up], cells->axis) - key : INFINITY;
        float step = minF(below, above);
        if (step * step > best)
            break;
        int s = below < above ? down-- : up++;
        float d2 = vDistance2(p, cells->sites[s]);
        if (d2 < best) {
            best = d2;
            nearest = s;
        }
    }
    return nearest;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/sharp_edges.h"

#include "core/constants.h"
#include "core/sort.h"

#include <stdlib.h>
#include <string.h>

// Two triangles side by side on the surface, as long as they are all that share the edge between them.
typedef struct EdgeSide {
    int ends[2];      // vertices, as the first triangle runs along them
    int corners[2];   // 4 · triangle + the corner where each of the two begins to run along the edge; -1: not yet
    int next;         // of the sides with the same lower vertex
    bool isUnmatched; // more than two triangles, or two that do not run against each other
} EdgeSide;

// A convex edge between two triangles that bend, and the outward normals there.
typedef struct EdgeFold {
    int ends[2];     // vertices; the first triangle runs from the first to the second
    Vec3 normals[2]; // of the triangle that runs along it, and of the other; unit
    int next[2];     // of the folds at its ends
    bool merged;     // into a chain, of which it may be the one that stands for all
    bool isGone;     // into that of another, or too light
    float bend;      // tangent of half the angle between the two
    float weight;    // m, how deep something gets in before a sample shows it
} EdgeFold;

enum { cornerSlots = 8 * edgesMost }; // four times as many as ends

bool edgeScratchMake(EdgeScratch* scratch, Memory* memory, int most)
{
    *scratch = (EdgeScratch){.most = most,
                             .normals = NEW_ARRAY(memory, Vec3, most),
                             .sides = NEW_ARRAY(memory, EdgeSide, 3 * most),
                             .folds = NEW_ARRAY(memory, EdgeFold, 3 * most / 2 + 1),
                             .weights = NEW_ARRAY(memory, float, 3 * most / 2 + 1),
                             .first = NEW_ARRAY(memory, int, 3 * most),
                             .cornerTable = NEW_ARRAY(memory, int, cornerSlots)};
    if (scratch->normals != NULL && scratch->sides != NULL && scratch->folds != NULL && scratch->weights != NULL &&
        scratch->first != NULL && scratch->cornerTable != NULL)
        return true;
    edgeScratchFree(scratch, memory);
    return false;
}

void edgeScratchFree(EdgeScratch* scratch, Memory* memory)
{
    int most = scratch->most;
    FREE_ARRAY(memory, scratch->normals, most);
    FREE_ARRAY(memory, scratch->sides, 3 * most);
    FREE_ARRAY(memory, scratch->folds, 3 * most / 2 + 1);
    FREE_ARRAY(memory, scratch->weights, 3 * most / 2 + 1);
    FREE_ARRAY(memory, scratch->first, 3 * most);
    FREE_ARRAY(memory, scratch->cornerTable, cornerSlots);
    *scratch = (EdgeScratch){0};
}

// ---- sides and folds ------------------------------------------------------------------------------------------------

// Sides by the first triangle that has them. There are about three at a vertex that has the lower number.
static int findSides(EdgeScratch* scratch, const PieceSurface* surface)
{
    int found = 0;
    memset(scratch->first, -1, sizeof(int) * (size_t)surface->vertexCount);
    for (int t = 0; t < surface->count; ++t) {
        const Vec3* p = surface->corners[t];
        Vec3 across = vCross(vSub(p[1], p[0]), vSub(p[2], p[0]));
        if (!(vLength2(across) > 0.0f))
            continue; // a needle has no normal; its long sides are its neighbours' edges, and lost
        scratch->normals[t] = vNormalize(across);
        for (int k = 0; k < 3; ++k) {
            int a = surface->vertices[t][k], b = surface->vertices[t][k < 2 ? k + 1 : 0];
            int low = minI(a, b), high = maxI(a, b), i = scratch->first[low];
            while (i >= 0 && maxI(scratch->sides[i].ends[0], scratch->sides[i].ends[1]) != high)
                i = scratch->sides[i].next;
            if (i < 0) {
                scratch->sides[found] = (EdgeSide){{a, b}, {4 * t + k, -1}, scratch->first[low], false};
                scratch->first[low] = found++;
            } else {
                EdgeSide* side = &scratch->sides[i];
                side->isUnmatched = side->isUnmatched || side->corners[1] >= 0 || side->ends[0] != b;
                side->corners[1] = 4 * t + k;
            }
        }
    }
    return found;
}

static float bendOf(Vec3 a, Vec3 b) { return vLength(vCross(a, b)) / maxF(1.0f + vDot(a, b), 1e-6f); }

// The sides that are convex and bend.
static int findFolds(EdgeScratch* scratch, const PieceSurface* surface, int sides)
{
    int found = 0;
    for (int i = 0; i < sides; ++i) {
        const EdgeSide* side = &scratch->sides[i];
        if (side->isUnmatched || side->corners[1] < 0)
            continue;
        int other = side->corners[1] / 4, k = side->corners[1] % 4;
        const Vec3* p = surface->corners[other];
        Vec3 normals[2] = {scratch->normals[side->corners[0] / 4], scratch->normals[other]};
        Vec3 apex = vSub(p[k > 0 ? k - 1 : 2], p[k]);
        if (!(vDot(normals[0], apex) < 0.0f))
            continue;
        float bend = bendOf(normals[0], normals[1]);
        if (bend > EDGE_BEND)
            scratch->folds[found++] =
                (EdgeFold){.ends = {side->ends[0], side->ends[1]}, .normals = {normals[0], normals[1]}, .bend = bend};
    }
    return found;
}

// ---- chains ---------------------------------------------------------------------------------------------------------

enum { chainMost = 64 }; // vertices within one

typedef struct Chain {
    int ends[2];
    Vec3 normals[2];      // sums, by length
    Vec3 units[2];        // along them
    int inner[chainMost]; // vertices within it
    int innerCount;
} Chain;

static void listFolds(EdgeScratch* scratch, const PieceSurface* surface, int folds)
{
    memset(scratch->first, -1, sizeof(int) * (size_t)surface->vertexCount);
    for (int f = folds - 1; f >= 0; --f) {
        EdgeFold* fold = &scratch->folds[f];
        for (int side = 0; side < 2; ++side) {
            fold->next[side] = scratch->first[fold->ends[side]];
            scratch->first[fold->ends[side]] = f;
        }
    }
}

static bool staysStraight(const EdgeScratch* scratch, const Chain* chain, int from, int to, int added, float tolerance)
{
    Vec3 a = scratch->places[from], d = vSub(scratch->places[to], a);
    float length2 = vLength2(d);
    for (int i = 0; i <= chain->innerCount; ++i) {
        int vertex = i < chain->innerCount ? chain->inner[i] : added;
        Vec3 ap = vSub(scratch->places[vertex], a);
        float along = vDot(ap, d);
        if (!(along > 0.0f && along < length2) || vLength2(ap) - along * along / length2 > tolerance * tolerance)
            return false;
    }
    return true;
}

// The fold that goes on from an end of a chain, as straight as it can be; −1: none does.
static int nextFold(const EdgeScratch* scratch, const Chain* chain, int side, float tolerance)
{
    int end = chain->ends[side], other = chain->ends[1 - side], best = -1;
    float most = 0.0f;
    if (chain->innerCount == chainMost)
        return -1;
    Vec3 way = vSub(scratch->places[end], scratch->places[other]);
    for (int f = scratch->first[end]; f >= 0;) {
        const EdgeFold* fold = &scratch->folds[f];
        int at = fold->ends[0] == end ? 0 : 1, far = fold->ends[1 - at];
        // It must run the same way, and its faces go on as the chain's.
        if (!fold->merged && at == 1 - side && vDot(fold->normals[0], chain->units[0]) > EDGE_SAME &&
            vDot(fold->normals[1], chain->units[1]) > EDGE_SAME) {
            Vec3 on = vSub(scratch->places[far], scratch->places[end]);
            float along = vDot(on, way) > 0.0f ? vDot(vNormalize(on), way) : 0.0f;
            if (along > most && staysStraight(scratch, chain, other, far, end, tolerance)) {
                most = along;
                best = f;
            }
        }
        f = fold->next[at];
    }
    return best;
}

static float lengthOf(const EdgeScratch* scratch, const EdgeFold* fold)
{
    return vDistance(scratch->places[fold->ends[0]], scratch->places[fold->ends[1]]);
}

static void addNormals(const EdgeScratch* scratch, Chain* chain, const EdgeFold* fold)
{
    float length = lengthOf(scratch, fold);
    for (int k = 0; k < 2; ++k) {
        chain->normals[k] = vMad(chain->normals[k], length, fold->normals[k]);
        chain->units[k] = vNormalize(chain->normals[k]);
    }
}

// Grows a chain from a fold; the fold becomes the chain, unless it weighs far less than `least`.
static void grow(EdgeScratch* scratch, int f, float tolerance, float least)
{
    EdgeFold* first = &scratch->folds[f];
    float length = lengthOf(scratch, first);
    Chain chain;
    chain.innerCount = 0;
    for (int k = 0; k < 2; ++k) {
        chain.ends[k] = first->ends[k];
        chain.normals[k] = vScale(length, first->normals[k]);
        chain.units[k] = first->normals[k];
    }
    first->merged = true;
    for (int side = 0; side < 2; ++side) {
        for (int g = nextFold(scratch, &chain, side, tolerance); g >= 0;
             g = nextFold(scratch, &chain, side, tolerance)) {
            EdgeFold* fold = &scratch->folds[g];
            fold->merged = fold->isGone = true;
            addNormals(scratch, &chain, fold);
            chain.inner[chain.innerCount++] = chain.ends[side];
            chain.ends[side] = fold->ends[side];
        }
    }
    if (chain.innerCount == 0 && length * first->bend < least) {
        first->isGone = true;
        return;
    }
    first->ends[0] = chain.ends[0];
    first->ends[1] = chain.ends[1];
    Vec3 way = vNormalize(vSub(scratch->places[chain.ends[1]], scratch->places[chain.ends[0]]));
    for (int k = 0; k < 2; ++k)
        first->normals[k] = vNormalize(vMad(chain.normals[k], -vDot(chain.normals[k], way), way));
}

// ---- all ------------------------------------------------------------------------------------------------------------

static int compareFolds(const void* a, const void* b)
{
    const EdgeFold *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->ends[0] != y->ends[0])
        return x->ends[0] < y->ends[0] ? -1 : 1;
    return x->ends[1] < y->ends[1] ? -1 : x->ends[1] > y->ends[1];
}

// The `rank`-th largest of some numbers (from 0), which are left in another order.
static float largestBut(float* values, int count, int rank)
{
    int low = 0, high = count - 1;
    while (low < high) {
        float middle = values[(low + high) / 2];
        int i = low, k = high;
        while (i <= k) {
            while (values[i] > middle)
                ++i;
            while (values[k] < middle)
                --k;
            if (i <= k) {
                float swap = values[i];
                values[i++] = values[k];
                values[k--] = swap;
            }
        }
        if (rank <= k)
            high = k;
        else if (rank >= i)
            low = i;
        else
            break;
    }
    return values[rank];
}

// Keeps the heaviest, no more than edgesMost. Where many are equally heavy, as on regular shapes, the order of all
// decides.
static int keepHeaviest(EdgeScratch* scratch, int count)
{
    EdgeFold* folds = scratch->folds;
    if (count <= edgesMost)
        return count;
    for (int f = 0; f < count; ++f)
        scratch->weights[f] = folds[f].weight;
    float least = largestBut(scratch->weights, count, edgesMost - 1);
    int heavier = 0;
    for (int f = 0; f < count; ++f) {
        if (folds[f].weight > least) {
            EdgeFold fold = folds[f];
            folds[f] = folds[heavier];
            folds[heavier++] = fold;
        }
    }
    int equal = heavier;
    for (int f = heavier; f < count; ++f) {
        if (folds[f].weight == least)
            folds[equal++] = folds[f];
    }
    if (equal > edgesMost)
        qsort(folds + heavier, (size_t)(equal - heavier), sizeof *folds, compareFolds);
    return edgesMost;
}

static unsigned cornerSlot(Vec3 p) { return pieceSurfaceHash(p) % cornerSlots; }

static void writeRow(float* rows, int room, int row, int edge, Vec3 v)
{
    float* at = rows + 3 * row * room + edge;
    at[0] = v.x, at[room] = v.y, at[2 * room] = v.z;
}

// Bits of three numbers in turn: along that order neighbours in space are mostly neighbours.
static uint32_t spread(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

static Vec3 middleOf(const EdgeScratch* scratch, const EdgeFold* fold)
{
    return vScale(0.5f, vAdd(scratch->places[fold->ends[0]], scratch->places[fold->ends[1]]));
}

// Writes their order: the folds stay where they are.
static void sortByPlace(const EdgeScratch* scratch, int count, int order[edgesMost])
{
    uint64_t keys[2 * edgesMost];
    shBox box = boxEmpty();
    for (int f = 0; f < count; ++f)
        box = boxAdd(box, middleOf(scratch, &scratch->folds[f]));
    Vec3 size = boxSize(box);
    float scale = 1023.0f / maxF(maxF(size.x, maxF(size.y, size.z)), 1e-30f);
    for (int f = 0; f < count; ++f) {
        Vec3 at = vScale(scale, vSub(middleOf(scratch, &scratch->folds[f]), box.lower));
        uint32_t place = spread((uint32_t)at.x) | spread((uint32_t)at.y) << 1 | spread((uint32_t)at.z) << 2;
        keys[f] = (uint64_t)place << 32 | (uint32_t)f;
    }
    sortUpperKeys(keys, keys + edgesMost, count);
    // At one place the heavier ones come first.
    for (int i = 0; i < count; ++i) {
        int fold = (int)(uint32_t)keys[i], at = i;
        for (; at > 0 && keys[at - 1] >> 32 == keys[i] >> 32 &&
               compareFolds(&scratch->folds[order[at - 1]], &scratch->folds[fold]) > 0;
             --at)
            order[at] = order[at - 1];
        order[at] = fold;
    }
}

void edgesBound(float* rows, int count)
{
    EdgeSet set = {rows, count, edgeRoom(count)};
    int blocks = edgeBlockRoom(set.room);
    float* spheres = rows + edgeRows * set.room;
    for (int block = 0; block < blocks; ++block) {
        int first = 8 * block, end = minI(first + 8, count);
        shBox box = boxEmpty();
        for (int i = first; i < end; ++i)
            box = boxAdd(boxAdd(box, edgeStart(&set, i)), edgeEnd(&set, i));
        bool some = first < count;
        Vec3 centre = some ? boxCenter(box) : vec3(0.0f, 0.0f, 0.0f);
        float radius = some ? 0.0f : -INFINITY;
        for (int i = first; i < end; ++i)
            radius = maxF(radius, maxF(vDistance(centre, edgeStart(&set, i)), vDistance(centre, edgeEnd(&set, i))));
        spheres[block] = centre.x, spheres[blocks + block] = centre.y, spheres[2 * blocks + block] = centre.z;
        spheres[3 * blocks + block] = some ? radius * (1.0f + ROUNDING) : radius;
    }
}

int edgesFind(EdgeScratch* scratch, const PieceSurface* surface, float radius, float* rows)
{
    int folds = findFolds(scratch, surface, findSides(scratch, surface)), kept = 0, order[edgesMost];
    scratch->places = surface->places;
    listFolds(scratch, surface, folds);
    for (int f = 0; f < folds; ++f) {
        if (!scratch->folds[f].merged)
            grow(scratch, f, EDGE_STRAIGHT * radius, EDGE_HIDDEN * radius); // half of what counts
    }
    for (int f = 0; f < folds; ++f) {
        EdgeFold* fold = &scratch->folds[f];
        if (fold->isGone)
            continue;
        float length = lengthOf(scratch, fold);
        fold->weight = 0.5f * length * bendOf(fold->normals[0], fold->normals[1]);
        if (fold->weight > EDGE_HIDDEN * radius && length > 0.0f)
            scratch->folds[kept++] = *fold;
    }
    kept = keepHeaviest(scratch, kept);
    sortByPlace(scratch, kept, order);
    int room = edgeRoom(kept);
    for (int i = 0; i < room; ++i) {
        Vec3 none = {NAN, NAN, NAN};
        if (i >= kept) {
            for (int row = 0; row < 4; ++row)
                writeRow(rows, room, row, i, none);
            continue;
        }
        const EdgeFold* fold = &scratch->folds[order[i]];
        Vec3 a = scratch->places[fold->ends[0]], b = scratch->places[fold->ends[1]];
        // The first face lies to the left of the edge as seen from outside, the second to the right.
        Vec3 way = vNormalize(vSub(b, a));
        writeRow(rows, room, 0, i, a);
        writeRow(rows, room, 1, i, b);
        writeRow(rows, room, 2, i, vCross(way, fold->normals[0]));
        writeRow(rows, room, 3, i, vCross(fold->normals[1], way));
    }
    edgesBound(rows, kept);
    for (int i = 0; i < room; ++i)
        rows[12 * room + i] = i < kept ? (float)(edgeStartCorner | edgeEndCorner) : 0.0f;
    for (int i = 0; i < cornerSlots; ++i)
        scratch->cornerTable[i] = -1;
    EdgeSet set = {rows, kept, room};
    for (int end = 0; end < 2 * kept; ++end) {
        unsigned at = cornerSlot(edgeRow(&set, end % 2, end / 2));
        while (scratch->cornerTable[at] >= 0)
            at = (at + 1) % cornerSlots;
        scratch->cornerTable[at] = end;
    }
    return kept;
}

void edgesTellSample(const EdgeScratch* scratch, float* rows, int count, Vec3 sample)
{
    EdgeSet set = {rows, count, edgeRoom(count)};
    for (unsigned at = cornerSlot(sample); scratch->cornerTable[at] >= 0; at = (at + 1) % cornerSlots) {
        int end = scratch->cornerTable[at];
        Vec3 p = edgeRow(&set, end % 2, end / 2);
        float* corners = rows + 12 * set.room + end / 2;
        if (p.x == sample.x && p.y == sample.y && p.z == sample.z)
            *corners =
                (float)((unsigned)*corners & ~(end % 2 == 0 ? (unsigned)edgeStartCorner : (unsigned)edgeEndCorner));
    }
}

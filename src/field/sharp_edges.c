// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/sharp_edges.h"

#include "core/constants.h"

#include <stdlib.h>
#include <string.h>

// An edge between two triangles, and the outward normals there.
typedef struct EdgeFold {
    int ends[2];     // vertices; the first triangle runs from the first to the second
    Vec3 normals[2]; // of the triangle that runs along it, and of the other; unit
    int triangles;   // seen so far
    int apex;        // vertex of the first triangle that is not on it
    int next[2];     // of the folds at its ends
    bool sharp, merged;
    float weight; // m, how deep something gets in before a sample shows it
    uint32_t place;
} EdgeFold;

enum { cornerSlots = 8 * edgesMost }; // four times as many as ends

// Of a hash table with room for all corners of so many triangles, twice.
static int tableSize(int triangles)
{
    int size = 16;
    while (size < 6 * triangles)
        size *= 2;
    return size;
}

bool edgeScratchMake(EdgeScratch* scratch, Memory* memory, int most)
{
    int size = tableSize(most);
    *scratch = (EdgeScratch){.most = most};
    scratch->corners = (Vec3(*)[3])NEW_ARRAY(memory, Vec3, 3 * most);
    scratch->folds = NEW_ARRAY(memory, EdgeFold, 3 * most);
    scratch->vertices = NEW_ARRAY(memory, int, 3 * most);
    scratch->table = NEW_ARRAY(memory, int, size);
    scratch->firstFold = NEW_ARRAY(memory, int, 3 * most);
    scratch->places = NEW_ARRAY(memory, Vec3, 3 * most);
    scratch->cornerTable = NEW_ARRAY(memory, int, cornerSlots);
    if (scratch->cornerTable != NULL && scratch->corners != NULL && scratch->folds != NULL &&
        scratch->vertices != NULL && scratch->table != NULL && scratch->firstFold != NULL && scratch->places != NULL)
        return true;
    edgeScratchFree(scratch, memory);
    return false;
}

void edgeScratchFree(EdgeScratch* scratch, Memory* memory)
{
    int most = scratch->most, size = tableSize(most);
    FREE_ARRAY(memory, (Vec3*)scratch->corners, 3 * most);
    FREE_ARRAY(memory, scratch->folds, 3 * most);
    FREE_ARRAY(memory, scratch->vertices, 3 * most);
    FREE_ARRAY(memory, scratch->table, size);
    FREE_ARRAY(memory, scratch->firstFold, 3 * most);
    FREE_ARRAY(memory, scratch->places, 3 * most);
    FREE_ARRAY(memory, scratch->cornerTable, cornerSlots);
    *scratch = (EdgeScratch){0};
}

// ---- vertices and folds ---------------------------------------------------------------------------------------------

static uint32_t mix(uint32_t h, uint32_t x)
{
    h = (h ^ x) * 0x9e3779b1u;
    return h ^ h >> 15;
}

static uint32_t bitsOf(float x)
{
    uint32_t bits;
    x += 0.0f; // −0 is 0
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Corners at one place, to the bit, are one vertex: neighbours share the bits of what they share.
static int findVertices(EdgeScratch* scratch, int count)
{
    unsigned mask = (unsigned)tableSize(count) - 1u;
    int found = 0;
    memset(scratch->table, -1, sizeof(int) * ((size_t)mask + 1));
    for (int i = 0; i < 3 * count; ++i) {
        Vec3 p = scratch->corners[i / 3][i % 3];
        unsigned at = mix(mix(mix(0, bitsOf(p.x)), bitsOf(p.y)), bitsOf(p.z)) & mask;
        while (scratch->table[at] >= 0) {
            Vec3 q = scratch->places[scratch->table[at]];
            if (p.x == q.x && p.y == q.y && p.z == q.z)
                break;
            at = (at + 1) & mask;
        }
        if (scratch->table[at] < 0) {
            scratch->table[at] = found;
            scratch->places[found++] = p;
        }
        scratch->vertices[i] = scratch->table[at];
    }
    return found;
}

static int findFolds(EdgeScratch* scratch, int count)
{
    unsigned mask = (unsigned)tableSize(count) - 1u;
    int found = 0;
    memset(scratch->table, -1, sizeof(int) * ((size_t)mask + 1));
    for (int t = 0; t < count; ++t) {
        const Vec3* p = scratch->corners[t];
        Vec3 across = vCross(vSub(p[1], p[0]), vSub(p[2], p[0]));
        if (!(vLength2(across) > 0.0f))
            continue; // a needle has no normal; its long sides are its neighbours' edges, and lost
        Vec3 normal = vNormalize(across);
        for (int k = 0; k < 3; ++k) {
            int a = scratch->vertices[3 * t + k], b = scratch->vertices[3 * t + (k + 1) % 3];
            int low = minI(a, b), high = maxI(a, b);
            unsigned at = mix(mix(0, (uint32_t)low), (uint32_t)high) & mask;
            for (; scratch->table[at] >= 0; at = (at + 1) & mask) {
                const EdgeFold* fold = &scratch->folds[scratch->table[at]];
                if (minI(fold->ends[0], fold->ends[1]) == low && maxI(fold->ends[0], fold->ends[1]) == high)
                    break;
            }
            if (scratch->table[at] < 0) {
                scratch->table[at] = found;
                scratch->folds[found++] = (EdgeFold){.ends = {a, b},
                                                     .normals = {normal},
                                                     .triangles = 1,
                                                     .apex = scratch->vertices[3 * t + (k + 2) % 3]};
                continue;
            }
            EdgeFold* fold = &scratch->folds[scratch->table[at]];
            if (++fold->triangles == 2 && fold->ends[0] == b) { // else the two do not run against each other
                fold->normals[1] = normal;
                Vec3 apex = vSub(p[(k + 2) % 3], p[k]);
                float dot = vDot(fold->normals[0], normal);
                float bend = vLength(vCross(fold->normals[0], normal)) / maxF(1.0f + dot, 1e-6f);
                fold->sharp = vDot(fold->normals[0], apex) < 0.0f && bend > EDGE_BEND;
            } else {
                fold->sharp = false;
            }
        }
    }
    return found;
}

// ---- chains ---------------------------------------------------------------------------------------------------------

enum { chainMost = 64 }; // vertices within one

typedef struct Chain {
    int ends[2];
    Vec3 normals[2];      // sums, by length
    int inner[chainMost]; // vertices within it
    int innerCount;
} Chain;

static void listFolds(EdgeScratch* scratch, int folds, int vertices)
{
    for (int v = 0; v < vertices; ++v)
        scratch->firstFold[v] = -1;
    for (int f = folds - 1; f >= 0; --f) {
        EdgeFold* fold = &scratch->folds[f];
        fold->merged = false;
        for (int side = 0; fold->sharp && side < 2; ++side) {
            fold->next[side] = scratch->firstFold[fold->ends[side]];
            scratch->firstFold[fold->ends[side]] = f;
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
    Vec3 n0 = vNormalize(chain->normals[0]), n1 = vNormalize(chain->normals[1]);
    Vec3 way = vSub(scratch->places[end], scratch->places[other]);
    for (int f = scratch->firstFold[end]; f >= 0;) {
        const EdgeFold* fold = &scratch->folds[f];
        int at = fold->ends[0] == end ? 0 : 1, far = fold->ends[1 - at];
        // It must run the same way, and its faces go on as the chain's.
        if (!fold->merged && at == 1 - side && vDot(fold->normals[0], n0) > EDGE_SAME &&
            vDot(fold->normals[1], n1) > EDGE_SAME && chain->innerCount < chainMost) {
            float along = vDot(vNormalize(vSub(scratch->places[far], scratch->places[end])), way);
            if (along > most && staysStraight(scratch, chain, other, far, end, tolerance)) {
                most = along;
                best = f;
            }
        }
        f = fold->next[at];
    }
    return best;
}

static void addNormals(const EdgeScratch* scratch, Chain* chain, const EdgeFold* fold)
{
    float length = vDistance(scratch->places[fold->ends[0]], scratch->places[fold->ends[1]]);
    for (int k = 0; k < 2; ++k)
        chain->normals[k] = vMad(chain->normals[k], length, fold->normals[k]);
}

// Grows a chain from a fold; the fold becomes the chain.
static void grow(EdgeScratch* scratch, int f, float tolerance)
{
    EdgeFold* first = &scratch->folds[f];
    Chain chain = {.ends = {first->ends[0], first->ends[1]}};
    addNormals(scratch, &chain, first);
    first->merged = true;
    for (int side = 0; side < 2; ++side) {
        for (int g = nextFold(scratch, &chain, side, tolerance); g >= 0;
             g = nextFold(scratch, &chain, side, tolerance)) {
            EdgeFold* fold = &scratch->folds[g];
            fold->merged = true;
            fold->sharp = false;
            addNormals(scratch, &chain, fold);
            chain.inner[chain.innerCount++] = chain.ends[side];
            chain.ends[side] = fold->ends[side];
        }
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

static unsigned cornerSlot(Vec3 p) { return mix(mix(mix(0, bitsOf(p.x)), bitsOf(p.y)), bitsOf(p.z)) % cornerSlots; }

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

static int comparePlaces(const void* a, const void* b)
{
    const EdgeFold *x = a, *y = b;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : compareFolds(a, b);
}

static void sortByPlace(EdgeScratch* scratch, int count)
{
    shBox box = boxEmpty();
    for (int f = 0; f < count; ++f)
        box = boxAdd(box, middleOf(scratch, &scratch->folds[f]));
    Vec3 size = boxSize(box);
    float scale = 1023.0f / maxF(maxF(size.x, maxF(size.y, size.z)), 1e-30f);
    for (int f = 0; f < count; ++f) {
        Vec3 at = vScale(scale, vSub(middleOf(scratch, &scratch->folds[f]), box.lower));
        scratch->folds[f].place = spread((uint32_t)at.x) | spread((uint32_t)at.y) << 1 | spread((uint32_t)at.z) << 2;
    }
    qsort(scratch->folds, (size_t)count, sizeof(EdgeFold), comparePlaces);
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

int edgesFind(EdgeScratch* scratch, int count, float radius, float* rows)
{
    int vertices = findVertices(scratch, count), folds = findFolds(scratch, count), kept = 0;
    listFolds(scratch, folds, vertices);
    for (int f = 0; f < folds; ++f) {
        if (scratch->folds[f].sharp && !scratch->folds[f].merged)
            grow(scratch, f, EDGE_STRAIGHT * radius);
    }
    for (int f = 0; f < folds; ++f) {
        EdgeFold* fold = &scratch->folds[f];
        if (!fold->sharp)
            continue;
        float length = vDistance(scratch->places[fold->ends[0]], scratch->places[fold->ends[1]]);
        float dot = vDot(fold->normals[0], fold->normals[1]);
        float bend = vLength(vCross(fold->normals[0], fold->normals[1])) / maxF(1.0f + dot, 1e-6f);
        fold->weight = 0.5f * length * bend;
        if (fold->weight > EDGE_HIDDEN * radius && length > 0.0f)
            scratch->folds[kept++] = *fold;
    }
    qsort(scratch->folds, (size_t)kept, sizeof(EdgeFold), compareFolds);
    kept = minI(kept, edgesMost);
    sortByPlace(scratch, kept);
    int room = edgeRoom(kept);
    for (int i = 0; i < room; ++i) {
        Vec3 none = {NAN, NAN, NAN};
        if (i >= kept) {
            for (int row = 0; row < 4; ++row)
                writeRow(rows, room, row, i, none);
            continue;
        }
        const EdgeFold* fold = &scratch->folds[i];
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

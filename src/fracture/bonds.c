// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bonds: which pieces lie side by side, and along how much crack.
#include "core/constants.h"
#include "core/message.h"
#include "fracture/motion.h"
#include "fracture/walls.h"
#include "sherd/support.h"
#include "solid/solid.h"

#include <float.h>
#include <stdlib.h>

// Part of a bond: the cracks between two pieces in one tetrahedron.
typedef struct WallSum {
    int a, b;
    int order; // of finding, so that sums are taken in one order
    double area;
    DVec3 facing; // area along the normal from a to b
    DVec3 moment; // area · centroid
} WallSum;

typedef struct Gathering {
    const FragmentField* field;
    const bool* wanted; // by piece; null: all
    int first;          // sum of the tetrahedron at hand
    bool failed;
    ARRAY(WallSum) sums;
} Gathering;

static bool isWanted(const Gathering* gathering, int piece)
{
    return gathering->wanted != NULL ? gathering->wanted[piece] : fieldHasPiece(gathering->field, piece);
}

static void gatherWall(int a, int b, const Vec3 corners[3], void* user)
{
    Gathering* gathering = user;
    int pieces[2] = {gathering->field->labels[a], gathering->field->labels[b]};
    if (!isWanted(gathering, pieces[0]) || !isWanted(gathering, pieces[1]))
        return;
    int turned = pieces[0] > pieces[1], low = pieces[turned], high = pieces[1 - turned], i = gathering->first;
    while (i < gathering->sums.count && (gathering->sums.data[i].a != low || gathering->sums.data[i].b != high))
        ++i;
    if (i == gathering->sums.count) {
        if (!arrayReserve(gathering->field->memory, &gathering->sums, i + 1)) {
            gathering->failed = true;
            return;
        }
        gathering->sums.data[gathering->sums.count++] = (WallSum){.a = low, .b = high, .order = i};
    }
    WallSum* sum = &gathering->sums.data[i];
    DVec3 facing = triangleArea(corners);
    DVec3 middle = dAdd(dAdd(dFromV(corners[0]), dFromV(corners[1])), dFromV(corners[2]));
    double area = dLength(facing);
    sum->area += area;
    sum->facing = dMad(sum->facing, turned ? -1.0 : 1.0, facing);
    sum->moment = dMad(sum->moment, area / 3.0, middle);
}

static void gatherTet(Gathering* gathering, int tet)
{
    gathering->first = gathering->sums.count;
    wallsOfTet(gathering->field, tet, 0, gatherWall, gathering);
}

// The cut tetrahedra of a piece that no wanted piece of an earlier corner has dealt with.
static void gatherPiece(Gathering* gathering, int piece)
{
    const FragmentField* field = gathering->field;
    const TetTopology* topology = field->rest->topology;
    const Piece* range = &field->pieces.data[piece];
    for (int i = range->first; i < range->first + range->count; ++i) {
        int node = field->nodeOrder[i];
        for (int k = topology->nodeTetStart[node]; k < topology->nodeTetStart[node + 1]; ++k) {
            int tet = topology->nodeTets[k], corner = 0;
            if (field->tetCuts[tet] < 0)
                continue;
            while (!gathering->wanted[field->labels[field->rest->mesh->tets[tet][corner]]])
                ++corner;
            if (field->rest->mesh->tets[tet][corner] == node)
                gatherTet(gathering, tet);
        }
    }
}

static int compareSums(const void* left, const void* right)
{
    const WallSum *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

// Adds up sorted sums in place; returns how many are left.
static int mergeSums(WallSum* sums, int count)
{
    int merged = 0;
    for (int i = 0; i < count; ++i) {
        WallSum* last = merged > 0 ? &sums[merged - 1] : NULL;
        if (last == NULL || last->a != sums[i].a || last->b != sums[i].b) {
            sums[merged++] = sums[i];
            continue;
        }
        last->area += sums[i].area;
        last->facing = dAdd(last->facing, sums[i].facing);
        last->moment = dAdd(last->moment, sums[i].moment);
    }
    return merged;
}

static shStatus gather(Gathering* gathering, const int* pieces, int pieceCount, shMessage* message)
{
    const FragmentField* field = gathering->field;
    Memory* memory = field->memory;
    if (pieces == NULL) {
        for (int i = 0; i < field->cutTets.count; ++i)
            gatherTet(gathering, field->cutTets.data[i].tet);
        return gathering->failed ? failMemory(message) : shOk;
    }
    bool* wanted = NEW_ZEROED(memory, bool, field->pieces.count);
    if (wanted == NULL)
        return failMemory(message);
    for (int i = 0; i < pieceCount; ++i)
        wanted[pieces[i]] = true;
    gathering->wanted = wanted;
    for (int p = 0; p < field->pieces.count; ++p)
        if (wanted[p])
            gatherPiece(gathering, p);
    FREE_ARRAY(memory, wanted, field->pieces.count);
    return gathering->failed ? failMemory(message) : shOk;
}

shStatus shSolid_CreateBonds(const shSolid* solid, const int* pieces, int pieceCount, shBonds* bonds,
                             shMessage* message)
{
    if (solid == NULL || bonds == NULL)
        return fail(message, shInvalid, "bonds: solid and bonds must not be null");
    *bonds = (shBonds){0};
    for (int i = 0; pieces != NULL && i < pieceCount; ++i)
        if (!fieldHasPiece(&solid->field, pieces[i]))
            return fail(message, shInvalid, "bonds: the solid has no piece %d", pieces[i]);
    if (solid->field.labels == NULL)
        return shOk;
    Memory* memory = solid->field.memory;
    Gathering gathering = {.field = &solid->field};
    shStatus status = gather(&gathering, pieces, pieceCount, message);
    if (status == shOk && gathering.sums.count > 0) {
        WallSum* sums = gathering.sums.data;
        qsort(sums, (size_t)gathering.sums.count, sizeof(WallSum), compareSums);
        int count = mergeSums(sums, gathering.sums.count);
        bonds->data = NEW_ARRAY(memory, shBond, count);
        bonds->count = bonds->data != NULL ? count : 0;
        status = bonds->data != NULL ? shOk : failMemory(message);
        for (int i = 0; i < bonds->count; ++i) {
            bonds->data[i] = (shBond){.a = sums[i].a, .b = sums[i].b, .area = sums[i].area};
            dPut(dScale(1.0 / maxD(sums[i].area, DBL_MIN), sums[i].moment), bonds->data[i].centroid);
            if (dLength(sums[i].facing) > BOND_CLOSED * sums[i].area)
                dPut(dNormalize(sums[i].facing), bonds->data[i].normal);
        }
    }
    arrayFree(memory, &gathering.sums);
    return status;
}

void shSolid_DestroyBonds(const shSolid* solid, shBonds* bonds)
{
    FREE_ARRAY(solid->field.memory, bonds->data, bonds->count);
    *bonds = (shBonds){0};
}

double shBreakBonds(shBonds* bonds, shVec3 point, double toughness, double energy)
{
    double spent = 0.0, reached = -1.0;
    int last = -1; // bonds are taken in the order of distance, then index; up to here they are dealt with
    for (;;) {
        int next = -1;
        double nearest = INFINITY;
        for (int i = 0; i < bonds->count; ++i) {
            double distance = dDistance(dOf(bonds->data[i].centroid), dFromV(point));
            bool ahead = distance > reached || (distance == reached && i > last);
            if (!bonds->data[i].broken && ahead && distance < nearest) {
                nearest = distance;
                next = i;
            }
        }
        if (next < 0 || !(spent + toughness * bonds->data[next].area <= energy))
            return spent;
        spent += toughness * bonds->data[next].area;
        bonds->data[next].broken = true;
        reached = nearest;
        last = next;
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/slivers.h"

#include "cook/limits.h"
#include "core/message.h"
#include "mesh/adjacency.h"

#include <string.h>

#define ROUNDS 8 // each node gets that many chances; what is still flat then lies between others that cannot move
#define STEPS 6  // lengths of a step that are tried, each half of the one before

double tetHeight(DVec3 a, DVec3 b, DVec3 c, DVec3 d)
{
    DVec3 p[4] = {a, b, c, d};
    double area = 0.0;
    for (int k = 0; k < 4; ++k) {
        DVec3 corner = p[tetFaces[k][0]];
        area = maxD(area, dLength(dCross(dSub(p[tetFaces[k][1]], corner), dSub(p[tetFaces[k][2]], corner))));
    }
    return area > 0.0 ? dOrient(a, b, c, d) / area : 0.0;
}

typedef struct Mender {
    DVec3* nodes;
    const int (*tets)[4];
    double least; // height of a tet that will do, m
    bool* fixed;  // [nodeCount] on the boundary
    int* offsets; // [nodeCount + 1] into around
    int* around;  // tets at each node
} Mender;

static double height(const Mender* m, int tet)
{
    const int* t = m->tets[tet];
    return tetHeight(m->nodes[t[0]], m->nodes[t[1]], m->nodes[t[2]], m->nodes[t[3]]);
}

static double worstAround(const Mender* m, int node)
{
    double worst = (double)INFINITY;
    for (int i = m->offsets[node]; i < m->offsets[node + 1]; ++i)
        worst = minD(worst, height(m, m->around[i]));
    return worst;
}

static DVec3 middleAround(const Mender* m, int node)
{
    DVec3 sum = dvec3(0.0, 0.0, 0.0);
    int count = 0;
    for (int i = m->offsets[node]; i < m->offsets[node + 1]; ++i)
        for (int k = 0; k < 4; ++k)
            if (m->tets[m->around[i]][k] != node) {
                sum = dAdd(sum, m->nodes[m->tets[m->around[i]][k]]);
                ++count;
            }
    return dScale(1.0 / (double)count, sum);
}

// Steps away from the flat tet's opposite face, as far as its size for inner nodes, by next to nothing for those on the
// surface; inner nodes also try the way to the middle of their neighbours. The best place is kept.
static void moveNode(const Mender* m, int node, int tet)
{
    const int* t = m->tets[tet];
    int k = t[0] == node ? 0 : t[1] == node ? 1 : t[2] == node ? 2 : 3;
    const int* face = tetFaces[k];
    DVec3 a = m->nodes[t[face[0]]], b = m->nodes[t[face[1]]], c = m->nodes[t[face[2]]];
    DVec3 area = dCross(dSub(c, a), dSub(b, a)); // towards the node
    DVec3 away = dNormalize(area);
    bool fixed = m->fixed[node];
    double reach = fixed ? COOK_SURFACE_SHIFT * m->least : sqrt(dLength(area));
    DVec3 start = m->nodes[node], best = start, middle = fixed ? start : middleAround(m, node);
    double bestHeight = worstAround(m, node);
    for (int i = 0; i < (fixed ? STEPS : 2 * STEPS); ++i) {
        double share = 1.0 / (double)(1 << i % STEPS);
        m->nodes[node] = dFromV(vFromD(i < STEPS ? dMad(start, share * reach, away) : dLerp(start, middle, share)));
        double found = worstAround(m, node);
        if (found > bestHeight) {
            bestHeight = found;
            best = m->nodes[node];
        }
    }
    m->nodes[node] = best;
}

static int countSlivers(const Mender* m, int tetCount)
{
    int count = 0;
    for (int i = 0; i < tetCount; ++i)
        count += height(m, i) < m->least;
    return count;
}

// Which nodes lie on faces with one tet only, and which tets meet at each node.
static shStatus prepare(Mender* m, Memory* memory, int nodeCount, int tetCount, shMessage* message)
{
    int(*neighbors)[4] = memAlloc(memory, memBytes((size_t)tetCount, sizeof(*neighbors)));
    shStatus status =
        neighbors != NULL ? matchFaces(memory, tetCount, m->tets, neighbors, message) : failMemory(message);
    if (status == shOk) {
        for (int i = 0; i < tetCount; ++i)
            for (int k = 0; k < 4; ++k) {
                ++m->offsets[m->tets[i][k] + 1];
                for (int j = 0; neighbors[i][k] < 0 && j < 3; ++j)
                    m->fixed[m->tets[i][tetFaces[k][j]]] = true;
            }
        for (int i = 0; i < nodeCount; ++i)
            m->offsets[i + 1] += m->offsets[i];
        for (int i = tetCount - 1; i >= 0; --i) // backwards: counts down to where each node's list begins
            for (int k = 0; k < 4; ++k)
                m->around[--m->offsets[m->tets[i][k] + 1]] = i;
        // Now offsets[n + 1] is where n's list begins: shift them back.
        memmove(m->offsets, m->offsets + 1, (size_t)nodeCount * sizeof(m->offsets[0]));
        m->offsets[nodeCount] = 4 * tetCount;
    }
    FREE_ARRAY(memory, neighbors, tetCount);
    return status;
}

static shStatus mend(Mender* m, Memory* memory, int nodeCount, int tetCount, shMessage* message)
{
    shStatus status = prepare(m, memory, nodeCount, tetCount, message);
    if (status != shOk)
        return status;
    int left = countSlivers(m, tetCount);
    for (int round = 0; round < 2 * ROUNDS && left > 0; ++round) {
        bool surface = round >= ROUNDS; // its nodes move only when inner ones do not suffice
        for (int i = 0; i < tetCount; ++i)
            for (int k = 0; k < 4 && height(m, i) < m->least; ++k)
                if (surface || !m->fixed[m->tets[i][k]])
                    moveNode(m, m->tets[i][k], i);
        left = countSlivers(m, tetCount);
    }
    if (left > 0)
        return fail(message, shBadMesh, "%d tetrahedra of almost no volume cannot be mended", left);
    return shOk;
}

// All tets come with one orientation, whichever; the sum of volumes tells.
static void makePositive(const DVec3* nodes, int tetCount, int (*tets)[4])
{
    double volume = 0.0;
    for (int i = 0; i < tetCount; ++i)
        volume += dOrient(nodes[tets[i][0]], nodes[tets[i][1]], nodes[tets[i][2]], nodes[tets[i][3]]);
    for (int i = 0; volume < 0.0 && i < tetCount; ++i) {
        int swapped = tets[i][2];
        tets[i][2] = tets[i][3];
        tets[i][3] = swapped;
    }
}

shStatus mendSlivers(Memory* memory, int nodeCount, DVec3* nodes, int tetCount, int (*tets)[4], int* mended,
                     shMessage* message)
{
    makePositive(nodes, tetCount, tets);
    double extent = 0.0; // of the numbers: their size is what limits the places between them
    for (int i = 0; i < nodeCount; ++i) {
        nodes[i] = dFromV(vFromD(nodes[i]));
        extent = maxD(extent, maxD(fabs(nodes[i].x), maxD(fabs(nodes[i].y), fabs(nodes[i].z))));
    }
    Mender m = {.nodes = nodes, .tets = (const int(*)[4])tets, .least = COOK_MIN_TET_HEIGHT * extent};
    *mended = countSlivers(&m, tetCount);
    if (*mended == 0)
        return shOk;
    m.fixed = NEW_ZEROED(memory, bool, nodeCount);
    m.offsets = NEW_ZEROED(memory, int, nodeCount + 1);
    m.around = NEW_ARRAY(memory, int, 4 * (int64_t)tetCount);
    bool ok = m.fixed != NULL && m.offsets != NULL && m.around != NULL;
    shStatus status = ok ? mend(&m, memory, nodeCount, tetCount, message) : failMemory(message);
    FREE_ARRAY(memory, m.fixed, nodeCount);
    FREE_ARRAY(memory, m.offsets, nodeCount + 1);
    FREE_ARRAY(memory, m.around, 4 * (int64_t)tetCount);
    return status;
}

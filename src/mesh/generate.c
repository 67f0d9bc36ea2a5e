// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/generate.h"

#include "core/message.h"

#include <string.h>

int draftNode(Draft* draft, DVec3 p)
{
    if (draft->failed || !arrayReserve(draft->memory, &draft->nodes, draft->nodes.count + 1)) {
        draft->failed = true;
        return 0;
    }
    draft->nodes.data[draft->nodes.count] = p;
    return draft->nodes.count++;
}

void draftTet(Draft* draft, int a, int b, int c, int d)
{
    if (draft->failed || !arrayReserve(draft->memory, &draft->tets, draft->tets.count + 1)) {
        draft->failed = true;
        return;
    }
    int tet[4] = {a, b, c, d};
    memcpy(draft->tets.data[draft->tets.count++], tet, sizeof tet);
}

void draftPrism(Draft* draft, const int base[3], const int top[3])
{
    // Columns in ascending order; an odd permutation mirrors the prism, so its tets are mirrored back.
    int order[3] = {0, 1, 2};
    bool odd = false;
    for (int pass = 0; pass < 3; ++pass) {
        int k = pass % 2;
        if (base[order[k]] > base[order[k + 1]]) {
            int hold = order[k];
            order[k] = order[k + 1];
            order[k + 1] = hold;
            odd = !odd;
        }
    }
    int a = base[order[0]], b = base[order[1]], c = base[order[2]];
    int d = top[order[0]], e = top[order[1]], f = top[order[2]];
    const int tets[3][4] = {{a, b, c, f}, {a, b, f, e}, {a, e, f, d}};
    for (int t = 0; t < 3; ++t) {
        const int* v = tets[t];
        draftTet(draft, v[0], odd ? v[2] : v[1], odd ? v[1] : v[2], v[3]);
    }
}

void draftCell5(Draft* draft, const int corner[8], bool odd)
{
    // One tet on four corners that are no neighbours, one on each of the other four corners.
    static const int even[5][4] = {{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 6, 0, 3}, {4, 5, 0, 6}, {7, 6, 3, 5}};
    for (int t = 0; t < 5; ++t) {
        const int* v = even[t];
        int mirror = odd ? 1 : 0; // corner k becomes k ^ 1: the cell mirrored in x
        int a = corner[v[0] ^ mirror], b = corner[v[1] ^ mirror], c = corner[v[2] ^ mirror], d = corner[v[3] ^ mirror];
        draftTet(draft, a, odd ? c : b, odd ? b : c, d);
    }
}

void draftCell12(Draft* draft, const int corner[8], int middle, bool odd)
{
    // Faces counter-clockwise from outside, starting at a corner with an even number of ones: the diagonal from there
    // to the opposite corner is the one that the even cell of five tets has too.
    static const int faces[6][4] = {{0, 4, 6, 2}, {3, 7, 5, 1}, {0, 1, 5, 4}, {3, 2, 6, 7}, {0, 2, 3, 1}, {5, 7, 6, 4}};
    for (int f = 0; f < 6; ++f) {
        int v[4];
        for (int k = 0; k < 4; ++k)
            v[k] = corner[faces[f][(k + (odd ? 1 : 0)) % 4]];
        draftTet(draft, v[0], v[2], v[1], middle);
        draftTet(draft, v[0], v[3], v[2], middle);
    }
}

shStatus draftFinish(Draft* draft, TetMesh* out, int** source, int* sourceCount, shMessage* message)
{
    Memory* memory = draft->memory;
    memset(out, 0, sizeof *out);
    int count = draft->nodes.count;
    int* trace = source != NULL && !draft->failed ? NEW_ARRAY(memory, int, count) : NULL;
    shStatus status = draft->failed || (source != NULL && trace == NULL)
                          ? failMemory(message)
                          : tetMeshBuildTraced(out, memory, count, draft->nodes.data, draft->tets.count,
                                               (const int(*)[4])draft->tets.data, false, trace, message);
    arrayFree(memory, &draft->nodes);
    arrayFree(memory, &draft->tets);
    if (source == NULL)
        return status;
    if (status != shOk) {
        FREE_ARRAY(memory, trace, count);
        trace = NULL;
    }
    *source = trace;
    *sourceCount = count;
    return status;
}

int detailCount(double count, float detail)
{
    int cells = (int)floor(count * (double)detail + 0.5);
    return maxI(cells, 1);
}

static int discNode(int ring, int k) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + k % (6 * ring); }

void draftDiscStack(Draft* draft, int rings, int layers, bool closed)
{
    int perLayer = discNodes(rings);
    for (int layer = 0; layer < layers; ++layer) {
        int base = layer * perLayer, top = closed && layer + 1 == layers ? 0 : base + perLayer;
        for (int ring = 1; ring <= rings; ++ring)
            for (int sector = 0; sector < 6; ++sector)
                for (int k = 0; k < ring; ++k) {
                    int inner = discNode(ring - 1, sector * (ring - 1) + k);
                    int outer = discNode(ring, sector * ring + k), next = discNode(ring, sector * ring + k + 1);
                    draftPrism(draft, (int[]){base + inner, base + outer, base + next},
                               (int[]){top + inner, top + outer, top + next});
                    if (k + 1 == ring)
                        continue;
                    int beside = discNode(ring - 1, sector * (ring - 1) + k + 1);
                    draftPrism(draft, (int[]){base + inner, base + next, base + beside},
                               (int[]){top + inner, top + next, top + beside});
                }
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Edges at which a solid touches itself. Where it does so in a point, the point is doubled; around an edge the parts
// may hang together elsewhere, so the lesser ones are taken out.
#include "mesh/lattice_stuff.h"

#include "core/forest.h"
#include "core/message.h"
#include "mesh/adjacency.h"

// A tetrahedron at a pinched edge.
typedef struct PinchTet {
    int edge, tet;
    int parent; // in the forest of those around the same edge that share a face
    double volume;
} PinchTet;

typedef struct Pinch {
    TetSoup* soup;
    Memory* memory;
    int (*neighbors)[4];
    KeySet edges;
    int* counts; // [edge] surface triangles
    ARRAY(PinchTet) tets;
} Pinch;

static bool collectPinched(Pinch* p)
{
    TetSoup* soup = p->soup;
    for (int c = 0; c < 4 * soup->tets.count; ++c) {
        if (p->neighbors[c / 4][c % 4] >= 0)
            continue;
        const int *n = soup->tets.data[c / 4].n, *face = tetFaces[c % 4];
        for (int k = 0; k < 3; ++k)
            ++p->counts[keySetAddEdge(&p->edges, n[face[k]], n[face[(k + 1) % 3]])];
    }
    bool any = false;
    for (int e = 0; e < p->edges.count; ++e)
        any = any || p->counts[e] > 2;
    for (int t = 0; any && t < soup->tets.count; ++t)
        for (int k = 0; k < 6; ++k) {
            const int* n = soup->tets.data[t].n;
            int edge = keySetFindEdge(&p->edges, n[tetEdges[k][0]], n[tetEdges[k][1]]);
            if (edge < 0 || p->counts[edge] <= 2)
                continue;
            if (!arrayReserve(p->memory, &p->tets, (int64_t)p->tets.count + 1))
                return false;
            const DVec3* x = soup->nodes.data;
            p->tets.data[p->tets.count] =
                (PinchTet){edge, t, p->tets.count, dOrient(x[n[0]], x[n[1]], x[n[2]], x[n[3]])};
            ++p->tets.count;
        }
    return true;
}

static int rootOf(PinchTet* tets, int i)
{
    while (tets[i].parent != i)
        i = tets[i].parent = tets[tets[i].parent].parent;
    return i;
}

static bool haveFaceAt(const Pinch* p, int a, int b, int edge)
{
    const int* ends = p->edges.keys[edge];
    for (int k = 0; k < 4; ++k) {
        int opposite = p->soup->tets.data[a].n[k];
        if (p->neighbors[a][k] == b && opposite != ends[1] && opposite != ends[2])
            return true;
    }
    return false;
}

// Pinched edges are few, so their tetrahedra are compared pairwise.
static int markLesser(Pinch* p, bool* gone)
{
    PinchTet* tets = p->tets.data;
    int removed = 0, count = p->tets.count;
    for (int e = 0; e < p->edges.count; ++e) {
        if (p->counts[e] <= 2)
            continue;
        int largest = -1;
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < i && tets[i].edge == e; ++j)
                if (tets[j].edge == e && haveFaceAt(p, tets[i].tet, tets[j].tet, e)) {
                    int a = rootOf(tets, i), b = rootOf(tets, j);
                    if (a != b) {
                        tets[maxI(a, b)].parent = minI(a, b);
                        tets[minI(a, b)].volume += tets[maxI(a, b)].volume;
                    }
                }
        for (int i = 0; i < count; ++i)
            if (tets[i].edge == e && tets[i].parent == i && (largest < 0 || tets[i].volume > tets[largest].volume))
                largest = i;
        for (int i = 0; i < count; ++i)
            if (tets[i].edge == e && rootOf(tets, i) != largest && !gone[tets[i].tet]) {
                gone[tets[i].tet] = true;
                ++removed;
            }
    }
    return removed;
}

// Nodes with more than one fan of surface triangles whose tetrahedra all hang together: where two hollows touch.
// Their tetrahedra go. `fans` is scratch for all corners of the surface, `first` for the nodes.
static int markHollows(Pinch* p, bool* gone, int* fans, int* first)
{
    TetSoup* soup = p->soup;
    int removed = 0, corners = 4 * soup->tets.count;
    // Corner k of tet t on the face opposite j is 16t + 4j + k; fans are joined across edges of two triangles.
    for (int e = 0; e < p->edges.count; ++e)
        p->counts[e] = -1;
    for (int c = 0; c < 4 * corners; ++c)
        fans[c] = c;
    for (int c = 0; c < corners; ++c) {
        if (p->neighbors[c / 4][c % 4] >= 0)
            continue;
        const int *n = soup->tets.data[c / 4].n, *face = tetFaces[c % 4];
        for (int k = 0; k < 3; ++k) {
            int i = face[k], j = face[(k + 1) % 3], edge = keySetFindEdge(&p->edges, n[i], n[j]);
            int other = p->counts[edge];
            p->counts[edge] = c;
            if (other < 0)
                continue;
            const int* m = soup->tets.data[other / 4].n;
            for (int x = 0; x < 4; ++x) {
                if (m[x] == n[i])
                    forestJoin(fans, 4 * c + i, 4 * other + x);
                if (m[x] == n[j])
                    forestJoin(fans, 4 * c + j, 4 * other + x);
            }
        }
    }
    for (int i = 0; i < soup->nodes.count; ++i)
        first[i] = -1;
    for (int c = 0; c < corners; ++c) {
        if (p->neighbors[c / 4][c % 4] >= 0)
            continue;
        for (int k = 0; k < 3; ++k) {
            int corner = 4 * c + tetFaces[c % 4][k], node = soup->tets.data[c / 4].n[tetFaces[c % 4][k]];
            int root = forestRoot(fans, corner);
            if (first[node] == -1)
                first[node] = root;
            else if (first[node] != root)
                first[node] = -2;
        }
    }
    for (int c = 0; c < corners; ++c)
        if (first[soup->tets.data[c / 4].n[c % 4]] == -2 && !gone[c / 4]) {
            gone[c / 4] = true;
            ++removed;
        }
    return removed;
}

shStatus latticeUnpinch(TetSoup* soup, Memory* memory, bool hollows, int* removed, shMessage* message)
{
    int count = soup->tets.count;
    Pinch p = {.soup = soup, .memory = memory};
    *removed = 0;
    p.neighbors = memAlloc(memory, memBytes((size_t)count, sizeof *p.neighbors));
    p.counts = NEW_ZEROED(memory, int, 6 * (int64_t)count);
    bool* gone = NEW_ZEROED(memory, bool, count);
    bool ok =
        p.neighbors != NULL && p.counts != NULL && gone != NULL && keySetInit(&p.edges, memory, 6 * (int64_t)count);
    shStatus status =
        ok ? matchFaces(memory, count, (const int(*)[4])soup->tets.data, p.neighbors, message) : failMemory(message);
    if (status == shOk && !collectPinched(&p))
        status = failMemory(message);
    if (status == shOk) {
        *removed = markLesser(&p, gone);
        int64_t room = 16 * (int64_t)count;
        int* fans = hollows && *removed == 0 ? NEW_ARRAY(memory, int, room) : NULL;
        int* first = fans != NULL ? NEW_ARRAY(memory, int, soup->nodes.count) : NULL;
        if (first != NULL)
            *removed = markHollows(&p, gone, fans, first);
        else if (hollows && *removed == 0)
            status = failMemory(message);
        FREE_ARRAY(memory, fans, room);
        FREE_ARRAY(memory, first, soup->nodes.count);
    }
    if (status == shOk) {
        int kept = 0;
        for (int t = 0; t < count; ++t)
            if (!gone[t])
                soup->tets.data[kept++] = soup->tets.data[t];
        soup->tets.count = kept;
    }
    keySetFree(&p.edges, memory);
    FREE_ARRAY(memory, p.neighbors, count);
    FREE_ARRAY(memory, p.counts, 6 * (int64_t)count);
    FREE_ARRAY(memory, gone, count);
    arrayFree(memory, &p.tets);
    return status;
}

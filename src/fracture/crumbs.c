// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/array.h"
#include "fracture/pattern.h"

#include <string.h>

typedef struct Crumb {
    double volume;   // m³, around its nodes
    int first, last; // its nodes, linked
    bool gone;       // joined to another part
} Crumb;

typedef struct Crumbs {
    const Struck* struck;
    int* labels; // given labels, then parts
    int* next;   // [nodeCount of the mesh] list of a part's nodes, -1 ends; before that -2: not visited
    int left;    // nodes that are in no part yet
    int* shared; // [parts] edges shared with the part at hand
    double* volumes;
    ARRAY(Crumb) parts;
} Crumbs;

static bool inPiece(const Crumbs* crumbs, int node)
{
    return fieldLabel(crumbs->struck->field, node) == crumbs->struck->piece;
}

// Floods the nodes of one label. The list of found nodes is the queue.
static Crumb flood(Crumbs* crumbs, int seed)
{
    const TetTopology* topology = crumbs->struck->field->rest->topology;
    Crumb part = {0.0, seed, seed, false};
    crumbs->next[seed] = -1;
    --crumbs->left;
    for (int node = seed; node >= 0; node = crumbs->next[node]) {
        part.volume += crumbs->volumes[node];
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1] && crumbs->left > 0; ++k) {
            int other = topology->nodeOthers[k];
            if (inPiece(crumbs, other) && crumbs->next[other] == -2 && crumbs->labels[other] == crumbs->labels[seed]) {
                crumbs->next[part.last] = other;
                crumbs->next[other] = -1;
                part.last = other;
                --crumbs->left;
            }
        }
    }
    return part;
}

static void relabel(Crumbs* crumbs, const Crumb* part, int label)
{
    for (int node = part->first; node >= 0; node = crumbs->next[node])
        crumbs->labels[node] = label;
}

static bool findParts(Crumbs* crumbs)
{
    const Struck* struck = crumbs->struck;
    for (int i = 0; i < struck->nodeCount; ++i) {
        int seed = struckNode(struck, i);
        if (crumbs->next[seed] != -2)
            continue;
        if (!arrayReserve(struck->memory, &crumbs->parts, crumbs->parts.count + 1))
            return false;
        crumbs->parts.data[crumbs->parts.count++] = flood(crumbs, seed);
    }
    for (int p = 0; p < crumbs->parts.count; ++p)
        relabel(crumbs, &crumbs->parts.data[p], p);
    return true;
}

// The part that shares most edges with this one, the first of equals; -1 if it is all there is.
static int bestNeighbor(Crumbs* crumbs, int part)
{
    const TetTopology* topology = crumbs->struck->field->rest->topology;
    memset(crumbs->shared, 0, sizeof(int) * (size_t)crumbs->parts.count);
    for (int node = crumbs->parts.data[part].first; node >= 0; node = crumbs->next[node])
        for (int k = topology->nodeEdgeStart[node]; k < topology->nodeEdgeStart[node + 1]; ++k) {
            int other = topology->nodeOthers[k];
            if (inPiece(crumbs, other) && crumbs->labels[other] != part)
                ++crumbs->shared[crumbs->labels[other]];
        }
    int best = -1;
    for (int p = 0; p < crumbs->parts.count; ++p)
        if (crumbs->shared[p] > 0 && (best < 0 || crumbs->shared[p] > crumbs->shared[best]))
            best = p;
    return best;
}

static int smallestPart(const Crumbs* crumbs, double limit)
{
    int smallest = -1;
    for (int p = 0; p < crumbs->parts.count; ++p) {
        const Crumb* part = &crumbs->parts.data[p];
        if (!part->gone && part->volume < limit) {
            limit = part->volume;
            smallest = p;
        }
    }
    return smallest;
}

static void join(Crumbs* crumbs, int from, int to)
{
    Crumb *crumb = &crumbs->parts.data[from], *part = &crumbs->parts.data[to];
    relabel(crumbs, crumb, to);
    crumbs->next[part->last] = crumb->first;
    part->last = crumb->last;
    part->volume += crumb->volume;
    crumb->gone = true;
}

bool joinCrumbs(const Struck* struck, double smallest, int* labels)
{
    Memory* memory = struck->memory;
    int nodes = struck->field->rest->mesh->nodeCount;
    Crumbs crumbs = {.struck = struck,
                     .labels = labels,
                     .left = struck->nodeCount,
                     .next = NEW_ARRAY(memory, int, nodes),
                     .volumes = NEW_ARRAY(memory, double, nodes)};
    bool enough = crumbs.next != NULL && crumbs.volumes != NULL;
    for (int i = 0; enough && i < struck->nodeCount; ++i) {
        crumbs.next[struckNode(struck, i)] = -2;
        crumbs.volumes[struckNode(struck, i)] = struck->volumes[i];
    }
    if (enough && findParts(&crumbs)) {
        crumbs.shared = NEW_ARRAY(memory, int, crumbs.parts.count);
        enough = crumbs.shared != NULL;
    } else {
        enough = false;
    }
    int part, neighbor;
    while (enough && (part = smallestPart(&crumbs, smallest)) >= 0 && (neighbor = bestNeighbor(&crumbs, part)) >= 0)
        join(&crumbs, part, neighbor);
    FREE_ARRAY(memory, crumbs.shared, crumbs.parts.count);
    arrayFree(memory, &crumbs.parts);
    FREE_ARRAY(memory, crumbs.volumes, nodes);
    FREE_ARRAY(memory, crumbs.next, nodes);
    return enough;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What comes after stuffing: creases, a closer fit, better tetrahedra.
//
// Stuffing chamfers sharp edges: every surface node is on the surface, but some surface edges run across a crease. So
// each surface node gets a label, the smooth patch it is on, and edges between different patches are where the crease
// must be. First a node near each corner becomes that corner; then nodes close to a feature line move onto it; every
// edge that still crosses one is split, with all its tetrahedra, and the new node moves to the line. Afterwards each
// surface triangle has a patch in common to its three nodes and the lines are chains of edges.
//
// Surface edges that cut off more than the tolerance are split the same way, their new nodes move to the surface. And
// wherever a tetrahedron is badly shaped its nodes go towards the middle of their neighbours. No move may spoil one.
#include "mesh/lattice_stuff.h"

#include "core/constants.h"
#include "core/message.h"
#include "mesh/adjacency.h"

#include <stdlib.h>
#include <string.h>

enum { notOnSurface = -1, onPatch, onLine, onCorner };

typedef struct CreaseNode {
    int kind;
    int patches[2]; // equal unless on a line
    DVec3 target;   // where it should be, if on a line, a corner or off its patch
    bool calm;      // nothing around has moved since nothing could be done for it
    bool off;       // on a patch, but not moved to it (to `target`) yet
    int heads[2];   // of the lists of corners at this node: of tetrahedra and of surface triangles
} CreaseNode;

enum { tetList, triangleList };

typedef ARRAY(int) CornerNext;

typedef struct CreaseLine {
    int lower, upper; // patches
    int index;        // of the line
} CreaseLine;

typedef struct Creasing {
    const LatticeDef* def;
    const LatticeCreases* creases;
    Memory* memory;
    TetSoup* soup;
    ARRAY(CreaseNode) nodes;
    ARRAY(TetNodes) triangles; // surface: three nodes each, the fourth is −1
    CornerNext next[2];        // [4 · cell + corner] the lists of corners
    ARRAY(CreaseLine) lines;   // by patches
} Creasing;

// Tetrahedra ----------------------------------------------------------------------------------------------------------

// 1 for the regular tetrahedron, 0 for flat ones, negative when inside out: volume over edge length cubed.
static double tetShape(const DVec3* p, const int n[4])
{
    double sum = 0.0;
    for (int e = 0; e < 6; ++e)
        sum += dLength2(dSub(p[n[tetEdges[e][0]]], p[n[tetEdges[e][1]]]));
    double mean = sqrt(sum / 6.0);
    return sqrt(2.0) * dOrient(p[n[0]], p[n[1]], p[n[2]], p[n[3]]) / (mean * mean * mean);
}

static int firstCorner(const Creasing* c, int list, int node) { return c->nodes.data[node].heads[list]; }
static int nextCorner(const Creasing* c, int list, int corner) { return c->next[list].data[corner]; }

static TetNodes* cellOf(const Creasing* c, int list, int corner)
{
    return &(list == tetList ? c->soup->tets.data : c->triangles.data)[corner / 4];
}

static void link(Creasing* c, int list, int corner)
{
    CreaseNode* node = &c->nodes.data[cellOf(c, list, corner)->n[corner % 4]];
    c->next[list].data[corner] = node->heads[list];
    node->heads[list] = corner;
}

static void unlink(Creasing* c, int list, int corner)
{
    int* at = &c->nodes.data[cellOf(c, list, corner)->n[corner % 4]].heads[list];
    while (*at != corner)
        at = &c->next[list].data[*at];
    *at = c->next[list].data[corner];
}

// Puts another node into a corner.
static void relink(Creasing* c, int list, int corner, int node)
{
    unlink(c, list, corner);
    cellOf(c, list, corner)->n[corner % 4] = node;
    link(c, list, corner);
}

static double worstShape(const Creasing* c, int node)
{
    double worst = (double)INFINITY;
    for (int corner = firstCorner(c, tetList, node); corner >= 0; corner = nextCorner(c, tetList, corner))
        worst = minD(worst, tetShape(c->soup->nodes.data, c->soup->tets.data[corner / 4].n));
    return worst;
}

// The node has moved: it and its neighbours have to be looked at again.
static void stir(Creasing* c, int node)
{
    for (int corner = firstCorner(c, tetList, node); corner >= 0; corner = nextCorner(c, tetList, corner))
        for (int k = 0; k < 4; ++k)
            c->nodes.data[c->soup->tets.data[corner / 4].n[k]].calm = false;
}

// Moves the node if no tetrahedron around it becomes worse than allowed (or than it was).
static bool tryMove(Creasing* c, int node, DVec3 target, double allowed)
{
    DVec3* p = &c->soup->nodes.data[node];
    DVec3 old = *p;
    double limit = minD(allowed, worstShape(c, node));
    *p = target;
    if (worstShape(c, node) >= limit && limit > 0.0) {
        stir(c, node);
        return true;
    }
    *p = old;
    return false;
}

static int cornerOf(const TetNodes* tet, int node)
{
    for (int k = 0; k < 4; ++k)
        if (tet->n[k] == node)
            return k;
    return -1;
}

// The worst tetrahedron that a node at p would leave when the edge a–b is split there.
static double splitShape(const Creasing* c, int a, int b, DVec3 p)
{
    double worst = (double)INFINITY;
    for (int corner = firstCorner(c, tetList, a); corner >= 0; corner = nextCorner(c, tetList, corner)) {
        const TetNodes* tet = &c->soup->tets.data[corner / 4];
        int ends[2] = {corner % 4, cornerOf(tet, b)};
        for (int end = 0; end < 2 && ends[1] >= 0; ++end) {
            DVec3 q[4];
            for (int k = 0; k < 4; ++k)
                q[k] = k == ends[end] ? p : c->soup->nodes.data[tet->n[k]];
            worst = minD(worst, tetShape(q, (const int[4]){0, 1, 2, 3}));
        }
    }
    return worst;
}

static bool reserveCells(Creasing* c, int tets, int triangles)
{
    TetSoup* soup = c->soup;
    return arrayReserve(c->memory, &soup->tets, (int64_t)soup->tets.count + tets) &&
           arrayReserve(c->memory, &c->next[tetList], 4 * ((int64_t)soup->tets.count + tets)) &&
           arrayReserve(c->memory, &c->triangles, (int64_t)c->triangles.count + triangles) &&
           arrayReserve(c->memory, &c->next[triangleList], 4 * ((int64_t)c->triangles.count + triangles));
}

// Puts a new node at p on the edge a–b and halves all tetrahedra and surface triangles there. −1: no memory.
static int splitEdge(Creasing* c, int a, int b, DVec3 p)
{
    TetSoup* soup = c->soup;
    int around = 0, middle = soup->nodes.count;
    for (int corner = firstCorner(c, tetList, a); corner >= 0; corner = nextCorner(c, tetList, corner))
        around += cornerOf(&soup->tets.data[corner / 4], b) >= 0;
    if (!arrayReserve(c->memory, &soup->nodes, (int64_t)middle + 1) ||
        !arrayReserve(c->memory, &c->nodes, (int64_t)middle + 1) || !reserveCells(c, around, 2))
        return -1;
    soup->nodes.data[soup->nodes.count++] = p;
    c->nodes.data[c->nodes.count++] = (CreaseNode){.heads = {-1, -1}};
    // The old cell keeps a, its copy gets b. While a's list is walked only corners of other nodes change lists.
    for (int list = tetList; list <= triangleList; ++list)
        for (int corner = firstCorner(c, list, a); corner >= 0; corner = nextCorner(c, list, corner)) {
            TetNodes* cell = cellOf(c, list, corner);
            int atB = cornerOf(cell, b), copy = list == tetList ? soup->tets.count : c->triangles.count;
            if (atB < 0)
                continue;
            *cellOf(c, list, 4 * copy) = *cell;
            cellOf(c, list, 4 * copy)->n[corner % 4] = middle;
            relink(c, list, corner - corner % 4 + atB, middle);
            for (int k = 0; k < (list == tetList ? 4 : 3); ++k)
                link(c, list, 4 * copy + k);
            ++*(list == tetList ? &soup->tets.count : &c->triangles.count);
        }
    stir(c, middle);
    return middle;
}

// Is there a tet (a surface triangle) with these nodes? −1 stands for any.
static bool hasTet(const Creasing* c, int a, int x, int y, int z)
{
    for (int corner = firstCorner(c, tetList, a); corner >= 0; corner = nextCorner(c, tetList, corner)) {
        const TetNodes* tet = &c->soup->tets.data[corner / 4];
        if (cornerOf(tet, x) >= 0 && (y < 0 || cornerOf(tet, y) >= 0) && (z < 0 || cornerOf(tet, z) >= 0))
            return true;
    }
    return false;
}

static bool hasTriangle(const Creasing* c, int a, int x, int y)
{
    for (int corner = firstCorner(c, triangleList, a); corner >= 0; corner = nextCorner(c, triangleList, corner)) {
        const TetNodes* triangle = &c->triangles.data[corner / 4];
        if (cornerOf(triangle, x) >= 0 && (y < 0 || cornerOf(triangle, y) >= 0))
            return true;
    }
    return false;
}

// Can surface node a be drawn into its neighbour b? Whatever both touch must be touched by the edge between them, else
// the solid would be pinched; and no tet may be spoilt.
static bool canCollapse(const Creasing* c, int a, int b)
{
    for (int corner = firstCorner(c, tetList, a); corner >= 0; corner = nextCorner(c, tetList, corner)) {
        const TetNodes* tet = &c->soup->tets.data[corner / 4];
        if (cornerOf(tet, b) >= 0)
            continue;
        int x = tet->n[(corner + 1) % 4], y = tet->n[(corner + 2) % 4], z = tet->n[(corner + 3) % 4];
        int links[6][2] = {{x, -1}, {y, -1}, {z, -1}, {x, y}, {y, z}, {z, x}};
        for (int k = 0; k < 6; ++k)
            if (hasTet(c, b, links[k][0], links[k][1], -1) && !hasTet(c, a, b, links[k][0], links[k][1]))
                return false;
        TetNodes moved = *tet;
        moved.n[corner % 4] = b;
        if (hasTet(c, b, x, y, z) || tetShape(c->soup->nodes.data, moved.n) < LATTICE_CREASE_SHAPE)
            return false;
    }
    for (int corner = firstCorner(c, triangleList, a); corner >= 0; corner = nextCorner(c, triangleList, corner)) {
        const TetNodes* triangle = &c->triangles.data[corner / 4];
        for (int k = 1; k < 3 && cornerOf(triangle, b) < 0; ++k) {
            int x = triangle->n[(corner % 4 + k) % 3];
            if (hasTriangle(c, b, x, -1) && !hasTriangle(c, a, b, x))
                return false;
        }
    }
    return true;
}

// Draws a into b. Tets and triangles that vanish get nodes −1; a is left without any.
static void collapse(Creasing* c, int a, int b)
{
    for (int list = tetList; list <= triangleList; ++list)
        for (int corner = firstCorner(c, list, a); corner >= 0; corner = firstCorner(c, list, a)) {
            TetNodes* cell = cellOf(c, list, corner);
            if (cornerOf(cell, b) < 0) {
                relink(c, list, corner, b);
                continue;
            }
            for (int k = 0; k < (list == tetList ? 4 : 3); ++k)
                unlink(c, list, corner - corner % 4 + k);
            *cell = (TetNodes){{-1, -1, -1, -1}};
        }
    c->nodes.data[a].kind = notOnSurface;
    c->nodes.data[a].off = false;
    stir(c, b);
}

// Labels --------------------------------------------------------------------------------------------------------------

static bool shareLabel(const CreaseNode* a, const CreaseNode* b)
{
    return a->kind == onCorner || b->kind == onCorner || a->patches[0] == b->patches[0] ||
           a->patches[0] == b->patches[1] || a->patches[1] == b->patches[0] || a->patches[1] == b->patches[1];
}

static DVec3 closestOnSegment(DVec3 a, DVec3 b, DVec3 p, double* t)
{
    DVec3 along = dSub(b, a);
    double length2 = dLength2(along);
    *t = length2 > 0.0 ? clampD(dDot(dSub(p, a), along) / length2, 0.0, 1.0) : 0.0;
    return dLerp(a, b, *t);
}

static int compareLines(const void* left, const void* right)
{
    const CreaseLine *a = left, *b = right;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    if (a->upper != b->upper)
        return a->upper < b->upper ? -1 : 1;
    return a->index - b->index;
}

static bool sortLines(Creasing* c)
{
    int count = c->creases->lineCount;
    if (!arrayReserve(c->memory, &c->lines, count))
        return false;
    for (int n = 0; n < count; ++n) {
        const int* patches = c->creases->lines[n].patches;
        c->lines.data[n] = (CreaseLine){minI(patches[0], patches[1]), maxI(patches[0], patches[1]), n};
    }
    c->lines.count = count;
    if (count > 0)
        qsort(c->lines.data, (size_t)count, sizeof(CreaseLine), compareLines);
    return true;
}

// The closest point to p of the lines between two patches; false when there is none within reach.
static bool closestOnLines(const Creasing* c, DVec3 p, int patchA, int patchB, double reach, DVec3* point)
{
    CreaseLine key = {minI(patchA, patchB), maxI(patchA, patchB), -1};
    int first = 0, end = c->lines.count;
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (compareLines(&c->lines.data[middle], &key) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    double best = reach, t;
    bool found = false;
    for (int n = first; n < c->lines.count; ++n) {
        const CreaseLine* at = &c->lines.data[n];
        if (at->lower != key.lower || at->upper != key.upper)
            break;
        const LatticeCrease* line = &c->creases->lines[at->index];
        DVec3 q = closestOnSegment(line->a, line->b, p, &t);
        double distance = dDistance(p, q);
        if (distance < best) {
            best = distance;
            *point = q;
            found = true;
        }
    }
    return found;
}

static void putOnLine(CreaseNode* node, int patchA, int patchB, DVec3 target)
{
    node->kind = onLine;
    node->off = false;
    node->patches[0] = patchA;
    node->patches[1] = patchB;
    node->target = target;
}

// Stages --------------------------------------------------------------------------------------------------------------

static void labelTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Creasing* c = arg;
    for (int n = begin; n < end; ++n) {
        CreaseNode* node = &c->nodes.data[n];
        if (node->kind == onPatch && c->creases != NULL)
            node->patches[0] = node->patches[1] = c->creases->patch(c->soup->nodes.data[n], c->def->user);
    }
}

static shStatus collectSurface(Creasing* c, shMessage* message)
{
    TetSoup* soup = c->soup;
    int tetCount = soup->tets.count, nodeCount = soup->nodes.count;
    int(*neighbors)[4] = memAlloc(c->memory, memBytes((size_t)tetCount, sizeof *neighbors));
    shStatus status = neighbors == NULL || !arrayReserve(c->memory, &c->nodes, nodeCount) || !reserveCells(c, 0, 0)
                          ? failMemory(message)
                          : matchFaces(c->memory, tetCount, (const int(*)[4])soup->tets.data, neighbors, message);
    for (int n = 0; n < nodeCount && status == shOk; ++n)
        c->nodes.data[c->nodes.count++] = (CreaseNode){.kind = notOnSurface, .heads = {-1, -1}};
    for (int corner = 0; corner < 4 * tetCount && status == shOk; ++corner) {
        link(c, tetList, corner);
        if (neighbors[corner / 4][corner % 4] >= 0)
            continue;
        if (!reserveCells(c, 0, 1)) {
            status = failMemory(message);
            break;
        }
        const int *n = soup->tets.data[corner / 4].n, *face = tetFaces[corner % 4];
        TetNodes triangle = {{n[face[0]], n[face[1]], n[face[2]], -1}};
        c->triangles.data[c->triangles.count++] = triangle;
        for (int k = 0; k < 3; ++k) {
            c->nodes.data[triangle.n[k]].kind = onPatch;
            link(c, triangleList, 4 * (c->triangles.count - 1) + k);
        }
    }
    if (status == shOk)
        latticeFor(c->def, nodeCount, LATTICE_TASK_BLOCK, labelTask, c);
    for (int k = 0; k < soup->offNodes.count && status == shOk; ++k) {
        CreaseNode* node = &c->nodes.data[soup->offNodes.data[k]];
        DVec3 p = soup->nodes.data[soup->offNodes.data[k]];
        node->off = node->kind == onPatch;
        node->target = latticeTowardsSurface(c->def, latticeTowardsSurface(c->def, p));
    }
    FREE_ARRAY(c->memory, neighbors, tetCount);
    return status;
}

// How many surface triangles with three different patches would having a corner at this node settle?
static int junctionsAt(const Creasing* c, int node, const int* junctions, int junctionCount)
{
    int count = 0;
    for (int j = 0; j < junctionCount; ++j)
        count += cornerOf(&c->triangles.data[junctions[j]], node) >= 0;
    return count;
}

// The node that becomes the corner: at a triangle where the most patches meet, else simply the nearest.
static void placeCorners(Creasing* c, int* junctions)
{
    int junctionCount = 0;
    for (int t = 0; t < c->triangles.count; ++t) {
        const int* n = c->triangles.data[t].n;
        const CreaseNode* nodes = c->nodes.data;
        if (!shareLabel(&nodes[n[0]], &nodes[n[1]]) && !shareLabel(&nodes[n[1]], &nodes[n[2]]) &&
            !shareLabel(&nodes[n[2]], &nodes[n[0]]))
            junctions[junctionCount++] = t;
    }
    for (int k = 0; k < c->creases->cornerCount; ++k) {
        DVec3 corner = c->creases->corners[k];
        double best = LATTICE_CORNER_REACH * c->def->cell;
        int chosen = -1, most = 0;
        for (int n = 0; n < c->nodes.count; ++n) {
            double distance = dDistance(c->soup->nodes.data[n], corner);
            if (c->nodes.data[n].kind != onPatch || distance >= LATTICE_CORNER_REACH * c->def->cell)
                continue;
            int count = junctionsAt(c, n, junctions, junctionCount);
            if (count > most || (count == most && distance < best)) {
                most = count;
                best = distance;
                chosen = n;
            }
        }
        if (chosen < 0)
            continue;
        c->nodes.data[chosen].kind = onCorner;
        c->nodes.data[chosen].off = false;
        c->nodes.data[chosen].target = corner;
        tryMove(c, chosen, corner, LATTICE_CREASE_SHAPE);
    }
}

// Moves nodes that are much closer to a line than their neighbour across it.
static void snapToLines(Creasing* c)
{
    for (int t = 0; t < c->triangles.count; ++t)
        for (int k = 0; k < 6; ++k) {
            int a = c->triangles.data[t].n[k % 3], b = c->triangles.data[t].n[(k % 3 + 1 + k / 3) % 3];
            CreaseNode *nodeA = &c->nodes.data[a], *nodeB = &c->nodes.data[b];
            if (nodeA->kind != onPatch || nodeB->kind != onPatch || shareLabel(nodeA, nodeB))
                continue;
            DVec3 p = c->soup->nodes.data[a], target;
            double reach = LATTICE_CREASE_SNAP * dDistance(p, c->soup->nodes.data[b]);
            if (closestOnLines(c, p, nodeA->patches[0], nodeB->patches[0], reach, &target) &&
                tryMove(c, a, target, LATTICE_CREASE_SHAPE))
                putOnLine(nodeA, nodeA->patches[0], nodeB->patches[0], target);
        }
}

static shStatus splitCrossings(Creasing* c, shMessage* message)
{
    for (int t = 0; t < c->triangles.count; ++t)
        for (int k = 0; k < 3; ++k) {
            int a = c->triangles.data[t].n[k], b = c->triangles.data[t].n[(k + 1) % 3];
            CreaseNode *nodeA = &c->nodes.data[a], *nodeB = &c->nodes.data[b];
            if (nodeA->kind != onPatch || nodeB->kind != onPatch || shareLabel(nodeA, nodeB))
                continue;
            int patchA = nodeA->patches[0], patchB = nodeB->patches[0];
            DVec3 pa = c->soup->nodes.data[a], pb = c->soup->nodes.data[b], target;
            double at, reach = LATTICE_CORNER_REACH * c->def->cell;
            if (!closestOnLines(c, dLerp(pa, pb, 0.5), patchA, patchB, reach, &target))
                continue;
            closestOnSegment(pa, pb, target, &at);
            DVec3 p = dLerp(pa, pb, clampD(at, LATTICE_CREASE_SNAP, 1.0 - LATTICE_CREASE_SNAP));
            closestOnLines(c, p, patchA, patchB, reach, &target);
            int middle = splitEdge(c, minI(a, b), maxI(a, b), p);
            if (middle < 0)
                return failMemory(message);
            putOnLine(&c->nodes.data[middle], patchA, patchB, target);
            k = -1; // the triangle has changed: look at all its edges again
        }
    return shOk;
}

static DVec3 middleOfNeighbors(const Creasing* c, int node)
{
    DVec3 sum = {0.0, 0.0, 0.0};
    double count = 0.0;
    for (int corner = firstCorner(c, tetList, node); corner >= 0; corner = nextCorner(c, tetList, corner))
        for (int k = 0; k < 4; ++k)
            if (k != corner % 4) {
                sum = dAdd(sum, c->soup->nodes.data[c->soup->tets.data[corner / 4].n[k]]);
                count += 1.0;
            }
    return dScale(1.0 / count, sum);
}

// A node goes towards the middle of its neighbours, along the line or the patch it is on, if that helps its worst
// tetrahedron.
static bool relax(Creasing* c, int n)
{
    CreaseNode* node = &c->nodes.data[n];
    double worst = worstShape(c, n), reach = LATTICE_CORNER_REACH * c->def->cell;
    if (worst >= (c->creases != NULL ? LATTICE_CREASE_RELAX : LATTICE_RELAX))
        return false;
    DVec3 old = c->soup->nodes.data[n], p = dLerp(old, middleOfNeighbors(c, n), 0.5);
    if (node->kind == onLine && !closestOnLines(c, p, node->patches[0], node->patches[1], reach, &p))
        return false;
    if (node->kind == onPatch) {
        for (int step = 0; step < 3; ++step)
            p = latticeTowardsSurface(c->def, p);
        if (c->creases != NULL && c->creases->patch(p, c->def->user) != node->patches[0])
            return false;
    }
    c->soup->nodes.data[n] = p;
    if (worstShape(c, n) <= worst) {
        c->soup->nodes.data[n] = old;
        return false;
    }
    if (node->kind == onLine)
        node->target = p;
    stir(c, n);
    return true;
}

// Looks for a place on the line, a little towards one neighbour or another, that the node can move to.
static bool slide(Creasing* c, int n)
{
    CreaseNode* node = &c->nodes.data[n];
    DVec3 target;
    for (int corner = firstCorner(c, tetList, n); corner >= 0; corner = nextCorner(c, tetList, corner))
        for (int k = 0; k < 4; ++k) {
            DVec3 neighbor = c->soup->nodes.data[c->soup->tets.data[corner / 4].n[k]];
            DVec3 p = dLerp(node->target, neighbor, LATTICE_CREASE_SNAP);
            if (closestOnLines(c, p, node->patches[0], node->patches[1], LATTICE_CORNER_REACH * c->def->cell,
                               &target) &&
                tryMove(c, n, target, LATTICE_CREASE_SHAPE)) {
                node->target = target;
                return true;
            }
        }
    return false;
}

// One step for a node: to its place; elsewhere on the line or half the way where that would spoil a tet; or, at its
// place, to where its tets are better. False when it cannot move.
static bool settleNode(Creasing* c, int n)
{
    const CreaseNode* node = &c->nodes.data[n];
    DVec3 p = c->soup->nodes.data[n], half = dLerp(p, node->target, 0.5);
    if (node->off) {
        c->nodes.data[n].off = !tryMove(c, n, node->target, LATTICE_FIT_SHAPE);
        return !node->off || tryMove(c, n, half, LATTICE_FIT_SHAPE);
    }
    if (node->kind <= onPatch || dDistance(p, node->target) == 0.0)
        return node->kind != onCorner && relax(c, n);
    return tryMove(c, n, node->target, LATTICE_CREASE_SHAPE) || (node->kind == onLine && slide(c, n)) ||
           tryMove(c, n, half, LATTICE_CREASE_SHAPE);
}

static void settle(Creasing* c)
{
    for (int round = 0; round < LATTICE_CREASE_ROUNDS; ++round)
        for (int n = 0; n < c->nodes.count; ++n)
            if (!c->nodes.data[n].calm)
                c->nodes.data[n].calm = !settleNode(c, n);
}

// A neighbour on the patch takes the place of line node a, which is drawn into it.
static bool replaceOnLine(Creasing* c, int a, int b)
{
    CreaseNode *nodeA = &c->nodes.data[a], *nodeB = &c->nodes.data[b];
    DVec3 old = c->soup->nodes.data[b], middle = dLerp(old, nodeA->target, 0.5), target;
    if (!closestOnLines(c, middle, nodeA->patches[0], nodeA->patches[1], LATTICE_CORNER_REACH * c->def->cell, &target))
        return false;
    c->soup->nodes.data[b] = target;
    bool whole = canCollapse(c, a, b);
    for (int corner = firstCorner(c, tetList, b); corner >= 0 && whole; corner = nextCorner(c, tetList, corner)) {
        const TetNodes* tet = &c->soup->tets.data[corner / 4];
        whole = cornerOf(tet, a) >= 0 || tetShape(c->soup->nodes.data, tet->n) >= LATTICE_CREASE_SHAPE;
    }
    if (!whole) {
        c->soup->nodes.data[b] = old;
        return false;
    }
    putOnLine(nodeB, nodeA->patches[0], nodeA->patches[1], target);
    collapse(c, a, b);
    return true;
}

// Line nodes that cannot reach their line (they would overtake a neighbour on it), or that end up beside a third patch
// (next to a corner), are drawn into a neighbour on the same line, into the corner, or into a neighbour that takes
// their place.
static void thinLines(Creasing* c)
{
    for (int t = 0; t < c->triangles.count; ++t)
        for (int k = 0; k < 6 && c->triangles.data[t].n[0] >= 0; ++k) {
            const int* n = c->triangles.data[t].n;
            int a = n[k % 3], b = n[(k % 3 + 1 + k / 3) % 3], third = n[(k % 3 + 2 - k / 3) % 3];
            const CreaseNode *nodeA = &c->nodes.data[a], *nodeB = &c->nodes.data[b];
            bool off = dDistance(c->soup->nodes.data[a], nodeA->target) > 0.0;
            bool beside = !shareLabel(nodeA, &c->nodes.data[third]);
            if (nodeA->kind != onLine || !(off || beside) || !shareLabel(nodeA, nodeB))
                continue;
            if (nodeB->kind == onPatch)
                replaceOnLine(c, a, b);
            else if ((nodeB->kind == onCorner ||
                      nodeB->patches[0] + nodeB->patches[1] == nodeA->patches[0] + nodeA->patches[1]) &&
                     canCollapse(c, a, b))
                collapse(c, a, b);
        }
}

static bool inPlace(const Creasing* c, int n)
{
    const CreaseNode* node = &c->nodes.data[n];
    return node->kind <= onPatch ? !node->off : dDistance(c->soup->nodes.data[n], node->target) == 0.0;
}

// Splits surface edges whose middle is farther from the surface than the tolerance, and moves the new node there.
static shStatus fitSurface(Creasing* c, shMessage* message)
{
    double shortest = LATTICE_FIT_SHORTEST * c->def->cell;
    for (int t = 0; t < c->triangles.count; ++t)
        for (int k = 0; k < 3 && c->triangles.data[t].n[0] >= 0; ++k) {
            int a = c->triangles.data[t].n[k], b = c->triangles.data[t].n[(k + 1) % 3];
            const CreaseNode *nodeA = &c->nodes.data[a], *nodeB = &c->nodes.data[b];
            DVec3 pa = c->soup->nodes.data[a], pb = c->soup->nodes.data[b], middle = dLerp(pa, pb, 0.5);
            if (a > b || (nodeA->kind != onPatch && nodeB->kind != onPatch) || !inPlace(c, a) || !inPlace(c, b) ||
                dDistance(pa, pb) < shortest)
                continue;
            DVec3 target = latticeTowardsSurface(c->def, middle);
            if (dDistance(middle, target) <= c->def->tolerance)
                continue;

            if (splitShape(c, a, b, middle) < LATTICE_FIT_SHAPE) {

                continue;
            }
            target = latticeTowardsSurface(c->def, latticeTowardsSurface(c->def, target));
            int patch = nodeA->kind == onPatch ? nodeA->patches[0] : nodeB->patches[0],
                node = splitEdge(c, a, b, middle);
            if (node < 0)
                return failMemory(message);
            c->nodes.data[node].kind = onPatch;
            c->nodes.data[node].patches[0] = c->nodes.data[node].patches[1] = patch;
            c->nodes.data[node].target = target;
            c->nodes.data[node].off = !tryMove(c, node, target, LATTICE_FIT_SHAPE);
            k = -1; // the triangle has changed: look at all its edges again
        }
    return shOk;
}

static void compactTets(TetSoup* soup)
{
    int kept = 0;
    for (int t = 0; t < soup->tets.count; ++t)
        if (soup->tets.data[t].n[0] >= 0)
            soup->tets.data[kept++] = soup->tets.data[t];
    soup->tets.count = kept;
}

// Is there a patch that all three nodes are on?
static bool onOnePatch(const Creasing* c, const int n[3])
{
    const CreaseNode* nodes[3] = {&c->nodes.data[n[0]], &c->nodes.data[n[1]], &c->nodes.data[n[2]]};
    for (int k = 0; k < 3; ++k)
        for (int side = 0; side < 2 && nodes[k]->kind != onCorner; ++side) {
            int patch = nodes[k]->patches[side], count = 0;
            for (int j = 0; j < 3; ++j)
                count += nodes[j]->kind == onCorner || nodes[j]->patches[0] == patch || nodes[j]->patches[1] == patch;
            if (count == 3)
                return true;
        }
    return nodes[0]->kind == onCorner && nodes[1]->kind == onCorner && nodes[2]->kind == onCorner;
}

static int countMissed(const Creasing* c)
{
    int missed = 0;
    for (int t = 0; t < c->triangles.count; ++t) {
        const int* n = c->triangles.data[t].n;
        missed += n[0] >= 0 && !(onOnePatch(c, n) && inPlace(c, n[0]) && inPlace(c, n[1]) && inPlace(c, n[2]));
    }
    return missed;
}

shStatus latticeRefine(TetSoup* soup, Memory* memory, const LatticeDef* def, LatticeReport* report, shMessage* message)
{
    Creasing c = {.def = def, .creases = def->creases, .memory = memory, .soup = soup};
    if (def->asStuffed)
        return shOk;
    shStatus status = collectSurface(&c, message);
    int count = c.triangles.count;
    int* junctions = NEW_ARRAY(c.memory, int, count);
    if (status == shOk && junctions == NULL)
        status = failMemory(message);
    if (status == shOk && c.creases != NULL && !sortLines(&c))
        status = failMemory(message);
    if (status == shOk && c.creases != NULL) {
        placeCorners(&c, junctions);
        snapToLines(&c);
        status = splitCrossings(&c, message);
    }
    for (int pass = 0; pass < LATTICE_CREASE_PASSES && status == shOk && c.creases != NULL; ++pass) {
        settle(&c);
        thinLines(&c);
    }
    for (int pass = 0; pass < LATTICE_CREASE_PASSES && status == shOk && def->tolerance > 0.0; ++pass) {
        status = fitSurface(&c, message);
        settle(&c);
    }
    if (status == shOk) {
        settle(&c);
        compactTets(soup);
        report->creasesMissed = countMissed(&c);
    }
    FREE_ARRAY(c.memory, junctions, count);
    arrayFree(c.memory, &c.nodes);
    arrayFree(c.memory, &c.next[tetList]);
    arrayFree(c.memory, &c.next[triangleList]);
    arrayFree(c.memory, &c.triangles);
    arrayFree(c.memory, &c.lines);
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/lattice_creases.h"

#include "core/constants.h"
#include "core/forest.h"
#include "mesh/adjacency.h"

// An edge and what is known of its triangles.
typedef struct Edge {
    int a, b;
    int count;        // triangles
    bool agree;       // two triangles run along it in opposite directions
    int triangles[2]; // the first two
} Edge;

typedef struct Finder {
    SurfaceCreases* creases;
    const SurfaceSolid* solid;
    const bool* rounded;
    Memory* memory;
    ARRAY(Edge) edges;
} Finder;

static bool isRounded(const Finder* f, int t)
{
    return f->solid->roles[t] == roleSheet || (f->rounded != NULL && f->rounded[t]);
}

static bool collectEdges(Finder* f)
{
    const SurfaceSolid* s = f->solid;
    KeySet set;
    int64_t halves = 3 * (int64_t)s->triangleCount;
    bool room = keySetInit(&set, f->memory, halves) && arrayReserve(f->memory, &f->edges, halves);
    for (int h = 0; h < halves && room; ++h) {
        int t = h / 3, k = h % 3;
        if (s->roles[t] == roleFlat)
            continue;
        int a = s->triangles[t][k], b = s->triangles[t][(k + 1) % 3];
        int key = keySetAddEdge(&set, a, b);
        Edge* edge = &f->edges.data[key];
        if (key == f->edges.count) {
            *edge = (Edge){.a = minI(a, b), .b = maxI(a, b)};
            ++f->edges.count;
        }
        if (edge->count < 2)
            edge->triangles[edge->count] = a < b ? t : -1 - t; // the sign: which way
        ++edge->count;
    }
    for (int e = 0; e < f->edges.count; ++e) {
        Edge* edge = &f->edges.data[e];
        edge->agree = edge->count == 2 && (edge->triangles[0] < 0) != (edge->triangles[1] < 0);
        for (int k = 0; k < 2; ++k)
            if (edge->triangles[k] < 0)
                edge->triangles[k] = -1 - edge->triangles[k];
    }
    keySetFree(&set, f->memory);
    return room;
}

static double edgeLength(const Finder* f, const Edge* edge)
{
    return dDistance(f->solid->vertices[edge->a], f->solid->vertices[edge->b]);
}

static DVec3 areaVector(const Finder* f, int t)
{
    const int* n = f->solid->triangles[t];
    DVec3 a = f->solid->vertices[n[0]], b = f->solid->vertices[n[1]], c = f->solid->vertices[n[2]];
    return dScale(0.5, dCross(dSub(b, a), dSub(c, a)));
}

// Patches are what hangs together without crossing an edge sharper than the angle. Those too small for the lattice
// join the neighbour across their longest edge.
static bool findPatches(Finder* f, double cosine, double cell)
{
    int count = f->solid->triangleCount, rounded = -1;
    int* patch = f->creases->patch;
    double* area = NEW_ARRAY(f->memory, double, count);
    double* longest = NEW_ARRAY(f->memory, double, count);
    int* into = NEW_ARRAY(f->memory, int, count);
    bool room = area != NULL && longest != NULL && into != NULL;
    for (int t = 0; t < count && room; ++t) {
        patch[t] = t;
        if (!isRounded(f, t))
            continue;
        rounded = rounded < 0 ? t : rounded;
        patch[t] = rounded;
    }
    for (int e = 0; e < f->edges.count && room; ++e) {
        const Edge* edge = &f->edges.data[e];
        if (edge->count != 2 || isRounded(f, edge->triangles[0]) != isRounded(f, edge->triangles[1]))
            continue;
        DVec3 one = dNormalize(areaVector(f, edge->triangles[0]));
        DVec3 other = dNormalize(areaVector(f, edge->triangles[1]));
        // Two triangles that run the same way along their edge look to opposite sides.
        if ((edge->agree ? 1.0 : -1.0) * dDot(one, other) > cosine)
            forestJoin(patch, edge->triangles[0], edge->triangles[1]);
    }
    for (int pass = 0; pass < LATTICE_PATCH_PASSES && room; ++pass) {
        for (int t = 0; t < count; ++t) {
            area[t] = longest[t] = 0.0;
            patch[t] = forestRoot(patch, t);
        }
        for (int t = 0; t < count; ++t)
            area[patch[t]] += dLength(areaVector(f, t));
        for (int e = 0; e < f->edges.count; ++e) {
            const Edge* edge = &f->edges.data[e];
            for (int side = 0; side < 2 && edge->count == 2; ++side) {
                int mine = patch[edge->triangles[side]], other = patch[edge->triangles[1 - side]];
                if (mine != other && edgeLength(f, edge) > longest[mine]) {
                    longest[mine] = edgeLength(f, edge);
                    into[mine] = other;
                }
            }
        }
        double smallest = LATTICE_PATCH_AREA * cell * cell;
        for (int t = 0; t < count; ++t)
            if (patch[t] == t && area[t] < smallest && longest[t] > 0.0)
                forestJoin(patch, t, into[t]);
    }
    for (int t = 0; t < count && room; ++t)
        patch[t] = forestRoot(patch, t);
    FREE_ARRAY(f->memory, area, count);
    FREE_ARRAY(f->memory, longest, count);
    FREE_ARRAY(f->memory, into, count);
    return room;
}

typedef struct LineEnd {
    int count;   // lines at a vertex
    DVec3 first; // direction of the first one, away from it
    bool sharp;  // two lines that do not go on straight
} LineEnd;

// Feature lines where two patches meet; corners where other than two lines meet, or two at an angle.
static bool findLines(Finder* f, double cosine)
{
    SurfaceCreases* c = f->creases;
    int vertexCount = f->solid->vertexCount;
    LineEnd* ends = NEW_ZEROED(f->memory, LineEnd, vertexCount);
    bool room = ends != NULL;
    for (int e = 0; e < f->edges.count && room; ++e) {
        const Edge* edge = &f->edges.data[e];
        int left = c->patch[edge->triangles[0]], right = edge->count == 2 ? c->patch[edge->triangles[1]] : left;
        if (left == right || isRounded(f, edge->triangles[0]) || isRounded(f, edge->triangles[1]))
            continue;
        room = arrayReserve(f->memory, &c->lines, (int64_t)c->lines.count + 1);
        if (!room)
            break;
        DVec3 a = f->solid->vertices[edge->a], b = f->solid->vertices[edge->b];
        c->lines.data[c->lines.count++] = (LatticeCrease){a, b, {left, right}};
        for (int end = 0; end < 2; ++end) {
            LineEnd* line = &ends[end == 0 ? edge->a : edge->b];
            DVec3 along = dNormalize(end == 0 ? dSub(b, a) : dSub(a, b));
            if (++line->count == 1)
                line->first = along;
            else
                line->sharp = -dDot(line->first, along) < cosine;
        }
    }
    for (int v = 0; v < vertexCount && room; ++v) {
        if (ends[v].count == 0 || (ends[v].count == 2 && !ends[v].sharp))
            continue;
        room = arrayReserve(f->memory, &c->corners, (int64_t)c->corners.count + 1);
        if (room)
            c->corners.data[c->corners.count++] = f->solid->vertices[v];
    }
    FREE_ARRAY(f->memory, ends, vertexCount);
    return room;
}

bool surfaceCreasesFind(SurfaceCreases* creases, const SurfaceSolid* solid, const bool* rounded, double cosine,
                        double cell)
{
    *creases = (SurfaceCreases){.triangleCount = solid->triangleCount};
    creases->patch = NEW_ARRAY(solid->memory, int, solid->triangleCount);
    Finder f = {.creases = creases, .solid = solid, .rounded = rounded, .memory = solid->memory};
    bool room = creases->patch != NULL && collectEdges(&f) && findPatches(&f, cosine, cell) && findLines(&f, cosine);
    arrayFree(f.memory, &f.edges);
    return room;
}

void surfaceCreasesFree(SurfaceCreases* creases, Memory* memory)
{
    FREE_ARRAY(memory, creases->patch, creases->triangleCount);
    arrayFree(memory, &creases->lines);
    arrayFree(memory, &creases->corners);
}

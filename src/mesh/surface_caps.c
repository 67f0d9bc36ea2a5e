// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/surface_caps.h"

#include "core/array.h"
#include "core/constants.h"
#include "mesh/adjacency.h"

#include <string.h>

// An edge that the caps must run along, from a to b.
typedef struct RimEdge {
    int a, b, component;
    int next; // another one that starts at a, −1: none
} RimEdge;

typedef struct Loop {
    int begin, end; // into `path`
    int component;
    double area;
} Loop;

typedef struct Capper {
    SurfaceSolid* solid;
    Memory* memory;
    KeySet edges;
    int *nets, *owners; // [edge]
    ARRAY(RimEdge) rim;
    int* first;            // [vertex] rim edges that start there
    int* place;            // [vertex] position in the current walk, −1: not in it
    ARRAY(int) walk, path; // vertices; all loops one after the other
    ARRAY(Loop) loops;
} Capper;

static bool isWinding(const SurfaceSolid* s, int t) { return s->roles[t] == roleBoundary || s->roles[t] == roleInner; }

static bool collectRim(Capper* c)
{
    SurfaceSolid* s = c->solid;
    for (int h = 0; h < 3 * s->triangleCount; ++h) {
        if (!isWinding(s, h / 3))
            continue;
        int a = s->triangles[h / 3][h % 3], b = s->triangles[h / 3][(h + 1) % 3];
        int edge = keySetAddEdge(&c->edges, a, b);
        c->nets[edge] += a < b ? 1 : -1;
        c->owners[edge] = s->components[h / 3];
    }
    for (int v = 0; v < s->vertexCount; ++v)
        c->first[v] = c->place[v] = -1;
    for (int e = 0; e < c->edges.count; ++e) {
        int low = c->edges.keys[e][1], high = c->edges.keys[e][2];
        for (int n = c->nets[e]; n != 0; n += n > 0 ? -1 : 1) {
            // Against the triangles' way.
            int a = n > 0 ? high : low, b = n > 0 ? low : high;
            if (!arrayReserve(c->memory, &c->rim, (int64_t)c->rim.count + 1))
                return false;
            c->rim.data[c->rim.count] = (RimEdge){a, b, c->owners[e], c->first[a]};
            c->first[a] = c->rim.count++;
        }
    }
    return true;
}

static double loopArea(const Capper* c, const Loop* loop)
{
    const DVec3* p = c->solid->vertices;
    DVec3 sum = {0.0, 0.0, 0.0}, from = p[c->path.data[loop->begin]];
    for (int i = loop->begin; i < loop->end; ++i) {
        int next = i + 1 < loop->end ? i + 1 : loop->begin;
        sum = dAdd(sum, dCross(dSub(p[c->path.data[i]], from), dSub(p[c->path.data[next]], from)));
    }
    return 0.5 * dLength(sum);
}

// Takes the end of the walk, from `begin` on, off as a loop.
static bool takeLoop(Capper* c, int begin, int component)
{
    int count = c->walk.count - begin;
    if (!arrayReserve(c->memory, &c->path, (int64_t)c->path.count + count) ||
        !arrayReserve(c->memory, &c->loops, (int64_t)c->loops.count + 1))
        return false;
    Loop loop = {c->path.count, c->path.count + count, component, 0.0};
    for (int i = begin; i < c->walk.count; ++i) {
        c->path.data[c->path.count++] = c->walk.data[i];
        c->place[c->walk.data[i]] = -1;
    }
    c->walk.count = begin;
    loop.area = loopArea(c, &loop);
    c->loops.data[c->loops.count++] = loop;
    return true;
}

// Walks along unused edges; whenever the walk comes back to a vertex it has passed, that is a loop.
static bool findLoops(Capper* c)
{
    for (int start = 0; start < c->solid->vertexCount; ++start)
        while (c->first[start] >= 0) {
            int at = start, component = -1;
            for (;;) {
                if (c->place[at] >= 0 && !takeLoop(c, c->place[at], component))
                    return false;
                int edge = c->first[at];
                if (edge < 0)
                    break; // back at the start, all of its edges used
                if (!arrayReserve(c->memory, &c->walk, (int64_t)c->walk.count + 1))
                    return false;
                c->place[at] = c->walk.count;
                c->walk.data[c->walk.count++] = at;
                c->first[at] = c->rim.data[edge].next;
                component = c->rim.data[edge].component;
                at = c->rim.data[edge].b;
            }
        }
    return true;
}

// All arrays grow or none does, so that their sizes stay known.
static bool makeRoom(SurfaceSolid* s, int vertices, int triangles)
{
    size_t oldVertices = (size_t)s->vertexRoom, oldTriangles = (size_t)s->triangleRoom;
    size_t newVertices = (size_t)s->vertexCount + (size_t)vertices;
    size_t newTriangles = (size_t)s->triangleCount + (size_t)triangles;
    struct {
        void** array;
        size_t oldBytes, newBytes;
        void* grown;
    } all[6] = {
        {(void**)&s->vertices, oldVertices * sizeof *s->vertices, newVertices * sizeof *s->vertices, NULL},
        {(void**)&s->welded, oldVertices * sizeof *s->welded, newVertices * sizeof *s->welded, NULL},
        {(void**)&s->triangles, oldTriangles * sizeof *s->triangles, newTriangles * sizeof *s->triangles, NULL},
        {(void**)&s->roles, oldTriangles * sizeof *s->roles, newTriangles * sizeof *s->roles, NULL},
        {(void**)&s->turned, oldTriangles * sizeof *s->turned, newTriangles * sizeof *s->turned, NULL},
        {(void**)&s->components, oldTriangles * sizeof *s->components, newTriangles * sizeof *s->components, NULL}};
    bool ok = true;
    for (int i = 0; i < 6; ++i) {
        all[i].grown = memAlloc(s->memory, all[i].newBytes);
        ok = ok && all[i].grown != NULL;
    }
    for (int i = 0; i < 6; ++i) {
        if (!ok) {
            memFree(s->memory, all[i].grown, all[i].newBytes);
            continue;
        }
        void* old;
        memcpy(&old, all[i].array, sizeof old);
        memcpy(all[i].grown, old, all[i].oldBytes);
        memFree(s->memory, old, all[i].oldBytes);
        memcpy(all[i].array, &all[i].grown, sizeof old);
    }
    if (ok) {
        s->vertexRoom = (int)newVertices;
        s->triangleRoom = (int)newTriangles;
    }
    return ok;
}

static void addFan(SurfaceSolid* s, const int* path, int count, int component)
{
    DVec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i)
        sum = dAdd(sum, s->vertices[path[i]]);
    int middle = s->vertexCount;
    if (count > 3) {
        s->vertices[middle] = dScale(1.0 / count, sum);
        s->welded[middle] = middle;
        ++s->vertexCount;
    }
    for (int i = 0; i < (count > 3 ? count : 1); ++i) {
        int t = s->triangleCount++, next = path[(i + 1) % count];
        memcpy(s->triangles[t], (const int[3]){path[i], next, count > 3 ? middle : path[2]}, sizeof s->triangles[t]);
        s->components[t] = component;
        s->turned[t] = false;
        s->roles[t] = roleBoundary;
    }
    ++s->defects.cappedHoles;
}

static bool capLoops(Capper* c)
{
    SurfaceSolid* s = c->solid;
    int components = maxI(s->defects.components, 1), vertices = 0, triangles = 0;
    double* area = NEW_ZEROED(c->memory, double, components);
    double* opening = NEW_ZEROED(c->memory, double, components);
    bool ok = area != NULL && opening != NULL;
    for (int t = 0; ok && t < s->triangleCount; ++t)
        if (isWinding(s, t)) {
            const int* n = s->triangles[t];
            DVec3 a = s->vertices[n[0]], b = s->vertices[n[1]], d = s->vertices[n[2]];
            area[s->components[t]] += 0.5 * dLength(dCross(dSub(b, a), dSub(d, a)));
        }
    for (int i = 0; ok && i < c->loops.count; ++i)
        opening[c->loops.data[i].component] += c->loops.data[i].area;
    for (int pass = 0; ok && pass < 2; ++pass) {
        for (int i = 0; ok && i < c->loops.count; ++i) {
            const Loop* loop = &c->loops.data[i];
            int count = loop->end - loop->begin;
            if (count < 3 || count > SOLID_CAP_CORNERS ||
                opening[loop->component] > SOLID_CAP_AREA * area[loop->component])
                continue;
            if (pass == 1)
                addFan(s, c->path.data + loop->begin, count, loop->component);
            vertices += 1;
            triangles += count;
        }
        if (pass == 0 && triangles > 0)
            ok = makeRoom(s, vertices, triangles);
    }
    FREE_ARRAY(c->memory, area, components);
    FREE_ARRAY(c->memory, opening, components);
    return ok;
}

bool surfaceSolidCap(SurfaceSolid* s)
{
    Memory* memory = s->memory;
    int64_t halves = 3 * (int64_t)s->triangleCount;
    int vertexCount = s->vertexCount;
    Capper c = {.solid = s, .memory = memory};
    c.nets = NEW_ZEROED(memory, int, halves);
    c.owners = NEW_ARRAY(memory, int, halves);
    c.first = NEW_ARRAY(memory, int, vertexCount);
    c.place = NEW_ARRAY(memory, int, vertexCount);
    bool ok = c.nets != NULL && c.owners != NULL && c.first != NULL && c.place != NULL &&
              keySetInit(&c.edges, memory, halves) && collectRim(&c) && findLoops(&c) && capLoops(&c);
    keySetFree(&c.edges, memory);
    FREE_ARRAY(memory, c.nets, halves);
    FREE_ARRAY(memory, c.owners, halves);
    FREE_ARRAY(memory, c.first, vertexCount);
    FREE_ARRAY(memory, c.place, vertexCount);
    arrayFree(memory, &c.rim);
    arrayFree(memory, &c.walk);
    arrayFree(memory, &c.path);
    arrayFree(memory, &c.loops);
    return ok;
}

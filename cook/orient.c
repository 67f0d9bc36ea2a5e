// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/orient.h"

#include "mesh/adjacency.h"

typedef struct Orienter {
    TriMesh* mesh;
    KeySet edges;
    int (*owners)[2]; // [edges] half edges (3 · triangle + k), −1: none
    int* shells;      // [triangleCount] shell of each triangle, −1: not reached yet
    bool* turned;     // [triangleCount]
    int* queue;       // [triangleCount]
    double* volumes;  // [shells] six times that
    bool* mended;     // [shells] some triangle must turn
} Orienter;

static void turn(TriMesh* mesh, int triangle)
{
    int* t = mesh->triangles[triangle];
    int vertex = t[1];
    t[1] = t[2];
    t[2] = vertex;
    if (mesh->corners == NULL)
        return;
    Corner* corners = mesh->corners[triangle];
    Corner corner = corners[1];
    corners[1] = corners[2];
    corners[2] = corner;
    for (int k = 0; k < 3; ++k)
        corners[k].normal = vNeg(corners[k].normal);
}

// Both triangles of each edge; false unless there are exactly two.
static bool pairTriangles(Orienter* o)
{
    int count = o->mesh->triangleCount;
    for (int h = 0; h < 3 * count; ++h)
        o->owners[h][0] = o->owners[h][1] = -1;
    for (int h = 0; h < 3 * count; ++h) {
        const int* t = o->mesh->triangles[h / 3];
        int* owners = o->owners[keySetAddEdge(&o->edges, t[h % 3], t[(h + 1) % 3])];
        if (owners[1] >= 0)
            return false;
        owners[owners[0] >= 0] = h;
    }
    for (int e = 0; e < o->edges.count; ++e)
        if (o->owners[e][1] < 0)
            return false;
    return true;
}

// Marks which triangles of the shell around `seed` must turn to agree with it; false when it has one side only.
static bool floodShell(Orienter* o, int seed, int shell)
{
    int head = 0, tail = 0;
    o->shells[seed] = shell;
    o->queue[tail++] = seed;
    while (head < tail) {
        int triangle = o->queue[head++];
        const int* t = o->mesh->triangles[triangle];
        for (int k = 0; k < 3; ++k) {
            int a = t[k], b = t[(k + 1) % 3];
            const int* owners = o->owners[keySetFindEdge(&o->edges, a, b)];
            int other = owners[owners[0] / 3 == triangle];
            bool sameWay = o->mesh->triangles[other / 3][other % 3] == a;
            bool turned = o->turned[triangle] != sameWay;
            if (o->shells[other / 3] < 0) {
                o->shells[other / 3] = shell;
                o->turned[other / 3] = turned;
                o->queue[tail++] = other / 3;
            } else if (o->turned[other / 3] != turned) {
                return false;
            }
        }
    }
    return true;
}

// Signed volume of each shell as it will be, and whether triangles of it must turn.
static void measureShells(Orienter* o)
{
    const TriMesh* mesh = o->mesh;
    DVec3 origin = mesh->vertices[0];
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int* t = mesh->triangles[i];
        double volume = dOrient(origin, mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]);
        o->volumes[o->shells[i]] += o->turned[i] ? -volume : volume;
        o->mended[o->shells[i]] = o->mended[o->shells[i]] || o->turned[i];
    }
}

static void orient(Orienter* o)
{
    TriMesh* mesh = o->mesh;
    int count = mesh->triangleCount, shells = 0;
    if (!pairTriangles(o))
        return;
    for (int i = 0; i < count; ++i)
        o->shells[i] = -1;
    for (int i = 0; i < count; ++i)
        if (o->shells[i] < 0 && !floodShell(o, i, shells++))
            return;
    measureShells(o);
    bool anyMended = false;
    for (int shell = 0; shell < shells; ++shell)
        anyMended = anyMended || o->mended[shell];
    bool insideOut = !anyMended && triMeshVolume(mesh) < 0.0;
    for (int i = 0; i < count; ++i) {
        int shell = o->shells[i];
        if (insideOut || (o->mended[shell] && o->turned[i] == (o->volumes[shell] >= 0.0)))
            turn(mesh, i);
    }
}

bool orientSurface(TriMesh* mesh, Memory* memory)
{
    int count = mesh->triangleCount;
    Orienter o = {.mesh = mesh};
    o.owners = memAlloc(memory, memBytes(3 * (size_t)count, sizeof(*o.owners)));
    o.shells = NEW_ARRAY(memory, int, count);
    o.turned = NEW_ZEROED(memory, bool, count);
    o.queue = NEW_ARRAY(memory, int, count);
    o.volumes = NEW_ZEROED(memory, double, count);
    o.mended = NEW_ZEROED(memory, bool, count);
    bool ok = o.owners != NULL && o.shells != NULL && o.turned != NULL && o.queue != NULL && o.volumes != NULL &&
              o.mended != NULL && keySetInit(&o.edges, memory, 3 * (int64_t)count);
    if (ok)
        orient(&o);
    keySetFree(&o.edges, memory);
    FREE_ARRAY(memory, o.owners, 3 * (int64_t)count);
    FREE_ARRAY(memory, o.shells, count);
    FREE_ARRAY(memory, o.turned, count);
    FREE_ARRAY(memory, o.queue, count);
    FREE_ARRAY(memory, o.volumes, count);
    FREE_ARRAY(memory, o.mended, count);
    return ok;
}

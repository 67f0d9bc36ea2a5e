// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The surface of a piece as separate triangles, and what every such surface must be: closed, with a volume.
#pragma once

#include "field/fragment_field.h"

#include <stdlib.h>
#include <string.h>

typedef struct Surface {
    Vec3 (*triangles)[3];
    int count, capacity;
} Surface;

static inline void surfaceAdd(const Vec3 p[3], int source, void* user)
{
    (void)source;
    Surface* surface = user;
    if (surface->count == surface->capacity) {
        surface->capacity = 2 * surface->capacity + 1024;
        surface->triangles = realloc(surface->triangles, sizeof(Vec3[3]) * (size_t)surface->capacity);
    }
    memcpy(surface->triangles[surface->count++], p, sizeof(Vec3[3]));
}

static inline Surface surfaceOf(const FragmentField* field, int piece)
{
    Surface surface = {0};
    fieldSurface(field, piece, surfaceAdd, &surface);
    return surface;
}

static inline double volumeOf(const Surface* s)
{
    double volume = 0.0;
    for (int i = 0; i < s->count; ++i)
        volume +=
            dDot(dCross(dFromV(s->triangles[i][0]), dFromV(s->triangles[i][1])), dFromV(s->triangles[i][2])) / 6.0;
    return volume;
}

typedef struct HalfEdge {
    Vec3 from, to;
} HalfEdge;

static inline int compareHalfEdge(const void* a, const void* b) { return memcmp(a, b, sizeof(HalfEdge)); }

// Every directed edge has its opposite as often as itself. Bits decide: shared points must agree exactly.
static inline bool isClosed(const Surface* s)
{
    HalfEdge* edges = malloc(sizeof(HalfEdge) * 3 * (size_t)s->count);
    HalfEdge* twins = malloc(sizeof(HalfEdge) * 3 * (size_t)s->count);
    for (int i = 0; i < 3 * s->count; ++i) {
        Vec3 a = s->triangles[i / 3][i % 3], b = s->triangles[i / 3][(i + 1) % 3];
        a = vAdd(a, vec3(0, 0, 0)), b = vAdd(b, vec3(0, 0, 0)); // one zero
        edges[i] = (HalfEdge){a, b};
        twins[i] = (HalfEdge){b, a};
    }
    qsort(edges, 3 * (size_t)s->count, sizeof(HalfEdge), compareHalfEdge);
    qsort(twins, 3 * (size_t)s->count, sizeof(HalfEdge), compareHalfEdge);
    bool same = memcmp(edges, twins, sizeof(HalfEdge) * 3 * (size_t)s->count) == 0;
    free(edges);
    free(twins);
    return same;
}

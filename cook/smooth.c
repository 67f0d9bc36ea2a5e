// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/smooth.h"

#include "cook/limits.h"

typedef struct Smoother {
    int vertexCount, triangleCount;
    const int (*triangles)[3];
    DVec3* areas; // [triangleCount] area vectors, twice as long
    int* firsts;  // [vertexCount] head of the list of corners (3 · triangle + k) at a vertex, −1: none
    int* nexts;   // [3 · triangleCount] the lists
} Smoother;

static Vec3 cornerNormal(const Smoother* s, int triangle, int vertex)
{
    DVec3 own = dNormalize(s->areas[triangle]), sum = dvec3(0.0, 0.0, 0.0);
    for (int c = s->firsts[vertex]; c >= 0; c = s->nexts[c]) {
        DVec3 area = s->areas[c / 3];
        if (dDot(own, area) >= COOK_CREASE * dLength(area))
            sum = dAdd(sum, area);
    }
    return vFromD(dNormalize(dLength2(sum) > 0.0 ? sum : own));
}

static void smooth(Smoother* s, const DVec3* vertices, Corner (*corners)[3])
{
    for (int i = 0; i < s->vertexCount; ++i)
        s->firsts[i] = -1;
    for (int i = s->triangleCount - 1; i >= 0; --i) { // backwards, so that lists run forwards
        const int* t = s->triangles[i];
        s->areas[i] = dCross(dSub(vertices[t[1]], vertices[t[0]]), dSub(vertices[t[2]], vertices[t[0]]));
        for (int k = 2; k >= 0; --k) {
            s->nexts[3 * i + k] = s->firsts[t[k]];
            s->firsts[t[k]] = 3 * i + k;
        }
    }
    for (int i = 0; i < s->triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            corners[i][k].normal = cornerNormal(s, i, s->triangles[i][k]);
}

bool smoothNormals(Memory* memory, int vertexCount, const DVec3* vertices, int triangleCount, const int (*triangles)[3],
                   Corner (*corners)[3])
{
    Smoother s = {.vertexCount = vertexCount, .triangleCount = triangleCount, .triangles = triangles};
    s.areas = NEW_ARRAY(memory, DVec3, triangleCount);
    s.firsts = NEW_ARRAY(memory, int, vertexCount);
    s.nexts = NEW_ARRAY(memory, int, 3 * (int64_t)triangleCount);
    bool ok = s.areas != NULL && s.firsts != NULL && s.nexts != NULL;
    if (ok)
        smooth(&s, vertices, corners);
    FREE_ARRAY(memory, s.areas, triangleCount);
    FREE_ARRAY(memory, s.firsts, vertexCount);
    FREE_ARRAY(memory, s.nexts, 3 * (int64_t)triangleCount);
    return ok;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Is a set of separate triangles the surface of a solid? Corners are one point if their coordinates are equal, to the
// bit; nothing is snapped.
#pragma once

#include "test/exact.h"
#include "test/piece_surface.h"

typedef struct Welded {
    int vertexCount, triangleCount;
    int (*triangles)[3];
} Welded;

typedef struct WeldCorner {
    Vec3 p;
    int corner;
} WeldCorner;

static inline int comparePlaces(Vec3 a, Vec3 b)
{
    for (int k = 0; k < 3; ++k)
        if (vGet(a, k) != vGet(b, k))
            return vGet(a, k) < vGet(b, k) ? -1 : 1;
    return 0;
}

static inline int compareWeldCorners(const void* left, const void* right)
{
    const WeldCorner *a = left, *b = right;
    int order = comparePlaces(a->p, b->p);
    return order != 0 ? order : (a->corner > b->corner) - (a->corner < b->corner);
}

static inline Welded weld(const Surface* s)
{
    Welded mesh = {0, s->count, malloc(sizeof(int[3]) * (size_t)(s->count + 1))};
    WeldCorner* corners = malloc(sizeof(WeldCorner) * 3 * (size_t)(s->count + 1));
    for (int i = 0; i < 3 * s->count; ++i)
        corners[i] = (WeldCorner){s->triangles[i / 3][i % 3], i};
    qsort(corners, 3 * (size_t)s->count, sizeof(WeldCorner), compareWeldCorners);
    for (int i = 0; i < 3 * s->count; ++i) {
        if (i == 0 || comparePlaces(corners[i].p, corners[i - 1].p) != 0)
            ++mesh.vertexCount;
        mesh.triangles[corners[i].corner / 3][corners[i].corner % 3] = mesh.vertexCount - 1;
    }
    free(corners);
    return mesh;
}

typedef struct WeldEdge {
    int lower, higher, half; // half-edge 3 · triangle + corner, which runs from that corner to the next
} WeldEdge;

static inline int compareWeldEdges(const void* left, const void* right)
{
    const WeldEdge *a = left, *b = right;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    if (a->higher != b->higher)
        return a->higher < b->higher ? -1 : 1;
    return (a->half > b->half) - (a->half < b->half);
}

static inline int nextHalf(int half) { return half % 3 == 2 ? half - 2 : half + 1; }

// Every edge between two triangles that run along it in opposite directions, all triangles around a vertex in one ring.
// What is wrong, or null.
static inline const char* manifoldFault(const Welded* mesh)
{
    int count = 3 * mesh->triangleCount;
    WeldEdge* edges = malloc(sizeof(WeldEdge) * (size_t)(count + 1));
    int* twins = malloc(sizeof(int) * (size_t)(count + 1));
    bool* visited = calloc((size_t)count + 1, sizeof(bool));
    const int* from = &mesh->triangles[0][0];
    const char* wrong = NULL;
    for (int h = 0; h < count; ++h) {
        int a = from[h], b = from[nextHalf(h)];
        if (a == b)
            wrong = "a triangle has two corners in one place";
        edges[h] = (WeldEdge){minI(a, b), maxI(a, b), h};
    }
    qsort(edges, (size_t)count, sizeof(WeldEdge), compareWeldEdges);
    for (int i = 0; i < count && wrong == NULL; i += 2) {
        const WeldEdge* e = &edges[i];
        bool pair = i + 1 < count && e[0].lower == e[1].lower && e[0].higher == e[1].higher;
        bool more = i + 2 < count && e[0].lower == e[2].lower && e[0].higher == e[2].higher;
        if (!pair || from[e[0].half] == from[e[1].half]) {
            wrong = "an edge is open or turns the wrong way";
        } else if (more) {
            wrong = "more than two triangles at an edge";
        } else {
            twins[e[0].half] = e[1].half;
            twins[e[1].half] = e[0].half;
        }
    }
    int rings = 0;
    for (int h = 0; h < count && wrong == NULL; ++h) {
        if (visited[h])
            continue;
        ++rings;
        for (int g = h; !visited[g]; g = twins[nextHalf(nextHalf(g))])
            visited[g] = true;
    }
    if (wrong == NULL && rings != mesh->vertexCount)
        wrong = "two sheets touch in a vertex";
    free(edges);
    free(twins);
    free(visited);
    return wrong;
}

// ---- self-intersection ----------------------------------------------------------------------------------------------

typedef struct SweptTriangle {
    float lower; // along the sweep
    int triangle;
} SweptTriangle;

static inline int compareSwept(const void* left, const void* right)
{
    const SweptTriangle *a = left, *b = right;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static inline bool boxesMeet(shBox a, shBox b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

// Exact; which pair, or what else is wrong, or null.
static inline const char* intersectionFault(const Surface* s, int pair[2])
{
    SweptTriangle* order = malloc(sizeof(SweptTriangle) * (size_t)(s->count + 1));
    shBox* boxes = malloc(sizeof(shBox) * (size_t)(s->count + 1));
    shBox all = boxEmpty();
    const char* wrong = NULL;
    pair[0] = pair[1] = -1;
    for (int t = 0; t < s->count; ++t) {
        boxes[t] = boxEmpty();
        for (int k = 0; k < 3; ++k)
            boxes[t] = boxAdd(boxes[t], s->triangles[t][k]);
        all = boxAdd(boxAdd(all, boxes[t].lower), boxes[t].upper);
        if (exactAxis(s->triangles[t]) < 0) {
            wrong = "a triangle's corners lie on a line";
            pair[0] = t;
        }
    }
    int axis = dLargestAxis(dFromV(boxSize(all)));
    for (int t = 0; t < s->count; ++t)
        order[t] = (SweptTriangle){vGet(boxes[t].lower, axis), t};
    qsort(order, (size_t)s->count, sizeof(SweptTriangle), compareSwept);
    for (int i = 0; i < s->count && wrong == NULL; ++i) {
        int t = order[i].triangle;
        for (int j = i + 1; j < s->count && order[j].lower <= vGet(boxes[t].upper, axis); ++j) {
            int u = order[j].triangle;
            if (boxesMeet(boxes[t], boxes[u]) && exactTrianglesMeet(s->triangles[t], s->triangles[u])) {
                wrong = "two triangles cross";
                pair[0] = t;
                pair[1] = u;
                break;
            }
        }
    }
    free(order);
    free(boxes);
    return wrong;
}

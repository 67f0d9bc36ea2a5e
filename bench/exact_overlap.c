// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/exact_overlap.h"

#include "core/vec.h"

#include <stdlib.h>

// Where a column goes through a surface.
typedef struct Crossing {
    int column;
    int what; // +1, −1: into or out of a; +2, −2: of b
    double z;
} Crossing;

typedef struct Columns {
    double x, y, width, height; // lower corner of the first column, size of one
    int across;
    Crossing* crossings;
    int64_t count, room; // `count` goes on where there is no room
} Columns;

static double edge(DVec3 a, DVec3 b, double x, double y) { return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x); }

static void castTriangle(Columns* columns, const DVec3 p[3], int what)
{
    double lowX = minD(p[0].x, minD(p[1].x, p[2].x)), highX = maxD(p[0].x, maxD(p[1].x, p[2].x));
    double lowY = minD(p[0].y, minD(p[1].y, p[2].y)), highY = maxD(p[0].y, maxD(p[1].y, p[2].y));
    double area = edge(p[0], p[1], p[2].x, p[2].y);
    int last = columns->across - 1;
    int fromX = (int)clampD(ceil((lowX - columns->x) / columns->width - 0.5), 0.0, last + 1.0);
    int toX = (int)clampD(floor((highX - columns->x) / columns->width - 0.5), -1.0, last);
    int fromY = (int)clampD(ceil((lowY - columns->y) / columns->height - 0.5), 0.0, last + 1.0);
    int toY = (int)clampD(floor((highY - columns->y) / columns->height - 0.5), -1.0, last);
    for (int j = fromY; j <= toY && area != 0.0; ++j)
        for (int i = fromX; i <= toX; ++i) {
            double x = columns->x + (i + 0.5) * columns->width, y = columns->y + (j + 0.5) * columns->height;
            // Each side in one direction for both of its triangles, so that a column goes through one of them.
            double w[3];
            bool inside = true;
            for (int k = 0; k < 3 && inside; ++k) {
                DVec3 from = p[(k + 1) % 3], to = p[(k + 2) % 3];
                bool swap = from.x != to.x ? from.x > to.x : from.y > to.y;
                double side = swap ? -edge(to, from, x, y) : edge(from, to, x, y);
                w[k] = area > 0.0 ? side : -side;
                inside = w[k] > 0.0 || (w[k] == 0.0 && swap == (area > 0.0));
            }
            if (!inside)
                continue;
            if (columns->count < columns->room) {
                double z = (w[0] * p[0].z + w[1] * p[1].z + w[2] * p[2].z) / (w[0] + w[1] + w[2]);
                // A triangle that looks down is entered from below.
                columns->crossings[columns->count] = (Crossing){j * columns->across + i, area < 0.0 ? what : -what, z};
            }
            ++columns->count;
        }
}

static void castMesh(Columns* columns, const shTriangles* mesh, shTransform pose, int what)
{
    for (int t = 0; t < mesh->triangleCount; ++t) {
        DVec3 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = dFromV(xformPoint(pose, mesh->points[mesh->triangles[t][k]]));
        castTriangle(columns, p, what);
    }
}

static int byColumn(const void* a, const void* b)
{
    const Crossing *p = a, *q = b;
    if (p->column != q->column)
        return p->column < q->column ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

static shBox boxAt(const shTriangles* mesh, shTransform pose)
{
    shBox box = boxEmpty();
    for (int i = 0; i < mesh->pointCount; ++i)
        box = boxAdd(box, xformPoint(pose, mesh->points[i]));
    return box;
}

double exactOverlap(Memory* memory, const shTriangles* a, shTransform poseA, const shTriangles* b, shTransform poseB,
                    int across)
{
    shBox boxA = boxAt(a, poseA), boxB = boxAt(b, poseB);
    if (!boxOverlaps(boxA, boxB))
        return 0.0;
    DVec3 lower = dFromV(vMax(boxA.lower, boxB.lower)), upper = dFromV(vMin(boxA.upper, boxB.upper));
    Columns columns = {lower.x, lower.y, (upper.x - lower.x) / across, (upper.y - lower.y) / across, across, NULL,
                       0,       0};
    for (int pass = 0; pass < 2; ++pass) { // counted, then kept
        columns.count = 0;
        castMesh(&columns, a, poseA, 1);
        castMesh(&columns, b, poseB, 2);
        if (pass == 0) {
            columns.room = columns.count;
            columns.crossings = NEW_ARRAY(memory, Crossing, columns.room);
            if (columns.crossings == NULL)
                return columns.room > 0 ? -1.0 : 0.0;
        }
    }
    qsort(columns.crossings, (size_t)columns.count, sizeof(Crossing), byColumn);
    double length = 0.0;
    int column = -1, windings[2] = {0, 0};
    for (int64_t i = 0; i < columns.count; ++i) {
        const Crossing* c = &columns.crossings[i];
        if (c->column != column)
            windings[0] = windings[1] = 0;
        else if (windings[0] > 0 && windings[1] > 0)
            length += c->z - columns.crossings[i - 1].z;
        column = c->column;
        windings[abs(c->what) - 1] += c->what > 0 ? 1 : -1;
    }
    FREE_ARRAY(memory, columns.crossings, columns.room);
    return length * columns.width * columns.height;
}

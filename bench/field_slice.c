// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Fig. 3: a slice through the distance field of a broken block, exact and as the field knows it. Exact is the closest
// of all triangles of the piece that owns the point.
#include "bench/cache.h"
#include "bench/plot.h"
#include "bench/poses.h"
#include "bench/update_run.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/message.h"
#include "mesh/tri_query.h"
#include "solid/solid.h"

#include <stdlib.h>

enum { SIDE = 100, TINY_SIDE = 12, PIECES = 7 };

typedef struct Surfaces {
    TriQuery* queries; // by piece
    int count;
    Memory* memory;
} Surfaces;

static shStatus makeSurfaces(const shSolid* solid, Surfaces* surfaces, shMessage* message)
{
    Memory* memory = &solid->asset->context->memory;
    int pieces = shSolid_GetPieceCount(solid);
    *surfaces = (Surfaces){.queries = calloc((size_t)pieces, sizeof(TriQuery)), .memory = memory};
    if (surfaces->queries == NULL)
        return failMemory(message);
    for (int piece = 0; piece < pieces; ++piece) {
        int count = shSolid_GetTriangles(solid, piece, NULL, NULL, 0);
        shVec3(*corners)[3] = malloc(sizeof(*corners) * (size_t)count);
        DVec3* vertices = malloc(sizeof(*vertices) * 3 * (size_t)count);
        int(*triangles)[3] = malloc(sizeof(*triangles) * (size_t)count);
        bool enough = corners != NULL && vertices != NULL && triangles != NULL;
        if (enough)
            shSolid_GetTriangles(solid, piece, corners, NULL, count);
        for (int i = 0; enough && i < 3 * count; ++i) {
            vertices[i] = dFromV(corners[i / 3][i % 3]);
            triangles[i / 3][i % 3] = i;
        }
        enough =
            enough && triQueryBuild(&surfaces->queries[piece], memory, vertices, (const int(*)[3])triangles, count);
        surfaces->count += enough;
        free(corners);
        free(vertices);
        free(triangles);
        if (!enough)
            return failMemory(message);
    }
    return shOk;
}

static void freeSurfaces(Surfaces* surfaces)
{
    for (int i = 0; i < surfaces->count; ++i)
        triQueryFree(&surfaces->queries[i], surfaces->memory);
    free(surfaces->queries);
}

static shStatus slice(Bench* bench, const shSolid* solid, const Surfaces* surfaces, int side, shMessage* message)
{
    shBox box = solid->asset->box;
    Plot* plot = plotOpen(bench, "fig03-field-slice", "x,y,exact,ours",
                          "set multiplot layout 1,2\nset size ratio -1\nset key off\nunset grid\nunset border\n"
                          "unset tics\nset palette defined (0 '#ffffff', 0.02 '#fde0c5', 0.3 '#eb7f86', 1 '#4b1d5c')\n"
                          "set cblabel 'mm to the surface'\n"
                          "set title 'exact'\nplot data using 1:2:3 every ::1 with image\n"
                          "set title 'ours'\nplot data using 1:2:4 every ::1 with image\nunset multiplot\n");
    double far = 1.0, near = 1.0, sum = 0.0;
    int inside = 0;
    for (int i = 0; i < side * side; ++i) {
        float u = ((float)(i % side) + 0.5f) / (float)side, v = ((float)(i / side) + 0.5f) / (float)side;
        Vec3 p = {box.lower.x + u * (box.upper.x - box.lower.x), box.lower.y + v * (box.upper.y - box.lower.y),
                  0.51f * box.lower.z + 0.49f * box.upper.z};
        int piece = shSolid_FindOwner(solid, p);
        FieldHit hit;
        if (piece < 0 || !fieldProbe(&solid->field, piece, &(FieldProbe){.p = p}, &hit)) {
            PLOT_ROW(plot, (double)p.x, (double)p.y, 0.0, 0.0);
            continue;
        }
        double ours = -(double)hit.distance;
        double exact = triQueryClosest(&surfaces->queries[piece], dFromV(p), (double)INFINITY).distance;
        PLOT_ROW(plot, (double)p.x, (double)p.y, 1e3 * exact, 1e3 * ours);
        if (exact < 1e-4 * (double)vLength(boxSize(box)))
            continue; // on the surface, where quotients mean nothing
        far = maxD(far, ours / exact);
        near = minD(near, ours / exact);
        sum += ours / exact;
        ++inside;
    }
    benchNote(benchRow(bench, "slice_distance_ratio_max", far, "x", NO_VALUE, NULL),
              "field / exact over %d points of a slice through a block in %d pieces; mean %.4f, least %.4f (Fig. 3)",
              inside, shSolid_GetPieceCount(solid), sum / inside, near);
    return plotClose(plot, message);
}

shStatus updateSlice(Bench* bench, shMessage* message)
{
    shAsset* asset = NULL;
    shSolid* solid = NULL;
    Surfaces surfaces = {0};
    progressShow("update: a slice of the field");
    shStatus status = cacheModel(bench->single, "box", bench->tiny ? 0.3f : 1.0f, &asset, message);
    if (status == shOk)
        status = shCreateSolid(asset, &solid, message);
    if (status == shOk)
        status = breakSeeded(solid, PIECES, 3, message);
    if (status == shOk)
        status = makeSurfaces(solid, &surfaces, message);
    if (status == shOk)
        status = slice(bench, solid, &surfaces, bench->tiny ? TINY_SIDE : SIDE, message);
    freeSurfaces(&surfaces);
    shDestroySolid(solid);
    shDestroyAsset(asset);
    return status;
}

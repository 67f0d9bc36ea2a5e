// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/measure.h"

#include "core/constants.h"

#include <stdio.h>

enum { block = 64 };

// Of the texture's width: half a texel of 128 × 128.
#define UV_SAME 0.004

// Vertices, middles of edges and of the triangle: where a distance between two surfaces is largest, more or less.
static const double spots[7][3] = {{1.0, 0.0, 0.0},
                                   {0.0, 1.0, 0.0},
                                   {0.0, 0.0, 1.0},
                                   {0.5, 0.5, 0.0},
                                   {0.0, 0.5, 0.5},
                                   {0.5, 0.0, 0.5},
                                   {1.0 / 3, 1.0 / 3, 1.0 / 3}};

typedef struct Measure {
    const SurfaceSolid* solid;
    const TetMesh* tets;
    const TriQuery *boundary, *input; // of the tets; of the surface
    double allowed;                   // m: half the thickness of sheets and walls
    double* farthest;                 // [triangle]
} Measure;

static DVec3 spotIn(const DVec3 p[3], int spot)
{
    return dMad(dMad(dScale(spots[spot][0], p[0]), spots[spot][1], p[1]), spots[spot][2], p[2]);
}

static void inputTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Measure* m = arg;
    const SurfaceSolid* s = m->solid;
    for (int t = begin; t < end; ++t) {
        m->farthest[t] = 0.0;
        if (s->roles[t] != roleBoundary && s->roles[t] != roleSheet)
            continue;
        const int* n = s->triangles[t];
        DVec3 p[3] = {s->vertices[n[0]], s->vertices[n[1]], s->vertices[n[2]]};
        double allowed = s->roles[t] == roleSheet ? 0.5 * s->thickness : 0.0;
        for (int k = 0; k < 7; ++k) {
            DVec3 q = spotIn(p, k);
            double distance = triQueryClosest(m->boundary, q, (double)INFINITY).distance - allowed;
            if (distance <= m->farthest[t])
                continue;
            // Parts of boundary triangles may be inside another shell.
            if (s->roles[t] == roleBoundary) {
                DVec3 step = dScale(SOLID_SIDE * s->diagonal, dNormalize(dCross(dSub(p[1], p[0]), dSub(p[2], p[0]))));
                if (surfaceSolidInside(s, dAdd(q, step)) == surfaceSolidInside(s, dSub(q, step)))
                    continue;
            }
            m->farthest[t] = distance;
        }
    }
}

static void meshTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Measure* m = arg;
    for (int t = begin; t < end; ++t) {
        m->farthest[t] = 0.0;
        const int* n = m->tets->triangles[t];
        DVec3 p[3] = {dFromV(m->tets->nodes[n[0]]), dFromV(m->tets->nodes[n[1]]), dFromV(m->tets->nodes[n[2]])};
        for (int k = 0; k < 7; ++k) {
            DVec3 q = spotIn(p, k);
            double distance = triQueryClosest(m->input, q, (double)INFINITY).distance - m->allowed;
            m->farthest[t] = maxD(m->farthest[t], distance);
        }
    }
}

static void cornersOf(const TriMesh* mesh, int t, DVec3 p[3])
{
    for (int k = 0; k < 3; ++k)
        p[k] = mesh->vertices[mesh->triangles[t][k]];
}

// UVs in the middle of each triangle of the result against those of the file at the closest place. On a seam that may
// be the other side of it.
static double shareOfUvs(const TriMesh* surface, const TriQuery* query, const TetMesh* tets)
{
    double same = 0.0, all = 0.0;
    for (int t = 0; t < tets->triangleCount; ++t) {
        const int* n = tets->triangles[t];
        DVec3 p[3] = {dFromV(tets->nodes[n[0]]), dFromV(tets->nodes[n[1]]), dFromV(tets->nodes[n[2]])}, q[3];
        double area = 0.5 * dLength(dCross(dSub(p[1], p[0]), dSub(p[2], p[0]))), off = 0.0;
        TriHit hit = triQueryClosest(query, spotIn(p, 6), (double)INFINITY);
        cornersOf(surface, hit.triangle, q);
        TriHit there = triClosest(q[0], q[1], q[2], spotIn(p, 6));
        for (int axis = 0; axis < 2; ++axis) {
            double own = 0.0, files = 0.0;
            for (int k = 0; k < 3; ++k) {
                own += (double)tets->corners[t][k].uv[axis] / 3.0;
                files += there.weights[k] * (double)surface->corners[hit.triangle][k].uv[axis];
            }
            off = maxD(off, fabs(own - files));
        }
        all += area;
        same += off <= UV_SAME ? area : 0.0;
    }
    return all > 0.0 ? same / all : (double)NAN;
}

static double largest(const double* values, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i)
        most = maxD(most, values[i]);
    return most;
}

bool measureResult(shContext* context, const TriMesh* surface, const TetMesh* tets, OpenPolicy open,
                   CookFileReport* report)
{
    Memory* memory = &context->memory;
    SurfaceSolid solid;
    SurfaceSolidDef def = {.thickness = report->lattice.thickness, .open = open};
    if (!surfaceSolidBuild(&solid, context, memory, surface, &def))
        return false;
    int count = tets->triangleCount > surface->triangleCount ? tets->triangleCount : surface->triangleCount;
    DVec3* nodes = NEW_ARRAY(memory, DVec3, tets->surfaceNodeCount);
    double* farthest = NEW_ARRAY(memory, double, count);
    TriQuery boundary = {0}, input = {0};
    bool ok = nodes != NULL && farthest != NULL;
    for (int i = 0; ok && i < tets->surfaceNodeCount; ++i)
        nodes[i] = dFromV(tets->nodes[i]);
    ok = ok && triQueryBuild(&boundary, memory, nodes, (const int(*)[3])tets->triangles, tets->triangleCount) &&
         triQueryBuild(&input, memory, solid.vertices, (const int(*)[3])solid.triangles, solid.triangleCount);
    if (ok) {
        double thickest = maxD(report->lattice.thickness, report->lattice.thickenedTo);
        Measure m = {.solid = &solid,
                     .tets = tets,
                     .boundary = &boundary,
                     .input = &input,
                     .allowed = 0.5 * thickest,
                     .farthest = farthest};
        parallelFor(context, surface->triangleCount, block, inputTask, &m);
        report->inputToMesh = largest(farthest, surface->triangleCount) / solid.diagonal;
        parallelFor(context, tets->triangleCount, block, meshTask, &m);
        report->meshToInput = largest(farthest, tets->triangleCount) / solid.diagonal;
        double volume = tetMeshQuality(tets, memory).volume, wanted = surfaceSolidVolume(&solid);
        bool closed = solid.defects.innerTriangles == 0 && thickest == 0.0;
        report->volumeError = closed && wanted > 0.0 ? fabs(volume - wanted) / wanted : (double)NAN;
    }
    report->uvsKept = (double)NAN;
    if (ok && surface->corners != NULL && tets->corners != NULL) {
        TriQuery whole;
        ok = triQueryBuild(&whole, memory, surface->vertices, (const int(*)[3])surface->triangles,
                           surface->triangleCount);
        if (ok) {
            report->uvsKept = shareOfUvs(surface, &whole, tets);
            triQueryFree(&whole, memory);
        }
    }
    triQueryFree(&boundary, memory);
    triQueryFree(&input, memory);
    FREE_ARRAY(memory, nodes, tets->surfaceNodeCount);
    FREE_ARRAY(memory, farthest, count);
    surfaceSolidFree(&solid);
    return ok;
}

int cookReportText(const CookFileReport* r, char* text, size_t size)
{
    size_t at = 0;
    const SurfaceDefects* d = &r->lattice.defects;
#define LINE(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            at += (size_t)snprintf(at < size ? text + at : NULL, at < size ? size - at : 0, __VA_ARGS__);              \
    } while (0)
    if (size > 0)
        text[0] = '\0';
    LINE(d->flatTriangles > 0, "%d triangles without area left out\n", d->flatTriangles);
    LINE(d->openEdges > 0, "%d open edges, %d holes closed\n", d->openEdges, d->cappedHoles);
    LINE(d->crowdedEdges > 0, "%d edges with more than two triangles\n", d->crowdedEdges);
    LINE(d->turnedTriangles > 0, "%d triangles turned around\n", d->turnedTriangles);
    LINE(d->innerTriangles > 0, "%d triangles inside the solid: overlapping shells joined\n", d->innerTriangles);
    LINE(d->sheetTriangles > 0, "%d triangles in %d of %d parts enclose nothing: given a thickness of %.4g m\n",
         d->sheetTriangles, d->sheetComponents, d->components, r->lattice.thickness);
    LINE(r->lattice.thickenedWalls > 0, "walls at %d triangles made thicker, to %.4g m\n", r->lattice.thickenedWalls,
         r->lattice.thickenedTo);
    LINE(r->lattice.gluedTriangles > 0, "parts closer than %.4g m joined, at %d triangles\n", r->lattice.gluedWithin,
         r->lattice.gluedTriangles);
    LINE(r->partsLeftOut > 0, "%d loose parts left out, %.3g %% of the volume\n", r->partsLeftOut,
         100.0 * r->volumeLeftOut);
    LINE(r->rounded > 0, "edges rounded: with sharp ones the surface would run through itself in %d places\n",
         r->rounded);
    LINE(r->crossings > 0, "the surface of the result runs through itself, or touches itself, in %d places\n",
         r->crossings);
    LINE(r->tetgen.slivers > 0, "%d flat tetrahedra mended\n", r->tetgen.slivers);
    LINE(vLength2(r->moved) > 0.0f, "moved by (%.9g, %.9g, %.9g) m, to the origin\n", (double)r->moved.x,
         (double)r->moved.y, (double)r->moved.z);
#undef LINE
    return (int)at;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/lattice.h"

#include "core/constants.h"
#include "core/forest.h"
#include "core/message.h"
#include "mesh/adjacency.h"
#include "mesh/lattice_stuff.h"
#include "mesh/tri_query.h"

#include <string.h>

// Pieces --------------------------------------------------------------------------------------------------------------

static double soupVolume6(const TetSoup* soup, int t)
{
    const int* n = soup->tets.data[t].n;
    const DVec3* p = soup->nodes.data;
    return dOrient(p[n[0]], p[n[1]], p[n[2]], p[n[3]]);
}

// Keeps the tets of the largest piece, in order; pieces hang together over faces.
static shStatus keepPiece(TetSoup* soup, const LatticeDef* def, int (*neighbors)[4], int* parent, double* volumes,
                          LatticeReport* report, shMessage* message)
{
    int count = soup->tets.count, pieces = 0, largest = 0;
    for (int t = 0; t < count; ++t) {
        parent[t] = t;
        volumes[t] = 0.0;
    }
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 4; ++k)
            if (neighbors[t][k] > t)
                forestJoin(parent, t, neighbors[t][k]);
    for (int t = 0; t < count; ++t)
        volumes[forestRoot(parent, t)] += soupVolume6(soup, t);
    double total = 0.0;
    for (int t = 0; t < count; ++t) {
        pieces += parent[t] == t;
        total += volumes[t];
        largest = volumes[t] > volumes[largest] ? t : largest;
    }
    report->piecesLeftOut = pieces - 1;
    report->volumeLeftOut = total > 0.0 ? 1.0 - volumes[largest] / total : 0.0;
    if (pieces == 1)
        return shOk;
    if (def->pieces == latticeOnePiece) {
        DVec3 p = soup->nodes.data[soup->tets.data[largest].n[0]];
        return fail(message, shBadMesh,
                    "lattice mesher: the solid is in %d pieces at a cell of %g m (the largest at (%g, %g, %g)); mesh "
                    "them one by one, keep only the largest, or take a smaller cell if they should be joined",
                    pieces, def->cell, p.x, p.y, p.z);
    }
    int kept = 0;
    for (int t = 0; t < count; ++t)
        if (forestRoot(parent, t) == largest)
            soup->tets.data[kept++] = soup->tets.data[t];
    soup->tets.count = kept;
    return shOk;
}

// Where the solid touches itself in a single point, each side gets a node of its own: corners of tets are one node
// when they are joined by a chain of faces around it.
static shStatus splitTouchingNodes(TetSoup* soup, Memory* memory, int (*neighbors)[4], int* corner, int* owner,
                                   shMessage* message)
{
    TetNodes* tets = soup->tets.data;
    int count = soup->tets.count, nodeCount = soup->nodes.count;
    for (int c = 0; c < 4 * count; ++c)
        corner[c] = c;
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 4; ++k) {
            int other = neighbors[t][k];
            for (int i = 0; i < 4 && other > t; ++i)
                for (int j = 0; j < 4 && i != k; ++j)
                    if (tets[other].n[j] == tets[t].n[i])
                        forestJoin(corner, 4 * t + i, 4 * other + j);
        }
    for (int n = 0; n < nodeCount; ++n)
        owner[n] = -1;
    for (int c = 0; c < 4 * count; ++c) {
        int* node = &tets[c / 4].n[c % 4];
        if (forestRoot(corner, c) != c) {
            *node = tets[corner[c] / 4].n[corner[c] % 4]; // its root comes first and is settled
            continue;
        }
        if (owner[*node] >= 0) {
            if (!arrayReserve(memory, &soup->nodes, (int64_t)soup->nodes.count + 1))
                return failMemory(message);
            DVec3 twin = soup->nodes.data[*node];
            *node = soup->nodes.count;
            soup->nodes.data[soup->nodes.count++] = twin;
        } else {
            owner[*node] = c;
        }
    }
    return shOk;
}

shStatus latticeTidy(TetSoup* soup, Memory* memory, const LatticeDef* def, LatticeReport* report, shMessage* message)
{
    int count = soup->tets.count, nodeCount = soup->nodes.count;
    int(*neighbors)[4] = memAlloc(memory, memBytes((size_t)count, sizeof *neighbors));
    int* scratch = NEW_ARRAY(memory, int, 4 * (int64_t)count);
    double* volumes = NEW_ARRAY(memory, double, count);
    int* owner = NEW_ARRAY(memory, int, nodeCount);
    const int(*tets)[4] = (const int(*)[4])soup->tets.data;
    shStatus status =
        neighbors == NULL || scratch == NULL || volumes == NULL || owner == NULL ? failMemory(message) : shOk;
    if (status == shOk)
        status = matchFaces(memory, count, tets, neighbors, message);
    if (status == shOk)
        status = keepPiece(soup, def, neighbors, scratch, volumes, report, message);
    if (status == shOk && soup->tets.count < count)
        status = matchFaces(memory, soup->tets.count, tets, neighbors, message);
    if (status == shOk)
        status = splitTouchingNodes(soup, memory, neighbors, scratch, owner, message);
    FREE_ARRAY(memory, neighbors, count);
    FREE_ARRAY(memory, scratch, 4 * (int64_t)count);
    FREE_ARRAY(memory, volumes, count);
    FREE_ARRAY(memory, owner, nodeCount);
    return status;
}

// Corners -------------------------------------------------------------------------------------------------------------

typedef struct Shading {
    const LatticeDef* def;
    TetMesh* mesh;
    int* patch;    // [triangle]
    int* first;    // [surface node + 1] into `around`
    int* around;   // [3 · triangle] triangles around a node
    Vec3* normals; // [surface node] along the distance's gradient
} Shading;

static void gradientTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Shading* s = arg;
    for (int n = begin; n < end; ++n)
        s->normals[n] = vNormalize(vFromD(latticeGradient(s->def, dFromV(s->mesh->nodes[n]))));
}

static void patchTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Shading* s = arg;
    for (int t = begin; t < end; ++t) {
        const int* n = s->mesh->triangles[t];
        const Vec3* p = s->mesh->nodes;
        DVec3 sum = dAdd(dAdd(dFromV(p[n[0]]), dFromV(p[n[1]])), dFromV(p[n[2]]));
        s->patch[t] = s->def->creases->patch(dScale(1.0 / 3.0, sum), s->def->user);
    }
}

// Sum of the area-weighted normals of the triangles around a corner that are on its patch. `alone`: all of them are.
static DVec3 patchNormal(const Shading* s, int node, int patch, bool* alone)
{
    DVec3 sum = {0.0, 0.0, 0.0};
    *alone = true;
    for (int i = s->first[node]; i < s->first[node + 1]; ++i) {
        const int* n = s->mesh->triangles[s->around[i]];
        if (s->patch[s->around[i]] != patch) {
            *alone = false;
            continue;
        }
        DVec3 a = dFromV(s->mesh->nodes[n[0]]), b = dFromV(s->mesh->nodes[n[1]]), c = dFromV(s->mesh->nodes[n[2]]);
        sum = dAdd(sum, dCross(dSub(b, a), dSub(c, a)));
    }
    return dNormalize(sum);
}

static DVec3 faceNormal(const TetMesh* mesh, int t)
{
    const int* n = mesh->triangles[t];
    DVec3 a = dFromV(mesh->nodes[n[0]]), b = dFromV(mesh->nodes[n[1]]), c = dFromV(mesh->nodes[n[2]]);
    return dNormalize(dCross(dSub(b, a), dSub(c, a)));
}

// Normals follow the gradient; at creases, where it has none, the mean of the faces on the same side.
static shStatus setNormals(TetMesh* mesh, Memory* memory, const LatticeDef* def, shMessage* message)
{
    int count = mesh->triangleCount, nodeCount = mesh->surfaceNodeCount;
    Shading s = {.def = def, .mesh = mesh};
    s.patch = NEW_ZEROED(memory, int, count);
    s.first = NEW_ZEROED(memory, int, nodeCount + 1);
    s.around = NEW_ARRAY(memory, int, 3 * (int64_t)count);
    s.normals = NEW_ZEROED(memory, Vec3, nodeCount);
    bool room = s.patch != NULL && s.first != NULL && s.around != NULL && s.normals != NULL;
    if (room) {
        if (def->closest == NULL)
            latticeFor(def, nodeCount, LATTICE_TASK_BLOCK, gradientTask, &s);
        if (def->creases != NULL)
            latticeFor(def, count, LATTICE_TASK_BLOCK, patchTask, &s);
        for (int c = 0; c < 3 * count; ++c)
            ++s.first[mesh->triangles[c / 3][c % 3]];
        for (int n = 0, begin = 0; n <= nodeCount; ++n) {
            begin += s.first[n];
            s.first[n] = begin;
        }
        for (int c = 3 * count - 1; c >= 0; --c)
            s.around[--s.first[mesh->triangles[c / 3][c % 3]]] = c / 3;
        for (int c = 0; c < 3 * count; ++c) {
            bool alone;
            int node = mesh->triangles[c / 3][c % 3];
            Vec3 normal = vFromD(patchNormal(&s, node, s.patch[c / 3], &alone));
            // A gradient against the faces comes from a jump or a ridge of the distance: not to be used.
            if (alone && vDot(s.normals[node], normal) > LATTICE_NORMAL_COSINE)
                normal = s.normals[node];
            if (!(vLength2(normal) > 0.0f)) // its patch folds back: the triangle's own
                normal = vFromD(faceNormal(mesh, c / 3));
            mesh->corners[c / 3][c % 3].normal = normal;
        }
    }
    FREE_ARRAY(memory, s.patch, count);
    FREE_ARRAY(memory, s.first, nodeCount + 1);
    FREE_ARRAY(memory, s.around, 3 * (int64_t)count);
    FREE_ARRAY(memory, s.normals, nodeCount);
    return room ? shOk : failMemory(message);
}

// Thin parts ----------------------------------------------------------------------------------------------------------

typedef struct Witnesses {
    const LatticeDef* def;
    const TriQuery* boundary;
    const DVec3* points; // lattice points near the surface
    DVec3* missed;       // the surface point that the mesh does not come near
    bool* thin;
} Witnesses;

// Walks from the lattice point to the surface and looks for the mesh there.
static void witnessTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Witnesses* w = arg;
    double cell = w->def->cell;
    for (int n = begin; n < end; ++n) {
        DVec3 p = w->points[n];
        w->thin[n] = false;
        if (triQueryClosest(w->boundary, p, 0.5 * LATTICE_THIN_TOLERANCE * cell).triangle >= 0)
            continue;
        for (int step = 0; step < 3; ++step)
            p = latticeTowardsSurface(w->def, p);
        DVec3 normal = dNormalize(latticeGradient(w->def, p));
        double side = 2.0 * LATTICE_GRADIENT_STEP * cell;
        if (fabs(w->def->distance(p, w->def->user)) > side)
            continue; // no surface there: the distance is only a bound
        if (w->def->distance(dMad(p, side, normal), w->def->user) < 0.0 &&
            w->def->distance(dMad(p, -side, normal), w->def->user) < 0.0)
            continue; // a sheet within the solid
        w->missed[n] = p;
        w->thin[n] = triQueryClosest(w->boundary, p, LATTICE_THIN_TOLERANCE * cell).triangle < 0;
    }
}

typedef struct SpanCheck {
    const LatticeDef* def;
    const ThinSpan* spans;
    bool* thin;
} SpanCheck;

// A wall or gap that no lattice point is in: the middle is on the other side, clearly, and the surface is left the
// opposite way it was entered. (Across a sharp edge, which is only rounded off, it turns by less.)
static void spanTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SpanCheck* s = arg;
    for (int n = begin; n < end; ++n) {
        const ThinSpan* span = &s->spans[n];
        double middle = s->def->distance(span->middle, s->def->user);
        s->thin[n] = fabs(middle) > LATTICE_SPAN_DEPTH * s->def->cell &&
                     (middle < 0.0) != (s->def->distance(span->a, s->def->user) < 0.0) &&
                     dDot(dNormalize(latticeGradient(s->def, span->a)), dNormalize(latticeGradient(s->def, span->b))) <
                         LATTICE_SPAN_COSINE;
    }
}

static shStatus checkSpans(const TetSoup* soup, Memory* memory, const LatticeDef* def, shMessage* message)
{
    int count = soup->spans.count;
    SpanCheck check = {def, soup->spans.data, NEW_ARRAY(memory, bool, count)};
    if (count > 0 && check.thin == NULL)
        return failMemory(message);
    latticeFor(def, count, LATTICE_TASK_BLOCK, spanTask, &check);
    shStatus status = shOk;
    for (int n = 0; n < count && status == shOk; ++n) {
        DVec3 p = check.spans[n].middle;
        if (check.thin[n])
            status = fail(message, shBadMesh,
                          "lattice mesher: a wall or gap near (%g, %g, %g) lies between the lattice points: it is "
                          "thinner than the cell of %g m; take a smaller cell",
                          p.x, p.y, p.z, def->cell);
    }
    FREE_ARRAY(memory, check.thin, count);
    return status;
}

static shStatus checkThin(const TetMesh* mesh, Memory* memory, const LatticeDef* def, const TetSoup* soup,
                          shMessage* message)
{
    int count = soup->witnesses.count;
    TriQuery boundary;
    DVec3* vertices = NEW_ARRAY(memory, DVec3, mesh->surfaceNodeCount);
    DVec3* missed = NEW_ARRAY(memory, DVec3, count);
    bool* thin = NEW_ARRAY(memory, bool, count);
    shStatus status = vertices == NULL || (count > 0 && (missed == NULL || thin == NULL)) ? failMemory(message) : shOk;
    for (int n = 0; n < mesh->surfaceNodeCount && status == shOk; ++n)
        vertices[n] = dFromV(mesh->nodes[n]);
    if (status == shOk &&
        !triQueryBuild(&boundary, memory, vertices, (const int(*)[3])mesh->triangles, mesh->triangleCount))
        status = failMemory(message);
    if (status == shOk) {
        Witnesses w = {def, &boundary, soup->witnesses.data, missed, thin};
        latticeFor(def, count, LATTICE_TASK_BLOCK, witnessTask, &w);
        triQueryFree(&boundary, memory);
        for (int n = 0; n < count && status == shOk; ++n)
            if (thin[n])
                status = fail(message, shBadMesh,
                              "lattice mesher: the surface near (%g, %g, %g) falls between the lattice points: that "
                              "part, or the gap beside it, is thinner than the cell of %g m; take a smaller cell",
                              missed[n].x, missed[n].y, missed[n].z, def->cell);
    }
    FREE_ARRAY(memory, vertices, mesh->surfaceNodeCount);
    FREE_ARRAY(memory, missed, count);
    FREE_ARRAY(memory, thin, count);
    return status;
}

static shStatus buildChecked(TetMesh* mesh, Memory* memory, const TetSoup* soup, shMessage* message)
{
    shStatus status = tetMeshBuild(mesh, memory, soup->nodes.count, soup->nodes.data, soup->tets.count,
                                   (const int(*)[4])soup->tets.data, false, message);
    return status == shOk ? tetMeshCheck(mesh, memory, message) : status;
}

shStatus latticeFinish(TetMesh* mesh, Memory* memory, const LatticeDef* def, TetSoup* soup, LatticeReport* report,
                       shMessage* message)
{
    memset(mesh, 0, sizeof *mesh);
    shStatus status = latticeTidy(soup, memory, def, report, message);
    if (status == shOk)
        status = latticeRefine(soup, memory, def, report, message);
    if (status == shOk)
        status = buildChecked(mesh, memory, soup, message);
    if (status != shBadMesh)
        return status;
    // Moving nodes to creases may have drawn a wall into an edge or a point: tear it apart there.
    for (int pass = 0; def->unpinch && pass < LATTICE_UNPINCH_PASSES && status == shBadMesh; ++pass) {
        LatticeReport again = {0};
        int removed;
        tetMeshFree(mesh, memory);
        status = latticeUnpinch(soup, memory, pass > 0, &removed, message);
        if (status == shOk)
            status = latticeTidy(soup, memory, def, &again, message);
        report->piecesLeftOut += again.piecesLeftOut;
        report->volumeLeftOut += again.volumeLeftOut;
        if (status == shOk)
            status = buildChecked(mesh, memory, soup, message);
    }
    return status;
}

shStatus latticeShade(TetMesh* mesh, Memory* memory, const LatticeDef* def, shMessage* message)
{
    return setNormals(mesh, memory, def, message);
}

// `again` is set when the lattice had a hold of everything but the mesh is not whole.
static shStatus meshOnce(TetMesh* mesh, Memory* memory, const LatticeDef* def, bool keepOpen, LatticeReport* report,
                         bool* again, shMessage* message)
{
    memset(report, 0, sizeof *report);
    memset(mesh, 0, sizeof *mesh);
    *again = false;
    TetSoup soup = {0};
    shStatus status = latticeStuff(&soup, memory, def, keepOpen, report, message);
    if (status == shOk)
        status = checkSpans(&soup, memory, def, message);
    if (status == shOk) {
        status = latticeFinish(mesh, memory, def, &soup, report, message);
        *again = status == shBadMesh;
    }
    // What was left out as a piece is no loss to complain about.
    if (status == shOk && !def->allowThin && report->piecesLeftOut == 0)
        status = checkThin(mesh, memory, def, &soup, message);
    if (status == shOk)
        status = setNormals(mesh, memory, def, message);
    if (status != shOk)
        tetMeshFree(mesh, memory);
    tetSoupFree(&soup, memory);
    return status;
}

shStatus latticeMesh(TetMesh* mesh, Memory* memory, const LatticeDef* def, LatticeReport* report, shMessage* message)
{
    LatticeReport unused;
    report = report != NULL ? report : &unused;
    bool again;
    shStatus status = meshOnce(mesh, memory, def, false, report, &again, message);
    return again ? meshOnce(mesh, memory, def, true, report, &again, message) : status;
}

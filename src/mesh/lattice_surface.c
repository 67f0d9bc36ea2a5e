// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Triangle surfaces for the lattice mesher: a distance with a robust sign, and creases found by angle.
#include "mesh/lattice.h"

#include "core/array.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/trig.h"
#include "mesh/adjacency.h"
#include "mesh/transfer.h"
#include "mesh/tri_query.h"

#include <stdlib.h>
#include <string.h>

typedef int Triple[3];

// An edge between two welded vertices and what is known of its triangles.
typedef struct SurfaceEdge {
    int a, b;
    int count;        // triangles
    int net;          // those that run from a to b less those that run from b to a
    int triangles[2]; // the first two
} SurfaceEdge;

typedef struct Surface {
    const TriMesh* mesh;
    Memory* memory;
    double cell;
    TriQuery query;
    TriQuery rims;    // open edges as flat triangles
    double rimLength; // m, of all of them
    int* welded;      // [vertex] the first vertex at the same place
    int* patch;       // [triangle] parent in a forest, then the root
    ARRAY(SurfaceEdge) edges;
    ARRAY(LatticeCrease) lines;
    ARRAY(DVec3) corners;
} Surface;

// Distance ------------------------------------------------------------------------------------------------------------

// Within its own distance from the triangles a point's winding number changes only because of open edges: at distance
// e from them and with length R in all, by at most R / (4π e²) per metre (Biot and Savart). So the distance to where
// it could pass one half is known, and the value never promises more room than there is.
static double surfaceDistance(DVec3 p, void* user)
{
    const Surface* s = user;
    double distance = triQueryClosest(&s->query, p, (double)INFINITY).distance;
    double winding = triQueryWinding(&s->query, p);
    if (s->rimLength > 0.0) {
        double e = triQueryClosest(&s->rims, p, (double)INFINITY).distance;
        double off = fabs(winding - 0.5);
        double margin = maxD(off - WINDING_ERROR, 0.5 * off); // within the error a hint is all there is
        distance = minD(distance, minD(0.5 * e, margin * TRIG_PI * e * e / s->rimLength));
    }
    return winding > 0.5 ? -distance : distance;
}

// What closes a hole is far from the triangles: there a point stays where it is.
static DVec3 surfaceClosest(DVec3 p, void* user)
{
    const Surface* s = user;
    TriHit hit = triQueryClosest(&s->query, p, 0.5 * s->cell);
    return hit.triangle >= 0 ? hit.point : p;
}

static int surfacePatch(DVec3 p, void* user)
{
    const Surface* s = user;
    return s->patch[triQueryClosest(&s->query, p, (double)INFINITY).triangle];
}

// Checks and welding --------------------------------------------------------------------------------------------------

static shStatus checkSurface(const TriMesh* mesh, const LatticeSurfaceDef* def, shMessage* message)
{
    if (mesh->triangleCount < 4 || mesh->vertexCount < 4)
        return fail(message, shBadMesh, "%d triangles with %d vertices enclose nothing", mesh->triangleCount,
                    mesh->vertexCount);
    if (!(def->cell >= 0.0) || !isfinite(def->cell))
        return fail(message, shInvalid, "lattice mesher: a cell of %g m makes no sense", def->cell);
    if (!(def->creaseAngle >= 0.0 && def->creaseAngle <= 180.0))
        return fail(message, shInvalid, "lattice mesher: a crease angle of %g° makes no sense", def->creaseAngle);
    for (int v = 0; v < mesh->vertexCount; ++v)
        if (!dFinite(mesh->vertices[v]))
            return fail(message, shBadMesh, "vertex %d is not finite", v);
    for (int t = 0; t < mesh->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            if (mesh->triangles[t][k] < 0 || mesh->triangles[t][k] >= mesh->vertexCount)
                return fail(message, shBadMesh, "triangle %d: vertex index %d is out of range (there are %d vertices)",
                            t, mesh->triangles[t][k], mesh->vertexCount);
    return shOk;
}

typedef struct Place {
    DVec3 p;
    int vertex;
} Place;

static int comparePlaces(const void* left, const void* right)
{
    const Place *a = left, *b = right;
    if (a->p.x != b->p.x)
        return a->p.x < b->p.x ? -1 : 1;
    if (a->p.y != b->p.y)
        return a->p.y < b->p.y ? -1 : 1;
    if (a->p.z != b->p.z)
        return a->p.z < b->p.z ? -1 : 1;
    return a->vertex - b->vertex;
}

static bool weld(Surface* s)
{
    int count = s->mesh->vertexCount;
    Place* places = NEW_ARRAY(s->memory, Place, count);
    s->welded = NEW_ARRAY(s->memory, int, count);
    if (places == NULL || s->welded == NULL) {
        FREE_ARRAY(s->memory, places, count);
        return false;
    }
    for (int v = 0; v < count; ++v)
        places[v] = (Place){dAdd(s->mesh->vertices[v], dvec3(0.0, 0.0, 0.0)), v}; // −0 becomes 0
    qsort(places, (size_t)count, sizeof *places, comparePlaces);
    for (int i = 0, first = 0; i < count; ++i) {
        if (dDistance(places[i].p, places[first].p) > 0.0)
            first = i;
        s->welded[places[i].vertex] = places[first].vertex;
    }
    FREE_ARRAY(s->memory, places, count);
    return true;
}

// Edges ---------------------------------------------------------------------------------------------------------------

// Orientation as the winding number takes it, in the order of the input: flipped[t].
static bool collectEdges(Surface* s, const bool* flipped)
{
    KeySet set;
    int64_t halves = 3 * (int64_t)s->mesh->triangleCount;
    if (!keySetInit(&set, s->memory, halves))
        return false;
    bool room = arrayReserve(s->memory, &s->edges, halves);
    for (int h = 0; h < halves && room; ++h) {
        int t = h / 3, k = h % 3;
        int a = s->welded[s->mesh->triangles[t][k]], b = s->welded[s->mesh->triangles[t][(k + 1) % 3]];
        if (a == b)
            continue;
        int key = keySetAddEdge(&set, a, b);
        SurfaceEdge* edge = &s->edges.data[key];
        if (key == s->edges.count) {
            *edge = (SurfaceEdge){.a = minI(a, b), .b = maxI(a, b)};
            ++s->edges.count;
        }
        if (edge->count < 2)
            edge->triangles[edge->count] = t;
        ++edge->count;
        edge->net += (a < b) != flipped[t] ? 1 : -1;
    }
    keySetFree(&set, s->memory);
    return room;
}

static double edgeLength(const Surface* s, const SurfaceEdge* edge)
{
    return dDistance(s->mesh->vertices[edge->a], s->mesh->vertices[edge->b]);
}

// The edges around which the winding number is not constant.
static bool collectRims(Surface* s)
{
    ARRAY(Triple) rims = {0};
    bool room = true;
    for (int e = 0; e < s->edges.count && room; ++e) {
        const SurfaceEdge* edge = &s->edges.data[e];
        if (edge->net == 0)
            continue;
        room = arrayReserve(s->memory, &rims, (int64_t)rims.count + 1);
        if (!room)
            break;
        memcpy(rims.data[rims.count++], (const int[3]){edge->a, edge->b, edge->b}, sizeof(Triple));
        s->rimLength += abs(edge->net) * edgeLength(s, edge);
    }
    if (room && s->rimLength > 0.0)
        room = triQueryBuild(&s->rims, s->memory, s->mesh->vertices, (const int(*)[3])rims.data, rims.count);
    arrayFree(s->memory, &rims);
    return room;
}

// Creases -------------------------------------------------------------------------------------------------------------

static int patchOf(Surface* s, int t)
{
    while (s->patch[t] != t) {
        s->patch[t] = s->patch[s->patch[t]];
        t = s->patch[t];
    }
    return t;
}

static void joinPatches(Surface* s, int a, int b)
{
    a = patchOf(s, a);
    b = patchOf(s, b);
    s->patch[maxI(a, b)] = minI(a, b);
}

static DVec3 areaVector(const TriMesh* mesh, int t)
{
    const int* n = mesh->triangles[t];
    DVec3 a = mesh->vertices[n[0]], b = mesh->vertices[n[1]], c = mesh->vertices[n[2]];
    return dScale(0.5, dCross(dSub(b, a), dSub(c, a)));
}

// Patches are what hangs together without crossing an edge sharper than the angle. Those too small for the lattice
// join the neighbour across their longest edge.
static bool findPatches(Surface* s, double cosine)
{
    int count = s->mesh->triangleCount;
    double* area = NEW_ARRAY(s->memory, double, count);
    double* longest = NEW_ARRAY(s->memory, double, count);
    int* into = NEW_ARRAY(s->memory, int, count);
    bool room = area != NULL && longest != NULL && into != NULL;
    for (int e = 0; e < s->edges.count && room; ++e) {
        const SurfaceEdge* edge = &s->edges.data[e];
        if (edge->count != 2)
            continue;
        DVec3 one = dNormalize(areaVector(s->mesh, edge->triangles[0]));
        DVec3 other = dNormalize(areaVector(s->mesh, edge->triangles[1]));
        // Two triangles that run the same way along their edge look to opposite sides.
        if ((edge->net == 0 ? 1.0 : -1.0) * dDot(one, other) > cosine)
            joinPatches(s, edge->triangles[0], edge->triangles[1]);
    }
    for (int pass = 0; pass < LATTICE_PATCH_PASSES && room; ++pass) {
        for (int t = 0; t < count; ++t) {
            area[t] = longest[t] = 0.0;
            s->patch[t] = patchOf(s, t);
        }
        for (int t = 0; t < count; ++t)
            area[s->patch[t]] += dLength(areaVector(s->mesh, t));
        for (int e = 0; e < s->edges.count; ++e) {
            const SurfaceEdge* edge = &s->edges.data[e];
            for (int side = 0; side < 2 && edge->count == 2; ++side) {
                int patch = s->patch[edge->triangles[side]], other = s->patch[edge->triangles[1 - side]];
                if (patch != other && edgeLength(s, edge) > longest[patch]) {
                    longest[patch] = edgeLength(s, edge);
                    into[patch] = other;
                }
            }
        }
        double smallest = LATTICE_PATCH_AREA * s->cell * s->cell;
        for (int t = 0; t < count; ++t)
            if (s->patch[t] == t && area[t] < smallest && longest[t] > 0.0)
                joinPatches(s, t, into[t]);
    }
    for (int t = 0; t < count && room; ++t)
        s->patch[t] = patchOf(s, t);
    FREE_ARRAY(s->memory, area, count);
    FREE_ARRAY(s->memory, longest, count);
    FREE_ARRAY(s->memory, into, count);
    return room;
}

typedef struct LineEnd {
    int count;   // lines at a vertex
    DVec3 first; // direction of the first one, away from it
    bool sharp;  // two lines that do not go on straight
} LineEnd;

// Feature lines where two patches meet; corners where other than two lines meet, or two at an angle.
static bool findCreases(Surface* s, double cosine)
{
    int vertexCount = s->mesh->vertexCount;
    LineEnd* ends = NEW_ZEROED(s->memory, LineEnd, vertexCount);
    bool room = ends != NULL;
    for (int e = 0; e < s->edges.count && room; ++e) {
        const SurfaceEdge* edge = &s->edges.data[e];
        int left = s->patch[edge->triangles[0]], right = edge->count == 2 ? s->patch[edge->triangles[1]] : left;
        if (left == right)
            continue;
        room = arrayReserve(s->memory, &s->lines, (int64_t)s->lines.count + 1);
        if (!room)
            break;
        DVec3 a = s->mesh->vertices[edge->a], b = s->mesh->vertices[edge->b];
        s->lines.data[s->lines.count++] = (LatticeCrease){a, b, {left, right}};
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
        room = arrayReserve(s->memory, &s->corners, (int64_t)s->corners.count + 1);
        if (room)
            s->corners.data[s->corners.count++] = s->mesh->vertices[v];
    }
    FREE_ARRAY(s->memory, ends, vertexCount);
    return room;
}

// All together --------------------------------------------------------------------------------------------------------

static bool prepare(Surface* s, const LatticeSurfaceDef* def)
{
    const TriMesh* mesh = s->mesh;
    if (!weld(s) ||
        !triQueryBuild(&s->query, s->memory, mesh->vertices, (const int(*)[3])mesh->triangles, mesh->triangleCount) ||
        !triQueryAddWinding(&s->query, s->memory))
        return false;
    bool* flipped = NEW_ARRAY(s->memory, bool, mesh->triangleCount);
    s->patch = NEW_ARRAY(s->memory, int, mesh->triangleCount);
    bool room = flipped != NULL && s->patch != NULL;
    for (int slot = 0; slot < mesh->triangleCount && room; ++slot) {
        flipped[s->query.ids[slot]] = s->query.flipped[slot];
        s->patch[slot] = slot;
    }
    room = room && collectEdges(s, flipped) && collectRims(s);
    FREE_ARRAY(s->memory, flipped, mesh->triangleCount);
    if (!room || def->creaseAngle == 0.0)
        return room;
    double cosine = trigCos(def->creaseAngle * TRIG_PI / 180.0);
    return findPatches(s, cosine) && findCreases(s, cosine);
}

static bool transfer(const TetMesh* mesh, shContext* context, const TriMesh* surface)
{
    int count = mesh->triangleCount;
    DVec3(*points)[3] = memAlloc(&context->memory, memBytes((size_t)count, sizeof *points));
    if (points == NULL)
        return false;
    for (int c = 0; c < 3 * count; ++c)
        points[c / 3][c % 3] = dFromV(mesh->nodes[mesh->triangles[c / 3][c % 3]]);
    TransferTarget target = {count, (const DVec3(*)[3])points, mesh->corners, mesh->groups};
    bool done = transferSurface(context, surface, &target);
    FREE_ARRAY(&context->memory, points, count);
    return done;
}

static double meanEdge(const TriMesh* mesh)
{
    double sum = 0.0;
    for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
        const int* n = mesh->triangles[h / 3];
        sum += dDistance(mesh->vertices[n[h % 3]], mesh->vertices[n[(h + 1) % 3]]);
    }
    return sum / (3.0 * mesh->triangleCount);
}

LatticeSurfaceDef latticeDefaultSurfaceDef(void) { return (LatticeSurfaceDef){.creaseAngle = LATTICE_CREASE_ANGLE}; }

static shStatus meshAt(double cell, TetMesh* mesh, shContext* context, const TriMesh* surface,
                       const LatticeSurfaceDef* def, LatticeReport* report, shMessage* message)
{
    Memory* memory = &context->memory;
    Surface s = {.mesh = surface, .memory = memory, .cell = cell};
    shBox box = triMeshBox(surface);
    DVec3 lower = dFromV(box.lower), upper = dFromV(box.upper);
    DVec3 margin = {cell, cell, cell}; // flat sheets have no box of their own
    shStatus status = prepare(&s, def) ? shOk : failMemory(message);
    LatticeCreases creases = {.patch = surfacePatch,
                              .lines = s.lines.data,
                              .lineCount = s.lines.count,
                              .corners = s.corners.data,
                              .cornerCount = s.corners.count};
    LatticeDef lattice = {.context = context,
                          .distance = surfaceDistance,
                          .closest = surfaceClosest,
                          .user = &s,
                          .lower = dSub(lower, margin),
                          .upper = dAdd(upper, margin),
                          .cell = cell,
                          .creases = s.lines.count > 0 ? &creases : NULL,
                          .pieces = def->pieces,
                          .allowThin = def->allowThin};
    if (s.rimLength == 0.0) // else what closes the holes is no surface to follow
        lattice.tolerance = LATTICE_TOLERANCE * dDistance(lower, upper);
    if (status == shOk)
        status = latticeMesh(mesh, memory, &lattice, report, message);
    if (status == shOk && !transfer(mesh, context, surface)) {
        tetMeshFree(mesh, memory);
        status = failMemory(message);
    }
    triQueryFree(&s.query, memory);
    triQueryFree(&s.rims, memory);
    FREE_ARRAY(memory, s.welded, surface->vertexCount);
    FREE_ARRAY(memory, s.patch, surface->triangleCount);
    arrayFree(memory, &s.edges);
    arrayFree(memory, &s.lines);
    arrayFree(memory, &s.corners);
    return status;
}

shStatus latticeMeshSurface(TetMesh* mesh, shContext* context, const TriMesh* surface, const LatticeSurfaceDef* def,
                            LatticeReport* report, shMessage* message)
{
    memset(mesh, 0, sizeof *mesh);
    shStatus status = checkSurface(surface, def, message);
    if (status != shOk)
        return status;
    shBox box = triMeshBox(surface);
    double diagonal = dDistance(dFromV(box.lower), dFromV(box.upper)), finest = diagonal / LATTICE_FINEST;
    double cell = def->cell > 0.0 ? def->cell : clampD(meanEdge(surface), finest, diagonal / LATTICE_COARSEST);
    status = meshAt(cell, mesh, context, surface, def, report, message);
    while (status == shBadMesh && def->cell == 0.0 && cell > finest) {
        cell = maxD(cell * LATTICE_FINER, finest);
        status = meshAt(cell, mesh, context, surface, def, report, message);
    }
    return status;
}

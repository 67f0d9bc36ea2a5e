// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/surface_solid.h"

#include "core/array.h"
#include "core/constants.h"
#include "core/forest.h"
#include "core/random.h"
#include "mesh/adjacency.h"
#include "mesh/surface_caps.h"

#include <stdlib.h>
#include <string.h>

enum { block = 64 };

static DVec3 areaVector(const SurfaceSolid* s, int t)
{
    const int* n = s->triangles[t];
    DVec3 a = s->vertices[n[0]], b = s->vertices[n[1]], c = s->vertices[n[2]];
    return dScale(0.5, dCross(dSub(b, a), dSub(c, a)));
}

static DVec3 pointIn(const SurfaceSolid* s, int t, const double w[3])
{
    const int* n = s->triangles[t];
    DVec3 p = dScale(w[0], s->vertices[n[0]]);
    p = dMad(p, w[1], s->vertices[n[1]]);
    return dMad(p, w[2], s->vertices[n[2]]);
}

static void turnTriangle(SurfaceSolid* s, int t)
{
    int* n = s->triangles[t];
    int swap = n[1];
    n[1] = n[2];
    n[2] = swap;
    s->turned[t] = !s->turned[t];
}

// Welding -------------------------------------------------------------------------------------------------------------

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
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static bool weldVertices(SurfaceSolid* s)
{
    int count = s->vertexCount;
    Place* places = NEW_ARRAY(s->memory, Place, count);
    if (places == NULL)
        return false;
    for (int v = 0; v < count; ++v)
        places[v] = (Place){s->vertices[v], v};
    qsort(places, (size_t)count, sizeof *places, comparePlaces);
    for (int i = 0, first = 0; i < count; ++i) {
        if (places[i].p.x != places[first].p.x || places[i].p.y != places[first].p.y ||
            places[i].p.z != places[first].p.z)
            first = i;
        s->welded[places[i].vertex] = places[first].vertex;
    }
    FREE_ARRAY(s->memory, places, count);
    return true;
}

static bool takeTriangles(SurfaceSolid* s, const TriMesh* mesh)
{
    int* parents = NEW_ARRAY(s->memory, int, s->vertexCount);
    if (parents == NULL)
        return false;
    for (int v = 0; v < s->vertexCount; ++v)
        parents[v] = v;
    double smallest = SOLID_FLAT_AREA * s->diagonal * s->diagonal;
    for (int t = 0; t < s->triangleCount; ++t) {
        for (int k = 0; k < 3; ++k)
            s->triangles[t][k] = s->welded[mesh->triangles[t][k]];
        bool flat = !(dLength(areaVector(s, t)) > smallest);
        s->roles[t] = flat ? roleFlat : roleBoundary;
        s->turned[t] = false;
        s->defects.flatTriangles += flat;
        if (!flat) {
            forestJoin(parents, s->triangles[t][0], s->triangles[t][1]);
            forestJoin(parents, s->triangles[t][0], s->triangles[t][2]);
        }
    }
    for (int t = 0; t < s->triangleCount; ++t) {
        s->components[t] = forestRoot(parents, s->triangles[t][0]);
        if (s->roles[t] == roleFlat)
            s->components[t] = -1;
    }
    // Roots become numbers in order of first appearance.
    int* number = parents;
    bool* seen = NEW_ZEROED(s->memory, bool, s->vertexCount);
    bool ok = seen != NULL;
    for (int t = 0; ok && t < s->triangleCount; ++t) {
        int root = s->components[t];
        if (root < 0)
            continue;
        if (!seen[root]) {
            seen[root] = true;
            number[root] = s->defects.components++;
        }
        s->components[t] = number[root];
    }
    FREE_ARRAY(s->memory, seen, s->vertexCount);
    FREE_ARRAY(s->memory, parents, s->vertexCount);
    return ok;
}

// Orientation ---------------------------------------------------------------------------------------------------------

typedef struct Orient {
    SurfaceSolid* solid;
    KeySet edges;
    int (*owners)[2]; // [edge] half edges 3t + k, −1: none
    int* counts;      // [edge] triangles
    int* nets;        // [edge] triangles one way less those the other way
    int* patches;     // [triangle]
    int patchCount;
    bool *open, *mended;  // [patch] has an edge that is not shared by two; some triangle was turned
    double *front, *back; // [patch] how much of the outside is seen
    int *queue, *first, *samples;
} Orient;

static bool collectEdges(Orient* o)
{
    SurfaceSolid* s = o->solid;
    int halves = 3 * s->triangleCount;
    for (int h = 0; h < halves; ++h) {
        if (s->roles[h / 3] == roleFlat)
            continue;
        int a = s->triangles[h / 3][h % 3], b = s->triangles[h / 3][(h + 1) % 3];
        int edge = keySetAddEdge(&o->edges, a, b);
        if (o->counts[edge] < 2)
            o->owners[edge][o->counts[edge]] = h;
        ++o->counts[edge];
        o->nets[edge] += a < b ? 1 : -1;
    }
    return true;
}

// Triangles of a patch hang together over edges of two triangles; they are turned to agree with the first of them.
static void floodPatch(Orient* o, int seed)
{
    SurfaceSolid* s = o->solid;
    int head = 0, tail = 0, patch = o->patchCount++;
    o->patches[seed] = patch;
    o->queue[tail++] = seed;
    while (head < tail) {
        int t = o->queue[head++];
        for (int k = 0; k < 3; ++k) {
            int a = s->triangles[t][k], b = s->triangles[t][(k + 1) % 3];
            int edge = keySetFindEdge(&o->edges, a, b);
            if (o->counts[edge] != 2) {
                o->open[patch] = true;
                continue;
            }
            int other = o->owners[edge][o->owners[edge][0] / 3 == t] / 3;
            if (o->patches[other] >= 0)
                continue;
            for (int j = 0; j < 3; ++j)
                if (s->triangles[other][j] == a && s->triangles[other][(j + 1) % 3] == b) {
                    turnTriangle(s, other);
                    o->mended[patch] = true;
                    break;
                }
            o->patches[other] = patch;
            o->queue[tail++] = other;
        }
    }
}

// One ray to each side from each sample triangle: how far the view goes, in diagonals, up to one.
static void lookTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Orient* o = arg;
    const SurfaceSolid* s = o->solid;
    for (int i = begin; i < end; ++i) {
        int t = o->samples[i];
        Random random = randomSeedItem(SOLID_SEED, (uint64_t)i);
        double u = sqrt(randomDouble(&random)), v = randomDouble(&random);
        DVec3 p = pointIn(s, t, (const double[3]){1.0 - u, u * (1.0 - v), u * v}),
              normal = dNormalize(areaVector(s, t));
        DVec3 direction = dNormalize(dAdd(normal, dScale(0.99, randomDirection(&random)))); // cosine-weighted
        double seen[2];
        for (int side = 0; side < 2; ++side) {
            DVec3 along = side == 0 ? direction : dNeg(direction);
            TriHit hit = triQueryRay(&s->boundary, dMad(p, SOLID_SIDE * s->diagonal, along), along, s->diagonal);
            seen[side] = hit.triangle < 0 ? 1.0 : hit.distance / s->diagonal * SOLID_NEAR_VIEW;
        }
        o->front[i] = seen[0];
        o->back[i] = seen[1];
    }
}

// Patches that are open or had to be mended face the side from which more of the outside is seen.
static bool turnPatches(Orient* o)
{
    SurfaceSolid* s = o->solid;
    Memory* memory = s->memory;
    double* area = NEW_ZEROED(memory, double, o->patchCount);
    double* total = NEW_ZEROED(memory, double, o->patchCount); // front less back
    int count = 0, room = 0;
    ARRAY(int) samples = {0};
    bool ok = area != NULL && total != NULL;
    for (int t = 0; ok && t < s->triangleCount; ++t)
        if (o->patches[t] >= 0)
            area[o->patches[t]] += dLength(areaVector(s, t));
    int turnable = 0;
    for (int patch = 0; patch < o->patchCount; ++patch)
        turnable += o->open[patch] || o->mended[patch];
    // Samples in proportion to the area, SOLID_VIEWS per patch; fewer where there are thousands of patches.
    double views = clampD(SOLID_ALL_VIEWS / maxI(turnable, 1), SOLID_FEWEST_VIEWS, SOLID_VIEWS);
    double* carry = NEW_ZEROED(memory, double, o->patchCount);
    ok = ok && carry != NULL;
    for (int t = 0; ok && t < s->triangleCount; ++t) {
        int patch = o->patches[t];
        if (patch < 0 || !(o->open[patch] || o->mended[patch]))
            continue;
        carry[patch] += views * dLength(areaVector(s, t)) / area[patch];
        for (; ok && carry[patch] >= 0.5; carry[patch] -= 1.0) {
            ok = arrayReserve(memory, &samples, (int64_t)samples.count + 1);
            if (ok)
                samples.data[samples.count++] = t;
        }
    }
    count = samples.count;
    room = maxI(count, 1);
    o->samples = samples.data;
    o->front = NEW_ZEROED(memory, double, room);
    o->back = NEW_ZEROED(memory, double, room);
    ok = ok && o->front != NULL && o->back != NULL;
    if (ok && count > 0) {
        parallelFor(s->context, count, block, lookTask, o);
        for (int i = 0; i < count; ++i)
            total[o->patches[samples.data[i]]] += o->front[i] - o->back[i];
        for (int t = 0; t < s->triangleCount; ++t)
            if (o->patches[t] >= 0 && total[o->patches[t]] < -maxD(1.0, SOLID_VIEW_MARGIN * views))
                turnTriangle(s, t);
    }
    FREE_ARRAY(memory, o->front, room);
    FREE_ARRAY(memory, o->back, room);
    FREE_ARRAY(memory, carry, o->patchCount);
    FREE_ARRAY(memory, total, o->patchCount);
    FREE_ARRAY(memory, area, o->patchCount);
    arrayFree(memory, &samples);
    return ok;
}

static bool buildQuery(SurfaceSolid* s, TriQuery* query, int** ids, int* idCount,
                       bool (*wanted)(const SurfaceSolid*, int))
{
    int count = 0;
    for (int t = 0; t < s->triangleCount; ++t)
        count += wanted(s, t);
    int(*list)[3] = memAlloc(s->memory, memBytes((size_t)maxI(count, 1), sizeof *list));
    int* numbers = NEW_ARRAY(s->memory, int, maxI(count, 1));
    bool ok = list != NULL && numbers != NULL;
    if (ok) {
        int at = 0;
        for (int t = 0; t < s->triangleCount; ++t)
            if (wanted(s, t)) {
                memcpy(list[at], s->triangles[t], sizeof list[at]);
                numbers[at++] = t;
            }
        triQueryFree(query, s->memory);
        ok = triQueryBuild(query, s->memory, s->vertices, (const int(*)[3])list, count);
    }
    FREE_ARRAY(s->memory, list, maxI(count, 1));
    if (ids != NULL) {
        FREE_ARRAY(s->memory, *ids, maxI(*idCount, 1));
        *ids = numbers;
        *idCount = count;
    } else {
        FREE_ARRAY(s->memory, numbers, maxI(count, 1));
    }
    return ok;
}

static bool notFlat(const SurfaceSolid* s, int t) { return s->roles[t] != roleFlat; }
static bool isBoundary(const SurfaceSolid* s, int t) { return s->roles[t] == roleBoundary; }
static bool isWinding(const SurfaceSolid* s, int t) { return s->roles[t] == roleBoundary || s->roles[t] == roleInner; }

static bool orient(SurfaceSolid* s)
{
    Memory* memory = s->memory;
    int64_t halves = 3 * (int64_t)s->triangleCount;
    Orient o = {.solid = s};
    o.owners = memAlloc(memory, memBytes((size_t)halves, sizeof *o.owners));
    o.counts = NEW_ZEROED(memory, int, halves);
    o.nets = NEW_ZEROED(memory, int, halves);
    o.patches = NEW_ARRAY(memory, int, s->triangleCount);
    o.queue = NEW_ARRAY(memory, int, s->triangleCount);
    o.open = NEW_ZEROED(memory, bool, s->triangleCount);
    o.mended = NEW_ZEROED(memory, bool, s->triangleCount);
    bool ok = o.owners != NULL && o.counts != NULL && o.nets != NULL && o.patches != NULL && o.queue != NULL &&
              o.open != NULL && o.mended != NULL && keySetInit(&o.edges, memory, halves) && collectEdges(&o);
    bool any = false;
    for (int t = 0; ok && t < s->triangleCount; ++t)
        o.patches[t] = -1;
    for (int t = 0; ok && t < s->triangleCount; ++t)
        if (o.patches[t] < 0 && s->roles[t] != roleFlat)
            floodPatch(&o, t);
    for (int patch = 0; ok && patch < o.patchCount; ++patch)
        any = any || o.open[patch] || o.mended[patch];
    for (int e = 0; ok && e < o.edges.count; ++e) {
        s->defects.openEdges += o.nets[e] != 0 && o.counts[e] != 2;
        s->defects.crowdedEdges += o.counts[e] > 2;
    }
    if (ok && any)
        ok = buildQuery(s, &s->boundary, &s->boundaryIds, &s->boundaryCount, notFlat) && turnPatches(&o);
    keySetFree(&o.edges, memory);
    FREE_ARRAY(memory, o.owners, halves);
    FREE_ARRAY(memory, o.counts, halves);
    FREE_ARRAY(memory, o.nets, halves);
    FREE_ARRAY(memory, o.patches, s->triangleCount);
    FREE_ARRAY(memory, o.queue, s->triangleCount);
    FREE_ARRAY(memory, o.open, s->triangleCount);
    FREE_ARRAY(memory, o.mended, s->triangleCount);
    return ok;
}

// Roles ---------------------------------------------------------------------------------------------------------------

typedef struct Sides {
    const SurfaceSolid* solid;
    uint8_t* inside;  // [triangle] bits: 1 some sample is outside behind, 2 inside behind, 4 outside before, 8 inside
    float* ambiguity; // [triangle] how far the winding numbers are from whole ones, mean
} Sides;

static void sidesTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Sides* sides = arg;
    const SurfaceSolid* s = sides->solid;
    static const double spots[4][3] = {
        {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}, {0.8, 0.1, 0.1}, {0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}};
    for (int t = begin; t < end; ++t) {
        sides->inside[t] = 0;
        sides->ambiguity[t] = 0.0f;
        if (s->roles[t] == roleFlat || s->roles[t] == roleSheet)
            continue;
        DVec3 area = areaVector(s, t), normal = dNormalize(area);
        double step = SOLID_SIDE * s->diagonal, sum = 0.0;
        int count = dLength(area) > SOLID_LARGE_AREA * s->diagonal * s->diagonal ? 4 : 1;
        for (int i = 0; i < count; ++i) {
            DVec3 p = pointIn(s, t, spots[i]);
            double behind = triQueryWinding(&s->winding, dMad(p, -step, normal));
            double before = triQueryWinding(&s->winding, dMad(p, step, normal));
            sides->inside[t] |= (uint8_t)((behind > 0.5 ? 2 : 1) | (before > 0.5 ? 8 : 4));
            sum += fabs(behind - floor(behind + 0.5)) + fabs(before - floor(before + 0.5));
        }
        sides->ambiguity[t] = (float)(0.5 * sum / count);
    }
}

// Components along which the winding number is ambiguous have no inside to speak of. (A flat sheet has one half on
// either side, a bowl a quarter, a scan with holes almost nothing.)
static bool findSheets(SurfaceSolid* s, const Sides* sides, OpenPolicy policy, bool* changed)
{
    int count = s->defects.components;
    double* area = NEW_ZEROED(s->memory, double, maxI(count, 1));
    double* sum = NEW_ZEROED(s->memory, double, maxI(count, 1));
    bool ok = area != NULL && sum != NULL;
    double limit = policy == openShell ? SOLID_CLOSED : policy == openFill ? (double)INFINITY : SOLID_AMBIGUOUS;
    for (int t = 0; ok && t < s->triangleCount; ++t)
        if (isWinding(s, t)) {
            double a = dLength(areaVector(s, t));
            area[s->components[t]] += a;
            sum[s->components[t]] += a * (double)sides->ambiguity[t];
        }
    // Area without volume in components that have one: fins; if there is hardly any it is noise, and left out.
    double* fins = NEW_ZEROED(s->memory, double, maxI(count, 1));
    ok = ok && fins != NULL;
    for (int t = 0; ok && t < s->triangleCount; ++t)
        if (isWinding(s, t) && (sides->inside[t] & 10) == 0)
            fins[s->components[t]] += dLength(areaVector(s, t));
    *changed = false;
    for (int t = 0; ok && t < s->triangleCount; ++t) {
        if (!isWinding(s, t))
            continue;
        bool sheet = sum[s->components[t]] > limit * area[s->components[t]];
        int bits = sides->inside[t];
        bool noVolume = (bits & 2) == 0 && (bits & 8) == 0; // outside on both sides
        bool noise = fins[s->components[t]] < SOLID_NOISE_AREA * area[s->components[t]];
        if (noVolume && !sheet && (t >= s->meshTriangleCount || noise)) {
            s->roles[t] = roleFlat; // or a cap that closes nothing
            *changed = true;
            continue;
        }
        s->roles[t] = sheet || noVolume ? roleSheet : (bits & 1) == 0 && (bits & 4) == 0 ? roleInner : roleBoundary;
        *changed = *changed || s->roles[t] == roleSheet;
    }
    FREE_ARRAY(s->memory, area, maxI(count, 1));
    FREE_ARRAY(s->memory, sum, maxI(count, 1));
    FREE_ARRAY(s->memory, fins, maxI(count, 1));
    return ok;
}

static bool findRoles(SurfaceSolid* s, OpenPolicy policy)
{
    int room = 4 * s->triangleCount; // with a cap on every edge
    Sides sides = {s, NEW_ARRAY(s->memory, uint8_t, room), NEW_ARRAY(s->memory, float, room)};
    bool ok = sides.inside != NULL && sides.ambiguity != NULL, changed = true;
    // Without the sheets the winding number of the rest changes: look once more.
    for (int pass = 0; ok && changed && pass < SOLID_ROLE_PASSES; ++pass) {
        ok = buildQuery(s, &s->winding, NULL, NULL, isWinding) && triQueryAddWinding(&s->winding, s->memory);
        if (ok && s->winding.triangleCount > 0) {
            parallelFor(s->context, s->triangleCount, block, sidesTask, &sides);
            ok = findSheets(s, &sides, pass == 0 ? policy : openFill, &changed);
            if (ok && pass == 0 && s->defects.openEdges > 0) {
                ok = surfaceSolidCap(s);
                changed = true; // caps have a part in the winding number, too
            }
        } else {
            changed = false;
        }
    }
    if (ok && changed)
        ok = buildQuery(s, &s->winding, NULL, NULL, isWinding) && triQueryAddWinding(&s->winding, s->memory);
    FREE_ARRAY(s->memory, sides.inside, room);
    FREE_ARRAY(s->memory, sides.ambiguity, room);
    return ok;
}

static bool countRoles(SurfaceSolid* s)
{
    bool* sheet = NEW_ZEROED(s->memory, bool, maxI(s->defects.components, 1));
    for (int t = 0; t < s->triangleCount; ++t) {
        s->defects.turnedTriangles += s->turned[t];
        s->defects.innerTriangles += t < s->meshTriangleCount && s->roles[t] == roleInner;
        s->defects.sheetTriangles += s->roles[t] == roleSheet;
        if (sheet != NULL && s->roles[t] == roleSheet)
            sheet[s->components[t]] = true;
    }
    for (int c = 0; sheet != NULL && c < s->defects.components; ++c)
        s->defects.sheetComponents += sheet[c];
    bool ok = sheet != NULL;
    FREE_ARRAY(s->memory, sheet, maxI(s->defects.components, 1));
    return ok;
}

// What the winding query found to be inside out is turned here as well.
static void followFlips(SurfaceSolid* s)
{
    int at = 0, count = s->winding.triangleCount;
    int* number = NEW_ARRAY(s->memory, int, maxI(count, 1));
    if (number == NULL)
        return; // normals of some shells stay turned inwards; the sign does not depend on them
    for (int t = 0; t < s->triangleCount; ++t)
        if (isWinding(s, t))
            number[at++] = t;
    for (int slot = 0; slot < count; ++slot)
        if (s->winding.flipped[slot])
            turnTriangle(s, number[s->winding.ids[slot]]);
    FREE_ARRAY(s->memory, number, maxI(count, 1));
}

bool surfaceSolidBuild(SurfaceSolid* s, const shContext* context, Memory* memory, const TriMesh* mesh,
                       const SurfaceSolidDef* def)
{
    *s = (SurfaceSolid){.context = context,
                        .memory = memory,
                        .vertexCount = mesh->vertexCount,
                        .triangleCount = mesh->triangleCount,
                        .meshVertexCount = mesh->vertexCount,
                        .meshTriangleCount = mesh->triangleCount,
                        .vertexRoom = mesh->vertexCount,
                        .triangleRoom = mesh->triangleCount};
    s->lower = dvec3((double)INFINITY, (double)INFINITY, (double)INFINITY);
    s->upper = dNeg(s->lower);
    for (int t = 0; t < mesh->triangleCount; ++t)
        for (int k = 0; k < 3; ++k) {
            DVec3 p = mesh->vertices[mesh->triangles[t][k]];
            s->lower = dvec3(minD(s->lower.x, p.x), minD(s->lower.y, p.y), minD(s->lower.z, p.z));
            s->upper = dvec3(maxD(s->upper.x, p.x), maxD(s->upper.y, p.y), maxD(s->upper.z, p.z));
        }
    s->diagonal = dDistance(s->lower, s->upper);
    s->thickness = def->thickness > 0.0 ? def->thickness : SHEET_THICKNESS * s->diagonal;
    s->vertices = NEW_ARRAY(memory, DVec3, mesh->vertexCount);
    s->triangles = memAlloc(memory, memBytes((size_t)mesh->triangleCount, sizeof *s->triangles));
    s->roles = NEW_ARRAY(memory, uint8_t, mesh->triangleCount);
    s->turned = NEW_ARRAY(memory, bool, mesh->triangleCount);
    s->components = NEW_ARRAY(memory, int, mesh->triangleCount);
    s->welded = NEW_ARRAY(memory, int, mesh->vertexCount);
    bool ok = s->vertices != NULL && s->triangles != NULL && s->roles != NULL && s->turned != NULL &&
              s->components != NULL && s->welded != NULL;
    for (int v = 0; ok && v < mesh->vertexCount; ++v)
        s->vertices[v] = mesh->vertices[v];
    ok = ok && weldVertices(s) && takeTriangles(s, mesh) && orient(s) && findRoles(s, def->open);
    if (ok)
        followFlips(s);
    ok = ok && buildQuery(s, &s->boundary, &s->boundaryIds, &s->boundaryCount, isBoundary) && countRoles(s) &&
         surfaceSolidThicken(s, NULL);
    if (!ok)
        surfaceSolidFree(s);
    return ok;
}

static void thickFree(ThickPart* part, Memory* memory)
{
    FREE_ARRAY(memory, part->radius, part->query.triangleCount);
    FREE_ARRAY(memory, part->nodeRadius, part->query.nodeCount);
    triQueryFree(&part->query, memory);
    *part = (ThickPart){0};
}

void surfaceSolidFree(SurfaceSolid* s)
{
    Memory* memory = s->memory;
    triQueryFree(&s->boundary, memory);
    triQueryFree(&s->winding, memory);
    thickFree(&s->thick, memory);
    FREE_ARRAY(memory, s->boundaryIds, maxI(s->boundaryCount, 1));
    FREE_ARRAY(memory, s->thickIds, maxI(s->thickCount, 1));
    FREE_ARRAY(memory, s->vertices, s->vertexRoom);
    FREE_ARRAY(memory, s->triangles, s->triangleRoom);
    FREE_ARRAY(memory, s->roles, s->triangleRoom);
    FREE_ARRAY(memory, s->turned, s->triangleRoom);
    FREE_ARRAY(memory, s->components, s->triangleRoom);
    FREE_ARRAY(memory, s->welded, s->vertexRoom);
    *s = (SurfaceSolid){.memory = memory};
}

// Thick parts ---------------------------------------------------------------------------------------------------------

bool surfaceSolidThicken(SurfaceSolid* s, const double* radius)
{
    Memory* memory = s->memory;
    thickFree(&s->thick, memory);
    FREE_ARRAY(memory, s->thickIds, maxI(s->thickCount, 1));
    s->thickIds = NULL;
    s->thickCount = 0;
    int count = 0;
    for (int t = 0; t < s->triangleCount; ++t)
        count += s->roles[t] == roleSheet || (radius != NULL && radius[t] > 0.0 && s->roles[t] != roleFlat);
    int room = maxI(count, 1);
    int(*list)[3] = memAlloc(memory, memBytes((size_t)room, sizeof *list));
    double* given = NEW_ARRAY(memory, double, room);
    s->thickIds = NEW_ARRAY(memory, int, room);
    s->thickCount = count;
    bool ok = list != NULL && given != NULL && s->thickIds != NULL;
    for (int t = 0, at = 0; ok && at < count; ++t) {
        double r = radius != NULL && s->roles[t] != roleFlat ? maxD(radius[t], 0.0) : 0.0;
        if (s->roles[t] == roleSheet)
            r = maxD(r, 0.5 * s->thickness);
        if (r <= 0.0)
            continue;
        memcpy(list[at], s->triangles[t], sizeof list[at]);
        given[at] = r;
        s->thickIds[at++] = t;
    }
    ThickPart* part = &s->thick;
    ok = ok && triQueryBuild(&part->query, memory, s->vertices, (const int(*)[3])list, count);
    if (ok && count > 0) {
        part->radius = NEW_ARRAY(memory, double, part->query.triangleCount);
        part->nodeRadius = NEW_ZEROED(memory, double, part->query.nodeCount);
        ok = part->radius != NULL && part->nodeRadius != NULL;
        for (int slot = 0; ok && slot < count; ++slot)
            part->radius[slot] = given[part->query.ids[slot]];
        for (int n = part->query.nodeCount - 1; ok && n >= 0; --n) { // children come after their parent
            const TriNode* node = &part->query.nodes[n];
            for (int i = node->first; i < node->first + node->count; ++i)
                part->nodeRadius[n] = maxD(part->nodeRadius[n], part->radius[i]);
            if (node->count == 0)
                part->nodeRadius[n] = maxD(part->nodeRadius[node->first], part->nodeRadius[node->first + 1]);
        }
    }
    FREE_ARRAY(memory, list, room);
    FREE_ARRAY(memory, given, room);
    return ok;
}

double thickDistance(const ThickPart* part, DVec3 p, TriHit* hit)
{
    double best = (double)INFINITY;
    struct {
        int node;
        double bound;
    } stack[triTreeDepth + 1];
    int count = 0;
    const TriQuery* query = &part->query;
    if (query->triangleCount > 0) {
        stack[count].node = 0;
        stack[count++].bound = -(double)INFINITY;
    }
    while (count > 0) {
        --count;
        if (!(stack[count].bound < best))
            continue;
        const TriNode* node = &query->nodes[stack[count].node];
        for (int slot = node->first; slot < node->first + node->count; ++slot) {
            const DVec3* c = query->corners[slot];
            TriHit at = triClosest(c[0], c[1], c[2], p);
            if (at.distance - part->radius[slot] < best) {
                best = at.distance - part->radius[slot];
                *hit = at;
                hit->slot = slot;
                hit->triangle = query->ids[slot];
            }
        }
        if (node->count > 0)
            continue;
        int first = node->first;
        double bounds[2];
        for (int k = 0; k < 2; ++k)
            bounds[k] = triNodeDistance(&query->nodes[first + k], p) - part->nodeRadius[first + k];
        int nearer = bounds[1] < bounds[0];
        for (int k = 0; k < 2; ++k) {
            int child = k == 0 ? 1 - nearer : nearer; // the nearer one last, to be looked at first
            stack[count].node = first + child;
            stack[count++].bound = bounds[child];
        }
    }
    return best;
}

// Gluing --------------------------------------------------------------------------------------------------------------

typedef struct Glue {
    const SurfaceSolid* solid;
    double reach;
    double* radius;
} Glue;

// Half the distance to the nearest triangle of another component, as seen from four places, where it is within reach.
static void glueTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    Glue* g = arg;
    const SurfaceSolid* s = g->solid;
    static const double spots[4][3] = {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int t = begin; t < end; ++t) {
        g->radius[t] = 0.0;
        if (s->roles[t] != roleBoundary && s->roles[t] != roleSheet)
            continue;
        double best = g->reach;
        for (int spot = 0; spot < 4; ++spot) {
            DVec3 p = pointIn(s, t, spots[spot]);
            int stack[triTreeDepth + 1], count = 0;
            const TriQuery* query = &s->boundary;
            if (query->triangleCount > 0)
                stack[count++] = 0;
            while (count > 0) {
                const TriNode* node = &query->nodes[stack[--count]];
                if (triNodeDistance(node, p) >= best)
                    continue;
                for (int slot = node->first; slot < node->first + node->count; ++slot) {
                    const DVec3* c = query->corners[slot];
                    if (s->components[s->boundaryIds[query->ids[slot]]] != s->components[t])
                        best = minD(best, triClosest(c[0], c[1], c[2], p).distance);
                }
                if (node->count == 0) {
                    stack[count++] = node->first + 1;
                    stack[count++] = node->first;
                }
            }
        }
        if (best < g->reach)
            g->radius[t] = 0.5 * best + SOLID_GLUE_DEPTH * g->reach;
    }
}

int surfaceSolidGlue(const SurfaceSolid* s, double reach, double* radius)
{
    Glue glue = {s, reach, radius};
    parallelFor(s->context, s->triangleCount, block, glueTask, &glue);
    int count = 0;
    for (int t = 0; t < s->triangleCount; ++t)
        count += radius[t] > 0.0;
    return count;
}

// Questions -----------------------------------------------------------------------------------------------------------

bool surfaceSolidInside(const SurfaceSolid* s, DVec3 p) { return surfaceSolidDistance(s, p) < 0.0; }

double surfaceSolidDistance(const SurfaceSolid* s, DVec3 p)
{
    double distance = (double)INFINITY;
    if (s->winding.triangleCount > 0) {
        distance = triQueryClosest(&s->boundary, p, (double)INFINITY).distance;
        if (triQueryWinding(&s->winding, p) > 0.5)
            distance = -distance;
    }
    TriHit hit;
    return minD(distance, thickDistance(&s->thick, p, &hit));
}

bool surfaceSolidCrossing(const SurfaceSolid* s, DVec3 p, DVec3 q, double* t)
{
    TriHit thick, hit = triQueryRay(&s->boundary, p, dSub(q, p), 1.0);
    if (hit.triangle < 0)
        return false;
    // Partly covered triangles count as boundary: beyond the right one the solid must end.
    DVec3 beyond = dLerp(p, q, minD(1.0, hit.distance + SOLID_STEP_BEYOND));
    if (s->defects.innerTriangles > 0 && triQueryWinding(&s->winding, beyond) > 0.5)
        return false;
    if (s->thickCount > 0 &&
        (thickDistance(&s->thick, p, &thick) < 0.0 || thickDistance(&s->thick, beyond, &thick) < 0.0))
        return false;
    *t = hit.distance;
    return true;
}

DVec3 surfaceSolidClosest(const SurfaceSolid* s, DVec3 p, double reach, int* triangle)
{
    TriHit thickHit = {.triangle = -1}, hit = triQueryClosest(&s->boundary, p, reach);
    double thick = thickDistance(&s->thick, p, &thickHit);
    double plain = hit.triangle < 0 ? (double)INFINITY : hit.distance;
    int found = hit.triangle >= 0 ? s->boundaryIds[hit.triangle] : -1;
    DVec3 point = hit.triangle >= 0 ? hit.point : p;
    if (thickHit.triangle >= 0 && fabs(thick) <= reach) {
        // The union's surface: the ball's, unless the plain surface sticks out of all balls and is nearer.
        TriHit unused;
        bool covered = hit.triangle >= 0 && thickDistance(&s->thick, hit.point, &unused) < 0.0;
        if (plain > fabs(thick) || covered) {
            DVec3 out = dSub(p, thickHit.point);
            double length = dLength(out);
            const DVec3* c = s->thick.query.corners[thickHit.slot];
            DVec3 normal = dNormalize(dCross(dSub(c[1], c[0]), dSub(c[2], c[0])));
            DVec3 way = length > SOLID_SIDE * s->diagonal ? dScale(1.0 / length, out) : normal;
            point = dMad(thickHit.point, s->thick.radius[thickHit.slot], way);
            found = s->thickIds[thickHit.triangle];
        }
    }
    if (triangle != NULL)
        *triangle = found;
    return point;
}

// Walls and gaps ------------------------------------------------------------------------------------------------------

typedef struct WallTask {
    const SurfaceSolid* solid;
    double* lengths[2]; // walls, gaps
} WallTask;

static void wallTask(int begin, int end, int worker, void* arg)
{
    (void)worker;
    WallTask* w = arg;
    const SurfaceSolid* s = w->solid;
    for (int t = begin; t < end; ++t)
        for (int side = 0; side < 2; ++side) {
            w->lengths[side][t] = (double)INFINITY;
            if (s->roles[t] != roleBoundary)
                continue;
            DVec3 normal = dNormalize(areaVector(s, t)), along = side == 0 ? dNeg(normal) : normal;
            DVec3 p = pointIn(s, t, (const double[3]){1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0});
            double start = SOLID_SIDE * s->diagonal;
            TriHit hit = triQueryRay(&s->boundary, dMad(p, start, along), along, s->diagonal);
            if (hit.triangle < 0)
                continue;
            DVec3 other = dNormalize(areaVector(s, s->boundaryIds[hit.triangle]));
            if (dDot(other, normal) < -SOLID_WALL_COSINE)
                w->lengths[side][t] = start + hit.distance;
        }
}

bool surfaceSolidWalls(const SurfaceSolid* s, double* walls, double* gaps)
{
    WallTask task = {s, {walls, gaps}};
    parallelFor(s->context, s->triangleCount, block, wallTask, &task);
    return true;
}

double surfaceSolidVolume(const SurfaceSolid* s)
{
    double volume = 0.0;
    DVec3 middle = dLerp(s->lower, s->upper, 0.5);
    for (int t = 0; t < s->triangleCount; ++t)
        if (s->roles[t] == roleBoundary)
            volume += dDot(dSub(s->vertices[s->triangles[t][0]], middle), areaVector(s, t)) / 3.0;
    return volume;
}

double surfaceSolidArea(const SurfaceSolid* s)
{
    double area = 0.0;
    for (int t = 0; t < s->triangleCount; ++t)
        if (s->roles[t] == roleBoundary || s->roles[t] == roleSheet)
            area += dLength(areaVector(s, t));
    return area;
}

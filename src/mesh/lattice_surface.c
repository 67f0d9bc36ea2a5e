// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Triangle surfaces for the lattice mesher: the uniform lattice where it resolves the solid, graded tetrahedra where
// not.
#include "mesh/lattice.h"

#include "core/array.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/trig.h"
#include "mesh/adjacency.h"
#include "mesh/lattice_adapt.h"
#include "mesh/lattice_creases.h"
#include "mesh/lattice_plan.h"
#include "mesh/transfer.h"

#include <stdlib.h>
#include <string.h>

typedef int Triple[3];

typedef struct Surface {
    const TriMesh* mesh;
    Memory* memory;
    SurfaceSolid solid;
    LatticePlan plan;
    SurfaceCreases creases;
    TriQuery rims;    // edges around which the winding number is not constant, as flat triangles
    double rimLength; // m, of all of them
    double reach;     // m, of the closest surface
} Surface;

// Distance ------------------------------------------------------------------------------------------------------------

// Within its own distance from the triangles a point's winding number changes only because of open edges: at distance
// e from them and with length R in all, by at most R / (4π e²) per metre (Biot and Savart). So the distance to where
// it could pass one half is known, and the value never promises more room than there is.
static double surfaceDistance(DVec3 p, void* user)
{
    const Surface* s = user;
    double distance = surfaceSolidDistance(&s->solid, p);
    if (s->rimLength == 0.0 || s->solid.winding.triangleCount == 0)
        return distance;
    double winding = triQueryWinding(&s->solid.winding, p);
    double e = triQueryClosest(&s->rims, p, (double)INFINITY).distance;
    double off = fabs(winding - 0.5);
    double margin = maxD(off - WINDING_ERROR, 0.5 * off); // within the error a hint is all there is
    double bound = minD(0.5 * e, margin * TRIG_PI * e * e / s->rimLength);
    return distance < 0.0 ? maxD(distance, -bound) : minD(distance, bound);
}

static double solidDistance(DVec3 p, void* user) { return surfaceSolidDistance(&((const Surface*)user)->solid, p); }

static bool solidCrossing(DVec3 p, DVec3 q, double* t, void* user)
{
    return surfaceSolidCrossing(&((const Surface*)user)->solid, p, q, t);
}

// What closes a hole is far from the triangles: there a point stays where it is.
static DVec3 surfaceClosest(DVec3 p, void* user)
{
    const Surface* s = user;
    return surfaceSolidClosest(&s->solid, p, s->reach, NULL);
}

static int surfacePatch(DVec3 p, void* user)
{
    const Surface* s = user;
    int triangle;
    surfaceSolidClosest(&s->solid, p, (double)INFINITY, &triangle);
    return triangle >= 0 ? s->creases.patch[triangle] : 0;
}

// Checks ---------------------------------------------------------------------------------------------------------

static shStatus checkSurface(const TriMesh* mesh, const LatticeSurfaceDef* def, shMessage* message)
{
    if (mesh->triangleCount < 1 || mesh->vertexCount < 3)
        return fail(message, shBadMesh, "%d triangles with %d vertices enclose nothing", mesh->triangleCount,
                    mesh->vertexCount);
    if (!(def->thickness >= 0.0) || !isfinite(def->thickness) || def->maxTets < 0)
        return fail(message, shInvalid, "lattice mesher: a thickness of %g m and at most %d tetrahedra", def->thickness,
                    def->maxTets);
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

// Rims ----------------------------------------------------------------------------------------------------------------

static bool collectRims(Surface* s)
{
    const SurfaceSolid* solid = &s->solid;
    int64_t halves = 3 * (int64_t)solid->triangleCount;
    KeySet set = {0};
    ARRAY(Triple) rims = {0};
    int* nets = NEW_ZEROED(s->memory, int, halves);
    bool room = nets != NULL && keySetInit(&set, s->memory, halves);
    for (int h = 0; h < halves && room; ++h) {
        int a = solid->triangles[h / 3][h % 3], b = solid->triangles[h / 3][(h + 1) % 3];
        if (solid->roles[h / 3] == roleBoundary || solid->roles[h / 3] == roleInner)
            nets[keySetAddEdge(&set, a, b)] += a < b ? 1 : -1;
    }
    for (int e = 0; e < set.count && room; ++e) {
        int a = set.keys[e][1], b = set.keys[e][2];
        if (nets[e] == 0)
            continue;
        room = arrayReserve(s->memory, &rims, (int64_t)rims.count + 1);
        if (!room)
            break;
        memcpy(rims.data[rims.count++], (const int[3]){a, b, b}, sizeof(Triple));
        s->rimLength += abs(nets[e]) * dDistance(solid->vertices[a], solid->vertices[b]);
    }
    if (room && s->rimLength > 0.0)
        room = triQueryBuild(&s->rims, s->memory, solid->vertices, (const int(*)[3])rims.data, rims.count);
    arrayFree(s->memory, &rims);
    keySetFree(&set, s->memory);
    FREE_ARRAY(s->memory, nets, halves);
    return room;
}

// All together --------------------------------------------------------------------------------------------------------

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

static shStatus meshUniform(Surface* s, const LatticeDef* lattice, TetMesh* mesh, LatticeReport* report,
                            shMessage* message)
{
    LatticeReport made;
    shStatus status = latticeMesh(mesh, s->memory, lattice, &made, message);
    report->pointCount = made.pointCount;
    report->evaluationCount = made.evaluationCount;
    report->piecesLeftOut = made.piecesLeftOut;
    report->volumeLeftOut = made.volumeLeftOut;
    report->creasesMissed = made.creasesMissed;
    return status;
}

static shStatus meshAdaptive(Surface* s, const LatticeDef* lattice, TetMesh* mesh, LatticeReport* report,
                             shMessage* message)
{
    LatticeDef plain = *lattice;
    plain.unpinch = true;
    plain.distance = solidDistance; // every point is asked, so there is no need of a bound
    AdaptDef adapt = {&plain, latticePlanSize, &s->plan, solidCrossing, PLAN_COARSEST * s->plan.cell};
    TetSoup soup = {0};
    report->adaptive = true;
    shStatus status = latticeAdapt(&soup, s->memory, &adapt, report, message);
    if (status == shOk)
        status = latticeFinish(mesh, s->memory, &plain, &soup, report, message);
    if (status == shOk)
        status = latticeShade(mesh, s->memory, &plain, message);
    if (status != shOk)
        tetMeshFree(mesh, s->memory);
    tetSoupFree(&soup, s->memory);
    return status;
}

static shStatus meshPlanned(Surface* s, shContext* context, const LatticeSurfaceDef* def, TetMesh* mesh,
                            LatticeReport* report, shMessage* message)
{
    SurfaceSolid* solid = &s->solid;
    double margin = s->plan.cell + maxD(solid->thickness, s->plan.thickenedTo);
    DVec3 around = {margin, margin, margin};
    if (def->creaseAngle > 0.0 && !surfaceCreasesFind(&s->creases, solid, s->plan.rounded,
                                                      trigCos(def->creaseAngle * TRIG_PI / 180.0), s->plan.cell))
        return failMemory(message);
    LatticeCreases creases = {.patch = surfacePatch,
                              .lines = s->creases.lines.data,
                              .lineCount = s->creases.lines.count,
                              .corners = s->creases.corners.data,
                              .cornerCount = s->creases.corners.count};
    s->reach = 0.5 * s->plan.cell;
    LatticeDef lattice = {.context = context,
                          .distance = surfaceDistance,
                          .closest = surfaceClosest,
                          .user = s,
                          .lower = dSub(solid->lower, around),
                          .upper = dAdd(solid->upper, around),
                          .cell = s->plan.cell,
                          .creases = s->creases.lines.count > 0 ? &creases : NULL,
                          .pieces = def->pieces,
                          .allowThin = def->allowThin,
                          .asStuffed = def->asStuffed};
    if (s->rimLength == 0.0) // else what closes the holes is no surface to follow
        lattice.tolerance = LATTICE_TOLERANCE * solid->diagonal;
    if (s->plan.uniform || def->allowThin) {
        shStatus status = meshUniform(s, &lattice, mesh, report, message);
        if (status != shBadMesh || def->allowThin)
            return status;
    }
    return meshAdaptive(s, &lattice, mesh, report, message);
}

static shStatus meshSolid(Surface* s, shContext* context, const LatticeSurfaceDef* def, TetMesh* mesh,
                          LatticeReport* report, shMessage* message)
{
    double diagonal = s->solid.diagonal, finest = diagonal / LATTICE_FINEST, glue = 0.0;
    double wanted = def->cell > 0.0 ? def->cell : clampD(meanEdge(s->mesh), finest, diagonal / LATTICE_COARSEST);
    double most = def->maxTets > 0 ? def->maxTets : LATTICE_MAX_TETS, budget = most;
    double above = 0.0, below = 0.0; // budgets that gave too many, too few
    shStatus status = shBadMesh;
    for (int attempt = 0;; ++attempt) {
        double even = sqrt(PLAN_TETS_EVEN * surfaceSolidArea(&s->solid) / (LATTICE_BUDGET_EVEN * budget));
        double cell =
            def->cell > 0.0 && def->maxTets == 0 ? wanted : maxD(wanted, minD(even, diagonal / LATTICE_COARSEST));
        latticePlanFree(&s->plan);
        surfaceCreasesFree(&s->creases, s->memory);
        s->creases = (SurfaceCreases){0};
        if (!latticePlan(&s->plan, &s->solid, cell, budget, glue))
            return failMemory(message);
        status = meshPlanned(s, context, def, mesh, report, message);
        report->cell = s->plan.cell;
        report->finest = s->plan.finest;
        report->thickness = s->plan.thickness;
        report->thickenedWalls = s->plan.thickenedWalls;
        report->thickenedTo = s->plan.thickenedTo;
        report->gluedTriangles = s->plan.gluedTriangles;
        report->gluedWithin = glue;
        if (status == shOk && report->volumeLeftOut > LATTICE_LOOSE_VOLUME && glue == 0.0 &&
            s->solid.defects.components > 1) {
            glue = SOLID_GLUE_REACH * diagonal;
            --attempt;
            tetMeshFree(mesh, s->memory);
            continue;
        }
        // Towards the budget by its estimate, then halfway between what gave too many and what gave too few.
        double slack = attempt < 1 ? LATTICE_BUDGET_SLACK : LATTICE_BUDGET_LATE_SLACK;
        bool many = mesh->tetCount > slack * most, few = above > 0.0 && mesh->tetCount < 0.5 * most;
        if (status != shOk || !(many || few) || (def->cell > 0.0 && def->maxTets == 0) ||
            (attempt + 1 >= LATTICE_BUDGET_ATTEMPTS && !many) || attempt > LATTICE_BUDGET_ATTEMPTS)
            break;
        if (many)
            above = budget;
        else
            below = budget;
        budget = above > 0.0 && below > 0.0 ? sqrt(above * below) : budget * most / mesh->tetCount;
        tetMeshFree(mesh, s->memory);
    }
    return status;
}

shStatus latticeMeshSurface(TetMesh* mesh, shContext* context, const TriMesh* surface, const LatticeSurfaceDef* def,
                            LatticeReport* report, shMessage* message)
{
    memset(mesh, 0, sizeof *mesh);
    LatticeReport unused;
    report = report != NULL ? report : &unused;
    *report = (LatticeReport){0};
    shStatus status = checkSurface(surface, def, message);
    if (status != shOk)
        return status;
    Surface s = {.mesh = surface, .memory = &context->memory, .plan.memory = &context->memory};
    SurfaceSolidDef solid = {.thickness = def->thickness, .open = def->open};
    if (!surfaceSolidBuild(&s.solid, context, s.memory, surface, &solid))
        return failMemory(message);
    report->defects = s.solid.defects;
    status = collectRims(&s) ? meshSolid(&s, context, def, mesh, report, message) : failMemory(message);
    if (status == shOk && !transfer(mesh, context, surface)) {
        tetMeshFree(mesh, s.memory);
        status = failMemory(message);
    }
    triQueryFree(&s.rims, s.memory);
    surfaceCreasesFree(&s.creases, s.memory);
    latticePlanFree(&s.plan);
    surfaceSolidFree(&s.solid);
    return status;
}

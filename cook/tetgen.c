// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"
#include "cook/limits.h"
#include "cook/process.h"
#include "cook/slivers.h"
#include "cook/smooth.h"
#include "cook/tetgen_files.h"
#include "core/constants.h"
#include "core/message.h"
#include "mesh/adjacency.h"
#include "mesh/transfer.h"
#include "mesh/tri_query.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 512

TetgenDef cookDefaultTetgenDef(void) { return (TetgenDef){.program = "tetgen", .seconds = COOK_TETGEN_SECONDS}; }

typedef struct Job {
    shContext* context;
    const TriMesh* surface;
    const TetgenDef* def;
    char surfacePath[PATH_BYTES], nodePath[PATH_BYTES], elePath[PATH_BYTES];
} Job;

// The last words of the child, on one line.
static void lastWords(const ProcessResult* result, char* text, size_t size)
{
    const char* output = result->output;
    size_t length = strlen(output);
    const char* from = length > size / 2 ? output + (length - size / 2) : output;
    size_t at = 0;
    bool blank = true;
    for (; *from != '\0' && at + 1 < size; ++from) {
        bool white = *from == '\n' || *from == '\r' || *from == '\t' || *from == ' ';
        if (!(white && blank))
            text[at++] = white ? ' ' : *from;
        blank = white;
    }
    while (at > 0 && text[at - 1] == ' ')
        --at;
    text[at] = '\0';
}

static shStatus runTetgen(const Job* job, const char* switches, shMessage* message)
{
    const char* arguments[] = {job->def->program, switches, job->surfacePath, NULL};
    ProcessDef process = {.arguments = arguments, .seconds = job->def->seconds, .bytes = COOK_TETGEN_BYTES};
    ProcessResult result;
    remove(job->nodePath);
    remove(job->elePath);
    processRun(&process, &result);
    if (result.end == processExited && result.code == 0)
        return shOk;
    char end[160], words[160] = "";
    processDescribe(&result, end, sizeof(end));
    if (result.end == processSignaled && result.code == SIGABRT) // its own words are lost in an unflushed buffer
        snprintf(words, sizeof(words), "most often because triangles intersect each other");
    else if (result.end != processMissing)
        lastWords(&result, words, sizeof(words));
    return fail(message, shFailed, "%s%s%s", end, words[0] != '\0' ? ": " : "", words);
}

// TetGen fills cavities too and numbers the spaces between facets. Each is kept or dropped as a whole, by the surface's
// winding number at the middle of its largest tetrahedron.
static shStatus dropCavities(const Job* job, TetgenMesh* mesh, shMessage* message)
{
    if (mesh->regionCount < 2)
        return shOk;
    Memory* memory = &job->context->memory;
    double* volumes = NEW_ZEROED(memory, double, mesh->regionCount);
    DVec3* centers = NEW_ARRAY(memory, DVec3, mesh->regionCount);
    TriQuery query = {0};
    const TriMesh* surface = job->surface;
    bool ok =
        volumes != NULL && centers != NULL &&
        triQueryBuild(&query, memory, surface->vertices, (const int(*)[3])surface->triangles, surface->triangleCount) &&
        triQueryAddWinding(&query, memory);
    if (ok) {
        for (int i = 0; i < mesh->tetCount; ++i) {
            const int* t = mesh->tets[i];
            DVec3 a = mesh->nodes[t[0]], b = mesh->nodes[t[1]], c = mesh->nodes[t[2]], d = mesh->nodes[t[3]];
            double volume = fabs(dOrient(a, b, c, d));
            if (volume > volumes[mesh->regions[i]]) {
                volumes[mesh->regions[i]] = volume;
                centers[mesh->regions[i]] = dScale(0.25, dAdd(dAdd(a, b), dAdd(c, d)));
            }
        }
        for (int i = 0; i < mesh->regionCount; ++i)
            if (volumes[i] > 0.0 && !triQueryInside(&query, centers[i]))
                volumes[i] = 0.0;
        int kept = 0;
        for (int i = 0; i < mesh->tetCount; ++i) {
            if (volumes[mesh->regions[i]] <= 0.0)
                continue;
            memcpy(mesh->tets[kept], mesh->tets[i], sizeof(mesh->tets[0]));
            mesh->regions[kept++] = mesh->regions[i];
        }
        mesh->usedTetCount = kept;
    }
    triQueryFree(&query, memory);
    FREE_ARRAY(memory, volumes, mesh->regionCount);
    FREE_ARRAY(memory, centers, mesh->regionCount);
    return ok ? shOk : failMemory(message);
}

// UVs, normals and groups of the input; where it has none, box projection (from the build) and smooth normals.
static shStatus finishSurface(const Job* job, TetMesh* mesh, shMessage* message)
{
    Memory* memory = &job->context->memory;
    int triangles = mesh->triangleCount, nodes = mesh->surfaceNodeCount;
    DVec3(*points)[3] = memAlloc(memory, memBytes((size_t)triangles, sizeof(*points)));
    DVec3* vertices = NEW_ARRAY(memory, DVec3, nodes);
    bool ok = points != NULL && vertices != NULL;
    if (ok) {
        for (int i = 0; i < nodes; ++i)
            vertices[i] = dFromV(mesh->nodes[i]);
        for (int i = 0; i < triangles; ++i)
            for (int k = 0; k < 3; ++k)
                points[i][k] = vertices[mesh->triangles[i][k]];
        TransferTarget target = {triangles, (const DVec3(*)[3])points, mesh->corners, mesh->groups};
        ok = transferSurface(job->context, job->surface, &target);
        if (job->surface->corners == NULL)
            ok = ok &&
                 smoothNormals(memory, nodes, vertices, triangles, (const int(*)[3])mesh->triangles, mesh->corners);
    }
    FREE_ARRAY(memory, points, triangles);
    FREE_ARRAY(memory, vertices, nodes);
    return ok ? shOk : failMemory(message);
}

// What an asset would refuse: tetrahedra that mending could not open, mostly on needles of the surface.
static shStatus checkShapes(const TetMesh* mesh, shMessage* message)
{
    for (int t = 0; t < mesh->tetCount; ++t) {
        DVec3 p[4];
        double longest = 0.0;
        for (int k = 0; k < 4; ++k)
            p[k] = dFromV(mesh->nodes[mesh->tets[t][k]]);
        for (int e = 0; e < 6; ++e)
            longest = maxD(longest, dDistance(p[tetEdges[e][0]], p[tetEdges[e][1]]));
        if (!(dOrient(p[0], p[1], p[2], p[3]) >= MIN_TET_SHAPE * longest * longest * longest))
            return fail(message, shBadMesh, "tetrahedron %d is all but flat, near (%g, %g, %g)", t, p[0].x, p[0].y,
                        p[0].z);
    }
    return shOk;
}

static shStatus buildMesh(const Job* job, TetgenMesh* raw, TetMesh* mesh, TetgenReport* report, shMessage* message)
{
    Memory* memory = &job->context->memory;
    shStatus status = dropCavities(job, raw, message);
    if (status == shOk)
        status =
            mendSlivers(memory, raw->nodeCount, raw->nodes, raw->usedTetCount, raw->tets, &report->slivers, message);
    if (status == shOk)
        status = tetMeshBuild(mesh, memory, raw->nodeCount, raw->nodes, raw->usedTetCount, (const int(*)[4])raw->tets,
                              true, message);
    if (status != shOk)
        return status;
    status = tetMeshCheck(mesh, memory, message);
    double volume = status == shOk ? tetMeshQuality(mesh, memory).volume : 0.0, wanted = triMeshVolume(job->surface);
    if (status == shOk && fabs(volume - wanted) > COOK_VOLUME_SLACK * wanted)
        status = fail(message, shBadMesh, "the tetrahedra fill %g m³, the surface encloses %g m³", volume, wanted);
    if (status == shOk)
        status = checkShapes(mesh, message);
    if (status == shOk)
        status = finishSurface(job, mesh, message);
    if (status != shOk)
        tetMeshFree(mesh, memory);
    return status;
}

static shStatus attempt(const Job* job, const char* switches, TetMesh* mesh, TetgenReport* report, shMessage* message)
{
    ++report->attempts;
    shStatus status = runTetgen(job, switches, message);
    TetgenMesh raw;
    if (status == shOk) {
        status = tetgenReadMesh(job->context, job->nodePath, job->elePath, &raw, message);
        if (status == shOk) {
            status = buildMesh(job, &raw, mesh, report, message);
            tetgenFreeMesh(&raw, &job->context->memory);
        }
    }
    return status;
}

// Switches in the order they are tried. p: a surface, A: number the spaces, q: radius-edge ratio / smallest dihedral,
// O: optimisation, Y: keep the surface, S: limit of added points, T: tolerance of coplanarity, Q: quiet.
typedef struct Try {
    const char* format; // %s: largest volume
    bool split;
} Try;

static const Try tries[] = {
    {"-pYAq" COOK_TETGEN_RATIO "%sQ", false},
    {"-pYAq1.6/10O9/7%sQ", false}, // harder on slivers
    {"-pYAO9/7%sT1e-10Q", false},  // no quality asked for: some surfaces allow no more
    {"-pAq" COOK_TETGEN_RATIO "%s", true},
};
enum { tryCount = sizeof tries / sizeof tries[0] };

static shStatus runAttempts(const Job* job, TetMesh* mesh, TetgenReport* report, shMessage* message)
{
    char largest[32] = "";
    if (job->def->maxVolume > 0.0)
        snprintf(largest, sizeof(largest), "a%.9g", job->def->maxVolume);
    Memory* memory = &job->context->memory;
    shMessage reasons[tryCount] = {0};
    bool found = false;
    shStatus status = tetgenWriteSurface(job->surfacePath, job->surface, message);
    for (int i = 0; i < tryCount && status == shOk; ++i) {
        if (found && (report->minDihedral >= COOK_TETGEN_DIHEDRAL || tries[i].split))
            break;
        if (job->def->refine && !tries[i].split)
            continue;
        char switches[96];
        int length = snprintf(switches, sizeof(switches), tries[i].format, largest);
        long long most = (long long)COOK_TETGEN_STEINER * job->surface->vertexCount;
        if (tries[i].split)
            snprintf(switches + length, sizeof(switches) - (size_t)length, "S%lldQ",
                     job->def->refine ? maxI((int)most, COOK_REFINE_POINTS) : most);
        TetMesh made;
        shStatus attempted = attempt(job, switches, &made, report, &reasons[i]);
        if (attempted == shOutOfMemory)
            status = failMemory(message);
        if (attempted != shOk)
            continue;
        double dihedral = tetMeshQuality(&made, memory).minDihedral;
        if (found && dihedral <= report->minDihedral) {
            tetMeshFree(&made, memory);
            continue;
        }
        if (found)
            tetMeshFree(mesh, memory);
        *mesh = made;
        found = true;
        report->minDihedral = dihedral;
        report->split = tries[i].split;
        snprintf(report->switches, sizeof(report->switches), "%s", switches);
    }
    if (status != shOk && found)
        tetMeshFree(mesh, memory);
    if (status != shOk || found)
        return status;
    return fail(message, shFailed, "%.80s gives no mesh; keeping the surface: %.180s; splitting it: %.180s",
                job->def->program, reasons[0].text, reasons[tryCount - 1].text);
}

shStatus cookTetgen(shContext* context, const TriMesh* surface, const TetgenDef* def, TetMesh* mesh,
                    TetgenReport* report, shMessage* message)
{
    *mesh = (TetMesh){0};
    TetgenReport unused = {0};
    report = report != NULL ? report : &unused;
    *report = (TetgenReport){0};
    shStatus status = triMeshCheck(surface, &context->memory, message);
    if (status != shOk)
        return status;
    char folder[PATH_BYTES - 16];
    if (!makeFolder(folder, sizeof(folder)))
        return fail(message, shNoFile, "no temporary folder can be made: %s", strerror(errno));
    Job job = {.context = context, .surface = surface, .def = def};
    snprintf(job.surfacePath, sizeof(job.surfacePath), "%s/mesh.smesh", folder);
    snprintf(job.nodePath, sizeof(job.nodePath), "%s/mesh.1.node", folder);
    snprintf(job.elePath, sizeof(job.elePath), "%s/mesh.1.ele", folder);
    status = runAttempts(&job, mesh, report, message);
    removeFolder(folder);
    return status;
}

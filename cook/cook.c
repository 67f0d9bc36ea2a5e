// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/cook.h"

#include "cook/crossings.h"
#include "cook/limits.h"
#include "cook/measure.h"
#include "cook/read_tets.h"
#include "cook/slivers.h"
#include "core/message.h"
#include "mesh/lattice_stuff.h"

#include <stdio.h>
#include <string.h>

CookFileDef cookDefaultFileDef(void)
{
    return (CookFileDef){.scale = 1.0, .up = 1, .tetgen = cookDefaultTetgenDef(), .cook = shDefaultCookDef()};
}

// The corners of a surface as the library's interface wants them: UVs and normals apart.
typedef struct SplitCorners {
    int count;
    float (*uvs)[3][2];
    shVec3 (*normals)[3];
} SplitCorners;

static bool splitCorners(Memory* memory, int count, const Corner (*corners)[3], SplitCorners* split)
{
    *split = (SplitCorners){.count = count};
    if (corners == NULL)
        return true;
    split->uvs = memAlloc(memory, memBytes((size_t)count, sizeof(*split->uvs)));
    split->normals = memAlloc(memory, memBytes((size_t)count, sizeof(*split->normals)));
    if (split->uvs == NULL || split->normals == NULL)
        return false;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            memcpy(split->uvs[i][k], corners[i][k].uv, sizeof(corners[i][k].uv));
            split->normals[i][k] = corners[i][k].normal;
        }
    return true;
}

static void splitFree(SplitCorners* split, Memory* memory)
{
    FREE_ARRAY(memory, split->uvs, split->count);
    FREE_ARRAY(memory, split->normals, split->count);
}

typedef struct FileCook {
    shContext* context;
    Memory* memory;
    const CookFileDef* def;
    shCookDef options;
    char name[64];
    TriMesh surface;
    Looks looks;
    CookFileReport* report;
    shMessage* message;
} FileCook;

static void takeName(FileCook* cook)
{
    const char* slash = strrchr(cook->def->path, '/');
    const char* start = slash != NULL ? slash + 1 : cook->def->path;
    const char* dot = strrchr(start, '.');
    int length = dot != NULL && dot > start ? (int)(dot - start) : (int)strlen(start);
    snprintf(cook->name, sizeof(cook->name), "%.*s", length, start);
    if (cook->options.name == NULL)
        cook->options.name = cook->name;
}

// Place -----------------------------------------------------------------------------------------------------------

// Turns the file's up axis to y by a third or two thirds of a turn: x, y, z move on in a circle.
static DVec3 turned(DVec3 p, int up) { return up == 0 ? dvec3(p.z, p.x, p.y) : up == 2 ? dvec3(p.y, p.z, p.x) : p; }

// Scale, up axis, shift; and back to the origin what lies so far from it that floats have no digits left for its shape.
static void placePoints(FileCook* cook, int count, DVec3* points)
{
    const CookFileDef* def = cook->def;
    DVec3 shift = dFromV(def->shift);
    bool still = def->scale == 1.0 && def->up == 1 && dLength2(shift) == 0.0;
    for (int i = 0; i < count && !still; ++i) // else as it is, to the bit: adding zero would turn −0 into 0
        points[i] = dAdd(shift, dScale(def->scale, turned(points[i], def->up)));
    DVec3 lower = {(double)INFINITY, (double)INFINITY, (double)INFINITY}, upper = dNeg(lower);
    for (int i = 0; i < count; ++i) {
        lower = dvec3(minD(lower.x, points[i].x), minD(lower.y, points[i].y), minD(lower.z, points[i].z));
        upper = dvec3(maxD(upper.x, points[i].x), maxD(upper.y, points[i].y), maxD(upper.z, points[i].z));
    }
    DVec3 middle = dLerp(lower, upper, 0.5);
    if (count == 0 || dLength(middle) <= COOK_FAR * dDistance(lower, upper))
        return;
    cook->report->moved = vFromD(dNeg(middle));
    for (int i = 0; i < count; ++i)
        points[i] = dSub(points[i], middle);
}

static void placeCorners(FileCook* cook)
{
    if (cook->def->up == 1 || cook->surface.corners == NULL)
        return;
    for (int c = 0; c < 3 * cook->surface.triangleCount; ++c) {
        Vec3* normal = &cook->surface.corners[c / 3][c % 3].normal;
        *normal = vFromD(turned(dFromV(*normal), cook->def->up));
    }
}

static shStatus readAndDecimate(FileCook* cook)
{
    double start = contextSeconds(cook->context);
    shStatus status = cookReadModel(cook->context, cook->def->path, &cook->surface, &cook->looks, cook->message);
    cook->report->readSeconds = contextSeconds(cook->context) - start;
    if (status != shOk)
        return status;
    placePoints(cook, cook->surface.vertexCount, cook->surface.vertices);
    placeCorners(cook);
    cook->report->readTriangles = cook->surface.triangleCount;
    if (cook->def->triangles > 0 && cook->def->triangles < cook->surface.triangleCount) {
        start = contextSeconds(cook->context);
        TriMesh smaller;
        status = cookDecimate(cook->context, &cook->surface, cook->def->triangles, &smaller, NULL, cook->message);
        cook->report->decimateSeconds = contextSeconds(cook->context) - start;
        if (status != shOk)
            return status;
        triMeshFree(&cook->surface, cook->memory);
        cook->surface = smaller;
    }
    cook->report->triangles = cook->surface.triangleCount;
    return shOk;
}

// Cook --------------------------------------------------------------------------------------------------------------

static shStatus cookMesh(FileCook* cook, shMeshDef* mesh, const Corner (*corners)[3], shAsset** asset)
{
    double start = contextSeconds(cook->context);
    SplitCorners split;
    shStatus status = shOutOfMemory;
    if (splitCorners(cook->memory, mesh->triangleCount, corners, &split)) {
        mesh->uvs = (const float(*)[3][2])split.uvs;
        mesh->normals = (const shVec3(*)[3])split.normals;
        mesh->surfaceCount = cook->looks.surfaceCount;
        mesh->surfaces = cook->looks.surfaceCount > 0 ? cook->looks.surfaces : NULL;
        mesh->textureCount = mesh->surfaces != NULL ? cook->looks.textureCount : 0;
        mesh->textures = cook->looks.textures;
        mesh->maps = cook->looks.maps;
        status = shCookAsset(cook->context, mesh, &cook->options, asset, cook->message);
    } else {
        failMemory(cook->message);
    }
    splitFree(&split, cook->memory);
    cook->report->cookSeconds = contextSeconds(cook->context) - start;
    return status;
}

static shStatus cookTets(FileCook* cook, const TetMesh* tets, shAsset** asset)
{
    shMeshDef mesh = {.vertexCount = tets->nodeCount,
                      .vertices = tets->nodes,
                      .triangleCount = tets->triangleCount,
                      .triangles = (const int(*)[3])tets->triangles,
                      .slots = tets->groups,
                      .tetCount = tets->tetCount,
                      .tets = (const int(*)[4])tets->tets};
    return cookMesh(cook, &mesh, (const Corner(*)[3])tets->corners, asset);
}

static shStatus refuseMended(FileCook* cook)
{
    char text[sizeof cook->message->text];
    if (!cook->def->strict || cookReportText(cook->report, text, sizeof text) == 0)
        return shOk;
    for (char* c = text; *c != '\0'; ++c)
        *c = *c == '\n' ? (char)(c[1] == '\0' ? '\0' : ';') : *c;
    return fail(cook->message, shBadMesh, "%.150s: not clean: %.300s", cook->def->path, text);
}

// Nodes that move to creases and closer to the surface never turn a tetrahedron over, but across a narrow gap they may
// pass each other. Then it is meshed again without such moves, which rounds edges; whichever is better stays.
static shStatus meshSoundly(FileCook* cook, LatticeSurfaceDef* def, TetMesh* tets, shMessage* reason)
{
    CookFileReport* report = cook->report;
    LatticeReport first, second;
    shStatus status = latticeMeshSurface(tets, cook->context, &cook->surface, def, &first, reason);
    report->lattice = first;
    if (status == shOk)
        status = countCrossings(cook->context, tets, &report->crossings, reason);
    if (status != shOk || report->crossings == 0) {
        if (status != shOk)
            tetMeshFree(tets, cook->memory);
        return status;
    }
    TetMesh plain;
    shMessage unused;
    int crossings = 0;
    def->asStuffed = true;
    status = latticeMeshSurface(&plain, cook->context, &cook->surface, def, &second, &unused);
    if (status == shOk)
        status = countCrossings(cook->context, &plain, &crossings, &unused);
    bool better = status == shOk && crossings < report->crossings;
    if (better) {
        report->rounded = report->crossings;
        report->crossings = crossings;
        report->lattice = second;
    }
    tetMeshFree(better ? tets : &plain, cook->memory);
    *tets = better ? plain : *tets;
    if (status == shOutOfMemory)
        tetMeshFree(tets, cook->memory);
    return status == shOutOfMemory ? status : shOk;
}

static shStatus cookByOurs(FileCook* cook, shAsset** asset)
{
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    const shCookDef* options = &cook->options;
    if (options->cell > 0.0f)
        def.cell = (double)options->cell;
    if (options->creaseAngle > 0.0f)
        def.creaseAngle = (double)options->creaseAngle;
    def.thickness = (double)options->thickness;
    def.maxTets = options->maxTets;
    def.open = cook->def->open;
    def.pieces = latticeKeepLargest;
    CookFileReport* report = cook->report;
    double start = contextSeconds(cook->context);
    TetMesh tets;
    shMessage reason;
    shStatus status = meshSoundly(cook, &def, &tets, &reason);
    report->meshSeconds += contextSeconds(cook->context) - start;
    report->mesher = report->lattice.adaptive ? "adaptive lattice" : "lattice";
    report->partsLeftOut = report->lattice.piecesLeftOut;
    report->volumeLeftOut = report->lattice.volumeLeftOut;
    if (status != shOk)
        return status == shOutOfMemory ? failMemory(cook->message)
                                       : fail(cook->message, status, "%.150s: %.340s", cook->def->path, reason.text);
    status = refuseMended(cook);
    if (status == shOk && cook->def->measure && !measureResult(cook->context, &cook->surface, &tets, def.open, report))
        status = failMemory(cook->message);
    if (status == shOk)
        status = cookTets(cook, &tets, asset);
    tetMeshFree(&tets, cook->memory);
    return status;
}

// A box has twelve triangles and no more tetrahedra: smaller ones, the surface's triangles split where they lie. What
// it was stays when that fails.
static shStatus refineTets(FileCook* cook, TetMesh* tets, bool* refined)
{
    TetgenDef def = cook->def->tetgen;
    TetgenReport report;
    TetMesh finer;
    shMessage reason;
    def.refine = true;
    def.maxVolume = triMeshVolume(&cook->surface) / COOK_REFINED_TETS;
    shStatus status = cookTetgen(cook->context, &cook->surface, &def, &finer, &report, &reason);
    if (status != shOk)
        return status == shOutOfMemory ? (tetMeshFree(tets, cook->memory), status) : shOk;
    tetMeshFree(tets, cook->memory);
    *tets = finer;
    *refined = true;
    report.attempts += cook->report->tetgen.attempts;
    cook->report->tetgen = report;
    return shOk;
}

static shStatus meshAndCook(FileCook* cook, shAsset** asset)
{
    CookFileReport* report = cook->report;
    if (cook->def->mesher == cookByLattice)
        return cookByOurs(cook, asset);
    double start = contextSeconds(cook->context);
    TetMesh tets;
    shMessage reason;
    shStatus status = cookTetgen(cook->context, &cook->surface, &cook->def->tetgen, &tets, &report->tetgen, &reason);
    bool refined = false;
    if (status == shOk && tets.tetCount < COOK_FEWEST_TETS && cook->def->mesher == cookByAny &&
        cook->def->tetgen.maxVolume == 0.0)
        status = refineTets(cook, &tets, &refined);
    report->meshSeconds = contextSeconds(cook->context) - start;
    if (status == shOk) {
        report->mesher = refined ? "tetgen, refined" : report->tetgen.split ? "tetgen, surface split" : "tetgen";
        if (cook->def->measure && !measureResult(cook->context, &cook->surface, &tets, openFill, report))
            status = failMemory(cook->message);
        else
            status = cookTets(cook, &tets, asset);
        tetMeshFree(&tets, cook->memory);
        if (status != shBadMesh || cook->def->mesher == cookByTetgen)
            return status;
        reason = *cook->message; // flat tetrahedra, for instance
    }
    if (status == shOutOfMemory)
        return failMemory(cook->message);
    if (cook->def->mesher == cookByTetgen)
        return fail(cook->message, status, "%.150s: %.340s", cook->def->path, reason.text);
    report->fallback = reason;
    return cookByOurs(cook, asset);
}

// Ready tetrahedra --------------------------------------------------------------------------------------------------

// The largest piece of the file's tetrahedra, mended where they are all but flat.
static shStatus buildReady(FileCook* cook, RawTets* raw, TetMesh* mesh)
{
    TetSoup soup = {0};
    LatticeReport tidied = {0};
    const LatticeDef keep = {.pieces = latticeKeepLargest};
    if (!arrayReserve(cook->memory, &soup.nodes, raw->nodes.count) ||
        !arrayReserve(cook->memory, &soup.tets, raw->tets.count)) {
        tetSoupFree(&soup, cook->memory);
        return failMemory(cook->message);
    }
    for (int i = 0; i < raw->nodes.count; ++i)
        soup.nodes.data[soup.nodes.count++] = raw->nodes.data[i];
    for (int t = 0; t < raw->tets.count; ++t) {
        TetNodes tet;
        memcpy(tet.n, raw->tets.data[t].n, sizeof tet.n);
        const DVec3* p = soup.nodes.data;
        if (dOrient(p[tet.n[0]], p[tet.n[1]], p[tet.n[2]], p[tet.n[3]]) < 0.0) {
            int swap = tet.n[2];
            tet.n[2] = tet.n[3];
            tet.n[3] = swap;
        }
        soup.tets.data[soup.tets.count++] = tet;
    }
    shStatus status = mendSlivers(cook->memory, soup.nodes.count, soup.nodes.data, soup.tets.count,
                                  (int(*)[4])soup.tets.data, &cook->report->tetgen.slivers, cook->message);
    if (status == shOk)
        status = latticeTidy(&soup, cook->memory, &keep, &tidied, cook->message);
    cook->report->partsLeftOut = tidied.piecesLeftOut;
    cook->report->volumeLeftOut = tidied.volumeLeftOut;
    if (status == shOk)
        status = tetMeshBuild(mesh, cook->memory, soup.nodes.count, soup.nodes.data, soup.tets.count,
                              (const int(*)[4])soup.tets.data, true, cook->message);
    tetSoupFree(&soup, cook->memory);
    if (status == shOk) {
        status = tetMeshCheck(mesh, cook->memory, cook->message);
        if (status != shOk)
            tetMeshFree(mesh, cook->memory);
    }
    return status;
}

static shStatus cookReady(FileCook* cook, shAsset** asset)
{
    RawTets raw;
    TetMesh mesh;
    double start = contextSeconds(cook->context);
    shStatus status = readTets(cook->context, cook->def->path, &raw, cook->message);
    cook->report->readSeconds = contextSeconds(cook->context) - start;
    if (status != shOk)
        return status;
    placePoints(cook, raw.nodes.count, raw.nodes.data);
    start = contextSeconds(cook->context);
    status = buildReady(cook, &raw, &mesh);
    rawTetsFree(&raw, cook->memory);
    cook->report->mesher = "ready tetrahedra";
    cook->report->meshSeconds = contextSeconds(cook->context) - start;
    if (status != shOk)
        return status;
    cook->report->readTriangles = cook->report->triangles = mesh.triangleCount;
    status = refuseMended(cook);
    if (status == shOk)
        status = cookTets(cook, &mesh, asset);
    tetMeshFree(&mesh, cook->memory);
    return status;
}

shStatus cookFile(shContext* context, const CookFileDef* def, shAsset** asset, CookFileReport* report,
                  shMessage* message)
{
    *asset = NULL;
    CookFileReport unused = {0};
    report = report != NULL ? report : &unused;
    *report = (CookFileReport){.mesher = ""};
    FileCook cook = {.context = context,
                     .memory = &context->memory,
                     .def = def,
                     .options = def->cook,
                     .report = report,
                     .message = message};
    takeName(&cook);
    shStatus status;
    if (tetsAreRead(def->path)) {
        status = cookReady(&cook, asset);
    } else {
        status = readAndDecimate(&cook);
        if (status == shOk)
            status = meshAndCook(&cook, asset);
    }
    looksFree(&cook.looks, cook.memory);
    triMeshFree(&cook.surface, cook.memory);
    return status;
}

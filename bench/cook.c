// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `cook`: how long cooking takes and how large its results are, beside Glondu Table 1. Wall time on all threads,
// best of the runs; TetGen's share is a child process of one thread.
#include "cook/cook.h"
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/hausdorff.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "solid/asset.h"

#include <stdio.h>
#include <string.h>

// Glondu Table 1. The brick's points are NO_VALUE: 468 closed triangles have 236 vertices, not 224.
typedef struct PaperSize {
    const char* model;
    double triangles, tets, points;
} PaperSize;

static const PaperSize paperSizes[] = {
    {"piggy-bank", 9722, 20807, 5870}, {"bunny", 7940, 18767, 5089}, {"brick", 468, 594, (double)NAN},
    {"plate", 5392, 8617, 2711},       {"shelf", 4652, 10200, 2989},
};

static PaperSize paperSize(const char* model)
{
    for (size_t i = 0; i < sizeof(paperSizes) / sizeof(paperSizes[0]); ++i)
        if (strcmp(paperSizes[i].model, model) == 0)
            return paperSizes[i];
    return (PaperSize){model, NO_VALUE, NO_VALUE, NO_VALUE};
}

static double deviation(double value, double paper) { return isfinite(paper) ? fabs(value / paper - 1.0) : 0.0; }

static void addRows(Bench* bench, const char* name, const shAssetInfo* info, const Samples* seconds,
                    const char* secondsGoal, PaperSize paper)
{
    char row[BENCH_NAME];
    double best = samplesBest(seconds);
    snprintf(row, sizeof(row), "%s.seconds", name);
    BenchRow* time = benchRow(bench, row, best, "s", NO_VALUE, secondsGoal);
    benchNote(time, "wall, best of %d, %d threads", seconds->count, shContext_GetWorkerCount(bench->context));
    snprintf(row, sizeof(row), "%s.tets_per_s", name);
    benchRow(bench, row, info->tetCount / best, "1/s", NO_VALUE, NULL);
    snprintf(row, sizeof(row), "%s.triangles", name);
    benchRow(bench, row, info->triangleCount, "", paper.triangles, NULL);
    snprintf(row, sizeof(row), "%s.tetrahedra", name);
    benchRow(bench, row, info->tetCount, "", paper.tets, NULL);
    snprintf(row, sizeof(row), "%s.points", name);
    benchRow(bench, row, info->pointCount, "", paper.points, NULL);
    snprintf(row, sizeof(row), "%s.min_dihedral", name);
    benchRow(bench, row, info->minDihedral, "deg", NO_VALUE, NULL);
    if (!isfinite(paper.tets))
        return;
    double worst = fmax(deviation(info->triangleCount, paper.triangles),
                        fmax(deviation(info->tetCount, paper.tets), deviation(info->pointCount, paper.points)));
    snprintf(row, sizeof(row), "%s.size_deviation", name);
    benchNote(benchRow(bench, row, 100.0 * worst, "%", NO_VALUE, "<= 15"),
              "largest of triangles, tetrahedra, points against Table 1");
}

static shStatus measureModel(Bench* bench, const char* model, int repeats, shMessage* message)
{
    Samples seconds = {0};
    shAssetInfo info = {0};
    char name[BENCH_NAME];
    snprintf(name, sizeof(name), "%s", model);
    for (int i = 0; i < repeats; ++i) {
        progressShow("cook: %s, run %d of %d", model, i + 1, repeats);
        shCookDef def = shDefaultCookDef();
        shAsset* asset;
        double start = clockSeconds(clockWall);
        shStatus status = shCookModel(bench->context, model, bench->tiny ? 0.3f : 1.0f, &def, &asset, message);
        samplesAdd(&seconds, clockSeconds(clockWall) - start);
        if (status != shOk)
            return status;
        info = shAsset_GetInfo(asset);
        shDestroyAsset(asset);
    }
    addRows(bench, name, &info, &seconds, NULL, paperSize(model));
    return shOk;
}

typedef struct BunnyRun {
    const char* name;
    int triangles; // 0: all
    CookMesher mesher;
    const char* secondsGoal;
    const char* hausdorffGoal; // null: not measured
    bool paperSize;
    float cell; // of the lattice mesher, m; 0: its own choice
} BunnyRun;

// How far the boundary of the asset is from the surface it was made of, in percent of the diagonal.
static double deviationPercent(Bench* bench, const char* path, int triangles, const shAsset* asset)
{
    Memory* memory = &bench->context->memory;
    TriMesh whole, surface;
    if (cookReadMesh(bench->context, path, &whole, NULL, NULL) != shOk)
        return NO_VALUE;
    shStatus status =
        cookDecimate(bench->context, &whole, triangles > 0 ? triangles : whole.triangleCount, &surface, NULL, NULL);
    triMeshFree(&whole, memory);
    const TetMesh* mesh = &asset->mesh;
    DVec3* nodes = NEW_ARRAY(memory, DVec3, mesh->surfaceNodeCount);
    double percent = NO_VALUE;
    if (status == shOk && nodes != NULL) {
        for (int i = 0; i < mesh->surfaceNodeCount; ++i)
            nodes[i] = dFromV(mesh->nodes[i]);
        SurfaceView made = {mesh->surfaceNodeCount, mesh->triangleCount, nodes, (const int(*)[3])mesh->triangles};
        SurfaceView given = {surface.vertexCount, surface.triangleCount, surface.vertices,
                             (const int(*)[3])surface.triangles};
        double diagonal = (double)vLength(boxSize(triMeshBox(&surface)));
        percent = 100.0 * hausdorffDistance(bench->context, made, given) / diagonal;
    }
    FREE_ARRAY(memory, nodes, mesh->surfaceNodeCount);
    triMeshFree(&surface, memory);
    return percent;
}

static shStatus measureBunny(Bench* bench, const BunnyRun* run, int repeats, shMessage* message)
{
    char path[1024], row[BENCH_NAME];
    Samples seconds = {0};
    shAsset* asset = NULL;
    shStatus status = cacheBunnyFile(path, sizeof(path), message);
    for (int i = 0; i < repeats && status == shOk; ++i) {
        progressShow("cook: %s, run %d of %d", run->name, i + 1, repeats);
        CookFileDef def = cookDefaultFileDef();
        def.path = path;
        def.triangles = run->triangles;
        def.mesher = run->mesher;
        def.cook.cell = run->cell;
        shDestroyAsset(asset);
        double start = clockSeconds(clockWall);
        status = cookFile(bench->context, &def, &asset, NULL, message);
        samplesAdd(&seconds, clockSeconds(clockWall) - start);
    }
    if (status == shOk) {
        shAssetInfo info = shAsset_GetInfo(asset);
        addRows(bench, run->name, &info, &seconds, run->secondsGoal, paperSize(run->paperSize ? "bunny" : ""));
        if (run->hausdorffGoal != NULL) {
            snprintf(row, sizeof(row), "%s.hausdorff_pct", run->name);
            benchRow(bench, row, deviationPercent(bench, path, run->triangles, asset), "%", NO_VALUE,
                     run->hausdorffGoal);
        }
        shDestroyAsset(asset);
        return shOk;
    }
    snprintf(row, sizeof(row), "%s.seconds", run->name);
    benchNote(benchRow(bench, row, NO_VALUE, "s", NO_VALUE, run->secondsGoal), "%.200s", message->text);
    return status == shOutOfMemory ? status : shOk;
}

shStatus benchCook(Bench* bench, shMessage* message)
{
    int repeats = benchRepeats(bench, 1, 5);
    shStatus status = shOk;
    if (bench->tiny) // the others are as long or foreign
        return measureModel(bench, "brick", repeats, message);
    for (int i = 0; i < shGetModelCount() && status == shOk; ++i)
        status = measureModel(bench, shGetModel(i).name, repeats, message);
    static const BunnyRun runs[] = {
        {"bunny", 7940, cookByTetgen, "<= 5", "<= 0.001", true, 0.0f},
        {"bunny_lattice", 7940, cookByLattice, "<= 20", "<= 0.5", false, 0.0f},
        {"bunny_lattice_14mm", 7940, cookByLattice, "<= 20", "<= 0.5", false, 0.014f}, // what the goal takes
        {"bunny_whole", 0, cookByTetgen, "<= 20", NULL, false, 0.0f},
    };
    for (int i = 0; i < 4 && status == shOk; ++i)
        status = measureBunny(bench, &runs[i], repeats, message);
    progressClear();
    return status;
}

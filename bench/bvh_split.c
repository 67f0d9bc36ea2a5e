// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A mesh split in eleven steps (Otaduy Table 1, Fig. 7): what each step costs, and how tight the tree stays; then rays
// at what has been split.
#include "bench/bvh.h"
#include "bench/clock.h"
#include "bench/plot.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/random.h"
#include "core/vec.h"
#include "mesh/tri_query.h"

#include <stdio.h>
#include <string.h>

enum { SIZES = 3, MOST_RAYS = 100000 };

typedef struct PaperRow { // of Table 1, ms
    double replace, insert, refit, optimise, total, midpoint, median, old, decomposed, crack;
} PaperRow;

static const PaperRow paperRows[SIZES] = {
    {0.01, 0.09, 2.60, 4.08, 6.78, 25.48, 49.42, 16.27, 49.00, 62.00},
    {0.02, 0.18, 9.48, 15.99, 25.68, 100.10, 226.07, 29.73, 89.36, 125.09},
    {0.04, 1.40, 37.02, 62.27, 100.74, 410.60, 1491.59, 57.45, 172.55, 248.55},
};

// One step, best of the repeats, ms.
typedef struct StepTimes {
    double update, check, replace, insert, refit, plain, midpoint, median, sah, refitAll;
    double quality, plainQuality, medianQuality, midpointQuality, sahQuality;
    int depth, medianDepth, midpointDepth, sahDepth, removed, added, triangles;
} StepTimes;

typedef struct Split {
    Bench* bench;
    shContext* context;
    Memory* memory;
    CrackMesh mesh;
    PlaneCrack crack;
    shBoxTree *tree, *plain, *median; // as it is, without permutations, rebuilt
    Rebuild rebuild;
    int* items;
    shBox* boxes;
    StepTimes steps[BVH_STEPS];
    BvhStates states;
} Split;

static void splitFree(Split* split)
{
    shDestroyBoxTree(split->tree);
    shDestroyBoxTree(split->plain);
    shDestroyBoxTree(split->median);
    split->tree = split->plain = split->median = NULL;
    if (split->mesh.memory == NULL)
        return;
    rebuildFree(&split->rebuild);
    FREE_ARRAY(split->memory, split->items, split->mesh.triangleCapacity);
    FREE_ARRAY(split->memory, split->boxes, split->mesh.triangleCapacity);
    planeCrackFree(&split->crack, split->memory);
    crackMeshFree(&split->mesh);
    split->mesh.memory = NULL;
    split->items = NULL, split->boxes = NULL;
}

static int longestAxis(const shTriangles* mesh, int* shortest)
{
    shBox box = boxEmpty();
    for (int i = 0; i < mesh->pointCount; ++i)
        box = boxAdd(box, mesh->points[i]);
    Vec3 size = boxSize(box);
    int longest = 0, least = 0;
    for (int k = 1; k < 3; ++k) {
        if (vGet(size, k) > vGet(size, longest))
            longest = k;
        if (vGet(size, k) < vGet(size, least))
            least = k;
    }
    *shortest = least;
    return longest;
}

// Across the shortest side of the box, along the longest, where as many triangles are cut as in the paper.
static shStatus splitBegin(Split* split, const shTriangles* mesh, int cuts, shMessage* message)
{
    int shortest, longest = longestAxis(mesh, &shortest);
    shStatus status = crackMeshCreate(split->memory, mesh, 3, &split->mesh, message);
    if (status == shOk)
        status = planeCrackCreate(&split->mesh, shortest, longest, cuts, &split->crack, message);
    if (status != shOk)
        return status;
    int room = split->mesh.triangleCapacity;
    split->items = NEW_ARRAY(split->memory, int, room);
    split->boxes = NEW_ARRAY(split->memory, shBox, room);
    if (split->items == NULL || split->boxes == NULL || !rebuildReserve(&split->rebuild, split->memory, room))
        return failMemory(message);
    shBoxTreeDef def = shDefaultBoxTreeDef();
    def.rebuildQuality = 0.0f;
    status = shCreateBoxTree(split->context, &def, &split->tree, message);
    if (status == shOk)
        status = shCreateBoxTree(split->context, &def, &split->median, message);
    def.optimise = false;
    if (status == shOk)
        status = shCreateBoxTree(split->context, &def, &split->plain, message);
    if (status == shOk)
        status = shBoxTree_Build(split->tree, mesh->triangleCount, NULL, split->mesh.boxes, message);
    if (status == shOk)
        status = shBoxTree_Build(split->plain, mesh->triangleCount, NULL, split->mesh.boxes, message);
    return status;
}

static void keepLeast(double* best, double seconds, bool first)
{
    if (first || 1e3 * seconds < *best)
        *best = 1e3 * seconds;
}

static shStatus keepState(Split* split, BvhModel* state, shMessage* message)
{
    const CrackMesh* mesh = &split->mesh;
    *state =
        (BvhModel){.memory = split->memory, .pointCapacity = mesh->pointCount, .triangleCapacity = mesh->liveCount};
    state->points = NEW_ARRAY(split->memory, shVec3, mesh->pointCount);
    state->triangles = memAlloc(split->memory, memBytes((uint64_t)mesh->liveCount, sizeof state->triangles[0]));
    if (state->points == NULL || state->triangles == NULL)
        return failMemory(message);
    memcpy(state->points, mesh->points, sizeof *state->points * (size_t)mesh->pointCount);
    for (int i = 0; i < mesh->liveCount; ++i)
        memcpy(state->triangles[i], mesh->triangles[split->items[i]], sizeof state->triangles[0]);
    state->mesh = (shTriangles){mesh->pointCount, mesh->liveCount, state->points, (const int(*)[3])state->triangles};
    ++split->states.stateCount;
    return shOk;
}

static shStatus splitStep(Split* split, int step, bool first, bool keep, shMessage* message)
{
    StepTimes* times = &split->steps[step];
    planeCrackGrow(&split->crack, &split->mesh, (float)(step + 1) / (float)BVH_STEPS);
    shBoxTreeUpdate update = crackMeshDescribe(&split->mesh);
    double start = clockSeconds(clockThread);
    shStatus status = shBoxTree_Update(split->tree, &update, message);
    double updated = clockSeconds(clockThread);
    if (status == shOk)
        status = shBoxTree_Update(split->plain, &update, message);
    double plain = clockSeconds(clockThread);
    int count = crackMeshLive(&split->mesh, split->items, split->boxes);
    double marks[5] = {clockSeconds(clockThread)};
    if (status == shOk)
        status = shBoxTree_Build(split->median, count, split->items, split->boxes, message);
    marks[1] = clockSeconds(clockThread);
    rebuildRun(&split->rebuild, rebuildMidpoint, split->boxes, count);
    marks[2] = clockSeconds(clockThread);
    RebuildResult midpoint = first ? rebuildMeasure(&split->rebuild, count) : (RebuildResult){0};
    marks[3] = clockSeconds(clockThread);
    rebuildRun(&split->rebuild, rebuildSah, split->boxes, count);
    marks[4] = clockSeconds(clockThread);
    RebuildResult sah = first ? rebuildMeasure(&split->rebuild, count) : (RebuildResult){0};
    shBoxTreeProfile profile = shBoxTree_GetProfile(split->tree);
    if (status == shOk && first)
        status = shBoxTree_Validate(split->tree, message);
    if (status != shOk)
        return status;
    keepLeast(&times->update, updated - start, first);
    keepLeast(&times->check, profile.checkSeconds, first);
    keepLeast(&times->replace, profile.replaceSeconds, first);
    keepLeast(&times->insert, profile.insertSeconds, first);
    keepLeast(&times->refit, profile.refitSeconds, first);
    keepLeast(&times->plain, shBoxTree_GetProfile(split->plain).refitSeconds, first);
    (void)plain;
    keepLeast(&times->median, marks[1] - marks[0], first);
    keepLeast(&times->midpoint, marks[2] - marks[1], first);
    keepLeast(&times->sah, marks[4] - marks[3], first);
    double refitStart = clockSeconds(clockThread);
    status = shBoxTree_Refit(split->median, split->mesh.boxes, split->mesh.triangleCount, message);
    keepLeast(&times->refitAll, clockSeconds(clockThread) - refitStart, first);
    if (first) {
        shBoxTreeInfo ours = shBoxTree_GetInfo(split->tree), median = shBoxTree_GetInfo(split->median);
        times->quality = ours.quality, times->depth = ours.height;
        times->plainQuality = shBoxTree_GetInfo(split->plain).quality;
        times->medianQuality = median.quality, times->medianDepth = median.height;
        times->midpointQuality = midpoint.quality, times->midpointDepth = midpoint.depth;
        times->sahQuality = sah.quality, times->sahDepth = sah.depth;
        times->removed = update.removedCount, times->added = update.addedCount, times->triangles = count;
    }
    if (status == shOk && first && keep)
        status = keepState(split, &split->states.states[step], message);
    return status;
}

// All steps, again and again from the start; the trees of the last time stay.
static shStatus splitRun(Split* split, const shTriangles* mesh, int cuts, bool keep, shMessage* message)
{
    int repeats = benchRepeats(split->bench, 3, 7);
    shStatus status = shOk;
    for (int r = 0; r < repeats && status == shOk; ++r) {
        progressShow("bvh: %d triangles, run %d of %d", mesh->triangleCount, r + 1, repeats);
        splitFree(split);
        status = splitBegin(split, mesh, cuts, message);
        for (int s = 0; s < BVH_STEPS && status == shOk; ++s)
            status = splitStep(split, s, r == 0, keep, message);
    }
    return status;
}

// ---- rays -----------------------------------------------------------------------------------------------------------

static shStatus makeRays(Split* split, int count, shMessage* message)
{
    BvhModel* rays = &split->states.rays;
    shBox box = boxGrow(shBoxTree_GetInfo(split->tree).box, 0.1f);
    Random random = randomSeed(1);
    *rays = (BvhModel){.memory = split->memory, .pointCapacity = 2 * count};
    rays->points = NEW_ARRAY(split->memory, shVec3, 2 * count);
    if (rays->points == NULL)
        return failMemory(message);
    for (int i = 0; i < 2 * count; ++i)
        rays->points[i] = randomInBox(&random, box);
    rays->mesh = (shTriangles){2 * count, 0, rays->points, NULL};
    return shOk;
}

// Against a tree of another kind, in double, and a few against all triangles.
static double agreeShare(Split* split, const shTriangleHit* hits, int count, shMessage* message)
{
    const CrackMesh* mesh = &split->mesh;
    int live = crackMeshLive(mesh, split->items, split->boxes), agree = 0;
    DVec3* points = NEW_ARRAY(split->memory, DVec3, mesh->pointCount);
    int(*triangles)[3] = memAlloc(split->memory, memBytes((uint64_t)live, sizeof(int[3])));
    TriQuery query = {0};
    bool fits = points != NULL && triangles != NULL;
    for (int i = 0; fits && i < mesh->pointCount; ++i)
        points[i] = dFromV(mesh->points[i]);
    for (int i = 0; fits && i < live; ++i)
        memcpy(triangles[i], mesh->triangles[split->items[i]], sizeof triangles[0]);
    fits = fits && triQueryBuild(&query, split->memory, points, (const int(*)[3])triangles, live);
    for (int i = 0; fits && i < count; ++i) {
        Vec3 from = split->states.rays.points[2 * i], to = vSub(split->states.rays.points[2 * i + 1], from);
        TriHit hit = triQueryRay(&query, dFromV(from), dFromV(to), 1.0);
        bool same = hit.triangle < 0 ? hits[i].item < 0 : hits[i].item >= 0 && (float)hit.distance == hits[i].fraction;
        TriRay ray = triRay(dFromV(from), dFromV(to));
        for (int t = 0; t < live && i % 1000 == 0; ++t) {
            const DVec3 corners[3] = {points[triangles[t][0]], points[triangles[t][1]], points[triangles[t][2]]};
            TriHit all;
            if (triRayHit(&ray, corners, &all) && all.distance >= 0.0 && (float)all.distance < hits[i].fraction)
                same = false;
        }
        agree += same;
    }
    if (query.nodeCount > 0)
        triQueryFree(&query, split->memory);
    FREE_ARRAY(split->memory, triangles, live);
    FREE_ARRAY(split->memory, points, mesh->pointCount);
    if (!fits)
        failMemory(message);
    return fits ? (double)agree / count : NO_VALUE;
}

static shStatus rayRows(Split* split, const BvhPeerTimes* embree, shMessage* message)
{
    Bench* bench = split->bench;
    int count = split->states.rays.mesh.pointCount / 2, hitCount = 0;
    shTriangleHit* hits = NEW_ARRAY(split->memory, shTriangleHit, count);
    shTriangles mesh = crackMeshView(&split->mesh);
    if (hits == NULL)
        return failMemory(message);
    double best = (double)INFINITY, bestRebuilt = (double)INFINITY;
    shStatus status = shOk;
    for (int b = 0; b < benchRepeats(bench, 3, 5) && status == shOk; ++b)
        for (int kind = 0; kind < 2 && status == shOk;
             ++kind) { // the rebuilt one first: the hits kept are of the updated one
            double start = clockSeconds(clockThread);
            for (int i = 0; i < count && status == shOk; ++i) {
                Vec3 from = split->states.rays.points[2 * i], to = split->states.rays.points[2 * i + 1];
                status = shTriangles_CastRay(kind == 0 ? split->median : split->tree, &mesh, from, vSub(to, from),
                                             &hits[i], message);
            }
            double seconds = clockSeconds(clockThread) - start;
            double* least = kind == 0 ? &bestRebuilt : &best;
            *least = minD(*least, seconds);
        }
    for (int i = 0; i < count; ++i)
        hitCount += hits[i].item >= 0;
    if (status == shOk) {
        benchNote(
            benchRow(bench, "rays_agree_pct", 100.0 * agreeShare(split, hits, count, message), "%", NO_VALUE, ">= 100"),
            "%d segments at what has just been split, %d hit; against another tree in double, every thousandth "
            "against all triangles",
            count, hitCount);
        benchNote(benchRow(bench, "rays_per_s", count / best, "1/s", NO_VALUE, NULL),
                  "1 thread, closest hit; %.3g with the rebuilt tree", count / bestRebuilt);
        benchNote(benchRow(bench, "rays_embree_per_s", embree->raysPerSecond, "1/s", NO_VALUE, NULL), "%s%s",
                  embree->info, embree->there && embree->hits != hitCount ? "; not the same number of hits" : "");
    }
    FREE_ARRAY(split->memory, hits, count);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static double meanOver(const Split* split, size_t offset)
{
    double sum = 0.0;
    for (int s = 0; s < BVH_STEPS; ++s)
        sum += *(const double*)(const void*)((const char*)&split->steps[s] + offset);
    return sum / BVH_STEPS;
}
#define MEAN(split, member) meanOver((split), offsetof(StepTimes, member))

static void row(Bench* bench, int triangles, const char* what, double value, const char* unit, double paper)
{
    char name[BENCH_NAME];
    snprintf(name, sizeof name, "split%d.%s", triangles, what);
    benchRow(bench, name, value, unit, paper, NULL);
}

static void tableRows(const Split* split, int triangles, const PaperRow* paper, const char* model)
{
    Bench* bench = split->bench;
    double removed = 0.0, added = 0.0, longest = 0.0, quality = 0.0;
    for (int s = 0; s < BVH_STEPS; ++s) {
        removed += split->steps[s].removed, added += split->steps[s].added;
        longest = maxD(longest, split->steps[s].update);
        quality = maxD(quality, split->steps[s].quality / split->steps[s].medianQuality);
    }
    row(bench, triangles, "update_ms", MEAN(split, update), "ms", paper->total);
    benchNote(&bench->rows[bench->rowCount - 1],
              "%s, 1 thread, mean of %d steps, at most %.3g ms; %d triangles at last", model, BVH_STEPS, longest,
              split->steps[BVH_STEPS - 1].triangles);
    row(bench, triangles, "replaced", removed / BVH_STEPS, "", paper->old);
    row(bench, triangles, "added", added / BVH_STEPS, "", paper->decomposed + paper->crack);
    row(bench, triangles, "check_ms", MEAN(split, check), "ms", NO_VALUE);
    row(bench, triangles, "replace_ms", MEAN(split, replace), "ms", paper->replace);
    row(bench, triangles, "insert_ms", MEAN(split, insert), "ms", paper->insert);
    row(bench, triangles, "refit_ms", MEAN(split, plain), "ms", paper->refit);
    row(bench, triangles, "optimise_ms", MEAN(split, refit) - MEAN(split, plain), "ms", paper->optimise);
    row(bench, triangles, "midpoint_ms", MEAN(split, midpoint), "ms", paper->midpoint);
    row(bench, triangles, "median_ms", MEAN(split, median), "ms", paper->median);
    row(bench, triangles, "sah_ms", MEAN(split, sah), "ms", NO_VALUE);
    row(bench, triangles, "refit_all_ms", MEAN(split, refitAll), "ms", NO_VALUE);
    row(bench, triangles, "quality_ratio_max", quality, "x", NO_VALUE);
}

static shStatus plots(const Split* split, shMessage* message)
{
    Bench* bench = split->bench;
    Plot* times = plotOpen(bench, "fig7-times", "step,update,median,midpoint,sah",
                           "set xlabel 'step'\nset ylabel 'ms'\nset logscale y\n"
                           "plot for [i=2:5] data using 1:i with linespoints title columnheader(i)\n");
    Plot* quality = plotOpen(bench, "fig7-quality", "step,updated,without permutations,median,midpoint,sah",
                             "set xlabel 'step'\nset ylabel 'Q'\n"
                             "plot for [i=2:6] data using 1:i with linespoints title columnheader(i)\n");
    Plot* depth = plotOpen(bench, "fig7-depth", "step,updated,median,midpoint,sah",
                           "set xlabel 'step'\nset ylabel 'depth'\nset yrange [0:*]\n"
                           "plot for [i=2:5] data using 1:i with linespoints title columnheader(i)\n");
    for (int s = 0; s < BVH_STEPS; ++s) {
        const StepTimes* t = &split->steps[s];
        PLOT_ROW(times, s + 1, t->update, t->median, t->midpoint, t->sah);
        PLOT_ROW(quality, s + 1, t->quality, t->plainQuality, t->medianQuality, t->midpointQuality, t->sahQuality);
        PLOT_ROW(depth, s + 1, t->depth, t->medianDepth, t->midpointDepth, t->sahDepth);
    }
    shStatus first = plotClose(times, message), second = plotClose(quality, message), third = plotClose(depth, message);
    return first != shOk ? first : second != shOk ? second : third;
}

static shStatus finalRows(Split* split, const char* model, shMessage* message)
{
    Bench* bench = split->bench;
    shStatus status = makeRays(split, benchAmount(bench, 100, 20000, MOST_RAYS), message);
    if (status != shOk)
        return status;
    progressShow("bvh: peers");
    int blocks = benchRepeats(bench, 3, 5);
    BvhPeerTimes embree = bvhAskPeer("embree", &split->states, blocks);
    BvhPeerTimes fcl = bvhAskPeer("fcl_bvh", &split->states, blocks);
    double update = MEAN(split, update), quality = 0.0, plainQuality = 0.0;
    for (int s = 0; s < BVH_STEPS; ++s) {
        quality = maxD(quality, split->steps[s].quality / split->steps[s].medianQuality);
        plainQuality = maxD(plainQuality, split->steps[s].plainQuality / split->steps[s].medianQuality);
    }
    struct {
        const char* name;
        double ms;
    } rebuilds[] = {{"our median", MEAN(split, median)}, {"midpoint", MEAN(split, midpoint)},
                    {"binned SAH", MEAN(split, sah)},    {"Embree Morton", embree.fast},
                    {"Embree SAH", embree.build},        {"FCL", fcl.build}};
    int fastest = 0, known = (int)(sizeof rebuilds / sizeof *rebuilds);
    for (int i = 1; i < known; ++i)
        if (rebuilds[i].ms < rebuilds[fastest].ms)
            fastest = i;
    benchNote(benchRow(bench, "speedup_median", MEAN(split, median) / update, "x", 14.81, ">= 100"),
              "%s; our median build, which is %.3g ms, over our update", model, MEAN(split, median));
    benchNote(benchRow(bench, "speedup_fastest", rebuilds[fastest].ms / update, "x", 4.08, ">= 50"), "%s, %.3g ms%s",
              rebuilds[fastest].name, rebuilds[fastest].ms, embree.there && fcl.there ? "" : "; a peer is missing");
    const StepTimes* last = &split->steps[BVH_STEPS - 1];
    benchNote(
        benchRow(bench, "quality_ratio", quality, "x", NO_VALUE, "<= 1.10"),
        "Q over that of the median build, largest of all steps; without permutations %.3g; at last Q %.3g, without "
        "%.3g, median %.3g, midpoint %.3g, SAH %.3g",
        plainQuality, last->quality, last->plainQuality, last->medianQuality, last->midpointQuality, last->sahQuality);
    benchNote(benchRow(bench, "depth_ratio", last->depth / log2((double)last->triangles), "", NO_VALUE, "<= 1.44"),
              "over log2 n at last: depth %d, median %d, midpoint %d, SAH %d", last->depth, last->medianDepth,
              last->midpointDepth, last->sahDepth);
    const char* missing = "not measured";
    benchNote(benchRow(bench, "embree_morton_ms", embree.fast, "ms", NO_VALUE, NULL), "%s",
              embree.info[0] != '\0' ? embree.info : missing);
    benchNote(benchRow(bench, "embree_sah_ms", embree.build, "ms", NO_VALUE, NULL), "%s", embree.info);
    benchNote(benchRow(bench, "embree_refit_ms", embree.refit, "ms", NO_VALUE, NULL), "%s", embree.info);
    benchNote(benchRow(bench, "fcl_build_ms", fcl.build, "ms", NO_VALUE, NULL), "%s", fcl.info);
    benchNote(benchRow(bench, "fcl_refit_ms", fcl.refit, "ms", NO_VALUE, NULL), "%s", fcl.info);
    status = rayRows(split, &embree, message);
    return status == shOk ? plots(split, message) : status;
}

shStatus bvhSplitRows(Bench* bench, shMessage* message)
{
    static Split split;
    shStatus status = shOk;
    for (int size = bench->tiny ? SIZES - 1 : 0; size < SIZES && status == shOk; ++size) {
        BvhModel model;
        const char* name = "triceratops";
        split = (Split){.bench = bench};
        status = bvhContext(&split.context, message);
        if (status != shOk)
            return status;
        split.memory = &split.context->memory;
        status = bench->tiny ? shNoFile : bvhTriceratops(split.memory, size, &model, message);
        if (status == shNoFile) { // as many triangles, nearly
            int around = bench->tiny ? 24 : 76 << size;
            name = "a bumpy ball, for want of the triceratops of libcgal-demo";
            status = bvhRound(split.memory, around, around / 2, &model, message);
        }
        int triangles = status == shOk ? model.mesh.triangleCount : 0;
        if (status == shOk)
            status = splitRun(&split, &model.mesh, (int)(BVH_STEPS * paperRows[size].old), size == SIZES - 1, message);
        if (status == shOk)
            tableRows(&split, triangles, &paperRows[size], name);
        if (status == shOk && size == SIZES - 1)
            status = finalRows(&split, name, message);
        splitFree(&split);
        bvhStatesFree(&split.states);
        bvhModelFree(&model);
        shDestroyContext(split.context);
    }
    return status;
}

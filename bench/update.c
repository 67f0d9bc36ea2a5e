// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `update`: what following a break costs against making field and trees anew, and what queries lose by it
// (Glondu §7.3, Fig. 15). CPU time of one thread on both sides, best of the runs, which take turns.
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/plot.h"
#include "bench/poses.h"
#include "bench/recompute.h"
#include "bench/suites.h"
#include "bench/update_run.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/random.h"
#include "solid/solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUERIES = 200, QUERY_PIECES = 27, GLOBAL_SITES = 10, BLOCKS = 5 };
static const float DEEPEST = 0.1f; // of the smaller piece's diameter
static const double CHIP = 0.01;   // of the nodes

typedef struct Update {
    Bench* bench;
    shAsset* asset;
    shQuery* query;
    const char* model;
    int sites;
} Update;

// Seconds to apply a crack to a solid that is whole, or was chipped once before.
static shStatus timeBreak(const shAsset* asset, const shCrack* before, const shCrack* crack, int* pieceCount,
                          double* seconds, shMessage* message)
{
    shSolid* solid;
    shStatus status = shCreateSolid(asset, &solid, message);
    if (status == shOk && before != NULL)
        status = shSolid_Break(solid, before, NULL, message);
    if (status == shOk) {
        double start = clockSeconds(clockThread);
        status = shSolid_Break(solid, crack, NULL, message);
        *seconds = clockSeconds(clockThread) - start;
        if (pieceCount != NULL)
            *pieceCount = shSolid_GetPieceCount(solid);
    }
    shDestroySolid(solid);
    return status;
}

// ---- update against recomputation -----------------------------------------------------------------------------------

static shStatus updateRows(Update* update, int repeats, shMessage* message)
{
    SeededCrack* made;
    shSolid* solid = NULL;
    Samples ours = {0}, field = {0}, trees = {0}, allTrees = {0}, both = {0}, paper = {0}, surfaces = {0};
    int pieces = 0, nodeCount = shAsset_GetInfo(update->asset).pointCount;
    shStatus status = seededCrackCreate(update->asset, update->sites, 21, &made, message);
    if (status != shOk)
        return status;
    Memory* memory = &update->bench->single->memory;
    NodeField* nodes = NEW_ARRAY(memory, NodeField, nodeCount);
    shCrack crack = seededCrackOf(made);
    status = shCreateSolid(update->asset, &solid, message);
    if (status == shOk && nodes == NULL)
        status = failMemory(message);
    if (status == shOk)
        status = shSolid_Break(solid, &crack, NULL, message);
    for (int i = 0; i < repeats && status == shOk; ++i) {
        progressShow("update: run %d of %d", i + 1, repeats);
        double seconds = 0.0, marks[5];
        status = timeBreak(update->asset, NULL, &crack, &pieces, &seconds, message);
        marks[0] = clockSeconds(clockThread);
        if (status == shOk)
            status = recomputeField(solid, nodes, message);
        marks[1] = clockSeconds(clockThread);
        if (status == shOk)
            status = recomputeTrees(solid, true, message);
        marks[2] = clockSeconds(clockThread);
        if (status == shOk)
            status = recomputeTrees(solid, false, message);
        marks[3] = clockSeconds(clockThread);
        if (status == shOk)
            status = recomputeSkins(solid, message);
        if (status == shOk)
            status = recomputeShapes(solid, message);
        marks[4] = clockSeconds(clockThread);
        samplesAdd(&ours, 1e3 * seconds);
        samplesAdd(&field, 1e3 * (marks[1] - marks[0]));
        samplesAdd(&allTrees, 1e3 * (marks[2] - marks[1]));
        samplesAdd(&trees, 1e3 * (marks[3] - marks[2]));
        samplesAdd(&surfaces, 1e3 * (marks[4] - marks[3]));
        samplesAdd(&both, 1e3 * (marks[4] - marks[2]));
        samplesAdd(&paper, 1e3 * (marks[1] - marks[0] + marks[3] - marks[2]));
    }
    if (status == shOk) {
        Bench* bench = update->bench;
        double best = samplesBest(&ours);
        benchNote(benchRow(bench, "speedup_both", samplesBest(&both) / best, "x", NO_VALUE, ">= 10"),
                  "%s into %d, 1 thread; all that the next narrow phase reads, by our own fastest functions: surface "
                  "trees, masses, support maps, edges, samples, grids, sphere trees of surface points; from given "
                  "surfaces, warm; ours cuts too, cold. The limit: a break all over touches every surface as well",
                  update->model, pieces);
        benchNote(benchRow(bench, "variant_speedup_paper", samplesBest(&paper) / best, "x", NO_VALUE, NULL),
                  "against the field of the paper, with the distances of nodes, and sphere trees");
        benchNote(benchRow(bench, "update_ms", best, "ms", NO_VALUE, NULL), "cuts, field and trees; best of %d",
                  repeats);
        benchRow(bench, "variant_recompute_field_ms", samplesBest(&field), "ms", NO_VALUE, NULL);
        benchRow(bench, "variant_recompute_trees_ms", samplesBest(&trees), "ms", NO_VALUE, NULL);
        benchNote(benchRow(bench, "variant_recompute_all_points_ms", samplesBest(&allTrees), "ms", NO_VALUE, NULL),
                  "trees that could break again: inner points too");
        benchRow(bench, "variant_recompute_surfaces_ms", samplesBest(&surfaces), "ms", NO_VALUE, NULL);
        benchRow(bench, "variant_recompute_both_ms", samplesBest(&both), "ms", NO_VALUE, NULL);
    }
    shDestroySolid(solid);
    FREE_ARRAY(memory, nodes, nodeCount);
    seededCrackDestroy(made);
    return status;
}

// ---- queries after either -------------------------------------------------------------------------------------------

enum { UPDATED, NEW_FIELD, NEW_TREES, NEW_BOTH, WAYS };

typedef struct QueryTest {
    shSolid* solids[WAYS][2];
    Pose poses[WAYS][MOST_QUERIES];
    double times[WAYS][MOST_QUERIES]; // µs
    int count;
} QueryTest;

static shStatus makeSolids(const Update* update, QueryTest* test, shMessage* message)
{
    shStatus status = shOk;
    for (int way = 0; way < WAYS; ++way)
        for (int side = 0; side < 2 && status == shOk; ++side) {
            shSolid** solid = &test->solids[way][side];
            status = shCreateSolid(update->asset, solid, message);
            if (status == shOk)
                status = breakSeeded(*solid, update->sites, 31 + (uint64_t)side, message);
            if (status == shOk && (way == NEW_FIELD || way == NEW_BOTH))
                status = recomputeSkins(*solid, message);
            if (status == shOk && (way == NEW_TREES || way == NEW_BOTH))
                status = recomputeTrees(*solid, false, message);
        }
    return status;
}

static void makePoses(const Update* update, QueryTest* test, int wanted)
{
    int lists[2][QUERY_PIECES], counts[2];
    for (int side = 0; side < 2; ++side)
        counts[side] = largestPieces(test->solids[UPDATED][side], minI(update->sites, QUERY_PIECES), lists[side]);
    for (uint64_t attempt = 0; test->count < wanted && attempt < 4 * (uint64_t)wanted; ++attempt) {
        Random random = randomSeedItem(5, attempt);
        shCollider pair[2];
        float diameter = INFINITY;
        for (int side = 0; side < 2; ++side) {
            int piece = lists[side][randomBelow(&random, counts[side])];
            pair[side] = (shCollider){.solid = test->solids[UPDATED][side], .piece = piece};
            diameter = minF(diameter, pieceDiameter(pair[side].solid, piece));
        }
        float depth = diameter * DEEPEST * randomFloat(&random);
        Pose pose;
        if (!poseFind(update->query, pair, depth, randomBits(&random), &pose))
            continue;
        for (int way = 0; way < WAYS; ++way) {
            for (int side = 0; side < 2; ++side)
                pose.colliders[side].solid = test->solids[way][side];
            test->poses[way][test->count] = pose;
            test->times[way][test->count] = INFINITY;
        }
        ++test->count;
    }
}

static shStatus queryRows(Update* update, int wanted, int blocks, shMessage* message)
{
    static const char* const rows[WAYS] = {"query_us", "variant_query_new_field", "variant_query_new_trees",
                                           "query_ratio"};
    Memory* memory = &update->bench->single->memory;
    QueryTest* test = NEW_ZEROED(memory, QueryTest, 1);
    if (test == NULL)
        return failMemory(message);
    progressShow("update: queries");
    shStatus status = makeSolids(update, test, message);
    shCollideDef def = shDefaultCollideDef();
    if (status == shOk)
        makePoses(update, test, wanted);
    for (int block = 0; block < blocks && status == shOk; ++block)
        for (int way = 0; way < WAYS && status == shOk; ++way)
            status = posesTime(update->query, &def, test->poses[way], test->count, test->times[way], message);
    double ours = meanOf(test->times[UPDATED], test->count);
    for (int way = 0; way < WAYS && status == shOk; ++way) {
        double mean = meanOf(test->times[way], test->count);
        double visited = posesVisited(update->query, &def, test->poses[way], test->count);
        BenchRow* row = benchRow(update->bench, rows[way], way == UPDATED ? ours : ours / mean,
                                 way == UPDATED ? "us" : "x", NO_VALUE, way == NEW_BOTH ? "<= 1.25" : NULL);
        if (way == UPDATED)
            benchNote(row, "after the update; %.0f samples tested, %d poses", visited, test->count);
        else
            benchNote(row, "after the update / after recomputation (%.2f us, %.0f samples tested)", mean, visited);
    }
    for (int way = 0; way < WAYS; ++way)
        for (int side = 0; side < 2; ++side)
            shDestroySolid(test->solids[way][side]);
    FREE_ARRAY(memory, test, 1);
    return status;
}

// ---- locality -------------------------------------------------------------------------------------------------------

typedef struct NodeDistance {
    float distance2;
    int node;
} NodeDistance;

static int compareDistances(const void* left, const void* right)
{
    const NodeDistance *a = left, *b = right;
    if (a->distance2 != b->distance2)
        return a->distance2 < b->distance2 ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

// Labels that divide the nodes closest to one on the surface from the rest.
static void chipLabels(const shAsset* asset, Random* random, NodeDistance* distances, int* labels)
{
    int count = asset->mesh.nodeCount, chipped = maxI(1, (int)(CHIP * count));
    Vec3 seed = asset->mesh.nodes[randomBelow(random, asset->mesh.surfaceNodeCount)];
    for (int n = 0; n < count; ++n) {
        distances[n] = (NodeDistance){vDistance2(seed, asset->mesh.nodes[n]), n};
        labels[n] = 0;
    }
    qsort(distances, (size_t)count, sizeof(distances[0]), compareDistances);
    for (int i = 0; i < chipped; ++i)
        labels[distances[i].node] = 1;
}

static shStatus localRows(Update* update, int chips, int repeats, shMessage* message)
{
    const shAsset* asset = update->asset;
    Memory* memory = &asset->context->memory;
    int count = asset->mesh.nodeCount;
    SeededCrack* made = NULL;
    NodeDistance* distances = NEW_ARRAY(memory, NodeDistance, count);
    int* labels = NEW_ARRAY(memory, int, count);
    int* earlier = NEW_ARRAY(memory, int, count);
    shStatus status = distances && labels && earlier ? shOk : failMemory(message);
    if (status == shOk)
        status = seededCrackCreate(asset, GLOBAL_SITES, 41, &made, message);
    Samples global = {0};
    double first = 0.0, again = 0.0;
    for (int i = 0; i < repeats && status == shOk; ++i) {
        double seconds = 0.0;
        shCrack crack = seededCrackOf(made);
        status = timeBreak(asset, NULL, &crack, NULL, &seconds, message);
        samplesAdd(&global, seconds);
    }
    Random random = randomSeed(42);
    if (status == shOk)
        chipLabels(asset, &random, distances, earlier);
    for (int chip = 0; chip < chips && status == shOk; ++chip) {
        progressShow("update: chip %d of %d", chip + 1, chips);
        chipLabels(asset, &random, distances, labels);
        const shCrack crack = {0, labels, NULL, NULL}, before = {0, earlier, NULL, NULL};
        Samples whole = {0}, chipped = {0};
        for (int i = 0; i < repeats && status == shOk; ++i) {
            double seconds[2] = {0.0, 0.0};
            status = timeBreak(asset, NULL, &crack, NULL, &seconds[0], message);
            if (status == shOk)
                status = timeBreak(asset, &before, &crack, NULL, &seconds[1], message);
            samplesAdd(&whole, seconds[0]);
            samplesAdd(&chipped, seconds[1]);
        }
        first += samplesBest(&whole) / chips;
        again += samplesBest(&chipped) / chips;
    }
    if (status == shOk) {
        double globalBest = samplesBest(&global);
        benchNote(benchRow(update->bench, "local_share", first / globalBest, "", NO_VALUE, "<= 0.10"),
                  "1 %% of the nodes chipped off a whole solid: %.3f ms; into %d: %.3f ms", 1e3 * first, GLOBAL_SITES,
                  1e3 * globalBest);
        benchNote(benchRow(update->bench, "local_share_again", again / globalBest, "", NO_VALUE, NULL),
                  "off a solid that has been chipped before: %.3f ms", 1e3 * again);
    }
    seededCrackDestroy(made);
    FREE_ARRAY(memory, distances, count);
    FREE_ARRAY(memory, labels, count);
    FREE_ARRAY(memory, earlier, count);
    return status;
}

// Fig. 15's bars.
static shStatus plotRows(Bench* bench, shMessage* message)
{
    static const char* const rows[][2] = {{"update_ms", "update with cuts"},
                                          {"variant_recompute_field_ms", "new field"},
                                          {"variant_recompute_trees_ms", "new trees"},
                                          {"variant_recompute_both_ms", "both new"}};
    Plot* plot = plotOpen(bench, "fig15-update", "what,ms",
                          "set style data histograms\nset style fill solid 0.8\nset ylabel 'ms'\nset yrange [0:]\n"
                          "set key off\nplot data using 2:xtic(1) every ::1 lc '#2980b9'\n");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        for (int i = 0; i < bench->rowCount; ++i)
            if (strcmp(bench->rows[i].row, rows[k][0]) == 0)
                plotBar(plot, rows[k][1], 1, &bench->rows[i].value);
    return plotClose(plot, message);
}

// ---- the suite ------------------------------------------------------------------------------------------------------

// The paper's piggy bank if the library has one, else the bunny.
static shStatus openModel(Update* update, shMessage* message)
{
    if (update->bench->tiny) {
        update->model = "sphere";
        update->sites = 5;
        return cacheModel(update->bench->single, "sphere", 0.3f, &update->asset, message);
    }
    for (int i = 0; i < shGetModelCount(); ++i)
        if (strcmp(shGetModel(i).name, "piggy-bank") == 0) {
            update->model = "piggy-bank";
            update->sites = 27;
            return cacheModel(update->bench->single, "piggy-bank", 1.0f, &update->asset, message);
        }
    update->model = "bunny";
    update->sites = 10;
    return cacheBunny(update->bench->single, 7940, &update->asset, message);
}

shStatus benchUpdate(Bench* bench, shMessage* message)
{
    Update update = {.bench = bench};
    progressShow("update: the model");
    shStatus status = openModel(&update, message);
    if (status == shNoFile || status == shFailed) {
        static const char* const rows[][2] = {
            {"speedup_both", ">= 10"}, {"query_ratio", "<= 1.25"}, {"local_share", "<= 0.10"}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
            benchNote(benchRow(bench, rows[i][0], NO_VALUE, "", NO_VALUE, rows[i][1]), "%.200s", message->text);
        return shOk;
    }
    if (status != shOk)
        return status;
    int repeats = bench->tiny ? 1 : maxI(BLOCKS, benchRepeats(bench, 7, 15));
    status = shCreateQuery(bench->single, &update.query, message);
    if (status == shOk)
        status = updateRows(&update, repeats, message);
    if (status == shOk)
        status = queryRows(&update, benchAmount(bench, 4, 100, MOST_QUERIES), repeats, message);
    if (status == shOk)
        status = localRows(&update, benchAmount(bench, 1, 10, 30), repeats, message);
    if (status == shOk)
        status = plotRows(bench, message);
    if (status == shOk)
        status = updateRun(bench, message);
    if (status == shOk)
        status = updateSlice(bench, message);
    shDestroyQuery(update.query);
    shDestroyAsset(update.asset);
    progressClear();
    return status;
}

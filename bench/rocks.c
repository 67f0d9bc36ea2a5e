// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `rocks`: a thousand distinct convex rocks dropped into a bin, falling and at rest, beside Bullet with the same
// hulls in the same places; and how deep they lie in each other at the end, by separating axes.
#include "bench/bin.h"
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/convex_rock.h"
#include "bench/depth_list.h"
#include "bench/machine.h"
#include "bench/peer.h"
#include "bench/peer_pairs.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/random.h"
#include "sherd/world.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MANY = 1000,
    SOME = 600, // with --quick, of which half the time is theirs
    TINY = 8,   // in tests
    ACROSS = 10,
    STEPS = 900,
    TINY_STEPS = 6,
    REPEATS = 5,
    SEED = 1,
    PEER_SECONDS = 300, // a run of theirs takes some 30 s
};
static const float STEP = 1.0f / 60.0f, FRICTION = 0.5f, DENSITY = 2400.0f;
static const float CELL = 1.3f;         // m between middles at first: no two rocks (1.2 m at most) touch
static const float PEER_MARGIN = 1e-3f; // m; Bullet's own 40 mm would make rocks of this size float
static const int PEER_ITERATIONS = 10;  // Bullet's own

typedef struct Rocks {
    int count, steps;
    BinDef bin;
    Rock* rocks;
    shAsset** assets;
    shTransform *starts, *ends;
    double bytes;    // of an asset's image, mean
    double memory;   // that an asset keeps, its image included, mean
    double cookMs;   // CPU time of cooking one, mean
    double vertices; // of a rock, mean
    double speed;    // at the end, mean, m/s
} Rocks;

static void rocksFree(Rocks* all)
{
    for (int i = 0; i < all->count && all->assets != NULL; ++i)
        shDestroyAsset(all->assets[i]);
    free(all->rocks);
    free(all->assets);
    free(all->starts);
    free(all->ends);
}

static shStatus rocksMake(Bench* bench, Rocks* all, shMessage* message)
{
    int count = benchAmount(bench, TINY, SOME, MANY);
    *all = (Rocks){.count = count, .steps = bench->tiny ? TINY_STEPS : STEPS};
    all->bin = (BinDef){.half = 0.5f * CELL * (float)ACROSS + 0.1f, .friction = FRICTION};
    all->bin.wallHeight = CELL * (float)(count / (ACROSS * ACROSS) + 2);
    all->rocks = calloc((size_t)count, sizeof *all->rocks);
    all->assets = calloc((size_t)count, sizeof *all->assets);
    all->starts = calloc((size_t)count, sizeof *all->starts);
    all->ends = calloc((size_t)count, sizeof *all->ends);
    if (all->rocks == NULL || all->assets == NULL || all->starts == NULL || all->ends == NULL)
        return failMemory(message);
    shStatus status = shOk;
    Random random = randomSeed(SEED);
    const int64_t before = shContext_GetMemory(bench->single).bytes;
    for (int i = 0; i < count && status == shOk; ++i) {
        progressShow("rocks: cooking %d of %d", i + 1, count);
        rockMake(randomBits(&random), &all->rocks[i]);
        double start = clockSeconds(clockThread);
        status = rockCook(bench->single, &all->rocks[i], &all->assets[i], message);
        all->cookMs += 1e3 * (clockSeconds(clockThread) - start) / count;
        if (status != shOk)
            break;
        all->bytes += (double)shAsset_GetInfo(all->assets[i]).imageBytes / count;
        all->vertices += (double)all->rocks[i].vertexCount / count;
        int x = i % ACROSS, z = i / ACROSS % ACROSS, y = i / (ACROSS * ACROSS);
        float middle = 0.5f * (float)(ACROSS - 1);
        all->starts[i].p = vec3(CELL * ((float)x - middle), CELL * (0.5f + (float)y), CELL * ((float)z - middle));
        all->starts[i].q = randomRotation(&random);
    }
    all->memory = (double)(shContext_GetMemory(bench->single).bytes - before) / count;
    return status;
}

static double threadSeconds(void* user)
{
    (void)user;
    return clockSeconds(clockThread);
}

static shStatus fill(shWorld* world, const Rocks* all, shBodyId* bodies, shMessage* message)
{
    shStatus status = binAdd(world, &all->bin, message);
    for (int i = 0; i < all->count && status == shOk; ++i) {
        shBodyDef def = shDefaultBodyDef();
        def.asset = all->assets[i];
        def.transform = all->starts[i];
        def.friction = FRICTION;
        def.restitution = 0.0f;
        status = shCreateBody(world, &def, &bodies[i], message);
    }
    return status;
}

// One run of ours on one thread, CPU time of each step.
static shStatus runOurs(Rocks* all, int repeat, int repeats, double* ms, shMessage* message)
{
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 1;
    contextDef.clock = threadSeconds;
    shContext* context;
    shWorld* world = NULL;
    shBodyId* bodies = calloc((size_t)all->count, sizeof *bodies);
    shStatus status = bodies != NULL ? shCreateContext(&contextDef, &context, message) : failMemory(message);
    if (status != shOk) {
        free(bodies);
        return status;
    }
    shWorldDef def = shDefaultWorldDef();
    def.sleeping = false;
    status = shCreateWorld(context, &def, &world, message);
    if (status == shOk)
        status = fill(world, all, bodies, message);
    for (int i = 0; i < all->steps && status == shOk; ++i) {
        progressShow("rocks: run %d of %d, step %d of %d", repeat + 1, repeats, i + 1, all->steps);
        double start = clockSeconds(clockThread);
        status = shWorld_Step(world, STEP, message);
        ms[i] = 1e3 * (clockSeconds(clockThread) - start);
    }
    all->speed = 0.0;
    for (int i = 0; i < all->count && status == shOk; ++i) {
        all->ends[i] = shBody_GetTransform(world, bodies[i]);
        all->speed += (double)vLength(shBody_GetVelocity(world, bodies[i])) / all->count;
    }
    shDestroyWorld(world);
    shDestroyContext(context);
    free(bodies);
    return status;
}

// ---- Bullet ---------------------------------------------------------------------------------------------------------

static shStatus writeWork(const Rocks* all, const char* path, shMessage* message)
{
    typedef struct PeerRock {
        shVec3 vertices[ROCK_POINTS];
    } PeerRock;
    int count = all->count;
    PeerMesh* meshes = calloc((size_t)count + 1, sizeof *meshes);
    PeerPose* poses = calloc((size_t)count, sizeof *poses);
    PeerRock* points = calloc((size_t)count, sizeof *points);
    shStatus status = meshes != NULL && poses != NULL && points != NULL ? shOk : failMemory(message);
    for (int i = 0; i < count && status == shOk; ++i) {
        const Rock* rock = &all->rocks[i];
        for (int v = 0; v < rock->vertexCount; ++v)
            points[i].vertices[v] = vFromD(rock->vertices[v]);
        meshes[i] = (PeerMesh){rock->vertexCount, rock->triangleCount, points[i].vertices, rock->triangles};
        poses[i] = (PeerPose){.a = i, .b = i, .xa = all->starts[i], .xb = all->starts[i]};
    }
    // The settings, as the peer expects them: see peers/bullet_rocks.cpp.
    shVec3 settings[3 + 2 * BIN_BOXES] = {
        {STEP, (float)all->steps, FRICTION}, {DENSITY, PEER_MARGIN, (float)PEER_ITERATIONS}, {0.0f, 0.0f, 0.0f}};
    const int none[1][3] = {{0, 1, 2}};
    shVec3 halfExtents[BIN_BOXES], centres[BIN_BOXES];
    int boxes = binBoxes(&all->bin, halfExtents, centres);
    for (int i = 0; i < boxes; ++i) {
        settings[3 + 2 * i] = halfExtents[i];
        settings[4 + 2 * i] = centres[i];
    }
    if (status == shOk) {
        meshes[count] = (PeerMesh){3 + 2 * boxes, 1, settings, none};
        status = peerWriteFile(path, meshes, count + 1, poses, count, message);
    }
    free(meshes);
    free(poses);
    free(points);
    return status;
}

typedef struct Theirs {
    char settings[128];
    double speed;      // at the end, mean, m/s
    shTransform* ends; // [count]
} Theirs;

static void readEnds(const json_t* list, Theirs* theirs)
{
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t* numbers = json_array_get(list, i);
        float v[7];
        for (size_t k = 0; k < 7; ++k)
            v[k] = (float)json_number_value(json_array_get(numbers, k));
        theirs->ends[i] = (shTransform){{v[0], v[1], v[2]}, {{v[3], v[4], v[5]}, v[6]}};
    }
}

static shStatus runTheirs(const Rocks* all, const char* work, double* ms, Theirs* theirs, shMessage* message)
{
    json_t* lines = NULL;
    progressShow("rocks: Bullet");
    shStatus status = peerRun("bullet_rocks", work, PEER_SECONDS, &lines, message);
    if (status != shOk)
        return status;
    const json_t *answer = json_array_get(lines, 0), *list = json_object_get(answer, "ms"),
                 *ends = json_object_get(answer, "ends");
    if (json_array_size(list) != (size_t)all->steps || json_array_size(ends) != (size_t)all->count) {
        status = fail(message, shFailed, "peer bullet_rocks did not answer for %d steps", all->steps);
    } else {
        for (int i = 0; i < all->steps; ++i)
            ms[i] = json_number_value(json_array_get(list, (size_t)i));
        snprintf(theirs->settings, sizeof theirs->settings, "Bullet %.20s (%.90s)",
                 json_string_value(json_object_get(answer, "version")),
                 json_string_value(json_object_get(answer, "settings")));
        theirs->speed = json_number_value(json_object_get(answer, "speed"));
        readEnds(ends, theirs);
    }
    json_decref(lines);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef struct Times {
    double *ours, *theirs; // [repeats][steps] ms
    int repeats, steps, rocks;
} Times;

// Of the steps [from, to): mean, or a percentile, over steps of the median over repeats.
static void stepMedians(const double* ms, const Times* times, int from, int to, Samples* out)
{
    out->count = 0;
    for (int i = from; i < to; ++i) {
        static Samples runs;
        runs.count = 0;
        for (int k = 0; k < times->repeats; ++k)
            samplesAdd(&runs, ms[k * times->steps + i]);
        samplesAdd(out, samplesMedian(&runs));
    }
}

// Depths (mm) of all pairs that overlap, rocks among each other and with the bin.
static shStatus depthsOf(const Rocks* all, const shTransform* transforms, DepthList* depths, shMessage* message)
{
    shVec3 halfExtents[BIN_BOXES], centres[BIN_BOXES];
    int boxes = binBoxes(&all->bin, halfExtents, centres);
    PlacedRock* placed = calloc((size_t)all->count, sizeof *placed);
    bool ok = placed != NULL;
    for (int i = 0; i < all->count && ok; ++i)
        rockPlace(&all->rocks[i], transforms[i], &placed[i]);
    for (int i = 0; i < all->count && ok; ++i) {
        progressShow("rocks: separating axes, rock %d of %d", i + 1, all->count);
        for (int k = i + 1; k < all->count && ok; ++k)
            ok = depthListAdd(depths, 1e3 * rockDepth(&placed[i], &placed[k]));
        for (int k = 0; k < boxes && ok; ++k) { // rocks are in the bin: each box is a plane to them
            DVec3 centre = dFromV(centres[k]);
            DVec3 inward = k == 0 ? dvec3(0.0, 1.0, 0.0) : dNormalize(dvec3(-centre.x, 0.0, -centre.z));
            DVec3 on = dMad(centre, fabs(dDot(dFromV(halfExtents[k]), inward)), inward);
            ok = depthListAdd(depths, 1e3 * rockPlaneDepth(&placed[i], on, inward));
        }
    }
    free(placed);
    return ok ? shOk : failMemory(message);
}

static shStatus depthRows(Bench* bench, const Rocks* all, const Theirs* theirs, shMessage* message)
{
    DepthList ours = {0}, their = {0};
    char beside[96] = "";
    shStatus status = depthsOf(all, all->ends, &ours, message);
    if (status == shOk && theirs->ends != NULL)
        status = depthsOf(all, theirs->ends, &their, message);
    if (status == shOk) {
        static const struct {
            const char *row, *goal;
            double share; // of the list; −1: the mean
        } rows[] = {{"depth_mean_mm", "<= 2", -1.0}, {"depth_p99_mm", "<= 12", 0.99}, {"depth_max_mm", "<= 25", 1.0}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
            double share = rows[i].share;
            double value = share < 0.0 ? depthListMean(&ours) : depthListPercentile(&ours, share);
            if (theirs->ends != NULL)
                snprintf(beside, sizeof beside, "; Bullet %.3g of %d",
                         share < 0.0 ? depthListMean(&their) : depthListPercentile(&their, share), their.count);
            benchNote(benchRow(bench, rows[i].row, value, "mm", NO_VALUE, rows[i].goal),
                      "separating axes, %d pairs that overlap%s", ours.count, beside);
        }
    }
    depthListFree(&ours);
    depthListFree(&their);
    return status;
}

static void speedupRow(Bench* bench, const char* name, const char* goal, const Times* times, int from, int to,
                       const char* settings)
{
    static Samples ours, theirs;
    stepMedians(times->ours, times, from, to, &ours);
    stepMedians(times->theirs, times, from, to, &theirs);
    double mine = samplesMean(&ours), their = samplesMean(&theirs);
    BenchRow* row = benchRow(bench, name, settings != NULL ? their / mine : NO_VALUE, "x", NO_VALUE, goal);
    if (settings != NULL)
        benchNote(row, "ours %.2f ms, theirs %.2f; %s; %d rocks, steps %d-%d, %d run(s)%s; load %.1f", mine, their,
                  settings, times->rocks, from + 1, to, times->repeats, bench->quick ? ", quick" : "", machineLoad());
    else
        benchNote(row, "ours %.2f ms; peer bullet_rocks is not built, or failed", mine);
}

static void timeRows(Bench* bench, const Rocks* all, const Times* times, const char* settings)
{
    static Samples falling;
    int half = times->steps / 2;
    speedupRow(bench, "falling_speedup", ">= 5", times, 0, half, settings);
    speedupRow(bench, "resting_speedup", ">= 20", times, half, times->steps, settings);
    stepMedians(times->ours, times, 0, half, &falling);
    benchNote(benchRow(bench, "falling_p99_ms", samplesPercentile(&falling, 0.99), "ms", NO_VALUE, "<= 15"),
              "CPU time, one thread; the longest %.1f ms; %d rocks, load %.1f", samplesLargest(&falling), all->count,
              machineLoad());
    benchRow(bench, "falling_avg_ms", samplesMean(&falling), "ms", NO_VALUE, NULL);
    stepMedians(times->ours, times, half, times->steps, &falling);
    benchRow(bench, "resting_avg_ms", samplesMean(&falling), "ms", NO_VALUE, NULL);
}

// Runs of ours and of theirs in turn.
static shStatus measure(Bench* bench, Rocks* all, Times* times, Theirs* theirs, shMessage* message)
{
    char work[512];
    shMessage why = {""};
    bool havePeer = peerExists("bullet_rocks");
    shStatus status = cachePath("rocks.work", work, sizeof work, message);
    if (status == shOk)
        status = writeWork(all, work, message);
    for (int k = 0; k < times->repeats && status == shOk; ++k) {
        status = runOurs(all, k, times->repeats, times->ours + (size_t)k * (size_t)times->steps, message);
        if (status == shOk && havePeer)
            havePeer = runTheirs(all, work, times->theirs + (size_t)k * (size_t)times->steps, theirs, &why) == shOk;
    }
    if (status != shOk)
        return status;
    if (!havePeer) {
        free(theirs->ends);
        theirs->ends = NULL;
    }
    timeRows(bench, all, times, havePeer ? theirs->settings : NULL);
    return depthRows(bench, all, theirs, message);
}

shStatus benchRocks(Bench* bench, shMessage* message)
{
    Rocks all;
    Times times = {.repeats = benchRepeats(bench, 1, REPEATS)};
    Theirs theirs = {.settings = ""};
    shStatus status = rocksMake(bench, &all, message);
    times.steps = all.steps;
    times.rocks = all.count;
    times.ours = calloc((size_t)times.repeats * (size_t)times.steps, sizeof *times.ours);
    times.theirs = calloc((size_t)times.repeats * (size_t)times.steps, sizeof *times.theirs);
    theirs.ends = calloc((size_t)all.count, sizeof *theirs.ends);
    if (status == shOk && (times.ours == NULL || times.theirs == NULL || theirs.ends == NULL))
        status = failMemory(message);
    if (status == shOk)
        status = measure(bench, &all, &times, &theirs, message);
    if (status == shOk) {
        benchNote(benchRow(bench, "bytes_per_rock", all.bytes, "B", NO_VALUE, "<= 32768"),
                  "asset image of a rock of %.1f vertices, mean of %d", all.vertices, all.count);
        benchNote(benchRow(bench, "memory_per_rock", all.memory, "B", NO_VALUE, NULL),
                  "of the opened asset: image, topology, cells, masks, surface tree, sphere tree");
        benchNote(benchRow(bench, "cook_ms", all.cookMs, "ms", NO_VALUE, "<= 2"), "CPU time of one rock, one thread");
        BenchRow* row = benchRow(bench, "speed_mm_s", 1e3 * all.speed, "mm/s", NO_VALUE, NULL);
        if (theirs.ends != NULL)
            benchNote(row, "mean at the end; Bullet %.2f", 1e3 * theirs.speed);
    }
    free(times.ours);
    free(times.theirs);
    free(theirs.ends);
    rocksFree(&all);
    progressClear();
    return status;
}

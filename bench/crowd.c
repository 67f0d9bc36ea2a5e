// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `crowd`: what debris costs while it moves and when it lies, one thread, 60 Hz; whether it falls as it does in
// steps sixteen times shorter without sweeps; and how deep the fragments are in each other at the end.
#include "bench/clock.h"
#include "bench/crowd_fall.h"
#include "bench/crowd_scene.h"
#include "bench/depth_survey.h"
#include "bench/machine.h"
#include "bench/suites.h"
#include "bench/world_watch.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/vec.h"
#include "sherd/closest.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    HERTZ = 60,
    STEPS = 300,        // five seconds
    MOVING_STEPS = 150, // the first 2.5 s
    RESTING_FROM = 240, // the fifth second
    SOME_OBJECTS = 18,  // with --quick
    FALL_OBJECTS = 12,  // of the falls that are compared, with --quick
    TINY_OBJECTS = 2,   // in tests
    REPEATS = 5,
};
static const double APPROACH = 0.01; // of the smaller diameter per step: what closes slower does not count as closing

// ---- pairs that approach --------------------------------------------------------------------------------------------

// A body before a step, as far as it matters for who may meet whom.
typedef struct Mover {
    shBox box;     // world, of the way through the whole step
    Vec3 centre;   // world
    Vec3 velocity; // m/s
    float diameter;
    const shShape* shape; // of the bin: null for fragments
    shTransform transform;
} Mover;

// The box of a body's rest box after a transform.
static shBox worldBox(shBox rest, shTransform x)
{
    shBox box = boxEmpty();
    for (int i = 0; i < 8; ++i)
        box = boxAdd(box, xformPoint(x, vec3(i & 1 ? rest.lower.x : rest.upper.x, i & 2 ? rest.lower.y : rest.upper.y,
                                             i & 4 ? rest.lower.z : rest.upper.z)));
    return box;
}

// `rest`: of fragments, which do not break any more.
static Mover moverOf(const shWorld* world, shBodyId id, shBox rest, float dt)
{
    Mover mover = {.centre = shBody_GetCentre(world, id),
                   .velocity = shBody_GetVelocity(world, id),
                   .transform = shBody_GetTransform(world, id),
                   .diameter = INFINITY};
    mover.shape = shBody_GetShape(world, id);
    if (mover.shape != NULL) {
        Vec3 h = mover.shape->halfExtent;
        mover.box = worldBox((shBox){vNeg(h), h}, mover.transform);
        return mover;
    }
    mover.diameter = vLength(boxSize(rest));
    mover.velocity = vMad(mover.velocity, dt, shWorld_GetGravity(world));
    mover.box = worldBox(rest, mover.transform);
    Vec3 way = vScale(dt, mover.velocity);
    mover.box = boxUnion(mover.box, (shBox){vAdd(mover.box.lower, way), vAdd(mover.box.upper, way)});
    float turned = 0.5f * mover.diameter * minF(1.0f, dt * vLength(shBody_GetAngularVelocity(world, id)));
    mover.box = boxGrow(mover.box, turned);
    return mover;
}

// Towards the nearest point of the bin's box, or towards the other's centre.
static bool approach(const Mover* a, const Mover* b, float dt)
{
    if (a->shape != NULL) { // the fragment first
        const Mover* kept = a;
        a = b;
        b = kept;
    }
    Vec3 to = b->centre;
    shClosestPoint closest;
    if (b->shape != NULL && shClosestOnShape(b->shape, b->transform, a->centre, INFINITY, &closest, NULL) == shOk)
        to = closest.point;
    Vec3 line = vNormalize(vSub(to, a->centre));
    float closing = dt * vDot(vSub(a->velocity, b->velocity), line);
    return (double)closing > APPROACH * (double)minF(a->diameter, b->diameter);
}

// Boxes of all pieces in their rest frames, by body index: costly to ask for. Null: no memory; free() it.
static shBox* restBoxes(const shWorld* world)
{
    int limit = shWorld_GetBodyLimit(world), piece;
    shBox* boxes = calloc((size_t)limit + 1, sizeof *boxes);
    for (int i = 0; boxes != NULL && i < limit; ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        const shSolid* solid = id.generation != 0 ? shBody_GetSolid(world, id, &piece) : NULL;
        if (solid != NULL)
            boxes[i] = shSolid_GetPiece(solid, piece).box;
    }
    return boxes;
}

// Pairs whose boxes, drawn along the step, overlap, and that come closer in it by more than APPROACH.
static shStatus countApproaching(const shWorld* world, const shBox* boxes, float dt, int64_t* total, shMessage* message)
{
    int limit = shWorld_GetBodyLimit(world), count = 0;
    int64_t pairs = 0;
    Mover* movers = malloc((size_t)limit * sizeof *movers + 1);
    if (movers == NULL)
        return failMemory(message);
    for (int i = 0; i < limit; ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        if (id.generation != 0)
            movers[count++] = moverOf(world, id, boxes[i], dt);
    }
    for (int i = 0; i < count; ++i)
        for (int k = i + 1; k < count; ++k)
            pairs += boxOverlaps(movers[i].box, movers[k].box) &&
                     (movers[i].shape == NULL || movers[k].shape == NULL) && approach(&movers[i], &movers[k], dt);
    free(movers);
    *total += pairs;
    return shOk;
}

// ---- the timed run --------------------------------------------------------------------------------------------------

typedef struct Timed {
    int objects, repeats, steps;
    double* ms; // [repeats][steps]
    int fragments;
    int64_t approaching; // pairs, of all moving steps
    int64_t swept;       // queries in them
    double sweepMs;      // what they took, of all repeats
    DepthList depth;     // at the end, %
    double deepest;      // m
} Timed;

static shStatus runOnce(Timed* timed, int repeat, shAsset* const assets[CROWD_KINDS], shMessage* message)
{
    const float dt = 1.0f / (float)HERTZ;
    Crowd crowd;
    CrowdDef def = {.objects = timed->objects, .continuous = true, .workers = 1};
    shStatus status = crowdCreate(&crowd, &def, assets, message);
    shBox* boxes = status == shOk ? restBoxes(crowd.world) : NULL;
    if (status == shOk && boxes == NULL)
        status = failMemory(message);
    for (int i = 0; i < timed->steps && status == shOk; ++i) {
        progressShow("crowd: run %d of %d, step %d of %d", repeat + 1, timed->repeats, i + 1, timed->steps);
        bool moving = i < MOVING_STEPS;
        if (moving && repeat == 0)
            status = countApproaching(crowd.world, boxes, dt, &timed->approaching, message);
        if (status != shOk)
            break;
        double start = clockSeconds(clockThread);
        status = shWorld_Step(crowd.world, dt, message);
        timed->ms[repeat * timed->steps + i] = 1e3 * (clockSeconds(clockThread) - start);
        if (moving && repeat == 0)
            timed->swept += shWorld_GetCounters(crowd.world).swept;
        if (moving)
            timed->sweepMs += (double)shWorld_GetProfile(crowd.world).sweep / timed->repeats;
    }
    timed->fragments = crowd.count;
    if (status == shOk && repeat == 0) {
        DepthSurvey survey;
        progressShow("crowd: how deep");
        status = depthSurvey(crowd.world, DEPTH_SPACING, &survey, message);
        timed->depth = survey.percent; // handed over
        timed->deepest = survey.deepest;
    }
    free(boxes);
    crowdDestroy(&crowd);
    return status;
}

// Steps [from, to): of each the median over repeats.
static void stepMedians(const Timed* timed, int from, int to, Samples* out)
{
    out->count = 0;
    for (int i = from; i < to && i < timed->steps; ++i) {
        static Samples runs;
        runs.count = 0;
        for (int k = 0; k < timed->repeats; ++k)
            samplesAdd(&runs, timed->ms[k * timed->steps + i]);
        samplesAdd(out, samplesMedian(&runs));
    }
}

static void timeRows(Bench* bench, const Timed* timed)
{
    static Samples moving, resting;
    stepMedians(timed, 0, MOVING_STEPS, &moving);
    stepMedians(timed, RESTING_FROM, STEPS, &resting);
    const char* quick = bench->quick ? ", quick: fewer objects" : "";
    benchNote(benchRow(bench, "moving_avg_ms", samplesMean(&moving), "ms", NO_VALUE, "<= 12"),
              "%d objects, %d fragments, the first 2.5 s; CPU time, %d run(s)%s; load %.1f", timed->objects,
              timed->fragments, timed->repeats, quick, machineLoad());
    benchNote(benchRow(bench, "moving_p99_ms", samplesPercentile(&moving, 0.99), "ms", NO_VALUE, "<= 30"),
              "of the same steps; the longest %.1f ms", samplesLargest(&moving));
    BenchRow* row = benchRow(bench, "resting_avg_ms", samplesMean(&resting), "ms", NO_VALUE, "<= 3");
    if (resting.count > 0)
        benchNote(row, "the fifth second, nothing asleep%s", quick);
    else
        benchNote(row, "the run is too short");
}

static void sweepRows(Bench* bench, const Timed* timed)
{
    double pairs = (double)timed->approaching, swept = (double)timed->swept;
    BenchRow* row = benchRow(bench, "sweeps_per_pair", pairs > 0.0 ? swept / pairs : NO_VALUE, "", NO_VALUE, "<= 1.2");
    benchNote(row, "%.0f sweeps of %.0f pairs that close by more than %g %% of the smaller one in a step", swept, pairs,
              100.0 * APPROACH);
    row = benchRow(bench, "sweep_us", swept > 0.0 ? 1e3 * timed->sweepMs / swept : NO_VALUE, "us", NO_VALUE, "<= 1.5");
    if (swept > 0.0)
        benchNote(row, "the profile's stage over the counter");
    else
        benchNote(row, "nothing was swept");
}

static void depthRows(Bench* bench, Timed* timed)
{
    benchNote(benchRow(bench, "depth_mean_pct", depthListMean(&timed->depth), "%", NO_VALUE, "<= 0.1"),
              "%d pairs that overlap; vertices and edges sampled every %g %% of the piece", timed->depth.count,
              100.0 * DEPTH_SPACING);
    benchRow(bench, "depth_p99_pct", depthListPercentile(&timed->depth, 0.99), "%", NO_VALUE, "<= 1");
    benchNote(benchRow(bench, "depth_max_pct", depthListPercentile(&timed->depth, 1.0), "%", NO_VALUE, "<= 2"),
              "the deepest %.2f mm", 1e3 * timed->deepest);
}

static shStatus timedRows(Bench* bench, shAsset* const assets[CROWD_KINDS], shMessage* message)
{
    Timed timed = {.objects = benchAmount(bench, TINY_OBJECTS, SOME_OBJECTS, CROWD_OBJECTS),
                   .repeats = benchRepeats(bench, 1, REPEATS),
                   .steps = bench->tiny ? 8 : STEPS};
    timed.ms = calloc((size_t)timed.repeats * (size_t)timed.steps, sizeof *timed.ms);
    shStatus status = timed.ms != NULL ? shOk : failMemory(message);
    for (int k = 0; k < timed.repeats && status == shOk; ++k)
        status = runOnce(&timed, k, assets, message);
    if (status == shOk) {
        timeRows(bench, &timed);
        sweepRows(bench, &timed);
        depthRows(bench, &timed);
    }
    free(timed.ms);
    depthListFree(&timed.depth);
    return status;
}

// ---- falls ----------------------------------------------------------------------------------------------------------

static shStatus fallRows(Bench* bench, shAsset* const assets[CROWD_KINDS], shMessage* message)
{
    int objects = benchAmount(bench, TINY_OBJECTS, FALL_OBJECTS, CROWD_OBJECTS);
    double seconds = bench->tiny ? 0.1 : CROWD_FALL_SECONDS, worstError = 0.0, worstRatio = 0.0;
    char each[4][48];
    bool rested = true;
    int hung = 0, theirs = 0;
    for (int i = 0; i < 4; ++i) {
        CrowdFall fall, reference;
        CrowdFallDef def = {.objects = objects, .open = i / 2 == 1, .hertz = i % 2 == 0 ? 30 : 60, .seconds = seconds};
        shStatus status = crowdFallReference(bench, assets, &def, &reference, message);
        if (status == shOk)
            status = crowdFallRun(bench, assets, &def, &fall, message);
        if (status != shOk)
            return status;
        double error = crowdFallError(&fall, &reference), ratio = fall.rest / reference.rest;
        rested = rested && fall.rested;
        hung += fall.hung;
        theirs += i % 2 == 0 ? reference.hung : 0;
        worstError = maxD(worstError, error);
        worstRatio = maxD(worstRatio, ratio);
        snprintf(each[i], sizeof each[i], "%s %d Hz %.1f%%, %.2f s (%.2f)", def.open ? "floor" : "bin", def.hertz,
                 error, fall.rest, reference.rest);
    }
    benchNote(benchRow(bench, "height_error_pct", worstError, "%", NO_VALUE, "<= 3"),
              "mean heights over time, time to rest (at 1/960 s): %s; %s; %s; %s; %d objects%s", each[0], each[1],
              each[2], each[3], objects, bench->quick ? ", quick" : "");
    benchNote(benchRow(bench, "settle_ratio", worstRatio, "x", NO_VALUE, "<= 1.2"),
              "worst of the same: mean speed below %g m/s for good%s", CROWD_REST_SPEED,
              rested ? "" : "; at least, for not all were at rest at the end");
    benchNote(benchRow(bench, "hanging", hung, "", NO_VALUE, "<= 0"),
              "bodies of all four that keep a speed above %g m/s and hardly move for %d steps; at 1/960 s: %d",
              WATCH_HANG_SPEED, WATCH_HANG_STEPS, theirs);
    return shOk;
}

shStatus benchCrowd(Bench* bench, shMessage* message)
{
    shAsset* assets[CROWD_KINDS];
    shStatus status = crowdCook(bench, assets, message);
    if (status != shOk)
        return status;
    status = timedRows(bench, assets, message);
    if (status == shOk)
        status = fallRows(bench, assets, message);
    crowdCookFree(assets);
    progressClear();
    return status;
}

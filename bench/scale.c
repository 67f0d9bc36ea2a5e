// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `scale`: Su's table with 25, 100 and 1000 spheres that break on it, until the table breaks too. Two threads,
// wall time, nothing asleep. `ms_avg` is a step when all lies on the ground or falls there: the best of five blocks of
// 30 steps. `ms_early` is the mean over the steps before the table breaks.
#include "bench/clock.h"
#include "bench/machine.h"
#include "bench/moments.h"
#include "bench/plot.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, EARLY_STEPS = 74, LATE_STEP = 120, BLOCKS = 5, BLOCK_STEPS = 30 };

typedef struct Size {
    const char* name;
    const char *count, *across;
    double fragments, early, late; // in the paper; ms
} Size;

static const Size sizes[] = {
    {"table25", "bodies.spheres.grid.count=25", "bodies.spheres.grid.across=[5,5]", NO_VALUE, 40, 1e3 / 3},
    {"table100", "bodies.spheres.grid.count=100", "bodies.spheres.grid.across=[8,5]", NO_VALUE, 40, 1e3 / 0.26},
    {"table1000", "bodies.spheres.grid.count=1000", "bodies.spheres.grid.across=[10,6]", 8992, 40, 300e3},
};

static BenchRow* addRow(Bench* bench, const Size* size, const char* what, double value, const char* unit, double paper,
                        const char* goal)
{
    char name[BENCH_NAME];
    snprintf(name, sizeof name, "%s.%s", size->name, what);
    return benchRow(bench, name, value, unit, paper, goal);
}

static int fragmentsOf(const shWorld* world)
{
    int fragments = 0, piece;
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        const shSolid* solid = id.generation != 0 ? shBody_GetSolid(world, id, &piece) : NULL;
        fragments += solid != NULL && shSolid_GetPieceCount(solid) > 1;
    }
    return fragments;
}

// Milliseconds of a step, the mean of the best block.
static shStatus timeLate(shWorld* world, float dt, const char* name, int blockSteps, double* best, shMessage* message)
{
    shStatus status = shOk;
    *best = (double)INFINITY;
    for (int block = 0; block < BLOCKS && status == shOk; ++block) {
        progressShow("scale: %s, block %d of %d", name, block + 1, BLOCKS);
        double start = clockSeconds(clockWall);
        for (int i = 0; i < blockSteps && status == shOk; ++i)
            status = shWorld_Step(world, dt, message);
        *best = minD(*best, 1e3 * (clockSeconds(clockWall) - start) / blockSteps);
    }
    return status;
}

static shStatus lateRows(Bench* bench, const Size* size, const MomentsDef* def, shMessage* message)
{
    shContextDef two = shDefaultContextDef();
    two.workerCount = THREADS;
    shContext* context;
    shWorld* world = NULL;
    double dt, best;
    shStatus status = shCreateContext(&two, &context, message);
    if (status != shOk)
        return status;
    status = momentOpen(context, def, 0, &world, &dt, message);
    if (status == shOk)
        status = timeLate(world, (float)dt, size->name, bench->tiny ? 1 : BLOCK_STEPS, &best, message);
    if (status == shOk) {
        bool goals = size->fragments > 0.0;
        shCounters c = shWorld_GetCounters(world);
        addRow(bench, size, "fragments", fragmentsOf(world), "", size->fragments, goals ? ">= 8000" : NULL);
        benchNote(addRow(bench, size, "ms_avg", best, "ms", size->late, goals ? "<= 60" : NULL),
                  "best of %d blocks of %d steps, %d threads, wall time; %d touching pairs, %d contacts; load %.1f",
                  BLOCKS, BLOCK_STEPS, THREADS, c.touching, c.contacts, machineLoad());
    }
    shDestroyWorld(world);
    shDestroyContext(context);
    return status;
}

// What it costs while the spheres fall and break, step by step.
static shStatus earlyRows(Bench* bench, const Size* size, const TrialDef* def, shMessage* message)
{
    Trial trial;
    double sum = 0.0, most = 0.0;
    int steps = bench->tiny ? 3 : EARLY_STEPS;
    shStatus status = trialOpen(&trial, def, message);
    if (status != shOk)
        return status;
    for (int i = 0; i < steps && status == shOk; ++i) {
        TrialStep step = {0};
        progressShow("scale: %s, step %d of %d", size->name, i + 1, steps);
        status = trialStep(&trial, &step, message);
        sum += step.total / steps;
        most = maxD(most, step.total);
    }
    if (status == shOk)
        benchNote(addRow(bench, size, "ms_early", sum, "ms", size->early, NULL),
                  "%d steps while spheres fall and break; the longest %.0f ms", steps, most);
    trialClose(&trial);
    return status;
}

static shStatus plotSizes(Bench* bench, shMessage* message)
{
    Plot* plot = plotOpen(bench, "su-table", "spheres,paper,ours",
                          "set style data histograms\nset style fill solid 0.8\nset logscale y\nset ylabel 'ms per "
                          "step, after the table broke'\nset xlabel 'spheres'\nset yrange [1:]\n"
                          "plot data using 2:xtic(1) every ::1 lc '#888888' title 'Su 2009, one core', "
                          "data using 3 every ::1 lc '#27ae60' title 'ours, two threads'\n");
    for (int i = 0; i < bench->rowCount; ++i) {
        const BenchRow* row = &bench->rows[i];
        const char* dot = strchr(row->row, '.');
        if (dot != NULL && strcmp(dot, ".ms_avg") == 0) {
            char label[16];
            snprintf(label, sizeof label, "%.*s", (int)(dot - row->row) - 5, row->row + 5);
            plotBar(plot, label, 2, (const double[]){row->paper, row->value});
        }
    }
    return plotClose(plot, message);
}

shStatus benchScale(Bench* bench, shMessage* message)
{
    static const int late[] = {LATE_STEP}, tinyLate[] = {3};
    shStatus status = shOk;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == shOk; ++i) {
        bool large = i + 1 == sizeof sizes / sizeof *sizes;
        const char* const sets[] = {bench->tiny ? "bodies.spheres.grid.count=2" : sizes[i].count, sizes[i].across};
        TrialDef trial = {
            .scene = "table", .threads = THREADS, .sets = sets, .setCount = 2, .awake = true, .tiny = bench->tiny};
        MomentsDef def = {.trial = trial, .steps = bench->tiny ? tinyLate : late, .count = 1};
        status = lateRows(bench, &sizes[i], &def, message);
        if (status == shOk && !(large && bench->quick))
            status = earlyRows(bench, &sizes[i], &trial, message);
        benchWriteCsv(bench); // the largest takes long: what is known stays if it is stopped; failures show at the end
    }
    if (status == shOk)
        status = plotSizes(bench, message);
    progressClear();
    return status;
}

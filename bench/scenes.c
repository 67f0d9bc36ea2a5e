// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `scenes`: Glondu's five scenes beside Tables 2 and 3, one thread, CPU time, nothing asleep.
//
// Steps are the same in every run, so a step's time is the median over the runs; a mean is over steps, a maximum the
// largest of the steps. Every tenth step of the first run asks all pairs that touch for all their samples, outside the
// clock: that is how many collide, and how deep what rests has sunk.
#include "bench/clock.h"
#include "bench/plot.h"
#include "bench/suites.h"
#include "bench/trial.h"
#include "cli/progress.h"
#include "core/message.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_RUNS = 9,
    SURVEY_EVERY = 10,
    AFTER = 30, // steps after a break that tell what detection costs then
    AFTER_LEAST = 5,
    TINY_STEPS = 14
};

typedef struct PaperScene {
    const char* name;
    double triangles, fragments, contacts, colliding;
    double total, totalMost, detect, physics, update, fracture; // ms; the last two at most
} PaperScene;

static const PaperScene scenes[] = {
    {"piggy", 18889, 27, 151, 574, 1.89, 13, 1.63, 0.14, 1.2, 12.5},
    {"bunnies", 430072, 166, 866, 8382, 19.33, 73, 18, 1.3, 4.4, 22},
    {"bricks", 41060, 104, 575, 2014, 6.4, 16.5, 5.6, 1, 1.05, 2},
    {"plates", 45040, 44, 331, NO_VALUE, 7.37, 13.2, 5.8, 0.36, 0.7, 8},
    {"drag", 44064, 15, 88, NO_VALUE, 1.6, 7.3, 1.24, 0.26, 1, 9},
};

typedef struct Runs {
    int stepCount, runCount;
    double dt;
    TrialStep* steps[MOST_RUNS]; // [stepCount]
    TrialStep* typical;          // times: medians over the runs; the rest as in the first
    int fragments, triangles;
    double seconds; // CPU time of all runs
} Runs;

static void runsFree(Runs* runs)
{
    for (int i = 0; i < runs->runCount; ++i)
        free(runs->steps[i]);
    free(runs->typical);
}

static shStatus runOnce(const TrialDef* def, Runs* runs, shMessage* message)
{
    Trial trial;
    shQuery* query = NULL;
    bool first = runs->runCount == 0;
    shStatus status = trialOpen(&trial, def, message);
    if (status != shOk)
        return status;
    int count = trial.script.steps;
    TrialStep* steps = calloc((size_t)count, sizeof *steps);
    status = steps != NULL ? shCreateQuery(trial.context, &query, message) : failMemory(message);
    for (int i = 0; i < count && status == shOk; ++i) {
        if (i % 10 == 0)
            progressShow("scenes: %s, run %d, step %d of %d, %d bodies", def->scene, runs->runCount + 1, i + 1, count,
                         shWorld_GetCounters(trial.world).bodies);
        status = trialStep(&trial, &steps[i], message);
        runs->seconds += 1e-3 * steps[i].total;
        if (status == shOk && first && ((i + 1) % SURVEY_EVERY == 0 || i + 1 == count))
            status = trialSurvey(&trial, query, &steps[i], message);
    }
    if (first) {
        runs->stepCount = count;
        runs->dt = trial.script.dt;
        trialCount(&trial, &runs->fragments, &runs->triangles);
    }
    runs->steps[runs->runCount++] = steps;
    shDestroyQuery(query);
    trialClose(&trial);
    return status;
}

// The times of a step, one by one.
static double* timeOf(TrialStep* step, int which)
{
    double* const times[] = {&step->total, &step->detect, &step->physics, &step->update, &step->fracture};
    return times[which];
}

static shStatus makeTypical(Runs* runs, shMessage* message)
{
    enum { times = 5 };
    runs->typical = calloc((size_t)runs->stepCount, sizeof *runs->typical);
    if (runs->typical == NULL)
        return failMemory(message);
    for (int i = 0; i < runs->stepCount; ++i) {
        runs->typical[i] = runs->steps[0][i];
        for (int k = 0; k < times; ++k) {
            Samples samples = {0};
            for (int run = 0; run < runs->runCount; ++run)
                samplesAdd(&samples, *timeOf(&runs->steps[run][i], k));
            *timeOf(&runs->typical[i], k) = samplesMedian(&samples);
        }
    }
    return shOk;
}

// As often as asked for, but when that takes too long only as often as there is time.
static shStatus perform(const Bench* bench, const TrialDef* def, Runs* runs, shMessage* message)
{
    int repeats = minI(benchRepeats(bench, 3, 5), MOST_RUNS);
    double enough = bench->repeat > 0 ? (double)INFINITY : bench->quick ? 4.0 : 60.0; // s
    shStatus status = shOk;
    while (status == shOk && runs->runCount < repeats && (runs->runCount == 0 || runs->seconds < enough))
        status = runOnce(def, runs, message);
    return status == shOk ? makeTypical(runs, message) : status;
}

// ---- figures --------------------------------------------------------------------------------------------------------

typedef struct Figures {
    double total, totalMost, detect, physics, updateMost, fractureMost;
    double contacts, colliding, perPair;
    double spike;
    int spikeStep; // −1: there is none
    double deepest;
    int restPairs, moved, breaks;
} Figures;

// What detection costs in a step that breaks something and in the one after it, against the median of those that
// follow until something else breaks; the worst break counts.
static void findSpike(const Runs* runs, Figures* f)
{
    const TrialStep* steps = runs->typical;
    f->spike = NO_VALUE;
    f->spikeStep = -1;
    for (int i = 0; i < runs->stepCount; ++i) {
        Samples after = {0};
        if (steps[i].broken == 0)
            continue;
        for (int k = i + 2; k < runs->stepCount && k < i + 2 + AFTER && steps[k].broken == 0; ++k)
            samplesAdd(&after, steps[k].detect);
        double most = i + 1 < runs->stepCount ? maxD(steps[i].detect, steps[i + 1].detect) : steps[i].detect;
        double spike = most / samplesMedian(&after);
        if (after.count < AFTER_LEAST || (isfinite(f->spike) && spike <= f->spike))
            continue;
        f->spike = spike;
        f->spikeStep = i;
    }
}

static Figures figuresOf(const Runs* runs)
{
    Figures f = {0};
    int n = runs->stepCount, surveyed = 0;
    double touching = 0.0, contacts = 0.0;
    for (int i = 0; i < n; ++i) {
        const TrialStep* s = &runs->typical[i];
        f.total += s->total / n;
        f.detect += s->detect / n;
        f.physics += s->physics / n;
        f.totalMost = maxD(f.totalMost, s->total);
        f.updateMost = maxD(f.updateMost, s->update);
        f.fractureMost = maxD(f.fractureMost, s->fracture);
        f.contacts += (double)s->contacts / n;
        contacts += s->contacts;
        touching += s->touching;
        f.breaks += s->broken;
        if (s->colliding >= 0) {
            f.colliding += s->colliding;
            ++surveyed;
        }
    }
    const TrialStep* last = &runs->typical[n - 1];
    f.colliding /= surveyed;
    f.perPair = touching > 0.0 ? contacts / touching : NO_VALUE;
    f.deepest = last->restPairs > 0 ? last->deepest : NO_VALUE;
    f.restPairs = last->restPairs;
    f.moved = last->moved;
    findSpike(runs, &f);
    return f;
}

static BenchRow* addRow(Bench* bench, const char* scene, const char* what, double value, const char* unit, double paper,
                        const char* goal)
{
    char name[BENCH_NAME];
    snprintf(name, sizeof name, "%s.%s", scene, what);
    return benchRow(bench, name, value, unit, paper, goal);
}

static void addRows(Bench* bench, const PaperScene* paper, const Runs* runs)
{
    Figures f = figuresOf(runs);
    const char* scene = paper->name;
    double ms = 1e3 * runs->dt;
    benchNote(addRow(bench, scene, "total_avg_ms", f.total, "ms", paper->total, NULL),
              "%d steps of %g ms, %d run%s, CPU time of one thread", runs->stepCount, ms, runs->runCount,
              runs->runCount > 1 ? "s" : "");
    addRow(bench, scene, "total_max_ms", f.totalMost, "ms", paper->totalMost, NULL);
    addRow(bench, scene, "detect_avg_ms", f.detect, "ms", paper->detect, NULL);
    addRow(bench, scene, "physics_avg_ms", f.physics, "ms", paper->physics, NULL);
    benchNote(addRow(bench, scene, "update_max_ms", f.updateMost, "ms", paper->update, NULL),
              "cutting tetrahedra, field, trees; all breaks of a step");
    benchNote(addRow(bench, scene, "fracture_max_ms", f.fractureMost, "ms", paper->fracture, NULL),
              "patterns and new bodies (paper: modal stress)");
    benchNote(addRow(bench, scene, "fragments", runs->fragments, "", paper->fragments, NULL), "%d breaks", f.breaks);
    addRow(bench, scene, "triangles", runs->triangles, "", paper->triangles, NULL);
    addRow(bench, scene, "contacts_avg", f.contacts, "", paper->contacts, NULL);
    benchNote(addRow(bench, scene, "colliding_avg", f.colliding, "", paper->colliding, NULL),
              "samples as near as contacts may be, in every %dth step", SURVEY_EVERY);
    benchNote(addRow(bench, scene, "ms_per_simulated_s", f.total / runs->dt, "ms", paper->total / runs->dt, NULL),
              "real time: below 1000");
    addRow(bench, scene, "gain_avg", paper->total / f.total, "x", NO_VALUE, ">= 5");
    BenchRow* spike = addRow(bench, scene, "break_spike", f.spike, "x", NO_VALUE, "<= 2.5");
    if (f.spikeStep >= 0)
        benchNote(spike, "the worst break, step %d: %.2f ms", f.spikeStep + 1,
                  f.spikeStep + 1 < runs->stepCount
                      ? maxD(runs->typical[f.spikeStep].detect, runs->typical[f.spikeStep + 1].detect)
                      : runs->typical[f.spikeStep].detect);
    else
        benchNote(spike, "no break with %d quiet steps after it", AFTER_LEAST);
    BenchRow* perPair = addRow(bench, scene, "contacts_per_pair", f.perPair, "", NO_VALUE, "<= 8");
    if (!isfinite(f.perPair))
        benchNote(perPair, "nothing touches");
    benchNote(addRow(bench, scene, "penetration_pct", 100.0 * f.deepest, "%", NO_VALUE, "<= 0.2"),
              "of all samples of %d pairs at rest in the end; %d bodies still move", f.restPairs, f.moved);
}

// ---- Fig. 12 --------------------------------------------------------------------------------------------------------

static shStatus plotRun(Bench* bench, const char* scene, const Runs* runs, shMessage* message)
{
    char name[64];
    snprintf(name, sizeof name, "fig12-%s-counts", scene);
    Plot* counts = plotOpen(bench, name, "time,contacts,colliding,pairs",
                            "set xlabel 'time, s'\nset logscale y\nset yrange [1:]\n"
                            "plot data using 1:3 every ::1 with points pt 7 ps 0.4 lc '#c0392b' title 'colliding "
                            "points', data using 1:2 every ::1 with lines lw 1.5 lc '#27ae60' title 'contacts', "
                            "data using 1:4 every ::1 with lines lw 1.5 lc '#2980b9' title 'pairs'\n");
    snprintf(name, sizeof name, "fig12-%s-times", scene);
    Plot* times = plotOpen(bench, name, "time,total,detection,fracture,physics",
                           "set xlabel 'time, s'\nset ylabel 'ms per step'\n"
                           "plot data using 1:2 every ::1 with lines lw 1.5 lc '#2980b9' title 'total', "
                           "data using 1:3 every ::1 with lines lw 1.5 lc '#c0392b' title 'detection', "
                           "data using 1:4 every ::1 with lines lw 1.5 lc '#27ae60' title 'fracture and update', "
                           "data using 1:5 every ::1 with lines lw 1.5 lc '#222222' title 'physics'\n");
    for (int i = 0; i < runs->stepCount; ++i) {
        const TrialStep* s = &runs->typical[i];
        double t = (i + 1) * runs->dt;
        PLOT_ROW(counts, t, s->contacts, s->colliding >= 0 ? (double)s->colliding : NO_VALUE, s->pairs);
        PLOT_ROW(times, t, s->total, s->detect, s->fracture + s->update, s->physics);
    }
    shStatus status = plotClose(counts, message);
    shStatus second = plotClose(times, message);
    return status != shOk ? status : second;
}

shStatus benchScenes(Bench* bench, shMessage* message)
{
    shStatus status = shOk;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes && status == shOk; ++i) {
        TrialDef def = {.scene = scenes[i].name, .tiny = bench->tiny, .steps = bench->tiny ? TINY_STEPS : 0};
        Runs runs = {0};
        status = perform(bench, &def, &runs, message);
        if (status == shOk) {
            addRows(bench, &scenes[i], &runs);
            status = plotRun(bench, scenes[i].name, &runs, message);
        }
        runsFree(&runs);
    }
    progressClear();
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `volume`: the volume that two bunnies share, by inner spheres, beside the exact one along columns (Weller,
// Zachmann 2009, section 5, Figs 15 to 18). CPU time of one thread, each pose with its best block.
#include "bench/clock.h"
#include "bench/exact_overlap.h"
#include "bench/inner_scene.h"
#include "bench/plot.h"
#include "bench/poses.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/vec.h"

#include <stdio.h>

enum { BLOCKS = 5, MAIN_MODEL = 1, MAIN_SIZE = 1, BUDGETS = 7 };
static const double LEAST_SHARE = 1e-3; // of the object: smaller overlaps count in m³ only, not in %

typedef struct Overlaps {
    const InnerModel* model;
    InnerPoses poses;
    double exact[INNER_POSES], volumes[INNER_SIZES][INNER_POSES]; // m³
    double times[INNER_SIZES][INNER_POSES];                       // us
} Overlaps;

static shStatus measure(Bench* bench, Overlaps* overlaps, shMessage* message)
{
    const InnerPoses* poses = &overlaps->poses;
    int blocks = bench->tiny ? 1 : bench->repeat > 0 ? bench->repeat : BLOCKS;
    for (int i = 0; i < poses->count; ++i) {
        progressShow("volume: %s, exact %d of %d", overlaps->model->name, i + 1, poses->count);
        overlaps->exact[i] = exactOverlap(&bench->context->memory, &overlaps->model->mesh, poses->a[i],
                                          &overlaps->model->mesh, poses->b[i], benchAmount(bench, 64, 384, 768));
        for (int size = 0; size < INNER_SIZES; ++size)
            overlaps->times[size][i] = INFINITY;
    }
    for (int block = 0; block < blocks; ++block)
        for (int size = 0; size < INNER_SIZES; ++size)
            for (int i = 0; i < poses->count; ++i) {
                shInnerBody a = {overlaps->model->spheres[size], poses->a[i]};
                shInnerBody b = {overlaps->model->spheres[size], poses->b[i]};
                shInnerVolume volume;
                double start = clockSeconds(clockThread);
                shStatus status = shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, message);
                overlaps->times[size][i] = minD(overlaps->times[size][i], 1e6 * (clockSeconds(clockThread) - start));
                if (status != shOk)
                    return status;
                overlaps->volumes[size][i] = volume.volume;
            }
    return shOk;
}

typedef struct Errors {
    double mean, worst; // % of each pose's exact volume
    double ofSum;       // %: Σ |error| over Σ exact
    double ofObject;    // %: mean |error| of the object's volume
} Errors;

static Errors errorsOf(const Overlaps* overlaps, const double* volumes)
{
    Errors errors = {0.0, 0.0, 0.0, 0.0};
    double object = shInnerSpheres_GetInfo(overlaps->model->spheres[0]).volume, sum = 0.0, wrong = 0.0;
    int count = 0;
    for (int i = 0; i < overlaps->poses.count; ++i) {
        double exact = overlaps->exact[i], error = fabs(volumes[i] - exact);
        sum += exact;
        wrong += error;
        if (exact < LEAST_SHARE * object)
            continue;
        errors.mean += 100.0 * error / exact;
        errors.worst = maxD(errors.worst, 100.0 * error / exact);
        ++count;
    }
    errors.mean = count > 0 ? errors.mean / count : NO_VALUE;
    errors.ofSum = 100.0 * wrong / sum;
    errors.ofObject = 100.0 * wrong / overlaps->poses.count / object;
    return errors;
}

static double largestOf(const double* values, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i)
        most = maxD(most, values[i]);
    return most;
}

static void sizeRows(Bench* bench, const Overlaps* overlaps, const char* kind)
{
    char row[BENCH_NAME];
    int count = overlaps->poses.count;
    for (int size = 0; size < INNER_SIZES; ++size) {
        shInnerInfo info = shInnerSpheres_GetInfo(overlaps->model->spheres[size]);
        Errors errors = errorsOf(overlaps, overlaps->volumes[size]);
        snprintf(row, sizeof row, "%s.%d.%s_us", overlaps->model->name, info.sphereCount, kind);
        benchNote(benchRow(bench, row, meanOf(overlaps->times[size], count), "us", NO_VALUE, NULL),
                  "most %.0f; force and torque included", largestOf(overlaps->times[size], count));
        snprintf(row, sizeof row, "%s.%d.%s_error_pct", overlaps->model->name, info.sphereCount, kind);
        benchNote(benchRow(bench, row, errors.mean, "%", NO_VALUE, NULL),
                  "worst pose %.2f; sum over sum %.3f; of the object %.4f", errors.worst, errors.ofSum,
                  errors.ofObject);
    }
}

// ---- limited time ---------------------------------------------------------------------------------------------------

static double threadClock(void* user)
{
    (void)user;
    return clockSeconds(clockThread);
}

static shStatus limited(const Overlaps* overlaps, shVolumeQuery* query, shVolumeLimit limit, double* volumes,
                        double* slowest, shMessage* message)
{
    *slowest = 0.0;
    for (int i = 0; i < overlaps->poses.count; ++i) {
        shInnerBody a = {overlaps->model->spheres[MAIN_SIZE], overlaps->poses.a[i]};
        shInnerBody b = {overlaps->model->spheres[MAIN_SIZE], overlaps->poses.b[i]};
        shVolumeEstimate estimate;
        double start = clockSeconds(clockThread);
        shStatus status = shVolumeQuery_Estimate(query, &a, &b, &limit, &estimate, message);
        *slowest = maxD(*slowest, 1e6 * (clockSeconds(clockThread) - start));
        if (status != shOk)
            return status;
        volumes[i] = estimate.volume;
    }
    return shOk;
}

static shStatus timeRows(Bench* bench, const Overlaps* light, const Overlaps* heavy, shVolumeQuery* query,
                         shMessage* message)
{
    static const float budgets[2] = {200.0f, 1000.0f};
    static const char* const names[2] = {"error_200us_pct", "error_1ms_pct"};
    double volumes[INNER_POSES], slowest[2];
    for (int i = 0; i < 2; ++i) {
        shVolumeLimit limit = {.microseconds = budgets[i]};
        shStatus status = limited(light, query, limit, volumes, &slowest[0], message);
        if (status != shOk)
            return status;
        Errors ofLight = errorsOf(light, volumes);
        status = limited(heavy, query, limit, volumes, &slowest[1], message);
        if (status != shOk)
            return status;
        Errors ofHeavy = errorsOf(heavy, volumes);
        benchNote(benchRow(bench, names[i], ofLight.mean, "%", NO_VALUE, NULL),
                  "light path; heavy path %.2f; sum over sum %.2f and %.2f; slowest %.0f and %.0f us", ofHeavy.mean,
                  ofLight.ofSum, ofHeavy.ofSum, slowest[0], slowest[1]);
    }
    return shOk;
}

// Fig. 18: error of the estimate against the whole volume by the same spheres, over pairs of spheres looked at.
static shStatus budgetRows(Bench* bench, const Overlaps* heavy, shVolumeQuery* query, shMessage* message)
{
    static const int64_t budgets[BUDGETS] = {100, 500, 2000, 10000, 50000, 200000, 1000000};
    static const char* const rules[3] = {"gain", "size", "plain"};
    double errors[3][BUDGETS], volumes[INNER_POSES], slowest;
    Overlaps against = *heavy;
    for (int i = 0; i < heavy->poses.count; ++i)
        against.exact[i] = heavy->volumes[MAIN_SIZE][i];
    for (int rule = 0; rule < 3; ++rule)
        for (int k = 0; k < BUDGETS; ++k) {
            shVolumeLimit limit = {.tests = budgets[k], .priority = (shVolumePriority)rule};
            shStatus status = limited(&against, query, limit, volumes, &slowest, message);
            if (status != shOk)
                return status;
            errors[rule][k] = errorsOf(&against, volumes).mean;
        }
    for (int rule = 0; rule < 3; ++rule) {
        char row[BENCH_NAME];
        snprintf(row, sizeof row, "heavy.%s_10k_error_pct", rules[rule]);
        benchNote(benchRow(bench, row, errors[rule][3], "%", NO_VALUE, NULL),
                  "after 10,000 pairs of spheres, of the whole volume by spheres; after 500 %.3g, after 200,000 %.3g",
                  errors[rule][1], errors[rule][5]);
    }
    Plot* plot = plotOpen(bench, "fig18-budgets", "pairs,by gain,by size,plain",
                          "set logscale xy\nset xlabel 'pairs of spheres looked at'\nset ylabel 'error, %'\n"
                          "plot for [i=2:4] data using 1:i with linespoints title columnheader(i)\n");
    for (int k = 0; k < BUDGETS; ++k)
        PLOT_ROW(plot, (double)budgets[k], errors[0][k], errors[1][k], errors[2][k]);
    return plotClose(plot, message);
}

// ---- the suite ------------------------------------------------------------------------------------------------------

static shStatus plotPath(Bench* bench, const Overlaps* overlaps, const char* kind, shMessage* message)
{
    char name[64];
    int count = overlaps->poses.count;
    snprintf(name, sizeof name, "fig17-%s-%.30s", kind, overlaps->model->name);
    Plot* plot = plotOpen(bench, name, "pose,exact,fewest spheres,middle,most,us fewest,us middle,us most",
                          "set multiplot layout 1,2\nset xlabel 'pose'\nset ylabel 'shared volume, m^3'\n"
                          "plot for [i=2:5] data using 1:i with lines title columnheader(i)\nset ylabel 'us'\n"
                          "set logscale y\nplot for [i=6:8] data using 1:i with lines title columnheader(i)\n"
                          "unset multiplot\n");
    for (int i = 0; i < count; ++i)
        PLOT_ROW(plot, i, overlaps->exact[i], overlaps->volumes[0][i], overlaps->volumes[1][i], overlaps->volumes[2][i],
                 overlaps->times[0][i], overlaps->times[1][i], overlaps->times[2][i]);
    shStatus status = plotClose(plot, message);
    snprintf(name, sizeof name, "fig15-%s-%.30s", kind, overlaps->model->name);
    plot = plotOpen(bench, name, "spheres,mean us,most us,error %",
                    "set multiplot layout 1,2\nset logscale xy\nset xlabel 'spheres'\nset ylabel 'us'\n"
                    "plot for [i=2:3] data using 1:i with linespoints title columnheader(i)\n"
                    "set ylabel 'error, %'\nplot data using 1:4 with linespoints notitle\nunset multiplot\n");
    for (int size = 0; size < INNER_SIZES; ++size)
        PLOT_ROW(plot, shInnerSpheres_GetInfo(overlaps->model->spheres[size]).sphereCount,
                 meanOf(overlaps->times[size], count), largestOf(overlaps->times[size], count),
                 errorsOf(overlaps, overlaps->volumes[size]).mean);
    shStatus second = plotClose(plot, message);
    return status == shOk ? second : status;
}

static void mainRows(Bench* bench, const Overlaps* light, const Overlaps* heavy)
{
    Errors errors = errorsOf(light, light->volumes[MAIN_SIZE]), deep = errorsOf(heavy, heavy->volumes[MAIN_SIZE]);
    int spheres = shInnerSpheres_GetInfo(light->model->spheres[MAIN_SIZE]).sphereCount;
    benchNote(
        benchRow(bench, "error_mean_pct", errors.mean, "%", 0.5, "<= 0.5"),
        "%s, %d spheres, %d poses, 0 to 10 %% of the volume: of each pose's exact one; sum over sum %.3f; up to 50 "
        "%%: %.3f and %.3f",
        light->model->name, spheres, light->poses.count, errors.ofSum, deep.mean, deep.ofSum);
    benchNote(benchRow(bench, "light_max_us", largestOf(light->times[MAIN_SIZE], light->poses.count), "us", NO_VALUE,
                       "<= 1000"),
              "%d spheres, whole volume with force; with %d spheres %.0f and an error of %.3f %%", spheres,
              shInnerSpheres_GetInfo(light->model->spheres[2]).sphereCount,
              largestOf(light->times[2], light->poses.count), errorsOf(light, light->volumes[2]).mean);
}

static shStatus volumeOf(Bench* bench, int which, shMessage* message)
{
    static Overlaps light, heavy;
    InnerModel model;
    shStatus status = innerModelLoad(bench, which, &model, message);
    if (status != shOk)
        return status;
    light.model = heavy.model = &model;
    int count = benchAmount(bench, 4, which == MAIN_MODEL ? 100 : 40, 300);
    innerPathMake(&model, innerLightPath, count, 3, &light.poses);
    innerPathMake(&model, innerHeavyPath, count, 4, &heavy.poses);
    status = measure(bench, &light, message);
    if (status == shOk)
        status = measure(bench, &heavy, message);
    shContextDef def = shDefaultContextDef();
    def.clock = threadClock;
    shContext* context = NULL;
    shVolumeQuery* query = NULL;
    if (status == shOk)
        status = shCreateContext(&def, &context, message);
    if (status == shOk)
        status = shCreateVolumeQuery(context, &query, message);
    if (status == shOk && which == MAIN_MODEL) {
        mainRows(bench, &light, &heavy);
        status = timeRows(bench, &light, &heavy, query, message);
        if (status == shOk)
            status = budgetRows(bench, &heavy, query, message);
    }
    if (status == shOk) {
        sizeRows(bench, &light, "light");
        sizeRows(bench, &heavy, "heavy");
        status = plotPath(bench, &light, "light", message);
        if (status == shOk)
            status = plotPath(bench, &heavy, "heavy", message);
    }
    shDestroyVolumeQuery(query);
    if (context != NULL)
        shDestroyContext(context);
    innerModelFree(bench, &model);
    return status;
}

shStatus benchVolume(Bench* bench, shMessage* message)
{
    static const int order[INNER_MODELS] = {MAIN_MODEL, 0, 2};
    shStatus status = shOk;
    for (int i = 0; i < (bench->tiny || bench->quick ? 1 : INNER_MODELS) && status == shOk; ++i)
        status = volumeOf(bench, order[i], message);
    if (status != shNoFile)
        return status;
    static const char* const rows[4][3] = {{"error_mean_pct", "%", "<= 0.5"},
                                           {"light_max_us", "us", "<= 1000"},
                                           {"error_200us_pct", "%", NULL},
                                           {"error_1ms_pct", "%", NULL}};
    for (int i = 0; i < 4; ++i)
        benchNote(benchRow(bench, rows[i][0], NO_VALUE, rows[i][1], NO_VALUE, rows[i][2]), "%.250s", message->text);
    return shOk;
}

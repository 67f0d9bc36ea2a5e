// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `score`: how the world behaves in a hundred random scenes, in one set of figures by which two versions can be
// compared (scripts/score). Of all of them less is better; only the number of fragments says nothing.
#include "bench/score.h"
#include "bench/clock.h"
#include "bench/depth_survey.h"
#include "bench/machine.h"
#include "bench/score_scene.h"
#include "bench/world_watch.h"
#include "cli/progress.h"
#include "core/message.h"

#include <stdio.h>
#include <sys/stat.h>

enum { SCENES = 100, SOME_SCENES = 40, TINY_SCENES = 4 }; // --repeat n: n times as many, all different
static const double SECONDS = 3.0;

// What a scene comes to.
typedef struct SceneScore {
    double depthLargest; // %
    double rest;         // s
    double share;        // slowest step over its length
    double ms;           // mean step
    double gained;       // % of the largest kinetic energy
    int hung, creeping, lost, fragments;
} SceneScore;

typedef struct Score {
    int scenes, grounded, spaces;                            // all; those with a ground; those without
    DepthList depth;                                         // of all pairs of all scenes, %
    double rest, share, worstShare, ms, gained, worstGained; // means and worst
    double momentumError, spinError;                         // worst of those in space
    int hung, creeping, lost, fragments;
    int worstShareScene, worstGainScene, worstDepthScene, hungScene; // numbers, for looking at them
    double worstDepth;
    FILE* list; // a line for each scene; null: not wanted
} Score;

static shStatus perform(ScoreScene* scene, Watch* watch, SceneScore* one, shMessage* message)
{
    double slowest = 0.0, all = 0.0;
    shStatus status = shOk;
    watchStart(watch, scene->world, scene->steps);
    for (int i = 0; i < scene->steps && status == shOk; ++i) {
        status = watchBefore(watch, scene->world, scene->dt, message);
        if (status != shOk)
            break;
        double start = clockSeconds(clockThread);
        status = shWorld_Step(scene->world, scene->dt, message);
        double took = clockSeconds(clockThread) - start;
        slowest = maxD(slowest, took);
        all += took;
        if (status == shOk)
            watchAfter(watch, scene->world, scene->dt);
    }
    if (scene->ground != scoreSpace)
        watch->momentumError = watch->spinError = 0.0; // the ground takes what it is given
    *one = (SceneScore){.share = slowest / (double)scene->dt,
                        .ms = 1e3 * all / scene->steps,
                        .rest =
                            (double)scene->dt * (watch->lastFast + 1 < watch->step ? watch->lastFast + 1 : watch->step),
                        .gained = watch->most > 0.0 ? 100.0 * watch->gained / watch->most : 0.0,
                        .hung = watch->hung};
    return status;
}

static bool addDepths(Score* score, const DepthSurvey* survey)
{
    bool ok = true;
    for (int i = 0; i < survey->percent.count && ok; ++i)
        ok = depthListAdd(&score->depth, survey->percent.values[i]);
    return ok;
}

static void addScene(Score* score, const ScoreScene* scene, const Watch* watch, const SceneScore* one)
{
    bool space = scene->ground == scoreSpace;
    ++score->scenes;
    score->ms += one->ms;
    score->share += one->share;
    score->gained += one->gained;
    score->fragments += one->fragments;
    score->hung += one->hung;
    if (one->hung > 0)
        score->hungScene = scene->number;
    if (one->share > score->worstShare) {
        score->worstShare = one->share;
        score->worstShareScene = scene->number;
    }
    if (one->gained > score->worstGained) {
        score->worstGained = one->gained;
        score->worstGainScene = scene->number;
    }
    if (one->depthLargest > score->worstDepth) {
        score->worstDepth = one->depthLargest;
        score->worstDepthScene = scene->number;
    }
    if (space) {
        ++score->spaces;
        score->momentumError = maxD(score->momentumError, watch->momentumError);
        score->spinError = maxD(score->spinError, watch->spinError);
    } else {
        ++score->grounded;
        score->rest += one->rest;
        score->creeping += one->creeping;
        score->lost += one->lost;
    }
}

static shStatus runScene(Bench* bench, Score* score, int number, int count, shMessage* message)
{
    ScoreScene scene;
    Watch watch = {0};
    SceneScore one = {0};
    DepthSurvey survey = {0};
    progressShow("score: scene %d of %d", number + 1, count);
    shStatus status = scoreSceneCreate(bench, number, bench->tiny ? 0.1 : SECONDS, &scene, message);
    if (status != shOk)
        return status;
    status = perform(&scene, &watch, &one, message);
    if (status == shOk)
        status = depthSurvey(scene.world, DEPTH_SPACING, &survey, message);
    if (status == shOk) {
        one.depthLargest = depthListPercentile(&survey.percent, 1.0);
        one.creeping = watchCreeping(&watch, scene.world);
        one.lost = watchLost(scene.world);
        one.fragments = survey.bodies;
        addScene(score, &scene, &watch, &one);
        if (!addDepths(score, &survey))
            status = failMemory(message);
    }
    if (status == shOk && score->list != NULL)
        fprintf(score->list, "%d,%s,%d,%d,%.0f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d,%d\n", number,
                scoreGroundName(scene.ground), scene.objects, one.fragments, 1.0 / (double)scene.dt, one.depthLargest,
                one.rest, one.share, one.ms, one.gained, watch.momentumError, watch.spinError, one.hung, one.creeping,
                one.lost);
    depthSurveyFree(&survey);
    watchFree(&watch);
    scoreSceneDestroy(&scene);
    return status;
}

static void addRows(Bench* bench, Score* score)
{
    int n = score->scenes, grounded = score->grounded > 0 ? score->grounded : 1;
    benchNote(benchRow(bench, "depth_mean_pct", depthListMean(&score->depth), "%", NO_VALUE, NULL),
              "dense survey at the end, %d pairs that overlap, %d scenes of %g s%s", score->depth.count, n, SECONDS,
              bench->quick ? ", quick" : "");
    benchRow(bench, "depth_p99_pct", depthListPercentile(&score->depth, 0.99), "%", NO_VALUE, NULL);
    benchNote(benchRow(bench, "depth_max_pct", depthListPercentile(&score->depth, 1.0), "%", NO_VALUE, NULL),
              "in scene %d", score->worstDepthScene);
    benchNote(benchRow(bench, "rest_s", score->rest / grounded, "s", NO_VALUE, NULL),
              "mean time until the mean speed stays below %g m/s; at most the whole of a scene", WATCH_REST_SPEED);
    benchNote(benchRow(bench, "step_share_mean", score->share / n, "x", NO_VALUE, NULL),
              "slowest step over its length, CPU time, mean of the scenes; load %.1f", machineLoad());
    benchNote(benchRow(bench, "step_share_worst", score->worstShare, "x", NO_VALUE, NULL), "in scene %d",
              score->worstShareScene);
    benchRow(bench, "step_avg_ms", score->ms / n, "ms", NO_VALUE, NULL);
    benchNote(benchRow(bench, "gain_mean_pct", score->gained / n, "%", NO_VALUE, NULL),
              "what single steps gained, of the largest kinetic energy");
    benchNote(benchRow(bench, "gain_worst_pct", score->worstGained, "%", NO_VALUE, NULL), "in scene %d",
              score->worstGainScene);
    benchNote(benchRow(bench, "momentum_error", score->momentumError, "", NO_VALUE, NULL),
              "share of the sum of sizes, worst of %d scenes in space", score->spaces);
    benchNote(benchRow(bench, "angular_error", score->spinError, "", NO_VALUE, NULL), "the same of angular momentum");
    BenchRow* row = benchRow(bench, "hanging", score->hung, "", NO_VALUE, NULL);
    if (score->hung > 0)
        benchNote(row, "bodies; the last in scene %d", score->hungScene);
    benchNote(benchRow(bench, "creeping", score->creeping, "", NO_VALUE, NULL),
              "bodies at the end, between %g and %g mm/s", 1e3 * WATCH_CREEP_LEAST, 1e3 * WATCH_CREEP_MOST);
    benchNote(benchRow(bench, "lost", score->lost, "", NO_VALUE, NULL), "bodies below the floor, or nowhere");
    benchRow(bench, "fragments", score->fragments, "", NO_VALUE, NULL);
}

// FOLDER/score-scenes.csv, when tables are wanted: where the figures come from.
static FILE* openList(const Bench* bench)
{
    char path[1024];
    if (bench->csvFolder == NULL)
        return NULL;
    snprintf(path, sizeof path, "%s/score-scenes.csv", bench->csvFolder);
    mkdir(bench->csvFolder, 0777);
    FILE* file = fopen(path, "w"); // a folder that cannot be written is told when the rows go there
    if (file != NULL)
        fputs("scene,ground,objects,fragments,hertz,depth_max_pct,rest_s,step_share,step_ms,gain_pct,momentum_error,"
              "angular_error,hanging,creeping,lost\n",
              file);
    return file;
}

shStatus benchScore(Bench* bench, shMessage* message)
{
    Score score = {.list = openList(bench)};
    int count = benchAmount(bench, TINY_SCENES, SOME_SCENES, SCENES) * benchRepeats(bench, 1, 1);
    shStatus status = shOk;
    for (int i = 0; i < count && status == shOk; ++i)
        status = runScene(bench, &score, i, count, message);
    if (status == shOk)
        addRows(bench, &score);
    if (score.list != NULL)
        fclose(score.list);
    depthListFree(&score.depth);
    progressClear();
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `contacts`: how many contacts a pair needs (Glondu §7.4, Fig. 16), and how few a rolling plate has (Fig. 5).
//
// A plate falls into a bowl with random velocities, 500 times for each number of contacts allowed. What moves it is a
// solver of its own, as plain as they come, so that nothing but the number of contacts is at work: impulses one by one,
// Coulomb friction, penetration pushed out. As in the paper only samples inside the other are contacts; steps are so
// short that the plate, 3 mm thick, does not pass through itself within one. After every fourth step the full query
// says how deep the two are in each other, and the selecting query how many samples it visited.
#include "bench/clock.h"
#include "bench/plot.h"
#include "bench/suites.h"
#include "bench/trial.h"
#include "cli/progress.h"
#include "cli/scene_file.h"
#include "core/context.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    RUNS = 500,
    STEPS = 300,
    MOST_ALLOWED = 50,
    ITERATIONS = 30,
    MOST_WORKERS = 64,
    MOST_COUNTS = 16,
    MEASURED_EVERY = 4
};
static const double STEP = 0.002, FRICTION = 0.3, PUSH = 0.2, GRAVITY = 9.81; // s; of the depth per step; m/s²
static const float PLATE_SCALE = 0.62f, BOWL_SCALE = 2.2f;                    // 15 cm across, and 36 cm

// ---- a body and its solver ------------------------------------------------------------------------------------------

typedef struct Thrown {
    DVec3 centre, velocity, angular;
    DQuat q;
    DVec3 rest; // the centre in the rest frame
    double mass;
    DMat3 inertia; // rest frame, inverse
} Thrown;

typedef struct Touch {
    DVec3 lever, axes[3]; // the normal, and two across
    double massOf[3], impulse[3], wanted;
} Touch;

static DVec3 inverseInertia(const Thrown* body, DVec3 a)
{
    return dqRotate(body->q, dmMul(body->inertia, dqUnrotate(body->q, a)));
}

static void push(Thrown* body, DVec3 lever, DVec3 axis, double impulse)
{
    body->velocity = dMad(body->velocity, impulse / body->mass, axis);
    body->angular = dAdd(body->angular, inverseInertia(body, dScale(impulse, dCross(lever, axis))));
}

static Touch touchOf(const Thrown* body, const shContact* contact)
{
    Touch touch = {.lever = dSub(dFromV(contact->point), body->centre), .axes = {dFromV(contact->normal)}};
    touch.axes[1] = dPerpendicular(touch.axes[0]);
    touch.axes[2] = dCross(touch.axes[0], touch.axes[1]);
    for (int k = 0; k < 3; ++k) {
        DVec3 arm = dCross(touch.lever, touch.axes[k]);
        touch.massOf[k] = 1.0 / (1.0 / body->mass + dDot(arm, inverseInertia(body, arm)));
    }
    double gap = (double)contact->distance;
    touch.wanted = gap > 0.0 ? -gap / STEP : -PUSH * gap / STEP; // m/s: may close the gap, shall open the depth
    return touch;
}

static void solve(Thrown* body, Touch* touches, int count)
{
    for (int i = 0; i < ITERATIONS * count; ++i) {
        Touch* touch = &touches[i % count];
        for (int k = 0; k < 3; ++k) {
            double most = k == 0 ? (double)INFINITY : FRICTION * touch->impulse[0];
            DVec3 velocity = dAdd(body->velocity, dCross(body->angular, touch->lever));
            double wanted = k == 0 ? touch->wanted : 0.0, old = touch->impulse[k];
            double now = old + touch->massOf[k] * (wanted - dDot(velocity, touch->axes[k]));
            touch->impulse[k] = maxD(k == 0 ? 0.0 : -most, minD(most, now));
            push(body, touch->lever, touch->axes[k], touch->impulse[k] - old);
        }
    }
}

static shTransform placeOf(const Thrown* body)
{
    return (shTransform){vFromD(dSub(body->centre, dqRotate(body->q, body->rest))), qFromDq(body->q)};
}

static void move(Thrown* body)
{
    body->centre = dMad(body->centre, STEP, body->velocity);
    double angle = STEP * dLength(body->angular);
    if (angle > 0.0)
        body->q = dqNormalize(dqMul(dqFromAxisAngle(body->angular, angle), body->q));
}

static DMat3 inverseOf(const double m[3][3])
{
    DVec3 r[3], c[3];
    for (int i = 0; i < 3; ++i)
        r[i] = (DVec3){m[i][0], m[i][1], m[i][2]};
    for (int i = 0; i < 3; ++i)
        c[i] = dCross(r[(i + 1) % 3], r[(i + 2) % 3]);
    double scale = 1.0 / dDot(r[0], c[0]);
    return dmTranspose((DMat3){dScale(scale, c[0]), dScale(scale, c[1]), dScale(scale, c[2])});
}

static Thrown throwPlate(const shSolid* plate, uint64_t seed)
{
    Random random = randomSeedItem(16, seed);
    shPieceInfo info = shSolid_GetPiece(plate, 0);
    Thrown body = {.mass = info.mass, .inertia = inverseOf(info.inertia)};
    body.rest = (DVec3){info.centre[0], info.centre[1], info.centre[2]};
    body.q = dqFromQ(randomRotation(&random));
    body.centre = (DVec3){0.03 * (double)randomRange(&random, -1.0f, 1.0f), 0.11,
                          0.03 * (double)randomRange(&random, -1.0f, 1.0f)};
    body.velocity = dScale(0.5, randomInBall(&random));
    body.angular = dScale(5.0, randomInBall(&random));
    return body;
}

// ---- one run --------------------------------------------------------------------------------------------------------

typedef struct RunResult {
    double error;   // m, the deepest sample, mean over steps with contacts that were measured
    double visited; // samples, likewise
    bool failed;
} RunResult;

static shStatus runPlate(shQuery* query, const shSolid* const solids[2], int allowed, uint64_t seed, int steps,
                         RunResult* result)
{
    Thrown body = throwPlate(solids[0], seed);
    shCollider bowl = {.solid = solids[1], .transform = {.q = qIdentity()}};
    shCollideDef some = shDefaultCollideDef(), all = shDefaultCollideDef();
    some.maxContacts = allowed;
    all.all = true;
    int touched = 0;
    shStatus status = shOk;
    for (int i = 0; i < steps && status == shOk; ++i) {
        const shContact* contacts;
        int count;
        Touch touches[MOST_ALLOWED];
        shCollider plate = {.solid = solids[0], .transform = placeOf(&body)};
        body.velocity.y -= STEP * GRAVITY;
        status = shCollide(query, &some, &plate, &bowl, NULL, &contacts, &count, NULL);
        if (status != shOk)
            break;
        int visited = shQuery_GetStats(query).visited;
        count = minI(count, MOST_ALLOWED);
        for (int k = 0; k < count; ++k)
            touches[k] = touchOf(&body, &contacts[k]);
        if (count > 0)
            solve(&body, touches, count);
        move(&body);
        if (count == 0 || i % MEASURED_EVERY != 0)
            continue;
        plate.transform = placeOf(&body);
        status = shCollide(query, &all, &plate, &bowl, NULL, &contacts, &count, NULL);
        double deepest = 0.0;
        for (int k = 0; k < count; ++k)
            deepest = maxD(deepest, -(double)contacts[k].distance);
        result->error += deepest;
        result->visited += visited;
        ++touched;
    }
    if (touched > 0) {
        result->error /= touched;
        result->visited /= touched;
    }
    return status;
}

typedef struct Campaign {
    const shSolid* solids[2]; // plate, bowl
    shQuery* queries[MOST_WORKERS];
    const int* counts; // contacts allowed
    int runs, steps;
    RunResult* results; // [countCount][runs]
} Campaign;

static void runBlock(int begin, int end, int worker, void* arg)
{
    const Campaign* campaign = arg;
    for (int i = begin; i < end; ++i) {
        RunResult* result = &campaign->results[i];
        result->failed = runPlate(campaign->queries[worker], campaign->solids, campaign->counts[i / campaign->runs],
                                  (uint64_t)(i % campaign->runs), campaign->steps, result) != shOk;
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef struct Estimate {
    double mean, half; // of the 95 % interval
} Estimate;

static Estimate estimate(const RunResult* results, int count, bool visited)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < count; ++i)
        sum += visited ? results[i].visited : results[i].error;
    double mean = sum / count;
    for (int i = 0; i < count; ++i) {
        double off = (visited ? results[i].visited : results[i].error) - mean;
        squares += off * off;
    }
    return (Estimate){mean, count > 1 ? 1.96 * sqrt(squares / (count - 1) / count) : NO_VALUE};
}

static shStatus campaignRows(Bench* bench, const Campaign* campaign, int countCount, shMessage* message)
{
    Estimate errors[MOST_COUNTS], visits[MOST_COUNTS];
    int eight = 0, fifty = 0; // both are always among the counts
    Plot* plot =
        plotOpen(bench, "fig16-contacts", "contacts,error_mm,error_95,visited,visited_95",
                 "set xlabel 'contacts allowed'\nset ylabel 'mean penetration, mm'\nset y2label 'samples visited'\n"
                 "set y2tics\nset ytics nomirror\nset yrange [0:]\nset y2range [0:]\n"
                 "plot data using 1:2:3 every ::1 with yerrorlines pt 7 ps 0.6 lw 1.5 lc '#c0392b' title "
                 "'penetration', data using 1:4:5 every ::1 axes x1y2 with yerrorlines pt 7 ps 0.6 lw 1.5 lc "
                 "'#2980b9' title 'visited'\n");
    for (int i = 0; i < countCount; ++i) {
        const RunResult* results = campaign->results + (size_t)i * (size_t)campaign->runs;
        errors[i] = estimate(results, campaign->runs, false);
        visits[i] = estimate(results, campaign->runs, true);
        eight = campaign->counts[i] == 8 ? i : eight;
        fifty = campaign->counts[i] == MOST_ALLOWED ? i : fifty;
        PLOT_ROW(plot, campaign->counts[i], 1e3 * errors[i].mean, 1e3 * errors[i].half, visits[i].mean, visits[i].half);
    }
    double ratio = errors[eight].mean / errors[fifty].mean, half = 0.0;
    // Of a quotient of independent means.
    half = ratio * sqrt(errors[eight].half * errors[eight].half / (errors[eight].mean * errors[eight].mean) +
                        errors[fifty].half * errors[fifty].half / (errors[fifty].mean * errors[fifty].mean));
    benchNote(benchRow(bench, "error_8_over_50", ratio, "x", NO_VALUE, "<= 1.1"),
              "+- %.2g (95 %%); mean depth of a plate falling into a bowl, %d runs per number", half, campaign->runs);
    benchNote(benchRow(bench, "visited_8", visits[eight].mean, "", NO_VALUE, NULL), "samples, +- %.2g (95 %%)",
              visits[eight].half);
    for (int i = 0; i < countCount; ++i) {
        char row[BENCH_NAME];
        snprintf(row, sizeof row, "error_%d_mm", campaign->counts[i]);
        benchNote(benchRow(bench, row, 1e3 * errors[i].mean, "mm", NO_VALUE, NULL),
                  "+- %.2g (95 %%); %.0f samples visited", 1e3 * errors[i].half, visits[i].mean);
    }
    return plotClose(plot, message);
}

static shStatus runCampaign(Bench* bench, Campaign* campaign, const int* counts, int countCount, shMessage* message)
{
    shStatus status = shOk;
    int workers = minI(bench->context->tasks.workerCount, MOST_WORKERS), total = countCount * campaign->runs;
    campaign->counts = counts;
    campaign->results = calloc((size_t)total, sizeof *campaign->results);
    if (campaign->results == NULL)
        return failMemory(message);
    for (int i = 0; i < workers && status == shOk; ++i)
        status = shCreateQuery(bench->context, &campaign->queries[i], message);
    // In parts, so that the progress shows.
    for (int i = 0; i < countCount && status == shOk; ++i) {
        progressShow("contacts: %d allowed, %d runs", counts[i], campaign->runs);
        Campaign part = *campaign;
        part.counts += i;
        part.results += (size_t)i * (size_t)campaign->runs;
        parallelFor(bench->context, campaign->runs, 4, runBlock, &part);
    }
    for (int i = 0; i < total && status == shOk; ++i)
        status = campaign->results[i].failed ? failMemory(message) : shOk;
    if (status == shOk)
        status = campaignRows(bench, campaign, countCount, message);
    for (int i = 0; i < workers; ++i)
        shDestroyQuery(campaign->queries[i]);
    free(campaign->results);
    return status;
}

static shStatus plateAndBowl(Bench* bench, shMessage* message)
{
    static const int few[] = {2, 4, 8, MOST_ALLOWED};
    static const int many[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, MOST_ALLOWED};
    const ScriptAsset models[2] = {{.name = "plate", .model = "plate", .detail = 1.0f, .scale = PLATE_SCALE},
                                   {.name = "bowl", .model = "bowl", .detail = 1.0f, .scale = BOWL_SCALE}};
    const Script none = {.context = bench->context};
    shAsset* assets[2] = {NULL, NULL};
    shSolid* solids[2] = {NULL, NULL};
    PlayHooks hooks = sceneHooks();
    shStatus status = shOk;
    for (int i = 0; i < 2 && status == shOk; ++i) {
        status = hooks.makeAsset(bench->context, &none, &models[i], &assets[i], NULL, message);
        if (status == shOk)
            status = shCreateSolid(assets[i], &solids[i], message);
    }
    Campaign campaign = {
        .solids = {solids[0], solids[1]}, .runs = bench->tiny ? 2 : RUNS, .steps = bench->tiny ? 60 : STEPS};
    bool full = !bench->quick && !bench->tiny;
    if (status == shOk)
        status = runCampaign(bench, &campaign, full ? many : few,
                             full ? (int)(sizeof many / sizeof *many) : (int)(sizeof few / sizeof *few), message);
    for (int i = 0; i < 2; ++i) {
        shDestroySolid(solids[i]);
        shDestroyAsset(assets[i]);
    }
    return status;
}

// ---- the rolling plate ----------------------------------------------------------------------------------------------

static shStatus rollingPlate(Bench* bench, shMessage* message)
{
    Trial trial;
    shQuery* query = NULL;
    TrialDef def = {.scene = "rolling-plate", .tiny = bench->tiny, .steps = bench->tiny ? 20 : 0};
    shStatus status = trialOpen(&trial, &def, message);
    if (status != shOk)
        return status;
    status = shCreateQuery(trial.context, &query, message);
    Plot* plot = plotOpen(bench, "fig05-rolling-plate", "time,contacts,all",
                          "set xlabel 'time, s'\nset logscale y\nset yrange [1:]\n"
                          "plot data using 1:3 every ::1 with lines lw 1.5 lc '#c0392b' title 'all samples that "
                          "collide', data using 1:2 every ::1 with lines lw 1.5 lc '#27ae60' title 'contacts'\n");
    int most = 0, mostAll = 0;
    for (int i = 0; i < trial.script.steps && status == shOk; ++i) {
        TrialStep step;
        status = trialStep(&trial, &step, message);
        if (status == shOk)
            status = trialSurvey(&trial, query, &step, message);
        if (status != shOk)
            break;
        most = maxI(most, step.contacts);
        mostAll = maxI(mostAll, step.colliding);
        PLOT_ROW(plot, (i + 1) * trial.script.dt, step.contacts, step.colliding);
    }
    if (status == shOk) {
        benchNote(benchRow(bench, "rolling_contacts_max", most, "", 6, NULL),
                  "plate that rolls on its rim and lies down; the paper allowed 6");
        benchNote(benchRow(bench, "rolling_colliding_max", mostAll, "", 128, NULL),
                  "samples as near as contacts may be");
    }
    shStatus drawn = plotClose(plot, message);
    shDestroyQuery(query);
    trialClose(&trial);
    return status != shOk ? status : drawn;
}

shStatus benchContacts(Bench* bench, shMessage* message)
{
    shStatus status = plateAndBowl(bench, message);
    if (status == shOk)
        status = rollingPlate(bench, message);
    progressClear();
    return status;
}

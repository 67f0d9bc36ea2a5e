// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Fig. 15: what queries cost and visit while the pieces of the piggy bank come to rest, with fields and trees that
// followed the break and with ones that were made anew.
#include "bench/update_run.h"

#include "bench/clock.h"
#include "bench/moments.h"
#include "bench/plot.h"
#include "bench/recompute.h"
#include "bench/twin.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/message.h"
#include "dynamics/world.h"

#include <stdlib.h>

enum { WAYS = 4, AFTER_BREAK = 12, STEPS = 120 };

typedef struct Run {
    shWorld* world;
    shQuery* query;
    shSolid* solids[WAYS]; // updated, new field, new trees, both
    int* pieceOf;
} Run;

static shStatus makeSolids(Run* run, shMessage* message)
{
    shSolid* original = NULL;
    for (int i = 0; i < run->world->solids.count; ++i)
        if (run->world->solids.data[i].solid != NULL && run->world->solids.data[i].solid->field.labels != NULL)
            original = run->world->solids.data[i].solid;
    if (original == NULL)
        return fail(message, shInvalid, "update: the piggy bank did not break within %d steps", AFTER_BREAK);
    shStatus status = shOk;
    for (int way = 0; way < WAYS && status == shOk; ++way) {
        status = twinCreate(original, restructureNearest, &run->solids[way], message);
        if (status == shOk && (way & 1) != 0)
            status = recomputeSkins(run->solids[way], message);
        if (status == shOk && (way & 2) != 0)
            status = recomputeTrees(run->solids[way], false, message);
    }
    return status == shOk ? twinPieces(original, run->solids[0], &run->pieceOf, message) : status;
}

// All pairs once.
static shStatus askAll(const Run* run, int way, double* ms, double* visited, shMessage* message)
{
    const shWorld* world = run->world;
    shStatus status = shOk;
    *visited = 0.0;
    double start = clockSeconds(clockThread);
    for (int i = 0; i < world->pairs.count && status == shOk; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        shCollider ca = bodyCollider(world, a), cb = bodyCollider(world, b);
        shCollideDef def = shDefaultCollideDef();
        const shContact* contacts;
        int count;
        if (ca.solid == NULL)
            continue;
        def.margin = def.tolerance = pair->tolerance;
        ca.solid = run->solids[way];
        ca.piece = run->pieceOf[ca.piece];
        if (cb.solid != NULL) {
            cb.solid = run->solids[way];
            cb.piece = run->pieceOf[cb.piece];
            status = shCollide(run->query, &def, &ca, &cb, NULL, &contacts, &count, message);
        } else {
            status = shCollideShape(run->query, &def, &ca, &b->shape, b->transform, NULL, &contacts, &count, message);
        }
        *visited += shQuery_GetStats(run->query).visited;
    }
    *ms = minD(*ms, 1e3 * (clockSeconds(clockThread) - start));
    return status;
}

static shStatus perform(Bench* bench, const Run* run, double dt, int steps, int blocks, shMessage* message)
{
    double ms[WAYS] = {0}, visits[WAYS] = {0};
    int done = 0;
    Plot* times = plotOpen(bench, "fig15-query-times", "time,updated,new_field,new_trees,new_both",
                           "set xlabel 's after the break'\nset ylabel 'queries of all pairs, ms'\nset yrange [0:]\n"
                           "names = 'updated new-field new-trees both-new'\n"
                           "plot for [i=2:5] data using 1:i every ::1 with lines lw 1.3 title word(names, i - 1)\n");
    Plot* visited = plotOpen(bench, "fig15-visited", "time,updated,new_field,new_trees,new_both",
                             "set xlabel 's after the break'\nset ylabel 'samples visited'\nset yrange [0:]\n"
                             "names = 'updated new-field new-trees both-new'\n"
                             "plot for [i=2:5] data using 1:i every ::1 with lines lw 1.3 title word(names, i - 1)\n");
    shStatus status = shOk;
    for (int step = 0; step < steps && status == shOk; ++step) {
        double m[WAYS], v[WAYS] = {0};
        progressShow("update: a run, step %d of %d", step + 1, steps);
        status = shWorld_Step(run->world, (float)dt, message);
        if (status != shOk || shWorld_GetCounters(run->world).broken > 0)
            break; // what broke again has no twin
        for (int way = 0; way < WAYS; ++way)
            m[way] = (double)INFINITY;
        for (int i = 0; i < blocks * WAYS && status == shOk; ++i)
            status = askAll(run, i % WAYS, &m[i % WAYS], &v[i % WAYS], message);
        for (int way = 0; way < WAYS && status == shOk; ++way) {
            ms[way] += m[way];
            visits[way] += v[way];
        }
        if (status != shOk)
            break;
        PLOT_ROW(times, step * dt, m[0], m[1], m[2], m[3]);
        PLOT_ROW(visited, step * dt, v[0], v[1], v[2], v[3]);
        ++done;
    }
    shStatus drawn = plotClose(times, message), second = plotClose(visited, message);
    if (status == shOk && done > 0) {
        benchNote(benchRow(bench, "run_query_ratio", ms[0] / ms[3], "x", NO_VALUE, NULL),
                  "piggy bank, %d steps after the break: %.3f ms after the update, %.3f after recomputation (Fig. 15)",
                  done, ms[0] / done, ms[3] / done);
        benchNote(benchRow(bench, "run_visited_ratio", visits[0] / visits[3], "x", NO_VALUE, NULL),
                  "%.0f samples after the update, %.0f after recomputation", visits[0] / done, visits[3] / done);
    }
    return status != shOk ? status : drawn != shOk ? drawn : second;
}

shStatus updateRun(Bench* bench, shMessage* message)
{
    static const int steps[] = {AFTER_BREAK};
    MomentsDef def = {.trial = {.scene = "piggy", .tiny = bench->tiny}, .steps = steps, .count = 1};
    Run run = {0};
    double dt = 0.0;
    shStatus status = momentOpen(bench->single, &def, 0, &run.world, &dt, message);
    if (status == shOk)
        status = shCreateQuery(bench->single, &run.query, message);
    if (status == shOk)
        status = makeSolids(&run, message);
    if (status == shOk)
        status =
            perform(bench, &run, dt, bench->tiny ? 2 : STEPS, bench->tiny ? 1 : benchRepeats(bench, 3, 7), message);
    for (int way = 0; way < WAYS; ++way)
        shDestroySolid(run.solids[way]);
    free(run.pieceOf);
    shDestroyQuery(run.query);
    shDestroyWorld(run.world);
    return status;
}

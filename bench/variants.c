// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `variants`: what maximum-distance order is good for (Glondu §7.4, Figs 6 and 17).
//
// The paper simulates its bunnies once for every variant. Here all variants are asked the same: the pairs of one
// simulation, at several moments, each moment three steps long so that contacts persist. Every broken bunny has two
// twins, broken along the same cracks: one whose trees were restructured as in the paper, one naively. Detection only,
// CPU time of one thread; the variants take turns.
#include "bench/clock.h"
#include "bench/moments.h"
#include "bench/plot.h"
#include "bench/suites.h"
#include "bench/twin.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/message.h"
#include "dynamics/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { VARIANTS = 5, LENGTH = 3, FIXED = 8, MOST_MOMENTS = 16 };

typedef struct Variant {
    const char* name;
    bool naiveTrees, plainOrder, fixed;
    double contacts, contactsMost; // in the paper
} Variant;

enum { NEW, NAIVE, NEW_FIXED }; // and the two half-way ones
static const Variant variants[VARIANTS] = {
    {"new", false, false, false, 866, 2393},
    {"naive", true, true, false, 1235, 3245},
    {"new_fixed8", false, false, true, 755, 1974},
    {"naive_trees", true, false, false, NO_VALUE, NO_VALUE},
    {"plain_order", false, true, false, NO_VALUE, NO_VALUE},
};

// ---- twins ----------------------------------------------------------------------------------------------------------

typedef struct Twins {
    shSolid* solids[2]; // new, naive; null: the original is whole and serves
    int* pieceOf;       // [pieces of the original] in the twins
} Twins;

static shStatus makeTwin(shSolid* original, Twins* twins, shMessage* message)
{
    if (original->field.labels == NULL)
        return shOk;
    shStatus status = twinCreate(original, restructureNearest, &twins->solids[0], message);
    if (status == shOk)
        status = twinCreate(original, restructureFirst, &twins->solids[1], message);
    return status == shOk ? twinPieces(original, twins->solids[0], &twins->pieceOf, message) : status;
}

static void freeTwins(Twins* twins, int count)
{
    for (int i = 0; twins != NULL && i < count; ++i) {
        shDestroySolid(twins[i].solids[0]);
        shDestroySolid(twins[i].solids[1]);
        free(twins[i].pieceOf);
    }
    free(twins);
}

static shStatus makeTwins(const shWorld* world, Twins** made, shMessage* message)
{
    Twins* twins = *made = calloc((size_t)world->solids.count, sizeof *twins);
    shStatus status = twins != NULL ? shOk : failMemory(message);
    for (int i = 0; i < world->solids.count && status == shOk; ++i)
        if (world->solids.data[i].solid != NULL)
            status = makeTwin(world->solids.data[i].solid, &twins[i], message);
    return status;
}

// ---- asking ---------------------------------------------------------------------------------------------------------

// A pair of the world with what each variant remembers of it.
typedef struct Asked {
    int a, b;
    shPair memory[VARIANTS];
} Asked;

typedef struct Moment {
    shWorld* world;
    shQuery* query;
    Twins* twins;
    int solidCount;
    Asked* asked;
    int askedCount;
    shPair* before; // [askedCount] of the variant under the clock
} Moment;

static shCollider colliderOf(const Moment* moment, const Body* body, bool naive)
{
    shCollider collider = bodyCollider(moment->world, body);
    const Twins* twin = body->solid >= 0 ? &moment->twins[body->solid] : NULL;
    if (twin != NULL && twin->solids[0] != NULL) {
        collider.solid = twin->solids[naive];
        collider.piece = twin->pieceOf[collider.piece];
    }
    return collider;
}

static shStatus ask(const Moment* moment, const Variant* variant, const Pair* pair, shPair* memory,
                    const shContact** contacts, int* count, shMessage* message)
{
    const Body *a = &moment->world->bodies.data[pair->a], *b = &moment->world->bodies.data[pair->b];
    shCollider ca = colliderOf(moment, a, variant->naiveTrees), cb = colliderOf(moment, b, variant->naiveTrees);
    shCollideDef def = shDefaultCollideDef();
    def.margin = def.tolerance = pair->tolerance;
    def.plainOrder = variant->plainOrder;
    def.maxContacts = variant->fixed ? FIXED : 0;
    *count = 0;
    if (ca.solid == NULL)
        return shOk; // two shapes
    if (cb.solid == NULL)
        return shCollideShape(moment->query, &def, &ca, &b->shape, b->transform, memory, contacts, count, message);
    return shCollide(moment->query, &def, &ca, &cb, memory, contacts, count, message);
}

// What was remembered of the pairs goes along; new pairs remember nothing.
static shStatus list(Moment* moment, shMessage* message)
{
    const shWorld* world = moment->world;
    int count = world->pairs.count;
    Asked* next = calloc((size_t)count + 1, sizeof *next);
    free(moment->before);
    moment->before = calloc((size_t)count + 1, sizeof *moment->before);
    if (next == NULL || moment->before == NULL) {
        free(next);
        return failMemory(message);
    }
    for (int i = 0; i < count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        next[i].a = pair->a;
        next[i].b = pair->b;
        for (int k = 0; k < moment->askedCount; ++k) {
            const Asked* old = &moment->asked[(i + k) % moment->askedCount]; // mostly where it was
            if (old->a == pair->a && old->b == pair->b) {
                next[i] = *old;
                break;
            }
        }
    }
    free(moment->asked);
    moment->asked = next;
    moment->askedCount = count;
    return shOk;
}

// All pairs, by CPU time; several times, always from the same memory.
static shStatus timeVariant(Moment* moment, int variant, int blocks, double* ms, double* contacts, double* visited,
                            shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < moment->askedCount; ++i)
        moment->before[i] = moment->asked[i].memory[variant];
    for (int block = 0; block < blocks && status == shOk; ++block) {
        for (int i = 0; i < moment->askedCount; ++i)
            moment->asked[i].memory[variant] = moment->before[i];
        *contacts = *visited = 0.0;
        double start = clockSeconds(clockThread);
        for (int i = 0; i < moment->askedCount && status == shOk; ++i) {
            const shContact* found;
            int count;
            status = ask(moment, &variants[variant], &moment->world->pairs.data[i], &moment->asked[i].memory[variant],
                         &found, &count, message);
            *contacts += count;
            *visited += shQuery_GetStats(moment->query).visited;
        }
        *ms = minD(*ms, 1e3 * (clockSeconds(clockThread) - start));
    }
    return status;
}

typedef struct Sums {
    double ms, contacts, contactsMost, visited;
    int steps;
} Sums;

static void closeMoment(Moment* moment)
{
    freeTwins(moment->twins, moment->solidCount);
    free(moment->asked);
    free(moment->before);
    shDestroyQuery(moment->query);
    shDestroyWorld(moment->world);
}

// One moment: LENGTH steps of the world, every variant asked after each.
static shStatus measure(Bench* bench, const MomentsDef* def, int which, int blocks, Sums sums[VARIANTS], Plot* plot,
                        shMessage* message)
{
    Moment moment = {0};
    double dt = 0.0;
    shStatus status = momentOpen(bench->single, def, which, &moment.world, &dt, message);
    if (status == shOk)
        status = shCreateQuery(bench->single, &moment.query, message);
    if (status == shOk) {
        moment.solidCount = moment.world->solids.count;
        status = makeTwins(moment.world, &moment.twins, message);
    }
    double mean[VARIANTS] = {0};
    for (int step = 0; step < LENGTH && status == shOk; ++step) {
        progressShow("variants: moment %d of %d, step %d", which + 1, def->count, step + 1);
        int64_t breaks = shWorld_GetCounters(moment.world).breaks;
        if (step > 0)
            status = shWorld_Step(moment.world, (float)dt, message);
        if (status == shOk && shWorld_GetCounters(moment.world).breaks != breaks)
            break; // the twins are no twins any more
        if (status == shOk)
            status = list(&moment, message);
        for (int v = 0; v < VARIANTS && status == shOk; ++v) {
            double ms = (double)INFINITY, contacts = 0.0, visited = 0.0;
            status = timeVariant(&moment, v, blocks, &ms, &contacts, &visited, message);
            sums[v].ms += ms;
            sums[v].contacts += contacts;
            sums[v].visited += visited;
            sums[v].contactsMost = maxD(sums[v].contactsMost, contacts);
            ++sums[v].steps;
            mean[v] = (mean[v] * step + ms) / (step + 1);
        }
    }
    PLOT_ROW(plot, def->steps[which] * dt, mean[0], mean[1], mean[2], mean[3], mean[4]);
    closeMoment(&moment);
    return status;
}

// ---- Fig. 6 ---------------------------------------------------------------------------------------------------------

// Where the contacts of broken blocks at rest are, at most eight a pair: how far they are from the middle of their
// pair.
static shStatus blocks(Bench* bench, shMessage* message)
{
    static const int steps[] = {239}, tinySteps[] = {100};
    MomentsDef def = {.trial = {.scene = "blocks", .tiny = bench->tiny}, .steps = bench->tiny ? tinySteps : steps};
    def.count = 1;
    Moment moment = {0};
    double spread[2] = {0.0, 0.0};
    int pairs = 0;
    shStatus status = momentOpen(bench->single, &def, 0, &moment.world, NULL, message);
    if (status == shOk)
        status = shCreateQuery(bench->single, &moment.query, message);
    if (status == shOk) {
        moment.solidCount = moment.world->solids.count;
        status = makeTwins(moment.world, &moment.twins, message);
    }
    Plot* plot = plotOpen(bench, "fig06-contact-distribution", "naive,x,y,z",
                          "set multiplot layout 1,2\nset size ratio -1\nset key off\nset xlabel 'x, m'\n"
                          "set ylabel 'z, m'\nset title 'new'\n"
                          "plot data using ($1==0 ? $2 : NaN):4 every ::1 with points pt 7 ps 0.5 lc '#27ae60'\n"
                          "set title 'naive'\n"
                          "plot data using ($1==1 ? $2 : NaN):4 every ::1 with points pt 7 ps 0.5 lc '#c0392b'\n"
                          "unset multiplot\n");
    for (int i = 0; status == shOk && i < moment.world->pairs.count; ++i) {
        double own[2] = {0.0, 0.0};
        bool both = true;
        for (int naive = 0; naive < 2 && status == shOk; ++naive) {
            Variant variant = {.naiveTrees = naive == 1, .plainOrder = naive == 1, .fixed = true};
            const shContact* contacts;
            int count;
            shPair memory = {0};
            status = ask(&moment, &variant, &moment.world->pairs.data[i], &memory, &contacts, &count, message);
            DVec3 middle = {0.0, 0.0, 0.0};
            for (int k = 0; k < count; ++k) {
                middle = dMad(middle, 1.0 / count, dFromV(contacts[k].point));
                PLOT_ROW(plot, naive, (double)contacts[k].point.x, (double)contacts[k].point.y,
                         (double)contacts[k].point.z);
            }
            for (int k = 0; k < count; ++k)
                own[naive] += dLength(dSub(dFromV(contacts[k].point), middle)) / count;
            both = both && count >= 3;
        }
        for (int naive = 0; naive < 2 && both; ++naive)
            spread[naive] += own[naive];
        pairs += both;
    }
    if (status == shOk)
        benchNote(
            benchRow(bench, "spread_new_over_naive", pairs > 0 ? spread[0] / spread[1] : NO_VALUE, "x", NO_VALUE, NULL),
            "mean distance of 8 contacts from their middle, %d pairs of broken blocks at rest (Fig. 6)", pairs);
    shStatus drawn = plotClose(plot, message);
    closeMoment(&moment);
    return status != shOk ? status : drawn;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void addRows(Bench* bench, const Sums sums[VARIANTS], int moments)
{
    double n = sums[NEW].steps;
    benchNote(benchRow(bench, "new_over_naive", sums[NEW].ms / sums[NAIVE].ms, "x", NO_VALUE, "<= 0.8"),
              "detection of all pairs of the bunnies, %d moments of %d steps; visited: %.0f against %.0f", moments,
              LENGTH, sums[NEW].visited / n, sums[NAIVE].visited / n);
    benchRow(bench, "selfadapting_over_fixed8", sums[NEW].ms / sums[NEW_FIXED].ms, "x", NO_VALUE, NULL);
    benchNote(benchRow(bench, "contacts_new_over_naive", sums[NEW].contacts / sums[NAIVE].contacts, "x", 866.0 / 1235.0,
                       NULL),
              "the paper counts those of its whole run");
    for (int v = 0; v < VARIANTS; ++v) {
        char row[BENCH_NAME];
        snprintf(row, sizeof row, "%s.ms", variants[v].name);
        benchNote(benchRow(bench, row, sums[v].ms / n, "ms", NO_VALUE, NULL), "%.0f samples visited",
                  sums[v].visited / n);
        snprintf(row, sizeof row, "%s.contacts_avg", variants[v].name);
        benchRow(bench, row, sums[v].contacts / n, "", variants[v].contacts, NULL);
        snprintf(row, sizeof row, "%s.contacts_max", variants[v].name);
        benchRow(bench, row, sums[v].contactsMost, "", variants[v].contactsMost, NULL);
    }
}

shStatus benchVariants(Bench* bench, shMessage* message)
{
    static const int steps[] = {60, 90, 150, 260, 300, 380, 470, 520, 600, 690}, tinySteps[] = {50, 55};
    MomentsDef def = {.trial = {.scene = "bunnies", .tiny = bench->tiny},
                      .steps = bench->tiny ? tinySteps : steps,
                      .count = bench->tiny ? 2 : (int)(sizeof steps / sizeof *steps)};
    Sums sums[VARIANTS] = {{0}};
    Plot* plot = plotOpen(bench, "fig17-variants", "time,new,naive,fixed8,naive_trees,plain_order",
                          "set xlabel 'time, s'\nset ylabel 'detection, ms'\nset yrange [0:]\n"
                          "plot data using 1:3 every ::1 with linespoints pt 7 ps 0.5 lc '#c0392b' title 'naive both', "
                          "data using 1:5 every ::1 with linespoints pt 7 ps 0.5 lc '#e67e22' title 'naive trees', "
                          "data using 1:6 every ::1 with linespoints pt 7 ps 0.5 lc '#8e44ad' title 'plain order', "
                          "data using 1:2 every ::1 with linespoints pt 7 ps 0.5 lc '#27ae60' title 'ours', "
                          "data using 1:4 every ::1 with linespoints pt 7 ps 0.5 lc '#2980b9' title 'ours, 8 fixed'\n");
    shStatus status = shOk;
    for (int i = 0; i < def.count && status == shOk; ++i)
        status = measure(bench, &def, i, bench->tiny ? 1 : benchRepeats(bench, 3, 7), sums, plot, message);
    if (status == shOk)
        addRows(bench, sums, def.count);
    shStatus drawn = plotClose(plot, message);
    if (status == shOk)
        status = drawn;
    if (status == shOk)
        status = blocks(bench, message);
    progressClear();
    return status;
}

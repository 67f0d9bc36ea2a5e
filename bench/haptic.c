// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `haptic`: a minute of the loop that `sherd haptic` runs, in real time, for each of its scenes.
#include "bench/haptic_loop.h"
#include "bench/plot.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/vec.h"

#include <stdio.h>
#include <stdlib.h>

enum { SPHERES = 10000 };

static shStatus plotTicks(Bench* bench, const char* scene, const HapticTick* ticks, int count, shMessage* message)
{
    char name[64];
    snprintf(name, sizeof name, "haptic-%.40s", scene);
    Plot* plot =
        plotOpen(bench, name, "s,us,force,volume",
                 "set multiplot layout 2,1\nset xlabel 's'\nset ylabel 'us'\nset logscale y\n"
                 "plot data using 1:2 with dots notitle\nunset logscale y\nset ylabel 'force per pressure, m^2'\n"
                 "plot data using 1:3 with lines notitle\nunset multiplot\n");
    for (int i = 0; i < count; i += maxI(1, count / 6000))
        PLOT_ROW(plot, 1e-3 * i, (double)ticks[i].us, (double)ticks[i].force, (double)ticks[i].volume);
    return plotClose(plot, message);
}

shStatus benchHaptic(Bench* bench, shMessage* message)
{
    int count = benchAmount(bench, 20, 10000, 60000), met = 0, all = 0;
    HapticTick* ticks = malloc((size_t)count * sizeof(HapticTick));
    HapticStats stats[8];
    double worst = 0.0, worstCpu = 0.0, jump = 0.0;
    int metWork = 0;
    shStatus status = ticks != NULL ? shOk : failMemory(message);
    for (int s = 0; s < hapticSceneCount && status == shOk; ++s) {
        Haptic haptic;
        progressShow("haptic: %s", hapticScenes[s].name);
        status = hapticCreate(bench->context, &hapticScenes[s], bench->tiny ? 300 : SPHERES, &haptic, message);
        if (status != shOk)
            break;
        status = hapticRun(&haptic, count, ticks, message);
        hapticDestroy(&haptic);
        if (status == shOk)
            status = plotTicks(bench, hapticScenes[s].name, ticks, count, message);
        stats[s] = hapticStats(ticks, count);
        met += stats[s].met;
        metWork += stats[s].metWork;
        worstCpu = maxD(worstCpu, stats[s].worstCpuUs);
        all += count;
        worst = maxD(worst, stats[s].worstUs);
        jump = maxD(jump, stats[s].jumpPct);
    }
    free(ticks);
    if (status != shOk)
        return status;
    benchNote(
        benchRow(bench, "deadline_met_pct", 100.0 * met / all, "%", NO_VALUE, ">= 99.9"),
        "answers within 1 ms of the due time, late wake-ups included; %d scenes of %.3g s in real time, %d spheres "
        "each",
        hapticSceneCount, 1e-3 * count, SPHERES);
    benchNote(benchRow(bench, "work_met_pct", 100.0 * metWork / all, "%", NO_VALUE, NULL),
              "ticks whose work took no more than 1 ms of the thread's own time: what a machine without other load "
              "would keep; worst %.0f us",
              worstCpu);
    benchNote(benchRow(bench, "worst_us", worst, "us", NO_VALUE, NULL), "wall time of one query, whatever else ran");
    benchNote(benchRow(bench, "force_jump_pct", jump, "%", NO_VALUE, NULL),
              "largest change of the force in a millisecond, of its largest value");
    for (int s = 0; s < hapticSceneCount; ++s) {
        char row[BENCH_NAME];
        snprintf(row, sizeof row, "%s.mean_us", hapticScenes[s].name);
        benchNote(benchRow(bench, row, stats[s].meanUs, "us", NO_VALUE, NULL),
                  "median %.0f, p99 %.0f, worst %.0f; met %.2f %%; in contact %.0f %%; force jump %.2f %%",
                  stats[s].medianUs, stats[s].p99Us, stats[s].worstUs, 100.0 * stats[s].met / count,
                  100.0 * stats[s].contacts / count, stats[s].jumpPct);
    }
    return shOk;
}

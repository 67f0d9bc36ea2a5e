// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `proximity`: distances by inner spheres beside FCL's exact ones, on the same meshes in the same poses (Weller,
// Zachmann 2009, section 5, Figs 10 to 13). CPU time of one thread, each pose with its best block; blocks of ours and
// theirs take turns. On paths each query begins where the last one ended; on shuffled poses it knows nothing.
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/inner_scene.h"
#include "bench/plot.h"
#include "bench/poses.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/vec.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 5, ROUNDS = 32, MAIN_MODEL = 1, MAIN_SIZE = 1 };
static const double PEER_SECONDS = 120.0;

// Queries of one order of the poses: ours for each packing, theirs, and the distances.
typedef struct Race {
    const InnerModel* model;
    const InnerPoses* poses;
    bool coherent;
    double ours[INNER_SIZES][INNER_POSES], plainTime[INNER_SIZES][INNER_POSES], theirs[INNER_POSES],
        warm[INNER_POSES];                                                                      // us
    float sharp[INNER_SIZES][INNER_POSES], plain[INNER_SIZES][INNER_POSES], exact[INNER_POSES]; // m
    bool there;                                                                                 // the peer
    char note[BENCH_NOTE];
} Race;

static shStatus ourBlock(Race* race, int size, int rounds, double* best, float* distances, shMessage* message)
{
    shInnerPair pair = {0};
    const InnerPoses* poses = race->poses;
    for (int i = 0; i < poses->count; ++i) {
        shInnerBody a = {race->model->spheres[size], poses->a[i]}, b = {race->model->spheres[size], poses->b[i]};
        shInnerDistance distance;
        double start = clockSeconds(clockThread);
        shStatus status =
            shInner_GetDistance(&a, &b, INFINITY, rounds, race->coherent ? &pair : NULL, &distance, message);
        best[i] = minD(best[i], 1e6 * (clockSeconds(clockThread) - start));
        if (status != shOk)
            return status;
        distances[i] = distance.distance;
    }
    return shOk;
}

static shStatus startPeer(const Race* race, Peer** peer, char* path, size_t size, shMessage* message)
{
    static PeerPose work[INNER_POSES];
    char name[64];
    for (int i = 0; i < race->poses->count; ++i)
        work[i] = (PeerPose){0, 0, race->poses->a[i], race->poses->b[i]};
    snprintf(name, sizeof name, "proximity-%ld.pairs", (long)getpid());
    PeerMesh mesh = {race->model->pointCount, race->model->triangleCount, race->model->points,
                     (const int(*)[3])race->model->triangles};
    shStatus status = cachePath(name, path, size, message);
    if (status == shOk)
        status = peerWriteFile(path, &mesh, 1, work, race->poses->count, message);
    return status == shOk ? peerStart("fcl_distance", path, PEER_SECONDS, peer, message) : status;
}

static shStatus runRace(Race* race, int blocks, shMessage* message)
{
    char path[1024] = "";
    Peer* peer = NULL;
    shMessage why = {""};
    int count = race->poses->count;
    for (int i = 0; i < INNER_POSES; ++i) {
        race->theirs[i] = race->warm[i] = INFINITY;
        race->exact[i] = NAN;
        for (int size = 0; size < INNER_SIZES; ++size)
            race->ours[size][i] = race->plainTime[size][i] = INFINITY;
    }
    race->there = startPeer(race, &peer, path, sizeof path, &why) == shOk;
    snprintf(race->note, sizeof race->note, "%.250s", race->there ? peerInfo(peer) : why.text);
    shStatus status = shOk;
    for (int block = 0; block < blocks && status == shOk; ++block) {
        progressShow("proximity: %s, block %d of %d", race->model->name, block + 1, blocks);
        for (int size = 0; size < INNER_SIZES && status == shOk; ++size) {
            status = ourBlock(race, size, ROUNDS, race->ours[size], race->sharp[size], message);
            if (status == shOk)
                status = ourBlock(race, size, 0, race->plainTime[size], race->plain[size], message);
        }
        double us[INNER_POSES];
        race->there = race->there && peerBlock(peer, us, NULL, race->exact, count, &why) == shOk;
        for (int i = 0; i < count && race->there; ++i)
            race->theirs[i] = minD(race->theirs[i], us[i]);
    }
    json_t* said = NULL;
    if (race->there && race->coherent && peerAsk(peer, "warm", &said, &why) == shOk) {
        double us[INNER_POSES];
        json_decref(said);
        for (int block = 0; block < blocks && peerBlock(peer, us, NULL, race->exact, count, &why) == shOk; ++block)
            for (int i = 0; i < count; ++i)
                race->warm[i] = minD(race->warm[i], us[i]);
    }
    peerStop(peer);
    if (path[0] != '\0')
        remove(path);
    return status;
}

// Mean of how much larger a distance is than the exact one, %; poses whose surfaces touch have no such share.
static double errorOf(const Race* race, const float* distances, double* ofSize, double* worst)
{
    double sum = 0.0, absolute = 0.0, most = 0.0;
    int count = 0;
    for (int i = 0; i < race->poses->count; ++i) {
        double exact = (double)race->exact[i];
        if (!(exact > 0.0))
            continue;
        double error = fabs((double)distances[i] - exact);
        sum += error / exact;
        most = maxD(most, error / exact);
        absolute += error;
        ++count;
    }
    *ofSize = count > 0 ? 100.0 * absolute / count / (double)race->model->size : NO_VALUE;
    *worst = 100.0 * most;
    return count > 0 ? 100.0 * sum / count : NO_VALUE;
}

static double largestOf(const double* values, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i)
        most = maxD(most, values[i]);
    return most;
}

static void mainRows(Bench* bench, const Race* path, const Race* shuffled)
{
    int count = path->poses->count;
    const double* ours = path->ours[MAIN_SIZE];
    const Race* races[2] = {path, shuffled};
    static const char* const names[2] = {"speedup_avg", "speedup_shuffled"};
    static const char* const goals[2] = {">= 50", ">= 30"};
    for (int i = 0; i < 2; ++i) {
        const Race* race = races[i];
        double theirs = meanOf(race->theirs, count), mine = meanOf(race->ours[MAIN_SIZE], count);
        BenchRow* row = benchRow(bench, names[i], race->there ? theirs / mine : NO_VALUE, "x", NO_VALUE, goals[i]);
        if (race->there)
            benchNote(row, "%s: fcl %.0f us, ours %.2f us, %d spheres, %d poses", race->model->name, theirs, mine,
                      shInnerSpheres_GetInfo(race->model->spheres[MAIN_SIZE]).sphereCount, count);
        else
            benchNote(row, "no peer: %.200s", race->note);
    }
    double ofSize, worst, error = errorOf(path, path->sharp[MAIN_SIZE], &ofSize, &worst);
    benchNote(benchRow(bench, "error_mean_pct", path->there ? error : NO_VALUE, "%", 0.5, "<= 0.5"),
              "of each pose's exact distance, by fcl; %.4f %% of the model's size; worst pose %.2f %%", ofSize, worst);
    double largest = maxD(largestOf(ours, count), largestOf(shuffled->ours[MAIN_SIZE], count));
    benchNote(benchRow(bench, "max_us", largest, "us", NO_VALUE, "<= 1000"), "slowest pose of path and shuffled");
    double warm = meanOf(path->warm, count);
    benchNote(benchRow(bench, "speedup_avg_warm_fcl", path->there ? warm / meanOf(ours, count) : NO_VALUE, "x",
                       NO_VALUE, NULL),
              "fcl %.0f us when it is given the distance of its last pair of triangles, which it does not do itself",
              warm);
    benchNote(benchRow(bench, "fcl_avg_us", path->there ? meanOf(path->theirs, count) : NO_VALUE, "us", NO_VALUE, NULL),
              "%.250s", path->note);
}

static void sizeRows(Bench* bench, const Race* race)
{
    int count = race->poses->count;
    char row[BENCH_NAME];
    for (int size = 0; size < INNER_SIZES; ++size) {
        double ofSize, worst, plainSize, plainWorst, mine = meanOf(race->ours[size], count);
        double error = errorOf(race, race->sharp[size], &ofSize, &worst);
        double plain = errorOf(race, race->plain[size], &plainSize, &plainWorst);
        const char* kind = race->coherent ? "path" : "shuffled";
        shInnerInfo info = shInnerSpheres_GetInfo(race->model->spheres[size]);
        snprintf(row, sizeof row, "%s.%d.%s_us", race->model->name, info.sphereCount, kind);
        benchNote(benchRow(bench, row, mine, "us", NO_VALUE, NULL),
                  "most %.1f; spheres alone %.2f; fcl %.0f, most %.0f: %.0f x", largestOf(race->ours[size], count),
                  meanOf(race->plainTime[size], count), meanOf(race->theirs, count), largestOf(race->theirs, count),
                  meanOf(race->theirs, count) / mine);
        if (!race->coherent)
            continue;
        snprintf(row, sizeof row, "%s.%d.error_pct", race->model->name, info.sphereCount);
        benchNote(benchRow(bench, row, error, "%", NO_VALUE, NULL),
                  "worst pose %.3g; of the size %.4f; spheres alone %.3g and %.3f", worst, ofSize, plain, plainSize);
    }
}

static shStatus plotRace(Bench* bench, const Race* race, shMessage* message)
{
    char name[64];
    int count = race->poses->count;
    snprintf(name, sizeof name, "fig10-13-%.30s", race->model->name);
    Plot* plot =
        plotOpen(bench, name, "spheres,mean,most,fcl mean,fcl most,error %,error % without triangles,without triangles",
                 "set multiplot layout 1,2\nset logscale xy\nset xlabel 'spheres'\nset ylabel 'us'\n"
                 "plot data using 1:2 with linespoints title 'mean', data using 1:3 with linespoints title "
                 "'most', data using 1:4 with lines title 'FCL mean', data using 1:5 with lines title 'FCL most', "
                 "data using 1:8 with linespoints title 'mean, spheres alone'\n"
                 "set ylabel 'error, % of the distance'\n"
                 "plot data using 1:6 with linespoints title 'sharpened', data using 1:7 with linespoints title "
                 "'spheres alone'\nunset multiplot\n");
    for (int size = 0; size < INNER_SIZES; ++size) {
        double ofSize, worst;
        PLOT_ROW(plot, shInnerSpheres_GetInfo(race->model->spheres[size]).sphereCount, meanOf(race->ours[size], count),
                 largestOf(race->ours[size], count), meanOf(race->theirs, count), largestOf(race->theirs, count),
                 errorOf(race, race->sharp[size], &ofSize, &worst), errorOf(race, race->plain[size], &ofSize, &worst),
                 meanOf(race->plainTime[size], count));
    }
    shStatus status = plotClose(plot, message);
    snprintf(name, sizeof name, "fig12-%.30s", race->model->name);
    plot = plotOpen(bench, name, "pose,exact,sharpened,fewest alone,middle alone,most alone",
                    "set xlabel 'pose'\nset ylabel 'distance, m'\n"
                    "plot for [i=2:6] data using 1:i with lines title columnheader(i)\n");
    for (int i = 0; i < count; ++i)
        PLOT_ROW(plot, i, (double)race->exact[i], (double)race->sharp[MAIN_SIZE][i], (double)race->plain[0][i],
                 (double)race->plain[1][i], (double)race->plain[2][i]);
    shStatus second = plotClose(plot, message);
    return status == shOk ? second : status;
}

// A slice through the middle of a packing: spheres in the colour of the second level's node they belong to, and the
// circles that the first and second level's nodes leave in the slice.
static shStatus plotPacking(Bench* bench, const InnerModel* model, int size, shMessage* message)
{
    enum { NODES = 16 };
    const shInnerSpheres* spheres = model->spheres[size];
    shInnerInfo info = shInnerSpheres_GetInfo(spheres);
    shInnerSphere nodes[NODES];
    int firsts[NODES], count = shInnerSpheres_GetLevel(spheres, 2, nodes, firsts, NODES);
    char name[64];
    snprintf(name, sizeof name, "packing-%.20s-%d", model->name, info.sphereCount);
    Plot* plot =
        plotOpen(bench, name, "x,y,r,group",
                 "set size ratio -1\nunset key\nunset colorbox\nset style fill solid 0.7 noborder\n"
                 "plot data index 0 using 1:2:3:4 with circles lc palette, data index 1 using 1:2:3 with circles "
                 "fs empty border lc rgb 'black', data index 2 using 1:2:3 with circles fs empty border lc rgb "
                 "'gray'\n");
    for (int i = 0; i < info.sphereCount; ++i) {
        shInnerSphere s = shInnerSpheres_GetSphere(spheres, i);
        double off = (double)(s.centre.z - info.centre.z), r2 = (double)s.radius * (double)s.radius - off * off;
        int group = 0;
        while (group + 1 < count && firsts[group + 1] <= i)
            ++group;
        if (r2 > 0.0)
            PLOT_ROW(plot, (double)s.centre.x, (double)s.centre.y, sqrt(r2), group * 7 % 16);
    }
    for (int level = 1; level <= 2; ++level) {
        plotGap(plot);
        plotGap(plot);
        count = shInnerSpheres_GetLevel(spheres, level, nodes, NULL, NODES);
        for (int i = 0; i < count; ++i) {
            double off = (double)(nodes[i].centre.z - info.centre.z);
            double r2 = (double)nodes[i].radius * (double)nodes[i].radius - off * off;
            if (r2 > 0.0)
                PLOT_ROW(plot, (double)nodes[i].centre.x, (double)nodes[i].centre.y, sqrt(r2), 0.0);
        }
    }
    return plotClose(plot, message);
}

static shStatus proximityOf(Bench* bench, int which, shMessage* message)
{
    static InnerPoses path, mixed;
    static Race races[2];
    InnerModel model;
    shStatus status = innerModelLoad(bench, which, &model, message);
    if (status != shOk)
        return status;
    int blocks = bench->tiny ? 1 : bench->repeat > 0 ? bench->repeat : BLOCKS;
    innerPathMake(&model, innerApartPath, benchAmount(bench, 4, 150, INNER_POSES), 1, &path);
    innerPosesShuffle(&path, 2, &mixed);
    races[0] = (Race){.model = &model, .poses = &path, .coherent = true};
    races[1] = (Race){.model = &model, .poses = &mixed};
    for (int i = 0; i < 2 && status == shOk; ++i)
        status = runRace(&races[i], blocks, message);
    if (status == shOk) {
        if (which == MAIN_MODEL)
            mainRows(bench, &races[0], &races[1]);
        sizeRows(bench, &races[0]);
        sizeRows(bench, &races[1]);
        status = plotRace(bench, &races[0], message);
        if (status == shOk && which == MAIN_MODEL)
            status = plotPacking(bench, &model, 0, message);
    }
    innerModelFree(bench, &model);
    return status;
}

shStatus benchProximity(Bench* bench, shMessage* message)
{
    static const int order[INNER_MODELS] = {MAIN_MODEL, 0, 2};
    shStatus status = shOk;
    for (int i = 0; i < (bench->tiny ? 1 : INNER_MODELS) && status == shOk; ++i)
        status = proximityOf(bench, order[i], message);
    if (status != shNoFile)
        return status;
    static const char* const rows[4][3] = {{"speedup_avg", "x", ">= 50"},
                                           {"speedup_shuffled", "x", ">= 30"},
                                           {"error_mean_pct", "%", "<= 0.5"},
                                           {"max_us", "us", "<= 1000"}};
    for (int i = 0; i < 4; ++i)
        benchNote(benchRow(bench, rows[i][0], NO_VALUE, rows[i][1], NO_VALUE, rows[i][2]), "%.250s", message->text);
    return shOk;
}

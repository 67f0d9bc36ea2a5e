// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `resolution`: a sphere with a finer surface, and with fewer inner points (Glondu §7.2, Fig. 11). CPU time of
// one thread.
//
// The paper does not say how its sphere breaks nor what a query covers. Here it breaks into ten Voronoi pieces; then
// each piece is moved and turned a little, and a query is all pairs of pieces whose boxes meet: what a step of the
// simulation would ask just after the break.
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/plot.h"
#include "bench/poses.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "cook/cook.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "mesh/models.h"
#include "solid/solid.h"

#include <stdio.h>

enum { PIECES = 10, MOST_STEPS = 200, MOST_PIECES = 64 };

typedef struct Sphere {
    const char* name;
    float detail;                  // of the model whose surface it has
    double maxVolume;              // of a tetrahedron, m³: sets the number of inner points
    double triangles, innerPoints; // in the paper
    double update, queryAverage, queryMax;
} Sphere;

static const Sphere spheres[] = {
    {"reference", 11.0f / 6.0f, 2.6e-7, 2500, 4000, 1.54, 1.16, 3.27},
    {"fine_surface", 22.0f / 6.0f, 2.6e-7, 10000, 4000, 1.8, 1.37, 4.17},
    {"few_inside", 11.0f / 6.0f, 2.0e-6, 2500, 435, 0.46, 0.68, 2.26},
};

// The model's surface, filled by TetGen, which takes any surface with any number of inner points.
static shStatus cookSphere(shContext* context, const void* user, shAsset** asset, shMessage* message)
{
    const Sphere* sphere = user;
    Memory* memory = &context->memory;
    TetMesh model = {0}, filled = {0};
    TriMesh surface = {0};
    shStatus status = modelGenerate(modelFind("sphere"), sphere->detail, memory, &model, message);
    if (status != shOk)
        return status;
    if (!triMeshAlloc(&surface, memory, model.surfaceNodeCount, model.triangleCount, false, false))
        status = failMemory(message);
    for (int i = 0; i < model.surfaceNodeCount && status == shOk; ++i)
        surface.vertices[i] = dFromV(model.nodes[i]);
    for (int t = 0; t < model.triangleCount && status == shOk; ++t)
        for (int k = 0; k < 3; ++k)
            surface.triangles[t][k] = model.triangles[t][k];
    TetgenDef tetgen = cookDefaultTetgenDef();
    tetgen.maxVolume = sphere->maxVolume;
    if (status == shOk)
        status = cookTetgen(context, &surface, &tetgen, &filled, NULL, message);
    if (status == shOk) {
        shCookDef cook = shDefaultCookDef();
        shMeshDef mesh = {.vertexCount = filled.nodeCount,
                          .vertices = filled.nodes,
                          .tetCount = filled.tetCount,
                          .tets = (const int(*)[4])filled.tets};
        status = shCookAsset(context, &mesh, &cook, asset, message);
    }
    tetMeshFree(&filled, memory);
    triMeshFree(&surface, memory);
    tetMeshFree(&model, memory);
    return status;
}

// Pieces just after the break: moved by up to 1 % of the diameter, turned by up to 2 degrees.
static void scatter(const shSolid* solid, Random* random, shCollider* colliders, int count)
{
    float diameter = vLength(boxSize(solid->asset->box));
    for (int i = 0; i < count; ++i) {
        Vec3 centre = boxCenter(fieldBox(&solid->field, i));
        Vec3 axis = vFromD(randomDirection(random));
        shQuat turn = qFromAxisAngle(axis, 0.035f * randomFloat(random));
        Vec3 moved = vMad(centre, 0.01f * diameter, vFromD(randomInBall(random)));
        colliders[i] = (shCollider){solid, i, {vSub(moved, qRotate(turn, centre)), turn}};
    }
}

// A box around a piece where it is.
static shBox worldBox(const shCollider* collider)
{
    shBox rest = fieldBox(&collider->solid->field, collider->piece), box = boxEmpty();
    for (int i = 0; i < 8; ++i)
        box = boxAdd(box, xformPoint(collider->transform,
                                     vec3(i & 1 ? rest.upper.x : rest.lower.x, i & 2 ? rest.upper.y : rest.lower.y,
                                          i & 4 ? rest.upper.z : rest.lower.z)));
    return box;
}

// CPU seconds of all pairs of one step.
static shStatus timeStep(shQuery* query, const shCollider* colliders, int count, int* pairs, double* seconds,
                         shMessage* message)
{
    shBox boxes[MOST_PIECES];
    for (int i = 0; i < count; ++i)
        boxes[i] = worldBox(&colliders[i]);
    shCollideDef def = shDefaultCollideDef();
    shStatus status = shOk;
    *pairs = 0;
    double start = clockSeconds(clockThread);
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count && status == shOk; ++j) {
            if (!boxOverlaps(boxes[i], boxes[j]))
                continue;
            const shContact* contacts;
            int contactCount;
            ++*pairs;
            status = shCollide(query, &def, &colliders[i], &colliders[j], NULL, &contacts, &contactCount, message);
        }
    *seconds = clockSeconds(clockThread) - start;
    return status;
}

typedef struct SphereTimes {
    Samples update;           // ms
    double query[MOST_STEPS]; // ms, median over blocks
    int pieces;
    double pairs;
} SphereTimes;

static shStatus measureBreak(const shAsset* asset, const shCrack* crack, int repeats, SphereTimes* times,
                             shSolid** solid, shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < repeats && status == shOk; ++i) {
        shDestroySolid(*solid);
        status = shCreateSolid(asset, solid, message);
        double start = clockSeconds(clockThread);
        if (status == shOk)
            status = shSolid_Break(*solid, crack, NULL, message);
        samplesAdd(&times->update, 1e3 * (clockSeconds(clockThread) - start));
    }
    return status;
}

static shStatus measureQueries(shQuery* query, const shSolid* solid, int steps, int blocks, SphereTimes* times,
                               shMessage* message)
{
    shStatus status = shOk;
    times->pieces = shSolid_GetPieceCount(solid);
    int count = minI(times->pieces, MOST_PIECES);
    for (int step = 0; step < steps && status == shOk; ++step) {
        shCollider colliders[MOST_PIECES];
        Random random = randomSeedItem(61, (uint64_t)step);
        scatter(solid, &random, colliders, count);
        Samples samples = {0};
        int pairs = 0;
        for (int block = 0; block < blocks && status == shOk; ++block) {
            double seconds;
            status = timeStep(query, colliders, count, &pairs, &seconds, message);
            samplesAdd(&samples, 1e3 * seconds);
        }
        times->query[step] = samplesMedian(&samples);
        times->pairs += (double)pairs / steps;
    }
    return status;
}

static void addRows(Bench* bench, const Sphere* sphere, const shAssetInfo* info, const SphereTimes* times, int steps)
{
    char row[BENCH_NAME];
    int inner = info->pointCount - info->surfacePointCount;
    snprintf(row, sizeof(row), "%s.update_ms", sphere->name);
    benchNote(benchRow(bench, row, samplesBest(&times->update), "ms", sphere->update, NULL),
              "%d triangles (paper %.0f), %d inner points (%.0f), into %d; best of %d", info->triangleCount,
              sphere->triangles, inner, sphere->innerPoints, times->pieces, times->update.count);
    snprintf(row, sizeof(row), "%s.query_avg_ms", sphere->name);
    benchNote(benchRow(bench, row, meanOf(times->query, steps), "ms", sphere->queryAverage, NULL),
              "all %.1f pairs just after the break, %d steps", times->pairs, steps);
    snprintf(row, sizeof(row), "%s.query_max_ms", sphere->name);
    benchRow(bench, row, percentileOf(times->query, steps, 1.0), "ms", sphere->queryMax, NULL);
}

static shStatus measureSphere(Bench* bench, const Sphere* sphere, shMessage* message)
{
    char name[64];
    Sphere coarse = *sphere;
    if (bench->tiny) {
        coarse.detail *= 0.25f;
        coarse.maxVolume *= 100.0;
        sphere = &coarse;
    }
    snprintf(name, sizeof(name), "sphere-%s%s", sphere->name, bench->tiny ? "-coarse" : "");
    shAsset* asset = NULL;
    shSolid* solid = NULL;
    shQuery* query = NULL;
    SeededCrack* made = NULL;
    SphereTimes times = {0};
    progressShow("resolution: %s", sphere->name);
    shStatus status = cacheAsset(bench->single, name, cookSphere, sphere, &asset, message);
    if (status == shFailed || status == shNoFile) {
        static const char* const rows[] = {"update_ms", "query_avg_ms", "query_max_ms"};
        const double paper[] = {sphere->update, sphere->queryAverage, sphere->queryMax};
        for (int i = 0; i < 3; ++i) {
            snprintf(name, sizeof(name), "%s.%s", sphere->name, rows[i]);
            benchNote(benchRow(bench, name, NO_VALUE, "ms", paper[i], NULL), "%.200s", message->text);
        }
        return shOk;
    }
    int steps = benchAmount(bench, 1, 15, MOST_STEPS);
    if (status == shOk)
        status = seededCrackCreate(asset, PIECES, 51, &made, message);
    if (status == shOk) {
        shCrack crack = seededCrackOf(made);
        status =
            measureBreak(asset, &crack, bench->tiny ? 1 : maxI(5, benchRepeats(bench, 9, 25)), &times, &solid, message);
    }
    if (status == shOk)
        status = shCreateQuery(bench->single, &query, message);
    if (status == shOk)
        status =
            measureQueries(query, solid, steps, bench->tiny ? 1 : maxI(5, benchRepeats(bench, 5, 9)), &times, message);
    if (status == shOk) {
        shAssetInfo info = shAsset_GetInfo(asset);
        addRows(bench, sphere, &info, &times, steps);
    }
    shDestroyQuery(query);
    shDestroySolid(solid);
    seededCrackDestroy(made);
    shDestroyAsset(asset);
    return status;
}

static shStatus plotRows(Bench* bench, shMessage* message)
{
    Plot* plot = plotOpen(bench, "sec72-resolution", "row,paper,ours",
                          "set style data histograms\nset style fill solid 0.8\nset ylabel 'ms'\nset logscale y\n"
                          "set yrange [0.1:]\nset xtics rotate by -30 noenhanced\n"
                          "plot data using 2:xtic(1) every ::1 lc '#888888' title 'Glondu 2013', "
                          "data using 3 every ::1 lc '#27ae60' title 'ours'\n");
    for (int i = 0; i < bench->rowCount; ++i)
        plotBar(plot, bench->rows[i].row, 2, (const double[]){bench->rows[i].paper, bench->rows[i].value});
    return plotClose(plot, message);
}

shStatus benchResolution(Bench* bench, shMessage* message)
{
    shStatus status = shOk;
    for (size_t i = 0; i < sizeof(spheres) / sizeof(spheres[0]) && status == shOk; ++i)
        status = measureSphere(bench, &spheres[i], message);
    if (status == shOk)
        status = plotRows(bench, message);
    progressClear();
    return status;
}

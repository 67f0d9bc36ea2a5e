// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `break`: from the impact to pieces that can collide. Crack (pattern at an impact, labels, cuts), geometry
// (crack faces, mass properties of every piece) and update (field, trees) in one go, on one thread; CPU time, median of
// the runs, each on a solid of its own. Surfaces to draw are a row of their own.
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/message.h"
#include "core/vec.h"
#include "sherd/fracture.h"

#include <stdio.h>
#include <string.h>

typedef struct BreakCase {
    const char* name;  // of the rows
    const char* model; // built-in, or "bunny"
    float detail;
    shPatternType type;
    int pieces;
    shVec3 at; // in shares of the box
    const char* goal;
} BreakCase;

static const BreakCase cases[] = {
    {"piggy", "piggy-bank", 1.0f, shClusteredPattern, 27, {0.6f, 1.0f, 0.5f}, "<= 2"},
    {"bunny", "bunny", 0.0f, shUniformPattern, 35, {0.5f, 1.0f, 0.5f}, "<= 2"},
    {"plate", "plate", 1.0f, shRadialPattern, 24, {0.6f, 1.0f, 0.55f}, "<= 2"},
    {"wall1000", "wall", 3.0f, shUniformPattern, 1100, {0.5f, 0.5f, 1.0f}, "<= 30"},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]), BUNNY_TRIANGLES = 7940 };

typedef struct BreakTimes {
    Samples whole, crack, mesh; // ms
    int pieces;
} BreakTimes;

static shStatus drawPieces(const shSolid* solid, shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < shSolid_GetPieceCount(solid) && status == shOk; ++i) {
        shPieceMesh mesh;
        status = shSolid_CreatePieceMesh(solid, i, &mesh, message);
        if (status == shOk)
            shSolid_DestroyPieceMesh(solid, &mesh);
    }
    return status;
}

static shStatus timeOnce(const BreakCase* test, const shAsset* asset, BreakTimes* times, shMessage* message)
{
    shBox box = shAsset_GetInfo(asset).box;
    shVec3 size = boxSize(box);
    shPattern pattern = shDefaultPattern(test->type);
    shImpact impact =
        shDefaultImpact(vAdd(box.lower, vec3(test->at.x * size.x, test->at.y * size.y, test->at.z * size.z)));
    pattern.pieces = test->pieces;
    shSolid* solid;
    shStatus status = shCreateSolid(asset, &solid, message);
    if (status != shOk)
        return status;
    double marks[4];
    marks[0] = clockSeconds(clockThread);
    status = shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, message);
    marks[1] = clockSeconds(clockThread);
    times->pieces = shSolid_GetPieceCount(solid);
    double mass = 0.0;
    for (int i = 0; i < times->pieces; ++i)
        mass += shSolid_GetPiece(solid, i).mass;
    marks[2] = clockSeconds(clockThread);
    if (status == shOk && !(mass > 0.0))
        status = fail(message, shFailed, "%s: the pieces have no mass", test->name);
    if (status == shOk)
        status = drawPieces(solid, message);
    marks[3] = clockSeconds(clockThread);
    samplesAdd(&times->whole, 1e3 * (marks[2] - marks[0]));
    samplesAdd(&times->crack, 1e3 * (marks[1] - marks[0]));
    samplesAdd(&times->mesh, 1e3 * (marks[3] - marks[2]));
    shDestroySolid(solid);
    return status;
}

static shStatus runCase(Bench* bench, const BreakCase* test, shMessage* message)
{
    char row[BENCH_NAME];
    snprintf(row, sizeof(row), "%s_ms", test->name);
    progressShow("break: %s", test->name);
    shAsset* asset;
    shStatus status = bench->tiny ? cacheModel(bench->single, "plate", 0.3f, &asset, message)
                      : strcmp(test->model, "bunny") == 0
                          ? cacheBunny(bench->single, BUNNY_TRIANGLES, &asset, message)
                          : cacheModel(bench->single, test->model, test->detail, &asset, message);
    if (status == shNoFile || status == shFailed) {
        benchNote(benchRow(bench, row, NO_VALUE, "ms", NO_VALUE, test->goal), "%.200s", message->text);
        return shOk;
    }
    if (status != shOk)
        return status;
    int repeats = bench->tiny ? 1 : maxI(5, benchRepeats(bench, 11, 31));
    Memory* memory = &bench->single->memory;
    BreakTimes* times = NEW_ZEROED(memory, BreakTimes, 1);
    if (times == NULL)
        status = failMemory(message);
    for (int i = 0; i < repeats && status == shOk; ++i)
        status = timeOnce(test, asset, times, message);
    if (status == shOk) {
        benchNote(benchRow(bench, row, samplesMedian(&times->whole), "ms", NO_VALUE, test->goal),
                  "%d nodes, %s into %d; median of %d, best %.2f; the break itself %.2f ms, mass of the pieces %.2f",
                  shAsset_GetInfo(asset).pointCount, shPatternName(test->type), times->pieces, repeats,
                  samplesBest(&times->whole), samplesMedian(&times->crack),
                  samplesMedian(&times->whole) - samplesMedian(&times->crack));
        snprintf(row, sizeof(row), "variant_%s_mesh_ms", test->name);
        benchNote(benchRow(bench, row, samplesMedian(&times->mesh), "ms", NO_VALUE, NULL),
                  "surfaces of all pieces to draw: corners, normals, UVs");
    }
    FREE_ARRAY(memory, times, 1);
    shDestroyAsset(asset);
    return status;
}

shStatus benchBreak(Bench* bench, shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < CASES && status == shOk; ++i)
        status = runCase(bench, &cases[i], message);
    progressClear();
    return status;
}

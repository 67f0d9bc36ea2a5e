// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The frame of the benchmarks: goals, statistics, tables for machines, plots, peers, the cache; and that every suite
// has the rows it must have.

#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/moments.h"
#include "bench/peer.h"
#include "bench/plot.h"
#include "bench/poses.h"
#include "bench/suite.h"
#include "bench/twin.h"
#include "cli/options.h"
#include "cook/process.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

static void goalsAreMetOrMissed(void** state)
{
    (void)state;
    typedef struct Case {
        double value;
        const char* goal;
        int met;
    } Case;
    static const Case cases[] = {{30.0, ">= 30", 1},   {29.9, ">= 30", 0},  {2.0, "<= 2", 1},
                                 {2.1, "<= 2", 0},     {1.0, NULL, -1},     {NAN, ">= 1", -1},
                                 {1e-6, "<= 1e-5", 1}, {-1.0, "<= 0.5", 1}, {99.4, ">= 99.5", 0}};
    Bench bench = {.suite = "test"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
        assert_int_equal(benchMet(benchRow(&bench, "row", cases[i].value, "", NO_VALUE, cases[i].goal)), cases[i].met);
    json_t* json = benchJson(&bench);
    json_t* rows = json_object_get(json, "rows");
    assert_int_equal(json_array_size(rows), sizeof(cases) / sizeof(cases[0]));
    assert_true(json_is_true(json_object_get(json_array_get(rows, 0), "met")));
    assert_true(json_is_false(json_object_get(json_array_get(rows, 1), "met")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 5), "value")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 4), "goal")));
    json_decref(json);
    free(bench.rows);
}

static void rowsAreWrittenAsCsv(void** state)
{
    (void)state;
    Bench bench = {.suite = "quotes", .csvFolder = folder};
    benchNote(benchRow(&bench, "a", 0.125, "ms", 2.0, "<= 1"), "one, \"two\"");
    benchRow(&bench, "b", NO_VALUE, "", NO_VALUE, NULL);
    assert_true(benchWriteCsv(&bench));
    free(bench.rows);
    char path[300], text[512] = "";
    snprintf(path, sizeof(path), "%s/quotes.csv", folder);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "row,value,unit,paper,goal,met,note\n"
                              "a,0.125,ms,2,<= 1,true,\"one, \"\"two\"\"\"\nb,,,,,,\n");
}

static void percentilesAgreeWithASortedList(void** state)
{
    (void)state;
    static Samples samples;
    assert_true(isnan(samplesMedian(&samples)) && isnan(samplesMean(&samples)));
    Random random = randomSeed(5);
    int order[101];
    for (int i = 0; i <= 100; ++i)
        order[i] = i;
    for (int i = 100; i > 0; --i) {
        int j = randomBelow(&random, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i <= 100; ++i)
        samplesAdd(&samples, order[i]);
    assert_true(samplesBest(&samples) == 0.0 && samplesLargest(&samples) == 100.0);
    for (int i = 0; i <= 100; ++i)
        assert_true(fabs(samplesPercentile(&samples, 0.01 * i) - i) < 1e-9);
    assert_true(fabs(samplesPercentile(&samples, 0.505) - 50.5) < 1e-9);
    assert_true(fabs(samplesMean(&samples) - 50.0) < 1e-12);
    for (int i = 0; i < 2 * CLOCK_MOST_SAMPLES; ++i)
        samplesAdd(&samples, 1.0);
    assert_int_equal(samples.count, CLOCK_MOST_SAMPLES);
}

static void writePeer(const char* name, const char* body)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
}

static void expectPeerFailure(const char* name, shStatus wanted, const char* words)
{
    json_t* lines;
    shMessage message = {0};
    assert_int_equal(peerRun(name, "work", 0.5, &lines, &message), wanted);
    assert_null(lines);
    if (strstr(message.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message.text, words);
}

static void peersPrintJsonLinesOrAreRefused(void** state)
{
    (void)state;
    setenv("SHERD_PEERS", folder, 1);
    writePeer("good", "echo '{\"file\": \"'$1'\", \"us\": 12.5}'; echo; echo '{\"us\": 13}'");
    writePeer("empty", "exit 0");
    writePeer("words", "echo hello");
    writePeer("list", "echo '[1, 2]'");
    writePeer("cut", "echo '{\"us\": '");
    writePeer("crash", "echo '{}'; exit 4");
    writePeer("slow", "sleep 30");
    json_t* lines;
    shMessage message = {0};
    assert_true(peerExists("good") && !peerExists("none"));
    assert_int_equal(peerRun("good", "work.bin", 5.0, &lines, &message), shOk);
    assert_int_equal(json_array_size(lines), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(lines, 0), "file")), "work.bin");
    assert_true(json_number_value(json_object_get(json_array_get(lines, 1), "us")) == 13.0);
    json_decref(lines);
    assert_int_equal(peerRun("empty", "work", 5.0, &lines, &message), shOk);
    assert_int_equal(json_array_size(lines), 0);
    json_decref(lines);
    expectPeerFailure("none", shNoFile, "peer none is not built");
    expectPeerFailure("words", shFailed, "one JSON object per line");
    expectPeerFailure("list", shFailed, "one JSON object per line");
    expectPeerFailure("cut", shFailed, "one JSON object per line");
    expectPeerFailure("crash", shFailed, "exit code 4");
    expectPeerFailure("slow", shFailed, "no end after");
}

static void cachedAssetsAreTheSame(void** state)
{
    (void)state;
    setenv("SHERD_CACHE", folder, 1);
    shContextDef def = shDefaultContextDef();
    shContext* context;
    shAsset *first, *second;
    shMessage message = {0};
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(cacheModel(context, "brick", 1.0f, &first, &message), shOk);
    assert_int_equal(cacheModel(context, "brick", 1.0f, &second, &message), shOk);
    assert_true(shAsset_GetInfo(first).contentHash == shAsset_GetInfo(second).contentHash);
    shDestroyAsset(first);
    shDestroyAsset(second);
    assert_int_equal(cacheModel(context, "nothing", 1.0f, &first, &message), shInvalid);
    assert_int_equal(shDestroyContext(context), 0);
}

// Every suite on next to nothing: rows that must be there, and their units.
typedef struct NeededRow {
    const char *suite, *row, *unit, *goal; // no goal: null
} NeededRow;

#define SCENE_ROWS(scene)                                                                                              \
    {"scenes", scene ".total_avg_ms", "ms", NULL}, {"scenes", scene ".total_max_ms", "ms", NULL},                      \
        {"scenes", scene ".detect_avg_ms", "ms", NULL}, {"scenes", scene ".physics_avg_ms", "ms", NULL},               \
        {"scenes", scene ".update_max_ms", "ms", NULL}, {"scenes", scene ".fracture_max_ms", "ms", NULL},              \
        {"scenes", scene ".fragments", "", NULL}, {"scenes", scene ".triangles", "", NULL},                            \
        {"scenes", scene ".contacts_avg", "", NULL}, {"scenes", scene ".colliding_avg", "", NULL},                     \
        {"scenes", scene ".ms_per_simulated_s", "ms", NULL}, {"scenes", scene ".gain_avg", "x", ">= 5"},               \
        {"scenes", scene ".break_spike", "x", "<= 2.5"}, {"scenes", scene ".contacts_per_pair", "", "<= 8"},           \
    {                                                                                                                  \
        "scenes", scene ".penetration_pct", "%", "<= 0.2"                                                              \
    }

static const NeededRow neededRows[] = {
    {"detect", "speedup_avg", "x", ">= 60"},
    {"detect", "speedup_p99", "x", ">= 30"},
    {"detect", "fragments_speedup_avg", "x", ">= 30"},
    {"detect", "contacts_max", "", "<= 24"},
    {"detect", "agree_pct", "%", ">= 99.5"},
    {"detect", "depth_ratio_p5", "", ">= 0.8"},
    {"update", "speedup_both", "x", ">= 10"},
    {"update", "query_ratio", "x", "<= 1.25"},
    {"update", "local_share", "", "<= 0.10"},
    {"resolution", "reference.update_ms", "ms", NULL},
    {"resolution", "fine_surface.query_avg_ms", "ms", NULL},
    {"resolution", "few_inside.query_max_ms", "ms", NULL},
    {"break", "piggy_ms", "ms", "<= 2"},
    {"break", "bunny_ms", "ms", "<= 2"},
    {"break", "plate_ms", "ms", "<= 2"},
    {"break", "wall1000_ms", "ms", "<= 30"},
    {"pile", "speedup_bullet_1000", "x", ">= 7"},
    {"pile", "ms_9000_2t", "ms", "<= 60"},
    {"pile", "thread_speedup", "x", ">= 1.7"},
    {"pile", "mean_speed_mm_s", "mm/s", "<= 1"},
    {"pile", "penetration_pct", "%", "<= 0.5"},
    {"rocks", "falling_speedup", "x", ">= 5"},
    {"rocks", "resting_speedup", "x", ">= 20"},
    {"rocks", "falling_p99_ms", "ms", "<= 15"},
    {"rocks", "depth_mean_mm", "mm", "<= 2"},
    {"rocks", "depth_p99_mm", "mm", "<= 12"},
    {"rocks", "depth_max_mm", "mm", "<= 25"},
    {"rocks", "bytes_per_rock", "B", "<= 32768"},
    {"rocks", "memory_per_rock", "B", NULL},
    {"rocks", "cook_ms", "ms", "<= 2"},
    {"crowd", "moving_avg_ms", "ms", "<= 12"},
    {"crowd", "moving_p99_ms", "ms", "<= 30"},
    {"crowd", "resting_avg_ms", "ms", "<= 3"},
    {"crowd", "sweeps_per_pair", "", "<= 1.2"},
    {"crowd", "sweep_us", "us", "<= 1.5"},
    {"crowd", "height_error_pct", "%", "<= 3"},
    {"crowd", "settle_ratio", "x", "<= 1.2"},
    {"crowd", "hanging", "", "<= 0"},
    {"crowd", "depth_mean_pct", "%", "<= 0.1"},
    {"crowd", "depth_p99_pct", "%", "<= 1"},
    {"crowd", "depth_max_pct", "%", "<= 2"},
    {"score", "depth_mean_pct", "%", NULL},
    {"score", "rest_s", "s", NULL},
    {"score", "step_share_mean", "x", NULL},
    {"score", "gain_mean_pct", "%", NULL},
    {"score", "momentum_error", "", NULL},
    {"score", "hanging", "", NULL},
    {"score", "creeping", "", NULL},
    {"score", "fragments", "", NULL},
    {"bvh", "speedup_median", "x", ">= 100"},
    {"bvh", "speedup_fastest", "x", ">= 50"},
    {"bvh", "quality_ratio", "x", "<= 1.10"},
    {"bvh", "query_ratio", "x", "<= 1.05"},
    {"bvh", "pumpkin_crossing", "pieces", NULL},
    {"bvh", "rays_agree_pct", "%", ">= 100"},
    {"proximity", "speedup_avg", "x", ">= 50"},
    {"proximity", "speedup_shuffled", "x", ">= 30"},
    {"proximity", "error_mean_pct", "%", "<= 0.5"},
    {"proximity", "max_us", "us", "<= 1000"},
    {"volume", "error_mean_pct", "%", "<= 0.5"},
    {"volume", "light_max_us", "us", "<= 1000"},
    {"volume", "error_200us_pct", "%", NULL},
    {"volume", "error_1ms_pct", "%", NULL},
    {"haptic", "deadline_met_pct", "%", ">= 99.9"},
    {"haptic", "worst_us", "us", NULL},
    {"haptic", "force_jump_pct", "%", NULL},
    {"energy", "drift_energy", "", "<= 1e-5"},
    {"energy", "drift_momentum", "", "<= 1e-5"},
    {"energy", "gain_step", "", "<= 1e-4"},
    {"energy", "gain_total", "", "<= 1e-3"},
    SCENE_ROWS("piggy"),
    SCENE_ROWS("bunnies"),
    SCENE_ROWS("bricks"),
    SCENE_ROWS("plates"),
    SCENE_ROWS("drag"),
    {"contacts", "error_8_over_50", "x", "<= 1.1"},
    {"contacts", "visited_8", "", NULL},
    {"variants", "new_over_naive", "x", "<= 0.8"},
    {"variants", "selfadapting_over_fixed8", "x", NULL},
    {"scale", "table1000.fragments", "", ">= 8000"},
    {"scale", "table1000.ms_avg", "ms", "<= 60"},
};

static const BenchRow* findRow(const Bench* bench, const char* name)
{
    for (int i = 0; i < bench->rowCount; ++i)
        if (strcmp(bench->rows[i].row, name) == 0)
            return &bench->rows[i];
    return NULL;
}

static void everySuiteHasItsRows(void** state)
{
    (void)state;
    setenv("SHERD_CACHE", folder, 1);
    setenv("SHERD_PEERS", folder, 1);
    shContextDef def = shDefaultContextDef();
    Bench bench = {.quick = true, .tiny = true, .csvFolder = folder};
    assert_int_equal(shCreateContext(&def, &bench.context, NULL), shOk);
    assert_int_equal(shCreateContext(&def, &bench.single, NULL), shOk);
    for (int i = 0; i < suiteCount; ++i) {
        shMessage message = {0};
        char path[300];
        bench.suite = suites[i].name;
        bench.rowCount = 0;
        if (suites[i].run(&bench, &message) != shOk)
            fail_msg("%s: %s", suites[i].name, message.text);
        assert_true(bench.rowCount > 0 && benchWriteCsv(&bench));
        snprintf(path, sizeof path, "%s/%s.csv", folder, suites[i].name);
        assert_int_equal(access(path, R_OK), 0);
        for (size_t k = 0; k < sizeof neededRows / sizeof *neededRows; ++k) {
            const NeededRow* needed = &neededRows[k];
            if (strcmp(needed->suite, suites[i].name) != 0)
                continue;
            const BenchRow* row = findRow(&bench, needed->row);
            if (row == NULL)
                fail_msg("%s has no row %s", needed->suite, needed->row);
            assert_string_equal(row->unit, needed->unit);
            assert_string_equal(row->goal, needed->goal != NULL ? needed->goal : "");
            if (!isfinite(row->value) && row->note[0] == '\0')
                fail_msg("%s: %s has no value, and no note says why", needed->suite, needed->row);
        }
        for (int k = 0; k < bench.rowCount; ++k) // no name twice
            assert_ptr_equal(findRow(&bench, bench.rows[k].row), &bench.rows[k]);
    }
    for (size_t k = 0; k < sizeof neededRows / sizeof *neededRows; ++k)
        assert_non_null(suiteFind(neededRows[k].suite));
    free(bench.rows);
    assert_int_equal(shDestroyContext(bench.single), 0);
    assert_int_equal(shDestroyContext(bench.context), 0);
}

static size_t readOutput(const char* name, char* text, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    return length;
}

static bool hasProgram(const char* name)
{
    const char* arguments[] = {name, "--version", NULL};
    ProcessDef def = {.arguments = arguments, .seconds = 10.0};
    ProcessResult result;
    processRun(&def, &result);
    return result.end == processExited && result.code == 0;
}

static void plotsAreTablesScriptsAndPictures(void** state)
{
    (void)state;
    char text[4096];
    shMessage message = {0};
    Bench bench = {.suite = "test"};
    assert_null(plotOpen(&bench, "none", "x,y", "plot data\n"));
    assert_int_equal(plotClose(NULL, &message), shOk);
    bench.plotFolder = folder;
    Plot* plot = plotOpen(&bench, "line", "x,y", "plot data using 1:2 every ::1 with lines\n");
    assert_non_null(plot);
    PLOT_ROW(plot, 0.0, 1.5);
    PLOT_ROW(plot, 1.0, NO_VALUE);
    PLOT_ROW(plot, 2.0, 0.25);
    assert_int_equal(plotClose(plot, &message), shOk);
    readOutput("line.csv", text, sizeof text);
    assert_string_equal(text, "x,y\n0,1.5\n1,\n2,0.25\n");
    readOutput("line.gp", text, sizeof text);
    assert_non_null(strstr(text, "data = 'line.csv'"));
    assert_non_null(strstr(text, "plot data using 1:2"));
    if (hasProgram("gnuplot")) {
        assert_true(readOutput("line.png", text, sizeof text) > 8);
        assert_memory_equal(text, "\x89PNG\r\n\x1a\n", 8);
    }
    // A folder that cannot be: said so, not passed over.
    char path[300];
    snprintf(path, sizeof path, "%s/line.csv/below", folder);
    bench.plotFolder = path;
    plot = plotOpen(&bench, "line", "x,y", "plot data\n");
    PLOT_ROW(plot, 0.0, 1.0);
    assert_int_equal(plotClose(plot, &message), shNoFile);
    assert_non_null(strstr(message.text, path));
}

// The stages of a step are parts of it, updates part of what breaking costs.
static void trialsReadProfileAndCounters(void** state)
{
    (void)state;
    setenv("SHERD_CACHE", folder, 1);
    Trial trial;
    TrialDef def = {.scene = "piggy", .tiny = true, .steps = 20};
    shMessage message = {0};
    shQuery* query;
    int broken = 0, fragments, triangles;
    assert_int_equal(trialOpen(&trial, &def, &message), shOk);
    assert_int_equal(shCreateQuery(trial.context, &query, NULL), shOk);
    for (int i = 0; i < def.steps; ++i) {
        TrialStep step;
        assert_int_equal(trialStep(&trial, &step, &message), shOk);
        assert_int_equal(step.colliding, -1);
        assert_int_equal(trialSurvey(&trial, query, &step, &message), shOk);
        assert_true(step.detect >= 0.0 && step.physics >= 0.0 && step.update >= 0.0 && step.fracture > -1e-6);
        assert_true(step.detect + step.physics + step.update + step.fracture <= 1.001 * step.total + 1e-3);
        assert_true(step.contacts <= step.allContacts && step.colliding >= 0);
        assert_int_equal(step.update > 0.0, step.broken > 0);
        broken += step.broken;
    }
    assert_true(broken > 0);
    trialCount(&trial, &fragments, &triangles);
    assert_true(fragments > 1 && triangles > 4 * fragments);
    shDestroyQuery(query);
    trialClose(&trial);
}

static void momentsComeFromTheCacheAsTheyWere(void** state)
{
    (void)state;
    setenv("SHERD_CACHE", folder, 1);
    static const int steps[] = {5, 20};
    MomentsDef def = {.trial = {.scene = "bricks", .tiny = true}, .steps = steps, .count = 2};
    Trial trial;
    TrialDef whole = {.scene = "bricks", .tiny = true};
    shContextDef contextDef = shDefaultContextDef();
    shContext* context;
    shMessage message = {0};
    uint64_t hashes[2] = {0, 0};
    assert_int_equal(trialOpen(&trial, &whole, &message), shOk);
    for (int i = 1; i <= steps[1]; ++i) {
        TrialStep step;
        assert_int_equal(trialStep(&trial, &step, &message), shOk);
        for (int k = 0; k < 2; ++k)
            hashes[k] = i == steps[k] ? shWorld_GetHash(trial.world) : hashes[k];
    }
    trialClose(&trial);
    assert_int_equal(shCreateContext(&contextDef, &context, NULL), shOk);
    for (int i = 0; i < 4; ++i) { // made, then read
        shWorld* world;
        double dt = 0.0;
        if (momentOpen(context, &def, i % 2, &world, &dt, &message) != shOk)
            fail_msg("%s", message.text);
        assert_true(shWorld_GetHash(world) == hashes[i % 2] && fabs(dt - 0.03) < 1e-9);
        shDestroyWorld(world);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

static void twinsHaveThePiecesOfTheOriginal(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    shContext* context;
    shAsset* asset;
    shSolid *original, *twin;
    int* pieces;
    shMessage message = {0};
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    assert_int_equal(shCookModel(context, "sphere", 0.5f, &cook, &asset, &message), shOk);
    assert_int_equal(shCreateSolid(asset, &original, &message), shOk);
    assert_int_equal(breakSeeded(original, 6, 3, &message), shOk);
    assert_int_equal(twinCreate(original, restructureFirst, &twin, &message), shOk);
    assert_int_equal(twinPieces(original, twin, &pieces, &message), shOk);
    assert_int_equal(shSolid_GetPieceCount(twin), shSolid_GetPieceCount(original));
    assert_true(shSolid_GetPieceCount(original) > 3);
    for (int i = 0; i < shSolid_GetPieceCount(original); ++i) {
        shPieceInfo a = shSolid_GetPiece(original, i), b = shSolid_GetPiece(twin, pieces[i]);
        assert_true(fabs(a.volume / b.volume - 1.0) < 1e-9 && a.triangleCount == b.triangleCount);
    }
    free(pieces);
    shDestroySolid(twin);
    shDestroySolid(original);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
}

static void theNearestWordIsFound(void** state)
{
    (void)state;
    static const char* const words[] = {"triangles", "threads", "mesher", "material", "detail", NULL};
    static const char* const none[] = {NULL};
    assert_string_equal(nearestWord("trianlges", words), "triangles");
    assert_string_equal(nearestWord("tri", words), "triangles");
    assert_string_equal(nearestWord("meshr", words), "mesher");
    assert_string_equal(nearestWord("thread", words), "threads");
    assert_string_equal(nearestWord("detial", words), "detail");
    assert_null(nearestWord("q", words));
    assert_null(nearestWord("xxxxxxxx", words));
    assert_null(nearestWord("", words));
    assert_null(nearestWord("tri", none));
}

static int setUp(void** state)
{
    (void)state;
    return !makeFolder(folder, sizeof(folder));
}

static int tearDown(void** state)
{
    (void)state;
    removeFolder(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goalsAreMetOrMissed),
        cmocka_unit_test(rowsAreWrittenAsCsv),
        cmocka_unit_test(percentilesAgreeWithASortedList),
        cmocka_unit_test(peersPrintJsonLinesOrAreRefused),
        cmocka_unit_test(cachedAssetsAreTheSame),
        cmocka_unit_test(trialsReadProfileAndCounters),
        cmocka_unit_test(momentsComeFromTheCacheAsTheyWere),
        cmocka_unit_test(twinsHaveThePiecesOfTheOriginal),
        cmocka_unit_test(everySuiteHasItsRows),
        cmocka_unit_test(plotsAreTablesScriptsAndPictures),
        cmocka_unit_test(theNearestWordIsFound),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

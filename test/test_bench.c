// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The frame of the benchmarks: goals, statistics, tables for machines, peers, the cache.

#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/peer.h"
#include "bench/suite.h"
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
        cmocka_unit_test(theNearestWordIsFound),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

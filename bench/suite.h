// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The frame of the benchmarks. A suite is one file with one function, and one line in suites.c. It adds rows; the frame
// compares them with their goals and prints them as a table or as JSON.
#pragma once

#include "sherd/base.h"

#include <jansson.h>
#include <math.h>

enum { BENCH_NAME = 64, BENCH_NOTE = 256 };

typedef struct BenchRow {
    char row[BENCH_NAME];
    double value; // NaN: could not be measured; the note says why
    char unit[16];
    double paper;  // NaN: none
    char goal[16]; // ">= 30", "<= 2"; empty: none
    char note[BENCH_NOTE];
} BenchRow;

typedef struct Bench {
    shContext* context; // with all threads asked for
    shContext* single;  // with one
    bool quick;         // end within 50 s on two cores
    bool tiny;          // for tests: every row, of next to nothing
    int repeat;         // runs per measurement, at least; 0: the suite's choice
    const char* csvFolder;
    const char* plotFolder;
    const char* suite; // the one that runs
    BenchRow* rows;
    int rowCount, rowCapacity;
} Bench;

typedef struct Suite {
    const char* name;
    const char* summary;
    shStatus (*run)(Bench* bench, shMessage* message);
} Suite;

extern const Suite suites[];
extern const int suiteCount;
const Suite* suiteFind(const char* name); // null: there is none

#define NO_VALUE ((double)NAN)

// Adds a row; `paper` may be NO_VALUE and `goal` null. The row is for setting its note, and valid until the next one.
BenchRow* benchRow(Bench* bench, const char* row, double value, const char* unit, double paper, const char* goal);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void benchNote(BenchRow* row, const char* format, ...);
// How much of something: next to nothing in tests, `quick`, or `usual`.
int benchAmount(const Bench* bench, int tiny, int quick, int usual);
// Runs of a measurement: what was asked for, else `quick` or `usual`; one in tests.
int benchRepeats(const Bench* bench, int quick, int usual);

// 1 met, 0 missed, −1 no goal or no value.
int benchMet(const BenchRow* row);
// {"suite", "machine", "rows"} as the contract says.
json_t* benchJson(const Bench* bench);
void benchPrint(const Bench* bench);
// FOLDER/SUITE.csv when a folder was given; false: see errno.
bool benchWriteCsv(const Bench* bench);

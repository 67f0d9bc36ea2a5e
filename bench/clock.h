// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Clocks and what to make of their readings. CPU time for work on one thread (it spreads by a few percent where wall
// time spreads by tens), wall time for work on several; best or median of several runs, never one run alone.
#pragma once

typedef enum ClockKind {
    clockThread,  // CPU time of the calling thread
    clockProcess, // CPU time of all threads
    clockWall,
} ClockKind;

double clockSeconds(ClockKind kind);

enum { CLOCK_MOST_SAMPLES = 4096 };

// Any numbers, usually seconds; the first CLOCK_MOST_SAMPLES are kept.
typedef struct Samples {
    int count;
    double values[CLOCK_MOST_SAMPLES];
} Samples;

void samplesAdd(Samples* samples, double value);
double samplesBest(const Samples* samples); // smallest; NaN when empty, as all below
double samplesLargest(const Samples* samples);
double samplesMean(const Samples* samples);
double samplesPercentile(const Samples* samples, double share); // 0.5: median, 0.99
static inline double samplesMedian(const Samples* samples) { return samplesPercentile(samples, 0.5); }

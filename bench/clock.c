// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double clockSeconds(ClockKind kind)
{
    static const clockid_t ids[] = {CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID, CLOCK_MONOTONIC};
    struct timespec now;
    clock_gettime(ids[kind], &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void samplesAdd(Samples* samples, double value)
{
    if (samples->count < CLOCK_MOST_SAMPLES)
        samples->values[samples->count++] = value;
}

double samplesBest(const Samples* samples) { return samplesPercentile(samples, 0.0); }
double samplesLargest(const Samples* samples) { return samplesPercentile(samples, 1.0); }

double samplesMean(const Samples* samples)
{
    double sum = 0.0;
    for (int i = 0; i < samples->count; ++i)
        sum += samples->values[i];
    return samples->count > 0 ? sum / samples->count : (double)NAN;
}

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double samplesPercentile(const Samples* samples, double share)
{
    if (samples->count == 0)
        return (double)NAN;
    Samples sorted = *samples;
    qsort(sorted.values, (size_t)sorted.count, sizeof(sorted.values[0]), compare);
    double place = share * (sorted.count - 1); // between two samples: linearly
    int below = (int)place;
    int above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.values[below] + (place - below) * (sorted.values[above] - sorted.values[below]);
}

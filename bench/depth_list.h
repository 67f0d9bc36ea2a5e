// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Depths of pairs that overlap, as many as there are.
#pragma once

#include "sherd/base.h"

typedef struct DepthList {
    double* values; // [count] above 0
    int count, capacity;
} DepthList; // zero is an empty one

bool depthListAdd(DepthList* list, double depth); // of 0 or less: ignored; NaN: infinite. False: out of memory
void depthListFree(DepthList* list);
// All are 0 of an empty list: nothing overlaps.
double depthListMean(const DepthList* list);
double depthListPercentile(DepthList* list, double share); // 0.99, 1 for the largest; sorts the list

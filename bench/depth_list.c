// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/depth_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool depthListAdd(DepthList* list, double depth)
{
    if (depth <= 0.0)
        return true;
    if (list->count == list->capacity) {
        int capacity = 2 * list->capacity + 256;
        double* values = realloc(list->values, (size_t)capacity * sizeof *values);
        if (values == NULL)
            return false;
        list->values = values;
        list->capacity = capacity;
    }
    list->values[list->count++] = isnan(depth) ? (double)INFINITY : depth;
    return true;
}

void depthListFree(DepthList* list)
{
    free(list->values);
    memset(list, 0, sizeof *list);
}

double depthListMean(const DepthList* list)
{
    double sum = 0.0;
    for (int i = 0; i < list->count; ++i)
        sum += list->values[i];
    return list->count > 0 ? sum / list->count : 0.0;
}

static int ascending(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double depthListPercentile(DepthList* list, double share)
{
    if (list->count == 0)
        return 0.0;
    qsort(list->values, (size_t)list->count, sizeof *list->values, ascending);
    double place = share * (list->count - 1); // between two: linearly
    int below = (int)place, above = below + 1 < list->count ? below + 1 : below;
    return list->values[below] + (place - below) * (list->values[above] - list->values[below]);
}

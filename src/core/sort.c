// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/sort.h"

#include "core/constants.h"

#include <string.h>

static void sortFew(uint64_t* keys, int count)
{
    for (int i = 1; i < count; ++i) {
        uint64_t key = keys[i];
        int at = i;
        for (; at > 0 && keys[at - 1] > key; --at)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

static void sortByte(const uint64_t* from, uint64_t* to, int count, int shift)
{
    int starts[256] = {0};
    for (int i = 0; i < count; ++i)
        ++starts[from[i] >> shift & 255];
    for (int b = 0, sum = 0; b < 256; ++b) {
        int size = starts[b];
        starts[b] = sum;
        sum += size;
    }
    for (int i = 0; i < count; ++i)
        to[starts[from[i] >> shift & 255]++] = from[i];
}

static void sortFrom(uint64_t* keys, uint64_t* scratch, int count, int lowest)
{
    if (count <= SORT_FEW) {
        sortFew(keys, count);
        return;
    }
    uint64_t differ = 0;
    for (int i = 1; i < count; ++i)
        differ |= keys[i] ^ keys[0];
    uint64_t *from = keys, *to = scratch;
    for (int shift = lowest; shift < 64; shift += 8) {
        if ((differ >> shift & 255) == 0)
            continue;
        sortByte(from, to, count, shift);
        uint64_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, sizeof *keys * (size_t)count);
}

void sortKeys(uint64_t* keys, uint64_t* scratch, int count) { sortFrom(keys, scratch, count, 0); }

void sortUpperKeys(uint64_t* keys, uint64_t* scratch, int count) { sortFrom(keys, scratch, count, 32); }

// Lets the value at `at` sink to its place in a heap with the largest on top.
static void sink(int* heap, int count, int at)
{
    int value = heap[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            ++child;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

void sortInts(int* values, int count)
{
    for (int i = count / 2 - 1; i >= 0; --i)
        sink(values, count, i);
    for (int last = count - 1; last > 0; --last) {
        int largest = values[0];
        values[0] = values[last];
        values[last] = largest;
        sink(values, last, 0);
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Sorting without memory of its own (qsort may take some), in ascending order. Keys that carry their item in the low
// bits are unique, and their order is then the only one.
#pragma once

#include <stdint.h>

// By bytes, in one pass for every byte that is not the same in all keys. `scratch` has room for as many.
void sortKeys(uint64_t* keys, uint64_t* scratch, int count);
// By the upper half: what is in the lower one comes along, and equals are in any order that follows from theirs.
void sortUpperKeys(uint64_t* keys, uint64_t* scratch, int count);
// In place.
void sortInts(int* values, int count);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Growing typed arrays:
//
//     ARRAY(int) list = { 0 };
//     if (!arrayReserve(memory, &list, list.count + 1)) return shOutOfMemory;
//     list.data[list.count++] = 7;
//     arrayFree(memory, &list);
//
// Reserve first, then write: pushing itself cannot fail.
#pragma once

#include "core/memory.h"

#define ARRAY(Type)                                                                                                    \
    struct {                                                                                                           \
        Type* data;                                                                                                    \
        int count, capacity;                                                                                           \
    }

// True when `wanted` elements fit. Capacity grows by half at least, so pushes cost O(1) on average.
#define arrayReserve(memory, array, wanted)                                                                            \
    arrayReserveBytes((memory), &(array)->data, &(array)->capacity, sizeof(*(array)->data), (wanted))

#define arrayFree(memory, array)                                                                                       \
    (FREE_ARRAY((memory), (array)->data, (array)->capacity), (array)->data = NULL,                                     \
     (array)->count = (array)->capacity = 0)

// `data` is the address of the array's pointer.
bool arrayReserveBytes(Memory* memory, void* data, int* capacity, size_t elementSize, int64_t wanted);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/weld.h"

#include "core/hash.h"

#include <string.h>

int weldRows(Memory* memory, const void* rows, size_t rowSize, int count, int* firsts, int* distinct)
{
    const uint8_t* bytes = rows;
    uint32_t slots = 16;
    while (slots < 2 * (uint32_t)count && slots < UINT32_MAX / 2)
        slots *= 2;
    int* table = NEW_ZEROED(memory, int, slots); // row + 1, 0 = free
    if (table == NULL)
        return -1;
    int found = 0;
    for (int i = 0; i < count; ++i) {
        const uint8_t* row = bytes + (size_t)i * rowSize;
        uint32_t slot = (uint32_t)hashOf(row, rowSize, 0) & (slots - 1);
        while (table[slot] != 0 && memcmp(row, bytes + (size_t)(table[slot] - 1) * rowSize, rowSize) != 0)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == 0) {
            table[slot] = i + 1;
            if (distinct != NULL)
                distinct[found] = i;
            firsts[i] = found++;
        } else {
            firsts[i] = firsts[table[slot] - 1];
        }
    }
    FREE_ARRAY(memory, table, slots);
    return found;
}

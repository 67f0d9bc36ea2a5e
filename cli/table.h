// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Tables on standard output: a title per column, numbers to the right.
#pragma once

#include <stdbool.h>

enum { TABLE_COLUMNS = 16, TABLE_CELL = 128 };

typedef struct Table {
    int columnCount, rowCount, capacity;
    const char* titles[TABLE_COLUMNS];
    bool right[TABLE_COLUMNS];
    char (*cells)[TABLE_CELL]; // [rowCount · columnCount]
} Table;

// Titles are separated by spaces; one that starts with > stands to the right: "model >triangles >time". An underscore
// shows as a space.
void tableInit(Table* table, const char* titles);
// Adds a row of printf-formatted text whose cells are separated by tabs.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tableRow(Table* table, const char* format, ...);
void tablePrint(const Table* table);
void tableFree(Table* table);

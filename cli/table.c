// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* checked(void* block)
{
    if (block == NULL) {
        fputs("sherd: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

void tableInit(Table* table, const char* titles)
{
    *table = (Table){0};
    char* copy = checked(malloc(strlen(titles) + 1)); // the first title points to it; freed with the table
    strcpy(copy, titles);
    for (char* word = copy; word != NULL && table->columnCount < TABLE_COLUMNS;) {
        char* space = strchr(word, ' ');
        if (space != NULL)
            *space++ = '\0';
        for (char* c = word; *c != '\0'; ++c)
            *c = (char)(*c == '_' ? ' ' : *c);
        table->right[table->columnCount] = word[0] == '>';
        table->titles[table->columnCount++] = word;
        word = space;
    }
}

static const char* title(const Table* table, int column)
{
    return table->titles[column] + (table->right[column] ? 1 : 0);
}

void tableRow(Table* table, const char* format, ...)
{
    if (table->rowCount == table->capacity) {
        table->capacity = 2 * table->capacity + 16;
        table->cells =
            checked(realloc(table->cells, (size_t)(table->capacity * table->columnCount) * sizeof(table->cells[0])));
    }
    char text[TABLE_COLUMNS * TABLE_CELL];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    char* at = text;
    for (int i = 0; i < table->columnCount; ++i) {
        char* tab = at != NULL ? strchr(at, '\t') : NULL;
        if (tab != NULL)
            *tab++ = '\0';
        snprintf(table->cells[table->rowCount * table->columnCount + i], TABLE_CELL, "%.*s", TABLE_CELL - 1,
                 at != NULL ? at : "");
        at = tab;
    }
    ++table->rowCount;
}

// Columns on the screen: bytes that start a UTF-8 character.
static int width(const char* text)
{
    int count = 0;
    for (; *text != '\0'; ++text)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void printCell(const char* text, int room, bool right, bool last)
{
    int blanks = room - width(text);
    if (right)
        printf("%*s%s", blanks, "", text);
    else
        printf("%s%*s", text, last ? 0 : blanks, "");
    fputs(last ? "\n" : "  ", stdout);
}

void tablePrint(const Table* table)
{
    int rooms[TABLE_COLUMNS];
    for (int i = 0; i < table->columnCount; ++i) {
        rooms[i] = width(title(table, i));
        for (int row = 0; row < table->rowCount; ++row) {
            int needed = width(table->cells[row * table->columnCount + i]);
            rooms[i] = needed > rooms[i] ? needed : rooms[i];
        }
    }
    for (int row = -1; row < table->rowCount; ++row)
        for (int i = 0; i < table->columnCount; ++i)
            printCell(row < 0 ? title(table, i) : table->cells[row * table->columnCount + i], rooms[i], table->right[i],
                      i == table->columnCount - 1);
}

void tableFree(Table* table)
{
    free((void*)table->titles[0]);
    free(table->cells);
}

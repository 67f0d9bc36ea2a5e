// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "play/words.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST_WORD = 64 };

// Fewest insertions, deletions, changes and swaps of neighbours that turn one word into the other.
static int wordDistance(const char* a, const char* b)
{
    int rows[3][LONGEST_WORD + 1];
    int aLength = (int)strlen(a), bLength = (int)strlen(b);
    if (aLength > LONGEST_WORD || bLength > LONGEST_WORD)
        return LONGEST_WORD;
    for (int j = 0; j <= bLength; ++j)
        rows[0][j] = j;
    for (int i = 1; i <= aLength; ++i) {
        int* row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= bLength; ++j) {
            int change = above[j - 1] + (a[i - 1] != b[j - 1]);
            int least = above[j] + 1 < row[j - 1] + 1 ? above[j] + 1 : row[j - 1] + 1;
            row[j] = change < least ? change : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[aLength % 3][bLength];
}

const char* nearestWord(const char* word, const char* const* list)
{
    const char* best = NULL;
    int length = (int)strlen(word);
    int bestDistance = (length < 5 ? 2 : length / 2) + 1; // further away it would be a guess
    for (; *list != NULL; ++list) {
        bool begins = length >= 2 && strncmp(*list, word, (size_t)length) == 0;
        int distance = begins ? 1 : wordDistance(word, *list);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = *list;
        }
    }
    return best;
}

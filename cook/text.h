// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A text file in memory and a cursor over its lines and words. The first error sticks and names file, line, reason;
// after it every function answers false, so that readers need no error plumbing of their own.
//
// Lines end with LF, CR LF or CR; a backslash before the end continues a line; a word that starts with # and all after
// it is a comment.
#pragma once

#include "core/context.h"

typedef struct Text {
    Memory* memory;
    const char* path;
    char* bytes; // [size + 1], zero-terminated
    size_t size;
    const char* at; // cursor
    int line;       // of the cursor, from 1
    shStatus status;
    shMessage* message;
} Text;

typedef struct Word {
    const char* start;
    int length;
} Word;

// Reads the whole file; refuses what is not text or larger than COOK_MAX_FILE_BYTES. False: see text->status.
bool textOpen(Text* text, shContext* context, const char* path, shMessage* message);
void textClose(Text* text);

bool textNextLine(Text* text);         // to the first word of the next line that has one; false at the end
bool textWord(Text* text, Word* word); // the next word of this line; false at its end
Word textRest(Text* text);             // what is left of this line, without blanks at its ends
void textSkipLine(Text* text);         // to the end of this line
bool textNumber(Text* text, double* value, const char* what); // a finite number must follow on this line
bool textInt(Text* text, int64_t* value, const char* what);   // a decimal integer must follow on this line

bool wordIs(Word word, const char* text);
bool wordInt(Word word, int64_t* value);   // decimal, at most 18 digits
bool wordNumber(Word word, double* value); // anything strtod takes whole, NaN and infinity included

// "path:12: reason"; returns false.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool textFail(Text* text, shStatus status, const char* format, ...);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Command lines, described by tables: what is parsed is what the help shows.
#pragma once

#include "play/words.h"

#include <stdbool.h>

typedef enum OptionKind {
    optionFlag,   // bool
    optionText,   // const char*
    optionInt,    // int within [lower, upper]; 100k and 2M are numbers, too
    optionReal,   // double within [lower, upper]
    optionChoice, // int: the number of the word in `choices`
    optionTexts,  // TextList; may be given several times
} OptionKind;

enum { MOST_TEXTS = 64 };
typedef struct TextList {
    const char* items[MOST_TEXTS];
    int count;
} TextList;

typedef struct Option {
    const char* name;  // without dashes
    char letter;       // -o, or 0
    const char* value; // what the help calls its value; null for flags
    const char* help;
    OptionKind kind;
    void* target;
    double lower, upper;
    const char* const* choices; // null-terminated
} Option;

typedef struct Usage {
    const char* command; // "cook"
    const char* form;    // "INPUT|MODEL -o FILE.sherd [options]"
    const char* summary; // one line
    const char* more;    // paragraphs below the options, or null
    const Option* options;
    int optionCount;
    int wordsMost; // words that are no options
} Usage;

typedef enum ParseResult {
    parseRun,
    parseHelp,  // help is printed: exit 0
    parseWrong, // a message is printed: exit 2
} ParseResult;

// `words` gets up to usage->wordsMost words. Arguments start after the command's name. Everything after -- is a word.
ParseResult optionsParse(const Usage* usage, int count, char* const* arguments, const char** words, int* wordCount);
void optionsPrintHelp(const Usage* usage);

// "sherd cook: … (see sherd cook --help)" on stderr; returns 2, the exit code of wrong usage.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int usageError(const char* command, const char* format, ...);

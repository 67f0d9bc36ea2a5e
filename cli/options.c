// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cli/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WORD = 64, MOST_OPTIONS = 32 };

int usageError(const char* command, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "sherd%s%s: ", command != NULL ? " " : "", command != NULL ? command : "");
    vfprintf(stderr, format, args);
    fprintf(stderr, " (see sherd%s%s --help)\n", command != NULL ? " " : "", command != NULL ? command : "");
    va_end(args);
    return 2;
}

static int unknownOption(const Usage* usage, const char* argument, int length)
{
    char name[LONGEST_WORD];
    const char* names[MOST_OPTIONS + 2];
    int count = 0;
    snprintf(name, sizeof(name), "%.*s", length, argument);
    for (; count < usage->optionCount && count < MOST_OPTIONS; ++count)
        names[count] = usage->options[count].name;
    names[count++] = "help";
    names[count] = NULL;
    const char* word = name;
    while (*word == '-')
        ++word;
    const char* nearest = nearestWord(word, names);
    if (nearest != NULL)
        return usageError(usage->command, "unknown option %s; did you mean --%s?", name, nearest);
    return usageError(usage->command, "unknown option %s", name);
}

static bool setNumber(const Usage* usage, const Option* option, const char* value)
{
    char* end = NULL;
    double number = strtod(value, &end);
    bool whole = option->kind == optionInt;
    if (whole && end != value && (*end == 'k' || *end == 'M')) // 100k
        number *= *end++ == 'k' ? 1e3 : 1e6;
    if (end == value || *end != '\0' || !isfinite(number) || (whole && number != floor(number))) {
        usageError(usage->command, "--%s %s: not a %s", option->name, value, whole ? "whole number" : "number");
        return false;
    }
    if (number < option->lower || number > option->upper) {
        usageError(usage->command, "--%s %s: it must be %g to %g", option->name, value, option->lower, option->upper);
        return false;
    }
    if (whole)
        *(int*)option->target = (int)number;
    else
        *(double*)option->target = number;
    return true;
}

static bool setChoice(const Usage* usage, const Option* option, const char* value)
{
    char list[256] = "";
    for (int i = 0; option->choices[i] != NULL; ++i) {
        if (strcmp(option->choices[i], value) == 0) {
            *(int*)option->target = i;
            return true;
        }
        size_t length = strlen(list);
        snprintf(list + length, sizeof(list) - length, "%s%s", i > 0 ? ", " : "", option->choices[i]);
    }
    usageError(usage->command, "--%s %s: it must be one of %s", option->name, value, list);
    return false;
}

static bool addText(const Usage* usage, const Option* option, const char* value)
{
    TextList* list = option->target;
    if (list->count == MOST_TEXTS) {
        usageError(usage->command, "--%s: %d times at most", option->name, MOST_TEXTS);
        return false;
    }
    list->items[list->count++] = value;
    return true;
}

static bool setOption(const Usage* usage, const Option* option, const char* value)
{
    switch (option->kind) {
    case optionFlag:
        *(bool*)option->target = true;
        return true;
    case optionText:
        *(const char**)option->target = value;
        return true;
    case optionTexts:
        return addText(usage, option, value);
    case optionInt:
    case optionReal:
        return setNumber(usage, option, value);
    case optionChoice:
        return setChoice(usage, option, value);
    }
    return false;
}

// `text` is --name, --name=value or -o; finds its table row and where a value after = starts.
static const Option* findOption(const Usage* usage, const char* text, int* length, const char** value)
{
    *value = strncmp(text, "--", 2) == 0 ? strchr(text, '=') : NULL;
    *length = *value != NULL ? (int)(*value - text) : (int)strlen(text);
    *value = *value != NULL ? *value + 1 : NULL;
    for (int i = 0; i < usage->optionCount; ++i) {
        const Option* option = &usage->options[i];
        size_t name = strlen(option->name);
        if (text[1] == '-' && (size_t)*length == name + 2 && strncmp(text + 2, option->name, name) == 0)
            return option;
        if (option->letter != 0 && text[1] == option->letter && text[2] == '\0')
            return option;
    }
    return NULL;
}

ParseResult optionsParse(const Usage* usage, int count, char* const* arguments, const char** words, int* wordCount)
{
    *wordCount = 0;
    bool onlyWords = false;
    for (int i = 0; i < count; ++i) {
        const char* text = arguments[i];
        if (onlyWords || text[0] != '-' || text[1] == '\0') {
            if (*wordCount >= usage->wordsMost) {
                usageError(usage->command, "'%s' is one word too many", text);
                return parseWrong;
            }
            words[(*wordCount)++] = text;
            continue;
        }
        onlyWords = strcmp(text, "--") == 0;
        if (onlyWords)
            continue;
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            optionsPrintHelp(usage);
            return parseHelp;
        }
        int length;
        const char* value;
        const Option* option = findOption(usage, text, &length, &value);
        if (option == NULL) {
            unknownOption(usage, text, length);
            return parseWrong;
        }
        if (option->kind == optionFlag && value != NULL) {
            usageError(usage->command, "--%s takes no value", option->name);
            return parseWrong;
        }
        if (option->kind != optionFlag && value == NULL) {
            if (i + 1 >= count) {
                usageError(usage->command, "--%s needs a value: %s", option->name, option->value);
                return parseWrong;
            }
            value = arguments[++i];
        }
        if (!setOption(usage, option, value))
            return parseWrong;
    }
    return parseRun;
}

void optionsPrintHelp(const Usage* usage)
{
    printf("sherd %s %s\n\n%s\n\n", usage->command, usage->form, usage->summary);
    for (int i = 0; i <= usage->optionCount; ++i) {
        const Option help = {.name = "help", .help = "show this text"};
        const Option* option = i < usage->optionCount ? &usage->options[i] : &help;
        char letter[8] = "    ", left[64];
        if (option->letter != 0)
            snprintf(letter, sizeof(letter), "-%c, ", option->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
                 option->value != NULL ? option->value : "");
        int width = 26; // in characters; printf counts bytes
        for (const char* c = left; *c != '\0'; ++c)
            width += ((unsigned char)*c & 0xc0) == 0x80;
        printf("  %-*s %s\n", width, left, option->help);
    }
    if (usage->more != NULL)
        printf("\n%s\n", usage->more);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/text.h"

#include "cook/limits.h"
#include "core/message.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHOWN_PATH 160 // characters of a path in a message, its end: the reason must still fit

bool textFail(Text* text, shStatus status, const char* format, ...)
{
    if (text->status != shOk)
        return false;
    char reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    size_t length = strlen(text->path);
    const char* shown = length > SHOWN_PATH ? text->path + (length - SHOWN_PATH) : text->path;
    if (text->line > 0)
        text->status = fail(text->message, status, "%s:%d: %s", shown, text->line, reason);
    else
        text->status = fail(text->message, status, "%s: %s", shown, reason);
    return false;
}

static bool isEnd(char c) { return c == '\n' || c == '\r' || c == '\0'; }
static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

// Steps over one line end, CR LF counted once.
static const char* stepEnd(const char* at)
{
    if (*at == '\r')
        return at[1] == '\n' ? at + 2 : at + 1;
    return *at == '\n' ? at + 1 : at;
}

// Bytes no text file holds: everything below space that is not white.
static bool checkText(Text* text)
{
    text->line = 1;
    for (size_t i = 0; i < text->size; ++i) {
        unsigned char c = (unsigned char)text->bytes[i];
        if (c == '\n' || (c == '\r' && text->bytes[i + 1] != '\n'))
            ++text->line;
        else if (c < ' ' && !isBlank((char)c) && c != '\r')
            return textFail(text, shBadFile, "byte %zu is 0x%02x: this is not a text file", i, c);
    }
    return true;
}

static bool readAll(Text* text, FILE* file)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return textFail(text, shNoFile, "%s", strerror(errno));
    if (!S_ISREG(info.st_mode))
        return textFail(text, shNoFile, "not a file");
    if (info.st_size == 0)
        return textFail(text, shBadFile, "the file is empty");
    if ((uint64_t)info.st_size > COOK_MAX_FILE_BYTES)
        return textFail(text, shLimit, "%lld bytes; the limit is %zu", (long long)info.st_size, COOK_MAX_FILE_BYTES);
    text->size = (size_t)info.st_size;
    text->bytes = NEW_ARRAY(text->memory, char, text->size + 1);
    if (text->bytes == NULL) {
        text->status = failMemory(text->message);
        return false;
    }
    size_t got = fread(text->bytes, 1, text->size, file);
    text->bytes[got] = '\0';
    if (got != text->size)
        return textFail(text, shNoFile, "only %zu of %zu bytes could be read", got, text->size);
    return true;
}

bool textOpen(Text* text, shContext* context, const char* path, shMessage* message)
{
    *text = (Text){.memory = &context->memory, .path = path, .message = message};
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return textFail(text, shNoFile, "cannot open: %s", strerror(errno));
    bool ok = readAll(text, file) && checkText(text);
    fclose(file);
    if (!ok)
        return false;
    text->at = text->bytes;
    if (text->size >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0) // byte order mark of UTF-8
        text->at += 3;
    text->line = 0; // textNextLine makes it 1
    return true;
}

void textClose(Text* text)
{
    if (text->bytes != NULL)
        FREE_ARRAY(text->memory, text->bytes, text->size + 1);
    text->bytes = NULL;
}

// Over blanks, and over line ends that a backslash hides.
static void skipBlanks(Text* text)
{
    for (;;) {
        if (isBlank(*text->at)) {
            ++text->at;
        } else if (text->at[0] == '\\' && (text->at[1] == '\n' || text->at[1] == '\r')) {
            text->at = stepEnd(text->at + 1);
            ++text->line;
        } else {
            return;
        }
    }
}

void textSkipLine(Text* text)
{
    for (skipBlanks(text); !isEnd(*text->at); skipBlanks(text))
        ++text->at;
}

bool textNextLine(Text* text)
{
    if (text->status != shOk)
        return false;
    if (text->line == 0)
        text->line = 1;
    else
        textSkipLine(text);
    for (;;) {
        skipBlanks(text);
        if (*text->at == '#')
            textSkipLine(text);
        if (*text->at == '\0')
            return false;
        if (!isEnd(*text->at))
            return true;
        text->at = stepEnd(text->at);
        ++text->line;
    }
}

bool textWord(Text* text, Word* word)
{
    *word = (Word){NULL, 0};
    if (text->status != shOk)
        return false;
    skipBlanks(text);
    if (isEnd(*text->at) || *text->at == '#')
        return false;
    const char* start = text->at;
    while (!isEnd(*text->at) && !isBlank(*text->at) && text->at - start < INT32_MAX)
        ++text->at;
    // "1 2 3\": the backslash belongs to the line end, not to the word.
    if (text->at[-1] == '\\' && (*text->at == '\n' || *text->at == '\r') && text->at - start > 1)
        --text->at;
    *word = (Word){start, (int)(text->at - start)};
    return true;
}

Word textRest(Text* text)
{
    skipBlanks(text);
    const char* start = text->at;
    while (!isEnd(*text->at))
        ++text->at;
    const char* end = text->at;
    while (end > start && isBlank(end[-1]))
        --end;
    return (Word){start, (int)(end - start)};
}

bool wordIs(Word word, const char* text)
{
    size_t length = strlen(text);
    return (size_t)word.length == length && memcmp(word.start, text, length) == 0;
}

bool wordInt(Word word, int64_t* value)
{
    int at = word.length > 0 && (word.start[0] == '-' || word.start[0] == '+') ? 1 : 0;
    int digits = word.length - at;
    if (digits < 1 || digits > 18)
        return false;
    int64_t sum = 0;
    for (; at < word.length; ++at) {
        if (word.start[at] < '0' || word.start[at] > '9')
            return false;
        sum = 10 * sum + (word.start[at] - '0');
    }
    *value = word.start[0] == '-' ? -sum : sum;
    return true;
}

bool wordNumber(Word word, double* value)
{
    char* end = NULL;
    *value = strtod(word.start, &end); // the file ends with a zero byte: strtod cannot run past it
    return word.length > 0 && end == word.start + word.length;
}

static int shownLength(Word word) { return word.length < 40 ? word.length : 40; }

bool textNumber(Text* text, double* value, const char* what)
{
    Word word;
    if (!textWord(text, &word))
        return textFail(text, shBadFile, "the line ends where %s should be", what);
    if (!wordNumber(word, value))
        return textFail(text, shBadFile, "%s is '%.*s', not a number", what, shownLength(word), word.start);
    if (!isfinite(*value))
        return textFail(text, shBadFile, "%s is %.*s; it must be finite", what, shownLength(word), word.start);
    return true;
}

bool textInt(Text* text, int64_t* value, const char* what)
{
    Word word;
    if (!textWord(text, &word))
        return textFail(text, shBadFile, "the line ends where %s should be", what);
    if (!wordInt(word, value))
        return textFail(text, shBadFile, "%s is '%.*s', not a whole number", what, shownLength(word), word.start);
    return true;
}

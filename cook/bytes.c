// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "cook/bytes.h"

#include "cook/limits.h"
#include "core/message.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool bytesFail(Bytes* b, shStatus status, const char* format, ...)
{
    if (b->status != shOk)
        return false;
    char reason[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (b->data == NULL)
        b->status = fail(b->message, status, "%.100s: %s", b->path, reason);
    else
        b->status = fail(b->message, status, "%.100s: byte %zu: %s", b->path, b->at, reason);
    return false;
}

bool bytesOpen(Bytes* b, Memory* memory, const char* path, shMessage* message)
{
    *b = (Bytes){.memory = memory, .path = path, .message = message};
    FILE* file = fopen(path, "rb");
    struct stat info;
    if (file == NULL)
        return bytesFail(b, shNoFile, "cannot open: %s", strerror(errno));
    bool ok = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
    if (!ok)
        bytesFail(b, shNoFile, "not a file");
    else if (info.st_size == 0)
        ok = bytesFail(b, shBadFile, "the file is empty");
    else if ((uint64_t)info.st_size > COOK_MAX_FILE_BYTES)
        ok = bytesFail(b, shLimit, "%lld bytes; the limit is %zu", (long long)info.st_size, COOK_MAX_FILE_BYTES);
    if (ok) {
        size_t size = (size_t)info.st_size;
        uint8_t* data = NEW_ARRAY(memory, uint8_t, size + 1);
        if (data == NULL) {
            b->status = failMemory(message);
            ok = false;
        } else {
            b->data = data;
            b->size = size;
            size_t got = fread(data, 1, size, file);
            memset(data + got, 0, size + 1 - got);
            if (got != size)
                ok = bytesFail(b, shNoFile, "only %zu of %zu bytes could be read", got, size);
        }
    }
    fclose(file);
    return ok;
}

void bytesClose(Bytes* b)
{
    if (b->data != NULL)
        FREE_ARRAY(b->memory, b->data, b->size + 1);
    b->data = NULL;
}

static bool isWhite(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool bytesLine(Bytes* b, char* line, size_t size)
{
    if (b->status != shOk || b->at >= b->size)
        return false;
    size_t end = b->at;
    while (end < b->size && b->data[end] != '\n')
        ++end;
    size_t first = b->at, last = end;
    while (first < last && isWhite(b->data[first]))
        ++first;
    while (last > first && isWhite(b->data[last - 1]))
        --last;
    size_t length = last - first < size - 1 ? last - first : size - 1;
    memcpy(line, b->data + first, length);
    line[length] = '\0';
    b->at = end < b->size ? end + 1 : end;
    return true;
}

// A word of text at the cursor; the file ends with a zero.
static bool textWordAt(Bytes* b, const char* what, char** end, char** start)
{
    while (b->at < b->size && isWhite(b->data[b->at]))
        ++b->at;
    if (b->at >= b->size)
        return bytesFail(b, shBadFile, "the file ends before %s", what);
    *start = (char*)b->data + b->at;
    *end = *start;
    return true;
}

static bool takeBinary(Bytes* b, void* value, size_t width, const char* what)
{
    if (b->size - b->at < width)
        return bytesFail(b, shBadFile, "the file ends before %s", what);
    uint8_t raw[8];
    for (size_t i = 0; i < width; ++i)
        raw[i] = b->data[b->at + (b->swapped ? width - 1 - i : i)];
    memcpy(value, raw, width);
    b->at += width;
    return true;
}

bool bytesInt(Bytes* b, int64_t* value, int width, const char* what)
{
    if (b->status != shOk)
        return false;
    if (b->binary) {
        int32_t narrow = 0;
        bool ok = width == 4 ? takeBinary(b, &narrow, 4, what) : takeBinary(b, value, 8, what);
        if (ok && width == 4)
            *value = narrow;
        return ok;
    }
    char *start = NULL, *end = NULL;
    if (!textWordAt(b, what, &end, &start))
        return false;
    errno = 0;
    long long parsed = strtoll(start, &end, 10);
    if (end == start || errno != 0 || (*end != '\0' && !isWhite((uint8_t)*end)))
        return bytesFail(b, shBadFile, "%s is no whole number", what);
    b->at += (size_t)(end - start);
    *value = parsed;
    return true;
}

bool bytesReal(Bytes* b, double* value, const char* what)
{
    if (b->status != shOk)
        return false;
    if (b->binary) {
        if (!takeBinary(b, value, 8, what))
            return false;
    } else {
        char *start = NULL, *end = NULL;
        if (!textWordAt(b, what, &end, &start))
            return false;
        *value = strtod(start, &end);
        if (end == start || (*end != '\0' && !isWhite((uint8_t)*end)))
            return bytesFail(b, shBadFile, "%s is no number", what);
        b->at += (size_t)(end - start);
    }
    return isfinite(*value) || bytesFail(b, shBadFile, "%s is not finite", what);
}

bool bytesHold(Bytes* b, int64_t count, int64_t numbers, size_t size)
{
    if (b->status != shOk)
        return false;
    uint64_t left = b->size - b->at, each = b->binary ? size : 2 * (uint64_t)numbers;
    if (count < 0 || (each > 0 && (uint64_t)count > (left + 1) / each))
        return bytesFail(b, shBadFile, "%lld entries, but the file has only %llu bytes more", (long long)count,
                         (unsigned long long)left);
    return true;
}

bool bytesFind(Bytes* b, const char* mark)
{
    size_t length = strlen(mark);
    for (size_t at = b->at; b->status == shOk && at + length <= b->size; ++at) {
        const uint8_t* next = memchr(b->data + at, mark[0], b->size - at);
        if (next == NULL)
            return false;
        at = (size_t)(next - b->data);
        if (at + length <= b->size && memcmp(next, mark, length) == 0 && (at == 0 || b->data[at - 1] == '\n')) {
            b->at = at + length;
            return true;
        }
    }
    return false;
}

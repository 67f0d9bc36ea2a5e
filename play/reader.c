// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "play/reader.h"

#include "core/message.h"
#include "play/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void readFail(Reader* reader, const JsonValue* value, const char* format, ...)
{
    char text[320];
    va_list args;
    if (reader->status != shOk)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader->status = jsonFail(&reader->json, value, "%s", text);
}

JsonValue* readMember(Reader* reader, const JsonValue* object, const char* key, JsonType type)
{
    JsonValue* value = reader->status == shOk ? jsonGet(object, key) : NULL;
    if (value == NULL || value->type == type)
        return value;
    readFail(reader, value, "it must be %s, not %s", jsonTypeName(type), jsonTypeName(value->type));
    return NULL;
}

static bool inRange(Reader* reader, const JsonValue* value, double lower, double upper)
{
    if (value->number >= lower && value->number <= upper)
        return true;
    readFail(reader, value, "%g is out of range; it must be %g to %g", value->number, lower, upper);
    return false;
}

void readReal(Reader* reader, const JsonValue* object, const char* key, double lower, double upper, double* target)
{
    const JsonValue* value = readMember(reader, object, key, jsonNumber);
    if (value != NULL && inRange(reader, value, lower, upper))
        *target = value->number;
}

void readFloat(Reader* reader, const JsonValue* object, const char* key, double lower, double upper, float* target)
{
    double number = (double)*target;
    readReal(reader, object, key, lower, upper, &number);
    *target = (float)number;
}

void readWhole(Reader* reader, const JsonValue* object, const char* key, double lower, double upper, double* target)
{
    const JsonValue* value = readMember(reader, object, key, jsonNumber);
    if (value == NULL || !inRange(reader, value, lower, upper))
        return;
    if (value->number != floor(value->number))
        readFail(reader, value, "%g is no whole number", value->number);
    else
        *target = value->number;
}

void readInt(Reader* reader, const JsonValue* object, const char* key, int lower, int upper, int* target)
{
    double number = (double)*target;
    readWhole(reader, object, key, lower, upper, &number);
    *target = (int)number;
}

void readBool(Reader* reader, const JsonValue* object, const char* key, bool* target)
{
    const JsonValue* value = readMember(reader, object, key, jsonBool);
    if (value != NULL)
        *target = value->flag;
}

void readText(Reader* reader, const JsonValue* object, const char* key, const char** target)
{
    const JsonValue* value = readMember(reader, object, key, jsonText);
    if (value != NULL)
        *target = value->text;
}

bool readNumbers(Reader* reader, const JsonValue* list, double limit, float* target, int count)
{
    if (list->type != jsonList || list->count != count) {
        readFail(reader, list, "give a list of %d numbers", count);
        return false;
    }
    for (const JsonValue* value = list->first; value != NULL; value = value->next) {
        if (value->type != jsonNumber)
            readFail(reader, value, "it must be a number, not %s", jsonTypeName(value->type));
        else if (inRange(reader, value, -limit, limit))
            target[value->index] = (float)value->number;
    }
    return reader->status == shOk;
}

bool readVec(Reader* reader, const JsonValue* object, const char* key, double limit, Vec3* target)
{
    const JsonValue* list = readMember(reader, object, key, jsonList);
    float numbers[3];
    if (list == NULL || !readNumbers(reader, list, limit, numbers, 3))
        return false;
    *target = vec3(numbers[0], numbers[1], numbers[2]);
    return true;
}

bool readBox(Reader* reader, const JsonValue* list, double limit, shBox* target)
{
    float corner[2][3];
    bool two = list->type == jsonList && list->count == 2;
    if (!two)
        readFail(reader, list, "give two corners: [[x, y, z], [x, y, z]]");
    if (!two || !readNumbers(reader, list->first, limit, corner[0], 3) ||
        !readNumbers(reader, list->first->next, limit, corner[1], 3))
        return false;
    for (int k = 0; k < 3; ++k)
        if (!(corner[0][k] < corner[1][k]))
            readFail(reader, list, "give the lower corner first, then the upper one");
    *target = (shBox){{corner[0][0], corner[0][1], corner[0][2]}, {corner[1][0], corner[1][1], corner[1][2]}};
    return reader->status == shOk;
}

void readUnknown(Reader* reader, const JsonValue* value, const char* what, const char* word, const char* const* words)
{
    const char* nearest = nearestWord(word, words);
    char list[200] = "";
    for (int i = 0; nearest == NULL && words[i] != NULL; ++i) {
        size_t length = strlen(list);
        bool room = length + strlen(words[i]) + 8 < sizeof list;
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", room ? words[i] : "…");
        if (!room)
            break;
    }
    if (nearest != NULL)
        readFail(reader, value, "no %s \"%.60s\"; did you mean \"%s\"?", what, word, nearest);
    else
        readFail(reader, value, "no %s \"%.60s\"; there are %s", what, word, list);
}

void readChoice(Reader* reader, const JsonValue* object, const char* key, const char* what, const char* const* words,
                int* target)
{
    const JsonValue* value = readMember(reader, object, key, jsonText);
    for (int i = 0; value != NULL && words[i] != NULL; ++i) {
        if (strcmp(words[i], value->text) == 0) {
            *target = i;
            return;
        }
    }
    if (value != NULL)
        readUnknown(reader, value, what, value->text, words);
}

void readKeys(Reader* reader, const JsonValue* object, const char* const* keys)
{
    for (const JsonValue* value = object->first; value != NULL && reader->status == shOk; value = value->next) {
        bool known = false;
        for (int i = 0; keys[i] != NULL && !known; ++i)
            known = strcmp(keys[i], value->key) == 0;
        if (!known)
            readUnknown(reader, value, "key", value->key, keys);
    }
}

void* readAlloc(Reader* reader, size_t count, size_t size)
{
    void* block = reader->status == shOk && count > 0 ? arenaAlloc(reader->json.arena, memBytes(count, size)) : NULL;
    if (block != NULL)
        memset(block, 0, count * size);
    else if (reader->status == shOk && count > 0)
        reader->status = failMemory(reader->json.message);
    return block;
}

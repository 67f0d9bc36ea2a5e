// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "play/json.h"

#include "core/message.h"
#include "play/limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parser {
    Json* json;
    const char *at, *end;
    int line, depth;
    shStatus status;
} Parser;

static void* allocate(Parser* parser, size_t bytes)
{
    void* block = arenaAlloc(parser->json->arena, bytes);
    if (block == NULL && parser->status == shOk)
        parser->status = failMemory(parser->json->message);
    return block;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
syntaxError(Parser* parser, const char* format, ...)
{
    if (parser->status != shOk)
        return;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    parser->status = parser->line > 0 ? fail(parser->json->message, shBadFile, "%.200s:%d: %s", parser->json->name,
                                             parser->line, text)
                                      : fail(parser->json->message, shBadFile, "%s", text);
}

// ---- text -----------------------------------------------------------------------------------------------------------

// Blanks and comments.
static void skip(Parser* parser)
{
    while (parser->at < parser->end) {
        char c = *parser->at;
        if (c == '\n') {
            parser->line += parser->line > 0; // what is set from outside has no lines
        } else if (c == '/' && parser->at + 1 < parser->end && parser->at[1] == '/') {
            while (parser->at + 1 < parser->end && parser->at[1] != '\n')
                ++parser->at;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
        ++parser->at;
    }
}

static char peek(Parser* parser)
{
    skip(parser);
    return (char)(parser->at < parser->end ? *parser->at : '\0');
}

// What stands there, for messages: a word or a character.
static const char* found(Parser* parser, char text[40])
{
    size_t left = (size_t)(parser->end - parser->at), length = 0;
    if (left == 0)
        return "the end of the file";
    while (length < left && length < 24 && strchr(" \t\r\n,:{}[]\"", parser->at[length]) == NULL)
        ++length;
    length = length > 0 ? length : 1;
    snprintf(text, 40, "'%.*s'", (int)length, parser->at);
    return text;
}

static unsigned hexOf(const char* digits)
{
    unsigned value = 0;
    for (int i = 0; i < 4; ++i) {
        char c = digits[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 0x10000u;
        value = value << 4 | digit;
    }
    return value;
}

static char* putUtf8(char* to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

// How many bytes the character there has; 0: it is not UTF-8.
static int utf8Length(const char* at, const char* end)
{
    unsigned char first = (unsigned char)*at;
    int length = first < 0x80                    ? 1
                 : first >= 0xc2 && first < 0xe0 ? 2
                 : first >= 0xe0 && first < 0xf0 ? 3
                 : first >= 0xf0 && first < 0xf5 ? 4
                                                 : 0;
    if (end - at < length)
        return 0;
    for (int i = 1; i < length; ++i)
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return 0;
    // Longer than need be, half of a pair, beyond the last.
    unsigned char second = length > 1 ? (unsigned char)at[1] : 0;
    bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                 (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return wrong ? 0 : length;
}

// After \u: four digits, or eight with another \u between for what lies beyond; 0: neither.
static unsigned codeOf(Parser* parser)
{
    ptrdiff_t left = parser->end - parser->at;
    unsigned high = left >= 4 ? hexOf(parser->at) : 0;
    if (high > 0 && (high < 0xd800 || (high >= 0xe000 && high < 0x10000))) {
        parser->at += 4;
        return high;
    }
    bool pair = high >= 0xd800 && high < 0xdc00 && left >= 10 && parser->at[4] == '\\' && parser->at[5] == 'u';
    unsigned low = pair ? hexOf(parser->at + 6) : 0;
    if (!(low >= 0xdc00 && low < 0xe000))
        return 0;
    parser->at += 10;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static char* escape(Parser* parser, char* to)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = (char)(parser->at < parser->end ? *parser->at++ : '\0');
    const char* place = c != '\0' ? strchr(letters, c) : NULL;
    unsigned code = c == 'u' ? codeOf(parser) : 0;
    if (place != NULL) {
        *to++ = meant[place - letters];
    } else if (code > 0) {
        to = putUtf8(to, code);
    } else {
        syntaxError(parser, "a text has '\\%c' in it, which means nothing", c >= ' ' ? c : '?');
    }
    return to;
}

static const char* parseText(Parser* parser)
{
    const char* close = ++parser->at;
    while (close < parser->end && *close != '"' && *close != '\n')
        close += *close == '\\' && close + 1 < parser->end ? 2 : 1;
    if (close >= parser->end || *close != '"') {
        syntaxError(parser, "a text does not end: there is no closing \"");
        return "";
    }
    char *text = allocate(parser, (size_t)(close - parser->at) + 1), *to = text;
    if (text == NULL)
        return "";
    while (parser->status == shOk && parser->at < close) {
        if (*parser->at == '\\') {
            ++parser->at;
            to = escape(parser, to);
        } else {
            int length = utf8Length(parser->at, close);
            if (length == 0) // it would end up in films and pages, which must be UTF-8
                syntaxError(parser, "a text is not UTF-8; save the file in that encoding");
            for (int i = 0; i < length; ++i)
                *to++ = *parser->at++;
        }
    }
    parser->at = close + 1;
    *to = '\0';
    return text;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static void parseValue(Parser* parser, JsonValue* value);

// Numbers as JSON writes them; strtod alone would take "inf" and "0x1p3".
static void parseNumber(Parser* parser, JsonValue* value)
{
    char digits[64], text[40];
    size_t length = 0, left = (size_t)(parser->end - parser->at);
    while (length < left && length < sizeof digits - 1 && strchr("+-.0123456789eE", parser->at[length]) != NULL)
        ++length;
    memcpy(digits, parser->at, length);
    digits[length] = '\0';
    char* end;
    value->type = jsonNumber;
    value->number = strtod(digits, &end);
    const char* first = digits + (digits[0] == '-');
    if (length == 0 || *end != '\0' || !(*first >= '0' && *first <= '9'))
        syntaxError(parser, "%s is no value", found(parser, text));
    else if (!isfinite(value->number))
        syntaxError(parser, "%s is too large for a number", found(parser, text));
    parser->at += length;
}

static bool word(Parser* parser, const char* expected)
{
    size_t length = strlen(expected);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, expected, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static JsonValue* newChild(Parser* parser, JsonValue* parent, JsonValue*** tail)
{
    JsonValue* child = allocate(parser, sizeof(JsonValue));
    if (child == NULL)
        return NULL;
    *child = (JsonValue){.parent = parent, .line = parser->line, .index = parent->count++};
    **tail = child;
    *tail = &child->next;
    return child;
}

static void parseKey(Parser* parser, const JsonValue* object, JsonValue* child)
{
    char text[40];
    if (peek(parser) != '"') {
        syntaxError(parser, "a key in quotes is expected, not %s", found(parser, text));
        return;
    }
    child->line = parser->line;
    child->key = parseText(parser);
    for (const JsonValue* other = object->first; other != child && parser->status == shOk; other = other->next)
        if (strcmp(other->key, child->key) == 0)
            syntaxError(parser, "\"%.60s\" is there twice; first in line %d", child->key, other->line);
    if (parser->status == shOk && peek(parser) != ':')
        syntaxError(parser, "a : is expected after \"%.60s\", not %s", child->key, found(parser, text));
    if (parser->status == shOk)
        ++parser->at;
}

// The elements of a list or the members of an object, up to its closing bracket.
static void parseMany(Parser* parser, JsonValue* value, char close)
{
    char text[40];
    JsonValue** tail = &value->first;
    value->type = close == ']' ? jsonList : jsonObject;
    ++parser->at;
    if (++parser->depth > JSON_DEPTH)
        syntaxError(parser, "values are nested more than %d deep", JSON_DEPTH);
    while (parser->status == shOk && peek(parser) != close) {
        JsonValue* child = newChild(parser, value, &tail);
        if (child == NULL)
            return;
        if (close == '}')
            parseKey(parser, value, child);
        if (parser->status == shOk)
            parseValue(parser, child);
        if (parser->status != shOk || peek(parser) == close)
            break;
        if (peek(parser) != ',')
            syntaxError(parser, "a , or %c is expected, not %s; %s was opened in line %d", close, found(parser, text),
                        close == '}' ? "{" : "[", value->line);
        else
            ++parser->at;
    }
    ++parser->at;
    --parser->depth;
}

static void parseValue(Parser* parser, JsonValue* value)
{
    char c = peek(parser), text[40];
    value->line = parser->line;
    if (c == '{') {
        parseMany(parser, value, '}');
    } else if (c == '[') {
        parseMany(parser, value, ']');
    } else if (c == '"') {
        value->type = jsonText;
        value->text = parseText(parser);
    } else if (c == 't' || c == 'f') {
        value->type = jsonBool;
        value->flag = c == 't';
        if (!word(parser, value->flag ? "true" : "false"))
            syntaxError(parser, "%s is no value; a text needs quotes", found(parser, text));
    } else if (c == 'n' && word(parser, "null")) {
        value->type = jsonNull;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        parseNumber(parser, value);
    } else if (c == '\0') {
        syntaxError(parser, "the file ends where a value is expected");
    } else {
        syntaxError(parser, "%s is no value; a text needs quotes", found(parser, text));
    }
}

shStatus jsonParse(Json* json, Arena* arena, const char* name, const char* text, size_t size, shMessage* message)
{
    *json = (Json){.name = name, .arena = arena, .message = message};
    Parser parser = {.json = json, .at = text, .end = text + size, .line = 1};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) // a byte order mark, as some editors write
        parser.at += 3;
    if (size > 0 && memchr(text, '\0', size) != NULL)
        return fail(message, shBadFile, "%.200s: this is no text file", name);
    json->root = allocate(&parser, sizeof(JsonValue));
    if (json->root == NULL)
        return parser.status;
    *json->root = (JsonValue){0};
    char there[40];
    parseValue(&parser, json->root);
    if (parser.status == shOk && peek(&parser) != '\0')
        syntaxError(&parser, "%s comes after the end of the scene", found(&parser, there));
    if (parser.status == shOk && json->root->type != jsonObject)
        syntaxError(&parser, "the whole must be an object: { … }");
    return parser.status;
}

JsonValue* jsonGet(const JsonValue* object, const char* key)
{
    if (object->type != jsonObject)
        return NULL;
    for (JsonValue* child = object->first; child != NULL; child = child->next) {
        if (strcmp(child->key, key) == 0)
            return child;
    }
    return NULL;
}

// ---- places ---------------------------------------------------------------------------------------------------------

static size_t writePath(const JsonValue* value, char* path, size_t size)
{
    if (value->parent == NULL)
        return 0;
    size_t length = writePath(value->parent, path, size);
    if (length >= size)
        return length;
    int more = value->key != NULL ? snprintf(path + length, size - length, "%s%s", length > 0 ? "." : "", value->key)
                                  : snprintf(path + length, size - length, "[%d]", value->index);
    return length + (size_t)(more > 0 ? more : 0);
}

shStatus jsonFail(const Json* json, const JsonValue* value, const char* format, ...)
{
    char path[160] = "", text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    writePath(value, path, sizeof path);
    const char* colon = path[0] != '\0' ? ": " : "";
    if (value->line == 0)
        return fail(json->message, shBadFile, "--set %s%s%s", path, colon, text);
    return fail(json->message, shBadFile, "%.120s:%d: %s%s%s", json->name, value->line, path, colon, text);
}

const char* jsonTypeName(JsonType type)
{
    static const char* const names[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
    return names[type];
}

// ---- assignments ----------------------------------------------------------------------------------------------------

static JsonValue* elementAt(const JsonValue* list, long index)
{
    JsonValue* child = list->first;
    while (child != NULL && child->index != index)
        child = child->next;
    return child;
}

static JsonValue* elementNamed(const JsonValue* list, const char* name)
{
    for (JsonValue* child = list->first; child != NULL; child = child->next) {
        const JsonValue* own = child->type == jsonObject ? jsonGet(child, "name") : NULL;
        if (own != NULL && own->type == jsonText && strcmp(own->text, name) == 0)
            return child;
    }
    return NULL;
}

// One step of a path; null: there is no such place. `add` allows a new member of an object.
static JsonValue* stepInto(Parser* parser, JsonValue* value, const char* name, bool add)
{
    char* end;
    long index = strtol(name, &end, 10);
    if (value->type == jsonList)
        return end != name && *end == '\0' ? elementAt(value, index) : elementNamed(value, name);
    if (value->type != jsonObject)
        return NULL;
    JsonValue* child = jsonGet(value, name);
    if (child != NULL || !add)
        return child;
    JsonValue** tail = &value->first;
    while (*tail != NULL)
        tail = &(*tail)->next;
    child = newChild(parser, value, &tail);
    if (child != NULL)
        child->key = name;
    return child;
}

shStatus jsonSet(Json* json, const char* assignment)
{
    const char* equals = strchr(assignment, '=');
    Parser parser = {.json = json, .at = equals, .end = assignment + strlen(assignment)};
    if (equals == NULL || equals == assignment)
        return fail(json->message, shInvalid, "--set %.200s: write it as path=value", assignment);
    size_t length = (size_t)(equals - assignment);
    char *path = allocate(&parser, length + 1), *rest = NULL;
    if (path == NULL)
        return parser.status;
    memcpy(path, assignment, length);
    path[length] = '\0';
    JsonValue* value = json->root;
    for (char* name = strtok_r(path, ".[]", &rest); name != NULL && parser.status == shOk;) {
        char* after = strtok_r(NULL, ".[]", &rest);
        // Elements are none to add: of a list that is not there nothing is known.
        bool element = after != NULL && assignment[after - path - 1] == '[';
        JsonValue* next = stepInto(&parser, value, name, !element);
        if (next != NULL && next->type == jsonNull && after != NULL)
            next->type = jsonObject; // one that was left out
        if (next == NULL)
            return parser.status != shOk
                       ? parser.status
                       : fail(json->message, shInvalid, "--set %.200s: the scene has no '%.60s'", assignment, name);
        value = next;
        name = after;
    }
    if (value == json->root)
        return fail(json->message, shInvalid, "--set %.200s: write it as path=value", assignment);
    JsonValue kept = *value;
    *value = (JsonValue){.key = kept.key, .index = kept.index, .parent = kept.parent, .next = kept.next};
    parser.at = equals + 1;
    parseValue(&parser, value);
    if (parser.status == shBadFile || (parser.status == shOk && peek(&parser) != '\0')) {
        char* text = arenaAlloc(json->arena, strlen(equals));
        if (text == NULL)
            return failMemory(json->message);
        memcpy(text, equals + 1, strlen(equals));
        *value = (JsonValue){.type = jsonText,
                             .text = text,
                             .key = kept.key,
                             .index = kept.index,
                             .parent = kept.parent,
                             .next = kept.next};
        parser.status = shOk;
    }
    return parser.status;
}

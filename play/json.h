// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// JSON with // comments and trailing commas, every value with the line it stands on: what is wrong with it can be said
// with its place, "scenes/x.json:12: bodies[3].type: …". Lives in an arena.
#pragma once

#include "core/arena.h"

typedef enum JsonType { jsonNull, jsonBool, jsonNumber, jsonText, jsonList, jsonObject } JsonType;

typedef struct JsonValue JsonValue;
struct JsonValue {
    JsonType type;
    int line;        // from 1; 0: given on the command line
    const char* key; // in an object, else null
    int index;       // among its siblings
    JsonValue* parent;
    JsonValue* next;
    JsonValue* first; // of lists and objects
    int count;
    bool flag;
    double number;
    const char* text;
};

typedef struct Json {
    const char* name; // of the file, for messages
    Arena* arena;
    JsonValue* root; // an object
    shMessage* message;
} Json;

// `text` need not end with a zero. The arena outlives the values.
shStatus jsonParse(Json* json, Arena* arena, const char* name, const char* text, size_t size, shMessage* message);

// Puts a value in the place of another, or adds it, with the objects it is in: "bodies[3].type=static". Elements of
// lists may be called by their "name", "bodies.ball.at=[0, 1, 0]", and have to be there. What is no JSON is a text.
shStatus jsonSet(Json* json, const char* assignment);

// The value of a key, null if there is none.
JsonValue* jsonGet(const JsonValue* object, const char* key);

// "file:12: bodies[3].type: …"; returns shBadFile.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
shStatus
jsonFail(const Json* json, const JsonValue* value, const char* format, ...);

// "an object", "a number", …
const char* jsonTypeName(JsonType type);

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Typed members of JSON objects. A member that is absent leaves its target as it is; one that makes no sense fails with
// its line and path, and the first failure stays: later calls do nothing.
#pragma once

#include "core/vec.h"
#include "play/json.h"

typedef struct Reader {
    Json json;
    shStatus status;
} Reader;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void readFail(Reader* reader, const JsonValue* value, const char* format, ...);

// The member, if it is there and of this type; else null.
JsonValue* readMember(Reader* reader, const JsonValue* object, const char* key, JsonType type);
void readReal(Reader* reader, const JsonValue* object, const char* key, double lower, double upper, double* target);
void readWhole(Reader* reader, const JsonValue* object, const char* key, double lower, double upper, double* target);
void readFloat(Reader* reader, const JsonValue* object, const char* key, double lower, double upper, float* target);
void readInt(Reader* reader, const JsonValue* object, const char* key, int lower, int upper, int* target);
void readBool(Reader* reader, const JsonValue* object, const char* key, bool* target);
void readText(Reader* reader, const JsonValue* object, const char* key, const char** target);
// Three numbers, each between −limit and limit. True if it was there and right.
bool readVec(Reader* reader, const JsonValue* object, const char* key, double limit, Vec3* target);
// `count` numbers.
bool readNumbers(Reader* reader, const JsonValue* list, double limit, float* target, int count);
// Two corners, the lower first: [[x, y, z], [x, y, z]].
bool readBox(Reader* reader, const JsonValue* list, double limit, shBox* target);
// One of the words; `what` they are is for the message: "pattern".
void readChoice(Reader* reader, const JsonValue* object, const char* key, const char* what, const char* const* words,
                int* target);
// "no pattern "radail"; did you mean "radial"?"
void readUnknown(Reader* reader, const JsonValue* value, const char* what, const char* word, const char* const* words);
// Everything in the object must be one of these null-terminated keys.
void readKeys(Reader* reader, const JsonValue* object, const char* const* keys);

// Zeroed, from the reader's arena; null after a failure.
void* readAlloc(Reader* reader, size_t count, size_t size);

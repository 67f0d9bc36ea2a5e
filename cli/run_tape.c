// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The file: eight bytes that say what it is, the length of a JSON object that holds the scene, the object, the
// recording. Lengths are little endian.
#define _XOPEN_SOURCE 700 // realpath
#include "cli/run_tape.h"

#include "core/context.h"
#include "core/message.h"
#include "sherd/record.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'S', 'H', 'E', 'R', 'D', 'R', 'U', 'N'};
enum { headSize = 16 };

static json_t* describeScene(const SceneText* scene, const ScriptChanges* changes)
{
    char absolute[PATH_MAX];
    bool isFile = scene->file.bytes != NULL && realpath(scene->path, absolute) != NULL;
    json_t* sets = json_array();
    for (int i = 0; i < changes->setCount; ++i)
        json_array_append_new(sets, json_string(changes->sets[i]));
    return json_pack("{s:s, s:o, s:o, s:f, s:i, s:b, s:I}", "path", isFile ? absolute : scene->path, "text",
                     json_stringn(scene->text, scene->size), "sets", sets, "dt", changes->dt, "steps", changes->steps,
                     "seeded", changes->hasSeed, "seed", (json_int_t)changes->seed);
}

shStatus tapeWrite(const char* file, shContext* context, const SceneText* scene, const ScriptChanges* changes,
                   shWorld* world, shMessage* message)
{
    void* recording;
    size_t size, length = 0;
    shStatus status = shWorld_StopRecording(world, &recording, &size, message);
    if (status != shOk)
        return status;
    json_t* json = describeScene(scene, changes);
    char* text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    length = text != NULL ? strlen(text) : 0;
    char* bytes = text != NULL ? memAlloc(&context->memory, headSize + length + size) : NULL;
    if (bytes != NULL) {
        memcpy(bytes, magic, 8);
        for (int i = 0; i < 8; ++i)
            bytes[8 + i] = (char)(length >> 8 * i & 255);
        memcpy(bytes + headSize, text, length);
        memcpy(bytes + headSize + length, recording, size);
        status = fileWrite(&context->memory, file, bytes, headSize + length + size, message);
        memFree(&context->memory, bytes, headSize + length + size);
    } else if (json == NULL) {
        status = fail(message, shInvalid, "%.300s: a scene that is to be recorded must be UTF-8", scene->path);
    } else {
        status = failMemory(message);
    }
    free(text);
    json_decref(json);
    shFreeBytes(context, recording, size);
    return status;
}

static shStatus readScene(RunTape* tape, const char* file, json_t* json, shMessage* message)
{
    const char *path, *text;
    json_t* sets;
    int steps, seeded;
    double dt;
    json_int_t seed;
    if (json_unpack(json, "{s:s, s:s%, s:o, s:F, s:i, s:b, s:I}", "path", &path, "text", &text, &tape->textSize, "sets",
                    &sets, "dt", &dt, "steps", &steps, "seeded", &seeded, "seed", &seed) != 0 ||
        !json_is_array(sets) || json_array_size(sets) > MOST_SETS || strlen(path) >= sizeof tape->path)
        return fail(message, shBadFile, "%.300s: the scene in it is damaged", file);
    snprintf(tape->path, sizeof tape->path, "%s", path);
    tape->text = (char*)(uintptr_t)text;
    for (size_t i = 0; i < json_array_size(sets); ++i) {
        tape->sets[i] = json_string_value(json_array_get(sets, i));
        if (tape->sets[i] == NULL)
            return fail(message, shBadFile, "%.300s: the scene in it is damaged", file);
    }
    tape->changes = (ScriptChanges){.sets = tape->sets,
                                    .setCount = (int)json_array_size(sets),
                                    .dt = dt,
                                    .steps = steps,
                                    .hasSeed = seeded != 0,
                                    .seed = (uint64_t)seed};
    return shOk;
}

shStatus tapeOpen(RunTape* tape, shContext* context, const char* file, shMessage* message)
{
    *tape = (RunTape){.json = NULL};
    shStatus status = fileOpen(&tape->file, &context->memory, file, message);
    if (status != shOk)
        return status;
    const unsigned char* bytes = tape->file.bytes;
    uint64_t length = 0;
    if (tape->file.size < headSize || memcmp(bytes, magic, 8) != 0) {
        status = fail(message, shBadFile, "%.300s: not a recording; sherd run SCENE --record FILE makes one", file);
    } else {
        for (int i = 0; i < 8; ++i)
            length |= (uint64_t)bytes[8 + i] << 8 * i;
        if (length > tape->file.size - headSize)
            status = fail(message, shBadFile, "%.300s: it ends inside the scene", file);
    }
    if (status == shOk) {
        tape->json = json_loadb((const char*)bytes + headSize, (size_t)length, JSON_ALLOW_NUL, NULL);
        status = readScene(tape, file, tape->json, message);
    }
    if (status == shOk) {
        tape->recording = bytes + headSize + length;
        tape->size = tape->file.size - headSize - (size_t)length;
    } else {
        tapeClose(tape, context);
    }
    return status;
}

void tapeClose(RunTape* tape, shContext* context)
{
    json_decref(tape->json);
    fileClose(&tape->file, &context->memory);
    *tape = (RunTape){.json = NULL};
}

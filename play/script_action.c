// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What happens in a scene at given times.
#include "core/vec.h"
#include "play/limits.h"
#include "play/script.h"

#include <stdlib.h>
#include <string.h>

// "ball" is all of its copies, "ball[3]" one of them.
static const ScriptBody* readTarget(Script* script, const JsonValue* object, ScriptAction* action)
{
    Reader* reader = &script->reader;
    const JsonValue* value = object->type == jsonText ? object : readMember(reader, object, "body", jsonText);
    if (value == NULL) {
        readFail(reader, object, "say which body");
        return NULL;
    }
    const char* bracket = strchr(value->text, '[');
    size_t length = bracket != NULL ? (size_t)(bracket - value->text) : strlen(value->text);
    const char** names = readAlloc(reader, (size_t)script->bodyCount + 1, sizeof(char*));
    char* word = readAlloc(reader, length + 1, 1);
    if (names == NULL || word == NULL)
        return NULL;
    memcpy(word, value->text, length);
    const ScriptBody* body = NULL;
    for (int i = 0, k = 0; i < script->bodyCount; ++i) {
        const char* name = script->bodies[i].name;
        if (name == NULL)
            continue;
        names[k++] = name;
        if (strcmp(name, word) == 0)
            body = &script->bodies[i];
    }
    if (body == NULL && names[0] == NULL)
        readFail(reader, value, "no body has a \"name\" yet");
    else if (body == NULL)
        readUnknown(reader, value, "body", word, names);
    if (body == NULL)
        return NULL;
    char* end = NULL;
    long index = bracket != NULL ? strtol(bracket + 1, &end, 10) : 0;
    if (bracket != NULL && (end == bracket + 1 || strcmp(end, "]") != 0 || index < 0 || index >= body->count)) {
        readFail(reader, value, "\"%s\" has copies [0] to [%d]", word, body->count - 1);
        return NULL;
    }
    action->first = body->first + (int)index;
    action->count = bracket != NULL ? 1 : body->count;
    if (body->time > action->time)
        readFail(reader, value, "\"%s\" comes at %g s, which is later", word, body->time);
    return body;
}

static void readRemove(Script* script, const JsonValue* value, ScriptAction* action)
{
    readTarget(script, value, action);
}

static void readVelocity(Script* script, const JsonValue* object, ScriptAction* action)
{
    static const char* const keys[] = {"body", "linear", "angular", NULL};
    readKeys(&script->reader, object, keys);
    readTarget(script, object, action);
    readVec(&script->reader, object, "linear", SCENE_FAST, &action->vector);
    readVec(&script->reader, object, "angular", SCENE_FAST, &action->second);
}

static void readImpulse(Script* script, const JsonValue* object, ScriptAction* action)
{
    static const char* const keys[] = {"body", "impulse", "at", NULL};
    readKeys(&script->reader, object, keys);
    readTarget(script, object, action);
    if (!readVec(&script->reader, object, "impulse", 1e12, &action->vector))
        readFail(&script->reader, object, "give an impulse, N·s");
    action->hasPoint = readVec(&script->reader, object, "at", SCENE_FAR, &action->point);
}

static void readPath(Script* script, const JsonValue* object, ScriptAction* action)
{
    Reader* reader = &script->reader;
    const JsonValue* path = readMember(reader, object, "path", jsonList);
    if (path == NULL || path->count == 0) {
        readFail(reader, path != NULL ? path : object, "give a path: [[time, x, y, z], …]");
        return;
    }
    action->path = readAlloc(reader, (size_t)path->count, sizeof(ScriptPoint));
    float last = (float)action->time;
    for (const JsonValue* value = path->first; value != NULL && reader->status == shOk; value = value->next) {
        float numbers[4];
        if (!readNumbers(reader, value, 1e6, numbers, 4))
            return;
        if (!(numbers[0] >= last))
            readFail(reader, value, "times ascend from that of the action on: %g s is before %g s", (double)numbers[0],
                     (double)last);
        last = numbers[0];
        action->path[action->pathCount++] = (ScriptPoint){numbers[0], vec3(numbers[1], numbers[2], numbers[3])};
    }
}

static void readDrag(Script* script, const JsonValue* object, ScriptAction* action)
{
    static const char* const keys[] = {"body", "path", "hertz", "damping", "force", "at", NULL};
    Reader* reader = &script->reader;
    readKeys(reader, object, keys);
    readTarget(script, object, action);
    action->drag = (shDrag){.hertz = 4.0f, .damping = 1.0f, .maxForce = 1e4f};
    readFloat(reader, object, "hertz", 1e-3, 1e3, &action->drag.hertz);
    readFloat(reader, object, "damping", 0.0, 1e3, &action->drag.damping);
    readFloat(reader, object, "force", 0.0, 1e12, &action->drag.maxForce);
    action->hasPoint = readVec(reader, object, "at", SCENE_FAR, &action->point);
    readPath(script, object, action);
}

static void readExplode(Script* script, const JsonValue* object, ScriptAction* action)
{
    static const char* const keys[] = {"at", "radius", "impulse", NULL};
    Reader* reader = &script->reader;
    readKeys(reader, object, keys);
    action->explosion = (shExplosion){.radius = 1.0f, .impulse = 100.0f};
    if (!readVec(reader, object, "at", SCENE_FAR, &action->explosion.point))
        readFail(reader, object, "say where: \"at\": [x, y, z]");
    readFloat(reader, object, "radius", 1e-3, SCENE_FAR, &action->explosion.radius);
    readFloat(reader, object, "impulse", 0.0, 1e12, &action->explosion.impulse);
}

static void readBreak(Script* script, const JsonValue* object, ScriptAction* action)
{
    static const char* const keys[] = {SCRIPT_PATTERN_KEYS, "body", "at", "direction", "radius", "scale", NULL};
    Reader* reader = &script->reader;
    bool hasSeed;
    readKeys(reader, object, keys);
    const ScriptBody* body = readTarget(script, object, action);
    if (body != NULL && body->asset < 0)
        readFail(reader, jsonGet(object, "body"), "only bodies with an asset can break");
    scriptReadPattern(reader, object, &action->pattern, &hasSeed);
    action->impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
    action->hasPoint = readVec(reader, object, "at", SCENE_FAR, &action->point);
    readVec(reader, object, "direction", 1e6, &action->vector);
    readFloat(reader, object, "radius", 0.0, SCENE_FAR, &action->impact.radius);
    readFloat(reader, object, "scale", 1e-3, 1e3, &action->impact.scale);
}

static void readGravity(Script* script, const JsonValue* value, ScriptAction* action)
{
    float numbers[3];
    if (readNumbers(&script->reader, value, SCENE_FAST, numbers, 3))
        action->vector = vec3(numbers[0], numbers[1], numbers[2]);
}

typedef void ReadVerb(Script* script, const JsonValue* value, ScriptAction* action);

static void readAction(Script* script, const JsonValue* object, ScriptAction* action)
{
    static const char* const verbs[] = {"velocity", "impulse", "drag", "explode", "break", "gravity", "remove"};
    static ReadVerb* const readers[] = {readVelocity, readImpulse, readDrag,  readExplode,
                                        readBreak,    readGravity, readRemove};
    static const JsonType types[] = {jsonObject, jsonObject, jsonObject, jsonObject, jsonObject, jsonList, jsonText};
    static const char* const keys[] = {"time",  "velocity", "impulse", "drag", "explode",
                                       "break", "gravity",  "remove",  NULL};
    _Static_assert(sizeof verbs / sizeof *verbs == verbCount, "a word for every verb");
    Reader* reader = &script->reader;
    if (object->type != jsonObject) {
        readFail(reader, object, "an action must be an object, such as {\"time\": 1, \"gravity\": [0, 0, 0]}");
        return;
    }
    *action = (ScriptAction){.place = object};
    readKeys(reader, object, keys);
    readReal(reader, object, "time", 0.0, 1e6, &action->time);
    int found = 0;
    for (int i = 0; i < (int)verbCount && reader->status == shOk; ++i) {
        const JsonValue* value = readMember(reader, object, verbs[i], types[i]);
        if (value == NULL)
            continue;
        ++found;
        action->verb = (ScriptVerb)i;
        readers[i](script, value, action);
    }
    if (found != 1)
        readFail(reader, object,
                 "an action does one thing: velocity, impulse, drag, explode, break, gravity or remove");
}

void scriptReadActions(Script* script)
{
    Reader* reader = &script->reader;
    const JsonValue* actions = readMember(reader, reader->json.root, "actions", jsonList);
    if (actions == NULL || actions->count == 0)
        return;
    script->actions = readAlloc(reader, (size_t)actions->count, sizeof(ScriptAction));
    for (const JsonValue* value = actions->first; value != NULL && reader->status == shOk; value = value->next) {
        ScriptAction action = {0};
        readAction(script, value, &action);
        int at = script->actionCount++;
        for (; at > 0 && script->actions[at - 1].time > action.time; --at)
            script->actions[at] = script->actions[at - 1];
        script->actions[at] = action;
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bodies of a scene file.
#include "core/quat.h"
#include "play/limits.h"
#include "play/script.h"

#include <stdio.h>
#include <string.h>

static void readShape(Reader* reader, const JsonValue* object, ScriptBody* body)
{
    static const char* const keys[] = {"plane", "sphere", "capsule", "box", NULL};
    const JsonValue* shape = readMember(reader, object, "shape", jsonObject);
    if (shape == NULL)
        return;
    body->hasShape = true;
    readKeys(reader, shape, keys);
    if (shape->count != 1) {
        readFail(reader, shape, "give one of plane, sphere, capsule and box");
        return;
    }
    bool plane = false;
    float numbers[2];
    readBool(reader, shape, "plane", &plane);
    readFloat(reader, shape, "sphere", 1e-5, SCENE_FAR, &body->shape.radius);
    body->shape.type = plane ? shPlaneShape : shSphereShape;
    const JsonValue* capsule = readMember(reader, shape, "capsule", jsonList);
    if (capsule != NULL && readNumbers(reader, capsule, SCENE_FAR, numbers, 2)) {
        body->shape = (shShape){.type = shCapsuleShape, .radius = numbers[0], .halfHeight = 0.5f * numbers[1]};
        if (!(numbers[0] > 0.0f && numbers[1] >= 0.0f))
            readFail(reader, capsule, "give a radius above 0 and the length of the axis");
    }
    Vec3 box;
    if (readVec(reader, shape, "box", SCENE_FAR, &box)) {
        body->shape = (shShape){.type = shBoxShape, .halfExtent = vScale(0.5f, box)};
        if (!(box.x > 0.0f && box.y > 0.0f && box.z > 0.0f))
            readFail(reader, shape, "the sides of a box must be above 0");
    }
    if (!plane && shape->first->type == jsonBool && !shape->first->flag)
        readFail(reader, shape, "\"plane\": true is a plane");
}

static void readTerrain(Reader* reader, const JsonValue* object, ScriptBody* body)
{
    static const char* const keys[] = {"size", "height", "cells", "wave", "seed", NULL};
    const JsonValue* terrain = readMember(reader, object, "terrain", jsonObject);
    if (terrain == NULL)
        return;
    body->hasTerrain = true;
    ScriptTerrain* t = &body->terrain;
    *t = (ScriptTerrain){.size = 10.0f, .height = 0.5f, .cells = 64, .wave = 2.5f, .seed = 1};
    readKeys(reader, terrain, keys);
    readFloat(reader, terrain, "size", 1e-2, SCENE_FAR, &t->size);
    readFloat(reader, terrain, "height", 0.0, SCENE_FAR, &t->height);
    readFloat(reader, terrain, "wave", 1e-2, SCENE_FAR, &t->wave);
    readInt(reader, terrain, "cells", 1, SCENE_TERRAIN, &t->cells);
    readInt(reader, terrain, "seed", 0, 1000000000, &t->seed);
}

void scriptReadPattern(Reader* reader, const JsonValue* object, shPattern* pattern, bool* hasSeed)
{
    const char* names[shPatternTypeCount + 1] = {NULL};
    for (int i = 0; i < (int)shPatternTypeCount; ++i)
        names[i] = shPatternName((shPatternType)i);
    int type = shClusteredPattern;
    double seed = 1.0;
    readChoice(reader, object, "pattern", "pattern", names, &type);
    *pattern = shDefaultPattern((shPatternType)type);
    *hasSeed = jsonGet(object, "seed") != NULL;
    readWhole(reader, object, "seed", 0.0, 9e15, &seed);
    pattern->seed = (uint64_t)seed;
    readInt(reader, object, "pieces", 1, SH_MAX_PATTERN_PIECES, &pattern->pieces);
    readFloat(reader, object, "rough", 0.0, 1.0, &pattern->rough);
    readFloat(reader, object, "aspect", 1.0, 100.0, &pattern->aspect);
    readVec(reader, object, "grain", 1e6, &pattern->grain);
    Vec3 brick = pattern->brick;
    if (readVec(reader, object, "brick", SCENE_FAR, &brick) && !(brick.x > 0.0f && brick.y > 0.0f && brick.z > 0.0f))
        readFail(reader, jsonGet(object, "brick"), "the sides of a brick must be above 0");
    pattern->brick = brick;
}

static void readAnchor(Reader* reader, const JsonValue* object, shAnchor* anchor)
{
    static const char* const keys[] = {"ball", "box", "below", NULL};
    float ball[4];
    if (object->type != jsonObject || object->count != 1) {
        readFail(reader, object, "give one of ball, box and below");
        return;
    }
    readKeys(reader, object, keys);
    const JsonValue* value = object->first;
    if (strcmp(value->key, "ball") == 0) {
        bool right = readNumbers(reader, value, SCENE_FAR, ball, 4);
        if (right && !(ball[3] > 0.0f))
            readFail(reader, value, "give a centre and a radius above 0: [x, y, z, radius]");
        if (right)
            *anchor = (shAnchor){.type = shBallAnchor, .point = {ball[0], ball[1], ball[2]}, .radius = ball[3]};
    } else if (strcmp(value->key, "box") == 0) {
        anchor->type = shBoxAnchor;
        readBox(reader, value, SCENE_FAR, &anchor->box);
    } else {
        double height = 0.0;
        readReal(reader, object, "below", -SCENE_FAR, SCENE_FAR, &height);
        *anchor =
            (shAnchor){.type = shHalfSpaceAnchor, .point = {0.0f, (float)height, 0.0f}, .normal = {0.0f, 1.0f, 0.0f}};
    }
}

static void readFracture(Reader* reader, const JsonValue* object, ScriptBody* body)
{
    static const char* const keys[] = {SCRIPT_PATTERN_KEYS, "factor", "impulse", "smallest", "dust", "damage",
                                       "anchors",           NULL};
    const JsonValue* fracture = readMember(reader, object, "fracture", jsonObject);
    if (fracture == NULL)
        return;
    body->hasFracture = true;
    readKeys(reader, fracture, keys);
    shPattern pattern;
    scriptReadPattern(reader, fracture, &pattern, &body->hasSeed);
    shFractureDef* def = &body->fracture;
    *def = shDefaultFractureDef(pattern.type);
    def->pattern = pattern;
    readReal(reader, fracture, "factor", 1e-6, 1e6, &def->factor);
    readReal(reader, fracture, "impulse", 0.0, 1e12, &def->impulse);
    readReal(reader, fracture, "smallest", 0.0, 1e9, &def->smallest);
    readReal(reader, fracture, "dust", 0.0, 1e9, &def->dustVolume);
    readBool(reader, fracture, "damage", &def->damage);
    const JsonValue* anchors = readMember(reader, fracture, "anchors", jsonList);
    if (anchors == NULL)
        return;
    body->anchors = readAlloc(reader, (size_t)anchors->count, sizeof(shAnchor));
    for (const JsonValue* value = anchors->first; value != NULL && reader->status == shOk; value = value->next)
        readAnchor(reader, value, &body->anchors[body->anchorCount++]);
    if (body->def.type != shStaticBody)
        readFail(reader, anchors, "anchors hold static bodies: say \"type\": \"static\"");
}

static void readLevel(Reader* reader, const JsonValue* object, ScriptRepeat* level)
{
    static const char* const keys[] = {"count", "step", "turn", "around", "odd", "oddTurn", NULL};
    *level = (ScriptRepeat){.count = 1};
    if (object->type != jsonObject) {
        readFail(reader, object, "give an object, such as {\"count\": 4, \"step\": [0.3, 0, 0]}");
        return;
    }
    readKeys(reader, object, keys);
    readInt(reader, object, "count", 1, SCENE_COPIES, &level->count);
    readVec(reader, object, "step", SCENE_FAR, &level->step);
    readFloat(reader, object, "turn", -360.0, 360.0, &level->turn);
    readVec(reader, object, "around", SCENE_FAR, &level->around);
    readVec(reader, object, "odd", SCENE_FAR, &level->odd);
    readFloat(reader, object, "oddTurn", -360.0, 360.0, &level->oddTurn);
}

// Layers of rows, centred about the place of the body, up to a number.
static void readGrid(Reader* reader, const JsonValue* object, ScriptBody* body)
{
    static const char* const keys[] = {"count", "across", "step", NULL};
    const JsonValue* grid = readMember(reader, object, "grid", jsonObject);
    if (grid == NULL)
        return;
    int count = 1;
    float across[2] = {1.0f, 1.0f};
    Vec3 step = {0.0f, 0.0f, 0.0f};
    readKeys(reader, grid, keys);
    readInt(reader, grid, "count", 1, SCENE_COPIES, &count);
    const JsonValue* sides = readMember(reader, grid, "across", jsonList);
    if (sides != NULL && readNumbers(reader, sides, 1000.0, across, 2) &&
        !(across[0] >= 1.0f && across[1] >= 1.0f && across[0] == floorf(across[0]) && across[1] == floorf(across[1])))
        readFail(reader, sides, "give two whole numbers from 1 on: along x and along z");
    readVec(reader, grid, "step", SCENE_FAR, &step);
    if (body->levelCount > 0)
        readFail(reader, grid, "a body has a grid or is repeated, not both");
    if (reader->status != shOk)
        return;
    int nx = (int)across[0], nz = (int)across[1];
    body->levels[0] = (ScriptRepeat){.count = nx, .step = {step.x, 0.0f, 0.0f}};
    body->levels[1] = (ScriptRepeat){.count = nz, .step = {0.0f, 0.0f, step.z}};
    body->levels[2] = (ScriptRepeat){.count = (count + nx * nz - 1) / (nx * nz), .step = {0.0f, step.y, 0.0f}};
    body->levelCount = 3;
    body->count = count;
    Vec3 half = vec3(0.5f * (float)(nx - 1) * step.x, 0.0f, 0.5f * (float)(nz - 1) * step.z);
    body->def.transform.p = vSub(body->def.transform.p, half);
}

static void readCopies(Reader* reader, const JsonValue* object, ScriptBody* body)
{
    const JsonValue* repeat = readMember(reader, object, "repeat", jsonList);
    int64_t count = 1;
    for (const JsonValue* v = repeat != NULL ? repeat->first : NULL; v != NULL && reader->status == shOk; v = v->next) {
        if (body->levelCount == SCRIPT_LEVELS) {
            readFail(reader, v, "a body can be repeated in %d ways at most", SCRIPT_LEVELS);
            return;
        }
        readLevel(reader, v, &body->levels[body->levelCount++]);
        count *= body->levels[body->levelCount - 1].count;
        if (count > SCENE_COPIES)
            readFail(reader, v, "more than %d bodies of one kind", SCENE_COPIES);
    }
    body->count = (int)count;
    readGrid(reader, object, body);
    readFloat(reader, object, "jitter", 0.0, SCENE_FAR, &body->jitter);
    readFloat(reader, object, "tumble", 0.0, 180.0, &body->tumble);
}

// "turn": degrees about x, then y, then z, each a fixed axis.
static void readTurn(Reader* reader, const JsonValue* object, shQuat* q)
{
    Vec3 turn;
    const float degree = 0.01745329251994329577f;
    if (!readVec(reader, object, "turn", 36000.0, &turn))
        return;
    *q = qMul(qFromAxisAngle(vec3(0, 0, 1), turn.z * degree),
              qMul(qFromAxisAngle(vec3(0, 1, 0), turn.y * degree), qFromAxisAngle(vec3(1, 0, 0), turn.x * degree)));
}

static void readAssetName(Script* script, const JsonValue* object, ScriptBody* body)
{
    Reader* reader = &script->reader;
    const JsonValue* value = readMember(reader, object, "asset", jsonText);
    const char** names = readAlloc(reader, (size_t)script->assetCount + 1, sizeof(char*));
    body->asset = -1;
    if (value == NULL || names == NULL)
        return;
    for (int i = 0; i < script->assetCount; ++i) {
        names[i] = script->assets[i].name;
        if (strcmp(names[i], value->text) == 0)
            body->asset = i;
    }
    if (body->asset < 0 && script->assetCount == 0)
        readFail(reader, value, "the scene has no assets");
    else if (body->asset < 0)
        readUnknown(reader, value, "asset", value->text, names);
}

static void readName(Script* script, const JsonValue* object, ScriptBody* body)
{
    Reader* reader = &script->reader;
    readText(reader, object, "name", &body->name);
    for (const ScriptBody* other = script->bodies; other < body && body->name != NULL; ++other)
        if (other->name != NULL && strcmp(other->name, body->name) == 0)
            readFail(reader, jsonGet(object, "name"), "\"%.60s\" is the name of another body, too (line %d)",
                     body->name, other->place->line);
    if (body->name != NULL && strpbrk(body->name, "[].=") != NULL)
        readFail(reader, jsonGet(object, "name"), "a name has none of [ ] . = in it");
}

static void readBody(Script* script, const JsonValue* object, ScriptBody* body)
{
    static const char* const keys[] = {
        "name",         "asset",    "shape",    "terrain",     "type",    "at",          "turn",  "velocity",
        "spin",         "density",  "friction", "restitution", "damping", "spinDamping", "group", "time",
        "gravityScale", "fracture", "repeat",   "grid",        "jitter",  "tumble",      NULL};
    static const char* const types[] = {"static", "kinematic", "dynamic", NULL};
    Reader* reader = &script->reader;
    if (object->type != jsonObject) {
        readFail(reader, object, "a body must be an object, such as {\"asset\": \"plate\", \"at\": [0, 1, 0]}");
        return;
    }
    *body = (ScriptBody){.place = object, .def = shDefaultBodyDef(), .first = script->copyCount};
    readKeys(reader, object, keys);
    readName(script, object, body);
    readAssetName(script, object, body);
    readShape(reader, object, body);
    readTerrain(reader, object, body);
    if ((body->asset >= 0) + body->hasShape + body->hasTerrain != 1)
        readFail(reader, object, "give one of asset, shape and terrain");
    shBodyDef* def = &body->def;
    int type = body->hasTerrain || (body->hasShape && body->shape.type == shPlaneShape) ? shStaticBody : shDynamicBody;
    int usual = type;
    readChoice(reader, object, "type", "type", types, &type);
    if (usual == shStaticBody && type != shStaticBody)
        readFail(reader, object, "planes and terrains are static");
    def->type = (shBodyType)type;
    readReal(reader, object, "time", 0.0, 1e6, &body->time);
    readVec(reader, object, "at", SCENE_FAR, &def->transform.p);
    readTurn(reader, object, &def->transform.q);
    readVec(reader, object, "velocity", SCENE_FAST, &def->velocity);
    readVec(reader, object, "spin", SCENE_FAST, &def->angularVelocity);
    readFloat(reader, object, "density", 1e-3, 1e6, &def->density);
    readFloat(reader, object, "friction", 0.0, 100.0, &def->friction);
    readFloat(reader, object, "restitution", 0.0, 1.0, &def->restitution);
    readFloat(reader, object, "damping", 0.0, 1e6, &def->linearDamping);
    readFloat(reader, object, "spinDamping", 0.0, 1e6, &def->angularDamping);
    readFloat(reader, object, "gravityScale", -1e3, 1e3, &def->gravityScale);
    readInt(reader, object, "group", -1000000, 1000000, &def->filter.group);
    readFracture(reader, object, body);
    if (body->hasFracture && body->asset < 0)
        readFail(reader, jsonGet(object, "fracture"), "only bodies with an asset can break");
    readCopies(reader, object, body);
    if (body->count > SCENE_COPIES - script->copyCount)
        readFail(reader, object, "more than %d bodies in all", SCENE_COPIES);
    else
        script->copyCount += body->count;
}

void scriptReadBodies(Script* script)
{
    Reader* reader = &script->reader;
    const JsonValue* bodies = readMember(reader, reader->json.root, "bodies", jsonList);
    if (bodies == NULL || bodies->count == 0) {
        readFail(reader, bodies != NULL ? bodies : reader->json.root, "the scene has no bodies");
        return;
    }
    script->bodies = readAlloc(reader, (size_t)bodies->count, sizeof(ScriptBody));
    for (const JsonValue* value = bodies->first; value != NULL && reader->status == shOk; value = value->next)
        readBody(script, value, &script->bodies[script->bodyCount++]);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "play/play.h"

#include "core/context.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "play/terrain.h"

#include <stdio.h>
#include <string.h>

// A body that is being drawn along a path.
typedef struct Pull {
    const ScriptAction* action; // null: done
    int copy;
} Pull;

struct Play {
    const Script* script;
    shContext* context;
    shWorld* world;
    shAsset** assets;     // [assetCount]
    bool* replaced;       // [assetCount] by what stands in
    shScenery** terrains; // [bodyCount] null where there is none
    bool* present;        // [bodyCount] it has come
    shBodyId* copies;     // [copyCount]
    int came;
    int nextAction;
    Pull* pulls; // one for each copy of each drag, in the order of the actions
    int pullCount, pullCapacity;
    int step;
};

enum { randomOfJitter = 1, randomOfBreaks = 2 }; // so that one does not hang on the other

// Says where in the scene file the world refused something.
static shStatus placed(const Play* play, const JsonValue* place, shStatus status, shMessage* message)
{
    if (status == shOk || status == shOutOfMemory || message == NULL)
        return status;
    shMessage inner = *message;
    Json json = play->script->reader.json;
    json.message = message;
    jsonFail(&json, place, "%s", inner.text);
    return status;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static shStatus makeAsset(Play* play, int i, const PlayHooks* hooks, shMessage* message)
{
    const Script* script = play->script;
    const ScriptAsset* asset = &script->assets[i];
    bool hooked = hooks != NULL && hooks->makeAsset != NULL;
    shStatus status;
    do {
        status = hooked ? hooks->makeAsset(play->context, script, asset, &play->assets[i], hooks->user, message)
                        : playMakeAsset(play->context, script, asset, &play->assets[i], message);
        play->replaced[i] = asset != &script->assets[i];
        asset = asset->standIn;
    } while (status == shNoFile && asset != NULL);
    return status;
}

static shStatus makeAll(Play* play, const PlayHooks* hooks, shMessage* message)
{
    const Script* script = play->script;
    shStatus status = shOk;
    for (int i = 0; i < script->assetCount && status == shOk; ++i) {
        const ScriptAsset* asset = &script->assets[i];
        if (hooks != NULL && hooks->progress != NULL)
            hooks->progress(asset->name, i, script->assetCount, hooks->user);
        status = makeAsset(play, i, hooks, message);
        status = placed(play, asset->place, status, message);
    }
    for (int i = 0; i < script->bodyCount && status == shOk; ++i)
        if (script->bodies[i].hasTerrain)
            status = terrainCreate(play->context, &script->bodies[i].terrain, &play->terrains[i], message);
    return status == shOk ? shCreateWorld(play->context, &script->world, &play->world, message) : status;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static void turnAbout(shTransform* x, Vec3 around, float degrees)
{
    if (degrees == 0.0f)
        return;
    shQuat q = qFromAxisAngle(vec3(0.0f, 1.0f, 0.0f), degrees * 0.01745329251994329577f);
    x->p = vAdd(around, qRotate(q, vSub(x->p, around)));
    x->q = qNormalize(qMul(q, x->q));
}

static shTransform copyTransform(const Play* play, const ScriptBody* body, int copy)
{
    shTransform x = body->def.transform;
    int left = copy;
    for (int i = 0; i < body->levelCount; ++i) {
        const ScriptRepeat* level = &body->levels[i];
        int k = left % level->count;
        left /= level->count;
        x.p = vMad(x.p, (float)k, level->step);
        if (k % 2 == 1)
            x.p = vAdd(x.p, level->odd);
        turnAbout(&x, level->around, level->turn * (float)k + (k % 2 == 1 ? level->oddTurn : 0.0f));
    }
    Random random = randomSeedItem(play->script->seed * 4 + randomOfJitter, (uint64_t)body->first + (uint64_t)copy);
    DVec3 shift = randomInBall(&random);
    DVec3 axis = randomDirection(&random);
    float angle = randomRange(&random, -body->tumble, body->tumble) * 0.01745329251994329577f;
    x.p = vMad(x.p, body->jitter, vFromD(shift));
    if (body->tumble > 0.0f)
        x.q = qNormalize(qMul(qFromAxisAngle(vFromD(axis), angle), x.q));
    return x;
}

static shStatus addCopies(Play* play, int index, shMessage* message)
{
    const ScriptBody* body = &play->script->bodies[index];
    shStatus status = shOk;
    for (int i = 0; i < body->count && status == shOk; ++i) {
        int copy = body->first + i;
        shBodyDef def = body->def;
        shFractureDef fracture = body->fracture;
        def.transform = copyTransform(play, body, i);
        def.userData = (uint64_t)index + 1;
        def.asset = body->asset >= 0 ? play->assets[body->asset] : NULL;
        def.shape = body->hasShape ? &body->shape : NULL;
        def.scenery = play->terrains[index];
        if (body->hasFracture) {
            Random random = randomSeedItem(play->script->seed * 4 + randomOfBreaks, (uint64_t)copy);
            fracture.pattern.seed = body->hasSeed ? fracture.pattern.seed + (uint64_t)i : randomBits(&random);
            fracture.anchors = body->anchors;
            fracture.anchorCount = body->anchorCount;
            def.fracture = &fracture;
        }
        status = placed(play, body->place, shCreateBody(play->world, &def, &play->copies[copy], message), message);
    }
    play->present[index] = true;
    play->came += body->count;
    return status;
}

// ---- actions --------------------------------------------------------------------------------------------------------

static Vec3 pathAt(const ScriptAction* action, double time)
{
    const ScriptPoint* path = action->path;
    int i = 0;
    while (i < action->pathCount && (double)path[i].time <= time)
        ++i;
    if (i == 0 || i == action->pathCount)
        return path[i == 0 ? 0 : i - 1].at;
    float t = (float)((time - (double)path[i - 1].time) / (double)(path[i].time - path[i - 1].time));
    return vLerp(path[i - 1].at, path[i].at, t);
}

static shStatus pullAll(Play* play, double time, shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < play->pullCount && status == shOk; ++i) {
        Pull* pull = &play->pulls[i];
        if (pull->action == NULL)
            continue;
        shBodyId id = play->copies[pull->copy];
        bool over = time >= (double)pull->action->path[pull->action->pathCount - 1].time;
        if (shBody_IsValid(play->world, id)) {
            shTransform x = shBody_GetTransform(play->world, id);
            shDrag drag = pull->action->drag;
            drag.point =
                pull->action->hasPoint ? pull->action->point : xformUnpoint(x, shBody_GetCentre(play->world, id));
            drag.target = pathAt(pull->action, time);
            status = shBody_SetDrag(play->world, id, over ? NULL : &drag, message);
        }
        if (over)
            pull->action = NULL;
    }
    return status;
}

static shStatus actOn(Play* play, const ScriptAction* action, int copy, shMessage* message)
{
    shWorld* world = play->world;
    shBodyId id = play->copies[copy];
    if (!shBody_IsValid(world, id))
        return shOk; // debris, and gone
    shTransform x = shBody_GetTransform(world, id);
    Vec3 point = action->hasPoint ? action->point : shBody_GetCentre(world, id);
    shImpact impact = action->impact;
    switch (action->verb) {
    case verbVelocity:
        return shBody_SetVelocity(world, id, action->vector, action->second, message);
    case verbImpulse:
        return shBody_ApplyImpulse(world, id, action->vector, point, message);
    case verbBreak:
        impact.point = xformUnpoint(x, point);
        impact.direction = qUnrotate(x.q, action->vector);
        return shBody_Break(world, id, &action->pattern, &impact, NULL, message);
    case verbRemove:
        return shDestroyBody(world, id, message);
    case verbDrag:
        play->pulls[play->pullCount++] = (Pull){action, copy};
        return shOk;
    default:
        return shOk;
    }
}

static shStatus act(Play* play, const ScriptAction* action, shMessage* message)
{
    shStatus status = shOk;
    if (action->verb == verbGravity)
        shWorld_SetGravity(play->world, action->vector);
    else if (action->verb == verbExplode)
        status = shWorld_Explode(play->world, &action->explosion, message);
    for (int i = 0; i < action->count && status == shOk; ++i)
        status = actOn(play, action, action->first + i, message);
    return placed(play, action->place, status, message);
}

// ---- time -----------------------------------------------------------------------------------------------------------

// Bodies and actions of now: steps that begin nearest to a time are those that count.
static shStatus doDue(Play* play, shMessage* message)
{
    const Script* script = play->script;
    double soon = playTime(play) + 0.5 * script->dt;
    shStatus status = shOk;
    for (int i = 0; i < script->bodyCount && status == shOk; ++i)
        if (!play->present[i] && script->bodies[i].time < soon)
            status = addCopies(play, i, message);
    while (status == shOk && play->nextAction < script->actionCount && script->actions[play->nextAction].time < soon)
        status = act(play, &script->actions[play->nextAction++], message);
    return status;
}

shStatus playCreate(Play** made, const Script* script, const PlayHooks* hooks, shMessage* message)
{
    Memory* memory = &script->context->memory;
    Play* play = *made = NEW_ZEROED(memory, Play, 1);
    if (play == NULL)
        return failMemory(message);
    play->script = script;
    play->context = script->context;
    for (int i = 0; i < script->actionCount; ++i)
        play->pullCapacity += script->actions[i].verb == verbDrag ? script->actions[i].count : 0;
    play->assets = NEW_ZEROED(memory, shAsset*, script->assetCount);
    play->replaced = NEW_ZEROED(memory, bool, script->assetCount);
    play->terrains = NEW_ZEROED(memory, shScenery*, script->bodyCount);
    play->present = NEW_ZEROED(memory, bool, script->bodyCount);
    play->copies = NEW_ZEROED(memory, shBodyId, script->copyCount);
    play->pulls = NEW_ZEROED(memory, Pull, play->pullCapacity);
    bool enough = ((play->assets && play->replaced) || script->assetCount == 0) && play->terrains && play->present &&
                  play->copies && (play->pulls || play->pullCapacity == 0);
    shStatus status = enough ? makeAll(play, hooks, message) : failMemory(message);
    if (status == shOk)
        status = doDue(play, message);
    if (status != shOk) {
        playDestroy(play);
        *made = NULL;
    }
    return status;
}

void playDestroy(Play* play)
{
    if (play == NULL)
        return;
    const Script* script = play->script;
    Memory* memory = &play->context->memory;
    shDestroyWorld(play->world);
    for (int i = 0; play->assets != NULL && i < script->assetCount; ++i)
        shDestroyAsset(play->assets[i]);
    for (int i = 0; play->terrains != NULL && i < script->bodyCount; ++i)
        shDestroyScenery(play->terrains[i]);
    FREE_ARRAY(memory, play->assets, script->assetCount);
    FREE_ARRAY(memory, play->replaced, script->assetCount);
    FREE_ARRAY(memory, play->terrains, script->bodyCount);
    FREE_ARRAY(memory, play->present, script->bodyCount);
    FREE_ARRAY(memory, play->copies, script->copyCount);
    FREE_ARRAY(memory, play->pulls, play->pullCapacity);
    FREE_ARRAY(memory, play, 1);
}

shStatus playStep(Play* play, shMessage* message)
{
    shStatus status = doDue(play, message);
    if (status == shOk)
        status = pullAll(play, playTime(play), message);
    if (status == shOk)
        status = shWorld_Step(play->world, (float)play->script->dt, message);
    play->step += status == shOk;
    return status;
}

bool playIsOver(const Play* play) { return play->step >= play->script->steps; }
shWorld* playWorld(const Play* play) { return play->world; }
int playStepCount(const Play* play) { return play->step; }
double playTime(const Play* play) { return (double)play->step * play->script->dt; }
int playCopyCount(const Play* play) { return play->came; }
shBodyId playCopy(const Play* play, int copy)
{
    return copy >= 0 && copy < play->script->copyCount ? play->copies[copy] : (shBodyId){0};
}
bool playIsReplaced(const Play* play, int asset) { return play->replaced[asset]; }
const shAsset* playAsset(const Play* play, int asset) { return play->assets[asset]; }
const shScenery* playTerrain(const Play* play, int body) { return play->terrains[body]; }

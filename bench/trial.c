// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/trial.h"

#include "bench/clock.h"
#include "cli/scene_file.h"
#include "core/message.h"
#include "dynamics/world.h"

#include <string.h>

static const float REST_SPEED = 0.02f; // m/s; what is slower, at every point, counts as resting

static double threadSeconds(void* user)
{
    (void)user;
    return clockSeconds(clockThread);
}

// Coarse models, and balls for what takes long to cook or is foreign.
static void coarsen(Script* script)
{
    for (int i = 0; i < script->assetCount; ++i) {
        ScriptAsset* asset = &script->assets[i];
        bool slow = asset->file != NULL || (asset->model != NULL && strcmp(asset->model, "piggy-bank") == 0);
        asset->detail = 0.3f;
        if (!slow)
            continue;
        asset->scale = asset->file != NULL ? 3.6f : asset->scale; // as large as the bunny
        asset->model = "sphere";
        asset->file = NULL;
        asset->standIn = NULL;
    }
}

shStatus trialOpen(Trial* trial, const TrialDef* def, shMessage* message)
{
    *trial = (Trial){0};
    shContextDef context = shDefaultContextDef();
    context.workerCount = def->threads > 0 ? def->threads : 1;
    context.clock = context.workerCount == 1 ? threadSeconds : NULL;
    shStatus status = shCreateContext(&context, &trial->context, message);
    if (status != shOk)
        return status;
    ScriptChanges changes = {.sets = def->sets, .setCount = def->setCount, .steps = def->steps};
    PlayHooks hooks = sceneHooks();
    status = openScene(&trial->script, trial->context, def->scene, &changes, message);
    if (status == shOk && def->tiny)
        coarsen(&trial->script);
    if (status == shOk)
        status = playCreate(&trial->play, &trial->script, &hooks, message);
    if (status == shOk)
        trial->world = playWorld(trial->play);
    else
        trialClose(trial);
    if (status == shOk && def->awake)
        shWorld_SetSleeping(trial->world, false);
    return status;
}

void trialClose(Trial* trial)
{
    if (trial->context == NULL)
        return;
    playDestroy(trial->play);
    scriptFree(&trial->script);
    shDestroyContext(trial->context);
    *trial = (Trial){0};
}

shStatus trialStep(Trial* trial, TrialStep* step, shMessage* message)
{
    shStatus status = playStep(trial->play, message);
    if (status != shOk)
        return status;
    shProfile p = shWorld_GetProfile(trial->world);
    shCounters c = shWorld_GetCounters(trial->world);
    *step = (TrialStep){
        .total = (double)p.total,
        .detect = (double)p.broad + (double)p.collide + (double)p.sweep,
        .physics = (double)p.islands + (double)p.prepare + (double)p.solve + (double)p.finish,
        .update = (double)p.update,
        .fracture = (double)p.fracture - (double)p.update,
        .bodies = c.bodies,
        .pairs = c.pairs,
        .touching = c.touching,
        .broken = c.broken,
        .allContacts = c.contacts,
        .colliding = -1,
    };
    for (int i = 0; i < trial->world->pairs.count; ++i)
        step->contacts += trial->world->pairs.data[i].touching ? trial->world->pairs.data[i].count : 0;
    return shOk;
}

shStatus trialPairQuery(const shWorld* world, shQuery* query, const Pair* pair, const shCollideDef* def,
                        const shContact** contacts, int* count, shMessage* message)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    shCollider ca = bodyCollider(world, a), cb = bodyCollider(world, b);
    if (ca.solid != NULL && cb.solid != NULL)
        return shCollide(query, def, &ca, &cb, NULL, contacts, count, message);
    if (ca.solid != NULL && b->scenery != NULL)
        return shCollideScenery(query, def, &ca, b->scenery, b->transform, NULL, contacts, count, message);
    if (ca.solid != NULL)
        return shCollideShape(query, def, &ca, &b->shape, b->transform, NULL, contacts, count, message);
    if (b->scenery != NULL)
        return shCollideShapeScenery(query, def, &a->shape, a->transform, b->scenery, b->transform, contacts, count,
                                     message);
    return shCollideShapes(query, def, &a->shape, a->transform, &b->shape, b->transform, contacts, count, message);
}

static bool rests(const Body* body)
{
    if (body->type == shStaticBody)
        return true; // and may be a plane, without end
    return vLength(body->velocity) + vLength(body->angular) * body->radius <= REST_SPEED;
}

shStatus trialSurvey(const Trial* trial, shQuery* query, TrialStep* step, shMessage* message)
{
    const shWorld* world = trial->world;
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    step->colliding = step->restPairs = step->moved = 0;
    for (int i = 0; i < world->moving.count; ++i)
        step->moved += !rests(&world->bodies.data[world->moving.data[i]]);
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        const shContact* contacts;
        int count;
        if (!pair->touching)
            continue;
        def.margin = CONTACT_MARGIN * pair->tolerance; // as contacts at rest have it
        def.tolerance = pair->tolerance;
        shStatus status = trialPairQuery(world, query, pair, &def, &contacts, &count, message);
        if (status != shOk)
            return status;
        step->colliding += count;
        bool resting = rests(a) && rests(b);
        step->restPairs += resting;
        float diameter = 2.0f * minF(a->mass > 0.0 ? a->radius : INFINITY, b->mass > 0.0 ? b->radius : INFINITY);
        for (int k = 0; k < count && resting; ++k)
            step->deepest = maxD(step->deepest, -(double)contacts[k].distance / (double)diameter);
    }
    return shOk;
}

void trialCount(const Trial* trial, int* fragments, int* triangles)
{
    *fragments = *triangles = 0;
    for (int i = 0; i < shWorld_GetBodyLimit(trial->world); ++i) {
        int piece;
        shBodyId id = shWorld_GetBodyAt(trial->world, i);
        const shSolid* solid = id.generation != 0 ? shBody_GetSolid(trial->world, id, &piece) : NULL;
        if (solid == NULL)
            continue;
        *fragments += shSolid_GetPieceCount(solid) > 1;
        *triangles += shSolid_GetPiece(solid, piece).triangleCount;
    }
}

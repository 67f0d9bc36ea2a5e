// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/crowd_scene.h"

#include "bench/bin.h"
#include "bench/cache.h"
#include "bench/clock.h"
#include "core/message.h"
#include "core/random.h"

#include <stdlib.h>

static const char* const kinds[CROWD_KINDS] = {"piggy-bank", "plate", "brick", "sphere", "bowl", "cylinder"};

static const float SPACING = 0.36f; // m between objects, which are at most 0.33 m across
static const float STRAY = 0.05f;   // m by which they are off the axis at most, so that the tower does not stand
static const float HALF = 0.6f;     // of the bin, m: fragments fill it to about its half
static const float FRICTION = 0.5f;
enum { SEED = 1 };

shStatus crowdCook(Bench* bench, shAsset* assets[CROWD_KINDS], shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < CROWD_KINDS; ++i)
        assets[i] = NULL;
    for (int i = 0; i < CROWD_KINDS && status == shOk; ++i) {
        bool slow = i == 0; // to cook, for tests
        status = bench->tiny ? cacheModel(bench->context, slow ? "box" : kinds[i], 0.3f, &assets[i], message)
                             : cacheModel(bench->context, kinds[i], 1.0f, &assets[i], message);
    }
    if (status != shOk)
        crowdCookFree(assets);
    return status;
}

void crowdCookFree(shAsset* assets[CROWD_KINDS])
{
    for (int i = 0; i < CROWD_KINDS; ++i) {
        shDestroyAsset(assets[i]);
        assets[i] = NULL;
    }
}

static double threadSeconds(void* user)
{
    (void)user;
    return clockSeconds(clockThread);
}

// The object with its centre of mass at `at`, turned, and broken into pieces of about one size.
static shStatus addObject(Crowd* crowd, const shAsset* asset, Vec3 at, Random* random, shMessage* message)
{
    shAssetInfo info = shAsset_GetInfo(asset);
    Vec3 centre = vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]);
    shBodyDef def = shDefaultBodyDef();
    shBodyId id;
    shBodyBreak broken;
    def.asset = asset;
    def.transform.q = randomRotation(random);
    def.transform.p = vSub(at, qRotate(def.transform.q, centre));
    def.friction = FRICTION;
    def.restitution = 0.0f;
    shStatus status = shCreateBody(crowd->world, &def, &id, message);
    if (status != shOk)
        return status;
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = CROWD_PIECES;
    pattern.seed = randomBits(random);
    shImpact impact = shDefaultImpact(centre);
    status = shBody_Break(crowd->world, id, &pattern, &impact, &broken, message);
    if (status != shOk)
        return status;
    shBodyId* grown = realloc(crowd->bodies, (size_t)(crowd->count + broken.bodyCount) * sizeof *grown);
    if (grown == NULL)
        return failMemory(message);
    crowd->bodies = grown;
    for (int i = 0; i < broken.bodyCount; ++i)
        crowd->bodies[crowd->count++] = broken.bodies[i];
    return shOk;
}

shStatus crowdCreate(Crowd* crowd, const CrowdDef* def, shAsset* const assets[CROWD_KINDS], shMessage* message)
{
    shContextDef context = shDefaultContextDef();
    *crowd = (Crowd){0};
    context.workerCount = def->workers;
    context.clock = def->workers == 1 ? threadSeconds : NULL;
    shStatus status = shCreateContext(&context, &crowd->context, message);
    if (status != shOk)
        return status;
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.continuous = def->continuous;
    worldDef.sleeping = false;
    status = shCreateWorld(crowd->context, &worldDef, &crowd->world, message);
    if (status == shOk) {
        BinDef bin = {.half = HALF, .wallHeight = def->open ? 0.0f : 2.0f, .friction = FRICTION};
        status = binAdd(crowd->world, &bin, message);
    }
    Random random = randomSeed(SEED);
    for (int i = 0; i < def->objects && status == shOk; ++i) {
        float height = SPACING * (1.0f + (float)i);
        Vec3 at = randomInBox(&random, (shBox){{-STRAY, height, -STRAY}, {STRAY, height, STRAY}});
        status = addObject(crowd, assets[i % CROWD_KINDS], at, &random, message);
    }
    if (status == shOk)
        crowd->height = crowdHeight(crowd);
    else
        crowdDestroy(crowd);
    return status;
}

void crowdDestroy(Crowd* crowd)
{
    shDestroyWorld(crowd->world);
    free(crowd->bodies);
    if (crowd->context != NULL)
        shDestroyContext(crowd->context);
    *crowd = (Crowd){0};
}

double crowdHeight(const Crowd* crowd)
{
    double sum = 0.0;
    for (int i = 0; i < crowd->count; ++i)
        sum += (double)shBody_GetCentre(crowd->world, crowd->bodies[i]).y;
    return crowd->count > 0 ? sum / crowd->count : 0.0;
}

double crowdSpeed(const Crowd* crowd)
{
    double sum = 0.0;
    for (int i = 0; i < crowd->count; ++i)
        sum += (double)vLength(shBody_GetVelocity(crowd->world, crowd->bodies[i]));
    return crowd->count > 0 ? sum / crowd->count : 0.0;
}

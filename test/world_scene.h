// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Small worlds for tests: a ground, boxes, pieces; and how much everything in them has moved.
#pragma once

#include "core/quat.h"
#include "core/random.h"
#include "sherd/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { sceneMost = 128 };

typedef struct Scene {
    shContext* context;
    shWorld* world;
    shAsset* asset;
    int count;
    shBodyId bodies[sceneMost];
    shTransform start[sceneMost];
} Scene;

static const float sceneStep = 1.0f / 30.0f;

static inline void sceneCheck(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

// Nothing sleeps: what stands shall stand by itself.
static inline Scene sceneMake(const char* model)
{
    Scene scene = {0};
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 1;
    sceneCheck(shCreateContext(&contextDef, &scene.context, &message), &message);
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.sleeping = false;
    sceneCheck(shCreateWorld(scene.context, &worldDef, &scene.world, &message), &message);
    shCookDef cook = shDefaultCookDef();
    if (model != NULL)
        sceneCheck(shCookModel(scene.context, model, 1.0f, &cook, &scene.asset, &message), &message);
    return scene;
}

static inline void sceneFree(Scene* scene)
{
    shDestroyWorld(scene->world);
    shDestroyAsset(scene->asset);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

static inline shBodyId sceneAdd(Scene* scene, shBodyDef def)
{
    shBodyId id;
    shMessage message = {""};
    sceneCheck(shCreateBody(scene->world, &def, &id, &message), &message);
    if (def.type == shDynamicBody) {
        assert_true(scene->count < sceneMost);
        scene->start[scene->count] = def.transform;
        scene->bodies[scene->count++] = id;
    }
    return id;
}

// A half space whose surface contains the origin.
static inline shBodyId sceneGround(Scene* scene, shQuat turned, float friction)
{
    shShape plane = {.type = shPlaneShape};
    shBodyDef def = shDefaultBodyDef();
    def.type = shStaticBody;
    def.shape = &plane;
    def.transform.q = turned;
    def.friction = friction;
    return sceneAdd(scene, def);
}

static inline shBodyDef sceneBox(const shShape* shape, shVec3 at)
{
    shBodyDef def = shDefaultBodyDef();
    def.shape = shape;
    def.transform.p = at;
    return def;
}

static inline shBodyDef scenePiece(const Scene* scene, shVec3 at)
{
    shBodyDef def = shDefaultBodyDef();
    def.asset = scene->asset;
    def.restitution = 0.0f;
    def.transform.p = at;
    return def;
}

static inline void sceneRun(Scene* scene, int steps)
{
    shMessage message = {""};
    for (int i = 0; i < steps; ++i)
        sceneCheck(shWorld_Step(scene->world, sceneStep, &message), &message);
}

// m: the farthest that a body is from where it was put.
static inline float sceneDrift(const Scene* scene)
{
    float drift = 0.0f;
    for (int i = 0; i < scene->count; ++i)
        drift = maxF(drift, vDistance(shBody_GetTransform(scene->world, scene->bodies[i]).p, scene->start[i].p));
    return drift;
}

// m/s: of the fastest body, 5 cm from its centre.
static inline float sceneSpeed(const Scene* scene)
{
    float speed = 0.0f;
    for (int i = 0; i < scene->count; ++i)
        speed = maxF(speed, vLength(shBody_GetVelocity(scene->world, scene->bodies[i])) +
                                0.05f * vLength(shBody_GetAngularVelocity(scene->world, scene->bodies[i])));
    return speed;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Small worlds for tests: a ground, boxes, pieces; how much everything in them has moved, how deep it is in each other,
// and what energy every step of every such world has gained: when it goes, no step may have gained more than 1e-4 and
// all together no more than 1e-3 of the largest energy, measured from the lowest place. Push-out is a book of its own.
#pragma once

#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { sceneMost = 128 };

typedef struct SceneBooks {
    double most, lowest;     // J: largest energy so far, lowest potential
    double step, sum, total; // J: largest gain of a step; of all so far, and at most
    double pushed;           // J in all
    double last, unbooked;   // J: after the last step; largest difference to what the books say
    double work;             // J that something kinematic may add in a step
    int steps;
} SceneBooks;

typedef struct Scene {
    SceneBooks books;
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
    const SceneBooks* books = &scene->books;
    double scale = books->most - minD(books->lowest, 0.0);
    if (books->steps > 0 && (books->step > 1e-4 * scale || books->total > 1e-3 * scale ||
                             books->unbooked > 1e-6 * scale || books->pushed > 0.05 * scale))
        fail_msg("gained %.2g in a step, %.2g in all, %.2g by pushing out; %.2g in no book, of %.2g J",
                 books->step / scale, books->total / scale, books->pushed / scale, books->unbooked / scale, scale);
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

static inline void sceneBook(Scene* scene, const shEnergy* energy)
{
    SceneBooks* books = &scene->books;
    double now = energy->kinetic + energy->potential, gain = -energy->lost - books->work;
    books->step = maxD(books->step, gain);
    books->sum += gain;
    books->total = maxD(books->total, books->sum);
    books->pushed += energy->pushed;
    books->unbooked = maxD(books->unbooked, fabs(now - books->last - energy->pushed + energy->lost));
    books->last = now;
    books->most = maxD(books->most, now);
    books->lowest = minD(books->lowest, energy->potential);
    ++books->steps;
}

static inline void sceneRun(Scene* scene, int steps)
{
    shMessage message = {""};
    if (scene->books.steps == 0) {
        shEnergy start = shWorld_GetEnergy(scene->world);
        scene->books.most = scene->books.last = start.kinetic + start.potential;
        scene->books.lowest = start.potential;
    }
    for (int i = 0; i < steps; ++i) {
        sceneCheck(shWorld_Step(scene->world, sceneStep, &message), &message);
        shEnergy energy = shWorld_GetEnergy(scene->world);
        sceneBook(scene, &energy);
    }
}

// How deep a body is in what it touches, by its contacts, of its diameter.
static inline double sceneDepthOf(const shWorld* world, const Body* body)
{
    float deepest = 0.0f;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        if (a != body && b != body)
            continue;
        for (int k = 0; k < pair->count; ++k) {
            const Contact* contact = &world->contacts.data[pair->first + k];
            Vec3 normal = qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal);
            Vec3 onA = qRotate(a->transform.q, contact->anchorA), onB = qRotate(b->transform.q, contact->anchorB);
            Vec3 apart = vAdd(vFromD(dSub(a->centre, b->centre)), vSub(onA, onB));
            deepest = maxF(deepest, -vDot(apart, normal));
        }
    }
    return (double)deepest / (2.0 * (double)body->radius);
}

// m: the farthest that a body is from where it was put.
static inline float sceneDrift(const Scene* scene)
{
    float drift = 0.0f;
    for (int i = 0; i < scene->count; ++i)
        drift = maxF(drift, vDistance(shBody_GetTransform(scene->world, scene->bodies[i]).p, scene->start[i].p));
    return drift;
}

// m/s: of the fastest point of all bodies.
static inline float sceneSpeed(const Scene* scene)
{
    float speed = 0.0f;
    for (int i = 0; i < scene->count; ++i) {
        const Body* body = worldBody(scene->world, scene->bodies[i]);
        speed = maxF(speed, vLength(body->velocity) + body->radius * vLength(body->angular));
    }
    return speed;
}

// The same, over so many steps more.
static inline float sceneShiver(Scene* scene, int steps)
{
    float speed = 0.0f;
    for (int i = 0; i < steps; ++i) {
        sceneRun(scene, 1);
        speed = maxF(speed, sceneSpeed(scene));
    }
    return speed;
}

// How deep two bodies are in each other at most, of the smaller one's diameter.
static inline float sceneDepth(const Scene* scene)
{
    const shWorld* world = scene->world;
    float deepest = 0.0f;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        for (int k = 0; k < pair->count; ++k) {
            const Contact* contact = &world->contacts.data[pair->first + k];
            Vec3 onA = qRotate(a->transform.q, contact->anchorA), onB = qRotate(b->transform.q, contact->anchorB);
            Vec3 apart = vAdd(vFromD(dSub(a->centre, b->centre)), vSub(onA, onB));
            Vec3 normal = qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal);
            deepest = maxF(deepest, -vDot(apart, normal) / (2.0f * minF(a->radius, b->radius)));
        }
    }
    return deepest;
}

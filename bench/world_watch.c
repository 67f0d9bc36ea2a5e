// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/world_watch.h"

#include "core/message.h"
#include "core/quat.h"

#include <stdlib.h>
#include <string.h>

// The sums over all dynamic bodies.
typedef struct Totals {
    double kinetic, potential; // J
    DVec3 momentum, spin;
    double momentumSize, spinSize, speed;
    int bodies;
} Totals;

// The inertia of a piece, asked for once for as long as it does not break. False: no piece.
static bool inertiaOf(Watch* watch, const shWorld* world, int index, double inertia[3][3])
{
    int piece;
    shBodyId id = shWorld_GetBodyAt(world, index);
    const shSolid* solid = shBody_GetSolid(world, id, &piece);
    if (solid == NULL)
        return false;
    Watched* body = index < watch->capacity ? &watch->bodies[index] : NULL;
    double mass = shBody_GetMass(world, id);
    bool known = body != NULL && body->generation == id.generation;
    if (known && body->inertiaMass == mass) {
        memcpy(inertia, body->inertia, sizeof body->inertia);
        return true;
    }
    shPieceInfo info = shSolid_GetPiece(solid, piece);
    memcpy(inertia, info.inertia, sizeof info.inertia);
    if (known) {
        memcpy(body->inertia, info.inertia, sizeof info.inertia);
        body->inertiaMass = mass;
    }
    return true;
}

static void addBody(Totals* totals, Watch* watch, const shWorld* world, int index)
{
    shBodyId id = shWorld_GetBodyAt(world, index);
    double mass = shBody_GetMass(world, id), inertia[3][3];
    DVec3 centre = dFromV(shBody_GetCentre(world, id)), v = dFromV(shBody_GetVelocity(world, id)),
          gravity = dFromV(shWorld_GetGravity(world)), p = dScale(mass, v), spin = dvec3(0.0, 0.0, 0.0);
    totals->kinetic += 0.5 * mass * dLength2(v);
    totals->potential -= mass * dDot(gravity, centre);
    if (inertiaOf(watch, world, index, inertia)) {
        DQuat q = dqNormalize(dqFromQ(shBody_GetTransform(world, id).q));
        DVec3 w = dqUnrotate(q, dFromV(shBody_GetAngularVelocity(world, id)));
        DVec3 l = dvec3(inertia[0][0] * w.x + inertia[0][1] * w.y + inertia[0][2] * w.z,
                        inertia[1][0] * w.x + inertia[1][1] * w.y + inertia[1][2] * w.z,
                        inertia[2][0] * w.x + inertia[2][1] * w.y + inertia[2][2] * w.z);
        totals->kinetic += 0.5 * dDot(w, l);
        spin = dqRotate(q, l);
    }
    DVec3 about = dCross(centre, p);
    totals->momentum = dAdd(totals->momentum, p);
    totals->spin = dAdd(totals->spin, dAdd(spin, about));
    totals->momentumSize += dLength(p);
    totals->spinSize += dLength(spin) + dLength(centre) * dLength(p);
    totals->speed += dLength(v);
    ++totals->bodies;
}

static Totals sum(Watch* watch, const shWorld* world)
{
    Totals totals = {0};
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        if (id.generation != 0 && shBody_GetType(world, id) == shDynamicBody)
            addBody(&totals, watch, world, i);
    }
    return totals;
}

void watchStart(Watch* watch, const shWorld* world, int steps)
{
    *watch = (Watch){0};
    Totals totals = sum(watch, world);
    *watch = (Watch){.steps = steps,
                     .energy = totals.kinetic + totals.potential,
                     .most = totals.kinetic,
                     .momentum = totals.momentum,
                     .spin = totals.spin,
                     .momentumSize = totals.momentumSize,
                     .spinSize = totals.spinSize};
}

void watchFree(Watch* watch)
{
    free(watch->bodies);
    watch->bodies = NULL;
}

shStatus watchBefore(Watch* watch, const shWorld* world, float dt, shMessage* message)
{
    int limit = shWorld_GetBodyLimit(world);
    if (limit > watch->capacity) {
        int capacity = 2 * limit;
        Watched* bodies = realloc(watch->bodies, (size_t)capacity * sizeof *bodies);
        if (bodies == NULL)
            return failMemory(message);
        memset(bodies + watch->capacity, 0, (size_t)(capacity - watch->capacity) * sizeof *bodies);
        watch->bodies = bodies;
        watch->capacity = capacity;
    }
    int markStep = watch->steps - (int)(WATCH_CREEP_SECONDS / (double)dt + 0.5);
    for (int i = 0; i < limit; ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        Watched* body = &watch->bodies[i];
        bool dynamic = id.generation != 0 && shBody_GetType(world, id) == shDynamicBody;
        if (!dynamic || body->generation != id.generation)
            *body = (Watched){.generation = dynamic ? id.generation : 0};
        if (!dynamic)
            continue;
        body->centre = shBody_GetCentre(world, id);
        body->velocity = shBody_GetVelocity(world, id);
        body->mass = shBody_GetMass(world, id);
        if (watch->step == markStep) {
            body->markedGeneration = id.generation;
            body->marked = body->centre;
        }
    }
    return shOk;
}

// Fast, hardly touched, and yet not from the place: for so many steps running.
static bool hangs(Watched* body, const shWorld* world, shBodyId id, float dt)
{
    Vec3 centre = shBody_GetCentre(world, id), velocity = shBody_GetVelocity(world, id);
    Vec3 free = vMad(body->velocity, dt, shWorld_GetGravity(world));
    double speed = (double)vLength(velocity), way = (double)vDistance(centre, body->centre),
           changed = (double)vDistance(velocity, free);
    bool still = shBody_GetMass(world, id) == body->mass && speed > WATCH_HANG_SPEED &&
                 changed < WATCH_HANG_SHARE * speed && way < WATCH_HANG_SHARE * speed * (double)dt;
    body->hanging = still ? body->hanging + 1 : 0;
    return body->hanging >= WATCH_HANG_STEPS;
}

static void compareMomentum(Watch* watch, const Totals* totals)
{
    if (watch->momentumSize > 0.0)
        watch->momentumError =
            maxD(watch->momentumError, dDistance(totals->momentum, watch->momentum) / watch->momentumSize);
    if (watch->spinSize > 0.0)
        watch->spinError = maxD(watch->spinError, dDistance(totals->spin, watch->spin) / watch->spinSize);
}

void watchAfter(Watch* watch, const shWorld* world, float dt)
{
    Totals totals = sum(watch, world);
    double energy = totals.kinetic + totals.potential;
    ++watch->step;
    watch->gained += maxD(0.0, energy - watch->energy);
    watch->energy = energy;
    watch->most = maxD(watch->most, totals.kinetic);
    if (totals.bodies > 0 && totals.speed / totals.bodies > WATCH_REST_SPEED)
        watch->lastFast = watch->step;
    compareMomentum(watch, &totals);
    for (int i = 0; i < watch->capacity && i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        Watched* body = &watch->bodies[i];
        if (body->generation == 0 || id.generation != body->generation)
            continue;
        if (hangs(body, world, id, dt) && !body->hung) {
            body->hung = true;
            ++watch->hung;
        }
    }
}

int watchCreeping(const Watch* watch, const shWorld* world)
{
    int count = 0;
    for (int i = 0; i < watch->capacity && i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        const Watched* body = &watch->bodies[i];
        if (id.generation == 0 || body->markedGeneration != id.generation || body->generation != id.generation)
            continue;
        double speed = (double)vDistance(shBody_GetCentre(world, id), body->marked) / WATCH_CREEP_SECONDS;
        count += speed > WATCH_CREEP_LEAST && speed < WATCH_CREEP_MOST;
    }
    return count;
}

int watchLost(const shWorld* world)
{
    int count = 0;
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        if (id.generation != 0 && shBody_GetType(world, id) == shDynamicBody)
            count += !((double)shBody_GetCentre(world, id).y > -WATCH_LOST); // NaN is lost, too
    }
    return count;
}

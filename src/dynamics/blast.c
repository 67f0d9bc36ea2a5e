// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Blasts: an impulse away from a point on everything in reach. What it breaks, breaks at once, and the pieces are
// thrown.
#include "core/constants.h"
#include "core/message.h"
#include "dynamics/input_log.h"

// The impulse of a blast on a body, N·s, at its centre of mass; zero out of reach.
static DVec3 blastOn(const Body* body, const shExplosion* explosion)
{
    DVec3 away = dSub(body->centre, dFromV(explosion->point));
    double distance = dLength(away), radius = (double)body->radius;
    double near = maxD(distance - radius, 0.0) / (double)explosion->radius;
    if (near >= 1.0)
        return dvec3(0.0, 0.0, 0.0);
    DVec3 direction = distance > 0.0 ? dScale(1.0 / distance, away) : dvec3(0.0, 1.0, 0.0);
    double section = BLAST_SECTION * radius * radius;
    return dScale((double)explosion->impulse * (1.0 - near) * section, direction);
}

shStatus shWorld_Explode(shWorld* world, const shExplosion* explosion, shMessage* message)
{
    if (world == NULL || explosion == NULL || !vFinite(explosion->point) || !(explosion->radius > 0.0f) ||
        !isfinite(explosion->radius) || !(explosion->impulse >= 0.0f) || !isfinite(explosion->impulse))
        return fail(message, shInvalid, "explosion: point, radius and impulse must be finite, the radius above 0");
    world->jobs.count = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0 || !bodyBreaks(world, body))
            continue;
        DVec3 blast = blastOn(body, explosion);
        double size = dLength(blast);
        if (size == 0.0)
            continue;
        const shFractureDef* fracture = &world->solids.data[body->solid].fracture;
        shHit hit = {.impulse = size,
                     .inverseMass = body->mass > 0.0 ? 1.0 / body->mass : 1.0,
                     .pieces = fracture->pattern.pieces};
        shVerdict verdict = shJudgeHit(&body->strength, &hit);
        if (!verdict.breaks || verdict.pieces < 2)
            continue;
        Vec3 normal = vFromD(dScale(1.0 / size, blast));
        shImpact impact = shDefaultImpact(xformUnpoint(body->transform, explosion->point));
        impact.direction = qUnrotate(body->transform.q, normal);
        impact.radius = verdict.radius;
        PendingBreak pending = {.body = bodyId(world, i),
                                .impact = impact,
                                .pieces = verdict.pieces,
                                .point = explosion->point,
                                .normal = normal,
                                .impulse = (float)size,
                                .energy = (float)verdict.energy};
        if (!breakAdd(world, &pending))
            return failMemory(message);
    }
    if (!arrayReserve(world->memory, &world->runs, world->jobs.count))
        return failMemory(message);
    if (world->jobs.count > 0)
        breakAll(world);
    for (int i = 0; i < world->bodies.count; ++i) {
        Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0 || body->type != shDynamicBody)
            continue;
        DVec3 blast = blastOn(body, explosion);
        if (dLength2(blast) == 0.0)
            continue;
        body->velocity = vAdd(body->velocity, vFromD(dScale(1.0 / body->mass, blast)));
        bodyWake(world, i);
    }
    WORLD_LOG(world, .type = inputExplode, .explosion = *explosion);
    return shOk;
}

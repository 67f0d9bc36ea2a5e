// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Debris: small pieces that have broken off. They go when they are old, and the oldest when there are too many; their
// mass is booked.
#include "dynamics/world.h"

static bool isDebris(const shWorld* world, const Body* body)
{
    return body->solid >= 0 && body->age >= 0.0f && body->type == shDynamicBody &&
           body->volume <= world->def.debrisVolume;
}

static void removeDebris(shWorld* world, int index)
{
    world->counters.removedMass += world->bodies.data[index].mass;
    bodyDestroy(world, index);
}

void breakingEnd(shWorld* world, float dt)
{
    int count = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0)
            continue;
        if (body->age >= 0.0f && !body->fresh)
            body->age += dt;
        body->fresh = body->struck = false;
        if (!isDebris(world, body))
            continue;
        if (world->def.debrisAge > 0.0f && body->age >= world->def.debrisAge)
            removeDebris(world, i);
        else
            ++count;
    }
    // Too many: the oldest go, of equals the lower slot.
    while (world->def.debrisLimit > 0 && count > world->def.debrisLimit) {
        int oldest = -1;
        for (int i = 0; i < world->bodies.count; ++i) {
            const Body* body = &world->bodies.data[i];
            if (idPoolAt(&world->ids, i).generation != 0 && isDebris(world, body) &&
                (oldest < 0 || body->age > world->bodies.data[oldest].age))
                oldest = i;
        }
        removeDebris(world, oldest);
        --count;
    }
    world->counters.debris = count;
    world->counters.deferred = world->deferred.count;
    world->told = true;
}

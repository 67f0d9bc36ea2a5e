// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Watches a world step by step through the public interface alone: energy, momentum, who hangs in the air, who creeps.
#pragma once

#include "core/vec.h"
#include "sherd/world.h"

enum { WATCH_HANG_STEPS = 3 };
#define WATCH_HANG_SPEED 1.0    // m/s: slower bodies do not hang
#define WATCH_HANG_SHARE 0.1    // of the velocity that contacts change; of the way that is gone: less of both hangs
#define WATCH_REST_SPEED 0.05   // m/s, mean over all bodies: at rest
#define WATCH_CREEP_SECONDS 0.5 // at the end, over which creeping is measured
#define WATCH_CREEP_LEAST 1e-3  // m/s; what goes slower rests
#define WATCH_CREEP_MOST 0.05   // m/s; what goes faster rolls, slides or falls
#define WATCH_LOST 0.05         // m that a centre of mass is below the floor's top: it has gone through

// A body before the step.
typedef struct Watched {
    uint32_t generation; // 0: none
    Vec3 centre, velocity;
    double mass;
    double inertia[3][3]; // kg·m², rest frame: costly to ask for, so kept as long as the mass is this
    double inertiaMass;
    int hanging; // steps running
    bool hung;   // ever
    uint32_t markedGeneration;
    Vec3 marked; // where it was when creeping began to be measured
} Watched;

typedef struct Watch {
    Watched* bodies; // [capacity] by body index
    int capacity;
    int step, steps;                 // done, to do
    double energy, most;             // J now; the largest kinetic one so far, with what it is to gain from
    double gained;                   // J, Σ of what single steps gained
    DVec3 momentum, spin;            // at the beginning; angular about the origin
    double momentumSize, spinSize;   // Σ of the sizes of what bodies have, at the beginning
    double momentumError, spinError; // shares of these, the largest so far
    int hung;                        // bodies that ever hung
    int lastFast;                    // the last step after which the mean speed was above WATCH_REST_SPEED
} Watch;

void watchStart(Watch* watch, const shWorld* world, int steps);
void watchFree(Watch* watch);
shStatus watchBefore(Watch* watch, const shWorld* world, float dt, shMessage* message);
void watchAfter(Watch* watch, const shWorld* world, float dt);
// Bodies that creep, and that have gone below y = −WATCH_LOST; after the last step.
int watchCreeping(const Watch* watch, const shWorld* world);
int watchLost(const shWorld* world);

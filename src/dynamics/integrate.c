// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From the solver's states to the bodies' new places. The spin keeps its momentum and energy unless an impulse acted
// (S1): ω comes from it, never the other way round.
#include "core/constants.h"
#include "dynamics/world.h"

typedef struct FinishJob {
    shWorld* world;
    float dt;
} FinishJob;

// The part of the solver's turn that the velocity in the end does not explain: contacts pushing out, or velocities on
// the way there. It moves the body without being motion, so it must not add to its energy.
static void reposition(Spin* spin, DVec3 turn)
{
    double energy = spin->energy;
    spin->frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), spin->frame));
    spinRenew(spin);
    if (spin->energy > energy) {
        spin->momentum = dScale(sqrt(energy / spin->energy), spin->momentum);
        spinRenew(spin);
    }
}

static void finishBody(Body* body, const BodyState* state, float dt)
{
    DVec3 shift = {(double)state->shift[0], (double)state->shift[1], (double)state->shift[2]};
    DVec3 turn = {(double)state->turn[0], (double)state->turn[1], (double)state->turn[2]};
    Vec3 angular = {state->angular[0], state->angular[1], state->angular[2]};
    body->velocity = vec3(state->velocity[0], state->velocity[1], state->velocity[2]);
    body->centre = dAdd(body->centre, shift);
    if (body->type != shDynamicBody) {
        body->spin.frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), body->spin.frame));
    } else {
        DVec3 torque = dScale((double)dt, dFromV(body->torque));
        DVec3 change = dFromV(vSub(angular, body->angular));
        if (dLength2(change) > 0.0 || dLength2(torque) > 0.0) {
            spinAddVelocity(&body->spin, change);
            spinAddImpulse(&body->spin, torque);
            reposition(&body->spin, dSub(turn, dScale((double)dt, dFromV(angular))));
        }
        spinAdvance(&body->spin, (double)dt);
        body->force = body->torque = vec3(0.0f, 0.0f, 0.0f);
    }
    bodyPlace(body);
}

static void finishBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const FinishJob* job = arg;
    shWorld* world = job->world;
    for (int i = begin; i < end; ++i)
        finishBody(&world->bodies.data[world->moving.data[i]], &world->states.data[i], job->dt);
}

void bodiesFinish(shWorld* world, float dt)
{
    FinishJob job = {world, dt};
    parallelFor(world->context, world->moving.count, BODY_BLOCK, finishBlock, &job);
}

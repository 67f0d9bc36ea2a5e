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

// No more energy than the solver has given it: inertia is another where the body has turned to.
static void limitEnergy(Spin* spin, double energy)
{
    if (spin->energy <= energy)
        return;
    spin->momentum = dScale(sqrt(energy / spin->energy), spin->momentum);
    spinRenew(spin);
}

// The part of the solver's turn that is no motion: contacts pushing out. It must not add to the energy.
void spinReposition(Spin* spin, DVec3 turn)
{
    double energy = spin->energy;
    spin->frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), spin->frame));
    spinRenew(spin);
    limitEnergy(spin, energy);
}

// A step in which impulses acted: the old spin until they did, the new one from then on. When that was is seen from how
// far the solver has turned the body; what neither spin explains was push-out.
//
// Momentum and energy are those that the solver gave it where it was at the start. Until the impulse it has turned, and
// has another inertia: as in free rotation, the frame is turned a little more until both fit again.
static void turnWithImpulses(Spin* spin, DVec3 before, DVec3 after, DVec3 torque, DVec3 turn, double dt)
{
    DVec3 change = dSub(after, before), late = dSub(turn, dScale(dt, after));
    double length2 = dLength2(change);
    double share = length2 > 0.0 ? clampD(-dDot(late, change) / (dt * length2), 0.0, 1.0) : 0.0;
    Spin still = *spin; // the solver saw it in this place
    spinAddVelocity(&still, change);
    spinAddImpulse(&still, torque);
    DVec3 push = dAdd(late, dScale(share * dt, change));
    spinAdvance(spin, share * dt);
    spin->momentum = still.momentum;
    spin->energy = still.energy;
    if (dLength(push) < dt * dLength(after)) {
        spin->frame = dqNormalize(dqMul(dqFromAxisAngle(push, dLength(push)), spin->frame));
        spinRestore(spin);
    } else {
        spinRestore(spin);
        spinReposition(spin, push);
    }
    spinAdvance(spin, (1.0 - share) * dt);
}

static double kinetic(const Body* body)
{
    return 0.5 * body->mass * dLength2(dFromV(body->velocity)) + body->spin.energy;
}

double bodyEnergy(const shWorld* world, const Body* body)
{
    double height = -dDot(dFromV(world->def.gravity), body->centre);
    return kinetic(body) + body->mass * (double)body->gravityScale * height;
}

static void finishBody(Body* body, const BodyState* state, Vec3 gravity, float dt, EnergySum* sum)
{
    bool moved = body->type == shDynamicBody;
    double energy = moved ? kinetic(body) : 0.0;
    DVec3 shift = {(double)state->shift[0], (double)state->shift[1], (double)state->shift[2]};
    DVec3 turn = {(double)state->turn[0], (double)state->turn[1], (double)state->turn[2]};
    Vec3 angular = {state->angular[0], state->angular[1], state->angular[2]};
    Vec3 before = body->velocity;
    body->velocity = vec3(state->velocity[0], state->velocity[1], state->velocity[2]);
    float fall = dt * body->gravityScale * vLength(gravity);
    body->held = vDistance2(body->velocity, before) < 0.25f * fall * fall;
    body->centre = dAdd(body->centre, shift);
    if (body->type != shDynamicBody) {
        body->spin.frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), body->spin.frame));
    } else {
        DVec3 torque = dScale((double)dt, dFromV(body->torque));
        DVec3 old = dFromV(body->angular), after = dFromV(angular);
        if (dLength2(dSub(after, old)) > 0.0 || dLength2(torque) > 0.0)
            turnWithImpulses(&body->spin, old, after, torque, turn, (double)dt);
        else
            spinAdvance(&body->spin, (double)dt);
        body->force = body->torque = vec3(0.0f, 0.0f, 0.0f);
    }
    bodyPlace(body);
    if (!moved)
        return;
    double weight = body->mass * (double)body->gravityScale, fallen = dDot(dFromV(gravity), shift);
    double pushed = weight * ((double)state->pushed - fallen);
    sum->pushed += pushed;
    sum->lost += energy - kinetic(body) + weight * fallen + pushed;
}

static void finishBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const FinishJob* job = arg;
    shWorld* world = job->world;
    EnergySum sum = {0.0, 0.0};
    for (int i = begin; i < end; ++i) {
        Body* body = &world->bodies.data[world->moving.data[i]];
        world->befores.data[i] = bodyBefore(world, body, job->dt);
        guardNote(world, i);
        finishBody(body, &world->states.data[i], world->def.gravity, job->dt, &sum);
    }
    world->sums.data[begin / BODY_BLOCK] = sum;
}

void bodiesFinish(shWorld* world, float dt)
{
    FinishJob job = {world, dt};
    parallelFor(world->context, world->moving.count, BODY_BLOCK, finishBlock, &job);
    world->energy = (EnergySum){0.0, 0.0};
    for (int i = 0; i * BODY_BLOCK < world->moving.count; ++i) {
        world->energy.pushed += world->sums.data[i].pushed;
        world->energy.lost += world->sums.data[i].lost;
    }
}

shEnergy shWorld_GetEnergy(const shWorld* world)
{
    shEnergy energy = {.pushed = world->energy.pushed, .lost = world->energy.lost};
    for (int i = 0; i < world->bodies.count; ++i) {
        const Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0 || body->type != shDynamicBody)
            continue;
        energy.kinetic += kinetic(body);
        energy.potential -= body->mass * (double)body->gravityScale * dDot(dFromV(world->def.gravity), body->centre);
    }
    return energy;
}

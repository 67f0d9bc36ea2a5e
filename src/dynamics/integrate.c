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

// The part of the solver's turn that is no motion: contacts pushing out. It must not add to the energy.
void spinReposition(Spin* spin, DVec3 turn)
{
    spin->frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), spin->frame));
    spinSettle(spin);
}

// A step in which impulses acted: the old spin until they did, the new one from then on. When that was is seen from how
// far the solver has turned the body; what neither spin explains was push-out.
typedef struct Turn {
    Spin still;   // with the impulses, in the place where the solver saw it
    DVec3 push;   // turned by
    bool moves;   // more by itself than it is pushed
    double share; // of the step, until the impulses
} Turn;

static Turn turnOf(const Spin* spin, DVec3 before, DVec3 after, DVec3 torque, DVec3 turn, double dt)
{
    DVec3 change = dSub(after, before), late = dSub(turn, dScale(dt, after));
    double length2 = dLength2(change);
    double share = length2 > 0.0 ? clampD(-dDot(late, change) / (dt * length2), 0.0, 1.0) : 0.0;
    DVec3 push = dAdd(late, dScale(share * dt, change));
    Turn made = {*spin, push, dLength(push) < dt * dLength(after), share};
    spinAddVelocity(&made.still, change);
    spinAddImpulse(&made.still, torque);
    return made;
}

// When the impulses act. Momentum and energy are those that the solver gave it where it was at the start. Until now it
// has turned, and has another inertia: as in free rotation, the frame is turned a little more until both fit again.
static void turnByImpulses(Spin* spin, const Turn* turn)
{
    spin->momentum = turn->still.momentum;
    spin->energy = turn->still.energy;
    if (turn->moves) {
        spin->frame = dqNormalize(dqMul(dqFromAxisAngle(turn->push, dLength(turn->push)), spin->frame));
        spinRestore(spin);
    } else {
        spinRestore(spin);
        spinReposition(spin, turn->push);
    }
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

// The bodies of a block that turn by themselves: side by side.
typedef struct Turning {
    int count;
    int who[BODY_BLOCK]; // states
    Spin spins[BODY_BLOCK];
    double times[BODY_BLOCK]; // s
    bool hit[BODY_BLOCK];     // impulses acted
    Turn turns[BODY_BLOCK];
} Turning;

// All but its rotation, unless it is moved by hand.
static void moveBody(const shWorld* world, Body* body, int state, float dt, Turning* turning)
{
    const BodyState* from = &world->states.data[state];
    DVec3 turn = {(double)from->turn[0], (double)from->turn[1], (double)from->turn[2]};
    Vec3 before = body->velocity;
    body->velocity = vec3(from->velocity[0], from->velocity[1], from->velocity[2]);
    float fall = dt * body->gravityScale * vLength(world->def.gravity);
    body->held = vDistance2(body->velocity, before) < 0.25f * fall * fall;
    body->centre = dAdd(body->centre, dvec3((double)from->shift[0], (double)from->shift[1], (double)from->shift[2]));
    if (body->type != shDynamicBody) {
        body->spin.frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), body->spin.frame));
        return;
    }
    DVec3 torque = dScale((double)dt, dFromV(body->torque)), old = dFromV(body->angular);
    DVec3 after = {(double)from->angular[0], (double)from->angular[1], (double)from->angular[2]};
    int k = turning->count++;
    turning->who[k] = state;
    turning->spins[k] = body->spin;
    turning->times[k] = (double)dt;
    turning->hit[k] = dLength2(dSub(after, old)) > 0.0 || dLength2(torque) > 0.0;
    if (turning->hit[k]) {
        turning->turns[k] = turnOf(&body->spin, old, after, torque, turn, (double)dt);
        turning->times[k] = turning->turns[k].share * (double)dt;
    }
    body->force = body->torque = vec3(0.0f, 0.0f, 0.0f);
}

static void turnBodies(const shWorld* world, Turning* turning, double dt)
{
    spinAdvanceEach(turning->spins, turning->count, turning->times);
    int left = 0; // those that impulses have met on the way
    for (int k = 0; k < turning->count; ++k) {
        if (!turning->hit[k]) {
            world->bodies.data[world->moving.data[turning->who[k]]].spin = turning->spins[k];
            continue;
        }
        Spin spin = turning->spins[k];
        turnByImpulses(&spin, &turning->turns[k]);
        turning->spins[left] = spin;
        turning->times[left] = (1.0 - turning->turns[k].share) * dt;
        turning->who[left++] = turning->who[k];
    }
    spinAdvanceEach(turning->spins, left, turning->times);
    for (int k = 0; k < left; ++k)
        world->bodies.data[world->moving.data[turning->who[k]]].spin = turning->spins[k];
}

static void finishBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const FinishJob* job = arg;
    shWorld* world = job->world;
    Turning turning;
    double energies[BODY_BLOCK];
    turning.count = 0;
    for (int i = begin; i < end; ++i) {
        Body* body = &world->bodies.data[world->moving.data[i]];
        world->befores.data[i] = bodyBefore(world, body, job->dt);
        energies[i - begin] = body->type == shDynamicBody ? kinetic(body) : 0.0;
        moveBody(world, body, i, job->dt, &turning);
    }
    turnBodies(world, &turning, (double)job->dt);
    EnergySum sum = {0.0, 0.0};
    for (int i = begin; i < end; ++i) {
        Body* body = &world->bodies.data[world->moving.data[i]];
        const BodyState* state = &world->states.data[i];
        bodyPlace(body);
        if (body->type != shDynamicBody)
            continue;
        DVec3 shift = {(double)state->shift[0], (double)state->shift[1], (double)state->shift[2]};
        double weight = body->mass * (double)body->gravityScale, fallen = dDot(dFromV(world->def.gravity), shift);
        double pushed = weight * ((double)state->pushed - fallen);
        sum.pushed += pushed;
        sum.lost += energies[i - begin] - kinetic(body) + weight * fallen + pushed;
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

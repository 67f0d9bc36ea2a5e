// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The substeps.
#include "core/constants.h"
#include "core/forest.h"
#include "dynamics/world.h"

#include <string.h>

// Groups by colour.
typedef struct GroupList {
    int* groups;
    int start[65];
} GroupList;

typedef struct SolveJob {
    shWorld* world;
    TaskRegion* region;
    SolverStep step;
    void (*kernel)(const SolverStep* step, int begin, int end);
    int first;             // of the list, that item 0 stands for
    GroupList all, active; // groups; those of active islands
    int listed;            // pairs of islands that were active when those were listed
    float substep;         // s
    int substeps;
    bool easing;                    // some are that light
    _Alignas(64) atomic_bool moved; // apart from what is only read
} SolveJob;

static void solveBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    job->kernel(&job->step, job->first + begin, job->first + end);
}

// A kernel over listed groups, colour by colour. The last colour holds pairs that share bodies: one at a time.
static void overList(SolveJob* job, const GroupList* list, void (*kernel)(const SolverStep* step, int begin, int end))
{
    job->kernel = kernel;
    job->step.list = list->groups;
    for (int colour = 0; colour < 64; ++colour) {
        int count = list->start[colour + 1] - list->start[colour];
        job->step.clock += 1.0f;
        job->first = list->start[colour];
        job->step.shared = colour == 63;
        if (count == 0)
            continue;
        if (job->step.shared)
            kernel(&job->step, job->first, job->first + count);
        else
            regionFor(job->region, count, SOLVER_PART, solveBlock, job);
    }
}

static void overGroups(SolveJob* job, void (*kernel)(const SolverStep* step, int begin, int end))
{
    overList(job, &job->all, kernel);
}

// The same for active islands alone.
static void overActive(SolveJob* job, void (*kernel)(const SolverStep* step, int begin, int end))
{
    overList(job, &job->active, kernel);
}

static void overBodies(SolveJob* job, shTask* task)
{
    regionFor(job->region, job->world->moving.count, BODY_BLOCK, task, job);
}

static void addVelocity(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    shWorld* world = job->world;
    float h = job->substep;
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        if (body->mass <= 0.0)
            continue;
        BodyState* state = &job->step.states[i];
        float keep = 1.0f / (1.0f + h * body->linearDamping), keepTurn = 1.0f / (1.0f + h * body->angularDamping);
        Vec3 push =
            vScale(h, vMad(vScale(body->gravityScale, world->def.gravity), (float)(1.0 / body->mass), body->force));
        Vec3 v = {state->velocity[0], state->velocity[1], state->velocity[2]}, next = vScale(keep, vAdd(v, push));
        state->velocity[0] = next.x;
        state->velocity[1] = next.y;
        state->velocity[2] = next.z;
        if (world->colours.data[i] == 0) { // free: its way is a parabola
            Vec3 early = vScale(0.5f * h, vSub(next, v));
            state->shift[0] -= early.x;
            state->shift[1] -= early.y;
            state->shift[2] -= early.z;
        }
        for (int k = 0; k < 3; ++k)
            state->angular[k] *= keepTurn;
    }
    balanceBegin(world, begin, end);
}

static void startAgain(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    balanceAgain(job->world, begin, end);
}

// For eased rounds: with the momentum they have.
static void startEased(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    for (int i = begin; i < end; ++i) {
        BodyState* state = &job->step.states[i];
        float ease = job->world->starts.data[i].ease;
        for (int k = 0; k < 3; ++k) {
            state->velocity[k] *= ease;
            state->angular[k] *= ease;
        }
    }
}

static void addPosition(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    float h = job->substep;
    for (int i = begin; i < end; ++i) {
        BodyState* state = &job->step.states[i];
        for (int k = 0; k < 3; ++k) {
            state->shift[k] += h * state->velocity[k];
            state->turn[k] += h * state->angular[k];
        }
    }
}

// The spring of a dragged body: soft like a contact, its impulse limited by its force.
static void solveDrags(SolveJob* job)
{
    shWorld* world = job->world;
    float h = job->substep;
    for (int i = 0; i < world->drags.count; ++i) {
        const Drag* drag = &world->drags.data[i];
        if (drag->body < 0)
            continue;
        const Body* body = &world->bodies.data[drag->body];
        if (body->state < 0)
            continue; // put to sleep by hand
        BodyState* state = &job->step.states[body->state];
        Vec3 lever = qRotate(body->transform.q, vSub(drag->def.point, body->restCentre));
        Vec3 turn = {state->turn[0], state->turn[1], state->turn[2]};
        Vec3 shift = {state->shift[0], state->shift[1], state->shift[2]};
        Vec3 at = vAdd(vAdd(vFromD(body->centre), lever), vAdd(shift, vCross(turn, lever)));
        Vec3 v = {state->velocity[0], state->velocity[1], state->velocity[2]};
        Vec3 w = {state->angular[0], state->angular[1], state->angular[2]};
        float omega = 2.0f * 3.14159265f * drag->def.hertz, mass = (float)body->mass;
        float stiff = mass * omega * omega, damp = 2.0f * mass * drag->def.damping * omega;
        // Implicit in the point's own motion: stable however stiff.
        float soft = 1.0f / (1.0f + h * (damp + h * stiff) / mass);
        Vec3 away = vSub(at, drag->def.target), speed = vAdd(v, vCross(w, lever));
        Vec3 impulse = vScale(-h * soft, vMad(vScale(damp + h * stiff, speed), stiff, away));
        float length = vLength(impulse), most = h * drag->def.maxForce;
        if (length > most)
            impulse = vScale(most / length, impulse);
        DVec3 torque = dqUnrotate(body->spin.frame, dFromV(vCross(lever, impulse)));
        DVec3 change = {torque.x / body->spin.inertia.x, torque.y / body->spin.inertia.y,
                        torque.z / body->spin.inertia.z};
        v = vMad(v, 1.0f / mass, impulse);
        w = vAdd(w, vFromD(dqRotate(body->spin.frame, change)));
        state->velocity[0] = v.x, state->velocity[1] = v.y, state->velocity[2] = v.z;
        state->angular[0] = w.x, state->angular[1] = w.y, state->angular[2] = w.z;
        balanceBegin(world, body->state, body->state + 1);
    }
}

// ---- iterations -----------------------------------------------------------------------------------------------------
//
// Every island is iterated until nothing changes that matters, or it has had enough, by a count, a tolerance and a
// momentum of its own. Islands run side by side; those that are done are masked, and groups of none but such are taken
// from the list when it would be half as long.

static bool hasActive(const Island* islands, const PairGroup* group)
{
    bool any = false;
    for (int lane = 0; lane < lanes; ++lane)
        any |= islands[group->island[lane]].active;
    return any;
}

// The groups of active islands, of those that another list has; it may be the same one.
static void listActive(SolveJob* job, const GroupList* from)
{
    const shWorld* world = job->world;
    GroupList* into = &job->active;
    int count = 0, next = 0;
    for (int colour = 0; colour < 64; ++colour) {
        into->start[colour] = count;
        for (; next < from->start[colour + 1]; ++next) {
            int group = from->groups[next];
            if (hasActive(world->islands.all.data, &world->groups.data[group]))
                into->groups[count++] = group;
        }
    }
    into->start[64] = count;
}

static bool isAny(const Island* island)
{
    (void)island;
    return true;
}

static bool isScaled(const Island* island) { return island->scaled; }

// Where few rounds do, next to nothing is left to disagree about; two solves may have had no more.
static bool isRough(const Island* island) { return island->iterations > SOLVER_PLAIN || island->scaled; }

// Makes the islands active that are chosen. False: none is.
static bool activate(SolveJob* job, bool (*chosen)(const Island* island))
{
    Islands* islands = &job->world->islands;
    islands->active.count = job->listed = 0;
    for (int i = 0; i < islands->list.count; ++i) {
        Island* island = &islands->all.data[islands->list.data[i]];
        island->active = chosen(island);
        if (!island->active)
            continue;
        islands->active.data[islands->active.count++] = islands->list.data[i];
        job->listed += island->pairs;
    }
    listActive(job, &job->all);
    return islands->active.count > 0;
}

// After a round: islands that it did not change are done, and those that have had enough. False: all are.
static bool retire(SolveJob* job)
{
    Islands* islands = &job->world->islands;
    int left = 0, pairs = 0;
    for (int i = 0; i < islands->active.count; ++i) {
        int index = islands->active.data[i];
        Island* island = &islands->all.data[index];
        int most = island->scaled ? (island->most + 1) / 2 : island->most; // each of two solves
        island->iterations = job->step.iteration;
        island->active = atomic_load_explicit(&island->changed, memory_order_relaxed) == island->iterations &&
                         island->iterations < most;
        if (!island->active)
            continue;
        islands->active.data[left++] = index;
        pairs += island->pairs;
    }
    islands->active.count = left;
    if (left > 0 && 2 * pairs <= job->listed) {
        GroupList from = job->active;
        listActive(job, &from);
        job->listed = pairs;
    }
    return left > 0;
}

// Momentum grows from round to round, until a round goes against it.
static void accelerate(const SolveJob* job)
{
    Islands* islands = &job->world->islands;
    for (int i = 0; i < islands->active.count; ++i)
        islands->all.data[islands->active.data[i]].along = 0.0;
    for (int i = 0; job->step.accelerated && i < job->active.start[64]; ++i) {
        const PairGroup* group = &job->world->groups.data[job->active.groups[i]];
        for (int lane = 0; lane < lanes; ++lane)
            islands->all.data[group->island[lane]].along += (double)group->along[lane];
    }
    for (int i = 0; i < islands->active.count; ++i) {
        Island* island = &islands->all.data[islands->active.data[i]];
        island->accelerated = job->step.accelerated && island->along >= 0.0 ? island->accelerated + 1 : 0;
        island->momentum = (float)island->accelerated / (float)(island->accelerated + 3);
    }
}

// Rounds of impulses for the islands that are active.
static void iterate(SolveJob* job)
{
    const Islands* islands = &job->world->islands;
    SolverStep* step = &job->step;
    step->accelerating = step->accelerated = false;
    for (int i = 0; i < islands->active.count; ++i)
        islands->all.data[islands->active.data[i]].changed = 0;
    for (step->iteration = 1; islands->active.count > 0; ++step->iteration) {
        overActive(job, SIMD_CHOOSE(solverSolve));
        if (!retire(job))
            return;
        if (step->accelerating) {
            accelerate(job);
            overActive(job, SIMD_CHOOSE(solverAccelerate));
            step->accelerated = true;
        }
        step->accelerating = step->iteration >= SOLVER_PLAIN;
    }
}

// Energy of a dynamic body's motion, with the inertia that the solver knows.
static double kinetic(const Body* body, Vec3 velocity, Vec3 angular)
{
    DVec3 w = dqUnrotate(body->spin.frame, dFromV(angular)), i = body->spin.inertia;
    return 0.5 * (body->mass * dLength2(dFromV(velocity)) + i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z);
}

// Before contacts are pushed apart and bounce: where bodies are, and what they have lost.
static void noteEnergy(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    const shWorld* world = job->world;
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[world->moving.data[i]];
        BodyState* state = &job->step.states[i];
        state->pushed = vDot(world->def.gravity, vec3(state->shift[0], state->shift[1], state->shift[2]));
        if (body->mass <= 0.0)
            continue;
        Vec3 velocity = {state->velocity[0], state->velocity[1], state->velocity[2]};
        Vec3 angular = {state->angular[0], state->angular[1], state->angular[2]};
        double fallen = body->mass * (double)(body->gravityScale * state->pushed);
        state->spare =
            (float)(kinetic(body, body->velocity, body->angular) + fallen - kinetic(body, velocity, angular));
    }
}

int worldSubsteps(const shWorld* world, float dt)
{
    if (world->def.substeps > 0)
        return world->def.substeps;
    return maxI(minI((int)ceilf(dt / SUBSTEP - SUBSTEP_SLACK), SH_MAX_SUBSTEPS), 1);
}

static bool carries(const ContactLanes* contacts, const PairGroup* group, int lane)
{
    for (int i = group->first; i < group->first + group->count; ++i) {
        if (contacts[i].impulse[lane] > 0.0f)
            return true;
    }
    return false;
}

// The root of all that forces hold together at the end of the step. Contacts that carry nothing do not: what flies by
// something that stands is held by nobody.
static int* standingWith(const SolveJob* job)
{
    shWorld* world = job->world;
    int* with = world->standing.data;
    for (int i = 0; i < world->states.count; ++i)
        with[i] = i;
    for (int g = 0; g < world->groups.count; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            bool both = group->massA[lane] > 0.0f && group->massB[lane] > 0.0f;
            if (both && carries(world->lanes.data, group, lane))
                forestJoin(with, group->bodyA[lane], group->bodyB[lane]);
        }
    }
    for (int i = 0; i < world->states.count; ++i)
        with[i] = forestRoot(with, i);
    return with;
}

// Pairs whose masses need not count: they stand on something. Where nothing holds them, pushing must not move the
// centre of mass.
static void markEven(const SolveJob* job)
{
    shWorld* world = job->world;
    const int* with = standingWith(job);
    for (int i = 0; i < world->states.count; ++i)
        world->balances.data[i].propped = false;
    for (int pass = 0; pass < 2; ++pass) {
        for (int g = 0; g < world->groups.count; ++g) {
            PairGroup* group = &world->groups.data[g];
            for (int lane = 0; lane < lanes; ++lane) {
                bool a = group->massA[lane] > 0.0f, b = group->massB[lane] > 0.0f;
                int rootA = with[group->bodyA[lane]], rootB = with[group->bodyB[lane]];
                if (pass == 0 && a != b && carries(world->lanes.data, group, lane))
                    world->balances.data[a ? rootA : rootB].propped = true;
                if (pass == 1)
                    group->even[lane] =
                        a && b && world->balances.data[rootA].propped && world->balances.data[rootB].propped ? 1.0f
                                                                                                             : 0.0f;
            }
        }
    }
}

// ---- light bodies under heavy ones ----------------------------------------------------------------------------------
//
// What a heavy body gives to a light one that lies on something, and that to what it lies on, takes as many rounds as
// one is heavier than the other. So where that is much, a first solve counts the light one as heavier, with the
// momentum it has: what is at rest needs the same impulses then. From there the real one has little left to do. Islands
// without such bodies have the real one alone.

static bool easeBody(const shWorld* world, int state, float mass, float other)
{
    BodyStart* start = &world->starts.data[state];
    if (!(mass * start->ease > EASE_LIGHT * other) || !world->bodies.data[world->moving.data[state]].held)
        return false;
    start->ease = EASE_RATIO * other / mass;
    world->islands.all.data[world->islands.of.data[state]].scaled = true;
    return true;
}

// False: nobody is that light.
static bool findEased(const SolveJob* job)
{
    shWorld* world = job->world;
    BodyStart* starts = world->starts.data;
    for (int i = 0; i < world->states.count; ++i)
        starts[i].ease = 1.0f;
    bool any = false, more = true;
    for (int pass = 0; pass < EASE_PASSES && more; ++pass) {
        more = false;
        for (int g = 0; g < world->groups.count; ++g) {
            const PairGroup* group = &world->groups.data[g];
            for (int lane = 0; lane < lanes; ++lane) {
                int a = group->bodyA[lane], b = group->bodyB[lane];
                float massA = group->massA[lane], massB = group->massB[lane];
                if (massA > 0.0f && massB > 0.0f)
                    more |= massA > massB ? easeBody(world, a, massA, massB * starts[b].ease)
                                          : easeBody(world, b, massB, massA * starts[a].ease);
            }
        }
        any |= more;
    }
    for (int g = 0; g < world->groups.count && any; ++g) {
        PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            group->easeA[lane] = starts[group->bodyA[lane]].ease;
            group->easeB[lane] = starts[group->bodyB[lane]].ease;
            group->scaled[lane] = world->islands.all.data[group->island[lane]].scaled ? 1.0f : 0.0f;
        }
    }
    return any;
}

static void solveEased(SolveJob* job)
{
    job->step.eased = true;
    job->step.rounding = EASE_ROUGH;
    overBodies(job, startEased);
    overGroups(job, SIMD_CHOOSE(solverWarmStart)); // those that are not eased, too: their shares are 1
    activate(job, isScaled);
    iterate(job);
    job->step.eased = false;
    job->step.rounding = EASE_ROUNDING;
    activate(job, isScaled);
    overBodies(job, startAgain);
    overActive(job, SIMD_CHOOSE(solverApply));
    for (int i = 0; i < job->active.start[64]; ++i) {
        PairGroup* group = &job->world->groups.data[job->active.groups[i]];
        group->aimed = false;
        group->fresh = true;
        group->version = -1.0f;
    }
}

// Lanes without a contact add nothing to a velocity, but that may make a zero of the other sign: which it is must not
// hang on what else was in a group.
static void dropSigns(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const SolveJob* job = arg;
    for (int i = begin; i < end; ++i) {
        BodyState* state = &job->step.states[i];
        for (int k = 0; k < 3; ++k) {
            state->velocity[k] += 0.0f;
            state->angular[k] += 0.0f;
            state->shift[k] += 0.0f;
            state->turn[k] += 0.0f;
        }
    }
}

static void runSubsteps(TaskRegion* region, void* arg)
{
    SolveJob* job = arg;
    shWorld* world = job->world;
    job->region = region;
    job->easing = findEased(job);
    for (int substep = 0; substep < job->substeps; ++substep) {
        job->step.first = substep == 0;
        overBodies(job, addVelocity);
        solveDrags(job);
        if (job->easing)
            solveEased(job);
        else
            overGroups(job, SIMD_CHOOSE(solverWarmStart));
        activate(job, isAny);
        iterate(job);
        if (activate(job, isRough)) {
            overBodies(job, startAgain); // hundreds of small changes have been rounded: once more, all as one
            overActive(job, SIMD_CHOOSE(solverApply));
            overActive(job, SIMD_CHOOSE(solverWork));
            balanceEnd(world);
        }
        overBodies(job, addPosition);
    }
    overBodies(job, noteEnergy);
    bool moved = true;
    for (int round = 0; round < PUSH_ROUNDS && moved; ++round) {
        job->step.even = round >= PUSH_PLAIN;
        if (round == PUSH_PLAIN)
            markEven(job);
        atomic_store_explicit(&job->moved, false, memory_order_relaxed);
        overGroups(job, SIMD_CHOOSE(solverPush));
        moved = atomic_load_explicit(&job->moved, memory_order_relaxed);
    }
    if (bouncesBegin(world)) {
        overGroups(job, SIMD_CHOOSE(solverBounce));
        bouncesEnd(world);
    }
    overBodies(job, dropSigns);
}

void solverRun(shWorld* world, float dt)
{
    int substeps = worldSubsteps(world, dt);
    float h = dt / (float)substeps;
    SolveJob job = {.world = world,
                    .step = {.states = world->states.data,
                             .islands = world->islands.all.data,
                             .groups = world->groups.data,
                             .contacts = world->lanes.data,
                             .aims = world->aims.count > 0 ? world->aims.data : NULL,
                             .inverse = 1.0f / h,
                             .calmApproach = SOLVER_CALM_APPROACH,
                             .pushShare = PUSH_SHARE,
                             .mostPush = dt * world->def.pushSpeed / PUSH_ROUNDS,
                             .bounceSpeed = world->def.bounceSpeed},
                    .substep = h,
                    .substeps = substeps};
    job.step.moved = &job.moved;
    job.all.groups = world->groupList.data;
    job.active.groups = world->groupList.data + world->groups.count;
    for (int g = 0; g < world->groups.count; ++g)
        job.all.groups[g] = g;
    memcpy(job.all.start, world->groupStart, sizeof job.all.start);
    parallelRegion(world->context, runSubsteps, &job);
}

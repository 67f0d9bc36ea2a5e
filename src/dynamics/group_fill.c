// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/group_fill.h"

#include "core/constants.h"

_Static_assert(sizeof(SolverBody) == 128, "two cache lines");
_Static_assert(offsetof(SolverBody, frame) == lanes * sizeof(float) &&
                   offsetof(SolverBody, velocity) == 2 * lanes * sizeof(float),
               "rows of eight");
_Static_assert(offsetof(Contact, ahead) == (2 * lanes - 1) * sizeof(float), "all but its id fills two rows");

// ---- bodies ---------------------------------------------------------------------------------------------------------

static SolverBody solverBody(const Body* body)
{
    shQuat q = body->transform.q;
    SolverBody into = {.state = body->state,
                       .frame = {q.v.x, q.v.y, q.v.z, q.s},
                       .most = body->most,
                       .spent = body->fresh || body->waiting,
                       .waiting = body->waiting,
                       .centre = body->centre};
    if (body->state < 0)
        return into;
    Vec3 v = body->velocity, w = body->angular;
    into.velocity[0] = v.x, into.velocity[1] = v.y, into.velocity[2] = v.z;
    into.angular[0] = w.x, into.angular[1] = w.y, into.angular[2] = w.z;
    if (body->mass <= 0.0)
        return into;
    Mat3 r = mFromD(dqToMat(body->spin.frame));
    Vec3 d = {(float)(1.0 / body->spin.inertia.x), (float)(1.0 / body->spin.inertia.y),
              (float)(1.0 / body->spin.inertia.z)};
    Vec3 x = {r.r0.x * d.x, r.r0.y * d.y, r.r0.z * d.z}, y = {r.r1.x * d.x, r.r1.y * d.y, r.r1.z * d.z};
    Vec3 z = {r.r2.x * d.x, r.r2.y * d.y, r.r2.z * d.z};
    into.mass = (float)(1.0 / body->mass);
    into.inertia[0] = vDot(x, r.r0);
    into.inertia[1] = vDot(y, r.r1);
    into.inertia[2] = vDot(z, r.r2);
    into.inertia[3] = vDot(x, r.r1);
    into.inertia[4] = vDot(x, r.r2);
    into.inertia[5] = vDot(y, r.r2);
    return into;
}

static void fillBodies(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[i];
        SolverBody* into = &world->solved.data[i];
        *into = solverBody(body);
        const float *v = into->velocity, *w = into->angular;
        if (body->state >= 0)
            world->states.data[body->state] =
                (BodyState){.velocity = {v[0], v[1], v[2]}, .angular = {w[0], w[1], w[2]}};
    }
}

// ---- contacts -------------------------------------------------------------------------------------------------------

static Vec3 inverseMul(const float m[6], Vec3 a)
{
    return vec3(m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
                m[4] * a.x + m[5] * a.y + m[2] * a.z);
}

// What a unit impulse along `direction` does to the closing speed along it.
static float give(const SolverBody* body, Vec3 lever, Vec3 direction)
{
    Vec3 arm = vCross(lever, direction);
    return body->mass + vDot(arm, inverseMul(body->inertia, arm));
}

static Vec3 acrossOf(Vec3 normal)
{
    // Away from the axis that the normal leans on least: never short.
    Vec3 axis = fabsf(normal.x) < 0.57735f ? vec3(1.0f, 0.0f, 0.0f) : vec3(0.0f, 1.0f, 0.0f);
    return vNormalize(vCross(normal, axis));
}

static void setVec(float into[3][lanes], int lane, Vec3 v)
{
    into[0][lane] = v.x;
    into[1][lane] = v.y;
    into[2][lane] = v.z;
}

static float inverseOrZero(float x) { return x > 0.0f ? 1.0f / x : 0.0f; }

static Vec3 angularOf(const SolverBody* body) { return vec3(body->angular[0], body->angular[1], body->angular[2]); }

static Vec3 pointVelocity(const SolverBody* body, Vec3 lever)
{
    return vAdd(vec3(body->velocity[0], body->velocity[1], body->velocity[2]), vCross(angularOf(body), lever));
}

shQuat frameAhead(shQuat q, Vec3 turn)
{
    if (vLength2(turn) == 0.0f)
        return q;
    DVec3 axis = dFromV(turn);
    return qFromDq(dqMul(dqFromAxisAngle(axis, dLength(axis)), dqFromQ(q)));
}

static shQuat frameLater(const SolverBody* body, float time)
{
    shQuat q = {{body->frame[0], body->frame[1], body->frame[2]}, body->frame[3]};
    return frameAhead(q, vScale(time, angularOf(body)));
}

void contactFill(const FillJob* job, const Pair* pair, const Contact* contact, ContactLanes* row, int lane)
{
    const SolverBody *a = &job->bodies[pair->a], *b = &job->bodies[pair->b];
    // A contact of things to come acts where and as bodies will be turned then. Its gap: what the speeds they have then
    // need that time for.
    shQuat frameA = frameLater(a, contact->ahead), frameB = frameLater(b, contact->ahead);
    Vec3 leverA = qRotate(frameA, contact->anchorA), leverB = qRotate(frameB, contact->anchorB);
    Vec3 normal = qRotate(contact->id >> 31 ? frameA : frameB, contact->normal);
    Vec3 tangent = acrossOf(normal), across = vCross(normal, tangent);
    Vec3 apart = vAdd(vFromD(dSub(a->centre, b->centre)), vSub(leverA, leverB));
    row->approach[lane] = vDot(vSub(pointVelocity(a, leverA), pointVelocity(b, leverB)), normal);
    row->gap[lane] = vDot(apart, normal);
    if (contact->id == CONTACT_WAY_OUT) // no farther in a step
        row->gap[lane] = maxF(row->gap[lane], -JAM_STEP * pair->tolerance);
    if (contact->ahead > 0.0f) {
        Vec3 turning = vSub(vCross(angularOf(a), leverA), vCross(angularOf(b), leverB));
        row->gap[lane] = maxF(row->gap[lane] - contact->ahead * vDot(turning, normal), 0.0f);
    }
    // Between two that give way, impulses act at one point or they would make angular momentum: where the lighter one
    // is met, for it would be turned by a false lever.
    if (b->mass > 0.0f && a->mass >= b->mass)
        leverB = vAdd(leverB, apart);
    else if (a->mass > 0.0f && b->mass > 0.0f)
        leverA = vSub(leverA, apart);
    setVec(row->normal, lane, normal);
    setVec(row->tangent, lane, tangent);
    setVec(row->leverA, lane, leverA);
    setVec(row->leverB, lane, leverB);
    row->normalMass[lane] = inverseOrZero(give(a, leverA, normal) + give(b, leverB, normal));
    row->tangentMass[0][lane] = inverseOrZero(give(a, leverA, tangent) + give(b, leverB, tangent));
    row->tangentMass[1][lane] = inverseOrZero(give(a, leverA, across) + give(b, leverB, across));
    row->impulse[lane] = job->substep * contact->force;
    row->friction[0][lane] = job->substep * vDot(contact->friction, tangent);
    row->friction[1][lane] = job->substep * vDot(contact->friction, across);
    row->total[lane] = 0.0f;
}

// ---- groups ---------------------------------------------------------------------------------------------------------

// The contacts that are not like others, one by one.
static void fillSpecial(const FillJob* job, PairGroup* group)
{
    group->bounces = false;
    for (int lane = 0; lane < lanes; ++lane) {
        const Pair* pair = group->pairs[lane] >= 0 ? &job->pairs[group->pairs[lane]] : NULL;
        for (int i = 0; pair != NULL && i < pair->count; ++i) {
            const Contact* contact = &job->contacts[pair->first + i];
            ContactLanes* row = &job->rows[group->first + i];
            if (contact->ahead > 0.0f || contact->id == CONTACT_WAY_OUT)
                contactFill(job, pair, contact, row, lane);
            group->bounces |= group->restitution[lane] > 0.0f && row->approach[lane] < -job->bounceSpeed;
        }
    }
}

// Which island each lane is of, and what that asks for. Empty lanes are of none.
static void fillIslands(const FillJob* job, PairGroup* group)
{
    int first = -1;
    group->uniform = true;
    for (int lane = 0; lane < lanes; ++lane) {
        bool there = group->pairs[lane] >= 0;
        int state = group->massA[lane] > 0.0f ? group->bodyA[lane] : group->bodyB[lane];
        int island = group->island[lane] = there ? job->islandOf[state] : job->still;
        group->scaled[lane] = 0.0f;
        group->tolerance[lane] = there ? job->islands[island].tolerance : 0.0f;
        first = there && first < 0 ? island : first;
        group->uniform &= !there || island == first;
    }
}

static void fillGroups(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const FillJob* job = arg;
    SIMD_CHOOSE(groupFill)(job, begin, end);
    for (int g = begin; g < end; ++g) {
        fillIslands(job, &job->groups[g]);
        if (job->groups[g].special)
            fillSpecial(job, &job->groups[g]);
        if (job->groups[g].bounces)
            atomic_store_explicit(job->bouncing, true, memory_order_relaxed);
    }
}

void groupsFill(shWorld* world, float substep)
{
    FillJob job = {.pairs = world->pairs.data,
                   .contacts = world->contacts.data,
                   .bodies = world->solved.data,
                   .groups = world->groups.data,
                   .rows = world->lanes.data,
                   .islandOf = world->islands.of.data,
                   .islands = world->islands.all.data,
                   .still = world->states.count - 1,
                   .substep = substep,
                   .bounceSpeed = world->def.bounceSpeed,
                   .bouncing = &world->bouncing};
    world->bouncing = false;
    parallelFor(world->context, world->bodies.count, BODY_BLOCK, fillBodies, world);
    parallelFor(world->context, world->groups.count, GROUP_BLOCK, fillGroups, &job);
}

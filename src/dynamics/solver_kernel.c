// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The inner loops of the solver, compiled once per instruction set.
#include "dynamics/solver.h"

typedef struct V8 {
    F8 x, y, z;
} V8;

static inline V8 v8Load(const float p[3][lanes])
{
    return (V8){f8LoadAligned(p[0]), f8LoadAligned(p[1]), f8LoadAligned(p[2])};
}
static inline V8 v8Add(V8 a, V8 b) { return (V8){f8Add(a.x, b.x), f8Add(a.y, b.y), f8Add(a.z, b.z)}; }
static inline V8 v8Sub(V8 a, V8 b) { return (V8){f8Sub(a.x, b.x), f8Sub(a.y, b.y), f8Sub(a.z, b.z)}; }
static inline V8 v8Scale(F8 s, V8 a) { return (V8){f8Mul(s, a.x), f8Mul(s, a.y), f8Mul(s, a.z)}; }
static inline F8 v8Dot(V8 a, V8 b) { return f8Add(f8Add(f8Mul(a.x, b.x), f8Mul(a.y, b.y)), f8Mul(a.z, b.z)); }
static inline V8 v8Cross(V8 a, V8 b)
{
    return (V8){f8Sub(f8Mul(a.y, b.z), f8Mul(a.z, b.y)), f8Sub(f8Mul(a.z, b.x), f8Mul(a.x, b.z)),
                f8Sub(f8Mul(a.x, b.y), f8Mul(a.y, b.x))};
}

typedef struct Inertia8 {
    F8 xx, yy, zz, xy, xz, yz;
} Inertia8;

static inline Inertia8 inertiaLoad(const float p[6][lanes])
{
    return (Inertia8){f8LoadAligned(p[0]), f8LoadAligned(p[1]), f8LoadAligned(p[2]),
                      f8LoadAligned(p[3]), f8LoadAligned(p[4]), f8LoadAligned(p[5])};
}
static inline V8 inertiaMul(const Inertia8* m, V8 a)
{
    return (V8){f8Add(f8Add(f8Mul(m->xx, a.x), f8Mul(m->xy, a.y)), f8Mul(m->xz, a.z)),
                f8Add(f8Add(f8Mul(m->xy, a.x), f8Mul(m->yy, a.y)), f8Mul(m->yz, a.z)),
                f8Add(f8Add(f8Mul(m->xz, a.x), f8Mul(m->yz, a.y)), f8Mul(m->zz, a.z))};
}

// Eight bodies of one side of a group.
typedef struct Bodies {
    V8 velocity, angular;
    F8 mass;
    Inertia8 inertia;
} Bodies;

static inline V8 gather(const float* base, I8 offset)
{
    return (V8){f8Gather(base, offset), f8Gather(base + 1, offset), f8Gather(base + 2, offset)};
}

enum { stateFloats = sizeof(BodyState) / sizeof(float) };

static inline I8 offsetsOf(const int bodies[lanes]) { return i8Mul(i8Load(bodies), i8Set(stateFloats)); }

static inline Bodies bodiesLoad(const BodyState* states, I8 offsets, const float mass[lanes],
                                const float inertia[6][lanes])
{
    return (Bodies){gather(states[0].velocity, offsets), gather(states[0].angular, offsets), f8LoadAligned(mass),
                    inertiaLoad(inertia)};
}

// Bodies that impulses do not move may be shared by groups that run at the same time: they are not written.
static void bodiesStore(BodyState* states, const int bodies[lanes], const float mass[lanes], const Bodies* from)
{
    float values[6][lanes];
    f8Store(values[0], from->velocity.x);
    f8Store(values[1], from->velocity.y);
    f8Store(values[2], from->velocity.z);
    f8Store(values[3], from->angular.x);
    f8Store(values[4], from->angular.y);
    f8Store(values[5], from->angular.z);
    for (int k = 0; k < lanes; ++k) {
        if (mass[k] == 0.0f)
            continue;
        BodyState* state = &states[bodies[k]];
        for (int axis = 0; axis < 3; ++axis) {
            state->velocity[axis] = values[axis][k];
            state->angular[axis] = values[3 + axis][k];
        }
    }
}

static inline void push(Bodies* bodies, V8 impulse, V8 lever)
{
    bodies->velocity = v8Add(bodies->velocity, v8Scale(bodies->mass, impulse));
    bodies->angular = v8Add(bodies->angular, inertiaMul(&bodies->inertia, v8Cross(lever, impulse)));
}
static inline void pull(Bodies* bodies, V8 impulse, V8 lever)
{
    bodies->velocity = v8Sub(bodies->velocity, v8Scale(bodies->mass, impulse));
    bodies->angular = v8Sub(bodies->angular, inertiaMul(&bodies->inertia, v8Cross(lever, impulse)));
}

// Of A's contact point against B's.
static inline V8 closing(const Bodies* a, const Bodies* b, V8 leverA, V8 leverB)
{
    return v8Sub(v8Add(a->velocity, v8Cross(a->angular, leverA)), v8Add(b->velocity, v8Cross(b->angular, leverB)));
}

void SIMD_NAME(solverWarmStart)(const SolverStep* step, int begin, int end)
{
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &step->groups[g];
        Bodies a = bodiesLoad(step->states, offsetsOf(group->bodyA), group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, offsetsOf(group->bodyB), group->massB, group->inertiaB);
        for (int i = group->first; i < group->first + group->count; ++i) {
            const ContactLanes* contact = &step->contacts[i];
            V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
            V8 impulse = v8Add(v8Scale(f8LoadAligned(contact->impulse), normal),
                               v8Add(v8Scale(f8LoadAligned(contact->friction[0]), tangent),
                                     v8Scale(f8LoadAligned(contact->friction[1]), v8Cross(normal, tangent))));
            push(&a, impulse, v8Load(contact->leverA));
            pull(&b, impulse, v8Load(contact->leverB));
        }
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
    }
}

// One round over a group. `biased`: gaps are kept and penetration is pushed out softly; else velocities only.
static inline void solveGroup(const SolverStep* step, const PairGroup* group, bool biased)
{
    I8 offsetsA = offsetsOf(group->bodyA), offsetsB = offsetsOf(group->bodyB);
    Bodies a = bodiesLoad(step->states, offsetsA, group->massA, group->inertiaA);
    Bodies b = bodiesLoad(step->states, offsetsB, group->massB, group->inertiaB);
    V8 shift = v8Sub(gather(step->states[0].shift, offsetsA), gather(step->states[0].shift, offsetsB));
    V8 turnA = gather(step->states[0].turn, offsetsA), turnB = gather(step->states[0].turn, offsetsB);
    F8 zero = f8Zero(), one = f8Set(1.0f), calm = f8Set(step->calm);
    F8 coulomb = f8LoadAligned(group->coulomb), slop = f8LoadAligned(group->slop);
    F8 inverse = f8Set(step->inverse), mostPush = f8Set(-step->pushSpeed);
    F8 biasRate = f8LoadAligned(group->biasRate), massScale = f8LoadAligned(group->massScale);
    F8 impulseScale = f8LoadAligned(group->impulseScale);
    int sweeps = 0;
    M8 changed = f8Less(one, zero);
    for (int k = 0; k < group->count; ++k) {
        int i = group->first + (sweeps & 1 ? group->count - 1 - k : k);
        ContactLanes* contact = &step->contacts[i];
        V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
        V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
        F8 last = f8LoadAligned(contact->impulse);

        // Friction within the disc that the normal impulse allows.
        V8 across = v8Cross(normal, tangent), velocity = closing(&a, &b, leverA, leverB);
        F8 old0 = f8LoadAligned(contact->friction[0]), old1 = f8LoadAligned(contact->friction[1]);
        F8 new0 = f8Sub(old0, f8Mul(f8LoadAligned(contact->tangentMass[0]), v8Dot(velocity, tangent)));
        F8 new1 = f8Sub(old1, f8Mul(f8LoadAligned(contact->tangentMass[1]), v8Dot(velocity, across)));
        F8 length = f8Sqrt(f8Add(f8Mul(new0, new0), f8Mul(new1, new1))), most = f8Mul(coulomb, last);
        F8 scale = f8Select(f8Greater(length, most), f8Div(most, f8Max(length, f8Set(1e-30f))), one);
        new0 = f8Mul(scale, new0);
        new1 = f8Mul(scale, new1);
        f8StoreAligned(contact->friction[0], new0);
        f8StoreAligned(contact->friction[1], new1);
        V8 impulse = v8Add(v8Scale(f8Sub(new0, old0), tangent), v8Scale(f8Sub(new1, old1), across));
        push(&a, impulse, leverA);
        pull(&b, impulse, leverB);

        // The normal: a gap may close within the substep but no further.
        V8 drift = v8Add(shift, v8Sub(v8Cross(turnA, leverA), v8Cross(turnB, leverB)));
        F8 gap = f8Add(f8LoadAligned(contact->gap), v8Dot(normal, drift));
        M8 apart = f8Greater(gap, zero);
        F8 bias = f8Select(apart, f8Mul(gap, inverse), zero), softMass = one, softImpulse = zero;
        if (biased) {
            F8 soft = f8Max(f8Mul(biasRate, f8Min(f8Add(gap, slop), zero)), mostPush);
            bias = f8Select(apart, bias, soft);
            softMass = f8Select(apart, one, massScale);
            softImpulse = f8Select(apart, zero, impulseScale);
        }
        F8 speed = v8Dot(closing(&a, &b, leverA, leverB), normal);
        F8 change = f8Add(f8Mul(f8Mul(f8LoadAligned(contact->normalMass), softMass), f8Add(speed, bias)),
                          f8Mul(softImpulse, last));
        F8 next = f8Max(f8Sub(last, change), zero);
        f8StoreAligned(contact->impulse, next);
        F8 added = f8Sub(next, last);
        changed = m8Or(changed, f8Greater(f8Abs(added), f8Mul(calm, f8LoadAligned(contact->normalMass))));
        impulse = v8Scale(added, normal);
        push(&a, impulse, leverA);
        pull(&b, impulse, leverB);
        // Contacts of one pair lean on each other: to and fro until they agree.
        if (k == group->count - 1 && m8Any(changed) && ++sweeps < step->sweeps) {
            k = -1;
            changed = f8Less(one, zero);
        }
    }
    if (!biased) {
        for (int i = group->first; i < group->first + group->count; ++i) {
            ContactLanes* contact = &step->contacts[i];
            f8StoreAligned(contact->total, f8Add(f8LoadAligned(contact->total), f8LoadAligned(contact->impulse)));
        }
    }
    bodiesStore(step->states, group->bodyA, group->massA, &a);
    bodiesStore(step->states, group->bodyB, group->massB, &b);
}

void SIMD_NAME(solverSolve)(const SolverStep* step, int begin, int end)
{
    for (int g = begin; g < end; ++g)
        solveGroup(step, &step->groups[g], true);
}

void SIMD_NAME(solverRelax)(const SolverStep* step, int begin, int end)
{
    for (int g = begin; g < end; ++g)
        solveGroup(step, &step->groups[g], false);
}

void SIMD_NAME(solverBounce)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), threshold = f8Set(-step->bounceSpeed);
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &step->groups[g];
        F8 restitution = f8LoadAligned(group->restitution);
        if (!m8Any(f8Greater(restitution, zero)))
            continue;
        Bodies a = bodiesLoad(step->states, offsetsOf(group->bodyA), group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, offsetsOf(group->bodyB), group->massB, group->inertiaB);
        for (int i = group->first; i < group->first + group->count; ++i) {
            ContactLanes* contact = &step->contacts[i];
            F8 approach = f8LoadAligned(contact->approach), total = f8LoadAligned(contact->total);
            M8 bounces = m8And(f8Less(approach, threshold), f8Greater(total, zero));
            if (!m8Any(bounces))
                continue;
            V8 normal = v8Load(contact->normal), leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            F8 speed = v8Dot(closing(&a, &b, leverA, leverB), normal), last = f8LoadAligned(contact->impulse);
            F8 change = f8Mul(f8LoadAligned(contact->normalMass), f8Add(speed, f8Mul(restitution, approach)));
            F8 next = f8Max(f8Sub(last, f8Select(bounces, change, zero)), zero);
            f8StoreAligned(contact->impulse, next);
            F8 added = f8Sub(next, last);
            f8StoreAligned(contact->total, f8Add(total, added));
            V8 impulse = v8Scale(added, normal);
            push(&a, impulse, leverA);
            pull(&b, impulse, leverB);
        }
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
    }
}

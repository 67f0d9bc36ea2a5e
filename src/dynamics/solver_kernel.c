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

// Bodies that impulses do not move may be shared by groups that run at the same time: they are not written. Those of
// the lanes in `changed` get a new stamp.
static void bodiesStore(BodyState* states, const int bodies[lanes], const float mass[lanes], const Bodies* from,
                        int changed, int clock)
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
        if (changed >> k & 1)
            state->stamp = clock;
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

// What the bodies of a group have moved since the start of the step.
typedef struct Moved {
    V8 shift, turn;
} Moved;

static inline Moved movedLoad(const BodyState* states, I8 offsets)
{
    return (Moved){gather(states[0].shift, offsets), gather(states[0].turn, offsets)};
}

static inline F8 gapNow(const ContactLanes* contact, const Moved* a, const Moved* b, V8 normal, V8 leverA, V8 leverB)
{
    V8 drift = v8Add(v8Sub(a->shift, b->shift), v8Sub(v8Cross(a->turn, leverA), v8Cross(b->turn, leverB)));
    return f8Add(f8LoadAligned(contact->gap), v8Dot(normal, drift));
}

void SIMD_NAME(solverWarmStart)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), inverse = f8Set(step->inverse);
    for (int g = begin; g < end; ++g) {
        PairGroup* group = &step->groups[g];
        I8 offsetsA = offsetsOf(group->bodyA), offsetsB = offsetsOf(group->bodyB);
        Bodies a = bodiesLoad(step->states, offsetsA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, offsetsB, group->massB, group->inertiaB);
        Moved movedA = movedLoad(step->states, offsetsA), movedB = movedLoad(step->states, offsetsB);
        for (int i = group->first; i < group->first + group->count; ++i) {
            ContactLanes* contact = &step->contacts[i];
            V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
            V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            F8 along = f8LoadAligned(contact->impulse);
            V8 impulse = v8Add(v8Scale(along, normal),
                               v8Add(v8Scale(f8LoadAligned(contact->friction[0]), tangent),
                                     v8Scale(f8LoadAligned(contact->friction[1]), v8Cross(normal, tangent))));
            push(&a, impulse, leverA);
            pull(&b, impulse, leverB);
            F8 gap = gapNow(contact, &movedA, &movedB, normal, leverA, leverB);
            f8StoreAligned(contact->open, f8Max(f8Mul(gap, inverse), zero));
            if (!step->first)
                f8StoreAligned(contact->total, f8Add(f8LoadAligned(contact->total), along));
        }
        group->stamp = -1;
        bodiesStore(step->states, group->bodyA, group->massA, &a, 0, 0);
        bodiesStore(step->states, group->bodyB, group->massB, &b, 0, 0);
    }
}

static inline bool stirred(const SolverStep* step, const PairGroup* group, I8 offsetsA, I8 offsetsB)
{
    const int* stamps = &step->states[0].stamp;
    I8 latest = i8Max(i8Gather(stamps, offsetsA), i8Gather(stamps, offsetsB));
    return m8Any(i8Greater(latest, i8Set(group->stamp)));
}

// One round over a group's contacts. Returns the lanes in which something has changed.
static inline M8 solveContacts(const SolverStep* step, PairGroup* group, Bodies* a, Bodies* b)
{
    F8 zero = f8Zero(), one = f8Set(1.0f), calm = f8Set(step->calm), calmApproach = f8Set(step->calmApproach);
    F8 coulomb = f8LoadAligned(group->coulomb), tiny = f8Set(1e-30f);
    M8 changed = f8Less(one, zero);
    F8 change = zero;
    for (int i = group->first; i < group->first + group->count; ++i) {
        ContactLanes* contact = &step->contacts[i];
        V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
        V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
        F8 last = f8LoadAligned(contact->impulse);

        // Friction within the disc that the normal impulse allows.
        V8 across = v8Cross(normal, tangent), velocity = closing(a, b, leverA, leverB);
        F8 old0 = f8LoadAligned(contact->friction[0]), old1 = f8LoadAligned(contact->friction[1]);
        F8 mass0 = f8LoadAligned(contact->tangentMass[0]), mass1 = f8LoadAligned(contact->tangentMass[1]);
        F8 new0 = f8Sub(old0, f8Mul(mass0, v8Dot(velocity, tangent)));
        F8 new1 = f8Sub(old1, f8Mul(mass1, v8Dot(velocity, across)));
        F8 length = f8Sqrt(f8Add(f8Mul(new0, new0), f8Mul(new1, new1))), most = f8Mul(coulomb, last);
        F8 scale = f8Select(f8Greater(length, most), f8Div(most, f8Max(length, tiny)), one);
        new0 = f8Mul(scale, new0);
        new1 = f8Mul(scale, new1);
        f8StoreAligned(contact->friction[0], new0);
        f8StoreAligned(contact->friction[1], new1);
        F8 added0 = f8Sub(new0, old0), added1 = f8Sub(new1, old1);
        V8 impulse = v8Add(v8Scale(added0, tangent), v8Scale(added1, across));
        push(a, impulse, leverA);
        pull(b, impulse, leverB);

        // The normal: a gap may close within the substep but no further.
        F8 normalMass = f8LoadAligned(contact->normalMass);
        F8 speed = v8Dot(closing(a, b, leverA, leverB), normal);
        F8 next = f8Max(f8Sub(last, f8Mul(normalMass, f8Add(speed, f8LoadAligned(contact->open)))), zero);
        f8StoreAligned(contact->impulse, next);
        F8 added = f8Sub(next, last);
        impulse = v8Scale(added, normal);
        push(a, impulse, leverA);
        pull(b, impulse, leverB);

        F8 matters = f8Add(calm, f8Mul(calmApproach, f8Abs(f8LoadAligned(contact->approach))));
        changed = m8Or(changed, f8Greater(f8Abs(added), f8Mul(matters, normalMass)));
        changed = m8Or(changed, m8Or(f8Greater(f8Abs(added0), f8Mul(matters, mass0)),
                                     f8Greater(f8Abs(added1), f8Mul(matters, mass1))));
        if (step->trending) {
            f8StoreAligned(contact->before[0], last);
            f8StoreAligned(contact->before[1], old0);
            f8StoreAligned(contact->before[2], old1);
            F8 squares = f8Add(f8Mul(added, added), f8Add(f8Mul(added0, added0), f8Mul(added1, added1)));
            change = f8Add(change, f8Div(squares, f8Max(normalMass, tiny)));
        }
    }
    group->change = f8Sum(change);
    return changed;
}

void SIMD_NAME(solverSolve)(const SolverStep* step, int begin, int end)
{
    int busy = 0, visited = 0;
    for (int g = begin; g < end; ++g) {
        PairGroup* group = &step->groups[g];
        I8 offsetsA = offsetsOf(group->bodyA), offsetsB = offsetsOf(group->bodyB);
        if (!step->trending && !stirred(step, group, offsetsA, offsetsB))
            continue;
        Bodies a = bodiesLoad(step->states, offsetsA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, offsetsB, group->massB, group->inertiaB);
        int changed = m8Bits(solveContacts(step, group, &a, &b));
        bodiesStore(step->states, group->bodyA, group->massA, &a, changed, step->clock);
        bodiesStore(step->states, group->bodyB, group->massB, &b, changed, step->clock);
        group->stamp = step->clock - (changed != 0); // one that has changed something looks again
        busy += changed != 0;
        ++visited;
    }
    atomic_fetch_add_explicit(step->busy, busy, memory_order_relaxed);
    atomic_fetch_add_explicit(step->visited, visited, memory_order_relaxed);
}

void SIMD_NAME(solverTrend)(const SolverStep* step, int begin, int end)
{
    F8 follow = f8Set(step->follow), zero = f8Zero();
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &step->groups[g];
        Bodies a = bodiesLoad(step->states, offsetsOf(group->bodyA), group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, offsetsOf(group->bodyB), group->massB, group->inertiaB);
        for (int i = group->first; i < group->first + group->count; ++i) {
            ContactLanes* contact = &step->contacts[i];
            float* impulses[3] = {contact->impulse, contact->friction[0], contact->friction[1]};
            F8 added[3];
            for (int k = 0; k < 3; ++k) {
                F8 now = f8LoadAligned(impulses[k]), change = f8Sub(now, f8LoadAligned(contact->before[k]));
                added[k] = step->fresh ? zero : f8Mul(follow, f8LoadAligned(contact->trend[k]));
                if (k == 0)
                    added[k] = f8Max(added[k], f8Neg(now)); // contacts do not pull
                f8StoreAligned(contact->trend[k], f8Add(added[k], change));
                f8StoreAligned(impulses[k], f8Add(now, added[k]));
            }
            if (step->fresh)
                continue;
            V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
            V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            V8 impulse = v8Add(v8Scale(added[0], normal),
                               v8Add(v8Scale(added[1], tangent), v8Scale(added[2], v8Cross(normal, tangent))));
            push(&a, impulse, leverA);
            pull(&b, impulse, leverB);
        }
        bodiesStore(step->states, group->bodyA, group->massA, &a, 0, 0);
        bodiesStore(step->states, group->bodyB, group->massB, &b, 0, 0);
    }
}

static void movedStore(BodyState* states, const int bodies[lanes], const float mass[lanes], const Moved* from)
{
    float values[6][lanes];
    f8Store(values[0], from->shift.x);
    f8Store(values[1], from->shift.y);
    f8Store(values[2], from->shift.z);
    f8Store(values[3], from->turn.x);
    f8Store(values[4], from->turn.y);
    f8Store(values[5], from->turn.z);
    for (int k = 0; k < lanes; ++k) {
        if (mass[k] == 0.0f)
            continue;
        BodyState* state = &states[bodies[k]];
        for (int axis = 0; axis < 3; ++axis) {
            state->shift[axis] = values[axis][k];
            state->turn[axis] = values[3 + axis][k];
        }
    }
}

void SIMD_NAME(solverPush)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), share = f8Set(step->pushShare), most = f8Set(-step->mostPush);
    int busy = 0;
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &step->groups[g];
        I8 offsetsA = offsetsOf(group->bodyA), offsetsB = offsetsOf(group->bodyB);
        Moved a = movedLoad(step->states, offsetsA), b = movedLoad(step->states, offsetsB);
        F8 massA = f8LoadAligned(group->massA), massB = f8LoadAligned(group->massB);
        F8 slop = f8LoadAligned(group->slop);
        Inertia8 inertiaA = inertiaLoad(group->inertiaA), inertiaB = inertiaLoad(group->inertiaB);
        M8 any = f8Less(zero, zero);
        for (int i = group->first; i < group->first + group->count; ++i) {
            const ContactLanes* contact = &step->contacts[i];
            V8 normal = v8Load(contact->normal), leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            F8 excess = f8Min(f8Add(gapNow(contact, &a, &b, normal, leverA, leverB), slop), zero);
            M8 deep = f8Less(excess, zero);
            if (!m8Any(deep))
                continue;
            any = m8Or(any, deep);
            F8 away = f8Max(f8Mul(share, excess), most);
            V8 impulse = v8Scale(f8Mul(f8LoadAligned(contact->normalMass), f8Neg(away)), normal);
            a.shift = v8Add(a.shift, v8Scale(massA, impulse));
            a.turn = v8Add(a.turn, inertiaMul(&inertiaA, v8Cross(leverA, impulse)));
            b.shift = v8Sub(b.shift, v8Scale(massB, impulse));
            b.turn = v8Sub(b.turn, inertiaMul(&inertiaB, v8Cross(leverB, impulse)));
        }
        if (!m8Any(any))
            continue;
        ++busy;
        movedStore(step->states, group->bodyA, group->massA, &a);
        movedStore(step->states, group->bodyB, group->massB, &b);
    }
    atomic_fetch_add_explicit(step->busy, busy, memory_order_relaxed);
}

void SIMD_NAME(solverBounce)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), one = f8Set(1.0f), half = f8Set(0.5f), tiny = f8Set(1e-30f);
    F8 threshold = f8Set(-step->bounceSpeed);
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &step->groups[g];
        if (!group->bounces)
            continue;
        I8 offsetsA = offsetsOf(group->bodyA), offsetsB = offsetsOf(group->bodyB);
        Bodies a = bodiesLoad(step->states, offsetsA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, offsetsB, group->massB, group->inertiaB);
        const float* spare = &step->states[0].spare;
        F8 start = f8Max(f8Add(f8Gather(spare, offsetsA), f8Gather(spare, offsetsB)), zero), left = start;
        F8 restitution = f8LoadAligned(group->restitution);
        for (int i = group->first; i < group->first + group->count; ++i) {
            ContactLanes* contact = &step->contacts[i];
            F8 approach = f8LoadAligned(contact->approach), last = f8LoadAligned(contact->impulse);
            F8 total = f8Add(f8LoadAligned(contact->total), last);
            M8 bounces = m8And(f8Less(approach, threshold), f8Greater(total, zero));
            if (!m8Any(bounces))
                continue;
            V8 normal = v8Load(contact->normal), leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            F8 mass = f8LoadAligned(contact->normalMass);
            F8 speed = v8Dot(closing(&a, &b, leverA, leverB), normal);
            F8 want = f8Neg(f8Mul(mass, f8Add(speed, f8Mul(restitution, approach))));
            F8 added = f8Select(bounces, f8Max(want, f8Neg(last)), zero);
            // s · added does the work s · along + s² · across: as large an s as what is left allows.
            F8 along = f8Mul(added, speed), across = f8Mul(half, f8Div(f8Mul(added, added), f8Max(mass, tiny)));
            F8 root = f8Sqrt(f8Max(f8Add(f8Mul(along, along), f8Mul(f8Set(4.0f), f8Mul(across, left))), zero));
            F8 scale = f8Max(f8Min(f8Div(f8Sub(root, along), f8Max(f8Add(across, across), tiny)), one), zero);
            left = f8Max(f8Sub(left, f8Mul(scale, f8Add(along, f8Mul(scale, across)))), zero);
            added = f8Mul(scale, added);
            f8StoreAligned(contact->impulse, f8Add(last, added));
            V8 impulse = v8Scale(added, normal);
            push(&a, impulse, leverA);
            pull(&b, impulse, leverB);
        }
        bodiesStore(step->states, group->bodyA, group->massA, &a, 0, 0);
        bodiesStore(step->states, group->bodyB, group->massB, &b, 0, 0);
        float used[lanes];
        f8Store(used, f8Sub(start, left));
        for (int k = 0; k < lanes; ++k) { // whichever of the two has got it
            if (group->massA[k] > 0.0f)
                step->states[group->bodyA[k]].spare -= used[k];
            if (group->massB[k] > 0.0f)
                step->states[group->bodyB[k]].spare -= used[k];
        }
    }
}

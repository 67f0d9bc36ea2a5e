// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The inner loops of the solver, compiled once per instruction set.
#include "core/constants.h"
#include "dynamics/lanes.h"

// Eight bodies of one side of a group.
typedef struct Bodies {
    V8 velocity, angular;
    F8 version;
    F8 mass;
    Inertia8 inertia;
} Bodies;

// Half a state: 0 its motion, 1 its displacement.
static inline float* halfOf(BodyState* states, int body, int half) { return (float*)&states[body] + half * lanes; }

_Static_assert(sizeof(BodyState) == 2 * lanes * sizeof(float), "half a state fills the lanes");

static inline void halvesLoad(BodyState* states, const int bodies[lanes], int half, F8 rows[lanes])
{
    for (int k = 0; k < lanes; ++k)
        rows[k] = f8Load(halfOf(states, bodies[k], half));
    f8Transpose(rows);
}

// Bodies that impulses do not move may be shared by groups that run at the same time: they are not written.
static inline void halvesStore(BodyState* states, const int bodies[lanes], const float mass[lanes], int half,
                               F8 rows[lanes])
{
    f8Transpose(rows);
    int movable = m8Bits(f8Greater(f8LoadAligned(mass), f8Zero()));
    for (int k = 0; k < lanes; ++k) {
        if (movable >> k & 1)
            f8Store(halfOf(states, bodies[k], half), rows[k]);
    }
}

static inline Bodies bodiesLoad(BodyState* states, const int bodies[lanes], const float mass[lanes],
                                const float inertia[6][lanes])
{
    F8 rows[lanes];
    halvesLoad(states, bodies, 0, rows);
    return (Bodies){
        {rows[0], rows[1], rows[2]}, {rows[4], rows[5], rows[6]}, rows[3], f8LoadAligned(mass), inertiaLoad(inertia)};
}

static inline void bodiesStore(BodyState* states, const int bodies[lanes], const float mass[lanes], const Bodies* from)
{
    F8 rows[lanes] = {from->velocity.x, from->velocity.y, from->velocity.z, from->version,
                      from->angular.x,  from->angular.y,  from->angular.z,  f8Zero()};
    halvesStore(states, bodies, mass, 0, rows);
}

// What is light beside its neighbours counts as heavier.
static inline void ease(Bodies* bodies, const float share[lanes])
{
    F8 s = f8LoadAligned(share);
    Inertia8* inertia = &bodies->inertia;
    bodies->mass = f8Mul(s, bodies->mass);
    *inertia = (Inertia8){f8Mul(s, inertia->xx), f8Mul(s, inertia->yy), f8Mul(s, inertia->zz),
                          f8Mul(s, inertia->xy), f8Mul(s, inertia->xz), f8Mul(s, inertia->yz)};
}

static inline void easeBoth(const SolverStep* step, const PairGroup* group, Bodies* a, Bodies* b)
{
    if (!step->eased)
        return;
    ease(a, group->easeA);
    ease(b, group->easeB);
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

// A direction in which a contact acts, and what that means for turning. All of it is known before velocities are, so
// that a round waits for nothing but sums of products.
typedef struct Direction {
    V8 along;        // from B to A
    V8 armA, armB;   // lever × along
    V8 spinA, spinB; // angular velocities that a unit impulse gives
} Direction;

static inline Direction directionOf(V8 along, V8 leverA, V8 leverB, const Bodies* a, const Bodies* b)
{
    V8 armA = v8Cross(leverA, along), armB = v8Cross(leverB, along);
    return (Direction){along, armA, armB, inertiaMul(&a->inertia, armA), inertiaMul(&b->inertia, armB)};
}

// How fast A's contact point leaves B's along a direction.
static inline F8 speedAlong(const Direction* d, const Bodies* a, const Bodies* b)
{
    F8 turning = f8Sub(v8Dot(d->armA, a->angular), v8Dot(d->armB, b->angular));
    return f8Add(v8Dot(d->along, v8Sub(a->velocity, b->velocity)), turning);
}

// One over what a unit impulse along a direction does to the speed along it.
static inline F8 massOf(const Direction* d, const Bodies* a, const Bodies* b)
{
    F8 turning = f8Add(v8Dot(d->armA, d->spinA), v8Dot(d->armB, d->spinB));
    return f8Div(f8Set(1.0f), f8Max(f8Add(f8Add(a->mass, b->mass), turning), f8Set(1e-30f)));
}

// The same as it has been worked out; not in lanes without a contact.
static inline F8 massHere(const SolverStep* step, const float mass[lanes], const Direction* d, const Bodies* a,
                          const Bodies* b)
{
    F8 known = f8LoadAligned(mass);
    return step->eased ? f8Select(f8Greater(known, f8Zero()), massOf(d, a, b), f8Zero()) : known;
}

static inline void act(const Direction* d, F8 impulse, Bodies* a, Bodies* b)
{
    a->velocity = v8Add(a->velocity, v8Scale(f8Mul(impulse, a->mass), d->along));
    b->velocity = v8Sub(b->velocity, v8Scale(f8Mul(impulse, b->mass), d->along));
    a->angular = v8Add(a->angular, v8Scale(impulse, d->spinA));
    b->angular = v8Sub(b->angular, v8Scale(impulse, d->spinB));
}

// What the bodies of a group have moved since the start of the step. The other rows of that half are kept for storing.
typedef struct Moved {
    V8 shift, turn;
} Moved;

static inline Moved movedLoad(BodyState* states, const int bodies[lanes], F8 rows[lanes])
{
    halvesLoad(states, bodies, 1, rows);
    return (Moved){{rows[0], rows[1], rows[2]}, {rows[4], rows[5], rows[6]}};
}

static inline F8 gapNow(const ContactLanes* contact, const Moved* a, const Moved* b, V8 normal, V8 leverA, V8 leverB)
{
    V8 drift = v8Add(v8Sub(a->shift, b->shift), v8Sub(v8Cross(a->turn, leverA), v8Cross(b->turn, leverB)));
    return f8Add(f8LoadAligned(contact->gap), v8Dot(normal, drift));
}

// A pair with a limit starts each substep with what those before have left of it. Returns what the impulses it starts
// with have to be scaled by.
static F8 spend(const SolverStep* step, PairGroup* group)
{
    F8 limit = f8LoadAligned(group->limit), sum = f8Zero();
    for (int c = group->first; c < group->first + group->count; ++c)
        sum = f8Add(sum, f8LoadAligned(step->contacts[c].impulse));
    if (!step->first)
        limit = f8Max(f8Sub(limit, sum), f8Zero());
    f8StoreAligned(group->limit, limit);
    return f8Select(f8Greater(sum, limit), f8Div(limit, f8Max(sum, f8Set(1e-30f))), f8Set(1.0f));
}

static inline F8 massAlong(V8 along, V8 leverA, V8 leverB, const Bodies* a, const Bodies* b)
{
    Direction d = directionOf(along, leverA, leverB, a, b);
    return massOf(&d, a, b);
}

// Levers of two moving bodies lead to one point: the one that has to reach it follows what they have moved.
static inline void leversMeet(const SolverStep* step, PairGroup* group, const Moved* movedA, const Moved* movedB,
                              const Bodies* a, const Bodies* b)
{
    F8 zero = f8Zero(), place = f8LoadAligned(group->place), slop = f8LoadAligned(group->slop);
    V8 slid = v8Sub(movedA->shift, movedB->shift), more = v8Sub(slid, v8Load(group->slid));
    M8 both = f8Greater(f8Abs(place), zero);
    F8 least = f8Mul(f8Set(LEVER_SLACK), slop);
    M8 apart = m8And(both, f8Greater(v8Dot(more, more), f8Mul(least, least)));
    if (!m8Any(apart))
        return;
    v8Store(group->slid, v8Select(apart, slid, v8Load(group->slid)));
    F8 towardsA = f8Select(apart, f8Min(place, zero), zero), towardsB = f8Select(apart, f8Max(place, zero), zero);
    V8 forA = v8Scale(towardsA, more), forB = v8Scale(towardsB, more);
    for (int c = group->first; c < group->first + group->count; ++c) {
        ContactLanes* contact = &step->contacts[c];
        V8 leverA = v8Add(v8Load(contact->leverA), forA), leverB = v8Add(v8Load(contact->leverB), forB);
        V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
        const V8 directions[3] = {normal, tangent, v8Cross(normal, tangent)};
        float* masses[3] = {contact->normalMass, contact->tangentMass[0], contact->tangentMass[1]};
        v8Store(contact->leverA, leverA);
        v8Store(contact->leverB, leverB);
        for (int k = 0; k < 3; ++k) {
            M8 there = m8And(apart, f8Greater(f8LoadAligned(masses[k]), zero)); // not in empty lanes
            F8 mass = massAlong(directions[k], leverA, leverB, a, b);
            f8StoreAligned(masses[k], f8Select(there, mass, f8LoadAligned(masses[k])));
        }
    }
}

void SIMD_NAME(solverWarmStart)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), inverse = f8Set(step->inverse);
    for (int i = begin; i < end; ++i) {
        PairGroup* group = &step->groups[step->list[i]];
        Bodies a = bodiesLoad(step->states, group->bodyA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, group->bodyB, group->massB, group->inertiaB);
        F8 rowsA[lanes], rowsB[lanes];
        Moved movedA = movedLoad(step->states, group->bodyA, rowsA);
        Moved movedB = movedLoad(step->states, group->bodyB, rowsB);
        leversMeet(step, group, &movedA, &movedB, &a, &b);
        easeBoth(step, group, &a, &b);
        F8 scale = group->limited ? spend(step, group) : f8Set(1.0f);
        for (int c = group->first; c < group->first + group->count; ++c) {
            ContactLanes* contact = &step->contacts[c];
            V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
            V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            if (!step->first)
                f8StoreAligned(contact->total, f8Add(f8LoadAligned(contact->total), f8LoadAligned(contact->impulse)));
            if (group->limited) {
                f8StoreAligned(contact->impulse, f8Mul(scale, f8LoadAligned(contact->impulse)));
                f8StoreAligned(contact->friction[0], f8Mul(scale, f8LoadAligned(contact->friction[0])));
                f8StoreAligned(contact->friction[1], f8Mul(scale, f8LoadAligned(contact->friction[1])));
            }
            V8 impulse = v8Add(v8Scale(f8LoadAligned(contact->impulse), normal),
                               v8Add(v8Scale(f8LoadAligned(contact->friction[0]), tangent),
                                     v8Scale(f8LoadAligned(contact->friction[1]), v8Cross(normal, tangent))));
            push(&a, impulse, leverA);
            pull(&b, impulse, leverB);
            F8 gap = gapNow(contact, &movedA, &movedB, normal, leverA, leverB);
            f8StoreAligned(contact->open, f8Max(f8Mul(gap, inverse), zero));
        }
        group->version = -1.0f;
        group->aimed = false;
        group->fresh = true;
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
    }
}

// The lanes whose islands have not converged, as bits.
static inline unsigned activeLanes(const SolverStep* step, const PairGroup* group)
{
    if (group->uniform)
        return step->islands[group->island[0]].active ? 255 : 0;
    unsigned bits = 0;
    for (int k = 0; k < lanes; ++k)
        bits |= (unsigned)step->islands[group->island[k]].active << k;
    return bits;
}

static inline bool hasChanged(const PairGroup* group, const Bodies* a, const Bodies* b)
{
    return m8Any(f8Greater(f8Max(a->version, b->version), f8Set(group->version)));
}

static inline void directionStore(AimLanes* into, int k, const Direction* d)
{
    v8Store(into->along[k], d->along);
    v8Store(into->armA[k], d->armA);
    v8Store(into->armB[k], d->armB);
    v8Store(into->spinA[k], d->spinA);
    v8Store(into->spinB[k], d->spinB);
}

static inline Direction directionLoad(const AimLanes* from, int k)
{
    return (Direction){v8Load(from->along[k]), v8Load(from->armA[k]), v8Load(from->armB[k]), v8Load(from->spinA[k]),
                       v8Load(from->spinB[k])};
}

static void aim(const SolverStep* step, const ContactLanes* contact, const Bodies* a, const Bodies* b, AimLanes* into)
{
    V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
    V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
    const V8 directions[3] = {normal, tangent, v8Cross(normal, tangent)};
    const float* masses[3] = {contact->normalMass, contact->tangentMass[0], contact->tangentMass[1]};
    for (int k = 0; k < 3; ++k) {
        Direction d = directionOf(directions[k], leverA, leverB, a, b);
        directionStore(into, k, &d);
        f8StoreAligned(into->mass[k], massHere(step, masses[k], &d, a, b));
    }
}

// How much a contact's impulses may change before that matters, per mass along a direction, m/s, and N·s on top of it.
typedef struct Calm {
    F8 speed, impulse;
} Calm;

static inline Calm calmOf(const SolverStep* step, const PairGroup* group, const ContactLanes* contact, F8 impulse)
{
    F8 approach = f8Abs(f8LoadAligned(contact->approach));
    F8 rounding = f8Mul(f8Set(step->rounding), f8LoadAligned(group->scaled));
    return (Calm){f8Add(f8LoadAligned(group->tolerance), f8Mul(f8Set(step->calmApproach), approach)),
                  f8Mul(rounding, impulse)};
}

static inline M8 matters(const Calm* calm, F8 added, F8 mass)
{
    return f8Greater(f8Abs(added), f8Add(f8Mul(calm->speed, mass), calm->impulse));
}

// One round over the contacts of some lanes of a group. Returns the lanes in which something has changed.
static inline M8 solveContacts(const SolverStep* step, PairGroup* group, M8 live, Bodies* a, Bodies* b)
{
    F8 zero = f8Zero(), one = f8Set(1.0f);
    F8 coulomb = f8LoadAligned(group->coulomb), tiny = f8Set(1e-30f);
    M8 changed = f8Less(one, zero);
    AimLanes scratch;
    bool accelerated = step->accelerated && !group->fresh;
    F8 along = zero, sum = zero, limit = f8LoadAligned(group->limit);
    for (int c = group->first; group->limited && c < group->first + group->count; ++c)
        sum = f8Add(sum, f8LoadAligned(step->contacts[c].impulse));
    for (int c = group->first; c < group->first + group->count; ++c) {
        ContactLanes* contact = &step->contacts[c];
        AimLanes* aims = step->aims != NULL ? &step->aims[c] : &scratch;
        if (!group->aimed)
            aim(step, contact, a, b, aims);
        F8 last = f8LoadAligned(contact->impulse);

        // Friction within the disc that the normal impulse allows.
        F8 old0 = f8LoadAligned(contact->friction[0]), old1 = f8LoadAligned(contact->friction[1]);
        Direction side0 = directionLoad(aims, 1), side1 = directionLoad(aims, 2);
        F8 mass0 = f8LoadAligned(aims->mass[1]), mass1 = f8LoadAligned(aims->mass[2]);
        F8 new0 = f8Sub(old0, f8Mul(mass0, speedAlong(&side0, a, b)));
        F8 new1 = f8Sub(old1, f8Mul(mass1, speedAlong(&side1, a, b)));
        F8 square = f8Add(f8Mul(new0, new0), f8Mul(new1, new1)), most = f8Mul(coulomb, last);
        M8 slides = f8Greater(square, f8Mul(most, most));
        if (m8Any(slides)) { // where all hold, nothing waits for a root
            F8 scale = f8Select(slides, f8Div(most, f8Max(f8Sqrt(square), tiny)), one);
            new0 = f8Mul(scale, new0);
            new1 = f8Mul(scale, new1);
        }
        new0 = f8Select(live, new0, old0);
        new1 = f8Select(live, new1, old1);
        f8StoreAligned(contact->friction[0], new0);
        f8StoreAligned(contact->friction[1], new1);
        F8 added0 = f8Sub(new0, old0), added1 = f8Sub(new1, old1);
        act(&side0, added0, a, b);
        act(&side1, added1, a, b);

        // The normal: a gap may close within the substep but no further.
        Direction normal = directionLoad(aims, 0);
        F8 normalMass = f8LoadAligned(aims->mass[0]), speed = speedAlong(&normal, a, b);
        F8 next = f8Sub(last, f8Mul(normalMass, f8Add(speed, f8LoadAligned(contact->open))));
        if (group->limited) // what the pair's other contacts leave
            next = f8Min(next, f8Add(last, f8Sub(limit, sum)));
        next = f8Select(live, f8Max(next, zero), last);
        f8StoreAligned(contact->impulse, next);
        F8 added = f8Sub(next, last);
        sum = f8Add(sum, added);
        act(&normal, added, a, b);

        Calm calm = calmOf(step, group, contact, next);
        changed = m8Or(changed, m8Or(matters(&calm, added, normalMass),
                                     m8Or(matters(&calm, added0, mass0), matters(&calm, added1, mass1))));
        if (step->accelerating) {
            f8StoreAligned(contact->before[0], last);
            f8StoreAligned(contact->before[1], old0);
            f8StoreAligned(contact->before[2], old1);
            if (accelerated) {
                F8 with = f8Add(f8Mul(added, f8LoadAligned(contact->momentum[0])),
                                f8Add(f8Mul(added0, f8LoadAligned(contact->momentum[1])),
                                      f8Mul(added1, f8LoadAligned(contact->momentum[2]))));
                along = f8Add(along, f8Div(with, f8Max(normalMass, tiny)));
            }
        }
    }
    f8StoreAligned(group->along, f8Select(live, along, zero));
    return m8And(live, changed);
}

// Islands that a round has changed are not done.
static inline void noteChanges(const SolverStep* step, const PairGroup* group, unsigned changed)
{
    for (int k = 0; k < lanes && changed != 0; ++k, changed >>= 1) {
        atomic_int* last = &step->islands[group->island[k]].changed;
        if ((changed & 1) == 0)
            continue;
        if (atomic_load_explicit(last, memory_order_relaxed) != step->iteration)
            atomic_store_explicit(last, step->iteration, memory_order_relaxed);
        if (group->uniform)
            return;
    }
}

void SIMD_NAME(solverSolve)(const SolverStep* step, int begin, int end)
{
    F8 clock = f8Set(step->clock);
    for (int i = begin; i < end; ++i) {
        PairGroup* group = &step->groups[step->list[i]];
        unsigned active = activeLanes(step, group);
        group->solved = false;
        if (active == 0)
            continue;
        Bodies a = bodiesLoad(step->states, group->bodyA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, group->bodyB, group->massB, group->inertiaB);
        if (!group->whole && !hasChanged(group, &a, &b)) {
            f8StoreAligned(group->along, f8Zero());
            group->fresh = true;
            continue;
        }
        group->solved = true;
        easeBoth(step, group, &a, &b);
        M8 changed = solveContacts(step, group, m8OfBits(active), &a, &b);
        group->aimed = step->aims != NULL;
        a.version = f8Select(changed, clock, a.version);
        b.version = f8Select(changed, clock, b.version);
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
        // One that has changed something looks again; and one whose bodies the next ones may change.
        bool any = m8Any(changed);
        group->version = any ? step->clock - 1.0f : step->shared ? step->clock - 0.5f : step->clock;
        noteChanges(step, group, (unsigned)m8Bits(changed));
    }
}

// The share of their last change that impulses start with, by their islands.
static inline F8 momentumOf(const SolverStep* step, const PairGroup* group)
{
    if (group->uniform)
        return f8Set(step->islands[group->island[0]].momentum);
    float momentum[lanes];
    for (int k = 0; k < lanes; ++k)
        momentum[k] = step->islands[group->island[k]].momentum;
    return f8Load(momentum);
}

void SIMD_NAME(solverAccelerate)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), clock = f8Set(step->clock);
    for (int i = begin; i < end; ++i) {
        PairGroup* group = &step->groups[step->list[i]];
        unsigned active = group->solved ? activeLanes(step, group) : 0;
        if (active == 0)
            continue;
        Bodies a = bodiesLoad(step->states, group->bodyA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, group->bodyB, group->massB, group->inertiaB);
        easeBoth(step, group, &a, &b);
        F8 share = momentumOf(step, group);
        M8 moves = m8And(m8OfBits(group->fresh ? 0 : active), f8Greater(share, zero)), changed = f8Less(zero, zero);
        bool any = m8Any(moves);
        group->fresh = false;
        for (int c = group->first; c < group->first + group->count; ++c) {
            ContactLanes* contact = &step->contacts[c];
            float* impulses[3] = {contact->impulse, contact->friction[0], contact->friction[1]};
            F8 added[3];
            for (int k = 0; k < 3; ++k) {
                F8 now = f8LoadAligned(impulses[k]), change = f8Sub(now, f8LoadAligned(contact->before[k]));
                added[k] = f8Mul(share, f8LoadAligned(contact->momentum[k]));
                if (k == 0)
                    added[k] = f8Max(added[k], f8Neg(now)); // contacts do not pull
                added[k] = f8Select(moves, added[k], zero);
                f8StoreAligned(contact->momentum[k], f8Add(added[k], change));
                f8StoreAligned(impulses[k], f8Add(now, added[k]));
            }
            if (!any)
                continue;
            Calm calm = calmOf(step, group, contact, f8LoadAligned(contact->impulse));
            changed = m8Or(changed, m8Or(matters(&calm, added[0], f8LoadAligned(contact->normalMass)),
                                         m8Or(matters(&calm, added[1], f8LoadAligned(contact->tangentMass[0])),
                                              matters(&calm, added[2], f8LoadAligned(contact->tangentMass[1])))));
            V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
            V8 leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            V8 impulse = v8Add(v8Scale(added[0], normal),
                               v8Add(v8Scale(added[1], tangent), v8Scale(added[2], v8Cross(normal, tangent))));
            push(&a, impulse, leverA);
            pull(&b, impulse, leverB);
        }
        if (!any)
            continue;
        changed = m8And(changed, moves);
        a.version = f8Select(changed, clock, a.version);
        b.version = f8Select(changed, clock, b.version);
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
    }
}

// The sum of a contact's impulses, on A.
static inline V8 impulseOf(const ContactLanes* contact)
{
    V8 normal = v8Load(contact->normal), tangent = v8Load(contact->tangent);
    return v8Add(v8Scale(f8LoadAligned(contact->impulse), normal),
                 v8Add(v8Scale(f8LoadAligned(contact->friction[0]), tangent),
                       v8Scale(f8LoadAligned(contact->friction[1]), v8Cross(normal, tangent))));
}

void SIMD_NAME(solverApply)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero();
    for (int i = begin; i < end; ++i) {
        const PairGroup* group = &step->groups[step->list[i]];
        M8 active = m8OfBits(activeLanes(step, group));
        Bodies a = bodiesLoad(step->states, group->bodyA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, group->bodyB, group->massB, group->inertiaB);
        for (int c = group->first; c < group->first + group->count; ++c) {
            const ContactLanes* contact = &step->contacts[c];
            V8 impulse = impulseOf(contact);
            impulse = v8Select(active, impulse, (V8){zero, zero, zero});
            push(&a, impulse, v8Load(contact->leverA));
            pull(&b, impulse, v8Load(contact->leverB));
        }
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
    }
}

void SIMD_NAME(solverWork)(const SolverStep* step, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        PairGroup* group = &step->groups[step->list[i]];
        Bodies a = bodiesLoad(step->states, group->bodyA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, group->bodyB, group->massB, group->inertiaB);
        F8 work = f8Zero();
        for (int c = group->first; c < group->first + group->count; ++c) {
            const ContactLanes* contact = &step->contacts[c];
            V8 impulse = impulseOf(contact);
            V8 onA = v8Add(a.velocity, v8Cross(a.angular, v8Load(contact->leverA)));
            V8 onB = v8Add(b.velocity, v8Cross(b.angular, v8Load(contact->leverB)));
            work = f8Add(work, v8Dot(impulse, v8Sub(onA, onB)));
        }
        f8StoreAligned(group->work, work);
    }
}

static inline void movedStore(BodyState* states, const int bodies[lanes], const float mass[lanes], const Moved* from,
                              F8 rows[lanes])
{
    rows[0] = from->shift.x, rows[1] = from->shift.y, rows[2] = from->shift.z;
    rows[4] = from->turn.x, rows[5] = from->turn.y, rows[6] = from->turn.z;
    halvesStore(states, bodies, mass, 1, rows);
}

// How much a body's point moves by a unit push along a direction.
static inline F8 giveOf(F8 mass, const Inertia8* inertia, V8 lever, V8 direction)
{
    V8 arm = v8Cross(lever, direction);
    return f8Add(mass, v8Dot(arm, inertiaMul(inertia, arm)));
}

// What of a body's inverse mass counts beside another's: no more than that one's.
static inline F8 evenShare(F8 mass, F8 other, M8 even)
{
    M8 lighter = m8And(even, f8Greater(mass, other));
    const F8 one = f8Set(1.0f);
    return f8Select(lighter, f8Div(other, f8Select(lighter, mass, one)), one);
}

void SIMD_NAME(solverPush)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), one = f8Set(1.0f), share = f8Set(step->pushShare), most = f8Set(-step->mostPush);
    bool moved = false;
    for (int i = begin; i < end; ++i) {
        const PairGroup* group = &step->groups[step->list[i]];
        F8 rowsA[lanes], rowsB[lanes];
        Moved a = movedLoad(step->states, group->bodyA, rowsA), b = movedLoad(step->states, group->bodyB, rowsB);
        F8 massA = f8LoadAligned(group->massA), massB = f8LoadAligned(group->massB);
        F8 slop = f8LoadAligned(group->slop);
        Inertia8 inertiaA = inertiaLoad(group->inertiaA), inertiaB = inertiaLoad(group->inertiaB);
        F8 shareA = one, shareB = one;
        if (step->even) {
            M8 even = f8Greater(f8LoadAligned(group->even), zero);
            shareA = evenShare(massA, massB, even);
            shareB = evenShare(massB, massA, even);
        }
        M8 any = f8Less(zero, zero);
        for (int c = group->first; c < group->first + group->count; ++c) {
            const ContactLanes* contact = &step->contacts[c];
            V8 normal = v8Load(contact->normal), leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            F8 excess = f8Min(f8Add(gapNow(contact, &a, &b, normal, leverA, leverB), slop), zero);
            // What was apart at the start is left to the next step: gaps are followed along straight lines.
            M8 deep = m8And(f8Less(excess, zero), f8Less(f8LoadAligned(contact->gap), zero));
            excess = f8Select(deep, excess, zero);
            if (!m8Any(deep))
                continue;
            any = m8Or(any, deep);
            F8 away = f8Max(f8Mul(share, excess), most), mass = f8LoadAligned(contact->normalMass);
            if (step->even) {
                F8 give = f8Add(f8Mul(shareA, giveOf(massA, &inertiaA, leverA, normal)),
                                f8Mul(shareB, giveOf(massB, &inertiaB, leverB, normal)));
                mass = f8Select(deep, f8Div(one, f8Select(deep, give, one)), zero);
            }
            V8 impulse = v8Scale(f8Mul(mass, f8Neg(away)), normal);
            V8 onA = v8Scale(shareA, impulse), onB = v8Scale(shareB, impulse);
            a.shift = v8Add(a.shift, v8Scale(massA, onA));
            a.turn = v8Add(a.turn, inertiaMul(&inertiaA, v8Cross(leverA, onA)));
            b.shift = v8Sub(b.shift, v8Scale(massB, onB));
            b.turn = v8Sub(b.turn, inertiaMul(&inertiaB, v8Cross(leverB, onB)));
        }
        if (!m8Any(any))
            continue;
        moved = true;
        movedStore(step->states, group->bodyA, group->massA, &a, rowsA);
        movedStore(step->states, group->bodyB, group->massB, &b, rowsB);
    }
    if (moved)
        atomic_store_explicit(step->moved, true, memory_order_relaxed);
}

void SIMD_NAME(solverBounce)(const SolverStep* step, int begin, int end)
{
    F8 zero = f8Zero(), one = f8Set(1.0f), half = f8Set(0.5f), tiny = f8Set(1e-30f);
    F8 threshold = f8Set(-step->bounceSpeed);
    for (int i = begin; i < end; ++i) {
        PairGroup* group = &step->groups[step->list[i]];
        if (!group->bounces)
            continue;
        Bodies a = bodiesLoad(step->states, group->bodyA, group->massA, group->inertiaA);
        Bodies b = bodiesLoad(step->states, group->bodyB, group->massB, group->inertiaB);
        F8 halfA[lanes], halfB[lanes];
        Moved movedA = movedLoad(step->states, group->bodyA, halfA);
        Moved movedB = movedLoad(step->states, group->bodyB, halfB);
        leversMeet(step, group, &movedA, &movedB, &a, &b);
        F8 start = f8Max(f8Add(halfA[7], halfB[7]), zero), left = start; // spare
        F8 restitution = f8LoadAligned(group->restitution);
        for (int c = group->first; c < group->first + group->count; ++c) {
            ContactLanes* contact = &step->contacts[c];
            F8 approach = f8LoadAligned(contact->approach), last = f8LoadAligned(contact->impulse);
            F8 total = f8Add(f8LoadAligned(contact->total), last);
            f8StoreAligned(contact->before[0], last);
            M8 bounces = m8And(f8Less(approach, threshold), f8Greater(total, zero));
            bounces = m8And(bounces, f8Greater(restitution, zero));
            if (!m8Any(bounces))
                continue;
            V8 normal = v8Load(contact->normal), leverA = v8Load(contact->leverA), leverB = v8Load(contact->leverB);
            F8 mass = f8LoadAligned(contact->normalMass);
            Direction along = directionOf(normal, leverA, leverB, &a, &b);
            F8 speed = speedAlong(&along, &a, &b);
            F8 want = f8Neg(f8Mul(mass, f8Add(speed, f8Mul(restitution, approach))));
            F8 added = f8Select(bounces, f8Max(want, f8Neg(last)), zero);
            // s · added does the work s · work + s² · across: as large an s as what is left allows.
            F8 work = f8Mul(added, speed), across = f8Mul(half, f8Div(f8Mul(added, added), f8Max(mass, tiny)));
            F8 root = f8Sqrt(f8Max(f8Add(f8Mul(work, work), f8Mul(f8Set(4.0f), f8Mul(across, left))), zero));
            F8 scale = f8Max(f8Min(f8Div(f8Sub(root, work), f8Max(f8Add(across, across), tiny)), one), zero);
            left = f8Max(f8Sub(left, f8Mul(scale, f8Add(work, f8Mul(scale, across)))), zero);
            added = f8Mul(scale, added);
            f8StoreAligned(contact->impulse, f8Add(last, added));
            act(&along, added, &a, &b);
        }
        bodiesStore(step->states, group->bodyA, group->massA, &a);
        bodiesStore(step->states, group->bodyB, group->massB, &b);
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

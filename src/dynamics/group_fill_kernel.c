// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Eight pairs at a time, a contact of each. The same sums in the same order as contactFill: to the bit.
#include "dynamics/group_fill.h"

#include "dynamics/lanes.h"

typedef struct Quat8 {
    V8 v;
    F8 s;
} Quat8;

static inline V8 rotate(const Quat8* q, V8 a)
{
    V8 t = v8Scale(f8Set(2.0f), v8Cross(q->v, a));
    return v8Add(v8Add(a, v8Scale(q->s, t)), v8Cross(q->v, t));
}

// Eight bodies of one side.
typedef struct Side {
    F8 mass;
    Inertia8 inertia;
    Quat8 frame;
    V8 velocity, angular;
} Side;

static inline Side sideLoad(const SolverBody* const bodies[lanes])
{
    F8 rows[3][lanes];
    for (int k = 0; k < lanes; ++k) {
        rows[0][k] = f8Load(&bodies[k]->mass);
        rows[1][k] = f8Load(bodies[k]->frame);
        rows[2][k] = f8Load(bodies[k]->velocity);
    }
    f8Transpose(rows[0]);
    f8Transpose(rows[1]);
    f8Transpose(rows[2]);
    const F8 *m = rows[0], *q = rows[1], *v = rows[2];
    return (Side){
        m[0], {m[1], m[2], m[3], m[4], m[5], m[6]}, {{q[0], q[1], q[2]}, q[3]}, {v[0], v[1], v[2]}, {v[4], v[5], v[6]}};
}

static inline void inertiaStore(float p[6][lanes], const Inertia8* m)
{
    f8StoreAligned(p[0], m->xx);
    f8StoreAligned(p[1], m->yy);
    f8StoreAligned(p[2], m->zz);
    f8StoreAligned(p[3], m->xy);
    f8StoreAligned(p[4], m->xz);
    f8StoreAligned(p[5], m->yz);
}

// What a unit impulse along a direction does to the closing speed along it.
static inline F8 give(const Side* side, V8 lever, V8 direction)
{
    V8 arm = v8Cross(lever, direction);
    return f8Add(side->mass, v8Dot(arm, inertiaMul(&side->inertia, arm)));
}

static inline F8 massAlong(const Side* a, const Side* b, V8 leverA, V8 leverB, V8 direction)
{
    F8 sum = f8Add(give(a, leverA, direction), give(b, leverB, direction));
    return f8Select(f8Greater(sum, f8Zero()), f8Div(f8Set(1.0f), sum), f8Zero());
}

static inline V8 acrossOf(V8 normal)
{
    F8 zero = f8Zero(), one = f8Set(1.0f);
    M8 x = f8Less(f8Abs(normal.x), f8Set(0.57735f));
    V8 across = v8Cross(normal, (V8){f8Select(x, one, zero), f8Select(x, zero, one), zero});
    F8 length = f8Sqrt(v8Dot(across, across));
    return v8Select(f8Greater(length, zero), v8Scale(f8Div(one, length), across), across);
}

// The pairs of a group: what is one by one.
typedef struct Pairs8 {
    const SolverBody *a[lanes], *b[lanes];
    const Contact* contacts[lanes];
    int counts[lanes];
    _Alignas(32) float apart[3][lanes]; // of the centres
} Pairs8;

static const SolverBody nobody = {.state = -1};
static const Contact nothing;

static void pairsLoad(const FillJob* job, PairGroup* group, Pairs8* pairs)
{
    for (int lane = 0; lane < lanes; ++lane) {
        const Pair* pair = group->pairs[lane] >= 0 ? &job->pairs[group->pairs[lane]] : NULL;
        const SolverBody* a = pair != NULL ? &job->bodies[pair->a] : &nobody;
        const SolverBody* b = pair != NULL ? &job->bodies[pair->b] : &nobody;
        pairs->a[lane] = a;
        pairs->b[lane] = b;
        pairs->contacts[lane] = pair != NULL ? &job->contacts[pair->first] : &nothing;
        pairs->counts[lane] = pair != NULL ? pair->count : 0;
        Vec3 apart = vFromD(dSub(a->centre, b->centre));
        pairs->apart[0][lane] = apart.x;
        pairs->apart[1][lane] = apart.y;
        pairs->apart[2][lane] = apart.z;
        group->bodyA[lane] = a->state >= 0 ? a->state : job->still;
        group->bodyB[lane] = b->state >= 0 ? b->state : job->still;
        group->coulomb[lane] = pair != NULL ? pair->friction : 0.0f;
        group->restitution[lane] = pair != NULL && !a->spent && !b->spent ? pair->restitution : 0.0f;
        group->slop[lane] = pair != NULL ? CONTACT_SLOP * pair->tolerance : 0.0f;
        group->limit[lane] = INFINITY;
        if (a->waiting)
            group->limit[lane] = a->most + pair->load;
        if (b->waiting)
            group->limit[lane] = minF(group->limit[lane], b->most + pair->load);
        group->limited |= a->waiting || b->waiting;
    }
}

// The i-th contact of each pair. Returns the lanes that bounce.
static inline M8 rowFill(const FillJob* job, PairGroup* group, const Pairs8* pairs, const Side* a, const Side* b, int i)
{
    F8 zero = f8Zero(), rows[2][lanes];
    _Alignas(32) int ids[lanes];
    bool special = false;
    for (int k = 0; k < lanes; ++k) {
        const Contact* contact = i < pairs->counts[k] ? pairs->contacts[k] + i : &nothing;
        rows[0][k] = f8Load((const float*)contact);
        rows[1][k] = f8Load((const float*)contact + lanes);
        ids[k] = (int)contact->id;
        special |= contact->ahead > 0.0f || contact->id == CONTACT_WAY_OUT;
    }
    group->special |= special;
    f8Transpose(rows[0]);
    f8Transpose(rows[1]);
    const F8 *c = rows[0], *d = rows[1]; // the fields of eight contacts, in order
    M8 there = i8Greater(i8Load(pairs->counts), i8Set(i)), ofA = i8Greater(i8Set(0), i8Load(ids));
    Quat8 frame = {v8Select(ofA, a->frame.v, b->frame.v), f8Select(ofA, a->frame.s, b->frame.s)};
    V8 leverA = rotate(&a->frame, (V8){c[0], c[1], c[2]}), leverB = rotate(&b->frame, (V8){c[3], c[4], c[5]});
    V8 normal = rotate(&frame, (V8){c[6], c[7], d[0]});
    V8 tangent = acrossOf(normal), across = v8Cross(normal, tangent);
    V8 apart = v8Add(v8Load(pairs->apart), v8Sub(leverA, leverB));
    V8 speedA = v8Add(a->velocity, v8Cross(a->angular, leverA)),
       speedB = v8Add(b->velocity, v8Cross(b->angular, leverB));
    F8 approach = v8Dot(v8Sub(speedA, speedB), normal), gap = v8Dot(apart, normal);

    // Between two that give way, impulses act at one point.
    M8 givesA = f8Greater(a->mass, zero), givesB = f8Greater(b->mass, zero);
    M8 atA = m8And(givesB, f8GreaterEqual(a->mass, b->mass)), atB = m8AndNot(m8And(givesA, givesB), atA);
    leverB = v8Select(atA, v8Add(leverB, apart), leverB);
    leverA = v8Select(atB, v8Sub(leverA, apart), leverA);

    // Lanes without a contact are apart, and without mass: nothing comes of them.
    ContactLanes* row = &job->rows[group->first + i];
    V8 none = {zero, zero, zero}, friction = {d[1], d[2], d[3]};
    F8 substep = f8Set(job->substep);
    approach = f8Select(there, approach, zero);
    v8Store(row->normal, v8Select(there, normal, none));
    v8Store(row->tangent, v8Select(there, tangent, none));
    v8Store(row->leverA, v8Select(there, leverA, none));
    v8Store(row->leverB, v8Select(there, leverB, none));
    f8StoreAligned(row->gap, f8Select(there, gap, f8Set(1.0f)));
    f8StoreAligned(row->approach, approach);
    f8StoreAligned(row->normalMass, f8Select(there, massAlong(a, b, leverA, leverB, normal), zero));
    f8StoreAligned(row->tangentMass[0], f8Select(there, massAlong(a, b, leverA, leverB, tangent), zero));
    f8StoreAligned(row->tangentMass[1], f8Select(there, massAlong(a, b, leverA, leverB, across), zero));
    f8StoreAligned(row->impulse, f8Mul(substep, d[4]));
    f8StoreAligned(row->friction[0], f8Select(there, f8Mul(substep, v8Dot(friction, tangent)), zero));
    f8StoreAligned(row->friction[1], f8Select(there, f8Mul(substep, v8Dot(friction, across)), zero));
    f8StoreAligned(row->total, zero);
    M8 bounces = f8Greater(f8LoadAligned(group->restitution), zero);
    return m8And(bounces, f8Less(approach, f8Set(-job->bounceSpeed)));
}

void SIMD_NAME(groupFill)(const FillJob* job, int begin, int end)
{
    F8 zero = f8Zero(), one = f8Set(1.0f);
    for (int g = begin; g < end; ++g) {
        PairGroup* group = &job->groups[g];
        Pairs8 pairs;
        group->limited = group->special = false;
        pairsLoad(job, group, &pairs);
        Side a = sideLoad(pairs.a), b = sideLoad(pairs.b);
        f8StoreAligned(group->massA, a.mass);
        f8StoreAligned(group->massB, b.mass);
        inertiaStore(group->inertiaA, &a.inertia);
        inertiaStore(group->inertiaB, &b.inertia);
        M8 both = m8And(f8Greater(a.mass, zero), f8Greater(b.mass, zero));
        F8 place = f8Select(f8GreaterEqual(a.mass, b.mass), one, f8Neg(one));
        f8StoreAligned(group->place, f8Select(both, place, zero));
        v8Store(group->slid, (V8){zero, zero, zero});
        M8 bounces = f8Less(one, zero);
        for (int i = 0; i < group->count; ++i)
            bounces = m8Or(bounces, rowFill(job, group, &pairs, &a, &b, i));
        group->bounces = m8Any(bounces);
    }
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// From pairs to groups of eight that can be solved side by side. Colours are given greedily in the order of the pairs;
// those that lean on something immovable come last, so that the ground has the last word. Within a colour pairs with
// many contacts come first: lanes of a group then have about as many.
#include "core/constants.h"
#include "dynamics/world.h"

enum {
    groundColour = 40, // colours from here on are for pairs with something that does not move
    lastColour = 63,   // for pairs that found no colour: a group each, one after the other
    noColour = 255,
};

static int stateOf(const shWorld* world, int body)
{
    int state = world->bodies.data[body].state;
    return state >= 0 ? state : world->states.count - 1;
}

static bool gives(const shWorld* world, int body) { return world->bodies.data[body].mass > 0.0; }

static int lowestFree(uint64_t taken, int from, int to)
{
    uint64_t free = ~taken & ~((1ull << from) - 1);
    int colour = free != 0 ? __builtin_ctzll(free) : lastColour;
    return colour < to ? colour : lastColour;
}

// The colour of each pair that has contacts and something to move.
static void colourPairs(shWorld* world, int counts[64][SH_MAX_CONTACTS + 2])
{
    for (int i = 0; i < world->states.count; ++i)
        world->colours.data[i] = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        bool a = gives(world, pair->a) && world->bodies.data[pair->a].state >= 0;
        bool b = gives(world, pair->b) && world->bodies.data[pair->b].state >= 0;
        world->colourOf.data[i] = noColour;
        if (pair->count == 0 || (!a && !b))
            continue;
        uint64_t* none = &(uint64_t){0};
        uint64_t* takenA = a ? &world->colours.data[world->bodies.data[pair->a].state] : none;
        uint64_t* takenB = b ? &world->colours.data[world->bodies.data[pair->b].state] : none;
        int colour = a && b ? lowestFree(*takenA | *takenB, 0, groundColour)
                            : lowestFree(*takenA | *takenB, groundColour, lastColour);
        *takenA |= 1ull << colour;
        *takenB |= 1ull << colour;
        world->colourOf.data[i] = (uint8_t)colour;
        ++counts[colour][pair->count];
    }
}

// Pairs by colour and number of contacts, and the groups they make. Returns the contact lanes needed.
static int64_t orderPairs(shWorld* world, int counts[64][SH_MAX_CONTACTS + 2], int* groupCount)
{
    int total = 0;
    for (int colour = 0; colour < 64; ++colour) {
        for (int n = SH_MAX_CONTACTS + 1; n >= 0; --n) {
            int count = counts[colour][n];
            counts[colour][n] = total;
            total += count;
        }
    }
    for (int i = 0; i < world->pairs.count; ++i) {
        int colour = world->colourOf.data[i];
        if (colour != noColour)
            world->order.data[counts[colour][world->pairs.data[i].count]++] = i;
    }
    world->order.count = total;
    int64_t rows = 0;
    int groups = 0;
    for (int i = 0, colour = 0; colour < 64; ++colour) {
        world->groupStart[colour] = groups;
        while (i < total && world->colourOf.data[world->order.data[i]] == colour) {
            int most = colour == lastColour ? 1 : lanes, taken = 0;
            rows += world->pairs.data[world->order.data[i]].count;
            while (taken < most && i < total && world->colourOf.data[world->order.data[i]] == colour)
                ++taken, ++i;
            ++groups;
        }
    }
    world->groupStart[64] = groups;
    *groupCount = groups;
    return rows;
}

static InverseInertia inverseOf(const Body* body)
{
    InverseInertia inverse = {0};
    if (body->mass <= 0.0 || body->state < 0)
        return inverse;
    Mat3 r = mFromD(dqToMat(body->spin.frame));
    Vec3 d = {(float)(1.0 / body->spin.inertia.x), (float)(1.0 / body->spin.inertia.y),
              (float)(1.0 / body->spin.inertia.z)};
    Vec3 x = {r.r0.x * d.x, r.r0.y * d.y, r.r0.z * d.z}, y = {r.r1.x * d.x, r.r1.y * d.y, r.r1.z * d.z};
    Vec3 z = {r.r2.x * d.x, r.r2.y * d.y, r.r2.z * d.z};
    inverse.mass = (float)(1.0 / body->mass);
    inverse.m[0] = vDot(x, r.r0);
    inverse.m[1] = vDot(y, r.r1);
    inverse.m[2] = vDot(z, r.r2);
    inverse.m[3] = vDot(x, r.r1);
    inverse.m[4] = vDot(x, r.r2);
    inverse.m[5] = vDot(y, r.r2);
    return inverse;
}

static void fillInverses(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i)
        world->inverses.data[i] = inverseOf(&world->bodies.data[i]);
}

static Vec3 inverseMul(const InverseInertia* inverse, Vec3 a)
{
    const float* m = inverse->m;
    return vec3(m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
                m[4] * a.x + m[5] * a.y + m[2] * a.z);
}

// What a unit impulse along `direction` does to the closing speed along it.
static float give(const InverseInertia* inverse, Vec3 lever, Vec3 direction)
{
    Vec3 arm = vCross(lever, direction);
    return inverse->mass + vDot(arm, inverseMul(inverse, arm));
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

static Vec3 pointVelocity(const Body* body, Vec3 lever)
{
    return body->state >= 0 ? vAdd(body->velocity, vCross(body->angular, lever)) : vec3(0.0f, 0.0f, 0.0f);
}

typedef struct BuildJob {
    shWorld* world;
    float substep; // s
} BuildJob;

static shQuat frameAhead(const Body* body, float time)
{
    Vec3 turn = vScale(time, body->angular);
    if (time == 0.0f || vLength2(turn) == 0.0f)
        return body->transform.q;
    DVec3 axis = dFromV(turn);
    return qFromDq(dqMul(dqFromAxisAngle(axis, dLength(axis)), dqFromQ(body->transform.q)));
}

static void fillContact(ContactLanes* row, int lane, const Body* a, const Body* b, const InverseInertia* inverseA,
                        const InverseInertia* inverseB, const Contact* contact, const Pair* pair, float substep)
{
    // A contact of things to come acts where and as bodies will be turned then. Its gap: what the speeds they have then
    // need that time for.
    shQuat frameA = frameAhead(a, contact->ahead), frameB = frameAhead(b, contact->ahead);
    Vec3 leverA = qRotate(frameA, contact->anchorA), leverB = qRotate(frameB, contact->anchorB);
    Vec3 normal = qRotate(contact->id >> 31 ? frameA : frameB, contact->normal);
    Vec3 tangent = acrossOf(normal), across = vCross(normal, tangent);
    Vec3 apart = vAdd(vFromD(dSub(a->centre, b->centre)), vSub(leverA, leverB));
    row->approach[lane] = vDot(vSub(pointVelocity(a, leverA), pointVelocity(b, leverB)), normal);
    row->gap[lane] = vDot(apart, normal);
    if (contact->id == CONTACT_WAY_OUT) // no farther in a step
        row->gap[lane] = maxF(row->gap[lane], -JAM_STEP * pair->tolerance);
    if (contact->ahead > 0.0f) {
        Vec3 turning = vSub(vCross(a->angular, leverA), vCross(b->angular, leverB));
        row->gap[lane] = maxF(row->gap[lane] - contact->ahead * vDot(turning, normal), 0.0f);
    }
    // Between two that give way, impulses act at one point or they would make angular momentum: where the lighter one
    // is met, for it would be turned by a false lever.
    if (inverseB->mass > 0.0f && inverseA->mass >= inverseB->mass)
        leverB = vAdd(leverB, apart);
    else if (inverseA->mass > 0.0f && inverseB->mass > 0.0f)
        leverA = vSub(leverA, apart);
    setVec(row->normal, lane, normal);
    setVec(row->tangent, lane, tangent);
    setVec(row->leverA, lane, leverA);
    setVec(row->leverB, lane, leverB);
    row->normalMass[lane] = inverseOrZero(give(inverseA, leverA, normal) + give(inverseB, leverB, normal));
    row->tangentMass[0][lane] = inverseOrZero(give(inverseA, leverA, tangent) + give(inverseB, leverB, tangent));
    row->tangentMass[1][lane] = inverseOrZero(give(inverseA, leverA, across) + give(inverseB, leverB, across));
    row->impulse[lane] = substep * contact->force;
    row->friction[0][lane] = substep * vDot(contact->friction, tangent);
    row->friction[1][lane] = substep * vDot(contact->friction, across);
    row->total[lane] = 0.0f;
}

static void fillGroup(const BuildJob* job, PairGroup* group)
{
    const shWorld* world = job->world;
    group->bounces = group->limited = false;
    for (int lane = 0; lane < lanes; ++lane) {
        int index = group->pairs[lane];
        const Pair* pair = index >= 0 ? &world->pairs.data[index] : NULL;
        InverseInertia a = {0}, b = {0};
        group->bodyA[lane] = group->bodyB[lane] = world->states.count - 1;
        group->coulomb[lane] = group->restitution[lane] = group->slop[lane] = 0.0f;
        group->limit[lane] = INFINITY;
        setVec(group->slid, lane, vec3(0.0f, 0.0f, 0.0f));
        if (pair != NULL) {
            const Body *bodyA = &world->bodies.data[pair->a], *bodyB = &world->bodies.data[pair->b];
            a = world->inverses.data[pair->a];
            b = world->inverses.data[pair->b];
            group->bodyA[lane] = stateOf(world, pair->a);
            group->bodyB[lane] = stateOf(world, pair->b);
            group->coulomb[lane] = pair->friction;
            bool spent = bodyA->fresh || bodyB->fresh || bodyA->waiting || bodyB->waiting; // the bounce broke it
            group->restitution[lane] = spent ? 0.0f : pair->restitution;
            if (bodyA->waiting)
                group->limit[lane] = bodyA->most + pair->load;
            if (bodyB->waiting)
                group->limit[lane] = minF(group->limit[lane], bodyB->most + pair->load);
            group->limited |= bodyA->waiting || bodyB->waiting;
            group->slop[lane] = CONTACT_SLOP * pair->tolerance;
            for (int i = 0; i < pair->count; ++i)
                fillContact(&world->lanes.data[group->first + i], lane, bodyA, bodyB, &a, &b,
                            &world->contacts.data[pair->first + i], pair, job->substep);
            for (int i = 0; i < pair->count && group->restitution[lane] > 0.0f; ++i)
                group->bounces |= world->lanes.data[group->first + i].approach[lane] < -world->def.bounceSpeed;
        }
        for (int i = pair != NULL ? pair->count : 0; i < group->count; ++i) {
            ContactLanes* row = &world->lanes.data[group->first + i];
            for (size_t f = 0; f < sizeof(ContactLanes) / sizeof(float) / lanes; ++f)
                ((float(*)[lanes])row)[f][lane] = 0.0f;
            row->gap[lane] = 1.0f; // apart, and without mass: nothing comes of it
        }
        group->massA[lane] = a.mass;
        group->massB[lane] = b.mass;
        group->place[lane] = a.mass > 0.0f && b.mass > 0.0f ? (a.mass >= b.mass ? 1.0f : -1.0f) : 0.0f;
        for (int k = 0; k < 6; ++k) {
            group->inertiaA[k][lane] = a.m[k];
            group->inertiaB[k][lane] = b.m[k];
        }
    }
}

static void fillBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const BuildJob* job = arg;
    for (int g = begin; g < end; ++g)
        fillGroup(job, &job->world->groups.data[g]);
}

// Who takes part: moving bodies in ascending order, and a last state for all that stand still.
static bool gatherStates(shWorld* world)
{
    int limit = world->bodies.count;
    if (!arrayReserve(world->memory, &world->moving, limit) ||
        !arrayReserve(world->memory, &world->states, limit + 1) ||
        !arrayReserve(world->memory, &world->colours, limit + 1) ||
        !arrayReserve(world->memory, &world->inverses, limit) || !arrayReserve(world->memory, &world->parents, limit))
        return false;
    if (!arrayReserve(world->memory, &world->sums, limit / BODY_BLOCK + 1))
        return false;
    world->moving.count = world->states.count = 0;
    for (int i = 0; i < limit; ++i) {
        Body* body = &world->bodies.data[i];
        body->state = -1;
        if (idPoolAt(&world->ids, i).generation == 0 || body->type == shStaticBody || !body->awake)
            continue;
        body->state = world->states.count;
        Vec3 v = body->velocity, w = body->angular;
        world->states.data[world->states.count++] =
            (BodyState){.velocity = {v.x, v.y, v.z}, .angular = {w.x, w.y, w.z}};
        world->moving.data[world->moving.count++] = i;
    }
    world->states.data[world->states.count++] = (BodyState){0};
    world->colours.count = world->states.count;
    return true;
}

shStatus groupsBuild(shWorld* world, float dt)
{
    int counts[64][SH_MAX_CONTACTS + 2] = {{0}};
    if (!gatherStates(world) || !balanceReserve(world) || !conserveReserve(world) ||
        !arrayReserve(world->memory, &world->colourOf, world->pairs.count) ||
        !arrayReserve(world->memory, &world->order, world->pairs.count))
        return shOutOfMemory;
    colourPairs(world, counts);
    int groupCount;
    int64_t rows = orderPairs(world, counts, &groupCount);
    if (!arrayReserve(world->memory, &world->groups, groupCount) || !arrayReserve(world->memory, &world->lanes, rows) ||
        !arrayReserve(world->memory, &world->hits, world->order.count))
        return shOutOfMemory;
    world->groups.count = groupCount;
    world->lanes.count = (int)rows;
    int next = 0, row = 0;
    for (int colour = 0; colour < 64; ++colour) {
        for (int g = world->groupStart[colour]; g < world->groupStart[colour + 1]; ++g) {
            PairGroup* group = &world->groups.data[g];
            group->first = row;
            group->count = world->pairs.data[world->order.data[next]].count;
            row += group->count;
            int most = colour == lastColour ? 1 : lanes;
            for (int lane = 0; lane < lanes; ++lane) {
                bool taken =
                    lane < most && next < world->order.count && world->colourOf.data[world->order.data[next]] == colour;
                group->pairs[lane] = taken ? world->order.data[next++] : -1;
            }
        }
    }
    BuildJob job = {world, dt / (float)worldSubsteps(world, dt)};
    parallelFor(world->context, world->bodies.count, BODY_BLOCK, fillInverses, world);
    parallelFor(world->context, groupCount, GROUP_BLOCK, fillBlock, &job);
    deferralShade(world);
    return shOk;
}

typedef struct StoreJob {
    shWorld* world;
    float substep;
    bool impulses; // and not the sums alone
} StoreJob;

static void storeBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const StoreJob* job = arg;
    shWorld* world = job->world;
    float inverse = 1.0f / job->substep;
    for (int g = begin; g < end; ++g) {
        const PairGroup* group = &world->groups.data[g];
        for (int lane = 0; lane < lanes; ++lane) {
            const Pair* pair = group->pairs[lane] >= 0 ? &world->pairs.data[group->pairs[lane]] : NULL;
            for (int i = 0; pair != NULL && i < pair->count; ++i) {
                const ContactLanes* row = &world->lanes.data[group->first + i];
                Contact* contact = &world->contacts.data[pair->first + i];
                Vec3 n = {row->normal[0][lane], row->normal[1][lane], row->normal[2][lane]};
                Vec3 t = {row->tangent[0][lane], row->tangent[1][lane], row->tangent[2][lane]};
                contact->total = row->total[lane] + row->impulse[lane];
                contact->approach = row->approach[lane];
                if (!job->impulses)
                    continue;
                contact->force = inverse * row->impulse[lane];
                contact->friction = vScale(
                    inverse, vAdd(vScale(row->friction[0][lane], t), vScale(row->friction[1][lane], vCross(n, t))));
            }
        }
    }
}

void groupsStoreSums(shWorld* world, float dt)
{
    StoreJob job = {world, dt / (float)worldSubsteps(world, dt), false};
    parallelFor(world->context, world->groups.count, GROUP_BLOCK, storeBlock, &job);
}

void groupsStore(shWorld* world, float dt)
{
    StoreJob job = {world, dt / (float)worldSubsteps(world, dt), true};
    parallelFor(world->context, world->groups.count, GROUP_BLOCK, storeBlock, &job);
}

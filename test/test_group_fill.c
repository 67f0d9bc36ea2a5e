// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Contacts that come into lanes eight at a time have the bits they have one by one.
#include "core/random.h"
#include "dynamics/group_fill.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { BODIES = 40, PAIRS = 8, GROUPS = 60 };

typedef struct Case {
    SolverBody bodies[BODIES];
    Pair pairs[PAIRS * GROUPS];
    Contact contacts[PAIRS * GROUPS * SH_MAX_CONTACTS];
    PairGroup groups[GROUPS];
    ContactLanes rows[GROUPS * SH_MAX_CONTACTS], one[GROUPS * SH_MAX_CONTACTS];
    int rowCount;
} Case;

static void fill3(Random* random, float* into, float size)
{
    for (int k = 0; k < 3; ++k)
        into[k] = randomRange(random, -size, size);
}

static void makeBody(Random* random, SolverBody* body, int index)
{
    shQuat q = randomRotation(random);
    *body = (SolverBody){.state = index % 5 == 0 ? -1 : index,
                         .frame = {q.v.x, q.v.y, q.v.z, q.s},
                         .most = randomFloat(random),
                         .spent = index % 7 == 0,
                         .waiting = index % 14 == 0,
                         .centre = {randomDouble(random), randomDouble(random), randomDouble(random)}};
    if (index % 5 == 0)
        return; // does not move
    fill3(random, body->velocity, 2.0f);
    fill3(random, body->angular, 9.0f);
    if (index % 5 == 1)
        return;                                                            // moved by hand
    body->mass = index % 3 == 0 ? 1.0f : randomRange(random, 0.1f, 30.0f); // some equal
    for (int k = 0; k < 6; ++k)
        body->inertia[k] = k < 3 ? randomRange(random, 20.0f, 90.0f) : randomRange(random, -9.0f, 9.0f);
}

static void makeContact(Random* random, Contact* contact)
{
    fill3(random, &contact->anchorA.x, 0.3f);
    fill3(random, &contact->anchorB.x, 0.3f);
    contact->normal = vFromD(dNormalize(dvec3(randomDouble(random) - 0.5, randomDouble(random) - 0.5, 0.3)));
    if (randomBelow(random, 9) == 0)
        contact->normal = vec3(0.0f, 1.0f, 0.0f);
    fill3(random, &contact->friction.x, 5.0f);
    contact->force = randomFloat(random);
    contact->total = contact->approach = randomFloat(random);
    contact->ahead = 0.0f;
    contact->id = (uint32_t)randomBelow(random, 1000) | (uint32_t)randomBelow(random, 2) << 31;
    if (randomBelow(random, 40) == 0)
        contact->ahead = randomRange(random, 0.001f, 0.02f);
    else if (randomBelow(random, 40) == 0)
        contact->id = CONTACT_WAY_OUT;
}

// Groups whose pairs have different numbers of contacts, some lanes none at all.
static void makeCase(Random* random, Case* made)
{
    int contacts = 0, row = 0;
    for (int i = 0; i < BODIES; ++i)
        makeBody(random, &made->bodies[i], i);
    for (int g = 0; g < GROUPS; ++g) {
        PairGroup* group = &made->groups[g];
        int most = 1 + randomBelow(random, SH_MAX_CONTACTS), lanesTaken = 1 + randomBelow(random, lanes);
        *group = (PairGroup){.first = row, .count = most};
        for (int lane = 0; lane < lanes; ++lane) {
            group->pairs[lane] = lane < lanesTaken ? g * lanes + lane : -1;
            Pair* pair = &made->pairs[g * lanes + lane];
            *pair = (Pair){.a = randomBelow(random, BODIES),
                           .b = randomBelow(random, BODIES),
                           .first = contacts,
                           .count = lane == 0 ? most : 1 + randomBelow(random, most),
                           .load = randomFloat(random),
                           .friction = randomFloat(random),
                           .restitution = randomBelow(random, 2) == 0 ? 0.0f : 0.5f,
                           .tolerance = randomRange(random, 0.001f, 0.01f)};
            for (int i = 0; i < pair->count; ++i)
                makeContact(random, &made->contacts[contacts + i]);
            contacts += pair->count;
        }
        row += most;
    }
    made->rowCount = row;
}

// The fields that are filled; the others are the solver's.
static void assertSameLane(const ContactLanes* a, const ContactLanes* b, int lane)
{
    size_t fields = offsetof(ContactLanes, before) / sizeof a->gap;
    for (size_t f = 0; f < fields; ++f) {
        if (f == offsetof(ContactLanes, open) / sizeof a->gap)
            continue;
        float x = ((const float(*)[lanes])a)[f][lane], y = ((const float(*)[lanes])b)[f][lane];
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static void check(const FillJob* job, Case* made)
{
    for (int g = 0; g < GROUPS; ++g) {
        const PairGroup* group = &made->groups[g];
        bool bounces = false, special = false, limited = false;
        for (int lane = 0; lane < lanes; ++lane) {
            const Pair* pair = group->pairs[lane] >= 0 ? &made->pairs[group->pairs[lane]] : NULL;
            const SolverBody nobody = {.state = -1};
            const SolverBody* a = pair != NULL ? &made->bodies[pair->a] : &nobody;
            const SolverBody* b = pair != NULL ? &made->bodies[pair->b] : &nobody;
            assert_int_equal(group->bodyA[lane], a->state >= 0 ? a->state : job->still);
            assert_int_equal(group->bodyB[lane], b->state >= 0 ? b->state : job->still);
            assert_true(group->massA[lane] == a->mass && group->massB[lane] == b->mass);
            for (int k = 0; k < 6; ++k)
                assert_true(group->inertiaA[k][lane] == a->inertia[k] && group->inertiaB[k][lane] == b->inertia[k]);
            bool both = a->mass > 0.0f && b->mass > 0.0f, spent = a->spent || b->spent;
            assert_true(group->place[lane] == (!both ? 0.0f : a->mass >= b->mass ? 1.0f : -1.0f));
            assert_true(group->restitution[lane] == (pair == NULL || spent ? 0.0f : pair->restitution));
            assert_true((group->limit[lane] < INFINITY) == (a->waiting || b->waiting));
            limited |= a->waiting || b->waiting;
            for (int i = 0; i < group->count; ++i) {
                const ContactLanes* row = &made->rows[group->first + i];
                if (pair == NULL || i >= pair->count) { // apart, and without mass
                    assert_true(row->gap[lane] == 1.0f && row->normalMass[lane] == 0.0f && row->impulse[lane] == 0.0f);
                    assert_true(row->tangentMass[0][lane] == 0.0f && row->tangentMass[1][lane] == 0.0f);
                    continue;
                }
                const Contact* contact = &made->contacts[pair->first + i];
                ContactLanes* one = &made->one[group->first + i];
                contactFill(job, pair, contact, one, lane);
                if (contact->ahead > 0.0f || contact->id == CONTACT_WAY_OUT) {
                    special = true;
                    continue;
                }
                assertSameLane(row, one, lane);
                bounces |= group->restitution[lane] > 0.0f && one->approach[lane] < -job->bounceSpeed;
            }
        }
        assert_true(group->special == special && group->limited == limited);
        assert_true(special || group->bounces == bounces);
    }
}

static void eightAtATimeGiveTheBitsOfOneByOne(void** state)
{
    (void)state;
    static Case made;
    Random random = randomSeed(5);
    for (int trial = 0; trial < 20; ++trial) {
        makeCase(&random, &made);
        FillJob job = {.pairs = made.pairs,
                       .contacts = made.contacts,
                       .bodies = made.bodies,
                       .groups = made.groups,
                       .rows = made.rows,
                       .still = BODIES,
                       .substep = 1.0f / 240.0f,
                       .bounceSpeed = 0.5f};
        SIMD_CHOOSE(groupFill)(&job, 0, GROUPS);
        check(&job, &made);
        SIMD_NAME(groupFill)(&job, 0, GROUPS); // the other kernel
        check(&job, &made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eightAtATimeGiveTheBitsOfOneByOne)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The contacts of all pairs, on all workers. A pair that has hardly moved since it was looked at keeps its contacts:
// they know their place on both bodies, and their gaps follow. Nothing of the world changes before all are found.
#include "core/constants.h"
#include "core/message.h"
#include "dynamics/world.h"
#include "solid/solid.h"

typedef struct FindJob {
    shWorld* world;
    float dt;
} FindJob;

// One pair under way.
typedef struct Finding {
    const shWorld* world;
    WorldWorker* worker;
    const Pair* pair;
    const Body *a, *b;
    PairOutcome* outcome;
    float dt;
} Finding;

static bool moves(const Body* body)
{
    return body->type == shDynamicBody
               ? body->awake
               : body->type == shKinematicBody && (vLength2(body->velocity) > 0.0f || vLength2(body->angular) > 0.0f);
}

// A in B's frame.
static shTransform relativeOf(const Body* a, const Body* b)
{
    shQuat inverse = qConjugate(b->transform.q);
    return (shTransform){qRotate(inverse, vSub(a->transform.p, b->transform.p)), qMul(inverse, a->transform.q)};
}

// The most that a point of A has moved in B's frame.
static float movedSince(const Finding* finding, shTransform now)
{
    shTransform then = finding->pair->relative;
    Vec3 centre = finding->a->restCentre;
    shQuat turn = qMul(now.q, qConjugate(then.q));
    return vDistance(xformPoint(now, centre), xformPoint(then, centre)) + 2.0f * finding->a->radius * vLength(turn.v);
}

static float bandOf(const shWorld* world, const Body* body)
{
    return body->solid >= 0 ? world->solids.data[body->solid].solid->asset->rest.field.view.cells->band : INFINITY;
}

static bool addFound(Finding* finding, const shContact* contact, shTransform frameA, shTransform frameB)
{
    WorldWorker* worker = finding->worker;
    const Body *a = finding->a, *b = finding->b;
    if (!arrayReserve(finding->world->memory, &worker->found, worker->found.count + 1))
        return false;
    bool ofA = contact->id >> 31 != 0;
    Vec3 onOther = vMad(contact->point, ofA ? contact->distance : -contact->distance, contact->normal);
    Vec3 onA = ofA ? onOther : contact->point, onB = ofA ? contact->point : onOther;
    Vec3 centreA = xformPoint(frameA, a->restCentre), centreB = xformPoint(frameB, b->restCentre);
    worker->found.data[worker->found.count++] =
        (Contact){.anchorA = qUnrotate(frameA.q, vSub(onA, centreA)),
                  .anchorB = qUnrotate(frameB.q, vSub(onB, centreB)),
                  .normal = qUnrotate(ofA ? frameA.q : frameB.q, contact->normal),
                  .id = contact->id};
    ++finding->outcome->count;
    finding->outcome->gap = minF(finding->outcome->gap, contact->distance);
    return true;
}

static bool hasFound(const Finding* finding, uint32_t id)
{
    const Contact* found = finding->worker->found.data + finding->outcome->first;
    for (int i = 0; i < finding->outcome->count; ++i) {
        if (found[i].id == id)
            return true;
    }
    return false;
}

// Contacts up to `margin` apart that are not there yet.
static bool collide(Finding* finding, float margin, int most)
{
    const Body *a = finding->a, *b = finding->b;
    shCollideDef def = shDefaultCollideDef();
    def.margin = margin;
    def.tolerance = finding->pair->tolerance;
    def.maxContacts = most;
    shCollider colliderA = bodyCollider(finding->world, a), colliderB = bodyCollider(finding->world, b);
    const shContact* contacts;
    int count;
    shStatus status = shOk;
    if (colliderA.solid == NULL && b->scenery != NULL)
        status = shCollideShapeScenery(finding->worker->query, &def, &a->shape, a->transform, b->scenery, b->transform,
                                       &contacts, &count, NULL);
    else if (b->scenery != NULL)
        status = shCollideScenery(finding->worker->query, &def, &colliderA, b->scenery, b->transform, NULL, &contacts,
                                  &count, NULL);
    else if (colliderA.solid == NULL)
        status = shCollideShapes(finding->worker->query, &def, &a->shape, a->transform, &b->shape, b->transform,
                                 &contacts, &count, NULL);
    else if (colliderB.solid == NULL)
        status = shCollideShape(finding->worker->query, &def, &colliderA, &b->shape, b->transform, NULL, &contacts,
                                &count, NULL);
    else
        status = shCollide(finding->worker->query, &def, &colliderA, &colliderB, NULL, &contacts, &count, NULL);
    if (status != shOk)
        return false;
    for (int i = 0; i < count && finding->outcome->count < CONTACT_CANDIDATES; ++i) {
        if (!hasFound(finding, contacts[i].id) && !addFound(finding, &contacts[i], a->transform, b->transform))
            return false;
    }
    return true;
}

// ---- which of many contacts to keep ---------------------------------------------------------------------------------
//
// Contacts that share a normal hold as well by four of them that span the same area as by all: the solver has less to
// do, and agrees sooner. What counts is how far out a contact lies, not whether it touches just now: a corner that has
// lifted a little must be there when it comes down again. One that was kept before counts a little more, so that the
// choice is steady.

typedef struct Candidate {
    Vec3 point; // world, from A's centre
    Vec3 normal;
    float gap, weight;
    int patch;
    bool kept;
} Candidate;

static float areaSide(Vec3 a, Vec3 b, Vec3 p, Vec3 normal) { return vDot(vCross(vSub(b, a), vSub(p, a)), normal); }

// The candidate of a patch with the highest score; −1: none above zero.
typedef float Score(const Candidate* c, const Vec3 at[2]);
static float farFrom(const Candidate* c, const Vec3 at[2]) { return c->weight * vDistance2(c->point, at[0]); }
static float leftOf(const Candidate* c, const Vec3 at[2])
{
    return c->weight * areaSide(at[0], at[1], c->point, c->normal);
}
static float rightOf(const Candidate* c, const Vec3 at[2]) { return -leftOf(c, at); }

static int best(const Candidate* candidates, int count, int patch, Score* score, const Vec3 at[2])
{
    int found = -1;
    float most = 0.0f;
    for (int i = 0; i < count; ++i) {
        float value = candidates[i].patch == patch && !candidates[i].kept ? score(&candidates[i], at) : 0.0f;
        if (value > most) {
            most = value;
            found = i;
        }
    }
    return found;
}

static void keepCorners(Candidate* candidates, int count, int patch, float tolerance)
{
    Vec3 middle = {0.0f, 0.0f, 0.0f};
    int members = 0, deepest = -1;
    for (int i = 0; i < count; ++i) {
        if (candidates[i].patch != patch)
            continue;
        middle = vAdd(middle, candidates[i].point);
        ++members;
        if (deepest < 0 || candidates[i].gap < candidates[deepest].gap)
            deepest = i;
    }
    Vec3 at[2] = {vScale(1.0f / (float)members, middle)};
    int corners[4];
    corners[0] = best(candidates, count, patch, farFrom, at);
    if (corners[0] < 0)
        corners[0] = deepest; // all in one place
    candidates[corners[0]].kept = true;
    at[0] = candidates[corners[0]].point;
    corners[1] = best(candidates, count, patch, farFrom, at);
    float least = candidates[corners[0]].gap;
    if (corners[1] >= 0) {
        candidates[corners[1]].kept = true;
        at[1] = candidates[corners[1]].point;
        corners[2] = best(candidates, count, patch, leftOf, at);
        corners[3] = best(candidates, count, patch, rightOf, at);
        for (int k = 1; k < 4; ++k) {
            if (corners[k] < 0)
                continue;
            candidates[corners[k]].kept = true;
            least = minF(least, candidates[corners[k]].gap);
        }
    }
    if (candidates[deepest].gap < least - 0.5f * tolerance)
        candidates[deepest].kept = true;
}

static bool wasKept(const Finding* finding, uint32_t id)
{
    const Contact* old = finding->world->contacts.data + finding->pair->first;
    for (int i = 0; i < finding->pair->count; ++i) {
        if (old[i].id == id)
            return true;
    }
    return false;
}

static void reduce(Finding* finding)
{
    PairOutcome* outcome = finding->outcome;
    Contact* found = finding->worker->found.data + outcome->first;
    Candidate candidates[CONTACT_CANDIDATES];
    int count = outcome->count, patches = 0;
    const Body *a = finding->a, *b = finding->b;
    Vec3 between = vFromD(dSub(a->centre, b->centre)), normals[CONTACT_CANDIDATES];
    for (int i = 0; i < count; ++i) {
        Candidate* c = &candidates[i];
        c->point = qRotate(a->transform.q, found[i].anchorA);
        c->normal = qRotate(found[i].id >> 31 ? a->transform.q : b->transform.q, found[i].normal);
        Vec3 other = qRotate(b->transform.q, found[i].anchorB);
        c->gap = vDot(vAdd(between, vSub(c->point, other)), c->normal);
        c->weight = wasKept(finding, found[i].id) ? CONTACT_STEADY : 1.0f;
        c->kept = false;
        c->patch = 0;
        while (c->patch < patches && vDot(normals[c->patch], c->normal) < CONTACT_PATCH)
            ++c->patch;
        if (c->patch == patches)
            normals[patches++] = c->normal;
    }
    for (int patch = 0; patch < patches; ++patch)
        keepCorners(candidates, count, patch, finding->pair->tolerance);
    int kept = 0;
    for (int i = 0; i < count && kept < SH_MAX_CONTACTS; ++i) {
        if (candidates[i].kept)
            found[kept++] = found[i];
    }
    outcome->count = kept;
    finding->worker->found.count = outcome->first + kept;
}

static shMotion motionOf(const shWorld* world, const Body* body, float dt)
{
    Vec3 velocity =
        body->mass > 0.0 ? vMad(body->velocity, dt * body->gravityScale, world->def.gravity) : body->velocity;
    return (shMotion){body->restCentre, vScale(dt, velocity), vScale(dt, body->angular)};
}

// The first touch of two fast bodies becomes a contact of this step, its gap the way to go.
static bool sweep(Finding* finding)
{
    const Body *a = finding->a, *b = finding->b;
    shCollider colliderA = bodyCollider(finding->world, a), colliderB = bodyCollider(finding->world, b);
    if (colliderA.solid == NULL)
        return true; // two shapes see each other at any distance
    shMotion motionA = motionOf(finding->world, a, finding->dt), motionB = motionOf(finding->world, b, finding->dt);
    shSweepDef def = shDefaultSweepDef();
    shSweepHit hit;
    shStatus status = colliderB.solid != NULL ? shSweep(finding->worker->query, &def, &colliderA, &motionA, &colliderB,
                                                        &motionB, &hit, NULL)
                                              : shSweepShape(finding->worker->query, &def, &colliderA, &motionA,
                                                             &b->shape, b->transform, &motionB, &hit, NULL);
    ++finding->worker->swept;
    if (status != shOk)
        return false;
    if (!hit.touches || hit.fraction == 0.0f || hasFound(finding, hit.id))
        return true;
    shContact contact = {hit.point, hit.normal, hit.distance, hit.id};
    return addFound(finding, &contact, shMotion_GetTransform(&motionA, a->transform, hit.fraction),
                    shMotion_GetTransform(&motionB, b->transform, hit.fraction));
}

// How far the two may come closer in this step: by the speeds they have, and with what gravity adds.
static void travelOf(const Finding* finding, float* held, float* falling)
{
    const Body *a = finding->a, *b = finding->b;
    float turn = 0.0f;
    if (vLength2(a->angular) > 0.0f)
        turn += vLength(a->angular) * a->radius;
    if (vLength2(b->angular) > 0.0f)
        turn += vLength(b->angular) * b->radius;
    *held = finding->dt * (vDistance(a->velocity, b->velocity) + turn);
    float scale = fabsf((a->mass > 0.0 ? a->gravityScale : 0.0f) - (b->mass > 0.0 ? b->gravityScale : 0.0f));
    *falling = *held + finding->dt * finding->dt * scale * vLength(finding->world->def.gravity);
}

static bool findContacts(Finding* finding)
{
    const Pair* pair = finding->pair;
    const Body *a = finding->a, *b = finding->b;
    PairOutcome* outcome = finding->outcome;
    *outcome = (PairOutcome){.count = pair->count, .gap = INFINITY};
    if (!moves(a) && !moves(b))
        return true;
    float held, falling;
    travelOf(finding, &held, &falling);
    shTransform relative = relativeOf(a, b);
    float margin = 2.0f * pair->tolerance + held;
    if (!pair->stale) {
        float moved = movedSince(finding, relative);
        if (moved <= CONTACT_REUSE * pair->tolerance && pair->margin - moved >= pair->tolerance + held)
            return true;
    }
    ++finding->worker->queried;
    *outcome = (PairOutcome){.relative = relative,
                             .margin = margin,
                             .first = finding->worker->found.count,
                             .gap = INFINITY,
                             .queried = true};
    if (!collide(finding, margin, held > CONTACT_SLOW * pair->tolerance ? SH_MAX_CONTACTS : CONTACT_CANDIDATES))
        return false;
    // Next to nothing touches: what falling may bring counts, too.
    if (outcome->count < CONTACT_FEW && falling > held) {
        if (!collide(finding, 2.0f * pair->tolerance + falling, SH_MAX_CONTACTS))
            return false;
    }
    if (outcome->count > 4)
        reduce(finding);
    float seen = minF(minF(a->thin, b->thin), minF(bandOf(finding->world, a), bandOf(finding->world, b)));
    return !finding->world->def.continuous || falling <= seen || sweep(finding);
}

static void findBlock(int begin, int end, int worker, void* arg)
{
    const FindJob* job = arg;
    shWorld* world = job->world;
    for (int i = begin; i < end; ++i) {
        const Pair* pair = &world->pairs.data[i];
        Finding finding = {world,
                           &world->workers[worker],
                           pair,
                           &world->bodies.data[pair->a],
                           &world->bodies.data[pair->b],
                           &world->outcomes.data[i],
                           job->dt};
        if (!findContacts(&finding))
            world->workers[worker].failed = true;
        world->outcomes.data[i].worker = worker;
    }
}

shStatus contactsFind(shWorld* world, float dt)
{
    for (int w = 0; w < world->workerCount; ++w) {
        world->workers[w].found.count = 0;
        world->workers[w].queried = world->workers[w].swept = 0;
        world->workers[w].failed = false;
    }
    FindJob job = {world, dt};
    parallelFor(world->context, world->pairs.count, PAIR_BLOCK, findBlock, &job);
    int64_t total = 0;
    world->counters.queried = world->counters.swept = 0;
    for (int w = 0; w < world->workerCount; ++w) {
        if (world->workers[w].failed)
            return shOutOfMemory;
        world->counters.queried += world->workers[w].queried;
        world->counters.swept += world->workers[w].swept;
    }
    for (int i = 0; i < world->pairs.count; ++i)
        total += world->outcomes.data[i].count;
    bool enough = total <= INT32_MAX && arrayReserve(world->memory, &world->nextContacts, total) &&
                  arrayReserve(world->memory, &world->begun, world->pairs.count) &&
                  arrayReserve(world->memory, &world->ended, world->ended.count + world->pairs.count);
    return enough ? shOk : shOutOfMemory;
}

// Contacts keep what their predecessors have learnt; what a vanished one carried goes to its nearest neighbour.
static void inherit(const Contact* old, int oldCount, Contact* contacts, int count)
{
    if (count == 0)
        return;
    for (int i = 0; i < oldCount; ++i) {
        if (old[i].impulse == 0.0f)
            continue;
        int heir = 0;
        float nearest = INFINITY;
        for (int k = 0; k < count; ++k) {
            if (contacts[k].id == old[i].id) {
                heir = k;
                break;
            }
            float distance = vDistance2(contacts[k].anchorA, old[i].anchorA);
            if (distance < nearest) {
                nearest = distance;
                heir = k;
            }
        }
        contacts[heir].impulse += old[i].impulse;
        contacts[heir].friction = vAdd(contacts[heir].friction, old[i].friction);
    }
}

static void tellTouch(shWorld* world, Pair* pair, bool touching)
{
    if (touching == pair->touching)
        return;
    pair->touching = touching;
    shTouchEvent event = {bodyId(world, pair->a), bodyId(world, pair->b)};
    if (touching)
        world->begun.data[world->begun.count++] = event;
    else
        world->ended.data[world->ended.count++] = event;
}

void contactsCommit(shWorld* world)
{
    Contact* next = world->nextContacts.data;
    int count = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        Pair* pair = &world->pairs.data[i];
        const PairOutcome* outcome = &world->outcomes.data[i];
        const Contact* old = world->contacts.data + pair->first;
        for (int k = 0; k < outcome->count; ++k) {
            next[count + k] =
                outcome->queried ? world->workers[outcome->worker].found.data[outcome->first + k] : old[k];
        }
        if (outcome->queried) {
            inherit(old, pair->count, next + count, outcome->count);
            pair->relative = outcome->relative;
            pair->margin = outcome->margin;
            pair->stale = false;
            tellTouch(world, pair, outcome->gap <= pair->tolerance);
        }
        pair->first = count;
        pair->count = outcome->count;
        count += outcome->count;
    }
    world->nextContacts.count = count;
    Contact* data = world->contacts.data;
    int capacity = world->contacts.capacity;
    world->contacts.data = next;
    world->contacts.count = count;
    world->contacts.capacity = world->nextContacts.capacity;
    world->nextContacts.data = data;
    world->nextContacts.capacity = capacity;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The contacts of all pairs, on all workers. A pair that has hardly moved since it was looked at keeps its contacts:
// they know their place on both bodies, and their gaps follow. Nothing but that knowledge changes before all are
// found.
#include "collide/apart.h"
#include "collide/query.h"
#include "core/constants.h"
#include "core/message.h"
#include "dynamics/patches.h"
#include "dynamics/world.h"
#include "solid/solid.h"

typedef struct FindJob {
    shWorld* world;
    float dt;
} FindJob;

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

// The contacts that have been put together in `nextContacts` take over.
static void swapContacts(shWorld* world, int count)
{
    Contact* data = world->contacts.data;
    int capacity = world->contacts.capacity;
    world->contacts.data = world->nextContacts.data;
    world->contacts.count = world->nextContacts.count = count;
    world->contacts.capacity = world->nextContacts.capacity;
    world->nextContacts.data = data;
    world->nextContacts.capacity = capacity;
}

// One pair under way.
typedef struct Finding {
    const shWorld* world;
    WorldWorker* worker;
    Pair* pair; // of which nothing changes here but how far it has moved
    const Body *a, *b;
    PairOutcome* outcome;
    float dt;
    float ahead; // s that what is found shall serve: the step, or several short ones
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

// Where two bodies are when they touch.
typedef struct FoundAt {
    shQuat q[2];
    Vec3 centres[2];
} FoundAt;

static FoundAt foundAt(const Finding* finding, shTransform frameA, shTransform frameB)
{
    return (FoundAt){{frameA.q, frameB.q},
                     {xformPoint(frameA, finding->a->restCentre), xformPoint(frameB, finding->b->restCentre)}};
}

static bool addFound(Finding* finding, const shContact* contact, const FoundAt* at)
{
    WorldWorker* worker = finding->worker;
    if (!arrayReserve(finding->world->memory, &worker->found, worker->found.count + 1))
        return false;
    bool ofA = contact->id >> 31 != 0;
    Vec3 onOther = vMad(contact->point, ofA ? contact->distance : -contact->distance, contact->normal);
    Vec3 onA = ofA ? onOther : contact->point, onB = ofA ? contact->point : onOther;
    worker->found.data[worker->found.count++] = (Contact){.anchorA = qUnrotate(at->q[0], vSub(onA, at->centres[0])),
                                                          .anchorB = qUnrotate(at->q[1], vSub(onB, at->centres[1])),
                                                          .normal = qUnrotate(at->q[ofA ? 0 : 1], contact->normal),
                                                          .id = contact->id};
    ++finding->outcome->count;
    finding->outcome->gap = minF(finding->outcome->gap, contact->distance);
    return true;
}

static Contact* findFound(const Finding* finding, uint32_t id)
{
    Contact* found = finding->worker->found.data + finding->outcome->first;
    for (int i = 0; i < finding->outcome->count; ++i) {
        if (found[i].id == id)
            return &found[i];
    }
    return NULL;
}

// Where a contact is now.
typedef struct ContactPlace {
    Vec3 point;  // world, from A's centre
    Vec3 normal; // world
    float gap;
    float slid; // how far its two places have moved along the surface
} ContactPlace;

static ContactPlace placeOf(const Body* a, const Body* b, const Contact* contact)
{
    ContactPlace place = {.point = qRotate(a->transform.q, contact->anchorA),
                          .normal = qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal)};
    Vec3 between = vFromD(dSub(a->centre, b->centre));
    Vec3 apart = vAdd(between, vSub(place.point, qRotate(b->transform.q, contact->anchorB)));
    place.gap = vDot(apart, place.normal);
    place.slid = vLength(vMad(apart, -place.gap, place.normal));
    return place;
}

// A contact that carries something stays while its two places are together, whether the query has met its sample or
// not, and keeps its face until another is clearly closer: what rests on it shall not drop for a step.
static bool keepLoaded(Finding* finding, float margin, float slide)
{
    const Pair* pair = finding->pair;
    for (int i = 0; i < pair->count; ++i) {
        const Contact* old = &finding->world->contacts.data[pair->first + i];
        if (old->force <= 0.0f || old->id == CONTACT_WAY_OUT)
            continue;
        ContactPlace place = placeOf(finding->a, finding->b, old);
        if (place.gap > margin || place.gap < -CONTACT_DEEP * pair->tolerance || place.slid > slide)
            continue;
        Contact* same = findFound(finding, old->id);
        if (same == NULL) {
            if (!arrayReserve(finding->world->memory, &finding->worker->found, finding->worker->found.count + 1))
                return false;
            same = &finding->worker->found.data[finding->worker->found.count++];
            ++finding->outcome->count;
            finding->outcome->gap = minF(finding->outcome->gap, place.gap);
        } else {
            ContactPlace now = placeOf(finding->a, finding->b, same);
            if (vDot(now.normal, place.normal) >= CONTACT_PATCH || now.gap < place.gap - pair->tolerance)
                continue;
        }
        *same = (Contact){.anchorA = old->anchorA, .anchorB = old->anchorB, .normal = old->normal, .id = old->id};
    }
    return true;
}

bool bodiesCollide(const shWorld* world, shQuery* query, const shCollideDef* def, const Body* a, shTransform placeA,
                   const Body* b, shTransform placeB, shPair* pair, const shContact** contacts, int* count)
{
    shCollider colliderA = bodyCollider(world, a), colliderB = bodyCollider(world, b);
    colliderA.transform = placeA;
    colliderB.transform = placeB;
    shStatus status = shOk;
    if (colliderA.solid == NULL && b->scenery != NULL)
        status = shCollideShapeScenery(query, def, &a->shape, placeA, b->scenery, placeB, contacts, count, NULL);
    else if (b->scenery != NULL)
        status = shCollideScenery(query, def, &colliderA, b->scenery, placeB, pair, contacts, count, NULL);
    else if (colliderA.solid == NULL)
        status = shCollideShapes(query, def, &a->shape, placeA, &b->shape, placeB, contacts, count, NULL);
    else if (colliderB.solid == NULL)
        status = shCollideShape(query, def, &colliderA, &b->shape, placeB, pair, contacts, count, NULL);
    else
        status = shCollide(query, def, &colliderA, &colliderB, pair, contacts, count, NULL);
    return status == shOk;
}

// The samples that a pair touches with: those that still do need not be found again, and leave room for a few new ones
// only. That takes an eighth from queries of bodies that move, and what stays where it was holds better.
static shPair contactsSoFar(const Finding* finding, int limit)
{
    const Pair* pair = finding->pair;
    const Contact* contacts = finding->world->contacts.data + pair->first;
    shPair known = {.limit = limit};
    for (int i = 0; i < pair->count && known.contactCount < SH_MAX_CONTACTS; ++i) {
        if (contacts[i].id != CONTACT_WAY_OUT)
            known.contacts[known.contactCount++] = contacts[i].id;
    }
    return known;
}

// Contacts up to `margin` apart that are not there yet.
static bool collide(Finding* finding, float margin, int most)
{
    const Body *a = finding->a, *b = finding->b;
    shCollideDef def = shDefaultCollideDef();
    def.margin = margin;
    def.tolerance = finding->pair->tolerance;
    def.maxContacts = most;
    const shContact* contacts;
    int count;
    shPair known = contactsSoFar(finding, most);
    bool few = most <= SH_MAX_CONTACTS && known.contactCount > 0;
    if (!bodiesCollide(finding->world, finding->worker->query, &def, a, a->transform, b, b->transform,
                       few ? &known : NULL, &contacts, &count))
        return false;
    FoundAt at = foundAt(finding, a->transform, b->transform);
    bool first = finding->outcome->count == 0; // a query gives nothing twice
    for (int i = 0; i < count && finding->outcome->count < CONTACT_CANDIDATES; ++i) {
        if ((first || findFound(finding, contacts[i].id) == NULL) && !addFound(finding, &contacts[i], &at))
            return false;
    }
    return true;
}

// Two bodies when they touch, later in the step.
typedef struct HitPose {
    float time; // fraction of the step
    shTransform frames[2];
    Vec3 turns[2];     // of the whole step, on the motion that leads there
    shContact contact; // what the sweep has found, in case that a query of the pose finds nothing
} HitPose;

// The solver sees a contact of things to come in frames that are turned on by the velocities of the start. Its gap is
// what the motion to the hit closes: if that turns otherwise, the heavier one's place makes up for the difference.
static bool addFoundAhead(Finding* finding, const HitPose* pose, const shContact* contact)
{
    const Body* bodies[2] = {finding->a, finding->b};
    float ahead = finding->dt * pose->time;
    FoundAt at = foundAt(finding, pose->frames[0], pose->frames[1]);
    if (!addFound(finding, contact, &at))
        return false;
    Contact* found = &finding->worker->found.data[finding->worker->found.count - 1];
    Vec3 places[2] = {qRotate(at.q[0], found->anchorA), qRotate(at.q[1], found->anchorB)};
    float error = 0.0f;
    for (int k = 0; k < 2; ++k) {
        Vec3 turn = vScale(pose->time, pose->turns[k]), seen = vScale(ahead, bodies[k]->angular);
        if (bodies[k]->state < 0 && bodies[k]->type == shStaticBody)
            continue;
        error += (k == 0 ? 1.0f : -1.0f) * vDot(contact->normal, vCross(vSub(turn, seen), places[k]));
        at.q[k] = frameAhead(bodies[k]->transform.q, seen);
    }
    bool heavyA = bodies[0]->mass > bodies[1]->mass && bodies[1]->mass > 0.0;
    places[heavyA ? 0 : 1] = vMad(places[heavyA ? 0 : 1], heavyA ? -error : error, contact->normal);
    found->anchorA = qUnrotate(at.q[0], places[0]);
    found->anchorB = qUnrotate(at.q[1], places[1]);
    found->normal = qUnrotate(at.q[contact->id >> 31 ? 0 : 1], contact->normal);
    found->ahead = ahead;
    return true;
}

// The whole manifold of the pose at a hit: with one contact plates would turn about it, through each other.
static bool manifoldAtHit(Finding* finding, const HitPose* pose)
{
    shCollideDef def = shDefaultCollideDef();
    def.tolerance = finding->pair->tolerance;
    def.margin = CONTACT_MARGIN * def.tolerance;
    def.maxContacts = SH_FIRST_CONTACTS;
    const shContact* contacts;
    int count;
    if (!bodiesCollide(finding->world, finding->worker->query, &def, finding->a, pose->frames[0], finding->b,
                       pose->frames[1], NULL, &contacts, &count))
        return false;
    bool opposed = false; // does any of them stop what the sweep has found?
    for (int i = 0; i < count && finding->outcome->count < SH_MAX_CONTACTS; ++i) {
        opposed |= vDot(contacts[i].normal, pose->contact.normal) >= CONTACT_PATCH;
        if (findFound(finding, contacts[i].id) == NULL && !addFoundAhead(finding, pose, &contacts[i]))
            return false;
    }
    return opposed || findFound(finding, pose->contact.id) != NULL || addFoundAhead(finding, pose, &pose->contact);
}

static const Contact* predecessor(const Finding* finding, uint32_t id)
{
    const Contact* old = finding->world->contacts.data + finding->pair->first;
    for (int i = 0; i < finding->pair->count; ++i) {
        if (old[i].id == id)
            return &old[i];
    }
    return NULL;
}

static Vec3 pointVelocity(const Body* body, Vec3 lever) { return vAdd(body->velocity, vCross(body->angular, lever)); }

static void reduce(Finding* finding, bool settled)
{
    PairOutcome* outcome = finding->outcome;
    Contact* found = finding->worker->found.data + outcome->first;
    Candidate candidates[mostFound];
    int count = outcome->count, patches = 0;
    int firsts[mostFound]; // of the patches
    float load = 0.0f;
    for (int i = 0; i < count; ++i) {
        const Contact* old = predecessor(finding, found[i].id);
        ContactPlace place = placeOf(finding->a, finding->b, &found[i]);
        Candidate* c = &candidates[i];
        *c = (Candidate){.point = place.point,
                         .normal = place.normal,
                         .gap = place.gap,
                         .old = old != NULL,
                         .force = old != NULL ? old->force : 0.0f};
        Vec3 other = qRotate(finding->b->transform.q, found[i].anchorB);
        float closing = vDot(vSub(pointVelocity(finding->a, c->point), pointVelocity(finding->b, other)), c->normal);
        load += c->force;
        c->next = c->gap + minF(finding->ahead * closing, 0.0f);
        c->soon = c->next <= 2.0f * finding->pair->tolerance;
        for (c->patch = 0; c->patch < patches; ++c->patch) {
            const Candidate* first = &candidates[firsts[c->patch]];
            if (first->soon == c->soon && vDot(first->normal, c->normal) >= CONTACT_PATCH)
                break;
        }
        if (c->patch == patches)
            firsts[patches++] = i;
    }
    for (int i = 0; i < count; ++i) {
        if (candidates[i].force < CONTACT_IDLE * load)
            candidates[i].force = 0.0f;
    }
    for (int patch = 0; patch < patches; ++patch)
        patchKeepCorners(candidates, count, patch, finding->pair->tolerance);
    if (settled)
        patchDropFar(candidates, count);
    int kept = 0;
    for (int i = 0; i < count && kept < SH_MAX_CONTACTS; ++i) {
        if (candidateIsKept(&candidates[i]) || found[i].id == CONTACT_WAY_OUT)
            found[kept++] = found[i];
    }
    outcome->count = kept;
    finding->worker->found.count = outcome->first + kept;
}

static bool hasBox(const Body* body)
{
    return body->solid >= 0 || (body->scenery == NULL && body->shape.type != shPlaneShape);
}

// Lets go of contacts, the deep ones only or all, that do not push along a direction.
static void keepAlong(Finding* finding, Vec3 direction, float least, float deep)
{
    PairOutcome* outcome = finding->outcome;
    Contact* found = finding->worker->found.data + outcome->first;
    int kept = 0;
    for (int i = 0; i < outcome->count; ++i) {
        ContactPlace place = placeOf(finding->a, finding->b, &found[i]);
        if (place.gap >= deep || vDot(place.normal, direction) > least)
            found[kept++] = found[i];
    }
    outcome->count = kept;
    finding->worker->found.count = outcome->first + kept;
}

// Deep contacts that draw the two together are let go as long as others push them apart.
static void pushApart(Finding* finding, const JamContact* jam, int count, float deep)
{
    Vec3 between = vFromD(dSub(finding->a->centre, finding->b->centre));
    bool apart = false;
    for (int i = 0; i < count; ++i)
        apart |= vDot(jam[i].normal, between) > 0.0f;
    if (apart)
        keepAlong(finding, between, 0.0f, deep);
}

// A contact that leads out, in place of those that do not.
static bool leadOut(Finding* finding, Vec3 way, const Contact* contact)
{
    keepAlong(finding, way, JAM_ALONG, INFINITY);
    WorldWorker* worker = finding->worker;
    if (!arrayReserve(finding->world->memory, &worker->found, worker->found.count + 1))
        return false;
    worker->found.data[worker->found.count++] = *contact;
    ++finding->outcome->count;
    return true;
}

// Where surfaces on both sides of an edge push against each other nothing moves any more. That may pass, as bodies
// turn; if not, they leave by the shortest way (jam.c), and stay on it until they are out.
static bool unjam(Finding* finding)
{
    PairOutcome* outcome = finding->outcome;
    const Body *a = finding->a, *b = finding->b;
    const Contact* found = finding->worker->found.data + outcome->first;
    float tolerance = finding->pair->tolerance, deep = -CONTACT_DEEP * tolerance;
    if (outcome->gap > deep || !hasBox(b))
        return true;
    JamContact jam[mostFound];
    int count = 0;
    Vec3 middle = {0.0f, 0.0f, 0.0f}; // from A's centre
    for (int i = 0; i < outcome->count; ++i) {
        ContactPlace place = placeOf(a, b, &found[i]);
        if (place.gap >= deep)
            continue;
        jam[count++] = (JamContact){place.normal, -place.gap};
        middle = vAdd(middle, place.point);
    }
    if (count == 0) // those that were keep another face
        return true;
    const Contact* old = predecessor(finding, CONTACT_WAY_OUT);
    bool look = finding->pair->uses < 0 && finding->pair->uses % JAM_PATIENCE == 0;
    outcome->jammed = true;
    if (old != NULL && !look) {
        ContactPlace place = placeOf(a, b, old);
        if (place.gap < -tolerance) {
            Contact contact = *old;
            contact.force = 0.0f;
            contact.friction = vec3(0.0f, 0.0f, 0.0f);
            return leadOut(finding, place.normal, &contact);
        }
    }
    if (!look) {
        pushApart(finding, jam, count, deep);
        return true;
    }
    Vec3 way;
    float length;
    if (!jamWayOut(finding->world, finding->worker->query, finding->pair, jam, count,
                   finding->pair->uses < -JAM_PATIENCE, &way, &length))
        return false;
    if (length == INFINITY) {
        pushApart(finding, jam, count, deep);
        return true;
    }
    Vec3 onA = vMad(vScale(1.0f / (float)count, middle), -0.5f * length, way);
    Vec3 onB = vAdd(vMad(onA, length, way), vFromD(dSub(a->centre, b->centre)));
    Contact contact = {.anchorA = qUnrotate(a->transform.q, onA),
                       .anchorB = qUnrotate(b->transform.q, onB),
                       .normal = qUnrotate(b->transform.q, way),
                       .id = CONTACT_WAY_OUT};
    return leadOut(finding, way, &contact);
}

static shMotion motionOf(const shWorld* world, const Body* body, float dt)
{
    Vec3 velocity =
        body->mass > 0.0 ? vMad(body->velocity, dt * body->gravityScale, world->def.gravity) : body->velocity;
    return (shMotion){body->restCentre, vScale(dt, velocity), vScale(dt, body->angular)};
}

// The first touch of two fast bodies becomes a contact of this step.
static bool sweep(Finding* finding)
{
    const Body *a = finding->a, *b = finding->b;
    // What touches already may come to touch elsewhere: between bodies that is for the sweep after the solve.
    bool touches = finding->outcome->gap <= finding->pair->tolerance;
    if (touches && b->scenery == NULL)
        return true;
    SweptBody sweptA = {a, a->transform, motionOf(finding->world, a, finding->dt)};
    SweptBody sweptB = {b, b->transform, motionOf(finding->world, b, finding->dt)};
    if (sweptGap(finding->world, &sweptA, &sweptB, finding->pair->tolerance, &finding->outcome->axis) >=
        finding->pair->tolerance)
        return true;
    // No deeper than what the manifold at the hit looks for.
    float depth =
        minF(CONTACT_MARGIN * finding->pair->tolerance, TOI_DEPTH * minF(bodyHalfThickness(a), bodyHalfThickness(b)));
    shSweepHit hit;
    ++finding->worker->swept;
    if (!bodiesCross(finding->world, finding->worker->query, &sweptA, &sweptB, finding->outcome->axis, depth, &hit))
        return false;
    if (!hit.touches || findFound(finding, hit.id) != NULL)
        return true;
    finding->outcome->swept = true;
    HitPose pose = {.time = hit.fraction,
                    .frames = {shMotion_GetTransform(&sweptA.motion, a->transform, hit.fraction),
                               shMotion_GetTransform(&sweptB.motion, b->transform, hit.fraction)},
                    .turns = {sweptA.motion.turn, sweptB.motion.turn},
                    .contact = {hit.point, hit.normal, hit.distance, hit.id}};
    return manifoldAtHit(finding, &pose);
}

bool contactsAtHit(const shWorld* world, WorldWorker* worker, const Pair* pair, const ToiCandidate* hit, float dt)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    const BodySweep *sweepA = bodySweep(world, a), *sweepB = bodySweep(world, b);
    Vec3 none = {0.0f, 0.0f, 0.0f};
    PairOutcome outcome = {.first = worker->found.count, .gap = INFINITY};
    Finding finding = {world, worker, (Pair*)pair, a, b, &outcome, dt, dt};
    HitPose pose = {.time = hit->time,
                    .frames = {continuousPoseAt(world, a, hit->time), continuousPoseAt(world, b, hit->time)},
                    .turns = {sweepA != NULL ? sweepA->motion.turn : none, sweepB != NULL ? sweepB->motion.turn : none},
                    .contact = {hit->point, hit->normal, 0.0f, CONTACT_OF_SWEEP}};
    return manifoldAtHit(&finding, &pose);
}

shStatus contactsAddHits(shWorld* world)
{
    const Continuous* c = &world->continuous;
    int64_t total = world->contacts.count;
    for (int i = 0; i < c->open.count; ++i)
        total += c->candidates.data[c->open.data[i]].count;
    if (total > INT32_MAX || !arrayReserve(world->memory, &world->nextContacts, total) ||
        !arrayReserve(world->memory, &world->begun, world->begun.count + c->open.count))
        return shOutOfMemory;
    Contact* next = world->nextContacts.data;
    int count = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        Pair* pair = &world->pairs.data[i];
        ToiCandidate* hit = c->candidateOf.data[i] >= 0 ? &c->candidates.data[c->candidateOf.data[i]] : NULL;
        const Contact* old = world->contacts.data + pair->first;
        pair->first = count;
        for (int k = 0; k < pair->count; ++k)
            next[count++] = old[k];
        if (hit == NULL || !(hit->time < INFINITY))
            continue;
        const Contact* found = world->workers[hit->worker].found.data + hit->first;
        for (int k = 0; k < hit->count && count - pair->first < SH_MAX_CONTACTS; ++k) {
            bool known = false;
            for (int m = pair->first; m < count; ++m)
                known |= next[m].id == found[k].id;
            if (!known)
                next[count++] = found[k];
        }
        pair->count = count - pair->first;
        pair->stale = true; // what was to come is not what is
        hit->time = INFINITY;
        hit->count = 0;
        tellTouch(world, pair, true);
    }
    swapContacts(world, count);
    return shOk;
}

// By the balls around them, may they touch as they go?
static bool pathsMeet(const Finding* finding)
{
    const Body *a = finding->a, *b = finding->b;
    Vec3 shiftA = motionOf(finding->world, a, finding->dt).shift,
         shiftB = motionOf(finding->world, b, finding->dt).shift;
    return ballsMeet(vFromD(dSub(a->centre, b->centre)), vSub(shiftA, shiftB),
                     a->radius + b->radius + 2.0f * finding->pair->tolerance) < INFINITY;
}

static StepWay wayOf(const Body* body, float dt)
{
    return (StepWay){vScale(dt, body->velocity), vScale(dt, body->angular),
                     vLength2(body->angular) > 0.0f ? body->radius : 0.0f}; // a plane's is infinite
}

// How far the two may come closer in some time: by the speeds they have, and with what gravity adds to those that
// nothing holds.
static void travelOf(const Finding* finding, float dt, float* held, float* falling)
{
    const Body *a = finding->a, *b = finding->b;
    StepWay wayA = wayOf(a, dt), wayB = wayOf(b, dt);
    *held = relativeTravel(&wayA, &wayB, vFromD(dSub(a->centre, b->centre)));
    float pull = fabsf((a->mass > 0.0 && !a->held ? a->gravityScale : 0.0f) -
                       (b->mass > 0.0 && !b->held ? b->gravityScale : 0.0f));
    *falling = *held + dt * dt * pull * vLength(finding->world->def.gravity);
}

static void measurePaces(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const FindJob* job = arg;
    const shWorld* world = job->world;
    float fall = job->dt * job->dt * vLength(world->def.gravity);
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[i];
        BodyPace* pace = &world->paces.data[i];
        *pace = (BodyPace){.halfThickness = INFINITY};
        if (idPoolAt(&world->ids, i).generation == 0) // what it was made of may be gone, too
            continue;
        *pace = (BodyPace){.path = body->path,
                           .radius = body->radius,
                           .halfThickness = bodyHalfThickness(body),
                           .plane = bodyIsPlane(body)};
        if (!moves(body))
            continue;
        float turning = vLength(body->angular); // of a plane, whose radius is infinite, mostly none
        pace->way = job->dt * (vLength(body->velocity) + (turning > 0.0f ? turning * body->radius : 0.0f));
        pace->fall = body->mass > 0.0 && !body->held ? fall * fabsf(body->gravityScale) : 0.0f;
    }
}

// How far a point of A can have moved in B's frame by what the two have gone. Where B turns, all of A goes round it.
static double mostMoved(const Pair* pair, const BodyPace* a, const BodyPace* b, float apart)
{
    double shift = a->path.shift - pair->pathA.shift + b->path.shift - pair->pathB.shift;
    double turnA = a->path.turn - pair->pathA.turn, turnB = b->path.turn - pair->pathB.turn;
    if (turnA != 0.0)
        shift += turnA * (double)a->radius;
    if (turnB != 0.0)
        shift += turnB * (double)(2.0f * a->radius + b->radius + apart);
    return shift;
}

// How long what is found shall serve, s.
static float lookTime(bool plane) { return plane ? CONTACT_TIME_PLANE : CONTACT_TIME; }

// Where steps are short what was found serves several of them, as it would one of that length.
static bool isRecent(const Pair* pair, float dt, bool plane)
{
    return pair->uses >= 0 && (float)(pair->uses + 2) * dt <= lookTime(plane);
}

// How far a pair may move before its contacts are looked for anew: what goes on moving soon goes farther than that, and
// what comes to rest shall know in time how deep it is.
static float reuseOf(const Pair* pair, float dt, bool plane)
{
    if (isRecent(pair, dt, plane))
        return INFINITY;
    return pair->uses < CONTACT_USES ? CONTACT_REUSE * pair->tolerance : CONTACT_REUSE_REST * pair->tolerance;
}

// How deep something that was not found may get: nothing, once a pair is to be looked at anyway, and where it was
// looked for farther than half a wall.
static float unseenOf(const shWorld* world, const Pair* pair, float dt, bool plane)
{
    if (plane || !world->def.continuous || !isRecent(pair, dt, plane))
        return 0.0f;
    return CONTACT_UNSEEN * maxF(pair->margin - CONTACT_MARGIN * pair->tolerance, 0.0f);
}

// Do the contacts that a pair has serve once more? What is known of its bodies settles that for most.
static bool stillServes(const shWorld* world, const Pair* pair, const BodyPace* a, const BodyPace* b, float dt)
{
    float way = a->way + b->way, tolerance = pair->tolerance;
    bool plane = a->plane || b->plane;
    double moved =
        PATH_SLACK *
        mostMoved(pair, a, b, pair->margin + maxF(CONTACT_REUSE * tolerance, (1.0f + CONTACT_UNSEEN) * pair->margin));
    double clear = (double)pair->margin - moved;
    return pair->count == 0 ? clear >= (double)(tolerance + way + a->fall + b->fall)
                            : moved <= (double)reuseOf(pair, dt, plane) &&
                                  clear + (double)unseenOf(world, pair, dt, plane) >= (double)(tolerance + way);
}

// Looks for all contacts of a pair that had none, what falling may bring among them; false: there are some, or memory
// ran out. Most such pairs have none again, and need one look only.
static bool findsNothing(Finding* finding, float margin, int most, bool* enough)
{
    PairOutcome* outcome = finding->outcome;
    float before = outcome->margin;
    outcome->margin = margin;
    *enough = collide(finding, margin, most);
    if (*enough && outcome->count == 0)
        return true;
    outcome->margin = before;
    outcome->count = 0;
    outcome->gap = INFINITY;
    finding->worker->found.count = outcome->first;
    return false;
}

static bool findContacts(Finding* finding)
{
    const shWorld* world = finding->world;
    const Pair* pair = finding->pair;
    const Body *a = finding->a, *b = finding->b;
    PairOutcome* outcome = finding->outcome;
    outcome->count = pair->count;
    outcome->queried = false;
    // Where a step is solved again for what has broken, nothing else has moved since.
    if (world->again && pair->looked)
        return true;
    if (!pair->stale && stillServes(world, pair, &world->paces.data[pair->a], &world->paces.data[pair->b], finding->dt))
        return true;
    if (!moves(a) && !moves(b))
        return true;
    float held, falling, heldAhead, fallingAhead;
    travelOf(finding, finding->dt, &held, &falling);
    travelOf(finding, finding->ahead, &heldAhead, &fallingAhead);
    shTransform relative = relativeOf(a, b);
    // Planes look the same from everywhere. What else is farther than it is thin may come to touch another face than
    // the one that is nearest now: that is the sweep's.
    bool plane = bodyIsPlane(a) || bodyIsPlane(b);
    float seen = plane ? INFINITY : minF(a->halfThickness, b->halfThickness);
    if (!world->def.continuous)
        seen = INFINITY;
    float margin = CONTACT_MARGIN * pair->tolerance + minF(heldAhead, seen);
    if (!pair->stale) {
        float moved = movedSince(finding, relative), clear = pair->margin - moved;
        if (pair->count == 0 ? clear >= pair->tolerance + falling
                             : moved <= reuseOf(pair, finding->dt, plane) &&
                                   clear + unseenOf(world, pair, finding->dt, plane) >= pair->tolerance + held) {
            // From here on it has moved so far, and what the two will go: the next steps need not compare places.
            finding->pair->pathA = world->paces.data[pair->a].path;
            finding->pair->pathB = world->paces.data[pair->b].path;
            float rounding = PATH_ROUNDING * (vLength(a->transform.p) + vLength(b->transform.p) + vLength(relative.p) +
                                              vLength(a->restCentre) + a->radius);
            finding->pair->pathA.shift -= PATH_SLACK * (double)(moved + rounding);
            return true;
        }
    }
    *outcome = (PairOutcome){.relative = relative,
                             .margin = margin,
                             .first = finding->worker->found.count,
                             .gap = INFINITY,
                             .axis = pair->axis,
                             .queried = true};
    if (hasBox(a) && hasBox(b)) {
        float near = CONTACT_MARGIN * pair->tolerance, most = near + fallingAhead;
        float apart = boxesApart(a->restBox, b->restBox, relative, 2.0f * most);
        if (apart <= most && !pair->touching) // others mostly touch still
            apart = maxF(apart, bodiesGap(world, a, b, 2.0f * most, &outcome->axis));
        outcome->margin = maxF(margin, apart);
        if (apart > most || (apart > near + minF(falling, seen) && !pathsMeet(finding)))
            return true;
        if (apart > near + minF(fallingAhead, seen)) // there is nothing but the sweep
            return falling <= seen || sweep(finding);
        outcome->margin = margin;
    }
    ++finding->worker->queried;
    bool slow = heldAhead <= CONTACT_SLOW * pair->tolerance;
    int fast = !plane && 2.0f * finding->dt <= CONTACT_TIME ? CONTACT_FAST_BRIEF : CONTACT_FAST;
    float wide = CONTACT_MARGIN * pair->tolerance + minF(fallingAhead, seen);
    bool falls = fallingAhead > heldAhead, enough = true;
    if (!(falls && pair->count == 0 && !pair->stale && findsNothing(finding, wide, fast, &enough))) {
        if (!enough || !collide(finding, margin, slow ? CONTACT_CANDIDATES : fast))
            return false;
        // Next to nothing touches: what falling may bring counts, too.
        if (outcome->count < CONTACT_FEW && falls) {
            outcome->margin = wide;
            if (!collide(finding, wide, fast))
                return false;
        }
    }
    // A surface that is only beside is in the way once it is deep: then nothing is clear for long. Where there is none
    // at all the walk may have seen that the two are farther apart than was asked for.
    const shQuery* query = finding->worker->query;
    bool beside = query->stats.colliding > 0;
    float clear = query->clear;
    if (outcome->count == 0 && beside)
        outcome->margin = CONTACT_REUSE * pair->tolerance;
    if (!keepLoaded(finding, margin, (slow ? CONTACT_SLIDE : CONTACT_SLIDE_FAST) * pair->tolerance))
        return false;
    if (!unjam(finding))
        return false;
    if (outcome->count == 0 && !beside)
        outcome->margin = maxF(outcome->margin, clear);
    if (outcome->count > 4)
        reduce(finding, slow && pair->count > 0);
    return (outcome->count == 0 ? falling : held) <= seen || sweep(finding);
}

static void findBlock(int begin, int end, int worker, void* arg)
{
    const FindJob* job = arg;
    shWorld* world = job->world;
    for (int i = begin; i < end; ++i) {
        Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        Finding finding = {
            world, &world->workers[worker],  pair,    a,
            b,     &world->outcomes.data[i], job->dt, maxF(job->dt, lookTime(bodyIsPlane(a) || bodyIsPlane(b)))};
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
    if (!arrayReserve(world->memory, &world->paces, world->bodies.count))
        return shOutOfMemory;
    FindJob job = {world, dt};
    parallelFor(world->context, world->bodies.count, BODY_BLOCK, measurePaces, &job);
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
                  arrayReserve(world->memory, &world->begun, world->begun.count + world->pairs.count) &&
                  arrayReserve(world->memory, &world->ended, world->ended.count + world->pairs.count);
    return enough ? shOk : shOutOfMemory;
}

// Contacts keep what their predecessors have learnt; what a vanished one carried goes to its nearest neighbour.
static void inherit(const Contact* old, int oldCount, Contact* contacts, int count)
{
    if (count == 0)
        return;
    for (int i = 0; i < oldCount; ++i) {
        if (old[i].force == 0.0f)
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
        contacts[heir].force += old[i].force;
        contacts[heir].friction = vAdd(contacts[heir].friction, old[i].friction);
    }
}

// Have contacts that were apart when they were found come to touch since?
static bool hasClosed(const shWorld* world, const Pair* pair)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    for (int i = 0; i < pair->count; ++i) {
        if (placeOf(a, b, &world->contacts.data[pair->first + i]).gap <= pair->tolerance)
            return true;
    }
    return false;
}

// Steps that a pair has been jammed, below 0; it is looked at again and again, however long that is.
static int longer(int uses) { return uses > -INT16_MAX + JAM_PATIENCE ? uses - 1 : uses - 1 + JAM_PATIENCE; }

void contactsCommit(shWorld* world, float dt)
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
            pair->axis = outcome->axis;
            pair->uses = outcome->jammed ? longer(minI(pair->uses, 0)) : 0;
            pair->pathA = world->paces.data[pair->a].path;
            pair->pathB = world->paces.data[pair->b].path;
            // What was to come is not what is; and a jam is looked at until it is none.
            pair->stale = outcome->swept || outcome->gap < -CONTACT_DEEP * pair->tolerance;
            tellTouch(world, pair, outcome->gap <= pair->tolerance);
        } else {
            bool plane = world->paces.data[pair->a].plane || world->paces.data[pair->b].plane;
            if (!world->again || !pair->looked) // else this step has been counted
                pair->uses += pair->uses < CONTACT_USES || (pair->uses < INT16_MAX && isRecent(pair, dt, plane));
            if (!pair->touching && hasClosed(world, pair))
                tellTouch(world, pair, true);
        }
        pair->looked = true;
        pair->first = count;
        pair->count = outcome->count;
        if (pair->count == 0)
            pair->load = 0.0f;
        count += outcome->count;
    }
    swapContacts(world, count);
}

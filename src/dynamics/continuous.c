// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "dynamics/continuous.h"

#include "collide/apart.h"
#include "collide/query.h"
#include "collide/scenery.h"
#include "core/constants.h"
#include "dynamics/world.h"

// ---- two bodies -----------------------------------------------------------------------------------------------------

bool bodyIsPlane(const Body* body)
{
    return body->solid < 0 && body->scenery == NULL && body->shape.type == shPlaneShape;
}

float bodyHalfThickness(const Body* body)
{
    return body->scenery != NULL ? body->scenery->thickness : body->halfThickness;
}

bool bodiesSweep(const shWorld* world, shQuery* query, const shSweepDef* def, const SweptBody* a, const SweptBody* b,
                 shSweepHit* hit)
{
    shCollider colliderA = bodyCollider(world, a->body), colliderB = bodyCollider(world, b->body);
    const shShape *shapeA = &a->body->shape, *shapeB = &b->body->shape;
    colliderA.transform = a->start;
    colliderB.transform = b->start;
    shStatus status;
    if (b->body->scenery != NULL && colliderA.solid != NULL)
        status = shSweepScenery(query, def, &colliderA, &a->motion, b->body->scenery, b->start, hit, NULL);
    else if (b->body->scenery != NULL)
        status = shSweepShapeScenery(query, def, shapeA, a->start, &a->motion, b->body->scenery, b->start, hit, NULL);
    else if (colliderA.solid == NULL)
        status = shSweepShapes(query, def, shapeA, a->start, &a->motion, shapeB, b->start, &b->motion, hit, NULL);
    else if (colliderB.solid == NULL)
        status = shSweepShape(query, def, &colliderA, &a->motion, shapeB, b->start, &b->motion, hit, NULL);
    else
        status = shSweep(query, def, &colliderA, &a->motion, &colliderB, &b->motion, hit, NULL);
    return status == shOk;
}

bool bodiesCross(const shWorld* world, shQuery* query, const SweptBody* a, const SweptBody* b, Vec3 axis, float depth,
                 shSweepHit* hit)
{
    float thickA = bodyHalfThickness(a->body), thickB = bodyHalfThickness(b->body);
    // What is deep already may stay so, and move, but must not get much deeper. Beyond the middle of the other nobody
    // knows any more which way is out.
    SweepRise rise = {depth, TOI_DEEPER, {thickA, thickB}};
    *hit = (shSweepHit){.fraction = 1.0f};
    if (!(rise.depth < maxF(thickA, thickB)))
        return true;
    shSweepDef def = shDefaultSweepDef();
    def.depth[0] = rise.depth < thickB ? rise.depth : INFINITY;
    def.depth[1] = rise.depth < thickA ? rise.depth : INFINITY;
    query->rise = &rise;
    query->cores = true;
    query->axis = axis;
    bool done = bodiesSweep(world, query, &def, a, b, hit);
    query->rise = NULL;
    query->cores = false;
    return done;
}

// Moved by impulses.
static bool isDynamic(const Body* body) { return body->type == shDynamicBody && body->state >= 0; }

// ---- motions --------------------------------------------------------------------------------------------------------

void continuousFree(shWorld* world)
{
    Continuous* c = &world->continuous;
    arrayFree(world->memory, &c->sweeps);
    arrayFree(world->memory, &c->candidates);
    arrayFree(world->memory, &c->candidateOf);
    arrayFree(world->memory, &c->open);
    arrayFree(world->memory, &c->crossings);
    arrayFree(world->memory, &c->offsets);
}

static void noteStarts(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        const Body* body = &world->bodies.data[i];
        world->continuous.sweeps.data[i] =
            (BodySweep){.centre = body->centre, .frame = body->spin.frame, .start = body->transform};
    }
}

// Room for a candidate of every pair: what comes after the last solve cannot fail.
static bool reserve(shWorld* world)
{
    Continuous* c = &world->continuous;
    int bodies = world->bodies.count, pairs = world->pairs.count;
    return arrayReserve(world->memory, &c->sweeps, bodies) && arrayReserve(world->memory, &c->offsets, bodies) &&
           arrayReserve(world->memory, &c->candidates, pairs) && arrayReserve(world->memory, &c->candidateOf, pairs) &&
           arrayReserve(world->memory, &c->open, pairs) && arrayReserve(world->memory, &c->crossings, pairs);
}

shStatus continuousBegin(shWorld* world)
{
    Continuous* c = &world->continuous;
    if (!reserve(world))
        return shOutOfMemory;
    c->candidates.count = 0;
    c->anew = true;
    for (int i = 0; i < world->pairs.count; ++i)
        c->candidateOf.data[i] = -1;
    parallelFor(world->context, world->bodies.count, BODY_BLOCK, noteStarts, world);
    return shOk;
}

shTransform continuousPoseAt(const shWorld* world, const Body* body, float time)
{
    const BodySweep* sweep = world->def.continuous ? bodySweep(world, body) : NULL;
    return sweep != NULL ? shMotion_GetTransform(&sweep->motion, sweep->start, time) : body->transform;
}

// Around all poses of a motion. A point that turns strays from the straight line between its ends by less than the arc.
static shBox motionBox(const Body* body, const BodySweep* sweep)
{
    shTransform end = shMotion_GetTransform(&sweep->motion, sweep->start, 1.0f);
    float turn = vLength(sweep->motion.turn);
    float arc = turn > 0.0f ? minF(0.125f * turn * turn, 2.0f) * body->radius : 0.0f;
    return boxGrow(boxUnion(bodyBoxAt(body, sweep->start), bodyBoxAt(body, end)), arc);
}

static void setMotion(const Body* body, BodySweep* sweep, shMotion motion)
{
    float turn = vLength(motion.turn), changed = vDistance(motion.turn, sweep->motion.turn);
    // A plane's radius is infinite.
    sweep->change = vDistance(motion.shift, sweep->motion.shift) + (changed > 0.0f ? changed * body->radius : 0.0f);
    sweep->motion = motion;
    sweep->turned = turn > 0.0f ? turn * body->radius : 0.0f;
    sweep->box = motionBox(body, sweep);
}

static void predictMotions(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        int index = world->moving.data[i], count;
        const Body* body = &world->bodies.data[index];
        const BodyState* state = &world->states.data[i];
        BodySweep* sweep = &world->continuous.sweeps.data[index];
        setMotion(body, sweep,
                  (shMotion){body->restCentre, vec3(state->shift[0], state->shift[1], state->shift[2]),
                             vec3(state->turn[0], state->turn[1], state->turn[2])});
        float travel = vLength(sweep->motion.shift) + sweep->turned;
        world->paces.data[index].way = travel;
        sweep->strays = false;
        if (!body->awake || travel <= TOI_DEPTH * body->halfThickness)
            continue;
        // Kicked out of the box that the pairs were made of.
        const BroadProxy* proxy = &broadProxies(world->broad, &count)[index];
        if (!boxHolds(proxy->box, sweep->box)) {
            sweep->strays = true;
            broadMove(world->broad, index, boxUnion(proxy->box, sweep->box));
        }
    }
}

// The same turn, with as many full ones more as bring it closest to another.
static Vec3 windingAs(Vec3 turn, Vec3 like)
{
    const float circle = 2.0f * 3.14159265f;
    Vec3 axis = vNormalize(turn);
    float more = vDot(axis, like) - vLength(turn);
    return vMad(turn, circle * floorf(more / circle + 0.5f), axis);
}

static void measureMotions(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        int index = world->moving.data[i];
        const Body* body = &world->bodies.data[index];
        BodySweep* sweep = &world->continuous.sweeps.data[index];
        shMotion motion = shMotionBetween(sweep->start, body->transform, body->restCentre);
        motion.shift = vFromD(dSub(body->centre, sweep->centre));
        motion.turn = windingAs(motion.turn, sweep->motion.turn);
        setMotion(body, sweep, motion);
        world->paces.data[index].way = vLength(motion.shift) + sweep->turned;
    }
}

// ---- candidates -----------------------------------------------------------------------------------------------------

static StepWay stepOf(const Body* body, const BodySweep* sweep)
{
    if (sweep == NULL)
        return (StepWay){.radius = 0.0f};
    return (StepWay){sweep->motion.shift, sweep->motion.turn, sweep->turned > 0.0f ? body->radius : 0.0f};
}

// How far any point of A can have moved in B's frame since a pair's last query. Poses, not paths: a world that was
// restored knows those too.
static float movedBefore(const Pair* pair, const Body* a, shTransform startA, shTransform startB)
{
    shQuat inverse = qConjugate(startB.q);
    shTransform then = pair->relative;
    shTransform now = {qRotate(inverse, vSub(startA.p, startB.p)), qMul(inverse, startA.q)};
    Vec3 centre = a->restCentre;
    float moved = vDistance(xformPoint(now, centre), xformPoint(then, centre)) +
                  2.0f * a->radius * vLength(qMul(now.q, qConjugate(then.q)).v);
    float rounding =
        PATH_ROUNDING * (vLength(startA.p) + vLength(startB.p) + vLength(now.p) + vLength(centre) + a->radius);
    return moved + rounding;
}

// What a pair's last query covered from where the two start: whatever was farther than its margin has not been found,
// whatever was nearer is among its contacts.
static float coveredBy(const Pair* pair, const Body* a, shTransform startA, const Body* b, shTransform startB,
                       float bend)
{
    // Contacts follow straight lines: what turns leaves them by the bend of its arc.
    float least = TOI_DEPTH * minF(bodyHalfThickness(a), bodyHalfThickness(b));
    if (pair->stale || b->scenery != NULL || (pair->count > 0 && bend > least))
        return 0.0f;
    // Surfaces that are only beside are no contacts, but near.
    float moved = movedBefore(pair, a, startA, startB);
    return maxF(pair->margin - CONTACT_MARGIN * pair->tolerance - moved, 0.0f);
}

// By how far they move, could two be through each other?
static bool areFast(const shWorld* world, int a, int b)
{
    const BodyPace *paceA = &world->paces.data[a], *paceB = &world->paces.data[b];
    return !(paceA->way + paceB->way <= TOI_DEPTH * minF(paceA->halfThickness, paceB->halfThickness));
}

static bool isCandidate(const shWorld* world, const Pair* pair)
{
    if (!areFast(world, pair->a, pair->b))
        return false;
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    if (!isDynamic(a) && !isDynamic(b))
        return false; // what sleeps wakes when it is touched
    const BodySweep *sweepA = bodySweep(world, a), *sweepB = bodySweep(world, b);
    StepWay stepA = stepOf(a, sweepA), stepB = stepOf(b, sweepB);
    DVec3 centreA = sweepA != NULL ? sweepA->centre : a->centre, centreB = sweepB != NULL ? sweepB->centre : b->centre;
    float travel = relativeTravel(&stepA, &stepB, vFromD(dSub(centreA, centreB)));
    float depth = TOI_DEPTH * minF(bodyHalfThickness(a), bodyHalfThickness(b));
    if (travel <= depth)
        return false;
    float bend = 0.5f * (vLength(stepA.turn) * stepA.radius * vLength(stepA.turn) +
                         vLength(stepB.turn) * stepB.radius * vLength(stepB.turn));
    if (travel <= depth + coveredBy(pair, a, sweepA != NULL ? sweepA->start : a->transform, b,
                                    sweepB != NULL ? sweepB->start : b->transform, bend))
        return false;
    return boxOverlaps(sweepA != NULL ? sweepA->box : bodyBox(a), sweepB != NULL ? sweepB->box : bodyBox(b));
}

// Of a pair, since the motions were looked at last.
enum { asBefore, isNone, isOne };

static bool hasChanged(const shWorld* world, const Pair* pair)
{
    const BodySweep *a = bodySweep(world, &world->bodies.data[pair->a]),
                    *b = bodySweep(world, &world->bodies.data[pair->b]);
    return (a != NULL && a->change > 0.0f) || (b != NULL && b->change > 0.0f);
}

static void markCandidates(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        const Pair* pair = &world->pairs.data[i];
        world->marks.data[i] = !world->continuous.anew && !hasChanged(world, pair) ? asBefore
                               : isCandidate(world, pair)                          ? isOne
                                                                                   : isNone;
    }
}

// Has nothing moved so far that two together could be through anything?
static bool allSlow(const shWorld* world)
{
    float fastest = 0.0f, thinnest = INFINITY;
    for (int i = 0; i < world->bodies.count; ++i) {
        fastest = maxF(fastest, world->paces.data[i].way);
        thinnest = minF(thinnest, world->paces.data[i].halfThickness);
    }
    return fastest + fastest <= TOI_DEPTH * thinnest;
}

// Those that bodies may meet outside the boxes that pairs come from. False: no memory.
static bool pairStrays(shWorld* world)
{
    bool strays = false;
    for (int i = 0; i < world->moving.count; ++i)
        strays |= world->continuous.sweeps.data[world->moving.data[i]].strays;
    if (!strays)
        return true;
    broadRefresh(world->broad);
    for (int i = 0; i < world->moving.count; ++i) {
        int index = world->moving.data[i];
        const BodySweep* sweep = &world->continuous.sweeps.data[index];
        if (!sweep->strays)
            continue;
        if (broadFind(world->broad, sweep->box, UINT64_MAX, world->memory, &world->list) != shOk)
            return false;
        for (int k = 0; k < world->list.count; ++k) {
            int other = world->list.data[k], pair = world->pairs.count;
            if (other == index || !bodiesMeet(&world->bodies.data[index], &world->bodies.data[other]) ||
                pairFind(world, index, other) >= 0)
                continue;
            if (!pairsReserve(world, pair + 1) ||
                !arrayReserve(world->memory, &world->continuous.candidateOf, pair + 1))
                return false;
            pairAdd(world, minI(index, other), maxI(index, other));
            world->continuous.candidateOf.data[pair] = -1;
        }
    }
    return reserve(world);
}

// The candidates whose motions have to be swept, now that some have changed; `again`: those that cross as well.
static void openCandidates(shWorld* world, bool again)
{
    Continuous* c = &world->continuous;
    c->open.count = 0;
    parallelFor(world->context, world->pairs.count, MARK_BLOCK, markCandidates, world);
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        int index = c->candidateOf.data[i], mark = world->marks.data[i];
        if (index < 0 && mark != isOne)
            continue;
        if (index < 0) {
            index = c->candidateOf.data[i] = c->candidates.count++;
            c->candidates.data[index] = (ToiCandidate){.pair = i, .clear = -1.0f, .time = INFINITY};
        }
        ToiCandidate* candidate = &c->candidates.data[index];
        if (mark == asBefore && !(again && candidate->time < INFINITY))
            continue; // it crosses, or does not, where it did
        const BodySweep* a = bodySweep(world, &world->bodies.data[pair->a]);
        const BodySweep* b = bodySweep(world, &world->bodies.data[pair->b]);
        candidate->clear -= (a != NULL ? a->change : 0.0f) + (b != NULL ? b->change : 0.0f);
        candidate->time = INFINITY;
        if (mark != isNone && !(candidate->clear >= 0.0f))
            c->open.data[c->open.count++] = index;
    }
    for (int i = 0; i < world->moving.count; ++i)
        c->sweeps.data[world->moving.data[i]].change = 0.0f;
    c->anew = false;
}

// The candidates that cross.
static void listCrossings(Continuous* c)
{
    c->crossings.count = 0;
    for (int i = 0; i < c->candidates.count; ++i) {
        if (c->candidates.data[i].time < INFINITY)
            c->crossings.data[c->crossings.count++] = i;
    }
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// A body from a fraction of its motion to the end.
static SweptBody sweptFrom(const shWorld* world, const Body* body, float time)
{
    const BodySweep* sweep = bodySweep(world, body);
    SweptBody swept = {.body = body, .start = body->transform, .motion.centre = body->restCentre};
    if (sweep == NULL)
        return swept;
    swept.start = time > 0.0f ? shMotion_GetTransform(&sweep->motion, sweep->start, time) : sweep->start;
    swept.motion = (shMotion){sweep->motion.centre, vScale(1.0f - time, sweep->motion.shift),
                              vScale(1.0f - time, sweep->motion.turn)};
    return swept;
}

// From when on the balls around two bodies may touch; infinity: never.
static float ballsTouch(const shWorld* world, const Body* a, const Body* b)
{
    const BodySweep *sweepA = bodySweep(world, a), *sweepB = bodySweep(world, b);
    DVec3 centreA = sweepA != NULL ? sweepA->centre : a->centre, centreB = sweepB != NULL ? sweepB->centre : b->centre;
    Vec3 none = {0.0f, 0.0f, 0.0f};
    Vec3 shift = vSub(sweepA != NULL ? sweepA->motion.shift : none, sweepB != NULL ? sweepB->motion.shift : none);
    return ballsMeet(vFromD(dSub(centreA, centreB)), shift, a->radius + b->radius);
}

// How far a body's point goes from the hit to the end, that is at a place then.
static Vec3 travelAfter(const shWorld* world, const Body* body, Vec3 point, float time)
{
    const BodySweep* sweep = bodySweep(world, body);
    if (sweep == NULL)
        return vec3(0.0f, 0.0f, 0.0f);
    shTransform then = shMotion_GetTransform(&sweep->motion, sweep->start, time);
    shTransform now = shMotion_GetTransform(&sweep->motion, sweep->start, 1.0f);
    return vSub(xformPoint(now, xformUnpoint(then, point)), point);
}

// Does a pair have contacts from the start of the step on?
static bool touchesAtStart(const shWorld* world, const Pair* pair)
{
    for (int i = 0; i < pair->count; ++i) {
        if (world->contacts.data[pair->first + i].ahead == 0.0f)
            return true;
    }
    return false;
}

// Sweeps a candidate's motions. False: no memory.
static bool sweepCandidate(const shWorld* world, WorldWorker* worker, ToiCandidate* candidate, bool coarse)
{
    const Pair* pair = &world->pairs.data[candidate->pair];
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    float thickness = minF(bodyHalfThickness(a), bodyHalfThickness(b));
    bool dynamic = isDynamic(a) && isDynamic(b);
    float depth = (coarse && dynamic ? TOI_DEPTH_COARSE : TOI_DEPTH) * thickness;
    candidate->time = INFINITY;
    candidate->clear = TOI_STRAY * thickness;
    SweptBody sweptA = sweptFrom(world, a, 0.0f), sweptB = sweptFrom(world, b, 0.0f);
    Vec3 axis = pair->axis;
    float apart = sweptGap(world, &sweptA, &sweptB, -depth, &axis) + depth;
    if (apart >= 0.0f) {
        candidate->clear += apart;
        return true;
    }
    float time = ballsTouch(world, a, b);
    if (!(time < 1.0f))
        return true;
    if (time > 0.0f) {
        sweptA = sweptFrom(world, a, time);
        sweptB = sweptFrom(world, b, time);
    }
    shSweepHit hit;
    ++worker->swept;
    candidate->clear = -1.0f;
    if (!bodiesCross(world, worker->query, &sweptA, &sweptB, axis, depth, &hit))
        return false;
    if (!hit.touches) {
        candidate->clear = TOI_STRAY * thickness;
        return true;
    }
    candidate->time = time + (1.0f - time) * hit.fraction;
    candidate->point = hit.point;
    candidate->normal = hit.normal;
    if (coarse && dynamic && touchesAtStart(world, pair)) {
        // No deeper than the middle: there its contacts know which side it came from.
        Vec3 travel =
            vSub(travelAfter(world, a, hit.point, candidate->time), travelAfter(world, b, hit.point, candidate->time));
        if (vDot(hit.normal, travel) > depth - thickness) {
            candidate->time = INFINITY;
            candidate->clear = 0.0f;
        }
    }
    return true;
}

typedef struct SweepJob {
    shWorld* world;
    float dt;
    bool manifolds; // of hits are wanted
    bool coarse;    // dynamic pairs may get deeper
} SweepJob;

static void sweepBlock(int begin, int end, int worker, void* arg)
{
    const SweepJob* job = arg;
    shWorld* world = job->world;
    WorldWorker* own = &world->workers[worker];
    for (int i = begin; i < end; ++i) {
        ToiCandidate* candidate = &world->continuous.candidates.data[world->continuous.open.data[i]];
        const Pair* pair = &world->pairs.data[candidate->pair];
        bool enough = sweepCandidate(world, own, candidate, job->coarse);
        if (enough && job->manifolds && candidate->time < INFINITY) {
            candidate->worker = worker;
            candidate->first = own->found.count;
            enough = contactsAtHit(world, own, pair, candidate, job->dt);
            candidate->count = own->found.count - candidate->first;
        }
        own->failed |= !enough;
    }
}

static bool sweepOpen(shWorld* world, float dt, bool manifolds, bool coarse)
{
    SweepJob job = {world, dt, manifolds, coarse};
    for (int w = 0; w < world->workerCount; ++w) {
        world->workers[w].found.count = world->workers[w].swept = 0;
        world->workers[w].failed = false;
    }
    parallelFor(world->context, world->continuous.open.count, PAIR_BLOCK, sweepBlock, &job);
    bool enough = true;
    for (int w = 0; w < world->workerCount; ++w) {
        world->counters.swept += world->workers[w].swept;
        enough = enough && !world->workers[w].failed;
    }
    return enough;
}

// ---- after a solve --------------------------------------------------------------------------------------------------

shStatus continuousPredict(shWorld* world, float dt, bool* late)
{
    *late = false;
    if (!world->def.continuous)
        return shOk;
    parallelFor(world->context, world->moving.count, BODY_BLOCK, predictMotions, world);
    if (!pairStrays(world))
        return shOutOfMemory;
    if (allSlow(world))
        return shOk;
    openCandidates(world, false);
    if (!sweepOpen(world, dt, true, false))
        return shOutOfMemory;
    Continuous* c = &world->continuous;
    for (int i = 0; i < c->open.count; ++i)
        *late |= c->candidates.data[c->open.data[i]].time < INFINITY;
    return *late ? contactsAddHits(world) : shOk;
}

// ---- after integration ----------------------------------------------------------------------------------------------

// Takes energy from a velocity, J/kg: what it falls with first.
static Vec3 slower(Vec3 velocity, DVec3 gravity, double energy)
{
    DVec3 v = dFromV(velocity), down = dNormalize(gravity);
    double speed = dDot(v, down), left = speed * speed - 2.0 * energy;
    if (left >= 0.0)
        return vFromD(dMad(v, (speed < 0.0 ? -sqrt(left) : sqrt(left)) - speed, down));
    v = dMad(v, -speed, down);
    double across = dLength2(v);
    return across + left > 0.0 ? vFromD(dScale(sqrt(1.0 + left / across), v)) : vec3(0.0f, 0.0f, 0.0f);
}

static DQuat turnBy(Vec3 turn)
{
    DVec3 axis = dFromV(turn);
    return dqFromAxisAngle(axis, dLength(axis));
}

// A body that did not get as far as the solver thought has not fallen so far either: its speed must not have. Nor is
// its spin turned on until momentum and energy fit, as in free rotation: something is in the way.
static void placeBody(shWorld* world, Body* body, DVec3 centre, DQuat frame, bool falls)
{
    double before = bodyEnergy(world, body);
    DVec3 gravity = dScale((double)body->gravityScale, dFromV(world->def.gravity));
    double missing = dDot(gravity, dSub(body->centre, centre));
    body->centre = centre;
    body->spin.frame = dqNormalize(frame);
    spinSettle(&body->spin);
    if (falls && missing > 0.0)
        body->velocity = slower(body->velocity, gravity, missing);
    bodyPlace(body);
    double change = bodyEnergy(world, body) - before;
    if (falls)
        world->energy.lost -= change;
    else
        world->energy.pushed += change;
}

// Puts a body where it was at the hit; on something kinematic it is carried from there on.
static void stopBody(shWorld* world, Body* body, const Body* partner, float time)
{
    BodySweep* sweep = bodySweep(world, body);
    const BodySweep* carrier = bodySweep(world, partner);
    DVec3 centre = dMad(sweep->centre, (double)time, dFromV(sweep->motion.shift));
    DQuat frame = dqMul(turnBy(vScale(time, sweep->motion.turn)), sweep->frame);
    shMotion motion = sweep->motion;
    motion.shift = vScale(time, motion.shift);
    motion.turn = vScale(time, motion.turn);
    if (carrier != NULL) {
        shMotion rest = carrier->motion;
        DQuat turn = turnBy(vScale(1.0f - time, rest.turn));
        DVec3 from = dMad(carrier->centre, (double)time, dFromV(rest.shift));
        DVec3 to = dMad(from, (double)(1.0f - time), dFromV(rest.shift));
        centre = dAdd(to, dqRotate(turn, dSub(centre, from)));
        frame = dqMul(turn, frame);
        motion.shift = vFromD(dSub(centre, sweep->centre));
        motion.turn = vAdd(motion.turn, vScale(1.0f - time, rest.turn));
    }
    placeBody(world, body, centre, frame, true);
    setMotion(body, sweep, motion);
    sweep->stopped = sweep->corrected = true;
}

// The earliest hit of every body with something that impulses do not move. False: there is none.
static bool stopAtStatic(shWorld* world)
{
    const Continuous* c = &world->continuous;
    for (int i = 0; i < world->moving.count; ++i)
        c->sweeps.data[world->moving.data[i]].hit = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        bool any = false;
        for (int i = 0; i < c->crossings.count; ++i) {
            ToiCandidate* candidate = &c->candidates.data[c->crossings.data[i]];
            const Pair* pair = &world->pairs.data[candidate->pair];
            Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
            if (!(candidate->time < INFINITY) || (isDynamic(a) && isDynamic(b)))
                continue;
            Body *body = isDynamic(a) ? a : b, *partner = isDynamic(a) ? b : a;
            float* hit = &bodySweep(world, body)->hit;
            any = true;
            if (pass == 0) {
                *hit = minF(*hit, candidate->time);
            } else if (candidate->time == *hit) {
                stopBody(world, body, partner, candidate->time);
                *hit = -1.0f;
            }
        }
        if (!any)
            return false;
    }
    return true;
}

// Do two bodies turn so far that they go through each other wherever they are put?
static bool turnsThrough(const shWorld* world, const Pair* pair)
{
    const BodySweep *a = bodySweep(world, &world->bodies.data[pair->a]),
                    *b = bodySweep(world, &world->bodies.data[pair->b]);
    return maxF(a != NULL ? vLength(a->motion.turn) : 0.0f, b != NULL ? vLength(b->motion.turn) : 0.0f) > TOI_TURN;
}

static float inverseMass(const shWorld* world, const Body* body)
{
    return isDynamic(body) && !bodySweep(world, body)->stopped ? (float)(1.0 / body->mass) : 0.0f;
}

// How far the pairs that cross still go after their hits along the normals. False: none crosses.
static bool measureCrossings(shWorld* world)
{
    Continuous* c = &world->continuous;
    bool any = false;
    for (int i = 0; i < c->crossings.count; ++i) {
        ToiCandidate* hit = &c->candidates.data[c->crossings.data[i]];
        const Pair* pair = &world->pairs.data[hit->pair];
        hit->parts = hit->time < INFINITY && !hit->joins && !turnsThrough(world, pair);
        if (!hit->parts)
            continue;
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        Vec3 travel = vSub(travelAfter(world, a, hit->point, hit->time), travelAfter(world, b, hit->point, hit->time));
        hit->parting = vDot(hit->normal, travel);
        hit->push = 0.0f;
        c->offsets.data[pair->a] = c->offsets.data[pair->b] = vec3(0.0f, 0.0f, 0.0f);
        any = true;
    }
    return any;
}

// Relative displacement along the normals that two dynamic bodies have gone since their hit is taken back, by inverse
// masses: the centre of mass of the two ends where it should. One body may have several hits: Gauss-Seidel, with sums
// that do not fall below zero, as for impulses.
static bool partDynamic(shWorld* world)
{
    Continuous* c = &world->continuous;
    if (!measureCrossings(world))
        return false;
    for (int round = 0; round < TOI_ITERATIONS; ++round) {
        for (int i = 0; i < c->crossings.count; ++i) {
            ToiCandidate* hit = &c->candidates.data[c->crossings.data[i]];
            if (!hit->parts)
                continue;
            const Pair* pair = &world->pairs.data[hit->pair];
            const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
            float massA = inverseMass(world, a), massB = inverseMass(world, b);
            if (!(massA + massB > 0.0f))
                continue;
            Vec3 offset = vSub(c->offsets.data[pair->a], c->offsets.data[pair->b]);
            float slack = TOI_STRAY * minF(bodyHalfThickness(a), bodyHalfThickness(b));
            float missing = slack - hit->parting - vDot(hit->normal, offset);
            float push = maxF(hit->push + missing / (massA + massB), 0.0f), more = push - hit->push;
            hit->push = push;
            c->offsets.data[pair->a] = vMad(c->offsets.data[pair->a], massA * more, hit->normal);
            c->offsets.data[pair->b] = vMad(c->offsets.data[pair->b], -massB * more, hit->normal);
        }
    }
    for (int i = 0; i < c->crossings.count; ++i) {
        ToiCandidate* hit = &c->candidates.data[c->crossings.data[i]];
        if (!hit->parts)
            continue;
        const Pair* pair = &world->pairs.data[hit->pair];
        hit->parted |= hit->push > 0.0f;
        // Nothing closes along the normal, and it crosses all the same: by turning, however little.
        hit->joins = hit->push == 0.0f && vLength2(c->offsets.data[pair->a]) == 0.0f &&
                     vLength2(c->offsets.data[pair->b]) == 0.0f;
    }
    for (int i = 0; i < c->crossings.count; ++i) {
        const ToiCandidate* hit = &c->candidates.data[c->crossings.data[i]];
        if (!hit->parts)
            continue;
        const Pair* pair = &world->pairs.data[hit->pair];
        const int both[2] = {pair->a, pair->b};
        for (int k = 0; k < 2; ++k) {
            Vec3 offset = c->offsets.data[both[k]];
            c->offsets.data[both[k]] = vec3(0.0f, 0.0f, 0.0f);
            if (vLength2(offset) == 0.0f)
                continue;
            Body* body = &world->bodies.data[both[k]];
            BodySweep* sweep = bodySweep(world, body);
            shMotion motion = sweep->motion;
            motion.shift = vAdd(motion.shift, offset);
            placeBody(world, body, dAdd(body->centre, dFromV(offset)), body->spin.frame, false);
            setMotion(body, sweep, motion);
            sweep->corrected = true;
        }
    }
    return true;
}

// Dynamic bodies that turn through each other wherever they are put: from the hit on they move as one, without turning,
// with the momentum of both. The earliest hit of each body counts.
static bool joinDynamic(shWorld* world)
{
    Continuous* c = &world->continuous;
    for (int i = 0; i < world->moving.count; ++i)
        c->sweeps.data[world->moving.data[i]].hit = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        bool any = false;
        for (int i = 0; i < c->crossings.count; ++i) {
            ToiCandidate* hit = &c->candidates.data[c->crossings.data[i]];
            const Pair* pair = &world->pairs.data[hit->pair];
            Body* both[2] = {&world->bodies.data[pair->a], &world->bodies.data[pair->b]};
            if (!(hit->time < INFINITY) || !isDynamic(both[0]) || !isDynamic(both[1]) ||
                !(hit->joins || turnsThrough(world, pair)))
                continue;
            BodySweep* sweeps[2] = {bodySweep(world, both[0]), bodySweep(world, both[1])};
            any = true;
            if (pass == 0) {
                sweeps[0]->hit = minF(sweeps[0]->hit, hit->time);
                sweeps[1]->hit = minF(sweeps[1]->hit, hit->time);
                continue;
            }
            if (hit->time != sweeps[0]->hit || hit->time != sweeps[1]->hit)
                continue;
            float massA = inverseMass(world, both[0]), massB = inverseMass(world, both[1]), left = 1.0f - hit->time;
            float shareA = massA + massB > 0.0f ? massB / (massA + massB) : 0.5f; // of its own mass in that of both
            Vec3 common = vLerp(sweeps[1]->motion.shift, sweeps[0]->motion.shift, shareA);
            for (int k = 0; k < 2; ++k) {
                shMotion motion = sweeps[k]->motion;
                motion.shift = vMad(vScale(hit->time, motion.shift), left, common);
                motion.turn = vScale(hit->time, motion.turn);
                placeBody(world, both[k], dAdd(sweeps[k]->centre, dFromV(motion.shift)),
                          dqMul(turnBy(motion.turn), sweeps[k]->frame), false);
                setMotion(both[k], sweeps[k], motion);
                sweeps[k]->hit = -1.0f;
                sweeps[k]->corrected = true;
            }
            hit->parted = true;
        }
        if (!any)
            return false;
    }
    return true;
}

// Boxes hold bodies at any time: queries rely on it.
static void followBodies(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    for (int i = begin; i < end; ++i) {
        int index = world->moving.data[i], count;
        shBox box = bodyBox(&world->bodies.data[index]);
        if (!boxHolds(broadProxies(world->broad, &count)[index].box, box))
            broadMove(world->broad, index, box);
    }
}

// Corrections of some make others cross. In a heap that is pressed together that takes no end: after the first rounds
// what has contacts is left to them, unless it would be through.
static void stopCrossings(shWorld* world)
{
    Continuous* c = &world->continuous;
    parallelFor(world->context, world->moving.count, BODY_BLOCK, measureMotions, world);
    if (allSlow(world))
        return;
    c->anew = true;
    for (int round = 0; round <= TOI_ROUNDS; ++round) { // the last word has what is static
        openCandidates(world, round == TOI_ROUNDS_ALL);
        sweepOpen(world, 0.0f, false, round >= TOI_ROUNDS_ALL);
        listCrossings(c);
        // What is stopped against something static stays out of the way of others in the next round.
        if (stopAtStatic(world))
            continue;
        if (round == TOI_ROUNDS)
            return;
        bool parted = partDynamic(world);
        if (!joinDynamic(world) && !parted)
            return;
    }
}

void continuousFinish(shWorld* world)
{
    world->counters.stopped = 0;
    if (world->def.continuous)
        stopCrossings(world);
    for (int i = 0; i < world->moving.count && world->def.continuous; ++i)
        world->counters.stopped += world->continuous.sweeps.data[world->moving.data[i]].corrected;
    parallelFor(world->context, world->moving.count, BODY_BLOCK, followBodies, world);
    recentClear(world);
}

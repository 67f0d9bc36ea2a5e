// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Conservative advancement of sphere trees through distance fields (X1).
//
// The way is cut into slices in which nothing turns much. For each both trees are walked, eight spheres at a time: what
// does not come near the target in the slice is left out with all below it (sweep_bounds.h). The samples that are left
// wait in a heap, each under a time before which it cannot touch. The earliest is taken out, looked at where it then
// is, or some way ahead, and put back later: by its distance over the fastest relative speed, or by when it enters the
// convex shape around the target, whichever is more, until it has left that. The first one seen within the tolerance is
// the answer, as all others are later.
//
// The speed is that of a sample seen from the target, which then is at rest: two bodies that fly and turn together are
// slow, however fast they are. It is known for one moment, and how much it may grow from there (apart.h says why). Half
// the tolerance is kept as a reserve; rounding is far below it. Nothing is looked at before the two boxes meet.
#include "collide/apart.h"
#include "collide/query.h"
#include "collide/sweep_bounds.h"
#include "core/constants.h"
#include "core/message.h"
#include "core/quat.h"
#include "sherd/scenery.h"

#define SWEEP_COOKIE 0x53485357u // "SHSW"

// ---- motions --------------------------------------------------------------------------------------------------------

// A body and its motion, in double: differences of world positions must not lose digits.
typedef struct Mover {
    DVec3 rest;  // the centre in the rest frame
    DVec3 start; // the centre in the world
    DVec3 shift;
    DQuat q; // at the start
    DVec3 turn;
    double angle; // |turn|
} Mover;

static Mover moverOf(shTransform transform, const shMotion* motion)
{
    DQuat q = dqNormalize(dqFromQ(transform.q));
    DVec3 rest = dFromV(motion->centre), turn = dFromV(motion->turn);
    return (Mover){rest, dAdd(dFromV(transform.p), dqRotate(q, rest)), dFromV(motion->shift), q, turn, dLength(turn)};
}

static DQuat rotationAt(const Mover* mover, double time)
{
    return mover->angle > 0.0 ? dqMul(dqFromAxisAngle(mover->turn, time * mover->angle), mover->q) : mover->q;
}

// The same, from where it is at a time near that one: a short series is enough for a small turn.
static DQuat rotationNear(const Mover* mover, DQuat base, double later)
{
    double half = 0.5 * mover->angle * later, square = half * half;
    if (square > SWEEP_SERIES * SWEEP_SERIES)
        return dqMul(dqFromAxisAngle(mover->turn, later * mover->angle), base);
    double sine = 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0)));
    double cosine = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
    return dqMul((DQuat){dScale(0.5 * later * sine, mover->turn), cosine}, base);
}

static DVec3 worldAt(const Mover* mover, DQuat rotation, double time, Vec3 p)
{
    DVec3 centre = dMad(mover->start, time, mover->shift);
    return dAdd(centre, dqRotate(rotation, dSub(dFromV(p), mover->rest)));
}

shMotion shMotionBetween(shTransform start, shTransform end, shVec3 centre)
{
    DQuat from = dqNormalize(dqFromQ(start.q)), to = dqNormalize(dqFromQ(end.q));
    DQuat q = dqMul(to, dqConjugate(from));
    double sign = q.s < 0.0 ? -1.0 : 1.0, sine = dLength(q.v);
    DVec3 c = dFromV(centre);
    DVec3 before = dAdd(dFromV(start.p), dqRotate(from, c)), after = dAdd(dFromV(end.p), dqRotate(to, c));
    double angle = 2.0 * trigAtan2(sine, sign * q.s);
    return (shMotion){centre, vFromD(dSub(after, before)), vFromD(dScale(sign * angle, dNormalize(q.v)))};
}

shTransform shMotion_GetTransform(const shMotion* motion, shTransform start, float fraction)
{
    Mover mover = moverOf(start, motion);
    DQuat q = rotationAt(&mover, (double)fraction);
    return (shTransform){vFromD(worldAt(&mover, q, (double)fraction, vec3(0.0f, 0.0f, 0.0f))), qFromDq(q)};
}

// ---- what moves -----------------------------------------------------------------------------------------------------

typedef struct Side {
    Mover mover;
    Target target; // what the other side's samples meet
    shBox box;     // around all of it, its own frame
    double radius; // how far from the centre anything is that turning moves: a ball's rim does not count
    float rim;     // m, how much farther it reaches
    float depth;   // m, how deep its samples may be in the other side
    float band;    // how far out the field is exact, m
    const TreePoint* points;
    const shShape* shape;     // its samples instead of a tree's
    const shScenery* scenery; // likewise
} Side;

typedef struct Sweep {
    shQuery* query;
    Side sides[2];
    float touch;   // m
    DVec3 between; // from B's centre to A's at the start, world
    DVec3 shift;   // of A against B
    double speed;  // |shift|
    double until;  // the end of the slice
    double middle; // of the slice, and how both are turned then
    DQuat middles[2];
    double now; // the time of the frames below: many samples are looked at together
    DQuat frames[2];
    bool failed; // out of memory
} Sweep;

// A sample at a time, seen from the target.
typedef struct Place {
    Vec3 p;         // target's frame
    DVec3 at;       // the same
    DVec3 velocity; // likewise
    double lever;   // how far the sample is from its own centre
} Place;

static Vec3 samplePoint(const Side* side, int point, float* thickness)
{
    *thickness = 0.0f;
    if (side->scenery != NULL)
        return scenerySample(side->scenery, point);
    return side->shape != NULL ? targetShapeSample(side->shape, point, thickness) : side->points[point].p;
}

static void goTo(Sweep* sweep, double time)
{
    if (time == sweep->now)
        return;
    sweep->now = time;
    for (int k = 0; k < 2; ++k)
        sweep->frames[k] = rotationNear(&sweep->sides[k].mover, sweep->middles[k], time - sweep->middle);
}

static Place placeAt(Sweep* sweep, int side, Vec3 sample, double time)
{
    goTo(sweep, time);
    const Mover *mine = &sweep->sides[side].mover, *other = &sweep->sides[1 - side].mover;
    double sign = side == 0 ? 1.0 : -1.0;
    DVec3 between = dScale(sign, dMad(sweep->between, time, sweep->shift));
    DVec3 arm = dSub(dFromV(sample), mine->rest);
    DQuat frame = sweep->frames[1 - side];
    Place place = {.lever = dLength(arm)};
    arm = dqRotate(sweep->frames[side], arm);
    DVec3 from = dAdd(between, arm); // the other's centre
    DVec3 velocity = dSub(dMad(dCross(mine->turn, arm), sign, sweep->shift), dCross(other->turn, from));
    place.velocity = dqUnrotate(frame, velocity);
    place.at = dAdd(dqUnrotate(frame, from), other->rest);
    place.p = vFromD(place.at);
    return place;
}

static bool areSiblings(const Sweep* sweep)
{
    return sweep->sides[0].target.solid != NULL && sweep->sides[0].target.solid == sweep->sides[1].target.solid;
}

static bool pushNode(Sweep* sweep, int point)
{
    shQuery* query = sweep->query;
    if (!arrayReserve(query->memory, &query->sweepNodes, query->sweepNodes.count + 1)) {
        sweep->failed = true;
        return false;
    }
    query->sweepNodes.data[query->sweepNodes.count++] = point;
    return true;
}

// ---- how far, how long ----------------------------------------------------------------------------------------------

// No more than the distance to a piece, without looking at its surface. `depth`: if p is inside, the surface is no
// farther.
static float openDistance(const Target* target, Vec3 p, float* depth)
{
    const DistanceGrid* grid = &target->solid->asset->grid;
    float box = sqrtf(boxDistance2(target->box, p)), rest = distanceGridLower(grid, p);
    if (rest > box && box == 0.0f && distanceGridSample(grid, p).distance < 0.0f)
        rest = 0.0f;
    float open = maxF(box, rest);
    for (int k = 0; target->hull != NULL && k < target->hull->count; ++k)
        open = maxF(open, vDot(target->hull->planes[k].normal, p) - target->hull->planes[k].offset);
    float near = open > 0.0f ? -INFINITY : targetNear(target, p);
    *depth = maxF(-near, 0.0f);
    return maxF(open, near);
}

// A sample of a piece that is close to a point: the surface of the piece is no farther, unless the point is inside.
static float nearSample(Sweep* sweep, const Side* side, Vec3 p)
{
    float reach = INFINITY;
    const TreePoint* points = side->points;
    shQuery* query = sweep->query;
    query->sweepNodes.count = 0;
    pushNode(sweep, treesRoot(&side->target.solid->trees, side->target.piece));
    while (query->sweepNodes.count > 0 && !sweep->failed) {
        const TreePoint* point = &points[query->sweepNodes.data[--query->sweepNodes.count]];
        float distance = vDistance(point->p, p);
        reach = minF(reach, distance);
        for (int child = point->child; child >= 0 && distance - points[child].reach < reach;
             child = points[child].sibling)
            pushNode(sweep, child);
    }
    return reach;
}

// Distance of the target from a sample's core, or less. `hit` is filled where *found.
static float distanceTo(Sweep* sweep, const Side* side, Vec3 p, float thickness, bool* found, FieldHit* hit)
{
    const Target* target = &side->target;
    if (target->solid == NULL) {
        TargetSample none = {.distance = -INFINITY};
        return targetProbe(target, p, &none, INFINITY, INFINITY, NULL, found, hit);
    }
    *found = false;
    float depth, open = openDistance(target, p, &depth);
    const FragmentField* field = &target->solid->field;
    if (thickness > 0.0f) {
        // All around a thick sample is much to look at: only when nothing else says that it is clear of the piece, and
        // not beyond what is known to be there.
        if (open - thickness > SWEEP_CLEAR * thickness)
            return open;
        float near = nearSample(sweep, side, p);
        near += ROUNDING * (near + vLength(p));
        *found = fieldProbeFar(field, target->piece, p, near, hit);
        return *found ? hit->distance : maxF(open, near);
    }
    if (open >= side->band)
        return open;
    FieldProbe probe = {.p = p, .reach = side->band, .bound = depth, .outside = open > 0.0f};
    *found = fieldProbe(field, target->piece, &probe, hit);
    return *found ? hit->distance : maxF(open, side->band);
}

// When a ball is within some half-spaces: since when at least, until when at most.
typedef struct Stay {
    double enter, leave;
} Stay;

// One more half-space: the ball meets it while gap ≤ rate · time.
static inline void stayWithin(Stay* stay, double gap, double rate)
{
    if (rate > 0.0)
        stay->enter = maxD(stay->enter, gap / rate);
    else if (rate < 0.0)
        stay->leave = minD(stay->leave, gap / rate);
    else if (gap > 0.0)
        stay->leave = -1.0;
}

// The same of a ball around the origin.
static void stayWithinBall(Stay* stay, DVec3 at, DVec3 velocity, double radius)
{
    double square = dLength2(velocity), along = dDot(at, velocity), outside = dLength2(at) - radius * radius;
    if (!(radius > 0.0) || (!(square > 0.0) && outside > 0.0)) {
        stay->leave = -1.0;
    } else if (square > 0.0) {
        double root = along * along - square * outside;
        double length = root > 0.0 ? sqrt(root) : 0.0;
        stay->enter = maxD(stay->enter, (-along - length) / square);
        stay->leave = root < 0.0 ? -1.0 : minD(stay->leave, (-along + length) / square);
    }
}

// When a ball that grows by `growth` per unit of time is within the convex shape around a target. Its radius may be
// below zero.
static Stay stayIn(const Side* side, const Place* place, double radius, double growth, double left)
{
    Stay stay = {0.0, INFINITY};
    if (side->shape != NULL && side->shape->type == shSphereShape)
        stayWithinBall(&stay, place->at, place->velocity, (double)side->shape->radius + radius + growth * left);
    for (int axis = 0; axis < 3 && stay.enter <= stay.leave; ++axis) {
        double x = dGet(place->at, axis), v = dGet(place->velocity, axis);
        stayWithin(&stay, (double)vGet(side->box.lower, axis) - radius - x, growth + v);
        stayWithin(&stay, x - radius - (double)vGet(side->box.upper, axis), growth - v);
    }
    const PieceHull* hull = side->target.hull;
    for (int k = 0; hull != NULL && k < hull->count && stay.enter <= stay.leave; ++k) {
        DVec3 normal = dFromV(hull->planes[k].normal);
        stayWithin(&stay, dDot(normal, place->at) - radius - (double)hull->planes[k].offset,
                   growth - dDot(normal, place->velocity));
    }
    return stay;
}

// How fast something gets, seen from the target: what it starts with and how fast that grows.
typedef struct Haste {
    double speed, growth;
} Haste;

// Of everything within `reach` of A's centre, or B's, as its sphere's middle has a velocity.
static Haste hasteOf(const Sweep* sweep, int side, double speed, double radius, double reach)
{
    const Mover *mine = &sweep->sides[side].mover, *other = &sweep->sides[1 - side].mover;
    double fastest = sweep->speed + mine->angle * reach;
    return (Haste){speed + dLength(dSub(mine->turn, other->turn)) * radius,
                   mine->angle * mine->angle * reach + other->angle * fastest};
}

static double wayIn(const Haste* haste, double time) { return time * (haste->speed + 0.5 * haste->growth * time); }

// How long it takes to go that far.
static double timeFor(const Haste* haste, double way)
{
    double root = sqrt(haste->speed * haste->speed + 2.0 * haste->growth * way);
    return isfinite(way) && haste->speed + root > 0.0 ? 2.0 * way / (haste->speed + root) : (double)INFINITY;
}

// A sample on its way, as the target sees it.
typedef struct Flight {
    Haste haste;
    double reach; // how near its core may come before it counts
    Stay stay;    // when it is in the shape around the target, at most until the slice ends
} Flight;

static Flight flightOf(const Sweep* sweep, const SweepEntry* entry, const Place* place, double thickness)
{
    const Side *mine = &sweep->sides[entry->side], *other = &sweep->sides[1 - entry->side];
    double velocity = dLength(place->velocity), left = sweep->until - entry->time;
    Flight flight = {.haste = hasteOf(sweep, entry->side, velocity, 0.0, minD(place->lever, mine->radius)),
                     .reach = thickness + 0.5 * (double)sweep->touch - (double)mine->depth};
    // It goes straight but for what its velocity changes, which also turns when the target does.
    double bend = flight.haste.growth + other->mover.angle * (velocity + flight.haste.growth * left);
    flight.stay = stayIn(other, place, flight.reach, 0.5 * bend * left, left);
    flight.stay.leave = minD(flight.stay.leave, left);
    return flight;
}

static bool hasEnds(shBox box) { return vFinite(box.lower) && vFinite(box.upper); }

// When the boxes of the two may meet, from a time on; infinity: not in this sweep.
static double boxesMeet(const Sweep* sweep, double time)
{
    const Side *a = &sweep->sides[0], *b = &sweep->sides[1];
    if (a->scenery != NULL || b->scenery != NULL || !hasEnds(a->box) || !hasEnds(b->box))
        return time;
    for (int i = 0; i < SWEEP_BOX_STEPS; ++i) {
        DVec3 between = dMad(sweep->between, time, sweep->shift);
        DQuat turnA = rotationAt(&a->mover, time), frame = rotationAt(&b->mover, time);
        DQuat q = dqMul(dqConjugate(frame), turnA);
        DVec3 p = dSub(dAdd(dqUnrotate(frame, between), b->mover.rest), dqRotate(q, a->mover.rest));
        double gap =
            (double)boxesApart(a->box, b->box, (shTransform){vFromD(p), qFromDq(q)}, INFINITY) - (double)sweep->touch;
        if (!(gap > 0.0))
            break;
        Haste haste =
            hasteOf(sweep, 0, dLength(dSub(sweep->shift, dCross(b->mover.turn, between))), a->radius, a->radius);
        time += timeFor(&haste, gap);
        if (time > 1.0)
            return INFINITY;
    }
    return time;
}

// ---- the heap -------------------------------------------------------------------------------------------------------

static void push(Sweep* sweep, SweepEntry entry)
{
    shQuery* query = sweep->query;
    if (!arrayReserve(query->memory, &query->sweep, query->sweep.count + 1)) {
        sweep->failed = true;
        return;
    }
    SweepEntry* heap = query->sweep.data;
    int hole = query->sweep.count++;
    for (int up; hole > 0 && heap[up = (hole - 1) / 2].time > entry.time; hole = up)
        heap[hole] = heap[up];
    heap[hole] = entry;
}

static SweepEntry pop(shQuery* query)
{
    SweepEntry* heap = query->sweep.data;
    SweepEntry first = heap[0], last = heap[--query->sweep.count];
    int hole = 0;
    for (int down; (down = 2 * hole + 1) < query->sweep.count; hole = down) {
        down += down + 1 < query->sweep.count && heap[down + 1].time < heap[down].time;
        if (heap[down].time >= last.time)
            break;
        heap[hole] = heap[down];
    }
    heap[hole] = last;
    return first;
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static void reportTouch(const Sweep* sweep, const SweepEntry* entry, Vec3 sample, float thickness,
                        const FieldHit* fieldHit, shSweepHit* hit)
{
    const Mover *mine = &sweep->sides[entry->side].mover, *other = &sweep->sides[1 - entry->side].mover;
    DVec3 outward = dqRotate(rotationAt(other, entry->time), dFromV(fieldHit->normal));
    DVec3 point = worldAt(mine, rotationAt(mine, entry->time), entry->time, sample);
    hit->touches = true;
    hit->fraction = (float)entry->time;
    hit->point = vFromD(dMad(point, -(double)thickness, outward));
    hit->normal = vFromD(dScale(entry->side == 0 ? 1.0 : -1.0, outward));
    hit->distance = fieldHit->distance - thickness;
    hit->id = (uint32_t)entry->side << 31 | (uint32_t)entry->point;
}

// Until when nothing touches, for a sample that may be deep in a piece: it is looked at some way ahead, where being
// outside is enough to say that it was not too deep from here on, nor will be for as long again. Less than 0: it was.
static double aheadTime(Sweep* sweep, SweepEntry* entry, const Flight* flight, Vec3 sample, float thickness)
{
    const Side* other = &sweep->sides[1 - entry->side];
    const Target* target = &other->target;
    float shallow = SWEEP_SHALLOW * sweep->sides[entry->side].depth;
    double may = (double)thickness - flight->reach, clear = may - (double)shallow; // how deep it may be, and by that
    double ahead = entry->clear > 0.0f ? minD(clear, (double)(SWEEP_EXPECT * entry->clear)) : clear;
    ahead = minD(ahead, 0.5 * wayIn(&flight->haste, flight->stay.leave));
    double later = timeFor(&flight->haste, ahead); // never, if it does not move: then now is as good
    Place place = placeAt(sweep, entry->side, sample, entry->time + (isfinite(later) ? later : 0.0));
    // None is deeper in a sibling than it has moved against it.
    double moved = areSiblings(sweep) ? (double)vDistance(place.p, sample) : (double)INFINITY;
    float depth, open = openDistance(target, place.p, &depth) - thickness;
    bool found;
    FieldHit hit;
    if (open > 0.0f)
        clear = may + (double)open;
    else if (may - moved >= ahead)
        clear = may - moved;
    else if (thickness > 0.0f)
        clear = may + (double)(distanceTo(sweep, other, place.p, thickness, &found, &hit) - thickness);
    else if (depth >= shallow && fieldProbe(&target->solid->field, target->piece,
                                            &(FieldProbe){.p = place.p, .depth = shallow, .bound = depth}, &hit))
        clear = minD(may + (double)hit.distance, clear);
    if (clear < ahead)
        return -1.0;
    entry->clear = (float)clear;
    return timeFor(&flight->haste, ahead + clear);
}

// Looks at the earliest sample. True: it touches.
static bool advance(Sweep* sweep, SweepEntry entry, shSweepHit* hit)
{
    const Side *mine = &sweep->sides[entry.side], *other = &sweep->sides[1 - entry.side];
    float thickness;
    Vec3 sample = samplePoint(mine, entry.point, &thickness);
    Place place = placeAt(sweep, entry.side, sample, entry.time);
    Flight flight = flightOf(sweep, &entry, &place, (double)thickness);
    if (!(flight.stay.enter <= flight.stay.leave))
        return false;
    double free = flight.stay.enter, leave = entry.time + flight.stay.leave;
    if (!(free * flight.haste.speed > (double)sweep->touch)) {
        double ahead = other->target.solid != NULL && mine->depth > sweep->touch
                           ? aheadTime(sweep, &entry, &flight, sample, thickness)
                           : -1.0;
        free = maxD(free, ahead);
        if (ahead < 0.0) {
            bool found;
            FieldHit fieldHit;
            float distance = distanceTo(sweep, other, place.p, thickness, &found, &fieldHit);
            if (found && distance - thickness <= sweep->touch - mine->depth) {
                reportTouch(sweep, &entry, sample, thickness, &fieldHit, hit);
                return true;
            }
            double gap = (double)distance - flight.reach;
            free = maxD(free, gap > 0.0 ? timeFor(&flight.haste, gap) : 0.0);
            entry.clear = (float)gap;
        }
    }
    entry.time += free;
    if (entry.time <= leave)
        push(sweep, entry);
    return false;
}

// Lets in what is too deep at the start, with all that is as deep. False: whatever there is may be as deep.
static bool rise(Sweep* sweep, const shSweepHit* hit)
{
    SweepRise* r = sweep->query->rise;
    float limit = r->walls[hit->id >> 31 ? 0 : 1], most = maxF(r->walls[0], r->walls[1]);
    while (r->depth * r->factor <= -hit->distance && r->depth * r->factor < limit)
        r->depth *= r->factor;
    r->depth *= r->factor;
    for (int side = 0; side < 2; ++side)
        sweep->sides[side].depth = r->depth < r->walls[1 - side] ? r->depth : INFINITY;
    return r->depth < most;
}

// Nothing touches before the entry's time; what comes then, nobody knows.
static void giveUp(const Sweep* sweep, const SweepEntry* entry, shSweepHit* hit)
{
    DVec3 against = dNormalize(dNeg(sweep->shift));
    FieldHit unknown = {.normal = dLength2(against) > 0.0 ? vFromD(against) : vec3(0.0f, 1.0f, 0.0f)};
    float thickness;
    Vec3 sample = samplePoint(&sweep->sides[entry->side], entry->point, &thickness);
    reportTouch(sweep, entry, sample, 0.0f, &unknown, hit);
    hit->normal = unknown.normal;
    hit->cut = true;
}

// ---- a slice --------------------------------------------------------------------------------------------------------

// How all of one side moves, seen from the other.
static SweepSlice sliceOf(Sweep* sweep, int side, double time)
{
    goTo(sweep, sweep->middle);
    const Side *mine = &sweep->sides[side], *other = &sweep->sides[1 - side];
    double sign = side == 0 ? 1.0 : -1.0;
    DVec3 between = dScale(sign, dMad(sweep->between, sweep->middle, sweep->shift));
    DVec3 velocity = dSub(dScale(sign, sweep->shift), dCross(other->mover.turn, between));
    DVec3 spin = dSub(mine->mover.turn, other->mover.turn);
    DQuat frame = sweep->frames[1 - side], q = dqMul(dqConjugate(frame), sweep->frames[side]);
    DVec3 centre = dAdd(dqUnrotate(frame, between), other->mover.rest);
    SweepSlice slice = {.frame = {mFromD(dqToMat(q)), vFromD(dSub(centre, dqRotate(q, mine->mover.rest)))},
                        .half = (float)(0.5 * (sweep->until - time)),
                        .centre = vFromD(centre),
                        .velocity = vFromD(dqUnrotate(frame, velocity)),
                        .spin = vFromD(dqUnrotate(frame, spin)),
                        .growth = (float)hasteOf(sweep, side, 0.0, 0.0, 0.0).growth,
                        .more = (float)(mine->mover.angle * (mine->mover.angle + other->mover.angle)),
                        .turn = (float)other->mover.angle,
                        .siblings = areSiblings(sweep)};
    float far = vLength(slice.centre) + vLength(slice.frame.offset) + (float)mine->radius;
    slice.slack = ROUNDING * (far + slice.half * vLength(slice.velocity));
    slice.turned = (float)(2.0 * dLength(q.v)) + slice.half * vLength(slice.spin) + ROUNDING;
    sweepSliceFinish(&slice, other->box, other->target.hull);
    return slice;
}

// The samples of a tree that may touch before the slice ends go to the heap. Children stand in the order of their
// reach, so the first that is out of the way takes all later ones with it.
static void gatherTree(Sweep* sweep, int side, double time)
{
    const Side* mine = &sweep->sides[side];
    const Target* target = &sweep->sides[1 - side].target;
    const TreePoint* points = mine->points;
    shQuery* query = sweep->query;
    SweepSlice slice = sliceOf(sweep, side, time);
    float near = 0.5f * sweep->touch - mine->depth;
    query->sweepNodes.count = 0;
    pushNode(sweep, treesRoot(&mine->target.solid->trees, mine->target.piece));
    while (query->sweepNodes.count > 0 && !sweep->failed) {
        int batched[targetBatch];
        SweepBatch batch;
        int count = minI(query->sweepNodes.count, targetBatch);
        query->sweepNodes.count -= count;
        for (int i = 0; i < targetBatch; ++i) {
            batched[i] = query->sweepNodes.data[query->sweepNodes.count + minI(i, count - 1)];
            const TreePoint* point = &points[batched[i]];
            batch.x[i] = point->p.x, batch.y[i] = point->p.y, batch.z[i] = point->p.z;
            batch.radius[i] = point->child >= 0 ? points[point->child].reach : 0.0f;
        }
        unsigned open = sweepLookUp(target, &slice, &batch, count, near);
        for (int i = 0; i < count && !sweep->failed; ++i) {
            if (!(open >> i & 1))
                continue;
            if (batch.enter[i] <= batch.leave[i] && sweepIsOpen(&slice, &batch, i, 0.0f, near)) {
                double later = 0.5 * (sweep->until - time) * ((double)batch.enter[i] + 1.0);
                push(sweep, (SweepEntry){time + later, side, batched[i], 0.0f});
            }
            int child = points[batched[i]].child;
            while (child >= 0 && sweepIsOpen(&slice, &batch, i, points[child].reach, near) && pushNode(sweep, child))
                child = points[child].sibling;
        }
    }
}

static void gather(Sweep* sweep, double time)
{
    sweep->query->sweep.count = 0;
    for (int side = 0; side < 2; ++side) {
        const Side* s = &sweep->sides[side];
        if (!isfinite(s->depth))
            continue;
        if (s->scenery != NULL) {
            for (int i = 0; i < sweep->query->ridges.count; ++i)
                push(sweep, (SweepEntry){time, side, sweep->query->ridges.data[i], 0.0f});
        } else if (s->shape != NULL) {
            for (int i = 0; i < targetShapeSampleCount(s->shape); ++i)
                push(sweep, (SweepEntry){time, side, i, 0.0f});
        } else {
            gatherTree(sweep, side, time);
        }
    }
}

static shStatus run(Sweep* sweep, const shSweepDef* def, shSweepHit* hit, shMessage* message)
{
    shQuery* query = sweep->query;
    int most = def->maxProbes > 0 ? def->maxProbes : SWEEP_MAX_PROBES;
    double turn = maxD(sweep->sides[0].mover.angle, sweep->sides[1].mover.angle);
    double slice = turn > (double)SWEEP_SLICE ? maxD((double)SWEEP_SLICE / turn, 1.0 / SWEEP_MOST_SLICES) : 1.0;
    *hit = (shSweepHit){.fraction = 1.0f};
    for (double time = 0.0; time < 1.0 && !sweep->failed && !hit->touches; time = sweep->until) {
        time = boxesMeet(sweep, time);
        if (time > 1.0)
            break;
        sweep->until = minD(time + slice, 1.0);
        sweep->now = sweep->middle = 0.5 * (time + sweep->until);
        for (int k = 0; k < 2; ++k)
            sweep->frames[k] = sweep->middles[k] = rotationAt(&sweep->sides[k].mover, sweep->middle);
        gather(sweep, time);
        while (query->sweep.count > 0 && !sweep->failed && !hit->touches) {
            SweepEntry entry = pop(query);
            if (!isfinite(sweep->sides[entry.side].depth))
                continue;
            if (hit->probes++ < most)
                advance(sweep, entry, hit);
            else
                giveUp(sweep, &entry, hit);
            if (!hit->touches || hit->fraction > 0.0f || query->rise == NULL)
                continue;
            bool counts = rise(sweep, hit);
            *hit = (shSweepHit){.fraction = 1.0f};
            if (!counts)
                return shOk;
            push(sweep, entry);
        }
        if (sweep->until >= 1.0)
            break;
    }
    return sweep->failed ? failMemory(message) : shOk;
}

// ---- the door -------------------------------------------------------------------------------------------------------

static shStatus checkMotion(const shSweepDef* def, shTransform transform, const shMotion* motion, shMessage* message)
{
    if (def->cookie != SWEEP_COOKIE)
        return fail(message, shInvalid, "sweep: fill the definition with shDefaultSweepDef() first");
    if (!(def->tolerance >= 0.0f) || !isfinite(def->tolerance))
        return fail(message, shInvalid, "sweep: the tolerance must be finite and not negative");
    if (!(def->depth[0] >= 0.0f) || !(def->depth[1] >= 0.0f))
        return fail(message, shInvalid, "sweep: depths must not be negative");
    if (!vFinite(transform.p) || !vFinite(transform.q.v) || !isfinite(transform.q.s))
        return fail(message, shInvalid, "sweep: a transform is not finite");
    if (!vFinite(motion->centre) || !vFinite(motion->shift) || !vFinite(motion->turn))
        return fail(message, shInvalid, "sweep: a motion is not finite");
    return shOk;
}

static shStatus addPiece(Side* side, const shSweepDef* def, const shCollider* collider, const shMotion* motion,
                         shMessage* message)
{
    shStatus status = checkMotion(def, collider->transform, motion, message);
    if (status != shOk)
        return status;
    int count = fieldPieceCount(&collider->solid->field);
    if (!fieldHasPiece(&collider->solid->field, collider->piece))
        return fail(message, shInvalid, "sweep: piece %d does not exist; the solid has %d", collider->piece, count);
    const shSolid* solid = collider->solid;
    Target target = targetPiece(solid, collider->piece);
    Vec3 lower = vSub(motion->centre, target.box.lower), upper = vSub(target.box.upper, motion->centre);
    *side = (Side){.mover = moverOf(collider->transform, motion),
                   .target = target,
                   .box = target.box,
                   .radius = (double)vLength(vMax(vMax(lower, upper), vMax(vNeg(lower), vNeg(upper)))),
                   .band = solid->field.rest->cells->band,
                   .points = treesPoints(&solid->trees)};
    return shOk;
}

static shStatus addShape(Side* side, const shSweepDef* def, const shShape* shape, shTransform transform,
                         const shMotion* motion, shMessage* message)
{
    shStatus status = checkMotion(def, transform, motion, message);
    if (status != shOk)
        return status;
    if (!targetShapeValid(shape))
        return fail(message, shInvalid, "sweep: the sizes of a shape must be finite and not negative");
    Vec3 zero = {0.0f, 0.0f, 0.0f}, core = zero, half = zero; // core ⊂ box: what is left without the thickness
    float thickness = 0.0f;
    if (shape->type == shCapsuleShape)
        core.y = shape->halfHeight;
    if (shape->type == shBoxShape)
        core = shape->halfExtent;
    if (shape->type == shSphereShape || shape->type == shCapsuleShape)
        thickness = shape->radius;
    half = vAdd(core, vec3(thickness, thickness, thickness));
    *side = (Side){.mover = moverOf(transform, motion),
                   .target = targetShape(shape),
                   .box = {vNeg(half), half},
                   .radius = (double)(vLength(core) + vLength(motion->centre)),
                   .rim = thickness,
                   .band = INFINITY,
                   .shape = shape};
    if (shape->type == shPlaneShape)
        side->box = (shBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 0.0f, INFINITY}};
    return shOk;
}

static float sizeOf(const Side* side)
{
    if (side->scenery != NULL || (side->shape != NULL && side->shape->type == shPlaneShape))
        return INFINITY;
    return 0.5f * vLength(boxSize(side->box));
}

static bool pushRidgeSample(int number, Vec3 p, void* user)
{
    (void)p;
    Sweep* sweep = user;
    shQuery* query = sweep->query;
    if (!arrayReserve(query->memory, &query->ridges, query->ridges.count + 1)) {
        sweep->failed = true;
        return false;
    }
    query->ridges.data[query->ridges.count++] = number;
    return true;
}

// What A may meet of the scenery on its way.
static void startScenery(Sweep* sweep)
{
    const Side *a = &sweep->sides[0], *b = &sweep->sides[1];
    // The scenery is at rest: in its frame A's centre moves along a line, and A stays in a ball around it.
    DVec3 from = dAdd(dqUnrotate(b->mover.q, sweep->between), b->mover.rest);
    DVec3 to = dAdd(from, dqUnrotate(b->mover.q, sweep->shift));
    shBox way = boxAdd(boxAdd(boxEmpty(), vFromD(from)), vFromD(to));
    way = boxGrow(way, (float)a->radius + a->rim);
    float size = vLength(boxSize(a->box));
    sceneryPatch(b->scenery, way, size, sweep->touch, &sweep->query->patch);
    shTransform same = {.q = qIdentity()};
    if (a->shape == NULL && isfinite(b->depth))
        sceneryRidgeSamples(b->scenery, same, boxGrow(way, sweep->touch), RIDGE_SPACING * 0.5f * size, pushRidgeSample,
                            sweep);
}

static shStatus start(Sweep* sweep, const shSweepDef* def, shSweepHit* hit, shMessage* message)
{
    Side *a = &sweep->sides[0], *b = &sweep->sides[1];
    sweep->between = dSub(a->mover.start, b->mover.start);
    sweep->shift = dSub(a->mover.shift, b->mover.shift);
    sweep->speed = dLength(sweep->shift);
    // A plane has no radius, but no point of A is ever farther from its centre than this.
    if (b->shape != NULL && b->shape->type == shPlaneShape)
        b->radius = dLength(sweep->between) + sweep->speed + a->radius;
    float touch = def->tolerance > 0.0f ? def->tolerance : CONTACT_TOLERANCE * minF(sizeOf(a), sizeOf(b));
    touch = minF(touch, 0.5f * minF(a->band, b->band));
    sweep->touch = maxF(touch, SWEEP_MIN_TOUCH * (vLength(boxSize(a->box)) + vLength(a->box.lower)));

    sweep->query->ridges.count = 0;
    a->depth = def->depth[0];
    b->depth = def->depth[1];
    if (b->scenery != NULL)
        startScenery(sweep);
    return run(sweep, def, hit, message);
}

static shStatus addScenery(Side* side, const SceneryPatch* patch, const shSweepDef* def, const shScenery* scenery,
                           shTransform transform, shMessage* message)
{
    const shMotion none = {0};
    shStatus status = checkMotion(def, transform, &none, message);
    if (status != shOk)
        return status;
    const float far = INFINITY;
    // Closed scenery may have its solid side outside.
    *side = (Side){.mover = moverOf(transform, &none),
                   .target = targetScenery(patch),
                   .box = scenery->info.closed ? (shBox){{-far, -far, -far}, {far, far, far}}
                                               : boxGrow(scenery->info.box, scenery->thickness),
                   .band = INFINITY,
                   .scenery = scenery};
    return shOk;
}

shSweepDef shDefaultSweepDef(void) { return (shSweepDef){.cookie = SWEEP_COOKIE}; }

shStatus shSweep(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                 const shCollider* b, const shMotion* bMotion, shSweepHit* hit, shMessage* message)
{
    Sweep sweep = {.query = query};
    shStatus status = addPiece(&sweep.sides[0], def, a, aMotion, message);
    if (status == shOk)
        status = addPiece(&sweep.sides[1], def, b, bMotion, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepShape(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                      const shShape* shape, shTransform transform, const shMotion* shapeMotion, shSweepHit* hit,
                      shMessage* message)
{
    Sweep sweep = {.query = query};
    shStatus status = addPiece(&sweep.sides[0], def, a, aMotion, message);
    if (status == shOk)
        status = addShape(&sweep.sides[1], def, shape, transform, shapeMotion, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepScenery(shQuery* query, const shSweepDef* def, const shCollider* a, const shMotion* aMotion,
                        const shScenery* scenery, shTransform transform, shSweepHit* hit, shMessage* message)
{
    if (query == NULL || def == NULL || a == NULL || a->solid == NULL || aMotion == NULL || scenery == NULL ||
        hit == NULL)
        return fail(message, shInvalid, "sweep: query, definition, collider, motion, scenery and hit must not be null");
    Sweep sweep = {.query = query};
    shStatus status = addPiece(&sweep.sides[0], def, a, aMotion, message);
    if (status == shOk)
        status = addScenery(&sweep.sides[1], &query->patch, def, scenery, transform, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepShapes(shQuery* query, const shSweepDef* def, const shShape* a, shTransform aTransform,
                       const shMotion* aMotion, const shShape* b, shTransform bTransform, const shMotion* bMotion,
                       shSweepHit* hit, shMessage* message)
{
    Sweep sweep = {.query = query};
    shStatus status = addShape(&sweep.sides[0], def, a, aTransform, aMotion, message);
    if (status == shOk)
        status = addShape(&sweep.sides[1], def, b, bTransform, bMotion, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

shStatus shSweepShapeScenery(shQuery* query, const shSweepDef* def, const shShape* a, shTransform aTransform,
                             const shMotion* aMotion, const shScenery* scenery, shTransform transform, shSweepHit* hit,
                             shMessage* message)
{
    if (query == NULL || def == NULL || a == NULL || aMotion == NULL || scenery == NULL || hit == NULL)
        return fail(message, shInvalid, "sweep: query, definition, shape, motion, scenery and hit must not be null");
    Sweep sweep = {.query = query};
    shStatus status = addShape(&sweep.sides[0], def, a, aTransform, aMotion, message);
    if (status == shOk)
        status = addScenery(&sweep.sides[1], &query->patch, def, scenery, transform, message);
    return status == shOk ? start(&sweep, def, hit, message) : status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Conservative advancement of sphere trees through distance fields (X1).
//
// The way is cut into slices in which nothing turns much. For each both trees are walked, eight spheres at a time: what
// does not come near the target in the slice is left out with all below it (sweep_bounds.h). The samples that are left
// wait in heaps, each under a time before which it cannot touch. The earliest eight of a side are looked at together
// first: in halves of the slice, quarters and so on, until they are seen not to come near in each, which nearly all
// are. Of the others, the earliest is taken out, looked at where it then is, or some way ahead, and put back later: by
// its distance over the fastest relative speed, or by when it enters the convex shape around the target, whichever is
// more, until it has left that. The first one seen within the tolerance is the answer, as all others are later.
//
// The speed is that of a sample seen from the target, which then is at rest: two bodies that fly and turn together are
// slow, however fast they are. It is known for one moment, and how much it may grow from there (apart.h says why). Half
// the tolerance is kept as a reserve; rounding is far below it. Nothing is looked at before the two boxes meet.
#include "collide/sweep_run.h"

#include "collide/apart.h"
#include "core/constants.h"
#include "core/message.h"

// ---- what moves -----------------------------------------------------------------------------------------------------

// How something is turned, from where it is at a time near that one: a short series is enough for a small turn.
static DQuat rotationNear(const Mover* mover, DQuat base, double later)
{
    double half = 0.5 * mover->angle * later, square = half * half;
    if (square > SWEEP_SERIES * SWEEP_SERIES)
        return dqMul(dqFromAxisAngle(mover->turn, later * mover->angle), base);
    double sine = 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0)));
    double cosine = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
    return dqMul((DQuat){dScale(0.5 * later * sine, mover->turn), cosine}, base);
}

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

// ---- heaps ----------------------------------------------------------------------------------------------------------

// The earliest on top. Only the last one grows.
static void push(Sweep* sweep, int to, SweepEntry entry)
{
    shQuery* query = sweep->query;
    SweepHeap* list = &sweep->heaps[to];
    if (!arrayReserve(query->memory, &query->sweep, list->first + list->count + 1)) {
        sweep->failed = true;
        return;
    }
    SweepEntry* heap = query->sweep.data + list->first;
    int hole = list->count++;
    for (int up; hole > 0 && heap[up = (hole - 1) / 2].time > entry.time; hole = up)
        heap[hole] = heap[up];
    heap[hole] = entry;
}

static SweepEntry pop(Sweep* sweep, int from)
{
    SweepHeap* list = &sweep->heaps[from];
    SweepEntry* heap = sweep->query->sweep.data + list->first;
    SweepEntry first = heap[0], last = heap[--list->count];
    int hole = 0;
    for (int down; (down = 2 * hole + 1) < list->count; hole = down) {
        down += down + 1 < list->count && heap[down + 1].time < heap[down].time;
        if (heap[down].time >= last.time)
            break;
        heap[hole] = heap[down];
    }
    heap[hole] = last;
    return first;
}

// The heap with the earliest of all samples; −1: all are empty.
static int earliest(const Sweep* sweep)
{
    int best = -1;
    double time = 0.0;
    for (int k = 0; k < sweepHeaps; ++k) {
        const SweepHeap* list = &sweep->heaps[k];
        if (list->count > 0 && (best < 0 || sweep->query->sweep.data[list->first].time < time)) {
            time = sweep->query->sweep.data[list->first].time;
            best = k;
        }
    }
    return best;
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
        push(sweep, sweepLooked, entry);
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
static SweepSlice sliceOf(Sweep* sweep, int side, double begin, double end)
{
    double middle = 0.5 * (begin + end);
    goTo(sweep, middle);
    const Side *mine = &sweep->sides[side], *other = &sweep->sides[1 - side];
    double sign = side == 0 ? 1.0 : -1.0;
    DVec3 between = dScale(sign, dMad(sweep->between, middle, sweep->shift));
    DVec3 velocity = dSub(dScale(sign, sweep->shift), dCross(other->mover.turn, between));
    DVec3 spin = dSub(mine->mover.turn, other->mover.turn);
    DQuat frame = sweep->frames[1 - side], q = dqMul(dqConjugate(frame), sweep->frames[side]);
    DVec3 centre = dAdd(dqUnrotate(frame, between), other->mover.rest);
    SweepSlice slice = {.frame = {mFromD(dqToMat(q)), vFromD(dSub(centre, dqRotate(q, mine->mover.rest)))},
                        .half = (float)(0.5 * (end - begin)),
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

// Spheres of a tree that are looked at together: those that wait and, as long as there are lanes, what is below them.
typedef struct Spheres {
    SweepBatch batch;
    int count;
    int points[targetBatch], parents[targetBatch]; // a lane before; −1: none of them
    int children[targetBatch]; // the first child of each that is not among them; −1: there is none
} Spheres;

static void addSphere(Spheres* spheres, const TreePoint* points, int point, int parent)
{
    int lane = spheres->count++, child = points[point].child;
    SweepBatch* batch = &spheres->batch;
    batch->x[lane] = points[point].p.x, batch->y[lane] = points[point].p.y, batch->z[lane] = points[point].p.z;
    batch->radius[lane] = child >= 0 ? points[child].reach : 0.0f;
    spheres->points[lane] = point;
    spheres->parents[lane] = parent;
    spheres->children[lane] = child;
}

static void takeSpheres(Spheres* spheres, shQuery* query, const TreePoint* points)
{
    spheres->count = 0;
    while (query->sweepNodes.count > 0 && spheres->count < targetBatch)
        addSphere(spheres, points, query->sweepNodes.data[--query->sweepNodes.count], -1);
    for (int i = 0; i < spheres->count; ++i) {
        for (; spheres->children[i] >= 0 && spheres->count < targetBatch;
             spheres->children[i] = points[spheres->children[i]].sibling)
            addSphere(spheres, points, spheres->children[i], i);
    }
    SweepBatch* batch = &spheres->batch;
    for (int i = spheres->count; i < targetBatch; ++i) {
        batch->x[i] = batch->x[0], batch->y[i] = batch->y[0], batch->z[i] = batch->z[0];
        batch->radius[i] = batch->radius[0];
    }
}

// The samples of a tree that may touch before the slice ends go to the heap. Children stand in the order of their
// reach, so the first that is out of the way takes all later ones with it.
static void gatherTree(Sweep* sweep, int side, double time)
{
    const Side* mine = &sweep->sides[side];
    const Target* target = &sweep->sides[1 - side].target;
    const TreePoint* points = mine->points;
    shQuery* query = sweep->query;
    float near = 0.5f * sweep->touch - mine->depth;
    sweep->query->sweepParts[side].made = 1;
    SweepSlice* slice = &sweep->query->sweepParts[side].slices[0];
    *slice = sliceOf(sweep, side, time, sweep->until);
    query->sweepNodes.count = 0;
    pushNode(sweep, treesRoot(&mine->target.solid->trees, mine->target.piece));
    while (query->sweepNodes.count > 0 && !sweep->failed) {
        Spheres spheres;
        takeSpheres(&spheres, query, points);
        const SweepBatch* batch = &spheres.batch;
        unsigned open = sweepLookUp(target, slice, &spheres.batch, (1u << spheres.count) - 1u, near);
        for (int i = 0; i < spheres.count && !sweep->failed; ++i) {
            int parent = spheres.parents[i];
            // What is known of the whole of a sphere holds for all of it.
            if (parent >= 0 && !(open >> parent & 1))
                open &= ~(1u << i);
            if (!(open >> i & 1))
                continue;
            if (batch->enter[i] <= batch->leave[i] && sweepIsOpen(slice, batch, i, 0.0f, near)) {
                double later = 0.5 * (sweep->until - time) * ((double)batch->enter[i] + 1.0);
                push(sweep, side, (SweepEntry){time + later, side, spheres.points[i], 0.0f});
            }
            int child = spheres.children[i];
            while (child >= 0 && sweepIsOpen(slice, batch, i, points[child].reach, near) && pushNode(sweep, child))
                child = points[child].sibling;
        }
    }
}

static void gather(Sweep* sweep, double time)
{
    int first = 0;
    for (int side = 0; side < 2; ++side) {
        const Side* s = &sweep->sides[side];
        first += side > 0 ? sweep->heaps[0].count : 0;
        sweep->heaps[side] = (SweepHeap){first, 0};
        if (!isfinite(s->depth))
            continue;
        if (s->scenery != NULL) {
            for (int i = 0; i < sweep->query->ridges.count; ++i)
                push(sweep, side, (SweepEntry){time, side, sweep->query->ridges.data[i], 0.0f});
        } else if (s->shape != NULL) {
            for (int i = 0; i < targetShapeSampleCount(s->shape); ++i)
                push(sweep, side, (SweepEntry){time, side, i, 0.0f});
        } else {
            gatherTree(sweep, side, time);
        }
    }
    sweep->heaps[sweepLooked] = (SweepHeap){first + sweep->heaps[1].count, 0};
}

// ---- samples, eight at a time ---------------------------------------------------------------------------------------

// Some samples of a side on their way, and until when none of them comes near.
typedef struct SampleTrack {
    int side;
    float near;       // m, how near none may come
    SweepBatch start; // in their own frame
    double until[targetBatch];
    int halvings; // at most
    int probes;   // so far
} SampleTrack;

static const SweepSlice* partOf(Sweep* sweep, int side, int level, int index, double* begin, double* length)
{
    SweepParts* parts = &sweep->query->sweepParts[side];
    int part = (1 << level) - 1 + index;
    *length = (sweep->until - sweep->begin) / (double)(1 << level);
    *begin = sweep->begin + *length * (double)index;
    if (!(parts->made >> part & 1)) {
        parts->made |= 1u << part;
        parts->slices[part] = sliceOf(sweep, side, *begin, *begin + *length);
    }
    return &parts->slices[part];
}

// Is a sample that is looked at in the middle of its way no deeper than it may be for that?
static bool isShallow(const Target* target, const SweepBatch* batch, int i, float may)
{
    FieldProbe probe = {.p = vec3(batch->x[i], batch->y[i], batch->z[i]),
                        .depth = may,
                        .bound = maxF(-(batch->field[i] + batch->way[i]), 0.0f)};
    FieldHit hit;
    return !fieldProbe(&target->solid->field, target->piece, &probe, &hit);
}

// Those of some samples that may come near in a part of the slice, and from when on they may. Where they do not go far
// in it, being no deeper in its middle than they may be less their way from there is enough; other parts are halved.
static unsigned openIn(Sweep* sweep, SampleTrack* samples, int level, int index, unsigned lanes)
{
    double begin, length;
    const Target* target = &sweep->sides[1 - samples->side].target;
    const SweepSlice* slice = partOf(sweep, samples->side, level, index, &begin, &length);
    SweepBatch batch = samples->start;
    unsigned open = sweepLookUp(target, slice, &batch, lanes, samples->near), far = 0, stuck = 0;
    for (unsigned left = open; left != 0; left &= left - 1u) {
        int i = __builtin_ctz(left);
        float may = -samples->near - batch.way[i];
        if (!(batch.enter[i] <= batch.leave[i]))
            continue;
        bool near = target->solid != NULL && may > -SWEEP_SHALLOW * samples->near;
        if (!near && level < samples->halvings) {
            far |= 1u << i;
            continue;
        }
        if (near) {
            ++samples->probes;
            if (isShallow(target, &batch, i, may))
                continue;
        }
        stuck |= 1u << i;
        samples->until[i] = begin + 0.5 * length * ((double)batch.enter[i] + 1.0);
    }
    for (int k = 0; k < 2 && far != 0; ++k) {
        unsigned more = openIn(sweep, samples, level + 1, 2 * index + k, far);
        stuck |= more;
        far &= ~more;
    }
    return stuck;
}

// Looks at the first of those that nobody has looked at. Most do not touch; the others are put back.
static void settle(Sweep* sweep, int side, shSweepHit* hit)
{
    const Side* mine = &sweep->sides[side];
    SampleTrack samples = {.side = side, .near = 0.5f * sweep->touch - mine->depth};
    bool deep = sweep->sides[1 - side].target.solid != NULL && mine->depth > sweep->touch;
    samples.halvings = deep ? sweepHalvings : SWEEP_FEW_HALVINGS;
    SweepEntry entries[targetBatch];
    int count = 0;
    while (count < targetBatch && sweep->heaps[side].count > 0)
        entries[count++] = pop(sweep, side);
    unsigned open = (1u << count) - 1u;
    for (int i = 0; i < targetBatch && mine->points != NULL; ++i) {
        Vec3 p = mine->points[entries[minI(i, count - 1)].point].p;
        samples.start.x[i] = p.x, samples.start.y[i] = p.y, samples.start.z[i] = p.z;
        samples.start.radius[i] = 0.0f;
        samples.until[i] = entries[minI(i, count - 1)].time;
    }
    if (count >= SWEEP_TOGETHER && mine->points != NULL)
        open = openIn(sweep, &samples, 0, 0, open);
    hit->probes += samples.probes;
    for (int i = 0; i < count; ++i) {
        if (!(open >> i & 1))
            continue;
        entries[i].time = mine->points != NULL ? maxD(samples.until[i], entries[i].time) : entries[i].time;
        push(sweep, sweepLooked, entries[i]);
    }
}

// How far bodies may turn within a slice so that no core strays from its chord by more than a quarter of the depth,
// rad: an arc of radius r strays by r · turn² / 8.
static double coreTurn(const Sweep* sweep)
{
    double radius = maxD(sweep->sides[0].radius, sweep->sides[1].radius);
    double depth = (double)minF(sweep->sides[0].depth, sweep->sides[1].depth);
    return minD((double)SWEEP_SLICE, sqrt(2.0 * depth / radius));
}

void sweepPush(Sweep* sweep, SweepEntry entry) { push(sweep, sweepLooked, entry); }

static void gatherCores(Sweep* sweep, shSweepHit* hit)
{
    for (int k = 0; k < sweepHeaps; ++k)
        sweep->heaps[k] = (SweepHeap){0, 0};
    for (int side = 0; side < 2; ++side)
        sweepCores(sweep, side, hit);
}

shStatus sweepRun(Sweep* sweep, const shSweepDef* def, shSweepHit* hit, shMessage* message)
{
    shQuery* query = sweep->query;
    int probes = def->maxProbes > 0 ? def->maxProbes : SWEEP_MAX_PROBES;
    double turn = maxD(sweep->sides[0].mover.angle, sweep->sides[1].mover.angle);
    double most = sweep->cores ? coreTurn(sweep) : (double)SWEEP_SLICE;
    double slice = turn > most ? maxD(most / turn, 1.0 / SWEEP_MOST_SLICES) : 1.0;
    *hit = (shSweepHit){.fraction = 1.0f};
    for (double time = 0.0; time < 1.0 && !sweep->failed && !hit->touches; time = sweep->until) {
        time = boxesMeet(sweep, time);
        if (time > 1.0)
            break;
        sweep->begin = time;
        sweep->until = minD(time + slice, 1.0);
        sweep->now = sweep->middle = 0.5 * (time + sweep->until);
        for (int k = 0; k < 2; ++k)
            sweep->frames[k] = sweep->middles[k] = rotationAt(&sweep->sides[k].mover, sweep->middle);
        if (sweep->cores)
            gatherCores(sweep, hit);
        else
            gather(sweep, time);
        for (int from; (from = earliest(sweep)) >= 0 && !sweep->failed && !hit->touches;) {
            if (from != sweepLooked) {
                settle(sweep, from, hit);
                continue;
            }
            SweepEntry entry = pop(sweep, sweepLooked);
            if (!isfinite(sweep->sides[entry.side].depth))
                continue;
            if (hit->probes++ < probes)
                advance(sweep, entry, hit);
            else
                giveUp(sweep, &entry, hit);
            if (!hit->touches || hit->fraction > 0.0f || query->rise == NULL)
                continue;
            bool counts = rise(sweep, hit);
            *hit = (shSweepHit){.fraction = 1.0f};
            if (!counts)
                return shOk;
            push(sweep, sweepLooked, entry);
        }
        if (sweep->until >= 1.0)
            break;
    }
    return sweep->failed ? failMemory(message) : shOk;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Breaking: inside the step and by hand; blasts are in blast.c, what becomes of debris in debris.c, how bodies fare
// that wait to break in deferral.c.
//
// A step is solved as if nothing broke. Bodies that were hit harder than they bear are then broken where they were hit,
// their parts get the motion that their places had before the solve, and the step is solved again with the parts: the
// impulse that broke the body acts on the pieces it touches, not on the whole. Nothing has moved in between.
//
// The impulse that counts is what comes on top of the step before, and no more than the speed can give at which
// something met (blows.c): a load at rest breaks nothing.
#include "core/constants.h"
#include "core/hash.h"
#include "core/message.h"
#include "dynamics/input_log.h"
#include "solid/solid.h"

#include <stdlib.h>
#include <string.h>

#define FRACTURE_COOKIE 0x53484644u // "SHFD"

shFractureDef shDefaultFractureDef(shPatternType type)
{
    return (shFractureDef){.pattern = shDefaultPattern(type), .factor = 1.0, .cookie = FRACTURE_COOKIE};
}

shStatus solidSetFracture(shWorld* world, int solid, const shFractureDef* def, shMessage* message)
{
    if (def->cookie != FRACTURE_COOKIE)
        return fail(message, shInvalid, "fracture: fill the definition with shDefaultFractureDef() first");
    const struct {
        double value;
        const char* name;
    } numbers[] = {{def->factor, "factor"},
                   {def->impulse, "impulse"},
                   {def->smallest, "smallest volume"},
                   {def->dustVolume, "dust volume"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!isfinite(numbers[i].value) || numbers[i].value < 0.0)
            return fail(message, shInvalid, "fracture: its %s is %g; it must be finite and not negative",
                        numbers[i].name, numbers[i].value);
    }
    if (def->pattern.pieces < 2)
        return fail(message, shInvalid, "fracture: a pattern of %d pieces breaks nothing", def->pattern.pieces);
    if (def->anchorCount < 0 || (def->anchorCount > 0 && def->anchors == NULL))
        return fail(message, shInvalid, "fracture: %d anchors, but none are given", def->anchorCount);
    for (int i = 0; i < def->anchorCount; ++i) {
        if (def->anchors[i].type == shNodeAnchor)
            return fail(message, shInvalid, "fracture: anchor %d asks for nodes; give a ball, box or half-space", i);
    }
    WorldSolid* slot = &world->solids.data[solid];
    if (def->anchorCount > 0) {
        slot->anchors = NEW_ARRAY(world->memory, shAnchor, def->anchorCount);
        if (slot->anchors == NULL)
            return failMemory(message);
        memcpy(slot->anchors, def->anchors, sizeof(shAnchor) * (size_t)def->anchorCount);
        slot->anchorCount = def->anchorCount;
    }
    slot->breaks = true;
    slot->fracture = *def;
    if (slot->fracture.smallest == 0.0)
        slot->fracture.smallest = BREAK_SMALLEST * slot->solid->asset->mass.volume;
    slot->fracture.anchors = NULL;
    return shOk;
}

// ---- from a break to bodies -----------------------------------------------------------------------------------------

// Lists of what broke begin anew with the first break after a step.
static void beginLists(shWorld* world)
{
    if (!world->told)
        return;
    world->told = false;
    world->breaks.count = world->broken.count = world->dust.count = 0;
}

static shVelocity velocityOf(const Body* body)
{
    return (shVelocity){{(double)body->velocity.x, (double)body->velocity.y, (double)body->velocity.z},
                        {(double)body->angular.x, (double)body->angular.y, (double)body->angular.z}};
}

static Vec3 fromArray(const double v[3]) { return vec3((float)v[0], (float)v[1], (float)v[2]); }

// What was broken becomes bodies; the first piece is the body itself. Nothing here can fail.
static void makeBodies(shWorld* world, BreakJob* job)
{
    const Body parent = *worldBody(world, job->pending.body);
    int index = job->pending.body.index;
    DQuat q = dqMul(parent.spin.frame, dqConjugate(parent.restFrame));
    shBreakEvent event = {.body = job->pending.body,
                          .first = world->broken.count,
                          .point = job->pending.point,
                          .normal = job->pending.normal,
                          .impulse = job->pending.impulse,
                          .energy = job->pending.energy,
                          .crackArea = job->sums.crackArea,
                          .material = &world->solids.data[parent.solid].solid->asset->record->material,
                          .userData = parent.userData};
    bodyWake(world, index);
    bool first = true;
    for (int i = 0; i < job->fragments.count; ++i) {
        const shFragment* fragment = &job->fragments.data[i];
        job->slots.data[i] = -1;
        if (fragment->dust)
            continue;
        shBodyId id = job->pending.body;
        Body* body = &world->bodies.data[index];
        if (!first) {
            body = bodyTake(world, &id);
            int slot = bodyIndex(world, body);
            *body = parent;
            body->drag = -1;
            body->sleepNext = slot;
            ++world->solids.data[body->solid].bodies;
        }
        bool falls = parent.type == shStaticBody && !world->held.data[i];
        if (falls)
            body->type = shDynamicBody;
        body->awake = true;
        body->piece = fragment->piece;
        body->fresh = true;
        body->struck = job->pending.rank > 0.0;
        body->waiting = false;
        body->most = 0.0f;
        body->age = 0.0f;
        body->damage = 0.0f;
        body->force = body->torque = vec3(0.0f, 0.0f, 0.0f);
        bodySetPiece(world, body, &fragment->info);
        body->centre = dAdd(parent.centre, dqRotate(q, dFromV(vSub(body->restCentre, parent.restCentre))));
        body->spin.frame = dqNormalize(dqMul(q, body->restFrame));
        if (body->type == shDynamicBody) {
            body->velocity = fromArray(fragment->velocity.linear);
            bodySetAngular(body, fromArray(fragment->velocity.angular));
        }
        bodyPlace(body);
        body->transform = parent.transform; // their rest frames are one until they move
        if (!first) {
            bodyAddProxy(world, body);
        } else if (falls) {
            pairsRemoveBody(world, index);
            broadSetFilter(world->broad, index, bodyBroadFilter(body));
        }
        first = false;
        job->slots.data[i] = bodyIndex(world, body);
        world->broken.data[world->broken.count++] = id;
    }
    event.count = world->broken.count - event.first;
    if (first) // all of it is dust
        bodyDestroy(world, index);
    world->breaks.data[world->breaks.count++] = event;
    ++world->counters.breaks;
    ++world->counters.broken;
    if (job->sums.dustCount == 0)
        return;
    world->counters.dustMass += job->sums.dustMass;
    double mass = job->sums.dustMass;
    const double* p = job->sums.dust.linear;
    world->dust.data[world->dust.count++] =
        (shDustEvent){.point = fromArray(job->sums.dustCentre),
                      .velocity = fromArray((double[3]){p[0] / mass, p[1] / mass, p[2] / mass}),
                      .mass = mass,
                      .volume = job->sums.dustVolume,
                      .pieces = job->sums.dustCount,
                      .material = event.material};
}

// Room for everything that makeBodies will write. Without it the new pieces could only be lost: they become dust.
static shStatus reserveFor(shWorld* world, const BreakJob* job)
{
    int pieces = job->fragments.count;
    bool enough = bodiesReserve(world, pieces) && arrayReserve(world->memory, &world->held, pieces) &&
                  arrayReserve(world->memory, &world->broken, world->broken.count + pieces) &&
                  arrayReserve(world->memory, &world->breaks, world->breaks.count + 1) &&
                  arrayReserve(world->memory, &world->dust, world->dust.count + 1) && siblingsReserve(world, job);
    return enough ? shOk : shOutOfMemory;
}

static void reduceToDust(shWorld* world, BreakJob* job)
{
    shSolid* solid = world->solids.data[job->solid].solid;
    for (int i = 1; i < job->fragments.count; ++i) {
        shFragment* fragment = &job->fragments.data[i];
        if (fragment->dust)
            continue;
        shSolid_RemovePiece(solid, fragment->piece, NULL);
        world->counters.dustMass += fragment->info.mass;
    }
    world->counters.dustMass += job->sums.dustMass;
    Body* body = worldBody(world, job->pending.body);
    bodySetPiece(world, body, &job->fragments.data[0].info);
}

static bool hasBroken(const BreakJob* job) { return job->status == shOk && job->fragments.count > 1; }

static void finishJob(shWorld* world, BreakJob* job, shMessage* message)
{
    world->profile.update += (float)(1e3 * job->update);
    if (!hasBroken(job))
        return;
    job->status = reserveFor(world, job);
    const WorldSolid* solid = &world->solids.data[job->solid];
    if (job->status == shOk) {
        for (int i = 0; i < job->fragments.count; ++i)
            world->held.data[i] = false;
        for (int i = 0; i < job->fragments.count && solid->anchorCount > 0 && job->status == shOk; ++i) {
            int piece = job->fragments.data[i].piece;
            if (!job->fragments.data[i].dust)
                job->status = shSolid_FindHeld(solid->solid, solid->anchors, solid->anchorCount, &piece, 1,
                                               &world->held.data[i], message);
        }
    }
    if (job->status == shOk) {
        makeBodies(world, job);
        siblingsTouch(world, job);
    } else {
        reduceToDust(world, job);
    }
}

// What is near a body that has broken has to be looked at anew.
static void finishJobs(shWorld* world, shMessage* message)
{
    int* broken = world->slotNotes.data;
    for (int i = 0; i < world->bodies.count; ++i)
        broken[i] = 0;
    for (int i = 0; i < world->jobs.count; ++i)
        broken[world->jobs.data[i].pending.body.index] |= hasBroken(&world->jobs.data[i]);
    for (int i = 0; i < world->pairs.count; ++i) {
        Pair* pair = &world->pairs.data[i];
        bool concerned = (broken[pair->a] | broken[pair->b]) != 0;
        pair->stale |= concerned;
        pair->looked &= !concerned;
    }
    for (int i = 0; i < world->jobs.count; ++i)
        finishJob(world, &world->jobs.data[i], message);
    // Which job meets the largest crack is chance: none keeps room for it.
    for (int i = 0; i < world->jobs.count; ++i)
        siblingsFree(&world->jobs.data[i].siblings, world->memory);
    world->jobs.count = 0;
}

// ---- breaking many --------------------------------------------------------------------------------------------------

typedef struct BreakTask {
    shWorld* world;
} BreakTask;

static shStatus breakAndMeasure(shWorld* world, BreakJob* job, const shPattern* pattern, const shCrack* crack,
                                shMessage* message)
{
    const Body* body = worldBody(world, job->pending.body);
    WorldSolid* solid = &world->solids.data[job->solid];
    job->fragments.count = 0;
    job->before = shSolid_GetPiece(solid->solid, body->piece);
    double since = solid->solid->updateSeconds;
    shBreak broken;
    shStatus status = crack != NULL ? shSolid_Break(solid->solid, crack, &broken, message)
                                    : shSolid_BreakPattern(solid->solid, body->piece, pattern, &job->pending.impact,
                                                           &broken, message);
    job->update = solid->solid->updateSeconds - since;
    if (status != shOk)
        return status;
    ++solid->broken;
    if (broken.pieceCount <= 1)
        return shOk;
    if (!arrayReserve(world->memory, &job->fragments, broken.pieceCount) ||
        !arrayReserve(world->memory, &job->slots, broken.pieceCount) ||
        !siblingsFind(&job->siblings, &solid->solid->field, world->memory)) {
        for (int i = 1; i < broken.pieceCount; ++i)
            shSolid_RemovePiece(solid->solid, broken.pieces[i], NULL);
        return failMemory(message);
    }
    shVelocity velocity = velocityOf(body);
    shFragmentDef def = shDefaultFragmentDef(body->transform, &velocity);
    def.dustVolume = solid->breaks ? solid->fracture.dustVolume : 0.0;
    job->fragments.count = broken.pieceCount;
    return shSolid_MakeFragments(solid->solid, &job->before, &broken, &def, job->fragments.data, &job->sums, message);
}

// All breaks of some solids, those of one solid in order.
static void breakRuns(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = ((const BreakTask*)arg)->world;
    for (int run = begin; run < end; ++run) {
        int stop = run + 1 < world->runs.count ? world->runs.data[run + 1] : world->jobs.count;
        for (int i = world->runs.data[run]; i < stop; ++i) {
            BreakJob* job = &world->jobs.data[i];
            const WorldSolid* solid = &world->solids.data[job->solid];
            shPattern pattern = solid->fracture.pattern;
            pattern.pieces = job->pending.pieces;
            pattern.seed = hashMix(pattern.seed + ((uint64_t)solid->broken << 32));
            job->status = breakAndMeasure(world, job, &pattern, NULL, NULL);
        }
    }
}

static int bySolid(const void* a, const void* b)
{
    const BreakJob *left = a, *right = b;
    if (left->solid != right->solid)
        return left->solid < right->solid ? -1 : 1;
    return left->pending.body.index < right->pending.body.index ? -1 : 1;
}

bool breakAdd(shWorld* world, const PendingBreak* pending)
{
    int capacity = world->jobs.capacity;
    if (!arrayReserve(world->memory, &world->slotNotes, world->bodies.count) ||
        !arrayReserve(world->memory, &world->jobs, world->jobs.count + 1))
        return false;
    if (world->jobs.capacity > capacity)
        memset(world->jobs.data + capacity, 0, sizeof(BreakJob) * (size_t)(world->jobs.capacity - capacity));
    for (int i = capacity; i < world->jobs.capacity; ++i) { // all at once, or memory creeps up as each is used first
        if (!arrayReserve(world->memory, &world->jobs.data[i].fragments, JOB_FRAGMENTS) ||
            !arrayReserve(world->memory, &world->jobs.data[i].slots, JOB_FRAGMENTS))
            return false;
    }
    BreakJob* job = &world->jobs.data[world->jobs.count++];
    job->pending = *pending;
    job->solid = worldBody(world, pending->body)->solid;
    job->status = shOk;
    return true;
}

void breakAll(shWorld* world)
{
    qsort(world->jobs.data, (size_t)world->jobs.count, sizeof(BreakJob), bySolid);
    world->runs.count = 0;
    for (int i = 0; i < world->jobs.count; ++i) {
        if (i == 0 || world->jobs.data[i].solid != world->jobs.data[i - 1].solid)
            world->runs.data[world->runs.count++] = i;
    }
    beginLists(world);
    if (world->runs.count == 1) // all workers may share in it
        breakRuns(0, 1, 0, &(BreakTask){world});
    else
        parallelFor(world->context, world->runs.count, 1, breakRuns, &(BreakTask){world});
    finishJobs(world, NULL);
}

// ---- inside the step ------------------------------------------------------------------------------------------------

static int64_t workOf(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    const shSolid* solid = world->solids.data[body->solid].solid;
    return solid->field.labels != NULL ? solid->field.pieces.data[body->piece].count : solid->asset->mesh.nodeCount;
}

// The hardest hit first; of equals the lower slot.
static int byRank(const void* a, const void* b)
{
    const PendingBreak *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank > right->rank ? -1 : 1;
    return left->body.index < right->body.index ? -1 : left->body.index > right->body.index;
}

// As many of the pending breaks as the budget allows become jobs; the others stay.
static shStatus takeJobs(shWorld* world, PendingBreak* pending, int* count, int64_t* work)
{
    int left = 0;
    for (int i = 0; i < *count; ++i) {
        if (worldBody(world, pending[i].body) == NULL)
            continue; // destroyed since
        int64_t cost = workOf(world, pending[i].body);
        bool fits = world->def.breakBudget == 0 || *work == 0 || *work + cost <= world->def.breakBudget;
        if (!fits) {
            pending[left++] = pending[i];
            continue;
        }
        *work += cost;
        if (!breakAdd(world, &pending[i]))
            return shOutOfMemory;
        Body* body = worldBody(world, pending[i].body);
        body->waiting = false;
        body->most = 0.0f;
    }
    *count = left;
    return arrayReserve(world->memory, &world->runs, world->jobs.count) ? shOk : shOutOfMemory;
}

shStatus breakingBegin(shWorld* world)
{
    world->counters.broken = 0;
    world->breakWork = 0;
    if (world->told || world->deferred.count > 0)
        beginLists(world);
    if (world->deferred.count == 0)
        return shOk;
    world->jobs.count = 0;
    shStatus status = takeJobs(world, world->deferred.data, &world->deferred.count, &world->breakWork);
    if (status == shOk && world->jobs.count > 0) // those that waited may all be gone
        breakAll(world);
    return status;
}

bool bodyBreaks(const shWorld* world, const Body* body)
{
    return body->solid >= 0 && world->solids.data[body->solid].breaks && !body->fresh && !body->waiting &&
           body->volume >= world->solids.data[body->solid].fracture.smallest;
}

// Judges a blow on one body of a pair, and remembers it if it is the hardest so far.
static shStatus judge(shWorld* world, const Blow* blow, int side)
{
    Body* body = &world->bodies.data[side == 0 ? blow->pair->a : blow->pair->b];
    const Body* other = &world->bodies.data[side == 0 ? blow->pair->b : blow->pair->a];
    const WorldSolid* solid = &world->solids.data[body->solid];
    Striker striker = blowStriker(world, blow, side);
    double give = blow->give[side] + striker.give, size = striker.most;
    if (give <= 0.0)
        return shOk;
    shHit about = {.impulse = size,
                   .inverseMass = give,
                   .restitution = (double)blow->pair->restitution,
                   .otherSoftness = other->strength.softness, // zero, rigid, of what does not break
                   .pieces = solid->fracture.pattern.pieces};
    shVerdict verdict = shJudgeHit(&body->strength, &about);
    double rank = verdict.breakingImpulse > 0.0 ? size / verdict.breakingImpulse : 0.0;
    if (!verdict.breaks && solid->fracture.damage && rank > BREAK_HARMLESS) {
        body->damage += (float)(rank * rank);
        if (body->damage >= 1.0f) {
            about.impulse = verdict.breakingImpulse * BREAK_JUST;
            verdict = shJudgeHit(&body->strength, &about);
        }
    }
    if (!verdict.breaks || verdict.pieces < 2)
        return shOk;
    if (body->hit < 0) {
        if (!arrayReserve(world->memory, &world->candidates, world->candidates.count + 1))
            return shOutOfMemory;
        body->hit = world->candidates.count++;
        world->candidates.data[body->hit].rank = -1.0;
    }
    PendingBreak* pending = &world->candidates.data[body->hit];
    if (pending->rank >= rank)
        return shOk;
    Vec3 point = vFromD(blow->point), normal = vFromD(striker.direction);
    shImpact impact = shDefaultImpact(xformUnpoint(body->transform, point));
    impact.direction = qUnrotate(body->transform.q, normal);
    impact.radius = verdict.radius;
    *pending = (PendingBreak){.body = bodyId(world, bodyIndex(world, body)),
                              .impact = impact,
                              .pieces = verdict.pieces,
                              .rank = rank,
                              .most = (float)verdict.breakingImpulse,
                              .point = point,
                              .normal = normal,
                              .impulse = (float)size,
                              .energy = (float)verdict.energy};
    return shOk;
}

static bool mayBreak(const shWorld* world, const PendingBreak* pending)
{
    if (world->def.shouldBreak == NULL)
        return true;
    const Body* body = worldBody(world, pending->body);
    shBreakEvent about = {.body = pending->body,
                          .point = pending->point,
                          .normal = pending->normal,
                          .impulse = pending->impulse,
                          .energy = pending->energy,
                          .material = &world->solids.data[body->solid].solid->asset->record->material,
                          .userData = body->userData};
    return world->def.shouldBreak(world, &about, world->def.shouldBreakUser);
}

bool breakingMay(const shWorld* world)
{
    for (int i = 0; i < world->solids.count; ++i) {
        if (world->solids.data[i].solid != NULL && world->solids.data[i].breaks)
            return true;
    }
    return false;
}

shStatus breakingJudge(shWorld* world, bool* any)
{
    *any = false;
    world->candidates.count = 0;
    for (int i = 0; i < world->bodies.count; ++i)
        world->bodies.data[i].hit = -1;
    shStatus status = blowsFind(world);
    for (int i = 0; i < world->blows.count && status == shOk; ++i) {
        const Blow* blow = &world->blows.data[i];
        if (!(blow->size > 0.0))
            continue;
        if (bodyBreaks(world, &world->bodies.data[blow->pair->a]))
            status = judge(world, blow, 0);
        if (status == shOk && bodyBreaks(world, &world->bodies.data[blow->pair->b]))
            status = judge(world, blow, 1);
    }
    if (status != shOk)
        return status;
    if (world->candidates.count == 0)
        return shOk;
    qsort(world->candidates.data, (size_t)world->candidates.count, sizeof(PendingBreak), byRank);
    int kept = 0;
    for (int i = 0; i < world->candidates.count; ++i) {
        if (mayBreak(world, &world->candidates.data[i]))
            world->candidates.data[kept++] = world->candidates.data[i];
    }
    world->candidates.count = kept;
    if (kept == 0)
        return shOk;
    world->jobs.count = 0;
    int left = kept;
    status = takeJobs(world, world->candidates.data, &left, &world->breakWork);
    if (status == shOk && !arrayReserve(world->memory, &world->deferred, world->deferred.count + left))
        status = shOutOfMemory;
    if (status != shOk)
        return status;
    for (int i = 0; i < left; ++i) {
        world->deferred.data[world->deferred.count++] = world->candidates.data[i];
        Body* body = worldBody(world, world->candidates.data[i].body);
        body->waiting = true;
        body->most = world->candidates.data[i].most;
    }
    world->candidates.count = left;
    *any = world->jobs.count > 0 || left > 0;
    if (world->jobs.count > 0)
        breakAll(world);
    return shOk;
}

// ---- by hand --------------------------------------------------------------------------------------------------------

static shStatus breakByHand(shWorld* world, shBodyId id, const shPattern* pattern, const shImpact* impact,
                            const shCrack* crack, shBodyBreak* result, shMessage* message)
{
    Body* body = worldBody(world, id);
    if (body == NULL)
        return fail(message, shInvalid, "break: the handle is null, or its body is gone");
    if (body->solid < 0)
        return fail(message, shInvalid, "break: only bodies made of an asset can break");
    PendingBreak pending = {.body = id};
    if (impact != NULL) {
        pending.impact = *impact;
        pending.point = xformPoint(body->transform, impact->point);
        pending.normal = qRotate(body->transform.q, vNormalize(impact->direction));
    }
    world->jobs.count = 0;
    if (!breakAdd(world, &pending))
        return failMemory(message);
    beginLists(world);
    BreakJob* job = &world->jobs.data[0];
    job->status = breakAndMeasure(world, job, pattern, crack, message);
    int first = world->broken.count;
    finishJobs(world, message);
    if (job->status != shOk)
        return job->status;
    if (world->broken.count == first) { // nothing broke
        if (!arrayReserve(world->memory, &world->broken, first + 1))
            return failMemory(message);
        world->broken.data[first] = id;
        if (result != NULL)
            *result = (shBodyBreak){1, world->broken.data + first};
        return shOk;
    }
    if (result != NULL)
        *result = (shBodyBreak){world->broken.count - first, world->broken.data + first};
    return shOk;
}

shStatus shBody_Break(shWorld* world, shBodyId id, const shPattern* pattern, const shImpact* impact,
                      shBodyBreak* result, shMessage* message)
{
    if (pattern == NULL || impact == NULL)
        return fail(message, shInvalid, "break: give a pattern and an impact");
    shStatus status = breakByHand(world, id, pattern, impact, NULL, result, message);
    if (status == shOk)
        WORLD_LOG(world, .type = inputBreak, .body = id, .pattern = *pattern, .impact = *impact);
    return status;
}

shStatus shBody_BreakAlong(shWorld* world, shBodyId id, const int* labels, float (*cut)(int edge, void* user),
                           void* user, shBodyBreak* result, shMessage* message)
{
    const Body* body = worldBody(world, id);
    shCrack crack = {body != NULL ? body->piece : 0, labels, cut, user};
    InputTape tape = {.failed = false};
    if (body != NULL)
        inputTapeStart(&tape, world, id, &crack);
    shStatus status = breakByHand(world, id, NULL, NULL, &crack, result, message);
    if (body != NULL)
        inputTapeEnd(&tape, world, status == shOk);
    return status;
}

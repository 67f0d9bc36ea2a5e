// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The world itself and its step.
#include "dynamics/world.h"

#include "collide/query.h"
#include "core/constants.h"
#include "core/message.h"
#include "dynamics/input_log.h"

#include <string.h>

#define WORLD_COOKIE 0x53485744u // "SHWD"

shWorldDef shDefaultWorldDef(void)
{
    return (shWorldDef){.gravity = {0.0f, -9.81f, 0.0f},
                        .hitSpeed = 1.0f,
                        .bounceSpeed = 0.5f,
                        .pushSpeed = 3.0f,
                        .sleepSpeed = 0.02f,
                        .sleepTime = 0.5f,
                        .sleeping = true,
                        .continuous = true,
                        .cookie = WORLD_COOKIE};
}

shStatus worldCheckDef(const shWorldDef* def, shMessage* message)
{
    if (def->cookie != WORLD_COOKIE)
        return fail(message, shInvalid, "world: fill the definition with shDefaultWorldDef() first");
    if (!vFinite(def->gravity))
        return fail(message, shInvalid, "world: gravity is not finite");
    if (def->substeps < 0 || def->substeps > SH_MAX_SUBSTEPS)
        return fail(message, shInvalid, "world: %d substeps; 1 to %d are possible, or 0 for as many as the step needs",
                    def->substeps, SH_MAX_SUBSTEPS);
    if (def->breakBudget < 0 || def->debrisLimit < 0)
        return fail(message, shInvalid,
                    "world: a budget of %lld nodes and a limit of %d pieces; neither may be negative",
                    (long long)def->breakBudget, def->debrisLimit);
    const struct {
        float value;
        const char* name;
    } numbers[] = {{def->hitSpeed, "hit speed"},
                   {def->bounceSpeed, "bounce speed"},
                   {def->pushSpeed, "push speed"},
                   {def->sleepSpeed, "sleep speed"},
                   {def->sleepTime, "sleep time"},
                   {def->debrisAge, "debris age"},
                   {(float)def->debrisVolume, "debris volume"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!isfinite(numbers[i].value) || numbers[i].value < 0.0f)
            return fail(message, shInvalid, "world: its %s is %g; it must be finite and not negative", numbers[i].name,
                        (double)numbers[i].value);
    }
    return shOk;
}

shStatus shCreateWorld(shContext* context, const shWorldDef* def, shWorld** world, shMessage* message)
{
    if (context == NULL || def == NULL || world == NULL)
        return fail(message, shInvalid, "world: context, definition and result must not be null");
    *world = NULL;
    shStatus status = worldCheckDef(def, message);
    if (status != shOk)
        return status;
    Memory* memory = &context->memory;
    shWorld* made = NEW_ZEROED(memory, shWorld, 1);
    if (made == NULL)
        return failMemory(message);
    made->context = context;
    made->memory = memory;
    made->def = *def;
    made->workers = NEW_ZEROED(memory, WorldWorker, context->tasks.workerCount);
    made->workerCount = made->workers != NULL ? context->tasks.workerCount : 0;
    status = made->workers == NULL ? failMemory(message) : broadCreate(context, &made->broad);
    for (int w = 0; w < made->workerCount && status == shOk; ++w) {
        status = shCreateQuery(context, &made->workers[w].query, message);
        if (status == shOk)
            made->workers[w].query->plain = true; // of what is found, steps choose by what moves (contacts.c)
    }
    if (status == shOk) {
        *world = made;
        return shOk;
    }
    shDestroyWorld(made);
    return failMemory(message);
}

void shDestroyWorld(shWorld* world)
{
    if (world == NULL)
        return;
    Memory* memory = world->memory;
    inputLogDestroy(world);
    for (int i = 0; i < world->solids.count; ++i) {
        shDestroySolid(world->solids.data[i].solid);
        FREE_ARRAY(memory, world->solids.data[i].anchors, world->solids.data[i].anchorCount);
    }
    for (int i = 0; i < world->ownAssets.count; ++i)
        shDestroyAsset(world->ownAssets.data[i]);
    for (int i = 0; i < world->ownRegions.count; ++i)
        shDestroyRegions(world->ownRegions.data[i]);
    for (int i = 0; i < world->jobs.capacity; ++i) {
        arrayFree(memory, &world->jobs.data[i].fragments);
        arrayFree(memory, &world->jobs.data[i].slots);
        siblingsFree(&world->jobs.data[i].siblings, memory);
    }
    for (int w = 0; w < world->workerCount; ++w) {
        shDestroyQuery(world->workers[w].query);
        arrayFree(memory, &world->workers[w].found);
    }
    FREE_ARRAY(memory, world->workers, world->workerCount);
    broadDestroy(world->broad);
    idPoolFree(&world->ids, memory);
    arrayFree(memory, &world->bodies);
    arrayFree(memory, &world->solids);
    arrayFree(memory, &world->drags);
    arrayFree(memory, &world->pairs);
    arrayFree(memory, &world->table);
    arrayFree(memory, &world->contacts);
    arrayFree(memory, &world->nextContacts);
    arrayFree(memory, &world->outcomes);
    arrayFree(memory, &world->marks);
    arrayFree(memory, &world->paces);
    arrayFree(memory, &world->moving);
    arrayFree(memory, &world->states);
    arrayFree(memory, &world->colours);
    arrayFree(memory, &world->order);
    arrayFree(memory, &world->groups);
    arrayFree(memory, &world->groupList);
    arrayFree(memory, &world->lanes);
    arrayFree(memory, &world->aims);
    arrayFree(memory, &world->starts);
    arrayFree(memory, &world->balances);
    arrayFree(memory, &world->standing);
    arrayFree(memory, &world->solved);
    arrayFree(memory, &world->givers);
    arrayFree(memory, &world->parents);
    arrayFree(memory, &world->befores);
    arrayFree(memory, &world->groupings);
    arrayFree(memory, &world->sums);
    arrayFree(memory, &world->begun);
    arrayFree(memory, &world->ended);
    arrayFree(memory, &world->hits);
    arrayFree(memory, &world->breaks);
    arrayFree(memory, &world->broken);
    arrayFree(memory, &world->dust);
    arrayFree(memory, &world->blows);
    arrayFree(memory, &world->strikers);
    arrayFree(memory, &world->candidates);
    arrayFree(memory, &world->deferred);
    arrayFree(memory, &world->jobs);
    arrayFree(memory, &world->runs);
    arrayFree(memory, &world->held);
    islandsFree(world);
    continuousFree(world);
    arrayFree(memory, &world->slotNotes);
    arrayFree(memory, &world->list);
    arrayFree(memory, &world->ownAssets);
    arrayFree(memory, &world->ownRegions);
    FREE_ARRAY(memory, world, 1);
}

void shWorld_SetGravity(shWorld* world, shVec3 gravity)
{
    if (!vFinite(gravity))
        return;
    world->def.gravity = gravity;
    WORLD_LOG(world, .type = inputGravity, .vectors = {gravity});
    for (int i = 0; i < world->bodies.count; ++i) {
        if (idPoolAt(&world->ids, i).generation != 0)
            bodyWake(world, i);
    }
}

shVec3 shWorld_GetGravity(const shWorld* world) { return world->def.gravity; }

void shWorld_SetSleeping(shWorld* world, bool enabled)
{
    world->def.sleeping = enabled;
    WORLD_LOG(world, .type = inputSleeping, .flag = enabled);
    for (int i = 0; i < world->bodies.count && !enabled; ++i) {
        if (idPoolAt(&world->ids, i).generation != 0)
            bodyWake(world, i);
    }
}

// ---- the step -------------------------------------------------------------------------------------------------------

// Milliseconds since the last call.
static float lap(const shWorld* world, double* since)
{
    double now = contextSeconds(world->context), passed = now - *since;
    *since = now;
    return (float)(1e3 * passed);
}

// The hardest contact of a pair, if it was hit; its load in any case.
static const Contact* hardestOf(shWorld* world, Pair* pair, float* speed, float* impulse)
{
    const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
    const Contact* hardest = NULL;
    Vec3 sum = {0.0f, 0.0f, 0.0f};
    *speed = *impulse = 0.0f;
    for (int k = 0; k < pair->count; ++k) {
        const Contact* contact = &world->contacts.data[pair->first + k];
        if (contact->total <= 0.0f)
            continue;
        *impulse += contact->total;
        sum = vMad(sum, contact->total, qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal));
        *speed = maxF(*speed, -contact->approach);
        if (hardest == NULL || contact->total > hardest->total)
            hardest = contact;
    }
    if (!a->waiting && !b->waiting) // else what it does is not what it bears
        pair->load = vLength(sum);
    return *speed < world->def.hitSpeed ? NULL : hardest;
}

static void markHits(int begin, int end, int worker, void* arg)
{
    (void)worker;
    shWorld* world = arg;
    float speed, impulse;
    for (int i = begin; i < end; ++i)
        world->marks.data[i] = hardestOf(world, &world->pairs.data[world->order.data[i]], &speed, &impulse) != NULL;
}

static void tellHits(shWorld* world)
{
    world->hits.count = 0;
    parallelFor(world->context, world->order.count, HIT_BLOCK, markHits, world);
    for (int i = 0; i < world->order.count; ++i) {
        if (world->marks.data[i] == 0)
            continue;
        Pair* pair = &world->pairs.data[world->order.data[i]];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        float speed, impulse;
        const Contact* hardest = hardestOf(world, pair, &speed, &impulse);
        Vec3 point = vAdd(vFromD(a->centre), qRotate(a->transform.q, hardest->anchorA));
        Vec3 normal = qRotate(hardest->id >> 31 ? a->transform.q : b->transform.q, hardest->normal);
        world->hits.data[world->hits.count++] =
            (shHitEvent){bodyId(world, pair->a), bodyId(world, pair->b), point, normal, speed, impulse};
    }
}

static void count(shWorld* world)
{
    shCounters* counters = &world->counters;
    counters->bodies = world->ids.live;
    counters->awake = 0;
    for (int i = 0; i < world->moving.count; ++i)
        counters->awake += world->bodies.data[world->moving.data[i]].awake;
    counters->solids = 0;
    for (int i = 0; i < world->solids.count; ++i)
        counters->solids += world->solids.data[i].solid != NULL;
    counters->pairs = world->pairs.count;
    counters->touching = counters->contacts = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        counters->touching += world->pairs.data[i].touching;
        counters->contacts += world->pairs.data[i].count;
    }
    counters->colours = 0;
    for (int i = 0; i < 64; ++i)
        counters->colours += world->groupStart[i + 1] > world->groupStart[i];
    counters->bytes = (int64_t)world->memory->bytes;
}

// What one worker needed for its share another may need tomorrow: all have room for it, so that memory follows from
// what happens and not from who did it. `found` is shared out anew in every step: room for all of it.
static void evenWorkers(shWorld* world)
{
    int64_t found = 0;
    for (int w = 0; w < world->workerCount; ++w)
        found += world->workers[w].found.count;
    for (int w = 0; w < world->workerCount && world->workerCount > 1; ++w) {
        if (!arrayReserve(world->memory, &world->workers[w].found, found))
            return;
        for (int other = 0; other < world->workerCount; ++other)
            queryRoomAs(world->workers[w].query, world->workers[other].query);
    }
}

// Everything up to new velocities; no body has moved yet.
static shStatus solveStep(shWorld* world, float dt, double* since)
{
    shProfile* profile = &world->profile;
    shStatus status = pairsUpdate(world, dt);
    profile->broad += lap(world, since);
    if (status == shOk)
        status = contactsFind(world, dt);
    if (status != shOk)
        return status;
    contactsCommit(world, dt);
    profile->collide += lap(world, since);
    status = continuousBegin(world);
    for (int solve = 0; status == shOk; ++solve) {
        bool late = false;
        sleepWake(world);
        profile->islands += lap(world, since);
        status = groupsBuild(world, dt);
        profile->prepare += lap(world, since);
        if (status == shOk)
            solverRun(world, dt);
        profile->solve += lap(world, since);
        if (status == shOk && solve < TOI_SOLVES)
            status = continuousPredict(world, dt, &late);
        profile->sweep += lap(world, since);
        if (!late)
            break;
    }
    return status;
}

shStatus shWorld_Step(shWorld* world, float dt, shMessage* message)
{
    if (world == NULL)
        return fail(message, shInvalid, "step: the world must not be null");
    if (!(dt > 0.0f && dt <= MAX_STEP))
        return fail(message, shInvalid, "step: dt is %g s; it must be above 0 and at most %g", (double)dt,
                    (double)MAX_STEP);
    double since = contextSeconds(world->context), start = since;
    shProfile* profile = &world->profile;
    world->begun.count = 0;
    world->ended.count -= world->endedTold;
    if (world->ended.count > 0)
        memmove(world->ended.data, world->ended.data + world->endedTold,
                sizeof *world->ended.data * (size_t)world->ended.count);
    world->endedTold = 0;

    profile->update = 0.0f;
    shStatus status = breakingBegin(world);
    profile->fracture = lap(world, &since);
    profile->broad = profile->collide = profile->islands = profile->prepare = profile->solve = profile->sweep = 0.0f;
    world->again = false;
    if (status == shOk)
        status = solveStep(world, dt, &since);
    if (status == shOk) {
        if (breakingMay(world)) {
            groupsStoreSums(world, dt);
            status = breakingJudge(world, &world->again);
        }
        profile->fracture += lap(world, &since);
    }
    if (status == shOk && world->again) // with the parts of what broke
        status = solveStep(world, dt, &since);
    if (status != shOk)
        return failMemory(message);
    groupsStore(world, dt);
    profile->solve += lap(world, &since);
    bodiesFinish(world, dt);
    profile->finish = lap(world, &since);
    continuousFinish(world);
    profile->sweep += lap(world, &since);
    tellHits(world);
    conserveRun(world);
    sleepUpdate(world, dt);
    profile->islands += lap(world, &since);
    breakingEnd(world, dt);
    profile->fracture += lap(world, &since);
    evenWorkers(world);
    count(world);
    world->endedTold = world->ended.count;
    profile->total = (float)(1e3 * (since - start));
    worldLogStep(world, dt);
    return shOk;
}

// ---- asking ---------------------------------------------------------------------------------------------------------

shWorldEvents shWorld_GetEvents(const shWorld* world)
{
    return (shWorldEvents){.beginCount = world->begun.count,
                           .endCount = world->endedTold,
                           .hitCount = world->hits.count,
                           .begun = world->begun.data,
                           .ended = world->ended.data,
                           .hits = world->hits.data,
                           .breakCount = world->breaks.count,
                           .pieceCount = world->broken.count,
                           .dustCount = world->dust.count,
                           .breaks = world->breaks.data,
                           .pieces = world->broken.data,
                           .dust = world->dust.data};
}

shProfile shWorld_GetProfile(const shWorld* world) { return world->profile; }

shCounters shWorld_GetCounters(const shWorld* world) { return world->counters; }

int shWorld_GetBodyLimit(const shWorld* world) { return world->bodies.count; }

shBodyId shWorld_GetBodyAt(const shWorld* world, int index)
{
    return index >= 0 && index < world->bodies.count ? bodyId(world, index) : (shBodyId){0};
}

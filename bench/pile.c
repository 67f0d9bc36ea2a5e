// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `pile`: what a step costs when a thousand, or nine thousand, non-convex fragments lie in a bin, awake; beside
// Bullet with their convex hulls, from the same places, in the same run. And do they lie still?
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/machine.h"
#include "bench/moments.h"
#include "bench/peer.h"
#include "bench/peer_pairs.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY = 9000,
    SOME = 1000,
    TINY = 12, // in tests
    FALL_STEPS = 90,
    SETTLE_STEPS = 90,
    TIMED_STEPS = 60,
    BLOCKS = 5, // of BLOCK_STEPS: the best counts
    BLOCK_STEPS = 30,
    PIECES = 60
};
static const float STEP = 1.0f / 30.0f, SOFT = 2.0f; // s; m/s²: gravity while they fall, so that all land gently

typedef struct Pile {
    shWorld* world;
    shBodyId* bodies; // [count]
    int count;
    double points; // of the surfaces, mean
    float half;    // of the bin's floor, m
} Pile;

static void pileDestroy(Pile* pile)
{
    shDestroyWorld(pile->world);
    free(pile->bodies);
}

static int pointsOf(const shWorld* world, shBodyId body)
{
    int piece;
    const shSolid* solid = shBody_GetSolid(world, body, &piece);
    return shSolid_GetPiece(solid, piece).triangleCount / 2 + 2; // Euler: closed surfaces without handles
}

// Blocks of concrete, each broken in its own way, until there are enough pieces.
static shStatus addPieces(Pile* pile, const shAsset* asset, int count, shMessage* message)
{
    shStatus status = shOk;
    shBodyDef def = shDefaultBodyDef();
    def.asset = asset;
    def.friction = 0.5f;
    def.restitution = 0.0f;
    for (uint64_t seed = 1; pile->count < count && status == shOk; ++seed) {
        shBodyId block;
        shBodyBreak broken;
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = PIECES;
        pattern.seed = seed;
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
        status = shCreateBody(pile->world, &def, &block, message);
        if (status == shOk)
            status = shBody_Break(pile->world, block, &pattern, &impact, &broken, message);
        int first = pile->count;
        for (int i = 0; status == shOk && i < broken.bodyCount && pile->count < count; ++i)
            pile->bodies[pile->count++] = broken.bodies[i];
        int spare = status == shOk ? broken.bodyCount - (pile->count - first) : 0;
        for (int i = 0; i < spare && status == shOk; ++i) {
            shBodyId last = broken.bodies[broken.bodyCount - 1 - i];
            status = shDestroyBody(pile->world, last, message);
        }
    }
    return status;
}

static shStatus addBin(Pile* pile, shMessage* message)
{
    shShape plane = {.type = shPlaneShape};
    shBodyDef def = shDefaultBodyDef();
    def.type = shStaticBody;
    def.shape = &plane;
    shStatus status = shOk;
    for (int i = 0; i < 5 && status == shOk; ++i) {
        static const shVec3 inward[5] = {{0, 1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}};
        shBodyId id;
        def.transform.q = qBetween(vec3(0.0f, 1.0f, 0.0f), inward[i]);
        def.transform.p = i == 0 ? vec3(0.0f, 0.0f, 0.0f) : vScale(-pile->half, inward[i]);
        status = shCreateBody(pile->world, &def, &id, message);
    }
    return status;
}

// In layers, turned at random, one radius apart.
static shStatus placePieces(Pile* pile, shMessage* message)
{
    float cell = 0.0f;
    for (int i = 0; i < pile->count; ++i)
        cell += 1.9f * worldBody(pile->world, pile->bodies[i])->radius / (float)pile->count;
    int side = 1;
    while (side * side * side < 2 * pile->count)
        ++side;
    side = maxI(side - 2, 1);
    pile->half = 0.5f * cell * ((float)side + 0.3f);
    shStatus status = addBin(pile, message);
    Random random = randomSeed(17);
    for (int i = 0; i < pile->count && status == shOk; ++i) {
        const Body* body = worldBody(pile->world, pile->bodies[i]);
        shQuat q = randomRotation(&random);
        shVec3 at =
            vec3(cell * ((float)(i % side) - 0.5f * (float)(side - 1)), cell * (0.8f + (float)(i / (side * side))),
                 cell * ((float)(i / side % side) - 0.5f * (float)(side - 1)));
        shTransform place = {vSub(at, qRotate(q, body->restCentre)), q};
        status = shBody_SetTransform(pile->world, pile->bodies[i], place, message);
        if (status == shOk)
            status = shBody_SetVelocity(pile->world, pile->bodies[i], vec3(0, 0, 0), vec3(0, 0, 0), message);
    }
    return status;
}

static shStatus run(Pile* pile, int steps, const char* what, Samples* wall, Samples* cpu, shMessage* message)
{
    shStatus status = shOk;
    for (int i = 0; i < steps && status == shOk; ++i) {
        progressShow("pile: %d pieces, %s, step %d of %d", pile->count, what, i + 1, steps);
        double start = clockSeconds(clockWall), thread = clockSeconds(clockThread);
        status = shWorld_Step(pile->world, STEP, message);
        if (wall != NULL)
            samplesAdd(wall, 1e3 * (clockSeconds(clockWall) - start));
        if (cpu != NULL)
            samplesAdd(cpu, 1e3 * (clockSeconds(clockThread) - thread));
    }
    return status;
}

// A heap from scratch: pieces fall gently, then come to rest.
static shStatus heapUp(shContext* context, const shAsset* asset, int count, Pile* pile, shMessage* message)
{
    pile->bodies = malloc(sizeof(shBodyId) * (size_t)count);
    if (pile->bodies == NULL)
        return failMemory(message);
    shWorldDef def = shDefaultWorldDef();
    def.sleeping = false;
    shStatus status = shCreateWorld(context, &def, &pile->world, message);
    if (status == shOk)
        status = addPieces(pile, asset, count, message);
    if (status == shOk)
        status = placePieces(pile, message);
    int share = count == TINY ? 30 : 1; // of the steps
    if (status == shOk) {
        shWorld_SetGravity(pile->world, vec3(0.0f, -SOFT, 0.0f));
        status = run(pile, FALL_STEPS / share, "falling", NULL, NULL, message);
        shWorld_SetGravity(pile->world, def.gravity);
    }
    if (status == shOk)
        status = run(pile, SETTLE_STEPS / share, "settling", NULL, NULL, message);
    return status;
}

static shStatus heapPath(const shAsset* asset, int count, char* path, size_t size, shMessage* message)
{
    char name[96];
    snprintf(name, sizeof name, "pile-%d-%016llx.world", count,
             (unsigned long long)(cacheProgramHash() ^ shAsset_GetInfo(asset).contentHash));
    return cachePath(name, path, size, message);
}

// A heap at rest, from the cache if it has been there before.
static shStatus pileOpen(shContext* context, const shAsset* asset, int count, Pile* pile, shMessage* message)
{
    char path[1024];
    *pile = (Pile){0};
    shStatus status = heapPath(asset, count, path, sizeof path, message);
    if (status == shOk && worldFileLoad(context, path, asset, &pile->world, NULL) != shOk) {
        shContextDef def = shDefaultContextDef();
        shContext* many; // nobody looks at the clock: as fast as it goes
        Pile fresh = {0};
        def.workerCount = 2;
        status = shCreateContext(&def, &many, message);
        if (status != shOk)
            return status;
        status = heapUp(many, asset, count, &fresh, message);
        if (status == shOk)
            status = worldFileSave(fresh.world, many, path, message);
        pileDestroy(&fresh);
        shDestroyContext(many);
        if (status == shOk)
            status = worldFileLoad(context, path, asset, &pile->world, message);
    }
    if (status != shOk)
        return status;
    pile->bodies = malloc(sizeof(shBodyId) * (size_t)count);
    if (pile->bodies == NULL)
        return failMemory(message);
    for (int i = 0; i < shWorld_GetBodyLimit(pile->world); ++i) {
        shBodyId id = shWorld_GetBodyAt(pile->world, i);
        if (id.generation == 0)
            continue;
        if (shBody_GetType(pile->world, id) == shDynamicBody)
            pile->bodies[pile->count++] = id;
        else // a wall of the bin
            pile->half = maxF(pile->half, fabsf(shBody_GetTransform(pile->world, id).p.x));
    }
    for (int i = 0; i < pile->count; ++i)
        pile->points += (double)pointsOf(pile->world, pile->bodies[i]) / pile->count;
    return shOk;
}

static double meanSpeed(const Pile* pile)
{
    double sum = 0.0;
    for (int i = 0; i < pile->count; ++i)
        sum += (double)vLength(shBody_GetVelocity(pile->world, pile->bodies[i]));
    return sum / pile->count;
}

// Of the smaller body's diameter, the deepest.
static double penetration(const shWorld* world)
{
    double worst = 0.0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        const Body *a = &world->bodies.data[pair->a], *b = &world->bodies.data[pair->b];
        for (int k = 0; k < pair->count; ++k) {
            const Contact* contact = &world->contacts.data[pair->first + k];
            Vec3 normal = qRotate(contact->id >> 31 ? a->transform.q : b->transform.q, contact->normal);
            Vec3 onA = qRotate(a->transform.q, contact->anchorA), onB = qRotate(b->transform.q, contact->anchorB);
            Vec3 apart = vAdd(vFromD(dSub(a->centre, b->centre)), vSub(onA, onB));
            worst = maxD(worst, -(double)vDot(apart, normal) / (2.0 * (double)minF(a->radius, b->radius)));
        }
    }
    return worst;
}

// ---- Bullet ---------------------------------------------------------------------------------------------------------

static shStatus writePieces(const Pile* pile, const char* path, shMessage* message)
{
    int count = pile->count;
    PeerMesh* meshes = calloc((size_t)count + 1, sizeof *meshes);
    PeerPose* poses = calloc((size_t)count, sizeof *poses);
    shPieceMesh* pieces = calloc((size_t)count, sizeof *pieces);
    const shVec3 size[3] = {{pile->half, pile->half, pile->half}};
    const int none[1][3] = {{0, 1, 2}};
    shStatus status = meshes != NULL && poses != NULL && pieces != NULL ? shOk : failMemory(message);
    int made = 0;
    for (; made < count && status == shOk; ++made) {
        int piece;
        const shSolid* solid = shBody_GetSolid(pile->world, pile->bodies[made], &piece);
        status = shSolid_CreatePieceMesh(solid, piece, &pieces[made], message);
        if (status != shOk)
            break;
        meshes[made] = (PeerMesh){pieces[made].vertexCount, pieces[made].triangleCount, pieces[made].positions,
                                  (const int(*)[3])pieces[made].triangles};
        poses[made] = (PeerPose){.a = made, .b = made, .xa = shBody_GetTransform(pile->world, pile->bodies[made])};
        poses[made].xb = poses[made].xa;
    }
    if (status == shOk) {
        meshes[count] = (PeerMesh){3, 1, size, none};
        status = peerWriteFile(path, meshes, count + 1, poses, count, message);
    }
    for (int i = 0; i < made; ++i) {
        int piece;
        shSolid_DestroyPieceMesh(shBody_GetSolid(pile->world, pile->bodies[i], &piece), &pieces[i]);
    }
    free(meshes);
    free(poses);
    free(pieces);
    return status;
}

// Median ms of a step; NaN and a message if there is none.
static double bulletStep(const Pile* pile, double* speed, shMessage* message)
{
    char path[512];
    json_t* lines = NULL;
    shStatus status = cachePath("pile.pieces", path, sizeof path, message);
    if (status == shOk)
        status = writePieces(pile, path, message);
    if (status == shOk)
        status = peerRun("bullet_pile", path, 120.0, &lines, message);
    if (status != shOk)
        return NO_VALUE;
    const json_t *answer = json_array_get(lines, 0), *list = json_object_get(answer, "ms");
    static Samples samples;
    samples.count = 0;
    for (size_t i = 0; i < json_array_size(list); ++i)
        samplesAdd(&samples, json_number_value(json_array_get(list, i)));
    *speed = json_number_value(json_object_get(answer, "speed"));
    json_decref(lines);
    return samplesMedian(&samples);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static shStatus someRows(Bench* bench, const shAsset* asset, shMessage* message)
{
    Pile pile;
    static Samples cpu;
    cpu.count = 0;
    shStatus status = pileOpen(bench->single, asset, bench->tiny ? TINY : SOME, &pile, message);
    if (status == shOk)
        status = run(&pile, bench->tiny ? 2 : TIMED_STEPS, "timed", NULL, &cpu, message);
    if (status == shOk) {
        double ours = samplesMedian(&cpu), speed = meanSpeed(&pile), theirSpeed = 0.0;
        shCounters counters = shWorld_GetCounters(pile.world);
        shMessage why = {""};
        double theirs = bulletStep(&pile, &theirSpeed, &why);
        BenchRow* row = benchRow(bench, "speedup_bullet_1000", theirs / ours, "x", NO_VALUE, ">= 7");
        if (isfinite(theirs))
            benchNote(row, "ours %.2f ms, fragments of %.0f points, %d touching; Bullet %.2f ms, %.1f mm/s", ours,
                      pile.points, counters.touching, theirs, 1e3 * theirSpeed);
        else
            benchNote(row, "%.200s", why.text);
        benchNote(benchRow(bench, "mean_speed_mm_s", 1e3 * speed, "mm/s", NO_VALUE, "<= 1"), "%d pieces after %.0f s",
                  pile.count, (double)(STEP * (float)(FALL_STEPS + SETTLE_STEPS + TIMED_STEPS)));
        benchNote(benchRow(bench, "penetration_pct", 100.0 * penetration(pile.world), "%", NO_VALUE, "<= 0.5"),
                  "the deepest contact, of the smaller piece's diameter");
    }
    pileDestroy(&pile);
    return status;
}

// Milliseconds of a step on so many threads, wall time: the mean of the best block.
static shStatus threaded(const Bench* bench, const shAsset* asset, int count, int threads, double* ms,
                         shMessage* message)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = threads;
    shContext* context;
    Pile pile;
    shStatus status = shCreateContext(&def, &context, message);
    if (status != shOk)
        return status;
    status = pileOpen(context, asset, count, &pile, message);
    *ms = (double)INFINITY;
    for (int block = 0; block < BLOCKS && status == shOk; ++block) {
        static Samples wall;
        wall.count = 0;
        status = run(&pile, bench->tiny ? 1 : BLOCK_STEPS, threads == 1 ? "one thread" : "two threads", &wall, NULL,
                     message);
        *ms = minD(*ms, samplesMean(&wall));
    }
    pileDestroy(&pile);
    shDestroyContext(context);
    return status;
}

// The same heap on one thread and on two. The large one takes too long on one.
static shStatus manyRows(Bench* bench, const shAsset* asset, shMessage* message)
{
    int few = bench->tiny ? TINY : bench->quick ? SOME : MANY, many = bench->tiny ? TINY : MANY;
    double one, two, large;
    shStatus status = threaded(bench, asset, few, 1, &one, message);
    if (status == shOk)
        status = threaded(bench, asset, few, 2, &two, message);
    if (status == shOk && few != many)
        status = threaded(bench, asset, many, 2, &large, message);
    else
        large = two;
    if (status != shOk)
        return status;
    benchNote(benchRow(bench, "ms_9000_2t", large, "ms", NO_VALUE, "<= 60"),
              "best of %d blocks of %d steps, wall time, nothing asleep, load %.1f", BLOCKS, BLOCK_STEPS,
              machineLoad());
    benchNote(benchRow(bench, "thread_speedup", one / two, "x", NO_VALUE, ">= 1.7"),
              "%d pieces: %.2f ms on one thread, %.2f on two", few, one, two);
    return shOk;
}

shStatus benchPile(Bench* bench, shMessage* message)
{
    shAsset* asset;
    shStatus status = cacheModel(bench->context, "box", 0.5f, &asset, message);
    if (status != shOk)
        return status;
    status = someRows(bench, asset, message);
    if (status == shOk)
        status = manyRows(bench, asset, message);
    shDestroyAsset(asset);
    progressClear();
    return status;
}

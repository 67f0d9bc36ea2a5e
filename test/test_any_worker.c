// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Which worker does what, in which order, and what its memory held before are chance: a world must not notice. Here a
// host's hooks play dice with all three, on one thread, so that what goes wrong goes wrong again; every step has to
// have the hash it has when one worker does everything in turn. Other scenes, more dice, and more steps by
//   test_any_worker SCENE DICE [STEPS]
#include "core/quat.h"
#include "core/random.h"
#include "play/play.h"
#include "solid/solid.h"
#include "test/coarse_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/terrain.h" // asserts

enum { WORKERS = 4, DICE = 2, MOST_STEPS = 400, MOST_BLOCKS = 1 << 16, PLATE_BYTES = 1 << 21 };

// ---- a host that plays dice -----------------------------------------------------------------------------------------

typedef struct Host {
    Random random;
    int worker; // that is at work, −1: none
} Host;

static void runAnyhow(shTask* task, int count, int block, void* arg, void* user)
{
    static int order[MOST_BLOCKS];
    Host* host = user;
    int blocks = (count + block - 1) / block;
    bool nested = host->worker >= 0; // goes on as the worker it is called from
    if (nested || blocks > MOST_BLOCKS) {
        for (int begin = 0; begin < count; begin += block)
            task(begin, begin + block < count ? begin + block : count, nested ? host->worker : 0, arg);
        return;
    }
    for (int i = 0; i < blocks; ++i) {
        int k = randomBelow(&host->random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < blocks; ++i) {
        int begin = order[i] * block;
        host->worker = randomBelow(&host->random, WORKERS);
        task(begin, begin + block < count ? begin + block : count, host->worker, arg);
    }
    host->worker = -1;
}

static void* allocDirty(size_t bytes, void* user)
{
    Host* host = user;
    unsigned char* memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    uint64_t bits = randomBits(&host->random);
    for (size_t i = 0; memory != NULL && i < bytes; ++i)
        memory[i] = (unsigned char)(bits >> (i % 8 * 8));
    return memory;
}

static void releaseAny(void* memory, size_t bytes, void* user)
{
    (void)bytes, (void)user;
    free(memory);
}

static shContext* contextOf(Host* host, uint64_t dice)
{
    *host = (Host){randomSeed(dice), -1};
    shContextDef def = shDefaultContextDef();
    if (dice != 0) {
        def.tasks = (shTasks){runAnyhow, WORKERS, host};
        def.allocator = (shAllocator){allocDirty, releaseAny, host};
    }
    shContext* context;
    shMessage message = {""};
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    return context;
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

static int performScene(const BuiltIn* scene, uint64_t dice, int steps, uint64_t* hashes)
{
    Host host;
    shContext* context = contextOf(&host, dice);
    shMessage message = {""};
    Script script;
    Play* play = NULL;
    ScriptChanges changes = {.steps = 0};
    changes.steps = stepsOf(scene->name, &changes);
    if (steps > 0)
        changes.steps = steps;
    shStatus status =
        scriptRead(&script, context, scene->name, (const char*)scene->text, scene->size, &changes, &message);
    if (status == shOk) {
        coarsen(&script);
        status = playCreate(&play, &script, NULL, &message);
    }
    int count = 0;
    while (status == shOk && !playIsOver(play) && count < MOST_STEPS) {
        status = playStep(play, &message);
        hashes[count++] = shWorld_GetHash(playWorld(play));
    }
    if (status != shOk)
        fail_msg("%s", message.text);
    playDestroy(play);
    scriptFree(&script);
    assert_int_equal(shDestroyContext(context), 0);
    return count;
}

// Shards of panes come down on hills, turning: fast, thin, swept all the time.
static int performShards(uint64_t dice, int steps, uint64_t* hashes)
{
    Host host;
    shContext* context = contextOf(&host, dice);
    shMessage message = {""};
    Random random = randomSeed(7);
    Mesh hills = terrainOf(&random, 12, 3.0f, 0.2f, 0.2f);
    shScenery* scenery = sceneryOf(context, &hills, 0.1f);
    meshFree(&hills);
    shAsset* pane;
    shWorld* world;
    shWorldDef def = shDefaultWorldDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCookModel(context, "pane", 0.4f, &cook, &pane, &message), shOk);
    assert_int_equal(shCreateWorld(context, &def, &world, &message), shOk);
    shBodyDef body = shDefaultBodyDef();
    body.type = shStaticBody;
    body.scenery = scenery;
    shBodyId id;
    assert_int_equal(shCreateBody(world, &body, &id, &message), shOk);
    for (int i = 0; i < 2; ++i) {
        body = shDefaultBodyDef();
        body.asset = pane;
        assert_int_equal(shCreateBody(world, &body, &id, &message), shOk);
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = 24;
        pattern.seed = (uint64_t)i;
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.3f, 0.0f));
        shBodyBreak broken;
        assert_int_equal(shBody_Break(world, id, &pattern, &impact, &broken, &message), shOk);
        shBodyId made[64];
        int pieces = broken.bodyCount < 64 ? broken.bodyCount : 64;
        memcpy(made, broken.bodies, sizeof *made * (size_t)pieces);
        for (int k = 0; k < pieces; ++k) {
            shTransform at = {randomInBox(&random, (shBox){{-1.0f, 2.0f, -1.0f}, {1.0f, 2.5f, 1.0f}}),
                              randomRotation(&random)};
            Vec3 turn = vFromD(randomVector(&random, 30.0));
            assert_int_equal(shBody_SetTransform(world, made[k], at, &message), shOk);
            assert_int_equal(shBody_SetVelocity(world, made[k], vec3(0.0f, -8.0f, 0.0f), turn, &message), shOk);
        }
    }
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(shWorld_Step(world, 1.0f / 30.0f, &message), shOk);
        hashes[i] = shWorld_GetHash(world);
    }
    shDestroyWorld(world);
    shDestroyScenery(scenery);
    shDestroyAsset(pane);
    assert_int_equal(shDestroyContext(context), 0);
    return steps;
}

static int perform(const char* name, uint64_t dice, int steps, uint64_t* hashes)
{
    if (strcmp(name, "shards") == 0)
        return performShards(dice, steps > 0 ? steps : 40, hashes);
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene) {
        if (strcmp(scene->name, name) == 0)
            return performScene(scene, dice, steps, hashes);
    }
    fail_msg("there is no scene %s", name);
    return 0;
}

static bool compare(const char* name, int dice, int steps)
{
    static uint64_t plain[MOST_STEPS], diced[MOST_STEPS];
    steps = minI(steps, MOST_STEPS);
    int count = perform(name, 0, steps, plain);
    for (int k = 1; k <= dice; ++k) {
        assert_int_equal(perform(name, (uint64_t)k, steps, diced), count);
        for (int i = 0; i < count; ++i) {
            if (plain[i] == diced[i])
                continue;
            printf("%s: step %d of %d differs with dice %d\n", name, i, count, k);
            return false;
        }
    }
    return true;
}

// What workers that share in one break leave behind.
static int breakPlate(uint64_t dice, unsigned char* bytes)
{
    Host host;
    shContext* context = contextOf(&host, dice);
    shMessage message = {""};
    shCookDef cook = shDefaultCookDef();
    shAsset* plate;
    shSolid* solid;
    assert_int_equal(shCookModel(context, "plate", 0.7f, &cook, &plate, &message), shOk);
    assert_int_equal(shCreateSolid(plate, &solid, &message), shOk);
    unsigned char* at = bytes;
    for (int time = 0; time < 2; ++time) { // then its first piece again, whose edges have a place
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = 20;
        shImpact impact = shDefaultImpact(vec3(0.0f, 0.0f, 0.0f));
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, &message), shOk);
        const FragmentField* field = &solid->field;
        for (int i = 0; i < field->pieces.count; ++i) {
            const Piece* piece = &field->pieces.data[i];
            shPieceInfo info = shSolid_GetPiece(solid, i);
            EdgeSet edges = fieldEdges(field, i);
            SupportMap map = fieldSupport(field, i);
            assert_true(at - bytes < PLATE_BYTES - (1 << 15));
            memcpy(at, &info.volume, sizeof info.volume), at += sizeof info.volume;
            memcpy(at, info.centre, sizeof info.centre), at += sizeof info.centre;
            memcpy(at, info.inertia, sizeof info.inertia), at += sizeof info.inertia;
            memcpy(at, &piece->edgeRow, sizeof piece->edgeRow), at += sizeof piece->edgeRow;
            memcpy(at, &piece->hull.supportRow, sizeof piece->hull.supportRow), at += sizeof piece->hull.supportRow;
            memcpy(at, piece->hull.planes, sizeof(HullPlane) * (size_t)piece->hull.count);
            at += sizeof(HullPlane) * (size_t)piece->hull.count;
            size_t size = sizeof(float) * (size_t)(edgeRows * edges.room);
            memcpy(at, edges.rows, size), at += size;
            size = sizeof(float) * (size_t)(3 * map.room);
            memcpy(at, map.vertices, size), at += size;
            size = map.heights != NULL ? sizeof(float) * supportHeights : 0;
            memcpy(at, map.heights != NULL ? map.heights : map.vertices, size), at += size;
        }
    }
    shDestroySolid(solid);
    shDestroyAsset(plate);
    assert_int_equal(shDestroyContext(context), 0);
    return (int)(at - bytes);
}

static void a_break_is_the_same_whoever_shares_in_it(void** state)
{
    (void)state;
    static unsigned char plain[PLATE_BYTES], diced[PLATE_BYTES];
    int count = breakPlate(0, plain);
    for (int k = 1; k <= DICE; ++k) {
        assert_int_equal(breakPlate((uint64_t)k, diced), count);
        assert_memory_equal(plain, diced, (size_t)count);
    }
}

static void nothingDependsOnWhoDoesWhat(void** state)
{
    (void)state;
    static const char* const names[] = {"shards", "plates", "bricks", "china-shop", "glass", "rain"};
    bool same = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        same = compare(names[i], DICE, 0) && same;
    assert_true(same);
}

int main(int count, char** arguments)
{
    if (count >= 3)
        return compare(arguments[1], atoi(arguments[2]), count > 3 ? atoi(arguments[3]) : 0) ? 0 : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_break_is_the_same_whoever_shares_in_it),
                                       cmocka_unit_test(nothingDependsOnWhoDoesWhat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Endless rain: things come down for ever, break, and break again; debris goes when it is old or too much. Memory stays
// flat and no mass is lost. 400 steps as a test; `make soak` does a hundred thousand:
//   test_rain --steps 100000
#include "core/random.h"
#include "dynamics/world.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { modelCount = 4, EVERY = 40, MOST_AGE = 240, DEBRIS = 14 };
static const char* const models[modelCount] = {"brick", "plate", "bowl", "sphere"};

static shContext* context;
static shAsset* assets[modelCount];
static int steps = 400;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shBodyId add(shWorld* world, const shBodyDef* def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(world, def, &id, &message), &message);
    return id;
}

static shWorld* landscape(void)
{
    shMessage message = {""};
    shWorldDef def = shDefaultWorldDef();
    def.debrisVolume = 1.0; // all that has broken off
    def.debrisAge = 1.5f;
    def.debrisLimit = DEBRIS;
    def.breakBudget = 2000;
    shWorld* world;
    check(shCreateWorld(context, &def, &world, &message), &message);
    shShape plane = {.type = shPlaneShape};
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &plane;
    add(world, &ground);
    shShape block = {.type = shBoxShape, .halfExtent = {0.1f, 0.15f, 0.1f}};
    ground.shape = &block;
    for (int i = 0; i < 4; ++i) {
        ground.transform.p = vec3(i % 2 ? 0.4f : -0.4f, 0.15f, i / 2 ? 0.4f : -0.4f);
        add(world, &ground);
    }
    return world;
}

static shBodyId drop(shWorld* world, Random* random)
{
    int model = randomBelow(random, modelCount);
    shFractureDef fracture = shDefaultFractureDef((shPatternType)randomBelow(random, shPatternTypeCount));
    fracture.pattern.pieces = 2 + randomBelow(random, 4);
    fracture.pattern.seed = randomBits(random);
    fracture.factor = 0.3;
    fracture.smallest = 0.08 * shAsset_GetInfo(assets[model]).volume;
    fracture.dustVolume = 0.02 * shAsset_GetInfo(assets[model]).volume;
    fracture.damage = randomBelow(random, 2) == 0;
    shBodyDef body = shDefaultBodyDef();
    body.asset = assets[model];
    body.fracture = &fracture;
    body.transform.p = vec3(randomRange(random, -0.6f, 0.6f), 1.5f, randomRange(random, -0.6f, 0.6f));
    body.transform.q = randomRotation(random);
    body.velocity = vec3(0.0f, -randomRange(random, 3.0f, 12.0f), 0.0f);
    return add(world, &body);
}

static double aliveMass(const shWorld* world)
{
    double mass = 0.0;
    for (int i = 0; i < world->bodies.count; ++i) {
        const Body* body = &world->bodies.data[i];
        if (idPoolAt(&world->ids, i).generation == 0)
            continue;
        assert_true(dFinite(body->centre) && vFinite(body->velocity) && vFinite(body->angular));
        mass += body->mass;
    }
    return mass;
}

static long residentBytes(void)
{
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

// Whatever has not broken after some seconds is taken away by hand.
typedef struct Whole {
    shBodyId id;
    int since;
} Whole;

static void endless_rain_keeps_mass_and_takes_no_more_memory(void** state)
{
    (void)state;
    shWorld* world = landscape();
    Random random = randomSeed(4);
    Whole whole[MOST_AGE / EVERY + 2];
    int wholeCount = 0, arrivals = 0, mostBodies = 0;
    double created = 0.0, taken = 0.0, worst = 0.0;
    int64_t peak[4] = {0}; // of each quarter
    long resident[4] = {0};
    for (int i = 0; i < steps; ++i) {
        shMessage message = {""};
        if (i % EVERY == 0) {
            shBodyId id = drop(world, &random);
            created += shBody_GetMass(world, id);
            whole[wholeCount++] = (Whole){id, i};
            ++arrivals;
        }
        check(shWorld_Step(world, 1.0f / 60.0f, &message), &message);
        int kept = 0;
        for (int k = 0; k < wholeCount; ++k) {
            const Body* body = worldBody(world, whole[k].id);
            if (body == NULL || body->age >= 0.0f)
                continue; // gone, or broken: debris
            if (i - whole[k].since < MOST_AGE) {
                whole[kept++] = whole[k];
                continue;
            }
            taken += body->mass;
            check(shDestroyBody(world, whole[k].id, &message), &message);
        }
        wholeCount = kept;
        shCounters counters = shWorld_GetCounters(world);
        int quarter = (int)(4 * (int64_t)i / steps);
        peak[quarter] = counters.bytes > peak[quarter] ? counters.bytes : peak[quarter];
        mostBodies = maxI(mostBodies, counters.bodies);
        assert_true(counters.debris <= DEBRIS);
        if (i % 50 != 0 && i != steps - 1)
            continue;
        long now = residentBytes();
        resident[quarter] = now > resident[quarter] ? now : resident[quarter];
        double sum = aliveMass(world) + counters.dustMass + counters.removedMass + taken;
        worst = maxD(worst, fabs(sum - created) / created);
        if (fabs(sum - created) > 1e-6 * created)
            fail_msg("step %d: %.12g kg alive, dust or removed, of %.12g", i, sum, created);
    }
    shCounters counters = shWorld_GetCounters(world);
    printf("  %d steps: %d things, %lld breaks, %d bodies at most; mass off by %.2g of all (%.3g kg: dust %.3g, debris "
           "%.3g, whole %.3g)\n",
           steps, arrivals, (long long)counters.breaks, mostBodies, worst, created, counters.dustMass,
           counters.removedMass, taken);
    printf("  memory by quarters: %.2f %.2f %.2f %.2f MB in the world, %.1f %.1f %.1f %.1f MB resident\n",
           1e-6 * (double)peak[0], 1e-6 * (double)peak[1], 1e-6 * (double)peak[2], 1e-6 * (double)peak[3],
           1e-6 * (double)resident[0], 1e-6 * (double)resident[1], 1e-6 * (double)resident[2],
           1e-6 * (double)resident[3]);
    assert_true(counters.breaks > steps / 30);
    assert_true(counters.dustMass > 0.0 && counters.removedMass > 0.0);
    if (steps >= 20000) { // long enough for peaks to be alike
        assert_true((double)peak[3] <= 1.1 * (double)maxD((double)peak[0], (double)peak[1]));
        assert_true((double)resident[3] <= 1.1 * (double)maxD((double)resident[0], (double)resident[1]));
    }
    // Without rain all of it goes, and with it every solid; what still rocks may break once more, and is young again.
    for (int k = 0; k < wholeCount; ++k)
        shDestroyBody(world, whole[k].id, NULL);
    for (int i = 0; i < 300; ++i) {
        shMessage message = {""};
        check(shWorld_Step(world, 1.0f / 60.0f, &message), &message);
    }
    assert_int_equal(shWorld_GetCounters(world).bodies, 5);
    assert_int_equal(shWorld_GetCounters(world).solids, 0);
    shDestroyWorld(world);
}

// A solid broken again and again takes no more than its mesh allows: labels, cuts and facets are reused or bounded.
static void a_solid_in_the_smallest_pieces_is_bounded(void** state)
{
    (void)state;
    shMessage message = {""};
    shSolid* solid;
    shAsset* asset;
    shCookDef cook = shDefaultCookDef();
    check(shCookModel(context, "brick", 1.0f, &cook, &asset, &message), &message);
    check(shCreateSolid(asset, &solid, &message), &message);
    Random random = randomSeed(6);
    int64_t most = 0, before = 0;
    int breaks = 0, failed = 0;
    for (int i = 0; i < 4000 && failed < 400; ++i) {
        int piece = randomBelow(&random, shSolid_GetPieceCount(solid));
        if (!shSolid_HasPiece(solid, piece)) {
            ++failed;
            continue;
        }
        shPattern pattern = shDefaultPattern(shUniformPattern);
        pattern.pieces = 4;
        pattern.smallest = 1e-12f; // every crumb becomes a piece
        pattern.seed = randomBits(&random);
        shImpact impact = shDefaultImpact(boxCenter(fieldBox(&solid->field, piece)));
        shBreak broken;
        check(shSolid_BreakPattern(solid, piece, &pattern, &impact, &broken, &message), &message);
        breaks += broken.pieceCount > 1;
        failed = broken.pieceCount > 1 ? 0 : failed + 1;
        if (randomBelow(&random, 3) == 0 && shSolid_GetPieceCount(solid) > 2 && solid->field.labels != NULL)
            check(shSolid_RemovePiece(solid, piece, &message), &message);
        most = shSolid_GetBytes(solid) > most ? shSolid_GetBytes(solid) : most;
        if (i == 300)
            before = most;
    }
    int nodes = shAsset_GetInfo(asset).pointCount;
    printf("  %d breaks, %d labels of %d nodes, %.0f bytes per node (%.0f after 300)\n", breaks,
           shSolid_GetPieceCount(solid), nodes, (double)most / nodes, (double)before / nodes);
    assert_true(shSolid_GetPieceCount(solid) <= nodes);
    assert_true((double)most / nodes < 7500.0); // 1,500 of them for sharp edges
    shDestroySolid(solid);
    shDestroyAsset(asset);
}

static int setUp(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    check(shCreateContext(&def, &context, &message), &message);
    shCookDef cook = shDefaultCookDef();
    for (int i = 0; i < modelCount; ++i)
        check(shCookModel(context, models[i], 0.5f, &cook, &assets[i], &message), &message);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    for (int i = 0; i < modelCount; ++i)
        shDestroyAsset(assets[i]);
    return shDestroyContext(context) == 0 ? 0 : -1;
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--steps") == 0)
        steps = maxI(1, atoi(argv[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_rain_keeps_mass_and_takes_no_more_memory),
        cmocka_unit_test(a_solid_in_the_smallest_pieces_is_bounded),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Random breaks of many models, up to three generations each, on all cores. Whatever is hit, wherever and however,
// every fragment must be the surface of a solid. 300 breaks as a test; `make soak` does ten thousand:
//   test_soak --breaks 10000    that many
//   test_soak --chain 123       one chain of breaks again, by its number, with all checks
//   test_soak --assets FILE…    a break of each asset and one of the random chains; a line of JSON each
// With --coarse before, on the test's smaller models.
#include "core/quat.h"
#include "core/random.h"
#include "fracture/pattern.h"
#include "sherd/fragments.h"
#include "solid/solid.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/manifold.h"

enum { TEST_BREAKS = 300, GENERATIONS = 3, MOST_PIECES = 200, EXACT_EVERY = 8, MOST_THREADS = 64 };

typedef struct Model {
    const char* name;
    float detail;
} Model;

enum { MODELS = 8 };
static const Model fineModels[MODELS] = {{"plate", 1.0f},      {"brick", 2.0f}, {"pillar", 1.0f}, {"sphere", 1.5f},
                                         {"piggy-bank", 1.0f}, {"pane", 0.75f}, {"table", 1.0f},  {"rabbit", 1.0f}};
// For the test: small ones, which need little time to cook.
static const Model coarseModels[MODELS] = {{"plate", 0.5f}, {"brick", 1.0f}, {"pillar", 0.5f}, {"sphere", 1.0f},
                                           {"bowl", 0.5f},  {"pane", 0.25f}, {"table", 0.5f},  {"torus", 0.5f}};

typedef struct Totals {
    long breaks, pieces, exact, triangles, failures;
    int most; // pieces of one solid
} Totals;

typedef struct Soak {
    const Model* models; // [MODELS]
    shAsset* assets[MODELS];
    int firstChain, lastChain, breaks; // chains until there are so many breaks
    bool allExact;
    atomic_int nextChain;
    atomic_long doneBreaks;
    pthread_mutex_t mutex; // around totals and output
    Totals totals;
} Soak;

// ---- one chain ------------------------------------------------------------------------------------------------------

// Any pattern at any place in or near the piece.
static shStatus breakAtRandom(shSolid* solid, int piece, Random* random, shBreak* result, shMessage* message)
{
    shBox box = fieldBox(&solid->field, piece);
    float size = vLength(boxSize(box));
    shPattern pattern = shDefaultPattern((shPatternType)randomBelow(random, shPatternTypeCount));
    shImpact impact = shDefaultImpact(randomInBox(random, boxGrow(box, 0.1f * size)));
    pattern.seed = randomBits(random);
    pattern.pieces = 2 + randomBelow(random, 1 + randomBelow(random, MOST_PIECES - 1)); // few more often than many
    if (randomBelow(random, 2))
        pattern.rough = randomFloat(random);
    if (randomBelow(random, 3) == 0)
        pattern.grain = vFromD(randomDirection(random));
    if (randomBelow(random, 3) == 0)
        pattern.smallest = 1e-12f;   // every crumb becomes a piece
    if (randomBelow(random, 3) == 0) // of the piece's size, but there is a limit to bricks in the whole asset
        pattern.brick = vScale(maxF(size, 0.2f * vLength(boxSize(solid->asset->box))), vec3(0.2f, 0.1f, 0.1f));
    if (randomBelow(random, 2))
        impact.direction = vFromD(randomDirection(random));
    if (randomBelow(random, 3) == 0)
        impact.radius = randomRange(random, 0.05f, 0.6f) * size;
    if (randomBelow(random, 3) == 0)
        impact.scale = randomRange(random, 0.1f, 2.0f);
    return shSolid_BreakPattern(solid, piece, &pattern, &impact, result, message);
}

typedef struct Fault {
    const char* what;
    int generation, piece, pair[2];
    shMessage message;
} Fault;

// What is wrong with a piece's surface, or null.
static const char* checkPiece(const shSolid* solid, int piece, bool exact, Totals* totals, int pair[2])
{
    Surface s = surfaceOf(&solid->field, piece);
    shPieceInfo info = shSolid_GetPiece(solid, piece);
    Welded mesh = weld(&s);
    double volume = volumeOf(&s);
    const char* wrong = s.count == 0 ? "a piece is empty" : manifoldFault(&mesh);
    ++totals->pieces;
    totals->triangles += s.count;
    if (wrong == NULL && !(volume > 0.0 && info.volume > 0.0 && info.mass > 0.0))
        wrong = "a piece is inverted or has no volume";
    if (wrong == NULL && !(fabs(volume - info.volume) <= 1e-5 * volume + 1e-9 * shSolid_GetPiece(solid, 0).volume))
        wrong = "a piece's volume is not that of its surface";
    if (wrong == NULL && exact) {
        wrong = intersectionFault(&s, pair);
        ++totals->exact;
    }
    free(mesh.triangles);
    free(s.triangles);
    return wrong;
}

// ---- motion ---------------------------------------------------------------------------------------------------------

static DVec3 vectorOf(const double v[3]) { return dvec3(v[0], v[1], v[2]); }

// Momentum of a body that moves and turns, about a point; and what errors are measured against, m|v| and |r × mv|.
typedef struct Motion {
    DVec3 linear, angular;
    double linearScale, angularScale, energy;
} Motion;

static void addMotion(Motion* sum, const shPieceInfo* info, shTransform transform, const shVelocity* velocity,
                      DVec3 about)
{
    DVec3 axes[3], v = vectorOf(velocity->linear), w = vectorOf(velocity->angular), spin = {0.0, 0.0, 0.0};
    DQuat q = dqNormalize(dqFromQ(transform.q));
    for (int k = 0; k < 3; ++k)
        axes[k] = dqRotate(q, dAxis(k));
    const double own[3] = {dDot(axes[0], w), dDot(axes[1], w), dDot(axes[2], w)};
    for (int k = 0; k < 3; ++k)
        spin = dAdd(spin, dScale(dDot(vectorOf(info->inertia[k]), vectorOf(own)), axes[k]));
    DVec3 centre = dAdd(dFromV(transform.p), dqRotate(q, vectorOf(info->centre)));
    DVec3 orbit = dCross(dSub(centre, about), dScale(info->mass, v));
    sum->linear = dAdd(sum->linear, dScale(info->mass, v));
    sum->angular = dAdd(sum->angular, dAdd(orbit, spin));
    sum->linearScale += info->mass * dLength(v);
    sum->angularScale += dLength(orbit) + dLength(spin);
    sum->energy += 0.5 * (info->mass * dDot(v, v) + dDot(spin, w));
}

static void putInBall(Random* random, double size, double vector[3])
{
    DVec3 v = randomInBall(random);
    vector[0] = size * v.x;
    vector[1] = size * v.y;
    vector[2] = size * v.z;
}

// Lets the broken body fly, turn and be hit; some pieces become dust. What is wrong with momentum or energy, or null.
// New crack points are rounded to floats of the rest frame. That is what limits how well a small fragment's parts add
// up to it: volumes are compared with the whole solid's, and levers begin at the rest frame's origin.
static const char* checkMotion(shSolid* solid, const shPieceInfo* body, const shBreak* broken, Random* random,
                               double* dust, Fault* fault)
{
    shVelocity velocity;
    putInBall(random, 10.0, velocity.linear);
    putInBall(random, 20.0, velocity.angular);
    Vec3 place = randomInBox(random, (shBox){{-5.0f, -5.0f, -5.0f}, {5.0f, 5.0f, 5.0f}});
    shFragmentDef def = shDefaultFragmentDef((shTransform){place, randomRotation(random)}, &velocity);
    shGetCentre(body, def.transform, def.blow.point);
    bool hit = randomBelow(random, 2);
    if (hit)
        putInBall(random, 2.0 * body->mass, def.blow.impulse);
    def.blow.reach = randomRange(random, 0.0f, 0.5f) * vLength(boxSize(body->box));
    if (randomBelow(random, 3) == 0)
        def.dustVolume = 0.5 * body->volume / broken->pieceCount;
    shFragment* fragments = calloc((size_t)broken->pieceCount, sizeof(shFragment));
    shFragments made = {0};
    if (shSolid_MakeFragments(solid, body, broken, &def, fragments, &made, &fault->message) != shOk) {
        free(fragments);
        return "no fragments";
    }
    DVec3 about = dFromV(def.transform.p), impulse = dScale(made.share, vectorOf(def.blow.impulse));
    Motion before = {0}, after = {0};
    addMotion(&before, body, def.transform, &velocity, about);
    before.linear = dAdd(before.linear, impulse);
    before.angular = dAdd(before.angular, dCross(dSub(vectorOf(def.blow.point), about), impulse));
    double volume = 0.0, dustMass = 0.0;
    for (int i = 0; i < broken->pieceCount; ++i) {
        addMotion(&after, &fragments[i].info, def.transform, &fragments[i].velocity, about);
        volume += fragments[i].info.volume;
        dustMass += fragments[i].dust ? fragments[i].info.mass : 0.0;
    }
    free(fragments);
    *dust += made.dustVolume;
    if (!(fabs(volume - body->volume) < 1e-6 * shAsset_GetInfo(solid->asset).volume))
        return "volumes with dust do not add up";
    if (!(fabs(dustMass - made.dustMass) <= 1e-9 * body->mass))
        return "the mass of dust is booked wrongly";
    if (!(dDistance(before.linear, after.linear) <= 1e-6 * after.linearScale))
        return "linear momentum is lost";
    if (!(dDistance(before.angular, after.angular) <= 1e-6 * after.angularScale))
        return "angular momentum is lost";
    if (!(after.energy <= (before.energy + made.work) * (1.0 + 1e-9)))
        return "there is more energy than before";
    return NULL;
}

// ---- a chain of breaks ----------------------------------------------------------------------------------------------

static double volumeOfPieces(const shSolid* solid, const int* pieces, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += shSolid_GetPiece(solid, pieces[i]).volume;
    return sum;
}

static int randomPiece(const shSolid* solid, Random* random)
{
    int piece;
    do
        piece = randomBelow(random, shSolid_GetPieceCount(solid));
    while (!shSolid_HasPiece(solid, piece));
    return piece;
}

// Breaks a solid up to three times, from one seed; false with a fault.
static bool runChain(const shAsset* asset, int chain, bool exact, Totals* totals, Fault* fault)
{
    Random random = randomSeedItem(2026, (uint64_t)chain);
    shSolid* solid = NULL;
    *fault = (Fault){.what = shCreateSolid(asset, &solid, &fault->message) == shOk ? NULL : "no solid"};
    int generations = 1 + randomBelow(&random, GENERATIONS);
    double whole = shAsset_GetInfo(asset).volume, dust = 0.0;
    for (int g = 0; g < generations && fault->what == NULL; ++g) {
        int count = shSolid_GetPieceCount(solid), piece = randomPiece(solid, &random);
        shPieceInfo body = shSolid_GetPiece(solid, piece);
        shBreak result = {0};
        fault->generation = g;
        ++totals->breaks;
        if (breakAtRandom(solid, piece, &random, &result, &fault->message) != shOk)
            fault->what = "the break failed";
        else if (shSolid_GetPieceCount(solid) != count + result.pieceCount - 1)
            fault->what = "the count of pieces is wrong";
        else if (!(fabs(volumeOfPieces(solid, result.pieces, result.pieceCount) - body.volume) < 1e-6 * whole))
            fault->what = "the volumes do not add up";
        for (int i = 0; i < result.pieceCount && fault->what == NULL; ++i) {
            fault->piece = result.pieces[i];
            fault->what = checkPiece(solid, result.pieces[i], exact, totals, fault->pair);
        }
        if (fault->what == NULL)
            fault->what = checkMotion(solid, &body, &result, &random, &dust, fault);
    }
    totals->most = maxI(totals->most, solid != NULL ? shSolid_GetPieceCount(solid) : 0);
    if (fault->what == NULL) {
        double sum = dust;
        for (int i = 0; i < shSolid_GetPieceCount(solid); ++i)
            sum += shSolid_GetPiece(solid, i).volume;
        if (!(fabs(sum - whole) < 1e-6 * whole))
            fault->what = "the volumes of all pieces and dust do not add up";
    }
    shDestroySolid(solid);
    return fault->what == NULL;
}

// ---- many chains ----------------------------------------------------------------------------------------------------

static void addTotals(Soak* soak, const Totals* totals)
{
    soak->totals.breaks += totals->breaks;
    soak->totals.pieces += totals->pieces;
    soak->totals.exact += totals->exact;
    soak->totals.triangles += totals->triangles;
    soak->totals.failures += totals->failures;
    soak->totals.most = maxI(soak->totals.most, totals->most);
}

static void* soakThread(void* argument)
{
    Soak* soak = argument;
    for (;;) {
        int chain = atomic_fetch_add(&soak->nextChain, 1);
        if (chain > soak->lastChain || atomic_load(&soak->doneBreaks) >= soak->breaks)
            return NULL;
        Totals totals = {0};
        Fault fault;
        bool exact = soak->allExact || chain / MODELS % EXACT_EVERY == 0; // every so many of each model
        bool fine = runChain(soak->assets[chain % MODELS], chain, exact, &totals, &fault);
        totals.failures = !fine;
        long done = atomic_fetch_add(&soak->doneBreaks, totals.breaks) + totals.breaks;
        pthread_mutex_lock(&soak->mutex);
        addTotals(soak, &totals);
        if (!fine)
            printf("%s: %s (generation %d, piece %d, triangles %d and %d) %s\n  again: test_soak %s--chain %d\n",
                   soak->models[chain % MODELS].name, fault.what, fault.generation + 1, fault.piece, fault.pair[0],
                   fault.pair[1], fault.message.text, soak->models == fineModels ? "" : "--coarse ", chain);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%ld breaks, %ld failures ", done, soak->totals.failures);
        pthread_mutex_unlock(&soak->mutex);
    }
}

// Returns the number of failures.
static long runSoak(Soak* soak)
{
    shContextDef def = shDefaultContextDef();
    shContext* context;
    shMessage message;
    struct timespec start, end;
    if (shCreateContext(&def, &context, &message) != shOk)
        return 1;
    for (int m = 0; m < MODELS; ++m) {
        shCookDef cook = shDefaultCookDef();
        bool needed = soak->firstChain != soak->lastChain || soak->firstChain % MODELS == m;
        const Model* model = &soak->models[m];
        if (needed && shCookModel(context, model->name, model->detail, &cook, &soak->assets[m], &message) != shOk) {
            printf("%s: %s\n", model->name, message.text);
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    atomic_init(&soak->nextChain, soak->firstChain);
    pthread_mutex_init(&soak->mutex, NULL);
    pthread_t threads[MOST_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threadCount = 0;
    for (; threadCount < MOST_THREADS && threadCount < cores; ++threadCount)
        if (pthread_create(&threads[threadCount], NULL, soakThread, soak) != 0)
            break;
    for (int i = 0; i < threadCount; ++i)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&soak->mutex);
    clock_gettime(CLOCK_MONOTONIC, &end);
    for (int m = 0; m < MODELS; ++m)
        shDestroyAsset(soak->assets[m]);
    const Totals* totals = &soak->totals;
    long leaked = (long)shDestroyContext(context);
    printf("%s%ld breaks of %d models, %ld fragments (%ld triangles; up to %d pieces of one), %ld of them tested for "
           "self-intersection, %ld failures, %.0f s\n",
           isatty(STDERR_FILENO) ? "\n" : "", totals->breaks, MODELS, totals->pieces, totals->triangles, totals->most,
           totals->exact, totals->failures,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    return totals->failures + (leaked != 0) + (threadCount == 0);
}

// ---- assets from files
// -----------------------------------------------------------------------------------------------

// One break of the whole into a dozen pieces by a plain pattern, with all checks.
static const char* breakPlainly(const shAsset* asset, Totals* totals, Fault* fault)
{
    shSolid* solid;
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = 12;
    shBox box = shAsset_GetInfo(asset).box;
    shImpact impact = shDefaultImpact(vScale(0.5f, vAdd(box.lower, box.upper)));
    shBreak result = {0};
    if (shCreateSolid(asset, &solid, &fault->message) != shOk)
        return "no solid";
    const char* wrong = checkPiece(solid, 0, true, totals, fault->pair);
    if (wrong != NULL) {
        fault->generation = -1; // the mesh itself
        shDestroySolid(solid);
        return wrong;
    }
    if (shSolid_BreakPattern(solid, 0, &pattern, &impact, &result, &fault->message) != shOk)
        wrong = "the break failed";
    double whole = shAsset_GetInfo(asset).volume, sum = volumeOfPieces(solid, result.pieces, result.pieceCount);
    if (wrong == NULL && !(fabs(sum - whole) < 1e-6 * whole))
        wrong = "the volumes do not add up";
    for (int i = 0; i < result.pieceCount && wrong == NULL; ++i) {
        fault->piece = result.pieces[i];
        wrong = checkPiece(solid, result.pieces[i], true, totals, fault->pair);
    }
    totals->breaks += 1;
    totals->most = result.pieceCount;
    shDestroySolid(solid);
    return wrong;
}

// Returns the number of assets with a fault.
static int soakAssets(int count, char** paths)
{
    int failures = 0;
    for (int i = 0; i < count; ++i) {
        shContextDef def = shDefaultContextDef();
        shContext* context;
        shAsset* asset = NULL;
        Totals totals = {0};
        Fault fault = {0};
        if (shCreateContext(&def, &context, &fault.message) != shOk)
            return count;
        if (shLoadAsset(context, paths[i], &asset, &fault.message) != shOk)
            fault.what = "it cannot be loaded";
        else
            fault.what = breakPlainly(asset, &totals, &fault);
        int pieces = totals.most;
        if (fault.what == NULL)
            runChain(asset, i, true, &totals, &fault);
        shDestroyAsset(asset);
        if (shDestroyContext(context) != 0 && fault.what == NULL)
            fault.what = "memory is kept";
        failures += fault.what != NULL;
        printf("{\"asset\": \"%s\", \"pieces\": %d, \"breaks\": %ld, \"checked\": %ld, \"fault\": ", paths[i], pieces,
               totals.breaks, totals.pieces);
        if (fault.what == NULL)
            printf("null}\n");
        else
            printf("\"%s%s (piece %d, triangles %d and %d) %s\"}\n", fault.generation < 0 ? "whole: " : "", fault.what,
                   fault.piece, fault.pair[0], fault.pair[1], fault.message.text);
        fflush(stdout);
    }
    return failures;
}

static void three_hundred_random_breaks_leave_only_solids(void** unused)
{
    (void)unused;
    Soak soak = {.models = coarseModels, .lastChain = INT32_MAX - MOST_THREADS, .breaks = TEST_BREAKS};
    assert_int_equal(runSoak(&soak), 0);
    assert_true(soak.totals.breaks >= TEST_BREAKS && soak.totals.exact >= 500);
}

// ---- the checks themselves ------------------------------------------------------------------------------------------

static int signOf(__int128 x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// On small whole numbers, where 128 bits hold everything.
static void exact_signs_are_those_of_whole_numbers(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    int flat = 0;
    for (int round = 0; round < 60000; ++round) {
        int64_t at[4][3];
        Vec3 p[4];
        int bits = 2 + randomBelow(&random, 23);
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k)
                at[i][k] = randomBelow(&random, 2 << bits) - (1 << bits);
        if (round % 3 == 0) { // in the plane of the others, or nearly
            int u = randomBelow(&random, 5), v = randomBelow(&random, 5);
            for (int k = 0; k < 3; ++k)
                at[3][k] = at[0][k] + (u * (at[1][k] - at[0][k]) + v * (at[2][k] - at[0][k])) / 4;
        }
        float scale = round % 2 ? 1.0f : 0x1p-40f;
        for (int i = 0; i < 4; ++i) {
            p[i] = vScale(scale, vec3((float)at[i][0], (float)at[i][1], (float)at[i][2]));
            for (int k = 0; k < 3; ++k)
                at[i][k] = (int64_t)(vGet(p[i], k) / scale); // what a float holds of it
        }
        __int128 m[3][3], det = 0;
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k)
                m[r][k] = at[r][k] - at[3][k];
        for (int k = 0; k < 3; ++k)
            det += m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]);
        assert_int_equal(exactOrient3(p[0], p[1], p[2], p[3]), signOf(det));
        flat += det == 0;
        for (int axis = 0; axis < 3; ++axis) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            __int128 area = m[0][u] * m[1][v] - m[0][v] * m[1][u];
            assert_int_equal(exactOrient2(p[0], p[1], p[3], axis), signOf(area));
        }
    }
    assert_true(flat > 300);
}

// Differences that no double holds: two corners a hair's breadth apart, far from the third.
static void exact_signs_see_what_doubles_lose(void** unused)
{
    (void)unused;
    const Vec3 a = {1.0f, 1.0f, 1.0f}, b = {0x1p-100f, 0.0f, 0.0f}, c = {0.0f, 0x1p-100f, 0.0f}, o = {0.0f, 0.0f, 0.0f};
    // b c o span the plane z = 0 and a is above it; a shift by far less than a double's last bit is still seen.
    assert_int_equal(exactOrient3(a, b, c, o), 1);
    assert_int_equal(exactOrient2(vec3(1.0f, 1.0f, 0.0f), vec3(0x1p-80f, 0x1p-80f, 0.0f), o, 2), 0);
    assert_int_equal(exactOrient2(vec3(1.0f, 1.0f, 0.0f), vec3(0x1p-80f, 0x1.000002p-80f, 0.0f), o, 2), 1);
    assert_int_equal(exactOrient2(vec3(1.0f, 1.0f, 0.0f), vec3(0x1.000002p-80f, 0x1p-80f, 0.0f), o, 2), -1);
    assert_int_equal(
        exactOrient2(vec3(1.0f, 1.0f, 0.0f), vec3(-0x1p-80f, -0x1p-80f, 0.0f), vec3(0x1p-120f, 0.0f, 0.0f), 2), 1);
}

static void triangles_that_cross_touch_or_fold_are_told_from_neighbours(void** unused)
{
    (void)unused;
    const Vec3 flat[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    static const struct {
        Vec3 p[3];
        bool meets;
    } cases[] = {
        {{{1, 1, -1}, {1, 1, 1}, {9, 9, 1}}, true},      // through the middle
        {{{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, true},       // standing on it
        {{{1, 1, 0.001f}, {1, 1, 1}, {2, 1, 1}}, false}, // hovering
        {{{2, 2, -1}, {2, 2, 1}, {9, 9, 0}}, true},      // through a side
        {{{2, 3, -1}, {2, 3, 1}, {9, 9, 0}}, false},     // past it
        {{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, true},       // within, in the same plane
        {{{-9, -9, 0}, {30, -9, 0}, {-9, 30, 0}}, true}, // around, in the same plane
        {{{5, 5, 0}, {6, 5, 0}, {5, 6, 0}}, false},      // beside, in the same plane
        {{{0, 0, 0}, {4, 0, 0}, {0, -4, 0}}, false},     // neighbour at a side, flat
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 1}}, false},      // neighbour at a side, raised
        {{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}}, true},       // folded over
        {{{0, 0, 0}, {-4, 0, 0}, {0, -4, 1}}, false},    // neighbour at a corner
        {{{0, 0, 0}, {2, 2, 1}, {2, 2, -1}}, true},      // from a corner through a side
        {{{0, 0, 0}, {1, 1, 0}, {-1, 0, 5}}, true},      // from a corner along the inside
        {{{0, 0, 0}, {0, 4, 0}, {4, 0, 0}}, true},       // the same from behind
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int turn = 0; turn < 9; ++turn) {
            Vec3 t[3], u[3];
            for (int k = 0; k < 3; ++k) {
                t[k] = flat[(k + turn) % 3];
                u[k] = cases[i].p[(k + turn / 3) % 3];
            }
            if (exactTrianglesMeet(t, u) != cases[i].meets || exactTrianglesMeet(u, t) != cases[i].meets)
                fail_msg("case %d, turn %d", (int)i, turn);
        }
}

// A tetrahedron, and what can be wrong with one.
static void surfaces_that_bound_nothing_are_found(void** unused)
{
    (void)unused;
    const Vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0}, d = {0, 0, 1}, e = {-1, 0, 0}, f = {0, -1, 0},
               g = {0, 0, -1};
    Vec3 good[][3] = {{a, c, b}, {a, b, d}, {a, d, c}, {b, c, d}};
    Vec3 turned[][3] = {{a, b, c}, {a, b, d}, {a, d, c}, {b, c, d}};
    Vec3 vertex[][3] = {{a, c, b}, {a, b, d}, {a, d, c}, {b, c, d}, {a, e, f}, {a, g, e}, {a, f, g}, {e, g, f}};
    Vec3 edge[][3] = {{a, c, b}, {a, b, d}, {a, d, c}, {b, c, d}, {a, e, f}, {a, d, e}, {a, f, d}, {e, d, f}};
    const struct {
        Vec3 (*triangles)[3];
        int count;
        bool fine;
    } cases[] = {{good, 4, true}, {good, 3, false}, {turned, 4, false}, {vertex, 8, false}, {edge, 8, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Surface s = {cases[i].triangles, cases[i].count, cases[i].count};
        Welded mesh = weld(&s);
        assert_true((manifoldFault(&mesh) == NULL) == cases[i].fine);
        free(mesh.triangles);
    }
    int pair[2];
    Surface s = {good, 4, 4};
    assert_null(intersectionFault(&s, pair));
    Vec3 pierced[][3] = {{a, c, b}, {a, b, d}, {a, d, c}, {b, c, d}, {{0.2f, 0.2f, -1}, {0.2f, 0.2f, 1}, {5, 5, 5}}};
    s = (Surface){pierced, 5, 5};
    assert_non_null(intersectionFault(&s, pair));
}

// A whole number after an option, -1 if there is none.
static int numberAfter(const char* option, int count, char** arguments)
{
    for (int i = 1; i + 1 < count; ++i)
        if (strcmp(arguments[i], option) == 0)
            return atoi(arguments[i + 1]);
    return -1;
}

int main(int count, char** arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_signs_are_those_of_whole_numbers),
        cmocka_unit_test(exact_signs_see_what_doubles_lose),
        cmocka_unit_test(triangles_that_cross_touch_or_fold_are_told_from_neighbours),
        cmocka_unit_test(surfaces_that_bound_nothing_are_found),
        cmocka_unit_test(three_hundred_random_breaks_leave_only_solids),
    };
    if (count > 2 && strcmp(arguments[1], "--assets") == 0)
        return soakAssets(count - 2, arguments + 2) == 0 ? 0 : 1;
    int breaks = numberAfter("--breaks", count, arguments), chain = numberAfter("--chain", count, arguments);
    if (breaks <= 0 && chain < 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    bool coarse = strcmp(arguments[1], "--coarse") == 0;
    Soak soak = {.models = coarse ? coarseModels : fineModels,
                 .firstChain = maxI(chain, 0),
                 .lastChain = chain >= 0 ? chain : INT32_MAX - MOST_THREADS,
                 .breaks = chain >= 0 ? INT32_MAX : breaks,
                 .allExact = chain >= 0};
    return runSoak(&soak) == 0 ? 0 : 1;
}

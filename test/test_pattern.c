// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Patterns at impacts: whatever is hit, wherever and however often, what comes off is closed and adds up.
#include "core/hash.h"
#include "core/random.h"
#include "fracture/pattern.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/failing_allocator.h"
#include "test/piece_surface.h"

// Over the pieces of `breakAtRandom`'s chains below; the same for every compiler and build.
static const uint64_t golden = 0x5bca365774e20b1e;

static shContext* context;
static shAsset *coarseWall, *wall;

static shAsset* cookModel(const char* model, float detail)
{
    shCookDef cook = shDefaultCookDef();
    shAsset* asset;
    assert_int_equal(shCookModel(context, model, detail, &cook, &asset, NULL), shOk);
    return asset;
}

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    if (shCreateContext(&def, &context, NULL) != shOk)
        return 1;
    coarseWall = cookModel("wall", 1.0f);
    wall = cookModel("wall", 2.0f);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    shDestroyAsset(coarseWall);
    shDestroyAsset(wall);
    return shDestroyContext(context) == 0 ? 0 : 1;
}

static shSolid* createSolid(const shAsset* asset)
{
    shSolid* solid;
    assert_int_equal(shCreateSolid(asset, &solid, NULL), shOk);
    return solid;
}

static double volumeOfPiece(const shSolid* solid, int piece, bool* closed)
{
    Surface s = surfaceOf(&solid->field, piece);
    double volume = volumeOf(&s);
    *closed = isClosed(&s);
    free(s.triangles);
    return volume;
}

static void hashPieces(const shSolid* solid, Hash* hash)
{
    for (int p = 0; p < shSolid_GetPieceCount(solid); ++p) {
        Surface s = surfaceOf(&solid->field, p);
        for (int i = 0; i < 3 * s.count; ++i) {
            hashF32(hash, s.triangles[i / 3][i % 3].x);
            hashF32(hash, s.triangles[i / 3][i % 3].y);
            hashF32(hash, s.triangles[i / 3][i % 3].z);
        }
        free(s.triangles);
    }
}

// ---- soak -----------------------------------------------------------------------------------------------------------

static const struct {
    const char* name;
    float detail;
} models[] = {{"box", 1.0f}, {"brick", 1.0f}, {"plate", 0.5f}, {"cylinder", 0.75f}, {"shelf", 0.5f}};

// Any pattern at any place in or near the piece.
static shStatus breakAtRandom(shSolid* solid, int piece, Random* random, shBreak* result, shMessage* message)
{
    shBox box = fieldBox(&solid->field, piece);
    float size = vLength(boxSize(box));
    shPattern pattern = shDefaultPattern((shPatternType)randomBelow(random, shPatternTypeCount));
    shImpact impact = shDefaultImpact(randomInBox(random, boxGrow(box, 0.1f * size)));
    pattern.seed = randomBits(random);
    pattern.pieces = 2 + randomBelow(random, 59);
    if (randomBelow(random, 2))
        pattern.rough = randomFloat(random);
    if (randomBelow(random, 3) == 0)
        pattern.grain = vFromD(randomDirection(random));
    if (randomBelow(random, 3) == 0)
        pattern.smallest = 1e-12f; // every crumb stays
    if (randomBelow(random, 3) == 0)
        pattern.brick = vScale(size, vec3(0.2f, 0.1f, 0.1f));
    if (randomBelow(random, 2))
        impact.direction = vFromD(randomDirection(random));
    if (randomBelow(random, 3) == 0)
        impact.radius = randomRange(random, 0.05f, 0.6f) * size;
    if (randomBelow(random, 3) == 0)
        impact.scale = randomRange(random, 0.1f, 2.0f);
    return shSolid_BreakPattern(solid, piece, &pattern, &impact, result, message);
}

// Three generations from one seed; what is wrong with them, or null.
static const char* soak(const shAsset* asset, uint64_t seed, int* pieces, Hash* hash)
{
    Random random = randomSeed(seed);
    shSolid* solid = createSolid(asset);
    bool closed;
    double whole = shAsset_GetInfo(asset).volume;
    const char* wrong = NULL;
    for (int generation = 0; generation < 3 && wrong == NULL; ++generation) {
        int count = shSolid_GetPieceCount(solid), piece = randomBelow(&random, count);
        shBreak result;
        shMessage message = {""};
        if (breakAtRandom(solid, piece, &random, &result, &message) != shOk)
            wrong = "the break failed";
        else if (shSolid_GetPieceCount(solid) != count + result.pieceCount - 1)
            wrong = "the count of pieces is wrong";
    }
    *pieces += shSolid_GetPieceCount(solid);
    double sum = 0.0;
    for (int p = 0; p < shSolid_GetPieceCount(solid) && wrong == NULL; ++p) {
        double volume = volumeOfPiece(solid, p, &closed);
        sum += volume;
        if (!closed)
            wrong = "a piece is open";
        else if (!(volume > 0.0))
            wrong = "a piece has no volume";
    }
    if (wrong == NULL && !(fabs(sum - whole) < 1e-6 * whole))
        wrong = "the volumes do not add up";
    hashPieces(solid, hash);
    shDestroySolid(solid);
    return wrong;
}

static void every_piece_of_every_break_is_closed_and_volumes_add_up(void** unused)
{
    (void)unused;
    Hash hash = hashStart(1);
    int breaks = 0, pieces = 0, wrongs = 0;
    for (int m = 0; m < 5; ++m) {
        shAsset* asset = cookModel(models[m].name, models[m].detail);
        for (uint64_t seed = 1; seed <= 20; ++seed, breaks += 3) {
            const char* wrong = soak(asset, seed, &pieces, &hash);
            if (wrong != NULL && ++wrongs)
                print_error("%s, seed %llu: %s\n", models[m].name, (unsigned long long)seed, wrong);
        }
        shDestroyAsset(asset);
    }
    printf("  %d breaks, %d pieces, hash 0x%016llx\n", breaks, pieces, (unsigned long long)hashValue(&hash));
    assert_int_equal(wrongs, 0);
    assert_true(hashValue(&hash) == golden);
}

// ---- what patterns promise ------------------------------------------------------------------------------------------

static int breakInto(const shAsset* asset, const shPattern* pattern, const shImpact* impact, uint64_t* hash)
{
    shSolid* solid = createSolid(asset);
    shMessage message = {""};
    shStatus status = shSolid_BreakPattern(solid, 0, pattern, impact, NULL, &message);
    if (status != shOk)
        print_error("%s\n", message.text);
    assert_int_equal(status, shOk);
    int count = shSolid_GetPieceCount(solid);
    if (hash != NULL) {
        Hash sum = hashStart(1);
        hashPieces(solid, &sum);
        *hash = hashValue(&sum);
    }
    shDestroySolid(solid);
    return count;
}

static void equal_seeds_break_alike_and_others_otherwise(void** unused)
{
    (void)unused;
    shImpact impact = shDefaultImpact(vec3(0.2f, 0.9f, 0.1f));
    for (int type = 0; type < (int)shPatternTypeCount; ++type) {
        shPattern pattern = shDefaultPattern((shPatternType)type);
        uint64_t first, again, other;
        breakInto(coarseWall, &pattern, &impact, &first);
        breakInto(coarseWall, &pattern, &impact, &again);
        pattern.seed = 2;
        breakInto(coarseWall, &pattern, &impact, &other);
        assert_true(first == again);
        assert_true(first != other);
    }
}

static void there_are_about_as_many_pieces_as_asked_for(void** unused)
{
    (void)unused;
    shImpact impact = shDefaultImpact(vec3(0.2f, 0.9f, 0.1f));
    for (int type = 0; type < (int)shPatternTypeCount; ++type)
        for (int pieces = 1; pieces <= 60; pieces += pieces < 4 ? 1 : 14) {
            shPattern pattern = shDefaultPattern((shPatternType)type);
            pattern.pieces = pieces;
            int count = breakInto(wall, &pattern, &impact, NULL);
            bool bricks = type == shBrickPattern; // those that break in two come on top
            if (count < pieces * 6 / 10 || count > pieces * 15 / 10 + (bricks ? 30 : 1))
                fail_msg("%s: %d pieces instead of %d", shPatternName((shPatternType)type), count, pieces);
        }
}

static void cells_are_small_near_the_impact_and_whole_beyond_the_radius(void** unused)
{
    (void)unused;
    Vec3 at = vec3(-0.5f, 0.8f, 0.1f);
    static const shPatternType centred[] = {shRadialPattern, shClusteredPattern, shBrickPattern};
    for (int i = 0; i < 3; ++i) {
        shPattern pattern = shDefaultPattern(centred[i]);
        shImpact impact = shDefaultImpact(at);
        pattern.pieces = 60;
        shSolid* solid = createSolid(wall);
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
        double near = 0.0, far = 0.0;
        int nearCount = 0, farCount = 0;
        for (int p = 0; p < shSolid_GetPieceCount(solid); ++p) {
            shPieceInfo piece = shSolid_GetPiece(solid, p);
            double distance = dDistance(dvec3(piece.centre[0], piece.centre[1], piece.centre[2]), dFromV(at));
            if (distance < 0.4)
                near += piece.volume, ++nearCount;
            else if (distance > 0.8)
                far += piece.volume, ++farCount;
        }
        assert_true(nearCount > 3 && farCount > 3);
        assert_true(near / nearCount < 0.5 * far / farCount);
        shDestroySolid(solid);
    }
    for (int type = 0; type < (int)shPatternTypeCount; ++type) {
        shPattern pattern = shDefaultPattern((shPatternType)type);
        shImpact impact = shDefaultImpact(at);
        impact.radius = 0.5f;
        shSolid* solid = createSolid(wall);
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
        assert_true(shSolid_GetPieceCount(solid) > 5);
        int rest = shSolid_FindOwner(solid, vec3(1.1f, 0.8f, 0.0f));
        assert_true(shSolid_GetPiece(solid, rest).volume > 0.6 * shAsset_GetInfo(wall).volume);
        assert_int_equal(shSolid_FindOwner(solid, vec3(0.6f, 0.1f, 0.0f)), rest);
        shDestroySolid(solid);
    }
}

// Where no wall may be: inside a brick far from the impact. Where one must be: at joints between clumps.
static void masonry_breaks_along_joints(void** unused)
{
    (void)unused;
    shPattern pattern = shDefaultPattern(shBrickPattern);
    shImpact impact = shDefaultImpact(vec3(0.0f, 0.8f, 0.1f));
    pattern.brick = vec3(0.4f, 0.2f, 0.2f); // fits: 6 · 8 blocks
    pattern.pieces = 48;
    shSolid* solid = createSolid(wall);
    assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
    int joints = 0;
    for (int course = 0; course < 8; ++course)
        for (int column = 0; column < 6; ++column) {
            float shift = course % 2 ? 0.2f : 0.0f;
            Vec3 middle = vec3(-1.2f + shift + 0.4f * (float)column + 0.2f, 0.2f * (float)course + 0.1f, 0.0f);
            if (middle.x > 1.1f || vDistance(middle, impact.point) < 0.6f)
                continue;
            int owner = shSolid_FindOwner(solid, middle);
            assert_int_equal(owner, shSolid_FindOwner(solid, vAdd(middle, vec3(0.15f, 0.05f, 0.05f))));
            assert_int_equal(owner, shSolid_FindOwner(solid, vSub(middle, vec3(0.15f, 0.05f, 0.05f))));
            if (middle.x < 0.7f)
                joints += owner != shSolid_FindOwner(solid, vAdd(middle, vec3(0.4f, 0.0f, 0.0f)));
        }
    assert_true(joints > 20);
    shDestroySolid(solid);
}

static void the_nearest_site_is_that_of_looking_at_all(void** unused)
{
    (void)unused;
    Random random = randomSeed(4);
    shBox box = {{-1.0f, -2.0f, -0.5f}, {1.0f, 2.0f, 0.5f}};
    for (int round = 0; round < 50; ++round) {
        Vec3 points[64];
        int count = 1 + randomBelow(&random, 64);
        for (int i = 0; i < count; ++i)
            points[i] = randomInBox(&random, box);
        SiteCells cells;
        assert_true(sitesOf(&cells, &context->memory, points, NULL, count));
        for (int i = 0; i < 200; ++i) {
            Vec3 p = randomInBox(&random, boxGrow(box, 0.5f));
            float best = INFINITY;
            for (int k = 0; k < count; ++k)
                best = minF(best, vDistance2(p, points[k]));
            assert_true(vDistance2(p, cells.sites[sitesNearest(&cells, p)]) == best);
        }
        sitesFree(&cells, &context->memory);
    }
}

// A radial cell is a wedge between rings: along any ray from the impact rings are met in order and never twice.
// Equally near ones: the first from the point outwards along the axis, whoever looks.
static void of_equally_near_sites_always_the_same_counts(void** unused)
{
    (void)unused;
    Vec3 points[40];
    for (int i = 0; i < 40; ++i)
        points[i] = vec3((float)(i / 2 % 5), (float)(i / 10), 0.0f); // each twice
    points[39].z = 7.0f;
    SiteCells cells;
    assert_true(sitesOf(&cells, &context->memory, points, NULL, 40));
    for (int x = -1; x <= 10; ++x)
        for (int y = -1; y <= 8; ++y) {
            Vec3 p = {0.5f * (float)x, 0.5f * (float)y, 0.25f};
            int nearest = sitesNearest(&cells, p), one = SIMD_CHOOSE(sitesNearestOne)(&cells, p), equal = 0;
            float best = vDistance2(p, cells.sites[nearest]);
            for (int k = 0; k < 40; ++k) {
                assert_true(vDistance2(p, cells.sites[k]) >= best);
                equal += vDistance2(p, cells.sites[k]) == best;
            }
            assert_int_equal(one, equal > 1 ? -1 : nearest);
        }
    sitesFree(&cells, &context->memory);
}

static void a_table_changes_nothing_of_noise(void** unused)
{
    (void)unused;
    Random random = randomSeed(5);
    for (int round = 0; round < 20; ++round) {
        shBox box = boxEmpty();
        for (int k = 0; k < 2; ++k)
            box = boxAdd(box, randomInBox(&random, (shBox){{-9.0f, -3.0f, -5.0f}, {4.0f, 8.0f, -0.5f}}));
        Noise plain = {.seed = randomBits(&random)}, table = plain, none = plain;
        assert_true(noiseTable(&table, &context->memory, box, 100000) && table.corners != NULL);
        assert_true(noiseTable(&none, &context->memory, box, 7) && none.corners == NULL);
        for (int i = 0; i < 500; ++i) {
            Vec3 p = i == 0 ? box.lower : i == 1 ? box.upper : randomInBox(&random, box);
            Vec3 a = smoothNoise(&plain, p), b = smoothNoise(&table, p);
            assert_memory_equal(&a, &b, sizeof(Vec3));
        }
        noiseFree(&table, &context->memory);
    }
}

static void rings_are_met_in_order_along_every_ray(void** unused)
{
    (void)unused;
    shSolid* solid = createSolid(coarseWall);
    shPattern pattern = shDefaultPattern(shRadialPattern);
    int nodes = coarseWall->mesh.nodeCount;
    double* volumes = calloc((size_t)nodes, sizeof(double));
    Struck struck = {.field = &solid->field,
                     .memory = &context->memory,
                     .nodeCount = nodes,
                     .volumes = volumes,
                     .spacing = 0.01f,
                     .point = {0.0f, 0.8f, 0.1f},
                     .direction = {0.0f, 0.0f, -1.0f},
                     .scale = 1.0f};
    PatternFrame frame = frameAlong(struck.point, struck.direction, 1.0);
    Random random = randomSeed(8);
    for (int round = 0; round < 20; ++round) {
        RadialCells cells;
        pattern.seed = (uint64_t)round;
        pattern.pieces = 4 + 10 * round;
        assert_true(radialMake(&cells, &struck, &frame, &pattern));
        for (int i = 0; i < 200; ++i) {
            Vec3 ray = vFromD(randomDirection(&random));
            int ring = 0;
            for (int step = 1; step <= 60; ++step) {
                int next = radialCell(&cells, vScale(0.03f * (float)step, ray)) % (cells.ringCount + 1);
                assert_true(next >= ring);
                ring = next;
            }
        }
        radialFree(&cells, &context->memory);
    }
    free(volumes);
    shDestroySolid(solid);
}

// A leg is 74 cm long and would else be split along a spoke.
static void legs_of_a_table_come_off_whole(void** unused)
{
    (void)unused;
    shAsset* asset = cookModel("table", 1.0f);
    shBox box = shAsset_GetInfo(asset).box;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        shSolid* solid = createSolid(asset);
        shPattern pattern = shDefaultPattern(shRadialPattern);
        shImpact impact = shDefaultImpact(vec3(0.1f, box.upper.y, 0.05f));
        pattern.seed = seed;
        pattern.pieces = 40;
        assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
        assert_true(shSolid_GetPieceCount(solid) > 20);
        int owners[4] = {-1, -1, -1, -1}, met = 0;
        Random random = randomSeed(seed);
        for (int i = 0; i < 4000; ++i) {
            shBox legs = {box.lower, vec3(box.upper.x, 0.8f * box.upper.y, box.upper.z)};
            Vec3 p = randomInBox(&random, legs);
            int owner = shSolid_FindOwner(solid, p), *leg = &owners[2 * (p.x > 0.0f) + (p.z > 0.0f)];
            if (owner < 0)
                continue;
            assert_true(*leg < 0 || *leg == owner);
            *leg = owner;
            ++met;
        }
        assert_true(met > 20);
        shDestroySolid(solid);
    }
    shDestroyAsset(asset);
}

static void grain_decides_the_shape_of_slabs_and_splinters(void** unused)
{
    (void)unused;
    shAsset* asset = cookModel("box", 2.0f);
    for (int axis = 0; axis < 3; ++axis)
        for (int splinters = 0; splinters < 2; ++splinters) {
            shPattern pattern = shDefaultPattern(splinters ? shSplinterPattern : shSlabPattern);
            shImpact impact = shDefaultImpact(vec3(0.0f, 0.5f, 0.0f));
            pattern.grain = vFromD(dAxis(axis));
            pattern.pieces = 12;
            shSolid* solid = createSolid(asset);
            assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL), shOk);
            double along = 0.0, across = 0.0;
            for (int p = 0; p < shSolid_GetPieceCount(solid); ++p) {
                Vec3 size = boxSize(shSolid_GetPiece(solid, p).box);
                along += (double)vGet(size, axis);
                across += 0.5 * (double)(size.x + size.y + size.z - vGet(size, axis));
            }
            assert_true(splinters ? along > 1.5 * across : across > 1.5 * along);
            shDestroySolid(solid);
        }
    shDestroyAsset(asset);
}

static void impacts_off_the_piece_are_those_at_its_nearest_point(void** unused)
{
    (void)unused;
    shPattern pattern = shDefaultPattern(shRadialPattern);
    shImpact on = shDefaultImpact(vec3(0.25f, 0.75f, 0.1f)), off = shDefaultImpact(vec3(0.25f, 0.75f, 3.1f));
    uint64_t first, second;
    breakInto(coarseWall, &pattern, &on, &first);
    breakInto(coarseWall, &pattern, &off, &second);
    assert_true(first == second);
    on.direction = vec3(0.0f, 0.0f, -7.0f); // which is what the surface there says
    breakInto(coarseWall, &pattern, &on, &second);
    assert_true(first == second);

    shSolid* solid = createSolid(coarseWall);
    assert_int_equal(shSolid_BreakPattern(solid, 0, &pattern, &on, NULL, NULL), shOk);
    assert_int_equal(shSolid_FindPiece(solid, vec3(1.3f, 0.01f, 4.0f)),
                     shSolid_FindOwner(solid, vec3(1.199f, 0.01f, 0.099f)));
    shDestroySolid(solid);
}

static void crumbs_stay_with_their_neighbours(void** unused)
{
    (void)unused;
    shAsset* asset = cookModel("box", 1.0f);
    shPattern pattern = shDefaultPattern(shClusteredPattern);
    shImpact impact = shDefaultImpact(vec3(0.25f, 0.5f, 0.25f));
    pattern.pieces = 100;
    pattern.smallest = 1e-12f;
    int all = breakInto(asset, &pattern, &impact, NULL);
    pattern.smallest = 0.0f;
    int usual = breakInto(asset, &pattern, &impact, NULL);
    pattern.smallest = 0.005f; // of 0.125 m³
    int few = breakInto(asset, &pattern, &impact, NULL);
    pattern.smallest = 1.0f;
    assert_int_equal(breakInto(asset, &pattern, &impact, NULL), 1);
    assert_true(all > usual && usual > few && few > 3 && few <= 25);
    shDestroyAsset(asset);
}

static void bad_patterns_and_impacts_are_refused(void** unused)
{
    (void)unused;
    shAsset* asset = cookModel("box", 0.5f);
    shSolid* solid = createSolid(asset);
    const shPattern good = shDefaultPattern(shRadialPattern);
    const shImpact fine = shDefaultImpact(vec3(0.0f, 0.2f, 0.0f));
    shPattern p;
    shImpact i;
    shMessage message;
#define REFUSED(change, word)                                                                                          \
    do {                                                                                                               \
        p = good, i = fine;                                                                                            \
        change;                                                                                                        \
        message.text[0] = 0;                                                                                           \
        assert_int_equal(shSolid_BreakPattern(solid, 0, &p, &i, NULL, &message), shInvalid);                           \
        assert_non_null(strstr(message.text, word));                                                                   \
        assert_int_equal(shSolid_GetPieceCount(solid), 1);                                                             \
    } while (0)
    REFUSED(p.cookie = 0, "shDefaultPattern");
    REFUSED(i.cookie = 0, "shDefaultImpact");
    REFUSED(p.type = shPatternTypeCount, "type");
    REFUSED(p.pieces = 0, "pieces");
    REFUSED(p.pieces = SH_MAX_PATTERN_PIECES + 1, "pieces");
    REFUSED(p.rough = NAN, "roughness");
    REFUSED(p.aspect = 0.0f, "aspect");
    REFUSED(p.grain.y = INFINITY, "grain");
    REFUSED(p.brick.x = 0.2f, "brick");
    REFUSED(p.brick = vec3(NAN, 1.0f, 1.0f), "brick");
    REFUSED(p.smallest = -1.0f, "smallest");
    REFUSED(i.point.x = NAN, "point");
    REFUSED(i.point.x = 1e30f, "point");
    REFUSED(i.direction.z = NAN, "direction");
    REFUSED(i.scale = 0.0f, "scale");
    REFUSED(i.scale = NAN, "scale");
    REFUSED(i.radius = -1.0f, "radius");
    REFUSED(i.radius = INFINITY, "radius");
    assert_int_equal(shSolid_BreakPattern(solid, 1, &good, &fine, NULL, &message), shInvalid);
    assert_int_equal(shSolid_BreakPattern(solid, 0, NULL, &fine, NULL, &message), shInvalid);
    assert_int_equal(shSolid_BreakPattern(solid, 0, &good, NULL, NULL, &message), shInvalid);
    p = shDefaultPattern(shBrickPattern);
    p.brick = vec3(1e-5f, 1e-5f, 1e-5f);
    assert_int_equal(shSolid_BreakPattern(solid, 0, &p, &fine, NULL, &message), shLimit);
    shDestroySolid(solid);
    shDestroyAsset(asset);
}

static void patterns_that_run_out_of_memory_leave_the_solid_whole(void** unused)
{
    (void)unused;
    TestAllocator allocator = {0};
    shContextDef def = shDefaultContextDef();
    shContext* shared = context;
    def.allocator = testAllocatorHooks(&allocator);
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    shAsset* asset = cookModel("box", 0.5f);
    shImpact impact = shDefaultImpact(vec3(0.1f, 0.5f, 0.0f));
    for (int type = 0; type < (int)shPatternTypeCount; ++type) {
        shPattern pattern = shDefaultPattern((shPatternType)type);
        bool failed = true;
        for (int n = 1; failed; ++n) {
            shSolid* solid = createSolid(asset);
            long long before = atomic_load(&allocator.bytes) - shSolid_GetBytes(solid);
            atomic_store(&allocator.calls, 0);
            allocator.failAt = n;
            shStatus status = shSolid_BreakPattern(solid, 0, &pattern, &impact, NULL, NULL);
            failed = atomic_load(&allocator.calls) >= n;
            allocator.failAt = 0;
            assert_int_equal(status, failed ? shOutOfMemory : shOk);
            assert_true((shSolid_GetPieceCount(solid) == 1) == failed);
            assert_true(atomic_load(&allocator.bytes) == before + shSolid_GetBytes(solid));
            shDestroySolid(solid);
        }
    }
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
    context = shared;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_of_every_break_is_closed_and_volumes_add_up),
        cmocka_unit_test(equal_seeds_break_alike_and_others_otherwise),
        cmocka_unit_test(there_are_about_as_many_pieces_as_asked_for),
        cmocka_unit_test(cells_are_small_near_the_impact_and_whole_beyond_the_radius),
        cmocka_unit_test(masonry_breaks_along_joints),
        cmocka_unit_test(the_nearest_site_is_that_of_looking_at_all),
        cmocka_unit_test(of_equally_near_sites_always_the_same_counts),
        cmocka_unit_test(a_table_changes_nothing_of_noise),
        cmocka_unit_test(rings_are_met_in_order_along_every_ray),
        cmocka_unit_test(legs_of_a_table_come_off_whole),
        cmocka_unit_test(grain_decides_the_shape_of_slabs_and_splinters),
        cmocka_unit_test(impacts_off_the_piece_are_those_at_its_nearest_point),
        cmocka_unit_test(crumbs_stay_with_their_neighbours),
        cmocka_unit_test(bad_patterns_and_impacts_are_refused),
        cmocka_unit_test(patterns_that_run_out_of_memory_leave_the_solid_whole),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

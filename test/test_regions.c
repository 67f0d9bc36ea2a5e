// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Regions against brute force: who winds around a point, how far the walls are, what a body keeps of each.
#include "core/closest.h"
#include "fracture/pattern.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/drawing.h"

static shContext* context;
static shAsset* cube; // 0.5 m, standing on the ground
static shBox cubeBox;

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    if (shCreateContext(&def, &context, NULL) != shOk)
        return 1;
    shCookDef cook = shDefaultCookDef();
    if (shCookModel(context, "box", 2.0f, &cook, &cube, NULL) != shOk)
        return 1;
    cubeBox = shAsset_GetInfo(cube).box;
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    shDestroyAsset(cube);
    return shDestroyContext(context) == 0 ? 0 : 1;
}

static shRegions* create(const Drawing* drawing, int cells)
{
    shRegionMesh mesh = meshOf(drawing);
    shRegionsDef def = shDefaultRegionsDef();
    def.cells = cells;
    shRegions* regions;
    shMessage message = {""};
    if (shCreateRegions(context, &mesh, &def, &regions, &message) != shOk)
        fail_msg("%s", message.text);
    return regions;
}

// ---- brute force ----------------------------------------------------------------------------------------------------

// The solid angle of a triangle, in turns, by its corners' directions (Van Oosterom, Strackee 1983).
static double turns(const Vec3 corner[3], DVec3 p)
{
    DVec3 a = dSub(dFromV(corner[0]), p), b = dSub(dFromV(corner[1]), p), c = dSub(dFromV(corner[2]), p);
    double la = dLength(a), lb = dLength(b), lc = dLength(c);
    double up = dDot(a, dCross(b, c));
    double down = la * lb * lc + dDot(a, b) * lc + dDot(b, c) * la + dDot(c, a) * lb;
    return atan2(up, down) / (2.0 * TRIG_PI);
}

typedef struct Truth {
    int region; // -1: none
    float wall; // distance to the nearest triangle of any
    float levels[MOST_REGIONS];
} Truth;

static Truth lookAtAll(const Drawing* drawing, Vec3 p)
{
    Truth truth = {.region = -1, .wall = INFINITY};
    double winding[MOST_REGIONS] = {0};
    for (int r = 0; r < drawing->regionCount; ++r)
        truth.levels[r] = INFINITY;
    for (int t = 0; t < drawing->triangleCount; ++t) {
        const Vec3* c = drawing->corners[t];
        int r = drawing->regions[t];
        float distance = vDistance(p, closestOnTriangle(p, c[0], c[1], c[2]));
        truth.levels[r] = minF(truth.levels[r], distance);
        truth.wall = minF(truth.wall, distance);
        winding[r] += turns(c, dFromV(p));
    }
    for (int r = 0; r < drawing->regionCount; ++r)
        if (winding[r] > 0.5) {
            assert_int_equal(truth.region, -1);
            truth.region = r;
            truth.levels[r] = -truth.levels[r];
        }
    return truth;
}

static void compareWithTruth(const Drawing* drawing, const shRegions* regions, int points, uint64_t seed)
{
    Random random = randomSeed(seed);
    shRegionsInfo info = shRegions_GetInfo(regions);
    float worstWall = 0.0f, worstLevel = 0.0f;
    int inside = 0;
    for (int i = 0; i < points; ++i) {
        Vec3 p = randomInBox(&random, (shBox){{-1.4f, -1.4f, -1.4f}, {1.4f, 1.4f, 1.4f}});
        Truth truth = lookAtAll(drawing, p);
        if (truth.region < 0)
            continue;
        ++inside;
        if (shRegions_Find(regions, p) != truth.region)
            worstWall = maxF(worstWall, truth.wall / info.cell);
        for (int r = 0; r < drawing->regionCount; ++r) {
            float level = clampF(truth.levels[r], -info.band, info.band);
            worstLevel = maxF(worstLevel, fabsf(shRegions_GetLevel(regions, r, p) - level) / info.cell);
        }
    }
    printf("  %d points, walls off by %.3f cells at most, levels by %.3f\n", inside, (double)worstWall,
           (double)worstLevel);
    assert_true(inside > points / 4);
    assert_true(worstWall < 0.5f);
    assert_true(worstLevel < 0.87f); // what interpolating distances can be off
}

static void points_belong_to_the_region_that_winds_around_them(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    for (int round = 0; round < 3; ++round) {
        Drawing* drawing = drawTiles(8 + 12 * round, (uint64_t)round);
        DVec3 axis = randomDirection(&random);
        float angle = round > 0 ? 0.4f : 0.0f; // straight tiles first
        Vec3 v = vScale(angle, vFromD(axis));
        rotate(drawing, (shQuat){v, sqrtf(1.0f - vLength2(v))});
        shRegions* regions = create(drawing, 40);
        compareWithTruth(drawing, regions, 2000, (uint64_t)round);
        shDestroyRegions(regions);
        free(drawing);
    }
    Drawing* ball = drawBall(0.6f);
    shRegions* regions = create(ball, 32);
    compareWithTruth(ball, regions, 1000, 9);
    for (int t = 0; t < ball->triangleCount; ++t) { // all inside out: the same
        Vec3 swap = ball->corners[t][0];
        ball->corners[t][0] = ball->corners[t][1], ball->corners[t][1] = swap;
    }
    shRegions* turned = create(ball, 32);
    assert_int_equal(regions->image.size, turned->image.size);
    assert_memory_equal(regions->image.bytes, turned->image.bytes, regions->image.size);
    shDestroyRegions(turned);
    shDestroyRegions(regions);
    free(ball);
}

// ---- grids ----------------------------------------------------------------------------------------------------------

static void grids_of_levels_say_what_their_surfaces_say(void** unused)
{
    (void)unused;
    Drawing* drawing = drawTiles(9, 5);
    enum { SIDE = 21 };
    float* levels = malloc(sizeof(float) * SIDE * SIDE * SIDE * 9);
    for (int s = 0; s < SIDE * SIDE * SIDE; ++s) {
        Vec3 p = vec3(-1.0f + 0.1f * (float)(s % SIDE), -1.0f + 0.1f * (float)(s / SIDE % SIDE),
                      -1.0f + 0.1f * (float)(s / SIDE / SIDE));
        for (int r = 0; r < 9; ++r) {
            // Of a box: how far outside, or else how deep.
            shBox box = drawing->boxes[r];
            Vec3 d = vMax(vSub(box.lower, p), vSub(p, box.upper));
            float deep = maxF(maxF(d.x, d.y), d.z);
            levels[r * SIDE * SIDE * SIDE + s] = deep > 0.0f ? sqrtf(boxDistance2(box, p)) : deep;
        }
    }
    shRegionGrid grid = {.regionCount = 9,
                         .samples = {SIDE, SIDE, SIDE},
                         .lower = {-1.0f, -1.0f, -1.0f},
                         .cell = 0.1f,
                         .levels = levels};
    shRegionsDef def = shDefaultRegionsDef();
    shRegions* regions;
    shMessage message = {""};
    assert_int_equal(shCreateRegionsFromGrid(context, &grid, &def, &regions, &message), shOk);
    compareWithTruth(drawing, regions, 2000, 1);
    shDestroyRegions(regions);

    levels[4 * SIDE * SIDE * SIDE + 17] = NAN;
    assert_int_equal(shCreateRegionsFromGrid(context, &grid, &def, &regions, &message), shInvalid);
    assert_non_null(strstr(message.text, "region 4: the level of sample 17"));
    for (int s = 0; s < SIDE * SIDE * SIDE; ++s)
        levels[4 * SIDE * SIDE * SIDE + s] = -1.0f;
    assert_int_equal(shCreateRegionsFromGrid(context, &grid, &def, &regions, &message), shBadMesh);
    assert_non_null(strstr(message.text, "overlap"));
    for (int s = 0; s < SIDE * SIDE * SIDE; ++s)
        levels[4 * SIDE * SIDE * SIDE + s] = 1.0f;
    assert_int_equal(shCreateRegionsFromGrid(context, &grid, &def, &regions, &message), shBadMesh);
    assert_non_null(strstr(message.text, "region 4 is too thin"));
    grid.samples[1] = 1;
    assert_int_equal(shCreateRegionsFromGrid(context, &grid, &def, &regions, &message), shInvalid);
    assert_null(regions);
    free(levels);
    free(drawing);
}

// ---- breaking -------------------------------------------------------------------------------------------------------

static shPattern patternOf(const shRegions* regions)
{
    shPattern pattern = shDefaultPattern(shRegionPattern);
    pattern.regions = regions;
    pattern.smallest = 1e-12f; // every part stays
    return pattern;
}

static shSolid* breakCube(const shPattern* pattern, const shImpact* impact)
{
    shSolid* solid;
    shMessage message = {""};
    assert_int_equal(shCreateSolid(cube, &solid, NULL), shOk);
    if (shSolid_BreakPattern(solid, 0, pattern, impact, NULL, &message) != shOk)
        fail_msg("%s", message.text);
    return solid;
}

// A blow in the middle of the cube, downwards: the unit cube then lies on it.
static shImpact middleBlow(void)
{
    shImpact impact = shDefaultImpact(boxCenter(cubeBox));
    impact.direction = vec3(0.0f, -2.0f, 0.0f);
    return impact;
}

static Vec3 toUnit(Vec3 p) { return vScale(4.0f, vSub(p, boxCenter(cubeBox))); }

// The region in which most of a piece lies.
static int regionOfPiece(const shSolid* solid, const shRegions* regions, int piece)
{
    const double* c = shSolid_GetPiece(solid, piece).centre;
    return shRegions_Find(regions, toUnit(vFromD(dvec3(c[0], c[1], c[2]))));
}

static void pieces_are_what_the_body_has_of_each_region(void** unused)
{
    (void)unused;
    for (int round = 0; round < 4; ++round) {
        Drawing* drawing = drawTiles(12 + round, 20 + (uint64_t)round);
        shRegions* regions = create(drawing, 40);
        shPattern pattern = patternOf(regions);
        shImpact impact = middleBlow();
        pattern.aligned = round == 3;
        shSolid* solid = breakCube(&pattern, &impact);
        assert_int_equal(shSolid_GetPieceCount(solid), drawing->regionCount);
        double worst = 0.0, sum = 0.0;
        for (int p = 0; p < shSolid_GetPieceCount(solid); ++p) {
            double volume = shSolid_GetPiece(solid, p).volume;
            Vec3 size = vScale(0.25f, boxSize(drawing->boxes[regionOfPiece(solid, regions, p)]));
            double area = 2.0 * (double)(size.x * size.y + size.y * size.z + size.z * size.x);
            double cell = 0.25 * (double)shRegions_GetInfo(regions).cell;
            worst = maxD(worst, fabs(volume - (double)(size.x * size.y * size.z)) / (area * cell));
            sum += volume;
        }
        printf("  %d pieces, volumes off by at most %.3f cells all around\n", drawing->regionCount, worst);
        assert_true(worst < (pattern.aligned ? 0.5 : 0.1));
        assert_true(fabs(sum - 0.125) < 1e-7);
        shDestroySolid(solid);
        shDestroyRegions(regions);
        free(drawing);
    }
}

// Su §4.2: a piece is where the larger of the region's and the body's level is negative.
static void a_pieces_level_set_is_the_larger_of_regions_and_bodys(void** unused)
{
    (void)unused;
    Drawing* drawing = drawTiles(14, 31);
    rotate(drawing, (shQuat){{0.2f, 0.3f, -0.1f}, sqrtf(0.86f)});
    shRegions* regions = create(drawing, 48);
    shPattern pattern = patternOf(regions);
    shImpact impact = middleBlow();
    shSolid* solid = breakCube(&pattern, &impact);
    Random random = randomSeed(6);
    shBox box = boxGrow(cubeBox, 0.05f);
    float scale = 0.25f * sqrtf(3.0f) / shRegions_GetInfo(regions).reach; // metres per unit
    float cell = scale * shRegions_GetInfo(regions).cell;
    int in = 0, out = 0, regionOf[MOST_REGIONS];
    for (int r = 0; r < MOST_REGIONS; ++r)
        regionOf[r] = -1;
    Vec3 center = boxCenter(cubeBox);
    for (int i = 0; i < 20000; ++i) {
        Vec3 p = randomInBox(&random, box), q = vScale(1.0f / scale, vSub(p, center));
        float body = distanceGridSample(&cube->grid, p).distance;
        int owner = shSolid_FindOwner(solid, p);
        int deepest = -1;
        for (int r = 0; r < drawing->regionCount; ++r)
            if (maxF(scale * shRegions_GetLevel(regions, r, q), body) < -0.75f * cell)
                deepest = r;
        if (deepest >= 0) { // all that is so deep in one piece is so deep in one region
            ++in;
            assert_in_range(owner, 0, MOST_REGIONS - 1);
            if (regionOf[owner] < 0)
                regionOf[owner] = deepest;
            assert_int_equal(regionOf[owner], deepest);
        } else if (body > 0.75f * cell) {
            ++out;
            assert_int_equal(owner, -1);
        }
    }
    assert_true(in > 5000 && out > 2000);
    shDestroySolid(solid);
    shDestroyRegions(regions);
    free(drawing);
}

// Layers across the blow: they must lie across every blow, begin at the impact, and be as thick as they should.
static void regions_are_turned_to_the_blow_and_scaled_to_the_body(void** unused)
{
    (void)unused;
    Drawing* drawing = drawLayers(8);
    shRegions* regions = create(drawing, 64);
    Random random = randomSeed(12);
    Vec3 center = boxCenter(cubeBox);
    for (int round = 0; round < 12; ++round) {
        shPattern pattern = patternOf(regions);
        shImpact impact = shDefaultImpact(vAdd(center, vScale(0.1f, vFromD(randomDirection(&random)))));
        impact.direction = vFromD(randomDirection(&random));
        impact.scale = round % 3 == 2 ? 0.75f : 1.0f;
        pattern.seed = (uint64_t)(round % 2) * (uint64_t)round;
        shSolid* solid = breakCube(&pattern, &impact);
        float reach = 0.0f;
        for (int c = 0; c < 8; ++c)
            reach =
                maxF(reach, vDistance(impact.point, vAdd(center, vec3(c & 1 ? 0.25f : -0.25f, c & 2 ? 0.25f : -0.25f,
                                                                      c & 4 ? 0.25f : -0.25f))));
        float size = impact.scale * reach / sqrtf(3.0f), thick = size * 2.0f / 8.0f;
        for (int i = 0; i < 300; ++i) {
            Vec3 p = randomInBox(&random, cubeBox);
            Vec3 other = vMad(p, 0.5f * thick, vFromD(randomDirection(&random)));
            float layer = clampF(vDot(vSub(p, impact.point), impact.direction) / thick + 4.0f, 0.01f, 7.99f);
            float next = clampF(vDot(vSub(other, impact.point), impact.direction) / thick + 4.0f, 0.01f, 7.99f);
            bool clear = fabsf(layer - floorf(layer + 0.5f)) > 0.15f && fabsf(next - floorf(next + 0.5f)) > 0.15f;
            int a = shSolid_FindOwner(solid, p), b = shSolid_FindOwner(solid, other);
            if (clear && a >= 0 && b >= 0)
                assert_true((a == b) == (floorf(layer) == floorf(next)));
        }
        shDestroySolid(solid);
    }
    shDestroyRegions(regions);
    free(drawing);
}

static void the_grain_says_where_the_x_of_regions_goes(void** unused)
{
    (void)unused;
    Drawing* drawing = drawLayers(6);
    rotate(drawing, (shQuat){{0.0f, 0.0f, sqrtf(0.5f)}, sqrtf(0.5f)}); // layers along x
    shRegions* regions = create(drawing, 24);
    Random random = randomSeed(2);
    for (int round = 0; round < 6; ++round) {
        shPattern pattern = patternOf(regions);
        shImpact impact = middleBlow();
        DVec3 grain = randomDirection(&random);
        pattern.grain = vScale(3.0f, vFromD(grain));
        impact.direction = vFromD(randomDirection(&random));
        DVec3 blow = dFromV(impact.direction);
        Vec3 along = vFromD(dNormalize(dMad(grain, -dDot(grain, blow), blow)));
        shSolid* solid = breakCube(&pattern, &impact);
        int compared = 0;
        for (int i = 0; i < 400; ++i) {
            Vec3 p = randomInBox(&random, cubeBox), q = randomInBox(&random, cubeBox);
            float a = 12.0f * vDot(vSub(p, impact.point), along) + 3.0f; // layers are 1/12 m thick
            float b = 12.0f * vDot(vSub(q, impact.point), along) + 3.0f;
            bool clear = fabsf(a - floorf(a + 0.5f)) > 0.2f && fabsf(b - floorf(b + 0.5f)) > 0.2f;
            Vec3 side = vCross(along, impact.direction); // beyond the cube layers spread
            float beyond = maxF(fabsf(vDot(vSub(p, impact.point), side)), fabsf(vDot(vSub(q, impact.point), side)));
            if (!clear || minF(a, b) < 0.0f || maxF(a, b) > 6.0f || beyond > 0.25f)
                continue;
            ++compared;
            bool one = shSolid_FindOwner(solid, p) == shSolid_FindOwner(solid, q);
            assert_true(one == (floorf(a) == floorf(b)));
        }
        assert_true(compared > 50);
        shDestroySolid(solid);
    }
    shDestroyRegions(regions);
    free(drawing);
}

// Sectors around the blow stay sectors however far they go; along the blow nothing changes.
static void beyond_their_cube_regions_spread_across_the_blow(void** unused)
{
    (void)unused;
    Drawing* drawing = drawTiles(24, 14);
    shRegions* regions = create(drawing, 24);
    Random random = randomSeed(15);
    for (int i = 0; i < 2000; ++i) {
        Vec3 p = randomInBox(&random, unitCube);
        float wide = maxF(fabsf(p.x), fabsf(p.z));
        Vec3 border = vec3(p.x / wide, p.y, p.z / wide);
        float times = randomRange(&random, 1.0f, 10.0f);
        if (regionsLead(regions, vScale(12.0f, vAdd(border, vec3(1.0f, 1.0f, 1.0f))), shRegions_Find(regions, border)) <
            0.01f)
            continue;
        assert_int_equal(shRegions_Find(regions, vec3(times * border.x, p.y, times * border.z)),
                         shRegions_Find(regions, border));
        assert_int_equal(shRegions_Find(regions, vec3(p.x, times + 0.01f, p.z)),
                         shRegions_Find(regions, vec3(p.x, 1.0f, p.z)));
    }
    shDestroyRegions(regions);
    free(drawing);
}

static void another_seed_turns_regions_about_the_blow_and_the_radius_bounds_them(void** unused)
{
    (void)unused;
    Drawing* drawing = drawTiles(30, 8);
    shRegions* regions = create(drawing, 40);
    shPattern pattern = patternOf(regions);
    shImpact impact = middleBlow();
    double volumes[2];
    for (uint64_t seed = 0; seed < 2; ++seed) {
        pattern.seed = 5 * seed;
        shSolid* solid = breakCube(&pattern, &impact);
        volumes[seed] = shSolid_GetPiece(solid, 1).volume;
        shDestroySolid(solid);
    }
    assert_true(volumes[0] != volumes[1]);
    pattern.seed = 0;
    impact.point = vAdd(impact.point, vec3(0.2f, 0.2f, 0.2f));
    int before = 31;
    for (float radius = 0.5f; radius > 0.2f; radius *= 0.7f) {
        impact.radius = radius;
        shSolid* solid = breakCube(&pattern, &impact);
        int count = shSolid_GetPieceCount(solid), far = shSolid_FindOwner(solid, vec3(-0.24f, 0.01f, -0.24f));
        assert_true(count < before && count > 1);
        before = count;
        for (int p = 0; p < count; ++p) {
            shPieceInfo piece = shSolid_GetPiece(solid, p);
            Vec3 middle = vFromD(dvec3(piece.centre[0], piece.centre[1], piece.centre[2]));
            assert_true(p == far || vDistance(middle, impact.point) < 1.05f * radius);
        }
        shDestroySolid(solid);
    }
    assert_true(before < 8);
    shDestroyRegions(regions);
    free(drawing);
}

static void aligned_patterns_move_points_by_half_a_cell_and_look_at_fewer_samples(void** unused)
{
    (void)unused;
    Drawing* drawing = drawTiles(24, 2);
    rotate(drawing, (shQuat){{0.1f, -0.2f, 0.3f}, sqrtf(0.86f)});
    shRegions* regions = create(drawing, 24);
    shSolid* solid;
    assert_int_equal(shCreateSolid(cube, &solid, NULL), shOk);
    Struck struck = {.field = &solid->field,
                     .memory = &context->memory,
                     .nodeCount = cube->mesh.nodeCount,
                     .point = {0.1f, 0.4f, 0.05f},
                     .direction = {0.0f, -0.6f, 0.8f},
                     .scale = 1.0f};
    shPattern pattern = patternOf(regions);
    pattern.seed = 3;
    PatternFrame frame = regionFrame(regions->record, &struck, &pattern);
    RegionCells smooth = {.regions = regions}, quick = {.regions = regions, .aligned = true};
    const int* samples = regions->record->samples;
    int differ = 0;
    for (int i = 0; i < struck.nodeCount; ++i) {
        Vec3 p = frameApply(&frame, struckPlace(&struck, i)), moved;
        int exact = regionCell(&smooth, p), aligned = regionCell(&quick, p);
        p = vec3(clampF(p.x, 0.0f, (float)(samples[0] - 1)), clampF(p.y, 0.0f, (float)(samples[1] - 1)),
                 clampF(p.z, 0.0f, (float)(samples[2] - 1)));
        moved = vec3(floorf(p.x + 0.5f), floorf(p.y + 0.5f), floorf(p.z + 0.5f));
        assert_true(fabsf(moved.x - p.x) <= 0.5f && fabsf(moved.y - p.y) <= 0.5f && fabsf(moved.z - p.z) <= 0.5f);
        assert_int_equal(regionsLowest(regions, moved), aligned);
        if (exact != aligned) { // only where a wall is that near: levels change by 1 per length, leads by 2
            ++differ;
            assert_true(regionsLead(regions, p, exact) <= 2.0f * 0.8661f * regions->record->cell);
        }
    }
    printf("  %d of %d nodes differ, %lld samples instead of %lld\n", differ, struck.nodeCount, (long long)quick.reads,
           (long long)smooth.reads);
    assert_true(differ > 0 && differ < struck.nodeCount / 4);
    assert_int_equal(quick.reads, struck.nodeCount);
    assert_int_equal(smooth.reads, 8 * quick.reads);
    shDestroySolid(solid);
    shDestroyRegions(regions);
    free(drawing);
}

// ---- what has broken before -----------------------------------------------------------------------------------------

static char* temporaryPath(void)
{
    static char path[] = "test_regions_XXXXXX";
    strcpy(path, "test_regions_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return path;
}

static void saved_breaks_break_their_own_cube_alike(void** unused)
{
    (void)unused;
    static const shPatternType types[] = {shUniformPattern, shRadialPattern, shClusteredPattern};
    for (int round = 0; round < 3; ++round) {
        shPattern pattern = shDefaultPattern(types[round]);
        shImpact impact = shDefaultImpact(vec3(0.1f, 0.6f, -0.05f)); // off the cube, above it
        pattern.pieces = 16;
        shSolid* first = breakCube(&pattern, &impact);
        shRegions *made, *loaded;
        shMessage message = {""};
        assert_int_equal(shCreateRegionsFromSolid(first, &impact, 48, &made, &message), shOk);
        char* path = temporaryPath();
        assert_int_equal(shSaveRegions(made, path, &message), shOk);
        assert_int_equal(shLoadRegions(context, path, &loaded, &message), shOk);
        unlink(path);
        assert_int_equal(loaded->image.size, made->image.size);
        assert_memory_equal(loaded->image.bytes, made->image.bytes, made->image.size);
        shRegionsInfo info = shRegions_GetInfo(loaded);
        assert_int_equal(info.regionCount, shSolid_GetPieceCount(first));
        assert_true(fabsf(info.center.y - 0.5f) < 1e-6f && info.direction.y < -0.999f);

        shPattern again = shDefaultPattern(shRegionPattern);
        again.regions = loaded;
        shSolid* second = breakCube(&again, &impact);
        Random random = randomSeed(1);
        double moved = 0.0, differ = 0.0;
        for (int p = 0; p < shSolid_GetPieceCount(first); ++p) {
            // Owners of points of a piece: nearly all must be one piece of the second.
            shPieceInfo piece = shSolid_GetPiece(first, p);
            const double* c = piece.centre;
            int twin = shSolid_FindOwner(second, vFromD(dvec3(c[0], c[1], c[2])));
            for (int i = 0; i < 2000 && twin >= 0; ++i) {
                Vec3 at = randomInBox(&random, piece.box);
                bool one = shSolid_FindOwner(first, at) == p, other = shSolid_FindOwner(second, at) == twin;
                if (one == other)
                    continue;
                FieldHit hit;
                assert_true(fieldProbeFar(&first->field, p, at, 2.0f * info.cell, &hit));
                moved = maxD(moved, fabs((double)hit.distance) / (double)info.cell);
            }
            if (twin >= 0)
                differ = maxD(differ, fabs(shSolid_GetPiece(second, twin).volume - piece.volume) / piece.volume);
        }
        printf("  %s: %d pieces again %d, walls off by %.2f cells, volumes by %.1f %%\n", shPatternName(types[round]),
               info.regionCount, shSolid_GetPieceCount(second), moved, 100.0 * differ);
        assert_int_equal(shSolid_GetPieceCount(second), info.regionCount);
        assert_true(moved < 0.5);
        assert_true(differ < 0.05);
        shDestroySolid(first);
        shDestroySolid(second);
        shDestroyRegions(made);
        shDestroyRegions(loaded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_belong_to_the_region_that_winds_around_them),
        cmocka_unit_test(grids_of_levels_say_what_their_surfaces_say),
        cmocka_unit_test(pieces_are_what_the_body_has_of_each_region),
        cmocka_unit_test(a_pieces_level_set_is_the_larger_of_regions_and_bodys),
        cmocka_unit_test(regions_are_turned_to_the_blow_and_scaled_to_the_body),
        cmocka_unit_test(the_grain_says_where_the_x_of_regions_goes),
        cmocka_unit_test(beyond_their_cube_regions_spread_across_the_blow),
        cmocka_unit_test(another_seed_turns_regions_about_the_blow_and_the_radius_bounds_them),
        cmocka_unit_test(aligned_patterns_move_points_by_half_a_cell_and_look_at_fewer_samples),
        cmocka_unit_test(saved_breaks_break_their_own_cube_alike),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/distance_grid.h"

#include "core/hash.h"
#include "mesh/models.h"
#include "test/shapes.h"

#include <string.h>

static shContext* newContext(int workers)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    shContext* context = NULL;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    return context;
}

static void makeBall(void)
{
    clear();
    addBall(0.7, 13);
}
static void makeBox(void)
{
    clear();
    addBox((DVec3){-1.0, -0.7, -0.5}, (DVec3){2.0, 1.4, 1.0}, 1);
}
static void makeRing(void) { makeTorus(64, 32, 1.0, 0.3); }
static void makePlate(void)
{
    clear();
    addBox((DVec3){-1.0, -0.065, -0.8}, (DVec3){2.0, 0.13, 1.6}, 4);
}
static void makeHollowBall(void)
{
    clear();
    addBall(1.0, 11);
    int outer = shape.triangleCount;
    addBall(0.8, 11);
    flipTriangles(outer, shape.triangleCount);
}
static void (*const makers[5])(void) = {makeBall, makeBox, makeRing, makePlate, makeHollowBall};

typedef struct Fixture {
    shContext* context;
    TriQuery query;
    DistanceGrid grid;
} Fixture;

static Fixture build(int workers, int cells, DistanceSigns signs)
{
    Fixture f = {.context = newContext(workers)};
    assert_true(triQueryBuild(&f.query, &f.context->memory, shape.vertices, shape.triangles, shape.triangleCount));
    DistanceGridDef def = distanceGridDefaultDef();
    def.cells = cells;
    def.signs = signs;
    shMessage message = {""};
    assert_int_equal(distanceGridBuild(&f.grid, f.context, &f.query, &def, &message), shOk);
    assert_int_equal(distanceGridCheck(&f.grid, &message), shOk);
    return f;
}
static void destroy(Fixture* f)
{
    distanceGridFree(&f->grid, &f->context->memory);
    triQueryFree(&f->query, &f->context->memory);
    assert_int_equal(shDestroyContext(f->context), 0);
}

static Vec3 randomNear(const Fixture* f, int i, float reach)
{
    if (i % 4 == 0) { // anywhere, also outside the box
        shBox box = {f->grid.shape.lower, f->grid.shape.upper};
        Vec3 size = boxSize(box), p = vFromD(randomPoint(0.8));
        return vAdd(boxCenter(box), vec3(p.x * size.x, p.y * size.y, p.z * size.z));
    }
    const DVec3* t = f->query.corners[(int)(random01() * f->query.triangleCount)];
    DVec3 on = dLerp(dLerp(t[0], t[1], random01()), t[2], random01());
    return vFromD(dAdd(on, randomPoint((double)reach)));
}

typedef struct Errors {
    double band;   // in cells
    double far;    // in coarse cells
    int signs;     // wrong farther than half a cell from the surface
    int bounds;    // lower bound above the truth
    double looser; // lower bound below the truth, in coarse cells, inside the box
} Errors;

static Errors compare(const Fixture* f, int points)
{
    const DistanceGridShape* shape0 = &f->grid.shape;
    const double h = (double)shape0->cellSize;
    Errors errors = {0};
    for (int i = 0; i < points; ++i) {
        Vec3 p = randomNear(f, i, 3.0f * shape0->cellSize);
        double expected = triQuerySignedDistance(&f->query, dFromV(p), 100.0);
        double value = (double)distanceGridSample(&f->grid, p).distance;
        double lower = (double)distanceGridLower(&f->grid, p);
        bool inBox = boxDistance2((shBox){shape0->lower, shape0->upper}, p) == 0.0f;
        if (fabs(expected) <= (double)shape0->band)
            errors.band = maxD(errors.band, fabs(value - expected) / h);
        else if (inBox)
            errors.far = maxD(errors.far, fabs(value - expected) / (brickCells * h));
        errors.signs += fabs(expected) > 0.5 * h && (value < 0.0) != (expected < 0.0);
        errors.bounds += lower > fabs(expected);
        if (inBox)
            errors.looser = maxD(errors.looser, (fabs(expected) - lower) / (brickCells * h));
    }
    return errors;
}

static void aHundredThousandPointsAgreeWithTheTriangles(void** unused)
{
    (void)unused;
    state = 1;
    for (int m = 0; m < 5; ++m) {
        makers[m]();
        Fixture f = build(2, 64, distanceSignsAuto);
        Errors errors = compare(&f, 20000);
        print_message("shape %d: %d bricks, %.2f MB; band %.3f cells, far %.3f, bound %.3f coarse cells\n", m,
                      f.grid.shape.brickCount, (double)distanceGridMemory(&f.grid) * 0x1p-20, errors.band, errors.far,
                      errors.looser);
        assert_true(errors.band <= 0.5);
        assert_int_equal(errors.signs, 0);
        assert_int_equal(errors.bounds, 0);
        assert_true(errors.far <= 0.87);
        assert_true(errors.looser <= 1.74);
        destroy(&f);
    }
}

// The built-in models, whose parts may be thinner than four cells: signs and bounds hold, and the error stays within
// what the distance between samples allows.
static void everyModelHasAGrid(void** unused)
{
    (void)unused;
    state = 6;
    for (int m = 0; m < modelCount(); ++m) {
        Fixture f = {.context = newContext(2)};
        Memory* memory = &f.context->memory;
        TetMesh mesh;
        assert_int_equal(modelGenerate(modelAt(m), 0.5f, memory, &mesh, NULL), shOk);
        DVec3* vertices = NEW_ARRAY(memory, DVec3, mesh.nodeCount);
        for (int v = 0; v < mesh.nodeCount; ++v)
            vertices[v] = dFromV(mesh.nodes[v]);
        assert_true(triQueryBuild(&f.query, memory, vertices, (const int(*)[3])mesh.triangles, mesh.triangleCount));
        DistanceGridDef def = distanceGridDefaultDef();
        def.cells = 48;
        assert_int_equal(distanceGridBuild(&f.grid, f.context, &f.query, &def, NULL), shOk);
        assert_null(f.query.clusters); // clean: normals were enough
        Errors errors = compare(&f, 2000);
        print_message("%s: %d triangles, %.2f MB; band %.3f cells, far %.3f, %d signs\n", modelAt(m)->name,
                      mesh.triangleCount, (double)distanceGridMemory(&f.grid) * 0x1p-20, errors.band, errors.far,
                      errors.signs);
        assert_true(errors.band <= 0.87);
        assert_true(errors.far <= 0.87);
        assert_int_equal(errors.bounds, 0);
        FREE_ARRAY(memory, vertices, mesh.nodeCount);
        tetMeshFree(&mesh, memory);
        destroy(&f);
    }
}

static void samplesAreExact(void** unused)
{
    (void)unused;
    makeRing();
    Fixture f = build(1, 40, distanceSignsAuto);
    const DistanceGridShape* s = &f.grid.shape;
    for (int z = 0, brick = 0; z < s->bricks[2]; ++z)
        for (int y = 0; y < s->bricks[1]; ++y)
            for (int x = 0; x < s->bricks[0]; ++x, ++brick) {
                const float* values = f.grid.values + f.grid.index[brick];
                bool fine = f.grid.index[brick] >= s->coarseSize;
                int last = fine ? brickSamples - 1 : 0;
                DVec3 p = dMad(dFromV(s->lower), (double)s->cellSize, (DVec3){3.0 * x, 3.0 * y, 3.0 * z});
                double first = triQuerySignedDistance(&f.query, p, 100.0);
                assert_true(fabs((double)values[0] - first) < 1e-6);
                p = dMad(p, fine ? 3.0 * (double)s->cellSize : 0.0, (DVec3){1.0, 1.0, 1.0});
                assert_true(fabs((double)values[last] - triQuerySignedDistance(&f.query, p, 100.0)) < 1e-6);
            }
    destroy(&f);
}

static void everyPointOfTheBandIsInABrickWithSamples(void** unused)
{
    (void)unused;
    state = 2;
    makeBox();
    Fixture f = build(1, 64, distanceSignsAuto);
    for (int i = 0; i < 20000; ++i) {
        Vec3 p = randomNear(&f, i, 3.0f * f.grid.shape.cellSize);
        if (fabs(triQuerySignedDistance(&f.query, dFromV(p), 100.0)) <= (double)f.grid.shape.band)
            assert_true(distanceGridCell(&f.grid, p).cellsPerBrick == 3.0f);
    }
    destroy(&f);
}

static void gradientsPointAwayFromTheSurface(void** unused)
{
    (void)unused;
    state = 3;
    makeBall();
    Fixture f = build(1, 64, distanceSignsAuto);
    float inBox = 1.0f, outside = 1.0f; // smallest cosines
    for (int i = 0; i < 20000; ++i) {
        Vec3 p = vFromD(randomPoint(1.5)); // half of them outside the box
        if (vLength(p) < 0.5f)
            continue; // towards the middle the regions of the facets meet
        Vec3 gradient = distanceGridSample(&f.grid, p).gradient;
        float* worst = boxDistance2((shBox){f.grid.shape.lower, f.grid.shape.upper}, p) == 0.0f ? &inBox : &outside;
        *worst = minF(*worst, vDot(vNormalize(gradient), vNormalize(p)));
        // The derivative of what is interpolated: a small step changes the distance by it.
        Vec3 step = vScale(1e-3f * f.grid.shape.cellSize, vNormalize(vFromD(randomPoint(1.0))));
        float change = distanceGridSample(&f.grid, vAdd(p, step)).distance - distanceGridSample(&f.grid, p).distance;
        if (distanceGridCell(&f.grid, p).corner == distanceGridCell(&f.grid, vAdd(p, step)).corner && worst == &inBox)
            assert_true(fabsf(change - vDot(gradient, step)) < 0.02f * vLength(step));
    }
    assert_true(inBox > 0.99f); // 8°; the facets themselves deviate by 6
    assert_true(outside > 0.97f);
    destroy(&f);
}

static void oneAndTwoThreadsGiveTheSameBits(void** unused)
{
    (void)unused;
    makeHollowBall();
    Fixture one = build(1, 50, distanceSignsAuto), two = build(2, 50, distanceSignsAuto);
    assert_memory_equal(&one.grid.shape, &two.grid.shape, sizeof one.grid.shape);
    assert_memory_equal(one.grid.index, two.grid.index, (size_t)distanceGridIndexCount(&one.grid.shape) * 4);
    assert_memory_equal(one.grid.values, two.grid.values, (size_t)distanceGridValueCount(&one.grid.shape) * 4);
    destroy(&one);
    destroy(&two);
}

// Compilers, optimisation, instruction sets: none may change a bit. Only a change of method changes this number.
static void allBuildsGiveTheSameBits(void** unused)
{
    (void)unused;
    makeRing();
    Fixture f = build(1, 50, distanceSignsWinding);
    Hash hash = hashStart(0);
    for (int64_t i = 0; i < distanceGridIndexCount(&f.grid.shape); ++i)
        hashU32(&hash, (uint32_t)f.grid.index[i]);
    for (int64_t i = 0; i < distanceGridValueCount(&f.grid.shape); ++i)
        hashF32(&hash, f.grid.values[i]);
    assert_int_equal(hashValue(&hash), 0xa2011fbd0f5d8f8c);
    destroy(&f);
}

static void windingNumbersGiveTheSameSigns(void** unused)
{
    (void)unused;
    makeHollowBall();
    Fixture normals = build(1, 50, distanceSignsAuto), winding = build(1, 50, distanceSignsWinding);
    assert_memory_equal(normals.grid.values, winding.grid.values,
                        (size_t)distanceGridValueCount(&normals.grid.shape) * 4);
    destroy(&normals);
    destroy(&winding);
}

static void overlappingSolidsAreOne(void** unused)
{
    (void)unused;
    state = 4;
    clear();
    addBox((DVec3){-1.0, -0.5, -0.5}, (DVec3){1.3, 1.0, 1.0}, 3);
    addBox((DVec3){-0.5, -0.3, -0.3}, (DVec3){1.5, 0.6, 0.6}, 3);
    for (int open = 0; open < 2; ++open) {
        shape.triangleCount -= open; // without one triangle it is an open surface, to be decided everywhere
        Fixture f = build(1, 40, distanceSignsAuto);
        for (int i = 0; i < 20000; ++i) {
            Vec3 p = vFromD(randomPoint(1.2));
            double a = boxSigned(dFromV(p), (DVec3){-1.0, -0.5, -0.5}, (DVec3){0.3, 0.5, 0.5});
            double b = boxSigned(dFromV(p), (DVec3){-0.5, -0.3, -0.3}, (DVec3){1.0, 0.3, 0.3});
            float value = distanceGridSample(&f.grid, p).distance;
            bool nearHole = open > 0 && p.x > 0.6f;
            if (!nearHole && fabs(minD(a, b)) > 0.9 * (double)f.grid.shape.cellSize)
                assert_true((value < 0.0f) == (minD(a, b) < 0.0) || value == 0.0f);
        }
        destroy(&f);
    }
}

static void whatCannotBeBuiltIsSaid(void** unused)
{
    (void)unused;
    makeBox();
    shContext* context = newContext(1);
    TriQuery query, empty;
    DistanceGrid grid;
    shMessage message = {""};
    assert_true(triQueryBuild(&query, &context->memory, shape.vertices, shape.triangles, shape.triangleCount));
    assert_true(triQueryBuild(&empty, &context->memory, NULL, NULL, 0));
    DistanceGridDef def = distanceGridDefaultDef();
    assert_int_equal(distanceGridBuild(&grid, context, &empty, &def, &message), shBadMesh);
    def.cells = 0;
    assert_int_equal(distanceGridBuild(&grid, context, &query, &def, &message), shInvalid);
    def.cellSize = (double)NAN;
    assert_int_equal(distanceGridBuild(&grid, context, &query, &def, &message), shInvalid);
    def.cellSize = 1e-9;
    assert_int_equal(distanceGridBuild(&grid, context, &query, &def, &message), shInvalid);
    assert_non_null(strstr(message.text, "origin"));
    def.cellSize = 1e-4;
    assert_int_equal(distanceGridBuild(&grid, context, &query, &def, &message), shLimit);
    assert_non_null(strstr(message.text, "larger cells"));
    def.cellSize = 0.05;
    def.maxBytes = 100000;
    assert_int_equal(distanceGridBuild(&grid, context, &query, &def, &message), shLimit);
    def.maxBytes = 1000000;
    assert_int_equal(distanceGridBuild(&grid, context, &query, &def, &message), shOk);
    assert_true(distanceGridMemory(&grid) <= def.maxBytes);
    assert_true(grid.shape.cellSize == 0.05f);
    distanceGridFree(&grid, &context->memory);
    triQueryFree(&query, &context->memory);
    assert_int_equal(shDestroyContext(context), 0);
}

static void runningOutOfMemoryLeavesNothingBehind(void** unused)
{
    (void)unused;
    for (int open = 0; open < 2; ++open)
        for (int budget = 0;; ++budget) {
            makeBox();
            shape.triangleCount -= open;
            int left = 1000;
            shContextDef contextDef = shDefaultContextDef();
            contextDef.allocator = (shAllocator){allocateFew, release, &left};
            contextDef.workerCount = 1;
            shContext* context;
            assert_int_equal(shCreateContext(&contextDef, &context, NULL), shOk);
            TriQuery query;
            assert_true(triQueryBuild(&query, &context->memory, shape.vertices, shape.triangles, shape.triangleCount));
            DistanceGridDef def = distanceGridDefaultDef();
            def.cells = 10;
            DistanceGrid grid;
            left = budget;
            shStatus status = distanceGridBuild(&grid, context, &query, &def, NULL);
            assert_true(status == shOk || status == shOutOfMemory);
            distanceGridFree(&grid, &context->memory);
            triQueryFree(&query, &context->memory);
            assert_int_equal(shDestroyContext(context), 0);
            if (status == shOk)
                break;
        }
}

static void damagedGridsAreRefused(void** unused)
{
    (void)unused;
    makeBox();
    Fixture f = build(1, 20, distanceSignsAuto);
    DistanceGridShape* s = &f.grid.shape;
    const DistanceGridShape good = *s;
    s->bricks[1] = 0;
    assert_int_equal(distanceGridCheckShape(s, NULL), shBadFile);
    *s = good, s->bricks[0] = s->bricks[1] = s->bricks[2] = INT32_MAX;
    assert_int_equal(distanceGridCheckShape(s, NULL), shBadFile);
    *s = good, s->coarseSize += 16;
    assert_int_equal(distanceGridCheckShape(s, NULL), shBadFile);
    *s = good, s->brickCount = -1;
    assert_int_equal(distanceGridCheckShape(s, NULL), shBadFile);
    *s = good, s->brickCount = INT32_MAX / 2;
    assert_int_equal(distanceGridCheckShape(s, NULL), shBadFile);
    *s = good, s->cellSize = NAN;
    assert_int_equal(distanceGridCheckShape(s, NULL), shBadFile);
    *s = good;
    const int32_t bad[4] = {-1, INT32_MAX, s->coarseSize + 1, INT32_MIN};
    int32_t* entry = &f.grid.index[5];
    int32_t kept = *entry;
    for (int i = 0; i < 4; ++i) {
        *entry = bad[i];
        assert_int_equal(distanceGridCheck(&f.grid, NULL), shBadFile);
    }
    *entry = kept;
    f.grid.values[7] = INFINITY;
    assert_int_equal(distanceGridCheck(&f.grid, NULL), shBadFile);
    destroy(&f);
}

static void pointsThatAreNoNumbersAreHarmless(void** unused)
{
    (void)unused;
    makeBox();
    Fixture f = build(1, 20, distanceSignsAuto);
    const float odd[6] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0.0f};
    for (int i = 0; i < 216; ++i) {
        Vec3 p = {odd[i % 6], odd[i / 6 % 6], odd[i / 36]};
        (void)distanceGridSample(&f.grid, p);
        float lower = distanceGridLower(&f.grid, p);
        assert_true(lower >= 0.0f || isnan(lower));
    }
    destroy(&f);
}

static void checkLanes(const char* name, bool samples, const DistanceGrid* grid, int count, const float* x,
                       const float* y, const float* z, const float* out[4])
{
    for (int i = 0; i < count; ++i) {
        Vec3 p = {x[i], y[i], z[i]};
        DistanceSample s = distanceGridSample(grid, p);
        const float expected[4] = {samples ? s.distance : distanceGridLower(grid, p), s.gradient.x, s.gradient.y,
                                   s.gradient.z};
        for (int k = 0; k < (samples ? 4 : 1); ++k)
            if (memcmp(&expected[k], &out[k][i], sizeof(float)) != 0 && !(isnan(expected[k]) && isnan(out[k][i])))
                fail_msg("%s: point %d of %d, result %d: %a, not %a", name, i, count, k, (double)out[k][i],
                         (double)expected[k]);
    }
}

static void eightLanesGiveTheBitsOfOne(void** unused)
{
    (void)unused;
    state = 5;
    enum { most = 4003 };
    static float x[most], y[most], z[most], d[most], gx[most], gy[most], gz[most];
    const float* out[4] = {d, gx, gy, gz};
    for (int m = 0; m < 5; ++m) {
        makers[m]();
        Fixture f = build(1, 32, distanceSignsAuto);
        for (int i = 0; i < most; ++i) {
            Vec3 p = randomNear(&f, i, 5.0f * f.grid.shape.cellSize);
            x[i] = p.x, y[i] = p.y, z[i] = p.z;
        }
        x[0] = NAN, y[1] = INFINITY, z[2] = -INFINITY, x[3] = f.grid.shape.upper.x, y[4] = f.grid.shape.lower.y;
        x[5] = y[5] = z[5] = 1e30f;
        for (int pass = 0; pass < 9; ++pass) { // all, and a few: ends that do not fill eight lanes
            int count = pass == 8 ? most : pass;
            SIMD_NAME(distanceGridSamples)(&f.grid, count, x, y, z, d, gx, gy, gz);
            checkLanes("baseline", true, &f.grid, count, x, y, z, out);
            SIMD_CHOOSE(distanceGridSamples)(&f.grid, count, x, y, z, d, gx, gy, gz);
            checkLanes("chosen", true, &f.grid, count, x, y, z, out);
            SIMD_NAME(distanceGridLowers)(&f.grid, count, x, y, z, d);
            checkLanes("baseline", false, &f.grid, count, x, y, z, out);
            SIMD_CHOOSE(distanceGridLowers)(&f.grid, count, x, y, z, d);
            checkLanes("chosen", false, &f.grid, count, x, y, z, out);
        }
        destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHundredThousandPointsAgreeWithTheTriangles),
        cmocka_unit_test(everyModelHasAGrid),
        cmocka_unit_test(samplesAreExact),
        cmocka_unit_test(everyPointOfTheBandIsInABrickWithSamples),
        cmocka_unit_test(gradientsPointAwayFromTheSurface),
        cmocka_unit_test(oneAndTwoThreadsGiveTheSameBits),
        cmocka_unit_test(allBuildsGiveTheSameBits),
        cmocka_unit_test(windingNumbersGiveTheSameSigns),
        cmocka_unit_test(overlappingSolidsAreOne),
        cmocka_unit_test(whatCannotBeBuiltIsSaid),
        cmocka_unit_test(runningOutOfMemoryLeavesNothingBehind),
        cmocka_unit_test(damagedGridsAreRefused),
        cmocka_unit_test(eightLanesGiveTheBitsOfOne),
        cmocka_unit_test(pointsThatAreNoNumbersAreHarmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

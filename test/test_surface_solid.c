// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"
#include "core/trig.h"
#include "mesh/lattice_plan.h"
#include "mesh/surface_solid.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static shContext* context;

static TriMesh alloc(int vertices, int triangles)
{
    TriMesh mesh;
    assert_true(triMeshAlloc(&mesh, &context->memory, vertices, triangles, false, false));
    return mesh;
}

// A ball of latitude and longitude; its poles are fans. `cut`: rings left out at the top.
static TriMesh makeBall(DVec3 center, double radius, int n, int cut)
{
    int rings = n - 1, around = 2 * n, count = 0;
    TriMesh mesh = alloc(rings * around + 2, 2 * around * rings);
    for (int r = 0; r < rings; ++r)
        for (int a = 0; a < around; ++a) {
            double theta = TRIG_PI * (r + 1) / n, phi = TRIG_PI * a / n;
            DVec3 out = {trigSin(theta) * trigCos(phi), trigSin(theta) * trigSin(phi), -trigCos(theta)};
            mesh.vertices[r * around + a] = dMad(center, radius, out);
        }
    mesh.vertices[rings * around] = dMad(center, -radius, dvec3(0.0, 0.0, 1.0));
    mesh.vertices[rings * around + 1] = dMad(center, radius, dvec3(0.0, 0.0, 1.0));
    for (int a = 0; a < around; ++a) {
        int b = (a + 1) % around, last = (rings - 1) * around;
        memcpy(mesh.triangles[count++], (const int[3]){rings * around, b, a}, sizeof(int[3]));
        for (int r = 0; r + 1 < rings - cut; ++r) {
            int p = r * around + a, q = r * around + b;
            memcpy(mesh.triangles[count++], (const int[3]){p, q, q + around}, sizeof(int[3]));
            memcpy(mesh.triangles[count++], (const int[3]){p, q + around, p + around}, sizeof(int[3]));
        }
        if (cut == 0)
            memcpy(mesh.triangles[count++], (const int[3]){rings * around + 1, last + a, last + b}, sizeof(int[3]));
    }
    mesh.triangleCount = count;
    return mesh;
}

// The allocated count is needed to give the mesh back.
static void freeBall(TriMesh* mesh, int n)
{
    mesh->triangleCount = 2 * 2 * n * (n - 1);
    triMeshFree(mesh, &context->memory);
}

static SurfaceSolid build(const TriMesh* mesh, OpenPolicy open, double thickness)
{
    SurfaceSolid solid;
    SurfaceSolidDef def = {.open = open, .thickness = thickness};
    assert_true(surfaceSolidBuild(&solid, context, &context->memory, mesh, &def));
    return solid;
}

// The twin: solid angles of all triangles, one by one, in the orientation that the solid settled on.
static double exactWinding(const SurfaceSolid* s, DVec3 p)
{
    double turns = 0.0;
    for (int t = 0; t < s->triangleCount; ++t) {
        if (s->roles[t] != roleBoundary && s->roles[t] != roleInner)
            continue;
        DVec3 a = dSub(s->vertices[s->triangles[t][0]], p), b = dSub(s->vertices[s->triangles[t][1]], p);
        DVec3 c = dSub(s->vertices[s->triangles[t][2]], p);
        double la = dLength(a), lb = dLength(b), lc = dLength(c);
        turns += trigAtan2(dDot(a, dCross(b, c)), la * lb * lc + dDot(a, b) * lc + dDot(b, c) * la + dDot(c, a) * lb) /
                 (2.0 * TRIG_PI);
    }
    return turns;
}

static double exactThick(const SurfaceSolid* s, DVec3 p)
{
    double best = (double)INFINITY;
    for (int slot = 0; slot < s->thick.query.triangleCount; ++slot) {
        const DVec3* c = s->thick.query.corners[slot];
        best = minD(best, triClosest(c[0], c[1], c[2], p).distance - s->thick.radius[slot]);
    }
    return best;
}

static void agreesWithBruteForce(const SurfaceSolid* s)
{
    Random random = randomSeed(5);
    int inside = 0, count = 3000;
    for (int i = 0; i < count; ++i) {
        DVec3 p = dvec3(randomRangeD(&random, s->lower.x - 0.2, s->upper.x + 0.2),
                        randomRangeD(&random, s->lower.y - 0.2, s->upper.y + 0.2),
                        randomRangeD(&random, s->lower.z - 0.2, s->upper.z + 0.2));
        TriHit hit;
        double thick = exactThick(s, p), winding = exactWinding(s, p);
        if (isfinite(thick))
            assert_true(fabs(thickDistance(&s->thick, p, &hit) - thick) < 1e-12);
        if (fabs(winding - 0.5) < 0.06 && thick >= 0.0)
            continue; // clusters are exact to 0.05
        bool wanted = winding > 0.5 || thick < 0.0;
        assert_int_equal(surfaceSolidInside(s, p), wanted);
        inside += wanted;
    }
    assert_true(inside > count / 50 && inside < count);
}

static void cleanBallsStayAsTheyAre(void** state)
{
    (void)state;
    TriMesh ball = makeBall(dvec3(1.0, 2.0, 3.0), 1.0, 16, 0);
    SurfaceSolid s = build(&ball, openByShape, 0.0);
    assert_int_equal(s.defects.openEdges + s.defects.turnedTriangles + s.defects.sheetTriangles +
                         s.defects.innerTriangles + s.defects.cappedHoles,
                     0);
    assert_int_equal(s.defects.components, 1);
    assert_true(fabs(surfaceSolidVolume(&s) - triMeshVolume(&ball)) < 1e-12);
    agreesWithBruteForce(&s);
    surfaceSolidFree(&s);
    freeBall(&ball, 16);
}

static void flippedFacesAreTurnedBack(void** state)
{
    (void)state;
    TriMesh ball = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 16, 0);
    double volume = triMeshVolume(&ball);
    for (int share = 1; share <= 3; ++share) { // a few, half, all of them
        Random random = randomSeed((uint64_t)share);
        int flipped = 0;
        for (int t = 0; t < ball.triangleCount; ++t)
            if (randomBelow(&random, 3) < share) {
                int* n = ball.triangles[t];
                int swap = n[0];
                n[0] = n[1];
                n[1] = swap;
                ++flipped;
            }
        SurfaceSolid s = build(&ball, openByShape, 0.0);
        assert_true(fabs(surfaceSolidVolume(&s) - volume) < 1e-9);
        assert_true(surfaceSolidInside(&s, dvec3(0.0, 0.0, 0.0)));
        assert_int_equal(s.defects.sheetTriangles, 0);
        agreesWithBruteForce(&s);
        for (int t = 0; t < ball.triangleCount; ++t) // undo
            if (s.turned[t]) {
                int* n = ball.triangles[t];
                int swap = n[0];
                n[0] = n[1];
                n[1] = swap;
                --flipped;
            }
        assert_int_equal(flipped, 0);
        surfaceSolidFree(&s);
    }
    freeBall(&ball, 16);
}

static void smallHolesAreCappedAndThenEveryWindingNumberIsWhole(void** state)
{
    (void)state;
    TriMesh ball = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 16, 2);
    SurfaceSolid s = build(&ball, openByShape, 0.0);
    assert_int_equal(s.defects.openEdges, 32);
    assert_int_equal(s.defects.cappedHoles, 1);
    assert_int_equal(s.defects.sheetTriangles, 0);
    Random random = randomSeed(2);
    for (int i = 0; i < 1000; ++i) {
        double winding = exactWinding(&s, randomVector(&random, 1.5));
        assert_true(fabs(winding - floor(winding + 0.5)) < 1e-6);
    }
    agreesWithBruteForce(&s);
    // The cap is where the ball was cut: at cos(3π/16) below the top.
    double z = trigCos(3.0 * TRIG_PI / 16.0);
    assert_true(surfaceSolidInside(&s, dvec3(0.0, 0.0, z - 0.01)));
    assert_false(surfaceSolidInside(&s, dvec3(0.0, 0.0, z + 0.01)));
    surfaceSolidFree(&s);
    freeBall(&ball, 16);
}

static void openBowlsBecomeShellsUnlessToldOtherwise(void** state)
{
    (void)state;
    TriMesh bowl = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 16, 7); // the lower half
    SurfaceSolid s = build(&bowl, openByShape, 0.1);
    assert_int_equal(s.defects.sheetTriangles, bowl.triangleCount);
    assert_false(surfaceSolidInside(&s, dvec3(0.0, 0.0, -0.5)));
    assert_true(surfaceSolidInside(&s, dvec3(0.0, 0.0, -0.97)));
    assert_true(surfaceSolidInside(&s, dvec3(0.0, 0.0, -1.04)));
    assert_false(surfaceSolidInside(&s, dvec3(0.0, 0.0, -1.06)));
    agreesWithBruteForce(&s);
    surfaceSolidFree(&s);
    s = build(&bowl, openFill, 0.0);
    assert_int_equal(s.defects.sheetTriangles, 0);
    assert_true(surfaceSolidInside(&s, dvec3(0.0, 0.0, -0.5)));
    surfaceSolidFree(&s);
    freeBall(&bowl, 16);
}

static TriMesh joined(const TriMesh* a, const TriMesh* b)
{
    TriMesh both = alloc(a->vertexCount + b->vertexCount, a->triangleCount + b->triangleCount);
    memcpy(both.vertices, a->vertices, (size_t)a->vertexCount * sizeof(DVec3));
    memcpy(both.vertices + a->vertexCount, b->vertices, (size_t)b->vertexCount * sizeof(DVec3));
    for (int t = 0; t < both.triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            both.triangles[t][k] =
                t < a->triangleCount ? a->triangles[t][k] : b->triangles[t - a->triangleCount][k] + a->vertexCount;
    return both;
}

static void overlappingShellsAreOneSolidAndInnerShellsCavities(void** state)
{
    (void)state;
    TriMesh one = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 12, 0), two = makeBall(dvec3(0.8, 0.1, 0.0), 1.0, 12, 0);
    TriMesh both = joined(&one, &two);
    SurfaceSolid s = build(&both, openByShape, 0.0);
    assert_int_equal(s.defects.components, 2);
    assert_true(s.defects.innerTriangles > 100);
    assert_true(surfaceSolidInside(&s, dvec3(0.4, 0.0, 0.0)));
    agreesWithBruteForce(&s);
    surfaceSolidFree(&s);
    triMeshFree(&both, &context->memory);

    TriMesh hollow = makeBall(dvec3(0.1, 0.0, 0.0), 0.6, 12, 0);
    for (int t = 0; t < hollow.triangleCount; ++t) { // facing inwards
        int swap = hollow.triangles[t][0];
        hollow.triangles[t][0] = hollow.triangles[t][1];
        hollow.triangles[t][1] = swap;
    }
    both = joined(&one, &hollow);
    s = build(&both, openByShape, 0.0);
    assert_false(surfaceSolidInside(&s, dvec3(0.1, 0.0, 0.0)));
    assert_true(surfaceSolidInside(&s, dvec3(-0.8, 0.0, 0.0)));
    agreesWithBruteForce(&s);
    surfaceSolidFree(&s);
    triMeshFree(&both, &context->memory);
    freeBall(&hollow, 12);
    freeBall(&one, 12);
    freeBall(&two, 12);
}

static void partsThatNearlyTouchAreGlued(void** state)
{
    (void)state;
    TriMesh one = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 12, 0), two = makeBall(dvec3(2.01, 0.0, 0.0), 1.0, 12, 0);
    TriMesh both = joined(&one, &two);
    SurfaceSolid s = build(&both, openByShape, 0.0);
    assert_false(surfaceSolidInside(&s, dvec3(1.005, 0.0, 0.0)));
    double* radius = NEW_ARRAY(&context->memory, double, s.triangleCount);
    int count = surfaceSolidGlue(&s, 0.06, radius);
    assert_true(count > 0 && count < s.triangleCount / 10);
    assert_true(surfaceSolidThicken(&s, radius));
    assert_true(surfaceSolidInside(&s, dvec3(1.005, 0.0, 0.0)));
    agreesWithBruteForce(&s);
    FREE_ARRAY(&context->memory, radius, s.triangleCount);
    surfaceSolidFree(&s);
    triMeshFree(&both, &context->memory);
    freeBall(&one, 12);
    freeBall(&two, 12);
}

// The twin of the sizes' branch and bound: every triangle.
static void sizesAreTheSmallestOfAllTriangles(void** state)
{
    (void)state;
    TriMesh one = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 12, 0), two = makeBall(dvec3(0.0, 0.0, 0.0), 0.97, 12, 0);
    for (int t = 0; t < two.triangleCount; ++t) {
        int swap = two.triangles[t][0];
        two.triangles[t][0] = two.triangles[t][1];
        two.triangles[t][1] = swap;
    }
    TriMesh both = joined(&one, &two);
    SurfaceSolid s = build(&both, openByShape, 0.0);
    LatticePlan plan;
    assert_true(latticePlan(&plan, &s, 0.2, 1e6, 0.0));
    assert_false(plan.uniform);
    assert_true(plan.finest < 0.03);
    Random random = randomSeed(9);
    for (int i = 0; i < 500; ++i) {
        DVec3 p = randomVector(&random, 2.0);
        double reach = 0.3 * randomDouble(&random), best = 2.0 * plan.cell;
        for (int t = 0; t < s.triangleCount; ++t) {
            const int* n = s.triangles[t];
            double d = triClosest(s.vertices[n[0]], s.vertices[n[1]], s.vertices[n[2]], p).distance;
            best = minD(best, plan.sizes[t] + 0.4 * maxD(d - reach, 0.0));
        }
        assert_true(fabs(latticePlanSize(p, reach, &plan) - best) < 1e-12);
    }
    latticePlanFree(&plan);
    surfaceSolidFree(&s);
    triMeshFree(&both, &context->memory);
    freeBall(&one, 12);
    freeBall(&two, 12);
}

static void theSameForAnyNumberOfWorkers(void** state)
{
    (void)state;
    TriMesh ball = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 16, 2);
    for (int t = 0; t < ball.triangleCount; t += 3) {
        int swap = ball.triangles[t][0];
        ball.triangles[t][0] = ball.triangles[t][1];
        ball.triangles[t][1] = swap;
    }
    shContextDef def = shDefaultContextDef();
    def.workerCount = 4;
    shContext* four;
    assert_int_equal(shCreateContext(&def, &four, NULL), shOk);
    SurfaceSolid a = build(&ball, openByShape, 0.0), b;
    SurfaceSolidDef usual = {0};
    assert_true(surfaceSolidBuild(&b, four, &four->memory, &ball, &usual));
    assert_int_equal(a.triangleCount, b.triangleCount);
    assert_memory_equal(a.triangles, b.triangles, (size_t)a.triangleCount * sizeof *a.triangles);
    assert_memory_equal(a.roles, b.roles, (size_t)a.triangleCount);
    surfaceSolidFree(&a);
    surfaceSolidFree(&b);
    assert_int_equal(shDestroyContext(four), 0);
    freeBall(&ball, 16);
}

static void runningOutOfMemoryLeavesNothingBehind(void** state)
{
    (void)state;
    TriMesh ball = makeBall(dvec3(0.0, 0.0, 0.0), 1.0, 6, 1);
    int failures = 0;
    for (int failAt = 2;; ++failAt) { // the first is for the context
        TestAllocator allocator = {.failAt = failAt};
        shContextDef def = shDefaultContextDef();
        def.allocator = testAllocatorHooks(&allocator);
        def.workerCount = 1;
        shContext* scarce;
        if (shCreateContext(&def, &scarce, NULL) != shOk)
            continue;
        SurfaceSolid s;
        SurfaceSolidDef fill = {.open = openFill};
        bool ok = surfaceSolidBuild(&s, scarce, &scarce->memory, &ball, &fill);
        if (ok)
            surfaceSolidFree(&s);
        failures += !ok;
        assert_int_equal(shContext_GetMemory(scarce).bytes, 0);
        assert_int_equal(shDestroyContext(scarce), 0);
        assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
        assert_int_equal(atomic_load(&allocator.bytes), 0);
        if (ok)
            break;
    }
    assert_true(failures > 20);
    freeBall(&ball, 6);
}

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    return shCreateContext(&def, &context, NULL);
}

static int tearDown(void** state)
{
    (void)state;
    return shDestroyContext(context) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleanBallsStayAsTheyAre),
        cmocka_unit_test(flippedFacesAreTurnedBack),
        cmocka_unit_test(smallHolesAreCappedAndThenEveryWindingNumberIsWhole),
        cmocka_unit_test(openBowlsBecomeShellsUnlessToldOtherwise),
        cmocka_unit_test(overlappingShellsAreOneSolidAndInnerShellsCavities),
        cmocka_unit_test(partsThatNearlyTouchAreGlued),
        cmocka_unit_test(sizesAreTheSmallestOfAllTriangles),
        cmocka_unit_test(theSameForAnyNumberOfWorkers),
        cmocka_unit_test(runningOutOfMemoryLeavesNothingBehind),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

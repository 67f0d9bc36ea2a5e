// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/random.h"
#include "core/trig.h"
#include "mesh/lattice.h"
#include "mesh/lattice_adapt.h"
#include "mesh/tri_query.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static shContext* context;

// A closed box with each side in n × n squares, corners not shared between sides.
static TriMesh makeBox(DVec3 size, int n)
{
    TriMesh mesh;
    int side = (n + 1) * (n + 1);
    assert_true(triMeshAlloc(&mesh, &context->memory, 6 * side, 12 * n * n, false, false));
    int triangle = 0;
    for (int s = 0; s < 6; ++s) {
        int axis = s / 2, sign = s % 2 == 0 ? 1 : -1;
        for (int i = 0; i < side; ++i) {
            double x[3];
            x[axis] = 0.5 * sign;
            x[(axis + 1) % 3] = (double)(i % (n + 1)) / n - 0.5;
            x[(axis + 2) % 3] = (double)(i / (n + 1)) / n - 0.5;
            mesh.vertices[s * side + i] = dvec3(size.x * x[0], size.y * x[1], size.z * x[2]);
        }
        for (int i = 0; i < n * n; ++i) {
            int a = s * side + i % n + (n + 1) * (i / n), corner[4] = {a, a + 1, a + n + 2, a + n + 1};
            for (int half = 0; half < 2; ++half) {
                int b = corner[half + 1], c = corner[half + 2];
                int* t = mesh.triangles[triangle++];
                t[0] = a;
                t[1] = sign > 0 ? b : c;
                t[2] = sign > 0 ? c : b;
            }
        }
    }
    return mesh;
}

static TetMesh meshOf(const TriMesh* surface, const LatticeSurfaceDef* def, LatticeReport* report)
{
    TetMesh mesh;
    shMessage message = {0};
    if (latticeMeshSurface(&mesh, context, surface, def, report, &message) != shOk)
        fail_msg("%s", message.text);
    if (tetMeshCheck(&mesh, &context->memory, &message) != shOk)
        fail_msg("%s", message.text);
    return mesh;
}

static double volumeOf(const TetMesh* mesh) { return tetMeshQuality(mesh, &context->memory).volume; }
static int euler(const TetMesh* mesh) { return mesh->surfaceNodeCount - mesh->triangleCount / 2; }

// The largest distance of the input's vertices and triangle middles from the mesh.
static double farthest(const TriMesh* input, const TetMesh* mesh)
{
    TriQuery query;
    DVec3* nodes = NEW_ARRAY(&context->memory, DVec3, mesh->surfaceNodeCount);
    for (int i = 0; i < mesh->surfaceNodeCount; ++i)
        nodes[i] = dFromV(mesh->nodes[i]);
    assert_true(triQueryBuild(&query, &context->memory, nodes, (const int(*)[3])mesh->triangles, mesh->triangleCount));
    double most = 0.0;
    for (int t = 0; t < input->triangleCount; ++t) {
        DVec3 sum = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            DVec3 p = input->vertices[input->triangles[t][k]];
            sum = dAdd(sum, p);
            most = maxD(most, triQueryClosest(&query, p, (double)INFINITY).distance);
        }
        most = maxD(most, triQueryClosest(&query, dScale(1.0 / 3.0, sum), (double)INFINITY).distance);
    }
    triQueryFree(&query, &context->memory);
    FREE_ARRAY(&context->memory, nodes, mesh->surfaceNodeCount);
    return most;
}

static void thinPlatesAreMeshedNotRefused(void** state)
{
    (void)state;
    static const double walls[] = {0.03, 0.02, 0.014};
    for (int i = 0; i < 3; ++i) {
        TriMesh plate = makeBox(dvec3(1.0, walls[i], 0.8), 4);
        LatticeSurfaceDef def = latticeDefaultSurfaceDef();
        def.maxTets = 400000;
        LatticeReport report;
        TetMesh mesh = meshOf(&plate, &def, &report);
        assert_true(report.adaptive);
        assert_int_equal(report.thickenedWalls, 0);
        assert_int_equal(euler(&mesh), 2);
        assert_true(fabs(volumeOf(&mesh) / (0.8 * walls[i]) - 1.0) < 0.01);
        print_message("wall %g: %d tets, %.1f° to %.1f°\n", walls[i], mesh.tetCount,
                      tetMeshQuality(&mesh, &context->memory).minDihedral,
                      tetMeshQuality(&mesh, &context->memory).maxDihedral);
        print_message("farthest %g of %g\n", farthest(&plate, &mesh), 0.005 * sqrt(1.64));
        assert_true(farthest(&plate, &mesh) < 0.006 * sqrt(1.64));
        tetMeshFree(&mesh, &context->memory);
        triMeshFree(&plate, &context->memory);
    }
}

static void aBudgetThickensWhatItCannotResolve(void** state)
{
    (void)state;
    TriMesh plate = makeBox(dvec3(1.0, 0.002, 0.8), 4);
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    def.maxTets = 20000;
    LatticeReport report;
    TetMesh mesh = meshOf(&plate, &def, &report);
    assert_true(report.thickenedWalls > 0 && report.thickenedTo > 0.004);
    assert_true(mesh.tetCount < 1.3 * 20000);
    assert_int_equal(euler(&mesh), 2);
    double t = report.thickenedTo, more = volumeOf(&mesh) / (0.8 * t);
    assert_true(more > 0.9 && more < 1.25); // the rim grows as well
    tetMeshFree(&mesh, &context->memory);
    triMeshFree(&plate, &context->memory);
}

// A thick block with a thin fin: small tetrahedra in the fin only.
static void sizesFollowTheThickness(void** state)
{
    (void)state;
    TriMesh block = makeBox(dvec3(1.0, 1.0, 1.0), 6), fin = makeBox(dvec3(0.02, 1.2, 0.9), 6), both;
    assert_true(triMeshAlloc(&both, &context->memory, block.vertexCount + fin.vertexCount,
                             block.triangleCount + fin.triangleCount, false, false));
    for (int v = 0; v < both.vertexCount; ++v)
        both.vertices[v] =
            v < block.vertexCount ? block.vertices[v] : dAdd(fin.vertices[v - block.vertexCount], dvec3(0.1, 0.9, 0.0));
    for (int t = 0; t < both.triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            both.triangles[t][k] = t < block.triangleCount
                                       ? block.triangles[t][k]
                                       : fin.triangles[t - block.triangleCount][k] + block.vertexCount;
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    LatticeReport report;
    TetMesh mesh = meshOf(&both, &def, &report);
    assert_true(report.adaptive && report.defects.innerTriangles > 0);
    double wanted = 1.0 + 0.02 * 0.9 * 1.0;
    assert_true(fabs(volumeOf(&mesh) / wanted - 1.0) < 0.005);
    double inFin = 0.0, inBlock = 0.0;
    int finTets = 0, blockTets = 0;
    for (int t = 0; t < mesh.tetCount; ++t) {
        DVec3 p[4], middle = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; ++k) {
            p[k] = dFromV(mesh.nodes[mesh.tets[t][k]]);
            middle = dMad(middle, 0.25, p[k]);
        }
        double volume = dOrient(p[0], p[1], p[2], p[3]) / 6.0;
        if (middle.y > 0.7) {
            inFin += volume;
            ++finTets;
        } else if (middle.y < -0.2) {
            inBlock += volume;
            ++blockTets;
        }
    }
    assert_true(finTets > 1000 && blockTets > 100 && inFin / finTets < 0.1 * inBlock / blockTets);
    tetMeshFree(&mesh, &context->memory);
    triMeshFree(&both, &context->memory);
    triMeshFree(&block, &context->memory);
    triMeshFree(&fin, &context->memory);
}

// The bare lattice on a ball of distances, with a size that shrinks towards one side.
static double ballDistance(DVec3 p, void* user)
{
    (void)user;
    return dLength(p) - 1.0;
}

static double sideSize(DVec3 p, double reach, void* user)
{
    (void)user;
    return maxD(0.04, 0.15 + 0.1 * (p.x - reach));
}

static void gradedLatticesMatchAndFillABall(void** state)
{
    (void)state;
    LatticeDef lattice = {.context = context,
                          .distance = ballDistance,
                          .lower = {-1.0, -1.0, -1.0},
                          .upper = {1.0, 1.0, 1.0},
                          .cell = 0.2};
    AdaptDef def = {.lattice = &lattice, .size = sideSize, .coarsest = 0.4};
    TetSoup soup = {0};
    LatticeReport report = {0};
    shMessage message = {0};
    assert_int_equal(latticeAdapt(&soup, &context->memory, &def, &report, &message), shOk);
    TetMesh mesh;
    if (tetMeshBuild(&mesh, &context->memory, soup.nodes.count, soup.nodes.data, soup.tets.count,
                     (const int(*)[4])soup.tets.data, false, &message) != shOk ||
        tetMeshCheck(&mesh, &context->memory, &message) != shOk) // every face matched: no hanging nodes
        fail_msg("%s", message.text);
    assert_int_equal(euler(&mesh), 2);
    TetQuality quality = tetMeshQuality(&mesh, &context->memory);
    print_message("ball: %d tets, %.1f° to %.1f°\n", mesh.tetCount, quality.minDihedral, quality.maxDihedral);
    assert_true(fabs(quality.volume / (4.0 / 3.0 * TRIG_PI) - 1.0) < 0.01);
    assert_true(quality.minDihedral > 5.0 && quality.maxDihedral < 170.0);
    for (int i = 0; i < mesh.surfaceNodeCount; ++i)
        assert_true(fabs(dLength(dFromV(mesh.nodes[i])) - 1.0) < 0.04);
    tetMeshFree(&mesh, &context->memory);
    tetSoupFree(&soup, &context->memory);
}

static void theSameForAnyNumberOfWorkers(void** state)
{
    (void)state;
    TriMesh plate = makeBox(dvec3(1.0, 0.02, 0.8), 3);
    plate.triangleCount -= 7; // and a hole
    shContextDef contextDef = shDefaultContextDef();
    contextDef.workerCount = 4;
    shContext* four;
    assert_int_equal(shCreateContext(&contextDef, &four, NULL), shOk);
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    TetMesh a = meshOf(&plate, &def, NULL), b;
    assert_int_equal(latticeMeshSurface(&b, four, &plate, &def, NULL, NULL), shOk);
    assert_int_equal(a.tetCount, b.tetCount);
    assert_int_equal(a.nodeCount, b.nodeCount);
    assert_memory_equal(a.nodes, b.nodes, (size_t)a.nodeCount * sizeof *a.nodes);
    assert_memory_equal(a.tets, b.tets, (size_t)a.tetCount * sizeof *a.tets);
    assert_memory_equal(a.corners, b.corners, (size_t)a.triangleCount * sizeof *a.corners);
    tetMeshFree(&b, &four->memory);
    assert_int_equal(shDestroyContext(four), 0);
    tetMeshFree(&a, &context->memory);
    plate.triangleCount += 7;
    triMeshFree(&plate, &context->memory);
}

// Scaled by powers of ten and moved, the same model gives the same mesh but for rounding.
static void sizeAndPlaceMakeNoDifference(void** state)
{
    (void)state;
    static const double scales[] = {1.0, 0.01, 100.0, 1.0};
    static const double shifts[] = {0.0, 0.0, 0.0, 300.0};
    int tets[4];
    double volumes[4];
    for (int i = 0; i < 4; ++i) {
        TriMesh plate = makeBox(dvec3(1.0, 0.03, 0.8), 3);
        for (int v = 0; v < plate.vertexCount; ++v)
            plate.vertices[v] = dAdd(dScale(scales[i], plate.vertices[v]), dvec3(shifts[i], 0.0, shifts[i]));
        LatticeSurfaceDef def = latticeDefaultSurfaceDef();
        TetMesh mesh = meshOf(&plate, &def, NULL);
        tets[i] = mesh.tetCount;
        volumes[i] = volumeOf(&mesh) / (scales[i] * scales[i] * scales[i]);
        tetMeshFree(&mesh, &context->memory);
        triMeshFree(&plate, &context->memory);
    }
    for (int i = 1; i < 4; ++i) {
        assert_true(abs(tets[i] - tets[0]) <= tets[0] / 50);
        assert_true(fabs(volumes[i] / volumes[0] - 1.0) < 1e-3);
    }
}

static void everyFailedAllocationIsReportedAndLeaksNothing(void** state)
{
    (void)state;
    TriMesh plate = makeBox(dvec3(1.0, 0.05, 0.8), 1);
    plate.triangleCount -= 2;
    shStatus status = shOutOfMemory;
    for (int failAt = 1; status != shOk; failAt += 1 + failAt / 8) {
        TestAllocator allocator = {.failAt = failAt};
        shContextDef contextDef = shDefaultContextDef();
        contextDef.allocator = testAllocatorHooks(&allocator);
        contextDef.workerCount = 1;
        shContext* scarce;
        if (shCreateContext(&contextDef, &scarce, NULL) != shOk)
            continue;
        LatticeSurfaceDef def = latticeDefaultSurfaceDef();
        def.cell = 0.2;
        def.open = openFill;
        TetMesh mesh;
        status = latticeMeshSurface(&mesh, scarce, &plate, &def, NULL, NULL);
        assert_true(status == shOk || status == shOutOfMemory);
        tetMeshFree(&mesh, &scarce->memory);
        assert_int_equal(shContext_GetMemory(scarce).bytes, 0);
        assert_int_equal(shDestroyContext(scarce), 0);
        assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
    }
    plate.triangleCount += 2;
    triMeshFree(&plate, &context->memory);
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
        cmocka_unit_test(thinPlatesAreMeshedNotRefused),
        cmocka_unit_test(aBudgetThickensWhatItCannotResolve),
        cmocka_unit_test(sizesFollowTheThickness),
        cmocka_unit_test(gradedLatticesMatchAndFillABall),
        cmocka_unit_test(theSameForAnyNumberOfWorkers),
        cmocka_unit_test(sizeAndPlaceMakeNoDifference),
        cmocka_unit_test(everyFailedAllocationIsReportedAndLeaksNothing),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/trig.h"
#include "mesh/lattice.h"
#include "mesh/tri_query.h"
#include "test/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static shContext* context;
static uint64_t seed = 1;

static double random01(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

// Solids --------------------------------------------------------------------------------------------------------------

typedef struct Ball {
    DVec3 center;
    double radius, wall; // wall 0: solid
} Ball;

static double ballDistance(DVec3 p, void* user)
{
    const Ball* b = user;
    double d = dDistance(p, b->center) - b->radius;
    return b->wall > 0.0 ? maxD(d, -b->wall - d) : d;
}

static double torusDistance(DVec3 p, void* user)
{
    (void)user;
    double q = sqrt(p.x * p.x + p.y * p.y) - 1.0;
    return sqrt(q * q + p.z * p.z) - 0.4;
}

static double twoBallsDistance(DVec3 p, void* user)
{
    (void)user;
    return minD(dDistance(p, dvec3(-1.0, 0.0, 0.0)) - 0.5, dDistance(p, dvec3(1.0, 0.0, 0.0)) - 0.7);
}

static double nanDistance(DVec3 p, void* user) { return p.x > 0.3 ? (double)NAN : ballDistance(p, user); }

static LatticeDef ballDef(Ball* ball, double cell)
{
    double r = ball->radius;
    DVec3 size = {r, r, r};
    return (LatticeDef){.context = context,
                        .distance = ballDistance,
                        .user = ball,
                        .lower = dSub(ball->center, size),
                        .upper = dAdd(ball->center, size),
                        .cell = cell};
}

static LatticeDef torusDef(double cell)
{
    return (LatticeDef){.context = context,
                        .distance = torusDistance,
                        .lower = {-1.4, -1.4, -0.4},
                        .upper = {1.4, 1.4, 0.4},
                        .cell = cell};
}

// A closed surface: the unit cube about the origin with each side in n × n squares, turned by two angles.
static TriMesh makeCube(int n, double turn, double tilt)
{
    TriMesh mesh;
    int side = (n + 1) * (n + 1);
    assert_true(triMeshAlloc(&mesh, &context->memory, 6 * side, 12 * n * n, false, true));
    int triangle = 0;
    double ct = cos(turn), st = sin(turn), cp = cos(tilt), sp = sin(tilt);
    for (int s = 0; s < 6; ++s) {
        int axis = s / 2, sign = s % 2 == 0 ? 1 : -1;
        for (int i = 0; i < side; ++i) {
            double x[3];
            x[axis] = 0.5 * sign;
            x[(axis + 1) % 3] = (double)(i % (n + 1)) / n - 0.5;
            x[(axis + 2) % 3] = (double)(i / (n + 1)) / n - 0.5;
            DVec3 a = {ct * x[0] - st * x[1], st * x[0] + ct * x[1], x[2]};
            mesh.vertices[s * side + i] = dvec3(a.x, cp * a.y - sp * a.z, sp * a.y + cp * a.z);
        }
        for (int i = 0; i < n * n; ++i) {
            int a = s * side + i % n + (n + 1) * (i / n), corner[4] = {a, a + 1, a + n + 2, a + n + 1};
            for (int half = 0; half < 2; ++half) {
                int b = corner[half + 1], c = corner[half + 2];
                int* t = mesh.triangles[triangle];
                t[0] = a;
                t[1] = sign > 0 ? b : c;
                t[2] = sign > 0 ? c : b;
                mesh.groups[triangle++] = (uint16_t)s;
            }
        }
    }
    return mesh;
}

// A ball of latitude and longitude, with separate vertices for each triangle as STL files have them.
static TriMesh makeRoughBall(int n)
{
    TriMesh mesh;
    int count = 4 * n * n;
    assert_true(triMeshAlloc(&mesh, &context->memory, 3 * count, count, false, false));
    for (int i = 0; i < count; ++i) {
        int cell = i / 2, u = cell % (2 * n), v = cell / (2 * n);
        int at[3][2] = {{u, v}, {u + 1, v + i % 2}, {u + i % 2 * -1 + 1, v + 1}};
        for (int k = 0; k < 3; ++k) {
            double phi = TRIG_PI * (at[k][0] % (2 * n)) / n, theta = TRIG_PI * at[k][1] / n;
            double r = at[k][1] == 0 || at[k][1] == n ? 0.0 : sin(theta);
            mesh.vertices[3 * i + k] = dvec3(r * cos(phi), r * sin(phi), -cos(theta));
            mesh.triangles[i][k] = 3 * i + k;
        }
    }
    return mesh;
}

static DVec3 nodeAt(const TetMesh* mesh, int n) { return dFromV(mesh->nodes[n]); }

static int euler(const TetMesh* mesh) { return mesh->surfaceNodeCount - mesh->triangleCount / 2; }

static TetMesh meshOf(const LatticeDef* def)
{
    TetMesh mesh;
    shMessage message = {0};
    if (latticeMesh(&mesh, &context->memory, def, NULL, &message) != shOk)
        fail_msg("%s", message.text);
    if (tetMeshCheck(&mesh, &context->memory, &message) != shOk)
        fail_msg("%s", message.text);
    return mesh;
}

static TetMesh meshOfSurface(const TriMesh* surface, const LatticeSurfaceDef* def, LatticeReport* report)
{
    TetMesh mesh;
    shMessage message = {0};
    if (latticeMeshSurface(&mesh, context, surface, def, report, &message) != shOk)
        fail_msg("%s", message.text);
    if (tetMeshCheck(&mesh, &context->memory, &message) != shOk)
        fail_msg("%s", message.text);
    return mesh;
}

// Smooth solids -------------------------------------------------------------------------------------------------------

static void ballsNodesLieOnTheSurfaceAndItsVolumeTendsToTheExactOne(void** state)
{
    (void)state;
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        Ball ball = {{0.1, -0.2, 0.3}, 1.0, 0.0};
        LatticeDef def = ballDef(&ball, fine ? 0.1 : 0.2);
        TetMesh mesh = meshOf(&def);
        assert_int_equal(euler(&mesh), 2);
        for (int n = 0; n < mesh.surfaceNodeCount; ++n)
            assert_true(fabs(ballDistance(nodeAt(&mesh, n), &ball)) < 2e-7);
        for (int c = 0; c < 3 * mesh.triangleCount; ++c) {
            DVec3 normal = dFromV(mesh.corners[c / 3][c % 3].normal);
            DVec3 exact = dNormalize(dSub(nodeAt(&mesh, mesh.triangles[c / 3][c % 3]), ball.center));
            assert_true(dDistance(normal, exact) < 1e-5);
        }
        errors[fine] = 1.0 - tetMeshQuality(&mesh, &context->memory).volume / (4.0 / 3.0 * TRIG_PI);
        tetMeshFree(&mesh, &context->memory);
    }
    assert_true(errors[0] > 0.0 && errors[0] < 0.02);
    assert_true(fabs(errors[1] / errors[0] - 0.25) < 0.05);
}

static void dihedralAnglesStayWithinTheProvenBounds(void** state)
{
    (void)state;
    double least = 180.0, most = 0.0;
    for (int k = 0; k < 24; ++k) {
        Ball ball = {{random01(), random01(), random01()}, 3.0 + 5.0 * random01(), 0.0};
        LatticeDef def = k % 4 > 0 ? ballDef(&ball, 1.0) : torusDef(0.1 + 0.1 * random01());
        def.lower = dSub(def.lower, dvec3(random01(), random01(), random01()));
        TetMesh mesh = meshOf(&def);
        assert_int_equal(euler(&mesh), k % 4 > 0 ? 2 : 0);
        TetQuality quality = tetMeshQuality(&mesh, &context->memory);
        least = minD(least, quality.minDihedral);
        most = maxD(most, quality.maxDihedral);
        tetMeshFree(&mesh, &context->memory);
    }
    print_message("dihedral angles %.1f to %.1f\n", least, most);
    assert_true(least >= 10.7 && most <= 164.8);
}

static void torusComesWithinHalfAPerCentOfItsSurfaceOnBothSides(void** state)
{
    (void)state;
    LatticeDef def = torusDef(0.1);
    TetMesh mesh = meshOf(&def);
    double diagonal = dLength(dvec3(2.8, 2.8, 0.8)), worst = 0.0;
    for (int t = 0; t < mesh.triangleCount; ++t) {
        const int* n = mesh.triangles[t];
        DVec3 a = nodeAt(&mesh, n[0]), b = nodeAt(&mesh, n[1]), c = nodeAt(&mesh, n[2]);
        worst = maxD(worst, fabs(torusDistance(dScale(1.0 / 3.0, dAdd(dAdd(a, b), c)), NULL)));
        worst = maxD(worst, fabs(torusDistance(dLerp(a, b, 0.5), NULL)));
    }
    assert_true(worst < 0.005 * diagonal);
    DVec3* vertices = NEW_ARRAY(&context->memory, DVec3, mesh.surfaceNodeCount);
    for (int n = 0; n < mesh.surfaceNodeCount; ++n)
        vertices[n] = nodeAt(&mesh, n);
    TriQuery query;
    assert_true(triQueryBuild(&query, &context->memory, vertices, (const int(*)[3])mesh.triangles, mesh.triangleCount));
    for (int k = 0; k < 20000; ++k) {
        double u = 2.0 * TRIG_PI * random01(), v = 2.0 * TRIG_PI * random01(), r = 1.0 + 0.4 * cos(v);
        DVec3 p = {r * cos(u), r * sin(u), 0.4 * sin(v)};
        assert_true(triQueryClosest(&query, p, (double)INFINITY).distance < 0.005 * diagonal);
    }
    triQueryFree(&query, &context->memory);
    FREE_ARRAY(&context->memory, vertices, mesh.surfaceNodeCount);
    tetMeshFree(&mesh, &context->memory);
}

static void surfaceEdgesAreSplitUntilTheyFollowTheSurface(void** state)
{
    (void)state;
    double worst[2];
    for (int fit = 0; fit < 2; ++fit) {
        LatticeDef def = torusDef(0.25);
        def.tolerance = fit ? 0.008 : 0.0;
        TetMesh mesh = meshOf(&def);
        worst[fit] = 0.0;
        for (int c = 0; c < 3 * mesh.triangleCount; ++c) {
            const int* n = mesh.triangles[c / 3];
            DVec3 middle = dLerp(nodeAt(&mesh, n[c % 3]), nodeAt(&mesh, n[(c + 1) % 3]), 0.5);
            worst[fit] = maxD(worst[fit], fabs(torusDistance(middle, NULL)));
        }
        TetQuality quality = tetMeshQuality(&mesh, &context->memory);
        assert_true(quality.minDihedral > 5.0 && quality.maxDihedral < 170.0);
        tetMeshFree(&mesh, &context->memory);
    }
    assert_true(worst[0] > 0.012);
    assert_true(worst[1] < 0.0081);
}

static void onlyPointsNearTheSurfaceAreAskedForTheirDistance(void** state)
{
    (void)state;
    Ball ball = {{0.0, 0.0, 0.0}, 1.0, 0.0};
    LatticeDef def = ballDef(&ball, 0.04);
    LatticeReport report;
    TetMesh mesh;
    assert_int_equal(latticeMesh(&mesh, &context->memory, &def, &report, NULL), shOk);
    assert_true(report.pointCount > 250000);
    assert_true(report.evaluationCount * 4 < report.pointCount);
    tetMeshFree(&mesh, &context->memory);
}

// Thin walls and pieces -----------------------------------------------------------------------------------------------

static void shellsAreWholeDownToAWallOfOneCell(void** state)
{
    (void)state;
    const double walls[] = {0.1001, 0.12, 0.16, 0.25};
    for (int k = 0; k < 4; ++k) {
        Ball ball = {{0.3 * k, 0.0, 0.1 * k}, 1.0, walls[k]};
        LatticeDef def = ballDef(&ball, 0.1);
        def.upper.y += 0.02;
        TetMesh mesh = meshOf(&def);
        assert_int_equal(euler(&mesh), 4); // two closed surfaces
        TetQuality quality = tetMeshQuality(&mesh, &context->memory);
        double r = 1.0 - ball.wall, exact = 4.0 / 3.0 * TRIG_PI * (1.0 - r * r * r);
        assert_true(fabs(quality.volume / exact - 1.0) < 0.02);
        assert_true(quality.minDihedral > (k == 0 ? 2.0 : 10.7));
        tetMeshFree(&mesh, &context->memory);
    }
}

static void expect(const LatticeDef* def, shStatus expected, const char* text)
{
    TetMesh mesh;
    shMessage message = {0};
    shStatus status = latticeMesh(&mesh, &context->memory, def, NULL, &message);
    if (status != expected || strstr(message.text, text) == NULL)
        fail_msg("status %d: %s", status, message.text);
    assert_null(mesh.nodes);
    assert_int_equal(mesh.nodeCount, 0);
}

static double discDistance(DVec3 p, void* user)
{
    (void)user;
    double out = maxD(sqrt(p.x * p.x + p.y * p.y) - 1.0, 0.0), up = fabs(p.z) - 0.01;
    double disc = up > 0.0 || out > 0.0 ? sqrt(out * out + maxD(up, 0.0) * maxD(up, 0.0)) : up;
    return minD(disc, dLength(p) - 0.3); // a ball with a brim of a tenth of a cell
}

static void partsThinnerThanACellAreAnError(void** state)
{
    (void)state;
    LatticeDef hat = {.context = context,
                      .distance = discDistance,
                      .lower = {-1.0, -1.0, -0.33},
                      .upper = {1.0, 1.0, 0.3},
                      .cell = 0.1};
    expect(&hat, shBadMesh, "falls between the lattice points");
    hat.allowThin = true;
    TetMesh mesh = meshOf(&hat);
    tetMeshFree(&mesh, &context->memory);
    for (int k = 0; k < 4; ++k) {
        Ball shell = {{0.013 * k, 0.027 * k, 0.041 * k}, 1.0, 0.05 + 0.01 * k};
        LatticeDef thin = ballDef(&shell, 0.1);
        expect(&thin, shBadMesh, "thinner than the cell of 0.1 m");
    }
    Ball bubble = {{0.0, 0.0, 0.0}, 1.0, 1e-6};
    LatticeDef def = ballDef(&bubble, 0.1003);
    def.upper.x += 0.031;
    expect(&def, shBadMesh, "encloses nothing");
}

static void piecesAreAnErrorOrTheLargestIsKept(void** state)
{
    (void)state;
    LatticeDef def = {.context = context,
                      .distance = twoBallsDistance,
                      .lower = {-1.5, -0.7, -0.7},
                      .upper = {1.7, 0.7, 0.7},
                      .cell = 0.1};
    expect(&def, shBadMesh, "in 2 pieces");
    def.pieces = latticeKeepLargest;
    LatticeReport report;
    TetMesh mesh;
    assert_int_equal(latticeMesh(&mesh, &context->memory, &def, &report, NULL), shOk);
    assert_int_equal(report.piecesLeftOut, 1);
    double volume = tetMeshQuality(&mesh, &context->memory).volume, exact = 4.0 / 3.0 * TRIG_PI * 0.343;
    assert_true(fabs(volume / exact - 1.0) < 0.02);
    tetMeshFree(&mesh, &context->memory);
}

static void nonsenseIsRefused(void** state)
{
    (void)state;
    Ball ball = {{0.0, 0.0, 0.0}, 1.0, 0.0};
    LatticeDef def = ballDef(&ball, 0.0);
    expect(&def, shInvalid, "a cell of 0 m");
    def.cell = (double)NAN;
    expect(&def, shInvalid, "a cell of");
    def.cell = 1e-4;
    expect(&def, shLimit, "take a larger cell");
    def = ballDef(&ball, 0.1);
    def.upper.y = (double)INFINITY;
    expect(&def, shInvalid, "box");
    def = ballDef(&ball, 0.1);
    def.upper.x = 0.5;
    expect(&def, shInvalid, "beyond its box");
    def = ballDef(&ball, 0.1);
    def.distance = nanDistance;
    expect(&def, shInvalid, "not finite");
}

// Surfaces ------------------------------------------------------------------------------------------------------------

// Distance from the edges of the unit cube, in its own frame.
static double fromEdges(DVec3 p)
{
    double x = fabs(fabs(p.x) - 0.5), y = fabs(fabs(p.y) - 0.5), z = fabs(fabs(p.z) - 0.5);
    return minD(sqrt(x * x + y * y), minD(sqrt(y * y + z * z), sqrt(z * z + x * x)));
}

// Sums up the sharp edges; all must be edges of the cube.
static double sharpLength(const TetMesh* mesh)
{
    double length = 0.0;
    for (int t = 0; t < mesh->triangleCount; ++t)
        for (int k = 0; k < 3; ++k) {
            int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3];
            for (int o = 0; o < mesh->triangleCount; ++o)
                for (int j = 0; j < 3; ++j) {
                    if (mesh->triangles[o][j] != b || mesh->triangles[o][(j + 1) % 3] != a)
                        continue;
                    const int *m = mesh->triangles[t], *n = mesh->triangles[o];
                    DVec3 one = dCross(dSub(nodeAt(mesh, m[1]), nodeAt(mesh, m[0])),
                                       dSub(nodeAt(mesh, m[2]), nodeAt(mesh, m[0])));
                    DVec3 other = dCross(dSub(nodeAt(mesh, n[1]), nodeAt(mesh, n[0])),
                                         dSub(nodeAt(mesh, n[2]), nodeAt(mesh, n[0])));
                    if (dDot(dNormalize(one), dNormalize(other)) > 0.77)
                        continue;
                    length += 0.5 * dDistance(nodeAt(mesh, a), nodeAt(mesh, b));
                    assert_true(fromEdges(nodeAt(mesh, a)) < 1e-6 && fromEdges(nodeAt(mesh, b)) < 1e-6);
                }
        }
    return length;
}

static void cubeKeepsItsCornersEdgesAndGroups(void** state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        TriMesh cube = makeCube(1 + k, 0.0, 0.0);
        LatticeSurfaceDef def = latticeDefaultSurfaceDef();
        def.cell = 0.081 + 0.037 * k;
        LatticeReport report;
        TetMesh mesh = meshOfSurface(&cube, &def, &report);
        assert_int_equal(report.creasesMissed, 0);
        assert_int_equal(euler(&mesh), 2);
        int corners = 0;
        for (int n = 0; n < mesh.surfaceNodeCount; ++n) {
            DVec3 p = nodeAt(&mesh, n);
            corners += fabs(p.x) == 0.5 && fabs(p.y) == 0.5 && fabs(p.z) == 0.5;
            assert_true(fabs(maxD(fabs(p.x), maxD(fabs(p.y), fabs(p.z))) - 0.5) < 1e-7);
        }
        assert_int_equal(corners, 8);
        assert_true(fabs(sharpLength(&mesh) - 12.0) < 1e-5);
        TetQuality quality = tetMeshQuality(&mesh, &context->memory);
        assert_true(fabs(quality.volume - 1.0) < 1e-6);
        assert_true(quality.minDihedral > 15.0 && quality.maxDihedral < 150.0);
        for (int t = 0; t < mesh.triangleCount; ++t) {
            int axis = mesh.groups[t] / 2;
            double sign = mesh.groups[t] % 2 == 0 ? 0.5 : -0.5;
            for (int c = 0; c < 3; ++c) {
                DVec3 p = nodeAt(&mesh, mesh.triangles[t][c]);
                assert_true(fabs((axis == 0 ? p.x : axis == 1 ? p.y : p.z) - sign) < 1e-7);
                assert_true((double)vGet(mesh.corners[t][c].normal, axis) * sign > 0.499);
            }
        }
        tetMeshFree(&mesh, &context->memory);
        triMeshFree(&cube, &context->memory);
    }
}

static void turnedCubesKeepTheirCornersAndNearlyAllOfTheirEdges(void** state)
{
    (void)state;
    int triangles = 0, missed = 0;
    for (int k = 0; k < 12; ++k) {
        double turn = 3.0 * random01(), tilt = 3.0 * random01();
        TriMesh cube = makeCube(1, turn, tilt);
        LatticeSurfaceDef def = latticeDefaultSurfaceDef();
        def.cell = 0.1 + 0.08 * random01();
        LatticeReport report;
        TetMesh mesh = meshOfSurface(&cube, &def, &report);
        triangles += mesh.triangleCount;
        missed += report.creasesMissed;
        int corners = 0;
        for (int n = 0; n < mesh.surfaceNodeCount; ++n)
            corners += fabs(dLength(nodeAt(&mesh, n)) - sqrt(0.75)) < 1e-6;
        assert_int_equal(corners, 8);
        TetQuality quality = tetMeshQuality(&mesh, &context->memory);
        assert_true(fabs(quality.volume - 1.0) < 1e-3);
        assert_true(quality.minDihedral > 2.0);
        tetMeshFree(&mesh, &context->memory);
        triMeshFree(&cube, &context->memory);
    }
    print_message("%d of %d triangles bridge a crease\n", missed, triangles);
    assert_true(missed * 500 < triangles);
}

static void dirtySurfacesAreMeshedByTheirWindingNumber(void** state)
{
    (void)state;
    TriMesh ball = makeRoughBall(16);
    // Torn open in places, and with flakes that lie about inside and cross the surface.
    for (int t = 64; t < ball.triangleCount; t += 97)
        for (int k = 0; k < 3; ++k)
            ball.triangles[t][k] = ball.triangles[0][k];
    for (int t = 80; t < ball.triangleCount; t += 211)
        for (int k = 0; k < 3; ++k)
            ball.vertices[3 * t + k] = dScale(0.9, ball.vertices[3 * t + k]);
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    def.cell = 0.09;
    def.allowThin = true;
    TetMesh mesh = meshOfSurface(&ball, &def, NULL);
    assert_int_equal(euler(&mesh), 2);
    double volume = tetMeshQuality(&mesh, &context->memory).volume;
    assert_true(fabs(volume / (4.0 / 3.0 * TRIG_PI) - 1.0) < 0.05);
    tetMeshFree(&mesh, &context->memory);
    triMeshFree(&ball, &context->memory);
}

static void expectSurface(const TriMesh* surface, double cell, shStatus expected, const char* text)
{
    TetMesh mesh;
    shMessage message = {0};
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    def.cell = cell;
    shStatus status = latticeMeshSurface(&mesh, context, surface, &def, NULL, &message);
    if (status != expected || strstr(message.text, text) == NULL)
        fail_msg("status %d: %s", status, message.text);
    assert_null(mesh.nodes);
}

static void surfacesThatAreNoSolidAreRefused(void** state)
{
    (void)state;
    TriMesh cube = makeCube(4, 0.0, 0.0);
    cube.triangleCount = 32; // one side only
    // A sheet: a thickness with a round rim.
    LatticeSurfaceDef def = latticeDefaultSurfaceDef();
    LatticeReport report;
    def.thickness = 0.05;
    TetMesh plate = meshOfSurface(&cube, &def, &report);
    double volume = 0.05 + 4.0 * TRIG_PI * 0.05 * 0.05 / 8.0 + 4.0 / 3.0 * TRIG_PI * 0.025 * 0.025 * 0.025;
    assert_true(fabs(tetMeshQuality(&plate, &context->memory).volume / volume - 1.0) < 0.01);
    assert_int_equal(euler(&plate), 2);
    assert_true(report.adaptive && report.defects.sheetTriangles == 32 && report.thickness == 0.05);
    tetMeshFree(&plate, &context->memory);
    cube.triangleCount = 64; // two opposite sides, pressed together
    for (int v = 0; v < cube.vertexCount; ++v)
        cube.vertices[v].x = 0.0;
    plate = meshOfSurface(&cube, &def, &report);
    assert_true(fabs(tetMeshQuality(&plate, &context->memory).volume / volume - 1.0) < 0.01);
    tetMeshFree(&plate, &context->memory);
    cube.triangleCount = 0;
    expectSurface(&cube, 0.1, shBadMesh, "enclose nothing");
    cube.triangleCount = 192;
    expectSurface(&cube, -1.0, shInvalid, "makes no sense");
    cube.triangles[7][1] = cube.vertexCount;
    expectSurface(&cube, 0.1, shBadMesh, "triangle 7: vertex index 150");
    cube.triangles[7][1] = -1;
    expectSurface(&cube, 0.1, shBadMesh, "triangle 7: vertex index -1");
    cube.vertices[3].z = (double)NAN;
    expectSurface(&cube, 0.1, shBadMesh, "vertex 3 is not finite");
    triMeshFree(&cube, &context->memory);
}

// Everywhere the same -------------------------------------------------------------------------------------------------

static bool sameMesh(const TetMesh* a, const TetMesh* b)
{
    return a->nodeCount == b->nodeCount && a->tetCount == b->tetCount && a->triangleCount == b->triangleCount &&
           memcmp(a->nodes, b->nodes, (size_t)a->nodeCount * sizeof *a->nodes) == 0 &&
           memcmp(a->tets, b->tets, (size_t)a->tetCount * sizeof *a->tets) == 0 &&
           memcmp(a->corners, b->corners, (size_t)a->triangleCount * sizeof *a->corners) == 0;
}

static void oneWorkerAndSeveralGiveTheSameBits(void** state)
{
    (void)state;
    Ball shell = {{0.0, 0.1, 0.2}, 1.0, 0.12};
    LatticeDef def = ballDef(&shell, 0.1);
    def.tolerance = 0.002;
    TetMesh many = meshOf(&def);
    def.context = NULL;
    TetMesh one = meshOf(&def);
    assert_true(sameMesh(&many, &one));
    tetMeshFree(&one, &context->memory);
    tetMeshFree(&many, &context->memory);
}

static void everyFailedAllocationIsReportedAndLeaksNothing(void** state)
{
    (void)state;
    TriMesh cube = makeCube(1, 0.4, 0.3);
    shStatus status = shOutOfMemory;
    // Growing arrays ask some hundred times: later ones are sampled.
    for (int failAt = 1; status != shOk; failAt += 1 + failAt / 16) {
        TestAllocator allocator = {.failAt = failAt};
        shContextDef contextDef = shDefaultContextDef();
        contextDef.allocator = testAllocatorHooks(&allocator);
        contextDef.workerCount = 1;
        shContext* scarce;
        if (shCreateContext(&contextDef, &scarce, NULL) != shOk)
            continue;
        TetMesh mesh;
        LatticeSurfaceDef def = latticeDefaultSurfaceDef();
        def.cell = 0.3;
        status = latticeMeshSurface(&mesh, scarce, &cube, &def, NULL, NULL);
        assert_true(status == shOk || status == shOutOfMemory);
        tetMeshFree(&mesh, &scarce->memory);
        assert_int_equal(shDestroyContext(scarce), 0);
        assert_int_equal(allocator.wrongSizes, 0);
    }
    triMeshFree(&cube, &context->memory);
}

int main(void)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = 2;
    if (shCreateContext(&def, &context, NULL) != shOk)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ballsNodesLieOnTheSurfaceAndItsVolumeTendsToTheExactOne),
        cmocka_unit_test(dihedralAnglesStayWithinTheProvenBounds),
        cmocka_unit_test(torusComesWithinHalfAPerCentOfItsSurfaceOnBothSides),
        cmocka_unit_test(surfaceEdgesAreSplitUntilTheyFollowTheSurface),
        cmocka_unit_test(onlyPointsNearTheSurfaceAreAskedForTheirDistance),
        cmocka_unit_test(shellsAreWholeDownToAWallOfOneCell),
        cmocka_unit_test(partsThinnerThanACellAreAnError),
        cmocka_unit_test(piecesAreAnErrorOrTheLargestIsKept),
        cmocka_unit_test(nonsenseIsRefused),
        cmocka_unit_test(cubeKeepsItsCornersEdgesAndGroups),
        cmocka_unit_test(turnedCubesKeepTheirCornersAndNearlyAllOfTheirEdges),
        cmocka_unit_test(dirtySurfacesAreMeshedByTheirWindingNumber),
        cmocka_unit_test(surfacesThatAreNoSolidAreRefused),
        cmocka_unit_test(oneWorkerAndSeveralGiveTheSameBits),
        cmocka_unit_test(everyFailedAllocationIsReportedAndLeaksNothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return shDestroyContext(context) == 0 ? failed : 1;
}

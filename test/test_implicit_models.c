// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/implicit.h"
#include "mesh/models.h"
#include "mesh/tri_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const ImplicitShape* const shapes[] = {&implicitPiggyBank, &implicitPumpkin, &implicitApple, &implicitRabbit};
enum { shapeCount = 4 };

static shContext* context;
static TetMesh meshes[shapeCount];
static uint64_t seed = 1;

static double random01(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static DVec3 randomIn(DVec3 lower, DVec3 upper)
{
    DVec3 size = dSub(upper, lower);
    return dvec3(lower.x + size.x * random01(), lower.y + size.y * random01(), lower.z + size.z * random01());
}

static DVec3 nodeAt(const TetMesh* mesh, int n) { return dFromV(mesh->nodes[n]); }

static shBox boxOf(const TetMesh* mesh)
{
    shBox box = boxEmpty();
    for (int n = 0; n < mesh->surfaceNodeCount; ++n)
        box = boxAdd(box, mesh->nodes[n]);
    return box;
}

static double diagonalOf(const TetMesh* mesh) { return (double)vLength(boxSize(boxOf(mesh))); }

static int genusOf(const TetMesh* mesh) { return 1 - (mesh->surfaceNodeCount - mesh->triangleCount / 2) / 2; }

static DVec3 slopeAt(const ImplicitShape* shape, DVec3 p)
{
    double h = 1e-7, values[6];
    for (int k = 0; k < 6; ++k) {
        double step = k % 2 == 0 ? h : -h;
        DVec3 q = {p.x + (k / 2 == 0 ? step : 0.0), p.y + (k / 2 == 1 ? step : 0.0), p.z + (k / 2 == 2 ? step : 0.0)};
        values[k] = shape->distance(q, NULL);
    }
    return dScale(0.5 / h, dvec3(values[0] - values[1], values[2] - values[3], values[4] - values[5]));
}

static bool toSurface(const ImplicitShape* shape, DVec3* p)
{
    for (int step = 0; step < 7; ++step) {
        DVec3 slope = slopeAt(shape, *p);
        *p = dMad(*p, -0.9 * shape->distance(*p, NULL) / maxD(dLength2(slope), 1e-3), slope);
    }
    return fabs(shape->distance(*p, NULL)) < 1e-6;
}

static void valuesNeverPromiseMoreRoomThanThereIs(void** state)
{
    (void)state;
    for (int s = 0; s < shapeCount; ++s)
        for (int k = 0; k < 10000; ++k) {
            DVec3 p = randomIn(shapes[s]->lower, shapes[s]->upper);
            if (dLength(slopeAt(shapes[s], p)) > 1.0)
                fail_msg("%s grows too fast at (%g, %g, %g)", shapes[s]->name, p.x, p.y, p.z);
        }
}

static void shapesAreWholeAndStandOnTheGround(void** state)
{
    (void)state;
    for (int s = 0; s < shapeCount; ++s) {
        shMessage message = {0};
        if (tetMeshCheck(&meshes[s], &context->memory, &message) != shOk)
            fail_msg("%s: %s", shapes[s]->name, message.text);
        assert_int_equal(genusOf(&meshes[s]), shapes[s]->genus);
        TetQuality quality = tetMeshQuality(&meshes[s], &context->memory);
        print_message("%s: %d triangles, %d tets, %d points, dihedral %.1f to %.1f\n", shapes[s]->name,
                      meshes[s].triangleCount, meshes[s].tetCount, meshes[s].nodeCount, quality.minDihedral,
                      quality.maxDihedral);
        assert_true(quality.minDihedral > 5.0 && quality.maxDihedral < 172.0);
        assert_true(meshes[s].triangleCount >= 5000 && meshes[s].triangleCount <= 12000);
        shBox box = boxOf(&meshes[s]);
        assert_true(fabsf(box.lower.y) < 0.002f);
        for (int n = 0; n < meshes[s].surfaceNodeCount; ++n)
            assert_true(fabs(shapes[s]->distance(nodeAt(&meshes[s], n), NULL)) < 0.002 * diagonalOf(&meshes[s]));
    }
}

static void piggyBankMatchesGlonduTable1(void** state)
{
    (void)state;
    assert_true(fabs(meshes[0].triangleCount / 9722.0 - 1.0) < 0.15);
    assert_true(fabs(meshes[0].tetCount / 20807.0 - 1.0) < 0.15);
    assert_true(fabs(meshes[0].nodeCount / 5870.0 - 1.0) < 0.15);
}

static void piggyBankIsHollowAndItsSlotIsOpen(void** state)
{
    (void)state;
    LatticeDistance* distance = implicitPiggyBank.distance;
    assert_true(distance(dvec3(0.0, 0.08, 0.0), NULL) > 0.02); // room for coins
    for (double y = 0.08; y < 0.2; y += 0.001)
        assert_true(distance(dvec3(-0.012, y, 0.0), NULL) > 0.002); // straight in
    assert_true(distance(dvec3(-0.012, 0.143, 0.02), NULL) < 0.0);
}

static void meshesComeWithinHalfAPerCentOfTheSurfaceOnBothSides(void** state)
{
    (void)state;
    for (int s = 0; s < shapeCount; ++s) {
        const TetMesh* mesh = &meshes[s];
        double limit = 0.005 * diagonalOf(mesh), outwards = 0.0, inwards = 0.0;
        DVec3* vertices = NEW_ARRAY(&context->memory, DVec3, mesh->surfaceNodeCount);
        for (int n = 0; n < mesh->surfaceNodeCount; ++n)
            vertices[n] = nodeAt(mesh, n);
        TriQuery query;
        assert_true(
            triQueryBuild(&query, &context->memory, vertices, (const int(*)[3])mesh->triangles, mesh->triangleCount));
        // From points of the surface, found from points around the mesh and anywhere, to the mesh.
        for (int k = 0; k < mesh->triangleCount; ++k) {
            DVec3 p = vertices[mesh->triangles[k][0]], reach = {0.01, 0.01, 0.01};
            p = k % 3 == 0 ? randomIn(shapes[s]->lower, shapes[s]->upper) : randomIn(dSub(p, reach), dAdd(p, reach));
            if (toSurface(shapes[s], &p))
                inwards = maxD(inwards, triQueryClosest(&query, p, (double)INFINITY).distance);
        }
        // From points of the mesh to the surface. The point that steps down the slope find need not be the closest:
        // when it is too far, others are tried around.
        for (int t = 0; t < mesh->triangleCount; ++t) {
            const int* n = mesh->triangles[t];
            double u = random01(), v = random01(), flip = u + v > 1.0 ? 1.0 : 0.0;
            u = flip + (1.0 - 2.0 * flip) * u;
            v = flip + (1.0 - 2.0 * flip) * v;
            DVec3 a = vertices[n[0]], p = dMad(dMad(a, u, dSub(vertices[n[1]], a)), v, dSub(vertices[n[2]], a));
            double nearest = (double)INFINITY;
            for (int attempt = 0; attempt < 100 && nearest > limit; ++attempt) {
                DVec3 reach = dScale(attempt > 0 ? limit : 0.0, dvec3(1.0, 1.0, 1.0));
                DVec3 q = randomIn(dSub(p, reach), dAdd(p, reach));
                if (toSurface(shapes[s], &q))
                    nearest = minD(nearest, dDistance(p, q));
            }
            outwards = maxD(outwards, nearest);
        }
        print_message("%s: %.3f %% from mesh to surface, %.3f %% back\n", shapes[s]->name, 0.5 * outwards / limit,
                      0.5 * inwards / limit);
        assert_true(outwards <= limit);
        assert_true(inwards <= limit);
        triQueryFree(&query, &context->memory);
        FREE_ARRAY(&context->memory, vertices, mesh->surfaceNodeCount);
    }
}

static void modelTableHasThemAtAnyDetail(void** state)
{
    (void)state;
    const char* names[] = {"piggy-bank", "pumpkin", "apple", "rabbit"};
    for (int s = 0; s < shapeCount; ++s) {
        const ModelInfo* model = modelFind(names[s]);
        assert_non_null(model);
        TetMesh mesh;
        assert_int_equal(modelGenerate(model, 0.25f, &context->memory, &mesh, NULL), shOk);
        assert_int_equal(genusOf(&mesh), model->genus);
        assert_true(mesh.triangleCount <= meshes[s].triangleCount);
        tetMeshFree(&mesh, &context->memory);
    }
}

int main(void)
{
    shContextDef def = shDefaultContextDef();
    def.workerCount = 2;
    if (shCreateContext(&def, &context, NULL) != shOk)
        return 1;
    for (int s = 0; s < shapeCount; ++s)
        if (implicitMesh(shapes[s], 1.0, context, &context->memory, &meshes[s], NULL, NULL) != shOk)
            return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valuesNeverPromiseMoreRoomThanThereIs),
        cmocka_unit_test(shapesAreWholeAndStandOnTheGround),
        cmocka_unit_test(piggyBankMatchesGlonduTable1),
        cmocka_unit_test(piggyBankIsHollowAndItsSlotIsOpen),
        cmocka_unit_test(meshesComeWithinHalfAPerCentOfTheSurfaceOnBothSides),
        cmocka_unit_test(modelTableHasThemAtAnyDetail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int s = 0; s < shapeCount; ++s)
        tetMeshFree(&meshes[s], &context->memory);
    return shDestroyContext(context) == 0 ? failed : 1;
}

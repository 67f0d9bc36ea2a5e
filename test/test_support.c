// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Bonds against the geometry, groups against a flood fill written out, anchors against known places.
#include "core/random.h"
#include "fracture/walls.h"
#include "sherd/fracture.h"
#include "sherd/support.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/failing_allocator.h"

typedef struct Scene {
    shContext* context;
    shAsset* asset;
    shSolid* solid;
} Scene;

static Scene makeScene(const char* model, float detail)
{
    Scene scene;
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(shCreateContext(&def, &scene.context, NULL), shOk);
    assert_int_equal(shCookModel(scene.context, model, detail, &cook, &scene.asset, NULL), shOk);
    assert_int_equal(shCreateSolid(scene.asset, &scene.solid, NULL), shOk);
    return scene;
}

static void freeScene(Scene* scene)
{
    shDestroySolid(scene->solid);
    shDestroyAsset(scene->asset);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

static void breakAtRandom(shSolid* solid, int piece, int siteCount, Random* random)
{
    Vec3 sites[32];
    for (int i = 0; i < siteCount; ++i)
        sites[i] = randomInBox(random, fieldBox(&solid->field, piece));
    assert_int_equal(shSolid_BreakVoronoi(solid, piece, sites, siteCount, NULL, NULL), shOk);
}

// Planes cut the solid's nodes at x (y, z) above `at`.
static void cutAcross(shSolid* solid, int piece, int axis, float at)
{
    const TetMesh* mesh = &solid->asset->mesh;
    int* labels = malloc(sizeof(int) * (size_t)mesh->nodeCount);
    for (int n = 0; n < mesh->nodeCount; ++n)
        labels[n] = vGet(mesh->nodes[n], axis) > at;
    assert_int_equal(shSolid_Break(solid, &(shCrack){piece, labels, NULL, NULL}, NULL, NULL), shOk);
    free(labels);
}

// ---- bonds ----------------------------------------------------------------------------------------------------------

typedef struct CrackSum {
    double area;
    DVec3 facing, moment;
} CrackSum;

static void addCrack(const Vec3 p[3], int source, void* user)
{
    CrackSum* sum = user;
    if (source >= 0)
        return;
    DVec3 facing = triangleArea(p);
    double area = dLength(facing);
    sum->area += area;
    sum->facing = dAdd(sum->facing, facing);
    for (int k = 0; k < 3; ++k)
        sum->moment = dMad(sum->moment, area / 3.0, dFromV(p[k]));
}

// What borders on a piece is its crack surface: area, first moment and direction.
static void compareWithSurfaces(const shSolid* solid, const shBonds* bonds)
{
    for (int p = 0; p < shSolid_GetPieceCount(solid); ++p) {
        CrackSum surface = {0}, sum = {0};
        fieldSurface(&solid->field, p, addCrack, &surface);
        for (int i = 0; i < bonds->count; ++i) {
            const shBond* bond = &bonds->data[i];
            assert_true(bond->a < bond->b && bond->area > 0.0 && !bond->broken);
            if (bond->a != p && bond->b != p)
                continue;
            sum.area += bond->area;
            sum.moment = dMad(sum.moment, bond->area, dvec3(bond->centroid[0], bond->centroid[1], bond->centroid[2]));
        }
        double size = (double)vLength(boxSize(solid->asset->box));
        assert_true(fabs(sum.area - surface.area) <= 1e-6 * surface.area);
        assert_true(dDistance(sum.moment, surface.moment) <= 1e-6 * size * surface.area);
    }
}

static void bonds_of_a_piece_add_up_to_its_crack_surface(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "plate", "torus", "bowl"};
    int bondCount = 0, pieceCount = 0;
    for (int m = 0; m < 4; ++m) {
        Scene scene = makeScene(models[m], 0.7f);
        Random random = randomSeed((uint64_t)m);
        for (int round = 0; round < 8; ++round) {
            double before = 0.0;
            shBonds bonds;
            assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
            for (int i = 0; i < bonds.count; ++i)
                before += bonds.data[i].area;
            shSolid_DestroyBonds(scene.solid, &bonds);
            int piece = round == 0 ? 0 : randomBelow(&random, shSolid_GetPieceCount(scene.solid));
            breakAtRandom(scene.solid, piece, 12, &random); // cracks meet older cracks in one tetrahedron
            assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
            compareWithSurfaces(scene.solid, &bonds);
            double after = 0.0;
            for (int i = 0; i < bonds.count; ++i)
                after += bonds.data[i].area;
            double made = lastCrackArea(&scene.solid->field);
            assert_true(fabs(after - before - made) <= 1e-6 * after);
            bondCount = bonds.count;
            shSolid_DestroyBonds(scene.solid, &bonds);
        }
        pieceCount = shSolid_GetPieceCount(scene.solid);
        printf("  %-6s %d pieces, %d bonds\n", models[m], pieceCount, bondCount);
        assert_true(bondCount > pieceCount);
        freeScene(&scene);
    }
}

// Who is across a crack facet? Ask for the owner of points a little beyond it.
typedef struct Across {
    const FragmentField* field;
    int piece;
    double* areas; // [piece · count + other]
    int count;
} Across;

static void askAcross(const Vec3 p[3], int source, void* user)
{
    enum { PARTS = 8 };
    Across* across = user;
    if (source >= 0)
        return;
    DVec3 facing = triangleArea(p);
    double area = dLength(facing);
    if (area < 1e-12)
        return;
    for (int i = 0; i < PARTS; ++i) {
        for (int j = 0; i + j < PARTS; ++j) {
            float u = ((float)i + 0.33f) / PARTS, v = ((float)j + 0.33f) / PARTS;
            Vec3 at = vAdd(vLerp(p[0], p[1], u), vScale(v, vSub(p[2], p[0])));
            int owner = fieldOwner(across->field, vMad(at, 1e-5f, vFromD(dNormalize(facing))));
            if (owner >= 0 && owner != across->piece)
                across->areas[across->piece * across->count + owner] += area / (PARTS * (PARTS + 1) / 2);
        }
    }
}

static void bonds_join_the_pieces_that_touch(void** unused)
{
    (void)unused;
    static const char* const models[] = {"box", "torus"};
    for (int m = 0; m < 2; ++m) {
        Scene scene = makeScene(models[m], 0.7f);
        Random random = randomSeed((uint64_t)m + 7);
        breakAtRandom(scene.solid, 0, 8, &random);
        breakAtRandom(scene.solid, 0, 8, &random);
        breakAtRandom(scene.solid, 2, 8, &random);
        int count = shSolid_GetPieceCount(scene.solid);
        double* areas = calloc((size_t)(count * count), sizeof(double));
        for (int p = 0; p < count; ++p) {
            Across across = {&scene.solid->field, p, areas, count};
            fieldSurface(&scene.solid->field, p, askAcross, &across);
        }
        shBonds bonds;
        assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
        double total = 0.0, off = 0.0;
        for (int a = 0; a < count; ++a) {
            for (int b = a + 1; b < count; ++b) {
                double area = 0.0;
                for (int i = 0; i < bonds.count; ++i)
                    if (bonds.data[i].a == a && bonds.data[i].b == b)
                        area = bonds.data[i].area;
                total += area;
                off += fabs(area - 0.5 * (areas[a * count + b] + areas[b * count + a]));
            }
        }
        printf("  %-6s %d pieces, %d bonds: %.2f %% of the area seen elsewhere\n", models[m], count, bonds.count,
               100.0 * off / total);
        assert_true(off < 0.02 * total);
        // A part of the pieces has the same bonds among themselves.
        int some[64], someCount = 0;
        for (int p = 0; p < count; p += 2)
            some[someCount++] = p;
        shBonds part;
        assert_int_equal(shSolid_CreateBonds(scene.solid, some, someCount, &part, NULL), shOk);
        int found = 0;
        for (int i = 0; i < bonds.count; ++i) {
            const shBond* bond = &bonds.data[i];
            if (bond->a % 2 != 0 || bond->b % 2 != 0)
                continue;
            assert_true(found < part.count);
            assert_int_equal(part.data[found].a, bond->a);
            assert_int_equal(part.data[found].b, bond->b);
            assert_true(fabs(part.data[found].area - bond->area) <= 1e-12 * bond->area);
            ++found;
        }
        assert_int_equal(found, part.count);
        shSolid_DestroyBonds(scene.solid, &part);
        shSolid_DestroyBonds(scene.solid, &bonds);
        free(areas);
        freeScene(&scene);
    }
}

static void a_cut_across_a_box_is_its_cross_section(void** unused)
{
    (void)unused;
    Scene scene = makeScene("box", 1.0f);
    shBox box = scene.asset->box;
    Vec3 size = boxSize(box), middle = boxCenter(box);
    shBonds bonds;
    assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
    assert_int_equal(bonds.count, 0); // whole
    // Straight walls half-way between two sites.
    Vec3 sites[2] = {middle, middle};
    sites[0].x -= 0.21f * size.x;
    sites[1].x += 0.25f * size.x;
    assert_int_equal(shSolid_BreakVoronoi(scene.solid, 0, sites, 2, NULL, NULL), shOk);
    assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
    assert_int_equal(bonds.count, 1);
    const shBond* bond = &bonds.data[0];
    double area = (double)(size.y * size.z), x = (double)(middle.x + 0.02f * size.x);
    assert_true(fabs(bond->area - area) < 1e-5 * area);
    assert_true(fabs(bond->centroid[0] - x) < 1e-5 * (double)size.x);
    assert_true(fabs(bond->centroid[1] - (double)middle.y) < 1e-5 * (double)size.y);
    assert_true(fabs(bond->centroid[2] - (double)middle.z) < 1e-5 * (double)size.z);
    // From a to b, whichever lies left.
    double way = shSolid_GetPiece(scene.solid, 1).centre[0] - shSolid_GetPiece(scene.solid, 0).centre[0];
    assert_true(bond->normal[0] * way > 0.0 && fabs(fabs(bond->normal[0]) - 1.0) < 1e-6);
    shSolid_DestroyBonds(scene.solid, &bonds);
    // Nobody bonds with what has gone.
    assert_int_equal(shSolid_RemovePiece(scene.solid, 1, NULL), shOk);
    assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
    assert_int_equal(bonds.count, 0);
    shSolid_DestroyBonds(scene.solid, &bonds);
    assert_int_equal(shSolid_CreateBonds(scene.solid, (int[1]){1}, 1, &bonds, NULL), shInvalid);
    freeScene(&scene);
}

static void bonds_that_run_out_of_memory_leave_nothing(void** unused)
{
    (void)unused;
    TestAllocator allocator = {0};
    shContextDef def = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    Scene scene;
    def.allocator = testAllocatorHooks(&allocator);
    assert_int_equal(shCreateContext(&def, &scene.context, NULL), shOk);
    assert_int_equal(shCookModel(scene.context, "box", 0.5f, &cook, &scene.asset, NULL), shOk);
    assert_int_equal(shCreateSolid(scene.asset, &scene.solid, NULL), shOk);
    Random random = randomSeed(2);
    breakAtRandom(scene.solid, 0, 8, &random);
    long long base = atomic_load(&allocator.bytes);
    bool failed = true;
    for (int n = 1; failed; ++n) {
        shBonds bonds;
        atomic_store(&allocator.calls, 0);
        allocator.failAt = n;
        shStatus status = shSolid_CreateBonds(scene.solid, (int[3]){0, 1, 2}, 3, &bonds, NULL);
        failed = atomic_load(&allocator.calls) >= n;
        allocator.failAt = 0;
        assert_int_equal(status, failed ? shOutOfMemory : shOk);
        assert_true(failed == (bonds.count == 0));
        shSolid_DestroyBonds(scene.solid, &bonds);
        assert_true(atomic_load(&allocator.bytes) == base);
    }
    freeScene(&scene);
    assert_int_equal(atomic_load(&allocator.wrongSizes), 0);
}

static void bonds_break_outwards_while_energy_lasts(void** unused)
{
    (void)unused;
    Random random = randomSeed(6);
    for (int round = 0; round < 500; ++round) {
        shBond data[20];
        shBonds bonds = {20, data};
        Vec3 point = randomInBox(&random, (shBox){{0, 0, 0}, {1, 1, 1}});
        for (int i = 0; i < 20; ++i) {
            data[i] = (shBond){.a = i, .b = i + 1, .area = randomRangeD(&random, 0.1, 1.0)};
            for (int k = 0; k < 3; ++k)
                data[i].centroid[k] = (double)randomBelow(&random, 4) / 4.0; // equal distances happen
        }
        double energy = randomRangeD(&random, 0.0, 40.0), spent = shBreakBonds(&bonds, point, 3.0, energy), sum = 0.0;
        assert_true(spent <= energy);
        double farthest = 0.0, nearest = INFINITY, next = 0.0;
        for (int i = 0; i < 20; ++i) {
            DVec3 centroid = dvec3(data[i].centroid[0], data[i].centroid[1], data[i].centroid[2]);
            double distance = dDistance(centroid, dFromV(point));
            if (data[i].broken) {
                sum += 3.0 * data[i].area;
                farthest = maxD(farthest, distance);
            } else if (distance < nearest) {
                nearest = distance;
                next = 3.0 * data[i].area;
            }
        }
        assert_true(fabs(sum - spent) < 1e-12 && farthest <= nearest);
        assert_true(isinf(nearest) || spent + next > energy);
    }
}

// ---- anchors --------------------------------------------------------------------------------------------------------

static bool isLow(int node, shVec3 place, void* user)
{
    (void)node;
    return place.y <= *(float*)user;
}

static void anchors_hold_what_touches_them(void** unused)
{
    (void)unused;
    Scene scene = makeScene("pillar", 1.0f);
    shBox box = scene.asset->box;
    float height = box.upper.y - box.lower.y;
    Random random = randomSeed(1);
    breakAtRandom(scene.solid, 0, 20, &random);
    breakAtRandom(scene.solid, 0, 8, &random);
    int count = shSolid_GetPieceCount(scene.solid), pieces[128];
    bool held[128], expected[128];
    for (int p = 0; p < count; ++p)
        pieces[p] = p;
    int total = 0;
    for (int i = 0; i < 40; ++i) {
        // Half-space and box that reach up to some height, against the pieces' own boxes.
        float level = box.lower.y + randomFloat(&random) * 0.9f * height;
        shAnchor floor = {.type = shHalfSpaceAnchor, .point = {3.0f, level, -7.0f}, .normal = {0.0f, 2.0f, 0.0f}};
        shAnchor slab = {.type = shBoxAnchor, .box = boxGrow(box, 1.0f)};
        slab.box.upper.y = level;
        for (int p = 0; p < count; ++p)
            expected[p] = shSolid_GetPiece(scene.solid, p).box.lower.y <= level;
        assert_int_equal(shSolid_FindHeld(scene.solid, &floor, 1, pieces, count, held, NULL), shOk);
        assert_memory_equal(held, expected, sizeof(bool) * (size_t)count);
        assert_int_equal(shSolid_FindHeld(scene.solid, &slab, 1, pieces, count, held, NULL), shOk);
        assert_memory_equal(held, expected, sizeof(bool) * (size_t)count);
        // A node below holds its piece, and more than nodes nobody has.
        shAnchor nodes = {.type = shNodeAnchor, .holds = isLow, .user = &level};
        assert_int_equal(shSolid_FindHeld(scene.solid, &nodes, 1, pieces, count, held, NULL), shOk);
        for (int p = 0; p < count; ++p) {
            assert_true(!held[p] || expected[p]);
            total += held[p];
        }
        // Points have one owner at most; small boxes and balls around them find it too.
        Vec3 at = randomInBox(&random, box);
        int owner = shSolid_FindOwner(scene.solid, at);
        const shAnchor around[3] = {{.type = shBallAnchor, .point = at},
                                    {.type = shBallAnchor, .point = at, .radius = 0.1f * height},
                                    {.type = shBoxAnchor, .box = boxGrow((shBox){at, at}, 0.1f * height)}};
        bool near[2][128];
        assert_int_equal(shSolid_FindHeld(scene.solid, &around[0], 1, pieces, count, held, NULL), shOk);
        assert_int_equal(shSolid_FindHeld(scene.solid, &around[1], 1, pieces, count, near[0], NULL), shOk);
        assert_int_equal(shSolid_FindHeld(scene.solid, &around[2], 1, pieces, count, near[1], NULL), shOk);
        for (int p = 0; p < count; ++p) {
            assert_int_equal(held[p], p == owner);
            assert_true(!held[p] || near[0][p]);
            assert_true(!near[0][p] || near[1][p]); // the ball is in the box
        }
        // Boxes against points in them.
        for (int k = 0; k < 200; ++k) {
            int inside = shSolid_FindOwner(scene.solid, randomInBox(&random, around[2].box));
            assert_true(inside < 0 || near[1][inside]);
        }
    }
    assert_true(total > 40);
    freeScene(&scene);
}

static void anchors_that_make_no_sense_are_refused(void** unused)
{
    (void)unused;
    Scene scene = makeScene("box", 0.5f);
    const shAnchor bad[] = {{.type = shBallAnchor, .radius = -1.0f},
                            {.type = shBallAnchor, .point = {NAN, 0.0f, 0.0f}},
                            {.type = shBoxAnchor, .box = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 1.0f}}},
                            {.type = shHalfSpaceAnchor},
                            {.type = shNodeAnchor},
                            {.type = (shAnchorType)77}};
    bool held;
    shMessage message;
    for (int i = 0; i < 6; ++i)
        assert_int_equal(shSolid_FindHeld(scene.solid, &bad[i], 1, (int[1]){0}, 1, &held, &message), shInvalid);
    shAnchor good = {.type = shBallAnchor};
    assert_int_equal(shSolid_FindHeld(scene.solid, &good, 1, (int[1]){1}, 1, &held, &message), shInvalid);
    assert_int_equal(shSolid_FindHeld(scene.solid, NULL, 0, (int[1]){0}, 1, &held, &message), shOk);
    assert_true(!held);
    freeScene(&scene);
}

// ---- groups ---------------------------------------------------------------------------------------------------------

enum { MOST = 40 };

static void flood(const shBonds* bonds, const bool* present, int piece, int group, int* groups)
{
    groups[piece] = group;
    for (int i = 0; i < bonds->count; ++i) {
        const shBond* bond = &bonds->data[i];
        int other = bond->a == piece ? bond->b : bond->b == piece ? bond->a : -1;
        if (!bond->broken && other >= 0 && present[other] && groups[other] < 0)
            flood(bonds, present, other, group, groups);
    }
}

static void groups_are_what_a_flood_fill_finds(void** unused)
{
    (void)unused;
    Random random = randomSeed(9);
    for (int round = 0; round < 5000; ++round) {
        int count = 1 + randomBelow(&random, MOST);
        shBond data[2 * MOST];
        shBonds bonds = {randomBelow(&random, 2 * count), data};
        bool present[MOST], held[MOST], groupHeld[MOST];
        int groups[MOST], expected[MOST], groupCount = 0;
        for (int p = 0; p < count; ++p) {
            present[p] = randomBelow(&random, 8) > 0;
            held[p] = randomBelow(&random, 6) == 0 && present[p];
            expected[p] = -1;
        }
        for (int i = 0; i < bonds.count; ++i) {
            data[i] = (shBond){.a = randomBelow(&random, count)};
            data[i].b = randomBelow(&random, count);
            data[i].broken = randomBelow(&random, 4) == 0;
        }
        for (int p = 0; p < count; ++p)
            if (present[p] && expected[p] < 0)
                flood(&bonds, present, p, groupCount++, expected);
        assert_int_equal(shFindGroups(&bonds, present, held, count, groups, groupHeld), groupCount);
        assert_memory_equal(groups, expected, sizeof(int) * (size_t)count);
        for (int g = 0; g < groupCount; ++g) {
            bool any = false;
            for (int p = 0; p < count; ++p)
                any = any || (expected[p] == g && held[p]);
            assert_int_equal(groupHeld[g], any);
        }
    }
    int alone[3];
    assert_int_equal(shFindGroups(NULL, NULL, NULL, 3, alone, NULL), 3);
}

// A tower on the ground: cut through at a third and two thirds; then a window.
static void what_is_cut_off_falls(void** unused)
{
    (void)unused;
    Scene scene = makeScene("pillar", 1.0f);
    shBox box = scene.asset->box;
    float height = box.upper.y - box.lower.y;
    cutAcross(scene.solid, 0, 1, box.lower.y + 0.33f * height);
    int upper = shSolid_FindOwner(scene.solid, vec3(boxCenter(box).x, box.lower.y + 0.9f * height, boxCenter(box).z));
    cutAcross(scene.solid, upper, 1, box.lower.y + 0.66f * height);
    int count = shSolid_GetPieceCount(scene.solid), pieces[3] = {0, 1, 2}, groups[3];
    assert_int_equal(count, 3);
    shAnchor ground = {.type = shHalfSpaceAnchor, .point = box.lower, .normal = {0.0f, 1.0f, 0.0f}};
    bool held[3], groupHeld[3];
    assert_int_equal(shSolid_FindHeld(scene.solid, &ground, 1, pieces, 3, held, NULL), shOk);
    assert_int_equal(held[0] + held[1] + held[2], 1);
    shBonds bonds;
    assert_int_equal(shSolid_CreateBonds(scene.solid, NULL, 0, &bonds, NULL), shOk);
    assert_int_equal(bonds.count, 2);
    assert_int_equal(shFindGroups(&bonds, NULL, held, 3, groups, groupHeld), 1); // bonded: it stands
    assert_true(groupHeld[0]);
    // A blow near the lower cut pays for that bond only: the two upper parts fall as one.
    Vec3 low = vec3(boxCenter(box).x, box.lower.y + 0.3f * height, boxCenter(box).z);
    double area = maxD(bonds.data[0].area, bonds.data[1].area);
    assert_true(shBreakBonds(&bonds, low, 100.0, 100.0 * 1.5 * area) > 0.0);
    assert_int_equal(shFindGroups(&bonds, NULL, held, 3, groups, groupHeld), 2);
    int base = shSolid_FindOwner(scene.solid, low);
    for (int p = 0; p < 3; ++p)
        assert_int_equal(groupHeld[groups[p]], p == base);
    shSolid_DestroyBonds(scene.solid, &bonds);
    freeScene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bonds_of_a_piece_add_up_to_its_crack_surface),
        cmocka_unit_test(bonds_join_the_pieces_that_touch),
        cmocka_unit_test(a_cut_across_a_box_is_its_cross_section),
        cmocka_unit_test(bonds_that_run_out_of_memory_leave_nothing),
        cmocka_unit_test(bonds_break_outwards_while_energy_lasts),
        cmocka_unit_test(anchors_hold_what_touches_them),
        cmocka_unit_test(anchors_that_make_no_sense_are_refused),
        cmocka_unit_test(groups_are_what_a_flood_fill_finds),
        cmocka_unit_test(what_is_cut_off_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Packings of inner spheres and their trees: what is promised of every one of them.
#include "core/constants.h"
#include "core/enclosing_ball.h"
#include "core/hash.h"
#include "core/trig.h"
#include "test/inner_objects.h"

#include <string.h>

// ---- smallest balls -------------------------------------------------------------------------------------------------

static Ball ballAt(const void* balls, int i) { return ((const Ball*)balls)[i]; }

static double reachFrom(DVec3 centre, const Ball* balls, int count, int* farthest)
{
    double most = -1.0;
    for (int i = 0; i < count; ++i) {
        double reach = dDistance(centre, balls[i].centre) + balls[i].radius;
        if (reach > most) {
            most = reach;
            *farthest = i;
        }
    }
    return most;
}

// By another way: from any start, ever shorter steps towards what is farthest. The reach is convex, so that this comes
// close to the least one, from above.
static void balls_around_balls_are_the_smallest(void** unused)
{
    (void)unused;
    Random random = randomSeed(3);
    for (int round = 0; round < 400; ++round) {
        Ball balls[60];
        int count = 1 + randomBelow(&random, round % 2 ? 60 : 6), kind = round % 4;
        for (int i = 0; i < count; ++i) {
            DVec3 p = randomInBall(&random);
            if (kind == 1)
                p = dNormalize(p); // many at equal distance
            if (kind == 2)
                p.z = 0.0;
            balls[i] = (Ball){p, kind == 3 ? 0.0 : randomRangeD(&random, 0.0, i % 5 == 0 ? 0.7 : 0.1)};
        }
        Ball ball = enclosingBall(ballAt, balls, count);
        int farthest = 0;
        assert_true(reachFrom(ball.centre, balls, count, &farthest) <= ball.radius);
        DVec3 p = balls[0].centre;
        double best = (double)INFINITY;
        for (int i = 1; i < 3000; ++i) {
            best = minD(best, reachFrom(p, balls, count, &farthest));
            p = dLerp(p, balls[farthest].centre, 1.0 / (i + 1.0));
        }
        assert_true(best >= ball.radius * (1.0 - 1e-9));
        assert_true(best <= ball.radius * 1.02);
        // No nearby centre does better.
        for (int i = 0; i < 50; ++i) {
            DVec3 near = dMad(ball.centre, 1e-4 * ball.radius, randomInBall(&random));
            assert_true(reachFrom(near, balls, count, &farthest) >= ball.radius * (1.0 - 1e-12));
        }
    }
}

// ---- packings -------------------------------------------------------------------------------------------------------

static double ballVolume(float radius) { return 4.0 / 3.0 * TRIG_PI * pow((double)radius, 3.0); }

static void spheres_are_disjoint_and_inside(void** unused)
{
    (void)unused;
    shContext* context = newContext(2);
    for (int kind = 0; kind < OBJECT_KINDS; ++kind)
        for (int centres = 0; centres < 2; ++centres) {
            TriQuery query;
            InnerPacking packing;
            shMessage message = {""};
            makeSurface(kind, &context->memory, &query);
            InnerPackDef def = {.spheres = 3000, .atCentres = centres};
            if (innerPack(&packing, context, &query, &def, &message) != shOk)
                fail_msg("%s", message.text);
            assert_true(packing.count > (kind == 1 ? 0 : 500) && packing.count <= 3000);
            double sum = 0.0, covered = 0.0;
            for (int i = 0; i < packing.count; ++i) {
                const InnerSphere* s = &packing.spheres[i];
                DVec3 p = dFromV(innerCentre(s));
                assert_true(s->radius > 0.0f && s->volumeRadius > 0.0f);
                assert_true(triQueryInside(&query, p));
                TriHit hit = triQueryClosest(&query, p, (double)INFINITY);
                assert_true(hit.distance >= (double)s->radius);
                assert_true(triClosest(query.corners[0][0], query.corners[0][1], query.corners[0][2], p).distance >=
                            hit.distance);
                assert_true(s->triangle >= 0 && s->triangle < query.triangleCount);
                for (int t = 0; t < query.triangleCount; ++t)
                    if (query.ids[t] == s->triangle) {
                        double there =
                            triClosest(query.corners[t][0], query.corners[t][1], query.corners[t][2], p).distance;
                        assert_true(there <= hit.distance * (1.0 + 1e-9));
                    }
                for (int k = 0; k < i; ++k) {
                    const InnerSphere* o = &packing.spheres[k];
                    assert_true(dDistance(p, dFromV(innerCentre(o))) >= (double)s->radius + (double)o->radius);
                }
                sum += ballVolume(s->volumeRadius);
                covered += ballVolume(s->radius);
            }
            assert_true(fabs(sum / packing.volume - 1.0) < 1e-3);
            assert_true(fabs(covered / packing.covered - 1.0) < 1e-9);
            assert_true(covered < packing.volume && covered > 0.4 * packing.volume);
            innerPackingFree(&packing, &context->memory);
            triQueryFree(&query, &context->memory);
        }
    assert_int_equal(shDestroyContext(context), 0);
}

// The greedy order of the paper: at voxel centres, no sphere is larger than those before it.
static void spheres_at_voxel_centres_come_by_size(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    for (int kind = 0; kind < OBJECT_KINDS; ++kind) {
        TriQuery query;
        InnerPacking packing;
        makeSurface(kind, &context->memory, &query);
        InnerPackDef def = {.spheres = 500, .atCentres = true};
        assert_int_equal(innerPack(&packing, context, &query, &def, NULL), shOk);
        for (int i = 1; i < packing.count; ++i)
            assert_true(packing.spheres[i].radius <= packing.spheres[i - 1].radius * 1.00001f);
        innerPackingFree(&packing, &context->memory);
        triQueryFree(&query, &context->memory);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

static void moving_spheres_covers_more_with_no_more_of_them(void** unused)
{
    (void)unused;
    shContext* context = newContext(2);
    for (int kind = 0; kind < OBJECT_KINDS; ++kind)
        for (int spheres = 300; spheres <= 4800; spheres *= 4) {
            double covered[2];
            int counts[2];
            for (int centres = 0; centres < 2; ++centres) {
                TriQuery query;
                InnerPacking packing;
                makeSurface(kind, &context->memory, &query);
                InnerPackDef def = {.spheres = spheres, .atCentres = centres};
                assert_int_equal(innerPack(&packing, context, &query, &def, NULL), shOk);
                covered[centres] = packing.covered / packing.volume;
                counts[centres] = packing.count;
                innerPackingFree(&packing, &context->memory);
                triQueryFree(&query, &context->memory);
            }
            bool flat = kind != 1; // of a ball, the first sphere leaves nothing worth moving for
            if (covered[0] < covered[1] || (flat && covered[0] == covered[1]) || counts[0] > counts[1])
                fail_msg("%s, %d spheres: %g moved, %g at centres", objectNames[kind], spheres, covered[0], covered[1]);
        }
    assert_int_equal(shDestroyContext(context), 0);
}

static uint64_t hashObject(const Object* object)
{
    Hash hash = hashStart(0);
    hashBytes(&hash, object->tree.spheres, sizeof(InnerSphere) * (size_t)object->tree.sphereCount);
    hashBytes(&hash, object->tree.nodes, sizeof(InnerNode) * (size_t)object->tree.nodeCount);
    hashF64(&hash, object->tree.record.covered);
    return hashValue(&hash);
}

static void any_number_of_workers_packs_the_same_bits(void** unused)
{
    (void)unused;
    uint64_t hashes[3];
    for (int workers = 1; workers <= 3; ++workers) {
        shContext* context = newContext(workers);
        Object object;
        makeObject(context, 2, 12000, &object);
        hashes[workers - 1] = hashObject(&object);
        freeObject(context, &object);
        assert_int_equal(shDestroyContext(context), 0);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

// A closed surface that touches itself along an edge (two boxes) and one that runs through itself.
static void any_closed_surface_will_do(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    for (int kind = 0; kind < 2; ++kind) {
        clear();
        double at = kind == 0 ? 1.0 : 0.5;
        addBox((DVec3){0.0, 0.0, 0.0}, (DVec3){1.0, 1.0, 1.0}, 2);
        addBox((DVec3){at, at, 0.0}, (DVec3){1.0, 1.0, 1.0}, 2);
        for (int t = 0; t < shape.triangleCount && kind == 0; ++t) // weld what coincides
            for (int k = 0; k < 3; ++k)
                for (int v = 0; v < shape.triangles[t][k]; ++v)
                    if (dDistance(shape.vertices[v], shape.vertices[shape.triangles[t][k]]) == 0.0)
                        shape.triangles[t][k] = v;
        TriQuery query;
        InnerPacking packing;
        shMessage message = {""};
        assert_true(triQueryBuild(&query, &context->memory, shape.vertices, (const int(*)[3])shape.triangles,
                                  shape.triangleCount));
        InnerPackDef def = {.spheres = 2000};
        if (innerPack(&packing, context, &query, &def, &message) != shOk)
            fail_msg("%s", message.text);
        assert_true(fabs(packing.volume - (kind == 0 ? 2.0 : 1.75)) < 0.05);
        innerPackingFree(&packing, &context->memory);
        triQueryFree(&query, &context->memory);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

static void refuses(int spheres, double voxel, shStatus expected, const char* part)
{
    shContext* context = newContext(1);
    TriQuery query;
    InnerPacking packing;
    shMessage message = {""};
    assert_true(
        triQueryBuild(&query, &context->memory, shape.vertices, (const int(*)[3])shape.triangles, shape.triangleCount));
    InnerPackDef def = {.spheres = spheres, .voxel = voxel};
    assert_int_equal(innerPack(&packing, context, &query, &def, &message), expected);
    if (strstr(message.text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, message.text);
    triQueryFree(&query, &context->memory);
    assert_int_equal(shDestroyContext(context), 0);
}

static void bad_input_is_refused_with_a_reason(void** unused)
{
    (void)unused;
    clear();
    addBall(1.0, 5);
    refuses(0, 0.0, shInvalid, "0 spheres");
    refuses(10, (double)NAN, shInvalid, "voxel of nan");
    refuses(10, -1.0, shInvalid, "voxel");
    refuses(10, 1e-7, shLimit, "larger voxels");
    flipTriangles(0, 1);
    refuses(10, 0.0, shBadMesh, "turned both ways");
    flipTriangles(0, 1);
    --shape.triangleCount;
    refuses(10, 0.0, shBadMesh, "open");
    clear();
    refuses(10, 0.0, shBadMesh, "without triangles");
    addBox((DVec3){0.0, 0.0, 0.0}, (DVec3){1.0, 1.0, 1e-3}, 1);
    refuses(1000, 0.1, shInvalid, "thinner");
    // Flat: no volume at all.
    clear();
    addBox((DVec3){0.0, 0.0, 0.0}, (DVec3){1.0, 1.0, 0.0}, 1);
    refuses(1000, 0.1, shBadMesh, "volume");
}

// ---- trees ----------------------------------------------------------------------------------------------------------

typedef struct Below {
    int first, count; // spheres
    double volume;
} Below;

static Below checkNode(const InnerTree* tree, int index, uint8_t* seen, int depth, double* depths)
{
    const InnerNode* node = &tree->nodes[index];
    Below all = {.first = INT32_MAX};
    assert_true(depth < innerDepthMost);
    for (int lane = 0; lane < innerArity; ++lane) {
        int child = node->child[lane];
        if (child == innerNoChild)
            continue;
        Below below = {~child, 1, 0.0};
        if (child >= 0) {
            assert_true(child > index && child < tree->nodeCount);
            below = checkNode(tree, child, seen, depth + 1, depths);
            assert_true(below.count > 1);
        } else {
            assert_true(~child < tree->sphereCount && !seen[~child]);
            seen[~child] = 1;
            below.volume = ballVolume(tree->spheres[~child].volumeRadius);
            depths[~child] = depth;
        }
        assert_int_equal(node->first[lane], below.first);
        assert_true(fabs((double)node->volume[lane] / below.volume - 1.0) < 1e-5);
        DVec3 centre = {(double)node->x[lane], (double)node->y[lane], (double)node->z[lane]};
        for (int i = below.first; i < below.first + below.count; ++i) {
            const InnerSphere* s = &tree->spheres[i];
            double distance = dDistance(centre, dFromV(innerCentre(s)));
            assert_true(distance + (double)s->radius <= (double)node->radius[lane]);
            assert_true(distance + (double)s->volumeRadius <= (double)node->volumeRadius[lane]);
            if (child >= 0)
                assert_true(distance + (double)s->radius <= (double)node->volumeRadius[lane]);
        }
        if (all.count == 0)
            all.first = below.first;
        else
            assert_int_equal(below.first, all.first + all.count);
        all.count += below.count;
        all.volume += below.volume;
    }
    return all;
}

static void nodes_enclose_their_leaves_under_both_radii(void** unused)
{
    (void)unused;
    shContext* context = newContext(2);
    for (int kind = 0; kind < OBJECT_KINDS; ++kind)
        for (int spheres = 1; spheres < 9000; spheres = spheres * 5 + 1) {
            Object object;
            makeObject(context, kind, spheres, &object);
            const InnerTree* tree = &object.tree;
            uint8_t* seen = calloc((size_t)tree->sphereCount, 1);
            double* depths = calloc((size_t)tree->sphereCount, sizeof(double));
            Below all = checkNode(tree, 0, seen, 0, depths);
            assert_int_equal(all.count, tree->sphereCount);
            assert_true(fabs(all.volume / tree->record.volume - 1.0) < 1e-3);
            free(depths);
            free(seen);
            freeObject(context, &object);
        }
    assert_int_equal(shDestroyContext(context), 0);
}

// Weighting by volume puts large spheres higher (the reason for it in the paper).
static void large_spheres_come_high_in_the_tree(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    double mean[2] = {0.0, 0.0};
    for (int kind = 0; kind < OBJECT_KINDS; ++kind)
        for (int plain = 0; plain < 2; ++plain) {
            Object object;
            makeObject(context, kind, 4000, &object);
            InnerBuildDef def = {.seed = 1, .unweighted = plain};
            innerTreeFree(&object.tree, &context->memory);
            assert_true(innerTreeBuild(&object.tree, context, &object.packing, &def));
            const InnerTree* tree = &object.tree;
            uint8_t* seen = calloc((size_t)tree->sphereCount, 1);
            double *depths = calloc((size_t)tree->sphereCount, sizeof(double)), sum = 0.0, weight = 0.0;
            checkNode(tree, 0, seen, 0, depths);
            for (int i = 0; i < tree->sphereCount; ++i) {
                double volume = ballVolume(tree->spheres[i].radius);
                sum += volume * depths[i];
                weight += volume;
            }
            mean[plain] += sum / weight;
            free(depths);
            free(seen);
            freeObject(context, &object);
        }
    assert_true(mean[0] < mean[1]);
    assert_int_equal(shDestroyContext(context), 0);
}

static void no_point_is_in_more_spheres_than_the_multiplicity(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(9);
    for (int kind = 0; kind < OBJECT_KINDS; ++kind) {
        Object object;
        makeObject(context, kind, 800, &object);
        const InnerTree* tree = &object.tree;
        int most = 0;
        for (int n = 0; n < 20000; ++n) {
            const InnerSphere* near = &tree->spheres[randomBelow(&random, tree->sphereCount)];
            DVec3 p = dMad(dFromV(innerCentre(near)), (double)near->volumeRadius, randomInBall(&random));
            int within = 0;
            for (int i = 0; i < tree->sphereCount; ++i)
                within += dDistance(p, dFromV(innerCentre(&tree->spheres[i]))) < (double)tree->spheres[i].volumeRadius;
            most = maxI(most, within);
        }
        assert_true(most <= tree->record.multiplicity);
        assert_true(tree->record.multiplicity <= 12);
        freeObject(context, &object);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_around_balls_are_the_smallest),
        cmocka_unit_test(spheres_are_disjoint_and_inside),
        cmocka_unit_test(spheres_at_voxel_centres_come_by_size),
        cmocka_unit_test(moving_spheres_covers_more_with_no_more_of_them),
        cmocka_unit_test(any_number_of_workers_packs_the_same_bits),
        cmocka_unit_test(any_closed_surface_will_do),
        cmocka_unit_test(bad_input_is_refused_with_a_reason),
        cmocka_unit_test(nodes_enclose_their_leaves_under_both_radii),
        cmocka_unit_test(large_spheres_come_high_in_the_tree),
        cmocka_unit_test(no_point_is_in_more_spheres_than_the_multiplicity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

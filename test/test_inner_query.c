// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Distances and volumes of inner spheres against every pair of spheres, every pair of triangles, and closed forms.
#include "core/constants.h"
#include "core/triangle_distance.h"
#include "core/trig.h"
#include "sherd/proximity.h"
#include "test/inner_objects.h"
#include "tree/inner_object.h"

#include <string.h>

enum { PAIRS = 4 };
static const int kinds[PAIRS][2] = {{0, 1}, {2, 5}, {4, 4}, {3, 2}};

// ---- distance -------------------------------------------------------------------------------------------------------

static InnerNearest nearestByAll(const InnerTree* a, const InnerTree* b, const InnerFrame* frame)
{
    InnerNearest nearest = {.distance = INFINITY, .sphereA = -1, .sphereB = -1};
    for (int i = 0; i < a->sphereCount; ++i)
        for (int k = 0; k < b->sphereCount; ++k) {
            float apart = innerApart(frame, &a->spheres[i], &b->spheres[k]);
            if (apart < nearest.distance) {
                nearest.distance = apart;
                nearest.sphereA = i;
                nearest.sphereB = k;
            }
        }
    return nearest;
}

static void distances_are_those_of_all_pairs_of_spheres(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(21);
    for (int pair = 0; pair < PAIRS; ++pair) {
        Object objects[2];
        for (int i = 0; i < 2; ++i)
            makeObject(context, kinds[pair][i], 600 + 300 * i, &objects[i]);
        const InnerTree *a = &objects[0].tree, *b = &objects[1].tree;
        for (int n = 0; n < 150; ++n) {
            shTransform poses[2];
            placePair(&random, a, b, randomRange(&random, 0.2f, 2.0f), poses);
            if (n % 5 == 0) // far from the world's origin
                for (int i = 0; i < 2; ++i)
                    poses[i].p = vAdd(poses[i].p, vec3(900.0f, -500.0f, 300.0f));
            InnerFrame frame = innerFrame(a, poses[0], b, poses[1]);
            InnerNearest all = nearestByAll(a, b, &frame);
            for (int warm = 0; warm < 3; ++warm) {
                InnerNearest found = {.a = a,
                                      .b = b,
                                      .frame = frame,
                                      .distance = INFINITY,
                                      .sphereA = -1,
                                      .sphereB = -1,
                                      .enough = -INFINITY};
                if (warm > 0) {
                    found.sphereA = randomBelow(&random, a->sphereCount);
                    found.sphereB = randomBelow(&random, b->sphereCount);
                    found.distance = innerApart(&frame, &a->spheres[found.sphereA], &b->spheres[found.sphereB]);
                }
                SIMD_CHOOSE(innerFindNearest)(&found);
                assert_true(found.distance == all.distance);
                assert_int_equal(found.sphereA, all.sphereA);
                assert_int_equal(found.sphereB, all.sphereB);
                assert_true(found.tests < (int64_t)a->sphereCount * b->sphereCount);
            }
        }
        for (int i = 0; i < 2; ++i)
            freeObject(context, &objects[i]);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

// Points of two triangles, ever finer: no pair is nearer, and one is nearly as near.
static void distances_of_triangles_are_those_of_their_points(void** unused)
{
    (void)unused;
    Random random = randomSeed(4);
    int crossing = 0;
    for (int n = 0; n < 3000; ++n) {
        Vec3 t[3], u[3], p, q;
        for (int k = 0; k < 3; ++k) {
            t[k] = vFromD(randomInBall(&random));
            u[k] = vAdd(vFromD(randomInBall(&random)), vec3(n % 3 == 0 ? 0.0f : 1.0f, 0.0f, 0.0f));
        }
        if (n % 7 == 0)
            u[2] = u[1]; // a side
        if (n % 11 == 0)
            t[1] = t[2] = t[0];
        float distance = triangleDistance(t, u, &p, &q);
        assert_true(fabsf(vDistance(p, q) - distance) < 1e-6f);
        crossing += distance < 1e-5f;
        // By turns: each point goes to the other triangle's closest point. Convex, so this ends at the distance.
        float best = INFINITY;
        for (int start = 0; start < 6; ++start) {
            Vec3 at = start < 3 ? t[start] : u[start - 3];
            for (int i = 0; i < 2000; ++i) {
                DVec3 on = triClosest(dFromV(u[0]), dFromV(u[1]), dFromV(u[2]), dFromV(at)).point;
                DVec3 back = triClosest(dFromV(t[0]), dFromV(t[1]), dFromV(t[2]), on).point;
                best = minF(best, (float)dDistance(on, back));
                if (dDistance(back, dFromV(at)) < 1e-9)
                    break;
                at = vFromD(back);
            }
        }
        assert_true(distance <= best + 2e-6f && distance >= best - 2e-3f);
    }
    assert_true(crossing > 100);
}

static shInnerSpheres* makeSpheres(shContext* context, int kind, int count, shTriangles* mesh)
{
    static Vec3 points[2][maxVertices];
    static int triangles[2][3 * maxTriangles][3];
    static int next;
    int slot = next++ % 2;
    TriQuery query;
    makeSurface(kind, &context->memory, &query);
    *mesh = (shTriangles){query.vertexCount, query.triangleCount, points[slot], (const int(*)[3])triangles[slot]};
    assert_true(query.vertexCount <= maxVertices && query.triangleCount <= 3 * maxTriangles);
    for (int s = 0; s < query.triangleCount; ++s)
        for (int k = 0; k < 3; ++k) {
            triangles[slot][query.ids[s]][k] = query.vertices[s][k];
            points[slot][query.vertices[s][k]] = vFromD(query.corners[s][k]);
        }
    triQueryFree(&query, &context->memory);
    shInnerDef def = shDefaultInnerDef();
    def.spheres = count;
    shInnerSpheres* spheres;
    shMessage message = {""};
    if (shCreateInnerSpheres(context, mesh, &def, &spheres, &message) != shOk)
        fail_msg("%s", message.text);
    return spheres;
}

static float meshDistance(const shTriangles meshes[2], const shTransform poses[2])
{
    float best = INFINITY;
    for (int i = 0; i < meshes[0].triangleCount; ++i) {
        Vec3 t[3], u[3], p, q, middle = {0.0f, 0.0f, 0.0f};
        float radius = 0.0f;
        for (int k = 0; k < 3; ++k) {
            t[k] = xformPoint(poses[0], meshes[0].points[meshes[0].triangles[i][k]]);
            middle = vMad(middle, 1.0f / 3.0f, t[k]);
        }
        for (int k = 0; k < 3; ++k)
            radius = maxF(radius, vDistance(middle, t[k]));
        for (int j = 0; j < meshes[1].triangleCount; ++j) {
            for (int k = 0; k < 3; ++k)
                u[k] = xformPoint(poses[1], meshes[1].points[meshes[1].triangles[j][k]]);
            float side = maxF(vDistance(u[0], u[1]), vDistance(u[0], u[2]));
            if (vDistance(middle, u[0]) - radius - side <= best)
                best = minF(best, triangleDistance(t, u, &p, &q));
        }
    }
    return best;
}

// Sharpened distances are never less than that of the surfaces, never more than that of the spheres, and much nearer to
// the former; a pair's memory changes nothing.
static void sharpened_distances_lie_between_surfaces_and_spheres(void** unused)
{
    (void)unused;
    shContext* context = newContext(2);
    Random random = randomSeed(8);
    double allSharp = 0.0, allPlain = 0.0;
    for (int pair = 0; pair < PAIRS; ++pair) {
        shTriangles meshes[2];
        shInnerBody bodies[2];
        for (int i = 0; i < 2; ++i)
            bodies[i].spheres = makeSpheres(context, kinds[pair][i], 3000, &meshes[i]);
        double plain = 0.0, sharp = 0.0;
        shInnerPair memory = {0};
        for (int n = 0; n < 25; ++n) {
            shTransform poses[2];
            placePair(&random, &bodies[0].spheres->tree, &bodies[1].spheres->tree, randomRange(&random, 0.8f, 1.3f),
                      poses);
            bodies[0].transform = poses[0], bodies[1].transform = poses[1];
            shInnerDistance loose, tight, again;
            assert_int_equal(shInner_GetDistance(&bodies[0], &bodies[1], INFINITY, 0, NULL, &loose, NULL), shOk);
            assert_int_equal(shInner_GetDistance(&bodies[0], &bodies[1], INFINITY, 32, NULL, &tight, NULL), shOk);
            assert_int_equal(shInner_GetDistance(&bodies[0], &bodies[1], INFINITY, 32, &memory, &again, NULL), shOk);
            assert_true(memcmp(&tight.distance, &again.distance, sizeof(float)) == 0);
            assert_int_equal(tight.sphereA, again.sphereA);
            if (loose.distance == 0.0f)
                continue;
            float exact = meshDistance(meshes, poses), slack = 1e-5f;
            assert_true(tight.distance <= loose.distance);
            assert_true(tight.distance >= exact - slack);
            assert_true(fabsf(vDistance(tight.pointA, tight.pointB) - tight.distance) < slack);
            assert_true(fabsf(vLength(tight.normal) - 1.0f) < 1e-4f);
            // The points are on the triangles they are said to be on.
            if (tight.triangleA >= 0) {
                Vec3 t[3];
                for (int k = 0; k < 3; ++k)
                    t[k] = xformPoint(poses[0], meshes[0].points[meshes[0].triangles[tight.triangleA][k]]);
                assert_true(triClosest(dFromV(t[0]), dFromV(t[1]), dFromV(t[2]), dFromV(tight.pointA)).distance < 1e-5);
            }
            plain += (double)(loose.distance - exact);
            sharp += (double)(tight.distance - exact);
        }
        assert_true(sharp < 0.2 * plain); // where facets are large, another place may be nearer
        allSharp += sharp;
        allPlain += plain;
        for (int i = 0; i < 2; ++i)
            shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)bodies[i].spheres);
    }
    assert_true(allSharp < 0.05 * allPlain);
    assert_int_equal(shDestroyContext(context), 0);
}

// Where sharpening may start: the pairs within a margin of the nearest, whatever was known before.
static void close_pairs_are_those_of_all_pairs(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(31);
    shTriangles meshes[2];
    shInnerSpheres *a = makeSpheres(context, 2, 700, &meshes[0]), *b = makeSpheres(context, 0, 500, &meshes[1]);
    int several = 0;
    for (int n = 0; n < 60; ++n) {
        shTransform poses[2];
        placePair(&random, &a->tree, &b->tree, randomRange(&random, 0.8f, 1.3f), poses);
        InnerFrame frame = innerFrame(&a->tree, poses[0], &b->tree, poses[1]);
        InnerNearest all = nearestByAll(&a->tree, &b->tree, &frame);
        if (all.distance <= 0.0f)
            continue;
        for (int warm = 0; warm < 2; ++warm) {
            InnerNearest found = {.a = &a->tree,
                                  .b = &b->tree,
                                  .frame = frame,
                                  .distance = warm ? all.distance : INFINITY,
                                  .sphereA = warm ? all.sphereA : -1,
                                  .sphereB = warm ? all.sphereB : -1,
                                  .margin = 0.1f * (float)(a->tree.record.voxel + b->tree.record.voxel)};
            SIMD_CHOOSE(innerFindNearest)(&found);
            assert_true(found.distance == all.distance && found.sphereA == all.sphereA);
            float limit = found.distance + found.margin;
            int listed = 0, there = 0;
            for (int i = 0; i < found.closeCount; ++i) {
                const InnerClose* pair = &found.close[i];
                float apart = innerApart(&frame, &a->tree.spheres[pair->a], &b->tree.spheres[pair->b]);
                assert_true(apart == pair->distance);
                listed += apart <= limit;
            }
            for (int i = 0; i < a->tree.sphereCount; ++i)
                for (int k = 0; k < b->tree.sphereCount; ++k)
                    there += innerApart(&frame, &a->tree.spheres[i], &b->tree.spheres[k]) <= limit;
            assert_int_equal(listed, minI(there, innerCloseMost));
            several += there > 1;
        }
    }
    assert_true(several > 10);
    shDestroyInnerSpheres(a);
    shDestroyInnerSpheres(b);
    assert_int_equal(shDestroyContext(context), 0);
}

static void whether_spheres_overlap_is_what_all_pairs_say(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(31);
    shTriangles meshes[2];
    shInnerBody a = {.spheres = makeSpheres(context, 4, 500, &meshes[0])},
                b = {.spheres = makeSpheres(context, 2, 500, &meshes[1])};
    shInnerPair pair = {0};
    int yes = 0;
    for (int n = 0; n < 300; ++n) {
        shTransform poses[2];
        placePair(&random, &a.spheres->tree, &b.spheres->tree, randomRange(&random, 0.5f, 1.2f), poses);
        a.transform = poses[0], b.transform = poses[1];
        InnerFrame frame = innerFrame(&a.spheres->tree, poses[0], &b.spheres->tree, poses[1]);
        InnerNearest all = nearestByAll(&a.spheres->tree, &b.spheres->tree, &frame);
        bool overlaps;
        shInnerDistance distance;
        assert_int_equal(shInner_Overlap(&a, &b, n % 2 ? &pair : NULL, &overlaps, NULL), shOk);
        assert_int_equal(overlaps, all.distance < 0.0f);
        // A limit finds what is within it.
        float limit = randomRange(&random, 0.0f, 0.5f);
        assert_int_equal(shInner_GetDistance(&a, &b, limit, 0, n % 2 ? &pair : NULL, &distance, NULL), shOk);
        assert_int_equal(distance.found, all.distance <= limit);
        yes += overlaps;
    }
    assert_true(yes > 30 && yes < 270);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)a.spheres);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)b.spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- volume ---------------------------------------------------------------------------------------------------------

// In double, by the height of both caps: another form than the kernel's.
static double lensVolume(double r, double s, double d)
{
    if (d >= r + s)
        return 0.0;
    double least = minD(r, s);
    if (d <= fabs(r - s))
        return 4.0 / 3.0 * TRIG_PI * least * least * least;
    double x = (d * d + r * r - s * s) / (2.0 * d), h = r - x, k = s - (d - x);
    return TRIG_PI / 3.0 * (h * h * (3.0 * r - h) + k * k * (3.0 * s - k));
}

static double volumeByAll(const InnerTree* a, const InnerTree* b, const shTransform poses[2])
{
    double volume = 0.0;
    DQuat q = dqMul(dqConjugate(dqNormalize(dqFromQ(poses[0].q))), dqNormalize(dqFromQ(poses[1].q)));
    DVec3 offset = dqUnrotate(dqNormalize(dqFromQ(poses[0].q)), dSub(dFromV(poses[1].p), dFromV(poses[0].p)));
    for (int k = 0; k < b->sphereCount; ++k) {
        DVec3 moved = dAdd(offset, dqRotate(q, dFromV(innerCentre(&b->spheres[k]))));
        for (int i = 0; i < a->sphereCount; ++i)
            volume += lensVolume((double)a->spheres[i].volumeRadius, (double)b->spheres[k].volumeRadius,
                                 dDistance(dFromV(innerCentre(&a->spheres[i])), moved));
    }
    return volume;
}

static void volumes_are_those_of_all_pairs_of_spheres(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(5);
    for (int pair = 0; pair < PAIRS; ++pair) {
        Object objects[2];
        for (int i = 0; i < 2; ++i)
            makeObject(context, kinds[pair][i], 500 + 400 * i, &objects[i]);
        const InnerTree *a = &objects[0].tree, *b = &objects[1].tree;
        for (int n = 0; n < 100; ++n) {
            shTransform poses[2];
            placePair(&random, a, b, randomRange(&random, 0.0f, 1.2f), poses);
            double all = volumeByAll(a, b, poses), small = 1e-7 * minD(a->record.volume, b->record.volume);
            for (int force = 0; force < 2; ++force) {
                InnerOverlap overlap = {
                    .a = a, .b = b, .frame = innerFrame(a, poses[0], b, poses[1]), .wantForce = force};
                SIMD_CHOOSE(innerSumOverlap)(&overlap);
                assert_true(fabs(overlap.volume - all) <= 2e-5 * all + small);
            }
        }
        for (int i = 0; i < 2; ++i)
            freeObject(context, &objects[i]);
    }
    assert_int_equal(shDestroyContext(context), 0);
}

// A small object deep inside a large sphere: nodes within it are not opened, and all of the small one's volume is
// there.
static void what_is_inside_a_sphere_counts_whole(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Object small, ball;
    makeObject(context, 4, 3000, &small); // 26 cm high
    makeObject(context, 1, 50, &ball);    // 1.4 m across, all but one sphere
    shTransform poses[2] = {{{0.0f, -0.1f, 0.0f}, qIdentity()}, {{0.0f, 0.0f, 0.0f}, qIdentity()}};
    InnerOverlap overlap = {.a = &small.tree,
                            .b = &ball.tree,
                            .frame = innerFrame(&small.tree, poses[0], &ball.tree, poses[1]),
                            .wantForce = true};
    SIMD_CHOOSE(innerSumOverlap)(&overlap);
    assert_true(fabs(overlap.volume / small.tree.record.volume - 1.0) < 1e-4);
    assert_true(overlap.tests < 200); // of 3,000 spheres
    assert_true(overlap.area == 0.0 && overlap.force[0] == 0.0);
    freeObject(context, &small);
    freeObject(context, &ball);
    assert_int_equal(shDestroyContext(context), 0);
}

// Force and torque are how the volume (of all pairs, in double) changes when b moves and turns.
static void forces_are_the_slope_of_the_volume(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(6);
    shTriangles meshes[2];
    shInnerBody a = {.spheres = makeSpheres(context, 4, 300, &meshes[0])},
                b = {.spheres = makeSpheres(context, 5, 400, &meshes[1])};
    const InnerTree *ta = &a.spheres->tree, *tb = &b.spheres->tree;
    int tried = 0;
    for (int n = 0; n < 60; ++n) {
        shTransform poses[2];
        placePair(&random, ta, tb, randomRange(&random, 0.1f, 0.8f), poses);
        a.transform = poses[0], b.transform = poses[1];
        shInnerVolume volume;
        assert_int_equal(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, NULL), shOk);
        double size = sqrt(volume.force[0] * volume.force[0] + volume.force[1] * volume.force[1] +
                           volume.force[2] * volume.force[2]);
        if (volume.area < 1e-4)
            continue;
        ++tried;
        assert_true(fabs((double)vLength(volume.normal) - 1.0) < 1e-4 && size > 0.0);
        const double step = 2e-4; // m, and rad
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 along = vFromD(dScale(step, dAxis(axis)));
            double sides[2], turned[2];
            for (int side = 0; side < 2; ++side) {
                float sign = side ? 1.0f : -1.0f;
                shTransform moved[2] = {poses[0], poses[1]};
                moved[1].p = vMad(poses[1].p, sign, along);
                sides[side] = volumeByAll(ta, tb, moved);
                shQuat turn = qFromAxisAngle(vFromD(dAxis(axis)), sign * (float)step);
                moved[1] = (shTransform){qRotate(turn, poses[1].p), qMul(turn, poses[1].q)};
                turned[side] = volumeByAll(ta, tb, moved);
            }
            double force = -(sides[1] - sides[0]) / (2.0 * step), torque = -(turned[1] - turned[0]) / (2.0 * step);
            assert_true(fabs(force - volume.force[axis]) < 0.02 * volume.area);
            assert_true(fabs(torque - volume.torque[axis]) < 0.02 * volume.area * 0.3);
        }
    }
    assert_true(tried > 40);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)a.spheres);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)b.spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

// In ever smaller steps of a motion, jumps of force and torque shrink like the steps: no step of the force remains.
static void forces_are_continuous_along_a_motion(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    shTriangles meshes[2];
    shInnerBody a = {.spheres = makeSpheres(context, 2, 2000, &meshes[0])},
                b = {.spheres = makeSpheres(context, 0, 2000, &meshes[1])};
    a.transform = (shTransform){{0.0f, 0.0f, 0.0f}, qIdentity()};
    double jumps[2] = {0.0, 0.0}, most = 0.0;
    for (int fine = 0; fine < 2; ++fine) {
        int steps = fine ? 2400 : 300;
        DVec3 last = {0.0, 0.0, 0.0};
        for (int i = 0; i <= steps; ++i) {
            float t = (float)i / (float)steps;
            b.transform.q = qFromAxisAngle(vec3(1.0f, 2.0f, 0.5f), t);
            b.transform.p = vec3(0.1f, 0.2f * t, 2.2f - 1.4f * t);
            shInnerVolume volume;
            assert_int_equal(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, NULL), shOk);
            DVec3 force = {volume.force[0], volume.force[1], volume.force[2]};
            if (i > 0)
                jumps[fine] = maxD(jumps[fine], dDistance(force, last));
            most = maxD(most, dLength(force));
            last = force;
        }
    }
    assert_true(most > 0.1);
    assert_true(jumps[0] < 0.1 * most);
    assert_true(jumps[1] < 0.25 * jumps[0]); // an eighth, were it smooth
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)a.spheres);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)b.spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

// Two boxes, whose overlap is known.
static void volumes_of_boxes_are_their_overlap(void** unused)
{
    (void)unused;
    shContext* context = newContext(2);
    shTriangles mesh;
    shInnerSpheres* box = makeSpheres(context, 0, 20000, &mesh); // 2 × 1.4 × 1
    Random random = randomSeed(12);
    double error = 0.0;
    int count = 0;
    for (int n = 0; n < 40; ++n) {
        Vec3 by = vec3(randomRange(&random, -1.2f, 1.2f), randomRange(&random, -0.8f, 0.8f),
                       randomRange(&random, -0.6f, 0.6f));
        shInnerBody a = {box, {{0.0f, 0.0f, 0.0f}, qIdentity()}}, b = {box, {by, qIdentity()}};
        double exact = (2.0 - fabs((double)by.x)) * (1.4 - fabs((double)by.y)) * (1.0 - fabs((double)by.z));
        shInnerVolume volume;
        assert_int_equal(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, NULL), shOk);
        error += fabs(volume.volume / exact - 1.0);
        ++count;
    }
    assert_true(error / count < 0.02);
    shDestroyInnerSpheres(box);
    assert_int_equal(shDestroyContext(context), 0);
}

static void listed_triangles_are_near_the_overlap(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    shTriangles mesh;
    shInnerSpheres* box = makeSpheres(context, 0, 1000, &mesh);
    shInnerBody a = {box, {{0.0f, 0.0f, 0.0f}, qIdentity()}}, b = {box, {{1.7f, 0.1f, 0.1f}, qIdentity()}};
    shInnerVolume volume;
    int listed[10][2], count = -1;
    assert_int_equal(shInner_GetVolume(&a, &b, &volume, listed, 10, &count, NULL), shOk);
    assert_true(count == 10 && volume.pairs > 10);
    for (int i = 0; i < count; ++i)
        for (int side = 0; side < 2; ++side)
            assert_true(listed[i][side] >= 0 && listed[i][side] < mesh.triangleCount);
    assert_true(volume.centre.x > 0.6f && volume.centre.x < 1.1f);
    // The faces of the overlap: 1.3 · 0.9, 0.3 · 0.9 and 0.3 · 1.3.
    assert_true(vDot(volume.normal, vNormalize(vec3(1.17f, 0.27f, 0.39f))) > 0.98f);
    shDestroyInnerSpheres(box);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- limited time ---------------------------------------------------------------------------------------------------

static void estimates_get_better_with_time_and_keep_their_bounds(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(17);
    shTriangles meshes[2];
    shInnerBody a = {.spheres = makeSpheres(context, 4, 3000, &meshes[0])},
                b = {.spheres = makeSpheres(context, 4, 3000, &meshes[1])};
    shVolumeQuery* query;
    assert_int_equal(shCreateVolumeQuery(context, &query, NULL), shOk);
    enum { BUDGETS = 5 };
    static const int64_t budgets[BUDGETS] = {16, 500, 4000, 32000, INT64_MAX};
    for (int rule = 0; rule < 3; ++rule) {
        double errors[BUDGETS] = {0.0};
        int poses = 0;
        for (int n = 0; n < 60; ++n) {
            shTransform places[2];
            placePair(&random, &a.spheres->tree, &b.spheres->tree, randomRange(&random, 0.1f, 0.7f), places);
            a.transform = places[0], b.transform = places[1];
            shInnerVolume volume;
            assert_int_equal(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, NULL), shOk);
            if (volume.volume < 1e-3 * a.spheres->tree.record.volume)
                continue;
            ++poses;
            for (int i = 0; i < BUDGETS; ++i) {
                shVolumeLimit limit = {.tests = budgets[i], .priority = (shVolumePriority)rule};
                shVolumeEstimate estimate;
                assert_int_equal(shVolumeQuery_Estimate(query, &a, &b, &limit, &estimate, NULL), shOk);
                assert_true(estimate.lower <= volume.volume && volume.volume <= estimate.upper);
                // A pair that is opened takes all of its children along.
                assert_true(estimate.tests <= budgets[i] || estimate.tests - budgets[i] <= 17 * 16);
                errors[i] += fabs(estimate.volume / volume.volume - 1.0);
                if (estimate.whole)
                    assert_true(fabs(estimate.volume / volume.volume - 1.0) < 1e-5);
                assert_true(estimate.whole || i < BUDGETS - 1);
            }
        }
        assert_true(poses > 20);
        assert_true(errors[BUDGETS - 1] < 1e-5 * poses);
        if (rule < 2) { // the plain sum of children has no mean to speak of
            for (int i = 2; i < BUDGETS; ++i)
                assert_true(errors[i] < errors[i - 1]);
            assert_true(errors[3] < 0.2 * errors[0]);
        }
    }
    shDestroyVolumeQuery(query);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)a.spheres);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)b.spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

static double ticks;
static double tickingClock(void* user)
{
    (void)user;
    ticks += 1e-6;
    return ticks;
}

static void time_is_kept_by_the_contexts_clock(void** unused)
{
    (void)unused;
    shContextDef def = shDefaultContextDef();
    def.clock = tickingClock;
    shContext* context;
    assert_int_equal(shCreateContext(&def, &context, NULL), shOk);
    shTriangles mesh;
    shInnerSpheres* spheres = makeSpheres(context, 2, 3000, &mesh);
    shInnerBody a = {spheres, {{0.0f, 0.0f, 0.0f}, qIdentity()}}, b = {spheres, {{0.3f, 0.1f, 0.05f}, qIdentity()}};
    shVolumeQuery* query;
    assert_int_equal(shCreateVolumeQuery(context, &query, NULL), shOk);
    int64_t last = 0;
    for (int i = 1; i < 60; i += 10) { // each look at the clock is a microsecond
        shVolumeLimit limit = {.microseconds = (float)i};
        shVolumeEstimate estimate;
        assert_int_equal(shVolumeQuery_Estimate(query, &a, &b, &limit, &estimate, NULL), shOk);
        assert_true(!estimate.whole && estimate.tests > last);
        last = estimate.tests;
    }
    shDestroyVolumeQuery(query);
    shDestroyInnerSpheres(spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

// ---- both, and bad input --------------------------------------------------------------------------------------------

static void proximity_is_the_distance_or_the_volume(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    Random random = randomSeed(40);
    shTriangles meshes[2];
    shInnerBody a = {.spheres = makeSpheres(context, 2, 1500, &meshes[0])},
                b = {.spheres = makeSpheres(context, 0, 1500, &meshes[1])};
    int apart = 0, overlapping = 0;
    for (int n = 0; n < 200; ++n) {
        shTransform poses[2];
        placePair(&random, &a.spheres->tree, &b.spheres->tree, randomRange(&random, 0.4f, 1.2f), poses);
        a.transform = poses[0], b.transform = poses[1];
        shInnerDistance distance, alone;
        shInnerVolume volume, whole;
        assert_int_equal(shInner_GetProximity(&a, &b, 32, NULL, &distance, &volume, NULL), shOk);
        assert_int_equal(shInner_GetDistance(&a, &b, INFINITY, 32, NULL, &alone, NULL), shOk);
        assert_int_equal(shInner_GetVolume(&a, &b, &whole, NULL, 0, NULL, NULL), shOk);
        assert_true(distance.distance == alone.distance);
        if (distance.sphereDistance < 0.0f) {
            assert_true(distance.distance == 0.0f && volume.volume == whole.volume && volume.volume > 0.0);
            ++overlapping;
        } else {
            assert_true(distance.distance >= 0.0f && volume.volume == 0.0); // surfaces may touch
            ++apart;
        }
    }
    assert_true(apart > 20 && overlapping > 20);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)a.spheres);
    shDestroyInnerSpheres((shInnerSpheres*)(uintptr_t)b.spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

static void says(shStatus status, shStatus expected, const shMessage* message, const char* part)
{
    assert_int_equal(status, expected);
    if (strstr(message->text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, message->text);
}

static void bad_input_is_refused_with_a_reason(void** unused)
{
    (void)unused;
    shContext* context = newContext(1);
    shTriangles mesh, wrong;
    shInnerSpheres *spheres = makeSpheres(context, 0, 100, &mesh), *none;
    shInnerDef def = shDefaultInnerDef();
    shMessage m = {""};
    says(shCreateInnerSpheres(context, &mesh, &(shInnerDef){.spheres = 3}, &none, &m), shInvalid, &m,
         "shDefaultInnerDef");
    assert_null(none);
    def.voxel = NAN;
    says(shCreateInnerSpheres(context, &mesh, &def, &none, &m), shInvalid, &m, "voxel");
    def = shDefaultInnerDef();
    wrong = mesh;
    wrong.triangleCount -= 1;
    says(shCreateInnerSpheres(context, &wrong, &def, &none, &m), shBadMesh, &m, "open");
    wrong = mesh;
    wrong.pointCount = 5;
    says(shCreateInnerSpheres(context, &wrong, &def, &none, &m), shBadMesh, &m, "is not in 0 … 4");
    wrong = mesh;
    wrong.triangleCount = 0;
    says(shCreateInnerSpheres(context, &wrong, &def, &none, &m), shBadMesh, &m, "without triangles");

    shInnerBody a = {spheres, {{0.0f, 0.0f, 0.0f}, qIdentity()}}, b = a;
    shInnerDistance distance;
    shInnerVolume volume;
    shVolumeEstimate estimate;
    shVolumeQuery* query;
    bool overlaps;
    assert_int_equal(shCreateVolumeQuery(context, &query, NULL), shOk);
    b.transform.p.x = NAN;
    says(shInner_GetDistance(&a, &b, INFINITY, 0, NULL, &distance, &m), shInvalid, &m, "transform of b");
    says(shInner_Overlap(&b, &a, NULL, &overlaps, &m), shInvalid, &m, "transform of a");
    says(shInner_GetVolume(&a, &b, &volume, NULL, 0, NULL, &m), shInvalid, &m, "transform of b");
    says(shVolumeQuery_Estimate(query, &a, &b, &(shVolumeLimit){.tests = 5}, &estimate, &m), shInvalid, &m,
         "transform");
    b = a;
    b.transform.q.s = 0.5f;
    says(shInner_GetProximity(&a, &b, 0, NULL, &distance, &volume, &m), shInvalid, &m, "unit quaternion");
    b = a;
    says(shInner_GetDistance(&a, &b, NAN, 0, NULL, &distance, &m), shInvalid, &m, "at most");
    says(shInner_GetDistance(&a, &b, 1.0f, -1, NULL, &distance, &m), shInvalid, &m, "sharpen");
    says(shVolumeQuery_Estimate(query, &a, &b, &(shVolumeLimit){0}, &estimate, &m), shInvalid, &m, "needs a limit");
    says(shVolumeQuery_Estimate(query, &a, &b, &(shVolumeLimit){.microseconds = NAN}, &estimate, &m), shInvalid, &m,
         "limit of");
    says(shInner_GetVolume(&a, &(shInnerBody){0}, &volume, NULL, 0, NULL, &m), shInvalid, &m, "null");
    // A pair's memory from elsewhere does no harm.
    shInnerPair odd = {1 << 30, -5};
    assert_int_equal(shInner_GetDistance(&a, &b, INFINITY, 0, &odd, &distance, &m), shOk);
    shDestroyVolumeQuery(query);
    shDestroyInnerSpheres(spheres);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_all_pairs_of_spheres),
        cmocka_unit_test(distances_of_triangles_are_those_of_their_points),
        cmocka_unit_test(sharpened_distances_lie_between_surfaces_and_spheres),
        cmocka_unit_test(close_pairs_are_those_of_all_pairs),
        cmocka_unit_test(whether_spheres_overlap_is_what_all_pairs_say),
        cmocka_unit_test(volumes_are_those_of_all_pairs_of_spheres),
        cmocka_unit_test(what_is_inside_a_sphere_counts_whole),
        cmocka_unit_test(forces_are_the_slope_of_the_volume),
        cmocka_unit_test(forces_are_continuous_along_a_motion),
        cmocka_unit_test(volumes_of_boxes_are_their_overlap),
        cmocka_unit_test(listed_triangles_are_near_the_overlap),
        cmocka_unit_test(estimates_get_better_with_time_and_keep_their_bounds),
        cmocka_unit_test(time_is_kept_by_the_contexts_clock),
        cmocka_unit_test(proximity_is_the_distance_or_the_volume),
        cmocka_unit_test(bad_input_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

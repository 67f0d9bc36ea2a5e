// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What the benchmarks say of depths: the dense survey and separating axes, against cases that can be worked out.
#include "bench/convex_rock.h"
#include "bench/depth_survey.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct Scene {
    shContext* context;
    shAsset* box; // a cube of 50 cm that stands on its origin
    shWorld* world;
} Scene;

static const float EDGE = 0.5f;                    // of the cube, m
static const double DIAMETER = 0.8660254037844386; // of the cube, m

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static void openScene(Scene* scene)
{
    shMessage message = {""};
    shContextDef context = shDefaultContextDef();
    shCookDef cook = shDefaultCookDef();
    shWorldDef world = shDefaultWorldDef();
    context.workerCount = 1;
    check(shCreateContext(&context, &scene->context, &message), &message);
    check(shCookModel(scene->context, "box", 0.5f, &cook, &scene->box, &message), &message);
    check(shCreateWorld(scene->context, &world, &scene->world, &message), &message);
}

static void closeScene(Scene* scene)
{
    shDestroyWorld(scene->world);
    shDestroyAsset(scene->box);
    assert_int_equal(shDestroyContext(scene->context), 0);
}

static shBodyId addCube(Scene* scene, shBodyType type, shTransform transform)
{
    shMessage message = {""};
    shBodyDef def = shDefaultBodyDef();
    shBodyId id;
    def.type = type;
    def.asset = scene->box;
    def.transform = transform;
    check(shCreateBody(scene->world, &def, &id, &message), &message);
    return id;
}

static shBodyId addShape(Scene* scene, const shShape* shape, shTransform transform)
{
    shMessage message = {""};
    shBodyDef def = shDefaultBodyDef();
    shBodyId id;
    def.type = shStaticBody;
    def.shape = shape;
    def.transform = transform;
    check(shCreateBody(scene->world, &def, &id, &message), &message);
    return id;
}

// So many pairs, the deepest of `depth` metres.
static void expectDepth(const Scene* scene, int pairs, double depth, double tolerance)
{
    DepthSurvey survey;
    shMessage message = {""};
    check(depthSurvey(scene->world, DEPTH_SPACING, &survey, &message), &message);
    assert_int_equal(survey.percent.count, pairs);
    if (fabs(survey.deepest - depth) > tolerance)
        fail_msg("%g m deep instead of %g", survey.deepest, depth);
    double percent = depthListPercentile(&survey.percent, 1.0);
    assert_true(fabs(percent - 100.0 * survey.deepest / DIAMETER) < 1e-3);
    depthSurveyFree(&survey);
}

static shTransform at(float x, float y, float z) { return (shTransform){vec3(x, y, z), qIdentity()}; }

static void faces_that_overlap_are_as_deep_as_they_are(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        float depth = 0.001f * (float)(1 << i);
        Scene scene;
        openScene(&scene);
        addCube(&scene, i % 2 == 0 ? shStaticBody : shDynamicBody, at(0.0f, 0.0f, 0.0f));
        addCube(&scene, shDynamicBody, at(0.13f, EDGE - depth, 0.07f));
        addCube(&scene, shDynamicBody, at(0.13f, 2.0f * EDGE, 0.07f)); // above, clear
        expectDepth(&scene, 1, (double)depth, 1e-6);
        closeScene(&scene);
    }
}

static void boxes_that_touch_or_stand_apart_do_not_count(void** state)
{
    (void)state;
    Scene scene;
    openScene(&scene);
    addCube(&scene, shDynamicBody, at(0.0f, 0.0f, 0.0f));
    addCube(&scene, shDynamicBody, at(EDGE + 1e-4f, 0.0f, 0.0f));
    addCube(&scene, shStaticBody, at(0.0f, 10.0f, 0.0f));
    addCube(&scene, shStaticBody, at(0.0f, 10.1f, 0.0f)); // in each other, but neither can move
    DepthSurvey survey;
    shMessage message = {""};
    check(depthSurvey(scene.world, DEPTH_SPACING, &survey, &message), &message);
    assert_int_equal(survey.percent.count, 0);
    assert_int_equal(survey.bodies, 2);
    assert_true(survey.deepest == 0.0 && survey.samples > 1000);
    depthSurveyFree(&survey);
    closeScene(&scene);
}

// One cube stands on an edge that runs along z, the other hangs above with an edge along x: no vertex is in the other.
// The edges overlap by `depth` in height; a point of one is then depth/√2 from the faces of the other.
static void edges_that_cross_are_found(void** state)
{
    (void)state;
    const float half = 0.5f * EDGE, reach = half * 1.41421356f, depths[] = {0.005f, 0.02f, 0.05f};
    for (int i = 0; i < 3; ++i) {
        Scene scene;
        openScene(&scene);
        shQuat aboutZ = qFromAxisAngle(vec3(0.0f, 0.0f, 1.0f), 0.785398163f);
        shQuat aboutX = qFromAxisAngle(vec3(1.0f, 0.0f, 0.0f), 0.785398163f);
        Vec3 middle = vec3(0.0f, half, 0.0f), lower = vec3(0.0f, 0.0f, 0.0f);
        Vec3 upper = vec3(0.013f, 2.0f * reach - depths[i], 0.021f); // off the symmetric place
        addCube(&scene, shDynamicBody, (shTransform){vSub(lower, qRotate(aboutZ, middle)), aboutZ});
        addCube(&scene, shDynamicBody, (shTransform){vSub(upper, qRotate(aboutX, middle)), aboutX});
        // Samples are at most half a spacing beside the deepest place.
        double spacing = DEPTH_SPACING * DIAMETER, expected = (double)depths[i] / sqrt(2.0);
        expectDepth(&scene, 1, expected - 0.25 * spacing / sqrt(2.0), 0.25 * spacing / sqrt(2.0) + 1e-5);
        closeScene(&scene);
    }
}

static void planes_and_boxes_of_the_surroundings_are_asked_too(void** state)
{
    (void)state;
    shShape plane = {.type = shPlaneShape};
    shShape slab = {.type = shBoxShape, .halfExtent = {2.0f, 0.5f, 2.0f}};
    shShape rail = {.type = shBoxShape, .halfExtent = {2.0f, 0.05f, 0.05f}};
    Scene scene;
    openScene(&scene);
    addShape(&scene, &plane, at(0.0f, 0.0f, 0.0f));
    addCube(&scene, shDynamicBody, at(0.0f, -0.003f, 0.0f));
    expectDepth(&scene, 1, 0.003, 1e-6);
    closeScene(&scene);
    openScene(&scene);
    addShape(&scene, &slab, at(0.0f, -0.5f, 0.0f));
    addCube(&scene, shDynamicBody, at(0.0f, -0.004f, 0.0f));
    expectDepth(&scene, 1, 0.004, 1e-6);
    closeScene(&scene);
    // A rail pokes into the middle of the cube's underside: only the rail's own edges are within the cube.
    openScene(&scene);
    addShape(&scene, &rail, at(0.0f, -0.04f, 0.0f));
    addCube(&scene, shDynamicBody, at(0.0f, 0.0f, 0.0f));
    expectDepth(&scene, 1, 0.01, 1e-5);
    closeScene(&scene);
}

static void rocks_are_closed_convex_and_distinct(void** state)
{
    (void)state;
    Rock before = {0};
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        Rock rock;
        double least = 10.0, most = 0.0;
        rockMake(seed, &rock);
        assert_true(rock.vertexCount >= 28 && rock.vertexCount <= ROCK_POINTS);
        assert_int_equal(rock.triangleCount, 2 * rock.vertexCount - 4);
        assert_int_equal(rock.edgeCount, 3 * rock.vertexCount - 6);
        for (int t = 0; t < rock.triangleCount; ++t) {
            const int* corners = rock.triangles[t];
            for (int v = 0; v < rock.vertexCount; ++v)
                assert_true(v == corners[0] || v == corners[1] || v == corners[2] ||
                            dOrient(rock.vertices[corners[0]], rock.vertices[corners[1]], rock.vertices[corners[2]],
                                    rock.vertices[v]) < 0.0);
        }
        for (int v = 0; v < rock.vertexCount; ++v) {
            least = minD(least, dLength(rock.vertices[v]));
            most = maxD(most, dLength(rock.vertices[v]));
        }
        assert_true(least > 0.3 && most < 0.6);
        assert_true(dDistance(rock.vertices[0], before.vertices[0]) > 1e-6);
        before = rock;
    }
}

static void octahedra_are_as_deep_as_their_faces_say(void** state)
{
    (void)state;
    const DVec3 corners[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const double face = 1.0 / sqrt(3.0); // from the middle to a face
    Rock rock;
    PlacedRock a, b;
    assert_true(rockHull(corners, 6, &rock));
    assert_int_equal(rock.triangleCount, 8);
    rockPlace(&rock, (shTransform){vec3(0.0f, 0.0f, 0.0f), qIdentity()}, &a);
    for (int i = -2; i <= 6; ++i) {
        double depth = 0.01 * i, shift = (2.0 * face - depth) * face;
        rockPlace(&rock, (shTransform){vec3((float)shift, (float)shift, (float)shift), qIdentity()}, &b);
        assert_true(fabs(rockDepth(&a, &b) - depth) < 1e-6);
        assert_true(fabs(rockDepth(&b, &a) - depth) < 1e-6);
    }
    DVec3 up = dvec3(0.0, 1.0, 0.0);
    assert_true(fabs(rockPlaneDepth(&a, dvec3(0.0, -0.9, 0.0), up) - 0.1) < 1e-12);
    assert_true(fabs(rockPlaneDepth(&a, dvec3(0.0, -1.2, 0.0), up) + 0.2) < 1e-12);
}

// Two wedges whose edges cross at right angles: the way out is straight up, along the product of the edges.
static void crossing_edges_are_as_deep_as_they_are(void** state)
{
    (void)state;
    const DVec3 along[] = {{-1, 0, 0},     {1, 0.001, 0},    {-0.9, -1, 1},
                           {0.9, -1.1, 1}, {-0.9, -1.2, -1}, {0.9, -1.05, -1}};
    Rock wedge;
    PlacedRock lower, upper;
    assert_true(rockHull(along, 6, &wedge));
    shQuat over = qFromAxisAngle(vec3(1.0f, 0.0f, 0.0f), 3.14159265f);
    shQuat across = qMul(qFromAxisAngle(vec3(0.0f, 1.0f, 0.0f), 1.57079633f), over);
    rockPlace(&wedge, (shTransform){vec3(0.0f, 0.0f, 0.0f), qIdentity()}, &lower);
    for (int i = 1; i <= 5; ++i) {
        rockPlace(&wedge, (shTransform){vec3(0.0f, -0.01f * (float)i, 0.0f), across}, &upper);
        assert_true(fabs(rockDepth(&lower, &upper) - 0.01 * i) < 1.1e-3); // the edge rises by 1 mm over its length
    }
}

// No direction needs a shorter way than the axes say, and some random one nearly as short a way.
static void no_direction_is_shorter_than_the_axes(void** state)
{
    (void)state;
    Random random = randomSeed(5);
    for (int pair = 0; pair < 20; ++pair) {
        Rock rocks[2];
        PlacedRock a, b;
        rockMake(randomBits(&random), &rocks[0]);
        rockMake(randomBits(&random), &rocks[1]);
        shQuat q = randomRotation(&random);
        DVec3 way = randomDirection(&random);
        rockPlace(&rocks[0], (shTransform){vec3(0.0f, 0.0f, 0.0f), randomRotation(&random)}, &a);
        rockPlace(&rocks[1], (shTransform){vFromD(dScale(0.7, way)), q}, &b);
        double depth = rockDepth(&a, &b), least = 10.0;
        for (int i = 0; i < 20000; ++i) {
            DVec3 axis = randomDirection(&random);
            double most = -10.0, lowest = 10.0;
            for (int v = 0; v < rocks[0].vertexCount; ++v)
                most = maxD(most, dDot(a.vertices[v], axis));
            for (int v = 0; v < rocks[1].vertexCount; ++v)
                lowest = minD(lowest, dDot(b.vertices[v], axis));
            least = minD(least, most - lowest);
        }
        if (depth > 0.0)
            assert_true(least >= depth - 1e-9 && least < depth + 0.02);
        else
            assert_true(least < 0.02);
    }
}

static void a_cooked_rock_has_its_hull_as_surface(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    shContext* context;
    shAsset* asset;
    shMessage message = {""};
    Rock rock;
    check(shCreateContext(&def, &context, &message), &message);
    rockMake(7, &rock);
    check(rockCook(context, &rock, &asset, &message), &message);
    shAssetInfo info = shAsset_GetInfo(asset);
    double volume = 0.0;
    for (int t = 0; t < rock.triangleCount; ++t)
        volume += dOrient(dvec3(0.0, 0.0, 0.0), rock.vertices[rock.triangles[t][0]],
                          rock.vertices[rock.triangles[t][1]], rock.vertices[rock.triangles[t][2]]) /
                  6.0;
    assert_int_equal(info.triangleCount, rock.triangleCount);
    assert_int_equal(info.pointCount, rock.vertexCount + 1);
    assert_true(fabs(info.volume - fabs(volume)) < 1e-6 * info.volume);
    shDestroyAsset(asset);
    assert_int_equal(shDestroyContext(context), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_that_overlap_are_as_deep_as_they_are),
        cmocka_unit_test(boxes_that_touch_or_stand_apart_do_not_count),
        cmocka_unit_test(edges_that_cross_are_found),
        cmocka_unit_test(planes_and_boxes_of_the_surroundings_are_asked_too),
        cmocka_unit_test(rocks_are_closed_convex_and_distinct),
        cmocka_unit_test(octahedra_are_as_deep_as_their_faces_say),
        cmocka_unit_test(crossing_edges_are_as_deep_as_they_are),
        cmocka_unit_test(no_direction_is_shorter_than_the_axes),
        cmocka_unit_test(a_cooked_rock_has_its_hull_as_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

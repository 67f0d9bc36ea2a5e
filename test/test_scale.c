// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Tolerances follow size: a ball breaks a plate of normal size, of a hundredth and of a hundred times that. Gravity,
// speeds and the world's speed thresholds are scaled with it, so all happens at the same time and in the same way; the
// impulse that breaks goes with the fourth power, for the strength of a material would make a small plate tougher.
//
// How pieces come to lie is a matter of the last bits: depths of one run differ by several times between sizes of 1 and
// 1.03, too, and of sixteen the mean of the deepest may be off by half. So they are compared as means over forty
// patterns.
#include "bench/depth_survey.h"
#include "core/vec.h"
#include "mesh/models.h"
#include "sherd/asset.h"
#include "sherd/world.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEEDS = 40, STEPS = 150 };

typedef struct Story {
    int breakStep[SEEDS], pieces[SEEDS]; // when it broke; how many pieces that made
    int bodies[SEEDS], stirred[SEEDS];   // at the end; of these, how many still move
    double mean, worst;                  // % of the smaller diameter, by dense survey
    double deepest;                      // in sizes
} Story;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shAsset* plateOf(shContext* context, float scale)
{
    TetMesh mesh;
    shMessage message = {""};
    check(modelGenerate(modelFind("plate"), 1.0f, &context->memory, &mesh, &message), &message);
    for (int i = 0; i < mesh.nodeCount; ++i)
        mesh.nodes[i] = vScale(scale, mesh.nodes[i]);
    shMeshDef def = {.vertexCount = mesh.nodeCount,
                     .vertices = mesh.nodes,
                     .triangleCount = mesh.triangleCount,
                     .triangles = (const int(*)[3])mesh.triangles,
                     .tetCount = mesh.tetCount,
                     .tets = (const int(*)[4])mesh.tets};
    shCookDef cook = shDefaultCookDef();
    shAsset* plate;
    check(shCookAsset(context, &def, &cook, &plate, &message), &message);
    tetMeshFree(&mesh, &context->memory);
    return plate;
}

static shWorld* makeWorld(shContext* context, const shAsset* plate, float scale, uint64_t seed)
{
    shMessage message = {""};
    shWorldDef def = shDefaultWorldDef();
    shWorld* world;
    def.gravity = vScale(scale, def.gravity);
    def.hitSpeed *= scale;
    def.bounceSpeed *= scale;
    def.pushSpeed *= scale;
    def.sleepSpeed *= scale;
    def.sleeping = false;
    check(shCreateWorld(context, &def, &world, &message), &message);
    shBodyId id;
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.shape = &(shShape){.type = shPlaneShape};
    check(shCreateBody(world, &ground, &id, &message), &message);
    shFractureDef fracture = shDefaultFractureDef(shClusteredPattern);
    fracture.pattern.pieces = 14;
    fracture.pattern.seed = seed;
    fracture.impulse = 0.5 * pow((double)scale, 4.0);
    fracture.smallest =
        0.9 * shAsset_GetInfo(plate).volume; // pieces do not break again: how often is a matter of chance
    shBodyDef dish = shDefaultBodyDef();
    dish.asset = plate;
    dish.fracture = &fracture;
    dish.transform.p.y = 0.02f * scale;
    check(shCreateBody(world, &dish, &id, &message), &message);
    shBodyDef ball = shDefaultBodyDef();
    ball.shape = &(shShape){.type = shSphereShape, .radius = 0.03f * scale};
    ball.density = 7800.0f;
    ball.transform.p = vScale(scale, vec3(0.02f, 0.5f, 0.01f));
    ball.velocity.y = -2.0f * scale;
    check(shCreateBody(world, &ball, &id, &message), &message);
    return world;
}

static void tellOne(shContext* context, const shAsset* plate, float scale, int seed, Story* story)
{
    shMessage message = {""};
    shWorld* world = makeWorld(context, plate, scale, (uint64_t)seed + 1);
    story->breakStep[seed] = -1;
    for (int i = 0; i < STEPS; ++i) {
        check(shWorld_Step(world, 1.0f / 60.0f, &message), &message);
        shWorldEvents events = shWorld_GetEvents(world);
        if (events.breakCount > 0 && story->breakStep[seed] < 0) {
            story->breakStep[seed] = i;
            story->pieces[seed] = events.breaks[0].count;
        }
    }
    DepthSurvey survey;
    check(depthSurvey(world, DEPTH_SPACING, &survey, &message), &message);
    story->bodies[seed] = survey.bodies;
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        story->stirred[seed] += shBody_IsValid(world, id) && vLength(shBody_GetVelocity(world, id)) > 0.02f * scale;
    }
    story->mean += depthListMean(&survey.percent) / SEEDS;
    story->worst += depthListPercentile(&survey.percent, 1.0) / SEEDS;
    story->deepest += survey.deepest / (double)scale / SEEDS;
    depthSurveyFree(&survey);
    shDestroyWorld(world);
}

static Story tell(float scale)
{
    shMessage message = {""};
    shContextDef contextDef = shDefaultContextDef();
    shContext* context;
    Story story = {0};
    check(shCreateContext(&contextDef, &context, &message), &message);
    shAsset* plate = plateOf(context, scale);
    int pieces = 0, stirred = 0;
    for (int seed = 0; seed < SEEDS; ++seed) {
        tellOne(context, plate, scale, seed, &story);
        pieces += story.pieces[seed];
        stirred += story.stirred[seed];
    }
    print_message(
        "scale %g: breaks in step %d, %d pieces in all, %d still moving; depth %.4f %% on average, %.4f %% at "
        "most, %.2e of the size\n",
        (double)scale, story.breakStep[0], pieces, stirred, story.mean, story.worst, story.deepest);
    shDestroyAsset(plate);
    assert_int_equal(shDestroyContext(context), 0);
    return story;
}

static bool isAlike(double a, double b) { return a < 2.0 * b && b < 2.0 * a; }

static void a_plate_breaks_alike_at_all_sizes(void** unused)
{
    (void)unused;
    Story one = tell(1.0f), small = tell(0.01f), large = tell(100.0f);
    const Story* others[2] = {&small, &large};
    for (int i = 0; i < 2; ++i) {
        const Story* other = others[i];
        for (int seed = 0; seed < SEEDS; ++seed) {
            assert_true(one.breakStep[seed] > 0 && one.pieces[seed] >= 8);
            assert_int_equal(other->breakStep[seed], one.breakStep[seed]);
            assert_true(abs(other->pieces[seed] - one.pieces[seed]) <= 2); // crumbs that rounding joins or not
            assert_true(other->bodies[seed] == other->pieces[seed] + 1);
        }
        assert_true(isAlike(one.mean, other->mean) && isAlike(one.worst, other->worst));
        assert_true(isAlike(one.deepest, other->deepest));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plate_breaks_alike_at_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

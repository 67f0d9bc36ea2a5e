// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Nothing passes through anything, however fast and thin (X1): balls of 1 cm against plates of 5 mm at 30 Hz, whole and
// broken, and shards on the ground. A few hundred directions as a test; more by
//   test_tunnel --directions 1000
#include "core/context.h"
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"
#include "mesh/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEST_DIRECTIONS = 100, STEPS = 24 };
static const float dt = 1.0f / 30.0f, plateThickness = 0.005f, ballRadius = 0.01f;
static int directions = TEST_DIRECTIONS;
static bool verbose;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

typedef struct Models {
    shContext* context;
    shAsset* pane; // 45 × 30 cm, 5 mm
    shAsset* ball; // r = 1 cm
} Models;

static Models models;

// A built-in model in another size.
static shAsset* cookScaled(const char* name, float detail, float scale)
{
    shMessage message = {""};
    TetMesh mesh;
    Memory* memory = &models.context->memory;
    check(modelGenerate(modelFind(name), detail, memory, &mesh, &message), &message);
    for (int i = 0; i < mesh.nodeCount; ++i)
        mesh.nodes[i] = vScale(scale, mesh.nodes[i]);
    shMeshDef def = {.vertexCount = mesh.nodeCount,
                     .vertices = mesh.nodes,
                     .tetCount = mesh.tetCount,
                     .tets = (const int(*)[4])mesh.tets};
    shCookDef cook = shDefaultCookDef();
    shAsset* asset;
    check(shCookAsset(models.context, &def, &cook, &asset, &message), &message);
    tetMeshFree(&mesh, memory);
    return asset;
}

static int setUp(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    def.workerCount = 2;
    check(shCreateContext(&def, &models.context, &message), &message);
    models.pane = cookScaled("pane", 0.4f, 0.5f);
    models.ball = cookScaled("sphere", 0.5f, 0.1f);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    shDestroyAsset(models.pane);
    shDestroyAsset(models.ball);
    return shDestroyContext(models.context) == 0 ? 0 : -1;
}

static shWorld* makeWorld(void)
{
    shMessage message = {""};
    shWorldDef def = shDefaultWorldDef();
    shWorld* world;
    check(shCreateWorld(models.context, &def, &world, &message), &message);
    return world;
}

static shBodyId add(shWorld* world, shBodyDef def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(world, &def, &id, &message), &message);
    return id;
}

static void step(shWorld* world)
{
    shMessage message = {""};
    check(shWorld_Step(world, dt, &message), &message);
}

static int breakBody(shWorld* world, shBodyId id, shVec3 at, int pieces, uint64_t seed, shBodyId* made, int room)
{
    shMessage message = {""};
    shPattern pattern = shDefaultPattern(shUniformPattern);
    pattern.pieces = pieces;
    pattern.seed = seed;
    shImpact impact = shDefaultImpact(at);
    shBodyBreak broken;
    check(shBody_Break(world, id, &pattern, &impact, &broken, &message), &message);
    int count = broken.bodyCount < room ? broken.bodyCount : room;
    memcpy(made, broken.bodies, sizeof *made * (size_t)count);
    return broken.bodyCount;
}

// ---- balls and plates -----------------------------------------------------------------------------------------------

enum { shapeBall, solidBall, brokenBall };
enum { standingPlate, brokenPlate, freePlate };

// J, above one metre below the origin.
static double energyOf(const shWorld* world, shBodyId id)
{
    const Body* body = worldBody(world, id);
    double height = body->centre.y + 1.0, weight = 9.81 * (double)body->gravityScale;
    return body->mass * (0.5 * (double)vLength2(body->velocity) + weight * height) + body->spin.energy;
}

// Whether the line from a to b, both in the plate's frame, goes through its middle, not near the rim.
static bool crosses(Vec3 a, Vec3 b)
{
    if ((a.z > 0.0f) == (b.z > 0.0f))
        return false;
    Vec3 p = vLerp(a, b, a.z / (a.z - b.z));
    return fabsf(p.x) < 0.215f && p.y > 0.01f && p.y < 0.29f;
}

// Where a body's centre, or the body, was at a time of the last step, a fraction of it.
static shTransform then(const shWorld* world, const Body* body, float time)
{
    return continuousPoseAt(world, body, time);
}

// Whether the ball's centre has gone through the plate in the last step. A plate that turns may be passed beside its
// rim: only the way itself, in the plate's frame, tells.
static bool passes(const shWorld* world, const Body* plate, const Body* ball)
{
    enum { MOMENTS = 64 };
    Vec3 before = xformUnpoint(then(world, plate, 0.0f), xformPoint(then(world, ball, 0.0f), ball->restCentre));
    for (int k = 1; k <= MOMENTS; ++k) {
        float time = (float)k / MOMENTS;
        Vec3 now = xformUnpoint(then(world, plate, time), xformPoint(then(world, ball, time), ball->restCentre));
        if (crosses(before, now))
            return true;
        before = now;
    }
    return false;
}

typedef struct Score {
    int shots, passed, swept, stopped;
    float deepest; // m
    double gain;   // of the largest energy of a ball, in a step
} Score;

typedef struct Shot {
    shBodyId ball;
    Vec3 before; // in the plate's frame, for the report
    double energy, most;
} Shot;

static void shoot(int ballKind, int plateKind, int count, uint64_t seed, Score* score)
{
    Random random = randomSeed(seed);
    shMessage message = {""};
    shWorld* world = makeWorld();
    shBodyDef plate = shDefaultBodyDef();
    plate.asset = models.pane;
    plate.type = plateKind == freePlate ? shDynamicBody : shStaticBody;
    if (plateKind == brokenPlate)
        plate.type = shKinematicBody; // pieces of what stands would fall
    plate.gravityScale = 0.0f;
    plate.transform.q = randomRotation(&random);
    plate.transform.p = randomInBox(&random, (shBox){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}});
    shBodyId plateId = add(world, plate), pieces[64];
    if (plateKind == brokenPlate)
        breakBody(world, plateId, vec3(0.0f, 0.15f, 0.0f), 12, seed, pieces, 64);
    Shot* shots = calloc((size_t)count, sizeof *shots);
    for (int i = 0; i < count; ++i) {
        Vec3 aim = randomInBox(&random, (shBox){{-0.2f, 0.025f, 0.0f}, {0.2f, 0.275f, 0.0f}}), direction;
        do
            direction = vFromD(randomDirection(&random));
        while (fabsf(direction.z) < 0.2f);
        float speed = 1.0f;
        for (int k = 0; k < 2; ++k)
            speed *= randomRange(&random, 1.0f, 10.0f);
        float way = randomRange(&random, 0.08f, 0.08f + 2.0f * speed * dt);
        shBodyDef ball = shDefaultBodyDef();
        shShape shape = {.type = shSphereShape, .radius = ballRadius};
        if (ballKind == shapeBall)
            ball.shape = &shape;
        else
            ball.asset = models.ball;
        ball.filter.group = -1;
        ball.restitution = i % 4 == 0 ? 0.8f : 0.0f;
        ball.gravityScale = i % 2 ? 1.0f : 0.0f;
        ball.transform.q = randomRotation(&random);
        Vec3 middle = ballKind == shapeBall ? vec3(0.0f, 0.0f, 0.0f) : vec3(0.0f, ballRadius, 0.0f);
        Vec3 start = xformPoint(plate.transform, vMad(aim, -way, direction));
        ball.transform.p = vSub(start, qRotate(ball.transform.q, middle));
        ball.velocity = vScale(speed, qRotate(plate.transform.q, direction));
        if (randomBelow(&random, 2))
            ball.angularVelocity = vFromD(randomVector(&random, 300.0));
        shots[i].ball = add(world, ball);
        if (ballKind == brokenBall) {
            shBodyId made[16];
            int n = breakBody(world, shots[i].ball, vec3(0.0f, ballRadius, 0.0f), 4, randomBits(&random), made, 16);
            int keep = randomBelow(&random, n < 16 ? n : 16);
            for (int k = 0; k < n && k < 16; ++k) {
                if (k != keep)
                    check(shDestroyBody(world, made[k], &message), &message);
            }
            shots[i].ball = made[keep];
            check(shBody_SetVelocity(world, shots[i].ball, ball.velocity, ball.angularVelocity, &message), &message);
        }
        shots[i].energy = shots[i].most = energyOf(world, shots[i].ball);
        shots[i].before = xformUnpoint(plate.transform, shBody_GetCentre(world, shots[i].ball));
    }
    for (int s = 0; s < STEPS; ++s) {
        step(world);
        shCounters counters = shWorld_GetCounters(world);
        score->swept += counters.swept;
        score->stopped += counters.stopped;
        shTransform frame = shBody_GetTransform(world, plateId);
        for (int i = 0; i < count; ++i) {
            Vec3 now = xformUnpoint(frame, shBody_GetCentre(world, shots[i].ball));
            if (passes(world, worldBody(world, plateId), worldBody(world, shots[i].ball))) {
                if (verbose)
                    printf("  shot %d of seed %llu passes in step %d: %g %g %g -> %g %g %g\n", i,
                           (unsigned long long)seed, s, (double)shots[i].before.x, (double)shots[i].before.y,
                           (double)shots[i].before.z, (double)now.x, (double)now.y, (double)now.z);
                ++score->passed;
            }
            if (fabsf(now.x) < 0.215f && now.y > 0.01f && now.y < 0.29f)
                score->deepest = maxF(score->deepest, 0.5f * plateThickness + ballRadius - fabsf(now.z));
            shots[i].before = now;
            double energy = energyOf(world, shots[i].ball), gain = (energy - shots[i].energy) / shots[i].most;
            if (verbose && gain > 1e-3)
                printf("  shot %d of seed %llu gains %g in step %d\n", i, (unsigned long long)seed, gain, s);
            if (plateKind != freePlate)
                score->gain = maxD(score->gain, gain);
            shots[i].energy = energy;
            shots[i].most = maxD(shots[i].most, energy);
        }
    }
    score->shots += count;
    free(shots);
    shDestroyWorld(world);
}

static void shootAll(const char* name, int ballKind, int plateKind, int perWorld)
{
    Score score = {0};
    for (int done = 0; done < directions; done += perWorld)
        shoot(ballKind, plateKind, perWorld, 1000u * (uint64_t)(3 * ballKind + plateKind) + (uint64_t)done, &score);
    if (verbose)
        printf("%-32s %6d shots, %d passed, deepest %.2f mm, %d sweeps, %d stopped, gain %.1e\n", name, score.shots,
               score.passed, 1e3 * (double)score.deepest, score.swept, score.stopped, score.gain);
    assert_int_equal(score.passed, 0);
    if (ballKind != brokenBall && plateKind == standingPlate)
        assert_true(score.gain <= 1e-4);
}

static void ballsStopAtAPlate(void** state)
{
    (void)state;
    shootAll("balls at a plate", shapeBall, standingPlate, 100);
}

static void solidBallsStopAtAPlate(void** state)
{
    (void)state;
    shootAll("solid balls at a plate", solidBall, standingPlate, 100);
}

static void fragmentsStopAtAPlate(void** state)
{
    (void)state;
    shootAll("fragments at a plate", brokenBall, standingPlate, 100);
}

static void ballsStopAtABrokenPlate(void** state)
{
    (void)state;
    shootAll("balls at a broken plate", shapeBall, brokenPlate, 100);
    shootAll("solid balls at a broken plate", solidBall, brokenPlate, 100);
    shootAll("fragments at a broken plate", brokenBall, brokenPlate, 100);
}

static void ballsStopAtAFreePlate(void** state)
{
    (void)state;
    shootAll("balls at a free plate", shapeBall, freePlate, 5);
    shootAll("solid balls at a free plate", solidBall, freePlate, 5);
}

// ---- continuous collision by itself ---------------------------------------------------------------------------------

// As if the solver had had no contacts: all that can move goes where its state says.
static void moveAll(shWorld* world)
{
    bool late;
    assert_int_equal(continuousPredict(world, dt, &late), shOk);
    for (int i = 0; i < world->moving.count; ++i) {
        Body* body = &world->bodies.data[world->moving.data[i]];
        const BodyState* state = &world->states.data[i];
        DVec3 turn = dvec3((double)state->turn[0], (double)state->turn[1], (double)state->turn[2]);
        body->centre =
            dAdd(body->centre, dvec3((double)state->shift[0], (double)state->shift[1], (double)state->shift[2]));
        body->spin.frame = dqNormalize(dqMul(dqFromAxisAngle(turn, dLength(turn)), body->spin.frame));
        bodyPlace(body);
    }
    continuousFinish(world);
}

// Sends all balls to places beyond the plate, from both sides at once, while it turns and flies itself.
static void fling(shWorld* world, shBodyId plate, const shBodyId* balls, int count, Random* random)
{
    shMessage message = {""};
    shTransform frame = shBody_GetTransform(world, plate);
    DVec3 shift = randomVector(random, 0.2), turn = randomVector(random, 6.0);
    double pace = 1.0 / (double)dt;
    check(shBody_SetVelocity(world, plate, vFromD(dScale(pace, shift)), vFromD(dScale(pace, turn)), &message),
          &message);
    for (int i = 0; i < count; ++i) {
        Vec3 aim = xformPoint(frame, randomInBox(random, (shBox){{-0.2f, 0.02f, -0.3f}, {0.2f, 0.28f, 0.3f}}));
        Vec3 way = vSub(aim, shBody_GetCentre(world, balls[i]));
        turn = randomVector(random, 20.0);
        check(shBody_SetVelocity(world, balls[i], vScale((float)pace, way), vFromD(dScale(pace, turn)), &message),
              &message);
    }
}

// Twenty at once, from both sides, at a plate that flies and turns: none is through it after the step.
static void a_crowd_of_balls_stops_at_a_free_plate(void** state)
{
    (void)state;
    enum { BALLS = 20, PUSHES = 4 };
    shMessage message = {""};
    int passed = 0, met = 0;
    for (int done = 0; done < 5 * directions; done += BALLS) {
        Random random = randomSeed(77000u + (uint64_t)done);
        shWorld* world = makeWorld();
        shBodyDef plate = shDefaultBodyDef();
        plate.asset = models.pane;
        plate.gravityScale = 0.0f;
        plate.transform.q = randomRotation(&random);
        shBodyId plateId = add(world, plate), balls[BALLS];
        for (int i = 0; i < BALLS; ++i) {
            shShape shape = {.type = shSphereShape, .radius = ballRadius};
            shBodyDef ball = shDefaultBodyDef();
            if (i % 2)
                ball.shape = &shape;
            else
                ball.asset = models.ball;
            ball.filter.group = -1;
            ball.gravityScale = 0.0f;
            ball.transform.q = randomRotation(&random);
            float side = randomBelow(&random, 2) ? 1.0f : -1.0f;
            Vec3 at = randomInBox(&random, (shBox){{-0.2f, 0.02f, 0.04f}, {0.2f, 0.28f, 0.3f}});
            ball.transform.p = xformPoint(plate.transform, vec3(at.x, at.y, side * at.z));
            balls[i] = add(world, ball);
        }
        check(shWorld_Step(world, 1e-3f, &message), &message);
        for (int push = 0; push < PUSHES; ++push) {
            fling(world, plateId, balls, BALLS, &random);
            step(world);
            met += shWorld_GetCounters(world).touching;
            for (int i = 0; i < BALLS; ++i)
                passed += passes(world, worldBody(world, plateId), worldBody(world, balls[i]));
        }
        shDestroyWorld(world);
    }
    if (verbose)
        printf("flung at a plate: %d passed, %d met it\n", passed, met);
    assert_int_equal(passed, 0);
    assert_true(met > directions);
}

// Half a turn ends in the box that it began in, and goes through much that is outside.
static void half_a_turn_is_seen(void** state)
{
    (void)state;
    shMessage message = {""};
    shWorld* world = makeWorld();
    shShape sphere = {.type = shSphereShape, .radius = ballRadius};
    shBodyDef plate = shDefaultBodyDef(), ball = shDefaultBodyDef();
    plate.asset = models.pane;
    ball.shape = &sphere;
    plate.gravityScale = ball.gravityScale = 0.0f;
    ball.transform.p = vec3(0.0f, 0.15f, 0.1f);
    shBodyId plateId = add(world, plate), ballId = add(world, ball);
    check(shWorld_Step(world, 1e-3f, &message), &message);
    assert_int_equal(continuousBegin(world), shOk);
    Body* body = worldBody(world, plateId);
    for (int i = 0; i < world->moving.count; ++i)
        world->states.data[i] = (BodyState){0};
    world->states.data[body->state].turn[0] = 3.14159265f;
    moveAll(world);
    assert_int_equal(world->counters.stopped, 2);
    assert_false(passes(world, body, worldBody(world, ballId)));
    shDestroyWorld(world);
}

// ---- shards on the ground -------------------------------------------------------------------------------------------

enum { HILLS = 24, FALL_STEPS = 75 }; // cells each way
static const float hillCell = 0.25f;

static float hillAt(int i, int k) { return 0.1f * (float)((i * 7 + k * 13 + i * k) % 5); }

// Of the triangles between the heights of hillAt.
static float groundAt(bool hills, float x, float z)
{
    if (!hills)
        return 0.0f;
    float u = x / hillCell + 0.5f * HILLS, w = z / hillCell + 0.5f * HILLS;
    int i = minI(maxI((int)floorf(u), 0), HILLS - 1), k = minI(maxI((int)floorf(w), 0), HILLS - 1);
    u -= (float)i;
    w -= (float)k;
    float a = hillAt(i, k), b = hillAt(i + 1, k), c = hillAt(i, k + 1), d = hillAt(i + 1, k + 1);
    return u + w <= 1.0f ? a + u * (b - a) + w * (c - a) : d + (1.0f - u) * (c - d) + (1.0f - w) * (b - d);
}

static shScenery* makeHills(void)
{
    static shVec3 points[(HILLS + 1) * (HILLS + 1)];
    static int triangles[2 * HILLS * HILLS][3];
    int count = 0, row = HILLS + 1;
    for (int k = 0; k <= HILLS; ++k) {
        for (int i = 0; i <= HILLS; ++i)
            points[k * row + i] =
                vec3(hillCell * ((float)i - 0.5f * HILLS), hillAt(i, k), hillCell * ((float)k - 0.5f * HILLS));
    }
    for (int k = 0; k < HILLS; ++k) {
        for (int i = 0; i < HILLS; ++i) {
            int a = k * row + i, b = a + 1, c = a + row, d = c + 1;
            const int two[2][3] = {{a, c, b}, {b, c, d}};
            memcpy(triangles[count], two, sizeof two);
            count += 2;
        }
    }
    shSceneryDef def = shDefaultSceneryDef();
    def.pointCount = row * row;
    def.points = points;
    def.triangleCount = count;
    def.triangles = (const int(*)[3])triangles;
    shScenery* scenery;
    shMessage message = {""};
    check(shCreateScenery(models.context, &def, &scenery, &message), &message);
    return scenery;
}

typedef struct Lowest {
    float below; // m, of a surface point below the ground
    int sunk;    // how often a shard had its centre below, after a step
} Lowest;

static void look(const shWorld* world, bool hills, shBodyId id, Lowest* lowest)
{
    int piece;
    const shSolid* solid = shBody_GetSolid(world, id, &piece);
    static shVec3 corners[4096][3];
    int count = minI(shSolid_GetTriangles(solid, piece, corners, NULL, 4096), 4096);
    shTransform frame = shBody_GetTransform(world, id);
    for (int i = 0; i < count; ++i) {
        Vec3 p = xformPoint(frame, corners[i][0]);
        if (maxF(fabsf(p.x), fabsf(p.z)) < 0.48f * hillCell * HILLS)
            lowest->below = maxF(lowest->below, groundAt(hills, p.x, p.z) - p.y);
    }
    Vec3 centre = shBody_GetCentre(world, id);
    lowest->sunk += maxF(fabsf(centre.x), fabsf(centre.z)) < 0.48f * hillCell * HILLS &&
                    centre.y < groundAt(hills, centre.x, centre.z);
}

static void dropShards(bool hills, int panes, uint64_t seed)
{
    shMessage message = {""};
    shWorld* world = makeWorld();
    shScenery* scenery = hills ? makeHills() : NULL;
    shShape plane = {.type = shPlaneShape};
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    if (hills)
        ground.scenery = scenery;
    else
        ground.shape = &plane;
    add(world, ground);
    static shBodyId shards[512];
    int count = 0;
    Random random = randomSeed(seed);
    for (int i = 0; i < panes; ++i) {
        shBodyDef pane = shDefaultBodyDef();
        pane.asset = models.pane;
        shBodyId made[64];
        int n = minI(breakBody(world, add(world, pane), vec3(0.0f, 0.15f, 0.0f), 24, (uint64_t)i, made, 64), 64);
        for (int k = 0; k < n && count < 512; ++k) {
            Vec3 at = randomInBox(&random, (shBox){{-1.5f, 10.0f, -1.5f}, {1.5f, 10.5f, 1.5f}});
            shTransform frame = {at, randomRotation(&random)};
            Vec3 turn = vFromD(randomVector(&random, 30.0));
            check(shBody_SetTransform(world, made[k], frame, &message), &message);
            check(shBody_SetVelocity(world, made[k], vec3(0, 0, 0), turn, &message), &message);
            shards[count++] = made[k];
        }
    }
    Lowest lowest = {0};
    int stopped = 0;
    for (int s = 0; s < FALL_STEPS; ++s) {
        step(world);
        stopped += shWorld_GetCounters(world).stopped;
        for (int i = 0; i < count && s > 40; ++i)
            look(world, hills, shards[i], &lowest);
    }
    if (verbose)
        printf("%d shards on %s: %d times below ground, deepest point %.2f mm, %d stopped\n", count,
               hills ? "hills" : "a plane", lowest.sunk, 1e3 * (double)lowest.below, stopped);
    shDestroyWorld(world);
    shDestroyScenery(scenery);
    assert_int_equal(lowest.sunk, 0);
}

static void shardsStayAboveAPlane(void** state)
{
    (void)state;
    dropShards(false, verbose ? 12 : 2, 7);
}

// They come down at 13 m/s and spin with hundreds of radians a second after that. In half of these draws some were
// below ground when what had been stopped was still turned until its energy was right.
static void shardsStayAboveHills(void** state)
{
    (void)state;
    for (uint64_t seed = 14; seed < 22; ++seed)
        dropShards(true, verbose ? 12 : 2, seed);
}

int main(int count, char** arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ballsStopAtAPlate),     cmocka_unit_test(solidBallsStopAtAPlate),
        cmocka_unit_test(fragmentsStopAtAPlate), cmocka_unit_test(ballsStopAtABrokenPlate),
        cmocka_unit_test(ballsStopAtAFreePlate), cmocka_unit_test(a_crowd_of_balls_stops_at_a_free_plate),
        cmocka_unit_test(half_a_turn_is_seen),   cmocka_unit_test(shardsStayAboveAPlane),
        cmocka_unit_test(shardsStayAboveHills),
    };
    if (count == 3 && strcmp(arguments[1], "--directions") == 0) {
        directions = atoi(arguments[2]);
        verbose = true;
    }
    return cmocka_run_group_tests(tests, setUp, tearDown);
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Random breaks in worlds: a ball of steel strikes spheres, plates, bricks, rabbits and heaps of them, in free flight
// and on the ground. At every break, and in the ten steps after it: no energy is made, momentum is kept, no piece flies
// off faster than what struck explains, every piece is the surface of a solid. A few as a test; `make soak` does a
// thousand:
//   test_world_breaks --breaks 1000    that many
//   test_world_breaks --trial 17       one world again, step by step
#include "core/quat.h"
#include "core/random.h"
#include "dynamics/world.h"
#include "solid/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/manifold.h"

enum { sphere, plate, brick, rabbit, modelCount };
enum { heap = modelCount, kindCount };
static const char* const kinds[kindCount] = {"sphere", "plate", "brick", "rabbit", "heap"};
static const float details[modelCount] = {0.6f, 0.5f, 0.75f, 0.4f};

enum { AFTER = 10, MOST_STEPS = 40 };
static const float STEP = 1.0f / 30.0f;

static shContext* context;
static shAsset* assets[modelCount];
static int wantedBreaks = 24, onlyTrial = -1;

static void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static shBodyId add(shWorld* world, const shBodyDef* def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(world, def, &id, &message), &message);
    return id;
}

// ---- what is measured -----------------------------------------------------------------------------------------------

typedef struct Sums {
    DVec3 linear, angular;
    DVec3 place; // Σ m · centre
    double energy, mass;
    double size, lever; // Σ m |v|, Σ |r × m v| + |L|: what errors are measured against
    double fastest;     // of a centre of mass
    double rim;         // of any point of a body
    double turning;     // of a rim against its centre
} Sums;

static bool isAlive(const shWorld* world, int i) { return idPoolAt(&world->ids, i).generation != 0; }

static Sums sumsOf(const shWorld* world, DVec3 about)
{
    Sums sums = {0};
    for (int i = 0; i < world->bodies.count; ++i) {
        const Body* body = &world->bodies.data[i];
        if (!isAlive(world, i) || body->mass <= 0.0)
            continue;
        DVec3 velocity = dFromV(body->velocity), p = dScale(body->mass, velocity);
        DVec3 orbital = dCross(dSub(body->centre, about), p);
        sums.linear = dAdd(sums.linear, p);
        sums.place = dMad(sums.place, body->mass, body->centre);
        sums.angular = dAdd(sums.angular, dAdd(orbital, body->spin.momentum));
        sums.energy += bodyEnergy(world, body);
        sums.mass += body->mass;
        sums.size += dLength(p);
        sums.lever += dLength(orbital) + dLength(body->spin.momentum);
        double speed = dLength(velocity), turning = dLength(dFromV(body->angular)) * (double)body->radius;
        sums.fastest = maxD(sums.fastest, speed);
        sums.rim = maxD(sums.rim, speed + turning);
        sums.turning = maxD(sums.turning, turning);
    }
    return sums;
}

// What something immovable has given to the others in the last step, along its normals; it must have no friction.
static DVec3 impulseOf(const shWorld* world, shBodyId id)
{
    DVec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < world->pairs.count; ++i) {
        const Pair* pair = &world->pairs.data[i];
        if (pair->a != id.index && pair->b != id.index)
            continue;
        double sign = pair->b == id.index ? 1.0 : -1.0;
        for (int k = 0; k < pair->count; ++k) {
            const Contact* contact = &world->contacts.data[pair->first + k];
            // Of a plane: it has not turned.
            const Body* owner = &world->bodies.data[contact->id >> 31 ? pair->a : pair->b];
            assert_true(owner == &world->bodies.data[id.index]);
            DVec3 normal = dFromV(qRotate(owner->transform.q, contact->normal));
            sum = dMad(sum, sign * (double)contact->total, normal);
        }
    }
    return sum;
}

static void assertValid(const shWorld* world, double mass)
{
    double sum = shWorld_GetCounters(world).dustMass;
    int alive = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        const Body* body = &world->bodies.data[i];
        if (!isAlive(world, i))
            continue;
        ++alive;
        assert_true(dFinite(body->centre) && vFinite(body->velocity) && vFinite(body->angular));
        assert_true(fabs(dLength2(body->spin.frame.v) + body->spin.frame.s * body->spin.frame.s - 1.0) < 1e-9);
        if (body->type == shDynamicBody) {
            assert_true(body->mass > 0.0 && body->spin.inertia.x > 0.0);
            sum += body->mass;
        }
        if (body->solid >= 0)
            assert_true(fieldHasPiece(&world->solids.data[body->solid].solid->field, body->piece) ||
                        world->solids.data[body->solid].solid->field.labels == NULL);
    }
    assert_int_equal(alive, shWorld_GetCounters(world).bodies);
    if (fabs(sum - mass) > 1e-6 * mass)
        fail_msg("%.9g kg alive or dust of %.9g", sum, mass);
}

static const char* surfaceFault(const shSolid* solid, int piece, double said)
{
    Surface surface = surfaceOf(&solid->field, piece);
    Welded mesh = weld(&surface);
    double volume = volumeOf(&surface);
    const char* fault = surface.count <= 0 ? "a piece is empty" : manifoldFault(&mesh);
    if (fault == NULL && !(fabs(volume - said) <= 1e-5 * said + 1e-9 * solid->asset->mass.volume))
        fault = "a piece is not as large as it says";
    free(mesh.triangles);
    free(surface.triangles);
    return fault;
}

// All pieces of what has just broken: closed, and as large as they say.
static void assertSurfaces(const shWorld* world)
{
    shWorldEvents events = shWorld_GetEvents(world);
    for (int i = 0; i < events.pieceCount; ++i) {
        int piece;
        const shSolid* solid = shBody_GetSolid(world, events.pieces[i], &piece);
        const char* fault =
            solid != NULL ? surfaceFault(solid, piece, world->bodies.data[events.pieces[i].index].volume) : NULL;
        if (fault != NULL)
            fail_msg("%s", fault);
    }
}

// ---- one world ------------------------------------------------------------------------------------------------------

typedef struct Trial {
    shWorld* world;
    shBodyId ground, ball;
    double mass;
    bool free;    // no ground, no gravity
    bool bounces; // with its materials' restitution; else with none
    int kind;
} Trial;

typedef struct Totals {
    int worlds, breaks, pieces;
    double gain, push; // of the largest energy, in a step
    double linear, angular;
    double place; // how far the centre of all is from where it should be, of what bodies move in a step
    double fastest[2], rim[2], apart[2]; // of the speed of what came; without bounces, with them
    int faults, steps, measured;         // steps after breaks, and those of them in which momentum can be known
} Totals;

static void complain(Totals* totals, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("  ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    ++totals->faults;
}

static shBodyDef thing(int model, const shFractureDef* fracture, Random* random)
{
    shBodyDef def = shDefaultBodyDef();
    def.asset = assets[model];
    def.fracture = fracture;
    def.transform.q = randomRotation(random);
    return def;
}

static shFractureDef fractureAtRandom(Random* random)
{
    shFractureDef fracture = shDefaultFractureDef((shPatternType)randomBelow(random, shPatternTypeCount));
    fracture.pattern.seed = randomBits(random);
    fracture.pattern.pieces = 2 + randomBelow(random, 12);
    fracture.factor = (double)randomRange(random, 0.3f, 1.0f);
    return fracture;
}

static float radiusOf(int model) { return 0.5f * vLength(boxSize(shAsset_GetInfo(assets[model]).box)); }

static Trial begin(int number)
{
    Random random = randomSeed(7000u + (uint64_t)number);
    Trial trial = {.kind = number % kindCount};
    trial.free = trial.kind != heap && randomBelow(&random, 2) == 0;
    trial.bounces = randomBelow(&random, 2) == 0;
    shWorldDef def = shDefaultWorldDef();
    if (trial.free)
        def.gravity = vec3(0.0f, 0.0f, 0.0f);
    shMessage message = {""};
    check(shCreateWorld(context, &def, &trial.world, &message), &message);
    if (!trial.free) {
        shShape plane = {.type = shPlaneShape};
        shBodyDef ground = shDefaultBodyDef();
        ground.type = shStaticBody;
        ground.shape = &plane;
        ground.friction = 0.0f;
        trial.ground = add(trial.world, &ground);
    }
    shFractureDef fracture = fractureAtRandom(&random);
    float top = 0.0f, reach;
    if (trial.kind == heap) {
        reach = radiusOf(brick);
        for (int i = 0; i < 6; ++i) {
            shFractureDef own = fractureAtRandom(&random);
            int model = i % 3 == 2 ? plate : brick;
            shBodyDef body = thing(model, &own, &random);
            body.restitution = trial.bounces ? -1.0f : 0.0f;
            top += 2.0f * radiusOf(model);
            body.transform.p = vec3(randomRange(&random, -0.05f, 0.05f), top - radiusOf(model), 0.0f);
            add(trial.world, &body);
        }
    } else {
        shBodyDef body = thing(trial.kind, &fracture, &random);
        body.restitution = trial.bounces ? -1.0f : 0.0f;
        reach = radiusOf(trial.kind);
        if (trial.free)
            body.angularVelocity = vFromD(randomVector(&random, 6.0));
        else
            body.transform.p.y = 1.01f * reach;
        top = body.transform.p.y + reach;
        add(trial.world, &body);
    }
    Vec3 from = vFromD(randomDirection(&random));
    if (!trial.free)
        from = vNormalize(vec3(0.5f * from.x, 1.0f, 0.5f * from.z));
    float speed = randomRange(&random, 3.0f, 25.0f), radius = randomRange(&random, 0.15f, 0.5f) * reach;
    Vec3 aim = vScale(0.3f * reach, vFromD(randomDirection(&random)));
    if (!trial.free)
        aim.y += trial.kind == heap ? 0.5f * top : top - reach;
    shShape ball = {.type = shSphereShape, .radius = radius};
    shBodyDef striker = shDefaultBodyDef();
    striker.shape = &ball;
    striker.density = 7800.0f;
    float away = (trial.kind == heap ? 0.6f * top : reach) + radius + randomRange(&random, 0.02f, 0.5f);
    striker.transform.p = vMad(aim, away, from);
    striker.velocity = vScale(-speed, from);
    trial.ball = add(trial.world, &striker);
    trial.mass = sumsOf(trial.world, dvec3(0, 0, 0)).mass;
    return trial;
}

// The fastest that two pieces of one break move apart, beyond what the turning of the whole explains.
typedef struct Family {
    shBodyId pieces[64];
    int count;
    double turning; // rad/s of the parent, before
} Family;

static double separation(const shWorld* world, const Family* family)
{
    double most = 0.0;
    for (int i = 0; i < family->count; ++i) {
        const Body* a = worldBody(world, family->pieces[i]);
        for (int k = 0; k < i && a != NULL; ++k) {
            const Body* b = worldBody(world, family->pieces[k]);
            if (b != NULL)
                most = maxD(most, (double)vDistance(a->velocity, b->velocity) -
                                      family->turning * dDistance(a->centre, b->centre));
        }
    }
    return most;
}

static void runTrial(int number, Totals* totals)
{
    Trial trial = begin(number);
    shWorld* world = trial.world;
    DVec3 zero = {0.0, 0.0, 0.0};
    double largest = 0.0, coming = 0.0, rim = 0.0;
    int since = -1;
    Family family = {.count = 0};
    ++totals->worlds;
    bool says = onlyTrial >= 0;
    for (int i = 0; i < MOST_STEPS && since < AFTER; ++i) {
        Sums before = sumsOf(world, zero);
        double turning[256];
        for (int k = 0; k < world->bodies.count && k < 256; ++k)
            turning[k] = (double)vLength(world->bodies.data[k].angular);
        double fall = trial.free ? 0.0 : 9.81 * (double)STEP;
        coming = (since < 0 ? before.fastest : coming) + fall;
        rim = (since < 0 ? before.rim : rim) + fall;
        shMessage message = {""};
        check(shWorld_Step(world, STEP, &message), &message);
        shCounters counters = shWorld_GetCounters(world);
        Sums now = sumsOf(world, zero);
        shEnergy energy = shWorld_GetEnergy(world);
        DVec3 given = trial.free ? zero : impulseOf(world, trial.ground);
        if (!trial.free)
            given.y -= 9.81 * (double)STEP * before.mass;
        largest = maxD(largest, before.energy);
        if (counters.broken > 0 && since < 0)
            since = 0;
        double gain = (now.energy - before.energy - energy.pushed) / largest;
        double linear = dLength(dSub(dSub(now.linear, before.linear), given)) / (before.size + 1e-9);
        bool held = !trial.free && counters.stopped > 0; // what the ground has done to those is not in its contacts
        double angular = dDistance(now.angular, before.angular) / (maxD(now.lever, before.lever) + 1e-9);
        if (says)
            printf("  step %2d: %d broken, %d bodies; energy %.7g, gained %.2g, pushed %.2g; momentum %.2g, angular "
                   "%.2g; fastest %.3g of %.3g; stopped %d\n",
                   i, counters.broken, counters.bodies, now.energy, gain, energy.pushed / largest, linear,
                   trial.free ? angular : 0.0, now.fastest, coming, counters.stopped);
        assertValid(world, trial.mass);
        if (since < 0)
            continue;
        if (counters.broken > 0) {
            assertSurfaces(world);
            shWorldEvents events = shWorld_GetEvents(world);
            totals->pieces += events.pieceCount;
            if (family.count == 0) {
                const shBreakEvent* event = &events.breaks[0];
                family.turning = event->body.index < 256 ? turning[event->body.index] : 0.0;
                for (int k = 0; k < event->count && family.count < 64; ++k)
                    family.pieces[family.count++] = events.pieces[event->first + k];
            }
        }
        totals->breaks += counters.broken;
        totals->gain = maxD(totals->gain, gain);
        totals->push = maxD(totals->push, energy.pushed / largest);
        if (!held)
            totals->linear = maxD(totals->linear, linear);
        totals->measured += !held;
        ++totals->steps;
        double place =
            dDistance(now.place, dMad(before.place, (double)STEP, before.linear)) / (before.size * (double)STEP + 1e-9);
        if (trial.free) {
            totals->angular = maxD(totals->angular, angular);
            totals->place = maxD(totals->place, place);
        }
        if (trial.free && place > 1e-4)
            complain(totals, "trial %d (%s), step %d: all of it is off by %.3g of the way", number, kinds[trial.kind],
                     i, place);
        int b = trial.bounces;
        totals->fastest[b] = maxD(totals->fastest[b], now.fastest / rim);
        totals->rim[b] = maxD(totals->rim[b], now.rim / rim);
        totals->apart[b] = maxD(totals->apart[b], separation(world, &family) / coming);
        // How fast pieces are is only reported: a light piece that is struck may leave faster than what struck it.
        const char* where = trial.free ? "in flight" : "on the ground";
        if (gain > 1e-6)
            complain(totals, "trial %d (%s %s), step %d: energy gained %.3g of the largest", number, kinds[trial.kind],
                     where, i, gain);
        if (linear > 1e-5 && !held)
            complain(totals, "trial %d (%s %s), step %d: momentum off by %.3g", number, kinds[trial.kind], where, i,
                     linear);
        ++since;
    }
    shDestroyWorld(world);
}

static void breaks_in_worlds_keep_what_must_be_kept(void** state)
{
    (void)state;
    Totals totals = {0};
    if (onlyTrial >= 0)
        runTrial(onlyTrial, &totals);
    for (int number = 0; onlyTrial < 0 && totals.breaks < wantedBreaks; ++number)
        runTrial(number, &totals);
    printf("  %d worlds, %d breaks, %d pieces: energy gained in a step %.2g of the largest (lifted apart: %.2g); "
           "momentum off by %.2g (%d of %d steps), angular %.2g, place %.2g; fastest piece %.3f of what came (%.3f "
           "with bounces), "
           "point %.3f "
           "(%.3f), siblings apart %.3f (%.3f)\n",
           totals.worlds, totals.breaks, totals.pieces, totals.gain, totals.push, totals.linear, totals.measured,
           totals.steps, totals.angular, totals.place, totals.fastest[0], totals.fastest[1], totals.rim[0],
           totals.rim[1], totals.apart[0], totals.apart[1]);
    assert_int_equal(totals.faults, 0);
}

// ---- the break alone ------------------------------------------------------------------------------------------------

static void a_break_by_hand_changes_neither_momentum_nor_energy(void** state)
{
    (void)state;
    Random random = randomSeed(3);
    double linear = 0.0, angular = 0.0, gain = -1.0, loss = 0.0;
    int breaks = maxI(24, wantedBreaks / 4);
    for (int trial = 0; trial < breaks; ++trial) {
        shWorldDef def = shDefaultWorldDef();
        def.gravity = vec3(0.0f, 0.0f, 0.0f);
        shWorld* world;
        shMessage message = {""};
        check(shCreateWorld(context, &def, &world, &message), &message);
        int model = trial % modelCount;
        shBodyDef body = thing(model, NULL, &random);
        body.transform.p = vScale(3.0f, vFromD(randomDirection(&random)));
        body.velocity = vFromD(randomVector(&random, 10.0));
        body.angularVelocity = vFromD(randomVector(&random, 20.0));
        shBodyId id = add(world, &body);
        DVec3 about = worldBody(world, id)->centre;
        Sums before = sumsOf(world, about);
        shPattern pattern = fractureAtRandom(&random).pattern;
        shImpact impact = shDefaultImpact(randomInBox(&random, shAsset_GetInfo(assets[model]).box));
        check(shBody_Break(world, id, &pattern, &impact, NULL, &message), &message);
        Sums after = sumsOf(world, about);
        linear = maxD(linear, dDistance(after.linear, before.linear) / before.size);
        angular = maxD(angular, dDistance(after.angular, before.angular) / after.lever);
        gain = maxD(gain, (after.energy - before.energy) / before.energy);
        loss = maxD(loss, (before.energy - after.energy) / before.energy);
        shDestroyWorld(world);
    }
    printf("  %d breaks: momentum off by %.2g, angular %.2g; energy gained %.2g, lost %.2g\n", breaks, linear, angular,
           gain, loss);
    assert_true(linear <= 1e-6 && angular <= 1e-6);
    assert_true(gain <= 1e-6 && loss <= 1e-6);
}

// ---- without a blow -------------------------------------------------------------------------------------------------

enum { DIRECTIONS = 400 };

// How far a piece reaches along each direction, rest frame.
static void reachOf(const shWorld* world, shBodyId id, const DVec3 directions[DIRECTIONS], double reach[DIRECTIONS])
{
    int piece;
    const shSolid* solid = shBody_GetSolid(world, id, &piece);
    Surface surface = surfaceOf(&solid->field, piece);
    for (int d = 0; d < DIRECTIONS; ++d) {
        reach[d] = -INFINITY;
        for (int i = 0; i < 3 * surface.count; ++i)
            reach[d] = maxD(reach[d], dDot(directions[d], dFromV(surface.triangles[i / 3][i % 3])));
    }
    free(surface.triangles);
}

// What an engine makes of it that takes siblings for their convex hulls and pushes overlaps out by velocities, a fifth
// of them per step: one contact for each two, along the direction in which they overlap least, ten rounds of impulses
// through the centres. Returns the fastest piece after ten steps. Directions come in opposite pairs.
static double naiveSpeed(const shWorld* world, const shBodyBreak* broken)
{
    static double reach[64][DIRECTIONS];
    DVec3 directions[DIRECTIONS], velocity[64] = {{0.0, 0.0, 0.0}}, shift[64] = {{0.0, 0.0, 0.0}};
    double fastest = 0.0;
    Random random = randomSeed(9);
    for (int d = 0; d < DIRECTIONS; d += 2) {
        directions[d] = randomDirection(&random);
        directions[d + 1] = dNeg(directions[d]);
    }
    int count = minI(broken->bodyCount, 64);
    for (int i = 0; i < count; ++i)
        reachOf(world, broken->bodies[i], directions, reach[i]);
    for (int step = 0; step < AFTER; ++step) {
        for (int round = 0; round < 10; ++round) {
            for (int pair = 0; pair < count * count; ++pair) {
                int i = pair / count, k = pair % count, least = 0;
                double depth = INFINITY;
                for (int d = 0; k < i && d < DIRECTIONS; ++d) { // out of K along d
                    double overlap = reach[k][d] + reach[i][d ^ 1] + dDot(directions[d], dSub(shift[k], shift[i]));
                    if (overlap < depth)
                        depth = overlap, least = d;
                }
                if (k >= i || depth <= 0.0)
                    continue;
                double massI = worldBody(world, broken->bodies[i])->mass,
                       massK = worldBody(world, broken->bodies[k])->mass;
                double apart = dDot(directions[least], dSub(velocity[i], velocity[k]));
                double impulse = maxD(0.2 * depth / (double)STEP - apart, 0.0) / (1.0 / massI + 1.0 / massK);
                velocity[i] = dMad(velocity[i], impulse / massI, directions[least]);
                velocity[k] = dMad(velocity[k], -impulse / massK, directions[least]);
            }
        }
        for (int i = 0; i < count; ++i) {
            shift[i] = dMad(shift[i], (double)STEP, velocity[i]);
            fastest = maxD(fastest, dLength(velocity[i]));
        }
    }
    return fastest;
}

static void a_break_without_a_blow_moves_nothing(void** state)
{
    (void)state;
    Random random = randomSeed(11);
    double fastest = 0.0, naive = 0.0, naiveSum = 0.0;
    int breaks = maxI(12, wantedBreaks / 10), pieces = 0;
    for (int trial = 0; trial < breaks; ++trial) {
        shWorldDef def = shDefaultWorldDef();
        def.gravity = vec3(0.0f, 0.0f, 0.0f);
        shWorld* world;
        shMessage message = {""};
        check(shCreateWorld(context, &def, &world, &message), &message);
        int model = trial % modelCount;
        shBodyDef body = thing(model, NULL, &random);
        shBodyId id = add(world, &body);
        shPattern pattern = fractureAtRandom(&random).pattern;
        shImpact impact = shDefaultImpact(randomInBox(&random, shAsset_GetInfo(assets[model]).box));
        shBodyBreak broken;
        check(shBody_Break(world, id, &pattern, &impact, &broken, &message), &message);
        double wrong = broken.bodyCount > 1 ? naiveSpeed(world, &broken) : 0.0;
        naive = maxD(naive, wrong);
        naiveSum += wrong;
        pieces += broken.bodyCount;
        for (int i = 0; i < AFTER; ++i) {
            check(shWorld_Step(world, STEP, &message), &message);
            fastest = maxD(fastest, sumsOf(world, dvec3(0, 0, 0)).rim);
        }
        shDestroyWorld(world);
    }
    printf("  %d breaks, %d pieces: fastest point in %d steps %.2g m/s; as a warning, naive contacts of hulls: %.2g "
           "m/s at "
           "most, %.2g on average\n",
           breaks, pieces, (int)AFTER, fastest, naive, naiveSum / breaks);
    assert_true(fastest <= 1e-6);
}

// ---------------------------------------------------------------------------------------------------------------------

static int cookAll(void** state)
{
    (void)state;
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    check(shCreateContext(&def, &context, &message), &message);
    shCookDef cook = shDefaultCookDef();
    for (int i = 0; i < modelCount; ++i)
        check(shCookModel(context, kinds[i], details[i], &cook, &assets[i], &message), &message);
    return 0;
}

static int freeAll(void** state)
{
    (void)state;
    for (int i = 0; i < modelCount; ++i)
        shDestroyAsset(assets[i]);
    return shDestroyContext(context) == 0 ? 0 : -1;
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--breaks") == 0)
        wantedBreaks = atoi(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--trial") == 0)
        onlyTrial = atoi(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_break_by_hand_changes_neither_momentum_nor_energy),
        cmocka_unit_test(a_break_without_a_blow_moves_nothing),
        cmocka_unit_test(breaks_in_worlds_keep_what_must_be_kept),
    };
    return cmocka_run_group_tests(tests, cookAll, freeAll);
}

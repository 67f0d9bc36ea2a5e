// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Suite `energy`: does motion keep what it should? Free rotation (S1): bodies with moments up to 1:1000 that spin up to
// 100 rad per step, about any axis and close to each principal one, 100,000 steps; the largest relative change at any
// step, beside the plain update's. The momentum is the one that the angular velocity amounts to. And a heap in which
// everything hits everything (S3).
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/plain_spin.h"
#include "bench/suites.h"
#include "cli/progress.h"
#include "core/random.h"
#include "sherd/world.h"

enum { FREE_STEPS = 100000, COST_BODIES = 1000, GAIN_BODIES = 64, GAIN_STEPS = 120 };

typedef struct Drift {
    double energy, momentum; // relative
} Drift;

static void driftAdd(Drift* drift, const Spin* now, const Spin* start)
{
    DMat3 r = dqToMat(now->frame);
    DVec3 w = dmMul(dmTranspose(r), spinVelocity(now));
    DVec3 momentum = dmMul(r, dvec3(w.x * now->inertia.x, w.y * now->inertia.y, w.z * now->inertia.z));
    double energy = 0.5 * dDot(momentum, spinVelocity(now));
    drift->energy = maxD(drift->energy, fabs(energy / start->energy - 1.0));
    drift->momentum = maxD(drift->momentum, dDistance(momentum, start->momentum) / dLength(start->momentum));
}

// `axis` −1: spinning about any axis; 0 to 2: about that principal one, but for a hundredth.
static Spin makeSpin(Random* random, double middle, double ratio, double speed, int axis)
{
    Spin spin = {.inertia = {1.0, 1.0 + middle * (ratio - 1.0), ratio},
                 .frame = dqNormalize(dqFromQ(randomRotation(random)))};
    DVec3 any = randomDirection(random);
    DVec3 direction = axis < 0 ? any : dNormalize(dMad(dAxis(axis), 0.01, any));
    spinSetVelocity(&spin, dqRotate(spin.frame, dScale(speed, direction)));
    return spin;
}

static void addDrift(Bench* bench)
{
    static const double ratios[] = {2.0, 30.0, 1000.0}, speeds[] = {0.01, 1.0, 10.0, 100.0};
    static const double middles[] = {0.0, 0.3, 1.0}; // where the middle moment lies between the others
    Drift ours = {0}, plain = {0};
    double plainStep = 1.0; // largest gain of the plain update in one step
    int bodies = 0, steps = benchAmount(bench, 100, FREE_STEPS, FREE_STEPS);
    Random random = randomSeed(71);
    for (int i = 0; i < 3 * 4 * 3 * 4; ++i) {
        double ratio = ratios[i % 3], speed = speeds[i / 3 % 4], middle = middles[i / 12 % 3];
        Spin start = makeSpin(&random, middle, ratio, speed, i / 36 - 1);
        if (bench->quick && i % 5 != 0)
            continue;
        progressShow("energy: free rotation, body %d", ++bodies);
        Spin a = start, b = start;
        for (int step = 0; step < steps; ++step) {
            spinAdvance(&a, 1.0);
            driftAdd(&ours, &a, &start);
            double before = spinEnergy(&b);
            plainAdvance(&b, 1.0);
            driftAdd(&plain, &b, &start);
            plainStep = maxD(plainStep, spinEnergy(&b) / before);
        }
    }
    benchNote(benchRow(bench, "drift_energy", ours.energy, "", NO_VALUE, "<= 1e-5"),
              "%d free bodies, moments to 1:1000, to 100 rad per step, %d steps; plain update %.2g, x%.3g in one step",
              bodies, steps, plain.energy, plainStep);
    benchNote(benchRow(bench, "drift_momentum", ours.momentum, "", NO_VALUE, "<= 1e-5"),
              "of the velocity's momentum; plain update %.2g", plain.momentum);
}

// Tumbling as debris does, up to 20 rad/s in steps of 1/60 s.
static void addCost(Bench* bench)
{
    static Spin bodies[COST_BODIES], single[COST_BODIES], plain[COST_BODIES];
    static Samples samples[3];
    Random random = randomSeed(72);
    for (int i = 0; i < COST_BODIES; ++i) {
        double middle = randomDouble(&random), ratio = randomRangeD(&random, 1.2, 4.0);
        double speed = randomRangeD(&random, 0.0, 20.0 / 60.0);
        bodies[i] = single[i] = plain[i] = makeSpin(&random, middle, ratio, speed, -1);
    }
    for (int k = 0; k < 3; ++k)
        samples[k].count = 0;
    int blocks = maxI(5, benchRepeats(bench, 200, 1000));
    for (int block = 0; block < blocks; ++block) {
        double times[4] = {clockSeconds(clockThread), 0.0, 0.0, 0.0};
        spinAdvanceMany(bodies, COST_BODIES, 1.0);
        times[1] = clockSeconds(clockThread);
        for (int i = 0; i < COST_BODIES; ++i)
            spinAdvance(&single[i], 1.0);
        times[2] = clockSeconds(clockThread);
        for (int i = 0; i < COST_BODIES; ++i)
            plainAdvance(&plain[i], 1.0);
        times[3] = clockSeconds(clockThread);
        for (int k = 0; k < 3; ++k)
            samplesAdd(&samples[k], 1e9 * (times[k + 1] - times[k]) / COST_BODIES);
    }
    benchNote(benchRow(bench, "rotation_ns", samplesBest(&samples[0]), "ns", NO_VALUE, NULL),
              "per body and step, to 20 rad/s at 60 Hz; one by one %.0f, plain update %.0f; best of %d",
              samplesBest(&samples[1]), samplesBest(&samples[2]), blocks);
}

// Bricks thrown into a heap, dull to elastic, 30 steps a second. Gains are relative to the largest energy so far, from
// the ground.
static shStatus addGain(Bench* bench, shMessage* message)
{
    static const float restitutions[] = {0.0f, 0.3f, 0.6f, 1.0f};
    double stepGain = 0.0, totalGain = 0.0, pushed = 0.0;
    int steps = benchAmount(bench, 2, GAIN_STEPS, GAIN_STEPS);
    shAsset* brick;
    shStatus status = cacheModel(bench->single, "brick", 1.0f, &brick, message);
    if (status != shOk)
        return status;
    for (int run = 0; run < 4 && status == shOk; ++run) {
        progressShow("energy: thrown heap %d", run + 1);
        shWorldDef worldDef = shDefaultWorldDef();
        worldDef.sleeping = false;
        shWorld* world;
        status = shCreateWorld(bench->single, &worldDef, &world, message);
        if (status != shOk)
            break;
        Random random = randomSeed(73 + (uint64_t)run);
        shShape plane = {.type = shPlaneShape};
        shBodyDef ground = shDefaultBodyDef();
        ground.type = shStaticBody;
        ground.shape = &plane;
        shBodyId id;
        status = shCreateBody(world, &ground, &id, message);
        for (int i = 0; i < GAIN_BODIES && status == shOk; ++i) {
            shBodyDef def = shDefaultBodyDef();
            def.asset = brick;
            def.restitution = restitutions[run];
            def.transform.p = vec3(0.3f * (float)(i % 4), 0.3f + 0.3f * (float)(i / 16), 0.3f * (float)(i / 4 % 4));
            def.transform.q = randomRotation(&random);
            float speed = randomRange(&random, 0.0f, 4.0f), spin = randomRange(&random, 0.0f, 30.0f);
            def.velocity = vScale(speed, vFromD(randomDirection(&random)));
            def.angularVelocity = vScale(spin, vFromD(randomDirection(&random)));
            status = shCreateBody(world, &def, &id, message);
        }
        shEnergy energy = shWorld_GetEnergy(world);
        double most = energy.kinetic + energy.potential, gained = 0.0;
        for (int step = 0; step < steps && status == shOk; ++step) {
            status = shWorld_Step(world, 1.0f / 30.0f, message);
            energy = shWorld_GetEnergy(world);
            gained -= energy.lost;
            stepGain = maxD(stepGain, -energy.lost / most);
            totalGain = maxD(totalGain, gained / most);
            pushed += energy.pushed / most;
            most = maxD(most, energy.kinetic + energy.potential);
        }
        shDestroyWorld(world);
    }
    shDestroyAsset(brick);
    if (status != shOk)
        return status;
    benchNote(benchRow(bench, "gain_step", stepGain, "", NO_VALUE, "<= 1e-4"),
              "%d bricks thrown into a heap, restitution 0 to 1, %d steps of 1/30 s; pushing out lifted by %.2g in all",
              GAIN_BODIES, steps, 0.25 * pushed);
    benchNote(benchRow(bench, "gain_total", totalGain, "", NO_VALUE, "<= 1e-3"),
              "the largest sum of gains and losses at any time; all of it is lost in the end");
    return shOk;
}

shStatus benchEnergy(Bench* bench, shMessage* message)
{
    addDrift(bench);
    addCost(bench);
    shStatus status = addGain(bench, message);
    progressClear();
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/haptic_loop.h"

#include "bench/clock.h"
#include "core/context.h"
#include "core/message.h"
#include "core/quat.h"
#include "mesh/models.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double TICK = 1e-3, SPIN = 3e-4, LOOP = 6.0; // s: a tick, of it busily waited for; the tool's loop
static const int SHARPEN = 16;

const HapticScene hapticScenes[] = {
    {"stroke", "an apple strokes around a pumpkin, over its ribs", "pumpkin", "apple", 1.0f, 0.1f},
    {"press", "a rabbit is pressed into a torus and turned", "torus", "rabbit", 0.7f, 0.5f},
    {"scrape", "a bowl scrapes along a rabbit: thin, two edges at once", "rabbit", "bowl", 0.8f, 0.15f},
};
const int hapticSceneCount = sizeof(hapticScenes) / sizeof(hapticScenes[0]);

static shStatus packOne(shContext* context, const char* model, float scale, int spheres, shInnerSpheres** made,
                        shMessage* message)
{
    TetMesh mesh;
    shStatus status = modelGenerate(modelFind(model), 1.0f, &context->memory, &mesh, message);
    if (status != shOk)
        return status;
    for (int i = 0; i < mesh.nodeCount; ++i)
        mesh.nodes[i] = vScale(scale, mesh.nodes[i]);
    shTriangles surface = {mesh.surfaceNodeCount, mesh.triangleCount, mesh.nodes, (const int(*)[3])mesh.triangles};
    shInnerDef def = shDefaultInnerDef();
    def.spheres = spheres;
    status = shCreateInnerSpheres(context, &surface, &def, made, message);
    tetMeshFree(&mesh, &context->memory);
    return status;
}

// Around the object, up and down, turning; in and out three times in a loop.
static shStatus findKeys(Haptic* haptic, shMessage* message)
{
    shInnerInfo object = shInnerSpheres_GetInfo(haptic->object), tool = shInnerSpheres_GetInfo(haptic->tool);
    shInnerBody a = {haptic->object, {{0.0f, 0.0f, 0.0f}, qIdentity()}}, b = {haptic->tool, a.transform};
    for (int i = 0; i < HAPTIC_KEYS; ++i) {
        double turn = 2.0 * TRIG_PI * i / HAPTIC_KEYS;
        Vec3 way = vNormalize(vec3(trigCosF((float)turn), 0.5f * trigSinF((float)(2.0 * turn)), trigSinF((float)turn)));
        b.transform.q = qFromDq(
            dqMul(dqFromAxisAngle(dvec3(0.0, 1.0, 0.3), turn), dqFromAxisAngle(dvec3(1.0, 0.0, 0.0), trigSin(turn))));
        float near = 0.0f, far = object.radius + tool.radius;
        for (int k = 0; k < 24; ++k) {
            float middle = 0.5f * (near + far);
            shInnerDistance distance;
            b.transform.p = vSub(vMad(object.centre, middle, way), qRotate(b.transform.q, tool.centre));
            shStatus status = shInner_GetDistance(&a, &b, INFINITY, 0, NULL, &distance, message);
            if (status != shOk)
                return status;
            *(distance.sphereDistance < 0.0f ? &near : &far) = middle;
        }
        // From a little apart to the scene's depth.
        float depth = haptic->scene->deepest * tool.radius * (0.45f - 0.55f * trigCosF((float)(3.0 * turn)));
        b.transform.p = vSub(vMad(object.centre, far - depth, way), qRotate(b.transform.q, tool.centre));
        haptic->keys[i] = b.transform;
    }
    return shOk;
}

shStatus hapticCreate(shContext* context, const HapticScene* scene, int spheres, Haptic* haptic, shMessage* message)
{
    *haptic = (Haptic){.scene = scene};
    shStatus status = packOne(context, scene->object, 1.0f, spheres, &haptic->object, message);
    if (status == shOk)
        status = packOne(context, scene->tool, scene->toolScale, spheres, &haptic->tool, message);
    if (status == shOk)
        status = findKeys(haptic, message);
    if (status != shOk)
        hapticDestroy(haptic);
    return status;
}

void hapticDestroy(Haptic* haptic)
{
    shDestroyInnerSpheres(haptic->object);
    shDestroyInnerSpheres(haptic->tool);
    *haptic = (Haptic){.scene = NULL};
}

shTransform hapticPose(const Haptic* haptic, double seconds)
{
    double at = fmod(seconds, LOOP) / LOOP * HAPTIC_KEYS;
    int key = (int)at % HAPTIC_KEYS;
    float share = (float)(at - floor(at));
    shTransform a = haptic->keys[key], b = haptic->keys[(key + 1) % HAPTIC_KEYS];
    float sign = vDot(a.q.v, b.q.v) + a.q.s * b.q.s < 0.0f ? -1.0f : 1.0f; // the shorter way
    shQuat q = {vLerp(a.q.v, vScale(sign, b.q.v), share), a.q.s + share * (sign * b.q.s - a.q.s)};
    return (shTransform){vLerp(a.p, b.p, share), qNormalize(q)};
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void waitUntil(double due)
{
    double early = due - SPIN - now();
    if (early > 0.0) {
        struct timespec nap = {(time_t)early, (long)(1e9 * (early - floor(early)))};
        nanosleep(&nap, NULL);
    }
    while (now() < due) {
    }
}

shStatus hapticRun(const Haptic* haptic, int count, HapticTick* ticks, shMessage* message)
{
    shInnerBody a = {haptic->object, {{0.0f, 0.0f, 0.0f}, qIdentity()}}, b = {haptic->tool, a.transform};
    shInnerPair pair = {0};
    DVec3 last = {0.0, 0.0, 0.0};
    double start = now() + TICK;
    for (int i = 0; i < count; ++i) {
        double due = start + i * TICK;
        waitUntil(due);
        double begin = now(), cpu = clockSeconds(clockThread);
        shInnerDistance distance;
        shInnerVolume volume;
        b.transform = hapticPose(haptic, i * TICK);
        shStatus status = shInner_GetProximity(&a, &b, SHARPEN, &pair, &distance, &volume, message);
        cpu = clockSeconds(clockThread) - cpu;
        double end = now();
        if (status != shOk)
            return status;
        DVec3 force = {volume.force[0], volume.force[1], volume.force[2]};
        ticks[i] = (HapticTick){.cpuUs = (float)(1e6 * cpu),
                                .us = (float)(1e6 * (end - begin)),
                                .lateUs = (float)(1e6 * (end - due)),
                                .force = (float)dLength(force),
                                .jump = i > 0 ? (float)dDistance(force, last) : 0.0f,
                                .volume = (float)volume.volume,
                                .distance = distance.distance};
        last = force;
        // Who is late by whole ticks goes on with the next one that can be kept.
        double behind = now() - (due + TICK);
        if (behind > 0.0)
            start += TICK * floor(behind / TICK);
    }
    return shOk;
}

static int ascending(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

HapticStats hapticStats(const HapticTick* ticks, int count)
{
    HapticStats stats = {.ticks = count};
    float* times = malloc((size_t)count * sizeof(float));
    double sum = 0.0, jump = 0.0;
    for (int i = 0; i < count; ++i) {
        const HapticTick* tick = &ticks[i];
        sum += (double)tick->us;
        stats.met += tick->lateUs <= 1000.0f;
        stats.metWork += tick->cpuUs <= 1000.0f;
        stats.worstCpuUs = maxD(stats.worstCpuUs, (double)tick->cpuUs);
        stats.contacts += tick->volume > 0.0f;
        stats.worstUs = maxD(stats.worstUs, (double)tick->us);
        stats.worstLateUs = maxD(stats.worstLateUs, (double)tick->lateUs);
        stats.largestForce = maxD(stats.largestForce, (double)tick->force);
        jump = maxD(jump, (double)tick->jump);
        int bin = 0;
        while (bin < HAPTIC_BINS - 1 && (double)tick->us > exp2(0.5 * bin))
            ++bin;
        ++stats.bins[bin];
        if (times != NULL)
            times[i] = tick->us;
    }
    if (times != NULL && count > 0) {
        qsort(times, (size_t)count, sizeof(float), ascending);
        stats.medianUs = (double)times[count / 2];
        stats.p99Us = (double)times[count - 1 - count / 100];
    }
    free(times);
    stats.meanUs = count > 0 ? sum / count : 0.0;
    stats.jumpPct = stats.largestForce > 0.0 ? 100.0 * jump / stats.largestForce : 0.0;
    return stats;
}

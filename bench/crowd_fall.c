// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/crowd_fall.h"

#include "bench/cache.h"
#include "bench/world_watch.h"
#include "cli/progress.h"
#include "core/vec.h"

#include <stdio.h>

static shStatus run(shAsset* const assets[CROWD_KINDS], const CrowdFallDef* def, bool continuous, int workers,
                    CrowdFall* fall, shMessage* message)
{
    Crowd crowd;
    CrowdDef scene = {.objects = def->objects, .open = def->open, .continuous = continuous, .workers = workers};
    *fall = (CrowdFall){0};
    shStatus status = crowdCreate(&crowd, &scene, assets, message);
    if (status != shOk)
        return status;
    int every = def->hertz / CROWD_FALL_HERTZ, steps = (int)(def->seconds * def->hertz + 0.5), lastFast = 0;
    const float dt = 1.0f / (float)def->hertz;
    Watch watch;
    watchStart(&watch, crowd.world, steps);
    fall->start = crowd.height;
    for (int i = 1; i <= steps && status == shOk; ++i) {
        progressShow("crowd: %s at %d Hz, step %d of %d", def->open ? "floor" : "bin", def->hertz, i, steps);
        status = watchBefore(&watch, crowd.world, dt, message);
        if (status == shOk)
            status = shWorld_Step(crowd.world, dt, message);
        if (status == shOk)
            watchAfter(&watch, crowd.world, dt);
        if (status == shOk && i % every == 0 && fall->count < CROWD_FALL_SAMPLES) {
            fall->heights[fall->count++] = crowdHeight(&crowd);
            if (crowdSpeed(&crowd) > CROWD_REST_SPEED)
                lastFast = i;
        }
    }
    fall->rested = lastFast + every <= steps;
    fall->rest = (double)(lastFast + (fall->rested ? every : 0)) / def->hertz;
    fall->hung = watch.hung;
    watchFree(&watch);
    crowdDestroy(&crowd);
    return status;
}

shStatus crowdFallRun(Bench* bench, shAsset* const assets[CROWD_KINDS], const CrowdFallDef* def, CrowdFall* fall,
                      shMessage* message)
{
    return run(assets, def, true, shContext_GetWorkerCount(bench->context), fall, message);
}

static shStatus referencePath(Bench* bench, const CrowdFallDef* def, char* path, size_t size, shMessage* message)
{
    char name[128];
    snprintf(name, sizeof name, "crowd-%s-%d-%g%s-%016llx.fall", def->open ? "floor" : "bin", def->objects,
             def->seconds, bench->tiny ? "-tiny" : "", (unsigned long long)cacheProgramHash());
    return cachePath(name, path, size, message);
}

shStatus crowdFallReference(Bench* bench, shAsset* const assets[CROWD_KINDS], const CrowdFallDef* def, CrowdFall* fall,
                            shMessage* message)
{
    char path[1024];
    shStatus status = referencePath(bench, def, path, sizeof path, message);
    if (status != shOk)
        return status;
    FILE* file = fopen(path, "rb");
    bool found = file != NULL && fread(fall, sizeof *fall, 1, file) == 1;
    if (file != NULL)
        fclose(file);
    if (found)
        return shOk;
    CrowdFallDef fine = *def;
    fine.hertz = CROWD_REFERENCE_HERTZ;
    status = run(assets, &fine, false, shContext_GetWorkerCount(bench->context), fall, message);
    file = status == shOk ? fopen(path, "wb") : NULL;
    if (file != NULL) { // a cache that cannot be written only costs time
        bool ok = fwrite(fall, sizeof *fall, 1, file) == 1;
        if (fclose(file) != 0 || !ok)
            remove(path);
    }
    return status;
}

double crowdFallError(const CrowdFall* fall, const CrowdFall* reference)
{
    int count = minI(fall->count, reference->count);
    double most = 0.0, drop = count > 0 ? reference->start - reference->heights[count - 1] : 0.0;
    for (int i = 0; i < count; ++i)
        most = maxD(most, fabs(fall->heights[i] - reference->heights[i]));
    return drop > 0.0 ? 100.0 * most / drop : 0.0;
}

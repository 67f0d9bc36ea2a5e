// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/moments.h"

#include "bench/cache.h"
#include "cli/progress.h"
#include "core/context.h"
#include "core/hash.h"
#include "core/message.h"
#include "io/file.h"
#include "sherd/snapshot.h"

#include <stdio.h>
#include <string.h>

static shStatus momentPath(const MomentsDef* def, int which, char* path, size_t size, shMessage* message)
{
    const BuiltIn* scene = builtInFind(def->trial.scene);
    Hash hash = hashStart(cacheProgramHash());
    hashBytes(&hash, scene->text, scene->size);
    for (int i = 0; i < def->trial.setCount; ++i)
        hashBytes(&hash, def->trial.sets[i], strlen(def->trial.sets[i]) + 1);
    hashBytes(&hash, &def->trial.tiny, sizeof def->trial.tiny);
    hashBytes(&hash, &def->trial.awake, sizeof def->trial.awake);
    char name[128];
    snprintf(name, sizeof name, "%s-%016llx-step%d.world", def->trial.scene, (unsigned long long)hashValue(&hash),
             def->steps[which]);
    return cachePath(name, path, size, message);
}

shStatus worldFileSave(const shWorld* world, shContext* context, const char* path, shMessage* message)
{
    void* bytes = NULL;
    size_t size = 0;
    shSaveDef embed = shDefaultSaveDef();
    embed.embed = true;
    shStatus status = shWorld_Save(world, &embed, &bytes, &size, message);
    if (status != shOk)
        return status;
    status = fileWrite(&context->memory, path, bytes, size, message);
    shFreeBytes(context, bytes, size);
    return status;
}

shStatus worldFileLoad(shContext* context, const char* path, const shAsset* asset, shWorld** world, shMessage* message)
{
    FileBlock file;
    shLoadDef def = shDefaultLoadDef();
    def.assets = &asset;
    def.assetCount = asset != NULL;
    shStatus status = fileOpen(&file, &context->memory, path, message);
    if (status != shOk)
        return status;
    status = shWorld_Load(context, file.bytes, file.size, &def, world, message);
    fileClose(&file, &context->memory);
    return status;
}

static shStatus save(const Trial* trial, const MomentsDef* def, int which, shMessage* message)
{
    char path[1024];
    shStatus status = momentPath(def, which, path, sizeof path, message);
    return status == shOk ? worldFileSave(trial->world, trial->context, path, message) : status;
}

static shStatus make(const MomentsDef* def, shMessage* message)
{
    Trial trial;
    TrialDef whole = def->trial;
    whole.steps = def->steps[def->count - 1];
    if (whole.threads == 0) // nobody looks at the clock: as fast as it goes
        whole.threads = 2;
    shStatus status = trialOpen(&trial, &whole, message);
    for (int i = 1, next = 0; status == shOk && next < def->count; ++i) {
        TrialStep step;
        progressShow("%s: filling the cache, step %d of %d, %d bodies", whole.scene, i, whole.steps,
                     shWorld_GetCounters(trial.world).bodies);
        status = trialStep(&trial, &step, message);
        if (status == shOk && i == def->steps[next])
            status = save(&trial, def, next++, message);
    }
    trialClose(&trial);
    return status;
}

shStatus momentOpen(shContext* context, const MomentsDef* def, int which, shWorld** world, double* dt,
                    shMessage* message)
{
    char path[1024];
    Script script;
    *world = NULL;
    shStatus status = momentPath(def, which, path, sizeof path, message);
    if (status == shOk && worldFileLoad(context, path, NULL, world, NULL) != shOk) {
        status = make(def, message);
        if (status == shOk)
            status = worldFileLoad(context, path, NULL, world, message);
    }
    if (status != shOk || dt == NULL)
        return status;
    const BuiltIn* scene = builtInFind(def->trial.scene);
    ScriptChanges changes = {.sets = def->trial.sets, .setCount = def->trial.setCount};
    status = scriptRead(&script, context, def->trial.scene, (const char*)scene->text, scene->size, &changes, message);
    if (status == shOk)
        *dt = script.dt;
    scriptFree(&script);
    return status;
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Every built-in scene, step by step: no step gains more than 1e-4 of the largest energy so far and all of them no more
// than 1e-3, breaks included (what pushing out lifts is booked by itself); everything is finite, and nothing goes below
// the ground. Coarse models and few steps; with --full all of it as it is on show: test_scene_audit --full [SCENE…].
#include "cli/scene_file.h"
#include "core/quat.h"
#include "test/coarse_scenes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define GAIN_STEP 1e-4     // of the largest energy so far
#define GAIN_TOTAL 1e-3    // the same
#define BELOW_GROUND 1e-3f // m, of a centre of mass

typedef struct Audit {
    double most;        // J, largest energy so far
    double step, total; // largest relative gains
    double breaking;    // that of steps in which something broke
    double net;         // J gained (lost, if negative) so far
    double pushed;      // J
    double energy;      // J, after the last step
    float lowest;       // m, of the centres of mass
    int64_t breaks;
    int restless; // pieces that still move at the end: told, not judged
    int worst;    // step with the largest gain
    bool finite;
} Audit;

// Of everything with a mass, also of what stands on anchors: it may fall later. Kinetic and in gravity.
static double energyOf(const shWorld* world, Audit* audit)
{
    double sum = shWorld_GetEnergy(world).kinetic;
    Vec3 gravity = shWorld_GetGravity(world);
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        if (id.generation == 0)
            continue;
        int piece;
        const shSolid* solid = shBody_GetSolid(world, id, &piece);
        double mass = shBody_GetMass(world, id);
        DVec3 centre = dFromV(shBody_GetCentre(world, id));
        if (solid != NULL && shBody_GetType(world, id) == shStaticBody) {
            shPieceInfo info = shSolid_GetPiece(solid, piece);
            mass = info.mass;
            Vec3 rest = vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]);
            centre = dFromV(xformPoint(shBody_GetTransform(world, id), rest));
        }
        Vec3 v = shBody_GetVelocity(world, id), w = shBody_GetAngularVelocity(world, id);
        audit->finite =
            audit->finite && isfinite(centre.x + centre.y + centre.z) && isfinite(v.x + v.y + v.z + w.x + w.y + w.z);
        if (mass > 0.0)
            audit->lowest = minF(audit->lowest, (float)centre.y);
        sum -= mass * dDot(dFromV(gravity), centre);
    }
    return sum;
}

// Who from outside has a hand in a step: bodies come and things are done before it begins; drags do work all the while.
typedef enum Hand { nobody, before, during } Hand;

static Hand handIn(const Script* script, int step)
{
    double begin = step * script->dt - 0.5 * script->dt, end = begin + script->dt;
    Hand hand = nobody;
    for (int i = 0; i < script->bodyCount; ++i)
        if (script->bodies[i].time >= begin && script->bodies[i].time < end)
            hand = before;
    for (int i = 0; i < script->actionCount; ++i) {
        const ScriptAction* action = &script->actions[i];
        if (action->verb == verbDrag && action->time < end &&
            begin < (double)action->path[action->pathCount - 1].time + script->dt)
            return during;
        if (action->time >= begin && action->time < end)
            hand = before;
    }
    return hand;
}

static void auditStep(const Play* play, int step, Hand hand, Audit* audit)
{
    const shWorld* world = playWorld(play);
    shEnergy booked = shWorld_GetEnergy(world);
    double energy = energyOf(world, audit);
    // Where nobody interferes what counts is the difference itself, not the books. What a drag does is in both.
    double gain = hand == nobody ? energy - audit->energy - booked.pushed : hand == before ? -booked.lost : 0.0;
    audit->energy = energy;
    audit->most = maxD(audit->most, energy);
    audit->net += gain;
    audit->pushed += booked.pushed;
    double relative = audit->most > 0.0 ? gain / audit->most : 0.0;
    if (relative > audit->step)
        audit->worst = step;
    audit->step = maxD(audit->step, relative);
    audit->total = maxD(audit->total, audit->most > 0.0 ? audit->net / audit->most : 0.0);
    if (shWorld_GetCounters(world).broken > 0)
        audit->breaking = maxD(audit->breaking, relative);
}

// Pieces whose surface moves faster than a centimetre per second. Balls may roll.
static int countRestless(const shWorld* world)
{
    int count = 0;
    for (int i = 0; i < shWorld_GetBodyLimit(world); ++i) {
        shBodyId id = shWorld_GetBodyAt(world, i);
        int piece;
        const shSolid* solid = id.generation != 0 ? shBody_GetSolid(world, id, &piece) : NULL;
        if (solid == NULL || shBody_GetType(world, id) != shDynamicBody)
            continue;
        float radius = 0.5f * vLength(boxSize(shSolid_GetPiece(solid, piece).box));
        float speed = vLength(shBody_GetVelocity(world, id)) + radius * vLength(shBody_GetAngularVelocity(world, id));
        count += speed > 0.01f;
    }
    return count;
}

static bool hasGround(const Script* script)
{
    for (int i = 0; i < script->bodyCount; ++i)
        if (script->bodies[i].hasShape && script->bodies[i].shape.type == shPlaneShape)
            return true;
    return false;
}

static bool canBreak(const Script* script)
{
    for (int i = 0; i < script->bodyCount; ++i)
        if (script->bodies[i].hasFracture)
            return true;
    for (int i = 0; i < script->actionCount; ++i)
        if (script->actions[i].verb == verbBreak)
            return true;
    return false;
}

// Returns what is wrong, or an empty text.
static const char* auditScene(const BuiltIn* scene, bool full, Audit* audit)
{
    static char wrong[300];
    wrong[0] = '\0';
    shContextDef def = shDefaultContextDef();
    def.workerCount = full ? 2 : 1;
    shContext* context;
    shMessage message = {""};
    assert_int_equal(shCreateContext(&def, &context, &message), shOk);
    Script script;
    Play* play = NULL;
    ScriptChanges changes = {.steps = 0};
    if (!full)
        changes.steps = stepsOf(scene->name, &changes);
    PlayHooks hooks = sceneHooks();
    shStatus status =
        scriptRead(&script, context, scene->name, (const char*)scene->text, scene->size, &changes, &message);
    if (status == shOk && !full)
        coarsen(&script);
    if (status == shOk)
        status = playCreate(&play, &script, full ? &hooks : NULL, &message);
    *audit = (Audit){.finite = true, .lowest = 1e9f};
    if (status == shOk)
        audit->energy = audit->most = energyOf(playWorld(play), audit);
    for (int step = 0; status == shOk && !playIsOver(play); ++step) {
        status = playStep(play, &message);
        if (status == shOk)
            auditStep(play, step, handIn(&script, step), audit);
    }
    if (status == shOk) {
        audit->breaks = shWorld_GetCounters(playWorld(play)).breaks;
        audit->restless = countRestless(playWorld(play));
        if (!audit->finite)
            snprintf(wrong, sizeof wrong, "a place or a speed is no number");
        else if (audit->step > GAIN_STEP || audit->total > GAIN_TOTAL)
            snprintf(wrong, sizeof wrong, "gained %.2g in step %d, %.2g in all", audit->step, audit->worst,
                     audit->total);
        else if (hasGround(&script) && audit->lowest < -BELOW_GROUND)
            snprintf(wrong, sizeof wrong, "a centre of mass is %.3g m below the ground", -(double)audit->lowest);
        else if (canBreak(&script) && audit->breaks == 0)
            snprintf(wrong, sizeof wrong, "nothing broke");
    } else {
        snprintf(wrong, sizeof wrong, "%.250s", message.text);
    }
    playDestroy(play);
    scriptFree(&script);
    shDestroyContext(context);
    return wrong;
}

static void noSceneGainsEnergy(void** state)
{
    (void)state;
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene) {
        Audit audit;
        const char* wrong = auditScene(scene, false, &audit);
        if (wrong[0] != '\0')
            fail_msg("%s: %s", scene->name, wrong);
    }
}

// What stands in for a file that is not there breaks as well: without hooks, no foreign file is there.
static void standInsBreak(void** state)
{
    (void)state;
    int seen = 0;
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene) {
        shContextDef def = shDefaultContextDef();
        def.workerCount = 2;
        shContext* context;
        shMessage message = {""};
        assert_int_equal(shCreateContext(&def, &context, &message), shOk);
        Script script;
        Play* play = NULL;
        ScriptChanges changes = {.steps = 0};
        changes.steps = stepsOf(scene->name, &changes);
        shStatus status =
            scriptRead(&script, context, scene->name, (const char*)scene->text, scene->size, &changes, &message);
        bool foreign = false;
        for (int i = 0; status == shOk && i < script.assetCount; ++i)
            foreign = foreign || script.assets[i].standIn != NULL;
        if (foreign && status == shOk)
            status = playCreate(&play, &script, NULL, &message);
        while (play != NULL && status == shOk && !playIsOver(play) && shWorld_GetCounters(playWorld(play)).breaks == 0)
            status = playStep(play, &message);
        if (status != shOk)
            fail_msg("%s", message.text);
        if (play != NULL && shWorld_GetCounters(playWorld(play)).breaks == 0)
            fail_msg("%s: nothing breaks in %d steps", scene->name, changes.steps);
        seen += foreign;
        playDestroy(play);
        scriptFree(&script);
        shDestroyContext(context);
    }
    assert_true(seen >= 3);
}

static bool isWanted(const char* name, int count, char** arguments)
{
    for (int i = 2; i < count; ++i)
        if (strcmp(arguments[i], name) == 0)
            return true;
    return count <= 2;
}

int main(int count, char** arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noSceneGainsEnergy), cmocka_unit_test(standInsBreak)};
    bool full = count > 1 && strcmp(arguments[1], "--full") == 0;
    if (count < 2 || (!full && strcmp(arguments[1], "--coarse") != 0))
        return cmocka_run_group_tests(tests, NULL, NULL);
    int bad = 0;
    printf("%-14s %10s %10s %10s %10s %7s %9s %10s\n", "scene", "step", "breaking", "total", "pushed", "breaks",
           "restless", "lowest_m");
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene) {
        if (!isWanted(scene->name, count, arguments))
            continue;
        Audit audit;
        const char* wrong = auditScene(scene, full, &audit);
        printf("%-14s %10.2g %10.2g %10.2g %10.2g %7lld %9d %10.4f  %s\n", scene->name, audit.step, audit.breaking,
               audit.total, audit.most > 0.0 ? audit.pushed / audit.most : 0.0, (long long)audit.breaks, audit.restless,
               (double)audit.lowest, wrong);
        fflush(stdout);
        bad += wrong[0] != '\0';
    }
    return bad == 0 ? 0 : 1;
}

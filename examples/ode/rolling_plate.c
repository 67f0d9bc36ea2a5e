// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A plate rolls on its edge, tips over, rings round its rim and comes to rest. How many contacts does that take? The
// same run with different limits on the contacts of a pair, and with every sample of the full query as a contact.
// Penetration is measured by the full query in every run.
//
// With --folder FOLDER the run with six contacts is written as rolling-plate.glb.
#include "examples/ode/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float radius = 0.125f;      // of the plate, m
static const double tolerance = 0.00025; // m: 0.2 % of the radius, what may be left of penetration at rest
static const double still = 0.005;       // m/s: slower than this it rests

typedef struct Row {
    int limit;                     // contacts allowed; 0: what the pair asks for; −1: all samples
    int steps;                     // with contacts
    double contacts, fullContacts; // sums over these
    int mostContacts;
    double microseconds, fullMicroseconds; // sums
    double deepest, restDepth;             // m
    double restSpeed;                      // m/s, mean of the last second
    double restTime;                       // s; when it was last faster than `still`
} Row;

static void roll(shContext* context, const shAsset* asset, double seconds, Film* film, Row* row)
{
    StageDef def = stageDefaultDef();
    def.collide.all = row->limit < 0;
    def.collide.maxContacts = row->limit > 0 ? row->limit : 0;
    Stage* stage = stageCreate(context, &def, film);
    shMessage message;
    shSolid* solid;
    mustDo(shCreateSolid(asset, &solid, &message), &message);
    shShape ground = {.type = shPlaneShape};
    stageAddFixed(stage, "ground", &ground, (shTransform){.q.s = 1.0f});
    // Upright: its axis along z; rolling along x.
    shTransform upright = {{-0.4f, radius, 0.0f}, {{0.70710678f, 0.0f, 0.0f}, 0.70710678f}};
    const Body* plate = &stage->bodies[stageAddPiece(stage, "plate", solid, 0, upright)];
    dReal speed = (dReal)0.8;
    dBodySetLinearVel(plate->ode, speed, 0, 0);
    dBodySetAngularVel(plate->ode, 0, 0, -speed / (dReal)radius);
    int lastSteps = 0;
    while (stage->time < seconds) {
        int fullContacts;
        double fullMicroseconds;
        double depth = stageDeepest(stage, &fullContacts, &fullMicroseconds);
        stageStep(stage);
        const StageFigures* f = &stage->figures;
        row->deepest = fmax(row->deepest, depth);
        row->restDepth = depth;
        row->mostContacts = f->contacts > row->mostContacts ? f->contacts : row->mostContacts;
        if (f->contacts > 0) {
            ++row->steps;
            row->contacts += f->contacts;
            row->fullContacts += fullContacts;
            row->microseconds += f->microseconds;
            row->fullMicroseconds += fullMicroseconds;
        }
        if (f->speed > still)
            row->restTime = stage->time;
        if (stage->time > seconds - 1.0) {
            row->restSpeed += f->speed;
            ++lastSteps;
        }
    }
    row->restSpeed /= lastSteps;
    stageDestroy(stage);
    shDestroySolid(solid);
}

static void print(const Row* row)
{
    char limit[16] = "all";
    if (row->limit >= 0)
        snprintf(limit, sizeof limit, row->limit > 0 ? "%d" : "free", row->limit);
    printf("%-6s %9.1f %6d %9.1f %8.1f %8.1f %9.3f %9.3f %9.5f %8.2f\n", limit, row->contacts / row->steps,
           row->mostContacts, row->fullContacts / row->steps, row->microseconds / row->steps,
           row->fullMicroseconds / row->steps, 1e3 * row->deepest, 1e3 * row->restDepth, row->restSpeed, row->restTime);
}

int main(int count, char** words)
{
    double seconds = 12.0;
    const char* folder = NULL;
    bool quick = false;
    for (int i = 1; i < count; ++i) {
        if (strcmp(words[i], "--quick") == 0)
            quick = true;
        else if (strcmp(words[i], "--seconds") == 0 && i + 1 < count)
            seconds = atof(words[++i]);
        else if (strcmp(words[i], "--folder") == 0 && i + 1 < count)
            folder = words[++i];
        else {
            fprintf(stderr, "%s [--quick] [--seconds S] [--folder FOLDER]\n", words[0]);
            return 2;
        }
    }
    shMessage message;
    shContext* context;
    shContextDef contextDef = shDefaultContextDef();
    mustDo(shCreateContext(&contextDef, &context, &message), &message);
    shAsset* asset;
    shCookDef cookDef = shDefaultCookDef();
    mustDo(shCookModel(context, "plate", 1.0f, &cookDef, &asset, &message), &message);
    printf("limit   contacts   most  all would      µs   µs all   deepest   at rest     speed    rests\n");
    printf("        per step        per step                            mm        mm       m/s   from s\n");
    static const int limits[] = {6, 3, 4, 8, 0, -1};
    bool good = true;
    for (int i = 0; i < (quick ? 1 : 6); ++i) {
        Row row = {.limit = limits[i]};
        Film* film = i == 0 && folder != NULL ? filmCreate(60.0) : NULL;
        roll(context, asset, seconds, film, &row);
        print(&row);
        if (i == 0)
            good = row.mostContacts <= 6 && row.restDepth <= tolerance && row.restTime < seconds - 1.0;
        if (film != NULL) {
            char path[1024];
            snprintf(path, sizeof path, "%s/rolling-plate.glb", folder);
            mustDo(filmWrite(film, context, path, &message), &message);
            filmDestroy(film);
        }
    }
    if (!good)
        fprintf(stderr, "six contacts: more than %.2f mm deep at rest, or no rest\n", 1e3 * tolerance);
    shDestroyAsset(asset);
    if (shDestroyContext(context) != 0) {
        fprintf(stderr, "memory was left behind\n");
        good = false;
    }
    return good ? 0 : 1;
}

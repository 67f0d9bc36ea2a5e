// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The built-in scenes, small enough for the tests: coarse models, and balls in the place of what takes long to cook or
// is foreign. Those in which something should break do break, also like this.
#pragma once

#include "play/play.h"

#include <string.h>

// As many steps as it takes until something has happened, and what makes it happen sooner. The others: usualSteps.
enum { usualSteps = 12, mostSets = 3 };
static const struct {
    const char* name;
    int steps;
    const char* sets[mostSets];
} coarseScenes[] = {
    {"piggy", 20, {0}},
    {"plates", 10, {"bodies.ball.time=0", "bodies.ball.velocity=[0,-5,0]"}},
    {"bowl", 34, {0}},
    {"pillar", 24, {0}},
    {"glass", 9, {"bodies.first.time=0"}},
    {"cylinder", 8, {0}},
    {"incline", 120, {0}},
    {"stack", 90, {0}},
    {"rolling-plate", 80, {0}},
    {"blocks", 60, {0}},
    {"bunny", 8, {0}},
    {"starter", 14, {"bodies.ball.time=0", "bodies.ball.velocity=[0,-5,0]"}},
    {"table", 5, {0}},
    {"bunnies", 50, {"bodies.first.at=[0,0.8,0]"}},
    {"china-shop", 10, {"bodies.bull.time=0", "bodies.bull.at=[-1.05,0.05,0.1]", "actions[0].time=0"}},
    {"drag", 90, {0}},
    {"rain", 24, {"bodies[1].at=[0,0.9,0]"}},
    {"tower", 16, {"actions[0].time=0.05"}},
};

static inline int stepsOf(const char* name, ScriptChanges* changes)
{
    for (size_t i = 0; i < sizeof coarseScenes / sizeof *coarseScenes; ++i) {
        if (strcmp(coarseScenes[i].name, name) != 0)
            continue;
        changes->sets = coarseScenes[i].sets;
        while (changes->setCount < mostSets && coarseScenes[i].sets[changes->setCount] != NULL)
            ++changes->setCount;
        return coarseScenes[i].steps;
    }
    return usualSteps;
}

static inline void coarsen(Script* script)
{
    for (int i = 0; i < script->assetCount; ++i) {
        ScriptAsset* asset = &script->assets[i];
        bool implicit =
            asset->model != NULL && (strcmp(asset->model, "piggy-bank") == 0 || strcmp(asset->model, "apple") == 0);
        asset->detail = 0.3f;
        if (asset->file == NULL && !implicit)
            continue;
        asset->scale = asset->file != NULL ? 3.6f : asset->scale; // as large as the bunny
        asset->model = "sphere";
        asset->file = NULL;
        asset->standIn = NULL;
    }
}

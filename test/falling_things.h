// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A world in which bricks and plates come down and break, for tests of snapshots and recordings. Include after cmocka.
#pragma once

#include "core/random.h"
#include "sherd/record.h"

#include <string.h>

enum { assetTotal = 2 };

// Assets and scenery outlive worlds; worlds come and go.
typedef struct Stage {
    shContext* context;
    shAsset* assets[assetTotal];
    shScenery* scenery;
    shRegions* regions;
} Stage;

static inline void check(shStatus status, const shMessage* message)
{
    if (status != shOk)
        fail_msg("%s: %s", shStatusText(status), message->text);
}

static inline shScenery* groundOf(shContext* context)
{
    const shVec3 points[4] = {{-20, 0, -20}, {20, 0, -20}, {20, 0, 20}, {-20, 0, 20}};
    const int triangles[2][3] = {{0, 2, 1}, {0, 3, 2}};
    shSceneryDef def = shDefaultSceneryDef();
    def.pointCount = 4;
    def.triangleCount = 2;
    def.points = points;
    def.triangles = triangles;
    shScenery* scenery;
    shMessage message = {""};
    check(shCreateScenery(context, &def, &scenery, &message), &message);
    return scenery;
}

// Two halves with a wall between them.
static inline shRegions* halvesOf(shContext* context)
{
    float levels[2][2 * 2 * 3];
    for (int i = 0; i < 12; ++i) {
        levels[0][i] = (float)(i % 3) - 1.1f;
        levels[1][i] = -levels[0][i];
    }
    shRegionGrid grid = {.regionCount = 2, .samples = {3, 2, 2}, .lower = {-1, -1, -1}, .cell = 1, .levels = levels[0]};
    shRegionsDef def = shDefaultRegionsDef();
    shRegions* regions;
    shMessage message = {""};
    check(shCreateRegionsFromGrid(context, &grid, &def, &regions, &message), &message);
    return regions;
}

// `other` (may be null) has the assets already.
static inline Stage stageCreate(int workers, shAllocator allocator, const Stage* other)
{
    static const char* const models[assetTotal] = {"brick", "plate"};
    Stage stage = {0};
    shMessage message = {""};
    shContextDef def = shDefaultContextDef();
    def.workerCount = workers;
    def.allocator = allocator;
    check(shCreateContext(&def, &stage.context, &message), &message);
    for (int i = 0; i < assetTotal; ++i) {
        size_t size = 0;
        const void* image = other != NULL ? shAsset_GetImage(other->assets[i], &size) : NULL;
        shCookDef cook = shDefaultCookDef();
        if (other != NULL)
            check(shLoadAssetFromMemory(stage.context, image, size, models[i], &stage.assets[i], &message), &message);
        else
            check(shCookModel(stage.context, models[i], i == 0 ? 1.0f : 0.5f, &cook, &stage.assets[i], &message),
                  &message);
    }
    stage.scenery = groundOf(stage.context);
    stage.regions = halvesOf(stage.context);
    return stage;
}

static inline void stageDestroy(Stage* stage)
{
    for (int i = 0; i < assetTotal; ++i)
        shDestroyAsset(stage->assets[i]);
    shDestroyScenery(stage->scenery);
    shDestroyRegions(stage->regions);
    assert_int_equal(shDestroyContext(stage->context), 0);
}

static inline shLoadDef loadDefOf(const Stage* stage)
{
    shLoadDef def = shDefaultLoadDef();
    def.assets = (const shAsset* const*)stage->assets;
    def.assetCount = assetTotal;
    def.sceneries = (const shScenery* const*)&stage->scenery;
    def.sceneryCount = 1;
    def.regions = (const shRegions* const*)&stage->regions;
    def.regionsCount = 1;
    return def;
}

static inline shBodyId addTo(shWorld* world, const shBodyDef* def)
{
    shBodyId id;
    shMessage message = {""};
    check(shCreateBody(world, def, &id, &message), &message);
    return id;
}

static inline shBodyId addThing(shWorld* world, const Stage* stage, int i, shVec3 at, const shAnchor* anchor)
{
    Random random = randomSeed((uint64_t)i);
    shFractureDef fracture = shDefaultFractureDef(i % 5 == 4 ? shRegionPattern : (shPatternType)(i % 5));
    fracture.pattern.regions = i % 5 == 4 ? stage->regions : NULL;
    fracture.pattern.pieces = 4;
    fracture.pattern.seed = (uint64_t)i;
    fracture.smallest = 3e-4;
    fracture.dustVolume = 1e-6;
    fracture.factor = 0.15;
    fracture.damage = i % 2 == 0;
    fracture.anchors = anchor;
    fracture.anchorCount = anchor != NULL;
    shBodyDef def = shDefaultBodyDef();
    def.type = anchor != NULL ? shStaticBody : shDynamicBody;
    def.asset = stage->assets[i % assetTotal];
    def.fracture = &fracture;
    def.transform.p = at;
    if (anchor == NULL) {
        def.transform.q = randomRotation(&random);
        def.velocity = vec3(0.0f, -5.0f, 0.0f);
    }
    def.userData = (uint64_t)i;
    return addTo(world, &def);
}

// Breakable things that come down all at once, one on a brick that is held at one end, and a ball of steel after them.
// Only one may break per step: the others wait.
static inline shWorld* worldOf(const Stage* stage)
{
    shMessage message = {""};
    shWorldDef worldDef = shDefaultWorldDef();
    worldDef.breakBudget = 1;
    worldDef.debrisVolume = 5e-5;
    worldDef.debrisAge = 0.6f;
    worldDef.debrisLimit = 10;
    shWorld* world;
    check(shCreateWorld(stage->context, &worldDef, &world, &message), &message);
    shBodyDef ground = shDefaultBodyDef();
    ground.type = shStaticBody;
    ground.scenery = stage->scenery;
    addTo(world, &ground);
    shAnchor anchor = {.type = shHalfSpaceAnchor, .point = {-0.05f, 0, 0}, .normal = {1, 0, 0}};
    addThing(world, stage, 0, vec3(0.0f, 0.3f, 0.0f), &anchor);
    for (int i = 2; i < 6; ++i)
        addThing(world, stage, i, vec3(0.25f * (float)(i - 2), 0.55f, 0.0f), NULL);
    shShape ball = {.type = shSphereShape, .radius = 0.08f};
    shBodyDef def = shDefaultBodyDef();
    def.shape = &ball;
    def.density = 7800.0f;
    def.transform.p = vec3(0.1f, 3.0f, 0.0f);
    def.velocity = vec3(0.0f, -5.0f, 0.0f);
    addTo(world, &def);
    return world;
}

static inline void run(shWorld* world, int steps)
{
    shMessage message = {""};
    for (int i = 0; i < steps; ++i)
        check(shWorld_Step(world, 1.0f / 60.0f, &message), &message);
}

typedef struct Bytes {
    void* data;
    size_t size;
} Bytes;

static inline Bytes save(const shWorld* world, bool embed)
{
    Bytes bytes;
    shMessage message = {""};
    shSaveDef def = shDefaultSaveDef();
    def.embed = embed;
    check(shWorld_Save(world, &def, &bytes.data, &bytes.size, &message), &message);
    return bytes;
}

static inline shWorld* load(const Stage* stage, Bytes bytes)
{
    shLoadDef def = loadDefOf(stage);
    shWorld* world;
    shMessage message = {""};
    check(shWorld_Load(stage->context, bytes.data, bytes.size, &def, &world, &message), &message);
    return world;
}

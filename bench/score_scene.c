// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/score_scene.h"

#include "bench/bin.h"
#include "bench/cache.h"
#include "bench/clock.h"
#include "bench/convex_rock.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"

#include <stdlib.h>

enum { MOST_CELLS = 8 };
static const double CELLS = 100.0; // of a slab, about: as many as its pieces have a few nodes each
static const char* const models[] = {"plate", "bowl", "brick", "sphere", "cylinder", "torus", "piggy-bank"};
static const float MODEL_DETAIL = 0.6f; // coarse, so that a hundred scenes end in some minutes
static const char* const materials[] = {"glass", "ceramic", "concrete", "stone", "ice"};

const char* scoreGroundName(ScoreGround ground)
{
    static const char* const names[SCORE_GROUNDS] = {"bin", "floor", "shelf", "space"};
    return names[ground];
}

// A box of any extents: a grid of cells of about one size, six tetrahedra along the diagonal of each.
static shStatus cookSlab(shContext* context, Vec3 size, const shMaterial* material, shAsset** asset, shMessage* message)
{
    static const int paths[6][2] = {{1, 2}, {2, 1}, {1, 4}, {4, 1}, {2, 4}, {4, 2}}; // corners by bits x, y, z
    double cell = cbrt((double)size.x * (double)size.y * (double)size.z / CELLS);
    int n[3], count = 0, tetCount = 0;
    for (int a = 0; a < 3; ++a)
        n[a] = maxI(1, minI(MOST_CELLS, (int)((double)vGet(size, a) / cell + 0.5)));
    shVec3 nodes[(MOST_CELLS + 1) * (MOST_CELLS + 1) * (MOST_CELLS + 1)];
    int(*tets)[4] = malloc((size_t)(6 * n[0] * n[1] * n[2]) * sizeof *tets);
    if (tets == NULL)
        return failMemory(message);
    for (int z = 0; z <= n[2]; ++z)
        for (int y = 0; y <= n[1]; ++y)
            for (int x = 0; x <= n[0]; ++x)
                nodes[count++] =
                    vec3(size.x * ((float)x / (float)n[0] - 0.5f), size.y * ((float)y / (float)n[1] - 0.5f),
                         size.z * ((float)z / (float)n[2] - 0.5f));
    const int step[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
    for (int z = 0; z < n[2]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[0]; ++x) {
                int corner[8], base = x + step[1] * y + step[2] * z;
                for (int i = 0; i < 8; ++i)
                    corner[i] = base + (i & 1 ? step[0] : 0) + (i & 2 ? step[1] : 0) + (i & 4 ? step[2] : 0);
                for (int i = 0; i < 6; ++i) {
                    int* tet = tets[tetCount++];
                    tet[0] = corner[0];
                    tet[1] = corner[paths[i][0]];
                    tet[2] = corner[paths[i][0] | paths[i][1]];
                    tet[3] = corner[7];
                }
            }
        }
    }
    shMeshDef mesh = {.vertexCount = count, .vertices = nodes, .tetCount = tetCount, .tets = (const int(*)[4])tets};
    shCookDef def = shDefaultCookDef();
    def.name = "slab";
    def.material = material;
    shStatus status = shCookAsset(context, &mesh, &def, asset, message);
    free(tets);
    return status;
}

static shStatus cookRock(shContext* context, uint64_t seed, double scale, shAsset** asset, shMessage* message)
{
    Rock rock;
    rockMake(seed, &rock);
    for (int i = 0; i < rock.vertexCount; ++i)
        rock.vertices[i] = dScale(scale, rock.vertices[i]);
    return rockCook(context, &rock, asset, message);
}

// Something between 0.05 and 0.6 m: a slab (thin ones and rods, too), a rock, or a model as it is.
static shStatus cookKind(Bench* bench, Random* random, shAsset** asset, shMessage* message)
{
    int choice = randomBelow(random, 5);
    const shMaterial* material =
        shMaterialPreset(materials[randomBelow(random, (int)(sizeof materials / sizeof *materials))]);
    if (choice <= 1) {
        float longest = 0.1f * expf(randomRange(random, 0.0f, 1.6f)), second = randomRange(random, 0.15f, 1.0f),
              third = randomRange(random, 0.1f, 1.0f);
        return cookSlab(bench->single, vec3(longest, longest * second, longest * third), material, asset, message);
    }
    if (choice == 2) {
        uint64_t seed = randomBits(random);
        return cookRock(bench->single, seed, randomRangeD(random, 0.07, 0.5), asset, message);
    }
    int model = bench->tiny ? 2 : randomBelow(random, (int)(sizeof models / sizeof *models));
    return cacheModel(bench->context, models[model], bench->tiny ? 0.3f : MODEL_DETAIL, asset, message);
}

static double threadSeconds(void* user)
{
    (void)user;
    return clockSeconds(clockThread);
}

static shStatus addGround(ScoreScene* scene, Random* random, float* half, shMessage* message)
{
    float friction = randomRange(random, 0.2f, 0.9f);
    *half = randomRange(random, 0.35f, 0.8f);
    if (scene->ground == scoreSpace)
        return shOk;
    BinDef bin = {.half = *half, .wallHeight = scene->ground == scoreBin ? 1.5f : 0.0f, .friction = friction};
    shStatus status = binAdd(scene->world, &bin, message);
    if (status != shOk || scene->ground != scoreShelf)
        return status;
    shShape board = {.type = shBoxShape};
    board.halfExtent = vec3(*half, randomRange(random, 0.01f, 0.04f), 0.6f * *half);
    shBodyDef def = shDefaultBodyDef();
    shBodyId id;
    def.type = shStaticBody;
    def.shape = &board;
    def.transform.p = vec3(-0.6f * *half, randomRange(random, 0.3f, 0.8f), 0.0f);
    def.friction = friction;
    return shCreateBody(scene->world, &def, &id, message);
}

// How the objects of a scene break.
typedef struct Breaking {
    int how; // 0: not; 1: by hits; 2: by hand at the beginning
    shPatternType type;
    int pieces;
    double factor; // of strength
} Breaking;

static float diameterOf(const shAsset* asset) { return vLength(boxSize(shAsset_GetInfo(asset).box)); }

// In layers above the ground; in space in shells around the origin, flying inwards to meet there.
static void placeObject(const ScoreScene* scene, float half, float largest, float speed, int i, Random* random,
                        shBodyDef* def)
{
    shAssetInfo info = shAsset_GetInfo(def->asset);
    Vec3 centre = vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]), at;
    def->transform.q = randomRotation(random);
    if (scene->ground == scoreSpace) {
        DVec3 out = randomDirection(random);
        float distance = largest * (1.0f + (float)i), seconds = randomRange(random, 0.9f, 1.1f);
        at = vScale(distance, vFromD(out));
        def->velocity = vScale(-distance / seconds, vFromD(out));
    } else {
        int across = maxI(1, (int)(2.0f * half / largest)), layer = i / (across * across);
        float middle = 0.5f * (float)(across - 1), down = randomRange(random, 0.2f, 1.0f);
        at.x = largest * ((float)(i % across) - middle);
        at.z = largest * ((float)(i / across % across) - middle);
        at.y = (scene->ground == scoreShelf ? 1.0f : 0.1f) + largest * (0.5f + (float)layer);
        def->velocity = vec3(0.0f, -speed * down, 0.0f);
        if (scene->ground != scoreBin) // beside the axis a bin's walls are in the way
            def->velocity.x = 0.3f * speed * randomRange(random, -1.0f, 1.0f);
    }
    DVec3 spin = randomVector(random, 15.0); // rad/s
    def->angularVelocity = vFromD(spin);
    def->transform.p = vSub(at, qRotate(def->transform.q, centre));
}

static shStatus addObject(ScoreScene* scene, const Breaking* breaking, shBodyDef* def, Random* random,
                          shMessage* message)
{
    shFractureDef fracture = shDefaultFractureDef(breaking->type);
    shBodyId id;
    uint64_t seed = randomBits(random);
    fracture.pattern.pieces = breaking->pieces;
    fracture.pattern.seed = seed;
    fracture.factor = breaking->factor;
    def->fracture = breaking->how == 1 ? &fracture : NULL;
    shStatus status = shCreateBody(scene->world, def, &id, message);
    if (status != shOk || breaking->how != 2)
        return status;
    shAssetInfo info = shAsset_GetInfo(def->asset);
    shImpact impact = shDefaultImpact(vec3((float)info.centre[0], (float)info.centre[1], (float)info.centre[2]));
    shBodyBreak broken;
    return shBody_Break(scene->world, id, &fracture.pattern, &impact, &broken, message);
}

static shStatus addObjects(Bench* bench, ScoreScene* scene, float half, Random* random, shMessage* message)
{
    static const shPatternType patterns[] = {shUniformPattern, shRadialPattern, shClusteredPattern};
    float largest = 0.0f, friction = randomRange(random, 0.1f, 0.9f), restitution = randomRange(random, 0.0f, 0.4f),
          speed = randomRange(random, 0.0f, 9.0f);
    Breaking breaking = {.how = randomBelow(random, 3)};
    breaking.type = patterns[randomBelow(random, 3)];
    breaking.pieces = 4 + randomBelow(random, 13);
    breaking.factor = exp(randomRangeD(random, -4.0, 0.0));
    shStatus status = shOk;
    for (int i = 0; i < scene->kinds && status == shOk; ++i) {
        status = cookKind(bench, random, &scene->assets[i], message);
        if (status == shOk)
            largest = maxF(largest, diameterOf(scene->assets[i]));
    }
    for (int i = 0; i < scene->objects && status == shOk; ++i) {
        shBodyDef def = shDefaultBodyDef();
        def.asset = scene->assets[randomBelow(random, scene->kinds)];
        def.friction = friction;
        def.restitution = restitution;
        placeObject(scene, half, largest, speed, i, random, &def);
        status = addObject(scene, &breaking, &def, random, message);
    }
    return status;
}

shStatus scoreSceneCreate(Bench* bench, int number, double seconds, ScoreScene* scene, shMessage* message)
{
    static const int hertz[] = {30, 60, 60, 120};
    Random random = randomSeedItem(1, (uint64_t)number);
    *scene = (ScoreScene){.number = number};
    scene->ground = (ScoreGround)(number % SCORE_GROUNDS);
    scene->kinds = 1 + randomBelow(&random, SCORE_MOST_KINDS);
    scene->objects = (int)expf(randomRange(&random, 0.0f, logf((float)SCORE_MOST_OBJECTS + 0.99f)));
    if (scene->ground == scoreSpace)
        scene->objects = maxI(2, scene->objects);
    int rate = hertz[randomBelow(&random, 4)];
    scene->dt = 1.0f / (float)rate;
    scene->steps = (int)(seconds * rate + 0.5);
    shContextDef context = shDefaultContextDef();
    context.workerCount = 1;
    context.clock = threadSeconds;
    shStatus status = shCreateContext(&context, &scene->context, message);
    shWorldDef world = shDefaultWorldDef();
    world.sleeping = false; // so that creeping is seen
    if (scene->ground == scoreSpace)
        world.gravity = vec3(0.0f, 0.0f, 0.0f);
    float half = 0.0f;
    if (status == shOk)
        status = shCreateWorld(scene->context, &world, &scene->world, message);
    if (status == shOk)
        status = addGround(scene, &random, &half, message);
    if (status == shOk)
        status = addObjects(bench, scene, half, &random, message);
    if (status != shOk)
        scoreSceneDestroy(scene);
    return status;
}

void scoreSceneDestroy(ScoreScene* scene)
{
    shDestroyWorld(scene->world);
    for (int i = 0; i < SCORE_MOST_KINDS; ++i)
        shDestroyAsset(scene->assets[i]);
    if (scene->context != NULL)
        shDestroyContext(scene->context);
    *scene = (ScoreScene){0};
}

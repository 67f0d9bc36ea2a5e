// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/poses.h"

#include "bench/clock.h"
#include "core/closest.h"
#include "core/message.h"
#include "core/quat.h"
#include "core/random.h"
#include "fracture/voronoi_crack.h"
#include "solid/solid.h"

// Of the sum of both radii: how far a piece moves between two looks. Features that are thinner may be passed.
static const float APPROACH_STEP = 0.02f;
enum { APPROACH_HALVINGS = 10 };

struct SeededCrack {
    Memory* memory;
    VoronoiCrack crack;
    int siteCount;
    Vec3 sites[];
};

static size_t crackBytes(int sites) { return sizeof(SeededCrack) + (size_t)sites * sizeof(Vec3); }

shStatus seededCrackCreate(const shAsset* asset, int sites, uint64_t seed, SeededCrack** crack, shMessage* message)
{
    Memory* memory = &asset->context->memory;
    *crack = memAlloc(memory, crackBytes(sites));
    if (*crack == NULL)
        return failMemory(message);
    (*crack)->memory = memory;
    (*crack)->siteCount = sites;
    Random random = randomSeed(seed);
    for (int i = 0; i < sites; ++i)
        (*crack)->sites[i] = asset->mesh.nodes[randomBelow(&random, asset->mesh.nodeCount)];
    if (voronoiCrackInit(&(*crack)->crack, memory, &asset->rest.field.view, (*crack)->sites, sites))
        return shOk;
    memFree(memory, *crack, crackBytes(sites));
    *crack = NULL;
    return failMemory(message);
}

shCrack seededCrackOf(SeededCrack* crack) { return (shCrack){0, crack->crack.labels, voronoiCrackCut, &crack->crack}; }

void seededCrackDestroy(SeededCrack* crack)
{
    if (crack == NULL)
        return;
    voronoiCrackFree(&crack->crack);
    memFree(crack->memory, crack, crackBytes(crack->siteCount));
}

shStatus breakSeeded(shSolid* solid, int sites, uint64_t seed, shMessage* message)
{
    SeededCrack* made;
    shStatus status = seededCrackCreate(solid->asset, sites, seed, &made, message);
    if (status != shOk)
        return status;
    shCrack crack = seededCrackOf(made);
    status = shSolid_Break(solid, &crack, NULL, message);
    seededCrackDestroy(made);
    return status;
}

static int nodesOf(const shSolid* solid, int piece)
{
    return solid->field.labels != NULL ? solid->field.pieces.data[piece].count : solid->asset->mesh.nodeCount;
}

int largestPieces(const shSolid* solid, int wanted, int* pieces)
{
    int count = 0;
    for (int piece = 0; piece < shSolid_GetPieceCount(solid); ++piece) {
        int at = count < wanted ? count++ : wanted;
        for (; at > 0 && nodesOf(solid, pieces[at - 1]) < nodesOf(solid, piece); --at)
            if (at < wanted)
                pieces[at] = pieces[at - 1];
        if (at < wanted)
            pieces[at] = piece;
    }
    return count;
}

static shBox pieceBox(const shSolid* solid, int piece)
{
    return solid->field.labels != NULL ? fieldBox(&solid->field, piece) : solid->asset->box;
}

float pieceDiameter(const shSolid* solid, int piece) { return vLength(boxSize(pieceBox(solid, piece))); }

float poseDeepest(shQuery* query, const shCollideDef* def, const Pose* pose, int* contactCount)
{
    const shContact* contacts;
    int count = 0;
    float deepest = -1.0f;
    if (shCollide(query, def, &pose->colliders[0], &pose->colliders[1], NULL, &contacts, &count, NULL) == shOk)
        for (int i = 0; i < count; ++i)
            deepest = maxF(deepest, -contacts[i].distance);
    if (contactCount != NULL)
        *contactCount = count;
    return deepest;
}

typedef struct Nearest {
    Vec3 p;
    float distance;
} Nearest;

static void nearTriangle(const Vec3 p[3], int source, void* user)
{
    (void)source;
    Nearest* nearest = user;
    Vec3 point = closestOnTriangle(nearest->p, p[0], p[1], p[2]);
    nearest->distance = minF(nearest->distance, vDistance(nearest->p, point));
}

double poseDepthError(shQuery* query, const Pose* pose)
{
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    const shContact* contacts;
    int count = 0, deepest = 0;
    if (shCollide(query, &def, &pose->colliders[0], &pose->colliders[1], NULL, &contacts, &count, NULL) != shOk ||
        count == 0)
        return NO_VALUE;
    for (int i = 1; i < count; ++i)
        if (contacts[i].distance < contacts[deepest].distance)
            deepest = i;
    const shCollider* other = &pose->colliders[1 - (contacts[deepest].id >> 31)];
    Nearest nearest = {xformUnpoint(other->transform, contacts[deepest].point), INFINITY};
    fieldSurface(&other->solid->field, other->piece, nearTriangle, &nearest);
    return (double)-contacts[deepest].distance / (double)nearest.distance;
}

// A transform that turns a piece and puts the middle of its box at a point.
static shTransform place(const shCollider* collider, shQuat turn, Vec3 middle)
{
    Vec3 centre = boxCenter(pieceBox(collider->solid, collider->piece));
    return (shTransform){vSub(middle, qRotate(turn, centre)), turn};
}

bool poseFind(shQuery* query, const shCollider pieces[2], float depth, uint64_t seed, Pose* pose)
{
    Random random = randomSeed(seed);
    shQuat turns[2];
    turns[0] = randomRotation(&random);
    turns[1] = randomRotation(&random);
    Vec3 side = vFromD(randomDirection(&random));
    shCollideDef def = shDefaultCollideDef();
    def.all = true;
    float radii =
        0.5f * (pieceDiameter(pieces[0].solid, pieces[0].piece) + pieceDiameter(pieces[1].solid, pieces[1].piece));
    float wanted = maxF(depth, 0.0f), far = radii, near = radii;
    *pose = (Pose){.colliders = {pieces[0], pieces[1]}};
    pose->colliders[0].transform = place(&pieces[0], turns[0], vec3(0.0f, 0.0f, 0.0f));
    float found = -1.0f;
    while (found <= wanted) {
        far = near;
        near -= APPROACH_STEP * radii;
        if (near < 0.0f)
            return false;
        pose->colliders[1].transform = place(&pieces[1], turns[1], vScale(near, side));
        found = poseDeepest(query, &def, pose, NULL);
    }
    for (int i = 0; i < APPROACH_HALVINGS; ++i) {
        float middle = 0.5f * (near + far);
        pose->colliders[1].transform = place(&pieces[1], turns[1], vScale(middle, side));
        *(poseDeepest(query, &def, pose, NULL) > wanted ? &near : &far) = middle;
    }
    near -= minF(depth, 0.0f);
    pose->colliders[1].transform = place(&pieces[1], turns[1], vScale(near, side));
    pose->depth = depth < 0.0f ? depth : poseDeepest(query, &def, pose, NULL);
    return true;
}

shStatus posesTime(shQuery* query, const shCollideDef* def, const Pose* poses, int count, double* best,
                   shMessage* message)
{
    for (int i = 0; i < count; ++i) {
        const shContact* contacts;
        int contactCount;
        double start = clockSeconds(clockThread);
        shStatus status = shCollide(query, def, &poses[i].colliders[0], &poses[i].colliders[1], NULL, &contacts,
                                    &contactCount, message);
        best[i] = minD(best[i], 1e6 * (clockSeconds(clockThread) - start));
        if (status != shOk)
            return status;
    }
    return shOk;
}

double posesVisited(shQuery* query, const shCollideDef* def, const Pose* poses, int count)
{
    double visited = 0.0;
    for (int i = 0; i < count; ++i) {
        poseDeepest(query, def, &poses[i], NULL);
        visited += shQuery_GetStats(query).visited;
    }
    return visited / count;
}

double meanOf(const double* values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += values[i];
    return count > 0 ? sum / count : NO_VALUE;
}

double percentileOf(const double* values, int count, double share)
{
    Samples samples = {0};
    for (int i = 0; i < count; ++i)
        samplesAdd(&samples, values[i]);
    return samplesPercentile(&samples, share);
}

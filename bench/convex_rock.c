// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/convex_rock.h"

#include "core/random.h"

#include <string.h>

static const double LEAST = 0.7, MOST = 1.2; // diameters of the ellipsoid, m
static const double ROUGH = 0.03;            // how far points stray from it, as a share: few are lost inside the hull
static const double PARALLEL = 1e-12; // sine² of the angle of two edges whose product is too short to be an axis

// All other points on one side of the plane through three; `side` says on which.
static bool isFace(const DVec3* points, int count, int i, int j, int k, double* side)
{
    bool above = false, below = false;
    for (int p = 0; p < count; ++p) {
        if (p == i || p == j || p == k)
            continue;
        double volume = dOrient(points[i], points[j], points[k], points[p]);
        above |= volume > 0.0;
        below |= volume < 0.0;
        if (above && below)
            return false;
    }
    *side = above ? 1.0 : -1.0;
    return above != below;
}

// Every triple is tried: 32 points have 4,960.
bool rockHull(const DVec3* points, int count, Rock* rock)
{
    int number[ROCK_POINTS];
    *rock = (Rock){0};
    if (count > ROCK_POINTS)
        return false;
    for (int i = 0; i < count; ++i)
        number[i] = -1;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count; ++k) {
                double side;
                if (!isFace(points, count, i, j, k, &side))
                    continue;
                if (rock->triangleCount == ROCK_TRIANGLES)
                    return false;
                // Turned so that the others are behind it.
                int* t = rock->triangles[rock->triangleCount++];
                t[0] = i;
                t[1] = side > 0.0 ? k : j;
                t[2] = side > 0.0 ? j : k;
            }
        }
    }
    for (int t = 0; t < rock->triangleCount; ++t) {
        int* corners = rock->triangles[t];
        for (int c = 0; c < 3; ++c) {
            int v = corners[c];
            if (number[v] < 0) {
                number[v] = rock->vertexCount;
                rock->vertices[rock->vertexCount++] = points[v];
            }
            corners[c] = number[v];
        }
    }
    for (int t = 0; t < rock->triangleCount; ++t) {
        for (int c = 0; c < 3; ++c) {
            int from = rock->triangles[t][c], to = rock->triangles[t][(c + 1) % 3];
            if (from < to && rock->edgeCount < ROCK_EDGES) { // its other face has it the other way round
                rock->edges[rock->edgeCount][0] = from;
                rock->edges[rock->edgeCount++][1] = to;
            }
        }
    }
    return rock->vertexCount >= 4 && rock->vertexCount - rock->edgeCount + rock->triangleCount == 2;
}

void rockMake(uint64_t seed, Rock* rock)
{
    for (uint64_t attempt = 0;; ++attempt) { // points in one plane to rounding: never seen
        DVec3 points[ROCK_POINTS];
        Random random = randomSeedItem(seed, attempt);
        double x = 0.5 * randomRangeD(&random, LEAST, MOST), y = 0.5 * randomRangeD(&random, LEAST, MOST),
               z = 0.5 * randomRangeD(&random, LEAST, MOST);
        for (int i = 0; i < ROCK_POINTS; ++i) {
            DVec3 d = randomDirection(&random);
            double size = 1.0 - randomRangeD(&random, 0.0, ROUGH);
            points[i] = dFromV(vFromD(dvec3(size * x * d.x, size * y * d.y, size * z * d.z)));
        }
        if (rockHull(points, ROCK_POINTS, rock))
            return;
    }
}

shStatus rockCook(shContext* context, const Rock* rock, shAsset** asset, shMessage* message)
{
    double nodes[ROCK_POINTS + 1][3];
    int tets[ROCK_TRIANGLES][4];
    DVec3 middle = dvec3(0.0, 0.0, 0.0);
    for (int i = 0; i < rock->vertexCount; ++i) {
        DVec3 v = rock->vertices[i];
        nodes[i][0] = v.x;
        nodes[i][1] = v.y;
        nodes[i][2] = v.z;
        middle = dMad(middle, 1.0 / rock->vertexCount, v);
    }
    nodes[rock->vertexCount][0] = middle.x;
    nodes[rock->vertexCount][1] = middle.y;
    nodes[rock->vertexCount][2] = middle.z;
    for (int t = 0; t < rock->triangleCount; ++t) {
        memcpy(tets[t], rock->triangles[t], sizeof rock->triangles[t]);
        tets[t][3] = rock->vertexCount;
    }
    shMeshDef mesh = {.vertexCount = rock->vertexCount + 1,
                      .preciseVertices = (const double(*)[3])nodes,
                      .tetCount = rock->triangleCount,
                      .tets = (const int(*)[4])tets};
    shCookDef def = shDefaultCookDef();
    def.name = "rock";
    def.material = shMaterialPreset("stone");
    return shCookAsset(context, &mesh, &def, asset, message);
}

void rockPlace(const Rock* rock, shTransform transform, PlacedRock* placed)
{
    DQuat q = dqNormalize(dqFromQ(transform.q));
    placed->rock = rock;
    placed->middle = dvec3(0.0, 0.0, 0.0);
    placed->radius = 0.0;
    for (int i = 0; i < rock->vertexCount; ++i) {
        placed->vertices[i] = dAdd(dqRotate(q, rock->vertices[i]), dFromV(transform.p));
        placed->middle = dMad(placed->middle, 1.0 / rock->vertexCount, placed->vertices[i]);
    }
    for (int i = 0; i < rock->vertexCount; ++i)
        placed->radius = maxD(placed->radius, dDistance(placed->middle, placed->vertices[i]));
    for (int i = 0; i < rock->triangleCount; ++i) {
        const int* t = rock->triangles[i];
        const DVec3 *a = &placed->vertices[t[0]], *b = &placed->vertices[t[1]], *c = &placed->vertices[t[2]];
        placed->normals[i] = dNormalize(dCross(dSub(*b, *a), dSub(*c, *a)));
    }
    for (int i = 0; i < rock->edgeCount; ++i)
        placed->edges[i] = dNormalize(dSub(placed->vertices[rock->edges[i][1]], placed->vertices[rock->edges[i][0]]));
}

// How far the two must move along a unit axis, either way, to be apart.
static double overlap(const PlacedRock* a, const PlacedRock* b, DVec3 axis)
{
    double leastA = (double)INFINITY, mostA = -leastA, leastB = leastA, mostB = -leastA;
    for (int i = 0; i < a->rock->vertexCount; ++i) {
        double x = dDot(a->vertices[i], axis);
        leastA = minD(leastA, x);
        mostA = maxD(mostA, x);
    }
    for (int i = 0; i < b->rock->vertexCount; ++i) {
        double x = dDot(b->vertices[i], axis);
        leastB = minD(leastB, x);
        mostB = maxD(mostB, x);
    }
    return minD(mostA - leastB, mostB - leastA);
}

double rockDepth(const PlacedRock* a, const PlacedRock* b)
{
    double depth = a->radius + b->radius - dDistance(a->middle, b->middle);
    if (depth < 0.0)
        return depth;
    for (int i = 0; i < a->rock->triangleCount && depth >= 0.0; ++i)
        depth = minD(depth, overlap(a, b, a->normals[i]));
    for (int i = 0; i < b->rock->triangleCount && depth >= 0.0; ++i)
        depth = minD(depth, overlap(a, b, b->normals[i]));
    for (int i = 0; i < a->rock->edgeCount && depth >= 0.0; ++i) {
        for (int j = 0; j < b->rock->edgeCount && depth >= 0.0; ++j) {
            DVec3 axis = dCross(a->edges[i], b->edges[j]);
            double length2 = dLength2(axis);
            if (length2 > PARALLEL)
                depth = minD(depth, overlap(a, b, dScale(1.0 / sqrt(length2), axis)));
        }
    }
    return depth;
}

double rockPlaneDepth(const PlacedRock* a, DVec3 point, DVec3 normal)
{
    double depth = -(double)INFINITY;
    for (int i = 0; i < a->rock->vertexCount; ++i)
        depth = maxD(depth, -dDot(dSub(a->vertices[i], point), normal));
    return depth;
}

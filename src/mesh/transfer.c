// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/transfer.h"

#include "mesh/tri_query.h"

// Corners on a seam belong to several source triangles with different UVs. Looking from a little inside the target
// triangle finds the one on its side.
#define PULL 1e-3
#define BLOCK 256

// A target triangle that lies across a seam would run through all of the texture between both sides. So all of its
// corners belong to the side its middle is on: a corner lies beyond a seam if its UVs are so many times farther from
// the middle's than the source triangles' own sides, for the distance between them, make likely.
#define SEAM 3.0

typedef struct Transfer {
    const TriMesh* source;
    const TransferTarget* target;
    TriQuery query;
} Transfer;

static Corner blend(const Corner corners[3], const double weights[3])
{
    double u = 0.0, v = 0.0;
    DVec3 normal = dvec3(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) {
        u += weights[k] * (double)corners[k].uv[0];
        v += weights[k] * (double)corners[k].uv[1];
        normal = dMad(normal, weights[k], dFromV(corners[k].normal));
    }
    // Opposite normals cancel out: then the nearest corner's must do.
    int nearest = weights[0] >= weights[1] ? 0 : 1;
    nearest = weights[nearest] >= weights[2] ? nearest : 2;
    bool usable = dLength(normal) > 0.0;
    return (Corner){{(float)u, (float)v}, usable ? vFromD(dNormalize(normal)) : corners[nearest].normal};
}

// The UVs of a source triangle, going on as evenly beyond it. False: it has no area.
static bool extendUvs(const TriMesh* source, int t, DVec3 p, double uv[2])
{
    const int* n = source->triangles[t];
    DVec3 a = source->vertices[n[0]], ab = dSub(source->vertices[n[1]], a), ac = dSub(source->vertices[n[2]], a);
    DVec3 normal = dCross(ab, ac), ap = dSub(p, a);
    double area2 = dLength2(normal);
    if (!(area2 > 0.0))
        return false;
    double v = dDot(normal, dCross(ap, ac)) / area2, w = dDot(normal, dCross(ab, ap)) / area2;
    const Corner* c = source->corners[t];
    for (int axis = 0; axis < 2; ++axis)
        uv[axis] = (1.0 - v - w) * (double)c[0].uv[axis] + v * (double)c[1].uv[axis] + w * (double)c[2].uv[axis];
    return true;
}

static double uvDistance(const double a[2], const double b[2]) { return maxD(fabs(a[0] - b[0]), fabs(a[1] - b[1])); }

// The most that UVs change per metre along the sides of a triangle.
static double uvRate(const TriMesh* source, int t)
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        const Corner *c = &source->corners[t][k], *d = &source->corners[t][(k + 1) % 3];
        const double a[2] = {(double)c->uv[0], (double)c->uv[1]}, b[2] = {(double)d->uv[0], (double)d->uv[1]};
        const int* n = source->triangles[t];
        double length = dDistance(source->vertices[n[k]], source->vertices[n[(k + 1) % 3]]);
        most = length > 0.0 ? maxD(most, uvDistance(a, b) / length) : most;
    }
    return most;
}

// Takes a corner back to the side of the seam where the triangle's middle is.
static void stayOnSide(const TriMesh* source, int middleTriangle, int ownTriangle, DVec3 middle, DVec3 p,
                       Corner* corner)
{
    double centre[2], ahead[2], own[2] = {(double)corner->uv[0], (double)corner->uv[1]};
    double rate = maxD(uvRate(source, middleTriangle), uvRate(source, ownTriangle));
    double likely = SEAM * rate * dDistance(p, middle);
    if (!extendUvs(source, middleTriangle, middle, centre) || !extendUvs(source, middleTriangle, p, ahead) ||
        uvDistance(own, centre) <= likely)
        return;
    // Once around is the same place of a texture that repeats, and its UVs need not be guessed.
    const double around[2] = {own[0] + floor(ahead[0] - own[0] + 0.5), own[1] + floor(ahead[1] - own[1] + 0.5)};
    const double* uv = uvDistance(around, centre) <= likely ? around : ahead;
    corner->uv[0] = (float)uv[0];
    corner->uv[1] = (float)uv[1];
}

static void transferBlock(int begin, int end, int worker, void* arg)
{
    (void)worker;
    const Transfer* transfer = arg;
    const TriMesh* source = transfer->source;
    const TransferTarget* target = transfer->target;
    for (int i = begin; i < end; ++i) {
        const DVec3* p = target->points[i];
        DVec3 center = dScale(1.0 / 3.0, dAdd(dAdd(p[0], p[1]), p[2]));
        int middle = triQueryClosest(&transfer->query, center, (double)INFINITY).triangle;
        if (source->groups != NULL && target->groups != NULL)
            target->groups[i] = source->groups[middle];
        if (source->corners == NULL || target->corners == NULL)
            continue;
        for (int k = 0; k < 3; ++k) {
            TriHit near = triQueryClosest(&transfer->query, dLerp(p[k], center, PULL), (double)INFINITY);
            const int* v = source->triangles[near.triangle];
            TriHit at = triClosest(source->vertices[v[0]], source->vertices[v[1]], source->vertices[v[2]], p[k]);
            target->corners[i][k] = blend(source->corners[near.triangle], at.weights);
            if (near.triangle != middle)
                stayOnSide(source, middle, near.triangle, center, p[k], &target->corners[i][k]);
        }
    }
}

bool transferSurface(shContext* context, const TriMesh* source, const TransferTarget* target)
{
    if (source->corners == NULL && source->groups == NULL)
        return true;
    Transfer transfer = {source, target, {0}};
    if (!triQueryBuild(&transfer.query, &context->memory, source->vertices, (const int(*)[3])source->triangles,
                       source->triangleCount))
        return false;
    parallelFor(context, target->triangleCount, BLOCK, transferBlock, &transfer);
    triQueryFree(&transfer.query, &context->memory);
    return true;
}

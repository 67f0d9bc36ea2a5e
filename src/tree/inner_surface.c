// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "tree/inner_surface.h"

#include "core/closest.h"
#include "core/constants.h"
#include "core/triangle_distance.h"

#include <string.h>

bool innerSurfaceInit(InnerSurface* surface, Memory* memory, int pointCount, const Vec3* points, int triangleCount,
                      const int (*triangles)[3])
{
    *surface = (InnerSurface){pointCount, triangleCount, points, triangles, NULL, NULL};
    surface->starts = NEW_ZEROED(memory, int, pointCount + 1);
    surface->around = NEW_ARRAY(memory, int, 3 * (int64_t)triangleCount);
    if (surface->starts == NULL || (surface->around == NULL && triangleCount > 0)) {
        innerSurfaceFree(surface, memory);
        return false;
    }
    int* starts = surface->starts;
    for (int t = 0; t < triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            ++starts[triangles[t][k]];
    for (int p = 0, sum = 0; p <= pointCount; ++p) {
        int count = starts[p];
        starts[p] = sum;
        sum += count;
    }
    for (int t = 0; t < triangleCount; ++t) // moves each start to the next one's place, and back
        for (int k = 0; k < 3; ++k)
            surface->around[starts[triangles[t][k]]++] = t;
    memmove(starts + 1, starts, sizeof(int) * (size_t)pointCount);
    starts[0] = 0;
    return true;
}

void innerSurfaceFree(InnerSurface* surface, Memory* memory)
{
    FREE_ARRAY(memory, surface->starts, surface->pointCount + 1);
    FREE_ARRAY(memory, surface->around, 3 * (int64_t)surface->triangleCount);
    *surface = (InnerSurface){0};
}

static void cornersOf(const InnerSurface* surface, int t, Vec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = surface->points[surface->triangles[t][k]];
}

// Closest point of triangle t; `corners` gets a bit for every corner whose weight is not zero.
static Vec3 closestOn(const InnerSurface* surface, int t, Vec3 p, unsigned* corners)
{
    Vec3 c[3];
    cornersOf(surface, t, c);
    Vec3 ab = vSub(c[1], c[0]), ac = vSub(c[2], c[0]), ap = vSub(p, c[0]);
    float d1 = vDot(ab, ap), d2 = vDot(ac, ap);
    Vec3 bp = vSub(p, c[1]), cp = vSub(p, c[2]);
    float d3 = vDot(ab, bp), d4 = vDot(ac, bp), d5 = vDot(ab, cp), d6 = vDot(ac, cp);
    float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    *corners = d1 <= 0.0f && d2 <= 0.0f                           ? 1
               : d3 >= 0.0f && d4 <= d3                           ? 2
               : d6 >= 0.0f && d5 <= d6                           ? 4
               : vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f           ? 3
               : vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f           ? 5
               : va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f ? 6
                                                                  : 7;
    return closestOnTriangle(p, c[0], c[1], c[2]);
}

static bool hasCorners(const int t[3], const int corners[3], unsigned wanted)
{
    for (int k = 0; k < 3; ++k)
        if ((wanted >> k & 1) && t[0] != corners[k] && t[1] != corners[k] && t[2] != corners[k])
            return false;
    return true;
}

// From triangle to triangle, across the side or the corner where the closest point is, as long as that leads closer.
static int walkTo(const InnerSurface* surface, int t, Vec3 p, Vec3* point)
{
    unsigned on;
    *point = closestOn(surface, t, p, &on);
    float best = vDistance2(p, *point);
    for (int step = 0; step < INNER_WALK_STEPS && on != 7; ++step) {
        const int* corners = surface->triangles[t];
        int from = t, corner = corners[on & 1 ? 0 : on & 2 ? 1 : 2];
        unsigned across = on;
        for (int i = surface->starts[corner]; i < surface->starts[corner + 1]; ++i) {
            int next = surface->around[i];
            unsigned there;
            if (next == from || !hasCorners(surface->triangles[next], corners, across))
                continue;
            Vec3 closest = closestOn(surface, next, p, &there);
            float distance2 = vDistance2(p, closest);
            if (distance2 < best) {
                best = distance2;
                *point = closest;
                t = next;
                on = there;
            }
        }
        if (t == from)
            break;
    }
    return t;
}

// A triangle and those that share a corner with it, in a's frame.
typedef struct Ring {
    int count;
    int triangles[INNER_RING];
    Vec3 corners[INNER_RING][3];
} Ring;

static void addToRing(Ring* ring, const InnerSurface* surface, int t, const InnerFrame* frame)
{
    if (ring->count == INNER_RING)
        return;
    for (int i = 0; i < ring->count; ++i)
        if (ring->triangles[i] == t)
            return;
    int at = ring->count++;
    ring->triangles[at] = t;
    cornersOf(surface, t, ring->corners[at]);
    for (int k = 0; k < 3 && frame != NULL; ++k)
        ring->corners[at][k] = innerMove(frame, ring->corners[at][k]);
}

static void ringOf(const InnerSurface* surface, int t, const InnerFrame* frame, Ring* ring)
{
    ring->count = 0;
    addToRing(ring, surface, t, frame);
    for (int k = 0; k < 3; ++k) {
        int corner = surface->triangles[t][k];
        for (int i = surface->starts[corner]; i < surface->starts[corner + 1]; ++i)
            addToRing(ring, surface, surface->around[i], frame);
    }
}

// How far each triangle reaches along a direction, at most: reach[i] = max ±direction · corner.
static void reachesOf(const Ring* ring, Vec3 direction, float reach[INNER_RING])
{
    for (int i = 0; i < ring->count; ++i) {
        float most = -INFINITY;
        for (int k = 0; k < 3; ++k)
            most = maxF(vDot(direction, ring->corners[i][k]), most);
        reach[i] = most;
    }
}

// Pairs of triangles, the most promising first: along the direction between the best points so far, a pair is at least
// as far apart as its triangles reach. At the end all others are kept apart by that direction.
static bool tryRings(const Ring* a, const Ring* b, Vec3 direction, InnerSharp* sharp)
{
    float reachA[INNER_RING], reachB[INNER_RING];
    uint64_t tried[INNER_RING] = {0};
    bool better = false, turned = true;
    for (int tries = 0; tries < INNER_POLISH; ++tries) {
        if (turned) {
            reachesOf(a, direction, reachA);
            reachesOf(b, vNeg(direction), reachB);
            turned = false;
        }
        float least = sharp->distance * (1.0f - INNER_SHARP_GAIN);
        int bestA = -1, bestB = -1;
        for (int i = 0; i < a->count; ++i)
            for (int k = 0; k < b->count; ++k) {
                float apart = -reachB[k] - reachA[i];
                if (apart < least && !(tried[i] >> k & 1)) {
                    least = apart;
                    bestA = i;
                    bestB = k;
                }
            }
        if (bestA < 0)
            return better;
        tried[bestA] |= (uint64_t)1 << bestB;
        Vec3 p, q;
        float distance = triangleDistance(a->corners[bestA], b->corners[bestB], &p, &q);
        if (distance < sharp->distance) {
            *sharp = (InnerSharp){distance, p, q, a->triangles[bestA], b->triangles[bestB], true};
            Vec3 gap = vSub(q, p);
            better = turned = true;
            if (distance > 0.0f)
                direction = vNormalize(gap);
        }
    }
    return better;
}

static Vec3 moveBack(const InnerFrame* frame, Vec3 p)
{
    const float(*r)[3] = frame->rows;
    Vec3 o = vec3(p.x - frame->offset[0], p.y - frame->offset[1], p.z - frame->offset[2]);
    return vec3(r[0][0] * o.x + r[1][0] * o.y + r[2][0] * o.z, r[0][1] * o.x + r[1][1] * o.y + r[2][1] * o.z,
                r[0][2] * o.x + r[1][2] * o.y + r[2][2] * o.z);
}

// Each point in turn goes to where its surface is closest to the other. Steps are continued a little, as long as that
// helps: alone they come ever shorter.
void innerFollow(const InnerSurface* a, const InnerSurface* b, const InnerFrame* frame, int steps, InnerSharp* sharp)
{
    int ta = sharp->triangleA, tb = sharp->triangleB;
    Vec3 onA = sharp->a, onB = moveBack(frame, sharp->b), ahead = onA;
    bool further = false;
    float last = INFINITY;
    for (int i = 0; i < steps; ++i) {
        Vec3 before = onA;
        tb = walkTo(b, tb, moveBack(frame, ahead), &onB);
        Vec3 there = innerMove(frame, onB);
        ta = walkTo(a, ta, there, &onA);
        float distance = vDistance(onA, there);
        if (distance < sharp->distance)
            *sharp = (InnerSharp){distance, onA, there, ta, tb, true};
        bool closer = distance < last * (1.0f - INNER_SHARP_GAIN);
        if (!closer && !further)
            break;
        further = closer && i > 0;
        ahead = further ? vMad(onA, INNER_SHARP_AHEAD, vSub(onA, before)) : onA;
        last = minF(last, distance);
    }
}

void innerPolish(const InnerSurface* a, const InnerSurface* b, const InnerFrame* frame, int steps, InnerSharp* sharp)
{
    Ring ringA, ringB;
    if (!sharp->better || INNER_POLISH == 0)
        return;
    ringOf(a, sharp->triangleA, NULL, &ringA);
    ringOf(b, sharp->triangleB, frame, &ringB);
    if (tryRings(&ringA, &ringB, vNormalize(vSub(sharp->b, sharp->a)), sharp))
        innerFollow(a, b, frame, steps, sharp);
}

float innerClearance(const InnerSurface* surface, const InnerSphere* sphere)
{
    Vec3 c[3];
    cornersOf(surface, sphere->triangle, c);
    return vDistance(innerCentre(sphere), closestOnTriangle(innerCentre(sphere), c[0], c[1], c[2]));
}

// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Eight boxes, eight triangles at once. The triangles are closestOnTriangle (core/closest.h) without branches: what
// holds of the vertex, edge and face regions is found for all lanes, in the same order and with the same operations.
#include "core/constants.h"
#include "core/vec8.h"
#include "field/skin.h"

#include <float.h>

static inline M8 notAbove(F8 a) { return f8LessEqual(a, f8Zero()); }
static inline M8 notBelow(F8 a) { return f8GreaterEqual(a, f8Zero()); }
static inline F8 notNegative(F8 a) { return f8Max(a, f8Zero()); }

// A triangle's closest point and what it lies on.
typedef struct Closest8 {
    V8 q;
    F8 distance;
    M8 onFace;
} Closest8;

static inline Closest8 closest8(V8 a, V8 ab, V8 ac, V8 b, V8 c, V8 at)
{
    V8 ap = v8Sub(at, a), bp = v8Sub(at, b), cp = v8Sub(at, c);
    F8 d1 = v8Dot(ab, ap), d2 = v8Dot(ac, ap), d3 = v8Dot(ab, bp), d4 = v8Dot(ac, bp), d5 = v8Dot(ab, cp),
       d6 = v8Dot(ac, cp);
    F8 va = f8Sub(f8Mul(d3, d6), f8Mul(d5, d4)), vb = f8Sub(f8Mul(d5, d2), f8Mul(d1, d6)),
       vc = f8Sub(f8Mul(d1, d4), f8Mul(d3, d2));
    F8 d43 = f8Sub(d4, d3), d56 = f8Sub(d5, d6);
    F8 ofB = notNegative(vb), ofC = notNegative(vc), sum = f8Add(f8Add(notNegative(va), ofB), ofC);
    // From the last region to the first, so that the first one to hold wins. Edges: base + (part / whole) · way.
    V8 face = v8Add(a, v8Add(v8Scale(f8Div(ofB, sum), ab), v8Scale(f8Div(ofC, sum), ac)));
    M8 isFace = f8Greater(sum, f8Zero());
    M8 onBc = m8And(notAbove(va), m8And(notBelow(d43), notBelow(d56)));
    M8 onAc = m8And(notAbove(vb), m8And(notBelow(d2), notAbove(d6)));
    M8 onAb = m8And(notAbove(vc), m8And(notBelow(d1), notAbove(d3)));
    V8 way = v8Select(onAb, ab, v8Select(onAc, ac, v8Sub(c, b)));
    F8 part = f8Select(onAb, d1, f8Select(onAc, d2, d43));
    F8 whole = f8Select(onAb, f8Sub(d1, d3), f8Select(onAc, f8Sub(d2, d6), f8Add(d43, d56)));
    M8 fromB = m8AndNot(onBc, m8Or(onAb, onAc));
    V8 edge = v8Add(v8Select(fromB, b, a), v8Scale(f8Div(part, whole), way));
    M8 onEdge = m8Or(onAb, m8Or(onAc, onBc));
    V8 q = v8Select(onEdge, edge, v8Select(isFace, face, a));
    M8 atC = m8And(notBelow(d6), f8LessEqual(d5, d6)), atB = m8And(notBelow(d3), f8LessEqual(d4, d3)),
       atA = m8And(notAbove(d1), notAbove(d2));
    q = v8Select(atC, c, q);
    q = v8Select(atB, b, q);
    q = v8Select(atA, a, q);
    V8 away = v8Sub(at, q);
    return (Closest8){q, f8Sqrt(v8Dot(away, away)), m8AndNot(isFace, m8Or(onEdge, m8Or(atA, m8Or(atB, atC))))};
}

// coneFaces for the normals of eight triangles.
static inline M8 faces8(const NormalCone* cone, V8 normal)
{
    Vec3 directions[coneDirections];
    int count = coneGetDirections(cone, directions);
    F8 most = f8Mul(f8Set(-FACING_MARGIN), f8Sqrt(v8Dot(normal, normal)));
    M8 faces = m8First(count == 0 ? skinLanes : 0);
    for (int i = 0; i < count; ++i)
        faces = m8Or(faces, f8Less(v8Dot(v8Set(directions[i]), normal), f8Mul(most, f8Set(vLength(directions[i])))));
    return faces;
}

static inline Vec3 cornerOf(const float from[3][skinLanes], int lane)
{
    return vec3(from[0][lane], from[1][lane], from[2][lane]);
}

// How far a coordinate is from those of a triangle's corners.
static inline F8 beside(F8 a, F8 b, F8 c, F8 at)
{
    F8 below = f8Sub(f8Min(f8Min(a, b), c), at), above = f8Sub(at, f8Max(f8Max(a, b), c));
    return notNegative(f8Max(below, above));
}

static inline void lookAt(const SkinPacket* packet, unsigned alive, V8 at, float limit, SkinSearch* search)
{
    V8 a = v8LoadAny(packet->a), b = v8LoadAny(packet->b), c = v8LoadAny(packet->c);
    // Most packets are near and their triangles are not.
    V8 away = {beside(a.x, b.x, c.x, at.x), beside(a.y, b.y, c.y, at.y), beside(a.z, b.z, c.z, at.z)};
    if (((unsigned)m8Bits(f8LessEqual(v8Dot(away, away), f8Set(limit))) & alive) == 0)
        return;
    V8 ab = v8Sub(b, a), ac = v8Sub(c, a);
    Closest8 closest = closest8(a, ab, ac, b, c, at);
    M8 counts = m8OfBits(alive);
    if (search->cone != NULL)
        counts = m8And(counts, faces8(search->cone, v8Cross(ab, ac)));
    // A needle may give 0/0: it is no farther than its neighbours anyway.
    F8 never = f8Set(INFINITY);
    F8 distance = f8Select(m8And(counts, f8Less(closest.distance, never)), closest.distance, never);
    float least = f8Least(distance);
    if (!(least <= search->distance) || (least == search->distance && search->feature == noFeature))
        return;
    int best = -1, feature = least == search->distance ? search->feature : noFeature;
    for (unsigned bits = (unsigned)m8Bits(f8Equal(distance, f8Set(least))); bits != 0; bits &= bits - 1u) {
        int lane = __builtin_ctz(bits);
        if (packet->features[lane] < feature) {
            feature = packet->features[lane];
            best = lane;
        }
    }
    if (best < 0)
        return;
    float x[skinLanes], y[skinLanes], z[skinLanes];
    f8Store(x, closest.q.x);
    f8Store(y, closest.q.y);
    f8Store(z, closest.q.z);
    search->distance = least;
    search->feature = feature;
    search->point = vec3(x[best], y[best], z[best]);
    search->onFace = m8Bits(closest.onFace) >> best & 1;
    search->corners[0] = cornerOf(packet->a, best);
    search->corners[1] = cornerOf(packet->b, best);
    search->corners[2] = cornerOf(packet->c, best);
}

// Packets come from far away in memory, several at the same time.
static inline void fetchAhead(const SkinPacket* packet)
{
    for (size_t at = 0; at < sizeof *packet; at += 64)
        __builtin_prefetch((const char*)packet + at);
}

// Squared distances from the boxes of a node.
static inline F8 boxes8(const SkinNode* node, V8 at)
{
    V8 below = v8Sub(v8LoadAny(node->lower), at), above = v8Sub(at, v8LoadAny(node->upper));
    V8 away = {notNegative(f8Max(below.x, above.x)), notNegative(f8Max(below.y, above.y)),
               notNegative(f8Max(below.z, above.z))};
    return v8Dot(away, away);
}

// What is farther cannot be as near as the best, whatever rounding does. Infinity is for lanes without a box.
static inline float limitOf(const SkinSearch* search)
{
    float limit = search->distance * search->distance * SKIN_ROUNDING;
    return limit < FLT_MAX ? limit : FLT_MAX;
}

void SIMD_NAME(skinNearest)(const SkinView* view, SkinSearch* search)
{
    struct {
        int level, index;
        float distance2;
    } stack[skinStack];
    V8 at = v8Set(search->p);
    float limit = limitOf(search);
    int waits = 1;
    stack[0].level = view->tree->levels - 1;
    stack[0].index = 0;
    stack[0].distance2 = 0.0f;
    while (waits > 0) {
        --waits;
        int level = stack[waits].level, first = skinLanes * stack[waits].index;
        if (stack[waits].distance2 > limit)
            continue;
        F8 distances = boxes8(&view->nodes[view->tree->starts[level] + stack[waits].index], at);
        unsigned bits = (unsigned)m8Bits(f8LessEqual(distances, f8Set(limit)));
        if (bits == 0)
            continue;
        float distance2[skinLanes];
        f8Store(distance2, distances);
        if (level > 0) {
            // The nearest on top.
            int nearest = __builtin_ctz(bits);
            for (unsigned left = bits & (bits - 1u); left != 0; left &= left - 1u) {
                int lane = __builtin_ctz(left);
                bool nearer = distance2[lane] < distance2[nearest];
                int far = nearer ? nearest : lane;
                nearest = nearer ? lane : nearest;
                stack[waits].level = level - 1;
                stack[waits].index = first + far;
                stack[waits++].distance2 = distance2[far];
            }
            stack[waits].level = level - 1;
            stack[waits].index = first + nearest;
            stack[waits++].distance2 = distance2[nearest];
            continue;
        }
        for (unsigned left = bits; left != 0; left &= left - 1u)
            fetchAhead(&view->packets[first + __builtin_ctz(left)]);
        while (bits != 0) {
            int nearest = __builtin_ctz(bits);
            for (unsigned left = bits & (bits - 1u); left != 0; left &= left - 1u) {
                int lane = __builtin_ctz(left);
                nearest = distance2[lane] < distance2[nearest] ? lane : nearest;
            }
            bits &= ~(1u << nearest);
            if (distance2[nearest] > limit)
                break;
            lookAt(&view->packets[first + nearest], view->alive[first + nearest], at, limit, search);
            if (search->distance < search->enough)
                return;
            limit = limitOf(search);
        }
    }
}

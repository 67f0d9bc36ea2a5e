// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The closest triangle of scenery: eight boxes, then eight triangles at a time.
#include "collide/scenery.h"
#include "core/constants.h"

typedef struct Point8 {
    F8 x, y, z;
} Point8;

static inline Point8 sub8(Point8 a, Point8 b) { return (Point8){f8Sub(a.x, b.x), f8Sub(a.y, b.y), f8Sub(a.z, b.z)}; }
static inline F8 dot8(Point8 a, Point8 b) { return f8Add(f8Add(f8Mul(a.x, b.x), f8Mul(a.y, b.y)), f8Mul(a.z, b.z)); }
static inline Point8 cross8(Point8 a, Point8 b)
{
    return (Point8){f8Sub(f8Mul(a.y, b.z), f8Mul(a.z, b.y)), f8Sub(f8Mul(a.z, b.x), f8Mul(a.x, b.z)),
                    f8Sub(f8Mul(a.x, b.y), f8Mul(a.y, b.x))};
}
static inline Point8 load8(const float rows[3][wideLanes])
{
    return (Point8){f8Load(rows[0]), f8Load(rows[1]), f8Load(rows[2])};
}

static inline F8 boxDistances2(const WideNode* node, Point8 p)
{
    Point8 below = sub8(load8(node->lower), p), above = sub8(p, load8(node->upper));
    Point8 out = {f8Max(f8Max(below.x, above.x), f8Zero()), f8Max(f8Max(below.y, above.y), f8Zero()),
                  f8Max(f8Max(below.z, above.z), f8Zero())};
    return dot8(out, out);
}

// To the side from the corner at `from` (seen from p) along `side`.
static inline F8 sideDistance2(Point8 from, Point8 side)
{
    F8 t = f8Div(f8Neg(dot8(from, side)), dot8(side, side));
    t = f8Max(f8Min(t, f8Set(1.0f)), f8Zero());
    Point8 q = {f8Add(from.x, f8Mul(t, side.x)), f8Add(from.y, f8Mul(t, side.y)), f8Add(from.z, f8Mul(t, side.z))};
    return dot8(q, q);
}

// The plane's distance where p is on the inner side of all sides, else that of the closest side.
static inline F8 triangleDistances2(Point8 a, Point8 b, Point8 c, Point8* normal)
{
    Point8 ab = sub8(b, a), bc = sub8(c, b), ca = sub8(a, c), n = cross8(ab, bc);
    F8 zero = f8Zero();
    M8 within = m8And(m8And(f8GreaterEqual(dot8(cross8(a, b), n), zero), f8GreaterEqual(dot8(cross8(b, c), n), zero)),
                      f8GreaterEqual(dot8(cross8(c, a), n), zero));
    F8 sides = f8Min(f8Min(sideDistance2(a, ab), sideDistance2(b, bc)), sideDistance2(c, ca));
    F8 height = dot8(a, n);
    *normal = n;
    return f8Select(within, f8Div(f8Mul(height, height), dot8(n, n)), sides);
}

// As coneFaces: which of the surfaces look against one of the directions?
typedef struct Facing {
    Vec3 directions[coneDirections];
    int count;
} Facing;

static inline M8 facing8(const Facing* facing, Point8 normal)
{
    F8 most = f8Mul(f8Set(-FACING_MARGIN), f8Sqrt(dot8(normal, normal)));
    M8 any = f8Less(most, most);
    for (int i = 0; i < facing->count; ++i) {
        Vec3 d = facing->directions[i];
        Point8 direction = {f8Set(d.x), f8Set(d.y), f8Set(d.z)};
        any = m8Or(any, f8Less(dot8(direction, normal), f8Mul(most, f8Set(vLength(d)))));
    }
    return any;
}

typedef struct Waiting {
    int child;
    float distance2;
} Waiting;

// The node's children that may hold something nearer, the nearest on top.
static inline int pushChildren(Waiting* stack, int count, const WideNode* node, Point8 p, float best2)
{
    float distances2[wideLanes];
    F8 all = boxDistances2(node, p);
    f8Store(distances2, all);
    int bottom = count;
    for (unsigned bits = (unsigned)m8Bits(f8Less(all, f8Set(best2))); bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits), hole = count++;
        for (; hole > bottom && stack[hole - 1].distance2 < distances2[lane]; --hole)
            stack[hole] = stack[hole - 1];
        stack[hole] = (Waiting){node->child[lane], distances2[lane]};
    }
    return count;
}

static inline Point8 normal8(const SceneryPacket* packet)
{
    Point8 a = load8(packet->corners[0]);
    return cross8(sub8(load8(packet->corners[1]), a), sub8(load8(packet->corners[2]), a));
}

void SIMD_NAME(sceneryLevel)(SceneryPatch* patch, const int* packets, int packetCount)
{
    const SceneryPacket* all = patch->scenery->packets;
    Point8 sum = {f8Zero(), f8Zero(), f8Zero()};
    for (int i = 0; i < packetCount; ++i) {
        Point8 n = normal8(&all[packets[i]]);
        sum = (Point8){f8Add(sum.x, n.x), f8Add(sum.y, n.y), f8Add(sum.z, n.z)};
    }
    Vec3 up = vNormalize(vec3(f8Sum(sum.x), f8Sum(sum.y), f8Sum(sum.z)));
    Point8 up8 = {f8Set(up.x), f8Set(up.y), f8Set(up.z)};
    F8 cosine = f8Set(1.0f), top = f8Set(-INFINITY);
    for (int i = 0; i < packetCount; ++i) {
        Point8 n = normal8(&all[packets[i]]);
        cosine = f8Min(f8Div(dot8(n, up8), f8Sqrt(dot8(n, n))), cosine);
        for (int k = 0; k < 3; ++k)
            top = f8Max(dot8(load8(all[packets[i]].corners[k]), up8), top);
    }
    patch->up = up;
    patch->top = f8Most(top);
    patch->cosine = f8Least(cosine);
}

int SIMD_NAME(sceneryNearest)(const SceneryPatch* patch, Vec3 p, const NormalCone* cone, float* distance2)
{
    const shScenery* scenery = patch->scenery;
    Point8 at = {f8Set(p.x), f8Set(p.y), f8Set(p.z)};
    Facing facing = {.count = 0};
    if (cone != NULL)
        facing.count = coneGetDirections(cone, facing.directions);
    int best = -1;
    float best2 = *distance2;
    Waiting stack[wideStack];
    int count = pushChildren(stack, 0, &patch->root, at, best2);
    while (count > 0) {
        Waiting top = stack[--count];
        if (top.distance2 >= best2)
            continue;
        if (top.child >= 0) {
            count = pushChildren(stack, count, &scenery->tree.nodes.data[top.child], at, best2);
            continue;
        }
        const SceneryPacket* packet = &scenery->packets[~top.child];
        Point8 normal;
        F8 distances2 = triangleDistances2(sub8(load8(packet->corners[0]), at), sub8(load8(packet->corners[1]), at),
                                           sub8(load8(packet->corners[2]), at), &normal);
        M8 nearer = f8Less(distances2, f8Set(best2));
        if (facing.count > 0)
            nearer = m8And(nearer, facing8(&facing, normal));
        if (!m8Any(nearer))
            continue;
        best2 = f8Least(f8Select(nearer, distances2, f8Set(INFINITY)));
        unsigned equal = (unsigned)m8Bits(m8And(nearer, f8Equal(distances2, f8Set(best2))));
        best = ~top.child * wideLanes + __builtin_ctz(equal);
    }
    *distance2 = best2;
    return best;
}

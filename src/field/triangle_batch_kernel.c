// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// closestOnTriangle (core/closest.h) without branches: what holds of the vertex, edge and face regions is found for all
// lanes, in the same order and with the same operations.
#include "field/triangle_batch.h"

typedef struct Lanes3 {
    F8 x, y, z;
} Lanes3;

static inline Lanes3 load3(const float from[3][triangleBatch])
{
    return (Lanes3){f8Load(from[0]), f8Load(from[1]), f8Load(from[2])};
}
static inline Lanes3 sub3(Lanes3 a, Lanes3 b) { return (Lanes3){f8Sub(a.x, b.x), f8Sub(a.y, b.y), f8Sub(a.z, b.z)}; }
static inline Lanes3 add3(Lanes3 a, Lanes3 b) { return (Lanes3){f8Add(a.x, b.x), f8Add(a.y, b.y), f8Add(a.z, b.z)}; }
static inline Lanes3 scale3(F8 s, Lanes3 a) { return (Lanes3){f8Mul(s, a.x), f8Mul(s, a.y), f8Mul(s, a.z)}; }
static inline F8 dot3(Lanes3 a, Lanes3 b) { return f8Add(f8Add(f8Mul(a.x, b.x), f8Mul(a.y, b.y)), f8Mul(a.z, b.z)); }
static inline Lanes3 select3(M8 m, Lanes3 a, Lanes3 b)
{
    return (Lanes3){f8Select(m, a.x, b.x), f8Select(m, a.y, b.y), f8Select(m, a.z, b.z)};
}
static inline M8 notAbove(F8 a) { return f8LessEqual(a, f8Zero()); }
static inline M8 notBelow(F8 a) { return f8GreaterEqual(a, f8Zero()); }

TriangleNearest SIMD_NAME(triangleNearest)(const TriangleBatch* batch, Vec3 p)
{
    Lanes3 a = load3(batch->a), b = load3(batch->b), c = load3(batch->c);
    Lanes3 at = {f8Set(p.x), f8Set(p.y), f8Set(p.z)};
    Lanes3 ab = sub3(b, a), ac = sub3(c, a), ap = sub3(at, a), bp = sub3(at, b), cp = sub3(at, c);
    F8 d1 = dot3(ab, ap), d2 = dot3(ac, ap), d3 = dot3(ab, bp), d4 = dot3(ac, bp), d5 = dot3(ab, cp), d6 = dot3(ac, cp);
    F8 va = f8Sub(f8Mul(d3, d6), f8Mul(d5, d4)), vb = f8Sub(f8Mul(d5, d2), f8Mul(d1, d6)),
       vc = f8Sub(f8Mul(d1, d4), f8Mul(d3, d2));
    F8 d43 = f8Sub(d4, d3), d56 = f8Sub(d5, d6);
    F8 sum = f8Add(f8Add(va, vb), vc);
    // From the last region to the first, so that the first one to hold wins. Edges: base + (part / whole) · way.
    Lanes3 face = add3(a, add3(scale3(f8Div(vb, sum), ab), scale3(f8Div(vc, sum), ac)));
    M8 isFace = f8Greater(sum, f8Zero());
    M8 onBc = m8And(notAbove(va), m8And(notBelow(d43), notBelow(d56)));
    M8 onAc = m8And(notAbove(vb), m8And(notBelow(d2), notAbove(d6)));
    M8 onAb = m8And(notAbove(vc), m8And(notBelow(d1), notAbove(d3)));
    Lanes3 way = select3(onAb, ab, select3(onAc, ac, sub3(c, b)));
    F8 part = f8Select(onAb, d1, f8Select(onAc, d2, d43));
    F8 whole = f8Select(onAb, f8Sub(d1, d3), f8Select(onAc, f8Sub(d2, d6), f8Add(d43, d56)));
    M8 fromB = m8AndNot(onBc, m8Or(onAb, onAc));
    Lanes3 edge = add3(select3(fromB, b, a), scale3(f8Div(part, whole), way));
    M8 onEdge = m8Or(onAb, m8Or(onAc, onBc));
    Lanes3 q = select3(onEdge, edge, select3(isFace, face, a));
    M8 atC = m8And(notBelow(d6), f8LessEqual(d5, d6)), atB = m8And(notBelow(d3), f8LessEqual(d4, d3)),
       atA = m8And(notAbove(d1), notAbove(d2));
    q = select3(atC, c, q);
    q = select3(atB, b, q);
    q = select3(atA, a, q);
    Lanes3 away = sub3(at, q);
    // A needle may give 0/0: it is no farther than its neighbours anyway.
    F8 distance = f8Sqrt(dot3(away, away)), never = f8Set(INFINITY);
    distance = f8Select(m8And(m8First(batch->count), f8Less(distance, never)), distance, never);
    float least = f8Least(distance);
    int lane = 0, bits = m8Bits(f8Equal(distance, f8Set(least)));
    while ((bits >> lane & 1) == 0 && lane < triangleBatch - 1)
        ++lane;
    float x[triangleBatch], y[triangleBatch], z[triangleBatch];
    f8Store(x, q.x);
    f8Store(y, q.y);
    f8Store(z, q.z);
    return (TriangleNearest){{x[lane], y[lane], z[lane]}, least, lane};
}

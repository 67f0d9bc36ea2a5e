// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The volume of all overlaps of volume spheres. Pairs of spheres are collected and summed eight at a time; a node
// wholly inside a sphere counts with the volume below it.
#include "core/constants.h"
#include "tree/inner_pairs.h"

#include <string.h>

enum { stackRoom = 2 * innerDepthMost * (innerArity * innerArity), pairRoom = 64 };

// Pairs of spheres waiting to be summed, lane by lane.
typedef struct Pairs {
    int count;
    float distance[pairRoom], radiusA[pairRoom], radiusB[pairRoom];
    float a[3][pairRoom], b[3][pairRoom]; // centres, when forces are wanted
} Pairs;

// With u the direction from a to b and c the circle in which both surfaces meet, at x from a along it:
// −∂V/∂b = area(c) · u, which acts anywhere on the line of the centres.
static void sumForces(InnerOverlap* overlap, const Pairs* pairs, int i, F8 d, F8 r, F8 s, M8 crosses)
{
    F8 d2 = f8Mul(d, d), sum = f8Add(r, s), difference = f8Sub(r, s);
    F8 area =
        f8Div(f8Mul(f8Mul(f8Set(3.14159265f), f8Sub(f8Mul(sum, sum), d2)), f8Sub(d2, f8Mul(difference, difference))),
              f8Mul(f8Set(4.0f), d2));
    area = f8Select(crosses, f8Max(area, f8Zero()), f8Zero());
    F8 along = f8Div(f8Add(d2, f8Mul(sum, difference)), f8Mul(f8Set(2.0f), d2)); // of the way from a to b
    F8 a[3], b[3], force[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = f8Load(&pairs->a[k][i]);
        b[k] = f8Load(&pairs->b[k][i]);
        F8 way = f8Sub(b[k], a[k]);
        force[k] = f8Select(crosses, f8Mul(area, f8Div(way, d)), f8Zero());
        overlap->force[k] += (double)f8Sum(force[k]);
        F8 place = f8Mul(area, f8Add(a[k], f8Mul(along, way)));
        overlap->centre[k] += (double)f8Sum(f8Select(crosses, place, f8Zero()));
    }
    overlap->area += (double)f8Sum(area);
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        F8 torque = f8Sub(f8Mul(b[l], force[m]), f8Mul(b[m], force[l]));
        overlap->torque[k] += (double)f8Sum(torque);
    }
}

static void sumPairs(InnerOverlap* overlap, Pairs* pairs)
{
    for (int i = 0; i < pairs->count; i += 8) {
        M8 there = m8First(pairs->count - i);
        F8 d = f8Select(there, f8Load(&pairs->distance[i]), f8Set(1.0f));
        F8 r = f8Select(there, f8Load(&pairs->radiusA[i]), f8Zero());
        F8 s = f8Select(there, f8Load(&pairs->radiusB[i]), f8Zero());
        overlap->volume += (double)f8Sum(innerLens(r, s, d));
        if (overlap->wantForce) {
            M8 crosses = m8And(m8And(f8Less(d, f8Add(r, s)), f8Less(f8Abs(f8Sub(r, s)), d)), there);
            sumForces(overlap, pairs, i, d, r, s, crosses);
        }
    }
    pairs->count = 0;
}

typedef struct Waiting {
    int a, b;
} Waiting;

static inline int expand(InnerOverlap* overlap, Pairs* pairs, const InnerChildren* a, const InnerChildren* b,
                         Waiting* found)
{
    InnerFour four = innerMoveFour(&overlap->frame, f8Twice(b->x), f8Twice(b->y), f8Twice(b->z));
    const F8 slack = f8Set(overlap->frame.slack);
    F8 radiusB = f8Twice(b->volumeRadius);
    float centres[16], moved[3][8];
    unsigned meet = 0;
    f8Store(moved[0], four.x);
    f8Store(moved[1], four.y);
    f8Store(moved[2], four.z);
    for (int i = 0; i < a->count; i += 2) {
        F8 distance = innerCentres(f8Halves(a->x[i], a->x[i + 1]), f8Halves(a->y[i], a->y[i + 1]),
                                   f8Halves(a->z[i], a->z[i + 1]), four);
        F8 sum = f8Add(f8Halves(a->volumeRadius[i], a->volumeRadius[i + 1]), radiusB);
        f8Store(&centres[4 * i], distance);
        meet |= (unsigned)m8Bits(f8Less(f8Sub(distance, slack), sum)) << 4 * i;
    }
    overlap->tests += a->count * b->count;
    int count = 0;
    for (; meet != 0; meet &= meet - 1) {
        int k = __builtin_ctz(meet), i = k >> 2, j = k & 3, childA = a->child[i], childB = b->child[j];
        if (childA == innerNoChild || childB == innerNoChild)
            continue;
        float radiusA = a->volumeRadius[i], radiusOfB = b->volumeRadius[j], d = centres[k];
        if (childA < 0 && childB < 0) {
            if (!(d < radiusA + radiusOfB))
                continue;
            int at = pairs->count++;
            pairs->distance[at] = d;
            pairs->radiusA[at] = radiusA;
            pairs->radiusB[at] = radiusOfB;
            if (overlap->wantForce) {
                pairs->a[0][at] = a->x[i], pairs->a[1][at] = a->y[i], pairs->a[2][at] = a->z[i];
                for (int axis = 0; axis < 3; ++axis)
                    pairs->b[axis][at] = moved[axis][j];
            }
            if (overlap->list != NULL && overlap->listCount < overlap->listRoom) {
                overlap->list[overlap->listCount][0] = ~childA;
                overlap->list[overlap->listCount++][1] = ~childB;
            }
            ++overlap->pairs;
            continue;
        }
        // A node wholly inside a sphere: so are all volume spheres below it, and there is nothing to push.
        float inner = childA < 0 ? radiusOfB : radiusA, outer = childA < 0 ? radiusA : radiusOfB;
        if ((childA < 0 || childB < 0) && d + inner + overlap->frame.slack <= outer)
            overlap->volume += (double)(childA < 0 ? b->volume[j] : a->volume[i]);
        else
            found[count++] = (Waiting){childA, childB};
    }
    return count;
}

void SIMD_NAME(innerSumOverlap)(InnerOverlap* overlap)
{
    Waiting stack[stackRoom];
    Pairs pairs;
    int depth = 0;
    memset(&pairs, 0, sizeof pairs); // lanes past the end must not be trapping values
    stack[depth++] = (Waiting){0, 0};
    while (depth > 0) {
        Waiting top = stack[--depth];
        InnerChildren a, b;
        innerChildrenOf(overlap->a, top.a, &a);
        innerChildrenOf(overlap->b, top.b, &b);
        if (pairs.count > pairRoom - innerArity * innerArity)
            sumPairs(overlap, &pairs);
        depth += expand(overlap, &pairs, &a, &b, stack + depth);
    }
    sumPairs(overlap, &pairs);
}

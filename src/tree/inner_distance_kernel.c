// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The nearest pair of spheres: depth first, nearer pairs of nodes first; what cannot be nearer than the best (and the
// margin, where pairs close to the best are wanted, too) is passed over.
#include "core/constants.h"
#include "tree/inner_pairs.h"

typedef struct Waiting {
    int a, b;
    float least; // m; nothing below is nearer
} Waiting;

// Both trees to the bottom, fifteen pairs left behind at each level.
enum { stackRoom = 2 * innerDepthMost * (innerArity * innerArity) };

// The list holds the nearest of all pairs that were within the margin when they were met, so what is left of it at the
// end does not depend on the order of visits.
static void listClose(InnerNearest* nearest, InnerClose pair)
{
    if (nearest->closeCount == innerCloseMost) { // what has fallen behind makes room
        int kept = 0;
        for (int i = 0; i < nearest->closeCount; ++i)
            if (nearest->close[i].distance <= nearest->distance + nearest->margin)
                nearest->close[kept++] = nearest->close[i];
        nearest->closeCount = kept;
    }
    if (nearest->closeCount < innerCloseMost) {
        nearest->close[nearest->closeCount++] = pair;
        return;
    }
    int last = 0;
    for (int i = 1; i < innerCloseMost; ++i)
        if (innerIsCloser(&nearest->close[last], &nearest->close[i]))
            last = i;
    if (innerIsCloser(&pair, &nearest->close[last]))
        nearest->close[last] = pair;
}

// Pairs of children that may be nearer than the best, into `found`; the best among spheres goes to `nearest` at once.
static inline int expand(InnerNearest* nearest, const InnerChildren* a, const InnerChildren* b, Waiting* found)
{
    const F8 slack = f8Set(nearest->frame.slack), limit = f8Set(nearest->distance + nearest->margin);
    InnerFour four = innerMoveFour(&nearest->frame, f8Twice(b->x), f8Twice(b->y), f8Twice(b->z));
    F8 radiusB = f8Twice(b->radius);
    float apart[16];
    unsigned near = 0;
    for (int i = 0; i < a->count; i += 2) {
        F8 centres = innerCentres(f8Halves(a->x[i], a->x[i + 1]), f8Halves(a->y[i], a->y[i + 1]),
                                  f8Halves(a->z[i], a->z[i + 1]), four);
        F8 distance = f8Sub(centres, f8Add(f8Halves(a->radius[i], a->radius[i + 1]), radiusB));
        f8Store(&apart[4 * i], distance);
        near |= (unsigned)m8Bits(f8Less(f8Sub(distance, slack), limit)) << 4 * i;
    }
    nearest->tests += a->count * b->count;
    int count = 0;
    for (; near != 0; near &= near - 1) {
        int k = __builtin_ctz(near), childA = a->child[k >> 2], childB = b->child[k & 3];
        if (childA == innerNoChild || childB == innerNoChild)
            continue;
        if (childA < 0 && childB < 0) {
            // Of equally near pairs the first in the order of the trees, whatever the order of visits.
            if (apart[k] < nearest->distance ||
                (apart[k] == nearest->distance && nearest->sphereA >= 0 &&
                 (~childA < nearest->sphereA || (~childA == nearest->sphereA && ~childB < nearest->sphereB)))) {
                nearest->distance = apart[k];
                nearest->sphereA = ~childA;
                nearest->sphereB = ~childB;
            }
            if (nearest->margin > 0.0f && apart[k] <= nearest->distance + nearest->margin)
                listClose(nearest, (InnerClose){apart[k], ~childA, ~childB});
            continue;
        }
        float least = apart[k] - nearest->frame.slack;
        int at = count++;
        for (; at > 0 && found[at - 1].least < least; --at)
            found[at] = found[at - 1];
        found[at] = (Waiting){childA, childB, least};
    }
    return count;
}

void SIMD_NAME(innerFindNearest)(InnerNearest* nearest)
{
    Waiting stack[stackRoom];
    int depth = 0;
    stack[depth++] = (Waiting){0, 0, -INFINITY};
    while (depth > 0) {
        Waiting top = stack[--depth];
        if (!(top.least <= nearest->distance + nearest->margin))
            continue;
        InnerChildren a, b;
        innerChildrenOf(nearest->a, top.a, &a);
        innerChildrenOf(nearest->b, top.b, &b);
        depth += expand(nearest, &a, &b, stack + depth); // the farthest first
        if (nearest->distance < nearest->enough)
            return;
    }
}

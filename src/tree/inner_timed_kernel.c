// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The volume in limited time (section 4.2.3). Pairs of nodes wait in a heap with what is expected below them: where the
// most is to be learned comes first, and its expectation is replaced by those of its children. What is left when time
// is up counts as expected.
#include "core/constants.h"
#include "tree/inner_pairs.h"

static bool before(const InnerWaiting* a, const InnerWaiting* b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->order < b->order;
}

static void push(InnerTimed* timed, InnerWaiting waiting)
{
    int at = timed->heapCount++;
    while (at > 0 && before(&waiting, &timed->heap[(at - 1) / 2])) {
        timed->heap[at] = timed->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    timed->heap[at] = waiting;
}

static InnerWaiting pop(InnerTimed* timed)
{
    InnerWaiting top = timed->heap[0], last = timed->heap[--timed->heapCount];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= timed->heapCount)
            break;
        if (child + 1 < timed->heapCount && before(&timed->heap[child + 1], &timed->heap[child]))
            ++child;
        if (!before(&timed->heap[child], &last))
            break;
        timed->heap[at] = timed->heap[child];
        at = child;
    }
    timed->heap[at] = last;
    return top;
}

// Share of a sphere that its leaves fill, at most 1.
static F8 density(F8 volume, F8 radius)
{
    F8 ball = f8Mul(f8Mul(f8Set(4.18879020f), radius), f8Mul(radius, radius));
    F8 share = f8Div(volume, ball);
    return f8Select(f8Less(f8Zero(), ball), f8Min(share, f8Set(1.0f)), f8Zero());
}

// Overlaps of all pairs of children, and their expected sum: each by the densities of both (equation 8), or plain.
typedef struct Level {
    float volumes[16], centres[16];
    double expected;
} Level;

static void lookBelow(InnerTimed* timed, const InnerChildren* a, const InnerChildren* b, Level* level)
{
    InnerFour four = innerMoveFour(&timed->frame, f8Twice(b->x), f8Twice(b->y), f8Twice(b->z));
    F8 radiusB = f8Twice(b->volumeRadius), shareB = density(f8Twice(b->volume), radiusB);
    level->expected = 0.0;
    for (int i = 0; i < a->count; i += 2) {
        F8 radiusA = f8Halves(a->volumeRadius[i], a->volumeRadius[i + 1]);
        F8 distance = innerCentres(f8Halves(a->x[i], a->x[i + 1]), f8Halves(a->y[i], a->y[i + 1]),
                                   f8Halves(a->z[i], a->z[i + 1]), four);
        F8 volume = innerLens(radiusA, radiusB, distance), expected = volume;
        if (timed->rule != innerByChildren)
            expected = f8Mul(volume, f8Mul(density(f8Halves(a->volume[i], a->volume[i + 1]), radiusA), shareB));
        f8Store(&level->volumes[4 * i], volume);
        f8Store(&level->centres[4 * i], distance);
        level->expected += (double)f8Sum(expected);
    }
    timed->tests += a->count * b->count;
}

// No more than that below a pair of nodes: no point lies in more spheres of a tree than its multiplicity says.
static double mostBelow(const InnerTimed* timed, double overlap, double volumeA, double volumeB)
{
    double timesA = timed->a->record.multiplicity, timesB = timed->b->record.multiplicity;
    double most = timesA * timesB * overlap, ofA = timesB * volumeA, ofB = timesA * volumeB;
    most = most < ofA ? most : ofA;
    return most < ofB ? most : ofB;
}

static void wait(InnerTimed* timed, int a, int b, float overlap, double volumeA, double volumeB)
{
    InnerChildren childrenA, childrenB;
    Level level;
    innerChildrenOf(timed->a, a, &childrenA);
    innerChildrenOf(timed->b, b, &childrenB);
    lookBelow(timed, &childrenA, &childrenB, &level);
    InnerWaiting waiting = {.order = timed->arrived++,
                            .a = a,
                            .b = b,
                            .estimate = level.expected,
                            .most = mostBelow(timed, (double)overlap, volumeA, volumeB)};
    waiting.priority = timed->rule == innerByGain ? overlap - (float)level.expected : overlap;
    timed->estimate += waiting.estimate;
    timed->upper += waiting.most;
    if (timed->heapCount < timed->heapRoom)
        push(timed, waiting);
    else
        timed->whole = false;
}

static void open(InnerTimed* timed, const InnerWaiting* top)
{
    InnerChildren a, b;
    Level level;
    innerChildrenOf(timed->a, top->a, &a);
    innerChildrenOf(timed->b, top->b, &b);
    lookBelow(timed, &a, &b, &level);
    timed->estimate -= top->estimate;
    timed->upper -= top->most;
    const float slack = timed->frame.slack;
    for (int k = 0; k < a.count * innerArity; ++k) {
        int i = k >> 2, j = k & 3, childA = a.child[i], childB = b.child[j];
        float r = a.volumeRadius[i], s = b.volumeRadius[j], d = level.centres[k];
        if (childA == innerNoChild || childB == innerNoChild || !(d - slack < r + s))
            continue;
        double known = 0.0;
        if (childA < 0 && childB < 0)
            known = (double)level.volumes[k];
        else if (childA < 0 && d + s + slack <= r)
            known = (double)b.volume[j];
        else if (childB < 0 && d + r + slack <= s)
            known = (double)a.volume[i];
        else
            wait(timed, childA, childB, level.volumes[k], (double)a.volume[i], (double)b.volume[j]);
        timed->lower += known;
        timed->estimate += known;
        timed->upper += known;
    }
}

void SIMD_NAME(innerEstimateOverlap)(InnerTimed* timed)
{
    const InnerRecord *a = &timed->a->record, *b = &timed->b->record;
    float lens[8];
    Vec3 moved = innerMove(&timed->frame, vec3(b->x, b->y, b->z));
    float apart = vDistance(vec3(a->x, a->y, a->z), moved);
    f8Store(lens, innerLens(f8Set(a->volumeRadius), f8Set(b->volumeRadius), f8Set(apart)));
    timed->heapCount = timed->arrived = 0;
    timed->estimate = timed->lower = timed->upper = 0.0;
    timed->whole = true;
    if (!(apart - timed->frame.slack < a->volumeRadius + b->volumeRadius))
        return;
    // The trees' own volumes are sums in float; the objects' are what they come to.
    wait(timed, 0, 0, lens[0], a->volume * (1.0 + INNER_SUM_ROUNDING), b->volume * (1.0 + INNER_SUM_ROUNDING));
    int opened = 0;
    while (timed->heapCount > 0) {
        bool late = timed->late != NULL && ++opened % INNER_CLOCK_EVERY == 0 && timed->late(timed->lateUser);
        if (timed->tests >= timed->budget || late) {
            timed->whole = false;
            break;
        }
        InnerWaiting top = pop(timed);
        open(timed, &top);
    }
    if (timed->heapCount == 0 && timed->whole)
        timed->estimate = timed->upper = timed->lower; // without what additions and subtractions have left
    timed->upper *= 1.0 + INNER_SUM_ROUNDING;
    timed->lower *= 1.0 - INNER_SUM_ROUNDING;
}

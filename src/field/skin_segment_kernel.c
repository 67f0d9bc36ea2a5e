// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// A segment against eight boxes, eight triangles at once.
//
// Which side of a triangle an end is on follows from that end alone, and past which edge the line runs from the edge's
// two corners, with the opposite sign for the triangle on its other side: so nothing slips between triangles, nor
// between segments that continue each other.
#include "core/vec8.h"
#include "field/skin.h"

static inline M8 overlaps(F8 lower, F8 upper, float a, float b)
{
    return m8And(f8LessEqual(lower, f8Set(maxF(a, b))), f8GreaterEqual(upper, f8Set(minF(a, b))));
}

static inline unsigned boxesCross(const SkinNode* node, const SkinCrossing* c)
{
    V8 lower = v8LoadAny(node->lower), upper = v8LoadAny(node->upper);
    M8 cross = m8And(overlaps(lower.x, upper.x, c->from.x, c->to.x), overlaps(lower.y, upper.y, c->from.y, c->to.y));
    return (unsigned)m8Bits(m8And(cross, overlaps(lower.z, upper.z, c->from.z, c->to.z)));
}

static void crossPacket(const SkinPacket* packet, unsigned alive, SkinCrossing* crossing)
{
    V8 from = v8Set(crossing->from), to = v8Set(crossing->to), way = v8Sub(to, from);
    V8 a = v8Sub(v8LoadAny(packet->a), from), b = v8Sub(v8LoadAny(packet->b), from),
       c = v8Sub(v8LoadAny(packet->c), from);
    const F8 zero = f8Zero();
    F8 ab = v8Dot(way, v8Cross(a, b)), bc = v8Dot(way, v8Cross(b, c)), ca = v8Dot(way, v8Cross(c, a));
    M8 left = m8And(f8GreaterEqual(ab, zero), m8And(f8GreaterEqual(bc, zero), f8GreaterEqual(ca, zero)));
    M8 right = m8And(f8LessEqual(ab, zero), m8And(f8LessEqual(bc, zero), f8LessEqual(ca, zero)));
    M8 passes = m8And(m8Or(left, right), m8OfBits(alive));
    if (!m8Any(passes))
        return;
    V8 corner = v8LoadAny(packet->a);
    V8 across = v8Cross(v8Sub(v8LoadAny(packet->b), corner), v8Sub(v8LoadAny(packet->c), corner));
    F8 before = v8Dot(across, v8Sub(from, corner)), after = v8Dot(across, v8Sub(to, corner));
    M8 enters = m8And(f8GreaterEqual(before, zero), f8Less(after, zero));
    M8 leaves = m8And(f8Less(before, zero), f8GreaterEqual(after, zero));
    M8 counts = m8Or(enters, m8And(leaves, f8Greater(v8Dot(across, v8Set(crossing->outward)), zero)));
    F8 fraction = f8Div(before, f8Sub(before, after)), never = f8Set(INFINITY);
    fraction =
        f8Select(m8And(passes, m8And(counts, f8LessEqual(fraction, f8Set(crossing->fraction)))), fraction, never);
    float first = f8Least(fraction);
    if (!(first <= crossing->fraction) || (first == crossing->fraction && !crossing->crosses))
        return;
    int lane = -1, feature = first == crossing->fraction ? crossing->feature : noFeature;
    for (unsigned bits = (unsigned)m8Bits(f8Equal(fraction, f8Set(first))); bits != 0; bits &= bits - 1u) {
        int k = __builtin_ctz(bits);
        if (packet->features[k] < feature) {
            feature = packet->features[k];
            lane = k;
        }
    }
    if (lane < 0)
        return;
    float x[8], y[8], z[8];
    f8Store(x, across.x);
    f8Store(y, across.y);
    f8Store(z, across.z);
    crossing->fraction = first;
    crossing->feature = feature;
    crossing->across = vec3(x[lane], y[lane], z[lane]);
    crossing->crosses = true;
}

void SIMD_NAME(skinCross)(const SkinView* view, SkinCrossing* crossing)
{
    struct {
        int level, index;
    } stack[skinStack];
    int waits = 1;
    stack[0].level = view->tree->levels - 1;
    stack[0].index = 0;
    while (waits > 0) {
        --waits;
        int level = stack[waits].level, first = skinLanes * stack[waits].index;
        unsigned bits = boxesCross(&view->nodes[view->tree->starts[level] + stack[waits].index], crossing);
        for (; bits != 0; bits &= bits - 1u) {
            int child = first + __builtin_ctz(bits);
            if (level == 0) {
                crossPacket(&view->packets[child], view->alive[child], crossing);
            } else {
                stack[waits].level = level - 1;
                stack[waits++].index = child;
            }
        }
    }
}
